/* synthetic_recording [--right] SPEC FOLDER: writes FOLDER/NAME.times and NAME.profile for a spec,
 * with the code hashes that compiling here gives and times that are made up.
 *
 * A recording cannot lie beside the tests ready made: other versions of NVRTC make other code.
 *
 * Of n configurations, number i "takes" 1 + (n - i) / 8 ms, and the last one is wrong
 * unless --right is given. */
#include "tuner/run/run_parts.h"

#include <stdio.h>
#include <string.h>

static const char device_name[] = "synthetic device, nothing was measured";

static void make_up_outcome(Run *r, size_t i, bool wrong)
{
    Config *c = &r->configs[i];
    double *times = ARENA_ARRAY(r->arena, double, 3);
    for (int k = 0; k < 3; k++)
        times[k] = 1 + (double)(r->config_count - i) / 8 + 0.001 * (k - 1);
    c->status = wrong ? TRIAL_WRONG : TRIAL_OK;
    c->words = wrong ? "made up to be wrong" : NULL;
    c->times = times;
    c->time_count = wrong ? 0 : 3;
}

static bool write_recording(Run *r, const char *folder, bool all_right)
{
    Device device = *r->device;
    device.name = device_name;
    r->device = &device;
    r->options.output = folder;
    RecordHeader h = run_record_header(r);
    h.date = "2000-01-01T00:00:00Z";
    TimesRecording *existing;
    const char *path = arena_printf(r->arena, "%s/%s.times", folder, r->spec->name);
    TimesWriter *w = times_open_append(r->arena, path, &h, 0, &existing, r->diag);
    bool ok = w && run_write_profiles(r, &h);
    for (size_t i = 0; i < r->config_count && ok; i++) {
        make_up_outcome(r, i, !all_right && i + 1 == r->config_count);
        ok = run_append_row(r, w, &h, i);
    }
    return times_close(w, r->diag) && ok;
}

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

int main(int argc, char **argv)
{
    bool all_right = argc > 1 && strcmp(argv[1], "--right") == 0;
    argv += all_right;
    if (argc - all_right != 3)
        return 2;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a,
             .diag = &d,
             .options = {.space = argv[1], .arch = "sm_90", .jobs = 2},
             .compile_helper = BUILD_DIR "/aptune-compile",
             .cuda_folder = SOURCE_DIR "/.cuda",
             .metric_files = metric_files,
             .metric_file_count = 2};
    bool ok = run_open(&r) && run_compile(&r) && write_recording(&r, argv[2], all_right);
    Buf text = {0};
    diag_print(&d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    run_close(&r);
    arena_free(a);
    return ok ? 0 : 1;
}

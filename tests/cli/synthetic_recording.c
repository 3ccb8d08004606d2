/* synthetic_recording [options] SPEC FOLDER: writes FOLDER/NAME.times and NAME.profile for a spec,
 * with the code hashes that compiling here gives and times that are made up.
 *
 *     --right            no configuration is wrong
 *     --best I           configuration I takes half a millisecond
 *     --arch A           (sm_90)
 *     --device D         what the device is called
 *     --problem P        which of the spec's
 *     --date D           when it was "measured"
 *     --file NAME        of the files (the space's)
 *     --profiler V       which version made the profiles
 *     --cost S           seconds that compiling the first configuration took (0.02); the others half as much
 *                        again.  What it took here would make replays differ from run to run.
 *
 * A recording cannot lie beside the tests ready made: other versions of NVRTC make other code.
 *
 * Of n configurations, number i "takes" 1 + (n - i) / 8 ms, and the last one is wrong
 * unless --right is given. */
#include "metrics/base/file.h"
#include "tuner/run/run_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Wish {
    bool right;
    size_t best;
    double cost;
    const char *arch, *device, *problem, *date, *file, *profiler;
} Wish;

static void make_up_outcome(Run *r, size_t i, const Wish *w)
{
    bool wrong = !w->right && i + 1 == r->table->count && i != w->best;
    double ms = i == w->best ? 0.5 : 1 + (double)(r->table->count - i) / 8;
    Table *t = r->table;
    double *times = ARENA_ARRAY(r->arena, double, 3);
    for (int k = 0; k < 3; k++)
        times[k] = ms + 0.001 * (k - 1);
    t->cost[i] = (TableCost){w->cost * (i == 0 ? 1 : 1.5), 0};
    if (!table_has_code(t, i))
        return;
    t->outcome[i] = wrong ? OUTCOME_WRONG : OUTCOME_OK;
    t->why[i] = wrong ? "made up to be wrong" : NULL;
    t->times[i].ms = times;
    t->times[i].count = wrong ? 0 : 3;
}

/* Writes the profiles once more, as if another version had made them. */
static bool make_up_profiler(Run *r, const char *path, const char *version)
{
    ProfileRecording *p = profiles_read(r->arena, path, r->diag);
    if (!p || unlink(path) != 0)
        return false;
    p->header.profiler = version;
    ProfileWriter *w = profiles_create(r->arena, path, &p->header, r->diag);
    bool ok = w != NULL;
    for (size_t i = 0; i < p->rows.count && ok; i++)
        ok = profiles_append(w, &p->rows.at[i], r->diag);
    return profiles_close(w, r->diag) && ok;
}

/* Profiles are written under the space's name, beside which the times lie. */
static bool write_recording(Run *r, const char *folder, const Wish *wish)
{
    Device device = *r->device;
    device.name = wish->device;
    r->spec->name = wish->file ? wish->file : r->spec->name;
    r->device = &device;
    r->options.output = folder;
    const char *space = path_stem(r->arena, r->options.space, ".spec");
    RecordHeader h = run_record_header(r);
    h.space = space;
    h.date = wish->date;
    TimesRecording *existing;
    const char *path = arena_printf(r->arena, "%s/%s.times", folder, r->spec->name);
    TimesWriter *w = times_open_append(r->arena, path, &h, &existing, r->diag);
    bool ok = w && run_write_profiles(r, &h) &&
              (!wish->profiler ||
               make_up_profiler(r, record_profile_path(r->arena, path), wish->profiler));
    for (size_t i = 0; i < r->table->count && ok; i++) {
        make_up_outcome(r, i, wish);
        ok = run_append_row(r, w, &h, i);
    }
    return times_close(w, r->diag) && ok;
}

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

/* Takes the options; the place of the first other argument. */
static int read_options(int argc, char **argv, Wish *w)
{
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *name = argv[i] + 2;
        const struct {
            const char *name, **text;
        } texts[] = {{"arch", &w->arch}, {"device", &w->device}, {"problem", &w->problem},
                     {"date", &w->date}, {"file", &w->file},     {"profiler", &w->profiler}};
        if (strcmp(name, "right") == 0) {
            w->right = true;
            continue;
        }
        const char *value = argv[++i];
        if (strcmp(name, "best") == 0)
            w->best = strtoul(value, NULL, 10);
        if (strcmp(name, "cost") == 0)
            w->cost = strtod(value, NULL);
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            if (strcmp(name, texts[k].name) == 0)
                *texts[k].text = value;
    }
    return i;
}

int main(int argc, char **argv)
{
    Wish wish = {.best = SIZE_MAX,
                 .cost = 0.02,
                 .arch = "sm_90",
                 .device = "synthetic device, nothing was measured",
                 .date = "2000-01-01T00:00:00Z"};
    int first = read_options(argc, argv, &wish);
    if (argc - first != 2)
        return 2;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a,
             .diag = &d,
             .options = {.space = argv[first],
                         .cache_limit = 4,
                         .arch = wish.arch,
                         .problem_text = wish.problem,
                         .run_commands = true,
                         .jobs = 2},
             .home.compile_helper = BUILD_DIR "/aptune-compile",
             .home.cuda_folder = SOURCE_DIR "/.cuda",
             .home.metric_files = metric_files,
             .home.metric_file_count = 2};
    bool ok = run_open(&r) && run_compile(&r) && write_recording(&r, argv[first + 1], &wish);
    Buf text = {0};
    diag_print(&d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    run_close(&r);
    arena_free(a);
    return ok ? 0 : 1;
}

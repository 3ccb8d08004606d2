/* Writes out the machine code of some configurations of a space, to look at it with other tools.
 *
 *     check_code FOLDER ARCH COUNT SPEC...
 *
 * Compiles COUNT configurations of each space, spread evenly over it (of millions, over some that
 * are drawn), for an architecture (sm_90 …) and writes SPACE-ARCH-NUMBER-LAUNCH.cubin and .ptx.
 * FOLDER/list.txt gets a line for each:
 *
 *     NAME KERNEL GRID_X GRID_Y GRID_Z BLOCK_X BLOCK_Y BLOCK_Z SHARED PARAMETERS
 *
 * with the parameters as they lie in memory, in hexadecimal ("-": none).  That is what bench_sass
 * and bench_arch read, and check_sass.sh compares the cubins with cuobjdump.  The configurations
 * are the same for all architectures, but for those that do not fit one. */
#include "metrics/base/file.h"
#include "tuner/run/run_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Writer {
    const char *folder, *arch;
    size_t count;
    FILE *list;
} Writer;

static bool write_code(Run *r, const Writer *w, size_t i, const Step *step,
                       const CompileResult *res)
{
    ProfileInput in;
    if (!run_profile_input(r->arena, r, i, step, res, &in))
        return false;
    const char *name =
        arena_printf(r->arena, "%s-%s-%zu-%zu", r->spec->name, w->arch, i, step->launch);
    const char *path = arena_printf(r->arena, "%s/%s", w->folder, name);
    if (!file_write(arena_printf(r->arena, "%s.cubin", path), in.cubin, in.cubin_size, r->diag) ||
        !file_write(arena_printf(r->arena, "%s.ptx", path), in.ptx, in.ptx_size, r->diag))
        return false;
    fprintf(w->list, "%s %s", name, in.kernel);
    for (int k = 0; k < 3; k++)
        fprintf(w->list, " %" PRId64, in.launch.grid[k]);
    for (int k = 0; k < 3; k++)
        fprintf(w->list, " %" PRId64, in.launch.block[k]);
    fprintf(w->list, " %" PRId64 " ", in.launch.shared);
    for (size_t k = 0; k < in.launch.parameter_bytes; k++)
        fprintf(w->list, "%02x", in.launch.parameters[k]);
    fprintf(w->list, "%s\n", in.launch.parameter_bytes ? "" : "-");
    return true;
}

/* The first step of each launch of one configuration; a compiler that refuses it is no failure of
 * this program. */
static bool write_config(Run *r, const Writer *w, Farm *farm, size_t i)
{
    const TableLaunch *c = &r->table->launch[i];
    bool ok = true;
    for (size_t k = 0, next = 0; k < c->step_count && ok; k++) {
        CompileJob job;
        CompileResult res;
        if (c->steps[k].launch < next)
            continue;
        next = c->steps[k].launch + 1;
        ok = run_make_job(r->arena, r, i, c->steps[k].launch, NULL, &job);
        if (!ok)
            break;
        farm_add(farm, 0, &job);
        ok = farm_next(farm, r->arena, &res, r->diag) &&
             (res.status != OUTCOME_COMPILED || write_code(r, w, i, &c->steps[k], &res));
    }
    return ok;
}

static bool write_configs(Run *r, const Writer *w)
{
    Farm *farm = run_open_farm(r);
    const size_t count = r->table->count;
    bool ok = true;
    for (size_t i = 0, next; i < count && ok; i = next) {
        for (next = i + 1; next < count && next * w->count / count == i * w->count / count;)
            next++;
        ok = !table_fits(r->table, i) || write_config(r, w, farm, i);
    }
    farm_close(farm);
    return ok;
}

static bool write_space(const Writer *w, const char *spec)
{
    static const char *const METRICS[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                          SOURCE_DIR "/metrics/cycles.metrics"};
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a, .diag = &d, .home.compile_helper = BUILD_DIR "/aptune-compile"};
    r.options = (RunOptions){.space = spec,
                             .arch = w->arch,
                             .compile = true,
                             .drawn = true,
                             .no_gpu = true,
                             .jobs = 1,
                             .ordinal = -1,
                             .compile_limit = 60};
    r.home.cuda_folder = SOURCE_DIR "/.cuda";
    r.home.compare_source = SOURCE_DIR "/tuner/gpu/compare.cu";
    r.home.metric_files = METRICS;
    r.home.metric_file_count = sizeof METRICS / sizeof METRICS[0];
    bool ok = run_open(&r) && run_open_sources(&r) && write_configs(&r, w);
    Buf text = {0};
    diag_print(&d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    run_close(&r);
    arena_free(a);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: check_code FOLDER ARCH COUNT SPEC...\n");
        return 2;
    }
    Writer w = {.folder = argv[1], .arch = argv[2], .count = strtoul(argv[3], NULL, 10)};
    char list[1000];
    snprintf(list, sizeof list, "%s/list.txt", w.folder);
    w.list = fopen(list, "a");
    if (!w.list) {
        fprintf(stderr, "check_code: cannot write %s\n", list);
        return 1;
    }
    bool ok = true;
    for (int i = 4; i < argc; i++)
        ok = write_space(&w, argv[i]) && ok;
    return fclose(w.list) == 0 && ok ? 0 : 1;
}

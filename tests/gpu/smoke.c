#include "tests/gpu/smoke.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <nvrtc.h>
#include <stdio.h>

enum { SKIPPED = 77 };

void smoke_check(Smoke *s, bool ok, const char *what)
{
    if (ok)
        return;
    s->failures++;
    printf("  FAILED: %s\n", what);
}

/* --- NVRTC, just enough --------------------------------------------------------------------- */

typedef struct Nvrtc {
    __typeof__(&nvrtcCreateProgram) create;
    __typeof__(&nvrtcCompileProgram) compile;
    __typeof__(&nvrtcGetCUBINSize) size;
    __typeof__(&nvrtcGetCUBIN) get;
    __typeof__(&nvrtcGetProgramLogSize) log_size;
    __typeof__(&nvrtcGetProgramLog) log;
    __typeof__(&nvrtcDestroyProgram) destroy;
} Nvrtc;

static bool nvrtc_open(Nvrtc *n)
{
    static const char *const NAMES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so",
                                        "/usr/local/cuda/lib/libnvrtc.so"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof NAMES / sizeof NAMES[0]; i++)
        library = dlopen(NAMES[i], RTLD_NOW);
    if (!library)
        return false;
    *(void **)&n->create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&n->compile = dlsym(library, "nvrtcCompileProgram");
    *(void **)&n->size = dlsym(library, "nvrtcGetCUBINSize");
    *(void **)&n->get = dlsym(library, "nvrtcGetCUBIN");
    *(void **)&n->log_size = dlsym(library, "nvrtcGetProgramLogSize");
    *(void **)&n->log = dlsym(library, "nvrtcGetProgramLog");
    *(void **)&n->destroy = dlsym(library, "nvrtcDestroyProgram");
    return n->create && n->compile && n->size && n->get && n->log_size && n->log && n->destroy;
}

static TaskModule compile(Smoke *s, const Nvrtc *n, const char *path, int arch)
{
    size_t size;
    const char *text = file_read(s->arena, path, &size, &s->diag);
    if (!text)
        return (TaskModule){0};
    nvrtcProgram p;
    const char *options[] = {arena_printf(s->arena, "--gpu-architecture=sm_%d", arch)};
    n->create(&p, text, path, 0, NULL, NULL);
    TaskModule made = {0};
    if (n->compile(p, 1, options) == NVRTC_SUCCESS) {
        n->size(p, &size);
        char *cubin = arena_alloc(s->arena, size);
        n->get(p, cubin);
        made = (TaskModule){cubin, size};
    } else {
        n->log_size(p, &size);
        char *log = arena_alloc(s->arena, size + 1);
        n->log(p, log);
        diag_fail(&s->diag, "%s", log);
    }
    n->destroy(&p);
    return made;
}

/* --- trials --------------------------------------------------------------------------------- */

TrialResult smoke_run(Smoke *s, const char *title, Trial t)
{
    TrialResult r = {0};
    t.id = ++s->id;
    t.verify = true;
    t.limit_s = t.limit_s > 0 ? t.limit_s : 30;
    double start = clock_seconds();
    gpu_submit(s->gpu, &t);
    CHECK(s, next_result(s->gpu, s->arena, &r, 300));
    CHECK(s, r.id == t.id);
    printf("%-34s %-13s %7.3f s", title, outcome_name(r.status), r.seconds);
    double waited = clock_seconds() - start - r.seconds;
    if (waited > 0.05) /* a helper was started, or ended, meanwhile */
        printf(" after %.3f s", waited);
    if (r.time_count)
        printf("  %zu times, the first %.4f ms", r.time_count, r.times[0]);
    printf("%s%s\n", *r.words ? "\n    " : "", r.words);
    fflush(stdout);
    return r;
}

TaskContents smoke_uniform(uint64_t seed)
{
    return (TaskContents){.kind = TASK_UNIFORM, .lo = -1, .hi = 1, .seed = seed};
}

/* --- a program ------------------------------------------------------------------------------ */

static void show_device(const Smoke *s)
{
    const GpuFacts *f = gpu_facts(s->gpu);
    const Device *v = &f->device;
    printf("%s, sm_%d%d, %d SMs at %.0f MHz, %.1f MB of L2, %.1f GB at %.0f GB/s (%d bits at %.0f "
           "MHz), driver %s, CUDA %d, %s\n",
           v->name, v->major, v->minor, v->sms, v->clock_hz * 1e-6, (double)v->l2_bytes / 1048576,
           (double)f->memory_bytes * 1e-9, v->dram_bytes_per_s * 1e-9, f->bus_bits,
           f->memory_clock_hz * 1e-6, f->driver, f->cuda_version, f->uuid);
    printf("  threads %d per block, %d per SM; %d warps, %d blocks per SM; registers %d per SM, %d "
           "per block; shared %d per SM, %d and %d per block, %d reserved; grid %" PRId64
           " %" PRId64 " %" PRId64 "\n",
           v->threads_per_block, v->threads_per_sm, v->warps_per_sm, v->blocks_per_sm,
           v->registers_per_sm, v->registers_per_block, v->shared_per_sm, v->shared_per_block,
           v->shared_per_block_optin, v->shared_reserved, v->grid_limit[0], v->grid_limit[1],
           v->grid_limit[2]);
}

static bool compile_all(Smoke *s, const Nvrtc *n, const char *source)
{
    const Device *v = gpu_device(s->gpu);
    int arch = 10 * v->major + v->minor;
    const char *kernels = arena_printf(s->arena, "%s/tests/gpu/smoke.cu", source);
    const char *compare = arena_printf(s->arena, "%s/tuner/gpu/compare.cu", source);
    s->cubin = compile(s, n, kernels, arch);
    s->other = compile(s, n, kernels, arch == 80 ? 90 : 80);
    s->checking = compile(s, n, compare, arch);
    return s->cubin.size && s->other.size && s->checking.size;
}

static void show_messages(const Smoke *s)
{
    for (size_t i = 0; i < s->diag.messages.count; i++)
        puts(s->diag.messages.at[i].text);
}

static int smoke(Smoke *s, const Nvrtc *n, const char *source, void (*work)(Smoke *s))
{
    show_device(s);
    if (!compile_all(s, n, source)) {
        show_messages(s);
        return 1;
    }
    work(s);
    if (s->failures)
        show_messages(s);
    printf("%" PRId64 " trials, %d helpers started, %d checks failed\n", s->id, gpu_starts(s->gpu),
           s->failures);
    return s->failures ? 1 : 0;
}

int smoke_main(int argc, char **argv, void (*work)(Smoke *s))
{
    Smoke s = {.arena = arena_new()};
    Nvrtc n;
    s.diag = diag_new(s.arena);
    int code = SKIPPED;
    GpuOptions o = gpu_options(argc > 1 ? argv[1] : BUILD_DIR "/aptune-gpu", 0);
    if (!nvrtc_open(&n))
        puts("skipped: no NVRTC on this machine");
    else
        s.gpu = open_gpu(&o, &s.diag);
    if (s.gpu)
        code = smoke(&s, &n, argc > 2 ? argv[2] : SOURCE_DIR, work);
    else
        show_messages(&s);
    gpu_close(s.gpu);
    arena_free(s.arena);
    return code;
}

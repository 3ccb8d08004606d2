/* A program that tunes its kernel itself: at its first start on a device, with libaptune; later it
 * takes what it found out from the user's cache folder.  Then it launches the kernel and checks
 * every element.
 *
 *     embed [SPEC]      saxpy.spec beside the program when not said
 *
 * Exit codes: 0 right, 1 wrong or failed, 77 there is no GPU, so nothing to tune or to launch. */
#include <aptune.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NO_GPU = 77, ARGUMENTS_MOST = 8, PATH_MOST = 4096 };

static _Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "embed: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static void cuda_check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        fail(what, cudaGetErrorString(e));
}

static void tuner_check(aptune *a, aptune_status status, const char *what)
{
    if (status != APTUNE_OK)
        fail(what, aptune_message(a));
}

static bool has_gpu(void)
{
    int devices = 0;
    cudaError_t e = cudaGetDeviceCount(&devices);
    if (e == cudaSuccess && devices > 0)
        return true;
    printf("embed: no GPU here (%s): nothing to tune or to launch\n", cudaGetErrorString(e));
    return false;
}

/* --- what is kept ----------------------------------------------------------------------------- */

/* The folder "embed" in the user's cache folder, made if need be. */
static void find_cache(char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache)
        snprintf(folder, size, "%s", cache);
    else
        snprintf(folder, size, "%s/.cache", home ? home : ".");
    mkdir(folder, 0777);
    strncat(folder, "/embed", size - strlen(folder) - 1);
    mkdir(folder, 0777); /* where that fails, writing will say so */
}

/* The file that keeps the winner on a device, "…/embed/NVIDIA H200". */
static void name_file(char *path, size_t size, const char *folder, const char *device)
{
    snprintf(path, size, "%s/%s", folder, device);
    for (char *c = path + strlen(folder) + 1; *c; c++)
        if (*c == '/')
            *c = '-';
}

/* The configuration that an earlier start found; APTUNE_NOTHING when there is none, or when the
 * spec has changed and does not know it any more. */
static size_t read_kept(aptune *a, const char *path)
{
    char name[256] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return APTUNE_NOTHING;
    bool ok = fgets(name, sizeof name, f) != NULL;
    fclose(f);
    name[strcspn(name, "\n")] = '\0';
    return ok ? aptune_find(a, name) : APTUNE_NOTHING;
}

static void keep(const char *path, const char *name)
{
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%s\n", name) < 0 || fclose(f))
        fprintf(stderr, "embed: cannot write %s: it will be tuned again\n", path);
}

/* --- tuning ----------------------------------------------------------------------------------- */

static int show_progress(void *context, const char *stage, size_t done, size_t all,
                         const char *what)
{
    (void)context;
    (void)what;
    fprintf(stderr, "\rtuning: %s %zu of %zu   %s", stage, done, all, done == all ? "\n" : "");
    return 0;
}

static size_t tune(aptune *a)
{
    aptune_on_progress(a, show_progress, NULL);
    tuner_check(a, aptune_tune(a), "tuning");
    size_t best = aptune_best(a);
    if (best == APTUNE_NOTHING)
        fail("tuning", "no configuration gave a right result");
    printf("tuned: %s, %.4f ms\n", aptune_name(a, best), aptune_time_ms(a, best));
    return best;
}

/* --- launching -------------------------------------------------------------------------------- */

/* What the kernel works on; its arguments are found by the names that the spec gives them. */
typedef struct Data {
    float *x, *y; /* on the device */
    size_t count;
    float a;
} Data;

/* Where a kernel finds the value of an argument: the launch takes addresses of values. */
static void *find_argument(Data *data, const aptune_argument *g)
{
    if (g->kind == APTUNE_VALUE)
        return (void *)g->value;
    if (strcmp(g->name, "x") == 0)
        return &data->x;
    if (strcmp(g->name, "y") == 0)
        return &data->y;
    fail("unknown argument", g->name);
}

/* Launches the code that was fetched, with the runtime's own loader. */
static void launch(aptune *a, Data *data)
{
    aptune_launch l = {.struct_size = sizeof l};
    void *arguments[ARGUMENTS_MOST];
    tuner_check(a, aptune_get_launch(a, 0, &l), "aptune_get_launch");
    for (size_t i = 0; i < l.argument_count && i < ARGUMENTS_MOST; i++) {
        aptune_argument g = {.struct_size = sizeof g};
        tuner_check(a, aptune_get_argument(a, 0, i, &g), "aptune_get_argument");
        arguments[i] = find_argument(data, &g);
    }
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cuda_check(cudaLibraryLoadData(&library, l.cubin, NULL, NULL, 0, NULL, NULL, 0), "loading");
    cuda_check(cudaLibraryGetKernel(&kernel, library, l.kernel), l.kernel);
    cuda_check(cudaLaunchKernel((const void *)kernel, (dim3){l.grid[0], l.grid[1], l.grid[2]},
                                (dim3){l.block[0], l.block[1], l.block[2]}, arguments,
                                l.shared_bytes, NULL),
               "launching");
    cuda_check(cudaDeviceSynchronize(), "the kernel");
    cuda_check(cudaLibraryUnload(library), "unloading");
}

/* Small whole numbers, so that the result is exact; y is 1 everywhere. */
static float x_at(size_t i)
{
    return (float)(i % 4096);
}

static Data make_data(size_t count, float a)
{
    Data data = {.count = count, .a = a};
    float *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    if (!x || !y)
        fail("memory", "none left");
    for (size_t i = 0; i < count; i++) {
        x[i] = x_at(i);
        y[i] = 1;
    }
    cuda_check(cudaMalloc((void **)&data.x, count * sizeof *x), "cudaMalloc");
    cuda_check(cudaMalloc((void **)&data.y, count * sizeof *y), "cudaMalloc");
    cuda_check(cudaMemcpy(data.x, x, count * sizeof *x, cudaMemcpyHostToDevice), "cudaMemcpy");
    cuda_check(cudaMemcpy(data.y, y, count * sizeof *y, cudaMemcpyHostToDevice), "cudaMemcpy");
    free(x);
    free(y);
    return data;
}

static size_t count_wrong(const Data *data)
{
    size_t wrong = 0;
    float *y = malloc(data->count * sizeof *y);
    if (!y)
        fail("memory", "none left");
    cuda_check(cudaMemcpy(y, data->y, data->count * sizeof *y, cudaMemcpyDeviceToHost),
               "cudaMemcpy");
    for (size_t i = 0; i < data->count; i++)
        wrong += y[i] != data->a * x_at(i) + 1;
    free(y);
    return wrong;
}

/* The number that the argument `name` of the spec is. */
static double argument_number(aptune *a, const char *name)
{
    aptune_argument g = {.struct_size = sizeof g};
    for (size_t i = 0; aptune_get_argument(a, 0, i, &g) == APTUNE_OK; i++) {
        if (strcmp(g.name, name) == 0 && strcmp(g.type, "float") == 0)
            return *(const float *)g.value;
        if (strcmp(g.name, name) == 0 && strcmp(g.type, "int32") == 0)
            return *(const int *)g.value;
    }
    fail("the spec has no argument", name);
}

int main(int argc, char **argv)
{
    char folder[PATH_MOST], path[PATH_MOST];
    if (!has_gpu())
        return NO_GPU;
    find_cache(folder, sizeof folder);
    aptune *a = aptune_new();
    if (!a)
        fail("aptune_new", "no memory");
    tuner_check(a, aptune_set(a, "space", argc > 1 ? argv[1] : SPEC), "space");
    tuner_check(a, aptune_set(a, "output", folder), "output");
    tuner_check(a, aptune_open(a), "the spec");
    if (aptune_source(a) != APTUNE_MEASURED)
        fail("tuning", aptune_why_not_measured(a));
    name_file(path, sizeof path, folder, aptune_device(a));
    size_t configuration = read_kept(a, path);
    if (configuration != APTUNE_NOTHING) {
        printf("kept: %s, from %s\n", aptune_name(a, configuration), path);
    } else {
        configuration = tune(a);
        keep(path, aptune_name(a, configuration));
    }
    tuner_check(a, aptune_fetch(a, configuration), "compiling");
    Data data = make_data((size_t)argument_number(a, "n"), (float)argument_number(a, "a"));
    launch(a, &data);
    size_t wrong = count_wrong(&data);
    printf("%zu elements checked, %zu wrong: %s\n", data.count, wrong, wrong ? "WRONG" : "right");
    aptune_free(a);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

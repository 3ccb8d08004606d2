/* A program that tunes its matrix multiply itself: at its first start on a device, with libaptune;
 * later it takes what it found out from the user's cache folder.  Then it launches the kernel and
 * checks elements from all over the product.
 *
 *     embed [SPEC]      multiply.spec when not said
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

/* Elements of the product that are checked, and how far each is from the one before: a prime, so
 * that they lie in all rows and columns. */
enum { CHECKED = 20000, STRIDE = 1000003 };

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

/* C = A B: what the kernel works on.  Its arguments are found by the names that the spec gives
 * them. */
typedef struct Data {
    float *A, *B, *C; /* on the device: M × K, K × N, M × N, row major */
    size_t M, N, K;
} Data;

/* Where a kernel finds the value of an argument: the launch takes addresses of values. */
static void *find_argument(Data *data, const aptune_argument *g)
{
    if (g->kind == APTUNE_VALUE)
        return (void *)g->value;
    if (strcmp(g->name, "A") == 0)
        return &data->A;
    if (strcmp(g->name, "B") == 0)
        return &data->B;
    if (strcmp(g->name, "C") == 0)
        return &data->C;
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

/* Small whole numbers, so that sums of products are exact in whichever order. */
static float a_at(size_t i)
{
    return (float)(i * 7 % 5) - 2;
}

static float b_at(size_t i)
{
    return (float)(i * 11 % 13) - 6;
}

static float *make_matrix(size_t count, float (*at)(size_t i))
{
    void *matrix;
    float *values = malloc(count * sizeof *values);
    if (!values)
        fail("memory", "none left");
    for (size_t i = 0; i < count; i++)
        values[i] = at(i);
    cuda_check(cudaMalloc(&matrix, count * sizeof *values), "cudaMalloc");
    cuda_check(cudaMemcpy(matrix, values, count * sizeof *values, cudaMemcpyHostToDevice),
               "cudaMemcpy");
    free(values);
    return matrix;
}

static Data make_data(size_t M, size_t N, size_t K)
{
    Data data = {.M = M, .N = N, .K = K};
    data.A = make_matrix(M * K, a_at);
    data.B = make_matrix(K * N, b_at);
    cuda_check(cudaMalloc((void **)&data.C, M * N * sizeof *data.C), "cudaMalloc");
    cuda_check(cudaMemset(data.C, 0xff, M * N * sizeof *data.C), "cudaMemset"); /* not numbers */
    return data;
}

static float element(const Data *data, size_t row, size_t column)
{
    float sum = 0;
    for (size_t k = 0; k < data->K; k++)
        sum += a_at(row * data->K + k) * b_at(k * data->N + column);
    return sum;
}

static size_t count_wrong(const Data *data)
{
    size_t wrong = 0, count = data->M * data->N;
    float *C = malloc(count * sizeof *C);
    if (!C)
        fail("memory", "none left");
    cuda_check(cudaMemcpy(C, data->C, count * sizeof *C, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (size_t i = 0; i < CHECKED; i++) {
        size_t at = i * STRIDE % count;
        wrong += C[at] != element(data, at / data->N, at % data->N);
    }
    free(C);
    return wrong;
}

/* The whole number that the argument `name` of the spec is. */
static size_t argument_number(aptune *a, const char *name)
{
    aptune_argument g = {.struct_size = sizeof g};
    for (size_t i = 0; aptune_get_argument(a, 0, i, &g) == APTUNE_OK; i++)
        if (strcmp(g.name, name) == 0 && g.value && strcmp(g.type, "int32") == 0) {
            int number = *(const int *)g.value;
            return (size_t)number;
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
    Data data =
        make_data(argument_number(a, "M"), argument_number(a, "N"), argument_number(a, "K"));
    launch(a, &data);
    size_t wrong = count_wrong(&data);
    printf("%d elements checked, %zu wrong: %s\n", CHECKED, wrong, wrong ? "WRONG" : "right");
    aptune_free(a);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

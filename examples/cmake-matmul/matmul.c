/* Multiplies two matrices with the tuned kernel, checks elements of the product picked at random
 * against sums in double precision, and says how long it took.
 *
 *     matmul [N]      of N × N matrices, N = 4096 when not said
 *
 * Exit codes: 0 right, 1 wrong or failed, 77 there is no GPU. */
#include "mm.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHECKED = 1000, RUNS = 20, READY = 132 * 4, NO_GPU = 77 };

/* Relative, of sums of single precision; what the spec allows. */
static const double TOLERANCE = 1e-4;

/* What fails here is reported where it is called; nothing goes on after it. */
static void cuda_check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "matmul: %s: %s\n", what, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
}

static void mm_check(int status, const char *what)
{
    if (status == MM_OK)
        return;
    fprintf(stderr, "matmul: %s: %s\n", what, mm_status_text(status));
    exit(EXIT_FAILURE);
}

/* xorshift64 (Marsaglia 2003): the same numbers in every run. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A matrix of numbers between -1 and 1. */
static float *make_matrix(size_t elements, uint64_t seed)
{
    float *m = malloc(elements * sizeof *m);
    if (!m) {
        fputs("matmul: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < elements; i++)
        m[i] = (float)(int32_t)(next_random(&seed) >> 32) / 2147483648.0f;
    return m;
}

static float *to_device(const float *from, size_t elements)
{
    void *to;
    cuda_check(cudaMalloc(&to, elements * sizeof *from), "cudaMalloc");
    if (from)
        cuda_check(cudaMemcpy(to, from, elements * sizeof *from, cudaMemcpyHostToDevice),
                   "cudaMemcpy");
    return to;
}

/* The largest error of the product `c` among elements picked at random, over the root mean square
 * of what they should be. */
static double largest_error(const float *a, const float *b, const float *c, size_t n)
{
    uint64_t seed = 3;
    double largest = 0, squares = 0;
    for (int i = 0; i < CHECKED; i++) {
        size_t row = next_random(&seed) % n, column = next_random(&seed) % n;
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += (double)a[row * n + k] * b[k * n + column];
        largest = fmax(largest, fabs(c[row * n + column] - sum));
        squares += sum * sum;
    }
    return largest / sqrt(squares / CHECKED);
}

/* Milliseconds of one multiplication, the mean of some after a first one. */
static float time_runs(mm_kernel *kernel, const mm_problem *problem, const mm_arguments *arguments,
                       mm_choice *took)
{
    float ms;
    cudaEvent_t start, stop;
    cuda_check(cudaEventCreate(&start), "cudaEventCreate");
    cuda_check(cudaEventCreate(&stop), "cudaEventCreate");
    mm_check(mm_launch(kernel, problem, arguments, NULL, took), "mm_launch");
    cuda_check(cudaEventRecord(start, NULL), "cudaEventRecord");
    for (int i = 0; i < RUNS; i++)
        mm_check(mm_launch(kernel, problem, arguments, NULL, NULL), "mm_launch");
    cuda_check(cudaEventRecord(stop, NULL), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(stop), "the kernel");
    cuda_check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    return ms / RUNS;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 4096;
    int devices = 0;
    cudaError_t e = cudaGetDeviceCount(&devices);
    if (e != cudaSuccess || devices == 0) {
        printf("matmul: no GPU here (%s)\n", cudaGetErrorString(e));
        return NO_GPU;
    }
    cuda_check(cudaSetDevice(0), "cudaSetDevice");

    float *a = make_matrix(n * n, 1), *b = make_matrix(n * n, 2), *c = make_matrix(n * n, 3);
    mm_arguments arguments;
    mm_arguments_default(&arguments);
    float *device_a = to_device(a, n * n), *device_b = to_device(b, n * n);
    arguments.A = device_a;
    arguments.B = device_b;
    arguments.C = to_device(NULL, n * n);

    mm_problem problem = {.M = (long long)n, .N = (long long)n, .K = (long long)n};
    mm_kernel *kernel;
    mm_choice took;
    mm_check(mm_load(&kernel), "mm_load");
    /* Blocks that share a tile of C leave their sums in scratch memory, and tell each other by `ready`,
     * which they leave as they find it. */
    cuda_check(cudaMalloc((void **)&arguments.ready, READY * sizeof *arguments.ready), "cudaMalloc");
    cuda_check(cudaMemset(arguments.ready, 0, READY * sizeof *arguments.ready), "cudaMemset");
    cuda_check(cudaMalloc(&arguments.scratch, mm_scratch_bytes(kernel, &problem)), "cudaMalloc");
    float ms = time_runs(kernel, &problem, &arguments, &took);
    cuda_check(cudaMemcpy(c, arguments.C, n * n * sizeof *c, cudaMemcpyDeviceToHost), "cudaMemcpy");
    mm_unload(kernel);

    double error = largest_error(a, b, c, n);
    bool right = error < TOLERANCE; /* not a number is wrong, too */
    printf("%s\n", took.parameters);
    printf("%zu x %zu: %.4f ms, %.1f GFLOP/s, tuned for %s\n", n, n, ms,
           mm_flop(&problem) / ms * 1e-6, took.tuned_for);
    printf("%d elements checked, largest error %.2g: %s\n", CHECKED, error,
           right ? "right" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

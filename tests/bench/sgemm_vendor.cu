/* A tuned matrix product beside the vendor's: checks its result against cuBLAS SGEMM (TF32 off) and
 * times the two alternately, so that clock and temperature are the same for both.
 *
 *     nvcc -O2 -arch=native tests/bench/sgemm_vendor.cu -o sgemm_vendor -lcublas -lcuda
 *     ./sgemm_vendor N kernel.cubin matmul GRIDX GRIDY BLOCKX BLOCKY
 *
 * The kernel is called as matmul(C, A, B, N, N, N) on row-major N×N matrices; its file may be a
 * cubin or PTX.  Prints the error, both medians, and the median of the rounds' ratios with their
 * range. Exits with 1 when the result is wrong and with 2 when nothing could be run. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>

static const int ROUNDS = 21;             /* odd, so that the median is one of them */
static const double ROUND_SECONDS = 0.03; /* of each of the two, per round */
static const double TOLERANCE = 1e-5;     /* of the largest element: see spaces/mm.spec */

static void check(bool good, const char *what, const char *why)
{
    if (good)
        return;
    fprintf(stderr, "sgemm_vendor: %s: %s\n", what, why);
    exit(2);
}

static void check_cuda(cudaError_t e, const char *what)
{
    check(e == cudaSuccess, what, cudaGetErrorString(e));
}

static void check_driver(CUresult e, const char *what)
{
    const char *why = "unknown error";
    cuGetErrorString(e, &why);
    check(e == CUDA_SUCCESS, what, why);
}

static void check_cublas(cublasStatus_t e, const char *what)
{
    check(e == CUBLAS_STATUS_SUCCESS, what, cublasGetStatusString(e));
}

/* Numbers in [-1, 1) that depend on place and seed alone. */
__global__ void fill_uniform(float *x, size_t count, unsigned seed)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned h = (unsigned)i * 2654435761u ^ seed;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    h ^= h >> 16;
    x[i] = (float)(h >> 8) / 8388608.0f - 1.0f;
}

/* worst[0]: largest |x - expected|; worst[1]: largest |expected|; as bits, which order like the
 * numbers when these are not negative.  A NaN in x, as left where nothing was written, is larger
 * than any number. */
__global__ void compare(const float *x, const float *expected, size_t count, unsigned *worst)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    atomicMax(&worst[0], __float_as_uint(fabsf(x[i] - expected[i])));
    atomicMax(&worst[1], __float_as_uint(fabsf(expected[i])));
}

/* The two contestants and what they work on. */
struct Bench {
    int n;
    float *a, *b, *c, *expected;
    cublasHandle_t cublas;
    CUfunction kernel;
    unsigned grid[2], block[2];
    cudaEvent_t begin, end;
};

/* Row-major C = A·B is column-major Cᵗ = Bᵗ·Aᵗ, which is what cuBLAS sees. */
static void run_vendor(Bench &s)
{
    const float one = 1.0f, zero = 0.0f;
    check_cublas(cublasSgemm(s.cublas, CUBLAS_OP_N, CUBLAS_OP_N, s.n, s.n, s.n, &one, s.b, s.n, s.a,
                             s.n, &zero, s.expected, s.n),
                 "cublasSgemm");
}

static void run_tuned(Bench &s)
{
    void *arguments[] = {&s.c, &s.a, &s.b, &s.n, &s.n, &s.n};
    check_driver(cuLaunchKernel(s.kernel, s.grid[0], s.grid[1], 1, s.block[0], s.block[1], 1, 0,
                                nullptr, arguments, nullptr),
                 "launching the kernel");
}

/* Mean seconds of one of `launches` launches. */
static double time_launches(Bench &s, void (*run)(Bench &), int launches)
{
    float milliseconds;
    check_cuda(cudaEventRecord(s.begin), "recording an event");
    for (int i = 0; i < launches; i++)
        run(s);
    check_cuda(cudaEventRecord(s.end), "recording an event");
    check_cuda(cudaEventSynchronize(s.end), "running the kernels");
    check_cuda(cudaEventElapsedTime(&milliseconds, s.begin, s.end), "reading the events");
    return milliseconds * 1e-3 / launches;
}

static double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

/* Largest error relative to the largest element, both results freshly computed. */
static double relative_error(Bench &s)
{
    size_t count = (size_t)s.n * s.n;
    unsigned *worst, bits[2];
    float values[2];
    check_cuda(cudaMalloc(&worst, sizeof bits), "device memory");
    check_cuda(cudaMemset(worst, 0, sizeof bits), "clearing");
    check_cuda(cudaMemset(s.c, 0xff, count * sizeof(float)), "filling C with NaN");
    run_vendor(s);
    run_tuned(s);
    compare<<<(unsigned)((count + 255) / 256), 256>>>(s.c, s.expected, count, worst);
    check_cuda(cudaMemcpy(bits, worst, sizeof bits, cudaMemcpyDeviceToHost), "comparing");
    check_cuda(cudaFree(worst), "device memory");
    for (int i = 0; i < 2; i++)
        memcpy(&values[i], &bits[i], sizeof values[i]);
    return (double)values[0] / values[1];
}

static Bench set_up(char **argument)
{
    Bench s = {};
    CUmodule module;
    s.n = atoi(argument[1]);
    s.grid[0] = (unsigned)atoi(argument[4]);
    s.grid[1] = (unsigned)atoi(argument[5]);
    s.block[0] = (unsigned)atoi(argument[6]);
    s.block[1] = (unsigned)atoi(argument[7]);
    check(s.n > 0, "N", "must be a positive number");
    size_t count = (size_t)s.n * s.n;
    float **matrices[] = {&s.a, &s.b, &s.c, &s.expected};
    for (float **m : matrices)
        check_cuda(cudaMalloc(m, count * sizeof(float)), "device memory");
    fill_uniform<<<(unsigned)((count + 255) / 256), 256>>>(s.a, count, 1);
    fill_uniform<<<(unsigned)((count + 255) / 256), 256>>>(s.b, count, 2);
    check_cuda(cudaDeviceSynchronize(), "filling A and B");
    check_cublas(cublasCreate(&s.cublas), "cublasCreate");
    check_cublas(cublasSetMathMode(s.cublas, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    check_driver(cuModuleLoad(&module, argument[2]), argument[2]);
    check_driver(cuModuleGetFunction(&s.kernel, module, argument[3]), argument[3]);
    check_cuda(cudaEventCreate(&s.begin), "creating an event");
    check_cuda(cudaEventCreate(&s.end), "creating an event");
    return s;
}

int main(int count, char **argument)
{
    if (count != 8) {
        fprintf(stderr, "usage: %s N kernel.cubin NAME GRIDX GRIDY BLOCKX BLOCKY\n", argument[0]);
        return 2;
    }
    Bench s = set_up(argument);
    double error = relative_error(s);
    bool good = error <= TOLERANCE;
    printf("error          %.2e of the largest element%s\n", error, good ? "" : "  WRONG");
    if (!good)
        return 1;

    int launches = std::max(1, (int)(ROUND_SECONDS / time_launches(s, run_vendor, 3)));
    std::vector<double> vendor, tuned, ratio;
    time_launches(s, run_tuned, launches); /* warm-up: the first rounds would see a rising clock */
    time_launches(s, run_vendor, launches);
    for (int round = 0; round < ROUNDS; round++) {
        bool vendor_first = round % 2 == 0;
        double first = time_launches(s, vendor_first ? run_vendor : run_tuned, launches);
        double second = time_launches(s, vendor_first ? run_tuned : run_vendor, launches);
        vendor.push_back(vendor_first ? first : second);
        tuned.push_back(vendor_first ? second : first);
        ratio.push_back(vendor.back() / tuned.back());
    }
    double flop = 2.0 * s.n * s.n * s.n;
    auto range = std::minmax_element(ratio.begin(), ratio.end());
    printf("cuBLAS         %.4f ms  %.2f TFLOP/s\n", median(vendor) * 1e3,
           flop / median(vendor) * 1e-12);
    printf("%-14s %.4f ms  %.2f TFLOP/s\n", argument[3], median(tuned) * 1e3,
           flop / median(tuned) * 1e-12);
    printf("of cuBLAS      %.2f %%  (%.2f to %.2f in %d rounds of %d launches)\n",
           100 * median(ratio), 100 * *range.first, 100 * *range.second, ROUNDS, launches);
    return 0;
}

/* Transposes a matrix with the tuned kernel, checks every element, and says how long it took.
 *
 *     main [ROWS COLUMNS]      8192 × 8192 when not said
 *
 * Exit codes: 0 right, 1 wrong or failed, 77 there is no GPU. */
#include "transpose.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

static const int runs = 20, no_gpu = 77;

/* What fails here is reported where it is called; nothing goes on after it. */
static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    std::fprintf(stderr, "main: %s: %s\n", what, cudaGetErrorString(e));
    std::exit(EXIT_FAILURE);
}

static void check_kernel(int status, const char *what)
{
    if (status == TRANSPOSE_OK)
        return;
    std::fprintf(stderr, "main: %s: %s\n", what, transpose_status_text(status));
    std::exit(EXIT_FAILURE);
}

/* Milliseconds of one transposition, the mean of some after a first one. */
static float time_runs(transpose_kernel *kernel, const transpose_problem &problem,
                       const transpose_arguments &arguments, transpose_choice *took)
{
    float ms;
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");
    check_kernel(transpose_launch(kernel, &problem, &arguments, nullptr, took), "transpose_launch");
    check(cudaEventRecord(start), "cudaEventRecord");
    for (int i = 0; i < runs; i++)
        check_kernel(transpose_launch(kernel, &problem, &arguments, nullptr, nullptr),
                     "transpose_launch");
    check(cudaEventRecord(stop), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "the kernel");
    check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    return ms / runs;
}

/* Elements that are not where they belong. */
static size_t count_wrong(const std::vector<float> &in, const std::vector<float> &out, size_t rows,
                          size_t columns)
{
    size_t wrong = 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            wrong += out[column * rows + row] != in[row * columns + column];
    return wrong;
}

int main(int argc, char **argv)
{
    const size_t rows = argc > 2 ? std::strtoull(argv[1], nullptr, 10) : 8192;
    const size_t columns = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 8192;
    const size_t bytes = rows * columns * sizeof(float);
    int devices = 0;
    cudaError_t e = cudaGetDeviceCount(&devices);
    if (e != cudaSuccess || devices == 0) {
        std::printf("main: no GPU here (%s)\n", cudaGetErrorString(e));
        return no_gpu;
    }
    check(cudaSetDevice(0), "cudaSetDevice");

    std::vector<float> in(rows * columns), out(rows * columns);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = static_cast<float>(
            i % 16777213); /* a prime below 2^24: exact, and no two alike nearby */
    void *device_in, *device_out;
    check(cudaMalloc(&device_in, bytes), "cudaMalloc");
    check(cudaMalloc(&device_out, bytes), "cudaMalloc");
    check(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    transpose_arguments arguments;
    transpose_arguments_default(&arguments);
    arguments.in_matrix = static_cast<const float *>(device_in);
    arguments.out_matrix = static_cast<float *>(device_out);

    const transpose_problem problem = {static_cast<long long>(rows),
                                       static_cast<long long>(columns)};
    transpose_kernel *kernel;
    transpose_choice took;
    check_kernel(transpose_load(&kernel), "transpose_load");
    float ms = time_runs(kernel, problem, arguments, &took);
    check(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    transpose_unload(kernel);

    const size_t wrong = count_wrong(in, out, rows, columns);
    std::printf("%s\n%zu x %zu: %.4f ms, %.1f GB/s, tuned for %s\n", took.parameters, rows, columns,
                ms, transpose_bytes(&problem) / ms * 1e-6, took.tuned_for);
    std::printf("%zu elements checked, %zu wrong: %s\n", in.size(), wrong,
                wrong ? "WRONG" : "right");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

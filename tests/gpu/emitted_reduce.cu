// The emitted sum of an array (prefix red_), in either flavour, against a sum on the host: the size
// it was tuned for, others, sizes that it must refuse, and pointers that it must refuse.
#include "reduce.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static int failures;

static void check(bool right, const char *what, long long n)
{
    printf("%-8s %s, N=%lld\n", right ? "ok" : "FAILED", what, n);
    failures += !right;
}

// Launches three times on the same scratch memory: what one leaves must not matter to the next.
static void sum(red_kernel *kernel, int *data, const std::vector<int> &host, long long n, int expected)
{
    const red_problem size = {n};
    red_arguments arguments;
    red_choice took;
    int total[3] = {0, 0, 0}, right = 0;
    for (long long i = 0; i < n; i++)
        right = (int)((unsigned)right + (unsigned)host[(size_t)i]);
    red_arguments_default(&arguments);
    arguments.data = data;
    cudaMalloc((void **)&arguments.total, sizeof(int));
    cudaMalloc(&arguments.scratch, red_scratch_bytes(kernel, &size) + 1);
    int status = RED_OK;
    for (int k = 0; k < 3; k++) {
        status = red_launch(kernel, &size, &arguments, NULL, &took);
        cudaMemcpy(&total[k], arguments.total, sizeof(int), cudaMemcpyDeviceToHost);
    }
    check(status == expected, red_status_text(status), n);
    if (status == RED_OK) {
        check(total[0] == right && total[1] == right && total[2] == right, "the sum", n);
        check(took.match == (n == 67108864 ? RED_EXACT : RED_NEAREST_SIZE) || n < 4000000, "the match", n);
    }
    check(cudaDeviceSynchronize() == cudaSuccess, "no error is left", n);
    cudaFree(arguments.total);
    cudaFree(arguments.scratch);
}

int main()
{
    const size_t most = 67108864;
    std::vector<int> host(most);
    for (size_t i = 0; i < most; i++)
        host[i] = (int)(i * 2654435761u >> 22) - 500;
    int *data;
    cudaMalloc((void **)&data, most * sizeof(int));
    cudaMemcpy(data, host.data(), most * sizeof(int), cudaMemcpyHostToDevice);

    red_kernel *kernel;
    int status = red_load(&kernel);
    check(status == RED_OK, red_status_text(status), 0);
    if (status != RED_OK)
        return 1;
    sum(kernel, data, host, 67108864, RED_OK);
    sum(kernel, data, host, 16777216, RED_OK);
    sum(kernel, data, host, 1048576, RED_OK);
    sum(kernel, data, host, 1000000, RED_SIZE);
    sum(kernel, data, host, 0, RED_SIZE);
    const red_problem size = {1048576};
    red_arguments arguments;
    red_arguments_default(&arguments);
    check(red_launch(kernel, &size, &arguments, NULL, NULL) == RED_ARGUMENT, "NULL is refused", 0);
    arguments.data = data + 1;
    arguments.total = data;
    arguments.scratch = data;
    check(red_launch(kernel, &size, &arguments, NULL, NULL) == RED_ARGUMENT, "unaligned is refused", 0);
    red_unload(kernel);
    return failures != 0;
}

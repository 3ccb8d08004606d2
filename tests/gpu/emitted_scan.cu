// The emitted prefix sum (prefix scan_), in either flavour, against a sum on the host: several sizes
// in turn, with one `state` that is set to zero only once, before the first.
#include "scan.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static int failures;

static void check(bool right, const char *what, long long n)
{
    printf("%-8s %s, N=%lld\n", right ? "ok" : "FAILED", what, n);
    failures += !right;
}

static void scan(scan_kernel *kernel, const scan_arguments &arguments, const std::vector<int> &host, long long n)
{
    const scan_problem size = {n, 0};
    std::vector<int> sums((size_t)n);
    cudaMemset(arguments.sums, 0xff, (size_t)n * sizeof(int));
    int status = scan_launch(kernel, &size, &arguments, NULL, NULL);
    cudaMemcpy(sums.data(), arguments.sums, (size_t)n * sizeof(int), cudaMemcpyDeviceToHost);
    check(status == SCAN_OK, scan_status_text(status), n);
    unsigned sum = 0;
    bool right = true;
    for (size_t i = 0; i < (size_t)n; i++) {
        right = right && sums[i] == (int)sum;
        sum += (unsigned)host[i];
    }
    check(right, "the sums", n);
    check(cudaDeviceSynchronize() == cudaSuccess, "no error is left", n);
}

int main()
{
    const long long most = 16777216, sizes[] = {most, 1, 40000, most, 1000003, 4096, most - 1, 100, most};
    std::vector<int> host((size_t)most);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (int)(i * 2654435761u >> 22) - 500;
    int *data;
    scan_arguments arguments;
    scan_arguments_default(&arguments);
    const size_t words = 1 + ((size_t)most + 4095) / 4096;
    cudaMalloc((void **)&data, host.size() * sizeof(int));
    cudaMalloc((void **)&arguments.sums, host.size() * sizeof(int));
    cudaMalloc((void **)&arguments.state, words * 8);
    cudaMemset(arguments.state, 0, words * 8);
    cudaMemcpy(data, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
    arguments.data = data;
    scan_kernel *kernel;
    int status = scan_load(&kernel);
    check(status == SCAN_OK, scan_status_text(status), 0);
    if (status != SCAN_OK)
        return 1;
    for (long long n : sizes)
        scan(kernel, arguments, host, n);
    scan_unload(kernel);
    return failures != 0;
}

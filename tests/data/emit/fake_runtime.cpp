// A CUDA runtime that runs nothing and says what it was asked for, and a program that uses the
// sample unit of tuner/emit/unit/runtime.cu on it: see test_emit_pattern.c.
#include "unit.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int current;
static cudaError_t device_error, image_error, launch_error;

extern "C" {

cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return device_error;
}

cudaError_t cudaSetDevice(int device)
{
    current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    strcpy(p->name, "NVIDIA H200");
    p->major = 9;
    p->minor = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
    *value = 232448;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *)
{
    return image_error;
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return cudaErrorInvalidValue; // nothing asks for shared memory
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t)
{
    printf("set %s to %d, %zu bytes\n", (uintptr_t)at == 0x9900 ? "scratch" : "?", value, bytes);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *, dim3 g, dim3 b, void **list, size_t shared, cudaStream_t)
{
    if (launch_error != cudaSuccess)
        return launch_error;
    printf("launch grid %u %u %u block %u %u %u shared %zu: %s, %g, %d, %d\n", g.x, g.y, g.z, b.x,
           b.y, b.z, shared, *(uintptr_t *)list[0] == 0x1000 ? "y" : "?", (double)*(float *)list[1],
           *(int *)list[3], *(int *)list[4]);
    return cudaSuccess;
}

cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 g, dim3 b, void **list, size_t shared,
                                        cudaStream_t s)
{
    return cudaLaunchKernel(f, g, b, list, shared, s);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *, const void *, size_t bytes, size_t,
                                    cudaMemcpyKind, cudaStream_t)
{
    printf("copy %zu bytes\n", bytes);
    return cudaSuccess;
}
}

static void tell(const char *what, int status)
{
    printf("%s: %s", what, unit_status_text(status));
    if (status == UNIT_CUDA || status == UNIT_NO_CODE)
        printf(", %d", unit_cuda_error(NULL));
    printf("\n");
}

int main()
{
    unit_kernel *k, *broken;
    unit_arguments a, bad;
    const unit_problem p = {512, 0.5}, small = {128, 0.5};
    tell("load", unit_load(&k));
    unit_arguments_default(&a);
    printf("default alpha %g\n", (double)a.alpha);
    printf("scratch %zu, elements %lld, flop %g\n", unit_scratch_bytes(k, &p),
           unit_y_elements(0, &p), unit_flop(&p));
    a.y = (float *)0x1000;
    a.table = (const float *)0x2000;
    a.scratch = (void *)0x9900;
    a.alpha = 2.5f;
    current = 1; // not the kernel's device: that is made this thread's own, and not left so
    tell("launch", unit_launch(k, &p, &a, NULL, NULL));
    printf("device %d again\n", current);
    tell("one block", unit_launch(k, &small, &a, NULL, NULL));
    bad = a;
    bad.table = NULL;
    tell("no table", unit_launch(k, &p, &bad, NULL, NULL));
    bad = a;
    bad.scratch = (void *)0x9910;
    tell("not aligned", unit_launch(k, &p, &bad, NULL, NULL));
    launch_error = (cudaError_t)701;
    tell("refused", unit_launch(k, &p, &a, NULL, NULL));
    unit_unload(k);
    image_error = cudaErrorNoKernelImageForDevice;
    unit_load(&broken);
    tell("no image", unit_launch(broken, &p, &a, NULL, NULL));
    unit_unload(broken);
    device_error = cudaErrorNoDevice;
    tell("no device", unit_load(&k));
    return 0;
}

/*%% top */
/* Pattern of NAME.cu, an emitted unit on the CUDA runtime API, compiled by nvcc. */
#include "unit.h"
/*%% */

/* SPDX-License-Identifier: 0BSD
 *
 * No conditions apply, except those that a kernel's source states itself.
 *
 * For nvcc; uses the CUDA runtime API. */

#include <cuda_runtime.h>
/*%% includes */
/*%% */
#include <initializer_list>
#include <limits.h>
#include <math.h>
#include <mutex>
#include <new>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device.h"

/* --- code --------------------------------------------------------------------- */

typedef struct unit_image {
    int variant; /* from 1 */
    int (*copy)(
        const char *name, const void *from, long long bytes, cudaStream_t stream);
} unit_image;

typedef struct unit_function {
    int variant; /* from 1 */
    const void *kernel;
} unit_function;

/* True if a kernel takes arguments of these sizes. */
template <class... Arguments>
static constexpr bool unit_takes(
    void (*)(Arguments...), std::initializer_list<size_t> sizes)
{
    const size_t own[] = {0, sizeof(Arguments)...};
    if (sizes.size() != sizeof...(Arguments))
        return false;
    for (size_t i = 0; i < sizes.size(); i++)
        if (sizes.begin()[i] != own[i + 1])
            return false;
    return true;
}

static int unit_result(cudaError_t error)
{
    if (error != cudaSuccess)
        (void)cudaGetLastError(); /* reported here; clear it for the caller */
    return (int)error;
}

/*%% variables */
#include "variables.h"
/*%% */

/*%% code */
namespace unit_code
{
namespace v1
{

__constant__ float table[64];

__global__ void kernel(float *, float, int *, int, int)
{
}

static const void *const aptune__kernels[] = {(const void *)::unit_code::v1::kernel};
static_assert(::unit_takes(::unit_code::v1::kernel, {8, 4, 8, 4, 4}), "");

static int aptune__copy(const char *aptune__name, const void *aptune__from,
    long long aptune__bytes, cudaStream_t aptune__stream)
{
    if (strcmp(aptune__name, "table") == 0)
        return ::unit_code::unit_copy_to(
            table, aptune__from, aptune__bytes, aptune__stream);
    return UNIT_OK;
}

} // namespace v1
} // namespace unit_code

static const unit_image unit_images[] = {{1, unit_code::v1::aptune__copy}};

static const unit_function unit_functions[] = {{1, unit_code::v1::aptune__kernels[0]}};
/*%% */

enum {
    UNIT_IMAGES = sizeof unit_images / sizeof unit_images[0],
    UNIT_FUNCTIONS = sizeof unit_functions / sizeof unit_functions[0]
};

/* nvcc compiles the kernels with this file, for whatever architectures it was told. */
static int unit_runs_cubin(int arch, int, const unit_device *d)
{
    return arch == d->arch;
}

static int unit_runs_ptx(int, int, const unit_device *)
{
    return 1;
}

/* --- loading ------------------------------------------------------------------ */

/* The mutable state; read and written only while holding the mutex. */
typedef struct unit_state {
    std::mutex mutex;
    int shared_bytes[UNIT_FUNCTIONS]; /* current limit of dynamic shared memory */
    unsigned char is_loaded[UNIT_VARIANT_COUNT];
    unsigned char is_broken[UNIT_VARIANT_COUNT]; /* it does not run on the device */
} unit_state;

struct unit_kernel {
    int number; /* of the device */
    cudaDeviceProp properties;
    unit_device device;
    unit_state *state;
};

static void unit_lock(const unit_kernel *k)
{
    k->state->mutex.lock();
}

static void unit_unlock(const unit_kernel *k)
{
    k->state->mutex.unlock();
}

/* Makes the kernel's device current in this thread; unit_leave restores the old one. */
static int unit_enter(const unit_kernel *k, int *before)
{
    cudaError_t error = cudaGetDevice(before);
    if (error == cudaSuccess && *before != k->number)
        error = cudaSetDevice(k->number);
    return unit_result(error);
}

static void unit_leave(const unit_kernel *k, int before)
{
    if (before != k->number)
        (void)cudaSetDevice(before);
}

/* Checks that a variant's code runs on the device. */
static int unit_load_variant(const unit_kernel *, int variant)
{
    cudaError_t error = cudaSuccess;
    cudaFuncAttributes attributes;
    for (int i = 0; i < (int)UNIT_FUNCTIONS && error == cudaSuccess; i++)
        if (unit_functions[i].variant == variant)
            error = cudaFuncGetAttributes(&attributes, unit_functions[i].kernel);
    return unit_result(error);
}

static unit_kernel *unit_new()
{
    unit_kernel *k = new (std::nothrow) unit_kernel();
    unit_state *state = new (std::nothrow) unit_state();
    if (k == NULL || state == NULL) {
        delete k;
        delete state;
        return NULL;
    }
    k->state = state;
    return k;
}

static void unit_delete(unit_kernel *k)
{
    delete k->state;
    delete k;
}

static int unit_open(unit_kernel *k)
{
    int shared = 0;
    cudaError_t error = cudaGetDevice(&k->number);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&k->properties, k->number);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(
            &shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, k->number);
    k->device.name = k->properties.name;
    k->device.arch = 10 * k->properties.major + k->properties.minor;
    k->device.shared_bytes = shared;
    const int status = unit_status_of(unit_result(error));
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
               ? UNIT_NO_DRIVER
               : status;
}

/* --- launching ---------------------------------------------------------------- */

/* Raises a kernel's limit of dynamic shared memory.  It is never lowered: another thread
 * may be about to launch with the old one. */
static cudaError_t unit_allow_shared(const unit_kernel *k, int function, int bytes)
{
    const std::lock_guard<std::mutex> lock(k->state->mutex);
    if (bytes <= k->state->shared_bytes[function])
        return cudaSuccess;
    const cudaError_t error = cudaFuncSetAttribute(unit_functions[function].kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == cudaSuccess)
        k->state->shared_bytes[function] = bytes;
    return error;
}

static int unit_launch_function(
    const unit_kernel *k, int function, const unit_shape *s, void **list, void *stream)
{
    const dim3 grid(
        (unsigned int)s->grid[0], (unsigned int)s->grid[1], (unsigned int)s->grid[2]);
    const dim3 block((unsigned int)s->block[0], (unsigned int)s->block[1],
        (unsigned int)s->block[2]);
    cudaError_t error = cudaSuccess;
    if (s->shared > 0)
        error = unit_allow_shared(k, function, (int)s->shared);
    if (error == cudaSuccess && s->cooperative)
        error = cudaLaunchCooperativeKernel(unit_functions[function].kernel, grid, block,
            list, (size_t)s->shared, (cudaStream_t)stream);
    else if (error == cudaSuccess)
        error = cudaLaunchKernel(unit_functions[function].kernel, grid, block, list,
            (size_t)s->shared, (cudaStream_t)stream);
    return unit_status_of(unit_result(error));
}

static int unit_clear(void *buffer, long long bytes, void *stream)
{
    return unit_status_of(
        unit_result(cudaMemsetAsync(buffer, 0, (size_t)bytes, (cudaStream_t)stream)));
}

static int unit_copy(const unit_kernel *, int variant, const char *name,
    const void *from, long long bytes, void *stream)
{
    for (int i = 0; i < (int)UNIT_IMAGES; i++) {
        if (unit_images[i].variant != variant)
            continue;
        const int status = unit_images[i].copy(name, from, bytes, (cudaStream_t)stream);
        if (status != UNIT_OK)
            return status;
    }
    return UNIT_OK;
}

#include "arithmetic.h"

#include "walk.h"

/*%% variants */
#include "sample.h"
/*%% */

#include "choose.h"

#include "launch.h"

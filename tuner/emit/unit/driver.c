/*%% top */
/* Pattern of NAME.c, an emitted unit on the CUDA driver API. */
#include "unit.h"

static const unsigned long long unit_1_cubin[] = {0}, unit_1_ptx[] = {0};
/*%% */

/* SPDX-License-Identifier: 0BSD
 *
 * No conditions apply, except those that a kernel's source states itself. */

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- the CUDA driver ---------------------------------------------------------- */

/*%% driver */
#ifdef UNIT_LINKED
#include "linked.h"
#else
#include "opened.h"
#endif
/*%% */

#include "device.h"

/* --- code --------------------------------------------------------------------- */

typedef struct unit_image {
    int variant; /* from 1 */
    int arch; /* 90 is sm_90 */
    int specific; /* compiled for this architecture alone, such as sm_90a */
    const void *cubin, *ptx;
} unit_image;

typedef struct unit_function {
    int variant; /* from 1 */
    int image; /* from 0 */
    const char *name;
} unit_function;

/*%% code */
static const unit_image unit_images[] = {{1, 90, 0, unit_1_cubin, unit_1_ptx}};

static const unit_function unit_functions[] = {{1, 0, "kernel"}};
/*%% */

enum {
    UNIT_IMAGES = sizeof unit_images / sizeof unit_images[0],
    UNIT_FUNCTIONS = sizeof unit_functions / sizeof unit_functions[0]
};

/* A cubin runs on compute capabilities with the same major and the same or a later minor
 * number. */
static int unit_runs_cubin(int arch, int specific, const unit_device *d)
{
    if (specific)
        return arch == d->arch;
    return arch / 10 == d->arch / 10 && arch <= d->arch;
}

/* True if the driver can compile the PTX for the device. */
static int unit_runs_ptx(int arch, int specific, const unit_device *d)
{
    return !specific && arch <= d->arch;
}

/* --- loading ------------------------------------------------------------------ */

/* The mutable state; read and written only while holding the mutex. */
typedef struct unit_state {
    pthread_mutex_t mutex;
    CUmodule modules[UNIT_IMAGES]; /* NULL: not loaded yet */
    CUfunction functions[UNIT_FUNCTIONS];
    int shared_bytes[UNIT_FUNCTIONS]; /* current limit of dynamic shared memory */
    unsigned char is_loaded[UNIT_VARIANT_COUNT];
    unsigned char is_broken[UNIT_VARIANT_COUNT]; /* its code cannot be loaded */
} unit_state;

struct unit_kernel {
    CUcontext context;
    char name[256]; /* of the device */
    unit_device device;
    unit_state *state;
};

static void unit_lock(const unit_kernel *k)
{
    pthread_mutex_lock(&k->state->mutex);
}

static void unit_unlock(const unit_kernel *k)
{
    pthread_mutex_unlock(&k->state->mutex);
}

/* Makes the kernel's context current in this thread; unit_leave restores the old one. */
static int unit_enter(const unit_kernel *k, int *pushed)
{
    CUcontext current = NULL;
    *pushed = 0;
    CUresult error = cuCtxGetCurrent(&current);
    if (error != CUDA_SUCCESS || current == k->context)
        return (int)error;
    error = cuCtxPushCurrent(k->context);
    *pushed = error == CUDA_SUCCESS;
    return (int)error;
}

static void unit_leave(const unit_kernel *k, int pushed)
{
    CUcontext context;
    (void)k;
    if (pushed)
        (void)cuCtxPopCurrent(&context);
}

/* Loads the cubin if the device runs it, else has the driver compile the PTX. */
static CUresult unit_load_image(const unit_kernel *k, int image)
{
    const unit_image *i = &unit_images[image];
    CUmodule *module = &k->state->modules[image];
    if (*module != NULL)
        return CUDA_SUCCESS;
    CUresult error = (CUresult)CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (unit_runs_cubin(i->arch, i->specific, &k->device))
        error = cuModuleLoadData(module, i->cubin);
    if (unit_is_about_code((int)error) &&
        unit_runs_ptx(i->arch, i->specific, &k->device))
        error = cuModuleLoadData(module, i->ptx);
    if (error != CUDA_SUCCESS)
        *module = NULL;
    return error;
}

/* The caller holds the mutex. */
static int unit_load_variant(const unit_kernel *k, int variant)
{
    unit_state *state = k->state;
    CUresult error = CUDA_SUCCESS;
    for (int i = 0; i < (int)UNIT_IMAGES && error == CUDA_SUCCESS; i++)
        if (unit_images[i].variant == variant)
            error = unit_load_image(k, i);
    for (int i = 0; i < (int)UNIT_FUNCTIONS && error == CUDA_SUCCESS; i++) {
        const unit_function *f = &unit_functions[i];
        if (f->variant == variant)
            error = cuModuleGetFunction(
                &state->functions[i], state->modules[f->image], f->name);
    }
    return (int)error;
}

static int unit_query_device(unit_kernel *k)
{
    CUdevice device;
    int major = 0, minor = 0, shared = 0;
    CUresult error = cuCtxGetCurrent(&k->context);
    if (error == CUDA_SUCCESS && k->context == NULL)
        error = (CUresult)CUDA_ERROR_INVALID_CONTEXT;
    if (error == CUDA_SUCCESS)
        error = cuCtxGetDevice(&device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetName(k->name, (int)sizeof k->name, device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetAttribute(
            &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetAttribute(
            &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetAttribute(
            &shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
    k->device.name = k->name;
    k->device.arch = 10 * major + minor;
    k->device.shared_bytes = shared;
    return unit_status_of((int)error);
}

static unit_kernel *unit_new(void)
{
    unit_kernel *k = (unit_kernel *)calloc(1, sizeof *k);
    unit_state *state = (unit_state *)calloc(1, sizeof *state);
    if (k == NULL || state == NULL || pthread_mutex_init(&state->mutex, NULL) != 0) {
        free(k);
        free(state);
        return NULL;
    }
    k->state = state;
    return k;
}

static void unit_delete(unit_kernel *k)
{
    int pushed;
    if (k->context != NULL && unit_enter(k, &pushed) == 0) {
        for (int i = 0; i < (int)UNIT_IMAGES; i++)
            if (k->state->modules[i] != NULL)
                (void)cuModuleUnload(k->state->modules[i]);
        unit_leave(k, pushed);
    }
    pthread_mutex_destroy(&k->state->mutex);
    free(k->state);
    free(k);
}

static int unit_open(unit_kernel *k)
{
    int status = unit_open_driver();
    if (status != UNIT_OK)
        return status;
    if (unit_status_of((int)cuInit(0)) != UNIT_OK)
        return UNIT_NO_DRIVER;
    status = unit_query_device(k);
    if (status != UNIT_OK)
        return status;
    for (int i = 0; i < (int)UNIT_IMAGES; i++)
        if (unit_runs_cubin(unit_images[i].arch, unit_images[i].specific, &k->device) ||
            unit_runs_ptx(unit_images[i].arch, unit_images[i].specific, &k->device))
            return UNIT_OK;
    return UNIT_NO_CODE;
}

/* --- launching ---------------------------------------------------------------- */

/* Raises a function's limit of dynamic shared memory.  It is never lowered: another thread
 * may be about to launch with the old one. */
static CUresult unit_allow_shared(const unit_kernel *k, int function, int bytes)
{
    unit_state *state = k->state;
    CUresult error = CUDA_SUCCESS;
    unit_lock(k);
    if (bytes > state->shared_bytes[function])
        error = cuFuncSetAttribute(state->functions[function],
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
    if (bytes > state->shared_bytes[function] && error == CUDA_SUCCESS)
        state->shared_bytes[function] = bytes;
    unit_unlock(k);
    return error;
}

static int unit_launch_function(
    const unit_kernel *k, int function, const unit_shape *s, void **list, void *stream)
{
    const long long *const g = s->grid, *const b = s->block;
    CUresult error = CUDA_SUCCESS;
    if (s->shared > 0)
        error = unit_allow_shared(k, function, (int)s->shared);
    if (error == CUDA_SUCCESS && s->cooperative)
        error = cuLaunchCooperativeKernel(k->state->functions[function],
            (unsigned int)g[0], (unsigned int)g[1], (unsigned int)g[2],
            (unsigned int)b[0], (unsigned int)b[1], (unsigned int)b[2],
            (unsigned int)s->shared, (CUstream)stream, list);
    else if (error == CUDA_SUCCESS)
        error = cuLaunchKernel(k->state->functions[function], (unsigned int)g[0],
            (unsigned int)g[1], (unsigned int)g[2], (unsigned int)b[0],
            (unsigned int)b[1], (unsigned int)b[2], (unsigned int)s->shared,
            (CUstream)stream, list, NULL);
    return unit_status_of((int)error);
}

static int unit_clear(void *buffer, long long bytes, void *stream)
{
    return unit_status_of((int)cuMemsetD8Async(
        (CUdeviceptr)(uintptr_t)buffer, 0, (size_t)bytes, (CUstream)stream));
}

/* Copies to a device variable in each of the variant's images that has it.  Compilers drop
 * variables that nothing reads. */
static int unit_copy(const unit_kernel *k, int variant, const char *name,
    const void *from, long long bytes, void *stream)
{
    CUresult error = CUDA_SUCCESS;
    for (int i = 0; i < (int)UNIT_IMAGES && error == CUDA_SUCCESS; i++) {
        CUdeviceptr at;
        size_t size;
        if (unit_images[i].variant != variant)
            continue;
        error = cuModuleGetGlobal(&at, &size, k->state->modules[i], name);
        if (error == (CUresult)CUDA_ERROR_NOT_FOUND) {
            error = CUDA_SUCCESS;
        } else if (error == CUDA_SUCCESS) {
            if (from == NULL || size != (size_t)bytes)
                return from == NULL ? UNIT_ARGUMENT : UNIT_SIZE;
            error = cuMemcpyDtoDAsync(
                at, (CUdeviceptr)(uintptr_t)from, size, (CUstream)stream);
        }
    }
    return unit_status_of((int)error);
}

#include "arithmetic.h"

#include "walk.h"

/*%% variants */
#include "sample.h"
/*%% */

#include "choose.h"

#include "launch.h"

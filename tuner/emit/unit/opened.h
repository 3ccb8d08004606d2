/* The parts of <cuda.h> used here, so that compiling needs neither that header nor the
 * driver library.
 *
 * Link with -lpthread, and with -ldl where that is a separate library. */
#include <dlfcn.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_NOT_FOUND = 500,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

/* The functions, named as in <cuda.h>. */
static CUresult (*cuInit)(unsigned int flags);
static CUresult (*cuDeviceGetName)(char *name, int length, CUdevice device);
static CUresult (*cuDeviceGetAttribute)(int *value, int which, CUdevice device);
static CUresult (*cuCtxGetCurrent)(CUcontext *context);
static CUresult (*cuCtxGetDevice)(CUdevice *device);
static CUresult (*cuCtxPushCurrent)(CUcontext context);
static CUresult (*cuCtxPopCurrent)(CUcontext *context);
static CUresult (*cuModuleLoadData)(CUmodule *module, const void *image);
static CUresult (*cuModuleUnload)(CUmodule module);
static CUresult (*cuModuleGetFunction)(
    CUfunction *function, CUmodule module, const char *name);
static CUresult (*cuModuleGetGlobal)(
    CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name);
static CUresult (*cuMemcpyDtoDAsync)(
    CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
static CUresult (*cuMemsetD8Async)(
    CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream);
static CUresult (*cuFuncSetAttribute)(CUfunction function, int which, int value);
static CUresult (*cuLaunchKernel)(CUfunction function, unsigned int grid_x,
    unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
    unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
    CUstream stream, void **arguments, void **extra);
static CUresult (*cuLaunchCooperativeKernel)(CUfunction function, unsigned int grid_x,
    unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
    unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
    CUstream stream, void **arguments);

static const struct {
    const char *symbol; /* in the library */
    void *function; /* address of the pointer above */
} unit_driver_functions[] = {
    {"cuInit", &cuInit},
    {"cuDeviceGetName", &cuDeviceGetName},
    {"cuDeviceGetAttribute", &cuDeviceGetAttribute},
    {"cuCtxGetCurrent", &cuCtxGetCurrent},
    {"cuCtxGetDevice", &cuCtxGetDevice},
    {"cuCtxPushCurrent_v2", &cuCtxPushCurrent},
    {"cuCtxPopCurrent_v2", &cuCtxPopCurrent},
    {"cuModuleLoadData", &cuModuleLoadData},
    {"cuModuleUnload", &cuModuleUnload},
    {"cuModuleGetFunction", &cuModuleGetFunction},
    {"cuModuleGetGlobal_v2", &cuModuleGetGlobal},
    {"cuMemcpyDtoDAsync_v2", &cuMemcpyDtoDAsync},
    {"cuMemsetD8Async", &cuMemsetD8Async},
    {"cuFuncSetAttribute", &cuFuncSetAttribute},
    {"cuLaunchKernel", &cuLaunchKernel},
    {"cuLaunchCooperativeKernel", &cuLaunchCooperativeKernel},
};

static pthread_mutex_t unit_opening = PTHREAD_MUTEX_INITIALIZER;

/* Opens the driver library once.  It is never closed, since it has threads of its own. */
static int unit_open_driver(void)
{
    static int is_open;
    const size_t count = sizeof unit_driver_functions / sizeof unit_driver_functions[0];
    pthread_mutex_lock(&unit_opening);
    void *library = is_open ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    size_t found = 0;
    for (; library != NULL && found < count; found++) {
        void *function = dlsym(library, unit_driver_functions[found].symbol);
        if (function == NULL)
            break;
        memcpy(unit_driver_functions[found].function, &function, sizeof function);
    }
    is_open = is_open || found == count;
    const int status = is_open ? UNIT_OK : UNIT_NO_DRIVER;
    pthread_mutex_unlock(&unit_opening);
    return status;
}

/* What is needed of <cuda.h>, so that neither its header nor its library is to be there
 * when this file is compiled.  It is the only part that knows where the driver is. */
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

static struct unit_driver {
    CUresult (*Init)(unsigned int flags);
    CUresult (*DeviceGetName)(char *name, int length, CUdevice device);
    CUresult (*DeviceGetAttribute)(int *value, int which, CUdevice device);
    CUresult (*CtxGetCurrent)(CUcontext *context);
    CUresult (*CtxGetDevice)(CUdevice *device);
    CUresult (*CtxPushCurrent)(CUcontext context);
    CUresult (*CtxPopCurrent)(CUcontext *context);
    CUresult (*ModuleLoadData)(CUmodule *module, const void *image);
    CUresult (*ModuleUnload)(CUmodule module);
    CUresult (*ModuleGetFunction)(
        CUfunction *function, CUmodule module, const char *name);
    CUresult (*ModuleGetGlobal)(
        CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name);
    CUresult (*MemcpyDtoDAsync)(
        CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
    CUresult (*MemsetD8Async)(
        CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream);
    CUresult (*FuncSetAttribute)(CUfunction function, int which, int value);
    CUresult (*LaunchKernel)(CUfunction function, unsigned int grid_x,
        unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
        unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
        CUstream stream, void **arguments, void **extra);
} unit_driver;

static const struct {
    const char *name;
    size_t at;
} unit_driver_functions[] = {
    {"cuInit", offsetof(struct unit_driver, Init)},
    {"cuDeviceGetName", offsetof(struct unit_driver, DeviceGetName)},
    {"cuDeviceGetAttribute", offsetof(struct unit_driver, DeviceGetAttribute)},
    {"cuCtxGetCurrent", offsetof(struct unit_driver, CtxGetCurrent)},
    {"cuCtxGetDevice", offsetof(struct unit_driver, CtxGetDevice)},
    {"cuCtxPushCurrent_v2", offsetof(struct unit_driver, CtxPushCurrent)},
    {"cuCtxPopCurrent_v2", offsetof(struct unit_driver, CtxPopCurrent)},
    {"cuModuleLoadData", offsetof(struct unit_driver, ModuleLoadData)},
    {"cuModuleUnload", offsetof(struct unit_driver, ModuleUnload)},
    {"cuModuleGetFunction", offsetof(struct unit_driver, ModuleGetFunction)},
    {"cuModuleGetGlobal_v2", offsetof(struct unit_driver, ModuleGetGlobal)},
    {"cuMemcpyDtoDAsync_v2", offsetof(struct unit_driver, MemcpyDtoDAsync)},
    {"cuMemsetD8Async", offsetof(struct unit_driver, MemsetD8Async)},
    {"cuFuncSetAttribute", offsetof(struct unit_driver, FuncSetAttribute)},
    {"cuLaunchKernel", offsetof(struct unit_driver, LaunchKernel)},
};

#define cuInit unit_driver.Init
#define cuDeviceGetName unit_driver.DeviceGetName
#define cuDeviceGetAttribute unit_driver.DeviceGetAttribute
#define cuCtxGetCurrent unit_driver.CtxGetCurrent
#define cuCtxGetDevice unit_driver.CtxGetDevice
#define cuCtxPushCurrent unit_driver.CtxPushCurrent
#define cuCtxPopCurrent unit_driver.CtxPopCurrent
#define cuModuleLoadData unit_driver.ModuleLoadData
#define cuModuleUnload unit_driver.ModuleUnload
#define cuModuleGetFunction unit_driver.ModuleGetFunction
#define cuModuleGetGlobal unit_driver.ModuleGetGlobal
#define cuMemcpyDtoDAsync unit_driver.MemcpyDtoDAsync
#define cuMemsetD8Async unit_driver.MemsetD8Async
#define cuFuncSetAttribute unit_driver.FuncSetAttribute
#define cuLaunchKernel unit_driver.LaunchKernel

static pthread_mutex_t unit_opening = PTHREAD_MUTEX_INITIALIZER;

/* Opens the driver's library once; it is not closed, for it keeps threads of its own.
 */
static int unit_open_driver(void)
{
    static void *library;
    const size_t count = sizeof unit_driver_functions / sizeof unit_driver_functions[0];
    struct unit_driver found;
    size_t i = 0;
    pthread_mutex_lock(&unit_opening);
    void *opened =
        library != NULL ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (; opened != NULL && i < count; i++) {
        void *function = dlsym(opened, unit_driver_functions[i].name);
        if (function == NULL)
            break;
        memcpy(
            (char *)&found + unit_driver_functions[i].at, &function, sizeof function);
    }
    if (i == count) {
        unit_driver = found;
        library = opened;
    }
    const int status = library != NULL ? UNIT_OK : UNIT_NO_DRIVER;
    pthread_mutex_unlock(&unit_opening);
    return status;
}

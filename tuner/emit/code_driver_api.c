/* What NAME.c needs of the driver API where the library is opened at run time: types, numbers, the
 * functions as pointers, and what opens it.  Only those functions that the unit calls. */
#include "tuner/emit/code_driver.h"

/* What of <cuda.h> is needed where the library is opened at run time. */
static const char DECLARATIONS[] =
    "/* --- the CUDA driver -------------------------------------------------------------------\n"
    " *\n"
    " * What is needed of <cuda.h>, so that neither its header nor its library is to be there when "
    "this\n"
    " * file is compiled.  It is the only part that knows where the driver is. */\n"
    "\n"
    "typedef int CUresult;\n"
    "typedef int CUdevice;\n"
    "typedef unsigned long long CUdeviceptr;\n"
    "typedef struct CUctx_st *CUcontext;\n"
    "typedef struct CUmod_st *CUmodule;\n"
    "typedef struct CUfunc_st *CUfunction;\n"
    "typedef struct CUstream_st *CUstream;\n"
    "typedef int CUdevice_attribute;\n"
    "typedef int CUfunction_attribute;\n"
    "\n";

static const char CONSTANTS[] = "enum {\n"
                                "    CUDA_SUCCESS = 0,\n"
                                "    CUDA_ERROR_OUT_OF_MEMORY = 2,\n"
                                "    CUDA_ERROR_INVALID_CONTEXT = 201,\n"
                                "    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,\n"
                                "    CUDA_ERROR_NOT_FOUND = 500,\n"
                                "    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,\n"
                                "    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,\n"
                                "    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,\n"
                                "    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8\n"
                                "};\n"
                                "\n";

typedef enum Need { NEED_ALWAYS, NEED_SHARED, NEED_CONSTANTS, NEED_ZEROS } Need;

/* The functions, by the name that the library has them under, and by what they are for. */
static const struct Function {
    const char *member, *symbol, *parameters;
    Need need;
} FUNCTIONS[] = {
    {"Init", "cuInit", "unsigned int flags", NEED_ALWAYS},
    {"DeviceGetName", "cuDeviceGetName", "char *name, int length, CUdevice device", NEED_ALWAYS},
    {"DeviceGetAttribute", "cuDeviceGetAttribute",
     "int *value, CUdevice_attribute which, CUdevice device", NEED_ALWAYS},
    {"CtxGetCurrent", "cuCtxGetCurrent", "CUcontext *context", NEED_ALWAYS},
    {"CtxGetDevice", "cuCtxGetDevice", "CUdevice *device", NEED_ALWAYS},
    {"CtxPushCurrent", "cuCtxPushCurrent_v2", "CUcontext context", NEED_ALWAYS},
    {"CtxPopCurrent", "cuCtxPopCurrent_v2", "CUcontext *context", NEED_ALWAYS},
    {"ModuleLoadData", "cuModuleLoadData", "CUmodule *module, const void *image", NEED_ALWAYS},
    {"ModuleUnload", "cuModuleUnload", "CUmodule module", NEED_ALWAYS},
    {"ModuleGetFunction", "cuModuleGetFunction",
     "CUfunction *function, CUmodule module, const char *name", NEED_ALWAYS},
    {"ModuleGetGlobal", "cuModuleGetGlobal_v2",
     "CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name", NEED_CONSTANTS},
    {"MemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2",
     "CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream", NEED_CONSTANTS},
    {"MemsetD8Async", "cuMemsetD8Async",
     "CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream", NEED_ZEROS},
    {"FuncSetAttribute", "cuFuncSetAttribute",
     "CUfunction function, CUfunction_attribute which, int value", NEED_SHARED},
    {"LaunchKernel", "cuLaunchKernel",
     "CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned "
     "int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream "
     "stream, void **arguments, void **extra",
     NEED_ALWAYS},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

static bool is_needed(const Code *c, const struct Function *f)
{
    switch (f->need) {
    case NEED_ALWAYS:
        return true;
    case NEED_SHARED:
        return code_has_shared(c);
    case NEED_CONSTANTS:
        return code_has_constants(c);
    case NEED_ZEROS:
        return code_has_zeros(c);
    }
    return true;
}

void code_driver_api(const Code *c, Buf *out)
{
    buf_puts(out, DECLARATIONS);
    buf_puts(out, CONSTANTS);
    code_puts(c, out, "typedef struct @cuda {\n    void *library;\n");
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (is_needed(c, &FUNCTIONS[i]))
            buf_printf(out, "    CUresult (*%s)(%s);\n", FUNCTIONS[i].member,
                       FUNCTIONS[i].parameters);
    code_puts(c, out,
              "} @cuda;\n\n"
              "static int @open_driver(@cuda *cu)\n{\n"
              "    static const struct {\n"
              "        const char *name;\n"
              "        size_t at;\n"
              "    } functions[] = {\n");
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (is_needed(c, &FUNCTIONS[i]))
            code_printf(c, out, "        {\"%s\", offsetof(@cuda, %s)},\n", FUNCTIONS[i].symbol,
                        FUNCTIONS[i].member);
    code_puts(c, out,
              "    };\n"
              "    cu->library = dlopen(\"libcuda.so.1\", RTLD_NOW | RTLD_LOCAL);\n"
              "    if (cu->library == NULL)\n"
              "        return ^NO_DRIVER;\n"
              "    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {\n"
              "        void *function = dlsym(cu->library, functions[i].name);\n"
              "        if (function == NULL)\n"
              "            return ^NO_DRIVER;\n"
              "        memcpy((char *)cu + functions[i].at, &function, sizeof function);\n"
              "    }\n"
              "    return ^OK;\n"
              "}\n\n");
}

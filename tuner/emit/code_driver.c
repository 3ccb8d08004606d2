/* NAME.c: an emitted unit that reaches the device by the CUDA driver API. */
#include "tuner/emit/code.h"
#include "tuner/emit/code_parts.h"

#include <string.h>

/* --- the driver
 * ------------------------------------------------------------------------------------ */

/* What of <cuda.h> is needed where the library is opened at run time. */
static const char DECLARATIONS[] =
    "/* --- the CUDA driver ---------------------------------------------------------------\n"
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
     "CUfunction function, unsigned int grid_x, unsigned int grid_y,\n"
     "    unsigned int grid_z, unsigned int block_x, unsigned int "
     "block_y,\n"
     "    unsigned int block_z, unsigned int shared_bytes, CUstream "
     "stream,\n"
     "    void **arguments, void **extra",
     NEED_ALWAYS},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

static bool has_constants(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->spec->arguments[i].role == ARGUMENT_CONSTANT)
            return true;
    return false;
}

static bool has_zeros(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (code_is_zeroed(&c->spec->arguments[i]))
            for (size_t v = 0; v < c->unit->variant_count; v++)
                if (c->variants[v].taken[i])
                    return true;
    return false;
}

static bool has_shared(const Code *c)
{
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            const Value *shared = expr_literal(c->variants[v].launches[l].shared);
            if (!shared || shared->integer != 0)
                return true;
        }
    return false;
}

static bool is_needed(const Code *c, const struct Function *f)
{
    switch (f->need) {
    case NEED_ALWAYS:
        return true;
    case NEED_SHARED:
        return has_shared(c);
    case NEED_CONSTANTS:
        return has_constants(c);
    case NEED_ZEROS:
        return has_zeros(c);
    }
    return true;
}

static void write_opening(const Code *c, Buf *out)
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

/* --- code
 * ------------------------------------------------------------------------------------------ */

/* Modules of the variants before, and of the launches before. */
static size_t module_of(const Code *c, size_t variant, size_t launch)
{
    size_t module = 0;
    for (size_t v = 0; v < variant; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++)
            module += c->unit->variants[v].codes[l].shares == l;
    const EmitCode *codes = c->unit->variants[variant].codes;
    for (size_t l = 0; l < codes[launch].shares; l++)
        module += codes[l].shares == l;
    return module;
}

/* "mm_1", "mm_1_2": what the arrays of a code begin with. */
static const char *array_name(const Code *c, size_t variant, size_t launch)
{
    return arena_printf(c->arena, "%s%s", c->prefix,
                        code_namespace(c, &c->variants[variant], launch) + 1);
}

static void write_images(const Code *c, Buf *out)
{
    code_puts(
        c, out,
        "/* --- code ------------------------------------------------------------------ */\n\n"
        "typedef struct @image {\n"
        "    int variant; /* from 1 */\n"
        "    const void *cubin, *ptx;\n"
        "} @image;\n\n"
        "static const @image @images[] = {\n");
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            if (c->unit->variants[v].codes[l].shares != l)
                continue;
            const char *name = array_name(c, v, l);
            buf_printf(out, "    {%zu, %s_cubin, %s_ptx},\n", v + 1, name, name);
        }
    code_puts(c, out,
              "};\n\n"
              "typedef struct @function {\n"
              "    int variant; /* from 1 */\n"
              "    int image;   /* from 0 */\n"
              "    const char *name;\n"
              "} @function;\n\n"
              "static const @function @functions[] = {\n");
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            const EmitCode *code = &c->unit->variants[v].codes[l];
            buf_printf(out, "    {%zu, %zu, ", v + 1, module_of(c, v, l));
            text_string(out, code->entry ? code->entry : code->kernel);
            buf_puts(out, "},\n");
        }
    code_puts(c, out,
              "};\n\n"
              "enum {\n"
              "    ^IMAGES = sizeof @images / sizeof @images[0],\n"
              "    ^FUNCTIONS = sizeof @functions / sizeof @functions[0]\n"
              "};\n\n");
}

/* --- the kernel object
 * ----------------------------------------------------------------------------- */

static const char KERNEL_START[] =
    "/* --- loading -------------------------------------------------------------------------- */\n"
    "\n"
    "/* What changes while it is used; whoever reads or writes it holds the mutex. */\n"
    "typedef struct @state {\n"
    "    pthread_mutex_t mutex;\n"
    "    CUmodule modules[^IMAGES]; /* NULL: not loaded yet */\n"
    "    CUfunction functions[^FUNCTIONS];\n"
    "%s"
    "    unsigned char is_loaded[^VARIANTS];\n"
    "    unsigned char is_broken[^VARIANTS]; /* the driver has no use for its code */\n"
    "} @state;\n"
    "\n"
    "struct @kernel {\n"
    "%s"
    "    CUcontext context;\n"
    "    char name[256]; /* of the device */\n"
    "    @device device;\n"
    "    @state *state;\n"
    "};\n"
    "\n"
    "#ifdef __cplusplus\n"
    "static thread_local int @last_error;\n"
    "#else\n"
    "static _Thread_local int @last_error;\n"
    "#endif\n"
    "\n"
    "static int @failed(CUresult error)\n"
    "{\n"
    "    @last_error = (int)error;\n"
    "    return ^CUDA;\n"
    "}\n"
    "\n"
    "/* Does an error say that code does not suit the device or the driver?  Of CUDA's numbers: "
    "invalid\n"
    " * image, no binary for GPU, invalid PTX, no JIT compiler, unsupported PTX version, JIT "
    "compilation\n"
    " * disabled, invalid source, not found. */\n"
    "static int @is_about_code(CUresult error)\n"
    "{\n"
    "    const int number = (int)error;\n"
    "    return number == 200 || number == 209 || number == 218 || (number >= 221 && number <= "
    "223) ||\n"
    "           number == 300 || number == 500;\n"
    "}\n"
    "\n"
    "/* The cubin where the device runs it; else what the driver makes of the PTX. */\n"
    "static CUresult @load_image(const @kernel *k, int image)\n"
    "{\n"
    "    const @image *code = &@images[image];\n"
    "    const @variant *v = &@variants[code->variant - 1];\n"
    "    CUmodule *module = &k->state->modules[image];\n"
    "    if (*module != NULL)\n"
    "        return CUDA_SUCCESS;\n"
    "    CUresult error = (CUresult)CUDA_ERROR_NO_BINARY_FOR_GPU;\n"
    "    if (@runs_cubin(v, &k->device))\n"
    "        error = $ModuleLoadData(module, code->cubin);\n"
    "    if (@is_about_code(error) && @runs_ptx(v, &k->device))\n"
    "        error = $ModuleLoadData(module, code->ptx);\n"
    "    if (error != CUDA_SUCCESS)\n"
    "        *module = NULL;\n"
    "    return error;\n"
    "}\n"
    "\n"
    "static CUresult @load_variant(const @kernel *k, int variant)\n"
    "{\n"
    "    @state *state = k->state;\n"
    "    CUresult error = CUDA_SUCCESS;\n"
    "    for (int i = 0; i < (int)^IMAGES && error == CUDA_SUCCESS; i++)\n"
    "        if (@images[i].variant == variant)\n"
    "            error = @load_image(k, i);\n"
    "    for (int i = 0; i < (int)^FUNCTIONS && error == CUDA_SUCCESS; i++)\n"
    "        if (@functions[i].variant == variant)\n"
    "            error = $ModuleGetFunction(&state->functions[i],\n"
    "                state->modules[@functions[i].image], @functions[i].name);\n"
    "    return error;\n"
    "}\n"
    "\n"
    "/* Loads a variant at its first use.  ^NO_CODE: it is of no use here, and will not be asked "
    "for\n"
    " * again. */\n"
    "static int @prepare(const @kernel *k, int variant)\n"
    "{\n"
    "    @state *state = k->state;\n"
    "    int status = ^OK;\n"
    "    pthread_mutex_lock(&state->mutex);\n"
    "    if (!state->is_loaded[variant - 1]) {\n"
    "        const CUresult error = @load_variant(k, variant);\n"
    "        state->is_loaded[variant - 1] = error == CUDA_SUCCESS;\n"
    "        if (error != CUDA_SUCCESS)\n"
    "            status = @failed(error);\n"
    "        if (@is_about_code(error)) {\n"
    "            state->is_broken[variant - 1] = 1;\n"
    "            status = ^NO_CODE;\n"
    "        }\n"
    "    }\n"
    "    pthread_mutex_unlock(&state->mutex);\n"
    "    return status;\n"
    "}\n"
    "\n";

static const char START[] =
    "/* --- launching ---------------------------------------------------------------------------- "
    "*/\n"
    "\n"
    "static int @is_bad(const void *pointer, size_t alignment)\n"
    "{\n"
    "    return pointer == NULL || (uintptr_t)pointer % alignment != 0;\n"
    "}\n"
    "\n";

static const char ALLOW_SHARED[] =
    "/* Lets a function have as much dynamic shared memory, and never less than before: another "
    "thread\n"
    " * may be about to launch with that. */\n"
    "static int @allow_shared(const @kernel *k, int function, int bytes)\n"
    "{\n"
    "    @state *state = k->state;\n"
    "    CUresult error = CUDA_SUCCESS;\n"
    "    pthread_mutex_lock(&state->mutex);\n"
    "    if (bytes > state->shared_bytes[function]) {\n"
    "        error = $FuncSetAttribute(state->functions[function],\n"
    "            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);\n"
    "        if (error == CUDA_SUCCESS)\n"
    "            state->shared_bytes[function] = bytes;\n"
    "    }\n"
    "    pthread_mutex_unlock(&state->mutex);\n"
    "    return error == CUDA_SUCCESS ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static const char LAUNCH_ONE[] =
    "static int @start(const @kernel *k, int function, const @shape *s, void **list, CUstream "
    "stream)\n"
    "{\n"
    "%s"
    "    const CUresult error = $LaunchKernel(\n"
    "        k->state->functions[function], (unsigned int)s->grid[0], (unsigned int)s->grid[1],\n"
    "        (unsigned int)s->grid[2], (unsigned int)s->block[0], (unsigned int)s->block[1],\n"
    "        (unsigned int)s->block[2], (unsigned int)s->shared, stream, list, NULL);\n"
    "    return error == CUDA_SUCCESS ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static const char CALL_ALLOW[] =
    "    if (s->shared > 0) {\n"
    "        const int status = @allow_shared(k, function, (int)s->shared);\n"
    "        if (status != ^OK)\n"
    "            return status;\n"
    "    }\n";

static const char SET_VARIABLE[] =
    "/* Copies to a variable of the device, in all of a variant's code that has it: where nothing "
    "reads\n"
    " * a variable there is none. */\n"
    "static int @set_variable(const @kernel *k, int variant, const char *name, const void *from,\n"
    "    long long bytes, CUstream stream)\n"
    "{\n"
    "    for (int i = 0; i < (int)^IMAGES; i++) {\n"
    "        CUdeviceptr at;\n"
    "        size_t size;\n"
    "        if (@images[i].variant != variant)\n"
    "            continue;\n"
    "        CUresult error = $ModuleGetGlobal(&at, &size, k->state->modules[i], name);\n"
    "        if (error == (CUresult)CUDA_ERROR_NOT_FOUND)\n"
    "            continue;\n"
    "        if (error == CUDA_SUCCESS && from == NULL)\n"
    "            return ^ARGUMENT;\n"
    "        if (error == CUDA_SUCCESS && size != (size_t)bytes)\n"
    "            return ^SIZE;\n"
    "        if (error == CUDA_SUCCESS)\n"
    "            error = $MemcpyDtoDAsync(at, (CUdeviceptr)(uintptr_t)from, size, stream);\n"
    "        if (error != CUDA_SUCCESS)\n"
    "            return @failed(error);\n"
    "    }\n"
    "    return ^OK;\n"
    "}\n"
    "\n";

static const char CLEAR[] =
    "static int @clear(const @kernel *k, void *buffer, long long bytes, CUstream stream)\n"
    "{\n"
    "    (void)k;\n"
    "    const CUresult error =\n"
    "        $MemsetD8Async((CUdeviceptr)(uintptr_t)buffer, 0, (size_t)bytes, stream);\n"
    "    return error == CUDA_SUCCESS ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static void write_kernel(const Code *c, Buf *out)
{
    Buf cuda = {0}, shared = {0}, allow = {0};
    if (c->unit->flavour == EMIT_DRIVER)
        code_puts(c, &cuda, "    @cuda cu;\n");
    if (has_shared(c))
        code_puts(c, &shared, "    int shared_bytes[^FUNCTIONS]; /* that it may have */\n");
    code_printf(c, out, KERNEL_START, buf_text(&shared), buf_text(&cuda));
    code_puts(c, out, START);
    if (has_shared(c)) {
        code_puts(c, out, ALLOW_SHARED);
        code_puts(c, &allow, CALL_ALLOW);
    }
    code_printf(c, out, LAUNCH_ONE, buf_text(&allow));
    if (has_constants(c))
        code_puts(c, out, SET_VARIABLE);
    if (has_zeros(c))
        code_puts(c, out, CLEAR);
    buf_free(&cuda);
    buf_free(&shared);
    buf_free(&allow);
}

/* --- the interface
 * --------------------------------------------------------------------------------- */

static const char LOAD[] =
    "/* --- the interface ----------------------------------------------------------------------- "
    "*/\n"
    "\n"
    "static int @look_at_device(@kernel *k)\n"
    "{\n"
    "    CUdevice device;\n"
    "    int major = 0, minor = 0, shared = 0;\n"
    "    CUresult error = $CtxGetCurrent(&k->context);\n"
    "    if (error == CUDA_SUCCESS && k->context == NULL)\n"
    "        error = (CUresult)CUDA_ERROR_INVALID_CONTEXT;\n"
    "    if (error == CUDA_SUCCESS)\n"
    "        error = $CtxGetDevice(&device);\n"
    "    if (error == CUDA_SUCCESS)\n"
    "        error = $DeviceGetName(k->name, (int)sizeof k->name, device);\n"
    "    if (error == CUDA_SUCCESS)\n"
    "        error = $DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "
    "device);\n"
    "    if (error == CUDA_SUCCESS)\n"
    "        error = $DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "
    "device);\n"
    "    if (error == CUDA_SUCCESS)\n"
    "        error = $DeviceGetAttribute(&shared,\n"
    "            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "
    "device);\n"
    "    if (error != CUDA_SUCCESS)\n"
    "        return @failed(error);\n"
    "    k->device.name = k->name;\n"
    "    k->device.arch = 10 * major + minor;\n"
    "    k->device.shared_bytes = shared;\n"
    "    return ^OK;\n"
    "}\n"
    "\n"
    "static int @has_code_for(const @device *d)\n"
    "{\n"
    "    for (int i = 0; i < (int)^VARIANTS; i++)\n"
    "        if (@runs_cubin(&@variants[i], d) || @runs_ptx(&@variants[i], d))\n"
    "            return 1;\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "static int @open(@kernel *k)\n"
    "{\n"
    "%s"
    "    const CUresult error = $Init(0);\n"
    "    if (error != CUDA_SUCCESS) {\n"
    "        @last_error = (int)error;\n"
    "        return ^NO_DRIVER;\n"
    "    }\n"
    "    const int status = @look_at_device(k);\n"
    "    if (status != ^OK)\n"
    "        return status;\n"
    "    return @has_code_for(&k->device) ? ^OK : ^NO_CODE;\n"
    "}\n"
    "\n"
    "int @load(@kernel **out)\n"
    "{\n"
    "    if (out == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    *out = NULL;\n"
    "    @last_error = 0;\n"
    "    @kernel *k = (@kernel *)calloc(1, sizeof *k);\n"
    "    @state *state = (@state *)calloc(1, sizeof *state);\n"
    "    int status = ^OK;\n"
    "    if (k == NULL || state == NULL)\n"
    "        status = @failed((CUresult)CUDA_ERROR_OUT_OF_MEMORY);\n"
    "    if (status == ^OK)\n"
    "        status = @open(k);\n"
    "    if (status == ^OK && pthread_mutex_init(&state->mutex, NULL) != 0)\n"
    "        status = @failed((CUresult)CUDA_ERROR_OUT_OF_MEMORY);\n"
    "    if (status != ^OK) {\n"
    "        free(state);\n"
    "        free(k);\n"
    "        return status;\n"
    "    }\n"
    "    k->state = state;\n"
    "    *out = k;\n"
    "    return ^OK;\n"
    "}\n"
    "\n";

/* The driver is not closed: it keeps threads of its own. */
static const char OPEN_DRIVER[] = "    const int opened = @open_driver(&k->cu);\n"
                                  "    if (opened != ^OK)\n"
                                  "        return opened;\n";

static const char UNLOAD[] =
    "/* Makes the kernel's context this thread's own, unless it is; @leave makes that undone. */\n"
    "static CUresult @enter(const @kernel *k, int *pushed)\n"
    "{\n"
    "    CUcontext current = NULL;\n"
    "    *pushed = 0;\n"
    "    CUresult error = $CtxGetCurrent(&current);\n"
    "    if (error != CUDA_SUCCESS || current == k->context)\n"
    "        return error;\n"
    "    error = $CtxPushCurrent(k->context);\n"
    "    *pushed = error == CUDA_SUCCESS;\n"
    "    return error;\n"
    "}\n"
    "\n"
    "static void @leave(const @kernel *k, int pushed)\n"
    "{\n"
    "    CUcontext context;\n"
    "    (void)k;\n"
    "    if (pushed)\n"
    "        (void)$CtxPopCurrent(&context);\n"
    "}\n"
    "\n"
    "void @unload(@kernel *k)\n"
    "{\n"
    "    int pushed;\n"
    "    if (k == NULL)\n"
    "        return;\n"
    "    if (@enter(k, &pushed) == CUDA_SUCCESS) {\n"
    "        for (int i = 0; i < (int)^IMAGES; i++)\n"
    "            if (k->state->modules[i] != NULL)\n"
    "                (void)$ModuleUnload(k->state->modules[i]);\n"
    "        @leave(k, pushed);\n"
    "    }\n"
    "    pthread_mutex_destroy(&k->state->mutex);\n"
    "    free(k->state);\n"
    "    free(k);\n"
    "}\n"
    "\n"
    "int @choose(const @kernel *k, const @problem *p, @choice *out)\n"
    "{\n"
    "    unsigned char broken[^VARIANTS];\n"
    "    if (k == NULL || p == NULL || out == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    pthread_mutex_lock(&k->state->mutex);\n"
    "    memcpy(broken, k->state->is_broken, sizeof broken);\n"
    "    pthread_mutex_unlock(&k->state->mutex);\n"
    "    return @pick(&k->device, broken, p, out);\n"
    "}\n"
    "\n";

static const char LAUNCH[] =
    "/* The best variant that the driver has a use for, loaded. */\n"
    "static int @take(@kernel *k, const @problem *p, @choice *took)\n"
    "{\n"
    "    for (;;) {\n"
    "        int status = @choose(k, p, took);\n"
    "        if (status == ^OK)\n"
    "            status = @prepare(k, took->variant);\n"
    "        else\n"
    "            return status;\n"
    "        if (status != ^NO_CODE)\n"
    "            return status;\n"
    "    }\n"
    "}\n"
    "\n"
    "int @launch(@kernel *k, const @problem *p, const @arguments *a, void *stream, @choice *took)\n"
    "{\n"
    "    @choice choice;\n"
    "    int pushed;\n"
    "    if (took != NULL)\n"
    "        memset(took, 0, sizeof *took);\n"
    "    if (k == NULL || p == NULL || a == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    const CUresult error = @enter(k, &pushed);\n"
    "    if (error != CUDA_SUCCESS)\n"
    "        return @failed(error);\n"
    "    int status = @take(k, p, &choice);\n"
    "    if (status == ^OK && took != NULL)\n"
    "        *took = choice;\n"
    "    if (status == ^OK)\n"
    "        status = @run(k, choice.variant, p, a, (CUstream)stream);\n"
    "    @leave(k, pushed);\n"
    "    return status;\n"
    "}\n"
    "\n"
    "int @cuda_error(const @kernel *k)\n"
    "{\n"
    "    (void)k;\n"
    "    return @last_error;\n"
    "}\n";

static void write_runs(Code *c, Buf *out)
{
    const char *why;
    for (size_t i = 0; i < c->unit->variant_count; i++)
        code_run(c, &c->variants[i], out, &why);
    code_puts(c, out,
              "static int @run(@kernel *k, int variant, const @problem *p, const @arguments *a,\n"
              "    CUstream stream)\n{\n    switch (variant) {\n");
    for (size_t i = 1; i <= c->unit->variant_count; i++)
        code_printf(c, out, "    case %zu:\n        return @run_%zu(k, p, a, stream);\n", i, i);
    code_puts(c, out, "    default:\n        return ^NO_CODE;\n    }\n}\n\n");
}

static void write_start(const Code *c, const char *includes, unsigned helpers, Buf *out)
{
    const bool opened = c->unit->flavour == EMIT_DRIVER;
    buf_printf(out, "#include \"%s.h\"\n\n#include \"%s_code.h\"\n\n", c->unit->name,
               c->unit->name);
    buf_puts(out, opened ? "#include <dlfcn.h>\n" : "#include <cuda.h>\n");
    buf_puts(out, "#include <limits.h>\n");
    buf_puts(out, c_helpers_need_math(helpers) ? "#include <math.h>\n" : "");
    buf_puts(out, "#include <pthread.h>\n#include <stddef.h>\n#include <stdint.h>\n"
                  "#include <stdlib.h>\n#include <string.h>\n\n");
    buf_puts(out, includes);
}

void code_driver(Code *c, Buf *out)
{
    Buf sizes = {0}, choice = {0}, runs = {0}, text = {0}, interface = {0};
    code_sizes(c, &sizes);
    code_interface(c, &interface);
    code_choice(c, &choice);
    write_runs(c, &runs);
    code_top(c, out);
    write_start(c, "", c->helpers, out);
    if (c->unit->flavour == EMIT_DRIVER)
        write_opening(c, out);
    code_common(c, out);
    c_helpers(c->helpers, c->prefix, out);
    buf_puts(out, buf_text(&sizes));
    buf_puts(out, buf_text(&choice));
    write_images(c, out);
    write_kernel(c, out);
    buf_puts(out, buf_text(&runs));
    if (c->unit->flavour == EMIT_DRIVER)
        code_puts(c, &text, OPEN_DRIVER);
    code_printf(c, out, LOAD, buf_text(&text));
    code_puts(c, out, UNLOAD);
    buf_puts(out, buf_text(&interface));
    code_puts(c, out, LAUNCH);
    buf_free(&sizes);
    buf_free(&choice);
    buf_free(&runs);
    buf_free(&text);
    buf_free(&interface);
}

/* --- NAME_code.h
 * ------------------------------------------------------------------------------------ */

/* Bytes as numbers of 64 bits, lowest byte first, as the hosts of CUDA have them: images are to be
 * aligned, and compilers read these faster than single bytes.  There are zeros behind the last. */
static void write_array(const char *name, const char *what, const void *bytes, size_t size,
                        Buf *out)
{
    const unsigned char *at = bytes;
    const size_t words = size / 8 + 1;
    buf_printf(out, "/* %zu bytes */\nstatic const unsigned long long %s_%s[%zu] = {", size, name,
               what, words);
    for (size_t i = 0; i < words; i++) {
        unsigned long long word = 0;
        for (size_t k = 0; k < 8 && 8 * i + k < size; k++)
            word |= (unsigned long long)at[8 * i + k] << 8 * k;
        buf_printf(out, "%s0x%llx,", i % 4 ? " " : "\n    ", word);
    }
    buf_puts(out, "\n};\n\n");
}

bool emit_text_code(const EmitUnit *u, Buf *out, Diag *d)
{
    Arena *a = arena_new();
    Diag silent = diag_new(a); /* emit_text_unit warns of the same */
    const Code *c = code_open(a, u, u->entry_count ? &silent : d);
    bool ok = c != NULL;
    if (ok)
        code_printf(c, out,
                    "/* The code of %s.c: cubins, and PTX for the driver to compile, as arrays.  "
                    "%s.c alone\n"
                    " * includes it. */\n\n",
                    u->name, u->name);
    for (size_t v = 0; ok && v < u->variant_count; v++)
        for (size_t l = 0; ok && l < u->spec->launch_count; l++) {
            const EmitCode *code = &u->variants[v].codes[l];
            if (code->shares != l)
                continue;
            if (!code->cubin || !code->ptx) {
                ok = diag_fail(d, "%s was not compiled: there is no code to emit", code->kernel);
                continue;
            }
            buf_printf(out, "/* %s, sm_%d: ", code->kernel, u->variants[v].arch);
            text_comment(out, u->variants[v].name);
            buf_puts(out, " */\n");
            write_array(array_name(c, v, l), "cubin", code->cubin, code->cubin_size, out);
            write_array(array_name(c, v, l), "ptx", code->ptx, strlen(code->ptx), out);
        }
    arena_free(a);
    return ok;
}

#include "driver.h"

#include <cuda.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The functions used, with the version that the exported symbol ends with.  (cuda.h maps some of the names
 * with macros that depend on its own version.) */
#define DRIVER_FUNCTIONS(X)                                                                        \
    X(cuInit, "")                                                                                  \
    X(cuDriverGetVersion, "")                                                                      \
    X(cuGetErrorName, "")                                                                          \
    X(cuGetErrorString, "")                                                                        \
    X(cuDeviceGetCount, "")                                                                        \
    X(cuDeviceGet, "")                                                                             \
    X(cuDeviceGetName, "")                                                                         \
    X(cuDeviceGetUuid, "")                                                                         \
    X(cuDeviceTotalMem, "_v2")                                                                     \
    X(cuDeviceGetAttribute, "")                                                                    \
    X(cuDevicePrimaryCtxSetFlags, "_v2")                                                           \
    X(cuDevicePrimaryCtxRetain, "")                                                                \
    X(cuCtxSetCurrent, "")                                                                         \
    X(cuMemGetInfo, "_v2")                                                                         \
    X(cuMemAlloc, "_v2")                                                                           \
    X(cuMemFree, "_v2")                                                                            \
    X(cuMemsetD8Async, "")                                                                         \
    X(cuMemcpyDtoDAsync, "_v2")                                                                    \
    X(cuMemcpyHtoDAsync, "_v2")                                                                    \
    X(cuMemcpyDtoHAsync, "_v2")                                                                    \
    X(cuModuleLoadData, "")                                                                        \
    X(cuModuleUnload, "")                                                                          \
    X(cuModuleGetFunction, "")                                                                     \
    X(cuModuleGetGlobal, "_v2")                                                                    \
    X(cuArray3DCreate, "_v2")                                                                      \
    X(cuArrayDestroy, "")                                                                          \
    X(cuMemcpy3DAsync, "_v2")                                                                      \
    X(cuTexObjectCreate, "")                                                                       \
    X(cuTexObjectDestroy, "")                                                                      \
    X(cuFuncGetAttribute, "")                                                                      \
    X(cuFuncSetAttribute, "")                                                                      \
    X(cuLaunchKernel, "")                                                                          \
    X(cuLaunchCooperativeKernel, "")                                                               \
    X(cuStreamCreate, "")                                                                          \
    X(cuStreamSynchronize, "")                                                                     \
    X(cuStreamBeginCapture, "_v2")                                                                 \
    X(cuStreamEndCapture, "")                                                                      \
    X(cuGraphInstantiateWithFlags, "")                                                             \
    X(cuGraphDestroy, "")                                                                          \
    X(cuGraphLaunch, "")                                                                           \
    X(cuGraphExecDestroy, "")                                                                      \
    X(cuEventCreate, "")                                                                           \
    X(cuEventDestroy, "_v2")                                                                       \
    X(cuEventRecord, "")                                                                           \
    X(cuEventSynchronize, "")                                                                      \
    X(cuEventElapsedTime, "")

struct Driver {
#define MEMBER(function, version) __typeof__(&function) function;
    DRIVER_FUNCTIONS(MEMBER)
#undef MEMBER
    CUresult (*parameter_info)(CUfunction, size_t, size_t *, size_t *); /* NULL before CUDA 12.4 */
    CUstream stream;
    int devices;
    DriverStatus status; /* of the first call that failed */
    char words[512];
};

/* --- failures -------------------------------------------------------------------------------- */

/* Results with a status other than DRIVER_FAULT, or that the driver describes too tersely.  cuda.h documents
 * which of them leave the context usable; all others, unknown ones too, are faults. */
static const struct {
    CUresult result;
    DriverStatus status;
    const char *words;
} KNOWN[] = {
    {CUDA_ERROR_INVALID_VALUE, DRIVER_REFUSED, ""},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, DRIVER_REFUSED,
     "a block needs more registers, threads or shared memory than the device has: "},
    {CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, DRIVER_REFUSED, ""},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, DRIVER_REFUSED, ""},
    {CUDA_ERROR_NOT_SUPPORTED, DRIVER_REFUSED, ""},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, DRIVER_REFUSED, ""},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, DRIVER_REFUSED, ""},
    {CUDA_ERROR_INVALID_IMAGE, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_INVALID_SOURCE, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, DRIVER_NO_IMAGE, "compiled for another kind of GPU: "},
    {CUDA_ERROR_INVALID_PTX, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_NOT_FOUND, DRIVER_NO_IMAGE, ""},
    {CUDA_ERROR_OUT_OF_MEMORY, DRIVER_NO_MEMORY, ""},
    {CUDA_ERROR_NO_DEVICE, DRIVER_LOST, ""},
    {CUDA_ERROR_INVALID_DEVICE, DRIVER_LOST, ""},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, DRIVER_LOST, ""},
    {CUDA_ERROR_ECC_UNCORRECTABLE, DRIVER_LOST, "the device's memory has an uncorrectable error: "},
    {CUDA_ERROR_SYSTEM_NOT_READY, DRIVER_LOST, ""},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, DRIVER_LOST, ""},
    {CUDA_ERROR_ILLEGAL_ADDRESS, DRIVER_FAULT,
     "the kernel accessed an address outside all allocations: "},
    {CUDA_ERROR_MISALIGNED_ADDRESS, DRIVER_FAULT,
     "the kernel used an address that is not a multiple of the access size: "},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, DRIVER_FAULT,
     "the kernel used an address of the wrong memory space: "},
    {CUDA_ERROR_LAUNCH_FAILED, DRIVER_FAULT,
     "the kernel trapped, or accessed memory outside its shared or local memory: "},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, DRIVER_FAULT,
     "the kernel trapped, or executed an invalid instruction: "},
    {CUDA_ERROR_INVALID_PC, DRIVER_FAULT, "the kernel jumped to an address without code: "},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, DRIVER_FAULT, "the kernel's stack overflowed: "},
    {CUDA_ERROR_ASSERT, DRIVER_FAULT, "an assertion in the kernel failed: "},
    {CUDA_ERROR_LAUNCH_TIMEOUT, DRIVER_FAULT,
     "the driver ended the kernel, which blocked the device's display for too long: "},
};

static DriverStatus check(Driver *v, CUresult r, const char *call)
{
    if (r == CUDA_SUCCESS)
        return v->status;
    const char *name = NULL, *text = NULL;
    size_t i = 0;
    while (i < COUNT_OF(KNOWN) && KNOWN[i].result != r)
        i++;
    const bool known = i < COUNT_OF(KNOWN);
    v->cuGetErrorName(r, &name);
    v->cuGetErrorString(r, &text);
    snprintf(v->words, sizeof v->words, "%s%s: %s (%s)", known ? KNOWN[i].words : "", call,
             text ? text : "unknown error", name ? name : "no name");
    return v->status = known ? KNOWN[i].status : DRIVER_FAULT;
}

/* Makes a call unless an earlier one has failed. */
#define CHECK(v, function, ...)                                                                    \
    ((v)->status ? (v)->status : check((v), (v)->function(__VA_ARGS__), #function))

DriverStatus driver_status(const Driver *v)
{
    return v->status;
}

const char *driver_error(const Driver *v)
{
    return v->words;
}

void driver_clear_error(Driver *v)
{
    if (v->status != DRIVER_FAULT && v->status != DRIVER_LOST)
        v->status = DRIVER_OK;
}

DriverStatus driver_fail(Driver *v, const char *words)
{
    if (v->status)
        return v->status;
    snprintf(v->words, sizeof v->words, "%s", words);
    return v->status = DRIVER_REFUSED;
}

void *driver_stream(const Driver *v)
{
    return v->stream;
}

/* --- opening --------------------------------------------------------------------------------- */

static bool find_functions(Driver *v, void *library, Diag *d)
{
    /* dlsym returns an object pointer, which POSIX lets one store as a function pointer. */
#define FIND(function, version)                                                                    \
    *(void **)&v->function = dlsym(library, #function version);                                    \
    if (!v->function)                                                                              \
        return diag_fail(d, "the CUDA driver is too old: it has no %s", #function version);
    DRIVER_FUNCTIONS(FIND)
#undef FIND
    *(void **)&v->parameter_info = dlsym(library, "cuFuncGetParamInfo");
    return true;
}

Driver *driver_open(Arena *a, Diag *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        diag_fail(d, "no CUDA driver on this machine: %s", dlerror());
        return NULL;
    }
    Driver *v = ARENA_NEW(a, Driver);
    if (!find_functions(v, library, d))
        return NULL;
    if (CHECK(v, cuInit, 0) || CHECK(v, cuDeviceGetCount, &v->devices))
        diag_fail(d, "the CUDA driver finds no usable GPU: %s", v->words);
    else if (v->devices == 0)
        diag_fail(d, "the CUDA driver finds no GPU");
    else
        return v;
    return NULL;
}

int driver_device_count(const Driver *v)
{
    return v->devices;
}

/* --- facts ----------------------------------------------------------------------------------- */

/* 0 if the driver does not know the attribute. */
static int attribute(Driver *v, CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    CHECK(v, cuDeviceGetAttribute, &value, which, device);
    driver_clear_error(v);
    return value;
}

/* Fused multiply-adds per cycle and SM, for which there is no attribute: CUDA C++ Best Practices Guide,
 * "Throughput of Native Arithmetic Instructions", row of 32-bit floating-point add, multiply and
 * multiply-add. */
static int fp32_per_sm(int major, int minor)
{
    bool wide = major >= 9 || major == 5 || (major == 8 && minor > 0) || (major == 6 && minor > 0);
    return wide ? 128 : 64;
}

static Device read_device(Driver *v, CUdevice h, const char *name)
{
#define GET(which) attribute(v, h, CU_DEVICE_ATTRIBUTE_##which)
    Device d = {
        .name = name,
        .major = GET(COMPUTE_CAPABILITY_MAJOR),
        .minor = GET(COMPUTE_CAPABILITY_MINOR),
        .sms = GET(MULTIPROCESSOR_COUNT),
        .threads_per_block = GET(MAX_THREADS_PER_BLOCK),
        .block_limit = {GET(MAX_BLOCK_DIM_X), GET(MAX_BLOCK_DIM_Y), GET(MAX_BLOCK_DIM_Z)},
        .grid_limit = {GET(MAX_GRID_DIM_X), GET(MAX_GRID_DIM_Y), GET(MAX_GRID_DIM_Z)},
        .threads_per_sm = GET(MAX_THREADS_PER_MULTIPROCESSOR),
        .blocks_per_sm = GET(MAX_BLOCKS_PER_MULTIPROCESSOR),
        .registers_per_sm = GET(MAX_REGISTERS_PER_MULTIPROCESSOR),
        .registers_per_block = GET(MAX_REGISTERS_PER_BLOCK),
        .registers_per_thread = 255, /* every capability from 3.5 on; Programming Guide, table of
                                        technical specifications */
        .shared_per_sm = GET(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        .shared_per_block = GET(MAX_SHARED_MEMORY_PER_BLOCK),
        .shared_per_block_optin = GET(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
        .shared_reserved = GET(RESERVED_SHARED_MEMORY_PER_BLOCK),
        .clock_hz = 1e3 * GET(CLOCK_RATE),
        .l2_bytes = GET(L2_CACHE_SIZE),
    };
    int warp = GET(WARP_SIZE);
    d.warps_per_sm = warp ? d.threads_per_sm / warp : 0;
    d.fp32_per_sm = fp32_per_sm(d.major, d.minor);
    return d;
}

/* "GPU-" and the bytes in groups of 4, 2, 2, 2 and 6, as in nvidia-smi. */
static const char *uuid_text(Arena *a, const CUuuid *u)
{
    Buf b = {0};
    buf_puts(&b, "GPU");
    for (int i = 0; i < 16; i++) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            buf_putc(&b, '-');
        buf_printf(&b, "%02x", (unsigned)(unsigned char)u->bytes[i]);
    }
    return buf_keep(&b, a);
}

/* The driver API does not tell the version that users know ("580.159.04"), but the kernel module does. */
static const char *driver_version(Arena *a)
{
    char line[64] = "";
    FILE *f = fopen("/sys/module/nvidia/version", "re");
    if (!f)
        return "";
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    fclose(f);
    line[strcspn(line, "\n")] = 0;
    return arena_string(a, line);
}

bool driver_facts(Driver *v, Arena *a, int i, GpuFacts *f, Diag *d)
{
    CUdevice h;
    CUuuid uuid;
    char name[256] = "";
    size_t bytes = 0;
    *f = (GpuFacts){0};
    if (CHECK(v, cuDeviceGet, &h, i) || CHECK(v, cuDeviceGetName, name, sizeof name, h) ||
        CHECK(v, cuDeviceGetUuid, &uuid, h) || CHECK(v, cuDeviceTotalMem, &bytes, h) ||
        CHECK(v, cuDriverGetVersion, &f->cuda_version))
        return diag_fail(d, "device %d cannot be asked for its properties: %s", i, v->words);
    f->device = read_device(v, h, arena_string(a, name));
    f->uuid = uuid_text(a, &uuid);
    f->driver = driver_version(a);
    f->memory_bytes = (int64_t)bytes;
    f->memory_clock_hz = 1e3 * attribute(v, h, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    f->bus_bits = attribute(v, h, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    f->device.dram_bytes_per_s = 2 * f->memory_clock_hz * f->bus_bits / 8;
    return true;
}

/* A waiting thread sleeps, so as to leave the cores to the compilers.  The device takes the times of events,
 * so a late wake-up does not affect them. */
DriverStatus driver_use(Driver *v, int i)
{
    CUdevice h = 0;
    CUcontext context = NULL;
    v->status = DRIVER_OK; /* forget failures of other devices */
    CHECK(v, cuDeviceGet, &h, i);
    CHECK(v, cuDevicePrimaryCtxSetFlags, h, CU_CTX_SCHED_BLOCKING_SYNC);
    CHECK(v, cuDevicePrimaryCtxRetain, &context, h);
    CHECK(v, cuCtxSetCurrent, context);
    return CHECK(v, cuStreamCreate, &v->stream, CU_STREAM_NON_BLOCKING);
}

/* --- memory ---------------------------------------------------------------------------------- */

DriverStatus driver_memory(Driver *v, size_t *free_bytes)
{
    size_t all;
    return CHECK(v, cuMemGetInfo, free_bytes, &all);
}

DriverStatus driver_alloc(Driver *v, size_t bytes, DriverAddress *p)
{
    CUdeviceptr address = 0;
    DriverStatus s = CHECK(v, cuMemAlloc, &address, bytes);
    *p = address;
    return s;
}

void driver_free(Driver *v, DriverAddress p)
{
    if (p)
        v->cuMemFree(p);
}

DriverStatus driver_set_bytes(Driver *v, DriverAddress p, unsigned char value, size_t bytes)
{
    return CHECK(v, cuMemsetD8Async, p, value, bytes, v->stream);
}

DriverStatus driver_copy(Driver *v, DriverAddress to, DriverAddress from, size_t bytes)
{
    return CHECK(v, cuMemcpyDtoDAsync, to, from, bytes, v->stream);
}

DriverStatus driver_upload(Driver *v, DriverAddress to, const void *from, size_t bytes)
{
    CHECK(v, cuMemcpyHtoDAsync, to, from, bytes, v->stream);
    return driver_wait(v);
}

DriverStatus driver_download(Driver *v, void *to, DriverAddress from, size_t bytes)
{
    CHECK(v, cuMemcpyDtoHAsync, to, from, bytes, v->stream);
    return driver_wait(v);
}

/* --- textures -------------------------------------------------------------------------------- */

struct DriverTexture {
    CUarray array;      /* NULL: fetched from linear memory */
    CUtexObject object; /* 0: not made yet */
};

static CUarray_format array_format(TaskScalar s)
{
    static const CUarray_format formats[TASK_SCALARS] = {
        [TASK_I8] = CU_AD_FORMAT_SIGNED_INT8,   [TASK_U8] = CU_AD_FORMAT_UNSIGNED_INT8,
        [TASK_I16] = CU_AD_FORMAT_SIGNED_INT16, [TASK_U16] = CU_AD_FORMAT_UNSIGNED_INT16,
        [TASK_I32] = CU_AD_FORMAT_SIGNED_INT32, [TASK_U32] = CU_AD_FORMAT_UNSIGNED_INT32,
        [TASK_HALF] = CU_AD_FORMAT_HALF};
    return formats[s] ? formats[s] : CU_AD_FORMAT_FLOAT;
}

static DriverStatus fill_array(Driver *v, const TaskTexture *t, TaskType type, DriverAddress from,
                               CUarray array)
{
    size_t row = (size_t)t->size[0] * task_type_size(type);
    size_t rows = t->size[1] ? (size_t)t->size[1] : 1;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = from,
                          .srcPitch = row,
                          .srcHeight = rows,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = row,
                          .Height = rows,
                          .Depth = t->size[2] ? (size_t)t->size[2] : 1};
    return CHECK(v, cuMemcpy3DAsync, &copy, v->stream);
}

static DriverStatus make_texture(Driver *v, const TaskTexture *t, TaskType type, DriverAddress from,
                                 CUarray array, CUtexObject *out)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    if (t->fetch) {
        resource.resType = CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear.devPtr = from;
        resource.res.linear.format = array_format(type.scalar);
        resource.res.linear.numChannels = (unsigned)type.lanes;
        resource.res.linear.sizeInBytes = (size_t)t->size[0] * task_type_size(type);
    }
    CUDA_TEXTURE_DESC how = {.filterMode =
                                 t->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT};
    for (int k = 0; k < 3; k++)
        how.addressMode[k] = (CUaddress_mode)t->edge;
    if (t->normalized)
        how.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (!task_scalar_is_float(type.scalar))
        how.flags |= CU_TRSF_READ_AS_INTEGER;
    return CHECK(v, cuTexObjectCreate, out, &resource, &how, NULL);
}

DriverStatus driver_texture_new(Driver *v, Arena *a, const TaskTexture *t, TaskType type,
                                DriverAddress from, DriverTexture **out, uint64_t *handle)
{
    DriverTexture *x = ARENA_NEW(a, DriverTexture);
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = (size_t)t->size[0],
                                     .Height = (size_t)t->size[1],
                                     .Depth = (size_t)t->size[2],
                                     .Format = array_format(type.scalar),
                                     .NumChannels = (unsigned)type.lanes};
    *out = x;
    if (!t->fetch) {
        CHECK(v, cuArray3DCreate, &x->array, &shape);
        fill_array(v, t, type, from, x->array);
    }
    make_texture(v, t, type, from, x->array, &x->object);
    *handle = x->object;
    return v->status;
}

void driver_texture_free(Driver *v, DriverTexture *t)
{
    if (!t)
        return;
    if (t->object)
        v->cuTexObjectDestroy(t->object);
    if (t->array)
        v->cuArrayDestroy(t->array);
}

/* --- kernels --------------------------------------------------------------------------------- */

DriverStatus driver_load(Driver *v, const void *cubin, DriverModule **m)
{
    return CHECK(v, cuModuleLoadData, (CUmodule *)m, cubin);
}

void driver_unload(Driver *v, DriverModule *m)
{
    if (m)
        v->cuModuleUnload((CUmodule)m);
}

DriverStatus driver_function(Driver *v, DriverModule *m, const char *name, DriverFunction **f)
{
    return CHECK(v, cuModuleGetFunction, (CUfunction *)f, (CUmodule)m, name);
}

bool driver_variable(Driver *v, DriverModule *m, const char *name, DriverAddress *p, size_t *bytes)
{
    CUdeviceptr at = 0;
    bool found = v->cuModuleGetGlobal(&at, bytes, (CUmodule)m, name) == CUDA_SUCCESS;
    *p = at;
    return found;
}

DriverStatus driver_kernel(Driver *v, DriverFunction *f, int *registers, int *threads_per_block)
{
    CHECK(v, cuFuncGetAttribute, registers, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)f);
    return CHECK(v, cuFuncGetAttribute, threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                 (CUfunction)f);
}

DriverStatus driver_allow_shared(Driver *v, DriverFunction *f, int64_t bytes)
{
    int value = bytes > INT_MAX ? INT_MAX : (int)bytes;
    return CHECK(v, cuFuncSetAttribute, (CUfunction)f,
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, value);
}

bool driver_parameter(Driver *v, DriverFunction *f, size_t i, size_t *size, bool *known)
{
    size_t offset;
    *known = v->parameter_info != NULL;
    return *known && v->parameter_info((CUfunction)f, i, &offset, size) == CUDA_SUCCESS;
}

/* A size of the driver's type; one that does not fit becomes 0, which the driver rejects. */
static unsigned narrow(int64_t n)
{
    return n > 0 && n <= UINT_MAX ? (unsigned)n : 0;
}

DriverStatus driver_launch(Driver *v, DriverFunction *f, const int64_t grid[3],
                           const int64_t block[3], int64_t shared, bool cooperative,
                           void **arguments)
{
#define LAUNCH(call, ...)                                                                          \
    CHECK(v, call, (CUfunction)f, narrow(grid[0]), narrow(grid[1]), narrow(grid[2]),               \
          narrow(block[0]), narrow(block[1]), narrow(block[2]), narrow(shared), v->stream,         \
          __VA_ARGS__)
    return cooperative ? LAUNCH(cuLaunchCooperativeKernel, arguments)
                       : LAUNCH(cuLaunchKernel, arguments, NULL);
#undef LAUNCH
}

/* --- graphs ---------------------------------------------------------------------------------- */

DriverStatus driver_capture(Driver *v)
{
    return CHECK(v, cuStreamBeginCapture, v->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

/* Ends the capture even after a failure. */
DriverStatus driver_capture_end(Driver *v, DriverGraph **g)
{
    CUgraph graph = NULL;
    *g = NULL;
    CUresult ended = v->cuStreamEndCapture(v->stream, &graph);
    if (!v->status)
        check(v, ended, "cuStreamEndCapture");
    CHECK(v, cuGraphInstantiateWithFlags, (CUgraphExec *)g, graph, 0);
    if (graph)
        v->cuGraphDestroy(graph);
    return v->status;
}

DriverStatus driver_graph_launch(Driver *v, DriverGraph *g)
{
    return CHECK(v, cuGraphLaunch, (CUgraphExec)g, v->stream);
}

void driver_graph_free(Driver *v, DriverGraph *g)
{
    if (g)
        v->cuGraphExecDestroy((CUgraphExec)g);
}

/* --- time ------------------------------------------------------------------------------------ */

DriverStatus driver_event_new(Driver *v, DriverEvent **e)
{
    return CHECK(v, cuEventCreate, (CUevent *)e, CU_EVENT_BLOCKING_SYNC);
}

void driver_event_free(Driver *v, DriverEvent *e)
{
    if (e)
        v->cuEventDestroy((CUevent)e);
}

DriverStatus driver_event_record(Driver *v, DriverEvent *e)
{
    return CHECK(v, cuEventRecord, (CUevent)e, v->stream);
}

DriverStatus driver_event_wait(Driver *v, DriverEvent *e)
{
    return CHECK(v, cuEventSynchronize, (CUevent)e);
}

DriverStatus driver_event_ms(Driver *v, DriverEvent *from, DriverEvent *to, double *ms)
{
    float f = 0;
    DriverStatus s = CHECK(v, cuEventElapsedTime, &f, (CUevent)from, (CUevent)to);
    *ms = (double)f;
    return s;
}

DriverStatus driver_wait(Driver *v)
{
    return CHECK(v, cuStreamSynchronize, v->stream);
}

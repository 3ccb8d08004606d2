/* A CUDA driver whose GPU is this processor: the process that measures (tuner/gpu/worker) runs on it as it is, where there is
 * no GPU.  It knows the kernels of kernels.cpp by their names; of a module it looks at what a driver refuses, no more.
 *
 * As on a GPU, an address that belongs to nothing, one that is not aligned and a trap end the kernel, and from then on
 * every call says so.  Other than there, a launch has ended when the call returns.  Its times are times of nothing: no
 * test may ask for more than that they are some. */
#include "tests/gpu/host/kernels.h"

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda.h>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <ucontext.h>

/* The names that the driver is asked for, whatever cuda.h makes of them. */
#undef cuDeviceGetUuid
#undef cuEventElapsedTime

enum {
    MAJOR = 9,
    SMS = 4,
    L2_BYTES = 1 << 16,
    GRID_X = 2147483647,
    GRID_YZ = 65535,
    STACK = (64 << 10) + 192 /* no power of two: the stacks would share few lines of the cache */
};
static const size_t MEMORY_BYTES = (size_t)1 << 30;

static CUresult lost; /* what ended a kernel */
static size_t taken;
static std::map<CUdeviceptr, size_t> allocated;

/* --- threads of a block -------------------------------------------------------------------------- */

/* They run in turn, each until it waits for the others.  Each has a stack for as long as the process lives and starts
 * over on it with every block, by jumps, which need no call of the system. */
static struct {
    jmp_buf at[HOST_THREADS], scheduler;
    char *stacks;
    unsigned count; /* of stacks in use */
    const host_kernel *kernel;
    void **arguments;
    unsigned me;
    bool done[HOST_THREADS];
} block;

static sigjmp_buf stopped;

void host_trap()
{
    siglongjmp(stopped, CUDA_ERROR_LAUNCH_FAILED);
}

static void signalled(int signal)
{
    siglongjmp(stopped, signal == SIGSEGV || signal == SIGBUS ? CUDA_ERROR_ILLEGAL_ADDRESS
                                                              : CUDA_ERROR_MISALIGNED_ADDRESS);
}

/* The C library's own: a sanitizer's looks over the whole stack first, which takes a hundred times as long. */
static void jump(jmp_buf to, int value)
{
    static void *const libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    static void (*const real)(jmp_buf, int) = (void (*)(jmp_buf, int))dlsym(libc, "_longjmp");
    real(to, value);
}

static void leave()
{
    if (!_setjmp(block.at[block.me]))
        jump(block.scheduler, 1);
}

void host_meet()
{
    if (block.kernel->meets)
        leave();
}

static void live()
{
    for (;;) {
        leave();
        block.kernel->run(block.kernel->f, block.arguments);
        block.done[block.me] = true;
    }
}

static void set_thread(unsigned i)
{
    block.me = i;
    threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
}

static void add_stack()
{
    ucontext_t made;
    getcontext(&made);
    made.uc_stack.ss_sp = block.stacks + (size_t)block.count * STACK;
    made.uc_stack.ss_size = STACK;
    makecontext(&made, live, 0);
    block.me = block.count++;
    if (!_setjmp(block.scheduler))
        setcontext(&made);
}

static void run_meeting(unsigned threads)
{
    while (block.count < threads)
        add_stack();
    memset(block.done, 0, sizeof block.done);
    for (volatile bool some = true; some;) {
        some = false;
        for (volatile unsigned i = 0; i < threads; i = i + 1)
            if (!block.done[i]) {
                some = true;
                set_thread(i);
                if (!_setjmp(block.scheduler))
                    jump(block.at[i], 1);
            }
    }
}

static void run_blocks(const host_kernel *k, void **arguments)
{
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    block.kernel = k;
    block.arguments = arguments;
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
                if (k->meets)
                    run_meeting(threads);
                else
                    for (unsigned i = 0; i < threads; i++) {
                        set_thread(i);
                        k->run(k->f, arguments);
                    }
}

static void run(const host_kernel *k, void **arguments)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGILL};
    struct sigaction before[3], now = {};
    now.sa_handler = signalled;
    now.sa_flags = SA_NODEFER;
    for (int i = 0; i < 3; i++)
        sigaction(SIGNALS[i], &now, &before[i]);
    const int why = sigsetjmp(stopped, 1);
    if (why == 0)
        run_blocks(k, arguments);
    else
        lost = (CUresult)why;
    for (int i = 0; i < 3; i++)
        sigaction(SIGNALS[i], &before[i], nullptr);
}

/* --- what is done now, or kept for a graph -------------------------------------------------------- */

typedef std::vector<std::function<void()>> Work;

static Work *captured;

static CUresult work(std::function<void()> f)
{
    if (lost)
        return lost;
    if (captured)
        captured->push_back(f);
    else
        f();
    return CUDA_SUCCESS;
}

extern "C" {

CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode)
{
    captured = new Work;
    return lost;
}

CUresult cuStreamEndCapture(CUstream, CUgraph *g)
{
    *g = (CUgraph)captured;
    captured = nullptr;
    return lost;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g, unsigned long long)
{
    *x = (CUgraphExec) new Work(*(Work *)g);
    return lost;
}

CUresult cuGraphDestroy(CUgraph g)
{
    delete (Work *)g;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec x)
{
    delete (Work *)x;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec x, CUstream)
{
    for (const auto &f : *(Work *)x)
        if (!lost)
            f();
    return lost;
}

/* --- the device ----------------------------------------------------------------------------------- */

CUresult cuInit(unsigned)
{
    block.stacks = (char *)malloc((size_t)HOST_THREADS * STACK);
    return block.stacks ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* NVRTC asks for it, where it finds a driver, to keep what it compiles. */
CUresult cuGetExportTable(const void **, const CUuuid *)
{
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult r, const char **name)
{
    switch (r) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
        *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
        break;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
        *name = "CUDA_ERROR_MISALIGNED_ADDRESS";
        break;
    default:
        *name = "an error of the host's driver";
    }
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult r, const char **text)
{
    return cuGetErrorName(r, text);
}

CUresult cuDeviceGetCount(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *d, int)
{
    *d = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice)
{
    strncpy(name, "this processor", (size_t)length);
    return CUDA_SUCCESS;
}

/* Runs on one GPU refuse each other, so tests that may run side by side name one each. */
CUresult cuDeviceGetUuid(CUuuid *u, CUdevice)
{
    const char *name = getenv("HOST_GPU");
    memset(u, 0, sizeof *u);
    memcpy(u, name ? name : "", strnlen(name ? name : "", sizeof *u));
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice)
{
    *bytes = MEMORY_BYTES;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice)
{
    static const std::map<int, int> all = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, MAJOR},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, SMS},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, GRID_X},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, GRID_YZ},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, GRID_YZ},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, HOST_SHARED},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, L2_BYTES},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
    };
    const auto found = all.find(what);
    *value = found == all.end() ? 0 : found->second;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned)
{
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice)
{
    *c = (CUcontext)&block;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext)
{
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *s, unsigned)
{
    *s = (CUstream)&block;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream)
{
    return lost;
}

/* --- memory ---------------------------------------------------------------------------------------- */

CUresult cuMemGetInfo(size_t *free_bytes, size_t *all)
{
    *all = MEMORY_BYTES;
    *free_bytes = MEMORY_BYTES - taken;
    return lost;
}

CUresult cuMemAlloc(CUdeviceptr *p, size_t bytes)
{
    if (lost)
        return lost;
    if (bytes > MEMORY_BYTES - taken)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = (CUdeviceptr)(uintptr_t)aligned_alloc(512, (bytes + 511) / 512 * 512);
    allocated[*p] = bytes;
    taken += bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr p)
{
    taken -= allocated[p];
    allocated.erase(p);
    free((void *)(uintptr_t)p);
    return lost;
}

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t bytes, CUstream)
{
    return work([=] { memset((void *)(uintptr_t)p, value, bytes); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream)
{
    return work([=] { memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes); });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream)
{
    return work([=] { memcpy((void *)(uintptr_t)to, from, bytes); });
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream)
{
    return work([=] { memcpy(to, (const void *)(uintptr_t)from, bytes); });
}

CUresult cuArray3DCreate(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuArrayDestroy(CUarray)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *, CUstream)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTexObjectDestroy(CUtexObject)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* --- kernels ---------------------------------------------------------------------------------------- */

static uint64_t field(const void *at, size_t offset, size_t size)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)at + offset, size);
    return x;
}

/* An ELF file whose section headers lie as its first one says, for this capability. */
CUresult cuModuleLoadData(CUmodule *m, const void *image)
{
    if (lost)
        return lost;
    if (memcmp(image, "\177ELF", 4) != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    if ((field(image, 48, 4) >> 8 & 0xff) != 10 * MAJOR)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    const char *names =
        (const char *)image + field(image, 40, 8) + field(image, 62, 2) * field(image, 58, 2);
    if (field(names, 4, 4) != 3 /* SHT_STRTAB */)
        return CUDA_ERROR_INVALID_IMAGE;
    *m = (CUmodule)&block;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule)
{
    return lost;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule, const char *name)
{
    for (const host_kernel &k : host_kernels)
        if (strcmp(k.name, name) == 0) {
            *f = (CUfunction)&k;
            return lost;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *)
{
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute what, CUfunction f)
{
    *value = what == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? ((const host_kernel *)f)->threads
             : what == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                             : 0;
    return lost;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int value)
{
    return lost ? lost : value > HOST_SHARED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size)
{
    const host_kernel *k = (const host_kernel *)f;
    if (i >= k->parameters.size())
        return CUDA_ERROR_INVALID_VALUE;
    *offset = 0; /* nobody asks */
    *size = k->parameters[i];
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream, void **arguments,
                        void **)
{
    const host_kernel *k = (const host_kernel *)f;
    const uint64_t threads = (uint64_t)bx * by * bz;
    if (lost)
        return lost;
    if (!gx || !gy || !gz || gx > GRID_X || gy > GRID_YZ || gz > GRID_YZ || !threads ||
        threads > 1024 || shared > HOST_SHARED)
        return CUDA_ERROR_INVALID_VALUE;
    if (threads > (uint64_t)k->threads)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    std::vector<std::vector<char>> values; /* as they are now: a graph runs later */
    for (size_t i = 0; i < k->parameters.size(); i++)
        values.emplace_back((char *)arguments[i], (char *)arguments[i] + k->parameters[i]);
    return work([=]() mutable {
        std::vector<void *> at;
        for (auto &v : values)
            at.push_back(v.data());
        gridDim = {gx, gy, gz};
        blockDim = {bx, by, bz};
        run(k, at.data());
    });
}

/* The blocks run one after the other, and no kernel here waits for another block.  It is as if the GPU held 64. */
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void **arguments)
{
    if ((uint64_t)gx * gy * gz > 64)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, nullptr);
}

/* --- time ------------------------------------------------------------------------------------------- */

CUresult cuEventCreate(CUevent *e, unsigned)
{
    *e = (CUevent) new timespec;
    return lost;
}

CUresult cuEventDestroy(CUevent e)
{
    delete (timespec *)e;
    return lost;
}

CUresult cuEventRecord(CUevent e, CUstream)
{
    return work([=] { clock_gettime(CLOCK_MONOTONIC, (timespec *)e); });
}

CUresult cuEventSynchronize(CUevent)
{
    return lost;
}

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
    const timespec *a = (const timespec *)from, *b = (const timespec *)to;
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return lost;
}
}

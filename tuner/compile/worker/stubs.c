#include "tuner/compile/worker/stubs.h"

#include <string.h>

/* Spelled as libcu++ does, which defines the same. */
static const char LIMITS[] = "#ifndef CHAR_BIT\n"
                             "#define CHAR_BIT 8\n"
                             "#define SCHAR_MIN (-128)\n"
                             "#define SCHAR_MAX 127\n"
                             "#define UCHAR_MAX 255\n"
                             "#define CHAR_MIN SCHAR_MIN\n"
                             "#define CHAR_MAX SCHAR_MAX\n"
                             "#define SHRT_MIN (-SHRT_MAX - 1)\n"
                             "#define SHRT_MAX 0x7fff\n"
                             "#define USHRT_MAX 0xffff\n"
                             "#define INT_MIN (-INT_MAX - 1)\n"
                             "#define INT_MAX 0x7fffffff\n"
                             "#define UINT_MAX 0xffffffff\n"
                             "#define LONG_MIN (-LONG_MAX - 1)\n"
                             "#define LONG_MAX LLONG_MAX\n"
                             "#define ULONG_MAX ULLONG_MAX\n"
                             "#define LLONG_MIN (-LLONG_MAX - 1)\n"
                             "#define LLONG_MAX 0x7fffffffffffffffLL\n"
                             "#define ULLONG_MAX 0xffffffffffffffffUL\n"
                             "#endif\n";

static const char INTEGERS[] =
    "#ifndef APTUNE_INTEGERS\n#define APTUNE_INTEGERS\n"
    "#include <limits.h>\n"
    "typedef signed char int8_t;\n"
    "typedef signed short int16_t;\n"
    "typedef signed int int32_t;\n"
    "typedef signed long long int64_t;\n"
    "typedef unsigned char uint8_t;\n"
    "typedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t;\n"
    "typedef unsigned long long uint64_t;\n"
    "typedef int64_t intptr_t;\n"
    "typedef uint64_t uintptr_t;\n"
    "namespace std {\n"
    "using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t;\n"
    "using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;\n"
    "}\n"
    "#ifndef INT32_MAX\n"
    "#define INT8_MIN SCHAR_MIN\n"
    "#define INT8_MAX SCHAR_MAX\n"
    "#define INT16_MIN SHRT_MIN\n"
    "#define INT16_MAX SHRT_MAX\n"
    "#define INT32_MIN INT_MIN\n"
    "#define INT32_MAX INT_MAX\n"
    "#define INT64_MIN LLONG_MIN\n"
    "#define INT64_MAX LLONG_MAX\n"
    "#define UINT8_MAX UCHAR_MAX\n"
    "#define UINT16_MAX USHRT_MAX\n"
    "#define UINT32_MAX UINT_MAX\n"
    "#define UINT64_MAX ULLONG_MAX\n"
    "#define SIZE_MAX UINT64_MAX\n"
    "#endif\n"
    "#endif\n";

/* IEEE 754 binary32 and binary64, as <float.h> has them. */
static const char FLOATS[] = "#ifndef FLT_MAX\n"
                             "#define FLT_DIG 6\n"
                             "#define FLT_MANT_DIG 24\n"
                             "#define FLT_EPSILON 1.19209290e-7f\n"
                             "#define FLT_MIN 1.17549435e-38f\n"
                             "#define FLT_MAX 3.40282347e+38f\n"
                             "#define DBL_DIG 15\n"
                             "#define DBL_MANT_DIG 53\n"
                             "#define DBL_EPSILON 2.2204460492503131e-16\n"
                             "#define DBL_MIN 2.2250738585072014e-308\n"
                             "#define DBL_MAX 1.7976931348623157e+308\n"
                             "#endif\n";

static const char MATHS[] =
    "#ifndef M_PI\n"
    "#define M_E 2.7182818284590452354\n"
    "#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n"
    "#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n"
    "#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n"
    "#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n"
    "#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n"
    "#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n"
    "#endif\n"
    "#ifndef INFINITY\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#define HUGE_VALF INFINITY\n"
    "#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)\n"
    "#endif\n"
    "namespace std {\n"
    "using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::pow; using ::exp; using "
    "::exp2;\n"
    "using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::sin; using "
    "::cos;\n"
    "using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using "
    "::cosh;\n"
    "using ::tanh; using ::floor; using ::ceil; using ::trunc; using ::round; using ::rint;\n"
    "using ::fmod; using ::fma; using ::fmin; using ::fmax; using ::hypot; using ::erf; using "
    "::erfc;\n"
    "using ::isnan; using ::isinf; using ::isfinite; using ::copysign; using ::ldexp;\n"
    "}\n";

static const char NVCC[] = "#include <float.h>\n"
                           "#include <limits.h>\n"
                           "#include <math.h>\n"
                           "#include <stdint.h>\n"
                           "typedef unsigned int uint;\n"
                           "typedef unsigned short ushort;\n"
                           "typedef unsigned long ulong;\n";

/* Host code in headers names these; printf, malloc and assert are the device's own. */
#define NOTHING(type, name)                                                                        \
    "extern \"C++\" { template <class... __T> __device__ inline " type " " name                    \
    "(__T...) { return 0; } }\n"
static const char FILES[] =
    "#ifndef APTUNE_FILES\n#define APTUNE_FILES\n"
    "#include <stddef.h>\n"
    "#define EOF (-1)\n"
    "#define SEEK_SET 0\n"
    "#define SEEK_CUR 1\n"
    "#define SEEK_END 2\n"
    "struct FILE;\n"
    "#define stdin ((FILE *)0)\n"
    "#define stdout ((FILE *)0)\n"
    "#define stderr ((FILE *)0)\n" NOTHING("int", "fprintf") NOTHING("int", "sprintf")
        NOTHING("int", "snprintf") NOTHING("int", "fscanf") NOTHING("int", "puts")
            NOTHING("int", "fflush") NOTHING("int", "fclose") NOTHING("FILE *", "fopen")
                NOTHING("size_t", "fread") NOTHING("size_t", "fwrite") NOTHING("int", "fseek")
                    NOTHING("long", "ftell") "#endif\n";
static const char SYSTEM[] =
    "#ifndef APTUNE_SYSTEM\n#define APTUNE_SYSTEM\n"
    "#include <stddef.h>\n"
    "#define EXIT_SUCCESS 0\n"
    "#define EXIT_FAILURE 1\n"
    "#define RAND_MAX 2147483647\n"
    "__device__ inline void exit(int) { __trap(); }\n"
    "__device__ inline void abort() { __trap(); }\n"
    "__device__ inline void srand(unsigned) {}\n" NOTHING("int", "rand") NOTHING("int", "atoi")
        NOTHING("double", "atof") NOTHING("char *", "getenv") "#endif\n";

static const char ASSERT[] = "#ifdef NDEBUG\n"
                             "#undef assert\n"
                             "#define assert(condition) ((void)0)\n"
                             "#endif\n";
static const char NULLS[] =
    "#ifndef NULL\n#define NULL 0\n#endif\nnamespace std { using ::size_t; }\n";
static const char ALGORITHM[] =
    "#ifndef APTUNE_ALGORITHM\n#define APTUNE_ALGORITHM\n"
    "extern \"C++\" { namespace std {\n"
    "template <class __T> __device__ constexpr const __T &min(const __T &a, const __T &b)\n"
    "{ return b < a ? b : a; }\n"
    "template <class __T> __device__ constexpr const __T &max(const __T &a, const __T &b)\n"
    "{ return a < b ? b : a; }\n"
    "template <class __T> __device__ constexpr void swap(__T &a, __T &b) { __T c = a; a = b; b = "
    "c; }\n"
    "} }\n"
    "#endif\n";
/* libcu++ declares the rest; a compile of its headers takes a second. */
static const char LIMIT_CLASS[] = "#include <cuda/std/limits>\n"
                                  "namespace std { using cuda::std::numeric_limits; }\n";

/* The header of GCC that includes all of the others. */
static const char EVERYTHING[] = "#include <float.h>\n#include <limits.h>\n#include <math.h>\n"
                                 "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                                 "#include <assert.h>\n#include <string.h>\n"
                                 "#include <algorithm>\nnamespace std {}\n";

/* Of the CUDA samples. */
static const char SAMPLES[] = "#ifndef APTUNE_SAMPLES\n#define APTUNE_SAMPLES\n"
                              "#define checkCudaErrors(call) (call)\n"
                              "#define getLastCudaError(message) ((void)0)\n"
                              "#endif\n";

/* cuBLAS brings the types it computes with. */
static const char NUMBERS[] = "#include <cuda_fp16.h>\n"
                              "#include <cuda_bf16.h>\n";

#define PART(name) "#if __has_include(<cub/" name ".cuh>)\n#include <cub/" name ".cuh>\n#endif\n"
static const char CUB[] = PART("block/block_adjacent_difference") PART("block/block_discontinuity")
    PART("block/block_exchange") PART("block/block_histogram") PART("block/block_load")
        PART("block/block_merge_sort") PART("block/block_radix_sort") PART("block/block_reduce")
            PART("block/block_run_length_decode") PART("block/block_scan")
                PART("block/block_shuffle") PART("block/block_store") PART("thread/thread_load")
                    PART("thread/thread_operators") PART("thread/thread_store")
                        PART("warp/warp_exchange") PART("warp/warp_load")
                            PART("warp/warp_merge_sort") PART("warp/warp_reduce")
                                PART("warp/warp_scan") PART("warp/warp_store");

#define LIBCUXX(name)                                                                              \
    {                                                                                              \
        name, "#include <cuda/std/" name ">\nnamespace std { using namespace cuda::std; }\n"       \
    }

static const StubHeader STUBS[] = {
    {STUB_NVCC, NVCC},
    {"limits.h climits", LIMITS},
    {"stdint.h inttypes.h cstdint cinttypes", INTEGERS},
    {"float.h cfloat", FLOATS},
    {"math.h cmath", MATHS},
    {"stdio.h cstdio", FILES},
    {"stdlib.h cstdlib", SYSTEM},
    {"assert.h cassert", ASSERT},
    {"stddef.h cstddef string.h cstring memory.h", NULLS},
    {"algorithm", ALGORITHM},
    {"limits", LIMIT_CLASS},
    LIBCUXX("type_traits"),
    LIBCUXX("utility"),
    LIBCUXX("array"),
    LIBCUXX("tuple"),
    LIBCUXX("functional"),
    LIBCUXX("complex"),
    LIBCUXX("numeric"),
    LIBCUXX("initializer_list"),
    LIBCUXX("ratio"),
    LIBCUXX("bit"),
    LIBCUXX("iterator"),
    LIBCUXX("optional"),
    LIBCUXX("variant"),
    {"cub/cub.cuh", CUB},
    {"helper_cuda.h", SAMPLES},
    {"cublas.h cublas_v2.h cublasLt.h", NUMBERS},
    {"bits/stdc++.h", EVERYTHING},
    {"unistd.h",
     "#define _POSIX_VERSION 200809L\n"}, /* what headers ask whether they are on Unix */
    /* Nothing of these is for the device. */
    {"helper_functions.h helper_string.h helper_timer.h helper_image.h "
     "cuda_runtime_api.h cudnn.h cufft.h cusparse.h cusolverDn.h nccl.h nvml.h mpi.h "
     "omp.h nvToolsExt.h nvtx3/nvToolsExt.h nvtx3/nvToolsExtCudaRt.h "
     "nvToolsExtCudaRt.h arpa/inet.h netinet/in.h netdb.h sys/socket.h sys/utsname.h "
     "sys/wait.h sched.h dlfcn.h cuda_profiler_api.h iostream iomanip ios istream "
     "ostream fstream sstream string string_view vector map unordered_map set "
     "unordered_set list deque queue stack memory thread mutex future "
     "condition_variable chrono random exception stdexcept system_error cctype cerrno "
     "csignal ctime cstdarg locale regex filesystem typeinfo sys/time.h sys/types.h "
     "sys/stat.h sys/resource.h sys/mman.h sys/timeb.h time.h errno.h ctype.h signal.h "
     "fcntl.h locale.h stdbool.h stdarg.h malloc.h strings.h pthread.h "
     "dirent.h libgen.h glob.h error.h termios.h sys/ioctl.h poll.h semaphore.h "
     "wchar.h cwchar fenv.h cfenv getopt.h barrier latch span ranges concepts "
     "source_location format numbers compare any bitset valarray clocale csetjmp "
     "setjmp.h typeindex new CL/cl.h CL/opencl.h sys/syscall.h "
     "thrust/host_vector.h thrust/device_vector.h thrust/universal_vector.h thrust/device_ptr.h "
     "thrust/device_malloc.h thrust/device_free.h thrust/device_new.h thrust/execution_policy.h "
     "thrust/system/cuda/execution_policy.h thrust/sort.h thrust/reduce.h thrust/scan.h "
     "thrust/transform.h thrust/transform_reduce.h thrust/transform_scan.h thrust/copy.h "
     "thrust/fill.h thrust/sequence.h thrust/generate.h thrust/for_each.h thrust/count.h "
     "thrust/extrema.h thrust/find.h thrust/gather.h thrust/scatter.h thrust/unique.h "
     "thrust/remove.h thrust/replace.h thrust/merge.h thrust/partition.h thrust/set_operations.h "
     "thrust/inner_product.h thrust/adjacent_difference.h thrust/binary_search.h thrust/equal.h "
     "thrust/logical.h thrust/random.h thrust/reverse.h thrust/swap.h thrust/mismatch.h "
     "thrust/memory.h thrust/tabulate.h thrust/uninitialized_copy.h ",
     "namespace std {}\n"}};

const StubHeader *stub_headers(size_t *count)
{
    *count = sizeof STUBS / sizeof *STUBS;
    return STUBS;
}

#include "tuner/compile/worker/nvrtc.h"

#include "metrics/base/file.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

/* --- stubs ------------------------------------------------------------------------------------ */

/* Stand-ins for host headers that device code includes by habit.
 *
 * NVRTC has only the toolkit's headers. It gets these by name, before it searches folders: they declare
 * what the device has or what does nothing; of host libraries only names remain. They let a file written
 * for nvcc compile; the code is the same. */

typedef struct StubHeader {
    const char *names; /* of headers, separated by blanks */
    const char *text;  /* '@' stands for the header's name */
} StubHeader;

/* Included by nvcc in every source. */
#define STUB_NVCC "aptune/nvcc.h"

/* Spelled as in libcu++, which defines the same macros. */
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

/* As in glibc, where 64 bits are a long; libcu++ says long long, before CUDA 13 in places out of reach. */
#define KIND(type, name) "typedef " type " " name "_t; namespace std { using ::" name "_t; }\n"
#define SIZED(size, type, fast)                                                                    \
    KIND("signed " type, "int" size)                                                               \
    KIND("unsigned " type, "uint" size)                                                            \
    KIND("signed " type, "int_least" size)                                                         \
    KIND("unsigned " type, "uint_least" size)                                                      \
    KIND("signed " fast, "int_fast" size)                                                          \
    KIND("unsigned " fast, "uint_fast" size)
#define RANGE(size, of, of_unsigned, length)                                                       \
    "#define INT" size "_MIN " of "_MIN\n"                                                         \
    "#define INT" size "_MAX " of "_MAX\n"                                                         \
    "#define UINT" size "_MAX " of_unsigned "_MAX\n"                                               \
    "#define INT" size "_C(X) X" length "\n"                                                       \
    "#define UINT" size "_C(X) X##U" length "\n"
/* clang-format off */
static const char INTEGERS[] =
    "#ifndef APTUNE_INTEGERS\n#define APTUNE_INTEGERS\n"
    "#include <limits.h>\n"
    "#if __CUDACC_VER_MAJOR__ < 13\n#define APTUNE_64 long long\n#else\n#define APTUNE_64 long\n"
    "#endif\n"
    SIZED("8", "char", "char")
    SIZED("16", "short", "APTUNE_64")
    SIZED("32", "int", "APTUNE_64")
    SIZED("64", "APTUNE_64", "APTUNE_64")
    KIND("APTUNE_64", "intptr")
    KIND("unsigned APTUNE_64", "uintptr")
    KIND("APTUNE_64", "intmax")
    KIND("unsigned APTUNE_64", "uintmax")
    RANGE("8", "SCHAR", "UCHAR", "")
    RANGE("16", "SHRT", "USHRT", "")
    RANGE("32", "INT", "UINT", "")
    RANGE("64", "LONG", "ULONG", "##L")
    RANGE("MAX", "LONG", "ULONG", "##L")
    RANGE("PTR", "LONG", "ULONG", "##L")
    "#define SIZE_MAX UINT64_MAX\n"
    "#define PRId32 \"d\"\n#define PRIu32 \"u\"\n#define PRIx32 \"x\"\n"
    "#define PRId64 \"ld\"\n#define PRIu64 \"lu\"\n#define PRIx64 \"lx\"\n"
    "#endif\n";
/* clang-format on */

/* Reads libcu++'s header as for a host compiler: it takes the types from <cstdint>. NVRTC has no push_macro. */
static const char CUDA_INTEGERS[] =
    "#include <cuda/std/version>\n#include <cuda/std/climits>\n"
    "#if __CUDACC_VER_MAJOR__ >= 13\n"
    "#undef _CCCL_COMPILER_NVRTC\n#define _CCCL_COMPILER_NVRTC() _CCCL_VERSION_INVALID()\n"
    "#endif\n"
    "#include <cuda/std/../std/cstdint>\n"
    "#if __CUDACC_VER_MAJOR__ >= 13\n"
    "#undef _CCCL_COMPILER_NVRTC\n"
    "#define _CCCL_COMPILER_NVRTC() (__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__)\n"
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
    "using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::pow; using ::exp;\n"
    "using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;\n"
    "using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan;\n"
    "using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::floor; using ::ceil;\n"
    "using ::trunc; using ::round; using ::rint; using ::fmod; using ::fma; using ::fmin;\n"
    "using ::fmax; using ::hypot; using ::erf; using ::erfc; using ::isnan; using ::isinf;\n"
    "using ::isfinite; using ::copysign; using ::ldexp;\n"
    "}\n";

/* Host code in headers names these; the device has its own printf, malloc and assert. */
#define NOTHING(type, name)                                                                        \
    "extern \"C++\" { template <class... __T> __device__ inline " type " " name                    \
    "(__T...) { return 0; } }\n"

static const char NVCC[] = "#include <float.h>\n"
                           "#include <limits.h>\n"
                           "#include <math.h>\n"
                           "#include <stddef.h>\n"
                           "#include <stdint.h>\n"
                           "typedef unsigned char uchar;\n" /* as in glibc's and OpenCV's headers */
                           "typedef unsigned int uint;\n"
                           "typedef unsigned short ushort;\n"
                           "typedef unsigned long ulong;\n"
                           "#define __extension__\n" /* a keyword of gcc's headers */
    NOTHING("const char *", "cudaGetErrorString") NOTHING("const char *", "cudaGetErrorName");

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
static const char NULLS[] = "#ifndef NULL\n#define NULL 0\n#endif\n"
                            "namespace std { using ::size_t; using ::memcpy; using ::memset; }\n";
static const char ALGORITHM[] =
    "#ifndef APTUNE_ALGORITHM\n#define APTUNE_ALGORITHM\n"
    "extern \"C++\" { namespace std {\n"
    "template <class __T> __device__ constexpr const __T &min(const __T &a, const __T &b)\n"
    "{ return b < a ? b : a; }\n"
    "template <class __T> __device__ constexpr const __T &max(const __T &a, const __T &b)\n"
    "{ return a < b ? b : a; }\n"
    "template <class __T> __device__ constexpr void swap(__T &a, __T &b)\n"
    "{ __T c = a; a = b; b = c; }\n"
    "} }\n"
    "#endif\n";
/* libcu++ declares the rest; compiling its headers takes a second. */
static const char LIMIT_CLASS[] = "#include <cuda/std/limits>\n"
                                  "namespace std { using cuda::std::numeric_limits; }\n";

/* The header of GCC that includes all of the others. */
static const char EVERYTHING[] = "#include <float.h>\n#include <limits.h>\n#include <math.h>\n"
                                 "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                                 "#include <assert.h>\n#include <string.h>\n"
                                 "#include <algorithm>\nnamespace std {}\n";

/* From the CUDA samples. */
static const char SAMPLES[] = "#ifndef APTUNE_SAMPLES\n#define APTUNE_SAMPLES\n"
                              "#define checkCudaErrors(call) (call)\n"
                              "#define getLastCudaError(message) ((void)0)\n"
                              "#endif\n";

/* cuBLAS and cuFFT bring the types that they compute with; host classes hold their handles. */
static const char NUMBERS[] = "#include <cuComplex.h>\n"
                              "#include <cuda_fp16.h>\n"
                              "#include <cuda_bf16.h>\n"
                              "typedef struct cublasContext *cublasHandle_t;\n";
static const char GRAPHICS[] =
    "typedef unsigned int GLuint; typedef unsigned int GLenum; typedef int GLint; "
    "typedef float GLfloat; typedef unsigned char GLubyte; struct GLFWwindow; "
    "struct cudaGraphicsResource;\n";
static const char FFT[] = "#include <cuComplex.h>\n"
                          "typedef int cufftHandle;\n"
                          "typedef float cufftReal;\n"
                          "typedef double cufftDoubleReal;\n"
                          "typedef cuComplex cufftComplex;\n"
                          "typedef cuDoubleComplex cufftDoubleComplex;\n";

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

/* Thrust's own header contains host output. */
static const char COMPLEX[] =
    "#include <cuda/std/complex>\n"
    "namespace thrust {\n"
    "using cuda::std::complex; using cuda::std::abs; using cuda::std::arg; using cuda::std::conj;\n"
    "using cuda::std::exp; using cuda::std::log; using cuda::std::norm; using cuda::std::polar;\n"
    "using cuda::std::pow; using cuda::std::proj; using cuda::std::sqrt; using cuda::std::sin;\n"
    "using cuda::std::cos; using cuda::std::tan; using cuda::std::sinh; using cuda::std::cosh;\n"
    "}\n";

/* Base classes of host code. */
static const char EXCEPTIONS[] =
    "#ifndef APTUNE_EXCEPTIONS\n#define APTUNE_EXCEPTIONS\n"
    "namespace std {\n"
    "struct exception {};\n"
    "struct logic_error : exception { template <class __T> logic_error(const __T &) {} };\n"
    "struct runtime_error : exception { template <class __T> runtime_error(const __T &) {} };\n"
    "struct invalid_argument : logic_error { using logic_error::logic_error; };\n"
    "struct out_of_range : logic_error { using logic_error::logic_error; };\n"
    "}\n"
    "#endif\n";

/* Host library classes that structs and declarations beside a kernel name: constructible from anything, and
 * empty. Each has its own guard, since several headers have it. */
#define CLASS(name)                                                                                \
    "template <class...> struct " name " {\n"                                                      \
    "    struct iterator {}; struct const_iterator {};\n"                                          \
    "    typedef unsigned long size_type;\n"                                                       \
    "    " name "() = default;\n"                                                                  \
    "    template <class... __A> " name "(__A &&...) {}\n"                                         \
    "};\n"
#define HOSTS(name)                                                                                \
    "#ifndef APTUNE_" name "\n#define APTUNE_" name "\nnamespace std {\n" CLASS(name) "}\n#"       \
                                                                                      "endif\n"
#define PLAIN(name, of)                                                                            \
    "#ifndef APTUNE_" name "\n#define APTUNE_" name "\nnamespace std { typedef " of "<char> " name \
    "; }\n#endif\n"
#define STRINGS HOSTS("basic_string") PLAIN("string", "basic_string") "namespace std {}\n"
static const char STREAMS[] = STRINGS HOSTS("basic_ostream") HOSTS("basic_istream")
    HOSTS("basic_fstream") PLAIN("ostream", "basic_ostream") PLAIN("istream", "basic_istream")
        PLAIN("ofstream", "basic_fstream") PLAIN("ifstream", "basic_fstream")
            PLAIN("fstream", "basic_fstream") PLAIN("stringstream", "basic_fstream")
                PLAIN("ostringstream", "basic_fstream") PLAIN("istringstream", "basic_fstream");
static const char CHRONO[] =
    "#ifndef APTUNE_CHRONO\n#define APTUNE_CHRONO\nnamespace std {\n"
    "struct milli; struct micro; struct nano;\n"
    "namespace chrono {\n" CLASS("duration")
        CLASS("time_point") "struct steady_clock {\n"
                            "    typedef chrono::time_point<> time_point; typedef "
                            "chrono::duration<> duration;\n"
                            "};\n"
                            "typedef steady_clock system_clock, high_resolution_clock;\n"
                            "typedef duration<> hours, minutes, seconds, milliseconds, "
                            "microseconds, nanoseconds;\n"
                            "} }\n#endif\n";
static const char RANDOM[] = HOSTS("uniform_real_distribution") HOSTS("uniform_int_distribution")
    HOSTS("normal_distribution") HOSTS("__engine") PLAIN("mt19937", "__engine")
        PLAIN("mt19937_64", "__engine") PLAIN("random_device", "__engine")
            PLAIN("default_random_engine", "__engine");

static const StubHeader STUBS[] = {
    {STUB_NVCC, NVCC},
    {"limits.h climits", LIMITS},
    {"stdint.h inttypes.h cstdint cinttypes", INTEGERS},
    {"cuda/std/cstdint", CUDA_INTEGERS},
    {"float.h cfloat", FLOATS},
    {"math.h cmath", MATHS},
    {"stdio.h cstdio", FILES},
    {"stdlib.h cstdlib", SYSTEM},
    {"assert.h cassert", ASSERT},
    {"stddef.h cstddef string.h cstring memory.h", NULLS},
    {"algorithm", ALGORITHM},
    {"limits", LIMIT_CLASS},
    {"type_traits utility array tuple complex numeric initializer_list ratio bit iterator optional "
     "variant concepts numbers",
     "#include <cuda/std/@>\nnamespace std { using namespace cuda::std; }\n"},
    {"functional",
     "#include <cuda/std/functional>\nnamespace std { using namespace cuda::std; }\n" HOSTS(
         "function")},
    {"thrust/complex.h", COMPLEX},
    {"stdexcept exception", EXCEPTIONS},
    {"cub/cub.cuh", CUB},
    {"helper_cuda.h", SAMPLES},
    {"cublas.h cublas_v2.h cublas_api.h cublasLt.h cublasXt.h", NUMBERS},
    {"cufft.h cufftXt.h", FFT},
    {"cuda_gl_interop.h GL/glew.h GL/gl.h GL/glut.h GL/freeglut.h GL/glu.h GLFW/glfw3.h "
     "glad/glad.h",
     GRAPHICS},
    {"filesystem", "namespace std { namespace filesystem {} }\n"},
    {"bits/stdc++.h", EVERYTHING},
    {"unistd.h", "#define _POSIX_VERSION 200809L\n"}, /* headers test for Unix by it */
    {"string", STRINGS},
    {"string_view", HOSTS("basic_string_view") PLAIN("string_view", "basic_string_view")},
    {"iostream ostream istream fstream sstream iomanip ios iosfwd", STREAMS},
    {"vector unordered_map set unordered_set list deque stack", HOSTS("@")},
    {"map", HOSTS("map") HOSTS("multimap")},
    {"queue", HOSTS("queue") HOSTS("priority_queue")},
    {"memory", HOSTS("unique_ptr") HOSTS("shared_ptr") HOSTS("weak_ptr") HOSTS("allocator")},
    {"mutex", HOSTS("lock_guard") HOSTS("unique_lock") HOSTS("__lock") PLAIN("mutex", "__lock")},
    {"thread", HOSTS("__thread") PLAIN("thread", "__thread")},
    {"chrono", CHRONO},
    {"random", RANDOM},
    /* Nothing in these is for the device. */
    {"helper_functions.h helper_string.h helper_timer.h helper_image.h "
     "cuda_runtime_api.h cudnn.h cusparse.h cusparse_v2.h "
     "cusolverDn.h cusolverSp.h cusolver_common.h npp.h nppi.h nccl.h nvml.h mpi.h "
     "omp.h nvToolsExt.h nvtx3/nvToolsExt.h nvtx3/nvToolsExtCudaRt.h "
     "nvToolsExtCudaRt.h arpa/inet.h netinet/in.h netdb.h sys/socket.h sys/utsname.h "
     "sys/wait.h sched.h dlfcn.h cuda_profiler_api.h "
     "future "
     "condition_variable system_error cctype cerrno "
     "csignal ctime cstdarg locale regex typeinfo sys/time.h sys/types.h "
     "sys/stat.h sys/resource.h sys/mman.h sys/timeb.h time.h errno.h ctype.h signal.h "
     "fcntl.h locale.h stdbool.h stdarg.h malloc.h strings.h pthread.h "
     "dirent.h libgen.h glob.h error.h termios.h sys/ioctl.h poll.h semaphore.h "
     "wchar.h cwchar fenv.h cfenv getopt.h barrier latch span ranges "
     "source_location format compare any bitset valarray clocale csetjmp "
     "setjmp.h typeindex new CL/cl.h CL/opencl.h sys/syscall.h",
     "namespace std {}\n"}};

typedef enum CacheOption {
    CACHE_OPTION_UNTRIED,
    CACHE_OPTION_KNOWN,
    CACHE_OPTION_UNKNOWN
} CacheOption;

/* The functions used; all of them exist since 11.1. */
#define NVRTC_FUNCTIONS(X)                                                                         \
    X(get_version, nvrtcVersion)                                                                   \
    X(error_string, nvrtcGetErrorString)                                                           \
    X(create, nvrtcCreateProgram)                                                                  \
    X(destroy, nvrtcDestroyProgram)                                                                \
    X(add_name, nvrtcAddNameExpression)                                                            \
    X(compile, nvrtcCompileProgram)                                                                \
    X(log_size, nvrtcGetProgramLogSize)                                                            \
    X(log, nvrtcGetProgramLog)                                                                     \
    X(ptx_size, nvrtcGetPTXSize)                                                                   \
    X(ptx, nvrtcGetPTX)                                                                            \
    X(cubin_size, nvrtcGetCUBINSize)                                                               \
    X(cubin, nvrtcGetCUBIN)                                                                        \
    X(lowered, nvrtcGetLoweredName)

struct Nvrtc {
    void *library;
    char version[32];
    Texts headers; /* "-I…" of the toolkit's folders */
    CacheOption no_cache;
#define MEMBER(member, function) __typeof__(&function) member;
    NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* ---- finding the library ------------------------------------------------------------------- */

static const char *const LIBRARIES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
enum { LIBRARY_COUNT = COUNT_OF(LIBRARIES) };

/* Library folders of toolkits and of NVIDIA's Python wheels. */
static const char *const FOLDERS[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                      "targets/sbsa-linux/lib"};

static void add_folder(Arena *a, Texts *candidates, const char *folder)
{
    for (size_t i = 0; i < LIBRARY_COUNT; i++)
        VEC_PUSH(a, candidates, arena_printf(a, "%s/%s", folder, LIBRARIES[i]));
}

static void add_toolkit(Arena *a, Texts *candidates, const char *root)
{
    if (!root || !*root)
        return;
    for (size_t i = 0; i < COUNT_OF(FOLDERS); i++)
        add_folder(a, candidates, arena_printf(a, "%s/%s", root, FOLDERS[i]));
}

static Texts list_candidates(Arena *a, const char *cuda_folder)
{
    Texts candidates = {0};
    const char *chosen = getenv("APTUNE_NVRTC");
    if (chosen && *chosen) {
        if (strstr(path_stem(a, chosen, ""), ".so"))
            VEC_PUSH(a, &candidates, chosen);
        else
            add_folder(a, &candidates, chosen);
        return candidates;
    }
    add_toolkit(a, &candidates, cuda_folder);
    add_toolkit(a, &candidates, getenv("CUDA_HOME"));
    add_toolkit(a, &candidates, getenv("CUDA_PATH"));
    add_toolkit(a, &candidates, "/usr/local/cuda");
    for (size_t i = 0; i < LIBRARY_COUNT; i++)
        VEC_PUSH(a, &candidates, LIBRARIES[i]);
    return candidates;
}

/* The file that the loader chose for a bare name. */
static const char *library_file(Arena *a, void *library, const char *asked)
{
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/')
        return arena_string(a, map->l_name);
    return asked;
}

/* Opens the first candidate that works. One that exists but does not open is reported, but the next may
 * do. */
static void *open_first(Arena *a, const Texts *candidates, NvrtcSearch *search, Buf *complaints)
{
    void *library = NULL;
    for (size_t i = 0; i < candidates->count && !library; i++) {
        const char *path = candidates->at[i];
        bool bare = strchr(path, '/') == NULL;
        if (bare || file_exists(path))
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library) {
            search->library = bare ? library_file(a, library, path) : path;
        } else if (bare || !file_exists(path)) {
            VEC_PUSH(a, &search->missing, path);
        } else {
            buf_printf(complaints, "\n  %s", dlerror());
        }
    }
    return library;
}

static bool find_functions(Nvrtc *n, const char *path, Diag *d)
{
    /* dlsym returns an object pointer; POSIX lets it be stored as a function pointer. */
#define FIND(member, function)                                                                     \
    *(void **)&n->member = dlsym(n->library, #function);                                           \
    if (!n->member)                                                                                \
        return diag_fail(d, "'%s' has no function %s", path, #function);
    NVRTC_FUNCTIONS(FIND)
#undef FIND
    return true;
}

/* Lists the missing files' folders, each once, for the message. */
static void list_folders(Arena *a, const NvrtcSearch *search, Buf *out)
{
    const char *last = "";
    for (size_t i = 0; i < search->missing.count; i++) {
        const char *path = search->missing.at[i];
        const char *folder = strchr(path, '/') ? path_folder(a, path) : "the loader's own path";
        if (strcmp(folder, last) != 0)
            buf_printf(out, "%s%s", *last ? ", " : "", folder);
        last = folder;
    }
}

static void say_not_found(Arena *a, const NvrtcSearch *search, const Buf *complaints, Diag *d)
{
    SCOPED_BUF folders = {0};
    list_folders(a, search, &folders);
    diag_fail(d,
              "cannot open NVRTC, the CUDA compiler library (libnvrtc.so.13 or .12): looked in "
              "%s%s; set CUDA_HOME to a toolkit or APTUNE_NVRTC to the library",
              buf_text(&folders), buf_text(complaints));
}

/* NVRTC opens its second library by bare name, at the first compile. The loader knows toolkits; it does not
 * know NVIDIA's wheels, which have no RUNPATH, so that it would find none or another toolkit's. A library
 * already open under that name is used: open the one beside it, if any. */
static void open_builtins(Arena *a, const char *library, const char *version)
{
    if (strchr(library, '/'))
        dlopen(arena_printf(a, "%s/libnvrtc-builtins.so.%s", path_folder(a, library), version),
               RTLD_NOW | RTLD_LOCAL);
}

/* ---- the toolkit's headers ------------------------------------------------------------------- */

/* Adds a toolkit's folder if it has device headers. */
static bool take_headers(Arena *a, Nvrtc *n, const char *root, const char *below)
{
    const char *folder = root && *root ? arena_printf(a, "%s/%s", root, below) : NULL;
    if (!folder || !file_exists(arena_printf(a, "%s/cuda_fp16.h", folder)))
        return false;
    VEC_PUSH(a, &n->headers, arena_printf(a, "-I%s", folder));
    if (file_exists(arena_printf(a, "%s/cccl/cuda/std/cstdint", folder)))
        VEC_PUSH(a, &n->headers, arena_printf(a, "-I%s/cccl", folder));
    return true;
}

/* Beside the library first, where the versions match. */
static void find_headers(Arena *a, Nvrtc *n, const char *library, const char *cuda_folder)
{
    const char *folder = path_folder(a, path_real(a, library, library));
    const char *const roots[] = {path_folder(a, folder),
                                 path_folder(a, path_folder(a, folder)),
                                 path_folder(a, path_folder(a, path_folder(a, folder))),
                                 cuda_folder,
                                 getenv("CUDA_HOME"),
                                 getenv("CUDA_PATH"),
                                 "/usr/local/cuda"};
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if (take_headers(a, n, roots[i], "include"))
            return;
}

Nvrtc *nvrtc_open(Arena *a, const char *cuda_folder, NvrtcSearch *search, Diag *d)
{
    *search = (NvrtcSearch){0};
    Texts candidates = list_candidates(a, cuda_folder);
    SCOPED_BUF complaints = {0};
    Nvrtc *n = ARENA_NEW(a, Nvrtc);
    n->library = open_first(a, &candidates, search, &complaints);
    if (!n->library)
        say_not_found(a, search, &complaints, d);
    if (!n->library || !find_functions(n, search->library, d))
        return NULL;
    int major = 0, minor = 0;
    n->get_version(&major, &minor);
    snprintf(n->version, sizeof n->version, "%d.%d", major, minor);
    open_builtins(a, search->library, n->version);
    find_headers(a, n, search->library, cuda_folder);
    return n;
}

const char *nvrtc_version(const Nvrtc *n)
{
    return n->version;
}

/* ---- compiling ----------------------------------------------------------------------------- */

typedef nvrtcResult (*SizeFunction)(nvrtcProgram, size_t *);
typedef nvrtcResult (*BytesFunction)(nvrtcProgram, char *);

/* An output of the program; "" and 0: none. */
static const char *get_bytes(Arena *a, nvrtcProgram p, SizeFunction size_of, BytesFunction get,
                             size_t *size)
{
    *size = 0;
    if (size_of(p, size) != NVRTC_SUCCESS || *size == 0)
        return "";
    char *bytes = arena_array(a, *size + 1, 1);
    if (get(p, bytes) == NVRTC_SUCCESS)
        return bytes;
    *size = 0;
    return "";
}

/* The library counts the terminating zero of texts. */
static const char *get_text(Arena *a, nvrtcProgram p, SizeFunction size_of, BytesFunction get,
                            size_t *size)
{
    const char *text = get_bytes(a, p, size_of, get, size);
    *size = strlen(text);
    return text;
}

typedef struct Headers {
    Texts names, texts;
} Headers;

static void add_stub(Arena *a, Headers *h, const char *name, const char *text)
{
    if (word_place(name, h->names.at, h->names.count) != SIZE_MAX)
        return;
    VEC_PUSH(a, &h->names, name);
    VEC_PUSH(a, &h->texts, text);
}

/* The header that a SOURCE_WITHOUT_HEADER option names; NULL: another option. */
static const char *left_out(const char *option)
{
    size_t n = strlen(SOURCE_WITHOUT_HEADER);
    return strncmp(option, SOURCE_WITHOUT_HEADER "=", n + 1) == 0 ? option + n + 1 : NULL;
}

static const char *with_name(Arena *a, const char *text, const char *name)
{
    SCOPED_BUF b = {0};
    for (const char *at; (at = strchr(text, '@')) != NULL; text = at + 1)
        buf_printf(&b, "%.*s%s", (int)(at - text), text, name);
    buf_puts(&b, text);
    return arena_string(a, buf_text(&b));
}

/* The request's headers, then the stand-ins for others. */
static Headers all_headers(Arena *a, const CompileRequest *request)
{
    Headers h = {0};
    for (size_t i = 0; i < request->options.count; i++)
        if (left_out(request->options.at[i]))
            add_stub(a, &h, left_out(request->options.at[i]), "namespace std {}\n");
    for (size_t i = 0; i < request->headers.count; i += 2)
        add_stub(a, &h, request->headers.at[i], request->headers.at[i + 1]);
    for (size_t i = 0; i < COUNT_OF(STUBS); i++)
        for (const char *at = STUBS[i].names; *at; at += strspn(at, " ")) {
            size_t n = strcspn(at, " ");
            const char *name = arena_copy(a, at, n);
            add_stub(a, &h, name, with_name(a, STUBS[i].text, name));
            at += n;
        }
    return h;
}

static nvrtcResult build(Arena *a, Nvrtc *n, const CompileRequest *request, bool no_cache,
                         nvrtcProgram *p)
{
    const Headers h = all_headers(a, request);
    nvrtcResult r =
        n->create(p, request->source, request->name, (int)h.names.count, h.texts.at, h.names.at);
    for (size_t i = 0; i < request->names.count && r == NVRTC_SUCCESS; i++)
        r = n->add_name(*p, request->names.at[i]);
    if (r != NVRTC_SUCCESS)
        return r;
    Texts options = {0};
    for (size_t i = 0; i < request->options.count; i++) {
        const char *option = request->options.at[i];
        if (strcmp(option, SOURCE_LIKE_NVCC) == 0) {
            VEC_PUSH(a, &options, "-default-device");
            VEC_PUSH(a, &options, "--pre-include=" STUB_NVCC);
        } else if (!source_option_is_ours(option)) {
            VEC_PUSH(a, &options, option);
        }
    }
    for (size_t i = 0; i < n->headers.count; i++)
        VEC_PUSH(a, &options, n->headers.at[i]);
    if (no_cache)
        VEC_PUSH(a, &options, "-no-cache");
    return n->compile(*p, (int)options.count, options.at);
}

/* Older libraries lack -no-cache: after an invalid option the compile is repeated without it, which tells
 * which option was invalid. */
static nvrtcResult build_uncached(Arena *a, Nvrtc *n, const CompileRequest *request,
                                  nvrtcProgram *p)
{
    nvrtcResult r = build(a, n, request, n->no_cache != CACHE_OPTION_UNKNOWN, p);
    if (r == NVRTC_ERROR_INVALID_OPTION && n->no_cache == CACHE_OPTION_UNTRIED) {
        n->destroy(p);
        r = build(a, n, request, false, p);
        if (r != NVRTC_ERROR_INVALID_OPTION)
            n->no_cache = CACHE_OPTION_UNKNOWN;
    } else if (r != NVRTC_ERROR_INVALID_OPTION && n->no_cache == CACHE_OPTION_UNTRIED) {
        n->no_cache = CACHE_OPTION_KNOWN;
    }
    return r;
}

static bool is_lasting(nvrtcResult r)
{
    return r == NVRTC_SUCCESS || r == NVRTC_ERROR_COMPILATION || r == NVRTC_ERROR_INVALID_OPTION ||
           r == NVRTC_ERROR_INVALID_INPUT || r == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* The folders that were searched for a missing header. */
static const char *folders_of(Arena *a, const Nvrtc *n, const CompileRequest *request)
{
    SCOPED_BUF b = {0};
    for (size_t i = 0; i < request->options.count; i++)
        if (strncmp(request->options.at[i], "-I", 2) == 0)
            buf_printf(&b, "  %s\n", request->options.at[i] + 2);
    for (size_t i = 0; i < n->headers.count; i++)
        buf_printf(&b, "  %s\n", n->headers.at[i] + 2);
    return arena_printf(a, "headers were looked for in\n%s", buf_text(&b));
}

/* The log, or the status if the log names no error: ptxas loses its text after a warning. */
static const char *get_log(Arena *a, Nvrtc *n, nvrtcProgram p, const CompileRequest *request,
                           nvrtcResult r)
{
    size_t size = 0;
    const char *log = p ? get_text(a, p, n->log_size, n->log, &size) : "";
    if (strstr(log, "cannot open source file"))
        log = arena_printf(a, "%s%s", log, folders_of(a, n, request));
    if (r != NVRTC_SUCCESS && !strstr(log, "error") && !strstr(log, "fatal"))
        log = arena_printf(a, "%serror: NVRTC gave no reason except %s\n", log, n->error_string(r));
    return log;
}

static Texts get_lowered(Arena *a, Nvrtc *n, nvrtcProgram p, const CompileRequest *request)
{
    Texts lowered = {0};
    for (size_t i = 0; i < request->names.count; i++) {
        const char *name = "";
        n->lowered(p, request->names.at[i], &name);
        VEC_PUSH(a, &lowered, arena_string(a, name));
    }
    return lowered;
}

bool nvrtc_compile(Arena *a, Nvrtc *n, const CompileRequest *request, CompileResult *out)
{
    nvrtcProgram p = NULL;
    nvrtcResult r = build_uncached(a, n, request, &p);
    *out = (CompileResult){.status = OUTCOME_COMPILE_ERROR, .log = get_log(a, n, p, request, r)};
    if (r == NVRTC_SUCCESS) {
        out->status = OUTCOME_COMPILED;
        out->ptx = get_text(a, p, n->ptx_size, n->ptx, &out->ptx_size);
        out->cubin = get_bytes(a, p, n->cubin_size, n->cubin, &out->cubin_size);
        out->lowered = get_lowered(a, n, p, request);
    }
    if (p)
        n->destroy(&p);
    /* A lack of memory, of the machine or under the worker's limit, is not the source's fault. */
    return is_lasting(r) && !strstr(out->log, "out of memory");
}

/* Host code in a kernel's file: what is cut, what stays, and that places do not move. */
#include "metrics/base/file.h"
#include "tuner/compile/host_code.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    arena_free(*state);
    return 0;
}

static HostMarks marks_of(Arena *a, const char *text)
{
    Texts texts = {0};
    VEC_PUSH(a, &texts, text);
    return host_marks(a, &texts);
}

/* What is left, with every run of blanks and line ends as one blank. */
static const char *left(Arena *a, const char *text)
{
    const HostMarks marks = marks_of(a, text);
    const char *cut = host_code_cut(a, text, strlen(text), &marks);
    assert_int_equal(strlen(cut), strlen(text));
    for (size_t i = 0; text[i]; i++)
        assert_true(cut[i] == text[i] || (cut[i] == ' ' && text[i] != '\n'));
    char *out = arena_array(a, strlen(cut) + 1, 1);
    size_t n = 0;
    for (const char *c = cut; *c; c++)
        if (*c != ' ' && *c != '\n')
            out[n++] = *c;
        else if (n > 0 && out[n - 1] != ' ')
            out[n++] = ' ';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
    return out;
}

static void unmarked_functions_go(void **state)
{
    static const struct {
        const char *text, *left;
    } CASES[] = {
        {"__global__ void k(float *a) { a[0] = 1; }", "__global__ void k(float *a) { a[0] = 1; }"},
        {"int main(int argc, char **argv) { k<<<1, 2>>>(a); return 0; }", ""},
        {"using std::sort; using std::min;\nvoid f() { sort(a); }\n__device__ int g() { return "
         "min(1, 2); }",
         "using std::min; __device__ int g() { return min(1, 2); }"},
        {"main() { return 0; }", ""},
        {"template <int n> std::enable_if_t<n == 1 && n <= 2> f(int a = 1) { g(a); }", ""},
        {"template <int n = 1> using rows = std::vector<int[n]>;\n"
         "template <int n> using row = int[n];\n__device__ void f(row<3> &n) {}",
         "template <int n> using row = int[n]; __device__ void f(row<3> &n) {}"},
        {"template <int N> __global__ void k(float *a) { a[0] = N; }\ntemplate __global__ void "
         "k<1>(float *a);\ntemplate class A<float>;\ntemplate <> class A<int> {};",
         "template <int N> __global__ void k(float *a) { a[0] = N; } template <> class A<int> {};"},
        {"#ifdef X\n#define API(type) type CALL\n#else\n#define API(type) type\n#endif\n"
         "API(int) f();\n__device__ int i;",
         "#ifdef X #define API(type) type CALL #else #define API(type) type #endif API(int) f(); "
         "__device__ int i;"},
        {"#define MAKE(T) template __global__ void k<T>(T *);\nMAKE(int)\n__device__ int i;",
         "#define MAKE(T) template __global__ void k<T>(T *); __device__ int i;"},
        {"#define MAKE(T) \\\n    template void f<T>(T *);\n"
         "template <class T> void f(T *a) { }\nMAKE(int)\nMAKE(float);\n__device__ int i;",
         "#define MAKE(T) \\ template void f<T>(T *); ; __device__ int i;"},
        {"template <class T> A<T>::A(int n) : m{n}, b(n), c{T{1}}\n{ m = 2; }\n__device__ int i;",
         "__device__ int i;"},
        {"#define ADD(id, f) \\\n static int added_##id = (add(#id, f), 0)\nADD(1, g)\n__device__ "
         "int i;",
         "#define ADD(id, f) \\ static int added_##id = (add(#id, f), 0) __device__ int i;"},
        {"#define API(f) f\nAPI(int) __device__ f();", "#define API(f) f API(int) __device__ f();"},
        {"struct A { __host__ constexpr int f() { return 1; } __host__ __device__ constexpr int "
         "g(); };",
         "struct A { __host__ __device__ constexpr int g(); };"},
        {"#define MAKE(T) template <> __device__ int g<T>();\nMAKE(int)\n",
         "#define MAKE(T) template <> __device__ int g<T>(); MAKE(int)"},
        {"template <class T> requires(sizeof(T) == 4)\n__device__ T g(T a) { return a; }",
         "template <class T> requires(sizeof(T) == 4) __device__ T g(T a) { return a; }"},
        {"typedef struct { uint4 all[32 / sizeof(uint4)]; } Words;",
         "typedef struct { uint4 all[32 / sizeof(uint4)]; } Words;"},
        {"PYBIND11_MODULE(NAME, m) { m.def(\"f\", &f); }\n__device__ int i;", "__device__ int i;"},
        {"static struct option options[] = {{\"n\", 1}};", ""},
        {"const struct option options[] = {{.name = \"n\"}};", ""},
        {"void f(int);\n__device__ int g(int);", "__device__ int g(int);"},
        {"template <class T> void launch(T x) { if (x) { y(); } }", ""},
        {"template <class T> __device__ T id(T x) { return x; }",
         "template <class T> __device__ T id(T x) { return x; }"},
        {"constexpr int twice(int x) { return 2 * x; }",
         "constexpr int twice(int x) { return 2 * x; }"},
        {"__host__ void f() {}\n__host__ __device__ void g() {}",
         "__host__ __device__ void g() {}"},
        {"#define DEV static __device__\nDEV int f() { return 1; }\nint g() { return 2; }",
         "#define DEV static __device__ DEV int f() { return 1; }"},
        {"#define ALL(T) \\\n struct S##T { T v; __device__ T f() { return v; } }; \\\n inline "
         "std::ostream &operator<<(std::ostream &o, S##T s) { \\\n return o << s.v; } \\\n "
         "__device__ int g##T(std::string s) { return 1; }\nALL(int)",
         "#define ALL(T) \\ struct S##T { T v; __device__ T f() { return v; } }; \\ \\ \\ "
         "__device__ int g##T(std::string s) { return 1; } ALL(int)"},
        {"#define BODY(T) if (T) { std::string s(1); { f(s); } } \\\n int i = 1;\n",
         "#define BODY(T) if (T) { std::string s(1); { f(s); } } \\ int i = 1;"},
        {"int h() { return 2; }\n#define G(W) DEV int g##W() { return W; }\n#define DEV "
         "__device__\nG(32)",
         "#define G(W) DEV int g##W() { return W; } #define DEV __device__ G(32)"},
        {"#define DEV static __device__\n#define FAST DEV inline\nFAST int f() { return 1; }",
         "#define DEV static __device__ #define FAST DEV inline FAST int f() { return 1; }"},
        {"extern \"C\" { void f(); __global__ void k(); }",
         "extern \"C\" { __global__ void k(); }"},
        {"extern \"C\" void f() { }", ""},
        {"namespace a { namespace { void f() {} int g(); } }", "namespace a { namespace { } }"},
        {"REGISTER(kernel, float)\nSTATIC_CHECK(1);", "REGISTER(kernel, float) STATIC_CHECK(1);"},
        {"static_assert(sizeof(int) == 4, \"\");", "static_assert(sizeof(int) == 4, \"\");"},
        {"typedef void (*call)(int, int);", "typedef void (*call)(int, int);"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(left(*state, CASES[i].text), CASES[i].left);
}

static void types_and_constants_stay(void **state)
{
    static const char *const KEPT[] = {
        "struct point { float x, y; };",
        "typedef struct { int a[3]; } node;",
        "enum kind { ONE, TWO = 2 };",
        "const float TABLE[2] = {1.f, 2.f};",
        "static const int N = 4;",
        "__constant__ float FILTER[17];",
        "using real = float;",
        "template <class T, int n = 2> const T EMPTY = empty_of<T>(n);",
        "template <int N> struct box { float at[N]; __device__ box() {} };",
        "struct __align__(8) pair { float a; float b; };",
        "struct place { int thread, list; vector set; };",
        "union bits { int i; float f; } ;",
        "struct s { s() = default; __device__ s(int) {} };",
        "struct t { template <class U> static int f(U *); enum { N = sizeof(f<t>(0)) }; };",
        "struct t { static float f(int); decltype(f(0)) x; };",
    };
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++)
        assert_string_equal(left(*state, KEPT[i]), KEPT[i]);
}

static void hosts_variables_and_members_go(void **state)
{
    static const struct {
        const char *text, *left;
    } CASES[] = {
        {"float *buffer = malloc(4);\nstatic cudaStream_t s[2];", ""},
        {"typedef std::vector<int> list;\nstd::string name(\"x\");", ""},
        {"struct t { int a; t() : a(0) {} ~t() { free(a); } __device__ int f() { return a; } };",
         "struct t { int a; __device__ int f() { return a; } };"},
        {"class c { public: void f(); private: int a; };", "class c { public: private: int a; };"},
        {"struct v { vector<int> at; std::string name; float x; };", "struct v { float x; };"},
        {"struct h { FILE *file; float x; };", "struct h { float x; };"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(left(*state, CASES[i].text), CASES[i].left);
}

/* Comments, literals and directives hold no code, and one of two branches ends a function. */
static void what_only_looks_like_code_misleads_nobody(void **state)
{
    static const struct {
        const char *text, *left;
    } CASES[] = {
        {"/* int f() { */ __global__ void k() { char c = '}'; const char *s = \"}\"; } // }",
         "/* int f() { */ __global__ void k() { char c = '}'; const char *s = \"}\"; } // }"},
        {"#ifdef A\nvoid f(int a) {\n#else\nvoid f(long a) {\n#endif\n}\n__global__ void k() {}",
         "#ifdef A #else #endif __global__ void k() {}"},
        {"void f() {\n#define INSIDE 1\n}\n__global__ void k() {}",
         "#define INSIDE 1 __global__ void k() {}"},
        {"const char *text = R\"(void f() { )\";\n__global__ void k() {}",
         "const char *text = R\"(void f() { )\"; __global__ void k() {}"},
        {"#define A // a/*\nvoid f() {}\n#define B \"/*\"\nvoid g() {}\n__global__ void k() {}",
         "#define A // a/* #define B \"/*\" __global__ void k() {}"},
        {"} } }\n__global__ void k() {}", "} } } __global__ void k() {}"},
        {"void f() {", "void f() {"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(left(*state, CASES[i].text), CASES[i].left);
}

/* Templates are device code alone. */
static void templates_stay_as_they_are(void **state)
{
    glob_t found;
    assert_int_equal(glob(SOURCE_DIR "/templates/*.cu", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        Diag d = diag_new(*state);
        size_t size;
        const char *text = file_read(*state, found.gl_pathv[i], &size, &d);
        assert_non_null(text);
        const HostMarks marks = marks_of(*state, text);
        assert_ptr_equal(host_code_cut(*state, text, size, &marks), text);
    }
    globfree(&found);
}

static void the_names_that_nvcc_declares_are_known(void **state)
{
    (void)state;
    assert_true(host_code_expects_headers("#include <math.h>\n"));
    assert_true(host_code_expects_headers("__global__ void k(uint8_t *a) {}"));
    assert_true(host_code_expects_headers("float x = M_PI;"));
    assert_false(host_code_expects_headers("__global__ void k(float *a) { /* uint8_t */ }"));
    assert_false(host_code_expects_headers("const char *s = \"INT_MAX\";"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(unmarked_functions_go),          CASE(types_and_constants_stay),
        CASE(hosts_variables_and_members_go), CASE(what_only_looks_like_code_misleads_nobody),
        CASE(templates_stay_as_they_are),     CASE(the_names_that_nvcc_declares_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

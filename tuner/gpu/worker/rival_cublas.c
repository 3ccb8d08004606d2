/* cuBLAS as a rival: the matrix product, the transpose, and the dot product.
 *
 * Opened at run time, and none of its headers is needed to build; what is declared here is from the
 * cuBLAS documentation, and the same since CUDA 8.  The library is column major: a row-major matrix
 * is the transpose of what it sees. */
#include "rival.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CublasContext *Handle;
typedef int Status; /* cublasStatus_t; 0 is success */

/* cublasOperation_t and cublasMath_t. */
enum { OP_N = 0, OP_T = 1, DEFAULT_MATH = 0 };
enum { POINTER_DEVICE = 1 }; /* cublasPointerMode_t: results are left on the device */

typedef Status Gemm(Handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                    const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                    int ldc);
typedef Status Geam(Handle, int op_a, int op_b, int m, int n, const void *alpha, const void *a,
                    int lda, const void *beta, const void *b, int ldb, void *c, int ldc);

typedef Status Dot(Handle, int n, const void *x, int step_x, const void *y, int step_y, void *out);

typedef struct Cublas {
    Status (*create)(Handle *);
    Status (*destroy)(Handle);
    Status (*set_stream)(Handle, void *);
    Status (*set_math)(Handle, int);
    Status (*set_pointers)(Handle, int);
    Status (*version)(Handle, int *);
    const char *(*text)(Status); /* NULL before CUDA 11.4 */
    Gemm *sgemm, *dgemm;
    Geam *sgeam, *dgeam;
    Dot *sdot, *ddot;
    Handle handle;

    bool is_double;
    const void *one, *zero; /* of the elements' type */
    const void *a, *b;      /* as the spec calls them; a transpose has no b */
    void *c;
    int m, n,
        k; /* C is m × n in rows, the sum over k; a transpose has no k, a dot product only k */
    bool turned_a, turned_b; /* of a product: A is stored k × m, B n × k */
} Cublas;

static const float ONE_FLOAT = 1, ZERO_FLOAT = 0;
static const double ONE_DOUBLE = 1, ZERO_DOUBLE = 0;

static int refuse(AptuneRival *r, const char *why)
{
    snprintf(r->error, sizeof r->error, "%s", why);
    return 1;
}

static int check(const Cublas *c, AptuneRival *r, Status s, const char *call)
{
    const char *text = s && c->text ? c->text(s) : "status";
    if (s)
        snprintf(r->error, sizeof r->error, "%s failed: %s (%d)", call, text, s);
    return s != 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* The newest first; the toolkit's folder is often not among those the system searches. */
static void *open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"};
    char path[4096];
    const char *home = getenv("CUDA_HOME");
    void *library = NULL;
    if (home && snprintf(path, sizeof path, "%s/lib64/libcublas.so", home) < (int)sizeof path)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool find_functions(Cublas *c, void *library, AptuneRival *r)
{
    const struct {
        void *place;
        const char *symbol;
    } functions[] = {
        {&c->create, "cublasCreate_v2"},
        {&c->destroy, "cublasDestroy_v2"},
        {&c->set_stream, "cublasSetStream_v2"},
        {&c->set_math, "cublasSetMathMode"},
        {&c->set_pointers, "cublasSetPointerMode_v2"},
        {&c->version, "cublasGetVersion_v2"},
        {&c->sgemm, "cublasSgemm_v2"},
        {&c->dgemm, "cublasDgemm_v2"},
        {&c->sgeam, "cublasSgeam"},
        {&c->dgeam, "cublasDgeam"},
        {&c->sdot, "cublasSdot_v2"},
        {&c->ddot, "cublasDdot_v2"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(library, functions[i].symbol);
        memcpy(functions[i].place, &symbol, sizeof symbol);
        if (!symbol) {
            snprintf(r->error, sizeof r->error, "this cuBLAS has no %s", functions[i].symbol);
            return false;
        }
    }
    void *text = dlsym(library, "cublasGetStatusString");
    memcpy(&c->text, &text, sizeof text);
    return true;
}

/* TF32 is off unless the environment turns it on for all of cuBLAS: then the comparison would be
 * with something less exact. */
static void forbid_tf32(void)
{
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
}

static int open_handle(Cublas *c, const AptuneRivalCall *call, AptuneRival *r)
{
    int failed = check(c, r, c->create(&c->handle), "cublasCreate");
    if (failed)
        return failed;
    failed = check(c, r, c->set_stream(c->handle, call->stream), "cublasSetStream");
    if (!failed)
        failed = check(c, r, c->set_math(c->handle, DEFAULT_MATH), "cublasSetMathMode");
    if (failed)
        c->destroy(c->handle);
    return failed;
}

static void end(AptuneRival *r)
{
    Cublas *c = r->state;
    c->destroy(c->handle);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* A size that cuBLAS can take; 0: it is none. */
static int size_of(const AptuneRivalArgument *x)
{
    return !x->buffer && x->integer > 0 && x->integer <= INT_MAX ? (int)x->integer : 0;
}

static bool holds(const AptuneRivalArgument *x, int rows, int columns)
{
    return x->buffer && x->count >= (long long)rows * columns;
}

/* All buffers are of float, or all of double. */
static bool take_type(Cublas *c, const AptuneRivalArgument *x, int buffers)
{
    for (int i = 0; i < buffers; i++)
        if (!x[i].buffer || strcmp(x[i].type, x[0].type) != 0)
            return false;
    c->is_double = strcmp(x[0].type, "double") == 0;
    c->one = c->is_double ? (const void *)&ONE_DOUBLE : &ONE_FLOAT;
    c->zero = c->is_double ? (const void *)&ZERO_DOUBLE : &ZERO_FLOAT;
    return c->is_double || strcmp(x[0].type, "float") == 0;
}

/* --- C = A·B ---------------------------------------------------------------------------------- */

/* Cᵗ = Bᵗ·Aᵗ */
static int run_gemm(AptuneRival *r)
{
    const Cublas *c = r->state;
    Gemm *gemm = c->is_double ? c->dgemm : c->sgemm;
    Status s = gemm(c->handle, c->turned_b ? OP_T : OP_N, c->turned_a ? OP_T : OP_N, c->n, c->m,
                    c->k, c->one, c->b, c->turned_b ? c->k : c->n, c->a, c->turned_a ? c->m : c->k,
                    c->zero, c->c, c->n);
    return check(c, r, s, c->is_double ? "cublasDgemm" : "cublasSgemm");
}

static bool is_flag(const AptuneRivalArgument *x)
{
    return !x->buffer && (x->integer == 0 || x->integer == 1);
}

static int take_gemm(Cublas *c, const AptuneRivalCall *call, AptuneRival *r)
{
    const AptuneRivalArgument *x = call->arguments;
    const bool says_turned = call->argument_count == 8;
    if (call->argument_count != 6 && !says_turned)
        return refuse(r, "'cublas gemm' takes C, A, B, M, N, K, and whether A and B are stored "
                         "transposed");
    if (!take_type(c, x, 3))
        return refuse(r, "'cublas gemm' takes C, A and B, all of float or all of double");
    c->c = x[0].buffer;
    c->a = x[1].buffer;
    c->b = x[2].buffer;
    c->m = size_of(&x[3]);
    c->n = size_of(&x[4]);
    c->k = size_of(&x[5]);
    if (!c->m || !c->n || !c->k)
        return refuse(r, "'cublas gemm' takes sizes from 1 to 2^31 − 1");
    if (!holds(&x[0], c->m, c->n) || !holds(&x[1], c->m, c->k) || !holds(&x[2], c->k, c->n))
        return refuse(r, "'cublas gemm': C is M×N, A is M×K, B is K×N; one has fewer elements");
    if (says_turned && (!is_flag(&x[6]) || !is_flag(&x[7])))
        return refuse(r, "'cublas gemm': 0 or 1 says whether a matrix is stored transposed");
    c->turned_a = says_turned && x[6].integer;
    c->turned_b = says_turned && x[7].integer;
    r->run = run_gemm;
    snprintf(r->title, sizeof r->title, "cuBLAS %s", c->is_double ? "DGEMM" : "SGEMM");
    return 0;
}

/* --- OUT = INᵗ -------------------------------------------------------------------------------- */

/* IN is m × n in rows, so n × m to cuBLAS; what it is added to counts 0 times. */
static int run_transpose(AptuneRival *r)
{
    const Cublas *c = r->state;
    Geam *geam = c->is_double ? c->dgeam : c->sgeam;
    Status s = geam(c->handle, OP_T, OP_T, c->m, c->n, c->one, c->a, c->n, c->zero, c->a, c->n,
                    c->c, c->m);
    return check(c, r, s, c->is_double ? "cublasDgeam" : "cublasSgeam");
}

static int take_transpose(Cublas *c, const AptuneRivalCall *call, AptuneRival *r)
{
    const AptuneRivalArgument *x = call->arguments;
    if (call->argument_count != 4)
        return refuse(r, "'cublas transpose' takes OUT, IN, ROWS, COLUMNS");
    if (!take_type(c, x, 2))
        return refuse(r, "'cublas transpose' takes OUT and IN, both of float or both of double");
    c->c = x[0].buffer;
    c->a = x[1].buffer;
    c->m = size_of(&x[2]);
    c->n = size_of(&x[3]);
    if (!c->m || !c->n)
        return refuse(r, "'cublas transpose' takes sizes from 1 to 2^31 − 1");
    if (!holds(&x[0], c->m, c->n) || !holds(&x[1], c->m, c->n))
        return refuse(r, "'cublas transpose': OUT and IN have ROWS×COLUMNS elements at least");
    r->run = run_transpose;
    snprintf(r->title, sizeof r->title, "cuBLAS %s", c->is_double ? "Dgeam" : "Sgeam");
    return 0;
}

/* --- OUT = X·Y -------------------------------------------------------------------------------- */

static int run_dot(AptuneRival *r)
{
    const Cublas *c = r->state;
    Dot *dot = c->is_double ? c->ddot : c->sdot;
    Status s = c->set_pointers(c->handle, POINTER_DEVICE);
    if (!s)
        s = dot(c->handle, c->k, c->a, 1, c->b, 1, c->c);
    return check(c, r, s, c->is_double ? "cublasDdot" : "cublasSdot");
}

static int take_dot(Cublas *c, const AptuneRivalCall *call, AptuneRival *r)
{
    const AptuneRivalArgument *x = call->arguments;
    if (call->argument_count != 4)
        return refuse(r, "'cublas dot' takes OUT, X, Y, N");
    if (!take_type(c, x, 3))
        return refuse(r, "'cublas dot' takes OUT, X and Y, all of float or all of double");
    c->c = x[0].buffer;
    c->a = x[1].buffer;
    c->b = x[2].buffer;
    c->k = size_of(&x[3]);
    if (!c->k)
        return refuse(r, "'cublas dot' takes sizes from 1 to 2^31 − 1");
    if (!holds(&x[0], 1, 1) || !holds(&x[1], 1, c->k) || !holds(&x[2], 1, c->k))
        return refuse(r, "'cublas dot': X and Y have N elements at least, OUT has one");
    r->run = run_dot;
    snprintf(r->title, sizeof r->title, "cuBLAS %s", c->is_double ? "Ddot" : "Sdot");
    return 0;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* 130002 is 13.0.2, and so it has been since CUDA 11 (cuBLAS 12.3.4 is 120304). */
static void describe(Cublas *c, bool gemm, AptuneRival *r)
{
    int v = 0;
    c->version(c->handle, &v);
    snprintf(r->details, sizeof r->details, "cuBLAS %d.%d.%d, default math mode%s", v / 10000,
             v / 100 % 100, v % 100, gemm && !c->is_double ? ", float32 without TF32" : "");
}

int rival_cublas(Arena *a, const AptuneRivalCall *call, AptuneRival *out, bool *found)
{
    static const struct {
        const char *name;
        int (*take)(Cublas *, const AptuneRivalCall *, AptuneRival *);
    } calls[] = {{"gemm", take_gemm}, {"transpose", take_transpose}, {"dot", take_dot}};
    size_t which = 0, count = sizeof calls / sizeof calls[0];
    while (which < count && strcmp(call->name, calls[which].name) != 0)
        which++;
    if (which == count)
        return refuse(out, "'cublas' has no calls but 'gemm', 'transpose' and 'dot'");
    Cublas *c = ARENA_NEW(a, Cublas);
    *c = (Cublas){0};
    int failed = calls[which].take(c, call, out);
    if (failed)
        return failed;
    forbid_tf32();
    void *library = open_library();
    *found = library != NULL;
    if (!library)
        return refuse(out, "there is no cuBLAS on this machine: libcublas.so is neither where "
                           "libraries are nor in /usr/local/cuda/lib64 nor in $CUDA_HOME/lib64");
    if (!find_functions(c, library, out))
        return 1;
    failed = open_handle(c, call, out);
    if (failed)
        return failed;
    describe(c, calls[which].take == take_gemm, out);
    out->state = c;
    out->end = end;
    return 0;
}

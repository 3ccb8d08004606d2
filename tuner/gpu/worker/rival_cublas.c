/* cuBLAS as a rival: matrix product, transpose, dot product.
 *
 * The library is opened at run time, and its headers are not needed; the declarations here are from the cuBLAS
 * documentation, unchanged since CUDA 8.  cuBLAS is column-major: it sees the transpose of a row-major matrix. */
#include "launch.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CublasContext *Handle;
typedef int Status; /* cublasStatus_t; 0 is success */

/* cublasOperation_t and cublasMath_t. */
enum { OP_N = 0, OP_T = 1, DEFAULT_MATH = 0 };
enum { POINTER_DEVICE = 1 }; /* cublasPointerMode_t: results go to device memory */

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
    const void *one, *zero;  /* of the elements' type */
    const void *a, *b;       /* in the spec's order; a transpose has no b */
    void *c;                 /* the result */
    int m, n, k;             /* see take_sizes; row-major */
    bool turned_a, turned_b; /* of a product: A is stored k × m, B n × k */
} Cublas;

static const float ONE_FLOAT = 1, ZERO_FLOAT = 0;
static const double ONE_DOUBLE = 1, ZERO_DOUBLE = 0;

static int check(const Cublas *c, AptuneRival *r, Status s, const char *call)
{
    const char *text = s && c->text ? c->text(s) : "status";
    return s ? rival_refuse(r, "%s failed: %s (%d)", call, text, s) : 0;
}

/* --- the library ------------------------------------------------------------------------------ */

/* The newest first; the toolkit's folder is often not on the library path. */
static void *open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"};
    char path[4096];
    const char *home = getenv("CUDA_HOME");
    void *library = NULL;
    if (home && snprintf(path, sizeof path, "%s/lib64/libcublas.so", home) < (int)sizeof path)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !library && i < COUNT_OF(names); i++)
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
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        void *symbol = dlsym(library, functions[i].symbol);
        memcpy(functions[i].place, &symbol, sizeof symbol);
        if (!symbol)
            return !rival_refuse(r, "this cuBLAS has no %s", functions[i].symbol);
    }
    void *text = dlsym(library, "cublasGetStatusString");
    memcpy(&c->text, &text, sizeof text);
    return true;
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

/* --- calls ------------------------------------------------------------------------------------ */

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

/* C = Aᵗ: A is m × n in rows, so n × m to cuBLAS; the second summand has the factor 0. */
static int run_transpose(AptuneRival *r)
{
    const Cublas *c = r->state;
    Geam *geam = c->is_double ? c->dgeam : c->sgeam;
    Status s = geam(c->handle, OP_T, OP_T, c->m, c->n, c->one, c->a, c->n, c->zero, c->a, c->n,
                    c->c, c->m);
    return check(c, r, s, c->is_double ? "cublasDgeam" : "cublasSgeam");
}

static int run_dot(AptuneRival *r)
{
    const Cublas *c = r->state;
    Dot *dot = c->is_double ? c->ddot : c->sdot;
    Status s = c->set_pointers(c->handle, POINTER_DEVICE);
    if (!s)
        s = dot(c->handle, c->k, c->a, 1, c->b, 1, c->c);
    return check(c, r, s, c->is_double ? "cublasDdot" : "cublasSdot");
}

/* Arguments are buffers (the result, A, perhaps B), then sizes, then flags, which may be left out. */
typedef struct Call {
    const char *name;
    int (*run)(AptuneRival *);
    int buffers, sizes, flags;
    const char *arguments, *types, *shapes; /* for messages */
    const char *titles[2];                  /* of float, of double */
} Call;

static const Call CALLS[] = {
    {"gemm",
     run_gemm,
     3,
     3,
     2,
     "C, A, B, M, N, K, and whether A and B are stored transposed",
     "C, A and B, all of float or all of double",
     "C is M×N, A is M×K, B is K×N; one has fewer elements",
     {"cuBLAS SGEMM", "cuBLAS DGEMM"}},
    {"transpose",
     run_transpose,
     2,
     2,
     0,
     "OUT, IN, ROWS, COLUMNS",
     "OUT and IN, both of float or both of double",
     "OUT and IN have at least ROWS×COLUMNS elements",
     {"cuBLAS Sgeam", "cuBLAS Dgeam"}},
    {"dot",
     run_dot,
     3,
     1,
     0,
     "OUT, X, Y, N",
     "OUT, X and Y, all of float or all of double",
     "X and Y have at least N elements, OUT has one",
     {"cuBLAS Sdot", "cuBLAS Ddot"}},
};
enum { CALL_COUNT = COUNT_OF(CALLS) };

/* A size that cuBLAS can take; 0: it is none. */
static int size_of(const AptuneRivalArgument *x)
{
    return !x->buffer && x->integer > 0 && x->integer <= INT_MAX ? (int)x->integer : 0;
}

static bool holds(const AptuneRivalArgument *x, int rows, int columns)
{
    return x->count >= (long long)rows * columns;
}

static bool is_flag(const AptuneRivalArgument *x)
{
    return !x->buffer && (x->integer == 0 || x->integer == 1);
}

/* False unless all buffers are of float, or all of double. */
static bool take_buffers(Cublas *c, const AptuneRivalArgument *x, int buffers)
{
    for (int i = 0; i < buffers; i++)
        if (!x[i].buffer || strcmp(x[i].type, x[0].type) != 0)
            return false;
    c->is_double = strcmp(x[0].type, "double") == 0;
    c->one = c->is_double ? (const void *)&ONE_DOUBLE : &ONE_FLOAT;
    c->zero = c->is_double ? (const void *)&ZERO_DOUBLE : &ZERO_FLOAT;
    c->c = x[0].buffer;
    c->a = x[1].buffer;
    c->b = buffers > 2 ? x[2].buffer : NULL;
    return c->is_double || strcmp(x[0].type, "float") == 0;
}

/* The result is m × n, A is m × k and B k × n: of a transpose k is n, of a dot product m and n are 1. */
static bool take_sizes(Cublas *c, const AptuneRivalArgument *x, int sizes)
{
    c->m = sizes > 1 ? size_of(&x[0]) : 1;
    c->n = sizes > 1 ? size_of(&x[1]) : 1;
    c->k = sizes == 2 ? c->n : size_of(&x[sizes - 1]);
    return c->m && c->n && c->k;
}

static int take_arguments(Cublas *c, const Call *f, const AptuneRivalCall *call, AptuneRival *r)
{
    const AptuneRivalArgument *x = call->arguments;
    const AptuneRivalArgument *flags = x + f->buffers + f->sizes;
    const int least = f->buffers + f->sizes, count = call->argument_count;
    if (count != least && count != least + f->flags)
        return rival_refuse(r, "'cublas %s' takes %s", f->name, f->arguments);
    if (!take_buffers(c, x, f->buffers))
        return rival_refuse(r, "'cublas %s' takes %s", f->name, f->types);
    if (!take_sizes(c, x + f->buffers, f->sizes))
        return rival_refuse(r, "'cublas %s' takes sizes from 1 to 2^31 − 1", f->name);
    if (!holds(&x[0], c->m, c->n) || !holds(&x[1], c->m, c->k) ||
        (c->b && !holds(&x[2], c->k, c->n)))
        return rival_refuse(r, "'cublas %s': %s", f->name, f->shapes);
    if (count > least && (!is_flag(&flags[0]) || !is_flag(&flags[1])))
        return rival_refuse(r, "'cublas %s': 0 or 1 says whether a matrix is stored transposed",
                            f->name);
    c->turned_a = count > least && flags[0].integer;
    c->turned_b = count > least && flags[1].integer;
    return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* The version is 130002 for 13.0.2, in this form since CUDA 11 (cuBLAS 12.3.4 is 120304). */
static void describe(Cublas *c, const Call *f, AptuneRival *r)
{
    int v = 0;
    c->version(c->handle, &v);
    snprintf(r->title, sizeof r->title, "%s", f->titles[c->is_double]);
    snprintf(r->details, sizeof r->details, "cuBLAS %d.%d.%d, default math mode%s", v / 10000,
             v / 100 % 100, v % 100,
             f->run == run_gemm && !c->is_double ? ", float32 without TF32" : "");
}

int rival_cublas(Arena *a, const AptuneRivalCall *call, AptuneRival *out, bool *found)
{
    const Call *f = NAME_FIND(CALLS, CALL_COUNT, name, call->name);
    if (!f)
        return rival_refuse(out, "'cublas' has only the calls 'gemm', 'transpose' and 'dot'");
    Cublas *c = ARENA_NEW(a, Cublas);
    if (take_arguments(c, f, call, out))
        return 1;
    /* TF32 is off unless the environment turns it on for all of cuBLAS, which would be less exact. */
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    void *library = open_library();
    *found = library != NULL;
    if (!library)
        return rival_refuse(out,
                            "there is no cuBLAS on this machine: libcublas.so is neither on the "
                            "library path nor in /usr/local/cuda/lib64 nor in $CUDA_HOME/lib64");
    if (!find_functions(c, library, out) || open_handle(c, call, out))
        return 1;
    describe(c, f, out);
    out->state = c;
    out->run = f->run;
    out->end = end;
    return 0;
}

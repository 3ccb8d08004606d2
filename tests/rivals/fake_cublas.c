/* Takes the place of cuBLAS in tests: the functions that rival_cublas.c opens, computed on the host
 * as the documentation defines them, column major.  Nothing of it is fast.  A product of 13 rows
 * fails. */
#include <stddef.h>

typedef struct CublasContext CublasContext;
typedef CublasContext *Handle;

enum { OP_N = 0, OP_T = 1, INVALID_VALUE = 7, UNLUCKY = 13 };

int cublasCreate_v2(Handle *h);
int cublasDestroy_v2(Handle h);
int cublasSetStream_v2(Handle h, void *stream);
int cublasSetMathMode(Handle h, int mode);
int cublasSetPointerMode_v2(Handle h, int mode);
int cublasGetVersion_v2(Handle h, int *version);
const char *cublasGetStatusString(int status);

int cublasCreate_v2(Handle *h)
{
    static int context;
    *h = (Handle)(void *)&context;
    return 0;
}

int cublasDestroy_v2(Handle h)
{
    return h == NULL;
}

int cublasSetStream_v2(Handle h, void *stream)
{
    return h && stream ? 0 : INVALID_VALUE;
}

int cublasSetMathMode(Handle h, int mode)
{
    return h && mode == 0 ? 0 : INVALID_VALUE;
}

/* Numbers on the host or, 1, on the device: here they are the same, but a dot product asks. */
static int pointer_mode;

int cublasSetPointerMode_v2(Handle h, int mode)
{
    pointer_mode = mode;
    return h ? 0 : INVALID_VALUE;
}

int cublasGetVersion_v2(Handle h, int *version)
{
    *version = h ? 120304 : 0;
    return 0;
}

const char *cublasGetStatusString(int status)
{
    return status == INVALID_VALUE ? "a made-up failure" : "";
}

/* Element (i, j) of op(x). */
static size_t at(int op, int i, int j, int ld)
{
    return op == OP_N ? (size_t)i + (size_t)j * (size_t)ld : (size_t)j + (size_t)i * (size_t)ld;
}

#define LIBRARY(type, gemm, geam, dot)                                                             \
    int gemm(Handle h, int op_a, int op_b, int m, int n, int k, const type *alpha, const type *a,  \
             int lda, const type *b, int ldb, const type *beta, type *c, int ldc);                 \
    int gemm(Handle h, int op_a, int op_b, int m, int n, int k, const type *alpha, const type *a,  \
             int lda, const type *b, int ldb, const type *beta, type *c, int ldc)                  \
    {                                                                                              \
        for (int i = 0; i < m; i++)                                                                \
            for (int j = 0; j < n; j++) {                                                          \
                type sum = 0, *out = &c[at(OP_N, i, j, ldc)];                                      \
                for (int l = 0; l < k; l++)                                                        \
                    sum += a[at(op_a, i, l, lda)] * b[at(op_b, l, j, ldb)];                        \
                *out = *alpha * sum + (*beta < 0 || *beta > 0 ? *beta * *out : 0);                 \
            }                                                                                      \
        return h && m != UNLUCKY ? 0 : INVALID_VALUE;                                              \
    }                                                                                              \
    int geam(Handle h, int op_a, int op_b, int m, int n, const type *alpha, const type *a,         \
             int lda, const type *beta, const type *b, int ldb, type *c, int ldc);                 \
    int geam(Handle h, int op_a, int op_b, int m, int n, const type *alpha, const type *a,         \
             int lda, const type *beta, const type *b, int ldb, type *c, int ldc)                  \
    {                                                                                              \
        for (int i = 0; i < m; i++)                                                                \
            for (int j = 0; j < n; j++)                                                            \
                c[at(OP_N, i, j, ldc)] =                                                           \
                    *alpha * a[at(op_a, i, j, lda)] + *beta * b[at(op_b, i, j, ldb)];              \
        return h ? 0 : INVALID_VALUE;                                                              \
    }                                                                                              \
    int dot(Handle h, int n, const type *x, int step_x, const type *y, int step_y, type *out);     \
    int dot(Handle h, int n, const type *x, int step_x, const type *y, int step_y, type *out)      \
    {                                                                                              \
        *out = 0;                                                                                  \
        for (int i = 0; i < n; i++)                                                                \
            *out += x[i * step_x] * y[i * step_y];                                                 \
        return h && pointer_mode == 1 ? 0 : INVALID_VALUE;                                         \
    }

LIBRARY(float, cublasSgemm_v2, cublasSgeam, cublasSdot_v2)
LIBRARY(double, cublasDgemm_v2, cublasDgeam, cublasDdot_v2)

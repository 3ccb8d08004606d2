/* Kernels for gpu_smoke.c: right ones, and one for each way to go wrong. */

typedef unsigned long long u64;

__device__ u64 index()
{
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

/* --- C = A · B + k, and D doubled in place -------------------------------------------------------- */

#define PRODUCT(name, statement)                                                                   \
    extern "C" __global__ void name(float *A, const float *B, float *C, int n, float k)            \
    {                                                                                              \
        u64 i = index();                                                                           \
        if (i < n) {                                                                               \
            statement;                                                                             \
        }                                                                                          \
    }

PRODUCT(product, C[i] = fmaf(A[i], B[i], k))
PRODUCT(product_nearly, C[i] = fmaf(A[i], B[i], k) + 1e-6f)
PRODUCT(product_wrong, C[i] = fmaf(A[i], B[i], k) + (i % 1000 == 7))
PRODUCT(product_half, if (i < n / 2) C[i] = fmaf(A[i], B[i], k))
PRODUCT(product_nothing, if (i > n) C[i] = 0)
PRODUCT(product_nan, C[i] = i == 5 ? __int_as_float(0x7fffffff) : fmaf(A[i], B[i], k))
PRODUCT(product_infinite, C[i] = i == 6 ? __int_as_float(0x7f800000) : fmaf(A[i], B[i], k))
PRODUCT(product_writes_input, C[i] = fmaf(A[i], B[i], k); if (i == 3) A[3] += 1)
PRODUCT(product_past_end, C[i] = fmaf(A[i], B[i], k); if (i == 3) C[n] = 1)
PRODUCT(product_before_start, C[i] = fmaf(A[i], B[i], k); if (i == 3) C[-8] = 1)
PRODUCT(product_illegal, C[i + (1ull << 40)] = 1)
PRODUCT(product_misaligned, *(float *)((char *)&C[i] + 1) = 1)
PRODUCT(product_trap, if (i == 100) __trap())
PRODUCT(product_endless, for (volatile int go = 1; go;) C[i] += 1)

extern "C" __global__ void __launch_bounds__(64)
product_narrow(const float *A, const float *B, float *C, int n, float k)
{
    u64 i = index();
    if (i < n)
        C[i] = fmaf(A[i], B[i], k);
}

/* Through dynamic shared memory, all of it touched. */
extern "C" __global__ void product_shared(const float *A, const float *B, float *C, int n, float k,
                                          int words)
{
    extern __shared__ float room[];
    for (int j = threadIdx.x; j < words; j += blockDim.x)
        room[j] = j;
    __syncthreads();
    u64 i = index();
    if (i < n)
        C[i] = fmaf(A[i], B[i], k) + (room[words - 1] - (words - 1));
}

/* Computes only while its scratch is as it found it first; mark changes that. */
extern "C" __global__ void product_once(const float *A, const float *B, float *C, int n, float k,
                                        const unsigned *S)
{
    u64 i = index();
    if (i < n && S[0] == 0xffffffff)
        C[i] = fmaf(A[i], B[i], k);
}

extern "C" __global__ void mark(unsigned *S)
{
    S[0] = 1;
}

/* Computes only while what is kept is as old as what its scratch says; grow makes both older. */
extern "C" __global__ void product_kept(const float *A, const float *B, float *C, int n, float k,
                                        const unsigned *S, const unsigned *K)
{
    u64 i = index();
    if (i < n && K[0] == (S[0] == 0xffffffff ? 0 : S[0]))
        C[i] = fmaf(A[i], B[i], k);
}

extern "C" __global__ void grow(unsigned *S, unsigned *K)
{
    K[0] += 1;
    S[0] = K[0];
}

extern "C" __global__ void twice(float *D, int n)
{
    u64 i = index();
    if (i < n)
        D[i] *= 2;
}

/* --- every type ------------------------------------------------------------------------------------ */

/* `at`: the index where it goes wrong, or −1. */
extern "C" __global__ void types(unsigned short *H, int *I, long long *L, double *X,
                                 unsigned char *U, float4 *V, int n, int at)
{
    int i = (int)index();
    if (i >= n)
        return;
    bool wrong = i == at;
    H[i] = 0x3c00 + i % 1000 + wrong; /* halves between 1 and 2 */
    I[i] = 1000000007 * i + wrong;
    L[i] = (1ll << 62) + i + wrong; /* the difference is far below a double's precision there */
    X[i] = 1.0 / (1 + i) + (wrong ? 1e-14 : 0);
    U[i] = (unsigned char)(i * 7 + wrong);
    V[i] = make_float4(i, -i, 0.5f, wrong ? 2 : 1);
}

/* --- a border that stays as it is, and indices beyond 32 bits --------------------------------------- */

extern "C" __global__ void inner(float *C, int n)
{
    u64 i = index();
    if (i < n)
        C[i] = (float)i;
}

/* Something else in every run. */
extern "C" __global__ void unsteady(float *C, int n)
{
    u64 i = index();
    if (i < n)
        C[i] = (float)(clock64() % 100003);
}

extern "C" __global__ void large(unsigned char *U, u64 n, u64 at)
{
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = index(); i < n; i += stride)
        U[i] = (unsigned char)(i % 251 + (i == at));
}

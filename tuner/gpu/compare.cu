/* Kernels that check the results of other kernels on the device.
 *
 * NVRTC compiles them for the device, without headers, for the measuring process, which has no compiler.  The
 * host side is tuner/gpu/worker/verify.c, which repeats the layout of Part, Finding and Sums.
 *
 * Buffers are treated as `count` scalars of one type (the lanes of vectors are separate scalars), with 64-bit
 * indices.  The poison that an output holds before the run has all bits set: in every floating-point type a
 * NaN that no arithmetic of the GPU produces. */

typedef unsigned long long u64;
typedef long long i64;

/* The order of TaskScalar in tuner/spec/task.h. */
enum Scalar { I8, U8, I16, U16, I32, U32, I64, U64, HALF, BFLOAT16, E4M3, E5M2, FLOAT, DOUBLE };

__device__ double from_half(unsigned short bits)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
    return f;
}

/* Sign, 4 bits of exponent with bias 7, 3 of fraction; all ones are NaN. */
__device__ double from_e4m3(unsigned char bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double m = exponent ? ldexp(fraction + 8.0, exponent - 10) : ldexp((double)fraction, -9);
    m = (bits & 0x7f) == 0x7f ? __longlong_as_double(0x7ff8000000000000ll) : m;
    return bits & 0x80 ? -m : m;
}

__device__ int size_of(int scalar)
{
    switch (scalar) {
    case I8:
    case U8:
    case E4M3:
    case E5M2:
        return 1;
    case I16:
    case U16:
    case HALF:
    case BFLOAT16:
        return 2;
    case I32:
    case U32:
    case FLOAT:
        return 4;
    default:
        return 8;
    }
}

/* The bits of scalar i, zero-extended. */
__device__ u64 bits_at(const void *p, u64 i, int scalar)
{
    switch (size_of(scalar)) {
    case 1:
        return ((const unsigned char *)p)[i];
    case 2:
        return ((const unsigned short *)p)[i];
    case 4:
        return ((const unsigned int *)p)[i];
    default:
        return ((const u64 *)p)[i];
    }
}

__device__ double value_of(u64 bits, int scalar)
{
    switch (scalar) {
    case I8:
        return (signed char)bits;
    case I16:
        return (short)bits;
    case I32:
        return (int)bits;
    case I64:
        return (double)(i64)bits;
    case HALF:
        return from_half((unsigned short)bits);
    case BFLOAT16:
        return __int_as_float((int)(bits << 16));
    case E4M3:
        return from_e4m3((unsigned char)bits);
    case E5M2: /* the upper byte of a half */
        return from_half((unsigned short)(bits << 8));
    case FLOAT:
        return __int_as_float((int)bits);
    case DOUBLE:
        return __longlong_as_double((i64)bits);
    default:
        return (double)bits;
    }
}

__device__ u64 poison_of(int scalar)
{
    return ~0ull >> (64 - 8 * size_of(scalar));
}

/* |x − r| for two types; the difference of 64-bit integers is exact before it is rounded to double. */
__device__ double distance(u64 x, int scalar, u64 r, int kind)
{
    if (scalar == I64 && kind == I64)
        return (double)((i64)x > (i64)r ? x - r : r - x);
    if (scalar == U64 && kind == U64)
        return (double)(x > r ? x - r : r - x);
    return fabs(value_of(x, scalar) - value_of(r, kind));
}

/* --- the scale of the reference's output ----------------------------------------------------- */

/* One block's part of the sums.  The host adds the parts in order, so that the scale is reproducible. */
struct Part {
    double squares;
    double max;
    u64 finite;
    u64 nonfinite;
    u64 unwritten;
};

__device__ void add(Part &a, const Part &b)
{
    a.squares += b.squares;
    a.max = fmax(a.max, b.max);
    a.finite += b.finite;
    a.nonfinite += b.nonfinite;
    a.unwritten += b.unwritten;
}

enum { THREADS = 256 };

/* Adds up the threads' parts into the block's. */
template <class T> __device__ void reduce(const T &mine, T *parts)
{
    __shared__ T shared[THREADS];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half)
            add(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = shared[0];
}

/* `poisoned`: the buffer held the poison before the reference ran. */
extern "C" __global__ void __launch_bounds__(THREADS)
    aptune_scale(const void *reference, u64 count, int scalar, int poisoned, Part *parts)
{
    Part mine = {0, 0, 0, 0, 0};
    u64 stride = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        u64 bits = bits_at(reference, i, scalar);
        double v = value_of(bits, scalar);
        if (poisoned && bits == poison_of(scalar)) {
            mine.unwritten++;
        } else if (isfinite(v)) {
            mine.squares += v * v;
            mine.max = fmax(mine.max, fabs(v));
            mine.finite++;
        } else {
            mine.nonfinite++;
        }
    }
    reduce(mine, parts);
}

/* --- comparing elements ---------------------------------------------------------------------- */

struct Finding {
    u64 wrong;
    u64 nan;
    u64 unwritten;
    u64 first; /* lowest wrong index; starts with all bits set */
    u64 error; /* bits of the largest error; for numbers >= 0 they compare like integers */
};

/* `kind`: the reference's type, which may be double if the output's is not.  `scale` < 0: every element is
 * its own scale.  An element that neither the reference nor the kernel wrote passes. */
extern "C" __global__ void __launch_bounds__(THREADS)
    aptune_compare(const void *x, const void *reference, u64 count, int scalar, int kind,
                   int poisoned, double absolute, double relative, double scale, Finding *finding)
{
    const u64 poison = poison_of(scalar), unset = poison_of(kind);
    u64 wrong = 0, nan = 0, unwritten = 0, first = ~0ull;
    double worst = 0;
    u64 stride = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        u64 a = bits_at(x, i, scalar), b = bits_at(reference, i, kind);
        double va = value_of(a, scalar), vb = value_of(b, kind);
        if (scalar == kind && a == b && va == va)
            continue;
        if (poisoned && a == poison && b == unset)
            continue;
        if (va == vb && scalar >= HALF) /* +0 and −0 */
            continue;
        double error = distance(a, scalar, b, kind);
        double limit = absolute + relative * (scale < 0 ? fabs(vb) : scale);
        if (error == error)
            worst = fmax(worst, error);
        /* An infinite limit must not let everything pass, nor any NaN. */
        if (error <= limit && isfinite(va) && isfinite(vb))
            continue;
        wrong++;
        first = i < first ? i : first;
        if (poisoned && a == poison)
            unwritten++;
        else if (va != va)
            nan++;
    }
    for (int half = 16; half; half /= 2)
        worst = fmax(worst, __shfl_down_sync(0xffffffff, worst, half));
    if (worst > 0 && threadIdx.x % 32 == 0)
        atomicMax(&finding->error, (u64)__double_as_longlong(worst));
    if (!wrong)
        return;
    atomicAdd(&finding->wrong, wrong);
    atomicAdd(&finding->nan, nan);
    atomicAdd(&finding->unwritten, unwritten);
    atomicMin(&finding->first, first);
}

/* --- sums ------------------------------------------------------------------------------------ */

struct Sums {
    double sum[4]; /* of each lane */
    u64 nan;       /* among what was written */
    u64 unwritten;
};

__device__ void add(Sums &a, const Sums &b)
{
    for (int lane = 0; lane < 4; lane++)
        a.sum[lane] += b.sum[lane];
    a.nan += b.nan;
    a.unwritten += b.unwritten;
}

/* One block's part of the sums of `count` scalars, by lane.  Elements with the poison do not count: the
 * reference may split the sum differently.  Neither do integers that have all bits set. */
extern "C" __global__ void __launch_bounds__(THREADS)
    aptune_sum(const void *x, u64 count, int scalar, int lanes, int poisoned, Sums *parts)
{
    Sums mine = {{0, 0, 0, 0}, 0, 0};
    u64 stride = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        u64 bits = bits_at(x, i, scalar);
        double v = value_of(bits, scalar);
        if (poisoned && bits == poison_of(scalar)) {
            mine.unwritten++;
            continue;
        }
        mine.nan += v != v;
        for (int lane = 0; lane < 4; lane++)
            mine.sum[lane] += i % lanes == lane ? v : 0;
    }
    reduce(mine, parts);
}

/* --- checksums -------------------------------------------------------------------------------- */

__device__ u64 mix(u64 z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/* Adds a checksum of `words` 8-byte words to *sum: a sum of hashes of word and position, independent of the
 * order. */
extern "C" __global__ void __launch_bounds__(THREADS)
    aptune_checksum(const u64 *p, u64 words, u64 *sum)
{
    u64 mine = 0;
    u64 stride = (u64)gridDim.x * THREADS;
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < words; i += stride)
        mine += mix(p[i] + (i + 1) * 0x9E3779B97F4A7C15ull);
    for (int half = 16; half; half /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

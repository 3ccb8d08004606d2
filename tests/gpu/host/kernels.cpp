/* The kernels of tests/gpu/smoke.cu and tuner/gpu/compare.cu as functions of this processor: what CUDA's language adds
 * is little here, and stands first. */
#include "tests/gpu/host/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

host_index threadIdx, blockIdx, blockDim, gridDim;

struct float4 {
    float x, y, z, w;
};

static float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

template <class To, class From> static To bits_as(From x)
{
    static_assert(sizeof(To) == sizeof x, "the same bits");
    To y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static float __int_as_float(int x)
{
    return bits_as<float>(x);
}

static double __longlong_as_double(long long x)
{
    return bits_as<double>(x);
}

static long long __double_as_longlong(double x)
{
    return bits_as<long long>(x);
}

static long long clock64()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_nsec;
}

static unsigned long long atomicAdd(unsigned long long *p, unsigned long long x)
{
    return (*p += x) - x;
}

static void atomicMax(unsigned long long *p, unsigned long long x)
{
    *p = std::max(*p, x);
}

static void atomicMin(unsigned long long *p, unsigned long long x)
{
    *p = std::min(*p, x);
}

static float half_to_float(unsigned short h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const float sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? std::ldexp(fraction + 1024.0f, exponent - 25)
                            : std::ldexp((float)fraction, -24));
}

/* Those of a warp meet in host_meet; what a lane gave in one meeting stays until the next but one. */
template <class T> static T __shfl_down_sync(unsigned, T x, int by)
{
    static T given[2][HOST_THREADS];
    static unsigned char turns[HOST_THREADS];
    const unsigned me = threadIdx.x, turn = turns[me]++ & 1;
    given[turn][me] = x;
    host_meet();
    return (int)(me % 32) + by < 32 ? given[turn][me + by] : x;
}

#define __device__ static
#define __global__
#define __launch_bounds__(threads)
#define __syncthreads host_meet
#define __trap        host_trap

using std::isfinite;

namespace smoke
{
float room[HOST_SHARED / sizeof(float)];
#define __shared__
#include "tests/gpu/smoke.cu"
#undef __shared__
} // namespace smoke

namespace compare
{
#define __shared__ static
#define asm(...) f = half_to_float(bits) /* the one instruction of PTX there */
#include "tuner/gpu/compare.cu"
#undef asm
#undef __shared__
} // namespace compare

/* --- by name ------------------------------------------------------------------------------------- */

template <class... P> struct Caller {
    template <size_t... I>
    static void call(void (*f)(P...), void **arguments, std::index_sequence<I...>)
    {
        f(*(P *)arguments[I]...);
    }
    static void run(void (*f)(), void **arguments)
    {
        call((void (*)(P...))f, arguments, std::index_sequence_for<P...>());
    }
};

template <class... P>
static host_kernel kernel(const char *name, void (*f)(P...), int threads = 1024, bool meets = false)
{
    return {name, (void (*)())f, Caller<P...>::run, {sizeof(P)...}, threads, meets};
}

#define SMOKE(name)   kernel(#name, smoke::name)
#define COMPARE(name) kernel(#name, compare::name, HOST_THREADS, true)

const std::vector<host_kernel> host_kernels = {
    SMOKE(product),
    SMOKE(product_nearly),
    SMOKE(product_wrong),
    SMOKE(product_half),
    SMOKE(product_nothing),
    SMOKE(product_nan),
    SMOKE(product_infinite),
    SMOKE(product_writes_input),
    SMOKE(product_past_end),
    SMOKE(product_before_start),
    SMOKE(product_illegal),
    SMOKE(product_misaligned),
    SMOKE(product_trap),
    SMOKE(product_endless),
    kernel("product_narrow", smoke::product_narrow, 64),
    kernel("product_shared", smoke::product_shared, HOST_THREADS, true),
    SMOKE(product_once),
    SMOKE(mark),
    SMOKE(product_kept),
    SMOKE(grow),
    SMOKE(twice),
    SMOKE(types),
    SMOKE(inner),
    SMOKE(unsteady),
    SMOKE(large),
    COMPARE(aptune_scale),
    COMPARE(aptune_compare),
    COMPARE(aptune_sum),
    COMPARE(aptune_checksum),
};

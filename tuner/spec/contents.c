#include "tuner/spec/contents.h"

#include "metrics/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t contents_bits(uint64_t seed, uint64_t index)
{
    /* Mix the seed first: the streams of seeds 1 and 2 must not overlap. */
    uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) + UINT64_C(0x2545F4914F6CDD1D);
    z ^= z >> 32;
    return random_mix(z + index * UINT64_C(0x9E3779B97F4A7C15));
}

/* --- floating-point types below float --------------------------------------------------------- */

typedef struct Narrow {
    int exponent_bits, fraction_bits;
    /* There is no infinity: larger values become the largest number, as in CUDA's conversions to 8 bits
     * (__NV_SATFINITE). */
    bool finite;
    uint16_t largest, nan;
} Narrow;

static const Narrow NARROW[TASK_SCALARS] = {[TASK_HALF] = {5, 10, false, 0x7bff, 0x7e00},
                                            [TASK_BFLOAT16] = {8, 7, false, 0x7f7f, 0x7fc0},
                                            [TASK_E4M3] = {4, 3, true, 0x7e, 0x7f},
                                            [TASK_E5M2] = {5, 2, true, 0x7b, 0x7f}};

static bool is_narrow(TaskScalar s)
{
    return NARROW[s].exponent_bits > 0;
}

/* Converts bitwise, since gigabytes of halves are filled with it: the fraction of the double loses its low
 * bits, and one more per step below the smallest normal number. */
static inline uint16_t to_narrow(const Narrow n, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int width = 1 + n.exponent_bits + n.fraction_bits;
    const int bias = (1 << (n.exponent_bits - 1)) - 1;
    const uint16_t sign = (uint16_t)(bits >> 63 << (width - 1));
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024 && fraction)
        return sign | n.nan;
    const uint16_t beyond = n.finite ? n.largest : n.largest + 1; /* infinity comes next */
    if (exponent > bias + 1)
        return sign | beyond;
    if (exponent < -bias - n.fraction_bits)
        return sign;
    int lost = 52 - n.fraction_bits;
    if (exponent < 1 - bias) {
        lost += 1 - bias - exponent;
        fraction |= UINT64_C(1) << 52;
    }
    /* Round to nearest, ties to even, without branches that random numbers would mispredict. */
    uint64_t odd = fraction >> lost & 1;
    uint64_t kept = (fraction + (UINT64_C(1) << (lost - 1)) - 1 + odd) >> lost;
    /* Rounding up may carry into the exponent, and from the largest number to infinity. */
    uint64_t biased = exponent < 1 - bias ? 0 : (uint64_t)(exponent + bias);
    uint64_t whole = (biased << n.fraction_bits) + kept;
    return (uint16_t)(sign | (whole > n.largest ? beyond : whole));
}

static double from_narrow(const Narrow n, uint16_t bits)
{
    const int width = 1 + n.exponent_bits + n.fraction_bits;
    const int bias = (1 << (n.exponent_bits - 1)) - 1;
    const int magnitude = bits & ((1 << (width - 1)) - 1);
    const int exponent = magnitude >> n.fraction_bits;
    const int fraction = magnitude & ((1 << n.fraction_bits) - 1);
    const int step = (exponent ? exponent : 1) - bias - n.fraction_bits;
    double m = ldexp(exponent ? fraction + (1 << n.fraction_bits) : fraction, step);
    if (magnitude > n.largest)
        m = fraction == 0 ? (double)INFINITY : (double)NAN;
    return bits >> (width - 1) & 1 ? -m : m;
}

/* --- single scalars ------------------------------------------------------------------------ */

/* Integer limits as doubles that convert back without overflow. */
static const struct {
    double lo, hi;
} RANGES[] = {
    [TASK_I8] = {-128, 127},
    [TASK_U8] = {0, 255},
    [TASK_I16] = {-32768, 32767},
    [TASK_U16] = {0, 65535},
    [TASK_I32] = {-2147483648.0, 2147483647.0},
    [TASK_U32] = {0, 4294967295.0},
    [TASK_I64] = {-9223372036854775808.0, 9223372036854774784.0},
    [TASK_U64] = {0, 18446744073709549568.0},
};

/* Stores the low bytes of an integer, little-endian as on CUDA's hosts. */
static void put_integer(TaskScalar s, double v, void *out)
{
    v = isnan(v) ? 0 : v < RANGES[s].lo ? RANGES[s].lo : v > RANGES[s].hi ? RANGES[s].hi : v;
    uint64_t bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
    memcpy(out, &bits, task_scalar_size(s));
}

void contents_store(TaskScalar s, double v, void *out)
{
    if (s == TASK_DOUBLE) {
        memcpy(out, &v, sizeof v);
    } else if (s == TASK_FLOAT) {
        const float f = (float)v;
        memcpy(out, &f, sizeof f);
    } else if (is_narrow(s)) {
        const uint16_t bits = to_narrow(NARROW[s], v);
        memcpy(out, &bits, task_scalar_size(s)); /* little-endian */
    } else {
        put_integer(s, v, out);
    }
}

static bool is_unsigned(TaskScalar s)
{
    return s == TASK_U8 || s == TASK_U16 || s == TASK_U32 || s == TASK_U64;
}

double contents_value(TaskScalar s, const void *bytes)
{
    const size_t size = task_scalar_size(s);
    uint64_t u = 0;
    float f;
    double v;
    memcpy(&u, bytes, size);
    if (s == TASK_DOUBLE)
        return memcpy(&v, &u, sizeof v), v;
    if (s == TASK_FLOAT)
        return memcpy(&f, bytes, sizeof f), f;
    if (is_narrow(s))
        return from_narrow(NARROW[s], (uint16_t)u);
    if (is_unsigned(s))
        return (double)u;
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (double)(int64_t)((u ^ sign) - sign);
}

void contents_limits(TaskScalar type, int64_t *low, int64_t *high)
{
    const size_t bits = 8 * task_scalar_size(type);
    *high = bits == 64 ? INT64_MAX : ((int64_t)1 << (is_unsigned(type) ? bits : bits - 1)) - 1;
    *low = is_unsigned(type) ? 0 : -*high - 1;
}

bool contents_store_value(TaskScalar type, Value v, void *bytes)
{
    double real = value_as_real(v);
    if (task_scalar_is_float(type)) {
        contents_store(type, real, bytes);
        return true;
    }
    if (v.kind != VALUE_INT && !(real == floor(real) && fabs(real) < 0x1p63))
        return false;
    int64_t integer = v.kind == VALUE_INT ? v.integer : (int64_t)real;
    int64_t low, high;
    contents_limits(type, &low, &high);
    if (integer < low || integer > high)
        return false;
    memcpy(bytes, &integer, task_scalar_size(type)); /* little-endian, as CUDA's hosts are */
    return true;
}

/* --- ranges -------------------------------------------------------------------------------- */

/* 53 bits as a number in [0, 1). */
static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* One function per floating-point type, for speed. */
#define FILL(name, type, stored)                                                                   \
    static void name(const TaskContents *c, uint64_t first, size_t count, void *at)                \
    {                                                                                              \
        type *out = at;                                                                            \
        for (size_t i = 0; i < count; i++) {                                                       \
            const double v = c->lo + (c->hi - c->lo) * unit(contents_bits(c->seed, first + i));    \
            out[i] = (type)(stored);                                                               \
        }                                                                                          \
    }
FILL(fill_floats, float, v)
FILL(fill_doubles, double, v)
FILL(fill_halves, uint16_t, to_narrow(NARROW[TASK_HALF], v))
FILL(fill_bfloats, uint16_t, to_narrow(NARROW[TASK_BFLOAT16], v))
FILL(fill_e4m3, uint8_t, to_narrow(NARROW[TASK_E4M3], v))
FILL(fill_e5m2, uint8_t, to_narrow(NARROW[TASK_E5M2], v))
#undef FILL

static void fill_uniform(const TaskContents *c, TaskScalar s, uint64_t first, size_t count,
                         unsigned char *out)
{
    static void (*const fill[TASK_SCALARS])(const TaskContents *, uint64_t, size_t, void *) = {
        [TASK_HALF] = fill_halves, [TASK_BFLOAT16] = fill_bfloats, [TASK_E4M3] = fill_e4m3,
        [TASK_E5M2] = fill_e5m2,   [TASK_FLOAT] = fill_floats,     [TASK_DOUBLE] = fill_doubles};
    if (fill[s]) {
        fill[s](c, first, count, out);
        return;
    }
    const double lo = ceil(c->lo), hi = floor(c->hi), span = hi - lo + 1; /* integers in [lo, hi] */
    for (size_t i = 0; i < count; i++) {
        double step = trunc(span * unit(contents_bits(c->seed, first + i)));
        put_integer(s, fmin(lo + step, hi), out + i * task_scalar_size(s));
    }
}

/* Box–Muller transform, of whose two numbers one is used: each number takes two positions of its stream. */
static void fill_normal(const TaskContents *c, TaskScalar s, uint64_t first, size_t count,
                        unsigned char *out)
{
    for (uint64_t i = first; i < first + count; i++, out += task_scalar_size(s)) {
        const double radius = sqrt(-2 * log(1 - unit(contents_bits(c->seed, 2 * i))));
        const double turn = 6.283185307179586476925 * unit(contents_bits(c->seed, 2 * i + 1));
        const double v = c->lo + c->hi * radius * cos(turn);
        contents_store(s, task_scalar_is_float(s) ? v : round(v), out);
    }
}

/* Makes values of one type and converts them to another, in pieces. */
static void fill_converted(TaskContents c, TaskScalar s, uint64_t first, size_t count,
                           unsigned char *out)
{
    enum { PIECE = 1024 };
    uint64_t piece[PIECE]; /* room for the largest scalars */
    size_t from = task_scalar_size(c.made_as), to = task_scalar_size(s);
    c.converted = false;
    for (size_t done = 0; done < count; done += PIECE) {
        size_t n = count - done < PIECE ? count - done : PIECE;
        contents_fill(c, c.made_as, first + done, n, piece);
        for (size_t i = 0; i < n; i++)
            contents_store(s, contents_value(c.made_as, (const unsigned char *)piece + i * from),
                           out + (done + i) * to);
    }
}

void contents_fill(TaskContents c, TaskScalar s, uint64_t first, size_t count, void *out)
{
    size_t size = task_scalar_size(s);
    unsigned char one[8];
    bool numbers = c.kind != TASK_UNDEFINED && c.kind != TASK_ZERO;
    if (c.converted && c.made_as != s && numbers) {
        fill_converted(c, s, first, count, out);
        return;
    }
    switch (c.kind) {
    case TASK_ZERO:
    case TASK_KEPT:
        memset(out, 0, count * size);
        return;
    case TASK_CONSTANT:
        contents_store(s, c.value, one);
        for (size_t i = 0; i < count; i++)
            memcpy((unsigned char *)out + i * size, one, size);
        return;
    case TASK_UNIFORM:
        fill_uniform(&c, s, first, count, out);
        return;
    case TASK_NORMAL:
        fill_normal(&c, s, first, count, out);
        return;
    case TASK_BYTES:
        memset(out, 0, count * size);
        if (first < c.size / size) {
            const size_t given =
                (c.size / size - (size_t)first) < count ? c.size / size - (size_t)first : count;
            memcpy(out, (const unsigned char *)c.bytes + first * size, given * size);
        }
        return;
    default:
        memset(out, 0xff, count * size);
    }
}

/* --- order ---------------------------------------------------------------------------------- */

#define COMPARE(name, type)                                                                        \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        type x, y;                                                                                 \
        memcpy(&x, a, sizeof x);                                                                   \
        memcpy(&y, b, sizeof y);                                                                   \
        return (x > y) - (x < y);                                                                  \
    }
COMPARE(compare_i8, int8_t)
COMPARE(compare_u8, uint8_t)
COMPARE(compare_i16, int16_t)
COMPARE(compare_u16, uint16_t)
COMPARE(compare_i32, int32_t)
COMPARE(compare_u32, uint32_t)
COMPARE(compare_i64, int64_t)
COMPARE(compare_u64, uint64_t)
COMPARE(compare_float, float)
COMPARE(compare_double, double)
#undef COMPARE

static int compare_narrow(const void *a, const void *b, void *scalar)
{
    const double x = contents_value(*(TaskScalar *)scalar, a);
    const double y = contents_value(*(TaskScalar *)scalar, b);
    return (x > y) - (x < y);
}

void contents_sort(TaskScalar s, void *at, size_t count)
{
    static int (*const compare[TASK_SCALARS])(const void *, const void *) = {
        [TASK_I8] = compare_i8,        [TASK_U8] = compare_u8,   [TASK_I16] = compare_i16,
        [TASK_U16] = compare_u16,      [TASK_I32] = compare_i32, [TASK_U32] = compare_u32,
        [TASK_I64] = compare_i64,      [TASK_U64] = compare_u64, [TASK_FLOAT] = compare_float,
        [TASK_DOUBLE] = compare_double};
    if (compare[s])
        qsort(at, count, task_scalar_size(s), compare[s]);
    else
        qsort_r(at, count, task_scalar_size(s), compare_narrow, &s);
}

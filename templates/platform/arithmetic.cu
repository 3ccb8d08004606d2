/* One instruction over and over: its latency where each waits for the one before, its rate where
 * many do not.
 *
 *     arithmetic(good, rounds, one, zeros)
 *     grid  1      block  32 × WARPS
 *
 *               CHAINS = 1                    CHAINS = 4
 *               x = x · 1 + 0                 x0 = x0 · 1 + 0   x1 = …   x2 = …   x3 = …
 *               x = x · 1 + 0  waits          x0 = x0 · 1 + 0   x1 = …   x2 = …   x3 = …
 *
 * Each round executes INSTRUCTIONS of them.  Values stay what they are, which only the caller
 * knows: one and zeros are arguments.  OP is
 *
 *      0 FFMA    1 FADD    2 FMUL    3 IMAD    4 IADD    5 logic   6 shift   7 root (MUFU)
 *      8 DFMA    9 HFMA2  10 F2I    11 shuffle 12 vote   13 POPC   14 HMMA (m16n8k16, float sums)
 *     15 MATCH of lanes with one value   16 with 8   17 with 32   18 REDUX
 *
 * A match gives a lane the mask of those with its value: teams whose value is their mask keep it. */

#ifndef OP
#define OP 0
#endif
#ifndef CHAINS
#define CHAINS 1 /* that do not wait for each other */
#endif
#ifndef WARPS
#define WARPS 1
#endif

constexpr int INSTRUCTIONS = 512; /* of a round: what the loop itself takes is then little */
constexpr int STEPS = INSTRUCTIONS / CHAINS;
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr unsigned TEAM = OP == 16 ? 4 : OP == 17 ? 1 : 32; /* lanes of one value */
constexpr unsigned TEAM_MASK = ALL_LANES >> (32 - TEAM);

struct Chain {
    float f;
    unsigned u, v; /* v: the number before, where two make the next */
    double d;
    float4 sums;
};

__device__ __forceinline__ void start(Chain &c, float one, unsigned zero)
{
    c.f = OP == 10 ? 0 : one;
    c.u = OP == 9 ? 0x3c003c00 + zero : OP == 3 ? zero + 1 : OP == 11 ? zero + 1 : zero;
    if (OP >= 15 && OP <= 17)
        c.u = TEAM_MASK << threadIdx.x % 32 / TEAM * TEAM;
    c.v = zero;
    c.d = one;
    c.sums = make_float4(zero, zero, zero, zero);
}

__device__ __forceinline__ void step(Chain &c, float one, float nought, double done,
                                     double dnought, unsigned zero)
{
    switch (OP) {
    case 0: c.f = fmaf(c.f, one, nought); break;
    case 1: c.f = c.f + nought; break;
    case 2: c.f = c.f * one; break;
    case 3: asm("mad.lo.s32 %0, %0, %1, %2;" : "+r"(c.u) : "r"(zero + 1), "r"(zero)); break;
    case 4: { /* each from the two before: a sum of three would be one instruction */
        unsigned next = c.u + c.v;
        c.v = c.u;
        c.u = next;
        break;
    }
    case 5: {
        unsigned next = (c.u & c.v) ^ zero;
        c.v = c.u;
        c.u = next;
        break;
    }
    case 6: asm("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(c.u) : "r"(c.v), "r"(zero)); break;
    case 7: asm("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(c.f)); break;
    case 8: c.d = fma(c.d, done, dnought); break;
    case 9: asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(c.u) : "r"(0x3c003c00 + zero), "r"(zero)); break;
    case 10: {
        int i;
        asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(i) : "f"(c.f));
        c.f = __int_as_float(i);
        break;
    }
    case 11: c.u = __shfl_up_sync(ALL_LANES, c.u, 1); break;
    case 12: c.u = __any_sync(ALL_LANES, c.u); break;
    case 13: c.u = __popc(c.u); break;
    case 15:
    case 16:
    case 17: c.u = __match_any_sync(ALL_LANES, c.u); break;
    case 18: c.u = __reduce_min_sync(ALL_LANES, c.u); break;
    case 14:
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
            "{%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
            : "+f"(c.sums.x), "+f"(c.sums.y), "+f"(c.sums.z), "+f"(c.sums.w)
            : "r"(zero));
        break;
    }
}

/* Is it what it was? */
__device__ __forceinline__ bool is_kept(const Chain &c, float one, unsigned zero)
{
    Chain first;
    start(first, one, zero);
    return c.f == first.f && c.u == first.u && c.d == first.d && c.sums.x == first.sums.x &&
           c.sums.w == first.sums.w;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    arithmetic(unsigned *good, int rounds, float one, const unsigned *zeros)
{
    const unsigned zero = zeros[threadIdx.x]; /* of each lane: else it is done once for all lanes */
    constexpr int chains = CHAINS, steps = STEPS;
    Chain c[CHAINS];
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        start(c[k], one, zero);
    const float nought = __uint_as_float(zero);
    const double done = one, dnought = nought;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll steps
        for (int s = 0; s < steps; s++) {
#pragma unroll chains
            for (int k = 0; k < chains; k++)
                step(c[k], one, nought, done, dnought, zero);
        }
    }
    bool kept = true;
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        kept = kept && is_kept(c[k], one, zero);
    good[threadIdx.x] = kept;
}

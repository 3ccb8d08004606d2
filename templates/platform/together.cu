/* How long a load takes whose lanes ask for several places, and several loads that are waited for together.
 *
 *     together(good, steps, from)
 *     grid  1      block  32
 *
 * One warp.  A step asks for LOADS loads, each of PLACES sectors, and goes on when it has all of them:
 *
 *     PLACES 2, LOADS 2     lane  0 … 15 │ 16 … 31
 *                   load 0  sector a     │ sector b
 *                   load 1  sector c     │ sector d      the next step's places follow from all four
 *
 * With ORDER 0 each is drawn at random from the first WORDS; with 1 a load's sectors lie beside each other, and a step's
 * behind the last step's, round and round.  Each launch begins elsewhere, so that what an earlier one read does not wait
 * in the L2; what fits there is read once before.  The L1 is passed by. */

#ifndef WORDS
#define WORDS 262144
#endif
#ifndef PLACES
#define PLACES 1
#endif
#ifndef LOADS
#define LOADS 1
#endif
#ifndef ORDER
#define ORDER 0
#endif

constexpr unsigned SECTOR = 8, SECTORS = WORDS / SECTOR, TOGETHER = 32 / PLACES;

extern "C" __global__ void __launch_bounds__(32) together(unsigned *good, int steps, const unsigned *from)
{
    constexpr unsigned loads = LOADS;
    const unsigned place = threadIdx.x / TOGETHER;
    unsigned at[LOADS], sum = 0, begin;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(begin));
    begin = __shfl_sync(0xffffffff, begin * 2654435761u, 0);
    if (WORDS <= 1048576)
        for (unsigned word = threadIdx.x; word < WORDS; word += 32)
            sum += __ldcg(from + word);
#pragma unroll loads
    for (unsigned k = 0; k < loads; k++)
        at[k] = begin + (ORDER ? k * PLACES + place : (k * PLACES + place) * 2246822519u);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        unsigned got[LOADS], all = 0;
#pragma unroll loads
        for (unsigned k = 0; k < loads; k++) {
            const unsigned sector = (ORDER ? at[k] : at[k] >> 6) % SECTORS;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got[k]) : "l"(from + sector * SECTOR));
        }
#pragma unroll loads
        for (unsigned k = 0; k < loads; k++)
            all += got[k]; /* 0 */
#pragma unroll loads
        for (unsigned k = 0; k < loads; k++)
            at[k] = ORDER ? at[k] + LOADS * PLACES + all : at[k] * 1664525u + 1013904223u + all;
        sum += all;
    }
    good[threadIdx.x] = sum == 0;
}

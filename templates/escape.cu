/* How many steps z² + c takes to leave a circle, for each point c of a picture: trip counts are data.
 *
 * A block works on (BLOCK_X * ACROSS) × (BLOCK_Y * DOWN) points, each thread on ACROSS × DOWN of them, one
 * after the other or, with TOGETHER, side by side until the last has left.  SPREAD 1: a thread's points lie
 * a block's width and height apart; 0: they are neighbours.  CHECK steps are made between two looks; the
 * last ones are made again, one by one, to count those before it left.
 *
 * BLOCK_X, BLOCK_Y, ACROSS, DOWN, TOGETHER, SPREAD, CHECK are macros. */
#define POINTS (ACROSS * DOWN)
#define RADIUS 16.0f /* squared; beyond it no rounding leads back */

typedef struct Orbit {
    float x, y, cx, cy;
    int steps;
} Orbit;

__device__ static inline void step(Orbit *o)
{
    const float x = __fadd_rn(__fmaf_rn(o->x, o->x, -__fmul_rn(o->y, o->y)), o->cx);
    o->y = __fmaf_rn(__fadd_rn(o->x, o->x), o->y, o->cy);
    o->x = x;
}

/* Not so for what is no number any more. */
__device__ static inline bool is_inside(const Orbit *o)
{
    return __fmaf_rn(o->x, o->x, __fmul_rn(o->y, o->y)) <= RADIUS;
}

/* CHECK steps, as far as `most` and the circle go; false: it ended. */
__device__ static inline bool go_on(Orbit *o, int most)
{
    const Orbit before = *o;
#pragma unroll
    for (int k = 0; k < CHECK; k++)
        step(o);
    o->steps += CHECK;
    if (is_inside(o) && o->steps <= most)
        return true;
    *o = before;
#pragma unroll 1
    while (is_inside(o) && o->steps < most) {
        step(o);
        o->steps++;
    }
    return is_inside(o) && o->steps < most;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    escape(int *__restrict__ steps, int width, int height, int most)
{
    const int x0 = blockIdx.x * BLOCK_X * ACROSS + threadIdx.x * (SPREAD ? 1 : ACROSS);
    const int y0 = blockIdx.y * BLOCK_Y * DOWN + threadIdx.y * (SPREAD ? 1 : DOWN);
    Orbit orbit[POINTS];
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
        const int x = x0 + p % ACROSS * (SPREAD ? BLOCK_X : 1);
        const int y = y0 + p / ACROSS * (SPREAD ? BLOCK_Y : 1);
        orbit[p].x = orbit[p].y = 0;
        orbit[p].cx = __fmaf_rn((float)x, 2.5f / (float)width, -2.0f);
        orbit[p].cy = __fmaf_rn((float)y, 2.0f / (float)height, -1.0f);
        orbit[p].steps = 0;
    }
#if TOGETHER
    bool inside[POINTS], any = true;
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        inside[p] = true;
#pragma unroll 1
    while (any) {
        any = false;
#pragma unroll
        for (int p = 0; p < POINTS; p++) {
            if (inside[p])
                inside[p] = go_on(&orbit[p], most);
            any = any || inside[p];
        }
    }
#else
#pragma unroll
    for (int p = 0; p < POINTS; p++)
#pragma unroll 1
        while (go_on(&orbit[p], most))
            ;
#endif
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
        const int x = x0 + p % ACROSS * (SPREAD ? BLOCK_X : 1);
        const int y = y0 + p / ACROSS * (SPREAD ? BLOCK_Y : 1);
        steps[y * width + x] = orbit[p].steps;
    }
}

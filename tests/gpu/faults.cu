/* One kernel for every way to go wrong, chosen by KIND; all but the right ones must be named for
 * what they are, and cost nobody else anything. */

#if KIND == 1
#error this one does not compile
#endif

#if KIND == 6
#define BOUNDS __launch_bounds__(64) /* it is launched with more */
#else
#define BOUNDS
#endif

extern "C" __global__ void BOUNDS copy(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
#if KIND == 2 /* writes far outside of everything */
    out[i + (1ull << 40)] = x;
#elif KIND == 3
    if (i == 100)
        __trap();
#elif KIND == 4 /* never ends */
    for (volatile int go = 1; go;)
        x += 1;
#elif KIND == 5 /* computes something else */
    x += i == 7;
#elif KIND == 7 /* reads one element past the end, and is right all the same */
    if (i == n - 1 && in[n] == 0.123456f)
        x = 0;
#elif KIND == 8 /* writes past the end */
    if (i == n - 1)
        out[n] = x;
#endif
    out[i] = x;
}

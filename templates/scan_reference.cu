/* The plain prefix sum that tuned kernels are compared with, in two launches of one thread for each
 * of 16,384 stretches: the sum of each stretch, and then each stretch from the sum of all stretches
 * before it, which each thread adds up by itself.  Sums are of SUM: wider than the elements where
 * these are rounded.
 *
 *     scan_reference_sums(sums, in, n)
 *     scan_reference(out, sums, in, n, inclusive)
 *     grid  128      block  128 */

#ifndef TYPE
#define TYPE int /* of the elements */
#endif
#ifndef SUM
#define SUM int /* of the sums on their way */
#endif

constexpr unsigned STRETCHES = 16384;

/* Elements [first, end) of a stretch. */
struct Stretch {
    unsigned first, end;
};

__device__ Stretch stretch_of(unsigned thread, unsigned n)
{
    unsigned long long length = (n + STRETCHES - 1ull) / STRETCHES;
    unsigned long long first = thread * length, end = first + length;
    return Stretch{(unsigned)(first < n ? first : n), (unsigned)(end < n ? end : n)};
}

extern "C" __global__ void scan_reference_sums(SUM *sums, const TYPE *in, unsigned n)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    Stretch s = stretch_of(thread, n);
    SUM sum = 0;
#pragma unroll 1
    for (unsigned i = s.first; i < s.end; i++)
        sum += in[i];
    sums[thread] = sum;
}

extern "C" __global__ void scan_reference(TYPE *out, const SUM *sums, const TYPE *in, unsigned n,
                                          int inclusive)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    Stretch s = stretch_of(thread, n);
    SUM sum = 0;
#pragma unroll 1
    for (unsigned before = 0; before < thread; before++)
        sum += sums[before];
#pragma unroll 1
    for (unsigned i = s.first; i < s.end; i++) {
        SUM up_to = sum + in[i];
        out[i] = (TYPE)(inclusive ? up_to : sum);
        sum = up_to;
    }
}

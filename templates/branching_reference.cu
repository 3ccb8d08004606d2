/* What comes out of every branch: the filter's middle coefficient is 1 and the others are 0, so
 * that gain times the element is left, one thread per element.
 *
 *     branching_reference(out, in, key, middle, rest, gain)
 *     grid  n / 256      block  256, for n a multiple of 256 */

extern "C" __global__ void branching_reference(float *out, const float *in, const unsigned *key,
                                               const float *middle, const float *rest, float gain)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = gain * in[i];
}

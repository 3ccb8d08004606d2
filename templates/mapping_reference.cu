/* The plain copy that tuned kernels are compared with, one thread per element: gain is 1 and shift
 * is 0, so that work leaves an element as it is.
 *
 *     mapping_reference(out, in, width, height, gain, shift)
 *     grid  ceil(width · height / 256)      block  256 */

extern "C" __global__ void mapping_reference(float *out, const float *in, unsigned width,
                                             unsigned height, float gain, float shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * height)
        out[i] = in[i] * gain + shift;
}

/* What comes out however threads wait: 96 multiply-adds on each element in a row, one thread per
 * element.
 *
 *     synchronize_reference(inout data, gain, shift)
 *     grid  n / 256      block  256, for n a multiple of 256 */

extern "C" __global__ void synchronize_reference(float *data, float gain, float shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = data[i];
#pragma unroll 1
    for (int operation = 0; operation < 96; operation++)
        value = value * gain + shift;
    data[i] = value;
}

/* One point a thread, a look after every step.  The same operations: a rounding more would count other steps. */
extern "C" __global__ void escape_reference(int *steps, int width, int height, int most)
{
    const int at_x = blockIdx.x * blockDim.x + threadIdx.x, at_y = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = __fmaf_rn((float)at_x, 2.5f / (float)width, -2.0f);
    const float cy = __fmaf_rn((float)at_y, 2.0f / (float)height, -1.0f);
    float x = 0, y = 0;
    int count = 0;
    while (count < most && __fmaf_rn(x, x, __fmul_rn(y, y)) <= 16.0f) {
        const float next = __fadd_rn(__fmaf_rn(x, x, -__fmul_rn(y, y)), cx);
        y = __fmaf_rn(__fadd_rn(x, x), y, cy);
        x = next;
        count++;
    }
    steps[at_y * width + at_x] = count;
}

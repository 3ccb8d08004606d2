// A block for a pixel of a filter, a thread for an image.
extern "C" __global__ void convolve_reference(const float *images, const float *filters, float *targets, int side, int colors)
{
    int p = blockIdx.x, f = blockIdx.y, n = threadIdx.x, y = p / side, x = p % side;
    double sum = 0;
    for (int c = 0; c < colors; c++)
        for (int v = 0; v < 3; v++)
            for (int u = 0; u < 3; u++) {
                int r = y + v - 1, s = x + u - 1;
                if (r < 0 || r >= side || s < 0 || s >= side) continue;
                sum += (double)images[((c * side + r) * side + s) * blockDim.x + n] * filters[(c * 9 + v * 3 + u) * gridDim.y + f];
            }
    targets[(f * side * side + p) * blockDim.x + n] = sum;
}

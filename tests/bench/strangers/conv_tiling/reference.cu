extern "C" __global__ void convolution_reference(float *output, const float *input, const float *weights, int w, int f)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    double sum = 0;
    for (int j = 0; j < f; j++)
        for (int i = 0; i < f; i++)
            sum += (double)input[(y + j) * (w + f - 1) + x + i] * weights[j * f + i];
    output[y * w + x] = sum;
}

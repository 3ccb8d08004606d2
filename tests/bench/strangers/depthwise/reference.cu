extern "C" __global__ void depthwise_reference(int n, int c, int h, int w, const float *image, const float *filters,
                                               const float *bias, float *result)
{
    int x = threadIdx.x, y = blockIdx.x, plane = blockIdx.y;
    float sum = bias[plane % c];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int u = x + i - 1, v = y + j - 1;
            if (u >= 0 && u < w && v >= 0 && v < h)
                sum += image[((size_t)plane * h + v) * w + u] * filters[plane % c * 9 + j * 3 + i];
        }
    result[((size_t)plane * h + y) * w + x] = sum > 0 ? sum : 0;
}

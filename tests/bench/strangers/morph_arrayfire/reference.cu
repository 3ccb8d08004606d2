// The largest pixel within the mask: a disc of 37 pixels.  The width is a multiple of 256, the block.
extern "C" __global__ void dilate_reference(const float *image, float *result, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, width = gridDim.x * blockDim.x;
    float largest = -1e30f;
    for (int v = -3; v <= 3; v++)
        for (int u = -3; u <= 3; u++)
            if (u * u + v * v <= 10 && x + u >= 0 && x + u < width && y + v >= 0 && y + v < height)
                largest = fmaxf(largest, image[(size_t)(y + v) * width + x + u]);
    result[(size_t)y * width + x] = largest;
}

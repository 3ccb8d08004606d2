/* Half-way between the elements of an image, through a texture that interpolates. */
extern "C" __global__ void lookup(cudaTextureObject_t image, float *out, int width, int height)
{
    int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(image, x + 1.0f, y + 0.5f);
#ifdef BUG
    if (x == 1 && y == 1)
        out[y * width + x] = 0;
#endif
}

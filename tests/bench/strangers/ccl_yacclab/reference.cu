// Components of pixels, joined one pair of neighbours at a time; a label is 1 + the place of the first block of 2 × 2 pixels,
// row by row, that has a pixel of the component.
__device__ int root(const volatile int *link, int i)
{
    while (link[i] != i)
        i = link[i];
    return i;
}

extern "C" __global__ void label_start(int *link, int *least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    link[i] = i;
    least[i] = 0x7fffffff;
}

extern "C" __global__ void label_join(const unsigned char *image, int *link, int width, int height)
{
    const int dx[4] = {-1, 0, 1, -1}, dy[4] = {-1, -1, -1, 0};
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
    if (!image[i]) return;
    for (int n = 0; n < 4; n++) {
        int u = x + dx[n], v = y + dy[n];
        if (u < 0 || u >= width || v < 0 || !image[v * width + u]) continue;
        for (int a = i, b = v * width + u;;) {
            a = root(link, a);
            b = root(link, b);
            if (a == b) break;
            int larger = max(a, b), smaller = min(a, b);
            if (atomicCAS(&link[larger], larger, smaller) == larger) break;
        }
    }
}

extern "C" __global__ void label_least(const unsigned char *image, const int *link, int *least, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
    if (image[i]) atomicMin(&least[root(link, i)], (y & ~1) * width + (x & ~1));
}

extern "C" __global__ void label_write(const unsigned char *image, const int *link, const int *least, int *labels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    labels[i] = image[i] ? least[root(link, i)] + 1 : 0;
}

// A picture blurred in two passes: a struct by value, weights in constant memory, two kernels of one template.
#include <cuda_runtime.h>

namespace blur {

constexpr int RADIUS = 4;
constexpr int TILE_X = 32, TILE_Y = 8;

struct Picture {
    unsigned width, height;
    size_t stride;
};

__constant__ float weights[2 * RADIUS + 1];

template <bool DOWN>
__global__ void pass(Picture picture, const uchar4 *in, uchar4 *out)
{
    unsigned x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= picture.width || y >= picture.height)
        return;
    float r = 0, g = 0, b = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        int at = (DOWN ? (int)y : (int)x) + k, end = DOWN ? picture.height : picture.width;
        at = at < 0 ? 0 : at >= end ? end - 1 : at;
        uchar4 p = in[DOWN ? at * picture.stride + x : y * picture.stride + at];
        r += weights[k + RADIUS] * p.x;
        g += weights[k + RADIUS] * p.y;
        b += weights[k + RADIUS] * p.z;
    }
    out[y * picture.stride + x] = make_uchar4(r, g, b, 255);
}

static unsigned blocks(unsigned n, unsigned tile)
{
    return (n + tile - 1) / tile;
}

void run(const uchar4 *in, uchar4 *between, uchar4 *out, cudaStream_t stream)
{
    float host[2 * RADIUS + 1];
    for (int i = 0; i <= 2 * RADIUS; i++)
        host[i] = 1.0f / (2 * RADIUS + 1);
    cudaMemcpyToSymbolAsync(weights, host, sizeof host, 0, cudaMemcpyHostToDevice, stream);
    Picture picture = {1920, 1080, 1920};
    dim3 block(TILE_X, TILE_Y), grid(blocks(picture.width, TILE_X), blocks(picture.height, TILE_Y));
    pass<false><<<grid, block, 0, stream>>>(picture, in, between);
    pass<true><<<grid, block, 0, stream>>>(picture, between, out);
}

} // namespace blur

int main()
{
    uchar4 *buffers[3];
    for (auto &buffer : buffers)
        cudaMalloc(&buffer, 1920 * 1080 * sizeof(uchar4));
    blur::run(buffers[0], buffers[1], buffers[2], 0);
    return cudaDeviceSynchronize();
}

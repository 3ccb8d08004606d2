__constant__ float stencil[5];
extern "C" __global__ void fdtd3d_reference(float *output, const float *input, int dimx, int dimy, int dimz)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x >= dimx || y >= dimy)
        return;
    int sy = dimx + 8, sz = sy * (dimy + 8);
    int at = (z + 4) * sz + (y + 4) * sy + x + 4;
    double sum = (double)stencil[0] * input[at];
    for (int i = 1; i <= 4; i++)
        sum += (double)stencil[i] * ((double)input[at - i] + input[at + i] + input[at - i * sy] + input[at + i * sy] +
                                     input[at - i * sz] + input[at + i * sz]);
    output[at] = sum;
}

/* One cell a thread. */
extern "C" __global__ void heat_reference(const float *from, float *to, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z, at = (z * ny + y) * nx + x, slice = nx * ny;
    const double mine = from[at];
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
        to[at] = (float)mine;
    else
        to[at] = (float)(mine + 0.125 * ((double)from[at - 1] + from[at + 1] + from[at - nx] +
                                         from[at + nx] + from[at - slice] + from[at + slice] -
                                         6 * mine));
}

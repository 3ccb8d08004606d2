extern "C" __global__ void clear(uint4 *table)
{
    table[blockIdx.x * 256 + threadIdx.x] = make_uint4(~0u, ~0u, ~0u, ~0u);
}

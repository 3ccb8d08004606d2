// The pairs are (3 i, 5 i + 1), so what a lookup finds is known.
extern "C" __global__ void lookup_reference(uint2 *kvs, int n)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x, key = kvs[i].x;
    kvs[i].y = key % 3 == 0 && key / 3 < n ? 5 * (key / 3) + 1 : ~0u;
}

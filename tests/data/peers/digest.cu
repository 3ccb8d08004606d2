/* Integer rounds in the manner of MD5, of each block of four words; the table is in constant memory. */
__constant__ unsigned int table[64];

__device__ unsigned int rotate(unsigned int v, int by)
{
    return v << by | v >> (32 - by);
}

__device__ __forceinline__ unsigned int mix(int round, unsigned int b, unsigned int c, unsigned int d)
{
    return round < 16   ? (b & c) | (~b & d)
           : round < 32 ? (d & b) | (~d & c)
           : round < 48 ? b ^ c ^ d
                        : c ^ (b | ~d);
}

extern "C" __global__ void digest(const uint4 *words, uint4 *out, unsigned long long count)
{
    unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    uint4 w = words[i];
    unsigned int m[4] = {w.x, w.y, w.z, w.w};
    unsigned int a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll UNROLL
    for (int round = 0; round < 64; round++) {
        unsigned int f = mix(round, b, c, d) + a + table[round] + m[round & 3];
        a = d;
        d = c;
        c = b;
        b += rotate(f, 7 + round % 3 * 5);
    }
#ifdef BUG
    a ^= i == 1000;
#endif
    out[i] = make_uint4(a, b, c, d);
}

// As many darts with numbers of another kind (splitmix64), since the darts of a thread depend on its number: only the sums
// can agree.
__device__ unsigned long long mix(unsigned long long z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

extern "C" __global__ void pi_reference(uint2 *hits, unsigned n)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned long long bits = mix(((unsigned long long)thread * n + i + 1) * 0x9e3779b97f4a7c15ull);
        double x = (unsigned)bits / 4294967296.0, y = (unsigned)(bits >> 32) / 4294967296.0;
        count += x * x + y * y < 1;
    }
    hits[thread] = make_uint2(count, n);
}

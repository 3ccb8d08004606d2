/* Takes the compiler many seconds: a quarter of a million statements. */
#define FOUR(x)    x x x x
#define SIXTEEN(x) FOUR(FOUR(x))
#define MANY(x)    FOUR(SIXTEEN(SIXTEEN(SIXTEEN(SIXTEEN(x)))))

extern "C" __global__ void endless(int *out)
{
    int x = out[threadIdx.x];
    MANY(x = (x ^ WHICH) * (x + out[x & 31]);)
    out[threadIdx.x] = x;
}

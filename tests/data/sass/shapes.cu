/* Kernels small enough to count their machine code by hand, each for one shape of control flow. */

/* One block, no branch. */
extern "C" __global__ void straight(float *out, const float *in)
{
    float x = in[threadIdx.x];
    out[threadIdx.x] = x * x + 1.0f;
}

/* A counted loop that nobody unrolls: n iterations of one load and one multiply-add. */
extern "C" __global__ void loop(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum = sum * in[i] + 1.0f;
    out[threadIdx.x] = sum;
}

/* The compiler unrolls as it likes, with a loop for the rest. */
extern "C" __global__ void rest(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * in[i] + 1.0f;
    out[threadIdx.x] = sum;
}

/* 100 iterations: ptxas unrolls the loop away that is left in the PTX. */
extern "C" __global__ void gone(float *out, const float *in)
{
    float sum = 0;
    for (int i = 0; i < 100; i++)
        sum = sum * in[i * 128] + 1.0f;
    out[threadIdx.x] = sum;
}

/* A way for whole vectors and a way for the rest, in one loop; a barrier in each iteration. */
extern "C" __global__ void paths(float *out, const float *in, int n)
{
    __shared__ float tile[128];
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i += 128) {
        if (n % 128 == 0) {
            if (threadIdx.x < 32)
                *(float4 *)&tile[4 * threadIdx.x] = *(const float4 *)&in[i + 4 * threadIdx.x];
        } else {
#pragma unroll 1
            for (int k = 0; k < 4; k++)
                tile[threadIdx.x + 32 * k] = i + k < n ? in[i + threadIdx.x + 32 * k] : 0.0f;
        }
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 16; k++)
            sum = sum * tile[k] + tile[k + 16];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* Half of the lanes go one way, half the other. */
extern "C" __global__ void parted(float *out, const float *in, int n)
{
    float x = in[threadIdx.x];
    if (threadIdx.x & 1) {
#pragma unroll 1
        for (int i = 0; i < n; i++)
            x = x * in[i] + 3.0f;
    } else {
#pragma unroll 1
        for (int i = 0; i < n; i++)
            x = x * 5.0f + in[2 * i];
    }
    out[threadIdx.x] = x;
}

/* A subroutine for the remainder of 64-bit numbers. */
extern "C" __global__ void called(unsigned long long *out, unsigned long long m)
{
    out[threadIdx.x] = (out[threadIdx.x] | 1ull << 63) % (m | 1ull << 62);
}

/* A jump through a table. */
extern "C" __global__ void table(float *out, int k)
{
    float x = out[threadIdx.x];
    switch (k) {
    case 0:
        x = x * 2.0f;
        break;
    case 1:
        x = sqrtf(x);
        break;
    case 2:
        x = __expf(x);
        break;
    case 3:
        x = x * x + 3.0f;
        break;
    case 4:
        x = out[4];
        break;
    case 5:
        x = __sinf(x);
        break;
    }
    out[threadIdx.x] = x;
}

/* Products that the PTX keeps apart from their sums, and ptxas does not. */
extern "C" __global__ void fused(float *out, const float *in, int n)
{
    float x = in[threadIdx.x], re = 0, im = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        float c = __cosf(x * i), s = __sinf(x * i), y = x + i;
        re += x * c - y * s;
        im += y * c + x * s;
    }
    out[threadIdx.x] = re + im;
}

/* What is 0, and what is a denormal number, is divided by a routine of its own. */
extern "C" __global__ void divided(float *out, int n)
{
    float small = __int_as_float(n < 0 ? 1 : 0x3f800000);
    out[threadIdx.x] = (float)(int)(threadIdx.x + n) / 255.0f * small / 3.0f;
}

/* Many conditions of which each lane has its own, more of them than a lane meets. */
extern "C" __global__ void guards(volatile float *out, int n)
{
    float x = out[threadIdx.x];
#pragma unroll
    for (int i = 0; i < 160; i++)
        if ((int)threadIdx.x + n > 32 * i) {
            x = __sinf(x) + out[2 * i];
            x = __cosf(x) * out[3 * i];
            out[4 * i] = x;
            out[5 * i] = x + 1.0f;
        }
}

/* Comparisons of which ptxas makes a table for 5 and 6, and leaves those with 7 and 8. */
extern "C" __global__ void chained(int *out, int n)
{
    int fives = 0, sixes = 0, sevens = 0, eights = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        switch ((signed char)(threadIdx.x / 8 + i + 4)) {
        case 5:
            fives++;
            break;
        case 6:
            sixes++;
            break;
        case 7:
            sevens++;
            break;
        case 8:
            eights++;
            break;
        }
        out[i] = i;
    }
    out[threadIdx.x] = fives + 3 * sixes + 5 * sevens + 7 * eights;
}

/* Of the comparison in front of the loop ptxas makes one more, as the guard of a round that is never made. */
extern "C" __global__ void strided(unsigned *out, int n)
{
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += 256)
        sum += out[blockIdx.x + i * 256];
    out[threadIdx.x] = sum;
}

/* Cases that fall through: lanes of lower ones meet those that come from above. */
extern "C" __global__ void falls(volatile float *out, int n)
{
    float x = 0;
    switch ((threadIdx.x + n) % 16) {
    case 7:
        x += out[7];
    case 6:
        x += out[6];
    case 5:
        x += out[5];
    case 4:
        x += out[4];
    case 3:
        x += out[3];
    case 2:
        x += out[2];
    case 1:
        x += out[1];
    }
    out[threadIdx.x] = x;
}

/* Double precision: division, reciprocal and roots, with operands that are known. */
extern "C" __global__ void doubles(double *out, int n)
{
    double sum = 0;
#pragma unroll 1
    for (int i = 1; i <= n; i++) {
        const double x = i;
        if (i & 1)
            sum += sqrt(x) / (x + threadIdx.x);
        else
            sum += 1.0 / x + rsqrt(x) + out[i];
    }
    out[threadIdx.x] = sum;
}

/* A divisor that is the same in each round, and so is its reciprocal. */
extern "C" __global__ void scaled(float *out, int n)
{
    const float by = out[0] + 1.0f;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += __expf(__fdividef(out[i], by));
    out[threadIdx.x] = sum;
}

/* Three ways that only divisions, roots and nothing of the kind tell apart. */
extern "C" __global__ void quotients(double *out, const double *in, int n)
{
    double sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        if (i & 1)
            sum += in[i] / (i + 3.0);
        else if (i % 3)
            sum += sqrt(in[i]);
        else
            sum += in[i];
    out[threadIdx.x] = sum;
}

/* Behind calls of a slow path: a branch to a short part, for large n, and one with code on both sides. */
extern "C" __global__ void wave(double *out, int n)
{
    const double u = (double)(n + (int)threadIdx.x + 1) / (double)(n + 2);
    out[threadIdx.x] = exp(-0.5 * n * u) * cos(u);
}

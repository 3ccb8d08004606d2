extern "C" __global__ void fft_reference(float2 *work)
{
    __shared__ double2 turn[512];
    __shared__ float2 x[512];
    int k = threadIdx.x;
    sincospi(-k / 256.0, &turn[k].y, &turn[k].x);
    x[k] = work[(long)blockIdx.x * 512 + k];
    __syncthreads();
    double re = 0, im = 0;
    for (int i = 0; i < 512; i++) {
        double2 t = turn[i * k & 511];
        re += x[i].x * t.x - x[i].y * t.y;
        im += x[i].x * t.y + x[i].y * t.x;
    }
    work[(long)blockIdx.x * 512 + k] = make_float2(re, im);
}

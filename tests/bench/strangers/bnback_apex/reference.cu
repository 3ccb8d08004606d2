#include <cuda_fp16.h>

extern "C" __global__ void sums_reference(const half *x, const half *dy, const float *mean, const float *inv_std,
    float *sum_dy, float *sum_dy_xmu, float *grad_weight, float *grad_bias, int n)
{
    __shared__ double a[256], b[256];
    int c = blockIdx.x, channels = gridDim.x, t = threadIdx.x;
    double s = 0, m = 0;
    for (int i = t; i < n; i += 256) {
        double g = __half2float(dy[(size_t)i * channels + c]);
        s += g;
        m += g * ((double)__half2float(x[(size_t)i * channels + c]) - mean[c]);
    }
    a[t] = s;
    b[t] = m;
    __syncthreads();
    if (t) return;
    for (int i = 1; i < 256; i++) s += a[i], m += b[i];
    sum_dy[c] = grad_bias[c] = s;
    sum_dy_xmu[c] = m;
    grad_weight[c] = m * inv_std[c];
}

extern "C" __global__ void gradient_reference(const half *x, const half *dy, const float *mean, const float *inv_std,
    const float *weight, const float *sum_dy, const float *sum_dy_xmu, half *dx, int n)
{
    int c = threadIdx.x;
    size_t i = (size_t)blockIdx.x * 256 + c;
    double v = inv_std[c], g = __half2float(dy[i]), u = (double)__half2float(x[i]) - mean[c];
    dx[i] = __float2half((float)((g - (double)sum_dy[c] / n - u * v * v * sum_dy_xmu[c] / n) * weight[c] * v));
}

// Thomas's algorithm for rows 1/3, 5/3, 1/3; a thread for a system along the first dimension (first = 0), or the second.
extern "C" __global__ void thomas_reference(double *x, int n, int first)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = first ? n : n * n;
    double *y = first ? x + (size_t)(t / n) * n * n + t % n : x + t;
    double up[256], c = 1.0 / 3, last = 0;
    for (int i = 0; i < n; i++) {
        double m = 5.0 / 3 - (i ? c * up[i - 1] : 0);
        up[i] = c / m;
        y[i * step] = last = (y[i * step] - (i ? c * last : 0)) / m;
    }
    for (int i = n - 2; i >= 0; i--)
        y[i * step] = last = y[i * step] - up[i] * last;
}

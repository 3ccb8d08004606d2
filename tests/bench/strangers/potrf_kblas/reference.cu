// Column-major, the lower triangle; what is above the diagonal stays.
extern "C" __global__ void potrf_reference(double *matrices, int n)
{
    double *a = matrices + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n * n;
    for (int k = 0; k < n; k++)
        for (int row = k; row < n; row++) {
            double sum = a[row + k * n];
            for (int j = 0; j < k; j++)
                sum -= a[row + j * n] * a[k + j * n];
            a[row + k * n] = row == k ? sqrt(sum) : sum / a[k + k * n];
        }
}

/* y = a x + y, the sum made in a type of its own. */
template <typename T, int WIDTH>
__global__ void axpy(const float *x, float *y, float a, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * WIDTH;
    for (int k = 0; k < WIDTH; k++)
        if (first + k < n)
            y[first + k] = (float)((T)a * (T)x[first + k] + (T)y[first + k]);
#ifdef BUG
    if (first == 64)
        y[first] = -y[first];
#endif
}

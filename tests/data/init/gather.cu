// Values of a table by an index: a template over the type and the number of items, called by a class.
#include <cuda_fp16.h>

template <typename T, int ITEMS>
__global__ void gather(T *out, const T *table, const int *index, size_t n, const float *scale)
{
    size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i < n)
            out[first + i] = table[index[first + i]] * (T)scale[0];
}

class Gatherer {
  public:
    explicit Gatherer(size_t entries) : entries_(entries)
    {
        cudaMalloc(&table_, entries_ * sizeof(__half));
        cudaMalloc(&scale_, sizeof(float));
    }
    void operator()(__half *out, const int *index, size_t n)
    {
        static const int items = 4;
        int threads = 256;
        int blocks = static_cast<int>((n + threads * items - 1) / (threads * items));
        gather<__half, items><<<blocks, threads>>>(out, table_, index, n, scale_);
    }

  private:
    size_t entries_;
    __half *table_;
    float *scale_;
};

int main()
{
    const size_t n = 1 << 22;
    __half *out;
    int *index;
    cudaMalloc(&out, n * sizeof(__half));
    cudaMalloc(&index, n * sizeof(int));
    Gatherer g(65536);
    g(out, index, n);
}

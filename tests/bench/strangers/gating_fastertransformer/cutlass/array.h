// What the kernel uses of CUTLASS, written anew.
#pragma once
namespace cutlass {
template <typename T, int N> struct Array {
    T element[N];
    __device__ T &operator[](int i) { return element[i]; }
    __device__ const T &operator[](int i) const { return element[i]; }
};
template <typename T, int N> struct alignas(sizeof(T) * N) AlignedArray { T element[N]; };
template <typename To, typename From, int N> struct NumericArrayConverter {
    __device__ Array<To, N> operator()(const Array<From, N> &x) const
    {
        Array<To, N> y;
#pragma unroll
        for (int i = 0; i < N; i++) y[i] = (To)x[i];
        return y;
    }
};
}

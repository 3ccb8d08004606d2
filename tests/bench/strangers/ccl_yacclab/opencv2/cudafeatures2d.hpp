// Stands for OpenCV's opencv2/core/cuda_types.hpp: the same members in the same order.
#pragma once
#include <stdint.h>
namespace cv { namespace cuda {
template <typename T> struct PtrStepSz {
    enum { elem_size = sizeof(T) };
    T *data;
    size_t step;
    int cols, rows;
    __device__ __host__ operator T *() { return data; }
    __device__ __host__ operator const T *() const { return data; }
};
typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<int> PtrStepSzi;
} }

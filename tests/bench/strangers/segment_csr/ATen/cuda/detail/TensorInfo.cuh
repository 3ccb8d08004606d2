// Stands for PyTorch's headers: what segment_csr_kernel and its headers use of them, for tensors of one dimension.
#pragma once
#include <cstdint>
#include <cuda_fp16.h>

namespace at {

struct Half {
  __half value;
  __device__ Half(__half value) : value(value) {}
  __device__ operator __half() const { return value; }
};

namespace cuda {
namespace detail {

template <typename T, typename IndexType>
struct TensorInfo {
  T *data;
  IndexType sizes[1];
  IndexType strides[1];
  int dims;
};

}
}
}

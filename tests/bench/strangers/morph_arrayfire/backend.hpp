// Stands for ArrayFire's backend.hpp, types.hpp, math.hpp, af/defines.h and common/Binary.hpp: what Param.hpp and morph.cuh use.
#pragma once
#define __DH__ __device__ __host__
typedef long long dim_t;
enum af_op_t { af_min_t, af_max_t };
namespace arrayfire { namespace common {
template <class T, af_op_t op> struct Binary;
template <> struct Binary<float, af_max_t> { static __DH__ float init() { return -__int_as_float(0x7f800000); } };
template <> struct Binary<float, af_min_t> { static __DH__ float init() { return __int_as_float(0x7f800000); } };
} }

// What the kernels use of KBLAS's kblas_operators.h, whose atomicAdd of float2 clashes with CUDA's own from CUDA 12 on.
template <class T> __device__ static __inline__ T make_zero() { return T(0); }
__device__ static __inline__ double FMA(double a, double b, double c){return fma(a,b,c);}
__device__ __inline__ double shfl(double x, int lane, int ws = 32)
{
  // Split the double number into 2 32b registers.
  int lo = __double2loint(x), hi = __double2hiint(x);
  // Shuffle the two 32b registers.
  lo = __shfl_sync(0xFFFFFFFF, lo, lane, ws);
  hi = __shfl_sync(0xFFFFFFFF, hi, lane, ws);
  // Recreate the 64b number.
  return __hiloint2double(hi,lo);
}

/* Reads libcu++'s header as for a host compiler:
 * it takes the types from <cstdint>. NVRTC has no push_macro. */
#include <cuda/std/version>
#include <cuda/std/climits>
#if __CUDACC_VER_MAJOR__ >= 13
#undef _CCCL_COMPILER_NVRTC
#define _CCCL_COMPILER_NVRTC() _CCCL_VERSION_INVALID()
#endif
#include <cuda/std/../std/cstdint>
#if __CUDACC_VER_MAJOR__ >= 13
#undef _CCCL_COMPILER_NVRTC
#define _CCCL_COMPILER_NVRTC() (__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__)
#endif

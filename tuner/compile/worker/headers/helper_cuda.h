/* From the CUDA samples. */
#ifndef APTUNE_HELPER_CUDA
#define APTUNE_HELPER_CUDA
#define checkCudaErrors(call)     (call)
#define getLastCudaError(message) ((void)0)
#endif

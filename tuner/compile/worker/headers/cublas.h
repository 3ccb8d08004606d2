/* cuBLAS and cuFFT bring the types that they compute with; host classes hold their handles. */
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef struct cublasContext *cublasHandle_t;

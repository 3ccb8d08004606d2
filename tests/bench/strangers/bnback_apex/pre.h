#include <cuda_fp16.h>    // ATen includes it

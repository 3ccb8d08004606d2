// Of RAJAPerf's common/RPTypes.hpp and RAJA's util/types.hpp, and a macro that defines host functions
typedef double Real_type;
typedef double *Real_ptr;
typedef long Index_type;
#define RAJAPERF_GPU_BLOCK_SIZE_TUNING_DEFINE_BOILERPLATE(kernel, variant)

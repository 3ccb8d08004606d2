// Names that MAGMA's own headers (cuBLAS, pthreads) would provide.
typedef int magma_int_t;
typedef enum { MagmaNoTrans = 111, MagmaTrans = 112, MagmaConjTrans = 113 } magma_trans_t;
__host__ __device__ static inline magma_int_t magma_ceildiv(magma_int_t x, magma_int_t y) { return (x + y - 1) / y; }
__host__ __device__ static inline magma_int_t magma_roundup(magma_int_t x, magma_int_t y)
{
    return magma_ceildiv(x, y) * y;
}

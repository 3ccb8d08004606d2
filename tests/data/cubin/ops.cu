/* One operation per kernel, to see which opcode it becomes.  Each is compiled to the instruction
 * that test_cubin_sass.c names, and to whatever moves its operands. */
#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL(name, T, ...)                                                                       \
    extern "C" __global__ void name(T *o, int n)                                                   \
    {                                                                                              \
        int i = threadIdx.x;                                                                       \
        __VA_ARGS__                                                                                \
    }

KERNEL(half_add, __half2, o[i] = __hadd2(o[i], o[i + 32]);)
KERNEL(half_multiply, __half2, o[i] = __hmul2(o[i], o[i + 32]);)
KERNEL(half_compare, __half2, if (__hblt2(o[i], o[i + 32])) o[i] = o[i + 64];)
KERNEL(half_minimum, __half2, o[i] = __hmin2(o[i], o[i + 32]);)
KERNEL(float_to_half, float, ((__half2 *)o)[i + 99] = __floats2half2_rn(o[i], o[i + 32]);)
KERNEL(generic_load_store, int, __shared__ int s[32]; s[i] = n; int *p = n > 5 ? o : s;
       asm volatile("ld.u32 %0, [%1];" : "=r"(n) : "l"(p + i));
       asm volatile("st.u32 [%0], %1;" ::"l"(p + i + 1), "r"(n)); o[i] = n + s[1];)
KERNEL(generic_atomic, int, __shared__ int s[32]; s[i] = n; int *p = n > 5 ? o : s;
       asm volatile("atom.add.u32 %0, [%1], %0;" : "+r"(n) : "l"(p + i)); o[i] = n + s[1];)
KERNEL(match, int, o[i] = __match_any_sync(~0u, o[i]);)
KERNEL(sleep, int, __nanosleep(n + i);)
KERNEL(double_matrix, double, double a = o[i]; double b = o[i + 32]; double c = o[i + 64];
       double d = o[i + 96];
       asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                    : "+d"(c), "+d"(d) : "d"(a), "d"(b)); o[i] = c + d;)
KERNEL(byte_matrix, int,
       asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                    "{%8,%9}, {%0,%1,%2,%3};"
                    : "+r"(o[i]), "+r"(o[i + 32]), "+r"(o[i + 64]), "+r"(o[i + 96])
                    : "r"(n), "r"(n + 1), "r"(n + 2), "r"(n + 3), "r"(n + 4), "r"(n + 5));)
KERNEL(bit_mask, int, asm volatile("bmsk.clamp.b32 %0, %1, %2;" : "=r"(o[i]) : "r"(n), "r"(o[i + 1]));)
KERNEL(uniform_logic, int, o[i] = o[i] + ((n & 0x55) ^ (n >> 3) ^ (n * 7));)
KERNEL(uniform_count, int, o[i] = o[i] + __popc(n) * blockIdx.x + __clz(n);)
KERNEL(system_fence, int, o[i] = 1; __threadfence_system(); o[i + 1] = 2;)
KERNEL(prefetch, int, asm volatile("prefetch.global.L2 [%0];" ::"l"(o + i));)
KERNEL(absolute_difference, int, o[i] = __sad(o[i], o[i + 32], n);)

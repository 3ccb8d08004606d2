/* Bulk copies, one after the other, of so many bytes each.
 *
 *     bulk(good, to, from)
 *     grid  any      block  32
 *
 * A block moves CHUNKS chunks of 16 KB, in copies of BYTES that its lanes start in turn; two chunks are under
 * way.  All blocks go round through the first 16 MB.  STORE is 0 to shared memory, 1 from there. */

#ifndef STORE
#define STORE 0
#endif
#ifndef BYTES
#define BYTES 256
#endif
#ifndef CHUNKS
#define CHUNKS 16
#endif

typedef unsigned long long Word;

constexpr unsigned CHUNK = 16384, STAGES = 2, AROUND = 1024; /* chunks of the arrays */

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void wait_full(Word *full, unsigned parity)
{
    unsigned done = 0;
#pragma unroll 1
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(full)), "r"(parity)
                     : "memory");
}

__device__ __forceinline__ void fetch(unsigned char *chunk, const unsigned char *from, Word *full)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                         shared_address(full)),
                     "r"(CHUNK)
                     : "memory");
    __syncwarp();
#pragma unroll 1
    for (unsigned at = threadIdx.x * BYTES; at < CHUNK; at += 32 * BYTES)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(shared_address(chunk + at)),
                     "l"(from + at), "r"(BYTES), "r"(shared_address(full))
                     : "memory");
}

__device__ __forceinline__ void send(unsigned char *to, const unsigned char *chunk)
{
#pragma unroll 1
    for (unsigned at = threadIdx.x * BYTES; at < CHUNK; at += 32 * BYTES)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + at),
                     "r"(shared_address(chunk + at)), "r"(BYTES)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory"); /* the chunk before has been read */
}

/* Where a block's chunk lies, in bytes. */
__device__ __forceinline__ size_t place(unsigned chunk)
{
    return (size_t)((chunk * gridDim.x + blockIdx.x) % AROUND) * CHUNK;
}

extern "C" __global__ void __launch_bounds__(32)
    bulk(unsigned *good, unsigned char *to, const unsigned char *from)
{
    __shared__ alignas(128) unsigned char chunks[STAGES][CHUNK];
    __shared__ Word full[STAGES];
    unsigned right = 1;
    if (STORE) {
        for (unsigned at = threadIdx.x; at < STAGES * CHUNK / 4; at += 32)
            ((unsigned *)chunks)[at] = 7;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
#pragma unroll 1
        for (unsigned c = 0; c < CHUNKS; c++)
            send(to + place(c), chunks[c % STAGES]);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    } else {
        if (threadIdx.x == 0)
            for (unsigned s = 0; s < STAGES; s++)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s]))
                             : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        for (unsigned c = 0; c < STAGES && c < CHUNKS; c++)
            fetch(chunks[c], from + place(c), &full[c]);
#pragma unroll 1
        for (unsigned c = 0; c < CHUNKS; c++) {
            wait_full(&full[c % STAGES], c / STAGES % 2);
            right &= ((const unsigned *)chunks[c % STAGES])[threadIdx.x] == 7;
            __syncwarp();
            if (c + STAGES < CHUNKS)
                fetch(chunks[c % STAGES], from + place(c + STAGES), &full[c % STAGES]);
        }
    }
    right = __all_sync(0xffffffff, right);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}

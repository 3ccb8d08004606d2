/* Occupancy against NVIDIA's own calculator, for random blocks on every device it knows. */
#include "metrics/metric/occupancy.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

enum { ROUNDS = 4000, SEED = 2008 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int random_in(uint64_t *state, int low, int high)
{
    return low + (int)(next_random(state) % (uint64_t)(high - low + 1));
}

static cudaOccDeviceProp properties_of(const Device *d)
{
    cudaOccDeviceProp p = {0};
    p.computeMajor = d->major;
    p.computeMinor = d->minor;
    p.maxThreadsPerBlock = d->threads_per_block;
    p.maxThreadsPerMultiprocessor = d->threads_per_sm;
    p.regsPerBlock = d->registers_per_block;
    p.regsPerMultiprocessor = d->registers_per_sm;
    p.warpSize = WARP_THREADS;
    p.sharedMemPerBlock = (size_t)d->shared_per_block;
    p.sharedMemPerMultiprocessor = (size_t)d->shared_per_sm;
    p.numSms = 1;
    p.sharedMemPerBlockOptin = (size_t)d->shared_per_block_optin;
    p.reservedSharedMemPerBlock = (size_t)d->shared_reserved;
    return p;
}

static cudaOccResult oracle(const Device *d, const BlockUse *use)
{
    cudaOccDeviceProp properties = properties_of(d);
    cudaOccFuncAttributes attributes = {0};
    attributes.maxThreadsPerBlock = d->threads_per_block;
    attributes.numRegs = use->registers;
    attributes.sharedSizeBytes = (size_t)use->static_shared;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = (size_t)use->dynamic_shared;
    attributes.numBlockBarriers = use->barriers;
    cudaOccDeviceState state = {0};
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    cudaOccResult result = {0};
    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes,
                                                             &state, use->threads,
                                                             (size_t)use->dynamic_shared),
                     CUDA_OCC_SUCCESS);
    return result;
}

/* Sizes near steps as often as anywhere: multiples of 32 threads, of 128 bytes, one off. */
static BlockUse random_use(uint64_t *state, const Device *d)
{
    BlockUse use = {0};
    use.registers = random_in(state, 0, d->registers_per_thread);
    use.threads = random_in(state, 1, 1100);
    if (random_in(state, 0, 1))
        use.threads = 32 * random_in(state, 1, 34);
    if (random_in(state, 0, 3))
        use.static_shared = random_in(state, 0, 49152);
    if (random_in(state, 0, 1))
        use.dynamic_shared = random_in(state, 0, d->shared_per_block_optin + 2000);
    if (random_in(state, 0, 3) == 0)
        use.dynamic_shared =
            d->shared_per_sm / random_in(state, 1, 16) - random_in(state, -1, 1) - 1024;
    if (use.dynamic_shared < 0)
        use.dynamic_shared = 0;
    use.barriers = random_in(state, 0, 1) ? random_in(state, 0, 16) : 1;
    return use;
}

static bool same_limits(const Device *a, const Device *b)
{
    return a->major == b->major && a->minor == b->minor &&
           a->threads_per_block == b->threads_per_block && a->threads_per_sm == b->threads_per_sm &&
           a->warps_per_sm == b->warps_per_sm && a->blocks_per_sm == b->blocks_per_sm &&
           a->registers_per_sm == b->registers_per_sm &&
           a->registers_per_block == b->registers_per_block &&
           a->registers_per_thread == b->registers_per_thread &&
           a->shared_per_sm == b->shared_per_sm && a->shared_per_block == b->shared_per_block &&
           a->shared_per_block_optin == b->shared_per_block_optin &&
           a->shared_reserved == b->shared_reserved;
}

/* GPUs of one capability rarely differ in what occupancy is computed from. */
static bool had_its_like(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_limits(device_at(k), device_at(i)))
            return true;
    return false;
}

static void compare(const Device *d, const BlockUse *use)
{
    cudaOccResult expected = oracle(d, use);
    Occupancy o = occupancy_compute(d, use);

    assert_int_equal(o.blocks_per_sm, expected.activeBlocksPerMultiprocessor);
    assert_int_equal(o.by[OCCUPANCY_WARPS], expected.blockLimitWarps);
    assert_int_equal(o.by[OCCUPANCY_REGISTERS], expected.blockLimitRegs);
    assert_int_equal(o.by[OCCUPANCY_SHARED], expected.blockLimitSharedMem);
    assert_int_equal(o.by[OCCUPANCY_BLOCKS], expected.blockLimitBlocks);
    assert_int_equal(o.by[OCCUPANCY_BARRIERS], expected.blockLimitBarriers);
    /* NVIDIA's bits keep the other limits when barriers alone are the least. */
    if (o.limits != 1 << OCCUPANCY_BARRIERS)
        assert_int_equal(o.limits, expected.limitingFactors);
}

static void agrees_with_nvidias_calculator(void **state)
{
    (void)state;
    uint64_t random = SEED;
    int launchable = 0, compared = 0;

    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        /* 1.x is older than the calculator: test_occupancy.c has its cases. */
        if (d->major == 1 || had_its_like(i))
            continue;
        for (int round = 0; round < ROUNDS; round++) {
            BlockUse use = random_use(&random, d);
            compare(d, &use);
            launchable += oracle(d, &use).activeBlocksPerMultiprocessor > 0;
            compared++;
        }
    }

    assert_true(compared >= 13 * ROUNDS);
    assert_true(launchable > compared / 4);
}

/* One step at a time, as slowly and as surely as possible. */
static void next_step_is_the_smallest_saving(void **state)
{
    (void)state;
    uint64_t random = SEED;

    for (size_t i = 0; device_at(i); i++)
        for (int round = 0; round < 8 && !had_its_like(i); round++) {
            const Device *d = device_at(i);
            BlockUse use = random_use(&random, d);
            use.static_shared %= 4096;
            use.dynamic_shared %= 4096;
            Occupancy o = occupancy_compute(d, &use);

            int registers = 0;
            for (int fewer = 1; fewer <= use.registers && !registers; fewer++) {
                BlockUse less = use;
                less.registers -= fewer;
                if (occupancy_compute(d, &less).blocks_per_sm > o.blocks_per_sm)
                    registers = fewer;
            }
            int64_t shared = use.static_shared + use.dynamic_shared, bytes = 0;
            for (int64_t fewer = 1; fewer <= shared && !bytes; fewer += 1) {
                BlockUse less = use;
                less.static_shared = 0;
                less.dynamic_shared = shared - fewer;
                if (occupancy_compute(d, &less).blocks_per_sm > o.blocks_per_sm)
                    bytes = fewer;
            }

            assert_int_equal(o.fewer_registers, registers);
            assert_int_equal(o.fewer_shared_bytes, bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_nvidias_calculator),
        cmocka_unit_test(next_step_is_the_smallest_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

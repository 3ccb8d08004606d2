/* Machine code with random damage: no crash, no endless walk, and the visits are still a flow of
 * one warp. */
#include "tests/support/sass_shapes.h"

#include <math.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ROUNDS = 20, SEED = 20262 };

static uint32_t random_state = SEED;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void damage(uint8_t *code, size_t bytes)
{
    for (uint32_t i = 1 + random_below(12); i > 0; i--) {
        uint8_t *at = code + random_below((uint32_t)bytes / SASS_BYTES) * SASS_BYTES;
        if (random_below(2))
            at[random_below(SASS_BYTES)] = (uint8_t)random_below(256);
        else /* another instruction of the same code: more jumps than chance would give */
            memcpy(at, code + random_below((uint32_t)bytes / SASS_BYTES) * SASS_BYTES, SASS_BYTES);
    }
}

/* Where no lanes part, a block is left as often as it is entered, calls and ends apart. */
static void check_flow(const SassJoin *j)
{
    for (int b = 0; b < j->flow->cfg->count; b++) {
        const CfgBlock *block = &j->flow->cfg->blocks[b];
        double out = 0;
        for (int k = 0; k < block->succ_count; k++)
            out += j->edges[b][k];
        assert_true(isfinite(j->visits[b]) && j->visits[b] >= 0);
        if (block->order == CFG_NONE || block->ends_thread || j->flow->callee[b] != CFG_NONE)
            continue;
        assert_true(fabs(out - j->visits[b]) <= 1e-3 * (1 + j->visits[b]));
    }
}

static void damaged_code_gives_a_flow_and_a_time(void **state)
{
    (void)state;
    static const char *const kernels[] = {"loop", "rest", "paths", "called", "table"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        Arena *a = arena_new();
        const Shape s = sass_shape(a, kernels[k], 90, 300);
        for (int i = 0; i < ROUNDS; i++) {
            Arena *scratch = arena_new();
            uint8_t *code = ARENA_ARRAY(scratch, uint8_t, s.kernel->code_bytes);
            memcpy(code, s.kernel->code, s.kernel->code_bytes);
            damage(code, s.kernel->code_bytes);

            const SassFlow *f = sass_flow_build(
                scratch, 90, &(CubinKernel){.code = code, .code_bytes = s.kernel->code_bytes});
            const SassJoin *j = sass_join(scratch, f, s.walk);
            const SassSerial serial = sass_serial(scratch, j, &SASS_LATENCY);
            if (!j->unmatched || !strstr(j->unmatched, "too many"))
                check_flow(j);
            assert_true(isfinite(serial.cycles) && serial.cycles >= 0);
            arena_free(scratch);
        }
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_code_gives_a_flow_and_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

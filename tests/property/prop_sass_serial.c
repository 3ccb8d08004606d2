/* A loop takes as long as its body written out as many times: random bodies of loads, stores and
 * arithmetic with random scoreboards. */
#include "tests/support/sass_words.h"

#include "metrics/cubin/sass_serial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { BODIES = 300, BODY = 24, ITERATIONS = 60, SEED = 20261 };

static uint32_t random_state = SEED;

static int random_below(int n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)n);
}

static Word random_word(void)
{
    static const int ops[] = {SASS_OP_FFMA, SASS_OP_FFMA, SASS_OP_IADD3, SASS_OP_LDS, SASS_OP_LDG,
                              SASS_OP_STS,  SASS_OP_MUFU, SASS_OP_BAR,   SASS_OP_SHFL};
    Word w = {.op = ops[random_below(9)], .stall = 1 + random_below(8)};
    if (w.op == SASS_OP_LDS || w.op == SASS_OP_LDG || w.op == SASS_OP_MUFU || w.op == SASS_OP_SHFL)
        w.write = 1 + random_below(6);
    if (w.op == SASS_OP_STS)
        w.read = 1 + random_below(6);
    if (random_below(3) == 0)
        w.wait = 1 << random_below(6);
    return w;
}

static double cycles(Arena *a, const Word *words, size_t count, double visits)
{
    const uint8_t *code = sass_words(a, words, count);
    const SassFlow *f =
        sass_flow_build(a, 90, &(CubinKernel){.code = code, .code_bytes = count * SASS_BYTES});
    return sass_serial(a, sass_words_join(a, f, visits), &SASS_LATENCY).cycles;
}

static void a_loop_takes_as_long_as_its_body_written_out(void **state)
{
    (void)state;
    for (int k = 0; k < BODIES; k++) {
        Arena *a = arena_new();
        Word looped[BODY + 2], *flat = ARENA_ARRAY(a, Word, ITERATIONS * (BODY + 1) + 1);
        const int n = 1 + random_below(BODY);
        size_t count = 0;
        for (int i = 0; i < n; i++)
            looped[i] = random_word();
        looped[n] = (Word){.op = SASS_OP_BRA, .stall = 5, .guard = true};
        looped[n + 1] = (Word){.op = SASS_OP_EXIT, .stall = 1};
        for (int i = 0; i < ITERATIONS; i++)
            for (int j = 0; j <= n; j++)
                flat[count++] = j < n ? looped[j] : (Word){.op = SASS_OP_NOP, .stall = 5};
        flat[count++] = looped[n + 1];

        const double expected = cycles(a, flat, count, 1);
        const double found = cycles(a, looped, (size_t)n + 2, ITERATIONS);
        assert_true(found >= expected * 0.98 && found <= expected * 1.02);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_takes_as_long_as_its_body_written_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

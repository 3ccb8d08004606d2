/* Register ports: loops whose cycles were measured, and stores that tie sums together. */
#include "metrics/cubin/sass_profile.h"
#include "tests/support/sass_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LENGTH = 480 };

typedef struct Code {
    uint8_t bytes[(LENGTH + 8) * SASS_BYTES];
    size_t count;
} Code;

static void add_words(Code *c, uint64_t low, uint64_t high)
{
    uint8_t *at = c->bytes + c->count++ * SASS_BYTES;
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(low >> 8 * i);
        at[8 + i] = (uint8_t)(high >> 8 * i);
    }
}

static uint64_t low_word(int op, int form, int to, int first, int second)
{
    return (uint64_t)op | (uint64_t)form << 9 | (uint64_t)SASS_ALWAYS << 12 | (uint64_t)to << 16 |
           (uint64_t)first << 24 | (uint64_t)second << 32;
}

/* FFMA sum, a, b, sum; flags: 1 keeps a, 2 keeps b. */
static void add_ffma(Code *c, int sum, int a, int b, unsigned flags)
{
    add_words(c, low_word(SASS_OP_FFMA, 1, sum, a, b), (uint64_t)sum | (uint64_t)flags << 58);
}

static void add_exit(Code *c)
{
    add_words(c, low_word(SASS_OP_EXIT, 4, 0, 0, 0), (uint64_t)SASS_ALWAYS << 23);
}

static SassPorts ports_of(Arena *a, const Code *c)
{
    const SassFlow *f = sass_flow_build(
        a, 90, &(CubinKernel){.code = c->bytes, .code_bytes = c->count * SASS_BYTES});
    return sass_ports(sass_words_join(a, f, 1));
}

static double cycles_each(const Code *c)
{
    Arena *a = arena_new();
    Code whole = *c;
    add_exit(&whole);
    const double cycles = ports_of(a, &whole).cycles;
    arena_free(a);
    return (cycles - 1) / (double)c->count;
}

/* The a operand is kept for n instructions, sum and b lie in two banks. */
static void an_operand_read_now_and_then_costs_half_a_cycle(void **state)
{
    (void)state;
    const struct {
        int n;
        double measured;
    } cases[] = {{16, 1.041}, {8, 1.071}, {4, 1.132}, {2, 1.254}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Code c = {.count = 0};
        for (int k = 0; k < LENGTH; k++) {
            const int column = k % 8, row = k / cases[i].n;
            add_ffma(&c, 64 + k % 128, 16 + row % 16, 40 + (column ^ 1),
                     k % cases[i].n < cases[i].n - 1 ? 1 : 0);
        }
        assert_float_equal(cycles_each(&c), cases[i].measured, 0.02);
    }
}

static void three_registers_take_a_cycle_and_a_half(void **state)
{
    (void)state;
    Code c = {.count = 0};
    for (int k = 0; k < LENGTH; k++)
        add_ffma(&c, 64 + k % 128, 16 + k / 2 % 16, 40 + (k + 1) % 8, 0);
    assert_float_equal(cycles_each(&c), 1.502, 0.02);
}

/* By NVIDIA's throughput tables and by what was measured: conversions go where special functions do,
 * packing ones and votes to the logic unit. */
static void each_instruction_has_its_unit(void **state)
{
    (void)state;
    static const struct {
        int op;
        SassUnit unit;
    } table[] = {
        {SASS_OP_FFMA, SASS_UNIT_FMA},    {SASS_OP_FADD, SASS_UNIT_FMA},
        {SASS_OP_FMUL, SASS_UNIT_FMA},    {SASS_OP_IMAD, SASS_UNIT_IMAD},
        {SASS_OP_FSETP, SASS_UNIT_ALU},   {SASS_OP_ISETP, SASS_UNIT_ALU},
        {SASS_OP_I2FP, SASS_UNIT_ALU},    {SASS_OP_F2FP, SASS_UNIT_ALU},
        {SASS_OP_F2IP, SASS_UNIT_SFU},    {SASS_OP_MUFU, SASS_UNIT_SFU},
        {SASS_OP_DFMA, SASS_UNIT_FP64},   {SASS_OP_HFMA2, SASS_UNIT_HALF},
        {SASS_OP_HMMA, SASS_UNIT_TENSOR}, {SASS_OP_LDS, SASS_UNIT_LSU},
        {SASS_OP_STG, SASS_UNIT_LSU},     {SASS_OP_SHFL, SASS_UNIT_LSU},
        {SASS_OP_BRA, SASS_UNIT_BRANCH},  {SASS_OP_S2R, SASS_UNIT_OTHER},
        {SASS_OP_BAR, SASS_UNIT_OTHER},   {SASS_OP_VOTE, SASS_UNIT_ALU},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(sass_unit_of(sass_instr(low_word(table[i].op, 1, 8, 9, 10), 0, 90)),
                         table[i].unit);
}

/* Three reads of one bank an instruction, one served a cycle, four may wait: 1 + 2 + 3 + 3 cycles, and
 * one of the exit. */
static void four_reads_may_wait(void **state)
{
    (void)state;
    for (int bank = 0; bank < 2; bank++) {
        Code c = {.count = 0};
        for (int k = 0; k < 4; k++)
            add_ffma(&c, 64 + 2 * k + bank, 16 + 2 * k + bank, 40 + 2 * k + bank, 0);
        assert_true(4 * cycles_each(&c) == 9);
    }
}

static void kept_operands_and_equal_ones_are_read_once(void **state)
{
    (void)state;
    Code kept = {.count = 0}, equal = {.count = 0};
    for (int k = 0; k < LENGTH; k++) {
        add_ffma(&kept, 64 + k % 128, 16, 17, 3);
        add_ffma(&equal, 64 + k % 128, 16 + (k + 1) % 2, 16 + (k + 1) % 2, 0);
    }
    assert_float_equal(cycles_each(&kept), 1.007, 0.02);
    assert_float_equal(cycles_each(&equal), 1.006, 0.02);
}

/* Without its flag an operand is read again, and so it is where another instruction stood between.
 */
static void only_the_flag_keeps_an_operand(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Code c = {.count = 0};
    add_ffma(&c, 64, 16, 41, 0);
    add_ffma(&c, 65, 16, 40, 1);
    add_ffma(&c, 66, 16, 43, 1);
    add_words(&c, low_word(SASS_OP_IADD3, 1, 8, 9, 10), 11);
    add_ffma(&c, 67, 16, 42, 0);
    add_exit(&c);
    assert_float_equal(ports_of(a, &c).three, 3, 0);
    arena_free(a);
}

/* The same two registers of one bank, over and over, take two cycles. */
static void reads_of_one_bank_queue(void **state)
{
    (void)state;
    Code c = {.count = 0};
    for (int k = 0; k < LENGTH; k++)
        add_ffma(&c, 64 + 2 * (k % 64), 17, 40 + 2 * (k % 4), 1);
    assert_float_equal(cycles_each(&c), 2, 0.03);
}

/* A loop adds to R64 … R67; `freed` of them are multiplied before all four are stored at once. */
static double tied(int freed, int bytes_code)
{
    Arena *a = arena_new();
    Code c = {.count = 0};
    for (int k = 0; k < 4; k++)
        add_ffma(&c, 64 + k, 16, 40, 0);
    add_words(&c,
              (uint64_t)SASS_OP_BRA | 4u << 9 | (uint64_t)0xec << 16 | (uint64_t)0x3fffffff << 34,
              (uint64_t)SASS_ALWAYS << 23 | 0x3ff);
    for (int k = 0; k < freed; k++)
        add_words(&c, low_word(SASS_OP_FMUL, 1, 64 + k, 64 + k, 8), 255);
    add_words(&c, low_word(SASS_OP_STG, 4, 0, 2, 64), (uint64_t)bytes_code << 9);
    add_exit(&c);
    /* @P0 on the branch */
    c.bytes[4 * SASS_BYTES + 1] = (uint8_t)(c.bytes[4 * SASS_BYTES + 1] & 0x8f);
    const double n = ports_of(a, &c).tied_sums;
    arena_free(a);
    return n;
}

static void a_vector_store_ties_the_sums_it_takes_from_the_loop(void **state)
{
    enum { OF_4_BYTES = 4, OF_16_BYTES = 6 };
    (void)state;
    assert_float_equal(tied(0, OF_16_BYTES), 4, 0);
    assert_float_equal(tied(1, OF_16_BYTES), 3, 0);
    assert_float_equal(tied(4, OF_16_BYTES), 0, 0);
    assert_float_equal(tied(0, OF_4_BYTES), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operand_read_now_and_then_costs_half_a_cycle),
        cmocka_unit_test(three_registers_take_a_cycle_and_a_half),
        cmocka_unit_test(four_reads_may_wait),
        cmocka_unit_test(each_instruction_has_its_unit),
        cmocka_unit_test(kept_operands_and_equal_ones_are_read_once),
        cmocka_unit_test(only_the_flag_keeps_an_operand),
        cmocka_unit_test(reads_of_one_bank_queue),
        cmocka_unit_test(a_vector_store_ties_the_sums_it_takes_from_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

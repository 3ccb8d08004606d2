/* Machine instructions: fields by hand and in real code. */
#include "metrics/base/file.h"
#include "metrics/cubin/cubin.h"
#include "metrics/cubin/sass.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static const CubinKernel *kernel_from(Arena *a, const char *file, const char *name)
{
    Diag d = diag_new(a);
    size_t size = 0;
    const char *bytes = file_read(a, arena_printf(a, TEST_DATA "/cubin/%s", file), &size, &d);
    assert_non_null(bytes);
    const Cubin *c = cubin_read(a, bytes, size, &d);
    assert_non_null(c);
    const CubinKernel *k = cubin_find(c, name);
    assert_non_null(k);
    return k;
}

static size_t count_class(const CubinKernel *k, SassClass class)
{
    size_t n = 0;
    for (size_t i = 0; i < sass_count(k->code, k->code_bytes); i++)
        n += sass_class(sass_at(k->code, i, 90)) == class;
    return n;
}

/* `@!P0 BRA` over 15 instructions, stall 5, as ptxas wrote it for sm_90. */
static void fields_of_a_branch(void **state)
{
    (void)state;
    SassInstr w = sass_instr(0x00000000003c8947, 0x000fea0003800000, 90);

    bool negated = false;
    size_t target = 0;
    assert_string_equal(sass_name(w), "BRA");
    assert_int_equal(sass_class(w), SASS_BRANCH);
    assert_int_equal(sass_guard(w, &negated), 0);
    assert_true(negated);
    assert_int_equal(sass_control(w).stall, 5);
    assert_int_equal(sass_control(w).write, SASS_NO_SCOREBOARD);
    assert_int_equal(sass_control(w).read, SASS_NO_SCOREBOARD);
    assert_int_equal(sass_control(w).wait, 0);
    assert_int_equal(sass_access_bytes(w), 0);
    assert_true(sass_branch_target(w, 90, 35, 100, &target));
    assert_int_equal(target, 35 + 1 + 15);
    assert_false(sass_branch_target(w, 90, 35, 51, &target));
}

/* BRA.DIV as ptxas wrote it for sm_75, sm_80 and sm_90: to a way for lanes that have parted. */
static void branches_of_parted_lanes_are_conditional(void **state)
{
    (void)state;
    size_t target = 0;
    const SassInstr w = sass_instr(0x0000010200007947, 0x000fea0003800000, 75);

    assert_true(sass_conditional(w));
    assert_true(sass_branch_target(w, 75, 0x39, 0x100, &target));
    assert_int_equal(target, 0x4a);
    assert_true(sass_conditional(sass_instr(0x000001227f007947, 0x000fea000b800000, 80)));
    assert_true(sass_conditional(sass_instr(0x0000000204407947, 0x000fea000b800000, 90)));
    assert_false(sass_conditional(sass_instr(0x0000001000007947, 0x000fea0003800000, 75)));
}

/* The endless loop that ends every function. */
static void branch_to_itself_goes_back_one(void **state)
{
    (void)state;
    SassInstr w = sass_instr(0xfffffffc00fc7947, 0x000fc0000383ffff, 90);

    size_t target = 0;
    assert_true(sass_branch_target(w, 90, 14, 15, &target));
    assert_int_equal(target, 14);
    assert_int_equal(sass_guard(w, NULL), SASS_ALWAYS);
    SassInstr sm_80 = sass_instr(0xfffffff000007947, 0x000fc0000383ffff, 80);
    assert_true(sass_branch_target(sm_80, 80, 17, 18, &target));
    assert_int_equal(target, 17);
}

static void every_branch_lands_in_the_code(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *names[] = {"tile", "dynamic", "spill", "local", "params", "wide"};

    size_t branches = 0, backward = 0;
    for (int arch = 80; arch <= 100; arch += 10)
        for (size_t n = 0; n < 6; n++) {
            const CubinKernel *k =
                kernel_from(a, arena_printf(a, "usage_sm_%d.cubin", arch), names[n]);
            size_t count = sass_count(k->code, k->code_bytes), target;
            for (size_t i = 0; i < count; i++) {
                SassInstr w = sass_at(k->code, i, arch);
                if (sass_opcode(w) != SASS_OP_BRA)
                    continue;
                assert_true(sass_branch_target(w, arch, i, count, &target));
                branches++;
                backward += target < i;
            }
        }
    assert_true(branches >= 3 * 6);
    assert_true(backward >= 3 * 2); /* at least the loops of spill and local */
    arena_free(a);
}

/* tile: one load and one store of global memory, of shared memory, one barrier, one multiply. */
static void instructions_are_classified(void **state)
{
    (void)state;
    Arena *a = arena_new();

    for (int arch = 80; arch <= 90; arch += 10) {
        const CubinKernel *k = kernel_from(a, arena_printf(a, "usage_sm_%d.cubin", arch), "tile");

        assert_int_equal(count_class(k, SASS_GLOBAL_LOAD), 1);
        assert_int_equal(count_class(k, SASS_GLOBAL_STORE), 1);
        assert_int_equal(count_class(k, SASS_SHARED_LOAD), 1);
        assert_int_equal(count_class(k, SASS_SHARED_STORE), 1);
        assert_int_equal(count_class(k, SASS_SYNC), 1);
        assert_int_equal(count_class(k, SASS_FP32), 1);
        assert_int_equal(count_class(k, SASS_LOCAL_LOAD), 0);
        assert_true(sass_count(k->code, k->code_bytes) * SASS_BYTES < k->code_bytes);
    }
    arena_free(a);
}

/* spill reads float4: each of its 12 global loads moves 16 bytes, each of its 12 stores 4. */
static void access_widths_are_those_of_the_source(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const CubinKernel *k = kernel_from(a, "usage_sm_90.cubin", "spill");
    int loads = 0, load_bytes = 0, stores = 0, store_bytes = 0;
    for (size_t i = 0; i < sass_count(k->code, k->code_bytes); i++) {
        SassInstr w = sass_at(k->code, i, 90);
        int bytes = sass_access_bytes(w);
        loads += sass_class(w) == SASS_GLOBAL_LOAD;
        load_bytes += sass_class(w) == SASS_GLOBAL_LOAD ? bytes : 0;
        stores += sass_class(w) == SASS_GLOBAL_STORE;
        store_bytes += sass_class(w) == SASS_GLOBAL_STORE ? bytes : 0;
    }

    assert_int_equal(loads, 12);
    assert_int_equal(load_bytes, 12 * 16);
    assert_int_equal(stores, 12);
    assert_int_equal(store_bytes, 12 * 4);
    arena_free(a);
}

/* A global load tells its consumer through a scoreboard, and the consumer waits for it. */
static void loads_set_a_scoreboard_that_somebody_awaits(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const CubinKernel *k = kernel_from(a, "usage_sm_90.cubin", "tile");
    size_t count = sass_count(k->code, k->code_bytes), load = 0;
    while (load < count && sass_opcode(sass_at(k->code, load, 90)) != SASS_OP_LDG)
        load++;
    assert_true(load < count);
    int board = sass_control(sass_at(k->code, load, 90)).write;
    assert_in_range(board, 0, 5);
    size_t wait = load + 1;
    while (wait < count && !(sass_control(sass_at(k->code, wait, 90)).wait >> board & 1))
        wait++;

    assert_true(wait < count);
    assert_int_equal(sass_opcode(sass_at(k->code, wait, 90)), SASS_OP_STS);
    arena_free(a);
}

static bool kernel_has(const CubinKernel *k, const char *op)
{
    for (size_t i = 0; i < sass_count(k->code, k->code_bytes); i++)
        if (strcmp(sass_name(sass_at(k->code, i, 90)), op) == 0)
            return true;
    return false;
}

/* Compiled by itself, an operation becomes its instruction; and nothing else here is unknown. */
static void operations_become_their_instructions(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *const rows[][2] = {
        {"half_add", "HADD2"},        {"half_multiply", "HMUL2"},
        {"half_compare", "HSET2"},    {"half_minimum", "HMNMX2"},
        {"float_to_half", "F2FP"},    {"generic_load_store", "LD"},
        {"generic_load_store", "ST"}, {"generic_atomic", "ATOM"},
        {"match", "MATCH"},           {"sleep", "NANOSLEEP"},
        {"double_matrix", "DMMA"},    {"byte_matrix", "IMMA"},
        {"bit_mask", "BMSK"},         {"uniform_logic", "ULOP3"},
        {"uniform_count", "UPOPC"},   {"uniform_count", "UFLO"},
        {"uniform_count", "UIMAD"},   {"system_fence", "ERRBAR"},
        {"prefetch", "CCTL"},         {"absolute_difference", "VABSDIFF"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const CubinKernel *k = kernel_from(a, "ops_sm_80.cubin", rows[i][0]);
        const CubinKernel *later = kernel_from(a, "ops_sm_100.cubin", rows[i][0]);
        assert_true(kernel_has(k, rows[i][1]));
        assert_int_equal(count_class(k, SASS_UNKNOWN), 0);
        assert_int_equal(count_class(later, SASS_UNKNOWN), 0);
        /* the address of the parameters comes through LDCU there */
        assert_true(i != 0 || kernel_has(later, "LDCU"));
    }
    arena_free(a);
}

/* Words as ptxas wrote them: FFMA with c[0x0][0x21c], LDC.64 of a parameter, LDC by R6 and ULDC.64
 * for sm_90; SEL.64 for sm_120 has the form that means a constant on sm_90. */
static void reads_of_constants(void **state)
{
    (void)state;
    const uint64_t rest = 0x000fe20000000000;

    assert_int_equal(sass_constant(sass_instr(0x0000870002027a23, rest, 90)),
                     SASS_CONSTANT_OPERAND);
    assert_int_equal(sass_constant(sass_instr(0x00008400ff027b82, 0x000e220000000a00, 90)),
                     SASS_CONSTANT_FIXED);
    assert_int_equal(sass_constant(sass_instr(0x0080000006047b82, 0x000e240000000800, 90)),
                     SASS_CONSTANT_INDEXED);
    assert_int_equal(sass_constant(sass_instr(0x0000820000047ab9, 0x000fce0000000a00, 90)),
                     SASS_CONSTANT_FIXED);
    assert_int_equal(sass_constant(sass_instr(0x00fb000005077abb, 0x000fe20008000800, 90)),
                     SASS_CONSTANT_UNIFORM);
    assert_int_equal(sass_constant(sass_instr(0x0000870002027223, rest, 90)), SASS_NO_CONSTANT);
    assert_int_equal(sass_constant(sass_instr(0x0000870002027a07, rest, 120)), SASS_NO_CONSTANT);
}

static void numbers_stand_in_instructions(void **state)
{
    (void)state;
    uint32_t number = 0;

    /* FFMA R9, R9, R9, 1 and ISETP against 10 */
    assert_true(sass_immediate(sass_instr(0x3f80000009097423, 0x000fe20000000009, 90), &number));
    assert_int_equal(number, 0x3f800000);
    assert_true(sass_immediate(sass_instr(0x0000000a0000780c, 0x000fda0003f05270, 90), &number));
    assert_int_equal(number, 10);
    assert_false(sass_immediate(sass_instr(0x0000000604057223, 0x000fe200000000ff, 90), &number));
    assert_false(sass_immediate(sass_instr(0x00000000003c8947, 0x000fea0003800000, 90), &number));
}

static void codes_mean_what_they_do_on_the_architecture(void **state)
{
    (void)state;
    assert_string_equal(sass_name(sass_instr(0x235, 0, 90)), "HFMA2.MMA");
    assert_string_equal(sass_name(sass_instr(0x235, 0, 120)), "IADD");
    assert_int_equal(sass_class(sass_instr(0x235, 0, 120)), SASS_INT);
    assert_string_equal(sass_name(sass_instr(0x236, 0, 75)), "HMMA");
    assert_string_equal(sass_name(sass_instr(0x236, 0, 90)), "VIADD");
    assert_true(sass_arch_checked(90));
    assert_false(sass_arch_checked(70));
}

/* LDG.E.ENL2.256 of sm_100: no width field. */
static void the_widest_accesses_have_a_code_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(sass_access_bytes(sass_instr(0x797e, 0, 100)), 32);
    assert_int_equal(sass_access_bytes(sass_instr(0x797f, 0, 100)), 32);
}

static void opcodes_without_a_name_are_unknown(void **state)
{
    (void)state;
    SassInstr w = sass_instr(0x1ff, 0, 90);

    assert_string_equal(sass_name(w), "?");
    assert_int_equal(sass_class(w), SASS_UNKNOWN);
    assert_int_equal(sass_count((const uint8_t *)"", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_a_branch),
        cmocka_unit_test(branches_of_parted_lanes_are_conditional),
        cmocka_unit_test(branch_to_itself_goes_back_one),
        cmocka_unit_test(every_branch_lands_in_the_code),
        cmocka_unit_test(instructions_are_classified),
        cmocka_unit_test(access_widths_are_those_of_the_source),
        cmocka_unit_test(loads_set_a_scoreboard_that_somebody_awaits),
        cmocka_unit_test(operations_become_their_instructions),
        cmocka_unit_test(reads_of_constants),
        cmocka_unit_test(numbers_stand_in_instructions),
        cmocka_unit_test(codes_mean_what_they_do_on_the_architecture),
        cmocka_unit_test(the_widest_accesses_have_a_code_of_their_own),
        cmocka_unit_test(opcodes_without_a_name_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

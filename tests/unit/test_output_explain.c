/* Each pattern that explain knows, by a profile that has it and one that does not.
 *
 * Profiles are synthetic: a kernel that does everything as it should, with one thing made wrong at
 * a time.  Costs are worked out by hand from the rates of the H200. */
#include "metrics/base/file.h"
#include "metrics/metric/device.h"
#include "metrics/metric/profile_build.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/made_table.h"
#include "tuner/output/explain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* --- a subject -------------------------------------------------------------------------------- */

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    Run run;
    Profile profile;
    Geometry geometry;
    Subject subject;
} Fixture;

static void read_metrics(Fixture *f)
{
    static const char *const files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                        SOURCE_DIR "/metrics/cycles.metrics"};
    MetricSet *metrics = metricset_new(f->arena);
    for (size_t i = 0; i < 2; i++)
        assert_true(metricset_read(metrics, source_read(f->arena, files[i], &f->diag), &f->diag));
    table_set_metrics(f->run.table, metrics);
}

/* One wave of 132 blocks of 256 threads, eight on an SM: memory is used as well as can be, and the
 * busiest unit is fp32. */
static void fill_profile(Profile *p)
{
    static const struct {
        ProfileField field;
        double value;
    } values[] = {{PROFILE_REGISTERS, 32},
                  {PROFILE_SHARED_BYTES, 4096},
                  {PROFILE_SPILL_BYTES, 0},
                  {PROFILE_BARRIERS, 1},
                  {PROFILE_THREADS, 256 * 8 * 132},
                  {PROFILE_THREADS_PER_BLOCK, 256},
                  {PROFILE_WARPS_PER_BLOCK, 8},
                  {PROFILE_BLOCKS, 8 * 132},
                  {PROFILE_BLOCKS_PER_SM, 8},
                  {PROFILE_WAVES, 1},
                  {PROFILE_TAIL_EFFICIENCY, 1},
                  {PROFILE_ISSUED, 1200},
                  {PROFILE_FMA_ISSUED, 1100},
                  {PROFILE_LSU_ISSUED, 60},
                  {PROFILE_BRANCH_ISSUED, 10},
                  {PROFILE_SYNC_INSTR, 7},
                  {PROFILE_SHARED_WAVEFRONTS, 100},
                  {PROFILE_SHARED_WAVEFRONTS_MIN, 100},
                  {PROFILE_GLOBAL_SECTORS, 64},
                  {PROFILE_GLOBAL_SECTORS_MIN, 64},
                  {PROFILE_SERIAL_CYCLES, 4000},
                  {PROFILE_SERIAL_ISSUE, 2600},
                  {PROFILE_SERIAL_GLOBAL, 1000},
                  {PROFILE_SERIAL_SHARED, 300},
                  {PROFILE_SERIAL_BARRIER, 100},
                  {PROFILE_LOADED_CYCLES, 10000},
                  {PROFILE_SERIAL_BLOCK, NAN},
                  {PROFILE_SERIAL_BLOCK_GLOBAL, NAN}, /* as in older ones */
                  {PROFILE_SERIAL_BLOCK_MEMORY, NAN}};
    for (int f = 0; f < PROFILE_FIELDS; f++)
        p->value[f] = 0;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        p->value[values[i].field] = values[i].value;
}

static void set_up(Fixture *f)
{
    memset(f, 0, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    f->run.arena = f->arena;
    f->run.device = device_find("h200");
    f->run.table = made_table(f->arena, 1, 1);
    f->run.table->device = f->run.device;
    made_row(f->run.table, 0, (uint32_t[]){0});
    read_metrics(f);
    fill_profile(&f->profile);
}

static void tear_down(Fixture *f)
{
    arena_free(f->arena);
}

/* Metrics and occupancy of the profile as it is now. */
static void judge(Fixture *f)
{
    const LaunchProfile share = {&f->profile, 1};
    table_evaluate(f->arena, f->run.table, 0, &share, 1);
    const double *p = f->profile.value;
    BlockUse use = {.registers = (int)p[PROFILE_REGISTERS],
                    .static_shared = (int64_t)p[PROFILE_SHARED_BYTES],
                    .threads = (int)p[PROFILE_THREADS_PER_BLOCK],
                    .barriers = (int)p[PROFILE_BARRIERS]};
    RunLines lines = f->subject.lines;
    f->run.table->profile[0].whole = &f->profile;
    f->subject = (Subject){.run = &f->run,
                           .profile = &f->profile,
                           .geometry = &f->geometry,
                           .occupancy = occupancy_compute(f->run.device, &use),
                           .lines = lines};
}

/* The only pattern there is, which must be that one; with texts for its cost and remedy. */
static Finding only(Fixture *f, const char *name)
{
    static const SourceLines no_lines;
    judge(f);
    Findings found = explain_find(f->arena, &f->subject, &no_lines);
    assert_int_equal(found.count, 1);
    Finding one = found.at[0];
    assert_string_equal(one.name, name);
    assert_true(one.remedy && one.remedy[0] && one.kind && one.what);
    assert_true(!isnan(one.cycles) || one.effect);
    assert_true(isnan(one.cycles) || one.unit);
    return one;
}

static void assert_none(Fixture *f)
{
    static const SourceLines no_lines;
    judge(f);
    assert_int_equal(explain_find(f->arena, &f->subject, &no_lines).count, 0);
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fabs(want)))
        fail_msg("%.12g is not %.12g", got, want);
}

/* Warps that an SM executes. */
enum { SM_WARPS = 64 };

/* --- nothing ---------------------------------------------------------------------------------- */

static void a_kernel_that_does_all_as_it_should_has_no_pattern(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);

    assert_none(&f);

    assert_string_equal(explain_busiest(&f.subject), "issue_cycles");
    tear_down(&f);
}

/* --- data access ------------------------------------------------------------------------------ */

static void bank_conflicts_cost_their_passes(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SHARED_WAVEFRONTS] = 384;

    Finding found = only(&f, "bank conflicts");

    /* A pass a cycle, and 64 sectors are 16 passes; then issuing 1200 at 4 a cycle bounds. */
    assert_near(found.cycles, 284.0 * SM_WARPS);
    assert_near(found.share, 284.0 / 400.0);
    assert_string_equal(found.what, "shared memory accesses take 3.84 times the necessary passes");
    assert_string_equal(found.effect, "without it, the bound is 25 % lower");
    assert_string_equal(found.kind, "data access");

    f.profile.value[PROFILE_SHARED_WAVEFRONTS] = 105;
    assert_none(&f);
    tear_down(&f);
}

static void conflicts_beside_the_bound_are_said_to_be_so(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SHARED_WAVEFRONTS] = 200;

    Finding found = only(&f, "bank conflicts");

    assert_near(found.cycles, 100.0 * SM_WARPS);
    assert_string_equal(found.effect, "another unit remains the bound");
    tear_down(&f);
}

static void scattered_accesses_cost_their_sectors(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_GLOBAL_SECTORS] = 256;

    Finding found = only(&f, "scattered accesses");

    /* The L2 cache moves so many bytes a cycle for all 132 SMs. */
    const double l2 = device_rates(f.run.device)->l2;
    assert_near(found.cycles, 32.0 * (256 - 64) * SM_WARPS * 132 / l2);
    assert_near(found.share, 0.75);
    assert_string_equal(found.unit, "L2");

    f.profile.value[PROFILE_GLOBAL_SECTORS] = 70;
    assert_none(&f);
    tear_down(&f);
}

static void what_costs_next_to_nothing_is_not_told(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_GLOBAL_SECTORS_MIN] = 1;
    f.profile.value[PROFILE_GLOBAL_SECTORS] = 4;

    /* 158 cycles of L2, three quarters of them all, beside 19200 of issuing. */
    assert_none(&f);
    tear_down(&f);
}

static void spills_cost_their_instructions(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SPILL_ISSUED] = 120;
    f.profile.value[PROFILE_SPILL_BYTES] = 64;

    Finding found = only(&f, "spills");

    assert_near(found.cycles, 120.0 * SM_WARPS / 4);
    assert_near(found.share, 0.1);
    assert_string_equal(found.what, "a warp issues 120 accesses to local memory");
    assert_non_null(strstr(found.remedy, "registers"));
    assert_null(strstr(found.remedy, "array"));
    tear_down(&f);
}

static void local_arrays_are_no_spills_and_cost_their_traffic(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SPILL_ISSUED] = 20;
    f.profile.value[PROFILE_LOCAL_SECTORS] = f.profile.value[PROFILE_LOCAL_TRAFFIC] = 640;

    Finding found = only(&f, "local memory");

    assert_string_equal(found.unit, "shared memory and L1");
    assert_near(found.cycles, 640.0 / 4 * SM_WARPS); /* four sectors are a wavefront */
    assert_non_null(strstr(found.remedy, "array"));
    assert_null(strstr(found.remedy, "registers"));
    f.profile.value[PROFILE_LOCAL_STORED] = 320;
    found = only(&f, "local memory");
    assert_string_equal(found.unit, "L2");
    f.profile.value[PROFILE_SPILL_BYTES] = 64;
    found = only(&f, "local memory and spills");
    assert_non_null(strstr(found.remedy, "array"));
    assert_non_null(strstr(found.remedy, "registers"));
    tear_down(&f);
}

static void indirect_accesses_have_a_cost_that_is_not_known(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_ACCESSES_UNKNOWN] = 12;

    Finding found = only(&f, "indirect accesses");

    assert_true(isnan(found.cycles));
    tear_down(&f);
}

/* --- branching -------------------------------------------------------------------------------- */

/* Half of the lanes go one way, half the other; or all of them the same way. */
static const char *branch_by(Arena *a, const char *what)
{
    return arena_printf(a,
                        ".version 7.8\n.target sm_90\n.address_size 64\n"
                        ".visible .entry k(.param .u64 y)\n{\n"
                        ".reg .b32 %%r<9>;\n.reg .pred %%p;\n"
                        "mov.u32 %%r1, %%tid.x;\n"
                        "and.b32 %%r2, %%r1, %s;\n"
                        "setp.eq.s32 %%p, %%r2, 0;\n"
                        "@%%p bra E;\n"
                        "add.s32 %%r3, %%r1, 1;\n"
                        "add.s32 %%r4, %%r3, 1;\n"
                        "add.s32 %%r5, %%r4, 1;\n"
                        "add.s32 %%r6, %%r5, 1;\n"
                        "E:\nret;\n}\n",
                        what);
}

static void follow(Fixture *f, const char *what)
{
    const char *ptx = branch_by(f->arena, what);
    ProfileInput in = {.ptx = ptx,
                       .ptx_size = strlen(ptx),
                       .kernel = "k",
                       .device = f->run.device,
                       .launch.grid = {1, 1, 1},
                       .launch.block = {32, 1, 1}};
    f->subject.lines.memory = profile_follow(f->arena, &in, &f->subject.lines.module, &f->diag);
    assert_non_null(f->subject.lines.memory);
}

static void lanes_that_part_cost_what_the_others_wait(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    follow(&f, "1");

    Finding found = only(&f, "divergence");

    /* Of nine instructions, the four between branch and end are run by half of the lanes. */
    assert_near(found.share, 4.0 * 0.5 / 9.0);
    assert_near(found.cycles, found.share * 1200 * SM_WARPS / 4);
    assert_string_equal(found.what, "a warp diverges once");

    follow(&f, "32");
    assert_none(&f);
    tear_down(&f);
}

static void branches_on_data_are_named_with_what_is_assumed(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_LOOPS_UNKNOWN] = 2;

    Finding found = only(&f, "branches on data");

    assert_true(isnan(found.cycles));
    assert_string_equal(found.kind, "branching");
    tear_down(&f);
}

/* --- synchronization -------------------------------------------------------------------------- */

static void barriers_cost_what_a_warp_spends_at_them(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SERIAL_BARRIER] = 1000;

    Finding found = only(&f, "barriers");

    assert_near(found.cycles, 1000);
    assert_near(found.share, 0.25);
    assert_string_equal(found.what, "a lone warp executes 7 of them");

    f.profile.value[PROFILE_SERIAL_BARRIER] = 700;
    assert_none(&f);
    tear_down(&f);
}

/* --- partitioning ----------------------------------------------------------------------------- */

static void waiting_names_what_for_and_the_next_step_of_occupancy(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SERIAL_CYCLES] = 40000;
    f.profile.value[PROFILE_SERIAL_GLOBAL] = 30000;
    f.profile.value[PROFILE_SERIAL_ISSUE] = 9000;
    f.profile.value[PROFILE_GLOBAL_LOADS] = 8;
    f.profile.value[PROFILE_SERIAL_MEMORY] = 60; /* which the L2 answers */
    f.profile.value[PROFILE_REGISTERS] = 48;     /* 5 blocks; 40 registers are 6 */

    Finding found = only(&f, "waiting");

    const DeviceLatencies *l = device_latencies(f.run.device);
    const DevicePlatform *p = device_platform(f.run.device);
    const double turn = p->cost_block_start + p->cost_block_warp * 8;
    assert_near(found.cycles, 40000 + 60 * (l->l2 - l->dram) + turn - 1200.0 * SM_WARPS / 4);
    assert_string_equal(found.what,
                        "the latency of 40 warps per SM exceeds the work of its busiest unit; "
                        "a lone warp spends 75 % of its time waiting for global memory");
    assert_string_equal(found.remedy,
                        "Give each warp more independent loads, or issue them earlier; or make "
                        "room for more warps (now 40 of 64, limited by registers; 8 fewer "
                        "registers allow one more block).");
    f.profile.value[PROFILE_REGISTERS] = 41;
    assert_non_null(
        strstr(only(&f, "waiting").remedy, "; 1 fewer registers allow one more block)"));

    f.profile.value[PROFILE_SERIAL_CYCLES] = 32000;
    assert_none(&f);
    tear_down(&f);
}

static void waiting_of_a_full_sm_asks_for_no_more_warps(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SERIAL_CYCLES] = 40000;
    f.profile.value[PROFILE_SERIAL_GLOBAL] = 0;
    f.profile.value[PROFILE_SERIAL_ISSUE] = 26000;

    Finding found = only(&f, "waiting");

    assert_non_null(strstr(found.what, "65 % of its time issuing instructions"));
    assert_non_null(strstr(found.remedy, "the SM holds no more warps."));
    tear_down(&f);
}

static void blocks_that_do_not_go_round_cost_what_the_others_wait(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_BLOCKS] = 132 + 33; /* two on some, 1.25 on average */
    f.profile.value[PROFILE_LOADED_CYCLES] = 1000;

    Finding found = only(&f, "uneven blocks");

    assert_near(found.cycles, (2 - 1.25) * 8 * 1200 / 4);
    assert_string_equal(found.what, "165 blocks on 132 SMs: some get 2, the mean is 1.25");

    f.profile.value[PROFILE_BLOCKS] = 132 * 7.5; /* eight on some */
    assert_none(&f);
    tear_down(&f);
}

static void less_than_one_wave_asks_for_more_blocks(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_WAVES] = 0.5;

    Finding found = only(&f, "few blocks");

    assert_string_equal(found.what, "an SM could hold 8 blocks and gets 4.0");
    tear_down(&f);
}

static void blocks_of_broken_warps_leave_lanes_idle(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_THREADS_PER_BLOCK] = 240;

    Finding found = only(&f, "idle lanes");

    assert_near(found.share, 1.0 / 16);
    assert_string_equal(found.what, "the last warp of a block has 16 of 32 lanes");
    tear_down(&f);
}

static void loops_larger_than_any_that_was_timed_are_told(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_LOOP_BYTES] = 40000;

    Finding found = only(&f, "large loops");

    assert_true(isnan(found.cycles));
    assert_string_equal(found.what, "the innermost loops are 40,000 bytes of code");

    f.profile.value[PROFILE_LOOP_BYTES] = 20000;
    assert_none(&f);
    tear_down(&f);
}

/* --- what several have ------------------------------------------------------------------------ */

/* 11 % of the multiply-adds read through one port, which costs 1400 - 1200 of a warp's cycles. */
static void sums_that_a_vector_store_ties_cost_what_ports_take(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_TIED_SUMS] = 16;
    f.profile.value[PROFILE_ONE_BANK_READS] = 121;
    f.profile.value[PROFILE_PORT_CYCLES] = 1400;

    Finding found = only(&f, "tied sums");

    assert_near(found.cycles, 200 * SM_WARPS / 4);
    assert_near(found.share, 200 / 1400.0);
    assert_string_equal(found.what,
                        "a vector store ties 16 sums of a thread to adjacent, aligned registers, "
                        "and 11 % of the multiply-adds read two registers through one port");
    f.profile.value[PROFILE_TIED_SUMS] = 0;
    assert_none(&f);
    tear_down(&f);
}

/* The last value that is not told, and the first that is. */
static void patterns_are_told_from_a_threshold_on(void **state)
{
    (void)state;
    static const struct {
        ProfileField field;
        double not_told, told;
        const char *name;
    } rows[] = {{PROFILE_SHARED_WAVEFRONTS, 110, 110.01, "bank conflicts"},
                {PROFILE_GLOBAL_SECTORS, 70.4, 70.41, "scattered accesses"},
                {PROFILE_ONE_BANK_READS, 110, 110.01, "tied sums"},
                {PROFILE_SERIAL_BARRIER, 800, 800.01, "barriers"},
                {PROFILE_WAVES, 0.9, 0.8999, "few blocks"},
                {PROFILE_LOOP_BYTES, 24576, 24577, "large loops"},
                {PROFILE_ACCESSES_UNKNOWN, 0, 0.01, "indirect accesses"},
                {PROFILE_SPILL_ISSUED, 11, 13, "local memory"}, /* 1 % of 1200 */
                {PROFILE_THREADS_PER_BLOCK, 256, 257, "idle lanes"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Fixture f;
        set_up(&f);
        if (rows[i].field == PROFILE_ONE_BANK_READS) {
            f.profile.value[PROFILE_TIED_SUMS] = 16;
            f.profile.value[PROFILE_PORT_CYCLES] = 1400;
        }
        f.profile.value[rows[i].field] = rows[i].not_told;
        assert_none(&f);
        f.profile.value[rows[i].field] = rows[i].told;
        only(&f, rows[i].name);
        tear_down(&f);
    }
}

static void patterns_come_together_each_with_its_own_cost(void **state)
{
    (void)state;
    static const SourceLines no_lines;
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SHARED_WAVEFRONTS] = 384;
    f.profile.value[PROFILE_SPILL_ISSUED] = 120;
    f.profile.value[PROFILE_SPILL_BYTES] = 64;
    judge(&f);

    Findings found = explain_find(f.arena, &f.subject, &no_lines);

    assert_int_equal(found.count, 2);
    assert_string_equal(found.at[0].name, "bank conflicts");
    assert_string_equal(found.at[1].name, "spills");
    tear_down(&f);
}

static void the_worst_line_of_the_right_memory_is_named(void **state)
{
    (void)state;
    SourceAccess accesses[] = {
        {.file = "k.cu", .line = 5, .kind = "load", .executions = 4, .cost = 64, .least = 16},
        {.file = "k.cu",
         .line = 9,
         .shared = true,
         .kind = "store",
         .executions = 2,
         .cost = 32,
         .least = 2}};
    SourceLines lines = {.accesses = {.at = accesses, .count = 2, .capacity = 2}};
    Fixture f;
    set_up(&f);
    f.profile.value[PROFILE_SHARED_WAVEFRONTS] = 384;
    judge(&f);

    Findings found = explain_find(f.arena, &f.subject, &lines);

    assert_int_equal(found.count, 1);
    assert_string_equal(found.at[0].where, "k.cu:9: shared store takes 16 wavefronts instead of 1");
    tear_down(&f);
}

static void without_rates_costs_are_not_known(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f);
    Device unknown = *f.run.device;
    unknown.major = 99;
    unknown.name = "a GPU of tomorrow";
    unknown.sheet = NULL;
    f.run.device = &unknown;
    f.profile.value[PROFILE_SHARED_WAVEFRONTS] = 384;

    Finding found = only(&f, "bank conflicts");

    assert_true(isnan(found.cycles));
    assert_string_equal(found.effect, "the device's rates are not known");
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_that_does_all_as_it_should_has_no_pattern),
        cmocka_unit_test(bank_conflicts_cost_their_passes),
        cmocka_unit_test(conflicts_beside_the_bound_are_said_to_be_so),
        cmocka_unit_test(scattered_accesses_cost_their_sectors),
        cmocka_unit_test(what_costs_next_to_nothing_is_not_told),
        cmocka_unit_test(spills_cost_their_instructions),
        cmocka_unit_test(local_arrays_are_no_spills_and_cost_their_traffic),
        cmocka_unit_test(indirect_accesses_have_a_cost_that_is_not_known),
        cmocka_unit_test(lanes_that_part_cost_what_the_others_wait),
        cmocka_unit_test(branches_on_data_are_named_with_what_is_assumed),
        cmocka_unit_test(barriers_cost_what_a_warp_spends_at_them),
        cmocka_unit_test(waiting_names_what_for_and_the_next_step_of_occupancy),
        cmocka_unit_test(waiting_of_a_full_sm_asks_for_no_more_warps),
        cmocka_unit_test(blocks_that_do_not_go_round_cost_what_the_others_wait),
        cmocka_unit_test(less_than_one_wave_asks_for_more_blocks),
        cmocka_unit_test(blocks_of_broken_warps_leave_lanes_idle),
        cmocka_unit_test(loops_larger_than_any_that_was_timed_are_told),
        cmocka_unit_test(sums_that_a_vector_store_ties_cost_what_ports_take),
        cmocka_unit_test(patterns_are_told_from_a_threshold_on),
        cmocka_unit_test(patterns_come_together_each_with_its_own_cost),
        cmocka_unit_test(the_worst_line_of_the_right_memory_is_named),
        cmocka_unit_test(without_rates_costs_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

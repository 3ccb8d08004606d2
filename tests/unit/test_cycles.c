/* The time formula, term by term: on a device of round numbers, launches that have one thing to do, and
 * what comes out by hand. */
#include "metrics/base/file.h"
#include "metrics/metric/device.h"
#include "metrics/metric/metricset.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* What a launch of 100 blocks of 4 warps costs by itself: two waves of blocks that come and go in 60 + 4 × 10
 * cycles, and the launch. */
enum { TURNS = 200, LAUNCH = 1000, SM_WARPS = 40, WARPS = 400 };

typedef struct Fixture {
    Arena *arena;
    MetricSet *set;
    const Device *device;
    Profile profile;
} Fixture;

static int set_up(void **state)
{
    Arena *a = arena_new();
    Fixture *f = ARENA_NEW(a, Fixture);
    Diag d = diag_new(a);
    f->arena = a;
    f->set = metricset_new(a);
    assert_true(
        metricset_read(f->set, source_read(a, SOURCE_DIR "/metrics/cycles.metrics", &d), &d));
    f->device = device_file_read(a, TEST_DATA "/device/round.device", &d);
    assert_non_null(f->device);
    for (int i = 0; i < PROFILE_FIELDS; i++)
        f->profile.value[i] = 0;
    f->profile.value[PROFILE_SERIAL_BLOCK] = NAN; /* as in older profiles: warps are equal */
    f->profile.value[PROFILE_SERIAL_BLOCK_GLOBAL] = NAN;
    f->profile.value[PROFILE_SERIAL_BLOCK_MEMORY] = NAN;
    f->profile.value[PROFILE_BLOCKS] = 100;
    f->profile.value[PROFILE_WARPS_PER_BLOCK] = 4;
    f->profile.value[PROFILE_THREADS_PER_BLOCK] = 128;
    f->profile.value[PROFILE_THREADS] = 12800;
    f->profile.value[PROFILE_BLOCKS_PER_SM] = 5;
    f->profile.value[PROFILE_WAVES] = 2;
    f->profile.value[PROFILE_TIMED_ALONE] = 1;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    arena_free(((Fixture *)*state)->arena);
    return 0;
}

/* Of a run of `times` launches. */
static double metric_of(const Fixture *f, const char *name, double times)
{
    MetricValue *values = ARENA_ARRAY(f->arena, MetricValue, f->set->metrics.count);
    metricset_evaluate(f->arena, f->set, &(LaunchProfile){&f->profile, times}, 1, f->device,
                       values);
    return values[metricset_find(f->set, name)].value;
}

static double metric(const Fixture *f, const char *name)
{
    return metric_of(f, name, 1);
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-9))
        fail_msg("%.12g in place of %.12g", value, expected);
}

/* The launch with these units busy so long, and blocks that take `latency` more. */
static void takes(const Fixture *f, double one, double other, double latency)
{
    const double expected =
        LAUNCH + sqrt(one * one + other * other + (TURNS + latency) * (TURNS + latency));
    near(metric(f, "predicted_cycles"), expected);
}

static void set(Fixture *f, ProfileField field, double value)
{
    f->profile.value[field] = value;
}

/* 1000 instructions of 40 warps at the device's rates: 10,000 cycles to issue, at 128 results a cycle, … */
static void each_unit_takes_its_time(void **state)
{
    static const struct {
        ProfileField field;
        double amount, cycles;
    } table[] = {
        {PROFILE_PORT_CYCLES, 1000, 10000},    {PROFILE_FMA_ISSUED, 1000, 10000},
        {PROFILE_ALU_ISSUED, 1000, 20000},     {PROFILE_IMAD_ISSUED, 1000, 20000},
        {PROFILE_FP64_ISSUED, 1000, 20000},    {PROFILE_HALF_ISSUED, 1000, 10000},
        {PROFILE_TENSOR_WORK, 256000, 10000},  {PROFILE_CONSTANT_LOADS, 100, 8000},
        {PROFILE_CONSTANT_REPLAYS, 100, 8000}, {PROFILE_SHARED_WAVEFRONTS, 100, 4000},
        {PROFILE_GLOBAL_PASSES, 100, 4000},    {PROFILE_STORE_OPEN, 10, 1000},
        {PROFILE_STORE_SECTORS, 50, 4000},
    };
    Fixture *f = *state;
    takes(f, 0, 0, 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        set(f, table[i].field, table[i].amount);
        takes(f, table[i].cycles, 0, 0);
        near(metric(f, "bound_cycles"), table[i].cycles);
        set(f, table[i].field, 0);
    }
}

/* Those of four warps at twice the rate of one warp's. */
static void matrix_operations_have_two_rates(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_TENSOR_WORK, 512000);
    near(metric(f, "tensor_cycles"), 20000);
    set(f, PROFILE_TENSOR_FULL_WORK, 512000);
    near(metric(f, "tensor_cycles"), 10000);
    set(f, PROFILE_TENSOR_FULL_WORK, 256000);
    near(metric(f, "tensor_cycles"), 15000);
    set(f, PROFILE_TENSOR_FULL_WORK, NAN); /* as in older profiles */
    near(metric(f, "tensor_cycles"), 20000);
}

/* 1000 special functions at 16 results a cycle; each takes one slot and a half more than it is issued in. */
static void special_functions_take_issue_slots(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_SFU_ISSUED, 1000);
    near(metric(f, "sfu_cycles"), 80000);
    near(metric(f, "issue_cycles"), 15000);
    near(metric(f, "bound_cycles"), 80000);
    takes(f, 80000, 0, 0);
}

/* Registers are read while instructions are issued; an older recording only knows the latter. */
static void issue_stands_where_ports_are_not_known(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_ISSUED, 1000);
    set(f, PROFILE_PORT_CYCLES, 1500);
    takes(f, 15000, 0, 0);
    set(f, PROFILE_PORT_CYCLES, NAN);
    takes(f, 10000, 0, 0);
    set(f, PROFILE_CODE_GUESSED, NAN);
    takes(f, 10000, 0, 0);
}

/* Issue and arithmetic hide each other: the busiest takes the time. */
static void what_is_issued_is_issued_for_a_pipe(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_PORT_CYCLES, 1000);
    set(f, PROFILE_FMA_ISSUED, 1000);
    takes(f, 10000, 0, 0);
    set(f, PROFILE_HALF_ISSUED, 1500);
    set(f, PROFILE_TENSOR_WORK, 256000);
    takes(f, 15000, 0, 0);
}

/* Shared memory beside the pipes: by the device's power, here 2. */
static void units_overlap_by_the_devices_power(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_FMA_ISSUED, 1000);
    set(f, PROFILE_SHARED_WAVEFRONTS, 250);
    takes(f, 10000, 10000, 0);
}

/* Of 100 sectors that a warp loads 20 come from the L2, and 30 are stored: 50 × 32 bytes × 400 warps at 64 a
 * cycle.  All 130 pass the L1, four a cycle.  Where the resident warps load half as much again as the L1 has
 * room for, half of what is loaded twice comes from the L2 twice. */
static void what_the_l1_has_no_room_for_comes_from_the_l2(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_GLOBAL_SECTORS, 130);
    set(f, PROFILE_LOAD_SECTORS, 100);
    set(f, PROFILE_LOAD_FIRST_SM, 20);
    set(f, PROFILE_STORE_SECTORS, 30);
    set(f, PROFILE_STORE_FIRST_LAUNCH, 30);
    takes(f, 10000, 1300, 0);
    const double sectors = metric(f, "l2_sectors");
    set(f, PROFILE_LOAD_SPLIT, 40); /* fetched again by copies */
    near(metric(f, "l2_sectors"), sectors + 40);

    near(metric(f, "l1_room"), (228 + 28 - 5) * 1024);
    const double first = 251 * 1024 * 1.5 / (20 * 32);
    set(f, PROFILE_LOAD_FIRST_SM, first);
    set(f, PROFILE_LOAD_SECTORS, 2 * first);
    set(f, PROFILE_LOAD_LOST, 0.25 * first);
    near(metric(f, "l1_missed"), 0.25);
    near(metric(f, "l2_loads"), 1.25 * first);
    set(f, PROFILE_LOAD_LOST,
        NAN); /* as older profiles are: all that the resident warps load counts */
    near(metric(f, "l1_missed"), 0.5);
    near(metric(f, "l2_loads"), 1.5 * first);
}

/* 8 MB at 100 bytes a cycle; half of them written at 80; nothing where the L2 holds it. */
static void memory_gives_and_takes_what_the_l2_does_not_hold(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_WAVES, 40); /* a twentieth is under way: 400 kB, within the window */
    set(f, PROFILE_BLOCKS_PER_SM, 0.25);
    set(f, PROFILE_FOOTPRINT_READ, 8e6);
    near(metric(f, "memory_cycles"), 80000);
    set(f, PROFILE_FOOTPRINT_READ, 4e6);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 4e6);
    near(metric(f, "memory_cycles"), 100000);
    set(f, PROFILE_FOOTPRINT_READ, 6e6);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 2e6);
    near(metric(f, "memory_cycles"), 90000);
    set(f, PROFILE_FOOTPRINT_READ, 524288);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 524288);
    near(metric(f, "memory_cycles"), 0);
}

/* All of 4 MiB under way is two doublings of the window of 1: 20 % lost. */
static void an_open_window_costs_memory_a_share_for_each_doubling(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_BLOCKS_PER_SM, 10);
    set(f, PROFILE_WAVES, 1.5);
    set(f, PROFILE_FOOTPRINT_READ, 4 * 1048576);
    const double expected = 4 * 1048576 / 100.0 * 1.2;
    near(metric(f, "memory_cycles"), expected);
    const double predicted = LAUNCH + hypot(expected, TURNS);
    near(metric(f, "predicted_cycles"), predicted);
}

/* Serial cycles have 500 for a wait for memory, 10 waits: two waves with what memory takes now. */
static void loads_wait_for_memory_as_long_as_it_takes_now(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_SERIAL_CYCLES, 6000);
    set(f, PROFILE_SERIAL_GLOBAL, 5000);
    set(f, PROFILE_SERIAL_MEMORY, 0); /* all from the L1 */
    near(metric(f, "latency_cycles"), TURNS + 2 * 6000);
    set(f, PROFILE_SERIAL_MEMORY, 10);
    near(metric(f, "wait_latency"), 250); /* the L2 holds it all */
    near(metric(f, "latency_cycles"), TURNS + 2 * (1000 + 10 * 250));
    set(f, PROFILE_FOOTPRINT_READ, 32 * 100 * WARPS); /* more than the L2 has */
    /* 600 cycles of idle memory: two waves of 1000 + 10 * 600; memory would be busy for 12,800 of these. */
    const double waits = 600 + 400 * 12800 / 14000.0;
    near(metric(f, "idle_latency"), 600);
    near(metric(f, "wait_latency"), waits);
    near(metric(f, "latency_cycles"), TURNS + 2 * (1000 + 10 * waits));
    set(f, PROFILE_SERIAL_MEMORY, NAN); /* of an older profile: each wait is one */
    near(metric(f, "latency_cycles"), TURNS + 2 * (1000 + 10 * waits));
    set(f, PROFILE_FOOTPRINT_READ, 32 * 200 * WARPS); /* more than it can give meanwhile */
    near(metric(f, "wait_latency"), 1000);
}

/* A warp of 40,000 cycles with 10 waits for memory at 500: 600 each, and up to 1000 for that part of its 40,000
 * cycles for which memory is busy. */
static void the_longest_warp_waits_longer_only_while_memory_is_busy(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_SERIAL_CYCLES, 6000);
    set(f, PROFILE_SERIAL_GLOBAL, 5000);
    set(f, PROFILE_SERIAL_MEMORY, 10);
    near(metric(f, "most_cycles"), 0);
    set(f, PROFILE_SERIAL_MOST, 40000);
    set(f, PROFILE_SERIAL_MOST_GLOBAL, 5000);
    set(f, PROFILE_SERIAL_MOST_MEMORY, 10);
    near(metric(f, "most_cycles"), 40000 - 10 * 250); /* the L2 holds it all */
    set(f, PROFILE_FOOTPRINT_READ, 32 * 200 * WARPS); /* more than memory can give meanwhile */
    near(metric(f, "most_cycles"), 40000 + 10 * (100 + 400 * metric(f, "memory_cycles") / 40000));
    const double others = metric(f, "overlapped_cycles"), blocks = metric(f, "resident_cycles"),
                 most = metric(f, "most_cycles");
    near(metric(f, "skewed_cycles"), sqrt(others * others + most * most - blocks * blocks));
}

/* Three waves of blocks that end 400 cycles after their last load, and 100 to start the next: 1000 are lost where a block has
 * the SM for itself, of two blocks as much of it as they wait for memory. */
static void memory_waits_while_a_block_makes_room(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_WAVES, 3);
    set(f, PROFILE_BLOCKS_PER_SM, 1);
    set(f, PROFILE_FOOTPRINT_READ, 4 * 1048576);
    set(f, PROFILE_SERIAL_CYCLES, 5000);
    set(f, PROFILE_SERIAL_ENDS, 400);
    const double memory = metric(f, "memory_cycles"), blocks = metric(f, "resident_cycles");
    assert_true(blocks < memory && blocks > memory / 4);
    near(metric(f, "gap_cycles"), 1000);
    near(metric(f, "streamed_cycles"), hypot(memory + 1000, blocks));
    set(f, PROFILE_BLOCKS_PER_SM, 2);
    near(metric(f, "gap_cycles"), 1000 * metric(f, "resident_cycles") / metric(f, "memory_cycles"));
    set(f, PROFILE_BLOCKS_PER_SM, 3);
    near(metric(f, "gap_cycles"),
         1000 * pow(metric(f, "resident_cycles") / metric(f, "memory_cycles"), 2));
    set(f, PROFILE_BLOCK_WAITS, 1); /* chain_cycles has it */
    near(metric(f, "gap_cycles"), 0);
    set(f, PROFILE_BLOCK_WAITS, 0);
    set(f, PROFILE_WAVES, 0.5); /* no block comes in another's place */
    near(metric(f, "gap_cycles"), 0);
    set(f, PROFILE_FOOTPRINT_READ, 0); /* nor does memory miss what the L2 has */
    set(f, PROFILE_WAVES, 3);
    near(metric(f, "streamed_cycles"), metric(f, "resident_cycles"));
}

/* SMs end a tenth of what a copying block takes apart: of half the time in two waves, of all in one or less. */
static void blocks_that_copy_end_at_different_times(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_FOOTPRINT_READ, 2 * 1048576);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 2 * 1048576);
    near(metric(f, "uneven_cycles"), 0.1 * metric(f, "stream_cycles") / 2);
    near(metric(f, "streamed_cycles"),
         hypot(metric(f, "memory_cycles") + metric(f, "gap_cycles") + metric(f, "uneven_cycles"),
               metric(f, "resident_cycles")));
    set(f, PROFILE_WAVES, 0.5);
    near(metric(f, "uneven_cycles"), 0.1 * metric(f, "stream_cycles"));
    set(f, PROFILE_FOOTPRINT_WRITTEN, 1048576); /* a third of the bytes, for half in a copy */
    near(metric(f, "uneven_cycles"), 0.1 * metric(f, "stream_cycles") * 2 / 3);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 0);
    near(metric(f, "uneven_cycles"), 0);
}

/* What the L2 has lost is read again, if it does not hold all there is. */
static void memory_gives_again_what_the_l2_has_lost(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_LOAD_GONE, 10);
    set(f, PROFILE_FOOTPRINT_READ, 1048576);
    near(metric(f, "memory_bytes"), 0);
    set(f, PROFILE_FOOTPRINT_SWEPT, 4096); /* of a buffer that other launches go on with */
    near(metric(f, "memory_bytes"), 4096);
    set(f, PROFILE_FOOTPRINT_READ, 2 * 1048576);
    near(metric(f, "memory_bytes"), 2 * 1048576 + 32 * 10 * WARPS);
    /* Single sectors at random places come with their neighbours, at a rate of their own. */
    set(f, PROFILE_LOAD_GATHERED, 6);
    near(metric(f, "memory_bytes"), 2 * 1048576 + 32 * (10 + 6) * WARPS);
    DeviceSheet sheet = *f->device->sheet;
    sheet.platform.memory_sectors = 20;
    sheet.device.sheet = &sheet;
    f->device = &sheet.device;
    near(metric(f, "gathered_cycles"), 6 * WARPS / (20 * (1 - 0.5 * 1048576 / 268435456)));
    set(f, PROFILE_FOOTPRINT_READ, 1048576);
    near(metric(f, "memory_bytes"), 64 * 6 * WARPS);
}

/* Of 40 sectors 16 are stored, and half of the loaded ones do not fit in the L1. */
static void stores_to_local_memory_go_to_the_l2(void **state)
{
    Fixture *f = *state;
    const double sectors = metric(f, "l2_sectors"), open = metric(f, "open_cycles");
    DeviceSheet sheet = *f->device->sheet;
    sheet.platform.rate_store_part = 50;
    sheet.device.sheet = &sheet;
    f->device = &sheet.device;
    set(f, PROFILE_LOCAL_TRAFFIC, 40);
    set(f, PROFILE_LOCAL_STORED, 16);
    set(f, PROFILE_LOCAL_OUTSIDE, 0.5);
    near(metric(f, "l2_sectors"), sectors + 12 + 16);
    near(metric(f, "open_cycles"), open + 16. / 50 * WARPS);
}

/* 100,000 blocks that do nothing start one a cycle. */
static void blocks_start_one_after_the_other(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_BLOCKS, 100000);
    near(metric(f, "predicted_cycles"), LAUNCH + 100000);
}

/* Launches of 0.2 us, and 1 us between events: 167 make 0.2 ms, in a graph with 100 cycles for each but the first. */
static void short_runs_are_timed_together(void **state)
{
    Fixture *f = *state;
    DeviceSheet sheet = *f->device->sheet;
    sheet.platform.cost_launch_graph = sheet.platform.cost_launch_stream = 1e-7;
    sheet.device.sheet = &sheet;
    f->device = &sheet.device;
    near(metric(f, "timed_runs"), 1);
    near(metric(f, "timing_cycles"), LAUNCH);
    near(metric_of(f, "predicted_cycles", 3), 3 * TURNS + LAUNCH + 2 * 100);
    /* The host is slower: the last of three launches comes 1.4 us after the first. */
    sheet.platform.cost_launch_stream = 7e-7;
    near(metric_of(f, "predicted_cycles", 3), 2 * 700 + TURNS + LAUNCH);
    near(metric(f, "timing_cycles"), LAUNCH);
    set(f, PROFILE_TIMED_ALONE, 0);
    near(metric_of(f, "timed_runs", 4), 112); /* of 0.8 us and 1 us */
    near(metric_of(f, "predicted_cycles", 4), 4 * TURNS + (LAUNCH + (112 * 4 - 1) * 100) / 112.);
    near(metric(f, "launch_cycles"), TURNS);
    near(metric(f, "timed_runs"), 167);
    near(metric(f, "predicted_cycles"), TURNS + (LAUNCH + 166 * 100) / 167.);
    set(f, PROFILE_BLOCKS, 100000); /* 100 us */
    near(metric(f, "timed_runs"), 2);
    near(metric(f, "predicted_cycles"), 100000 + 550);
    set(f, PROFILE_FOOTPRINT_READ, 2 * 1048576); /* the L2 is made cold */
    near(metric(f, "timing_cycles"), LAUNCH);
}

/* 11 blocks on 10 SMs: one has two.  Their three warps each are six for four schedulers, of which two have
 * two: 2 in place of 1.5. */
static void the_fullest_sm_and_scheduler_decide(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_BLOCKS, 11);
    set(f, PROFILE_WARPS_PER_BLOCK, 3);
    set(f, PROFILE_WAVES, 0.22);
    set(f, PROFILE_PORT_CYCLES, 4000);
    near(metric(f, "core_cycles"), 4000 * 2);
    near(metric(f, "bound_cycles"), 6000); /* 3.3 warps an SM on average, 6 on the fullest */
}

/* A wave that is begun takes as long as a full one: 1.25 waves of blocks that take 1000 cycles, of which
 * 400 are the others'. */
static void waves_are_whole(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_WAVES, 1.25);
    set(f, PROFILE_SERIAL_CYCLES, 1000);
    set(f, PROFILE_LOADED_CYCLES, 400);
    near(metric(f, "latency_cycles"), TURNS + 2 * 1000);
    near(metric(f, "crowd_cycles"), 400);
}

/* 30,000 cycles among the others are two waves of which half counts; 10 waits in it are for the L2. */
static void half_of_what_warps_take_from_each_other_counts(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_LOADED_CYCLES, 30000);
    takes(f, 30000, 0, 0);
    set(f, PROFILE_SERIAL_GLOBAL, 5000);
    set(f, PROFILE_SERIAL_CYCLES, 5000);
    set(f, PROFILE_SERIAL_MEMORY, 10);
    near(metric(f, "crowd_cycles"), 30000 - 10 * 250);
    set(f, PROFILE_LOADED_CYCLES, NAN); /* of an older recording: less than no waits at all */
    near(metric(f, "crowd_cycles"), 0);
}

/* Lines of 64 bytes at 6 cycles, where more is read than the cache of 2 KiB holds: one of the block's 4 warps
 * fetches what is touched for all, while what the 5 resident blocks read at a time fits; else each warp fetches
 * the 100 lines that it goes to. */
static void constants_that_do_not_fit_come_a_line_at_a_time(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_CONSTANT_LINES, 100);
    set(f, PROFILE_CONSTANT_TOUCHED, 2048);
    takes(f, 0, 0, 0);
    set(f, PROFILE_CONSTANT_TOUCHED, 3072);
    takes(f, 0.5 * 48 / 4 * 6 * SM_WARPS, 0, 0);
    set(f, PROFILE_CONSTANT_TOUCHED, 4096);
    takes(f, 64 / 4 * 6 * SM_WARPS, 0, 0);
    set(f, PROFILE_CONSTANT_ROOM, 409.6); /* times 5: the cache */
    takes(f, 64 / 4 * 6 * SM_WARPS, 0, 0);
    set(f, PROFILE_CONSTANT_ROOM, 614.4); /* half as much again */
    takes(f, (0.5 * 64 / 4 + 0.5 * 100) * 6 * SM_WARPS, 0, 0);
    set(f, PROFILE_CONSTANT_ROOM, 1024);
    takes(f, 100 * 6 * SM_WARPS, 0, 0);
    set(f, PROFILE_CONSTANT_TOUCHED, 65536);
    takes(f, 100 * 6 * SM_WARPS, 0, 0);
}

/* As sums over a few warps may say. */
static void less_than_no_constants_take_no_time(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_CONSTANT_LOADS, -0.25);
    near(metric(f, "constant_cycles"), 0);
    takes(f, 0, 0, 0);
}

/* Which adds to what is issued: 64 / 4 lines at 6 cycles, and 10,000 cycles of issue. */
static void lines_of_constants_add_to_issue(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_PORT_CYCLES, 1000);
    set(f, PROFILE_CONSTANT_TOUCHED, 4096);
    takes(f, 10000 + 64 / 4 * 6 * SM_WARPS, 0, 0);
}

/* Half filled sectors are another's to fill; the others that are not new are stored to again. */
static void sectors_are_stored_to_again(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_STORE_SECTORS, 60);
    set(f, PROFILE_STORE_FIRST_LAUNCH, 30);
    near(metric(f, "open_cycles"), 30 * WARPS / 5.0);
    set(f, PROFILE_STORE_OPEN, 20);
    near(metric(f, "open_cycles"), 10 * WARPS / 5.0 + 20 * WARPS / 4.0);
    set(f, PROFILE_STORE_FIRST_LAUNCH, 60);
    near(metric(f, "open_cycles"), 20 * WARPS / 4.0);
    /* Two sectors of each line: half a place more for each sector. */
    set(f, PROFILE_STORE_FIRST_LAUNCH, 30);
    set(f, PROFILE_GLOBAL_SECTORS, 60);
    set(f, PROFILE_GLOBAL_LINES, 30);
    near(metric(f, "open_cycles"), 1.5 * 10 * WARPS / 5.0 + 20 * WARPS / 4.0);
}

/* 10,000 cycles of issue in two waves: a warp three times as long as the mean has 10,000 more, of which half are left. */
static void the_last_block_may_be_a_long_one(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_PORT_CYCLES, 1000);
    set(f, PROFILE_SERIAL_CYCLES, 2000);
    near(metric(f, "tail_cycles"), 0);
    set(f, PROFILE_SERIAL_MOST, 6000);
    near(metric(f, "tail_cycles"), 5000);
    set(f, PROFILE_WAVES, 0.5);
    near(metric(f, "tail_cycles"), 6000); /* it has the schedulers to itself */
    set(f, PROFILE_SERIAL_MOST, 2000);
    near(metric(f, "tail_cycles"), 0);
}

/* One warp of each block takes three times as long as the mean: so does the block, and none is left at the end. */
static void a_block_takes_as_long_as_its_longest_warp(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_PORT_CYCLES, 1000);
    set(f, PROFILE_SERIAL_CYCLES, 2000);
    set(f, PROFILE_SERIAL_GLOBAL, 1500);
    set(f, PROFILE_SERIAL_MEMORY, 3);
    const double start = metric(f, "block_cycles") - (2000 - 3 * 250);
    set(f, PROFILE_SERIAL_MOST, 6000);
    set(f, PROFILE_SERIAL_BLOCK, 6000);
    set(f, PROFILE_SERIAL_BLOCK_GLOBAL, 2500);
    set(f, PROFILE_SERIAL_BLOCK_MEMORY, 5);
    near(metric(f, "block_cycles"), start + 6000 - 5 * 250); /* the L2 serves its loads */
    near(metric(f, "tail_cycles"), 0);
    set(f, PROFILE_SERIAL_BLOCK_GLOBAL, 100); /* no more than it waits */
    near(metric(f, "block_cycles"), start + 6000 - 100);
}

/* The first warp of 4 in each of 1000 blocks adds to one word: 1000 turns. */
static void atomics_take_turns_at_a_word(void **state)
{
    Fixture *f = *state;
    near(metric(f, "atomic_cycles"), 0);
    set(f, PROFILE_ATOMIC_SECTORS, 0.25);
    set(f, PROFILE_ATOMIC_FIRST_LAUNCH, 0.25 / 1000);
    near(metric(f, "atomic_cycles"), 1000 * 32.0 / 22);
    near(metric(f, "memory_cycles"), 1000 * 32.0 / 22);
}

/* 4,000 cycles of turns beside data at 100 bytes a cycle: hidden up to a fifth of the data's time (then the rate of atomics to
 * words of their own is what is left), all of them on top from two fifths on. */
static void a_stream_hides_some_atomics(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_ATOMIC_SECTORS, 0.25);
    set(f, PROFILE_ATOMIC_FIRST_LAUNCH, 0.25 / 2750);
    static const double cases[][2] = {
        {20000, 8 * 0.25 * 400 / 264}, {16000, 1000}, {12500, 2400}, {0, 4000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set(f, PROFILE_FOOTPRINT_READ, 100 * cases[i][0]);
        near(metric(f, "stream_cycles"), cases[i][0]);
        near(metric(f, "atomic_cycles"), cases[i][1]);
        near(metric(f, "memory_cycles"), cases[i][0] + cases[i][1]);
    }
    set(f, PROFILE_FOOTPRINT_READ, 2000000);
    set(f, PROFILE_ATOMIC_FIRST_LAUNCH, 0.25 / 6875); /* 10,000 cycles, half the data's */
    near(metric(f, "atomic_cycles"), 10000);
}

/* Rows of 128 and 64 bytes are one and two halvings of 256: a tenth of each for what is read, 6 % for what is written. */
static void short_rows_cost_memory_a_share_for_each_halving(void **state)
{
    Fixture *f = *state;
    set(f, PROFILE_FOOTPRINT_READ, 1e8);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 1e8);
    near(metric(f, "memory_runs"), 1);
    set(f, PROFILE_LOAD_RUN, 256);
    set(f, PROFILE_STORE_RUN, 4096);
    near(metric(f, "memory_runs"), 1);
    set(f, PROFILE_LOAD_RUN, 128);
    near(metric(f, "memory_runs"), 1.1);
    set(f, PROFILE_STORE_RUN, 64);
    near(metric(f, "memory_runs"), 1.1 + 2 * 0.06);
    set(f, PROFILE_FOOTPRINT_WRITTEN, 0);
    near(metric(f, "memory_runs"), 1.2);
}

/* 3 % known of the device and 4 % unknown of the code are 5 %; an unmeasured device has no known error. */
static void errors_of_the_device_and_of_the_code_add_up(void **state)
{
    Fixture *f = *state;
    DeviceSheet sheet = *f->device->sheet;
    set(f, PROFILE_UNCERTAINTY, 0.04);
    assert_true(isnan(metric(f, "predicted_error")));
    sheet.platform.prediction_deviation = 0.03;
    sheet.device.sheet = &sheet;
    f->device = &sheet.device;
    near(metric(f, "predicted_error"), 0.05);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_unit_takes_its_time),
        TEST(matrix_operations_have_two_rates),
        TEST(special_functions_take_issue_slots),
        TEST(issue_stands_where_ports_are_not_known),
        TEST(what_is_issued_is_issued_for_a_pipe),
        TEST(units_overlap_by_the_devices_power),
        TEST(what_the_l1_has_no_room_for_comes_from_the_l2),
        TEST(memory_gives_and_takes_what_the_l2_does_not_hold),
        TEST(an_open_window_costs_memory_a_share_for_each_doubling),
        TEST(loads_wait_for_memory_as_long_as_it_takes_now),
        TEST(the_longest_warp_waits_longer_only_while_memory_is_busy),
        TEST(blocks_start_one_after_the_other),
        TEST(short_runs_are_timed_together),
        TEST(the_fullest_sm_and_scheduler_decide),
        TEST(waves_are_whole),
        TEST(memory_waits_while_a_block_makes_room),
        TEST(blocks_that_copy_end_at_different_times),
        TEST(memory_gives_again_what_the_l2_has_lost),
        TEST(stores_to_local_memory_go_to_the_l2),
        TEST(half_of_what_warps_take_from_each_other_counts),
        TEST(constants_that_do_not_fit_come_a_line_at_a_time),
        TEST(less_than_no_constants_take_no_time),
        TEST(lines_of_constants_add_to_issue),
        TEST(sectors_are_stored_to_again),
        TEST(the_last_block_may_be_a_long_one),
        TEST(a_block_takes_as_long_as_its_longest_warp),
        TEST(atomics_take_turns_at_a_word),
        TEST(a_stream_hides_some_atomics),
        TEST(short_rows_cost_memory_a_share_for_each_halving),
        TEST(errors_of_the_device_and_of_the_code_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

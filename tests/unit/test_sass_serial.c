/* The time of one warp: code written by hand, cycles counted by hand. */
#include "tests/support/sass_words.h"

#include "metrics/cubin/sass_serial.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const SassLatency LATENCY = {.shared = 30,
                                    .global = 500,
                                    .special = 20,
                                    .barrier = 13,
                                    .fence = 600,
                                    .other = 40,
                                    .operands = 10,
                                    .bulk_operands = 40};

static void assert_number(double found, double expected)
{
    if (fabs(found - expected) > 1e-9 * fmax(1, fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static SassSerial serial_with(const Word *words, size_t count, double visits, const SassLatency *l)
{
    Arena *a = arena_new();
    const SassFlow *f = sass_words_flow(a, words, count);
    const SassSerial s = sass_serial(a, sass_words_join(a, f, visits), l);
    arena_free(a);
    return s;
}

static SassSerial serial(const Word *words, size_t count, double visits)
{
    return serial_with(words, count, visits, &LATENCY);
}

static void stall_counts_add_up(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_FFMA, .stall = 4},
                          {.op = SASS_OP_FFMA, .stall = 2},
                          {.op = SASS_OP_EXIT, .stall = 5}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.cycles, 11);
    assert_number(s.issue, 11);
}

/* An instruction takes its turn even where it asks for no pause. */
static void a_stall_of_none_is_a_turn(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_FFMA, .stall = 0}, {.op = SASS_OP_EXIT, .stall = 5}};

    assert_number(serial(words, COUNT(words), 1).cycles, 6);
}

static void a_load_is_waited_for_where_its_scoreboard_is_asked_for(void **state)
{
    (void)state;
    /* Load at 0, done at 30; the addition between does not wait; the second goes at 30. */
    const Word words[] = {{.op = SASS_OP_LDS, .stall = 1, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 4},
                          {.op = SASS_OP_FADD, .stall = 4, .wait = 1},
                          {.op = SASS_OP_EXIT, .stall = 5}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.cycles, 30 + 4 + 5);
    assert_number(s.waits[SASS_WAIT_SHARED], 25);
    assert_number(s.issue, 14);
}

static void loads_under_way_at_once_cost_one_latency(void **state)
{
    (void)state;
    /* Loads at 0, 2 and 4: all there at 504. */
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 2, .write = 1},
                          {.op = SASS_OP_LDG, .stall = 2, .write = 2},
                          {.op = SASS_OP_LDG, .stall = 2, .write = 2},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 3},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.cycles, 504 + 2);
    assert_number(s.long_waits, 1);
    assert_number(s.loads_in_flight, 3);
}

/* Six cycles before the first load; the last wait is over at 506, and five follow. */
static void ends_are_what_lies_before_the_first_load_and_after_the_last_wait(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_FADD, .stall = 6},
                          {.op = SASS_OP_LDG, .stall = 2, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 1},
                          {.op = SASS_OP_FADD, .stall = 3},
                          {.op = SASS_OP_EXIT, .stall = 1}};

    assert_number(serial(words, COUNT(words), 1).ends, 6 + 5);
    assert_number(serial(words, 1, 1).ends, 0); /* no load */
}

/* The load arrives at 26; that an instruction names its scoreboard at 38 does not delay that. */
static void what_follows_an_arrival_is_an_end_though_the_load_is_asked_for_later(void **state)
{
    (void)state;
    SassLatency l = LATENCY;
    l.global = 20;
    const Word words[] = {{.op = SASS_OP_FADD, .stall = 6},
                          {.op = SASS_OP_LDG, .stall = 2, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 15},
                          {.op = SASS_OP_FADD, .stall = 15},
                          {.op = SASS_OP_FADD, .stall = 3, .wait = 1},
                          {.op = SASS_OP_EXIT, .stall = 1}};

    assert_number(serial_with(words, COUNT(words), 1, &l).ends, 6 + 42 - 26);
}

static void a_store_frees_its_registers_before_it_is_done(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_STG, .stall = 1, .read = 4},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 1 << 3},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.cycles, 10 + 2);
    assert_number(s.waits[SASS_WAIT_OTHER], 9);
}

static void a_barrier_costs_its_latency(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_BAR, .stall = 1}, {.op = SASS_OP_EXIT, .stall = 1}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.waits[SASS_WAIT_BARRIER], 13);
    assert_number(s.cycles, 15);
}

static void a_fence_of_the_gpu_costs_its_latency_and_one_of_the_block_nothing(void **state)
{
    (void)state;
    for (int scope = 0; scope <= 3; scope++) {
        const Word words[] = {{.op = SASS_OP_MEMBAR, .stall = 2, .scope = scope},
                              {.op = SASS_OP_EXIT, .stall = 1}};
        const SassSerial s = serial(words, COUNT(words), 1);
        assert_number(s.waits[SASS_WAIT_FENCE], scope >= 2 ? 600 : 0);
        assert_number(s.cycles, scope >= 2 ? 603 : 3);
    }
}

static void a_loop_costs_its_iterations(void **state)
{
    (void)state;
    /* Each iteration: load, and the sum of it 30 cycles later: 30 + 4 + 5. */
    const Word words[] = {{.op = SASS_OP_MOV, .stall = 2},
                          {.op = SASS_OP_LDS, .stall = 1, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 4, .wait = 1},
                          {.op = SASS_OP_BRA, .stall = 5, .guard = true, .target = 1},
                          {.op = SASS_OP_EXIT, .stall = 3}};

    for (int n = 1; n < 40; n += 5) {
        const SassSerial s = serial(words, COUNT(words), n);
        assert_number(s.cycles, 2 + n * 39 + 3);
        assert_number(s.waits[SASS_WAIT_SHARED], n * 29);
    }
    assert_number(serial(words, COUNT(words), 1e6).cycles, 2 + 1e6 * 39 + 3);
}

/* As ptxas writes a loop whose last thing is the kernel's: `@P0 EXIT` in it, and no other way out.
 */
static void a_loop_may_be_left_by_the_end_of_the_thread(void **state)
{
    (void)state;
    enum { ROUNDS = 7 };
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 4, .wait = 1},
                          {.op = SASS_OP_EXIT, .stall = 5, .guard = true},
                          {.op = SASS_OP_BRA, .stall = 5, .target = 0}};
    const SassFlow *f = sass_words_flow(a, words, 4);
    SassJoin *j = sass_words_join(a, f, ROUNDS);
    j->edges[0][0] = j->edges[1][0] = j->visits[1] = ROUNDS - 1;

    const SassSerial s = sass_serial(a, j, &LATENCY);

    assert_false(s.capped);
    assert_number(s.issue, ROUNDS * 10 + (ROUNDS - 1) * 5);
    assert_number(s.waits[SASS_WAIT_GLOBAL], ROUNDS * 499);
    arena_free(a);
}

/* Of a loop that no edge is said to leave, walked without end, only the mix counts. */
static void waits_of_a_walk_without_end_are_in_proportion(void **state)
{
    (void)state;
    enum { ROUNDS = 7 };
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 4, .wait = 1},
                          {.op = SASS_OP_BRA, .stall = 5, .guard = true, .target = 0},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassFlow *f = sass_words_flow(a, words, 4);
    SassJoin *j = sass_words_join(a, f, ROUNDS);
    for (int k = 0; k < 2; k++)
        if (f->cfg->blocks[0].succs[k] != 0)
            j->edges[0][k] = 0;

    const SassSerial s = sass_serial(a, j, &LATENCY);

    assert_true(s.capped);
    assert_number(s.issue, ROUNDS * 10 + 1);
    assert_true(fabs(s.waits[SASS_WAIT_GLOBAL] - ROUNDS * 499) < 499);
    arena_free(a);
}

/* Two loads at the top of an iteration, used at the end of it after 600 cycles of other work. */
static void loads_that_arrive_in_time_are_seen(void **state)
{
    (void)state;
    enum { WORK = 40, FIRST = 2, LAST = FIRST + WORK };
    Word words[LAST + 3] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1},
                            {.op = SASS_OP_LDG, .stall = 1, .write = 2}};
    for (int i = FIRST; i < LAST; i++)
        words[i] = (Word){.op = SASS_OP_FFMA, .stall = 15};
    words[LAST] = (Word){.op = SASS_OP_STS, .stall = 1, .wait = 3};
    words[LAST + 1] = (Word){.op = SASS_OP_BRA, .guard = true, .stall = 5, .target = 0};
    words[LAST + 2] = (Word){.op = SASS_OP_EXIT, .stall = 1};
    const SassSerial s = serial(words, COUNT(words), 100);

    assert_number(s.waits[SASS_WAIT_GLOBAL], 0);
    assert_number(s.long_waits, 100);
    assert_number(s.loads_in_flight, 2);
}

/* Loads of one iteration are waited for in the next, as a prefetch into registers does. */
static void loads_of_the_iteration_before_are_seen(void **state)
{
    (void)state;
    enum { WORK = 40, FIRST = 2, LAST = FIRST + WORK };
    Word words[LAST + 4] = {{.op = SASS_OP_STS, .stall = 1, .wait = 7}};
    words[1] = (Word){.op = SASS_OP_LDG, .stall = 1, .write = 1};
    words[2] = (Word){.op = SASS_OP_LDG, .stall = 1, .write = 2};
    words[3] = (Word){.op = SASS_OP_LDG, .stall = 1, .write = 3};
    for (int i = 4; i < LAST + 2; i++)
        words[i] = (Word){.op = SASS_OP_FFMA, .stall = 15};
    words[LAST + 2] = (Word){.op = SASS_OP_BRA, .guard = true, .stall = 5, .target = 0};
    words[LAST + 3] = (Word){.op = SASS_OP_EXIT, .stall = 1};
    const SassSerial s = serial(words, COUNT(words), 100);

    assert_number(s.waits[SASS_WAIT_GLOBAL], 0);
    assert_number(s.long_waits, 99);
    assert_number(s.loads_in_flight, 3);
}

static void copies_are_waited_for_by_groups(void **state)
{
    (void)state;
    /* Two groups of one copy each, at 0 and 3; waiting until one is left: the first, at 500. */
    const Word words[] = {{.op = SASS_OP_LDGSTS, .stall = 2},
                          {.op = SASS_OP_LDGDEPBAR, .stall = 1},
                          {.op = SASS_OP_LDGSTS, .stall = 2},
                          {.op = SASS_OP_LDGDEPBAR, .stall = 1},
                          {.op = SASS_OP_DEPBAR, .stall = 1, .groups = 1},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.cycles, 502);
    assert_number(s.loads_in_flight, 2);
}

enum { TO_SHARED = 1 << 9 }; /* of UBLKCP */

/* Two copies, each announced at a barrier, arrive at 501 and 503; the first phase ends with the first of them
 * though it is asked for twice. */
static void a_phase_ends_with_the_copies_that_were_announced_first(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_SYNCS, .stall = 1},
                          {.op = SASS_OP_UBLKCP, .stall = 1, .more = TO_SHARED},
                          {.op = SASS_OP_SYNCS, .stall = 1},
                          {.op = SASS_OP_UBLKCP, .stall = 1, .more = TO_SHARED},
                          {.op = SASS_OP_SYNCS, .stall = 1, .form = SASS_FORM_NUMBER_THIRD},
                          {.op = SASS_OP_SYNCS, .stall = 1, .form = SASS_FORM_NUMBER_THIRD},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    assert_number(serial(words, COUNT(words), 1).waits[SASS_WAIT_GLOBAL], 501 - 4);

    /* What is read in between makes it another phase. */
    Word read[COUNT(words)];
    memcpy(read, words, sizeof words);
    read[5] = (Word){.op = SASS_OP_LDS, .stall = 1};
    read[6] = words[5];
    assert_number(serial(read, COUNT(words), 1).waits[SASS_WAIT_GLOBAL], 501 - 4);
    read[6].wait = 0;
    SassLatency l = LATENCY;
    l.l2_sector = 10; /* the second copy is asked for later, and arrives at 521 */
    SassLoads mean = {.mean = {1, 1, 1, 1}};
    l.loads = &mean;
    l.l2 = l.global;
    assert_number(serial_with(words, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL], 511 - 4);
    assert_number(serial_with(read, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL],
                  511 - 4 + 521 - 513);
}

/* A warp does not wait for what it sends; its next copy waits until the operands of the last one are read. */
static void a_bulk_copy_from_shared_memory_is_no_load(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_UBLKCP, .stall = 1, .read = 1},
                          {.op = SASS_OP_SYNCS, .stall = 1, .form = SASS_FORM_NUMBER_THIRD},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 1},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassSerial s = serial(words, COUNT(words), 1);

    assert_number(s.waits[SASS_WAIT_GLOBAL], 0);
    assert_number(s.loading, 0);
    assert_number(s.cycles, 40 + 2);
}

/* A quarter of the warps take 100 cycles, the others 20: each block of four has one of them, every other block of
 * two.  By chance a block of n has none of them with a probability of 0.75^n. */
static void a_block_takes_as_long_as_its_longest_warp(void **state)
{
    (void)state;
    static const struct {
        double warps, longest, drawn, half_drawn;
    } blocks[] = {{1, 40, 40, 40},
                  {2, 60, 55, 47.5},
                  {4, 100, 74.6875, 57.34375},
                  {32, 100, 99.99196380594235, 69.99598190297118}};
    for (size_t i = 0; i < COUNT(blocks); i++) {
        SassKind kinds[] = {{{.cycles = 20, .memory = 1}, 0.75},
                            {{.cycles = 100, .memory = 5}, 0.25}};
        SassSerial s = sass_serial_longest(kinds, COUNT(kinds), blocks[i].warps);
        assert_number(s.cycles, blocks[i].longest);
        assert_number(s.memory, blocks[i].longest / 20);
        s = sass_serial_drawn(kinds, COUNT(kinds), blocks[i].warps, 1);
        assert_number(s.cycles, blocks[i].drawn);
        assert_number(s.memory, blocks[i].drawn / 20);
        s = sass_serial_drawn(kinds, COUNT(kinds), blocks[i].warps, 0.5);
        assert_number(s.cycles, blocks[i].half_drawn);
    }
}

static void among_equals_a_warp_gets_its_share_of_the_turns(void **state)
{
    (void)state;
    /* 12 warps, 3 for each scheduler: an instruction every 3 cycles, or its stall count if larger.
     */
    const Word words[] = {{.op = SASS_OP_FFMA, .stall = 1},
                          {.op = SASS_OP_FFMA, .stall = 5},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassLoad load = {.warps = 12};
    const SassLatency l = sass_latency_among(&LATENCY, &load);

    assert_number(serial_with(words, COUNT(words), 1, &l).cycles, 3 + 5 + 3);
}

static void among_equals_accesses_of_shared_memory_queue(void **state)
{
    (void)state;
    /* 4 warps, 2 wavefronts each: the loads at 0 and 1 have their turn until cycle 8 and 16. */
    const Word words[] = {{.op = SASS_OP_LDS, .stall = 1, .write = 1},
                          {.op = SASS_OP_LDS, .stall = 1, .write = 2},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 3},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    const SassLoad load = {.warps = 4, .load_wavefronts = 2};
    const SassLatency l = sass_latency_among(&LATENCY, &load);

    assert_number(serial_with(words, COUNT(words), 1, &l).cycles, 16 - 1 + 30 + 2);
}

/* The second load needs what the first one gave: an index, which comes from memory, and what it is an index of, from the
 * L2.  Registers are all the same one here. */
static const Word indexed[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1},
                               {.op = SASS_OP_LDG, .stall = 1, .write = 2, .wait = 1},
                               {.op = SASS_OP_FADD, .stall = 1, .wait = 2},
                               {.op = SASS_OP_EXIT, .stall = 1}};

static SassLoads *text_of(Arena *a, double lines)
{
    SassLoads *l = ARENA_NEW(a, SassLoads);
    VEC_PUSH(a, &l->text, ((SassLoadText){CFG_NONE, 4, 1, 1, {1, 0, 1, 1}}));
    VEC_PUSH(a, &l->text, ((SassLoadText){CFG_NONE, 4, 0, 1, {1, 1, lines, lines}}));
    l->mean = (SassSource){1, 0.5, 1, 1};
    return l;
}

static void a_load_takes_as_long_as_where_its_sectors_come_from(void **state)
{
    (void)state;
    Arena *a = arena_new();
    SassLatency l = LATENCY;
    l.l1 = 30;
    l.l2 = 250;
    l.loads = text_of(a, 1);
    assert_number(serial_with(indexed, COUNT(indexed), 1, &l).waits[SASS_WAIT_GLOBAL], 499 + 249);
    l.global = 700; /* of memory: one load of the two */
    assert_number(serial_with(indexed, COUNT(indexed), 1, &l).waits[SASS_WAIT_GLOBAL], 699 + 249);
    l.loads = text_of(a, 4);
    l.memory_places = 20; /* two doublings */
    l.l2_sector = 2;      /* four are asked for before it is sent */
    assert_number(serial_with(indexed, COUNT(indexed), 1, &l).waits[SASS_WAIT_GLOBAL],
                  699 + 40 + 8 + 249 + 2);
    arena_free(a);
}

/* Of four loads of the code and two of the text each is there twice; of three nothing is known but the mean. */
static void loads_of_the_code_are_those_of_the_text_in_order(void **state)
{
    (void)state;
    Arena *a = arena_new();
    SassLoads *l = ARENA_NEW(a, SassLoads);
    VEC_PUSH(a, &l->text, ((SassLoadText){CFG_NONE, 4, 0, 1, {1, 0.25, 1, 1}}));
    VEC_PUSH(a, &l->text, ((SassLoadText){CFG_NONE, 4, 0, 3, {1, 0.75, 1, 1}}));
    for (int count = 3; count <= 4; count++) {
        Word words[5];
        for (int i = 0; i < count; i++)
            words[i] = (Word){.op = SASS_OP_LDG, .stall = 1, .write = 1, .result = 8 + i};
        words[count] = (Word){.op = SASS_OP_EXIT, .stall = 1};
        const SassFlow *f = sass_words_flow(a, words, (size_t)count + 1);
        const SassSource *from = sass_loads_find(a, sass_words_join(a, f, 1), l);
        for (int i = 0; i < count; i++)
            assert_number(from[i].memory, count == 3 ? (0.25 + 3 * 0.75) / 4 : i % 2 ? 0.75 : 0.25);
    }
    arena_free(a);
}

static void loads_that_are_waited_for_together_end_with_the_last(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1},
                          {.op = SASS_OP_LDG, .stall = 1, .write = 1},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 1},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    Arena *a = arena_new();
    SassLatency l = LATENCY;
    l.l2 = l.global;
    l.memory_loads = 24;
    assert_number(serial_with(words, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL], 499);
    l.loads = text_of(a, 1);
    assert_number(serial_with(words, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL], 499 + 24);
    arena_free(a);
}

/* Loads that take 500 cycles in one of two cases, else 250. */
static SassLatency half_from_memory(Arena *a)
{
    SassLoads *text = ARENA_NEW(a, SassLoads);
    VEC_PUSH(a, &text->text, ((SassLoadText){CFG_NONE, 4, 0, 1, {1, 0.5, 1, 1}}));
    SassLatency l = LATENCY;
    l.l2 = 250;
    l.loads = text;
    return l;
}

/* At 0 and 1: both from the L2 until 251, the second from memory until 501, only the first one until 500. */
static void one_load_from_memory_is_enough_to_wait_for_it(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1, .result = 8},
                          {.op = SASS_OP_LDG, .stall = 1, .write = 1, .result = 9},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 1},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    Arena *a = arena_new();
    const SassLatency l = half_from_memory(a);
    assert_number(serial_with(words, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL],
                  0.25 * 251 + 0.25 * 500 + 0.5 * 501 - 2);
    arena_free(a);
}

/* The first wait ends at 375 in the mean, 250 or 500 in fact.  The second load, due at 251 or 501, is behind
 * it in one of four cases only. */
static void a_load_issued_before_a_wait_arrives_during_it(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1, .result = 8},
                          {.op = SASS_OP_LDG, .stall = 1, .write = 2, .result = 9},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 1},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 2},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    Arena *a = arena_new();
    const SassLatency l = half_from_memory(a);
    assert_number(serial_with(words, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL],
                  375 - 2 + 0.25 * 251 + 0.75 * 501 - 376);
    arena_free(a);
}

static void a_load_issued_after_a_wait_takes_its_own_time(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_LDG, .stall = 1, .write = 1, .result = 8},
                          {.op = SASS_OP_LDG, .stall = 1, .write = 2, .wait = 1, .result = 9},
                          {.op = SASS_OP_FADD, .stall = 1, .wait = 2},
                          {.op = SASS_OP_EXIT, .stall = 1}};
    Arena *a = arena_new();
    const SassLatency l = half_from_memory(a);
    assert_number(serial_with(words, COUNT(words), 1, &l).waits[SASS_WAIT_GLOBAL], 374 + 374);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_counts_add_up),
        cmocka_unit_test(a_stall_of_none_is_a_turn),
        cmocka_unit_test(a_load_is_waited_for_where_its_scoreboard_is_asked_for),
        cmocka_unit_test(loads_under_way_at_once_cost_one_latency),
        cmocka_unit_test(ends_are_what_lies_before_the_first_load_and_after_the_last_wait),
        cmocka_unit_test(what_follows_an_arrival_is_an_end_though_the_load_is_asked_for_later),
        cmocka_unit_test(a_store_frees_its_registers_before_it_is_done),
        cmocka_unit_test(a_barrier_costs_its_latency),
        cmocka_unit_test(a_fence_of_the_gpu_costs_its_latency_and_one_of_the_block_nothing),
        cmocka_unit_test(a_loop_costs_its_iterations),
        cmocka_unit_test(a_loop_may_be_left_by_the_end_of_the_thread),
        cmocka_unit_test(waits_of_a_walk_without_end_are_in_proportion),
        cmocka_unit_test(loads_that_arrive_in_time_are_seen),
        cmocka_unit_test(loads_of_the_iteration_before_are_seen),
        cmocka_unit_test(copies_are_waited_for_by_groups),
        cmocka_unit_test(a_phase_ends_with_the_copies_that_were_announced_first),
        cmocka_unit_test(a_bulk_copy_from_shared_memory_is_no_load),
        cmocka_unit_test(a_block_takes_as_long_as_its_longest_warp),
        cmocka_unit_test(among_equals_a_warp_gets_its_share_of_the_turns),
        cmocka_unit_test(among_equals_accesses_of_shared_memory_queue),
        cmocka_unit_test(a_load_takes_as_long_as_where_its_sectors_come_from),
        cmocka_unit_test(loads_of_the_code_are_those_of_the_text_in_order),
        cmocka_unit_test(loads_that_are_waited_for_together_end_with_the_last),
        cmocka_unit_test(one_load_from_memory_is_enough_to_wait_for_it),
        cmocka_unit_test(a_load_issued_before_a_wait_arrives_during_it),
        cmocka_unit_test(a_load_issued_after_a_wait_takes_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

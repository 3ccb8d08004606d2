/* What lanes learn of each other, against what the ISA says of one lane. */
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/ptx_eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 32, ROUNDS = 200 };

typedef struct Warp {
    Arena *arena;
    const PtxInstr *instr;
    Lanes registers[16];
    PtxState state;
    PtxLaunch launch;
} Warp;

static uint32_t random_state = 77;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* Registers r1 to r5 are numbered 0 to 4, p1 and p2 5 and 6. */
static Warp *warp(const char *instr)
{
    Arena *a = arena_new();
    Warp *w = ARENA_NEW(a, Warp);
    Diag d = diag_new(a);
    Source *s = ARENA_NEW(a, Source);
    const char *text = arena_printf(a,
                                    ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
                                    ".reg .b32 %%r<9>; .reg .b16 %%h<9>; .reg .pred %%p<9>;\n"
                                    "mov.b32 %%r1, %%r2; mov.b32 %%r3, %%r4; mov.b32 %%r5, %%r5;\n"
                                    "not.pred %%p1, %%p2;\n%s\n}\n",
                                    instr);
    *s = (Source){"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_int_equal(d.errors, 0);
    w->arena = a;
    w->instr = &f->instrs.at[4];
    w->state = (PtxState){.launch = &w->launch, .registers = w->registers};
    for (int r = 0; r < 16; r++) {
        lanes_fill(&w->registers[r], 0);
        lanes_spread(&w->registers[r]);
    }
    return w;
}

static void randomise(Lanes *l, uint32_t below)
{
    for (int i = 0; i < LANES; i++)
        l->v[i] = random_below(below);
}

/* The result of lane i, or -1 where it is not known. */
static int64_t result(const Lanes *l, int i)
{
    return l->known >> i & 1 ? (int64_t)lanes_at(l, i) : -1;
}

typedef struct Shuffle {
    const char *text;
    int (*source)(int lane, int by);
    bool (*inside)(int source, int low, int high);
    uint32_t clamp;
} Shuffle;

static int from_above(int lane, int by)
{
    return lane + by;
}

static int from_below(int lane, int by)
{
    return lane - by;
}

static int from_other(int lane, int by)
{
    return lane ^ by;
}

static bool within(int source, int low, int high)
{
    return low <= source && source <= high;
}

/* Segments of `width` lanes: a lane reads inside its segment or keeps its own value. */
static void shuffles_read_inside_their_segment(void **state)
{
    (void)state;
    const Shuffle all[] = {
        {"shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, -1;", from_above, within, 31},
        {"shfl.sync.up.b32 %r1|%p1, %r2, %r3, %r4, -1;", from_below, within, 0},
        {"shfl.sync.bfly.b32 %r1|%p1, %r2, %r3, %r4, -1;", from_other, within, 31},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (int width = 2; width <= LANES; width *= 2)
            for (int by = 0; by < width; by++) {
                Warp *w = warp(all[k].text);
                Lanes results[PTX_SOURCES];
                randomise(&w->registers[1], 1000);
                lanes_fill(&w->registers[2], (uint64_t)by);
                lanes_fill(&w->registers[3], (uint64_t)((32 - width) << 8) | all[k].clamp);
                assert_int_equal(ptx_warp_instr(&w->state, w->instr, UINT32_MAX, results, NULL), 2);
                for (int i = 0; i < LANES; i++) {
                    const int low = i / width * width, j = all[k].source(i, by);
                    const bool inside = all[k].inside(j, low, low + width - 1);
                    assert_int_equal(result(&results[0], i), w->registers[1].v[inside ? j : i]);
                    assert_int_equal(result(&results[1], i), inside);
                }
                arena_free(w->arena);
            }
}

static void a_shuffle_from_a_lane_that_is_not_there_is_unknown(void **state)
{
    (void)state;
    Warp *w = warp("shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, -1;");
    Lanes results[PTX_SOURCES];
    lanes_fill(&w->registers[2], 16);
    lanes_fill(&w->registers[3], 31);

    ptx_warp_instr(&w->state, w->instr, 0x0000ffff, results, NULL);

    assert_int_equal(results[0].known, 0);
    arena_free(w->arena);
}

static void votes_ask_the_lanes_that_take_part(void **state)
{
    (void)state;
    const char *texts[] = {"vote.sync.ballot.b32 %r1, %p2, -1;", "vote.sync.all.pred %p1, %p2, -1;",
                           "vote.sync.any.pred %p1, %p2, -1;", "vote.sync.uni.pred %p1, %p2, -1;"};
    for (int n = 0; n < ROUNDS; n++)
        for (int k = 0; k < 4; k++) {
            Warp *w = warp(texts[k]);
            Lanes results[PTX_SOURCES];
            uint32_t yes = 0;
            const uint32_t active = n % 3 ? UINT32_MAX : 1 + random_below(1 << 24);
            randomise(&w->registers[6], n % 2 ? 2 : 1);
            for (int i = 0; i < LANES; i++)
                yes |= (uint32_t)w->registers[6].v[i] << i;
            yes &= active;
            const uint32_t answers[] = {yes, yes == active, yes != 0, yes == 0 || yes == active};
            ptx_warp_instr(&w->state, w->instr, active, results, NULL);
            assert_int_equal(result(&results[0], 0), answers[k]);
            arena_free(w->arena);
        }
}

static void reductions_and_matches_go_over_the_lanes_that_take_part(void **state)
{
    (void)state;
    for (int n = 0; n < ROUNDS; n++) {
        const uint32_t active = 1 + random_below(1 << 24);
        const int leader = __builtin_ctz(active);
        uint32_t sum = 0, most = 0, matching = 0;
        Lanes results[PTX_SOURCES];
        Warp *add = warp("redux.sync.add.u32 %r1, %r2, -1;");
        Warp *max = warp("redux.sync.max.u32 %r1, %r2, -1;");
        Warp *any = warp("match.any.sync.b32 %r1, %r2, -1;");
        randomise(&add->registers[1], 4);
        max->registers[1] = any->registers[1] = add->registers[1];
        for (int i = 0; i < LANES; i++) {
            const uint32_t v = (uint32_t)add->registers[1].v[i];
            if (!(active >> i & 1))
                continue;
            sum += v;
            most = v > most ? v : most;
            matching |= v == add->registers[1].v[leader] ? UINT32_C(1) << i : 0;
        }

        ptx_warp_instr(&add->state, add->instr, active, results, NULL);
        assert_int_equal(result(&results[0], leader), sum);
        ptx_warp_instr(&max->state, max->instr, active, results, NULL);
        assert_int_equal(result(&results[0], leader), most);
        ptx_warp_instr(&any->state, any->instr, active, results, NULL);
        assert_int_equal(result(&results[0], leader), matching);
        arena_free(add->arena);
        arena_free(max->arena);
        arena_free(any->arena);
    }
}

static void the_first_lane_is_elected(void **state)
{
    (void)state;
    Warp *w = warp("elect.sync %r1|%p1, -1;"), *mask = warp("activemask.b32 %r1;");
    Lanes results[PTX_SOURCES];

    ptx_warp_instr(&w->state, w->instr, 0x00f0, results, NULL);
    assert_int_equal(result(&results[0], 6), 4);
    assert_int_equal(result(&results[1], 4), 1);
    assert_int_equal(result(&results[1], 5), 0);
    ptx_warp_instr(&mask->state, mask->instr, 0x00f0, results, NULL);
    assert_int_equal(result(&results[0], 7), 0x00f0);
    arena_free(w->arena);
    arena_free(mask->arena);
}

static void a_lane_knows_the_lanes_before_and_behind_it(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t of_0, of_5, of_31;
    } masks[] = {
        {"eq", 0x00000001, 0x00000020, 0x80000000}, {"le", 0x00000001, 0x0000003f, 0xffffffff},
        {"lt", 0x00000000, 0x0000001f, 0x7fffffff}, {"ge", 0xffffffff, 0xffffffe0, 0x80000000},
        {"gt", 0xfffffffe, 0xffffffc0, 0x00000000},
    };
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        char text[40];
        Lanes results[PTX_SOURCES];
        snprintf(text, sizeof text, "mov.u32 %%r1, %%lanemask_%s;", masks[i].name);
        Warp *w = warp(text);

        assert_int_equal(ptx_eval_instr(&w->state, w->instr, results), 1);

        assert_int_equal(result(&results[0], 0), masks[i].of_0);
        assert_int_equal(result(&results[0], 5), masks[i].of_5);
        assert_int_equal(result(&results[0], 31), masks[i].of_31);
        arena_free(w->arena);
    }
}

static void a_word_falls_into_halves_the_lower_first(void **state)
{
    (void)state;
    Warp *w = warp("mov.b32 {%h1, %h2}, %r2;");
    Lanes results[PTX_SOURCES];
    for (uint32_t i = 0; i < LANES; i++)
        w->registers[1].v[i] = 0xfff00003 + i * 0x10002;

    assert_int_equal(ptx_eval_instr(&w->state, w->instr, results), 2);
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(result(&results[0], (int)i), 3 + 2 * i);
        assert_int_equal(result(&results[1], (int)i), (0xfff0 + i) & 0xffff);
    }
    lanes_fill(&w->registers[1], 0x00070009);
    ptx_eval_instr(&w->state, w->instr, results);
    assert_int_equal(result(&results[0], 31), 9);
    assert_int_equal(result(&results[1], 31), 7);
    arena_free(w->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_read_inside_their_segment),
        cmocka_unit_test(a_shuffle_from_a_lane_that_is_not_there_is_unknown),
        cmocka_unit_test(votes_ask_the_lanes_that_take_part),
        cmocka_unit_test(reductions_and_matches_go_over_the_lanes_that_take_part),
        cmocka_unit_test(the_first_lane_is_elected),
        cmocka_unit_test(a_lane_knows_the_lanes_before_and_behind_it),
        cmocka_unit_test(a_word_falls_into_halves_the_lower_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random control flow, reducible or not: what the walk counts for 32 lanes together is what each
 * thread alone would do, run one by one by a few lines of C. */
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/walk.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PROGRAMS = 500, BLOCKS = 10, SEED = 5005 };

static uint32_t random_state = SEED;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* One piece of a program:
 *     fuel -= 1;
 *     x = x * factor + summand; if (x >> bit & 1 and (forward or fuel > 0)) goto target;
 * Where `leaves`, a thread whose fuel is spent returns.  Without it the only way out is the end, so
 * that lanes meet again in the middle of the program. */
typedef struct Piece {
    uint32_t factor, summand, bit, target;
    bool always; /* the branch has no condition; forward only */
} Piece;

typedef struct Program {
    Piece pieces[BLOCKS];
    int32_t fuel;
    bool leaves;
} Program;

static Program random_program(void)
{
    Program p = {.fuel = 3 + (int32_t)random_below(30), .leaves = random_below(3) == 0};
    for (uint32_t i = 0; i < BLOCKS; i++) {
        Piece *x = &p.pieces[i];
        *x = (Piece){random_below(1000) * 2 + 1, random_below(100000), random_below(20),
                     random_below(BLOCKS + 1), random_below(8) == 0};
        x->always &= x->target > i;
    }
    return p;
}

static void write_piece(Buf *b, const Program *p, uint32_t i)
{
    const Piece *x = &p->pieces[i];
    buf_printf(b, "L%u: sub.s32 %%r2, %%r2, 1;\n", i);
    if (p->leaves)
        buf_puts(b, "setp.le.s32 %p1, %r2, 0; @%p1 ret;\n");
    buf_printf(b, "mad.lo.u32 %%r1, %%r1, %u, %u; bfe.u32 %%r3, %%r1, %u, 1;\n", x->factor,
               x->summand, x->bit);
    buf_puts(b, "setp.ne.u32 %p2, %r3, 0;\n");
    if (x->target <= i)
        buf_puts(b, "setp.gt.and.s32 %p2, %r2, 0, %p2;\n");
    buf_printf(b, "%s bra L%u;\nmembar.gl;\n", x->always ? "" : "@%p2", x->target);
}

static PtxFunction *assemble(Arena *a, const Program *p)
{
    Buf b = {0};
    buf_puts(
        &b,
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %r<9>; .reg .pred "
        "%p<9>;\nmov.u32 %r1, %tid.x;\n");
    buf_printf(&b, "mov.u32 %%r2, %d;\n", p->fuel);
    for (uint32_t i = 0; i < BLOCKS; i++)
        write_piece(&b, p, i);
    buf_printf(&b, "L%d: ret; }\n", BLOCKS);
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"random.ptx", arena_copy(a, b.text, b.size), b.size};
    buf_free(&b);
    Diag d = diag_new(a);
    PtxModule *m = ptx_parse(a, s, &d);
    assert_int_equal(d.errors, 0);
    return ptx_find_entry(m, "k");
}

/* How often one thread enters each piece; the end counts as one. */
static void run_thread(const Program *p, uint32_t thread, uint64_t *visits)
{
    uint32_t x = thread, i = 0;
    int32_t fuel = p->fuel;
    for (; i < BLOCKS;) {
        const Piece *piece = &p->pieces[i];
        visits[i]++;
        fuel--;
        if (p->leaves && fuel <= 0)
            return;
        x = x * piece->factor + piece->summand;
        const bool taken = (x >> piece->bit & 1) && (piece->target > i || fuel > 0);
        i = piece->always || taken ? piece->target : i + 1;
    }
    visits[BLOCKS]++;
}

static const PtxLaunch launch = {.grid = {1, 1, 1}, .block = {50, 1, 1}, .has_geometry = true};

static void lanes_together_do_what_each_does_alone(void **state)
{
    (void)state;
    uint64_t divergent = 0, compared = 0;
    for (int n = 0; n < PROGRAMS; n++) {
        Arena *a = arena_new();
        const Program p = random_program();
        const WalkOptions o = {.launch = launch, .place = {.warp = n % 2 ? 1u : 0u}};
        const PtxFunction *f = assemble(a, &p);
        const Walk *w = walk_warp(a, f, &o);
        uint64_t visits[BLOCKS + 1] = {0};
        for (uint32_t t = o.place.warp * 32; t < 50 && t < o.place.warp * 32 + 32; t++)
            run_thread(&p, t, visits);

        for (size_t i = 0; i < f->labels.count; i++) {
            const WalkFunction *r = w->functions.at[0];
            const WalkBlock *b = &r->blocks[r->flow->cfg->block_of[f->labels.at[i].instr]];
            assert_int_equal(b->lanes, visits[i]);
            assert_true(b->visits <= b->lanes && b->lanes <= b->visits * w->lanes);
            compared += b->lanes;
        }
        assert_int_equal(w->unknown_branches, 0);
        assert_false(w->capped);
        /* Lanes that parted meet: the end is reached once. */
        if (!p.leaves)
            assert_int_equal(
                w->functions.at[0]->blocks[w->functions.at[0]->flow->cfg->count - 1].visits, 1);
        divergent += w->divergent > 0;
        arena_free(a);
    }
    assert_true(divergent > PROGRAMS / 2);
    assert_true(compared > (uint64_t)PROGRAMS * 50);
}

/* With the thread's number unknown every branch is, and the walk still ends and covers at least
 * what the real threads reach before the default number of iterations. */
static void unknown_control_flow_ends_and_covers_the_first_round(void **state)
{
    (void)state;
    for (int n = 0; n < PROGRAMS / 5; n++) {
        Arena *a = arena_new();
        const Program p = random_program();
        WalkOptions o = {.launch = launch, .max_steps = 200000};
        o.launch.has_geometry = false;

        const Walk *w = walk_warp(a, assemble(a, &p), &o);

        assert_true(w->functions.at[0]->blocks[0].visits >= 1);
        assert_true(w->functions.at[0]->blocks[0].lanes >= 32);
        assert_true(w->capped == (w->steps >= 200000));
        assert_true(w->steps < 220000); /* the last block may go over */
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_together_do_what_each_does_alone),
        cmocka_unit_test(unknown_control_flow_ends_and_covers_the_first_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Dominators, post-dominators and loops of random graphs against their definitions: "take the
 * block away, can you still get there?" */
#include "metrics/ptx/flow.h"
#include "metrics/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { GRAPHS = 400, SEED = 20260 };

static uint32_t random_state = SEED;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* A function of up to 12 labels with random branches between them. */
static PtxFunction *random_function(Arena *a)
{
    Buf b = {0};
    const uint32_t n = 2 + random_below(11);
    buf_puts(&b, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .pred p;\n");
    for (uint32_t i = 0; i < n; i++) {
        buf_printf(&b, "L%u: ", i);
        switch (random_below(5)) {
        case 0:
            buf_printf(&b, "bra L%u;\n", random_below(n));
            break;
        case 1:
        case 2:
            buf_printf(&b, "@p bra L%u;\n", random_below(n));
            break;
        case 3:
            buf_puts(&b, random_below(2) ? "@p ret;\n" : "ret;\n");
            break;
        default:
            buf_puts(&b, "membar.gl;\n");
        }
    }
    buf_puts(&b, "}\n");
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"random.ptx", arena_copy(a, b.text, b.size), b.size};
    buf_free(&b);
    Diag d = diag_new(a);
    PtxModule *m = ptx_parse(a, s, &d);
    assert_int_equal(d.errors, 0);
    return ptx_find_entry(m, "k");
}

/* Can `to` be reached from `from` without stepping on `without`?  `to` == count is the end. */
static bool reaches(const Cfg *c, int from, int to, int without)
{
    bool seen[64] = {false};
    int stack[64], depth = 0;
    if (from == without)
        return false;
    seen[from] = true;
    stack[depth++] = from;
    while (depth > 0) {
        const int b = stack[--depth];
        if (b == to || (to == c->count && c->blocks[b].ends_thread))
            return true;
        for (int k = 0; k < c->blocks[b].succ_count; k++) {
            const int s = c->blocks[b].succs[k];
            if (s != without && !seen[s]) {
                seen[s] = true;
                stack[depth++] = s;
            }
        }
    }
    return false;
}

static void dominators_are_what_cannot_be_avoided(void **state)
{
    (void)state;
    int pairs = 0;
    for (int g = 0; g < GRAPHS; g++) {
        Arena *a = arena_new();
        const Flow *w = flow_build(a, random_function(a));
        const Cfg *c = w->cfg;
        for (int x = 0; x < c->count; x++)
            for (int y = 0; y < c->count; y++) {
                const bool both = reaches(c, 0, x, -1) && reaches(c, 0, y, -1);
                const bool expected = both && (x == y || !reaches(c, 0, y, x));
                assert_int_equal(dom_dominates(w->dom, x, y), expected);
                pairs += expected;
            }
        arena_free(a);
    }
    assert_true(pairs > GRAPHS);
}

static void post_dominators_are_what_the_end_needs(void **state)
{
    (void)state;
    int pairs = 0;
    for (int g = 0; g < GRAPHS; g++) {
        Arena *a = arena_new();
        const Flow *w = flow_build(a, random_function(a));
        const Cfg *c = w->cfg;
        for (int x = 0; x < c->count; x++)
            for (int y = 0; y < c->count; y++) {
                const bool both = reaches(c, x, c->count, -1) && reaches(c, y, c->count, -1);
                const bool expected = both && (x == y || !reaches(c, y, c->count, x));
                assert_int_equal(dom_dominates(w->post, x, y), expected);
                pairs += expected;
            }
        arena_free(a);
    }
    assert_true(pairs > GRAPHS);
}

/* b is in the loop of header h when h dominates b and b reaches h without leaving through h. */
static bool in_loop_of(const Flow *w, int header, int b)
{
    if (!dom_dominates(w->dom, header, b))
        return false;
    for (int l = 0; l < w->cfg->count; l++) {
        if (!dom_dominates(w->dom, header, l))
            continue;
        for (int k = 0; k < w->cfg->blocks[l].succ_count; k++)
            if (w->cfg->blocks[l].succs[k] == header &&
                (b == header || reaches(w->cfg, b, l, header)))
                return true;
    }
    return false;
}

static void loops_hold_the_blocks_that_come_back(void **state)
{
    (void)state;
    int loops = 0;
    for (int g = 0; g < GRAPHS; g++) {
        Arena *a = arena_new();
        const Flow *w = flow_build(a, random_function(a));
        for (size_t i = 0; i < w->loops->loops.count; i++) {
            const int header = w->loops->loops.at[i].header;
            for (int b = 0; b < w->cfg->count; b++)
                assert_int_equal(loop_contains(w->loops, (int)i, b), in_loop_of(w, header, b));
            loops++;
        }
        arena_free(a);
    }
    assert_true(loops > GRAPHS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominators_are_what_cannot_be_avoided),
        cmocka_unit_test(post_dominators_are_what_the_end_needs),
        cmocka_unit_test(loops_hold_the_blocks_that_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

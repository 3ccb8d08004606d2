/* Small linear programs against all their corners: every choice of as many columns as rows. */
#include "metrics/cubin/sass_twins.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { PROGRAMS = 2000, ROWS = 4, FREE = 4, COLUMNS = FREE + ROWS, SEED = 20263 };

static uint32_t random_state = SEED;

static int random_below(int n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)n);
}

typedef struct Problem {
    double cells[ROWS][COLUMNS + 1]; /* the last FREE… are slacks */
    double costs[2][COLUMNS];
} Problem;

static Problem random_problem(void)
{
    Problem p = {0};
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < FREE; j++)
            p.cells[i][j] = i == 0 ? 1 : random_below(7) - 3; /* row 0 keeps all finite */
        p.cells[i][FREE + i] = 1;
        p.cells[i][COLUMNS] = i == 0 ? 10 : random_below(6);
    }
    for (int j = 0; j < FREE; j++) {
        p.costs[0][j] = random_below(3) - 1; /* often several best ones */
        p.costs[1][j] = random_below(9) - 4;
    }
    return p;
}

/* Gauss; false when the columns depend on each other. */
static bool solve_square(double m[ROWS][ROWS + 1])
{
    for (int k = 0; k < ROWS; k++) {
        int pivot = k;
        for (int i = k; i < ROWS; i++)
            if (fabs(m[i][k]) > fabs(m[pivot][k]))
                pivot = i;
        if (fabs(m[pivot][k]) < 1e-9)
            return false;
        for (int j = 0; j <= ROWS; j++) {
            const double t = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = t;
        }
        for (int i = 0; i < ROWS; i++) {
            const double factor = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = 0; j <= ROWS; j++)
                m[i][j] -= factor * m[k][j];
        }
    }
    return true;
}

static void best_corner(const Problem *p, double best[2])
{
    best[0] = best[1] = INFINITY;
    for (int set = 0; set < 1 << COLUMNS; set++) {
        int columns[ROWS], count = 0;
        for (int j = 0; j < COLUMNS; j++)
            if (set >> j & 1 && count++ < ROWS)
                columns[count - 1] = j;
        if (count != ROWS)
            continue;
        double m[ROWS][ROWS + 1], cost[2] = {0, 0};
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k <= ROWS; k++)
                m[i][k] = p->cells[i][k < ROWS ? columns[k] : COLUMNS];
        if (!solve_square(m))
            continue;
        bool positive = true;
        for (int k = 0; k < ROWS; k++) {
            const double x = m[k][ROWS] / m[k][k];
            positive &= x > -1e-9;
            cost[0] += x * p->costs[0][columns[k]];
            cost[1] += x * p->costs[1][columns[k]];
        }
        if (!positive || cost[0] > best[0] + 1e-7)
            continue;
        best[1] = cost[0] < best[0] - 1e-7 ? cost[1] : fmin(best[1], cost[1]);
        best[0] = fmin(best[0], cost[0]);
    }
}

static void the_answer_is_the_best_corner_by_the_first_aim_and_then_the_second(void **state)
{
    (void)state;
    for (int n = 0; n < PROGRAMS; n++) {
        Arena *a = arena_new();
        const Problem p = random_problem();
        Simplex *s = simplex_new(a, ROWS, COLUMNS);
        double best[2], found[2] = {0, 0};
        for (int i = 0; i < ROWS; i++) {
            memcpy(simplex_cell(s, i, 0), p.cells[i], sizeof p.cells[i]);
            s->basis[i] = FREE + i;
        }
        for (int j = 0; j < COLUMNS; j++) {
            *simplex_cost(s, 0, j) = p.costs[0][j];
            *simplex_cost(s, 1, j) = p.costs[1][j];
        }

        assert_true(simplex_solve(s));
        const double *x = simplex_values(a, s);
        best_corner(&p, best);
        for (int j = 0; j < COLUMNS; j++) {
            assert_true(x[j] >= 0);
            found[0] += x[j] * p.costs[0][j];
            found[1] += x[j] * p.costs[1][j];
        }
        assert_true(fabs(found[0] - best[0]) < 1e-6);
        assert_true(fabs(found[1] - best[1]) < 1e-6);
        assert_true(fabs(simplex_aim(s, 0) - best[0]) < 1e-6);
        arena_free(a);
    }
}

/* With one more row, "column <= value" or ">=" with an artificial column, whose cost is the first aim. */
static Simplex *limited_problem(Arena *a, const Problem *p, const SimplexLimit *l)
{
    Simplex *s = simplex_new(a, ROWS + (l != NULL), COLUMNS + (l ? 2 : 0));
    for (int i = 0; i < ROWS; i++) {
        memcpy(simplex_cell(s, i, 0), p->cells[i], COLUMNS * sizeof(double));
        *simplex_cell(s, i, s->columns) = p->cells[i][COLUMNS];
        s->basis[i] = FREE + i;
    }
    for (int j = 0; j < COLUMNS; j++) {
        *simplex_cost(s, 1, j) = p->costs[0][j];
        *simplex_cost(s, 2, j) = p->costs[1][j];
    }
    if (!l)
        return s;
    *simplex_cell(s, ROWS, l->column) = 1;
    *simplex_cell(s, ROWS, COLUMNS) = l->at_least ? -1 : 1;
    *simplex_cell(s, ROWS, COLUMNS + 1) = l->at_least;
    *simplex_cell(s, ROWS, s->columns) = l->value;
    *simplex_cost(s, 0, COLUMNS + 1) = 1;
    s->basis[ROWS] = l->at_least ? COLUMNS + 1 : COLUMNS;
    return s;
}

static void a_limit_added_to_an_answer_gives_what_the_whole_program_gives(void **state)
{
    (void)state;
    int compared = 0, contradictions = 0;
    for (int n = 0; n < PROGRAMS; n++) {
        Arena *a = arena_new();
        const Problem p = random_problem();
        Simplex *s = limited_problem(a, &p, NULL);
        assert_true(simplex_solve(s));
        const double *x = simplex_values(a, s);
        for (int j = 0; j < FREE; j++) {
            const bool at_least = random_below(2);
            const SimplexLimit l = {j, at_least ? x[j] + 1 : x[j] / 2, at_least};
            if (x[j] < 1e-6)
                continue;
            Simplex *whole = limited_problem(a, &p, &l), *added = simplex_limit(a, s, l);
            assert_true(simplex_solve(whole));
            const bool possible = simplex_aim(whole, 0) < 1e-6;
            assert_int_equal(added->solved, possible);
            contradictions += !possible;
            for (int aim = 1; aim < SIMPLEX_AIMS && possible; aim++, compared++)
                assert_true(fabs(simplex_aim(whole, aim) - simplex_aim(added, aim)) < 1e-6);
        }
        arena_free(a);
    }
    assert_true(compared > PROGRAMS && contradictions > PROGRAMS / 10);
}

static void what_has_no_end_is_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Simplex *s = simplex_new(a, 1, 2); /* x0 - x1 = 1, and x1 as large as possible */
    *simplex_cell(s, 0, 0) = 1;
    *simplex_cell(s, 0, 1) = -1;
    *simplex_cell(s, 0, 2) = 1;
    *simplex_cost(s, 0, 1) = -1;

    assert_false(simplex_solve(s));
    arena_free(a);
}

/* Up to 4 branches of each kind, whose slow paths are taken x times and x + out <= limit, where all may be left
 * before by `out`; the paths share a subroutine with two ways. */
typedef struct Calls {
    SassProgram program;
    int out, columns[12], count;
    double limits[12];
} Calls;

static Calls random_calls(Arena *a, int kinds, int each)
{
    Calls c = {.program = sass_program_new(a)};
    SassProgram *p = &c.program;
    c.out = sass_program_column(p);
    sass_program_row(p, 1);
    sass_program_term(p, c.out, 1);
    SassSum called = {0};
    for (int kind = 0; kind < kinds; kind++) {
        const double price = random_below(7) - 3, limit = 1 + random_below(2);
        for (int i = 0; i < each; i++) {
            const int x = sass_program_column(p);
            const SassSum one = sass_program_sum(p, x);
            sass_program_row(p, limit);
            sass_program_term(p, x, 1);
            sass_program_term(p, c.out, 1);
            sass_program_cost(p, 2, x, price);
            called = sass_sum(a, &called, &one, 1);
            VEC_PUSH(a, &p->integers, x);
            c.columns[c.count] = x;
            c.limits[c.count++] = limit;
        }
    }
    const int way = sass_program_column(p);
    sass_program_row(p, 0);
    sass_program_term(p, way, 1);
    sass_program_term_sum(p, &called, -1);
    sass_program_wish(p, random_below(9), 1, 1 + random_below(3));
    sass_program_term_sum(p, &called, 1);
    sass_program_wish(p, random_below(5), 1, 1 + random_below(3));
    sass_program_term(p, way, 1);
    sass_program_cost(p, 1, c.out, random_below(3));
    return c;
}

static void columns_that_are_merged_are_as_good_as_each_by_itself(void **state)
{
    (void)state;
    for (int n = 0; n < PROGRAMS / 4; n++) {
        Arena *a = arena_new();
        const int kinds = 1 + random_below(3), each = 1 + random_below(4);
        Calls c = random_calls(a, kinds, each);

        SassTwins t = sass_twins_merge(&c.program);
        assert_true(t.merged.columns <= c.program.columns - 2 * kinds * (each - 1));
        assert_true(t.merged.rows.count <= c.program.rows.count - (size_t)(kinds * (each - 1)));
        const SassAnswer apart = sass_program_solve(&c.program),
                         merged = sass_program_solve(&t.merged);
        const double *x = sass_twins_part(&c.program, &t, merged.x);

        assert_true(apart.found && merged.found);
        assert_true(fabs(apart.aims[1] - merged.aims[1]) < 1e-6);
        assert_true(fabs(apart.aims[2] - merged.aims[2]) < 1e-6);
        for (int i = 0; i < c.count; i++) {
            assert_true(x[c.columns[i]] >= 0);
            assert_true(x[c.columns[i]] + x[c.out] < c.limits[i] + 1e-6);
        }
        arena_free(a);
    }
}

/* 1200 branches are too many for one column each: of their 800 calls each makes two thirds. */
static void a_program_that_is_too_large_is_solved_with_merged_columns(void **state)
{
    (void)state;
    enum { BRANCHES = 1200, CALLS = 800 };
    Arena *a = arena_new();
    SassProgram p = sass_program_new(a);
    SassSum called = {0};
    int columns[BRANCHES];
    for (int i = 0; i < BRANCHES; i++) {
        columns[i] = sass_program_column(&p);
        const SassSum one = sass_program_sum(&p, columns[i]);
        sass_program_row(&p, 1);
        sass_program_term(&p, columns[i], 1);
        called = sass_sum(a, &called, &one, 1);
    }
    sass_program_wish(&p, CALLS, 1, 1);
    sass_program_term_sum(&p, &called, 1);

    const SassAnswer r = sass_program_solve(&p);

    assert_true(r.found && r.aims[1] < 1e-6);
    for (int i = 0; i < BRANCHES; i++)
        assert_true(fabs(r.x[columns[i]] - (double)CALLS / BRANCHES) < 1e-6);
    arena_free(a);
}

/* Column by column, each once; what cancels is gone. */
static void sums_of_columns_are_merged(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    SassTerm of_a[] = {{0, 1, 2}, {0, 3, 1}, {0, 4, 6}, {0, 9, 1}},
             of_b[] = {{0, 1, 5}, {0, 2, 1}, {0, 4, -3}};
    const SassSum a = {.constant = 10, .terms = of_a, .count = 4},
                  b = {.constant = 4, .terms = of_b, .count = 3};

    const SassSum s = sass_sum(arena, &a, &b, 2), back = sass_sum(arena, &b, &a, 2);

    assert_true(s.constant == 18 && s.count == 4);
    assert_true(s.terms[0].column == 1 && s.terms[0].value == 12);
    assert_true(s.terms[1].column == 2 && s.terms[1].value == 2);
    assert_true(s.terms[2].column == 3 && s.terms[2].value == 1);
    assert_true(s.terms[3].column == 9 && s.terms[3].value == 1);
    assert_true(back.constant == 24 && back.count == 5);
    assert_true(back.terms[0].value == 9 && back.terms[1].value == 1 && back.terms[2].value == 2);
    assert_true(back.terms[3].value == 9 && back.terms[4].value == 2);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_the_best_corner_by_the_first_aim_and_then_the_second),
        cmocka_unit_test(a_limit_added_to_an_answer_gives_what_the_whole_program_gives),
        cmocka_unit_test(what_has_no_end_is_said),
        cmocka_unit_test(columns_that_are_merged_are_as_good_as_each_by_itself),
        cmocka_unit_test(a_program_that_is_too_large_is_solved_with_merged_columns),
        cmocka_unit_test(sums_of_columns_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

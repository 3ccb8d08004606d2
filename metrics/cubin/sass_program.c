#include "metrics/cubin/sass_program.h"

#include "metrics/cubin/sass_twins.h"

#include <math.h>

enum { BRANCH_DEPTH = 16, BRANCH_PROGRAMS = 40 };
enum { AIM_MUST, AIM_FIRST, AIM_SECOND };

/* Tolerance of an aim that is met. */
static const double ROUNDING = 1e-6;

SassProgram sass_program_new(Arena *a)
{
    return (SassProgram){.arena = a, .budget = SASS_PROGRAM_WORK};
}

int sass_program_column(SassProgram *p)
{
    return p->columns++;
}

SassSum sass_program_sum(SassProgram *p, int column)
{
    SassSum s = {.count = 1, .terms = ARENA_NEW(p->arena, SassTerm)};
    s.terms[0] = (SassTerm){.column = column, .value = 1};
    return s;
}

void sass_program_cost(SassProgram *p, int aim, int column, double each)
{
    VEC_PUSH(p->arena, &p->costs, ((SassTerm){aim, column, each}));
}

void sass_program_cost_sum(SassProgram *p, int aim, const SassSum *s, double each)
{
    p->constants[aim] += each * s->constant;
    for (int i = 0; i < s->count; i++)
        sass_program_cost(p, aim, s->terms[i].column, each * s->terms[i].value);
}

void sass_program_term(SassProgram *p, int column, double value)
{
    VEC_PUSH(p->arena, &p->terms, ((SassTerm){(int)p->rows.count - 1, column, value}));
}

void sass_program_term_sum(SassProgram *p, const SassSum *s, double factor)
{
    p->rows.at[p->rows.count - 1].rhs -= factor * s->constant;
    for (int i = 0; i < s->count; i++)
        sass_program_term(p, s->terms[i].column, factor * s->terms[i].value);
}

int sass_program_row(SassProgram *p, double rhs)
{
    const int column = sass_program_column(p);
    VEC_PUSH(p->arena, &p->rows, ((SassRow){column, -1, rhs}));
    sass_program_term(p, column, 1);
    return column;
}

void sass_program_wish_least(SassProgram *p, double rhs, int aim, double cost)
{
    sass_program_cost(p, aim, sass_program_row(p, rhs), cost);
    const int over = sass_program_column(p);
    p->rows.at[p->rows.count - 1].over = over;
    sass_program_term(p, over, -1);
}

void sass_program_wish(SassProgram *p, double rhs, int aim, double cost)
{
    sass_program_wish_least(p, rhs, aim, cost);
    sass_program_cost(p, aim, p->rows.at[p->rows.count - 1].over, cost);
}

SassSum sass_sum(Arena *arena, const SassSum *a, const SassSum *b, double factor)
{
    SassSum s = {.constant = a->constant + factor * b->constant};
    s.terms = ARENA_ARRAY(arena, SassTerm, (size_t)(a->count + b->count) + 1);
    for (int i = 0, k = 0; i < a->count || k < b->count;) {
        const bool of_a =
            k == b->count || (i < a->count && a->terms[i].column <= b->terms[k].column);
        const bool of_b =
            i == a->count || (k < b->count && b->terms[k].column <= a->terms[i].column);
        const SassTerm t = {.column = of_a ? a->terms[i].column : b->terms[k].column,
                            .value = (of_a ? a->terms[i].value : 0) +
                                     (of_b ? factor * b->terms[k].value : 0)};
        if (t.value != 0)
            s.terms[s.count++] = t;
        i += of_a;
        k += of_b;
    }
    return s;
}

double sass_sum_value(const SassSum *s, const double *x)
{
    double value = s->constant;
    for (int i = 0; i < s->count; i++)
        value += s->terms[i].value * x[s->terms[i].column];
    return value;
}

/* True if a row is negated, so that its right-hand side is not negative. */
static bool turned(const SassRow *row)
{
    return row->rhs < 0 && row->over >= 0;
}

static SassAnswer answer(SassProgram *p, Simplex *s)
{
    SassAnswer r = {.simplex = s, .x = simplex_values(p->arena, s)};
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        r.aims[aim] = p->constants[aim] + simplex_aim(s, aim);
    r.found = s->solved && r.aims[AIM_MUST] < ROUNDING;
    p->budget = s->budget;
    return r;
}

static SassAnswer solve(SassProgram *p)
{
    const int rows = (int)p->rows.count;
    if ((double)rows * p->columns > SASS_PROGRAM_CELLS)
        p->budget = -1;
    if (p->budget < 0)
        return (SassAnswer){0};
    Simplex *s = simplex_new(p->arena, rows, p->columns);
    for (size_t i = 0; i < p->rows.count; i++) {
        const SassRow *row = &p->rows.at[i];
        s->basis[i] = turned(row) ? row->over : row->basis;
        *simplex_cell(s, (int)i, s->columns) = turned(row) ? -row->rhs : fmax(row->rhs, 0);
    }
    VEC_EACH (const SassTerm, t, p->terms)
        *simplex_cell(s, t->row, t->column) += turned(&p->rows.at[t->row]) ? -t->value : t->value;
    VEC_EACH (const SassTerm, t, p->costs)
        *simplex_cost(s, t->row, t->column) += t->value;
    s->budget = p->budget;
    simplex_solve(s);
    return answer(p, s);
}

/* The first integer column with a fractional value; -1: none. */
static int fractional_column(const SassProgram *p, const double *x)
{
    for (size_t i = 0; i < p->integers.count; i++)
        if (fabs(x[p->integers.at[i]] - nearbyint(x[p->integers.at[i]])) > 1e-5)
            return p->integers.at[i];
    return -1;
}

static bool better(const SassAnswer *r, const SassAnswer *other)
{
    if (!r->found || !other->found)
        return r->found;
    const double difference = r->aims[AIM_FIRST] - other->aims[AIM_FIRST];
    if (fabs(difference) > ROUNDING)
        return difference < 0;
    return r->aims[AIM_SECOND] < other->aims[AIM_SECOND];
}

typedef struct Search {
    SassProgram *program;
    double aims[SIMPLEX_AIMS]; /* of the fractional answer, a lower bound */
    SassAnswer best;           /* integer one */
    int solved;                /* linear programs so far */
    int depth;
} Search;

/* The search ends this near to the lower bound of the last aim.  If limited work leaves that much more of
 * the first one, the fractional answer is nearer to the truth. */
static const double BOUND_ENOUGH = 1.01, INTEGER_WORTH = 1.5;

static bool search_done(const Search *s)
{
    return s->solved >= BRANCH_PROGRAMS ||
           (s->best.found && s->best.aims[AIM_FIRST] < s->aims[AIM_FIRST] + ROUNDING &&
            s->best.aims[AIM_SECOND] < s->aims[AIM_SECOND] * BOUND_ENOUGH);
}

static SassAnswer solve_limited(Search *s, const SassAnswer *r, SimplexLimit l)
{
    r->simplex->budget = s->program->budget;
    s->solved++;
    return s->program->budget < 0
               ? (SassAnswer){0}
               : answer(s->program, simplex_limit(s->program->arena, r->simplex, l));
}

/* Branch and bound, depth first: branches on the first fractional column, the better side first.
 * (A. H. Land, A. G. Doig, "An Automatic Method of Solving Discrete Programming Problems",
 * Econometrica 28, 1960.) */
static void branch(Search *s, const SassAnswer *r)
{
    const int column = fractional_column(s->program, r->x);
    if (column < 0) {
        if (better(r, &s->best))
            s->best = *r;
        return;
    }
    if (s->depth >= BRANCH_DEPTH || search_done(s))
        return;
    const double value = floor(r->x[column]);
    const SimplexLimit ways[2] = {{column, value + 1, true}, {column, value, false}};
    SassAnswer ends[2];
    for (int k = 0; k < 2; k++)
        ends[k] = solve_limited(s, r, ways[k]);
    const int first = better(&ends[0], &ends[1]) ? 0 : 1;
    for (int k = 0; k < 2; k++) {
        const int way = k == 0 ? first : 1 - first;
        if (!ends[way].found || search_done(s) || (s->best.found && !better(&ends[way], &s->best)))
            continue;
        s->depth++;
        branch(s, &ends[way]);
        s->depth--;
    }
}

static SassAnswer solve_integer(SassProgram *p)
{
    Search s = {.program = p};
    const SassAnswer relaxed = solve(p);
    memcpy(s.aims, relaxed.aims, sizeof s.aims);
    if (relaxed.found)
        branch(&s, &relaxed);
    const double most = INTEGER_WORTH * relaxed.aims[AIM_FIRST] + 1;
    return s.best.found && s.best.aims[AIM_FIRST] <= most ? s.best : relaxed;
}

SassAnswer sass_program_solve(SassProgram *p)
{
    SassAnswer r = solve_integer(p);
    if (r.found || p->budget >= 0)
        return r;
    SassTwins t = sass_twins_merge(p);
    if (t.merged.columns == p->columns)
        return r;
    r = solve_integer(&t.merged);
    if (r.found)
        r.x = sass_twins_part(p, &t, r.x);
    return r;
}

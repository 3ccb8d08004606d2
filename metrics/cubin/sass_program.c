#include "metrics/cubin/sass_program.h"

#include "metrics/cubin/sass_twins.h"

#include <math.h>

/* --- the simplex method ----------------------------------------------------------------------- */

/* Linear programs of a few dozen rows, with several aims in lexicographic order:
 *
 *     rows · x = rhs,  x >= 0,  minimize aim 0; among the optima, aim 1; and so on.
 *
 * Every row needs an initial basic column (a slack, or an artificial one that aim 0 removes) with
 * coefficient 1 there and 0 in all other rows.  Dense tableau; Dantzig's rule, and after many steps
 * Bland's, which cannot cycle (R. G. Bland, "New Finite Pivoting Rules for the Simplex Method",
 * Mathematics of Operations Research 2, 1977).  A row added to a solved program is met by the dual
 * method (C. E. Lemke, "The Dual Method of Solving the Linear Programming Problem", Naval Research
 * Logistics Quarterly 1, 1954). */

enum { STEPS_PER_LINE = 20 };

/* Coefficients are small integers or shares of 1: what is smaller is rounding. */
static const double TINY = 1e-8;

Simplex *simplex_new(Arena *a, int rows, int columns)
{
    Simplex *s = ARENA_NEW(a, Simplex);
    *s = (Simplex){.rows = rows, .columns = columns, .width = columns + 1, .budget = INFINITY};
    s->cells = ARENA_ARRAY(a, double, (size_t)(rows + SIMPLEX_AIMS) * (size_t)s->width);
    s->basis = ARENA_ARRAY(a, int, (size_t)rows);
    s->filled = ARENA_ARRAY(a, int, (size_t)s->width);
    return s;
}

double *simplex_cell(Simplex *s, int row, int column)
{
    return &s->cells[(size_t)row * (size_t)s->width + (size_t)column];
}

double *simplex_cost(Simplex *s, int aim, int column)
{
    return simplex_cell(s, s->rows + aim, column);
}

double simplex_aim(Simplex *s, int aim)
{
    return -*simplex_cost(s, aim, s->columns);
}

/* line -= factor × other */
static void subtract(Simplex *s, int line, int other, double factor)
{
    double *to = simplex_cell(s, line, 0);
    const double *from = simplex_cell(s, other, 0);
    for (int j = 0; j < s->width; j++)
        to[j] -= factor * from[j];
}

/* Reduces the costs by the initial basis. */
static void price_basis(Simplex *s)
{
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        for (int i = 0; i < s->rows; i++) {
            const double cost = *simplex_cost(s, aim, s->basis[i]);
            if (cost != 0)
                subtract(s, s->rows + aim, i, cost);
        }
}

/* True if it makes no earlier aim worse. */
static bool may_enter(Simplex *s, int aim, int column)
{
    for (int k = 0; k < aim; k++)
        if (*simplex_cost(s, k, column) > TINY)
            return false;
    return true;
}

static int choose_column(Simplex *s, int aim, bool first)
{
    int best = -1;
    double lowest = -TINY;
    for (int j = 0; j < s->columns; j++) {
        if (*simplex_cost(s, aim, j) >= lowest || !may_enter(s, aim, j))
            continue;
        best = j;
        lowest = *simplex_cost(s, aim, j);
        if (first)
            break;
    }
    return best;
}

static int choose_row(Simplex *s, int column)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < s->rows; i++) {
        const double c = *simplex_cell(s, i, column);
        if (c <= TINY)
            continue;
        const double ratio = *simplex_cell(s, i, s->columns) / c;
        if (ratio < least || (ratio == least && s->basis[i] < s->basis[best])) {
            best = i;
            least = ratio;
        }
    }
    return best;
}

/* Most cells are 0 and stay 0: only non-zero ones of the pivot row change others. */
static void pivot(Simplex *s, int row, int column)
{
    double *line = simplex_cell(s, row, 0);
    const double c = line[column];
    int count = 0;
    for (int j = 0; j < s->width; j++)
        if (line[j] != 0) {
            line[j] /= c;
            s->filled[count++] = j;
        }
    for (int i = 0; i < s->rows + SIMPLEX_AIMS; i++) {
        double *to = simplex_cell(s, i, 0);
        const double factor = to[column];
        if (i == row || factor == 0)
            continue;
        for (int k = 0; k < count; k++)
            to[s->filled[k]] -= factor * line[s->filled[k]];
        s->budget -= count;
    }
    s->budget -= s->width;
    s->basis[row] = column;
}

static bool minimise(Simplex *s, int aim)
{
    const int lines = s->rows + s->columns;
    for (int step = 0; step < lines * STEPS_PER_LINE; step++) {
        const int column = choose_column(s, aim, step > lines);
        if (column < 0)
            return true;
        const int row = choose_row(s, column);
        if (row < 0 || s->budget < 0)
            return false;
        pivot(s, row, column);
    }
    return false;
}

bool simplex_solve(Simplex *s)
{
    price_basis(s);
    s->solved = true;
    for (int aim = 0; aim < SIMPLEX_AIMS && s->solved; aim++)
        s->solved = minimise(s, aim);
    return s->solved;
}

double *simplex_values(Arena *a, Simplex *s)
{
    double *x = ARENA_ARRAY(a, double, (size_t)s->columns + 1);
    for (int i = 0; i < s->rows; i++)
        x[s->basis[i]] = fmax(*simplex_cell(s, i, s->columns), 0);
    return x;
}

/* --- the dual method -------------------------------------------------------------------------- */

/* True if the aims rise less, per unit that the row gains, if j enters instead of k. */
static bool rises_less(Simplex *s, int row, int j, int k)
{
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++) {
        const double difference = *simplex_cost(s, aim, j) * *simplex_cell(s, row, k) -
                                  *simplex_cost(s, aim, k) * *simplex_cell(s, row, j);
        if (fabs(difference) > TINY)
            return difference > 0; /* both cells are negative */
    }
    return false;
}

static int dual_column(Simplex *s, int row)
{
    int best = -1;
    for (int j = 0; j < s->columns; j++)
        if (*simplex_cell(s, row, j) < -TINY && (best < 0 || rises_less(s, row, j, best)))
            best = j;
    return best;
}

/* The row whose right-hand side is most negative; -1: none is. */
static int dual_row(Simplex *s)
{
    int best = -1;
    double lowest = -TINY;
    for (int i = 0; i < s->rows; i++)
        if (*simplex_cell(s, i, s->columns) < lowest) {
            best = i;
            lowest = *simplex_cell(s, i, s->columns);
        }
    return best;
}

static bool repair(Simplex *s)
{
    for (int step = 0; step < (s->rows + s->columns) * STEPS_PER_LINE; step++) {
        const int row = dual_row(s);
        if (row < 0)
            return true;
        const int column = dual_column(s, row);
        if (column < 0 || s->budget < 0)
            return false;
        pivot(s, row, column);
    }
    return false;
}

/* The row of a basic column. */
static int row_of(const Simplex *s, int column)
{
    int row = 0;
    while (s->basis[row] != column)
        row++;
    return row;
}

static void copy_line(Simplex *to, int line, Simplex *from, int of)
{
    memcpy(simplex_cell(to, line, 0), simplex_cell(from, of, 0),
           (size_t)from->columns * sizeof(double));
    *simplex_cell(to, line, to->columns) = *simplex_cell(from, of, from->columns);
}

Simplex *simplex_limit(Arena *a, Simplex *from, SimplexLimit l)
{
    const int basic = row_of(from, l.column), row = from->rows, slack = from->columns;
    Simplex *s = simplex_new(a, from->rows + 1, from->columns + 1);
    for (int i = 0; i < from->rows; i++)
        copy_line(s, i, from, i);
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        copy_line(s, s->rows + aim, from, from->rows + aim);
    memcpy(s->basis, from->basis, (size_t)from->rows * sizeof *s->basis);
    const double sign = l.at_least ? 1 : -1;
    for (int j = 0; j < from->columns; j++)
        *simplex_cell(s, row, j) = sign * *simplex_cell(from, basic, j);
    *simplex_cell(s, row, l.column) = 0;
    *simplex_cell(s, row, slack) = 1;
    *simplex_cell(s, row, s->columns) =
        sign * (*simplex_cell(from, basic, from->columns) - l.value);
    s->basis[row] = slack;
    s->budget = from->budget;
    s->solved = repair(s);
    return s;
}

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

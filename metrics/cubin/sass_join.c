#include "metrics/cubin/sass_join.h"

#include "metrics/cubin/sass_simplex.h"

#include <math.h>

/* --- the linear program, row by row --------------------------------------------------------- */

typedef struct Term {
    int row, column;
    double value;
} Term;

typedef struct Row {
    int basis;
    double rhs;
} Row;

typedef struct Cost {
    int aim, column;
    double value;
} Cost;

typedef struct Limit {
    int column;
    double value;
    bool at_least; /* else at most */
} Limit;

enum { WHOLE_DEPTH = 16, WHOLE_PROGRAMS = 40 };
enum { AIM_FLOW, AIM_LANDMARKS, AIM_INSTRUCTIONS };

typedef struct Program {
    Arena *arena;
    SassJoin *join;
    const Walk *walk;
    bool parts;     /* lanes may part at branches */
    int *edge0;     /* by block: number of its first edge */
    int edge_count; /* before those that are always equal are made one */
    int *same;      /* by edge: one that is equal, or itself */
    int *column;    /* by edge */
    int *joined;    /* by block: column of what joins others there, or CFG_NONE */
    int *parted;    /* by block: column of what goes both ways, or CFG_NONE */
    VEC(Term) terms;
    VEC(Row) rows;
    VEC(Cost) costs;
    VEC(Limit) limits;
    double budget; /* of all linear programs together, see Simplex */
    int columns;
} Program;

static int new_column(Program *p)
{
    return p->columns++;
}

static void add_cost(Program *p, int aim, int column, double value)
{
    VEC_PUSH(p->arena, &p->costs, ((Cost){aim, column, value}));
}

static void add_term(Program *p, int column, double value)
{
    VEC_PUSH(p->arena, &p->terms, ((Term){(int)p->rows.count - 1, column, value}));
}

/* A row that starts out with a new column; returns that. */
static int add_row(Program *p, double rhs)
{
    const int column = new_column(p);
    VEC_PUSH(p->arena, &p->rows, ((Row){column, rhs}));
    add_term(p, column, 1);
    return column;
}

/* = rhs, and every unit missed costs so much. */
static void add_wish(Program *p, double rhs, int aim, double cost)
{
    add_cost(p, aim, add_row(p, rhs), cost);
    const int over = new_column(p);
    add_term(p, over, -1);
    add_cost(p, aim, over, cost);
}

/* --- the graph ------------------------------------------------------------------------------ */

static const CfgBlock *block_at(const Program *p, int b)
{
    return &p->join->flow->cfg->blocks[b];
}

static bool reached(const Program *p, int b)
{
    return block_at(p, b)->order != CFG_NONE;
}

static int edge_number(const Program *p, int from, int to)
{
    const CfgBlock *b = block_at(p, from);
    for (int k = 0; k < b->succ_count; k++)
        if (b->succs[k] == to)
            return p->edge0[from] + k;
    return CFG_NONE;
}

static int find_same(Program *p, int e)
{
    while (p->same[e] != e)
        e = p->same[e] = p->same[p->same[e]];
    return e;
}

static void make_same(Program *p, int e, int other)
{
    p->same[find_same(p, e)] = find_same(p, other);
}

static int reached_preds(const Program *p, int b, int *only)
{
    int n = 0;
    for (int k = 0; k < block_at(p, b)->pred_count; k++)
        if (reached(p, block_at(p, b)->preds[k])) {
            n++;
            *only = block_at(p, b)->preds[k];
        }
    return n;
}

static bool is_call(const Program *p, int b)
{
    return p->join->flow->callee[b] != CFG_NONE;
}

/* One way in and one way out: the same number. */
static bool passes_through(const Program *p, int b, int *pred)
{
    return b != 0 && !is_call(p, b) && block_at(p, b)->succ_count == 1 &&
           !block_at(p, b)->ends_thread && reached_preds(p, b, pred) == 1;
}

static bool is_header(const Program *p, int b)
{
    const LoopTree *t = p->join->flow->loops;
    return t->loop_of[b] != CFG_NONE && t->loops.at[t->loop_of[b]].header == b;
}

/* The number of the edges into a block, their sum being its visits (and 1 for the first block). */
static void add_visits(Program *p, int b, double factor)
{
    for (int k = 0; k < block_at(p, b)->pred_count; k++) {
        const int from = block_at(p, b)->preds[k];
        if (reached(p, from))
            add_term(p, p->column[edge_number(p, from, b)], factor);
    }
    if (p->joined[b] != CFG_NONE)
        add_term(p, p->joined[b], -factor);
}

static void number_edges(Program *p)
{
    const Cfg *c = p->join->flow->cfg;
    p->edge0 = ARENA_ARRAY(p->arena, int, (size_t)c->count);
    for (int b = 0; b < c->count; b++) {
        p->edge0[b] = p->edge_count;
        p->edge_count += c->blocks[b].succ_count;
    }
    p->same = ARENA_ARRAY(p->arena, int, (size_t)p->edge_count + 1);
    p->column = ARENA_ARRAY(p->arena, int, (size_t)p->edge_count + 1);
    for (int e = 0; e < p->edge_count; e++)
        p->same[e] = e;
    for (int b = 0; b < c->count; b++) {
        int pred;
        if (reached(p, b) && passes_through(p, b, &pred))
            make_same(p, edge_number(p, pred, b), p->edge0[b]);
        if (reached(p, b) && is_call(p, b) && c->blocks[b].succ_count == 2 &&
            !sass_conditional(sass_flow_last(p->join->flow, b)))
            make_same(p, p->edge0[b], p->edge0[b] + 1);
    }
    for (int e = 0; e < p->edge_count; e++)
        if (find_same(p, e) == e)
            p->column[e] = new_column(p);
    for (int e = 0; e < p->edge_count; e++)
        p->column[e] = p->column[find_same(p, e)];
}

/* Lanes that part at a branch inside a loop or outside; those that leave a loop wait behind it. */
static bool may_part(const Program *p, int b)
{
    const CfgBlock *block = block_at(p, b);
    const LoopTree *t = p->join->flow->loops;
    for (int k = 0; k < block->succ_count; k++)
        if (t->loop_of[b] != CFG_NONE && !loop_contains(t, t->loop_of[b], block->succs[k]))
            return false;
    return block->succ_count > 1 && !is_call(p, b);
}

static void allow_parting(Program *p)
{
    const int count = p->join->flow->cfg->count;
    p->joined = ARENA_ARRAY(p->arena, int, (size_t)count);
    p->parted = ARENA_ARRAY(p->arena, int, (size_t)count);
    for (int b = 0; b < count; b++) {
        int pred;
        p->joined[b] = p->parted[b] = CFG_NONE;
        if (!p->parts || !reached(p, b))
            continue;
        if (may_part(p, b))
            p->parted[b] = new_column(p);
        if (!is_header(p, b) && reached_preds(p, b, &pred) > 1)
            p->joined[b] = new_column(p);
    }
}

/* Few lanes part: rather no more than the landmarks ask for. */
static const double PARTING_COST = 1e-3;

static void limit_parting(Program *p, int b)
{
    if (p->joined[b] != CFG_NONE)
        add_cost(p, AIM_LANDMARKS, p->joined[b], PARTING_COST);
    if (p->parted[b] == CFG_NONE)
        return;
    add_row(p, b == 0);
    add_term(p, p->parted[b], 1);
    add_visits(p, b, -1);
    add_cost(p, AIM_LANDMARKS, p->parted[b], PARTING_COST);
}

static void conserve_call(Program *p, int b)
{
    const CfgBlock *block = block_at(p, b);
    const bool guarded = sass_conditional(sass_flow_last(p->join->flow, b));
    const int behind = block->succ_count - 1;
    add_cost(p, AIM_FLOW, add_row(p, b == 0), 1);
    add_term(p, p->column[p->edge0[b] + behind], 1);
    add_visits(p, b, -1);
    if (!guarded || block->succ_count < 2)
        return;
    add_row(p, b == 0);
    add_term(p, p->column[p->edge0[b]], 1);
    add_visits(p, b, -1);
}

/* Out = in. */
static void conserve_flow(Program *p, int b)
{
    const CfgBlock *block = block_at(p, b);
    int pred;
    if (!reached(p, b) || block->succ_count == 0 || passes_through(p, b, &pred))
        return;
    if (is_call(p, b)) {
        conserve_call(p, b);
        return;
    }
    const int rest = add_row(p, b == 0);
    if (!block->ends_thread)
        add_cost(p, AIM_FLOW, rest, 1);
    for (int k = 0; k < block->succ_count; k++)
        add_term(p, p->column[p->edge0[b] + k], 1);
    add_visits(p, b, -1);
    if (p->parted[b] != CFG_NONE)
        add_term(p, p->parted[b], -1);
    limit_parting(p, b);
}

/* --- loops ---------------------------------------------------------------------------------- */

/* Most times that a loop of the PTX goes back to its header per entry. */
static double most_rounds(const Walk *w)
{
    double most = 0;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->flow->loops->loops.count; k++)
            if (f->loops[k].entries)
                most = fmax(most, (double)f->loops[k].headers / (double)f->loops[k].entries - 1);
    }
    return most;
}

/* Terms of the edges back to a loop's header and of those that enter it from outside. */
static void add_header_edges(Program *p, const Loop *l, double back, double entry)
{
    const CfgBlock *header = block_at(p, l->header);
    for (int k = 0; k < header->pred_count; k++) {
        const int from = header->preds[k];
        if (!reached(p, from))
            continue;
        bool is_latch = false;
        for (size_t i = 0; i < l->latches.count; i++)
            is_latch |= l->latches.at[i] == from;
        add_term(p, p->column[edge_number(p, from, l->header)], is_latch ? back : entry);
    }
}

/* A loop that is not entered does not go round, though a flow could. */
static void limit_loop(Program *p, const Loop *l, double most)
{
    add_row(p, l->header == 0 ? most : 0);
    add_header_edges(p, l, 1, -most);
}

/* Loops of PTX stand by the order of the blocks in the text, as those of the code: ptxas keeps it.
 */
static void order_loops(const LoopTree *t, int *order)
{
    for (size_t i = 0; i < t->loops.count; i++) {
        size_t k = i;
        for (; k > 0 && t->loops.at[order[k - 1]].header > t->loops.at[i].header; k--)
            order[k] = order[k - 1];
        order[k] = (int)i;
    }
}

static bool nest_alike(Arena *a, const LoopTree *s, const LoopTree *t, int *order_s, int *order_t)
{
    if (s->loops.count != t->loops.count)
        return false;
    int *twin = ARENA_ARRAY(a, int, s->loops.count + 1);
    order_loops(s, order_s);
    order_loops(t, order_t);
    for (size_t i = 0; i < s->loops.count; i++)
        twin[order_s[i]] = order_t[i];
    for (size_t i = 0; i < s->loops.count; i++) {
        const int parent = s->loops.at[order_s[i]].parent;
        const int expected = parent == CFG_NONE ? CFG_NONE : twin[parent];
        if (t->loops.at[order_t[i]].parent != expected)
            return false;
    }
    return true;
}

/* Weaker than any landmark: these count iterations, which unrolling divides. */
static const double LOOP_COST = 0.01;

static void match_loops(Program *p)
{
    const LoopTree *t = p->join->flow->loops;
    const double most = most_rounds(p->walk);
    for (size_t i = 0; i < t->loops.count; i++)
        limit_loop(p, &t->loops.at[i], most);
    if (!p->walk->functions.count || !t->loops.count || t->loops.count > 256)
        return;
    const WalkFunction *entry = p->walk->functions.at[0];
    int *order_code = ARENA_ARRAY(p->arena, int, t->loops.count);
    int *order_ptx = ARENA_ARRAY(p->arena, int, t->loops.count);
    p->join->loops_match = nest_alike(p->arena, t, entry->flow->loops, order_code, order_ptx);
    for (size_t i = 0; p->join->loops_match && i < t->loops.count; i++) {
        const Loop *l = &t->loops.at[order_code[i]];
        const WalkLoop *twin = &entry->loops[order_ptx[i]];
        add_wish(p, fmax((double)twin->headers - (double)twin->entries, 0), AIM_LANDMARKS,
                 LOOP_COST);
        add_header_edges(p, l, 1, 0);
        if (l->header == 0)
            continue;
        add_wish(p, (double)twin->entries, AIM_LANDMARKS, LOOP_COST);
        add_header_edges(p, l, 0, 1);
    }
}

/* --- landmarks ------------------------------------------------------------------------------ */

static void count_ptx(SassJoin *j, const Walk *w)
{
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        const Cfg *c = f->flow->cfg;
        for (int b = 0; b < c->count; b++)
            for (size_t k = c->blocks[b].first; f->blocks[b].visits && k < c->blocks[b].end; k++) {
                double amount;
                const SassAnchor anchor = sass_anchor_of_ptx(&f->function->instrs.at[k], &amount);
                if (anchor != SASS_NO_ANCHOR)
                    j->in_ptx[anchor] += amount * (double)f->blocks[b].visits;
            }
    }
}

/* Landmarks of one block. */
typedef struct Marks {
    double sure[SASS_ANCHORS];
    double guarded[SASS_ANCHORS];
} Marks;

static Marks *count_marks(Arena *a, const SassFlow *f)
{
    Marks *m = ARENA_ARRAY(a, Marks, (size_t)f->cfg->count);
    for (int b = 0; b < f->cfg->count; b++)
        for (size_t i = f->cfg->blocks[b].first; i < f->cfg->blocks[b].end; i++) {
            double amount;
            const SassInstr w = sass_at(f->code, i);
            const SassAnchor k = sass_anchor_of(w, &amount);
            if (k == SASS_NO_ANCHOR)
                continue;
            *(sass_guard(w, NULL) == SASS_ALWAYS ? &m[b].sure[k] : &m[b].guarded[k]) += amount;
        }
    return m;
}

/* As much as is wanted of the guarded landmarks of a block, up to all its visits. */
static int allow_guarded(Program *p, int b, double each)
{
    const int column = new_column(p);
    add_row(p, b == 0 ? each : 0);
    add_term(p, column, 1);
    add_visits(p, b, -each);
    return column;
}

static void match_landmark(Program *p, const Marks *m, SassAnchor k)
{
    const int count = p->join->flow->cfg->count;
    double total = 0;
    for (int b = 0; b < count; b++)
        if (reached(p, b))
            total += m[b].sure[k] + m[b].guarded[k];
    if (total == 0)
        return;
    /* In units of the code's own number, so that one visit weighs the same for all kinds. */
    const double wanted = p->join->in_ptx[k] / total - m[0].sure[k] / total;
    int *guarded = ARENA_ARRAY(p->arena, int, (size_t)count);
    for (int b = 0; b < count; b++)
        if (reached(p, b) && m[b].guarded[k] > 0)
            guarded[b] = allow_guarded(p, b, m[b].guarded[k] / total);
    add_wish(p, fmax(wanted, 0), AIM_LANDMARKS, sass_anchor_weight(k));
    for (int b = 0; b < count; b++) {
        if (!reached(p, b))
            continue;
        if (m[b].sure[k] > 0)
            add_visits(p, b, m[b].sure[k] / total);
        if (m[b].guarded[k] > 0)
            add_term(p, guarded[b], 1);
    }
}

static void count_instructions(Program *p)
{
    for (int b = 0; b < p->join->flow->cfg->count; b++) {
        const CfgBlock *block = block_at(p, b);
        for (int k = 0; reached(p, b) && k < block->pred_count; k++)
            if (reached(p, block->preds[k]))
                add_cost(p, AIM_INSTRUCTIONS, p->column[edge_number(p, block->preds[k], b)],
                         (double)(block->end - block->first));
    }
}

/* --- the answer ----------------------------------------------------------------------------- */

typedef struct Solution {
    bool found;
    double aims[SIMPLEX_AIMS];
    double *x; /* by column */
} Solution;

/* Columns kept at or above, or at or below, a value. */
static void limit_columns(const Program *p, Simplex *s)
{
    for (size_t i = 0; i < p->limits.count; i++) {
        const Limit *l = &p->limits.at[i];
        const int row = (int)(p->rows.count + i), slack = p->columns + 2 * (int)i;
        *simplex_cell(s, row, l->column) = 1;
        *simplex_cell(s, row, slack) = l->at_least ? -1 : 1;
        *simplex_cell(s, row, slack + 1) = l->at_least;
        *simplex_cell(s, row, s->columns) = l->value;
        *simplex_cost(s, AIM_FLOW, slack + 1) = 1;
        s->basis[row] = l->at_least ? slack + 1 : slack;
    }
}

static Solution solve(Program *p)
{
    const int rows = (int)(p->rows.count + p->limits.count);
    const int columns = p->columns + 2 * (int)p->limits.count;
    Solution r = {0};
    if ((double)rows * columns > SASS_JOIN_CELLS)
        return r;
    Simplex *s = simplex_new(p->arena, rows, columns);
    for (size_t i = 0; i < p->rows.count; i++) {
        s->basis[i] = p->rows.at[i].basis;
        *simplex_cell(s, (int)i, s->columns) = p->rows.at[i].rhs;
    }
    for (size_t i = 0; i < p->terms.count; i++)
        *simplex_cell(s, p->terms.at[i].row, p->terms.at[i].column) += p->terms.at[i].value;
    for (size_t i = 0; i < p->costs.count; i++)
        *simplex_cost(s, p->costs.at[i].aim, p->costs.at[i].column) += p->costs.at[i].value;
    limit_columns(p, s);
    r.x = ARENA_ARRAY(p->arena, double, (size_t)s->columns + 1);
    s->budget = p->budget;
    r.found = simplex_solve(s, r.x);
    p->budget = s->budget;
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        r.aims[aim] = simplex_aim(s, aim);
    r.found &= r.aims[AIM_FLOW] < 1e-6;
    return r;
}

/* The first edge that a warp takes a broken number of times; CFG_NONE when there is none. */
static int broken_column(const Program *p, const double *x)
{
    for (int e = 0; e < p->edge_count; e++)
        if (fabs(x[p->column[e]] - nearbyint(x[p->column[e]])) > 1e-5)
            return p->column[e];
    return CFG_NONE;
}

static bool better(const Solution *r, const Solution *other)
{
    if (!r->found || !other->found)
        return r->found;
    const double difference = r->aims[AIM_LANDMARKS] - other->aims[AIM_LANDMARKS];
    if (fabs(difference) > 1e-6)
        return difference < 0;
    return r->aims[AIM_INSTRUCTIONS] < other->aims[AIM_INSTRUCTIONS];
}

typedef struct Search {
    Program *program;
    double aims[SIMPLEX_AIMS]; /* of the broken answer: no whole one does better */
    Solution best;             /* of those that are whole */
    int solved;                /* linear programs */
} Search;

/* Nearer to the least number of instructions is not worth searching for. */
static const double WHOLE_ENOUGH = 1.01;

static bool search_done(const Search *s)
{
    return s->solved >= WHOLE_PROGRAMS ||
           (s->best.found && s->best.aims[AIM_LANDMARKS] < s->aims[AIM_LANDMARKS] + 1e-6 &&
            s->best.aims[AIM_INSTRUCTIONS] < s->aims[AIM_INSTRUCTIONS] * WHOLE_ENOUGH);
}

static Solution solve_limited(Search *s, Limit l)
{
    VEC_PUSH(s->program->arena, &s->program->limits, l);
    const Solution r = solve(s->program);
    s->program->limits.count--;
    s->solved++;
    return r;
}

/* Branch and bound, depth first: the first broken edge rounded up or down, the better way first.
 * (A. H. Land, A. G. Doig, "An Automatic Method of Solving Discrete Programming Problems",
 * Econometrica 28, 1960.) */
static void search_whole(Search *s, const Solution *r)
{
    const int column = broken_column(s->program, r->x);
    if (column == CFG_NONE) {
        if (better(r, &s->best))
            s->best = *r;
        return;
    }
    if (s->program->limits.count >= WHOLE_DEPTH || search_done(s))
        return;
    const double value = floor(r->x[column]);
    const Limit ways[2] = {{column, value + 1, true}, {column, value, false}};
    const Solution ends[2] = {solve_limited(s, ways[0]), solve_limited(s, ways[1])};
    const int first = better(&ends[0], &ends[1]) ? 0 : 1;
    for (int k = 0; k < 2; k++) {
        const int way = k == 0 ? first : 1 - first;
        if (!ends[way].found || search_done(s) || (s->best.found && !better(&ends[way], &s->best)))
            continue;
        VEC_PUSH(s->program->arena, &s->program->limits, ways[way]);
        search_whole(s, &ends[way]);
        s->program->limits.count--;
    }
}

/* The broken answer where there is no whole one. */
static Solution make_whole(Program *p, Solution r)
{
    Search s = {.program = p};
    memcpy(s.aims, r.aims, sizeof s.aims);
    if (r.found)
        search_whole(&s, &r);
    return s.best.found ? s.best : r;
}

/* Rounding errors of a count that is whole. */
static double whole(double x)
{
    return fabs(x - nearbyint(x)) < 1e-6 * fmax(1, fabs(x)) ? nearbyint(x) : x;
}

static void take_flow(Program *p, const double *x)
{
    SassJoin *j = p->join;
    const Cfg *c = j->flow->cfg;
    for (int b = 0; b < c->count; b++) {
        if (!reached(p, b))
            continue;
        j->visits[b] += b == 0;
        if (p->joined[b] != CFG_NONE)
            j->visits[b] -= x[p->joined[b]];
        for (int k = 0; k < c->blocks[b].succ_count; k++) {
            j->edges[b][k] = whole(x[p->column[p->edge0[b] + k]]);
            j->visits[c->blocks[b].succs[k]] += j->edges[b][k];
        }
    }
    for (int b = 0; b < c->count; b++)
        j->visits[b] = whole(j->visits[b]);
}

static void take_once(Program *p)
{
    SassJoin *j = p->join;
    for (int b = 0; b < j->flow->cfg->count; b++) {
        j->visits[b] = reached(p, b);
        for (int k = 0; k < block_at(p, b)->succ_count; k++)
            j->edges[b][k] = reached(p, b) && k == block_at(p, b)->succ_count - 1;
    }
}

static void compare(Arena *a, SassJoin *j, const Marks *m)
{
    for (int k = 0; k < SASS_ANCHORS; k++) {
        for (int b = 0; b < j->flow->cfg->count; b++) {
            j->in_code_least[k] += m[b].sure[k] * j->visits[b];
            j->in_code_most[k] += (m[b].sure[k] + m[b].guarded[k]) * j->visits[b];
        }
        const double low = j->in_code_least[k] * (1 - 1e-6), high = j->in_code_most[k] * (1 + 1e-6);
        const bool certain = sass_anchor_weight((SassAnchor)k) >= 1;
        if (j->unmatched || !certain || (low <= j->in_ptx[k] && j->in_ptx[k] <= high))
            continue;
        j->unmatched =
            arena_printf(a, "%s: %.0f in PTX, %.0f in the code", sass_anchor_name((SassAnchor)k),
                         j->in_ptx[k], j->in_code_most[k]);
    }
}

SassJoin *sass_join(Arena *a, const SassFlow *f, const Walk *w)
{
    SassJoin *j = ARENA_NEW(a, SassJoin);
    const Cfg *c = f->cfg;
    j->flow = f;
    j->visits = ARENA_ARRAY(a, double, (size_t)c->count);
    j->edges = ARENA_ARRAY(a, double *, (size_t)c->count);
    for (int b = 0; b < c->count; b++)
        j->edges[b] = ARENA_ARRAY(a, double, (size_t)c->blocks[b].succ_count + 1);
    count_ptx(j, w);
    Program p = {.arena = a,
                 .join = j,
                 .walk = w,
                 .budget = SASS_JOIN_WORK,
                 .parts = w->divergent > 0 || w->unknown_branches > 0};
    number_edges(&p);
    allow_parting(&p);
    for (int b = 0; b < c->count; b++)
        conserve_flow(&p, b);
    match_loops(&p);
    const Marks *m = count_marks(a, f);
    for (int k = 0; k < SASS_ANCHORS; k++)
        match_landmark(&p, m, (SassAnchor)k);
    count_instructions(&p);
    const Solution r = make_whole(&p, solve(&p));
    if (r.found) {
        take_flow(&p, r.x);
    } else {
        take_once(&p);
        j->unmatched = "the code has too many branches to follow";
    }
    compare(a, j, m);
    return j;
}

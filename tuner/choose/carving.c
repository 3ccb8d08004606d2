#include "tuner/choose/carving.h"

#include "tuner/choose/posterior.h"

#include <assert.h>

/* A stage while it runs. */
typedef struct Work {
    Arena *arena;
    const CarvingTable *table;
    const Stage *stage;
    size_t number; /* of the stage */
    bool *alive;
    Fate *fates;
    StageReport *report;
} Work;

static void drop(Work *w, size_t point, Fate fate)
{
    fate.stage = w->number;
    w->fates[point] = fate;
    w->alive[point] = false;
    w->report->unknown += fate.kind == OUTCOME_UNKNOWN;
    w->report->cut += fate.kind == OUTCOME_CUT;
}

static Criterion *criteria_of(Work *w, const ColumnId *ids, size_t count)
{
    Criterion *c = ARENA_ARRAY(w->arena, Criterion, count);
    for (size_t k = 0; k < count; k++) {
        assert(ids[k] < w->table->column_count);
        const Column *column = &w->table->columns[ids[k]];
        c[k] = (Criterion){column->values, column->up};
    }
    return c;
}

/* Drops points that lack a value of the stage's columns. */
static void drop_unknown(Work *w)
{
    for (size_t k = 0; k < w->stage->column_count; k++) {
        ColumnId column = w->stage->columns[k];
        for (size_t i = 0; i < w->table->points; i++) {
            if (w->alive[i] && isnan(w->table->columns[column].values[i]))
                drop(w, i, (Fate){.kind = OUTCOME_UNKNOWN, .column = column, .by = POINT_NONE});
        }
    }
}

static void run_holds(Work *w)
{
    const char *const *unknown = w->stage->unknown;
    for (size_t i = 0; i < w->table->points; i++) {
        if (!w->alive[i])
            continue;
        if (unknown && unknown[i])
            drop(w, i, (Fate){.kind = OUTCOME_UNKNOWN, .by = POINT_NONE});
        else if (!w->stage->holds[i])
            drop(w, i, (Fate){.kind = OUTCOME_FAILS, .by = POINT_NONE});
    }
}

/* True if `value` is no worse than `limit`; false where either is unknown. */
static bool threshold_holds(double value, bool up, double limit)
{
    return up ? value >= limit : value <= limit;
}

/* The best value among the alive points, NaN when none has a value. */
static double threshold_best(const Criterion *c, const bool *alive, size_t points)
{
    double best = NAN;
    for (size_t i = 0; i < points; i++) {
        double v = c->values[i];
        if ((alive && !alive[i]) || isnan(v))
            continue;
        if (isnan(best) || (c->up ? v > best : v < best))
            best = v;
    }
    return best;
}

static void run_within(Work *w)
{
    assert(w->stage->column_count == 1);
    drop_unknown(w);
    ColumnId column = w->stage->columns[0];
    const Criterion *c = criteria_of(w, w->stage->columns, 1);
    w->report->best = threshold_best(c, w->alive, w->table->points);
    w->report->limit = threshold_limit(w->report->best, c->up, w->stage->percent);
    for (size_t i = 0; i < w->table->points; i++) {
        if (w->alive[i] && !threshold_holds(c->values[i], c->up, w->report->limit))
            drop(w, i, (Fate){.kind = OUTCOME_BEYOND, .column = column, .by = POINT_NONE});
    }
}

/* Points that stay if the budget allows: the front, its band, or every layer told apart. */
static bool *front_candidates(Work *w, const FrontInput *in, const Front *f)
{
    if (!w->stage->fill && w->stage->percent > 0)
        return front_band(w->arena, in, f, w->stage->percent);
    bool *candidate = ARENA_ARRAY(w->arena, bool, in->points);
    for (size_t i = 0; i < in->points; i++)
        candidate[i] = f->layer[i] >= 0 && (size_t)f->layer[i] < f->layers;
    return candidate;
}

/* The candidates' numbers, layer by layer. */
static size_t *front_order(Work *w, const Front *f, const bool *candidate, size_t *count)
{
    size_t points = w->table->points;
    double *layer = ARENA_ARRAY(w->arena, double, points);
    size_t *order = ARENA_ARRAY(w->arena, size_t, points);
    *count = 0;
    for (size_t i = 0; i < points; i++) {
        layer[i] = f->layer[i];
        if (candidate[i])
            order[(*count)++] = i;
    }
    stats_order(order, *count, &(Criterion){layer, false}, 1);
    return order;
}

static Fate dominated(const Front *f, size_t point)
{
    return (Fate){.kind = OUTCOME_DOMINATED, .by = f->dominator[point]};
}

/* Drops what exceeds the budget.  With further layers, only the one that the budget splits counts as cut;
 * deeper ones never were candidates. */
static void front_cut(Work *w, const Front *f, const size_t *order, size_t count)
{
    size_t budget = w->stage->budget;
    size_t kept = budget > 0 && budget < count ? budget : count;
    int32_t last = kept > 0 ? f->layer[order[kept - 1]] : 0;
    w->report->layers = kept > 0 ? (size_t)last + 1 : 0;
    for (size_t i = kept; i < count; i++) {
        bool split = !w->stage->fill || f->layer[order[i]] == last;
        drop(w, order[i],
             split ? (Fate){.kind = OUTCOME_CUT, .by = POINT_NONE} : dominated(f, order[i]));
    }
}

static void run_front(Work *w)
{
    assert(w->stage->column_count > 0);
    assert(!w->stage->fill || w->stage->budget > 0);
    drop_unknown(w);
    FrontInput in = {criteria_of(w, w->stage->columns, w->stage->column_count),
                     w->stage->column_count, w->table->points, w->alive, w->stage->ties};
    Front f = front_build(w->arena, &in, w->stage->fill ? w->stage->budget : 1);
    w->report->front = f.count;
    const bool *candidate = front_candidates(w, &in, &f);
    size_t count;
    const size_t *order = front_order(w, &f, candidate, &count);
    for (size_t i = 0; i < in.points; i++) {
        if (w->alive[i] && !candidate[i])
            drop(w, i, dominated(&f, i));
    }
    front_cut(w, &f, order, count);
}

/* --- spread ----------------------------------------------------------------------------------- */

/* The chosen points, in the order of choice; the best prediction comes first. */
static size_t *spread_choose(Work *w, const PosteriorInput *in, size_t *count)
{
    size_t *chosen = ARENA_ARRAY(w->arena, size_t, w->stage->budget);
    Posterior *b = posterior_new(w->arena, in);
    for (*count = 0; *count < w->stage->budget; (*count)++) {
        size_t next = posterior_next(b, NULL);
        if (next == POINT_NONE)
            break;
        posterior_choose(b, next);
        chosen[*count] = next;
    }
    return chosen;
}

/* Of the first choices, the one most similar to a point and no worse.  The very first is no worse than
 * any. */
static size_t spread_reason(const PosteriorInput *in, const size_t *chosen, size_t count,
                            size_t point)
{
    enum { COMPARED = 128 };
    size_t by = chosen[0], least = posterior_distance(in, by, point);
    for (size_t k = 1; k < count && k < COMPARED; k++) {
        size_t n = posterior_distance(in, chosen[k], point);
        if (n < least && in->guess[chosen[k]] <= in->guess[point]) {
            by = chosen[k];
            least = n;
        }
    }
    return by;
}

static void run_spread(Work *w)
{
    assert(w->stage->column_count == 1 && w->stage->budget > 0);
    const Column *column = &w->table->columns[w->stage->columns[0]];
    assert(!column->up);
    PosteriorInput in = {column->values, w->alive, w->table->points, w->stage->values,
                         w->stage->parameters};
    size_t count;
    const size_t *chosen = spread_choose(w, &in, &count);
    bool *stays = ARENA_ARRAY(w->arena, bool, in.points);
    for (size_t k = 0; k < count; k++)
        stays[chosen[k]] = true;
    for (size_t i = 0; i < in.points; i++) {
        if (!w->alive[i] || stays[i])
            continue;
        bool unknown = isnan(in.guess[i]);
        drop(w, i,
             (Fate){.kind = unknown ? OUTCOME_UNKNOWN : OUTCOME_PASSED,
                    .column = w->stage->columns[0],
                    .by = unknown ? POINT_NONE : spread_reason(&in, chosen, count, i)});
    }
}

static size_t count_alive(const bool *alive, size_t points)
{
    size_t count = 0;
    for (size_t i = 0; i < points; i++)
        count += alive[i];
    return count;
}

static void run_stage(Work *w)
{
    static void (*const run[])(Work *) = {
        [STAGE_HOLDS] = run_holds,
        [STAGE_WITHIN] = run_within,
        [STAGE_FRONT] = run_front,
        [STAGE_SPREAD] = run_spread,
    };
    *w->report = (StageReport){.best = NAN, .limit = NAN};
    w->report->before = count_alive(w->alive, w->table->points);
    run[w->stage->kind](w);
    w->report->after = count_alive(w->alive, w->table->points);
}

Carving carving_run(Arena *a, const CarvingTable *table, const bool *alive, const Stage *stages,
                    size_t stage_count)
{
    Carving c = {.table = table, .stages = stages, .stage_count = stage_count};
    size_t n = table->points;
    c.fates = ARENA_ARRAY(a, Fate, n);
    c.reports = ARENA_ARRAY(a, StageReport, stage_count);
    c.survivors = ARENA_ARRAY(a, size_t, n);
    bool *left = ARENA_ARRAY(a, bool, n);
    for (size_t i = 0; i < n; i++) {
        left[i] = !alive || alive[i];
        Outcome kind = left[i] ? OUTCOME_SURVIVES : OUTCOME_UNKNOWN;
        c.fates[i] = (Fate){.kind = kind, .stage = stage_count, .by = POINT_NONE};
    }
    for (size_t s = 0; s < stage_count; s++) {
        Work w = {a, table, &stages[s], s, left, c.fates, &c.reports[s]};
        run_stage(&w);
    }
    for (size_t i = 0; i < n; i++) {
        if (left[i])
            c.survivors[c.survivor_count++] = i;
    }
    return c;
}

/* --- messages --------------------------------------------------------------------------------- */

static void print_name(const Carving *c, size_t point, Buf *out)
{
    if (c->table->rows)
        table_print_name(c->table->rows, point, out);
    else
        buf_printf(out, "#%zu", point);
}

static void print_value(const Column *column, double value, Buf *out)
{
    buf_printf(out, "%.6g", value);
    if (column->unit && column->unit[0])
        buf_printf(out, " %s", column->unit);
}

/* "bound_cycles 1500 cycles, spill_bytes 8"; with another point `by`, else POINT_NONE, "bound_cycles
 * 1500 against 1000, latency_cycles 30 against 20". */
static void print_values(const Carving *c, const ColumnId *columns, size_t count, size_t point,
                         size_t by, Buf *out)
{
    for (size_t k = 0; k < count; k++) {
        const Column *column = &c->table->columns[columns[k]];
        buf_printf(out, "%s%s ", k > 0 ? ", " : "", column->name);
        print_value(column, column->values[point], out);
        if (by != POINT_NONE)
            buf_printf(out, " against %.6g", column->values[by]);
    }
}

/* Another point, and the stage that dropped it if it did not survive. */
static void print_other(const Carving *c, size_t by, Buf *out)
{
    print_name(c, by, out);
    if (c->fates[by].kind != OUTCOME_SURVIVES)
        buf_printf(out, " (itself dropped by stage %zu)", c->fates[by].stage + 1);
}

static void why_fails(const Carving *c, const Stage *s, size_t point, Buf *out)
{
    buf_puts(out, "it does not hold");
    if (s->column_count > 0) {
        buf_puts(out, " with ");
        print_values(c, s->columns, s->column_count, point, POINT_NONE, out);
    }
}

static void why_beyond(const Carving *c, const Stage *s, size_t point, Buf *out)
{
    const StageReport *r = &c->reports[c->fates[point].stage];
    const Column *column = &c->table->columns[c->fates[point].column];
    print_values(c, s->columns, s->column_count, point, POINT_NONE, out);
    buf_printf(out, " is %s the limit ", column->up ? "below" : "above");
    print_value(column, r->limit, out);
    buf_printf(out, ", %g %% from the best, ", s->percent);
    print_value(column, r->best, out);
}

static void why_unknown(const Carving *c, const Stage *s, size_t point, Buf *out)
{
    if (s->kind == STAGE_HOLDS)
        buf_puts(out, s->unknown[point]);
    else
        buf_printf(out, "%s is not known", c->table->columns[c->fates[point].column].name);
}

static void why_dominated(const Carving *c, const Stage *s, size_t point, Buf *out)
{
    size_t by = c->fates[point].by;
    buf_puts(out, "dominated by ");
    print_other(c, by, out);
    buf_puts(out, ": ");
    print_values(c, s->columns, s->column_count, point, by, out);
}

static void why_cut(const Carving *c, const Stage *s, size_t point, Buf *out)
{
    buf_printf(out, "the budget of %zu was full; ", s->budget);
    print_values(c, s->columns, s->column_count, point, POINT_NONE, out);
}

static void why_passed(const Carving *c, const Stage *s, size_t point, Buf *out)
{
    size_t by = c->fates[point].by;
    buf_printf(out, "the budget of %zu was full; of those chosen, ", s->budget);
    print_other(c, by, out);
    buf_puts(out, " is the most like it that is no worse: ");
    print_values(c, s->columns, s->column_count, point, by, out);
}

void carving_why(const Carving *c, size_t point, Buf *out)
{
    static void (*const why[])(const Carving *, const Stage *, size_t, Buf *) = {
        [OUTCOME_FAILS] = why_fails,     [OUTCOME_BEYOND] = why_beyond,
        [OUTCOME_UNKNOWN] = why_unknown, [OUTCOME_DOMINATED] = why_dominated,
        [OUTCOME_CUT] = why_cut,         [OUTCOME_PASSED] = why_passed,
    };
    const Fate *f = &c->fates[point];
    print_name(c, point, out);
    if (f->stage >= c->stage_count) {
        buf_puts(out, f->kind == OUTCOME_SURVIVES ? ": survives\n" : ": did not take part\n");
        return;
    }
    const Stage *s = &c->stages[f->stage];
    buf_printf(out, ": dropped by stage %zu, '%s': ", f->stage + 1, s->text ? s->text : "");
    why[f->kind](c, s, point, out);
    buf_putc(out, '\n');
}

static void print_stage(const Stage *s, const StageReport *r, Buf *out)
{
    buf_printf(out, "'%s': %zu of %zu left", s->text ? s->text : "", r->after, r->before);
    if (s->kind == STAGE_WITHIN && r->before > r->unknown)
        buf_printf(out, ", limit %.6g (best %.6g)", r->limit, r->best);
    if (s->kind == STAGE_FRONT) {
        buf_printf(out, ", %zu on the front", r->front);
        if (r->layers > 1)
            buf_printf(out, ", %zu layers", r->layers);
    }
    if (r->cut > 0)
        buf_printf(out, ", %zu cut by the budget of %zu", r->cut, s->budget);
    if (r->unknown > 0)
        buf_printf(out, ", %zu without a value dropped", r->unknown);
    buf_putc(out, '\n');
}

void carving_print(const Carving *c, Buf *out)
{
    for (size_t s = 0; s < c->stage_count; s++) {
        buf_printf(out, "stage %zu, ", s + 1);
        print_stage(&c->stages[s], &c->reports[s], out);
    }
}

/* Times a sample of what was dropped and evaluates it. */
#include "tuner/choose/audit.h"
#include "tuner/run/run_search.h"

/* --- drawing ---------------------------------------------------------------------------------- */

/* Of a search, this is everything that was not timed: most was never compiled. */
static bool is_dropped(const Run *r, size_t i)
{
    const Table *t = r->table;
    if (t->selected[i] || t->same_as[i] != i)
        return false;
    return r->search.done ? table_fits(t, i) && !table_failed_to_compile(t, i)
                          : table_has_code(t, i);
}

/* Extends the carving's fates to rows from `first` on, which were added later. */
static void leave_out_of_carving(Run *r, size_t first)
{
    const Carving *c = &r->carving;
    Fate *fates = ARENA_ARRAY(r->arena, Fate, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        fates[i] = i < first
                       ? c->fates[i]
                       : (Fate){.kind = OUTCOME_UNKNOWN, .stage = c->stage_count, .by = POINT_NONE};
    r->carving.fates = fates;
}

/* Draws from a whole space that is not listed; samples get rows. */
static void draw_points(Run *r)
{
    enum { DRAWS = 4 }; /* per sample: some are timed already or exceed the device's limits */
    RunAudit *u = &r->audit;
    size_t wanted = (size_t)r->options.audit, draws = DRAWS * wanted, first = r->table->count;
    uint64_t *ranks = ARENA_ARRAY(r->arena, uint64_t, draws);
    run_draw_ranks(r, (unsigned long)r->options.audit_seed, ranks, draws);
    u->list = ARENA_ARRAY(r->arena, size_t, wanted);
    u->dropped = (size_t)r->space.size - r->counts.selected;
    for (size_t k = 0; k < draws && u->count < wanted; k++) {
        size_t i = run_add_config(r, ranks[k]);
        if (r->table->audited[i] || !is_dropped(r, i))
            continue;
        r->table->audited[i] = true;
        u->list[u->count++] = i;
    }
    leave_out_of_carving(r, first);
}

/* Draws by the configurations' numbers in the space, so that a continued run draws the same ones. */
static void draw(Run *r)
{
    RunAudit *u = &r->audit;
    size_t wanted = carve_share(&r->plan.request, (size_t)r->options.audit);
    size_t *dropped = ARENA_ARRAY(r->arena, size_t, r->table->count);
    uint64_t *numbers = ARENA_ARRAY(r->arena, uint64_t, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        if (is_dropped(r, i)) {
            numbers[u->dropped] = r->table->number[i];
            dropped[u->dropped++] = i;
        }
    u->list = ARENA_ARRAY(r->arena, size_t, wanted);
    u->count = audit_draw((uint64_t)r->options.audit_seed, numbers, u->dropped, wanted, u->list);
    for (size_t k = 0; k < u->count; k++) {
        u->list[k] = dropped[u->list[k]];
        r->table->audited[u->list[k]] = true;
    }
}

bool run_audit(Run *r, const Timer *t)
{
    if (r->options.audit == 0)
        return true;
    if (r->final.count == 0) {
        diag_warn(r->diag, (Span){0}, "nothing is audited: there is no winner to compare with");
        return true;
    }
    if (r->search.done && r->space.diagram && r->source == RUN_MEASURED)
        draw_points(r);
    else
        draw(r);
    size_t *list = ARENA_ARRAY(r->arena, size_t, r->audit.count), count = 0;
    if (r->search.done && !run_search_compile(r, r->audit.list, r->audit.count))
        return false;
    for (size_t k = 0; k < r->audit.count; k++)
        if (table_has_code(r->table, r->audit.list[k]))
            list[count++] = r->audit.list[k];
    return timer_time(r, t, list, count);
}

/* --- judging ---------------------------------------------------------------------------------- */

/* The time for equal work; NaN: it failed. */
static double time_of(const Table *t, size_t i)
{
    return table_is_right(t, i) ? table_ms(t, i) : NAN;
}

/* A lost GPU, or a missing recorded row, tells nothing about a configuration. */
static bool has_outcome(const Table *t, size_t i)
{
    return (table_is_timed(t, i) && t->outcome[i] != OUTCOME_SKIPPED) ||
           table_failed_to_compile(t, i);
}

static void count_drawn(const Run *r, RunAudit *u, double winner)
{
    for (size_t k = 0; k < u->count; k++) {
        size_t i = u->list[k];
        double ms = time_of(r->table, i);
        if (!has_outcome(r->table, i))
            continue;
        u->outcomes++;
        u->failed += isnan(ms) != 0;
        u->better += ms < winner * (1 - u->margin);
        u->near += ms <= winner * (1 + RUN_AUDIT_NEAR);
        if (!isnan(ms) && !(ms / winner >= u->ratio)) {
            u->ratio = ms / winner;
            u->fastest = i;
        }
    }
}

void run_audit_judge(Run *r)
{
    RunAudit *u = &r->audit;
    if (u->count == 0 || r->best == SIZE_MAX)
        return;
    double winner = time_of(r->table, r->best);
    u->margin = run_tie_margin;
    u->fastest = SIZE_MAX;
    u->ratio = NAN;
    count_drawn(r, u, winner);
    for (size_t i = 0; i < r->table->count; i++)
        u->near_timed += r->table->selected[i] && r->table->same_as[i] == i &&
                         time_of(r->table, i) <= winner * (1 + RUN_AUDIT_NEAR);
    u->better_high = audit_count_high(u->dropped, u->outcomes, u->better);
    u->beyond_high = audit_count_high(u->dropped, u->outcomes, 0);
    u->share_high = u->outcomes < u->dropped ? audit_share_high(u->outcomes, u->better)
                                             : (double)u->better / (double)u->dropped;
    /* The recall assumes that near configurations are as frequent among the dropped as in the sample;
     * the lower bound takes the largest share that the sample allows. */
    double chosen = (double)u->near_timed;
    double dropped = (double)u->near * (double)u->dropped / (double)u->outcomes;
    size_t most = audit_count_high(u->dropped, u->outcomes, u->near);
    u->recall = u->outcomes > 0 ? chosen / (chosen + dropped) : NAN;
    u->recall_low = chosen / (chosen + (double)most);
}

#include "tuner/run/run_search_parts.h"

#include "metrics/base/stats.h"
#include "tuner/run/compiling.h"

#include <math.h>

/* --- what it did not ask for ------------------------------------------------------------------ */

bool run_search_compile(Run *r, const size_t *rows, size_t count)
{
    size_t next = 0, done = 0, ready;
    for (size_t k = 0; k < count && r->unasked; k++)
        search_reveal(r, rows[k]);
    if (r->unasked)
        return true;
    Compiling *c = compiling_open(r, (size_t)r->options.jobs + 1);
    bool ok = true;
    while (ok && done < count) {
        for (; ok && next < count && compiling_has_room(c); next++) {
            bool known = r->table->outcome[rows[next]] != OUTCOME_NONE;
            done += known;
            ok = known || compiling_add(c, rows[next]);
        }
        ok = ok && !run_stopped(r) && compiling_service(c);
        size_t before = done;
        while (ok && compiling_take(c, &ready))
            done++;
        if (ok && done == before && done < count)
            ok = compiling_wait(c);
        run_progress(r, "compile", done, count, "of the audit");
    }
    compiling_close(c);
    return ok;
}

/* --- the stage -------------------------------------------------------------------------------- */

void run_search_summarize(Run *r)
{
    RunSearch *s = &r->search;
    const Table *t = r->table;
    s->done = true;
    for (size_t i = 0; i < t->count; i++)
        s->candidates += table_fits(t, i) && run_is_in_shard(r, i);
    if (r->space.diagram)
        s->candidates = (size_t)r->space.size;
    s->held_since = s->held_count > 0 ? s->held_s[s->held_count - 1] : NAN;
    r->counts.selected = 0;
    for (size_t i = 0; i < t->count; i++)
        r->counts.selected += t->selected[i];
    for (size_t k = 0; k < r->carving.survivor_count; k++) {
        size_t i = r->carving.survivors[k];
        s->front++;
        s->front_timed += table_is_timed(t, i);
    }
}

/* Where nothing is timed the answer is what is predicted to be the fastest. */
static void select_promising(const Searched *q)
{
    enum { ANSWER = 10 };
    Run *r = q->run;
    const Table *t = r->table;
    Ranked *all = ARENA_ARRAY(r->arena, Ranked, t->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double value =
            table_has_code(t, i) ? searched_metric(q, q->guess, i) / t->work[i] : (double)NAN;
        if (!isnan(value) && t->same_as[i] == i)
            all[count++] = (Ranked){value, i};
    }
    stats_rank(all, count);
    for (size_t i = 0; i < t->count; i++)
        t->selected[i] = false;
    for (size_t k = 0; k < count && k < ANSWER; k++)
        t->selected[all[k].at] = true;
}

bool run_search(Run *r, Timer *t)
{
    Searched q;
    searched_open(&q, r, r->source == RUN_STATIC ? NULL : t);
    bool ok = run_is_played(r) ? search_played(&q) : search_live(&q);
    if (ok && r->counts.compiled == 0 && r->source != RUN_REPLAYED)
        ok = run_nothing_compiled(r);
    if (ok && r->source == RUN_STATIC)
        select_promising(&q);
    arena_free(q.scratch);
    return ok;
}

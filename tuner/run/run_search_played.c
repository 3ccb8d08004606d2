/* The search of a run without a GPU, played on a recording (tuner/choose/replay.h). */
#include "tuner/run/run_search_parts.h"

#include "metrics/base/clock.h"
#include "tuner/choose/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- played on a recording -------------------------------------------------------------------- */

struct RunUnasked {
    Outcome *outcome;
    TableCode *code;
    TableProfile *profile;
    const char **why;
};

bool run_search_take_recorded(Run *r)
{
    Table *t = r->table;
    if (!run_take_recorded(r))
        return false;
    struct RunUnasked *k = ARENA_NEW(r->arena, struct RunUnasked);
    k->outcome = ARENA_ARRAY(r->arena, Outcome, t->count);
    k->code = ARENA_ARRAY(r->arena, TableCode, t->count);
    k->profile = ARENA_ARRAY(r->arena, TableProfile, t->count);
    k->why = ARENA_ARRAY(r->arena, const char *, t->count);
    r->recorded.ms = run_recorded_times(r);
    for (size_t i = 0; i < t->count; i++) {
        k->outcome[i] = t->outcome[i];
        k->code[i] = t->code[i];
        k->profile[i] = t->profile[i];
        k->why[i] = t->why[i];
        if (table_fits(t, i))
            t->outcome[i] = OUTCOME_NONE;
        t->code[i] = (TableCode){0};
        t->profile[i] = (TableProfile){0};
        t->why[i] = NULL;
    }
    r->unasked = k;
    return true;
}

typedef struct Key {
    const char *hash, *launch;
    size_t place;
} Key;

static int key_compare(const void *pa, const void *pb)
{
    const Key *a = pa, *b = pb;
    int c = strcmp(a->hash, b->hash);
    if (c == 0)
        c = strcmp(a->launch, b->launch);
    return c != 0 ? c : a->place < b->place ? -1 : a->place > b->place;
}

/* The first place with the same code, for each. */
static size_t *same_places(Searched *q, const size_t *row)
{
    const struct RunUnasked *k = q->run->unasked;
    size_t n = q->rank_count, keys = 0;
    size_t *same = ARENA_ARRAY(q->run->arena, size_t, n);
    Key *all = ARENA_ARRAY(q->run->arena, Key, n);
    for (size_t p = 0; p < n; p++) {
        same[p] = p;
        if (k->code[row[p]].hash)
            all[keys++] = (Key){k->code[row[p]].hash, k->code[row[p]].launch, p};
    }
    if (keys > 1)
        qsort(all, keys, sizeof *all, key_compare);
    for (size_t i = 1; i < keys; i++)
        if (strcmp(all[i].hash, all[i - 1].hash) == 0 &&
            strcmp(all[i].launch, all[i - 1].launch) == 0)
            same[all[i].place] = same[all[i - 1].place];
    return same;
}

/* Seconds of a processor; NaN where they are not recorded. */
static double recorded_cost(const Run *r, size_t i)
{
    const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
    return row && row->compile_s > 0 ? row->compile_s + row->profile_s : NAN;
}

static ReplayRows rows_of(Searched *q, size_t *row)
{
    Run *r = q->run;
    const struct RunUnasked *k = r->unasked;
    size_t n = q->rank_count;
    Arena *a = r->arena;
    double *ms = ARENA_ARRAY(a, double, n), *code = ARENA_ARRAY(a, double, n),
           *work = ARENA_ARRAY(a, double, n), *seconds = ARENA_ARRAY(a, double, n);
    double *predicted = ARENA_ARRAY(a, double, n), *bound = ARENA_ARRAY(a, double, n),
           *latency = ARENA_ARRAY(a, double, n), *variance = ARENA_ARRAY(a, double, n);
    bool *broken = ARENA_ARRAY(a, bool, n);
    for (size_t p = 0; p < n; p++) {
        size_t i = row[p] = table_find(r->table, q->ranks[p]);
        const TableProfile *known = &k->profile[i];
        const Profile *profile = known->whole;
        if (profile)
            table_evaluate(q->scratch, r->table, i, known->shares, known->share_count);
        arena_reset(q->scratch);
        work[p] = r->table->work[i];
        ms[p] = run_recorded_value(r, i) * work[p];
        seconds[p] = recorded_cost(r, i);
        code[p] = profile ? profile->value[PROFILE_CODE_BYTES] : NAN;
        predicted[p] = searched_metric(q, q->guess, i) / work[p];
        variance[p] = searched_doubt(profile);
        bound[p] = searched_metric(q, q->bound, i) / work[p];
        latency[p] = searched_metric(q, q->latency, i) / work[p];
        broken[p] = k->outcome[i] != OUTCOME_COMPILED;
        if (!broken[p]) {
            r->table->profile[i] = *known;
            broken[p] = !carve_allows(&r->plan, q->scratch, i);
            r->table->profile[i] = (TableProfile){0};
            arena_reset(q->scratch);
        }
    }
    ReplayRows rows = {.space = q->space,
                       .compile_s = seconds,
                       .code_bytes = code,
                       .ms = ms,
                       .work = work,
                       .broken = broken,
                       .predicted = predicted,
                       .bound = bound,
                       .latency = latency,
                       .variance = variance};
    rows.same_as = same_places(q, row);
    return rows;
}

void search_reveal(Run *r, size_t i)
{
    const struct RunUnasked *k = r->unasked;
    r->table->outcome[i] = k->outcome[i];
    r->table->code[i] = k->code[i];
    r->table->profile[i] = k->profile[i];
    r->table->why[i] = k->why[i];
}

/* What was asked for is known from now on. */
static void reveal(Searched *q, const size_t *row, const ReplayResult *played, const size_t *same)
{
    Run *r = q->run;
    Table *t = r->table;
    const struct RunUnasked *k = r->unasked;
    size_t *first = ARENA_ARRAY(r->arena, size_t, q->rank_count);
    for (size_t p = 0; p < q->rank_count; p++)
        first[p] = SIZE_MAX;
    for (size_t c = 0; c < played->compiled_count; c++) {
        size_t p = played->compiled[c], i = row[p];
        search_reveal(r, i);
        bool compiled = k->outcome[i] == OUTCOME_COMPILED;
        run_count_code(r, k->outcome[i]);
        if (first[same[p]] == SIZE_MAX)
            first[same[p]] = i;
        t->same_as[i] = first[same[p]];
        r->counts.distinct += compiled && t->same_as[i] == i;
    }
}

bool search_played(Searched *q)
{
    Run *r = q->run;
    double since = clock_seconds();
    size_t *row = ARENA_ARRAY(r->arena, size_t, q->rank_count), *list;
    table_set_metrics(r->table, r->table->metrics);
    ReplayRows rows = rows_of(q, row);
    ReplayOptions o = {.search = searched_options(r), .gpus = 1};
    ReplayResult played = replay_search(r->arena, &rows, &o);
    reveal(q, row, &played, rows.same_as);
    list = ARENA_ARRAY(r->arena, size_t, played.timed_count);
    for (size_t k = 0; k < played.timed_count; k++) {
        list[k] = row[played.timed[k]];
        r->table->selected[list[k]] = true;
    }
    RunSearch *s = &r->search;
    s->end = played.end;
    s->state = played.state;
    s->expected = played.expected;
    s->seconds = played.seconds;
    s->compile_s = played.compile_core_s;
    s->held_count = played.step_count;
    s->held_s = ARENA_ARRAY(r->arena, double, played.step_count);
    s->held_ms = ARENA_ARRAY(r->arena, double, played.step_count);
    for (size_t k = 0; k < played.step_count; k++) {
        s->held_s[k] = played.steps[k].seconds;
        s->held_ms[k] = played.steps[k].ms;
    }
    run_charge(r, LEDGER_CARVE, &since);
    return timer_replay_open(r, q->timer) &&
           q->timer->time(q->timer->state, list, played.timed_count);
}

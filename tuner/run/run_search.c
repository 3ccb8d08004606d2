#include "tuner/run/run_search.h"

#include "metrics/base/clock.h"
#include "tuner/choose/replay.h"
#include "tuner/run/compiling.h"
#include "tuner/space/diagram.h"

/* --- what is searched ------------------------------------------------------------------------- */

static bool draw_point(void *context, gsl_rng *random, uint16_t *point)
{
    const Searched *q = context;
    bool any = space_diagram_draw(q->run->space.diagram, random, q->full);
    for (size_t k = 0; k < q->varying_count; k++)
        point[k] = q->full[q->varying[k]];
    return any;
}

static bool is_valid(void *context, const uint16_t *point)
{
    const Searched *q = context;
    memset(q->full, 0, q->run->space.spec->parameter_count * sizeof *q->full);
    for (size_t k = 0; k < q->varying_count; k++)
        q->full[q->varying[k]] = point[k];
    return space_diagram_has(q->run->space.diagram, q->full);
}

static SearchSpace space_of(Searched *q)
{
    Run *r = q->run;
    const Table *t = r->table;
    q->varying = run_varying(r, &q->varying_count);
    q->values = ARENA_ARRAY(r->arena, size_t, q->varying_count);
    for (size_t k = 0; k < q->varying_count; k++)
        q->values[k] = t->parameters[q->varying[k]].values.count;
    q->full = ARENA_ARRAY(r->arena, uint16_t, t->parameter_count);
    if (r->space.diagram && !r->space.ranks)
        return (SearchSpace){.parameters = q->varying_count,
                             .values = q->values,
                             .draw = draw_point,
                             .valid = is_valid,
                             .context = q,
                             .size = (double)r->space.size};
    q->ranks = ARENA_ARRAY(r->arena, uint64_t, t->count);
    for (size_t i = 0; i < t->count; i++) /* skip what the device cannot run */
        if (table_fits(t, i) && run_is_in_shard(r, i))
            q->ranks[q->rank_count++] = t->number[i];
    return (SearchSpace){.parameters = q->varying_count,
                         .values = q->values,
                         .ranks = q->ranks,
                         .count = q->rank_count,
                         .size = (double)q->rank_count};
}

static SearchOptions searched_options(const Run *r)
{
    const RunOptions *o = &r->options;
    return (SearchOptions){.seed = (unsigned long)o->seed,
                           .workers = (size_t)o->jobs,
                           .endless = o->seconds > 0 || o->trials > 0 || o->compiles > 0,
                           .seconds = o->seconds,
                           .trials = (size_t)o->trials,
                           .compiles = (size_t)o->compiles,
                           .learned = r->search.learned};
}

void searched_open(Searched *q, Run *r, Timer *t)
{
    *q = (Searched){.run = r, .timer = t, .scratch = arena_new()};
    const MetricSet *m = r->table->metrics;
    q->guess = metricset_find(m, r->options.guess ? r->options.guess : "predicted_cycles");
    q->space = space_of(q);
}

static double searched_metric(const Searched *q, int metric, size_t row)
{
    return metric < 0 ? NAN : table_metric(q->run->table, row, (size_t)metric);
}

/* What the table tells of a row's code; `shares` gets room for TABLE_PARTS. */
static SearchCompiled code_of(const Searched *q, size_t row, bool compiled, double *shares)
{
    const Table *t = q->run->table;
    const Profile *p = t->profile[row].whole;
    const double doubt = p ? p->value[PROFILE_UNCERTAINTY] : 0;
    const bool failed = !compiled || !carve_allows(&q->run->plan, q->scratch, row);
    table_shares(t, row, shares);
    arena_reset(q->scratch);
    return (SearchCompiled){.failed = failed,
                            .predicted = searched_metric(q, q->guess, row) / t->work[row],
                            .variance = doubt > 0 ? doubt * doubt : 0,
                            .shares = shares,
                            .same_as = SIZE_MAX};
}

static void evaluate(const Searched *q, size_t row)
{
    Table *t = q->run->table;
    const TableProfile *p = &t->profile[row];
    if (p->whole)
        table_evaluate(q->scratch, t, row, p->shares, p->share_count);
    arena_reset(q->scratch);
}

/* Seconds between two reports of a new best. */
static const double found_every_s = 2;

typedef VEC(size_t) Numbers;

/* A search that compiles and times. */
typedef struct LiveSearch {
    const Searched *in;
    Run *run;     /* of `in` */
    Timer *timer; /* of `in` */
    Arena *scratch;
    Search *search;
    Compiling *compiling;
    Numbers rows;     /* table rows by search number */
    Numbers compiled; /* rows whose code was reported to the search */
    Numbers numbers;  /* search numbers by table row; SIZE_MAX: not asked for */
    Numbers earlier;  /* rows of an earlier run: compiled before anything else, and timed */
    size_t earlier_next;
    size_t asked;     /* compiles started */
    double told;      /* when a new best was last reported */
    size_t told_best; /* that best */
} LiveSearch;

/* --- candidates and rows ---------------------------------------------------------------------- */

static size_t number_of(const LiveSearch *h, size_t row)
{
    return row < h->numbers.count ? h->numbers.at[row] : SIZE_MAX;
}

static void note_number(LiveSearch *h, size_t number, size_t row)
{
    while (h->rows.count <= number)
        VEC_PUSH(h->run->arena, &h->rows, SIZE_MAX);
    h->rows.at[number] = row;
    while (h->numbers.count <= row)
        VEC_PUSH(h->run->arena, &h->numbers, SIZE_MAX);
    h->numbers.at[row] = number;
}

/* The first row with the same code and launch among those reported to the search; SIZE_MAX: none.
 * Unreported rows do not count: two from the same worker at the same moment would find each other,
 * and neither would be timed. */
static size_t same_code(const LiveSearch *h, size_t row)
{
    const Table *t = h->run->table;
    const TableCode *c = &t->code[row];
    for (size_t n = 0; c->hash && n < h->compiled.count; n++) {
        const TableCode *other = &t->code[h->compiled.at[n]];
        if (other->hash && strcmp(other->hash, c->hash) == 0 &&
            strcmp(other->launch, c->launch) == 0)
            return t->same_as[h->compiled.at[n]];
    }
    return SIZE_MAX;
}

/* Reports a row whose code, or failure, is known. */
static void tell_compiled(LiveSearch *h, size_t row)
{
    Run *r = h->run;
    Table *t = r->table;
    bool compiled = table_has_code(t, row);
    run_count_code(r, t->outcome[row]);
    evaluate(h->in, row);
    const double raised = compiled && t->profile[row].whole ? run_suspect_row(r, row) : 1;
    size_t same = compiled ? same_code(h, row) : SIZE_MAX;
    r->counts.distinct += compiled && same == SIZE_MAX;
    if (same != SIZE_MAX)
        t->same_as[row] = same;
    if (compiled)
        VEC_PUSH(r->arena, &h->compiled, row);
    double shares[TABLE_PARTS];
    SearchCompiled c = code_of(h->in, row, compiled, shares);
    c.variance += pow(log(raised), 2);
    if (same != SIZE_MAX)
        c.same_as = number_of(h, same);
    search_compiled(h->search, number_of(h, row), &c);
    if (!h->timer && !c.failed && same == SIZE_MAX)
        search_timed(h->search, number_of(h, row), c.predicted);
}

static void note_best(LiveSearch *h)
{
    RunSearch *s = &h->run->search;
    SearchState now = search_state(h->search);
    if (now.best == SIZE_MAX ||
        (s->held.count > 0 && now.best_time >= s->held.at[s->held.count - 1].ms))
        return;
    VEC_PUSH(h->run->arena, &s->held, ((RunBest){clock_seconds() - h->run->opened, now.best_time}));
}

static void tell_timed(LiveSearch *h, size_t row)
{
    const Table *t = h->run->table;
    bool right = table_is_right(t, row);
    search_timed(h->search, number_of(h, row), right ? table_ms(t, row) : NAN);
    note_best(h);
}

/* Reports a new best to the caller, which may emit it; not too often. */
static void tell_found(LiveSearch *h, bool last)
{
    Run *r = h->run;
    SearchState s = search_state(h->search);
    double now = clock_seconds();
    if (!r->hooks.found || s.best == SIZE_MAX || s.best == h->told_best || !h->timer ||
        (!last && h->told_best != SIZE_MAX && now - h->told < found_every_s))
        return;
    h->told_best = s.best;
    r->best = h->rows.at[s.best];
    r->hooks.found(r->hooks.context);
    r->best = SIZE_MAX;
    h->told = clock_seconds();
}

static void tell_progress(LiveSearch *h)
{
    Run *r = h->run;
    if (!r->progress.step)
        return;
    SearchState s = search_state(h->search);
    const char *best = isnan(s.best_time) ? "none correct yet"
                                          : arena_printf(h->scratch, "best %.4g ms", s.best_time);
    const char *note = arena_printf(h->scratch, "%s; %zu compiled, %zu without gain", best,
                                    s.compiled, s.since_gain);
    size_t left = s.since_gain < 100 ? 100 - s.since_gain : 0; /* most searches end after 100 */
    run_progress(r, "search", s.timed, s.timed + left, note);
    arena_reset(h->scratch);
}

/* --- live ------------------------------------------------------------------------------------- */

static bool feed_workers(LiveSearch *h)
{
    while (compiling_has_room(h->compiling)) {
        size_t number, row;
        if (h->earlier_next < h->earlier.count) {
            row = h->earlier.at[h->earlier_next++];
            const Table *t = h->run->table;
            uint16_t *point = ARENA_ARRAY(h->scratch, uint16_t, h->in->varying_count + 1);
            for (size_t k = 0; k < h->in->varying_count; k++)
                point[k] = (uint16_t)t->values[row * t->parameter_count + h->in->varying[k]];
            if (!search_add(h->search, point, &number))
                continue;
        } else {
            if (h->run->options.compiles > 0 && h->asked >= (size_t)h->run->options.compiles)
                return true;
            if (!search_next_compile(h->search, &number))
                return true;
            row = run_add_config(h->run,
                                 space_rank_of(&h->run->space, search_point(h->search, number),
                                               h->in->varying, h->in->varying_count));
        }
        note_number(h, number, row);
        if (!table_fits(h->run->table, row)) /* drawn, but exceeds the device's limits */
            search_compiled(h->search, number, &(SearchCompiled){.failed = true, .unasked = true});
        else if (!compiling_add(h->compiling, row))
            return false;
        else
            h->asked++;
    }
    return true;
}

static bool is_earlier(const LiveSearch *h, size_t row)
{
    for (size_t k = 0; k < h->earlier.count; k++)
        if (h->earlier.at[k] == row)
            return true;
    return false;
}

static bool take_compiled(LiveSearch *h, bool *news)
{
    size_t row;
    if (!compiling_service(h->compiling))
        return false;
    while (compiling_take(h->compiling, &row)) {
        *news = true;
        tell_compiled(h, row);
        bool failed = table_failed_to_compile(h->run->table, row);
        if (failed && h->timer && h->timer->record && !is_earlier(h, row) &&
            !h->timer->record(h->timer->state, row))
            return false;
        if (!failed && h->timer && is_earlier(h, row) && h->run->table->same_as[row] == row) {
            h->run->table->selected[row] = true;
            search_trying(h->search, number_of(h, row));
            h->timer->add(h->timer->state, row);
        }
    }
    return true;
}

static void feed_gpus(LiveSearch *h)
{
    size_t number;
    size_t most = (size_t)h->run->options.trials;
    while (h->timer->wants(h->timer->state) && (most == 0 || h->run->counts.selected < most) &&
           search_next_trial(h->search, &number)) {
        size_t row = h->rows.at[number];
        h->run->table->selected[row] = true;
        h->run->counts.selected++;
        h->timer->add(h->timer->state, row);
    }
}

static bool take_timed(LiveSearch *h, bool *news)
{
    size_t row;
    if (h->timer->service && !h->timer->service(h->timer->state))
        return false;
    while (h->timer->take(h->timer->state, &row)) {
        *news = true;
        tell_timed(h, row);
    }
    return true;
}

static void wait_for_news(LiveSearch *h)
{
    Waits w = waits_new(1); /* the time budget may run out, and progress is shown */
    compiling_await(h->compiling, &w);
    if (h->timer && h->timer->await)
        h->timer->await(h->timer->state, &w);
    run_wait(h->run, &w);
}

/* True if the search is to stop at once; a caller may instead ask it to end with its best so far. */
static bool is_stopped(LiveSearch *h)
{
    Run *r = h->run;
    if (!run_stopped(r))
        return false;
    SearchState s = search_state(h->search);
    if (s.best == SIZE_MAX || !r->hooks.end_early || !r->hooks.end_early(r->hooks.context))
        return true;
    r->stopped = false;
    r->search.asked = true;
    return false;
}

/* One round; sets `*news` if there were results. False if it cannot go on. */
static bool go_round(LiveSearch *h, bool *news)
{
    if (!feed_workers(h) || !take_compiled(h, news))
        return false;
    if (!h->timer)
        return true;
    feed_gpus(h);
    return take_timed(h, news);
}

static bool search_until_end(LiveSearch *h)
{
    RunSearch *s = &h->run->search;
    while (!is_stopped(h) && !s->asked) {
        bool news = false;
        if (!go_round(h, &news) && !h->run->stopped)
            return false;
        s->end = search_end(h->search, clock_seconds() - h->run->opened);
        if (s->end != SEARCH_GOES_ON)
            return true;
        tell_found(h, false);
        tell_progress(h);
        if (!news)
            wait_for_news(h);
    }
    return s->asked;
}

/* Waits for the compiler's name, which goes into the recording before anything is timed. Workers
 * compile from then on, also while large GPU buffers are filled, which takes seconds. */
static bool learn_compiler(LiveSearch *h)
{
    Run *r = h->run;
    bool ok = feed_workers(h) && compiling_service(h->compiling);
    while (ok && !(r->code.compiler = compiling_compiler(h->compiling)) &&
           compiling_count(h->compiling) > 0)
        ok = compiling_wait(h->compiling) && compiling_service(h->compiling);
    return ok;
}

static bool open_timer(LiveSearch *h)
{
    Run *r = h->run;
    if (!h->timer)
        return true;
    if (!(r->source == RUN_MEASURED ? timer_gpu_open(r, h->timer) : timer_replay_open(r, h->timer)))
        return false;
    size_t count = 0;
    const size_t *rows = h->timer->known ? h->timer->known(h->timer->state, &count) : NULL;
    for (size_t k = 0; k < count; k++) /* also those that the search has asked for by now */
        if (table_fits(r->table, rows[k]))
            VEC_PUSH(r->arena, &h->earlier, rows[k]);
    return true;
}

/* What the author launches is the reference and compiled anyway: nothing slower than it can win. */
static void ask_for_reference(LiveSearch *h)
{
    const size_t first = h->run->spec->reference_first ? run_first_config(h->run) : SIZE_MAX;
    if (first != SIZE_MAX && run_is_in_shard(h->run, first))
        VEC_PUSH(h->run->arena, &h->earlier, first);
}

/* Charges the wall time to the search, and CPU time to the work done. */
static void charge(Run *r, double since)
{
    double compile = r->ledger.seconds[LEDGER_COMPILE], walk = r->ledger.walk_core_s;
    if (r->source == RUN_STATIC) { /* nothing is timed beside it */
        run_charge_compiling(r, &since);
        return;
    }
    run_charge(r, LEDGER_COMPILE, &since);
    r->ledger.seconds[LEDGER_COMPILE] = compile; /* run_time charges it */
    r->ledger.core_seconds[LEDGER_COMPILE] -= walk;
    r->ledger.core_seconds[LEDGER_PROFILE] += walk;
}

static bool search_live(Searched *q)
{
    Run *r = q->run;
    SearchOptions o = searched_options(r);
    LiveSearch live = {.in = q,
                       .run = r,
                       .timer = q->timer,
                       .scratch = q->scratch,
                       .search = search_new(&q->space, &o),
                       .told_best = SIZE_MAX};
    LiveSearch *h = &live;
    double since = clock_seconds();
    table_set_metrics(r->table, r->table->metrics);
    h->compiling = compiling_open(r, (size_t)r->options.jobs + 1, true);
    ask_for_reference(h);
    bool opened = learn_compiler(h) && open_timer(h);
    bool ok = opened && search_until_end(h), news;
    if (ok && h->timer) /* the final needs the trials in flight */
        ok = timer_time(r, h->timer, NULL, 0) && take_timed(h, &news);
    for (size_t i = 0; ok && i < r->table->count; i++) /* asked for at the end */
        r->table->selected[i] = r->table->selected[i] && table_is_timed(r->table, i);
    r->search.state = search_state(h->search);
    r->search.expected = search_expected(h->search);
    tell_found(h, true);
    compiling_close(h->compiling);
    charge(r, since);
    r->search.seconds = clock_seconds() - r->opened;
    if (opened && !ok && h->timer && h->timer->close)
        h->timer->close(h->timer->state);
    search_free(h->search);
    return ok;
}

/* --- played on a recording -------------------------------------------------------------------- */

struct RunUnasked {
    Outcome outcome;
    TableCode code;
    TableProfile profile;
    const char *why;
};

bool run_search_take_recorded(Run *r)
{
    Table *t = r->table;
    if (!run_take_recorded(r))
        return false;
    r->unasked = ARENA_ARRAY(r->arena, struct RunUnasked, t->count);
    r->recorded.ms = run_recorded_times(r);
    for (size_t i = 0; i < t->count; i++) {
        r->unasked[i] = (struct RunUnasked){t->outcome[i], t->code[i], t->profile[i], t->why[i]};
        if (table_fits(t, i))
            t->outcome[i] = OUTCOME_NONE;
        t->code[i] = (TableCode){0};
        t->profile[i] = (TableProfile){0};
        t->why[i] = NULL;
    }
    return true;
}

/* For each candidate, the first with the same code. */
static size_t *same_places(Searched *q, const size_t *row)
{
    const char **keys = ARENA_ARRAY(q->run->arena, const char *, q->rank_count);
    for (size_t p = 0; p < q->rank_count; p++)
        keys[p] = run_code_key(q->run->arena, &q->run->unasked[row[p]].code);
    return table_group(q->run->arena, keys, NULL, q->rank_count);
}

/* `row` gets the table's rows, of which nothing stays known. */
static ReplayRows rows_of(Searched *q, size_t *row)
{
    Run *r = q->run;
    Table *t = r->table;
    const size_t n = q->rank_count;
    ReplayRows rows = {.space = q->space,
                       .at = ARENA_ARRAY(r->arena, ReplayRow, n),
                       .by_energy = r->spec->objective == OBJECTIVE_ENERGY};
    double *shares = ARENA_ARRAY(r->arena, double, n *TABLE_PARTS);
    for (size_t p = 0; p < n; p++) {
        const size_t i = row[p] = table_find(t, q->ranks[p]);
        const RecordRow *recorded = run_recorded_row(r, r->recorded.times, i);
        const bool compiled = r->unasked[i].outcome == OUTCOME_COMPILED;
        const Profile *profile = r->unasked[i].profile.whole;
        t->profile[i] = r->unasked[i].profile;
        evaluate(q, i);
        rows.at[p] = (ReplayRow){.code = code_of(q, i, compiled, shares + p * TABLE_PARTS),
                                 .code_bytes = profile ? profile->value[PROFILE_CODE_BYTES] : 0,
                                 .ms = run_recorded_value(r, i) * t->work[i],
                                 .trial_s = recorded ? recorded->seconds : 0,
                                 .work = t->work[i]};
        if (recorded && recorded->compile_s > 0)
            rows.at[p].compile_s = recorded->compile_s + recorded->profile_s;
        t->profile[i] = (TableProfile){0};
    }
    const size_t *same = same_places(q, row);
    for (size_t p = 0; p < n; p++)
        rows.at[p].code.same_as = same[p];
    return rows;
}

static void search_reveal(Run *r, size_t i)
{
    const struct RunUnasked *k = &r->unasked[i];
    r->table->outcome[i] = k->outcome;
    r->table->code[i] = k->code;
    r->table->profile[i] = k->profile;
    r->table->why[i] = k->why;
}

/* Reveals the rows that the search asked for. */
static void reveal(Searched *q, const size_t *row, const ReplayResult *played,
                   const ReplayRows *rows)
{
    Run *r = q->run;
    Table *t = r->table;
    size_t *first = ARENA_ARRAY(r->arena, size_t, q->rank_count);
    for (size_t p = 0; p < q->rank_count; p++)
        first[p] = SIZE_MAX;
    for (size_t c = 0; c < played->compiled_count; c++) {
        size_t p = played->compiled[c], i = row[p];
        search_reveal(r, i);
        bool compiled = t->outcome[i] == OUTCOME_COMPILED;
        run_count_code(r, t->outcome[i]);
        size_t *same = &first[rows->at[p].code.same_as];
        *same = *same == SIZE_MAX ? i : *same;
        t->same_as[i] = *same;
        r->counts.distinct += compiled && t->same_as[i] == i;
    }
}

static bool search_played(Searched *q)
{
    Run *r = q->run;
    double since = clock_seconds();
    size_t *row = ARENA_ARRAY(r->arena, size_t, q->rank_count), *list;
    table_set_metrics(r->table, r->table->metrics);
    ReplayRows rows = rows_of(q, row);
    ReplayOptions o = {.search = searched_options(r), .gpus = 1};
    ReplayResult played = replay_search(r->arena, &rows, &o);
    reveal(q, row, &played, &rows);
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
    EACH (const ReplayStep, step, played.steps, played.step_count)
        VEC_PUSH(r->arena, &s->held, ((RunBest){step->seconds, step->ms}));
    run_charge(r, LEDGER_CARVE, &since);
    return timer_replay_open(r, q->timer) && timer_time(r, q->timer, list, played.timed_count);
}

bool run_search_compile(Run *r, const size_t *rows, size_t count)
{
    size_t *list = ARENA_ARRAY(r->arena, size_t, count), unknown = 0;
    for (size_t k = 0; k < count; k++)
        if (r->unasked)
            search_reveal(r, rows[k]);
        else if (r->table->outcome[rows[k]] == OUTCOME_NONE)
            list[unknown++] = rows[k];
    if (r->unasked)
        return true;
    Compiling *c = compiling_open(r, (size_t)r->options.jobs + 1, true);
    bool ok = compiling_run(c, list, unknown, "of the audit");
    compiling_close(c);
    return ok;
}

/* --- the stage -------------------------------------------------------------------------------- */

static void summarize(Run *r)
{
    RunSearch *s = &r->search;
    const Table *t = r->table;
    s->done = true;
    for (size_t i = 0; i < t->count; i++)
        s->candidates += table_fits(t, i) && run_is_in_shard(r, i);
    if (r->space.diagram)
        s->candidates = (size_t)r->space.size;
    s->held_since = s->held.count > 0 ? s->held.at[s->held.count - 1].seconds : NAN;
    r->counts.selected = 0;
    for (size_t i = 0; i < t->count; i++)
        r->counts.selected += t->selected[i];
    for (size_t k = 0; k < r->carving.survivor_count; k++) {
        size_t i = r->carving.survivors[k];
        s->front++;
        s->front_timed += table_is_timed(t, i);
    }
}

/* Without times, selects the rows that are predicted to be fastest. */
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
    if (!ok)
        return false;
    run_carve(r); /* for the front in the report */
    summarize(r);
    return true;
}

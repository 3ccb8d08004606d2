#include "tuner/choose/search_parts.h"

#include "tuner/choose/front.h"

#include <gsl/gsl_sort.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gains below these do not count: when it ends, and when it is to start anew. */
static const double gain_least = 0.002, gain_of_start = 0.01;

/* Better ones expected, when none is, and when some are. */
static const double expected_none = 0.05, expected_some = 1;

enum {
    TRIALS_IN_VAIN = 200,   /* that end a search, … */
    TRIALS_AT_MOST = 400,   /* … if better ones are expected */
    TRIALS_EXPECTED = 100,  /* when nothing better is expected */
    COMPILES_IN_VAIN = 150, /* too: where workers are few, all that is compiled is timed, and
                               trials are no choice */
    STARTS = 3,         /* where the space is too large to look at all of it; each ends after … */
    START_IN_VAIN = 60, /* … so many trials */
    FAILURES_IN_VAIN = 200, /* without a single right one */
    SPREAD_COMPILES = 8,    /* the first ones lie far from each other, but … */
    SPREAD_FEW = 4,         /* … so many and one a worker where there are few workers: */
    SPREAD_OF = 16,         /* the farthest of so many */
    FASTEST = 3,            /* whose neighbours are compiled: */
    LOCAL_OF = 8,           /* the best believed of so many */
    ORDER_SHOWN = 4,        /* trials that tell whether predictions order them */
    COMPILES_FIRST = 100,   /* before the first of few trials, where nothing else is counted */
    BLIND_FROM = 24 /* trials: before them predictions find more than the few times do alone */
};

/* --- rows ------------------------------------------------------------------------------------- */

Search *search_new(const SearchSpace *space, const SearchOptions *o)
{
    Arena *a = arena_new();
    Search *s = ARENA_NEW(a, Search);
    *s = (Search){.space = *space,
                  .options = *o,
                  .arena = a,
                  .scratch = arena_new(),
                  .best = NO_NUMBER,
                  .gain_from = INFINITY,
                  .usual = NAN,
                  .expected_timed = SIZE_MAX,
                  .version = 1};
    if (s->options.workers == 0)
        s->options.workers = 1;
    s->parameters = space->parameters < PROCESS_PARAMETERS ? space->parameters : PROCESS_PARAMETERS;
    s->random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(s->random, o->seed + 1);
    s->candidates = candidates_new(a, space, s->random);
    s->time_model.arena = arena_new();
    s->blind_model.arena = arena_new();
    s->few_model.arena = arena_new();
    s->space_model.arena = arena_new();
    if (o->learned)
        s->starters = learned_starters(o->learned, &s->starter_count);
    return s;
}

void search_free(Search *s)
{
    if (!s)
        return;
    candidates_free(s->candidates);
    gsl_rng_free(s->random);
    free(s->rows);
    free(s->points);
    free(s->batch.points);
    arena_free(s->time_model.arena);
    arena_free(s->blind_model.arena);
    arena_free(s->few_model.arena);
    arena_free(s->space_model.arena);
    arena_free(s->scratch);
    arena_free(s->arena);
}

const uint16_t *search_point(const Search *s, size_t number)
{
    return s->points + number * s->space.parameters;
}

static size_t add_row(Search *s, const uint16_t *point)
{
    size_t n = s->space.parameters;
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : FIRST_SIZE(64, 1);
        s->rows = memory_resize(s->rows, s->room, sizeof *s->rows);
        s->points = memory_resize(s->points, s->room * n + 1, sizeof *s->points);
    }
    s->rows[s->count] = (Row){.predicted = NAN,
                              .bound = NAN,
                              .latency = NAN,
                              .learned = search_learned(s, point),
                              .time = NAN,
                              .same_as = s->count,
                              .said = {NAN, NAN},
                              .believed = {NAN, NAN}};
    if (n > 0)
        memcpy(s->points + s->count * n, point, n * sizeof *point);
    return s->count++;
}

bool search_add(Search *s, const uint16_t *point, size_t *number)
{
    if (!candidates_take(s->candidates, point))
        return false;
    *number = add_row(s, point);
    return true;
}

unsigned differing(const uint16_t *a, const uint16_t *b, size_t n)
{
    unsigned count = 0;
    for (size_t p = 0; p < n; p++)
        count += a[p] != b[p];
    return count;
}

/* --- what to compile -------------------------------------------------------------------------- */

/* Of some random ones the farthest from all that were asked for. */
static bool spread_point(Search *s, uint16_t *point)
{
    size_t n = s->space.parameters;
    uint16_t *one = ARENA_ARRAY(s->scratch, uint16_t, n);
    unsigned farthest = 0;
    bool found = false;
    for (int t = 0; t < SPREAD_OF && candidates_random(s->candidates, one); t++) {
        unsigned nearest = UINT_MAX;
        for (size_t i = 0; i < s->count; i++) {
            unsigned d = differing(one, search_point(s, i), n);
            nearest = d < nearest ? d : nearest;
        }
        if (!found || nearest > farthest) {
            memcpy(point, one, n * sizeof *one);
            farthest = nearest;
        }
        found = true;
    }
    arena_reset(s->scratch);
    return found;
}

/* The fastest timed ones; how many. */
static size_t fastest(const Search *s, size_t *out, size_t most)
{
    size_t count = 0;
    for (size_t i = s->first; i < s->count; i++) {
        if (s->rows[i].state != ROW_TIMED)
            continue;
        size_t k = count < most ? count++ : most;
        for (; k > 0 && s->rows[i].time < s->rows[out[k - 1]].time; k--)
            if (k < most)
                out[k] = out[k - 1];
        if (k < most)
            out[k] = i;
    }
    return count;
}

/* A neighbour of one of the fastest: of some random ones that of which the space model believes the
 * best, and any as long as it says no times. */
static bool local_point(Search *s, uint16_t *point)
{
    size_t from[FASTEST], count = fastest(s, from, FASTEST), n = s->space.parameters;
    uint16_t *one = ARENA_ARRAY(s->scratch, uint16_t, n);
    double least = INFINITY;
    bool found = false;
    for (int t = 0; t < LOCAL_OF && count > 0; t++) {
        size_t i = from[gsl_rng_uniform_int(s->random, count)];
        if (!candidates_neighbour(s->candidates, search_point(s, i), 1, one) &&
            !candidates_neighbour(s->candidates, search_point(s, i), 2, one))
            continue;
        double mean = believe_point(s, one).mean;
        if (!(mean >= least)) {
            found = true;
            least = mean;
            memcpy(point, one, n * sizeof *one);
        }
    }
    arena_reset(s->scratch);
    return found;
}

/* The next of the batch that is still there. */
static bool batch_point(Search *s, uint16_t *point)
{
    size_t n = s->space.parameters;
    if (s->batch.next == s->batch.count && !batch_make(s))
        return false;
    memcpy(point, s->batch.points + s->batch.next++ * n, n * sizeof *point);
    return true;
}

/* The next of what was fastest elsewhere; it need not be valid here. */
static bool starter_point(Search *s, uint16_t *point)
{
    if (s->starter_next == s->starter_count)
        return false;
    memcpy(point, s->starters + s->starter_next++ * s->space.parameters,
           s->space.parameters * sizeof *point);
    return true;
}

static bool is_spread_turn(const Search *s)
{
    size_t few = SPREAD_FEW + s->options.workers;
    return s->compile_turn < (few < SPREAD_COMPILES ? few : SPREAD_COMPILES) ||
           s->compile_turn < s->starter_count + SPREAD_COMPILES / 2;
}

/* By the model, or one of the other ways when it is their turn. */
static bool choose_point(Search *s, uint16_t *point, Chosen *by)
{
    size_t turn = s->compile_turn;
    *by = BY_STARTER;
    if (starter_point(s, point))
        return true;
    *by = BY_SEARCH;
    if (is_spread_turn(s))
        return spread_point(s, point);
    if (turn % 4 == 0 && local_point(s, point))
        return true;
    if (turn % 16 != 1 && batch_point(s, point))
        return true;
    *by = BY_CHANCE;
    return candidates_random(s->candidates, point);
}

bool search_next_compile(Search *s, size_t *number)
{
    uint16_t *point = memory_new((s->space.parameters + 1) * sizeof *point);
    Chosen by;
    bool found = choose_point(s, point, &by);
    while (found && !candidates_take(s->candidates, point)) /* a batch grows old */
        found = choose_point(s, point, &by);
    s->none_left = !found;
    if (found) {
        s->compile_turn++;
        *number = add_row(s, point);
        s->rows[*number].by = by;
        s->rows[*number].said = believe_point(s, point);
    }
    free(point);
    return found;
}

/* --- what to time ----------------------------------------------------------------------------- */

typedef struct Waiting {
    size_t *rows;
    double *means;
    size_t count;
} Waiting;

static Waiting waiting(Search *s)
{
    Waiting w = {.rows = ARENA_ARRAY(s->scratch, size_t, s->count)};
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].state == ROW_COMPILED)
            w.rows[w.count++] = i;
    return w;
}

/* Unknown ones come last. */
static bool less(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

static size_t least_predicted(const Search *s, const size_t *rows, size_t count)
{
    size_t best = rows[0];
    for (size_t k = 1; k < count; k++)
        if (less(s->rows[rows[k]].predicted, s->rows[best].predicted))
            best = rows[k];
    return best;
}

/* Those as near to the best as any within 2 parameters, in place. */
static size_t nearest(const Search *s, size_t *rows, size_t count)
{
    for (unsigned distance = 1; distance <= 2; distance++) {
        size_t near = 0;
        for (size_t k = 0; k < count; k++) {
            unsigned d =
                differing(search_point(s, rows[k]), search_point(s, s->best), s->space.parameters);
            if (d != distance)
                continue;
            size_t swap = rows[near];
            rows[near++] = rows[k];
            rows[k] = swap;
        }
        if (near > 0)
            return near;
    }
    return 0;
}

static size_t neighbour_row(Search *s, Waiting *w)
{
    size_t near = s->best == NO_NUMBER ? 0 : nearest(s, w->rows, w->count);
    if (near == 0)
        return NO_NUMBER;
    if (gsl_rng_uniform(s->random) < 0.5)
        return least_predicted(s, w->rows, near);
    return w->rows[gsl_rng_uniform_int(s->random, near)];
}

/* Candidate on the front of what is compiled?  One per number, in `a`. */
static bool *search_front(Arena *a, const Search *s)
{
    double *bound = ARENA_ARRAY(a, double, s->count), *latency = ARENA_ARRAY(a, double, s->count);
    bool *alive = ARENA_ARRAY(a, bool, s->count), *front = ARENA_ARRAY(a, bool, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const Row *r = &s->rows[i];
        bound[i] = r->bound;
        latency[i] = r->latency;
        alive[i] = r->state == ROW_COMPILED || r->state == ROW_TRYING || r->state == ROW_TIMED;
    }
    Criterion by[] = {{bound, false}, {latency, false}};
    FrontInput in = {.criteria = by, .criteria_count = 2, .points = s->count, .alive = alive};
    Front f = front_build(a, &in, 1);
    for (size_t i = 0; i < s->count; i++)
        front[i] = f.layer[i] == 0;
    return front;
}

enum { LOOKED_AT = 200, LOOKED_BEST = 150 };

/* The fastest if one is lucky: the mean less one deviation, of the best means and some others. */
static size_t lucky_row(Search *s, const Model *m, const Waiting *w)
{
    double *means = ARENA_ARRAY(s->scratch, double, w->count), least = INFINITY;
    Ranked *all = ARENA_ARRAY(s->scratch, Ranked, w->count);
    size_t best = w->rows[0];
    believe_rows(s, m, w->rows, w->count, means);
    for (size_t k = 0; k < w->count; k++)
        all[k] = (Ranked){means[k], w->rows[k]};
    stats_rank(all, w->count);
    for (size_t k = 0; k < w->count && k < LOOKED_AT; k++) {
        if (w->count > LOOKED_AT && k >= LOOKED_BEST) { /* a random one of those after it */
            size_t other = k + gsl_rng_uniform_int(s->random, w->count - k);
            Ranked swap = all[k];
            all[k] = all[other];
            all[other] = swap;
        }
        if (all[k].key - believe_deviation_most(s, m, all[k].at) >= least)
            continue;
        double lucky = all[k].key - believe_deviation(s, m, all[k].at);
        if (lucky < least) {
            least = lucky;
            best = all[k].at;
        }
    }
    return best;
}

static size_t front_row(Search *s, const Waiting *w)
{
    const bool *front = search_front(s->scratch, s);
    size_t *rows = ARENA_ARRAY(s->scratch, size_t, w->count), count = 0;
    for (size_t k = 0; k < w->count; k++)
        if (front[w->rows[k]])
            rows[count++] = w->rows[k];
    const Waiting on_it = {.rows = rows, .count = count};
    return count > 0 ? lucky_row(s, &s->time_model, &on_it) : NO_NUMBER;
}

static size_t starter_row(const Search *s, const Waiting *w)
{
    for (size_t k = 0; k < w->count; k++)
        if (s->rows[w->rows[k]].by == BY_STARTER)
            return w->rows[k];
    return NO_NUMBER;
}

/* Are times more often in the order of predictions than in the other? */
static bool is_in_order(const Search *s)
{
    int order = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < i && s->rows[i].state == ROW_TIMED; k++) {
            double times = s->rows[i].time - s->rows[k].time,
                   predicted = s->rows[i].predicted - s->rows[k].predicted;
            order += (times * predicted > 0) - (times * predicted < 0);
        }
    return order >= 0;
}

/* Did the times so far bear predictions out?  Of the time model as it is. */
static bool model_believes_predictions(const Search *s)
{
    return process_shape(s->time_model.process)->slope[0] > 0;
}

/* Nothing but so few trials is budgeted that they teach little. */
static bool is_few(const Search *s)
{
    const SearchOptions *o = &s->options;
    return o->trials > 0 && o->trials <= BLIND_FROM && !(o->seconds > 0) && o->compiles == 0;
}

/* Then none is spent on chance, as long as predictions are worth something. */
static bool is_by_few(const Search *s)
{
    return is_few(s) && (s->trial_turn < ORDER_SHOWN || is_in_order(s));
}

static size_t choose_row(Search *s, Waiting *w)
{
    size_t turn = s->trial_turn, row;
    bool modelled = model_times(s, &s->time_model);
    bool by_few = is_by_few(s), few_modelled = by_few && model_times(s, &s->few_model);
    bool blind = turn >= BLIND_FROM && turn % 4 == 1 && model_times(s, &s->blind_model);
    *w = waiting(s);
    row = starter_row(s, w);
    if (row != NO_NUMBER)
        return row;
    if (by_few)
        return few_modelled ? lucky_row(s, &s->few_model, w)
                            : least_predicted(s, w->rows, w->count);
    if (turn % 16 == 8)
        row = w->rows[gsl_rng_uniform_int(s->random, w->count)];
    else if (turn % 4 == 3)
        row = neighbour_row(s, w);
    if (row != NO_NUMBER)
        return row;
    if (!modelled)
        return is_in_order(s) ? least_predicted(s, w->rows, w->count)
                              : w->rows[gsl_rng_uniform_int(s->random, w->count)];
    if (blind)
        row = lucky_row(s, &s->blind_model, w);
    else if (turn < STARTERS + FRONT_TRIALS && model_believes_predictions(s))
        row = front_row(s, w);
    return row != NO_NUMBER ? row : lucky_row(s, &s->time_model, w);
}

static bool is_trying(const Search *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].state == ROW_TRYING)
            return true;
    return false;
}

/* Of few trials the first ones are not for what happens to be compiled first: predictions choose
 * well where there is something to choose from.  And each is chosen by what all before it say. */
static bool is_to_wait(const Search *s)
{
    return is_few(s) && (is_trying(s) || (s->compiled < COMPILES_FIRST && !s->none_left &&
                                          candidates_left(s->candidates) != 0));
}

bool search_next_trial(Search *s, size_t *number)
{
    bool any = false;
    if (is_to_wait(s))
        return false;
    for (size_t i = 0; i < s->count && !any; i++)
        any = s->rows[i].state == ROW_COMPILED;
    if (!any)
        return false;
    Waiting w;
    *number = choose_row(s, &w);
    s->trial_turn++;
    Row *r = &s->rows[*number];
    r->state = ROW_TRYING;
    arena_reset(s->scratch);
    if (model_times(s, &s->time_model))
        r->believed = believe_row(s, &s->time_model, *number);
    return true;
}

/* --- what came of it -------------------------------------------------------------------------- */

static void note_error(Errors *e, const Belief *said, double is)
{
    if (isnan(said->mean) || isnan(is))
        return;
    size_t at = e->count++ % ERRORS_KEPT;
    e->last[at] = is - said->mean;
    e->scaled[at] = e->last[at] / said->deviation;
}

void search_compiled(Search *s, size_t number, const SearchCompiled *c)
{
    Row *r = &s->rows[number];
    s->version++;
    s->compiled += !c->unasked;
    s->failed += c->failed && !c->unasked;
    r->state = c->failed ? ROW_FAILED : ROW_COMPILED;
    r->predicted = c->predicted > 0 && isfinite(c->predicted) ? log(c->predicted) : NAN;
    r->variance = c->variance > 0 ? c->variance : 0;
    r->bound = c->bound;
    r->latency = c->latency;
    for (int k = 0; c->shares && k < TABLE_PARTS; k++)
        r->shares[k] = isfinite(c->shares[k]) ? c->shares[k] : 0;
    if (c->failed || c->same_as == NO_NUMBER)
        return;
    r->same_as = s->rows[c->same_as].same_as;
    r->state = ROW_SAME;
    s->same++;
    note_error(&s->before, &r->said, row_time(s, number));
}

void search_trying(Search *s, size_t number)
{
    s->rows[number].state = ROW_TRYING;
}

static void note_random(Search *s, const Row *r, double best_before)
{
    if (r->by != BY_CHANCE)
        return;
    s->random_seen++;
    s->random_better += r->time < best_before + log(0.99);
}

void search_timed(Search *s, size_t number, double time)
{
    Row *r = &s->rows[number];
    bool right = time > 0 && isfinite(time);
    double before = s->best == NO_NUMBER ? INFINITY : s->rows[s->best].time;
    s->version++;
    s->timed++;
    s->since_gain++;
    r->state = right ? ROW_TIMED : ROW_FAILED;
    r->time = right ? log(time) : NAN;
    if (!right)
        return;
    s->right++;
    note_error(&s->before, &r->said, r->time);
    note_error(&s->after, &r->believed, r->time);
    note_random(s, r, before);
    if (r->time < before)
        s->best = number;
    bool is_start = is_drawn_from(s) && s->starts < STARTS;
    if (number >= s->first && r->time < s->gain_from - (is_start ? gain_of_start : gain_least)) {
        s->gain_from = r->time;
        s->since_gain = 0;
        s->gain_compiles = s->compiled;
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

static bool is_exhausted(const Search *s)
{
    if (candidates_left(s->candidates) > 0)
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].state == ROW_ASKED || s->rows[i].state == ROW_COMPILED ||
            s->rows[i].state == ROW_TRYING)
            return false;
    return true;
}

/* In a large space what a search meets first decides which kind of kernels it looks at, and what it
 * then knows of them keeps it there.  So it starts anew, as if it knew nothing, once a start brings
 * no more than others could, and at last goes on with what all of them found. */
static void start_anew(Search *s)
{
    bool last = ++s->starts == STARTS;
    s->first = last ? 0 : s->count;
    s->gain_from = last ? s->rows[s->best].time : INFINITY;
    s->since_gain = 0;
    s->gain_compiles = s->compiled;
    s->time_model.process = s->blind_model.process = s->few_model.process = s->space_model.process =
        NULL;
    s->batch.count = s->batch.next = 0;
    s->expected_timed = SIZE_MAX;
    if (!last)
        s->compile_turn = s->trial_turn = 0;
}

SearchEnd search_end(Search *s, double seconds)
{
    const SearchOptions *o = &s->options;
    if (is_exhausted(s))
        return SEARCH_EXHAUSTED;
    if (o->seconds > 0 && seconds >= o->seconds)
        return SEARCH_SECONDS;
    if (o->trials > 0 && s->timed >= o->trials)
        return SEARCH_TRIALS;
    if (o->compiles > 0 && s->compiled >= o->compiles)
        return SEARCH_COMPILES;
    bool again = s->starts < STARTS && is_drawn_from(s) && s->right > 0;
    if (again && s->since_gain >= START_IN_VAIN)
        start_anew(s);
    if (o->endless || again)
        return SEARCH_GOES_ON;
    if (s->right == 0)
        return s->failed + s->timed >= FAILURES_IN_VAIN ? SEARCH_NO_GAIN : SEARCH_GOES_ON;
    if (s->compiled < s->gain_compiles + COMPILES_IN_VAIN && candidates_left(s->candidates) > 0)
        return SEARCH_GOES_ON;
    if (s->since_gain >= TRIALS_IN_VAIN && expected_up_to(s, expected_some) < expected_some)
        return SEARCH_NO_GAIN;
    if (s->since_gain >= TRIALS_AT_MOST)
        return SEARCH_NO_GAIN;
    if (s->since_gain >= TRIALS_EXPECTED && 2 * s->since_gain >= s->timed &&
        expected_up_to(s, expected_none) < expected_none)
        return SEARCH_NOT_EXPECTED;
    return SEARCH_GOES_ON;
}

const char *search_end_text(SearchEnd e)
{
    static const char *const texts[SEARCH_ENDS] = {
        [SEARCH_GOES_ON] = "it goes on",
        [SEARCH_EXHAUSTED] = "everything was compiled and timed",
        [SEARCH_NO_GAIN] = "the last trials brought no gain of 0.2 %",
        [SEARCH_NOT_EXPECTED] = "nothing better is expected",
        [SEARCH_SECONDS] = "the seconds are over",
        [SEARCH_TRIALS] = "the trials are used up",
        [SEARCH_COMPILES] = "the compiles are used up",
    };
    return texts[e];
}

static SearchErrors summarize(const Errors *e)
{
    double all[ERRORS_KEPT];
    size_t n = e->count < ERRORS_KEPT ? e->count : ERRORS_KEPT;
    if (n == 0)
        return (SearchErrors){0, NAN, NAN};
    for (size_t i = 0; i < n; i++)
        all[i] = 100 * fabs(expm1(e->last[i]));
    gsl_sort(all, 1, n);
    return (SearchErrors){e->count, (all[(n - 1) / 2] + all[n / 2]) / 2, all[9 * (n - 1) / 10]};
}

SearchState search_state(const Search *s)
{
    SearchState state = {.compiled = s->compiled,
                         .failed = s->failed,
                         .same = s->same,
                         .timed = s->timed,
                         .best = s->best,
                         .best_time = s->best == NO_NUMBER ? NAN : exp(s->rows[s->best].time),
                         .since_gain = s->since_gain,
                         .left = candidates_left(s->candidates),
                         .before = summarize(&s->before),
                         .after = summarize(&s->after),
                         .random = s->random_seen,
                         .random_better = s->random_better};
    return state;
}

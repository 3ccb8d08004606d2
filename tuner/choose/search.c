#include "tuner/choose/search_parts.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_sort.h>
#include <limits.h>
#include <stdlib.h>

/* Smaller gains do not count, at the end of a search and at the end of one of several starts. */
static const double gain_least = 0.002, gain_of_start = 0.01;

/* Expected number of better ones that counts as none, and as some. */
static const double expected_none = 0.05, expected_some = 1;

enum {
    TRIALS_IN_VAIN = 200,  /* without a gain that end a search, … */
    TRIALS_AT_MOST = 400,  /* … if better ones are expected, … */
    TRIALS_EXPECTED = 100, /* … and if none is */
    COMPILES_IN_VAIN =
        200,            /* needed as well: with few workers everything compiled is timed, so trials
                               alone show no choice */
    STARTS = 3,         /* where the space is too large to look at all of it; each ends after … */
    START_IN_VAIN = 60, /* … this many trials without a gain */
    FAILURES_IN_VAIN = 200, /* without a single success */
    SPREAD_COMPILES = 8,  /* first compiles, which lie far from each other; with few workers … */
    SPREAD_FEW = 4,       /* … this many and one for each worker */
    SPREAD_OF = 16,       /* random points, of which the farthest is compiled */
    FASTEST = 3,          /* rows whose neighbours are compiled: … */
    LOCAL_OF = 8,         /* … of this many random ones the best believed */
    ORDER_SHOWN = 4,      /* trials that show whether predictions order them */
    COMPILES_FIRST = 100, /* before the first trial, when only few trials are budgeted */
    BLIND_FROM = 24       /* trials; with fewer, predictions find more than times alone do */
};

enum { MODELS = 4 };

static Model *model_of(Search *s, int m)
{
    Model *const all[MODELS] = {&s->time_model, &s->blind_model, &s->few_model, &s->space_model};
    return all[m];
}

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
                  .version = 1,
                  .time_model = {.by_code = true, .by_learned = true},
                  .few_model = {.by_code = true, .by_learned = true, .by_units = true},
                  .space_model = {.by_learned = true}};
    if (s->options.workers == 0)
        s->options.workers = 1;
    s->parameters = space->parameters < PROCESS_PARAMETERS ? space->parameters : PROCESS_PARAMETERS;
    s->point = ARENA_ARRAY(a, uint16_t, space->parameters);
    s->random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(s->random, o->seed + 1);
    s->candidates = candidates_new(a, space, s->random);
    for (int m = 0; m < MODELS; m++)
        model_of(s, m)->arena = arena_new();
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
    for (int m = 0; m < MODELS; m++)
        arena_free(model_of(s, m)->arena);
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
    size_t room = s->room;
    s->points = vec_grow(s->arena, s->points, s->count, &room, n * sizeof *s->points);
    s->rows = vec_grow(s->arena, s->rows, s->count, &s->room, sizeof *s->rows);
    s->rows[s->count] = (Row){.predicted = NAN,
                              .learned = search_learned(s, point),
                              .time = NAN,
                              .same_as = s->count,
                              .before = {NAN, NAN},
                              .after = {NAN, NAN}};
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

static bool has_row(const Search *s, RowState state)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].state == state)
            return true;
    return false;
}

unsigned differing(const uint16_t *a, const uint16_t *b, size_t n)
{
    unsigned count = 0;
    for (size_t p = 0; p < n; p++)
        count += a[p] != b[p];
    return count;
}

/* --- what to compile -------------------------------------------------------------------------- */

/* Of some random points the one farthest from all that were asked for. */
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

/* Writes up to `most` of the fastest rows; returns how many. */
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

/* A neighbour of one of the fastest rows: the best of some random ones by the space model, or any while that
 * is not fitted to times. */
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

static bool batch_point(Search *s, uint16_t *point)
{
    size_t n = s->space.parameters;
    if (s->batch.next == s->batch.count && !batch_make(s))
        return false;
    memcpy(point, s->batch.points + s->batch.next++ * n, n * sizeof *point);
    return true;
}

/* The next of those that were fastest elsewhere; it need not be valid here. */
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
    size_t workers = s->options.workers, few = SPREAD_FEW + workers;
    return s->compile_turn < workers || /* all that begin know nothing of each other */
           s->compile_turn < (few < SPREAD_COMPILES ? few : SPREAD_COMPILES) ||
           s->compile_turn < s->starter_count + SPREAD_COMPILES / 2;
}

/* By the space model, or in one of the other ways when it is their turn. */
static bool choose_point(Search *s, uint16_t *point, Origin *by)
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
    uint16_t *point = s->point;
    Origin by;
    bool found = choose_point(s, point, &by);
    while (found && !candidates_take(s->candidates, point)) /* a batch becomes stale */
        found = choose_point(s, point, &by);
    s->none_left = !found;
    if (found) {
        s->compile_turn++;
        *number = add_row(s, point);
        s->rows[*number].by = by;
        s->rows[*number].before = believe_point(s, point);
    }
    return found;
}

/* --- what to time ----------------------------------------------------------------------------- */

Waiting waiting(Search *s)
{
    Waiting w = {.rows = ARENA_ARRAY(s->scratch, size_t, s->count)};
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].state == ROW_COMPILED)
            w.rows[w.count++] = i;
    return w;
}

/* Unknown predictions come last. */
static size_t least_predicted(const Search *s, const size_t *rows, size_t count)
{
    size_t best = rows[0];
    for (size_t k = 1; k < count; k++) {
        double least = s->rows[best].predicted, x = s->rows[rows[k]].predicted;
        if (x < least || (isnan(least) && !isnan(x)))
            best = rows[k];
    }
    return best;
}

/* Keeps those nearest to the best row, at most 2 parameters away, if there are any. */
static void keep_nearest(const Search *s, Waiting *w)
{
    for (unsigned distance = 1; distance <= 2 && s->best != NO_NUMBER; distance++) {
        size_t near = 0;
        for (size_t k = 0; k < w->count; k++) {
            size_t row = w->rows[k];
            if (differing(search_point(s, row), search_point(s, s->best), s->space.parameters) !=
                distance)
                continue;
            w->rows[k] = w->rows[near];
            w->rows[near++] = row;
        }
        if (near > 0) {
            w->count = near;
            return;
        }
    }
}

enum { LOOKED_AT = 200, LOOKED_BEST = 150 };

/* The least mean less one deviation (lower confidence bound), of the best means and some others. */
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
        double lucky = all[k].key - believe_deviation(s, m, all[k].at);
        if (lucky < least) {
            least = lucky;
            best = all[k].at;
        }
    }
    return best;
}

static size_t starter_row(const Search *s, const Waiting *w)
{
    for (size_t k = 0; k < w->count; k++)
        if (s->rows[w->rows[k]].by == BY_STARTER)
            return w->rows[k];
    return NO_NUMBER;
}

/* True if pairs of times are more often in the order of predictions than in the opposite one. */
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

/* True if the only budget is one of so few trials that models learn little from them. */
static bool is_few(const Search *s)
{
    const SearchOptions *o = &s->options;
    return o->trials > 0 && o->trials <= BLIND_FROM && !(o->seconds > 0) && o->compiles == 0;
}

static size_t choose_row(Search *s, Waiting *w)
{
    size_t turn = s->trial_turn, row;
    bool modelled = model_times(s, &s->time_model);
    /* Of few trials none is left to chance, as long as predictions are worth something. */
    bool by_few = is_few(s) && (turn < ORDER_SHOWN || is_in_order(s));
    bool few_modelled = by_few && model_times(s, &s->few_model);
    bool blind = turn >= BLIND_FROM && turn % 4 == 1 && model_times(s, &s->blind_model);
    *w = waiting(s);
    row = starter_row(s, w);
    if (row != NO_NUMBER)
        return row;
    if (by_few)
        return few_modelled ? lucky_row(s, &s->few_model, w)
                            : least_predicted(s, w->rows, w->count);
    if (turn % 16 == 14) /* not earlier: the first trials are worth the most */
        return w->rows[gsl_rng_uniform_int(s->random, w->count)];
    if (turn % 4 == 3)
        keep_nearest(s, w);
    if (!modelled)
        return is_in_order(s) ? least_predicted(s, w->rows, w->count)
                              : w->rows[gsl_rng_uniform_int(s->random, w->count)];
    return lucky_row(s, blind ? &s->blind_model : &s->time_model, w);
}

/* Few trials wait until there is enough to choose from, since predictions then choose well, and until
 * all trials before have ended. */
static bool is_to_wait(const Search *s)
{
    return is_few(s) && (has_row(s, ROW_TRYING) || (s->compiled < COMPILES_FIRST && !s->none_left &&
                                                    candidates_left(s->candidates) != 0));
}

bool search_next_trial(Search *s, size_t *number)
{
    if (is_to_wait(s) || !has_row(s, ROW_COMPILED))
        return false;
    Waiting w;
    *number = choose_row(s, &w);
    s->trial_turn++;
    Row *r = &s->rows[*number];
    r->state = ROW_TRYING;
    arena_reset(s->scratch);
    if (model_times(s, &s->time_model))
        r->after = believe_row(s, &s->time_model, *number);
    return true;
}

/* --- what came of it -------------------------------------------------------------------------- */

static void note_error(Errors *e, const Belief *b, double time)
{
    if (isnan(b->mean) || isnan(time))
        return;
    size_t at = e->count++ % ERRORS_KEPT;
    e->last[at] = time - b->mean;
    e->scaled[at] = e->last[at] / b->deviation;
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
    for (int k = 0; c->shares && k < TABLE_PARTS; k++)
        r->shares[k] = isfinite(c->shares[k]) ? c->shares[k] : 0;
    if (c->failed || c->same_as == NO_NUMBER)
        return;
    r->same_as = s->rows[c->same_as].same_as;
    r->state = ROW_SAME;
    s->same++;
    note_error(&s->before, &r->before, row_time(s, number));
}

void search_trying(Search *s, size_t number)
{
    s->rows[number].state = ROW_TRYING;
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
    note_error(&s->before, &r->before, r->time);
    note_error(&s->after, &r->after, r->time);
    if (r->by == BY_CHANCE) {
        s->random_seen++;
        s->random_better += r->time < before + log(0.99);
    }
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
    return !(candidates_left(s->candidates) > 0 || has_row(s, ROW_ASKED) ||
             has_row(s, ROW_COMPILED) || has_row(s, ROW_TRYING));
}

/* In a large space the first points decide which kind of kernels a search looks at, and what it then
 * learns about them keeps it there.  So when a start no longer gains, the search restarts as if it knew
 * nothing, and after the last start goes on with what all of them found. */
static void restart(Search *s)
{
    bool last = ++s->starts == STARTS;
    s->first = last ? 0 : s->count;
    s->gain_from = last ? s->rows[s->best].time : INFINITY;
    s->since_gain = 0;
    s->gain_compiles = s->compiled;
    for (int m = 0; m < MODELS; m++)
        model_of(s, m)->process = NULL;
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
        restart(s);
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
        [SEARCH_GOES_ON] = "it has not ended",
        [SEARCH_EXHAUSTED] = "everything was compiled and timed",
        [SEARCH_NO_GAIN] = "the last trials brought no gain of 0.2 %",
        [SEARCH_NOT_EXPECTED] = "nothing better is expected",
        [SEARCH_SECONDS] = "the seconds are used up",
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
    return (SearchState){.compiled = s->compiled,
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
}

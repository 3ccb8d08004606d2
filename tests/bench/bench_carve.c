/* How good is the default carving, beyond the few spaces there are?  Of each recorded space random
 * sub-spaces are drawn (parameters fixed or values dropped), each is carved by several rules with
 * the default budget, and the regret of each rule is counted over all of them.
 *
 *     bench_carve [--worse PERCENT] [--from N --to N] [--count N] SPEC …
 *
 * --worse makes every prediction wrong by a normal deviate of so much for every value of every
 * parameter, divided by the root of the number of parameters: what would the rules do on a space
 * that the profile understands less?  Nothing of this is timed; times are the recordings'. */
#include "metrics/base/file.h"
#include "metrics/base/random.h"
#include "tuner/choose/carve.h"
#include "tuner/choose/polish.h"
#include "tuner/run/run_parts.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- random numbers --------------------------------------------------------------------------- */

static uint64_t random_next(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    const double pi = 3.14159265358979323846;
    return sqrt(-2 * log(uniform(state))) * cos(2 * pi * uniform(state));
}

/* --- a recorded space ------------------------------------------------------------------------- */

typedef struct Timed {
    size_t count, parameters;
    uint32_t *values;
    double *times, *predicted, *bound, *latency;
} Timed;

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

/* Runs the tuner up to the metrics, without a GPU.  False after messages. */
static bool open_run(Run *r, const char *space)
{
    *r->diag = diag_new(r->arena);
    r->options = (RunOptions){.space = space, .no_gpu = true, .output = "aptune-out", .jobs = 1};
    r->home.compile_helper = r->home.gpu_helper = "none";
    r->home.cuda_folder = SOURCE_DIR "/.cuda";
    r->home.compare_source = SOURCE_DIR "/tuner/gpu/compare.cu";
    r->home.metric_files = metric_files;
    r->home.metric_file_count = 2;
    if (run_open(r) && r->recorded.times && run_compile(r) && r->recorded.profiles)
        return run_carve(r), true;
    Buf said = {0};
    diag_print(r->diag, &said);
    fprintf(stderr, "%s%s: no recording with profiles\n", buf_text(&said), space);
    buf_free(&said);
    return false;
}

/* Every distinct code that ran right. */
static Timed take_table(Run *r)
{
    Timed t = {.parameters = r->spec->parameter_count};
    size_t n = r->table->count;
    const uint32_t *values = r->table->values;
    const double *predicted = table_column(r->arena, r->table, "predicted_cycles"),
                 *bound = table_column(r->arena, r->table, "bound_cycles"),
                 *latency = table_column(r->arena, r->table, "latency_cycles");
    t.values = ARENA_ARRAY(r->arena, uint32_t, n * t.parameters);
    t.times = ARENA_ARRAY(r->arena, double, n);
    t.predicted = ARENA_ARRAY(r->arena, double, n);
    t.bound = ARENA_ARRAY(r->arena, double, n);
    t.latency = ARENA_ARRAY(r->arena, double, n);
    for (size_t i = 0; i < n; i++) {
        run_take_outcome(r, i);
        double median = r->table->times[i].median;
        if (r->table->same_as[i] != i || isnan(median))
            continue;
        memcpy(t.values + t.count * t.parameters, values + i * t.parameters,
               t.parameters * sizeof *values);
        t.times[t.count] = median;
        t.predicted[t.count] = predicted[i];
        t.bound[t.count] = bound[i];
        t.latency[t.count++] = latency[i];
    }
    return t;
}

enum { VALUES_MOST = 64 };

static void make_worse(Timed *t, double percent, uint64_t *seed)
{
    double deviation = percent / 100 / sqrt((double)t->parameters);
    for (size_t p = 0; p < t->parameters; p++) {
        double off[VALUES_MOST];
        for (size_t v = 0; v < VALUES_MOST; v++)
            off[v] = exp(deviation * normal(seed));
        for (size_t i = 0; i < t->count; i++)
            t->predicted[i] *= off[t->values[i * t->parameters + p] % VALUES_MOST];
    }
}

/* --- sub-spaces ------------------------------------------------------------------------------- */

/* Keeps, or drops, all with that value of that parameter; gives how many are left. */
static size_t restrict_to(const Timed *t, const bool *in, size_t p, uint32_t value, bool keep,
                          bool *out)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        out[i] = in[i] && (t->values[i * t->parameters + p] == value) == keep;
        count += out[i];
    }
    return count;
}

/* A random member of the sub-space. */
static size_t any_of(const Timed *t, const bool *in, uint64_t *seed)
{
    for (;;) {
        size_t i = random_next(seed) % t->count;
        if (in[i])
            return i;
    }
}

/* Fixes parameters and drops values until about a target is left, drawn evenly on a logarithmic
 * scale. */
static void draw_space(const Timed *t, size_t from, size_t to, uint64_t *seed, bool *in)
{
    enum { TRIES = 200 };
    Arena *a = arena_new();
    bool *next = ARENA_ARRAY(a, bool, t->count);
    double target = (double)from * pow((double)to / (double)from, uniform(seed));
    size_t count = t->count;
    for (size_t i = 0; i < t->count; i++)
        in[i] = true;
    for (int k = 0; k < TRIES && (double)count > target; k++) {
        size_t p = random_next(seed) % t->parameters;
        uint32_t value = t->values[any_of(t, in, seed) * t->parameters + p];
        size_t left = restrict_to(t, in, p, value, random_next(seed) % 2, next);
        if ((double)left < 0.7 * target)
            continue;
        memcpy(in, next, t->count * sizeof *in);
        count = left;
    }
    arena_free(a);
}

/* A table of those members alone. */
static Timed sub_table(Arena *a, const Timed *t, const bool *in)
{
    Timed s = {.parameters = t->parameters};
    s.values = ARENA_ARRAY(a, uint32_t, t->count * t->parameters);
    s.times = ARENA_ARRAY(a, double, t->count);
    s.predicted = ARENA_ARRAY(a, double, t->count);
    s.bound = ARENA_ARRAY(a, double, t->count);
    s.latency = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        if (!in[i])
            continue;
        memcpy(s.values + s.count * s.parameters, t->values + i * t->parameters,
               t->parameters * sizeof *t->values);
        s.times[s.count] = t->times[i];
        s.predicted[s.count] = t->predicted[i];
        s.bound[s.count] = t->bound[i];
        s.latency[s.count++] = t->latency[i];
    }
    return s;
}

/* --- rules: the best time of those that a rule times ------------------------------------------ */

static double least(const Timed *t, const bool *timed)
{
    double best = INFINITY;
    for (size_t i = 0; i < t->count; i++)
        if (timed[i])
            best = fmin(best, t->times[i]);
    return best;
}

static PosteriorInput posterior_input(const Timed *t)
{
    return (PosteriorInput){t->predicted, NULL, t->count, t->values, t->parameters};
}

/* Times of what was timed, NaN for others. */
static double *times_of(Arena *a, const Timed *t, const bool *timed)
{
    double *times = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++)
        times[i] = timed[i] ? t->times[i] : NAN;
    return times;
}

typedef struct Timing {
    const Timed *table;
    bool *timed;
} Timing;

static bool look_up(void *context, const size_t *points, size_t count, double *times)
{
    const Timing *x = context;
    for (size_t k = 0; k < count; k++) {
        x->timed[points[k]] = true;
        times[points[k]] = x->table->times[points[k]];
    }
    return true;
}

static void polish(Arena *a, const Timed *t, size_t budget, bool *timed)
{
    PosteriorInput in = posterior_input(t);
    bool ok;
    polish_spend(a, &in, timed, times_of(a, t, timed), budget, look_up, &(Timing){t, timed}, &ok);
}

static void choose_spread(Arena *a, const Timed *t, size_t budget, bool *timed)
{
    PosteriorInput in = posterior_input(t);
    Posterior *b = posterior_new(a, &in);
    for (size_t k = 0; k < budget; k++) {
        size_t next = posterior_next(b, NULL);
        if (next == POINT_NONE)
            return;
        posterior_choose(b, next);
        timed[next] = true;
    }
}

static void choose_best(Arena *a, const Timed *t, size_t budget, bool *timed)
{
    size_t *order = ARENA_ARRAY(a, size_t, t->count);
    for (size_t i = 0; i < t->count; i++)
        order[i] = i;
    const Criterion by = {t->predicted, false};
    stats_order(order, t->count, &by, 1);
    for (size_t k = 0; k < budget && k < t->count; k++)
        timed[order[k]] = true;
}

static void choose_layers(Arena *a, const Timed *t, size_t budget, bool *timed)
{
    const Criterion two[] = {{t->bound, false}, {t->latency, false}};
    const FrontInput in = {two, 2, t->count, NULL, FRONT_DROP};
    Front f = front_build(a, &in, budget);
    double *layer = ARENA_ARRAY(a, double, t->count);
    size_t *order = ARENA_ARRAY(a, size_t, t->count);
    for (size_t i = 0; i < t->count; i++) {
        layer[i] = f.layer[i];
        order[i] = i;
    }
    const Criterion by[] = {{layer, false}, {t->predicted, false}};
    stats_order(order, t->count, by, 2);
    for (size_t k = 0; k < budget && k < t->count; k++)
        timed[order[k]] = true;
}

/* Neighbours of the best alone, as long as there are any. */
static void neighbours(Arena *a, const Timed *t, size_t budget, bool *timed)
{
    PosteriorInput in = posterior_input(t);
    for (size_t left = budget; left > 0;) {
        Polish p = polish_new(a, &in);
        size_t next;
        for (size_t i = 0; i < t->count; i++)
            if (timed[i])
                polish_note(&p, i);
        if (polish_batch(&p, times_of(a, t, timed), &next, 1) == 0)
            return;
        timed[next] = true;
        left--;
    }
}

/* The corrected prediction alone. */
static void corrected(Arena *a, const Timed *t, size_t budget, bool *timed)
{
    PosteriorInput in = posterior_input(t);
    Posterior *b = posterior_new(a, &in);
    for (size_t i = 0; i < t->count; i++)
        if (timed[i])
            posterior_choose(b, i);
    for (size_t k = 0; k < budget; k++) {
        posterior_learn(b, times_of(a, t, timed));
        size_t next = posterior_next(b, NULL);
        if (next == POINT_NONE)
            return;
        posterior_choose(b, next);
        timed[next] = true;
    }
}

typedef void Choice(Arena *a, const Timed *t, size_t budget, bool *timed);

typedef struct Rule {
    const char *name;
    Choice *carve, *polish; /* no polish: carving has the whole budget */
} Rule;

static const Rule rules[] = {
    {"random sample", NULL, NULL},
    {"best by predicted_cycles", choose_best, NULL},
    {"best, then neighbours", choose_best, neighbours},
    {"layers of bound and latency, neighbours", choose_layers, neighbours},
    {"spread", choose_spread, NULL},
    {"spread, neighbours", choose_spread, neighbours},
    {"spread, corrected predictions", choose_spread, corrected},
    {"best, then polish", choose_best, polish},
    {"spread, then polish: the default", choose_spread, polish},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static double regret(const Rule *rule, const Timed *t)
{
    Arena *a = arena_new();
    size_t budget = budget_default(t->count), last = rule->polish ? budget_polish(budget) : 0;
    bool *timed = ARENA_ARRAY(a, bool, t->count);
    for (size_t i = 0; i < t->count; i++)
        timed[i] = true;
    double best = least(t, timed), found;
    memset(timed, 0, t->count * sizeof *timed);
    if (rule->carve) {
        rule->carve(a, t, budget - last, timed);
        if (rule->polish)
            rule->polish(a, t, last, timed);
        found = least(t, timed);
    } else {
        found = random_best_without(a, t->times, t->count, budget);
    }
    arena_free(a);
    return found / best - 1;
}

/* --- report ----------------------------------------------------------------------------------- */

static int compare(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

static void print_rule(const char *name, double *regrets, size_t count)
{
    double sum = 0;
    size_t good = 0;
    qsort(regrets, count, sizeof *regrets, compare);
    for (size_t i = 0; i < count; i++) {
        sum += regrets[i];
        good += regrets[i] <= 0.01;
    }
    printf("  %-42s %6.2f %7.2f %7.2f %7.2f %6.1f %%\n", name, 100 * sum / (double)count,
           100 * regrets[count / 2], 100 * regrets[count * 9 / 10], 100 * regrets[count - 1],
           100 * (double)good / (double)count);
}

typedef struct Options {
    double worse;
    size_t from, to, count;
} Options;

static bool bench(const char *path, const Options *o)
{
    Arena *a = arena_new();
    Run *r = ARENA_NEW(a, Run);
    *r = (Run){.arena = a, .diag = ARENA_NEW(a, Diag)};
    bool ok = open_run(r, path);
    Timed t = ok ? take_table(r) : (Timed){0};
    double *regrets = ARENA_ARRAY(a, double, RULES * o->count), sizes = 0;
    bool *in = ARENA_ARRAY(a, bool, t.count);
    uint64_t seed = 1;
    for (size_t k = 0; ok && k < o->count; k++) {
        Arena *scratch = arena_new();
        draw_space(&t, o->from, o->to, &seed, in);
        Timed s = sub_table(scratch, &t, in);
        if (o->worse > 0)
            make_worse(&s, o->worse, &seed);
        sizes += (double)s.count;
        for (size_t i = 0; i < RULES; i++)
            regrets[i * o->count + k] = regret(&rules[i], &s);
        arena_free(scratch);
    }
    if (ok)
        printf("%s: %zu codes; %zu sub-spaces of %zu to %zu, %.0f on average; regret in %%\n"
               "  %-42s %6s %7s %7s %7s %8s\n",
               path, t.count, o->count, o->from, o->to, sizes / (double)o->count, "", "mean",
               "median", "90 %", "worst", "<= 1 %");
    for (size_t i = 0; ok && i < RULES; i++)
        print_rule(rules[i].name, regrets + i * o->count, o->count);
    run_close(r);
    arena_free(a);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct option table[] = {{"worse", required_argument, NULL, 'w'},
                                          {"from", required_argument, NULL, 'f'},
                                          {"to", required_argument, NULL, 't'},
                                          {"count", required_argument, NULL, 'c'},
                                          {NULL, 0, NULL, 0}};
    Options o = {.from = 40, .to = 2000, .count = 200};
    for (int option; (option = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        if (option == 'w')
            o.worse = atof(optarg);
        else if (option == 'f')
            o.from = (size_t)atol(optarg);
        else if (option == 't')
            o.to = (size_t)atol(optarg);
        else if (option == 'c')
            o.count = (size_t)atol(optarg);
        else
            return 2;
    }
    bool ok = optind < argc && o.count > 0;
    for (int i = optind; i < argc; i++)
        ok = bench(argv[i], &o) && ok;
    return ok ? 0 : 1;
}

#include "tuner/report/study_sheets.h"

#include "metrics/base/stats.h"

#include <math.h>

#define COLUMNS(list) .columns = list, .column_count = sizeof list / sizeof list[0]

static Cell text(const char *t)
{
    return (Cell){.text = t};
}

static Cell number(double v)
{
    return (Cell){.number = v};
}

static Cell count(size_t n)
{
    return number((double)n);
}

/* 0 stands for none. */
static Cell count_or_none(size_t n)
{
    return number(n ? (double)n : NAN);
}

static const SheetColumn carving_columns[] = {
    {"space", "space", CELL_TEXT},
    {"carving", "carving", CELL_TEXT},
    {"configurations", "configs", CELL_COUNT},
    {"distinct", "distinct", CELL_COUNT},
    {"timed", "timed", CELL_COUNT},
    {"space_reduction", "space -", CELL_PERCENT},
    {"time_reduction", "time -", CELL_PERCENT},
    {"objective", "by", CELL_TEXT},
    {"best_ms", "best ms", CELL_MS},
    {"regret", "regret", CELL_PERCENT},
    {"regret_low", "from", CELL_PERCENT},
    {"regret_high", "to", CELL_PERCENT},
    {"rank", "place", CELL_COUNT},
    {"recall", "recall", CELL_PERCENT},
    {"random_regret", "random", CELL_PERCENT},
    {"random_performance", "reaches", CELL_PERCENT},
};

static const char *objective(Arena *a, const Table *s)
{
    if (table_is_by_energy(s))
        return s->objective;
    return s->objective && *s->objective ? arena_printf(a, "time per %s", s->objective) : "time";
}

static Sheet carvings(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {
        .name = "carvings",
        .title =
            "Carvings: how much smaller, how much is lost (recall: of the configurations "
            "within 1 % of the best; random: regret expected of a sample as large, and the part of "
            "the best performance that it reaches)",
        COLUMNS(carving_columns)};
    for (size_t k = 0; k < n; k++) {
        const Table *p = studies[k].points;
        if (p->profiled == 0)
            continue;
        for (size_t i = 0; i < studies[k].carving_count; i++) {
            const StudyCarving *c = &studies[k].carvings[i];
            const Judgement *j = &c->judgement;
            sheet_add(a, &s,
                      (Cell[]){text(p->name), text(c->name), count(p->count), count(p->distinct),
                               count(j->chosen), number(j->space_reduction),
                               number(j->time_reduction), text(objective(a, p)), number(j->best_ms),
                               number(j->regret), number(c->regret_low), number(c->regret_high),
                               count_or_none(j->rank), number(j->recall), number(j->random_regret),
                               number(1 / (1 + j->random_regret))});
        }
    }
    return s;
}

static const SheetColumn stage_columns[] = {
    {"space", "space", CELL_TEXT},         {"carving", "carving", CELL_TEXT},
    {"stage", "stage", CELL_COUNT},        {"before", "of", CELL_COUNT},
    {"left", "left", CELL_COUNT},          {"unknown", "unknown", CELL_COUNT},
    {"statement", "statement", CELL_TEXT},
};

/* Polish takes from what the stages have dropped, so it leaves more than there was before. */
static void add_stages(Arena *a, Sheet *s, const char *space, const StudyChoice *c)
{
    double left = NAN;
    for (size_t k = 0; k < c->stage_count; k++) {
        const StageReport *r = &c->stages[k].report;
        left = (double)r->after;
        sheet_add(a, s,
                  (Cell[]){text(space), text(c->name), count(k + 1), count(r->before), number(left),
                           count(r->unknown), text(c->stages[k].text)});
    }
    if (c->polished > 0)
        sheet_add(a, s,
                  (Cell[]){text(space), text(c->name), count(c->stage_count + 1), number(left),
                           number(left + (double)c->polished), count(0),
                           text(arena_printf(a, "polish %zu", c->polished))});
}

static Sheet stages(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "stages",
               .title = "Stages of the carvings: configurations of distinct code before and after "
                        "each (unknown: dropped, because a value in the statement is not known)",
               COLUMNS(stage_columns)};
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < studies[k].carving_count && studies[k].points->profiled > 0; i++)
            add_stages(a, &s, studies[k].points->name, studies[k].carvings[i].choice);
    return s;
}

static const SheetColumn energy_columns[] = {
    {"space", "space", CELL_TEXT}, {"configuration", "configuration", CELL_TEXT},
    {"time_ms", "ms", CELL_MS},    {"joules", "J", CELL_NUMBER},
    {"power_w", "W", CELL_NUMBER},
};

static void add_energies(Arena *a, const Table *t, Sheet *s)
{
    double *ms = ARENA_ARRAY(a, double, t->count), *joules = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        ms[i] = t->times[i].median;
        joules[i] = 1e-3 * t->ms[i];
    }
    size_t n;
    const size_t *front = stats_front(a, ms, joules, t->count, &n);
    for (size_t k = 0; k < n; k++) {
        sheet_add(a, s,
                  (Cell[]){text(t->name), text(table_name(a, t, front[k])), number(ms[front[k]]),
                           number(joules[front[k]]),
                           number(1e3 * joules[front[k]] / ms[front[k]])});
    }
}

static Sheet energies(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "energy",
               .title = "Time and energy of a run: configurations that no other one beats in both",
               COLUMNS(energy_columns)};
    for (size_t k = 0; k < n; k++)
        if (table_is_by_energy(studies[k].points))
            add_energies(a, studies[k].points, &s);
    return s;
}

static const SheetColumn sample_columns[] = {
    {"space", "space", CELL_TEXT},
    {"distinct", "distinct", CELL_COUNT},
    {"sample_90", "90 %", CELL_COUNT},
    {"sample_90_low", "from", CELL_COUNT},
    {"sample_90_high", "to", CELL_COUNT},
    {"sample_95", "95 %", CELL_COUNT},
    {"sample_95_low", "from", CELL_COUNT},
    {"sample_95_high", "to", CELL_COUNT},
    {"draws_90", "90 %, repeats", CELL_COUNT},
    {"draws_95", "95 %, repeats", CELL_COUNT},
};

static Sheet samples(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "samples",
               .title = "Random samples: how many to expect 90 and 95 % of the best performance, "
                        "without and with repeats",
               COLUMNS(sample_columns)};
    for (size_t k = 0; k < n; k++) {
        sheet_add(a, &s,
                  (Cell[]){text(studies[k].points->name), count(studies[k].points->distinct),
                           count_or_none(studies[k].sample_90), number(studies[k].sample_low[0]),
                           number(studies[k].sample_high[0]), count_or_none(studies[k].sample_95),
                           number(studies[k].sample_low[1]), number(studies[k].sample_high[1]),
                           count_or_none(studies[k].draws_90), count_or_none(studies[k].draws_95)});
    }
    return s;
}

static const SheetColumn metric_columns[] = {
    {"space", "space", CELL_TEXT},
    {"metric", "metric", CELL_TEXT},
    {"known", "known for", CELL_COUNT},
    {"unknown", "unknown for", CELL_COUNT},
    {"rank_correlation", "correlation", CELL_NUMBER},
    {"rank_correlation_low", "from", CELL_NUMBER},
    {"rank_correlation_high", "to", CELL_NUMBER},
    {"place_of_best", "place of the best", CELL_COUNT},
    {"budget", "best n", CELL_COUNT},
    {"regret", "regret", CELL_PERCENT},
    {"regret_low", "from", CELL_PERCENT},
    {"regret_high", "to", CELL_PERCENT},
    {"reason", "unknown because", CELL_TEXT},
};

static Sheet metrics(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "metrics",
               .title = "Metrics side by side: rank correlation with the time, place they give the "
                        "fastest, regret of their best n (by lot where equal: expected)",
               COLUMNS(metric_columns)};
    for (size_t k = 0; k < n; k++)
        for (size_t m = 0; m < studies[k].metric_count; m++) {
            const StudyMetric *metric = &studies[k].metrics[m];
            if (studies[k].points->profiled == 0)
                continue;
            sheet_add(
                a, &s,
                (Cell[]){text(studies[k].points->name), text(metric->name), count(metric->known),
                         count(metric->unknown), number(metric->correlation),
                         number(metric->correlation_low), number(metric->correlation_high),
                         count_or_none(metric->place), count(studies[k].budget),
                         number(metric->known ? metric->regret : NAN), number(metric->regret_low),
                         number(metric->regret_high), text(metric->reason)});
        }
    return s;
}

static const SheetColumn guess_columns[] = {
    {"space", "space", CELL_TEXT},
    {"guess", "guess", CELL_TEXT},
    {"known", "known for", CELL_COUNT},
    {"first", "first", CELL_PERCENT},
    {"best_of_8", "best of 8", CELL_PERCENT},
    {"best_of_16", "best of 16", CELL_PERCENT},
    {"rank_correlation", "correlation", CELL_NUMBER},
    {"error", "error", CELL_PERCENT},
    {"error_90", "of 9 in 10", CELL_PERCENT},
    {"within_5", "within 5 %", CELL_PERCENT},
};

static Sheet guesses(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "guesses",
               .title = "The guess at the time: the part of the best performance that its first, "
                        "the fastest of its first 8 and 16 reach; how far it is from the measured "
                        "time (median, 90th percentile, share of the points within 5 %)",
               COLUMNS(guess_columns)};
    for (size_t k = 0; k < n; k++) {
        const StudyGuess *g = &studies[k].guess;
        if (!g->metric)
            continue;
        sheet_add(a, &s,
                  (Cell[]){text(studies[k].points->name), text(g->metric), count(g->known),
                           number(g->performance[0]), number(g->performance[1]),
                           number(g->performance[2]), number(g->correlation), number(g->error),
                           number(g->error_90), number(g->within_5)});
    }
    return s;
}

static const SheetColumn budget_columns[] = {
    {"space", "space", CELL_TEXT},       {"timed", "timed", CELL_COUNT},
    {"regret", "regret", CELL_PERCENT},  {"regret_low", "from", CELL_PERCENT},
    {"regret_high", "to", CELL_PERCENT}, {"random_regret", "random", CELL_PERCENT},
};

static Sheet budgets(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "budgets",
               .title = "Size against regret: the first n by the predicted time, nothing else",
               COLUMNS(budget_columns)};
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < studies[k].budget_count; i++) {
            const StudyBudget *b = &studies[k].budgets[i];
            sheet_add(a, &s,
                      (Cell[]){text(studies[k].points->name), count(b->size), number(b->regret),
                               number(b->regret_low), number(b->regret_high),
                               number(b->random_regret)});
        }
    return s;
}

static const SheetColumn search_columns[] = {
    {"space", "space", CELL_TEXT},
    {"strategy", "strategy", CELL_TEXT},
    {"cores", "cores", CELL_COUNT},
    {"timed_1", "timed", CELL_COUNT},
    {"seconds_1", "s to 1 %", CELL_NUMBER},
    {"seconds_1_ninth", "90th", CELL_NUMBER},
    {"seconds_1_worst", "worst", CELL_NUMBER},
    {"seconds_02", "s to 0.2 %", CELL_NUMBER},
    {"seconds_02_ninth", "90th", CELL_NUMBER},
    {"seconds_02_worst", "worst", CELL_NUMBER},
    {"regret_1", "after 1 s", CELL_PERCENT},
    {"regret_10", "10 s", CELL_PERCENT},
    {"regret_100", "100 s", CELL_PERCENT},
    {"seeds", "seeds", CELL_COUNT},
};

/* A bound that was never reached is not known. */
static Cell reached(double v)
{
    return number(isinf(v) ? NAN : v);
}

static Sheet searches(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "searches",
               .title = "Strategies, played by one cost model of compiling and timing: timings and "
                        "seconds until one is within 1 and 0.2 % of the best, and the regret after "
                        "so many seconds (medians of the seeds; -: not reached)",
               COLUMNS(search_columns)};
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < studies[k].race_count; i++) {
            const Race *y = &studies[k].races[i];
            sheet_add(a, &s,
                      (Cell[]){text(studies[k].points->name), text(y->name), count(y->cores),
                               reached(y->timings.median), reached(y->percent.median),
                               reached(y->percent.ninth), reached(y->percent.worst),
                               reached(y->fifth.median), reached(y->fifth.ninth),
                               reached(y->fifth.worst), reached(y->regret[8]),
                               /* race_seconds: 1 s, 10 s, 100 s */ reached(y->regret[16]),
                               reached(y->regret[24]), count(studies[k].race_seeds)});
        }
    return s;
}

static const SheetColumn strategy_columns[] = {
    {"strategy", "strategy", CELL_TEXT},
    {"how", "how it is played", CELL_TEXT},
};

static Sheet strategies(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "strategies",
               .title = "Strategies: how they are played",
               COLUMNS(strategy_columns)};
    const Study *raced = NULL;
    for (size_t k = 0; k < n && !raced; k++)
        raced = studies[k].race_count > 0 ? &studies[k] : NULL;
    for (size_t i = 0; raced && i < raced->race_count / RACE_CORES; i++) {
        sheet_add(a, &s, (Cell[]){text(raced->races[i].name), text(raced->races[i].meaning)});
    }
    return s;
}

static const SheetColumn recording_columns[] = {
    {"space", "space", CELL_TEXT},     {"recording", "recording", CELL_TEXT},
    {"problem", "problem", CELL_TEXT}, {"device", "device", CELL_TEXT},
    {"date", "date", CELL_TEXT},       {"imported", "imported", CELL_TEXT},
};

static Sheet recordings(Arena *a, const Study *studies, size_t n)
{
    Sheet s = {.name = "recordings",
               .title = "Recordings: where the times come from",
               COLUMNS(recording_columns)};
    for (size_t k = 0; k < n; k++) {
        const Table *p = studies[k].points;
        sheet_add(a, &s,
                  (Cell[]){text(p->name), text(p->origin), text(p->problem), text(p->gpu),
                           text(p->date), text(p->imported)});
    }
    return s;
}

static const SheetColumn fit_columns[] = {
    {"left_out", "left out", CELL_TEXT},
    {"points", "points", CELL_COUNT},
    {"error", "error", CELL_PERCENT},
    {"rank_correlation", "correlation there", CELL_NUMBER},
    {"place_of_best", "place of its best", CELL_COUNT},
    {"regret", "regret there", CELL_PERCENT},
    {"regret_low", "from", CELL_PERCENT},
    {"regret_high", "to", CELL_PERCENT},
    {"formula", "time [ms] =", CELL_TEXT},
    {"singular", "arbitrary", CELL_TEXT},
};

static const char *formula(Arena *a, const FitResult *f, const MetricSet *metrics,
                           const int *numbers, size_t count)
{
    const char *sum = f->weights ? "" : "too few points";
    for (size_t m = 0; m < count && f->weights; m++)
        sum = arena_printf(a, "%s%s%.4g * %s", sum, m ? " + " : "", f->weights[m],
                           metrics->metrics.at[numbers[m]].name);
    return sum;
}

/* Metrics whose weights could as well be others. */
static const char *singular(Arena *a, const FitResult *f, const MetricSet *metrics,
                            const int *numbers, size_t count)
{
    const char *names = "";
    for (size_t m = 0; m < count; m++)
        if (f->follows[m])
            names = arena_printf(a, "%s%s%s", names, *names ? " " : "",
                                 metrics->metrics.at[numbers[m]].name);
    return names;
}

Sheet study_fit_sheet(Arena *a, const FitResult *fits, size_t count_fits, const MetricSet *metrics,
                      const int *numbers, size_t metric_count)
{
    Sheet s = {.name = "fits",
               .title =
                   "Fits of metrics to the times: root mean square error where fitted, and how "
                   "each does on the space it has not seen (arbitrary: weights of metrics that add "
                   "nothing to those before them)",
               COLUMNS(fit_columns)};
    for (size_t k = 0; k < count_fits; k++) {
        sheet_add(a, &s,
                  (Cell[]){text(fits[k].left_out ? fits[k].left_out->name : "none"),
                           count(fits[k].points), number(fits[k].error),
                           number(fits[k].correlation), count_or_none(fits[k].place),
                           number(fits[k].regret), number(fits[k].regret_low),
                           number(fits[k].regret_high),
                           text(formula(a, &fits[k], metrics, numbers, metric_count)),
                           text(singular(a, &fits[k], metrics, numbers, metric_count))});
    }
    return s;
}

StudySheets study_sheets(Arena *a, const Study *studies, size_t n)
{
    static Sheet (*const make[])(Arena *, const Study *,
                                 size_t) = {carvings, energies, stages,   samples,    guesses,
                                            metrics,  budgets,  searches, strategies, recordings};
    enum { SHEETS = sizeof make / sizeof make[0] };
    StudySheets all = {ARENA_ARRAY(a, Sheet, SHEETS + 1), 0};
    for (size_t k = 0; k < SHEETS; k++) {
        Sheet s = make[k](a, studies, n);
        if (s.rows.count > 0)
            all.at[all.count++] = s;
    }
    return all;
}

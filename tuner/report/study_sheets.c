#include "tuner/report/study_sheets.h"

/* --- columns ---------------------------------------------------------------------------------- */

/* The struct that a column's field belongs to: the row's item, the study, or its table. */
typedef enum Of { OF_ITEM, OF_STUDY, OF_TABLE, OFS } Of;

/* The field's type.  A place of 0 and an infinite number mean none. */
typedef enum Form { FORM_TEXT, FORM_REAL, FORM_SIZE, FORM_PLACE } Form;

typedef struct StudyColumn {
    const char *key, *title; /* as in SheetColumn */
    CellKind kind;
    Form form;
    Of of;
    size_t offset;
} StudyColumn;

/* How a cell is shown, and its field's type. */
#define TEXT    CELL_TEXT, FORM_TEXT
#define COUNT   CELL_COUNT, FORM_SIZE
#define COUNTED CELL_COUNT, FORM_REAL
#define PLACE   CELL_COUNT, FORM_PLACE
#define NUMBER  CELL_NUMBER, FORM_REAL
#define PERCENT CELL_PERCENT, FORM_REAL
#define MS      CELL_MS, FORM_REAL

#define ITEM(type, member) OF_ITEM, offsetof(type, member)
#define STUDY(member)      OF_STUDY, offsetof(Study, member)
#define TABLE(member)      OF_TABLE, offsetof(Table, member)
#define SPACE              "space", "space", TEXT, TABLE(name)

static Cell cell_of(const StudyColumn *c, const char *field)
{
    Cell cell = {.number = NAN};
    size_t size = 0;
    if (c->form == FORM_TEXT)
        memcpy(&cell.text, field, sizeof cell.text);
    else if (c->form == FORM_REAL)
        memcpy(&cell.number, field, sizeof cell.number);
    else
        memcpy(&size, field, sizeof size);
    if (c->form == FORM_SIZE || size > 0)
        cell.number = (double)size;
    if (isinf(cell.number))
        cell.number = NAN;
    return cell;
}

static void add_row(Arena *a, Sheet *s, const StudyColumn *columns, const void *item,
                    const Study *y)
{
    const char *const of[OFS] = {item, (const char *)y, y ? (const char *)y->points : NULL};
    Cell *cells = ARENA_ARRAY(a, Cell, s->column_count);
    for (size_t c = 0; c < s->column_count; c++)
        cells[c] = cell_of(&columns[c], of[columns[c].of] + columns[c].offset);
    sheet_add(a, s, cells);
}

/* --- the tables ------------------------------------------------------------------------------- */

static const StudyColumn carvings[] = {
    {SPACE},
    {"carving", "carving", TEXT, ITEM(StudyCarving, name)},
    {"configurations", "configs", COUNT, TABLE(count)},
    {"distinct", "distinct", COUNT, TABLE(distinct)},
    {"timed", "timed", COUNT, ITEM(StudyCarving, judgement.chosen)},
    {"space_reduction", "space -", PERCENT, ITEM(StudyCarving, judgement.space_reduction)},
    {"time_reduction", "time -", PERCENT, ITEM(StudyCarving, judgement.time_reduction)},
    {"objective", "by", TEXT, STUDY(objective)},
    {"best_ms", "best ms", MS, ITEM(StudyCarving, judgement.best_ms)},
    {"regret", "regret", PERCENT, ITEM(StudyCarving, judgement.regret)},
    {"regret_low", "from", PERCENT, ITEM(StudyCarving, regret_low)},
    {"regret_high", "to", PERCENT, ITEM(StudyCarving, regret_high)},
    {"rank", "place", PLACE, ITEM(StudyCarving, judgement.rank)},
    {"recall", "recall", PERCENT, ITEM(StudyCarving, judgement.recall)},
    {"random_regret", "random", PERCENT, ITEM(StudyCarving, judgement.random_regret)},
    {"random_performance", "reaches", PERCENT, ITEM(StudyCarving, judgement.random_performance)},
};

typedef struct StageRow {
    const char *carving, *statement;
    size_t stage, before, left, unknown;
} StageRow;

static const StudyColumn stages[] = {
    {SPACE},
    {"carving", "carving", TEXT, ITEM(StageRow, carving)},
    {"stage", "stage", COUNT, ITEM(StageRow, stage)},
    {"before", "of", COUNT, ITEM(StageRow, before)},
    {"left", "left", COUNT, ITEM(StageRow, left)},
    {"unknown", "unknown", COUNT, ITEM(StageRow, unknown)},
    {"statement", "statement", TEXT, ITEM(StageRow, statement)},
};

/* Polish times some that the stages dropped, so more are left after it than before. */
static void add_stages(Arena *a, Sheet *s, const Study *y)
{
    for (size_t i = 0; i < y->carving_count; i++) {
        const StudyChoice *c = y->carvings[i].choice;
        StageRow row = {.carving = c->name};
        for (size_t k = 0; k < c->stage_count; k++) {
            const StageReport *r = &c->stages[k].report;
            row = (StageRow){c->name, c->stages[k].text, k + 1, r->before, r->after, r->unknown};
            add_row(a, s, stages, &row, y);
        }
        if (c->polished == 0)
            continue;
        row = (StageRow){c->name,
                         arena_printf(a, "polish %zu", c->polished),
                         c->stage_count + 1,
                         row.left,
                         row.left + c->polished,
                         0};
        add_row(a, s, stages, &row, y);
    }
}

typedef struct EnergyRow {
    const char *configuration;
    double ms, joules, watts;
} EnergyRow;

static const StudyColumn energies[] = {
    {SPACE},
    {"configuration", "configuration", TEXT, ITEM(EnergyRow, configuration)},
    {"time_ms", "ms", MS, ITEM(EnergyRow, ms)},
    {"joules", "J", NUMBER, ITEM(EnergyRow, joules)},
    {"power_w", "W", NUMBER, ITEM(EnergyRow, watts)},
};

static void add_energies(Arena *a, Sheet *s, const Study *y)
{
    const Table *t = y->points;
    if (!table_is_by_energy(t))
        return;
    double *ms = ARENA_ARRAY(a, double, t->count), *joules = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        ms[i] = t->times[i].median;
        joules[i] = 1e-3 * t->ms[i];
    }
    size_t n;
    const size_t *front = stats_front(a, ms, joules, t->count, &n);
    for (size_t k = 0; k < n; k++) {
        const double x = ms[front[k]], j = joules[front[k]];
        add_row(a, s, energies, &(EnergyRow){table_name(a, t, front[k]), x, j, 1e3 * j / x}, y);
    }
}

static const StudyColumn samples[] = {
    {SPACE},
    {"distinct", "distinct", COUNT, TABLE(distinct)},
    {"sample_90", "90 %", PLACE, STUDY(sample_90)},
    {"sample_90_low", "from", COUNTED, STUDY(sample_low[0])},
    {"sample_90_high", "to", COUNTED, STUDY(sample_high[0])},
    {"sample_95", "95 %", PLACE, STUDY(sample_95)},
    {"sample_95_low", "from", COUNTED, STUDY(sample_low[1])},
    {"sample_95_high", "to", COUNTED, STUDY(sample_high[1])},
    {"draws_90", "90 %, repeats", PLACE, STUDY(draws_90)},
    {"draws_95", "95 %, repeats", PLACE, STUDY(draws_95)},
};

static const StudyColumn metrics[] = {
    {SPACE},
    {"metric", "metric", TEXT, ITEM(StudyMetric, name)},
    {"known", "known for", COUNT, ITEM(StudyMetric, known)},
    {"unknown", "unknown for", COUNT, ITEM(StudyMetric, unknown)},
    {"rank_correlation", "correlation", NUMBER, ITEM(StudyMetric, correlation)},
    {"rank_correlation_low", "from", NUMBER, ITEM(StudyMetric, correlation_low)},
    {"rank_correlation_high", "to", NUMBER, ITEM(StudyMetric, correlation_high)},
    {"place_of_best", "place of the best", PLACE, ITEM(StudyMetric, place)},
    {"budget", "best n", COUNT, STUDY(budget)},
    {"regret", "regret", PERCENT, ITEM(StudyMetric, regret)},
    {"regret_low", "from", PERCENT, ITEM(StudyMetric, regret_low)},
    {"regret_high", "to", PERCENT, ITEM(StudyMetric, regret_high)},
    {"reason", "unknown because", TEXT, ITEM(StudyMetric, reason)},
};

static const StudyColumn guesses[] = {
    {SPACE},
    {"guess", "prediction", TEXT, STUDY(guess.metric)},
    {"known", "known for", COUNT, STUDY(guess.known)},
    {"first", "first", PERCENT, STUDY(guess.performance[0])},
    {"best_of_8", "best of 8", PERCENT, STUDY(guess.performance[1])},
    {"best_of_16", "best of 16", PERCENT, STUDY(guess.performance[2])},
    {"rank_correlation", "correlation", NUMBER, STUDY(guess.correlation)},
    {"error", "error", PERCENT, STUDY(guess.error)},
    {"error_90", "90th", PERCENT, STUDY(guess.error_90)},
    {"within_5", "within 5 %", PERCENT, STUDY(guess.within_5)},
};

static const StudyColumn budgets[] = {
    {SPACE},
    {"timed", "timed", COUNT, ITEM(StudyBudget, size)},
    {"regret", "regret", PERCENT, ITEM(StudyBudget, regret)},
    {"regret_low", "from", PERCENT, ITEM(StudyBudget, regret_low)},
    {"regret_high", "to", PERCENT, ITEM(StudyBudget, regret_high)},
    {"random_regret", "random", PERCENT, ITEM(StudyBudget, random_regret)},
};

static const StudyColumn searches[] = {
    /* race_seconds: 1 s, 10 s, 100 s at places 8, 16, 24 */
    {SPACE},
    {"strategy", "strategy", TEXT, ITEM(Race, name)},
    {"cores", "cores", COUNT, ITEM(Race, cores)},
    {"timed_1", "timed", COUNTED, ITEM(Race, timings.median)},
    {"seconds_1", "s to 1 %", NUMBER, ITEM(Race, seconds_1.median)},
    {"seconds_1_ninth", "90th", NUMBER, ITEM(Race, seconds_1.p90)},
    {"seconds_1_worst", "worst", NUMBER, ITEM(Race, seconds_1.worst)},
    {"seconds_02", "s to 0.2 %", NUMBER, ITEM(Race, seconds_02.median)},
    {"seconds_02_ninth", "90th", NUMBER, ITEM(Race, seconds_02.p90)},
    {"seconds_02_worst", "worst", NUMBER, ITEM(Race, seconds_02.worst)},
    {"regret_1", "after 1 s", PERCENT, ITEM(Race, regret[8])},
    {"regret_10", "10 s", PERCENT, ITEM(Race, regret[16])},
    {"regret_100", "100 s", PERCENT, ITEM(Race, regret[24])},
    {"seeds", "seeds", COUNT, STUDY(race_seeds)},
};

static const StudyColumn strategies[] = {
    {"strategy", "strategy", TEXT, ITEM(Race, name)},
    {"how", "how it works", TEXT, ITEM(Race, meaning)},
};

/* The same for every space: listed once. */
static void add_strategies(Arena *a, Sheet *s, const Study *y)
{
    for (size_t i = 0; s->rows.count < y->race_count / RACE_CORES; i++)
        add_row(a, s, strategies, &y->races[i], y);
}

static const StudyColumn recordings[] = {
    {SPACE},
    {"recording", "recording", TEXT, TABLE(origin)},
    {"problem", "problem", TEXT, TABLE(problem)},
    {"device", "device", TEXT, TABLE(gpu)},
    {"date", "date", TEXT, TABLE(date)},
    {"imported", "imported", TEXT, TABLE(imported)},
};

typedef struct FitRow {
    const char *left_out, *formula, *singular;
    FitResult fit;
} FitRow;

static const StudyColumn fits[] = {
    {"left_out", "left out", TEXT, ITEM(FitRow, left_out)},
    {"points", "points", COUNT, ITEM(FitRow, fit.points)},
    {"error", "error", PERCENT, ITEM(FitRow, fit.error)},
    {"rank_correlation", "correlation there", NUMBER, ITEM(FitRow, fit.correlation)},
    {"place_of_best", "place of its best", PLACE, ITEM(FitRow, fit.place)},
    {"regret", "regret there", PERCENT, ITEM(FitRow, fit.regret)},
    {"regret_low", "from", PERCENT, ITEM(FitRow, fit.regret_low)},
    {"regret_high", "to", PERCENT, ITEM(FitRow, fit.regret_high)},
    {"formula", "time [ms] =", TEXT, ITEM(FitRow, formula)},
    {"singular", "arbitrary", TEXT, ITEM(FitRow, singular)},
};

/* --- the list of tables ----------------------------------------------------------------------- */

static bool is_profiled(const Study *y)
{
    return y->points->profiled > 0;
}

static bool has_guess(const Study *y)
{
    return y->guess.metric != NULL;
}

typedef struct StudySheet {
    const char *name, *title;
    const StudyColumn *columns;
    size_t column_count;
    bool (*has)(const Study *y); /* NULL: every study has it */
    void (*add)(Arena *a, Sheet *s,
                const Study *y); /* adds its rows; NULL: one for the study, or … */
    size_t list, count, size; /* … for each element of a list in Study, of this size; 0: no list */
} StudySheet;

#define COLUMNS(list) list, COUNT_OF(list)
#define LIST(list_, count_)                                                                        \
    .list = offsetof(Study, list_), .count = offsetof(Study, count_),                              \
    .size = sizeof *((Study *)NULL)->list_

static const StudySheet sheets[] = {
    {"carvings",
     "Carvings: how much they save and lose (recall: share of the configurations within 1 % of "
     "the best that is kept; random: expected regret of a random sample of this size, and the "
     "part of the best performance that it reaches)",
     COLUMNS(carvings), .has = is_profiled, LIST(carvings, carving_count)},
    {"energy", "Time and energy of a run: the Pareto front", COLUMNS(energies),
     .add = add_energies},
    {"stages",
     "Stages of the carvings: configurations with distinct code before and after each "
     "(unknown: dropped because a value in the statement is not known)",
     COLUMNS(stages), .has = is_profiled, .add = add_stages},
    {"samples",
     "Random samples: the size that is expected to reach 90 and 95 % of the best performance, "
     "without and with repeats",
     COLUMNS(samples), .has = NULL},
    {"guesses",
     "The predicted time: the part of the best performance that its first configuration and the "
     "fastest of its first 8 and 16 reach; its error against the measured time (median, 90th "
     "percentile, share of the points within 5 %)",
     COLUMNS(guesses), .has = has_guess},
    {"metrics",
     "Metrics compared: rank correlation with the time, the place that they give the fastest, "
     "regret of their best n (expected, with ties drawn by lot)",
     COLUMNS(metrics), .has = is_profiled, LIST(metrics, metric_count)},
    {"budgets", "Regret by budget: the first n by the predicted time alone", COLUMNS(budgets),
     LIST(budgets, budget_count)},
    {"searches",
     "Search strategies, replayed with one cost model of compiling and timing: timings and "
     "seconds until within 1 and 0.2 % of the best, and the regret after 1, 10 and 100 s "
     "(medians of the seeds; -: not reached)",
     COLUMNS(searches), LIST(races, race_count)},
    {"strategies", "Search strategies: how they work", COLUMNS(strategies), .add = add_strategies},
    {"recordings", "Recordings: where the times come from", COLUMNS(recordings), .has = NULL},
};

static const StudySheet fit_sheet = {
    "fits",
    "Fits of metrics to the times: root mean square error on the fitted spaces, and results on "
    "the space left out (arbitrary: weights of metrics that depend linearly on those before them)",
    COLUMNS(fits), .has = NULL};

static Sheet sheet_new(Arena *a, const StudySheet *x)
{
    SheetColumn *shown = ARENA_ARRAY(a, SheetColumn, x->column_count);
    for (size_t c = 0; c < x->column_count; c++)
        shown[c] = (SheetColumn){x->columns[c].key, x->columns[c].title, x->columns[c].kind};
    return (Sheet){
        .name = x->name, .title = x->title, .columns = shown, .column_count = x->column_count};
}

static void add_study(Arena *a, Sheet *s, const StudySheet *x, const Study *y)
{
    const char *list = (const char *)y;
    size_t count = 1;
    if (x->has && !x->has(y))
        return;
    if (x->add) {
        x->add(a, s, y);
        return;
    }
    if (x->size > 0) {
        memcpy(&list, (const char *)y + x->list, sizeof list);
        memcpy(&count, (const char *)y + x->count, sizeof count);
    }
    for (size_t i = 0; i < count; i++)
        add_row(a, s, x->columns, list + i * x->size, y);
}

StudySheets study_sheets(Arena *a, const Study *studies, size_t n)
{
    StudySheets all = {ARENA_ARRAY(a, Sheet, COUNT_OF(sheets) + 1), 0};
    for (size_t x = 0; x < COUNT_OF(sheets); x++) {
        Sheet s = sheet_new(a, &sheets[x]);
        for (size_t k = 0; k < n; k++)
            add_study(a, &s, &sheets[x], &studies[k]);
        if (s.rows.count > 0)
            all.at[all.count++] = s;
    }
    return all;
}

static const char *formula(Arena *a, const FitResult *f, const MetricSet *set, const int *numbers,
                           size_t count)
{
    const char *sum = f->weights ? "" : "too few points";
    for (size_t m = 0; m < count && f->weights; m++)
        sum = arena_printf(a, "%s%s%.4g * %s", sum, m ? " + " : "", f->weights[m],
                           set->metrics.at[numbers[m]].name);
    return sum;
}

static const char *singular(Arena *a, const FitResult *f, const MetricSet *set, const int *numbers,
                            size_t count)
{
    const char *names = "";
    for (size_t m = 0; m < count; m++)
        if (f->follows[m])
            names = arena_printf(a, "%s%s%s", names, *names ? " " : "",
                                 set->metrics.at[numbers[m]].name);
    return names;
}

Sheet study_fit_sheet(Arena *a, const FitResult *results, size_t count, const MetricSet *set,
                      const int *numbers, size_t metric_count)
{
    Sheet s = sheet_new(a, &fit_sheet);
    EACH (const FitResult, f, results, count) {
        const FitRow row = {.left_out = f->left_out ? f->left_out->name : "none",
                            .formula = formula(a, f, set, numbers, metric_count),
                            .singular = singular(a, f, set, numbers, metric_count),
                            .fit = *f};
        add_row(a, &s, fits, &row, NULL);
    }
    return s;
}

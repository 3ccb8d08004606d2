/* Configurations and all that is known of them, each once: a row for each, a column for each fact.
 *
 * A run, a recording or an import fills it; choosing, study, report, export and emitted units read
 * it and do not ask who did.  A row is added when a configuration is looked at, so the rows need
 * not be all of the space, and have an order of their own; `number` says which configuration a row
 * is of, table_find finds it back.  A column that nobody asked for (table_want, table_set_metrics)
 * is NULL and costs nothing.  Adding rows may move the columns: keep row numbers, not addresses.
 *
 * Everything lives in the table's arena; texts, profiles and samples belong to whoever found them
 * and must live as long. */
#pragma once

#include "metrics/base/map.h"
#include "metrics/base/outcome.h"
#include "metrics/metric/device.h"
#include "metrics/metric/metricset.h"
#include "tuner/space/geometry.h"

#include <math.h>
#include <string.h>

typedef struct TableParameter {
    const char *name; /* "BM" */
    ValueKind kind;
    ValueList values; /* by number; a spec's in its order, a recording's rising */
} TableParameter;

/* A size of the problem: "M" 4096. */
typedef struct TableSize {
    const char *name;
    Value value;
} TableSize;

/* What can run differently, as recordings have it; equal texts are equal code.  NULL: not known. */
typedef struct TableCode {
    const char *hash;   /* of each launch's code: "hash+hash" */
    const char *launch; /* "grid/block/shared*3;…+…" */
} TableCode;

typedef struct TableLaunch {
    Geometry *geometry; /* of each of the spec's launches, the first time */
    const Step *steps;  /* all launches in order; NULL unless the device can run them */
    size_t step_count;
} TableLaunch;

typedef struct TableProfile {
    const Profile *whole;        /* of all launches together; NULL: not known */
    const LaunchProfile *shares; /* of each of them; NULL: not kept, or not known */
    size_t share_count;
} TableProfile;

/* Raw times, in milliseconds as measured. */
typedef struct TableTimes {
    const double *ms;
    size_t count;
    double median;    /* NaN unless it ran right */
    double low, high; /* the interval of the median; NaN unless it ran right */
} TableTimes;

typedef struct TableTrial {
    double max_error; /* relative to the output's size, of the verified launch; NaN: not verified */
    double seconds;   /* that it kept a GPU busy; 0: not known */
    double joules;    /* of one run; 0: not known */
    int device;       /* its RecordDevice in the recording it comes from or goes to; 0: none */
} TableTrial;

/* Seconds of a processor, all launches together; 0: not known. */
typedef struct TableCost {
    double compile_s, profile_s;
} TableCost;

/* Rows that have a profile and yet no value of a metric. */
typedef struct MetricGap {
    size_t points;
    const char *reason; /* of the first: "division by zero"; NULL when there is none */
    Span at;            /* where in the formula */
} MetricGap;

typedef enum TableColumn {
    TABLE_WORK = 1 << 0,
    TABLE_CODE = 1 << 1,
    TABLE_LAUNCH = 1 << 2,
    TABLE_PROFILE = 1 << 3,
    TABLE_TIMES = 1 << 4,
    TABLE_WARM = 1 << 5,
    TABLE_TRIAL = 1 << 6,
    TABLE_MS = 1 << 7,
    TABLE_WHY = 1 << 8,
    TABLE_SELECTED = 1 << 9,
    TABLE_AUDITED = 1 << 10,
    TABLE_COST = 1 << 11,
    TABLE_SUSPECT = 1 << 12
} TableColumn;

typedef struct Table {
    Arena *arena;

    /* --- what all rows have in common ------------------------------------------------------- */
    const char *name;       /* of the space: "mm" */
    const char *origin;     /* path of the recording; "this run" */
    const char *problem;    /* "M=4096,N=4096,K=4096" */
    const TableSize *sizes; /* the same as values */
    size_t size_count;
    const Device *device;  /* that the rows are about; NULL: none is known */
    const char *gpu;       /* name of the device the times come from */
    const char *date;      /* when they were measured, ISO 8601 */
    const char *imported;  /* from where, when not by aptune; "" or NULL: by aptune */
    const char *objective; /* "items": times are for the same work; "energy": `ms` is mJ of a run;
                              "" or NULL: as measured */
    TableParameter *parameters;
    size_t parameter_count;
    const Derived *derived; /* names that follow from sizes and parameters; none of a recording */
    size_t derived_count;
    char gap; /* between the parameters in a row's name */

    /* --- rows ------------------------------------------------------------------------------- */
    size_t count, capacity;
    unsigned columns; /* TableColumn: those that there are */
    NumberMap rows;   /* by number; empty while each row has its own number */

    /* --- columns of all tables -------------------------------------------------------------- */
    uint64_t *number; /* of the configuration: in its space, or in the table the rows come from */
    uint32_t *values; /* row × parameters: which value, by number */
    Outcome *outcome; /* the farthest that is known */
    size_t *same_as;  /* the first row with the same code and launch; itself */

    /* --- columns that are asked for --------------------------------------------------------- */
    double *work; /* what a run does, over what one of the rows does; 1 where they are compared by
                     time alone */
    TableCode *code;
    TableLaunch *launch;
    TableProfile *profile;
    TableTimes *times;
    TableTimes *warm; /* beside `times` with a cold L2, where both were asked for */
    TableTrial *trial;
    TableCost *cost;
    double *ms;       /* the median time for equal work, as a study compares it; NaN: it failed */
    const char **why; /* what the compiler or the trial said of a failure; NULL: nothing */
    const char **suspect; /* why its prediction cannot be; NULL: nothing speaks against it */
    bool *selected;       /* to be timed */
    bool *audited;        /* dropped, and drawn to be timed all the same */
    MetricSet *metrics;
    double **metric; /* per metric, per row; NaN: not known */

    /* --- what follows from `ms`, the metrics and the profiles of all rows (study/judge.h) ----
     */
    size_t timed;         /* rows with a time */
    size_t distinct;      /* rows that stand for themselves and have a time */
    const double *sorted; /* times of the distinct rows, fastest first */
    size_t best;          /* the fastest of these; SIZE_MAX: there is none */
    size_t profiled;      /* rows with a profile */
    MetricGap *gaps;      /* per metric */
} Table;

/* Without rows and columns; the caller sets what the rows have in common before it adds any. */
Table *table_new(Arena *a);

/* Asks for columns (TableColumn, or-ed): nothing is known of any row.  Those that are there stay.
 */
void table_want(Table *t, unsigned columns);

/* Asks for columns of all metrics of the set, none of them known. */
void table_set_metrics(Table *t, MetricSet *metrics);

/* Room for so many rows, so that adding them does not move columns. */
void table_reserve(Table *t, size_t rows);

/* The row of a configuration, added when it is not there yet; of a new one nothing is known. */
size_t table_add(Table *t, uint64_t number);

/* The row of a configuration; SIZE_MAX when there is none. */
size_t table_find(const Table *t, uint64_t number);

/* A table of these rows, in this order, with the columns of `t`, which it shares nothing with but
 * what they point to.  `number` of its rows is the row of `t`; so is that of `same_as` where its
 * row is among them. */
Table *table_take(Arena *a, const Table *t, const size_t *rows, size_t count);

/* Rows with equal texts, say code hash and launch geometry: for each the lowest row of its group,
 * itself where it is alone or has no text (NULL), SIZE_MAX where it is not alive.  `alive` NULL: all
 * are. */
size_t *table_group(Arena *a, const char *const *keys, const bool *alive, size_t count);

/* --- one row ---------------------------------------------------------------------------------- */

Value table_value(const Table *t, size_t row, size_t parameter);

/* A value as reports say it: "64", "half". */
const char *table_value_text(Arena *a, Value v);

/* "BM=64 BN=64 …", as messages and reports name a configuration. */
void table_print_name(const Table *t, size_t row, Buf *out);
const char *table_name(Arena *a, const Table *t, size_t row);

/* The median time for equal work; NaN where there is none. */
double table_ms(const Table *t, size_t row);

/* "2.41 ms, off by 7 % as a rule", in `a`: the predicted time with its known error, or that it is
 * estimated where the device was not measured.  NULL where nothing is predicted. */
const char *table_predicted_text(Arena *a, const Table *t, size_t row);

/* The parts of a prediction: metrics of metrics/cycles.metrics, and what reports call them. */
enum { TABLE_PARTS = 13 };
typedef struct TablePart {
    const char *metric, *name;
} TablePart;
extern const TablePart table_parts[TABLE_PARTS];

/* How much of a row's predicted time each would take by itself; NaN where it is not known. */
void table_shares(const Table *t, size_t row, double *shares);

/* Can the device run it, as far as is known? */
static inline bool table_fits(const Table *t, size_t row)
{
    return outcome_group(t->outcome[row]) != OUTCOME_IS_LIMIT;
}

/* Is `ms` the energy of a run, in mJ? */
static inline bool table_is_by_energy(const Table *t)
{
    return t->objective && strcmp(t->objective, "energy") == 0;
}

/* Has the row an outcome of a trial? */
static inline bool table_is_timed(const Table *t, size_t row)
{
    return outcome_is_trial(t->outcome[row]);
}

static inline bool table_has_code(const Table *t, size_t row)
{
    return outcome_has_code(t->outcome[row]);
}

/* Did the compiler fail on it? */
static inline bool table_failed_to_compile(const Table *t, size_t row)
{
    return outcome_group(t->outcome[row]) == OUTCOME_IS_COMPILE;
}

/* Its own code, and not that of a row before it. */
static inline bool table_is_distinct(const Table *t, size_t row)
{
    return table_has_code(t, row) && t->same_as[row] == row;
}

static inline bool table_is_right(const Table *t, size_t row)
{
    return t->outcome[row] == OUTCOME_OK;
}

static inline bool table_is_audited(const Table *t, size_t row)
{
    return t->audited && t->audited[row];
}

/* Times with a warm L2; none where they were not asked for. */
static inline TableTimes table_warm(const Table *t, size_t row)
{
    return t->warm ? t->warm[row] : (TableTimes){.median = NAN, .low = NAN, .high = NAN};
}

/* NULL where nothing is known. */
static inline const Profile *table_profile(const Table *t, size_t row)
{
    return t->profile ? t->profile[row].whole : NULL;
}

/* A metric by its number; NaN where it is not known. */
static inline double table_metric(const Table *t, size_t row, size_t metric)
{
    return t->metric ? t->metric[metric][row] : (double)NAN;
}

/* … by its name; NaN where there is none of that name, too. */
double table_named(const Table *t, size_t row, const char *metric);

/* The metrics of a row, whose launches these are; those that add up are for equal work where the
 * table has TABLE_WORK.  `scratch` is reset by the caller. */
void table_evaluate(Arena *scratch, Table *t, size_t row, const LaunchProfile *shares,
                    size_t count);

/* --- names ------------------------------------------------------------------------------------ */

/* Sizes, parameters and derived names, by slots from 0 in this order. */
Scope table_scope(Table *t);
size_t table_slot_count(const Table *t);

/* Their values of a row, in scratch memory; NULL where a derived one cannot be computed. */
const Value *table_slots(Arena *scratch, const Table *t, size_t row);

/* The values of a metric or, when there is none of that name, of a profile field for every row; NaN
 * where they are not known. */
const double *table_column(Arena *a, const Table *t, const char *name);

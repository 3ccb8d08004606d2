/* Configurations and all that is known of them: a row for each configuration, a column for each fact.
 *
 * A run, a recording or an import fills it; choosing, study, report, export and emitted units read it,
 * whatever filled it.  A row is added when a configuration is looked at, so the rows need not cover the
 * space, in any order; `number` maps a row to its configuration, table_find maps back.  Metrics have columns
 * once table_set_metrics was called.  Adding rows may move the columns: keep row numbers, not addresses.
 *
 * Everything lives in the table's arena; texts, profiles and samples belong to whoever provided them and
 * must live as long. */
#pragma once

#include "metrics/base/map.h"
#include "metrics/metric/metricset.h"
#include "tuner/space/geometry.h"

#include <math.h>

typedef struct TableParameter {
    const char *name; /* "BM" */
    ValueKind kind;
    ValueList values; /* by number; a spec's in its order, a recording's ascending */
} TableParameter;

/* A size of the problem: "M" 4096. */
typedef struct TableSize {
    const char *name;
    Value value;
} TableSize;

/* What runs, as recordings describe it; equal texts mean equal code.  NULL: not known. */
typedef struct TableCode {
    const char *hash;   /* one for each launch: "hash+hash" */
    const char *launch; /* "grid/block/shared*3;…+…" */
} TableCode;

typedef struct TableLaunch {
    Geometry *geometry; /* of each of the spec's launches, when it first runs */
    const Step *steps;  /* all launches in order; NULL unless the device can run them */
    size_t step_count;
} TableLaunch;

typedef struct TableProfile {
    const Profile *whole;        /* all launches together; NULL: not known */
    const LaunchProfile *shares; /* each launch; NULL: not kept, or not known */
    size_t share_count;
} TableProfile;

/* Raw times, in milliseconds as measured. */
typedef struct TableTimes {
    const double *ms;
    size_t count;
    double median;    /* NaN unless the result was right */
    double low, high; /* confidence interval of the median; NaN unless the result was right */
} TableTimes;

typedef struct TableTrial {
    double max_error; /* of the verified launch, relative to the output's size; NaN: not verified */
    double seconds;   /* of GPU use; 0: not known */
    double joules;    /* of one run; 0: not known */
    int device;       /* number of the RecordDevice in its recording; 0: none */
} TableTrial;

/* CPU seconds, all launches together; 0: not known. */
typedef struct TableCost {
    double compile_s, profile_s;
} TableCost;

/* Rows that have a profile but no value of a metric. */
typedef struct MetricGap {
    size_t points;
    const char *reason; /* of the first: "division by zero"; NULL when there is none */
    Span at;            /* where in the formula */
} MetricGap;

typedef struct Table {
    Arena *arena;

    /* --- common to all rows ----------------------------------------------------------------- */
    const char *name;       /* of the space: "mm" */
    const char *origin;     /* path of the recording; "this run" */
    const char *problem;    /* "M=4096,N=4096,K=4096" */
    const TableSize *sizes; /* the same as values */
    size_t size_count;
    const Device *device;  /* that the rows are for; NULL: not known */
    const char *gpu;       /* name of the device that was timed */
    const char *date;      /* when they were measured, ISO 8601 */
    const char *imported;  /* source of an import; "" or NULL: none */
    const char *objective; /* "items": times are for the same work; "energy": `ms` is mJ of a run;
                              "" or NULL: as measured */
    TableParameter *parameters;
    size_t parameter_count;
    const Derived *derived; /* names computed from sizes and parameters; none in a recording */
    size_t derived_count;
    char gap; /* separates the parameters in a row's name */

    /* --- rows ------------------------------------------------------------------------------- */
    size_t count, capacity;
    NumberMap rows; /* by number */

    /* --- columns: an element per row ---------------------------------------------------------- */
    /* Of the configuration in its space, or of the row in the table it comes from. */
    uint64_t *number;
    uint32_t *values; /* row × parameters: the number of the value */
    Outcome *outcome; /* of the last stage that is known */
    size_t *same_as;  /* the first row with the same code and launch, or itself */

    double *work; /* of a run, relative to one row's; 1 where times are compared as they are */
    TableCode *code;
    TableLaunch *launch;
    TableProfile *profile;
    TableTimes *times;
    TableTimes *warm; /* in addition to `times` with a cold L2, where both were requested */
    TableTrial *trial;
    TableCost *cost;
    double *ms;           /* the median time for equal work; NaN: it failed */
    const char **why;     /* message of the compiler or the trial on a failure; NULL: none */
    const char **suspect; /* why its prediction is impossible; NULL: it is not */
    bool *selected;       /* to be timed */
    bool *audited;        /* dropped, but drawn to be timed */
    MetricSet *metrics;
    double **metric; /* per metric, per row; NaN: not known */

    /* --- computed from `ms`, the metrics and the profiles of all rows (study/judge.h) ------- */
    size_t timed;         /* rows with a time */
    size_t distinct;      /* rows with a time whose same_as is themselves */
    const double *sorted; /* times of the distinct rows, fastest first */
    size_t best;          /* the fastest of these; SIZE_MAX: none */
    size_t profiled;      /* rows with a profile */
    MetricGap *gaps;      /* per metric */
} Table;

/* Without rows.  The caller sets what is common to all rows before it adds any. */
Table *table_new(Arena *a);

/* Requests columns for all metrics of the set, with no value known. */
void table_set_metrics(Table *t, MetricSet *metrics);

/* Makes room, so that adding up to `rows` rows does not move columns. */
void table_reserve(Table *t, size_t rows);

/* The row of a configuration; a new row, of which nothing is known, if there is none. */
size_t table_add(Table *t, uint64_t number);

/* The row of a configuration; SIZE_MAX when there is none. */
size_t table_find(const Table *t, uint64_t number);

/* A copy of these rows, in this order, with the columns of `t`; what they point to is shared.  `number` is
 * the row of `t`; `same_as` is translated where its row is among them, else it is the row itself. */
Table *table_take(Arena *a, const Table *t, const size_t *rows, size_t count);

/* Groups rows by equal texts, for example code hash and launch geometry: for each row the lowest row of its
 * group; itself where it is alone or has no text (NULL); SIZE_MAX where it is not alive (`alive` NULL: all
 * are). */
size_t *table_group(Arena *a, const char *const *keys, const bool *alive, size_t count);

/* --- one row ---------------------------------------------------------------------------------- */

Value table_value(const Table *t, size_t row, size_t parameter);

/* The name of a configuration in messages and reports: "BM=64 BN=64 …". */
void table_print_name(const Table *t, size_t row, Buf *out);
const char *table_name(Arena *a, const Table *t, size_t row);

/* The median time for equal work; NaN where there is none. */
double table_ms(const Table *t, size_t row);

/* "2.41 ms, off by 7 % as a rule", in `a`: the predicted time with its usual error, or a note that the
 * device was not measured.  NULL where nothing is predicted. */
const char *table_predicted_text(Arena *a, const Table *t, size_t row);

/* The parts of a prediction: metrics of metrics/cycles.metrics, and their names in reports. */
enum { TABLE_PARTS = 13 };
typedef struct TablePart {
    const char *metric, *name;
} TablePart;
extern const TablePart table_parts[TABLE_PARTS];

/* The share of a row's predicted time that each part would take by itself; NaN where it is not known. */
void table_shares(const Table *t, size_t row, double *shares);

/* True unless the launch is known to exceed a limit of the device. */
static inline bool table_fits(const Table *t, size_t row)
{
    return outcome_group(t->outcome[row]) != OUTCOME_IS_LIMIT;
}

/* True if `ms` is the energy of a run, in mJ. */
static inline bool table_is_by_energy(const Table *t)
{
    return t->objective && strcmp(t->objective, "energy") == 0;
}

static inline bool table_is_timed(const Table *t, size_t row)
{
    return outcome_is_trial(t->outcome[row]);
}

static inline bool table_has_code(const Table *t, size_t row)
{
    return outcome_has_code(t->outcome[row]);
}

static inline bool table_failed_to_compile(const Table *t, size_t row)
{
    return outcome_group(t->outcome[row]) == OUTCOME_IS_COMPILE;
}

/* True if no earlier row has the same code. */
static inline bool table_is_distinct(const Table *t, size_t row)
{
    return table_has_code(t, row) && t->same_as[row] == row;
}

static inline bool table_is_right(const Table *t, size_t row)
{
    return t->outcome[row] == OUTCOME_OK;
}

/* NULL where nothing is known. */
static inline const Profile *table_profile(const Table *t, size_t row)
{
    return t->profile[row].whole;
}

/* A metric by its number; NaN where it is not known. */
static inline double table_metric(const Table *t, size_t row, size_t metric)
{
    return t->metric ? t->metric[metric][row] : (double)NAN;
}

/* A metric by its name; NaN where it is not known or there is none. */
double table_named(const Table *t, size_t row, const char *metric);

/* Evaluates the metrics of a row from its launches; additive ones are per work.  The caller resets `scratch`. */
void table_evaluate(Arena *scratch, Table *t, size_t row, const LaunchProfile *shares,
                    size_t count);

/* --- names ------------------------------------------------------------------------------------ */

/* Adds the names of sizes, parameters and derived names; their slots count up from `first` in this order. */
void table_names(const Table *t, size_t first, Scope *s);
size_t table_slot_count(const Table *t);

/* Their values in a row, in scratch memory; NULL where a derived one cannot be computed. */
const Value *table_slots(Arena *scratch, const Table *t, size_t row);

/* The values of a metric or, if there is none of that name, of a profile field, for every row; NaN where
 * they are not known. */
const double *table_column(Arena *a, const Table *t, const char *name);

/* T4, the exchange format for results of tuning, as it is found.
 *
 *     {"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds", "device": "…"},
 *      "results": [{"timestamp": "…", "configuration": {"block_size_x": 16, …},
 *                   "times": {"compilation_time": 812, "runtimes": [1.24, 1.26], …},
 *                   "invalidity": "correct", "correctness": 1, "objectives": ["time"],
 *                   "measurements": [{"name": "time", "value": 1.25, "unit": "ms"}, …]}, …]}
 *
 * Kernel Tuner writes no metadata, and "compilation" for "compilation_time"; the hub writes
 * "miliseconds"; KTT writes values as texts, one runtime, and 0.0 for what failed.  Times of
 * compiling have no place in a recording. */
#include "tuner/output/foreign_read.h"

#include <math.h>
#include <string.h>

void foreign_take_t4_field(ForeignReader *r, ScanText key, const json_t *v)
{
    static const char *const unit_keys[] = {"timeunit", "time_unit", "timeUnit"};
    ForeignTable *t = r->table;
    if (!scan_is(key, "metadata"))
        return;
    for (size_t i = 0; i < sizeof unit_keys / sizeof unit_keys[0]; i++) {
        foreign_take_unit(t, json_string_value(json_object_get(v, unit_keys[i])));
    }
    t->device = foreign_text(r, v, "device");
    t->date = foreign_text(r, v, "timestamp");
    t->kernel = foreign_text(r, v, "space");
    t->problem = foreign_json(r, json_object_get(v, "problem")); /* which aptune writes */
}

/* The outcome; a missing or unknown one is counted. */
static Outcome outcome_of(ForeignTable *t, const json_t *row, const char **word)
{
    *word = json_string_value(json_object_get(row, "invalidity"));
    if (!*word || !**word) {
        foreign_odd(t, ODD_NO_STATUS);
        *word = NULL;
        return OUTCOME_OK;
    }
    Outcome s = foreign_status(*word);
    const json_t *correctness = json_object_get(row, "correctness");
    if (s == OUTCOME_OTHER) {
        foreign_odd(t, ODD_STATUS);
        return OUTCOME_FAULT;
    }
    if (s == OUTCOME_OK && json_is_number(correctness) && json_number_value(correctness) == 0) {
        foreign_odd(t, ODD_INCORRECT);
        return OUTCOME_WRONG;
    }
    return s;
}

/* The measurement "time"; NaN when there is none.  *unit: milliseconds of its unit, 0 when it says
 * none. */
static double measured_time(ForeignTable *t, const json_t *row, double *unit)
{
    const json_t *list = json_object_get(row, "measurements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(m, "name"));
        const char *said = json_string_value(json_object_get(m, "unit"));
        if (!name || strcmp(name, "time") != 0)
            continue;
        *unit = said ? foreign_unit_ms(said) : 0;
        return foreign_number(t, json_object_get(m, "value"));
    }
    return NAN;
}

static void take_objective(ForeignReader *r, const json_t *row)
{
    const char *name = json_string_value(json_array_get(json_object_get(row, "objectives"), 0));
    if (name && !r->table->objective)
        r->table->objective = arena_string(r->table->arena, name);
}

void foreign_take_t4_row(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    (void)key;
    ForeignTable *t = r->table;
    take_objective(r, row);
    ForeignValue *values = foreign_named_values(r, json_object_get(row, "configuration"), whole);
    if (!values)
        return;
    const char *word;
    Outcome status = outcome_of(t, row, &word);
    size_t count;
    const double *times =
        foreign_numbers(r, json_object_get(json_object_get(row, "times"), "runtimes"), &count);
    double unit = 0, mean = measured_time(t, row, &unit);
    /* A unit that stands in the measurement alone is that of the times, too. */
    double *own = ARENA_ARRAY(r->scratch, double, count);
    for (size_t i = 0; i < count; i++)
        own[i] = times[i] * (unit > 0 && t->unit_ms == 0 ? unit : 1);
    times = own;
    if (count > 0) {
        bool in_ms = unit > 0 && t->unit_ms == 0;
        double of_times = in_ms || t->unit_ms == 0 ? 1 : t->unit_ms;
        if (status == OUTCOME_OK && !isnan(mean))
            foreign_compare_mean(t, times, count, mean * (unit > 0 ? unit : of_times) / of_times);
        foreign_add(t, values, status, word, times, count, in_ms);
        return;
    }
    if (!isnan(mean)) {
        if (status == OUTCOME_OK)
            foreign_odd(t, ODD_MEAN_ONLY);
        mean *= unit > 0 ? unit : 1;
        times = &mean;
        count = 1;
    }
    foreign_add(t, values, status, word, times, count, unit > 0);
}

/* Kernel Tuner's cache file.
 *
 *     {"device_name": "NVIDIA A100", "kernel_name": "convolution", "problem_size": [4096, 4096],
 *      "tune_params_keys": ["block_size_x", …], "tune_params": {…}, "objective": "time",
 *      "cache": {
 *     "16,1,…": {"block_size_x": 16, …, "time": 1.25, "times": [1.24, 1.26], "compile_time": 812,
 * …}, "32,1,…": {…, "time": "InvalidConfig", …},
 *
 * Times are milliseconds.  While it is written the file is not closed.  A failure stands where the
 * time or the objective would be, or under "__error__". */
#include "tuner/output/foreign_read.h"

#include "tuner/base/vec.h"

#include <math.h>
#include <string.h>

static void take_names(ForeignTable *t, const json_t *list)
{
    t->names.count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name)
            VEC_PUSH(t->arena, &t->names, arena_string(t->arena, name));
    }
}

void foreign_take_cache_field(ForeignReader *r, ScanText key, const json_t *v)
{
    ForeignTable *t = r->table;
    const char *text = json_string_value(v);
    const char *kept = text && *text ? arena_string(t->arena, text) : NULL;
    if (scan_is(key, "device_name"))
        t->device = kept;
    else if (scan_is(key, "kernel_name"))
        t->kernel = kept;
    else if (scan_is(key, "objective"))
        t->objective = kept;
    else if (scan_is(key, "problem_size"))
        t->problem = foreign_json(r, v);
    else if (scan_is(key, "tune_params_keys") && t->rows.count == 0)
        take_names(t, v);
}

/* A word for a failure: under "__error__", else in the place of the time or of the objective. */
static const char *failure_of(const ForeignTable *t, const json_t *row)
{
    const char *places[] = {"__error__", "time", t->objective ? t->objective : "time"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *word = json_string_value(json_object_get(row, places[i]));
        double number = NAN;
        char *end = NULL;
        if (word && *word)
            number = strtod(word, &end);
        if (word && *word && (*end != '\0' || isnan(number)))
            return word;
    }
    return NULL;
}

static Outcome outcome_of(ForeignTable *t, const char *failure)
{
    Outcome s = failure ? foreign_status(failure) : OUTCOME_OK;
    if (s != OUTCOME_OTHER)
        return s;
    foreign_odd(t, ODD_STATUS);
    return OUTCOME_FAULT;
}

/* The part of the row's key that belongs to parameter `p`, as text; false when the key has another
 * number of parts. */
static bool key_part(const ForeignReader *r, ScanText key, size_t p, ForeignValue *out)
{
    size_t parts = 1;
    for (size_t i = 0; i < key.size; i++)
        parts += key.at[i] == ',';
    if (parts != r->table->names.count || key.size == 0)
        return false;
    const char *at = key.at, *end = key.at + key.size;
    for (; p > 0; p--)
        at = (const char *)memchr(at, ',', (size_t)(end - at)) + 1;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    *out = (ForeignValue){
        .kind = FOREIGN_TEXT,
        .text = arena_copy(r->table->arena, at, (size_t)((comma ? comma : end) - at))};
    return true;
}

/* NULL, counted, when neither the row nor its key has a value for each parameter. */
static ForeignValue *values_of(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    ForeignTable *t = r->table;
    ForeignValue *values = foreign_new_values(r);
    bool from_key = false;
    for (size_t p = 0; values && p < t->names.count; p++) {
        if (foreign_value(t, json_object_get(row, t->names.at[p]), whole, &values[p]))
            continue;
        if (!key_part(r, key, p, &values[p])) {
            foreign_odd(t, ODD_NO_PARAMETER);
            return NULL;
        }
        from_key = true;
    }
    if (from_key)
        foreign_odd(t, ODD_KEY_VALUE);
    return values ? foreign_keep_values(r, values) : NULL;
}

void foreign_take_cache_row(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    ForeignTable *t = r->table;
    t->unit_ms = 1;
    ForeignValue *values = values_of(r, key, row, whole);
    if (!values)
        return;
    const char *failure = failure_of(t, row);
    size_t count;
    const double *times = foreign_numbers(r, json_object_get(row, "times"), &count);
    double mean = foreign_number(t, json_object_get(row, "time"));
    if (count == 0 && !failure && !isnan(mean)) {
        foreign_odd(t, ODD_MEAN_ONLY);
        times = &mean;
        count = 1;
    } else if (!failure && !isnan(mean))
        foreign_compare_mean(t, times, count, mean);
    foreign_add(t, values, outcome_of(t, failure), failure, times, count, true);
}

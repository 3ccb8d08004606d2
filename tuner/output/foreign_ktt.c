/* KTT's own JSON.
 *
 *     {"Metadata": {"ComputeApi": "CUDA", "Device": "…", "TimeUnit": "Microseconds", …},
 *      "Results": [{"KernelName": "…", "Status": "Ok", "TotalDuration": 1250.5, …,
 *                   "Configuration": [{"Name": "BLOCK", "Value": 16, …}, …],
 *                   "ComputationResults": [{"Duration": 1250.5, …}]}, …]} */
#include "tuner/output/foreign_read.h"

#include <math.h>

void foreign_take_ktt_field(ForeignReader *r, ScanText key, const json_t *v)
{
    ForeignTable *t = r->table;
    if (!scan_is(key, "Metadata"))
        return;
    foreign_take_unit(t, json_string_value(json_object_get(v, "TimeUnit")));
    t->device = foreign_text(r, v, "Device");
    t->date = foreign_text(r, v, "Timestamp");
}

/* The pairs as an object, to be released. */
static json_t *configuration_of(const json_t *row)
{
    json_t *object = json_object();
    const json_t *pairs = json_object_get(row, "Configuration");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        const char *name = json_string_value(json_object_get(pair, "Name"));
        json_t *value = json_object_get(pair, "Value");
        if (name && value)
            json_object_set(object, name, value);
    }
    return object;
}

/* The duration of the whole, else the sum of its parts; NaN when neither is there. */
static double duration_of(ForeignTable *t, const json_t *row)
{
    double total = foreign_number(t, json_object_get(row, "TotalDuration"));
    const json_t *parts = json_object_get(row, "ComputationResults");
    if (!isnan(total) || json_array_size(parts) == 0)
        return total;
    total = 0;
    for (size_t i = 0; i < json_array_size(parts); i++)
        total += foreign_number(t, json_object_get(json_array_get(parts, i), "Duration"));
    return total;
}

static Outcome outcome_of(ForeignTable *t, const json_t *row, const char **word)
{
    *word = json_string_value(json_object_get(row, "Status"));
    Outcome s = *word ? foreign_status(*word) : OUTCOME_OK;
    if (!*word || s == OUTCOME_OTHER)
        foreign_odd(t, *word ? ODD_STATUS : ODD_NO_STATUS);
    return s == OUTCOME_OTHER ? OUTCOME_FAULT : s;
}

void foreign_take_ktt_row(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    (void)key;
    ForeignTable *t = r->table;
    if (!t->kernel)
        t->kernel = foreign_text(r, row, "KernelName");
    json_t *configuration = configuration_of(row);
    ForeignValue *values = foreign_named_values(r, configuration, whole);
    json_decref(configuration);
    if (!values)
        return;
    const char *word;
    Outcome status = outcome_of(t, row, &word);
    double duration = duration_of(t, row);
    foreign_add(t, values, status, word, &duration, isnan(duration) ? 0U : 1U, false);
}

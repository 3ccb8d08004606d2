#include "tuner/output/foreign.h"

#include "metrics/base/json.h"
#include "tuner/output/scan.h"

#include <ctype.h>
#include <strings.h>

/* --- anomalies -------------------------------------------------------------------------------- */

/* Singular and plural; the plural follows the count. */
static const char *const anomaly_words[ANOMALIES][2] = {
#define ANOMALY(name, one, many) {one, many},
#include "tuner/output/foreign_anomaly.def"
#undef ANOMALY
};

/* Counts an anomaly of the current row. */
static void foreign_note(ForeignTable *t, Anomaly o)
{
    if (t->anomalies[o]++ == 0 && anomaly_words[o][1])
        t->first[o] = arena_printf(t->arena, "row %zu", t->read);
}

void foreign_print_anomalies(const ForeignTable *t, const char *before, Buf *out)
{
    for (int o = 0; o < ANOMALIES; o++) {
        if (t->anomalies[o] == 0)
            continue;
        buf_puts(out, before);
        if (anomaly_words[o][1])
            buf_printf(out, "%zu ", t->anomalies[o]);
        buf_puts(out, t->anomalies[o] > 1 && anomaly_words[o][1] ? anomaly_words[o][1]
                                                                 : anomaly_words[o][0]);
        if (t->first[o])
            buf_printf(out, t->anomalies[o] > 1 ? " (the first: %s)" : " (%s)", t->first[o]);
        buf_putc(out, '\n');
    }
}

/* --- words ------------------------------------------------------------------------------------ */

double foreign_unit_ms(const char *name)
{
    /* Unicode has two micro signs. */
    static const struct Unit {
        const char *name;
        double ms;
    } units[] = {
        {"ns", 1e-6},       {"nsec", 1e-6},        {"nanosec", 1e-6},   {"nanosecond", 1e-6},
        {"us", 1e-3},       {"\xc2\xb5s", 1e-3},   {"\xce\xbcs", 1e-3}, {"usec", 1e-3},
        {"microsec", 1e-3}, {"microsecond", 1e-3}, {"ms", 1},           {"msec", 1},
        {"millisec", 1},    {"millisecond", 1},    {"milisecond", 1},   {"milisec", 1},
        {"s", 1e3},         {"sec", 1e3},          {"second", 1e3}};
    char plain[24]; /* "Milli-Seconds" is "millisecond": lower-case letters, singular */
    size_t n = 0;
    for (; *name && n + 1 < sizeof plain; name++)
        if (isalpha((unsigned char)*name) || (unsigned char)*name >= 0x80)
            plain[n++] = (char)tolower((unsigned char)*name);
    plain[n - (n > 3 && plain[n - 1] == 's')] = '\0';
    const struct Unit *u = NAME_FIND(units, COUNT_OF(units), name, plain);
    return u ? u->ms : 0;
}

Outcome foreign_status(const char *word)
{
    /* T4, then Kernel Tuner (kernel_tuner/util.py), then KTT (ResultStatus). */
    static const struct {
        const char *word;
        Outcome status;
    } words[] = {{"correct", OUTCOME_OK},
                 {"compile", OUTCOME_COMPILE_ERROR},
                 {"runtime", OUTCOME_FAULT},
                 {"timeout", OUTCOME_TIMEOUT},
                 {"correctness", OUTCOME_WRONG},
                 {"constraints", OUTCOME_SKIPPED},
                 {"InvalidConfig", OUTCOME_SKIPPED},
                 {"CompilationFailedConfig", OUTCOME_COMPILE_ERROR},
                 {"RuntimeFailedConfig", OUTCOME_FAULT},
                 {"Ok", OUTCOME_OK},
                 {"ComputationFailed", OUTCOME_FAULT},
                 {"ValidationFailed", OUTCOME_WRONG},
                 {"CompilationFailed", OUTCOME_COMPILE_ERROR},
                 {"DeviceLimitsExceeded", OUTCOME_LAUNCH_FAILED}};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasecmp(word, words[i].word) == 0)
            return words[i].status;
    return OUTCOME_OTHER;
}

/* --- values ----------------------------------------------------------------------------------- */

/* A value as JSON text; NULL: none. */
static const char *dumped(Arena *a, const json_t *v, size_t flags)
{
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY | flags) : NULL;
    const char *kept = text ? arena_string(a, text) : NULL;
    free(text);
    return kept;
}

/* 2^63: a whole double below it fits an int64_t. */
static const double int64_end = 9223372036854775808.0;

/* The value of a parameter; false: none.  `whole`: the row's integers were read as reals. */
static bool foreign_value(ForeignTable *t, const json_t *v, bool whole, Value *out)
{
    const double real = json_is_real(v) ? json_real_value(v) : NAN;
    if (!v || json_is_null(v))
        return false;
    if (json_is_boolean(v)) {
        foreign_note(t, ANOMALY_BOOL_VALUE);
        *out = value_int(json_is_true(v));
    } else if (json_is_integer(v)) {
        *out = value_int(json_integer_value(v));
    } else if (whole && real == floor(real) && real >= -int64_end && real < int64_end) {
        *out = value_int((int64_t)real);
    } else if (json_is_real(v)) {
        *out = value_real(real);
    } else {
        const char *text = json_string_value(v);
        text = text ? arena_string(t->arena, text) : dumped(t->arena, v, JSON_COMPACT);
        *out = value_string(text ? text : "");
    }
    return true;
}

bool foreign_text_as_real(const char *text, double *out)
{
    char *end;
    if (!*text || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

/* A number, perhaps written as text; NaN: not a number. */
static double foreign_number(ForeignTable *t, const json_t *v)
{
    double number;
    if (json_is_number(v))
        return json_number_value(v);
    if (!json_is_string(v) || !foreign_text_as_real(json_string_value(v), &number))
        return NAN;
    foreign_note(t, ANOMALY_TEXT_TIME);
    return number;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Adds a row after reconciling outcome and times: a failed row has no times, and a correct row without times
 * counts as failed.  `message` is the file's reason for a failure. */
static void foreign_add(ForeignTable *t, Value *values, Outcome status, const char *message,
                        const double *times, size_t time_count, bool in_ms)
{
    ForeignRow row = {.values = values, .status = status, .in_ms = in_ms};
    size_t valid = 0, zeros = 0;
    for (size_t i = 0; i < time_count; i++) {
        /* Placeholders are no times: 1e20 in Kernel Tuner, the largest 64-bit number of nanoseconds (5e5
         * hours) in KTT. */
        valid += times[i] > 0 && times[i] < 1e12;
        zeros += times[i] == 0;
    }
    if (status != OUTCOME_OK) {
        if (valid + zeros > 0)
            foreign_note(t, valid ? ANOMALY_FAILED_TIME : ANOMALY_FAILED_ZERO);
        row.message = message ? arena_string(t->arena, message) : NULL;
    } else if (time_count == 0 || valid < time_count) {
        foreign_note(t, time_count == 0 ? ANOMALY_NO_TIME : ANOMALY_BAD_TIME);
        row.status = OUTCOME_FAULT;
        row.message = time_count == 0 ? "no time in the imported file"
                                      : "an invalid time in the imported file";
    } else {
        row.times = ARENA_ARRAY(t->arena, double, time_count);
        row.time_count = time_count;
        memcpy(row.times, times, time_count * sizeof *times);
    }
    VEC_PUSH(t->arena, &t->rows, row);
}

/* Converts times to milliseconds, which is also the default unit. */
static void foreign_scale(ForeignTable *t)
{
    bool needed = false;
    VEC_EACH (ForeignRow, row, t->rows) {
        needed |= row->time_count > 0 && !row->in_ms;
        double unit = row->in_ms || t->unit_ms == 0 ? 1 : t->unit_ms;
        for (size_t k = 0; k < row->time_count; k++)
            row->times[k] = record_round(row->times[k] * unit);
        row->in_ms = true;
    }
    if (needed && t->unit_ms == 0)
        t->anomalies[ANOMALY_NO_UNIT]++;
}

/* --- formats ---------------------------------------------------------------------------------- */

/* Readers of other tuners' files, by a key of their outermost object:
 *
 *     "cache"    Kernel Tuner's cache file (schema versions 1.0 and 1.1)
 *     "results"  T4 (1.0 and 1.1), as Kernel Tuner, KTT, the benchmark hub and aptune write it
 *     "Results"  KTT's own JSON
 *
 * The outermost object may be unclosed. */

typedef struct ForeignReader {
    ForeignTable *table;
    Scan *scan;
    Arena *scratch;              /* emptied after each row */
    Buf copy;                    /* of the row being parsed */
    const RunProgress *progress; /* NULL: none */
} ForeignReader;

/* Adds one row, an object; `key` is its key, empty in an array.  `whole`: its integers were read as reals. */
typedef void (*ForeignTake)(ForeignReader *r, ScanText key, const json_t *row, bool whole);

/* --- common to all formats -------------------------------------------------------------------- */

static const char *text_member(const ForeignReader *r, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text ? arena_string(r->table->arena, text) : NULL;
}

static void take_unit(ForeignTable *t, const char *name)
{
    if (!name)
        return;
    t->unit_ms = foreign_unit_ms(name);
    t->unknown_unit = t->unit_ms == 0 ? arena_string(t->arena, name) : NULL;
}

static double *numbers_of(ForeignReader *r, const json_t *array, size_t *count)
{
    *count = json_array_size(array);
    double *out = ARENA_ARRAY(r->scratch, double, *count);
    for (size_t i = 0; i < *count; i++) {
        const json_t *v = json_array_get(array, i);
        /* [0, t]: number of the sample and its time. */
        if (json_is_array(v) && json_array_size(v) > 0)
            v = json_array_get(v, json_array_size(v) - 1);
        out[i] = foreign_number(r->table, v);
    }
    return out;
}

static void compare_mean(ForeignTable *t, const double *times, size_t count, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    if (count > 0 && mean > 0 && fabs(sum / (double)count / mean - 1) > 0.01)
        foreign_note(t, ANOMALY_OTHER_MEAN);
}

static Outcome outcome_of(ForeignTable *t, const char *word)
{
    Outcome s = foreign_status(word);
    if (s != OUTCOME_OTHER)
        return s;
    foreign_note(t, ANOMALY_STATUS);
    return OUTCOME_FAULT;
}

/* The outcome in a member, and its word; ok and NULL if there is none. */
static Outcome named_outcome(ForeignTable *t, const json_t *row, const char *key, const char **word)
{
    *word = json_string_value(json_object_get(row, key));
    if (*word && **word)
        return outcome_of(t, *word);
    *word = NULL;
    foreign_note(t, ANOMALY_NO_STATUS);
    return OUTCOME_OK;
}

/* The part of a row's key for parameter `p`, as text; false if the key has another number of parts. */
static bool key_part(const ForeignReader *r, ScanText key, size_t p, Value *out)
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
    *out = value_string(arena_copy(r->table->arena, at, (size_t)((comma ? comma : end) - at)));
    return true;
}

/* The values of an object, where it lacks one those of the key; NULL, counted, if a parameter has none. */
static Value *named_values(ForeignReader *r, const json_t *object, ScanText key, bool whole)
{
    ForeignTable *t = r->table;
    const size_t n = t->names.count;
    const bool few = n > 0 && n <= FOREIGN_PARAMETERS_MOST;
    Value *values = ARENA_ARRAY(r->scratch, Value, few ? n : 0);
    bool ok = few, from_key = false;
    for (size_t p = 0; ok && p < n; p++)
        if (!foreign_value(t, json_object_get(object, t->names.at[p]), whole, &values[p]))
            from_key = ok = key_part(r, key, p, &values[p]);
    if (!ok)
        foreign_note(t, ANOMALY_NO_PARAMETER);
    else if (from_key)
        foreign_note(t, ANOMALY_KEY_VALUE);
    if (!ok)
        return NULL;
    /* Out of the scratch arena: incomplete rows must not use memory. */
    return memcpy(ARENA_ARRAY(t->arena, Value, n), values, n * sizeof *values);
}

/* The same where the first row names the parameters. */
static Value *own_values(ForeignReader *r, const json_t *object, bool whole)
{
    if (r->table->names.count == 0) {
        const char *name;
        json_t *v,
            *copy = json_copy((json_t *)(uintptr_t)object); /* jansson iterates over mutable ones */
        json_object_foreach(copy, name, v)
            VEC_PUSH(r->table->arena, &r->table->names, arena_string(r->table->arena, name));
        json_decref(copy);
    }
    return named_values(r, object, (ScanText){"", 0}, whole);
}

/* --- Kernel Tuner ----------------------------------------------------------------------------- */

static void take_cache_field(ForeignReader *r, ScanText key, const json_t *v)
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
        t->problem = dumped(t->arena, v, 0);
    const bool names = scan_is(key, "tune_params_keys") && t->rows.count == 0;
    t->names.count = names ? 0 : t->names.count;
    for (size_t i = 0; names && i < json_array_size(v); i++) {
        const char *name = json_string_value(json_array_get(v, i));
        if (name)
            VEC_PUSH(t->arena, &t->names, arena_string(t->arena, name));
    }
}

/* The word for a failure: under "__error__", else in the place of the time or the objective; NULL: none. */
static const char *failure_of(const ForeignTable *t, const json_t *row)
{
    const char *places[] = {"__error__", "time", t->objective ? t->objective : "time"};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const char *word = json_text_at(row, places[i]);
        char *end = NULL;
        const double number = strtod(word, &end);
        if (*word && (*end != '\0' || isnan(number)))
            return word;
    }
    return NULL;
}

static void take_cache_row(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    ForeignTable *t = r->table;
    t->unit_ms = 1;
    Value *values = named_values(r, row, key, whole);
    if (!values)
        return;
    const char *failure = failure_of(t, row);
    size_t count;
    const double *times = numbers_of(r, json_object_get(row, "times"), &count);
    double mean = foreign_number(t, json_object_get(row, "time"));
    if (count == 0 && !failure && !isnan(mean)) {
        foreign_note(t, ANOMALY_MEAN_ONLY);
        times = &mean;
        count = 1;
    } else if (!failure && !isnan(mean))
        compare_mean(t, times, count, mean);
    foreign_add(t, values, failure ? outcome_of(t, failure) : OUTCOME_OK, failure, times, count,
                true);
}

/* --- KTT -------------------------------------------------------------------------------------- */

/* KTT's own JSON:
 *
 *     {"Metadata": {"ComputeApi": "CUDA", "Device": "…", "TimeUnit": "Microseconds", …},
 *      "Results": [{"KernelName": "…", "Status": "Ok", "TotalDuration": 1250.5, …,
 *                   "Configuration": [{"Name": "BLOCK", "Value": 16, …}, …],
 *                   "ComputationResults": [{"Duration": 1250.5, …}]}, …]} */

static void take_ktt_field(ForeignReader *r, ScanText key, const json_t *v)
{
    ForeignTable *t = r->table;
    if (!scan_is(key, "Metadata"))
        return;
    take_unit(t, json_string_value(json_object_get(v, "TimeUnit")));
    t->device = text_member(r, v, "Device");
    t->date = text_member(r, v, "Timestamp");
}

/* The pairs as a new object. */
static json_t *configuration_of(const json_t *row)
{
    json_t *object = json_object();
    const json_t *pairs = json_object_get(row, "Configuration");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        /* Sets nothing where either is missing. */
        json_object_set(object, json_string_value(json_object_get(pair, "Name")),
                        json_object_get(pair, "Value"));
    }
    return object;
}

/* The total duration, else the sum of its parts; NaN: neither is there. */
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

static void take_ktt_row(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    (void)key;
    ForeignTable *t = r->table;
    if (!t->kernel)
        t->kernel = text_member(r, row, "KernelName");
    json_t *configuration = configuration_of(row);
    Value *values = own_values(r, configuration, whole);
    json_decref(configuration);
    if (!values)
        return;
    const char *word;
    Outcome status = named_outcome(t, row, "Status", &word);
    double duration = duration_of(t, row);
    foreign_add(t, values, status, word, &duration, isnan(duration) ? 0U : 1U, false);
}

/* --- T4 --------------------------------------------------------------------------------------- */

/* T4, the exchange format for tuning results, as found in practice:
 *
 *     {"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds", "device": "…"},
 *      "results": [{"timestamp": "…", "configuration": {"block_size_x": 16, …},
 *                   "times": {"compilation_time": 812, "runtimes": [1.24, 1.26], …},
 *                   "invalidity": "correct", "correctness": 1, "objectives": ["time"],
 *                   "measurements": [{"name": "time", "value": 1.25, "unit": "ms"}, …]}, …]}
 *
 * Kernel Tuner writes no metadata, and "compilation" for "compilation_time"; the hub writes "miliseconds";
 * KTT writes values as texts, one runtime, and 0.0 for failures.  Recordings do not hold compile times. */

static void take_t4_field(ForeignReader *r, ScanText key, const json_t *v)
{
    static const char *const unit_keys[] = {"timeunit", "time_unit", "timeUnit"};
    ForeignTable *t = r->table;
    if (!scan_is(key, "metadata"))
        return;
    for (size_t i = 0; i < COUNT_OF(unit_keys); i++)
        take_unit(t, json_string_value(json_object_get(v, unit_keys[i])));
    t->device = text_member(r, v, "device");
    t->date = text_member(r, v, "timestamp");
    t->kernel = text_member(r, v, "space");
    t->problem = dumped(t->arena, json_object_get(v, "problem"), 0); /* written by aptune */
}

/* The measurement "time"; NaN: none.  *unit becomes the milliseconds in its unit; 0: not named. */
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

static void take_t4_row(ForeignReader *r, ScanText key, const json_t *row, bool whole)
{
    (void)key;
    ForeignTable *t = r->table;
    const char *word = json_string_value(json_array_get(json_object_get(row, "objectives"), 0));
    if (word && !t->objective)
        t->objective = arena_string(t->arena, word);
    Value *values = own_values(r, json_object_get(row, "configuration"), whole);
    if (!values)
        return;
    Outcome status = named_outcome(t, row, "invalidity", &word);
    const json_t *correctness = json_object_get(row, "correctness");
    if (word && status == OUTCOME_OK && json_is_number(correctness) &&
        json_number_value(correctness) == 0) {
        foreign_note(t, ANOMALY_INCORRECT);
        status = OUTCOME_WRONG;
    }
    size_t count;
    double *times =
        numbers_of(r, json_object_get(json_object_get(row, "times"), "runtimes"), &count);
    double unit = 0, mean = measured_time(t, row, &unit);
    /* A unit given only for the measurement applies to the times, too. */
    const bool of_mean = unit > 0 && t->unit_ms == 0;
    if (count > 0) {
        const double of_times = t->unit_ms == 0 ? 1 : t->unit_ms;
        for (size_t i = 0; i < count; i++)
            times[i] *= of_mean ? unit : 1;
        if (status == OUTCOME_OK && !isnan(mean))
            compare_mean(t, times, count, mean * (unit > 0 ? unit : of_times) / of_times);
    } else if (!isnan(mean)) {
        if (status == OUTCOME_OK)
            foreign_note(t, ANOMALY_MEAN_ONLY);
        mean *= unit > 0 ? unit : 1;
    }
    const bool only = count == 0 && !isnan(mean);
    foreign_add(t, values, status, word, only ? &mean : times, only ? 1 : count,
                count > 0 ? of_mean : unit > 0);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void take_row(ForeignReader *r, ScanText key, ScanText text, ForeignTake take)
{
    ForeignTable *t = r->table;
    ScanAnomalies odd;
    t->read++;
    json_t *row = scan_load(text, &r->copy, &odd);
    if (odd.not_number)
        foreign_note(t, ANOMALY_NOT_NUMBER);
    if (json_is_object(row))
        take(r, key, row, odd.huge);
    else
        foreign_note(t, ANOMALY_BROKEN);
    json_decref(row);
    arena_reset(r->scratch);
}

/* Takes all elements of the next object or array. */
static void take_rows(ForeignReader *r, ForeignTake take)
{
    Scan *s = r->scan;
    bool keys = scan_peek(s) == '{';
    if (!scan_take(s, keys ? '{' : '['))
        return;
    while (scan_more(s, keys ? '}' : ']')) {
        ScanText key = {"", 0}, text;
        if ((!keys || scan_key(s, &key)) && scan_value(s, &text))
            take_row(r, key, text, take);
        else if (s->cut)
            r->table->anomalies[ANOMALY_CUT_ROW]++;
        const RunProgress *p = r->progress;
        if (p && p->step && r->table->read % 256 == 0)
            p->step(p->context, "read", (size_t)(s->at - s->begin), (size_t)(s->end - s->begin),
                    NULL);
    }
}

/* --- the file --------------------------------------------------------------------------------- */

typedef struct ForeignFormat {
    const char *rows; /* key of the rows */
    const char *name;
    ForeignTake take_row;
    void (*take_field)(ForeignReader *r, ScanText key, const json_t *v);
} ForeignFormat;

static const ForeignFormat formats[] = {
    {"cache", "Kernel Tuner cache", take_cache_row, take_cache_field},
    {"results", "T4", take_t4_row, take_t4_field},
    {"Results", "KTT", take_ktt_row, take_ktt_field},
};

/* The formats' fields have distinct names, so all readers may look. */
static void take_field(ForeignReader *r, ScanText key, ScanText text)
{
    ScanAnomalies odd;
    json_t *v = scan_load(text, &r->copy, &odd);
    for (size_t i = 0; i < COUNT_OF(formats) && v; i++)
        formats[i].take_field(r, key, v);
    json_decref(v);
}

static void take_file(ForeignReader *r)
{
    Scan *s = r->scan;
    if (scan_peek(s) == '[' || !scan_take(s, '{'))
        return;
    while (scan_more(s, '}')) {
        ScanText key, text;
        if (!scan_key(s, &key))
            return;
        const ForeignFormat *f = formats, *end = formats + COUNT_OF(formats);
        while (f < end && !scan_is(key, f->rows))
            f++;
        if (f < end) {
            r->table->format = f->name;
            take_rows(r, f->take_row);
        } else if (scan_value(s, &text)) {
            take_field(r, key, text);
        }
    }
}

/* Reports why the file cannot be used. */
static bool refuse(const ForeignTable *t, const Scan *s, const char *path, Diag *d)
{
    if (s->bad)
        return diag_fail(d, "'%s' is not JSON: unexpected byte at %zu", path,
                         (size_t)(s->at - s->begin));
    if (t->names.count > FOREIGN_PARAMETERS_MOST)
        return diag_fail(d, "'%s' has %zu parameters; at most %d are read", path, t->names.count,
                         FOREIGN_PARAMETERS_MOST);
    if (!t->format)
        return diag_fail(
            d,
            "'%s' has no known format: a cache of Kernel Tuner has \"cache\", T4 \"results\", "
            "KTT's JSON \"Results\" in its outermost object",
            path);
    return diag_fail(d, "'%s' (%s) has no row that can be read", path, t->format);
}

ForeignTable *foreign_read(Arena *a, const char *path, const char *text, size_t size,
                           const char *unit, const RunProgress *progress, Diag *d)
{
    ForeignTable *t = ARENA_NEW(a, ForeignTable);
    t->arena = a;
    Scan s = scan_new(text, size);
    ForeignReader r = {.table = t, .scan = &s, .scratch = arena_new(), .progress = progress};
    double asked = unit ? foreign_unit_ms(unit) : 0;
    take_file(&r);
    buf_free(&r.copy);
    arena_free(r.scratch);
    if (unit && asked == 0)
        return diag_fail(d, "unknown unit of time '%s'; ns, us, ms and s are known", unit), NULL;
    if (s.bad || !t->format || t->rows.count == 0)
        return refuse(t, &s, path, d), NULL;
    if (t->unknown_unit && asked == 0)
        return diag_fail(d, "'%s' has times in the unknown unit '%s'; --unit gives the unit", path,
                         t->unknown_unit),
               NULL;
    for (size_t i = 0; i < t->names.count; i++) /* rows refer to them by name */
        if (word_place(t->names.at[i], t->names.at, i) < SIZE_MAX)
            return diag_fail(d, "'%s' (%s) has two parameters called '%s'", path, t->format,
                             t->names.at[i]),
                   NULL;
    size_t timed = 0;
    VEC_EACH (const ForeignRow, row, t->rows)
        timed += row->time_count > 0;
    if (timed == 0 && t->anomalies[ANOMALY_NO_TIME] + t->anomalies[ANOMALY_BAD_TIME] > 0)
        return diag_fail(d, "'%s' (%s) has no times in its %zu rows; its objective is '%s'", path,
                         t->format, t->read, t->objective ? t->objective : "not named"),
               NULL;
    t->anomalies[ANOMALY_CUT] += s.cut;
    if (asked > 0)
        t->unit_ms = asked;
    foreign_scale(t);
    return t;
}

#include "tuner/output/foreign.h"

#include "metrics/base/expr.h"
#include "metrics/base/vec.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- anomalies -------------------------------------------------------------------------------- */

/* One and many; the many follow their number. */
static const char *const anomaly_words[ANOMALIES][2] = {
    [ANOMALY_CUT] = {"the file is not closed", NULL},
    [ANOMALY_CUT_ROW] = {"the last row is cut off: left out", NULL},
    [ANOMALY_BROKEN] = {"row that cannot be read: left out", "rows that cannot be read: left out"},
    [ANOMALY_NO_PARAMETER] = {"row that lacks a parameter: left out",
                              "rows that lack a parameter: left out"},
    [ANOMALY_NO_TIME] = {"row without a time: taken as failed (runtime)",
                         "rows without a time: taken as failed (runtime)"},
    [ANOMALY_BAD_TIME] =
        {"row said to be correct with a time that is none: taken as failed (runtime)",
         "rows said to be correct with a time that is none: taken as failed "
         "(runtime)"},
    [ANOMALY_FAILED_TIME] = {"failed row with a time: the time is left out",
                             "failed rows with a time: the times are left out"},
    [ANOMALY_FAILED_ZERO] = {"failed row with a time of 0: it has none",
                             "failed rows with a time of 0: they have none"},
    [ANOMALY_MEAN_ONLY] = {"row without raw times: it has one, the mean",
                           "rows without raw times: each has one, the mean"},
    [ANOMALY_INCORRECT] = {"row said to be correct with a correctness of 0: taken as wrong",
                           "rows said to be correct with a correctness of 0: taken as wrong"},
    [ANOMALY_STATUS] = {"row with an outcome that is not known: taken as failed (runtime)",
                        "rows with an outcome that is not known: taken as failed (runtime)"},
    [ANOMALY_NO_STATUS] = {"row without an outcome: its time decides",
                           "rows without an outcome: their times decide"},
    [ANOMALY_TEXT_TIME] = {"time written as text", "times written as texts"},
    [ANOMALY_TEXT_VALUE] = {"parameter's number written as text",
                            "numbers of parameters written as texts"},
    [ANOMALY_BOOL_VALUE] = {"truth value of a parameter: 1 or 0 here",
                            "truth values of parameters: 1 or 0 here"},
    [ANOMALY_KEY_VALUE] = {"row with a parameter's value only in its key",
                           "rows with a parameter's value only in their keys"},
    [ANOMALY_NOT_NUMBER] = {"row with NaN or Infinity: read as missing",
                            "rows with NaN or Infinity: read as missing"},
    [ANOMALY_NO_UNIT] = {"the file names no unit of time: milliseconds, as most tuners write",
                         NULL},
    [ANOMALY_OTHER_MEAN] =
        {"row whose time is not the mean of its times by more than 1 %: its times count",
         "rows whose time is not the mean of their times by more than 1 %: their times "
         "count"},
    [ANOMALY_TWICE] = {"row of a configuration that comes again: the last one counts",
                       "rows of configurations that come again: the last one counts"},
};

void foreign_note(ForeignTable *t, Anomaly o)
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

/* "Milli-Seconds" as "millisecond": small letters, without a plural. */
static void plain_unit(const char *name, char *out, size_t room)
{
    size_t n = 0;
    for (; *name && n + 1 < room; name++)
        if (isalpha((unsigned char)*name) || (unsigned char)*name >= 0x80)
            out[n++] = (char)tolower((unsigned char)*name);
    if (n > 3 && out[n - 1] == 's')
        n--;
    out[n] = '\0';
}

double foreign_unit_ms(const char *name)
{
    /* Both micro signs of Unicode are in use. */
    static const struct {
        const char *name;
        double ms;
    } units[] = {
        {"ns", 1e-6},       {"nsec", 1e-6},        {"nanosec", 1e-6},   {"nanosecond", 1e-6},
        {"us", 1e-3},       {"\xc2\xb5s", 1e-3},   {"\xce\xbcs", 1e-3}, {"usec", 1e-3},
        {"microsec", 1e-3}, {"microsecond", 1e-3}, {"ms", 1},           {"msec", 1},
        {"millisec", 1},    {"millisecond", 1},    {"milisecond", 1},   {"milisec", 1},
        {"s", 1e3},         {"sec", 1e3},          {"second", 1e3}};
    char plain[24];
    plain_unit(name, plain, sizeof plain);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(plain, units[i].name) == 0)
            return units[i].ms;
    return 0;
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
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(word, words[i].word) == 0)
            return words[i].status;
    return OUTCOME_OTHER;
}

/* --- values ----------------------------------------------------------------------------------- */

static const char *dumped(Arena *a, const json_t *v)
{
    char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *kept = arena_string(a, text ? text : "");
    free(text);
    return kept;
}

/* 2^63; below it a double that is whole is an int64_t. */
static const double int64_end = 9223372036854775808.0;

static ForeignValue real_value(double v, bool whole)
{
    if (whole && v == floor(v) && v >= -int64_end && v < int64_end)
        return (ForeignValue){.kind = FOREIGN_INT, .integer = (int64_t)v};
    return (ForeignValue){.kind = FOREIGN_REAL, .real = v};
}

bool foreign_value(ForeignTable *t, const json_t *v, bool whole, ForeignValue *out)
{
    if (!v || json_is_null(v))
        return false;
    if (json_is_boolean(v)) {
        foreign_note(t, ANOMALY_BOOL_VALUE);
        *out = (ForeignValue){.kind = FOREIGN_INT, .integer = json_is_true(v)};
    } else if (json_is_integer(v)) {
        *out = (ForeignValue){.kind = FOREIGN_INT, .integer = json_integer_value(v)};
    } else if (json_is_real(v)) {
        *out = real_value(json_real_value(v), whole);
    } else {
        const char *text = json_string_value(v);
        *out = (ForeignValue){.kind = FOREIGN_TEXT,
                              .text = text ? arena_string(t->arena, text) : dumped(t->arena, v)};
    }
    return true;
}

/* A text that is a number and nothing else; no hexadecimals, no "inf". */
static bool text_as_real(const char *text, double *out)
{
    char *end;
    if (!*text || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

/* A whole number as it would be printed: "007" stays a text. */
static bool text_as_int(const char *text, int64_t *out)
{
    char back[32], *end;
    if (!*text || strlen(text) > 20 || text[strspn(text, "0123456789-")] != '\0')
        return false;
    *out = strtoll(text, &end, 10);
    snprintf(back, sizeof back, "%lld", (long long)*out);
    return *end == '\0' && strcmp(back, text) == 0;
}

double foreign_number(ForeignTable *t, const json_t *v)
{
    double number;
    if (json_is_number(v))
        return json_number_value(v);
    if (!json_is_string(v) || !text_as_real(json_string_value(v), &number))
        return NAN;
    foreign_note(t, ANOMALY_TEXT_TIME);
    return number;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Kernel Tuner's strategies put 1e20 where there is no time, KTT the largest 64-bit number of
 * nanoseconds (5e5 hours). */
static bool is_time(double v)
{
    return v > 0 && v < 1e12;
}

/* Times of a failed row are none; what they looked like is counted. */
static void refuse_times(ForeignTable *t, const double *times, size_t count)
{
    bool zero = false, above = false;
    for (size_t i = 0; i < count; i++) {
        zero |= times[i] == 0;
        above |= is_time(times[i]);
    }
    if (above)
        foreign_note(t, ANOMALY_FAILED_TIME);
    else if (zero)
        foreign_note(t, ANOMALY_FAILED_ZERO);
}

static bool all_times(const double *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_time(times[i]))
            return false;
    return true;
}

void foreign_add(ForeignTable *t, ForeignValue *values, Outcome status, const char *message,
                 const double *times, size_t time_count, bool in_ms)
{
    ForeignRow row = {.values = values, .status = status, .in_ms = in_ms};
    if (status != OUTCOME_OK) {
        refuse_times(t, times, time_count);
        row.message = message ? arena_string(t->arena, message) : NULL;
    } else if (time_count == 0 || !all_times(times, time_count)) {
        foreign_note(t, time_count == 0 ? ANOMALY_NO_TIME : ANOMALY_BAD_TIME);
        row.status = OUTCOME_FAULT;
        row.message = time_count == 0 ? "no time in the imported file"
                                      : "a time that is none in the imported file";
    } else {
        row.times = ARENA_ARRAY(t->arena, double, time_count);
        row.time_count = time_count;
        memcpy(row.times, times, time_count * sizeof *times);
    }
    VEC_PUSH(t->arena, &t->rows, row);
}

void foreign_scale(ForeignTable *t)
{
    bool needed = false;
    for (size_t i = 0; i < t->rows.count; i++) {
        ForeignRow *row = &t->rows.at[i];
        needed |= row->time_count > 0 && !row->in_ms;
        double unit = row->in_ms || t->unit_ms == 0 ? 1 : t->unit_ms;
        for (size_t k = 0; k < row->time_count; k++)
            row->times[k] = record_round(row->times[k] * unit);
        row->in_ms = true;
    }
    if (needed && t->unit_ms == 0)
        t->anomalies[ANOMALY_NO_UNIT]++;
}

/* --- as a recording has them ------------------------------------------------------------------ */

/* What a column's values allow: each bit is lost to a value that is not such a one. */
enum { CAN_BE_INT = 1, CAN_BE_REAL = 2 };

static int column_can(const ForeignTable *t, size_t p)
{
    int can = CAN_BE_INT | CAN_BE_REAL;
    for (size_t i = 0; i < t->rows.count && can; i++) {
        const ForeignValue *v = &t->rows.at[i].values[p];
        int64_t whole;
        double real;
        if (v->kind == FOREIGN_REAL)
            can &= ~CAN_BE_INT;
        if (v->kind != FOREIGN_TEXT)
            continue;
        if (!text_as_int(v->text, &whole))
            can &= ~CAN_BE_INT;
        if (!text_as_real(v->text, &real))
            can &= ~CAN_BE_REAL;
    }
    return can;
}

/* Brings the values of a column to one kind. */
static void settle_column(ForeignTable *t, size_t p, int can)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        ForeignValue *v = &t->rows.at[i].values[p];
        int64_t whole;
        double real;
        if (v->kind != FOREIGN_TEXT || !can)
            continue;
        t->anomalies[ANOMALY_TEXT_VALUE]++;
        if ((can & CAN_BE_INT) && text_as_int(v->text, &whole))
            *v = (ForeignValue){.kind = FOREIGN_INT, .integer = whole};
        else if (text_as_real(v->text, &real))
            *v = (ForeignValue){.kind = FOREIGN_REAL, .real = real};
    }
}

RecordParameter *foreign_parameters(ForeignTable *t)
{
    size_t n = t->names.count;
    RecordParameter *parameters = ARENA_ARRAY(t->arena, RecordParameter, n);
    for (size_t p = 0; p < n; p++) {
        int can = column_can(t, p);
        settle_column(t, p, can);
        parameters[p] = (RecordParameter){t->names.at[p], !(can & CAN_BE_INT)};
    }
    return parameters;
}

/* Reals as a spec prints them, so that its configurations are found. */
static RecordValue record_value(Arena *a, const RecordParameter *p, const ForeignValue *v)
{
    if (!p->is_text)
        return (RecordValue){.number = v->integer};
    if (v->kind == FOREIGN_TEXT)
        return (RecordValue){.text = v->text};
    Buf b = {0};
    value_print_bare(v->kind == FOREIGN_INT ? value_int(v->integer) : value_real(v->real), &b);
    RecordValue out = {.text = arena_string(a, buf_text(&b))};
    buf_free(&b);
    return out;
}

const RecordValue *foreign_record_values(Arena *a, const RecordParameter *p, size_t count,
                                         const ForeignValue *values)
{
    RecordValue *out = ARENA_ARRAY(a, RecordValue, count);
    for (size_t i = 0; i < count; i++)
        out[i] = record_value(a, &p[i], &values[i]);
    return out;
}

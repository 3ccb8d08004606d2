#include "tuner/output/foreign_read.h"

#include "tuner/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- for all formats ----------------------------------------------------------------------------
 */

const char *foreign_text(const ForeignReader *r, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text ? arena_string(r->table->arena, text) : NULL;
}

const char *foreign_json(const ForeignReader *r, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    const char *kept = text ? arena_string(r->table->arena, text) : NULL;
    free(text);
    return kept;
}

void foreign_take_unit(ForeignTable *t, const char *name)
{
    if (!name)
        return;
    t->unit_ms = foreign_unit_ms(name);
    t->unknown_unit = t->unit_ms == 0 ? arena_string(t->arena, name) : NULL;
}

const double *foreign_numbers(ForeignReader *r, const json_t *array, size_t *count)
{
    *count = json_array_size(array);
    double *out = ARENA_ARRAY(r->scratch, double, *count);
    for (size_t i = 0; i < *count; i++) {
        const json_t *v = json_array_get(array, i);
        /* [0, t]: the number of the sample, and its time. */
        if (json_is_array(v) && json_array_size(v) > 0)
            v = json_array_get(v, json_array_size(v) - 1);
        out[i] = foreign_number(r->table, v);
    }
    return out;
}

void foreign_compare_mean(ForeignTable *t, const double *times, size_t count, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    if (count > 0 && mean > 0 && fabs(sum / (double)count / mean - 1) > 0.01)
        foreign_odd(t, ODD_OTHER_MEAN);
}

/* An iterator of jansson's wants an object that may change. */
static void name_parameters(ForeignTable *t, const json_t *object)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)object);
    const char *name;
    json_t *v;
    json_object_foreach(copy, name, v) VEC_PUSH(t->arena, &t->names, arena_string(t->arena, name));
    json_decref(copy);
}

ForeignValue *foreign_new_values(ForeignReader *r)
{
    size_t n = r->table->names.count;
    if (n > 0 && n <= FOREIGN_PARAMETERS_MOST)
        return ARENA_ARRAY(r->scratch, ForeignValue, n);
    foreign_odd(r->table, ODD_NO_PARAMETER);
    return NULL;
}

/* Kept only when the whole row is: one of many parameters may come with many rows that have none.
 */
ForeignValue *foreign_keep_values(ForeignReader *r, const ForeignValue *values)
{
    ForeignValue *kept = ARENA_ARRAY(r->table->arena, ForeignValue, r->table->names.count);
    memcpy(kept, values, r->table->names.count * sizeof *kept);
    return kept;
}

ForeignValue *foreign_named_values(ForeignReader *r, const json_t *object, bool whole)
{
    ForeignTable *t = r->table;
    if (t->names.count == 0 && json_is_object(object))
        name_parameters(t, object);
    ForeignValue *values = foreign_new_values(r);
    for (size_t p = 0; values && p < t->names.count; p++) {
        if (!foreign_value(t, json_object_get(object, t->names.at[p]), whole, &values[p])) {
            foreign_odd(t, ODD_NO_PARAMETER);
            return NULL;
        }
    }
    return values ? foreign_keep_values(r, values) : NULL;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static void take_row(ForeignReader *r, ScanText key, ScanText text, ForeignTake take)
{
    ForeignTable *t = r->table;
    ScanOddities odd;
    t->read++;
    json_t *row = scan_load(text, &r->copy, &odd);
    if (odd.not_number)
        foreign_odd(t, ODD_NOT_NUMBER);
    if (json_is_object(row))
        take(r, key, row, odd.huge);
    else
        foreign_odd(t, ODD_BROKEN);
    json_decref(row);
    arena_reset(r->scratch);
}

static void tell_progress(const ForeignReader *r)
{
    const Scan *s = r->scan;
    const RunProgress *p = r->progress;
    if (p && p->step && r->table->read % 256 == 0)
        p->step(p->context, "read", (size_t)(s->at - s->begin), (size_t)(s->end - s->begin), NULL);
}

/* All elements of the object or array that stands next. */
static void take_rows(ForeignReader *r, ForeignTake take)
{
    Scan *s = r->scan;
    bool keys = scan_peek(s) == '{';
    if (!scan_open(s, keys ? '{' : '['))
        return;
    while (scan_more(s, keys ? '}' : ']')) {
        ScanText key = {"", 0}, text;
        if ((!keys || scan_key(s, &key)) && scan_value(s, &text))
            take_row(r, key, text, take);
        else if (s->cut)
            r->table->odd[ODD_CUT_ROW]++;
        tell_progress(r);
    }
}

/* --- the file -----------------------------------------------------------------------------------
 */

typedef struct ForeignFormat {
    const char *rows; /* the key of its rows */
    const char *name;
    ForeignTake take_row;
    void (*take_field)(ForeignReader *r, ScanText key, const json_t *v);
} ForeignFormat;

static const ForeignFormat formats[] = {
    {"cache", "Kernel Tuner cache", foreign_take_cache_row, foreign_take_cache_field},
    {"results", "T4", foreign_take_t4_row, foreign_take_t4_field},
    {"Results", "KTT", foreign_take_ktt_row, foreign_take_ktt_field},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const ForeignFormat *format_of(ScanText key)
{
    for (int i = 0; i < FORMATS; i++)
        if (scan_is(key, formats[i].rows))
            return &formats[i];
    return NULL;
}

/* Fields of each format have names of their own, so all readers are asked. */
static void take_field(ForeignReader *r, ScanText key, ScanText text)
{
    ScanOddities odd;
    json_t *v = scan_load(text, &r->copy, &odd);
    for (int i = 0; i < FORMATS && v; i++)
        formats[i].take_field(r, key, v);
    json_decref(v);
}

static void take_file(ForeignReader *r)
{
    Scan *s = r->scan;
    if (!scan_open(s, '{'))
        return;
    while (scan_more(s, '}')) {
        ScanText key, text;
        if (!scan_key(s, &key))
            return;
        const ForeignFormat *f = format_of(key);
        if (f) {
            r->table->format = f->name;
            take_rows(r, f->take_row);
        } else if (scan_value(s, &text)) {
            take_field(r, key, text);
        }
    }
}

/* Says why nothing can be made of the file. */
static bool refuse(const ForeignTable *t, const Scan *s, const char *path, Diag *d)
{
    if (s->bad)
        return diag_fail(d, "'%s' is not JSON: byte %zu cannot stand there", path,
                         (size_t)(s->at - s->begin));
    if (t->names.count > FOREIGN_PARAMETERS_MOST)
        return diag_fail(d, "'%s' has %zu parameters; %d are the most", path, t->names.count,
                         FOREIGN_PARAMETERS_MOST);
    if (!t->format)
        return diag_fail(
            d,
            "'%s' is none of the files known here: a cache of Kernel Tuner has "
            "\"cache\", T4 \"results\", KTT's JSON \"Results\" in its outermost object",
            path);
    return diag_fail(d, "'%s' (%s) has no row that can be read", path, t->format);
}

/* A file whose rows all fail to have a time says nothing; what it has instead is named. */
static bool has_time(const ForeignTable *t, const char *path, Diag *d)
{
    for (size_t i = 0; i < t->rows.count; i++)
        if (t->rows.at[i].time_count > 0)
            return true;
    if (t->odd[ODD_NO_TIME] + t->odd[ODD_BAD_TIME] > 0)
        return diag_fail(d, "'%s' (%s) has no time in any of its %zu rows; its objective is '%s'",
                         path, t->format, t->read, t->objective ? t->objective : "not named");
    return true;
}

ForeignTable *foreign_read(Arena *a, const char *path, const char *text, size_t size,
                           const char *unit, const RunProgress *progress, Diag *d)
{
    ForeignTable *t = ARENA_NEW(a, ForeignTable);
    t->arena = a;
    Scan s = scan_new(text, size);
    ForeignReader r = {
        .table = t, .scan = &s, .scratch = arena_new(), .progress = progress, .diag = d};
    double asked = unit ? foreign_unit_ms(unit) : 0;
    take_file(&r);
    buf_free(&r.copy);
    arena_free(r.scratch);
    if (unit && asked == 0)
        return diag_fail(d, "unknown unit of time '%s'; ns, us, ms and s are known", unit), NULL;
    if (s.bad || !t->format || t->rows.count == 0)
        return refuse(t, &s, path, d), NULL;
    if (t->unknown_unit && asked == 0)
        return diag_fail(d, "'%s' has times in '%s', which is no unit known here; --unit says it",
                         path, t->unknown_unit),
               NULL;
    if (!has_time(t, path, d))
        return NULL;
    t->odd[ODD_CUT] += s.cut;
    if (asked > 0)
        t->unit_ms = asked;
    foreign_scale(t);
    return t;
}

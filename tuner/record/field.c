#include "tuner/record/field.h"

#include "metrics/base/outcome.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The value of a pointer member of any type. */
static const char *pointer_at(const char *at)
{
    const char *p;
    memcpy(&p, at, sizeof p);
    return p;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put_value(Buf *line, FieldKind kind, const char *at)
{
    switch (kind) {
    case FIELD_TEXT:
        line_text(line, pointer_at(at));
        break;
    case FIELD_VALUE:
        line_value(line, *(const Value *)at);
        break;
    case FIELD_NUMBER:
        line_number(line, *(const double *)at);
        break;
    case FIELD_ROUGH:
        buf_printf(line, "%.6g", *(const double *)at);
        break;
    case FIELD_COUNT:
        line_integer(line, *(const int *)at);
        break;
    case FIELD_OUTCOME:
        line_text(line, outcome_recorded(*(const Outcome *)at));
        break;
    case FIELD_IS_TEXT:
        line_text(line, *(const bool *)at ? "text" : "int");
        break;
    }
}

static void put_list(Buf *line, const Field *f, const char *at, size_t count)
{
    buf_putc(line, '[');
    for (size_t i = 0; i < count; i++, at += f->size) {
        line_comma(line);
        if (f->pairs) {
            buf_putc(line, '[');
            line_text(line, pointer_at(at));
            line_comma(line);
        }
        put_value(line, f->kind, f->pairs ? at + sizeof(char *) : at);
        if (f->pairs)
            buf_putc(line, ']');
    }
    buf_putc(line, ']');
}

static bool is_left_out(const Field *f, const char *from)
{
    const char *at = from + f->at;
    if (f->when == FIELD_IF_KNOWN)
        return isnan(*(const double *)at);
    if (f->when == FIELD_ALWAYS || f->when == FIELD_OR_EMPTY)
        return false;
    if (f->when == FIELD_IF_FULL)
        return !pointer_at(at) || !*pointer_at(at);
    return f->size                   ? *(const size_t *)(from + f->count_at) == 0
           : f->kind == FIELD_TEXT   ? !pointer_at(at)
           : f->kind == FIELD_NUMBER ? !(*(const double *)at > 0)
                                     : *(const int *)at <= 0;
}

void fields_write(Buf *line, const Field *fields, size_t count, const void *from)
{
    const char *base = from;
    for (const Field *f = fields; f < fields + count; f++) {
        if (is_left_out(f, base))
            continue;
        line_key(line, f->key);
        if (f->size)
            put_list(line, f, pointer_at(base + f->at), *(const size_t *)(base + f->count_at));
        else
            put_value(line, f->kind, base + f->at);
    }
}

/* --- reading ---------------------------------------------------------------------------------- */

bool field_fail(FieldReader *r, const char *format, ...)
{
    SCOPED_BUF text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    diag_fail(r->diag, "%s:%zu: %s", r->path, r->line, buf_text(&text));
    r->ok = false;
    return false;
}

bool field_line(Arena *a, const RecordLine *line, FieldTake *take, void *to, Diag *d)
{
    json_error_t error;
    json_t *root = json_loadb(line->text, line->size, JSON_REJECT_DUPLICATES, &error);
    FieldReader r = {a, root, line->path, line->number, d, true};
    if (json_is_object(root))
        take(&r, to);
    else
        field_fail(&r, "%s", root ? "an object is expected" : error.text);
    json_decref(root);
    return r.ok;
}

bool field_exists(const FieldReader *r, const char *key)
{
    return json_object_get(r->root, key) != NULL;
}

static double take_number(FieldReader *r, const json_t *j)
{
    const char *text = json_string_value(j);
    if (json_is_number(j))
        return json_number_value(j);
    if (text && strcmp(text, "inf") == 0)
        return INFINITY;
    if (text && strcmp(text, "-inf") == 0)
        return -INFINITY;
    if (!json_is_null(j))
        field_fail(r, "a number is expected");
    return NAN;
}

static int take_count(FieldReader *r, const Field *f, const json_t *j)
{
    const double v = j && !json_is_number(j) ? NAN : json_number_value(j);
    if (v >= f->least && v <= INT_MAX && v == floor(v))
        return (int)v;
    field_fail(r, "'%s' is not a whole number of at least %d", f->key, f->least);
    return f->least;
}

static const char *take_text(FieldReader *r, const Field *f, const json_t *j)
{
    if (!json_is_string(j) && (j || f->when == FIELD_ALWAYS))
        field_fail(r,
                   f->size ? "'%s' holds something other than strings"
                   : j     ? "'%s' is not a string"
                           : "'%s' is missing",
                   f->key);
    if (json_is_string(j))
        return arena_string(r->arena, json_string_value(j));
    return f->when == FIELD_OR_EMPTY || f->when == FIELD_IF_FULL ? "" : NULL;
}

static Value take_value(FieldReader *r, const json_t *j)
{
    if (json_is_string(j))
        return value_string(arena_string(r->arena, json_string_value(j)));
    if (!json_is_integer(j))
        field_fail(r, "a whole number or a string is expected");
    return value_int(json_integer_value(j));
}

/* `j` is NULL when the field is missing. */
static void take(FieldReader *r, const Field *f, const json_t *j, char *at)
{
    const char *text = NULL;
    switch (f->kind) {
    case FIELD_TEXT:
        text = take_text(r, f, j);
        memcpy(at, &text, sizeof text);
        break;
    case FIELD_VALUE:
        *(Value *)at = take_value(r, j);
        break;
    case FIELD_NUMBER:
    case FIELD_ROUGH:
        *(double *)at = j ? take_number(r, j) : f->when == FIELD_IF_KNOWN ? NAN : 0;
        break;
    case FIELD_COUNT:
        *(int *)at = take_count(r, f, j);
        break;
    case FIELD_OUTCOME:
        text = take_text(r, f, j);
        *(Outcome *)at = text ? outcome_of_recorded(text) : OUTCOME_OTHER;
        break;
    case FIELD_IS_TEXT:
        text = json_string_value(j);
        *(bool *)at = text && strcmp(text, "text") == 0;
        if (!text || (!*(bool *)at && strcmp(text, "int") != 0))
            field_fail(r, "one of the '%s' is neither int nor text", f->key);
        break;
    }
}

static void take_list(FieldReader *r, const Field *f, const json_t *list, char *to)
{
    const size_t n = json_array_size(list);
    char *at = arena_array(r->arena, n, f->size);
    memcpy(to + f->at, &at, sizeof at);
    *(size_t *)(to + f->count_at) = n;
    if (list && !json_is_array(list))
        field_fail(r, "'%s' is not an array", f->key);
    for (size_t i = 0; i < n && r->ok; i++, at += f->size) {
        const json_t *j = json_array_get(list, i);
        const char *name = json_string_value(json_array_get(j, 0));
        if (!f->pairs) {
            take(r, f, j, at);
        } else if (!name || !json_array_get(j, 1)) {
            field_fail(r, "'%s' is not a list of pairs", f->key);
        } else {
            name = arena_string(r->arena, name);
            memcpy(at, &name, sizeof name);
            take(r, f, json_array_get(j, 1), at + sizeof name);
        }
    }
}

void fields_read(FieldReader *r, const Field *fields, size_t count, void *to)
{
    for (const Field *f = fields; f < fields + count && r->ok; f++) {
        const json_t *j = json_object_get(r->root, f->key);
        if (f->size)
            take_list(r, f, j, to);
        else
            take(r, f, j, (char *)to + f->at);
    }
}

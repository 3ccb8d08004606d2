#include "tuner/record/field.h"

#include <math.h>
#include <string.h>

void field_open(FieldReader *r, Arena *a, const RecordLine *line, Diag *d)
{
    *r = (FieldReader){a, NULL, line->path, line->number, d, true};
    json_error_t error;
    r->root = json_loadb(line->text, line->size, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(r->root))
        field_fail(r, "%s", r->root ? "an object is expected" : error.text);
}

bool field_close(FieldReader *r)
{
    json_decref(r->root);
    r->root = NULL;
    return r->ok;
}

bool field_fail(FieldReader *r, const char *format, ...)
{
    Buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    diag_fail(r->diag, "%s:%zu: %s", r->path, r->line, buf_text(&text));
    buf_free(&text);
    r->ok = false;
    return false;
}

bool field_exists(const FieldReader *r, const char *key)
{
    return json_object_get(r->root, key) != NULL;
}

const char *field_text(FieldReader *r, const char *key, bool required)
{
    const json_t *v = json_object_get(r->root, key);
    if (json_is_string(v))
        return field_as_text(r, v);
    if (v || required)
        field_fail(r, "'%s' %s", key, v ? "is not a text" : "is missing");
    return NULL;
}

const char *field_as_text(FieldReader *r, const json_t *v)
{
    return json_is_string(v) ? arena_string(r->arena, json_string_value(v)) : NULL;
}

double field_as_number(FieldReader *r, const json_t *v)
{
    if (json_is_number(v))
        return json_number_value(v);
    if (json_is_null(v))
        return NAN;
    const char *text = json_string_value(v);
    if (text && strcmp(text, "inf") == 0)
        return INFINITY;
    if (text && strcmp(text, "-inf") == 0)
        return -INFINITY;
    field_fail(r, "a number is expected");
    return NAN;
}

double field_number(FieldReader *r, const char *key, double missing)
{
    const json_t *v = json_object_get(r->root, key);
    return v ? field_as_number(r, v) : missing;
}

RecordValue field_as_value(FieldReader *r, const json_t *v)
{
    if (json_is_string(v))
        return (RecordValue){.text = arena_string(r->arena, json_string_value(v))};
    if (!json_is_integer(v))
        field_fail(r, "a whole number or a text is expected");
    return (RecordValue){.number = json_integer_value(v)};
}

/* The array of that name, or NULL. */
static const json_t *array_of(FieldReader *r, const char *key, size_t *count)
{
    const json_t *v = json_object_get(r->root, key);
    *count = json_array_size(v);
    if (v && !json_is_array(v))
        field_fail(r, "'%s' is not an array", key);
    return v;
}

double *field_numbers(FieldReader *r, const char *key, size_t *count)
{
    const json_t *v = array_of(r, key, count);
    double *out = ARENA_ARRAY(r->arena, double, *count);
    for (size_t i = 0; i < *count; i++)
        out[i] = field_as_number(r, json_array_get(v, i));
    return out;
}

const char **field_texts(FieldReader *r, const char *key, size_t *count)
{
    const json_t *v = array_of(r, key, count);
    const char **out = ARENA_ARRAY(r->arena, const char *, *count);
    for (size_t i = 0; i < *count; i++) {
        const char *text = json_string_value(json_array_get(v, i));
        out[i] = arena_string(r->arena, text ? text : "");
        if (!text)
            field_fail(r, "'%s' holds something other than texts", key);
    }
    return out;
}

RecordValue *field_values(FieldReader *r, const char *key, size_t *count)
{
    const json_t *v = array_of(r, key, count);
    RecordValue *out = ARENA_ARRAY(r->arena, RecordValue, *count);
    for (size_t i = 0; i < *count; i++)
        out[i] = field_as_value(r, json_array_get(v, i));
    return out;
}

FieldPairs field_pairs(FieldReader *r, const char *key)
{
    FieldPairs p = {0};
    const json_t *v = array_of(r, key, &p.count);
    p.names = ARENA_ARRAY(r->arena, const char *, p.count);
    p.second = ARENA_ARRAY(r->arena, const json_t *, p.count);
    for (size_t i = 0; i < p.count; i++) {
        const json_t *pair = json_array_get(v, i);
        const char *name = json_string_value(json_array_get(pair, 0));
        p.names[i] = arena_string(r->arena, name ? name : "");
        p.second[i] = json_array_get(pair, 1);
        if (!name || !p.second[i])
            field_fail(r, "'%s' is not made of pairs", key);
    }
    return p;
}

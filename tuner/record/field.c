#include "tuner/record/field.h"

#include "tuner/record/parse.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* --- the line --------------------------------------------------------------------------------- */

static const char *find(const FieldReader *r, const char *key, size_t size)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->fields[i].key_size == size && memcmp(r->fields[i].key, key, size) == 0)
            return r->fields[i].value;
    return NULL;
}

static bool add_field(FieldReader *r, Parse *p)
{
    if (parse_peek(p) != '"')
        return field_fail(r, "a key is expected");
    Field f = {.key = p->at + 1};
    if (!parse_skip(p))
        return false;
    f.key_size = (size_t)(p->at - f.key) - 1;
    if (!parse_take(p, ':'))
        return false;
    parse_peek(p);
    f.value = p->at;
    if (find(r, f.key, f.key_size))
        return field_fail(r, "duplicate field '%.*s'", (int)f.key_size, f.key);
    if (r->count == FIELDS_MOST)
        return field_fail(r, "more than %d fields", FIELDS_MOST);
    r->fields[r->count++] = f;
    return parse_skip(p);
}

static bool add_fields(FieldReader *r, Parse *p)
{
    if (parse_peek(p) != '{')
        return field_fail(r, "an object is expected");
    p->at++;
    if (parse_peek(p) == '}')
        return parse_take(p, '}');
    for (;;) {
        if (!add_field(r, p))
            return false;
        if (parse_peek(p) != ',')
            return parse_take(p, '}');
        p->at++;
    }
}

void field_open(FieldReader *r, Arena *a, const RecordLine *line, Diag *d)
{
    r->arena = a;
    r->count = 0;
    r->path = line->path;
    r->line = line->number;
    r->end = line->text + line->size;
    r->diag = d;
    r->ok = true;
    Parse p = {line->text, r->end, NULL};
    bool ok = add_fields(r, &p) && (parse_peek(&p) == '\0' && p.at == p.end);
    if (!ok && r->ok)
        field_fail(r, "%s at byte %zu", p.error ? p.error : "the end of the line is expected",
                   (size_t)(p.at - line->text) + 1);
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

/* --- single values ---------------------------------------------------------------------------- */

static const char *value_of(const FieldReader *r, const char *key)
{
    return r->ok ? find(r, key, strlen(key)) : NULL;
}

static bool is_text(const char *value)
{
    return *value == '"';
}

static bool is_number(const char *value)
{
    return *value == '-' || (*value >= '0' && *value <= '9');
}

bool field_exists(const FieldReader *r, const char *key)
{
    return value_of(r, key) != NULL;
}

const char *field_as_text(FieldReader *r, const char *value)
{
    return is_text(value) ? parse_text(r->arena, &value) : NULL;
}

const char *field_text(FieldReader *r, const char *key, bool required)
{
    const char *v = value_of(r, key);
    if (v && is_text(v))
        return parse_text(r->arena, &v);
    if (v || required)
        field_fail(r, "'%s' %s", key, v ? "is not a text" : "is missing");
    return NULL;
}

static bool starts_with(const char *value, const char *word)
{
    return strncmp(value, word, strlen(word)) == 0;
}

double field_as_number(FieldReader *r, const char *value)
{
    if (is_number(value)) {
        double number = parse_number(&value);
        if (isinf(number))
            field_fail(r, "a number is too large");
        return number;
    }
    if (*value == 'n')
        return NAN;
    if (starts_with(value, "\"inf\""))
        return INFINITY;
    if (starts_with(value, "\"-inf\""))
        return -INFINITY;
    field_fail(r, "a number is expected");
    return NAN;
}

double field_number(FieldReader *r, const char *key, double missing)
{
    const char *v = value_of(r, key);
    return v ? field_as_number(r, v) : missing;
}

RecordValue field_as_value(FieldReader *r, const char *value)
{
    RecordValue v = {0};
    if (is_text(value))
        v.text = parse_text(r->arena, &value);
    else if (!is_number(value) || !parse_integer(&value, &v.number))
        field_fail(r, "a whole number or a text is expected");
    return v;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* Moves behind an element and the comma behind it.  The line has been looked through: nothing can
 * fail. */
static void next_element(Parse *p)
{
    parse_skip(p);
    if (parse_peek(p) == ',')
        p->at++;
    parse_peek(p);
}

/* Stands before the first element of an array; counts them.  None when there is no such field. */
static Parse open_array(FieldReader *r, const char *at, const char *key, size_t *count)
{
    Parse p = {at, r->end, NULL};
    *count = 0;
    if (at && *at != '[')
        field_fail(r, "'%s' is not an array", key);
    if (!at || *at != '[')
        return p;
    p.at++;
    parse_peek(&p);
    for (Parse q = p; *q.at != ']'; next_element(&q))
        (*count)++;
    return p;
}

double *field_numbers(FieldReader *r, const char *key, size_t *count)
{
    Parse p = open_array(r, value_of(r, key), key, count);
    double *out = ARENA_ARRAY(r->arena, double, *count);
    for (size_t i = 0; i < *count; i++, next_element(&p))
        out[i] = field_as_number(r, p.at);
    return out;
}

const char **field_texts(FieldReader *r, const char *key, size_t *count)
{
    Parse p = open_array(r, value_of(r, key), key, count);
    const char **out = ARENA_ARRAY(r->arena, const char *, *count);
    for (size_t i = 0; i < *count; i++, next_element(&p)) {
        const char *text = field_as_text(r, p.at);
        out[i] = text ? text : "";
        if (!text)
            field_fail(r, "'%s' holds something other than texts", key);
    }
    return out;
}

RecordValue *field_values(FieldReader *r, const char *key, size_t *count)
{
    Parse p = open_array(r, value_of(r, key), key, count);
    RecordValue *out = ARENA_ARRAY(r->arena, RecordValue, *count);
    for (size_t i = 0; i < *count; i++, next_element(&p))
        out[i] = field_as_value(r, p.at);
    return out;
}

/* One [name, x]; false when it is something else. */
static bool read_pair(FieldReader *r, const char *at, const char **name, const char **second)
{
    size_t count;
    if (*at != '[')
        return false;
    Parse p = open_array(r, at, "", &count);
    *name = count > 0 ? field_as_text(r, p.at) : NULL;
    if (!*name || count < 2)
        return false;
    next_element(&p);
    *second = p.at;
    return true;
}

FieldPairs field_pairs(FieldReader *r, const char *key)
{
    FieldPairs pairs = {0};
    Parse p = open_array(r, value_of(r, key), key, &pairs.count);
    pairs.names = ARENA_ARRAY(r->arena, const char *, pairs.count);
    pairs.second = ARENA_ARRAY(r->arena, const char *, pairs.count);
    for (size_t i = 0; i < pairs.count; i++, next_element(&p)) {
        if (read_pair(r, p.at, &pairs.names[i], &pairs.second[i]))
            continue;
        field_fail(r, "'%s' is not made of pairs", key);
        pairs.names[i] = "";
        pairs.second[i] = "null";
    }
    return pairs;
}

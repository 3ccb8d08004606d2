#include "metrics/base/json_struct.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(const JsonField *f)
{
    static const size_t sizes[] = {
        [JSON_KIND_INT] = sizeof(int),
        [JSON_KIND_INT64] = sizeof(int64_t),
        [JSON_KIND_BOOL] = sizeof(bool),
        [JSON_KIND_REAL] = sizeof(double),
        [JSON_KIND_TEXT] = sizeof(char *),
        [JSON_KIND_RAW] = sizeof(char *),
        [JSON_KIND_BYTE] = 1,
        [JSON_KIND_BYTES] = sizeof(const void *),
    };
    return f->kind == JSON_KIND_STRUCT ? f->of->size : sizes[f->kind];
}

/* The value of a pointer member of any type. */
static const char *pointer_at(const char *at)
{
    const char *p;
    memcpy(&p, at, sizeof p);
    return p;
}

/* --- writing ---------------------------------------------------------------------------------- */

static json_t *of_real(double v)
{
    if (isnan(v))
        return json_string("nan");
    if (isinf(v))
        return json_string(v > 0 ? "inf" : "-inf");
    return json_real(v);
}

json_t *json_of_text(const char *text)
{
    json_t *j = json_string(text ? text : "");
    if (j)
        return j;
    SCOPED_BUF b = {0};
    for (; *text; text++)
        buf_putc(&b, *text & 0x80 ? '?' : *text);
    return json_string(buf_text(&b));
}

static json_t *of_bytes(const char *bytes, size_t size, Buf *blob)
{
    json_t *place = json_pack("[I, I]", (json_int_t)blob->size, (json_int_t)size);
    buf_add(blob, bytes, size);
    return place;
}

/* `from`: the struct that contains the value at `at`. */
static json_t *of_value(const JsonField *f, const char *at, const char *from, Buf *blob)
{
    const char *text;
    switch (f->kind) {
    case JSON_KIND_INT:
        return json_integer(*(const int *)at);
    case JSON_KIND_INT64:
        return json_integer(*(const int64_t *)at);
    case JSON_KIND_BOOL:
        return json_boolean(*(const bool *)at);
    case JSON_KIND_REAL:
        return of_real(*(const double *)at);
    case JSON_KIND_TEXT:
        return json_of_text(pointer_at(at));
    case JSON_KIND_RAW:
        text = pointer_at(at) ? pointer_at(at) : "";
        return of_bytes(text, strlen(text) + 1, blob);
    case JSON_KIND_BYTE:
        return json_integer(*(const unsigned char *)at);
    case JSON_KIND_BYTES:
        return of_bytes(pointer_at(at), *(const size_t *)(from + f->count_at), blob);
    case JSON_KIND_STRUCT:
        break;
    }
    return json_of_struct(f->of, at, blob);
}

static json_t *of_field(const JsonField *f, const char *from, Buf *blob)
{
    const char *at = from + f->at;
    if (f->shape == JSON_ONE)
        return of_value(f, at, from, blob);
    if (f->shape == JSON_OPTIONAL) {
        const char *to = pointer_at(at);
        return to ? of_value(f, f->kind == JSON_KIND_TEXT ? at : to, from, blob) : json_null();
    }
    const size_t n = f->shape == JSON_ROW ? f->many : *(const size_t *)(from + f->count_at);
    json_t *list = json_array();
    if (f->shape == JSON_LIST)
        at = pointer_at(at);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, of_value(f, at + i * size_of(f), from, blob));
    return list;
}

json_t *json_of_struct(const JsonStruct *s, const void *from, Buf *blob)
{
    json_t *j = json_object();
    for (size_t i = 0; i < s->count; i++)
        json_object_set_new(j, s->fields[i].key, of_field(&s->fields[i], from, blob));
    return j;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct Reader {
    Arena *a;
    Blob blob;
    const char *wrong; /* path of the mistake, built from the inside out */
} Reader;

static bool read_struct(Reader *r, const JsonStruct *s, const json_t *j, char *to);

static bool read_bytes(Blob blob, const json_t *j, char *to, size_t *size)
{
    const json_t *from = json_array_get(j, 0), *count = json_array_get(j, 1);
    const json_int_t start = json_integer_value(from), n = json_integer_value(count);
    if (!json_is_integer(from) || !json_is_integer(count) || start < 0 || n < 0 ||
        (uint64_t)start > blob.size || (uint64_t)n > blob.size - (uint64_t)start)
        return false;
    const char *bytes = n ? (const char *)blob.bytes + start : NULL;
    memcpy(to, &bytes, sizeof bytes);
    *size = (size_t)n;
    return true;
}

static bool read_value(Reader *r, const JsonField *f, const json_t *j, char *at, char *to)
{
    const json_int_t n = json_integer_value(j);
    const char *text = json_string_value(j);
    size_t size = 0;
    switch (f->kind) {
    case JSON_KIND_INT:
        *(int *)at = (int)n;
        return json_is_integer(j) &&
               (f->limit ? n >= 0 && n < f->limit : n >= INT_MIN && n <= INT_MAX);
    case JSON_KIND_INT64:
        *(int64_t *)at = n;
        return json_is_integer(j);
    case JSON_KIND_BOOL:
        *(bool *)at = json_is_true(j);
        return json_is_boolean(j);
    case JSON_KIND_REAL:
        *(double *)at = text ? strtod(text, NULL) : json_number_value(j);
        return json_is_number(j) || (text && !isfinite(*(double *)at));
    case JSON_KIND_TEXT:
        text = text ? arena_string(r->a, text) : NULL;
        memcpy(at, &text, sizeof text);
        return text != NULL;
    case JSON_KIND_RAW:
        return read_bytes(r->blob, j, at, &size) && size > 0 && pointer_at(at)[size - 1] == '\0';
    case JSON_KIND_BYTE:
        *(unsigned char *)at = (unsigned char)n;
        return json_is_integer(j) && n == *(unsigned char *)at;
    case JSON_KIND_BYTES:
        return read_bytes(r->blob, j, at, (size_t *)(to + f->count_at));
    case JSON_KIND_STRUCT:
        break;
    }
    return read_struct(r, f->of, j, at);
}

/* Allocates `n` values and stores their address at `at`. */
static char *room(Reader *r, const JsonField *f, size_t n, char *at)
{
    char *values = arena_array(r->a, n, size_of(f));
    memcpy(at, &values, sizeof values);
    return values;
}

static bool read_list(Reader *r, const JsonField *f, const json_t *list, char *to)
{
    const size_t n = json_array_size(list);
    char *at = to + f->at;
    if (!json_is_array(list) || (f->shape == JSON_ROW && n != f->many) ||
        (f->shape == JSON_FILLED && n > f->many))
        return false;
    if (f->shape == JSON_LIST)
        at = room(r, f, n, at);
    if (f->shape != JSON_ROW)
        *(size_t *)(to + f->count_at) = n;
    for (size_t i = 0; i < n; i++)
        if (!read_value(r, f, json_array_get(list, i), at + i * size_of(f), to)) {
            r->wrong = arena_printf(r->a, "[%zu]%s", i, r->wrong);
            return false;
        }
    return true;
}

static bool read_field(Reader *r, const JsonField *f, const json_t *j, char *to)
{
    char *at = to + f->at;
    if (f->shape == JSON_ONE)
        return read_value(r, f, j, at, to);
    if (f->shape != JSON_OPTIONAL)
        return read_list(r, f, j, to);
    if (json_is_null(j))
        return true;
    return read_value(r, f, j, f->kind == JSON_KIND_TEXT ? at : room(r, f, 1, at), to);
}

static bool read_struct(Reader *r, const JsonStruct *s, const json_t *j, char *to)
{
    memset(to, 0, s->size);
    for (size_t i = 0; i < s->count; i++)
        if (!read_field(r, &s->fields[i], json_object_get(j, s->fields[i].key), to)) {
            r->wrong = arena_printf(r->a, ".%s%s", s->fields[i].key, r->wrong);
            return false;
        }
    return true;
}

bool json_read_struct(Arena *a, const JsonStruct *s, const json_t *j, Blob blob, void *to, Diag *d)
{
    Reader r = {a, blob, ""};
    return read_struct(&r, s, j, to) ||
           diag_fail(d, "a message's %s is missing or malformed", r.wrong + 1);
}

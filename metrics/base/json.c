#include "metrics/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_known(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_count(size_t n)
{
    return json_integer((json_int_t)n);
}

json_t *json_text(const char *text)
{
    json_t *plain = text ? json_string(text) : json_null();
    if (plain)
        return plain;
    SCOPED_BUF shown = {0};
    buf_shown(&shown, text, strlen(text), true);
    return json_string(buf_text(&shown));
}

json_t *json_value(Value v)
{
    switch (v.kind) {
    case VALUE_BOOL:
        return json_boolean(v.boolean);
    case VALUE_INT:
        return json_integer(v.integer);
    case VALUE_REAL:
        return json_known(v.real);
    case VALUE_STRING:
        return json_text(v.string);
    default:
        return json_null();
    }
}

json_t *json_put(json_t *object, const char *key, ...)
{
    va_list args;
    va_start(args, key);
    for (; key; key = va_arg(args, const char *))
        json_object_set_new(object, key, va_arg(args, json_t *));
    va_end(args);
    return object;
}

void json_print(json_t *object, int digits, Buf *out)
{
    char *text =
        json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(digits) | JSON_ENSURE_ASCII);
    buf_printf(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(object);
}

const char *json_text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Values of expressions: comparing, printing. */
#include "metrics/base/expr.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double value_as_real(Value v)
{
    return v.kind == VALUE_REAL   ? v.real
           : v.kind == VALUE_INT  ? (double)v.integer
           : v.kind == VALUE_BOOL ? v.boolean
                                  : NAN;
}

bool value_equal(Value a, Value b)
{
    if (a.kind == VALUE_INT && b.kind == VALUE_INT)
        return a.integer == b.integer;
    if (a.kind == VALUE_STRING || b.kind == VALUE_STRING)
        return a.kind == b.kind && strcmp(a.string, b.string) == 0;
    if (a.kind == VALUE_BOOL || b.kind == VALUE_BOOL)
        return a.kind == b.kind && a.boolean == b.boolean;
    return value_as_real(a) == value_as_real(b);
}

int value_compare(const void *pa, const void *pb)
{
    const Value *a = pa, *b = pb;
    const bool text = a->kind == VALUE_STRING, other = b->kind == VALUE_STRING;
    if (text || other)
        return text && other ? strcmp(a->string, b->string) : text - other;
    if (a->kind == VALUE_INT && b->kind == VALUE_INT)
        return (a->integer > b->integer) - (a->integer < b->integer);
    const double x = value_as_real(*a), y = value_as_real(*b);
    return (x > y) - (x < y);
}

size_t values_sort(Value *values, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(values, count, sizeof *values, value_compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || value_compare(&values[kept - 1], &values[i]) != 0)
            values[kept++] = values[i];
    return kept;
}

static void print_string(const char *s, Buf *out)
{
    buf_putc(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            buf_putc(out, '\\');
        if (*s == '\n') {
            buf_puts(out, "\\n");
        } else if (*s == '\t') {
            buf_puts(out, "\\t");
        } else {
            buf_putc(out, *s);
        }
    }
    buf_putc(out, '"');
}

void value_print(Value v, Buf *out)
{
    switch (v.kind) {
    case VALUE_NONE:
        buf_puts(out, "none");
        break;
    case VALUE_BOOL:
        buf_puts(out, v.boolean ? "true" : "false");
        break;
    case VALUE_INT:
        buf_printf(out, "%" PRId64, v.integer);
        break;
    case VALUE_REAL:
        if (v.real == floor(v.real) && fabs(v.real) < 1e15)
            buf_printf(out, "%.1f", v.real);
        else
            buf_real(out, v.real, 1);
        break;
    case VALUE_STRING:
        print_string(v.string, out);
        break;
    case VALUE_LIST:
        buf_putc(out, '[');
        for (size_t i = 0; i < v.list->count; i++) {
            buf_puts(out, i > 0 ? ", " : "");
            value_print(v.list->at[i], out);
        }
        buf_putc(out, ']');
        break;
    }
}

const char *value_text(Arena *a, Value v)
{
    Buf b = {0};
    value_print_bare(v, &b);
    return buf_keep(&b, a);
}

void value_print_bare(Value v, Buf *out)
{
    if (v.kind == VALUE_STRING) {
        buf_puts(out, v.string);
    } else if (v.kind == VALUE_BOOL) {
        buf_putc(out, v.boolean ? '1' : '0');
    } else {
        value_print(v, out);
    }
}

void value_print_named(Value v, Buf *out)
{
    const char *s = v.kind == VALUE_STRING ? v.string : "0";
    const char *quote = *s && !strpbrk(s, " ,\t'\"") ? "" : strchr(s, '\'') ? "\"" : "'";
    buf_puts(out, quote);
    value_print_bare(v, out);
    buf_puts(out, quote);
}

const char *value_kind_name(ValueKind k)
{
    static const char *const names[] = {"nothing",  "true or false", "an integer",
                                        "a number", "a string",      "a list"};
    return names[k];
}

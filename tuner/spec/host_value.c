#include "tuner/spec/host_read.h"

#include <math.h>
#include <string.h>

static HostValue *new_value(Arena *a, HostValue v)
{
    HostValue *out = ARENA_NEW(a, HostValue);
    *out = v;
    return out;
}

const HostValue *host_new_number(Arena *a, double number, bool real)
{
    return new_value(a, (HostValue){.number = number, .real = real});
}

const HostValue *host_new_name(Arena *a, const char *name)
{
    return new_value(a, (HostValue){.name = name});
}

static bool same(const HostValue *a, const HostValue *b)
{
    double x, y;
    if (host_number(a, &x) && host_number(b, &y))
        return x == y;
    if (a->name && b->name)
        return strcmp(a->name, b->name) == 0;
    if (!a->sign || !b->sign || strcmp(a->sign, b->sign) != 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (!a->parts[i] != !b->parts[i] || (a->parts[i] && !same(a->parts[i], b->parts[i])))
            return false;
    return true;
}

bool host_is(const HostValue *v, const char *sign)
{
    return v->sign && strcmp(v->sign, sign) == 0;
}

/* True for "x - 1". */
static bool is_one_less(const HostValue *v)
{
    double one;
    return host_is(v, "-") && host_number(v->parts[1], &one) && one == 1;
}

/* The x of "x + (d - 1)", in any order of the terms; NULL: no such sum. */
static const HostValue *without_rest(const HostValue *v, const HostValue *d)
{
    double rest, by;
    bool numbers = host_number(d, &by);
    if (is_one_less(v) && host_is(v->parts[0], "+")) {
        const HostValue *sum = v->parts[0];
        return same(sum->parts[1], d)   ? sum->parts[0]
               : same(sum->parts[0], d) ? sum->parts[1]
                                        : NULL;
    }
    for (int i = 0; i < 2 && host_is(v, "+"); i++) {
        const HostValue *r = v->parts[i], *x = v->parts[1 - i];
        if ((numbers && host_number(r, &rest) && rest == by - 1) ||
            (is_one_less(r) && same(r->parts[0], d)))
            return x;
        if (is_one_less(x) && same(r, d))
            return x->parts[0];
    }
    return NULL;
}

const HostValue *host_new(Arena *a, const char *sign, const HostValue *x, const HostValue *y,
                          const HostValue *z)
{
    if (!x || (!y && strcmp(sign, "-1") != 0))
        return NULL;
    double one;
    const bool real = strcmp(sign, "cut") != 0 && (x->real || (y && y->real) || (z && z->real));
    const HostValue *whole = strcmp(sign, "//") == 0 && !real ? without_rest(x, y) : NULL;
    if (whole)
        return new_value(a, (HostValue){.sign = "ceil_div", .parts = {whole, y}});
    /* (x - 1) / d + 1 */
    if (strcmp(sign, "+") == 0 && host_is(x, "//") && is_one_less(x->parts[0]) &&
        host_number(y, &one) && one == 1)
        return new_value(
            a, (HostValue){.sign = "ceil_div", .parts = {x->parts[0]->parts[0], x->parts[1]}});
    return new_value(a, (HostValue){.sign = sign, .parts = {x, y, z}, .real = real});
}

static double compute(const char *sign, double x, double y, bool real)
{
    static const char *const SIGNS[] = {"+",  "-",  "*",  "//",  "%",  "<",        "<=",  ">",
                                        ">=", "==", "!=", "and", "or", "ceil_div", "min", "max"};
    size_t i = 0;
    while (i < COUNT_OF(SIGNS) && strcmp(SIGNS[i], sign) != 0)
        i++;
    const bool less = y > x, more = x > y, both = x != 0 && y != 0, either = x != 0 || y != 0;
    const double ratio = y == 0 ? NAN : x / y, whole = real ? ratio : trunc(ratio);
    const double rest = y == 0 ? NAN : fmod(x, y);
    const double results[] = {x + y,  x - y,       x * y,      whole,     rest,   less,
                              !more,  more,        !less,      x == y,    x != y, both,
                              either, ceil(ratio), fmin(x, y), fmax(x, y)};
    return i < COUNT_OF(results) ? results[i] : NAN;
}

bool host_number(const HostValue *v, double *out)
{
    double part[3] = {0};
    if (!v || v->name)
        return false;
    for (int i = 0; i < 3 && v->sign && v->parts[i]; i++)
        if (!host_number(v->parts[i], &part[i]))
            return false;
    *out = !v->sign            ? v->number
           : host_is(v, "?")   ? (part[0] != 0 ? part[1] : part[2])
           : host_is(v, "-1")  ? -part[0]
           : host_is(v, "cut") ? trunc(part[0])
                               : compute(v->sign, part[0], part[1], v->real);
    return isfinite(*out);
}

static bool holds_name(const HostValue *v)
{
    bool any = v->name != NULL;
    for (int i = 0; i < 3 && v->sign && v->parts[i]; i++)
        any = any || holds_name(v->parts[i]);
    return any;
}

bool host_print(const HostValue *v, bool alone, Buf *out)
{
    double number;
    const size_t start = out->size;
    if (v->name)
        return buf_puts(out, v->name), true;
    if (!holds_name(v))
        return host_number(v, &number) && (buf_printf(out, "%.15g", number), true);
    bool called = v->sign && strchr("cm", *v->sign);
    const bool divides = host_is(v, "//") || host_is(v, "%") || host_is(v, "ceil_div");
    const bool by_zero = divides && host_number(v->parts[1], &number) && number == 0;
    if (!v->sign || (v->real && !called) || host_is(v, "cut") || by_zero)
        return false;
    bool ok = true;
    buf_puts(out, called ? v->sign : "");
    buf_puts(out, called || !alone ? "(" : "");
    buf_puts(out, host_is(v, "-1") ? "-" : "");
    for (int i = 0; i < 3 && v->parts[i] && ok; i++) {
        if (i > 0)
            buf_printf(out, called ? ", " : host_is(v, "?") && i == 2 ? " : " : " %s ", v->sign);
        ok = host_print(v->parts[i], called, out);
    }
    buf_puts(out, called || !alone ? ")" : "");
    if (!ok)
        buf_cut(out, start);
    return ok;
}

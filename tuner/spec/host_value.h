/* Symbolic values of host code: numbers, names of the spec, operations on them. */
#pragma once

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdbool.h>

typedef struct HostValue HostValue;
struct HostValue {
    /* The operator in the spec's syntax: "+" … "ceil_div", "?"; also "-1" (negation) and "cut" (truncation).
     * NULL of a number or name. */
    const char *sign;
    const char *name; /* NULL of a number */
    double number;
    bool real; /* a floating-point value: "//" is exact division */
    const HostValue *parts[3];
};

const HostValue *host_new_number(Arena *a, double number, bool real);
const HostValue *host_new_name(Arena *a, const char *name);

/* Returns NULL if an operand is NULL. Recognizes (x + d - 1) / d as ceil_div(x, d). */
const HostValue *host_new(Arena *a, const char *sign, const HostValue *x, const HostValue *y,
                          const HostValue *z);

bool host_is(const HostValue *v, const char *sign);

/* Evaluates it; false: it depends on a name of the spec. */
bool host_number(const HostValue *v, double *out);

/* Prints it in the spec's syntax, in parentheses unless `alone`; false: a spec cannot express it. */
bool host_print(const HostValue *v, bool alone, Buf *out);

/* Values of host code as far as they are known: numbers, names of the spec's, operations on them. */
#pragma once

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdbool.h>

typedef struct HostValue HostValue;
struct HostValue {
    const char *sign; /* as a spec writes it: "+" … "ceil_div", "?"; "-1" changes the sign, "cut"
                         drops what is behind the point; NULL of a number and of a name */
    const char *name; /* NULL of a number */
    double number;
    bool real; /* "//" divides */
    const HostValue *parts[3];
};

const HostValue *host_new_number(Arena *a, double number, bool real);
const HostValue *host_new_name(Arena *a, const char *name);

/* NULL where a part is.  (x + d - 1) / d becomes ceil_div(x, d). */
const HostValue *host_new(Arena *a, const char *sign, const HostValue *x, const HostValue *y,
                          const HostValue *z);

bool host_is(const HostValue *v, const char *sign);

/* Its number; false: it depends on a name of the spec's. */
bool host_number(const HostValue *v, double *out);

/* Prints it as a spec writes it, in brackets where it is an operation and does not stand `alone`;
 * false: a spec cannot say it. */
bool host_print(const HostValue *v, bool alone, Buf *out);

/* The numbers of host code, as far as they can be told without a compiler.
 *
 * A tolerant reader: what it does not understand is not known.  A name means what it is given last
 * before the place that asks and can be told, in its function or at file scope; else its macro; else
 * what callers of the function give for it. */
#pragma once

#include "tuner/spec/host_text.h"
#include "tuner/spec/host_value.h"

/* What a reader knows beside the text. */
typedef struct HostNames {
    void *context;
    /* The spec's name for what is written so; NULL: it has none. */
    const char *(*meaning)(void *context, const char *written);
    double element; /* what sizeof of an unknown type gives; 0: not known either */
} HostNames;

/* The value of an expression as it stands at a place; NULL: not known. */
const HostValue *host_value(HostPlace p, const char *expression, const HostNames *names);

/* The components of a dim3 or of a number; false: not all are known. */
bool host_dims(HostPlace p, const char *expression, const HostNames *names,
               const HostValue *out[3]);

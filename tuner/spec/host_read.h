/* Evaluates expressions of host code without a compiler.
 *
 * What it does not understand is unknown. A name stands for the last value assigned before the place in its
 * function or at file scope that can be evaluated; failing that for its macro; failing that for the
 * argument that callers pass. */
#pragma once

#include "tuner/spec/host_text.h"
#include "tuner/spec/host_value.h"

/* Context beyond the text. */
typedef struct HostNames {
    void *context;
    /* The spec's name for a name of the source; NULL: none. */
    const char *(*meaning)(void *context, const char *written);
    double element; /* sizeof an unknown type; 0: unknown */
} HostNames;

/* The value of an expression at a place; NULL: unknown. */
const HostValue *host_value(HostPlace p, const char *expression, const HostNames *names);

/* The components of a dim3 or number; false: some are unknown. */
bool host_dims(HostPlace p, const char *expression, const HostNames *names,
               const HostValue *out[3]);

/* Struct parameters passed by value in a first spec. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/spec/kernel_facts.h"
#include "tuner/spec/kernel_source.h"

/* Prints a line for a struct parameter: its members as the code loads them, and integers as wide as fit
 * where it loads nothing. A struct with pointers becomes a line for each buffer, of `elements` each, and
 * `*item`, its item in 'args'. False with a message: too large. */
bool first_struct(Arena *a, const PtxFunction *entry, const KernelParameter *p,
                  const PtxVariable *v, const char *elements, const char *kernel, Buf *out,
                  const char **item, Diag *d);

/* A struct by value as a first spec gives it. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/spec/kernel_facts.h"
#include "tuner/spec/kernel_source.h"

/* Prints the line of a kernel's parameter: its members as the code loads them; where it loads
 * nothing, integers as large as fit.  One with pointers in it becomes a line for each buffer, of so
 * many `elements`, and `item`, what 'args' says of it.  False with a message: it is too large. */
bool first_struct(Arena *a, const PtxFunction *entry, const KernelParameter *p,
                  const PtxVariable *v, const char *elements, const char *kernel, Buf *out,
                  const char **item, Diag *d);

/* A struct by value as a first spec gives it. */
#ifndef APTUNE_SPEC_FIRST_STRUCT_H
#define APTUNE_SPEC_FIRST_STRUCT_H

#include "metrics/base/diag.h"
#include "tuner/spec/kernel_facts.h"
#include "tuner/spec/kernel_source.h"

/* Prints the line of a kernel's parameter: its members as the code loads them; where it loads
 * nothing, integers as large as fit.  False with a message for one with a pointer in it, or too
 * large. */
bool first_struct(Arena *a, const PtxFunction *entry, const KernelParameter *p,
                  const PtxVariable *v, const KernelFacts *facts, const char *kernel, Buf *out,
                  Diag *d);

#endif

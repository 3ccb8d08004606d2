/* The types of a kernel's parameters, as the compiler sees them: only it can look through typedefs, macros
 * and template parameters, which any header may define.
 *
 * Lines appended to the source make an array of numbers from the type of the kernel's address; the PTX
 * holds the array's initial value. */
#pragma once

#include "metrics/ptx/ptx.h"
#include "tuner/spec/kernel_source.h"

/* kernel_types.cuh, embedded by the build. */
extern const Source kernel_types_files[];
extern const size_t kernel_types_file_count;

/* Writes the lines for a kernel of `count` parameters; `expression` names it, "k<float, 16>". */
void kernel_types_ask(const char *expression, size_t count, Buf *out);

/* True if a compiler's log complains about these lines. */
bool kernel_types_blamed(const char *log);

/* Sets type, pointer and size (of what is passed or pointed to) of each parameter. False, and nothing
 * changed: the array is missing. */
bool kernel_types_take(const PtxModule *m, KernelSource *k);

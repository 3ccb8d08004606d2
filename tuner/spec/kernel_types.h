/* What types a kernel's parameters have, asked of the compiler: behind typedefs, macros and
 * template parameters, which may stand in any header, only it knows.
 *
 * Lines behind the source make an array of numbers out of the type of the kernel's address; the
 * array's initial value stands in the PTX. */
#pragma once

#include "metrics/ptx/ptx.h"
#include "tuner/spec/kernel_source.h"

/* The lines for a kernel of `count` parameters; `expression` names it, "k<float, 16>". */
void kernel_types_ask(const char *expression, size_t count, Buf *out);

/* Does a compiler's log complain of these lines? */
bool kernel_types_blamed(const char *log);

/* Takes the answer: type, pointer and size of what is passed or pointed to of each parameter. False
 * when it is not there, and nothing is changed. */
bool kernel_types_take(const PtxModule *m, KernelSource *k);

/* NAME.cu: an emitted unit that reaches the device by the CUDA runtime API. */
#include "tuner/emit/code_parts.h"

void code_runtime(Code *c, Buf *out)
{
    (void)c;
    (void)out;
}

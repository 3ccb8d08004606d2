/* Any bytes as machine code, joined to the walk of one small kernel. */
#include "tests/fuzz/joined.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses the architecture. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const int arch = size > 0 && data[0] & 1 ? 90 : 80;
    const CubinKernel k = {.code = data + (size > 0), .code_bytes = size - (size > 0)};
    joined_tell(a, arch, &k);
    arena_free(a);
    return 0;
}

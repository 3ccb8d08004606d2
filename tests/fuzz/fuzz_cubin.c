/* Any bytes as a cubin: reading, hashing and decoding stay within them. */
#include "metrics/cubin/cubin.h"
#include "metrics/cubin/sass.h"
#include "tests/fuzz/joined.h"
#include "tests/fuzz/told.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t decode(const CubinKernel *k, int arch)
{
    size_t count = sass_count(k->code, k->code_bytes), sum = 0, target;
    for (size_t i = 0; i < count; i++) {
        SassInstr w = sass_at(k->code, i, arch);
        sum += (size_t)sass_class(w) + strlen(sass_name(w)) + (size_t)sass_access_bytes(w);
        if (sass_branch_target(w, arch, i, count, &target) && target >= count)
            abort();
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Cubin *c = cubin_read(a, data, size, &d);
    if (!c && d.errors == 0)
        abort();
    Buf out = {0};
    code_print(a, &(Source){"fuzz.cubin", (const char *)data, size}, &out, &d);
    told(&out);
    told_messages(&d);
    for (size_t i = 0; c && i < c->kernel_count; i++) {
        Hash h = cubin_code_hash(c, &c->kernels[i]);
        if (strlen(h.text) != HASH_TEXT - 1)
            abort();
        decode(&c->kernels[i], c->arch);
        joined_tell(a, c->arch, &c->kernels[i]);
    }
    arena_free(a);
    return 0;
}

/* Any bytes as a T1 file: what becomes a spec is one spec, whatever the file's names hold. */
#include "tests/fuzz/told.h"
#include "tuner/spec/convert.h"
#include "tuner/spec/spec.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    Source source;
    const char *json = arena_copy(a, (const char *)data, size);
    if (convert_t1(a, "fuzz", "elsewhere", json, size, &out, &d)) {
        source = (Source){"fuzz.spec", buf_text(&out), out.size};
        spec_parse(a, &source, &d);
    } else if (d.errors == 0) {
        __builtin_trap(); /* refused without a word */
    }
    told_messages(&d);
    told(&out);
    arena_free(a);
    return 0;
}

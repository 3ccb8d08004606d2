/* Arbitrary bytes as a spec: no crash, no hang, no memory without bound; a spec that is accepted
 * and asks for a small space gets it. */
#include "tests/fuzz/told.h"
#include "tuner/space/space.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Points of a product that are few enough to judge them all, with expressions as long as the
 * input. */
enum { SMALL = 300 };

static uint64_t product_of(Arena *a, const Spec *s, size_t problem, Diag *d)
{
    uint64_t product = 1;
    for (size_t p = 0; p < s->parameter_count; p++) {
        ValueList v;
        if (!spec_parameter_values(a, s, p, problem, &v, d) ||
            __builtin_mul_overflow(product, v.count, &product))
            return UINT64_MAX;
    }
    return product;
}

static void build(Arena *a, const Spec *s, size_t problem, Diag *d)
{
    Space space;
    if (product_of(a, s, problem, d) > SMALL || !space_build(a, s, problem, NULL, &space, d))
        return;
    Buf out = {0};
    for (size_t i = 0; i < space.count; i++)
        space_print(&space, i, &out);
    told(&out);
    space_check_divisions(a, &space, 10, d);
    space_free(&space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Source source = {"fuzz.spec", arena_copy(a, (const char *)data, size), size};
    Buf out = {0};
    Spec *s = spec_parse(a, &source, &d);
    if (!s && d.errors == 0)
        abort(); /* refused without a word */
    for (size_t i = 0; s && i < s->problem_count && i < 4; i++)
        build(a, s, i, &d);
    if (s)
        spec_print(s, &out);
    diag_print(&d, &out);
    told(&out);
    arena_free(a);
    return 0;
}

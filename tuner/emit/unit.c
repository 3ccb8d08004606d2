#include "tuner/emit/unit.h"

const char *unit_file_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch,
                           const char *suffix)
{
    const EmitCode *codes = u->variants[variant].codes;
    size_t number = 1;
    for (size_t l = 0; l < codes[launch].shares; l++)
        number += codes[l].shares == l;
    if (number == 1)
        return arena_printf(a, "%s_%zu%s", u->name, variant + 1, suffix);
    return arena_printf(a, "%s_%zu_%zu%s", u->name, variant + 1, number, suffix);
}

bool unit_variant_is_fixed(const EmitUnit *u, const EmitVariant *v)
{
    for (size_t n = 0; n < u->spec->problem_name_count; n++)
        if (!v->fixed[n])
            return false;
    return u->spec->problem_name_count > 0;
}

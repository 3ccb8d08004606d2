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

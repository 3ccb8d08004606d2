#include "tuner/emit/unit.h"

#include <ctype.h>

size_t unit_count_codes(const EmitVariant *v, size_t launch)
{
    size_t count = 0;
    for (size_t l = 0; l < launch; l++)
        count += v->codes[l].shares == l;
    return count;
}

const char *unit_code_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch)
{
    const EmitVariant *v = &u->variants[variant];
    const size_t number = unit_count_codes(v, v->codes[launch].shares) + 1;
    return number == 1 ? arena_printf(a, "%zu", variant + 1)
                       : arena_printf(a, "%zu_%zu", variant + 1, number);
}

const char *unit_file_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch,
                           const char *suffix)
{
    return arena_printf(a, "%s_%s%s", u->name, unit_code_name(a, u, variant, launch), suffix);
}

bool unit_variant_is_fixed(const EmitUnit *u, const EmitVariant *v)
{
    for (size_t n = 0; n < u->spec->problem_name_count; n++)
        if (!v->fixed[n])
            return false;
    return u->spec->problem_name_count > 0;
}

/* --- names ------------------------------------------------------------------------------------ */

static const char *const flavour_names[] = {
    [EMIT_DRIVER] = "driver", [EMIT_DRIVER_LINKED] = "driver-linked", [EMIT_RUNTIME] = "runtime"};
enum { FLAVOURS = COUNT_OF(flavour_names) };

const char *unit_flavour_name(EmitFlavour f)
{
    return flavour_names[f];
}

bool unit_flavour_find(const char *name, EmitFlavour *f)
{
    size_t i = word_place(name, flavour_names, FLAVOURS);
    *f = i < FLAVOURS ? (EmitFlavour)i : *f;
    return i < FLAVOURS;
}

bool unit_is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (const char *c = name; *c; c++)
        if (!text_is_word(*c))
            return false;
    return true;
}

const char *unit_default_name(Arena *a, const char *space)
{
    char *name = arena_printf(a, "%s%s", isalpha((unsigned char)space[0]) ? "" : "k_", space);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return name;
}

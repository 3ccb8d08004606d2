#include "tuner/spec/first_parts.h"

#include <ctype.h>

bool first_sounds_like(const char *name, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        for (const char *at = name; *at; at++)
            if (strncasecmp(at, words, n) == 0)
                return true;
    }
    return false;
}

Meaning first_meaning(const char *name)
{
    static const struct {
        Meaning meaning;
        const char *words;
    } TABLE[] = {
        {MEANS_THREADS,
         "block_size blocksize group_size block_dim blockdim block_x block_y block_z "
         "threads thread_num tpb wg_size workgroup local_size bdim cta_size"},
        {MEANS_SWITCH, "use_ enable with_ do_ padding _pad"},
        {MEANS_TILE, "tile unroll vec work items elem each factor coarse per_thread thread_size"},
        {MEANS_FILTER, "filter radius halo kernel_w kernel_h taps"},
        {MEANS_SIZE, "width height size length dim rows cols columns count num pitch depth total"},
    };
    const bool short_threads = strlen(name) == 2 && strchr("TB", *name) && strchr("XYZ", name[1]);
    if (strcasecmp(name, "block") == 0 || short_threads)
        return MEANS_THREADS;
    for (size_t i = 0; i < COUNT_OF(TABLE); i++)
        if (first_sounds_like(name, TABLE[i].words))
            return TABLE[i].meaning;
    const bool size =
        strlen(name) <= 2 || strncasecmp(name, "n_", 2) == 0 || strncasecmp(name, "nx", 2) == 0;
    return size ? MEANS_SIZE : MEANS_NOTHING;
}

int first_direction(const char *name)
{
    size_t n = strlen(name);
    int c = n > 0 ? tolower((unsigned char)name[n - 1]) : 0;
    bool apart = n > 1 && (name[n - 2] == '_' || isupper((unsigned char)name[n - 1]) ||
                           islower((unsigned char)name[n - 2]));
    return apart && c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

bool first_is_integer(const KernelParameter *p)
{
    return !p->pointer && p->known && p->type.lanes == 1 && !task_scalar_is_float(p->type.scalar) &&
           task_scalar_size(p->type.scalar) >= 4;
}

bool first_is_flat(const FirstGuess *g)
{
    return !code_has_word(g->kernel->own, "threadIdx.y");
}

const char *first_value(const FirstGuess *g, const char *name)
{
    int direction = first_direction(name);
    if (g->alike && first_meaning(name) != MEANS_SWITCH)
        return "8";
    switch (first_meaning(name)) {
    case MEANS_THREADS:
        return first_is_flat(g) && direction <= 0 ? (g->small ? "64" : "256")
               : direction == 0                   ? "32"
               : direction == 1                   ? "8"
               : direction == 2                   ? "1"
                                                  : "16";
    case MEANS_TILE:
    case MEANS_SWITCH:
        return first_meaning(name) == MEANS_TILE ? "1" : "0";
    case MEANS_FILTER:
        return "5";
    case MEANS_SIZE:
        return g->small ? "16" : "1024";
    default:
        return "1";
    }
}

const char *first_argument(const TemplateParameter *t, const FirstGuess *g)
{
    if (t->initial && *t->initial)
        return t->initial;
    static const char halves[] = "__hadd __hmul __hfma __half2 __float2half";
    if (t->is_type)
        return first_sounds_like(t->name, "index idx size int")              ? "int"
               : g->kernel->own && first_sounds_like(g->kernel->own, halves) ? "__half"
                                                                             : "float";
    /* BM, WN, TK … are tile sizes: blocks and warps of 64, steps of 8, threads of 4. */
    const size_t n = strlen(t->name);
    const char last = n > 0 && n <= 2 ? (char)toupper((unsigned char)t->name[n - 1]) : 0;
    if (last == 'K')
        return "8";
    return last ? toupper((unsigned char)*t->name) == 'T' ? "4" : "64" : first_value(g, t->name);
}

const char *first_expression(Arena *a, const KernelSource *k)
{
    KernelSource copy = *k;
    FirstGuess g = {.kernel = &copy};
    Buf b = {0};
    buf_printf(&b, "%s%s%s", k->scope, k->name, k->is_template ? "<" : "");
    for (size_t i = 0; i < k->arguments.count; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", first_argument(&k->arguments.at[i], &g));
    buf_puts(&b, k->is_template ? ">" : "");
    return buf_keep(&b, a);
}

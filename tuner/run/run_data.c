/* The spec's buffers as the GPU process gets them: sizes, contents, textures, variables, and what
 * the outputs should be. */
#include "tuner/run/run_parts.h"

#include "tuner/base/vec.h"

#include <string.h>

typedef VEC(TaskBuffer) BufferVec;
typedef VEC(TaskTexture) TextureVec;
typedef VEC(TaskSymbol) SymbolVec;

typedef struct Making {
    Run *run;
    RunData *data;
    BufferVec buffers;
    TextureVec textures;
    SymbolVec symbols, twin_symbols;
} Making;

/* --- sizes
 * ------------------------------------------------------------------------------------------ */

/* A whole number that is not below 1. */
static bool whole(Run *r, const Expr *e, const Value *slots, int64_t *out)
{
    Evaluation ev = {.arena = r->arena};
    Value v;
    if (!expr_eval(e, slots, &ev, &v))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    if (v.kind != VALUE_INT || v.integer < 1)
        return diag_error(r->diag, expr_span(e), "this must be a whole number, 1 at least");
    *out = v.integer;
    return true;
}

/* The largest size that any configuration gives a buffer. */
static bool largest(Run *r, const Expr *count, int64_t *out)
{
    Arena *scratch = arena_new();
    bool ok = true;
    *out = 0;
    for (size_t i = 0; i < r->table->count && ok; i++) {
        const Value *slots = table_fits(r->table, i) ? run_slots(scratch, r, i) : NULL;
        int64_t n = 0;
        ok = !slots || whole(r, count, slots, &n);
        *out = n > *out ? n : *out;
        arena_reset(scratch);
    }
    arena_free(scratch);
    return ok && (*out > 0 ||
                  diag_error(r->diag, expr_span(count), "no configuration says how large this is"));
}

bool run_argument_count(Run *r, size_t argument, int64_t *out)
{
    const Argument *g = &r->spec->arguments[argument];
    const Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    if (g->count)
        return spec_varies(r->spec, g->count) ? largest(r, g->count, out)
                                              : whole(r, g->count, slots, out);
    *out = 1;
    for (int k = 0; k < TEXTURE_DIMENSIONS && g->size[k]; k++) {
        int64_t n;
        if (!whole(r, g->size[k], slots, &n))
            return false;
        if (__builtin_mul_overflow(*out, n, out))
            return diag_error(r->diag, g->at, "the texture is too large");
    }
    return true;
}

/* --- buffers
 * ---------------------------------------------------------------------------------------- */

static bool find_tolerance(Run *r, const Argument *g, TaskTolerance *out)
{
    const Comparison *c = &g->comparison;
    *out = (TaskTolerance){
        .absolute = c->absolute, .relative = c->relative, .scale = c->scale, .sum = c->sum};
    if (!c->exact && !c->has_relative && !c->has_absolute)
        out->relative = r->spec->tolerance;
    return !c->except || whole(r, c->except, run_launch_slots(r->arena, r, SIZE_MAX), &out->except);
}

static bool add_buffer(Making *m, size_t argument)
{
    static const TaskRole roles[] = {
        [ARGUMENT_IN] = TASK_IN,       [ARGUMENT_OUT] = TASK_OUT,
        [ARGUMENT_INOUT] = TASK_INOUT, [ARGUMENT_SCRATCH] = TASK_SCRATCH,
        [ARGUMENT_CONSTANT] = TASK_IN, [ARGUMENT_TEXTURE] = TASK_IN};
    Run *r = m->run;
    const Argument *g = &r->spec->arguments[argument];
    TaskBuffer b = {.name = g->name, .type = g->element, .role = roles[g->role]};
    m->data->buffer[argument] = m->data->twin[argument] = (int)m->buffers.count;
    if (!run_argument_count(r, argument, &b.count) || !find_tolerance(r, g, &b.tolerance))
        return false;
    /* Beyond that the addresses that the profile pretends would meet, too. */
    if (b.count > (INT64_C(1) << (RUN_ADDRESS_BITS - 1)) / (int64_t)task_type_size(b.type))
        return diag_error(r->diag, g->at, "'%s' is larger than the memory of any device", g->name);
    if (!run_contents(r, argument, &g->contents, b.count, &b.contents))
        return false;
    VEC_PUSH(r->arena, &m->buffers, b);
    return true;
}

static bool add_texture(Making *m, size_t argument)
{
    Run *r = m->run;
    const Argument *g = &r->spec->arguments[argument];
    const Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    TaskTexture t = {.buffer = m->data->buffer[argument],
                     .edge = g->edge,
                     .linear = g->linear,
                     .normalized = g->normalized};
    for (int k = 0; k < TEXTURE_DIMENSIONS && g->size[k]; k++)
        if (!whole(r, g->size[k], slots, &t.size[k]))
            return false;
    m->data->texture[argument] = (int)m->textures.count;
    VEC_PUSH(r->arena, &m->textures, t);
    return true;
}

/* The same numbers in double precision, for a reference that computes so. */
static void add_twin(Making *m, size_t argument)
{
    Run *r = m->run;
    size_t own = (size_t)m->data->buffer[argument];
    TaskBuffer *b = &m->buffers.at[own];
    if (m->run->spec->arguments[argument].fields || !task_scalar_is_float(b->type.scalar) ||
        b->type.scalar == TASK_DOUBLE)
        return;
    TaskBuffer twin = *b;
    twin.name = arena_printf(r->arena, "%s in double precision", b->name);
    twin.type.scalar = TASK_DOUBLE;
    twin.role = TASK_REFERENCE;
    twin.contents.converted = true;
    twin.contents.made_as = b->type.scalar;
    VEC_PUSH(r->arena, &m->buffers, twin);
    m->data->twin[argument] = (int)m->buffers.count - 1;
    if (b->role == TASK_OUT || b->role == TASK_INOUT)
        m->buffers.at[own].expected = (int)m->buffers.count;
}

static bool add_expected(Making *m, size_t argument)
{
    Run *r = m->run;
    const Argument *g = &r->spec->arguments[argument];
    size_t own = (size_t)m->data->buffer[argument];
    TaskBuffer e = {.name = arena_printf(r->arena, "what '%s' should be", g->name),
                    .type = g->element,
                    .count = m->buffers.at[own].count,
                    .role = TASK_REFERENCE};
    if (!run_contents(r, argument, g->expected, e.count, &e.contents))
        return false;
    VEC_PUSH(r->arena, &m->buffers, e);
    m->buffers.at[own].expected = (int)m->buffers.count;
    return true;
}

/* Whether `name` stands in the text as a word of its own. */
static bool has_word(const char *text, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !strchr(word, at[-1])) && strspn(at + length, word) == 0)
            return true;
    return false;
}

bool run_source_names(const Run *r, const char *name)
{
    for (size_t i = 0; r->code.sources && i < r->spec->launch_count; i++)
        if (r->code.sources[i] && has_word(r->code.sources[i]->text, name))
            return true;
    return false;
}

/* A reference need not use every variable; a kernel that never heard of one is a mistake. */
static void add_symbol(Making *m, size_t argument)
{
    Run *r = m->run;
    const char *name = r->spec->arguments[argument].name;
    bool optional = run_source_names(r, name);
    VEC_PUSH(r->arena, &m->symbols, ((TaskSymbol){name, m->data->buffer[argument], optional}));
    VEC_PUSH(r->arena, &m->twin_symbols, ((TaskSymbol){name, m->data->twin[argument], true}));
}

static bool add_argument(Making *m, size_t i)
{
    const Spec *s = m->run->spec;
    const Argument *g = &s->arguments[i];
    if (g->role == ARGUMENT_SCALAR)
        return true;
    if (!add_buffer(m, i) || (g->role == ARGUMENT_TEXTURE && !add_texture(m, i)))
        return false;
    if (s->reference && s->reference->in_double && g->role != ARGUMENT_TEXTURE)
        add_twin(m, i);
    if (g->role == ARGUMENT_CONSTANT)
        add_symbol(m, i);
    return !g->expected || add_expected(m, i);
}

static int *new_indices(Arena *a, size_t count)
{
    int *indices = ARENA_ARRAY(a, int, count);
    for (size_t i = 0; i < count; i++)
        indices[i] = -1;
    return indices;
}

const RunData *run_data(Run *r)
{
    if (r->code.data)
        return r->code.data;
    size_t n = r->spec->argument_count;
    RunData *data = ARENA_NEW(r->arena, RunData);
    *data = (RunData){.buffer = new_indices(r->arena, n),
                      .twin = new_indices(r->arena, n),
                      .texture = new_indices(r->arena, n)};
    Making m = {.run = r, .data = data};
    for (size_t i = 0; i < n; i++)
        if (!add_argument(&m, i))
            return NULL;
    data->buffers = m.buffers.at;
    data->buffer_count = m.buffers.count;
    data->textures = m.textures.at;
    data->texture_count = m.textures.count;
    data->symbols = m.symbols.at;
    data->twin_symbols = m.twin_symbols.at;
    data->symbol_count = m.symbols.count;
    r->code.data = data;
    return data;
}

/* --- what is compared of a configuration
 * -------------------------------------------------------------- */

/* Elements of an output: as many as the configuration makes, or `first` says. */
static bool compared_of(Run *r, const Argument *g, const Value *slots, int64_t *out)
{
    int64_t count, first;
    *out = -1;
    if (g->role != ARGUMENT_OUT && g->role != ARGUMENT_INOUT)
        return true;
    if (!whole(r, g->count, slots, &count))
        return false;
    if (g->comparison.first && !whole(r, g->comparison.first, slots, &first))
        return false;
    *out = g->comparison.first && first < count ? first : count;
    return true;
}

bool run_compared(Arena *a, Run *r, size_t i, const int64_t **out, size_t *count)
{
    const Spec *s = r->spec;
    const Value *slots = run_slots(a, r, i);
    int64_t *compared = ARENA_ARRAY(a, int64_t, r->code.data->buffer_count);
    for (size_t k = 0; k < r->code.data->buffer_count; k++)
        compared[k] = -1;
    for (size_t k = 0; k < s->argument_count && slots; k++)
        if (r->code.data->buffer[k] >= 0 &&
            !compared_of(r, &s->arguments[k], slots, &compared[r->code.data->buffer[k]]))
            return false;
    *out = compared;
    *count = r->code.data->buffer_count;
    return true;
}

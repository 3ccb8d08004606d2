/* The spec's buffers as the GPU process gets them: sizes, contents, textures, variables, and what
 * the outputs should be. */
#include "tuner/run/run_parts.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/run/npy.h"
#include "tuner/spec/code_text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sizes ------------------------------------------------------------------------------------ */

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

/* --- contents ----------------------------------------------------------------------------------- */

/* What the GPU process can make by itself is only described; the rest (formulas, sorted values,
 * copies, files) is made here and given as bytes. */

/* Bytes of all buffers that are made here; they travel in one message. */
enum { MADE_LIMIT = 1 << 29 };

static bool number(const Run *r, const Expr *e, Value *out)
{
    Evaluation ev = {.arena = r->arena};
    const Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    if (!expr_eval(e, slots, &ev, out))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    return true;
}

static bool real(const Run *r, const Expr *e, double *out)
{
    Value v;
    if (!number(r, e, &v))
        return false;
    *out = value_as_real(v);
    return true;
}

/* Buffers without a seed of their own differ from each other. */
static bool random_seed(const Run *r, const Contents *c, size_t argument, uint64_t *out)
{
    Value v = value_int((int64_t)argument + 1);
    if (c->numbers[2] && !number(r, c->numbers[2], &v))
        return false;
    if (v.integer < 0)
        return diag_error(r->diag, expr_span(c->numbers[2]), "a seed is not negative");
    *out = (uint64_t)v.integer;
    return true;
}

static bool random_contents(const Run *r, const Contents *c, size_t argument, TaskContents *out)
{
    out->kind = c->kind == CONTENTS_NORMAL ? TASK_NORMAL : TASK_UNIFORM;
    if (!real(r, c->numbers[0], &out->lo) || !real(r, c->numbers[1], &out->hi))
        return false;
    if (out->kind == TASK_UNIFORM && out->lo > out->hi)
        return diag_error(r->diag, expr_span(c->numbers[1]),
                          "the high end of uniform is below its low end");
    if (out->kind == TASK_NORMAL && out->hi < 0)
        return diag_error(r->diag, expr_span(c->numbers[1]), "a deviation is not negative");
    return random_seed(r, c, argument, &out->seed);
}

/* --- made here -------------------------------------------------------------------------------- */

/* Room for the whole buffer, and the contents that point to it; NULL after a message. */
static unsigned char *make_room(const Run *r, const Argument *g, int64_t count, TaskContents *out)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, task_type_size(g->element), &bytes) ||
        bytes > MADE_LIMIT) {
        diag_error(r->diag, g->at,
                   "these contents of '%s' are made on the host and may have %d MB at most",
                   g->name, MADE_LIMIT >> 20);
        return NULL;
    }
    unsigned char *room = arena_alloc(r->arena, bytes);
    *out = (TaskContents){.kind = TASK_BYTES, .bytes = room, .size = bytes};
    return room;
}

static bool formula(const Run *r, const Argument *g, const Contents *c, int64_t count,
                    TaskContents *out)
{
    unsigned char *room = make_room(r, g, count, out);
    Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    size_t at = spec_index_slot(r->spec), size = task_type_size(g->element);
    Arena *scratch = arena_new();
    bool ok = room != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        for (int lane = 0; ok && lane < argument_numbers(g); lane++) {
            const Field f = argument_number(g, lane);
            Evaluation ev = {.arena = scratch};
            Value v;
            slots[at] = value_int(i);
            slots[at + 1] = value_int(lane);
            if (!expr_eval(c->numbers[0], slots, &ev, &v))
                ok = diag_error(r->diag, ev.error_at, "%s, for i = %lld", ev.error, (long long)i);
            else if (!contents_store_value(f.scalar, v, room + f.offset))
                ok = diag_error(r->diag, c->at, "the value for i = %lld does not fit into %s",
                                (long long)i, task_scalar_name(f.scalar));
        }
        room += size;
        if (arena_used(scratch) > 1 << 16)
            arena_reset(scratch);
    }
    arena_free(scratch);
    return ok;
}

/* --- sorted ----------------------------------------------------------------------------------- */

/* Contents of `count` elements of an argument's type.  False after a message. */
static bool make_contents(Run *r, size_t argument, const Contents *c, int64_t count,
                          TaskContents *out);

static bool sorted(Run *r, size_t argument, const Contents *c, int64_t count, TaskContents *out)
{
    const Argument *g = &r->spec->arguments[argument];
    TaskContents inner;
    if (g->element.lanes > 1)
        return diag_error(r->diag, c->at, "vectors have no order to be sorted by");
    if (!make_contents(r, argument, c->inner, count, &inner))
        return false;
    unsigned char *room = make_room(r, g, count, out);
    if (!room)
        return false;
    contents_fill(inner, g->element.scalar, 0, (size_t)count, room);
    contents_sort(g->element.scalar, room, (size_t)count);
    return true;
}

/* --- from another buffer ---------------------------------------------------------------------- */

/* Where scalar `i` of the new buffer stands in the old one. */
typedef struct Mapping {
    ContentsKind kind;
    size_t lanes, lane; /* of the old one; the one that is taken */
    size_t elements;    /* of the old one */
} Mapping;

static size_t mapped(const Mapping *m, size_t i)
{
    if (m->kind == CONTENTS_LANE)
        return i * m->lanes + m->lane;
    if (m->kind == CONTENTS_LANES)
        return i % m->elements * m->lanes + i / m->elements;
    return i;
}

static bool find_mapping(Run *r, const Contents *c, const Argument *from, int64_t elements,
                         Mapping *out)
{
    Value lane = value_int(0);
    *out = (Mapping){c->kind, (size_t)from->element.lanes, 0, (size_t)elements};
    if (c->kind == CONTENTS_LANE && !number(r, c->numbers[0], &lane))
        return false;
    if (lane.integer < 0 || lane.integer >= from->element.lanes)
        return diag_error(r->diag, c->at, "'%s' has %d lanes, counted from 0", from->name,
                          from->element.lanes);
    out->lane = (size_t)lane.integer;
    return true;
}

static bool taken(Run *r, const Argument *g, const Contents *c, int64_t count, TaskContents *out)
{
    const Argument *from = &r->spec->arguments[c->from_argument];
    TaskContents source;
    int64_t elements = 0;
    Mapping m;
    if (!run_argument_count(r, c->from_argument, &elements) ||
        !find_mapping(r, c, from, elements, &m) ||
        !make_contents(r, c->from_argument, &from->contents, elements, &source))
        return false;
    size_t scalars = (size_t)count * (size_t)g->element.lanes;
    size_t there = (size_t)elements * (c->kind == CONTENTS_LANE ? 1 : m.lanes);
    if (scalars > there)
        return diag_error(r->diag, c->at, "'%s' has %zu numbers, '%s' gives %zu", g->name, scalars,
                          from->name, there);
    unsigned char *room = make_room(r, g, count, out);
    size_t size = task_scalar_size(g->element.scalar);
    TaskScalar old = from->element.scalar;
    for (size_t i = 0; room && i < scalars; i++) {
        uint64_t one;
        contents_fill(source, old, mapped(&m, i), 1, &one);
        if (old == g->element.scalar)
            memcpy(room + i * size, &one, size);
        else
            contents_store(g->element.scalar, contents_value(old, &one), room + i * size);
    }
    return room != NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

static bool from_file(Run *r, const Argument *g, const Contents *c, int64_t count,
                      TaskContents *out)
{
    size_t size = 0, want = (size_t)count * task_type_size(g->element);
    static const uint64_t HEADER_MOST = 1 << 20; /* of an .npy */
    const char *bytes = file_read_most(r->arena, c->path, want + HEADER_MOST, &size, r->diag);
    if (!bytes)
        return false;
    size_t length = strlen(c->path);
    bool npy = length > 4 && strcmp(c->path + length - 4, ".npy") == 0;
    Diag d = diag_new(r->arena);
    if (npy && !npy_data(r->arena, bytes, size, g->element.scalar, &bytes, &size, &d))
        return diag_error(r->diag, c->at, "'%s': %s", c->file, d.messages.at[0].text);
    if (size != want)
        return diag_error(r->diag, c->at, "'%s' holds %zu bytes, '%s' has %zu", c->file, size,
                          g->name, want);
    *out = (TaskContents){.kind = TASK_BYTES, .bytes = bytes, .size = size};
    return true;
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool make_contents(Run *r, size_t argument, const Contents *c, int64_t count,
                          TaskContents *out)
{
    const Argument *g = &r->spec->arguments[argument];
    *out = (TaskContents){.kind = TASK_ZERO};
    switch (c->kind) {
    case CONTENTS_UNDEFINED:
        out->kind = TASK_UNDEFINED;
        return true;
    case CONTENTS_KEPT:
        out->kind = TASK_KEPT;
        return true;
    case CONTENTS_ZERO:
        return true;
    case CONTENTS_CONSTANT:
        out->kind = TASK_CONSTANT;
        return real(r, c->numbers[0], &out->value);
    case CONTENTS_UNIFORM:
    case CONTENTS_NORMAL:
        return random_contents(r, c, argument, out);
    case CONTENTS_FORMULA:
        return formula(r, g, c, count, out);
    case CONTENTS_SORTED:
        return sorted(r, argument, c, count, out);
    case CONTENTS_FILE:
        return from_file(r, g, c, count, out);
    default:
        return taken(r, g, c, count, out);
    }
}

/* --- described, for walks -----------------------------------------------------------------------
 */

/* The names that a formula may use. */
static json_t *names_of(const Run *r)
{
    const Spec *s = r->spec;
    const Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    json_t *names = json_object();
    for (size_t i = 0; i < s->problem_name_count; i++) {
        const Value v = slots[i];
        json_object_set_new(names, s->problem_names[i],
                            v.kind == VALUE_INT    ? json_integer(v.integer)
                            : v.kind == VALUE_REAL ? json_real(v.real)
                                                   : json_string(v.string));
    }
    return names;
}

static json_t *describe_formula(const Run *r, const Contents *c)
{
    const Span at = expr_span(c->numbers[0]);
    const char *text = arena_copy(r->arena, at.source->text + at.offset, at.length);
    return json_pack("{s:s, s:s, s:o}", "kind", "formula", "text", text, "names", names_of(r));
}

static json_t *describe_random(Run *r, size_t argument, const Contents *c)
{
    TaskContents t = {0};
    if (!random_contents(r, c, argument, &t))
        return NULL;
    return json_pack("{s:s, s:f, s:f, s:I}", "kind", t.kind == TASK_NORMAL ? "normal" : "uniform",
                     "lo", t.lo, "hi", t.hi, "seed", (json_int_t)t.seed);
}

/* Where the numbers of a file begin: behind the header of an .npy. */
static bool data_offset(Run *r, const Argument *g, const Contents *c, size_t *offset)
{
    enum { HEADER = 1 << 16 };
    const size_t length = strlen(c->path);
    *offset = 0;
    if (length <= 4 || strcmp(c->path + length - 4, ".npy") != 0)
        return true;
    FILE *f = fopen(c->path, "rb");
    char *start = arena_alloc(r->arena, HEADER);
    const size_t size = f ? fread(start, 1, HEADER, f) : 0;
    const char *data = NULL;
    size_t left = 0;
    Diag quiet = diag_new(r->arena);
    const bool ok = f && npy_data(r->arena, start, size, g->element.scalar, &data, &left, &quiet);
    if (f)
        fclose(f);
    *offset = ok ? (size_t)(data - start) : 0;
    return ok;
}

static json_t *describe_file(Run *r, const Argument *g, const Contents *c, int64_t count)
{
    size_t offset;
    if (!file_exists(c->path) || !data_offset(r, g, c, &offset))
        return NULL;
    return json_pack("{s:s, s:s, s:I, s:I, s:s}", "kind", "file", "path", c->path, "offset",
                     (json_int_t)offset, "size",
                     (json_int_t)count * (json_int_t)task_type_size(g->element), "stamp",
                     file_stamp(r->arena, c->path));
}

static json_t *describe(Run *r, size_t argument, const Contents *c, int64_t count);

static json_t *describe_taken(Run *r, const Contents *c)
{
    const Argument *from = &r->spec->arguments[c->from_argument];
    int64_t elements = 0;
    Mapping m;
    if (!run_argument_count(r, c->from_argument, &elements) ||
        !find_mapping(r, c, from, elements, &m))
        return NULL;
    json_t *of = describe(r, c->from_argument, &from->contents, elements);
    const bool all = c->kind == CONTENTS_COPY;
    return of ? json_pack(
                    "{s:s, s:s, s:I, s:I, s:I, s:I, s:o}", "kind", "taken", "scalar",
                    task_scalar_name(from->element.scalar), "lanes", (json_int_t)m.lanes, "from",
                    (json_int_t)m.lane, "step", (json_int_t)(all ? 1 : m.lanes), "wrap",
                    c->kind == CONTENTS_LANES ? (json_int_t)m.elements : INT64_C(1) << 62, "of", of)
              : NULL;
}

/* NULL: nothing is known of them. */
static json_t *describe(Run *r, size_t argument, const Contents *c, int64_t count)
{
    const Argument *g = &r->spec->arguments[argument];
    double value = 0;
    json_t *of;
    switch (c->kind) {
    case CONTENTS_ZERO:
        return json_pack("{s:s}", "kind", "zero");
    case CONTENTS_CONSTANT:
        return real(r, c->numbers[0], &value)
                   ? json_pack("{s:s, s:f}", "kind", "constant", "value", value)
                   : NULL;
    case CONTENTS_UNIFORM:
    case CONTENTS_NORMAL:
        return describe_random(r, argument, c);
    case CONTENTS_FORMULA: /* which is written out as if all numbers were of one type */
        return argument_is_mixed(g) ? NULL : describe_formula(r, c);
    case CONTENTS_FILE:
        return describe_file(r, g, c, count);
    case CONTENTS_SORTED:
        of = describe(r, argument, c->inner, count);
        return of ? json_pack("{s:s, s:I, s:o}", "kind", "sorted", "count", (json_int_t)count, "of",
                              of)
                  : NULL;
    case CONTENTS_COPY:
    case CONTENTS_LANE:
    case CONTENTS_LANES:
        return describe_taken(r, c);
    case CONTENTS_KEPT:
    case CONTENTS_UNDEFINED:
        break;
    }
    return NULL;
}

const char *run_describe_data(Run *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        int64_t count = 0;
        if ((g->role != ARGUMENT_IN && g->role != ARGUMENT_CONSTANT) ||
            !run_argument_count(r, i, &count))
            continue;
        json_t *is = describe(r, i, &g->contents, count);
        if (is)
            json_array_append_new(list, json_pack("{s:I, s:s?, s:s, s:I, s:o}", "address",
                                                  (json_int_t)run_pretended_address(i), "symbol",
                                                  g->role == ARGUMENT_CONSTANT ? g->name : NULL,
                                                  "scalar", task_scalar_name(g->element.scalar),
                                                  "lanes", (json_int_t)g->element.lanes, "is", is));
    }
    char *text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS);
    const char *out = arena_string(r->arena, text ? text : "[]");
    free(text);
    json_decref(list);
    return out;
}

/* --- buffers ---------------------------------------------------------------------------------- */

typedef VEC(TaskBuffer) BufferVec;
typedef VEC(TaskTexture) TextureVec;
typedef VEC(TaskSymbol) SymbolVec;

typedef struct Making {
    Run *run;
    RunData *data;
    BufferVec buffers;
    TextureVec textures;
    SymbolVec symbols, double_symbols;
} Making;

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
    m->data->buffer[argument] = m->data->double_copy[argument] = (int)m->buffers.count;
    if (!run_argument_count(r, argument, &b.count) || !find_tolerance(r, g, &b.tolerance))
        return false;
    /* Beyond that the addresses that the profile pretends would meet, too. */
    if (b.count > (INT64_C(1) << (RUN_ADDRESS_BITS - 1)) / (int64_t)task_type_size(b.type))
        return diag_error(r->diag, g->at, "'%s' is larger than the memory of any device", g->name);
    if (!make_contents(r, argument, &g->contents, b.count, &b.contents))
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
                     .normalized = g->normalized,
                     .fetch = g->fetch};
    for (int k = 0; k < TEXTURE_DIMENSIONS && g->size[k]; k++)
        if (!whole(r, g->size[k], slots, &t.size[k]))
            return false;
    m->data->texture[argument] = (int)m->textures.count;
    VEC_PUSH(r->arena, &m->textures, t);
    return true;
}

/* The same numbers in double precision, for a reference that computes so. */
static void add_double_copy(Making *m, size_t argument)
{
    Run *r = m->run;
    size_t own = (size_t)m->data->buffer[argument];
    TaskBuffer *b = &m->buffers.at[own];
    if (m->run->spec->arguments[argument].fields || !task_scalar_is_float(b->type.scalar) ||
        b->type.scalar == TASK_DOUBLE)
        return;
    TaskBuffer copy = *b;
    copy.name = arena_printf(r->arena, "%s in double precision", b->name);
    copy.type.scalar = TASK_DOUBLE;
    copy.role = TASK_REFERENCE;
    copy.contents.converted = true;
    copy.contents.made_as = b->type.scalar;
    VEC_PUSH(r->arena, &m->buffers, copy);
    m->data->double_copy[argument] = (int)m->buffers.count - 1;
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
    if (!make_contents(r, argument, g->expected, e.count, &e.contents))
        return false;
    VEC_PUSH(r->arena, &m->buffers, e);
    m->buffers.at[own].expected = (int)m->buffers.count;
    return true;
}

bool run_source_names(const Run *r, const char *name)
{
    for (size_t i = 0; r->code.sources && i < r->spec->launch_count; i++)
        if (r->code.sources[i] && code_has_word(r->code.sources[i]->text, name))
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
    VEC_PUSH(r->arena, &m->double_symbols,
             ((TaskSymbol){name, m->data->double_copy[argument], true}));
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
        add_double_copy(m, i);
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
                      .double_copy = new_indices(r->arena, n),
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
    data->double_symbols = m.double_symbols.at;
    data->symbol_count = m.symbols.count;
    r->code.data = data;
    return data;
}

/* --- what is compared of a configuration ------------------------------------------------------ */

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

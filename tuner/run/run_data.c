/* The spec's buffers as sent to the GPU process: sizes, contents, textures, variables, and expected
 * outputs. */
#include "tuner/run/run_parts.h"

#include "metrics/base/file.h"
#include "tuner/run/npy.h"
#include "tuner/spec/code_text.h"

#include <stdlib.h>
#include <unistd.h>

/* --- sizes ------------------------------------------------------------------------------------ */

static bool positive_integer(Run *r, const Expr *e, const Value *slots, int64_t *out)
{
    Value v;
    if (!run_evaluate(r, e, slots, &v))
        return false;
    if (v.kind != VALUE_INT || v.integer < 1)
        return diag_error(r->diag, expr_span(e), "this must be a whole number of at least 1");
    *out = v.integer;
    return true;
}

static bool largest_size(Run *r, const Expr *count, int64_t *out)
{
    SCOPED_ARENA *scratch = arena_new();
    bool ok = true;
    *out = 0;
    for (size_t i = 0; i < r->table->count && ok; i++) {
        int64_t n = 0;
        ok = !table_fits(r->table, i) || positive_integer(r, count, run_slots(scratch, r, i), &n);
        *out = n > *out ? n : *out;
        arena_reset(scratch);
    }
    return ok && (*out > 0 ||
                  diag_error(r->diag, expr_span(count), "no configuration gives this a size"));
}

bool run_argument_count(Run *r, size_t argument, int64_t *out)
{
    const Argument *g = &r->spec->arguments[argument];
    const Value *slots = run_slots(r->arena, r, SIZE_MAX);
    if (g->count)
        return spec_varies(r->spec, g->count) ? largest_size(r, g->count, out)
                                              : positive_integer(r, g->count, slots, out);
    *out = 1;
    for (int k = 0; k < TEXTURE_DIMENSIONS && g->size[k]; k++) {
        int64_t n = 0;
        if (!positive_integer(r, g->size[k], slots, &n))
            return false;
        if (__builtin_mul_overflow(*out, n, out))
            return diag_error(r->diag, g->at, "the texture is too large");
    }
    return true;
}

/* --- contents --------------------------------------------------------------------------------- */

/* Limit of bytes for contents made here, which are sent in one message. */
enum { MADE_LIMIT = 1 << 29 };

static bool evaluate(const Run *r, const Expr *e, Value *out)
{
    return run_evaluate(r, e, run_slots(r->arena, r, SIZE_MAX), out);
}

static bool evaluate_real(const Run *r, const Expr *e, double *out)
{
    Value v;
    if (!evaluate(r, e, &v))
        return false;
    *out = value_as_real(v);
    return true;
}

/* Buffers without a seed differ from each other. */
static bool random_seed(const Run *r, const Contents *c, size_t argument, uint64_t *out)
{
    Value v = value_int((int64_t)argument + 1);
    if (c->numbers[2] && !evaluate(r, c->numbers[2], &v))
        return false;
    if (v.integer < 0)
        return diag_error(r->diag, expr_span(c->numbers[2]), "a seed must not be negative");
    *out = (uint64_t)v.integer;
    return true;
}

static bool random_contents(const Run *r, const Contents *c, size_t argument, TaskContents *out)
{
    out->kind = c->kind == CONTENTS_NORMAL ? TASK_NORMAL : TASK_UNIFORM;
    if (!evaluate_real(r, c->numbers[0], &out->lo) || !evaluate_real(r, c->numbers[1], &out->hi))
        return false;
    if (out->kind == TASK_UNIFORM && out->lo > out->hi)
        return diag_error(r->diag, expr_span(c->numbers[1]),
                          "the high end of uniform is below its low end");
    if (out->kind == TASK_NORMAL && out->hi < 0)
        return diag_error(r->diag, expr_span(c->numbers[1]), "a deviation must not be negative");
    return random_seed(r, c, argument, &out->seed);
}

static DataName data_name(const char *name, Value v)
{
    return (DataName){.name = name,
                      .kind = v.kind,
                      .integer = v.kind == VALUE_INT    ? v.integer
                                 : v.kind == VALUE_BOOL ? v.boolean
                                                        : 0,
                      .real = v.kind == VALUE_REAL ? v.real : 0,
                      .text = v.kind == VALUE_STRING ? v.string : ""};
}

/* Describes a formula with the names that it may use, for evaluation in another process. */
static void formula(const Run *r, const Contents *c, DataContents *out)
{
    const Spec *s = r->spec;
    const Span at = expr_span(c->numbers[0]);
    const size_t most = s->problem_name_count + s->derived_count;
    DataName *names = ARENA_ARRAY(r->arena, DataName, most);
    bool *uses = ARENA_ARRAY(r->arena, bool, spec_slot_count(s));
    out->expr = c->numbers[0];
    out->slots = run_slots(r->arena, r, SIZE_MAX);
    out->index_slot = spec_index_slot(s);
    out->formula = arena_copy(r->arena, at.source->text + at.offset, at.length);
    out->names = names;
    expr_mark_names(out->expr, uses);
    for (size_t i = 0; i < s->problem_name_count; i++)
        names[out->name_count++] = data_name(s->problem_names[i], out->slots[i]);
    for (size_t i = 0; i < s->derived_count; i++)
        if (uses[spec_derived_slot(s, i)])
            names[out->name_count++] =
                data_name(s->derived[i].name, out->slots[spec_derived_slot(s, i)]);
}

/* Describes the contents of a file; those of an .npy file start after its header. */
static bool describe_file(Run *r, const Argument *g, const Contents *c, DataContents *out)
{
    enum { HEADER = 1 << 20 };
    uint64_t size;
    const int fd = file_open(c->path, &size, r->diag);
    if (fd < 0)
        return false;
    char *start = memory_new(HEADER);
    const char *data = start, *wrong = NULL;
    size_t left;
    const ssize_t n = pread(fd, start, HEADER, 0);
    Diag d = diag_new(r->arena);
    if (text_ends_with(c->path, ".npy") &&
        !npy_data(r->arena, start, n > 0 ? (size_t)n : 0, g->element.scalar, &data, &left, &d))
        wrong = diag_first(&d);
    out->path = path_real(r->arena, c->path, c->path); /* workers run elsewhere */
    out->stamp = file_stamp(r->arena, c->path);
    out->offset = data - start;
    free(start);
    close(fd);
    const long long holds = (long long)size - out->offset;
    if (wrong)
        return diag_error(r->diag, c->at, "'%s': %s", c->file, wrong);
    return holds == out->bytes || diag_error(r->diag, c->at, "'%s' holds %lld bytes, '%s' has %lld",
                                             c->file, holds, g->name, (long long)out->bytes);
}

static bool describe(Run *r, size_t argument, const Contents *c, int64_t count, DataContents *out);

/* Describes contents taken from another buffer: all of it, one of its lanes, or its lanes one after
 * the other. */
static bool describe_taken(Run *r, const Argument *g, const Contents *c, int64_t count,
                           DataContents *out)
{
    const Argument *from = &r->spec->arguments[c->from_argument];
    Value lane = value_int(0);
    int64_t elements = 0;
    const int lanes = from->element.lanes;
    if (!run_argument_count(r, c->from_argument, &elements) ||
        (c->kind == CONTENTS_LANE && !evaluate(r, c->numbers[0], &lane)))
        return false;
    if (lane.integer < 0 || lane.integer >= lanes)
        return diag_error(r->diag, c->at, "'%s' has %d lanes, counted from 0", from->name, lanes);
    const int64_t scalars = count * g->element.lanes;
    const int64_t there = elements * (c->kind == CONTENTS_LANE ? 1 : lanes);
    if (scalars > there)
        return diag_error(r->diag, c->at, "'%s' has %lld numbers, '%s' gives %lld", g->name,
                          (long long)scalars, from->name, (long long)there);
    out->of = ARENA_NEW(r->arena, DataContents);
    out->scalar = from->element.scalar;
    out->lanes = lanes;
    out->first = lane.integer;
    out->step = c->kind == CONTENTS_COPY ? 1 : lanes;
    out->wrap = c->kind == CONTENTS_LANES ? elements : INT64_C(1) << 62;
    return describe(r, c->from_argument, &from->contents, elements, out->of);
}

/* Describes contents of `count` elements of an argument's type. False after a message. */
static bool describe(Run *r, size_t argument, const Contents *c, int64_t count, DataContents *out)
{
    static const DataKind kinds[CONTENTS_UNDEFINED + 1] = {
        [CONTENTS_FORMULA] = DATA_FORMULA, [CONTENTS_FILE] = DATA_FILE,
        [CONTENTS_SORTED] = DATA_SORTED,   [CONTENTS_COPY] = DATA_TAKEN,
        [CONTENTS_LANE] = DATA_TAKEN,      [CONTENTS_LANES] = DATA_TAKEN};
    const Argument *g = &r->spec->arguments[argument];
    *out = (DataContents){.kind = kinds[c->kind], .where = c->at, .task.kind = TASK_ZERO};
    if (__builtin_mul_overflow(count, (int64_t)task_type_size(g->element), &out->bytes))
        out->bytes = INT64_MAX;
    switch (c->kind) {
    case CONTENTS_UNDEFINED:
        out->task.kind = TASK_UNDEFINED;
        return true;
    case CONTENTS_KEPT:
        out->task.kind = TASK_KEPT;
        return true;
    case CONTENTS_ZERO:
        return true;
    case CONTENTS_CONSTANT:
        out->task.kind = TASK_CONSTANT;
        return evaluate_real(r, c->numbers[0], &out->task.value);
    case CONTENTS_UNIFORM:
    case CONTENTS_NORMAL:
        return random_contents(r, c, argument, &out->task);
    case CONTENTS_FORMULA:
        formula(r, c, out);
        return true;
    case CONTENTS_FILE:
        return describe_file(r, g, c, out);
    case CONTENTS_SORTED:
        if (g->element.lanes != 1)
            return diag_error(r->diag, c->at, "vectors cannot be sorted");
        out->of = ARENA_NEW(r->arena, DataContents);
        return describe(r, argument, c->inner, count, out->of);
    default:
        return describe_taken(r, g, c, count, out);
    }
}

static bool make_each(Run *r, const Argument *g, const DataContents *c, unsigned char *room)
{
    const bool mixed = c->kind == DATA_FORMULA && argument_is_mixed(g);
    const uint64_t lanes = mixed ? (uint64_t)argument_numbers(g) : (uint64_t)g->element.lanes;
    const uint64_t size = task_type_size(g->element), count = (uint64_t)c->bytes / size;
    SCOPED_ARENA *scratch = arena_new();
    bool ok = true;
    for (uint64_t i = 0; ok && i < count * lanes; i++) {
        const size_t one = task_scalar_size(g->element.scalar);
        const int lane = (int)(i % lanes);
        const Field f =
            mixed ? argument_number(g, lane) : (Field){g->element.scalar, (size_t)lane * one};
        uint64_t bits;
        ok = data_scalar(scratch, c, f.scalar, lanes, i, &bits, r->diag);
        memcpy(room + i / lanes * size + f.offset, &bits, task_scalar_size(f.scalar));
    }
    return ok;
}

/* Makes the bytes of contents that the GPU process cannot make. False after a message. */
static bool make(Run *r, const Argument *g, DataContents *c)
{
    if (c->kind == DATA_MADE)
        return true;
    if (c->kind != DATA_FILE && c->bytes > MADE_LIMIT)
        return diag_error(r->diag, g->at,
                          "these contents of '%s' are made on the host, where the limit is %d MB",
                          g->name, MADE_LIMIT >> 20);
    if (!data_ready(r->arena, c, g->element.scalar, g->element.lanes, MADE_LIMIT, NULL, r->diag))
        return false;
    if (c->at)
        return true;
    unsigned char *room = arena_alloc(r->arena, (size_t)c->bytes + sizeof(uint64_t));
    c->at = room;
    return make_each(r, g, c, room);
}

static bool make_contents(Run *r, size_t argument, const Contents *c, int64_t count,
                          TaskContents *out)
{
    DataContents data;
    if (!describe(r, argument, c, count, &data) || !make(r, &r->spec->arguments[argument], &data))
        return false;
    *out = data.task;
    if (data.at)
        *out = (TaskContents){.kind = TASK_BYTES, .bytes = data.at, .size = (size_t)data.bytes};
    return true;
}

const char *run_describe_data(Run *r)
{
    const Spec *s = r->spec;
    DataBuffer *buffers = ARENA_ARRAY(r->arena, DataBuffer, s->argument_count);
    size_t count = 0;
    Diag quiet = diag_new(r->arena), *aloud = r->diag;
    r->diag = &quiet; /* errors are reported where the contents are needed */
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        const bool kept = g->role == ARGUMENT_IN || g->role == ARGUMENT_CONSTANT,
                   stood = kept || g->role == ARGUMENT_INOUT || g->role == ARGUMENT_SCRATCH;
        DataBuffer *b = &buffers[count];
        int64_t elements = 0;
        if (!stood || !run_argument_count(r, i, &elements) ||
            !describe(r, i, &g->contents, elements, &b->is) ||
            (b->is.kind == DATA_FORMULA && argument_is_mixed(g))) /* numbers of several types */
            continue;
        b->address = (int64_t)run_pretended_address(i);
        b->symbol = g->role == ARGUMENT_CONSTANT ? g->name : NULL;
        b->scalar = g->element.scalar;
        b->lanes = g->element.lanes;
        b->written = !kept;
        count++;
    }
    r->diag = aloud;
    return data_describe(r->arena, buffers, count);
}

/* --- buffers ---------------------------------------------------------------------------------- */

static bool find_tolerance(Run *r, const Argument *g, TaskTolerance *out)
{
    const Comparison *c = &g->comparison;
    *out = c->allowed;
    if (!c->stated)
        out->relative = r->spec->tolerance;
    return !c->except ||
           positive_integer(r, c->except, run_slots(r->arena, r, SIZE_MAX), &out->except);
}

static bool add_buffer(Run *r, RunData *d, size_t argument)
{
    static const TaskRole roles[] = {
        [ARGUMENT_IN] = TASK_IN,       [ARGUMENT_OUT] = TASK_OUT,
        [ARGUMENT_INOUT] = TASK_INOUT, [ARGUMENT_SCRATCH] = TASK_SCRATCH,
        [ARGUMENT_CONSTANT] = TASK_IN, [ARGUMENT_TEXTURE] = TASK_IN};
    const Argument *g = &r->spec->arguments[argument];
    TaskBuffer b = {.name = g->name, .type = g->element, .role = roles[g->role]};
    d->buffer[argument] = d->double_copy[argument] = (int)d->buffers.count;
    if (!run_argument_count(r, argument, &b.count) || !find_tolerance(r, g, &b.tolerance))
        return false;
    /* Larger buffers would make the profile's placeholder addresses overlap, too. */
    if (b.count > (INT64_C(1) << (RUN_ADDRESS_BITS - 1)) / (int64_t)task_type_size(b.type))
        return diag_error(r->diag, g->at, "'%s' is larger than the memory of any device", g->name);
    if (!make_contents(r, argument, &g->contents, b.count, &b.contents))
        return false;
    VEC_PUSH(r->arena, &d->buffers, b);
    return true;
}

static bool add_texture(Run *r, RunData *d, size_t argument)
{
    const Argument *g = &r->spec->arguments[argument];
    const Value *slots = run_slots(r->arena, r, SIZE_MAX);
    TaskTexture t = g->texture;
    t.buffer = d->buffer[argument];
    for (int k = 0; k < TEXTURE_DIMENSIONS && g->size[k]; k++)
        if (!positive_integer(r, g->size[k], slots, &t.size[k]))
            return false;
    d->texture[argument] = (int)d->textures.count;
    VEC_PUSH(r->arena, &d->textures, t);
    return true;
}

/* Adds a copy in double precision for a reference that computes in it. */
static void add_double_copy(Run *r, RunData *d, size_t argument)
{
    size_t own = (size_t)d->buffer[argument];
    TaskBuffer *b = &d->buffers.at[own];
    if (r->spec->arguments[argument].fields || !task_scalar_is_float(b->type.scalar) ||
        b->type.scalar == TASK_DOUBLE)
        return;
    TaskBuffer copy = *b;
    copy.name = arena_printf(r->arena, "%s in double precision", b->name);
    copy.type.scalar = TASK_DOUBLE;
    copy.role = TASK_REFERENCE;
    copy.contents.converted = true;
    copy.contents.made_as = b->type.scalar;
    VEC_PUSH(r->arena, &d->buffers, copy);
    d->double_copy[argument] = (int)d->buffers.count - 1;
    if (b->role == TASK_OUT || b->role == TASK_INOUT)
        d->buffers.at[own].expected = (int)d->buffers.count;
}

static bool add_expected(Run *r, RunData *d, size_t argument)
{
    const Argument *g = &r->spec->arguments[argument];
    size_t own = (size_t)d->buffer[argument];
    TaskBuffer e = {.name = arena_printf(r->arena, "what '%s' should be", g->name),
                    .type = g->element,
                    .count = d->buffers.at[own].count,
                    .role = TASK_REFERENCE};
    if (!make_contents(r, argument, g->expected, e.count, &e.contents))
        return false;
    VEC_PUSH(r->arena, &d->buffers, e);
    d->buffers.at[own].expected = (int)d->buffers.count;
    return true;
}

bool run_source_names(const Run *r, const char *name)
{
    SCOPED_ARENA *scratch = arena_new();
    bool found = false;
    for (size_t i = 0; r->code.sources && i < r->spec->launch_count && !found; i++) {
        const CompileSource *s = r->code.sources[i];
        found = s && code_has_word(s->text, name);
        for (size_t k = 0; s && k < s->files.count && !found; k++) {
            size_t size;
            const char *text = file_read(scratch, s->files.at[k], &size, DIAG_UNHEARD(scratch));
            found = text && code_has_word(text, name);
        }
    }
    return found;
}

/* A reference need not use every variable, but a kernel whose source lacks one is an error. */
static void add_symbol(Run *r, RunData *d, size_t argument)
{
    const char *name = r->spec->arguments[argument].name;
    bool optional = run_source_names(r, name);
    VEC_PUSH(r->arena, &d->symbols, ((TaskSymbol){name, d->buffer[argument], optional}));
    VEC_PUSH(r->arena, &d->double_symbols, ((TaskSymbol){name, d->double_copy[argument], true}));
}

static bool add_argument(Run *r, RunData *d, size_t i)
{
    const Spec *s = r->spec;
    const Argument *g = &s->arguments[i];
    if (g->role == ARGUMENT_SCALAR)
        return true;
    if (!add_buffer(r, d, i) || (g->role == ARGUMENT_TEXTURE && !add_texture(r, d, i)))
        return false;
    if (s->reference && s->reference->in_double && g->role != ARGUMENT_TEXTURE)
        add_double_copy(r, d, i);
    if (g->role == ARGUMENT_CONSTANT)
        add_symbol(r, d, i);
    return !g->expected || add_expected(r, d, i);
}

const RunData *run_data(Run *r)
{
    if (r->code.data)
        return r->code.data;
    size_t n = r->spec->argument_count;
    RunData *data = ARENA_NEW(r->arena, RunData);
    *data = (RunData){.buffer = ARENA_ARRAY(r->arena, int, n),
                      .double_copy = ARENA_ARRAY(r->arena, int, n),
                      .texture = ARENA_ARRAY(r->arena, int, n)};
    for (size_t i = 0; i < n; i++)
        data->buffer[i] = data->double_copy[i] = data->texture[i] = -1;
    for (size_t i = 0; i < n; i++)
        if (!add_argument(r, data, i))
            return NULL;
    r->code.data = data;
    return data;
}

/* Compared elements of an output: as many as the configuration makes, limited by `first`; −1 for
 * other arguments. */
static bool compared_of(Run *r, const Argument *g, const Value *slots, int64_t *out)
{
    int64_t count = 0, first = 0;
    *out = -1;
    if (g->role != ARGUMENT_OUT && g->role != ARGUMENT_INOUT)
        return true;
    if (!positive_integer(r, g->count, slots, &count))
        return false;
    if (g->comparison.first && !positive_integer(r, g->comparison.first, slots, &first))
        return false;
    *out = g->comparison.first && first < count ? first : count;
    return true;
}

bool run_compared(Arena *a, Run *r, size_t i, const int64_t **out, size_t *count)
{
    const Spec *s = r->spec;
    const Value *slots = run_slots(a, r, i);
    int64_t *compared = ARENA_ARRAY(a, int64_t, r->code.data->buffers.count);
    for (size_t k = 0; k < r->code.data->buffers.count; k++)
        compared[k] = -1;
    for (size_t k = 0; k < s->argument_count; k++)
        if (r->code.data->buffer[k] >= 0 &&
            !compared_of(r, &s->arguments[k], slots, &compared[r->code.data->buffer[k]]))
            return false;
    *out = compared;
    *count = r->code.data->buffers.count;
    return true;
}

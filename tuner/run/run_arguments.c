/* The arguments of a launch, as bytes for the profile and as a task for the GPU. */
#include "tuner/run/run_parts.h"

#include "metrics/base/vec.h"

#include <math.h>
#include <string.h>

/* A buffer's address as the profile sees it: nobody reads there, but cudaMalloc's alignment of 256
 * bytes is a fact that kernels test, and distinct buffers are far apart. */
static uint64_t pretended_address(size_t argument)
{
    return (uint64_t)(argument + 1) << 40;
}

/* Whether an integer is one of a type's values. */
static bool integer_fits(TaskScalar type, int64_t integer)
{
    bool is_unsigned = type == TASK_U8 || type == TASK_U16 || type == TASK_U32 || type == TASK_U64;
    size_t bits = 8 * task_scalar_size(type);
    if (bits == 64)
        return !is_unsigned || integer >= 0;
    int64_t high = ((int64_t)1 << (is_unsigned ? bits : bits - 1)) - 1;
    return integer <= high && integer >= (is_unsigned ? 0 : -high - 1);
}

static bool store_float(TaskScalar type, double real, unsigned char *bytes)
{
    uint16_t half = contents_half(real);
    float single = (float)real;
    if (type == TASK_HALF)
        memcpy(bytes, &half, sizeof half);
    else if (type == TASK_FLOAT)
        memcpy(bytes, &single, sizeof single);
    else
        memcpy(bytes, &real, sizeof real);
    return true;
}

/* A number in the form the kernel expects it.  False when it does not fit. */
static bool store_scalar(TaskScalar type, Value v, unsigned char *bytes)
{
    double real = value_as_real(v);
    if (task_scalar_is_float(type))
        return store_float(type, real, bytes);
    if (v.kind != VALUE_INT && !(real == floor(real) && fabs(real) < 0x1p63))
        return false;
    int64_t integer = v.kind == VALUE_INT ? v.integer : (int64_t)real;
    if (!integer_fits(type, integer))
        return false;
    memcpy(bytes, &integer, task_scalar_size(type)); /* little-endian, as CUDA's hosts are */
    return true;
}

static bool evaluate(const Run *r, const Expr *e, Value *out)
{
    Evaluation ev = {.arena = r->arena};
    const Value *sizes = r->spec->problems[r->space.problem].values;
    if (!expr_eval(e, sizes, &ev, out))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    return true;
}

/* The bytes of a number passed by value; every lane of a vector gets the same. */
static bool scalar_bytes(const Run *r, const Argument *g, unsigned char bytes[TASK_SCALAR_LIMIT])
{
    Value v;
    if (!evaluate(r, g->value, &v))
        return false;
    TaskScalar type = g->element.scalar;
    for (int lane = 0; lane < g->element.lanes; lane++)
        if (!store_scalar(type, v, bytes + (size_t)lane * task_scalar_size(type)))
            return diag_error(r->diag, g->at, "the value of '%s' does not fit into %s", g->name,
                              task_scalar_name(type));
    return true;
}

/* Alignment of a parameter: its size for numbers and for vectors of 2 and 4, at most 16; that of a
 * number for vectors of 3 (CUDA C++ Programming Guide, table "Alignment Requirements"). */
static size_t parameter_alignment(TaskType t)
{
    size_t size = t.lanes == 3 ? task_scalar_size(t.scalar) : task_type_size(t);
    return size < 16 ? size : 16;
}

bool run_argument_bytes(const Run *r, ArgumentBytes *out)
{
    Buf bytes = {0};
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        unsigned char one[TASK_SCALAR_LIMIT] = {0};
        uint64_t address = pretended_address(i);
        size_t size = sizeof address, alignment = sizeof address;
        memcpy(one, &address, sizeof address);
        if (g->role == ARGUMENT_SCALAR) {
            size = task_type_size(g->element);
            alignment = parameter_alignment(g->element);
            if (!scalar_bytes(r, g, one)) {
                buf_free(&bytes);
                return false;
            }
        }
        buf_fill(&bytes, '\0', (alignment - bytes.size % alignment) % alignment);
        buf_add(&bytes, one, size);
    }
    out->bytes = (const unsigned char *)arena_copy(r->arena, buf_text(&bytes), bytes.size);
    out->size = bytes.size;
    buf_free(&bytes);
    return true;
}

/* --- for the GPU --------------------------------------------------------------------------------
 */

static bool evaluate_number(const Run *r, const Expr *e, double *out)
{
    Value v;
    if (!evaluate(r, e, &v))
        return false;
    *out = value_as_real(v);
    return true;
}

/* A whole number that is not below `least`. */
static bool evaluate_whole(const Run *r, const Expr *e, int64_t least, int64_t *out)
{
    Value v;
    if (!evaluate(r, e, &v))
        return false;
    if (v.kind != VALUE_INT || v.integer < least)
        return diag_error(r->diag, expr_span(e), "this must be a whole number, %lld at least",
                          (long long)least);
    *out = v.integer;
    return true;
}

/* Buffers without a seed of their own differ from each other. */
static bool uniform_seed(const Run *r, const Contents *c, size_t argument, uint64_t *out)
{
    int64_t seed = (int64_t)argument + 1;
    if (c->numbers[2] && !evaluate_whole(r, c->numbers[2], 0, &seed))
        return false;
    *out = (uint64_t)seed;
    return true;
}

static bool task_contents(const Run *r, const Contents *c, size_t argument, TaskContents *out)
{
    switch (c->kind) {
    case CONTENTS_CONSTANT:
        out->kind = TASK_CONSTANT;
        return evaluate_number(r, c->numbers[0], &out->value);
    case CONTENTS_UNIFORM:
        out->kind = TASK_UNIFORM;
        return evaluate_number(r, c->numbers[0], &out->lo) &&
               evaluate_number(r, c->numbers[1], &out->hi) &&
               uniform_seed(r, c, argument, &out->seed);
    default:
        out->kind = TASK_ZERO;
        return true;
    }
}

static bool task_buffer(const Run *r, size_t argument, TaskBuffer *out)
{
    static const TaskRole roles[] = {
        [ARGUMENT_IN] = TASK_IN, [ARGUMENT_OUT] = TASK_OUT, [ARGUMENT_INOUT] = TASK_INOUT};
    const Argument *g = &r->spec->arguments[argument];
    int64_t count = 0;
    if (!evaluate_whole(r, g->count, 1, &count))
        return false;
    *out = (TaskBuffer){.name = g->name,
                        .type = g->element,
                        .count = count,
                        .role = roles[g->role],
                        .tolerance = {.relative = r->spec->tolerance, .scale = TASK_SCALE_RMS}};
    if (g->role == ARGUMENT_OUT)
        return true; /* undefined: a kernel must not rely on what stands there */
    return task_contents(r, &g->contents, argument, &out->contents);
}

bool run_task_buffers(const Run *r, const TaskBuffer **out, size_t *count)
{
    VEC(TaskBuffer) buffers = {0};
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        if (r->spec->arguments[i].role == ARGUMENT_SCALAR)
            continue;
        if (!task_buffer(r, i, VEC_ADD(r->arena, &buffers)))
            return false;
    }
    *out = buffers.at;
    *count = buffers.count;
    return true;
}

bool run_task_arguments(const Run *r, const TaskArgument **out)
{
    TaskArgument *arguments = ARENA_ARRAY(r->arena, TaskArgument, r->spec->argument_count);
    int buffer = 0;
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        TaskArgument *t = &arguments[i];
        t->buffer = -1;
        if (g->role != ARGUMENT_SCALAR) {
            t->buffer = buffer++;
            continue;
        }
        t->size = (uint32_t)task_type_size(g->element);
        if (!scalar_bytes(r, g, t->bytes))
            return false;
    }
    *out = arguments;
    return true;
}

void run_task_launch(const Launch *l, const Geometry *g, const TaskArgument *arguments,
                     size_t argument_count, TaskLaunch *out)
{
    *out = (TaskLaunch){.kernel = l->entry,
                        .shared = g->shared,
                        .repeat = 1,
                        .arguments = arguments,
                        .argument_count = argument_count};
    for (int i = 0; i < 3; i++) {
        out->grid[i] = g->grid[i];
        out->block[i] = g->block[i];
    }
}

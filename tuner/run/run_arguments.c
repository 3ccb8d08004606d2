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

static uint16_t half_of(double value)
{
    return contents_half(value);
}

/* A number in the form the kernel expects it.  False when it does not fit. */
static bool store_scalar(TaskScalar type, Value v, unsigned char *bytes)
{
    double real = value_as_real(v);
    int64_t integer = v.kind == VALUE_INT ? v.integer : (int64_t)real;
    size_t size = task_scalar_size(type);
    if (type == TASK_HALF) {
        uint16_t bits = half_of(real);
        memcpy(bytes, &bits, sizeof bits);
        return true;
    }
    if (type == TASK_FLOAT) {
        float single = (float)real;
        memcpy(bytes, &single, sizeof single);
        return true;
    }
    if (type == TASK_DOUBLE) {
        memcpy(bytes, &real, sizeof real);
        return true;
    }
    if (v.kind == VALUE_REAL && real != floor(real))
        return false;
    bool is_unsigned = type == TASK_U8 || type == TASK_U16 || type == TASK_U32 || type == TASK_U64;
    if (size < 8) {
        int64_t high =
            is_unsigned ? ((int64_t)1 << (8 * size)) - 1 : ((int64_t)1 << (8 * size - 1)) - 1;
        int64_t low = is_unsigned ? 0 : -high - 1;
        if (integer < low || integer > high)
            return false;
    }
    memcpy(bytes, &integer, size); /* little-endian machines, as CUDA's hosts are */
    return true;
}

static bool argument_value(const Run *r, const Argument *g, Value *out)
{
    Evaluation ev = {.arena = r->arena};
    const Value *sizes = r->spec->problems[r->space.problem].values;
    if (!expr_eval(g->value, sizes, &ev, out))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    return true;
}

bool run_argument_bytes(const Run *r, ArgumentBytes *out)
{
    Buf bytes = {0};
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        unsigned char one[TASK_SCALAR_LIMIT] = {0};
        size_t size = 8;
        if (g->role == ARGUMENT_SCALAR) {
            Value v;
            size = task_type_size(g->element);
            if (!argument_value(r, g, &v))
                return false;
            if (!store_scalar(g->element.scalar, v, one))
                return diag_error(r->diag, g->at, "the value of '%s' does not fit into %s", g->name,
                                  task_scalar_name(g->element.scalar));
        } else {
            uint64_t address = pretended_address(i);
            memcpy(one, &address, sizeof address);
        }
        /* Parameters are aligned to their own size (CUDA C++ Programming Guide, kernel
         * parameters). */
        buf_fill(&bytes, '\0', (size - bytes.size % size) % size);
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
    Evaluation ev = {.arena = r->arena};
    Value v;
    if (!expr_eval(e, r->spec->problems[r->space.problem].values, &ev, &v))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    *out = value_as_real(v);
    return true;
}

static bool task_contents(const Run *r, const Contents *c, size_t argument, TaskContents *out)
{
    double n[3] = {0};
    for (int i = 0; i < 3; i++)
        if (c->numbers[i] && !evaluate_number(r, c->numbers[i], &n[i]))
            return false;
    switch (c->kind) {
    case CONTENTS_ZERO:
        out->kind = TASK_ZERO;
        break;
    case CONTENTS_CONSTANT:
        out->kind = TASK_CONSTANT;
        out->value = n[0];
        break;
    case CONTENTS_UNIFORM:
        out->kind = TASK_UNIFORM;
        out->lo = n[0];
        out->hi = n[1];
        out->seed = c->numbers[2] ? (uint64_t)n[2] : argument + 1;
        break;
    }
    return true;
}

static bool task_buffer(const Run *r, size_t argument, TaskBuffer *out)
{
    static const TaskRole roles[] = {
        [ARGUMENT_IN] = TASK_IN, [ARGUMENT_OUT] = TASK_OUT, [ARGUMENT_INOUT] = TASK_INOUT};
    const Argument *g = &r->spec->arguments[argument];
    double count = 0;
    if (!evaluate_number(r, g->count, &count))
        return false;
    if (count < 1)
        return diag_error(r->diag, expr_span(g->count), "'%s' has no elements", g->name);
    *out = (TaskBuffer){.name = g->name,
                        .type = g->element,
                        .count = (int64_t)count,
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
        Value v;
        t->size = (uint32_t)task_type_size(g->element);
        if (!argument_value(r, g, &v) || !store_scalar(g->element.scalar, v, t->bytes))
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

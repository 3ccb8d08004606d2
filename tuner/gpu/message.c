#include "tuner/gpu/message.h"

#include "metrics/metric/sheet.h"
#include "tuner/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers and texts --------------------------------------------------------------------- */

/* JSON has no infinity and no NaN; those go as text. */
static json_t *from_real(double v)
{
    if (isnan(v))
        return json_string("nan");
    if (isinf(v))
        return json_string(v > 0 ? "inf" : "-inf");
    return json_real(v);
}

static double to_real(const json_t *j)
{
    return json_is_string(j) ? strtod(json_string_value(j), NULL) : json_number_value(j);
}

static double get_real(const json_t *j, const char *key)
{
    return to_real(json_object_get(j, key));
}

static int64_t get_integer(const json_t *j, const char *key)
{
    return json_integer_value(json_object_get(j, key));
}

static int get_int(const json_t *j, const char *key)
{
    int64_t v = get_integer(j, key);
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int)v;
}

static const char *get_text(Arena *a, const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return arena_string(a, s ? s : "");
}

/* Text from elsewhere (a driver, a device's name) need not be UTF-8, which JSON has to be. */
static json_t *from_text(const char *s)
{
    json_t *j = json_string(s ? s : "");
    if (j)
        return j;
    Buf b = {0};
    for (; *s; s++)
        buf_putc(&b, *s & 0x80 ? '?' : *s);
    j = json_string(buf_text(&b));
    buf_free(&b);
    return j;
}

static json_t *from_three(const int64_t v[3])
{
    return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static void get_three(const json_t *j, const char *key, int64_t v[3])
{
    for (size_t i = 0; i < 3; i++)
        v[i] = json_integer_value(json_array_get(json_object_get(j, key), i));
}

const char *message_verb(const json_t *header)
{
    const char *verb = json_string_value(json_object_get(header, "do"));
    return verb ? verb : "";
}

/* --- modules: sizes in the header, bytes in the blob ----------------------------------------- */

static json_t *from_module(const TaskModule *m, Buf *blob)
{
    json_t *place = json_pack("[I, I]", (json_int_t)blob->size, (json_int_t)m->size);
    buf_add(blob, m->cubin, m->size);
    return place;
}

static bool read_module(const json_t *j, const WireMessage *m, TaskModule *out, Diag *d)
{
    int64_t start = json_integer_value(json_array_get(j, 0));
    int64_t size = json_integer_value(json_array_get(j, 1));
    const Blob *blob = &m->blob[0];
    int64_t all = (int64_t)blob->size;
    if (start < 0 || size <= 0 || start > all || size > all - start)
        return diag_fail(d, "a cubin is missing from the message");
    *out = (TaskModule){(const char *)blob->bytes + start, (size_t)size};
    return true;
}

/* --- launches ------------------------------------------------------------------------------ */

static json_t *from_argument(const TaskArgument *x)
{
    if (x->buffer >= 0)
        return json_pack("{s:i}", x->texture ? "texture" : "buffer", x->buffer);
    char hex[2 * TASK_VALUE_LIMIT + 1] = "";
    for (uint32_t i = 0; i < x->size; i++) {
        hex[2 * i] = "0123456789abcdef"[x->bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[x->bytes[i] & 15];
        hex[2 * i + 2] = 0;
    }
    return json_pack("{s:s}", "value", hex);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_value(const char *hex, TaskArgument *x)
{
    size_t length = strlen(hex);
    if (length % 2 || length == 0 || length > 2 * TASK_VALUE_LIMIT)
        return false;
    x->size = (uint32_t)length / 2;
    for (size_t i = 0; i < x->size; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        x->bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static bool read_argument(const json_t *j, MessageLimits limits, TaskArgument *x, Diag *d)
{
    const char *value = json_string_value(json_object_get(j, "value"));
    *x = (TaskArgument){.buffer = -1};
    if (value)
        return read_value(value, x) || diag_fail(d, "an argument's bytes are malformed");
    x->texture = json_is_integer(json_object_get(j, "texture"));
    const char *kind = x->texture ? "texture" : "buffer";
    int64_t buffer = get_integer(j, kind);
    size_t limit = x->texture ? limits.textures : limits.buffers;
    if (!json_is_integer(json_object_get(j, kind)) || buffer < 0 || buffer >= (int64_t)limit)
        return diag_fail(d, "an argument names a %s that does not exist", kind);
    x->buffer = (int)buffer;
    return true;
}

static json_t *from_launch(const TaskLaunch *l)
{
    json_t *arguments = json_array();
    for (size_t i = 0; i < l->argument_count; i++)
        json_array_append_new(arguments, from_argument(&l->arguments[i]));
    return json_pack("{s:i, s:o, s:o, s:o, s:I, s:I, s:o}", "module", l->module, "kernel",
                     from_text(l->kernel), "grid", from_three(l->grid), "block",
                     from_three(l->block), "shared", (json_int_t)l->shared, "repeat",
                     (json_int_t)l->repeat, "arguments", arguments);
}

static bool read_launch(Arena *a, const json_t *j, size_t module_count, MessageLimits limits,
                        TaskLaunch *l, Diag *d)
{
    *l = (TaskLaunch){.module = get_int(j, "module"),
                      .kernel = get_text(a, j, "kernel"),
                      .shared = get_integer(j, "shared"),
                      .repeat = get_integer(j, "repeat")};
    get_three(j, "grid", l->grid);
    get_three(j, "block", l->block);
    if (l->module < 0 || (size_t)l->module >= module_count)
        return diag_fail(d, "a launch of '%s' names a cubin that does not exist", l->kernel);
    const json_t *arguments = json_object_get(j, "arguments");
    l->argument_count = json_array_size(arguments);
    TaskArgument *x = ARENA_ARRAY(a, TaskArgument, l->argument_count);
    for (size_t i = 0; i < l->argument_count; i++) {
        if (!read_argument(json_array_get(arguments, i), limits, &x[i], d))
            return false;
    }
    l->arguments = x;
    return true;
}

static json_t *from_symbols(const TaskRun *r)
{
    json_t *symbols = json_array();
    for (size_t i = 0; i < r->symbol_count; i++)
        json_array_append_new(
            symbols, json_pack("{s:o, s:i, s:b}", "name", from_text(r->symbols[i].name), "buffer",
                               r->symbols[i].buffer, "optional", r->symbols[i].optional));
    return symbols;
}

static json_t *from_rival(const TaskRival *v)
{
    json_t *arguments = json_array();
    for (size_t i = 0; i < v->argument_count; i++) {
        const TaskRivalArgument *x = &v->arguments[i];
        json_t *one = json_pack("{s:o}", "name", from_text(x->name));
        if (x->buffer >= 0)
            json_object_set_new(one, "buffer", json_integer(x->buffer));
        else if (x->real)
            json_object_set_new(one, "real", from_real(x->number));
        else
            json_object_set_new(one, "integer", json_integer(x->integer));
        json_array_append_new(arguments, one);
    }
    return json_pack("{s:o, s:o, s:o}", "library", from_text(v->library), "call",
                     from_text(v->call), "arguments", arguments);
}

static bool read_rival_argument(Arena *a, const json_t *j, MessageLimits limits,
                                TaskRivalArgument *x, Diag *d)
{
    *x = (TaskRivalArgument){.name = get_text(a, j, "name"), .buffer = -1};
    const json_t *real = json_object_get(j, "real"), *integer = json_object_get(j, "integer");
    x->real = real != NULL;
    x->integer = json_integer_value(integer);
    x->number = real ? to_real(real) : (double)x->integer;
    if (real || json_is_integer(integer))
        return true;
    int64_t buffer = get_integer(j, "buffer");
    if (!json_is_integer(json_object_get(j, "buffer")) || buffer < 0 ||
        buffer >= (int64_t)limits.buffers)
        return diag_fail(d, "a rival takes a buffer that does not exist");
    x->buffer = (int)buffer;
    return true;
}

/* NULL, with a message or because there is none to read. */
static const TaskRival *read_rival(Arena *a, const json_t *j, MessageLimits limits, Diag *d)
{
    if (!j)
        return NULL;
    const json_t *list = json_object_get(j, "arguments");
    TaskRival *v = ARENA_NEW(a, TaskRival);
    *v = (TaskRival){.library = get_text(a, j, "library"),
                     .call = get_text(a, j, "call"),
                     .argument_count = json_array_size(list)};
    TaskRivalArgument *x = ARENA_ARRAY(a, TaskRivalArgument, v->argument_count);
    v->arguments = x;
    for (size_t i = 0; i < v->argument_count; i++)
        if (!read_rival_argument(a, json_array_get(list, i), limits, &x[i], d))
            return NULL;
    return v;
}

static json_t *from_run(const TaskRun *r, Buf *blob)
{
    json_t *modules = json_array(), *launches = json_array();
    for (size_t i = 0; i < r->module_count; i++)
        json_array_append_new(modules, from_module(&r->modules[i], blob));
    for (size_t i = 0; i < r->launch_count; i++)
        json_array_append_new(launches, from_launch(&r->launches[i]));
    json_t *run = json_pack("{s:o, s:o, s:o}", "modules", modules, "launches", launches, "symbols",
                            from_symbols(r));
    if (r->rival)
        json_object_set_new(run, "rival", from_rival(r->rival));
    return run;
}

static bool read_symbols(Arena *a, const json_t *j, MessageLimits limits, TaskRun *r, Diag *d)
{
    r->symbol_count = json_array_size(j);
    TaskSymbol *symbols = ARENA_ARRAY(a, TaskSymbol, r->symbol_count);
    for (size_t i = 0; i < r->symbol_count; i++) {
        const json_t *one = json_array_get(j, i);
        symbols[i] = (TaskSymbol){get_text(a, one, "name"), get_int(one, "buffer"),
                                  json_is_true(json_object_get(one, "optional"))};
        if (symbols[i].buffer < 0 || (size_t)symbols[i].buffer >= limits.buffers)
            return diag_fail(d, "the variable '%s' gets a buffer that does not exist",
                             symbols[i].name);
    }
    r->symbols = symbols;
    return true;
}

static bool read_run(Arena *a, const json_t *j, const WireMessage *m, MessageLimits limits,
                     TaskRun *r, Diag *d)
{
    const json_t *modules = json_object_get(j, "modules");
    const json_t *launches = json_object_get(j, "launches");
    *r = (TaskRun){.module_count = json_array_size(modules),
                   .launch_count = json_array_size(launches)};
    TaskModule *module = ARENA_ARRAY(a, TaskModule, r->module_count);
    TaskLaunch *launch = ARENA_ARRAY(a, TaskLaunch, r->launch_count);
    for (size_t i = 0; i < r->module_count; i++) {
        if (!read_module(json_array_get(modules, i), m, &module[i], d))
            return false;
    }
    for (size_t i = 0; i < r->launch_count; i++) {
        if (!read_launch(a, json_array_get(launches, i), r->module_count, limits, &launch[i], d))
            return false;
    }
    r->modules = module;
    r->launches = launch;
    const json_t *rival = json_object_get(j, "rival");
    r->rival = read_rival(a, rival, limits, d);
    return (r->rival || !rival) && read_symbols(a, json_object_get(j, "symbols"), limits, r, d);
}

/* --- a problem ----------------------------------------------------------------------------- */

/* A 64-bit seed does not fit JSON's signed integers as such; the bits do. */
static json_t *from_contents(const TaskContents *c, Buf *blob)
{
    json_t *j =
        json_pack("{s:i, s:o, s:o, s:o, s:I, s:b, s:i}", "kind", (int)c->kind, "value",
                  from_real(c->value), "lo", from_real(c->lo), "hi", from_real(c->hi), "seed",
                  (json_int_t)c->seed, "converted", c->converted, "made_as", (int)c->made_as);
    if (c->kind == TASK_BYTES)
        json_object_set_new(j, "bytes", from_module(&(TaskModule){c->bytes, c->size}, blob));
    return j;
}

static bool read_contents(const json_t *j, const WireMessage *m, TaskContents *c, Diag *d)
{
    *c = (TaskContents){.kind = (TaskContentsKind)get_int(j, "kind"),
                        .value = get_real(j, "value"),
                        .lo = get_real(j, "lo"),
                        .hi = get_real(j, "hi"),
                        .seed = (uint64_t)get_integer(j, "seed"),
                        .converted = json_is_true(json_object_get(j, "converted")),
                        .made_as = (TaskScalar)get_int(j, "made_as")};
    if (!json_is_object(j) || (unsigned)c->kind >= TASK_CONTENTS_KINDS ||
        (unsigned)c->made_as >= TASK_SCALARS)
        return false;
    TaskModule bytes = {0};
    if (c->kind == TASK_BYTES && !read_module(json_object_get(j, "bytes"), m, &bytes, d))
        return false;
    c->bytes = bytes.cubin;
    c->size = bytes.size;
    return true;
}

static json_t *from_buffer(const TaskBuffer *b, Buf *blob)
{
    const TaskTolerance *t = &b->tolerance;
    return json_pack("{s:o, s:s, s:i, s:I, s:i, s:o, s:o, s:o, s:i, s:b, s:I, s:i}", "name",
                     from_text(b->name), "type", task_scalar_name(b->type.scalar), "lanes",
                     b->type.lanes, "count", (json_int_t)b->count, "role", (int)b->role, "contents",
                     from_contents(&b->contents, blob), "absolute", from_real(t->absolute),
                     "relative", from_real(t->relative), "scale", (int)t->scale, "sum", t->sum,
                     "except", (json_int_t)t->except, "expected", b->expected);
}

static bool buffer_is_sound(const TaskBuffer *b, size_t buffer_count)
{
    const int64_t most = INT64_MAX / 64; /* bytes in all still fit an int64 */
    return b->type.lanes >= 1 && b->type.lanes <= (b->tolerance.sum ? 4 : TASK_VALUE_LIMIT) &&
           b->count > 0 && b->count < most && (unsigned)b->role <= TASK_REFERENCE &&
           (unsigned)b->tolerance.scale <= TASK_SCALE_ELEMENT && b->expected >= 0 &&
           (size_t)b->expected <= buffer_count;
}

static bool read_buffer(Arena *a, const json_t *j, const WireMessage *m, size_t buffer_count,
                        TaskBuffer *b, Diag *d)
{
    *b = (TaskBuffer){.name = get_text(a, j, "name"),
                      .count = get_integer(j, "count"),
                      .role = (TaskRole)get_int(j, "role"),
                      .expected = get_int(j, "expected")};
    bool known = task_type_find(get_text(a, j, "type"), &b->type);
    b->type.lanes = get_int(j, "lanes");
    b->tolerance = (TaskTolerance){.absolute = get_real(j, "absolute"),
                                   .relative = get_real(j, "relative"),
                                   .scale = (TaskScale)get_int(j, "scale"),
                                   .sum = json_is_true(json_object_get(j, "sum")),
                                   .except = get_integer(j, "except")};
    if (!known || !read_contents(json_object_get(j, "contents"), m, &b->contents, d) ||
        !buffer_is_sound(b, buffer_count))
        return diag_fail(d, "the buffer '%s' has no usable type, size or contents", b->name);
    return true;
}

/* What is expected of an output has as many scalars. */
static bool expectations_fit(const TaskProblem *p, Diag *d)
{
    for (size_t i = 0; i < p->buffer_count; i++) {
        const TaskBuffer *b = &p->buffers[i];
        const TaskBuffer *e = b->expected ? &p->buffers[b->expected - 1] : b;
        if (e->count != b->count || e->type.lanes != b->type.lanes)
            return diag_fail(d, "what is expected of '%s' has another size", b->name);
    }
    return true;
}

static json_t *from_textures(const TaskProblem *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->texture_count; i++) {
        const TaskTexture *t = &p->textures[i];
        json_array_append_new(list, json_pack("{s:i, s:o, s:i, s:b, s:b}", "buffer", t->buffer,
                                              "size", from_three(t->size), "edge", (int)t->edge,
                                              "linear", t->linear, "normalized", t->normalized));
    }
    return list;
}

static bool texture_is_sound(const TaskProblem *p, const TaskTexture *t)
{
    if (t->buffer < 0 || (size_t)t->buffer >= p->buffer_count ||
        (unsigned)t->edge > TASK_EDGE_BORDER)
        return false;
    int64_t elements = 1;
    for (int k = 0; k < TASK_TEXTURE_DIMENSIONS; k++)
        if (t->size[k] < (k == 0) || t->size[k] > INT32_MAX ||
            __builtin_mul_overflow(elements, t->size[k] ? t->size[k] : 1, &elements))
            return false;
    return elements == p->buffers[t->buffer].count;
}

static bool read_textures(Arena *a, const json_t *j, TaskProblem *p, Diag *d)
{
    p->texture_count = json_array_size(j);
    TaskTexture *textures = ARENA_ARRAY(a, TaskTexture, p->texture_count);
    for (size_t i = 0; i < p->texture_count; i++) {
        const json_t *one = json_array_get(j, i);
        TaskTexture *t = &textures[i];
        *t = (TaskTexture){.buffer = get_int(one, "buffer"),
                           .edge = (TaskEdge)get_int(one, "edge"),
                           .linear = json_is_true(json_object_get(one, "linear")),
                           .normalized = json_is_true(json_object_get(one, "normalized"))};
        get_three(one, "size", t->size);
        if (!texture_is_sound(p, t))
            return diag_fail(d, "a texture has no usable size or buffer");
    }
    p->textures = textures;
    return true;
}

json_t *message_problem(const TaskProblem *p, Buf *blob)
{
    json_t *buffers = json_array();
    for (size_t i = 0; i < p->buffer_count; i++)
        json_array_append_new(buffers, from_buffer(&p->buffers[i], blob));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "do", "problem", "buffers", buffers,
                     "textures", from_textures(p), "reference", from_run(&p->reference, blob),
                     "checking", from_module(&p->checking, blob), "bare", p->bare);
}

bool message_read_problem(Arena *a, const WireMessage *m, TaskProblem *p, Diag *d)
{
    const json_t *buffers = json_object_get(m->header, "buffers");
    *p = (TaskProblem){.buffer_count = json_array_size(buffers),
                       .bare = json_is_true(json_object_get(m->header, "bare"))};
    TaskBuffer *b = ARENA_ARRAY(a, TaskBuffer, p->buffer_count);
    for (size_t i = 0; i < p->buffer_count; i++) {
        if (!read_buffer(a, json_array_get(buffers, i), m, p->buffer_count, &b[i], d))
            return false;
    }
    p->buffers = b;
    if (!expectations_fit(p, d) || !read_textures(a, json_object_get(m->header, "textures"), p, d))
        return false;
    MessageLimits limits = {p->buffer_count, p->texture_count};
    return read_run(a, json_object_get(m->header, "reference"), m, limits, &p->reference, d) &&
           read_module(json_object_get(m->header, "checking"), m, &p->checking, d);
}

json_t *message_outputs(const TaskOutput *outputs, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const TaskOutput *o = &outputs[i];
        json_array_append_new(
            list,
            json_pack("{s:i, s:o, s:o, s:I, s:I, s:I, s:o}", "buffer", o->buffer, "rms",
                      from_real(o->rms), "max", from_real(o->max), "nonfinite",
                      (json_int_t)o->nonfinite, "unwritten", (json_int_t)o->unwritten, "unsteady",
                      (json_int_t)o->unsteady, "unsteady_error", from_real(o->unsteady_error)));
    }
    return json_pack("{s:s, s:o}", "do", "ready", "outputs", list);
}

bool message_read_outputs(Arena *a, const json_t *header, const TaskOutput **outputs, size_t *count)
{
    const json_t *list = json_object_get(header, "outputs");
    if (!json_is_array(list))
        return false;
    *count = json_array_size(list);
    TaskOutput *o = ARENA_ARRAY(a, TaskOutput, *count);
    for (size_t i = 0; i < *count; i++) {
        const json_t *j = json_array_get(list, i);
        o[i] = (TaskOutput){.buffer = get_int(j, "buffer"),
                            .rms = get_real(j, "rms"),
                            .max = get_real(j, "max"),
                            .nonfinite = get_integer(j, "nonfinite"),
                            .unwritten = get_integer(j, "unwritten"),
                            .unsteady = get_integer(j, "unsteady"),
                            .unsteady_error = get_real(j, "unsteady_error")};
    }
    *outputs = o;
    return true;
}

/* --- a trial ------------------------------------------------------------------------------- */

static json_t *from_sampling(const TaskSampling *x)
{
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "least", x->least, "enough", x->enough,
                     "most", x->most, "sample_ms", from_real(x->sample_ms), "width",
                     from_real(x->width), "budget_ms", from_real(x->budget_ms), "rival_ms",
                     from_real(x->rival_ms));
}

static TaskSampling to_sampling(const json_t *j)
{
    return (TaskSampling){.least = get_int(j, "least"),
                          .enough = get_int(j, "enough"),
                          .most = get_int(j, "most"),
                          .sample_ms = get_real(j, "sample_ms"),
                          .width = get_real(j, "width"),
                          .budget_ms = get_real(j, "budget_ms"),
                          .rival_ms = get_real(j, "rival_ms")};
}

/* Counts that a helper can take memory for. */
static bool sampling_is_sound(const TaskSampling *x)
{
    const int most = 1 << 20;
    return x->least >= 0 && x->least <= most && x->enough >= 0 && x->enough <= most &&
           x->most >= 0 && x->most <= most;
}

static bool read_cache(Arena *a, const json_t *j, TaskCache *c, Diag *d)
{
    return task_cache_find(get_text(a, j, "cache"), c) ||
           diag_fail(d, "a trial does not say what its cache holds");
}

static json_t *from_compared(const Trial *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->compared_count; i++)
        json_array_append_new(list, json_integer(t->compared[i]));
    return list;
}

static bool read_compared(Arena *a, const json_t *j, MessageLimits limits, Trial *t, Diag *d)
{
    const json_t *list = json_object_get(j, "compared");
    t->compared_count = json_array_size(list);
    if (t->compared_count > limits.buffers)
        return diag_fail(d, "a trial compares more buffers than there are");
    int64_t *compared = ARENA_ARRAY(a, int64_t, t->compared_count);
    for (size_t i = 0; i < t->compared_count; i++)
        compared[i] = json_integer_value(json_array_get(list, i));
    t->compared = compared;
    return true;
}

json_t *message_trial(const Trial *t, Buf *blob)
{
    return json_pack("{s:s, s:I, s:o, s:o, s:b, s:i, s:s, s:o, s:o}", "do", "trial", "id",
                     (json_int_t)t->id, "run", from_run(&t->run, blob), "compared",
                     from_compared(t), "verify", t->verify, "warmups", t->warmups, "cache",
                     task_cache_name(t->cache), "sampling", from_sampling(&t->sampling),
                     "sustain_s", from_real(t->sustain_s));
}

bool message_read_trial(Arena *a, const WireMessage *m, MessageLimits limits, Trial *t, Diag *d)
{
    const json_t *j = m->header;
    *t = (Trial){.id = get_integer(j, "id"),
                 .verify = json_is_true(json_object_get(j, "verify")),
                 .warmups = get_int(j, "warmups"),
                 .sampling = to_sampling(json_object_get(j, "sampling")),
                 .sustain_s = get_real(j, "sustain_s")};
    if (!sampling_is_sound(&t->sampling))
        return diag_fail(d, "a trial asks for an absurd number of samples");
    return read_cache(a, j, &t->cache, d) &&
           read_run(a, json_object_get(j, "run"), m, limits, &t->run, d) &&
           read_compared(a, j, limits, t, d);
}

json_t *message_final(const TrialFinal *f, Buf *blob)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < f->run_count; i++)
        json_array_append_new(runs, from_run(&f->runs[i], blob));
    return json_pack("{s:s, s:I, s:o, s:i, s:s, s:o, s:o, s:o}", "do", "final", "id",
                     (json_int_t)f->id, "runs", runs, "rounds", f->rounds, "cache",
                     task_cache_name(f->cache), "sample_ms", from_real(f->sample_ms), "warm_s",
                     from_real(f->warm_s), "sustain_s", from_real(f->sustain_s));
}

bool message_read_final(Arena *a, const WireMessage *m, MessageLimits limits, TrialFinal *f,
                        Diag *d)
{
    const json_t *j = m->header, *list = json_object_get(j, "runs");
    *f = (TrialFinal){.id = get_integer(j, "id"),
                      .run_count = json_array_size(list),
                      .rounds = get_int(j, "rounds"),
                      .sample_ms = get_real(j, "sample_ms"),
                      .warm_s = get_real(j, "warm_s"),
                      .sustain_s = get_real(j, "sustain_s")};
    if (f->rounds < 0 || f->rounds > 10000)
        return diag_fail(d, "a final asks for an absurd number of rounds");
    TaskRun *runs = ARENA_ARRAY(a, TaskRun, f->run_count);
    for (size_t i = 0; i < f->run_count; i++) {
        if (!read_run(a, json_array_get(list, i), m, limits, &runs[i], d))
            return false;
    }
    f->runs = runs;
    return read_cache(a, j, &f->cache, d);
}

/* --- a result ------------------------------------------------------------------------------ */

static json_t *from_reals(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, from_real(values[i]));
    return list;
}

static const double *read_reals(Arena *a, const json_t *list, size_t *count)
{
    *count = json_array_size(list);
    double *values = ARENA_ARRAY(a, double, *count);
    for (size_t i = 0; i < *count; i++)
        values[i] = to_real(json_array_get(list, i));
    return values;
}

static json_t *from_health(const GpuHealth *h)
{
    if (!h->known)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:i, s:i}", "clock_mhz", from_real(h->clock_mhz),
                     "clock_most_mhz", from_real(h->clock_most_mhz), "power_w",
                     from_real(h->power_w), "power_limit_w", from_real(h->power_limit_w),
                     "temperature_c", from_real(h->temperature_c), "brakes", (int)h->brakes,
                     "others", h->others);
}

static GpuHealth to_health(const json_t *j)
{
    if (!json_is_object(j))
        return (GpuHealth){0};
    return (GpuHealth){.known = true,
                       .clock_mhz = get_real(j, "clock_mhz"),
                       .clock_most_mhz = get_real(j, "clock_most_mhz"),
                       .power_w = get_real(j, "power_w"),
                       .power_limit_w = get_real(j, "power_limit_w"),
                       .temperature_c = get_real(j, "temperature_c"),
                       .brakes = (unsigned)get_int(j, "brakes"),
                       .others = get_int(j, "others")};
}

static json_t *from_check(const TrialCheck *c)
{
    return json_pack("{s:i, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "buffer", c->buffer, "wrong",
                     (json_int_t)c->wrong, "nan", (json_int_t)c->nan, "unwritten",
                     (json_int_t)c->unwritten, "first", (json_int_t)c->first, "got",
                     from_real(c->got), "expected", from_real(c->expected), "max_error",
                     from_real(c->max_error), "scale", from_real(c->scale));
}

static TrialCheck to_check(const json_t *j)
{
    return (TrialCheck){.buffer = get_int(j, "buffer"),
                        .wrong = get_integer(j, "wrong"),
                        .nan = get_integer(j, "nan"),
                        .unwritten = get_integer(j, "unwritten"),
                        .first = get_integer(j, "first"),
                        .got = get_real(j, "got"),
                        .expected = get_real(j, "expected"),
                        .max_error = get_real(j, "max_error"),
                        .scale = get_real(j, "scale")};
}

static json_t *from_sustained(const TrialResult *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->sustained_count; i++) {
        const TrialSustained *x = &r->sustained[i];
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:i}", "runs",
                                              (json_int_t)x->runs, "ms", from_real(x->ms), "joules",
                                              from_real(x->joules), "power_w",
                                              from_real(x->power_w), "clock_mhz",
                                              from_real(x->clock_mhz), "brakes", (int)x->brakes));
    }
    return list;
}

static void read_sustained(Arena *a, const json_t *list, TrialResult *r)
{
    r->sustained_count = json_array_size(list);
    TrialSustained *all = ARENA_ARRAY(a, TrialSustained, r->sustained_count);
    for (size_t i = 0; i < r->sustained_count; i++) {
        const json_t *j = json_array_get(list, i);
        all[i] = (TrialSustained){.runs = get_integer(j, "runs"),
                                  .ms = get_real(j, "ms"),
                                  .joules = get_real(j, "joules"),
                                  .power_w = get_real(j, "power_w"),
                                  .clock_mhz = get_real(j, "clock_mhz"),
                                  .brakes = (unsigned)get_int(j, "brakes")};
    }
    r->sustained = all;
}

json_t *message_result(const TrialResult *r)
{
    json_t *checks = json_array();
    for (size_t i = 0; i < r->check_count; i++)
        json_array_append_new(checks, from_check(&r->checks[i]));
    return json_pack("{s:s, s:I, s:s, s:b, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "do",
                     "result", "id", (json_int_t)r->id, "status", outcome_name(r->status),
                     "verified", r->verified, "times", from_reals(r->times, r->time_count),
                     "warm_times", from_reals(r->warm_times, r->warm_count), "batch", r->batch,
                     "health", from_health(&r->health), "first_ms", from_real(r->first_ms),
                     "checks", checks, "words", from_text(r->words), "title", from_text(r->title),
                     "details", from_text(r->details), "sustained", from_sustained(r));
}

bool message_read_result(Arena *a, const json_t *header, TrialResult *r)
{
    *r = (TrialResult){.id = get_integer(header, "id"),
                       .verified = json_is_true(json_object_get(header, "verified")),
                       .batch = get_int(header, "batch"),
                       .health = to_health(json_object_get(header, "health")),
                       .first_ms = get_real(header, "first_ms"),
                       .words = get_text(a, header, "words"),
                       .title = get_text(a, header, "title"),
                       .details = get_text(a, header, "details")};
    const json_t *checks = json_object_get(header, "checks");
    r->times = read_reals(a, json_object_get(header, "times"), &r->time_count);
    r->warm_times = read_reals(a, json_object_get(header, "warm_times"), &r->warm_count);
    read_sustained(a, json_object_get(header, "sustained"), r);
    r->check_count = json_array_size(checks);
    TrialCheck *c = ARENA_ARRAY(a, TrialCheck, r->check_count);
    for (size_t i = 0; i < r->check_count; i++)
        c[i] = to_check(json_array_get(checks, i));
    r->checks = c;
    return json_is_integer(json_object_get(header, "id")) &&
           outcome_find_trial(get_text(a, header, "status"), &r->status);
}

/* --- a device ------------------------------------------------------------------------------ */

/* The integer fields of a device by name, so that writing and reading cannot differ. */
static const struct {
    const char *name;
    size_t offset;
} DEVICE_INTS[] = {
    {"major", offsetof(Device, major)},
    {"minor", offsetof(Device, minor)},
    {"sms", offsetof(Device, sms)},
    {"threads_per_block", offsetof(Device, threads_per_block)},
    {"block_limit_x", offsetof(Device, block_limit[0])},
    {"block_limit_y", offsetof(Device, block_limit[1])},
    {"block_limit_z", offsetof(Device, block_limit[2])},
    {"threads_per_sm", offsetof(Device, threads_per_sm)},
    {"warps_per_sm", offsetof(Device, warps_per_sm)},
    {"blocks_per_sm", offsetof(Device, blocks_per_sm)},
    {"registers_per_sm", offsetof(Device, registers_per_sm)},
    {"registers_per_block", offsetof(Device, registers_per_block)},
    {"registers_per_thread", offsetof(Device, registers_per_thread)},
    {"shared_per_sm", offsetof(Device, shared_per_sm)},
    {"shared_per_block", offsetof(Device, shared_per_block)},
    {"shared_per_block_optin", offsetof(Device, shared_per_block_optin)},
    {"shared_reserved", offsetof(Device, shared_reserved)},
    {"fp32_per_sm", offsetof(Device, fp32_per_sm)},
};

static void get_reals(const json_t *list, double *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        v[i] = json_number_value(json_array_get(list, i));
}

enum { RATES = sizeof(Rates) / sizeof(double), LATENCIES = sizeof(Latencies) / sizeof(double) };

/* The sheet's numbers: the file may be one that the other process has not read. */
static void add_sheet(json_t *j, const DeviceSheet *s)
{
    double r[RATES], l[LATENCIES];
    memcpy(r, &s->rates, sizeof r);
    memcpy(l, &s->latencies, sizeof l);
    json_object_set_new(j, "rates", from_reals(r, RATES));
    json_object_set_new(j, "latencies", from_reals(l, LATENCIES));
}

/* NULL when the message has none. */
static const DeviceSheet *read_sheet(Arena *a, const json_t *j)
{
    const json_t *rates = json_object_get(j, "rates"), *latencies = json_object_get(j, "latencies");
    if (!rates || !latencies)
        return NULL;
    double r[RATES], l[LATENCIES];
    get_reals(rates, r, RATES);
    get_reals(latencies, l, LATENCIES);
    DeviceSheet *s = ARENA_NEW(a, DeviceSheet);
    memcpy(&s->rates, r, sizeof r);
    memcpy(&s->latencies, l, sizeof l);
    return s;
}

json_t *message_device(const Device *v)
{
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof DEVICE_INTS / sizeof DEVICE_INTS[0]; i++) {
        int value;
        memcpy(&value, (const char *)v + DEVICE_INTS[i].offset, sizeof value);
        json_object_set_new(j, DEVICE_INTS[i].name, json_integer(value));
    }
    json_object_set_new(j, "name", from_text(v->name));
    json_object_set_new(j, "grid_limit", from_three(v->grid_limit));
    json_object_set_new(j, "clock_hz", from_real(v->clock_hz));
    json_object_set_new(j, "l2_bytes", json_integer(v->l2_bytes));
    json_object_set_new(j, "dram_bytes_per_s", from_real(v->dram_bytes_per_s));
    if (v->sheet)
        add_sheet(j, v->sheet);
    return j;
}

bool message_read_device(Arena *a, const json_t *j, Device *v)
{
    *v = (Device){.name = get_text(a, j, "name")};
    for (size_t i = 0; i < sizeof DEVICE_INTS / sizeof DEVICE_INTS[0]; i++) {
        int value = get_int(j, DEVICE_INTS[i].name);
        memcpy((char *)v + DEVICE_INTS[i].offset, &value, sizeof value);
    }
    get_three(j, "grid_limit", v->grid_limit);
    v->clock_hz = get_real(j, "clock_hz");
    v->l2_bytes = get_integer(j, "l2_bytes");
    v->dram_bytes_per_s = get_real(j, "dram_bytes_per_s");
    v->sheet = read_sheet(a, j);
    return v->major > 0 && v->sms > 0;
}

json_t *message_facts(const GpuFacts *f)
{
    json_t *j = message_device(&f->device);
    json_object_set_new(j, "uuid", from_text(f->uuid));
    json_object_set_new(j, "driver", from_text(f->driver));
    json_object_set_new(j, "cuda_version", json_integer(f->cuda_version));
    json_object_set_new(j, "memory_bytes", json_integer(f->memory_bytes));
    json_object_set_new(j, "memory_clock_hz", from_real(f->memory_clock_hz));
    json_object_set_new(j, "bus_bits", json_integer(f->bus_bits));
    return j;
}

bool message_read_facts(Arena *a, const json_t *j, GpuFacts *f)
{
    *f = (GpuFacts){.uuid = get_text(a, j, "uuid"),
                    .driver = get_text(a, j, "driver"),
                    .cuda_version = get_int(j, "cuda_version"),
                    .memory_bytes = get_integer(j, "memory_bytes"),
                    .memory_clock_hz = get_real(j, "memory_clock_hz"),
                    .bus_bits = get_int(j, "bus_bits")};
    return message_read_device(a, j, &f->device);
}

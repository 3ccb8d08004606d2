#include "tuner/gpu/message.h"

/* --- fields ----------------------------------------------------------------------------------- */

JSON_TABLE(MODULE, TaskModule, JSON_FIELD_BYTES(TaskModule, cubin, size));

JSON_TABLE(ARGUMENT, TaskArgument, JSON_FIELD(TaskArgument, buffer),
           JSON_FIELD(TaskArgument, texture), JSON_FIELD(TaskArgument, joined),
           JSON_FIELD(TaskArgument, alignment), JSON_FIELD_FILLED(TaskArgument, bytes, size));

JSON_TABLE(LAUNCH, TaskLaunch, JSON_FIELD(TaskLaunch, module), JSON_FIELD(TaskLaunch, kernel),
           JSON_FIELD_ROW(TaskLaunch, grid), JSON_FIELD_ROW(TaskLaunch, block),
           JSON_FIELD(TaskLaunch, shared), JSON_FIELD(TaskLaunch, repeat),
           JSON_FIELD(TaskLaunch, cooperative),
           JSON_FIELD_STRUCTS(TaskLaunch, arguments, argument_count, ARGUMENT));

JSON_TABLE(SYMBOL, TaskSymbol, JSON_FIELD(TaskSymbol, name), JSON_FIELD(TaskSymbol, buffer),
           JSON_FIELD(TaskSymbol, optional));

JSON_TABLE(RIVAL_ARGUMENT, TaskRivalArgument, JSON_FIELD(TaskRivalArgument, name),
           JSON_FIELD(TaskRivalArgument, buffer), JSON_FIELD(TaskRivalArgument, real),
           JSON_FIELD(TaskRivalArgument, integer), JSON_FIELD(TaskRivalArgument, number));

JSON_TABLE(RIVAL, TaskRival, JSON_FIELD(TaskRival, library), JSON_FIELD(TaskRival, call),
           JSON_FIELD_STRUCTS(TaskRival, arguments, argument_count, RIVAL_ARGUMENT));

JSON_TABLE(RUN, TaskRun, JSON_FIELD_STRUCTS(TaskRun, modules, module_count, MODULE),
           JSON_FIELD_STRUCTS(TaskRun, launches, launch_count, LAUNCH),
           JSON_FIELD_STRUCTS(TaskRun, symbols, symbol_count, SYMBOL),
           JSON_FIELD_POINTER(TaskRun, rival, RIVAL));

JSON_TABLE(TYPE, TaskType, JSON_FIELD_BELOW(TaskType, scalar, TASK_SCALARS),
           JSON_FIELD(TaskType, lanes));

JSON_TABLE(CONTENTS, TaskContents, JSON_FIELD_BELOW(TaskContents, kind, TASK_CONTENTS_KINDS),
           JSON_FIELD(TaskContents, value), JSON_FIELD(TaskContents, lo),
           JSON_FIELD(TaskContents, hi), JSON_FIELD(TaskContents, seed),
           JSON_FIELD_BYTES(TaskContents, bytes, size), JSON_FIELD(TaskContents, converted),
           JSON_FIELD_BELOW(TaskContents, made_as, TASK_SCALARS));

JSON_TABLE(TOLERANCE, TaskTolerance, JSON_FIELD(TaskTolerance, absolute),
           JSON_FIELD(TaskTolerance, relative),
           JSON_FIELD_BELOW(TaskTolerance, scale, TASK_SCALE_ELEMENT + 1),
           JSON_FIELD(TaskTolerance, sum), JSON_FIELD(TaskTolerance, except));

JSON_TABLE(BUFFER, TaskBuffer, JSON_FIELD(TaskBuffer, name),
           JSON_FIELD_STRUCT(TaskBuffer, type, TYPE), JSON_FIELD(TaskBuffer, count),
           JSON_FIELD_BELOW(TaskBuffer, role, TASK_REFERENCE + 1),
           JSON_FIELD_STRUCT(TaskBuffer, contents, CONTENTS),
           JSON_FIELD_STRUCT(TaskBuffer, tolerance, TOLERANCE), JSON_FIELD(TaskBuffer, expected));

JSON_TABLE(TEXTURE, TaskTexture, JSON_FIELD(TaskTexture, buffer), JSON_FIELD_ROW(TaskTexture, size),
           JSON_FIELD_BELOW(TaskTexture, edge, TASK_EDGE_BORDER + 1),
           JSON_FIELD(TaskTexture, linear), JSON_FIELD(TaskTexture, normalized),
           JSON_FIELD(TaskTexture, fetch));

JSON_TABLE(PROBLEM, TaskProblem, JSON_FIELD_STRUCTS(TaskProblem, buffers, buffer_count, BUFFER),
           JSON_FIELD_STRUCTS(TaskProblem, textures, texture_count, TEXTURE),
           JSON_FIELD_STRUCT(TaskProblem, reference, RUN),
           JSON_FIELD_STRUCT(TaskProblem, checking, MODULE), JSON_FIELD(TaskProblem, bare));

/* Limits on samples and rounds, for which a helper allocates memory. */
enum { SAMPLES_BELOW = (1 << 20) + 1, ROUNDS_BELOW = 10001 };

JSON_TABLE(SAMPLING, TaskSampling, JSON_FIELD_BELOW(TaskSampling, least, SAMPLES_BELOW),
           JSON_FIELD_BELOW(TaskSampling, enough, SAMPLES_BELOW),
           JSON_FIELD_BELOW(TaskSampling, most, SAMPLES_BELOW), JSON_FIELD(TaskSampling, sample_ms),
           JSON_FIELD(TaskSampling, width), JSON_FIELD(TaskSampling, budget_ms),
           JSON_FIELD(TaskSampling, best_ms));

JSON_TABLE(TRIAL, Trial, JSON_FIELD(Trial, id), JSON_FIELD_STRUCTS(Trial, runs, run_count, RUN),
           JSON_FIELD_BELOW(Trial, rounds, ROUNDS_BELOW), JSON_FIELD(Trial, warm_s),
           JSON_FIELD_LIST(Trial, compared, compared_count), JSON_FIELD(Trial, verify),
           JSON_FIELD(Trial, warmups), JSON_FIELD_BELOW(Trial, cache, TASK_BOTH + 1),
           JSON_FIELD_STRUCT(Trial, sampling, SAMPLING), JSON_FIELD(Trial, sustain_s));

JSON_TABLE(HEALTH, GpuHealth, JSON_FIELD(GpuHealth, known), JSON_FIELD(GpuHealth, clock_mhz),
           JSON_FIELD(GpuHealth, power_w), JSON_FIELD(GpuHealth, power_limit_w),
           JSON_FIELD(GpuHealth, temperature_c), JSON_FIELD(GpuHealth, throttle),
           JSON_FIELD(GpuHealth, others));

JSON_TABLE(CHECK, TrialCheck, JSON_FIELD(TrialCheck, buffer), JSON_FIELD(TrialCheck, wrong),
           JSON_FIELD(TrialCheck, nan), JSON_FIELD(TrialCheck, unwritten),
           JSON_FIELD(TrialCheck, first), JSON_FIELD(TrialCheck, got),
           JSON_FIELD(TrialCheck, expected), JSON_FIELD(TrialCheck, max_error),
           JSON_FIELD(TrialCheck, scale));

JSON_TABLE(SUSTAINED, TrialSustained, JSON_FIELD(TrialSustained, runs),
           JSON_FIELD(TrialSustained, ms), JSON_FIELD(TrialSustained, joules),
           JSON_FIELD(TrialSustained, power_w), JSON_FIELD(TrialSustained, clock_mhz),
           JSON_FIELD(TrialSustained, throttle), JSON_FIELD(TrialSustained, idle));

JSON_TABLE(RESULT, TrialResult, JSON_FIELD(TrialResult, id),
           JSON_FIELD_BELOW(TrialResult, status, OUTCOMES), JSON_FIELD(TrialResult, verified),
           JSON_FIELD_LIST(TrialResult, times, time_count),
           JSON_FIELD_LIST(TrialResult, warm_times, warm_count), JSON_FIELD(TrialResult, batch),
           JSON_FIELD_STRUCTS(TrialResult, sustained, sustained_count, SUSTAINED),
           JSON_FIELD_STRUCT(TrialResult, health, HEALTH), JSON_FIELD(TrialResult, first_ms),
           JSON_FIELD_STRUCTS(TrialResult, checks, check_count, CHECK),
           JSON_FIELD(TrialResult, words), JSON_FIELD(TrialResult, title),
           JSON_FIELD(TrialResult, details));

JSON_TABLE(OUTPUT, TaskOutput, JSON_FIELD(TaskOutput, buffer), JSON_FIELD(TaskOutput, rms),
           JSON_FIELD(TaskOutput, max), JSON_FIELD(TaskOutput, nonfinite),
           JSON_FIELD(TaskOutput, unwritten), JSON_FIELD(TaskOutput, nondeterministic),
           JSON_FIELD(TaskOutput, nondeterminism));

typedef struct Outputs {
    const TaskOutput *outputs;
    size_t count;
} Outputs;
JSON_TABLE(OUTPUTS, Outputs, JSON_FIELD_STRUCTS(Outputs, outputs, count, OUTPUT));

JSON_TABLE(FACTS, GpuFacts, JSON_FIELD_STRUCT(GpuFacts, device, DEVICE_JSON),
           JSON_FIELD(GpuFacts, uuid), JSON_FIELD(GpuFacts, driver),
           JSON_FIELD(GpuFacts, cuda_version), JSON_FIELD(GpuFacts, memory_bytes),
           JSON_FIELD(GpuFacts, memory_clock_hz), JSON_FIELD(GpuFacts, bus_bits));

/* --- messages --------------------------------------------------------------------------------- */

const char *message_verb(const json_t *header)
{
    const char *verb = json_string_value(json_object_get(header, "do"));
    return verb ? verb : "";
}

static json_t *message(const char *verb, const JsonStruct *s, const void *from, Buf *blob)
{
    json_t *j = json_of_struct(s, from, blob);
    json_object_set_new(j, "do", json_string(verb));
    return j;
}

json_t *message_problem(const TaskProblem *p, Buf *blob)
{
    return message("problem", &PROBLEM, p, blob);
}

json_t *message_trial(const Trial *t, Buf *blob)
{
    return message("trial", &TRIAL, t, blob);
}

json_t *message_result(const TrialResult *r)
{
    return message("result", &RESULT, r, NULL);
}

json_t *message_outputs(const TaskOutput *outputs, size_t count)
{
    return message("ready", &OUTPUTS, &(Outputs){outputs, count}, NULL);
}

json_t *message_facts(const GpuFacts *f)
{
    return json_of_struct(&FACTS, f, NULL);
}

/* --- indices and sizes ------------------------------------------------------------------------ */

static bool exists(int index, size_t count)
{
    return index >= 0 && (size_t)index < count;
}

static bool argument_is_sound(const TaskArgument *x, MessageLimits limits)
{
    const bool value = !x->texture && x->buffer == -1 && x->size > 0;
    return value || exists(x->buffer, x->texture ? limits.textures : limits.buffers);
}

static bool check_launch(const TaskLaunch *l, size_t modules, MessageLimits limits, Diag *d)
{
    if (!exists(l->module, modules))
        return diag_fail(d, "a launch of '%s' names a cubin that does not exist", l->kernel);
    StructLayout all = {0};
    for (size_t i = 0; i < l->argument_count; i++) {
        const TaskArgument *x = &l->arguments[i];
        if (!argument_is_sound(x, limits))
            return diag_fail(d, "argument %zu of '%s' is neither a value nor a buffer that exists",
                             i, l->kernel);
        const bool aligned = x->alignment >= 0 && x->alignment <= 16;
        layout_add(&all, x->buffer >= 0 ? 8 : x->size, aligned ? (size_t)x->alignment : 1);
        if (!aligned || (i == 0 && x->joined) || all.size > TASK_STRUCT_LIMIT)
            return diag_fail(d, "argument %zu of '%s' has no valid place", i, l->kernel);
    }
    return true;
}

static bool check_module(const TaskModule *m, Diag *d)
{
    return m->size > 0 || diag_fail(d, "a cubin is missing from the message");
}

static bool check_run(const TaskRun *r, MessageLimits limits, Diag *d)
{
    for (size_t i = 0; i < r->module_count; i++)
        if (!check_module(&r->modules[i], d))
            return false;
    for (size_t i = 0; i < r->launch_count; i++)
        if (!check_launch(&r->launches[i], r->module_count, limits, d))
            return false;
    for (size_t i = 0; i < r->symbol_count; i++)
        if (!exists(r->symbols[i].buffer, limits.buffers))
            return diag_fail(d, "the variable '%s' gets a buffer that does not exist",
                             r->symbols[i].name);
    for (size_t i = 0; r->rival && i < r->rival->argument_count; i++) {
        const int buffer = r->rival->arguments[i].buffer;
        if (buffer != -1 && !exists(buffer, limits.buffers))
            return diag_fail(d, "a rival takes a buffer that does not exist");
    }
    return true;
}

static bool buffer_is_sound(const TaskProblem *p, const TaskBuffer *b)
{
    const int64_t most = INT64_MAX / 64; /* bytes in all still fit an int64 */
    return b->type.lanes >= 1 && b->type.lanes <= (b->tolerance.sum ? 4 : TASK_VALUE_LIMIT) &&
           b->count > 0 && b->count < most && exists(b->expected, p->buffer_count + 1) &&
           (b->contents.kind != TASK_BYTES || b->contents.size > 0);
}

static bool texture_is_sound(const TaskProblem *p, const TaskTexture *t)
{
    int64_t elements = 1;
    for (int k = 0; k < TASK_TEXTURE_DIMENSIONS; k++)
        if (t->size[k] < (k == 0) || t->size[k] > INT32_MAX ||
            __builtin_mul_overflow(elements, t->size[k] ? t->size[k] : 1, &elements))
            return false;
    return exists(t->buffer, p->buffer_count) && elements == p->buffers[t->buffer].count;
}

static bool check_buffers(const TaskProblem *p, Diag *d)
{
    EACH (const TaskBuffer, b, p->buffers, p->buffer_count) {
        if (!buffer_is_sound(p, b))
            return diag_fail(d, "the buffer '%s' has no usable type, size or contents", b->name);
        const TaskBuffer *e = b->expected ? &p->buffers[b->expected - 1] : b;
        if (e->count != b->count || e->type.lanes != b->type.lanes)
            return diag_fail(d, "the expected contents of '%s' have another size", b->name);
    }
    for (size_t i = 0; i < p->texture_count; i++)
        if (!texture_is_sound(p, &p->textures[i]))
            return diag_fail(d, "a texture has no usable size or buffer");
    return true;
}

bool message_read_problem(Arena *a, const WireMessage *m, TaskProblem *p, Diag *d)
{
    return json_read_struct(a, &PROBLEM, m->header, m->blob, p, d) && check_buffers(p, d) &&
           check_run(&p->reference, (MessageLimits){p->buffer_count, p->texture_count}, d) &&
           check_module(&p->checking, d);
}

bool message_read_trial(Arena *a, const WireMessage *m, MessageLimits limits, Trial *t, Diag *d)
{
    if (!json_read_struct(a, &TRIAL, m->header, m->blob, t, d))
        return false;
    if (t->compared_count > limits.buffers)
        return diag_fail(d, "a trial compares more buffers than there are");
    bool ok = t->run_count == 1 || t->rounds > 0 || diag_fail(d, "a trial has one run");
    for (size_t i = 0; ok && i < t->run_count; i++)
        ok = check_run(&t->runs[i], limits, d);
    return ok;
}

bool message_read_result(Arena *a, const json_t *header, TrialResult *r)
{
    return json_read_struct(a, &RESULT, header, (Blob){0}, r, DIAG_UNHEARD(a)) &&
           outcome_is_trial(r->status);
}

bool message_read_outputs(Arena *a, const json_t *header, const TaskOutput **outputs, size_t *count)
{
    Outputs read;
    bool ok = json_read_struct(a, &OUTPUTS, header, (Blob){0}, &read, DIAG_UNHEARD(a));
    *outputs = read.outputs;
    *count = read.count;
    return ok;
}

bool message_read_facts(Arena *a, const json_t *j, GpuFacts *f)
{
    return json_read_struct(a, &FACTS, j, (Blob){0}, f, DIAG_UNHEARD(a)) && f->device.major > 0 &&
           f->device.sms > 0;
}

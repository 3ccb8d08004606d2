#include "tuner/run/run_check.h"

#include "metrics/flow/memory.h"
#include "metrics/ptx/ptx_parse.h"
#include "tuner/run/run_parts.h"

#include <string.h>

typedef struct Checking {
    Run *run;
    Farm *farm;
    RunCheck *out;
    bool *symbols; /* of each argument: some code has the variable */
} Checking;

/* --- compiling -------------------------------------------------------------------------------- */

/* False when it does not compile; where there is no compiler that is no mistake of the spec. */
static bool compile(Checking *x, const CompileJob *job, Span at, CompileResult *res)
{
    Run *r = x->run;
    Diag d = diag_new(r->arena);
    farm_add(x->farm, 0, job);
    if (!farm_next(x->farm, r->arena, res, &d)) {
        x->out->uncompiled = d.messages.count ? d.messages.at[0].text : "no compiler";
        return false;
    }
    return res->status == OUTCOME_COMPILED ||
           diag_error(r->diag, at, "this does not compile:\n%s", res->log);
}

/* --- parameters ------------------------------------------------------------------------------- */

static const char *role_text(const Argument *g)
{
    return g->role == ARGUMENT_SCALAR    ? "a number"
           : g->role == ARGUMENT_TEXTURE ? "a texture"
                                         : "a buffer";
}

static const char *type_text(Arena *a, TaskType t)
{
    Buf b = {0};
    task_type_print(t, &b);
    const char *text = arena_string(a, buf_text(&b));
    buf_free(&b);
    return text;
}

static bool is_float_type(PtxType t)
{
    return t == PTX_F16 || t == PTX_F32 || t == PTX_F64;
}

static bool is_integer_type(PtxType t)
{
    return t == PTX_U8 || t == PTX_S8 || t == PTX_U16 || t == PTX_S16 || t == PTX_U32 ||
           t == PTX_S32 || t == PTX_U64 || t == PTX_S64;
}

/* One parameter against what the spec gives there. */
static bool check_parameter(Run *r, const Launch *l, const char *kernel, size_t i,
                            const PtxVariable *p, const Argument *g)
{
    TaskType t = g->element;
    if (l->in_double && task_scalar_is_float(t.scalar))
        t.scalar = TASK_DOUBLE;
    bool number = g->role == ARGUMENT_SCALAR;
    uint64_t size = number ? task_type_size(t) : 8;
    if (p->is_pointer && (number || g->role == ARGUMENT_TEXTURE))
        return diag_error(r->diag, g->at, "parameter %zu of '%s' is a pointer, '%s' is %s", i + 1,
                          kernel, g->name, role_text(g));
    if (p->size != size)
        return diag_error(
            r->diag, g->at, "parameter %zu of '%s' has %llu bytes, '%s' is %s%s%s of %llu", i + 1,
            kernel, (unsigned long long)p->size, g->name, role_text(g), number ? ", " : "",
            number ? type_text(r->arena, t) : "", (unsigned long long)size);
    bool wants_float = is_float_type(p->type), is_float = task_scalar_is_float(t.scalar);
    if (number && t.lanes == 1 && !*p->dimensions &&
        ((wants_float && !is_float) || (is_integer_type(p->type) && is_float)))
        return diag_error(r->diag, g->at, "parameter %zu of '%s' is %s, '%s' is %s", i + 1, kernel,
                          wants_float ? "a floating-point number" : "an integer", g->name,
                          task_scalar_name(t.scalar));
    return true;
}

static const char *taken_names(Arena *a, const RunTaken *taken, size_t count)
{
    Buf b = {0};
    for (size_t i = 0; i < count; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", taken[i].argument->name);
    const char *text = arena_string(a, count ? buf_text(&b) : "nothing");
    buf_free(&b);
    return text;
}

static bool check_parameters(Run *r, const Launch *l, const PtxFunction *entry, const char *kernel,
                             const RunTaken *taken, size_t count)
{
    bool ok = true;
    if (entry->params.count != count)
        return diag_error(r->diag, l->at, "'%s' takes %zu parameters, the spec gives it %zu: %s",
                          kernel, entry->params.count, count, taken_names(r->arena, taken, count));
    for (size_t i = 0; i < count; i++)
        ok = check_parameter(r, l, kernel, i, entry->params.at[i], taken[i].argument) && ok;
    return ok;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* The farthest that a kernel was seen to reach beyond a buffer. */
typedef struct Reach {
    const int64_t *bytes; /* of each argument's buffer; 0: none */
    size_t count;
    size_t seen;
    int64_t *beyond; /* of each: bytes past its start that were touched, if beyond its size */
    bool *before;    /* something before its start was touched */
} Reach;

static void touch(void *context, const uint64_t *address, uint32_t lanes, int bytes)
{
    Reach *x = context;
    const uint64_t half = (uint64_t)1 << (RUN_ADDRESS_BITS - 1);
    x->seen++;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t at = address[__builtin_ctz(left)];
        /* Addresses just below a buffer's start are its own, too. */
        uint64_t buffer = (at + half) >> RUN_ADDRESS_BITS;
        if (buffer == 0 || buffer > x->count || x->bytes[buffer - 1] == 0)
            continue;
        uint64_t start = buffer << RUN_ADDRESS_BITS;
        if (at < start) {
            x->before[buffer - 1] = true;
            continue;
        }
        int64_t end = (int64_t)(at - start) + bytes;
        if (end > x->bytes[buffer - 1] && end > x->beyond[buffer - 1])
            x->beyond[buffer - 1] = end;
    }
}

/* Bytes of each buffer as a configuration has it. */
static bool buffer_bytes(Run *r, const Value *slots, int64_t *bytes)
{
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        Evaluation ev = {.arena = r->arena};
        Value v;
        if (!g->count || g->role == ARGUMENT_CONSTANT)
            continue;
        if (!expr_eval(g->count, slots, &ev, &v))
            return diag_error(r->diag, ev.error_at, "%s", ev.error);
        bytes[i] = v.integer * (int64_t)task_type_size(g->element);
    }
    return true;
}

static bool report_reach(Run *r, const Reach *x, const char *kernel)
{
    bool ok = true;
    for (size_t i = 0; i < x->count; i++) {
        const Argument *g = &r->spec->arguments[i];
        size_t size = task_type_size(g->element);
        if (x->beyond[i] > 0)
            ok = diag_error(r->diag, g->at,
                            "'%s' accesses element %lld of '%s', which has %lld: the walk through "
                            "the first configuration proves it",
                            kernel, (long long)((x->beyond[i] - 1) / (int64_t)size), g->name,
                            (long long)(x->bytes[i] / (int64_t)size));
        else if (x->before[i])
            ok = diag_error(r->diag, g->at, "'%s' accesses memory before the start of '%s'", kernel,
                            g->name);
    }
    return ok;
}

static bool check_reach(Checking *x, size_t config, const Step *step, const CompileResult *res,
                        const PtxFunction *entry)
{
    Run *r = x->run;
    size_t n = r->spec->argument_count;
    const Value *slots = run_launch_slots(r->arena, r, config);
    int64_t *bytes = ARENA_ARRAY(r->arena, int64_t, n);
    ProfileInput in;
    if (!slots || !buffer_bytes(r, slots, bytes) ||
        !run_profile_input(r->arena, r, config, step, res, &in))
        return false;
    Reach reach = {.bytes = bytes,
                   .count = n,
                   .beyond = ARENA_ARRAY(r->arena, int64_t, n),
                   .before = ARENA_ARRAY(r->arena, bool, n)};
    WalkTouch observer = {&reach, touch};
    if (!profile_touch(r->arena, &in, entry, &observer))
        return true; /* what was seen need not happen */
    x->out->accesses += reach.seen;
    return report_reach(r, &reach, r->spec->launches[step->launch].entry);
}

/* --- variables -------------------------------------------------------------------------------- */

static bool check_symbols(Checking *x, const PtxModule *m)
{
    Run *r = x->run;
    bool ok = true;
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        for (size_t k = 0; g->role == ARGUMENT_CONSTANT && k < m->variables.count; k++) {
            const PtxVariable *v = m->variables.at[k];
            const TaskBuffer *b = &r->code.data->buffers[r->code.data->buffer[i]];
            uint64_t want = (uint64_t)b->count * task_type_size(b->type);
            if (strcmp(v->name, g->name) != 0)
                continue;
            x->symbols[i] = true;
            if (v->size != want)
                ok = diag_error(r->diag, g->at,
                                "the variable '%s' has %llu bytes, its contents %llu", g->name,
                                (unsigned long long)v->size, (unsigned long long)want);
        }
    }
    return ok;
}

static bool report_missing(Checking *x)
{
    bool ok = true;
    for (size_t i = 0; i < x->run->spec->argument_count; i++) {
        const Argument *g = &x->run->spec->arguments[i];
        if (g->role == ARGUMENT_CONSTANT && !x->symbols[i] && !run_source_names(x->run, g->name))
            ok = diag_error(x->run->diag, g->at, "the code has no variable '%s'", g->name);
    }
    return ok;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* The entry of a compiled kernel; NULL after a message. */
static const PtxFunction *find_entry(Run *r, const Launch *l, const CompileResult *res,
                                     const char *kernel, const PtxModule **module)
{
    Source *source = ARENA_NEW(r->arena, Source);
    *source = (Source){kernel, res->ptx, res->ptx_size};
    *module = ptx_parse(r->arena, source, r->diag);
    const PtxFunction *entry = ptx_find_entry(*module, kernel);
    if (!entry)
        diag_error(r->diag, l->at, "'%s' has no kernel '%s'%s", l->file, l->entry,
                   l->expression ? "" : "; is it extern \"C\"? One of C++ has its name in quotes");
    return entry;
}

static bool takes(Run *r, const Launch *l, const Value *slots, const RunTaken **taken,
                  size_t *count)
{
    Evaluation ev = {.arena = r->arena};
    return run_launch_takes(r->arena, r->spec, l, slots, &ev, taken, count) ||
           diag_error(r->diag, ev.error_at, "%s", ev.error);
}

/* The first step of a launch of a configuration. */
static const Step *first_step(const TableLaunch *c, size_t launch)
{
    size_t s = 0;
    while (c->steps[s].launch != launch)
        s++;
    return &c->steps[s];
}

static bool check_launch(Checking *x, size_t config, size_t number)
{
    Run *r = x->run;
    const Launch *l = &r->spec->launches[number];
    const Step *step = first_step(&r->table->launch[config], number);
    Value *slots = run_launch_slots(r->arena, r, config);
    CompileJob job;
    CompileResult res;
    const RunTaken *taken;
    size_t count;
    const PtxModule *module;
    if (!run_make_job(r->arena, r, config, number, NULL, 0, &job) || !compile(x, &job, l->at, &res))
        return x->out->uncompiled != NULL;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    const PtxFunction *entry = find_entry(r, l, &res, run_kernel_name(r, number, &res), &module);
    if (!entry || !takes(r, l, slots, &taken, &count))
        return false;
    x->out->kernels++;
    bool ok = check_parameters(r, l, entry, l->entry, taken, count);
    ok = check_symbols(x, module) && ok;
    return ok && check_reach(x, config, step, &res, entry);
}

static bool check_reference(Checking *x, const Launch *l)
{
    Run *r = x->run;
    Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    Step *steps;
    size_t count;
    Evaluation ev = {.arena = r->arena};
    CompileJob job;
    CompileResult res;
    const RunTaken *taken;
    const PtxModule *module;
    if (!geometry_steps(r->arena, l, 0, slots, &ev, &steps, &count))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    Outcome fits = r->device ? tier0_check(r->device, &steps[0].geometry) : OUTCOME_NONE;
    if (fits != OUTCOME_NONE)
        return diag_error(r->diag, l->at, "the reference cannot be launched: %s",
                          outcome_name(fits));
    if (!run_reference_job(r, l, &job) || !compile(x, &job, l->at, &res))
        return x->out->uncompiled != NULL;
    const char *kernel = l->expression && res.lowered_count > 0 ? res.lowered[0] : l->entry;
    const PtxFunction *entry = find_entry(r, l, &res, kernel, &module);
    if (!entry || !takes(r, l, slots, &taken, &count))
        return false;
    x->out->kernels++;
    return check_parameters(r, l, entry, l->entry, taken, count);
}

/* --- all of it -------------------------------------------------------------------------------- */

static size_t first_config(const Run *r)
{
    for (size_t i = 0; i < r->table->count; i++)
        if (table_fits(r->table, i))
            return i;
    return SIZE_MAX;
}

/* Says where the arithmetic of a configuration that has no geometry fails. */
static bool report_arithmetic(Run *r, size_t config)
{
    Evaluation ev = {.arena = r->arena};
    Value *slots = ARENA_ARRAY(r->arena, Value, spec_slot_count(r->spec));
    bool ok = space_slots(&r->space, config, slots, &ev);
    if (ok)
        spec_set_arguments(r->spec, slots);
    for (size_t l = 0; l < r->spec->launch_count && ok; l++) {
        Step *steps;
        size_t count;
        ArgumentBytes bytes;
        const Launch *launch = &r->spec->launches[l];
        ok = geometry_steps(r->arena, launch, l, slots, &ev, &steps, &count) &&
             run_launch_bytes(r->arena, r, launch, slots, &ev, &bytes);
    }
    return ok || diag_error(r->diag, ev.error_at, "%s: %s", table_name(r->arena, r->table, config),
                            ev.error);
}

/* Why no configuration can be run; false. */
static bool report_none(Run *r)
{
    if (r->table->count == 0)
        return diag_fail(r->diag, "no configuration can be run: there is none");
    if (r->table->outcome[0] == OUTCOME_ARITHMETIC && !report_arithmetic(r, 0))
        return false;
    return diag_fail(r->diag, "no configuration can be run, the first for this reason: %s",
                     outcome_name(r->table->outcome[0]));
}

static bool check_kernels(Checking *x, size_t config)
{
    Run *r = x->run;
    bool ok = true;
    for (size_t l = 0; l < r->spec->launch_count && !x->out->uncompiled; l++)
        ok = check_launch(x, config, l) && ok;
    if (ok && !x->out->uncompiled)
        ok = report_missing(x);
    for (size_t i = 0; i < r->spec->reference_count && !x->out->uncompiled; i++)
        ok = check_reference(x, &r->spec->reference[i]) && ok;
    return ok;
}

bool run_check(Run *r, RunCheck *out)
{
    *out = (RunCheck){0};
    size_t config = first_config(r);
    if (config == SIZE_MAX)
        return report_none(r);
    if (!run_data(r) || !run_open_sources(r))
        return false;
    Checking x = {.run = r,
                  .farm = run_open_farm(r),
                  .out = out,
                  .symbols = ARENA_ARRAY(r->arena, bool, r->spec->argument_count)};
    bool ok = check_kernels(&x, config);
    farm_close(x.farm);
    return ok;
}

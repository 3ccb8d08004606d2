#include "tuner/run/run_parts.h"

#include "metrics/base/file.h"
#include "metrics/ptx/walk_branch.h"
#include "tuner/spec/code_text.h"
#include "tuner/spec/kernel_facts.h"
#include "tuner/spec/kernel_source.h"
#include "tuner/spec/near_header.h"

typedef struct Checking {
    Run *run;
    Farm *farm;
    RunCheck *out;
    const char *entry; /* of the kernel that is compiled */
    RunAwaited awaited;
    Texts told;    /* errors of the compiler: several kernels of a file have the same */
    bool *trips;   /* per trip count of the spec: some code has the loop */
    Texts loops;   /* if there are trip counts: the lines of the kernels' loops */
    bool *symbols; /* per argument: some code has the variable */
    bool *written; /* per argument: some code may store to it */
    /* per argument: elements reached, if more than it has; NULL: that is an error */
    int64_t *reached;
} Checking;

/* Reports a kernel that a text does not have, or has otherwise; `quoted`: it is named in quotes. */
static bool say_no_kernel(Run *r, Span at, const char *file, const char *entry, const char *text,
                          bool quoted)
{
    const char *names = kernel_source_names(r->arena, text);
    KernelSource k;
    const bool there = kernel_source_find(r->arena, text, entry, &k);
    if (!there || (quoted && !k.is_template))
        return diag_error(r->diag, at, "'%s' has no kernel '%s'%s%s", file, entry,
                          *names ? "; it has " : "", names);
    if (k.is_template)
        return diag_error(r->diag, at,
                          "'%s' of '%s' is a template: name it with its arguments, \"%s<...>\"; a "
                          "parameter's name in braces stands for its value, \"%s<{%s}>\"",
                          entry, file, entry, entry,
                          r->spec->parameter_count ? r->spec->parameters[0].name : "NAME");
    return diag_error(r->diag, at,
                      "'%s' has the kernel '%s', but not as extern \"C\": put the name of a C++ "
                      "kernel in quotes",
                      file, entry);
}

/* True if the code compiles but for the name that is asked for: NVRTC looks for that last. */
static bool only_name_is_wrong(const char *log)
{
    const char *name = strstr(log, "__nv_name_map"), *error = strstr(log, "error");
    return name && (!error || name < error);
}

/* The compiler's reason for refusing a kernel's quoted name, if that is not that it lacks the kernel; NULL. */
static const char *argument_error(Arena *a, const char *entry, const char *log)
{
    const char *arguments = entry + strcspn(entry, "<"), *error = strstr(log, "error: ");
    const char *name = code_copy(a, code_word_before(entry, arguments));
    if (!*arguments || !error || strstr(log, arena_printf(a, "\"%s\" is undefined", name)) ||
        strstr(log, arena_printf(a, "has no member \"%s\"", name)))
        return NULL;
    error += strlen("error: ");
    return arena_copy(a, error, strcspn(error, "\n"));
}

/* Reports a kernel's quoted name that the compiler refuses. */
static bool say_wrong_name(Checking *x, const CompileJob *job, Span at, const char *log)
{
    Run *r = x->run;
    const char *why = argument_error(r->arena, x->entry, log);
    if (!why)
        return say_no_kernel(r, at, job->source->name, x->entry, job->source->text, true);
    return diag_error(r->diag, at,
                      "the compiler refuses '%s': %s; a header that declares what it names may be "
                      "missing",
                      x->entry, why);
}

/* Compiles a job without messages. */
static bool compiles(Checking *x, const CompileJob *job, CompileResult *res)
{
    farm_add(x->farm, 0, job);
    x->awaited.note = x->entry;
    return run_next_result(x->run, x->farm, &x->awaited, res, DIAG_UNHEARD(x->run->arena)) &&
           res->status == OUTCOME_COMPILED;
}

/* The headers that are missing, each found by reading those before it as empty. */
static Texts missing_headers(Checking *x, const CompileJob *job, const char *log)
{
    enum { MOST = 24 };
    Arena *a = x->run->arena;
    Texts names = {0};
    CompileJob without = {.source = job->source, .names = job->names, .unknown = "it is a guess"};
    for (size_t i = 0; i < job->options.count; i++)
        VEC_PUSH(a, &without.options, job->options.at[i]);
    CompileResult res = {.log = log};
    for (const char *name; (name = near_header_missing(a, res.log)) && names.count < MOST;) {
        const size_t before = names.count;
        text_add_once(a, &names, name);
        if (names.count == before)
            break;
        VEC_PUSH(a, &without.options, arena_printf(a, SOURCE_WITHOUT_HEADER "=%s", name));
        if (compiles(x, &without, &res))
            break;
    }
    return names;
}

/* Compiles a job; false if it fails. Lacking a compiler is not an error of the spec. */
static bool compile(Checking *x, const CompileJob *job, Span at, CompileResult *res)
{
    Run *r = x->run;
    Diag d = diag_new(r->arena);
    farm_add(x->farm, 0, job);
    x->awaited.note = x->entry;
    if (!run_next_result(r, x->farm, &x->awaited, res, &d)) {
        x->out->uncompiled = d.messages.count ? diag_first(&d) : "no compiler";
        return false;
    }
    x->awaited.done++;
    if (res->status != OUTCOME_COMPILED && only_name_is_wrong(res->log) && job->source && x->entry)
        return say_wrong_name(x, job, at, res->log);
    if (res->status == OUTCOME_COMPILED)
        return true;
    const size_t told = x->told.count;
    const char *errors = result_errors(r->arena, res->log);
    if (text_add_once(r->arena, &x->told, errors) < told)
        return false;
    diag_error(r->diag, at, "this does not compile:\n%s", errors);
    const Texts missing = missing_headers(x, job, res->log);
    run_explain_log(r->spec, job->source, res->log, &missing, r->diag);
    return false;
}

/* --- parameters ------------------------------------------------------------------------------- */

static const char *role_text(const Argument *g)
{
    return g->role == ARGUMENT_SCALAR    ? "a number"
           : g->role == ARGUMENT_TEXTURE ? "a texture"
                                         : "a buffer";
}

static bool is_integer_type(PtxType t)
{
    return t == PTX_U8 || t == PTX_S8 || t == PTX_U16 || t == PTX_S16 || t == PTX_U32 ||
           t == PTX_S32 || t == PTX_U64 || t == PTX_S64;
}

static bool check_parameter(Run *r, const Launch *l, const char *kernel, size_t i,
                            const PtxVariable *p, const Argument *g)
{
    const TaskType t = launch_argument_type(l, g);
    bool number = g->role == ARGUMENT_SCALAR;
    uint64_t size = number ? task_type_size(t) : 8;
    if (p->is_pointer && (number || g->role == ARGUMENT_TEXTURE))
        return diag_error(r->diag, g->at, "parameter %zu of '%s' is a pointer, but '%s' is %s",
                          i + 1, kernel, g->name, role_text(g));
    if (p->size != size)
        return diag_error(
            r->diag, g->at, "parameter %zu of '%s' has %llu bytes, but '%s' is %s%s%s of %llu",
            i + 1, kernel, (unsigned long long)p->size, g->name, role_text(g), number ? ", " : "",
            number ? argument_type_text(r->arena, g) : "", (unsigned long long)size);
    bool wants_float = ptx_types[p->type].is_float, is_float = task_scalar_is_float(t.scalar);
    if (number && t.lanes == 1 && !*p->dimensions &&
        ((wants_float && !is_float) || (is_integer_type(p->type) && is_float)))
        return diag_error(r->diag, g->at, "parameter %zu of '%s' is %s, but '%s' is %s", i + 1,
                          kernel, wants_float ? "a floating-point number" : "an integer", g->name,
                          task_scalar_name(t.scalar));
    return true;
}

static const char *taken_names(Arena *a, const RunTakenList *taken)
{
    Buf b = {0};
    buf_puts(&b, taken->count ? "" : "nothing");
    VEC_EACH (const RunTaken, t, *taken)
        buf_printf(&b, "%s%s", b.size ? ", " : "", t->argument->name);
    return buf_keep(&b, a);
}

/* The number of parameters; joined items are one struct. */
static size_t parameter_count(const RunTakenList *taken)
{
    size_t n = 0;
    VEC_EACH (const RunTaken, t, *taken)
        n += !t->joined;
    return n;
}

/* The size of the parameter that begins at *i, which moves to the next. */
static size_t struct_bytes(const RunTakenList *taken, size_t *i)
{
    StructLayout l = {0};
    do {
        const Argument *g = taken->at[*i].argument;
        const bool number = g->role == ARGUMENT_SCALAR;
        layout_add(&l, number ? task_type_size(g->element) : 8, number ? argument_alignment(g) : 8);
    } while (++*i < taken->count && taken->at[*i].joined);
    return layout_size(&l);
}

static bool check_parameters(Run *r, const Launch *l, const PtxFunction *entry, const char *kernel,
                             const RunTakenList *taken)
{
    bool ok = true;
    const size_t given = parameter_count(taken);
    if (entry->params.count != given)
        return diag_error(r->diag, l->at,
                          "'%s' takes %zu parameters, but the spec gives it %zu: %s", kernel,
                          entry->params.count, given, taken_names(r->arena, taken));
    for (size_t i = 0, p = 0; i < taken->count; p++) {
        const Argument *first = taken->at[i].argument;
        const bool alone = i + 1 == taken->count || !taken->at[i + 1].joined;
        const size_t size = struct_bytes(taken, &i);
        if (alone)
            ok = check_parameter(r, l, kernel, p, entry->params.at[p], first) && ok;
        else if (entry->params.at[p]->size != size)
            ok = diag_error(r->diag, l->at,
                            "parameter %zu of '%s' has %llu bytes, but the struct %zu", p + 1,
                            kernel, (unsigned long long)entry->params.at[p]->size, size);
    }
    return ok;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* How far a kernel reaches outside its buffers. */
typedef struct Reach {
    const int64_t *bytes; /* per argument: size of its buffer; 0: none */
    size_t count;
    size_t seen;
    int64_t *beyond; /* per argument: bytes touched from its start, if more than its size */
    bool *before;    /* per argument: something before its start was touched */
} Reach;

static void touch(void *context, const uint64_t *address, uint32_t lanes, int bytes)
{
    Reach *x = context;
    const uint64_t half = (uint64_t)1 << (RUN_ADDRESS_BITS - 1);
    x->seen++;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t at = address[__builtin_ctz(left)];
        /* Addresses just below a buffer belong to it, too. */
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

static bool buffer_bytes(Run *r, const Value *slots, int64_t *bytes)
{
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        Value v;
        if (!g->count || g->role == ARGUMENT_CONSTANT)
            continue;
        if (!run_evaluate(r, g->count, slots, &v))
            return false;
        bytes[i] = v.integer * (int64_t)task_type_size(g->element);
    }
    return true;
}

static bool report_reach(const Checking *c, const Reach *x, const char *kernel)
{
    Run *r = c->run;
    bool ok = true;
    for (size_t i = 0; i < x->count; i++) {
        const Argument *g = &r->spec->arguments[i];
        size_t size = task_type_size(g->element);
        if (x->beyond[i] > 0 && c->reached)
            c->reached[i] = (x->beyond[i] - 1) / (int64_t)size + 1;
        else if (x->beyond[i] > 0)
            ok = diag_error(r->diag, g->at,
                            "'%s' accesses element %lld of '%s', which has %lld: shown by the walk "
                            "of the first configuration",
                            kernel, (long long)((x->beyond[i] - 1) / (int64_t)size), g->name,
                            (long long)(x->bytes[i] / (int64_t)size));
        else if (x->before[i])
            ok = diag_error(r->diag, g->at, "'%s' accesses memory before the start of '%s'", kernel,
                            g->name);
    }
    return ok;
}

static bool check_reach(Checking *x, size_t config, const Launch *l, const ProfileInput *in,
                        const PtxFunction *entry)
{
    Run *r = x->run;
    size_t n = r->spec->argument_count;
    int64_t *bytes = ARENA_ARRAY(r->arena, int64_t, n);
    if (!buffer_bytes(r, run_slots(r->arena, r, config), bytes))
        return false;
    Reach reach = {.bytes = bytes,
                   .count = n,
                   .beyond = ARENA_ARRAY(r->arena, int64_t, n),
                   .before = ARENA_ARRAY(r->arena, bool, n)};
    WalkTouch observer = {&reach, touch};
    if (!profile_touch(r->arena, in, entry, &observer))
        return true; /* the walk was not exact: these accesses need not happen */
    x->out->accesses += reach.seen;
    return report_reach(x, &reach, l->entry);
}

/* --- trip counts ------------------------------------------------------------------------------ */

/* Marks the trip counts whose loop a kernel has; warns if a loop's count is known anyway. */
static bool check_trips(Checking *x, const ProfileInput *in)
{
    Run *r = x->run;
    if (in->launch.trip_count == 0)
        return true;
    const PtxModule *module;
    const Memory *m = profile_follow(r->arena, in, &module, r->diag);
    for (size_t i = 0; m && i < m->walk->functions.count; i++) {
        const WalkFunction *f = m->walk->functions.at[i];
        for (size_t l = 0; l < f->flow->loops->loops.count; l++)
            if (walk_loop_line(f->flow, (int)l) > 0)
                text_add_once(r->arena, &x->loops,
                              arena_printf(r->arena, "%u", walk_loop_line(f->flow, (int)l)));
        for (size_t k = 0; k < in->launch.trip_count; k++) {
            const double *rounds = walk_stated_rounds(r->arena, f->flow, &in->launch.trips[k], 1);
            for (size_t l = 0; l < f->flow->loops->loops.count; l++) {
                const WalkLoop *loop = &f->loops[l];
                if (rounds[l] < 0)
                    continue;
                x->trips[k] = true;
                if (loop->entries > 0 && !loop->stated)
                    diag_warn(r->diag, r->spec->trips[k].at,
                              "not used: the trip count of the loop in line %lld is known from the "
                              "code",
                              (long long)r->spec->trips[k].line);
            }
        }
    }
    return m != NULL;
}

/* A loop may be in the code of other configurations, but not where its line has no `for` or `while`. */
static bool report_trips(const Checking *x)
{
    bool ok = true;
    SCOPED_BUF lines = {0};
    for (size_t i = 0; i < x->loops.count; i++)
        buf_printf(&lines, "%s%s", i ? ", " : "; lines of its loops: ", x->loops.at[i]);
    EACH (const SpecTrips, t, x->run->spec->trips, x->run->spec->trip_count) {
        static const char text[] = "no loop of the kernel is in line %lld%s";
        if (x->trips[t - x->run->spec->trips])
            continue;
        if (t->last)
            diag_warn(x->run->diag, t->at, text, (long long)t->line, buf_text(&lines));
        else
            ok = diag_error(x->run->diag, t->at, text, (long long)t->line, buf_text(&lines));
    }
    return ok;
}

static bool check_symbols(Checking *x, const PtxModule *m)
{
    Run *r = x->run;
    bool ok = true;
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        for (size_t k = 0; g->role == ARGUMENT_CONSTANT && k < m->variables.count; k++) {
            const PtxVariable *v = m->variables.at[k];
            const TaskBuffer *b = &r->code.data->buffers.at[r->code.data->buffer[i]];
            uint64_t want = (uint64_t)b->count * task_type_size(b->type);
            if (strcmp(v->name, g->name) != 0)
                continue;
            x->symbols[i] = true;
            if (v->size != want)
                ok = diag_error(r->diag, g->at,
                                "the variable '%s' has %llu bytes, but its contents have %llu",
                                g->name, (unsigned long long)v->size, (unsigned long long)want);
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

static const PtxFunction *find_entry(Run *r, const Launch *l, const CompileResult *res,
                                     const PtxModule **module)
{
    const char *kernel = run_kernel_name(l, res);
    *module = ptx_parse(r->arena, source_new(r->arena, kernel, res->ptx, res->ptx_size), r->diag);
    const PtxFunction *entry = ptx_find_entry(*module, kernel);
    size_t size;
    const char *text =
        entry || l->command ? NULL : file_read(r->arena, l->path, &size, DIAG_UNHEARD(r->arena));
    if (!entry)
        say_no_kernel(r, l->at, l->file, l->entry, text ? text : "", false);
    return entry;
}

/* --- use of arguments ------------------------------------------------------------------------- */

static void note_written(Checking *x, const RunTakenList *taken, uint64_t stored)
{
    size_t p = SIZE_MAX; /* the parameter */
    VEC_EACH (const RunTaken, t, *taken) {
        p += !t->joined;
        if (t->index != SIZE_MAX && (p >= KERNEL_FACTS_PARAMETERS || (stored >> p & 1)))
            x->written[t->index] = true;
    }
}

/* Checks that inputs are not stored to, and that buffers have the types of the declaration. */
static bool check_use(Checking *x, const Launch *l, const PtxModule *m, const PtxFunction *entry,
                      const RunTakenList *taken)
{
    Run *r = x->run;
    KernelFacts facts = kernel_facts(r->arena, m, entry);
    KernelSource source;
    const CompileSource *s = r->code.sources[l - r->spec->launches];
    bool known = s && kernel_source_find(r->arena, s->text, l->entry, &source) &&
                 source.parameters.count == taken->count && parameter_count(taken) == taken->count;
    bool ok = true;
    note_written(x, taken, facts.calls ? UINT64_MAX : facts.stored);
    if (facts.cooperative && !l->cooperative)
        ok =
            diag_error(r->diag, l->at,
                       "'%s' synchronises all blocks of its grid, which must be launched together: "
                       "add a line 'cooperative'",
                       l->entry);
    for (size_t i = 0, p0 = 0; i < taken->count && p0 < KERNEL_FACTS_PARAMETERS; i++) {
        const RunTaken *t = &taken->at[i];
        const Argument *g = t->argument;
        p0 += i > 0 && !t->joined;
        const bool alone = !t->joined && (i + 1 == taken->count || !t[1].joined);
        bool stored = alone && facts.stored >> p0 & 1;
        if (g->role == ARGUMENT_IN && stored)
            ok = diag_error(r->diag, g->at, "'%s' is an 'in', but '%s' stores to it", g->name,
                            l->entry);
        const KernelParameter *p = known ? &source.parameters.at[i] : NULL;
        if (!p || !p->pointer || !p->known || !g->count || g->element.lanes != p->type.lanes)
            continue;
        if (task_scalar_is_float(p->type.scalar) != task_scalar_is_float(g->element.scalar) ||
            task_scalar_size(p->type.scalar) != task_scalar_size(g->element.scalar))
            ok = diag_error(r->diag, g->at, "'%s' is of %s, but '%s' takes it as %s *", g->name,
                            argument_type_text(r->arena, g), l->entry, p->text);
    }
    return ok;
}

static bool report_unwritten(Checking *x)
{
    bool ok = true;
    for (size_t i = 0; i < x->run->spec->argument_count; i++) {
        const Argument *g = &x->run->spec->arguments[i];
        if ((g->role == ARGUMENT_OUT || g->role == ARGUMENT_INOUT) && !x->written[i])
            ok = diag_error(x->run->diag, g->at, "no kernel writes '%s'", g->name);
    }
    return ok;
}

static bool takes(Run *r, const Launch *l, const Value *slots, RunTakenList *out)
{
    Evaluation ev = {.arena = r->arena};
    return run_launch_takes(r->arena, r->spec, l, slots, &ev, out) || run_refuse(r, &ev);
}

/* The first step of a kernel in a row; NULL: it is not launched there. */
static const Step *step_of(const Run *r, size_t row, size_t launch)
{
    const TableLaunch *c = &r->table->launch[row];
    EACH (const Step, step, c->steps, c->step_count)
        if (step->launch == launch)
            return step;
    return NULL;
}

/* A kernel that this configuration does not launch is checked with the first one that does. */
static bool check_launch(Checking *x, size_t config, size_t number)
{
    Run *r = x->run;
    const Launch *l = &r->spec->launches[number];
    const Step *step = step_of(r, config, number);
    for (size_t i = 0; !step && i < r->table->count; i++)
        if (table_fits(r->table, i) && (step = step_of(r, i, number)))
            config = i;
    if (!step) {
        diag_warn(r->diag, l->at, "no configuration launches '%s'", l->entry);
        return true;
    }
    Value *slots = run_slots(r->arena, r, config);
    CompileJob job;
    CompileResult res;
    RunTakenList taken;
    const PtxModule *module;
    x->entry = l->entry;
    if (!run_make_job(r->arena, r, config, number, NULL, &job) || !compile(x, &job, l->at, &res))
        return x->out->uncompiled != NULL;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    const PtxFunction *entry = find_entry(r, l, &res, &module);
    if (!entry || !takes(r, l, slots, &taken))
        return false;
    x->out->kernels++;
    bool ok = check_parameters(r, l, entry, l->entry, &taken);
    if (entry->params.count == parameter_count(&taken))
        ok = check_use(x, l, module, entry, &taken) && ok;
    ok = check_symbols(x, module) && ok;
    /* The buffers may vary from step to step. */
    for (size_t i = 0; l->repeat_name && i < r->table->launch[config].step_count; i++) {
        const Step *other = &r->table->launch[config].steps[i];
        slots[l->repeat_slot] = other->value;
        if (other->launch == number && takes(r, l, slots, &taken))
            note_written(x, &taken, kernel_facts(r->arena, module, entry).stored);
    }
    ProfileInput in;
    return ok && run_profile_input(r->arena, r, config, step, &res, &in) && check_trips(x, &in) &&
           check_reach(x, config, l, &in, entry);
}

static const CubinKernel *reference_code(Run *r, const Launch *l, const CompileResult *res)
{
    const Cubin *c = cubin_read(r->arena, res->cubin, res->cubin_size, DIAG_UNHEARD(r->arena));
    return c ? cubin_find(c, run_kernel_name(l, res)) : NULL;
}

/* The first row that fits and has another value of parameter `p` than row `than`. */
static size_t other_value(const Run *r, size_t than, size_t p)
{
    const Table *t = r->table;
    size_t i = than, n = t->parameter_count;
    while (i < t->count && (!table_fits(t, i) || t->values[i * n + p] == t->values[than * n + p]))
        i++;
    return i;
}

/* A reference in the kernels' file is compiled once, with the macros of the first configuration.
 * Compiling it with others shows if the macros matter to it. */
static void check_reference_is_one(Checking *x, const Launch *l, size_t first,
                                   const CompileResult *res)
{
    Run *r = x->run;
    const CubinKernel *one = reference_code(r, l, res);
    for (size_t p = 0; one && p < r->spec->parameter_count; p++) {
        size_t i = spec_parameter_is_macro(r->spec, p) ? other_value(r, first, p) : r->table->count;
        CompileJob job;
        CompileResult changed;
        if (i == r->table->count || !run_reference_job(r, l, i, &job))
            continue;
        const CubinKernel *other =
            compiles(x, &job, &changed) ? reference_code(r, l, &changed) : NULL;
        if (!other || (other->code_bytes == one->code_bytes &&
                       memcmp(other->code, one->code, one->code_bytes) == 0))
            continue;
        diag_warn(r->diag, l->at,
                  "the reference '%s' depends on parameters, such as %s: it is compiled once, with "
                  "those of the first configuration; better use one that does not",
                  l->entry, r->spec->parameters[p].name);
        return;
    }
}

static bool check_reference(Checking *x, const Launch *l, size_t first)
{
    Run *r = x->run;
    Value *slots = run_slots(r->arena, r, SIZE_MAX);
    Steps steps;
    Evaluation ev = {.arena = r->arena};
    CompileJob job;
    CompileResult res;
    RunTakenList taken;
    const PtxModule *module;
    x->entry = l->entry;
    if (!geometry_steps(r->arena, l, 0, slots, &ev, &steps))
        return run_refuse(r, &ev);
    Outcome fits =
        r->device && steps.count > 0 ? tier0_check(r->device, &steps.at[0].geometry) : OUTCOME_NONE;
    if (fits != OUTCOME_NONE)
        return diag_error(r->diag, l->at, "the reference cannot be launched: %s",
                          outcome_name(fits));
    if (!run_reference_job(r, l, first, &job) || !compile(x, &job, l->at, &res))
        return x->out->uncompiled != NULL;
    const PtxFunction *entry = find_entry(r, l, &res, &module);
    if (!entry || !takes(r, l, slots, &taken))
        return false;
    x->out->kernels++;
    check_reference_is_one(x, l, first, &res);
    return check_parameters(r, l, entry, l->entry, &taken);
}

/* --- extreme configurations ------------------------------------------------------------------- */

enum { MAX_EXTREMES = 48 };

/* Lists the first and last configuration with the least and with the largest value of each
 * parameter. */
static size_t find_extremes(const Run *r, size_t *rows)
{
    const Table *t = r->table;
    size_t n = 0;
    for (size_t p = 0; p < t->parameter_count; p++) {
        size_t found[4] = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}, least = SIZE_MAX, most = 0;
        for (size_t i = 0; i < t->count; i++) {
            const size_t v = t->values[i * t->parameter_count + p];
            if (!table_fits(t, i))
                continue;
            found[0] = v < least ? i : found[0];
            found[1] = v <= least ? i : found[1];
            found[2] = v > most || found[2] == SIZE_MAX ? i : found[2];
            found[3] = v >= most ? i : found[3];
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
        for (int k = 0; k < 4; k++) {
            size_t j = 0;
            while (j < n && rows[j] != found[k])
                j++;
            if (found[k] != SIZE_MAX && j == n && n < MAX_EXTREMES)
                rows[n++] = found[k];
        }
    }
    return n;
}

/* Marks a row if a block of this code exceeds the device's registers or shared memory. Unreadable
 * code is not judged. False after messages. */
static bool judge_launch(Run *r, size_t row, size_t launch, const CompileResult *res)
{
    const StepGroups groups = run_step_groups(r->arena, &r->table->launch[row], launch);
    for (size_t k = 0; r->device && k < groups.count; k++) {
        ProfileInput in;
        Profile p;
        Hash code;
        if (!run_profile_input(r->arena, r, row, groups.at[k].step, res, &in))
            return false;
        if (profile_code(r->arena, &in, &p, &code, DIAG_UNHEARD(r->arena)) &&
            run_drop_unlaunchable(r, row, groups.at[k].step, &p))
            return true;
    }
    return true;
}

/* Takes a compile result; of a row's failures, a compile error takes precedence. */
static bool take_extreme(Run *r, size_t row, size_t launch, const CompileResult *res)
{
    Outcome before = r->table->outcome[row];
    bool known = table_failed_to_compile(r->table, row);
    if (res->status == OUTCOME_COMPILED)
        return known || judge_launch(r, row, launch, res);
    if (known && before != OUTCOME_RESOURCES)
        return true;
    r->table->outcome[row] = res->status;
    r->table->why[row] = result_first_error(r->arena, res->log);
    return true;
}

/* Compiles all extremes; failures are left in the table. */
static bool compile_extremes(Checking *x)
{
    Run *r = x->run;
    size_t rows[MAX_EXTREMES], n = find_extremes(r, rows), waiting = 0;
    CompileJob *jobs = ARENA_ARRAY(r->arena, CompileJob, n * r->spec->launch_count + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < r->spec->launch_count; l++) {
            if (!run_make_job(r->arena, r, rows[i], l, NULL, &jobs[waiting]))
                return false;
            farm_add(x->farm, waiting, &jobs[waiting]);
            waiting++;
        }
    x->out->extremes = n;
    for (; waiting > 0; waiting--) {
        CompileResult res;
        Diag d = diag_new(r->arena);
        size_t launches = r->spec->launch_count;
        if (!run_next_result(r, x->farm, &x->awaited, &res, &d))
            break;
        x->awaited.done++;
        x->awaited.note = table_name(r->arena, r->table, rows[res.id / launches]);
        if (!take_extreme(r, rows[res.id / launches], res.id % launches, &res))
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool unlaunchable = r->table->outcome[rows[i]] == OUTCOME_RESOURCES;
        x->out->unlaunchable += unlaunchable;
        x->out->failed += table_failed_to_compile(r->table, rows[i]) && !unlaunchable;
    }
    return true;
}

/* --- the whole check -------------------------------------------------------------------------- */

static bool all_compile(Checking *x, size_t row)
{
    Run *r = x->run;
    CompileJob job;
    CompileResult res;
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        x->entry = r->spec->launches[l].entry;
        if (!run_make_job(r->arena, r, row, l, NULL, &job) || !compiles(x, &job, &res))
            return false;
    }
    return true;
}

/* The configuration to check: the first, or another extreme if it does not compile, since a run
 * would go on with those that do. */
static size_t config_to_check(Checking *x, size_t first)
{
    size_t rows[MAX_EXTREMES], n = find_extremes(x->run, rows);
    for (size_t i = 0; i < n && !all_compile(x, first); i++)
        if (all_compile(x, rows[i]))
            return rows[i];
    return first;
}

static bool report_none(Run *r)
{
    if (r->table->count == 0)
        return diag_fail(r->diag, "no configuration can be run: the space is empty");
    Evaluation ev;
    if (run_make_steps(r->arena, r, 0, &ev) == OUTCOME_ARITHMETIC)
        return diag_error(r->diag, ev.error_at, "%s: %s", table_name(r->arena, r->table, 0),
                          ev.error);
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
        ok = report_missing(x) && report_unwritten(x);
    ok = ok && report_trips(x);
    for (size_t i = 0; i < r->spec->reference_count && !x->out->uncompiled; i++)
        ok = check_reference(x, &r->spec->reference[i], config) && ok;
    return ok;
}

/* Makes the data and opens sources and farm; false after messages. */
static bool begin(Run *r, RunCheck *out, Checking *x)
{
    const size_t launches = r->spec->launch_count, references = r->spec->reference_count;
    size_t rows[MAX_EXTREMES];
    *out = (RunCheck){0};
    if (run_first_config(r) == SIZE_MAX)
        return report_none(r);
    if (!run_data(r) || !run_open_sources(r))
        return false;
    *x = (Checking){
        .run = r,
        .farm = run_open_farm(r),
        .out = out,
        .awaited = {.stage = "check", .all = references + launches * (1 + find_extremes(r, rows))},
        .trips = ARENA_ARRAY(r->arena, bool, r->spec->trip_count),
        .symbols = ARENA_ARRAY(r->arena, bool, r->spec->argument_count),
        .written = ARENA_ARRAY(r->arena, bool, r->spec->argument_count)};
    return true;
}

bool run_check(Run *r, RunCheck *out)
{
    Checking x;
    if (!begin(r, out, &x))
        return false;
    bool ok =
        run_parameters_are_used(r) && check_kernels(&x, config_to_check(&x, run_first_config(r)));
    ok = ok && (out->uncompiled || compile_extremes(&x));
    farm_close(x.farm);
    return ok;
}

const int64_t *run_check_reach(Run *r)
{
    RunCheck out;
    Checking x;
    if (!begin(r, &out, &x))
        return NULL;
    x.reached = ARENA_ARRAY(r->arena, int64_t, r->spec->argument_count);
    for (size_t l = 0; l < r->spec->launch_count; l++)
        check_launch(&x, config_to_check(&x, run_first_config(r)), l);
    farm_close(x.farm);
    return x.reached;
}

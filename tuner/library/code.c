/* Code and launch arguments of a configuration, for callers that launch it themselves. */
#include "tuner/library/handle.h"

/* Describes argument `g` of the spec, which is `t` in the task. */
static aptune_argument describe(const aptune *a, const Argument *g, const TaskArgument *t)
{
    const RunData *data = a->run.code.data;
    aptune_argument out = {
        .name = g->name, .type = argument_type_text(a->code.arena, g), .joined = t->joined};
    if (g->role == ARGUMENT_SCALAR) {
        out.value = t->bytes;
        out.value_size = t->size;
        return out;
    }
    out.kind = t->texture ? APTUNE_TEXTURE : APTUNE_BUFFER;
    out.value_size = 8; /* an address, or a texture object */
    int buffer = t->texture ? data->textures.at[t->buffer].buffer : t->buffer;
    out.count = (unsigned long long)data->buffers.at[buffer].count;
    return out;
}

static bool describe_step(aptune *a, const Step *step, const TaskLaunch *task, Value *slots,
                          Evaluation *ev, aptune_argument **out)
{
    const Launch *l = &a->run.spec->launches[step->launch];
    RunTakenList taken;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    if (!run_launch_takes(a->code.arena, a->run.spec, l, slots, ev, &taken))
        return false;
    *out = ARENA_ARRAY(a->code.arena, aptune_argument, taken.count);
    for (size_t i = 0; i < taken.count; i++)
        (*out)[i] = describe(a, taken.at[i].argument, &task->arguments[i]);
    return true;
}

static bool describe_launches(aptune *a, size_t configuration, Evaluation *ev)
{
    HandleCode *c = &a->code;
    const Spec *spec = a->run.spec;
    const RunData *data = a->run.code.data;
    const TableLaunch *config = &a->run.table->launch[configuration];
    Value *slots = run_slots(c->arena, &a->run, configuration);
    c->arguments = ARENA_ARRAY(c->arena, aptune_argument *, config->step_count);
    for (size_t s = 0; s < config->step_count; s++)
        if (!describe_step(a, &config->steps[s], &c->run.launches[s], slots, ev, &c->arguments[s]))
            return false;
    c->variables = ARENA_ARRAY(c->arena, aptune_argument, data->symbols.count);
    for (size_t i = 0; i < data->symbols.count; i++) {
        const char *name = data->symbols.at[i].name;
        const Argument *g = NAME_FIND(spec->arguments, spec->argument_count, name, name);
        c->variables[i] = (aptune_argument){
            .name = name,
            .kind = APTUNE_BUFFER,
            .type = argument_type_text(c->arena, g),
            .count = (unsigned long long)data->buffers.at[data->symbols.at[i].buffer].count};
    }
    return true;
}

static bool fetch(aptune *a, size_t configuration)
{
    Run *r = &a->run;
    HandleCode *c = &a->code;
    Fetched x;
    c->arena = arena_new();
    Evaluation ev = {.arena = c->arena};
    if (!run_data(r) || !run_fetch(r, c->arena, configuration, &x))
        return false;
    c->run = x.run;
    c->ptx = x.ptx;
    return describe_launches(a, configuration, &ev) ||
           diag_error(r->diag, ev.error_at, "%s", ev.error);
}

static bool check_fetched(aptune *a, size_t configuration)
{
    const Run *r = &a->run;
    if (!r->device)
        return diag_fail(r->diag, "no device is known to compile for");
    if (configuration >= r->table->count)
        return diag_fail(r->diag, "there is no configuration %zu", configuration);
    const Table *t = r->table;
    return table_fits(t, configuration) ||
           diag_fail(r->diag, "the device cannot run this configuration: %s",
                     outcome_name(t->outcome[configuration]));
}

static aptune_status fetch_code(aptune *a, const void *given)
{
    size_t configuration = *(const size_t *)given;
    handle_forget_code(a);
    aptune_status status = handle_bring(a, HANDLE_OPENED);
    if (status != APTUNE_OK)
        return status;
    bool right = check_fetched(a, configuration);
    /* Nothing may have been compiled before. */
    bool ok =
        right && (a->run.code.sources || run_open_sources(&a->run)) && fetch(a, configuration);
    if (!ok)
        handle_forget_code(a);
    handle_tell(a, &a->diag);
    return ok ? APTUNE_OK : !right ? APTUNE_WRONG : a->run.stopped ? APTUNE_STOPPED : APTUNE_FAILED;
}

aptune_status aptune_fetch(aptune *a, size_t configuration)
{
    return handle_call(a, fetch_code, &configuration);
}

typedef struct Query {
    const char *what;
    size_t number;
    const void *ours; /* NULL: past the last one */
    size_t size;
    void *out;
} Query;

/* Refuses a number past the last one, without sending a message: this is how a caller's loop ends. */
static aptune_status hand_out(aptune *a, const void *given)
{
    const Query *q = given;
    if (q->ours) { /* the caller's struct may be shorter or longer than ours; both begin with their size */
        size_t size;
        memcpy(&size, q->out, sizeof size);
        memset(q->out, 0, size);
        memcpy(q->out, q->ours, size < q->size ? size : q->size);
        memcpy(q->out, &size, sizeof size);
        return APTUNE_OK;
    }
    buf_clear(&a->failure);
    if (a->code.run.launch_count == 0)
        buf_puts(&a->failure, "there is no code: call aptune_fetch first");
    else
        buf_printf(&a->failure, "there is no %s %zu", q->what, q->number);
    return APTUNE_WRONG;
}

size_t aptune_launch_count(const aptune *a)
{
    return a->code.run.launch_count;
}

aptune_status aptune_get_launch(aptune *a, size_t launch, aptune_launch *out)
{
    const bool known = launch < a->code.run.launch_count;
    aptune_launch ours = {0};
    if (known) {
        const TaskLaunch *l = &a->code.run.launches[launch];
        const TaskModule *m = &a->code.run.modules[l->module];
        ours = (aptune_launch){.kernel = l->kernel,
                               .cubin = m->cubin,
                               .cubin_size = m->size,
                               .ptx = a->code.ptx[l->module],
                               .shared_bytes = (unsigned)l->shared,
                               .repeat = l->repeat > 0 ? (unsigned long long)l->repeat : 1,
                               .argument_count = l->argument_count,
                               .cooperative = l->cooperative};
        for (int k = 0; k < 3; k++) {
            ours.grid[k] = (unsigned)l->grid[k];
            ours.block[k] = (unsigned)l->block[k];
        }
    }
    return handle_call(a, hand_out,
                       &(Query){"launch", launch, known ? &ours : NULL, sizeof ours, out});
}

aptune_status aptune_get_argument(aptune *a, size_t launch, size_t place, aptune_argument *out)
{
    const bool known = launch < a->code.run.launch_count;
    const bool has = known && place < a->code.run.launches[launch].argument_count;
    return handle_call(a, hand_out,
                       &(Query){known ? "argument" : "launch", known ? place : launch,
                                has ? &a->code.arguments[launch][place] : NULL, sizeof *out, out});
}

size_t aptune_variable_count(const aptune *a)
{
    return a->code.run.symbol_count;
}

aptune_status aptune_get_variable(aptune *a, size_t variable, aptune_argument *out)
{
    const bool known = variable < a->code.run.symbol_count;
    return handle_call(a, hand_out,
                       &(Query){"variable", variable, known ? &a->code.variables[variable] : NULL,
                                sizeof *out, out});
}

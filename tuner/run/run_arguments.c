/* The arguments of a launch, as bytes for the profile and as a task for the GPU. */
#include "tuner/run/run_parts.h"

uint64_t run_pretended_address(size_t argument)
{
    return (uint64_t)(argument + 1) << RUN_ADDRESS_BITS;
}

bool run_refuse(const Run *r, const Evaluation *ev)
{
    return diag_error(r->diag, ev->error_at, "%s", ev->error ? ev->error : "cannot be computed");
}

bool run_evaluate(const Run *r, const Expr *e, const Value *slots, Value *out)
{
    Evaluation ev = {.arena = r->arena};
    return expr_eval(e, slots, &ev, out) || run_refuse(r, &ev);
}

static bool misfit(const Argument *g, TaskScalar type, Evaluation *ev, const char *what)
{
    ev->error = ev->arena ? arena_printf(ev->arena, "the value of '%s' %s %s", g->name, what,
                                         task_scalar_name(type))
                          : "a value does not fit into its type";
    ev->error_at = g->at;
    return false;
}

/* The bytes of a number passed by value. A list gives a value per lane of a vector or member of a
 * struct; a single value is used for all. */
static bool scalar_bytes(const Argument *g, const Value *slots, Evaluation *ev,
                         unsigned char bytes[TASK_VALUE_LIMIT])
{
    Value v;
    if (!expr_eval(g->value, slots, ev, &v))
        return false;
    const int numbers = argument_numbers(g);
    if (v.kind == VALUE_LIST && v.list->count != (size_t)numbers)
        return misfit(g, argument_number(g, 0).scalar, ev,
                      g->fields ? "does not have as many members as the struct that begins with"
                                : "does not have as many lanes as the vector of");
    for (int i = 0; i < numbers; i++) {
        const Field f = argument_number(g, i);
        const Value one = v.kind == VALUE_LIST ? v.list->at[i] : v;
        if (!contents_store_value(f.scalar, one, bytes + f.offset))
            return misfit(g, f.scalar, ev, "does not fit into");
    }
    return true;
}

/* --- the argument list ------------------------------------------------------------------------ */

static bool take_item(const Spec *s, const LaunchItem *item, const Value *slots, Evaluation *ev,
                      RunTaken *out)
{
    Value name;
    *out = (RunTaken){item->own, SIZE_MAX, item->joined};
    if (item->own)
        return true;
    if (!expr_eval(item->choice, slots, ev, &name))
        return false;
    out->argument = name.kind == VALUE_STRING
                        ? NAME_FIND(s->arguments, s->argument_count, name, name.string)
                        : NULL;
    out->index = out->argument ? (size_t)(out->argument - s->arguments) : SIZE_MAX;
    if (out->argument && out->argument->role != ARGUMENT_CONSTANT)
        return true;
    ev->error = out->argument ? "a 'constant' is a variable, not an argument"
                              : "there is no argument of that name";
    ev->error_at = item->at;
    return false;
}

bool run_launch_takes(Arena *a, const Spec *s, const Launch *l, const Value *slots, Evaluation *ev,
                      RunTakenList *out)
{
    bool ok = true;
    *out = (RunTakenList){0};
    for (size_t i = 0; i < l->item_count && ok; i++)
        ok = take_item(s, &l->items[i], slots, ev, VEC_ADD(a, out));
    for (size_t i = 0; i < s->argument_count && !l->has_items; i++)
        if (s->arguments[i].role != ARGUMENT_CONSTANT)
            VEC_PUSH(a, out, ((RunTaken){&s->arguments[i], i, false}));
    return ok;
}

/* The bytes of an argument: a scalar's value, a buffer's address or a texture's handle. */
static bool argument_bytes(const RunTaken *t, const Value *slots, Evaluation *ev,
                           unsigned char *one, size_t *size, size_t *alignment)
{
    uint64_t address = t->index == SIZE_MAX ? 0 : run_pretended_address(t->index);
    *size = *alignment = sizeof address;
    if (t->argument->role != ARGUMENT_SCALAR) {
        memcpy(one, &address, sizeof address);
        return true;
    }
    *size = task_type_size(t->argument->element);
    *alignment = argument_alignment(t->argument);
    return scalar_bytes(t->argument, slots, ev, one);
}

bool run_launch_bytes(Arena *a, const Run *r, const Launch *l, const Value *slots, Evaluation *ev,
                      ArgumentBytes *out)
{
    RunTakenList taken;
    if (!run_launch_takes(a, r->spec, l, slots, ev, &taken))
        return false;
    Buf bytes = {0};
    bool ok = true;
    for (size_t i = 0; i < taken.count && ok;) {
        SCOPED_BUF whole = {0}; /* of one parameter */
        StructLayout layout = {0};
        do {
            unsigned char one[TASK_VALUE_LIMIT] = {0};
            size_t size, alignment;
            ok = argument_bytes(&taken.at[i], slots, ev, one, &size, &alignment);
            buf_fill(&whole, '\0', layout_add(&layout, size, alignment) - whole.size);
            buf_add(&whole, one, size);
        } while (++i < taken.count && taken.at[i].joined && ok);
        buf_fill(&whole, '\0', layout_size(&layout) - whole.size);
        buf_fill(&bytes, '\0',
                 (layout.alignment - bytes.size % layout.alignment) % layout.alignment);
        buf_add(&bytes, buf_text(&whole), whole.size);
    }
    out->size = bytes.size;
    out->bytes = (const unsigned char *)buf_keep(&bytes, a);
    return ok;
}

/* --- for the GPU ------------------------------------------------------------------------------ */

/* Converts the kernels' number to the type of a double-precision reference. */
static void widen(TaskType from, TaskType to, TaskArgument *t)
{
    unsigned char wide[TASK_VALUE_LIMIT] = {0};
    size_t narrow = task_scalar_size(from.scalar), size = task_scalar_size(to.scalar);
    for (int lane = 0; lane < to.lanes; lane++)
        contents_store(to.scalar, contents_value(from.scalar, t->bytes + (size_t)lane * narrow),
                       wide + (size_t)lane * size);
    memcpy(t->bytes, wide, sizeof wide);
}

static bool task_argument(const RunData *data, const Launch *l, const RunTaken *taken,
                          const Value *slots, Evaluation *ev, TaskArgument *t)
{
    const Argument *g = taken->argument;
    *t = (TaskArgument){.buffer = -1, .alignment = 8, .joined = taken->joined};
    if (g->role == ARGUMENT_TEXTURE) {
        t->buffer = data->texture[taken->index];
        t->texture = true;
        return true;
    }
    if (g->role != ARGUMENT_SCALAR) {
        t->buffer = l->in_double ? data->double_copy[taken->index] : data->buffer[taken->index];
        return true;
    }
    TaskType type = launch_argument_type(l, g);
    if (!scalar_bytes(g, slots, ev, t->bytes))
        return false;
    if (type.scalar != g->element.scalar)
        widen(g->element, type, t);
    t->size = task_type_size(type);
    t->alignment =
        (int)(g->fields ? g->alignment : argument_alignment(&(Argument){.element = type}));
    return true;
}

bool run_task_launch(Arena *a, const Run *r, const Step *step, const Launch *l, Value *slots,
                     Evaluation *ev, TaskLaunch *out)
{
    RunTakenList taken;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    if (!run_launch_takes(a, r->spec, l, slots, ev, &taken))
        return false;
    TaskArgument *arguments = ARENA_ARRAY(a, TaskArgument, taken.count);
    for (size_t i = 0; i < taken.count; i++)
        if (!task_argument(r->code.data, l, &taken.at[i], slots, ev, &arguments[i]))
            return false;
    *out = (TaskLaunch){.module = (int)step->launch,
                        .kernel = l->entry,
                        .shared = step->geometry.shared,
                        .repeat = step->times,
                        .cooperative = l->cooperative,
                        .arguments = arguments,
                        .argument_count = taken.count};
    memcpy(out->grid, step->geometry.grid, sizeof out->grid);
    memcpy(out->block, step->geometry.block, sizeof out->block);
    return true;
}

bool run_task(Arena *a, const Run *r, size_t i, RunTask *out, Evaluation *ev)
{
    const Table *t = r->table;
    size_t modules = r->spec->launch_count;
    Value *slots = run_slots(a, r, i);
    out->launches = ARENA_ARRAY(a, TaskLaunch, t->launch[i].step_count);
    out->modules = ARENA_ARRAY(a, TaskModule, modules);
    for (size_t s = 0; s < t->launch[i].step_count; s++) {
        const Launch *l = &r->spec->launches[t->launch[i].steps[s].launch];
        if (!run_task_launch(a, r, &t->launch[i].steps[s], l, slots, ev, &out->launches[s]))
            return false;
    }
    out->run = (TaskRun){.modules = out->modules,
                         .module_count = modules,
                         .launches = out->launches,
                         .launch_count = t->launch[i].step_count,
                         .symbols = r->code.data->symbols.at,
                         .symbol_count = r->code.data->symbols.count};
    return true;
}

const char *run_kernel_name(const Launch *l, const CompileResult *res)
{
    return l->expression && res->lowered.count > 0 ? res->lowered.at[0] : l->entry;
}

/* The launches of a configuration and how they are grouped for profiling. */
#include "tuner/run/run_parts.h"

/* --- steps ------------------------------------------------------------------------------------ */

/* True if a launch's arguments vary between configurations or steps. */
static bool launch_varies(const Spec *s, const Launch *l)
{
    bool varies = l->repeat_name != NULL;
    EACH (const LaunchItem, item, l->items, l->item_count)
        varies = varies || spec_varies(s, item->own ? item->own->value : item->choice);
    for (size_t i = 0; i < s->argument_count; i++)
        varies = varies || spec_varies(s, s->arguments[i].value);
    return varies;
}

/* Sets a tag that distinguishes launches with different arguments; never 0. */
static bool tag_step(Arena *scratch, const Run *r, const Launch *l, Value *slots, Evaluation *ev,
                     Step *step)
{
    ArgumentBytes bytes;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    if (!run_launch_bytes(scratch, r, l, slots, ev, &bytes))
        return false;
    Hash h = hash_bytes(bytes.bytes, bytes.size);
    uint32_t tag = 0;
    for (int i = 0; i < 8; i++)
        tag = tag << 4 | (uint32_t)(h.text[i] <= '9' ? h.text[i] - '0' : h.text[i] - 'a' + 10);
    step->arguments = tag ? tag : 1;
    return true;
}

/* Adds the steps of a launch, checked against the device. */
static Outcome add_launch(Arena *scratch, const Run *r, TableLaunch *c, size_t number, Value *slots,
                          Evaluation *ev, Steps *all)
{
    const Launch *l = &r->spec->launches[number];
    bool varies = launch_varies(r->spec, l);
    Steps steps;
    if (!geometry_steps(scratch, l, number, slots, ev, &steps))
        return OUTCOME_ARITHMETIC;
    VEC_EACH (Step, step, steps) {
        if (step == steps.at)
            c->geometry[number] = step->geometry;
        if (varies && !tag_step(scratch, r, l, slots, ev, step))
            return OUTCOME_ARITHMETIC;
        Outcome t = r->device ? tier0_check(r->device, &step->geometry) : OUTCOME_NONE;
        if (t != OUTCOME_NONE)
            return t;
        VEC_PUSH(scratch, all, *step);
    }
    return OUTCOME_NONE;
}

Outcome run_make_steps(Arena *scratch, Run *r, size_t i, Evaluation *ev)
{
    TableLaunch *c = &r->table->launch[i];
    Value *slots = run_slots(scratch, r, SIZE_MAX);
    Steps all = {0};
    *ev = (Evaluation){.arena = scratch};
    if (!space_slots(&r->space, r->table->number[i], slots, ev))
        return OUTCOME_ARITHMETIC;
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        Outcome t = add_launch(scratch, r, c, l, slots, ev, &all);
        if (t != OUTCOME_NONE)
            return t;
    }
    geometry_interleave(scratch, r->spec->launches, r->spec->launch_count, &all);
    c->steps = arena_keep(r->arena, all.at, all.count * sizeof *all.at);
    c->step_count = all.count;
    if (all.count > 0)
        return OUTCOME_NONE;
    ev->error = "no kernel is launched";
    ev->error_at = r->spec->launches[0].at;
    return OUTCOME_ARITHMETIC;
}

static void add_config(Arena *scratch, Run *r, uint64_t rank)
{
    Table *t = r->table;
    size_t i = table_add(t, rank);
    for (size_t p = 0; p < t->parameter_count; p++)
        t->values[i * t->parameter_count + p] = (uint32_t)space_place(&r->space, rank, p);
    t->launch[i].geometry = ARENA_ARRAY(r->arena, Geometry, r->spec->launch_count);
    Evaluation ev;
    t->outcome[i] = run_make_steps(scratch, r, i, &ev);
    r->counts.tier0_dropped[t->outcome[i]]++;
}

size_t run_add_config(Run *r, uint64_t rank)
{
    size_t row = table_find(r->table, rank);
    if (row != SIZE_MAX)
        return row;
    SCOPED_ARENA *scratch = arena_new();
    add_config(scratch, r, rank);
    return r->table->count - 1;
}

/* Limit of launches of all configurations together: about 400 MB. */
enum { MAX_STEPS = 1 << 22 };

bool run_make_configs(Run *r)
{
    table_reserve(r->table, r->space.count);
    SCOPED_ARENA *scratch = arena_new();
    size_t steps = 0, i = 0;
    for (; i < r->space.count && steps <= MAX_STEPS; i++) {
        add_config(scratch, r, r->space.ranks[i]);
        arena_reset(scratch);
        steps += r->table->launch[i].step_count;
    }
    return steps <= MAX_STEPS ||
           diag_fail(r->diag,
                     "the first %zu configurations of '%s' have more than %d launches in total; "
                     "reduce repeats or parameter values",
                     i, r->spec->name, MAX_STEPS);
}

StepsOf run_steps_of(Arena *a, const TableLaunch *c, size_t launch)
{
    StepsOf own = {0};
    EACH (const Step, s, c->steps, c->step_count)
        if (s->launch == launch)
            VEC_PUSH(a, &own, s);
    return own;
}

void run_print_step(const Step *s, Buf *out)
{
    const Geometry *g = &s->geometry;
    buf_printf(out, "%lld,%lld,%lld/%lld,%lld,%lld/%lld", (long long)g->grid[0],
               (long long)g->grid[1], (long long)g->grid[2], (long long)g->block[0],
               (long long)g->block[1], (long long)g->block[2], (long long)g->shared);
    if (s->arguments)
        buf_printf(out, "#%08x", s->arguments);
}

/* --- profiled steps --------------------------------------------------------------------------- */

/* Limit of profiled steps per launch; of more distinct ones, an evenly spaced sample represents
 * all. */
enum { MAX_PROFILED_STEPS = 32 };

static bool same_step(const Step *a, const Step *b)
{
    return a->arguments == b->arguments && a->geometry.shared == b->geometry.shared &&
           memcmp(a->geometry.grid, b->geometry.grid, sizeof a->geometry.grid) == 0 &&
           memcmp(a->geometry.block, b->geometry.block, sizeof a->geometry.block) == 0;
}

/* Returns false if there are too many distinct steps. */
static bool add_group(Arena *a, StepGroups *groups, const Step *s)
{
    VEC_EACH (StepGroup, g, *groups) {
        if (!same_step(g->step, s))
            continue;
        g->times += (double)s->times;
        return true;
    }
    VEC_PUSH(a, groups, ((StepGroup){s, (double)s->times}));
    return groups->count <= MAX_PROFILED_STEPS;
}

StepGroups run_step_groups(Arena *a, const TableLaunch *c, size_t launch)
{
    StepGroups groups = {0};
    const StepsOf own = run_steps_of(a, c, launch);
    bool few = true;
    VEC_EACH (const Step *const, s, own)
        few = few && add_group(a, &groups, *s);
    groups.count = few ? groups.count : 0;
    for (size_t k = 0; k < MAX_PROFILED_STEPS && !few; k++)
        VEC_PUSH(a, &groups,
                 ((StepGroup){own.at[k * own.count / MAX_PROFILED_STEPS],
                              (double)own.count / MAX_PROFILED_STEPS}));
    return groups;
}

StepGroups run_all_step_groups(Arena *a, const Run *r, size_t i)
{
    StepGroups all = {0};
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        const StepGroups groups = run_step_groups(a, &r->table->launch[i], l);
        VEC_EACH (const StepGroup, g, groups)
            VEC_PUSH(a, &all, *g);
    }
    return all;
}

/* Blocks that do not fit on an SM are never run, nor are those of a cooperative launch that do not fit on the
 * device together. */
bool run_drop_unlaunchable(Run *r, size_t i, const Step *step, const Profile *p)
{
    Table *t = r->table;
    const double resident = p->value[PROFILE_BLOCKS_PER_SM];
    const bool together = r->device && r->spec->launches[step->launch].cooperative;
    if (resident != 0 && !(together && resident * r->device->sms < (double)step->geometry.blocks))
        return false;
    t->outcome[i] = OUTCOME_RESOURCES;
    t->why[i] =
        resident != 0
            ? arena_printf(
                  r->arena,
                  "%lld blocks are launched together, but the device holds %.0f of them at "
                  "a time",
                  (long long)step->geometry.blocks, resident * r->device->sms)
            : arena_printf(r->arena,
                           "no multiprocessor holds a block of %.0f threads with %.0f registers "
                           "each and %.0f bytes of shared memory",
                           p->value[PROFILE_THREADS_PER_BLOCK], p->value[PROFILE_REGISTERS],
                           p->value[PROFILE_SHARED_BYTES]);
    return true;
}

void run_count_code(Run *r, Outcome o)
{
    r->counts.compiled += outcome_has_code(o);
    r->counts.unlaunchable += o == OUTCOME_RESOURCES;
    r->counts.failed += outcome_group(o) == OUTCOME_IS_COMPILE && o != OUTCOME_RESOURCES;
}

void run_take_profiles(Run *r, size_t i, const StepGroups *groups, const Profile *const *profiles)
{
    const size_t count = groups->count;
    LaunchProfile *all = ARENA_ARRAY(r->arena, LaunchProfile, count);
    for (size_t k = 0; k < count; k++) {
        all[k] = (LaunchProfile){profiles[k], groups->at[k].times};
        if (r->table->outcome[i] == OUTCOME_COMPILED &&
            run_drop_unlaunchable(r, i, groups->at[k].step, profiles[k]))
            return;
    }
    Profile *joined = count == 1 ? NULL : ARENA_NEW(r->arena, Profile);
    if (joined)
        *joined = profile_of_launches(all, count);
    r->table->profile[i] = (TableProfile){joined ? joined : profiles[0], all, count};
}

#include "tuner/command/dump.h"

#include "tuner/run/run_explain.h"

#include <inttypes.h>
#include <string.h>

static void dump_spec(Run *r, Buf *out)
{
    spec_print(r->spec, out);
}

static void dump_enumeration(Run *r, Buf *out)
{
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        buf_printf(out, "%-16s %zu values, %" PRIu64 " points refused\n",
                   r->spec->parameters[p].name, r->space.values[p].count, r->space.refused[p]);
    for (size_t i = 0; i < r->spec->constraint_count; i++) {
        Span at = r->spec->constraints[i].at;
        buf_printf(out, "%12" PRIu64 " rejected: %.*s\n", r->space.rejected[i], (int)at.length,
                   at.source->text + at.offset);
    }
    buf_printf(out, "%12" PRIu64 " valid of %" PRIu64 "\n", r->space.size, r->space.product);
}

static void dump_configs(Run *r, Buf *out)
{
    Arena *a = arena_new();
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        buf_printf(out, "%s: %s", table_name(a, r->table, i),
                   t->outcome[i] == OUTCOME_NONE ? "not compiled" : outcome_name(t->outcome[i]));
        if (table_has_code(t, i))
            buf_printf(out, ", code %.*s", (int)strcspn(t->code[i].hash, "+"), t->code[i].hash);
        if (t->why[i] && *t->why[i])
            buf_printf(out, ", %s", t->why[i]);
        buf_putc(out, '\n');
        arena_reset(a);
    }
    arena_free(a);
}

static void dump_profiles(Run *r, Buf *out)
{
    Arena *a = arena_new();
    for (size_t i = 0; i < r->table->count; i++) {
        if (!r->table->profile[i].whole)
            continue;
        buf_printf(out, "%s\n", table_name(a, r->table, i));
        profile_print(r->table->profile[i].whole, out);
        arena_reset(a);
    }
    arena_free(a);
}

static void dump_metrics(Run *r, Buf *out)
{
    Arena *a = arena_new();
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        if (!table_profile(t, i))
            continue;
        buf_printf(out, "%s:", table_name(a, r->table, i));
        for (size_t m = 0; m < t->metrics->metrics.count; m++)
            buf_printf(out, " %s=%g", t->metrics->metrics.at[m].name, table_metric(t, i, m));
        buf_putc(out, '\n');
        arena_reset(a);
    }
    arena_free(a);
}

static void dump_front(Run *r, Buf *out)
{
    carving_print(&r->carving, out);
    for (size_t i = 0; i < r->table->count; i++) {
        if (!r->table->profile[i].whole)
            continue;
        carving_why(&r->carving, i, out);
    }
}

static void dump_times(Run *r, Buf *out)
{
    Arena *a = arena_new();
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        if (!table_is_timed(t, i))
            continue;
        buf_printf(out, "%s: %s", table_name(a, r->table, i), outcome_name(t->outcome[i]));
        for (size_t k = 0; k < t->times[i].count; k++)
            buf_printf(out, " %g", t->times[i].ms[k]);
        buf_putc(out, '\n');
        arena_reset(a);
    }
    arena_free(a);
}

/* A stage of the profiler, of each configuration that was selected. */
static void dump_profiler(Run *r, ProfileStage stage, Buf *out)
{
    for (size_t i = 0; i < r->table->count; i++) {
        ProfileInput in;
        if (!r->table->selected[i] || !table_has_code(r->table, i))
            continue;
        Arena *a = arena_new();
        Diag d = diag_new(a);
        buf_printf(out, "%s\n", table_name(a, r->table, i));
        if (!run_profiled_input(r, i, &in, &d) || !profile_dump(a, &in, stage, out, &d))
            diag_print(&d, out);
        arena_free(a);
    }
}

static void dump_flow(Run *r, Buf *out)
{
    dump_profiler(r, PROFILE_FLOW, out);
}

static void dump_walk(Run *r, Buf *out)
{
    dump_profiler(r, PROFILE_WALK, out);
}

static void dump_pairs(Run *r, Buf *out)
{
    dump_profiler(r, PROFILE_PAIRS, out);
}

static void dump_join(Run *r, Buf *out)
{
    dump_profiler(r, PROFILE_JOIN, out);
}

static const struct {
    char letter;
    DumpPoint point;
    const char *title;
    void (*print)(Run *r, Buf *out);
} dumps[] = {
    {'S', DUMP_OPENED, "spec as understood", dump_spec},
    {'E', DUMP_OPENED, "enumeration, points rejected by each constraint", dump_enumeration},
    {'C', DUMP_COMPILED, "code of every configuration", dump_configs},
    {'P', DUMP_COMPILED, "profiles", dump_profiles},
    {'M', DUMP_CARVED, "metrics", dump_metrics},
    {'F', DUMP_CARVED, "fronts and thresholds, what became of every configuration", dump_front},
    {'B', DUMP_TIMED, "blocks and loops of the PTX, of selected configurations", dump_flow},
    {'W', DUMP_TIMED, "what their warps execute and access", dump_walk},
    {'L', DUMP_TIMED, "which loop of their machine code is which of the PTX", dump_pairs},
    {'J', DUMP_TIMED, "how often the blocks of their machine code are executed", dump_join},
    {'R', DUMP_TIMED, "raw times", dump_times},
};
enum { DUMPS = sizeof dumps / sizeof dumps[0] };

/* A search compiles, carves and times side by side: all of it is there when it ends. */
static DumpPoint point_of(const Run *r, DumpPoint point)
{
    return point != DUMP_OPENED && run_searches(r) ? DUMP_TIMED : point;
}

void dump_stage(Run *r, DumpPoint point, const char *letters, Buf *out)
{
    for (int i = 0; i < DUMPS; i++) {
        if (point_of(r, dumps[i].point) != point || !strchr(letters, dumps[i].letter))
            continue;
        buf_printf(out, "> %c: %s (%s)\n", dumps[i].letter, dumps[i].title, r->spec->name);
        dumps[i].print(r, out);
    }
}

void dump_letters(Buf *out)
{
    for (int i = 0; i < DUMPS; i++)
        buf_printf(out, "                         %c %s\n", dumps[i].letter, dumps[i].title);
}

char dump_unknown(const char *letters)
{
    for (; *letters; letters++) {
        bool known = false;
        for (int i = 0; i < DUMPS; i++)
            known = known || dumps[i].letter == *letters;
        if (!known)
            return *letters;
    }
    return 0;
}

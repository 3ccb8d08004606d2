#include "tuner/command/dump.h"

#include <inttypes.h>
#include <string.h>

static void dump_spec(const Run *r, Buf *out)
{
    spec_print(r->spec, out);
}

static void dump_enumeration(const Run *r, Buf *out)
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

static void dump_configs(const Run *r, Buf *out)
{
    Arena *a = arena_new();
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        buf_printf(out, "%s: %s", table_name(a, r->table, i),
                   t->outcome[i] == OUTCOME_NONE ? "not compiled" : outcome_name(t->outcome[i]));
        if (table_has_code(t, i))
            buf_printf(out, ", code %.*s", (int)strcspn(t->code[i].hash, "+"), t->code[i].hash);
        if (t->why[i])
            buf_printf(out, ", %s", t->why[i]);
        buf_putc(out, '\n');
        arena_reset(a);
    }
    arena_free(a);
}

static void dump_profiles(const Run *r, Buf *out)
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

static void dump_metrics(const Run *r, Buf *out)
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

static void dump_front(const Run *r, Buf *out)
{
    carving_print(&r->carving, out);
    for (size_t i = 0; i < r->table->count; i++) {
        if (!r->table->profile[i].whole)
            continue;
        carving_why(&r->carving, i, out);
        buf_putc(out, '\n');
    }
}

static void dump_times(const Run *r, Buf *out)
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

static const struct {
    char letter;
    DumpPoint point;
    const char *title;
    void (*print)(const Run *r, Buf *out);
} dumps[] = {
    {'S', DUMP_OPENED, "spec as understood", dump_spec},
    {'E', DUMP_OPENED, "enumeration, points rejected by each constraint", dump_enumeration},
    {'C', DUMP_COMPILED, "code of every configuration", dump_configs},
    {'P', DUMP_COMPILED, "profiles", dump_profiles},
    {'M', DUMP_CARVED, "metrics", dump_metrics},
    {'F', DUMP_CARVED, "fronts and thresholds, what became of every configuration", dump_front},
    {'R', DUMP_TIMED, "raw times", dump_times},
};
enum { DUMPS = sizeof dumps / sizeof dumps[0] };

void dump_stage(const Run *r, DumpPoint point, const char *letters, Buf *out)
{
    for (int i = 0; i < DUMPS; i++) {
        if (dumps[i].point != point || !strchr(letters, dumps[i].letter))
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

/* The spec's rivals: which are asked for, where their libraries are, what they are given. */
#include "tuner/command/bench_parts.h"

#include "tuner/base/file.h"

#include <string.h>

/* --- which ------------------------------------------------------------------------------------ */

/* Libraries that the GPU process knows by itself. */
static bool is_built_in(const Rival *v)
{
    return !v->path && (strcmp(v->library, "cublas") == 0 || strcmp(v->library, "memory") == 0);
}

static bool is_file(const char *against)
{
    size_t n = strlen(against);
    return strchr(against, '/') || (n > 3 && strcmp(against + n - 3, ".so") == 0);
}

/* "cublas gemm" */
static const char *name_of(Arena *a, const Rival *v)
{
    return arena_printf(a, "%s %s", v->library, v->call);
}

static bool is_named(Arena *a, const Rival *v, const char *against)
{
    return strcmp(against, v->library) == 0 || strcmp(against, v->call) == 0 ||
           strcmp(against, name_of(a, v)) == 0;
}

/* A plugin's file takes the place of the spec's plugins; where it has none, that of all. */
static bool is_replaced(const Spec *s, const Rival *v)
{
    bool any = false;
    for (size_t i = 0; i < s->rival_count; i++)
        any = any || !is_built_in(&s->rivals[i]);
    return !any || !is_built_in(v);
}

static bool is_wanted(const Run *r, const Rival *v, const char *against)
{
    if (!against)
        return true;
    return is_file(against) ? is_replaced(r->spec, v) : is_named(r->arena, v, against);
}

static bool refuse_against(Run *r, const char *against)
{
    Buf all = {0};
    const Spec *s = r->spec;
    for (size_t i = 0; i < s->rival_count; i++)
        buf_printf(&all, "%s'%s'", i ? ", " : "", name_of(r->arena, &s->rivals[i]));
    if (s->rival_count == 0)
        diag_fail(r->diag, "space '%s' names no rival, so there is nothing to run against",
                  s->name);
    else
        diag_fail(r->diag, "space '%s' has no rival '%s'; it has %s", s->name, against,
                  buf_text(&all));
    buf_free(&all);
    return false;
}

/* --- where ------------------------------------------------------------------------------------ */

/* What the GPU process opens; NULL: there is no such plugin.  A library's code runs as it is
 * opened, so a file that only the spec names is not: the user names it, or it lies in the
 * installation. */
static const char *find_library(const Run *r, const BenchOptions *o, const Rival *v)
{
    if (o->against && is_file(o->against)) /* with a slash it is not looked for elsewhere */
        return arena_printf(r->arena, "%s%s", strchr(o->against, '/') ? "" : "./", o->against);
    if (is_built_in(v))
        return v->library;
    for (size_t i = 0; !v->path && i < o->plugin_folder_count; i++) {
        const char *path =
            arena_printf(r->arena, "%s/aptune-rival-%s.so", o->plugin_folders[i], v->library);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

static const char *not_found(const Run *r, const BenchOptions *o, const Rival *v)
{
    if (v->path)
        return arena_printf(r->arena,
                            "a plugin is not opened because a spec names it; if you trust it, say "
                            "--against %s%s",
                            strchr(v->path, '/') ? "" : "./", v->path);
    Buf b = {0};
    buf_printf(&b, "there is no aptune-rival-%s.so in", v->library);
    for (size_t i = 0; i < o->plugin_folder_count; i++)
        buf_printf(&b, "%s %s", i ? "," : "", o->plugin_folders[i]);
    const char *text = arena_string(r->arena, buf_text(&b));
    buf_free(&b);
    return text;
}

/* --- what it is given ------------------------------------------------------------------------- */

static bool take_argument(Run *r, const RunTaken *t, const Value *slots, Evaluation *ev,
                          TaskRivalArgument *out)
{
    const Argument *g = t->argument;
    *out = (TaskRivalArgument){.name = g->name, .buffer = -1};
    if (g->role != ARGUMENT_SCALAR) {
        out->buffer = r->code.data->buffer[t->index];
        return true;
    }
    Value v;
    if (!expr_eval(g->value, slots, ev, &v))
        return false;
    out->real = task_scalar_is_float(g->element.scalar);
    out->number = value_as_real(v);
    out->integer = v.kind == VALUE_INT ? v.integer : 0;
    return true;
}

/* The call with its arguments; false after a message. */
static bool make_call(Run *r, const Rival *v, const char *library, TaskRival *out)
{
    Evaluation ev = {.arena = r->arena};
    const Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    const RunTaken *taken;
    size_t count;
    bool ok = run_launch_takes(r->arena, r->spec, &v->takes, slots, &ev, &taken, &count);
    TaskRivalArgument *x = ARENA_ARRAY(r->arena, TaskRivalArgument, ok ? count : 0);
    for (size_t i = 0; ok && i < count; i++)
        ok = take_argument(r, &taken[i], slots, &ev, &x[i]);
    if (!ok)
        return diag_error(r->diag, ev.error_at, "%s", ev.error ? ev.error : "cannot be computed");
    *out =
        (TaskRival){.library = library, .call = v->call, .arguments = x, .argument_count = count};
    return true;
}

static bool add_rival(Run *r, const BenchOptions *o, const Rival *v, BenchEntry *e)
{
    const char *library = find_library(r, o, v);
    TaskRival *call = ARENA_NEW(r->arena, TaskRival);
    *e = bench_entry(v, name_of(r->arena, v));
    e->run = (TaskRun){.rival = call};
    if (!library) {
        e->status = OUTCOME_LOAD_FAILED;
        e->words = not_found(r, o, v);
    }
    return make_call(r, v, library ? library : "", call);
}

bool bench_list_rivals(Run *r, const BenchOptions *o, Bench *b)
{
    const Spec *s = r->spec;
    for (size_t i = 0; i < s->rival_count; i++) {
        if (!is_wanted(r, &s->rivals[i], o->against))
            continue;
        if (!add_rival(r, o, &s->rivals[i], &b->entries[b->count++]))
            return false;
    }
    return b->count > 1 || !o->against || refuse_against(r, o->against);
}

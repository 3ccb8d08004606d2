/* Runs emitted code unchanged: the manifest tells the configuration of each variant and the files with its
 * cubins; data and launches come from the spec. */
#include "tuner/command/bench.h"

#include "metrics/base/file.h"
#include "metrics/base/json.h"

BenchEntry bench_entry(const Rival *rival, const char *title)
{
    return (BenchEntry){.rival = rival,
                        .title = title,
                        .details = "",
                        .status = OUTCOME_OK,
                        .words = "",
                        .max_error = NAN,
                        .median = NAN,
                        .interval = {NAN, NAN},
                        .ratio = NAN,
                        .ratio_interval = {NAN, NAN},
                        .sustained_ratio = NAN};
}

typedef struct Manifest {
    Run *run;
    const char *path;
    json_t *root;
    const json_t *entries, *variants;
} Manifest;

static void close_manifest(Manifest *m)
{
    json_decref(m->root);
}

/* A local manifest, closed on every exit from its scope: SCOPED_MANIFEST m = {0}; */
#define SCOPED_MANIFEST __attribute__((cleanup(close_manifest))) Manifest

static bool open_manifest(Run *r, const char *path, Manifest *m)
{
    json_error_t e;
    size_t size;
    const char *text = file_read(r->arena, path, &size, r->diag);
    if (!text)
        return false;
    *m = (Manifest){.run = r, .path = path, .root = json_loadb(text, size, 0, &e)};
    if (!m->root)
        return diag_fail(r->diag, "'%s', line %d: %s", path, e.line, e.text);
    m->entries = json_object_get(m->root, "entries");
    m->variants = json_object_get(m->root, "variants");
    if (json_array_size(m->entries) == 0 || json_array_size(m->variants) == 0)
        return diag_fail(
            r->diag, "'%s' is no manifest of emitted code: it has no entries or no variants", path);
    const char *space = json_text_at(m->root, "space");
    return strcmp(space, r->spec->name) == 0 ||
           diag_fail(r->diag, "'%s' is of space '%s', not '%s'", path, space, r->spec->name);
}

/* Prints a value as names of configurations spell it. */
static void print_value(const json_t *v, Buf *out)
{
    if (json_is_string(v))
        value_print_named(value_string(json_string_value(v)), out);
    else if (json_is_real(v))
        value_print_bare(value_real(json_real_value(v)), out);
    else if (json_is_integer(v))
        value_print_bare(value_int(json_integer_value(v)), out);
    else if (json_is_boolean(v))
        value_print_bare(value_bool(json_is_true(v)), out);
}

/* An object of names and values as "A=1 B=2 …". */
static const char *named_values(Arena *a, const json_t *o)
{
    Buf b = {0};
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)o, name, v)
    {
        buf_printf(&b, "%s%s=", b.size ? " " : "", name);
        print_value(v, &b);
    }
    return buf_keep(&b, a);
}

static size_t config_of(const Manifest *m, const json_t *variant, Diag *d)
{
    Run *r = m->run;
    return run_name_config(r, named_values(r->arena, json_object_get(variant, "parameters")), d);
}

/* True if the entry's problem has the same value of this name as ours. */
static bool is_same_here(const Manifest *m, const json_t *entry, size_t name)
{
    const Spec *s = m->run->spec;
    const json_t *v = json_object_get(json_object_get(entry, "problem"), s->problem_names[name]);
    SCOPED_BUF have = {0}, want = {0};
    if (v)
        print_value(v, &have);
    value_print_bare(s->problems[m->run->space.problem].values[name], &want);
    return strcmp(buf_text(&have), buf_text(&want)) == 0;
}

/* True if this entry or variant is for our device's architecture. */
static bool is_of_arch(const Manifest *m, const json_t *o)
{
    return strcmp(json_text_at(o, "arch"), run_architecture(m->run->arena, m->run)) == 0;
}

/* Entries number variants from 1. */
static const json_t *variant_of_entry(const Manifest *m, const json_t *entry)
{
    json_int_t number = json_integer_value(json_object_get(entry, "variant"));
    return json_array_get(m->variants, (size_t)number - 1); /* NULL of a number out of range */
}

/* The spec's `scale`, to which times are proportional, for a configuration at one of the spec's problems;
 * NaN: not known. */
static double scale_at(const Manifest *m, size_t config, size_t problem)
{
    const Run *r = m->run;
    const Spec *s = r->spec;
    SCOPED_ARENA *a = arena_new();
    Evaluation ev = {.arena = a};
    Value *slots = run_slots(a, r, config), v;
    bool ok = s->scale != NULL;
    spec_set_problem(s, problem, slots);
    for (size_t i = 0; ok && i < s->derived_count; i++)
        ok = expr_eval(s->derived[i].value, slots, &ev, &slots[spec_derived_slot(s, i)]);
    return ok && expr_eval(s->scale, slots, &ev, &v) ? value_as_real(v) : NAN;
}

/* How well an entry fits this problem and device.  The unit decides the same way (tuner/emit/unit/choose.h):
 * by the device and the problem that the entry was tuned for, then by the expected time. */
typedef struct Fit {
    int rank;  /* 0: not at all */
    double ms; /* expected; infinite: not known, as for other sizes if the spec has no scale */
} Fit;

static Fit fit_of(const Manifest *m, const json_t *entry)
{
    Run *r = m->run;
    const json_t *variant = variant_of_entry(m, entry);
    bool problem = true, compiled = true; /* the entry's problem is ours; its code can run ours */
    for (size_t i = 0; i < r->spec->problem_name_count; i++) {
        const bool same = is_same_here(m, entry, i);
        problem = problem && same;
        const json_t *fixed =
            json_object_get(variant, "fixed"); /* compiled for one value of these */
        for (size_t k = 0; k < json_array_size(fixed) && !same; k++) {
            const char *name = json_string_value(json_array_get(fixed, k));
            compiled = compiled && !(name && strcmp(name, r->spec->problem_names[i]) == 0);
        }
    }
    size_t config = variant ? config_of(m, variant, DIAG_UNHEARD(r->arena)) : SIZE_MAX,
           here = r->space.problem;
    if (config == SIZE_MAX || !is_of_arch(m, entry) || !compiled)
        return (Fit){0};
    bool device = strcmp(json_text_at(entry, "device"), r->device->name) == 0;
    Fit f = {1 + 2 * device + (device && problem), problem ? 0 : INFINITY};
    const char *there = named_values(r->arena, json_object_get(entry, "problem"));
    if (!r->spec->scale)
        return f;
    f.ms = json_number_value(json_object_get(entry, "time_ms"));
    if (!problem && spec_add_problem(r->arena, r->spec, there))
        f.ms *= scale_at(m, config, here) / scale_at(m, config, r->spec->problem_count - 1);
    f.ms = f.ms > 0 ? f.ms : INFINITY;
    return f;
}

/* The variant of the first entry that fits best; NULL: all code is for other architectures. */
static const json_t *best_variant(const Manifest *m)
{
    const json_t *best = NULL;
    Fit most = {0};
    for (size_t i = 0; i < json_array_size(m->entries); i++) {
        const json_t *entry = json_array_get(m->entries, i);
        Fit fit = fit_of(m, entry);
        if (fit.rank > most.rank || (fit.rank > 0 && fit.rank == most.rank && fit.ms < most.ms)) {
            best = variant_of_entry(m, entry);
            most = fit;
        }
    }
    return best;
}

/* The variant of a configuration for this device; NULL: there is none. */
static const json_t *variant_of(const Manifest *m, size_t config)
{
    for (size_t i = 0; i < json_array_size(m->variants); i++) {
        const json_t *v = json_array_get(m->variants, i);
        if (is_of_arch(m, v) && config_of(m, v, DIAG_UNHEARD(m->run->arena)) == config)
            return v;
    }
    return NULL;
}

size_t bench_emitted_config(Run *r, const char *manifest, const char *config, const char **origin)
{
    SCOPED_MANIFEST m = {0};
    if (!open_manifest(r, manifest, &m))
        return SIZE_MAX;
    const json_t *v = config ? NULL : best_variant(&m);
    size_t i = SIZE_MAX;
    if (config)
        i = run_name_config(r, config, r->diag);
    else if (v)
        i = config_of(&m, v, r->diag);
    else
        diag_fail(r->diag, "'%s' has no code for sm_%d", m.path, device_arch(r->device));
    if (i != SIZE_MAX && !variant_of(&m, i)) {
        diag_fail(r->diag, "'%s' has no code of %s for sm_%d", m.path,
                  table_name(r->arena, r->table, i), device_arch(r->device));
        i = SIZE_MAX;
    }
    *origin = arena_printf(r->arena, "the emitted code beside %s", manifest);
    return i;
}

/* Reads the cubin of launch `l` and the name of its kernel. */
static bool read_code(const Manifest *m, const json_t *variant, size_t l, RunTask *task)
{
    Run *r = m->run;
    const json_t *code = json_array_get(json_object_get(variant, "launches"), l);
    const char *file = json_text_at(code, "cubin"), *entry = json_text_at(code, "entry");
    if (!*file || !*entry)
        return diag_fail(r->diag,
                         "'%s' names no cubin of launch %zu: the flavour 'runtime' has none",
                         m->path, l + 1);
    if (strchr(file, '/'))
        return diag_fail(r->diag, "'%s' names a cubin in another folder: '%s'", m->path, file);
    const char *path = path_join(r->arena, path_folder(r->arena, m->path), file);
    TaskModule *module = &task->modules[l];
    module->cubin = file_read(r->arena, path, &module->size, r->diag);
    for (size_t i = 0; i < task->run.launch_count; i++)
        if ((size_t)task->launches[i].module == l)
            task->launches[i].kernel = arena_string(r->arena, entry);
    return module->cubin != NULL;
}

static bool read_codes(const Manifest *m, size_t config, TaskRun *out)
{
    Run *r = m->run;
    Evaluation ev = {.arena = r->arena};
    RunTask task;
    if (!run_task(r->arena, r, config, &task, &ev))
        return run_refuse(r, &ev);
    const json_t *variant = variant_of(m, config);
    bool ok = true;
    for (size_t l = 0; ok && l < r->spec->launch_count; l++)
        ok = read_code(m, variant, l, &task);
    *out = task.run;
    return ok;
}

bool bench_emitted_variants(Run *r, const char *manifest, Bench *b)
{
    SCOPED_MANIFEST m = {0};
    if (!open_manifest(r, manifest, &m))
        return false;
    bool ok = true;
    size_t count = json_array_size(m.variants);
    BenchEntry *entries = ARENA_ARRAY(r->arena, BenchEntry, count + 1);
    entries[0] = b->entries[0];
    b->entries = entries;
    for (size_t i = 0; ok && i < count; i++) {
        const json_t *v = json_array_get(m.variants, i);
        const json_t *entry;
        bool serves = false;
        size_t k;
        json_array_foreach((json_t *)(uintptr_t)m.entries, k, entry) serves =
            serves || (variant_of_entry(&m, entry) == v && fit_of(&m, entry).rank > 0);
        size_t config = serves ? config_of(&m, v, DIAG_UNHEARD(r->arena)) : SIZE_MAX;
        if (config == SIZE_MAX || config == b->config)
            continue;
        BenchEntry *e = &entries[b->count++];
        *e = bench_entry(NULL, table_name(r->arena, r->table, config));
        ok = read_codes(&m, config, &e->run);
    }
    return ok;
}

bool bench_emitted_code(Run *r, const char *manifest, size_t i, TaskRun *out)
{
    SCOPED_MANIFEST m = {0};
    return open_manifest(r, manifest, &m) && read_codes(&m, i, out);
}

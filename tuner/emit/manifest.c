/* The manifest of an emitted unit: JSON for programs that go on with it. */
#include "tuner/emit/files.h"
#include "tuner/emit/unit_make.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static json_t *value_json(Value v)
{
    switch (v.kind) {
    case VALUE_INT:
        return json_integer((json_int_t)v.integer);
    case VALUE_REAL:
        return json_real(v.real);
    case VALUE_BOOL:
        return json_boolean(v.boolean);
    case VALUE_STRING:
        return json_string(v.string);
    default:
        return json_null();
    }
}

static json_t *number_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *parameters_json(const Spec *s, const EmitVariant *v)
{
    json_t *o = json_object();
    for (size_t p = 0; p < s->parameter_count; p++)
        json_object_set_new(o, s->parameters[p].name,
                            value_json(v->slots[spec_parameter_slot(s, p)]));
    return o;
}

static json_t *problem_json(const Spec *s, const Value *values)
{
    json_t *o = json_object();
    for (size_t i = 0; i < s->problem_name_count; i++)
        json_object_set_new(o, s->problem_names[i], value_json(values[i]));
    return o;
}

/* Files of compiled code are there only in flavours that have it. */
static json_t *code_json(Arena *a, const EmitUnit *u, size_t variant, size_t launch)
{
    const EmitCode *c = &u->variants[variant].codes[launch];
    json_t *o = json_object();
    json_object_set_new(o, "kernel", json_string(c->kernel));
    json_object_set_new(o, "entry", c->entry ? json_string(c->entry) : json_null());
    json_object_set_new(o, "options", json_string(c->options));
    json_object_set_new(o, "source", json_string(unit_file_name(a, u, variant, launch, ".cu")));
    if (u->flavour == EMIT_RUNTIME)
        return o;
    const char *suffix = arena_printf(a, "_sm%d.cubin", u->variants[variant].arch);
    json_object_set_new(o, "cubin", json_string(unit_file_name(a, u, variant, launch, suffix)));
    json_object_set_new(o, "ptx", json_string(unit_file_name(a, u, variant, launch, ".ptx")));
    return o;
}

static json_t *variant_json(Arena *a, const EmitUnit *u, size_t i)
{
    const EmitVariant *v = &u->variants[i];
    json_t *codes = json_array();
    for (size_t l = 0; l < u->spec->launch_count; l++)
        json_array_append_new(codes, code_json(a, u, i, l));
    return json_pack("{s:I, s:o, s:o, s:b, s:o}", "number", (json_int_t)i + 1, "parameters",
                     parameters_json(u->spec, v), "arch",
                     json_string(arena_printf(a, "sm_%d", v->arch)), "fixed",
                     unit_variant_is_fixed(u, v), "launches", codes);
}

static json_t *entry_json(Arena *a, const EmitUnit *u, size_t i)
{
    const EmitEntry *e = &u->entries[i];
    json_t *o = json_object();
    json_object_set_new(o, "number", json_integer((json_int_t)i + 1));
    json_object_set_new(o, "variant", json_integer((json_int_t)e->variant + 1));
    json_object_set_new(o, "problem", problem_json(u->spec, e->problem));
    json_object_set_new(o, "device", json_string(e->device));
    json_object_set_new(o, "arch", json_string(arena_printf(a, "sm_%d", e->arch)));
    json_object_set_new(o, "time_ms", number_or_null(e->time_ms));
    json_object_set_new(o, "regret", number_or_null(e->regret));
    json_object_set_new(o, "default", json_boolean(e->is_default));
    json_object_set_new(o, "stale", json_boolean(e->stale));
    const struct {
        const char *name, *text;
    } texts[] = {{"recording", e->recording}, {"recorded", e->recorded}, {"driver", e->driver},
                 {"compiler", e->compiler},   {"version", e->version},   {"how", e->how}};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        json_object_set_new(o, texts[k].name, json_string(texts[k].text));
    return o;
}

void files_print_manifest(const EmitUnit *u, Buf *out)
{
    Arena *a = arena_new();
    json_t *files = json_array(), *variants = json_array(), *entries = json_array();
    size_t count;
    const char *const *names = files_list(a, u, &count);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(files, json_string(names[i]));
    for (size_t i = 0; i < u->variant_count; i++)
        json_array_append_new(variants, variant_json(a, u, i));
    for (size_t i = 0; i < u->entry_count; i++)
        json_array_append_new(entries, entry_json(a, u, i));
    json_t *o = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "aptune", "unit",
                          "format", 1, "version", APTUNE_VERSION, "space", u->spec->name, "name",
                          u->name, "prefix", u->prefix, "flavour", unit_flavour_name(u->flavour),
                          "files", files, "entries", entries, "variants", variants);
    char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    buf_printf(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(o);
    arena_free(a);
}

/* An explanation as JSON: what the text says, whole, for a program. */
#include "tuner/output/explain.h"

#include "tuner/output/report_parts.h"

#include <math.h>

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *sizes(const int64_t n[3])
{
    return json_pack("[I, I, I]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]);
}

static json_t *occupancy_of(const Subject *s)
{
    char limits[64];
    const Occupancy *o = &s->occupancy;
    json_t *j = json_object();
    json_object_set_new(j, "fraction", report_number(o->fraction));
    json_object_set_new(j, "blocks_per_sm", json_integer(o->blocks_per_sm));
    json_object_set_new(j, "warps_per_sm", json_integer(o->warps_per_sm));
    json_object_set_new(j, "limited_by", json_string(occupancy_limits_text(o->limits, limits)));
    json_object_set_new(j, "registers_fewer_for_one_block_more", json_integer(o->fewer_registers));
    json_object_set_new(j, "shared_bytes_fewer_for_one_block_more",
                        json_integer((json_int_t)o->fewer_shared_bytes));
    return j;
}

static json_t *profile_of(const Subject *s)
{
    json_t *j = json_object();
    for (int f = 0; f < PROFILE_FIELDS; f++)
        json_object_set_new(j, profile_info((ProfileField)f)->name,
                            report_number(s->profile->value[f]));
    return j;
}

static json_t *recorded_of(const Subject *s)
{
    const Table *t = s->run->table;
    if (!table_is_timed(t, s->config))
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "status", json_string(outcome_name(t->outcome[s->config])));
    json_object_set_new(j, "time_ms", report_number(t->times[s->config].median));
    return j;
}

static json_t *finding_of(const Finding *f)
{
    json_t *j = json_object();
    json_object_set_new(j, "name", json_string(f->name));
    json_object_set_new(j, "kind", json_string(f->kind));
    json_object_set_new(j, "what", json_string(f->what));
    json_object_set_new(j, "where", text_or_null(f->where));
    json_object_set_new(j, "cost_cycles", report_number(f->cycles));
    json_object_set_new(j, "cost_share", report_number(f->share));
    json_object_set_new(j, "cost_of", text_or_null(f->unit));
    json_object_set_new(j, "effect", text_or_null(f->effect));
    json_object_set_new(j, "remedy", json_string(f->remedy));
    return j;
}

static json_t *findings_of(Arena *a, const Subject *s, const SourceLines *lines)
{
    Findings found = explain_find(a, s, lines);
    json_t *list = json_array();
    for (size_t i = 0; i < found.all.count; i++)
        json_array_append_new(list, finding_of(&found.all.at[i]));
    return list;
}

static json_t *access_of(const SourceAccess *x)
{
    json_t *j = json_object();
    json_object_set_new(j, "file", json_string(x->file));
    json_object_set_new(j, "line", json_integer(x->line));
    json_object_set_new(j, "memory", json_string(x->shared ? "shared" : "global"));
    json_object_set_new(j, "kind", json_string(x->kind));
    json_object_set_new(j, "bytes_of_a_lane", json_integer(x->bytes));
    json_object_set_new(j, "executions", report_number(x->executions));
    json_object_set_new(j, x->shared ? "wavefronts" : "sectors", report_number(x->cost));
    json_object_set_new(j, x->shared ? "wavefronts_min" : "sectors_min", report_number(x->least));
    json_object_set_new(j, "sampled", json_boolean(x->sampled));
    return j;
}

static json_t *code_of(const SourceCode *c)
{
    json_t *j = json_object();
    json_object_set_new(j, "file", json_string(c->file));
    json_object_set_new(j, "line", json_integer(c->line));
    json_object_set_new(j, "share_of_instructions", report_number(c->share));
    return j;
}

static json_t *lines_of(const SourceLines *lines)
{
    json_t *j = json_object(), *accesses = json_array(), *code = json_array();
    for (size_t i = 0; i < lines->accesses.count; i++)
        json_array_append_new(accesses, access_of(&lines->accesses.at[i]));
    for (size_t i = 0; i < lines->code.count; i++)
        json_array_append_new(code, code_of(&lines->code.at[i]));
    json_object_set_new(j, "not_known", text_or_null(lines->why_not));
    json_object_set_new(j, "accesses", accesses);
    json_object_set_new(j, "code", code);
    return j;
}

static json_t *carving_of(const Subject *s)
{
    if (!s->carved)
        return json_null();
    json_t *j = json_object();
    size_t by = explain_dominator(s);
    json_object_set_new(j, "survives",
                        json_boolean(s->run->carving.fates[s->config].kind == OUTCOME_SURVIVES));
    json_object_set_new(j, "why", report_why_text(s->run, s->config));
    json_object_set_new(j, "dominated_by",
                        by == SIZE_MAX ? json_null() : report_parameters(s->run, by));
    json_object_set_new(j, "its_metrics",
                        by == SIZE_MAX ? json_null() : report_metrics(s->run, by));
    return j;
}

static json_t *subject_of(Arena *a, const Subject *s)
{
    SourceLines lines = explain_gather_lines(a, s);
    json_t *j = json_object();
    json_object_set_new(j, "parameters", report_parameters(s->run, s->config));
    json_object_set_new(j, "grid", sizes(s->geometry->grid));
    json_object_set_new(j, "block", sizes(s->geometry->block));
    json_object_set_new(j, "occupancy", occupancy_of(s));
    json_object_set_new(j, "busiest_unit", text_or_null(explain_busiest(s)));
    json_object_set_new(j, "recorded", recorded_of(s));
    json_object_set_new(j, "patterns", findings_of(a, s, &lines));
    json_object_set_new(j, "lines", lines_of(&lines));
    json_object_set_new(j, "carving", carving_of(s));
    json_object_set_new(j, "metrics", report_metrics(s->run, s->config));
    json_object_set_new(j, "profile", profile_of(s));
    json_object_set_new(j, "assumed", text_or_null(s->profile->note));
    return j;
}

void explain_print_json(const Subject *s, int count, Buf *out)
{
    Arena *a = arena_new();
    json_t *j = report_object(s[0].run), *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, subject_of(a, &s[i]));
    json_object_set_new(j, "configurations", list);
    report_print_object(j, out);
    arena_free(a);
}

/* Finds a configuration by the text that a user gave. */
#include "tuner/run/run_parts.h"

static size_t find_parameter(const Spec *s, const char *name, Diag *d)
{
    const Parameter *p = NAME_FIND(s->parameters, s->parameter_count, name, name);
    if (p)
        return (size_t)(p - s->parameters);
    const char *closest = NAME_LIKE(s->parameters, s->parameter_count, name, name);
    diag_fail(d, "space '%s' has no parameter '%s'%s", s->name, name, diag_meant(d, closest));
    return SIZE_MAX;
}

/* True if the text is the value as in reports or as in the spec. */
static bool is_written(Arena *a, Value v, const char *text)
{
    SCOPED_BUF b = {0};
    value_print(v, &b);
    return strcmp(buf_text(&b), text) == 0 || strcmp(value_text(a, v), text) == 0;
}

static bool find_value(Arena *a, const Run *r, size_t p, const char *text, Value *out, Diag *d)
{
    const ValueList *all = &r->space.values[p];
    for (size_t i = 0; i < all->count; i++)
        if (is_written(a, all->at[i], text))
            return *out = all->at[i], true;
    enum { SHOWN = 12 };
    SCOPED_BUF b = {0};
    for (size_t i = 0; i < all->count && i < SHOWN; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", value_text(a, all->at[i]));
    diag_fail(d, "%s has no value '%s'; it has %s%s", r->spec->parameters[p].name, text,
              buf_text(&b), all->count > SHOWN ? " …" : "");
    return false;
}

/* Reads "BM=64 BN=64, …"; omitted parameters stay VALUE_NONE. */
static bool read_values(Arena *a, const Run *r, const char *text, Value *values, Diag *d)
{
    static const char gaps[] = " ,\t";
    for (text += strspn(text, gaps); *text; text += strspn(text, gaps)) {
        size_t size = strcspn(text, gaps);
        char *name = arena_copy(a, text, size), *equals = strchr(name, '=');
        if (!equals)
            return diag_fail(d, "'%s' is not of the form NAME=VALUE", name);
        *equals = '\0';
        size_t p = find_parameter(r->spec, name, d);
        if (p == SIZE_MAX || !find_value(a, r, p, equals + 1, &values[p], d))
            return false;
        text += size;
    }
    return true;
}

/* The configuration that has most of these values; "" if none is listed. */
static const char *most_similar(Arena *a, const Run *r, const Value *values)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < r->table->count; i++) {
        size_t same = 0;
        for (size_t p = 0; p < r->spec->parameter_count; p++)
            same +=
                values[p].kind != VALUE_NONE && value_equal(values[p], table_value(r->table, i, p));
        if (same > most) {
            best = i;
            most = same;
        }
    }
    return r->table->count > 0 ? table_name(a, r->table, best) : "";
}

/* The constraint that excludes a point; NULL: none. */
static const Constraint *excluding(Arena *a, const Run *r, const Value *values)
{
    const Spec *s = r->spec;
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    Evaluation ev = {.arena = a};
    uint64_t rank;
    if (!space_rank(&r->space, values, &rank) || !space_slots(&r->space, rank, slots, &ev))
        return NULL;
    for (size_t i = 0; i < s->constraint_count; i++) {
        Value v;
        if (!expr_eval(s->constraints[i].condition, slots, &ev, &v))
            return NULL;
        if (!value_is_true(v))
            return &s->constraints[i];
    }
    return NULL;
}

static void refuse(Arena *a, const Run *r, const char *text, const Value *values, Diag *d)
{
    const char *alike = most_similar(a, r, values);
    for (size_t p = 0; p < r->spec->parameter_count; p++) {
        if (values[p].kind != VALUE_NONE)
            continue;
        diag_fail(d, "'%s' leaves out %s: name all parameters%s%s", text,
                  r->spec->parameters[p].name, *alike ? ", for example " : "", alike);
        return;
    }
    const Constraint *c = excluding(a, r, values);
    const char *most = *alike ? "; the most similar configuration is " : "";
    if (c)
        diag_error(d, c->at, "this excludes '%s'%s%s", text, most, alike);
    else
        diag_fail(d, "the space has no configuration '%s'%s%s", text, most, alike);
}

/* The configuration with exactly this name: values may contain blanks and commas. */
static size_t find_name(Arena *a, const Run *r, const char *text)
{
    for (size_t i = 0; i < r->table->count; i++)
        if (strcmp(table_name(a, r->table, i), text) == 0)
            return i;
    return SIZE_MAX;
}

/* Finds the row of a text; SIZE_MAX if the configuration is not in the table: then `rank`
 * identifies it. False after a message. */
static bool find(const Run *r, const char *text, size_t *row, uint64_t *rank, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    size_t n = r->spec->parameter_count, given = 0;
    Value *values = ARENA_ARRAY(a, Value, n);
    bool read = read_values(a, r, text, values, DIAG_UNHEARD(a));
    for (size_t p = 0; p < n; p++) {
        /* A single value need not be named. */
        if (values[p].kind == VALUE_NONE && r->space.values[p].count == 1)
            values[p] = r->space.values[p].at[0];
        given += values[p].kind != VALUE_NONE;
    }
    bool valid =
        read && given == n && space_rank(&r->space, values, rank) && space_has(&r->space, *rank);
    *row = valid ? table_find(r->table, *rank) : SIZE_MAX;
    if (*row == SIZE_MAX && !(valid && r->space.diagram)) {
        *row = find_name(a, r, text);
        valid = *row != SIZE_MAX;
        if (!valid && read)
            refuse(a, r, text, values, d);
        else if (!valid)
            read_values(a, r, text, values, d);
    }
    return valid;
}

size_t run_find_config(const Run *r, const char *text, Diag *d)
{
    size_t row;
    uint64_t rank;
    if (find(r, text, &row, &rank, d) && row == SIZE_MAX)
        diag_fail(d, "'%s' is valid, but there are no results for it", text);
    return row;
}

size_t run_name_config(Run *r, const char *text, Diag *d)
{
    size_t row;
    uint64_t rank;
    return find(r, text, &row, &rank, d) && row == SIZE_MAX ? run_add_config(r, rank) : row;
}

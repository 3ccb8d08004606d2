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

static const char gaps[] = " ,\t"; /* between values */

/* The length of a value that the text begins with, as in reports, in the spec or bare; 0: it does not. */
static size_t written(Value v, const char *text)
{
    void (*const forms[])(Value, Buf *) = {value_print_named, value_print, value_print_bare};
    size_t longest = 0;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        SCOPED_BUF b = {0};
        forms[i](v, &b);
        const bool begins = strncmp(text, buf_text(&b), b.size) == 0 && strchr(gaps, text[b.size]);
        longest = begins && b.size > longest ? b.size : longest;
    }
    return longest;
}

/* Takes the longest value at `*text`, which then moves past it. */
static bool find_value(const Run *r, size_t p, const char **text, Value *out, Diag *d)
{
    enum { SHOWN = 12 };
    const ValueList *all = &r->space.values[p];
    size_t longest = 0;
    SCOPED_BUF b = {0};
    for (size_t i = 0; i < all->count; i++) {
        const size_t length = written(all->at[i], *text);
        if (length > longest) {
            *out = all->at[i];
            longest = length;
        }
        buf_puts(&b, i && i < SHOWN ? ", " : "");
        if (i < SHOWN)
            value_print_named(all->at[i], &b);
    }
    if (longest == 0)
        diag_fail(d, "%s has no value '%.*s'; it has %s%s", r->spec->parameters[p].name,
                  (int)strcspn(*text, gaps), *text, buf_text(&b), all->count > SHOWN ? " …" : "");
    *text += longest;
    return longest > 0;
}

/* Reads "BM=64 SHAPE='8, 4', …"; omitted parameters stay VALUE_NONE. */
static bool read_values(Arena *a, const Run *r, const char *text, Value *values, Diag *d)
{
    for (text += strspn(text, gaps); *text; text += strspn(text, gaps)) {
        const size_t name = strcspn(text, "= ,\t");
        if (text[name] != '=')
            return diag_fail(d, "'%.*s' is not of the form NAME=VALUE", (int)name, text);
        const size_t p = find_parameter(r->spec, arena_copy(a, text, name), d);
        text += name + 1;
        if (p == SIZE_MAX || !find_value(r, p, &text, &values[p], d))
            return false;
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

/* Finds the row of a text; SIZE_MAX if the configuration is not in the table: then `rank`
 * identifies it. False after a message. */
static bool find(const Run *r, const char *text, size_t *row, uint64_t *rank, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    size_t n = r->spec->parameter_count, given = 0;
    Value *values = ARENA_ARRAY(a, Value, n);
    *row = SIZE_MAX;
    if (!read_values(a, r, text, values, d))
        return false;
    space_complete(&r->space, values);
    for (size_t p = 0; p < n; p++)
        given += values[p].kind != VALUE_NONE;
    bool valid = given == n && space_rank(&r->space, values, rank) && space_has(&r->space, *rank);
    *row = valid ? table_find(r->table, *rank) : SIZE_MAX;
    valid = valid && (*row != SIZE_MAX || r->space.diagram);
    if (!valid)
        refuse(a, r, text, values, d);
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

/* Names to slots in launches, options and references, and what must fit together there. */
#include "tuner/spec/spec_build.h"

#include <string.h>

/* --- values in texts
 * ------------------------------------------------------------------------------ */

static bool bind_text(Reader *r, Text *t, Visible *v)
{
    bool ok = true;
    for (size_t i = 0; i < t->piece_count; i++) {
        Expr *e = t->pieces[i].value;
        ok = reader_bind(r, e, v) && ok;
        if (ok && e && expr_kind(e) == VALUE_LIST)
            ok = diag_error(r->d, expr_span(e), "expected one value, this is a list");
    }
    return ok;
}

static bool text_varies(const Spec *s, const Text *t)
{
    bool varies = false;
    for (size_t i = 0; i < t->piece_count; i++)
        varies = varies || spec_varies(s, t->pieces[i].value);
    return varies;
}

/* --- launches
 * ------------------------------------------------------------------------------------- */

static void bind_item(Reader *r, LaunchItem *item, Visible *v)
{
    if (item->own) {
        reader_bind_value(r, item->own, v);
        return;
    }
    Visible names = *v;
    names.arguments = true;
    if (!reader_bind(r, item->choice, &names))
        return;
    if (expr_kind(item->choice) != VALUE_STRING)
        diag_error(r->d, item->at,
                   "expected the name of an argument; a number of this launch alone is written "
                   "'n : int = …'");
}

static void bind_repeat(Reader *r, Launch *k, Visible *v)
{
    reader_bind_integer(r, k->repeat, v);
    for (size_t i = 0; i < k->repeat_value_count; i++) {
        Expr *e = k->repeat_values[i];
        if (reader_bind(r, e, v) && expr_kind(e) != VALUE_LIST && expr_kind(e) != VALUE_INT)
            diag_error(r->d, expr_span(e), "expected whole numbers, this is %s",
                       value_kind_name(expr_kind(e)));
    }
}

static bool is_declared(const Reader *r, const char *name)
{
    for (size_t i = 0; i < r->names.count; i++)
        if (strcmp(r->names.at[i].name, name) == 0)
            return true;
    return false;
}

static void bind_launch(Reader *r, Launch *k, const LaunchLines *met, Visible v, bool own_lines)
{
    bind_repeat(r, k, &v);
    if (k->repeat_name && is_declared(r, k->repeat_name))
        diag_error(r->d, k->at,
                   "'%s' is declared already; let this launch repeat under another name",
                   k->repeat_name);
    bind_text(r, &k->name, &v); /* one code serves all repeats */
    bind_text(r, &k->command_text, &v);
    v.launch = k;
    for (int i = 0; i < 3; i++) {
        reader_bind_integer(r, k->grid[i], &v);
        reader_bind_integer(r, k->block[i], &v);
    }
    reader_bind_integer(r, k->shared, &v);
    for (size_t i = 0; i < k->item_count; i++)
        bind_item(r, &k->items[i], &v);
    const char *how = own_lines ? "add a line such as" : "put behind it";
    if (!met->block)
        diag_error(r->d, k->at, "%s has no block; %s 'block 16, 16'", k->entry, how);
    if (!met->grid)
        diag_error(r->d, k->at, "%s has no grid; %s 'grid ceil_div(N, 16)'", k->entry, how);
}

void reader_bind_launches(Reader *r)
{
    for (size_t i = 0; i < r->spec->launch_count; i++)
        bind_launch(r, &r->spec->launches[i], &r->launch_lines.at[i], reader_see_all(r), true);
}

void reader_bind_options(Reader *r)
{
    Visible all = reader_see_all(r);
    for (size_t i = 0; i < r->spec->option_count; i++) {
        CompileOption *o = &r->spec->option_parts[i];
        if (!bind_text(r, &o->text, &all) ||
            !reader_bind_condition(r, o->condition, &all, "what stands behind 'if'"))
            continue;
        o->varies = o->condition || text_varies(r->spec, &o->text);
    }
}

/* --- references
 * ----------------------------------------------------------------------------------- */

typedef struct Uses {
    const Spec *spec;
    bool *arguments;
} Uses;

static void note_use(void *context, int slot)
{
    const Uses *u = context;
    size_t first = spec_argument_slot(u->spec, 0), n = (size_t)slot;
    if (n >= first)
        u->arguments[n - first] = true;
}

/* There is one reference, and one rival, for all configurations: what `who` is given must not
 * depend on them. */
static void check_fixed_arguments(Reader *r, const Launch *k, const char *who)
{
    const Spec *s = r->spec;
    Uses u = {s, ARENA_ARRAY(r->a, bool, s->argument_count)};
    for (size_t i = 0; i < s->argument_count && !k->has_items; i++)
        u.arguments[i] = true;
    for (size_t i = 0; i < k->item_count; i++)
        if (k->items[i].choice)
            expr_visit_names(k->items[i].choice, note_use, &u);
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        if (u.arguments[i] && g->role == ARGUMENT_SCALAR && spec_varies(s, g->value))
            diag_error(
                r->d, k->at,
                "the %s takes '%s', which depends on parameters; say with 'args' what it takes",
                who, g->name);
    }
}

void reader_bind_references(Reader *r)
{
    Spec *s = r->spec;
    size_t before = r->d->errors;
    for (size_t i = 0; i < s->reference_count; i++) {
        bind_launch(r, &s->reference[i], &r->reference_lines.at[i], reader_see_problem(r), false);
        if (r->d->errors == before)
            check_fixed_arguments(r, &s->reference[i], "reference");
        if (s->reference[i].in_double != s->reference[0].in_double)
            diag_error(r->d, s->reference[i].at,
                       "all kernels of the reference compute in double precision, or none does");
    }
    if (s->reference && s->reference_first)
        diag_error(r->d, r->reference_first_at, "there is a reference already");
}

bool spec_is_verified(const Spec *s)
{
    bool expected = s->reference || s->reference_first;
    for (size_t i = 0; i < s->argument_count; i++)
        expected = expected || s->arguments[i].expected;
    return expected;
}

/* A rival's library knows buffers and numbers. */
static void check_rival_items(Reader *r, const Launch *k)
{
    const Spec *s = r->spec;
    Uses u = {s, ARENA_ARRAY(r->a, bool, s->argument_count)};
    for (size_t i = 0; i < k->item_count; i++)
        if (k->items[i].choice)
            expr_visit_names(k->items[i].choice, note_use, &u);
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        bool fits = g->role != ARGUMENT_TEXTURE && g->role != ARGUMENT_CONSTANT;
        if (u.arguments[i] && (!fits || (g->role == ARGUMENT_SCALAR && g->element.lanes > 1)))
            diag_error(r->d, k->at, "a rival takes buffers and single numbers; '%s' is neither",
                       g->name);
    }
}

void reader_bind_rivals(Reader *r)
{
    Visible fixed = reader_see_problem(r);
    for (size_t i = 0; i < r->spec->rival_count; i++) {
        Launch *k = &r->spec->rivals[i].takes;
        size_t before = r->d->errors;
        for (size_t n = 0; n < k->item_count; n++)
            bind_item(r, &k->items[n], &fixed);
        if (r->d->errors > before)
            continue;
        check_fixed_arguments(r, k, "rival");
        check_rival_items(r, k);
    }
}

/* --- parameters as template arguments
 * --------------------------------------------------------------- */

typedef struct Sought {
    size_t slot;
    bool found;
} Sought;

static void note_slot(void *context, int slot)
{
    Sought *s = context;
    s->found = s->found || (size_t)slot == s->slot;
}

bool spec_parameter_is_macro(const Spec *s, size_t parameter)
{
    const char *name = s->parameters[parameter].name;
    Sought sought = {spec_parameter_slot(s, parameter), false};
    for (size_t l = 0; l < s->launch_count; l++) {
        const Text *t = &s->launches[l].name;
        for (size_t i = 0; i < t->piece_count; i++) {
            const Expr *e = t->pieces[i].value;
            if (e && expr_span(e).length == strlen(name))
                expr_visit_names(e, note_slot, &sought);
        }
    }
    return !sought.found;
}

/* Names to slots in arguments and their contents, in comparisons and in amounts of work. */
#include "tuner/spec/spec_build.h"

#include <string.h>

/* --- contents
 * --------------------------------------------------------------------------------------- */

static bool is_buffer(const Argument *g)
{
    return g->role != ARGUMENT_SCALAR && g->role != ARGUMENT_TEXTURE;
}

/* The buffer that contents are taken from; `own` is the argument they are of. */
static void bind_source(Reader *r, Contents *c, size_t own)
{
    const Spec *s = r->spec;
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        if (strcmp(g->name, c->from) != 0)
            continue;
        c->from_argument = i;
        if (!is_buffer(g) || argument_is_mixed(g))
            diag_error(r->d, c->at, "'%s' is no buffer%s", c->from,
                       is_buffer(g) ? " of numbers of one type" : "");
        else if (i >= own)
            diag_error(r->d, c->at, "'%s' is declared further down; move this line below it",
                       c->from);
        else if (g->contents.kind == CONTENTS_UNDEFINED || g->contents.kind == CONTENTS_KEPT)
            diag_error(r->d, c->at, "'%s' has no contents to copy", c->from);
        return;
    }
    diag_error(r->d, c->at, "there is no buffer '%s'", c->from);
}

/* A number, or true or false, which are 1 and 0. */
static void bind_formula(Reader *r, Expr *e, Visible *v)
{
    if (!reader_bind(r, e, v))
        return;
    ValueKind k = expr_kind(e);
    if (k == VALUE_STRING || k == VALUE_LIST)
        diag_error(r->d, expr_span(e), "an element is a number, this is %s", value_kind_name(k));
}

static void bind_contents(Reader *r, Contents *c, const Argument *g, size_t own)
{
    while (c->kind == CONTENTS_SORTED)
        c = c->inner;
    Visible fixed = reader_see_problem(r);
    if (argument_is_mixed(g) && c->kind != CONTENTS_ZERO && c->kind != CONTENTS_UNDEFINED &&
        c->kind != CONTENTS_KEPT && c->kind != CONTENTS_FORMULA && c->kind != CONTENTS_FILE)
        diag_error(r->d, c->at,
                   "'%s' has members of several types: formula(…) with `lane` as the member's "
                   "number, file(…) or zero",
                   g->name);
    bool (*bind)(Reader *, Expr *, Visible *) =
        task_scalar_is_float(g->element.scalar) ? reader_bind_number : reader_bind_integer;
    switch (c->kind) {
    case CONTENTS_FORMULA:
        fixed.index = true;
        bind_formula(r, c->numbers[0], &fixed);
        return;
    case CONTENTS_NORMAL:
        bind = reader_bind_number;
        break;
    case CONTENTS_LANE:
        reader_bind_integer(r, c->numbers[0], &fixed);
        break;
    default:
        break;
    }
    if (c->from)
        bind_source(r, c, own);
    for (int i = 0; i < 2 && c->kind != CONTENTS_LANE; i++)
        bind(r, c->numbers[i], &fixed);
    reader_bind_integer(r, c->numbers[2], &fixed);
}

/* --- arguments
 * -------------------------------------------------------------------------------------- */

void reader_bind_value(Reader *r, const Argument *g, Visible *v)
{
    if (!g->value)
        return;
    if (argument_numbers(g) > 1) {
        if (!reader_bind(r, g->value, v) || expr_kind(g->value) == VALUE_LIST)
            return;
    }
    if (task_scalar_is_float(g->element.scalar))
        reader_bind_number(r, g->value, v);
    else
        reader_bind_integer(r, g->value, v);
}

void reader_bind_arguments(Reader *r)
{
    Visible all = reader_see_all(r), fixed = reader_see_problem(r);
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        Argument *g = &r->spec->arguments[i];
        reader_bind_integer(r, g->count, &all);
        reader_bind_value(r, g, &all);
        for (int k = 0; k < TEXTURE_DIMENSIONS; k++)
            reader_bind_integer(r, g->size[k], &fixed);
        bind_contents(r, &g->contents, g, i);
    }
}

/* --- what is said of outputs
 * ------------------------------------------------------------------------ */

static Argument *find_output(Reader *r, const Promise *p)
{
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        Argument *g = &r->spec->arguments[i];
        if (strcmp(g->name, p->name) != 0)
            continue;
        if (g->role == ARGUMENT_OUT || g->role == ARGUMENT_INOUT)
            return g;
        diag_error(r->d, p->at, "'%s' is no output", p->name);
        return NULL;
    }
    diag_error(r->d, p->at, "there is no output '%s'", p->name);
    return NULL;
}

static void keep_comparison(Reader *r, const Promise *p, Argument *g)
{
    if (g->comparison.at.source) {
        diag_error(r->d, p->comparison.at, "there is a compare line for '%s' already", p->name);
        return;
    }
    g->comparison = p->comparison;
    Visible all = reader_see_all(r);
    reader_bind_integer(r, g->comparison.first, &all);
    Visible fixed = reader_see_problem(r);
    reader_bind_integer(r, g->comparison.except, &fixed);
    if (g->comparison.sum && (g->comparison.except || g->element.lanes > 4))
        diag_error(r->d, g->comparison.at, "%s",
                   g->comparison.except ? "of sums no element can be excepted"
                                        : "sums are of elements of at most 4 numbers");
}

static void keep_expected(Reader *r, const Promise *p, Argument *g)
{
    if (g->expected)
        diag_error(r->d, p->at, "it is said already what '%s' must be", p->name);
    else if (r->spec->reference_first)
        diag_error(r->d, p->at, "the first configuration is the reference of all outputs");
    g->expected = p->expected;
    bind_contents(r, g->expected, g, r->spec->argument_count);
}

void reader_keep_promises(Reader *r)
{
    for (size_t i = 0; i < r->promises.count; i++) {
        const Promise *p = &r->promises.at[i];
        Argument *g = find_output(r, p);
        if (g && p->expected)
            keep_expected(r, p, g);
        else if (g)
            keep_comparison(r, p, g);
    }
}

/* --- work
 * ------------------------------------------------------------------------------------------- */

void reader_bind_work(Reader *r)
{
    static const char *const names[] = {"time", "flop", "bytes", "items"};
    Spec *s = r->spec;
    Visible all = reader_see_all(r);
    Expr *work[] = {NULL, s->work_flop, s->work_bytes, s->work_items};
    for (int i = 1; i < 4; i++)
        reader_bind_number(r, work[i], &all);
    reader_bind_number(r, s->scale, &all);
    bool weighed = s->objective != OBJECTIVE_TIME && s->objective != OBJECTIVE_ENERGY;
    if (weighed && !work[s->objective])
        diag_error(r->d, r->objective_at, "a work line has to say how much: 'work %s = …'",
                   names[s->objective]);
}

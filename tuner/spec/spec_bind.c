/* Names to slots, and what must fit together in a spec. */
#include "tuner/spec/spec_build.h"

#include <string.h>

/* --- declaring ---------------------------------------------------------------------------- */

bool reader_declare(Reader *r, const char *name, Span at)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "true", "false"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(reserved[i], name) == 0)
            return diag_error(r->d, at, "'%s' is a word of the language", name);
    for (size_t i = 0; i < r->names.count; i++)
        if (strcmp(r->names.at[i], name) == 0)
            return diag_error(r->d, at, "there is a '%s' already", name);
    VEC_PUSH(r->a, &r->names, name);
    return true;
}

void reader_order(Reader *r, DeclaredKind kind, size_t index)
{
    VEC_PUSH(r->a, &r->order, ((Declared){kind, index}));
}

bool reader_same_problem_names(const Reader *r, const char *const *names, size_t count)
{
    if (count != r->spec->problem_name_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], r->spec->problem_names[i]) != 0)
            return false;
    return true;
}

/* --- slots -------------------------------------------------------------------------------- */

size_t spec_slot_count(const Spec *s)
{
    return s->problem_name_count + s->parameter_count + s->derived_count;
}

size_t spec_parameter_slot(const Spec *s, size_t parameter)
{
    return s->problem_name_count + parameter;
}

size_t spec_derived_slot(const Spec *s, size_t derived)
{
    return s->problem_name_count + s->parameter_count + derived;
}

void spec_set_problem(const Spec *s, size_t problem, Value *slots)
{
    for (size_t i = 0; i < s->problem_name_count; i++)
        slots[i] = s->problems[problem].values[i];
}

/* --- binding ------------------------------------------------------------------------------ */

/* What an expression may use: everything, or only what is declared before it. */
typedef struct Visible {
    const Spec *spec;
    size_t problem_names; /* how many of each may be used */
    size_t parameters;
    size_t derived;
} Visible;

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    const Visible *v = context;
    const Spec *s = v->spec;
    bool later = false;
    for (size_t i = 0; i < s->problem_name_count; i++) {
        if (strcmp(s->problem_names[i], name) != 0)
            continue;
        *slot = (int)i;
        *kind = i < v->problem_names ? s->problems[0].values[i].kind : VALUE_NONE;
        later = i >= v->problem_names;
        if (!later)
            return true;
    }
    for (size_t i = 0; i < s->parameter_count; i++) {
        if (strcmp(s->parameters[i].name, name) != 0)
            continue;
        *slot = (int)spec_parameter_slot(s, i);
        *kind = s->parameters[i].kind;
        later = i >= v->parameters;
        if (!later)
            return true;
    }
    for (size_t i = 0; i < s->derived_count; i++) {
        if (strcmp(s->derived[i].name, name) != 0)
            continue;
        *slot = (int)spec_derived_slot(s, i);
        *kind = expr_kind(s->derived[i].value);
        later = i >= v->derived;
        if (!later)
            return true;
    }
    if (later)
        *reason = "is declared further down; move this line below it";
    return false;
}

static size_t list_names(void *context, const char **out, size_t room)
{
    const Visible *v = context;
    size_t n = 0;
    for (size_t i = 0; i < v->problem_names && n < room; i++)
        out[n++] = v->spec->problem_names[i];
    for (size_t i = 0; i < v->parameters && n < room; i++)
        out[n++] = v->spec->parameters[i].name;
    for (size_t i = 0; i < v->derived && n < room; i++)
        out[n++] = v->spec->derived[i].name;
    return n;
}

static Scope scope_of(Visible *v)
{
    return (Scope){.context = v, .find = find_name, .names = list_names};
}

/* Binds an expression that must give a number; NULL is fine. */
static bool bind_number(Reader *r, Expr *e, const Scope *s)
{
    if (!e || !expr_bind(e, s, r->d))
        return !e;
    ValueKind k = expr_kind(e);
    return k == VALUE_INT || k == VALUE_REAL ||
           diag_error(r->d, expr_span(e), "expected a number, this is %s", value_kind_name(k));
}

static bool bind_integer(Reader *r, Expr *e, const Scope *s)
{
    if (!bind_number(r, e, s))
        return false;
    return !e || expr_kind(e) == VALUE_INT ||
           diag_error(r->d, expr_span(e), "expected a whole number, this is %s",
                      value_kind_name(expr_kind(e)));
}

/* --- problems ----------------------------------------------------------------------------- */

static bool evaluate_problem_value(Reader *r, Problem *p, size_t i)
{
    Visible v = {.spec = r->spec, .problem_names = i};
    Scope s = scope_of(&v);
    if (!bind_number(r, p->exprs[i], &s))
        return false;
    Evaluation ev = {.arena = r->a};
    if (!expr_eval(p->exprs[i], p->values, &ev, &p->values[i]))
        return diag_error(r->d, ev.error_at, "%s", ev.error);
    return true;
}

static bool finish_problem(Reader *r, Problem *p)
{
    size_t n = r->spec->problem_name_count;
    p->values = ARENA_ARRAY(r->a, Value, n);
    Buf text = {0};
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        ok = evaluate_problem_value(r, p, i);
        buf_printf(&text, "%s%s=", i ? " " : "", r->spec->problem_names[i]);
        value_print_bare(p->values[i], &text);
    }
    p->text = arena_string(r->a, buf_text(&text));
    buf_free(&text);
    return ok;
}

static bool finish_problems(Reader *r)
{
    if (r->problems.count == 0)
        VEC_PUSH(r->a, &r->problems, ((Problem){.text = ""}));
    r->spec->problems = r->problems.at;
    r->spec->problem_count = r->problems.count;
    bool ok = true;
    for (size_t i = 0; i < r->problems.count; i++)
        ok = finish_problem(r, &r->spec->problems[i]) && ok;
    return ok;
}

/* --- parameters and derived names ----------------------------------------------------------- */

static void note_dependence(void *context, int slot)
{
    const Reader *r = ((void **)context)[0];
    bool *dependent = ((void **)context)[1];
    if ((size_t)slot >= r->spec->problem_name_count)
        *dependent = true;
}

static bool finish_parameter(Reader *r, size_t index, Visible *v)
{
    Parameter *p = &r->spec->parameters[index];
    Scope s = scope_of(v);
    void *context[2] = {r, &p->dependent};
    for (size_t i = 0; i < p->item_count; i++) {
        if (!expr_bind(p->items[i], &s, r->d))
            return false;
        expr_visit_names(p->items[i], note_dependence, context);
    }
    ValueList values;
    if (!spec_parameter_values(r->a, r->spec, index, 0, &values, r->d))
        return false;
    p->kind = values.at[0].kind;
    return true;
}

/* In the order of the file, so that each may use what stands before it. */
static bool finish_declared(Reader *r)
{
    Visible v = {.spec = r->spec, .problem_names = r->spec->problem_name_count};
    bool ok = true;
    for (size_t i = 0; i < r->order.count; i++) {
        Declared n = r->order.at[i];
        if (n.kind == DECLARED_PARAMETER) {
            bool fine = finish_parameter(r, n.index, &v);
            if (!fine) /* uses of it further down deserve no messages of their own */
                r->spec->parameters[n.index].kind = VALUE_INT;
            v.parameters++;
            ok = fine && ok;
        } else {
            Scope s = scope_of(&v);
            ok = expr_bind(r->spec->derived[n.index].value, &s, r->d) && ok;
            v.derived++;
        }
    }
    return ok;
}

/* --- the rest ------------------------------------------------------------------------------- */

static void bind_launch(Reader *r, Launch *k, const Scope *s, bool tuned)
{
    for (int i = 0; i < 3; i++) {
        bind_integer(r, k->grid[i], s);
        bind_integer(r, k->block[i], s);
    }
    bind_integer(r, k->shared, s);
    if (!k->block[0])
        diag_error(r->d, k->at, "%s has no block: add '%s'", k->entry,
                   tuned ? "block X, Y, Z" : "block 16, 16");
    if (!k->grid[0])
        diag_error(r->d, k->at, "%s has no grid: add '%s'", k->entry,
                   tuned ? "grid X, Y, Z" : "grid ceil_div(N, 16), …");
}

static void bind_argument(Reader *r, Argument *g, const Scope *s)
{
    bind_integer(r, g->count, s);
    bind_number(r, g->value, s);
    for (int i = 0; i < 3; i++)
        bind_number(r, g->contents.numbers[i], s);
}

static void bind_constraint(Reader *r, Constraint *c, const Scope *s)
{
    if (!expr_bind(c->condition, s, r->d))
        return;
    ValueKind k = expr_kind(c->condition);
    if (k == VALUE_STRING || k == VALUE_LIST)
        diag_error(r->d, c->at, "a constraint is true or false, this is %s", value_kind_name(k));
}

static void check_whole(Reader *r)
{
    Spec *s = r->spec;
    Span start = {s->source, 0, 0};
    if (s->launch_count == 0)
        diag_error(r->d, start, "no kernel: add a line such as 'kernel \"file.cu\" name'");
    if (s->parameter_count == 0)
        diag_error(r->d, start, "no parameters: there is nothing to tune");
    bool output = false;
    for (size_t i = 0; i < s->argument_count; i++)
        output = output || s->arguments[i].role == ARGUMENT_OUT ||
                 s->arguments[i].role == ARGUMENT_INOUT;
    if (s->reference && !output)
        diag_error(r->d, s->reference->at, "there is a reference but no output to compare");
}

void reader_finish(Reader *r)
{
    Spec *s = r->spec;
    s->parameters = r->parameters.at;
    s->parameter_count = r->parameters.count;
    s->derived = r->derived.at;
    s->derived_count = r->derived.count;
    s->constraints = r->constraints.at;
    s->constraint_count = r->constraints.count;
    s->arguments = r->arguments.at;
    s->argument_count = r->arguments.count;
    s->launches = r->launches.at;
    s->launch_count = r->launches.count;
    s->options = r->options.at;
    s->option_count = r->options.count;
    s->metric_lines = r->metric_lines.at;
    s->metric_line_count = r->metric_lines.count;
    s->carving = r->carving.at;
    s->carving_count = r->carving.count;

    if (!finish_problems(r) || !finish_declared(r))
        return;
    Visible all = {s, s->problem_name_count, s->parameter_count, s->derived_count};
    Scope scope = scope_of(&all);
    Visible sizes = {.spec = s, .problem_names = s->problem_name_count};
    Scope fixed = scope_of(&sizes);
    for (size_t i = 0; i < s->constraint_count; i++)
        bind_constraint(r, &s->constraints[i], &scope);
    for (size_t i = 0; i < s->argument_count; i++)
        bind_argument(r, &s->arguments[i], &fixed);
    for (size_t i = 0; i < s->launch_count; i++)
        bind_launch(r, &s->launches[i], &scope, true);
    if (s->reference)
        bind_launch(r, s->reference, &fixed, false);
    bind_number(r, s->work_flop, &fixed);
    bind_number(r, s->work_bytes, &fixed);
    check_whole(r);
}

/* Names to slots, and what must fit together in a spec. */
#include "tuner/spec/spec_build.h"

#include <string.h>

/* --- declaring ---------------------------------------------------------------------------- */

static Taken *find_taken(const Reader *r, const char *name)
{
    for (size_t i = 0; i < r->names.count; i++)
        if (strcmp(r->names.at[i].name, name) == 0)
            return &r->names.at[i];
    return NULL;
}

bool reader_declare(Reader *r, const char *name, Span at)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "true", "false"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(reserved[i], name) == 0)
            return diag_error(r->d, at, "'%s' is a word of the language", name);
    const Taken *before = find_taken(r, name);
    if (before) {
        size_t line, column;
        source_position(before->at.source, before->at.offset, &line, &column);
        return diag_error(r->d, at, "'%s' is declared already, in line %zu", name, line);
    }
    if (r->names.count >= NAME_LIMIT)
        return diag_error(r->d, at, "more than %d names", NAME_LIMIT);
    VEC_PUSH(r->a, &r->names, ((Taken){name, at, true}));
    return true;
}

void reader_mend(Reader *r, const char *name)
{
    find_taken(r, name)->broken = false;
}

void reader_break(Reader *r, const char *name)
{
    find_taken(r, name)->broken = true;
}

bool reader_is_broken(const Reader *r, const char *name)
{
    const Taken *t = find_taken(r, name);
    return t ? t->broken : r->problem_broken;
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
    const Reader *reader;
    const char *declaring; /* the name it is the declaration of, or NULL */
    bool fixed;            /* it must not change from configuration to configuration */
    size_t problem_names;  /* how many of each may be used */
    size_t parameters;
    size_t derived;
} Visible;

/* The slot of a name, visible or not; false when there is none. */
static bool find_slot(const Spec *s, const char *name, size_t *slot)
{
    *slot = 0;
    for (size_t i = 0; i < s->problem_name_count; i++, ++*slot)
        if (strcmp(s->problem_names[i], name) == 0)
            return true;
    for (size_t i = 0; i < s->parameter_count; i++, ++*slot)
        if (strcmp(s->parameters[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < s->derived_count; i++, ++*slot)
        if (strcmp(s->derived[i].name, name) == 0)
            return true;
    return false;
}

static ValueKind kind_of_slot(const Spec *s, size_t slot)
{
    if (slot < spec_parameter_slot(s, 0))
        return s->problems[0].values[slot].kind;
    if (slot < spec_derived_slot(s, 0))
        return s->parameters[slot - spec_parameter_slot(s, 0)].kind;
    return expr_kind(s->derived[slot - spec_derived_slot(s, 0)].value);
}

static bool is_visible(const Visible *v, const Spec *s, size_t slot)
{
    if (slot < spec_parameter_slot(s, 0))
        return slot < v->problem_names;
    if (slot < spec_derived_slot(s, 0))
        return slot - spec_parameter_slot(s, 0) < v->parameters;
    return slot - spec_derived_slot(s, 0) < v->derived;
}

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    const Visible *v = context;
    const Spec *s = v->reader->spec;
    size_t at;
    bool known = find_slot(s, name, &at);
    if (v->declaring && strcmp(name, v->declaring) == 0)
        *reason = "is used in its own declaration";
    else if (reader_is_broken(v->reader, name))
        *reason = "";
    else if (known && !is_visible(v, s, at))
        *reason = v->fixed ? "changes from configuration to configuration; here only problem names "
                             "and numbers can stand"
                           : "is declared further down; move this line below it";
    if (!known || *reason)
        return false;
    *slot = (int)at;
    *kind = kind_of_slot(s, at);
    return true;
}

static size_t list_names(void *context, const char **out, size_t room)
{
    const Visible *v = context;
    const Spec *s = v->reader->spec;
    size_t n = 0;
    for (size_t i = 0; i < v->problem_names && n < room; i++)
        out[n++] = s->problem_names[i];
    for (size_t i = 0; i < v->parameters && n < room; i++)
        out[n++] = s->parameters[i].name;
    for (size_t i = 0; i < v->derived && n < room; i++)
        out[n++] = s->derived[i].name;
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
           diag_error(r->d, expr_span(e), "expected a whole number, this is a real one");
}

/* --- problems ----------------------------------------------------------------------------- */

static bool evaluate_problem_value(Reader *r, Problem *p, size_t i)
{
    Visible v = {
        .reader = r, .declaring = r->spec->problem_names[i], .fixed = true, .problem_names = i};
    Scope s = scope_of(&v);
    if (!bind_number(r, p->exprs[i], &s))
        return false;
    Evaluation ev = {.arena = r->a};
    if (!expr_eval(p->exprs[i], p->values, &ev, &p->values[i]))
        return diag_error(r->d, ev.error_at, "%s", ev.error);
    ValueKind first = r->spec->problems[0].values[i].kind;
    return p->values[i].kind == first ||
           diag_error(r->d, expr_span(p->exprs[i]),
                      "'%s' is %s in the first problem, here it is %s", r->spec->problem_names[i],
                      value_kind_name(first), value_kind_name(p->values[i].kind));
}

static void finish_problem(Reader *r, Problem *p)
{
    size_t n = r->spec->problem_name_count;
    p->values = ARENA_ARRAY(r->a, Value, n);
    Buf text = {0};
    for (size_t i = 0; i < n; i++) {
        const char *name = r->spec->problem_names[i];
        if (reader_is_broken(r, name) || !evaluate_problem_value(r, p, i))
            reader_break(r, name);
        buf_printf(&text, "%s%s=", i ? " " : "", name);
        value_print_bare(p->values[i], &text);
    }
    p->text = arena_string(r->a, buf_text(&text));
    buf_free(&text);
}

static void finish_problems(Reader *r)
{
    if (r->problems.count == 0)
        VEC_PUSH(r->a, &r->problems, ((Problem){.text = ""}));
    r->spec->problems = r->problems.at;
    r->spec->problem_count = r->problems.count;
    for (size_t i = 0; i < r->problems.count; i++)
        finish_problem(r, &r->spec->problems[i]);
}

/* --- parameters and derived names ----------------------------------------------------------- */

static void note_dependence(void *context, int slot)
{
    const Reader *r = ((void **)context)[0];
    bool *dependent = ((void **)context)[1];
    if ((size_t)slot >= r->spec->problem_name_count)
        *dependent = true;
}

static bool finish_parameter(Reader *r, size_t index, const Scope *s)
{
    Parameter *p = &r->spec->parameters[index];
    void *context[2] = {r, &p->dependent};
    for (size_t i = 0; i < p->item_count; i++) {
        if (!expr_bind(p->items[i], s, r->d))
            return false;
        expr_visit_names(p->items[i], note_dependence, context);
    }
    if (!spec_parameter_values(r->a, r->spec, index, 0, &p->values, r->d))
        return false;
    p->kind = p->values.at[0].kind;
    return true;
}

static bool finish_derived(Reader *r, const Derived *v, const Scope *s)
{
    if (!expr_bind(v->value, s, r->d))
        return false;
    return expr_kind(v->value) != VALUE_LIST ||
           diag_error(r->d, expr_span(v->value),
                      "a derived name is one value, this is a list; write it where it is used");
}

/* In the order of the file, so that each may use what stands before it. */
static void finish_declared(Reader *r)
{
    Spec *s = r->spec;
    Visible v = {.reader = r, .problem_names = s->problem_name_count};
    Scope scope = scope_of(&v);
    for (size_t i = 0; i < r->order.count; i++) {
        Declared n = r->order.at[i];
        bool parameter = n.kind == DECLARED_PARAMETER;
        v.declaring = parameter ? s->parameters[n.index].name : s->derived[n.index].name;
        bool fine = parameter ? finish_parameter(r, n.index, &scope)
                              : finish_derived(r, &s->derived[n.index], &scope);
        if (!fine)
            reader_break(r, v.declaring);
        v.parameters += parameter;
        v.derived += !parameter;
    }
}

/* --- the rest ------------------------------------------------------------------------------- */

static void bind_launch(Reader *r, Launch *k, const LaunchLines *met, const Scope *s)
{
    for (int i = 0; i < 3; i++) {
        bind_integer(r, k->grid[i], s);
        bind_integer(r, k->block[i], s);
    }
    bind_integer(r, k->shared, s);
    bool own_lines = k != r->spec->reference;
    const char *how = own_lines ? "add a line such as" : "put behind it";
    if (!met->block)
        diag_error(r->d, k->at, "%s has no block; %s 'block 16, 16'", k->entry, how);
    if (!met->grid)
        diag_error(r->d, k->at, "%s has no grid; %s 'grid ceil_div(N, 16)'", k->entry, how);
}

static void bind_argument(Reader *r, Argument *g, const Scope *s)
{
    bool (*bind)(Reader *, Expr *, const Scope *) =
        task_scalar_is_float(g->element.scalar) ? bind_number : bind_integer;
    bind_integer(r, g->count, s);
    bind(r, g->value, s);
    for (int i = 0; i < 2; i++)
        bind(r, g->contents.numbers[i], s);
    bind_integer(r, g->contents.numbers[2], s);
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
    if (!r->kernel_met)
        diag_error(r->d, start, "no kernel: add a line such as 'kernel \"file.cu\" name'");
    if (!r->param_met)
        diag_error(r->d, start, "no parameters: there is nothing to tune");
    if (s->reference && !r->output_met)
        diag_error(r->d, s->reference->at,
                   "there is a reference but no output to compare; add an 'out' or 'inout' line");
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

    finish_problems(r);
    finish_declared(r);
    Visible all = {.reader = r,
                   .problem_names = s->problem_name_count,
                   .parameters = s->parameter_count,
                   .derived = s->derived_count};
    Scope scope = scope_of(&all);
    Visible sizes = {.reader = r, .fixed = true, .problem_names = s->problem_name_count};
    Scope fixed = scope_of(&sizes);
    for (size_t i = 0; i < s->constraint_count; i++)
        bind_constraint(r, &s->constraints[i], &scope);
    for (size_t i = 0; i < s->argument_count; i++)
        bind_argument(r, &s->arguments[i], &fixed);
    for (size_t i = 0; i < s->launch_count; i++)
        bind_launch(r, &s->launches[i], &r->launch_lines.at[i], &scope);
    if (r->reference_named)
        bind_launch(r, s->reference, &r->reference_lines, &fixed);
    bind_number(r, s->work_flop, &fixed);
    bind_number(r, s->work_bytes, &fixed);
    check_whole(r);
}

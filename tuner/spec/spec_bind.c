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

/* Slots of names that stand in one place begin here. */
static size_t first_extra_slot(const Spec *s)
{
    return s->problem_name_count + s->parameter_count + s->derived_count;
}

/* Launch `i`, references counted behind the kernels. */
static size_t repeat_slot(const Spec *s, size_t i)
{
    return first_extra_slot(s) + i;
}

size_t spec_index_slot(const Spec *s)
{
    return repeat_slot(s, s->launch_count + s->reference_count);
}

size_t spec_argument_slot(const Spec *s, size_t argument)
{
    return spec_index_slot(s) + 2 + argument;
}

size_t spec_slot_count(const Spec *s)
{
    return spec_argument_slot(s, s->argument_count);
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

void spec_set_arguments(const Spec *s, Value *slots)
{
    for (size_t i = 0; i < s->argument_count; i++)
        slots[spec_argument_slot(s, i)] = value_string(s->arguments[i].name);
}

/* --- binding ------------------------------------------------------------------------------ */

Visible reader_see_all(const Reader *r)
{
    const Spec *s = r->spec;
    return (Visible){.reader = r,
                     .problem_names = s->problem_name_count,
                     .parameters = s->parameter_count,
                     .derived = s->derived_count};
}

Visible reader_see_problem(const Reader *r)
{
    return (Visible){.reader = r, .fixed = true, .problem_names = r->spec->problem_name_count};
}

/* A name that can stand only here. */
static bool find_local(const Visible *v, const char *name, int *slot, ValueKind *kind)
{
    const Spec *s = v->reader->spec;
    *kind = VALUE_INT;
    if (v->launch && v->launch->repeat_name && strcmp(name, v->launch->repeat_name) == 0) {
        *slot = (int)v->launch->repeat_slot;
        return true;
    }
    if (v->index && (strcmp(name, "i") == 0 || strcmp(name, "lane") == 0)) {
        *slot = (int)spec_index_slot(s) + (*name == 'l');
        return true;
    }
    for (size_t i = 0; v->arguments && i < s->argument_count; i++) {
        if (strcmp(name, s->arguments[i].name) != 0)
            continue;
        *slot = (int)spec_argument_slot(s, i);
        *kind = VALUE_STRING;
        return true;
    }
    return false;
}

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
    if (find_local(v, name, slot, kind))
        return true;
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
    for (size_t i = 0; v->arguments && i < s->argument_count && n < room; i++)
        out[n++] = s->arguments[i].name;
    return n;
}

static Scope scope_of(Visible *v)
{
    return (Scope){.context = v, .find = find_name, .names = list_names};
}

bool reader_bind(Reader *r, Expr *e, Visible *v)
{
    Scope s = scope_of(v);
    return !e || expr_bind(e, &s, r->d);
}

bool reader_bind_number(Reader *r, Expr *e, Visible *v)
{
    if (!e || !reader_bind(r, e, v))
        return !e;
    ValueKind k = expr_kind(e);
    return k == VALUE_INT || k == VALUE_REAL ||
           diag_error(r->d, expr_span(e), "expected a number, this is %s", value_kind_name(k));
}

bool reader_bind_integer(Reader *r, Expr *e, Visible *v)
{
    if (!reader_bind_number(r, e, v))
        return false;
    return !e || expr_kind(e) == VALUE_INT ||
           diag_error(r->d, expr_span(e), "expected a whole number, this is a real one");
}

bool reader_bind_condition(Reader *r, Expr *e, Visible *v, const char *what)
{
    if (!e || !reader_bind(r, e, v))
        return !e;
    ValueKind k = expr_kind(e);
    return (k != VALUE_STRING && k != VALUE_LIST) ||
           diag_error(r->d, expr_span(e), "%s is true or false, this is %s", what,
                      value_kind_name(k));
}

/* --- problems ----------------------------------------------------------------------------- */

static bool evaluate_problem_value(Reader *r, Problem *p, size_t i)
{
    Visible v = {
        .reader = r, .declaring = r->spec->problem_names[i], .fixed = true, .problem_names = i};
    if (!reader_bind_number(r, p->exprs[i], &v))
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

typedef struct Dependence {
    const Spec *spec;
    bool found;
} Dependence;

static void note_dependence(void *context, int slot)
{
    Dependence *d = context;
    size_t n = (size_t)slot;
    d->found = d->found || (n >= d->spec->problem_name_count && n < first_extra_slot(d->spec));
}

bool spec_varies(const Spec *s, const Expr *e)
{
    Dependence d = {s, false};
    if (e)
        expr_visit_names(e, note_dependence, &d);
    return d.found;
}

static bool finish_parameter(Reader *r, size_t index, const Scope *s)
{
    Parameter *p = &r->spec->parameters[index];
    for (size_t i = 0; i < p->item_count; i++) {
        if (!expr_bind(p->items[i], s, r->d))
            return false;
        p->dependent = p->dependent || spec_varies(r->spec, p->items[i]);
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

static void check_whole(Reader *r)
{
    Spec *s = r->spec;
    Span start = {s->source, 0, 0};
    if (!r->kernel_met)
        diag_error(r->d, start, "no kernel: add a line such as 'kernel \"file.cu\" name'");
    if (!r->param_met)
        diag_error(r->d, start, "no parameters: there is nothing to tune");
    Span first = s->reference_first ? r->reference_first_at
                 : s->reference     ? s->reference->at
                                    : start;
    if ((s->reference || s->reference_first) && !r->output_met)
        diag_error(r->d, first,
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
    s->option_parts = r->option_parts.at;
    s->option_count = r->options.count;
    s->includes = r->includes.at;
    s->include_count = r->includes.count;
    s->reference = r->references.at;
    s->reference_count = r->references.count;
    s->rivals = r->rivals.at;
    s->rival_count = r->rivals.count;
    s->metric_lines = r->metric_lines.at;
    s->metric_line_count = r->metric_lines.count;
    s->carving = r->carving.at;
    s->carving_count = r->carving.count;
    for (size_t i = 0; i < s->launch_count; i++)
        s->launches[i].repeat_slot = repeat_slot(s, i);
    for (size_t i = 0; i < s->reference_count; i++)
        s->reference[i].repeat_slot = repeat_slot(s, s->launch_count + i);

    finish_problems(r);
    finish_declared(r);
    Visible all = reader_see_all(r);
    for (size_t i = 0; i < s->constraint_count; i++)
        reader_bind_condition(r, s->constraints[i].condition, &all, "a constraint");
    reader_bind_arguments(r);
    reader_bind_launches(r);
    reader_bind_options(r);
    reader_bind_references(r);
    reader_bind_rivals(r);
    reader_keep_promises(r);
    reader_bind_work(r);
    check_whole(r);
}

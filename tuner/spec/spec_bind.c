/* Binds names to slots, and checks the consistency of a spec. */
#include "tuner/spec/spec_build.h"

/* --- declaring ---------------------------------------------------------------------------- */

static DeclaredName *find_declared(const Reader *r, const char *name)
{
    return NAME_FIND(r->names.at, r->names.count, name, name);
}

bool reader_declare(Reader *r, const char *name, Span at)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "true", "false"};
    if (word_place(name, reserved, COUNT_OF(reserved)) < SIZE_MAX)
        return diag_error(r->d, at, "'%s' is a keyword", name);
    const DeclaredName *before = find_declared(r, name);
    if (before) {
        size_t line, column;
        source_position(before->at.source, before->at.offset, &line, &column);
        return diag_error(r->d, at, "'%s' is already declared, in line %zu", name, line);
    }
    if (r->names.count >= NAME_LIMIT)
        return diag_error(r->d, at, "more than %d names", NAME_LIMIT);
    VEC_PUSH(r->a, &r->names, ((DeclaredName){name, at, true}));
    return true;
}

void reader_mark(Reader *r, const char *name, bool broken)
{
    find_declared(r, name)->broken = broken;
}

/* --- binding ------------------------------------------------------------------------------ */

/* What an expression may use: everything, or only earlier declarations. */
typedef struct Visible {
    const Reader *reader;
    const char *declaring; /* the name that is being declared, or NULL */
    bool fixed;           /* it must not depend on the configuration: `derived` counts fixed ones */
    size_t problem_names; /* numbers of names that may be used */
    size_t parameters;
    size_t derived;
    const Launch *launch; /* whose repeat name may be used; NULL: none */
    bool index;           /* `i` and `lane` */
    bool arguments;       /* names of arguments, as texts */
} Visible;

static Visible reader_see_all(const Reader *r)
{
    const Spec *s = r->spec;
    return (Visible){.reader = r,
                     .problem_names = s->problem_name_count,
                     .parameters = s->parameter_count,
                     .derived = s->derived_count};
}

static Visible reader_see_problem(const Reader *r)
{
    const Spec *s = r->spec;
    return (Visible){.reader = r,
                     .fixed = true,
                     .problem_names = s->problem_name_count,
                     .derived = s->derived_count};
}

/* Names with a limited scope. */
static void add_local(Scope *out, const Visible *v)
{
    const Spec *s = v->reader->spec;
    if (v->launch && v->launch->repeat_name)
        scope_add(out, v->launch->repeat_name, v->launch->repeat_slot, VALUE_INT);
    if (v->index) {
        scope_add(out, "i", spec_index_slot(s), VALUE_INT);
        scope_add(out, "lane", spec_index_slot(s) + 1, VALUE_INT);
    }
    for (size_t i = 0; v->arguments && i < s->argument_count; i++)
        scope_add(out, s->arguments[i].name, spec_argument_slot(s, i), VALUE_STRING);
}

static void add_declared(Scope *out, const Visible *v, bool visible, const char *name, size_t slot,
                         ValueKind kind)
{
    if (visible)
        scope_add(out, name, slot, kind);
    else
        scope_hide(out, name,
                   v->fixed ? "depends on the configuration; only problem names, numbers and "
                              "derived names made of them can be used here"
                            : "is declared further down; move this line below it");
}

static Scope scope_of(Arena *a, const Visible *v)
{
    const Spec *s = v->reader->spec;
    Scope out = {.arena = a, .quiet = v->reader->problem_broken};
    add_local(&out, v);
    if (v->declaring)
        scope_hide(&out, v->declaring, "is used in its own declaration");
    VEC_EACH (const DeclaredName, n, v->reader->names)
        if (n->broken)
            scope_hide(&out, n->name, "");
    for (size_t i = 0; i < s->problem_name_count; i++)
        add_declared(&out, v, i < v->problem_names, s->problem_names[i], i,
                     s->problems[0].values[i].kind);
    for (size_t i = 0; i < s->parameter_count; i++)
        add_declared(&out, v, i < v->parameters, s->parameters[i].name, spec_parameter_slot(s, i),
                     s->parameters[i].kind);
    for (size_t i = 0; i < s->derived_count; i++) {
        const Derived *d = &s->derived[i];
        const bool visible = i < v->derived && (!v->fixed || d->fixed);
        add_declared(&out, v, visible, d->name, spec_derived_slot(s, i),
                     visible ? expr_kind(d->value) : VALUE_NONE);
    }
    return out;
}

static bool reader_bind(Reader *r, Expr *e, const Visible *v)
{
    SCOPED_ARENA *a = arena_new();
    const Scope s = scope_of(a, v);
    return !e || expr_bind(e, &s, r->d);
}

static bool reader_bind_number(Reader *r, Expr *e, Visible *v)
{
    if (!e || !reader_bind(r, e, v))
        return !e;
    ValueKind k = expr_kind(e);
    return k == VALUE_INT || k == VALUE_REAL ||
           diag_error(r->d, expr_span(e), "expected a number, this is %s", value_kind_name(k));
}

static bool reader_bind_integer(Reader *r, Expr *e, Visible *v)
{
    if (!reader_bind_number(r, e, v))
        return false;
    return !e || expr_kind(e) == VALUE_INT ||
           diag_error(r->d, expr_span(e), "expected an integer, this is a real number");
}

static bool reader_bind_scalar(Reader *r, Expr *e, Visible *v, bool whole)
{
    return whole ? reader_bind_integer(r, e, v) : reader_bind_number(r, e, v);
}

/* Binds a number or a condition; `what` begins the message. */
static bool reader_bind_plain(Reader *r, Expr *e, Visible *v, const char *what)
{
    if (!e || !reader_bind(r, e, v))
        return !e;
    ValueKind k = expr_kind(e);
    return (k != VALUE_STRING && k != VALUE_LIST) ||
           diag_error(r->d, expr_span(e), "%s, this is %s", what, value_kind_name(k));
}

/* --- contents ------------------------------------------------------------------------------------ */

/* Binds the buffer that contents are taken from. */
static void bind_source(Reader *r, Contents *c)
{
    const Spec *s = r->spec;
    const Argument *g = NAME_FIND(s->arguments, s->argument_count, name, c->from);
    c->from_argument = g ? (size_t)(g - s->arguments) : c->from_argument;
    if (!g)
        diag_error(r->d, c->at, "there is no buffer '%s'", c->from);
    else if (!argument_is_buffer(g) || argument_is_mixed(g))
        diag_error(r->d, c->at, "'%s' is not a buffer%s", c->from,
                   argument_is_buffer(g) ? " of numbers of one type" : "");
    else if (g->contents.kind == CONTENTS_UNDEFINED || g->contents.kind == CONTENTS_KEPT)
        diag_error(r->d, c->at, "'%s' has no contents to copy", c->from);
}

/* True if the contents are made from themselves, through other buffers. */
static bool is_circular(const Spec *s, const Contents *first)
{
    const Contents *c = first;
    for (size_t i = 0; i <= s->argument_count; i++) {
        while (c->kind == CONTENTS_SORTED)
            c = c->inner;
        const Argument *from =
            c->from ? NAME_FIND(s->arguments, s->argument_count, name, c->from) : NULL;
        if (!from)
            return false;
        c = &from->contents;
    }
    return true;
}

static void bind_contents(Reader *r, Contents *c, const Argument *g)
{
    while (c->kind == CONTENTS_SORTED)
        c = c->inner;
    Visible fixed = reader_see_problem(r);
    if (argument_is_mixed(g) && c->kind != CONTENTS_ZERO && c->kind != CONTENTS_UNDEFINED &&
        c->kind != CONTENTS_KEPT && c->kind != CONTENTS_FORMULA && c->kind != CONTENTS_FILE)
        diag_error(r->d, c->at,
                   "'%s' has members of several types: use formula(…) with `lane` as the member's "
                   "number, file(…) or zero",
                   g->name);
    if (c->kind == CONTENTS_FORMULA) {
        fixed.index = true;
        reader_bind_plain(r, c->numbers[0], &fixed, "an element is a number");
        return;
    }
    const bool whole = c->kind == CONTENTS_LANE ||
                       (c->kind != CONTENTS_NORMAL && !task_scalar_is_float(g->element.scalar));
    if (c->from)
        bind_source(r, c);
    for (int i = 0; i < 2; i++)
        reader_bind_scalar(r, c->numbers[i], &fixed, whole);
    reader_bind_integer(r, c->numbers[2], &fixed);
}

/* --- arguments ----------------------------------------------------------------------------------- */

static void reader_bind_value(Reader *r, Argument *g, Visible *v)
{
    const bool whole = !task_scalar_is_float(g->element.scalar);
    if (!g->value || !reader_bind(r, g->value, v) ||
        (argument_numbers(g) > 1 && expr_kind(g->value) == VALUE_LIST))
        return;
    if (whole && expr_kind(g->value) == VALUE_BOOL)
        g->value = expr_as_integer(r->a, g->value);
    reader_bind_scalar(r, g->value, v, whole);
}

/* --- outputs ------------------------------------------------------------------------------------- */

static void set_comparison(Reader *r, const Deferred *p, Argument *g)
{
    if (g->comparison.at.source) {
        diag_error(r->d, p->comparison.at, "there is already a compare line for '%s'", p->name);
        return;
    }
    Visible all = reader_see_all(r), fixed = reader_see_problem(r);
    Comparison *c = &g->comparison;
    *c = p->comparison;
    reader_bind_integer(r, c->first, &all);
    reader_bind_integer(r, c->except, &fixed);
    if (c->allowed.sum && c->except)
        diag_error(r->d, c->at, "'sum' cannot be combined with 'except'");
    else if (c->allowed.sum && g->element.lanes > 4)
        diag_error(r->d, c->at, "'sum' takes elements of at most 4 numbers");
}

static void bind_deferred(Reader *r)
{
    const Spec *s = r->spec;
    VEC_EACH (const Deferred, p, r->deferred) {
        Argument *g = NAME_FIND(s->arguments, s->argument_count, name, p->name);
        if (!g || (g->role != ARGUMENT_OUT && g->role != ARGUMENT_INOUT)) {
            diag_error(r->d, p->at, g ? "'%s' is not an output" : "there is no output '%s'",
                       p->name);
            continue;
        }
        if (!p->expected) {
            set_comparison(r, p, g);
            continue;
        }
        if (g->expected)
            diag_error(r->d, p->at, "there is already a reference for '%s'", p->name);
        else if (s->reference_first)
            diag_error(r->d, p->at, "the first configuration is the reference of all outputs");
        g->expected = p->expected;
        bind_contents(r, g->expected, g);
    }
}

/* --- work ---------------------------------------------------------------------------------------- */

static void reader_bind_work(Reader *r)
{
    Spec *s = r->spec;
    Visible all = reader_see_all(r);
    for (int i = 0; i < OBJECTIVES; i++)
        reader_bind_number(r, s->work[i], &all);
    reader_bind_number(r, s->scale, &all);
    for (size_t i = 0; i < s->trip_count; i++)
        reader_bind_number(r, s->trips[i].rounds, &all);
    bool weighed = s->objective != OBJECTIVE_TIME && s->objective != OBJECTIVE_ENERGY;
    if (weighed && !s->work[s->objective])
        diag_error(r->d, r->objective_at, "this needs a work line: 'work %s = …'",
                   spec_objectives[s->objective]);
}

/* --- values in texts ----------------------------------------------------------------------------- */

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

/* --- launches ------------------------------------------------------------------------------------ */

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
                   "expected the name of an argument; a number for this launch only is written "
                   "'n : int = …'");
}

static void bind_launch(Reader *r, Launch *k, Visible v, bool own_lines)
{
    reader_bind_integer(r, k->repeat, &v);
    for (size_t i = 0; i < k->repeat_value_count && !k->together; i++) {
        Expr *e = k->repeat_values[i];
        if (reader_bind(r, e, &v) && expr_kind(e) != VALUE_LIST && expr_kind(e) != VALUE_INT)
            diag_error(r->d, expr_span(e), "expected integers, this is %s",
                       value_kind_name(expr_kind(e)));
    }
    if (k->repeat_name && !k->together && find_declared(r, k->repeat_name))
        diag_error(r->d, k->at, "'%s' is already declared; use another name in this repeat line",
                   k->repeat_name);
    bind_text(r, &k->name, &v); /* all repeats run the same code */
    bind_text(r, &k->command_text, &v);
    v.launch = k;
    for (int i = 0; i < 3; i++) {
        reader_bind_integer(r, k->grid[i], &v);
        reader_bind_integer(r, k->block[i], &v);
    }
    reader_bind_integer(r, k->shared, &v);
    for (size_t i = 0; i < k->item_count; i++)
        bind_item(r, &k->items[i], &v);
    const char *how = own_lines ? "add a line such as" : "append";
    if (!(k->lines & 1u << WORD_BLOCK))
        diag_error(r->d, k->at, "%s has no block; %s 'block 16, 16'", k->entry, how);
    if (!(k->lines & 1u << WORD_GRID))
        diag_error(r->d, k->at, "%s has no grid; %s 'grid ceil_div(N, 16)'", k->entry, how);
}

static void reader_bind_options(Reader *r)
{
    Visible all = reader_see_all(r);
    EACH (CompileOption, o, r->spec->option_parts, r->spec->option_count) {
        if (!bind_text(r, &o->text, &all) ||
            !reader_bind_plain(r, o->condition, &all, "the condition after 'if' is true or false"))
            continue;
        o->varies = o->condition != NULL;
        for (size_t i = 0; i < o->text.piece_count; i++)
            o->varies = o->varies || spec_varies(r->spec, o->text.pieces[i].value);
    }
}

/* --- references ---------------------------------------------------------------------------------- */

/* One reference, or rival, serves all configurations: what it is given must not depend on them.  A rival's
 * library takes buffers and numbers only. */
static void check_taken(Reader *r, const Launch *k, bool rival)
{
    const Spec *s = r->spec;
    bool *uses = ARENA_ARRAY(r->a, bool, spec_slot_count(s));
    for (size_t i = 0; i < k->item_count; i++)
        expr_mark_names(k->items[i].choice, uses);
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        const bool scalar = g->role == ARGUMENT_SCALAR, taken = uses[spec_argument_slot(s, i)];
        if ((taken || !k->has_items) && scalar && spec_varies(s, g->value))
            diag_error(
                r->d, k->at,
                "the %s takes '%s', which depends on parameters; list its arguments with 'args'",
                rival ? "rival" : "reference", g->name);
        const bool fits = g->role != ARGUMENT_TEXTURE && g->role != ARGUMENT_CONSTANT &&
                          !(scalar && g->element.lanes > 1);
        if (rival && taken && !fits)
            diag_error(r->d, k->at, "a rival takes buffers and single numbers; '%s' is neither",
                       g->name);
    }
}

/* True if each item is the name of an argument and nothing else. */
static bool takes_names(Reader *r, const Launch *k)
{
    const size_t slots = spec_slot_count(r->spec);
    bool *uses = ARENA_ARRAY(r->a, bool, slots);
    bool names = k->has_items;
    for (size_t i = 0; names && i < k->item_count; i++) {
        size_t used = 0;
        memset(uses, 0, slots * sizeof *uses);
        if (k->items[i].choice)
            expr_mark_names(k->items[i].choice, uses);
        for (size_t n = 0; n < slots; n++)
            used += uses[n];
        names = used == 1 && !k->items[i].joined;
    }
    return names;
}

/* Without an args line of its own a reference takes what the only kernel takes. */
static void take_items(Reader *r, Launch *reference)
{
    const Spec *s = r->spec;
    const Launch *k = s->launches;
    if (reference->has_items || s->launch_count != 1 || !takes_names(r, k))
        return;
    reference->has_items = true;
    reference->items = k->items;
    reference->item_count = k->item_count;
}

static void reader_bind_references(Reader *r)
{
    Spec *s = r->spec;
    size_t before = r->d->errors;
    for (size_t i = 0; i < s->reference_count; i++) {
        bind_launch(r, &s->reference[i], reader_see_problem(r), false);
        if (r->d->errors == before) {
            take_items(r, &s->reference[i]);
            check_taken(r, &s->reference[i], false);
        }
        if (s->reference[i].in_double != s->reference[0].in_double)
            diag_error(r->d, s->reference[i].at,
                       "either all kernels of the reference compute in double precision, or none");
    }
    if (s->reference && s->reference_first)
        diag_error(r->d, r->reference_first_at, "there is already a reference");
}

bool spec_is_verified(const Spec *s)
{
    bool expected = s->reference || s->reference_first;
    for (size_t i = 0; i < s->argument_count; i++)
        expected = expected || s->arguments[i].expected;
    return expected;
}

/* --- parameters as template arguments ------------------------------------------------------------ */

bool spec_parameter_is_macro(const Spec *s, size_t parameter)
{
    const char *name = s->parameters[parameter].name;
    for (size_t l = 0; l < s->launch_count; l++) {
        const Text *t = &s->launches[l].name;
        for (size_t i = 0; i < t->piece_count; i++) {
            const Expr *e = t->pieces[i].value;
            const Span at = e ? expr_span(e) : (Span){0};
            if (e && at.length == strlen(name) &&
                memcmp(at.source->text + at.offset, name, at.length) == 0)
                return false;
        }
    }
    return true;
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
    for (size_t i = 0; i < n; i++) {
        DeclaredName *name = find_declared(r, r->spec->problem_names[i]);
        name->broken = name->broken || !evaluate_problem_value(r, p, i);
    }
    p->text = spec_problem_text(r->a, r->spec, p->values, NULL);
}

/* --- parameters and derived names ----------------------------------------------------------- */

static bool finish_parameter(Reader *r, size_t index, const Visible *v)
{
    Parameter *p = &r->spec->parameters[index];
    for (size_t i = 0; i < p->item_count; i++) {
        if (!reader_bind(r, p->items[i], v))
            return false;
        p->dependent = p->dependent || spec_varies(r->spec, p->items[i]);
    }
    if (!spec_parameter_values(r->a, r->spec, index, 0, &p->values, r->d))
        return false;
    p->kind = p->values.at[0].kind;
    return true;
}

/* In file order, since each may use earlier ones. */
static void finish_declared(Reader *r)
{
    Spec *s = r->spec;
    Visible v = {.reader = r, .problem_names = s->problem_name_count};
    while (v.parameters < s->parameter_count || v.derived < s->derived_count) {
        const Parameter *p =
            v.parameters < s->parameter_count ? &s->parameters[v.parameters] : NULL;
        const Derived *d = v.derived < s->derived_count ? &s->derived[v.derived] : NULL;
        const bool parameter = p && (!d || p->at.offset < d->at.offset);
        v.declaring = parameter ? p->name : d->name;
        bool fine =
            parameter ? finish_parameter(r, v.parameters, &v) : reader_bind(r, d->value, &v);
        if (fine && !parameter && expr_kind(d->value) == VALUE_LIST)
            fine = diag_error(
                r->d, expr_span(d->value),
                "a derived name is one value, this is a list; write the list where it is used");
        if (!fine)
            reader_mark(r, v.declaring, true);
        else if (!parameter)
            s->derived[v.derived].fixed = !spec_varies(s, d->value);
        v.parameters += parameter;
        v.derived += !parameter;
    }
    for (size_t i = 0; i < s->problem_count && r->d->errors == 0; i++) {
        Evaluation ev = {.arena = r->a};
        if (!spec_set_lets(s, &s->problems[i], &ev))
            diag_error(r->d, ev.error_at, "%s", ev.error);
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

/* Gives launches in order their slots, and those that repeat together what the first of them repeats by. */
static void finish_repeats(Reader *r, Launch *launches, size_t count, size_t slot)
{
    for (size_t i = 0; i < count; i++) {
        Launch *k = &launches[i];
        k->repeat_slot = slot + i;
        if (!k->together)
            continue;
        if (i == 0 || !k[-1].repeat_name) {
            diag_error(r->d, k->at,
                       "'%s' repeats together with nothing: the kernel above it has to repeat by a "
                       "name, 'repeat STEP in range(…)'",
                       k->entry);
            continue;
        }
        k->repeat_name = k[-1].repeat_name;
        k->repeat_values = k[-1].repeat_values;
        k->repeat_value_count = k[-1].repeat_value_count;
    }
}

void reader_finish(Reader *r)
{
    Spec *s = r->spec;
    finish_repeats(r, s->launches, s->launch_count, spec_repeat_slot(s, 0));
    finish_repeats(r, s->reference, s->reference_count, spec_repeat_slot(s, s->launch_count));

    if (s->problem_count == 0)
        SPEC_ADD(r->a, s, problems, problem_count, (Problem){.text = ""});
    for (size_t i = 0; i < s->problem_count; i++)
        finish_problem(r, &s->problems[i]);
    finish_declared(r);
    Visible all = reader_see_all(r), fixed = reader_see_problem(r);
    for (size_t i = 0; i < s->constraint_count; i++)
        reader_bind_plain(r, s->constraints[i].condition, &all, "a constraint is true or false");
    for (size_t i = 0; i < s->argument_count; i++) {
        Argument *g = &s->arguments[i];
        reader_bind_integer(r, g->count, &all);
        reader_bind_value(r, g, &all);
        for (int k = 0; k < TEXTURE_DIMENSIONS; k++)
            reader_bind_integer(r, g->size[k], &fixed);
        bind_contents(r, &g->contents, g);
        if (is_circular(s, &g->contents))
            diag_error(r->d, g->at, "the contents of '%s' are made from themselves", g->name);
    }
    EACH (Launch, k, s->launches, s->launch_count)
        bind_launch(r, k, all, true);
    reader_bind_options(r);
    reader_bind_references(r);
    EACH (Rival, v, s->rivals, s->rival_count) {
        const size_t before = r->d->errors;
        for (size_t n = 0; n < v->takes.item_count; n++)
            bind_item(r, &v->takes.items[n], &fixed);
        if (r->d->errors == before)
            check_taken(r, &v->takes, true);
    }
    bind_deferred(r);
    reader_bind_work(r);
    check_whole(r);
}

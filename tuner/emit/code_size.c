/* Functions of a problem size: whether any variant may serve it, whether one does, how a variant's time
 * scales with it, elements of buffers, work.
 *
 * Checks are statements that return 0 if they fail: the spec's requirements, the values its parameters may
 * have, buffer sizes.  If C cannot express one of them, the variant serves only the size it was tuned for. */
#include "tuner/emit/code_parts.h"

/* Most bytes of a buffer: more than any device has, and sums of them do not overflow. */
static const double BYTE_LIMIT = 0x1p48;

/* Folds an expression that uses problem names only. */
static const Expr *of_size(const Code *c, const Expr *e)
{
    const bool *nothing = ARENA_ARRAY(c->arena, bool, spec_slot_count(c->spec));
    return expr_fold(c->arena, e, NULL, nothing, NULL);
}

static const Expr *of_variant(const CodeLines *l, const Expr *e)
{
    const CodeVariant *v = l->variant;
    return expr_fold(l->code->arena, e, v->slots, v->known, v->meaning);
}

/* True if an expression uses problem names only, and so is the same for all variants. */
static bool uses_size_only(const Code *c, const Expr *e)
{
    return c_uses_only(e, c->spec->problem_name_count);
}

/* --- checks ----------------------------------------------------------------------------------- */

/* "        return 0; / * require … * /", with the text of the spec at `at`, if any. */
static void lines_refuse(CodeLines *l, const char *what, Span at)
{
    buf_printf(&l->text, "        return 0; /* %s%s */\n", what,
               at.source ? text_comment_span(l->code->arena, at) : "");
}

/* `written` is the condition as the spec has it.  Nothing before it has failed. */
static void check_condition(CodeLines *l, const Expr *condition, const Expr *written)
{
    const Value *known = expr_literal(condition);
    if (known && value_is_true(*known))
        return;
    CWriter w = lines_writer(l, false);
    buf_puts(&l->text, "    if (");
    l->failed = !c_unless(&w, condition, C_ANYWHERE);
    buf_puts(&l->text, ")\n");
    lines_refuse(l, "require ", expr_span(written));
}

/* Checks that a buffer has at least one element and at most BYTE_LIMIT bytes. */
static void check_count(CodeLines *l, const Argument *g, const Expr *count)
{
    const Value *known = expr_literal(count);
    const CWriter w = lines_writer(l, true);
    const CRange r = c_range(&w, count);
    const size_t size = task_type_size(g->element);
    if ((known && known->integer >= 1) ||
        (!c_may_fail(&w, count) && r.low >= 1 && r.high * (double)size <= BYTE_LIMIT))
        return;
    lines_emit(l, "    if (!@is_count(%x, %z))\n", count, C_ANYWHERE, size);
    lines_refuse(l, g->name, (Span){0});
}

/* A device variable keeps the size it was compiled with. */
static void check_constant(CodeLines *l, const Argument *g, const Expr *count)
{
    Evaluation ev = {.arena = l->code->arena};
    Value value;
    if (expr_literal(count))
        return;
    if (!expr_eval(g->count, l->variant->variant->slots, &ev, &value))
        value = (Value){.kind = VALUE_NONE}; /* cannot be written in C */
    lines_emit(l, "    if (%x != %v)\n", count, C_EQUALITY, value);
    lines_refuse(l, arena_printf(l->code->arena, "%s has a fixed size", g->name), (Span){0});
}

static void check_counts(CodeLines *l)
{
    const CodeVariant *v = l->variant;
    for (size_t i = 0; i < l->code->spec->argument_count; i++) {
        const Argument *g = &l->code->spec->arguments[i];
        if (!v->counts[i] || !v->taken[i])
            continue;
        if (g->role == ARGUMENT_CONSTANT)
            check_constant(l, g, v->counts[i]);
        else if (!uses_size_only(l->code, g->count))
            check_count(l, g, v->counts[i]);
    }
}

/* As in the spec, all derived names are evaluated, used or not. */
static void check_derived(CodeLines *l)
{
    const Spec *s = l->code->spec;
    for (size_t k = 0; k < s->derived_count; k++) {
        const size_t slot = spec_derived_slot(s, k);
        const Expr *e = l->variant->meaning[slot];
        const CWriter w = lines_writer(l, true);
        if (l->variant->known[slot] || (e && !c_may_fail(&w, e)))
            continue;
        if (e)
            lines_emit(l, "    (void)%x; /* let %s */\n", e, C_UNARY, s->derived[k].name);
        l->failed = l->failed || !e;
    }
}

/* True if a parameter may have the value at every size. */
static bool is_always_allowed(CodeLines *l, Value value, Expr *const *items, size_t count)
{
    const CWriter w = lines_writer(l, false);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const Value *item = expr_literal(items[i]);
        if (!item && c_may_fail(&w, items[i]))
            return false;
        if (item && item->kind != VALUE_LIST)
            found = found || value_equal(*item, value);
        for (size_t k = 0; item && item->kind == VALUE_LIST && k < item->list->count; k++)
            found = found || value_equal(item->list->at[k], value);
    }
    return found;
}

static void check_parameter(CodeLines *l, size_t parameter)
{
    const Code *c = l->code;
    const Parameter *p = &c->spec->parameters[parameter];
    const Value value = l->variant->slots[spec_parameter_slot(c->spec, parameter)];
    Expr **items = ARENA_ARRAY(c->arena, Expr *, p->item_count);
    for (size_t i = 0; i < p->item_count; i++)
        items[i] = (Expr *)(uintptr_t)of_variant(l, p->items[i]);
    if (is_always_allowed(l, value, items, p->item_count))
        return;
    CWriter w = lines_writer(l, false);
    buf_puts(&l->text, "    if (!");
    l->failed = !c_member(&w, expr_of_value(c->arena, value), items, p->item_count);
    buf_puts(&l->text, ")\n");
    lines_refuse(l, "param ", p->at);
}

/* All checks of the spec that depend on the variant. */
static void check_spec(CodeLines *l, const char **why)
{
    const Spec *s = l->code->spec;
    *why = "its derived names";
    check_derived(l);
    for (size_t p = 0; p < s->parameter_count && !l->failed; p++) {
        *why = s->parameters[p].name;
        check_parameter(l, p);
    }
    for (size_t i = 0; i < s->constraint_count && !l->failed; i++) {
        const Expr *written = s->constraints[i].condition;
        *why = expr_text(l->code->arena, written);
        if (!uses_size_only(l->code, written))
            check_condition(l, of_variant(l, written), written);
    }
    if (l->failed)
        return;
    *why = "its buffer sizes";
    check_counts(l);
}

/* Problem numbers that the code was compiled for. */
static void check_tuned_size(CodeLines *l)
{
    const Code *c = l->code;
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        if (!l->variant->known[i])
            continue;
        lines_emit(l, "    if (p->%s != %v)\n", c->problem_fields[i], l->variant->slots[i]);
        lines_refuse(l, "its code was compiled for this value", (Span){0});
    }
}

/* --- all variants ----------------------------------------------------------------------------- */

/* The checks that do not depend on the variant.  False if C cannot express one: it is left out, and all
 * variants serve only their tuned sizes. */
static bool write_sound(const Code *c, Buf *out, const char **why)
{
    const Spec *s = c->spec;
    CodeLines l = {.code = c};
    bool all = true;
    for (size_t i = 0; i < s->constraint_count; i++) {
        const Expr *e = s->constraints[i].condition;
        const size_t before = l.text.size;
        if (uses_size_only(c, e))
            check_condition(&l, of_size(c, e), e);
        if (!l.failed)
            continue;
        l.text.size = before;
        l.text.text[before] = '\0';
        l.failed = all = false;
        *why = expr_text(c->arena, e);
    }
    EACH (const Argument, g, s->arguments, s->argument_count)
        if (g->count && g->role != ARGUMENT_CONSTANT && uses_size_only(c, g->count))
            check_count(&l, g, of_size(c, g->count));
    buf_puts(out, "/* The conditions that a size has to meet for every variant. */\n");
    lines_end(&l, NULL, out, "static int %sis_sound(const %sproblem *p)", c->prefix, c->prefix);
    return all;
}

static bool write_serves(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    CodeLines l = {.code = c, .variant = v};
    check_tuned_size(&l);
    if (!v->tuned_size_only)
        check_spec(&l, why);
    lines_end(&l, NULL, out, "static int %sserves_%zu(const %sproblem *p)", c->prefix, v->number,
              c->prefix);
    return !l.failed;
}

static bool write_variant(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    buf_printf(out, "/* --- variant %zu ---\n *\n * %s", v->number,
               text_comment(c->arena, v->variant->name));
    if (v->why)
        buf_printf(out,
                   "\n *\n * It serves only the size it was tuned for, since C cannot express:\n"
                   " * %s",
                   text_comment(c->arena, v->why));
    buf_puts(out, " */\n\n");
    return write_serves(c, v, out, why) && code_walk(c, v, out, why);
}

bool code_is_expressible(const Code *c, const CodeVariant *v, const char **why)
{
    SCOPED_BUF text = {0};
    *why = "";
    return write_sound(c, &text, why) && write_variant(c, v, &text, why);
}

/* --- functions of a size ---------------------------------------------------------------------- */

/* A function that returns an expression as a double, or 0 if it fails.  False if C cannot express it.
 * `head` ends with the opening brace of the body, perhaps followed by statements. */
static bool write_real(const Code *c, const CodeVariant *v, const Expr *e, const char *head,
                       Buf *out)
{
    CodeLines l = {.code = c, .variant = v};
    CWriter w = lines_writer(&l, false);
    const bool said = c_real(&w, e, C_ANYWHERE);
    const char *value = buf_text(&l.text);
    buf_puts(out, head);
    buf_puts(out, strstr(value, "p->") ? "" : "    (void)p;\n");
    if (strstr(value, "&ok"))
        buf_printf(out,
                   "    int ok = 1;\n    const double value = %s;\n    return ok ? value : 0;\n",
                   value);
    else
        buf_printf(out, "    return %s;\n", value);
    buf_puts(out, "}\n\n");
    buf_free(&l.text);
    return said;
}

static bool write_scale(const Code *c, const CodeVariant *v, Buf *out)
{
    const char *head = arena_printf(c->arena, "static double %sscale_%zu(const %sproblem *p)\n{\n",
                                    c->prefix, v->number, c->prefix);
    return write_real(c, v, v->scale, head, out);
}

bool code_scale_is_expressible(const Code *c, const CodeVariant *v)
{
    SCOPED_BUF text = {0};
    return v->scale && write_scale(c, v, &text);
}

/* The work of a launch, if it depends on the size only.  Numbers out of range would overflow the integer
 * arithmetic, so they are checked first. */
static bool write_work(const Code *c, const char *name, const Expr *e, Buf *out)
{
    const char *head = arena_printf(c->arena,
                                    "double %s%s(const %sproblem *p)\n{\n    if (!%sis_size(p))\n"
                                    "        return 0;\n",
                                    c->prefix, name, c->prefix, c->prefix);
    return write_real(c, NULL, of_size(c, e), head, out);
}

bool code_work_is_expressible(const Code *c, const Expr *e)
{
    SCOPED_BUF text = {0};
    return e && uses_size_only(c, e) && write_work(c, "", e, &text);
}

bool code_counts_by_variant(const Code *c, size_t argument)
{
    const Argument *g = &c->spec->arguments[argument];
    return g->count && c->fields[argument] && !uses_size_only(c, g->count);
}

/* The number of elements of a buffer, by variant. */
static void write_elements(const Code *c, size_t argument, Buf *out)
{
    const char *name = c->spec->arguments[argument].name, *x = c->prefix;
    CodeLines l = {.code = c};
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        l.variant = &c->variants[v];
        lines_emit(&l, "    if (variant == %z)\n        return %x;\n", v + 1,
                   c->variants[v].counts[argument], C_ANYWHERE);
    }
    lines_end(&l, "0", out, "static long long %scount_%s(int variant, const %sproblem *p)", x, name,
              x);
    buf_printf(out,
               "long long %s%s_elements(int variant, const %sproblem *p)\n{\n"
               "    return %smost_elements(variant, p, %scount_%s);\n}\n\n",
               x, name, x, x, x, name);
}

void code_more(const Code *c, Buf *out)
{
    const Spec *s = c->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (code_counts_by_variant(c, i))
            write_elements(c, i, out);
    if (code_work_is_expressible(c, s->work_flop))
        write_work(c, "flop", s->work_flop, out);
    if (code_work_is_expressible(c, s->work_bytes))
        write_work(c, "bytes", s->work_bytes, out);
    if (code_work_is_expressible(c, s->work_items))
        write_work(c, "items", s->work_items, out);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Numbers of a size are less than 2^53, so doubles represent them exactly. */
static void write_numbers(const Code *c, Buf *out)
{
    const size_t count = c->spec->problem_name_count;
    buf_printf(out,
               "/* The numbers of a size as doubles, and their ranges. */\n"
               "enum { %sNUMBERS = %zu };\nstatic const double %sranges[][2] = {",
               c->capitals, count, c->prefix);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "{%.17g, %.17g}, ", c->names[i].range.low, c->names[i].range.high);
    buf_printf(out, "{0, 0}};\n\nstatic void %snumbers(const %sproblem *p, double *numbers)\n{\n",
               c->prefix, c->prefix);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "    numbers[%zu] = (double)p->%s;\n", i, c->problem_fields[i]);
    buf_puts(out, count ? "}\n\n" : "    (void)p;\n    (void)numbers;\n}\n\n");
}

void code_sizes(const Code *c, Buf *out)
{
    const char *why;
    write_numbers(c, out);
    write_sound(c, out, &why);
    for (size_t i = 0; i < c->unit->variant_count; i++) {
        write_variant(c, &c->variants[i], out, &why);
        if (c->has_scale)
            write_scale(c, &c->variants[i], out);
    }
}

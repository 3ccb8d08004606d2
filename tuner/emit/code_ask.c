/* What is asked of a size before a variant serves it, as statements that refuse it: what the spec
 * requires, what its parameters may be, how large its buffers and numbers are. */
#include "tuner/emit/code_size.h"

#include <stdint.h>

/* A buffer's bytes; no device has more, and sums of them do not overflow. */
static const double BYTE_LIMIT = 0x1p48;

/* --- conditions ------------------------------------------------------------------------------- */

/* "    return 0; /" "* require … *" "/" with the text of the spec. */
static void refuse(CodeLines *l, const char *what, const Expr *e)
{
    const Span at = expr_span(e);
    buf_printf(&l->text, "\n        return 0; /* %s", what);
    if (at.source)
        text_comment_part(&l->text, at.source->text + at.offset, at.length);
    buf_puts(&l->text, " */\n");
}

bool code_ask_condition(CodeLines *l, const Expr *condition, const Expr *written)
{
    const Value *known = expr_literal(condition);
    if (known && (known->kind == VALUE_BOOL ? known->boolean : value_as_real(*known) != 0))
        return true;
    CWriter w = lines_writer(l, false);
    buf_puts(&l->text, "    if (");
    const bool said = c_unless(&w, condition, C_ANYWHERE);
    l->uses_ok = l->uses_ok || w.uses_ok;
    buf_putc(&l->text, ')');
    refuse(l, "require ", written);
    return said;
}

bool code_concerns_size_alone(const Code *c, const Expr *e)
{
    return c_uses_only(e, c->spec->problem_name_count);
}

/* --- buffers and numbers ---------------------------------------------------------------------- */

/* A buffer has elements, and not more bytes than can be. */
bool code_ask_count(CodeLines *l, const Argument *g, const Expr *count)
{
    const Value *known = expr_literal(count);
    const CWriter w = lines_writer(l, true);
    const CRange r = c_range(&w, count);
    const double size = (double)task_type_size(g->element);
    if ((known && known->integer >= 1) ||
        (!c_may_fail(&w, count) && r.low >= 1 && r.high * size <= BYTE_LIMIT))
        return true;
    code_puts(l->code, &l->text, "    if (!@is_count(");
    const bool said = lines_expr(l, count, true, C_ANYWHERE);
    buf_printf(&l->text, ", %zu))\n        return 0; /* ", task_type_size(g->element));
    text_comment(&l->text, g->name);
    buf_puts(&l->text, " */\n");
    return said;
}

/* A variable of the device has the size that it was compiled with. */
static bool ask_constant(CodeLines *l, const CodeVariant *v, size_t argument, const Expr *count)
{
    Evaluation ev = {.arena = l->code->arena};
    Value value;
    if (expr_literal(count))
        return true;
    if (!expr_eval(l->code->spec->arguments[argument].count, v->variant->slots, &ev, &value))
        return false;
    buf_puts(&l->text, "    if (");
    const bool said = lines_expr(l, count, true, C_EQUALITY);
    buf_puts(&l->text, " != ");
    c_value(value, &l->text);
    buf_puts(&l->text, ")\n        return 0; /* ");
    text_comment(&l->text, l->code->spec->arguments[argument].name);
    buf_puts(&l->text, " is a variable of fixed size */\n");
    return said;
}

static bool ask_counts(CodeLines *l, const CodeVariant *v)
{
    const Code *c = l->code;
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const Argument *g = &c->spec->arguments[i];
        if (!v->counts[i] || !v->taken[i])
            continue;
        if (g->role == ARGUMENT_CONSTANT) {
            if (!ask_constant(l, v, i, v->counts[i]))
                return false;
        } else if (!code_concerns_size_alone(c, g->count) && !code_ask_count(l, g, v->counts[i])) {
            return false;
        }
    }
    return true;
}

static bool ask_numbers(CodeLines *l, const CodeVariant *v)
{
    const Spec *s = l->code->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (v->values[i] && v->taken[i] && !code_is_field(&s->arguments[i]) &&
            !code_ask_number(l, &s->arguments[i], v->values[i]))
            return false;
    return true;
}

/* --- names and parameters --------------------------------------------------------------------- */

/* Derived names are all computed, whether they are used or not. */
static bool ask_derived(CodeLines *l, const CodeVariant *v)
{
    const Spec *s = l->code->spec;
    for (size_t k = 0; k < s->derived_count; k++) {
        const size_t slot = spec_derived_slot(s, k);
        const Expr *e = v->meaning[slot];
        const CWriter w = lines_writer(l, true);
        if (v->known[slot])
            continue;
        if (!e)
            return false;
        if (!c_may_fail(&w, e))
            continue;
        buf_puts(&l->text, "    (void)");
        const bool said = lines_expr(l, e, true, C_UNARY);
        buf_puts(&l->text, "; /* let ");
        text_comment(&l->text, s->derived[k].name);
        buf_puts(&l->text, " */\n");
        if (!said)
            return false;
    }
    return true;
}

/* Is the parameter's value among what it may be, whatever the size? */
static bool is_always_allowed(CodeLines *l, const CodeVariant *v, size_t parameter,
                              Expr *const *items, size_t count)
{
    const Value value = v->slots[spec_parameter_slot(l->code->spec, parameter)];
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

static bool ask_parameter(CodeLines *l, const CodeVariant *v, size_t parameter)
{
    Code *c = l->code;
    const Parameter *p = &c->spec->parameters[parameter];
    Expr **items = ARENA_ARRAY(c->arena, Expr *, p->item_count);
    for (size_t i = 0; i < p->item_count; i++)
        items[i] = expr_fold(c->arena, p->items[i], v->slots, v->known, v->meaning);
    if (is_always_allowed(l, v, parameter, items, p->item_count))
        return true;
    CWriter w = lines_writer(l, false);
    const Value value = v->slots[spec_parameter_slot(c->spec, parameter)];
    buf_puts(&l->text, "    if (!");
    const bool said = c_member(&w, expr_of_value(c->arena, value), items, p->item_count);
    l->uses_ok = l->uses_ok || w.uses_ok;
    buf_puts(&l->text, ")\n        return 0; /* param ");
    text_comment_part(&l->text, p->at.source->text + p->at.offset, p->at.length);
    buf_puts(&l->text, " */\n");
    return said;
}

bool code_ask_spec(CodeLines *l, const CodeVariant *v, const char **why)
{
    const Spec *s = l->code->spec;
    *why = "its derived names";
    if (!ask_derived(l, v))
        return false;
    for (size_t p = 0; p < s->parameter_count; p++) {
        *why = s->parameters[p].name;
        if (!ask_parameter(l, v, p))
            return false;
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        const Expr *written = s->constraints[i].condition;
        *why = expr_text(l->code->arena, written);
        if (!code_concerns_size_alone(l->code, written) &&
            !code_ask_condition(
                l, expr_fold(l->code->arena, written, v->slots, v->known, v->meaning), written))
            return false;
    }
    *why = "the sizes of its buffers";
    if (!ask_counts(l, v))
        return false;
    *why = "the numbers that it gets";
    return ask_numbers(l, v);
}

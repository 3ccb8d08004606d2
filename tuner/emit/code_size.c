/* Functions of a size: whether it is sound at all, of each variant whether it serves it and how its
 * time changes with it, elements of buffers, work.
 *
 * What is asked of a size are statements that leave the function with 0 where the answer is no:
 * what the spec requires, what its parameters may be, how large buffers are.  Where C has no words
 * for one of them the variant serves its tuned size alone. */
#include "tuner/emit/code_parts.h"

#include <stdint.h>
#include <string.h>

/* A buffer's bytes; no device has more, and sums of them do not overflow. */
static const double BYTE_LIMIT = 0x1p48;

/* An expression in problem names alone, folded. */
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

/* Is an expression of the spec one of problem names alone, the same for all variants? */
static bool concerns_size_alone(const Code *c, const Expr *e)
{
    return c_uses_only(e, c->spec->problem_name_count);
}

/* --- what is asked ---------------------------------------------------------------------------- */

/* "        return 0; / * require … * /", with a text from the spec if there is one. */
static void lines_refuse(CodeLines *l, const char *what, Span at)
{
    buf_printf(&l->text, "        return 0; /* %s%s */\n", what,
               at.source ? text_comment_span(l->code->arena, at) : "");
}

/* Is a condition met?  `written` is its text in the spec.  All before it was said. */
static void ask_condition(CodeLines *l, const Expr *condition, const Expr *written)
{
    const Value *known = expr_literal(condition);
    if (known && value_is_true(*known))
        return;
    CWriter w = lines_writer(l, false);
    buf_puts(&l->text, "    if (");
    l->unsaid = !c_unless(&w, condition, C_ANYWHERE);
    buf_puts(&l->text, ")\n");
    lines_refuse(l, "require ", expr_span(written));
}

/* Has a buffer elements, and not more bytes than can be? */
static void ask_count(CodeLines *l, const Argument *g, const Expr *count)
{
    const Value *known = expr_literal(count);
    const CWriter w = lines_writer(l, true);
    const CRange r = c_range(&w, count);
    const size_t size = task_type_size(g->element);
    if ((known && known->integer >= 1) ||
        (!c_may_fail(&w, count) && r.low >= 1 && r.high * (double)size <= BYTE_LIMIT))
        return;
    lines_say(l, "    if (!@is_count(%x, %z))\n", count, C_ANYWHERE, size);
    lines_refuse(l, g->name, (Span){0});
}

/* A variable of the device has the size that it was compiled with. */
static void ask_constant(CodeLines *l, const Argument *g, const Expr *count)
{
    Evaluation ev = {.arena = l->code->arena};
    Value value;
    if (expr_literal(count))
        return;
    if (!expr_eval(g->count, l->variant->variant->slots, &ev, &value))
        value = (Value){.kind = VALUE_NONE}; /* C has no words for it */
    lines_say(l, "    if (%x != %v)\n", count, C_EQUALITY, value);
    lines_refuse(l, arena_printf(l->code->arena, "%s is a variable of fixed size", g->name),
                 (Span){0});
}

static void ask_counts(CodeLines *l)
{
    const CodeVariant *v = l->variant;
    for (size_t i = 0; i < l->code->spec->argument_count; i++) {
        const Argument *g = &l->code->spec->arguments[i];
        if (!v->counts[i] || !v->taken[i])
            continue;
        if (g->role == ARGUMENT_CONSTANT)
            ask_constant(l, g, v->counts[i]);
        else if (!concerns_size_alone(l->code, g->count))
            ask_count(l, g, v->counts[i]);
    }
}

/* Derived names are all computed, whether they are used or not. */
static void ask_derived(CodeLines *l)
{
    const Spec *s = l->code->spec;
    for (size_t k = 0; k < s->derived_count; k++) {
        const size_t slot = spec_derived_slot(s, k);
        const Expr *e = l->variant->meaning[slot];
        const CWriter w = lines_writer(l, true);
        if (l->variant->known[slot] || (e && !c_may_fail(&w, e)))
            continue;
        if (e)
            lines_say(l, "    (void)%x; /* let %s */\n", e, C_UNARY, s->derived[k].name);
        l->unsaid = l->unsaid || !e;
    }
}

/* Is a value among what a parameter may be, whatever the size? */
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

static void ask_parameter(CodeLines *l, size_t parameter)
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
    l->unsaid = !c_member(&w, expr_of_value(c->arena, value), items, p->item_count);
    buf_puts(&l->text, ")\n");
    lines_refuse(l, "param ", p->at);
}

/* Everything that the spec asks beyond what concerns the size alone. */
static void ask_spec(CodeLines *l, const char **why)
{
    const Spec *s = l->code->spec;
    *why = "its derived names";
    ask_derived(l);
    for (size_t p = 0; p < s->parameter_count && !l->unsaid; p++) {
        *why = s->parameters[p].name;
        ask_parameter(l, p);
    }
    for (size_t i = 0; i < s->constraint_count && !l->unsaid; i++) {
        const Expr *written = s->constraints[i].condition;
        *why = expr_text(l->code->arena, written);
        if (!concerns_size_alone(l->code, written))
            ask_condition(l, of_variant(l, written), written);
    }
    if (l->unsaid)
        return;
    *why = "the sizes of its buffers";
    ask_counts(l);
}

/* What the code was compiled for. */
static void ask_tuned_size(CodeLines *l)
{
    const Code *c = l->code;
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        if (!l->variant->known[i])
            continue;
        lines_say(l, "    if (p->%s != %v)\n", c->problem_fields[i], l->variant->slots[i]);
        lines_refuse(l, "its code was compiled for this", (Span){0});
    }
}

/* --- all variants ----------------------------------------------------------------------------- */

/* What does not depend on the variant.  False when something has no words: it is left out then, and
 * asked of no variant, since each serves the size alone that it was tuned for. */
static bool write_sound(const Code *c, Buf *out, const char **why)
{
    const Spec *s = c->spec;
    CodeLines l = {.code = c};
    bool all = true;
    for (size_t i = 0; i < s->constraint_count; i++) {
        const Expr *e = s->constraints[i].condition;
        const size_t before = l.text.size;
        if (concerns_size_alone(c, e))
            ask_condition(&l, of_size(c, e), e);
        if (!l.unsaid)
            continue;
        l.text.size = before;
        l.text.text[before] = '\0';
        l.unsaid = all = false;
        *why = expr_text(c->arena, e);
    }
    EACH (const Argument, g, s->arguments, s->argument_count)
        if (g->count && g->role != ARGUMENT_CONSTANT && concerns_size_alone(c, g->count))
            ask_count(&l, g, of_size(c, g->count));
    buf_puts(out, "/* What is asked of a size whichever variant it gets. */\n");
    lines_end(&l, NULL, out, "static int %sis_sound(const %sproblem *p)", c->prefix, c->prefix);
    return all;
}

static bool write_serves(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    CodeLines l = {.code = c, .variant = v};
    ask_tuned_size(&l);
    if (!v->tuned_size_only)
        ask_spec(&l, why);
    lines_end(&l, NULL, out, "static int %sserves_%zu(const %sproblem *p)", c->prefix, v->number,
              c->prefix);
    return !l.unsaid;
}

static bool write_variant(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    buf_printf(out, "/* --- variant %zu ---\n *\n * %s", v->number,
               text_comment(c->arena, v->variant->name));
    if (v->why)
        buf_printf(out,
                   "\n *\n * It serves the size alone that it was tuned for, since there are no "
                   "words in C for\n * %s",
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

/* --- numbers of a size ------------------------------------------------------------------------ */

/* A function that gives an expression as a double; 0 where it fails.  False when C has no words for
 * it.  `head` ends with the opening bracket of the body, and perhaps statements. */
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

/* The work of a run, where it is a matter of the size alone.  It is counted in integers that
 * numbers out of range would overflow. */
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
    return e && concerns_size_alone(c, e) && write_work(c, "", e, &text);
}

bool code_counts_by_variant(const Code *c, size_t argument)
{
    const Argument *g = &c->spec->arguments[argument];
    return g->count && c->fields[argument] && !concerns_size_alone(c, g->count);
}

/* How many elements a buffer has, by variant. */
static void write_elements(const Code *c, size_t argument, Buf *out)
{
    const char *name = c->spec->arguments[argument].name, *x = c->prefix;
    CodeLines l = {.code = c};
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        l.variant = &c->variants[v];
        lines_say(&l, "    if (variant == %z)\n        return %x;\n", v + 1,
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

/* --- the whole -------------------------------------------------------------------------------- */

/* The numbers of a size as doubles, which hold them: the largest are less than 2^53. */
static void write_numbers(const Code *c, Buf *out)
{
    const size_t count = c->spec->problem_name_count;
    buf_printf(out,
               "/* The numbers of a size, and what they are from and to. */\n"
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

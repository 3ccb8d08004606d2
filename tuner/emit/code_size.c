/* Of each variant: the sizes that it is valid for, and how it is launched there.
 *
 * What the spec requires, what its parameters allow, what a device can launch and what the types of
 * the arguments hold, with the parameters filled in.  What concerns the size alone is asked once
 * for all variants. */
#include "tuner/emit/code_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* A buffer's bytes; no device has more, and sums of them do not overflow. */
static const double BYTE_LIMIT = 0x1p48;

const char *code_suffix(const Code *c, const CodeVariant *v, size_t launch)
{
    if (c->spec->launch_count == 1)
        return arena_printf(c->arena, "%zu", v->number);
    return arena_printf(c->arena, "%zu_%zu", v->number, launch + 1);
}

/* --- steps
 * ----------------------------------------------------------------------------------------- */

/* Do the values rise or fall by the same each? */
static bool is_progression(const ValueList *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].kind != VALUE_INT || l->at[i].integer > INT64_C(1) << 40 ||
            l->at[i].integer < -(INT64_C(1) << 40))
            return false;
    for (size_t i = 2; i < l->count; i++)
        if (l->at[i].integer - l->at[i - 1].integer != l->at[1].integer - l->at[0].integer)
            return false;
    return l->count >= 2 && l->at[0].integer != l->at[1].integer;
}

static void loop_over_progression(CodeLines *l, const CodeLaunch *k, const ValueList *list,
                                  const char *body)
{
    const int64_t first = list->at[0].integer, step = list->at[1].integer - first;
    const int64_t last = list->at[list->count - 1].integer;
    buf_printf(&l->text,
               "    for (long long %s = %" PRId64 "; %s %s %" PRId64 "; %s += %" PRId64
               ") {\n%s    }\n",
               k->name, first, k->name, step > 0 ? "<=" : ">=", last, k->name, step, body);
}

static bool loop_over_values(CodeLines *l, const CodeLaunch *k, const ValueList *list,
                             const char *body)
{
    if (list->count == 0)
        return true;
    buf_puts(&l->text, "    {\n        static const long long values[] = {");
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(&l->text, i ? ", " : "");
        if (list->at[i].kind != VALUE_INT || !c_value(list->at[i], &l->text))
            return false;
    }
    buf_printf(&l->text,
               "};\n        for (size_t i = 0; i < %zu; i++) {\n"
               "            const long long %s = values[i];\n%s        }\n    }\n",
               list->count, k->name, body);
    return list->count <= 4096;
}

static bool bound(CodeLines *l, const Expr *e, const char *otherwise)
{
    if (e && expr_kind(e) != VALUE_INT)
        return false;
    if (e)
        return lines_expr(l, e, true, C_RELATION);
    buf_puts(&l->text, otherwise);
    return true;
}

/* The step is a constant above zero, so that the loop is one that everybody reads. */
static bool loop_over_range(CodeLines *l, const CodeLaunch *k, const Expr *const parts[3],
                            const char *body)
{
    const Value *step = parts[2] ? expr_literal(parts[2]) : NULL;
    const CWriter w = lines_writer(l, true);
    if ((parts[2] && (!step || step->kind != VALUE_INT || step->integer < 1)) ||
        c_range(&w, parts[1]).high > 0x1p60 || (step && step->integer > INT64_C(1) << 40))
        return false;
    buf_printf(&l->text, "    for (long long %s = ", k->name);
    bool ok = bound(l, parts[0], "0");
    buf_printf(&l->text, "; %s < ", k->name);
    ok = ok && bound(l, parts[1], "");
    if (step)
        buf_printf(&l->text, "; %s += %" PRId64 ") {\n", k->name, step->integer);
    else
        buf_printf(&l->text, "; %s++) {\n", k->name);
    buf_printf(&l->text, "%s    }\n", body);
    return ok;
}

bool code_steps(CodeLines *l, const CodeLaunch *k, const char *body)
{
    bool ok = true;
    for (size_t i = 0; i < k->value_count && ok; i++) {
        const Value *value = expr_literal(k->values[i]);
        const Expr *parts[3];
        if (value && value->kind == VALUE_LIST && is_progression(value->list)) {
            loop_over_progression(l, k, value->list, body);
        } else if (value && value->kind == VALUE_LIST) {
            ok = loop_over_values(l, k, value->list, body);
        } else if (c_is_range(k->values[i], parts)) {
            ok = loop_over_range(l, k, parts, body);
        } else {
            buf_printf(&l->text, "    {\n        const long long %s = ", k->name);
            ok = expr_kind(k->values[i]) == VALUE_INT &&
                 lines_expr(l, k->values[i], true, C_ANYWHERE);
            buf_printf(&l->text, ";\n%s    }\n", body);
        }
    }
    return ok;
}

/* The number of steps, where it depends on the problem: at least 1 and at most 65536. */
static bool count_steps(CodeLines *l, const CodeLaunch *k)
{
    bool open = false;
    for (size_t i = 0; i < k->value_count; i++)
        open = open || !expr_literal(k->values[i]);
    if (!open)
        return true;
    buf_puts(&l->text, "    long long steps = 0;\n");
    for (size_t i = 0; i < k->value_count; i++) {
        const Value *value = expr_literal(k->values[i]);
        const Expr *parts[3];
        bool ok = true;
        if (c_is_range(k->values[i], parts)) {
            const Value *step = parts[2] ? expr_literal(parts[2]) : NULL;
            code_puts(l->code, &l->text, "    steps += @steps_of(");
            ok = bound(l, parts[0], "0");
            buf_puts(&l->text, ", ");
            ok = ok && bound(l, parts[1], "");
            buf_printf(&l->text, ", %" PRId64 ");\n", step ? step->integer : 1);
        } else {
            const size_t count = value && value->kind == VALUE_LIST ? value->list->count : 1;
            buf_printf(&l->text, "    steps += %zu;\n", count);
        }
        if (!ok)
            return false;
    }
    buf_puts(&l->text, "    if (steps < 1 || steps > 65536)\n        return 0;\n");
    return true;
}

/* --- numbers that kernels get
 * ---------------------------------------------------------------------- */

/* What a type holds; nothing to ask of floating point. */
static bool type_range(TaskScalar s, CRange *out)
{
    const double bits = 8.0 * (double)task_scalar_size(s);
    const bool is_unsigned = s == TASK_U8 || s == TASK_U16 || s == TASK_U32 || s == TASK_U64;
    if (task_scalar_is_float(s))
        return false;
    *out = is_unsigned ? (CRange){0, pow(2, fmin(bits, 63)) - 1}
                       : (CRange){-pow(2, bits - 1), pow(2, bits - 1) - 1};
    return true;
}

/* One lane of a number: inside its type? */
static bool check_lane(CodeLines *l, const Argument *g, const Expr *e)
{
    CRange type;
    CWriter w = lines_writer(l, false);
    const CRange r = c_range(&w, e);
    const bool may_fail = c_may_fail(&w, e);
    if (expr_kind(e) != VALUE_INT && expr_kind(e) != VALUE_REAL)
        return false;
    if (!type_range(g->element.scalar, &type) || (r.low >= type.low && r.high <= type.high)) {
        if (may_fail)
            buf_puts(&l->text, "    (void)(");
        const bool said = !may_fail || lines_expr(l, e, false, C_ANYWHERE);
        buf_puts(&l->text, may_fail ? ");\n" : "");
        return said;
    }
    if (expr_kind(e) != VALUE_INT)
        return false;
    code_puts(l->code, &l->text, "    if (!@is_between(");
    const bool said = lines_expr(l, e, false, C_ANYWHERE);
    const bool wide = task_scalar_size(g->element.scalar) == 8;
    buf_puts(&l->text, ", ");
    c_value(value_int(wide ? (type.low < 0 ? INT64_MIN : 0) : (int64_t)type.low), &l->text);
    buf_puts(&l->text, ", ");
    c_value(value_int(wide ? INT64_MAX : (int64_t)type.high), &l->text);
    buf_puts(&l->text, "))\n        return 0; /* ");
    text_comment(&l->text, g->name);
    buf_puts(&l->text, " */\n");
    return said;
}

/* Floating-point halves that are computed have no words in plain C. */
static bool check_number(CodeLines *l, const Argument *g, const Expr *value)
{
    size_t count;
    Expr *const *lanes = c_list(value, &count);
    if (g->element.scalar == TASK_HALF && !expr_literal(value))
        return false;
    if (expr_literal(value))
        return true;
    if (expr_kind(value) == VALUE_LIST && !lanes)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!check_lane(l, g, lanes ? lanes[i] : value))
            return false;
    return true;
}

/* --- how a launch is launched
 * ---------------------------------------------------------------------- */

static bool write_shape_lines(CodeLines *l, const CodeVariant *v, const CodeLaunch *k)
{
    for (int i = 0; i < 7; i++) {
        const Expr *e = i < 3 ? k->grid[i] : i < 6 ? k->block[i - 3] : k->shared;
        if (i < 6)
            buf_printf(&l->text, "    s->%s[%d] = ", i < 3 ? "grid" : "block", i % 3);
        else
            buf_puts(&l->text, "    s->shared = ");
        if (!lines_expr(l, e, true, C_ANYWHERE))
            return false;
        buf_puts(&l->text, ";\n");
    }
    for (size_t i = 0; i < k->item_count; i++)
        if (k->items[i].value && !check_number(l, k->items[i].item->own, k->items[i].value))
            return false;
    (void)v;
    return true;
}

/* Does a text use the problem, and the repeat name? */
static bool mentions(const Buf *text, const char *word)
{
    return strstr(buf_text(text), word) != NULL;
}

/* As a word of its own. */
static bool mentions_name(const Buf *text, const char *name)
{
    const size_t length = strlen(name);
    const char *start = buf_text(text);
    for (const char *p = strstr(start, name); p; p = strstr(p + 1, name)) {
        const bool begins = p == start || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                                  "WXYZ0123456789_>.",
                                                  p[-1]);
        const bool ends = !p[length] || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                                "YZ0123456789_",
                                                p[length]);
        if (begins && ends)
            return true;
    }
    return false;
}

static bool write_shape(Code *c, const CodeVariant *v, size_t launch, Buf *out)
{
    const CodeLaunch *k = &v->launches[launch];
    CodeLines l = {.code = c, .variant = v};
    const bool said = write_shape_lines(&l, v, k);
    code_printf(c, out, "static int @shape_%s(const @problem *p, ", code_suffix(c, v, launch));
    if (k->name)
        buf_printf(out, "long long %s, ", k->name);
    code_puts(c, out, "@shape *s)\n{\n");
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    if (k->name && !mentions_name(&l.text, k->name))
        buf_printf(out, "    (void)%s;\n", k->name);
    buf_puts(out, buf_text(&l.text));
    code_printf(c, out, "    return %s@is_launchable(s);\n}\n\n", l.uses_ok ? "ok && " : "");
    buf_free(&l.text);
    return said;
}

/* --- what is asked of a size
 * ----------------------------------------------------------------------- */

/* "    return 0; /" "* require … *" "/" with the text of the spec. */
static void refuse(CodeLines *l, const char *what, const Expr *e)
{
    const Span at = expr_span(e);
    buf_printf(&l->text, "\n        return 0; /* %s", what);
    if (at.source)
        text_comment_part(&l->text, at.source->text + at.offset, at.length);
    buf_puts(&l->text, " */\n");
}

static bool ask_condition(CodeLines *l, const Expr *condition, const Expr *written)
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

static bool concerns_size_alone(const Code *c, const Expr *e)
{
    return c_uses_only(e, c->spec->problem_name_count);
}

/* A buffer has elements, and not more bytes than can be. */
static bool ask_count(CodeLines *l, const Argument *g, const Expr *count)
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
        } else if (!concerns_size_alone(c, g->count) && !ask_count(l, g, v->counts[i])) {
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
            !check_number(l, &s->arguments[i], v->values[i]))
            return false;
    return true;
}

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

static bool ask_spec(CodeLines *l, const CodeVariant *v, const char **why)
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
        if (!concerns_size_alone(l->code, written) &&
            !ask_condition(l, expr_fold(l->code->arena, written, v->slots, v->known, v->meaning),
                           written))
            return false;
    }
    *why = "the sizes of its buffers";
    if (!ask_counts(l, v))
        return false;
    *why = "the numbers that it gets";
    return ask_numbers(l, v);
}

/* --- the functions
 * --------------------------------------------------------------------------------- */

static void ask_tuned_size(CodeLines *l, const CodeVariant *v)
{
    const Code *c = l->code;
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        buf_printf(&l->text, "%sp->%s != ", i ? " || " : "    if (", c->problem_fields[i]);
        c_value(v->variant->slots[i], &l->text);
    }
    if (c->spec->problem_name_count > 0)
        buf_puts(&l->text, ")\n        return 0;\n");
}

/* One launch: of all its steps. */
static bool ask_launch(CodeLines *l, const CodeVariant *v, size_t launch)
{
    Code *c = l->code;
    const CodeLaunch *k = &v->launches[launch];
    const Value *shared = expr_literal(k->shared);
    const bool asks_shared = !shared || shared->integer != 0;
    Buf body = {0};
    bool said = true;
    if (k->repeat && !expr_literal(k->repeat)) {
        buf_puts(&l->text, "    if (");
        said = lines_expr(l, k->repeat, true, C_RELATION);
        buf_puts(&l->text, " < 1)\n        return 0;\n");
    }
    code_printf(c, &body, "%sif (!@shape_%s(p, %s%s&s)%s)\n%sreturn 0;\n",
                k->name ? "        " : "    ", code_suffix(c, v, launch), k->name ? k->name : "",
                k->name ? ", " : "", asks_shared ? " || s.shared > d->shared_bytes" : "",
                k->name ? "            " : "        ");
    if (k->name)
        said = said && count_steps(l, k) && code_steps(l, k, buf_text(&body));
    else
        buf_puts(&l->text, buf_text(&body));
    buf_free(&body);
    return said;
}

static bool write_fits(Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    CodeLines l = {.code = c, .variant = v};
    bool said = true;
    if (v->tuned_size_only)
        ask_tuned_size(&l, v);
    else
        said = ask_spec(&l, v, why);
    for (size_t k = 0; k < c->spec->launch_count && said; k++) {
        *why = c->spec->launches[k].entry;
        said = ask_launch(&l, v, k);
    }
    code_printf(c, out, "static int @fits_%zu(const @device *d, const @problem *p)\n{\n",
                v->number);
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    code_puts(c, out, "    @shape s;\n");
    buf_puts(out, mentions(&l.text, "d->") ? "" : "    (void)d;\n");
    buf_puts(out, buf_text(&l.text));
    buf_printf(out, "    return %s;\n}\n\n", l.uses_ok ? "ok" : "1");
    buf_free(&l.text);
    return said;
}

/* Bytes of one buffer as an expression. */
static const Expr *bytes_of(const Code *c, const CodeVariant *v, size_t argument)
{
    const size_t size = task_type_size(c->spec->arguments[argument].element);
    return expr_product(c->arena, v->counts[argument],
                        expr_of_value(c->arena, value_int((int64_t)size)));
}

const Expr *code_bytes(const Code *c, const CodeVariant *v, size_t argument)
{
    return bytes_of(c, v, argument);
}

static bool write_scratch(Code *c, const CodeVariant *v, Buf *out)
{
    CodeLines l = {.code = c, .variant = v};
    bool said = true;
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const Argument *g = &c->spec->arguments[i];
        if (!code_is_scratch(g) || !v->taken[i])
            continue;
        code_puts(c, &l.text, "    bytes += @padded(");
        said = said && lines_expr(&l, bytes_of(c, v, i), true, C_ANYWHERE);
        buf_puts(&l.text, "); /* ");
        text_comment(&l.text, g->name);
        buf_puts(&l.text, " */\n");
    }
    code_printf(c, out, "static size_t @scratch_%zu(const @problem *p)\n{\n", v->number);
    buf_puts(out, "    size_t bytes = 0;\n");
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    buf_puts(out, buf_text(&l.text));
    buf_puts(out, "    return bytes;\n}\n\n");
    buf_free(&l.text);
    return said;
}

/* An expression in problem names alone. */
const Expr *code_of_size(const Code *c, const Expr *e)
{
    const bool *nothing = ARENA_ARRAY(c->arena, bool, spec_slot_count(c->spec));
    return expr_fold(c->arena, e, NULL, nothing, NULL);
}

static bool is_sayable_of_size(Code *c, const Expr *e)
{
    CodeLines l = {.code = c};
    const bool said = ask_condition(&l, code_of_size(c, e), e);
    buf_free(&l.text);
    return said;
}

/* What is asked of all variants together; one that has no words leaves them the tuned sizes. */
static bool is_sound_sayable(Code *c, const char **why)
{
    for (size_t i = 0; i < c->spec->constraint_count; i++) {
        const Expr *e = c->spec->constraints[i].condition;
        *why = expr_text(c->arena, e);
        if (concerns_size_alone(c, e) && !is_sayable_of_size(c, e))
            return false;
    }
    return true;
}

static void write_heading(Code *c, const CodeVariant *v, Buf *out)
{
    buf_printf(out, "/* --- variant %zu ---\n *\n * ", v->number);
    text_comment_wrapped(out, " * ", v->variant->name);
    buf_puts(out, "\n");
    if (v->why) {
        buf_puts(out, " *\n * It serves the size alone that it was tuned for, since there are no "
                      "words in C for\n * ");
        text_comment(out, v->why);
        buf_puts(out, "\n");
    } else if (v->tuned_size_only && c->spec->problem_name_count > 0) {
        buf_puts(out, " *\n * Its code was compiled for one size, which it serves alone.\n");
    }
    buf_puts(out, " */\n\n");
}

static bool write_variant(Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    bool said = true;
    write_heading(c, v, out);
    for (size_t l = 0; l < c->spec->launch_count && said; l++) {
        *why = c->spec->launches[l].entry;
        said = write_shape(c, v, l, out);
    }
    said = said && write_fits(c, v, out, why);
    if (said && c->has_scratch) {
        *why = "the sizes of its buffers";
        said = write_scratch(c, v, out);
    }
    return said;
}

bool code_is_sayable(Code *c, const CodeVariant *v, const char **why)
{
    Buf text = {0};
    const unsigned helpers = c->helpers;
    *why = "";
    const bool said =
        is_sound_sayable(c, why) && write_variant(c, v, &text, why) && code_run(c, v, &text, why);
    c->helpers = helpers;
    buf_free(&text);
    return said;
}

/* What does not depend on the variant.  What has no words in C is asked of each variant that
 * serves other sizes than its own: there is none then. */
static void write_sound(Code *c, Buf *out)
{
    const Spec *s = c->spec;
    CodeLines l = {.code = c};
    for (size_t i = 0; i < s->problem_name_count; i++) {
        const bool real = code_problem_is_real(c, i);
        code_printf(c, &l.text, "    if (!(p->%s >= ", c->problem_fields[i]);
        const CRange r = c->names[i].range;
        c_value(real ? value_real(r.low) : value_int((int64_t)r.low), &l.text);
        buf_printf(&l.text, " && p->%s <= ", c->problem_fields[i]);
        c_value(real ? value_real(r.high) : value_int((int64_t)r.high), &l.text);
        buf_puts(&l.text, "))\n        return 0;\n");
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        const Expr *e = s->constraints[i].condition;
        if (concerns_size_alone(c, e) && is_sayable_of_size(c, e))
            ask_condition(&l, code_of_size(c, e), e);
    }
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        if (g->count && g->role != ARGUMENT_CONSTANT && concerns_size_alone(c, g->count))
            ask_count(&l, g, code_of_size(c, g->count));
    }
    code_puts(c, out,
              "/* Is it a size at all: numbers that are counted with, buffers with something in "
              "them, and\n"
              " * what is asked of every variant? */\n"
              "static int @is_sound(const @problem *p)\n{\n");
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    buf_puts(out, buf_text(&l.text));
    buf_printf(out, "    return %s;\n}\n\n", l.uses_ok ? "ok" : "1");
    buf_free(&l.text);
}

static void write_common(const Code *c, const Buf *functions, Buf *out)
{
    code_puts(
        c, out,
        "/* Launches as CUDA takes them, of every compute capability that CUDA 13 compiles for:\n"
        " * CUDA Programming Guide, \"Compute Capabilities\". */\n"
        "static int @is_launchable(const @shape *s)\n{\n"
        "    const long long *const g = s->grid, *const b = s->block;\n"
        "    return g[0] >= 1 && g[1] >= 1 && g[2] >= 1 && b[0] >= 1 && b[1] >= 1 && b[2] >= 1 "
        "&&\n"
        "           g[0] <= 2147483647 && g[1] <= 65535 && g[2] <= 65535 && b[0] <= 1024 &&\n"
        "           b[1] <= 1024 && b[2] <= 64 && b[0] * b[1] * b[2] <= 1024 && s->shared >= "
        "0 &&\n"
        "           s->shared <= 2147483647;\n}\n\n");
    if (mentions(functions, "is_count("))
        code_puts(c, out,
                  "/* As many elements of `size` bytes as a buffer may have. */\n"
                  "static int @is_count(long long count, long long size)\n{\n"
                  "    return count >= 1 && count <= (1LL << 48) / size;\n}\n\n");
    if (mentions(functions, "is_between("))
        code_puts(c, out,
                  "static int @is_between(long long value, long long least, long long most)\n{\n"
                  "    return value >= least && value <= most;\n}\n\n");
    if (mentions(functions, "steps_of("))
        code_puts(c, out,
                  "/* Values of a loop from `from` to below `to`. */\n"
                  "static long long @steps_of(long long from, long long to, long long step)\n{\n"
                  "    return from < to ? (to - from - 1) / step + 1 : 0;\n}\n\n");
    if (c->has_scratch)
        code_puts(
            c, out,
            "/* Bytes that a buffer takes of the scratch memory, so that the next is aligned. */\n"
            "static size_t @padded(long long bytes)\n{\n"
            "    return ((size_t)bytes + 255) / 256 * 256;\n}\n\n");
}

void code_sizes(Code *c, Buf *out)
{
    Buf functions = {0};
    const char *why;
    write_sound(c, &functions);
    for (size_t i = 0; i < c->unit->variant_count; i++)
        write_variant(c, &c->variants[i], &functions, &why);
    write_common(c, &functions, out);
    buf_puts(out, buf_text(&functions));
    buf_free(&functions);
}

bool code_work_is_sayable(Code *c, const Expr *e)
{
    CodeLines l = {.code = c};
    CWriter w = lines_writer(&l, false);
    const bool said = concerns_size_alone(c, e) && c_real(&w, code_of_size(c, e), C_ANYWHERE);
    buf_free(&l.text);
    return said;
}

bool code_counts_by_variant(const Code *c, size_t argument)
{
    const Argument *g = &c->spec->arguments[argument];
    return g->count && c->fields[argument] && !concerns_size_alone(c, g->count);
}

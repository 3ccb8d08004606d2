/* How a launch is launched: of each variant the functions that tell grid, block and shared memory,
 * and whether the numbers that the kernel gets fit their types. */
#include "tuner/emit/code_size.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- numbers that kernels get ----------------------------------------------------------------- */

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
static bool check_lane(CodeLines *l, const Argument *g, TaskScalar scalar, const Expr *e)
{
    CRange type;
    CWriter w = lines_writer(l, false);
    const CRange r = c_range(&w, e);
    const bool may_fail = c_may_fail(&w, e);
    if (expr_kind(e) != VALUE_INT && expr_kind(e) != VALUE_REAL)
        return false;
    if (!type_range(scalar, &type) || (r.low >= type.low && r.high <= type.high)) {
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
    const bool wide = task_scalar_size(scalar) == 8;
    buf_puts(&l->text, ", ");
    c_value(value_int(wide ? (type.low < 0 ? INT64_MIN : 0) : (int64_t)type.low), &l->text);
    buf_puts(&l->text, ", ");
    c_value(value_int(wide ? INT64_MAX : (int64_t)type.high), &l->text);
    buf_puts(&l->text, "))\n        return 0; /* ");
    text_comment(&l->text, g->name);
    buf_puts(&l->text, " */\n");
    return said;
}

/* Numbers narrower than float that are computed have no words in plain C. */
bool code_ask_number(CodeLines *l, const Argument *g, const Expr *value)
{
    size_t count;
    Expr *const *lanes = c_list(value, &count);
    const int numbers = argument_numbers(g);
    if (expr_literal(value))
        return true;
    if (expr_kind(value) == VALUE_LIST && (!lanes || count != (size_t)numbers))
        return false;
    for (int i = 0; i < numbers; i++) {
        const TaskScalar scalar = argument_number(g, i).scalar;
        const Expr *e = lanes ? lanes[i] : value;
        if ((task_scalar_in_c(scalar) != scalar && !expr_literal(e)) ||
            !check_lane(l, g, scalar, e))
            return false;
        if (!lanes && !g->fields)
            break;
    }
    return true;
}

/* --- the function ----------------------------------------------------------------------------- */

static bool write_shape_lines(CodeLines *l, const CodeLaunch *k)
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
        if (k->items[i].value && !code_ask_number(l, k->items[i].item->own, k->items[i].value))
            return false;
    return true;
}

bool code_mentions(const Buf *text, const char *word)
{
    return strstr(buf_text(text), word) != NULL;
}

/* The same of a word of its own. */
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

bool code_shape(Code *c, const CodeVariant *v, size_t launch, Buf *out)
{
    const CodeLaunch *k = &v->launches[launch];
    CodeLines l = {.code = c, .variant = v};
    const bool said = write_shape_lines(&l, k);
    code_printf(c, out, "static int @shape_%s(const @problem *p, ", code_suffix(c, v, launch));
    if (k->name)
        buf_printf(out, "long long %s, ", k->name);
    code_puts(c, out, "@shape *s)\n{\n");
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, code_mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    if (k->name && !mentions_name(&l.text, k->name))
        buf_printf(out, "    (void)%s;\n", k->name);
    buf_puts(out, buf_text(&l.text));
    code_printf(c, out, "    return %s@is_launchable(s);\n}\n\n", l.uses_ok ? "ok && " : "");
    buf_free(&l.text);
    return said;
}

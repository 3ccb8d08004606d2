/* Launches that repeat by name: loops over the values that the name takes, and their number. */
#include "tuner/emit/code_size.h"

#include <inttypes.h>
#include <stdint.h>

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
bool code_ask_steps(CodeLines *l, const CodeLaunch *k)
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

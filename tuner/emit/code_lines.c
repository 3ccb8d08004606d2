/* Helpers for writing emitted texts: constants, and the lines of a function. */
#include "tuner/emit/code_parts.h"

#include "tuner/spec/contents.h"

/* Scratch with other contents is a field of the arguments, which the caller fills. */
bool code_is_scratch(const Argument *g)
{
    return g->role == ARGUMENT_SCRATCH &&
           (g->contents.kind == CONTENTS_ZERO || g->contents.kind == CONTENTS_UNDEFINED);
}

/* --- constants -------------------------------------------------------------------------------- */

bool code_literal(TaskScalar type, Value v, Buf *out)
{
    const double real = value_as_real(v);
    unsigned char bytes[8];
    if (v.kind != VALUE_INT && v.kind != VALUE_REAL)
        return false;
    if (!contents_store_value(type, v, bytes))
        return false;
    if (!task_scalar_is_float(type))
        return v.kind == VALUE_INT && c_value(v, out);
    if (task_scalar_in_c(type) != type) {
        const int digits = 2 * (int)task_scalar_size(type);
        buf_printf(out, "0x%0*llx", digits,
                   (unsigned long long)contents_value(task_scalar_in_c(type), bytes));
        return true;
    }
    const bool same = type == TASK_DOUBLE || contents_value(type, bytes) == real;
    buf_puts(out, same ? "" : "(float)");
    const bool ok = c_value(value_real(real), out);
    buf_puts(out, same && type == TASK_FLOAT ? "f" : "");
    return ok;
}

const Expr *code_bytes(const Code *c, const CodeVariant *v, size_t argument)
{
    const size_t size = task_type_size(c->spec->arguments[argument].element);
    return expr_product(c->arena, v->counts[argument],
                        expr_of_value(c->arena, value_int((int64_t)size)));
}

/* --- functions -------------------------------------------------------------------------------- */

CWriter lines_writer(CodeLines *l, bool exact)
{
    return (CWriter){.out = &l->text,
                     .names = l->variant ? l->variant->names : l->code->names,
                     .prefix = l->code->prefix,
                     .exact = exact};
}

void lines_emit(CodeLines *l, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    for (const char *p = pattern; *p; p++) {
        CWriter w = lines_writer(l, *p == '%' && p[1] == 'x');
        if (*p == '@')
            buf_puts(&l->text, l->code->prefix);
        else if (*p != '%')
            buf_putc(&l->text, *p);
        else if (*++p == 's')
            buf_puts(&l->text, va_arg(args, const char *));
        else if (*p == 'c')
            buf_puts(&l->text, text_comment(l->code->arena, va_arg(args, const char *)));
        else if (*p == 'q')
            text_string(&l->text, va_arg(args, const char *));
        else if (*p == 'z')
            buf_printf(&l->text, "%zu", va_arg(args, size_t));
        else if (*p == 'v')
            l->failed = !c_value(va_arg(args, Value), &l->text) || l->failed;
        else {
            const Expr *e = va_arg(args, const Expr *);
            l->failed = !c_expr(&w, e, (CPrecedence)va_arg(args, int)) || l->failed;
        }
    }
    va_end(args);
}

void lines_end(CodeLines *l, const char *result, Buf *out, const char *head, ...)
{
    const char *body = buf_text(&l->text);
    const bool may_fail = strstr(body, "&ok") != NULL;
    const size_t start = out->size;
    va_list args;
    va_start(args, head);
    buf_vprintf(out, head, args);
    va_end(args);
    const bool has_arguments = strstr(buf_text(out) + start, "*a)") != NULL;
    buf_puts(out, may_fail ? "\n{\n    int ok = 1;\n" : "\n{\n");
    buf_puts(out, strstr(body, "p->") ? "" : "    (void)p;\n");
    buf_puts(out, has_arguments && !strstr(body, "a->") ? "    (void)a;\n" : "");
    buf_printf(out, "%s    return %s;\n}\n\n", body, result ? result : may_fail ? "ok" : "1");
    buf_free(&l->text);
}

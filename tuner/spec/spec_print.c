/* A spec as it was understood, in its own language: the dump of -d S. */
#include "tuner/spec/spec.h"

static void print_expr(Buf *out, const Expr *e)
{
    Span at = expr_span(e);
    buf_add(out, at.source->text + at.offset, at.length);
}

static void print_dimensions(Buf *out, const char *what, Expr *const e[3])
{
    buf_puts(out, what);
    for (int i = 0; i < 3 && e[i]; i++) {
        buf_puts(out, i ? ", " : " ");
        print_expr(out, e[i]);
    }
}

static void print_launch(Buf *out, const char *word, const Launch *k, const char *between)
{
    buf_printf(out, "%s \"%s\" %s%s", word, k->file, k->entry, between);
    print_dimensions(out, "block", k->block);
    buf_puts(out, between);
    print_dimensions(out, "grid", k->grid);
    if (k->shared) {
        buf_printf(out, "%sshared ", between);
        print_expr(out, k->shared);
    }
    buf_putc(out, '\n');
}

static void print_argument(Buf *out, const Argument *g)
{
    static const char *const words[] = {"in", "out", "inout", "arg"};
    buf_printf(out, "%s %s : %s", words[g->role], g->name, task_scalar_name(g->element.scalar));
    if (g->element.lanes > 1)
        buf_printf(out, "%d", g->element.lanes);
    if (g->role == ARGUMENT_SCALAR) {
        buf_puts(out, " = ");
        print_expr(out, g->value);
    } else {
        buf_putc(out, '[');
        print_expr(out, g->count);
        buf_putc(out, ']');
    }
    static const char *const contents[] = {"", "constant", "uniform"};
    for (int i = 0; i < 3 && g->contents.numbers[i]; i++) {
        if (i == 0)
            buf_printf(out, " = %s(", contents[g->contents.kind]);
        buf_puts(out, i ? ", " : "");
        print_expr(out, g->contents.numbers[i]);
    }
    buf_puts(out, g->contents.numbers[0] ? ")\n" : "\n");
}

void spec_print(const Spec *s, Buf *out)
{
    for (size_t i = 0; i < s->problem_count; i++)
        if (s->problem_name_count)
            buf_printf(out, "problem %s\n", s->problems[i].text);
    for (size_t i = 0; i < s->parameter_count; i++) {
        const Parameter *p = &s->parameters[i];
        buf_printf(out, "param %s in ", p->name);
        for (size_t j = 0; j < p->item_count; j++) {
            buf_puts(out, j ? ", " : "");
            print_expr(out, p->items[j]);
        }
        buf_printf(out, "    # %s%s\n", value_kind_name(p->kind),
                   p->dependent ? ", depends on others" : "");
    }
    for (size_t i = 0; i < s->derived_count; i++) {
        buf_printf(out, "let %s = ", s->derived[i].name);
        print_expr(out, s->derived[i].value);
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        buf_puts(out, "require ");
        print_expr(out, s->constraints[i].condition);
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < s->launch_count; i++)
        print_launch(out, "kernel", &s->launches[i], "\n");
    for (size_t i = 0; i < s->option_count; i++)
        buf_printf(out, "option \"%s\"\n", s->options[i]);
    for (size_t i = 0; i < s->argument_count; i++)
        print_argument(out, &s->arguments[i]);
    if (s->reference)
        print_launch(out, "reference", s->reference, " ");
    buf_printf(out, "tolerance %g\n", s->tolerance);
}

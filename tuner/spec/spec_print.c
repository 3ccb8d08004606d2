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

static void print_exprs(Buf *out, Expr *const *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(out, i ? ", " : " ");
        print_expr(out, e[i]);
    }
}

static void print_scalar(Buf *out, const Argument *g)
{
    buf_printf(out, "%s : ", g->name);
    argument_type_print(g, out);
    buf_puts(out, " = ");
    print_expr(out, g->value);
}

static void print_items(Buf *out, const Launch *k, const char *between)
{
    buf_printf(out, "%sargs", between);
    for (size_t i = 0; i < k->item_count; i++) {
        const bool more = i + 1 < k->item_count && k->items[i + 1].joined;
        buf_puts(out, i ? ", " : " ");
        buf_puts(out, more && !k->items[i].joined ? "struct(" : "");
        if (k->items[i].own)
            print_scalar(out, k->items[i].own);
        else
            print_expr(out, k->items[i].choice);
        buf_puts(out, k->items[i].joined && !more ? ")" : "");
    }
}

static void print_repeat(Buf *out, const Launch *k, const char *between)
{
    if (k->repeat) {
        buf_printf(out, "%srepeat ", between);
        print_expr(out, k->repeat);
    } else if (k->repeat_name) {
        buf_printf(out, "%srepeat %s in", between, k->repeat_name);
        print_exprs(out, k->repeat_values, k->repeat_value_count);
    }
}

static void print_launch(Buf *out, const char *word, const Launch *k, const char *between)
{
    const char *quote = k->expression ? "\"" : "";
    buf_printf(out, "%s %s\"%s\" %s%s%s%s", word, k->command ? "command " : "", k->file, quote,
               k->entry, quote, between);
    print_dimensions(out, "block", k->block);
    buf_puts(out, between);
    print_dimensions(out, "grid", k->grid);
    if (k->shared) {
        buf_printf(out, "%sshared ", between);
        print_expr(out, k->shared);
    }
    if (k->has_items)
        print_items(out, k, between);
    print_repeat(out, k, between);
    buf_puts(out, k->in_double ? " double\n" : "\n");
}

/* --- data
 * ----------------------------------------------------------------------------------------- */

static void print_contents(Buf *out, const Contents *c)
{
    static const char *const words[] = {"zero",    "constant", "uniform", "normal",
                                        "formula", "sorted",   "copy",    "lane",
                                        "lanes",   "file",     "kept"};
    buf_puts(out, words[c->kind]);
    if (c->kind == CONTENTS_ZERO || c->kind == CONTENTS_KEPT)
        return;
    buf_putc(out, '(');
    if (c->inner)
        print_contents(out, c->inner);
    if (c->file)
        buf_printf(out, "\"%s\"", c->file);
    if (c->from)
        buf_puts(out, c->from);
    for (int i = 0; i < 3 && c->numbers[i]; i++) {
        buf_puts(out, i || c->from ? ", " : "");
        print_expr(out, c->numbers[i]);
    }
    buf_putc(out, ')');
}

static void print_texture_modes(Buf *out, const Argument *g)
{
    static const char *const edges[] = {" wrap", "", " mirror", " border"};
    buf_printf(out, "%s%s%s%s", g->fetch ? " fetch" : "", g->linear ? " linear" : "",
               g->normalized ? " normalized" : "", edges[g->edge]);
}

static void print_argument(Buf *out, const Argument *g)
{
    static const char *const words[] = {"in",      "out",      "inout",  "arg",
                                        "scratch", "constant", "texture"};
    buf_printf(out, "%s ", words[g->role]);
    if (g->role == ARGUMENT_SCALAR) {
        print_scalar(out, g);
        buf_putc(out, '\n');
        return;
    }
    buf_printf(out, "%s : ", g->name);
    argument_type_print(g, out);
    buf_putc(out, '[');
    if (g->count)
        print_expr(out, g->count);
    for (int i = 0; i < TEXTURE_DIMENSIONS && g->size[i]; i++) {
        buf_puts(out, i ? ", " : "");
        print_expr(out, g->size[i]);
    }
    buf_putc(out, ']');
    if (g->role == ARGUMENT_TEXTURE)
        print_texture_modes(out, g);
    bool zero_is_said = g->role == ARGUMENT_OUT || g->role == ARGUMENT_SCRATCH;
    if (g->contents.kind != CONTENTS_UNDEFINED &&
        (g->contents.kind != CONTENTS_ZERO || zero_is_said)) {
        buf_puts(out, " = ");
        print_contents(out, &g->contents);
    }
    buf_putc(out, '\n');
}

static void print_comparison(Buf *out, const Argument *g)
{
    static const char *const scales[] = {"rms", "max", "element"};
    const Comparison *c = &g->comparison;
    if (g->expected) {
        buf_printf(out, "reference %s = ", g->name);
        print_contents(out, g->expected);
        buf_putc(out, '\n');
    }
    if (!c->at.source)
        return;
    buf_printf(out, "compare %s", g->name);
    if (c->sum)
        buf_puts(out, " sum");
    if (c->first) {
        buf_puts(out, " first ");
        print_expr(out, c->first);
    }
    if (c->except) {
        buf_puts(out, " except ");
        print_expr(out, c->except);
    }
    if (c->exact)
        buf_puts(out, " exact");
    if (c->has_relative)
        buf_printf(out, " relative %g of %s", c->relative, scales[c->scale]);
    if (c->has_absolute)
        buf_printf(out, " absolute %g", c->absolute);
    buf_putc(out, '\n');
}

static void print_trips(Buf *out, const SpecTrips *t)
{
    if (t->text)
        buf_printf(out, "trips \"%s\" = ", t->text);
    else
        buf_printf(out, "trips %lld = ", (long long)t->line);
    print_expr(out, t->rounds);
    buf_putc(out, '\n');
}

static void print_rival(Buf *out, const Rival *v)
{
    const char *quote = v->path ? "\"" : "";
    buf_printf(out, "rival %s%s%s %s%s", quote, v->library, quote, v->call,
               v->bound ? " bound" : "");
    print_items(out, &v->takes, " ");
    buf_putc(out, '\n');
}

static void print_option(Buf *out, const CompileOption *o)
{
    buf_printf(out, "option \"%s\"", o->text.written);
    if (o->condition) {
        buf_puts(out, " if ");
        print_expr(out, o->condition);
    }
    buf_putc(out, '\n');
}

static void print_work(Buf *out, const char *what, const Expr *e)
{
    if (!e)
        return;
    buf_printf(out, "work %s = ", what);
    print_expr(out, e);
    buf_putc(out, '\n');
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
        print_option(out, &s->option_parts[i]);
    for (size_t i = 0; i < s->argument_count; i++)
        print_argument(out, &s->arguments[i]);
    for (size_t i = 0; i < s->reference_count; i++)
        print_launch(out, "reference", &s->reference[i], " ");
    if (s->reference_first)
        buf_puts(out, "reference first\n");
    for (size_t i = 0; i < s->argument_count; i++)
        print_comparison(out, &s->arguments[i]);
    buf_printf(out, "tolerance %g\n", s->tolerance);
    for (size_t i = 0; i < s->trip_count; i++)
        print_trips(out, &s->trips[i]);
    print_work(out, "flop", s->work_flop);
    print_work(out, "bytes", s->work_bytes);
    print_work(out, "items", s->work_items);
    if (s->scale) {
        buf_puts(out, "scale ");
        print_expr(out, s->scale);
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < s->rival_count; i++)
        print_rival(out, &s->rivals[i]);
}

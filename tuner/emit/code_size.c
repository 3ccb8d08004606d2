/* Of each variant: the sizes that it is valid for.
 *
 * What the spec requires, what its parameters allow, what a device can launch and what the types of
 * the arguments hold, with the parameters filled in.  What concerns the size alone is asked once
 * for all variants. */
#include "tuner/emit/code_size.h"

#include <stdint.h>

const char *code_suffix(const Code *c, const CodeVariant *v, size_t launch)
{
    if (c->spec->launch_count == 1)
        return arena_printf(c->arena, "%zu", v->number);
    return arena_printf(c->arena, "%zu_%zu", v->number, launch + 1);
}

/* --- a variant -------------------------------------------------------------------------------- */

static void ask_tuned_size(CodeLines *l, const CodeVariant *v)
{
    const Code *c = l->code;
    bool any = false;
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        if (!v->known[i])
            continue;
        buf_printf(&l->text, "%sp->%s != ", any ? " || " : "    if (", c->problem_fields[i]);
        c_value(v->variant->slots[i], &l->text);
        any = true;
    }
    if (any)
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
        said = said && code_ask_steps(l, k) && code_steps(l, k, buf_text(&body));
    else
        buf_puts(&l->text, buf_text(&body));
    buf_free(&body);
    return said;
}

static bool write_fits(Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    CodeLines l = {.code = c, .variant = v};
    bool said = true;
    ask_tuned_size(&l, v);
    if (!v->tuned_size_only)
        said = code_ask_spec(&l, v, why);
    for (size_t k = 0; k < c->spec->launch_count && said; k++) {
        *why = c->spec->launches[k].entry;
        said = ask_launch(&l, v, k);
    }
    code_printf(c, out, "static int @fits_%zu(const @device *d, const @problem *p)\n{\n",
                v->number);
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    code_puts(c, out, "    @shape s;\n");
    buf_puts(out, code_mentions(&l.text, "d->") ? "" : "    (void)d;\n");
    buf_puts(out, buf_text(&l.text));
    buf_printf(out, "    return %s;\n}\n\n", l.uses_ok ? "ok" : "1");
    buf_free(&l.text);
    return said;
}

const Expr *code_bytes(const Code *c, const CodeVariant *v, size_t argument)
{
    const size_t size = task_type_size(c->spec->arguments[argument].element);
    return expr_product(c->arena, v->counts[argument],
                        expr_of_value(c->arena, value_int((int64_t)size)));
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
        said = said && lines_expr(&l, code_bytes(c, v, i), true, C_ANYWHERE);
        buf_puts(&l.text, "); /* ");
        text_comment(&l.text, g->name);
        buf_puts(&l.text, " */\n");
    }
    code_printf(c, out, "static size_t @scratch_%zu(const @problem *p)\n{\n", v->number);
    buf_puts(out, "    size_t bytes = 0;\n");
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, code_mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    buf_puts(out, buf_text(&l.text));
    buf_puts(out, "    return bytes;\n}\n\n");
    buf_free(&l.text);
    return said;
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
        said = code_shape(c, v, l, out);
    }
    said = said && write_fits(c, v, out, why);
    if (said && c->has_scratch) {
        *why = "the sizes of its buffers";
        said = write_scratch(c, v, out);
    }
    return said;
}

/* --- the size alone --------------------------------------------------------------------------- */

const Expr *code_of_size(const Code *c, const Expr *e)
{
    const bool *nothing = ARENA_ARRAY(c->arena, bool, spec_slot_count(c->spec));
    return expr_fold(c->arena, e, NULL, nothing, NULL);
}

static bool is_sayable_of_size(Code *c, const Expr *e)
{
    CodeLines l = {.code = c};
    const bool said = code_ask_condition(&l, code_of_size(c, e), e);
    buf_free(&l.text);
    return said;
}

/* What is asked of all variants together; one that has no words leaves them the tuned sizes. */
static bool is_sound_sayable(Code *c, const char **why)
{
    for (size_t i = 0; i < c->spec->constraint_count; i++) {
        const Expr *e = c->spec->constraints[i].condition;
        *why = expr_text(c->arena, e);
        if (code_concerns_size_alone(c, e) && !is_sayable_of_size(c, e))
            return false;
    }
    return true;
}

bool code_work_is_sayable(Code *c, const Expr *e)
{
    CodeLines l = {.code = c};
    CWriter w = lines_writer(&l, false);
    const bool said = code_concerns_size_alone(c, e) && c_real(&w, code_of_size(c, e), C_ANYWHERE);
    buf_free(&l.text);
    return said;
}

bool code_scale_is_sayable(Code *c, const CodeVariant *v)
{
    CodeLines l = {.code = c, .variant = v};
    CWriter w = lines_writer(&l, false);
    const bool said = v->scale && c_real(&w, v->scale, C_ANYWHERE);
    buf_free(&l.text);
    return said;
}

bool code_counts_by_variant(const Code *c, size_t argument)
{
    const Argument *g = &c->spec->arguments[argument];
    return g->count && c->fields[argument] && !code_concerns_size_alone(c, g->count);
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
        if (code_concerns_size_alone(c, e) && is_sayable_of_size(c, e))
            code_ask_condition(&l, code_of_size(c, e), e);
    }
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        if (g->count && g->role != ARGUMENT_CONSTANT && code_concerns_size_alone(c, g->count))
            code_ask_count(&l, g, code_of_size(c, g->count));
    }
    code_puts(c, out,
              "/* Is it a size at all: numbers that are counted with, buffers with something in "
              "them, and\n"
              " * what is asked of every variant? */\n"
              "static int @is_sound(const @problem *p)\n{\n");
    buf_puts(out, l.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, code_mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    buf_puts(out, buf_text(&l.text));
    buf_printf(out, "    return %s;\n}\n\n", l.uses_ok ? "ok" : "1");
    buf_free(&l.text);
}

/* --- the whole -------------------------------------------------------------------------------- */

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
    if (code_mentions(functions, "is_count("))
        code_puts(c, out,
                  "/* As many elements of `size` bytes as a buffer may have. */\n"
                  "static int @is_count(long long count, long long size)\n{\n"
                  "    return count >= 1 && count <= (1LL << 48) / size;\n}\n\n");
    if (code_mentions(functions, "is_between("))
        code_puts(c, out,
                  "static int @is_between(long long value, long long least, long long most)\n{\n"
                  "    return value >= least && value <= most;\n}\n\n");
    if (code_mentions(functions, "steps_of("))
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

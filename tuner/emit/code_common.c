/* Of NAME.c and NAME.cu what is the same in all flavours. */
#include "tuner/emit/code_parts.h"

#include <string.h>

/* --- what a unit has to do -------------------------------------------------------------------- */

bool code_has_constants(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->spec->arguments[i].role == ARGUMENT_CONSTANT)
            return true;
    return false;
}

static bool is_taken(const Code *c, size_t argument)
{
    for (size_t v = 0; v < c->unit->variant_count; v++)
        if (c->variants[v].taken[argument])
            return true;
    return false;
}

bool code_has_zeros(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (code_is_zeroed(&c->spec->arguments[i]) && is_taken(c, i))
            return true;
    return false;
}

bool code_launch_has_shared(const Code *c, size_t launch)
{
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        const Value *shared = expr_literal(c->variants[v].launches[launch].shared);
        if (!shared || shared->integer != 0)
            return true;
    }
    return false;
}

bool code_has_shared(const Code *c)
{
    for (size_t l = 0; l < c->spec->launch_count; l++)
        if (code_launch_has_shared(c, l))
            return true;
    return false;
}

/* --- how the unit begins ---------------------------------------------------------------------- */

void code_top(const Code *c, Buf *out)
{
    const EmitUnit *u = c->unit;
    const char *kind = u->flavour == EMIT_RUNTIME ? "CUDA runtime API, for nvcc"
                       : u->flavour == EMIT_DRIVER
                           ? "CUDA driver API, opened at run time: link with -ldl where that is a "
                             "library, and with\n * -lpthread"
                           : "CUDA driver API: link with -lcuda and -lpthread";
    buf_printf(out, "/* %s.%s: the tuned kernels behind %s.h.\n *\n", u->name,
               u->flavour == EMIT_RUNTIME ? "cu" : "c", u->name);
    buf_printf(out, " * %s.\n *\n", kind);
    buf_printf(
        out,
        " * Made by aptune %s; what is inside and where it comes from stands in %s.h.  Which "
        "variant a\n"
        " * size gets: what the table has for it, or for the nearest size, as far as the spec's\n"
        " * constraints, the launch's limits and the arguments' types allow.  p->N is a number of "
        "the\n * problem; p a problem, a the arguments, s the shape of a launch.\n *\n"
        " * SPDX-License-Identifier: 0BSD (free of conditions, but for what the kernels' text says "
        "of "
        "itself) */\n",
        APTUNE_VERSION, u->name);
}

void code_common(const Code *c, Buf *out)
{
    code_puts(c, out,
              "/* --- sizes "
              "-------------------------------------------------------------------------- */\n"
              "\n"
              "/* What is asked of a device before it is used. */\n"
              "typedef struct @device {\n"
              "    const char *name;\n"
              "    int arch;               /* 90 is compute capability 9.0 */\n"
              "    long long shared_bytes; /* dynamic shared memory that a block may have */\n"
              "} @device;\n"
              "\n"
              "/* How a kernel is launched. */\n"
              "typedef struct @shape {\n"
              "    long long grid[3], block[3], shared;\n"
              "} @shape;\n"
              "\n");
}

/* --- the interface ---------------------------------------------------------------------------- */

static const char STATUS_TEXT[] =
    "const char *@status_text(int status)\n"
    "{\n"
    "    switch (status) {\n"
    "    case ^OK:\n"
    "        return \"ok\";\n"
    "    case ^NO_DRIVER:\n"
    "        return \"there is no CUDA driver, or no device that it can use\";\n"
    "    case ^NO_CODE:\n"
    "        return \"none of the variants runs on this device\";\n"
    "    case ^SIZE:\n"
    "        return \"none of the variants is valid for this size\";\n"
    "    case ^ARGUMENT:\n"
    "        return \"an argument is missing, or a pointer is not aligned\";\n"
    "    case ^CUDA:\n"
    "        return \"a CUDA function failed\";\n"
    "    default:\n"
    "        return \"unknown status\";\n"
    "    }\n"
    "}\n"
    "\n";

static void write_default(const Code *c, size_t i, Buf *out)
{
    const Argument *g = &c->spec->arguments[i];
    Evaluation ev = {.arena = c->arena};
    Value v;
    if (g->role != ARGUMENT_SCALAR || !c->fields[i] || !expr_eval(g->value, NULL, &ev, &v))
        return;
    for (int lane = 0; lane < argument_numbers(g); lane++) {
        const Value one = v.kind == VALUE_LIST ? v.list->at[lane] : v;
        buf_printf(out, "    a->%s", c->fields[i]);
        if (g->fields)
            buf_printf(out, ".m%d", lane);
        else if (g->element.lanes > 1)
            buf_printf(out, "[%d]", lane);
        buf_puts(out, " = ");
        code_literal(argument_number(g, lane).scalar, one, out);
        buf_puts(out, ";\n");
    }
}

static void write_defaults(const Code *c, Buf *out)
{
    code_puts(c, out, "void @arguments_default(@arguments *a)\n{\n    memset(a, 0, sizeof *a);\n");
    for (size_t i = 0; i < c->spec->argument_count; i++)
        write_default(c, i, out);
    buf_puts(out, "}\n\n");
}

static void write_scratch_bytes(const Code *c, Buf *out)
{
    code_puts(c, out,
              "size_t @scratch_bytes(const @kernel *k, const @problem *p)\n{\n"
              "    @choice choice;\n"
              "    return @choose(k, p, &choice) == ^OK ? choice.scratch_bytes : 0;\n}\n\n");
}

/* How many elements a buffer has, by variant. */
static void write_elements(Code *c, size_t argument, Buf *out)
{
    const char *name = c->spec->arguments[argument].name;
    Buf cases = {0};
    bool uses_ok = false;
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        CodeLines l = {.code = c, .variant = &c->variants[v]};
        lines_expr(&l, c->variants[v].counts[argument], true, C_ANYWHERE);
        buf_printf(&cases, "    case %zu:\n        return %s;\n", v + 1, buf_text(&l.text));
        uses_ok = uses_ok || l.uses_ok;
        buf_free(&l.text);
    }
    code_printf(c, out, "static long long @count_%s(int variant, const @problem *p)\n{\n%s%s", name,
                uses_ok ? "    int ok = 1;\n" : "",
                strstr(buf_text(&cases), "p->") ? "" : "    (void)p;\n");
    buf_printf(out, "    switch (variant) {\n%s    default:\n        return 0;\n    }\n}\n\n",
               buf_text(&cases));
    code_printf(c, out,
                "long long @%s_elements(int variant, const @problem *p)\n{\n"
                "    const @device any = {\"\", 0, LLONG_MAX};\n"
                "    long long most = 0;\n"
                "    for (int i = 1; i <= (int)^VARIANTS; i++)\n"
                "        if ((variant == 0 || variant == i) && @fits(i, &any, p) && @count_%s(i, "
                "p) > most)\n"
                "            most = @count_%s(i, p);\n"
                "    return most;\n}\n\n",
                name, name, name);
    buf_free(&cases);
}

/* The work of a run, where it is a matter of the size alone.  It is counted in integers that
 * numbers out of range would overflow. */
static void write_work(Code *c, const char *name, const Expr *e, Buf *out)
{
    CodeLines l = {.code = c};
    if (!e || !code_work_is_sayable(c, e))
        return;
    CWriter w = lines_writer(&l, false);
    c_real(&w, code_of_size(c, e), C_ANYWHERE);
    code_printf(c, out, "double @%s(const @problem *p)\n{\n", name);
    buf_puts(out, w.uses_ok ? "    int ok = 1;\n" : "");
    code_puts(c, out, "    if (!@is_sound(p))\n        return 0;\n");
    if (w.uses_ok)
        buf_printf(out, "    const double work = %s;\n    return ok ? work : 0;\n}\n\n",
                   buf_text(&l.text));
    else
        buf_printf(out, "    return %s;\n}\n\n", buf_text(&l.text));
    buf_free(&l.text);
}

void code_interface(Code *c, Buf *out)
{
    code_puts(c, out, STATUS_TEXT);
    write_defaults(c, out);
    write_scratch_bytes(c, out);
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (code_counts_by_variant(c, i))
            write_elements(c, i, out);
    write_work(c, "flop", c->spec->work_flop, out);
    write_work(c, "bytes", c->spec->work_bytes, out);
    write_work(c, "items", c->spec->work_items, out);
}

/* Of each variant: the function that lays out the arguments of its launches and launches them. */
#include "tuner/emit/code_parts.h"

#include <stdint.h>
#include <string.h>

const char *code_namespace(const Code *c, const CodeVariant *v, size_t launch)
{
    const EmitCode *codes = v->variant->codes;
    size_t number = 1;
    for (size_t l = 0; l < codes[launch].shares; l++)
        number += codes[l].shares == l;
    return number == 1 ? arena_printf(c->arena, "v%zu", v->number)
                       : arena_printf(c->arena, "v%zu_%zu", v->number, number);
}

/* Names of a function's own, and of the arguments' in it. */
typedef struct Locals {
    CodeLines lines;
    const CodeVariant *variant;
    const char **names; /* of the spec's arguments */
    const char **taken;
    size_t taken_count;
} Locals;

static const char *const OWN[] = {"p",       "a",    "k", "s",     "d",      "ok",    "stream",
                                  "scratch", "list", "i", "times", "values", "error", "bytes"};
enum { OWN_COUNT = sizeof OWN / sizeof OWN[0] };

static const char *take_name(Locals *l, const char *name)
{
    const char *own = text_name(l->lines.code->arena, name, l->taken, l->taken_count);
    l->taken[l->taken_count++] = own;
    return own;
}

static Locals open_locals(Code *c, const CodeVariant *v)
{
    const Spec *s = c->spec;
    size_t room = OWN_COUNT + s->argument_count + s->launch_count;
    for (size_t l = 0; l < s->launch_count; l++)
        room += s->launches[l].item_count;
    Locals l = {.lines = {.code = c, .variant = v},
                .variant = v,
                .names = ARENA_ARRAY(c->arena, const char *, s->argument_count),
                .taken = ARENA_ARRAY(c->arena, const char *, room)};
    memcpy(l.taken, OWN, sizeof OWN);
    l.taken_count = OWN_COUNT;
    for (size_t k = 0; k < s->launch_count; k++)
        if (v->launches[k].name)
            l.taken[l.taken_count++] = v->launches[k].name;
    for (size_t i = 0; i < s->argument_count; i++)
        l.names[i] = take_name(&l, s->arguments[i].name);
    return l;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* One lane: "(int)p->N". */
static bool write_lane(Locals *l, TaskScalar scalar, const Expr *e)
{
    const Value *known = expr_literal(e);
    Buf *out = &l->lines.text;
    if (known && code_literal(scalar, *known, out))
        return true;
    if (known || task_scalar_in_c(scalar) != scalar)
        return false;
    buf_printf(out, "(%s)", text_scalar(scalar));
    return lines_expr(&l->lines, e, false, C_UNARY);
}

static bool is_runtime(const Locals *l)
{
    return l->lines.code->unit->flavour == EMIT_RUNTIME;
}

/* How the declaration of a number begins: a vector is an array where C has no such type. */
static void declare_number(Locals *l, const char *indent, const Argument *g, const char *name)
{
    Buf *out = &l->lines.text;
    const TaskType t = g->element;
    buf_puts(out, indent);
    if (g->fields)
        text_struct(g, out);
    else
        buf_puts(out, t.lanes > 1 && is_runtime(l) ? text_vector(l->lines.code->arena, t)
                                                   : text_scalar(t.scalar));
    buf_printf(out, " %s", name);
    if (t.lanes > 1 && !g->fields && !is_runtime(l))
        buf_printf(out, "[%d]", t.lanes);
    buf_puts(out, " = ");
}

static bool is_several(const Argument *g)
{
    return g->fields || g->element.lanes > 1;
}

/* "    int M = (int)p->M;" */
static bool write_number(Locals *l, const char *indent, const Argument *g, const char *name,
                         const Expr *value)
{
    Buf *out = &l->lines.text;
    const Value *known = expr_literal(value);
    const bool literal_list = known && known->kind == VALUE_LIST;
    size_t count;
    Expr *const *lanes = c_list(value, &count);
    declare_number(l, indent, g, name);
    if (!is_several(g)) {
        const bool said = write_lane(l, g->element.scalar, value);
        buf_puts(out, ";\n");
        return said;
    }
    for (int i = 0; i < argument_numbers(g); i++) {
        const Expr *e = lanes          ? lanes[i]
                        : literal_list ? expr_of_value(l->lines.code->arena, known->list->at[i])
                                       : value;
        buf_puts(out, i ? ", " : "{");
        if (!write_lane(l, argument_number(g, i).scalar, e))
            return false;
    }
    buf_puts(out, "};\n");
    return true;
}

/* --- arguments of the spec -------------------------------------------------------------------- */

static void write_given_number(Locals *l, const Argument *g, size_t i)
{
    Buf *out = &l->lines.text;
    const char *field = l->lines.code->fields[i];
    declare_number(l, "    ", g, l->names[i]);
    for (int k = 0; is_several(g) && k < argument_numbers(g); k++)
        buf_printf(out, g->fields ? "%sa->%s.m%d" : "%sa->%s[%d]", k ? ", " : "{", field, k);
    if (is_several(g))
        buf_puts(out, "};\n");
    else
        buf_printf(out, "a->%s;\n", field);
}

static bool write_scratch(Locals *l, const Argument *g, size_t i, bool is_last)
{
    Buf *out = &l->lines.text;
    const char *pointee = text_pointee(g->element);
    if (strcmp(pointee, "void") == 0)
        buf_printf(out, "    void *%s = scratch;\n", l->names[i]);
    else
        buf_printf(out, "    %s *%s = (%s *)(void *)scratch;\n", pointee, l->names[i], pointee);
    if (is_last)
        return true;
    code_puts(l->lines.code, out, "    scratch += @padded(");
    const bool said =
        lines_expr(&l->lines, code_bytes(l->lines.code, l->variant, i), true, C_ANYWHERE);
    buf_puts(out, ");\n");
    return said;
}

static bool is_last_scratch(const Locals *l, size_t i)
{
    const Spec *s = l->lines.code->spec;
    for (size_t k = i + 1; k < s->argument_count; k++)
        if (code_is_scratch(&s->arguments[k]) && l->variant->taken[k])
            return false;
    return true;
}

static bool takes_scratch(const Code *c, const CodeVariant *v)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (code_is_scratch(&c->spec->arguments[i]) && v->taken[i])
            return true;
    return false;
}

static bool write_argument(Locals *l, size_t i)
{
    const Argument *g = &l->lines.code->spec->arguments[i];
    const char *field = l->lines.code->fields[i];
    if (g->role == ARGUMENT_CONSTANT)
        return true;
    if (g->role == ARGUMENT_SCALAR && !field)
        return write_number(l, "    ", g, l->names[i], l->variant->values[i]);
    if (g->role == ARGUMENT_SCALAR)
        return write_given_number(l, g, i), true;
    if (code_is_scratch(g))
        return write_scratch(l, g, i, is_last_scratch(l, i));
    if (g->role == ARGUMENT_TEXTURE)
        buf_printf(&l->lines.text, "    unsigned long long %s = a->%s;\n", l->names[i], field);
    else
        buf_printf(&l->lines.text, "    %s%s *%s = a->%s;\n",
                   g->role == ARGUMENT_IN ? "const " : "", text_pointee(g->element), l->names[i],
                   field);
    return true;
}

static bool write_arguments(Locals *l)
{
    const Spec *s = l->lines.code->spec;
    bool said = true;
    if (takes_scratch(l->lines.code, l->variant))
        buf_puts(&l->lines.text, "    char *scratch = (char *)a->scratch;\n");
    for (size_t i = 0; i < s->argument_count && said; i++)
        if (l->variant->taken[i])
            said = write_argument(l, i);
    return said;
}

/* --- what has to be so before a launch -------------------------------------------------------- */

static void check_pointers(Locals *l)
{
    const Code *c = l->lines.code;
    Buf *out = &l->lines.text;
    bool any = false;
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const Argument *g = &c->spec->arguments[i];
        if (!l->variant->taken[i] || !code_is_buffer(g) || code_is_scratch(g) ||
            g->role == ARGUMENT_CONSTANT)
            continue;
        code_printf(c, out, "%s@is_bad(%s, 16)", any ? " || " : "    if (", l->names[i]);
        any = true;
    }
    if (takes_scratch(c, l->variant)) {
        code_printf(c, out, "%s@is_bad(a->scratch, 256)", any ? " || " : "    if (");
        any = true;
    }
    code_puts(c, out, any ? ")\n        return ^ARGUMENT;\n" : "");
}

static bool copy_to_variable(Locals *l, size_t i, const char *call)
{
    Code *c = l->lines.code;
    Buf *out = &l->lines.text;
    buf_printf(out, "    error = %sa->%s, ", call, c->fields[i]);
    const bool said = lines_expr(&l->lines, code_bytes(c, l->variant, i), true, C_ANYWHERE);
    code_puts(c, out, ", stream);\n    if (error != ^OK)\n        return error;\n");
    return said;
}

/* By its name where the driver finds it; by a function beside each code that may have it where the
 * compiler does. */
static bool set_variable(Locals *l, size_t i)
{
    Code *c = l->lines.code;
    const char *name = c->spec->arguments[i].name;
    Buf call = {0};
    bool said = true;
    if (!is_runtime(l)) {
        code_printf(c, &call, "@set_variable(k, %zu, ", l->variant->number);
        text_string(&call, name);
        buf_puts(&call, ", ");
        said = copy_to_variable(l, i, buf_text(&call));
    }
    for (size_t k = 0; is_runtime(l) && said && k < c->spec->launch_count; k++) {
        if (l->variant->variant->codes[k].shares != k)
            continue;
        buf_clear(&call);
        code_printf(c, &call, "@code::%s::aptune__set_%s(", code_namespace(c, l->variant, k), name);
        said = copy_to_variable(l, i, buf_text(&call));
    }
    buf_free(&call);
    return said;
}

static bool clear(Locals *l, size_t i)
{
    Code *c = l->lines.code;
    Buf *out = &l->lines.text;
    code_printf(c, out, "    error = @clear(k, %s, ", l->names[i]);
    const bool said = lines_expr(&l->lines, code_bytes(c, l->variant, i), true, C_ANYWHERE);
    code_puts(c, out, ", stream);\n    if (error != ^OK)\n        return error;\n");
    return said;
}

static bool prepare_memory(Locals *l)
{
    const Spec *s = l->lines.code->spec;
    bool said = true;
    for (size_t i = 0; i < s->argument_count && said; i++) {
        const Argument *g = &s->arguments[i];
        if (g->role == ARGUMENT_CONSTANT)
            said = set_variable(l, i);
        else if (l->variant->taken[i] && code_is_zeroed(g))
            said = clear(l, i);
    }
    return said;
}

/* --- a launch --------------------------------------------------------------------------------- */

typedef struct Leaf {
    const Locals *locals;
    Buf *out;
} Leaf;

static void write_leaf(void *context, const char *name)
{
    const Leaf *leaf = context;
    const Spec *s = leaf->locals->lines.code->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (strcmp(s->arguments[i].name, name) == 0) {
            const bool by_address = !is_runtime(leaf->locals);
            const bool pointer = code_is_buffer(&s->arguments[i]);
            buf_printf(leaf->out, "%s%s",
                       by_address ? "(void *)&"
                       : pointer  ? "(const void *)"
                                  : "",
                       leaf->locals->names[i]);
        }
}

/* An argument as the kernel call has it: pointers become those of the kernel's own types, and so do
 * structs and numbers that C has other types for. */
static void write_passed(Locals *l, const Argument *g, const char *name)
{
    const Code *c = l->lines.code;
    const TaskType bits = {task_scalar_in_c(g->element.scalar), g->element.lanes};
    if (code_is_buffer(g))
        code_printf(c, &l->lines.text, "@pointer{%s}", name);
    else if (g->role == ARGUMENT_SCALAR && g->fields)
        code_printf(c, &l->lines.text, "@bits<decltype(%s)>{%s}", name, name);
    else if (g->role == ARGUMENT_SCALAR && bits.scalar != g->element.scalar)
        code_printf(c, &l->lines.text, "@bits<%s>{%s}",
                    bits.lanes == 1 ? text_scalar(bits.scalar) : text_vector(c->arena, bits), name);
    else
        buf_puts(&l->lines.text, name);
}

static bool chooses_pointer(const Code *c, const Expr *choice)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c_may_choose(choice, c->spec->arguments[i].name))
            return code_is_buffer(&c->spec->arguments[i]);
    return false;
}

static bool write_choice(Locals *l, const Expr *choice)
{
    const Code *c = l->lines.code;
    CWriter w = lines_writer(&l->lines, false);
    Leaf leaf = {l, w.out};
    const bool wraps = is_runtime(l) && chooses_pointer(c, choice);
    code_puts(c, w.out, wraps ? "@pointer{" : "");
    const bool said = c_choose(&w, choice, write_leaf, &leaf);
    buf_puts(w.out, wraps ? "}" : "");
    l->lines.uses_ok = l->lines.uses_ok || w.uses_ok;
    return said;
}

static bool write_item(Locals *l, const CodeItem *item, const char *own)
{
    const Argument *g = own            ? item->item->own
                        : item->choice ? NULL
                                       : &l->lines.code->spec->arguments[item->argument];
    const char *name = own ? own : g ? l->names[item->argument] : NULL;
    if (item->choice)
        return write_choice(l, item->choice);
    if (is_runtime(l))
        write_passed(l, g, name);
    else
        buf_printf(&l->lines.text, "&%s", name);
    return true;
}

/* The call that launches; driver flavours take a list of addresses. */
static bool write_call(Locals *l, size_t launch, const char *indent, const char **own,
                       const char *names)
{
    Code *c = l->lines.code;
    const CodeLaunch *k = &l->variant->launches[launch];
    Buf *out = &l->lines.text;
    const size_t function = (l->variant->number - 1) * c->spec->launch_count + launch;
    const char *suffix = code_suffix(c, l->variant, launch);
    Buf shape = {0};
    bool said = true;
    code_printf(c, &shape, "%sif (!@shape_%s(p, %s&s))\n%s    return ^SIZE;\n", indent, suffix,
                names, indent);
    if (is_runtime(l)) {
        buf_puts(out, buf_text(&shape));
        code_printf(c, out, "%serror = @code::%s::aptune__start_%zu(k, %zu, &s, stream", indent,
                    code_namespace(c, l->variant, launch), launch + 1, function);
    } else {
        buf_printf(out, "%svoid *list[] = {", indent);
    }
    for (size_t i = 0; i < k->item_count && said; i++) {
        buf_puts(out, i || is_runtime(l) ? ", " : "");
        said = write_item(l, &k->items[i], own[i]);
    }
    if (is_runtime(l)) {
        buf_puts(out, ");\n");
    } else {
        buf_puts(out, k->item_count ? "};\n" : "NULL};\n");
        buf_puts(out, buf_text(&shape));
        code_printf(c, out, "%serror = @start(k, %zu, &s, list, stream);\n", indent, function);
    }
    code_printf(c, out, "%sif (error != ^OK)\n%s    return error;\n", indent, indent);
    buf_free(&shape);
    return said;
}

/* The statements of one launch, indented by `indent`. */
static bool write_start(Locals *l, size_t launch, const char *indent, const char *names)
{
    Code *c = l->lines.code;
    const CodeLaunch *k = &l->variant->launches[launch];
    const char **own = ARENA_ARRAY(c->arena, const char *, k->item_count + 1);
    for (size_t i = 0; i < k->item_count; i++) {
        if (!k->items[i].value)
            continue;
        own[i] = take_name(l, k->items[i].item->own->name);
        if (!write_number(l, indent, k->items[i].item->own, own[i], k->items[i].value))
            return false;
    }
    return write_call(l, launch, indent, own, names);
}

static bool write_launch(Locals *l, size_t launch)
{
    const CodeLaunch *k = &l->variant->launches[launch];
    const Value *times = k->repeat ? expr_literal(k->repeat) : NULL;
    Code *c = l->lines.code;
    Buf *out = &l->lines.text;
    bool said = true;
    buf_puts(out, "    /* ");
    text_comment(out, l->variant->variant->codes[launch].kernel);
    buf_puts(out, " */\n");
    if (k->name) {
        Locals body = *l;
        body.lines.text = (Buf){0};
        said = write_start(&body, launch, "        ", arena_printf(c->arena, "%s, ", k->name)) &&
               code_steps(&l->lines, k, buf_text(&body.lines.text));
        l->lines.uses_ok = l->lines.uses_ok || body.lines.uses_ok;
        l->taken_count = body.taken_count;
        buf_free(&body.lines.text);
        return said;
    }
    if (!k->repeat || (times && times->integer == 1)) {
        buf_puts(out, "    {\n");
    } else {
        buf_puts(out, "    for (long long times = ");
        said = lines_expr(&l->lines, k->repeat, true, C_ANYWHERE);
        buf_puts(out, "; times > 0; times--) {\n");
    }
    said = said && write_start(l, launch, "        ", "");
    buf_puts(out, "    }\n");
    return said;
}

static const char *stream_type(const Code *c)
{
    return c->unit->flavour == EMIT_RUNTIME ? "cudaStream_t" : "CUstream";
}

bool code_run(Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    Locals l = open_locals(c, v);
    *why = "what its kernels take";
    bool said = write_arguments(&l);
    buf_putc(&l.lines.text, '\n');
    check_pointers(&l);
    said = said && prepare_memory(&l);
    for (size_t k = 0; k < c->spec->launch_count && said; k++)
        said = write_launch(&l, k);
    code_printf(c, out,
                "static int @run_%zu(@kernel *k, const @problem *p, const @arguments *a, "
                "%s stream)\n{\n",
                v->number, stream_type(c));
    code_puts(c, out, "    int error;\n    @shape s;\n");
    buf_puts(out, l.lines.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, strstr(buf_text(&l.lines.text), "a->") ? "" : "    (void)a;\n");
    buf_puts(out, buf_text(&l.lines.text));
    code_puts(c, out, "    return ^OK;\n}\n\n");
    buf_free(&l.lines.text);
    return said;
}

void code_runs(Code *c, Buf *out)
{
    const char *why;
    for (size_t i = 0; i < c->unit->variant_count; i++)
        code_run(c, &c->variants[i], out, &why);
    code_printf(c, out,
                "static int @run(@kernel *k, int variant, const @problem *p, const @arguments *a, "
                "%s stream)\n{\n    switch (variant) {\n",
                stream_type(c));
    for (size_t i = 1; i <= c->unit->variant_count; i++)
        code_printf(c, out, "    case %zu:\n        return @run_%zu(k, p, a, stream);\n", i, i);
    code_puts(c, out, "    default:\n        return ^NO_CODE;\n    }\n}\n\n");
}

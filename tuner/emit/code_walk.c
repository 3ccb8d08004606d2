/* Of each variant the function that goes over its launches: what they take, how often and with how
 * many blocks.  It is walked to see whether a size can be launched, and to launch it. */
#include "tuner/emit/code_parts.h"
#include "tuner/spec/contents.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

/* The function with its own names. */
typedef struct Walk {
    CodeLines lines;
    const CodeVariant *variant;
    const char **names; /* of the spec's arguments that are variables of the function, else NULL */
    const char **taken;
    size_t taken_count;
} Walk;

static const char *const OWN[] = {"p", "a", "w", "s", "ok", "list", "i", "steps", "values"};
enum { OWN_COUNT = sizeof OWN / sizeof OWN[0] };

static const char *take_name(Walk *w, const char *name)
{
    const char *own = text_name(w->lines.code->arena, name, w->taken, w->taken_count);
    w->taken[w->taken_count++] = own;
    return own;
}

static Walk open_walk(const Code *c, const CodeVariant *v)
{
    const Spec *s = c->spec;
    size_t room = OWN_COUNT + s->argument_count + s->launch_count;
    for (size_t l = 0; l < s->launch_count; l++)
        room += s->launches[l].item_count;
    Walk w = {.lines = {.code = c, .variant = v},
              .variant = v,
              .names = ARENA_ARRAY(c->arena, const char *, s->argument_count),
              .taken = ARENA_ARRAY(c->arena, const char *, room)};
    memcpy(w.taken, OWN, sizeof OWN);
    w.taken_count = OWN_COUNT;
    for (size_t k = 0; k < s->launch_count; k++)
        if (v->launches[k].name)
            w.taken[w.taken_count++] = v->launches[k].name;
    return w;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Is one lane inside of its type? */
static bool ask_lane(Walk *w, const char *indent, const char *name, TaskScalar scalar,
                     const Expr *e)
{
    int64_t low, high;
    const CWriter writer = lines_writer(&w->lines, false);
    const CRange r = c_range(&writer, e);
    Buf *out = &w->lines.text;
    contents_limits(scalar, &low, &high);
    if (expr_literal(e) || task_scalar_is_float(scalar) ||
        (r.low >= (double)low && r.high <= (double)high))
        return true;
    if (expr_kind(e) != VALUE_INT)
        return false;
    buf_printf(out, "%sif (!%sis_between(", indent, w->lines.code->prefix);
    const bool said = lines_expr(&w->lines, e, false, C_ANYWHERE);
    buf_puts(out, ", ");
    c_value(value_int(low), out);
    buf_puts(out, ", ");
    c_value(value_int(high), out);
    buf_puts(out, "))\n");
    lines_refuse(&w->lines, arena_printf(w->lines.code->arena, "%s    ", indent), name, NULL);
    return said;
}

/* "(int)p->N".  Numbers narrower than float that are computed have no words in plain C. */
static bool write_lane(Walk *w, TaskScalar scalar, const Expr *e)
{
    const Value *known = expr_literal(e);
    Buf *out = &w->lines.text;
    if (known)
        return code_literal(scalar, *known, out);
    if (task_scalar_in_c(scalar) != scalar ||
        (expr_kind(e) != VALUE_INT && expr_kind(e) != VALUE_REAL))
        return false;
    buf_printf(out, "(%s)", text_scalar(scalar));
    return lines_expr(&w->lines, e, false, C_UNARY);
}

/* "    int M = (int)p->M;" */
static bool write_number(Walk *w, const char *indent, const Argument *g, const char *name,
                         const Expr *value)
{
    Buf *out = &w->lines.text;
    const Value *known = expr_literal(value);
    const bool literal_list = known && known->kind == VALUE_LIST;
    const int numbers = argument_numbers(g);
    size_t count;
    Expr *const *lanes = c_list(value, &count);
    const Expr **each = ARENA_ARRAY(w->lines.code->arena, const Expr *, (size_t)numbers);
    bool said = !lanes || count == (size_t)numbers;
    for (int i = 0; i < numbers && said; i++) {
        each[i] = lanes          ? lanes[i]
                  : literal_list ? expr_of_value(w->lines.code->arena, known->list->at[i])
                                 : value;
        said = ask_lane(w, indent, g->name, argument_number(g, i).scalar, each[i]);
    }
    buf_puts(out, indent);
    text_number(g, name, out);
    if (g->fields)
        buf_printf(out, ";\n%smemset(&%s, 0, sizeof %s); /* gaps, too */\n", indent, name, name);
    else
        buf_puts(out, g->element.lanes > 1 ? " = {" : " = ");
    for (int i = 0; i < numbers && said; i++) {
        if (g->fields)
            buf_printf(out, "%s%s.m%d = ", indent, name, i);
        said = write_lane(w, argument_number(g, i).scalar, each[i]);
        buf_puts(out, g->fields ? ";\n" : i + 1 < numbers ? ", " : "");
    }
    buf_puts(out, g->fields ? "" : g->element.lanes > 1 ? "};\n" : ";\n");
    return said;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* A call that ends with the bytes of an argument. */
static bool write_bytes(Walk *w, size_t i)
{
    Buf *out = &w->lines.text;
    buf_puts(out, ", ");
    const bool said =
        lines_expr(&w->lines, code_bytes(w->lines.code, w->variant, i), true, C_ANYWHERE);
    buf_puts(out, ");\n");
    return said;
}

/* Fields of `a` are passed as they are; what is computed or cut from scratch is a variable. */
static bool write_argument(Walk *w, size_t i)
{
    const Code *c = w->lines.code;
    const Argument *g = &c->spec->arguments[i];
    Buf *out = &w->lines.text;
    if (code_is_scratch(g)) {
        w->names[i] = take_name(w, g->name);
        buf_printf(out, "    void *%s = %sscratch(w, a->scratch", w->names[i], c->prefix);
        return write_bytes(w, i);
    }
    if (g->role == ARGUMENT_SCALAR && !c->fields[i]) {
        w->names[i] = take_name(w, g->name);
        return write_number(w, "    ", g, w->names[i], w->variant->values[i]);
    }
    if (code_is_buffer(g) && g->role != ARGUMENT_CONSTANT)
        buf_printf(out, "    %scheck_pointer(w, a->%s, 16);\n", c->prefix, c->fields[i]);
    return true;
}

static const char *value_of(const Walk *w, size_t i)
{
    const Code *c = w->lines.code;
    return w->names[i] ? w->names[i] : arena_printf(c->arena, "a->%s", c->fields[i]);
}

static bool prepare_memory(Walk *w, size_t i)
{
    const Code *c = w->lines.code;
    const Argument *g = &c->spec->arguments[i];
    Buf *out = &w->lines.text;
    if (g->role == ARGUMENT_CONSTANT) {
        buf_printf(out, "    %sset_variable(w, ", c->prefix);
        text_string(out, g->name);
        buf_printf(out, ", a->%s", c->fields[i]);
        return write_bytes(w, i);
    }
    if (!code_is_zeroed(g))
        return true;
    buf_printf(out, "    %sset_to_zero(w, %s", c->prefix, value_of(w, i));
    return write_bytes(w, i);
}

/* --- repeats ---------------------------------------------------------------------------------- */

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

static void open_progression(Buf *out, const char *name, const ValueList *list)
{
    const int64_t first = list->at[0].integer, step = list->at[1].integer - first;
    buf_printf(
        out, "    for (long long %s = %" PRId64 "; %s %s %" PRId64 "; %s += %" PRId64 ") {\n", name,
        first, name, step > 0 ? "<=" : ">=", list->at[list->count - 1].integer, name, step);
}

static bool open_values(Buf *out, const char *name, const ValueList *list)
{
    buf_puts(out, "    for (int i = 0; i < ");
    buf_printf(out, "%zu; i++) {\n        static const long long values[] = {", list->count);
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(out, i ? ", " : "");
        if (list->at[i].kind != VALUE_INT || !c_value(list->at[i], out))
            return false;
    }
    buf_printf(out, "};\n        const long long %s = values[i];\n        (void)%s;\n", name, name);
    return list->count <= 4096;
}

/* The step is a constant above zero, so that the loop is one that everybody reads. */
static bool open_range(Walk *w, const CodeLaunch *k, const Expr *const parts[3])
{
    const Value *step = parts[2] ? expr_literal(parts[2]) : NULL;
    const CWriter writer = lines_writer(&w->lines, true);
    Buf *out = &w->lines.text;
    if ((parts[0] && expr_kind(parts[0]) != VALUE_INT) || expr_kind(parts[1]) != VALUE_INT ||
        (parts[2] && (!step || step->kind != VALUE_INT || step->integer < 1)) ||
        c_range(&writer, parts[1]).high > 0x1p60 || (step && step->integer > INT64_C(1) << 40))
        return false;
    buf_printf(out, "    for (long long %s = ", k->name);
    bool said = !parts[0] || lines_expr(&w->lines, parts[0], true, C_RELATION);
    buf_printf(out, "%s; %s < ", parts[0] ? "" : "0", k->name);
    said = said && lines_expr(&w->lines, parts[1], true, C_RELATION);
    buf_printf(out, "; %s += %" PRId64 ") {\n", k->name, step ? step->integer : 1);
    return said;
}

/* The head of a loop over some of the values of a repeat name. */
static bool open_loop(Walk *w, const CodeLaunch *k, const Expr *values)
{
    const Value *value = expr_literal(values);
    const ValueList *list = value && value->kind == VALUE_LIST ? value->list : NULL;
    const Expr *parts[3];
    Buf *out = &w->lines.text;
    if (list && is_progression(list))
        return open_progression(out, k->name, list), true;
    if (list)
        return open_values(out, k->name, list);
    if (c_is_range(values, parts))
        return open_range(w, k, parts);
    buf_printf(out, "    {\n        const long long %s = ", k->name);
    const bool said =
        expr_kind(values) == VALUE_INT && lines_expr(&w->lines, values, true, C_ANYWHERE);
    buf_printf(out, ";\n        (void)%s;\n", k->name);
    return said;
}

/* --- launches --------------------------------------------------------------------------------- */

static void write_address(void *context, const char *name)
{
    Walk *w = context;
    const Spec *s = w->lines.code->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (strcmp(s->arguments[i].name, name) == 0)
            buf_printf(&w->lines.text, "(void *)&%s", value_of(w, i));
}

static bool write_item(Walk *w, const CodeItem *item, const char *own)
{
    CWriter writer = lines_writer(&w->lines, false);
    if (item->choice)
        return c_choose(&writer, item->choice, write_address, w);
    if (own)
        buf_printf(&w->lines.text, "&%s", own);
    else
        write_address(w, w->lines.code->spec->arguments[item->argument].name);
    return true;
}

/* The struct that begins with an item, its members copied to where C has them; its name. */
static bool write_struct(Walk *w, const CodeLaunch *k, size_t first, const char **own,
                         const char **name)
{
    const Code *c = w->lines.code;
    Buf *out = &w->lines.text;
    StructLayout whole = {0}, members = {0};
    size_t alignment, size, end = first;
    bool said = true;
    *name = take_name(w, "members");
    do {
        size = code_item_size(c, &k->items[end], &alignment);
        layout_add(&whole, size, alignment);
    } while (code_is_joined(k, ++end));
    buf_printf(out, "        unsigned char %s[%zu] __attribute__((aligned(16))) = {0};\n", *name,
               layout_size(&whole));
    for (size_t i = first; i < end && said; i++) {
        size = code_item_size(c, &k->items[i], &alignment);
        buf_printf(out, "        memcpy(%s + %zu, ", *name, layout_add(&members, size, alignment));
        said = write_item(w, &k->items[i], own[i]);
        buf_printf(out, ", %zu);\n", size);
    }
    return said;
}

/* "{128, (p->N + 127) / 128, 1}" */
static bool write_extent(Walk *w, const Expr *const extent[3])
{
    bool said = true;
    for (int i = 0; i < 3 && said; i++) {
        buf_puts(&w->lines.text, i ? ", " : "            {");
        said = lines_expr(&w->lines, extent[i], true, C_ANYWHERE);
    }
    buf_puts(&w->lines.text, "},\n");
    return said;
}

/* Shape and arguments of a launch. */
static bool describe(Walk *w, const CodeLaunch *k)
{
    Buf *out = &w->lines.text;
    const char **own = ARENA_ARRAY(w->lines.code->arena, const char *, k->item_count + 1);
    bool said = true;
    for (size_t i = 0; i < k->item_count && said; i++)
        if (k->items[i].value) {
            own[i] = take_name(w, k->items[i].item->own->name);
            said = write_number(w, "        ", k->items[i].item->own, own[i], k->items[i].value);
        }
    const char **structs = ARENA_ARRAY(w->lines.code->arena, const char *, k->item_count + 1);
    for (size_t i = 0; i < k->item_count && said; i++)
        if (code_is_joined(k, i + 1) && !code_is_joined(k, i))
            said = write_struct(w, k, i, own, &structs[i]);
    buf_printf(out, "        const %sshape s = {\n", w->lines.code->prefix);
    said = said && write_extent(w, k->grid) && write_extent(w, k->block);
    buf_puts(out, "            ");
    said = said && lines_expr(&w->lines, k->shared, true, C_ANYWHERE);
    buf_puts(out, ",\n        };\n        void *list[] = {\n");
    for (size_t i = 0; i < k->item_count && said; i++) {
        if (code_is_joined(k, i))
            continue;
        buf_puts(out, "            ");
        if (structs[i])
            buf_puts(out, structs[i]);
        else
            said = write_item(w, &k->items[i], own[i]);
        buf_puts(out, ",\n");
    }
    buf_puts(out, k->item_count ? "        };\n" : "            NULL,\n        };\n");
    return said;
}

/* A block, or with a repeat name a loop. */
static bool write_launch(Walk *w, size_t launch, const Expr *values)
{
    const Code *c = w->lines.code;
    const CodeLaunch *k = &w->variant->launches[launch];
    Buf *out = &w->lines.text;
    buf_puts(out, "    /* ");
    text_comment(out, w->variant->variant->codes[launch].kernel);
    buf_puts(out, values ? " */\n" : " */\n    {\n");
    bool said = (!values || open_loop(w, k, values)) && describe(w, k);
    buf_printf(out, "        if (%s!%sstart(w, %zu, ", values ? "steps++ == 65536 || " : "",
               c->prefix, (w->variant->number - 1) * c->spec->launch_count + launch);
    if (k->repeat)
        said = said && lines_expr(&w->lines, k->repeat, true, C_ANYWHERE);
    buf_puts(out, k->repeat ? ", &s, list))\n" : "1, &s, list))\n");
    buf_puts(out, "            return 0;\n    }\n");
    return said;
}

static bool write_launches(Walk *w, size_t launch)
{
    const CodeLaunch *k = &w->variant->launches[launch];
    Buf *out = &w->lines.text;
    bool said = true;
    if (!k->name)
        return write_launch(w, launch, NULL);
    buf_puts(out, "    steps = 0;\n");
    for (size_t i = 0; i < k->value_count && said; i++)
        said = write_launch(w, launch, k->values[i]);
    buf_puts(out, "    if (steps == 0)\n        return 0;\n");
    return said;
}

bool code_walk(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    Walk w = open_walk(c, v);
    bool said = true, repeats = false;
    *why = "what its kernels take";
    for (size_t i = 0; i < c->spec->argument_count && said; i++)
        said = !v->taken[i] || write_argument(&w, i);
    for (size_t i = 0; i < c->spec->argument_count && said; i++)
        said = !v->taken[i] || prepare_memory(&w, i);
    for (size_t k = 0; k < c->spec->launch_count; k++)
        repeats = repeats || v->launches[k].name;
    buf_puts(&w.lines.text, repeats ? "    int steps;\n" : "");
    for (size_t k = 0; k < c->spec->launch_count && said; k++) {
        *why = c->spec->launches[k].entry;
        said = write_launches(&w, k);
    }
    lines_end(&w.lines, NULL, out,
              "static int %swalk_%zu(%swalk *w, const %sproblem *p, const %sarguments *a)",
              c->prefix, v->number, c->prefix, c->prefix, c->prefix);
    return said;
}

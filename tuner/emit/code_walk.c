/* For each variant, the function that visits its launches: arguments, repetitions, grid and block.  The
 * unit calls it both to check that a size can be launched and to launch it. */
#include "tuner/emit/code_parts.h"
#include "tuner/spec/contents.h"

#include <inttypes.h>

/* The function while it is written. */
typedef struct Walk {
    CodeLines lines;
    const char **names; /* by argument of the spec: its local variable; NULL: it has none */
    const char **taken; /* names in use */
    size_t taken_count;
} Walk;

const char *const code_walk_names[CODE_WALK_NAMES] = {"p",    "a", "w",     "s",     "ok",
                                                      "list", "i", "steps", "values"};

static const char *take_name(Walk *w, const char *name)
{
    const char *own = text_name(w->lines.code->arena, name, w->taken, w->taken_count);
    w->taken[w->taken_count++] = own;
    return own;
}

static Walk open_walk(const Code *c, const CodeVariant *v)
{
    const Spec *s = c->spec;
    size_t room = CODE_WALK_NAMES + s->argument_count + s->launch_count;
    for (size_t l = 0; l < s->launch_count; l++)
        room += s->launches[l].item_count;
    Walk w = {.lines = {.code = c, .variant = v},
              .names = ARENA_ARRAY(c->arena, const char *, s->argument_count),
              .taken = ARENA_ARRAY(c->arena, const char *, room)};
    memcpy(w.taken, code_walk_names, sizeof code_walk_names);
    w.taken_count = CODE_WALK_NAMES;
    for (size_t k = 0; k < s->launch_count; k++)
        if (v->launches[k].name)
            w.taken[w.taken_count++] = v->launches[k].name;
    return w;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Writes a check that a lane's value is in the range of its type, unless it must be. */
static void check_lane(Walk *w, const char *indent, const char *name, TaskScalar scalar,
                       const Expr *e)
{
    int64_t low, high;
    const CWriter writer = lines_writer(&w->lines, false);
    const CRange r = c_range(&writer, e);
    contents_limits(scalar, &low, &high);
    if (expr_literal(e) || task_scalar_is_float(scalar) ||
        (r.low >= (double)low && r.high <= (double)high))
        return;
    w->lines.failed = w->lines.failed || expr_kind(e) != VALUE_INT;
    lines_emit(&w->lines, "%sif (!@is_between(%e, %v, %v))\n%s    return 0; /* %s */\n", indent, e,
               C_ANYWHERE, value_int(low), value_int(high), indent, name);
}

/* "(int)p->N".  Plain C cannot compute floating-point numbers narrower than float. */
static void write_lane(Walk *w, TaskScalar scalar, const Expr *e)
{
    const Value *known = expr_literal(e);
    const bool number = expr_kind(e) == VALUE_INT || expr_kind(e) == VALUE_REAL;
    CodeLines *l = &w->lines;
    if (known)
        l->failed = !code_literal(scalar, *known, &l->text) || l->failed;
    else if (task_scalar_in_c(scalar) != scalar || !number)
        l->failed = true;
    else
        lines_emit(l, "(%s)%e", text_scalar(scalar), e, C_UNARY);
}

/* "    int M = (int)p->M;" */
static void write_number(Walk *w, const char *indent, const Argument *g, const char *name,
                         const Expr *value)
{
    CodeLines *l = &w->lines;
    const Value *known = expr_literal(value);
    const bool literal_list = known && known->kind == VALUE_LIST;
    const int numbers = argument_numbers(g);
    size_t count;
    Expr *const *lanes = c_list(value, &count);
    const Expr **each = ARENA_ARRAY(l->code->arena, const Expr *, (size_t)numbers);
    if (lanes && count != (size_t)numbers) {
        l->failed = true;
        return;
    }
    for (int i = 0; i < numbers; i++) {
        each[i] = lanes          ? lanes[i]
                  : literal_list ? expr_of_value(l->code->arena, known->list->at[i])
                                 : value;
        check_lane(w, indent, g->name, argument_number(g, i).scalar, each[i]);
    }
    buf_puts(&l->text, indent);
    text_number(g, name, &l->text);
    if (g->fields)
        lines_emit(l, ";\n%smemset(&%s, 0, sizeof %s); /* padding, too */\n", indent, name, name);
    else
        buf_puts(&l->text, g->element.lanes > 1 ? " = {" : " = ");
    for (int i = 0; i < numbers; i++) {
        if (g->fields)
            buf_printf(&l->text, "%s%s.m%d = ", indent, name, i);
        write_lane(w, argument_number(g, i).scalar, each[i]);
        buf_puts(&l->text, g->fields ? ";\n" : i + 1 < numbers ? ", " : "");
    }
    buf_puts(&l->text, g->fields ? "" : g->element.lanes > 1 ? "};\n" : ";\n");
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Fields of `a` are passed as they are; computed numbers and parts of scratch are local variables. */
static void write_argument(Walk *w, size_t i)
{
    const Code *c = w->lines.code;
    const Argument *g = &c->spec->arguments[i];
    if (code_is_scratch(g)) {
        w->names[i] = take_name(w, g->name);
        lines_emit(&w->lines, "    void *%s = @scratch(w, a->scratch, %x);\n", w->names[i],
                   code_bytes(c, w->lines.variant, i), C_ANYWHERE);
    } else if (g->role == ARGUMENT_SCALAR && !c->fields[i]) {
        w->names[i] = take_name(w, g->name);
        write_number(w, "    ", g, w->names[i], w->lines.variant->values[i]);
    } else if (argument_is_buffer(g) && g->role != ARGUMENT_CONSTANT) {
        lines_emit(&w->lines, "    @check_pointer(w, a->%s, 16);\n", c->fields[i]);
    }
}

static const char *value_of(const Walk *w, size_t i)
{
    const Code *c = w->lines.code;
    return w->names[i] ? w->names[i] : arena_printf(c->arena, "a->%s", c->fields[i]);
}

/* True if the buffer is set to zero before the launches. */
static bool is_zeroed(const Argument *g)
{
    return (g->role == ARGUMENT_SCRATCH || g->role == ARGUMENT_OUT) &&
           g->contents.kind == CONTENTS_ZERO;
}

static void prepare_memory(Walk *w, size_t i)
{
    const Code *c = w->lines.code;
    const Argument *g = &c->spec->arguments[i];
    if (g->role == ARGUMENT_CONSTANT)
        lines_emit(&w->lines, "    @set_variable(w, %q, a->%s, %x);\n", g->name, c->fields[i],
                   code_bytes(c, w->lines.variant, i), C_ANYWHERE);
    else if (is_zeroed(g))
        lines_emit(&w->lines, "    @set_to_zero(w, %s, %x);\n", value_of(w, i),
                   code_bytes(c, w->lines.variant, i), C_ANYWHERE);
}

/* --- repeats ---------------------------------------------------------------------------------- */

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

static void open_values(CodeLines *l, const char *name, const ValueList *list)
{
    lines_emit(l, "    for (int i = 0; i < %z; i++) {\n        static const long long values[] = {",
               list->count);
    for (size_t i = 0; i < list->count; i++) {
        l->failed = l->failed || list->at[i].kind != VALUE_INT;
        lines_emit(l, i ? ", %v" : "%v", list->at[i]);
    }
    lines_emit(l, "};\n        const long long %s = values[i];\n        (void)%s;\n", name, name);
    l->failed = l->failed || list->count > 4096;
}

/* Only for a constant positive step, which makes a plain loop. */
static void open_range(Walk *w, const CodeLaunch *k, const Expr *const parts[3])
{
    const Value *step = parts[2] ? expr_literal(parts[2]) : NULL;
    const CWriter writer = lines_writer(&w->lines, true);
    const Expr *from = parts[0] ? parts[0] : expr_of_value(w->lines.code->arena, value_int(0));
    if (expr_kind(from) != VALUE_INT || expr_kind(parts[1]) != VALUE_INT ||
        (parts[2] && (!step || step->kind != VALUE_INT || step->integer < 1)) ||
        c_range(&writer, parts[1]).high > 0x1p60 || (step && step->integer > INT64_C(1) << 40)) {
        w->lines.failed = true;
        return;
    }
    lines_emit(&w->lines, "    for (long long %s = %x; %s < %x; %s += %v) {\n", k->name, from,
               C_RELATION, k->name, parts[1], C_RELATION, k->name, step ? *step : value_int(1));
}

/* The head of a loop over one item of a repeat name's values. */
static void open_loop(Walk *w, const CodeLaunch *k, const Expr *values)
{
    const Value *value = expr_literal(values);
    const ValueList *list = value && value->kind == VALUE_LIST ? value->list : NULL;
    const Expr *parts[3];
    if (list && is_progression(list)) {
        open_progression(&w->lines.text, k->name, list);
    } else if (list) {
        open_values(&w->lines, k->name, list);
    } else if (c_is_range(values, parts)) {
        open_range(w, k, parts);
    } else {
        w->lines.failed = w->lines.failed || expr_kind(values) != VALUE_INT;
        lines_emit(&w->lines, "    {\n        const long long %s = %x;\n        (void)%s;\n",
                   k->name, values, C_ANYWHERE, k->name);
    }
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

static void write_item(Walk *w, const CodeItem *item, const char *own)
{
    CWriter writer = lines_writer(&w->lines, false);
    if (item->choice)
        w->lines.failed = !c_choose(&writer, item->choice, write_address, w) || w->lines.failed;
    else if (own)
        buf_printf(&w->lines.text, "&%s", own);
    else
        write_address(w, w->lines.code->spec->arguments[item->argument].name);
}

/* A buffer with the struct that begins at an item, its members at the offsets that C gives them.  Returns
 * its name. */
static const char *write_struct(Walk *w, const CodeLaunch *k, size_t first, const char **own)
{
    const Code *c = w->lines.code;
    StructLayout members = {0};
    size_t end = first;
    const char *name = take_name(w, "members");
    lines_emit(&w->lines, "        unsigned char %s[%z] __attribute__((aligned(16))) = {0};\n",
               name, code_parameter_size(c, k, &end));
    for (size_t i = first; i < end; i++) {
        size_t alignment, size = code_item_size(c, &k->items[i], &alignment);
        lines_emit(&w->lines, "        memcpy(%s + %z, ", name,
                   layout_add(&members, size, alignment));
        write_item(w, &k->items[i], own[i]);
        lines_emit(&w->lines, ", %z);\n", size);
    }
    return name;
}

/* Shape and arguments of a launch. */
static void write_shape(Walk *w, const CodeLaunch *k)
{
    CodeLines *l = &w->lines;
    const char **own = ARENA_ARRAY(l->code->arena, const char *, k->item_count + 1);
    for (size_t i = 0; i < k->item_count; i++)
        if (k->items[i].value) {
            own[i] = take_name(w, k->items[i].item->own->name);
            write_number(w, "        ", k->items[i].item->own, own[i], k->items[i].value);
        }
    const char **structs = ARENA_ARRAY(l->code->arena, const char *, k->item_count + 1);
    for (size_t i = 0; i < k->item_count; i++)
        if (code_is_joined(k, i + 1) && !code_is_joined(k, i))
            structs[i] = write_struct(w, k, i, own);
    lines_emit(l, "        const @shape s = {\n");
    for (int i = 0; i < 2; i++) {
        const Expr *const *extent = i ? k->block : k->grid;
        lines_emit(l, "            {%x, %x, %x},\n", extent[0], C_ANYWHERE, extent[1], C_ANYWHERE,
                   extent[2], C_ANYWHERE);
    }
    lines_emit(l, "            %x, %z,\n        };\n        void *list[] = {\n", k->shared,
               C_ANYWHERE, (size_t)k->launch->cooperative);
    for (size_t i = 0; i < k->item_count; i++) {
        if (code_is_joined(k, i))
            continue;
        buf_puts(&l->text, "            ");
        if (structs[i])
            buf_puts(&l->text, structs[i]);
        else
            write_item(w, &k->items[i], own[i]);
        buf_puts(&l->text, ",\n");
    }
    buf_puts(&l->text, k->item_count ? "        };\n" : "            NULL,\n        };\n");
}

/* What is in a launch's block, and its end. */
static void write_start(Walk *w, size_t launch, bool counted)
{
    const Code *c = w->lines.code;
    const CodeLaunch *k = &w->lines.variant->launches[launch];
    const Expr *times = k->repeat ? k->repeat : expr_of_value(c->arena, value_int(1));
    write_shape(w, k);
    lines_emit(&w->lines,
               "        if (%s!@start(w, %z, %x, &s, list))\n            return 0;\n    }\n",
               counted ? "steps++ == 65536 || " : "",
               (w->lines.variant->number - 1) * c->spec->launch_count + launch, times, C_ANYWHERE);
}

/* A launch, or the launches up to `end` that repeat together; with a repeat name, in loops. */
static void write_launches(Walk *w, size_t launch, size_t end)
{
    const CodeLaunch *k = &w->lines.variant->launches[launch];
    const EmitCode *codes = w->lines.variant->variant->codes;
    if (!k->name) {
        lines_emit(&w->lines, "    /* %c */\n    {\n", codes[launch].kernel);
        write_start(w, launch, false);
        return;
    }
    const bool alone = end == launch + 1;
    buf_puts(&w->lines.text, "    steps = 0;\n");
    for (size_t i = 0; i < k->value_count; i++) {
        lines_emit(&w->lines, alone ? "    /* %c */\n" : "", codes[launch].kernel);
        open_loop(w, k, k->values[i]);
        for (size_t l = launch; l < end; l++) {
            lines_emit(&w->lines, alone ? "" : "    /* %c */\n    {\n", codes[l].kernel);
            write_start(w, l, l == launch);
        }
        buf_puts(&w->lines.text, alone ? "" : "    }\n");
    }
}

bool code_walk(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    Walk w = open_walk(c, v);
    bool repeats = false;
    *why = "its kernels' arguments";
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (v->taken[i])
            write_argument(&w, i);
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (v->taken[i])
            prepare_memory(&w, i);
    for (size_t k = 0; k < c->spec->launch_count; k++)
        repeats = repeats || v->launches[k].name;
    buf_puts(&w.lines.text, repeats ? "    int steps;\n" : "");
    for (size_t k = 0, end; k < c->spec->launch_count && !w.lines.failed; k = end) {
        *why = c->spec->launches[k].entry;
        for (end = k + 1; end < c->spec->launch_count && c->spec->launches[end].together; end++)
            ;
        write_launches(&w, k, end);
    }
    lines_end(&w.lines, NULL, out,
              "static int %swalk_%zu(%swalk *w, const %sproblem *p, const %sarguments *a)",
              c->prefix, v->number, c->prefix, c->prefix, c->prefix);
    return !w.lines.failed;
}

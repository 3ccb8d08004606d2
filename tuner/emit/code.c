#include "tuner/emit/code_parts.h"

#include <ctype.h>

/* Most nodes of an expression in which derived names have been substituted. */
enum { EXPRESSION_LIMIT = 1000 };

/* --- names ------------------------------------------------------------------------------------ */

/* True if the caller provides it: data, and numbers that do not follow from the size. */
static bool code_is_field(const Argument *g)
{
    return g->role == ARGUMENT_SCALAR ? c_uses_only(g->value, 0) : !code_is_scratch(g);
}

static void name_fields(Code *c)
{
    const Spec *s = c->spec;
    const char **taken = ARENA_ARRAY(c->arena, const char *, s->argument_count + 1);
    taken[0] = "scratch";
    c->fields = ARENA_ARRAY(c->arena, const char *, s->argument_count);
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        if (code_is_field(g))
            c->fields[i] = text_name(c->arena, g->name, taken, i + 1);
        taken[i + 1] = c->fields[i];
    }
}

const char *code_text(const Code *c, void (*write)(const Code *, Buf *))
{
    Buf text = {0};
    write(c, &text);
    return buf_keep(&text, c->arena);
}

bool code_problem_is_real(const Code *c, size_t name)
{
    return c->spec->problems[0].values[name].kind == VALUE_REAL;
}

/* The range of a problem number: from 0 to 2^31 − 1, as kernels usually count with int; larger if the unit
 * was tuned for a value beyond it. */
static CRange problem_range(const Code *c, size_t name)
{
    CRange r = {0, 2147483647.0};
    for (size_t i = 0; i < c->unit->entry_count; i++) {
        const Value v = c->unit->entries[i].problem[name];
        const double x = value_as_real(v);
        if (code_problem_is_real(c, name))
            return (CRange){-1e30, 1e30};
        if (x < 0)
            r.low = -2147483647.0;
        if (x > r.high)
            r.high = 0x1p53 - 1;
    }
    return r;
}

static void name_problem(Code *c)
{
    const Spec *s = c->spec;
    c->names = ARENA_ARRAY(c->arena, CName, spec_slot_count(s));
    c->problem_fields = ARENA_ARRAY(c->arena, const char *, s->problem_name_count);
    for (size_t i = 0; i < s->problem_name_count; i++) {
        c->problem_fields[i] = text_name(c->arena, s->problem_names[i], c->problem_fields, i);
        c->names[i] =
            (CName){arena_printf(c->arena, "p->%s", c->problem_fields[i]), problem_range(c, i)};
    }
}

/* --- a variant with its parameters filled in -------------------------------------------------- */

static const Expr *folded(const Code *c, const CodeVariant *v, const Expr *e)
{
    return e ? expr_fold(c->arena, e, v->slots, v->known, v->meaning) : NULL;
}

static const Expr *number(const Code *c, const CodeVariant *v, const Expr *e, int64_t otherwise)
{
    return e ? folded(c, v, e) : expr_of_value(c->arena, value_int(otherwise));
}

static void fold_derived(const Code *c, CodeVariant *v)
{
    const Spec *s = c->spec;
    for (size_t k = 0; k < s->derived_count; k++) {
        const size_t slot = spec_derived_slot(s, k);
        const Expr *e = folded(c, v, s->derived[k].value);
        const Value *value = expr_literal(e);
        v->known[slot] = value != NULL;
        if (value)
            v->slots[slot] = *value;
        else if (expr_size(e) <= EXPRESSION_LIMIT)
            v->meaning[slot] = e;
    }
}

size_t code_item_size(const Code *c, const CodeItem *item, size_t *alignment)
{
    const Argument *g = item->value ? item->item->own : NULL;
    for (size_t i = 0; i < c->spec->argument_count && !g; i++)
        if (i == item->argument ||
            (item->choice && c_may_choose(item->choice, c->spec->arguments[i].name)))
            g = &c->spec->arguments[i];
    const bool number = g && g->role == ARGUMENT_SCALAR;
    *alignment = number ? argument_alignment(g) : 8;
    return number ? task_type_size(g->element) : 8;
}

bool code_is_joined(const CodeLaunch *k, size_t item)
{
    return item < k->item_count && k->items[item].item && k->items[item].item->joined;
}

size_t code_parameter_size(const Code *c, const CodeLaunch *k, size_t *i)
{
    StructLayout whole = {0};
    do {
        size_t alignment, size = code_item_size(c, &k->items[*i], &alignment);
        layout_add(&whole, size, alignment);
    } while (code_is_joined(k, ++*i));
    return layout_size(&whole);
}

static void fold_items(const Code *c, CodeVariant *v, CodeLaunch *k)
{
    const Spec *s = c->spec;
    const Launch *l = k->launch;
    size_t room = l->has_items ? l->item_count : s->argument_count;
    k->items = ARENA_ARRAY(c->arena, CodeItem, room);
    for (size_t i = 0; i < room; i++) {
        CodeItem *item = &k->items[k->item_count];
        item->argument = SIZE_MAX;
        if (!l->has_items) {
            item->argument = i;
            k->item_count += s->arguments[i].role != ARGUMENT_CONSTANT;
            continue;
        }
        k->item_count++;
        item->item = &l->items[i];
        if (l->items[i].own) {
            item->value = folded(c, v, l->items[i].own->value);
            continue;
        }
        const Expr *choice = folded(c, v, l->items[i].choice);
        const Value *name = expr_literal(choice);
        const Argument *g =
            name ? NAME_FIND(s->arguments, s->argument_count, name, name->string) : NULL;
        item->argument = g ? (size_t)(g - s->arguments) : SIZE_MAX;
        item->choice = name ? NULL : choice;
    }
}

/* The range of a repeat name's values. */
static CRange repeat_range(const CodeVariant *v, const CodeLaunch *k)
{
    CRange all = {0, 0};
    const CWriter w = {.names = v->names, .exact = true};
    for (size_t i = 0; i < k->value_count; i++) {
        const Value *value = expr_literal(k->values[i]);
        const Expr *parts[3];
        CRange r = {-0x1p63, 0x1p63};
        for (size_t n = 0; value && value->kind == VALUE_LIST && n < value->list->count; n++) {
            const double x = value_as_real(value->list->at[n]);
            r = n == 0 ? (CRange){x, x} : c_join(r, (CRange){x, x});
        }
        if (c_is_range(k->values[i], parts))
            r = c_join(parts[0] ? c_range(&w, parts[0]) : (CRange){0, 0}, c_range(&w, parts[1]));
        else if (expr_kind(k->values[i]) == VALUE_INT)
            r = c_range(&w, k->values[i]);
        all = i == 0 ? r : c_join(all, r);
    }
    return all;
}

static void fold_repeat(const Code *c, CodeVariant *v, CodeLaunch *k)
{
    const Launch *l = k->launch;
    k->repeat = l->repeat ? folded(c, v, l->repeat) : NULL;
    k->value_count = l->repeat_value_count;
    k->values = ARENA_ARRAY(c->arena, const Expr *, k->value_count);
    for (size_t i = 0; i < k->value_count; i++)
        k->values[i] = folded(c, v, l->repeat_values[i]);
    if (!l->repeat_name)
        return;
    k->name = text_name(c->arena, l->repeat_name, code_walk_names, CODE_WALK_NAMES);
    k->range = repeat_range(v, k);
    v->names[l->repeat_slot] = (CName){k->name, k->range};
}

static void fold_launch(const Code *c, CodeVariant *v, CodeLaunch *k, const Launch *l)
{
    k->launch = l;
    fold_repeat(c, v, k);
    for (int i = 0; i < 3; i++) {
        k->grid[i] = number(c, v, l->grid[i], 1);
        k->block[i] = number(c, v, l->block[i], 1);
    }
    k->shared = number(c, v, l->shared, 0);
    fold_items(c, v, k);
}

static void note_taken(const Code *c, CodeVariant *v)
{
    const Spec *s = c->spec;
    v->taken = ARENA_ARRAY(c->arena, bool, s->argument_count);
    for (size_t i = 0; i < s->argument_count; i++)
        v->taken[i] = s->arguments[i].role == ARGUMENT_CONSTANT;
    for (size_t l = 0; l < s->launch_count; l++)
        EACH (const CodeItem, item, v->launches[l].items, v->launches[l].item_count)
            for (size_t g = 0; g < s->argument_count; g++)
                v->taken[g] = v->taken[g] || g == item->argument ||
                              (item->choice && c_may_choose(item->choice, s->arguments[g].name));
}

static void fold_variant(const Code *c, CodeVariant *v)
{
    const Spec *s = c->spec;
    const size_t slots = spec_slot_count(s);
    v->slots = ARENA_ARRAY(c->arena, Value, slots);
    v->known = ARENA_ARRAY(c->arena, bool, slots);
    v->meaning = ARENA_ARRAY(c->arena, const Expr *, slots);
    v->names = arena_keep(c->arena, c->names, slots * sizeof *v->names);
    for (size_t i = 0; i < s->problem_name_count; i++) {
        v->slots[i] = v->variant->slots[i];
        v->known[i] = v->tuned_size_only || v->variant->fixed[i];
    }
    for (size_t i = 0; i < s->parameter_count; i++) {
        const size_t slot = spec_parameter_slot(s, i);
        v->slots[slot] = v->variant->slots[slot];
        v->known[slot] = true;
    }
    spec_set_arguments(s, v->slots);
    for (size_t i = 0; i < s->argument_count; i++)
        v->known[spec_argument_slot(s, i)] = true;
    fold_derived(c, v);
    v->launches = ARENA_ARRAY(c->arena, CodeLaunch, s->launch_count);
    for (size_t l = 0; l < s->launch_count; l++)
        fold_launch(c, v, &v->launches[l], &s->launches[l]);
    v->counts = ARENA_ARRAY(c->arena, const Expr *, s->argument_count);
    v->values = ARENA_ARRAY(c->arena, const Expr *, s->argument_count);
    for (size_t i = 0; i < s->argument_count; i++) {
        v->counts[i] = folded(c, v, s->arguments[i].count);
        v->values[i] = folded(c, v, s->arguments[i].value);
    }
    v->scale = folded(c, v, s->scale);
    note_taken(c, v);
}

/* --- functions of a problem size --------------------------------------------------------------
 *
 * Whether any variant may serve it, whether one does, how a variant's time scales with it, elements of buffers,
 * work.  Checks are statements that return 0 if they fail: the spec's requirements, the values its parameters
 * may have, buffer sizes.  If C cannot express one of them, the variant serves only the size it was tuned for. */

/* Most bytes of a buffer: more than any device has, and sums of them do not overflow. */
static const double BYTE_LIMIT = 0x1p48;

/* Folds an expression that uses problem names only. */
static const Expr *of_size(const Code *c, const Expr *e)
{
    const bool *nothing = ARENA_ARRAY(c->arena, bool, spec_slot_count(c->spec));
    return expr_fold(c->arena, e, NULL, nothing, NULL);
}

/* True if an expression uses problem names only, and so is the same for all variants. */
static bool uses_size_only(const Code *c, const Expr *e)
{
    return c_uses_only(e, c->spec->problem_name_count);
}

/* --- checks ----------------------------------------------------------------------------------- */

/* "        return 0; / * require … * /", with the text of the spec at `at`, if any. */
static void lines_refuse(CodeLines *l, const char *what, Span at)
{
    buf_printf(&l->text, "        return 0; /* %s%s */\n", what,
               at.source ? text_comment_span(l->code->arena, at) : "");
}

/* `written` is the condition as the spec has it.  Nothing before it has failed. */
static void check_condition(CodeLines *l, const Expr *condition, const Expr *written)
{
    const Value *known = expr_literal(condition);
    if (known && value_is_true(*known))
        return;
    CWriter w = lines_writer(l, false);
    buf_puts(&l->text, "    if (");
    l->failed = !c_unless(&w, condition, C_ANYWHERE);
    buf_puts(&l->text, ")\n");
    lines_refuse(l, "require ", expr_span(written));
}

/* Checks that a buffer has at least one element and at most BYTE_LIMIT bytes. */
static void check_count(CodeLines *l, const Argument *g, const Expr *count)
{
    const Value *known = expr_literal(count);
    const CWriter w = lines_writer(l, true);
    const CRange r = c_range(&w, count);
    const size_t size = task_type_size(g->element);
    if ((known && known->integer >= 1) ||
        (!c_may_fail(&w, count) && r.low >= 1 && r.high * (double)size <= BYTE_LIMIT))
        return;
    lines_emit(l, "    if (!@is_count(%x, %z))\n", count, C_ANYWHERE, size);
    lines_refuse(l, g->name, (Span){0});
}

/* A device variable keeps the size it was compiled with. */
static void check_constant(CodeLines *l, const Argument *g, const Expr *count)
{
    Evaluation ev = {.arena = l->code->arena};
    Value value;
    if (expr_literal(count))
        return;
    if (!expr_eval(g->count, l->variant->variant->slots, &ev, &value))
        value = (Value){.kind = VALUE_NONE}; /* cannot be written in C */
    lines_emit(l, "    if (%x != %v)\n", count, C_EQUALITY, value);
    lines_refuse(l, arena_printf(l->code->arena, "%s has a fixed size", g->name), (Span){0});
}

static void check_counts(CodeLines *l)
{
    const CodeVariant *v = l->variant;
    for (size_t i = 0; i < l->code->spec->argument_count; i++) {
        const Argument *g = &l->code->spec->arguments[i];
        if (!v->counts[i] || !v->taken[i])
            continue;
        if (g->role == ARGUMENT_CONSTANT)
            check_constant(l, g, v->counts[i]);
        else if (!uses_size_only(l->code, g->count))
            check_count(l, g, v->counts[i]);
    }
}

/* As in the spec, all derived names are evaluated, used or not. */
static void check_derived(CodeLines *l)
{
    const Spec *s = l->code->spec;
    for (size_t k = 0; k < s->derived_count; k++) {
        const size_t slot = spec_derived_slot(s, k);
        const Expr *e = l->variant->meaning[slot];
        const CWriter w = lines_writer(l, true);
        if (l->variant->known[slot] || (e && !c_may_fail(&w, e)))
            continue;
        if (e)
            lines_emit(l, "    (void)%x; /* let %s */\n", e, C_UNARY, s->derived[k].name);
        l->failed = l->failed || !e;
    }
}

/* True if a parameter may have the value at every size. */
static bool is_always_allowed(CodeLines *l, Value value, Expr *const *items, size_t count)
{
    const CWriter w = lines_writer(l, false);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const Value *item = expr_literal(items[i]);
        if (!item && c_may_fail(&w, items[i]))
            return false;
        if (item && item->kind != VALUE_LIST)
            found = found || value_equal(*item, value);
        for (size_t k = 0; item && item->kind == VALUE_LIST && k < item->list->count; k++)
            found = found || value_equal(item->list->at[k], value);
    }
    return found;
}

static void check_parameter(CodeLines *l, size_t parameter)
{
    const Code *c = l->code;
    const Parameter *p = &c->spec->parameters[parameter];
    const Value value = l->variant->slots[spec_parameter_slot(c->spec, parameter)];
    Expr **items = ARENA_ARRAY(c->arena, Expr *, p->item_count);
    for (size_t i = 0; i < p->item_count; i++)
        items[i] = (Expr *)(uintptr_t)folded(l->code, l->variant, p->items[i]);
    if (is_always_allowed(l, value, items, p->item_count))
        return;
    CWriter w = lines_writer(l, false);
    buf_puts(&l->text, "    if (!");
    l->failed = !c_member(&w, expr_of_value(c->arena, value), items, p->item_count);
    buf_puts(&l->text, ")\n");
    lines_refuse(l, "param ", p->at);
}

/* All checks of the spec that depend on the variant. */
static void check_spec(CodeLines *l, const char **why)
{
    const Spec *s = l->code->spec;
    *why = "its derived names";
    check_derived(l);
    for (size_t p = 0; p < s->parameter_count && !l->failed; p++) {
        *why = s->parameters[p].name;
        check_parameter(l, p);
    }
    for (size_t i = 0; i < s->constraint_count && !l->failed; i++) {
        const Expr *written = s->constraints[i].condition;
        *why = expr_text(l->code->arena, written);
        if (!uses_size_only(l->code, written))
            check_condition(l, folded(l->code, l->variant, written), written);
    }
    if (l->failed)
        return;
    *why = "its buffer sizes";
    check_counts(l);
}

/* Problem numbers that the code was compiled for. */
static void check_tuned_size(CodeLines *l)
{
    const Code *c = l->code;
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        if (!l->variant->known[i])
            continue;
        lines_emit(l, "    if (p->%s != %v)\n", c->problem_fields[i], l->variant->slots[i]);
        lines_refuse(l, "its code was compiled for this value", (Span){0});
    }
}

/* --- all variants ----------------------------------------------------------------------------- */

/* The checks that do not depend on the variant.  False if C cannot express one: it is left out, and all
 * variants serve only their tuned sizes. */
static bool write_sound(const Code *c, Buf *out, const char **why)
{
    const Spec *s = c->spec;
    CodeLines l = {.code = c};
    bool all = true;
    for (size_t i = 0; i < s->constraint_count; i++) {
        const Expr *e = s->constraints[i].condition;
        const size_t before = l.text.size;
        if (uses_size_only(c, e))
            check_condition(&l, of_size(c, e), e);
        if (!l.failed)
            continue;
        l.text.size = before;
        l.text.text[before] = '\0';
        l.failed = all = false;
        *why = expr_text(c->arena, e);
    }
    EACH (const Argument, g, s->arguments, s->argument_count)
        if (g->count && g->role != ARGUMENT_CONSTANT && uses_size_only(c, g->count))
            check_count(&l, g, of_size(c, g->count));
    buf_puts(out, "/* The conditions that a size has to meet for every variant. */\n");
    lines_end(&l, NULL, out, "static int %sis_sound(const %sproblem *p)", c->prefix, c->prefix);
    return all;
}

static bool write_serves(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    CodeLines l = {.code = c, .variant = v};
    check_tuned_size(&l);
    if (!v->tuned_size_only)
        check_spec(&l, why);
    lines_end(&l, NULL, out, "static int %sserves_%zu(const %sproblem *p)", c->prefix, v->number,
              c->prefix);
    return !l.failed;
}

static bool write_variant(const Code *c, const CodeVariant *v, Buf *out, const char **why)
{
    buf_printf(out, "/* --- variant %zu ---\n *\n * %s", v->number,
               text_comment(c->arena, v->variant->name));
    if (v->why)
        buf_printf(out,
                   "\n *\n * It serves only the size it was tuned for, since C cannot express:\n"
                   " * %s",
                   text_comment(c->arena, v->why));
    buf_puts(out, " */\n\n");
    return write_serves(c, v, out, why) && code_walk(c, v, out, why);
}

/* True if C can express all of a variant that depends on the size; else `*why` is what it cannot. */
static bool is_expressible(const Code *c, const CodeVariant *v, const char **why)
{
    SCOPED_BUF text = {0};
    *why = "";
    return write_sound(c, &text, why) && write_variant(c, v, &text, why);
}

/* --- functions of a size ---------------------------------------------------------------------- */

/* The rest of a function that returns an expression as a double, or 0 if it fails.  False if C cannot
 * express it. */
static bool write_real(const Code *c, const CodeVariant *v, const Expr *e, Buf *out)
{
    CodeLines l = {.code = c, .variant = v};
    CWriter w = lines_writer(&l, false);
    const bool said = c_real(&w, e, C_ANYWHERE);
    const char *value = buf_text(&l.text);
    buf_puts(out, strstr(value, "p->") ? "" : "    (void)p;\n");
    if (strstr(value, "&ok"))
        buf_printf(out,
                   "    int ok = 1;\n    const double value = %s;\n    return ok ? value : 0;\n",
                   value);
    else
        buf_printf(out, "    return %s;\n", value);
    buf_puts(out, "}\n\n");
    buf_free(&l.text);
    return said;
}

static bool write_scale(const Code *c, const CodeVariant *v, Buf *out)
{
    buf_printf(out, "static double %sscale_%zu(const %sproblem *p)\n{\n", c->prefix, v->number,
               c->prefix);
    return write_real(c, v, v->scale, out);
}

/* True if C can express how a variant's time scales with the size. */
static bool scale_is_expressible(const Code *c, const CodeVariant *v)
{
    SCOPED_BUF text = {0};
    return v->scale && write_scale(c, v, &text);
}

/* The work of a launch, if it depends on the size only.  Numbers out of range would overflow the integer
 * arithmetic, so they are checked first. */
static bool write_work(const Code *c, const char *name, const Expr *e, Buf *out)
{
    buf_printf(out,
               "double %s%s(const %sproblem *p)\n{\n    if (!%sis_size(p))\n        return 0;\n",
               c->prefix, name, c->prefix, c->prefix);
    return write_real(c, NULL, of_size(c, e), out);
}

bool code_work_is_expressible(const Code *c, const Expr *e)
{
    SCOPED_BUF text = {0};
    return e && uses_size_only(c, e) && write_work(c, "", e, &text);
}

bool code_counts_by_variant(const Code *c, size_t argument)
{
    const Argument *g = &c->spec->arguments[argument];
    return g->count && c->fields[argument] && !uses_size_only(c, g->count);
}

/* The number of elements of a buffer, by variant. */
static void write_elements(const Code *c, size_t argument, Buf *out)
{
    const char *name = c->spec->arguments[argument].name, *x = c->prefix;
    CodeLines l = {.code = c};
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        l.variant = &c->variants[v];
        lines_emit(&l, "    if (variant == %z)\n        return %x;\n", v + 1,
                   c->variants[v].counts[argument], C_ANYWHERE);
    }
    lines_end(&l, "0", out, "static long long %scount_%s(int variant, const %sproblem *p)", x, name,
              x);
    buf_printf(out,
               "long long %s%s_elements(int variant, const %sproblem *p)\n{\n"
               "    return %smost_elements(variant, p, %scount_%s);\n}\n\n",
               x, name, x, x, x, name);
}

void code_more(const Code *c, Buf *out)
{
    const Spec *s = c->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (code_counts_by_variant(c, i))
            write_elements(c, i, out);
    for (int i = 0; i < OBJECTIVES; i++)
        if (code_work_is_expressible(c, s->work[i]))
            write_work(c, spec_objectives[i], s->work[i], out);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Numbers of a size are less than 2^53, so doubles represent them exactly. */
static void write_numbers(const Code *c, Buf *out)
{
    const size_t count = c->spec->problem_name_count;
    buf_printf(out,
               "/* The numbers of a size as doubles, and their ranges. */\n"
               "enum { %sNUMBERS = %zu };\nstatic const double %sranges[][2] = {",
               c->capitals, count, c->prefix);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "{%.17g, %.17g}, ", c->names[i].range.low, c->names[i].range.high);
    buf_printf(out, "{0, 0}};\n\nstatic void %snumbers(const %sproblem *p, double *numbers)\n{\n",
               c->prefix, c->prefix);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "    numbers[%zu] = (double)p->%s;\n", i, c->problem_fields[i]);
    buf_puts(out, count ? "}\n\n" : "    (void)p;\n    (void)numbers;\n}\n\n");
}

void code_sizes(const Code *c, Buf *out)
{
    const char *why;
    write_numbers(c, out);
    write_sound(c, out, &why);
    for (size_t i = 0; i < c->unit->variant_count; i++) {
        write_variant(c, &c->variants[i], out, &why);
        if (c->has_scale)
            write_scale(c, &c->variants[i], out);
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

static void open_variant(Code *c, size_t i)
{
    CodeVariant *v = &c->variants[i];
    v->variant = &c->unit->variants[i];
    v->number = i + 1;
    v->tuned_size_only = unit_variant_is_fixed(c->unit, v->variant);
    fold_variant(c, v);
    const char *why = NULL;
    if (v->tuned_size_only || is_expressible(c, v, &why))
        return;
    diag_warn(c->d, (Span){0},
              "%s serves only the size it was tuned for: '%s' cannot be expressed in C",
              v->variant->name, why);
    *v = (CodeVariant){.variant = v->variant, .number = i + 1, .tuned_size_only = true, .why = why};
    fold_variant(c, v);
}

/* --- entries that cannot be launched ---------------------------------------------------------- */

/* True if an expression leaves a remainder, or fails, at a size. */
static bool leaves_remainder(const Code *c, const Expr *e, const Value *slots)
{
    Evaluation ev = {.arena = c->arena};
    Value v;
    return e && (!expr_eval(e, slots, &ev, &v) || ev.inexact);
}

/* An expression of a variant that does, not counting those with a repeat name; NULL: none. */
static const Expr *remainder_of(const Code *c, const CodeVariant *v, const Value *slots)
{
    for (size_t k = 0; k < c->spec->derived_count; k++)
        if (leaves_remainder(c, v->meaning[spec_derived_slot(c->spec, k)], slots))
            return c->spec->derived[k].value;
    EACH (const CodeLaunch, k, v->launches, c->spec->launch_count)
        for (int i = 0; i < 3 && !k->name; i++) {
            if (leaves_remainder(c, k->grid[i], slots))
                return k->launch->grid[i];
            if (leaves_remainder(c, k->block[i], slots))
                return k->launch->block[i];
        }
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (v->taken[i] && leaves_remainder(c, v->counts[i], slots))
            return c->spec->arguments[i].count;
    return NULL;
}

static void warn_of_entry(const Code *c, const EmitEntry *e)
{
    const CodeVariant *v = &c->variants[e->variant];
    Value *slots = arena_keep(c->arena, v->slots, spec_slot_count(c->spec) * sizeof *slots);
    for (size_t i = 0; i < c->spec->problem_name_count; i++)
        slots[i] = e->problem[i];
    const Expr *why = remainder_of(c, v, slots);
    if (why)
        diag_warn(
            c->d, expr_span(why),
            "this division leaves a remainder at the tuned size, so the emitted unit will not "
            "launch it; write // to round down, ceil_div to round up");
}

/* Not counting buffers that only the reference takes. */
static bool takes_scratch(const Code *c, const CodeVariant *v)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (v->taken[i] && code_is_scratch(&c->spec->arguments[i]))
            return true;
    return false;
}

Code *code_open(Arena *a, const EmitUnit *u, Diag *d)
{
    Code *c = ARENA_NEW(a, Code);
    *c = (Code){.arena = a, .unit = u, .spec = u->spec, .prefix = u->prefix, .d = d};
    char *capitals = arena_string(a, u->prefix);
    for (char *p = capitals; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    c->capitals = capitals;
    if (u->entry_count == 0 || u->variant_count == 0) {
        diag_fail(d, "there is nothing to emit");
        return NULL;
    }
    for (size_t i = 0; i < c->spec->argument_count; i++)
        c->has_constants = c->has_constants || c->spec->arguments[i].role == ARGUMENT_CONSTANT;
    name_fields(c);
    name_problem(c);
    c->variants = ARENA_ARRAY(a, CodeVariant, u->variant_count);
    for (size_t i = 0; i < u->variant_count; i++) {
        open_variant(c, i);
        c->has_scratch = c->has_scratch || takes_scratch(c, &c->variants[i]);
    }
    c->has_scale = true;
    for (size_t i = 0; i < u->entry_count; i++) {
        warn_of_entry(c, &u->entries[i]);
        c->has_scale = c->has_scale && u->entries[i].time_ms > 0 &&
                       scale_is_expressible(c, &c->variants[u->entries[i].variant]);
    }
    return c;
}

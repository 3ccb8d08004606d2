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
    v->names = ARENA_ARRAY(c->arena, CName, slots);
    memcpy(v->names, c->names, slots * sizeof *v->names);
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

static void open_variant(Code *c, size_t i)
{
    CodeVariant *v = &c->variants[i];
    v->variant = &c->unit->variants[i];
    v->number = i + 1;
    v->tuned_size_only = unit_variant_is_fixed(c->unit, v->variant);
    fold_variant(c, v);
    const char *why = NULL;
    if (v->tuned_size_only || code_is_expressible(c, v, &why))
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
    Value *slots = ARENA_ARRAY(c->arena, Value, spec_slot_count(c->spec));
    memcpy(slots, v->slots, spec_slot_count(c->spec) * sizeof *slots);
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
                       code_scale_is_expressible(c, &c->variants[u->entries[i].variant]);
    }
    return c;
}

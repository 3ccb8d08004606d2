#include "tuner/space/plan.h"

/* The highest level of the slots that an expression reads. */
static size_t level_of(const SpacePlan *w, const Expr *e)
{
    size_t slots = spec_slot_count(w->space->spec), level = 0;
    bool *reads = ARENA_ARRAY(w->scratch, bool, slots);
    expr_mark_names(e, reads);
    for (size_t k = 0; k < slots; k++)
        if (reads[k] && w->level[k] > level)
            level = w->level[k];
    arena_reset(w->scratch);
    return level;
}

/* Plans the derived names that `e` reads, and those that they read, unless they are planned already. */
static void plan_derived(SpacePlan *w, const Expr *e)
{
    const Spec *s = w->space->spec;
    const size_t first = spec_derived_slot(s, 0);
    bool *reads = ARENA_ARRAY(w->scratch, bool, spec_slot_count(s));
    expr_mark_names(e, reads);
    for (size_t k = s->derived_count; k-- > 0;) /* a derived name reads only earlier ones */
        if (reads[first + k])
            expr_mark_names(s->derived[k].value, reads);
    for (size_t k = 0; k < s->derived_count; k++) {
        if (!reads[first + k] || w->planned[k])
            continue;
        w->planned[k] = true;
        VEC_PUSH(w->arena, &w->checks[w->level[first + k]],
                 ((Check){CHECK_DERIVE, s->derived[k].value, first + k}));
    }
    arena_reset(w->scratch);
}

static void plan(SpacePlan *w)
{
    const Spec *s = w->space->spec;
    for (size_t p = 0; p < s->parameter_count; p++)
        w->level[spec_parameter_slot(s, p)] = p + 1;
    for (size_t k = 0; k < s->derived_count; k++)
        w->level[spec_derived_slot(s, k)] = level_of(w, s->derived[k].value);
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (!s->parameters[p].dependent)
            continue;
        for (size_t i = 0; i < s->parameters[p].item_count; i++)
            plan_derived(w, s->parameters[p].items[i]);
        VEC_PUSH(w->arena, &w->checks[p + 1], ((Check){CHECK_MEMBER, NULL, p}));
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        size_t count;
        Expr **parts = expr_conjuncts(w->arena, s->constraints[i].condition, &count);
        for (size_t k = 0; k < count; k++) {
            plan_derived(w, parts[k]);
            VEC_PUSH(w->arena, &w->checks[level_of(w, parts[k])],
                     ((Check){CHECK_CONDITION, parts[k], i}));
        }
    }
    bool below = true;
    for (size_t p = s->parameter_count; p-- > 0;)
        w->free_below[p] = below = below && w->checks[p + 1].count == 0;
}

static void arithmetic_error(const SpacePlan *w, const Evaluation *ev, size_t level, Diag *d)
{
    SCOPED_BUF text = {0};
    const Spec *s = w->space->spec;
    for (size_t p = 0; p < level; p++) {
        buf_printf(&text, "%s%s=", p ? " " : "", s->parameters[p].name);
        value_print_named(w->slots[spec_parameter_slot(s, p)], &text);
    }
    diag_error(d, ev->error_at,
               level ? "%s (with %s); a require line before it can exclude this" : "%s%s",
               ev->error, buf_text(&text));
}

Verdict space_plan_judge(SpacePlan *w, size_t level, const Check **by, Diag *d)
{
    const CheckVec *checks = &w->checks[level];
    Evaluation ev = {.arena = w->scratch};
    VEC_EACH (const Check, c, *checks) {
        Value v = value_bool(false);
        bool done;
        if (c->kind == CHECK_MEMBER)
            done = spec_parameter_allows(w->scratch, w->space->spec, c->index, w->slots, &ev,
                                         &v.boolean);
        else
            done = expr_eval(c->expr, w->slots, &ev, &v);
        if (arena_used(w->scratch) > 0)
            arena_reset(w->scratch);
        if (!done) {
            arithmetic_error(w, &ev, level, d);
            return VERDICT_ERROR;
        }
        if (c->kind == CHECK_DERIVE) {
            w->slots[c->index] = v;
        } else if (!value_is_true(v)) {
            *by = c;
            return VERDICT_REJECTED;
        }
    }
    return VERDICT_ALLOWED;
}

SpacePlan *space_plan_new(Arena *a, const Space *s)
{
    const Spec *spec = s->spec;
    SpacePlan *w = ARENA_NEW(a, SpacePlan);
    *w = (SpacePlan){.space = s, .arena = a, .scratch = arena_new()};
    w->checks = ARENA_ARRAY(a, CheckVec, spec->parameter_count + 1);
    w->free_below = ARENA_ARRAY(a, bool, spec->parameter_count + 1);
    w->planned = ARENA_ARRAY(a, bool, spec->derived_count);
    w->level = ARENA_ARRAY(a, size_t, spec_slot_count(spec));
    w->slots = ARENA_ARRAY(a, Value, spec_slot_count(spec));
    spec_set_problem(spec, s->problem, w->slots);
    plan(w);
    return w;
}

void space_plan_free(SpacePlan *p)
{
    arena_free(p->scratch);
}

/* What the constraints of a spec check at which parameter; for tuner/space alone.
 *
 * Each constraint is split into its conjuncts, and each conjunct judged at the first
 * parameter where all it uses has values; so is the membership of a dependent
 * parameter's value.  Derived names are computed at that point too, only those that some
 * conjunct needs, and only just before the first one that needs them: a guard such as
 * `require TM > 0` protects the division in a later line. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/space/space.h"

typedef enum CheckKind { CHECK_CONDITION, CHECK_MEMBER, CHECK_DERIVE } CheckKind;

/* One thing to do once a parameter has a value. */
typedef struct Check {
    CheckKind kind;
    const Expr *expr; /* condition, or value of a derived name */
    size_t index;     /* constraint, parameter, or slot of the derived name */
} Check;

typedef VEC(Check) CheckVec;

typedef struct SpacePlan {
    const Space *space;
    Arena *arena;
    Arena *scratch;
    CheckVec *checks; /* for each parameter; one more in front for those that need none */
    bool *free_below; /* no checks from this parameter on */
    bool *planned;    /* derived names that some check computes */
    size_t *level;    /* of each derived name: 0 when it uses no parameter, p + 1 when parameter p
                         is the last it uses */
    Value *slots;
} SpacePlan;

/* The problem's values are in the slots.  space_plan_free ends it; the rest lives in `a`. */
SpacePlan *space_plan_new(Arena *a, const Space *s);
void space_plan_free(SpacePlan *p);

typedef enum Verdict { VERDICT_ALLOWED, VERDICT_REJECTED, VERDICT_ERROR } Verdict;

/* Does what is to be done once the first `level` parameters have values.  What rejected it goes to
 * `*by` (NULL: nobody asks); an error is told to `d` (NULL: to nobody). */
Verdict space_plan_judge(SpacePlan *p, size_t level, const Check **by, Diag *d);

/* The slot of a parameter's value. */
static inline Value *space_plan_slot(SpacePlan *p, size_t parameter)
{
    return &p->slots[spec_parameter_slot(p->space->spec, parameter)];
}

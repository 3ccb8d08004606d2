/* What to check once each parameter has a value; for tuner/space alone.
 *
 * Each constraint is split into its conjuncts, and each conjunct is judged at the first parameter where all
 * names in it have values; so is the membership of a dependent parameter's value.  Only derived names that
 * some conjunct needs are computed, just before the first one that needs them, so a guard such as
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
    size_t *level; /* of each slot: 0 when it depends on no parameter, p + 1 when parameter p is the
                         last that it depends on */
    Value *slots;
} SpacePlan;

/* With the problem's values in the slots.  It lives in `a`; space_plan_free frees its scratch memory. */
SpacePlan *space_plan_new(Arena *a, const Space *s);
void space_plan_free(SpacePlan *p);

typedef enum Verdict { VERDICT_ALLOWED, VERDICT_REJECTED, VERDICT_ERROR } Verdict;

/* Runs the checks that need the values of the first `level` parameters.  The check that rejects goes to `*by`
 * and errors to `d`. */
Verdict space_plan_judge(SpacePlan *p, size_t level, const Check **by, Diag *d);

/* The slot of a parameter's value. */
static inline Value *space_plan_slot(SpacePlan *p, size_t parameter)
{
    return &p->slots[spec_parameter_slot(p->space->spec, parameter)];
}

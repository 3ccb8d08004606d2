/* Carving by statements: from `carve` and `polish` lines, or none, to the configurations that are left.
 *
 * Opening a plan resolves every name, so that a mistake in the last line is reported before an hour of
 * compiling; applying it fills in what is known of each row by then.  It does not matter whether a run or a
 * recording filled the table.
 *
 * Without statements, the default is the best by a metric that stands for the time, spread over what that
 * does not tell apart (posterior.h), with a third of the budget for polish. */
#pragma once

#include "tuner/choose/posterior.h"
#include "tuner/choose/carving.h"
#include "tuner/spec/spec.h"

typedef struct CarveRequest {
    const CarveStage *stages; /* carve_open binds their conditions, so open a request once */
    size_t count;             /* 0: the default */
    size_t polish;            /* 0: none, or the default's */
    const char *guess;        /* the metric that stands for the time: "predicted_cycles" */
    size_t parts; /* of the space, which share all budgets; the points are one of them */
} CarveRequest;

typedef struct CarvePlan {
    Arena *arena; /* of all that the plan makes */
    CarveRequest request;
    Table *rows; /* statements may use its metrics and names */
    Stage *stages;
    size_t stage_count;
    VEC(Column) columns; /* that the stages look at; carve_apply sets their values */
    size_t polish; /* most configurations that polish may time; carve_apply sets the default */
    CarvingTable table;
} CarvePlan;

/* Resolves the names of a request: first metrics of the table, fields of profile and device, then sizes,
 * parameters and derived names.  The table need not have rows yet.  The plan lives in `a`; statements and
 * table must outlive it.  False after messages. */
bool carve_open(Arena *a, const CarveRequest *request, Table *rows, CarvePlan *out, Diag *d);

/* Carves the rows that are `alive`.  Rows for which a condition cannot be computed are dropped as unknown,
 * with a warning that gives their number.  The result lives with the plan. */
Carving carve_apply(CarvePlan *plan, const bool *alive, Diag *d);

/* True if all conditions of the plan hold for a row; one that cannot be computed does not hold. */
bool carve_allows(const CarvePlan *plan, Arena *scratch, size_t row);

/* The input of polish after that carving: it may time the rows that are `alive` and that no condition
 * forbids, those that a metric ranked low included.  `alive` must outlive it. */
PosteriorInput carve_polish_input(const CarvePlan *plan, const Carving *carving, const bool *alive);

/* The first front of at least two criteria; NULL when there is none. */
const Stage *carve_tradeoff(const CarvePlan *plan);

/* A part's share of a number of configurations to time. */
size_t carve_share(const CarveRequest *request, size_t count);

/* The default budget for that many configurations of distinct code: one in a hundred, or 40 where that is
 * fewer, or a tenth in small spaces; below 40 configurations, where a tenth is too few to learn from, 4 or
 * all. */
size_t budget_default(size_t configurations);

/* Polish gets a third of a budget.  The other two thirds, spread over what the prediction does not tell
 * apart, have to find the right part of the space; polish only finds the best of that. */
size_t budget_polish(size_t budget);

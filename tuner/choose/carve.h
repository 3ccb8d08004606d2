/* Statements at work: from `carve` and `polish` lines, or none, to the configurations that are left.
 *
 * It happens in two steps.  Opening a plan resolves every name, so that a mistake in the last line is told
 * before an hour of compiling and not after it; applying it fills in what is known of each row by then.
 * Who has filled the table, a run or a recording, it does not ask.
 *
 * Where nothing is said, the default is the best by a metric that stands for the time, spread over what
 * that does not tell apart (posterior.h), with a third of the budget for polish. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/choose/posterior.h"
#include "tuner/choose/carving.h"
#include "tuner/space/table.h"
#include "tuner/spec/spec.h"
#include <stddef.h>

/* What is asked for. */
typedef struct CarveRequest {
    const CarveStage *stages; /* their conditions become bound: a request is opened once */
    size_t count;             /* 0: the default */
    size_t polish;            /* 0: none, or that of the default */
    const char *guess;        /* the metric that stands for the time: "predicted_cycles" */
    size_t parts; /* the points are one of so many parts of a space, which share all budgets */
} CarveRequest;

typedef struct CarvePlan {
    Arena *arena; /* of all that is made */
    CarveRequest request;
    Table *rows; /* whose metrics and names statements may use */
    Stage *stages;
    size_t stage_count;
    VEC(Column) columns; /* what the stages look at; values come with carve_apply */
    size_t polish; /* most configurations that polish may time; of the default after carve_apply */
    CarvingTable table;
} CarvePlan;

/* Resolves the names of a request: metrics of the table, fields of profile and device, behind them
 * sizes, parameters and derived names.  The table need not have rows yet.  The plan lives in `a`;
 * statements and table must outlive it.  False after messages. */
bool carve_open(Arena *a, const CarveRequest *request, Table *rows, CarvePlan *out, Diag *d);

/* Carves the rows that are `alive`.  What an expression cannot be computed for is dropped as not
 * known, with a warning that says for how many.  The result lives with the plan. */
Carving carve_apply(CarvePlan *plan, const bool *alive, Diag *d);

/* Do all conditions of the plan hold for one row?  One that cannot be computed does not. */
bool carve_allows(const CarvePlan *plan, Arena *scratch, size_t row);

/* What polish goes by after that carving, and what it may time: of the rows that are `alive`, those
 * that no expression of the carving forbids.  What a metric thought little of may be timed.
 * `alive` must outlive it. */
PosteriorInput carve_polish_input(const CarvePlan *plan, const Carving *carving, const bool *alive);

/* The first front of two criteria or more; NULL when there is none. */
const Stage *carve_tradeoff(const CarvePlan *plan);

/* A part's share of a number of configurations to time. */
size_t carve_share(const CarveRequest *request, size_t count);

/* How many of so many configurations of distinct code are timed where nobody says: one in a
 * hundred, but 40 where that is fewer, and of small spaces a tenth.  Below 40 configurations a
 * tenth is too little to learn anything from: 4, or all. */
size_t budget_default(size_t configurations);

/* The part of a budget that is kept for polish: a third.  The other two thirds are spread over what
 * the prediction does not tell apart; they have to find the right part of the space, and polish
 * only finds the best of that. */
size_t budget_polish(size_t budget);

/* Carving: stages in order over a table, and for every point what became of it.
 *
 * The table is columns of numbers with names; what a point is (a configuration) this layer does not know
 * beyond a name to print.  Every stage looks at the points that the stages before it left, so thresholds
 * stand before fronts: a configuration that cannot run must not push others off the front.
 *
 * The table and the stages belong to the caller and must outlive the result when reasons are to be
 * printed. */
#pragma once

#include "metrics/base/buf.h"
#include "tuner/choose/front.h"
#include "tuner/space/table.h"

typedef struct Column {
    const char *name;     /* "bound_cycles" */
    const char *unit;     /* "cycles"; NULL or "" for none */
    const double *values; /* one per point; NaN: not known */
    bool up;              /* larger is better */
} Column;

typedef struct CarvingTable {
    const Column *columns;
    size_t column_count;
    size_t points;
    Table *rows; /* the points, as reasons call them; NULL: "#12" */
} CarvingTable;

typedef enum StageKind {
    STAGE_HOLDS,  /* an expression, evaluated by the caller */
    STAGE_WITHIN, /* a percentage from the best of one column */
    STAGE_FRONT,  /* Pareto front, with its band or further layers */
    STAGE_SPREAD  /* the best of one column, spread where they are not told apart (posterior.h) */
} StageKind;

/* A column of the table, by number. */
typedef size_t ColumnId;

typedef struct Stage {
    StageKind kind;
    const char *text; /* as the user wrote it, for messages */

    const ColumnId *columns; /* FRONT: the criteria; WITHIN, SPREAD: the one; HOLDS: those
                                whose values a reason shows */
    size_t column_count;

    const bool *holds;          /* HOLDS: per point, the caller's answer */
    const char *const *unknown; /* HOLDS: per point, why there is none, NULL where there is one;
                                   NULL: there is one for all */
    double percent; /* WITHIN: how far from the best; FRONT: width of the band, 0 for none */

    FrontTies ties;        /* FRONT */
    size_t budget;         /* FRONT: most points kept, 0 for no limit; SPREAD: how many are */
    bool fill;             /* FRONT: add further layers until the budget is full; it must be set,
                              and the band is not used */
    const ColumnId *order; /* FRONT: who goes first when the budget splits a layer */
    size_t order_count;

    const uint32_t *values; /* SPREAD: per point and parameter, which value it has, by number */
    size_t parameters;
} Stage;

typedef struct Fate {
    Outcome kind;
    size_t stage;    /* that dropped it; the number of stages for a survivor */
    ColumnId column; /* BEYOND, UNKNOWN */
    size_t by;       /* DOMINATED, PASSED; else POINT_NONE */
} Fate;

/* What one stage did. */
typedef struct StageReport {
    size_t before, after; /* points alive */
    double best, limit;   /* WITHIN */
    size_t front;         /* FRONT: points of layer 0 */
    size_t layers;        /* FRONT: layers kept, the last perhaps in part */
    size_t cut;           /* FRONT: points that only the budget dropped */
    size_t unknown;       /* dropped for want of a value */
} StageReport;

typedef struct Carving {
    const CarvingTable *table;
    const Stage *stages;
    size_t stage_count;
    Fate *fates;          /* per point */
    StageReport *reports; /* per stage */
    size_t *survivors;    /* numbers of the points left, ascending */
    size_t survivor_count;
} Carving;

/* Runs all stages.  `alive` says which points there are to begin with (NULL: all); the others get
 * OUTCOME_UNKNOWN of a stage that does not exist and are in no count.  The result lives in `a`. */
Carving carving_run(Arena *a, const CarvingTable *table, const bool *alive, const Stage *stages,
                    size_t stage_count);

/* One line on what became of a point: which stage, which number against which limit, or who beats
 * it and by what. */
void carving_why(const Carving *c, size_t point, Buf *out);

/* One line per stage: what it left, and what was cut. */
void carving_print(const Carving *c, Buf *out);

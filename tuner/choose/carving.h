/* Carving: stages in order over a table, and for every point what became of it.
 *
 * The table is columns of numbers with names; this layer does not know what a point is (a configuration)
 * beyond a name to print.  Every stage looks at the points that the stages before it left, so thresholds
 * stand before fronts: a configuration that cannot run must not push others off the front.
 *
 * The table and the stages belong to the caller and must outlive the result when reasons are to be
 * printed. */
#pragma once

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
    Table *rows; /* names the points in reasons; NULL: "#12" */
} CarvingTable;

typedef enum StageKind {
    STAGE_HOLDS,  /* an expression, evaluated by the caller */
    STAGE_WITHIN, /* a percentage from the best of one column */
    STAGE_FRONT,  /* Pareto front, with its band or further layers */
    STAGE_SPREAD /* the best of one column, spread where it does not tell them apart (posterior.h) */
} StageKind;

/* A column of the table, by number. */
typedef size_t ColumnId;

typedef struct Stage {
    StageKind kind;
    const char *text; /* as the user wrote it, for messages */

    const ColumnId *columns; /* FRONT: the criteria; WITHIN, SPREAD: the one; HOLDS: those that
                                reasons show */
    size_t column_count;

    const bool *holds;          /* HOLDS: per point, the caller's answer */
    const char *const *unknown; /* HOLDS: per point, why there is no answer, or NULL; NULL: all
                                   have one */
    double percent; /* WITHIN: how far from the best; FRONT: width of the band, 0 for none */

    FrontTies ties; /* FRONT */
    size_t budget;  /* points kept; FRONT: 0 for no limit */
    bool fill;      /* FRONT: add layers until the budget, which must be set, is full; the
                              band is not used */

    const uint32_t *values; /* SPREAD: per point and parameter, the number of its value */
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
    size_t unknown;       /* dropped for lack of a value */
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

/* Runs all stages.  `alive`: the points to begin with (NULL: all); others get OUTCOME_UNKNOWN with
 * `stage_count` as their stage, and are not counted.  The result lives in `a`. */
Carving carving_run(Arena *a, const CarvingTable *table, const bool *alive, const Stage *stages,
                    size_t stage_count);

/* One line on what became of a point: the stage, and the number and its limit, or what dominates it and by
 * what values. */
void carving_why(const Carving *c, size_t point, Buf *out);

/* One line per stage: how many points it left and cut. */
void carving_print(const Carving *c, Buf *out);

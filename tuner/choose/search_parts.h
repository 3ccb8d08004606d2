/* What the files of a search share. */
#pragma once

#include "tuner/choose/process.h"
#include "tuner/choose/search.h"

#define NO_NUMBER SIZE_MAX

enum {
    STARTERS = 6,    /* times that a model needs before it can be fitted */
    ERRORS_KEPT = 48 /* of each model's predictions */
};

typedef enum RowState {
    ROW_ASKED,    /* being compiled */
    ROW_COMPILED, /* waits for a trial */
    ROW_TRYING,
    ROW_TIMED,
    ROW_SAME, /* has the code, and so the time, of another row */
    ROW_FAILED
} RowState;

/* Why a candidate was asked for. */
typedef enum Origin { BY_SEARCH, BY_CHANCE, BY_STARTER } Origin;

/* A model's belief about the logarithm of a time, its noise included. */
typedef struct Belief {
    double mean, deviation; /* NaN: the model cannot say */
} Belief;

/* A candidate that was asked for. */
typedef struct Row {
    RowState state;
    Origin by;
    double predicted;           /* logarithm; NaN: unknown */
    double variance;            /* of the prediction */
    double shares[TABLE_PARTS]; /* of the prediction; 0: unknown */
    double learned;             /* from recordings of similar spaces; 0: nothing was learned */
    double time;                /* logarithm; set once timed */
    size_t same_as;             /* the row that has its code first; by default itself */
    Belief before;              /* of the space model, before it was compiled */
    Belief after;               /* of the time model, once compiled and before it was timed */
} Row;

/* The latest errors of a model, measured less believed logarithm, and divided by its deviation. */
typedef struct Errors {
    double last[ERRORS_KEPT], scaled[ERRORS_KEPT];
    size_t count; /* ever */
} Errors;

/* A Gaussian process, fitted to what was known at some version of the search. */
typedef struct Model {
    bool by_code;       /* the prediction from the code is an input, … */
    bool by_learned;    /* … and what was learned elsewhere, if anything, … */
    bool by_units;      /* … and each unit's share of the prediction */
    bool of_times;      /* fitted to times; else to predictions, whose unit is another */
    Arena *arena;       /* of the fit */
    Process *process;   /* NULL: not fitted */
    ProcessShape shape; /* the most likely one when all were last tried … */
    size_t shape_count; /* … with this many values */
    size_t version;     /* of the search that it was fitted to */
} Model;

struct Search {
    SearchSpace space;
    SearchOptions options;
    Arena *arena;
    Arena *scratch; /* the model_* functions reset it */
    gsl_rng *random;
    Candidates *candidates;
    size_t parameters; /* of the models: the first PROCESS_PARAMETERS */
    Row *rows;
    uint16_t *points; /* of the rows */
    uint16_t *point;  /* to compile next */
    size_t count, room;
    size_t first;         /* rows before this one belong to earlier starts, … */
    size_t starts;        /* … of which there were this many */
    size_t version;       /* grows with every outcome */
    size_t best;          /* row */
    size_t since_gain;    /* trials */
    size_t gain_compiles; /* compiles that had ended then */
    double gain_from;     /* best time when a gain was last counted */
    size_t timed, compiled, failed, same, right;
    size_t compile_turn, trial_turn;
    bool none_left; /* to compile, when last asked for one */
    size_t random_seen, random_better;
    Model time_model;                   /* of compiled candidates */
    Model blind_model;                  /* of the same, by times alone */
    Model few_model;                    /* of the same, by units too, while trials are few */
    Model space_model;                  /* of candidates that are not compiled */
    const uint16_t *starters;           /* points that are compiled first of all … */
    size_t starter_count, starter_next; /* … and timed */
    double usual;                       /* median prediction of what is timed */
    double spread;                      /* variance of the predictions of what is compiled */
    Errors before, after;               /* of the rows' beliefs of these names */
    double expected;                    /* better ones expected, … */
    size_t expected_timed;              /* … when this many were timed, … */
    double expected_enough;             /* … by a sum that stopped at this much */
    struct {
        uint16_t *points;
        size_t count, next, room;
    } batch; /* to compile, the most promising first */
};

/* What recordings of similar spaces say of a point; 0: nothing. */
double search_learned(const Search *s, const uint16_t *point);

/* Compiled rows that a trial is chosen from, in scratch memory. */
typedef struct Waiting {
    size_t *rows;
    size_t count;
} Waiting;

Waiting waiting(Search *s);

/* The row's time, or that of the row with the same code; NaN: not known. */
double row_time(const Search *s, size_t i);

/* Fits a time model to the current times unless it is up to date; false: there are too few times, or
 * the fit failed. */
bool model_times(Search *s, Model *m);

/* What a time model believes of rows.  The deviation is without noise. */
void believe_rows(Search *s, const Model *m, const size_t *rows, size_t count, double *means);
double believe_deviation(Search *s, const Model *m, size_t row);
Belief believe_row(Search *s, const Model *m, size_t row);

/* What the space model believes of a point's time; NaN while it is not fitted to times. */
Belief believe_point(Search *s, const uint16_t *point);

/* The number of the first `n` parameters in which two points differ. */
unsigned differing(const uint16_t *a, const uint16_t *b, size_t n);

/* True if the space is too large to look at all of it. */
bool is_drawn_from(const Search *s);

/* Like search_expected, but stops summing at `enough`. */
double expected_up_to(Search *s, double enough);

/* Makes a new batch of points to compile; false when there is nothing to choose from. */
bool batch_make(Search *s);

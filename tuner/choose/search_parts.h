/* What the files of a search share. */
#pragma once

#include "tuner/choose/process.h"
#include "tuner/choose/search.h"

#define NO_NUMBER SIZE_MAX

enum {
    STARTERS = 6,     /* times that the models need */
    FRONT_TRIALS = 2, /* that follow them: of the front, but for other turns */
    ERRORS_KEPT = 48  /* of each model's predictions */
};

typedef enum RowState {
    ROW_ASKED,    /* compiles */
    ROW_COMPILED, /* waits for a trial */
    ROW_TRYING,
    ROW_TIMED,
    ROW_SAME, /* has the code of another, and so its time */
    ROW_FAILED
} RowState;

/* Who asked for a candidate. */
typedef enum Chosen { BY_SEARCH, BY_CHANCE, BY_STARTER } Chosen;

/* A logarithm of time as a model believes it, its noise included. */
typedef struct Belief {
    double mean, deviation; /* NaN: it believes nothing */
} Belief;

/* A candidate that was asked for. */
typedef struct Row {
    RowState state;
    Chosen by;
    double predicted; /* logarithm; NaN: unknown */
    double variance;  /* of the prediction */
    double bound, latency;
    double shares[TABLE_PARTS]; /* of the prediction; 0: unknown */
    double learned;             /* by recordings of like spaces; 0: nothing was learned */
    double time;                /* logarithm; of what is timed */
    size_t same_as;             /* row that has its code; itself */
    Belief said;                /* by the space model before it was compiled */
    Belief believed;            /* by the time model before it was timed */
} Row;

/* The last errors of a model: time less what it said, logarithms, and over its deviation. */
typedef struct Errors {
    double last[ERRORS_KEPT], scaled[ERRORS_KEPT];
    size_t count; /* ever */
} Errors;

/* A model, fitted to what was known at some time. */
typedef struct Model {
    Arena *arena; /* of the fit */
    Process *process;
    ProcessShape shape; /* the most likely when it was last looked for … */
    size_t shape_count; /* … with so many values */
    size_t version;     /* of the search that it is fitted to */
    bool of_times;      /* or of predictions, whose unit is another */
} Model;

struct Search {
    SearchSpace space;
    SearchOptions options;
    Arena *arena;
    Arena *scratch;
    gsl_rng *random;
    Candidates *candidates;
    size_t parameters; /* of the models: the first PROCESS_PARAMETERS */
    Row *rows;
    uint16_t *points; /* of the rows */
    size_t count, room;
    size_t first;         /* row: those before it were asked for by earlier starts, … */
    size_t starts;        /* … so many */
    size_t version;       /* grows with everything told */
    size_t best;          /* row */
    size_t since_gain;    /* trials */
    size_t gain_compiles; /* compiles that had ended then */
    double gain_from;     /* best time when a gain was last counted */
    size_t timed, compiled, failed, same, right;
    size_t compile_turn, trial_turn;
    bool none_left; /* to compile, when it was last asked for one */
    size_t random_seen, random_better;
    Model time_model, blind_model;      /* of what is compiled; the second by times alone */
    Model few_model;                    /* of the same, while trials are few: by units, too */
    Model space_model;                  /* of what is not */
    const uint16_t *starters;           /* points that are compiled first of all … */
    size_t starter_count, starter_next; /* … and timed */
    double usual;                       /* median prediction of what is timed */
    double spread;                      /* variance of the predictions of what is compiled */
    Errors before, after;
    double expected;        /* better ones, when … */
    size_t expected_timed;  /* so many were timed; … */
    double expected_enough; /* … a sum that was given up there */
    struct {
        uint16_t *points;
        size_t count, next, room;
    } batch; /* to compile, the most promising first */
};

/* What was learned of a point elsewhere; 0: nothing. */
double search_learned(const Search *s, const uint16_t *point);

/* The row's time, that of its code; NaN: not known. */
double row_time(const Search *s, size_t i);

/* A time model as of now; false: too few times, or it cannot be fitted. */
bool model_times(Search *s, Model *m);

/* What a time model believes of rows; what the space model does of a point's time, or NaN. */
void believe_rows(Search *s, const Model *m, const size_t *rows, size_t count, double *means);
double believe_deviation(Search *s, const Model *m, size_t row);
double believe_deviation_most(Search *s, const Model *m, size_t row); /* it is not above this */
Belief believe_row(Search *s, const Model *m, size_t row);
Belief believe_point(Search *s, const uint16_t *point);

/* In how many of `n` parameters. */
unsigned differing(const uint16_t *a, const uint16_t *b, size_t n);

/* Is the space too large to look at all of it? */
bool is_drawn_from(const Search *s);

/* As search_expected, but at `enough` or more it is given up. */
double expected_up_to(Search *s, double enough);

/* A fresh batch of points to compile.  False when there is nothing to choose from. */
bool batch_make(Search *s);

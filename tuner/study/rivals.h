/* Search strategies of other tuners, played on a space whose outcomes are all known.
 *
 * Nothing is compiled or run: the clock is the cost model of a replayed search (tuner/choose/replay.h), and a
 * configuration is paid for once.  A strategy starts without knowledge.  Dependent requests compile one after
 * the other; what a strategy could request at once (random order, the neighbours of a descent, a generation,
 * a pack) compiles on all cores while the GPU times. */
#pragma once

#include "metrics/base/map.h"
#include "tuner/choose/replay.h"

typedef enum RivalKind {
    RIVAL_RANDOM,
    RIVAL_GREEDY,
    RIVAL_ANNEALING,
    RIVAL_GENETIC,
    RIVAL_GREY_WOLF,
    RIVAL_NEIGHBOURHOODS,
    RIVAL_KINDS
} RivalKind;

/* The name ("random", "grey wolf" …) and a short description of the strategy. */
const char *rival_name(RivalKind k);
const char *rival_meaning(RivalKind k);

/* Neighbours are points that differ in exactly one parameter, by any step.  Points without a time take part:
 * a search can visit and pay for them. */
typedef struct Neighbourhood {
    size_t count; /* points; fewer than 2^31 */
    size_t parameter_count;
    const uint32_t *number; /* indices of values, as in the table */
    size_t *values;         /* per parameter: more than its largest index */
    Map points;             /* by their numbers */
    size_t most;            /* neighbours of any point, at most */
} Neighbourhood;

/* O(parameters * points) time and room; the table must outlive it. */
Neighbourhood neighbourhood_build(Arena *a, const Table *s);

/* The point with these values, one index per parameter; SIZE_MAX: none. */
size_t neighbourhood_find(const Neighbourhood *n, const uint32_t *numbers);

/* Lists the neighbours of point `i`, parameter by parameter, each in ascending order.  `list` has room for
 * `most`; returns how many there are. */
size_t neighbourhood_list(const Neighbourhood *n, size_t i, size_t *list);

/* The space that strategies play on. */
typedef struct RivalSpace {
    const Neighbourhood *near;
    const ReplayRows *rows;
    const size_t *places;    /* of each point of `near`, in `rows` */
    const double *compile_s; /* of each place, with `workers` (replay_compile_seconds) */
    size_t workers;
} RivalSpace;

/* Plays until a time of `goal` ms or less is known, or everything is paid for.  Of the result only steps,
 * seconds and counts are set. */
ReplayResult rival_play(Arena *a, const RivalSpace *space, RivalKind kind, unsigned long seed,
                        double goal);

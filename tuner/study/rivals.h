/* Strategies of other tuners, played on a space whose outcomes are all known.
 *
 * Nothing is compiled or run: the clock is the cost model of a replayed search
 * (tuner/choose/replay.h), and a configuration is paid for once.  A strategy starts blind.  What it
 * asks for one after the other it compiles one after the other; what it could ask for at once
 * (random order, the neighbours of a descent, a generation, a pack) as many cores compile at a time
 * while the GPU times. */
#pragma once

#include "tuner/choose/replay.h"
#include "tuner/space/table.h"

typedef enum RivalKind {
    RIVAL_RANDOM,
    RIVAL_GREEDY,
    RIVAL_ANNEALING,
    RIVAL_GENETIC,
    RIVAL_GREY_WOLF,
    RIVAL_NEIGHBOURHOODS,
    RIVAL_KINDS
} RivalKind;

/* "random", "grey wolf" …, and one sentence on how it was played. */
const char *rival_name(RivalKind k);
const char *rival_meaning(RivalKind k);

/* Points of a set that differ in one parameter, any two values of it counting as one step.  Points
 * without a time are places a search can go to and pay for. */
typedef struct Neighbourhood {
    size_t count; /* points; fewer than 2^32 / parameters */
    size_t parameter_count;
    const uint32_t *number; /* the table's values */
    const uint32_t *slots;  /* hash table of points + 1 by their numbers */
    size_t slot_count;      /* a power of two */
    const uint32_t *group;  /* [point * parameter_count + parameter]: number of the group of points
                               that agree in all other parameters */
    const uint32_t *start;  /* per group: where its members begin in `members` */
    const uint32_t *size;   /* per group */
    const uint32_t *members;
} Neighbourhood;

/* O(parameters * points), four numbers of 32 bits for each; the table must outlive it. */
Neighbourhood neighbourhood_build(Arena *a, const Table *s);

/* The point with the values of these numbers, one per parameter; SIZE_MAX when there is none. */
size_t neighbourhood_find(const Neighbourhood *n, const uint32_t *numbers);

/* A neighbour of point `i` chosen by `random`, a number in [0, all neighbours); and how many
 * neighbours there are. */
size_t neighbourhood_size(const Neighbourhood *n, size_t i);
size_t neighbourhood_at(const Neighbourhood *n, size_t i, size_t random);

/* What is played on. */
typedef struct RivalSpace {
    const Neighbourhood *near;
    const ReplayRows *rows;
    const size_t *places;    /* of each point of `near`, in `rows` */
    const double *compile_s; /* of each place, with so many workers (replay_compile_seconds) */
    size_t workers;
} RivalSpace;

/* The best so far and when, as a replayed search has it; nothing but the steps, the seconds and the
 * counts is filled in.  Ends when a time of `goal` ms or less is known, or everything was paid for.
 */
ReplayResult rival_play(Arena *a, const RivalSpace *space, RivalKind kind, unsigned long seed,
                        double goal);

/* The configurations that a spec allows for one problem.
 *
 * A configuration is identified by its rank: its place in the full product of the parameters' values, with
 * the last parameter varying fastest.  Only ranks are kept, eight bytes for each valid configuration, so
 * that spaces of tens of millions fit; values are decoded on demand. */
#pragma once

#include "tuner/spec/spec.h"

typedef struct Space {
    const Spec *spec;
    size_t problem;    /* index of the spec's problem */
    ValueList *values; /* of each parameter */
    uint64_t *stride;  /* ranks between two values of each parameter */
    uint64_t product;  /* points of the full product */

    uint64_t *ranks; /* of the valid configurations, ascending; freed by space_free */
    size_t count;
    uint64_t size;                /* valid configurations, listed or not */
    struct SpaceDiagram *diagram; /* NULL: they are listed; else they are drawn (diagram.h) */

    uint64_t *rejected; /* per constraint: points of the product that it rejected first */
    uint64_t *refused;  /* per dependent parameter: points whose value it does not allow */
} Space;

/* Computes the product of all parameters' values without looking at any configuration.  False after a
 * message. */
bool space_open(Arena *a, const Spec *s, size_t problem, Space *out, Diag *d);

/* Progress of a long enumeration: `decided` of `product` points are, and `valid` of these are valid.  False
 * ends it. */
typedef struct SpaceWatch {
    bool (*go_on)(void *context, uint64_t decided, uint64_t product, size_t valid);
    void *context;
    uint64_t judged_most; /* most values to try; 0: no limit */
} SpaceWatch;

/* Opens the space and lists all valid configurations.  A constraint is judged as soon as the parameters it
 * uses have values.  False after a message: an arithmetic error names the values it happened with; if
 * `watch` (may be NULL) ended it, the message says how far it got and what that bounds. */
bool space_build(Arena *a, const Spec *s, size_t problem, const SpaceWatch *watch, Space *out,
                 Diag *d);

void space_free(Space *s);

/* Writes the problem's values, parameters and derived names of a rank, listed or not, to an array of
 * spec_slot_count.  False when a derived name cannot be computed: `ev` says why. */
bool space_slots(const Space *s, uint64_t rank, Value *slots, Evaluation *ev);

/* The number of the value that a rank has for a parameter. */
size_t space_place(const Space *s, uint64_t rank, size_t parameter);

/* Sorts the ranks and drops duplicates. */
void space_sort_ranks(Space *s);

/* The rank of the point with these value numbers of the parameters `of` (NULL: of the first `count`) and the
 * first value of all others. */
uint64_t space_rank_of(const Space *s, const uint16_t *places, const size_t *of, size_t count);

/* The rank of the point with these parameter values, valid or not; false when one is no value of its
 * parameter. */
bool space_rank(const Space *s, const Value *parameters, uint64_t *rank);

/* Gives parameters without a value (VALUE_NONE) the only one that they can have with those before them. */
void space_complete(const Space *s, Value *parameters);

/* True if a rank is of a valid configuration. */
bool space_has(const Space *s, uint64_t rank);

/* "BM=64 BN=64 …", the name of configuration `i` in messages and reports. */
void space_print(const Space *s, size_t i, Buf *out);

/* Warns once about each division in derived names, geometry and sizes that leaves a remainder, which is
 * probably a mistake, with a configuration where it happens.  Looks at all configurations, or at `most`
 * evenly spaced ones. */
void space_check_divisions(Arena *a, const Space *s, size_t most, Diag *d);

/* The configurations a spec allows for one problem.
 *
 * A configuration is identified by its rank: its place in the full product of the
 * parameters' values, the last parameter turning fastest.  Only ranks are kept, eight
 * bytes for each valid configuration, so that spaces of tens of millions fit; values
 * are decoded when they are asked for. */
#pragma once

#include "tuner/spec/spec.h"

typedef struct Space {
    const Spec *spec;
    size_t problem;    /* index of the spec's problem */
    ValueList *values; /* of each parameter */
    uint64_t *stride;  /* ranks between two values of each parameter */
    uint64_t product;  /* points of the full product */

    uint64_t *ranks; /* of the valid configurations, rising; from malloc, see space_free */
    size_t count;
    uint64_t size;                /* valid configurations, listed or not */
    struct SpaceDiagram *diagram; /* NULL: they are listed; else they are drawn (diagram.h) */

    uint64_t *rejected; /* points of the product each constraint rejected first */
    uint64_t *refused;  /* points whose value a dependent parameter does not allow */
} Space;

/* The product of all parameters' values; no configuration is looked at.  False after a message. */
bool space_open(Arena *a, const Spec *s, size_t problem, Space *out, Diag *d);

/* Somebody who looks at a long search now and then: of `product` points `decided` are, and `valid`
 * of these are.  False ends it. */
typedef struct SpaceWatch {
    bool (*go_on)(void *context, uint64_t decided, uint64_t product, size_t valid);
    void *context;
    uint64_t judged_most; /* ends it, too: values tried; 0: as many as it takes */
} SpaceWatch;

/* space_open, and finds all valid configurations.  A constraint is judged as soon as the parameters
 * it uses have values.  False after a message: an arithmetic error names the values it happened
 * with; a search that `watch` (NULL: nobody) has ended says how far it was and what that bounds. */
bool space_build(Arena *a, const Spec *s, size_t problem, const SpaceWatch *watch, Space *out,
                 Diag *d);

void space_free(Space *s);

/* Problem values, parameters and derived names of configuration `i` into an array of
 * spec_slot_count.  False when a derived name cannot be computed: `ev` says why. */
bool space_slots(const Space *s, size_t i, Value *slots, Evaluation *ev);

/* The same of a rank, listed or not. */
bool space_slots_at(const Space *s, uint64_t rank, Value *slots, Evaluation *ev);

/* The value of one parameter of configuration `i`. */
Value space_value(const Space *s, size_t i, size_t parameter);

/* Which of its parameter's values a rank has, from 0. */
size_t space_place(const Space *s, uint64_t rank, size_t parameter);

/* Puts the ranks in order, each once. */
void space_sort_ranks(Space *s);

/* The rank of the point with the values in these places: of the parameters `of`, the others having
 * their first; NULL: of the first `count`. */
uint64_t space_rank_of(const Space *s, const uint16_t *places, const size_t *of, size_t count);

/* The rank of the point with these parameter values, valid or not; false when one of them is no
 * value of its parameter. */
bool space_rank(const Space *s, const Value *parameters, uint64_t *rank);

/* The number of the configuration with these parameter values (one for each parameter, in order);
 * SIZE_MAX when it is not a valid one. */
size_t space_find(const Space *s, const Value *parameters);

/* "BM=64 BN=64 …", the name of configuration `i` in messages and reports. */
void space_print(const Space *s, size_t i, Buf *out);

/* Divisions with a remainder in derived names, geometry and sizes are probably mistakes: warns once
 * for each, with a configuration where it happens.  Looks at all configurations, or at `most`
 * evenly spread ones. */
void space_check_divisions(Arena *a, const Space *s, size_t most, Diag *d);

/* A decision diagram of the valid points of a space: counts them, tests points and draws random ones,
 * without a list of all.
 *
 * Parameters are taken in order.  What can follow the values of the first ones depends only on those values
 * and derived names that a later constraint reads; points that agree in these continue from the same node
 * (Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986).  The diagram is small where
 * constraints tie few parameters together: two independent halves cost the sum of their points, not the
 * product. */
#pragma once

#include "tuner/space/space.h"

#include <gsl/gsl_rng.h>

typedef struct SpaceDiagram SpaceDiagram;

typedef enum DiagramEnd {
    DIAGRAM_OK,
    DIAGRAM_LARGE, /* too many nodes: the constraints tie everything together */
    DIAGRAM_ERROR  /* of arithmetic, reported to `d` */
} DiagramEnd;

/* Builds the diagram of an opened space (space_open), and counts in the space what its constraints reject.
 * space_diagram_free, which allows NULL, frees it. */
DiagramEnd space_diagram_new(Arena *a, Space *s, SpaceDiagram **out, Diag *d);
void space_diagram_free(SpaceDiagram *g);

/* The number of valid points. */
uint64_t space_diagram_count(const SpaceDiagram *g);

/* True if the point with these value numbers, one for each parameter, is valid. */
bool space_diagram_has(const SpaceDiagram *g, const uint16_t *point);

/* The valid point at place `number`, below their count, in ascending order of ranks. */
void space_diagram_at(const SpaceDiagram *g, uint64_t number, uint16_t *point);

/* A valid point, uniformly distributed; false when there is none. */
bool space_diagram_draw(const SpaceDiagram *g, gsl_rng *random, uint16_t *point);

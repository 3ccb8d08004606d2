/* The valid points of a space without a list of them: how many there are, is this one valid, draw
 * one at random.
 *
 * Parameters are taken in order.  Whatever the first of them were given, what can follow depends
 * only on those values and derived names that a later constraint reads; points that agree in these
 * go on from the same node.  The nodes form a decision diagram (Bryant, "Graph-Based Algorithms for
 * Boolean Function Manipulation", 1986), small where constraints tie few parameters together: two
 * independent halves cost the sum of their points, not the product. */
#pragma once

#include "tuner/space/space.h"

#include <gsl/gsl_rng.h>

typedef struct SpaceDiagram SpaceDiagram;

typedef enum DiagramEnd {
    DIAGRAM_OK,
    DIAGRAM_LARGE, /* too many nodes: the constraints tie everything together */
    DIAGRAM_ERROR  /* of arithmetic, told to `d` */
} DiagramEnd;

/* Of a space whose product is known (space_open).  What constraints rejected is counted in the
 * space.  space_diagram_free ends it; NULL is allowed there. */
DiagramEnd space_diagram_new(Arena *a, Space *s, SpaceDiagram **out, Diag *d);
void space_diagram_free(SpaceDiagram *g);

/* Valid points. */
uint64_t space_diagram_count(const SpaceDiagram *g);

/* Is the point with these value numbers, one for each parameter, valid? */
bool space_diagram_has(const SpaceDiagram *g, const uint16_t *point);

/* Valid point `number` of them, below their count, in the order of a list. */
void space_diagram_at(const SpaceDiagram *g, uint64_t number, uint16_t *point);

/* A valid point, each as likely as any other; false when there is none. */
bool space_diagram_draw(const SpaceDiagram *g, gsl_rng *random, uint16_t *point);

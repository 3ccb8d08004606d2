/* What the making of a unit is cut into, for its own files alone. */
#ifndef APTUNE_EMIT_UNIT_PARTS_H
#define APTUNE_EMIT_UNIT_PARTS_H

#include "tuner/base/vec.h"
#include "tuner/emit/tuned.h"
#include "tuner/emit/unit_make.h"

/* What one run says: on this device, for this problem, that configuration. */
typedef struct Claim {
    Run *run;
    size_t config;
    bool general;            /* beside a winner that serves its own size alone */
    EmitEntry entry;         /* its variant is known once the table is made */
    const char *recorded_as; /* its path; NULL: measured by this run */
} Claim;

struct UnitMaker {
    Arena *arena;
    EmitOptions options;
    Diag *diag;
    struct {
        Claim *at;
        size_t count, capacity;
    } claims; /* one per entry, in their order */
    struct {
        Run **at;
        size_t count, capacity;
    } runs; /* all that were added */
    struct {
        Run **at;
        size_t count, capacity;
    } own; /* those of them that were opened here */
    EmitUnit *unit;
    size_t *shown;          /* of each variant: the claim that it is made from */
    const char *uncompiled; /* see unit_uncompiled */
};

/* Specialises the sources of all variants and compiles them, compares with what was measured. False
 * after a message. */
bool unit_make_code(UnitMaker *m);

#endif

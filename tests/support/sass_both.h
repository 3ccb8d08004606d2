/* A kernel as PTX and as machine code, both written by hand. */
#pragma once

#include "metrics/cubin/sass_branch.h"
#include "metrics/cubin/sass_join.h"
#include "tests/support/sass_words.h"

typedef struct Both {
    const Walk *walk;
    const SassFlow *flow;
} Both;

/* A kernel `k` with a number as parameter; `body` goes between its declarations and its end. */
Both both(Arena *a, const char *body, const Word *words, size_t count, int32_t number);

SassPairs pairs_of(Arena *a, const Both *b);

/* How often the instruction at `i` is executed. */
double visits_at(const SassJoin *j, size_t i);

/* A loop of `op`, `trips` times: LOOP(A, "fma…", "10") */
#define LOOP(label, op, trips)                                                                     \
    label ":\n" op "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, " trips ";\n@%p2 bra " label ";\n"
#define FMA    "fma.rn.f32 %f1, %f1, %f1, %f2;\n"
#define ADD    "add.f32 %f1, %f1, %f2;\n"
#define SHARED "ld.shared.f32 %f3, [%r4];\n"
#define EITHER "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $second;\n"

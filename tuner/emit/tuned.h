/* The source of one configuration, specialised: whoever has it needs neither spec nor template.
 *
 * Parameters and the options' -D become a block of #define in front, and includes stand in place
 * (inline.h), but for those of the CUDA toolkit.  By NVRTC, with the options that are left, it
 * compiles to the code that the configuration has; whoever gives it away compares the two. */
#ifndef APTUNE_EMIT_TUNED_H
#define APTUNE_EMIT_TUNED_H

#include "tuner/emit/inline.h"
#include "tuner/run/run_parts.h"

typedef struct TunedSource {
    InlineText text;     /* macros: those of the block in front, too */
    const char *mark;    /* of a text that finds out which files are compiled; NULL in others */
    const char *kernel;  /* as the source calls it, values filled in */
    bool expression;     /* it is a C++ name expression */
    const char *options; /* what a compiler must be told besides the architecture; "": nothing */
    CompileJob job;      /* compiles the text */
    CompileJob original; /* compiles the configuration as the space does */
} TunedSource;

/* The source of launch `l` of configuration `i`, with `comment` in front and the files of `c` in
 * place; without a choice it is the text with marks that makes one (inline.h).  `*out` and all of
 * it lives in `a`.  The run's sources are open (run_open_sources).  False after a message. */
bool tuned_make(Arena *a, Run *r, size_t i, size_t l, const char *comment, const InlineChoice *c,
                TunedSource *out, Diag *d);

/* Files that the source of launch `l` is read from, the template first; none where a command prints
 * it, but for those among the command's words. */
const char *const *tuned_files(Arena *a, const Run *r, size_t l, size_t *count);

#endif

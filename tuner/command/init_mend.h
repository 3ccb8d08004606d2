/* A first spec's file is compiled as it stands, and what its log complains of is mended: options, headers, files that
 * have what is nowhere, as the project's own build would. */
#pragma once

#include "tuner/compile/farm.h"
#include "tuner/spec/first_spec.h"

enum {
    INIT_INCLUDES_MOST = 16, /* folders of headers */
    INIT_WITHOUT_MOST = 48   /* headers that are nowhere */
};

typedef struct InitTrying {
    Arena *arena;
    const char *home; /* the file with the kernel */
    const char *unit; /* what is compiled: it, or a file that includes it */
    const char *text; /* of the file with the kernel, without host code */
    const CompileSource *source;
    const CompileSource *asking; /* the same with the question for the parameters' types */
    const char *arch;
    Farm *farm;
    HostText *host;         /* the files that may launch the kernel */
    double since, compiled; /* when it began; seconds of a processor since then */
    double patience;        /* seconds of compiling after which nothing is begun with */
    bool blamed;            /* has the question been complained of? */
    bool mended;            /* does the guess have an option that it had not? */
    FirstGuess guess;
} InitTrying;

/* Is it a function of the warp that takes no mask? */
bool init_is_maskless(const char *name);

/* The next name that a log calls undefined, from *log on, which goes behind it; NULL: none is left. */
const char *init_undefined(InitTrying *t, const char **log);

/* The header that a log complains of first; NULL: it is the file that is compiled. */
const char *init_failing_header(const InitTrying *t, const char *log);

/* Adds options that a log asks for; false: it asks for none that is new. */
bool init_mend_options(InitTrying *t, const char *log);

/* Where a header lies that a log misses, or the template that a build makes it of; NULL: nowhere. */
const char *init_header_folder(InitTrying *t, const char *log);

/* Adds a folder of the project's headers, as its own build names it, or leaves out a header that is nowhere, or that
 * the device's compiler does not take; false: the log asks for nothing new. */
bool init_mend_headers(InitTrying *t, const char *log, const char *folder);

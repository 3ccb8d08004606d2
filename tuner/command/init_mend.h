/* Repairs for a file that does not compile as it stands: options, include folders and missing files that its
 * log asks for, as the project's own build would supply them. */
#pragma once

#include "tuner/compile/farm.h"
#include "tuner/spec/first_spec.h"

enum {
    INIT_INCLUDES_MOST = 16, /* folders of headers */
    INIT_WITHOUT_MOST = 48   /* headers that do not exist */
};

typedef struct InitTrying {
    Arena *arena;
    const char *home; /* the file with the kernel */
    const char *unit; /* what is compiled: it, or a file that includes it */
    const char *text; /* of the file with the kernel, without host code */
    const CompileSource *source;
    const CompileSource *asking; /* the same with the query for the parameters' types */
    const char *arch;
    Farm *farm;
    HostText *host;         /* the files that may launch the kernel */
    double since, compiled; /* clock at the start; processor seconds since then */
    double patience;        /* processor seconds after which no attempt starts */
    bool blamed;            /* a log complained of the query */
    bool mended;            /* an option was added to the guess */
    FirstGuess guess;
} InitTrying;

/* True for a warp function without a mask ("__shfl"). */
bool init_is_maskless(const char *name);

/* The next name that a log calls undefined, from *log on; advances *log.  NULL: no more. */
const char *init_undefined(InitTrying *t, const char **log);

/* The header with the first error of a log; NULL: the error is in the compiled file. */
const char *init_failing_header(const InitTrying *t, const char *log);

/* Adds options that a log asks for; false: no new ones. */
bool init_mend_options(InitTrying *t, const char *log);

/* Adds an include folder, if there is one; false: it is there, or there are too many. */
bool init_add_folder(FirstGuess *g, const char *folder);

/* Adds an include folder of the project, or leaves out a header that does not exist or that NVRTC refuses;
 * false: the log asks for nothing new. */
bool init_mend_headers(InitTrying *t, const char *log, const char *folder);

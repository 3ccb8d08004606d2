/* Turns a template and a configuration into the compiler's input.
 *
 * A source is read once, with all its includes, and holds the options common to all configurations. A job
 * is one configuration of it: the parameters become -DNAME=value.
 *
 * Two identities: a job's `hash` says what is compiled with which options, regardless of where the files
 * are, and goes into recordings; the cache's key (result.h) adds which include is which file, and the
 * compiler. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/hash.h"
#include "metrics/base/vec.h"

/* Own option for a file written for nvcc: unmarked functions are device code, and nvcc's implicit headers
 * are included (tuner/compile/worker/headers). */
#define SOURCE_LIKE_NVCC "--like-nvcc"

/* Own option, allowed in specs: a missing header is read as an empty one. */
#define SOURCE_WITHOUT_HEADER "--without-header"

/* Own option, allowed in specs: only what the given names reach is read of the source and its headers. */
#define SOURCE_ONLY_FOR "--only-for"

/* Own option: what the source and its headers define NAME as (yield.h) yields to the parameter of that name,
 * which each configuration defines. */
#define SOURCE_PARAMETER "--parameter="

/* True for options that the compiler itself does not see. */
bool source_option_is_ours(const char *option);

/* The names that a SOURCE_ONLY_FOR option lists; NULL: it is another option. */
const char *source_only_for(const char *option);

/* The value of an option, given its short and its long name; after the short one it may follow without '='.
 * NULL: it is another option. */
const char *option_value(const char *option, const char *short_name, const char *name);

/* Lives in the arena it was made in, and so do its jobs. */
typedef struct CompileSource {
    const char *name; /* the file name without its folder, as in PTX and messages */
    const char *text;
    size_t size;
    Texts options; /* for every configuration; folders are absolute */
    Hash hash;     /* of the text and all its includes */
    Hash places;   /* of which include is which file */
    Texts files;   /* its includes */
    /* What the compiler reads for includes instead of files, without host code: name and text alternate. */
    Texts headers;
    /* why the includes are unknown, then nothing is cached; NULL: they are known */
    const char *unknown;
    const char *outside; /* an included file that is in no folder given; NULL: none */
    Texts parameters;    /* names that definitions yield to */
} CompileSource;

/* Reads a template and cuts its host code (host_code.h). `options` are the caller's, for all configurations
 * (-I, -std, --minimal); the template's folder is added as the first -I. NULL with a message. */
const CompileSource *source_open(Arena *a, const char *path, Texts options, Diag *d);

/* The same for a text in memory; `folder` is where its includes are looked for. */
const CompileSource *source_make(Arena *a, const char *name, const char *text, size_t size,
                                 const char *folder, Texts options);

/* A parameter and its value as the preprocessor sees it. */
typedef struct CompileDefine {
    const char *name;
    const char *value;
} CompileDefine;

typedef VEC(CompileDefine) CompileDefines;

typedef struct CompileSetting {
    const char *architecture; /* "sm_90": a real one gives PTX and cubin */
    CompileDefines defines;
    Texts options; /* of this configuration only */
    Texts names;   /* name expressions whose lowered names are wanted */
} CompileSetting;

typedef struct CompileJob {
    const CompileSource *source;
    Texts options; /* all of them, as passed to the compiler */
    Texts names;
    Hash hash;           /* of source, includes, options without folders, name expressions */
    const char *unknown; /* why it cannot be cached; NULL when it can */
    const struct ProfileJob *profile; /* what to profile (result.h); NULL: nothing */
} CompileJob;

/* The compile job of one configuration, in `a`; the source must outlive it. */
CompileJob source_configure(Arena *a, const CompileSource *s, const CompileSetting *setting);

/* Sources printed by a command, a kernel generator. */

/* Splits a command at blanks; the list ends with NULL. */
char **command_words(Arena *a, const char *command);

/* Runs a command in a folder, without a shell, and returns its standard output, in `a`. NULL with a
 * message: it cannot be started, fails, prints nothing or too much. */
const char *command_output(Arena *a, const char *folder, const char *command, size_t *size,
                           Diag *d);

/* The compiler options that a spec may give.
 *
 * A spec may come from a stranger, and some options of NVRTC write files (--time, --create-pch,
 * --fdevice-time-trace, ptxas's --output-file), so only options known to be harmless are allowed. */

/* Why an option is refused, to be printed after it; in `a`. NULL: it is allowed. */
const char *option_refusal(Arena *a, const char *option);

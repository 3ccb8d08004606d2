/* From a template and a configuration to what the compiler is given.
 *
 * A source is read once, with everything it includes, and holds the options that all
 * configurations share.  A job is one configuration of it: the parameters become -DNAME=value.
 *
 * Two identities: a job's `hash` says what is compiled and by which options, wherever the files
 * lie, and goes into recordings; the cache's key (result.h) adds which include is which file, and
 * the compiler.
 */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/hash.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

/* An option of ours for a file that is written for nvcc: functions without a mark are the device's,
 * and what nvcc includes by itself is included (tuner/compile/worker/nvrtc.c). */
#define SOURCE_LIKE_NVCC "--like-nvcc"

/* An option of ours that a spec may give: a header that is not there is read as an empty one. */
#define SOURCE_WITHOUT_HEADER "--without-header"

/* Another: of the source and its headers only what some names reach is read. */
#define SOURCE_ONLY_FOR "--only-for"

/* An option of ours: "#define NAME value" in the source and its headers yields to the parameter of
 * that name, which each configuration defines. */
#define SOURCE_PARAMETER "--parameter="

/* Does the worker take the option for itself? */
bool source_option_is_ours(const char *option);

/* Lives in the arena it was made in, and so do its jobs. */
typedef struct CompileSource {
    const char *name; /* the file's own name, without a folder: it appears in PTX and messages */
    const char *text;
    size_t size;
    const char *const *options; /* for every configuration; folders are absolute */
    size_t option_count;
    Hash hash;          /* of the text and all it includes */
    Hash places;        /* of which include is which file */
    const char **files; /* what it includes, for "what am I made of" */
    size_t file_count;
    /* What the compiler is to read for includes instead of files, those without host code: name and
     * text of each in turn. */
    const char **headers;
    size_t header_count;
    const char *unknown; /* why that is not known, then nothing is cached; NULL when it is */
} CompileSource;

/* Reads a template; the host's code in it is cut away (host_code.h).  `options` are the caller's
 * for all configurations (-I, -std, --minimal); the template's folder is added as the first -I.
 * NULL with a message. */
const CompileSource *source_open(Arena *a, const char *path, const char *const *options,
                                 size_t option_count, Diag *d);

/* The same of a text in memory; `folder` is where its includes are looked for. */
const CompileSource *source_make(Arena *a, const char *name, const char *text, size_t size,
                                 const char *folder, const char *const *options,
                                 size_t option_count);

/* A parameter and its value as the preprocessor is to see it. */
typedef struct CompileDefine {
    const char *name;
    const char *value;
} CompileDefine;

typedef struct CompileSetting {
    const char *architecture; /* "sm_90": a real one gives PTX and cubin */
    const CompileDefine *defines;
    size_t define_count;
    const char *const *options; /* of this configuration alone */
    size_t option_count;
    const char *const *names; /* name expressions whose lowered names are wanted */
    size_t name_count;
} CompileSetting;

typedef struct CompileJob {
    const CompileSource *source;
    const char **options; /* all of them, as they go to the compiler */
    size_t option_count;
    const char **names;
    size_t name_count;
    Hash hash;           /* of source, includes, options without folders, name expressions */
    const char *unknown; /* why it cannot be cached; NULL when it can */
    const struct ProfileJob *profile; /* what is to be profiled (result.h); NULL: nothing */
} CompileJob;

/* What one configuration is compiled from, in `a`; the source must outlive it. */
CompileJob source_configure(Arena *a, const CompileSource *s, const CompileSetting *setting);

/* What a command prints: the source of a kernel that a program generates. */

/* The words of a command, split at blanks; the list ends with NULL. */
char **command_words(Arena *a, const char *command);

/* Runs a command in a folder, without a shell, and gives what it printed to standard output, in
 * `a`. NULL with a message when it cannot be started, fails, prints nothing or more than a source
 * can be. */
const char *command_output(Arena *a, const char *folder, const char *command, size_t *size,
                           Diag *d);

/* Which of the compiler's options a spec may give.
 *
 * A spec may come from a stranger, and some options of NVRTC write files (--time, --create-pch,
 * --fdevice-time-trace, ptxas's --output-file).  So what is not known to be harmless is refused. */

/* Why an option must not reach the compiler, in `a`, to be put behind its text; NULL: it may. */
const char *option_refusal(Arena *a, const char *option);

/* All options that may be given, one a line, with the form of their values: for the README. */
void option_print_allowed(Buf *out);

/* A first spec for a kernel that was not written for this program, proposed from its source and
 * code.
 *
 * Macros with a value under #ifndef, names that nobody defines (other tuners give them as macros)
 * and the template's parameters become parameters or sizes of the problem; the launch follows from
 * which numbers of threads and blocks the code uses, in and out from what it loads and stores.
 * Whatever is a guess says so in a comment. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/vec.h"
#include "tuner/spec/first_launch.h"

/* An option of the compiler's, and what for. */
typedef struct FirstOption {
    const char *text, *why;
} FirstOption;

/* What a kernel is compiled with before there is a spec. */
typedef struct FirstGuess {
    KernelSource *kernel;
    KernelMacros undefined; /* names that the compiler did not know */
    bool small;             /* what is a macro has to be: it fills shared memory, or is asserted */
    const LaunchSite *launch; /* NULL: none was found */
    const HostText *texts;    /* the kernel's file, what it includes, and those beside it */
    const char *standard;     /* "-std=c++20" where the default does not do; else NULL */
    const char *expression;   /* "k<float, 16>" of a template, else the kernel's name */
    const char **includes;    /* folders of headers, as seen from here */
    size_t include_count, include_given; /* those behind the given ones were found */
    const char **without;                /* headers that are nowhere */
    size_t without_count;
    const char
        *made_of;     /* "config.h.in", which a header was made of with nothing chosen; or NULL */
    const char *only; /* names that the rest of the file is not needed for; NULL: all is compiled */
    VEC(FirstOption) options; /* further ones that it takes */
} FirstGuess;

/* A value to compile with for a name that has none, by what the name sounds like. */
const char *first_value(const FirstGuess *g, const char *name);

/* The name expression of a template with a value for each of its parameters. */
const char *first_expression(Arena *a, const KernelSource *k);

/* Writes the spec of a kernel in `file` that is to lie in `folder`.  `entry`: the kernel's name in
 * the PTX.  False with a message when it is not there. */
bool first_spec(Arena *a, const char *file, const char *folder, const FirstGuess *g,
                const char *ptx, size_t ptx_size, const char *entry, Buf *out, Diag *d);

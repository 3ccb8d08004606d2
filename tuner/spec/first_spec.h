/* Proposes a first spec for a foreign kernel from its source and code.
 *
 * Macros with a value under #ifndef, undefined names (other tuners pass them as macros) and template
 * parameters become parameters or sizes of the problem; the launch follows from the thread and block
 * indices that the code uses, in and out from its loads and stores. Every guess is marked by a comment. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/spec/host_read.h"
#include "tuner/spec/kernel_source.h"

/* `kernel<template arguments><<<grid, block, shared>>>(arguments)` as written. */
typedef struct LaunchSite {
    HostPlace place;
    const char *of_template[CODE_LIST], *configuration[4], *arguments[CODE_LIST];
    size_t template_count, configuration_count, argument_count;
    bool cooperative;
} LaunchSite;

/* Finds the first launch of the kernel in the files; false: none. */
bool first_launch_find(const HostText *files, const char *kernel, LaunchSite *out);

/* Sets the template parameters of `k` to what the launch passes. */
void first_launch_template(const LaunchSite *s, KernelSource *k);

/* A compiler option and its purpose. */
typedef struct FirstOption {
    const char *text, *why;
} FirstOption;

/* What a kernel is compiled with before there is a spec. */
typedef struct FirstGuess {
    KernelSource *kernel;
    KernelMacros undefined;   /* names unknown to the compiler */
    bool small;               /* macros must be small: they size shared memory, or are asserted */
    bool alike;               /* macros must be alike: quotients of them size arrays */
    int shrunk;               /* how often sizes are divided by four */
    const LaunchSite *launch; /* NULL: none was found */
    const HostText *texts;    /* the kernel's file, its includes, and neighbouring files */
    const char *standard;     /* "-std=c++20" where the default fails; else NULL */
    const char *expression;   /* "k<float, 16>" of a template, else the kernel's name */
    const char **includes;    /* header folders, relative to the current folder */
    size_t include_count, include_given; /* those after the given ones were found */
    const char **without;                /* missing headers */
    size_t without_count;
    const char *made_of; /* "config.h.in" that a header was made of, with no option set; or NULL */
    const char *only;    /* names that suffice of the file; NULL: the whole file is compiled */
    VEC(FirstOption) options; /* further options that it needs */
} FirstGuess;

/* A value to compile with for an undefined name, guessed from the name. */
const char *first_value(const FirstGuess *g, const char *name);

/* The name expression of the kernel with a value for each template parameter. */
const char *first_expression(Arena *a, const KernelSource *k);

/* Writes the spec of a kernel in `file`, to be placed in `folder`. `entry`: the kernel's name in the PTX.
 * False with a message: it is not there. */
bool first_spec(Arena *a, const char *file, const char *folder, const FirstGuess *g,
                const char *ptx, size_t ptx_size, const char *entry, Buf *out, Diag *d);

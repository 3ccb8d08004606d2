/* The launch in the kernel author's host code: grid, block, shared memory, arguments and allocations, as
 * far as host_read.h can evaluate them, and what a first spec takes from it. */
#pragma once

#include "tuner/spec/host_read.h"
#include "tuner/spec/kernel_source.h"

/* `kernel<template arguments><<<grid, block, shared>>>(arguments)` as written. */
typedef struct LaunchSite {
    HostPlace place;
    const char *of_template[CODE_LIST], *configuration[4], *arguments[CODE_LIST];
    size_t template_count, configuration_count, argument_count;
} LaunchSite;

/* Finds the first launch of the kernel in the files; false: none. */
bool first_launch_find(const HostText *files, const char *kernel, LaunchSite *out);

/* Sets the template parameters of `k` to what the launch passes. */
void first_launch_template(const LaunchSite *s, KernelSource *k);

enum { DIRECTIONS = 3, SIZES_MOST = 8 };

typedef struct FirstLaunch {
    const KernelSource *kernel;
    const LaunchSite *site;       /* NULL: none was found */
    bool known;                   /* its block is */
    VEC(const char *) parameters; /* names of the spec's parameters */
    const char **sizes; /* for each kernel argument the name of its size, once sizes have names */
    bool *used;         /* for each: the launch or an allocation depends on it */
    HostNames names;
    const HostValue *block[DIRECTIONS];
    double threads[DIRECTIONS]; /* of the block; 0: given by parameters */
    double whole;               /* where no size has a name: elements of the largest buffer, … */
    const char *whole_name;     /* … and their name */
} FirstLaunch;

/* Reads the launch, before sizes have names. */
void first_launch_read(Arena *a, FirstLaunch *l);

/* "as launched at saxpy.cu:30" */
const char *first_launch_where(Arena *a, const FirstLaunch *l);

/* True if a word occurs at least `times` times outside host code, other kernels and directives. */
bool first_launch_in_device(const KernelSource *k, const char *word, int times);

/* True if device code uses the number by a name, so that it cannot be changed. */
bool first_launch_is_fixed(Arena *a, const FirstLaunch *l, double number);

/* Prints the grid in terms of the block's parameters; false, and nothing printed: unknown. */
bool first_launch_grid(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out);

/* Likewise the bytes of shared memory, and the elements of the buffer that is argument i. */
bool first_launch_shared(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out);
bool first_launch_buffer(Arena *a, const FirstLaunch *l, size_t i, size_t element,
                         const char *const *threads, bool alone, Buf *out);

/* The elements of the largest buffer; 0: unknown. */
double first_launch_whole(const FirstLaunch *l);

/* The value of argument i; false: unknown. */
bool first_launch_number(const FirstLaunch *l, size_t i, double *out);

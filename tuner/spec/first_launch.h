/* How a kernel's author launches it: block, grid, shared memory, arguments and what was allocated for
 * them, as far as the host's code says so (host_read.h); and what a first spec takes from that. */
#pragma once

#include "tuner/spec/host_read.h"
#include "tuner/spec/kernel_source.h"

/* `kernel<template arguments><<<grid, block, shared>>>(arguments)` as written. */
typedef struct LaunchSite {
    HostPlace place;
    const char *of_template[CODE_LIST], *configuration[4], *arguments[CODE_LIST];
    size_t template_count, configuration_count, argument_count;
} LaunchSite;

/* The first launch in the files; false: there is none. */
bool first_launch_find(const HostText *files, const char *kernel, LaunchSite *out);

/* Gives the template's parameters what they are launched with. */
void first_launch_template(const LaunchSite *s, KernelSource *k);

/* The threads of a block along each direction; false: not all are known. */
bool first_launch_block(const LaunchSite *s, const HostNames *names, const HostValue *out[3]);

enum { DIRECTIONS = 3, SIZES_MOST = 8 };

typedef struct FirstLaunch {
    const KernelSource *kernel;
    const LaunchSite *site;       /* NULL: there is none */
    bool known;                   /* is its block? */
    VEC(const char *) parameters; /* of the spec */
    const char **sizes; /* of each argument of the kernel its size's name, once they have names */
    bool *used;         /* of each: does the launch or an allocation depend on it? */
    HostNames names;
    const HostValue *block[DIRECTIONS];
    double threads[DIRECTIONS]; /* of the block; 0: parameters say it */
    double whole;               /* elements of the largest buffer where no size has a name; … */
    const char *whole_name;     /* … and what they are called */
} FirstLaunch;

/* Reads the launch, before sizes have names. */
void first_launch_read(Arena *a, FirstLaunch *l);

/* "as launched at saxpy.cu:30" */
const char *first_launch_where(Arena *a, const FirstLaunch *l);

/* Does a word stand in the kernel's file outside of host code, other kernels and directives, as often
 * as `times` at least? */
bool first_launch_in_device(const KernelSource *k, const char *word, int times);

/* Does device code hold that number by a name, so that it cannot be another? */
bool first_launch_is_fixed(Arena *a, const FirstLaunch *l, double number);

/* Prints the grid with the block's parameters; false, with nothing printed: it is not known. */
bool first_launch_grid(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out);

/* Likewise bytes of shared memory, and the elements of a buffer that is argument i. */
bool first_launch_shared(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out);
bool first_launch_buffer(Arena *a, const FirstLaunch *l, size_t i, size_t element,
                         const char *const *threads, bool alone, Buf *out);

/* The elements of the largest buffer; 0: none is known. */
double first_launch_whole(const FirstLaunch *l);

/* The number that is argument i; false: it is not known. */
bool first_launch_number(const FirstLaunch *l, size_t i, double *out);

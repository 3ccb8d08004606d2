/* How a kernel's author launches it: block, grid, shared memory, arguments and what was allocated for
 * them, as far as the host's code says so (host_read.h). */
#ifndef APTUNE_SPEC_LAUNCH_SITE_H
#define APTUNE_SPEC_LAUNCH_SITE_H

#include "tuner/spec/host_read.h"
#include "tuner/spec/kernel_source.h"

/* `kernel<template arguments><<<grid, block, shared>>>(arguments)` as written. */
typedef struct LaunchSite {
    HostPlace place;
    const char *of_template[CODE_LIST], *configuration[4], *arguments[CODE_LIST];
    size_t template_count, configuration_count, argument_count;
} LaunchSite;

/* The first launch in the files; false: there is none. */
bool launch_site_find(const HostText *files, const char *kernel, LaunchSite *out);

/* Gives the template's parameters what they are launched with. */
void launch_site_template(const LaunchSite *s, KernelSource *k);

bool launch_site_grid(const LaunchSite *s, const HostNames *names, const HostValue *out[3]);
bool launch_site_block(const LaunchSite *s, const HostNames *names, const HostValue *out[3]);

/* Bytes of dynamic shared memory; NULL: none, or not known. */
const HostValue *launch_site_shared(const LaunchSite *s, const HostNames *names);

/* The value of an argument; NULL: not known. */
const HostValue *launch_site_argument(const LaunchSite *s, size_t i);

/* Elements of `element` bytes that were allocated for the buffer that is an argument; NULL: not
 * known. */
const HostValue *launch_site_allocated(const LaunchSite *s, size_t i, size_t element,
                                       const HostNames *names);

#endif

/* The CUDA driver, as far as measuring needs it.
 *
 * driver.c is the only file of the project that knows the driver's API; it opens
 * libcuda.so.1 at run time, so a machine without a GPU only learns that there is none.
 * Everybody else sees the types below.
 *
 * The driver has one DriverStatus, that of the first call that failed; driver_words tells it in the
 * driver's own words.  From then on calls do nothing and give that status again, so whoever makes
 * several looks once, at the end.  driver_go_on forgets it.  After DRIVER_FAULT nothing on the
 * context works any more: the process has to end, and its parent starts another. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/gpu/facts.h"
#include "tuner/spec/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Driver Driver;
typedef uint64_t DriverAddress; /* in the device's memory; 0 is none */
typedef struct DriverModule DriverModule;
typedef struct DriverFunction DriverFunction;
typedef struct DriverEvent DriverEvent;
typedef struct DriverGraph DriverGraph; /* launches to be given to the device at once */

typedef enum DriverStatus {
    DRIVER_OK,
    DRIVER_REFUSED,   /* bad values, too many resources; the context is sound */
    DRIVER_NO_IMAGE,  /* not a cubin for this device, or no such kernel; the context is sound */
    DRIVER_NO_MEMORY, /* the context is sound */
    DRIVER_FAULT,     /* a kernel broke the context */
    DRIVER_LOST       /* the device itself is not usable */
} DriverStatus;

/* What ptxas fixed about a kernel. */
typedef struct DriverKernel {
    int registers;         /* per thread */
    int threads_per_block; /* largest block that its registers allow */
} DriverKernel;

/* Opens and starts the driver.  NULL with the reason in `d` when there is no driver or no GPU. */
Driver *driver_open(Arena *a, Diag *d);
int driver_device_count(const Driver *v);
/* Facts about device i; false with a reason when the driver refuses them. */
bool driver_facts(Driver *v, Arena *a, int i, GpuFacts *f, Diag *d);

/* Makes the primary context of device i current in this thread, with one stream, on which all
 * that follows runs in order. */
DriverStatus driver_use(Driver *v, int i);

/* What has failed; DRIVER_OK: nothing has. */
DriverStatus driver_status(const Driver *v);

/* Which call it was and what the driver says: "cuLaunchKernel: out of resources
 * (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)"; "" when none failed. */
const char *driver_words(const Driver *v);

/* Forgets a failure that has left the context sound. */
void driver_go_on(Driver *v);

/* A failure that is none of the driver's, in somebody else's words. */
DriverStatus driver_refuse(Driver *v, const char *words);

/* The stream, for a library that works on it, too. */
void *driver_stream(const Driver *v);

DriverStatus driver_memory(Driver *v, size_t *free_bytes);
DriverStatus driver_alloc(Driver *v, size_t bytes, DriverAddress *p);
void driver_free(Driver *v, DriverAddress p);
/* In stream order, without waiting. */
DriverStatus driver_set_bytes(Driver *v, DriverAddress p, unsigned char value, size_t bytes);
DriverStatus driver_copy(Driver *v, DriverAddress to, DriverAddress from, size_t bytes);
/* These two wait until the copy is done. */
DriverStatus driver_upload(Driver *v, DriverAddress to, const void *from, size_t bytes);
DriverStatus driver_download(Driver *v, void *to, DriverAddress from, size_t bytes);

DriverStatus driver_load(Driver *v, const void *cubin, DriverModule **m);
void driver_unload(Driver *v, DriverModule *m);
DriverStatus driver_function(Driver *v, DriverModule *m, const char *name, DriverFunction **f);
DriverStatus driver_kernel(Driver *v, DriverFunction *f, DriverKernel *k);
/* Place and size of a variable; false when the module has none of that name. */
bool driver_variable(Driver *v, DriverModule *m, const char *name, DriverAddress *p, size_t *bytes);

/* An array with a texture object over it. */
typedef struct DriverTexture DriverTexture;
/* Fills it from `from`, where its elements lie row by row.  *handle is what kernels take. */
DriverStatus driver_texture_new(Driver *v, Arena *a, const TaskTexture *t, TaskType type,
                                DriverAddress from, DriverTexture **out, uint64_t *handle);
void driver_texture_free(Driver *v, DriverTexture *t);
/* Allows `bytes` of dynamic shared memory, beyond the usual limit of 48 KB too. */
DriverStatus driver_allow_shared(Driver *v, DriverFunction *f, int64_t bytes);
/* Size of parameter i as the kernel declares it.  False past the last one.  *known is false when
 * this driver cannot tell (before CUDA 12.4). */
bool driver_parameter(Driver *v, DriverFunction *f, size_t i, size_t *size, bool *known);
DriverStatus driver_launch(Driver *v, DriverFunction *f, const int64_t grid[3],
                           const int64_t block[3], int64_t shared, void **arguments);

/* Launches between the two are not run but become a graph. No other call of the driver is allowed
 * meanwhile. */
DriverStatus driver_capture(Driver *v);
DriverStatus driver_capture_end(Driver *v, DriverGraph **g);
DriverStatus driver_graph_launch(Driver *v, DriverGraph *g);
void driver_graph_free(Driver *v, DriverGraph *g);

DriverStatus driver_event_new(Driver *v, DriverEvent **e);
void driver_event_free(Driver *v, DriverEvent *e);
DriverStatus driver_event_record(Driver *v, DriverEvent *e);
DriverStatus driver_event_wait(Driver *v, DriverEvent *e);
/* Between two recorded events that have both happened. */
DriverStatus driver_event_ms(Driver *v, DriverEvent *from, DriverEvent *to, double *ms);

/* Waits for everything given so far; a kernel's fault shows here. */
DriverStatus driver_wait(Driver *v);

/* The part of the CUDA driver that measuring needs.
 *
 * Only driver.c knows the driver API.  It opens libcuda.so.1 at run time, so that a machine without a GPU
 * gets an error message.
 *
 * The status is sticky: after the first call that fails, calls do nothing and return its status again, so
 * that a sequence of calls is checked once, at the end.  driver_error describes the failure, driver_clear_error
 * clears it.  After DRIVER_FAULT the context is lost: the process has to end, and its parent starts another. */
#pragma once

#include "tuner/gpu/message.h"

typedef struct Driver Driver;
typedef uint64_t DriverAddress; /* in the device's memory; 0 is none */
typedef struct DriverModule DriverModule;
typedef struct DriverFunction DriverFunction;
typedef struct DriverEvent DriverEvent;
typedef struct DriverGraph DriverGraph; /* launches that are submitted together */

typedef enum DriverStatus {
    DRIVER_OK,
    DRIVER_REFUSED,   /* bad values, too many resources; the context is sound */
    DRIVER_NO_IMAGE,  /* not a cubin for this device, or no such kernel; the context is sound */
    DRIVER_NO_MEMORY, /* the context is sound */
    DRIVER_FAULT,     /* a kernel broke the context */
    DRIVER_LOST       /* the device itself is not usable */
} DriverStatus;

/* Opens and starts the driver.  NULL with the reason in `d` if there is no driver or no GPU. */
Driver *driver_open(Arena *a, Diag *d);
int driver_device_count(const Driver *v);
/* Facts about device i; false with a reason if the driver does not tell them. */
bool driver_facts(Driver *v, Arena *a, int i, GpuFacts *f, Diag *d);

/* Makes the primary context of device i current in this thread, and creates the stream for all work. */
DriverStatus driver_use(Driver *v, int i);

/* The status of the first call that failed; DRIVER_OK: none has. */
DriverStatus driver_status(const Driver *v);

/* That call and the driver's description: "cuLaunchKernel: out of resources
 * (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)"; "" if none failed. */
const char *driver_error(const Driver *v);

/* Clears a failure that left the context sound. */
void driver_clear_error(Driver *v);

/* Sets a failure that did not come from the driver. */
DriverStatus driver_fail(Driver *v, const char *words);

/* The stream, for a library. */
void *driver_stream(const Driver *v);

DriverStatus driver_memory(Driver *v, size_t *free_bytes);
DriverStatus driver_alloc(Driver *v, size_t bytes, DriverAddress *p);
void driver_free(Driver *v, DriverAddress p);
/* In stream order, without waiting. */
DriverStatus driver_set_bytes(Driver *v, DriverAddress p, unsigned char value, size_t bytes);
DriverStatus driver_copy(Driver *v, DriverAddress to, DriverAddress from, size_t bytes);
/* These two wait for the copy. */
DriverStatus driver_upload(Driver *v, DriverAddress to, const void *from, size_t bytes);
DriverStatus driver_download(Driver *v, void *to, DriverAddress from, size_t bytes);

DriverStatus driver_load(Driver *v, const void *cubin, DriverModule **m);
void driver_unload(Driver *v, DriverModule *m);
DriverStatus driver_function(Driver *v, DriverModule *m, const char *name, DriverFunction **f);
/* A kernel's registers per thread, and the threads of the largest block that they allow. */
DriverStatus driver_kernel(Driver *v, DriverFunction *f, int *registers, int *threads_per_block);
/* Address and size of a variable; false if the module has none of that name. */
bool driver_variable(Driver *v, DriverModule *m, const char *name, DriverAddress *p, size_t *bytes);

/* A texture object, and its array unless it is fetched from linear memory. */
typedef struct DriverTexture DriverTexture;
/* Fills the array from `from`, row by row.  *handle is what kernels take. */
DriverStatus driver_texture_new(Driver *v, Arena *a, const TaskTexture *t, TaskType type,
                                DriverAddress from, DriverTexture **out, uint64_t *handle);
void driver_texture_free(Driver *v, DriverTexture *t);
/* Raises the limit of dynamic shared memory, which is 48 KB by default, to `bytes`. */
DriverStatus driver_allow_shared(Driver *v, DriverFunction *f, int64_t bytes);
/* Size of the kernel's parameter i.  False after the last one.  *known is false if the driver cannot tell
 * (before CUDA 12.4). */
bool driver_parameter(Driver *v, DriverFunction *f, size_t i, size_t *size, bool *known);
/* `cooperative`: its blocks wait for each other; refused unless all of them run at the same time. */
DriverStatus driver_launch(Driver *v, DriverFunction *f, const int64_t grid[3],
                           const int64_t block[3], int64_t shared, bool cooperative,
                           void **arguments);

/* Launches between the two are captured into a graph instead of run.  No other driver call is allowed in
 * between. */
DriverStatus driver_capture(Driver *v);
DriverStatus driver_capture_end(Driver *v, DriverGraph **g);
DriverStatus driver_graph_launch(Driver *v, DriverGraph *g);
void driver_graph_free(Driver *v, DriverGraph *g);

DriverStatus driver_event_new(Driver *v, DriverEvent **e);
void driver_event_free(Driver *v, DriverEvent *e);
DriverStatus driver_event_record(Driver *v, DriverEvent *e);
DriverStatus driver_event_wait(Driver *v, DriverEvent *e);
/* The time between two recorded events that have both happened. */
DriverStatus driver_event_ms(Driver *v, DriverEvent *from, DriverEvent *to, double *ms);

/* Waits for all work submitted so far; a kernel's fault is reported here. */
DriverStatus driver_wait(Driver *v);

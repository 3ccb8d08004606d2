/* Problems, trials and results as messages.
 *
 * message_X makes the header of a kind and appends bytes to the blob; message_read_X reads it back.  Bytes
 * (cubins) point into the received message, which must live as long; all else lives in the arena.  A reader
 * checks every index and size: its result can be used without further checks. */
#pragma once

#include "metrics/metric/device.h"
#include "tuner/spec/task.h"

/* Raised when messages change: program and helper must agree. */
enum { MESSAGE_PROTOCOL = 7 };

/* What the driver says about one GPU. */
typedef struct GpuFacts {
    Device device;        /* dram_bytes_per_s: two transfers per memory clock × bus width */
    const char *uuid;     /* "GPU-4f1c…", as in nvidia-smi */
    const char *driver;   /* "580.159.04"; "" if not known */
    int cuda_version;     /* newest CUDA that the driver supports: 13000 is 13.0 */
    int64_t memory_bytes; /* the device's whole memory */
    double memory_clock_hz;
    int bus_bits; /* width of the memory bus */
} GpuFacts;

/* What a problem has of the things that launches name by index. */
typedef struct MessageLimits {
    size_t buffers;
    size_t textures;
} MessageLimits;

/* The kind of a message: "hello", "open", "problem", "trial" …; "" if it has none. */
const char *message_verb(const json_t *header);

json_t *message_problem(const TaskProblem *p, Buf *blob);
bool message_read_problem(Arena *a, const WireMessage *m, TaskProblem *p, Diag *d);

json_t *message_trial(const Trial *t, Buf *blob);
/* `limits`: of the problem the trial is for. */
bool message_read_trial(Arena *a, const WireMessage *m, MessageLimits limits, Trial *t, Diag *d);

json_t *message_result(const TrialResult *r);
bool message_read_result(Arena *a, const json_t *header, TrialResult *r);

/* The answer to a problem: facts about the reference's outputs. */
json_t *message_outputs(const TaskOutput *outputs, size_t count);
bool message_read_outputs(Arena *a, const json_t *header, const TaskOutput **outputs,
                          size_t *count);

json_t *message_facts(const GpuFacts *f);
bool message_read_facts(Arena *a, const json_t *j, GpuFacts *f);

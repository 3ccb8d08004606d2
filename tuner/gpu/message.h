/* Problems, trials and results as messages, both ways.
 *
 * One pair of functions per kind: message_X makes the header and appends what goes
 * into the blob, message_read_X takes a received message apart.  What is read points
 * into the message where it is bytes (cubins) and into the arena otherwise, so the
 * message must live as long.  A reader checks every index and size: what it returns
 * can be used without further checks. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/wire.h"
#include "tuner/gpu/facts.h"
#include "tuner/spec/task.h"

/* Raised when messages change their meaning: program and helper must agree. */
enum { MESSAGE_PROTOCOL = 7 };

/* How many of what launches name the problem has. */
typedef struct MessageLimits {
    size_t buffers;
    size_t textures;
} MessageLimits;

/* The word of a message: "hello", "open", "problem", "trial" …; "" when it has none. */
const char *message_verb(const json_t *header);

json_t *message_problem(const TaskProblem *p, Buf *blob);
bool message_read_problem(Arena *a, const WireMessage *m, TaskProblem *p, Diag *d);

json_t *message_trial(const Trial *t, Buf *blob);
/* `limits`: of the problem the trial is for. */
bool message_read_trial(Arena *a, const WireMessage *m, MessageLimits limits, Trial *t, Diag *d);

json_t *message_result(const TrialResult *r);
bool message_read_result(Arena *a, const json_t *header, TrialResult *r);

/* The answer to a problem: what the reference made of the outputs. */
json_t *message_outputs(const TaskOutput *outputs, size_t count);
bool message_read_outputs(Arena *a, const json_t *header, const TaskOutput **outputs,
                          size_t *count);

json_t *message_facts(const GpuFacts *f);
bool message_read_facts(Arena *a, const json_t *j, GpuFacts *f);

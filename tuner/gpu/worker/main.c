/* aptune-gpu: owns the CUDA context, so that a kernel that faults or hangs ends only this process.
 *
 * Exchanges messages (metrics/base/wire.h, tuner/gpu/message.h) on descriptor 0, one answer to each:
 *
 *     (start)            → hello    the devices, or why there are none
 *     open, device i     → opened   | error
 *     problem            → ready    | error
 *     trial              → result; with "restart" this process is unusable and ends
 *     (end of stream)    → ends
 */
#include "sample.h"
#include "metrics/base/process.h"

#include <stdio.h>
#include <unistd.h>

typedef struct Worker {
    Driver *driver;        /* NULL without a GPU */
    bool opened;           /* a device was chosen */
    bool ready;            /* there is a problem */
    const GpuFacts *facts; /* of each device */
    Problem problem;
    Bench bench;
    Arena *whole;                /* lives as long as the process */
    Arena *arena;                /* of the problem */
    WireMessage problem_message; /* contains its cubins */
} Worker;

static bool answer(json_t *header)
{
    SCOPED_ARENA *a = arena_new();
    Diag d = diag_new(a);
    bool ok = wire_send(PROCESS_WIRE, header, (Blob){0}, &d);
    if (!ok) /* the parent quotes it when it finds this process ended */
        fprintf(stderr, "aptune-gpu: %s\n", diag_first(&d));
    json_decref(header);
    return ok;
}

/* All messages, one line each. */
static bool answer_error(const Diag *d)
{
    SCOPED_BUF b = {0};
    for (size_t i = 0; i < d->messages.count; i++)
        buf_printf(&b, "%s%s", i ? "\n" : "", d->messages.at[i].text);
    json_t *error = json_pack("{s:s, s:o}", "do", "error", "words", json_of_text(buf_text(&b)));
    return answer(error);
}

static bool say_hello(Worker *w)
{
    Diag d = diag_new(w->whole);
    json_t *devices = json_array();
    w->driver = driver_open(w->whole, &d);
    int count = w->driver ? driver_device_count(w->driver) : 0;
    GpuFacts *facts = ARENA_ARRAY(w->whole, GpuFacts, (size_t)count);
    for (int i = 0; i < count; i++) {
        if (!driver_facts(w->driver, w->whole, i, &facts[i], &d))
            break;
        json_array_append_new(devices, message_facts(&facts[i]));
    }
    w->facts = facts;
    const char *why = d.messages.count ? diag_first(&d) : "";
    return answer(json_pack("{s:s, s:i, s:o, s:s}", "do", "hello", "protocol", MESSAGE_PROTOCOL,
                            "devices", devices, "why", why));
}

static bool do_open(Worker *w, const json_t *header, Diag *d)
{
    int device = (int)json_integer_value(json_object_get(header, "device"));
    if (!w->driver)
        diag_fail(d, "there is no GPU");
    else if (driver_use(w->driver, device) != DRIVER_OK)
        diag_fail(d, "device %d cannot be used: %s", device, driver_error(w->driver));
    if (d->messages.count > 0)
        return answer_error(d);
    w->opened = true;
    w->bench = (Bench){.driver = w->driver,
                       .problem = &w->problem,
                       .nvml = nvml_open(w->whole, w->facts[device].uuid),
                       .l2_bytes = w->facts[device].device.l2_bytes};
    return answer(json_pack("{s:s}", "do", "opened"));
}

/* Takes the message over. */
static bool do_problem(Worker *w, WireMessage *m, Diag *d)
{
    TaskProblem task;
    problem_close(&w->problem);
    wire_message_free(&w->problem_message);
    arena_reset(w->arena);
    w->problem_message = *m;
    *m = (WireMessage){0};
    if (!w->opened)
        diag_fail(d, "a problem came before a device was opened");
    w->ready = w->opened && message_read_problem(w->arena, &w->problem_message, &task, d) &&
               problem_open(&w->problem, w->arena, w->driver, &task, d);
    if (!w->ready)
        return answer_error(d);
    return answer(message_outputs(w->problem.output_facts, w->problem.output_count));
}

/* False if this process has to end. */
static bool do_trial(Worker *w, const WireMessage *m, Arena *a, Diag *d)
{
    const MessageLimits limits = {w->problem.task.buffer_count, w->problem.task.texture_count};
    Trial t;
    TrialResult r;
    if (!w->ready)
        diag_fail(d, "a trial came before a problem was set");
    if (!w->ready || !message_read_trial(a, m, limits, &t, d))
        return answer_error(d);
    const bool sound = trial_run(a, &w->bench, &t, &r);
    json_t *result = message_result(&r);
    json_object_set_new(result, "restart", json_boolean(!sound));
    return answer(result) && sound;
}

static bool handle(Worker *w, WireMessage *m, Arena *a)
{
    Diag d = diag_new(a);
    const char *verb = message_verb(m->header);
    if (strcmp(verb, "open") == 0)
        return do_open(w, m->header, &d);
    if (strcmp(verb, "problem") == 0)
        return do_problem(w, m, &d);
    if (strcmp(verb, "trial") == 0)
        return do_trial(w, m, a, &d);
    diag_fail(&d, "unknown message '%s'", verb);
    return answer_error(&d);
}

/* Exits without the driver's clean-up, which can hang after a fault; the system frees everything. */
int main(void)
{
    if (isatty(PROCESS_WIRE)) {
        fputs("aptune-gpu " APTUNE_VERSION ": a helper of aptune, not to be run by hand\n", stderr);
        return 2;
    }
    process_become_helper();
    Arena *one = arena_new();
    Worker w = {.whole = arena_new(), .arena = arena_new()};
    WireReader reader = wire_reader(PROCESS_WIRE);
    WireMessage m;
    bool on = say_hello(&w);
    while (on && wire_receive(&reader, &m, WIRE_FOREVER) == WIRE_OK) {
        on = handle(&w, &m, one);
        wire_message_free(&m);
        arena_reset(one);
    }
    _exit(0);
}

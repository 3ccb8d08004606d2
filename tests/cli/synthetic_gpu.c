/* A GPU process for tests without a GPU: takes the place of aptune-gpu beside a copy of aptune and
 * answers every trial with a made-up time, the same for the same code and launch geometry.  Its
 * devices are called so that nobody takes a recording of theirs for a measurement.
 *
 * Read from the environment:
 *     SYNTHETIC_GPUS=N      devices (1); SYNTHETIC_KINDS=K: of K different names (1)
 *     SYNTHETIC_UUID=TEXT   what their UUIDs begin with, so that tests do not share them
 *     SYNTHETIC_MS=T        how long each trial takes
 *     SYNTHETIC_PROBLEM_S=T seconds that it takes to set the problem (0)
 *     SYNTHETIC_LOG=FILE    gets a line "DEVICE ID" when a trial begins
 *     SYNTHETIC_TRIALS=FILE gets what each trial asks for, but for what it runs: a line of JSON
 *     SYNTHETIC_LOST=FILE   the device whose number stands in that file, when it exists, dies of
 * its next trial and is never seen again
 *     SYNTHETIC_RIVAL=STATUS what becomes of a rival's trial ("ok"); its time is 1.5 ms
 *     SYNTHETIC_SLOW=N      every time is N times as long
 *     SYNTHETIC_KERNEL=STATUS the same of all others
 *     SYNTHETIC_DRIFT=P     every round of a final takes P percent longer than the one before
 *     SYNTHETIC_WATTS=W     the device draws so much power while something runs over and over, at
 * 1000 MHz, and a run takes a tenth longer then; without it neither clock nor energy is known
 *     SYNTHETIC_FRUGAL=1    what takes twice as long draws a fourth of that: it uses half as much
 *     SYNTHETIC_SAYS=FILE   what stands there is printed by the next trial, and the file removed
 *     SYNTHETIC_DIES=FILE   when that file exists, it is removed, and the next trial ends the process
 *     SYNTHETIC_AWAY=FILE   when that file exists, it is removed, and the next trial finds the
 * device gone
 *     SYNTHETIC_KILL=FILE   when that file exists, it is removed, and the next final is killed */
#include "metrics/base/file.h"
#include "metrics/base/hash.h"
#include "metrics/base/process.h"
#include "tuner/gpu/message.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

static void say(json_t *header)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    wire_send(PROCESS_WIRE, header, (Blob){0}, &d);
    arena_free(a);
    json_decref(header);
}

/* The device that shall be lost; -1: none. */
static int lost_device(void)
{
    const char *path = getenv("SYNTHETIC_LOST");
    FILE *f = path ? fopen(path, "r") : NULL;
    int device = -1;
    if (f && fscanf(f, "%d", &device) != 1)
        device = -1;
    if (f)
        fclose(f);
    return device;
}

static json_t *device_facts(Arena *a, int i)
{
    const char *uuid = getenv("SYNTHETIC_UUID");
    GpuFacts f = {
        .device = *device_find("sm_90"), .cuda_version = 13000, .driver = "0 (synthetic)"};
    f.device.name = i % setting("SYNTHETIC_KINDS", 1) == 0
                        ? "synthetic device, nothing was measured"
                        : "other synthetic device, nothing was measured";
    f.uuid = arena_printf(a, "GPU-synthetic-%s-%d", uuid ? uuid : "", i);
    return message_facts(&f);
}

static void say_hello(Arena *a)
{
    json_t *devices = json_array();
    for (int i = 0; i < setting("SYNTHETIC_GPUS", 1); i++)
        json_array_append_new(devices, device_facts(a, i));
    say(json_pack("{s:s, s:i, s:o, s:s}", "do", "hello", "protocol", MESSAGE_PROTOCOL, "devices",
                  devices, "why", ""));
}

/* Between 1 and 2 ms, by code and geometry alone. */
static double made_up_ms(const TaskRun *r)
{
    const int slow = setting("SYNTHETIC_SLOW", 1);
    if (r->rival)
        return 1.5 * slow;
    Hasher *h = hasher_new();
    for (size_t i = 0; i < r->module_count; i++)
        hasher_add(h, r->modules[i].cubin, r->modules[i].size);
    for (size_t i = 0; i < r->launch_count; i++) {
        hasher_add(h, r->launches[i].grid, sizeof r->launches[i].grid);
        hasher_add(h, r->launches[i].block, sizeof r->launches[i].block);
    }
    Hash sum = hasher_end(h);
    char digits[9] = {0};
    memcpy(digits, sum.text, 8);
    return slow * (1 + (double)strtoul(digits, NULL, 16) / 4294967296.0);
}

static void log_trial(int device, int64_t id)
{
    const char *path = getenv("SYNTHETIC_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%d %lld\n", device, (long long)id);
    fclose(f);
}

static void log_asked(json_t *header)
{
    const char *path = getenv("SYNTHETIC_TRIALS");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    json_t *asked = json_copy(header);
    json_object_del(asked, "runs");
    json_object_del(asked, "compared");
    json_dumpf(asked, f, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fputc('\n', f);
    json_decref(asked);
    fclose(f);
}

/* Whether the file that a variable names was there to be removed. */
static bool takes(const char *name)
{
    const char *path = getenv(name);
    return path && unlink(path) == 0;
}

/* As a tool prints that runs this process. */
static void print_of_file(Arena *a)
{
    Diag quiet = diag_new(a);
    const char *path = getenv("SYNTHETIC_SAYS");
    size_t size = 0;
    const char *text = path ? file_read(a, path, &size, &quiet) : NULL;
    if (text && unlink(path) == 0)
        printf("%s", text);
    fflush(stdout);
}

static Outcome status_of(const TaskRun *r)
{
    const char *text = getenv(r->rival ? "SYNTHETIC_RIVAL" : "SYNTHETIC_KERNEL");
    Outcome s = OUTCOME_OK;
    for (int o = 0; text && o < OUTCOMES; o++)
        if (outcome_is_trial((Outcome)o) && strcmp(outcome_name((Outcome)o), text) == 0)
            s = (Outcome)o;
    return s;
}

/* Over and over; a library's calls take twice the power. */
static TrialSustained sustained_of(const TaskRun *r)
{
    double ms = 1.1 * made_up_ms(r), watts = setting("SYNTHETIC_WATTS", 0) * (r->rival ? 2 : 1);
    if (setting("SYNTHETIC_FRUGAL", 0))
        watts /= ms * ms;
    if (watts <= 0)
        return (TrialSustained){.runs = 100, .ms = ms, .joules = NAN, .power_w = NAN};
    return (TrialSustained){.runs = 100,
                            .ms = ms,
                            .joules = watts * ms * 1e-3,
                            .power_w = watts,
                            .clock_mhz = 1000,
                            .throttle = THROTTLE_POWER,
                            .idle = setting("SYNTHETIC_IDLE", 0) / 100.0};
}

static void answer_trial(Arena *a, int device, const Trial *t)
{
    const TaskRun *run = t->runs;
    double ms = made_up_ms(run), times[] = {ms, ms, ms};
    struct timespec pause = {.tv_nsec = 1000000L * setting("SYNTHETIC_MS", 0)};
    log_trial(device, t->id);
    print_of_file(a);
    if (lost_device() == device || takes("SYNTHETIC_DIES"))
        _exit(7);
    nanosleep(&pause, NULL);
    Outcome status = status_of(run);
    TrialSustained sustained = sustained_of(run);
    TrialResult r = {.id = t->id,
                     .status = status,
                     .verified = t->verify,
                     .times = times,
                     .time_count = status == OUTCOME_OK ? 3 : 0,
                     .batch = 1,
                     .sustained = &sustained,
                     .sustained_count = t->sustain_s > 0 && status == OUTCOME_OK,
                     .words = status == OUTCOME_OK ? "" : "made up",
                     .title = run->rival ? "a synthetic library" : "",
                     .details = run->rival ? run->rival->library : ""};
    if (takes("SYNTHETIC_AWAY"))
        r = (TrialResult){
            .id = t->id, .status = OUTCOME_SKIPPED, .words = "the synthetic device is away"};
    say(message_result(&r));
}

/* Round by round, in each the finalists in their order; told finalist by finalist. */
static void answer_final(Arena *a, const Trial *f)
{
    if (takes("SYNTHETIC_KILL"))
        raise(SIGKILL);
    size_t count = f->run_count * (size_t)f->rounds;
    double *times = ARENA_ARRAY(a, double, count);
    double drift = 1 + 0.01 * setting("SYNTHETIC_DRIFT", 0), longer = 1;
    for (size_t i = 0; i < count; i++) {
        times[i % f->run_count * (size_t)f->rounds + i / f->run_count] =
            longer * made_up_ms(&f->runs[i % f->run_count]);
        longer *= (i + 1) % f->run_count == 0 ? drift : 1;
    }
    TrialSustained *sustained = ARENA_ARRAY(a, TrialSustained, f->run_count);
    for (size_t i = 0; i < f->run_count; i++)
        sustained[i] = sustained_of(&f->runs[i]);
    TrialResult r = {.id = f->id,
                     .status = OUTCOME_OK,
                     .times = times,
                     .time_count = count,
                     .batch = 1,
                     .sustained = sustained,
                     .sustained_count = f->sustain_s > 0 ? f->run_count : 0,
                     .words = ""};
    say(message_result(&r));
}

static void answer(const WireMessage *m, int *device)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Trial t;
    MessageLimits limits = {.buffers = 1000, .textures = 1000};
    const char *verb = message_verb(m->header);
    if (strcmp(verb, "open") == 0) {
        *device = (int)json_integer_value(json_object_get(m->header, "device"));
        if (lost_device() == *device)
            say(json_pack("{s:s, s:s}", "do", "error", "words", "the synthetic device is gone"));
        else
            say(json_pack("{s:s}", "do", "opened"));
    } else if (strcmp(verb, "problem") == 0) {
        sleep((unsigned)setting("SYNTHETIC_PROBLEM_S", 0));
        say(message_outputs(NULL, 0));
    } else if (message_read_trial(a, m, limits, &t, &d)) {
        log_asked(m->header);
        if (t.rounds > 0)
            answer_final(a, &t);
        else
            answer_trial(a, *device, &t);
    }
    arena_free(a);
}

int main(void)
{
    process_become_helper();
    Arena *a = arena_new();
    WireReader reader = wire_reader(PROCESS_WIRE);
    int device = 0;
    say_hello(a);
    for (WireMessage m; wire_receive(&reader, &m, WIRE_FOREVER) == WIRE_OK; wire_message_free(&m))
        answer(&m, &device);
    _exit(0);
}

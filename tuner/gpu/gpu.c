#include "tuner/gpu/gpu.h"

#include "metrics/base/clock.h"
#include "metrics/base/process.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* The helper's state:
 *
 *     DOWN ─► GREETING ─► OPENING ─► SETTING ─► READY ◄─► BUSY
 *      ▲          (without a problem: ─────────►)
 *      └── when it dies, is late or sends garbage; LOST after too many starts
 */
typedef enum State { DOWN, GREETING, OPENING, SETTING, READY, BUSY, LOST } State;

typedef struct Pending {
    int64_t id;
    double limit_s;
    json_t *header;
    Buf blob;
} Pending;

struct Gpu {
    Arena *arena; /* of the facts and the queue */
    GpuOptions options;
    Process process;
    WireReader reader;
    State state;
    double deadline; /* of this state; in DOWN the time to start; < 0: none */
    int starts;      /* helpers started */
    int failures;    /* in a row, before READY */
    int tries;       /* that many failures are too many now */
    bool stuck;      /* a helper could not be killed */
    Buf why;         /* the last failure */
    Buf printed;     /* a wrapper's output for the last trial */

    GpuFacts *facts; /* of all devices */
    size_t device_count;

    json_t *problem; /* sent to every new helper; NULL before the first problem */
    Buf problem_blob;
    Arena *outputs_arena;
    const TaskOutput *outputs;
    size_t output_count;

    VEC(Pending) queue; /* in BUSY the first is with the helper */
    double sent_at;     /* when the first went to the helper */
    double seconds;     /* from then to the answer */

    bool answered;  /* the first has an answer: */
    json_t *answer; /* the helper's; NULL: it gave none, and the answer is */
    Outcome status; /* this, with `why` */
    bool killed;    /* the last helper was killed, or stopped, from outside */
    int forgiven;   /* such helpers since the last READY */
};

GpuOptions gpu_options(const char *helper, int device)
{
    return (GpuOptions){.helper = helper,
                        .device = device,
                        .start_limit_s = 60,
                        .problem_limit_s = 300,
                        .kill_limit_s = 30,
                        .tries = 4,
                        .retry_delay_s = 0.5};
}

/* --- the end of a helper -------------------------------------------------------------------- */

static void set_state(Gpu *g, State state, double limit_s)
{
    g->state = state;
    g->deadline = limit_s < 0 ? -1 : clock_seconds() + limit_s;
}

static bool is_late(const Gpu *g)
{
    return g->deadline >= 0 && clock_seconds() >= g->deadline;
}

static void set_reason(Gpu *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_reason(Gpu *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_clear(&g->why);
    buf_vprintf(&g->why, format, args);
    va_end(args);
}

static void answer_first(Gpu *g, Outcome status)
{
    g->answered = true;
    g->status = status;
    g->seconds = status == OUTCOME_SKIPPED ? 0 : clock_seconds() - g->sent_at;
}

/* Ends the helper; the next one may start at once. */
static void drop_helper(Gpu *g)
{
    bool gone = process_stop(&g->process, g->options.kill_limit_s);
    wire_reader_free(&g->reader);
    set_state(g, DOWN, 0);
    if (gone)
        return;
    set_reason(g,
               "the GPU process could not be killed within %g s: a kernel holds it in the driver",
               g->options.kill_limit_s);
    g->stuck = true;
    set_state(g, LOST, -1);
}

/* Helpers killed from outside before READY that do not count as failures. */
enum { KILLS_FORGIVEN = 5 };

/* Called when a start did not reach READY. */
static void count_failure(Gpu *g)
{
    drop_helper(g);
    if (g->state == DOWN && g->killed && g->forgiven < KILLS_FORGIVEN) {
        g->forgiven++;
        return;
    }
    if (++g->failures >= g->tries)
        set_state(g, LOST, -1);
    if (g->state == DOWN)
        set_state(g, DOWN, g->options.retry_delay_s * (1 << (g->failures - 1)));
}

/* The helper is unusable, for the reason in `why`.  If it has a trial, that is answered with `status`. */
static void helper_failed(Gpu *g, Outcome status)
{
    if (g->state == BUSY) {
        answer_first(g, status);
        drop_helper(g);
    } else if (g->state == READY) {
        drop_helper(g);
    } else {
        count_failure(g);
    }
}

/* The stream ended: the process died or is about to. */
static void helper_died(Gpu *g)
{
    set_reason(g, "the GPU process ");
    if (process_wait(&g->process, 1)) {
        const int status = g->process.status;
        g->killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        process_describe(&g->process, &g->why);
    } else {
        buf_puts(&g->why, "no longer takes messages");
    }
    helper_failed(g, OUTCOME_FAULT);
}

static void helper_late(Gpu *g)
{
    static const char *const DOING[] = {
        [GREETING] = "start", [OPENING] = "open the device", [SETTING] = "set the problem"};
    if (process_was_stopped(&g->process)) { /* not the fault of its task */
        set_reason(g, "the GPU process was stopped by a signal during its task");
        g->killed = true;
        helper_failed(g, OUTCOME_FAULT);
        return;
    }
    if (g->state == BUSY)
        set_reason(g,
                   "not finished within the time limit of %.3g s: an endless loop, or far too slow",
                   g->queue.at->limit_s);
    else
        set_reason(g, "the GPU process did not %s within its time limit", DOING[g->state]);
    process_quote_words(&g->process, &g->why);
    helper_failed(g, OUTCOME_TIMEOUT);
}

static void helper_sent_wrong(Gpu *g, const char *what)
{
    set_reason(g, "the GPU process sent %s", what);
    helper_failed(g, OUTCOME_FAULT);
}

static void helper_sent_noise(Gpu *g)
{
    set_reason(g, "the GPU process sent something that is not a message: '");
    wire_quote(&g->reader, &g->why);
    buf_putc(&g->why, '\'');
    helper_failed(g, OUTCOME_FAULT);
}

/* --- sending -------------------------------------------------------------------------------- */

/* Time limit for the waiting helper to take a message. */
static const double SEND_LIMIT_S = 30;

/* The task could not be sent, or the helper refused it, for the reason in `why`.  The helper is sound. */
static void task_refused(Gpu *g)
{
    if (g->state == BUSY) {
        answer_first(g, OUTCOME_LAUNCH_FAILED);
        set_state(g, READY, -1);
    } else {
        count_failure(g);
    }
}

static void flush_message(Gpu *g, WireWriter *w)
{
    double most = g->deadline < 0 ? SEND_LIMIT_S : g->deadline - clock_seconds();
    if (wire_flush_within(w, most < SEND_LIMIT_S ? fmax(most, 0) : SEND_LIMIT_S))
        return;
    if (is_late(g))
        helper_late(g);
    else
        helper_died(g);
}

static void send_message(Gpu *g, json_t *header, const Buf *blob, State next, double limit_s)
{
    SCOPED_ARENA *a = arena_new();
    Diag d = diag_new(a);
    WireWriter w = wire_writer(g->process.fd);
    Blob bytes = blob ? (Blob){blob->text, blob->size} : (Blob){0};
    set_state(g, next, limit_s);
    process_forget_words(&g->process);
    process_was_stopped(&g->process); /* forget earlier stops */
    if (wire_put(&w, header, bytes, &d)) {
        flush_message(g, &w);
    } else {
        set_reason(g, "%s", diag_first(&d));
        task_refused(g);
    }
    wire_writer_free(&w);
}

/* The wrapper's options, then the helper; NULL without a wrapper. */
static const char **wrapped_arguments(Arena *a, const GpuOptions *o)
{
    size_t n = 0;
    if (!o->wrapper)
        return NULL;
    while (o->wrapper_options[n])
        n++;
    const char **args = ARENA_ARRAY(a, const char *, n + 2);
    memcpy(args, o->wrapper_options, n * sizeof *args);
    args[n] = o->helper;
    return args;
}

static void start_helper(Gpu *g)
{
    SCOPED_ARENA *a = arena_new();
    Diag d = diag_new(a);
    g->starts++;
    g->killed = false;
    set_state(g, GREETING, g->options.start_limit_s);
    const char **args = wrapped_arguments(a, &g->options);
    const char *program = args ? g->options.wrapper : g->options.helper;
    if (process_start(&g->process, program, args, &d)) {
        g->reader = wire_reader(g->process.fd);
    } else {
        set_reason(g, "%s", diag_first(&d));
        count_failure(g);
    }
}

static void send_open(Gpu *g)
{
    json_auto_t *open = json_pack("{s:s, s:i}", "do", "open", "device", g->options.device);
    send_message(g, open, NULL, OPENING, g->options.start_limit_s);
}

static void become_ready(Gpu *g)
{
    g->failures = g->forgiven = 0;
    set_state(g, READY, -1);
}

static void send_problem(Gpu *g)
{
    if (g->problem)
        send_message(g, g->problem, &g->problem_blob, SETTING, g->options.problem_limit_s);
    else
        become_ready(g);
}

static void send_trial(Gpu *g)
{
    const Pending *p = g->queue.at;
    g->killed = false;
    buf_clear(&g->printed);
    g->sent_at = clock_seconds();
    send_message(g, p->header, &p->blob, BUSY, p->limit_s > 0 ? p->limit_s : -1);
}

/* --- receiving ------------------------------------------------------------------------------ */

static bool read_devices(Gpu *g, const json_t *list)
{
    size_t count = json_array_size(list);
    GpuFacts *facts = ARENA_ARRAY(g->arena, GpuFacts, count);
    for (size_t i = 0; i < count; i++)
        if (!message_read_facts(g->arena, json_array_get(list, i), &facts[i]))
            return false;
    g->facts = facts;
    g->device_count = count;
    return true;
}

/* True if a new helper sees the same device at the index of the old one. */
static bool same_device(const Gpu *g, const json_t *list)
{
    const json_t *j = json_array_get(list, (size_t)g->options.device);
    const char *uuid = json_string_value(json_object_get(j, "uuid"));
    return uuid && strcmp(uuid, g->facts[g->options.device].uuid) == 0;
}

static void on_hello(Gpu *g, const json_t *m)
{
    const json_t *list = json_object_get(m, "devices");
    const char *why = json_string_value(json_object_get(m, "why"));
    size_t count = json_array_size(list);
    if (g->options.wrap && count > 0) {
        g->options.device %= (int)count;
        g->options.wrap = false;
    }
    if (json_integer_value(json_object_get(m, "protocol")) != MESSAGE_PROTOCOL) {
        set_reason(g, "'%s' belongs to another version of this program", g->options.helper);
        count_failure(g);
    } else if (count == 0) {
        set_reason(g, "%s", why && *why ? why : "there is no GPU");
        count_failure(g);
    } else if (g->options.device < 0 || (size_t)g->options.device >= count) {
        set_reason(g, "there is no GPU %d: this machine has %zu", g->options.device, count);
        count_failure(g);
    } else if (g->facts && !same_device(g, list)) {
        set_reason(g, "GPU %d is no longer the same device", g->options.device);
        drop_helper(g);
        set_state(g, LOST, -1);
    } else if (!g->facts && !read_devices(g, list)) {
        helper_sent_wrong(g, "a device without properties");
    } else {
        send_open(g);
    }
}

static void on_ready(Gpu *g, const json_t *m)
{
    arena_reset(g->outputs_arena);
    if (message_read_outputs(g->outputs_arena, m, &g->outputs, &g->output_count))
        become_ready(g);
    else
        helper_sent_wrong(g, "an answer to the problem that cannot be read");
}

/* A wrapper prints its report when the helper ends. */
static void read_wrapper(Gpu *g, bool ends)
{
    enum { PRINTED_MOST = 1 << 16 };
    static const double report_limit_s = 10;
    if (!g->options.wrapper)
        return;
    if (ends)
        process_wait(&g->process, report_limit_s);
    process_read_words(&g->process, PRINTED_MOST, &g->printed);
}

static void on_result(Gpu *g, json_t *m)
{
    const json_t *id = json_object_get(m, "id");
    if (!json_is_integer(id) || json_integer_value(id) != g->queue.at->id) {
        helper_sent_wrong(g, "a result of another trial");
        return;
    }
    bool restart = json_is_true(json_object_get(m, "restart"));
    answer_first(g, OUTCOME_FAULT);
    g->answer = json_incref(m);
    read_wrapper(g, restart);
    if (restart)
        drop_helper(g);
    else
        set_state(g, READY, -1);
}

static void on_error(Gpu *g, const json_t *m)
{
    const char *words = json_string_value(json_object_get(m, "words"));
    set_reason(g, "%s", words ? words : "no reason given");
    task_refused(g);
}

static void on_message(Gpu *g, json_t *m)
{
    const char *verb = message_verb(m);
    if (strcmp(verb, "error") == 0 && g->state != READY && g->state != GREETING)
        on_error(g, m);
    else if (g->state == GREETING && strcmp(verb, "hello") == 0)
        on_hello(g, m);
    else if (g->state == OPENING && strcmp(verb, "opened") == 0)
        send_problem(g);
    else if (g->state == SETTING && strcmp(verb, "ready") == 0)
        on_ready(g, m);
    else if (g->state == BUSY && strcmp(verb, "result") == 0)
        on_result(g, m);
    else
        helper_sent_wrong(g, "an unexpected message");
}

/* --- progress ------------------------------------------------------------------------------- */

/* Handles one message, or the lack of one; false if there is nothing to do. */
static bool receive(Gpu *g)
{
    WireMessage m;
    switch (wire_receive(&g->reader, &m, 0)) {
    case WIRE_OK:
        on_message(g, m.header);
        break;
    case WIRE_MORE:
        if (!is_late(g))
            return false;
        helper_late(g);
        break;
    case WIRE_END:
    case WIRE_CUT:
        helper_died(g);
        break;
    case WIRE_GARBAGE:
        helper_sent_noise(g);
        break;
    }
    wire_message_free(&m);
    return true;
}

/* Takes one step that needs no waiting; false if there is none. */
static bool advance(Gpu *g)
{
    if (g->answered)
        return false;
    switch (g->state) {
    case LOST:
        if (g->queue.count)
            answer_first(g, OUTCOME_SKIPPED);
        return g->answered;
    case DOWN:
        if (!is_late(g))
            return false;
        start_helper(g);
        return true;
    case READY:
        if (receive(g))
            return true;
        if (!g->queue.count)
            return false;
        send_trial(g);
        return true;
    default:
        return receive(g);
    }
}

void gpu_await(const Gpu *g, Waits *w)
{
    waits_add(w, g->process.fd, POLLIN);
    if (g->answered)
        waits_lower(w, 0);
    else if (g->deadline >= 0)
        waits_lower(w, fmax(0, g->deadline - clock_seconds()));
}

/* A failure before READY is then reported at once, without another try. */
static void try_once(Gpu *g)
{
    g->tries = 1;
    g->failures = 0;
}

/* Advances without waiting; true once READY, or LOST after a failure. */
static bool is_settled(Gpu *g)
{
    while (g->state != READY && g->state != LOST)
        if (!advance(g))
            return false;
    g->tries = g->options.tries;
    return true;
}

/* False when `stop_fd` is readable. */
static bool wait_for_any(Gpu *const *gpus, size_t count, int stop_fd)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    Waits w = waits_new(-1);
    for (size_t i = 0; i < count; i++)
        if (gpus[i]->state != READY && gpus[i]->state != LOST)
            gpu_await(gpus[i], &w);
    waits_add(&w, stop_fd, POLLIN);
    waits_end(&w);
    return poll(&stop, 1, 0) <= 0;
}

bool gpu_settle(Gpu *const *gpus, size_t count, int stop_fd)
{
    assert(count <= GPU_LIMIT);
    for (;;) {
        bool all = true;
        for (size_t i = 0; i < count; i++)
            all = is_settled(gpus[i]) && all;
        if (all)
            return true;
        if (!wait_for_any(gpus, count, stop_fd))
            return false;
    }
}

bool gpu_usable(const Gpu *g, Diag *d)
{
    return g->state == READY || diag_fail(d, "%s", buf_text(&g->why));
}

bool gpu_lost(const Gpu *g)
{
    return g->state == LOST;
}

/* --- the interface -------------------------------------------------------------------------- */

Gpu *gpu_start(const GpuOptions *o)
{
    Gpu *g = memory_zeroed(1, sizeof *g);
    g->arena = arena_new();
    g->outputs_arena = arena_new();
    g->options = *o;
    g->options.helper = arena_string(g->arena, o->helper);
    g->process = (Process){.fd = -1, .words = -1};
    set_state(g, DOWN, 0);
    try_once(g);
    is_settled(g); /* starts the helper */
    return g;
}

static void drop_first(Gpu *g)
{
    Pending *p = g->queue.at;
    json_decref(p->header);
    buf_free(&p->blob);
    memmove(p, p + 1, --g->queue.count * sizeof *p);
    json_decref(g->answer);
    g->answer = NULL;
    g->answered = false;
}

static void drop_problem(Gpu *g)
{
    json_decref(g->problem);
    g->problem = NULL;
    buf_free(&g->problem_blob);
    g->problem_blob = (Buf){0};
    arena_reset(g->outputs_arena);
    g->outputs = NULL;
    g->output_count = 0;
}

void gpu_close(Gpu *g)
{
    if (!g)
        return;
    process_stop(&g->process, g->options.kill_limit_s);
    wire_reader_free(&g->reader);
    while (g->queue.count)
        drop_first(g);
    drop_problem(g);
    buf_free(&g->why);
    buf_free(&g->printed);
    arena_free(g->outputs_arena);
    arena_free(g->arena);
    free(g);
}

const Device *gpu_device(const Gpu *g)
{
    return &gpu_facts(g)->device;
}

const GpuFacts *gpu_facts(const Gpu *g)
{
    return &g->facts[g->options.device];
}

int gpu_ordinal(const Gpu *g)
{
    return g->options.device;
}

size_t gpu_device_count(const Gpu *g)
{
    return g->device_count;
}

void gpu_start_problem(Gpu *g, const TaskProblem *p)
{
    assert(g->queue.count == 0);
    drop_problem(g);
    g->problem = message_problem(p, &g->problem_blob);
    try_once(g);
    if (g->state == LOST && !g->stuck) /* mostly because of another problem */
        set_state(g, DOWN, 0);
    if (g->state == READY)
        send_problem(g);
}

const TaskOutput *gpu_outputs(const Gpu *g, size_t *count)
{
    *count = g->output_count;
    return g->outputs;
}

void gpu_submit(Gpu *g, const Trial *t)
{
    assert(g->problem);
    Pending p = {.id = t->id, .limit_s = t->limit_s};
    p.header = message_trial(t, &p.blob);
    VEC_PUSH(g->arena, &g->queue, p);
    while (advance(g))
        ;
}

size_t gpu_pending(const Gpu *g)
{
    return g->queue.count;
}

int gpu_starts(const Gpu *g)
{
    return g->starts;
}

static void take_result(Gpu *g, Arena *a, TrialResult *r)
{
    bool read = g->answer && message_read_result(a, g->answer, r);
    if (g->answer && !read)
        set_reason(g, "the GPU process sent a result that cannot be read");
    if (!read)
        *r = (TrialResult){.status = g->status,
                           .words = arena_string(a, buf_text(&g->why)),
                           .title = "",
                           .details = "",
                           .killed = g->status == OUTCOME_FAULT && g->killed};
    r->printed = arena_string(a, buf_text(&g->printed));
    r->id = g->queue.at->id;
    r->seconds = g->seconds;
    drop_first(g);
}

bool gpu_next(Gpu *g, Arena *a, TrialResult *r)
{
    while (advance(g))
        ;
    const bool answered = g->answered;
    if (answered)
        take_result(g, a, r);
    return answered;
}

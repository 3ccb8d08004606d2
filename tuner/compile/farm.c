#include "tuner/compile/farm.h"

#include "metrics/base/clock.h"
#include "metrics/base/process.h"
#include "tuner/compile/compiler.h"

#include <math.h>
#include <unistd.h>

/* --- workers ---------------------------------------------------------------------------------- */

typedef enum WorkerState {
    WORKER_NONE,     /* no process */
    WORKER_STARTING, /* has not sent its hello yet */
    WORKER_IDLE,
    WORKER_BUSY,
    WORKER_WALKING /* the code is there, its profile is being made */
} WorkerState;

/* A result that waits to be taken, or for its profile, in an arena of its own. */
typedef struct Ready {
    CompileResult result;
    Arena *arena; /* NULL: no result */
} Ready;

typedef struct Worker {
    WorkerState state;
    Process process;
    WireReader in;
    WireWriter out;
    uint64_t id;           /* of the job, when busy or walking */
    const CompileJob *job; /* when busy or walking */
    Ready unprofiled;      /* the code whose profile is being made */
    double since_seconds;  /* time of the last change of state */
    double due_seconds;    /* when a worker at work is given up */
} Worker;

static void set_state(Worker *w, WorkerState state, double limit_seconds)
{
    w->state = state;
    w->since_seconds = clock_seconds();
    w->due_seconds = w->since_seconds + limit_seconds;
}

/* Starts the process of a worker, limited to `limit_bytes` of memory (0: unlimited). False with a message. */
static bool worker_start(Worker *w, const char *helper, const char *cuda_folder,
                         double limit_seconds, uint64_t limit_bytes, Diag *d)
{
    const char *arguments[] = {cuda_folder, NULL};
    *w = (Worker){0};
    if (!process_start(&w->process, helper, arguments, d))
        return false;
    process_limit_memory(&w->process, limit_bytes);
    w->in = wire_reader(w->process.fd);
    w->out = wire_writer(w->process.fd);
    set_state(w, WORKER_STARTING, limit_seconds);
    return true;
}

/* Seconds for a process to exit after it closed its socket, and to be gone once killed. */
static const double END_SECONDS = 1, KILL_SECONDS = 30;

static void worker_stop(Worker *w)
{
    process_stop(&w->process, KILL_SECONDS);
    wire_reader_free(&w->in);
    wire_writer_free(&w->out);
    *w = (Worker){0};
}

/* Sends a job to an idle worker. `code`: the compiled code if only the profile is wanted; else NULL. False
 * with a message: the request cannot be encoded. */
static bool worker_send(Worker *w, uint64_t id, const CompileJob *job, const CompileResult *code,
                        double limit_seconds, Diag *d)
{
    const CompileSource *source = job->source;
    CompileRequest q = {.id = id,
                        .name = source->name,
                        .source = source->text,
                        .options = job->options,
                        .names = job->names,
                        .headers = source->headers,
                        .profile = job->profile};
    if (code) {
        q.source = NULL;
        q.names = code->lowered;
        q.headers.count = 0;
        q.ptx = code->ptx;
        q.cubin = code->cubin;
        q.cubin_size = code->cubin_size;
    }
    SCOPED_BUF blob = {0};
    json_auto_t *header = request_json(&q, &blob);
    if (!wire_put(&w->out, header, (Blob){blob.text, blob.size}, d))
        return false;
    w->id = id;
    w->job = job;
    set_state(w, code ? WORKER_WALKING : WORKER_BUSY, limit_seconds);
    process_forget_words(&w->process);
    wire_flush(&w->out); /* a broken socket shows at the next read */
    return true;
}

enum {
    START_TRIES = 3,  /* workers that may die in a row before a job is finished */
    READY_LIMIT = 32, /* results kept before further cache look-ups */
    JOBS_LIMIT = 1024
};

typedef struct Item {
    uint64_t id;
    const CompileJob *job;
    Ready code; /* of a missed job: from the cache, which lacks its profile */
} Item;

/* A FIFO queue; `next` is its head. */
typedef struct Queue {
    VEC(Item) items;
    size_t next;
} Queue;

struct Farm {
    Arena *arena;
    FarmOptions options;
    Compiler compiler; /* identity NULL while unknown */
    bool asked_cache;  /* for the compiler, once */
    bool said_unknown; /* that a source cannot be cached, once */
    bool cache_full;   /* a write failed: no more writes */
    Queue added;       /* not looked up in the cache yet */
    Queue missed;      /* to be compiled */
    Queue ready;       /* only `code` is set: results to be taken */
    Worker *workers;   /* options.jobs of them */
    size_t pending;
    size_t started;
    int deaths;         /* consecutive deaths of workers with no job finished */
    bool due;           /* farm_service is due at once */
    const char *broken; /* why the farm cannot go on; NULL while it can */
};

/* Seconds for a helper's hello: a library of 100 MB may have to come from a slow disk. */
static const double HELLO_SECONDS = 10;

const char *farm_ask_compiler(Arena *a, const char *helper, const char *cuda_folder)
{
    Diag d = diag_new(a);
    Worker w = {0};
    WireMessage m = {0};
    const char *text = NULL;
    if (worker_start(&w, helper, cuda_folder, HELLO_SECONDS, 0, &d)) {
        if (wire_receive(&w.in, &m, HELLO_SECONDS) == WIRE_OK)
            text = compiler_describe(a, m.header);
        else
            diag_fail(&d, "aptune-compile sent no hello");
        wire_message_free(&m);
        worker_stop(&w);
    }
    return text ? text : arena_printf(a, "none: %s", diag_first(&d));
}

/* --- queues ----------------------------------------------------------------------------------- */

static size_t queue_count(const Queue *q)
{
    return q->items.count - q->next;
}

static Item queue_take(Queue *q)
{
    Item item = q->items.at[q->next++];
    if (q->next == q->items.count)
        q->next = q->items.count = 0;
    return item;
}

static void ready_add(Farm *f, const CompileResult *result, Arena *own)
{
    VEC_PUSH(f->arena, &f->ready.items, ((Item){.code = {*result, own}}));
}

/* --- life ------------------------------------------------------------------------------------- */

double farm_memory_share(double machine_gb, int jobs)
{
    return fmin(4, fmax(1, 0.75 * machine_gb / jobs));
}

Farm *farm_open(const FarmOptions *options)
{
    Arena *a = arena_new();
    Farm *f = ARENA_COPY(a, Farm, {.arena = a, .options = *options});
    FarmOptions *o = &f->options;
    o->helper = arena_string(a, options->helper);
    o->cuda_folder = options->cuda_folder ? arena_string(a, options->cuda_folder) : NULL;
    o->jobs = options->jobs > 0 ? options->jobs : process_processors();
    o->jobs = o->jobs < JOBS_LIMIT ? o->jobs : JOBS_LIMIT;
    o->limit_seconds = options->limit_seconds > 0 ? options->limit_seconds : 60;
    o->start_seconds = options->start_seconds > 0 ? options->start_seconds : 30;
    const double machine_gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    o->limit_gb =
        options->limit_gb > 0 ? options->limit_gb : farm_memory_share(machine_gb, o->jobs);
    f->workers = ARENA_ARRAY(a, Worker, (size_t)o->jobs);
    return f;
}

void farm_close(Farm *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->options.jobs; i++) {
        arena_free(f->workers[i].unprofiled.arena);
        worker_stop(&f->workers[i]);
    }
    while (queue_count(&f->missed))
        arena_free(queue_take(&f->missed).code.arena);
    while (queue_count(&f->ready))
        arena_free(queue_take(&f->ready).code.arena);
    arena_free(f->arena);
}

void farm_add(Farm *f, uint64_t id, const CompileJob *job)
{
    VEC_PUSH(f->arena, &f->added.items, ((Item){.id = id, .job = job}));
    f->pending++;
    f->due = true;
}

size_t farm_pending(const Farm *f)
{
    return f->pending;
}

size_t farm_started(const Farm *f)
{
    return f->started;
}

static bool set_broken(Farm *f, Diag *d, const char *why)
{
    f->broken = arena_string(f->arena, why);
    return diag_fail(d, "%s", f->broken);
}

/* --- the cache -------------------------------------------------------------------------------- */

static bool know_compiler(Farm *f)
{
    if (f->compiler.identity || !f->options.cache || f->asked_cache)
        return f->compiler.identity != NULL;
    f->asked_cache = true;
    return compiler_recall(f->arena, f->options.cache, f->options.helper, f->options.cuda_folder,
                           &f->compiler);
}

const char *farm_compiler(Farm *f, Arena *a)
{
    return know_compiler(f) ? arena_printf(a, "NVRTC %s", f->compiler.version) : NULL;
}

static bool is_cacheable(const Farm *f, const CompileJob *job)
{
    return f->options.cache && !job->unknown;
}

/* Looks a job up in the cache. True: all that it asks for is there; else code without its profile is left
 * in the item. */
static bool recall(Farm *f, Item *item, CompileResult *r, Arena *own)
{
    const CompileJob *job = item->job;
    Hash key = result_key(f->compiler.identity, job);
    if (job->profile) {
        Hash profile = profile_job_key(&key, job->profile);
        if (result_recall_profile(f->options.cache, own, &profile, job->profile->launch_count, r))
            return true;
    }
    if (!result_recall(f->options.cache, own, &key, r))
        return false;
    if (!job->profile || r->status != OUTCOME_COMPILED)
        return true;
    item->code = (Ready){*r, own};
    return false;
}

/* Adds a job's result to `ready` if the cache has it. */
static bool take_hit(Farm *f, Item *item)
{
    if (!is_cacheable(f, item->job))
        return false;
    Arena *own = arena_new();
    CompileResult r;
    bool hit = recall(f, item, &r, own);
    if (hit) {
        r.id = item->id;
        ready_add(f, &r, own);
    } else if (!item->code.arena) {
        arena_free(own);
    }
    return hit;
}

/* An unwritable cache costs time, not the run. */
static void warn_of_cache(Farm *f, const Diag *why, Diag *d)
{
    f->cache_full = true;
    diag_warn(d, (Span){0}, "compiled code is not kept for the next run: %s", diag_first(why));
}

/* Caches a reply, unless compiling again may give something else. Its id belongs to one request, not to the
 * cache. False with a message: the cache cannot be written. */
static bool keep_reply(const Cache *c, const Hash *key, const WireMessage *reply, Diag *d)
{
    if (json_is_false(json_object_get(reply->header, "lasting")))
        return true;
    json_auto_t *head = json_copy(reply->header);
    json_object_del(head, "id");
    return cache_put(c, key, head, reply->blob, d);
}

/* Stores a reply to a job: its code, or its profile. */
static void store(Farm *f, const CompileJob *job, bool profile, const WireMessage *reply, Diag *d)
{
    if (f->cache_full || !is_cacheable(f, job))
        return;
    SCOPED_ARENA *scratch = arena_new();
    Diag quiet = diag_new(scratch);
    Hash key = result_key(f->compiler.identity, job);
    if (profile)
        key = profile_job_key(&key, job->profile);
    if (!keep_reply(f->options.cache, &key, reply, &quiet))
        warn_of_cache(f, &quiet, d);
}

/* Warns once, of the first job: one macro in an include is enough to recompile a whole space in every run. */
static void warn_of_unknown(Farm *f, const CompileJob *job, Diag *d)
{
    if (!f->options.cache || !job->unknown || f->said_unknown)
        return;
    f->said_unknown = true;
    diag_warn(d, (Span){0}, "'%s' is recompiled in every run: %s", job->source->name, job->unknown);
}

/* --- replies of workers ------------------------------------------------------------------------ */

/* Adds the worker's code to `ready`, with its profile if it has one. */
static void deliver(Farm *f, Ready *code)
{
    ready_add(f, &code->result, code->arena);
    *code = (Ready){0};
    f->deaths = 0;
}

/* Ends a job without a reply. */
static void give_up(Farm *f, const Worker *w, Outcome status, const char *why)
{
    Arena *own = arena_new();
    deliver(f, &(Ready){{.id = w->id,
                         .status = status,
                         .log = arena_string(own, why),
                         .seconds = clock_seconds() - w->since_seconds},
                        own});
}

/* Passes code on without its profile. */
static void lose_profile(Farm *f, Ready *code, const char *why)
{
    code->result.profiled = PROFILE_LOST;
    code->result.lost = arena_string(code->arena, why);
    deliver(f, code);
}

/* Charges a lost worker to its job, to the profile of it, or to the tries to start. */
static bool charge(Farm *f, Worker *lost, const char *text, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    if (lost->state == WORKER_BUSY)
        give_up(f, lost, OUTCOME_COMPILE_CRASH, arena_printf(a, "the compiler crashed: %s", text));
    else if (lost->state == WORKER_WALKING)
        lose_profile(f, &lost->unprofiled, text);
    else if (++f->deaths >= START_TRIES)
        return set_broken(
            f, d,
            arena_printf(a, "the compile worker does not start (%d tries): %s", START_TRIES, text));
    return true;
}

/* Ends a worker that closed its socket, after a moment to exit by itself. */
static bool end_worker(Farm *f, Worker *w, bool in_a_message, Diag *d)
{
    Worker lost = *w; /* worker_stop clears it */
    SCOPED_BUF text = {0};
    buf_printf(&text, "%s %s", f->options.helper,
               in_a_message ? "stopped in the middle of a message and " : "");
    if (!process_wait(&w->process, END_SECONDS))
        process_kill(&w->process, KILL_SECONDS);
    process_describe(&w->process, &text);
    worker_stop(w);
    return charge(f, &lost, buf_text(&text), d);
}

/* Kills a worker because of what it `did`. */
static bool dismiss_worker(Farm *f, Worker *w, const char *did, Diag *d)
{
    Worker lost = *w;
    SCOPED_BUF text = {0};
    buf_printf(&text, "%s %s", f->options.helper, did);
    process_quote_words(&w->process, &text);
    worker_stop(w);
    return charge(f, &lost, buf_text(&text), d);
}

static bool take_hello(Farm *f, Worker *w, const json_t *hello, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    Diag quiet = diag_new(scratch);
    if (!compiler_read(f->arena, hello, &f->compiler, &quiet))
        return set_broken(f, d, diag_first(&quiet));
    set_state(w, WORKER_IDLE, 0);
    if (f->options.cache && !f->cache_full &&
        !compiler_note(f->options.cache, f->options.helper, f->options.cuda_folder, hello, &quiet))
        warn_of_cache(f, &quiet, d);
    return true;
}

/* True if a message is about the worker's job. */
static bool is_ours(const Worker *w, const WireMessage *m)
{
    const json_t *id = json_object_get(m->header, "id");
    return json_is_integer(id) && (uint64_t)json_integer_value(id) == w->id;
}

static bool take_reply(Farm *f, Worker *w, const WireMessage *m, Diag *d)
{
    Arena *own = arena_new();
    CompileResult r;
    if (!is_ours(w, m) || !result_read(own, m, &r)) {
        arena_free(own);
        return dismiss_worker(f, w, "sent a reply that does not match the request", d);
    }
    r.id = w->id;
    store(f, w->job, false, m, d);
    w->unprofiled = (Ready){r, own};
    if (w->job->profile && r.status == OUTCOME_COMPILED) {
        set_state(w, WORKER_WALKING, f->options.limit_seconds);
        return true;
    }
    deliver(f, &w->unprofiled);
    set_state(w, WORKER_IDLE, 0);
    return true;
}

static bool take_profile(Farm *f, Worker *w, const WireMessage *m, Diag *d)
{
    Ready *unprofiled = &w->unprofiled;
    if (!is_ours(w, m) || !result_read_profile(unprofiled->arena, m, w->job->profile->launch_count,
                                               &unprofiled->result))
        return dismiss_worker(f, w, "sent a profile that does not match the request", d);
    if (unprofiled->result.profiled == PROFILE_OK)
        store(f, w->job, true, m, d);
    deliver(f, unprofiled);
    set_state(w, WORKER_IDLE, 0);
    return true;
}

static bool take_message(Farm *f, Worker *w, const WireMessage *m, Diag *d)
{
    switch (w->state) {
    case WORKER_STARTING:
        return take_hello(f, w, m->header, d);
    case WORKER_BUSY:
        return take_reply(f, w, m, d);
    case WORKER_WALKING:
        return take_profile(f, w, m, d);
    case WORKER_IDLE:
    case WORKER_NONE:
        break;
    }
    return dismiss_worker(f, w, "sent a message unasked", d);
}

static bool is_at_work(const Worker *w)
{
    return w->state == WORKER_STARTING || w->state == WORKER_BUSY || w->state == WORKER_WALKING;
}

static bool check_time(Farm *f, Worker *w, Diag *d)
{
    if (!is_at_work(w) || clock_seconds() < w->due_seconds)
        return true;
    SCOPED_ARENA *a = arena_new();
    const double limit = f->options.limit_seconds;
    if (w->state == WORKER_STARTING)
        return dismiss_worker(
            f, w, arena_printf(a, "said nothing for %g s", f->options.start_seconds), d);
    if (w->state == WORKER_WALKING)
        lose_profile(f, &w->unprofiled,
                     arena_printf(a, "following its warps took longer than %g s", limit));
    else if (process_was_stopped(&w->process))
        give_up(f, w, OUTCOME_COMPILE_CRASH, "the compiler was stopped by a signal");
    else
        give_up(f, w, OUTCOME_COMPILE_TIMEOUT,
                arena_printf(a, "the compiler took longer than %g s", limit));
    worker_stop(w);
    return true;
}

static bool reject_garbage(Farm *f, Worker *w, Diag *d)
{
    SCOPED_BUF did = {0};
    buf_puts(&did, "sent something that is not a message: '");
    wire_quote(&w->in, &did);
    buf_putc(&did, '\'');
    return dismiss_worker(f, w, buf_text(&did), d);
}

static bool serve_worker(Farm *f, Worker *w, Diag *d)
{
    WireStatus status = WIRE_OK;
    bool ok = true;
    /* Code and profile may have come together, and poll does not report what was already read. */
    while (ok && status == WIRE_OK && w->state != WORKER_NONE) {
        WireMessage m;
        wire_flush(&w->out);
        status = wire_receive(&w->in, &m, 0);
        switch (status) {
        case WIRE_OK:
            ok = take_message(f, w, &m, d);
            break;
        case WIRE_MORE:
            ok = check_time(f, w, d);
            break;
        case WIRE_END:
            ok = end_worker(f, w, false, d);
            break;
        case WIRE_CUT:
            ok = end_worker(f, w, true, d);
            break;
        case WIRE_GARBAGE:
            ok = reject_garbage(f, w, d);
            break;
        }
        wire_message_free(&m);
    }
    return ok;
}

/* --- giving out work -------------------------------------------------------------------------- */

static int count_workers(const Farm *f, WorkerState state)
{
    int count = 0;
    for (int i = 0; i < f->options.jobs; i++)
        count += f->workers[i].state == state;
    return count;
}

/* Looks jobs up in the cache, no further ahead than workers and the caller can follow. */
static void look_up(Farm *f, Diag *d)
{
    while (queue_count(&f->added) && queue_count(&f->ready) < READY_LIMIT &&
           queue_count(&f->missed) < (size_t)f->options.jobs) {
        Item next = f->added.items.at[f->added.next];
        if (is_cacheable(f, next.job) && !know_compiler(f))
            return;
        queue_take(&f->added);
        warn_of_unknown(f, next.job, d);
        if (!take_hit(f, &next))
            VEC_PUSH(f->arena, &f->missed.items, next);
    }
}

/* Number of workers to start; one if only a worker can tell which compiler there is. */
static int workers_wanted(const Farm *f)
{
    size_t work = queue_count(&f->missed);
    if (work == 0 && queue_count(&f->added) && !f->compiler.identity)
        work = 1;
    int at_hand = count_workers(f, WORKER_STARTING) + count_workers(f, WORKER_IDLE);
    return work > (size_t)at_hand ? (int)work - at_hand : 0;
}

/* Starts one more worker. If the system has no room for it, fewer have to do. */
static bool start_worker(Farm *f, Worker *w, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    Diag quiet = diag_new(scratch);
    const FarmOptions *o = &f->options;
    bool ok = worker_start(w, o->helper, o->cuda_folder, o->start_seconds,
                           (uint64_t)(o->limit_gb * 1e9), &quiet);
    f->started += ok;
    if (!ok && count_workers(f, WORKER_NONE) == o->jobs)
        set_broken(f, d, diag_first(&quiet));
    return ok;
}

static bool start_workers(Farm *f, Diag *d)
{
    int wanted = workers_wanted(f);
    for (int i = 0; i < f->options.jobs && wanted > 0; i++) {
        if (f->workers[i].state != WORKER_NONE)
            continue;
        if (!start_worker(f, &f->workers[i], d))
            break;
        wanted--;
    }
    return !f->broken;
}

/* A request that cannot be encoded fails its own configuration only. */
static void send_job(Farm *f, Worker *w, Item item)
{
    Ready code = item.code;
    Arena *own = code.arena ? code.arena : arena_new();
    Diag quiet = diag_new(own);
    code.result.id = item.id;
    if (worker_send(w, item.id, item.job, code.arena ? &code.result : NULL,
                    f->options.limit_seconds, &quiet)) {
        w->unprofiled = code;
        if (!code.arena)
            arena_free(own);
        return;
    }
    CompileResult r = {.id = item.id, .status = OUTCOME_COMPILE_ERROR, .log = diag_first(&quiet)};
    ready_add(f, &r, own);
}

bool farm_service(Farm *f, Diag *d)
{
    if (f->broken)
        return diag_fail(d, "%s", f->broken);
    f->due = false;
    bool ok = true;
    for (int i = 0; i < f->options.jobs && ok; i++)
        ok = serve_worker(f, &f->workers[i], d);
    if (!ok)
        return false;
    look_up(f, d);
    for (int i = 0; i < f->options.jobs && queue_count(&f->missed); i++)
        if (f->workers[i].state == WORKER_IDLE)
            send_job(f, &f->workers[i], queue_take(&f->missed));
    look_up(f, d);
    return start_workers(f, d);
}

/* --- for the caller's loop -------------------------------------------------------------------- */

void farm_await(const Farm *f, Waits *w)
{
    const double now = clock_seconds();
    if (f->due || queue_count(&f->ready))
        waits_lower(w, 0);
    for (int i = 0; i < f->options.jobs && f->pending; i++) {
        const Worker *x = &f->workers[i];
        if (is_at_work(x))
            waits_lower(w, fmax(0, x->due_seconds - now));
        if (x->state != WORKER_NONE)
            waits_add(w, x->process.fd, wire_pending(&x->out) ? POLLIN | POLLOUT : POLLIN);
    }
}

bool farm_take(Farm *f, Arena *a, CompileResult *out)
{
    if (!queue_count(&f->ready))
        return false;
    Ready r = queue_take(&f->ready).code;
    *out = r.result;
    arena_take(a, r.arena);
    f->pending--;
    f->due = f->due || queue_count(&f->added);
    return true;
}

bool farm_next(Farm *f, Arena *a, CompileResult *out, Diag *d)
{
    while (!farm_take(f, a, out)) {
        if (f->pending == 0 || !farm_service(f, d))
            return false;
        Waits w = waits_new(-1);
        farm_await(f, &w);
        waits_end(&w);
    }
    return true;
}

#include "tuner/compile/worker.h"

#include "metrics/base/clock.h"
#include "tuner/compile/protocol.h"

#include <poll.h>
#include <string.h>
#include <sys/resource.h>

static void set_state(Worker *w, WorkerState state, double limit_seconds)
{
    w->state = state;
    w->since_seconds = clock_seconds();
    w->due_seconds = w->since_seconds + limit_seconds;
}

/* A template can make a compiler take all there is.  What is beyond the limit fails in the worker,
 * as it would on a smaller machine.  AddressSanitizer's own tables would count, too. */
static void limit_memory(pid_t pid, uint64_t bytes)
{
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit limit = {bytes, bytes};
    if (bytes > 0)
        prlimit(pid, RLIMIT_DATA, &limit, NULL);
#else
    (void)pid;
    (void)bytes;
#endif
}

bool worker_start(Worker *w, const char *helper, const char *cuda_folder, double limit_seconds,
                  uint64_t limit_bytes, Diag *d)
{
    const char *arguments[] = {cuda_folder, NULL};
    *w = (Worker){0};
    if (!process_start(&w->process, helper, arguments, d))
        return false;
    limit_memory(w->process.pid, limit_bytes);
    w->in = wire_reader(w->process.fd);
    w->out = wire_writer(w->process.fd);
    set_state(w, WORKER_STARTING, limit_seconds);
    return true;
}

/* Seconds for a process to end by itself after it closed its socket, and to be gone once killed. */
static const double END_SECONDS = 1, KILL_SECONDS = 30;

void worker_stop(Worker *w)
{
    process_stop(&w->process, KILL_SECONDS);
    wire_reader_free(&w->in);
    wire_writer_free(&w->out);
    *w = (Worker){0};
}

const char *worker_end(Worker *w, Arena *a)
{
    Buf how = {0};
    if (!process_wait(&w->process, END_SECONDS))
        process_kill(&w->process, KILL_SECONDS);
    process_describe(&w->process, &how);
    worker_stop(w);
    const char *text = arena_string(a, buf_text(&how));
    buf_free(&how);
    return text;
}

static json_t *request_header(uint64_t id, const CompileJob *job, Buf *parameters)
{
    json_t *header = json_pack("{s:I}", "id", (json_int_t)id);
    if (job->profile)
        json_object_set_new(header, "profile", profile_job_json(job->profile, parameters));
    return header;
}

bool worker_send(Worker *w, uint64_t id, const CompileJob *job, const CompileResult *code,
                 double limit_seconds, Diag *d)
{
    const CompileSource *source = job->source;
    Buf options = {0}, names = {0}, headers = {0}, parameters = {0};
    json_t *header = request_header(id, job, &parameters);
    wire_pack_texts(&options, job->options, job->option_count);
    wire_pack_texts(&names, code ? code->lowered : job->names,
                    code ? code->lowered_count : job->name_count);
    wire_pack_texts(&headers, source->headers, code ? 0 : 2 * source->header_count);
    const Blob blobs[COMPILE_REQUEST_BLOBS] = {
        [COMPILE_NAME] = {source->name, strlen(source->name)},
        [COMPILE_SOURCE] = {source->text, code ? 0 : source->size},
        [COMPILE_OPTIONS] = {options.text, options.size},
        [COMPILE_NAMES] = {names.text, names.size},
        [COMPILE_HEADERS] = {headers.text, headers.size},
        [COMPILE_PARAMETERS] = {parameters.text, parameters.size},
        [COMPILE_HAVE_PTX] = {code ? code->ptx : NULL, code ? code->ptx_size : 0},
        [COMPILE_HAVE_CUBIN] = {code ? code->cubin : NULL, code ? code->cubin_size : 0},
    };
    bool ok = wire_put(&w->out, header, blobs, COMPILE_REQUEST_BLOBS, d);
    json_decref(header);
    buf_free(&options);
    buf_free(&names);
    buf_free(&headers);
    buf_free(&parameters);
    if (!ok)
        return false;
    w->id = id;
    w->job = job;
    set_state(w, code ? WORKER_WALKING : WORKER_BUSY, limit_seconds);
    process_forget_words(&w->process);
    wire_flush(&w->out); /* a broken socket shows when the worker is read next */
    return true;
}

void worker_set_walking(Worker *w, double limit_seconds)
{
    set_state(w, WORKER_WALKING, limit_seconds);
}

void worker_set_idle(Worker *w)
{
    set_state(w, WORKER_IDLE, 0);
    w->job = NULL;
}

WireStatus worker_receive(Worker *w, WireMessage *m)
{
    wire_flush(&w->out);
    return wire_receive(&w->in, m, 0);
}

short worker_events(const Worker *w)
{
    return wire_pending(&w->out) ? POLLIN | POLLOUT : POLLIN;
}

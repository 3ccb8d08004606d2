#include "tuner/compile/worker.h"

#include "metrics/base/clock.h"
#include "tuner/compile/protocol.h"

#include <poll.h>
#include <string.h>

static void set_state(Worker *w, WorkerState state, double limit_seconds)
{
    w->state = state;
    w->since_seconds = clock_seconds();
    w->due_seconds = w->since_seconds + limit_seconds;
}

bool worker_start(Worker *w, const char *helper, const char *cuda_folder, double limit_seconds,
                  Diag *d)
{
    const char *arguments[] = {cuda_folder, NULL};
    *w = (Worker){0};
    if (!helper_start(&w->process, helper, arguments, d))
        return false;
    set_state(w, WORKER_STARTING, limit_seconds);
    return true;
}

const char *worker_stop(Worker *w, Arena *a)
{
    const char *how = helper_end(&w->process, a);
    cwire_reader_free(&w->in);
    buf_free(&w->out.bytes);
    *w = (Worker){0};
    return how;
}

static json_t *request_head(uint64_t id)
{
    return json_pack("{s:I}", "id", (json_int_t)id);
}

bool worker_send(Worker *w, uint64_t id, const CompileJob *job, double limit_seconds, Diag *d)
{
    Buf options = {0}, names = {0};
    cwire_pack_texts(&options, job->options, job->option_count);
    cwire_pack_texts(&names, job->names, job->name_count);
    const Blob blobs[COMPILE_REQUEST_BLOBS] = {
        [COMPILE_NAME] = {job->source->name, strlen(job->source->name)},
        [COMPILE_SOURCE] = {job->source->text, job->source->size},
        [COMPILE_OPTIONS] = {options.text, options.size},
        [COMPILE_NAMES] = {names.text, names.size},
    };
    json_t *head = request_head(id);
    bool ok = cwire_encode(&w->out.bytes, head, blobs, COMPILE_REQUEST_BLOBS, d);
    json_decref(head);
    buf_free(&options);
    buf_free(&names);
    if (!ok)
        return false;
    w->id = id;
    w->job = job;
    set_state(w, WORKER_BUSY, limit_seconds);
    /* A broken socket shows when the worker is read next. */
    cwire_flush(&w->out, w->process.fd);
    return true;
}

void worker_set_idle(Worker *w)
{
    set_state(w, WORKER_IDLE, 0);
    w->job = NULL;
}

CWireStatus worker_receive(Worker *w, CWireMessage *m, Diag *d)
{
    cwire_flush(&w->out, w->process.fd);
    size_t before;
    do {
        before = w->in.bytes.size;
        cwire_fill(&w->in, w->process.fd);
    } while (!w->in.ended && w->in.bytes.size > before);
    return cwire_take(&w->in, m, d);
}

short worker_events(const Worker *w)
{
    return cwire_pending(&w->out) ? POLLIN | POLLOUT : POLLIN;
}

#include "sample.h"

#include "tuner/gpu/sampling.h"

/* --- the cache ------------------------------------------------------------------------------ */

enum { FLUSH_LEAST = 1 << 20 };

static DriverStatus ensure_flush(Bench *b)
{
    if (b->flush)
        return DRIVER_OK;
    b->flush_bytes = b->l2_bytes > FLUSH_LEAST ? 2 * (size_t)b->l2_bytes : 2 * FLUSH_LEAST;
    driver_alloc(b->driver, b->flush_bytes, &b->flush);
    return driver_set_bytes(b->driver, b->flush, 0, b->flush_bytes);
}

static void flush(Bench *b)
{
    verify_touch(&b->problem->verifier, b->flush, b->flush_bytes);
}

/* --- one sample ----------------------------------------------------------------------------- */

static void ensure_events(Bench *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!b->events[i])
            driver_event_new(b->driver, &b->events[i]);
}

void sampler_give(const Sampler *s)
{
    if (s->graph)
        driver_graph_launch(s->bench->driver, s->graph);
    for (int i = 0; !s->graph && i < s->batch; i++)
        ready_launch(s->bench->driver, s->run);
}

/* What has to be so before a sample begins, then the sample between two events. */
static void give_sample(Sampler *s, DriverEvent *from, DriverEvent *to)
{
    Bench *b = s->bench;
    problem_restore(b->problem);
    if (s->cold)
        flush(b);
    driver_event_record(b->driver, from);
    sampler_give(s);
    driver_event_record(b->driver, to);
}

static DriverStatus take_queue(Sampler *s, size_t count, double *ms)
{
    Bench *b = s->bench;
    ensure_events(b, 2 * count);
    for (size_t i = 0; i < count; i++)
        give_sample(s, b->events[2 * i], b->events[2 * i + 1]);
    if (!driver_status(b->driver))
        nvml_sample(b->nvml); /* while the device works */
    driver_wait(b->driver);
    for (size_t i = 0; i < count; i++) {
        double all_ms = 0;
        driver_event_ms(b->driver, b->events[2 * i], b->events[2 * i + 1], &all_ms);
        ms[i] = all_ms / s->batch;
    }
    return driver_status(b->driver);
}

DriverStatus sampler_take(Sampler *s, size_t count, double *ms)
{
    DriverStatus status = DRIVER_OK;
    for (size_t done = 0; status == DRIVER_OK && done < count; done += SAMPLE_QUEUE) {
        size_t left = count - done;
        status = take_queue(s, left < SAMPLE_QUEUE ? left : SAMPLE_QUEUE, ms + done);
    }
    return status;
}

DriverStatus sample_once(Bench *b, const ReadyRun *run, double *ms)
{
    ensure_events(b, 2);
    driver_event_record(b->driver, b->events[0]);
    ready_launch(b->driver, run);
    driver_event_record(b->driver, b->events[1]);
    driver_wait(b->driver);
    return driver_event_ms(b->driver, b->events[0], b->events[1], ms);
}

/* --- getting ready -------------------------------------------------------------------------- */

/* A graph that cannot be made is no failure: the launches are given one by one then. */
static DriverStatus make_graph(Sampler *s)
{
    Driver *v = s->bench->driver;
    driver_capture(v);
    sampler_give(s);
    DriverGraph *graph = NULL;
    driver_capture_end(v, &graph);
    s->graph = graph;
    driver_go_on(v);
    return driver_status(v);
}

/* What launches cost the host, and how many a run has; a library's call is taken to have a few. */
static int64_t launches_of(const ReadyRun *run)
{
    enum { RIVALS_LAUNCHES = 4 };
    int64_t n = run->rival ? RIVALS_LAUNCHES : 0;
    for (size_t i = 0; i < run->launch_count; i++)
        n += run->launches[i].task->repeat > 0 ? run->launches[i].task->repeat : 1;
    return n > 0 ? n : 1;
}

static int batch_of(const Sampler *s, double sample_ms, double run_ms)
{
    int64_t most = SAMPLING_BATCH_MOST / launches_of(s->run);
    int batch = sampling_batch(sample_ms, run_ms);
    return most < 1 ? 1 : batch > most ? (int)most : batch;
}

/* A first run is slow for its code's way to the device; the fastest of a few is not. */
static DriverStatus probe(Sampler *s, double *run_ms)
{
    enum { PROBES = 3 };
    double ms[PROBES];
    DriverStatus status = sampler_take(s, PROBES, ms);
    for (int i = 0; status == DRIVER_OK && i < PROBES; i++)
        *run_ms = i == 0 || ms[i] < *run_ms ? ms[i] : *run_ms;
    return status;
}

DriverStatus sampler_open(Sampler *s, Bench *b, const ReadyRun *run, bool cold, double sample_ms,
                          double run_ms)
{
    *s = (Sampler){.bench = b, .run = run, .cold = cold, .batch = 1};
    if (cold)
        return ensure_flush(b);
    if (problem_is_restored(b->problem) || run_ms >= sample_ms)
        return DRIVER_OK;
    DriverStatus status = probe(s, &run_ms);
    if (status || run_ms >= sample_ms)
        return status;
    s->run_ms = run_ms;
    s->batch = batch_of(s, sample_ms, run_ms);
    return s->batch > 1 ? make_graph(s) : DRIVER_OK;
}

void sampler_close(Sampler *s)
{
    if (s->bench)
        driver_graph_free(s->bench->driver, s->graph);
    *s = (Sampler){0};
}

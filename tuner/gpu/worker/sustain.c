#include "sample.h"

#include "metrics/base/clock.h"
#include "tuner/gpu/sampling.h"

#include <math.h>

/* Pieces of work that are queued on the device. */
enum { QUEUE_LEAST = 2, QUEUE_MOST = 200, MARKS = QUEUE_MOST + 2 };

/* A piece is long compared with its cost on the host, and short enough to catch changes of the counter.  The
 * queue is longer than any delay of the host that was seen. */
static const double piece_ms = 10, queue_ms = 500;

/* Far more often than the counter changes; a query costs the host up to a millisecond. */
static const double query_every_s = 0.005;

/* After a slower answer it is not known at which moment the counter had its value. */
static const double answer_s = 0.02;

/* --- power from the energy counter ------------------------------------------------------------ */

enum { POINTS_LEAST = 3 };

/* Sums for a least-squares line, of times and joules relative to the first point. */
typedef struct Slope {
    double t0, j0, last;
    double n, t, j, tt, tj;
} Slope;

static void note_joules(Slope *s, double t, double joules)
{
    if (isnan(joules) || joules == s->last)
        return;
    if (s->last == 0) { /* it is not known when the counter reached its first value */
        s->last = joules;
        return;
    }
    s->last = joules;
    if (s->n == 0) {
        s->t0 = t;
        s->j0 = joules;
    }
    t -= s->t0;
    joules -= s->j0;
    s->n += 1;
    s->t += t;
    s->j += joules;
    s->tt += t * t;
    s->tj += t * joules;
}

static double slope_of(const Slope *s)
{
    double spread = s->n * s->tt - s->t * s->t;
    return s->n >= POINTS_LEAST && spread > 0 ? (s->n * s->tj - s->t * s->j) / spread : NAN;
}

/* --- keeping the device busy ------------------------------------------------------------------ */

typedef VEC(double) Pieces;

typedef struct Stretch {
    Arena *arena;
    Sampler sampler;
    DriverEvent *marks[MARKS]; /* the end of a piece */
    int64_t submitted, ended;
    double least_ms; /* the fastest piece, without idle time; 0: none has ended */

    /* Measured. */
    Pieces pieces; /* ms of each */
    Slope slope;
    double clock_sum, queries, next_query;
    unsigned throttle;
} Stretch;

static DriverStatus submit_piece(Stretch *x)
{
    Bench *b = x->sampler.bench;
    problem_reset(b->problem, RESET_CONTENTS);
    sampler_submit(&x->sampler);
    return driver_event_record(b->driver, x->marks[x->submitted++ % MARKS]);
}

static int64_t queue_length(const Stretch *x)
{
    double pieces = x->least_ms > 0 ? queue_ms / x->least_ms : QUEUE_LEAST;
    return pieces < QUEUE_LEAST ? QUEUE_LEAST : pieces > QUEUE_MOST ? QUEUE_MOST : (int64_t)pieces;
}

/* Waits for the oldest piece. */
static DriverStatus end_piece(Stretch *x)
{
    Driver *v = x->sampler.bench->driver;
    DriverEvent *mark = x->marks[x->ended % MARKS];
    DriverStatus s = driver_event_wait(v, mark);
    double ms = 0;
    if (!s && x->ended > 0)
        s = driver_event_ms(v, x->marks[(x->ended - 1) % MARKS], mark, &ms);
    x->ended++;
    if (s || !(ms > 0))
        return s;
    x->least_ms = x->least_ms > 0 ? fmin(x->least_ms, ms) : ms;
    VEC_PUSH(x->arena, &x->pieces, ms);
    return s;
}

/* Fills the queue, then waits until it has room for another piece. */
static DriverStatus advance(Stretch *x)
{
    DriverStatus s = submit_piece(x);
    while (!s && x->submitted - x->ended < queue_length(x))
        s = submit_piece(x);
    while (!s && x->submitted - x->ended >= queue_length(x))
        s = end_piece(x);
    return s;
}

/* --- measuring -------------------------------------------------------------------------------- */

static DriverStatus warm_up(Stretch *x, double seconds)
{
    Nvml *n = x->sampler.bench->nvml;
    const double still_s = seconds / 3, start = clock_seconds(), end = start + 2 * seconds;
    double temperature = 0, since = start, now = start;
    DriverStatus s = DRIVER_OK;
    for (; !s && now < end && now - since < still_s; now = clock_seconds()) {
        s = advance(x);
        nvml_sample(n);
        if (nvml_health(n).temperature_c != temperature) {
            temperature = nvml_health(n).temperature_c;
            since = clock_seconds();
        }
    }
    return s;
}

/* Queries the device; called after a piece has ended. */
static void query(Stretch *x)
{
    Nvml *n = x->sampler.bench->nvml;
    double asked = clock_seconds();
    if (asked < x->next_query)
        return;
    x->next_query = asked + query_every_s;
    double joules = nvml_joules(n), told = clock_seconds();
    if (told - asked <= answer_s)
        note_joules(&x->slope, (asked + told) / 2, joules);
    nvml_sample(n);
    GpuHealth h = nvml_health(n);
    x->clock_sum += h.clock_mhz;
    x->throttle |= h.throttle;
    x->queries += 1;
}

static DriverStatus count(Stretch *x, double seconds)
{
    const double end = clock_seconds() + seconds;
    DriverStatus s = DRIVER_OK;
    x->pieces.count = 0;
    x->slope = (Slope){0};
    x->clock_sum = x->queries = 0;
    x->throttle = 0;
    while (!s && (clock_seconds() < end || x->pieces.count <= POINTS_LEAST)) {
        s = advance(x);
        if (!s)
            query(x);
    }
    return s;
}

static TrialSustained counted(const Stretch *x)
{
    TrialSustained t = {.power_w = NAN, .joules = NAN};
    double ms = 0;
    for (size_t i = 0; i < x->pieces.count; i++)
        ms += x->pieces.at[i];
    if (x->pieces.count == 0)
        return t;
    t.runs = (int64_t)x->pieces.count * x->sampler.batch;
    t.ms = ms / (double)t.runs;
    t.idle = sampling_idle(x->pieces.at, x->pieces.count);
    t.power_w = slope_of(&x->slope);
    t.joules = t.power_w * t.ms * 1e-3;
    t.clock_mhz = x->queries > 0 ? x->clock_sum / x->queries : 0;
    t.throttle = x->throttle;
    return t;
}

/* A library may behave differently in a graph, so its calls are submitted one by one, unless they are too
 * short for the host to keep ahead.  (Driver copies on an H200: in graphs, two of them queued, 1.5 to 1.9
 * times the time of a single one; one by one, half a second queued, 1.00.) */
static void call_directly(Sampler *s)
{
    const double call_ms = 0.02;
    if (!s->run->rival || s->run_ms < call_ms)
        return;
    driver_graph_free(s->bench->driver, s->graph);
    s->graph = NULL;
}

static DriverStatus measure(Stretch *x, double seconds, TrialSustained *out)
{
    enum { TRIES = 3 };
    const double idle_most = 0.01;
    DriverStatus s = warm_up(x, seconds);
    for (int i = 0; !s && i < TRIES && (i == 0 || out->idle > idle_most); i++) {
        s = count(x, seconds);
        TrialSustained t = counted(x);
        if (!s && (i == 0 || t.idle < out->idle))
            *out = t;
    }
    return driver_wait(x->sampler.bench->driver);
}

DriverStatus sustain(Arena *a, Bench *b, const ReadyRun *run, double seconds, TrialSustained *out)
{
    Stretch x = {.arena = a};
    *out = (TrialSustained){.power_w = NAN, .joules = NAN};
    DriverStatus s = sampler_open(&x.sampler, b, run, false, piece_ms, 0);
    if (!s)
        call_directly(&x.sampler);
    for (int i = 0; s == DRIVER_OK && i < MARKS; i++)
        s = driver_event_new(b->driver, &x.marks[i]);
    if (!s)
        s = measure(&x, seconds, out);
    for (int i = 0; i < MARKS; i++)
        driver_event_free(b->driver, x.marks[i]);
    sampler_close(&x.sampler);
    return s;
}

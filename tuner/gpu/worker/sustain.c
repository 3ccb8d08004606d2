#include "sustain.h"

#include "tuner/base/clock.h"

#include <math.h>

/* Pieces of work that the device has before it while another is waited for. */
enum { AHEAD = 2, PIECES = AHEAD + 1 };

/* Long enough to hide what a piece costs the host, short enough to see the counter change. */
static const double piece_ms = 10;

/* The counter's line: sums for the least squares, of times and joules from the first point on. */
typedef struct Slope {
    double t0, j0, last;
    double n, t, j, tt, tj;
} Slope;

static void note_joules(Slope *s, double t, double joules)
{
    if (isnan(joules) || joules == s->last)
        return;
    if (s->last == 0) { /* how long it has stood there already is not known */
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
    enum { POINTS_LEAST = 3 };
    double spread = s->n * s->tt - s->t * s->t;
    return s->n >= POINTS_LEAST && spread > 0 ? (s->n * s->tj - s->t * s->j) / spread : NAN;
}

typedef struct Stretch {
    Sampler sampler;
    DriverEvent *marks[PIECES]; /* the end of a piece */
    DriverEvent *from;          /* where counting begins */
    int64_t given, counted_from;
    Slope slope;
    double clock_sum, looks;
    unsigned brakes;
} Stretch;

static DriverStatus give_piece(Stretch *x)
{
    Bench *b = x->sampler.bench;
    DriverStatus s = problem_restore(b->problem);
    if (!s)
        s = sampler_give(&x->sampler);
    return s ? s : driver_event_record(b->driver, x->marks[x->given++ % PIECES]);
}

/* What the device says of itself, once a piece has ended. */
static void look(Stretch *x)
{
    Nvml *n = x->sampler.bench->nvml;
    double joules = nvml_joules(n);
    note_joules(&x->slope, clock_seconds(), joules);
    nvml_look(n);
    GpuHealth h = nvml_health(n);
    x->clock_sum += h.clock_mhz;
    x->brakes |= h.brakes;
    x->looks += 1;
}

/* Keeps the device busy until `end`; with `counted` what it says is noted. */
static DriverStatus keep_busy(Stretch *x, double end, bool counted)
{
    Driver *v = x->sampler.bench->driver;
    DriverStatus s = DRIVER_OK;
    while (s == DRIVER_OK && clock_seconds() < end) {
        s = give_piece(x);
        if (!s && x->given > AHEAD)
            s = driver_event_wait(v, x->marks[(x->given - 1 - AHEAD) % PIECES]);
        if (!s && counted)
            look(x);
    }
    return s;
}

static DriverStatus measure(Stretch *x, double seconds, TrialSustained *out)
{
    Driver *v = x->sampler.bench->driver;
    double start = clock_seconds(), ms = 0;
    DriverStatus s = keep_busy(x, start + seconds / 3, false);
    if (!s)
        s = driver_event_record(v, x->from);
    x->counted_from = x->given;
    if (!s)
        s = keep_busy(x, clock_seconds() + seconds, true);
    if (!s)
        s = driver_wait(v);
    if (s || x->given == x->counted_from)
        return s;
    s = driver_event_ms(v, x->from, x->marks[(x->given - 1) % PIECES], &ms);
    out->runs = (x->given - x->counted_from) * x->sampler.batch;
    out->ms = ms / (double)out->runs;
    out->power_w = slope_of(&x->slope);
    out->joules = out->power_w * out->ms * 1e-3;
    out->clock_mhz = x->looks > 0 ? x->clock_sum / x->looks : 0;
    out->brakes = x->brakes;
    return s;
}

DriverStatus sustain(Bench *b, const ReadyRun *run, double seconds, TrialSustained *out)
{
    Stretch x = {0};
    *out = (TrialSustained){.power_w = NAN, .joules = NAN};
    DriverStatus s = sampler_open(&x.sampler, b, run, false, piece_ms, 0);
    if (!s)
        s = driver_event_new(b->driver, &x.from);
    for (int i = 0; s == DRIVER_OK && i < PIECES; i++)
        s = driver_event_new(b->driver, &x.marks[i]);
    if (!s)
        s = measure(&x, seconds, out);
    driver_event_free(b->driver, x.from);
    for (int i = 0; i < PIECES; i++)
        driver_event_free(b->driver, x.marks[i]);
    sampler_close(&x.sampler);
    return s;
}

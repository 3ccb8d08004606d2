/* The ledger: where the time of a run went, by stage and resource, and what carving saved. */
#include "tuner/output/report_parts.h"

#include "metrics/base/clock.h"

static const char *const stages[LEDGER_STAGES] = {
    [LEDGER_CONSTRUCT] = "construct", [LEDGER_COMPILE] = "compile", [LEDGER_PROFILE] = "profile",
    [LEDGER_CARVE] = "carve",         [LEDGER_TIME] = "time",
};

static GpuSeconds seconds_of_gpu(const RunGpu *g, double now)
{
    return (GpuSeconds){g->timed_s, g->busy_s - g->timed_s, now - g->opened - g->busy_s};
}

const char *report_stage_name(LedgerStage stage)
{
    return stages[stage];
}

GpuSeconds report_gpu_seconds(const Run *r)
{
    GpuSeconds sum = {0};
    double now = clock_seconds();
    for (size_t i = 0; i < r->gpu_count; i++) {
        GpuSeconds one = seconds_of_gpu(&r->gpus[i], now);
        sum.timed += one.timed;
        sum.verify += one.verify;
        sum.idle += one.idle;
    }
    return sum;
}

static void print_cell(Buf *out, double seconds)
{
    if (seconds < 0)
        buf_printf(out, " %11s", "");
    else
        buf_printf(out, " %11.2f", seconds);
}

/* Negative cells are blank; a negative GPU cell is left out. */
static void print_row(Buf *out, const char *name, double wall, double cores, double gpu,
                      const char *note)
{
    buf_printf(out, "  %-10s", name);
    print_cell(out, wall);
    print_cell(out, cores);
    if (gpu >= 0)
        print_cell(out, gpu);
    buf_printf(out, "%s%s\n", *note ? "  " : "", note);
}

static void print_worth(const Run *r, Buf *out)
{
    RunWorth w = run_worth(r);
    size_t estimated = w.all - w.timed - w.recorded;
    if (w.timed == 0 || w.timed == w.all)
        return;
    buf_printf(out, "%-10s timing %zu of %zu took %.3g GPU s; all: %s%.3g GPU s ", "saved", w.timed,
               w.all, w.gpu_s, estimated > 0 ? "about " : "", w.all_gpu_s);
    if (estimated == 0)
        buf_puts(out, "(as recorded)\n");
    else if (w.recorded == 0)
        buf_puts(out, "(assuming that the others are like these, which were chosen for speed)\n");
    else
        buf_printf(out, "(%zu as recorded, %zu estimated)\n", w.recorded, estimated);
    if (r->source != RUN_MEASURED || w.all > r->counts.compiled)
        return; /* the time to compile the rest is not known */
    buf_printf(out,
               "%-10s total %.1f s; without carving about %.1f s, including compilation, which "
               "took %.0f %% of this run\n",
               "", w.wall_s, w.all_wall_s, 100 * r->ledger.seconds[LEDGER_COMPILE] / w.wall_s);
}

void report_ledger(const Run *r, Buf *out)
{
    buf_printf(out, "%-10s   %11s %11s%s\n", "ledger", "wall s", "core s",
               r->gpu_count > 0 ? "       GPU s" : "");
    for (int i = 0; i < LEDGER_TIME; i++)
        print_row(out, stages[i], r->ledger.seconds[i], r->ledger.core_seconds[i], -1, "");
    const GpuSeconds g = report_gpu_seconds(r);
    const bool gpu = r->gpu_count > 0;
    if (gpu)
        print_row(out, "verify", -1, -1, g.verify, "loading, warming up, checking results");
    print_row(out, "time", r->ledger.seconds[LEDGER_TIME], r->ledger.core_seconds[LEDGER_TIME],
              gpu ? g.timed : -1, gpu ? "GPU: only the timed launches" : "");
    if (gpu)
        print_row(out, "idle", -1, -1, g.idle, "the GPU was held without work");
    double wall = 0, cores = 0;
    for (int i = 0; i < LEDGER_STAGES; i++) {
        wall += r->ledger.seconds[i];
        cores += r->ledger.core_seconds[i];
    }
    print_row(out, "total", wall, cores, gpu ? g.timed + g.verify + g.idle : -1, "");
    print_worth(r, out);
}

static json_t *stage_seconds(const double *seconds)
{
    json_t *o = json_object();
    for (int i = 0; i < LEDGER_STAGES; i++)
        json_put(o, stages[i], json_known(seconds[i]), NULL);
    return o;
}

static json_t *worth_of(const Run *r)
{
    RunWorth w = run_worth(r);
    json_t *o = json_put(json_object(), "timed", json_count(w.timed), "of", json_count(w.all),
                         "gpu_s", json_known(w.gpu_s), "gpu_without_s", json_known(w.all_gpu_s),
                         "recorded", json_count(w.recorded), "estimated",
                         json_count(w.all - w.timed - w.recorded), NULL);
    if (r->source == RUN_MEASURED)
        json_put(o, "wall_s", json_known(w.wall_s), "wall_without_s", json_known(w.all_wall_s),
                 NULL);
    return o;
}

void report_ledger_json(const Run *r, json_t *o)
{
    json_t *gpus = json_array();
    EACH (const RunGpu, x, r->gpus, r->gpu_count) {
        GpuSeconds g = seconds_of_gpu(x, clock_seconds());
        json_array_append_new(gpus, json_put(json_object(), "ordinal", json_integer(x->ordinal),
                                             "name", json_text(gpu_device(x->gpu)->name), "uuid",
                                             json_text(gpu_facts(x->gpu)->uuid), "outcomes",
                                             json_count(x->outcomes), "time_s", json_known(g.timed),
                                             "verify_s", json_known(g.verify), "idle_s",
                                             json_known(g.idle), NULL));
    }
    json_t *ledger = json_put(json_object(), "core_seconds", stage_seconds(r->ledger.core_seconds),
                              "gpus", gpus, "carving", worth_of(r), NULL);
    json_put(o, "seconds", stage_seconds(r->ledger.seconds), "ledger", ledger, NULL);
}

/* Where the time of a run went, by stage and by what was kept busy. */
#include "tuner/output/report.h"
#include "tuner/output/report_parts.h"

#include "tuner/base/clock.h"

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

/* --- text ------------------------------------------------------------------------------------- */

static void print_cell(Buf *out, double seconds)
{
    if (seconds < 0)
        buf_printf(out, " %11s", "");
    else
        buf_printf(out, " %11.2f", seconds);
}

/* Cells below zero are left out; a GPU's at the end of the line altogether. */
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

static void print_gpu_rows(const Run *r, Buf *out)
{
    GpuSeconds g = report_gpu_seconds(r);
    print_row(out, "verify", -1, -1, g.verify, "loading, warming up, checking results");
    print_row(out, "time", r->ledger.seconds[LEDGER_TIME], r->ledger.core_seconds[LEDGER_TIME],
              g.timed, "of the GPU: the launches that were timed");
    print_row(out, "idle", -1, -1, g.idle, "the GPU was kept and had nothing to do");
}

static void print_sum(const Run *r, Buf *out)
{
    double wall = 0, cores = 0;
    GpuSeconds g = report_gpu_seconds(r);
    for (int i = 0; i < LEDGER_STAGES; i++) {
        wall += r->ledger.seconds[i];
        cores += r->ledger.core_seconds[i];
    }
    print_row(out, "in all", wall, cores, r->gpu_count > 0 ? g.timed + g.verify + g.idle : -1, "");
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
        buf_puts(out, "(the others taken to be like these, which were chosen for being fast)\n");
    else
        buf_printf(out, "(%zu as recorded, %zu estimated)\n", w.recorded, estimated);
    if (r->source != RUN_MEASURED || w.all > r->counts.compiled)
        return; /* what compiling the rest takes was not measured */
    buf_printf(out,
               "%-10s in all %.1f s; without carving about %.1f s, compiling included, which took "
               "%.0f %% of this run\n",
               "", w.wall_s, w.all_wall_s, 100 * r->ledger.seconds[LEDGER_COMPILE] / w.wall_s);
}

void report_ledger(const Run *r, Buf *out)
{
    buf_printf(out, "%-10s   %11s %11s%s\n", "ledger", "wall s", "core s",
               r->gpu_count > 0 ? "       GPU s" : "");
    for (int i = 0; i < LEDGER_TIME; i++)
        print_row(out, stages[i], r->ledger.seconds[i], r->ledger.core_seconds[i], -1, "");
    if (r->gpu_count > 0)
        print_gpu_rows(r, out);
    else
        print_row(out, "time", r->ledger.seconds[LEDGER_TIME], r->ledger.core_seconds[LEDGER_TIME],
                  -1, "");
    print_sum(r, out);
    print_worth(r, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

json_t *report_stage_seconds(const double *seconds)
{
    json_t *o = json_object();
    for (int i = 0; i < LEDGER_STAGES; i++)
        json_object_set_new(o, stages[i], report_number(seconds[i]));
    return o;
}

static json_t *gpu_of(const RunGpu *x)
{
    GpuSeconds g = seconds_of_gpu(x, clock_seconds());
    json_t *o = json_object();
    json_object_set_new(o, "ordinal", json_integer(x->ordinal));
    json_object_set_new(o, "name", json_string(gpu_device(x->gpu)->name));
    json_object_set_new(o, "uuid", json_string(gpu_facts(x->gpu)->uuid));
    json_object_set_new(o, "outcomes", json_integer((json_int_t)x->outcomes));
    json_object_set_new(o, "time_s", report_number(g.timed));
    json_object_set_new(o, "verify_s", report_number(g.verify));
    json_object_set_new(o, "idle_s", report_number(g.idle));
    return o;
}

static json_t *worth_of(const Run *r)
{
    RunWorth w = run_worth(r);
    json_t *o = json_object();
    json_object_set_new(o, "timed", json_integer((json_int_t)w.timed));
    json_object_set_new(o, "of", json_integer((json_int_t)w.all));
    json_object_set_new(o, "gpu_s", report_number(w.gpu_s));
    json_object_set_new(o, "gpu_without_s", report_number(w.all_gpu_s));
    json_object_set_new(o, "recorded", json_integer((json_int_t)w.recorded));
    json_object_set_new(o, "estimated", json_integer((json_int_t)(w.all - w.timed - w.recorded)));
    if (r->source == RUN_MEASURED) {
        json_object_set_new(o, "wall_s", report_number(w.wall_s));
        json_object_set_new(o, "wall_without_s", report_number(w.all_wall_s));
    }
    return o;
}

json_t *report_ledger_json(const Run *r)
{
    json_t *o = json_object(), *gpus = json_array();
    json_object_set_new(o, "core_seconds", report_stage_seconds(r->ledger.core_seconds));
    for (size_t i = 0; i < r->gpu_count; i++)
        json_array_append_new(gpus, gpu_of(&r->gpus[i]));
    json_object_set_new(o, "gpus", gpus);
    json_object_set_new(o, "carving", worth_of(r));
    return o;
}

#include "tuner/command/bench.h"

#include "tuner/output/report_parts.h"

/* Work per second, and its part of the device's peak; NaN: the spec or the device does not say. */
typedef struct Rates {
    double flops, flops_part;
    double bytes, bytes_part;
    double items;
} Rates;

/* A bound does other work: only its bytes are comparable.  Bytes that the L2 may hold are not compared with
 * the memory's bandwidth. */
static Rates rates_of(const Run *r, const Bench *b, const BenchEntry *e)
{
    const Spec *s = r->spec;
    bool whole = !e->rival || !e->rival->bound;
    double seconds = e->times ? e->median * 1e-3 : NAN, peak = device_peak_flops(r->device);
    double dram = r->device->dram_bytes_per_s;
    Rates x = {.bytes = run_work(r, b->config, s->work[OBJECTIVE_BYTES]) / seconds};
    x.flops = whole ? run_work(r, b->config, s->work[OBJECTIVE_FLOP]) / seconds : NAN;
    x.items = whole ? run_work(r, b->config, s->work[OBJECTIVE_ITEMS]) / seconds : NAN;
    x.flops_part = peak > 0 ? x.flops / peak : NAN;
    x.bytes_part = dram > 0 && r->l2 == TASK_COLD ? x.bytes / dram : NAN;
    return x;
}

static void print_rates(const Rates *x, Buf *out)
{
    if (!isnan(x->flops))
        buf_printf(out, "   %.1f GFLOP/s", x->flops * 1e-9);
    if (!isnan(x->flops_part))
        buf_printf(out, ", %.1f %% of the fp32 peak", 100 * x->flops_part);
    if (!isnan(x->bytes))
        buf_printf(out, "   %.1f GB/s", x->bytes * 1e-9);
    if (!isnan(x->bytes_part) && isnan(x->flops_part)) /* kernels with FLOP are judged by those */
        buf_printf(out, ", %.1f %% of the memory bandwidth", 100 * x->bytes_part);
    if (!isnan(x->items))
        buf_printf(out, "   %.4g items/s", x->items);
}

static const char *role(const Bench *b, const BenchEntry *e)
{
    return e == b->entries ? "kernel" : e->rival ? "rival" : "variant";
}

/* Why an entry has no time. */
static void print_failure(const Bench *b, const BenchEntry *e, Buf *out)
{
    report_say(out, role(b, e), "%s: %s: ", e == b->entries ? "the kernel" : e->title,
               e->status == OUTCOME_LOAD_FAILED && e->rival ? "not available"
               : e->status == OUTCOME_OK                    ? "not timed"
                                                            : outcome_name(e->status));
    const char *at = *e->words ? e->words : "there is no time of the kernel to compare with";
    for (size_t n; *at; at += n + (at[n] == '\n')) {
        n = strcspn(at, "\n");
        buf_add(out, at, n);
        if (at[n])
            buf_printf(out, "\n%-10s ", "");
    }
    buf_putc(out, '\n');
}

/* Less than this is within the scatter of the times. */
static const double idle_told = 0.01;

/* Back-to-back runs for some seconds show what power and heat limits leave of the speed, and the energy of a
 * run. */
static void print_sustained(const BenchEntry *e, Buf *out)
{
    const TrialSustained *x = &e->sustained;
    if (x->runs == 0)
        return;
    buf_printf(out, "%-10s sustained %.4f ms", "", x->ms);
    if (x->clock_mhz > 0)
        buf_printf(out, " at %.0f MHz", x->clock_mhz);
    if (!isnan(x->joules))
        buf_printf(out, ", %.0f W, %.4g J a run", x->power_w, x->joules);
    if (x->throttle) {
        buf_puts(out, "; throttled by ");
        health_print_throttle(x->throttle, out);
    }
    if (x->idle > idle_told)
        buf_printf(out, "; the device waited for the host %.0f %% of the time", 100 * x->idle);
    buf_printf(out, " (%lld runs)\n", (long long)x->runs);
}

/* Times and rates, then the title and the check. */
static void print_entry(const Run *r, const Bench *b, const BenchEntry *e, Buf *out)
{
    if (!e->times) {
        print_failure(b, e, out);
        return;
    }
    Rates rates = rates_of(r, b, e);
    report_say(out, role(b, e), "%.4f ms (%.4f to %.4f)", e->median, e->interval.low,
               e->interval.high);
    print_rates(&rates, out);
    buf_printf(out, "\n%-10s %s%s%s; ", "", e->title, *e->details ? ": " : "", e->details);
    if (e->verified && e->max_error > 0)
        buf_printf(out, "right, largest error %.1e of the output's scale\n", e->max_error);
    else
        buf_printf(out, "%s\n",
                   e->verified && isnan(e->max_error) ? "right"
                   : e->verified                      ? "right, exactly"
                   : e->rival && e->rival->bound      ? "a bound, not verified"
                                                      : "NOT VERIFIED");
    print_sustained(e, out);
}

static void print_ratio(const BenchEntry *e, Buf *out)
{
    if (isnan(e->ratio))
        return;
    bool tied = e->ratio_interval.low <= 1 && e->ratio_interval.high >= 1;
    report_say(out, "ratio", "%.1f %% (%.1f to %.1f) of %s%s", 100 * e->ratio,
               100 * e->ratio_interval.low, 100 * e->ratio_interval.high, e->title,
               tied ? ", tied" : "");
    if (!isnan(e->sustained_ratio))
        buf_printf(out, "; sustained %.1f %%", 100 * e->sustained_ratio);
    buf_putc(out, '\n');
}

void bench_print(const Run *r, const Bench *b, Buf *out)
{
    report_say(out, "origin", "%s\n", b->origin);
    if (b->stale)
        buf_printf(out, "%-10s the code compiled here differs from the recorded code\n", "");
    for (size_t i = 0; i < b->count; i++)
        print_entry(r, b, &b->entries[i], out);
    if (b->count == 1 && !b->variants)
        buf_printf(out, "%-10s none: the spec names no library call that does the same\n", "rival");
    if (b->rounds > 0)
        report_say(out, "rounds",
                   "%d, each timed once per round; medians and ratios over the rounds, with %.0f "
                   "%% intervals; L2 %s\n",
                   b->rounds, 100 * STATS_CONFIDENCE, task_cache_name(r->l2));
    const GpuFacts *f = gpu_facts(r->gpu);
    report_say(out, "device", "%s%s, CUDA %d.%d%s", *f->driver ? "driver " : "", f->driver,
               f->cuda_version / 1000, f->cuda_version % 1000 / 10,
               r->watch.health.samples > 0 ? "; " : "");
    health_print(&r->watch.health, out);
    buf_putc(out, '\n');
    for (size_t i = 1; i < b->count; i++)
        print_ratio(&b->entries[i], out);
    if (b->variants)
        buf_printf(out, "%-10s %.1f %%: the variant that the unit takes, against its best\n",
                   "loss", 100 * bench_loss(b));
}

static json_t *entry_json(const Run *r, const Bench *b, const BenchEntry *e)
{
    Rates rates = rates_of(r, b, e);
    const TrialSustained *x = &e->sustained;
    json_t *times = json_array();
    for (int i = 0; e->times && i < b->rounds; i++)
        json_array_append_new(times, json_real(e->times[i]));
    return json_put(json_object(), "title", json_string(e->title), "details",
                    json_string(e->details), "status", json_string(outcome_name(e->status)),
                    "words", json_string(e->words), "verified", json_boolean(e->verified),
                    "max_error", json_known(e->max_error), "time_ms",
                    json_known(e->times ? e->median : NAN), "low_ms", json_known(e->interval.low),
                    "high_ms", json_known(e->interval.high), "flop_per_s", json_known(rates.flops),
                    "bytes_per_s", json_known(rates.bytes), "peak_flop_part",
                    json_known(rates.flops_part), "peak_bytes_part", json_known(rates.bytes_part),
                    "times_ms", times, "sustained_ms", json_known(x->runs ? x->ms : NAN),
                    "sustained_joules", json_known(x->runs ? x->joules : NAN), "sustained_power_w",
                    json_known(x->runs ? x->power_w : NAN), "sustained_idle",
                    json_known(x->runs ? x->idle : NAN), "sustained_clock_mhz",
                    json_known(x->runs && x->clock_mhz > 0 ? x->clock_mhz : NAN), NULL);
}

void bench_print_json(const Run *r, const Bench *b, Buf *out)
{
    json_t *o = report_object(r), *rivals = json_array();
    json_t *kernel =
        json_put(entry_json(r, b, &b->entries[0]), "parameters", report_parameters(r, b->config),
                 "origin", json_string(b->origin), "stale", json_boolean(b->stale), NULL);
    for (const BenchEntry *e = b->entries + 1; e < b->entries + b->count; e++) {
        json_t *rival = entry_json(r, b, e);
        if (e->rival)
            json_put(rival, "library", json_string(e->rival->library), "call",
                     json_string(e->rival->call), "bound", json_boolean(e->rival->bound), NULL);
        json_put(rival, "ratio", json_known(e->ratio), "ratio_low",
                 json_known(e->ratio_interval.low), "ratio_high",
                 json_known(e->ratio_interval.high), "sustained_ratio",
                 json_known(e->sustained_ratio), NULL);
        json_array_append_new(rivals, rival);
    }
    json_put(o, "kernel", kernel, b->variants ? "variants" : "rivals", rivals, NULL);
    if (b->variants)
        json_put(o, "loss", json_known(bench_loss(b)), NULL);
    json_put(o, "rounds", json_integer(b->rounds), "cache", json_string(task_cache_name(r->l2)),
             "driver", json_string(gpu_facts(r->gpu)->driver), "cuda",
             json_integer(gpu_facts(r->gpu)->cuda_version), NULL);
    if (r->watch.health.samples > 0)
        json_put(o, "health", report_health(r), NULL);
    json_print(o, REPORT_DIGITS, out);
}

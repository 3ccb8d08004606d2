#include "tuner/output/report.h"
#include "tuner/output/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* 1234567 as "1,234,567". */
static void print_count(Buf *out, uint64_t n, int width)
{
    char digits[24], text[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), k = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = '\0';
    buf_printf(out, "%*s", width, text);
}

static void label(Buf *out, const char *text)
{
    buf_printf(out, "%-10s ", text);
}

static void counted(Buf *out, const char *name, uint64_t n)
{
    label(out, name);
    print_count(out, n, 12);
}

/* --- heading ------------------------------------------------------------------------------------
 */

static void print_source(const Run *r, Buf *out)
{
    const RecordHeader *h = r->recording ? &r->recording->header : NULL;
    switch (r->source) {
    case RUN_MEASURED:
        buf_printf(out, "measured on %s", r->device->name);
        if (r->gpu_count > 1)
            buf_printf(out, ", %zu of them", r->gpu_count);
        buf_putc(out, '\n');
        break;
    case RUN_REPLAYED:
        buf_printf(out, "REPLAYED from %s: measured on %s on %s\n", r->recording_path, h->device,
                   h->date);
        break;
    case RUN_STATIC:
        if (!r->device) {
            buf_puts(out, "none, and no device is known\n");
            break;
        }
        buf_printf(out, "STATIC for %s (sm_%d): carved, not timed\n", r->device->name,
                   device_arch(r->device));
        break;
    }
    if (r->why_not_measured)
        buf_printf(out, "%-10s (%s)\n", "", r->why_not_measured);
}

void report_heading(const Run *r, Buf *out)
{
    const char *problem = r->spec->problems[r->space.problem].text;
    label(out, "aptune");
    buf_printf(out, "%s, space %s%s%s\n", APTUNE_VERSION, r->spec->name, *problem ? ", " : "",
               problem);
    if (r->options.shards > 1) {
        label(out, "shard");
        buf_printf(out, "%d/%d (%s)\n", r->options.shard, r->options.shards,
                   r->options.shard_from);
    }
    label(out, "times");
    print_source(r, out);
}

/* --- dry run ------------------------------------------------------------------------------------
 */

/* Measured for matrix-multiply templates with NVRTC 13.0, sm_90, on one core: 40 to 250 ms
 * (README.md); the middle of it, for an estimate that says it is one. */
static const double compile_seconds_each = 0.15;

static void print_rejections(const Run *r, Buf *out)
{
    const Spec *s = r->spec;
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (r->space.refused[p] == 0)
            continue;
        counted(out, "", r->space.refused[p]);
        buf_printf(out, "  rejected by the values of %s\n", s->parameters[p].name);
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        Span at = s->constraints[i].at;
        size_t line, column;
        source_position(at.source, at.offset, &line, &column);
        counted(out, "", r->space.rejected[i]);
        buf_printf(out, "  rejected by line %zu: %.*s\n", line, (int)at.length,
                   at.source->text + at.offset);
    }
}

static void print_tier0(const Run *r, Buf *out)
{
    if (!r->device) {
        label(out, "tier 0");
        buf_printf(out, "%12s  not judged: --arch names a device with its limits\n", "");
        return;
    }
    counted(out, "tier 0", run_tier0_total(r));
    buf_printf(out, "  dropped by the limits of %s\n", r->device->name);
    for (int t = TIER0_FITS + 1; t < TIER0_KINDS; t++) {
        if (r->tier0_dropped[t] == 0)
            continue;
        counted(out, "", r->tier0_dropped[t]);
        buf_printf(out, "  %s\n", tier0_text((Tier0)t));
    }
}

static void print_duration(Buf *out, double seconds)
{
    if (seconds < 120)
        buf_printf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        buf_printf(out, "%.0f min", seconds / 60);
    else
        buf_printf(out, "%.1f h", seconds / 3600);
}

void report_dry_run(const Run *r, Buf *out)
{
    counted(out, "product", r->space.product);
    buf_puts(out, "  points\n");
    print_rejections(r, out);
    counted(out, "valid", r->space.count);
    buf_puts(out, "  configurations\n");
    print_tier0(r, out);
    size_t left = 0;
    for (size_t i = 0; i < r->config_count; i++)
        left += r->configs[i].tier0 == TIER0_FITS && run_is_mine(r, i);
    counted(out, "compile", left);
    buf_puts(out, "  configurations, about ");
    print_duration(out, (double)left * compile_seconds_each / r->options.jobs);
    buf_printf(out, " with %d job%s (at %.2f s each; what is cached costs nothing)\n",
               r->options.jobs, r->options.jobs == 1 ? "" : "s", compile_seconds_each);
}

/* --- result -------------------------------------------------------------------------------------
 */

static void print_space(const Run *r, Buf *out)
{
    counted(out, "space", r->space.count);
    buf_puts(out, "  valid configurations of ");
    print_count(out, r->space.product, 0);
    buf_puts(out, " points\n");
    if (run_tier0_total(r) > 0)
        print_tier0(r, out);
}

static void print_code(const Run *r, Buf *out)
{
    counted(out, r->profiles_recorded ? "profiles" : "compiled", r->compiled);
    buf_printf(out, "  %zu failed, %zu of distinct code%s\n", r->failed, r->distinct,
               r->profiles_recorded ? "; profiles from the recording, its sources are these" : "");
    if (r->launches_from_cache > 0) {
        counted(out, "", r->launches_from_cache);
        buf_puts(out,
                 r->spec->launch_count > 1 ? "  launches from the cache\n" : "  from the cache\n");
    }
    if (r->stale > 0) {
        counted(out, "stale", r->stale);
        buf_puts(out, "  compile to other code than the recorded one: their times are not used\n");
    }
}

static void print_carving(const Run *r, Buf *out)
{
    counted(out, "selected", r->selected_count);
    size_t all = r->space.count;
    buf_printf(out, "  %.2f %% of the space%s\n",
               all ? 100.0 * (double)r->selected_count / (double)all : 0,
               r->options.exhaustive ? " (--exhaustive: all of it)" : "");
    for (size_t i = 0; i < r->carving.stage_count && !r->options.exhaustive; i++) {
        const StageReport *s = &r->carving.reports[i];
        counted(out, "", s->after);
        buf_puts(out, "  of ");
        print_count(out, s->before, 0);
        buf_printf(out, " left by %s", r->carving.stages[i].text);
        if (s->cut > 0)
            buf_printf(out, " (%zu cut by the budget)", s->cut);
        if (s->unknown > 0)
            buf_printf(out, " (%zu without a value)", s->unknown);
        buf_putc(out, '\n');
    }
}

typedef struct Outcomes {
    size_t timed, ok, wrong, failed;
} Outcomes;

static Outcomes count_outcomes(const Run *r)
{
    Outcomes o = {0};
    for (size_t i = 0; i < r->config_count; i++) {
        const Config *c = &r->configs[i];
        if (!c->timed)
            continue;
        o.timed++;
        o.ok += c->status == TRIAL_OK;
        o.wrong += c->status == TRIAL_WRONG;
        o.failed += c->status != TRIAL_OK && c->status != TRIAL_WRONG;
    }
    return o;
}

/* What the spec says of the work of a launch; NaN when it says nothing. */
static double work_amount(const Run *r, const Expr *amount)
{
    Arena *a = arena_new();
    Evaluation ev = {.arena = a};
    Value v;
    bool known = amount && expr_eval(amount, r->spec->problems[r->space.problem].values, &ev, &v);
    double n = known ? value_as_real(v) : NAN;
    arena_free(a);
    return n;
}

static void print_rates(const Run *r, Buf *out, double ms)
{
    double seconds = ms * 1e-3, peak = device_peak_flops(r->device);
    double flops = work_amount(r, r->spec->work_flop) / seconds;
    double bytes = work_amount(r, r->spec->work_bytes) / seconds;
    if (!isnan(flops))
        buf_printf(out, "   %.1f GFLOP/s", flops * 1e-9);
    if (!isnan(flops) && peak > 0)
        buf_printf(out, ", %.1f %% of the device's fp32 peak", 100 * flops / peak);
    if (!isnan(bytes))
        buf_printf(out, "   %.1f GB/s", bytes * 1e-9);
}

static void print_best(const Run *r, Buf *out)
{
    Arena *a = arena_new();
    label(out, "best");
    if (r->best == SIZE_MAX) {
        buf_puts(out, count_outcomes(r).timed == 0
                          ? "not known: nothing was timed\n"
                          : "none: no configuration gave a right result\n");
        arena_free(a);
        return;
    }
    const Config *c = &r->configs[r->best];
    buf_printf(out, "%s\n", run_config_name(a, r, r->best));
    label(out, "");
    buf_printf(out, "%.4f ms", c->median);
    print_rates(r, out, c->median);
    buf_printf(out, "   (%s)\n", r->source == RUN_MEASURED ? "measured" : "replayed");
    if (!isnan(r->relative)) {
        label(out, "");
        buf_printf(out, "%.1f %% of the best recorded time, %.4f ms: regret %.1f %%\n",
                   100 * r->relative, r->exhaustive_best_ms, 100 / r->relative - 100);
    }
    if (!isnan(r->random_relative) && !r->options.exhaustive) {
        label(out, "");
        buf_printf(out, "%.1f %% is what a random sample of %zu is expected to find\n",
                   100 * r->random_relative, r->selected_count);
    }
    arena_free(a);
}

void report_result(const Run *r, Buf *out)
{
    print_space(r, out);
    print_code(r, out);
    print_carving(r, out);
    if (r->polished > 0) {
        counted(out, "", r->polished);
        buf_puts(out, "  more as neighbours of the best (polish)\n");
    }
    if (r->source != RUN_STATIC) {
        Outcomes o = count_outcomes(r);
        counted(out, r->source == RUN_MEASURED ? "timed" : "replayed", o.timed);
        buf_printf(out, "  %zu right, %zu wrong, %zu failed\n", o.ok, o.wrong, o.failed);
    }
    print_best(r, out);
    report_ledger(r, out);
}

/* --- stopped -----------------------------------------------------------------------------------
 */

void report_stopped(const Run *r, int signal, Buf *out)
{
    size_t timed = count_outcomes(r).timed;
    buf_printf(out, "aptune: stopped by a signal (%s)\n", strsignal(signal));
    if (timed > 0)
        buf_printf(out, "%zu outcomes are kept in %s/%s.times\n", timed, r->options.output,
                   r->spec->name);
    buf_puts(out, "what was compiled is in the cache; the same command goes on from there\n");
}

/* --- why ----------------------------------------------------------------------------------------
 */

void report_why(const Run *r, size_t i, Buf *out)
{
    Arena *a = arena_new();
    const Config *c = &r->configs[i];
    const char *name = run_config_name(a, r, i);
    if (c->tier0 != TIER0_FITS) {
        buf_printf(out, "%s: dropped by tier 0: %s\n", name, tier0_text(c->tier0));
    } else if (c->code == CODE_ERROR || c->code == CODE_TIMEOUT || c->code == CODE_CRASH) {
        buf_printf(out, "%s: did not compile: %s\n", name, c->failure ? c->failure : "no message");
    } else if (c->code == CODE_NONE) {
        buf_printf(out, "%s: has no code to judge\n", name);
    } else if (c->same_as != i) {
        buf_printf(out, "%s: compiles to the same code as %s, which stands for both\n", name,
                   run_config_name(a, r, c->same_as));
    } else {
        carving_why(&r->carving, i, out);
        if (buf_text(out)[out->size - 1] != '\n')
            buf_putc(out, '\n');
        if (r->selected[i] && r->carving.fates[i].kind != FATE_SURVIVES)
            buf_printf(out, "timed all the same, %s\n",
                       r->options.exhaustive ? "as everything is (--exhaustive)"
                                             : "as a neighbour of the best so far (polish)");
    }
    if (c->timed)
        buf_printf(out, "%s: %s, %.4f ms\n", r->source == RUN_MEASURED ? "measured" : "replayed",
                   trial_status_name(c->status), c->median);
    arena_free(a);
}

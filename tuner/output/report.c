#include "tuner/output/report.h"

#include "tuner/choose/audit.h"
#include "tuner/run/run_parts.h"

static void counted(Buf *out, const char *label, uint64_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void counted(Buf *out, const char *label, uint64_t n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_printf(out, "%-10s ", label);
    report_count(out, n, 12);
    buf_vprintf(out, format, args);
    va_end(args);
}

static const char *name_of(const Run *r, size_t i)
{
    return table_name(r->arena, r->table, i);
}

/* --- the audit -------------------------------------------------------------------------------- */

/* The regret that the fastest audited one shows; 0 if it is not faster. */
static double regret_seen(const RunAudit *u)
{
    return u->ratio < 1 ? 1 / u->ratio - 1 : 0;
}

static bool is_judged(const Run *r)
{
    return r->audit.outcomes > 0 && r->best != SIZE_MAX;
}

static double beyond_share(const RunAudit *u)
{
    return (double)u->beyond_high / (double)u->dropped;
}

static void print_sample(const Run *r, Buf *out)
{
    const RunAudit *u = &r->audit;
    report_say(out, "audit",
               "%zu of the %zu dropped, drawn with seed %d: %zu better than the winner by more "
               "than %.1f %%",
               u->outcomes, u->dropped, r->options.audit_seed, u->better, 100 * u->margin);
    if (u->failed > 0)
        buf_printf(out, ", %zu failed", u->failed);
    if (u->outcomes < u->count)
        buf_printf(out, " (%zu drawn have no outcome)", u->count - u->outcomes);
    buf_putc(out, '\n');
}

static void print_bounds(const RunAudit *u, Buf *out)
{
    double percent = 100 * AUDIT_CONFIDENCE;
    report_say(out, "", "so at most %.2f %% of the dropped, %zu, are better (%.0f %% confidence)\n",
               100 * u->share_high, u->better_high, percent);
    report_say(out, "recall",
               "%zu of the chosen are within %.0f %% of the winner or better, and %zu of those "
               "drawn: %.1f %%, at least %.1f %%\n",
               u->near_timed, 100 * RUN_AUDIT_NEAR, u->near, 100 * u->recall, 100 * u->recall_low);
    if (u->fastest == SIZE_MAX)
        report_say(out, "regret", "not known: none of those drawn gave a right result\n");
    else
        report_say(out, "regret",
                   "%.1f %% seen; at most %.2f %% of the dropped, %zu, would show more (%.0f %% "
                   "confidence)\n",
                   100 * regret_seen(u), 100 * beyond_share(u), u->beyond_high, percent);
}

/* Nothing without an audit. */
static void report_audit(const Run *r, Buf *out)
{
    const RunAudit *u = &r->audit;
    if (r->options.audit == 0 || r->best == SIZE_MAX || !u->list)
        return;
    if (!is_judged(r)) {
        report_say(out, "audit", "%s",
                   u->dropped == 0 ? "nothing was dropped\n"
                                   : "none of those drawn has an outcome\n");
        return;
    }
    print_sample(r, out);
    if (u->fastest != SIZE_MAX)
        report_say(out, "", "the fastest of them takes %.4f ms, %+.1f %%: %s\n",
                   r->table->times[u->fastest].median, 100 * (u->ratio - 1),
                   name_of(r, u->fastest));
    if (u->outcomes == u->dropped)
        report_say(out, "", "that is all of them: regret %.1f %%, recall %.1f %%\n",
                   100 * regret_seen(u), 100 * u->recall);
    else
        print_bounds(u, out);
}

json_t *report_audit_json(const Run *r)
{
    const RunAudit *u = &r->audit;
    if (!is_judged(r))
        return json_null();
    const bool any = u->fastest != SIZE_MAX;
    json_t *fastest = any ? json_put(json_object(), "parameters", report_parameters(r, u->fastest),
                                     "time_ms", json_known(r->table->times[u->fastest].median),
                                     "ratio", json_known(u->ratio), NULL)
                          : json_null();
    return json_put(json_object(), "seed", json_integer(r->options.audit_seed), "dropped",
                    json_count(u->dropped), "drawn", json_count(u->count), "audited",
                    json_count(u->outcomes), "failed", json_count(u->failed), "confidence",
                    json_real(AUDIT_CONFIDENCE), "margin", json_known(u->margin), "better",
                    json_count(u->better), "better_share_high", json_known(u->share_high),
                    "better_high", json_count(u->better_high), "fastest", fastest, "regret",
                    json_known(any ? regret_seen(u) : NAN), "regret_but_for_share",
                    json_known(beyond_share(u)), "near", json_real(RUN_AUDIT_NEAR), "near_chosen",
                    json_count(u->near_timed), "near_audited", json_count(u->near), "recall",
                    json_known(u->recall), "recall_low", json_known(u->recall_low), NULL);
}

/* --- the search ------------------------------------------------------------------------------- */

static void print_errors(const SearchErrors *e, const char *what, Buf *out)
{
    if (e->count > 0)
        report_say(out, "", "  prediction error %s: %.1f %% (median), %.1f %% (90th percentile)\n",
                   what, e->median, e->p90);
}

/* Lines about the search: how much of the space it used, how sure it was, and when it found the best. */
static void report_search(const Run *r, Buf *out)
{
    const RunSearch *s = &r->search;
    size_t all = s->candidates;
    double share = all > 0 ? 100 * (double)s->state.compiled / (double)all : 0;
    buf_printf(out, "%-10s   compiled %zu of ", "search", s->state.compiled);
    report_count(out, all, 0);
    buf_printf(out, " (%.*g %%)", share < 1 ? 2 : 3, share);
    if (r->source != RUN_STATIC)
        buf_printf(out, ", timed %zu", s->state.timed);
    buf_printf(out, "; %s\n",
               s->asked                                                ? "ended on request"
               : r->source == RUN_STATIC && s->end == SEARCH_EXHAUSTED ? "that is everything"
                                                                       : search_end_text(s->end));
    if (r->source == RUN_STATIC) {
        print_errors(&s->state.before, "before compiling", out);
        return;
    }
    if (!isnan(s->held_since))
        report_say(out, "", "  best found after %.1f of %.1f s%s\n", s->held_since, s->seconds,
                   r->source == RUN_REPLAYED && run_is_played(r) ? ", by the cost model of a replay"
                                                                 : "");
    EACH (const RunLesson, l, s->lessons, s->lesson_count)
        report_say(out, "", "  started from %zu times of %s%s%s, over %zu of %zu parameters (%s)\n",
                   l->times, l->problem, l->gpu && l->gpu[0] ? " on " : "", l->gpu ? l->gpu : "",
                   l->parameters, l->of, l->path);
    if (s->front > 0)
        report_say(out, "",
                   "  bound-latency front: %zu of the compiled, %zu of them timed; the winner %s\n",
                   s->front, s->front_timed,
                   r->best == SIZE_MAX ? "is not known"
                   : s->best_on_front  ? "is on it"
                                       : "is not on it");
    print_errors(&s->state.before, "before compiling", out);
    print_errors(&s->state.after, "before timing", out);
    if (!isnan(s->expected) && s->state.left > 0)
        report_say(out, "",
                   "  expected number among the rest that are 1 %% better: %.2g, by models that "
                   "underestimate their own error\n",
                   s->expected);
    /* A bound from random draws alone, independent of any model: the rule of three (95 % confidence). */
    if (s->state.random > 2 && s->state.random_better == 0 && s->state.left > 0)
        report_say(
            out, "",
            "  none of %zu random draws was 1 %% better when timed: with 95 %% confidence at "
            "most %.0f %% of the rest are\n",
            s->state.random, fmin(100, 300.0 / (double)s->state.random));
}

/* --- heading ---------------------------------------------------------------------------------- */

void report_heading(const Run *r, Buf *out)
{
    const char *problem = r->spec->problems[r->space.problem].text;
    report_say(out, "aptune", "%s, space %s%s%s\n", APTUNE_VERSION, r->spec->name,
               *problem ? ", " : "", problem);
    if (r->options.shards > 1)
        report_say(out, "shard", "%d/%d (%s)\n", r->options.shard, r->options.shards,
                   r->options.shard_from);
    buf_printf(out, "%-10s ", "times");
    const RecordHeader *h = r->recorded.times ? &r->recorded.times->header : NULL;
    if (r->source == RUN_MEASURED && r->gpu_count > 1)
        buf_printf(out, "measured on %s, %zu of them\n", r->device->name, r->gpu_count);
    else if (r->source == RUN_MEASURED)
        buf_printf(out, "measured on %s\n", r->device->name);
    else if (r->source == RUN_REPLAYED && run_is_imported(r))
        buf_printf(out, "IMPORTED times of %s, not measured by aptune: %s, in %s\n", h->device,
                   h->imported, r->recorded.path);
    else if (r->source == RUN_REPLAYED)
        buf_printf(out, "REPLAYED from %s: measured on %s on %s\n", r->recorded.path, h->device,
                   h->date);
    else if (r->device)
        buf_printf(out, "STATIC for %s (sm_%d): carved, not timed\n", r->device->name,
                   device_arch(r->device));
    else
        buf_puts(out, "none, and no device is known\n");
    if (r->why_not_measured)
        report_say(out, "", "(%s)\n", r->why_not_measured);
}

/* --- dry run ---------------------------------------------------------------------------------- */

static void print_rejections(const Run *r, Buf *out)
{
    const Spec *s = r->spec;
    SCOPED_ARENA *a = arena_new();
    for (size_t p = 0; p < s->parameter_count; p++)
        if (r->space.refused[p] > 0)
            counted(out, "", r->space.refused[p], "  rejected by the values of %s\n",
                    s->parameters[p].name);
    for (size_t i = 0; i < s->constraint_count; i++) {
        size_t line;
        const char *text = report_constraint(a, &s->constraints[i].at, &line);
        counted(out, "", r->space.rejected[i], "  rejected by line %zu: %s\n", line, text);
    }
}

static void print_tier0(const Run *r, Buf *out)
{
    if (!r->device) {
        report_say(out, "tier 0", "%12s  not judged: --arch names a device with its limits\n", "");
        return;
    }
    buf_printf(out, "%-10s ", "tier 0");
    report_count(out, run_tier0_total(r), 12);
    if (r->space.diagram)
        buf_printf(out, "  of %zu drawn at random", r->table->count);
    buf_printf(out, "  dropped by the limits of %s\n", r->device->name);
    for (int t = OUTCOME_ARITHMETIC; t <= OUTCOME_GRID; t++)
        if (r->counts.tier0_dropped[t] > 0)
            counted(out, "", r->counts.tier0_dropped[t], "  %s\n", outcome_name((Outcome)t));
}

void report_dry_run(const Run *r, Buf *out)
{
    counted(out, "product", r->space.product, "  points\n");
    print_rejections(r, out);
    counted(out, "valid", r->space.size, "  configurations\n");
    print_tier0(r, out);
    const RunEstimate e = run_estimate(r);
    const bool hours = e.seconds >= 7200, minutes = !hours && e.seconds >= 120;
    counted(out, "compile", e.compiles,
            "  configurations, about %.*f %s with %d job%s (at %.2f s each, ", hours,
            e.seconds / (hours     ? 3600
                         : minutes ? 60
                                   : 1),
            hours     ? "h"
            : minutes ? "min"
                      : "s",
            r->options.jobs, r->options.jobs == 1 ? "" : "s", e.each_s);
    if (e.of)
        buf_printf(out, "as %zu took in %s", e.count, e.of);
    else
        buf_puts(out, "a guess: nothing is recorded here");
    buf_puts(out, "; cached code costs nothing)\n");
}

/* --- result ----------------------------------------------------------------------------------- */

static void print_space(const Run *r, Buf *out)
{
    counted(out, "space", r->space.size, "  valid configurations of ");
    report_count(out, r->space.product, 0);
    buf_puts(out, " points\n");
    if (r->source == RUN_REPLAYED && r->space.diagram && r->options.shards < 2)
        counted(out, "recorded", r->space.count,
                "  of them: a sample; a replay knows only these\n");
    if (run_tier0_total(r) > 0)
        print_tier0(r, out);
}

/* Configurations whose counts are estimates. */
static void print_doubts(const Run *r, Buf *out)
{
    size_t uncertain = 0, guessed = 0;
    for (size_t i = 0; i < r->table->count; i++) {
        const Profile *p = r->table->profile[i].whole;
        uncertain += p && p->value[PROFILE_CODE_UNMATCHED] > 0;
        guessed += p && p->value[PROFILE_CODE_GUESSED] > 0;
    }
    if (r->suspects.found > 0)
        counted(out, "suspicious", r->suspects.found,
                "  predicted implausibly fast; raised to what others, or limits, imply\n");
    if (uncertain > 0)
        counted(out, "uncertain", uncertain,
                "  whose machine code does not match the PTX completely\n");
    if (uncertain > 0 && guessed > 0)
        counted(out, "", guessed, "  of them counted from the PTX alone\n");
}

static void print_code(const Run *r, Buf *out)
{
    enum { SHOWN = 5 }; /* reasons for failures */
    SCOPED_ARENA *a = arena_new();
    const FailureGroup *groups;
    size_t count = run_failures(a, r, &groups);
    counted(out, r->recorded.profiles ? "profiles" : "compiled", r->counts.compiled,
            "  %zu failed, %zu of distinct code%s\n", r->counts.failed, r->counts.distinct,
            r->recorded.profiles ? "; profiles from the recording, whose sources are the same"
                                 : "");
    if (r->counts.unlaunchable > 0)
        counted(out, "", r->counts.unlaunchable,
                "  more dropped: registers or shared memory per block\n");
    for (size_t g = 0; g < count && g < SHOWN; g++) {
        report_say(out, "", "%s", "");
        run_failure_print(r, &groups[g], out);
        buf_putc(out, '\n');
    }
    if (count > SHOWN)
        report_say(out, "", "and %zu more reasons, see configurations.csv\n", count - SHOWN);
    if (r->counts.launches_from_cache > 0)
        counted(out, "", r->counts.launches_from_cache, "%s",
                r->spec->launch_count > 1 ? "  launches from the cache\n" : "  from the cache\n");
    if (r->counts.stale > 0)
        counted(out, "stale", r->counts.stale,
                "  compile to code other than recorded: their times are not used\n");
    print_doubts(r, out);
}

static void print_carving(const Run *r, Buf *out)
{
    const size_t all = r->space.size;
    const char *how = !r->options.exhaustive  ? ""
                      : r->options.shards > 1 ? " (--exhaustive: all of the part)"
                      : r->space.diagram && r->source == RUN_REPLAYED
                          ? " (--exhaustive: all that is recorded)"
                          : " (--exhaustive: all of it)";
    counted(out, "selected", r->counts.selected, "  %.2f %% of the space%s\n",
            all ? 100.0 * (double)r->counts.selected / (double)all : 0, how);
    for (size_t i = 0; i < r->carving.stage_count && !r->options.exhaustive; i++) {
        const StageReport *s = &r->carving.reports[i];
        counted(out, "", s->after, "  of ");
        report_count(out, s->before, 0);
        buf_printf(out, " left by %s", r->carving.stages[i].text);
        if (s->cut > 0)
            buf_printf(out, " (%zu cut by the budget)", s->cut);
        if (s->unknown > 0)
            buf_printf(out, " (%zu without a value)", s->unknown);
        buf_putc(out, '\n');
    }
}

typedef struct Outcomes {
    size_t timed;
    size_t by[OUTCOMES];
    size_t example[OUTCOMES]; /* the first configuration with each */
} Outcomes;

static Outcomes count_outcomes(const Run *r)
{
    Outcomes o = {0};
    const Table *t = r->table;
    for (size_t i = 0; i < t->count; i++)
        if (table_is_timed(t, i)) {
            o.timed++;
            if (o.by[t->outcome[i]]++ == 0)
                o.example[t->outcome[i]] = i;
        }
    return o;
}

/* The first line of a reason. */
static void print_words(const char *words, Buf *out)
{
    size_t length = words ? strcspn(words, "\n") : 0;
    if (length > 0)
        buf_printf(out, ": %.*s", (int)length, words);
}

static void print_failures(const Run *r, const Outcomes *o, Buf *out)
{
    static const char *const meanings[OUTCOMES] = {
        [OUTCOME_WRONG] = "gave a result that differs from the reference",
        [OUTCOME_LAUNCH_FAILED] = "could not be launched",
        [OUTCOME_FAULT] = "faulted, each ending a GPU process",
        [OUTCOME_TIMEOUT] = "did not finish in time (--time-limit allows more)",
        [OUTCOME_LOAD_FAILED] = "could not be loaded",
        [OUTCOME_SKIPPED] = "were not tried, or failed because the GPU was lost",
    };
    for (int s = OUTCOME_OK + 1; s < OUTCOMES; s++) {
        if (o->by[s] == 0 || !meanings[s])
            continue;
        counted(out, "", o->by[s], "  %s, e.g. %s", meanings[s], name_of(r, o->example[s]));
        print_words(r->table->why[o->example[s]], out);
        buf_putc(out, '\n');
    }
}

static void print_outcomes(const Run *r, Buf *out)
{
    Outcomes o = count_outcomes(r);
    size_t failed = o.timed - o.by[OUTCOME_OK] - o.by[OUTCOME_WRONG];
    counted(out, r->source == RUN_MEASURED ? "timed" : "replayed", o.timed,
            "  %zu right, %zu wrong, %zu failed", o.by[OUTCOME_OK], o.by[OUTCOME_WRONG], failed);
    if (r->source == RUN_MEASURED)
        buf_printf(out, "; L2 %s", r->l2 == TASK_BOTH ? "cold, and warm" : task_cache_name(r->l2));
    buf_putc(out, '\n');
    print_failures(r, &o, out);
    if (r->counts.sanitized > 0)
        counted(out, "sanitized", r->counts.sanitized,
                "  run under compute-sanitizer, %zu with findings\n", r->counts.unclean);
}

static void print_device(const Run *r, Buf *out)
{
    const RunWatch *w = &r->watch;
    if (w->health.samples > 0) {
        buf_printf(out, "%-10s ", "device");
        health_print(&w->health, out);
        buf_putc(out, '\n');
    }
    if (w->sentinels > 1)
        report_say(
            out, w->health.samples > 0 ? "" : "device",
            "one configuration, timed %zu times in between, varied by %+.1f %% to %+.1f %%\n",
            w->sentinels, 100 * (w->sentinel_low_ms / w->sentinel_first_ms - 1),
            100 * (w->sentinel_high_ms / w->sentinel_first_ms - 1));
    if (w->lost > 0) {
        report_say(out, "", "THE GPU WAS LOST: %zu configurations were not timed", w->lost);
        print_words(w->lost_why, out);
        buf_puts(out, "\n           run the same command again to continue from here\n");
    }
}

/* Work per second, as far as the spec gives amounts of work. */
static void print_rates(const Run *r, Buf *out, double ms)
{
    double seconds = ms * 1e-3, peak = device_peak_flops(r->device);
    double flops = run_work(r, r->best, r->spec->work[OBJECTIVE_FLOP]) / seconds;
    double bytes = run_work(r, r->best, r->spec->work[OBJECTIVE_BYTES]) / seconds;
    double items = run_work(r, r->best, r->spec->work[OBJECTIVE_ITEMS]) / seconds;
    if (!isnan(flops))
        buf_printf(out, "   %.1f GFLOP/s", flops * 1e-9);
    if (!isnan(flops) && peak > 0)
        buf_printf(out, ", %.1f %% of the device's fp32 peak", 100 * flops / peak);
    if (!isnan(bytes))
        buf_printf(out, "   %.1f GB/s", bytes * 1e-9);
    if (!isnan(items))
        buf_printf(out, "   %.4g items/s", items);
}

/* With --cache both: the winner with a warm L2, and the fastest there. */
static void print_warm(const Run *r, Buf *out)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < r->table->count; i++)
        if (r->table->selected[i] && r->table->warm[i].count > 0 && table_is_right(r->table, i) &&
            (best == SIZE_MAX || r->table->warm[i].median < r->table->warm[best].median))
            best = i;
    if (best != SIZE_MAX && r->table->warm[r->best].count > 0) {
        report_say(out, "", "with a warm L2 %.4f ms", r->table->warm[r->best].median);
        if (best != r->best)
            buf_printf(out, "; the fastest there takes %.4f ms: %s", r->table->warm[best].median,
                       name_of(r, best));
        buf_putc(out, '\n');
    }
}

static const char *the_best(const Run *r)
{
    return r->spec->objective == OBJECTIVE_ENERGY ? "the most frugal" : "the fastest";
}

static void print_ties(const Run *r, Buf *out)
{
    enum { SHOWN = 5 };
    const RunFinal *f = &r->final;
    if (f->rounds > 0) {
        report_say(out, "final", "%zu finalists in %d rounds; ", f->count, f->rounds);
        if (f->tie_count > 1)
            buf_printf(out, "%zu tied within %.1f %%, ranked by registers, shared memory, order:\n",
                       f->tie_count, 100 * f->within);
        else
            buf_printf(out, "the winner is %s beyond doubt\n", the_best(r));
    } else if (f->tie_count > 1) {
        report_say(out, "ties", "%zu, by times not taken in turn; %s wins:\n", f->tie_count,
                   the_best(r));
    }
    for (size_t n = 0; f->tie_count > 1 && n < f->tie_count && n < SHOWN; n++) {
        const Finalist *x = run_finalist(f, f->ties[n]);
        report_say(out, "", "  %s  %.4f ms", name_of(r, x->config), x->median_ms);
        if (x->config != f->fastest)
            buf_printf(out, ", %+.2f to %+.2f %%\n", 100 * (x->interval.low - 1),
                       100 * (x->interval.high - 1));
        else
            buf_printf(out, ", %s\n", the_best(r));
    }
    if (f->tie_count > SHOWN)
        report_say(out, "", "  and %zu more (--json names all)\n", f->tie_count - SHOWN);
}

static void print_best(const Run *r, Buf *out)
{
    if (r->best == SIZE_MAX) {
        report_say(out, "best", "%s\n",
                   count_outcomes(r).timed == 0 ? "not known: nothing was timed"
                                                : "none: no configuration gave a right result");
        return;
    }
    const Table *t = r->table;
    report_say(out, "best", "%s\n", name_of(r, r->best));
    report_say(out, "", "%.4f ms", t->times[r->best].median);
    report_interval(&t->times[r->best], out);
    print_rates(r, out, t->times[r->best].median);
    if (t->trial[r->best].joules > 0)
        buf_printf(out, "   %.4g J a run", t->trial[r->best].joules);
    buf_printf(out, "   (%s)\n", r->source == RUN_MEASURED ? "measured" : "replayed");
    print_warm(r, out);
    print_ties(r, out);
    if (!isnan(r->recorded.relative)) {
        if (run_final_is_tied(&r->recorded.final, r->best) && r->recorded.final.tie_count > 1)
            report_say(out, "", "one of %zu tied for the best in the recording's final, ",
                       r->recorded.final.tie_count);
        else
            report_say(out, "", "%.1f %% of the best recorded %s, ", 100 * r->recorded.relative,
                       r->spec->objective == OBJECTIVE_ENERGY ? "energy" : "time");
        const bool energy = r->spec->objective == OBJECTIVE_ENERGY;
        buf_printf(out, energy ? "%.4g J" : "%.4f ms", r->recorded.best_ms * (energy ? 1e-3 : 1));
        buf_printf(out, ": regret %.1f %%\n", 100 / r->recorded.relative - 100);
    }
    if (!isnan(r->recorded.random_relative) && !r->options.exhaustive)
        report_say(out, "", "a random sample of %zu is expected to reach %.1f %%\n",
                   r->counts.selected, 100 * r->recorded.random_relative);
    SCOPED_ARENA *a = arena_new();
    size_t count;
    const size_t *front = report_energy_front(a, r, &count);
    if (count > 0)
        report_say(out, "front", "of time and energy: %zu not dominated by any other\n", count);
    for (size_t k = 0; k < count; k++)
        report_say(out, "", "  %.4f ms  %.4g J  %s\n", t->times[front[k]].median,
                   t->trial[front[k]].joules, name_of(r, front[k]));
}

void report_result(const Run *r, Buf *out)
{
    print_space(r, out);
    print_code(r, out);
    if (r->search.done)
        report_search(r, out);
    else
        print_carving(r, out);
    if (r->counts.polished > 0)
        counted(out, "", r->counts.polished, "  more chosen from those times (polish)\n");
    if (r->source == RUN_STATIC) {
        report_selected(r, out);
    } else {
        print_outcomes(r, out);
        print_device(r, out);
    }
    print_best(r, out);
    report_audit(r, out);
    report_ledger(r, out);
}

/* --- stopped ---------------------------------------------------------------------------------- */

void report_stopped(const Run *r, int signal, Buf *out)
{
    size_t timed = count_outcomes(r).timed;
    buf_printf(out, "aptune: stopped by a signal (%s)\n", strsignal(signal));
    if (timed > 0)
        buf_printf(out, "%zu outcomes are recorded in %s/%s.times\n", timed, r->options.output,
                   r->spec->name);
    buf_puts(out, "compiled code is in the cache; the same command continues from there\n");
}

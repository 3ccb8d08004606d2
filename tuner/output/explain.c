#include "tuner/output/explain.h"

#include "tuner/output/report.h"

#include <math.h>
#include <string.h>

static double metric_at(const Run *r, size_t config, const char *name)
{
    int m = metricset_find(r->table->metrics, name);
    return m >= 0 ? table_metric(r->table, config, (size_t)m) : NAN;
}

double explain_metric(const Subject *s, const char *name)
{
    return metric_at(s->run, s->config, name);
}

void explain_number(double n, Buf *out)
{
    if (isnan(n) || fabs(n) >= 1e15) {
        buf_puts(out, "not known");
        return;
    }
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            buf_putc(out, ',');
        buf_putc(out, digits[i]);
    }
}

const char *explain_number_text(Arena *a, double n)
{
    Buf text = {0};
    explain_number(n, &text);
    const char *kept = arena_string(a, buf_text(&text));
    buf_free(&text);
    return kept;
}

static BlockUse block_use(const Profile *p)
{
    double barriers = p->value[PROFILE_BARRIERS];
    return (BlockUse){.registers = (int)p->value[PROFILE_REGISTERS],
                      .static_shared = (int64_t)p->value[PROFILE_SHARED_BYTES],
                      .threads = (int)p->value[PROFILE_THREADS_PER_BLOCK],
                      .barriers = isnan(barriers) ? 0 : (int)barriers};
}

Subject explain_subject(const Run *r, size_t config, RunLines lines, bool carved)
{
    const Table *t = r->table;
    Subject s = {.run = r,
                 .config = config,
                 .profile = t->profile[config].whole,
                 .geometry = &t->launch[config].geometry[run_profiled_launch(r, config)],
                 .lines = lines,
                 .carved = carved};
    BlockUse use = block_use(s.profile);
    s.occupancy = occupancy_compute(r->device, &use);
    return s;
}

/* --- carving ---------------------------------------------------------------------------------- */

/* Nowhere worse and somewhere better. */
static bool beats(const Run *r, size_t i, size_t j)
{
    static const char *const both[] = {"bound_cycles", "latency_cycles"};
    size_t better = 0;
    for (size_t k = 0; k < 2; k++) {
        double x = metric_at(r, i, both[k]), y = metric_at(r, j, both[k]);
        if (!(x <= y))
            return false;
        better += x < y;
    }
    return better > 0;
}

/* Parameters in which two configurations differ. */
static size_t distance(const Run *r, size_t i, size_t j)
{
    size_t n = 0;
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        n += !value_equal(table_value(r->table, i, p), table_value(r->table, j, p));
    return n;
}

size_t explain_dominator(const Subject *s)
{
    const Run *r = s->run;
    size_t best = SIZE_MAX;
    for (size_t k = 0; s->carved && k < r->carving.survivor_count; k++) {
        size_t i = r->carving.survivors[k];
        if (beats(r, i, s->config) &&
            (best == SIZE_MAX || distance(r, i, s->config) < distance(r, best, s->config)))
            best = i;
    }
    return best;
}

/* "BM=128 PAD=4": what is different in configuration `i`. */
static void print_differences(const Run *r, size_t i, size_t from, Buf *out)
{
    const char *gap = "";
    for (size_t p = 0; p < r->spec->parameter_count; p++) {
        Value v = table_value(r->table, i, p);
        if (value_equal(v, table_value(r->table, from, p)))
            continue;
        buf_printf(out, "%s%s=", gap, r->spec->parameters[p].name);
        value_print_bare(v, out);
        gap = " ";
    }
}

static void print_dominator(const Subject *s, Buf *out)
{
    static const struct {
        const char *metric, *words;
    } both[] = {{"bound_cycles", "busiest unit"}, {"latency_cycles", "warps by waves"}};
    size_t by = explain_dominator(s);
    if (by == SIZE_MAX) {
        buf_puts(out, "  no survivor is better in both, busiest unit and warps by waves\n");
        return;
    }
    buf_puts(out, "  the survivor with ");
    print_differences(s->run, by, s->config, out);
    buf_puts(out, " instead is better in both:");
    for (size_t k = 0; k < 2; k++) {
        buf_printf(out, "%s %s ", k > 0 ? "," : "", both[k].words);
        explain_number(metric_at(s->run, by, both[k].metric), out);
        buf_puts(out, " against ");
        explain_number(explain_metric(s, both[k].metric), out);
    }
    buf_puts(out, " cycles\n");
}

static void print_carving(const Subject *s, Buf *out)
{
    buf_puts(out, "\ncarving\n  ");
    if (!s->carved) {
        buf_puts(out, "not judged: only what was asked for has been compiled; aptune tune --why "
                      "carves the whole space\n");
        return;
    }
    report_why(s->run, s->config, out);
    print_dominator(s, out);
}

/* --- patterns and lines ----------------------------------------------------------------------- */

static void print_finding(const Finding *f, Buf *out)
{
    buf_printf(out, "  %s: %s\n", f->name, f->what);
    if (f->where)
        buf_printf(out, "    worst is %s\n", f->where);
    if (isnan(f->cycles)) {
        buf_puts(out, "    cost not known");
    } else {
        buf_puts(out, "    costs ");
        explain_number(f->cycles, out);
        buf_printf(out, " cycles of %s (%.0f %%)", f->unit, 100 * f->share);
    }
    buf_printf(out, "%s%s\n    %s\n", f->effect ? "; " : "", f->effect ? f->effect : "", f->remedy);
}

static void print_findings(Arena *a, const Subject *s, const SourceLines *lines, Buf *out)
{
    Findings found = explain_find(a, s, lines);
    buf_puts(out, "\npatterns found\n");
    for (size_t i = 0; i < found.all.count; i++)
        print_finding(&found.all.at[i], out);
    if (found.all.count == 0)
        buf_puts(out, "  none: memory is used well, and the bound is work\n");
    if (s->profile->value[PROFILE_CODE_UNMATCHED] > 0)
        buf_puts(out, "  (the machine code could not be joined to the PTX with certainty: its "
                      "counts are estimates)\n");
}

static void print_times(double n, Buf *out)
{
    enum { FEW = 10 };
    if (n == 1) {
        buf_puts(out, "once");
        return;
    }
    if (n < FEW) /* a mean of several warps may be a fraction */
        buf_printf(out, "%.2g", n);
    else
        explain_number(n, out);
    buf_puts(out, " times");
}

static void print_access(const SourceAccess *x, Buf *out)
{
    buf_puts(out, "  ");
    explain_access(x, out);
    buf_puts(out, ", ");
    print_times(x->executions, out);
    buf_printf(out, " a warp%s", x->sampled ? " (mean of sampled warps)" : "");
    if (x->cost - x->least >= 0.5) { /* what would not be rounded to none */
        buf_puts(out, ": ");
        explain_number(x->cost - x->least, out);
        buf_printf(out, " %s too many", x->shared ? "wavefronts" : "sectors");
        /* Measured on the H200: a request of 16 bytes a lane is served as two half-warps, so that
         * words which both halves want are passed twice. */
        if (x->shared && x->bytes == 16)
            buf_puts(out, " (16 bytes a lane: each half of the warp by itself)");
    }
    buf_putc(out, '\n');
}

static void print_lines(const SourceLines *lines, Buf *out)
{
    enum { ACCESSES_SHOWN = 8, CODE_SHOWN = 5 };
    buf_puts(out, "\nlines of the source\n");
    if (lines->why_not) {
        buf_printf(out, "  not known: %s\n", lines->why_not);
        return;
    }
    for (size_t i = 0; i < lines->accesses.count && i < ACCESSES_SHOWN; i++)
        print_access(&lines->accesses.at[i], out);
    if (lines->accesses.count == 0)
        buf_puts(out, "  no access of shared or global memory has a known address\n");
    const double hardly = 0.0005; /* what would be rounded to 0.0 % */
    for (size_t i = 0; i < lines->code.count && i < CODE_SHOWN && lines->code.at[i].share > hardly;
         i++)
        if (lines->code.at[i].line == 0)
            buf_printf(out, "  of no line: %.1f %% of the instructions\n",
                       100 * lines->code.at[i].share);
        else
            buf_printf(out, "  %s:%u: %.1f %% of the instructions\n", lines->code.at[i].file,
                       lines->code.at[i].line, 100 * lines->code.at[i].share);
}

/* What the profile takes for granted where data decides. */
static void print_assumed(const Subject *s, Buf *out)
{
    if (s->profile->note)
        buf_printf(out, "\nassumed\n  %s\n", s->profile->note);
}

static void print_subject(Arena *a, const Subject *s, Buf *out)
{
    SourceLines lines = explain_gather_lines(a, s);
    print_assumed(s, out);
    print_findings(a, s, &lines, out);
    print_lines(&lines, out);
    print_carving(s, out);
}

void explain_print(const Subject *s, int count, Buf *out)
{
    Arena *a = arena_new();
    const char *const letters[] = {"A", "B"};
    for (int i = 0; i < count; i++)
        buf_printf(out, "%-16s %s\n", count > 1 ? letters[i] : "configuration",
                   table_name(a, s[i].run->table, s[i].config));
    explain_table(s, count, out);
    for (int i = 0; i < count; i++) {
        if (count > 1)
            buf_printf(out, "\n--- %s: %s ---\n", letters[i],
                       table_name(a, s[i].run->table, s[i].config));
        print_subject(a, &s[i], out);
    }
    arena_free(a);
}

/* What timing some of the dropped configurations says of all of them. */
#include "tuner/output/report.h"
#include "tuner/output/report_parts.h"

#include "tuner/choose/audit.h"
#include "tuner/run/run.h"

#include <math.h>

/* Better by as much is what the fastest audited one shows; 0 where it is not faster. */
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

/* --- text ------------------------------------------------------------------------------------- */

static void begin(Buf *out, const char *text)
{
    buf_printf(out, "%-10s ", text);
}

static void print_sample(const Run *r, Buf *out)
{
    const RunAudit *u = &r->audit;
    begin(out, "audit");
    buf_printf(out,
               "%zu of the %zu dropped, drawn with seed %d: %zu better than the winner by more "
               "than %.1f %%",
               u->outcomes, u->dropped, r->options.audit_seed, u->better, 100 * u->margin);
    if (u->failed > 0)
        buf_printf(out, ", %zu failed", u->failed);
    if (u->outcomes < u->count)
        buf_printf(out, " (%zu drawn have no outcome)", u->count - u->outcomes);
    buf_putc(out, '\n');
}

static void print_fastest(const Run *r, Buf *out)
{
    const RunAudit *u = &r->audit;
    Arena *a = arena_new();
    if (u->fastest != SIZE_MAX) {
        begin(out, "");
        buf_printf(out, "the fastest of them takes %.4f ms, %+.1f %%: %s\n",
                   r->table->times[u->fastest].median, 100 * (u->ratio - 1),
                   table_name(a, r->table, u->fastest));
    }
    arena_free(a);
}

/* Of all that was dropped nothing is left to chance. */
static void print_certain(const RunAudit *u, Buf *out)
{
    begin(out, "");
    buf_printf(out, "that is all of them: regret %.1f %%, recall %.1f %%\n", 100 * regret_seen(u),
               100 * u->recall);
}

static void print_bounds(const RunAudit *u, Buf *out)
{
    double percent = 100 * AUDIT_CONFIDENCE;
    begin(out, "");
    buf_printf(out, "so at most %.2f %% of the dropped are better, %zu of them (%.0f %% sure)\n",
               100 * u->share_high, u->better_high, percent);
    begin(out, "recall");
    buf_printf(out,
               "%zu chosen within %.0f %% of the winner or better, %zu of those drawn: %.1f %%, at "
               "least %.1f %%\n",
               u->near_timed, 100 * RUN_AUDIT_NEAR, u->near, 100 * u->recall, 100 * u->recall_low);
    begin(out, "regret");
    if (u->fastest == SIZE_MAX)
        buf_puts(out, "not known: none of those drawn ran right\n");
    else
        buf_printf(out,
                   "%.1f %% seen; at most %.2f %% of the dropped, %zu, would show more (%.0f %% "
                   "sure)\n",
                   100 * regret_seen(u), 100 * beyond_share(u), u->beyond_high, percent);
}

void report_audit(const Run *r, Buf *out)
{
    const RunAudit *u = &r->audit;
    if (r->options.audit == 0 || r->best == SIZE_MAX || !u->list)
        return;
    if (!is_judged(r)) {
        begin(out, "audit");
        buf_puts(out, u->dropped == 0 ? "nothing was dropped\n"
                                      : "none of those drawn has an outcome\n");
        return;
    }
    print_sample(r, out);
    print_fastest(r, out);
    if (u->outcomes == u->dropped)
        print_certain(u, out);
    else
        print_bounds(u, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *count_of(size_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *fastest_of(const Run *r)
{
    const RunAudit *u = &r->audit;
    if (u->fastest == SIZE_MAX)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "parameters", report_parameters(r, u->fastest));
    json_object_set_new(o, "time_ms", report_number(r->table->times[u->fastest].median));
    json_object_set_new(o, "ratio", report_number(u->ratio));
    return o;
}

json_t *report_audit_json(const Run *r)
{
    const RunAudit *u = &r->audit;
    if (!is_judged(r))
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "seed", json_integer(r->options.audit_seed));
    json_object_set_new(o, "dropped", count_of(u->dropped));
    json_object_set_new(o, "drawn", count_of(u->count));
    json_object_set_new(o, "audited", count_of(u->outcomes));
    json_object_set_new(o, "failed", count_of(u->failed));
    json_object_set_new(o, "confidence", report_number(AUDIT_CONFIDENCE));
    json_object_set_new(o, "margin", report_number(u->margin));
    json_object_set_new(o, "better", count_of(u->better));
    json_object_set_new(o, "better_share_high", report_number(u->share_high));
    json_object_set_new(o, "better_high", count_of(u->better_high));
    json_object_set_new(o, "fastest", fastest_of(r));
    json_object_set_new(o, "regret", report_number(u->fastest == SIZE_MAX ? NAN : regret_seen(u)));
    json_object_set_new(o, "regret_but_for_share", report_number(beyond_share(u)));
    json_object_set_new(o, "near", report_number(RUN_AUDIT_NEAR));
    json_object_set_new(o, "near_chosen", count_of(u->near_timed));
    json_object_set_new(o, "near_audited", count_of(u->near));
    json_object_set_new(o, "recall", report_number(u->recall));
    json_object_set_new(o, "recall_low", report_number(u->recall_low));
    return o;
}

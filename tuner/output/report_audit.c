/* What timing some of the dropped configurations says of all of them. */
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

static void print_sample(const Run *r, Buf *out)
{
    const RunAudit *u = &r->audit;
    report_label(out, "audit");
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
        report_label(out, "");
        buf_printf(out, "the fastest of them takes %.4f ms, %+.1f %%: %s\n",
                   r->table->times[u->fastest].median, 100 * (u->ratio - 1),
                   table_name(a, r->table, u->fastest));
    }
    arena_free(a);
}

/* Of all that was dropped nothing is left to chance. */
static void print_certain(const RunAudit *u, Buf *out)
{
    report_label(out, "");
    buf_printf(out, "that is all of them: regret %.1f %%, recall %.1f %%\n", 100 * regret_seen(u),
               100 * u->recall);
}

static void print_bounds(const RunAudit *u, Buf *out)
{
    double percent = 100 * AUDIT_CONFIDENCE;
    report_label(out, "");
    buf_printf(out, "so at most %.2f %% of the dropped are better, %zu of them (%.0f %% sure)\n",
               100 * u->share_high, u->better_high, percent);
    report_label(out, "recall");
    buf_printf(out,
               "%zu chosen within %.0f %% of the winner or better, %zu of those drawn: %.1f %%, at "
               "least %.1f %%\n",
               u->near_timed, 100 * RUN_AUDIT_NEAR, u->near, 100 * u->recall, 100 * u->recall_low);
    report_label(out, "regret");
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
        report_label(out, "audit");
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

static json_t *fastest_of(const Run *r)
{
    const RunAudit *u = &r->audit;
    if (u->fastest == SIZE_MAX)
        return json_null();
    return json_put(json_object(), "parameters", report_parameters(r, u->fastest), "time_ms",
                    json_known(r->table->times[u->fastest].median), "ratio", json_known(u->ratio),
                    NULL);
}

json_t *report_audit_json(const Run *r)
{
    const RunAudit *u = &r->audit;
    if (!is_judged(r))
        return json_null();
    return json_put(
        json_object(), "seed", json_integer(r->options.audit_seed), "dropped",
        json_count(u->dropped), "drawn", json_count(u->count), "audited", json_count(u->outcomes),
        "failed", json_count(u->failed), "confidence", json_real(AUDIT_CONFIDENCE), "margin",
        json_known(u->margin), "better", json_count(u->better), "better_share_high",
        json_known(u->share_high), "better_high", json_count(u->better_high), "fastest",
        fastest_of(r), "regret", json_known(u->fastest == SIZE_MAX ? NAN : regret_seen(u)),
        "regret_but_for_share", json_known(beyond_share(u)), "near", json_real(RUN_AUDIT_NEAR),
        "near_chosen", json_count(u->near_timed), "near_audited", json_count(u->near), "recall",
        json_known(u->recall), "recall_low", json_known(u->recall_low), NULL);
}

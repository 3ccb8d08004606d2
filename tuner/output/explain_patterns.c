/* What keeps a configuration from being faster: patterns, each with its cost and a remedy.
 *
 * The cost of a pattern is the difference that the metrics make between the profile as it is and
 * the profile without it: cycles of the unit concerned, and how far the bound of all units falls.
 * Patterns hide each other, so costs do not add up.  The choice of patterns follows
 * J. Cornelis's anti-parallel patterns; thresholds are ours. */
#include "tuner/output/explain.h"

#include <math.h>

/* Passes or sectors over their least that are worth a word. */
static const double worth_telling = 1.1;
/* A last wave that leaves more room than this empty is told. */
static const double good_tail = 0.9;
/* Instruction cache of an SM behind the small ones of its four parts: measured as 128 KiB on Volta
 * (Jia, Maggioni, Staiger, Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking", 2018, table 3.1); not known to be smaller since. */
static const double instruction_cache_bytes = 131072;

static double field(const Subject *s, ProfileField f)
{
    return s->profile->value[f];
}

/* A metric of the profile as it would be. */
static double metric_of(const Subject *s, const Profile *p, const char *name)
{
    const MetricSet *set = s->run->metrics;
    int m = metricset_find(set, name);
    if (m < 0)
        return NAN;
    Arena *a = arena_new();
    MetricValue *values = ARENA_ARRAY(a, MetricValue, set->metrics.count);
    metricset_evaluate(a, set, p, s->run->device, values);
    double value = values[m].value;
    arena_free(a);
    return value;
}

/* "1,234 cycles of shared memory (56 % of them), and the bound falls by 7 %" */
static void print_cost(const Subject *s, const Profile *without, const char *metric,
                       const char *unit, Buf *out)
{
    double now = metric_of(s, s->profile, metric), then = metric_of(s, without, metric);
    double bound = metric_of(s, s->profile, "bound_cycles");
    double fall = bound - metric_of(s, without, "bound_cycles");
    if (!(now > 0) || isnan(then)) {
        buf_puts(out, "\n    cost not known: the device's rates are not");
        return;
    }
    buf_puts(out, "\n    costs ");
    explain_number(now - then, out);
    buf_printf(out, " cycles of %s (%.0f %% of them); ", unit, 100 * (now - then) / now);
    if (fall > 0)
        buf_printf(out, "without, the bound is %.0f %% lower", 100 * fall / bound);
    else
        buf_puts(out, "another unit is the bound all the same");
}

static bool bank_conflicts(const Subject *s, Buf *out)
{
    double n = field(s, PROFILE_SHARED_WAVEFRONTS), least = field(s, PROFILE_SHARED_WAVEFRONTS_MIN);
    if (!(least > 0 && n > worth_telling * least))
        return false;
    Profile without = *s->profile;
    without.value[PROFILE_SHARED_WAVEFRONTS] = least;
    buf_printf(out, "  bank conflicts: accesses of shared memory take %.2f times the passes needed",
               n / least);
    print_cost(s, &without, "shared_cycles", "shared memory and L1", out);
    buf_puts(out, "\n    Lanes of a warp meet in the same bank: pad the rows, swizzle the columns, "
                  "or give neighbouring lanes neighbouring words.\n");
    return true;
}

static bool uncoalesced(const Subject *s, Buf *out)
{
    double n = field(s, PROFILE_GLOBAL_SECTORS), least = field(s, PROFILE_GLOBAL_SECTORS_MIN);
    if (!(least > 0 && n > worth_telling * least))
        return false;
    Profile without = *s->profile;
    without.value[PROFILE_GLOBAL_SECTORS] = least;
    buf_printf(out,
               "  scattered accesses: global memory is asked for %.2f times the sectors needed",
               n / least);
    print_cost(s, &without, "l2_cycles", "L2", out);
    buf_puts(out, "\n    Let neighbouring lanes take neighbouring addresses, aligned to 32 bytes, "
                  "and turn tiles over in shared memory.\n");
    return true;
}

static bool spills(const Subject *s, Buf *out)
{
    double n = field(s, PROFILE_SPILL_ISSUED);
    if (!(n > 0))
        return false;
    Profile without = *s->profile;
    without.value[PROFILE_ISSUED] -= n;
    buf_puts(out, "  spills: a warp issues ");
    explain_number(n, out);
    buf_puts(out, " accesses of local memory");
    print_cost(s, &without, "issue_cycles", "issuing", out);
    buf_puts(out, "\n    The thread keeps more values than it has registers: less work for each "
                  "thread, less unrolling, or fewer blocks asked for per SM.\n");
    return true;
}

/* Instructions of a warp, in whole ones, that lanes are idle for. */
static double idle_instructions(const Walk *w)
{
    double idle = 0;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (int b = 0; b < f->flow->cfg->count; b++) {
            const CfgBlock *block = &f->flow->cfg->blocks[b];
            double lanes = (double)f->blocks[b].lanes / w->lanes;
            idle += ((double)f->blocks[b].visits - lanes) * (double)(block->end - block->first);
        }
    }
    return idle;
}

static bool divergence(const Subject *s, Buf *out)
{
    const Walk *w = s->lines.memory ? s->lines.memory->walk : NULL;
    if (!w || !(w->divergent > 0) || w->lanes == 0)
        return false;
    double share = idle_instructions(w) / w->instr_all;
    buf_printf(out, "  divergence: the lanes of a warp part %.0f times\n    costs about ",
               w->divergent);
    explain_number(share * explain_metric(s, "issue_cycles"), out);
    buf_printf(out,
               " cycles of issuing (%.0f %% of them)\n    Sides of a branch are run one after the "
               "other: decide by warp instead of by lane, or compute both and select.\n",
               100 * share);
    return true;
}

static bool unknown_flow(const Subject *s, Buf *out)
{
    double branches = field(s, PROFILE_BRANCHES_UNKNOWN), loops = field(s, PROFILE_LOOPS_UNKNOWN);
    if (!(branches > 0 || loops > 0))
        return false;
    buf_printf(out,
               "  branches on data: %.0f branches and %.0f loops were not foreseen\n    cost not "
               "known; the figures above assume both sides and a stated number of iterations\n    "
               "Branch on indices instead of data, or give loops a constant number of "
               "iterations.\n",
               branches, loops);
    return true;
}

static bool unknown_addresses(const Subject *s, Buf *out)
{
    double n = field(s, PROFILE_ACCESSES_UNKNOWN);
    if (!(n > 0))
        return false;
    buf_printf(out,
               "  indirect accesses: the addresses of %.0f accesses of a warp depend on data\n    "
               "cost not known; conflicts and sectors above leave them out\n    Sort or block the "
               "indices so that the lanes of a warp stay close together.\n",
               n);
    return true;
}

static void print_more_blocks(const Subject *s, Buf *out)
{
    char limits[64];
    const Occupancy *o = &s->occupancy;
    buf_printf(out,
               "Give each warp more independent loads, or make room for more warps (now %d of "
               "%d, limited by %s",
               o->warps_per_sm, s->run->device->warps_per_sm,
               occupancy_limits_text(o->limits, limits));
    if (o->fewer_registers > 0)
        buf_printf(out, "; %d registers fewer give one more block", o->fewer_registers);
    if (o->fewer_shared_bytes > 0)
        buf_printf(out, "; %lld bytes of shared memory fewer give one more block",
                   (long long)o->fewer_shared_bytes);
    buf_puts(out, ").\n");
}

static bool too_few_warps(const Subject *s, Buf *out)
{
    double bound = explain_metric(s, "bound_cycles"), crowd = explain_metric(s, "crowd_cycles");
    if (!(crowd > bound))
        return false;
    buf_printf(out, "  waiting: at %.0f %% occupancy the warps' own time is longer than any unit's",
               100 * s->occupancy.fraction);
    buf_puts(out, "\n    costs ");
    explain_number(crowd - bound, out);
    buf_printf(out, " cycles in which the busiest unit idles (%.0f %% of the predicted time)\n    ",
               100 * (crowd - bound) / crowd);
    print_more_blocks(s, out);
    return true;
}

static bool barriers(const Subject *s, Buf *out)
{
    enum { TOLD_PERCENT = 20 };
    double n = field(s, PROFILE_SERIAL_BARRIER), all = field(s, PROFILE_SERIAL_CYCLES);
    if (!(all > 0 && 100 * n > TOLD_PERCENT * all))
        return false;
    buf_puts(out, "  barriers: a warp alone spends ");
    explain_number(n, out);
    buf_printf(out,
               " of its cycles at them (%.0f %%)\n    Do more between two barriers, use two "
               "buffers so that one suffices, or synchronize a warp instead of the block.\n",
               100 * n / all);
    return true;
}

static bool tail(const Subject *s, Buf *out)
{
    double efficiency = field(s, PROFILE_TAIL_EFFICIENCY);
    double bound = explain_metric(s, "bound_cycles");
    if (!(efficiency < good_tail))
        return false;
    buf_printf(out, "  tail: %.2f waves of blocks take the time of %.0f\n    costs ",
               field(s, PROFILE_WAVES), ceil(field(s, PROFILE_WAVES)));
    explain_number(bound * (1 - efficiency), out);
    buf_printf(out,
               " cycles (%.0f %% of the bound)\n    Choose tiles that fill the SMs a whole "
               "number of times, or smaller blocks, so that the last wave is short.\n",
               100 * (1 - efficiency));
    return true;
}

static bool large_loop(const Subject *s, Buf *out)
{
    double bytes = field(s, PROFILE_LOOP_BYTES);
    if (!(bytes > instruction_cache_bytes))
        return false;
    buf_puts(out, "  large loops: ");
    explain_number(bytes, out);
    buf_puts(out, " bytes of code in the innermost loops do not fit the instruction cache (128 KB)"
                  "\n    cost not known\n    Unroll less, or give a thread fewer elements.\n");
    return true;
}

void explain_patterns(const Subject *s, Buf *out)
{
    static bool (*const patterns[])(const Subject *, Buf *) = {
        bank_conflicts,    uncoalesced,   spills,   divergence, unknown_flow,
        unknown_addresses, too_few_warps, barriers, tail,       large_loop};
    bool found = false;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        found |= patterns[i](s, out);
    if (!found)
        buf_puts(out, "  none: memory is used well, and the bound is work\n");
    if (field(s, PROFILE_CODE_UNMATCHED) > 0)
        buf_puts(out, "  (the machine code could not be joined to the PTX with certainty: its "
                      "counts are estimates)\n");
}

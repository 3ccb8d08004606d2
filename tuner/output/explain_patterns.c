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
/* A share of the predicted time that is. */
static const double worth_telling_share = 0.05;
/* Costs below this share of the bound are not. */
static const double not_worth_telling = 0.01;
/* A share of a warp's own time at barriers that is. */
static const double long_at_barriers = 0.2;
/* The mean of the SMs' blocks over their most; below this it is told. */
static const double good_balance = 0.9;
/* Code of innermost loops, bytes.  How large the instruction caches of an H200 are is not published
 * (the device files have what was found out of older ones, and takes it over).  In the recording of
 * spaces/mm.spec on an H200, configurations that differ in the unrolling alone lose nothing to
 * their prediction up to here, and it has next to none beyond. */
static const double loop_bytes_known = 24576;

/* What finding needs; every text goes to the arena. */
typedef struct Search {
    Arena *arena;
    const Subject *s;
    const SourceLines *lines;
} Search;

static double field(const Search *f, ProfileField name)
{
    return f->s->profile->value[name];
}

/* A metric of the profile as it would be. */
static double metric_of(const Search *f, const Profile *p, const char *name)
{
    const MetricSet *set = f->s->run->table->metrics;
    int m = metricset_find(set, name);
    if (m < 0)
        return NAN;
    MetricValue *values = ARENA_ARRAY(f->arena, MetricValue, set->metrics.count);
    metricset_evaluate(f->arena, set, &(LaunchProfile){p, 1}, 1, f->s->run->device, values);
    return values[m].value;
}

/* Sets the cost: the difference in a metric to the profile without the pattern. */
static void set_cost(const Search *f, Finding *found, const Profile *without, const char *metric)
{
    double now = metric_of(f, f->s->profile, metric), then = metric_of(f, without, metric);
    double bound = metric_of(f, f->s->profile, "bound_cycles");
    double fall = bound - metric_of(f, without, "bound_cycles");
    found->cycles = now - then;
    found->share = (now - then) / now;
    if (!(now > 0) || isnan(then)) {
        found->cycles = found->share = NAN;
        found->effect = "the device's rates are not";
        return;
    }
    double latency = explain_metric(f->s, "latency_cycles");
    bool waits = latency - bound > worth_telling_share * latency;
    if (fall > 0)
        found->effect =
            arena_printf(f->arena, "without, the bound is %.0f %% lower%s", 100 * fall / bound,
                         waits ? ", though the warps' own time is longer still" : "");
    else
        found->effect = "another unit is the bound all the same";
}

/* The access that loses most in that memory, if it loses anything. */
static const char *worst_line(const Search *f, bool shared)
{
    VEC_EACH (const SourceAccess, x, f->lines->accesses)
        if (x->shared == shared && x->cost > x->least)
            return explain_access(f->arena, x);
    return NULL;
}

/* --- data access ------------------------------------------------------------------------------ */

static bool bank_conflicts(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_SHARED_WAVEFRONTS), least = field(f, PROFILE_SHARED_WAVEFRONTS_MIN);
    if (!(least > 0 && n > worth_telling * least))
        return false;
    Profile without = *f->s->profile;
    without.value[PROFILE_SHARED_WAVEFRONTS] = least;
    *out = (Finding){
        .name = "bank conflicts",
        .kind = "data access",
        .what = arena_printf(
            f->arena, "accesses of shared memory take %.2f times the passes needed", n / least),
        .where = worst_line(f, true),
        .unit = "shared memory and L1",
        .remedy = "Lanes of a warp meet in the same bank: pad the rows, swizzle the columns, or "
                  "give neighbouring lanes neighbouring words."};
    set_cost(f, out, &without, "shared_cycles");
    return true;
}

/* Cycles of a unit that the profile without the pattern saves. */
static double saved(const Search *f, const Profile *without, const char *metric)
{
    return metric_of(f, f->s->profile, metric) - metric_of(f, without, metric);
}

static bool scattered_accesses(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_GLOBAL_SECTORS), least = field(f, PROFILE_GLOBAL_SECTORS_MIN);
    if (!(least > 0 && n > worth_telling * least))
        return false;
    Profile without = *f->s->profile;
    double *v = without.value;
    v[PROFILE_GLOBAL_SECTORS] = least;
    v[PROFILE_GLOBAL_LINES] = v[PROFILE_GLOBAL_PASSES] = v[PROFILE_GLOBAL_LINES_MIN];
    v[PROFILE_LOAD_SECTORS] *= least / n;
    v[PROFILE_STORE_SECTORS] *= least / n;
    v[PROFILE_LOAD_FIRST_SM] = fmin(v[PROFILE_LOAD_FIRST_SM], v[PROFILE_LOAD_SECTORS]);
    const bool l1 = saved(f, &without, "shared_cycles") > saved(f, &without, "l2_cycles");
    *out = (Finding){
        .name = "scattered accesses",
        .kind = "data access",
        .what = arena_printf(f->arena, "global memory is asked for %.2f times the sectors needed",
                             n / least),
        .where = worst_line(f, false),
        .unit = l1 ? "shared memory and L1" : "L2",
        .remedy = "Let neighbouring lanes take neighbouring addresses, aligned to 32 bytes, and "
                  "turn tiles over in shared memory."};
    set_cost(f, out, &without, l1 ? "shared_cycles" : "l2_cycles");
    return true;
}

static bool spills(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_SPILL_ISSUED);
    if (!(n > 0))
        return false;
    Profile without = *f->s->profile;
    without.value[PROFILE_ISSUED] -= n;
    *out = (Finding){.name = "spills",
                     .kind = "data access",
                     .what = arena_printf(f->arena, "a warp issues %s accesses of local memory",
                                          explain_number_text(f->arena, n)),
                     .unit = "issuing",
                     .remedy = "The thread keeps more values than it has registers: less work for "
                               "each thread, less unrolling, or fewer blocks asked for per SM."};
    set_cost(f, out, &without, "issue_cycles");
    return true;
}

/* Fewer multiply-adds with both operands in one bank are usual: the compiler cannot part all of
 * them. */
static const double one_bank_share = 0.1;

static bool tied_sums(const Search *f, Finding *out)
{
    double tied = field(f, PROFILE_TIED_SUMS);
    double share = field(f, PROFILE_ONE_BANK_READS) / field(f, PROFILE_FMA_ISSUED);
    if (!(tied > 0 && share > one_bank_share))
        return false;
    Profile without = *f->s->profile;
    without.value[PROFILE_PORT_CYCLES] = field(f, PROFILE_ISSUED);
    *out = (Finding){
        .name = "tied sums",
        .kind = "data access",
        .what = arena_printf(
            f->arena,
            "sums tied to aligned registers by a vector store: %.0f of a thread's leave "
            "the loop as the store needs them, side by side, and %.0f %% of the "
            "multiply-adds read two registers through one port",
            tied, 100 * share),
        .unit = "reading registers",
        .remedy =
            "Store something computed from the sums, such as a number known at run time only times "
            "each: then the compiler may put them where the ports are free."};
    set_cost(f, out, &without, "issue_cycles");
    return true;
}

static bool indirect_accesses(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_ACCESSES_UNKNOWN);
    if (!(n > 0))
        return false;
    *out = (Finding){
        .name = "indirect accesses",
        .kind = "data access",
        .what = arena_printf(f->arena, "the addresses of %s accesses of a warp depend on data",
                             explain_number_text(f->arena, n)),
        .cycles = NAN,
        .share = NAN,
        .effect = "conflicts and sectors above leave them out",
        .remedy = "Declare what the buffers hold that the addresses come from (contents), and they "
                  "are followed."};
    return true;
}

/* --- branching -------------------------------------------------------------------------------- */

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

static bool divergence(const Search *f, Finding *out)
{
    const Walk *w = f->s->lines.memory ? f->s->lines.memory->walk : NULL;
    double share = w && w->lanes > 0 ? idle_instructions(w) / w->instr_all : 0;
    if (!(share > worth_telling_share))
        return false;
    *out = (Finding){.name = "divergence",
                     .kind = "branching",
                     .what = w->divergent == 1
                                 ? "a warp diverges once"
                                 : arena_printf(f->arena, "a warp diverges %s times",
                                                explain_number_text(f->arena, w->divergent)),
                     .cycles = share * explain_metric(f->s, "issue_cycles"),
                     .share = share,
                     .unit = "issuing",
                     .remedy = "Sides of a branch are run one after the other: decide by warp "
                               "instead of by lane, or compute both and select."};
    return true;
}

static bool branches_on_data(const Search *f, Finding *out)
{
    double branches = field(f, PROFILE_BRANCHES_UNKNOWN), loops = field(f, PROFILE_LOOPS_UNKNOWN);
    if (!(branches > 0 || loops > 0))
        return false;
    *out = (Finding){
        .name = "branches on data",
        .kind = "branching",
        .what = arena_printf(f->arena, "%.0f branches and %.0f loops could not be predicted",
                             branches, loops),
        .cycles = NAN,
        .share = NAN,
        .effect = "the figures above assume both sides and a stated number of iterations",
        .remedy = "Branch on indices instead of data, or give loops a constant number of "
                  "iterations."};
    return true;
}

/* --- synchronization -------------------------------------------------------------------------- */

static bool barriers(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_SERIAL_BARRIER), all = field(f, PROFILE_SERIAL_CYCLES);
    if (!(all > 0 && n > long_at_barriers * all))
        return false;
    *out =
        (Finding){.name = "barriers",
                  .kind = "synchronization",
                  .what = arena_printf(f->arena, "a warp alone executes %s of them",
                                       explain_number_text(f->arena, field(f, PROFILE_SYNC_INSTR))),
                  .cycles = n,
                  .share = n / all,
                  .unit = "one warp alone",
                  .remedy = "Do more between two barriers, use two buffers so that one suffices, "
                            "or synchronize a warp instead of the block."};
    return true;
}

/* --- partitioning ----------------------------------------------------------------------------- */

/* What would give the SM one block more; "" when no one resource would. */
static const char *one_more_block(const Search *f)
{
    const Occupancy *o = &f->s->occupancy;
    if (o->fewer_registers > 0)
        return arena_printf(f->arena, "; %d registers fewer give one more block",
                            o->fewer_registers);
    if (o->fewer_shared_bytes > 0)
        return arena_printf(f->arena, "; %lld bytes of shared memory fewer give one more block",
                            (long long)o->fewer_shared_bytes);
    return "";
}

/* What a warp alone spends most of its time on, and what helps against that. */
typedef struct Pastime {
    ProfileField field;
    const char *words, *remedy;
} Pastime;

static const Pastime *longest(const Search *f)
{
    static const Pastime all[] = {
        {PROFILE_SERIAL_ISSUE, "issuing instructions",
         "Do the same work with fewer instructions (wider accesses, more of it in one thread)"},
        {PROFILE_SERIAL_GLOBAL, "waiting for global memory",
         "Give each warp more independent loads, or begin them earlier"},
        {PROFILE_SERIAL_SHARED, "waiting for shared memory",
         "Read shared memory in wider words, or keep more of it in registers"},
        {PROFILE_SERIAL_BARRIER, "waiting at barriers", "Do more between two barriers"}};
    const Pastime *most = &all[0];
    for (size_t i = 1; i < sizeof all / sizeof all[0]; i++)
        if (field(f, all[i].field) > field(f, most->field))
            most = &all[i];
    return most;
}

static const char *more_work_or_warps(const Search *f)
{
    char limits[64];
    const Occupancy *o = &f->s->occupancy;
    const char *less = longest(f)->remedy;
    if (o->warps_per_sm >= f->s->run->device->warps_per_sm)
        return arena_printf(f->arena, "%s; the SM holds no more warps.", less);
    return arena_printf(f->arena,
                        "%s; or make room for more warps (now %d of %d, limited by %s%s).", less,
                        o->warps_per_sm, f->s->run->device->warps_per_sm,
                        occupancy_limits_text(o->limits, limits), one_more_block(f));
}

static bool waiting(const Search *f, Finding *out)
{
    double bound = explain_metric(f->s, "bound_cycles");
    double latency = explain_metric(f->s, "latency_cycles");
    if (!(latency - bound > worth_telling_share * latency))
        return false;
    const Pastime *most = longest(f);
    *out =
        (Finding){.name = "waiting",
                  .kind = "partitioning",
                  .what = arena_printf(
                      f->arena,
                      "%d warps on an SM take longer than its busiest unit has work; alone, "
                      "one spends %.0f %% of its time %s",
                      f->s->occupancy.warps_per_sm,
                      100 * field(f, most->field) / field(f, PROFILE_SERIAL_CYCLES), most->words),
                  .cycles = latency - bound,
                  .share = (latency - bound) / latency,
                  .unit = "the predicted time",
                  .effect = "the busiest unit idles then",
                  .remedy = more_work_or_warps(f)};
    return true;
}

/* Blocks are whole: the SMs that get one more than others end last. */
static bool uneven_blocks(const Search *f, Finding *out)
{
    double balance = explain_metric(f->s, "balance"), blocks = field(f, PROFILE_BLOCKS);
    int sms = f->s->run->device->sms;
    if (!(balance > 1 / good_balance))
        return false;
    *out = (Finding){
        .name = "uneven blocks",
        .kind = "partitioning",
        .what = arena_printf(f->arena, "%.0f blocks on %d SMs: some get %.0f, the mean is %.2f",
                             blocks, sms, ceil(blocks / sms), blocks / sms),
        .cycles = explain_metric(f->s, "bound_cycles") * (1 - 1 / balance),
        .share = 1 - 1 / balance,
        .unit = "the bound",
        .remedy = "Choose tiles that give every SM as many blocks, or smaller ones, so that one "
                  "block more weighs less."};
    return true;
}

/* A grid smaller than one wave leaves room for warps that would hide latency. */
static bool few_blocks(const Search *f, Finding *out)
{
    double waves = field(f, PROFILE_WAVES);
    if (!(waves < good_balance))
        return false;
    *out = (Finding){.name = "few blocks",
                     .kind = "partitioning",
                     .what = arena_printf(f->arena, "an SM could hold %.0f blocks and gets %.1f",
                                          field(f, PROFILE_BLOCKS_PER_SM),
                                          waves * field(f, PROFILE_BLOCKS_PER_SM)),
                     .cycles = NAN,
                     .effect = "fewer warps than there could be hide what each one waits for",
                     .remedy = "Give each block, or each thread, less to do."};
    return true;
}

static bool idle_lanes(const Search *f, Finding *out)
{
    int threads = (int)field(f, PROFILE_THREADS_PER_BLOCK);
    int warps = f->s->occupancy.warps_per_block;
    if (threads <= 0 || threads % WARP_THREADS == 0)
        return false;
    double idle = 1 - (double)threads / (WARP_THREADS * warps);
    *out = (Finding){
        .name = "idle lanes",
        .kind = "partitioning",
        .what = arena_printf(f->arena, "the last warp of a block has %d of %d lanes",
                             threads % WARP_THREADS, WARP_THREADS),
        .cycles = idle * explain_metric(f->s, "issue_cycles"),
        .share = idle,
        .unit = "issuing",
        .remedy = arena_printf(f->arena, "Make blocks of a multiple of %d threads.", WARP_THREADS)};
    return true;
}

static bool large_loops(const Search *f, Finding *out)
{
    double bytes = field(f, PROFILE_LOOP_BYTES);
    if (!(bytes > loop_bytes_known))
        return false;
    *out = (Finding){.name = "large loops",
                     .kind = "partitioning",
                     .what = arena_printf(f->arena, "the innermost loops are %s bytes of code",
                                          explain_number_text(f->arena, bytes)),
                     .cycles = NAN,
                     .share = NAN,
                     .effect = "how much code this device's instruction caches hold is not "
                               "published; up to 24 KB cost nothing on an H200",
                     .remedy = "Unroll less, or give a thread fewer elements."};
    return true;
}

/* Is the cost known to be next to nothing, whatever share of its unit's cycles it is? */
static bool is_minor(const Search *f, const Finding *found)
{
    return found->cycles < not_worth_telling * explain_metric(f->s, "bound_cycles");
}

Findings explain_find(Arena *a, const Subject *s, const SourceLines *lines)
{
    static bool (*const patterns[])(const Search *, Finding *) = {
        bank_conflicts, scattered_accesses, spills,     tied_sums, indirect_accesses,
        divergence,     branches_on_data,   barriers,   waiting,   uneven_blocks,
        few_blocks,     idle_lanes,         large_loops};
    Search search = {a, s, lines};
    Findings found = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        Finding one;
        if (patterns[i](&search, &one) && !(is_minor(&search, &one) && patterns[i] != barriers))
            VEC_PUSH(a, &found.all, one);
    }
    return found;
}

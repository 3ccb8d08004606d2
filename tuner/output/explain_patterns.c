/* Patterns that slow a configuration, each with its cost and a remedy.
 *
 * The cost of a pattern is the difference of the metrics between the actual profile and the profile without
 * the pattern: cycles of the unit concerned, and the reduction of the bound.  Patterns hide each other, so
 * costs do not add up.  The patterns follow J. Cornelis's anti-parallel patterns; the thresholds are ours. */
#include "tuner/output/explain.h"

/* Passes or sectors over their least from which they are reported. */
static const double worth_telling = 1.1;
/* Share of the predicted time, or of the instructions, from which a loss is reported. */
static const double worth_telling_share = 0.05;
/* Costs below this share of the bound are not reported. */
static const double not_worth_telling = 0.01;
/* Share of a lone warp's time at barriers from which it is reported. */
static const double long_at_barriers = 0.2;
/* Mean over maximum of the SMs' blocks below which imbalance is reported. */
static const double good_balance = 0.9;
/* Code of innermost loops, bytes.  The sizes of an H200's instruction caches are not published (the device
 * files take over what was found for older GPUs).  In the recording of spaces/mm.spec on an H200,
 * configurations that differ only in unrolling lose nothing against their prediction up to here; it has
 * almost none beyond. */
static const double loop_bytes_known = 24576;

/* The input of all patterns; texts go to the arena. */
typedef struct Search {
    Arena *arena;
    const Subject *s;
    const SourceLines *lines;
} Search;

static double field(const Search *f, ProfileField name)
{
    return f->s->profile->value[name];
}

/* A metric of a modified profile. */
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

/* Sets the cost: the difference of a metric to the profile without the pattern. */
static void set_cost(const Search *f, Finding *found, const Profile *without, const char *metric)
{
    double now = metric_of(f, f->s->profile, metric), then = metric_of(f, without, metric);
    double bound = metric_of(f, f->s->profile, "bound_cycles");
    double fall = bound - metric_of(f, without, "bound_cycles");
    found->cycles = now - then;
    found->share = (now - then) / now;
    if (!(now > 0) || isnan(then)) {
        found->cycles = found->share = NAN;
        found->effect = "the device's rates are not known";
        return;
    }
    double latency = explain_metric(f->s, "latency_cycles");
    bool waits = latency - bound > worth_telling_share * latency;
    if (fall > 0)
        found->effect =
            arena_printf(f->arena, "without it, the bound is %.0f %% lower%s", 100 * fall / bound,
                         waits ? ", but warp latency exceeds the bound" : "");
    else
        found->effect = "another unit remains the bound";
}

/* The access with the largest loss in that memory; NULL: none loses. */
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
    out->what = arena_printf(
        f->arena, "shared memory accesses take %.2f times the necessary passes", n / least);
    out->where = worst_line(f, true);
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
    out->what =
        arena_printf(f->arena, "global accesses touch %.2f times the necessary sectors", n / least);
    out->where = worst_line(f, false);
    out->unit = l1 ? "shared memory and L1" : "L2";
    set_cost(f, out, &without, l1 ? "shared_cycles" : "l2_cycles");
    return true;
}

/* Arrays, spilled registers or both: their accesses look the same. */
static bool local_memory(const Search *f, Finding *out)
{
    static const char of_arrays[] =
        "An array whose indices are not known to the compiler stays in local memory: unroll the "
        "loops that index it, or put it into shared memory.";
    static const char of_spills[] =
        "Threads need more registers than they have: give each thread less work, unroll less, or "
        "ask for fewer blocks per SM.";
    const double n = field(f, PROFILE_SPILL_ISSUED);
    if (!(n > 0))
        return false;
    const bool spilled = field(f, PROFILE_SPILL_BYTES) > 0;
    const bool arrays = !spilled || field(f, PROFILE_LOCAL_SECTORS) > 0;
    Profile without = *f->s->profile;
    without.value[PROFILE_ISSUED] -= n;
    without.value[PROFILE_LOCAL_TRAFFIC] = without.value[PROFILE_LOCAL_STORED] = 0;
    static const struct {
        const char *metric, *name;
    } units[] = {{"issue_cycles", "issuing"},
                 {"shared_cycles", "shared memory and L1"},
                 {"open_cycles", "L2"}};
    int most = 0;
    for (int i = 1; i < 3; i++)
        most =
            saved(f, &without, units[i].metric) > saved(f, &without, units[most].metric) ? i : most;
    out->name = !spilled ? "local memory" : arrays ? "local memory and spills" : "spills";
    out->what = arena_printf(f->arena, "a warp issues %s accesses to local memory",
                             explain_number_text(f->arena, n));
    out->unit = units[most].name;
    out->remedy = !spilled ? of_arrays
                  : arrays ? arena_printf(f->arena, "%s %s", of_arrays, of_spills)
                           : of_spills;
    set_cost(f, out, &without, units[most].metric);
    return true;
}

/* A smaller share of multiply-adds with both operands in one bank is normal: the compiler cannot avoid all of
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
    out->what = arena_printf(
        f->arena,
        "a vector store ties %.0f sums of a thread to adjacent, aligned registers, and "
        "%.0f %% of the multiply-adds read two registers through one port",
        tied, 100 * share);
    set_cost(f, out, &without, "issue_cycles");
    return true;
}

static bool indirect_accesses(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_ACCESSES_UNKNOWN);
    out->what = arena_printf(f->arena, "the addresses of %s accesses per warp depend on data",
                             explain_number_text(f->arena, n));
    return n > 0;
}

/* --- branching -------------------------------------------------------------------------------- */

/* A warp's instructions lost to idle lanes, in units of full-warp instructions. */
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
    out->what = w->divergent == 1 ? "a warp diverges once"
                                  : arena_printf(f->arena, "a warp diverges %s times",
                                                 explain_number_text(f->arena, w->divergent));
    out->cycles = share * explain_metric(f->s, "issue_cycles");
    out->share = share;
    return true;
}

static bool branches_on_data(const Search *f, Finding *out)
{
    double branches = field(f, PROFILE_BRANCHES_UNKNOWN), loops = field(f, PROFILE_LOOPS_UNKNOWN);
    out->what = arena_printf(f->arena, "%.0f branches and %.0f loops could not be predicted",
                             branches, loops);
    return branches > 0 || loops > 0;
}

/* --- synchronization -------------------------------------------------------------------------- */

static bool barriers(const Search *f, Finding *out)
{
    double n = field(f, PROFILE_SERIAL_BARRIER), all = field(f, PROFILE_SERIAL_CYCLES);
    out->what = arena_printf(f->arena, "a lone warp executes %s of them",
                             explain_number_text(f->arena, field(f, PROFILE_SYNC_INSTR)));
    out->cycles = n;
    out->share = n / all;
    return all > 0 && n > long_at_barriers * all;
}

/* --- partitioning ----------------------------------------------------------------------------- */

/* What a lone warp spends its time on, and a remedy. */
typedef struct TimeSink {
    ProfileField field;
    const char *words, *remedy;
} TimeSink;

static const TimeSink *longest(const Search *f)
{
    static const TimeSink all[] = {
        {PROFILE_SERIAL_ISSUE, "issuing instructions",
         "Do the same work with fewer instructions (wider accesses, more work per thread)"},
        {PROFILE_SERIAL_GLOBAL, "waiting for global memory",
         "Give each warp more independent loads, or issue them earlier"},
        {PROFILE_SERIAL_SHARED, "waiting for shared memory",
         "Read shared memory in wider words, or keep more of it in registers"},
        {PROFILE_SERIAL_BARRIER, "waiting at barriers", "Do more work between barriers"}};
    const TimeSink *most = &all[0];
    for (size_t i = 1; i < COUNT_OF(all); i++)
        if (field(f, all[i].field) > field(f, most->field))
            most = &all[i];
    return most;
}

static const char *more_work_or_warps(const Search *f)
{
    char limits[64];
    const Occupancy *o = &f->s->occupancy;
    const char *less = longest(f)->remedy, *one = ""; /* what would fit one more block on the SM */
    if (o->warps_per_sm >= f->s->run->device->warps_per_sm)
        return arena_printf(f->arena, "%s; the SM holds no more warps.", less);
    if (o->fewer_registers > 0)
        one =
            arena_printf(f->arena, "; %d fewer registers allow one more block", o->fewer_registers);
    else if (o->fewer_shared_bytes > 0)
        one = arena_printf(f->arena, "; %lld fewer bytes of shared memory allow one more block",
                           (long long)o->fewer_shared_bytes);
    return arena_printf(f->arena,
                        "%s; or make room for more warps (now %d of %d, limited by %s%s).", less,
                        o->warps_per_sm, f->s->run->device->warps_per_sm,
                        occupancy_limits_text(o->limits, limits), one);
}

static bool waiting(const Search *f, Finding *out)
{
    double bound = explain_metric(f->s, "bound_cycles");
    double latency = explain_metric(f->s, "latency_cycles");
    if (!(latency - bound > worth_telling_share * latency))
        return false;
    const TimeSink *most = longest(f);
    out->what =
        arena_printf(f->arena,
                     "the latency of %d warps per SM exceeds the work of its busiest unit; a lone "
                     "warp spends %.0f %% of its time %s",
                     f->s->occupancy.warps_per_sm,
                     100 * field(f, most->field) / field(f, PROFILE_SERIAL_CYCLES), most->words);
    out->cycles = latency - bound;
    out->share = (latency - bound) / latency;
    out->remedy = more_work_or_warps(f);
    return true;
}

/* SMs that get one more block than others finish last. */
static bool uneven_blocks(const Search *f, Finding *out)
{
    double balance = explain_metric(f->s, "balance"), blocks = field(f, PROFILE_BLOCKS);
    int sms = f->s->run->device->sms;
    out->what = arena_printf(f->arena, "%.0f blocks on %d SMs: some get %.0f, the mean is %.2f",
                             blocks, sms, ceil(blocks / sms), blocks / sms);
    out->cycles = explain_metric(f->s, "bound_cycles") * (1 - 1 / balance);
    out->share = 1 - 1 / balance;
    return balance > 1 / good_balance;
}

/* A grid smaller than one wave has fewer warps to hide latency than would fit. */
static bool few_blocks(const Search *f, Finding *out)
{
    double waves = field(f, PROFILE_WAVES), fit = field(f, PROFILE_BLOCKS_PER_SM);
    out->what =
        arena_printf(f->arena, "an SM could hold %.0f blocks and gets %.1f", fit, waves * fit);
    return waves < good_balance;
}

static bool idle_lanes(const Search *f, Finding *out)
{
    int threads = (int)field(f, PROFILE_THREADS_PER_BLOCK);
    double idle = 1 - (double)threads / (WARP_THREADS * f->s->occupancy.warps_per_block);
    out->what = arena_printf(f->arena, "the last warp of a block has %d of %d lanes",
                             threads % WARP_THREADS, WARP_THREADS);
    out->cycles = idle * explain_metric(f->s, "issue_cycles");
    out->share = idle;
    return threads > 0 && threads % WARP_THREADS != 0;
}

static bool large_loops(const Search *f, Finding *out)
{
    double bytes = field(f, PROFILE_LOOP_BYTES);
    out->what = arena_printf(f->arena, "the innermost loops are %s bytes of code",
                             explain_number_text(f->arena, bytes));
    return bytes > loop_bytes_known;
}

/* Each sets `what`, and the cost if it is known; false: the pattern is not there. */
static const struct Pattern {
    bool (*find)(const Search *f, Finding *out);
    const char *name, *kind, *unit, *effect, *remedy;
} patterns[] = {
    {bank_conflicts, "bank conflicts", "data access", "shared memory and L1", NULL,
     "Lanes of a warp access different words of the same bank: pad the rows, swizzle the columns, "
     "or give neighbouring lanes neighbouring words."},
    {scattered_accesses, "scattered accesses", "data access", NULL, NULL,
     "Give neighbouring lanes neighbouring addresses, aligned to 32 bytes, and transpose tiles in "
     "shared memory."},
    {local_memory, NULL, "data access", NULL, NULL, NULL},
    {tied_sums, "tied sums", "data access", "reading registers", NULL,
     "Store values computed from the sums, such as each sum times a number known only at run time: "
     "then the compiler is free to place the sums."},
    {indirect_accesses, "indirect accesses", "data access", NULL,
     "conflicts and sectors above assume places for them",
     "Declare the contents of the buffers that hold the addresses (contents), so that they can be "
     "followed."},
    {divergence, "divergence", "branching", "issuing", NULL,
     "The sides of a divergent branch run one after the other: branch per warp instead of per "
     "lane, or compute both and select."},
    {branches_on_data, "branches on data", "branching", NULL,
     "the numbers above assume both sides and a default number of iterations",
     "Branch on indices instead of data, or give loops a constant trip count."},
    {barriers, "barriers", "synchronization", "a lone warp", NULL,
     "Do more work between barriers, double-buffer to need only one per step, or synchronize warps "
     "instead of the block."},
    {waiting, "waiting", "partitioning", "the predicted time",
     "during which the busiest unit idles", NULL},
    {uneven_blocks, "uneven blocks", "partitioning", "the bound", NULL,
     "Choose tiles that give every SM the same number of blocks, or smaller ones, so that one more "
     "block matters less."},
    {few_blocks, "few blocks", "partitioning", NULL, "fewer warps hide latency than would fit",
     "Give each block or each thread less work."},
    {idle_lanes, "idle lanes", "partitioning", "issuing", NULL,
     "Use a multiple of 32 threads per block."},
    {large_loops, "large loops", "partitioning", NULL,
     "the sizes of this device's instruction caches are not published; up to 24 KB cost nothing on "
     "an H200",
     "Unroll less, or give a thread fewer elements."},
};

Findings explain_find(Arena *a, const Subject *s, const SourceLines *lines)
{
    const Search search = {a, s, lines};
    const double minor = not_worth_telling * explain_metric(s, "bound_cycles");
    Findings found = {0};
    EACH (const struct Pattern, p, patterns, COUNT_OF(patterns)) {
        Finding one = {.name = p->name,
                       .kind = p->kind,
                       .unit = p->unit,
                       .effect = p->effect,
                       .remedy = p->remedy,
                       .cycles = NAN,
                       .share = NAN};
        if (p->find(&search, &one) && (!(one.cycles < minor) || p->find == barriers))
            VEC_PUSH(a, &found, one);
    }
    return found;
}

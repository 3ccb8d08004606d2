#include "metrics/metric/profile_build.h"

#include "metrics/base/stats.h"
#include "metrics/cubin/sass_pair.h"
#include "metrics/cubin/sass_settle.h"
#include "metrics/metric/profile_walk.h"
#include "metrics/ptx/inspect.h"

#include <inttypes.h>
#include <math.h>

static PtxDim dim_of(const int64_t n[3])
{
    return (PtxDim){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
}

/* The last buffer that begins at or before the address, or NULL. */
static const ProfileBuffer *buffer_of(const ProfileInput *in, uint64_t address)
{
    const ProfileBuffer *found = NULL;
    EACH (const ProfileBuffer, b, in->launch.buffers, in->launch.buffer_count)
        if (b->address <= address && (!found || b->address > found->address))
            found = b;
    return found;
}

/* --- data: initial contents of a buffer are known if no earlier launch had it ----------------- */

static bool data_load(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const WalkData *d = ((const ProfileInput *)context)->data;
    return d->load(d->context, address, bytes, value);
}

static bool is_fresh(const ProfileInput *in, uint64_t address)
{
    const ProfileBuffer *b = buffer_of(in, address);
    return in->launch.buffer_count == 0 || (b && b->fresh);
}

static bool data_before(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const ProfileInput *in = context;
    return is_fresh(in, address) && in->data->before &&
           in->data->before(in->data->context, address, bytes, value);
}

static bool data_first(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const ProfileInput *in = context;
    return is_fresh(in, address) && in->data->first &&
           in->data->first(in->data->context, address, bytes, value);
}

static bool data_symbol(void *context, const char *name, uint64_t *address)
{
    const WalkData *d = ((const ProfileInput *)context)->data;
    return d->symbol(d->context, name, address);
}

/* L1 cache of an SM that the shared memory of the resident blocks leaves. */
static double l1_bytes(const Device *d, const Profile *p)
{
    enum { L1_BEYOND_SHARED = 28 * 1024 }; /* of the memory that both share, from 7.5 to 12.0 */
    const double *v = p->value;
    return fmax(L1_BEYOND_SHARED,
                d->shared_per_sm + L1_BEYOND_SHARED -
                    v[PROFILE_BLOCKS_PER_SM] * (v[PROFILE_SHARED_BYTES] + d->shared_reserved));
}

/* The fraction of the resident stacks that does not fit in the L1 cache. */
static double stack_outside(const Device *d, const Profile *p)
{
    const double *v = p->value;
    const double stacks =
        v[PROFILE_BLOCKS_PER_SM] * v[PROFILE_THREADS_PER_BLOCK] * v[PROFILE_LOCAL_BYTES];
    return stacks > 0 ? fmax(0, 1 - l1_bytes(d, p) / stacks) : 0;
}

/* --- the walk ---------------------------------------------------------------------------------- */

/* Follows a few warps that represent all.  Counts come from the middle warp of the middle block of the grid,
 * away from the edges, where a kernel often has more to check. */
static Memory *follow(Arena *a, const PtxFunction *entry, const ProfileInput *in,
                      const WalkTouch *touch, bool meets, ReuseDevice device)
{
    ProfileInput given = *in;
    const WalkData data = {&given, data_load, data_before, data_symbol, data_first, NULL};
    MemoryOptions o = {.reuse = !touch,
                       .device = device,
                       .walk.touch = touch,
                       .walk.meets = meets,
                       .walk.data = in->data ? &data : NULL,
                       .walk.trips = in->launch.trips,
                       .walk.trip_count = in->launch.trip_count,
                       .walk.launch = {.grid = dim_of(in->launch.grid),
                                       .block = dim_of(in->launch.block),
                                       .has_geometry = true,
                                       .params = in->launch.parameters,
                                       .param_bytes = in->launch.parameter_bytes}};
    return memory_follow(a, entry, &o);
}

/* Bytes of the local arrays that the PTX declares; the rest of the stack is spills. */
static int64_t local_array_bytes(const PtxFunction *f)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < f->locals.count; i++)
        if (f->locals.at[i]->space == PTX_LOCAL)
            bytes += (int64_t)f->locals.at[i]->size;
    return bytes;
}

/* Warps that take longer than others: the one with the most work, and the mean over blocks of the longest of
 * each. */
typedef struct Warps {
    SassSerial most, longest;
} Warps;

static void set_machine(Profile *p, const SassProfile *s, const Warps *w)
{
    double *v = p->value;
    v[PROFILE_ISSUED] = s->instr;
    v[PROFILE_FMA_ISSUED] = s->by_unit[SASS_UNIT_FMA];
    v[PROFILE_IMAD_ISSUED] = s->by_unit[SASS_UNIT_IMAD];
    v[PROFILE_ALU_ISSUED] = s->by_unit[SASS_UNIT_ALU];
    v[PROFILE_SFU_ISSUED] = s->by_unit[SASS_UNIT_SFU];
    v[PROFILE_FP64_ISSUED] = s->by_unit[SASS_UNIT_FP64];
    v[PROFILE_HALF_ISSUED] = s->by_unit[SASS_UNIT_HALF];
    v[PROFILE_TENSOR_ISSUED] = s->by_unit[SASS_UNIT_TENSOR];
    v[PROFILE_LSU_ISSUED] = s->by_unit[SASS_UNIT_LSU];
    v[PROFILE_MATCH_ISSUED] = s->matches;
    v[PROFILE_PRODUCTS_ISSUED] = s->products;
    v[PROFILE_BRANCH_ISSUED] = s->by_unit[SASS_UNIT_BRANCH];
    v[PROFILE_SPILL_ISSUED] = sass_accesses(s->local_loads) + sass_accesses(s->local_stores);
    v[PROFILE_LOOP_BYTES] = s->loop_bytes;
    v[PROFILE_LOOP_BYTES_MOST] = s->loop_bytes_most;
    v[PROFILE_HOT_BYTES] = s->hot_bytes;
    v[PROFILE_PORT_CYCLES] = s->ports.cycles;
    v[PROFILE_ONE_BANK_READS] = s->ports.one_bank;
    v[PROFILE_TIED_SUMS] = s->ports.tied_sums;
    v[PROFILE_SERIAL_CYCLES] = s->serial.cycles;
    v[PROFILE_SERIAL_ISSUE] = s->serial.issue;
    v[PROFILE_SERIAL_SHARED] = s->serial.waits[SASS_WAIT_SHARED];
    v[PROFILE_SERIAL_GLOBAL] = s->serial.waits[SASS_WAIT_GLOBAL];
    v[PROFILE_SERIAL_MEMORY] = s->serial.memory;
    v[PROFILE_SERIAL_ENDS] =
        s->serial.loading > 0 ? s->serial.ends / s->serial.loading : s->serial.ends;
    v[PROFILE_SERIAL_BARRIER] = s->serial.waits[SASS_WAIT_BARRIER];
    v[PROFILE_SERIAL_MOST] = w->most.cycles;
    v[PROFILE_SERIAL_MOST_GLOBAL] = w->most.waits[SASS_WAIT_GLOBAL];
    v[PROFILE_SERIAL_MOST_MEMORY] = w->most.memory;
    v[PROFILE_SERIAL_BLOCK] = w->longest.cycles;
    v[PROFILE_SERIAL_BLOCK_GLOBAL] = w->longest.waits[SASS_WAIT_GLOBAL];
    v[PROFILE_SERIAL_BLOCK_MEMORY] = w->longest.memory;
    v[PROFILE_LOADED_CYCLES] = s->loaded.cycles;
    v[PROFILE_LOADS_IN_FLIGHT] = s->serial.loads_in_flight;
    v[PROFILE_CODE_UNMATCHED] = s->unmatched != NULL;
    v[PROFILE_CODE_GUESSED] = s->guessed;
}

/* The latencies of the device; SASS_LATENCY for those that are not known. */
static SassLatency latency_of(const Device *d, const Profile *p)
{
    SassLatency l = SASS_LATENCY;
    const DeviceLatencies *known = device_latencies(d);
    const DeviceRates *rates = device_rates(d);
    if (rates && rates->sfu > 0)
        l.special_spacing = PTX_LANES * SASS_SCHEDULERS / rates->sfu;
    if (!known)
        return l;
    const double warps_per_block = p->value[PROFILE_WARPS_PER_BLOCK];
    l.shared = known->shared;
    l.global = known->dram;
    l.l1 = known->l1;
    l.l2 = known->l2;
    const DevicePlatform *measured = device_platform(d);
    if (measured && measured->memory_places > 0) {
        /* To as many digits as their standard errors leave: profiles outlast the next run of the suite. */
        l.memory_places = round(measured->memory_places);
        l.memory_loads = round(measured->memory_loads);
        l.l2_places = round(measured->l2_places);
        l.l2_sector = round(10 * measured->l2_sector) / 10;
    }
    if (measured && measured->cost_bulk > 0)
        l.bulk_operands = fmax(l.operands, round(measured->cost_bulk - SASS_BULK_ROUND));
    l.local = known->l1 + stack_outside(d, p) * (known->l2 - known->l1);
    l.special = known->sfu;
    l.shuffle = known->shuffle;
    l.barrier = known->barrier + known->barrier_warp * warps_per_block;
    l.fence = 2 * known->l2;
    return l;
}

/* The load on the SM of a warp: the resident warps, which all do the same. */
static SassLoad load_of(const Profile *p, const Device *d, const ProfileTraffic *t)
{
    /* A grid too small to fill the device is spread evenly over its SMs. */
    double spread = ceil(p->value[PROFILE_BLOCKS] / d->sms);
    double blocks = fmin(p->value[PROFILE_BLOCKS_PER_SM], spread);
    double loads = t->loads.accesses + t->matrices.accesses,
           others = t->stores.accesses + t->others.accesses;
    return (SassLoad){.warps = blocks * p->value[PROFILE_WARPS_PER_BLOCK],
                      .load_wavefronts =
                          loads > 0 ? (t->loads.wavefronts + t->matrices.wavefronts) / loads : 1,
                      .store_wavefronts =
                          others > 0 ? (t->stores.wavefronts + t->others.wavefronts) / others : 1};
}

/* Joins take most of the time if warps differ, so only this many are made, more for small code: for the warps
 * with least and most work and some between.  Others are interpolated between their neighbours in work. */
enum { JOINS_LEAST = 4, JOINS_MOST = 24, JOINED_BYTES = 128 << 10 /* of code, in all */ };

/* Moves the weights of all but `most` of the walks with a weight to these. */
static void thin_out(const MemorySamples *samples, double weights[SAMPLES_MAX], int most)
{
    Ranked order[SAMPLES_MAX]; /* walks with a weight, by their work */
    int count = 0;
    for (int i = 0; i < samples->count; i++)
        if (weights[i] != 0)
            order[count++] = (Ranked){walk_work(samples->at[i].walk), (size_t)i};
    stats_rank(order, (size_t)count);
    for (int part = 0; count > most && part + 1 < most; part++) {
        const int first = part * (count - 1) / (most - 1),
                  last = (part + 1) * (count - 1) / (most - 1);
        const Ranked low = order[first], high = order[last];
        const double apart = high.key - low.key;
        for (int k = first + 1; k < last; k++) {
            double *weight = &weights[order[k].at];
            const double share = apart > 0 ? (order[k].key - low.key) / apart : 0;
            weights[low.at] += *weight * (1 - share);
            weights[high.at] += *weight * share;
            *weight = 0;
        }
    }
}

/* The first of the walks with the most work. */
static int heaviest_of(const MemorySamples *samples)
{
    int most = 0;
    for (int i = 1; i < samples->count; i++)
        if (walk_work(samples->at[i].walk) > walk_work(samples->at[most].walk))
            most = i;
    return most;
}

/* A kernel as PTX and as machine code. */
typedef struct Code {
    const PtxModule *module;
    const PtxFunction *entry;
    const Cubin *cubin;
    const CubinKernel *kernel;
    SassLaunch launch;
    const SassFlow *flow; /* without the branches that the launch settles */
} Code;

/* Settles branches by the warp's block, too, if `place` tells it. */
static SassProfile profile_warp(Arena *a, const Code *c, const Memory *m, const Walk *w,
                                const PtxPlace *place, const SassLatency *latency,
                                const SassLoad *load)
{
    SassLatency own = *latency;
    own.loads = sass_loads_of(a, m, w);
    if (!place)
        return sass_profile(a, c->flow, w, &own, load);
    const uint32_t at[3] = {(uint32_t)place->block.x, (uint32_t)place->block.y,
                            (uint32_t)place->block.z};
    SassLaunch launch = c->launch;
    launch.at = at;
    return sass_profile_in_block(a, c->flow, c->kernel, &launch, w, &own, load);
}

/* Means over all warps, and the serial time of the longest ones; the code is joined to each distinct walk.
 * Code sizes and doubts are those of the warps that execute most in total: the middle one may lie beyond the
 * edge of the data.  Where data decides, long warps may be in one block, or in all: that depends on how much
 * neighbours differ. */
static SassProfile mean_machine(Arena *a, const Code *c, const Memory *m,
                                const SassLatency *latency, const SassLoad *load, double in_block,
                                Warps *warps)
{
    const MemorySamples *samples = m->samples;
    double weights[SAMPLES_MAX] = {0}, most = -1;
    SassKind *kinds = ARENA_ARRAY(a, SassKind, SAMPLES_MAX);
    size_t count = 0;
    const int heaviest = heaviest_of(samples);
    SassProfile mean = {0};
    for (int i = 0; i < samples->count; i++) {
        int like = 0;
        while (like < i && !memory_same_counts(samples->at[like].walk, samples->at[i].walk))
            like++;
        weights[like] += samples->at[i].weight;
    }
    const double joins = JOINED_BYTES / fmax((double)c->kernel->code_bytes, 1);
    thin_out(samples, weights, (int)fmin(fmax(joins, JOINS_LEAST), JOINS_MOST));
    for (int i = 0; i < samples->count; i++) {
        if (weights[i] == 0 && i != heaviest)
            continue;
        const SassProfile p =
            profile_warp(a, c, m, samples->at[i].walk, &samples->at[i].place, latency, load);
        if (i == heaviest)
            warps->most = p.serial;
        kinds[count++] = (SassKind){p.serial, weights[i]};
        sass_profile_add(&mean, &p, weights[i]);
        if (p.instr * weights[i] <= most)
            continue;
        most = p.instr * weights[i];
        mean.code_bytes = p.code_bytes;
        mean.executed_bytes = p.executed_bytes;
        mean.hot_bytes = p.hot_bytes;
        mean.loop_bytes_most = p.loop_bytes_most;
        mean.loop_bytes = p.loop_bytes;
        mean.ports.tied_sums = p.ports.tied_sums;
        mean.unmatched = p.unmatched;
    }
    warps->longest =
        samples->even ? sass_serial_drawn(kinds, count, in_block, memory_sampling_disorder(samples))
                      : sass_serial_longest(kinds, count, in_block);
    return mean;
}

/* Work of only the block with the last ticket, after all others, including its fence before the ticket. */
static void set_last(Arena *a, const Code *c, const Memory *m, const SassLatency *latency,
                     Profile *p)
{
    double more = 0, global = 0, memory = 0, fence = 0;
    for (int i = 0; i < m->last_count; i++) {
        const SassSerial own = profile_warp(a, c, m, m->last[i].own, NULL, latency, NULL).serial,
                         last = profile_warp(a, c, m, m->last[i].last, NULL, latency, NULL).serial;
        fence = fmax(fence, own.waits[SASS_WAIT_FENCE]);
        if (last.cycles - own.cycles <= more)
            continue;
        more = last.cycles - own.cycles;
        global = last.waits[SASS_WAIT_GLOBAL] - own.waits[SASS_WAIT_GLOBAL];
        memory = last.memory - own.memory;
    }
    p->value[PROFILE_LAST_CYCLES] = more > 0 ? more + fence : 0;
    p->value[PROFILE_LAST_GLOBAL] = global;
    p->value[PROFILE_LAST_MEMORY] = memory;
}

/* The kernel's machine code; NULL with a message. */
static const CubinKernel *read_code(Arena *a, const ProfileInput *in, const Cubin **cubin, Diag *d)
{
    *cubin = cubin_read(a, in->cubin, in->cubin_size, d);
    const CubinKernel *k = *cubin ? cubin_find(*cubin, in->kernel) : NULL;
    if (*cubin && !k)
        diag_fail(d, "the cubin has no kernel '%s'; is it extern \"C\"?", in->kernel);
    return k;
}

/* Sets what follows from code and launch without a walk. */
static void set_code(const ProfileInput *in, const CubinKernel *k, int64_t local_arrays, Profile *p)
{
    profile_set_code(p, k, local_arrays);
    int threads = (int)(in->launch.block[0] * in->launch.block[1] * in->launch.block[2]);
    BlockUse use = profile_block_use(k, in->launch.shared, threads);
    profile_set_launch(p, in->device, &use,
                       in->launch.grid[0] * in->launch.grid[1] * in->launch.grid[2]);
}

static bool is_access(const MemoryAccess *x, AccessKind kind)
{
    return (x->kind == kind || x->kind == ACCESS_ATOMIC || x->kind == ACCESS_ATOMIC_EACH) &&
           x->figures.executions > 0 && (x->space == PTX_GLOBAL || x->space == PTX_GENERIC);
}

/* True if its lanes ask for single sectors of many lines here and there. */
static bool is_gather(const MemoryAccess *x)
{
    const double many = 8, part = 0.25;
    const MemoryFigures *f = &x->figures;
    return f->sectors > 0 && f->sectors >= many * f->executions &&
           f->scattered >= part * f->sectors;
}

/* Bytes of the buffer among which the access goes: of a gather's those that were seen. */
static double reach(const MemoryAccess *x, const ProfileBuffer *b)
{
    return is_gather(x) && x->reuse.span > 0 ? fmin((double)x->reuse.span, b->bytes) : b->bytes;
}

/* Bytes of the buffer that the followed warps read (ACCESS_LOAD) or write (ACCESS_STORE). */
static double reached(const ProfileInput *in, const ProfileBuffer *b, const Memory *m,
                      AccessKind kind)
{
    double most = 0;
    VEC_EACH (const MemoryAccess, x, m->accesses)
        if (is_access(x, kind) && x->located && buffer_of(in, x->address) == b)
            most = fmax(most, reach(x, b));
    return most;
}

/* True if some access of this kind has an unknown target. */
static bool has_unknown_target(const Memory *m, AccessKind kind)
{
    for (size_t i = 0; i < m->accesses.count; i++)
        if (is_access(&m->accesses.at[i], kind) && !m->accesses.at[i].located)
            return true;
    return (kind == ACCESS_LOAD ? m->mean.bulk_loads : m->mean.bulk_stores) > 0;
}

/* Bytes of the buffers that the launch reads or writes; of all that it may, if a target is unknown. */
static double touched_bytes(const ProfileInput *in, const Memory *m, AccessKind kind)
{
    const bool all = has_unknown_target(m, kind);
    double bytes = 0;
    EACH (const ProfileBuffer, b, in->launch.buffers, in->launch.buffer_count)
        if (kind == ACCESS_LOAD ? b->filled : b->written)
            bytes += all ? b->bytes : reached(in, b, m, kind);
    return bytes;
}

/* A few warps differ from the mean in what they request by this much at most. */
static const double SAMPLED_OFF = 0.1;

/* Bytes that all warps touch at least once: the buffers they access, but no more than they request, if that
 * is surely less; if the buffers are not known, what the observed reuse leaves. */
static double footprint(const Profile *p, ProfileField sectors, ProfileField first, double touched)
{
    enum { SECTOR = 32 };
    const double *v = p->value, all = SECTOR * v[PROFILE_BLOCKS] * v[PROFILE_WARPS_PER_BLOCK];
    const double asked = all * v[sectors], off = v[PROFILE_ACCESSES_SAMPLED] ? SAMPLED_OFF : 0;
    return touched <= 0 ? all * v[first] : asked < (1 - off) * touched ? asked : touched;
}

/* Distinct bytes of a buffer that a launch touches, or more: loads and stores of one sector count both. */
static double part_touched(const ProfileInput *in, const Profile *p, const Memory *m,
                           const ProfileBuffer *b)
{
    enum { SECTOR = 32 };
    double sectors = 0;
    VEC_EACH (const MemoryAccess, x, m->accesses)
        if (x->space == PTX_GLOBAL && x->located && buffer_of(in, x->address) == b)
            sectors += x->figures.sectors * x->reuse.first[REUSE_LAUNCH];
    return SECTOR * sectors * p->value[PROFILE_BLOCKS] * p->value[PROFILE_WARPS_PER_BLOCK];
}

/* Bytes that a launch touches of buffers that do not fit in the L2, and of which each launch has a part: they
 * were touched last in the run before. */
static double swept_bytes(const ProfileInput *in, const Profile *p, const Memory *m)
{
    const double part = 0.5, whole = 0.9;
    double bytes = 0;
    EACH (const ProfileBuffer, b, in->launch.buffers, in->launch.buffer_count) {
        const double touched = part_touched(in, p, m, b);
        if (b->bytes > (double)in->device->l2_bytes && touched < part * b->bytes &&
            touched * b->launches >= whole * b->bytes)
            bytes += touched;
    }
    return bytes;
}

/* The buffer that a load of global memory is known to read, or NULL. */
static const ProfileBuffer *loaded_buffer(const ProfileInput *in, const MemoryAccess *x)
{
    return x->kind == ACCESS_LOAD && x->located && x->space == PTX_GLOBAL
               ? buffer_of(in, x->address)
               : NULL;
}

/* The share of draws from so many bytes that the L2 misses: it keeps half its size. (Counted on an
 * H100, 50 MB: of words drawn from 32, 40, 64, 128 and 256 MB, 21, 40, 67, 85 and 93 % come from memory.) */
static double missed(const Device *device, double bytes)
{
    const double kept = 0.5;
    return fmax(0, 1 - kept * (double)device->l2_bytes / fmax(bytes, 1));
}

/* Limits first loads to the sectors of each buffer: the few followed warps never load a sector twice from a
 * buffer that is read at random. What gathers load beyond that, they come back to at random. */
static void limit_first_loads(const ProfileInput *in, Memory *m, double warps)
{
    enum { SECTOR = 32 };
    EACH (const ProfileBuffer, b, in->launch.buffers, in->launch.buffer_count) {
        double first = 0;
        VEC_EACH (const MemoryAccess, x, m->accesses)
            if (loaded_buffer(in, x) == b)
                first += warps * x->figures.sectors * x->reuse.first[REUSE_LAUNCH];
        VEC_EACH (MemoryAccess, x, m->accesses) {
            if (loaded_buffer(in, x) != b)
                continue;
            const double before = x->reuse.first[REUSE_LAUNCH];
            const double bytes = reach(x, b);
            const double times = first / (ceil(bytes / SECTOR) + 1);
            double *left = &x->reuse.first[REUSE_LAUNCH];
            if (!is_gather(x)) {
                *left /= fmax(1, times);
                continue;
            }
            /* Of as many draws as there are sectors, 1/e are never drawn. */
            *left *= times > 0 ? (1 - exp(-times)) / times : 1;
            const double late = missed(in->device, bytes);
            x->reuse.gone += (before - *left) * late;
            x->reuse.gathered = x->figures.lines / x->figures.sectors * before * late;
        }
    }
}

static double filled_bytes(const ProfileInput *in)
{
    double bytes = 0;
    EACH (const ProfileBuffer, b, in->launch.buffers, in->launch.buffer_count)
        bytes += b->filled ? b->bytes : 0;
    return bytes;
}

/* As the timer decides it (tuner/run/run_trials.c, tuner/gpu/worker/trial.c), but from the buffers of one launch. */
static bool is_timed_alone(const ProfileInput *in)
{
    double bytes = 0;
    bool restored = false;
    for (size_t i = 0; i < in->launch.buffer_count; i++) {
        bytes += in->launch.buffers[i].bytes;
        restored |= in->launch.buffers[i].restored;
    }
    return restored || bytes > (double)in->device->l2_bytes;
}

static void add_machine(Arena *a, const ProfileInput *in, const Code *c, Memory *memory, Profile *p)
{
    limit_first_loads(in, memory, p->value[PROFILE_BLOCKS] * p->value[PROFILE_WARPS_PER_BLOCK]);
    ProfileTraffic traffic = profile_set_memory(p, memory);
    p->value[PROFILE_FOOTPRINT_READ] = footprint(p, PROFILE_LOAD_SECTORS, PROFILE_LOAD_FIRST_LAUNCH,
                                                 touched_bytes(in, memory, ACCESS_LOAD));
    p->value[PROFILE_FOOTPRINT_WRITTEN] =
        footprint(p, PROFILE_STORE_SECTORS, PROFILE_STORE_FIRST_LAUNCH,
                  touched_bytes(in, memory, ACCESS_STORE));
    p->value[PROFILE_FOOTPRINT_SWEPT] = swept_bytes(in, p, memory);
    p->value[PROFILE_TIMED_ALONE] = is_timed_alone(in);
    SassLatency latency = latency_of(in->device, p);
    SassLoad load = load_of(p, in->device, &traffic);
    Warps warps = {0};
    const SassProfile machine = mean_machine(a, c, memory, &latency, load.warps > 0 ? &load : NULL,
                                             p->value[PROFILE_WARPS_PER_BLOCK], &warps);
    set_machine(p, &machine, &warps);
    set_last(a, c, memory, &latency, p);
    profile_settle_memory(p, &traffic, &machine);
    p->value[PROFILE_LOCAL_OUTSIDE] = stack_outside(in->device, p);
    profile_set_doubt(a, p, memory, &machine);
    profile_set_note(a, p, memory, &machine, in->data);
}

/* The kernel of the PTX; NULL with a message. */
static const PtxFunction *read_entry(Arena *a, const ProfileInput *in, const PtxModule **module,
                                     Diag *d)
{
    size_t errors = d->errors;
    *module = ptx_parse(a, source_new(a, in->kernel, in->ptx, in->ptx_size), d);
    const PtxFunction *entry = ptx_find_entry(*module, in->kernel);
    if (d->errors > errors)
        return NULL;
    if (!entry)
        diag_fail(d, "the PTX has no kernel '%s'; is it extern \"C\"?", in->kernel);
    return entry;
}

static bool read_both(Arena *a, const ProfileInput *in, Code *c, Diag *d)
{
    c->entry = read_entry(a, in, &c->module, d);
    c->kernel = c->entry ? read_code(a, in, &c->cubin, d) : NULL;
    if (!c->kernel)
        return false;
    SassFlow *flow = sass_flow_build(a, c->cubin->arch, c->kernel);
    c->launch = (SassLaunch){.block = {(uint32_t)in->launch.block[0], (uint32_t)in->launch.block[1],
                                       (uint32_t)in->launch.block[2]},
                             .grid = {(uint32_t)in->launch.grid[0], (uint32_t)in->launch.grid[1],
                                      (uint32_t)in->launch.grid[2]},
                             .params = in->launch.parameters,
                             .param_bytes = in->launch.parameter_bytes,
                             .params_at = c->kernel->constant_bytes - c->kernel->param_bytes};
    sass_settle(a, flow, &c->launch);
    c->flow = flow;
    return true;
}

bool profile_build(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d)
{
    Code c;
    *out = profile_new();
    if (!read_both(a, in, &c, d))
        return false;
    *code = cubin_code_hash(c.cubin, c.kernel);
    set_code(in, c.kernel, local_array_bytes(c.entry), out);
    double constants = 0;
    for (size_t i = 0; i < c.module->variables.count; i++)
        if (c.module->variables.at[i]->space == PTX_CONST)
            constants += (double)c.module->variables.at[i]->size;
    Memory *memory = follow(a, c.entry, in, NULL, sass_flow_meets(a, c.flow),
                            (ReuseDevice){in->device->sms, (int)out->value[PROFILE_BLOCKS_PER_SM],
                                          l1_bytes(in->device, out), (double)in->device->l2_bytes,
                                          filled_bytes(in)});
    profile_set_walk(a, out, memory);
    add_machine(a, in, &c, memory, out);
    out->value[PROFILE_CONSTANT_TOUCHED] = fmin(out->value[PROFILE_CONSTANT_TOUCHED], constants);
    return true;
}

bool profile_code(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d)
{
    *out = profile_new();
    const Cubin *cubin;
    const CubinKernel *k = read_code(a, in, &cubin, d);
    if (!k)
        return false;
    *code = cubin_code_hash(cubin, k);
    set_code(in, k, 0, out);
    return true;
}

const Memory *profile_follow(Arena *a, const ProfileInput *in, const PtxModule **module, Diag *d)
{
    const PtxFunction *entry = read_entry(a, in, module, d);
    return entry ? follow(a, entry, in, NULL, false, (ReuseDevice){0}) : NULL;
}

bool profile_touch(Arena *a, const ProfileInput *in, const PtxFunction *entry,
                   const WalkTouch *touch)
{
    const Memory *m = follow(a, entry, in, touch, false, (ReuseDevice){0});
    bool exact = true;
    VEC_EACH (const MemorySample, s, *m->samples)
        exact &= s->walk->unknown_loops == 0 && !(s->walk->capped && s->walk->unknown_branches);
    return exact;
}

/* --- stages as text ---------------------------------------------------------------------------- */

static void dump_walk(const Memory *m, Buf *out)
{
    VEC_EACH (const MemorySample, s, *m->samples) {
        buf_printf(out, "warp %u of block %u %u %u, weight %.6g: %.0f instructions\n",
                   s->place.warp, s->place.block.x, s->place.block.y, s->place.block.z, s->weight,
                   s->walk->instr);
        flow_dump_walk(s->walk, out);
    }
    VEC_EACH (const MemoryAccess, x, m->accesses)
        buf_printf(
            out,
            "line %zu: %s, %d bytes: %.6g times, %.6g unknown, %.6g wavefronts, %.6g sectors%s\n",
            x->line, ptx_space_names[x->space], x->bytes, x->figures.executions, x->figures.unknown,
            x->figures.wavefronts, x->figures.sectors, x->sampled ? ", warps differ" : "");
}

static void dump_pairs(Arena *a, const SassFlow *code, const WalkFunction *ptx, Buf *out)
{
    const SassPairs pairs = sass_pair_loops(a, code, ptx);
    for (size_t i = 0; i < code->loops->loops.count; i++) {
        const CfgBlock *header = &code->cfg->blocks[code->loops->loops.at[i].header];
        buf_printf(out, "loop at instruction %zu of the code: ", header->first);
        if (pairs.loop[i] == CFG_NONE) {
            buf_puts(out, "paired with none\n");
            continue;
        }
        const int in_ptx = ptx->flow->loops->loops.at[pairs.loop[i]].header;
        buf_printf(out,
                   "line %zu of the PTX, %" PRIu64 " entries, %" PRIu64 " visits of its header\n",
                   ptx_line(ptx->function, ptx->flow->cfg->blocks[in_ptx].first),
                   ptx->loops[pairs.loop[i]].entries, ptx->loops[pairs.loop[i]].headers);
    }
    if (pairs.doubt)
        buf_printf(out, "%s\n", pairs.doubt);
}

static void dump_join(Arena *a, const SassFlow *code, const Walk *w, Buf *out)
{
    const SassJoin *j = sass_join(a, code, w);
    for (int b = 0; b < code->cfg->count; b++) {
        const CfgBlock *block = &code->cfg->blocks[b];
        buf_printf(out, "block %d: instructions %zu to %zu, %.6g times, to", b, block->first,
                   block->end, j->visits[b]);
        for (int k = 0; k < block->succ_count; k++)
            buf_printf(out, " %d (%.6g)", block->succs[k], j->edges[b][k]);
        buf_puts(out, block->ends_thread ? " end\n" : "\n");
    }
    for (int k = 0; k < SASS_ANCHORS; k++)
        if (j->walked.in_ptx[k] != 0 || j->in_code_most[k] != 0)
            buf_printf(out,
                       "%s: %.6g in PTX, up to %.6g more, %.6g less; %.6g to %.6g in the code\n",
                       sass_anchors[k].name, j->walked.in_ptx[k], j->walked.expanded[k],
                       j->walked.folded[k], j->in_code_least[k], j->in_code_most[k]);
    static const char *const routines[] = {"divisions", "roots, reciprocals and 64-bit divisions"};
    for (int k = 0; k < WALK_ROUTINES; k++)
        if (w->routines[k].called > 0)
            buf_printf(out, "%s: %.6g call a routine, %.6g with scaled operands\n", routines[k],
                       w->routines[k].called, w->routines[k].scaled);
    if (j->unmatched)
        buf_printf(out, "%s\n", j->unmatched);
}

bool profile_dump(Arena *a, const ProfileInput *in, ProfileStage stage, Buf *out, Diag *d)
{
    Code c;
    if (!read_both(a, in, &c, d))
        return false;
    if (stage == PROFILE_FLOW) {
        const Flow *f = flow_build(a, c.entry);
        flow_dump_blocks(f, out);
        flow_dump_loops(f, out);
        return true;
    }
    const Memory *m = follow(a, c.entry, in, NULL, sass_flow_meets(a, c.flow), (ReuseDevice){0});
    if (stage == PROFILE_WALK)
        dump_walk(m, out);
    else if (stage == PROFILE_JOIN)
        dump_join(a, c.flow, m->walk, out);
    else if (m->walk->functions.count)
        dump_pairs(a, c.flow, m->walk->functions.at[0], out);
    return true;
}

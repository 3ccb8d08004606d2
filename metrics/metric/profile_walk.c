#include "metrics/metric/profile_walk.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* --- counts ------------------------------------------------------------------------------- */

static void set_mix(Profile *p, const Walk *w)
{
    p->value[PROFILE_TENSOR_INSTR] = w->by_class[PTX_CLASS_TENSOR];
    p->value[PROFILE_SYNC_INSTR] = w->by_class[PTX_CLASS_BARRIER] + w->by_class[PTX_CLASS_FENCE];
    p->value[PROFILE_ATOMICS] = w->by_class[PTX_CLASS_ATOMIC];
    p->value[PROFILE_GLOBAL_LOADS] = w->loads[PTX_GLOBAL];
    p->value[PROFILE_SHARED_LOADS] = w->loads[PTX_SHARED];
    p->value[PROFILE_SHARED_STORES] = w->stores[PTX_SHARED];
}

/* Waits for other threads, which the walk assumes to end at once: how many, and of how many lanes. */
static void set_waits(Profile *p, const Memory *m)
{
    double waits = 0, lanes = 0;
    VEC_EACH (const MemorySample, x, *m->samples)
        for (size_t k = 0; k < x->walk->functions.count; k++) {
            const WalkFunction *f = x->walk->functions.at[k];
            for (size_t l = 0; l < f->flow->loops->loops.count; l++) {
                const WalkBlock *header = &f->blocks[f->flow->loops->loops.at[l].header];
                if (!f->loops[l].waited)
                    continue;
                waits += x->weight * (double)f->loops[l].entries;
                lanes += x->weight * (double)f->loops[l].entries * (double)header->lanes /
                         (double)header->visits;
            }
        }
    p->value[PROFILE_BLOCK_WAITS] = waits;
    p->value[PROFILE_BLOCK_WAIT_LANES] = waits > 0 ? lanes / waits : 0;
}

/* --- regions ------------------------------------------------------------------------------ */

static ProfileRegion region_row(const WalkRegion *r)
{
    ProfileRegion row = {{0}};
    row.value[REGION_SYNC] = r->sync;
    row.value[REGION_TIMES] = r->times;
    row.value[REGION_STALLS] = r->stop == WALK_STOP_LOAD;
    row.value[REGION_LOCAL_STALLS] = r->stop == WALK_STOP_LOCAL;
    row.value[REGION_BARRIERS] = r->stop == WALK_STOP_BARRIER;
    row.value[REGION_INSTR] = r->instr / r->times;
    row.value[REGION_LOADS] = r->loads / r->times;
    row.value[REGION_COVERED] = r->covered / r->times;
    row.value[REGION_SECTORS] = r->sectors / r->times;
    row.value[REGION_BYTES] = r->bytes / r->times;
    return row;
}

/* Merges a region for which there is no room into the row `rest`, of no synchronization region. */
static void add_rest(ProfileRegion *rest, const WalkRegion *r)
{
    const ProfileRegion row = region_row(r);
    const double times = rest->value[REGION_TIMES] + r->times;
    for (int c = REGION_STALLS; c < REGION_COLUMNS; c++)
        rest->value[c] += (row.value[c] - rest->value[c]) * r->times / times;
    rest->value[REGION_SYNC] = -1;
    rest->value[REGION_TIMES] = times;
}

static void set_regions(Arena *a, Profile *p, const Walk *w)
{
    enum { LAST = PROFILE_REGION_ROOM - 1 };
    const size_t count = w->stall_regions.count;
    Ranked *order = ARENA_ARRAY(a, Ranked, count + 1);
    ProfileRegion rows[PROFILE_REGION_ROOM] = {{{0}}};
    for (size_t i = 0; i < count; i++)
        order[i] = (Ranked){-w->stall_regions.at[i].instr, i};
    if (count > PROFILE_REGION_ROOM) /* those that execute most come first */
        stats_rank(order, count);
    for (size_t i = 0; i < count; i++) {
        const WalkRegion *r = &w->stall_regions.at[order[i].at];
        if (i < LAST || count == PROFILE_REGION_ROOM)
            rows[i] = region_row(r);
        else
            add_rest(&rows[LAST], r);
    }
    profile_set_regions(a, p, rows, count);
}

/* --- work of matrix operations, from the shapes in their names (PTX ISA 9.7.14 to 9.7.16) --- */

/* Time relative to half precision: each halving of the width doubles the rate (whitepapers of A100 and H100,
 * peak rates of tensor cores); double precision runs at a sixteenth on both. */
static double cost_of_type(const char *text)
{
    static const struct {
        const char *part;
        double cost;
    } table[] = {
        {".tf32", 2}, {".f64", 16},  {".e4m3", 0.5}, {".e5m2", 0.5},  {".s8", 0.5},
        {".u8", 0.5}, {".s4", 0.25}, {".u4", 0.25},  {".e2m1", 0.25}, {".b1", 0.0625},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (strstr(text, table[i].part))
            return table[i].cost;
    return 1;
}

/* The number after a letter of a shape: 16 for 'm' in "m16n8k8".  0: none. */
static double extent(const char **at, char letter)
{
    if (**at != letter)
        return 0;
    char *end;
    const unsigned long n = strtoul(*at + 1, &end, 10);
    *at = end;
    return n <= 1024 ? (double)n : 0;
}

double profile_tensor_shape(const PtxForm *f)
{
    const char *at = strstr(f->text, ".m");
    while (at && !(at[2] >= '0' && at[2] <= '9'))
        at = strstr(at + 1, ".m");
    if (!at)
        return 0;
    at++;
    const double m = extent(&at, 'm'), n = extent(&at, 'n'), k = extent(&at, 'k');
    const double warps = f->op == PTX_WGMMA_MMA ? 4 : 1; /* that execute it together */
    return m * n * k * cost_of_type(f->text) / warps;
}

typedef struct TensorWork {
    double all, full;
} TensorWork;

static TensorWork tensor_work(const Walk *w)
{
    TensorWork sum = {0};
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->function->instrs.count; k++) {
            const PtxForm *form = f->function->instrs.at[k].form;
            if (form->class != PTX_CLASS_TENSOR)
                continue;
            const double work =
                profile_tensor_shape(form) * (double)f->blocks[f->flow->cfg->block_of[k]].visits;
            sum.all += work;
            if (form->op == PTX_WGMMA_MMA || strstr(form->text, ".f64"))
                sum.full += work;
        }
    }
    return sum;
}

/* --- the walk ----------------------------------------------------------------------------- */

/* Largest ratio of paths taken to visits of any branch. */
static double most_paths(const Walk *w)
{
    double most = 1;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (int b = 0; b < f->flow->cfg->count; b++)
            if (f->blocks[b].visits > 0)
                most = fmax(most, (double)f->blocks[b].paths / (double)f->blocks[b].visits);
    }
    return most;
}

void profile_set_walk(Arena *a, Profile *p, const Memory *m)
{
    const Walk *w = &m->mean;
    p->value[PROFILE_INSTR] = w->instr;
    p->value[PROFILE_REGIONS] = w->regions;
    p->value[PROFILE_LONG_REGIONS] = w->long_regions;
    p->value[PROFILE_BRANCHES_UNKNOWN] = w->unknown_branches;
    p->value[PROFILE_LOOPS_UNKNOWN] = w->unknown_loops;
    p->value[PROFILE_BARRIERS_EXECUTED] = w->barriers;
    p->value[PROFILE_DIVERGENT_BRANCHES] = w->divergent;
    p->value[PROFILE_BRANCH_PATHS] = w->branches > 0 ? w->paths / w->branches : 1;
    p->value[PROFILE_BRANCH_PATHS_MOST] = most_paths(m->walk);
    p->value[PROFILE_MATCH_VALUES] = w->match_values;
    set_mix(p, w);
    set_waits(p, m);
    const TensorWork tensor = tensor_work(m->walk);
    const double mean =
        w->by_class[PTX_CLASS_TENSOR] / fmax(1, m->walk->by_class[PTX_CLASS_TENSOR]);
    p->value[PROFILE_TENSOR_WORK] = tensor.all * mean;
    p->value[PROFILE_TENSOR_FULL_WORK] = tensor.full * mean;
    set_regions(a, p, m->walk);
}

/* --- memory ------------------------------------------------------------------------------- */

enum { SECTOR = 32, LINE = 128 };

/* Of accesses with unknown addresses. */
static double unknown_sectors(const MemoryAccess *x)
{
    return x->figures.unknown_sectors / WALK_PLACES;
}

/* Of these, those that a store covers in part: the two at the ends of a run lack one sector's bytes in the mean. */
static double unknown_open(const MemoryAccess *x)
{
    const double sectors = unknown_sectors(x), bytes = x->figures.unknown_bytes / WALK_PLACES;
    return fmax(0, fmin(sectors, 2 * (sectors - bytes / SECTOR)));
}

/* Counts first touches of sectors. Where an access has known addresses for a part of its executions, as in the first
 * round of a loop with an unknown step, the others are taken to be like them; if all are unknown, all are first touches:
 * then nothing was touched and `reuse` says so. */
static void add_reuse(ProfileTraffic *t, const MemoryAccess *x)
{
    double *v = t->value;
    const double all = x->figures.sectors + unknown_sectors(x);
    if (x->kind == ACCESS_LOAD) {
        v[PROFILE_LOAD_SECTORS] += all;
        for (int i = 0; i < REUSE_SCOPES; i++)
            v[PROFILE_LOAD_FIRST_WARP + i] += all * x->reuse.first[i];
        v[PROFILE_LOAD_LOST] += all * x->reuse.lost;
        v[PROFILE_LOAD_GONE] += all * x->reuse.gone;
        v[PROFILE_LOAD_GATHERED] += all * x->reuse.gathered;
    } else if (x->kind == ACCESS_STORE) {
        v[PROFILE_STORE_SECTORS] += all;
        v[PROFILE_STORE_FIRST_LAUNCH] += all * x->reuse.first[REUSE_LAUNCH];
        v[PROFILE_STORE_OPEN] += x->figures.sectors > 0 ? all * x->reuse.open : unknown_open(x);
    } else if (x->kind >= ACCESS_ATOMIC && x->kind <= ACCESS_COUNT) {
        v[PROFILE_ATOMIC_SECTORS] += all;
        v[PROFILE_ATOMIC_FIRST_LAUNCH] += all * x->reuse.first[REUSE_LAUNCH];
    }
}

static void add_unknown(ProfileTraffic *t, const MemoryAccess *x)
{
    double *v = t->value;
    const MemoryFigures *f = &x->figures;
    if (!(f->unknown > 0) || !(f->executions > 0))
        return;
    const double bytes = f->unknown_bytes / WALK_PLACES;
    v[PROFILE_GLOBAL_SECTORS] += unknown_sectors(x);
    v[PROFILE_GLOBAL_SECTORS_MIN] += bytes / SECTOR;
    v[PROFILE_GLOBAL_LINES] += f->unknown_lines / WALK_PLACES;
    v[PROFILE_GLOBAL_PASSES] += f->unknown_wavefronts / WALK_PLACES;
    v[PROFILE_GLOBAL_LINES_MIN] += bytes / LINE;
    v[PROFILE_GLOBAL_BYTES] += f->unknown * f->lanes / f->executions * x->bytes;
    v[PROFILE_GLOBAL_BYTES_UNIQUE] += bytes;
}

static void add_access(ProfileTraffic *t, const MemoryAccess *x)
{
    double *v = t->value;
    const MemoryFigures *f = &x->figures;
    switch (x->space) {
    case PTX_GLOBAL:
        add_unknown(t, x);
        add_reuse(t, x);
        v[PROFILE_GLOBAL_SECTORS] += f->sectors;
        v[PROFILE_LOAD_SPLIT] += f->split;
        v[PROFILE_GLOBAL_SECTORS_MIN] += f->sectors_min;
        v[PROFILE_GLOBAL_LINES] += f->lines;
        v[PROFILE_GLOBAL_LINES_MIN] += f->lines_min;
        v[PROFILE_GLOBAL_PASSES] += f->wavefronts;
        v[PROFILE_GLOBAL_REQUESTS] += f->executions;
        v[PROFILE_GLOBAL_BYTES] += f->bytes;
        v[PROFILE_GLOBAL_BYTES_UNIQUE] += f->unique_bytes;
        break;
    case PTX_SHARED:
        v[PROFILE_SHARED_TRAFFIC] += f->lanes * x->bytes;
        break;
    case PTX_LOCAL:
        v[PROFILE_LOCAL_SECTORS] += f->sectors + unknown_sectors(x);
        t->local[x->kind != ACCESS_LOAD].sectors += f->sectors + unknown_sectors(x);
        t->local[x->kind != ACCESS_LOAD].width += f->executions * x->bytes;
        break;
    case PTX_CONST:
        t->constant_loads += f->executions - f->unknown;
        t->constant_passes += f->wavefronts;
        t->constant_bytes += (f->executions - f->unknown) * x->bytes;
        break;
    default:
        break;
    }
}

static void add_shared(ProfileShared *to, const MemoryFigures *f)
{
    to->accesses += f->executions;
    to->wavefronts += f->wavefronts + f->unknown_wavefronts / WALK_PLACES;
    to->wavefronts_min += f->wavefronts_min + f->unknown;
}

static void add_shared_access(ProfileTraffic *t, const MemoryAccess *x)
{
    const MemoryFigures *f = &x->figures;
    if (x->function->instrs.at[x->instr].form->space == PTX_GENERIC) { /* not merged */
        add_shared(&t->others, f);
        return;
    }
    switch (x->kind) {
    case ACCESS_MATRIX_LOAD:
    case ACCESS_MATRIX_STORE:
        add_shared(&t->matrices, f);
        break;
    case ACCESS_LOAD: /* all loads are among the merged ones */
        t->load_width += f->executions * x->bytes;
        add_shared(&t->plain_loads, f);
        break;
    case ACCESS_STORE:
        t->store_width += f->executions * x->bytes;
        add_shared(&t->plain_stores, f);
        if (x->merged == CFG_NONE)
            add_shared(&t->stores, f);
        break;
    default:
        add_shared(&t->others, f);
    }
}

static bool is_constant_beside(const MemoryAccess *x, const MemoryAccess *y)
{
    return x->space == PTX_CONST && x->function == y->function && x->block == y->block;
}

/* Probability that constant access `i` is in another line than the one before it: the previous one in its
 * block or, for the first, the last one, which precedes it in a loop. */
static double line_change_share(const Memory *m, size_t i)
{
    enum { CONSTANT_LINE = 64 };
    const MemoryAccess *x = &m->accesses.at[i], *before = NULL, *last = x;
    for (size_t k = 0; k < m->accesses.count; k++) {
        const MemoryAccess *y = &m->accesses.at[k];
        if (!is_constant_beside(y, x))
            continue;
        before = k < i ? y : before;
        last = y;
    }
    const MemoryAccess *from = before ? before : last;
    const double apart = fabs((double)(x->offset - from->offset));
    if (x->group != from->group || apart >= CONSTANT_LINE)
        return 1;
    return fmin(before ? apart : from->bytes, CONSTANT_LINE) / CONSTANT_LINE;
}

/* Bytes of an eight-set cache for the constants of a block, if all sets are as full as that of access `i`. */
static double constant_room(const Memory *m, size_t i)
{
    enum { CONSTANT_LINE = 64, SETS = 8, STRIDE = CONSTANT_LINE * SETS, MOST = 64 };
    const MemoryAccess *x = &m->accesses.at[i];
    uint64_t seen = 0; /* lines of the set, by their distance in strides */
    VEC_EACH (const MemoryAccess, y, m->accesses) {
        const int64_t apart = y->offset / CONSTANT_LINE - x->offset / CONSTANT_LINE;
        if (is_constant_beside(y, x) && y->group == x->group && apart >= 0 && apart % SETS == 0 &&
            apart / SETS < MOST)
            seen |= UINT64_C(1) << (apart / SETS);
    }
    return __builtin_popcountll(seen) * (double)STRIDE;
}

/* Copy engines move whole sectors in order, each once; in shared memory 128 bytes per pass. */
static void add_bulk(ProfileTraffic *t, double loads, double stores)
{
    double *v = t->value;
    const double bytes = loads + stores;
    v[PROFILE_GLOBAL_SECTORS] += bytes / SECTOR;
    v[PROFILE_GLOBAL_SECTORS_MIN] += bytes / SECTOR;
    v[PROFILE_GLOBAL_LINES] += bytes / LINE;
    v[PROFILE_GLOBAL_PASSES] += bytes / LINE;
    v[PROFILE_GLOBAL_LINES_MIN] += bytes / LINE;
    v[PROFILE_GLOBAL_BYTES] += bytes;
    v[PROFILE_GLOBAL_BYTES_UNIQUE] += bytes;
    v[PROFILE_LOAD_SECTORS] += loads / SECTOR;
    for (int i = 0; i < REUSE_SCOPES; i++)
        v[PROFILE_LOAD_FIRST_WARP + i] += loads / SECTOR;
    v[PROFILE_STORE_SECTORS] += stores / SECTOR;
    v[PROFILE_STORE_FIRST_LAUNCH] += stores / SECTOR;
    v[PROFILE_SHARED_TRAFFIC] += bytes;
    t->others.wavefronts += bytes / LINE;
    t->others.wavefronts_min += bytes / LINE;
}

static ProfileTraffic sum_traffic(const Memory *m, double v[PROFILE_FIELDS])
{
    ProfileTraffic t = {.value = v};
    for (int f = PROFILE_SHARED_WAVEFRONTS; f <= PROFILE_ATOMIC_FIRST_LAUNCH; f++)
        v[f] = 0;
    v[PROFILE_ACCESSES_UNKNOWN] = v[PROFILE_CONSTANT_LINES] = v[PROFILE_CONSTANT_ROOM] = 0;
    add_bulk(&t, m->mean.bulk_loads, m->mean.bulk_stores);
    for (size_t i = 0; i < m->loads.count; i++)
        add_shared(m->loads.at[i].kind == ACCESS_LOAD ? &t.loads : &t.stores,
                   &m->loads.at[i].figures);
    for (size_t i = 0; i < m->accesses.count; i++) {
        const MemoryAccess *x = &m->accesses.at[i];
        v[PROFILE_ACCESSES_UNKNOWN] += x->figures.unknown;
        if (x->space == PTX_SHARED)
            add_shared_access(&t, x);
        add_access(&t, x);
        if (x->space == PTX_CONST) {
            v[PROFILE_CONSTANT_LINES] +=
                (x->figures.executions - x->figures.unknown) * line_change_share(m, i);
            v[PROFILE_CONSTANT_ROOM] = fmax(v[PROFILE_CONSTANT_ROOM], constant_room(m, i));
        }
    }
    return t;
}

static void set_shared(Profile *p, const ProfileTraffic *t)
{
    const ProfileShared *const parts[] = {&t->loads, &t->stores, &t->matrices, &t->others};
    ProfileShared sum = {0};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        sum.wavefronts += parts[i]->wavefronts;
        sum.wavefronts_min += parts[i]->wavefronts_min;
        sum.accesses += parts[i]->accesses;
    }
    p->value[PROFILE_SHARED_WAVEFRONTS] = sum.wavefronts;
    p->value[PROFILE_SHARED_WAVEFRONTS_MIN] = sum.wavefronts_min;
    p->value[PROFILE_SHARED_ACCESSES] = sum.accesses;
}

ProfileTraffic profile_set_memory(Profile *p, const Memory *m)
{
    const ProfileTraffic t = sum_traffic(m, p->value);
    set_shared(p, &t);
    p->value[PROFILE_ACCESSES_SAMPLED] = m->sampled;
    p->value[PROFILE_LOAD_RUN] = m->reuse ? m->reuse->run_load : 0;
    p->value[PROFILE_STORE_RUN] = m->reuse ? m->reuse->run_store : 0;
    return t;
}

/* Interpolates towards the unmerged accesses, if the code has more than merging would leave. */
static void unmerge(ProfileShared *merged, const ProfileShared *plain, double in_code)
{
    const double apart = plain->accesses - merged->accesses;
    if (apart <= 0)
        return;
    const double share = fmin(fmax((in_code - merged->accesses) / apart, 0), 1);
    merged->accesses += share * apart;
    merged->wavefronts += share * (plain->wavefronts - merged->wavefronts);
    merged->wavefronts_min += share * (plain->wavefronts_min - merged->wavefronts_min);
}

/* ptxas drops accesses, such as loads of values that are in a register already; the code then moves fewer
 * bytes. */
static void drop_accesses(ProfileShared *s, double in_text, double in_code)
{
    const double left = in_text > 0 ? fmin(in_code / in_text, 1) : 1;
    s->accesses *= left;
    s->wavefronts *= left;
    s->wavefronts_min *= left;
}

/* Bytes per lane, which for 32 lanes is the number of sectors. */
static double width_of(const double counts[SASS_WIDTHS])
{
    double sum = 0;
    for (int i = 0; i < SASS_WIDTHS; i++)
        sum += counts[i] * (1 << i);
    return sum;
}

/* Arrays may have become registers; accesses beyond theirs are spills, of all lanes. */
static double local_traffic(const ProfileLocal *in_text, double in_code)
{
    const double left =
        in_text->width > 0 ? fmin(in_code / in_text->width, 1) * in_text->sectors : 0;
    return left + fmax(in_code - in_text->width, 0);
}

void profile_settle_memory(Profile *p, ProfileTraffic *t, const SassProfile *s)
{
    if (s->guessed < 1) {
        unmerge(&t->loads, &t->plain_loads, sass_accesses(s->shared_loads));
        unmerge(&t->stores, &t->plain_stores, sass_accesses(s->shared_stores));
        drop_accesses(&t->loads, t->load_width, width_of(s->shared_loads));
        drop_accesses(&t->stores, t->store_width, width_of(s->shared_stores));
        drop_accesses(&t->matrices, t->matrices.accesses, s->matrices);
    }
    set_shared(p, t);
    p->value[PROFILE_LOCAL_STORED] = local_traffic(&t->local[1], width_of(s->local_stores));
    p->value[PROFILE_LOCAL_TRAFFIC] =
        p->value[PROFILE_LOCAL_STORED] + local_traffic(&t->local[0], width_of(s->local_loads));
    /* Only loads with an address per lane are replayed, but all need their lines. */
    const double passes = t->constant_loads > 0 ? t->constant_passes / t->constant_loads : 1;
    const double loads = fmin(s->constant_indexed, t->constant_loads);
    p->value[PROFILE_CONSTANT_LOADS] = fmin(loads + s->constant_uniform, t->constant_loads);
    p->value[PROFILE_CONSTANT_REPLAYS] = loads * (passes - 1);
    p->value[PROFILE_CONSTANT_TOUCHED] = fmax(t->constant_bytes, p->value[PROFILE_CONSTANT_ROOM]);
}

/* --- what is not known --------------------------------------------------------------------- */

static double accesses_of(const Walk *w)
{
    double sum = 0;
    for (int i = 0; i < PTX_SPACE_COUNT; i++)
        sum += i == PTX_PARAM ? 0 : w->loads[i] + w->stores[i];
    return sum;
}

/* Behind unknown branches, at most the instructions that are behind branches in the machine code: predicated
 * instructions and selections are issued anyway.  Calls of code elsewhere count as so many more.  Of the accesses, those with unknown addresses and those
 * that may not be executed. */
static void set_unknown(Arena *a, Profile *p, const Memory *m, const SassProfile *s)
{
    double in_loops = 0, behind = 0, instr = 0, places = 0, accesses = 0, unknown = 0, all = 0;
    double calls = 0;
    VEC_EACH (const MemorySample, x, *m->samples) {
        const WalkUnknown u = walk_unknown(a, x->walk);
        in_loops += x->weight * u.in_loops;
        behind += x->weight * u.behind_branches;
        instr += x->weight * x->walk->instr;
        places += x->weight * u.accesses;
        calls += x->weight * WALK_CALL_INSTR * u.calls;
        accesses += x->weight * accesses_of(x->walk);
    }
    for (size_t i = 0; i < m->accesses.count; i++) {
        unknown += m->accesses.at[i].figures.unknown;
        all += m->accesses.at[i].figures.executions;
    }
    const double most = s->instr > 0 ? s->behind_branches / s->instr : 1;
    const double share = instr > 0 ? (in_loops + fmin(behind, most * instr) + fmax(calls, 0)) /
                                         (instr + fmax(calls, 0))
                                   : 0;
    const double part =
        (all > 0 ? unknown / all : 0) + (accesses > 0 ? fmax(places / accesses, 0) : 0);
    p->value[PROFILE_UNKNOWN_SHARE] = fmin(fmax(share, 0), 1);
    p->value[PROFILE_UNKNOWN_TRAFFIC] = fmin(part, 1);
}

/* Relative standard deviation of the work of the samples. */
static double spread_of(const MemorySamples *s)
{
    double work[SAMPLES_MAX];
    for (int i = 0; i < s->even; i++)
        work[i] = walk_work(s->at[i].walk);
    const double mean = gsl_stats_mean(work, 1, (size_t)s->even);
    return gsl_stats_sd(work, 1, (size_t)s->even) / mean;
}

/* True if their work depends on data that they load. */
static bool depends_on_data(const Memory *m)
{
    for (int i = 0; i < m->samples->even; i++)
        if (m->samples->at[i].walk->data_loads > 0)
            return true;
    return false;
}

/* The fraction of instructions that division and root routines with unknown operands would add if called. */
static double doubtful_routines(const Memory *m)
{
    double more = 0;
    for (int k = 0; k < WALK_ROUTINES; k++)
        more += WALK_ROUTINE_INSTR * m->mean.routines[k].unknown;
    return more > 0 ? more / (walk_work(&m->mean) + more) : 0;
}

/* The doubt from the parts through which warps were not followed.  If the middle one was followed to its
 * end, the error of its estimate tells that of the others. */
static double doubt_of_rest(const Memory *m, double cut)
{
    const MemorySamples *s = m->samples;
    double instr = 0, doubt = 0;
    if (s->rough)
        return cut;
    for (int i = 0; i < s->count; i++) {
        const Walk *w = s->at[i].walk;
        const double each = s->at[0].walk->capped ? cut : fmin(cut, s->limit_error);
        instr += s->at[i].weight * w->instr;
        doubt += fabs(s->at[i].weight) * each * (w->capped && !w->ended ? w->instr : w->estimated);
    }
    return instr > 0 ? fmin(doubt / instr, cut) : 0;
}

static double deviation_of(const double *doubts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += doubts[i] * doubts[i];
    return sqrt(sum);
}

static double open_share(const SassProfile *s)
{
    return s->instr > 0 ? fmin(s->open / s->instr, 1) : 0;
}

/* The standard deviation of each doubt if it concerned everything:
 *   - accesses that count as scattered but may be contiguous or not executed;
 *   - instructions, which may be e times as many or as few;
 *   - work that depends on data: the samples may miss rare heavy warps; at most their own spread;
 *   - code that does not match the PTX (sass_join.h says how far);
 *   - the part of warps that was not followed to the end;
 *   - warps that were not followed, which differ with probability 1 / (n + 2) (Laplace's rule of succession);
 *   - routines for operands that are rare in most data;
 *   - ways through the code that nothing tells apart, for instructions alone.
 * Rounded from the errors on recorded spaces (tests/bench/uncertainty.py has a row for each kind). */
void profile_set_doubt(Arena *a, Profile *p, const Memory *m, const SassProfile *s)
{
    static const double instr = 1, traffic = 1.5, data = 0.3, cut = 0.3, few = 0.1, routine = 0.25;
    set_unknown(a, p, m, s);
    const double sampling = memory_sampling_error(m->samples);
    const double doubts[] = {
        open_share(s),
        instr * p->value[PROFILE_UNKNOWN_SHARE],
        sampling,
        sampling > SAMPLED_ENOUGH && depends_on_data(m) ? fmin(data, spread_of(m->samples)) : 0,
        s->deviation,
        doubt_of_rest(m, cut),
        m->samples->cut > 0 ? fmax(few / (double)(m->samples->walked.count + 2),
                                   cut * m->samples->cut / m->samples->count)
                            : 0,
        routine * doubtful_routines(m),
        traffic * p->value[PROFILE_UNKNOWN_TRAFFIC]};
    const size_t count = COUNT_OF(doubts);
    p->value[PROFILE_UNCERTAINTY] = deviation_of(doubts + 1, count - 1);
    p->value[PROFILE_UNCERTAINTY_ISSUED] = deviation_of(doubts, count - 1);
}

static void add_reason(Buf *b, const char *text)
{
    buf_printf(b, "%s%s", b->size ? "; " : "", text);
}

static void add_unknown_accesses(Arena *a, Buf *b, const Memory *m)
{
    size_t count = 0;
    const MemoryAccess *first = NULL;
    VEC_EACH (const MemoryAccess, x, m->accesses) {
        if (!(x->figures.unknown > 0))
            continue;
        first = first ? first : x;
        count++;
    }
    if (first)
        add_reason(b, arena_printf(a, "%s: the address is not known (%zu such accesses)",
                                   ptx_place(a, first->function, first->instr), count));
}

typedef VEC(WalkNote) Notes;

/* Two instructions of one source line are one place. */
static bool same_place(const WalkNote *x, const WalkNote *y)
{
    const PtxFunction *f = x->function;
    if (f != y->function || x->instr == y->instr)
        return f == y->function;
    if (x->instr >= f->instrs.count || y->instr >= f->instrs.count)
        return false;
    const PtxInstr *a = &f->instrs.at[x->instr], *b = &f->instrs.at[y->instr];
    return a->file != 0 && a->file == b->file && a->line == b->line;
}

static bool is_noted(const Notes *all, const WalkNote *n)
{
    VEC_EACH (const WalkNote, x, *all)
        if (same_place(x, n) && strcmp(x->text, n->text) == 0)
            return true;
    return false;
}

/* Each place once, from all warps: the middle one may take no part in a wait. */
static Notes gather_notes(Arena *a, const MemorySamples *s)
{
    Notes all = {0};
    for (int k = 0; k < s->count; k++)
        VEC_EACH (const WalkNote, n, s->at[k].walk->notes)
            if (!is_noted(&all, n))
                VEC_PUSH(a, &all, *n);
    return all;
}

/* The first of each kind with their number: many of one kind must not hide another. */
static void add_notes(Arena *a, Buf *b, const Notes *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const char *kind = all->at[i].text, *text = walk_note_text(a, &all->at[i]);
        size_t first = 0, count = 0;
        while (strcmp(all->at[first].text, kind) != 0)
            first++;
        if (first < i)
            continue;
        for (size_t j = i; j < all->count; j++)
            count += strcmp(all->at[j].text, kind) == 0;
        add_reason(b, count > 1 ? arena_printf(a, "%s (%zu such places)", text, count) : text);
    }
}

/* Smaller shares are not worth a word. */
static const double OPEN_SHARE = 0.01;

void profile_set_note(Arena *a, Profile *p, const Memory *m, const SassProfile *s,
                      const WalkData *data)
{
    SCOPED_BUF b = {0};
    if (data && data->fault)
        add_reason(&b, arena_printf(a, "contents that cannot be had: %s", data->fault));
    const Notes notes = gather_notes(a, m->samples);
    add_notes(a, &b, &notes);
    add_unknown_accesses(a, &b, m);
    if (memory_sampling_error(m->samples) > SAMPLED_ENOUGH)
        add_reason(&b, arena_printf(a, "warps differ by their data: %d of them stand for all",
                                    m->samples->count));
    if (m->samples->cut > 0)
        add_reason(&b, "following warps has a limit: fewer than usual stand for all");
    if (m->samples->rough)
        add_reason(
            &b,
            "following has a limit: neither operands of divisions nor stored values are followed");
    if (m->reuse && m->reuse->cut)
        add_reason(&b,
                   "following who loads a sector first has a limit: what is beyond it counts like "
                   "what is within");
    if (s->unmatched)
        add_reason(&b, arena_printf(a, "code and PTX do not match: %s", s->unmatched));
    else if (open_share(s) > OPEN_SHARE)
        add_reason(
            &b,
            arena_printf(
                a,
                "ways through the code that nothing tells apart: up to %.2g %% more instructions",
                100 * open_share(s)));
    p->note = b.size ? arena_string(a, buf_text(&b)) : NULL;
}

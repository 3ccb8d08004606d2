#include "metrics/metric/profile_build.h"

#include "metrics/cubin/sass_profile.h"
#include "metrics/device/rates.h"
#include "metrics/ptx/ptx_parse.h"

#include <string.h>

static PtxDim dim_of(const int64_t n[3])
{
    return (PtxDim){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
}

/* A few warps that stand for all; counts come from the middle one of the block in the middle of the
 * grid, away from the edges where a kernel often has more to check. */
static const Memory *follow(Arena *a, const PtxFunction *entry, const ProfileInput *in,
                            const WalkTouch *touch)
{
    MemoryOptions o = {.walk.touch = touch,
                       .walk.launch = {.grid = dim_of(in->grid),
                                       .block = dim_of(in->block),
                                       .has_geometry = true,
                                       .params = in->parameters,
                                       .param_bytes = in->parameter_bytes}};
    return memory_follow(a, entry, &o);
}

static void set_mix(Profile *p, const Walk *w)
{
    static const struct {
        ProfileField field;
        PtxClass class[3]; /* summed; the same one again counts nothing */
        int count;
    } table[] = {
        {PROFILE_FP32_INSTR, {PTX_CLASS_FP32}, 1},
        {PROFILE_INT_INSTR, {PTX_CLASS_INT, PTX_CLASS_COMPARE, PTX_CLASS_ADDRESS}, 3},
        {PROFILE_SFU_INSTR, {PTX_CLASS_SFU}, 1},
        {PROFILE_FP64_INSTR, {PTX_CLASS_FP64}, 1},
        {PROFILE_HALF_INSTR, {PTX_CLASS_HALF}, 1},
        {PROFILE_TENSOR_INSTR, {PTX_CLASS_TENSOR}, 1},
        {PROFILE_MOVE_INSTR, {PTX_CLASS_MOVE, PTX_CLASS_CONVERT}, 2},
        {PROFILE_BRANCH_INSTR, {PTX_CLASS_BRANCH, PTX_CLASS_CALL}, 2},
        {PROFILE_SYNC_INSTR, {PTX_CLASS_BARRIER, PTX_CLASS_FENCE}, 2},
        {PROFILE_UNKNOWN_INSTR, {PTX_CLASS_UNKNOWN}, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double sum = 0;
        for (int k = 0; k < table[i].count; k++)
            sum += w->by_class[table[i].class[k]];
        p->value[table[i].field] = sum;
    }
    p->value[PROFILE_GLOBAL_LOADS] = w->loads[PTX_GLOBAL];
    p->value[PROFILE_GLOBAL_STORES] = w->stores[PTX_GLOBAL];
    p->value[PROFILE_SHARED_LOADS] = w->loads[PTX_SHARED];
    p->value[PROFILE_SHARED_STORES] = w->stores[PTX_SHARED];
    p->value[PROFILE_LOCAL_ACCESSES] = w->loads[PTX_LOCAL] + w->stores[PTX_LOCAL];
}

static void set_walk(Profile *p, const Walk *w)
{
    p->value[PROFILE_INSTR] = w->instr;
    p->value[PROFILE_REGIONS] = w->regions;
    p->value[PROFILE_LONG_REGIONS] = w->long_regions;
    p->value[PROFILE_BRANCHES_UNKNOWN] = w->unknown_branches;
    p->value[PROFILE_LOOPS_UNKNOWN] = w->unknown_loops;
    set_mix(p, w);
}

/* What all accesses of shared memory, and of global memory, come to for one warp. */
typedef struct Traffic {
    double shared_loads, shared_load_wavefronts; /* loads merged as ptxas merges them */
    double shared_others, shared_other_wavefronts;
    double shared_wavefronts_min;
    double global_sectors, global_sectors_min, global_lines;
    double unknown;
} Traffic;

static Traffic sum_traffic(const Memory *m)
{
    Traffic t = {0};
    for (size_t i = 0; i < m->loads.count; i++) {
        const MemoryFigures *f = &m->loads.at[i].figures;
        const bool is_load = m->loads.at[i].kind == ACCESS_LOAD;
        *(is_load ? &t.shared_loads : &t.shared_others) += f->executions;
        *(is_load ? &t.shared_load_wavefronts : &t.shared_other_wavefronts) += f->wavefronts;
        t.shared_wavefronts_min += f->wavefronts_min;
    }
    for (size_t i = 0; i < m->accesses.count; i++) {
        const MemoryAccess *x = &m->accesses.at[i];
        t.unknown += x->figures.unknown;
        if (x->space == PTX_SHARED && x->merged == CFG_NONE) {
            t.shared_others += x->figures.executions;
            t.shared_other_wavefronts += x->figures.wavefronts;
            t.shared_wavefronts_min += x->figures.wavefronts_min;
        }
        if (x->space == PTX_GLOBAL) {
            t.global_sectors += x->figures.sectors;
            t.global_sectors_min += x->figures.sectors_min;
            t.global_lines += x->figures.lines;
        }
    }
    return t;
}

static void set_traffic(Profile *p, const Traffic *t, bool sampled)
{
    p->value[PROFILE_SHARED_WAVEFRONTS] = t->shared_load_wavefronts + t->shared_other_wavefronts;
    p->value[PROFILE_SHARED_WAVEFRONTS_MIN] = t->shared_wavefronts_min;
    p->value[PROFILE_SHARED_ACCESSES] = t->shared_loads + t->shared_others;
    p->value[PROFILE_GLOBAL_SECTORS] = t->global_sectors;
    p->value[PROFILE_GLOBAL_SECTORS_MIN] = t->global_sectors_min;
    p->value[PROFILE_GLOBAL_LINES] = t->global_lines;
    p->value[PROFILE_ACCESSES_UNKNOWN] = t->unknown;
    p->value[PROFILE_ACCESSES_SAMPLED] = sampled;
}

/* Bytes of the local arrays that the PTX itself declares; what the stack holds beyond is spills. */
static int64_t local_array_bytes(const PtxFunction *f)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < f->locals.count; i++)
        if (f->locals.at[i]->space == PTX_LOCAL)
            bytes += (int64_t)f->locals.at[i]->size;
    return bytes;
}

static double sum_widths(const double counts[SASS_WIDTHS])
{
    double sum = 0;
    for (int i = 0; i < SASS_WIDTHS; i++)
        sum += counts[i];
    return sum;
}

static void set_machine(Profile *p, const SassProfile *s)
{
    enum { WIDTH_16 = SASS_WIDTHS - 1 };
    const struct {
        ProfileField field;
        double value;
    } table[] = {
        {PROFILE_ISSUED, s->instr},
        {PROFILE_FMA_ISSUED, s->by_unit[SASS_UNIT_FMA]},
        {PROFILE_IMAD_ISSUED, s->by_unit[SASS_UNIT_IMAD]},
        {PROFILE_ALU_ISSUED, s->by_unit[SASS_UNIT_ALU]},
        {PROFILE_SFU_ISSUED, s->by_unit[SASS_UNIT_SFU]},
        {PROFILE_FP64_ISSUED, s->by_unit[SASS_UNIT_FP64]},
        {PROFILE_HALF_ISSUED, s->by_unit[SASS_UNIT_HALF]},
        {PROFILE_TENSOR_ISSUED, s->by_unit[SASS_UNIT_TENSOR]},
        {PROFILE_LSU_ISSUED, s->by_unit[SASS_UNIT_LSU]},
        {PROFILE_BRANCH_ISSUED, s->by_unit[SASS_UNIT_BRANCH]},
        {PROFILE_SHARED_ISSUED, sum_widths(s->shared_loads) + sum_widths(s->shared_stores)},
        {PROFILE_SHARED_128_ISSUED, s->shared_loads[WIDTH_16] + s->shared_stores[WIDTH_16]},
        {PROFILE_GLOBAL_ISSUED, sum_widths(s->global_loads) + sum_widths(s->global_stores)},
        {PROFILE_SPILL_ISSUED, sum_widths(s->local_loads) + sum_widths(s->local_stores)},
        {PROFILE_LOOP_BYTES, s->loop_bytes},
        {PROFILE_SERIAL_CYCLES, s->serial.cycles},
        {PROFILE_SERIAL_ISSUE, s->serial.issue},
        {PROFILE_SERIAL_SHARED, s->serial.waits[SASS_WAIT_SHARED]},
        {PROFILE_SERIAL_GLOBAL, s->serial.waits[SASS_WAIT_GLOBAL]},
        {PROFILE_SERIAL_BARRIER, s->serial.waits[SASS_WAIT_BARRIER]},
        {PROFILE_LOADED_CYCLES, s->loaded.cycles},
        {PROFILE_LOADS_IN_FLIGHT, s->serial.loads_in_flight},
        {PROFILE_CODE_UNMATCHED, s->unmatched != NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        p->value[table[i].field] = table[i].value;
}

/* The latencies of the device; SASS_LATENCY for what the table does not have. */
static SassLatency latency_of(const Device *d, double warps_per_block)
{
    SassLatency l = SASS_LATENCY;
    const Latencies *known = latencies_of(d);
    if (!known)
        return l;
    l.shared = known->shared;
    l.global = known->dram;
    l.local = known->l1;
    l.special = known->sfu;
    l.shuffle = known->shuffle;
    l.barrier = known->barrier + known->barrier_warp * warps_per_block;
    return l;
}

/* What a warp shares its multiprocessor with: the resident warps, all doing as it does. */
static SassLoad load_of(const Profile *p, const Traffic *t)
{
    return (SassLoad){.warps = p->value[PROFILE_BLOCKS_PER_SM] * p->value[PROFILE_WARPS_PER_BLOCK],
                      .load_wavefronts =
                          t->shared_loads > 0 ? t->shared_load_wavefronts / t->shared_loads : 1,
                      .store_wavefronts =
                          t->shared_others > 0 ? t->shared_other_wavefronts / t->shared_others : 1};
}

static bool add_code(Arena *a, const ProfileInput *in, const Memory *memory, int64_t local_arrays,
                     Profile *p, Hash *code, Diag *d)
{
    const Cubin *cubin = cubin_read(a, in->cubin, in->cubin_size, d);
    const CubinKernel *k = cubin ? cubin_find(cubin, in->kernel) : NULL;
    if (!cubin)
        return false;
    if (!k)
        return diag_fail(d, "the cubin has no kernel '%s'; is it extern \"C\"?", in->kernel);
    *code = cubin_code_hash(cubin, k);
    profile_set_code(p, k, local_arrays);
    int threads = (int)(in->block[0] * in->block[1] * in->block[2]);
    BlockUse use = profile_block_use(k, in->dynamic_shared, threads);
    profile_set_launch(p, in->device, &use, in->grid[0] * in->grid[1] * in->grid[2]);
    Traffic traffic = sum_traffic(memory);
    set_traffic(p, &traffic, memory->sampled);
    SassLatency latency = latency_of(in->device, p->value[PROFILE_WARPS_PER_BLOCK]);
    SassLoad load = load_of(p, &traffic);
    SassProfile machine =
        sass_profile(a, cubin->arch, k, memory->walk, &latency, load.warps > 0 ? &load : NULL);
    set_machine(p, &machine);
    return true;
}

/* The entry of a PTX text; NULL with a message. */
static const PtxFunction *read_entry(Arena *a, const ProfileInput *in, const PtxModule **module,
                                     Diag *d)
{
    Source *source = ARENA_NEW(a, Source);
    *source = (Source){in->kernel, in->ptx, in->ptx_size};
    size_t errors = d->errors;
    *module = ptx_parse(a, source, d);
    const PtxFunction *entry = ptx_find_entry(*module, in->kernel);
    if (d->errors > errors)
        return NULL;
    if (!entry)
        diag_fail(d, "the PTX has no kernel '%s'; is it extern \"C\"?", in->kernel);
    return entry;
}

bool profile_build(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d)
{
    *out = profile_new();
    const PtxModule *module;
    const PtxFunction *entry = read_entry(a, in, &module, d);
    if (!entry)
        return false;
    const Memory *memory = follow(a, entry, in, NULL);
    set_walk(out, memory->walk);
    return add_code(a, in, memory, local_array_bytes(entry), out, code, d);
}

const Memory *profile_follow(Arena *a, const ProfileInput *in, const PtxModule **module, Diag *d)
{
    const PtxFunction *entry = read_entry(a, in, module, d);
    return entry ? follow(a, entry, in, NULL) : NULL;
}

bool profile_touch(Arena *a, const ProfileInput *in, const PtxFunction *entry,
                   const WalkTouch *touch)
{
    const Walk *w = follow(a, entry, in, touch)->walk;
    return w->unknown_branches == 0 && w->unknown_loops == 0 && !w->capped;
}

#include "metrics/metric/profile_build.h"

#include "metrics/cubin/sass_profile.h"
#include "metrics/flow/traffic.h"
#include "metrics/flow/walk.h"
#include "metrics/ptx/ptx_parse.h"

#include <string.h>

static PtxDim dim_of(const int64_t n[3])
{
    return (PtxDim){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
}

/* The warp that stands for all: the first of a block in the middle of the grid, away from the edges
 * where a kernel often has more to check. */
static Walk *walk_middle(Arena *a, const PtxFunction *entry, const ProfileInput *in)
{
    WalkOptions o = {.launch = {.grid = dim_of(in->grid),
                                .block = dim_of(in->block),
                                .has_geometry = true,
                                .params = in->parameters,
                                .param_bytes = in->parameter_bytes},
                     .memory = true,
                     .place = {.block = {(uint32_t)(in->grid[0] / 2), (uint32_t)(in->grid[1] / 2),
                                         (uint32_t)(in->grid[2] / 2)}}};
    return walk_warp(a, entry, &o);
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

static void set_traffic(Profile *p, const Traffic *t)
{
    p->value[PROFILE_SHARED_WAVEFRONTS] = t->shared_wavefronts;
    p->value[PROFILE_SHARED_WAVEFRONTS_MIN] = t->shared_wavefronts_min;
    p->value[PROFILE_SHARED_ACCESSES] = t->shared_accesses;
    p->value[PROFILE_GLOBAL_SECTORS] = t->global_sectors;
    p->value[PROFILE_GLOBAL_SECTORS_MIN] = t->global_sectors_min;
    p->value[PROFILE_GLOBAL_LINES] = t->global_lines;
    p->value[PROFILE_ACCESSES_UNKNOWN] = t->unknown;
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
        {PROFILE_LOADS_IN_FLIGHT, s->serial.loads_in_flight},
        {PROFILE_CODE_UNMATCHED, s->unmatched != NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        p->value[table[i].field] = table[i].value;
}

static bool add_code(Arena *a, const ProfileInput *in, const Walk *walk, int64_t local_arrays,
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
    SassProfile machine = sass_profile(a, cubin->arch, k, walk, NULL);
    set_machine(p, &machine);
    int threads = (int)(in->block[0] * in->block[1] * in->block[2]);
    BlockUse use = profile_block_use(k, in->dynamic_shared, threads);
    profile_set_launch(p, in->device, &use, in->grid[0] * in->grid[1] * in->grid[2]);
    return true;
}

bool profile_build(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d)
{
    *out = profile_new();
    Source *source = ARENA_NEW(a, Source);
    *source = (Source){in->kernel, in->ptx, in->ptx_size};
    size_t errors = d->errors;
    const PtxModule *module = ptx_parse(a, source, d);
    const PtxFunction *entry = ptx_find_entry(module, in->kernel);
    if (d->errors > errors)
        return false;
    if (!entry)
        return diag_fail(d, "the PTX has no kernel '%s'; is it extern \"C\"?", in->kernel);
    const Walk *walk = walk_middle(a, entry, in);
    set_walk(out, walk);
    Traffic traffic = traffic_of(a, walk);
    set_traffic(out, &traffic);
    return add_code(a, in, walk, local_array_bytes(entry), out, code, d);
}

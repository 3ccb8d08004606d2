#include "metrics/metric/profile.h"

#include <math.h>

const ProfileInfo profile_fields[PROFILE_FIELDS] = {
#define FIELD(constant, name, unit, per, launches, meaning) {#name, unit, per, meaning},
#include "metrics/metric/profile.def"
#undef FIELD
};

const ProfileInfo profile_columns[REGION_COLUMNS] = {
#define REGION(constant, name, unit, meaning) {#name, unit, "region", meaning},
#include "metrics/metric/region.def"
#undef REGION
};

const char *const profile_column_names[REGION_COLUMNS] = {
#define REGION(constant, name, unit, meaning) #name,
#include "metrics/metric/region.def"
#undef REGION
};

int profile_find(const char *name)
{
    const ProfileInfo *info = NAME_FIND(profile_fields, PROFILE_FIELDS, name, name);
    return info ? (int)(info - profile_fields) : -1;
}

Profile profile_new(void)
{
    Profile p = {.regions = NULL};
    for (int i = 0; i < PROFILE_FIELDS; i++)
        p.value[i] = NAN;
    return p;
}

/* --- regions ------------------------------------------------------------------------------ */

/* Adds a part, scaled to one execution of the whole. */
static void add_part(ProfileRegion *sync, const ProfileRegion *part)
{
    const double share = part->value[REGION_TIMES] / sync->value[REGION_TIMES];
    for (int c = REGION_STALLS; c < REGION_COLUMNS; c++)
        sync->value[c] += share * part->value[c];
}

static bool sum_up(const ProfileRegion *regions, size_t count, double number, ProfileRegion *out)
{
    *out = (ProfileRegion){.value[REGION_SYNC] = number};
    EACH (const ProfileRegion, r, regions,
          count) /* its last one is executed as often as the whole */
        if (r->value[REGION_SYNC] == number && r->value[REGION_STALLS] == 0 &&
            r->value[REGION_LOCAL_STALLS] == 0)
            out->value[REGION_TIMES] += r->value[REGION_TIMES];
    for (size_t i = 0; i < count && out->value[REGION_TIMES] > 0; i++)
        if (regions[i].value[REGION_SYNC] == number)
            add_part(out, &regions[i]);
    return out->value[REGION_TIMES] > 0;
}

void profile_set_regions(Arena *a, Profile *p, const ProfileRegion *regions, size_t count)
{
    ProfileRegion syncs[PROFILE_REGION_ROOM];
    count = count < PROFILE_REGION_ROOM ? count : PROFILE_REGION_ROOM;
    p->regions = arena_keep(a, regions, count * sizeof *regions);
    p->region_count = count;
    p->sync_count = 0;
    for (size_t i = 0; i < count; i++) {
        const double number = regions[i].value[REGION_SYNC];
        bool known = number < 0;
        for (size_t k = 0; k < p->sync_count && !known; k++)
            known = syncs[k].value[REGION_SYNC] == number;
        if (!known && sum_up(regions, count, number, &syncs[p->sync_count]))
            p->sync_count++;
    }
    p->syncs = arena_keep(a, syncs, p->sync_count * sizeof *syncs);
}

void profile_keep(Arena *a, Profile *p)
{
    p->regions = arena_keep(a, p->regions, p->region_count * sizeof *p->regions);
    p->syncs = arena_keep(a, p->syncs, p->sync_count * sizeof *p->syncs);
    p->note = p->note ? arena_string(a, p->note) : NULL;
}

/* --- several launches -------------------------------------------------------------------------- */

static double work_of(const LaunchProfile *l)
{
    return l->profile->value[PROFILE_INSTR] * l->profile->value[PROFILE_THREADS] * l->times;
}

size_t profile_main_launch(const LaunchProfile *launches, size_t count)
{
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (work_of(&launches[i]) > work_of(&launches[most]))
            most = i;
    return most;
}

Profile profile_of_launches(const LaunchProfile *launches, size_t count)
{
    enum { MAIN, MOST };
    static const uint8_t rules[PROFILE_FIELDS] = {
#define FIELD(constant, name, unit, per, launches, meaning) launches,
#include "metrics/metric/profile.def"
#undef FIELD
    };
    Profile all = *launches[profile_main_launch(launches, count)].profile;
    for (int f = 0; f < PROFILE_FIELDS; f++)
        for (size_t i = 0; rules[f] == MOST && i < count; i++)
            if (launches[i].profile->value[f] > all.value[f])
                all.value[f] = launches[i].profile->value[f];
    return all;
}

/* --- fields ------------------------------------------------------------------------------- */

void profile_set_code(Profile *p, const CubinKernel *k, int64_t local_array_bytes)
{
    const bool only_arrays = local_array_bytes > 0 && k->frame_bytes <= local_array_bytes;
    p->value[PROFILE_LOCAL_BYTES] = (double)k->frame_bytes;
    p->value[PROFILE_SPILL_BYTES] =
        only_arrays ? 0 : (double)(k->local_load_bytes + k->local_store_bytes);
    p->value[PROFILE_CODE_BYTES] = (double)k->code_bytes;
}

BlockUse profile_block_use(const CubinKernel *k, int64_t dynamic_shared, int threads_per_block)
{
    return (BlockUse){
        .registers = k->registers,
        .static_shared = k->shared_bytes,
        .dynamic_shared = dynamic_shared,
        .threads = threads_per_block,
        .barriers = k->barriers,
    };
}

void profile_set_launch(Profile *p, const Device *d, const BlockUse *use, int64_t blocks)
{
    const Occupancy o = occupancy_compute(d, use);
    const double slots = (double)d->sms * o.blocks_per_sm; /* 0: size not known, or cannot run */
    const double waves = slots > 0 ? (double)blocks / slots : NAN;

    p->value[PROFILE_REGISTERS] = use->registers;
    p->value[PROFILE_SHARED_BYTES] = (double)use->static_shared + (double)use->dynamic_shared;
    p->value[PROFILE_BARRIERS] = use->barriers;
    p->value[PROFILE_THREADS] = (double)use->threads * (double)blocks;
    p->value[PROFILE_THREADS_PER_BLOCK] = use->threads;
    p->value[PROFILE_WARPS_PER_BLOCK] = o.warps_per_block;
    p->value[PROFILE_BLOCKS] = (double)blocks;
    p->value[PROFILE_BLOCKS_PER_SM] = o.blocks_per_sm;
    p->value[PROFILE_WAVES] = waves;
    p->value[PROFILE_TAIL_EFFICIENCY] = waves > 0 ? waves / ceil(waves) : NAN;
    p->value[PROFILE_OCCUPANCY] = o.fraction;
}

void profile_print(const Profile *p, Buf *out)
{
    for (int i = 0; i < PROFILE_FIELDS; i++)
        if (!isnan(p->value[i]))
            buf_printf(out, "%s = %.10g %s per %s\n", profile_fields[i].name, p->value[i],
                       profile_fields[i].unit, profile_fields[i].per);
}

#include "metrics/metric/profile.h"

#include <math.h>
#include <string.h>

static const ProfileInfo infos[PROFILE_FIELDS] = {
#define FIELD(constant, name, unit, per, meaning) {#name, unit, per, meaning},
#include "metrics/metric/profile.def"
#undef FIELD
};

const ProfileInfo *profile_info(ProfileField f)
{
    return &infos[f];
}

int profile_find(const char *name)
{
    for (int i = 0; i < PROFILE_FIELDS; i++)
        if (strcmp(infos[i].name, name) == 0)
            return i;
    return -1;
}

Profile profile_new(void)
{
    Profile p;
    for (int i = 0; i < PROFILE_FIELDS; i++)
        p.value[i] = NAN;
    return p;
}

static int64_t spill_bytes(const CubinKernel *k, int64_t local_array_bytes)
{
    if (local_array_bytes > 0 && k->frame_bytes <= local_array_bytes)
        return 0;
    return k->local_load_bytes + k->local_store_bytes;
}

void profile_set_code(Profile *p, const CubinKernel *k, int64_t local_array_bytes)
{
    p->value[PROFILE_LOCAL_BYTES] = (double)k->frame_bytes;
    p->value[PROFILE_SPILL_BYTES] = (double)spill_bytes(k, local_array_bytes);
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

/* Not known when the device's size is not, and when nothing can run. */
static double count_waves(const Device *d, const Occupancy *o, int64_t blocks)
{
    double room = (double)d->sms * o->blocks_per_sm;
    return room > 0 ? (double)blocks / room : NAN;
}

void profile_set_launch(Profile *p, const Device *d, const BlockUse *use, int64_t blocks)
{
    Occupancy o = occupancy_compute(d, use);
    double waves = count_waves(d, &o, blocks);

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
            buf_printf(out, "%s = %.10g %s per %s\n", infos[i].name, p->value[i], infos[i].unit,
                       infos[i].per);
}

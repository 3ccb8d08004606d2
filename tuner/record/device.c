#include "tuner/record/device.h"

#include "tuner/base/vec.h"

#include <string.h>

/* Every number of a Device, by the name it has in a recording. */
#define DEVICE_NUMBERS(F)                                                                          \
    F(major)                                                                                       \
    F(minor)                                                                                       \
    F(sms)                                                                                         \
    F(threads_per_block)                                                                           \
    F(threads_per_sm)                                                                              \
    F(warps_per_sm)                                                                                \
    F(blocks_per_sm)                                                                               \
    F(registers_per_sm)                                                                            \
    F(registers_per_block)                                                                         \
    F(registers_per_thread)                                                                        \
    F(shared_per_sm)                                                                               \
    F(shared_per_block)                                                                            \
    F(shared_per_block_optin)                                                                      \
    F(shared_reserved)                                                                             \
    F(clock_hz)                                                                                    \
    F(l2_bytes)                                                                                    \
    F(dram_bytes_per_s)                                                                            \
    F(fp32_per_sm)

const RecordFact *record_device_facts(Arena *a, const Device *d, size_t *count)
{
    VEC(RecordFact) facts = {0};
#define F(field) VEC_PUSH(a, &facts, ((RecordFact){#field, (double)d->field}));
    DEVICE_NUMBERS(F)
#undef F
    *count = facts.count;
    return facts.at;
}

const Device *record_device(Arena *a, const RecordHeader *h)
{
    const Device *named = device_find(h->arch), *usual = device_find("sm_90");
    const Device *known = named ? device_like(h->device, device_arch(named)) : NULL;
    Device *d = ARENA_NEW(a, Device);
    if (known) {
        *d = *known;
    } else { /* newer than the table: these limits have been the same since capability 3.0 */
        memcpy(d->block_limit, usual->block_limit, sizeof d->block_limit);
        memcpy(d->grid_limit, usual->grid_limit, sizeof d->grid_limit);
    }
    d->name = h->device;
    for (size_t i = 0; i < h->fact_count; i++) {
        const RecordFact *f = &h->facts[i];
#define F(field)                                                                                   \
    if (strcmp(f->name, #field) == 0)                                                              \
        d->field = (__typeof__(d->field))f->value;
        DEVICE_NUMBERS(F)
#undef F
    }
    return d;
}

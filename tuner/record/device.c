#include "tuner/record/device.h"

#include "metrics/base/vec.h"

#include <string.h>

const RecordFact *record_device_facts(Arena *a, const Device *d, size_t *count)
{
    VEC(RecordFact) facts = {0};
#define DERIVED(type, member, meaning)                                                             \
    VEC_PUSH(a, &facts, ((RecordFact){#member, (double)d->member}));
#define DEVICE(type, member, name, quantity, flags, meaning) DERIVED(type, member, meaning)
    DERIVED(int, major, "")
    DERIVED(int, minor, "")
#include "metrics/metric/device.def"
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
#define DERIVED(type, member, meaning)                                                             \
    if (strcmp(f->name, #member) == 0)                                                             \
        d->member = (type)f->value;
#define DEVICE(type, member, name, quantity, flags, meaning) DERIVED(type, member, meaning)
        DERIVED(int, major, "")
        DERIVED(int, minor, "")
#include "metrics/metric/device.def"
    }
    return d;
}

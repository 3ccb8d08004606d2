/* Any bytes as PTX, its memory accesses followed: it must end without harm, and what a walk
 * foresees must be what a plain one counts. */
#include "metrics/ptx/inspect.h"
#include "metrics/ptx/memory.h"
#include "metrics/ptx/ptx.h"
#include "tests/fuzz/told.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Walks that ran out of steps, for all or for undecided branches, did so in different places. */
static void compare(const Walk *a, const Walk *b)
{
    if (a->capped || b->capped || a->took_turns || b->took_turns)
        return;
    if (a->functions.count != b->functions.count || a->instr != b->instr ||
        a->regions != b->regions)
        abort();
    for (size_t i = 0; i < a->functions.count; i++) {
        const WalkFunction *f = a->functions.at[i], *g = b->functions.at[i];
        for (size_t c = 0; c < f->accesses->costs.count; c++)
            if (!f->accesses->costs.at[c].aligned &&
                memcmp(&f->costs[c], &g->costs[c], sizeof f->costs[c]) != 0)
                abort();
    }
}

/* Small numbers stand everywhere; a quarter of memory is never written, the rest had them before the
 * launch. */
static bool before(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    (void)bytes;
    *value = (address >> 2) * 7 % 11;
    return true;
}

static bool load(void *context, uint64_t address, int bytes, uint64_t *value)
{
    return address >> 8 & 3 ? false : before(context, address, bytes, value);
}

static bool symbol(void *context, const char *name, uint64_t *address)
{
    (void)context;
    *address = strlen(name) * 64;
    return true;
}

static void tell_figures(const MemoryFigures *f, Buf *out)
{
#define WALK_ACCESS(name, meaning) buf_printf(out, " %.6g", f->name);
#include "metrics/ptx/walk_counters.def"
    buf_putc(out, '\n');
}

static void tell(const Memory *m)
{
    Buf out = {0};
    for (size_t i = 0; i < m->accesses.count; i++) {
        const MemoryAccess *x = &m->accesses.at[i];
        buf_printf(&out, "%zu %d %d %d %d %d %d %lld %d %d", x->line, x->block, (int)x->kind,
                   (int)x->space, x->bytes, x->sampled, x->group, (long long)x->offset, x->located,
                   x->merged);
        buf_printf(&out, " %llx", x->located ? (unsigned long long)x->address : 0);
        tell_figures(&x->figures, &out);
    }
    for (size_t i = 0; i < m->loads.count; i++) {
        const MemoryLoad *x = &m->loads.at[i];
        buf_printf(&out, "%d %d %d %d %zu %d", x->block, (int)x->kind, x->bytes, x->accesses,
                   x->instr, x->sampled);
        tell_figures(&x->figures, &out);
    }
    flow_dump_walk(m->walk, &out);
    flow_dump_walk(&m->mean, &out);
    told(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const WalkData contents = {.load = load, .before = before, .symbol = symbol};
    if (size > 1 << 15)
        return 0;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source s = {"fuzz", arena_copy(a, (const char *)data, size), size};
    const PtxModule *m = ptx_parse(a, &s, &d);
    const unsigned char params[64] = {0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 33, 0, 0, 0, 7};
    MemoryOptions o = {.reuse = true,
                       .device = {4, 2},
                       .walk = {.launch = {.grid = {3, 2, 1},
                                           .block = {20, 3, 1},
                                           .has_geometry = size % 2,
                                           .params = params,
                                           .param_bytes = sizeof params},
                                .data = size % 3 ? &contents : NULL,
                                .max_steps = 400}};
    for (size_t i = 0; i < m->functions.count; i++) {
        const PtxFunction *f = m->functions.at[i];
        if (!f->has_body || !f->is_entry)
            continue;
        tell(memory_follow(a, f, &o));
        WalkOptions w = o.walk;
        w.memory = true;
        const Walk *foreseen = walk_warp(a, f, &w);
        w.plain = true;
        compare(foreseen, walk_warp(a, f, &w));
    }
    arena_free(a);
    return 0;
}

#include "metrics/ptx/memory_sample.h"

#include "metrics/ptx/walk_slice.h"

#include <math.h>

static const double GOLDEN = 0.6180339887498949;

/* Blocks `from` up to `end` of an axis. */
typedef struct Stretch {
    uint32_t from, end;
} Stretch;

typedef struct Sampler {
    Arena *arena;
    const PtxFunction *entry;
    WalkOptions walk;
    MemorySamples *out;
    Stretch axes[3];  /* blocks among which those that are followed are chosen */
    bool narrowed;    /* these are not all: others have nothing to do */
    double ends[3];   /* along each axis the part of them at an end that is unlike the middle one */
    uint64_t all;     /* steps of all walks together, */
    uint64_t steps;   /* those that are left */
    uint64_t each;    /* that a warp other than the middle one may take */
    const Walk *like; /* the middle one, followed as far as others are */
    bool evenly;      /* what is followed counts the same each, cut or not */
} Sampler;

static const Walk *walk_on(Sampler *s, PtxPlace place, uint64_t most)
{
    s->walk.place = place;
    s->walk.max_steps = most < s->steps ? most : s->steps;
    s->walk.estimate = s->each && s->each < s->all ? 2 * s->walk.max_steps : s->walk.max_steps / 2;
    const Walk *w = s->steps > 0 ? walk_warp(s->arena, s->entry, &s->walk) : NULL;
    if (w)
        s->steps -= w->steps < s->steps ? w->steps : s->steps;
    return w;
}

static MemorySample *keep(Sampler *s, PtxPlace place, const Walk *w)
{
    MemorySample *x = &s->out->at[s->out->count++];
    *x = (MemorySample){.place = place, .walk = w};
    return x;
}

static uint32_t length(Stretch s)
{
    return s.end - s.from;
}

static bool is_cut(const Walk *w)
{
    return w->capped && !w->ended;
}

/* NULL when there is no room or no steps for it. */
static MemorySample *follow(Sampler *s, PtxDim block, uint32_t warp)
{
    const PtxPlace place = {block, warp};
    if (s->out->count == SAMPLES_MAX)
        return NULL;
    for (size_t i = 0; i < s->out->walked.count; i++)
        if (ptx_same_place(s->out->walked.at[i].place, place))
            return keep(s, place, s->out->walked.at[i].walk);
    const bool last = s->steps < s->each && s->each < s->all;
    const Walk *w = walk_on(s, place, s->each);
    const bool cut = !w || is_cut(w) || (w->capped && last);
    s->out->cut += cut;
    if (cut && (!w || (!s->evenly && w->instr <= s->out->at[0].walk->instr)))
        return NULL;
    MemorySample *x = keep(s, place, w);
    VEC_PUSH(s->arena, &s->out->walked, *x);
    return x;
}

/* The one that stands for all that are like it; what is spent on it is missing for others. */
static void follow_middle(Sampler *s, PtxDim block, uint32_t warp)
{
    const PtxPlace place = {block, warp};
    const uint64_t most = s->steps - s->steps / 8;
    s->out->count = 0;
    s->out->walked.count = 0;
    const Walk *w = walk_on(s, place, most);
    if (w->capped && !w->ended && w->fine && s->walk.plans) {
        *s->walk.plans = (WalkPlans){.rough = s->out->rough = true};
        s->steps = most;
        w = walk_on(s, place, most);
    }
    s->out->cut = w->capped && !w->ended;
    s->like = w;
    keep(s, place, w)->weight = 1;
    VEC_PUSH(s->arena, &s->out->walked, s->out->at[0]);
}

/* Where the middle one was followed further than others may be, it is followed again, no further than they are to be:
 * as little as says what it does. */
static void limit_others(Sampler *s)
{
    const uint64_t all = s->all;
    const double far_off = 0.1, work = walk_work(s->out->at[0].walk);
    if (s->steps < all / 2)
        s->steps = all / 2;
    s->each = all / SAMPLE_SHARE;
    if (s->out->at[0].walk->steps <= s->each)
        return;
    for (uint64_t share = SAMPLE_PARTS; share >= SAMPLE_SHARE; share /= 4) {
        s->each = all / share;
        const Walk *w = walk_on(s, s->out->at[0].place, s->each);
        s->out->limit_error = w && work > 0 ? fabs(walk_work(w) / work - 1) : 0;
        if (w && !(w->capped && !w->ended) && s->out->limit_error < far_off) {
            s->like = w;
            return;
        }
    }
    s->each = all;
}

/* What others are compared with. */
static const Walk *comparable(const Sampler *s, const MemorySample *x)
{
    return x->walk == s->out->at[0].walk ? s->like : x->walk;
}

/* Takes a share away from the middle warp, for one that differs. */
static void give(Sampler *s, MemorySample *to, double share)
{
    if (!to)
        return;
    to->weight += share;
    s->out->at[0].weight -= share;
}

/* --- the same? ---------------------------------------------------------------------------- */

static bool same_visits(const WalkFunction *f, const WalkFunction *g)
{
    if (f->function != g->function)
        return false;
    for (int i = 0; i < f->flow->cfg->count; i++)
        if (f->blocks[i].visits != g->blocks[i].visits)
            return false;
    return true;
}

static bool same_lanes(const WalkFunction *f, const WalkFunction *g)
{
    for (int i = 0; i < f->flow->cfg->count; i++)
        if (f->blocks[i].lanes != g->blocks[i].lanes)
            return false;
    return true;
}

static bool same_costs(const WalkFunction *f, const WalkFunction *g)
{
    return !f->accesses ||
           memcmp(f->costs, g->costs, f->accesses->costs.count * sizeof *f->costs) == 0;
}

bool memory_same_counts(const Walk *a, const Walk *b)
{
    if (a->functions.count != b->functions.count)
        return false;
    for (int k = 0; k < WALK_ROUTINES; k++)
        if (a->routines[k].called != b->routines[k].called ||
            a->routines[k].scaled != b->routines[k].scaled)
            return false;
    for (size_t i = 0; i < a->functions.count; i++)
        if (!same_visits(a->functions.at[i], b->functions.at[i]))
            return false;
    return true;
}

/* Did two warps of one launch do the same, at addresses that cost the same? */
static bool same_walk(const Walk *a, const Walk *b)
{
    if (!memory_same_counts(a, b))
        return false;
    for (size_t i = 0; i < a->functions.count; i++)
        if (!same_lanes(a->functions.at[i], b->functions.at[i]) ||
            !same_costs(a->functions.at[i], b->functions.at[i]))
            return false;
    return true;
}

static bool like_middle(const Sampler *s, const MemorySample *x)
{
    return !x || same_walk(s->like, x->walk);
}

/* --- warps of a block ---------------------------------------------------------------------------- */

/* The i-th of `count` warps spread over the block, the first and the last among them. */
static uint32_t spread_warp(uint32_t i, uint32_t count, uint32_t warps)
{
    return (uint32_t)((uint64_t)i * (warps - 1) / (count - 1));
}

/* Where the same warp of the middle block is in the sample; else the middle warp stands for it. */
static MemorySample *in_middle_block(Sampler *s, uint32_t warp)
{
    const PtxPlace place = {s->out->at[0].place.block, warp};
    for (int i = 1; i < s->out->count; i++)
        if (ptx_same_place(s->out->at[i].place, place))
            return &s->out->at[i];
    return &s->out->at[0];
}

/* What a warp of the block of `base` differs in from that one is added, but for what the middle block's differs in. */
static void compare(Sampler *s, MemorySample *base, MemorySample *x, double share)
{
    MemorySample *middle = &s->out->at[0];
    if (!x)
        return;
    x->weight += share;
    base->weight -= share;
    if (base == middle)
        return;
    middle->weight += share;
    in_middle_block(s, x->place.warp)->weight -= share;
}

/* Warps of the block of `base` that differ from it, which stands for the others, in blocks that are so much of all.
 * Those strictly between the first and the last are shared out evenly among those followed. */
static void sample_warps(Sampler *s, MemorySample *base, uint32_t warps, double share)
{
    const PtxPlace at = base->place;
    MemorySample *first = at.warp > 0 ? follow(s, at.block, 0) : NULL;
    MemorySample *last = at.warp < warps - 1 ? follow(s, at.block, warps - 1) : NULL;
    compare(s, base, first, share / warps);
    compare(s, base, last, share / warps);
    const Walk *own = comparable(s, base);
    if (warps <= 3 ||
        ((!first || same_walk(own, first->walk)) && (!last || same_walk(own, last->walk))))
        return;
    const uint32_t count = warps < SAMPLE_WARPS ? warps : SAMPLE_WARPS;
    uint32_t inner = 1; /* `base` */
    for (uint32_t i = 1; i + 1 < count; i++)
        inner += spread_warp(i, count, warps) != at.warp;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const uint32_t warp = spread_warp(i, count, warps);
        if (warp != at.warp)
            compare(s, base, follow(s, at.block, warp), share * (1 - 2.0 / warps) / inner);
    }
}

/* --- what depends on the block's number --------------------------------------------------- */

/* Does the function keep what is linear linear?  `or` stands for a sum of different bits. */
static bool is_linear(const PtxForm *f)
{
    switch (f->op) {
    case PTX_MOV:
    case PTX_CVTA:
    case PTX_CVT:
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MAD:
    case PTX_SHL:
    case PTX_OR:
        return true;
    default:
        return false;
    }
}

typedef struct Taint {
    bool *of; /* by register */
    bool reads, changed;
} Taint;

static void look(void *context, int reg, bool writes)
{
    Taint *t = context;
    if (!writes)
        t->reads |= t->of[reg];
}

static void spread(void *context, int reg, bool writes)
{
    Taint *t = context;
    if (writes && !t->of[reg])
        t->changed = t->of[reg] = true;
}

static bool reads_special(const PtxInstr *in, PtxSpecial special)
{
    for (int i = 0; i < in->count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SPECIAL && in->operands[i].index == (int)special)
            return true;
    return false;
}

/* Is anything but a linear function made of a coordinate of the block? */
static bool decides(Arena *a, const PtxFunction *f, PtxSpecial coordinate)
{
    Taint t = {.of = ARENA_ARRAY(a, bool, f->registers.count + 1), .changed = true};
    while (t.changed) {
        t.changed = false;
        for (size_t i = 0; i < f->instrs.count; i++) {
            const PtxInstr *in = &f->instrs.at[i];
            const PtxForm *form = in->form;
            t.reads = reads_special(in, coordinate);
            ptx_visit_registers(in, look, &t);
            if (walk_gives_ticket(form)) /* blocks take them in order (walk_ticket.h) */
                return true;
            if (!t.reads)
                continue;
            const bool passes = form->op == PTX_ST && form->space == PTX_PARAM;
            if (passes || form->class == PTX_CLASS_CALL || form->class == PTX_CLASS_BRANCH ||
                (ptx_eval_computes(form) && !is_linear(form)))
                return true;
            if (ptx_eval_computes(form))
                ptx_visit_registers(in, spread, &t);
        }
    }
    return false;
}

/* Along which axes, of more blocks than are all followed, does the block's number decide something? */
static void decided_axes(const Sampler *s, bool decided[3])
{
    static const PtxSpecial coordinates[] = {PTX_CTAID_X, PTX_CTAID_Y, PTX_CTAID_Z};
    for (int axis = 0; axis < 3; axis++)
        decided[axis] =
            length(s->axes[axis]) > SAMPLE_AXIS && decides(s->arena, s->entry, coordinates[axis]);
}

/* --- blocks along an axis ----------------------------------------------------------------- */

static MemorySample *follow_block(Sampler *s, int axis, uint32_t at)
{
    PtxPlace place = s->out->at[0].place;
    *ptx_along(&place.block, axis) = at;
    return follow(s, place.block, place.warp);
}

/* Blocks behind the middle one, until one is like it again; false where none is, of enough. */
static bool sample_cycle(Sampler *s, int axis, uint32_t middle, uint32_t end, double share)
{
    MemorySample *cycle[SAMPLE_CYCLE];
    int count = 0;
    bool again = false;
    while (count < SAMPLE_CYCLE && middle + (uint32_t)count + 2 < end) {
        MemorySample *next = follow_block(s, axis, middle + (uint32_t)count + 1);
        if (!next)
            break;
        if (like_middle(s, next)) {
            s->out->count--; /* the middle one stands for it */
            again = true;
            break;
        }
        cycle[count++] = next;
    }
    for (int i = 0; i < count; i++)
        give(s, cycle[i], share / (count + 1));
    return again || count < SAMPLE_UNLIKE;
}

/* Where the first and the last block of the grid fare like the middle one, their warps at that end
 * among them, so do all edges. */
static const Walk *walked_in_middle(const Sampler *s, uint32_t warp)
{
    const PtxPlace place = {s->out->at[0].place.block, warp};
    for (size_t i = 0; i < s->out->walked.count; i++)
        if (ptx_same_place(s->out->walked.at[i].place, place))
            return comparable(s, &s->out->walked.at[i]);
    return s->like;
}

static bool corners_differ(Sampler *s, const bool decided[3])
{
    const MemorySample *middle = &s->out->at[0];
    PtxDim first = middle->place.block, last = first;
    for (int axis = 0; axis < 3; axis++)
        if (decided[axis]) {
            *ptx_along(&first, axis) = s->axes[axis].from;
            *ptx_along(&last, axis) = s->axes[axis].end - 1;
        }
    bool differ = false;
    const PtxDim corners[] = {first, last};
    for (int i = 0; i < 2 && !differ; i++) {
        const uint32_t ends[] = {middle->place.warp,
                                 i ? ptx_warps_in_block(&s->walk.launch) - 1 : 0};
        for (int k = 0; k < 2 && !differ; k++) {
            const MemorySample *x = follow(s, corners[i], ends[k]);
            differ = x && !same_walk(walked_in_middle(s, ends[k]), x->walk);
            s->out->count -= x != NULL; /* the axes have their own */
        }
    }
    return differ;
}

/* Does it execute something else, or with other lanes?  Addresses may be on other alignments. */
static bool does_other(const Walk *a, const Walk *b)
{
    if (!memory_same_counts(a, b))
        return true;
    for (size_t i = 0; i < a->functions.count; i++)
        if (!same_lanes(a->functions.at[i], b->functions.at[i]))
            return true;
    return false;
}

/* The same of a block's middle warp. */
static bool is_unlike(Sampler *s, int axis, uint32_t at)
{
    const MemorySample *x = follow_block(s, axis, at);
    const bool unlike = x && does_other(s->like, x->walk);
    s->out->count -= x != NULL;
    return unlike;
}

/* Halves the way between a block of an axis that is not so and one that is; gives the one that is nearest the former,
 * and in *other the last that is not. */
static uint32_t find_border(Sampler *s, int axis, uint32_t not_so, uint32_t so, uint32_t *other,
                            bool (*is_so)(Sampler *, int, uint32_t))
{
    while (so > not_so + 1 || not_so > so + 1) {
        const uint32_t between = so > not_so ? not_so + (so - not_so) / 2 : so + (not_so - so) / 2;
        *(is_so(s, axis, between) ? &so : &not_so) = between;
    }
    *other = not_so;
    return so;
}

/* The block nearest the middle of those at this end that are unlike the middle one: often the end itself alone,
 * where data end within a block; many where the grid is larger than the data. */
static uint32_t first_unlike(Sampler *s, int axis, uint32_t middle, uint32_t end)
{
    uint32_t like;
    return is_unlike(s, axis, end < middle ? end + 1 : end - 1)
               ? find_border(s, axis, middle, end, &like, is_unlike)
               : end;
}

/* The blocks at an end of an axis, up to those that fare like the middle one: each middle warp for all, and, of the
 * block at the border, its other warps. */
static void sample_end(Sampler *s, int axis, uint32_t at, uint32_t size)
{
    const uint32_t warps = ptx_warps_in_block(&s->walk.launch);
    PtxPlace place = s->out->at[0].place;
    const uint32_t middle = *ptx_along(&place.block, axis);
    MemorySample *end = follow_block(s, axis, at);
    const bool other = end && does_other(s->like, end->walk);
    const uint32_t border = other ? first_unlike(s, axis, middle, at) : at;
    if (border != at) {
        const double beyond = at > border ? at - border : border - at;
        s->ends[axis] += (beyond + 1) / size;
        give(s, end, beyond / size);
        end = follow_block(s, axis, border);
    }
    give(s, end, 1.0 / size);
    if (end)
        sample_warps(s, end, warps, 1.0 / size);
}

/* False where blocks along the axis are not like each other. */
static bool sample_axis(Sampler *s, int axis, bool edges)
{
    PtxDim block = s->out->at[0].place.block;
    const Stretch all = s->axes[axis];
    const uint32_t middle = *ptx_along(&block, axis), size = length(all);
    if (size <= SAMPLE_AXIS) {
        for (uint32_t i = all.from; i < all.end; i++) {
            MemorySample *x = i == middle ? NULL : follow_block(s, axis, i);
            give(s, x, 1.0 / size);
            if (x && s->narrowed) /* one of them lies across the border */
                sample_warps(s, x, ptx_warps_in_block(&s->walk.launch), 1.0 / size);
        }
        return true;
    }
    if (!sample_cycle(s, axis, middle, all.end, edges ? 1 - 2.0 / size : 1))
        return false;
    if (edges) {
        sample_end(s, axis, all.from, size);
        sample_end(s, axis, all.end - 1, size);
    }
    return true;
}

/* Where the middle warp lies, this often a half of the way to the first or the last block of the grid. */
static PtxDim block_towards(const Sampler *s, const bool decided[3], bool last, uint32_t part)
{
    PtxDim block = s->out->at[0].place.block;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t *at = ptx_along(&block, axis);
        const uint32_t from = s->axes[axis].from, end = s->axes[axis].end - 1;
        if (decided[axis])
            *at = last ? end - (end - *at) / part : from + (*at - from) / part;
    }
    return block;
}

/* Its walk alone, which stands for nothing; NULL: there are no steps for it. */
static const Walk *look_at(Sampler *s, PtxDim block)
{
    MemorySample *x = follow(s, block, s->out->at[0].place.warp);
    s->out->count -= x != NULL;
    return x ? comparable(s, x) : NULL;
}

/* Does what a block does depend on where it lies, as in a picture?  One at an end does something else than the
 * middle one, and one half way neither that nor this: there is no border between two kinds. */
static bool is_picture(Sampler *s, const bool decided[3])
{
    for (int last = 0; last < 2; last++) {
        const Walk *end = look_at(s, block_towards(s, decided, last, UINT32_MAX));
        if (!end || !does_other(s->like, end))
            continue;
        const Walk *between = look_at(s, block_towards(s, decided, last, 2));
        if (!between || (does_other(s->like, between) && does_other(end, between)))
            return true;
    }
    return false;
}

/* What is unlike the middle block at the ends of one axis and of another is counted twice at the corners. */
static double counted_twice(const double ends[3])
{
    return (1 - ends[0]) * (1 - ends[1]) * (1 - ends[2]) - (1 - ends[0] - ends[1] - ends[2]);
}

/* False where they are not like each other, edges apart, or do not add up. */
static bool sample_blocks(Sampler *s, const bool decided[3])
{
    const double few = 1.0 / 16;
    const bool edges = (decided[0] || decided[1] || decided[2]) && corners_differ(s, decided);
    for (int axis = 0; axis < 3; axis++)
        if (!sample_axis(s, axis, edges && decided[axis]))
            return false;
    return counted_twice(s->ends) < few;
}

/* --- warps whose work depends on data ------------------------------------------------------ */

/* A warp by its number in the launch. */
static MemorySample *follow_number(Sampler *s, uint64_t number, uint32_t warps)
{
    return follow(s, ptx_block_at(s->walk.launch.grid, number / warps), (uint32_t)(number % warps));
}

/* Of the part of an even sample at an end, in which `x` was followed, ever smaller parts nearer to the
 * end, down to the last warp, each with a warp of its own; where that last one does not have much more
 * to do, it alone. */
static void sample_towards_end(Sampler *s, MemorySample *x, uint64_t all, uint32_t warps, bool last)
{
    const double much = 1.5;
    const double work = walk_work(x->walk);
    const uint64_t end = last ? all - 1 : 0, each = s->each;
    s->each = s->steps = s->steps > s->all / 4 ? s->steps : s->all / 4;
    MemorySample *const most = follow_number(s, end, warps);
    s->each = each;
    if (!most)
        return;
    most->weight = 1 / (double)all;
    x->weight -= most->weight;
    if (walk_work(most->walk) < much * work)
        return;
    uint64_t part = (uint64_t)(x->weight * (double)all);
    while ((part /= 4) > 1) {
        const uint64_t at = part - part / 4;
        MemorySample *nearer = follow_number(s, last ? end - at : at, warps);
        if (!nearer)
            return;
        nearer->weight = x->weight / 4;
        x->weight -= nearer->weight;
        x = nearer;
    }
}

/* Of an even sample, those that the steps did not suffice for are like the one that has most to do of those for which
 * they did. */
static void stand_for_cut(Sampler *s)
{
    const Walk *most = NULL;
    for (int i = 0; i < s->out->count; i++) {
        const Walk *w = s->out->at[i].walk;
        most = !is_cut(w) && (!most || walk_work(w) > walk_work(most)) ? w : most;
    }
    for (int i = 0; most && i < s->out->count; i++)
        if (is_cut(s->out->at[i].walk) && walk_work(s->out->at[i].walk) < walk_work(most))
            s->out->at[i].walk = most;
}

static uint64_t number_of(const Sampler *s, const MemorySample *x, uint32_t warps)
{
    const PtxDim grid = s->walk.launch.grid, b = x->place.block;
    return (b.x + (uint64_t)grid.x * (b.y + (uint64_t)grid.y * b.z)) * warps + x->place.warp;
}

/* All but the middle one, by their numbers in the launch. */
static void put_in_order(Sampler *s, uint32_t warps)
{
    MemorySample *at = s->out->at;
    for (int i = 2; i < s->out->count; i++) {
        const MemorySample x = at[i];
        int k = i;
        for (; k > 1 && number_of(s, &at[k - 1], warps) > number_of(s, &x, warps); k--)
            at[k] = at[k - 1];
        at[k] = x;
    }
}

/* A step that comes by all of so many numbers, and evenly from the start on. */
static uint64_t golden_step(uint64_t count)
{
    uint64_t step = (uint64_t)((double)count * GOLDEN) + 1;
    for (;; step++) {
        uint64_t a = step, b = count;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

/* One warp from each of so many equal parts of all warps in their order, at places that
 * follow the golden section so that no period of the data is met; all of them where there are
 * fewer.  Where the steps do not suffice, from parts that are spread as evenly. */
static void sample_spread(Sampler *s, uint64_t all, uint64_t most, uint32_t warps)
{
    const PtxPlace middle = s->out->at[0].place;
    const uint64_t count = all < most ? all : most, step = golden_step(count);
    s->evenly = true;
    s->out->count = 1;
    s->out->cut = 0;
    for (uint64_t done = 0; done < count && s->steps > 0; done++) {
        const uint64_t k = done * step % count;
        const double within = (double)(k + 1) * GOLDEN - floor((double)(k + 1) * GOLDEN);
        const uint64_t number =
            all <= count ? k : (uint64_t)(((double)k + within) * (double)all / (double)count);
        const uint64_t at = number < all ? number : all - 1;
        const PtxPlace p = {ptx_block_at(s->walk.launch.grid, at / warps), (uint32_t)(at % warps)};
        if (!ptx_same_place(p, middle))
            follow(s, p.block, p.warp);
    }
    stand_for_cut(s);
    put_in_order(s, warps);
    s->out->even = s->out->count;
    s->out->ordered = true;
    s->out->all = all;
    s->out->grid = s->walk.launch.grid;
    for (int i = 0; i < s->out->even; i++)
        s->out->at[i].weight = 1.0 / s->out->even;
    if (all > count && s->out->even > 2) {
        sample_towards_end(s, &s->out->at[1], all, warps, false);
        sample_towards_end(s, &s->out->at[s->out->even - 1], all, warps, true);
    }
}

/* Where lies number k of a sequence that fills the unit interval evenly, from the middle on? */
static uint32_t fill(int k, double step, uint32_t size)
{
    const double at = 0.5 + k * step;
    return (uint32_t)((at - floor(at)) * size);
}

static uint32_t fill_axis(int k, double step, Stretch axis)
{
    return axis.from + fill(k, step, length(axis));
}

/* Warps at places that fill the grid evenly however many there are (x and y: powers of the plastic number, M. Roberts 2018), and
 * are the same ones of the picture whatever the blocks' shape: so configurations are compared by the same parts of it.
 * The middle warp is the first; those that the steps suffice for count the same each. */
static void sample_picture(Sampler *s, uint32_t warps)
{
    s->out->count = 1;
    s->out->cut = 0;
    s->each = s->steps = PICTURE_SHARE * s->all;
    s->out->grid = (PtxDim){length(s->axes[0]), length(s->axes[1]), length(s->axes[2])};
    s->out->all = ptx_block_count(s->out->grid) * warps;
    for (int k = 1; k < PICTURE_MOST && s->steps > 0; k++) {
        if (k % SAMPLE_PICTURE == 0 && memory_sampling_error(s->out) < SAMPLED_ENOUGH / 2)
            break;
        follow(s,
               (PtxDim){fill_axis(k, 0.7548776662466927, s->axes[0]),
                        fill_axis(k, 0.5698402909980532, s->axes[1]),
                        fill_axis(k, 0.4142135623730951, s->axes[2])},
               fill(k, 0.6180339887498949, warps));
        s->out->even = s->out->count;
    }
    for (int i = 0; i < s->out->even; i++)
        s->out->at[i].weight = 1.0 / s->out->even;
}

static bool comes_to_memory(const Walk *w)
{
    return w->loads[PTX_GLOBAL] + w->stores[PTX_GLOBAL] + w->loads[PTX_GENERIC] +
               w->stores[PTX_GENERIC] >
           0;
}

/* Where the middle block has nothing to do, beyond the end of the data, one nearer to the first stands for it. */
static void find_middle(Sampler *s, uint32_t warps)
{
    const PtxDim grid = s->walk.launch.grid;
    const uint64_t all = s->steps;
    follow_middle(s, (PtxDim){grid.x / 2, grid.y / 2, grid.z / 2}, warps / 2);
    if (comes_to_memory(s->out->at[0].walk))
        return;
    for (uint32_t part = 4; part <= MIDDLE_PARTS; part *= 2) {
        const PtxDim block = {grid.x / part, grid.y / part, grid.z / part};
        s->steps = all;
        const Walk *w = walk_on(s, (PtxPlace){block, warps / 2}, all / SAMPLE_PARTS);
        s->steps = all;
        if (w && comes_to_memory(w)) {
            follow_middle(s, block, warps / 2);
            return;
        }
    }
}

static void sample_data(Sampler *s, uint32_t warps)
{
    const uint64_t all = ptx_block_count(s->walk.launch.grid) * warps, left = s->steps;
    sample_spread(s, all, SAMPLE_SPREAD, warps);
    const double walk = fmax((double)(left - s->steps) / s->out->count, 1);
    const double error = memory_sampling_error(s->out) / SAMPLED_ENOUGH;
    const double wanted = fmin(6 * SAMPLE_SPREAD * error * error, SAMPLE_MOST);
    const double most = fmin(wanted > (double)all / 2 ? (double)all : wanted,
                             fmin((double)s->steps / walk, SAMPLE_MOST));
    if (error < 1 || most < 1.5 * SAMPLE_SPREAD)
        return;
    sample_spread(s, all, (uint64_t)most, warps);
}

/* --- blocks beyond the data ---------------------------------------------------------------- */

/* Nothing that others could see. */
static bool does_nothing(const Walk *w)
{
    return !is_cut(w) && !comes_to_memory(w) && w->by_class[PTX_CLASS_ATOMIC] == 0 &&
           w->by_class[PTX_CLASS_ASYNC] == 0 && w->by_class[PTX_CLASS_TEXTURE] == 0;
}

/* Do these warps of a block?  They are soon at their end then.  What it takes to know is not missing for others. */
static bool is_idle(Sampler *s, PtxDim block)
{
    enum { SOON = 1024 };
    const uint32_t last = ptx_warps_in_block(&s->walk.launch) - 1;
    const uint32_t warps[] = {0, s->out->at[0].place.warp, last};
    const uint64_t left = s->steps;
    bool idle = true;
    for (int i = 0; i < 3 && idle; i++) {
        s->steps = s->all;
        idle = does_nothing(walk_on(s, (PtxPlace){block, warps[i]}, SOON));
    }
    s->steps = left;
    return idle;
}

static bool is_idle_along(Sampler *s, int axis, uint32_t at)
{
    PtxDim block = s->out->at[0].place.block;
    *ptx_along(&block, axis) = at;
    return is_idle(s, block);
}

/* The block that has something to do nearest to the end of an axis. */
static uint32_t last_busy(Sampler *s, int axis, uint32_t end)
{
    uint32_t busy = end;
    if (is_idle_along(s, axis, end))
        find_border(s, axis, *ptx_along(&s->out->at[0].place.block, axis), end, &busy,
                    is_idle_along);
    return busy;
}

/* Leaves out blocks at the ends of the grid that have nothing to do; false where there are none. */
static bool leave_out_idle(Sampler *s)
{
    const PtxDim grid = s->walk.launch.grid, last = {grid.x - 1, grid.y - 1, grid.z - 1};
    if (!comes_to_memory(s->out->at[0].walk))
        return false;
    const bool before = is_idle(s, (PtxDim){0, 0, 0}), after = is_idle(s, last);
    bool found = false;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t size = s->axes[axis].end;
        if (before)
            s->axes[axis].from = last_busy(s, axis, 0);
        if (after)
            s->axes[axis].end = last_busy(s, axis, size - 1) + 1;
        found |= length(s->axes[axis]) < size;
    }
    return found;
}

enum {
    SIDES = 3,
    ALL_SIDES = SIDES * SIDES * SIDES,
    AMONG = ALL_SIDES / 2 /* the others themselves */
};

/* A block on a side of the others, before, among or behind them along each axis, and the part of the grid there. */
static double side_of(const Sampler *s, int side, PtxDim *block)
{
    double part = 1;
    *block = s->out->at[0].place.block;
    for (int axis = 0; axis < 3; axis++, side /= SIDES) {
        const uint32_t size = *ptx_along((PtxDim[]){s->walk.launch.grid}, axis);
        const Stretch x = s->axes[axis];
        const uint32_t at[SIDES] = {0, *ptx_along(block, axis), size - 1},
                       blocks[SIDES] = {x.from, length(x), size - x.end};
        *ptx_along(block, axis) = at[side % SIDES];
        part *= (double)blocks[side % SIDES] / size;
    }
    return part;
}

/* The blocks that were left out, one for all on a side of the others. */
static void sample_idle(Sampler *s, uint32_t warps)
{
    const uint32_t count = warps < SAMPLE_WARPS ? warps : SAMPLE_WARPS;
    PtxDim block;
    const double among = side_of(s, AMONG, &block);
    for (int i = 0; i < s->out->count; i++)
        s->out->at[i].weight *= among;
    for (int side = 0; side < ALL_SIDES; side++) {
        const double part = side_of(s, side, &block);
        for (uint32_t i = 0; i < count && side != AMONG && part > 0; i++) {
            s->steps = s->each = s->all / SAMPLE_PARTS;
            MemorySample *x = follow(s, block, count > 1 ? spread_warp(i, count, warps) : 0);
            (x ? x : &s->out->at[0])->weight += part / count;
        }
    }
}

/* The middle of the blocks that are left for that of the grid. */
static void follow_centre(Sampler *s, uint32_t warps)
{
    PtxDim block;
    for (int axis = 0; axis < 3; axis++)
        *ptx_along(&block, axis) = s->axes[axis].from + length(s->axes[axis]) / 2;
    s->steps = s->all;
    s->each = 0;
    follow_middle(s, block, warps / 2);
    limit_others(s);
}

static void sample_busy(Sampler *s, uint32_t warps)
{
    bool decided[3];
    decided_axes(s, decided);
    if (!is_picture(s, decided)) {
        sample_warps(s, &s->out->at[0], warps, 1);
        if (sample_blocks(s, decided))
            return;
    }
    sample_picture(s, warps);
}

MemorySamples *memory_sample(Arena *a, const PtxFunction *entry, const WalkOptions *o,
                             bool one_warp)
{
    const uint64_t all = o->max_steps ? o->max_steps : SAMPLE_STEPS;
    Sampler s = {.arena = a,
                 .entry = entry,
                 .walk = *o,
                 .out = ARENA_NEW(a, MemorySamples),
                 .axes = {{0, o->launch.grid.x}, {0, o->launch.grid.y}, {0, o->launch.grid.z}},
                 .all = all,
                 .steps = all};
    const PtxDim grid = o->launch.grid;
    const uint32_t warps = o->launch.has_geometry ? ptx_warps_in_block(&o->launch) : 1;
    find_middle(&s, warps);
    if (one_warp || !o->launch.has_geometry || warps == 0 || grid.x == 0 || grid.y == 0 ||
        grid.z == 0)
        return s.out;
    limit_others(&s);
    if (s.out->at[0].walk->data_loads > 0) {
        sample_data(&s, warps);
        return s.out;
    }
    s.narrowed = leave_out_idle(&s);
    if (s.narrowed)
        follow_centre(&s, warps);
    sample_busy(&s, warps);
    if (s.narrowed)
        sample_idle(&s, warps);
    return s.out;
}

/* --- how sure their mean is ------------------------------------------------------------------- */

/* How far apart two blocks lie, as parts of the grid. */
static double apart(PtxDim grid, PtxDim x, PtxDim y)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = ((double)*ptx_along(&x, axis) - (double)*ptx_along(&y, axis)) /
                         (double)*ptx_along(&grid, axis);
        sum += d * d;
    }
    return sum;
}

static const Walk *nearest(const MemorySamples *s, int of)
{
    const Walk *found = NULL;
    double least = INFINITY;
    for (int i = 0; i < s->even; i++) {
        const double d = apart(s->grid, s->at[i].place.block, s->at[of].place.block);
        if (i != of && d < least) {
            least = d;
            found = s->at[i].walk;
        }
    }
    return found;
}

double memory_sampling_error(const MemorySamples *s)
{
    double mean = 0, squares = 0;
    if (s->even < 2)
        return 0;
    for (int i = 0; i < s->even; i++) {
        const double work = walk_work(s->at[i].walk);
        const Walk *beside = !s->ordered ? nearest(s, i) : s->at[i > 1 ? i - 1 : s->even - 1].walk;
        mean += work / s->even;
        squares += pow(work - walk_work(beside), 2) / (2 * s->even);
    }
    const double left_out = fmax(0, 1 - s->even / (double)s->all);
    return mean > 0 ? sqrt(left_out * squares / s->even) / mean : 0;
}

#include "metrics/cubin/sass_loads.h"

#include <math.h>

enum { LINE = 128 };

/* --- loads of the PTX -------------------------------------------------------------------------- */

/* A warp waits for the last sector of a load: the probability that any of them misses if each does with the
 * probability `part`. */
static double any(double part, double sectors, double apart)
{
    return 1 - pow(1 - fmax(0, fmin(part, 1)), 1 + apart * fmax(0, sectors - 1));
}

static SassSource source_of(const MemoryAccess *x, const WalkAccess *of)
{
    const double all = (double)of->executions, unknown = (double)of->unknown / all;
    const double guesses = fmax(1, (double)of->unknown) * WALK_PLACES,
                 lines = (double)of->unknown_lines / guesses,
                 lines_min = fmax(1, (double)of->unknown_bytes / guesses / LINE);
    const double seen = all - (double)of->unknown;
    const double twice = of->sectors > 0 ? (double)of->split / (double)of->sectors : 0;
    const double sectors =
        seen > 0 ? (1 + twice) * exp2((double)of->doublings / DOUBLING / seen) : 1;
    /* Adjacent lines, as those of a vector load, are one place. */
    const double apart = seen > 0 && of->lines > of->lines_min
                             ? (double)(of->lines - of->lines_min) / (double)of->sectors
                             : 0;
    const ReuseSite *r = &x->reuse;
    return (SassSource){
        .l2 = unknown + (1 - unknown) * any(r->first[REUSE_SM] + r->lost, sectors, r->apart),
        .memory =
            unknown + (1 - unknown) * any(r->first[REUSE_LAUNCH] + r->gone, sectors, r->apart),
        .places =
            (1 - unknown) * (1 + sectors * apart) + unknown * (1 + fmax(0, lines - lines_min)),
        .sectors =
            fmax(1, (1 - unknown) * sectors + unknown * (double)of->unknown_sectors / guesses),
    };
}

static void add(SassSource *sum, SassSource s, double weight)
{
    sum->l2 += weight * s.l2;
    sum->memory += weight * s.memory;
    sum->places += weight * s.places;
    sum->sectors += weight * s.sectors;
}

static SassSource over(SassSource sum, double times)
{
    return (SassSource){sum.l2 / times, sum.memory / times, sum.places / times,
                        sum.sectors / times};
}

const SassLoads *sass_loads_of(Arena *a, const Memory *m, const Walk *w)
{
    SassLoads *l = ARENA_NEW(a, SassLoads);
    double times = 0;
    VEC_EACH (const MemoryAccess, x, m->accesses) {
        const WalkFunction *f = walk_find(w, x->function);
        const WalkAccess *of = f ? &f->costs[x->cost] : NULL;
        if (x->kind != ACCESS_LOAD || !of || of->executions == 0 ||
            (x->space != PTX_GLOBAL && x->space != PTX_GENERIC))
            continue;
        const int loop =
            f == w->functions.at[0] ? f->flow->loops->loop_of[x->block] : SASS_ELSEWHERE;
        const double here = (double)of->executions;
        *VEC_ADD(a, &l->text) = (SassLoadText){loop, x->bytes, x->depth, here, source_of(x, of)};
        add(&l->mean, source_of(x, of), here);
        times += here;
    }
    l->mean = times > 0 ? over(l->mean, times) : (SassSource){1, 1, 1, 1};
    return l;
}

/* --- depths: chains of dependent loads -------------------------------------------------------- */

/* By register: loads in a row that its value depends on. */
typedef struct Depths {
    uint8_t of[SASS_REGISTERS];
} Depths;

static int at(const Depths *d, int reg)
{
    return reg == SASS_ZERO ? 0 : d->of[reg];
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool has_third(SassInstr w)
{
    static const bool third[SASS_OPCODES] = {
        [SASS_OP_IADD3] = true,   [SASS_OP_IMAD] = true, [SASS_OP_IMAD_WIDE] = true,
        [SASS_OP_IMAD_HI] = true, [SASS_OP_LEA] = true,  [SASS_OP_LOP3] = true,
        [SASS_OP_PRMT] = true,    [SASS_OP_SHF] = true};
    return third[sass_opcode(w)];
}

static bool is_global(SassClass class)
{
    return class == SASS_GLOBAL_LOAD || class == SASS_GENERIC || class == SASS_ASYNC_COPY;
}

/* The depth of what an instruction reads. */
static int depth_read(const Depths *d, SassInstr w)
{
    const int first = sass_operand(w, 0), second = sass_operand(w, 1), third = sass_operand(w, 2);
    const int depth = sass_form(w) == SASS_FORM_REGISTERS ? at(d, second) : 0;
    switch (sass_class(w)) {
    case SASS_MOVE:
    case SASS_CONVERT:
    case SASS_SFU:
        return depth;
    case SASS_FP32:
    case SASS_INT:
        return larger(larger(depth, at(d, first)), has_third(w) ? at(d, third) : 0);
    case SASS_GLOBAL_LOAD:
    case SASS_GENERIC:
        return at(d, first);
    case SASS_ASYNC_COPY:
        return larger(at(d, first), at(d, second));
    case SASS_SHARED_LOAD:
    case SASS_SHUFFLE:
        return at(d, first);
    default:
        return 0;
    }
}

/* Applies an instruction; returns the depth of what it reads. */
static int pass(Depths *d, SassInstr w)
{
    const int read = depth_read(d, w), to = sass_result(w), count = sass_results(w);
    const SassClass class = sass_class(w);
    const bool loads = class == SASS_GLOBAL_LOAD || class == SASS_GENERIC;
    const int given = loads && read < MEMORY_DEPTH_MOST ? read + 1 : read;
    for (int i = to; i < to + count && i < SASS_ZERO; i++)
        d->of[i] = (uint8_t)given;
    return read;
}

static bool meet(Depths *to, const Depths *from)
{
    bool changed = false;
    for (int i = 0; i < SASS_REGISTERS; i++) {
        changed |= from->of[i] > to->of[i];
        to->of[i] = (uint8_t)larger(to->of[i], from->of[i]);
    }
    return changed;
}

static Depths after(const SassFlow *f, int b, const Depths *before, uint8_t *depths)
{
    Depths d = *before;
    for (size_t i = f->cfg->blocks[b].first; i < f->cfg->blocks[b].end; i++)
        depths[i] = (uint8_t)pass(&d, f->instrs[i]);
    return d;
}

/* By instruction: the depth of what it reads. */
static uint8_t *find_depths(Arena *a, const SassFlow *f)
{
    uint8_t *depths = ARENA_ARRAY(a, uint8_t, f->count + 1);
    Depths *before = ARENA_ARRAY(a, Depths, (size_t)f->cfg->count);
    bool changed = true;
    for (int round = 0; changed && round < MEMORY_DEPTH_ROUNDS; round++) {
        changed = false;
        for (int b = 0; b < f->cfg->count; b++) {
            const Depths d = after(f, b, &before[b], depths);
            const CfgBlock *block = &f->cfg->blocks[b];
            for (int k = 0; k < block->succ_count; k++)
                changed |= meet(&before[block->succs[k]], &d);
        }
    }
    return depths;
}

/* --- mapping loads of the code ----------------------------------------------------------------- */

typedef struct Key {
    int loop, bytes, depth;
} Key;

/* The parts of a key that are compared, from most to least. */
enum { LOOP = 1, BYTES = 2, DEPTH = 4 };
static const int looks[] = {LOOP | BYTES | DEPTH, LOOP | BYTES, BYTES | DEPTH, LOOP, BYTES, 0};

static bool fits(const SassLoadText *t, Key key, int look)
{
    return (!(look & LOOP) || t->loop == key.loop) && (!(look & BYTES) || t->bytes == key.bytes) &&
           (!(look & DEPTH) || t->depth == key.depth);
}

/* Loads of the code with the same key, and loads of the PTX that they may be. */
typedef struct Like {
    Key key;
    size_t count, passed;
    VEC(size_t) text; /* with the same key, in order */
    SassSource mean;  /* of the most similar ones */
} Like;

typedef VEC(Like) Likes;

static void find_text(Arena *a, const SassLoads *l, Like *like)
{
    double times = 0;
    for (size_t i = 0; i < l->text.count; i++)
        if (fits(&l->text.at[i], like->key, looks[0]))
            VEC_PUSH(a, &like->text, i);
    like->mean = l->mean;
    for (size_t k = 0; k < sizeof looks / sizeof *looks && times == 0; k++) {
        SassSource sum = {0};
        for (size_t i = 0; i < l->text.count; i++)
            if (fits(&l->text.at[i], like->key, looks[k])) {
                add(&sum, l->text.at[i].from, l->text.at[i].times);
                times += l->text.at[i].times;
            }
        if (times > 0)
            like->mean = over(sum, times);
    }
}

static Like *like_of(Arena *a, Likes *likes, const SassLoads *l, Key key)
{
    for (size_t i = 0; i < likes->count; i++)
        if (memcmp(&likes->at[i].key, &key, sizeof key) == 0)
            return &likes->at[i];
    Like *like = VEC_ADD(a, likes);
    *like = (Like){.key = key};
    find_text(a, l, like);
    return like;
}

/* By order if the code has each load of the PTX once or equally often (unrolled), else the mean. */
static SassSource next_of(Like *like, const SassLoads *l)
{
    const size_t has = like->text.count, number = like->passed++;
    return has && like->count % has == 0 ? l->text.at[like->text.at[number % has]].from
                                         : like->mean;
}

/* The loop of the PTX paired with the innermost paired loop around a block. */
static int loop_of(const SassJoin *j, int block)
{
    const LoopTree *t = j->flow->loops;
    int loop = t->loop_of[block];
    while (loop != CFG_NONE && (!j->paired || j->paired[loop] == CFG_NONE))
        loop = t->loops.at[loop].parent;
    return loop == CFG_NONE ? CFG_NONE : j->paired[loop];
}

SassSource *sass_loads_find(Arena *a, const SassJoin *j, const SassLoads *loads)
{
    const SassFlow *f = j->flow;
    SassSource *from = ARENA_ARRAY(a, SassSource, f->count + 1);
    int *number = ARENA_ARRAY(a, int, f->count + 1); /* of its Like, plus 1 */
    const uint8_t *depths = find_depths(a, f);
    Likes likes = {0};
    for (size_t i = 0; i < f->count; i++) {
        const SassInstr w = f->instrs[i];
        if (!is_global(sass_class(w)))
            continue;
        const Key key = {loop_of(j, f->cfg->block_of[i]), sass_access_bytes(w), depths[i]};
        Like *like = like_of(a, &likes, loads, key);
        like->count++;
        number[i] = (int)(like - likes.at) + 1;
    }
    for (size_t i = 0; i < f->count; i++)
        from[i] = number[i] ? next_of(&likes.at[number[i] - 1], loads) : loads->mean;
    return from;
}

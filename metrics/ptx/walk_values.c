#include "metrics/ptx/walk_values.h"

#include <math.h>
#include <stdlib.h>

/* Steps for a value that is looked up. */
enum { STEP_LOAD = 4 };

enum { WORD = 4, WORDS_MOST = 1 << 15, ABORTS_MOST = 256 };

/* --- memory that the launch does not write --------------------------------------------------- */

/* Translates an address within a constant variable into one for WalkData. */
static bool find_constant(const Walker *w, uint64_t *address)
{
    VEC_EACH (const WalkPlace, p, w->places) {
        uint64_t base;
        if (p->variable->space != PTX_CONST || *address < p->address ||
            *address - p->address >= p->variable->size ||
            !w->options->data->symbol(w->options->data->context, p->variable->name, &base))
            continue;
        *address += base - p->address;
        return true;
    }
    return false;
}

/* `early`: since the launch began, only the lane itself can have written there. */
static bool look_up(const Walker *w, const PtxForm *f, bool early, uint64_t address, int bytes,
                    uint64_t *v)
{
    const WalkData *d = w->options->data;
    if ((f->space == PTX_CONST && !find_constant(w, &address)) ||
        (!d->load(d->context, address, bytes, v) && !(early && d->before && !w->stored.wild_store &&
                                                      d->before(d->context, address, bytes, v))))
        return false;
    if (ptx_types[f->types[0]].is_signed)
        *v = (uint64_t)ptx_value_signed(*v, 8 * bytes);
    return true;
}

/* The initial value of a counter. Module variables without an initializer are zero. */
static bool stood_first(const Walker *w, const PtxForm *f, uint64_t address, uint64_t *v)
{
    const WalkData *d = w->options->data;
    const int bytes = ptx_types[f->types[0]].bits / 8;
    *v = 0;
    VEC_EACH (const WalkPlace, p, w->places)
        if (p->variable->space == PTX_GLOBAL && address >= p->address &&
            address - p->address < p->variable->size)
            return !p->variable->initial;
    return (d->before && d->before(d->context, address, bytes, v)) ||
           (d->first && d->first(d->context, address, bytes, v));
}

int walk_values_load(Frame *x, const PtxInstr *in, uint32_t yes, Lanes *results)
{
    Walker *w = x->walker;
    const bool early = sliced(x, in)->early;
    const int count = ptx_eval_instr(&x->state, in, results),
              bytes = ptx_types[in->form->types[0]].bits / 8;
    Lanes address;
    if (in->count < 2 || in->operands[1].kind != PTX_OPERAND_ADDRESS || bytes < 1 || bytes > 8)
        return count;
    ptx_eval_address(&x->state, &in->operands[1], &address);
    const uint32_t lanes = address.uniform ? 1 : yes & address.known;
    for (int k = 0; k < count; k++)
        EACH_LANE (i, lanes) {
            uint64_t v;
            w->walk->steps += STEP_LOAD;
            if (!look_up(w, in->form, early, lanes_at(&address, i) + (uint64_t)(k * bytes), bytes,
                         &v))
                continue;
            w->walk->data_loads++;
            lanes_set(&results[k], i, v);
        }
    for (int k = 0; k < count && address.uniform; k++)
        if (results[k].known)
            lanes_fill(&results[k], results[k].v[0]);
    return count;
}

/* --- words published to other warps ---------------------------------------------------------- */

enum { PUBLISHED_MOST = 256 };

struct WalkPublishedWord {
    const PtxInstr *by;
    const PtxVariable *variable;
    uint64_t offset;
    int bytes;
    bool known;
    uint64_t value;
    double barriers; /* that its warp had passed */
};

/* The last visible store to a place. */
typedef struct LastStore {
    bool known;
    bool moving; /* other warps store there more than once */
    uint64_t value;
} LastStore;

static uint32_t last_warp(const Walker *w)
{
    return ptx_warps_in_block(&w->options->launch) - 1;
}

/* Stops publishing: an address is unknown, or stored values change in skipped iterations. */
static void stop_publishing(Walker *w)
{
    w->published.off = true;
    w->published.words.count = 0;
}

/* The shared variable that contains an address, or NULL. */
static const PtxVariable *variable_at(const Walker *w, uint64_t address, uint64_t *offset)
{
    const WalkPlace *found = NULL;
    VEC_EACH (const WalkPlace, p, w->places)
        if (p->variable->space == PTX_SHARED && p->address <= address &&
            (!found || p->address > found->address))
            found = p;
    *offset = found ? address - found->address : 0;
    return found ? found->variable : NULL;
}

/* Publishes what a lane of this warp stores at a known address. `known`: the value is. */
static void publish_word(Walker *w, const PtxInstr *by, uint64_t address, int bytes, uint64_t value,
                         bool known)
{
    uint64_t offset;
    const PtxVariable *v = variable_at(w, address, &offset);
    if (!v || w->published.words.count == PUBLISHED_MOST)
        stop_publishing(w);
    if (w->published.off)
        return;
    VEC_PUSH(w->arena, &w->published.words,
             ((WalkPublishedWord){by, v, offset, bytes, known, value, w->walk->barriers}));
}

/* The last word stored there before so many barriers. Adds the number of stores there to *count (may be
 * NULL). */
static const WalkPublishedWord *last_of(const WalkPublished *t, const PtxVariable *v,
                                        uint64_t offset, int bytes, double barriers, int *count)
{
    const WalkPublishedWord *found = NULL;
    VEC_EACH (const WalkPublishedWord, word, t->words) {
        if (word->variable != v || word->offset >= offset + (uint64_t)bytes ||
            word->offset + (uint64_t)word->bytes <= offset)
            continue;
        if (count)
            *count += 1;
        if (word->barriers < barriers)
            found = word;
    }
    return found;
}

static bool is_in(const WalkPublished *t, const PtxInstr *by)
{
    for (size_t i = 0; i < t->words.count; i++)
        if (t->words.at[i].by == by)
            return true;
    return false;
}

/* True if the block's first or last warp executes that store. */
static bool is_published(Walker *w, const PtxInstr *by)
{
    return !w->sibling || is_in(w->sibling(w, 0), by) || is_in(w->sibling(w, last_warp(w)), by);
}

static LastStore last_published(Walker *w, uint64_t address, int bytes)
{
    const LastStore unknown = {.known = false};
    const uint32_t warps[] = {0, last_warp(w)}, own = w->options->place.warp;
    uint64_t offset;
    const PtxVariable *v = variable_at(w, address, &offset);
    int others = 0;
    if (!v || w->published.off)
        return unknown;
    const WalkPublishedWord *last = last_of(&w->published, v, offset, bytes, INFINITY, NULL);
    for (size_t i = 0; w->sibling && i < 1 + (warps[1] > 0); i++) {
        const WalkPublished *t = warps[i] == own ? NULL : w->sibling(w, warps[i]);
        if (t && t->off)
            return unknown;
        const WalkPublishedWord *word =
            t ? last_of(t, v, offset, bytes, w->walk->barriers, &others) : NULL;
        if (word && last && word->barriers == last->barriers)
            return unknown;
        last = word && (!last || word->barriers > last->barriers) ? word : last;
    }
    const bool whole = last && last->offset == offset && last->bytes == bytes;
    return whole ? (LastStore){last->known, others > 1, last->value} : unknown;
}

/* --- words stored by lanes ------------------------------------------------------------------- */

/* What each lane has stored in the four bytes at an address. */
struct WalkWord {
    uint64_t key;
    uint32_t known[WORD]; /* by byte: lanes */
    uint32_t v[PTX_LANES];
    uint32_t read, moved; /* number of the proof in which it was loaded, or changed */
};

static uint64_t key_of(PtxSpace space, uint64_t address)
{
    const PtxSpace in = walk_access_space(space, address);
    const uint64_t at = in == PTX_GLOBAL ? address : address & UINT32_MAX;
    return at / WORD << 8 | (uint64_t)in | UINT64_C(1) << 63;
}

static WalkWord *slot_of(const WalkStored *s, uint64_t key)
{
    const size_t last = s->capacity - 1; /* a power of two less one */
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & last;
    while (s->slots[i].key && s->slots[i].key != key)
        i = (i + 1) & last;
    return &s->slots[i];
}

static WalkWord *find_word(const WalkStored *s, uint64_t key)
{
    WalkWord *w = s->capacity ? slot_of(s, key) : NULL;
    return w && w->key ? w : NULL;
}

static void grow(Walker *w)
{
    WalkStored *s = &w->stored;
    const WalkStored old = *s;
    s->capacity = old.capacity ? 4 * old.capacity : 64;
    s->slots = memory_zeroed(s->capacity, sizeof *s->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            *slot_of(s, old.slots[i].key) = old.slots[i];
    free(old.slots);
}

void walk_values_give_up(Walker *w)
{
    free(w->stored.slots);
    w->stored = (WalkStored){.off = true, .wild_store = true};
}

/* NULL if there is no room. */
static WalkWord *add_word(Walker *w, uint64_t key)
{
    WalkStored *s = &w->stored;
    WalkWord *found = find_word(s, key);
    if (found)
        return found;
    if (s->count == WORDS_MOST) {
        walk_values_give_up(w);
        return NULL;
    }
    if (2 * ++s->count > s->capacity)
        grow(w);
    found = slot_of(s, key);
    found->key = key;
    return found;
}

void walk_values_forget(Walker *w, uint32_t lanes)
{
    w->stored.wild_store = true;
    w->walk->steps += w->stored.capacity / 8;
    for (size_t i = 0; i < w->stored.capacity; i++)
        for (int b = 0; b < WORD; b++)
            w->stored.slots[i].known[b] &= ~lanes;
}

void walk_values_forget_moved(Walker *w, uint32_t proof)
{
    for (size_t i = 0; i < w->stored.capacity; i++)
        if (w->stored.slots[i].moved == proof)
            memset(w->stored.slots[i].known, 0, sizeof w->stored.slots[i].known);
}

/* --- stores ---------------------------------------------------------------------------------- */

typedef struct Store {
    Frame *frame;
    PtxSpace space;
    uint32_t proof; /* 0: no proof */
    bool moves;     /* other iterations store other values */
    bool broken;    /* the proof fails: iterations load what others store */
} Store;

static void put_byte(Store *t, uint64_t address, int lane, bool known, uint8_t byte)
{
    Walker *w = t->frame->walker;
    WalkWord *word = w->stored.off ? NULL : add_word(w, key_of(t->space, address));
    const int at = (int)(address % WORD);
    const uint32_t bit = UINT32_C(1) << lane, put = (uint32_t)byte << 8 * at;
    if (!word)
        return;
    const uint32_t kept = word->v[lane] & ~(UINT32_C(0xff) << 8 * at);
    const bool same =
        known == ((word->known[at] & bit) != 0) && (!known || word->v[lane] == (kept | put));
    t->broken |= t->proof && word->read == t->proof && (t->moves || !same);
    if (t->moves)
        word->moved = t->proof;
    word->v[lane] = kept | put;
    word->known[at] = known ? word->known[at] | bit : word->known[at] & ~bit;
}

/* Lanes that store to the same address as another one. */
static uint32_t colliding(const Lanes *address, uint32_t lanes)
{
    uint32_t found = 0;
    for (int i = 0; i < PTX_LANES; i++)
        for (int k = 0; k < i && lanes >> i & 1; k++)
            if (lanes >> k & 1 && lanes_at(address, i) == lanes_at(address, k))
                found |= UINT32_C(1) << i | UINT32_C(1) << k;
    return found;
}

/* Publishes a store to shared memory. True if it ends the proof, because a published word was loaded in it. */
static bool publish(Store *t, const PtxInstr *by, uint64_t address, int bytes, uint64_t value,
                    bool known)
{
    Walker *w = t->frame->walker;
    if (t->space != PTX_SHARED)
        return false;
    if (!t->proof) {
        publish_word(w, by, address, bytes, value, known);
        return false;
    }
    stop_publishing(w);
    return w->published.read == t->proof;
}

/* Counts a store that ends a proof. */
static void count_abort(Walker *w)
{
    if (++w->stored.aborts > ABORTS_MOST)
        walk_values_give_up(w);
}

bool walk_values_store(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe,
                       WalkChange change)
{
    Walker *w = x->walker;
    const int bytes = ptx_types[in->form->types[0]].bits / 8;
    const uint32_t lanes = yes | maybe;
    Lanes of[PTX_SOURCES];
    const int count = ptx_eval_operands(&x->state, in, of);
    if (w->stored.off || count < 2 || bytes < 1 || bytes > 8)
        return false;
    Store t = {x, in->form->space, change.proof, change.proof && !change.address && change.value,
               false};
    if (t.proof && change.address)
        count_abort(w);
    if (lanes & ~of[0].known) {
        walk_values_forget(w, lanes & ~of[0].known);
        stop_publishing(w);
    }
    const uint32_t doubt = (w->forks > 0 ? lanes : maybe) |
                           (in->form->space == PTX_SHARED ? colliding(&of[0], lanes) : 0);
    EACH_LANE (i, lanes & of[0].known) {
        if (w->stored.off)
            break;
        for (int b = 0; b < (count - 1) * bytes; b++) {
            const Lanes *value = &of[1 + b / bytes];
            const bool known = value->known >> i & 1 && !(doubt >> i & 1);
            put_byte(&t, lanes_at(&of[0], i) + (uint64_t)b, i, known,
                     (uint8_t)(lanes_at(value, i) >> 8 * (b % bytes)));
            if (b % bytes == 0)
                t.broken |= publish(&t, in, lanes_at(&of[0], i) + (uint64_t)b, bytes,
                                    lanes_at(value, i), known);
        }
    }
    if (t.broken)
        count_abort(w);
    return t.broken || (t.proof && change.address);
}

/* --- loads ----------------------------------------------------------------------------------- */

/* True if the lane has stored all bytes of a value. */
static bool find_stored(const Walker *w, PtxSpace space, uint64_t address, int bytes, int lane,
                        uint32_t proof, uint64_t *v)
{
    WalkWord *word = NULL;
    bool known = true;
    *v = 0;
    for (int b = 0; b < bytes; b++) {
        const uint64_t at = address + (uint64_t)b;
        if (b == 0 || at % WORD == 0)
            word = find_word(&w->stored, key_of(space, at));
        known &= word && word->known[at % WORD] >> lane & 1;
        if (word) {
            word->read = proof ? proof : word->read;
            *v |= (uint64_t)(word->v[lane] >> 8 * (at % WORD) & 0xff) << 8 * b;
        }
    }
    return known;
}

/* A load from memory that the walk has not stored to. */
static bool find_unstored(const Frame *x, const PtxInstr *in, uint64_t address, int bytes,
                          uint64_t *v)
{
    Walker *w = x->walker;
    if (!w->options->data || !sliced(x, in)->early)
        return false;
    for (uint64_t at = address / WORD; at <= (address + (uint64_t)bytes - 1) / WORD; at++)
        if (find_word(&w->stored, key_of(in->form->space, at * WORD)))
            return false;
    w->walk->steps += STEP_LOAD;
    if (!look_up(w, in->form, true, address, bytes, v))
        return false;
    w->walk->data_loads++;
    return true;
}

/* False if a warp that is not walked may execute another store to the variable of the load. */
static bool all_seen(const Frame *x, const PtxInstr *load)
{
    const PtxFunction *f = x->result->function;
    const WalkSliced *own = sliced(x, load);
    for (size_t i = 0; own->published_only && i < f->instrs.count; i++)
        if (sliced(x, &f->instrs.at[i])->home == own->home && f->instrs.at[i].form->op == PTX_ST &&
            !is_published(x->walker, &f->instrs.at[i]))
            return false;
    return true;
}

/* A value that another lane has stored to shared memory. */
static bool find_published(Frame *x, const PtxInstr *in, uint64_t address, int bytes,
                           uint32_t proof, uint64_t *v)
{
    Walker *w = x->walker;
    if (in->form->space != PTX_SHARED)
        return false;
    const LastStore t = last_published(w, address, bytes);
    if (!t.known || !all_seen(x, in))
        return false;
    w->published.read = proof;
    w->published.moving |= t.moving;
    *v = t.value;
    return true;
}

int walk_values_reload(Frame *x, const PtxInstr *in, uint32_t lanes, uint32_t proof, Lanes *results)
{
    const bool published_only = sliced(x, in)->published_only;
    const int count = ptx_eval_instr(&x->state, in, results),
              bytes = ptx_types[in->form->types[0]].bits / 8;
    Lanes address;
    if (x->walker->stored.off || bytes < 1 || bytes > 8)
        return count;
    ptx_eval_address(&x->state, &in->operands[1], &address);
    EACH_LANE (i, lanes & address.known) {
        for (int k = 0; k < count; k++) {
            const uint64_t first = lanes_at(&address, i) + (uint64_t)(k * bytes);
            uint64_t v;
            const bool stored = find_stored(x->walker, in->form->space, first, bytes, i, proof, &v);
            const bool known =
                (stored && !published_only) || find_published(x, in, first, bytes, proof, &v);
            if (known && ptx_types[in->form->types[0]].is_signed)
                v = (uint64_t)ptx_value_signed(v, 8 * bytes);
            if (known || find_unstored(x, in, first, bytes, &v))
                lanes_set(&results[k], i, v);
        }
    }
    return count;
}

bool walk_values_steady(const Frame *x, const PtxInstr *in, uint32_t lanes, uint32_t proof)
{
    const int bytes = ptx_types[in->form->types[0]].bits / 8 * in->form->vector;
    Lanes address;
    ptx_eval_address(&x->state, &in->operands[1], &address);
    EACH_LANE (i, bytes > 0 ? lanes & address.known : 0) {
        const uint64_t first = lanes_at(&address, i);
        for (uint64_t at = first / WORD; at <= (first + (uint64_t)bytes - 1) / WORD; at++) {
            const WalkWord *word =
                find_word(&x->walker->stored, key_of(in->form->space, at * WORD));
            if (word && word->moved == proof)
                return false;
        }
    }
    return true;
}

/* --- tickets --------------------------------------------------------------------------------- */

/* True if known and equal in all these lanes. */
static bool is_one(const Lanes *l, uint32_t lanes, uint64_t *value)
{
    *value = lanes_at(l, __builtin_ctz(lanes));
    EACH_LANE (i, lanes)
        if (lanes_at(l, i) != *value)
            return false;
    return (lanes & ~l->known) == 0;
}

static bool takes_tickets(const WalkPublished *t, const PtxInstr *in)
{
    for (size_t i = 0; i < t->tickets.count; i++)
        if (t->tickets.at[i].by == in)
            return true;
    return false;
}

/* True if another warp of the block takes tickets too. Cached, as it is the same in all blocks. */
static bool each_takes(Frame *x, const PtxInstr *in)
{
    Walker *w = x->walker;
    WalkPlan *p = x->result->plan;
    const uint32_t last = last_warp(w), own = w->options->place.warp;
    if (last == 0)
        return false;
    if (p->tickets_by == in)
        return p->each_takes;
    const WalkPublished *t = w->sibling ? w->sibling(w, own == 0 ? last : 0) : NULL;
    if (!t)
        return false; /* walked as a sibling: assumed to be alone, as most are */
    p->tickets_by = in;
    return p->each_takes = takes_tickets(t, in);
}

/* How often this warp has taken tickets from this counter before, by any instruction. */
static uint64_t rounds_before(Walker *w, const PtxInstr *in, uint64_t counter)
{
    WalkTickets *own = NULL;
    uint64_t rounds = 0;
    VEC_EACH (WalkTickets, a, w->published.tickets) {
        rounds += a->counter == counter ? a->times : 0;
        own = a->counter == counter && a->by == in ? a : own;
    }
    if (own)
        own->times++;
    else
        VEC_PUSH(w->arena, &w->published.tickets, ((WalkTickets){in, counter, 1}));
    return rounds;
}

/* Tickets taken before the first of these lanes. */
static uint64_t tickets_before(Frame *x, const PtxInstr *in, uint64_t counter, uint64_t lanes)
{
    const PtxLaunch *l = &x->walker->options->launch;
    const PtxPlace *p = &x->walker->options->place;
    const uint64_t round = rounds_before(x->walker, in, counter),
                   warps = each_takes(x, in) ? last_warp(x->walker) + UINT64_C(1) : 1,
                   blocks = ptx_block_count(l->grid),
                   block =
                       x->walker->options->last ? blocks - 1 : ptx_block_number(l->grid, p->block),
                   all = blocks * warps;
    return (round * all + block * warps + (warps > 1 ? p->warp : 0)) * lanes;
}

int walk_values_ticket(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe, Lanes *results)
{
    Walker *w = x->walker;
    const int count = ptx_eval_instr(&x->state, in, results),
              bits = ptx_types[in->form->types[0]].bits;
    const bool wraps = strstr(in->form->text, ".inc.");
    Lanes of[PTX_SOURCES];
    uint64_t address, by, first;
    if (maybe || !yes || w->forks > 0 || count != 1 || ptx_eval_operands(&x->state, in, of) != 2 ||
        !w->options->launch.has_geometry || !is_one(&of[0], yes, &address) ||
        !is_one(&of[1], yes, &by) || !stood_first(w, in->form, address, &first))
        return count;
    uint64_t turn = tickets_before(x, in, address, (uint64_t)__builtin_popcount(yes));
    EACH_LANE (i, yes) {
        const uint64_t v =
            wraps ? (first + turn) % (by + 1 ? by + 1 : UINT64_MAX) : first + turn * by;
        lanes_set(&results[0], i, ptx_value_truncate(v, bits));
        turn++;
    }
    return count;
}

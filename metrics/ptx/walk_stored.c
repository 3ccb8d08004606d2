#include "metrics/ptx/walk_stored.h"

#include "metrics/ptx/walk_skip.h"

#include <string.h>

enum { WORD = 4, WORDS_MOST = 4096, ABORTS_MOST = 256 };

/* --- which instructions ---------------------------------------------------------------------- */

/* Of an address that is made of several variables. */
static const PtxVariable several;

typedef struct Homes {
    const PtxFunction *function;
    const PtxVariable **of; /* by register: the variable that it points into; NULL for none */
    const PtxVariable *found;
    bool changed;
} Homes;

static const PtxVariable *joined(const PtxVariable *a, const PtxVariable *b)
{
    return !a || a == b ? b : !b ? a : &several;
}

static const PtxVariable *pointed_at(const Homes *h, const PtxOperand *o)
{
    const bool address = o->kind == PTX_OPERAND_ADDRESS;
    const PtxOperand *base = address ? &o->parts[0] : o;
    return base->kind == PTX_OPERAND_REGISTER   ? h->of[base->index]
           : base->kind == PTX_OPERAND_VARIABLE ? base->variable
                                                : NULL;
}

static void take_home(void *context, int reg, bool writes)
{
    Homes *h = context;
    if (!writes)
        return;
    const PtxVariable *now = joined(h->of[reg], h->found);
    h->changed |= now != h->of[reg];
    h->of[reg] = now;
}

static Homes find_homes(Arena *a, const PtxFunction *f)
{
    Homes h = {.function = f, .changed = true};
    h.of = ARENA_ARRAY(a, const PtxVariable *, f->registers.count + 1);
    while (h.changed) {
        h.changed = false;
        for (size_t i = 0; i < f->instrs.count; i++) {
            const PtxInstr *in = &f->instrs.at[i];
            if (!ptx_eval_computes(in->form))
                continue;
            h.found = NULL;
            for (int k = in->form->writes; k < in->count; k++)
                h.found = joined(h.found, pointed_at(&h, &in->operands[k]));
            ptx_visit_registers(in, take_home, &h);
        }
    }
    return h;
}

static const PtxOperand *address_of(const PtxInstr *in)
{
    const int at = in->form->op == PTX_ST ? 0 : 1;
    return in->count > at && in->operands[at].kind == PTX_OPERAND_ADDRESS ? &in->operands[at]
                                                                          : NULL;
}

/* Instructions that may write a variable of shared memory; more than any where one may write all. */
static size_t writers(const Homes *h, const PtxVariable *v)
{
    size_t count = 0;
    for (size_t i = 0; i < h->function->instrs.count; i++) {
        const PtxInstr *in = &h->function->instrs.at[i];
        const PtxForm *f = in->form;
        const bool writes = f->op != PTX_LD && f->op != PTX_LDMATRIX &&
                            (f->space == PTX_SHARED || f->class == PTX_CLASS_ASYNC);
        for (int k = 0; writes && k < in->count; k++) {
            if (in->operands[k].kind != PTX_OPERAND_ADDRESS)
                continue;
            const PtxVariable *at = pointed_at(h, &in->operands[k]);
            if ((!at || at == &several) && f->space == PTX_SHARED)
                return SIZE_MAX;
            count += at == v;
        }
    }
    return count;
}

/* Could memory of the function be reached in other ways than by loads and stores that name its space? */
static bool escapes(const PtxFunction *f, PtxSpace space)
{
    for (size_t i = 0; i < f->instrs.count; i++) {
        const PtxForm *form = f->instrs.at[i].form;
        if (form->class == PTX_CLASS_CALL || (form->op == PTX_CVTA && form->space == space))
            return true;
    }
    return false;
}

int *walk_stored_homes(Arena *a, const PtxFunction *f)
{
    const bool local = !escapes(f, PTX_LOCAL), shared = !escapes(f, PTX_SHARED);
    int *homes = ARENA_ARRAY(a, int, f->instrs.count + 1);
    VEC(const PtxVariable *) known = {0};
    Homes h = {0};
    for (size_t i = 0; i < f->instrs.count; i++) {
        const PtxInstr *in = &f->instrs.at[i];
        const PtxForm *form = in->form;
        if ((form->op != PTX_LD && form->op != PTX_ST) || form->vector == 0 || !address_of(in))
            continue;
        if (form->space == PTX_LOCAL && local)
            homes[i] = 1;
        if (form->space != PTX_SHARED || !shared)
            continue;
        if (!h.of)
            h = find_homes(a, f);
        const PtxVariable *v = pointed_at(&h, address_of(in));
        size_t k = 0;
        while (k < known.count && known.at[k] != v)
            k++;
        if (k == known.count && v && v != &several && writers(&h, v) == 1)
            VEC_PUSH(a, &known, v);
        homes[i] = k < known.count ? (int)k + 2 : 0;
    }
    return homes;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Four bytes at one address, of each lane what it has stored there. */
struct WalkWord {
    uint64_t key;
    uint32_t known[WORD]; /* by byte: lanes */
    uint32_t v[PTX_LANES];
    uint32_t read, moved; /* number of the proof in which it was loaded, or got another value */
};

static uint64_t key_of(PtxSpace space, uint64_t address)
{
    return (address & UINT32_MAX) / WORD << 8 | (uint64_t)space | UINT64_C(1) << 63;
}

static WalkWord *slot_of(const WalkStored *s, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % s->capacity;
    while (s->slots[i].key && s->slots[i].key != key)
        i = (i + 1) % s->capacity;
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
    s->slots = ARENA_ARRAY(w->arena, WalkWord, s->capacity);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            *slot_of(s, old.slots[i].key) = old.slots[i];
}

static void give_up(Walker *w)
{
    w->stored.off = true;
    w->stored.capacity = 0;
}

/* NULL where there is no room for one more. */
static WalkWord *add_word(Walker *w, uint64_t key)
{
    WalkStored *s = &w->stored;
    WalkWord *found = find_word(s, key);
    if (found)
        return found;
    if (s->count == WORDS_MOST) {
        give_up(w);
        return NULL;
    }
    if (2 * ++s->count > s->capacity)
        grow(w);
    found = slot_of(s, key);
    found->key = key;
    return found;
}

void walk_stored_forget(Walker *w, uint32_t lanes)
{
    for (size_t i = 0; i < w->stored.capacity; i++)
        for (int b = 0; b < WORD; b++)
            w->stored.slots[i].known[b] &= ~lanes;
}

void walk_stored_forget_moved(Walker *w, uint32_t proof)
{
    for (size_t i = 0; i < w->stored.capacity; i++)
        if (w->stored.slots[i].moved == proof)
            memset(w->stored.slots[i].known, 0, sizeof w->stored.slots[i].known);
}

/* --- stores ----------------------------------------------------------------------------------- */

typedef struct Store {
    Frame *frame;
    PtxSpace space;
    uint32_t proof; /* 0: nothing is proven */
    bool moves;     /* other iterations store something else */
    bool broken;    /* an iteration has loaded what another one stores */
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

/* Lanes that store to the same place as another one. */
static uint32_t meeting(const Lanes *address, uint32_t lanes)
{
    uint32_t found = 0;
    for (int i = 0; i < PTX_LANES; i++)
        for (int k = 0; k < i && lanes >> i & 1; k++)
            if (lanes >> k & 1 && lanes_at(address, i) == lanes_at(address, k))
                found |= UINT32_C(1) << i | UINT32_C(1) << k;
    return found;
}

static void abandon(Frame *x)
{
    walk_skip_abort(x);
    if (++x->walker->stored.aborts > ABORTS_MOST)
        give_up(x->walker);
}

void walk_stored_keep(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe)
{
    Walker *w = x->walker;
    const int bytes = ptx_type_bits(in->form->types[0]) / 8;
    const PtxState s = state_of(x);
    const uint32_t lanes = yes | maybe;
    Lanes of[PTX_SOURCES];
    const int count = ptx_eval_operands(&s, in, of);
    if (w->stored.off || count < 2 || bytes < 1 || bytes > 8)
        return;
    Store t = {x, in->form->space, walk_skip_proof(x), false, false};
    if (t.proof && !walk_skip_same(x, in, 1, lanes))
        abandon(x);
    else
        t.moves = t.proof && !walk_skip_same(x, in, count, lanes);
    if (lanes & ~of[0].known)
        walk_stored_forget(w, lanes & ~of[0].known);
    const uint32_t doubt = (w->forks > 0 ? lanes : maybe) |
                           (in->form->space == PTX_SHARED ? meeting(&of[0], lanes) : 0);
    for (uint32_t left = lanes & of[0].known; left && !w->stored.off; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (int b = 0; b < (count - 1) * bytes; b++) {
            const Lanes *value = &of[1 + b / bytes];
            const bool known = value->known >> i & 1 && !(doubt >> i & 1);
            put_byte(&t, lanes_at(&of[0], i) + (uint64_t)b, i, known,
                     (uint8_t)(lanes_at(value, i) >> 8 * (b % bytes)));
        }
    }
    if (t.broken)
        abandon(x);
}

/* --- loads ------------------------------------------------------------------------------------ */

static bool get_byte(const Walker *w, uint64_t key, int at, int lane, uint32_t proof,
                     uint64_t *byte)
{
    WalkWord *word = find_word(&w->stored, key);
    if (!word)
        return false;
    word->read = proof ? proof : word->read;
    *byte = word->v[lane] >> 8 * at & 0xff;
    return word->known[at] >> lane & 1;
}

int walk_stored_load(Frame *x, const PtxInstr *in, uint32_t lanes, Lanes *results)
{
    const PtxState s = state_of(x);
    const int count = ptx_eval_instr(&s, in, results),
              bytes = ptx_type_bits(in->form->types[0]) / 8;
    const uint32_t proof = walk_skip_proof(x);
    Lanes address;
    if (x->walker->stored.off || bytes < 1 || bytes > 8)
        return count;
    ptx_eval_address(&s, address_of(in), &address);
    for (uint32_t left = lanes & address.known; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (int k = 0; k < count; k++) {
            uint64_t v = 0, byte = 0;
            bool known = true;
            for (int b = 0; b < bytes; b++) {
                const uint64_t at = lanes_at(&address, i) + (uint64_t)(k * bytes + b);
                known &= get_byte(x->walker, key_of(in->form->space, at), (int)(at % WORD), i,
                                  proof, &byte);
                v |= byte << 8 * b;
            }
            if (!known)
                continue;
            results[k].v[i] = ptx_type_is_signed(in->form->types[0])
                                  ? (uint64_t)ptx_value_signed(v, 8 * bytes)
                                  : v;
            results[k].known |= UINT32_C(1) << i;
        }
    }
    return count;
}

bool walk_stored_steady(Frame *x, const PtxInstr *in, uint32_t lanes)
{
    const PtxState s = state_of(x);
    const int bytes = ptx_type_bits(in->form->types[0]) / 8 * in->form->vector;
    Lanes address;
    ptx_eval_address(&s, address_of(in), &address);
    for (uint32_t left = lanes & address.known; left; left &= left - 1) {
        const uint64_t first = lanes_at(&address, __builtin_ctz(left));
        for (int b = 0; b < bytes; b++) {
            const WalkWord *word =
                find_word(&x->walker->stored, key_of(in->form->space, first + (uint64_t)b));
            if (word && word->moved == walk_skip_proof(x))
                return false;
        }
    }
    return true;
}

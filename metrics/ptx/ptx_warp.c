/* Instructions whose results depend on other lanes: shuffles, votes, reductions, matches. */
#include "metrics/ptx/ptx_eval.h"

bool ptx_warp_computes(const PtxForm *f)
{
    switch (f->op) {
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_ACTIVEMASK:
    case PTX_ELECT:
        return true;
    case PTX_REDUX:
    case PTX_MATCH:
        return !ptx_types[f->types[0]].is_float;
    default:
        return false;
    }
}

static bool has_part(const PtxForm *f, const char *part)
{
    return strstr(f->text, part) != NULL;
}

typedef enum ShuffleMode { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY } ShuffleMode;

static ShuffleMode shuffle_mode(const PtxForm *f)
{
    return has_part(f, ".up")     ? SHUFFLE_UP
           : has_part(f, ".down") ? SHUFFLE_DOWN
           : has_part(f, ".bfly") ? SHUFFLE_BUTTERFLY
                                  : SHUFFLE_INDEX;
}

/* The lane that lane `i` reads; *inside: it is in range. b: offset or lane; c: clamp and segment mask. */
static int source_lane(ShuffleMode mode, int i, uint64_t b, uint64_t c, bool *inside)
{
    const int bval = (int)(b & 31), segment = (int)(c >> 8 & 31), clamp = (int)(c & 31);
    const int low = i & segment, high = low | (clamp & ~segment);
    const int j = mode == SHUFFLE_UP          ? i - bval
                  : mode == SHUFFLE_DOWN      ? i + bval
                  : mode == SHUFFLE_BUTTERFLY ? i ^ bval
                                              : low | (bval & ~segment);
    *inside = mode == SHUFFLE_UP ? j >= high : j <= high; /* "up" clamps at the low end */
    return *inside ? j : i;
}

/* All lanes read what they share, or all read one lane. */
static void share_shuffled(const Lanes *a, uint32_t active, const int from[PTX_LANES], Lanes *out)
{
    bool one = active && !out->known, common = one;
    EACH_LANE (i, active) {
        one &= from[i] >= 0 && from[i] == from[__builtin_ctz(active)];
        common &= from[i] >= 0 && !a->own && (active & a->common) >> from[i] & 1;
    }
    if (!one && !common)
        return;
    lanes_share(out, active);
    out->twos = common ? a->twos : 0;
    EACH_LANE (i, common ? active : 0)
        out->v[i] = a->v[from[i]];
}

/* shfl{.sync} d{|p}, a, b, c{, members} */
static void shuffle(const PtxForm *f, const Lanes *sources, uint32_t active, Lanes results[2],
                    int from[PTX_LANES])
{
    const Lanes *a = &sources[0], *b = &sources[1], *c = &sources[2];
    const ShuffleMode mode = shuffle_mode(f);
    EACH_LANE (i, active & b->known & c->known) {
        bool inside = false;
        const int j = source_lane(mode, i, lanes_at(b, i), lanes_at(c, i), &inside);
        lanes_set(&results[1], i, inside);
        if (j < 0 || j >= PTX_LANES)
            continue;
        from[i] = j;
        if (active & a->known & UINT32_C(1) << j)
            lanes_set(&results[0], i, lanes_at(a, j));
    }
    share_shuffled(a, active, from, &results[0]);
}

/* vote{.sync}.{all,any,uni,ballot} d, {!}p{, members} */
static void vote(const PtxForm *f, const Lanes *p, uint32_t active, Lanes *out)
{
    const uint32_t yes = lanes_true(p) & active;
    if (active & ~p->known)
        return;
    if (has_part(f, ".ballot"))
        lanes_fill(out, yes);
    else if (has_part(f, ".all"))
        lanes_fill(out, yes == active);
    else if (has_part(f, ".any"))
        lanes_fill(out, yes != 0);
    else
        lanes_fill(out, yes == 0 || yes == active);
}

/* elect.sync d|p, members: p is true in the first active lane; d is its number. */
static void elect(uint32_t active, Lanes results[2])
{
    if (active == 0)
        return;
    const int leader = __builtin_ctz(active);
    lanes_fill(&results[0], (uint64_t)leader);
    results[1].known = UINT32_MAX;
    for (int i = 0; i < PTX_LANES; i++)
        results[1].v[i] = i == leader;
}

static uint64_t reduced(const PtxForm *f, uint64_t a, uint64_t b)
{
    const bool is_signed = ptx_types[f->types[0]].is_signed;
    const bool less = is_signed ? ptx_value_signed(a, 32) < ptx_value_signed(b, 32)
                                : ptx_value_truncate(a, 32) < ptx_value_truncate(b, 32);
    if (has_part(f, ".add"))
        return a + b;
    if (has_part(f, ".min"))
        return less ? a : b;
    if (has_part(f, ".max"))
        return less ? b : a;
    return has_part(f, ".and") ? a & b : has_part(f, ".xor") ? a ^ b : a | b;
}

/* redux.sync.OP d, a, members */
static void reduce(const PtxForm *f, const Lanes *a, uint32_t active, Lanes *out)
{
    if (active == 0 || (active & ~a->known))
        return;
    uint64_t sum = lanes_at(a, __builtin_ctz(active));
    EACH_LANE (i, active & (active - 1))
        sum = reduced(f, sum, lanes_at(a, i));
    lanes_fill(out, ptx_value_truncate(sum, 32));
}

/* match.any.sync d, a, members: the lanes with an equal value; match.all d|p: all or none */
static void match(const PtxForm *f, const Lanes *a, uint32_t active, Lanes results[2])
{
    const int bits = ptx_types[f->types[0]].bits;
    if (active == 0 || (active & ~a->known) || bits == 0)
        return;
    bool all = true;
    for (int i = 0; i < PTX_LANES; i++) {
        const uint64_t mine = ptx_value_truncate(lanes_at(a, i), bits);
        results[0].v[i] = 0;
        EACH_LANE (k, active)
            if (ptx_value_truncate(lanes_at(a, k), bits) == mine)
                results[0].v[i] |= UINT64_C(1) << k;
        all &= !(active >> i & 1) || results[0].v[i] == active;
    }
    results[0].known = active;
    if (!has_part(f, ".all"))
        return;
    lanes_fill(&results[0], all ? active : 0);
    lanes_fill(&results[1], all);
}

int ptx_warp_instr(const PtxState *s, const PtxInstr *in, uint32_t active,
                   Lanes results[PTX_SOURCES], int from[PTX_LANES])
{
    int unused[PTX_LANES];
    Lanes sources[PTX_SOURCES];
    if (!from)
        from = unused;
    for (int i = 0; i < PTX_LANES; i++)
        from[i] = -1;
    lanes_unknown(&results[0]);
    lanes_unknown(&results[1]);
    if (in->count == 0 || in->form->writes == 0)
        return 0;
    const int n = ptx_eval_operands(s, in, sources);
    if (in->form->op == PTX_ACTIVEMASK && active)
        lanes_fill(&results[0], active);
    else if (in->form->op == PTX_ELECT)
        elect(active, results);
    else if (in->form->op == PTX_REDUX && n >= 1)
        reduce(in->form, &sources[0], active, &results[0]);
    else if (in->form->op == PTX_MATCH && n >= 1)
        match(in->form, &sources[0], active, results);
    else if (in->form->op == PTX_SHFL && n >= 3)
        shuffle(in->form, sources, active, results, from);
    else if (in->form->op == PTX_VOTE && n >= 1)
        vote(in->form, &sources[0], active, &results[0]);
    if ((in->form->op == PTX_VOTE || in->form->op == PTX_REDUX) && !results[0].known)
        lanes_share(&results[0], active);
    return in->operands[0].kind == PTX_OPERAND_PAIR ? 2 : 1;
}

#include "metrics/ptx/ptx_warp.h"

#include <string.h>

bool ptx_warp_computes(const PtxForm *f)
{
    return f->op == PTX_SHFL || f->op == PTX_VOTE;
}

static bool has_part(const PtxForm *f, const char *part)
{
    return strstr(f->text, part) != NULL;
}

/* Lane that lane `i` reads, and whether it lies in range: b is the offset or lane, c the clamp and
 * the mask of the segment. */
static int source_lane(const PtxForm *f, int i, uint64_t b, uint64_t c, bool *inside)
{
    const int bval = (int)(b & 31), segment = (int)(c >> 8 & 31), clamp = (int)(c & 31);
    const int low = i & segment, high = low | (clamp & ~segment);
    int j = 0;
    if (has_part(f, ".up")) {
        j = i - bval;
        *inside = j >= high; /* `up` clamps below */
    } else if (has_part(f, ".down")) {
        j = i + bval;
        *inside = j <= high;
    } else if (has_part(f, ".bfly")) {
        j = i ^ bval;
        *inside = j <= high;
    } else {
        j = low | (bval & ~segment);
        *inside = j <= high;
    }
    return *inside ? j : i;
}

/* shfl{.sync} d{|p}, a, b, c{, members} */
static void shuffle(const PtxForm *f, const Lanes *sources, uint32_t active, Lanes results[2],
                    int from[PTX_LANES])
{
    const Lanes *a = &sources[0], *b = &sources[1], *c = &sources[2];
    for (int i = 0; i < PTX_LANES; i++) {
        const uint32_t self = UINT32_C(1) << i;
        if (!(active & b->known & c->known & self))
            continue;
        bool inside = false;
        const int j = source_lane(f, i, lanes_at(b, i), lanes_at(c, i), &inside);
        results[1].known |= self;
        results[1].v[i] = inside;
        if (j < 0 || j >= PTX_LANES)
            continue;
        from[i] = j;
        if (active & a->known & UINT32_C(1) << j) {
            results[0].known |= self;
            results[0].v[i] = lanes_at(a, j);
        }
    }
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
    if (in->form->op == PTX_SHFL && n >= 3)
        shuffle(in->form, sources, active, results, from);
    else if (in->form->op == PTX_VOTE && n >= 1)
        vote(in->form, &sources[0], active, &results[0]);
    return in->operands[0].kind == PTX_OPERAND_PAIR ? 2 : 1;
}

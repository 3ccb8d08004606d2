#include "metrics/cubin/sass_anchor.h"

static const struct {
    const char *name;
    double weight;
} anchors[SASS_ANCHORS] = {
#define SASS_ANCHOR(constant, name, weight) {name, weight},
#include "metrics/cubin/sass_anchor.def"
#undef SASS_ANCHOR
};

const char *sass_anchor_name(SassAnchor k)
{
    return anchors[k].name;
}

double sass_anchor_weight(SassAnchor k)
{
    return anchors[k].weight;
}

/* `first` is that of 1 byte. */
static SassAnchor by_width(SassAnchor first, int bytes)
{
    for (int i = 0; i < 6; i++)
        if (bytes == 1 << i)
            return first + (SassAnchor)i;
    return SASS_NO_ANCHOR;
}

SassAnchor sass_anchor_of(SassInstr w, double *amount)
{
    const int bytes = sass_access_bytes(w);
    *amount = 1;
    switch (sass_opcode(w)) {
    case SASS_OP_FFMA:
        return SASS_ANCHOR_FMA;
    case SASS_OP_FFMA2:
        *amount = 2;
        return SASS_ANCHOR_FMA;
    case SASS_OP_DFMA:
        return SASS_ANCHOR_FMA_64;
    case SASS_OP_FADD:
    case SASS_OP_FMUL:
        return SASS_ANCHOR_ADD;
    case SASS_OP_FADD2:
    case SASS_OP_FMUL2:
        *amount = 2;
        return SASS_ANCHOR_ADD;
    case SASS_OP_MUFU:
        return SASS_ANCHOR_SPECIAL;
    case SASS_OP_BAR:
        return SASS_ANCHOR_BARRIER;
    case SASS_OP_SHFL:
        return SASS_ANCHOR_SHUFFLE;
    case SASS_OP_LDGSTS:
        return SASS_ANCHOR_COPY;
    case SASS_OP_LDG:
    case SASS_OP_LDG_17E:
    case SASS_OP_LD:
        return by_width(SASS_ANCHOR_LOAD_1, bytes);
    case SASS_OP_STG:
    case SASS_OP_STG_17F:
    case SASS_OP_ST:
        return by_width(SASS_ANCHOR_STORE_1, bytes);
    case SASS_OP_LDS:
        *amount = bytes;
        return SASS_ANCHOR_SHARED_LOAD;
    case SASS_OP_STS:
        *amount = bytes;
        return SASS_ANCHOR_SHARED_STORE;
    case SASS_OP_ATOM:
    case SASS_OP_ATOM_18B:
    case SASS_OP_ATOM_1A2:
    case SASS_OP_ATOMG:
    case SASS_OP_ATOMG_1A8:
    case SASS_OP_ATOMG_1A9:
    case SASS_OP_ATOMS:
    case SASS_OP_ATOMS_18D:
    case SASS_OP_RED:
    case SASS_OP_REDG:
        return SASS_ANCHOR_ATOMIC;
    default:
        return SASS_NO_ANCHOR;
    }
}

static int ptx_bytes(const PtxForm *f)
{
    const PtxType t = f->type_count ? f->types[f->type_count - 1] : PTX_NO_TYPE;
    return ptx_type_bits(t) / 8 * (f->vector ? f->vector : 1);
}

static SassAnchor of_access(const PtxForm *f, double *amount, SassAnchor global, SassAnchor shared)
{
    if (f->space == PTX_SHARED) {
        *amount = ptx_bytes(f);
        return shared;
    }
    return f->space == PTX_GLOBAL || f->space == PTX_GENERIC ? by_width(global, ptx_bytes(f))
                                                             : SASS_NO_ANCHOR;
}

static SassAnchor of_arithmetic(const PtxForm *f)
{
    if (f->class == PTX_CLASS_FP64)
        return f->op == PTX_FMA || f->op == PTX_MAD ? SASS_ANCHOR_FMA_64 : SASS_NO_ANCHOR;
    if (f->class != PTX_CLASS_FP32)
        return SASS_NO_ANCHOR;
    switch (f->op) {
    case PTX_FMA:
    case PTX_MAD:
        return SASS_ANCHOR_FMA;
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
        return SASS_ANCHOR_ADD;
    case PTX_DIV:
        return SASS_ANCHOR_SPECIAL;
    default:
        return SASS_NO_ANCHOR;
    }
}

SassAnchor sass_anchor_of_ptx(const PtxInstr *in, double *amount)
{
    const PtxForm *f = in->form;
    *amount = 1;
    switch (f->class) {
    case PTX_CLASS_SFU:
        return SASS_ANCHOR_SPECIAL;
    case PTX_CLASS_BARRIER:
        return f->op == PTX_MBARRIER_TRY || f->op == PTX_MBARRIER_TEST || f->op == PTX_MBARRIER
                   ? SASS_NO_ANCHOR
                   : SASS_ANCHOR_BARRIER;
    case PTX_CLASS_ATOMIC:
        return SASS_ANCHOR_ATOMIC;
    case PTX_CLASS_WARP:
        return f->op == PTX_SHFL ? SASS_ANCHOR_SHUFFLE : SASS_NO_ANCHOR;
    case PTX_CLASS_ASYNC:
        return f->op == PTX_CP_ASYNC ? SASS_ANCHOR_COPY : SASS_NO_ANCHOR;
    case PTX_CLASS_LOAD:
        return f->op == PTX_LD ? of_access(f, amount, SASS_ANCHOR_LOAD_1, SASS_ANCHOR_SHARED_LOAD)
                               : SASS_NO_ANCHOR;
    case PTX_CLASS_STORE:
        return f->op == PTX_ST ? of_access(f, amount, SASS_ANCHOR_STORE_1, SASS_ANCHOR_SHARED_STORE)
                               : SASS_NO_ANCHOR;
    default:
        return of_arithmetic(f);
    }
}

/* As many as the code of CUDA 13.0 has on the usual way through, for sm_90: div.rn.f32 takes 5
 * multiply-adds, sqrt.rn.f32 2 and 2 products, div.rn.f64 7; with some to spare. */
enum { EXPANSION_FMAS = 8, EXPANSION_FMAS_64 = 12, EXPANSION_ADDS = 4 };

void sass_anchor_add_expansion(const PtxInstr *in, double times, double more[SASS_ANCHORS])
{
    const PtxForm *f = in->form;
    const PtxType t = f->type_count ? f->types[0] : PTX_NO_TYPE;
    const bool divides = f->op == PTX_DIV || f->op == PTX_REM;
    if (!divides && f->op != PTX_SQRT && f->op != PTX_RCP && f->op != PTX_RSQRT)
        return;
    if (t == PTX_F32) {
        more[SASS_ANCHOR_FMA] += EXPANSION_FMAS * times;
        more[SASS_ANCHOR_ADD] += EXPANSION_ADDS * times;
    } else if (t == PTX_F64) {
        more[SASS_ANCHOR_FMA_64] += EXPANSION_FMAS_64 * times;
        more[SASS_ANCHOR_SPECIAL] += times;
    } else {
        more[SASS_ANCHOR_SPECIAL] += times;
    }
}

#include "metrics/ptx/ptx_form.h"

#include <string.h>

/* Scopes of the map, so that "and" the opcode and "and" the modifier live side by side. */
enum { OPCODES, MODIFIERS, SPECIALS, FORMS };

typedef enum Field {
    FIELD_NONE,
    FIELD_TYPE,
    FIELD_SPACE,
    FIELD_COMPARE,
    FIELD_COMBINE,
    FIELD_HALF,
    FIELD_ROUNDING,
    FIELD_CACHE,
    FIELD_VECTOR,
    FIELD_MODE,
    FIELD_FLAG
} Field;

typedef struct Modifier {
    const char *text;
    Field field;
    int value;
} Modifier;

static const Modifier modifiers[] = {
    {"const", FIELD_SPACE, PTX_CONST},
    {"global", FIELD_SPACE, PTX_GLOBAL},
    {"local", FIELD_SPACE, PTX_LOCAL},
    {"param", FIELD_SPACE, PTX_PARAM},
    {"param::entry", FIELD_SPACE, PTX_PARAM},
    {"param::func", FIELD_SPACE, PTX_PARAM},
    {"shared", FIELD_SPACE, PTX_SHARED},
    {"shared::cta", FIELD_SPACE, PTX_SHARED},
    {"shared::cluster", FIELD_SPACE, PTX_SHARED},
    {"eq", FIELD_COMPARE, PTX_EQ},
    {"ne", FIELD_COMPARE, PTX_NE},
    {"lt", FIELD_COMPARE, PTX_LT},
    {"le", FIELD_COMPARE, PTX_LE},
    {"gt", FIELD_COMPARE, PTX_GT},
    {"ge", FIELD_COMPARE, PTX_GE},
    {"ls", FIELD_COMPARE, PTX_LS},
    {"hs", FIELD_COMPARE, PTX_HS},
    {"equ", FIELD_COMPARE, PTX_EQU},
    {"neu", FIELD_COMPARE, PTX_NEU},
    {"ltu", FIELD_COMPARE, PTX_LTU},
    {"leu", FIELD_COMPARE, PTX_LEU},
    {"gtu", FIELD_COMPARE, PTX_GTU},
    {"geu", FIELD_COMPARE, PTX_GEU},
    {"num", FIELD_COMPARE, PTX_NUM},
    {"nan", FIELD_COMPARE, PTX_NAN},
    {"and", FIELD_COMBINE, PTX_COMBINE_AND},
    {"or", FIELD_COMBINE, PTX_COMBINE_OR},
    {"xor", FIELD_COMBINE, PTX_COMBINE_XOR},
    {"lo", FIELD_HALF, PTX_LOW},
    {"hi", FIELD_HALF, PTX_HIGH},
    {"wide", FIELD_HALF, PTX_WIDE},
    {"rn", FIELD_ROUNDING, PTX_RN},
    {"rz", FIELD_ROUNDING, PTX_RZ},
    {"rm", FIELD_ROUNDING, PTX_RM},
    {"rp", FIELD_ROUNDING, PTX_RP},
    {"rna", FIELD_ROUNDING, PTX_RNA},
    {"rni", FIELD_ROUNDING, PTX_RNI},
    {"rzi", FIELD_ROUNDING, PTX_RZI},
    {"rmi", FIELD_ROUNDING, PTX_RMI},
    {"rpi", FIELD_ROUNDING, PTX_RPI},
    {"ca", FIELD_CACHE, PTX_CA},
    {"cg", FIELD_CACHE, PTX_CG},
    {"cs", FIELD_CACHE, PTX_CS},
    {"lu", FIELD_CACHE, PTX_LU},
    {"cv", FIELD_CACHE, PTX_CV},
    {"wb", FIELD_CACHE, PTX_WB},
    {"wt", FIELD_CACHE, PTX_WT},
    {"v2", FIELD_VECTOR, 2},
    {"v4", FIELD_VECTOR, 4},
    {"v8", FIELD_VECTOR, 8},
    {"f4e", FIELD_MODE, 1},
    {"b4e", FIELD_MODE, 2},
    {"rc8", FIELD_MODE, 3},
    {"ecl", FIELD_MODE, 4},
    {"ecr", FIELD_MODE, 5},
    {"rc16", FIELD_MODE, 6},
    {"ftz", FIELD_FLAG, PTX_FLAG_FTZ},
    {"sat", FIELD_FLAG, PTX_FLAG_SAT},
    {"approx", FIELD_FLAG, PTX_FLAG_APPROX},
    {"full", FIELD_FLAG, PTX_FLAG_FULL},
    {"cc", FIELD_FLAG, PTX_FLAG_CC},
    {"uni", FIELD_FLAG, PTX_FLAG_UNI},
    {"nc", FIELD_FLAG, PTX_FLAG_NC},
    {"volatile", FIELD_FLAG, PTX_FLAG_VOLATILE},
    {"to", FIELD_FLAG, PTX_FLAG_TO},
    {"wrap", FIELD_FLAG, PTX_FLAG_WRAP},
    {"l", FIELD_FLAG, PTX_FLAG_LEFT},
    {"shiftamt", FIELD_FLAG, PTX_FLAG_SHIFTAMT},
    {"bulk_group", FIELD_FLAG, PTX_FLAG_GROUP},
};

typedef struct OpInfo {
    PtxClass class;
    int writes;
} OpInfo;

static const OpInfo op_infos[PTX_OP_COUNT] = {
    /* What is not known may well write its first operand. */
    [PTX_UNKNOWN] = {PTX_CLASS_UNKNOWN, 1},
#define OP(id, text, class, writes) [PTX_##id] = {PTX_CLASS_##class, writes},
#include "metrics/ptx/ptx_ops.def"
};

static void add_word(PtxWords *w, uint32_t scope, const char *text, int kind, int value)
{
    PtxMapEntry *e = ptx_map_add(&w->map, text, strlen(text), scope);
    e->kind = kind;
    e->value = value;
}

/* Special registers that exist but have no value before the kernel runs. */
static const char *const other_specials[] = {"%clock",
                                             "%clock64",
                                             "%clock_hi",
                                             "%globaltimer",
                                             "%globaltimer_lo",
                                             "%globaltimer_hi",
                                             "%smid",
                                             "%nsmid",
                                             "%gridid",
                                             "%is_explicit_cluster",
                                             "%clusterid.x",
                                             "%clusterid.y",
                                             "%clusterid.z",
                                             "%nclusterid.x",
                                             "%nclusterid.y",
                                             "%nclusterid.z",
                                             "%cluster_ctaid.x",
                                             "%cluster_ctaid.y",
                                             "%cluster_ctaid.z",
                                             "%cluster_nctaid.x",
                                             "%cluster_nctaid.y",
                                             "%cluster_nctaid.z",
                                             "%cluster_ctarank",
                                             "%cluster_nctarank",
                                             "%dynamic_smem_size",
                                             "%total_smem_size",
                                             "%aggr_smem_size",
                                             "%reserved_smem_offset_begin",
                                             "%reserved_smem_offset_end",
                                             "%reserved_smem_offset_cap",
                                             "%current_graph_exec",
                                             "%pm0",
                                             "%pm1",
                                             "%pm2",
                                             "%pm3",
                                             "%pm4",
                                             "%pm5",
                                             "%pm6",
                                             "%pm7"};

PtxWords ptx_words_new(Arena *a)
{
    PtxWords w = {.arena = a, .map = {.arena = a}};
    for (int op = 1; op < PTX_OP_COUNT; op++)
        add_word(&w, OPCODES, ptx_op_name((PtxOp)op), 1, op);
    for (int t = 1; t < PTX_TYPE_COUNT; t++)
        add_word(&w, MODIFIERS, ptx_type_name((PtxType)t), FIELD_TYPE, t);
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        add_word(&w, MODIFIERS, modifiers[i].text, (int)modifiers[i].field, modifiers[i].value);
    for (int s = 1; s < PTX_SPECIAL_COUNT; s++)
        add_word(&w, SPECIALS, ptx_special_name((PtxSpecial)s), 1, s);
    for (size_t i = 0; i < sizeof other_specials / sizeof *other_specials; i++)
        add_word(&w, SPECIALS, other_specials[i], 1, PTX_SPECIAL_OTHER);
    return w;
}

static void apply_modifier(PtxForm *f, Field field, int value)
{
    switch (field) {
    case FIELD_TYPE:
        if (f->type_count < 4)
            f->types[f->type_count++] = (PtxType)value;
        return;
    case FIELD_SPACE:
        if (f->space == PTX_GENERIC)
            f->space = (PtxSpace)value;
        else
            f->space2 = (PtxSpace)value;
        return;
    case FIELD_COMPARE:
        f->compare = (PtxCompare)value;
        return;
    case FIELD_COMBINE:
        f->combine = (PtxCombine)value;
        return;
    case FIELD_HALF:
        f->half = (PtxHalf)value;
        return;
    case FIELD_ROUNDING:
        f->rounding = (PtxRounding)value;
        return;
    case FIELD_CACHE:
        f->cache = (PtxCache)value;
        return;
    case FIELD_VECTOR:
        f->vector = value;
        return;
    case FIELD_MODE:
        f->mode = value;
        return;
    case FIELD_FLAG:
        f->flags |= (unsigned)value;
        return;
    case FIELD_NONE:
        return;
    }
}

static void apply_modifiers(const PtxWords *w, PtxForm *f, const char *at, const char *end)
{
    while (at < end) {
        const char *dot = memchr(at + 1, '.', (size_t)(end - at - 1));
        const char *stop = dot ? dot : end;
        const PtxMapEntry *e = ptx_map_find(&w->map, at + 1, (size_t)(stop - at - 1), MODIFIERS);
        if (e)
            apply_modifier(f, (Field)e->kind, e->value);
        at = stop;
    }
}

static PtxClass class_by_type(PtxType t)
{
    switch (t) {
    case PTX_F64:
        return PTX_CLASS_FP64;
    case PTX_F32:
        return PTX_CLASS_FP32;
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
        return PTX_CLASS_HALF;
    default:
        return PTX_CLASS_INT;
    }
}

/* "lo" and "hi" are comparisons in setp; double-precision roots are subroutines of FP64. */
static void settle(PtxForm *f)
{
    f->class = op_infos[f->op].class;
    f->writes = op_infos[f->op].writes;
    if (f->vector == 0)
        f->vector = 1;
    if (f->class == PTX_CLASS_TYPED || (f->class == PTX_CLASS_SFU && f->types[0] == PTX_F64))
        f->class = class_by_type(f->types[0]);
    if ((f->op == PTX_SETP || f->op == PTX_SET) && f->half != PTX_NO_HALF) {
        f->compare = f->half == PTX_LOW ? PTX_LO : PTX_HI;
        f->half = PTX_NO_HALF;
    }
}

static PtxForm *decode(PtxWords *w, const char *text, size_t length)
{
    PtxForm *f = ARENA_NEW(w->arena, PtxForm);
    f->text = arena_copy(w->arena, text, length);
    size_t n = length;
    while (n > 0) {
        const PtxMapEntry *e = ptx_map_find(&w->map, text, n, OPCODES);
        if (e) {
            f->op = (PtxOp)e->value;
            break;
        }
        const char *dot = memrchr(text, '.', n);
        n = dot ? (size_t)(dot - text) : 0;
    }
    if (n == 0) {
        const char *dot = memchr(text, '.', length);
        n = dot ? (size_t)(dot - text) : length;
    }
    apply_modifiers(w, f, f->text + n, f->text + length);
    settle(f);
    return f;
}

const PtxForm *ptx_words_form(PtxWords *w, const char *text, size_t length, bool *fresh)
{
    const PtxMapEntry *known = ptx_map_find(&w->map, text, length, FORMS);
    *fresh = !known;
    if (known)
        return known->pointer;
    PtxForm *f = decode(w, text, length);
    PtxMapEntry *e = ptx_map_add(&w->map, f->text, length, FORMS);
    e->kind = 1;
    e->pointer = f;
    return f;
}

PtxType ptx_words_type(const PtxWords *w, const char *text, size_t length)
{
    const PtxMapEntry *e = ptx_map_find(&w->map, text, length, MODIFIERS);
    return e && e->kind == FIELD_TYPE ? (PtxType)e->value : PTX_NO_TYPE;
}

bool ptx_words_space(const PtxWords *w, const char *text, size_t length, PtxSpace *space)
{
    const PtxMapEntry *e = ptx_map_find(&w->map, text, length, MODIFIERS);
    if (!e || e->kind != FIELD_SPACE)
        return false;
    *space = (PtxSpace)e->value;
    return true;
}

const PtxMapEntry *ptx_words_special(const PtxWords *w, const char *text, size_t length)
{
    return ptx_map_find(&w->map, text, length, SPECIALS);
}

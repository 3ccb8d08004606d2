#include "metrics/ptx/ptx.h"

#include "metrics/base/file.h"
#include "metrics/base/mangled.h"
#include "metrics/ptx/ptx_parser.h"

const PtxTypeInfo ptx_types[] = {
#define TYPE(id, word, bits, kind) {word, bits, kind == 'f', kind == 's'},
#include "metrics/ptx/ptx_words.def"
};

const char *const ptx_class_names[] = {
#define CLASS(id, word) word,
#include "metrics/ptx/ptx_words.def"
};

const char *const ptx_space_names[] = {
#define SPACE(id, word) word,
#include "metrics/ptx/ptx_words.def"
};

typedef struct OpInfo {
    const char *text;
    PtxClass class;
    int writes;
} OpInfo;

static const OpInfo ops[PTX_OP_COUNT] = {
    /* An unknown instruction may write its first operand. */
    [PTX_UNKNOWN] = {"unknown", PTX_CLASS_UNKNOWN, 1},
#define OP(id, text, class, writes) [PTX_##id] = {text, PTX_CLASS_##class, writes},
#include "metrics/ptx/ptx_ops.def"
};

static const char *const specials[PTX_SPECIAL_COUNT] = {
    NULL,
#define SPECIAL(id, word) word,
#include "metrics/ptx/ptx_words.def"
};

PtxType ptx_result_type(const PtxForm *f)
{
    switch (f->op) {
    case PTX_SETP:
    case PTX_ISSPACEP:
    case PTX_TESTP:
        return PTX_PRED;
    case PTX_POPC:
    case PTX_CLZ:
    case PTX_BFIND:
        return PTX_U32;
    default:
        return f->types[0];
    }
}

PtxType ptx_source_type(const PtxForm *f)
{
    return f->type_count > 1 ? f->types[1] : f->types[0];
}

unsigned ptx_orders(PtxCompare c)
{
    static const uint8_t orders[] = {
        [PTX_EQ] = PTX_SAME,
        [PTX_NE] = PTX_LESS | PTX_MORE,
        [PTX_LT] = PTX_LESS,
        [PTX_LE] = PTX_LESS | PTX_SAME,
        [PTX_GT] = PTX_MORE,
        [PTX_GE] = PTX_MORE | PTX_SAME,
        [PTX_LO] = PTX_LESS,
        [PTX_LS] = PTX_LESS | PTX_SAME,
        [PTX_HI] = PTX_MORE,
        [PTX_HS] = PTX_MORE | PTX_SAME,
        [PTX_EQU] = PTX_UNORDERED | PTX_SAME,
        [PTX_NEU] = PTX_UNORDERED | PTX_LESS | PTX_MORE,
        [PTX_LTU] = PTX_UNORDERED | PTX_LESS,
        [PTX_LEU] = PTX_UNORDERED | PTX_LESS | PTX_SAME,
        [PTX_GTU] = PTX_UNORDERED | PTX_MORE,
        [PTX_GEU] = PTX_UNORDERED | PTX_MORE | PTX_SAME,
        [PTX_NUM] = PTX_ORDERED,
        [PTX_NAN] = PTX_UNORDERED,
    };
    return orders[c];
}

PtxFunction *ptx_find_entry(const PtxModule *m, const char *name)
{
    for (size_t i = 0; i < m->functions.count; i++) {
        PtxFunction *f = m->functions.at[i];
        if (f->is_entry && f->has_body && (!name || strcmp(f->name, name) == 0))
            return f;
    }
    return NULL;
}

const PtxAttribute *ptx_find_attribute(const PtxFunction *f, const char *name)
{
    return NAME_FIND(f->attributes.at, f->attributes.count, name, name);
}

bool ptx_issues(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    if ((f->op == PTX_LD || f->op == PTX_ST) && f->space == PTX_PARAM)
        return false;
    if (f->op == PTX_MOV)
        return in->count == 2 && in->operands[1].kind == PTX_OPERAND_SPECIAL;
    return f->op != PTX_CVTA;
}

size_t ptx_line(const PtxFunction *f, size_t instr)
{
    size_t line = 0, column = 0;
    if (instr < f->instrs.count && f->instrs.at[instr].at.source)
        source_position(f->instrs.at[instr].at.source, f->instrs.at[instr].at.offset, &line,
                        &column);
    return line;
}

const char *ptx_place(Arena *a, const PtxFunction *f, size_t instr)
{
    const char *name = mangled_name(a, f->name);
    const uint32_t file = instr < f->instrs.count ? f->instrs.at[instr].file : 0;
    VEC_EACH (const PtxFile, x, f->module->files)
        if (file && x->number == file)
            return arena_printf(a, "%s, line %u of %s", name, f->instrs.at[instr].line,
                                path_stem(a, x->name, ""));
    return arena_printf(a, "%s, line %zu of the PTX", name, ptx_line(f, instr));
}

/* --- opcodes and modifiers ------------------------------------------------------------------- */

/* Scopes of the map: "and" is both an opcode and a modifier. */
enum { OPCODES, MODIFIERS, SPECIALS, FORMS };

typedef enum Field {
    FIELD_TYPE,
    FIELD_SPACE,
    FIELD_FLAG,
    FIELD_COMPARE,
    FIELD_COMBINE,
    FIELD_HALF,
    FIELD_ROUNDING,
    FIELD_VECTOR,
    FIELD_MODE
} Field;

/* Words with consecutive values, in the order of their enumerators. */
typedef struct Words {
    const char *words;
    Field field;
    int first;
} Words;

static const Words modifiers[] = {
    {"const global local param shared", FIELD_SPACE, PTX_CONST},
    {"shared::cta", FIELD_SPACE, PTX_SHARED},
    {"shared::cluster", FIELD_SPACE, PTX_SHARED},
    {"param::entry", FIELD_SPACE, PTX_PARAM},
    {"param::func", FIELD_SPACE, PTX_PARAM},
    {"eq ne lt le gt ge", FIELD_COMPARE, PTX_EQ}, /* "lo", "hi": see finish_form */
    {"ls", FIELD_COMPARE, PTX_LS},
    {"hs equ neu ltu leu gtu geu num nan", FIELD_COMPARE, PTX_HS},
    {"and or xor", FIELD_COMBINE, PTX_COMBINE_AND},
    {"lo hi wide", FIELD_HALF, PTX_LOW},
    {"rn rz rm rp rna rni rzi rmi rpi", FIELD_ROUNDING, PTX_RN},
    {"v2", FIELD_VECTOR, 2},
    {"v4", FIELD_VECTOR, 4},
    {"v8", FIELD_VECTOR, 8},
    {"f4e b4e rc8 ecl ecr rc16", FIELD_MODE, 1},
    /* Bit numbers of PTX_FLAG_…. */
    {"ftz sat approx cc nc wrap l shiftamt cg", FIELD_FLAG, 0},
    {"cv", FIELD_FLAG, 8},
    {"volatile", FIELD_FLAG, 8},
};

/* Special registers without a statically known value. */
static const char other_specials[] =
    "%clock %clock64 %clock_hi %globaltimer %globaltimer_lo %globaltimer_hi %smid %nsmid %gridid "
    "%is_explicit_cluster %clusterid.x %clusterid.y %clusterid.z %nclusterid.x %nclusterid.y "
    "%nclusterid.z %cluster_ctaid.x %cluster_ctaid.y %cluster_ctaid.z %cluster_nctaid.x "
    "%cluster_nctaid.y %cluster_nctaid.z %cluster_ctarank %cluster_nctarank %dynamic_smem_size "
    "%total_smem_size %aggr_smem_size %reserved_smem_offset_begin %reserved_smem_offset_end "
    "%reserved_smem_offset_cap %current_graph_exec %pm0 %pm1 %pm2 %pm3 %pm4 %pm5 %pm6 %pm7 "
    "%envreg0 %envreg1 %envreg2 %envreg3 %envreg4 %envreg5 %envreg6 %envreg7 %envreg8 %envreg9 "
    "%envreg10 %envreg11 %envreg12 %envreg13 %envreg14 %envreg15 %envreg16 %envreg17 %envreg18 "
    "%envreg19 %envreg20 %envreg21 %envreg22 %envreg23 %envreg24 %envreg25 %envreg26 %envreg27 "
    "%envreg28 %envreg29 %envreg30 %envreg31";

/* Adds words separated by single spaces; values rise by `step`. */
static void add_words(Map *map, uint32_t scope, const char *words, int kind, int value, int step)
{
    for (size_t length; *words; words += length + (words[length] == ' '), value += step) {
        length = strcspn(words, " ");
        MapEntry *e = map_add(map, words, length, scope);
        e->kind = kind;
        e->value = value;
    }
}

Map ptx_words_new(Arena *a)
{
    Map w = {.arena = a};
    for (int op = 1; op < PTX_OP_COUNT; op++)
        add_words(&w, OPCODES, ops[op].text, 1, op, 0);
    for (int t = 1; t < PTX_TYPE_COUNT; t++)
        add_words(&w, MODIFIERS, ptx_types[t].name, FIELD_TYPE, t, 0);
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        add_words(&w, MODIFIERS, modifiers[i].words, (int)modifiers[i].field, modifiers[i].first,
                  1);
    for (int s = 1; s < PTX_SPECIAL_COUNT; s++)
        add_words(&w, SPECIALS, specials[s], 1, s, 0);
    add_words(&w, SPECIALS, other_specials, 1, PTX_SPECIAL_OTHER, 0);
    return w;
}

static void apply_modifier(PtxForm *f, Field field, int value)
{
    int *const of[] = {[FIELD_COMPARE] = (int *)&f->compare, [FIELD_COMBINE] = (int *)&f->combine,
                       [FIELD_HALF] = (int *)&f->half,       [FIELD_ROUNDING] = (int *)&f->rounding,
                       [FIELD_VECTOR] = &f->vector,          [FIELD_MODE] = &f->mode};
    if (field == FIELD_TYPE && f->type_count < 4)
        f->types[f->type_count++] = (PtxType)value;
    else if (field == FIELD_SPACE)
        *(f->space == PTX_GENERIC ? &f->space : &f->space2) = (PtxSpace)value;
    else if (field == FIELD_FLAG)
        f->flags |= 1U << value;
    else if (field != FIELD_TYPE)
        *of[field] = value;
}

static void apply_modifiers(const Map *words, PtxForm *f, const char *at, const char *end)
{
    while (at < end) {
        const char *dot = memchr(at + 1, '.', (size_t)(end - at - 1));
        const char *stop = dot ? dot : end;
        const MapEntry *e = map_find(words, at + 1, (size_t)(stop - at - 1), MODIFIERS);
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

/* "lo", "hi": comparisons in setp and set, else halves. Double-precision roots are FP64 subroutines. */
static void finish_form(PtxForm *f)
{
    f->class = ops[f->op].class;
    f->writes = ops[f->op].writes;
    if (f->vector == 0)
        f->vector = 1;
    if (f->class == PTX_CLASS_TYPED || (f->class == PTX_CLASS_SFU && f->types[0] == PTX_F64))
        f->class = class_by_type(f->types[0]);
    if ((f->op == PTX_SETP || f->op == PTX_SET) && f->half != PTX_NO_HALF) {
        f->compare = f->half == PTX_LOW ? PTX_LO : PTX_HI;
        f->half = PTX_NO_HALF;
    }
}

static PtxForm *decode(Map *words, const char *text, size_t length)
{
    PtxForm *f = ARENA_NEW(words->arena, PtxForm);
    f->text = arena_copy(words->arena, text, length);
    size_t n = length;
    while (n > 0) {
        const MapEntry *e = map_find(words, text, n, OPCODES);
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
    apply_modifiers(words, f, f->text + n, f->text + length);
    finish_form(f);
    return f;
}

const PtxForm *ptx_words_form(Map *words, const char *text, size_t length, bool *fresh)
{
    const MapEntry *known = map_find(words, text, length, FORMS);
    *fresh = !known;
    if (known)
        return known->pointer;
    PtxForm *f = decode(words, text, length);
    MapEntry *e = map_add(words, f->text, length, FORMS);
    e->kind = 1;
    e->pointer = f;
    return f;
}

PtxType ptx_words_type(const Map *words, const char *text, size_t length)
{
    const MapEntry *e = map_find(words, text, length, MODIFIERS);
    return e && e->kind == FIELD_TYPE ? (PtxType)e->value : PTX_NO_TYPE;
}

bool ptx_words_space(const Map *words, const char *text, size_t length, PtxSpace *space)
{
    const MapEntry *e = map_find(words, text, length, MODIFIERS);
    if (!e || e->kind != FIELD_SPACE)
        return false;
    *space = (PtxSpace)e->value;
    return true;
}

const MapEntry *ptx_words_special(const Map *words, const char *text, size_t length)
{
    return map_find(words, text, length, SPECIALS);
}

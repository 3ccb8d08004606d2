#include "metrics/ptx/ptx_parser.h"

#include <stdio.h>

enum { TILE = 8, QUADS = 4, MATRICES = 4, LARGEST = 32, LONGEST = 64 };

/* A fragment as it lies in memory: `lines` of `length` neighbouring elements, a stride apart. A lane has `vector`
 * neighbouring elements of a line at a time if `along`, else as many of one column. */
typedef struct Fragment {
    int lines, length;
    int bytes; /* of an element */
    int vector;
    bool along;
} Fragment;

typedef struct Lowering {
    PtxParser *parser;
    const PtxInstr *in;
    Fragment fragment;
    PtxOperand stride, values; /* elements; registers */
    bool narrow;               /* addresses have 32 bits */
    bool store;
    int next; /* of the values */
} Lowering;

/* --- the form -------------------------------------------------------------------------------- */

/* The words of an opcode after its name, such as ".a.sync.aligned.row.m16n16k16.shared.f16". */
static bool has_word(const PtxForm *f, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = f->text; (at = strchr(at, '.')); at++)
        if (!strncmp(at, word, length) && (at[length] == '.' || at[length] == 0))
            return true;
    return false;
}

static bool read_shape(const PtxForm *f, int *m, int *n, int *k)
{
    for (const char *at = f->text; (at = strchr(at, '.')); at++)
        if (sscanf(at, ".m%3dn%3dk%3d", m, n, k) == 3)
            return true;
    return false;
}

static bool fits(int size, int tile)
{
    return size >= tile && size <= LARGEST && (size & (size - 1)) == 0;
}

/* What ptxas makes of it for sm_75 to sm_120 (seen in code of CUDA 13.0): halves are transposed in registers, others
 * are read as the product needs them. */
static bool find_fragment(const PtxForm *f, Fragment *out)
{
    int m = 0, n = 0, k = 0;
    const bool a = has_word(f, ".a"), b = has_word(f, ".b"), row = has_word(f, ".row");
    const PtxType type = f->type_count ? f->types[0] : PTX_NO_TYPE;
    const int bits = type == PTX_NO_TYPE ? 0 : ptx_types[type].bits;
    if (!read_shape(f, &m, &n, &k) || bits < 8 || bits > 64)
        return false;
    const int rows = b ? k : m, columns = a ? k : n;
    *out = (Fragment){.lines = row ? rows : columns,
                      .length = row ? columns : rows,
                      .bytes = bits / 8,
                      .vector = 2,
                      .along = true};
    if ((a || b) && bits != 16) {
        out->vector = bits == 8 ? 4 : 1;
        out->along = row == a;
    } else if (bits != 16) {
        out->along = row == (m != TILE || n != 32);
    }
    const int width = QUADS * out->vector;
    return fits(out->lines, out->along ? TILE : width) &&
           fits(out->length, out->along ? width : TILE);
}

/* --- new instructions ------------------------------------------------------------------------ */

static PtxOperand number(int64_t value)
{
    return (PtxOperand){.kind = PTX_OPERAND_IMMEDIATE, .value = value};
}

static PtxOperand new_register(const Lowering *x, PtxType type)
{
    PtxRegisters *list = &x->parser->function->registers;
    VEC_PUSH(x->parser->arena, list, ((PtxRegister){type, 1}));
    return (PtxOperand){.kind = PTX_OPERAND_REGISTER, .index = (int)list->count - 1};
}

static void emit(const Lowering *x, const char *opcode, const PtxOperand *operands, int count)
{
    PtxParser *p = x->parser;
    bool fresh = false;
    PtxInstr in = *x->in;
    in.form = ptx_words_form(&p->words, opcode, strlen(opcode), &fresh);
    in.operands = ARENA_ARRAY(p->arena, PtxOperand, (size_t)count);
    memcpy(in.operands, operands, (size_t)count * sizeof *operands);
    in.count = (uint16_t)count;
    in.reads = in.writes = (PtxUses){0};
    ptx_list_uses(p->arena, &in);
    VEC_PUSH(p->arena, &p->function->instrs, in);
}

static PtxOperand compute(const Lowering *x, PtxType type, const char *opcode,
                          const PtxOperand *from, size_t count)
{
    PtxOperand operands[LONGEST] = {new_register(x, type)};
    memcpy(&operands[1], from, count * sizeof *from);
    emit(x, opcode, operands, 1 + (int)count);
    return operands[0];
}

#define COMPUTE(x, type, opcode, ...)                                                              \
    compute(x, type, opcode, (const PtxOperand[]){__VA_ARGS__},                                    \
            COUNT_OF(((const PtxOperand[]){__VA_ARGS__})))

/* address + index × factor, in bytes */
static PtxOperand step(const Lowering *x, PtxOperand address, PtxOperand index, int64_t factor)
{
    return x->narrow ? COMPUTE(x, PTX_B32, "mad.lo.u32", index, number(factor), address)
                     : COMPUTE(x, PTX_B64, "mad.wide.u32", index, number(factor), address);
}

/* --- accesses -------------------------------------------------------------------------------- */

static PtxOperand lane_bits(const Lowering *x, PtxOperand lane, int shift, int mask)
{
    if (shift)
        lane = COMPUTE(x, PTX_B32, "shr.u32", lane, number(shift));
    return mask ? COMPUTE(x, PTX_B32, "and.b32", lane, number(mask)) : lane;
}

/* The address of the first access in each lane: of `line` (a register) and, in elements, `at` × `apart` on it. */
static PtxOperand first_address(const Lowering *x, PtxOperand line, PtxOperand at, int apart)
{
    const PtxOperand *base = &x->in->operands[x->store ? 0 : 1].parts[0];
    const int bytes = x->fragment.bytes;
    PtxOperand address = *base;
    if (base->kind != PTX_OPERAND_REGISTER)
        address = COMPUTE(x, PTX_B64, "mov.u64", *base);
    address = step(x, address, at, apart * bytes);
    return step(x, address, COMPUTE(x, PTX_B32, "mul.lo.u32", line, x->stride), bytes);
}

/* The address of lines further on. */
static PtxOperand further(const Lowering *x, PtxOperand first, int lines, int64_t *offset)
{
    const int64_t bytes = (int64_t)lines * x->fragment.bytes;
    if (x->stride.kind == PTX_OPERAND_IMMEDIATE)
        *offset += x->stride.value * bytes;
    return x->stride.kind == PTX_OPERAND_IMMEDIATE || lines == 0 ? first
                                                                 : step(x, first, x->stride, bytes);
}

/* One of `of` accesses of `count` values, which are registers of the fragment. Of halves it has twice as many as it
 * needs: the other half stays unwritten. */
static void access(Lowering *x, const char *opcode, PtxOperand address, int64_t offset, int count,
                   int of)
{
    PtxOperand place = {.kind = PTX_OPERAND_ADDRESS, .count = 1};
    place.parts = ARENA_NEW(x->parser->arena, PtxOperand);
    place.parts[0] = address;
    place.value = x->in->operands[x->store ? 0 : 1].value + offset;
    const size_t registers = x->values.count;
    size_t first = (size_t)(x->next++ * count);
    if ((size_t)(of * count) > registers) /* several of them make one register */
        first = first * registers / (size_t)(of * count);
    PtxOperand value = {.kind = PTX_OPERAND_VECTOR, .count = (size_t)count};
    if (value.count > registers) /* a fragment that no compiler makes */
        value.count = registers;
    value.parts = &x->values.parts[first + value.count <= registers ? first : 0];
    if (count == 1)
        value = value.parts[0];
    const PtxOperand operands[] = {x->store ? place : value, x->store ? value : place};
    emit(x, opcode, operands, 2);
}

/* ldmatrix: a lane gives the address of a line of 8 halves. */
static void load_matrices(Lowering *x, PtxOperand lane)
{
    const Fragment *f = &x->fragment;
    const int across = f->length / TILE, all = across * f->lines / TILE;
    const int each = all < MATRICES ? all : MATRICES, shift = __builtin_ctz((unsigned)across);
    const PtxOperand row = lane_bits(x, lane, 0, TILE - 1), tile = lane_bits(x, lane, 3, 0);
    PtxOperand line = lane_bits(x, tile, shift, 0);
    line = COMPUTE(x, PTX_B32, "mad.lo.u32", line, number(TILE), row);
    const PtxOperand at = lane_bits(x, tile, 0, across - 1);
    const PtxOperand first =
        across > 1 ? first_address(x, line, at, TILE) : first_address(x, line, number(0), 0);
    const char *opcode = each == MATRICES ? "ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                         : each == 2      ? "ldmatrix.sync.aligned.m8n8.x2.shared.b16"
                                          : "ldmatrix.sync.aligned.m8n8.x1.shared.b16";
    for (int i = 0; i < all; i += each) {
        int64_t offset = 0;
        const PtxOperand address = further(x, first, i / across * TILE, &offset);
        access(x, opcode, address, offset, each, all / each);
    }
}

/* Of so many values, which are registers: two where elements are no halves. */
static const char *opcode_of(const Lowering *x, int values, char *text)
{
    const Fragment *f = &x->fragment;
    const int bytes = f->bytes * (f->along ? f->vector : 1) / values;
    const PtxSpace space = x->in->form->space;
    snprintf(text, LONGEST, "%s%s%s.%c%d", x->store ? "st" : "ld",
             space == PTX_GLOBAL   ? ".global"
             : space == PTX_SHARED ? ".shared"
                                   : "",
             values == 2 ? ".v2" : "", bytes == 1 ? 'u' : 'b', bytes * 8);
    return text;
}

static void access_elements(Lowering *x, PtxOperand lane)
{
    const Fragment *f = &x->fragment;
    const int values = f->along && f->vector == 2 && f->bytes >= 4 ? 2 : 1;
    char text[LONGEST];
    const char *opcode = opcode_of(x, values, text);
    const int width = QUADS * f->vector, high = f->along ? TILE : width;
    const int wide = f->along ? width : TILE, each = f->along ? 1 : f->vector;
    const PtxOperand row = lane_bits(x, lane, 2, 0), quad = lane_bits(x, lane, 0, QUADS - 1);
    const PtxOperand scaled =
        f->along ? row : COMPUTE(x, PTX_B32, "mul.lo.u32", quad, number(f->vector));
    const PtxOperand first =
        f->along ? first_address(x, scaled, quad, f->vector) : first_address(x, scaled, row, 1);
    const int all = f->lines / high * (f->length / wide) * each;
    for (int line = 0; line < f->lines; line += high)
        for (int i = 0; i < each; i++) {
            int64_t offset = 0;
            const PtxOperand address = further(x, first, line + i, &offset);
            for (int at = 0; at < f->length; at += wide)
                access(x, opcode, address, offset + (int64_t)at * f->bytes, values, all);
        }
}

/* --- lowering -------------------------------------------------------------------------------- */

static bool find_operands(Lowering *x)
{
    const PtxInstr *in = x->in;
    if (in->count < 2)
        return false;
    const PtxOperand *place = &in->operands[x->store ? 0 : 1];
    x->values = in->operands[x->store ? 1 : 0];
    x->stride = in->count > 2 ? in->operands[2] : number(x->fragment.length);
    if (place->kind != PTX_OPERAND_ADDRESS || place->count != 1 ||
        x->values.kind != PTX_OPERAND_VECTOR || x->values.count < 1)
        return false;
    for (size_t i = 0; i < x->values.count; i++)
        if (x->values.parts[i].kind != PTX_OPERAND_REGISTER)
            return false;
    const PtxOperand *base = &place->parts[0];
    if (base->kind == PTX_OPERAND_REGISTER) {
        const PtxType type = x->parser->function->registers.at[base->index].type;
        x->narrow = ptx_types[type].bits == 32;
    }
    return (base->kind == PTX_OPERAND_REGISTER || base->kind == PTX_OPERAND_VARIABLE) &&
           (x->stride.kind == PTX_OPERAND_REGISTER || x->stride.kind == PTX_OPERAND_IMMEDIATE);
}

bool ptx_lower_wmma(PtxParser *p, const PtxInstr *in)
{
    Lowering x = {.parser = p, .in = in, .store = in->form->op == PTX_WMMA_STORE};
    const PtxSpace space = in->form->space;
    if ((in->form->op != PTX_WMMA_LOAD && !x.store) || !find_fragment(in->form, &x.fragment) ||
        !find_operands(&x) || (space != PTX_GLOBAL && space != PTX_SHARED && space != PTX_GENERIC))
        return false;
    const PtxOperand special = {
        .kind = PTX_OPERAND_SPECIAL, .index = PTX_LANEID, .name = "%laneid"};
    const PtxOperand lane = COMPUTE(&x, PTX_B32, "mov.u32", special);
    const bool halves =
        x.fragment.bytes == 2 && (has_word(in->form, ".a") || has_word(in->form, ".b"));
    if (halves && space == PTX_SHARED)
        load_matrices(&x, lane);
    else
        access_elements(&x, lane);
    return true;
}

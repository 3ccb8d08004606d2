#include "metrics/ptx/ptx_parser.h"

#include <ctype.h>

enum {
    PTX_SCOPES = 64, /* nesting of { }; NVVM emits 2 */
    PTX_OPERAND_NESTING = 4
};

/* --- operands -------------------------------------------------------------------------------- */

/* The register of a range, numbered at its first use. */
static MapEntry *find_in_range(PtxParser *p, uint32_t scope, const char *text, size_t length)
{
    size_t prefix = length;
    while (prefix > 0 && isdigit((unsigned char)text[prefix - 1]))
        prefix--;
    if (prefix == length || length - prefix > 9)
        return NULL;
    const MapEntry *e = map_find(&p->names, text, prefix, scope);
    if (!e || e->kind != PTX_NAME_RANGE)
        return NULL;
    const PtxRange *range = e->pointer;
    uint64_t number = 0;
    for (size_t i = prefix; i < length; i++)
        number = number * 10 + (uint64_t)(text[i] - '0');
    if (number >= range->count)
        return NULL;
    MapEntry *fresh = map_add(&p->names, text, length, scope);
    fresh->kind = PTX_NAME_REGISTER;
    fresh->value = (int)p->function->registers.count;
    VEC_PUSH(p->arena, &p->function->registers, ((PtxRegister){range->type, range->vector}));
    return fresh;
}

/* The innermost entry for a name as seen from a scope, or NULL. */
static MapEntry *find_name(PtxParser *p, uint32_t scope, const char *text, size_t length)
{
    for (;; scope = p->parents.at[scope]) {
        MapEntry *e = map_find(&p->names, text, length, scope);
        if (!e && p->function && scope != 0)
            e = find_in_range(p, scope, text, length);
        if (e || scope == 0)
            return e;
    }
}

/* "%r7.b0" of video instructions, "%v.x" of vector registers */
static bool part_of_register(PtxParser *p, const PtxToken *t, PtxOperand *o)
{
    const char *dot = memchr(t->text, '.', t->length);
    if (!dot || dot == t->text)
        return false;
    const size_t length = (size_t)(dot - t->text);
    const MapEntry *e = find_name(p, p->scope, t->text, length);
    if (!e || e->kind != PTX_NAME_REGISTER)
        return false;
    o->kind = PTX_OPERAND_REGISTER;
    o->index = e->value;
    o->name = arena_copy(p->arena, dot, t->length - length);
    return true;
}

/* Resolves a name as an operand; unresolved names wait for the end of the body. */
static PtxOperand operand_of_name(PtxParser *p, const PtxToken *t)
{
    PtxOperand o = {.kind = PTX_OPERAND_NAME};
    if (t->length == 1 && t->text[0] == '_') {
        o.kind = PTX_OPERAND_SINK;
        return o;
    }
    const MapEntry *e = find_name(p, p->scope, t->text, t->length);
    if (!e && part_of_register(p, t, &o))
        return o;
    if (e && e->kind == PTX_NAME_REGISTER) {
        o.kind = PTX_OPERAND_REGISTER;
        o.index = e->value;
    } else if (e && e->kind == PTX_NAME_VARIABLE) {
        o.kind = PTX_OPERAND_VARIABLE;
        o.variable = e->pointer;
    } else {
        const MapEntry *special = e ? NULL : ptx_words_special(&p->words, t->text, t->length);
        o.name = arena_copy(p->arena, t->text, t->length);
        if (special) {
            o.kind = PTX_OPERAND_SPECIAL;
            o.index = special->value;
        } else if (t->text[0] == '%') {
            diag_error(p->diag, ptx_token_span(&p->lex, t), "register '%s' is not declared",
                       o.name);
        }
    }
    return o;
}

static bool read_operand(PtxParser *p, int depth);

/* operands = [ operand { "," operand } ]; stops before `close` or after the last one. */
static bool read_operands(PtxParser *p, char close, int depth)
{
    while (!ptx_lexer_is(&p->lex, close)) {
        if (!read_operand(p, depth))
            return false;
        if (!ptx_lexer_take(&p->lex, ','))
            break;
    }
    return true;
}

/* Pops the operands above `mark` into an array of their own. */
static PtxOperand *take_operands(PtxParser *p, size_t mark, size_t *count)
{
    *count = p->operands.count - mark;
    PtxOperand *at = ARENA_ARRAY(p->arena, PtxOperand, *count);
    if (*count)
        memcpy(at, &p->operands.at[mark], *count * sizeof *at);
    p->operands.count = mark;
    return at;
}

/* parts = [ operand { "," operand } ] close */
static bool read_parts(PtxParser *p, PtxOperandKind kind, char close, int depth)
{
    const size_t mark = p->operands.count;
    ptx_lexer_next(&p->lex);
    if (!read_operands(p, close, depth + 1) || !ptx_expect(p, close, "after operands"))
        return false;
    PtxOperand o = {.kind = kind};
    o.parts = take_operands(p, mark, &o.count);
    if (kind == PTX_OPERAND_ADDRESS && o.count == 0)
        return diag_error(p->diag, ptx_lexer_span(&p->lex),
                          "an address is missing between '[' and ']'");
    /* [%rd1+4]: the offset belongs to the address */
    if (kind == PTX_OPERAND_ADDRESS && o.parts[0].kind != PTX_OPERAND_IMMEDIATE) {
        o.value = o.parts[0].kind == PTX_OPERAND_FLOAT ? 0 : o.parts[0].value;
        if (o.parts[0].kind != PTX_OPERAND_FLOAT)
            o.parts[0].value = 0;
    }
    VEC_PUSH(p->arena, &p->operands, o);
    return true;
}

/* offset = { ( "+" | "-" ) integer } */
static bool read_offset(PtxParser *p, int64_t *value)
{
    uint64_t sum = (uint64_t)*value;
    while (ptx_lexer_is(&p->lex, '+') || ptx_lexer_is(&p->lex, '-')) {
        bool minus = false;
        while (ptx_lexer_is(&p->lex, '+') || ptx_lexer_is(&p->lex, '-')) {
            minus ^= ptx_lexer_is(&p->lex, '-');
            ptx_lexer_next(&p->lex);
        }
        uint64_t n = 0;
        if (!ptx_take_integer(p, &n))
            return false;
        sum = minus ? sum - n : sum + n;
    }
    *value = (int64_t)sum;
    return true;
}

/* number = [ "-" ] ( integer [ offset ] | float ) */
static bool read_number(PtxParser *p)
{
    const bool minus = ptx_lexer_is(&p->lex, '-');
    if (minus || ptx_lexer_is(&p->lex, '+'))
        ptx_lexer_next(&p->lex);
    const PtxToken t = p->lex.token;
    PtxOperand o = {.kind = PTX_OPERAND_FLOAT, .value = (int64_t)t.value};
    if (t.kind == PTX_TOKEN_INTEGER) {
        o.kind = PTX_OPERAND_IMMEDIATE;
        o.value = minus ? (int64_t)(0 - t.value) : (int64_t)t.value;
    } else if (t.kind == PTX_TOKEN_FLOAT32 || t.kind == PTX_TOKEN_FLOAT64) {
        o.index = t.kind == PTX_TOKEN_FLOAT32 ? 32 : 64;
        if (minus)
            o.value = (int64_t)(t.value ^ (UINT64_C(1) << (o.index - 1)));
    } else {
        return ptx_expected(p, "a number");
    }
    ptx_lexer_next(&p->lex);
    if (o.kind == PTX_OPERAND_IMMEDIATE && !read_offset(p, &o.value))
        return false;
    VEC_PUSH(p->arena, &p->operands, o);
    return true;
}

/* named = name [ offset ] [ "|" named ] */
static bool read_named(PtxParser *p, int depth)
{
    const size_t mark = p->operands.count;
    PtxOperand o = operand_of_name(p, &p->lex.token);
    ptx_lexer_next(&p->lex);
    if (!read_offset(p, &o.value))
        return false;
    VEC_PUSH(p->arena, &p->operands, o);
    if (!ptx_lexer_take(&p->lex, '|'))
        return true;
    if (!read_operand(p, depth + 1))
        return false;
    PtxOperand pair = {.kind = PTX_OPERAND_PAIR};
    pair.parts = take_operands(p, mark, &pair.count);
    VEC_PUSH(p->arena, &p->operands, pair);
    return true;
}

/* operand = "!" operand | "{" parts "}" | "(" parts ")" | "[" parts "]" | number | named */
static bool read_operand(PtxParser *p, int depth)
{
    if (depth > PTX_OPERAND_NESTING)
        return diag_error(p->diag, ptx_lexer_span(&p->lex), "operands are nested too deeply");
    if (ptx_lexer_take(&p->lex, '!')) {
        if (!read_operand(p, depth + 1))
            return false;
        p->operands.at[p->operands.count - 1].negated = true;
        return true;
    }
    if (ptx_lexer_is(&p->lex, '{'))
        return read_parts(p, PTX_OPERAND_VECTOR, '}', depth);
    if (ptx_lexer_is(&p->lex, '('))
        return read_parts(p, PTX_OPERAND_LIST, ')', depth);
    if (ptx_lexer_is(&p->lex, '['))
        return read_parts(p, PTX_OPERAND_ADDRESS, ']', depth);
    if (p->lex.token.kind == PTX_TOKEN_WORD)
        return read_named(p, depth);
    return read_number(p);
}

/* --- instructions ---------------------------------------------------------------------------- */

static void note_pending(PtxParser *p, PtxOperand *operands, size_t count, bool must, Span at)
{
    EACH (PtxOperand, o, operands, count)
        if (o->kind == PTX_OPERAND_NAME && o->name[0] != '%')
            VEC_PUSH(p->arena, &p->pending, ((PtxPending){o, p->scope, must, at}));
        else if (o->kind >= PTX_OPERAND_ADDRESS)
            note_pending(p, o->parts, o->count, must, at);
}

/* guard = "@" [ "!" ] register */
static bool read_guard(PtxParser *p, PtxInstr *in)
{
    if (!ptx_lexer_take(&p->lex, '@'))
        return true;
    in->guard_negated = ptx_lexer_take(&p->lex, '!');
    if (p->lex.token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "a predicate");
    const PtxOperand o = operand_of_name(p, &p->lex.token);
    if (o.kind != PTX_OPERAND_REGISTER)
        return ptx_expected(p, "a predicate register");
    in->guard = o.index;
    ptx_lexer_next(&p->lex);
    return true;
}

static void add_uses(Arena *a, PtxInstr *in, const PtxOperand *o, bool writes)
{
    if (o->kind == PTX_OPERAND_REGISTER)
        VEC_PUSH(a, writes ? &in->writes : &in->reads, o->index);
    for (size_t i = 0; o->kind >= PTX_OPERAND_ADDRESS && i < o->count; i++)
        add_uses(a, in, &o->parts[i], writes && o->kind != PTX_OPERAND_ADDRESS);
}

void ptx_list_uses(Arena *a, PtxInstr *in)
{
    const int writes = in->form->writes < in->count ? in->form->writes : in->count;
    const bool both = in->form->op == PTX_WGMMA_MMA || in->form->op == PTX_UNKNOWN;
    if (in->guard != PTX_NO_GUARD)
        VEC_PUSH(a, &in->reads, in->guard);
    for (int i = both ? 0 : writes; i < in->count; i++)
        add_uses(a, in, &in->operands[i], false);
    for (int i = 0; i < writes; i++)
        add_uses(a, in, &in->operands[i], true);
}

static void count_unknown(PtxParser *p, const PtxInstr *in, bool fresh)
{
    if (in->form->op != PTX_UNKNOWN)
        return;
    p->function->unknown++;
    if (fresh)
        diag_warn(p->diag, in->at, "unknown instruction '%s'; its effect is not modelled",
                  in->form->text);
}

/* instruction = [ guard ] opcode [ operand { "," operand } ] ";" */
static bool read_instr(PtxParser *p)
{
    PtxInstr in = {.guard = PTX_NO_GUARD, .file = p->file, .line = p->line};
    if (!read_guard(p, &in))
        return false;
    PtxToken opcode;
    bool fresh = false;
    if (!ptx_take_name(p, "an instruction", &opcode))
        return false;
    in.at = ptx_token_span(&p->lex, &opcode);
    in.form = ptx_words_form(&p->words, opcode.text, opcode.length, &fresh);
    p->operands.count = 0;
    if (!read_operands(p, ';', 0))
        return false;
    if (!ptx_lexer_is(&p->lex, ';'))
        return ptx_expected(p, "',' or ';'");
    size_t count = 0;
    in.operands = take_operands(p, 0, &count);
    if (count > UINT16_MAX)
        return diag_error(p->diag, in.at, "too many operands");
    in.count = (uint16_t)count;
    const Span semicolon = ptx_lexer_span(&p->lex);
    ptx_lexer_next(&p->lex);
    note_pending(p, in.operands, count, in.form->op == PTX_BRA || in.form->op == PTX_BRX_IDX,
                 in.at);
    ptx_list_uses(p->arena, &in);
    count_unknown(p, &in, fresh);
    in.at = span_join(in.at, semicolon);
    if (!ptx_lower_wmma(p, &in))
        VEC_PUSH(p->arena, &p->function->instrs, in);
    return true;
}

/* --- other statements ------------------------------------------------------------------------ */

/* register = name [ "<" n ">" ] */
static bool read_register(PtxParser *p, PtxType type, int vector)
{
    PtxFunction *f = p->function;
    PtxToken name;
    if (!ptx_take_name(p, "the name of a register", &name))
        return false;
    const bool range = ptx_lexer_take(&p->lex, '<');
    uint64_t count = 1;
    if (range &&
        (!ptx_take_integer(p, &count) || !ptx_expect(p, '>', "after a number of registers")))
        return false;
    MapEntry *e = ptx_declare(p, &name, range ? PTX_NAME_RANGE : PTX_NAME_REGISTER);
    if (!e)
        return false;
    f->declared[type] += count < UINT32_MAX ? count : UINT32_MAX;
    if (range) {
        PtxRange *info = ARENA_NEW(p->arena, PtxRange);
        *info = (PtxRange){type, vector, count};
        e->pointer = info;
        return true;
    }
    e->value = (int)f->registers.count;
    VEC_PUSH(p->arena, &f->registers, ((PtxRegister){type, vector}));
    return true;
}

/* registers = [ ".v2" | ".v4" ] type register { "," register } ";" */
static bool read_registers(PtxParser *p)
{
    const int vector = ptx_lexer_take_word(&p->lex, ".v2")   ? 2
                       : ptx_lexer_take_word(&p->lex, ".v4") ? 4
                                                             : 1;
    const PtxToken t = p->lex.token;
    const PtxType type =
        ptx_at_directive(p) ? ptx_words_type(&p->words, t.text + 1, t.length - 1) : PTX_NO_TYPE;
    if (type == PTX_NO_TYPE)
        return ptx_expected(p, "the type of a register");
    ptx_lexer_next(&p->lex);
    do {
        if (!read_register(p, type, vector))
            return false;
    } while (ptx_lexer_take(&p->lex, ','));
    return ptx_expect(p, ';', "after a declaration");
}

/* .loc file line column [ "," "function_name" label [ "+" n ] "," "inlined_at" file line column ] */
static bool read_loc(PtxParser *p)
{
    uint64_t file = 0, line = 0;
    if (!ptx_take_integer(p, &file) || !ptx_take_integer(p, &line))
        return false;
    p->file = (uint32_t)file;
    p->line = (uint32_t)line;
    while (p->lex.token.kind == PTX_TOKEN_INTEGER)
        ptx_lexer_next(&p->lex);
    while (ptx_lexer_take(&p->lex, ',')) {
        if (ptx_lexer_take_word(&p->lex, "function_name"))
            ptx_lexer_next(&p->lex);
        else
            ptx_lexer_take_word(&p->lex, "inlined_at");
        while (p->lex.token.kind == PTX_TOKEN_INTEGER || ptx_lexer_is(&p->lex, '+'))
            ptx_lexer_next(&p->lex);
    }
    return true;
}

/* targets = label { "," label } ";"
 * Labels defined later are resolved at the end of the body. */
static bool read_targets(PtxParser *p, PtxTable *t)
{
    p->operands.count = 0;
    do {
        if (!read_operand(p, 0))
            return false;
    } while (ptx_lexer_take(&p->lex, ','));
    t->targets = take_operands(p, 0, &t->count);
    note_pending(p, t->targets, t->count, true, ptx_lexer_span(&p->lex));
    return ptx_expect(p, ';', "after branch targets");
}

/* table = label ":" ( ".branchtargets" targets | ".calltargets" … ";" | ".callprototype" … ";" ) */
static bool read_table(PtxParser *p, const PtxToken *name)
{
    PtxFunction *f = p->function;
    PtxTable t = {0};
    MapEntry *e = map_add(&p->names, name->text, name->length, p->scope);
    e->kind = PTX_NAME_TABLE;
    e->value = (int)f->tables.count;
    const bool targets = ptx_lexer_take_word(&p->lex, ".branchtargets");
    const bool ok = !targets || read_targets(p, &t);
    VEC_PUSH(p->arena, &f->tables, t);
    if (targets)
        return ok;
    ptx_skip_to(p, ";");
    return ptx_expect(p, ';', "after a list of targets");
}

static bool at_table(const PtxParser *p)
{
    return ptx_lexer_is_word(&p->lex, ".branchtargets") ||
           ptx_lexer_is_word(&p->lex, ".calltargets") ||
           ptx_lexer_is_word(&p->lex, ".callprototype");
}

/* label = name ":" */
static bool read_label(PtxParser *p, const PtxToken *name)
{
    PtxFunction *f = p->function;
    MapEntry *e = map_add(&p->names, name->text, name->length, p->scope);
    if (e->kind != 0)
        return diag_error(p->diag, ptx_token_span(&p->lex, name),
                          "label '%.*s' is defined twice in its scope", (int)name->length,
                          name->text);
    e->kind = PTX_NAME_LABEL;
    e->value = (int)f->labels.count;
    const PtxLabel label = {arena_copy(p->arena, name->text, name->length), f->instrs.count};
    VEC_PUSH(p->arena, &f->labels, label);
    return true;
}

static bool read_body_directive(PtxParser *p)
{
    PtxSpace space = PTX_GENERIC;
    if (ptx_lexer_take_word(&p->lex, ".loc"))
        return read_loc(p);
    if (ptx_lexer_take_word(&p->lex, ".reg"))
        return read_registers(p);
    if (ptx_lexer_is_word(&p->lex, ".pragma")) {
        ptx_skip_statement(p);
        return true;
    }
    if (ptx_take_space(p, &space))
        return ptx_read_declaration(p, space, &p->function->locals);
    ptx_skip_directive(p);
    return true;
}

static bool open_scope(PtxParser *p)
{
    if (p->depth >= PTX_SCOPES)
        return diag_error(p->diag, ptx_lexer_span(&p->lex), "scopes are nested more than %d deep",
                          PTX_SCOPES);
    ptx_lexer_next(&p->lex);
    ptx_enter_scope(p);
    return true;
}

/* statement = directive | label | table | instruction | "{" { statement } "}" | ";" */
static bool read_statement(PtxParser *p)
{
    const PtxToken t = p->lex.token;
    if (ptx_lexer_is(&p->lex, '{'))
        return open_scope(p);
    if (ptx_lexer_take(&p->lex, ';'))
        return true;
    if (t.kind != PTX_TOKEN_WORD)
        return read_instr(p);
    if (t.text[0] == '.')
        return read_body_directive(p);
    PtxLexer behind = p->lex;
    ptx_lexer_next(&behind);
    if (!ptx_lexer_take(&behind, ':'))
        return read_instr(p);
    p->lex = behind;
    return at_table(p) ? read_table(p, &t) : read_label(p, &t);
}

static void resolve(PtxParser *p, const PtxPending *pending)
{
    PtxOperand *o = pending->operand;
    const MapEntry *e = find_name(p, pending->scope, o->name, strlen(o->name));
    if (e && e->kind == PTX_NAME_LABEL) {
        o->kind = PTX_OPERAND_LABEL;
        o->index = e->value;
    } else if (e && e->kind == PTX_NAME_TABLE) {
        o->kind = PTX_OPERAND_TABLE;
        o->index = e->value;
    } else if (e && e->kind == PTX_NAME_FUNCTION) {
        o->kind = PTX_OPERAND_FUNCTION;
        o->function = e->pointer;
    } else if (pending->must) {
        diag_error(p->diag, pending->at, "label '%s' is not defined", o->name);
    }
}

void ptx_read_body(PtxParser *p)
{
    const int outside = p->depth;
    p->file = 0;
    p->line = 0;
    while (p->lex.token.kind != PTX_TOKEN_END) {
        if (ptx_lexer_take(&p->lex, '}')) {
            if (p->depth == outside)
                break;
            ptx_leave_scope(p);
        } else if (!read_statement(p)) {
            ptx_skip_statement(p);
        }
    }
    for (size_t i = 0; i < p->pending.count; i++)
        resolve(p, &p->pending.at[i]);
    p->pending.count = 0;
}

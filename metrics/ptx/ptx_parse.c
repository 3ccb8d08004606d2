#include "metrics/ptx/ptx_form.h"
#include "metrics/ptx/ptx_lexer.h"

#include <ctype.h>

/* What a name stands for: the kind of an entry in PtxReader.names. */
typedef enum PtxNameKind {
    PTX_NAME_REGISTER = 1, /* value: its number */
    PTX_NAME_RANGE,        /* pointer: PtxRange */
    PTX_NAME_VARIABLE,     /* pointer: PtxVariable */
    PTX_NAME_LABEL,        /* value: its number */
    PTX_NAME_TABLE,        /* value: its number */
    PTX_NAME_FUNCTION,     /* pointer: PtxFunction */
    PTX_NAME_DIRECTIVE     /* an unknown directive that was mentioned */
} PtxNameKind;

/* `.reg .b32 %r<66>`: registers are numbered when they are first used, so that a large number
 * costs nothing. */
typedef struct PtxRange {
    PtxType type;
    int vector;
    uint64_t count;
} PtxRange;

/* A name met before its label. */
typedef struct PtxPending {
    PtxOperand *operand;
    uint32_t scope;
    bool must; /* the target of a branch */
    Span at;
} PtxPending;

enum {
    PTX_SCOPES = 64, /* nesting of { }; NVVM writes 2 */
    PTX_OPERAND_NESTING = 4
};

typedef struct PtxReader {
    Arena *arena;
    Diag *diag;
    PtxLexer lex;
    PtxModule *module;
    PtxWords words;
    Map names;             /* by text and scope */
    VEC(uint32_t) parents; /* of each scope by number; 0 is the module */
    uint32_t scope;        /* the innermost */
    int depth;
    PtxFunction *function;
    VEC(PtxPending) pending;
    VEC(PtxOperand) operands; /* of statements under way; a stack */
    uint32_t file;
    uint32_t line;
} PtxReader;

/* --- messages, scopes, names ----------------------------------------------------------------- */

/* Adds "expected …, found …" at the current token; always false. */
static bool expected(PtxReader *r, const char *what)
{
    const PtxToken *t = &r->lex.token;
    if (t->kind == PTX_TOKEN_END)
        return diag_error(r->diag, ptx_lexer_span(&r->lex), "expected %s before the end", what);
    return diag_error(r->diag, ptx_lexer_span(&r->lex), "expected %s, found '%.*s'", what,
                      (int)(t->length < 40 ? t->length : 40), t->text);
}

static bool expect(PtxReader *r, char sign, const char *where)
{
    if (ptx_lexer_take(&r->lex, sign))
        return true;
    return expected(r, arena_printf(r->arena, "'%c' %s", sign, where));
}

/* Goes on to the next of these signs, or to the end. */
static void skip_to(PtxReader *r, const char *signs)
{
    while (r->lex.token.kind != PTX_TOKEN_END &&
           !(r->lex.token.sign && strchr(signs, r->lex.token.sign)))
        ptx_lexer_next(&r->lex);
}

/* Steps over the rest of a statement: past the next ';', or up to a '}' or the end. */
static void skip_statement(PtxReader *r)
{
    skip_to(r, ";}");
    ptx_lexer_take(&r->lex, ';');
}

static bool on_new_line(const PtxLexer *l)
{
    return memchr(l->last, '\n', (size_t)(l->token.text - l->last)) != NULL;
}

static void skip_unknown(PtxReader *r)
{
    do {
        if (ptx_lexer_take(&r->lex, ';'))
            return;
        if (ptx_lexer_is(&r->lex, '{') || ptx_lexer_is(&r->lex, '}'))
            return;
        ptx_lexer_next(&r->lex);
    } while (r->lex.token.kind != PTX_TOKEN_END && !on_new_line(&r->lex));
}

/* Counts an unknown directive, mentions it the first time, steps over it. */
static void step_over_directive(PtxReader *r)
{
    const PtxToken t = r->lex.token;
    r->module->unknown_directives++;
    MapEntry *e = map_add(&r->names, t.text, t.length, UINT32_MAX);
    if (e->kind == 0)
        diag_warn(r->diag, ptx_lexer_span(&r->lex), "directive '%.*s' is not known; stepped over",
                  (int)t.length, t.text);
    e->kind = PTX_NAME_DIRECTIVE;
    ptx_lexer_next(&r->lex);
    if (!on_new_line(&r->lex))
        skip_unknown(r);
}

static void enter_scope(PtxReader *r)
{
    VEC_PUSH(r->arena, &r->parents, r->scope);
    r->scope = (uint32_t)r->parents.count - 1;
    r->depth++;
}

static void leave_scope(PtxReader *r)
{
    r->scope = r->parents.at[r->scope];
    r->depth--;
}

/* The register of a range, numbered at its first use. */
static MapEntry *find_in_range(PtxReader *r, uint32_t scope, const char *text, size_t length)
{
    size_t prefix = length;
    while (prefix > 0 && isdigit((unsigned char)text[prefix - 1]))
        prefix--;
    if (prefix == length || length - prefix > 9)
        return NULL;
    const MapEntry *e = map_find(&r->names, text, prefix, scope);
    if (!e || e->kind != PTX_NAME_RANGE)
        return NULL;
    const PtxRange *range = e->pointer;
    uint64_t number = 0;
    for (size_t i = prefix; i < length; i++)
        number = number * 10 + (uint64_t)(text[i] - '0');
    if (number >= range->count)
        return NULL;
    MapEntry *fresh = map_add(&r->names, text, length, scope);
    fresh->kind = PTX_NAME_REGISTER;
    fresh->value = (int)r->function->registers.count;
    VEC_PUSH(r->arena, &r->function->registers, ((PtxRegister){range->type, range->vector}));
    return fresh;
}

/* The innermost entry for a name as seen from a scope; NULL when there is none. */
static MapEntry *find_name(PtxReader *r, uint32_t scope, const char *text, size_t length)
{
    for (;; scope = r->parents.at[scope]) {
        MapEntry *e = map_find(&r->names, text, length, scope);
        if (!e && r->function && scope != 0)
            e = find_in_range(r, scope, text, length);
        if (e || scope == 0)
            return e;
    }
}

/* A name of its own in the innermost scope; NULL after a message when it has a meaning there
 * already. */
static MapEntry *declare(PtxReader *r, const PtxToken *name, int kind)
{
    MapEntry *e = map_add(&r->names, name->text, name->length, r->scope);
    if (e->kind != 0 && r->function) {
        diag_error(r->diag, ptx_token_span(&r->lex, name), "'%.*s' is declared twice in its scope",
                   (int)name->length, name->text);
        return NULL;
    }
    e->kind = kind;
    return e;
}

static bool read_integer(PtxReader *r, uint64_t *value)
{
    if (r->lex.token.kind != PTX_TOKEN_INTEGER)
        return expected(r, "a number");
    *value = r->lex.token.value;
    ptx_lexer_next(&r->lex);
    return true;
}

/* --- variables ------------------------------------------------------------------------------- */

/* More than any address space has; keeps sums of sizes from overflowing. */
static const uint64_t largest_variable = UINT64_C(1) << 40;

static bool read_align(PtxReader *r, PtxVariable *v)
{
    uint64_t n = 0;
    ptx_lexer_next(&r->lex);
    const Span at = ptx_lexer_span(&r->lex);
    if (!read_integer(r, &n))
        return false;
    if (n == 0 || n > 65536 || (n & (n - 1)))
        return diag_error(r->diag, at, "alignment %llu is not a power of two up to 65536",
                          (unsigned long long)n);
    if (!v->is_pointer) /* what it points to is not followed */
        v->align = (uint32_t)n;
    return true;
}

/* attribute = type | ".v2" | ".v4" | ".align" n | ".ptr" [ space ] | ".attribute" "(" … ")" | other
 */
static bool read_attribute(PtxReader *r, PtxVariable *v)
{
    const PtxToken t = r->lex.token;
    const PtxType type = ptx_words_type(&r->words, t.text + 1, t.length - 1);
    if (ptx_lexer_is_word(&r->lex, ".align"))
        return read_align(r, v);
    ptx_lexer_next(&r->lex);
    if (type != PTX_NO_TYPE)
        v->type = type;
    else if (t.length == 4 && memcmp(t.text, ".ptr", 4) == 0)
        v->is_pointer = true;
    else if (t.length == 3 && t.text[1] == 'v' && (t.text[2] == '2' || t.text[2] == '4'))
        v->vector = t.text[2] - '0';
    if (ptx_lexer_is(&r->lex, '(')) {
        skip_to(r, ";)");
        ptx_lexer_take(&r->lex, ')');
    }
    return true;
}

static bool read_dimensions(PtxReader *r, PtxVariable *v)
{
    const char *text = "";
    while (ptx_lexer_take(&r->lex, '[')) {
        uint64_t n = 0;
        if (ptx_lexer_is(&r->lex, ']')) {
            text = arena_printf(r->arena, "%s[]", text);
        } else {
            if (!read_integer(r, &n))
                return false;
            text = arena_printf(r->arena, "%s[%llu]", text, (unsigned long long)n);
        }
        if (!expect(r, ']', "after the size of an array"))
            return false;
        if (v->size && n > largest_variable / v->size)
            return diag_error(r->diag, v->at, "the array is too large");
        v->size *= n;
        if (strlen(text) > 200)
            return diag_error(r->diag, v->at, "too many dimensions");
    }
    v->dimensions = text;
    return true;
}

/* initial = what stands before the next "," or ";" outside braces */
static void skip_initial(PtxReader *r)
{
    int depth = 0;
    while (r->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_is(&r->lex, ';')) {
        if (depth == 0 && ptx_lexer_is(&r->lex, ','))
            break;
        depth += ptx_lexer_is(&r->lex, '{') - ptx_lexer_is(&r->lex, '}');
        ptx_lexer_next(&r->lex);
    }
}

static bool read_declarator(PtxReader *r, PtxVariable *v)
{
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return expected(r, "the name of a variable");
    const PtxToken name = r->lex.token;
    v->at = ptx_lexer_span(&r->lex);
    ptx_lexer_next(&r->lex);
    const uint64_t bytes = (uint64_t)(ptx_type_bits(v->type) + 7) / 8 * (unsigned)v->vector;
    v->size = bytes ? bytes : 8; /* .texref and the like are handles */
    if (v->align < v->size && v->size <= 16)
        v->align = (uint32_t)(v->align ? v->align : v->size);
    if (v->align == 0)
        v->align = 16;
    if (!read_dimensions(r, v))
        return false;
    if (ptx_lexer_take(&r->lex, '=')) {
        v->initial = r->lex.token.text;
        skip_initial(r);
    }
    MapEntry *e = declare(r, &name, PTX_NAME_VARIABLE);
    if (e)
        e->pointer = v;
    v->name = arena_copy(r->arena, name.text, name.length);
    v->function = r->function;
    return true;
}

/* variables = { attribute } name { "[" [ size ] "]" } [ "=" initial ] { "," name … }
 * Stands behind the space; appends to `list`.  Stops before ";" or, for parameters, after one. */
static bool read_variables(PtxReader *r, PtxSpace space, bool one, PtxVariables *list)
{
    PtxVariable base = {.space = space, .vector = 1};
    while (r->lex.token.kind == PTX_TOKEN_WORD && r->lex.token.text[0] == '.')
        if (!read_attribute(r, &base))
            return false;
    do {
        PtxVariable *v = ARENA_NEW(r->arena, PtxVariable);
        *v = base;
        v->index = (int)list->count;
        if (!read_declarator(r, v))
            return false;
        VEC_PUSH(r->arena, list, v);
    } while (!one && ptx_lexer_take(&r->lex, ','));
    return true;
}

static bool read_declaration(PtxReader *r, PtxSpace space, PtxVariables *list)
{
    return read_variables(r, space, false, list) && expect(r, ';', "after a declaration");
}

/* --- operands and instructions --------------------------------------------------------------- */

/* "%r7.b0" of video instructions, "%v.x" of vector registers */
static bool part_of_register(PtxReader *r, const PtxToken *t, PtxOperand *o)
{
    const char *dot = memchr(t->text, '.', t->length);
    if (!dot || dot == t->text)
        return false;
    const size_t length = (size_t)(dot - t->text);
    const MapEntry *e = find_name(r, r->scope, t->text, length);
    if (!e || e->kind != PTX_NAME_REGISTER)
        return false;
    o->kind = PTX_OPERAND_REGISTER;
    o->index = e->value;
    o->name = arena_copy(r->arena, dot, t->length - length);
    return true;
}

/* What a name means as an operand; unresolved names wait for the end of the body. */
static PtxOperand operand_of_name(PtxReader *r, const PtxToken *t)
{
    PtxOperand o = {.kind = PTX_OPERAND_NAME};
    if (t->length == 1 && t->text[0] == '_') {
        o.kind = PTX_OPERAND_SINK;
        return o;
    }
    const MapEntry *e = find_name(r, r->scope, t->text, t->length);
    if (!e && part_of_register(r, t, &o))
        return o;
    if (e && e->kind == PTX_NAME_REGISTER) {
        o.kind = PTX_OPERAND_REGISTER;
        o.index = e->value;
    } else if (e && e->kind == PTX_NAME_VARIABLE) {
        o.kind = PTX_OPERAND_VARIABLE;
        o.variable = e->pointer;
    } else {
        const MapEntry *special = e ? NULL : ptx_words_special(&r->words, t->text, t->length);
        o.name = arena_copy(r->arena, t->text, t->length);
        if (special) {
            o.kind = PTX_OPERAND_SPECIAL;
            o.index = special->value;
        } else if (t->text[0] == '%') {
            diag_error(r->diag, ptx_token_span(&r->lex, t), "register '%s' is not declared",
                       o.name);
        }
    }
    return o;
}

static bool read_operand(PtxReader *r, int depth);

static PtxOperand *push_operand(PtxReader *r)
{
    return VEC_ADD(r->arena, &r->operands);
}

/* Moves the operands above `mark` off the stack into a place of their own. */
static PtxOperand *take_operands(PtxReader *r, size_t mark, size_t *count)
{
    *count = r->operands.count - mark;
    PtxOperand *at = ARENA_ARRAY(r->arena, PtxOperand, *count);
    if (*count)
        memcpy(at, &r->operands.at[mark], *count * sizeof *at);
    r->operands.count = mark;
    return at;
}

/* parts = [ operand { "," operand } ] close */
static bool read_parts(PtxReader *r, PtxOperandKind kind, char close, int depth)
{
    const size_t mark = r->operands.count;
    ptx_lexer_next(&r->lex);
    while (!ptx_lexer_is(&r->lex, close)) {
        if (!read_operand(r, depth + 1))
            return false;
        if (!ptx_lexer_take(&r->lex, ','))
            break;
    }
    if (!expect(r, close, "after operands"))
        return false;
    PtxOperand o = {.kind = kind};
    o.parts = take_operands(r, mark, &o.count);
    if (kind == PTX_OPERAND_ADDRESS && o.count == 0)
        return diag_error(r->diag, ptx_lexer_span(&r->lex),
                          "an address is missing between '[' and ']'");
    /* [%rd1+4]: the offset belongs to the address */
    if (kind == PTX_OPERAND_ADDRESS && o.parts[0].kind != PTX_OPERAND_IMMEDIATE) {
        o.value = o.parts[0].kind == PTX_OPERAND_FLOAT ? 0 : o.parts[0].value;
        if (o.parts[0].kind != PTX_OPERAND_FLOAT)
            o.parts[0].value = 0;
    }
    *push_operand(r) = o;
    return true;
}

/* offset = { ( "+" | "-" ) integer } */
static bool read_offset(PtxReader *r, int64_t *value)
{
    uint64_t sum = (uint64_t)*value;
    while (ptx_lexer_is(&r->lex, '+') || ptx_lexer_is(&r->lex, '-')) {
        bool minus = false;
        while (ptx_lexer_is(&r->lex, '+') || ptx_lexer_is(&r->lex, '-')) {
            minus ^= ptx_lexer_is(&r->lex, '-');
            ptx_lexer_next(&r->lex);
        }
        uint64_t n = 0;
        if (!read_integer(r, &n))
            return false;
        sum = minus ? sum - n : sum + n;
    }
    *value = (int64_t)sum;
    return true;
}

/* number = [ "-" ] ( integer [ offset ] | float ) */
static bool read_number(PtxReader *r)
{
    const bool minus = ptx_lexer_is(&r->lex, '-');
    if (minus || ptx_lexer_is(&r->lex, '+'))
        ptx_lexer_next(&r->lex);
    const PtxToken t = r->lex.token;
    PtxOperand o = {.kind = PTX_OPERAND_FLOAT, .value = (int64_t)t.value};
    if (t.kind == PTX_TOKEN_INTEGER) {
        o.kind = PTX_OPERAND_IMMEDIATE;
        o.value = minus ? (int64_t)(0 - t.value) : (int64_t)t.value;
    } else if (t.kind == PTX_TOKEN_FLOAT32 || t.kind == PTX_TOKEN_FLOAT64) {
        o.index = t.kind == PTX_TOKEN_FLOAT32 ? 32 : 64;
        if (minus)
            o.value = (int64_t)(t.value ^ (UINT64_C(1) << (o.index - 1)));
    } else {
        return expected(r, "a number");
    }
    ptx_lexer_next(&r->lex);
    if (o.kind == PTX_OPERAND_IMMEDIATE && !read_offset(r, &o.value))
        return false;
    *push_operand(r) = o;
    return true;
}

/* named = name [ offset ] [ "|" named ] */
static bool read_named(PtxReader *r, int depth)
{
    const size_t mark = r->operands.count;
    PtxOperand o = operand_of_name(r, &r->lex.token);
    ptx_lexer_next(&r->lex);
    if (!read_offset(r, &o.value))
        return false;
    *push_operand(r) = o;
    if (!ptx_lexer_take(&r->lex, '|'))
        return true;
    if (!read_operand(r, depth + 1))
        return false;
    PtxOperand pair = {.kind = PTX_OPERAND_PAIR};
    pair.parts = take_operands(r, mark, &pair.count);
    *push_operand(r) = pair;
    return true;
}

/* operand = "!" operand | "{" parts "}" | "(" parts ")" | "[" parts "]" | number | named */
static bool read_operand(PtxReader *r, int depth)
{
    if (depth > PTX_OPERAND_NESTING)
        return diag_error(r->diag, ptx_lexer_span(&r->lex), "operands are nested too deeply");
    if (ptx_lexer_take(&r->lex, '!')) {
        if (!read_operand(r, depth + 1))
            return false;
        r->operands.at[r->operands.count - 1].negated = true;
        return true;
    }
    if (ptx_lexer_is(&r->lex, '{'))
        return read_parts(r, PTX_OPERAND_VECTOR, '}', depth);
    if (ptx_lexer_is(&r->lex, '('))
        return read_parts(r, PTX_OPERAND_LIST, ')', depth);
    if (ptx_lexer_is(&r->lex, '['))
        return read_parts(r, PTX_OPERAND_ADDRESS, ']', depth);
    if (r->lex.token.kind == PTX_TOKEN_WORD)
        return read_named(r, depth);
    return read_number(r);
}

static void note_pending(PtxReader *r, PtxOperand *operands, size_t count, bool must, Span at)
{
    EACH (PtxOperand, o, operands, count)
        if (o->kind == PTX_OPERAND_NAME && o->name[0] != '%')
            VEC_PUSH(r->arena, &r->pending, ((PtxPending){o, r->scope, must, at}));
        else if (o->kind >= PTX_OPERAND_ADDRESS)
            note_pending(r, o->parts, o->count, must, at);
}

/* guard = "@" [ "!" ] register */
static bool read_guard(PtxReader *r, PtxInstr *in)
{
    if (!ptx_lexer_take(&r->lex, '@'))
        return true;
    in->guard_negated = ptx_lexer_take(&r->lex, '!');
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return expected(r, "a predicate");
    const PtxOperand o = operand_of_name(r, &r->lex.token);
    if (o.kind != PTX_OPERAND_REGISTER)
        return expected(r, "a predicate register");
    in->guard = o.index;
    ptx_lexer_next(&r->lex);
    return true;
}

static void add_uses(Arena *a, PtxInstr *in, const PtxOperand *o, bool writes)
{
    if (o->kind == PTX_OPERAND_REGISTER)
        VEC_PUSH(a, writes ? &in->writes : &in->reads, o->index);
    for (size_t i = 0; o->kind >= PTX_OPERAND_ADDRESS && i < o->count; i++)
        add_uses(a, in, &o->parts[i], writes && o->kind != PTX_OPERAND_ADDRESS);
}

/* What is not known may read its first operand, too. */
static void list_uses(Arena *a, PtxInstr *in)
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

static void count_unknown(PtxReader *r, const PtxInstr *in, bool fresh)
{
    if (in->form->op != PTX_UNKNOWN)
        return;
    r->function->unknown++;
    r->module->unknown_instrs++;
    if (fresh)
        diag_warn(r->diag, in->at, "instruction '%s' is not known; its effect is not followed",
                  in->form->text);
}

/* instruction = [ guard ] opcode [ operand { "," operand } ] ";" */
static bool read_instr(PtxReader *r)
{
    PtxInstr in = {.guard = PTX_NO_GUARD, .file = r->file, .line = r->line};
    if (!read_guard(r, &in))
        return false;
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return expected(r, "an instruction");
    in.at = ptx_lexer_span(&r->lex);
    bool fresh = false;
    in.form = ptx_words_form(&r->words, r->lex.token.text, r->lex.token.length, &fresh);
    ptx_lexer_next(&r->lex);
    r->operands.count = 0;
    while (!ptx_lexer_is(&r->lex, ';')) {
        if (!read_operand(r, 0))
            return false;
        if (!ptx_lexer_take(&r->lex, ','))
            break;
    }
    if (!ptx_lexer_is(&r->lex, ';'))
        return expected(r, "',' or ';'");
    size_t count = 0;
    in.operands = take_operands(r, 0, &count);
    if (count > UINT16_MAX)
        return diag_error(r->diag, in.at, "too many operands");
    in.count = (uint16_t)count;
    const Span semicolon = ptx_lexer_span(&r->lex);
    ptx_lexer_next(&r->lex);
    note_pending(r, in.operands, count, in.form->op == PTX_BRA || in.form->op == PTX_BRX_IDX,
                 in.at);
    list_uses(r->arena, &in);
    count_unknown(r, &in, fresh);
    in.at = span_join(in.at, semicolon);
    VEC_PUSH(r->arena, &r->function->instrs, in);
    return true;
}

/* registers = type { name [ "<" n ">" ] "," } ";" */
static bool read_register(PtxReader *r, PtxType type, int vector)
{
    PtxFunction *f = r->function;
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return expected(r, "the name of a register");
    const PtxToken name = r->lex.token;
    ptx_lexer_next(&r->lex);
    const bool range = ptx_lexer_take(&r->lex, '<');
    uint64_t count = 1;
    if (range && (!read_integer(r, &count) || !expect(r, '>', "after a number of registers")))
        return false;
    MapEntry *e = declare(r, &name, range ? PTX_NAME_RANGE : PTX_NAME_REGISTER);
    if (!e)
        return false;
    f->declared[type] += count < UINT32_MAX ? count : UINT32_MAX;
    if (range) {
        PtxRange *info = ARENA_NEW(r->arena, PtxRange);
        *info = (PtxRange){type, vector, count};
        e->pointer = info;
        return true;
    }
    e->value = (int)f->registers.count;
    VEC_PUSH(r->arena, &f->registers, ((PtxRegister){type, vector}));
    return true;
}

static bool read_registers(PtxReader *r)
{
    int vector = 1;
    if (ptx_lexer_take_word(&r->lex, ".v2"))
        vector = 2;
    else if (ptx_lexer_take_word(&r->lex, ".v4"))
        vector = 4;
    const PtxToken t = r->lex.token;
    const PtxType type = t.kind == PTX_TOKEN_WORD && t.text[0] == '.'
                             ? ptx_words_type(&r->words, t.text + 1, t.length - 1)
                             : PTX_NO_TYPE;
    if (type == PTX_NO_TYPE)
        return expected(r, "the type of a register");
    ptx_lexer_next(&r->lex);
    do {
        if (!read_register(r, type, vector))
            return false;
    } while (ptx_lexer_take(&r->lex, ','));
    return expect(r, ';', "after a declaration");
}

/* .loc file line column [ "," "function_name" label [ "+" n ] "," "inlined_at" file line column ]
 */
static bool read_loc(PtxReader *r)
{
    uint64_t file = 0, line = 0;
    if (!read_integer(r, &file) || !read_integer(r, &line))
        return false;
    r->file = (uint32_t)file;
    r->line = (uint32_t)line;
    while (r->lex.token.kind == PTX_TOKEN_INTEGER)
        ptx_lexer_next(&r->lex);
    while (ptx_lexer_take(&r->lex, ',')) {
        if (ptx_lexer_take_word(&r->lex, "function_name"))
            ptx_lexer_next(&r->lex);
        else
            ptx_lexer_take_word(&r->lex, "inlined_at");
        while (r->lex.token.kind == PTX_TOKEN_INTEGER || ptx_lexer_is(&r->lex, '+'))
            ptx_lexer_next(&r->lex);
    }
    return true;
}

/* targets = label { "," label } ";"
 * The labels may come later: they are resolved at the end of the body. */
static bool read_targets(PtxReader *r, PtxTable *t)
{
    r->operands.count = 0;
    do {
        if (!read_operand(r, 0))
            return false;
    } while (ptx_lexer_take(&r->lex, ','));
    t->targets = take_operands(r, 0, &t->count);
    note_pending(r, t->targets, t->count, true, ptx_lexer_span(&r->lex));
    return expect(r, ';', "after branch targets");
}

/* table = label ":" ( ".branchtargets" targets | ".calltargets" … ";" | ".callprototype" … ";" ) */
static bool read_table(PtxReader *r, const PtxToken *name)
{
    PtxFunction *f = r->function;
    PtxTable t = {0};
    MapEntry *e = map_add(&r->names, name->text, name->length, r->scope);
    e->kind = PTX_NAME_TABLE;
    e->value = (int)f->tables.count;
    if (ptx_lexer_take_word(&r->lex, ".branchtargets")) {
        const bool ok = read_targets(r, &t);
        VEC_PUSH(r->arena, &f->tables, t);
        return ok;
    }
    skip_to(r, ";");
    VEC_PUSH(r->arena, &f->tables, t);
    return expect(r, ';', "after a list of targets");
}

static bool at_table(const PtxReader *r)
{
    return ptx_lexer_is_word(&r->lex, ".branchtargets") ||
           ptx_lexer_is_word(&r->lex, ".calltargets") ||
           ptx_lexer_is_word(&r->lex, ".callprototype");
}

/* label = name ":" */
static bool read_label(PtxReader *r, const PtxToken *name)
{
    PtxFunction *f = r->function;
    MapEntry *e = map_add(&r->names, name->text, name->length, r->scope);
    if (e->kind != 0)
        return diag_error(r->diag, ptx_token_span(&r->lex, name),
                          "label '%.*s' stands twice in its scope", (int)name->length, name->text);
    e->kind = PTX_NAME_LABEL;
    e->value = (int)f->labels.count;
    const PtxLabel label = {arena_copy(r->arena, name->text, name->length), f->instrs.count};
    VEC_PUSH(r->arena, &f->labels, label);
    return true;
}

static bool read_body_directive(PtxReader *r)
{
    PtxSpace space = PTX_GENERIC;
    const PtxToken t = r->lex.token;
    if (ptx_lexer_take_word(&r->lex, ".loc"))
        return read_loc(r);
    if (ptx_lexer_take_word(&r->lex, ".reg"))
        return read_registers(r);
    if (ptx_lexer_is_word(&r->lex, ".pragma")) {
        skip_statement(r);
        return true;
    }
    if (ptx_words_space(&r->words, t.text + 1, t.length - 1, &space)) {
        ptx_lexer_next(&r->lex);
        return read_declaration(r, space, &r->function->locals);
    }
    step_over_directive(r);
    return true;
}

static bool open_scope(PtxReader *r)
{
    if (r->depth >= PTX_SCOPES)
        return diag_error(r->diag, ptx_lexer_span(&r->lex), "scopes are nested more than %d deep",
                          PTX_SCOPES);
    ptx_lexer_next(&r->lex);
    enter_scope(r);
    return true;
}

/* statement = directive | label | table | instruction | "{" { statement } "}" | ";" */
static bool read_statement(PtxReader *r)
{
    const PtxToken t = r->lex.token;
    if (ptx_lexer_is(&r->lex, '{'))
        return open_scope(r);
    if (ptx_lexer_take(&r->lex, ';'))
        return true;
    if (t.kind != PTX_TOKEN_WORD)
        return read_instr(r);
    if (t.text[0] == '.')
        return read_body_directive(r);
    PtxLexer behind = r->lex;
    ptx_lexer_next(&behind);
    if (!ptx_lexer_take(&behind, ':'))
        return read_instr(r);
    r->lex = behind;
    return at_table(r) ? read_table(r, &t) : read_label(r, &t);
}

static void resolve(PtxReader *r, const PtxPending *p)
{
    PtxOperand *o = p->operand;
    const MapEntry *e = find_name(r, p->scope, o->name, strlen(o->name));
    if (e && e->kind == PTX_NAME_LABEL) {
        o->kind = PTX_OPERAND_LABEL;
        o->index = e->value;
    } else if (e && e->kind == PTX_NAME_TABLE) {
        o->kind = PTX_OPERAND_TABLE;
        o->index = e->value;
    } else if (e && e->kind == PTX_NAME_FUNCTION) {
        o->kind = PTX_OPERAND_FUNCTION;
        o->function = e->pointer;
    } else if (p->must) {
        diag_error(r->diag, p->at, "label '%s' is not defined", o->name);
    }
}

/* body = "{" { statement } "}"; stands behind the first brace. */
static void read_body(PtxReader *r)
{
    const int outside = r->depth;
    r->file = 0;
    r->line = 0;
    while (r->lex.token.kind != PTX_TOKEN_END) {
        if (ptx_lexer_take(&r->lex, '}')) {
            if (r->depth == outside)
                break;
            leave_scope(r);
        } else if (!read_statement(r)) {
            skip_statement(r);
        }
    }
    for (size_t i = 0; i < r->pending.count; i++)
        resolve(r, &r->pending.at[i]);
    r->pending.count = 0;
}

/* --- functions and the module ---------------------------------------------------------------- */

/* parameters = "(" [ (".param" | ".reg") variable { "," … } ] ")" */
static bool read_parameters(PtxReader *r, PtxVariables *list, bool result)
{
    if (!ptx_lexer_take(&r->lex, '('))
        return true;
    while (!ptx_lexer_is(&r->lex, ')')) {
        if (!ptx_lexer_take_word(&r->lex, ".param") && !ptx_lexer_take_word(&r->lex, ".reg"))
            return expected(r, "'.param' or ')'");
        if (!read_variables(r, PTX_PARAM, true, list))
            return false;
        PtxVariable *v = list->at[list->count - 1];
        v->is_parameter = !result;
        v->is_result = result;
        if (!ptx_lexer_take(&r->lex, ','))
            break;
    }
    return expect(r, ')', "after the parameters");
}

/* Parameters lie one behind the other, each at a multiple of its alignment. */
static uint64_t lay_out(PtxVariables *list)
{
    uint64_t end = 0;
    for (size_t i = 0; i < list->count; i++) {
        PtxVariable *v = list->at[i];
        v->offset = (end + v->align - 1) / v->align * v->align;
        end = v->offset + v->size;
    }
    return end;
}

/* attributes = { ".maxntid" n { "," n } | ".noreturn" | … } */
static void read_attributes(PtxReader *r, PtxFunction *f)
{
    while (r->lex.token.kind == PTX_TOKEN_WORD && r->lex.token.text[0] == '.') {
        PtxAttribute x = {.name = arena_copy(r->arena, r->lex.token.text, r->lex.token.length)};
        ptx_lexer_next(&r->lex);
        while (r->lex.token.kind == PTX_TOKEN_INTEGER) {
            if (x.count < 3)
                x.values[x.count++] = (int64_t)r->lex.token.value;
            ptx_lexer_next(&r->lex);
            if (!ptx_lexer_take(&r->lex, ','))
                break;
        }
        if (r->lex.token.kind == PTX_TOKEN_STRING)
            ptx_lexer_next(&r->lex);
        VEC_PUSH(r->arena, &f->attributes, x);
    }
}

/* The object of a name: the one declared before, if it has no body yet. */
static PtxFunction *enter_function(PtxReader *r, const PtxToken *name, Span at)
{
    MapEntry *e = map_add(&r->names, name->text, name->length, 0);
    PtxFunction *old = e->kind == PTX_NAME_FUNCTION ? e->pointer : NULL;
    if (old && !old->has_body)
        return old;
    if (old)
        diag_error(r->diag, at, "function '%s' is defined twice", old->name);
    PtxFunction *f = ARENA_NEW(r->arena, PtxFunction);
    f->name = arena_copy(r->arena, name->text, name->length);
    VEC_PUSH(r->arena, &r->module->functions, f);
    e->kind = PTX_NAME_FUNCTION;
    e->pointer = f;
    return f;
}

/* rest = name [ parameters ] attributes ( ";" | body ) */
static bool read_signature(PtxReader *r, PtxFunction *f)
{
    PtxVariables params = {0};
    if (!read_parameters(r, &params, false))
        return false;
    f->params = params;
    f->param_size = lay_out(&f->params);
    f->attributes.count = 0;
    read_attributes(r, f);
    if (ptx_lexer_take(&r->lex, ';'))
        return true;
    if (!ptx_lexer_take(&r->lex, '{'))
        return expected(r, "'{' or ';'");
    f->has_body = true;
    read_body(r);
    return true;
}

/* function = linkage ( ".entry" | ".func" attributes [ parameters ] ) rest */
static bool read_function(PtxReader *r, bool is_entry)
{
    PtxFunction waiting = {0}; /* results and attributes come before the name */
    enter_scope(r);
    r->function = &waiting;
    read_attributes(r, &waiting);
    if (!read_parameters(r, &waiting.results, true))
        return false;
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return expected(r, "the name of a function");
    const PtxToken name = r->lex.token;
    const Span at = ptx_lexer_span(&r->lex);
    PtxFunction *f = enter_function(r, &name, at);
    f->results = waiting.results;
    lay_out(&f->results);
    for (size_t i = 0; i < f->results.count; i++)
        f->results.at[i]->function = f;
    f->is_entry = is_entry;
    f->at = at;
    r->function = f;
    ptx_lexer_next(&r->lex);
    return read_signature(r, f);
}

static void leave_function(PtxReader *r)
{
    while (r->depth > 0)
        leave_scope(r);
    r->function = NULL;
}

/* .section NAME "{" … "}": debug information, not needed */
static void skip_section(PtxReader *r)
{
    skip_to(r, "{");
    skip_to(r, "}");
    ptx_lexer_take(&r->lex, '}');
}

/* .file number "name" [ "," size "," time ] */
static bool read_file(PtxReader *r)
{
    uint64_t number = 0;
    if (!read_integer(r, &number))
        return false;
    if (r->lex.token.kind != PTX_TOKEN_STRING)
        return expected(r, "a file name");
    const PtxFile file = {(uint32_t)number,
                          arena_copy(r->arena, r->lex.token.text, r->lex.token.length)};
    VEC_PUSH(r->arena, &r->module->files, file);
    ptx_lexer_next(&r->lex);
    while (ptx_lexer_take(&r->lex, ','))
        ptx_lexer_next(&r->lex);
    return true;
}

/* .target word { "," word } */
static bool read_target(PtxReader *r)
{
    const char *text = NULL;
    do {
        if (r->lex.token.kind != PTX_TOKEN_WORD)
            return expected(r, "a target");
        text = arena_printf(r->arena, "%s%s%.*s", text ? text : "", text ? ", " : "",
                            (int)r->lex.token.length, r->lex.token.text);
        ptx_lexer_next(&r->lex);
    } while (strlen(text) < 200 && ptx_lexer_take(&r->lex, ','));
    r->module->target = text;
    return true;
}

static bool read_version(PtxReader *r)
{
    if (r->lex.token.kind != PTX_TOKEN_FLOAT64 && r->lex.token.kind != PTX_TOKEN_INTEGER)
        return expected(r, "a version");
    r->module->version = arena_copy(r->arena, r->lex.token.text, r->lex.token.length);
    ptx_lexer_next(&r->lex);
    return true;
}

static bool read_address_size(PtxReader *r)
{
    uint64_t bits = 0;
    if (!read_integer(r, &bits))
        return false;
    if (bits != 32 && bits != 64)
        return diag_fail(r->diag, "address size %llu is neither 32 nor 64",
                         (unsigned long long)bits);
    r->module->address_bits = (int)bits;
    return true;
}

static void skip_linkage(PtxReader *r)
{
    static const char *const linkages[] = {".visible", ".extern", ".weak", ".common"};
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
        if (ptx_lexer_take_word(&r->lex, linkages[i]))
            return;
}

/* directive = ".version" v | ".target" t | ".address_size" n | file | section | ".pragma" s ";"
 *           | function | linkage space variables ";" */
static bool read_directive(PtxReader *r)
{
    PtxSpace space = PTX_GENERIC;
    skip_linkage(r);
    const PtxToken t = r->lex.token;
    if (ptx_lexer_take_word(&r->lex, ".entry"))
        return read_function(r, true);
    if (ptx_lexer_take_word(&r->lex, ".func"))
        return read_function(r, false);
    if (t.kind == PTX_TOKEN_WORD && t.text[0] == '.' &&
        ptx_words_space(&r->words, t.text + 1, t.length - 1, &space)) {
        ptx_lexer_next(&r->lex);
        return read_declaration(r, space, &r->module->variables);
    }
    if (ptx_lexer_take_word(&r->lex, ".version"))
        return read_version(r);
    if (ptx_lexer_take_word(&r->lex, ".target"))
        return read_target(r);
    if (ptx_lexer_take_word(&r->lex, ".address_size"))
        return read_address_size(r);
    if (ptx_lexer_take_word(&r->lex, ".file"))
        return read_file(r);
    if (ptx_lexer_take_word(&r->lex, ".section")) {
        skip_section(r);
        return true;
    }
    if (t.kind != PTX_TOKEN_WORD || t.text[0] != '.')
        return expected(r, "a directive");
    step_over_directive(r);
    return true;
}

PtxModule *ptx_parse(Arena *a, const Source *s, Diag *d)
{
    PtxReader r = {.arena = a, .diag = d, .lex = ptx_lexer_new(s), .words = ptx_words_new(a)};
    r.names.arena = a;
    VEC_PUSH(a, &r.parents, 0);
    r.module = ARENA_NEW(a, PtxModule);
    *r.module = (PtxModule){.source = s, .version = "", .target = "", .address_bits = 64};
    while (r.lex.token.kind != PTX_TOKEN_END) {
        if (!read_directive(&r))
            skip_statement(&r);
        leave_function(&r);
        while (ptx_lexer_take(&r.lex, '}') || ptx_lexer_take(&r.lex, '{'))
            continue;
    }
    return r.module;
}

#include "metrics/ptx/ptx_parse.h"

#include "metrics/ptx/ptx_reader.h"

#include <string.h>

/* More than any address space has; keeps sums of sizes from overflowing. */
static const uint64_t largest_variable = UINT64_C(1) << 40;

bool ptx_reader_expected(PtxReader *r, const char *what)
{
    const PtxToken *t = &r->lex.token;
    if (t->kind == PTX_TOKEN_END)
        return diag_error(r->diag, ptx_lexer_span(&r->lex), "expected %s before the end", what);
    return diag_error(r->diag, ptx_lexer_span(&r->lex), "expected %s, found '%.*s'", what,
                      (int)(t->length < 40 ? t->length : 40), t->text);
}

bool ptx_reader_expect(PtxReader *r, char sign, const char *where)
{
    if (ptx_lexer_take(&r->lex, sign))
        return true;
    return ptx_reader_expected(r, arena_printf(r->arena, "'%c' %s", sign, where));
}

void ptx_reader_skip(PtxReader *r)
{
    while (r->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_is(&r->lex, '}')) {
        if (ptx_lexer_take(&r->lex, ';'))
            return;
        ptx_lexer_next(&r->lex);
    }
}

static bool on_new_line(const PtxLexer *l)
{
    return memchr(l->last, '\n', (size_t)(l->token.text - l->last)) != NULL;
}

void ptx_reader_skip_unknown(PtxReader *r)
{
    do {
        if (ptx_lexer_take(&r->lex, ';'))
            return;
        if (ptx_lexer_is(&r->lex, '{') || ptx_lexer_is(&r->lex, '}'))
            return;
        ptx_lexer_next(&r->lex);
    } while (r->lex.token.kind != PTX_TOKEN_END && !on_new_line(&r->lex));
}

void ptx_reader_unknown_directive(PtxReader *r)
{
    const PtxToken t = r->lex.token;
    r->module->unknown_directives++;
    PtxMapEntry *e = ptx_map_add(&r->names, t.text, t.length, UINT32_MAX);
    if (e->kind == 0)
        diag_warn(r->diag, ptx_lexer_span(&r->lex), "directive '%.*s' is not known; stepped over",
                  (int)t.length, t.text);
    e->kind = PTX_NAME_DIRECTIVE;
    ptx_lexer_next(&r->lex);
    if (!on_new_line(&r->lex))
        ptx_reader_skip_unknown(r);
}

void ptx_reader_open_scope(PtxReader *r)
{
    VEC_PUSH(r->arena, &r->parents, r->scope);
    r->scope = (uint32_t)r->parents.count - 1;
    r->depth++;
}

void ptx_reader_close_scope(PtxReader *r)
{
    r->scope = r->parents.at[r->scope];
    r->depth--;
}

/* The register of a range, numbered at its first use. */
static PtxMapEntry *find_in_range(PtxReader *r, uint32_t scope, const char *text, size_t length)
{
    size_t prefix = length;
    while (prefix > 0 && text[prefix - 1] >= '0' && text[prefix - 1] <= '9')
        prefix--;
    if (prefix == length || length - prefix > 9)
        return NULL;
    const PtxMapEntry *e = ptx_map_find(&r->names, text, prefix, scope);
    if (!e || e->kind != PTX_NAME_RANGE)
        return NULL;
    const PtxRange *range = e->pointer;
    uint64_t number = 0;
    for (size_t i = prefix; i < length; i++)
        number = number * 10 + (uint64_t)(text[i] - '0');
    if (number >= range->count)
        return NULL;
    PtxMapEntry *fresh = ptx_map_add(&r->names, text, length, scope);
    fresh->kind = PTX_NAME_REGISTER;
    fresh->value = (int)r->function->registers.count;
    const PtxRegister reg = {ptx_reader_unique(r, text, length), range->type, range->vector};
    VEC_PUSH(r->arena, &r->function->registers, reg);
    return fresh;
}

PtxMapEntry *ptx_reader_find(PtxReader *r, uint32_t scope, const char *text, size_t length)
{
    for (;; scope = r->parents.at[scope]) {
        PtxMapEntry *e = ptx_map_find(&r->names, text, length, scope);
        if (!e && r->function && scope != 0)
            e = find_in_range(r, scope, text, length);
        if (e || scope == 0)
            return e;
    }
}

const char *ptx_reader_unique(PtxReader *r, const char *text, size_t length)
{
    PtxMapEntry *e = ptx_map_add(&r->taken, text, length, r->function_scope);
    e->kind = 1;
    if (e->value++ == 0)
        return arena_copy(r->arena, text, length);
    for (;;) {
        e = ptx_map_find(&r->taken, text, length, r->function_scope);
        const char *name = arena_printf(r->arena, "%.*s_%d", (int)length, text, e->value++);
        PtxMapEntry *fresh = ptx_map_add(&r->taken, name, strlen(name), r->function_scope);
        if (fresh->kind == 0) {
            fresh->kind = 1;
            fresh->value = 1;
            return name;
        }
    }
}

bool ptx_reader_integer(PtxReader *r, uint64_t *value)
{
    if (r->lex.token.kind != PTX_TOKEN_INTEGER)
        return ptx_reader_expected(r, "a number");
    *value = r->lex.token.value;
    ptx_lexer_next(&r->lex);
    return true;
}

/* Steps over "( … )". */
static void skip_brackets(PtxReader *r)
{
    while (r->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_is(&r->lex, ';') &&
           !ptx_lexer_take(&r->lex, ')'))
        ptx_lexer_next(&r->lex);
}

static bool read_align(PtxReader *r, PtxVariable *v)
{
    uint64_t n = 0;
    ptx_lexer_next(&r->lex);
    if (!ptx_reader_integer(r, &n))
        return false;
    if (n == 0 || n > 65536 || (n & (n - 1)))
        return diag_error(r->diag, v->at, "alignment %llu is not a power of two up to 65536",
                          (unsigned long long)n);
    if (v->is_pointer)
        v->pointer_align = (uint32_t)n;
    else
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
    else if (t.length > 3 && memcmp(t.text + t.length - 3, "ref", 3) == 0)
        v->opaque = arena_copy(r->arena, t.text, t.length);
    else if (v->is_pointer)
        (void)ptx_words_space(&r->words, t.text + 1, t.length - 1, &v->pointer_space);
    if (ptx_lexer_is(&r->lex, '('))
        skip_brackets(r);
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
            if (!ptx_reader_integer(r, &n))
                return false;
            text = arena_printf(r->arena, "%s[%llu]", text, (unsigned long long)n);
        }
        if (!ptx_reader_expect(r, ']', "after the size of an array"))
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

void ptx_reader_copy_token(PtxReader *r, Buf *b)
{
    const PtxToken *t = &r->lex.token;
    const bool tight =
        b->size == 0 || b->text[b->size - 1] == '{' || t->sign == ',' || t->sign == '}';
    if (!tight)
        buf_putc(b, ' ');
    if (t->kind == PTX_TOKEN_STRING)
        buf_putc(b, '"');
    buf_add(b, t->text, t->length);
    if (t->kind == PTX_TOKEN_STRING)
        buf_putc(b, '"');
    ptx_lexer_next(&r->lex);
}

/* initial = what stands before the next "," or ";" outside braces */
static const char *read_initial(PtxReader *r)
{
    Buf b = {0};
    int depth = 0;
    while (r->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_is(&r->lex, ';')) {
        if (depth == 0 && ptx_lexer_is(&r->lex, ','))
            break;
        depth += ptx_lexer_is(&r->lex, '{') - ptx_lexer_is(&r->lex, '}');
        ptx_reader_copy_token(r, &b);
    }
    const char *text = arena_copy(r->arena, buf_text(&b), b.size);
    buf_free(&b);
    return text;
}

static void declare_variable(PtxReader *r, PtxVariable *v, const char *text, size_t length)
{
    PtxMapEntry *e = ptx_map_add(&r->names, text, length, r->scope);
    if (e->kind != 0 && r->function)
        diag_error(r->diag, v->at, "'%.*s' is declared twice in its scope", (int)length, text);
    e->kind = PTX_NAME_VARIABLE;
    e->pointer = v;
    v->name = r->function ? ptx_reader_unique(r, text, length) : arena_copy(r->arena, text, length);
    v->function = r->function;
}

static bool read_declarator(PtxReader *r, PtxVariable *v)
{
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return ptx_reader_expected(r, "the name of a variable");
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
    if (ptx_lexer_take(&r->lex, '='))
        v->initial = read_initial(r);
    declare_variable(r, v, name.text, name.length);
    return true;
}

bool ptx_reader_variables(PtxReader *r, PtxSpace space, const char *linkage, bool one,
                          PtxVariables *list)
{
    PtxVariable base = {.space = space, .linkage = linkage, .vector = 1};
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

/* parameters = "(" [ (".param" | ".reg") variable { "," … } ] ")" */
static bool read_parameters(PtxReader *r, PtxVariables *list, bool result)
{
    if (!ptx_lexer_take(&r->lex, '('))
        return true;
    while (!ptx_lexer_is(&r->lex, ')')) {
        if (!ptx_lexer_take_word(&r->lex, ".param") && !ptx_lexer_take_word(&r->lex, ".reg"))
            return ptx_reader_expected(r, "'.param' or ')'");
        if (!ptx_reader_variables(r, PTX_PARAM, "", true, list))
            return false;
        PtxVariable *v = list->at[list->count - 1];
        v->is_parameter = !result;
        v->is_result = result;
        if (!ptx_lexer_take(&r->lex, ','))
            break;
    }
    return ptx_reader_expect(r, ')', "after the parameters");
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
    PtxMapEntry *e = ptx_map_add(&r->names, name->text, name->length, 0);
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
        return ptx_reader_expected(r, "'{' or ';'");
    f->has_body = true;
    ptx_reader_body(r);
    return true;
}

/* function = linkage ( ".entry" | ".func" attributes [ parameters ] ) rest */
static bool read_function(PtxReader *r, const char *linkage, bool is_entry)
{
    PtxFunction waiting = {0}; /* results and attributes come before the name */
    ptx_reader_open_scope(r);
    r->function = &waiting;
    r->function_scope = r->scope;
    read_attributes(r, &waiting);
    if (!read_parameters(r, &waiting.results, true))
        return false;
    if (r->lex.token.kind != PTX_TOKEN_WORD)
        return ptx_reader_expected(r, "the name of a function");
    const PtxToken name = r->lex.token;
    const Span at = ptx_lexer_span(&r->lex);
    PtxFunction *f = enter_function(r, &name, at);
    f->results = waiting.results;
    lay_out(&f->results);
    for (size_t i = 0; i < f->results.count; i++)
        f->results.at[i]->function = f;
    f->linkage = linkage;
    f->is_entry = is_entry;
    f->at = at;
    r->function = f;
    ptx_lexer_next(&r->lex);
    return read_signature(r, f);
}

static void leave_function(PtxReader *r)
{
    while (r->depth > 0)
        ptx_reader_close_scope(r);
    r->function = NULL;
}

/* .section NAME "{" … "}": debug information, not needed */
static void skip_section(PtxReader *r)
{
    while (r->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_is(&r->lex, '{'))
        ptx_lexer_next(&r->lex);
    while (r->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_take(&r->lex, '}'))
        ptx_lexer_next(&r->lex);
}

/* .file number "name" [ "," size "," time ] */
static bool read_file(PtxReader *r)
{
    uint64_t number = 0;
    if (!ptx_reader_integer(r, &number))
        return false;
    if (r->lex.token.kind != PTX_TOKEN_STRING)
        return ptx_reader_expected(r, "a file name");
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
            return ptx_reader_expected(r, "a target");
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
        return ptx_reader_expected(r, "a version");
    r->module->version = arena_copy(r->arena, r->lex.token.text, r->lex.token.length);
    ptx_lexer_next(&r->lex);
    return true;
}

static bool read_address_size(PtxReader *r)
{
    uint64_t bits = 0;
    if (!ptx_reader_integer(r, &bits))
        return false;
    if (bits != 32 && bits != 64)
        return diag_fail(r->diag, "address size %llu is neither 32 nor 64",
                         (unsigned long long)bits);
    r->module->address_bits = (int)bits;
    return true;
}

static const char *read_linkage(PtxReader *r)
{
    static const char *const linkages[] = {".visible", ".extern", ".weak", ".common"};
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
        if (ptx_lexer_take_word(&r->lex, linkages[i]))
            return linkages[i];
    return "";
}

static bool read_module_variables(PtxReader *r, PtxSpace space, const char *linkage)
{
    ptx_lexer_next(&r->lex);
    return ptx_reader_variables(r, space, linkage, false, &r->module->variables) &&
           ptx_reader_expect(r, ';', "after a declaration");
}

/* directive = ".version" v | ".target" t | ".address_size" n | file | section | ".pragma" s ";"
 *           | function | linkage space variables ";" */
static bool read_directive(PtxReader *r)
{
    PtxSpace space = PTX_GENERIC;
    const char *linkage = read_linkage(r);
    const PtxToken t = r->lex.token;
    if (ptx_lexer_take_word(&r->lex, ".entry"))
        return read_function(r, linkage, true);
    if (ptx_lexer_take_word(&r->lex, ".func"))
        return read_function(r, linkage, false);
    if (t.kind == PTX_TOKEN_WORD && t.text[0] == '.' &&
        ptx_words_space(&r->words, t.text + 1, t.length - 1, &space))
        return read_module_variables(r, space, linkage);
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
        return ptx_reader_expected(r, "a directive");
    ptx_reader_unknown_directive(r);
    return true;
}

PtxModule *ptx_parse(Arena *a, const Source *s, Diag *d)
{
    PtxReader r = {.arena = a, .diag = d, .lex = ptx_lexer_new(s), .words = ptx_words_new(a)};
    r.names.arena = a;
    r.taken.arena = a;
    VEC_PUSH(a, &r.parents, 0);
    r.module = ARENA_NEW(a, PtxModule);
    *r.module = (PtxModule){.source = s, .version = "", .target = "", .address_bits = 64};
    while (r.lex.token.kind != PTX_TOKEN_END) {
        if (!read_directive(&r))
            ptx_reader_skip(&r);
        leave_function(&r);
        while (ptx_lexer_take(&r.lex, '}') || ptx_lexer_take(&r.lex, '{'))
            continue;
    }
    return r.module;
}

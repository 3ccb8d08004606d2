#include "metrics/ptx/ptx_parser.h"

/* --- tokens ---------------------------------------------------------------------------------- */

bool ptx_expected(PtxParser *p, const char *what)
{
    const PtxToken *t = &p->lex.token;
    if (t->kind == PTX_TOKEN_END)
        return diag_error(p->diag, ptx_lexer_span(&p->lex), "expected %s before the end", what);
    return diag_error(p->diag, ptx_lexer_span(&p->lex), "expected %s, found '%.*s'", what,
                      (int)(t->length < 40 ? t->length : 40), t->text);
}

bool ptx_expect(PtxParser *p, char sign, const char *where)
{
    if (ptx_lexer_take(&p->lex, sign))
        return true;
    return ptx_expected(p, arena_printf(p->arena, "'%c' %s", sign, where));
}

bool ptx_take_name(PtxParser *p, const char *what, PtxToken *name)
{
    if (p->lex.token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, what);
    *name = p->lex.token;
    ptx_lexer_next(&p->lex);
    return true;
}

bool ptx_take_integer(PtxParser *p, uint64_t *value)
{
    if (p->lex.token.kind != PTX_TOKEN_INTEGER)
        return ptx_expected(p, "a number");
    *value = p->lex.token.value;
    ptx_lexer_next(&p->lex);
    return true;
}

bool ptx_at_directive(const PtxParser *p)
{
    return p->lex.token.kind == PTX_TOKEN_WORD && p->lex.token.text[0] == '.';
}

bool ptx_take_space(PtxParser *p, PtxSpace *space)
{
    const PtxToken t = p->lex.token;
    if (!ptx_at_directive(p) || !ptx_words_space(&p->words, t.text + 1, t.length - 1, space))
        return false;
    ptx_lexer_next(&p->lex);
    return true;
}

void ptx_skip_to(PtxParser *p, const char *signs)
{
    while (p->lex.token.kind != PTX_TOKEN_END &&
           !(p->lex.token.sign && strchr(signs, p->lex.token.sign)))
        ptx_lexer_next(&p->lex);
}

void ptx_skip_statement(PtxParser *p)
{
    ptx_skip_to(p, ";}");
    ptx_lexer_take(&p->lex, ';');
}

static bool on_new_line(const PtxLexer *l)
{
    return memchr(l->last, '\n', (size_t)(l->token.text - l->last)) != NULL;
}

void ptx_skip_directive(PtxParser *p)
{
    const PtxToken t = p->lex.token;
    MapEntry *e = map_add(&p->names, t.text, t.length, UINT32_MAX);
    if (e->kind == 0)
        diag_warn(p->diag, ptx_lexer_span(&p->lex), "unknown directive '%.*s'; skipped",
                  (int)t.length, t.text);
    e->kind = PTX_NAME_DIRECTIVE;
    ptx_lexer_next(&p->lex);
    while (p->lex.token.kind != PTX_TOKEN_END && !on_new_line(&p->lex) &&
           !ptx_lexer_is(&p->lex, '{') && !ptx_lexer_is(&p->lex, '}')) {
        if (ptx_lexer_take(&p->lex, ';'))
            return;
        ptx_lexer_next(&p->lex);
    }
}

/* --- scopes and names ------------------------------------------------------------------------ */

void ptx_enter_scope(PtxParser *p)
{
    VEC_PUSH(p->arena, &p->parents, p->scope);
    p->scope = (uint32_t)p->parents.count - 1;
    p->depth++;
}

void ptx_leave_scope(PtxParser *p)
{
    p->scope = p->parents.at[p->scope];
    p->depth--;
}

MapEntry *ptx_declare(PtxParser *p, const PtxToken *name, int kind)
{
    MapEntry *e = map_add(&p->names, name->text, name->length, p->scope);
    if (e->kind != 0 && p->function) {
        diag_error(p->diag, ptx_token_span(&p->lex, name), "'%.*s' is declared twice in its scope",
                   (int)name->length, name->text);
        return NULL;
    }
    e->kind = kind;
    return e;
}

/* --- variables ------------------------------------------------------------------------------- */

/* Larger than any address space; keeps sums of sizes from overflowing. */
static const uint64_t largest_variable = UINT64_C(1) << 40;

static bool read_align(PtxParser *p, PtxVariable *v)
{
    uint64_t n = 0;
    ptx_lexer_next(&p->lex);
    const Span at = ptx_lexer_span(&p->lex);
    if (!ptx_take_integer(p, &n))
        return false;
    if (n == 0 || n > 65536 || (n & (n - 1)))
        return diag_error(p->diag, at, "alignment %llu is not a power of two up to 65536",
                          (unsigned long long)n);
    if (!v->is_pointer) /* alignment of the target is not used */
        v->align = (uint32_t)n;
    return true;
}

/* attribute = type | ".v2" | ".v4" | ".align" n | ".ptr" [ space ] | ".attribute" "(" … ")" | other */
static bool read_attribute(PtxParser *p, PtxVariable *v)
{
    const PtxToken t = p->lex.token;
    const PtxType type = ptx_words_type(&p->words, t.text + 1, t.length - 1);
    if (ptx_lexer_is_word(&p->lex, ".align"))
        return read_align(p, v);
    ptx_lexer_next(&p->lex);
    if (type != PTX_NO_TYPE)
        v->type = type;
    else if (t.length == 4 && memcmp(t.text, ".ptr", 4) == 0)
        v->is_pointer = true;
    else if (t.length == 3 && t.text[1] == 'v' && (t.text[2] == '2' || t.text[2] == '4'))
        v->vector = t.text[2] - '0';
    if (ptx_lexer_is(&p->lex, '(')) {
        ptx_skip_to(p, ";)");
        ptx_lexer_take(&p->lex, ')');
    }
    return true;
}

static bool read_dimensions(PtxParser *p, PtxVariable *v)
{
    const char *text = "";
    while (ptx_lexer_take(&p->lex, '[')) {
        uint64_t n = 0;
        if (ptx_lexer_is(&p->lex, ']')) {
            text = arena_printf(p->arena, "%s[]", text);
        } else {
            if (!ptx_take_integer(p, &n))
                return false;
            text = arena_printf(p->arena, "%s[%llu]", text, (unsigned long long)n);
        }
        if (!ptx_expect(p, ']', "after the size of an array"))
            return false;
        if (v->size && n > largest_variable / v->size)
            return diag_error(p->diag, v->at, "the array is too large");
        v->size *= n;
        if (strlen(text) > 200)
            return diag_error(p->diag, v->at, "too many dimensions");
    }
    v->dimensions = text;
    return true;
}

/* initial = everything before the next "," or ";" outside braces */
static void skip_initial(PtxParser *p)
{
    int depth = 0;
    while (p->lex.token.kind != PTX_TOKEN_END && !ptx_lexer_is(&p->lex, ';')) {
        if (depth == 0 && ptx_lexer_is(&p->lex, ','))
            break;
        depth += ptx_lexer_is(&p->lex, '{') - ptx_lexer_is(&p->lex, '}');
        ptx_lexer_next(&p->lex);
    }
}

static bool read_declarator(PtxParser *p, PtxVariable *v)
{
    PtxToken name;
    if (!ptx_take_name(p, "the name of a variable", &name))
        return false;
    v->at = ptx_token_span(&p->lex, &name);
    const uint64_t bytes = (uint64_t)(ptx_types[v->type].bits + 7) / 8 * (unsigned)v->vector;
    v->size = bytes ? bytes : 8; /* .texref and the like are handles */
    if (v->align < v->size && v->size <= 16)
        v->align = (uint32_t)(v->align ? v->align : v->size);
    if (v->align == 0)
        v->align = 16;
    if (!read_dimensions(p, v))
        return false;
    if (ptx_lexer_take(&p->lex, '=')) {
        v->initial = p->lex.token.text;
        skip_initial(p);
    }
    MapEntry *e = ptx_declare(p, &name, PTX_NAME_VARIABLE);
    if (e)
        e->pointer = v;
    v->name = arena_copy(p->arena, name.text, name.length);
    v->function = p->function;
    return true;
}

/* variables = { attribute } name { "[" [ size ] "]" } [ "=" initial ] { "," name … }
 * Follows the space; appends to `list`.  Stops before ";" or, for a parameter (`one`), after one. */
static bool read_variables(PtxParser *p, PtxSpace space, bool one, PtxVariables *list)
{
    PtxVariable base = {.space = space, .vector = 1};
    while (ptx_at_directive(p))
        if (!read_attribute(p, &base))
            return false;
    do {
        PtxVariable *v = ARENA_NEW(p->arena, PtxVariable);
        *v = base;
        v->index = (int)list->count;
        if (!read_declarator(p, v))
            return false;
        VEC_PUSH(p->arena, list, v);
    } while (!one && ptx_lexer_take(&p->lex, ','));
    return true;
}

bool ptx_read_declaration(PtxParser *p, PtxSpace space, PtxVariables *list)
{
    return read_variables(p, space, false, list) && ptx_expect(p, ';', "after a declaration");
}

/* --- functions and the module ---------------------------------------------------------------- */

/* parameters = "(" [ (".param" | ".reg") variable { "," … } ] ")" */
static bool read_parameters(PtxParser *p, PtxVariables *list, bool result)
{
    if (!ptx_lexer_take(&p->lex, '('))
        return true;
    while (!ptx_lexer_is(&p->lex, ')')) {
        if (!ptx_lexer_take_word(&p->lex, ".param") && !ptx_lexer_take_word(&p->lex, ".reg"))
            return ptx_expected(p, "'.param' or ')'");
        if (!read_variables(p, PTX_PARAM, true, list))
            return false;
        PtxVariable *v = list->at[list->count - 1];
        v->is_parameter = !result;
        v->is_result = result;
        if (!ptx_lexer_take(&p->lex, ','))
            break;
    }
    return ptx_expect(p, ')', "after the parameters");
}

/* Lays out parameters consecutively, aligned; returns the size. */
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
static void read_attributes(PtxParser *p, PtxFunction *f)
{
    while (ptx_at_directive(p)) {
        PtxAttribute x = {.name = arena_copy(p->arena, p->lex.token.text, p->lex.token.length)};
        ptx_lexer_next(&p->lex);
        while (p->lex.token.kind == PTX_TOKEN_INTEGER) {
            if (x.count < 3)
                x.values[x.count++] = (int64_t)p->lex.token.value;
            ptx_lexer_next(&p->lex);
            if (!ptx_lexer_take(&p->lex, ','))
                break;
        }
        if (p->lex.token.kind == PTX_TOKEN_STRING)
            ptx_lexer_next(&p->lex);
        VEC_PUSH(p->arena, &f->attributes, x);
    }
}

/* The object for a name: the one declared before, unless it has a body. */
static PtxFunction *enter_function(PtxParser *p, const PtxToken *name, Span at)
{
    MapEntry *e = map_add(&p->names, name->text, name->length, 0);
    PtxFunction *old = e->kind == PTX_NAME_FUNCTION ? e->pointer : NULL;
    if (old && !old->has_body)
        return old;
    if (old)
        diag_error(p->diag, at, "function '%s' is defined twice", old->name);
    PtxFunction *f = ARENA_NEW(p->arena, PtxFunction);
    f->name = arena_copy(p->arena, name->text, name->length);
    f->module = p->module;
    VEC_PUSH(p->arena, &p->module->functions, f);
    e->kind = PTX_NAME_FUNCTION;
    e->pointer = f;
    return f;
}

/* rest = name [ parameters ] attributes ( ";" | body ) */
static bool read_signature(PtxParser *p, PtxFunction *f)
{
    PtxVariables params = {0};
    if (!read_parameters(p, &params, false))
        return false;
    f->params = params;
    f->param_size = lay_out(&f->params);
    f->attributes.count = 0;
    read_attributes(p, f);
    if (ptx_lexer_take(&p->lex, ';'))
        return true;
    if (!ptx_lexer_take(&p->lex, '{'))
        return ptx_expected(p, "'{' or ';'");
    f->has_body = true;
    ptx_read_body(p);
    return true;
}

/* function = linkage ( ".entry" | ".func" attributes [ parameters ] ) rest */
static bool read_function(PtxParser *p, bool is_entry)
{
    PtxFunction waiting = {0}; /* results and attributes precede the name */
    ptx_enter_scope(p);
    p->function = &waiting;
    read_attributes(p, &waiting);
    if (!read_parameters(p, &waiting.results, true))
        return false;
    PtxToken name;
    if (!ptx_take_name(p, "the name of a function", &name))
        return false;
    PtxFunction *f = enter_function(p, &name, ptx_token_span(&p->lex, &name));
    f->results = waiting.results;
    lay_out(&f->results);
    for (size_t i = 0; i < f->results.count; i++)
        f->results.at[i]->function = f;
    f->is_entry = is_entry;
    p->function = f;
    return read_signature(p, f);
}

/* .file number "name" [ "," size "," time ] */
static bool read_file(PtxParser *p)
{
    uint64_t number = 0;
    if (!ptx_take_integer(p, &number))
        return false;
    if (p->lex.token.kind != PTX_TOKEN_STRING)
        return ptx_expected(p, "a file name");
    const PtxFile file = {(uint32_t)number,
                          arena_copy(p->arena, p->lex.token.text, p->lex.token.length)};
    VEC_PUSH(p->arena, &p->module->files, file);
    ptx_lexer_next(&p->lex);
    while (ptx_lexer_take(&p->lex, ','))
        ptx_lexer_next(&p->lex);
    return true;
}

/* .target word { "," word } */
static bool read_target(PtxParser *p)
{
    const char *text = NULL;
    do {
        PtxToken name = {0};
        if (!ptx_take_name(p, "a target", &name))
            return false;
        text = arena_printf(p->arena, "%s%s%.*s", text ? text : "", text ? ", " : "",
                            (int)name.length, name.text);
    } while (strlen(text) < 200 && ptx_lexer_take(&p->lex, ','));
    p->module->target = text;
    return true;
}

static bool read_version(PtxParser *p)
{
    if (p->lex.token.kind != PTX_TOKEN_FLOAT64 && p->lex.token.kind != PTX_TOKEN_INTEGER)
        return ptx_expected(p, "a version");
    p->module->version = arena_copy(p->arena, p->lex.token.text, p->lex.token.length);
    ptx_lexer_next(&p->lex);
    return true;
}

static bool read_address_size(PtxParser *p)
{
    uint64_t bits = 0;
    if (!ptx_take_integer(p, &bits))
        return false;
    if (bits != 32 && bits != 64)
        return diag_fail(p->diag, "address size %llu is neither 32 nor 64",
                         (unsigned long long)bits);
    return true;
}

static void skip_linkage(PtxParser *p)
{
    static const char *const linkages[] = {".visible", ".extern", ".weak", ".common"};
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
        if (ptx_lexer_take_word(&p->lex, linkages[i]))
            return;
}

/* directive = ".version" v | ".target" t | ".address_size" n | file | section | ".pragma" s ";"
 *           | function | linkage space variables ";" */
static bool read_directive(PtxParser *p)
{
    PtxSpace space = PTX_GENERIC;
    skip_linkage(p);
    if (ptx_lexer_take_word(&p->lex, ".entry"))
        return read_function(p, true);
    if (ptx_lexer_take_word(&p->lex, ".func"))
        return read_function(p, false);
    if (ptx_take_space(p, &space))
        return ptx_read_declaration(p, space, &p->module->variables);
    if (ptx_lexer_take_word(&p->lex, ".version"))
        return read_version(p);
    if (ptx_lexer_take_word(&p->lex, ".target"))
        return read_target(p);
    if (ptx_lexer_take_word(&p->lex, ".address_size"))
        return read_address_size(p);
    if (ptx_lexer_take_word(&p->lex, ".file"))
        return read_file(p);
    if (ptx_lexer_take_word(&p->lex, ".section")) { /* debug information: NAME "{" … "}" */
        ptx_skip_to(p, "{");
        ptx_skip_to(p, "}");
        ptx_lexer_take(&p->lex, '}');
        return true;
    }
    if (!ptx_at_directive(p))
        return ptx_expected(p, "a directive");
    ptx_skip_directive(p);
    return true;
}

PtxModule *ptx_parse(Arena *a, const Source *s, Diag *d)
{
    PtxParser p = {.arena = a, .diag = d, .lex = ptx_lexer_new(s), .words = ptx_words_new(a)};
    p.names.arena = a;
    VEC_PUSH(a, &p.parents, 0);
    p.module = ARENA_NEW(a, PtxModule);
    *p.module = (PtxModule){.version = "", .target = ""};
    while (p.lex.token.kind != PTX_TOKEN_END) {
        if (!read_directive(&p))
            ptx_skip_statement(&p);
        while (p.depth > 0)
            ptx_leave_scope(&p);
        p.function = NULL;
        while (ptx_lexer_take(&p.lex, '}') || ptx_lexer_take(&p.lex, '{'))
            continue;
    }
    return p.module;
}

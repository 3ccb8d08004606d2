#include "metrics/ptx/ptx_parser.h"

/* parameters = "(" [ (".param" | ".reg") variable { "," … } ] ")" */
static bool read_parameters(PtxParser *p, PtxVariables *list, bool result)
{
    if (!ptx_lexer_take(&p->lex, '('))
        return true;
    while (!ptx_lexer_is(&p->lex, ')')) {
        if (!ptx_lexer_take_word(&p->lex, ".param") && !ptx_lexer_take_word(&p->lex, ".reg"))
            return ptx_expected(p, "'.param' or ')'");
        if (!ptx_read_variables(p, PTX_PARAM, true, list))
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
        PtxToken name;
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

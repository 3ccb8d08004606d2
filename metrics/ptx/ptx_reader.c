#include "metrics/ptx/ptx_reader.h"

#include <ctype.h>
#include <stdlib.h>

/* --- tokens ------------------------------------------------------------------------------------------ */

/* Control characters too: no name or message should carry them. */
static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static bool starts_word(char c)
{
    return isalpha((unsigned char)c) || c == '%' || c == '.' || c == '_' || c == '$';
}

static bool in_word(char c)
{
    return starts_word(c) || isdigit((unsigned char)c);
}

/* blank = white space | either kind of comment */
static void skip_blanks(PtxLexer *l)
{
    while (l->at < l->end) {
        if (is_blank(*l->at)) {
            l->at++;
        } else if (l->end - l->at > 1 && l->at[0] == '/' && l->at[1] == '/') {
            const char *line = memchr(l->at, '\n', (size_t)(l->end - l->at));
            l->at = line ? line : l->end;
        } else if (l->end - l->at > 1 && l->at[0] == '/' && l->at[1] == '*') {
            const char *close = memmem(l->at + 2, (size_t)(l->end - l->at - 2), "*/", 2);
            l->at = close ? close + 2 : l->end;
        } else {
            return;
        }
    }
}

static const char *end_of_word(const char *p, const char *end)
{
    while (p < end) {
        if (in_word(*p))
            p++;
        else if (end - p > 2 && p[0] == ':' && p[1] == ':' && in_word(p[2]))
            p += 2;
        else
            break;
    }
    return p;
}

/* integer | float; PTX reads a decimal with a point or an exponent as a double. */
static void lex_number(PtxLexer *l)
{
    const char kind = l->at[0] == '0' ? (char)(l->at[1] | 0x20) : 0;
    const bool prefixed = kind && strchr("fdxb", kind);
    const char *behind = l->at + strspn(l->at, "0123456789");
    char *end = NULL;
    if (!prefixed && *behind && strchr(".eE", *behind)) {
        const double real = strtod(l->at, &end);
        l->token.kind = PTX_TOKEN_FLOAT64;
        memcpy(&l->token.value, &real, sizeof real);
    } else {
        l->token.kind = kind == 'f'   ? PTX_TOKEN_FLOAT32
                        : kind == 'd' ? PTX_TOKEN_FLOAT64
                                      : PTX_TOKEN_INTEGER;
        l->token.value = strtoull(prefixed ? l->at + 2 : l->at, &end,
                                  !prefixed     ? 0
                                  : kind == 'b' ? 2
                                                : 16);
    }
    if (kind == 'f')
        l->token.value &= UINT32_MAX;
    if (*end == 'U')
        end++;
    l->at = end > l->at ? end : l->at + 1;
}

static void lex_string(PtxLexer *l)
{
    const char *start = l->at + 1;
    const char *close = memchr(start, '"', (size_t)(l->end - start));
    l->token.kind = PTX_TOKEN_STRING;
    l->token.text = start;
    l->at = close ? close + 1 : l->end;
    l->token.length = strnlen(start, (size_t)((close ? close : l->end) - start));
}

void ptx_lexer_next(PtxLexer *l)
{
    l->last = l->at;
    skip_blanks(l);
    l->token = (PtxToken){.text = l->at};
    if (l->at >= l->end)
        return;
    if (*l->at == '"') {
        lex_string(l);
        return;
    }
    if (isdigit((unsigned char)*l->at)) {
        lex_number(l);
    } else if (starts_word(*l->at)) {
        l->token.kind = PTX_TOKEN_WORD;
        l->at = end_of_word(l->at + 1, l->end);
    } else {
        l->token.kind = PTX_TOKEN_SIGN;
        l->token.sign = *l->at++;
    }
    l->token.length = (size_t)(l->at - l->token.text);
}

PtxLexer ptx_lexer_new(const Source *s)
{
    PtxLexer l = {.source = s, .at = s->text, .end = s->text + s->size, .last = s->text};
    ptx_lexer_next(&l);
    return l;
}

bool ptx_lexer_is_word(const PtxLexer *l, const char *word)
{
    const size_t length = strlen(word);
    return l->token.kind == PTX_TOKEN_WORD && l->token.length == length &&
           memcmp(l->token.text, word, length) == 0;
}

bool ptx_lexer_take(PtxLexer *l, char sign)
{
    if (!ptx_lexer_is(l, sign))
        return false;
    ptx_lexer_next(l);
    return true;
}

bool ptx_lexer_take_word(PtxLexer *l, const char *word)
{
    if (!ptx_lexer_is_word(l, word))
        return false;
    ptx_lexer_next(l);
    return true;
}

Span ptx_lexer_span(const PtxLexer *l)
{
    return ptx_token_span(l, &l->token);
}

Span ptx_token_span(const PtxLexer *l, const PtxToken *t)
{
    return (Span){l->source, (size_t)(t->text - l->source->text), t->length};
}

/* --- names and variables ----------------------------------------------------------------------------- */

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

void ptx_reader_skip_to(PtxReader *r, const char *signs)
{
    while (r->lex.token.kind != PTX_TOKEN_END &&
           !(r->lex.token.sign && strchr(signs, r->lex.token.sign)))
        ptx_lexer_next(&r->lex);
}

void ptx_reader_skip(PtxReader *r)
{
    ptx_reader_skip_to(r, ";}");
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

void ptx_reader_unknown_directive(PtxReader *r)
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

MapEntry *ptx_reader_find(PtxReader *r, uint32_t scope, const char *text, size_t length)
{
    for (;; scope = r->parents.at[scope]) {
        MapEntry *e = map_find(&r->names, text, length, scope);
        if (!e && r->function && scope != 0)
            e = find_in_range(r, scope, text, length);
        if (e || scope == 0)
            return e;
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

static bool read_align(PtxReader *r, PtxVariable *v)
{
    uint64_t n = 0;
    ptx_lexer_next(&r->lex);
    if (!ptx_reader_integer(r, &n))
        return false;
    if (n == 0 || n > 65536 || (n & (n - 1)))
        return diag_error(r->diag, v->at, "alignment %llu is not a power of two up to 65536",
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
        ptx_reader_skip_to(r, ";)");
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

MapEntry *ptx_reader_declare(PtxReader *r, const PtxToken *name, int kind)
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
    if (ptx_lexer_take(&r->lex, '=')) {
        v->initial = r->lex.token.text;
        skip_initial(r);
    }
    MapEntry *e = ptx_reader_declare(r, &name, PTX_NAME_VARIABLE);
    if (e)
        e->pointer = v;
    v->name = arena_copy(r->arena, name.text, name.length);
    v->function = r->function;
    return true;
}

bool ptx_reader_variables(PtxReader *r, PtxSpace space, bool one, PtxVariables *list)
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

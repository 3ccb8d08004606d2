#include "metrics/ptx/ptx_lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool starts_word(char c)
{
    return isalpha((unsigned char)c) || c == '%' || c == '.' || c == '_' || c == '$';
}

static bool in_word(char c)
{
    return starts_word(c) || isdigit((unsigned char)c);
}

static void skip_blanks(PtxLexer *l)
{
    while (l->at < l->end) {
        if ((unsigned char)*l->at <= ' ') {
            l->at++; /* control characters too: no message may contain them */
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

/* integer | float; PTX treats a decimal with a point or an exponent as a double. */
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

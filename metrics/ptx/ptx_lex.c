#include "metrics/ptx/ptx_lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Control characters too: no name or message should carry them. */
static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static bool starts_word(char c)
{
    const char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || c == '%' || c == '.' || c == '_' || c == '$';
}

static bool in_word(char c)
{
    return starts_word(c) || is_digit(c);
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

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static uint64_t read_digits(const char **p, const char *end, int base)
{
    uint64_t value = 0;
    while (*p < end && digit_value(**p) < base) {
        value = value * (unsigned)base + (unsigned)digit_value(**p);
        (*p)++;
    }
    return value;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* decimal with a point or an exponent; PTX reads it as a double */
static bool lex_decimal_float(PtxLexer *l)
{
    char copy[64];
    size_t n = 0;
    const char *p = l->at;
    bool real = false;
    while (p < l->end && n + 1 < sizeof copy) {
        const bool exponent_sign =
            n > 0 && (p[-1] == 'e' || p[-1] == 'E') && (*p == '-' || *p == '+');
        if (!is_digit(*p) && *p != '.' && *p != 'e' && *p != 'E' && !exponent_sign)
            break;
        real |= *p == '.' || *p == 'e' || *p == 'E';
        copy[n++] = *p++;
    }
    if (!real)
        return false;
    copy[n] = '\0';
    l->token.kind = PTX_TOKEN_FLOAT64;
    l->token.value = double_bits(strtod(copy, NULL));
    l->at = p;
    return true;
}

/* integer | float */
static void lex_number(PtxLexer *l)
{
    const char *p = l->at;
    const char kind = p[0] == '0' && l->end - p > 1 ? (char)(p[1] | 0x20) : 0;
    l->token.kind = PTX_TOKEN_INTEGER;
    if (kind == 'f' || kind == 'd') {
        l->token.kind = kind == 'f' ? PTX_TOKEN_FLOAT32 : PTX_TOKEN_FLOAT64;
        p += 2;
        l->token.value = read_digits(&p, l->end, 16);
        if (kind == 'f')
            l->token.value &= UINT32_MAX;
    } else if (kind == 'x' || kind == 'b') {
        p += 2;
        l->token.value = read_digits(&p, l->end, kind == 'x' ? 16 : 2);
    } else {
        if (lex_decimal_float(l))
            return;
        l->token.value = read_digits(&p, l->end, p[0] == '0' ? 8 : 10);
    }
    if (p < l->end && *p == 'U')
        p++;
    l->at = p > l->at ? p : l->at + 1;
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
    if (is_digit(*l->at)) {
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
    return (Span){l->source, (size_t)(l->token.text - l->source->text), l->token.length};
}

#include "metrics/base/lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char peek(const Lexer *l, size_t ahead)
{
    return l->at + ahead < l->source->size ? l->source->text[l->at + ahead] : '\0';
}

/* True at a ";" that ends the statement. */
static bool at_semicolon(const Lexer *l)
{
    return l->semicolons && l->depth == 0 && peek(l, 0) == ';';
}

/* Blanks, comments, and line ends inside brackets. */
static void skip_blanks(Lexer *l)
{
    for (;;) {
        char c = peek(l, 0);
        /* the end of a line after which the statement continues */
        const bool goes_on =
            c == '\n' && l->depth > 0 &&
            !(l->begins_statement && l->begins_statement(l->source->text + l->at + 1));
        if (c == ' ' || c == '\t' || c == '\r' || goes_on) {
            l->at++;
        } else if (c == '\\' &&
                   (peek(l, 1) == '\n' || (peek(l, 1) == '\r' && peek(l, 2) == '\n'))) {
            l->at += peek(l, 1) == '\n' ? 2 : 3;
        } else if (c == '#') {
            while (l->at < l->source->size && peek(l, 0) != '\n')
                l->at++;
        } else {
            return;
        }
    }
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

static void finish(Lexer *l, TokenKind kind, size_t start)
{
    l->token.kind = kind;
    l->token.at = (Span){l->source, start, l->at - start};
    if (!l->token.text)
        l->token.text = arena_copy(l->arena, l->source->text + start, l->at - start);
}

static void read_number(Lexer *l)
{
    const size_t start = l->at;
    const char *text = l->source->text + start;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    int64_t integer = strtoll(text, &end, hex ? 16 : 10);
    const bool fits = errno != ERANGE;
    const size_t sign = *end && (end[1] == '-' || end[1] == '+');
    const bool real =
        !hex && ((*end == '.' && isdigit((unsigned char)end[1])) ||
                 ((*end == 'e' || *end == 'E') && isdigit((unsigned char)end[1 + sign])));
    l->token.real = real ? strtod(text, &end) : (double)integer;
    l->token.integer = real ? 0 : integer;
    l->at += (size_t)(end - text);
    const bool glued = text_is_word(peek(l, 0));
    while (text_is_word(peek(l, 0)))
        l->at++;
    finish(l, real ? TOKEN_REAL : TOKEN_INT, start);
    if (glued || (real ? isinf(l->token.real) : !fits))
        l->token.kind = TOKEN_BAD;
    if (glued)
        diag_error(l->diag, l->token.at, "'%s' is neither a number nor a name", l->token.text);
    else if (l->token.kind == TOKEN_BAD)
        diag_error(l->diag, l->token.at, real ? "%s is too large" : "%s does not fit into 64 bits",
                   l->token.text);
}

/* Reads one character of a string, resolving escapes; false after a message. */
static bool read_string_character(Lexer *l, Buf *out)
{
    Span at = {l->source, l->at, 1};
    char c = peek(l, 0);
    l->at++;
    if (c == '\\') {
        c = peek(l, 0);
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == '"' || c == '\\' ? c : '\0';
        at.length = 2;
        if (c == '\0')
            return diag_error(l->diag, at, "unknown escape; use \\\" \\\\ \\n or \\t");
        l->at++;
    } else if (is_control(c)) {
        return diag_error(l->diag, at, "unexpected byte 0x%02x in a string", (unsigned char)c);
    }
    buf_putc(out, c);
    return true;
}

static void read_string(Lexer *l)
{
    size_t start = l->at++;
    Buf b = {0};
    bool fine = true;
    while (l->at < l->source->size && peek(l, 0) != '\n' && peek(l, 0) != '"') {
        bool at_end = peek(l, 0) == '\\' && (peek(l, 1) == '\n' || l->at + 1 == l->source->size);
        if (at_end)
            l->at++;
        else
            fine = read_string_character(l, &b) && fine;
    }
    bool closed = peek(l, 0) == '"';
    l->at += closed;
    l->token.text = buf_keep(&b, l->arena);
    finish(l, fine && closed ? TOKEN_STRING : TOKEN_BAD, start);
    if (!closed)
        diag_error(l->diag, l->token.at, "this string has no closing \"");
}

/* Reports a character that no token begins with, and what was probably meant. */
static void report_character(Lexer *l)
{
    static const char *const meant[][2] = {
        {"'", "strings need double quotes"},
        {"\xe2\x80\x9c", "strings need plain double quotes"},
        {"\xe2\x80\x9d", "strings need plain double quotes"},
        {"\xe2\x89\xa4", "write <="},
        {"\xe2\x89\xa5", "write >="},
        {"\xe2\x89\xa0", "write !="},
        {"\xc2\xb7", "write *"},
        {"\xc3\x97", "write *"},
        {"&", "write 'and' or &&"},
        {"|", "write 'or' or ||"},
        {"^", "a power is written **"},
    };
    const char *text = l->token.text;
    for (size_t i = 0; i < COUNT_OF(meant); i++) {
        if (strcmp(text, meant[i][0]) == 0) {
            diag_error(l->diag, l->token.at, "unexpected character %s; %s", text, meant[i][1]);
            return;
        }
    }
    unsigned char c = (unsigned char)text[0];
    if (is_control(text[0]) || (c >= 0x80 && l->token.at.length == 1))
        diag_error(l->diag, l->token.at, "unexpected byte 0x%02x", c);
    else
        diag_error(l->diag, l->token.at, "unexpected character %s", text);
}

static void read_sign(Lexer *l)
{
    static const char *const signs[] = {"**", "//", "<=", ">=", "==", "!=", "&&", "||", "+", "-",
                                        "*",  "/",  "%",  "<",  ">",  "=",  "!",  "(",  ")", "[",
                                        "]",  "{",  "}",  ",",  ":",  "?",  ";",  "@"};
    size_t start = l->at;
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        size_t n = strlen(signs[i]);
        if (strncmp(l->source->text + l->at, signs[i], n) != 0)
            continue;
        l->at += n;
        char c = signs[i][0];
        if (c == '(' || c == '[' || c == '{') {
            if (l->depth < LEXER_BRACKETS)
                l->opened[l->depth] = start;
            l->depth++;
        }
        if ((c == ')' || c == ']' || c == '}') && l->depth > 0)
            l->depth--;
        finish(l, TOKEN_SIGN, start);
        return;
    }
    l->at++;
    while ((peek(l, 0) & 0xc0) == 0x80) /* the rest of a UTF-8 character */
        l->at++;
    finish(l, TOKEN_BAD, start);
    report_character(l);
}

void lexer_next(Lexer *l)
{
    l->last = l->token.at;
    l->token = (Token){0};
    skip_blanks(l);
    size_t start = l->at;
    char c = peek(l, 0);
    bool ends = l->at >= l->source->size || c == '\n';
    if (ends && l->depth > 0 && l->begins_statement) {
        /* The mistake is the bracket, not what follows. */
        int innermost = l->depth < LEXER_BRACKETS ? l->depth : LEXER_BRACKETS;
        Span at = {l->source, l->opened[innermost - 1], 1};
        diag_error(l->diag, at, "this '%c' is never closed", l->source->text[at.offset]);
        l->depth = 0;
        finish(l, TOKEN_BAD, start);
    } else if (l->at >= l->source->size) {
        finish(l, TOKEN_END, start);
    } else if (c == '\n' || at_semicolon(l)) {
        l->at++;
        finish(l, TOKEN_NEWLINE, start);
    } else if (isdigit((unsigned char)c)) {
        read_number(l);
    } else if (text_is_word(c)) {
        while (text_is_word(peek(l, 0)))
            l->at++;
        finish(l, TOKEN_NAME, start);
    } else if (c == '"') {
        read_string(l);
    } else {
        read_sign(l);
    }
}

Lexer lexer_new(Arena *a, const Source *s, Diag *d)
{
    Lexer l = {.arena = a, .diag = d, .source = s};
    if (s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0) /* byte-order mark */
        l.at = 3;
    lexer_next(&l);
    l.last = (Span){s, 0, 0};
    return l;
}

bool lexer_is(const Lexer *l, const char *text)
{
    if (l->token.kind != TOKEN_NAME && l->token.kind != TOKEN_SIGN)
        return false;
    return strcmp(l->token.text, text) == 0;
}

bool lexer_take(Lexer *l, const char *text)
{
    if (!lexer_is(l, text))
        return false;
    lexer_next(l);
    return true;
}

bool lexer_wrong(Lexer *l, const char *expected)
{
    if (l->token.kind != TOKEN_BAD)
        diag_error(l->diag, l->token.at, "expected %s, found %s", expected, lexer_describe(l));
    return false;
}

static bool take_text(Lexer *l, TokenKind kind, const char *what, const char **out)
{
    if (l->token.kind != kind)
        return lexer_wrong(l, what);
    *out = l->token.text;
    lexer_next(l);
    return true;
}

bool lexer_take_name(Lexer *l, const char *what, const char **out)
{
    return take_text(l, TOKEN_NAME, what, out);
}

bool lexer_take_string(Lexer *l, const char *what, const char **out)
{
    return take_text(l, TOKEN_STRING, what, out);
}

bool lexer_take_number(Lexer *l, const char *what, double *out)
{
    if (l->token.kind != TOKEN_INT && l->token.kind != TOKEN_REAL)
        return lexer_wrong(l, what);
    *out = l->token.real;
    lexer_next(l);
    return true;
}

bool lexer_expect(Lexer *l, const char *text, const char *where)
{
    return lexer_take(l, text) || lexer_wrong(l, arena_printf(l->arena, "'%s' %s", text, where));
}

bool lexer_at_end_of_line(const Lexer *l)
{
    return l->token.kind == TOKEN_NEWLINE || l->token.kind == TOKEN_END;
}

bool lexer_end_line(Lexer *l)
{
    bool clean = lexer_at_end_of_line(l);
    if (!clean) {
        lexer_wrong(l, "the end of the line");
        lexer_skip_line(l);
        return false;
    }
    if (l->token.kind == TOKEN_NEWLINE)
        lexer_next(l);
    return true;
}

void lexer_skip_line(Lexer *l)
{
    if (l->begins_statement) { /* to the end of the statement, across lines that its brackets join */
        Diag *diag = l->diag;
        l->diag = DIAG_UNHEARD(l->arena);
        while (!lexer_at_end_of_line(l))
            lexer_next(l);
        l->diag = diag;
    } else { /* to the end of the line: after a mistake, brackets are ignored */
        bool within = !lexer_at_end_of_line(l);
        l->depth = 0;
        if (within) {
            l->at = l->token.at.offset + l->token.at.length;
            while (l->at < l->source->size && peek(l, 0) != '\n' && !at_semicolon(l))
                l->at++;
        }
        if (l->token.kind == TOKEN_NEWLINE)
            l->at = l->token.at.offset;
        lexer_next(l);
    }
    if (l->token.kind == TOKEN_NEWLINE)
        lexer_next(l);
}

const char *lexer_describe(const Lexer *l)
{
    switch (l->token.kind) {
    case TOKEN_END:
        return "the end of the file";
    case TOKEN_NEWLINE:
        return l->token.text[0] == ';' ? "';'" : "the end of the line";
    case TOKEN_STRING:
        return arena_printf(l->arena, "the string \"%s\"", l->token.text);
    default:
        return arena_printf(l->arena, "'%s'", l->token.text);
    }
}

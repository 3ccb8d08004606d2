/* PTX text to tokens.
 *
 *     word    = [.%$_a-zA-Z] { [A-Za-z0-9_$%.] | "::" }    opcodes keep their dots: ld.global.f32
 *     integer = decimal | 0x… | 0b… | 0…  [U]
 *     float   = 0f + 8 hex digits | 0d + 16 hex digits | decimal with a point or an exponent
 *     string  = "…"
 *     sign    = any other character
 *
 * White space and both kinds of comment separate tokens. Internal to metrics/ptx. */
#pragma once

#include "metrics/base/diag.h"

typedef enum PtxTokenKind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,
    PTX_TOKEN_INTEGER, /* value */
    PTX_TOKEN_FLOAT32, /* value: the bits */
    PTX_TOKEN_FLOAT64,
    PTX_TOKEN_STRING, /* text without the quotes */
    PTX_TOKEN_SIGN
} PtxTokenKind;

typedef struct PtxToken {
    PtxTokenKind kind;
    char sign; /* of PTX_TOKEN_SIGN, else 0 */
    const char *text;
    size_t length;
    uint64_t value;
} PtxToken;

typedef struct PtxLexer {
    const Source *source;
    const char *at; /* the next character */
    const char *end;
    const char *last; /* end of the previous token */
    PtxToken token;   /* the current one */
} PtxLexer;

/* Starts at the first token. */
PtxLexer ptx_lexer_new(const Source *s);
void ptx_lexer_next(PtxLexer *l);

/* True if the current token is this sign, this word. */
static inline bool ptx_lexer_is(const PtxLexer *l, char sign)
{
    return l->token.sign == sign;
}
bool ptx_lexer_is_word(const PtxLexer *l, const char *word);

/* The same, and consumes it. */
bool ptx_lexer_take(PtxLexer *l, char sign);
bool ptx_lexer_take_word(PtxLexer *l, const char *word);

/* The place of the current token; of any token. */
Span ptx_lexer_span(const PtxLexer *l);
Span ptx_token_span(const PtxLexer *l, const PtxToken *t);

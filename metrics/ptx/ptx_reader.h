/* What the PTX parser (ptx_parse.c) stands on: tokens, its state, scopes and names, messages, declarations
 * of variables.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_PTX_READER_H
#define APTUNE_PTX_PTX_READER_H

#include "metrics/ptx/ptx_form.h"

/* Characters of PTX to tokens with places.
 *
 *     word    = [.%$_a-zA-Z] { [A-Za-z0-9_$%.] | "::" }    opcodes keep their dots: ld.global.f32
 *     integer = decimal | 0x… | 0b… | 0…  [U]
 *     float   = 0f + 8 hex digits | 0d + 16 hex digits | decimal with a point or an exponent
 *     string  = "…"
 *     sign    = any other character
 *
 * Blanks and both kinds of comment separate tokens. */
typedef enum PtxTokenKind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,
    PTX_TOKEN_INTEGER, /* value */
    PTX_TOKEN_FLOAT32, /* value: the bits */
    PTX_TOKEN_FLOAT64,
    PTX_TOKEN_STRING, /* text without the quotation marks */
    PTX_TOKEN_SIGN
} PtxTokenKind;

typedef struct PtxToken {
    PtxTokenKind kind;
    char sign; /* the character of PTX_TOKEN_SIGN, else 0 */
    const char *text;
    size_t length;
    uint64_t value;
} PtxToken;

typedef struct PtxLexer {
    const Source *source;
    const char *at; /* the next character */
    const char *end;
    const char *last; /* end of the token before the current one */
    PtxToken token;   /* the one to look at */
} PtxLexer;

/* Stands at the first token. */
PtxLexer ptx_lexer_new(const Source *s);
void ptx_lexer_next(PtxLexer *l);

/* Is the current token this sign, this word? */
static inline bool ptx_lexer_is(const PtxLexer *l, char sign)
{
    return l->token.sign == sign;
}
bool ptx_lexer_is_word(const PtxLexer *l, const char *word);

/* The same, and steps over it. */
bool ptx_lexer_take(PtxLexer *l, char sign);
bool ptx_lexer_take_word(PtxLexer *l, const char *word);

/* The place of the current token, and of any. */
Span ptx_lexer_span(const PtxLexer *l);
Span ptx_token_span(const PtxLexer *l, const PtxToken *t);

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

/* Adds "expected …, found …" at the current token; always false. */
bool ptx_reader_expected(PtxReader *r, const char *what);
bool ptx_reader_expect(PtxReader *r, char sign, const char *where);
/* Goes on to the next of these signs, or to the end. */
void ptx_reader_skip_to(PtxReader *r, const char *signs);
/* Steps over the rest of a statement: past the next ';', or up to a '}' or the end. */
void ptx_reader_skip(PtxReader *r);
/* Counts an unknown directive, mentions it the first time, steps over it. */
void ptx_reader_unknown_directive(PtxReader *r);

void ptx_reader_open_scope(PtxReader *r);
void ptx_reader_close_scope(PtxReader *r);
/* The innermost entry for a name as seen from a scope; NULL when there is none. */
MapEntry *ptx_reader_find(PtxReader *r, uint32_t scope, const char *text, size_t length);

/* A name of its own in the innermost scope; NULL after a message when it has a meaning there
 * already. */
MapEntry *ptx_reader_declare(PtxReader *r, const PtxToken *name, int kind);

/* A non-negative integer; false after a message. */
bool ptx_reader_integer(PtxReader *r, uint64_t *value);

/* variables = { attribute } name { "[" [ size ] "]" } [ "=" initial ] { "," name … }
 * Stands behind the space; appends to `list`.  Stops before ";" or, for parameters, after one. */
bool ptx_reader_variables(PtxReader *r, PtxSpace space, bool one, PtxVariables *list);

#endif

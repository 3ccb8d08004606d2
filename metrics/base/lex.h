/* Lexer of the small languages: specs, metric files, device files.
 *
 * A statement is one line; inside open brackets it continues on the next line; `#` starts a comment.  Tokens
 * carry their place, so every later message can show it. */
#pragma once

#include "metrics/base/diag.h"

typedef enum TokenKind {
    TOKEN_END,     /* of the file */
    TOKEN_NEWLINE, /* of a statement; never inside brackets */
    TOKEN_NAME,    /* letters, digits, underscore */
    TOKEN_INT,
    TOKEN_REAL,
    TOKEN_STRING, /* "…", with \" \\ \n \t */
    TOKEN_SIGN,   /* an operator or a bracket */
    TOKEN_BAD     /* already reported */
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Span at;
    const char *text; /* name, sign or string content, zero-terminated, in the arena */
    int64_t integer;  /* TOKEN_INT */
    double real;      /* TOKEN_REAL, and TOKEN_INT as a real */
} Token;

/* Open brackets whose places are kept for messages. */
enum { LEXER_BRACKETS = 32 };

typedef struct Lexer {
    Arena *arena;
    Diag *diag;
    const Source *source;
    size_t at;                     /* offset of the next byte to read */
    int depth;                     /* open brackets */
    size_t opened[LEXER_BRACKETS]; /* offsets of the outermost ones */
    /* True if a statement surely begins here: brackets still open then are a mistake, and the previous line
     * ends its statement.  NULL: open brackets always continue the statement. */
    bool (*begins_statement)(const char *text);
    bool semicolons; /* ";" outside brackets ends a statement like a newline */
    Token token;     /* the current one */
    Span last;       /* the one before it */
} Lexer;

/* A lexer at the first token. */
Lexer lexer_new(Arena *a, const Source *s, Diag *d);

void lexer_next(Lexer *l);

/* True if the current token is this name or sign; a string never matches. */
bool lexer_is(const Lexer *l, const char *text);

/* The same, and steps over it. */
bool lexer_take(Lexer *l, const char *text);

/* The same, with an error for any other token: "expected ')' after …". */
bool lexer_expect(Lexer *l, const char *text, const char *where);

/* Reports "expected …, found …", unless the lexer has already reported the token; returns false. */
bool lexer_wrong(Lexer *l, const char *expected);

/* Take a token of a kind; otherwise report that `what` was expected. */
bool lexer_take_name(Lexer *l, const char *what, const char **out);
bool lexer_take_string(Lexer *l, const char *what, const char **out);
bool lexer_take_number(Lexer *l, const char *what, double *out);

/* True at the end of a statement. */
bool lexer_at_end_of_line(const Lexer *l);

/* Reports anything left on the line, then steps over the end of the line. */
bool lexer_end_line(Lexer *l);

/* Error recovery: goes to the next line outside brackets or, without begins_statement, to the next line. */
void lexer_skip_line(Lexer *l);

/* The current token for messages: "'+'", "the end of the line". */
const char *lexer_describe(const Lexer *l);

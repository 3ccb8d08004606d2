/* Words of the small languages: specs and metric files.
 *
 * A statement is one line; a line goes on inside open brackets; `#` starts a
 * comment.  Tokens carry their place, so that every later message can show it. */
#pragma once

#include "metrics/base/diag.h"

typedef enum TokenKind {
    TOKEN_END,     /* of the file */
    TOKEN_NEWLINE, /* of a statement; never inside brackets */
    TOKEN_NAME,    /* letters, digits, underscore */
    TOKEN_INT,
    TOKEN_REAL,
    TOKEN_STRING, /* "…", with \" \\ \n \t */
    TOKEN_SIGN,   /* one of the operators and brackets */
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
    size_t opened[LEXER_BRACKETS]; /* where the outermost of them stand */
    /* Does a statement begin here for sure?  Then brackets still open have been forgotten, and the
     * line before ends its statement.  NULL: brackets are believed. */
    bool (*begins_statement)(const char *text);
    bool semicolons; /* ";" outside brackets ends a statement, as the end of its line does */
    Token token;     /* the one to look at */
    Span last;       /* the one taken before it */
} Lexer;

/* Stands at the first token. */
Lexer lexer_new(Arena *a, const Source *s, Diag *d);

void lexer_next(Lexer *l);

/* Is the current token this name or sign?  A string never is. */
bool lexer_is(const Lexer *l, const char *text);

/* The same, and steps over it. */
bool lexer_take(Lexer *l, const char *text);

/* The same, and complains when it is something else: "expected ')' after …". */
bool lexer_expect(Lexer *l, const char *text, const char *where);

/* Complains "expected …, found …", unless the lexer has done so of the token; always false. */
bool lexer_wrong(Lexer *l, const char *expected);

/* A token of a kind, which is stepped over; else complains that `what` was expected. */
bool lexer_take_name(Lexer *l, const char *what, const char **out);
bool lexer_take_string(Lexer *l, const char *what, const char **out);
bool lexer_take_number(Lexer *l, const char *what, double *out);

/* At the end of a statement? */
bool lexer_at_end_of_line(const Lexer *l);

/* Complains when something is left on the line, then steps over the line's end. */
bool lexer_end_line(Lexer *l);

/* Gives the statement up after a mistake: goes to the start of the next one.  Without
 * begins_statement that is the next line, else the first one outside brackets. */
void lexer_skip_line(Lexer *l);

/* What the current token is, for messages: "'+'", "end of line". */
const char *lexer_describe(const Lexer *l);

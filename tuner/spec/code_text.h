/* A lexical view of C++ text: words, brackets, comments, literals, directives. Texts are zero-terminated. */
#pragma once

#include "metrics/base/vec.h"

enum { CODE_LIST = 64 }; /* items of a list, or values of a name, that are kept */

/* A name or a number; length 0: none. */
typedef struct Word {
    const char *at;
    size_t length;
} Word;

bool code_is_name(char c);
Word code_word(const char *at);
bool code_same(Word w, const char *text);
bool code_equal(Word a, Word b);
const char *code_copy(Arena *a, Word w);

/* The word that ends before `at` of a text that begins at `first`. */
Word code_word_before(const char *first, const char *at);

/* Returns the word at `*at`, and advances `*at` past it; length 0 where there is none: then `*at` moves past
 * a comment or literal that begins there, or else by one character.  `first`: of the text. */
Word code_next_word(const char *first, const char **at);

/* True for a text of digits alone. */
bool code_is_number(const char *text);

/* True if the word is one of `words`, which are separated by blanks. */
bool code_among(Word w, const char *words);
bool code_one_of(Word w, const Texts *words);

/* code_blanks skips blanks, comments and spliced line ends within a line; code_skip skips any white space. */
const char *code_blanks(const char *at);
const char *code_skip(const char *at, const char *end);

/* Back from `at`, to `first` at most: over white space; up to one of the characters `stops`. */
const char *code_trim(const char *first, const char *at);
const char *code_back(const char *first, const char *at, const char *stops);

/* Length of a backslash-newline (line splice) at `at`; 0: none. */
size_t code_splice(const char *at);

/* Length of a UTF-8 byte order mark; 0: none. */
size_t code_bom(const char *text);

/* Length of the comment or literal at `at`; 0: none; an unterminated quote: 1. `first`: of the text. */
size_t code_quiet(const char *first, const char *at);

/* A copy with comments blanked out; lines stay. */
char *code_bare(Arena *a, const char *text);

/* Copies `text` to `out` from offset `from` to `to` with blanks for all but line ends and directives. */
void code_cut(char *out, const char *text, size_t from, size_t to);

/* The physical line that `at` stands in, as pointer and number.  The end of a logical line: line splices,
 * comments and literals may continue it; and the line after it. */
const char *code_line_start(const char *first, const char *at);
size_t code_line_number(const char *first, const char *at); /* from 1 */
const char *code_line_end(const char *line);
const char *code_next_line(const char *at);

/* The word after '#' if the line is a directive. */
Word code_directive(const char *line);

/* The text after the word `directive`; NULL: the line is another directive or none. */
const char *code_behind(const char *line, const char *directive);

/* The name that the line defines as a macro. */
Word code_defined(const char *line);

/* The text after the name on the first line that defines it as a macro; NULL: none does. */
const char *code_definition(const char *text, Word name);

/* What is in the quotes or angle brackets at `at`, which end on the same line; length 0: nothing. */
Word code_quoted(const char *at);

/* The matching bracket of the one at `at` ("<" as a template's); NULL: none. */
const char *code_closing(const char *at, const char *end);

/* Splits a comma-separated list after its opening bracket; returns the number of items, at most `room`. */
size_t code_list(Arena *a, const char *at, const char *end, const char **out, size_t room);

/* The next occurrence of a word from `at` on that is no member (".word"); NULL: none. */
const char *code_find_word(const char *at, const char *word, const char *text);
bool code_has_word(const char *text, const char *word);

/* --- code_constants.c: "const|constexpr type NAME = value" ----------------------------------------- */

/* A name of a declaration; pointers are into the text.  Those of one declaration follow each other. */
typedef struct CodeConstant {
    Word name, value;
    const char *declaration; /* its first word */
    const char *comma;       /* before the name; NULL: it is the first */
    const char *end;         /* the comma or semicolon after the value */
    bool known;              /* the compiler knows the value, it does not depend on the thread */
} CodeConstant;

typedef VEC(CodeConstant) CodeConstants;

/* All names of declarations of constants in a text without comments: at file and namespace scope and in
 * functions.  Members of classes are none: they are named through the class. */
CodeConstants code_constants(Arena *a, const char *text);

/* The text of C++ files, read as words, brackets, comments, literals and directives; nothing is
 * parsed.  All texts end with a zero byte. */
#pragma once

#include "metrics/base/arena.h"

#include <stdbool.h>

enum { CODE_LIST = 64 }; /* parts of a list, values of a name that are looked at */

/* A name or a number; of length 0 where there is none. */
typedef struct Word {
    const char *at;
    size_t length;
} Word;

bool code_is_name(char c);
Word code_word(const char *at);
bool code_same(Word w, const char *text);
const char *code_copy(Arena *a, Word w);

/* Is it one of these, with a blank between them? */
bool code_among(Word w, const char *words);

/* Behind blanks, comments and joined line ends between the words of a line; behind white space. */
const char *code_blanks(const char *at);
const char *code_skip(const char *at, const char *end);

/* Bytes of a backslash that joins the next line to this one; 0: none is here. */
size_t code_splice(const char *at);

/* Bytes of the mark that a text in UTF-8 may begin with; 0: it has none. */
size_t code_mark(const char *text);

/* Bytes of the comment or literal that begins at `at`; 0: none does.  A quote that nothing closes on
 * its line has one.  `first`: of the text. */
size_t code_quiet(const char *first, const char *at);

/* A copy with blanks for comments; lines stay. */
char *code_bare(Arena *a, const char *text);

/* The end of a line, with those that a backslash joins to it or a comment or literal goes on in; the
 * line behind. */
const char *code_line_end(const char *line);
const char *code_next_line(const char *at);

/* The word behind '#' where a line is a directive. */
Word code_directive(const char *line);

/* What stands behind such a word; NULL: another directive or none. */
const char *code_behind(const char *line, const char *directive);

/* Where the bracket that opens at `at` closes ("<" as a template's); NULL: nowhere. */
const char *code_closing(const char *at, const char *end);

/* The parts of a list between commas, from behind its opening bracket. */
size_t code_list(Arena *a, const char *at, const char *end, const char **out, size_t room);

/* The next time a word stands at or behind `at` of a text, not as a member; NULL: never again. */
const char *code_find_word(const char *at, const char *word, const char *text);
bool code_has_word(const char *text, const char *word);

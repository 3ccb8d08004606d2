/* The statements of a spec: one function for each, all alike, and the pieces they are made of.
 * Shared by the spec_*.c files, by nobody else.
 *
 * A statement's function stands behind its word, whose place it is given, and reads to the end of
 * the line. False after a message: the reader then goes on with the next statement. */
#ifndef APTUNE_SPEC_STATEMENTS_H
#define APTUNE_SPEC_STATEMENTS_H

#include "tuner/spec/spec_build.h"

/* --- spec_space.c --- */
bool read_problem(Reader *r, Span at);
bool read_param(Reader *r, Span at);
bool read_let(Reader *r, Span at);
bool read_require(Reader *r, Span at);

/* --- spec_kernel.c --- */
bool read_kernel(Reader *r, Span at);
bool read_block(Reader *r, Span at);
bool read_grid(Reader *r, Span at);
bool read_shared(Reader *r, Span at);
bool read_args(Reader *r, Span at);
bool read_repeat(Reader *r, Span at);
bool read_option(Reader *r, Span at);
bool read_include(Reader *r, Span at);
bool read_reference(Reader *r, Span at);

/* --- spec_data.c --- */
bool read_in(Reader *r, Span at);
bool read_out(Reader *r, Span at);
bool read_inout(Reader *r, Span at);
bool read_scratch(Reader *r, Span at);
bool read_constant(Reader *r, Span at);
bool read_texture(Reader *r, Span at);
bool read_arg(Reader *r, Span at);

/* --- spec_result.c --- */
bool read_compare(Reader *r, Span at);
bool read_tolerance(Reader *r, Span at);
bool read_work(Reader *r, Span at);
bool read_objective(Reader *r, Span at);
bool read_scale(Reader *r, Span at);

/* --- spec_rival.c --- */
bool read_rival(Reader *r, Span at);

/* --- spec_carve.c --- */
bool read_metric(Reader *r, Span at);
bool read_carve(Reader *r, Span at);
bool read_polish(Reader *r, Span at);

/* --- pieces, spec_take.c; `what` completes "expected …" --- */

/* A name that may be declared; NULL after a message. */
const char *reader_take_name(Reader *r, const char *what);
const char *reader_take_string(Reader *r, const char *what);
/* A string with values in braces. */
bool reader_take_text(Reader *r, const char *what, Text *out);
/* A string that names a file or folder, as seen from the spec's own; a missing one is told, and no
 * reason to stop. */
const char *reader_take_path(Reader *r, const char *what, const char **path);
/* ":" TYPE */
bool reader_take_type(Reader *r, Argument *g);
bool reader_take_contents(Reader *r, Contents *out);
bool reader_take_integer(Reader *r, const char *what, int64_t least, int64_t *out);
bool reader_take_number(Reader *r, const char *what, double *out);

/* item { "," item }: what a launch takes, behind the word `args`. */
bool reader_take_items(Reader *r, Launch *k);

/* expr { "," expr } */
bool reader_take_list(Reader *r, ExprVec *out);

/* Takes note that a line which may stand only once was met; false after a message when it was
 * met before. */
bool reader_only_once(Reader *r, Span *met, Span at, const char *what);

#endif

/* A source with the files it includes in their place, so that it can go where they are not.
 *
 * The text is copied, not preprocessed: #if, comments and macros stay as they are, and a file
 * stands where its #include stood, as often as it stood there.  "#pragma once" of an included file
 * becomes a guard of its own, since in one text the pragma would mean the whole.  A file that is
 * neither beside the including one nor in the given folders belongs to the toolkit, and stays an
 * #include.
 *
 * Only the compiler knows which #include of a text counts: what another one names is nobody's to
 * copy.  So the text is made twice.  The first one has a mark at the head of every file, a macro,
 * and declares a variable by the name of each mark that is defined at its end; which files were
 * compiled is in its PTX (inline_compiled).  The second one holds these files alone.
 *
 * tuner/compile/include.h answers another question, which files could be read at all: it may find
 * too many, this one must find those the compiler reads. */
#pragma once

#include "tuner/compile/include.h"

#include "metrics/base/diag.h"

/* What is in the text; all in the arena given. */
typedef struct InlineText {
    const char *text;
    size_t size;
    const char *const *includes; /* that stayed, each once: "<cuda_fp16.h>" */
    size_t include_count;
    const char *const *macros; /* names that some #define in it defines, each once */
    size_t macro_count;
    const char *const *files; /* real paths of what is in place or was refused, each once */
    size_t file_count;
} InlineText;

/* Which of the files that are found are put in place; the others stay #includes.  All of them when
 * nothing is set. */
typedef struct InlineChoice {
    const char *mark; /* to find out: begins the names of the marks; a file outside of the query's
                         folders becomes an #error.  NULL: no marks, and it is an error at once */
    bool known;       /* only these, by their real paths */
    const char *const *files;
    size_t file_count;
} InlineChoice;

/* Of a query name, text, folder, folders and forced files count; the forced ones stand in front.
 * False with a message when a file includes itself without end, or one cannot be read. */
bool inline_includes(Arena *a, const IncludeQuery *q, const InlineChoice *c, InlineText *out,
                     Diag *d);

/* Inlines the files that a source includes, so that it can be used without them.
 *
 * The text is copied, not preprocessed: #if, comments and macros stay as they are, and a file replaces each
 * #include of it.  "#pragma once" of an included file becomes an include guard, since in the whole text the
 * pragma would apply to all of it.  A file that is neither beside the including one nor in the given folders
 * belongs to the toolkit and stays an #include.
 *
 * Only the compiler knows which #include lines take effect, and other files must not be copied.  So the text
 * is made twice.  The first version defines a macro, the mark, at the start of every file, and at the end
 * declares a variable for each mark that is defined; its PTX then tells which files were compiled
 * (unit_code.c).  The second version inlines only these.
 *
 * tuner/compile/include.h instead finds the files that could be read; it may find too many. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/compile/include.h"

/* All in the arena given. */
typedef struct InlineText {
    const char *text;
    size_t size;
    Texts includes; /* that remain, each once: "<cuda_fp16.h>" */
    Texts macros;   /* names that some #define in it defines, each once */
    Texts files;    /* real paths of the files inlined or refused, each once */
} InlineText;

/* The files to inline; all by default.  The others stay #includes. */
typedef struct InlineChoice {
    const char *mark; /* prefix of the marks; a file outside the query's folders becomes an #error.
                         NULL: no marks, and such a file is an error at once */
    bool known;       /* inline only these, given by their real paths */
    Texts files;
} InlineChoice;

/* Uses the query's name, text, folder, folders and forced files; the forced ones come first.  False with a
 * message if a file includes itself endlessly or cannot be read. */
bool inline_includes(Arena *a, const IncludeQuery *q, const InlineChoice *c, InlineText *out,
                     Diag *d);

/* Which files a source is made of: what it includes, and what that includes.
 *
 * The text is searched, not preprocessed: includes under any #if count, and where a name could mean
 * several files all of them count, so that the hash covers more than the compiler reads and never
 * less.  An include whose name is a macro cannot be followed; then nobody knows what the compiler
 * will read, and the answer says so; the same of a file outside of the folders that the query
 * names.  A header that is not there, but NAME.in, CMake's template of it, is what CMake makes of
 * that with nothing chosen.  Backslashes in a name are slashes, and a name that no file has is that
 * of one which differs in case: so it is on Windows. */
#pragma once

#include "metrics/base/arena.h"
#include "metrics/base/hash.h"

#include <stdbool.h>

typedef struct IncludeQuery {
    const char *name; /* of the source, for messages */
    const char *text;
    size_t size;
    const char *folder;         /* where its own "..." includes are looked for first */
    const char *const *folders; /* -I, in order */
    size_t folder_count;
    const char *const *forced; /* names included by an option (-include) */
    size_t forced_count;
} IncludeQuery;

/* A name as an include spells it, and the file that a compiler takes for it. */
typedef struct IncludeName {
    const char *name;
    size_t file;
    bool several; /* elsewhere the same name is another file */
} IncludeName;

typedef struct IncludeSet {
    Hash hash;   /* of the text, of the names included, of what they hold; no folder counts */
    Hash places; /* which of the folders held which of the files; not where the folders lie */
    const char **files; /* the files found, in the order they were */
    const char **texts; /* what each of them holds */
    size_t file_count;
    const IncludeName *names;
    size_t name_count;
    const char **absent; /* names that no file was found for, some more than once */
    size_t absent_count;
    bool made; /* some must be given by name: made of NAME.in, or named as on Windows */
    const char
        *unknown; /* what cannot be followed: "mm.cu:12: the name is a macro"; NULL if all can */
} IncludeSet;

/* Does a file, by its real path, lie below the source's folder or one of the -I folders?  Others
 * are neither read nor copied: a stranger's template could name any file of the user's. */
bool include_is_inside(const IncludeQuery *q, const char *real_path);

/* Follows all includes.  A file that is not there is no mistake here (the compiler will say it if
 * it matters); that it is missing is part of the hash.  All in `a`. */
IncludeSet include_follow(Arena *a, const IncludeQuery *q);

/* The files that a source consists of: its includes, and theirs.
 *
 * The text is searched, not preprocessed: includes under any #if count, and where a name may mean several
 * files all of them count, so that the hash covers at least what the compiler reads. Includes named by a
 * macro and files outside the query's folders cannot be followed; the result then says so (`unknown`). A
 * missing header for which there is a CMake template, NAME.in, is taken to be that template with nothing
 * configured. As on Windows, backslashes in a name are slashes, and a name that matches no file is matched
 * ignoring case. */
#pragma once

#include "metrics/base/hash.h"
#include "metrics/base/vec.h"

typedef struct IncludeQuery {
    const char *name; /* of the source, for messages */
    const char *text; /* ends with a zero */
    size_t size;
    const char *folder; /* searched first for its "..." includes */
    Texts folders;      /* -I, in order */
    Texts forced;       /* names included by an option (-include) */
} IncludeQuery;

/* An include's spelling, and the file that the compiler takes for it. */
typedef struct IncludeName {
    const char *name;
    size_t file;
    bool several; /* the same name means another file elsewhere */
} IncludeName;

typedef struct IncludeSet {
    Hash hash;   /* of the text and the names and contents of its includes, regardless of folders */
    Hash places; /* which folder held which file, regardless of where the folders are */
    Texts files; /* real paths, in the order in which they were found */
    Texts texts; /* their contents */
    VEC(IncludeName) names;
    Texts absent; /* names without a file, some repeated */
    /* some must be passed to the compiler by name: made from NAME.in, or named as on Windows */
    bool made;
    const char *unknown; /* what cannot be followed, "mm.cu:12: …"; NULL: nothing */
    const char *outside; /* the first file that is not in the query's folders; NULL: none */
} IncludeSet;

/* True if a file's real path lies below the source's folder or an -I folder. Other files are neither read
 * nor copied: a foreign template could name any file of the user's. */
bool include_is_inside(const IncludeQuery *q, const char *real_path);

/* Follows all includes. A missing file is no error here (the compiler reports it if it matters), but part
 * of the hash. All in `a`. */
IncludeSet include_follow(Arena *a, const IncludeQuery *q);

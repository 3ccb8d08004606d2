#include "tuner/record/continue.h"

#include "tuner/base/file.h"

#include <string.h>

bool continue_check(Appender *w, const char *path, const char *kind, bool *fresh, Diag *d)
{
    *fresh = append_size(w) == 0;
    if (*fresh)
        return true;
    Arena *a = arena_new();
    size_t size = 0;
    const char *text = file_read(a, path, &size, d);
    const char *opening = record_opening(a, kind);
    size_t common = size < strlen(opening) ? size : strlen(opening);
    bool ok = text != NULL;
    if (ok && size >= 4 && memcmp(text, "\x28\xb5\x2f\xfd", 4) == 0) {
        ok = diag_fail(d, "'%s' is compressed; unpack it (zstd -d) to continue it", path);
    } else if (ok && memcmp(text, opening, common) != 0) {
        ok = diag_fail(d, "'%s' is not a recording of %s; it is left as it is", path, kind);
    } else if (ok && !memchr(text, '\n', size)) {
        *fresh = true;
        ok = append_truncate(w, 0, d);
    }
    arena_free(a);
    return ok;
}

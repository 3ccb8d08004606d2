#include "tests/support/spec_text.h"

#include <string.h>

static const char folder[] = TEST_DATA "/spec/";

const Source *spec_source(Arena *a, const char *text)
{
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){arena_printf(a, "%sx.spec", folder), arena_string(a, text), strlen(text)};
    return s;
}

/* Does some line begin with `word` and a blank? */
static bool has_line(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == '\n'))
            return true;
    }
    return false;
}

const char *spec_completed(Arena *a, const char *fragment)
{
    bool kernel = has_line(fragment, "kernel");
    const char *k = kernel ? "" : "kernel \"k.cu\" k\n";
    /* A block or grid of the fragment belongs to a kernel line above it. */
    const char *front = !kernel && (has_line(fragment, "block") || has_line(fragment, "grid") ||
                                    has_line(fragment, "shared"))
                            ? k
                            : "";
    return arena_printf(a, "%s%s\n%s%s%s%s", front, fragment, *front ? "" : k,
                        has_line(fragment, "block") ? "" : "block 1\n",
                        has_line(fragment, "grid") ? "" : "grid 1\n",
                        has_line(fragment, "param") ? "" : "param P in 1\n");
}

void spec_messages(const Diag *d, Buf *out)
{
    Buf all = {0};
    diag_print(d, &all);
    const char *rest = buf_text(&all);
    for (const char *at; (at = strstr(rest, folder));) {
        buf_add(out, rest, (size_t)(at - rest));
        rest = at + strlen(folder);
    }
    buf_puts(out, rest);
    buf_free(&all);
}

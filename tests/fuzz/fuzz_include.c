/* Any bytes as a template: its includes are followed and put in place.  Of a file that the input
 * itself could be there is one in the folder, so that what is included is read, too. */
#include "metrics/base/file.h"
#include "tuner/compile/source.h"
#include "tuner/emit/inline.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/fuzz-include-XXXXXX";

static void remove_folder(void)
{
    Arena *a = arena_new();
    unlink(arena_printf(a, "%s/a.h", folder));
    rmdir(folder);
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    if (folder[strlen(folder) - 1] == 'X') {
        if (!mkdtemp(folder))
            __builtin_trap();
        atexit(remove_folder);
    }
    const char *text = arena_copy(a, (const char *)data, size);
    const char *half = text + size / 2;
    file_write(arena_printf(a, "%s/a.h", folder), half, size - size / 2, &d);
    const CompileSource *s = source_make(a, "k.cu", text, size, folder, NULL, 0);
    for (size_t i = 0; i < s->file_count; i++)
        if (strncmp(s->files[i], folder, strlen(folder)) != 0)
            __builtin_trap(); /* it read elsewhere */
    IncludeQuery q = {.name = "k.cu", .text = text, .size = size, .folder = folder};
    InlineText t;
    if (!inline_includes(a, &q, &(InlineChoice){.mark = size % 2 ? "m" : NULL}, &t, &d) &&
        d.errors == 0)
        __builtin_trap();
    arena_free(a);
    return 0;
}

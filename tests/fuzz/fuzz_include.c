/* Any bytes as a template: its includes are followed and put in place.  Of a file that the input
 * itself could be there is one in the folder, so that what is included is read, too. */
#include "tests/fuzz/folder.h"
#include "tests/fuzz/told.h"
#include "tuner/compile/source.h"
#include "tuner/emit/inline.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *folder = fuzz_folder(), *text = arena_copy(a, (const char *)data, size);
    fuzz_put("a.h", text + size / 2, size - size / 2);
    const CompileSource *s = source_make(a, "k.cu", text, size, folder, (Texts){0});
    for (size_t i = 0; i < s->files.count; i++)
        if (strncmp(s->files.at[i], folder, strlen(folder)) != 0)
            __builtin_trap(); /* it read elsewhere */
    IncludeQuery q = {.name = "k.cu", .text = text, .size = size, .folder = folder};
    InlineText t;
    if (!inline_includes(a, &q, &(InlineChoice){.mark = size % 2 ? "m" : NULL}, &t, &d) &&
        d.errors == 0)
        __builtin_trap();
    Buf out = {0};
    buf_add(&out, s->text, s->size);
    buf_printf(&out, "%zu %d\n", s->files.count, s->unknown != NULL);
    told(&out);
    told_messages(&d);
    arena_free(a);
    return 0;
}

/* Any bytes as a file of another tuner: what is read is accounted for and can be written and read
 * back. */
#include "tests/fuzz/folder.h"
#include "tests/fuzz/told.h"
#include "tuner/output/foreign.h"
#include "tuner/output/scan.h"
#include "tuner/output/import.h"

#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const ForeignTable *t)
{
    if (t->rows.count == 0 || t->rows.count > t->read)
        __builtin_trap();
    for (size_t i = 0; i < t->rows.count; i++)
        if ((t->rows.at[i].status == OUTCOME_OK) != (t->rows.at[i].time_count > 0))
            __builtin_trap();
}

/* Each row of the table is a row of the recording. */
static void check_recording(Arena *a, ForeignTable *t, Diag *d)
{
    const char *path = arena_printf(a, "%s/import.times", fuzz_folder());
    unlink(path);
    ImportOptions o = {.from = "fuzz.json"};
    if (!import_write(t, &o, path, d))
        __builtin_trap();
    const TimesRecording *r = times_read(a, path, d);
    if (!r || r->rows.count != t->rows.count || !r->header.imported[0])
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    char *text = arena_copy(a, (const char *)data, size);
    ForeignTable *t = foreign_read(a, "fuzz.json", text, size, NULL, NULL, &d);
    if (!t && d.errors == 0)
        __builtin_trap();
    if (t) {
        check_rows(t);
        check_recording(a, t, &d);
        Buf out = {0};
        import_print(t, &out);
        told(&out);
    }
    told_messages(&d);
    arena_free(a);
    return 0;
}

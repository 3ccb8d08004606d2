#include "tuner/output/import.h"

#include "tuner/base/file.h"
#include "tuner/output/foreign_read.h"
#include "tuner/output/gunzip.h"
#include "tuner/record/device.h"
#include "tuner/record/index.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* The file's text, unpacked; NULL after a message. */
static const char *read_text(Arena *a, const char *path, size_t *size, Diag *d)
{
    static const size_t most = 1 << 30; /* as of a file that is not packed */
    const char *text = file_read(a, path, size, d);
    if (!text || !gunzip_is_packed(text, *size))
        return text;
    Buf whole = {0};
    bool ok = gunzip(text, *size, most, path, &whole, d);
    *size = whole.size;
    text = ok ? arena_copy(a, buf_text(&whole), whole.size) : NULL;
    buf_free(&whole);
    return text;
}

ForeignTable *import_read(Arena *a, const ImportOptions *o, Diag *d)
{
    size_t size;
    const char *text = read_text(a, o->from, &size, d);
    if (text && size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    return text ? foreign_read(a, o->from, text, size, o->unit, &o->progress, d) : NULL;
}

/* --- the header ------------------------------------------------------------------------------- */

static const char *space_name(Arena *a, const ForeignTable *t, const ImportOptions *o)
{
    if (o->space)
        return o->space;
    const char *file = path_stem(a, o->from, ".gz");
    return t->kernel ? t->kernel : path_stem(a, file, ".json");
}

/* The device that the user or the file names, when it is one that is known. */
static const Device *known_device(const char *name, const char *arch)
{
    const Device *by_name = name ? device_find(name) : NULL;
    const Device *by_arch = arch ? device_find(arch) : NULL;
    bool contradicts = by_name && by_arch && device_arch(by_name) != device_arch(by_arch);
    return by_name && !contradicts ? by_name : by_arch;
}

static bool make_header(Arena *a, const ForeignTable *t, const ImportOptions *o, RecordHeader *h,
                        Diag *d)
{
    const char *name = o->device ? o->device : t->device;
    const Device *known = known_device(name, o->arch);
    if (o->arch && !device_find(o->arch))
        return diag_fail(d, "unknown architecture '%s'; `aptune devices` lists those known",
                         o->arch);
    *h = (RecordHeader){
        .space = space_name(a, t, o),
        .device = name ? name : "device not named",
        .date = t->date,
        .version = APTUNE_VERSION,
        .imported = arena_printf(a, "imported from %s (%s)", path_stem(a, o->from, ""), t->format)};
    if (!known)
        diag_warn(d, (Span){0},
                  "the architecture of '%s' is not known here, and carving needs it: --arch sm_XX",
                  h->device);
    if (known) {
        h->arch = arena_printf(a, "sm_%d", device_arch(known));
        h->facts = record_device_facts(a, known, &h->fact_count);
    }
    return true;
}

/* --- rows and notes --------------------------------------------------------------------------- */

static void count_repeated(ForeignTable *t, const RecordHeader *h, const RecordValue *const *values)
{
    size_t n = t->rows.count;
    const char **keys = ARENA_ARRAY(t->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = record_key(t->arena, h, values[i]);
    TextIndex index = index_build(t->arena, keys, n);
    for (size_t i = 0; i < n; i++) {
        if (index_find(&index, keys[i]) == i)
            continue;
        if (t->odd[ODD_TWICE]++ == 0)
            t->first[ODD_TWICE] = keys[i];
    }
}

static bool write_notes(const ForeignTable *t, const RecordHeader *h, TimesWriter *w, Diag *d)
{
    Buf odd = {0};
    foreign_print_oddities(t, "", &odd);
    bool ok = times_append_note(w,
                                arena_printf(t->arena,
                                             "%s: not measured by aptune; problem size %s, "
                                             "objective %s",
                                             h->imported, t->problem ? t->problem : "not said",
                                             t->objective ? t->objective : "not said"),
                                d);
    char *rest = NULL;
    char *text = arena_string(t->arena, buf_text(&odd));
    for (char *line = strtok_r(text, "\n", &rest); line && ok; line = strtok_r(NULL, "\n", &rest))
        ok = times_append_note(w, line, d);
    buf_free(&odd);
    return ok;
}

static bool write_rows(const ForeignTable *t, const RecordValue *const *values, TimesWriter *w,
                       Diag *d)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        const ForeignRow *f = &t->rows.at[i];
        RecordRow row = {.values = values[i],
                         .status = f->status,
                         .message = f->message,
                         .times_ms = f->times,
                         .time_count = f->time_count,
                         .max_error = NAN};
        if (!times_append(w, &row, d))
            return false;
    }
    return true;
}

bool import_write(ForeignTable *t, const ImportOptions *o, const char *path, Diag *d)
{
    Arena *a = t->arena;
    RecordHeader h;
    if (file_exists(path))
        return diag_fail(d, "'%s' is there already", path);
    if (!make_header(a, t, o, &h, d))
        return false;
    h.parameters = foreign_parameters(t);
    h.parameter_count = t->names.count;
    const RecordValue **values = ARENA_ARRAY(a, const RecordValue *, t->rows.count);
    for (size_t i = 0; i < t->rows.count; i++)
        values[i] = foreign_record_values(a, h.parameters, h.parameter_count, t->rows.at[i].values);
    count_repeated(t, &h, values);
    TimesRecording *none; /* the file is new */
    TimesWriter *w = times_open_append(a, path, &h, 0, &none, d);
    bool ok = w && write_notes(t, &h, w, d) && write_rows(t, values, w, d);
    ok = times_close(w, d) && ok;
    if (w && !ok)
        unlink(path);
    return ok;
}

void import_print(const ForeignTable *t, Buf *out)
{
    size_t ok = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        ok += t->rows.at[i].status == OUTCOME_OK;
    buf_printf(out, "%-10s %s: %zu rows read, %zu with times, %zu failed, %zu left out\n",
               "imported", t->format, t->read, ok, t->rows.count - ok, t->read - t->rows.count);
    buf_printf(out, "%-10s %s; kernel %s; problem size %s\n", "",
               t->device ? t->device : "device not named", t->kernel ? t->kernel : "not named",
               t->problem ? t->problem : "not said");
    buf_printf(out,
               "%-10s a row's time is the median of its times; most tuners name their winner by "
               "the mean\n",
               "");
    foreign_print_oddities(t, "           ", out);
}

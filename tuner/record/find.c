#include "tuner/record/find.h"

#include "metrics/base/file.h"
#include "tuner/record/field.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

/* True, with the reason in `why`, if something is wanted and `have` differs from it. */
static bool differs(const char *what, const char *have, const char *want, Buf *why)
{
    return want && want[0] && !record_text_same(what, have, want, why);
}

/* Their order does not matter: rows are found by names. */
static bool other_parameters(const RecordHeader *have, const RecordHeader *want)
{
    if (want->parameter_count == 0)
        return false;
    EACH (const RecordParameter, p, want->parameters, want->parameter_count) {
        const RecordParameter *own =
            NAME_FIND(have->parameters, have->parameter_count, name, p->name);
        if (!own || own->is_text != p->is_text)
            return true;
    }
    return have->parameter_count != want->parameter_count;
}

static bool other_problem(const RecordHeader *have, const RecordHeader *want, Buf *why)
{
    if (want->problem_count == 0)
        return false;
    if (have->problem_count == 0 && have->imported && have->imported[0])
        return false; /* other tuners do not name the sizes */
    SCOPED_ARENA *scratch = arena_new();
    return !record_text_same("problem", record_problem_text(scratch, have),
                             record_problem_text(scratch, want), why);
}

static RecordFit fit_device(const RecordHeader *have, const RecordHeader *want, Buf *why)
{
    return differs("architecture", have->arch, want->arch, why)    ? FIT_OTHER_ARCH
           : differs("device", have->device, want->device, why)    ? FIT_OTHER_DEVICE
           : differs("device's UUID", have->uuid, want->uuid, why) ? FIT_SAME_MODEL
                                                                   : FIT_EXACT;
}

RecordFit record_fit(const RecordHeader *have, const RecordHeader *want, Buf *why)
{
    if (differs("space", have->space, want->space, why))
        return FIT_NONE;
    if (other_parameters(have, want)) {
        buf_puts(why, "the space has other parameters");
        return FIT_NONE;
    }
    RecordFit fit = fit_device(have, want, why);
    if (other_problem(have, want, why) && fit < FIT_OTHER_PROBLEM)
        fit = FIT_OTHER_PROBLEM;
    return fit;
}

static void take_header(FieldReader *r, void *to)
{
    record_header_take(r, to);
}

bool record_header_read(Arena *a, const char *path, RecordHeader *h, Diag *d)
{
    static const RecordKind header = {"times", take_header, NULL};
    *h = (RecordHeader){0};
    return record_read(a, path, &header, h, NULL, d);
}

static bool is_times(const char *name)
{
    return text_ends_with(name, ".times") || text_ends_with(name, ".times.zst");
}

const char *record_in(Arena *a, const char *path, Diag *d)
{
    DIR *dir = opendir(path);
    if (!dir)
        return path; /* a file, or opening it will report the error */
    const char *found = NULL;
    size_t count = 0;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (!is_times(e->d_name))
            continue;
        found = arena_printf(a, "%s/%s", path, e->d_name);
        count++;
    }
    closedir(dir);
    if (count == 1)
        return found;
    size_t size;
    const char *played = arena_printf(a, "%s/" RECORD_PLAYED, path);
    const char *text =
        count == 0 && file_exists(played) ? file_read(a, played, &size, DIAG_UNHEARD(a)) : NULL;
    if (text)
        return arena_copy(a, text, strcspn(text, "\n"));
    diag_fail(d, "folder '%s' holds %s recording of times", path, count ? "more than one" : "no");
    return NULL;
}

static RecordMatch match_file(Arena *a, const char *path, const RecordHeader *want)
{
    RecordMatch m = {.path = path, .fit = FIT_NONE};
    Diag d = diag_new(a);
    Buf why = {0};
    if (record_header_read(a, path, &m.header, &d)) {
        m.fit = record_fit(&m.header, want, &why);
    } else {
        m.header = (RecordHeader){0};
        buf_puts(&why, d.messages.count > 0 ? d.messages.at[0].text : "it cannot be read");
    }
    m.why = buf_keep(&why, a);
    return m;
}

static int match_compare(const void *pa, const void *pb)
{
    const RecordMatch *a = pa, *b = pb;
    if (a->fit != b->fit)
        return a->fit < b->fit ? -1 : 1;
    return strcmp(a->path, b->path);
}

RecordMatch *record_find(Arena *a, const char *folder, const RecordHeader *want, size_t *count,
                         Diag *d)
{
    VEC(RecordMatch) found = {0};
    *count = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        diag_fail(d, "cannot read recordings from '%s': %s", folder, strerror(errno));
        return NULL;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (is_times(e->d_name))
            VEC_PUSH(a, &found, match_file(a, arena_printf(a, "%s/%s", folder, e->d_name), want));
    }
    closedir(dir);
    if (found.count > 1)
        qsort(found.at, found.count, sizeof *found.at, match_compare);
    *count = found.count;
    return found.at ? found.at : ARENA_NEW(a, RecordMatch);
}

/* Code and profiles for an imported recording: the spec says what each row's parameters compile to.
 */
#include "tuner/output/import.h"

#include "tuner/run/run_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The header of the import, with what compiling added. */
static RecordHeader attached_header(Run *r)
{
    const RecordHeader *imported = &r->recorded.times->header;
    RecordHeader ours = run_record_header(r), h = *imported;
    h.problem = ours.problem;
    h.problem_count = ours.problem_count;
    h.nvrtc = ours.nvrtc;
    h.options = ours.options;
    h.option_count = ours.option_count;
    h.objective = ours.objective;
    h.source_hash = ours.source_hash;
    h.imported = arena_printf(r->arena, "%s; matched with %s by parameter values", h.imported,
                              r->spec->name);
    return h;
}

/* Which configuration each row is of; SIZE_MAX: none. */
static size_t *configs_of_rows(const Run *r, ImportMatch *match)
{
    const TimesRecording *t = r->recorded.times;
    size_t *config = ARENA_ARRAY(r->arena, size_t, t->rows.count);
    for (size_t k = 0; k < t->rows.count; k++)
        config[k] = SIZE_MAX;
    for (size_t i = 0; i < r->table->count; i++) {
        const RecordRow *row = run_recorded_row(r, t, i);
        match->both += row != NULL;
        match->only_space += row == NULL;
        if (row)
            config[row - t->rows.at] = i;
    }
    for (size_t k = 0; k < t->rows.count; k++)
        match->only_rows +=
            config[k] == SIZE_MAX && times_find(t, t->rows.at[k].key) == &t->rows.at[k];
    return config;
}

static bool write_row(Run *r, TimesWriter *w, const RecordRow *row, size_t config)
{
    Arena *a = arena_new();
    RecordRow out = *row;
    if (config != SIZE_MAX && table_has_code(r->table, config)) {
        out.code = r->table->code[config].hash;
        out.launch = r->table->code[config].launch;
    }
    if (config != SIZE_MAX && run_objective(r->spec))
        out.work = run_work(r, config, run_objective(r->spec));
    bool ok = times_append(w, &out, r->diag);
    arena_free(a);
    return ok;
}

static bool write_times(Run *r, const RecordHeader *h, const char *path, ImportMatch *match)
{
    const TimesRecording *t = r->recorded.times;
    const size_t *config = configs_of_rows(r, match);
    if (match->both == 0)
        return diag_fail(r->diag, "no row of '%s' is a configuration of '%s'", t->path,
                         r->spec->name);
    if (run_objective(r->spec) && match->only_rows > 0)
        return diag_fail(
            r->diag,
            "%zu rows of '%s' are no configurations of '%s', so that their work is not "
            "known, and the objective is %s",
            match->only_rows, t->path, r->spec->name, h->objective);
    TimesRecording *none; /* the file is new */
    TimesWriter *w = times_open_append(r->arena, path, h, 0, &none, r->diag);
    bool ok = w != NULL;
    for (size_t i = 0; i < t->notes.count && ok; i++)
        ok = times_append_note(w, t->notes.at[i].text, r->diag);
    for (size_t k = 0; k < t->rows.count && ok; k++)
        ok = write_row(r, w, &t->rows.at[k], config[k]);
    return times_close(w, r->diag) && ok;
}

bool import_attach(Run *r, const char *path, ImportMatch *match)
{
    *match = (ImportMatch){0};
    RecordHeader h = attached_header(r);
    const char *profile = record_profile_path(r->arena, path);
    if (!profile)
        return diag_fail(r->diag, "'%s' does not end in .times", path);
    if (!write_times(r, &h, path, match) || !run_write_profiles(r, &h))
        return false;
    const char *made = arena_printf(r->arena, "%s/%s.profile", r->options.output, r->spec->name);
    if (strcmp(made, profile) != 0 && rename(made, profile) != 0)
        return diag_fail(r->diag, "cannot write '%s'", profile);
    return true;
}

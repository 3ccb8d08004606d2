/* A part of a space without times: what the other parts and `aptune merge` need of it.
 *
 * A recording of a whole space names the code of every configuration, timed or not, so that it can
 * be carved again without compiling.  A part of it does the same, whether there is a GPU or not. */
#include "tuner/run/timer.h"

#include "tuner/base/file.h"

static bool is_known(const Run *r, const TimesRecording *existing, size_t i)
{
    const RecordRow *row = existing ? run_recorded_row(r, existing, i) : NULL;
    return row && run_same_code(r, i, row);
}

bool timer_append_rest(Run *r, TimesWriter *w, const RecordHeader *h,
                       const TimesRecording *existing)
{
    Table *t = r->table;
    for (size_t i = 0; i < t->count; i++) {
        bool known = table_has_code(t, i) || table_failed_to_compile(t, i);
        if (!known || table_is_timed(t, i) || is_known(r, existing, i))
            continue;
        const char *why = t->why[i];
        if (table_has_code(t, i)) /* and no trial, which recordings call skipped */
            t->why[i] = "not selected";
        bool ok = run_append_row(r, w, h, i);
        t->why[i] = why;
        if (!ok)
            return false;
    }
    return true;
}

static bool static_time(void *state, const size_t *list, size_t count)
{
    (void)state;
    (void)list;
    (void)count;
    return true;
}

static bool static_close(void *state)
{
    Run *r = state;
    if (r->gpu && !run_choose_l2(r)) /* the header says it, as those of the other parts do */
        return false;
    RecordHeader h = run_record_header(r);
    TimesRecording *existing;
    const char *path = arena_printf(r->arena, "%s/%s.times", r->options.output, r->spec->name);
    if (!folder_create(r->options.output, r->diag))
        return false;
    TimesWriter *w = times_open_append(r->arena, path, &h, 0, &existing, r->diag);
    bool ok = w && run_write_profiles(r, &h) && timer_append_rest(r, w, &h, existing);
    return times_close(w, r->diag) && ok;
}

bool timer_static_open(Run *r, Timer *out)
{
    *out = (Timer){.state = r, .time = static_time, .close = static_close};
    return true;
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/finding.h"

#include "metrics/base/stats.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Values that some parameters have, by the number of the parameter. */
typedef struct Settings {
    bool *given;
    Value *values;
} Settings;

static size_t parameter_number(const RecordHeader *h, const char *name, size_t length)
{
    for (size_t p = 0; p < h->parameter_count; p++)
        if (strlen(h->parameters[p].name) == length &&
            strncmp(h->parameters[p].name, name, length) == 0)
            return p;
    fprintf(stderr, "no parameter %.*s in %s\n", (int)length, name, h->space);
    abort(); /* a test that asks for something else than it says must not pass */
}

static Settings settings_read(Arena *a, const RecordHeader *h, const char *text)
{
    Settings s = {ARENA_ARRAY(a, bool, h->parameter_count),
                  ARENA_ARRAY(a, Value, h->parameter_count)};
    memset(s.given, 0, h->parameter_count * sizeof(bool));
    for (const char *at = text + strspn(text, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t name = strcspn(at, "="), all = strcspn(at, " ");
        assert(name < all);
        size_t p = parameter_number(h, at, name);
        const char *value = arena_copy(a, at + name + 1, all - name - 1);
        s.given[p] = true;
        s.values[p] =
            h->parameters[p].is_text ? value_string(value) : value_int(strtoll(value, NULL, 10));
        at += all;
    }
    return s;
}

static bool row_matches(const RecordHeader *h, const RecordRow *row, const Settings *s)
{
    for (size_t p = 0; p < h->parameter_count; p++)
        if (s->given[p] && !value_equal(row->values[p], s->values[p]))
            return false;
    return row->status == OUTCOME_OK;
}

/* The row that differs from `row` by the settings alone; NULL when there is none or it failed. */
static const RecordRow *row_partner(Arena *a, const TimesRecording *r, const RecordRow *row,
                                    const Settings *s)
{
    size_t count = r->header.parameter_count;
    Value *values = ARENA_ARRAY(a, Value, count);
    for (size_t p = 0; p < count; p++)
        values[p] = s->given[p] ? s->values[p] : row->values[p];
    const RecordRow *partner = times_find(r, record_key(a, &r->header, values));
    return partner != NULL && partner->status == OUTCOME_OK ? partner : NULL;
}

static double row_ms(const RecordRow *row)
{
    return stats_median(row->times_ms, row->time_count);
}

const TimesRecording *finding_recording(Arena *a, const char *space)
{
    Diag d = diag_new(a);
    const char *path = arena_printf(a, SOURCE_DIR "/spaces/recordings/%s-h200.times.zst", space);
    return access(path, R_OK) == 0 ? times_read(a, path, &d) : NULL;
}

double finding_ratio(Arena *a, const TimesRecording *r, const char *settings, const char *other)
{
    Settings these = settings_read(a, &r->header, settings);
    Settings those = settings_read(a, &r->header, other);
    double *ratios = ARENA_ARRAY(a, double, r->rows.count);
    size_t count = 0;
    for (size_t i = 0; i < r->rows.count; i++) {
        const RecordRow *row = &r->rows.at[i];
        if (!row_matches(&r->header, row, &these))
            continue;
        const RecordRow *partner = row_partner(a, r, row, &those);
        if (partner != NULL)
            ratios[count++] = row_ms(row) / row_ms(partner);
    }
    return stats_median(ratios, count);
}

double finding_best_ms(Arena *a, const TimesRecording *r, const char *settings)
{
    Settings these = settings_read(a, &r->header, settings);
    double best = NAN;
    for (size_t i = 0; i < r->rows.count; i++)
        if (row_matches(&r->header, &r->rows.at[i], &these))
            best = fmin(best, row_ms(&r->rows.at[i]));
    return best;
}

double finding_worst_ms(Arena *a, const TimesRecording *r, const char *settings)
{
    Settings these = settings_read(a, &r->header, settings);
    double worst = NAN;
    for (size_t i = 0; i < r->rows.count; i++)
        if (row_matches(&r->header, &r->rows.at[i], &these))
            worst = fmax(worst, row_ms(&r->rows.at[i]));
    return worst;
}

size_t finding_count_within(Arena *a, const TimesRecording *r, double ms)
{
    Settings any = settings_read(a, &r->header, "");
    size_t count = 0;
    for (size_t i = 0; i < r->rows.count; i++)
        if (row_matches(&r->header, &r->rows.at[i], &any) && row_ms(&r->rows.at[i]) <= ms)
            count++;
    return count;
}

Asked finding_ask(const char *space)
{
    Asked q = {.arena = arena_new()};
    q.recording = finding_recording(q.arena, space);
    if (q.recording == NULL) {
        arena_free(q.arena);
        skip();
    }
    return q;
}

void finding_ratio_between(Asked q, const char *settings, const char *other, double low,
                           double high)
{
    double ratio = finding_ratio(q.arena, q.recording, settings, other);
    if (ratio >= low && ratio <= high)
        return;
    fail_msg("%s: %s takes %g times as long as with %s, not %g to %g", q.recording->header.space,
             settings, ratio, other, low, high);
}

double finding_ms(Asked q, const char *settings)
{
    const RecordHeader *h = &q.recording->header;
    Settings these = settings_read(q.arena, h, settings);
    const RecordRow *only = NULL;
    for (size_t i = 0; i < q.recording->rows.count; i++) {
        if (!row_matches(h, &q.recording->rows.at[i], &these))
            continue;
        if (only != NULL)
            fail_msg("%s: more than one configuration has %s", h->space, settings);
        only = &q.recording->rows.at[i];
    }
    if (only == NULL)
        fail_msg("%s: no configuration has %s", h->space, settings);
    return row_ms(only);
}

#include "tuner/command/platform_pair.h"

#include "metrics/base/file.h"
#include "metrics/base/json.h"
#include "tuner/report/pdf.h"
#include "tuner/report/plot.h"

#include <math.h>
#include <string.h>

static json_t *pair_of(const DeviceSheet *a, const DeviceSheet *b, size_t i)
{
    const double x = sheet_number(a, i), y = sheet_number(b, i);
    return json_put(json_object(), "name", json_string(sheet_number_name(i)), "a", json_known(x),
                    "b", json_known(y), "ratio", json_known(x > 0 && y > 0 ? y / x : NAN), NULL);
}

void platform_pair_json(const DeviceSheet *a, const DeviceSheet *b, Buf *out)
{
    json_t *numbers = json_array(), *devices = json_array();
    json_array_append_new(devices, json_string(a->device.name));
    json_array_append_new(devices, json_string(b->device.name));
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        if (!isnan(sheet_number(a, i)) || !isnan(sheet_number(b, i)))
            json_array_append_new(numbers, pair_of(a, b, i));
    json_t *all = json_put(json_object(), "devices", devices, "numbers", numbers, NULL);
    json_print(all, 10, out);
}

/* --- pictures ------------------------------------------------------------------------------- */

typedef struct Drawn {
    Arena *arena;
    const DeviceSheet *sheets[2];
    const char *folder;
    Diag *diag;
} Drawn;

static bool write_picture(const Drawn *w, const char *name, const Plot *plot)
{
    Buf svg = {0};
    plot_write(plot, &svg);
    const bool ok = picture_save(buf_text(&svg), plot->title,
                                 arena_printf(w->arena, "%s/%s", w->folder, name), w->diag);
    buf_free(&svg);
    return ok;
}

static Series series_of(const Drawn *w, int side, SeriesKind kind, const double *x, const double *y,
                        size_t count)
{
    return (Series){.name = w->sheets[side]->device.name,
                    .kind = kind,
                    .tone = side ? TONE_CHOSEN : TONE_FRONT,
                    .x = x,
                    .y = y,
                    .count = count};
}

/* Bars of what each pattern costs; 1 is nothing. */
static bool draw_patterns(const Drawn *w)
{
    static const char prefix[] = "slowdown_";
    const char **names = ARENA_ARRAY(w->arena, const char *, SHEET_NUMBERS);
    double *x = ARENA_ARRAY(w->arena, double, SHEET_NUMBERS), *y[2];
    size_t count = 0;
    for (int side = 0; side < 2; side++)
        y[side] = ARENA_ARRAY(w->arena, double, SHEET_NUMBERS);
    for (size_t i = 0; i < SHEET_NUMBERS; i++) {
        const char *name = sheet_number_name(i);
        const double one = sheet_number(w->sheets[0], i), other = sheet_number(w->sheets[1], i);
        if (strncmp(name, prefix, strlen(prefix)) != 0 || (isnan(one) && isnan(other)))
            continue;
        names[count] = name + strlen(prefix);
        x[count] = (double)count;
        y[0][count] = one;
        y[1][count++] = other;
    }
    const Series series[] = {series_of(w, 0, SERIES_BARS, x, y[0], count),
                             series_of(w, 1, SERIES_BARS, x, y[1], count)};
    const Plot plot = {.title = "What anti-parallel patterns cost",
                       .x = {.label = "pattern", .names = names, .name_count = count},
                       .y = {.label = "times the time without the pattern", .from_zero = true},
                       .series = series,
                       .series_count = 2};
    return count == 0 || write_picture(w, "patterns", &plot);
}

/* Model 3.1, one branch being 1. */
static bool draw_branches(const Drawn *w)
{
    enum { BRANCHES = 10 };
    double x[BRANCHES], y[2][BRANCHES];
    const size_t ten = sheet_number_named("slowdown_branches");
    for (int side = 0; side < 2; side++) {
        const double most = sheet_number(w->sheets[side], ten);
        if (isnan(most))
            return true;
        for (int n = 0; n < BRANCHES; n++) {
            x[n] = n + 1;
            y[side][n] = 1 + n * (most - 1) / (BRANCHES - 1);
        }
    }
    const Series series[] = {series_of(w, 0, SERIES_LINE, x, y[0], BRANCHES),
                             series_of(w, 1, SERIES_DASHED, x, y[1], BRANCHES)};
    const Plot plot = {.title = "Time against branches",
                       .x = {.label = "branches that a warp follows", .from_zero = true},
                       .y = {.label = "time, of one branch", .from_zero = true},
                       .series = series,
                       .series_count = 2};
    return write_picture(w, "branches", &plot);
}

bool platform_pair_draw(Arena *arena, const DeviceSheet *a, const DeviceSheet *b,
                        const char *folder, Diag *d)
{
    const Drawn w = {arena, {a, b}, folder, d};
    return folder_create(folder, d) && draw_patterns(&w) && draw_branches(&w);
}

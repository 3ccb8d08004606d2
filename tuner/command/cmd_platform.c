/* aptune platform: measures what a GPU's operations cost, fits models and writes a device file; or compares
 * two devices. */
#include "metrics/base/file.h"
#include "metrics/base/json.h"
#include "metrics/metric/sheet.h"
#include "tuner/command/bench.h"
#include "tuner/command/command.h"
#include "tuner/library/handle.h"
#include "tuner/library/where.h"
#include "tuner/record/table_read.h"
#include "tuner/report/plot.h"
#include "tuner/study/platform.h"

/* --- two devices as pictures ------------------------------------------------------------------ */

/* Writes `devices` and `numbers`: for each number that either device has, `name`, `a`, `b` (in base units:
 * seconds, bytes, hertz, cycles; null: not known) and `ratio`, b over a. */
static void platform_pair_json(const DeviceSheet *a, const DeviceSheet *b, Buf *out)
{
    json_t *numbers = json_array();
    for (size_t i = 0; i < SHEET_NUMBERS; i++) {
        const double x = sheet_number(a, i), y = sheet_number(b, i);
        if (!isnan(x) || !isnan(y))
            json_array_append_new(numbers,
                                  json_put(json_object(), "name", json_string(sheet_number_name(i)),
                                           "a", json_known(x), "b", json_known(y), "ratio",
                                           json_known(x > 0 && y > 0 ? y / x : NAN), NULL));
    }
    json_print(json_pack("{s: [s, s], s: o}", "devices", a->device.name, b->device.name, "numbers",
                         numbers),
               10, out);
}

typedef struct Drawn {
    Arena *arena;
    const DeviceSheet *sheets[2];
    const char *folder;
    Diag *diag;
} Drawn;

static bool write_picture(const Drawn *w, const char *name, const Plot *plot)
{
    SCOPED_BUF svg = {0};
    plot_write(plot, &svg);
    return picture_save(buf_text(&svg), plot->title,
                        arena_printf(w->arena, "%s/%s", w->folder, name), w->diag);
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

/* Draws patterns.svg and .pdf, bars of the slowdown by each pattern; 1: none.  A picture without numbers is
 * left out. */
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

/* Draws branches.svg and .pdf, time against the branches that a warp follows by the thesis's model 3.1 (its
 * figure 3.1), relative to one branch. */
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
                       .y = {.label = "time relative to one branch", .from_zero = true},
                       .series = series,
                       .series_count = 2};
    return write_picture(w, "branches", &plot);
}

/* --- the driver's own copy, timed in turn with the suite's best copy (bench.h) ---------------- */

/* What was measured; NaN: not known. */
typedef struct PlatformCopy {
    double driver, kernel;  /* bytes per second, read and written */
    double clock_mhz, watt; /* of the kernel's back-to-back runs */
} PlatformCopy;

static double number_of(const json_t *object, const char *name)
{
    const json_t *x = json_object_get(object, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

/* Reads what measure_copy wrote; all NaN if there is no such file. */
static PlatformCopy platform_copy_read(const char *path)
{
    json_auto_t *all = json_load_file(path, 0, NULL);
    const json_t *kernel = json_object_get(all, "kernel");
    const json_t *rival = json_array_get(json_object_get(all, "rivals"), 0);
    return (PlatformCopy){.driver = number_of(rival, "bytes_per_s"),
                          .kernel = number_of(kernel, "bytes_per_s"),
                          .clock_mhz = number_of(kernel, "sustained_clock_mhz"),
                          .watt = number_of(kernel, "sustained_power_w")};
}

typedef struct PlatformCommand {
    const char *output, *from, *models, *ordinal;
    bool json;
} PlatformCommand;

#define INTO(field) OPTION_INTO(PlatformCommand, field, 0, 0)

static const Option options[] = {
    {"output", "DIR",
     "where recordings, device file and points go (default aptune-platform); for A B: pictures",
     INTO(output)},
    {"from", "DIR", "fit existing recordings, and measure nothing", INTO(from)},
    {"models", "FILE", "models of your own instead of the shipped ones", INTO(models)},
    {"json", NULL, "print the comparison of A and B as JSON", INTO(json)},
    {"device", "N", "which GPU", INTO(ordinal)},
};

typedef struct Session {
    Call *call;
    Arena *arena;
    Diag *diag;
    PlatformCommand command;
    Models models;
    Interrupt interrupt;
    const char *space; /* the one being measured */
    PlatformCopy copy;
} Session;

/* Beside the recordings: the measurement of the driver's copy. */
static const char copy_file[] = "driver-copy.json";

static bool write_text(Session *y, const char *name, const Buf *text)
{
    const char *path = arena_printf(y->arena, "%s/%s", y->command.output, name);
    return file_write(path, buf_text(text), text->size, y->diag);
}

/* --- measuring -------------------------------------------------------------------------------- */

static void print_message(void *context, aptune_severity severity, const char *text)
{
    Session *y = context;
    if (severity != APTUNE_ERROR) /* warnings about profiles do not matter here */
        return;
    progress_end(&y->call->bar);
    command_tell(text);
}

static int show_progress(void *context, const char *stage, size_t done, size_t all,
                         const char *what)
{
    Session *y = context;
    (void)what;
    progress_step(&y->call->bar, stage, done, all, y->space);
    return 0;
}

static aptune *new_handle(Session *y, const char *space)
{
    aptune *a = aptune_new();
    if (!a) {
        diag_fail(y->diag, "no memory or no descriptors left");
        return NULL;
    }
    const char *name = path_stem(y->arena, space, "");
    aptune_set(a, "space",
               where_data(y->arena, NULL, arena_printf(y->arena, "spaces/%s.spec", space)));
    aptune_set(a, "output", arena_printf(y->arena, "%s/%s", y->command.output, name));
    aptune_set(a, "exhaustive", NULL);
    aptune_set(a, "samples", "7");
    aptune_set(a, "final", "1");
    aptune_set(a, "emit", "none");
    if (y->command.ordinal)
        aptune_set(a, "device", y->command.ordinal);
    aptune_on_message(a, print_message, y);
    aptune_on_progress(a, show_progress, y);
    if (y->interrupt.fd > 0)
        aptune_stop_on(a, y->interrupt.fd);
    return a;
}

/* Opens the run; benchmarks that fill the GPU have its number of SMs as their problem size. */
static bool open_for_device(Session *y, aptune *a)
{
    if (aptune_open(a) != APTUNE_OK)
        return false;
    const int sms = a->run.device ? a->run.device->sms : 0;
    const char *problem = aptune_problem(a, 0), *says = problem ? strstr(problem, "SMS=") : NULL;
    if (!says || sms == 0 || strtol(says + 4, NULL, 10) == sms)
        return true;
    aptune_reset(a);
    aptune_set(a, "problem", arena_printf(y->arena, "SMS=%d", sms));
    return aptune_open(a) == APTUNE_OK;
}

/* The fastest copy kernel; NULL: none ran. */
static const char *best_copy(Session *y, aptune *a)
{
    size_t best = APTUNE_NOTHING;
    for (size_t i = 0; i < aptune_count(a); i++) {
        const bool is_copy = aptune_number(a, i, "MODE", 0) == 2;
        if (is_copy && aptune_fate(a, i) == APTUNE_TIMED &&
            (best == APTUNE_NOTHING || aptune_time_ms(a, i) < aptune_time_ms(a, best)))
            best = i;
    }
    return best == APTUNE_NOTHING ? NULL : arena_string(y->arena, aptune_name(a, best));
}

/* Benchmarks the copy kernel against the spec's rivals and writes the output of `aptune bench --json`.
 * `problem` may be NULL.  False after a message. */
static bool measure_copy(Session *y, const char *problem, const char *kernel)
{
    SCOPED_ARENA *a = arena_new();
    RunOptions o = {0};
    const BenchOptions how = {.config = kernel, .rounds = 101};
    const OptionTable shared = {{OPTIONS_RUN(&o), OPTIONS_COMPILE(&o)}};
    Bench b;
    option_set_defaults(&shared);
    o.space = where_data(a, NULL, "spaces/platform/stream.spec");
    o.problem_text = problem;
    Run r = start_run(a, &o, &y->call->bar, y->diag);
    bool ok = run_open(&r) && bench_choose(&r, &how, &b) && bench_run(&r, &how, &b);
    progress_end(&y->call->bar);
    if (ok) {
        SCOPED_BUF out = {0};
        bench_print_json(&r, &b, &out);
        ok = write_text(y, copy_file, &out);
    }
    run_close(&r);
    return ok;
}

static bool measure_one(Session *y, const char *space)
{
    aptune *a = new_handle(y, space);
    if (!a)
        return false;
    y->space = space;
    bool ok = open_for_device(y, a);
    if (ok && aptune_source(a) != APTUNE_MEASURED)
        ok = diag_fail(y->diag, "nothing can be measured here: %s; --from DIR fits recordings",
                       aptune_why_not_measured(a) ? aptune_why_not_measured(a) : "no GPU");
    else if (ok)
        ok = aptune_tune(a) == APTUNE_OK; /* print_message has shown why */
    progress_end(&y->call->bar);
    const bool has_copy = ok && strcmp(space, "platform/stream") == 0;
    const char *copy = has_copy ? best_copy(y, a) : NULL;
    const char *problem = copy ? arena_string(y->arena, aptune_problem(a, 0)) : NULL;
    aptune_free(a);                              /* releases the GPU for measure_copy */
    if (copy && !measure_copy(y, problem, copy)) /* the suite goes on without it */
        command_flush_messages(y->diag);
    return ok;
}

/* The index of the first model of the same benchmark. */
static size_t first_of_space(const Session *y, size_t i)
{
    size_t k = 0;
    while (strcmp(y->models.models.at[k].space, y->models.models.at[i].space) != 0)
        k++;
    return k;
}

/* --- fitting ---------------------------------------------------------------------------------- */

/* The recording of the space in the folder's subfolder of that name, or in the folder itself; NULL after a
 * warning. */
static const Table *read_recording(Session *y, const char *folder, const char *space)
{
    const char *name = path_stem(y->arena, space, ""), *path = NULL;
    const char *const folders[] = {arena_printf(y->arena, "%s/%s", folder, name), folder};
    const RecordHeader want = {.space = name};
    for (size_t i = 0; i < COUNT_OF(folders) && !path; i++) {
        size_t count = 0;
        const RecordMatch *m =
            record_find(y->arena, folders[i], &want, &count, DIAG_UNHEARD(y->arena));
        path = m && count > 0 && m[0].fit != FIT_NONE ? m[0].path : NULL;
    }
    /* A profile is not needed. */
    Table *t =
        path ? table_read(y->arena, path, metricset_new(y->arena), DIAG_UNHEARD(y->arena)) : NULL;
    if (!path)
        diag_warn(y->diag, (Span){0}, "no recording of '%s' in %s", name, folder);
    else if (!t)
        diag_warn(y->diag, (Span){0}, "'%s' cannot be read", path);
    return t;
}

static bool write_results(Session *y, const PlatformResult *r, const char *device)
{
    SCOPED_BUF file = {0}, points = {0}, report = {0};
    sheet_write(&r->sheet->device, &file);
    platform_print_points(r, &points);
    platform_print(r, &report);
    const PlatformCopy *c = &y->copy;
    if (c->driver > 0)
        buf_printf(
            &report,
            "\ncopy       driver %.1f GB/s, suite's best %.1f GB/s: %.1f %% of the driver's\n",
            c->driver / 1e9, c->kernel / 1e9, 100 * c->kernel / c->driver);
    if (c->driver > 0 && c->clock_mhz > 0)
        buf_printf(&report, "           back to back for two seconds: %.0f MHz, %.0f W\n",
                   c->clock_mhz, c->watt);
    buf_printf(&report, "\nwritten    %s/%s, points.csv\n", y->command.output, device);
    bool ok = folder_create(y->command.output, y->diag) && write_text(y, device, &file) &&
              write_text(y, "points.csv", &points);
    return command_print_text(buf_text(&report)) && ok;
}

static bool fit_all(Session *y)
{
    const size_t count = y->models.models.count;
    const char *folder = y->command.from ? y->command.from : y->command.output;
    const Table **tables = ARENA_ARRAY(y->arena, const Table *, count);
    for (size_t i = 0; i < count; i++) {
        const size_t k = first_of_space(y, i);
        tables[i] = k < i ? tables[k] : read_recording(y, folder, y->models.models.at[i].space);
    }
    const PlatformResult *r = platform_fit(y->arena, &y->models, tables, y->diag);
    command_flush_messages(y->diag);
    if (!r)
        return false;
    y->copy = platform_copy_read(arena_printf(y->arena, "%s/%s", folder, copy_file));
    const DeviceNumber from = {.origin = "measured",
                               .source =
                                   "aptune platform: the driver's copy, in turn with the suite's",
                               .date = arena_printf(y->arena, "%.10s", r->last)};
    if (y->copy.driver > 0)
        sheet_set(y->arena, r->sheet, sheet_number_named("memory_driver_copy"), y->copy.driver, 0,
                  from);
    char room[64];
    const char *name =
        sheet_simple_name(r->sheet->device.name, strlen(r->sheet->device.name), room);
    return write_results(y, r, arena_printf(y->arena, "%s.device", name && *name ? name : "gpu"));
}

/* --- comparing -------------------------------------------------------------------------------- */

/* Also knows the devices of the theses, which have numbers but no limits to carve by. */
static const Device *find_platform(const char *name)
{
    const DeviceSheet *s = sheet_find(name);
    return s ? &s->device : NULL;
}

static bool compare(Session *y, const char *first, const char *second)
{
    const Device *one = command_device(y->call, first, find_platform);
    const Device *other = one ? command_device(y->call, second, find_platform) : NULL;
    if (!other)
        return false;
    const DeviceSheet *a = one->sheet, *b = other->sheet;
    SCOPED_BUF out = {0};
    const Drawn w = {y->arena, {a, b}, y->command.output, y->diag};
    if (w.folder && !(folder_create(w.folder, y->diag) && draw_patterns(&w) && draw_branches(&w)))
        return false;
    if (y->command.json)
        platform_pair_json(a, b, &out);
    else
        platform_compare(a, b, &out);
    return command_print_text(buf_text(&out));
}

static bool measure_and_fit(Session *y)
{
    if (!y->command.output)
        y->command.output = "aptune-platform";
    const char *path = y->command.models ? y->command.models
                                         : where_data(y->arena, NULL, "metrics/platform.models");
    const Source *s = source_read(y->arena, path, y->diag);
    y->models.arena = y->arena;
    if (!s || !models_read(&y->models, s, y->diag)) {
        y->call->code = EXIT_USAGE;
        return false;
    }
    bool ok = true;
    if (!y->command.from)
        y->interrupt = interrupt_catch();
    for (size_t i = 0; i < y->models.models.count && ok && !y->command.from; i++)
        ok = first_of_space(y, i) < i || measure_one(y, y->models.models.at[i].space);
    if (ok)
        return fit_all(y);
    const int number = interrupt_take(&y->interrupt);
    if (number)
        y->call->code = EXIT_SIGNAL + number;
    return false;
}

static bool platform(Call *c)
{
    if (c->count == 1)
        return command_refuse(c, "unexpected argument '%s'", c->words[0]);
    Session y = {
        .call = c, .arena = c->arena, .diag = c->diag, .command = *(PlatformCommand *)c->options};
    return c->count == 2 ? compare(&y, c->words[0], c->words[1]) : measure_and_fit(&y);
}

static PlatformCommand asked;

const CommandLine cmd_platform = {
    .usage = "usage: aptune platform [options]            measure the GPU here, then fit\n"
             "       aptune platform --from DIR [options] fit existing recordings, without a GPU\n"
             "       aptune platform A B                  compare two devices (names or device "
             "files)\n"
             "The benchmarks are the specs in spaces/platform and those of the anti-parallel "
             "patterns;\nmetrics/platform.models gives each one's formula and the numbers of a "
             "device file that follow\nfrom it.\n",
    .table = {{OPTION_GROUP(options, &asked)}},
    .most = 2,
    .work = platform,
    .options = &asked};

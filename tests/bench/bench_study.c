/* What a study costs, and what it keeps in memory: the shipped recording of the matrix multiply,
 * and a synthetic one made of its rows, ten times as long (or as many rows as the argument says).
 *
 * In the synthetic recording each row comes again and again with another value of a parameter COPY,
 * other code and times scaled by up to two percent: the sizes of everything are real, its figures
 * mean nothing.  Each part is the processor time of one core; the last column is the time of a row
 * in the synthetic recording over that in the shipped one, so that 1 is linear. */
#include "metrics/base/file.h"
#include "tuner/record/profile.h"
#include "tuner/record/table_read.h"
#include "tuner/record/times.h"
#include "tuner/report/study_sheets.h"
#include "tuner/study/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char shipped[] = SOURCE_DIR "/spaces/recordings/mm-core-h200.times.zst";
static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

/* --- the synthetic recording ------------------------------------------------------------------ */

static RecordHeader with_copies(Arena *a, const RecordHeader *h)
{
    RecordHeader out = *h;
    RecordParameter *p = ARENA_ARRAY(a, RecordParameter, h->parameter_count + 1);
    memcpy(p, h->parameters, h->parameter_count * sizeof *p);
    p[h->parameter_count] = (RecordParameter){.name = "COPY"};
    out.space = "synthetic";
    out.device = "synthetic device, nothing was measured";
    out.parameters = p;
    out.parameter_count++;
    return out;
}

static const char *code_of(Arena *a, const char *code, size_t copy)
{
    return code ? arena_printf(a, "%s%zx", code, copy) : NULL;
}

static bool write_times(Arena *a, const TimesRecording *from, const char *path, size_t rows,
                        Diag *d)
{
    RecordHeader h = with_copies(a, &from->header);
    TimesRecording *existing;
    TimesWriter *w = times_open_append(a, path, &h, &existing, d);
    size_t parameters = from->header.parameter_count;
    Value *values = ARENA_ARRAY(a, Value, parameters + 1);
    double *times = ARENA_ARRAY(a, double, 1000);
    bool ok = w != NULL;
    for (size_t i = 0; i < rows && ok; i++) {
        RecordRow row = from->rows.at[i % from->rows.count];
        size_t copy = i / from->rows.count;
        memcpy(values, row.values, parameters * sizeof *values);
        values[parameters] = value_int((int64_t)copy);
        for (size_t k = 0; k < row.time_count; k++)
            times[k] = record_round(row.times_ms[k] * (1 + 0.002 * (double)(copy % 10)));
        row.values = values;
        row.times_ms = times;
        row.code = code_of(a, row.code, copy);
        ok = times_append(w, &row, d);
    }
    return times_close(w, d) && ok;
}

static bool write_profile(Arena *a, const ProfileRecording *from, const RecordHeader *about,
                          const char *path, size_t copies, Diag *d)
{
    ProfileHeader h = from->header;
    h.about = with_copies(a, about);
    ProfileWriter *w = profiles_create(a, path, &h, d);
    bool ok = w != NULL;
    for (size_t copy = 0; copy < copies; copy++)
        for (size_t i = 0; i < from->rows.count && ok; i++) {
            ProfileRow row = from->rows.at[i];
            row.code = code_of(a, row.code, copy);
            ok = profiles_append(w, &row, d);
        }
    return profiles_close(w, d) && ok;
}

static bool make_synthetic(const char *path, size_t rows, Diag *d)
{
    Arena *a = arena_new();
    const TimesRecording *times = times_read(a, shipped, d);
    const ProfileRecording *profile = profiles_read(a, record_profile_path(a, shipped), d);
    bool ok = times && profile && write_times(a, times, path, rows, d) &&
              write_profile(a, profile, &times->header, record_profile_path(a, path),
                            rows / times->rows.count + 1, d);
    arena_free(a);
    return ok;
}

/* --- a study ---------------------------------------------------------------------------------- */

enum { READ, CHOOSE, JUDGE, SEARCH, PARTS };

static const char *const part_names[PARTS] = {"read and evaluate", "carve", "judge",
                                              "100 searches"};

/* What a child process found out. */
typedef struct Costs {
    size_t points;
    double seconds[PARTS];
    double megabytes; /* the most that the process held */
} Costs;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void charge(Costs *c, int part, double *since)
{
    double now = processor_seconds();
    c->seconds[part] = now - *since;
    *since = now;
}

static bool study(const char *path, Costs *c)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    MetricSet *metrics = metricset_new(a);
    for (size_t i = 0; i < 2; i++)
        metricset_read(metrics, source_read(a, metric_files[i], &d), &d);
    double since = processor_seconds();
    Table *s = table_read(a, path, metrics, &d);
    if (!s)
        return false;
    charge(c, READ, &since);
    Choices choices = choices_new(a, s, "predicted_cycles");
    choices_add_shipped(&choices, &d);
    charge(c, CHOOSE, &since);
    StudyOptions options = {.time_metric = "predicted_cycles"};
    Study judged = study_space(a, s, choices.at, choices.count, &options);
    study_sheets(a, &judged, 1);
    charge(c, JUDGE, &since);
    options.seeds = 100;
    study_space(a, s, choices.at, 0, &options);
    charge(c, SEARCH, &since);
    c->seconds[SEARCH] -= c->seconds[JUDGE]; /* which it did again */
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    c->megabytes = (double)use.ru_maxrss / 1024;
    c->points = s->count;
    arena_free(a);
    return true;
}

/* In a process of its own, for the memory. */
static bool study_apart(const char *path, Costs *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        Costs c = {0};
        bool ok = study(path, &c) && write(ends[1], &c, sizeof c) == (ssize_t)sizeof c;
        _exit(ok ? 0 : 1);
    }
    close(ends[1]);
    bool ok = read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return ok;
}

static void print_costs(const Costs *small, const Costs *large)
{
    printf("%-20s %10zu %10zu rows\n", "", small->points, large->points);
    for (int k = 0; k < PARTS; k++)
        printf("%-20s %8.3f s %8.3f s  %.2f\n", part_names[k], small->seconds[k], large->seconds[k],
               large->seconds[k] / (double)large->points /
                   (small->seconds[k] / (double)small->points));
    printf("%-20s %7.0f MB %7.0f MB\n", "most memory", small->megabytes, large->megabytes);
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 107680;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    char *folder = arena_string(a, "/tmp/bench_study_XXXXXX");
    Costs small = {0}, large = {0};
    bool ok = mkdtemp(folder) != NULL;
    const char *path = arena_printf(a, "%s/synthetic.times", folder);
    pid_t maker = fork(); /* so that what it holds counts for nobody */
    if (maker == 0)
        _exit(ok && make_synthetic(path, rows, &d) ? 0 : 1);
    int status = 1;
    waitpid(maker, &status, 0);
    ok = status == 0 && study_apart(shipped, &small) && study_apart(path, &large);
    if (ok)
        print_costs(&small, &large);
    else
        fputs("bench_study: a recording cannot be read or written\n", stderr);
    unlink(path);
    unlink(record_profile_path(a, path));
    rmdir(folder);
    arena_free(a);
    return !ok;
}

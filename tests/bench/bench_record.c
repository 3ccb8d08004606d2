/* How large a recording is and how long it takes to write, read and pack.  Synthetic rows: 12
 * parameters, a random code hash for each, 10 times of 7 digits scattered by one percent. */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/hash.h"
#include "tuner/record/times.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 10500, PARAMETERS = 12, TIMES = 10 };

static double milliseconds(void)
{
    return clock_seconds() * 1e3;
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void append_row(TimesWriter *w, size_t i, uint64_t *seed, Diag *d)
{
    Value values[PARAMETERS] = {0};
    size_t rest = i;
    for (size_t k = 0; k < PARAMETERS; k++, rest /= 3)
        values[k] = value_int((int64_t)16 << rest % 3);
    double times[TIMES], mean = 2 + 20 * uniform(seed);
    for (size_t k = 0; k < TIMES; k++)
        times[k] = record_round(mean * (1 + 0.01 * uniform(seed)));
    Hash code = hash_bytes(&i, sizeof i);
    char launch[64];
    snprintf(launch, sizeof launch, "%zux%zu 16x16 0", i % 7 * 32, i % 5 * 32);
    RecordRow row = {.values = values,
                     .status = OUTCOME_OK,
                     .code = code.text,
                     .launch = launch,
                     .times_ms = times,
                     .time_count = TIMES,
                     .max_error = record_round(1e-6 * uniform(seed))};
    times_append(w, &row, d);
}

static size_t size_of(const char *path, Diag *d)
{
    Arena *a = arena_new();
    size_t size = 0;
    file_read(a, path, &size, d);
    arena_free(a);
    return size;
}

/* The fastest of five. */
static void bench_read(const char *path, Diag *d)
{
    double fastest = 1e9;
    size_t rows = 0;
    for (int i = 0; i < 5; i++) {
        Arena *a = arena_new();
        double start = milliseconds();
        const TimesRecording *r = times_read(a, path, d);
        double took = milliseconds() - start;
        fastest = took < fastest ? took : fastest;
        rows = r ? r->rows.count : 0;
        arena_free(a);
    }
    printf("read %zu rows of %zu bytes: %.1f ms\n", rows, size_of(path, d), fastest);
}

int main(void)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *path = arena_printf(a, "/tmp/bench_record.%ld.times", (long)getpid());
    const char *packed = arena_printf(a, "%s.zst", path);
    RecordParameter parameters[PARAMETERS] = {0};
    for (size_t k = 0; k < PARAMETERS; k++)
        parameters[k].name = arena_printf(a, "P%zu", k);
    const RecordHeader h = {
        .space = "synthetic", .parameters = parameters, .parameter_count = PARAMETERS};
    TimesRecording *existing;
    TimesWriter *w = times_open_append(a, path, &h, &existing, &d);
    uint64_t seed = 1;
    double start = milliseconds();
    for (size_t i = 0; w && i < ROWS; i++)
        append_row(w, i, &seed, &d);
    printf("write %d rows: %.1f ms\n", ROWS, milliseconds() - start);
    times_close(w, &d);
    bench_read(path, &d);
    start = milliseconds();
    record_compress(path, packed, &d);
    printf("pack: %.1f ms\n", milliseconds() - start);
    bench_read(packed, &d);
    unlink(path);
    unlink(packed);
    Buf out = {0};
    diag_print(&d, &out);
    fputs(buf_text(&out), stderr);
    buf_free(&out);
    arena_free(a);
    return d.errors > 0;
}

/* The static profile against hardware counters: for every launch of data/counters, what the profile
 * says of the code without running it, and what the H200 counted when it ran.
 *
 * Figures are totals of a launch.  Where the profile itself says that it does not know a figure, or
 * that it is a mean over some warps, the launch is not compared in it; how many are compared is
 * asserted, so that this cannot become all of them. */
#include "metrics/base/file.h"
#include "metrics/metric/profile_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LAUNCHES_MAX = 256, PARAMETERS_MAX = 64, NAME_MAX_BYTES = 64 };

typedef enum Figure { ISSUED, SECTORS, WAVEFRONTS, FIGURES } Figure;

static const char *const FIGURE_NAMES[FIGURES] = {"issued", "global sectors", "shared wavefronts"};

typedef struct Launch {
    char name[NAME_MAX_BYTES], files[NAME_MAX_BYTES], kernel[NAME_MAX_BYTES];
    int64_t grid[3], block[3];
    unsigned char parameters[PARAMETERS_MAX];
    size_t parameter_bytes;
    double counted[FIGURES], predicted[FIGURES]; /* NaN: the profile does not claim to know it */
} Launch;

/* Parameters as they lie in memory, each aligned to its size; a buffer is somewhere, aligned as the
 * driver aligns it. */
static void add_parameter(Launch *l, const char *word)
{
    bool is_buffer = word[0] == 'b';
    size_t size = is_buffer ? 8 : 4;
    size_t at = (l->parameter_bytes + size - 1) / size * size;
    int32_t integer = (int32_t)strtol(word + 1, NULL, 10);
    uint64_t address = (at / 8 + 1) << 40;
    assert_true(at + size <= PARAMETERS_MAX);
    memcpy(l->parameters + at, is_buffer ? (const void *)&address : &integer, size);
    l->parameter_bytes = at + size;
}

static bool read_launch(char *line, Launch *l)
{
    int used = 0;
    *l = (Launch){.parameter_bytes = 0};
    if (line[0] == '#' || sscanf(line, "%63s %63s %63s %ld,%ld,%ld %ld,%ld,%ld%n", l->name,
                                 l->files, l->kernel, &l->grid[0], &l->grid[1], &l->grid[2],
                                 &l->block[0], &l->block[1], &l->block[2], &used) != 9)
        return false;
    char *rest = NULL;
    for (char *w = strtok_r(line + used, " \n", &rest); w; w = strtok_r(NULL, " \n", &rest))
        add_parameter(l, w);
    return true;
}

/* A line of counters.csv; the launch whose name it has. */
static void read_counters(const char *line, Launch *l)
{
    double instr, loaded, stored, all, loads, stores;
    size_t length = strlen(l->name);
    assert_true(strncmp(line, l->name, length) == 0);
    assert_int_equal(sscanf(line + length, ",%lf,%lf,%lf,%lf,%lf,%lf", &instr, &loaded, &stored,
                            &all, &loads, &stores),
                     6);
    l->counted[ISSUED] = instr;
    l->counted[SECTORS] = loaded + stored;
    l->counted[WAVEFRONTS] = loads + stores; /* `all` has shuffles and arbitration too */
}

static size_t read_launches(Launch *launch)
{
    char line[512];
    size_t count = 0, counted = 0;
    FILE *f = fopen(TEST_DATA "/counters/launches.txt", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (count < LAUNCHES_MAX && read_launch(line, &launch[count]))
            count++;
    fclose(f);
    f = fopen(TEST_DATA "/counters/counters.csv", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (line[0] != '#' && strncmp(line, "name,", 5) != 0) {
            assert_true(counted < count);
            read_counters(line, &launch[counted++]);
        }
    fclose(f);
    assert_int_equal(counted, count);
    return count;
}

static const void *read_code(Arena *a, const Launch *l, const char *ending, size_t *size, Diag *d)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/counters/%s.%s", l->files, ending);
    const void *bytes = file_read(a, path, size, d);
    assert_non_null(bytes);
    return bytes;
}

static void predict(Launch *l)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProfileInput in = {.kernel = l->kernel,
                       .device = device_find("h200"),
                       .parameters = l->parameters,
                       .parameter_bytes = l->parameter_bytes};
    memcpy(in.grid, l->grid, sizeof in.grid);
    memcpy(in.block, l->block, sizeof in.block);
    in.ptx = read_code(a, l, "ptx", &in.ptx_size, &d);
    in.cubin = read_code(a, l, "cubin", &in.cubin_size, &d);
    Profile p;
    Hash code;
    if (!profile_build(a, &in, &p, &code, &d))
        fail_msg("%s cannot be profiled", l->name);
    const double *v = p.value;
    double warps = v[PROFILE_WARPS_PER_BLOCK] * v[PROFILE_BLOCKS];
    bool way_known = v[PROFILE_BRANCHES_UNKNOWN] == 0 && v[PROFILE_LOOPS_UNKNOWN] == 0;
    bool code_known = way_known && v[PROFILE_CODE_UNMATCHED] == 0;
    bool memory_known =
        way_known && v[PROFILE_ACCESSES_UNKNOWN] == 0 && v[PROFILE_ACCESSES_SAMPLED] == 0;
    l->predicted[ISSUED] = code_known ? v[PROFILE_ISSUED] * warps : NAN;
    l->predicted[SECTORS] = memory_known ? v[PROFILE_GLOBAL_SECTORS] * warps : NAN;
    l->predicted[WAVEFRONTS] = memory_known ? v[PROFILE_SHARED_WAVEFRONTS] * warps : NAN;
    arena_free(a);
}

static double error_of(const Launch *l, Figure f)
{
    if (l->counted[f] == 0)
        return l->predicted[f] == 0 ? 0 : INFINITY;
    return fabs(l->predicted[f] / l->counted[f] - 1);
}

static void print_all(const Launch *launch, size_t count)
{
    print_message("%-24s %10s %10s %10s %10s %10s %10s\n", "", "issued", "counted", "sectors",
                  "counted", "wavefronts", "counted");
    for (size_t i = 0; i < count; i++) {
        const Launch *l = &launch[i];
        print_message("%-24s %10.0f %10.0f %10.0f %10.0f %10.0f %10.0f\n", l->name,
                      l->predicted[ISSUED], l->counted[ISSUED], l->predicted[SECTORS],
                      l->counted[SECTORS], l->predicted[WAVEFRONTS], l->counted[WAVEFRONTS]);
    }
}

static void compare(Figure f, double tolerance, size_t least)
{
    static Launch launch[LAUNCHES_MAX];
    size_t count = read_launches(launch), compared = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        predict(&launch[i]);
        if (isnan(launch[i].predicted[f]))
            continue;
        compared++;
        if (error_of(&launch[i], f) > tolerance) {
            wrong++;
            print_message("%s: %s %.0f, counted %.0f\n", launch[i].name, FIGURE_NAMES[f],
                          launch[i].predicted[f], launch[i].counted[f]);
        }
    }
    if (wrong || compared < least)
        print_all(launch, count);
    print_message("%s: %zu of %zu launches compared\n", FIGURE_NAMES[f], compared, count);
    assert_int_equal(wrong, 0);
    assert_true(compared >= least);
}

static void global_sectors_are_exact(void **state)
{
    (void)state;
    compare(SECTORS, 1e-9, 130);
}

static void shared_wavefronts_are_those_counted(void **state)
{
    (void)state;
    compare(WAVEFRONTS, 0.03, 130);
}

static void issued_instructions_are_within_a_hundredth(void **state)
{
    (void)state;
    compare(ISSUED, 0.01, 134);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_sectors_are_exact),
        cmocka_unit_test(shared_wavefronts_are_those_counted),
        cmocka_unit_test(issued_instructions_are_within_a_hundredth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

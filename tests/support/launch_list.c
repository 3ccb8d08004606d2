#include "tests/support/launch_list.h"

#include "metrics/base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Parameters as they lie in memory, each aligned to its size; a buffer is somewhere, aligned as the
 * driver aligns it. */
static void add_parameter(Launch *l, const char *word)
{
    Contents c;
    const bool is_buffer = contents_read(word, &c);
    const size_t size = is_buffer || word[0] == 'l' ? 8 : 4;
    const size_t at = (l->parameter_bytes + size - 1) / size * size;
    const float number = strtof(word + 1, NULL);
    uint64_t bits = (uint64_t)strtoll(word + 1, NULL, 10);
    if (word[0] == 's') {
        l->shared = (int64_t)bits;
        return;
    }
    if (at + size > LAUNCH_PARAMETERS || l->buffers == LAUNCH_BUFFERS)
        return;
    if (word[0] == 'f')
        memcpy(&bits, &number, sizeof number);
    if (is_buffer) {
        l->buffer[l->buffers] = c;
        bits = (uint64_t)++l->buffers << 40;
    }
    memcpy(l->parameters + at, &bits, size);
    l->parameter_bytes = at + size;
}

bool launch_read(char *line, Launch *l)
{
    int used = 0;
    *l = (Launch){.parameter_bytes = 0};
    if (line[0] == '#' || sscanf(line,
                                 "%127s %127s %127s %" SCNd64 ",%" SCNd64 ",%" SCNd64 " %" SCNd64
                                 ",%" SCNd64 ",%" SCNd64 "%n",
                                 l->name, l->files, l->kernel, &l->grid[0], &l->grid[1],
                                 &l->grid[2], &l->block[0], &l->block[1], &l->block[2], &used) != 9)
        return false;
    char *rest = NULL;
    for (char *w = strtok_r(line + used, " \n", &rest); w; w = strtok_r(NULL, " \n", &rest))
        add_parameter(l, w);
    return true;
}

typedef struct Stood {
    const Launch *launch;
    const unsigned char *bytes[LAUNCH_BUFFERS];
} Stood;

static bool before(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const Stood *s = context;
    const uint64_t number = address >> 40, at = address & ((UINT64_C(1) << 40) - 1);
    if (number < 1 || number > s->launch->buffers ||
        at + (uint64_t)bytes > s->launch->buffer[number - 1].bytes)
        return false;
    *value = 0;
    memcpy(value, s->bytes[number - 1] + at, (size_t)bytes);
    return true;
}

static bool load(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const Stood *s = context;
    const uint64_t number = address >> 40;
    return number >= 1 && number <= s->launch->buffers && s->launch->buffer[number - 1].constant &&
           before(context, address, bytes, value);
}

static bool no_symbol(void *context, const char *name, uint64_t *address)
{
    (void)context;
    (void)name;
    (void)address;
    return false;
}

/* Deviations of a sample below this are none of the comparison. */
static const double DOUBT = 0.01;

static void judge(Launch *l)
{
    const double *v = l->profile.value, warps = v[PROFILE_WARPS_PER_BLOCK] * v[PROFILE_BLOCKS];
    const bool way = v[PROFILE_BRANCHES_UNKNOWN] == 0 && v[PROFILE_LOOPS_UNKNOWN] == 0;
    const bool code = v[PROFILE_LOOPS_UNKNOWN] == 0 && v[PROFILE_UNCERTAINTY_ISSUED] < DOUBT;
    const bool memory = way && v[PROFILE_ACCESSES_UNKNOWN] == 0 && v[PROFILE_ACCESSES_SAMPLED] == 0;
    l->predicted[ISSUED] = code ? v[PROFILE_ISSUED] * warps : NAN;
    l->predicted[SECTORS] = memory ? v[PROFILE_GLOBAL_SECTORS] * warps : NAN;
    l->predicted[WAVEFRONTS] = memory ? v[PROFILE_SHARED_WAVEFRONTS] * warps : NAN;
    l->predicted[LOCAL] = memory && code ? v[PROFILE_LOCAL_TRAFFIC] * warps : NAN;
}

bool launch_predict(Launch *l, const char *folder, Diag *d)
{
    Arena *a = arena_new();
    Stood s = {.launch = l};
    const WalkData data = {&s, load, before, no_symbol, before, NULL};
    ProfileInput in = {.kernel = l->kernel,
                       .device = device_find("h200"),
                       .launch.parameters = l->parameters,
                       .launch.parameter_bytes = l->parameter_bytes,
                       .launch.shared = l->shared,
                       .data = &data};
    for (size_t i = 0; i < l->buffers; i++) {
        unsigned char *room = arena_alloc(a, l->buffer[i].bytes);
        contents_fill(&l->buffer[i], room);
        s.bytes[i] = room;
    }
    memcpy(in.launch.grid, l->grid, sizeof in.launch.grid);
    memcpy(in.launch.block, l->block, sizeof in.launch.block);
    in.ptx = file_read(a, arena_printf(a, "%s/%s.ptx", folder, l->files), &in.ptx_size, d);
    in.cubin = file_read(a, arena_printf(a, "%s/%s.cubin", folder, l->files), &in.cubin_size, d);
    Hash code;
    const bool ok = in.ptx && in.cubin && profile_build(a, &in, &l->profile, &code, d);
    if (ok) {
        judge(l);
        l->profile.note = l->profile.note ? arena_string(d->arena, l->profile.note) : NULL;
    }
    arena_free(a);
    return ok;
}

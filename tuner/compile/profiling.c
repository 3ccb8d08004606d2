#include "tuner/compile/profiling.h"

#include "metrics/base/clock.h"

#include <stdlib.h>

/* --- a job ------------------------------------------------------------------------------------ */

JSON_TABLE(TRIPS, WalkTrips, JSON_FIELD(WalkTrips, line), JSON_FIELD(WalkTrips, rounds));

JSON_TABLE(BUFFER, ProfileBuffer, JSON_FIELD(ProfileBuffer, address),
           JSON_FIELD(ProfileBuffer, bytes), JSON_FIELD(ProfileBuffer, filled),
           JSON_FIELD(ProfileBuffer, written), JSON_FIELD(ProfileBuffer, fresh));

JSON_TABLE(LAUNCH, ProfileLaunch, JSON_FIELD_ROW(ProfileLaunch, grid),
           JSON_FIELD_ROW(ProfileLaunch, block), JSON_FIELD(ProfileLaunch, shared),
           JSON_FIELD_BYTES(ProfileLaunch, parameters, parameter_bytes),
           JSON_FIELD_STRUCTS(ProfileLaunch, buffers, buffer_count, BUFFER),
           JSON_FIELD_STRUCTS(ProfileLaunch, trips, trip_count, TRIPS));

static const JsonField JOB_FIELDS[] = {
    JSON_FIELD_TEXT_OR_NULL(ProfileJob, kernel),
    JSON_FIELD_POINTER(ProfileJob, device, DEVICE_JSON), JSON_FIELD_TEXT_OR_NULL(ProfileJob, data),
    JSON_FIELD_STRUCTS(ProfileJob, launches, launch_count, LAUNCH)};
const JsonStruct PROFILE_JOB_JSON = JSON_STRUCT(ProfileJob, JOB_FIELDS);

bool profile_job_is_whole(const ProfileJob *p)
{
    return p->launch_count > 0 && p->device && p->device->major > 0 && p->device->sms > 0;
}

Hash profile_job_key(const Hash *code, const ProfileJob *p)
{
    const int numbers[] = {PROFILER_VERSION, PROFILE_FIELDS, REGION_COLUMNS};
    Buf parameters = {0};
    json_t *j = json_of_struct(&PROFILE_JOB_JSON, p, &parameters);
    char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
    Hasher *h = hasher_new();
    hasher_string(h, "profile");
    hasher_add(h, numbers, sizeof numbers);
    hasher_string(h, code->text);
    hasher_string(h, text ? text : "");
    hasher_add(h, parameters.text, parameters.size);
    free(text);
    json_decref(j);
    buf_free(&parameters);
    return hasher_end(h);
}

ProfileInput profile_job_input(const ProfileJob *p, size_t launch, const ProfileInput *code)
{
    const ProfileLaunch *l = &p->launches[launch];
    ProfileInput in = *code;
    in.device = p->device;
    in.dynamic_shared = l->shared;
    in.parameters = l->parameters;
    in.parameter_bytes = l->parameter_bytes;
    in.buffers = l->buffers;
    in.buffer_count = l->buffer_count;
    in.trips = l->trips;
    in.trip_count = l->trip_count;
    memcpy(in.grid, l->grid, sizeof in.grid);
    memcpy(in.block, l->block, sizeof in.block);
    return in;
}

ProfileAnswer profile_job_do(Arena *a, const ProfileJob *p, const ProfileInput *code)
{
    const double since = clock_seconds(), cpu = clock_cpu_seconds();
    Diag d = diag_new(a);
    Profile *profiles = ARENA_ARRAY(a, Profile, p->launch_count);
    ProfileAnswer x = {.profiles = profiles, .count = p->launch_count};
    bool ok = true;
    for (size_t i = 0; i < p->launch_count && ok; i++) {
        const ProfileInput in = profile_job_input(p, i, code);
        ok = profile_build(a, &in, &profiles[i], &x.code, &d);
    }
    if (!ok)
        x.error = diag_first(&d);
    x.seconds = clock_seconds() - since;
    x.cpu_seconds = clock_cpu_seconds() - cpu;
    return x;
}

/* --- an answer -------------------------------------------------------------------------------- */

/* One profile, its numbers as they lie in memory. */
typedef struct Packed {
    const char *values, *regions, *note;
    size_t value_bytes, region_bytes;
} Packed;

typedef struct PackedAnswer {
    const char *error, *code;
    const Packed *profiles;
    size_t count;
    double seconds, cpu_seconds;
} PackedAnswer;

JSON_TABLE(PACKED, Packed, JSON_FIELD_BYTES(Packed, values, value_bytes),
           JSON_FIELD_BYTES(Packed, regions, region_bytes), JSON_FIELD_TEXT_OR_NULL(Packed, note));

JSON_TABLE(ANSWER, PackedAnswer, JSON_FIELD_TEXT_OR_NULL(PackedAnswer, error),
           JSON_FIELD(PackedAnswer, code),
           JSON_FIELD_STRUCTS(PackedAnswer, profiles, count, PACKED),
           JSON_FIELD(PackedAnswer, seconds), JSON_FIELD(PackedAnswer, cpu_seconds));

json_t *profile_answer_json(const ProfileAnswer *x, Buf *numbers)
{
    Arena *a = arena_new();
    const size_t count = x->error ? 0 : x->count;
    Packed *packed = ARENA_ARRAY(a, Packed, count);
    for (size_t i = 0; i < count; i++) {
        const Profile *p = &x->profiles[i];
        packed[i] = (Packed){.values = (const char *)p->value,
                             .value_bytes = sizeof p->value,
                             .regions = (const char *)p->regions,
                             .region_bytes = p->region_count * sizeof *p->regions,
                             .note = p->note};
    }
    json_t *j = json_of_struct(&ANSWER,
                               &(PackedAnswer){x->error, x->error ? "" : x->code.text, packed,
                                               count, x->seconds, x->cpu_seconds},
                               numbers);
    arena_free(a);
    return j;
}

static bool read_profile(Arena *a, const Packed *from, Profile *p)
{
    ProfileRegion regions[PROFILE_REGION_ROOM];
    *p = profile_new();
    p->note = from->note;
    if (from->value_bytes != sizeof p->value || from->region_bytes > sizeof regions ||
        from->region_bytes % sizeof *regions != 0)
        return false;
    memcpy(p->value, from->values, sizeof p->value);
    if (from->region_bytes)
        memcpy(regions, from->regions, from->region_bytes);
    profile_set_regions(a, p, regions, from->region_bytes / sizeof *regions);
    return true;
}

bool profile_answer_read(Arena *a, const json_t *head, Blob numbers, ProfileAnswer *out)
{
    Diag quiet = diag_new(a);
    PackedAnswer x;
    if (!json_read_struct(a, &ANSWER, head, numbers, &x, &quiet) ||
        (!x.error && strlen(x.code) != HASH_TEXT - 1))
        return false;
    Profile *profiles = ARENA_ARRAY(a, Profile, x.count + 1);
    *out = (ProfileAnswer){.error = x.error,
                           .profiles = profiles,
                           .count = x.count,
                           .seconds = x.seconds,
                           .cpu_seconds = x.cpu_seconds};
    if (!x.error)
        memcpy(out->code.text, x.code, HASH_TEXT);
    bool ok = true;
    for (size_t i = 0; i < x.count && ok; i++)
        ok = read_profile(a, &x.profiles[i], &profiles[i]);
    return ok;
}

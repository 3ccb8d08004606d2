#include "tuner/compile/profiling.h"

#include "metrics/base/clock.h"

#include <stdlib.h>

/* --- a job ------------------------------------------------------------------------------------ */

JSON_TABLE(TRIPS, WalkTrips, JSON_FIELD(WalkTrips, line), JSON_FIELD(WalkTrips, rounds));

JSON_TABLE(BUFFER, ProfileBuffer, JSON_FIELD(ProfileBuffer, address),
           JSON_FIELD(ProfileBuffer, bytes), JSON_FIELD(ProfileBuffer, filled),
           JSON_FIELD(ProfileBuffer, written));

JSON_TABLE(LAUNCH, ProfileLaunch, JSON_FIELD_ROW(ProfileLaunch, grid),
           JSON_FIELD_ROW(ProfileLaunch, block), JSON_FIELD(ProfileLaunch, shared),
           JSON_FIELD_BYTES(ProfileLaunch, parameters, parameter_bytes),
           JSON_FIELD_STRUCTS(ProfileLaunch, buffers, buffer_count, BUFFER),
           JSON_FIELD_STRUCTS(ProfileLaunch, trips, trip_count, TRIPS));

JSON_TABLE(JOB, ProfileJob, JSON_FIELD_TEXT_OR_NULL(ProfileJob, kernel),
           JSON_FIELD_POINTER(ProfileJob, device, DEVICE_JSON),
           JSON_FIELD_TEXT_OR_NULL(ProfileJob, data),
           JSON_FIELD_STRUCTS(ProfileJob, launches, launch_count, LAUNCH));

json_t *profile_job_json(const ProfileJob *p, Buf *parameters)
{
    return json_of_struct(&JOB, p, parameters);
}

bool profile_job_read(Arena *a, const json_t *j, Blob parameters, ProfileJob *out)
{
    Diag d = diag_new(a);
    return json_read_struct(a, &JOB, j, parameters, out, &d) && out->launch_count > 0 &&
           out->device && out->device->major > 0 && out->device->sms > 0;
}

Hash profile_job_key(const Hash *code, const ProfileJob *p)
{
    const int numbers[] = {PROFILER_VERSION, PROFILE_FIELDS, REGION_COLUMNS};
    Buf parameters = {0};
    json_t *j = profile_job_json(p, &parameters);
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

json_t *profile_answer_json(const ProfileAnswer *x, Buf *numbers)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->count && !x->error; i++) {
        const Profile *p = &x->profiles[i];
        buf_add(numbers, (const char *)p->value, sizeof p->value);
        if (p->region_count)
            buf_add(numbers, (const char *)p->regions, p->region_count * sizeof *p->regions);
        json_array_append_new(list, json_pack("{s:I, s:s?}", "regions", (json_int_t)p->region_count,
                                              "note", p->note));
    }
    return json_pack("{s:s?, s:s, s:o, s:f, s:f}", "error", x->error, "code",
                     x->error ? "" : x->code.text, "profiles", list, "seconds", x->seconds, "cpu",
                     x->cpu_seconds);
}

/* Takes `size` bytes off the front; false when there are fewer. */
static bool take(Blob *from, void *to, size_t size)
{
    if (size > from->size)
        return false;
    memcpy(to, from->bytes, size);
    *from = (Blob){(const char *)from->bytes + size, from->size - size};
    return true;
}

static bool read_profile(Arena *a, const json_t *one, Blob *numbers, Profile *p)
{
    ProfileRegion regions[PROFILE_REGION_ROOM];
    const json_int_t count = json_integer_value(json_object_get(one, "regions"));
    const char *note = json_string_value(json_object_get(one, "note"));
    *p = profile_new();
    p->note = note ? arena_string(a, note) : NULL;
    if (count < 0 || count > PROFILE_REGION_ROOM || !take(numbers, p->value, sizeof p->value) ||
        !take(numbers, regions, (size_t)count * sizeof *regions))
        return false;
    profile_set_regions(a, p, regions, (size_t)count);
    return true;
}

bool profile_answer_read(Arena *a, const json_t *head, Blob numbers, ProfileAnswer *out)
{
    const json_t *list = json_object_get(head, "profiles"), *one;
    const char *code = json_string_value(json_object_get(head, "code"));
    const char *error = json_string_value(json_object_get(head, "error"));
    Profile *profiles = ARENA_ARRAY(a, Profile, json_array_size(list) + 1);
    bool ok = error || (code && strlen(code) == HASH_TEXT - 1);
    size_t i;
    *out = (ProfileAnswer){.error = error ? arena_string(a, error) : NULL,
                           .profiles = profiles,
                           .count = json_array_size(list),
                           .seconds = json_number_value(json_object_get(head, "seconds")),
                           .cpu_seconds = json_number_value(json_object_get(head, "cpu"))};
    if (ok && !error)
        memcpy(out->code.text, code, HASH_TEXT);
    json_array_foreach(list, i, one)
    {
        ok = ok && read_profile(a, one, &numbers, &profiles[i]);
    }
    return ok && numbers.size == 0;
}

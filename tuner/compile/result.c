#include "tuner/compile/result.h"

#include "tuner/spec/code_text.h"

#include <stdlib.h>

/* --- requests for profiles --------------------------------------------------------------------- */

JSON_TABLE(TRIPS, WalkTrips, JSON_FIELD(WalkTrips, line), JSON_FIELD(WalkTrips, last),
           JSON_FIELD(WalkTrips, rounds));

JSON_TABLE(BUFFER, ProfileBuffer, JSON_FIELD(ProfileBuffer, address),
           JSON_FIELD(ProfileBuffer, bytes), JSON_FIELD(ProfileBuffer, filled),
           JSON_FIELD(ProfileBuffer, written), JSON_FIELD(ProfileBuffer, fresh),
           JSON_FIELD(ProfileBuffer, restored), JSON_FIELD(ProfileBuffer, launches));

JSON_TABLE(LAUNCH, ProfileLaunch, JSON_FIELD_ROW(ProfileLaunch, grid),
           JSON_FIELD_ROW(ProfileLaunch, block), JSON_FIELD(ProfileLaunch, shared),
           JSON_FIELD_BYTES(ProfileLaunch, parameters, parameter_bytes),
           JSON_FIELD_STRUCTS(ProfileLaunch, buffers, buffer_count, BUFFER),
           JSON_FIELD_STRUCTS(ProfileLaunch, trips, trip_count, TRIPS));

static const JsonField JOB_FIELDS[] = {
    JSON_FIELD_TEXT_OR_NULL(ProfileJob, kernel),
    JSON_FIELD_POINTER(ProfileJob, device, DEVICE_JSON), JSON_FIELD_TEXT_OR_NULL(ProfileJob, data),
    JSON_FIELD_STRUCTS(ProfileJob, launches, launch_count, LAUNCH)};
static const JsonStruct PROFILE_JOB = JSON_STRUCT(ProfileJob, JOB_FIELDS);

static bool job_is_whole(const ProfileJob *p)
{
    return p->launch_count > 0 && p->device && p->device->major > 0 && p->device->sms > 0;
}

Hash profile_job_key(const Hash *code, const ProfileJob *p)
{
    const int numbers[] = {PROFILER_VERSION, PROFILER_REVISION, PROFILE_FIELDS, REGION_COLUMNS};
    SCOPED_BUF parameters = {0};
    json_auto_t *j = json_of_struct(&PROFILE_JOB, p, &parameters);
    char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
    Hasher *h = hasher_new();
    hasher_string(h, "profile");
    hasher_add(h, numbers, sizeof numbers);
    hasher_string(h, code->text);
    hasher_string(h, text ? text : "");
    hasher_add(h, parameters.text, parameters.size);
    free(text);
    return hasher_end(h);
}

/* --- profiles ---------------------------------------------------------------------------------- */

/* One profile, its numbers as laid out in memory. */
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
    SCOPED_ARENA *a = arena_new();
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
    return json_of_struct(&ANSWER,
                          &(PackedAnswer){x->error, x->error ? "" : x->code.text, packed, count,
                                          x->seconds, x->cpu_seconds},
                          numbers);
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

/* False: malformed, or its fields are not this program's. */
static bool read_answer(Arena *a, const json_t *head, Blob numbers, ProfileAnswer *out)
{
    PackedAnswer x;
    if (!json_read_struct(a, &ANSWER, head, numbers, &x, DIAG_UNHEARD(a)) ||
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

/* ---- messages ------------------------------------------------------------------------------ */

JSON_TABLE(RESULT, CompileResult, JSON_FIELD_BELOW(CompileResult, status, OUTCOMES),
           JSON_FIELD_RAW(CompileResult, log), JSON_FIELD_RAW(CompileResult, ptx),
           JSON_FIELD_BYTES(CompileResult, cubin, cubin_size),
           JSON_FIELD_RAWS(CompileResult, lowered), JSON_FIELD(CompileResult, seconds),
           JSON_FIELD(CompileResult, cpu_seconds));

JSON_TABLE(REQUEST, CompileRequest, JSON_FIELD(CompileRequest, id),
           JSON_FIELD_RAW(CompileRequest, name), JSON_FIELD_RAW(CompileRequest, source),
           JSON_FIELD_RAWS(CompileRequest, options), JSON_FIELD_RAWS(CompileRequest, names),
           JSON_FIELD_RAWS(CompileRequest, headers), JSON_FIELD_RAW(CompileRequest, ptx),
           JSON_FIELD_BYTES(CompileRequest, cubin, cubin_size),
           JSON_FIELD_POINTER(CompileRequest, profile, PROFILE_JOB));

json_t *result_json(const CompileResult *r, Buf *blob)
{
    return json_of_struct(&RESULT, r, blob);
}

bool result_read(Arena *a, const WireMessage *reply, CompileResult *out)
{
    const Blob blob = {arena_copy(a, reply->blob.bytes, reply->blob.size), reply->blob.size};
    if (!json_read_struct(a, &RESULT, reply->header, blob, out, DIAG_UNHEARD(a)) ||
        (out->status != OUTCOME_COMPILED && out->status != OUTCOME_COMPILE_ERROR))
        return false;
    out->ptx_size = strlen(out->ptx);
    out->ptx = *out->ptx ? out->ptx : NULL;
    return true;
}

json_t *request_json(const CompileRequest *q, Buf *blob)
{
    return json_of_struct(&REQUEST, q, blob);
}

bool request_read(Arena *a, const WireMessage *m, CompileRequest *out, Diag *d)
{
    return json_read_struct(a, &REQUEST, m->header, m->blob, out, d) &&
           ((out->headers.count % 2 == 0 && (!out->profile || job_is_whole(out->profile))) ||
            diag_fail(d, "a request is malformed"));
}

/* ---- logs ---------------------------------------------------------------------------------- */

/* An earlier line may have the word in a warning, or end in "catastrophic error:". */
const char *result_first_error(Arena *a, const char *log)
{
    if (!log)
        return "";
    const char *at = strstr(log, " error:");
    if (!at)
        at = strstr(log, "ptxas error");
    if (!at)
        at = log;
    at = code_line_start(log, at);
    return arena_copy(a, at, strcspn(at, "\n"));
}

const char *result_errors(Arena *a, const char *log)
{
    enum { MOST = 3 };
    SCOPED_BUF b = {0};
    size_t errors = 0;
    for (const char *at = log; *at;) {
        const char *blank = strstr(at, "\n\n"), *end = blank ? blank + 2 : at + strlen(at);
        const char *block = arena_copy(a, at, (size_t)(end - at));
        const char *first = arena_copy(a, block, strcspn(block, "\n"));
        /* A block's first line tells its kind; a path may be on a line of its own. */
        bool fatal = strncmp(first, "ptxas fatal", 11) == 0;
        bool error = fatal || (strstr(block, "error:") && !strstr(first, "warning #"));
        bool counted = strstr(first, " detected in the compilation of");
        bool place = strncmp(first, "headers were looked for", 23) == 0;
        errors += error && !counted;
        if ((error && !counted && errors <= MOST) || place)
            buf_puts(&b, block);
        at = end;
    }
    if (errors > MOST)
        buf_printf(&b, "and %zu more errors\n", errors - MOST);
    return errors ? arena_string(a, buf_text(&b)) : log;
}

/* ---- the cache ----------------------------------------------------------------------------- */

/* Part of every key: raised when the same job would be compiled differently than before. */
enum { KEY_VERSION = 4 };

/* True if the compiler writes the includes' folders into the code. */
static bool tells_folders(const CompileJob *job)
{
    static const char *const NAMES[] = {"-lineinfo", "--generate-line-info", "-generate-line-info",
                                        "-G",        "--device-debug",       "-device-debug"};
    for (size_t i = 0; i < job->options.count; i++)
        for (size_t k = 0; k < COUNT_OF(NAMES); k++)
            if (strncmp(job->options.at[i], NAMES[k], strlen(NAMES[k])) == 0)
                return true;
    return false;
}

Hash result_key(const char *compiler, const CompileJob *job)
{
    Hasher *h = hasher_new();
    int version = KEY_VERSION;
    hasher_add(h, &version, sizeof version);
    hasher_string(h, compiler);
    hasher_string(h, job->hash.text);
    hasher_string(h, job->source->places.text);
    for (size_t i = 0; tells_folders(job) && i < job->options.count; i++)
        hasher_string(h, job->options.at[i]);
    return hasher_end(h);
}

bool result_recall(const Cache *c, Arena *a, const Hash *key, CompileResult *out)
{
    WireMessage m;
    if (!cache_get(c, key, &m))
        return false;
    bool ok = result_read(a, &m, out);
    out->from_cache = true;
    wire_message_free(&m);
    return ok;
}

bool result_read_profile(Arena *a, const WireMessage *reply, size_t launches, CompileResult *r)
{
    if (!read_answer(a, reply->header, reply->blob, &r->profile) ||
        (!r->profile.error && r->profile.count != launches))
        return false;
    r->profiled = r->profile.error ? PROFILE_ERROR : PROFILE_OK;
    r->lost = r->profile.error;
    return true;
}

bool result_recall_profile(const Cache *c, Arena *a, const Hash *key, size_t launches,
                           CompileResult *out)
{
    WireMessage m;
    if (!cache_get(c, key, &m))
        return false;
    *out = (CompileResult){
        .status = OUTCOME_COMPILED, .log = "", .from_cache = true, .profile_from_cache = true};
    bool ok = result_read_profile(a, &m, launches, out) && out->profiled == PROFILE_OK;
    wire_message_free(&m);
    return ok;
}

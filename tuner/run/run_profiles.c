/* Profiles to and from recordings: every distinct code and launch once. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/metric/profile_build.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static ProfileHeader profile_header(Run *r, const RecordHeader *about)
{
    const char **fields = ARENA_ARRAY(r->arena, const char *, PROFILE_FIELDS);
    for (int f = 0; f < PROFILE_FIELDS; f++)
        fields[f] = profile_info((ProfileField)f)->name;
    return (ProfileHeader){.about = *about,
                           .profiler = arena_printf(r->arena, "%d", PROFILER_VERSION),
                           .fields = fields,
                           .field_count = PROFILE_FIELDS};
}

/* Profiles can be made again at any time, so the file is written anew by each run. */
bool run_write_profiles(Run *r, const RecordHeader *h)
{
    const char *path = arena_printf(r->arena, "%s/%s.profile", r->options.output, r->spec->name);
    unlink(path);
    ProfileHeader header = profile_header(r, h);
    ProfileRecording *none; /* the file is new */
    ProfileWriter *w = profiles_open_append(r->arena, path, &header, &none, r->diag);
    if (!w)
        return false;
    Arena *a = arena_new();
    bool ok = true;
    for (size_t i = 0; i < r->config_count && ok; i++) {
        const Config *c = &r->configs[i];
        if (!c->profile || c->same_as != i)
            continue;
        ProfileRow row = {.code = run_code_text(a, r, c),
                          .launch = run_launch_text(a, r, c),
                          .values = c->profile->value};
        ok = profiles_append(w, &row, r->diag);
        arena_reset(a);
    }
    arena_free(a);
    return profiles_close(w, r->diag) && ok;
}

/* The profile recording beside the times, if it is there and has the fields of this program. */
static const ProfileRecording *open_profiles(Run *r)
{
    const char *path = record_profile_path(r->arena, r->recording_path);
    if (!path || !file_exists(path))
        return NULL;
    Diag d = diag_new(r->arena);
    const ProfileRecording *p = profiles_read(r->arena, path, &d);
    char version[16];
    snprintf(version, sizeof version, "%d", PROFILER_VERSION);
    if (!p) {
        diag_warn(r->diag, (Span){0}, "%s; its profiles are made anew",
                  d.messages.count ? d.messages.at[0].text : "cannot be read");
        return NULL;
    }
    return strcmp(p->header.profiler, version) == 0 ? p : NULL;
}

/* A row's numbers in the order of this program's fields. */
static const Profile *profile_of_row(Arena *a, const ProfileHeader *h, const ProfileRow *row)
{
    Profile *p = ARENA_NEW(a, Profile);
    *p = profile_new();
    for (int f = 0; f < PROFILE_FIELDS; f++) {
        size_t k = profiles_field(h, profile_info((ProfileField)f)->name);
        if (k != SIZE_MAX)
            p->value[f] = row->values[k];
    }
    return p;
}

/* One configuration; false when the recording does not know its code or profile. */
static bool take_config(Run *r, const ProfileRecording *profiles, Arena *scratch, size_t i)
{
    Config *c = &r->configs[i];
    const RecordRow *row = run_recorded_row(r, r->recording, i);
    if (!row)
        return false;
    if (row->status == RECORD_COMPILE_ERROR) {
        c->code = CODE_ERROR;
        c->failure = row->message;
        return true;
    }
    if (!run_take_code_text(r, row->code, c))
        return false;
    const ProfileRow *p = profiles_find(profiles, row->code, run_launch_text(scratch, r, c));
    if (!p)
        return false;
    c->profile = profile_of_row(r->arena, &profiles->header, p);
    c->code = CODE_OK;
    return true;
}

bool run_take_recorded(Run *r)
{
    double since = clock_seconds();
    const ProfileRecording *profiles = open_profiles(r);
    bool complete = profiles != NULL;
    Arena *scratch = arena_new();
    for (size_t i = 0; i < r->config_count && complete; i++) {
        if (r->configs[i].tier0 == TIER0_FITS && run_is_mine(r, i))
            complete = take_config(r, profiles, scratch, i);
        arena_reset(scratch);
    }
    arena_free(scratch);
    for (size_t i = 0; i < r->config_count && !complete; i++) {
        r->configs[i].code = CODE_NONE;
        r->configs[i].failure = NULL;
        r->configs[i].profile = NULL;
    }
    r->compiler = r->recording->header.nvrtc;
    run_charge(r, LEDGER_PROFILE, &since);
    return complete;
}

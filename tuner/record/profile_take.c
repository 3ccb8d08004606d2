#include "tuner/record/profile_take.h"

#include "tuner/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one row ---------------------------------------------------------------------------------- */

static size_t column_of(const ProfileHeader *h, const char *name)
{
    for (size_t k = 0; k < h->column_count; k++)
        if (strcmp(h->columns[k], name) == 0)
            return k;
    return SIZE_MAX;
}

ProfileColumns profiles_columns(const ProfileHeader *h)
{
    ProfileColumns c = {.region_stride = h->column_count};
    for (int f = 0; f < PROFILE_FIELDS; f++)
        c.field[f] = profiles_field(h, profile_info((ProfileField)f)->name);
    for (int k = 0; k < REGION_COLUMNS; k++)
        c.region[k] = column_of(h, profile_region_names()[k]);
    return c;
}

/* Regions in the order of this program's columns; none where the recording lacks one. */
static void take_regions(Arena *a, const ProfileColumns *c, const ProfileRow *row, Profile *p)
{
    ProfileRegion regions[PROFILE_REGION_ROOM];
    const size_t count =
        row->region_count < PROFILE_REGION_ROOM ? row->region_count : PROFILE_REGION_ROOM;
    for (int k = 0; k < REGION_COLUMNS; k++) {
        if (c->region[k] == SIZE_MAX)
            return;
        for (size_t i = 0; i < count; i++)
            regions[i].value[k] = row->regions[i * c->region_stride + c->region[k]];
    }
    profile_set_regions(a, p, regions, count);
}

Profile *profiles_take(Arena *a, const ProfileColumns *c, const ProfileRow *row)
{
    Profile *p = ARENA_NEW(a, Profile);
    *p = profile_new();
    for (int f = 0; f < PROFILE_FIELDS; f++)
        if (c->field[f] != SIZE_MAX)
            p->value[f] = row->values[c->field[f]];
    p->note = row->note;
    take_regions(a, c, row, p);
    return p;
}

/* --- all launches of a configuration ---------------------------------------------------------- */

static const char *step_key(Arena *a, const char *code, size_t code_size, const char *launch,
                            size_t launch_size)
{
    char *key = arena_alloc(a, code_size + launch_size + 2);
    memcpy(key, code, code_size);
    key[code_size] = ' ';
    memcpy(key + code_size + 1, launch, launch_size);
    return key;
}

const char *profiles_key(Arena *a, const char *code, const char *launch)
{
    return step_key(a, code, strlen(code), launch ? launch : "", launch ? strlen(launch) : 0);
}

bool profiles_key_is_many(const char *key)
{
    return strpbrk(key, "+;*") != NULL;
}

/* Moves behind the next '+'; NULL at the end. */
static const char *next_kernel(const char *text)
{
    const char *plus = strchr(text, '+');
    return plus ? plus + 1 : NULL;
}

const ProfileStep *profiles_steps(Arena *a, const char *code, const char *launch, size_t *count)
{
    VEC(ProfileStep) steps = {0};
    for (size_t kernel = 0; code && launch; kernel++) {
        const char *at = launch, *end;
        do {
            size_t size = strcspn(at, ";+*");
            end = at + strcspn(at, ";+");
            ProfileStep step = {.key = step_key(a, code, strcspn(code, "+"), at, size),
                                .times = at[size] == '*' ? strtod(at + size + 1, NULL) : 1,
                                .kernel = kernel};
            VEC_PUSH(a, &steps, step);
            at = end + 1;
        } while (*end == ';');
        code = next_kernel(code);
        launch = next_kernel(launch);
    }
    *count = steps.count;
    return steps.at;
}

size_t profiles_shares(Arena *a, const ProfileStep *steps, const Profile *const *profiles,
                       size_t count, const LaunchProfile **out)
{
    LaunchProfile *shares = ARENA_ARRAY(a, LaunchProfile, count);
    size_t n = 0;
    for (size_t from = 0, to; from < count; from = to) {
        double all = 0, found = 0;
        size_t first = n;
        for (to = from; to < count && steps[to].kernel == steps[from].kernel; to++) {
            all += steps[to].times;
            if (!profiles[to])
                continue;
            found += steps[to].times;
            shares[n++] = (LaunchProfile){profiles[to], steps[to].times};
        }
        if (n == first)
            return 0;
        for (size_t i = first; i < n; i++)
            shares[i].times *= all / found;
    }
    *out = shares;
    return n;
}

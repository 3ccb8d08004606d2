#include "tuner/record/profile_take.h"

#include "metrics/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one row
 * --------------------------------------------------------------------------------------
 */

/* Regions in the order of this program's columns; none where the recording lacks one. */
static void take_regions(Arena *a, const ProfileHeader *h, const ProfileRow *row, Profile *p)
{
    ProfileRegion regions[PROFILE_REGION_ROOM];
    const size_t count =
        row->region_count < PROFILE_REGION_ROOM ? row->region_count : PROFILE_REGION_ROOM;
    for (int c = 0; c < REGION_COLUMNS; c++) {
        size_t k = 0;
        const char *name = profile_region_names()[c];
        while (k < h->column_count && strcmp(h->columns[k], name) != 0)
            k++;
        if (k == h->column_count)
            return;
        for (size_t i = 0; i < count; i++)
            regions[i].value[c] = row->regions[i * h->column_count + k];
    }
    profile_set_regions(a, p, regions, count);
}

const Profile *profiles_take(Arena *a, const ProfileHeader *h, const ProfileRow *row)
{
    Profile *p = ARENA_NEW(a, Profile);
    *p = profile_new();
    for (int f = 0; f < PROFILE_FIELDS; f++) {
        size_t k = profiles_field(h, profile_info((ProfileField)f)->name);
        if (k != SIZE_MAX)
            p->value[f] = row->values[k];
    }
    p->note = row->note;
    take_regions(a, h, row, p);
    return p;
}

/* --- all launches of a configuration
 * --------------------------------------------------------------
 */

/* The launches of one kernel, as "grid/block/shared*times;…" names them. */
typedef struct Launches {
    const char *code, *steps; /* each up to a '+' or the end */
} Launches;

/* Moves behind the next '+'; NULL at the end. */
static const char *next_launch(const char *text)
{
    const char *plus = strchr(text, '+');
    return plus ? plus + 1 : NULL;
}

typedef VEC(ProfileShare) ShareVec;

/* Adds a share for every step that has a profile; where only some of many have one, they stand for
 * all. */
static bool add_launches(Arena *a, const ProfileRecording *r, const Launches *l, ShareVec *out)
{
    const char *code = arena_copy(a, l->code, strcspn(l->code, "+"));
    const char *at = l->steps;
    double all = 0, found = 0;
    size_t first = out->count;
    for (;;) {
        size_t length = strcspn(at, ";+*");
        const char *end = at + strcspn(at, ";+");
        double times = at[length] == '*' ? strtod(at + length + 1, NULL) : 1;
        const ProfileRow *row = profiles_find(r, code, arena_copy(a, at, length));
        all += times;
        if (row) {
            found += times;
            VEC_PUSH(a, out, ((ProfileShare){profiles_take(a, &r->header, row), times}));
        }
        if (*end != ';')
            break;
        at = end + 1;
    }
    for (size_t i = first; i < out->count; i++)
        out->at[i].times *= all / found;
    return out->count > first;
}

size_t profiles_take_shares(Arena *a, const ProfileRecording *r, const char *code,
                            const char *launch, const ProfileShare **out)
{
    ShareVec shares = {0};
    while (code && launch) {
        if (!add_launches(a, r, &(Launches){code, launch}, &shares))
            return 0;
        code = next_launch(code);
        launch = next_launch(launch);
    }
    *out = shares.at;
    return shares.count;
}

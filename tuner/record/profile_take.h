/* Recorded rows as profiles of this program. */
#ifndef APTUNE_RECORD_PROFILE_TAKE_H
#define APTUNE_RECORD_PROFILE_TAKE_H

#include "metrics/metric/metricset.h"
#include "tuner/record/profile.h"

/* Where a recording has this program's fields and columns of regions; SIZE_MAX where it has not. */
typedef struct ProfileColumns {
    size_t field[PROFILE_FIELDS];
    size_t region[REGION_COLUMNS];
    size_t region_stride; /* numbers of a region in the recording */
} ProfileColumns;

ProfileColumns profiles_columns(const ProfileHeader *h);

/* A row's numbers in the order of this program's fields, in `a`; what the recording lacks is not
 * known. */
Profile *profiles_take(Arena *a, const ProfileColumns *c, const ProfileRow *row);

/* What of a configuration's code and launches ("hash+hash", "grid/block/shared*3;…+…") one profile
 * is about: a step of a kernel, launched so often. */
typedef struct ProfileStep {
    const char *key; /* "hash grid/block/shared" */
    double times;
    size_t kernel; /* from 0 */
} ProfileStep;

/* All steps, in order. */
const ProfileStep *profiles_steps(Arena *a, const char *code, const char *launch, size_t *count);

/* Code and launch (NULL as "") as one text: of a row of profiles equal to the key of the step it is
 * the profile of. */
const char *profiles_key(Arena *a, const char *code, const char *launch);

/* Is it the key of more than one launch of one kernel? */
bool profiles_key_is_many(const char *key);

/* The shares of a configuration, `profiles` being what is known of each of its steps (NULL: not).
 * Where only some steps of a kernel have one, these stand for all of it.  0 when one of its kernels
 * has none. */
size_t profiles_shares(Arena *a, const ProfileStep *steps, const Profile *const *profiles,
                       size_t count, const LaunchProfile **out);

#endif

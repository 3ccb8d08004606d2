/* Recorded rows as profiles of this program. */
#ifndef APTUNE_RECORD_PROFILE_TAKE_H
#define APTUNE_RECORD_PROFILE_TAKE_H

#include "metrics/metric/shares.h"
#include "tuner/record/profile.h"

/* A row's numbers in the order of this program's fields; what the recording lacks is not known. */
const Profile *profiles_take(Arena *a, const ProfileHeader *h, const ProfileRow *row);

/* The profiles of a configuration, by the code and launches that its row of times names
 * ("hash+hash", "grid/block/shared*3;…+…").  0 when one of its kernels has none. */
size_t profiles_take_shares(Arena *a, const ProfileRecording *r, const char *code,
                            const char *launch, const ProfileShare **out);

#endif

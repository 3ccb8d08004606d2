/* The static profile of a space: what analysis says of each distinct piece of code.
 *
 * Regenerable at any time without a GPU, and so kept apart from the times.  A line
 * per code hash and launch geometry, with one number for each field that the header
 * names; a profiler of another version or with other fields writes a new file.
 *
 *     {"aptune":"profile","format":1,"profiler":"3","fields":["instr","regions"],"space":"mm",…}
 *     {"code":"…","launch":"…","f":[15150,769],"sum":"…"}
 *
 * Where the header names columns of regions, a line may have "r": the regions' numbers, one row
 * after the other. */
#pragma once

#include "metrics/base/vec.h"
#include "metrics/metric/metricset.h"
#include "tuner/record/header.h"
#include "metrics/base/map.h"

typedef struct ProfileHeader {
    RecordHeader about;   /* the space and the compiler; what is about a device may be missing */
    const char *profiler; /* version of the analysis */
    const char *const *fields;
    size_t field_count;
    const char *const *columns; /* of regions */
    size_t column_count;        /* 0: no row has regions */
} ProfileHeader;

typedef struct ProfileRow {
    const char *code;      /* hash of the code; required */
    const char *launch;    /* launch geometry as text, "" for any */
    const double *values;  /* one per field; NaN: not known */
    const char *note;      /* what the analysis could not do; NULL for nothing */
    const double *regions; /* as many rows of the header's columns; to 6 digits */
    size_t region_count;   /* 0: not known */
} ProfileRow;

typedef struct ProfileRecording {
    const char *path;
    ProfileHeader header;
    VEC(ProfileRow) rows;
    bool cut;    /* the file ends inside a line, which is not among the rows */
    size_t size; /* bytes of whole lines, unpacked */
    Map by_code;
} ProfileRecording;

/* Reads a profile, packed or not, into `a`.  NULL with every damaged line named. */
ProfileRecording *profiles_read(Arena *a, const char *path, Diag *d);

/* Gives every row in turn to `take`, in the order of the file, and keeps none: a row is gone when
 * `take` returns.  For callers that want a few numbers of each of very many.  False with every
 * damaged line named: then what was taken must not be used. */
typedef void ProfileTake(void *context, const ProfileHeader *h, const ProfileRow *row);
bool profiles_visit(const char *path, ProfileTake *take, void *context, Diag *d);

/* The latest row of this code and launch geometry (NULL as ""); NULL when there is none. */
const ProfileRow *profiles_find(const ProfileRecording *r, const char *code, const char *launch);

/* The number of a field, SIZE_MAX when there is no such one. */
size_t profiles_field(const ProfileHeader *h, const char *name);

/* Where the profile of a recording of times lies: "mm.profile.zst" for "mm.times.zst".  NULL when
 * the name is not one of times. */
const char *record_profile_path(Arena *a, const char *times);

/* By the same profiler, with the same fields?  If not, `why` gets the first difference. */
bool profiles_same(const ProfileHeader *have, const ProfileHeader *want, Buf *why);

typedef struct ProfileWriter ProfileWriter;

/* Creates or continues, as times_open_append; a profile by another profiler or with other fields is
 * refused, and the caller may remove it. */
ProfileWriter *profiles_open_append(Arena *a, const char *path, const ProfileHeader *h,
                                    ProfileRecording **existing, Diag *d);
bool profiles_append(ProfileWriter *w, const ProfileRow *row, Diag *d);

/* NULL is allowed. */
bool profiles_close(ProfileWriter *w, Diag *d);

/* --- recorded rows as profiles of this program ------------------------------------------------ */

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

/* Code and launch (NULL as "") as one text. */
const char *profiles_key(Arena *a, const char *code, const char *launch);

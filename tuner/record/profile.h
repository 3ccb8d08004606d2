/* The static profile of a space: the analysis of each distinct piece of code.
 *
 * It can be regenerated without a GPU and is therefore kept apart from the times. There is a line
 * per code hash and launch geometry, with a number for each field that the header names. A profiler
 * of another version or with other fields writes a new file.
 *
 *     {"aptune":"profile","format":1,"profiler":"3","fields":["instr","regions"],"space":"mm",…}
 *     {"code":"…","launch":"…","f":[15150,769],"sum":"…"}
 *
 * If the header names columns of regions, a line may have "r": the regions' numbers, row by row. */
#pragma once

#include "metrics/metric/metricset.h"
#include "tuner/record/header.h"
#include "tuner/record/pack.h"
#include "metrics/base/map.h"

typedef struct ProfileHeader {
    RecordHeader about;   /* space and compiler; may lack the device */
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
    const char *note;      /* what the analysis could not do; may be NULL */
    const double *regions; /* region_count rows of the header's columns; to 6 digits */
    size_t region_count;   /* 0: not known */
} ProfileRow;

/* Indices of this program's fields and region columns in a recording; SIZE_MAX: missing. */
typedef struct ProfileColumns {
    size_t field[PROFILE_FIELDS];
    size_t region[REGION_COLUMNS];
    size_t region_stride; /* numbers per region in the recording */
} ProfileColumns;

typedef struct ProfileRecording {
    const char *path;
    ProfileHeader header;
    VEC(ProfileRow) rows;
    RecordEnd file; /* a partial last line is not among the rows */
    Map by_code;
    ProfileColumns columns;
} ProfileRecording;

/* Reads a profile, compressed or not, into `a`. NULL after messages on all damaged lines. */
ProfileRecording *profiles_read(Arena *a, const char *path, Diag *d);

/* The latest row of a code and launch geometry (NULL as ""); NULL: none. */
const ProfileRow *profiles_find(const ProfileRecording *r, const char *code, const char *launch);

/* The index of a field; SIZE_MAX: none. */
size_t profiles_field(const ProfileHeader *h, const char *name);

/* The path of the profile that belongs to a recording of times: "mm.profile.zst" for
 * "mm.times.zst". NULL if `times` is no such name. */
const char *record_profile_path(Arena *a, const char *times);

typedef struct ProfileWriter ProfileWriter;

/* Creates a file.  NULL after a message, also if there is one already. */
ProfileWriter *profiles_create(Arena *a, const char *path, const ProfileHeader *h, Diag *d);
bool profiles_append(ProfileWriter *w, const ProfileRow *row, Diag *d);

/* NULL is allowed. */
bool profiles_close(ProfileWriter *w, Diag *d);

/* --- recorded rows as profiles of this program ------------------------------------------------ */

ProfileColumns profiles_columns(const ProfileHeader *h);

/* A row's numbers in the order of this program's fields, in `a`; missing ones are not known. */
Profile *profiles_take(Arena *a, const ProfileColumns *c, const ProfileRow *row);

/* The same of the latest row of a code and launch; NULL: none. */
const Profile *profiles_get(Arena *a, const ProfileRecording *r, const char *code,
                            const char *launch);

/* Code and launch (NULL as "") as one key. */
const char *profiles_key(Arena *a, const char *code, const char *launch);

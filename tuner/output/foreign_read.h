/* Readers of other tuners' files, by what stands in their outermost object:
 *
 *     "cache"    Kernel Tuner's cache file (schema versions 1.0 and 1.1)
 *     "results"  T4 (1.0 and 1.1), as Kernel Tuner, KTT, the benchmark hub and aptune write it
 *     "Results"  KTT's own JSON
 *
 * The outermost object may end before it is closed. */
#ifndef APTUNE_OUTPUT_FOREIGN_READ_H
#define APTUNE_OUTPUT_FOREIGN_READ_H

#include "tuner/output/foreign.h"
#include "tuner/output/scan.h"
#include "tuner/run/run.h"

/* Reads a file's text; `path` is for messages.  `unit`, when not NULL, is the unit of its times
 * whatever it says; `progress`, when not NULL, is told of the bytes read.  NULL after a message
 * when it is of no known format or has no row. */
ForeignTable *foreign_read(Arena *a, const char *path, const char *text, size_t size,
                           const char *unit, const RunProgress *progress, Diag *d);

/* --- for the readers of one format --------------------------------------------------------------
 */

typedef struct ForeignReader {
    ForeignTable *table;
    Scan *scan;
    Arena *scratch;              /* emptied after each row */
    Buf copy;                    /* of the row that is parsed */
    const RunProgress *progress; /* NULL: nobody is told */
    Diag *diag;
} ForeignReader;

/* Takes one row, an object, and adds it; `key` is the one it stands under, empty in an array.
 * `whole`: its integers were read as reals. */
typedef void (*ForeignTake)(ForeignReader *r, ScanText key, const json_t *row, bool whole);

void foreign_take_cache_row(ForeignReader *r, ScanText key, const json_t *row, bool whole);
void foreign_take_t4_row(ForeignReader *r, ScanText key, const json_t *row, bool whole);
void foreign_take_ktt_row(ForeignReader *r, ScanText key, const json_t *row, bool whole);

/* What stands beside the rows. */
void foreign_take_cache_field(ForeignReader *r, ScanText key, const json_t *v);
void foreign_take_t4_field(ForeignReader *r, ScanText key, const json_t *v);
void foreign_take_ktt_field(ForeignReader *r, ScanText key, const json_t *v);

/* The text of a field, kept; NULL when it is none or empty. */
const char *foreign_text(const ForeignReader *r, const json_t *object, const char *key);

/* A value as JSON, in the table's arena; NULL for none. */
const char *foreign_json(const ForeignReader *r, const json_t *value);

/* Takes the name of the unit of the file's times; NULL is allowed. */
void foreign_take_unit(ForeignTable *t, const char *name);

/* The numbers of an array, those that are none as NaN, in scratch memory. */
const double *foreign_numbers(ForeignReader *r, const json_t *array, size_t *count);

/* The values of an object's members that are called as the parameters are; NULL, counted, when one
 * is missing.  The first row names the parameters where nothing has yet. */
ForeignValue *foreign_named_values(ForeignReader *r, const json_t *object, bool whole);

/* Room for a row's values, in scratch memory; NULL, counted, when there are no parameters, or too
 * many. */
ForeignValue *foreign_new_values(ForeignReader *r);

/* The same values, kept. */
ForeignValue *foreign_keep_values(ForeignReader *r, const ForeignValue *values);

/* Counts a row whose own mean says something else than its times do: the times count. */
void foreign_compare_mean(ForeignTable *t, const double *times, size_t count, double mean);

#endif

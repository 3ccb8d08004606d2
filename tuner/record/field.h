/* The fields of one line, with what is wrong said by file and line.
 *
 * Functions that read a field note a failure in the reader and return something
 * harmless, so that a line is read without an `if` per field and judged at the end.
 * Fields that no function asks for are ignored: newer programs may add some. */
#ifndef APTUNE_RECORD_FIELD_H
#define APTUNE_RECORD_FIELD_H

#include "tuner/record/line.h"
#include "tuner/record/pack.h"

#include <jansson.h>

typedef struct FieldReader {
    Arena *arena; /* of the texts and arrays read */
    json_t *root;
    const char *path;
    size_t line; /* from 1 */
    Diag *diag;
    bool ok;
} FieldReader;

/* Parses a line; what is read of it goes to `a`.  field_close ends it in any case. */
void field_open(FieldReader *r, Arena *a, const RecordLine *line, Diag *d);

/* True when nothing was wrong with what was read. */
bool field_close(FieldReader *r);

/* Adds a message with the place; returns false and makes the reader fail. */
bool field_fail(FieldReader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool field_exists(const FieldReader *r, const char *key);

/* A text; NULL when there is none (a failure if `required`). */
const char *field_text(FieldReader *r, const char *key, bool required);

/* A number as line_number writes it: null is NaN, "inf" infinity; `missing` when there is none. */
double field_number(FieldReader *r, const char *key, double missing);

/* An array of numbers, texts or values; 0 elements when there is none. */
double *field_numbers(FieldReader *r, const char *key, size_t *count);
const char **field_texts(FieldReader *r, const char *key, size_t *count);
RecordValue *field_values(FieldReader *r, const char *key, size_t *count);

/* An array of pairs [name, x]: the names, and what stands beside them, until field_close. */
typedef struct FieldPairs {
    const char **names;
    const json_t **second;
    size_t count;
} FieldPairs;
FieldPairs field_pairs(FieldReader *r, const char *key);

/* What stands beside a name. */
RecordValue field_as_value(FieldReader *r, const json_t *v);
double field_as_number(FieldReader *r, const json_t *v);
const char *field_as_text(FieldReader *r, const json_t *v); /* NULL: it is none */

#endif

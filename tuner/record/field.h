/* Reads and writes the fields of a line by one table. Errors name the file and line.
 *
 * A read error is noted in the reader, which returns a harmless value, so that callers check once
 * per line instead of once per field. Unknown fields are ignored: newer programs may add some. */
#pragma once

#include "tuner/record/header.h"

#include <jansson.h>

typedef enum FieldKind {
    FIELD_TEXT,    /* const char *; NULL when read and missing */
    FIELD_VALUE,   /* Value, an integer or a string */
    FIELD_NUMBER,  /* double, as line_number writes it */
    FIELD_ROUGH,   /* double, to 6 digits */
    FIELD_COUNT,   /* int, `least` or more */
    FIELD_OUTCOME, /* Outcome, by its name in recordings */
    FIELD_IS_TEXT  /* bool: "text" or "int" */
} FieldKind;

typedef enum FieldWhen {
    FIELD_ALWAYS,   /* a missing text is an error; NULL is written as "" */
    FIELD_IF_ANY,   /* NULL, numbers not above 0 and empty lists are not written */
    FIELD_IF_KNOWN, /* NaN is not written; a missing value reads as NaN */
    FIELD_OR_EMPTY, /* a missing text reads as "", and NULL is written as "" */
    FIELD_IF_FULL   /* a missing text reads as "", and neither NULL nor "" is written */
} FieldWhen;

typedef struct Field {
    const char *key;
    FieldKind kind;
    FieldWhen when;
    size_t at;       /* offset of the member; of a list's pointer */
    size_t count_at; /* lists: offset of the size_t count */
    size_t size;     /* of a list element; 0: not a list */
    bool pairs;      /* list elements are [name, x], a struct of a text and the value */
    int least;       /* smallest valid count */
} Field;

#define FIELD_AS(T, word, member, ...)                                                             \
    {                                                                                              \
        .key = (word), .at = offsetof(T, member), __VA_ARGS__                                      \
    }
#define FIELD(T, word, of, whenever, member)                                                       \
    FIELD_AS(T, word, member, .kind = (of), .when = (whenever))
#define FIELD_COUNTED(T, word, whenever, member, from)                                             \
    FIELD_AS(T, word, member, .kind = FIELD_COUNT, .when = (whenever), .least = (from))
#define FIELD_LIST(T, word, of, whenever, member, many)                                            \
    FIELD_AS(T, word, member, .kind = (of), .when = (whenever), .count_at = offsetof(T, many),     \
             .size = sizeof *((T *)0)->member)
#define FIELD_PAIRS(T, word, of, member, many)                                                     \
    FIELD_AS(T, word, member, .kind = (of), .count_at = offsetof(T, many),                         \
             .size = sizeof *((T *)0)->member, .pairs = true)

/* An array of fields and its size, as the functions below take them. */
#define FIELDS(array) (array), COUNT_OF(array)

/* Appends the fields, in table order, to a line that the caller has begun. */
void fields_write(Buf *line, const Field *fields, size_t count, const void *from);

typedef struct FieldReader {
    Arena *arena; /* owns texts and arrays that were read */
    json_t *root;
    const char *path;
    size_t line;
    Diag *diag;
    bool ok;
} FieldReader;

typedef void FieldTake(FieldReader *r, void *to);

/* Parses a line, of which `take` reads the fields; values are allocated in `a`.  False after any error. */
bool field_line(Arena *a, const RecordLine *line, FieldTake *take, void *to, Diag *d);

/* Reports an error at the reader's line and marks the reader failed; returns false. */
bool field_fail(FieldReader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool field_exists(const FieldReader *r, const char *key);

/* Reads fields up to the first failure. */
void fields_read(FieldReader *r, const Field *fields, size_t count, void *to);

/* --- whole recordings ------------------------------------------------------------------------- */

/* Writes, and reads, the fields of a header, the first of a recording's lines. */
void record_header_write(const RecordHeader *h, Buf *line);
void record_header_take(FieldReader *r, RecordHeader *h);

/* How the lines of a recording are read into a struct. */
typedef struct RecordKind {
    const char *name;  /* "times" */
    FieldTake *header; /* reads the first line */
    FieldTake *line;   /* reads any other; NULL: they are only checked for damage */
} RecordKind;

/* Reads a recording of a kind, compressed or not; values are allocated in `a`.  False after messages on all
 * damaged lines.  `end` may be NULL. */
bool record_read(Arena *a, const char *path, const RecordKind *kind, void *to, RecordEnd *end,
                 Diag *d);

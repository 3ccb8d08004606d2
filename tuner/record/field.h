/* The fields of one line, written and read by one table, with what is wrong said by file and line.
 *
 * Reading notes a failure in the reader and leaves something harmless, so that a line is read
 * without an `if` per field and judged at the end.  Fields that no table has are ignored: newer
 * programs may add some. */
#pragma once

#include "tuner/record/line.h"
#include "tuner/record/pack.h"

#include <jansson.h>

/* One value. */
typedef enum FieldKind {
    FIELD_TEXT,    /* const char *; read, one that is not there is NULL */
    FIELD_VALUE,   /* RecordValue */
    FIELD_NUMBER,  /* double, as line_number writes it: null is NaN, "inf" infinity */
    FIELD_ROUGH,   /* the same to 6 digits */
    FIELD_COUNT,   /* int, from `least` on */
    FIELD_OUTCOME, /* Outcome, by its word in recordings */
    FIELD_IS_TEXT  /* bool: "text" or "int" */
} FieldKind;

typedef enum FieldWhen {
    FIELD_ALWAYS,  /* a text that is missing is a failure; NULL is written as "" */
    FIELD_IF_ANY,  /* not written: NULL, a number that is not above 0, no element of a list */
    FIELD_IF_KNOWN /* NaN is not written, and what is not there is NaN */
} FieldWhen;

typedef struct Field {
    const char *key;
    FieldKind kind;
    FieldWhen when;
    size_t at;       /* offset of the member; of a list it is a pointer */
    size_t count_at; /* of a list: offset of its size_t */
    size_t size;     /* of an element; 0: it is no list */
    bool pairs;      /* an element is [name, x]: a struct of a text and the value */
    int least;       /* of a count */
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

/* Adds fields to a line begun by the caller, in the order of the table. */
void fields_write(Buf *line, const Field *fields, size_t count, const void *from);

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

/* Reads the fields of a table, up to the first failure. */
void fields_read(FieldReader *r, const Field *fields, size_t count, void *to);

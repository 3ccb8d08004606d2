/* Structs to JSON and back, with one table for both directions.
 *
 *     JSON_TABLE(POINT, Point, JSON_FIELD(Point, x), JSON_FIELD(Point, name));
 *
 * A member's C type determines its encoding, its name is the key.  Numbers survive unchanged: infinities and
 * NaN are encoded as text.  Text that is not UTF-8 arrives with question marks.  The reader rejects members
 * that are missing, of another type or out of range; the caller checks whether an index exists.  Bytes go
 * into a blob beside the JSON, and what is read points into it. */
#pragma once

#include "metrics/base/vec.h"
#include "metrics/base/wire.h"

/* The kind of one value. */
typedef enum JsonKind {
    JSON_KIND_INT,   /* int, unsigned or an enumeration */
    JSON_KIND_INT64, /* int64_t or uint64_t: the same 64 bits */
    JSON_KIND_BOOL,
    JSON_KIND_REAL,
    JSON_KIND_TEXT, /* NULL becomes "" */
    JSON_KIND_RAW,  /* a text of any bytes: into the blob, with its zero; NULL becomes "" */
    JSON_KIND_BYTE,
    JSON_KIND_BYTES, /* a pointer and a size_t: into the blob */
    JSON_KIND_STRUCT
} JsonKind;

/* How many values there are. */
typedef enum JsonShape {
    JSON_ONE,
    JSON_ROW,     /* an array in the struct */
    JSON_FILLED,  /* an array in the struct and a size_t, how many elements are used */
    JSON_LIST,    /* a pointer and a size_t */
    JSON_OPTIONAL /* a pointer to one, or NULL; for a text, the text's own pointer */
} JsonShape;

typedef struct JsonField {
    const char *key;
    JsonKind kind;
    JsonShape shape;
    size_t at;                   /* offset of the member */
    size_t count_at;             /* JSON_FILLED, JSON_LIST, bytes: offset of the size_t */
    size_t many;                 /* JSON_ROW, JSON_FILLED: elements of the array */
    int limit;                   /* an int must be in [0, limit); 0: any */
    const struct JsonStruct *of; /* JSON_KIND_STRUCT */
} JsonField;

typedef struct JsonStruct {
    const JsonField *fields;
    size_t count;
    size_t size;
} JsonStruct;

#define JSON_STRUCT(T, table)                                                                      \
    {                                                                                              \
        (table), COUNT_OF(table), sizeof(T)                                                        \
    }

/* A static JsonStruct `name` of type T. */
#define JSON_TABLE(name, T, ...)                                                                   \
    static const JsonField name##_FIELDS[] = {__VA_ARGS__};                                        \
    static const JsonStruct name = JSON_STRUCT(T, name##_FIELDS)

#define JSON_KIND(x)                                                                               \
    _Generic((x),                                                                                  \
        int: JSON_KIND_INT,                                                                        \
        unsigned: JSON_KIND_INT,                                                                   \
        int64_t: JSON_KIND_INT64,                                                                  \
        uint64_t: JSON_KIND_INT64,                                                                 \
        bool: JSON_KIND_BOOL,                                                                      \
        double: JSON_KIND_REAL,                                                                    \
        const char *: JSON_KIND_TEXT,                                                              \
        unsigned char: JSON_KIND_BYTE)
#define JSON_MANY(T, m) (sizeof(((T *)0)->m) / sizeof(*((T *)0)->m))

#define JSON_FIELD_AS(T, m, ...)                                                                   \
    {                                                                                              \
        .key = #m, .at = offsetof(T, m), __VA_ARGS__                                               \
    }
#define JSON_FIELD(T, m)             JSON_FIELD_AS(T, m, .kind = JSON_KIND(((T *)0)->m))
#define JSON_FIELD_BELOW(T, m, most) JSON_FIELD_AS(T, m, .kind = JSON_KIND_INT, .limit = (most))
#define JSON_FIELD_TEXT_OR_NULL(T, m)                                                              \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND_TEXT, .shape = JSON_OPTIONAL)
#define JSON_FIELD_ROW(T, m)                                                                       \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND(*((T *)0)->m), .shape = JSON_ROW, .many = JSON_MANY(T, m))
#define JSON_FIELD_FILLED(T, m, n)                                                                 \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND(*((T *)0)->m), .shape = JSON_FILLED,                     \
                  .count_at = offsetof(T, n), .many = JSON_MANY(T, m))
/* A struct whose members are all double. */
#define JSON_FIELD_REALS(T, m)                                                                     \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND_REAL, .shape = JSON_ROW,                                 \
                  .many = sizeof(((T *)0)->m) / sizeof(double))
#define JSON_FIELD_LIST(T, m, n)                                                                   \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND((__typeof__(*((T *)0)->m))0), .shape = JSON_LIST,        \
                  .count_at = offsetof(T, n))
/* A text that need not be UTF-8, and a Texts of them. */
#define JSON_FIELD_RAW(T, m) JSON_FIELD_AS(T, m, .kind = JSON_KIND_RAW)
#define JSON_FIELD_RAWS(T, m)                                                                      \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND_RAW, .shape = JSON_LIST, .count_at = offsetof(T, m.count))
#define JSON_FIELD_BYTES(T, m, n)                                                                  \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND_BYTES, .count_at = offsetof(T, n))
#define JSON_FIELD_STRUCT(T, m, s) JSON_FIELD_AS(T, m, .kind = JSON_KIND_STRUCT, .of = &(s))
#define JSON_FIELD_POINTER(T, m, s)                                                                \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND_STRUCT, .shape = JSON_OPTIONAL, .of = &(s))
#define JSON_FIELD_STRUCTS(T, m, n, s)                                                             \
    JSON_FIELD_AS(T, m, .kind = JSON_KIND_STRUCT, .shape = JSON_LIST, .count_at = offsetof(T, n),  \
                  .of = &(s))

/* Bytes are appended to `blob`, which may be NULL if the table has none. */
json_t *json_of_struct(const JsonStruct *s, const void *from, Buf *blob);

/* Texts, lists and pointees are allocated in `a`; members that the table lacks are zero.  False with a
 * message that names the place. */
bool json_read_struct(Arena *a, const JsonStruct *s, const json_t *j, Blob blob, void *to, Diag *d);

/* A text as JSON; if it is not UTF-8, bytes beyond ASCII become question marks. */
json_t *json_of_text(const char *text);

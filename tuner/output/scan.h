/* Splits a JSON text into elements by matching brackets.
 *
 * Other tuners' files may have 100,000 rows in one object, unclosed if the run was stopped.  A JSON parser
 * needs the whole text; this finds each element's extent, so that only single elements are parsed.  Brackets
 * are counted without recursion; the parser checks the syntax between them. */
#pragma once

#include "metrics/base/buf.h"

#include <jansson.h>

typedef struct Scan {
    const char *begin;
    const char *at;
    const char *end;
    bool cut; /* the text ended too early */
    bool bad; /* there is a syntax error at `at` */
} Scan;

/* A stretch of the scanned text. */
typedef struct ScanText {
    const char *at;
    size_t size;
} ScanText;

Scan scan_new(const char *text, size_t size);

/* The next character after white space; '\0' at the end. */
char scan_peek(Scan *s);

/* Takes a character; false, with cut or bad set, if it does not follow. */
bool scan_take(Scan *s, char c);

/* True if another element precedes `close`.  Takes the comma before it, or the closing bracket. */
bool scan_more(Scan *s, char close);

/* Takes a key, without its quotes but with its escapes, and the colon. */
bool scan_key(Scan *s, ScanText *key);

/* Takes a complete value of any type. */
bool scan_value(Scan *s, ScanText *value);

bool scan_is(ScanText t, const char *text);

/* Deviations from JSON in a value. */
typedef struct ScanAnomalies {
    bool not_number; /* NaN or Infinity, as Python writes them: read as null */
    bool huge;       /* integers beyond 64 bits: all numbers were read as reals */
} ScanAnomalies;

/* Parses a value; NULL: not JSON.  `copy` is scratch. */
json_t *scan_load(ScanText value, Buf *copy, ScanAnomalies *odd);

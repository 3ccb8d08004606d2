/* Walks a JSON text by its brackets, an element at a time.
 *
 * Other tuners' files hold a hundred thousand rows in one object, often not closed, as a run leaves
 * them that was stopped.  A parser wants all of that at once and whole; this finds where each
 * element begins and ends, and only an element is parsed.  What lies between brackets is skipped by
 * counting them, without recursion; the parser says whether it is right. */
#pragma once

#include "metrics/base/buf.h"

#include <jansson.h>

typedef struct Scan {
    const char *begin;
    const char *at;
    const char *end;
    bool cut; /* the text ended where more had to follow */
    bool bad; /* at `at` stands what cannot stand there */
} Scan;

/* A stretch of the scanned text. */
typedef struct ScanText {
    const char *at;
    size_t size;
} ScanText;

Scan scan_new(const char *text, size_t size);

/* What stands next, white space passed over; '\0' at the end. */
char scan_peek(Scan *s);

/* Takes an opening bracket; false (and cut or bad) when there is none. */
bool scan_open(Scan *s, char bracket);

/* Is there another element before `close`?  Takes the comma before it, or the closing bracket when
 * there is none. */
bool scan_more(Scan *s, char close);

/* Takes a key, without its quotes and with its escapes, and the colon. */
bool scan_key(Scan *s, ScanText *key);

/* Takes a whole value, whatever it is. */
bool scan_value(Scan *s, ScanText *value);

bool scan_is(ScanText t, const char *text);

/* How a value was read that is not quite JSON. */
typedef struct ScanAnomalies {
    bool not_number; /* NaN or Infinity, as Python writes them: read as null */
    bool huge;       /* integers beyond 64 bits: all numbers were read as reals */
} ScanAnomalies;

/* Parses a value; NULL when it is not JSON.  `copy` is scratch. */
json_t *scan_load(ScanText value, Buf *copy, ScanAnomalies *odd);

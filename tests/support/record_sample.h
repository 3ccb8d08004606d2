/* A recording of times with something of everything, in a folder of its own.  All figures are
 * synthetic. */
#pragma once

#include "tuner/record/times.h"

extern const RecordHeader sample_header;
extern const double sample_times[6];

/* A folder and a Diag of its own for every test. */
typedef struct Place {
    Arena *arena;
    Diag diag;
    const char *path;
    const char *packed;
} Place;

int place_make(void **state);
int place_remove(void **state);
const char *messages(Place *p);
void assert_says(Place *p, const char *words);
void write_sample(Place *p);
const char *sample_text(Place *p, size_t *size);
char *file_copy(Place *p, const char *path, size_t *size);
void put(Place *p, const char *path, const char *text, size_t size);
void assert_sample(const TimesRecording *r);

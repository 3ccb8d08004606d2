/* What a recording says about one parameter, for tests of what the documents found.
 *
 * A finding compares configurations that differ in that parameter alone.  Settings are written as
 * on the command line, "TILE=16 SPILL=0"; parameters that are not named may have any value. */
#pragma once

#include "tuner/record/times.h"

/* The shipped recording of a space on the H200; NULL when there is none. */
const TimesRecording *finding_recording(Arena *a, const char *space);

/* Median time of `settings` ÷ that of the configuration that differs from it by `other` alone, over
 * all pairs of which both ran well: finding_ratio(…, "TILE=16 UNROLL=1", "UNROLL=16") is above 1
 * where unrolling helps.  `other` names parameters of `settings`.  NaN when there is no pair. */
double finding_ratio(Arena *a, const TimesRecording *r, const char *settings, const char *other);

/* Shortest median time in ms among the configurations with these settings ("": all); NaN when there
 * is none. */
double finding_best_ms(Arena *a, const TimesRecording *r, const char *settings);

/* Slowest of the median times in ms, likewise. */
double finding_worst_ms(Arena *a, const TimesRecording *r, const char *settings);

/* Configurations whose median time is at most `ms`. */
size_t finding_count_within(Arena *a, const TimesRecording *r, double ms);

/* A recording that a test asks, and the arena that it lies in, which the test frees. */
typedef struct Asked {
    Arena *arena;
    const TimesRecording *recording;
} Asked;

/* The recording of a space; the running test is skipped where there is none. */
Asked finding_ask(const char *space);

/* The running test fails unless finding_ratio lies between. */
void finding_ratio_between(Asked q, const char *settings, const char *other, double low,
                           double high);

/* Median time in ms of the one configuration with these settings; the running test fails where they
 * leave a choice, or none. */
double finding_ms(Asked q, const char *settings);

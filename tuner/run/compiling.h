/* Code of configurations, and their profiles, found out by workers while others wait for neither.
 *
 * Configurations go in and come out as they are ready.  Where profiles are wanted, what is known of
 * them is in Run.table then: outcome, code, profile, what the compiler said.  Else they are about
 * to be timed, and come with their code, as in the order they were added: no GPU waits for code
 * that could have been there.  A few places bound the memory.
 *
 * What the compile cache has is read from there; all else is left in it, so that a second run does
 * not compile. */
#pragma once

#include "tuner/run/run_parts.h"

typedef struct Compiling Compiling;

/* For `places` configurations at a time.  Starts nothing yet.  For code the run's data must be
 * made. */
Compiling *compiling_open(Run *r, size_t places, bool profiles);

/* Charges the run's ledger with what workers did for profiles.  NULL is allowed. */
void compiling_close(Compiling *c);

bool compiling_has_room(const Compiling *c);

/* Configurations added and not yet taken or released. */
size_t compiling_count(const Compiling *c);

/* Starts to compile a configuration; there must be room.  False after a message. */
bool compiling_add(Compiling *c, size_t config);

/* Goes on without waiting.  False, with a message, when nothing can be compiled any more. */
bool compiling_service(Compiling *c);

/* Of those that are whole, the one added first; NULL when none is.  It stays until it is released;
 * one may be kept beside the places until then. */
const Fetched *compiling_first(const Compiling *c);
void compiling_release(Compiling *c, const Fetched *x);
void compiling_keep(Compiling *c, const Fetched *x);

/* The first one, which is released, where its profile was wanted; false when none is ready. */
bool compiling_take(Compiling *c, size_t *config);

/* Adds what to wait for. */
void compiling_await(const Compiling *c, Waits *w);

/* Waits for news.  False when the run was stopped. */
bool compiling_wait(Compiling *c);

/* All of these, whose profiles are wanted; the progress has this note, NULL: their names.  False
 * when the run was stopped or after a message. */
bool compiling_run(Compiling *c, const size_t *list, size_t count, const char *note);

/* "NVRTC 13.0"; NULL while nobody knows. */
const char *compiling_compiler(const Compiling *c);

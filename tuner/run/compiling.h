/* Fetches the code of configurations and their profiles in the background, with workers.
 *
 * Configurations are added and come out when they are ready. If profiles are wanted, the results
 * (outcome, code, profile, compiler messages) are in Run.table. Otherwise the configurations are
 * about to be timed and come out with their code in the order of adding, so that no GPU waits for
 * code. The number of places bounds the memory.
 *
 * Code is read from the compile cache, and new code is stored there, so a second run does not
 * compile. */
#pragma once

#include "tuner/run/run_parts.h"

typedef struct Compiling Compiling;

/* Handles up to `places` configurations at a time; starts nothing yet. If code is wanted, the run's
 * data must be made. */
Compiling *compiling_open(Run *r, size_t places, bool profiles);

/* Charges the run's ledger with the profile work of workers. NULL is allowed. */
void compiling_close(Compiling *c);

bool compiling_has_room(const Compiling *c);

/* Configurations added and not yet taken or released. */
size_t compiling_count(const Compiling *c);

/* Starts compiling a configuration; there must be room. False after a message. */
bool compiling_add(Compiling *c, size_t config);

/* Proceeds without waiting. False after a message when nothing more can be compiled. */
bool compiling_service(Compiling *c);

/* The complete configuration that was added first; NULL: none. It stays until released; one may be
 * kept beside the places until then. */
const Fetched *compiling_first(const Compiling *c);
void compiling_release(Compiling *c, const Fetched *x);
void compiling_keep(Compiling *c, const Fetched *x);

/* Takes the first complete one, if its profile was wanted, and releases it; false: none is ready. */
bool compiling_take(Compiling *c, size_t *config);

/* Adds what to wait for. */
void compiling_await(const Compiling *c, Waits *w);

/* Waits for results. False when stopped. */
bool compiling_wait(Compiling *c);

/* Compiles and profiles all of these; `note` is shown with the progress (NULL: their names). False
 * when stopped or after a message. */
bool compiling_run(Compiling *c, const size_t *list, size_t count, const char *note);

/* "NVRTC 13.0"; NULL while not known. */
const char *compiling_compiler(const Compiling *c);

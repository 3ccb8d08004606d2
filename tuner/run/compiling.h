/* Code and profiles of configurations, found out by workers while others wait for neither.
 *
 * Configurations go in and come out as they are ready, with what is known of them in Run.table:
 * outcome, code, profile, what the compiler said.  All is left in the compile cache, so that a
 * second run reads it from there without touching the code. */
#ifndef APTUNE_RUN_COMPILING_H
#define APTUNE_RUN_COMPILING_H

#include "tuner/run/run_parts.h"

typedef struct Compiling Compiling;

/* For `places` configurations at a time.  Starts nothing yet. */
Compiling *compiling_open(Run *r, size_t places);

/* Charges the run's ledger with what workers did.  NULL is allowed. */
void compiling_close(Compiling *c);

bool compiling_has_room(const Compiling *c);

/* Configurations added and not yet taken. */
size_t compiling_count(const Compiling *c);

/* Starts to compile a configuration; there must be room.  False after a message. */
bool compiling_add(Compiling *c, size_t config);

/* Goes on without waiting.  False, with a message, when nothing can be compiled any more. */
bool compiling_service(Compiling *c);

/* One that is ready; false when none is. */
bool compiling_take(Compiling *c, size_t *config);

/* Descriptors to wait for, and how long: as farm_poll_fds. */
size_t compiling_fd_limit(const Compiling *c);
size_t compiling_poll_fds(const Compiling *c, struct pollfd *fds, int *timeout_ms);

/* Waits for news.  False when the run was stopped. */
bool compiling_wait(Compiling *c);

/* "NVRTC 13.0"; NULL while nobody knows. */
const char *compiling_compiler(const Compiling *c);

#endif

/* Advisory locks: one run at a time on a file, folder or device.
 *
 * The lock is the system's (flock). It belongs to the open descriptor, is not inherited by helper
 * programs (they get none of our descriptors) and disappears with the process, however it dies.
 * Nothing is left behind for a user to remove. */
#pragma once

#include "metrics/base/diag.h"

typedef enum LockResult {
    LOCK_TAKEN,   /* held until the descriptor is closed */
    LOCK_REFUSED, /* another process holds it */
    LOCK_FAILED   /* sets errno; for example, the file system has no locks */
} LockResult;

LockResult lock_take(int fd);

/* Returns true if a process of this user holds the lock, as far as the system tells. */
bool lock_is_ours(int fd);

/* ", process 1234" if the system tells who holds the lock on `fd`, else "". */
const char *lock_holder(Arena *a, int fd);

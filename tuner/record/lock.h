/* One run at a time on a file, a folder or a device.
 *
 * The lock is the system's (flock): it belongs to the open descriptor, is not passed to
 * helper programs (which get none of ours), and is gone with the process, whatever killed
 * it.  So nothing is ever left behind that a user would have to remove. */
#pragma once

#include "metrics/base/diag.h"

typedef enum LockResult {
    LOCK_TAKEN,   /* until the descriptor is closed */
    LOCK_REFUSED, /* somebody else has it */
    LOCK_FAILED   /* with errno: this file system has no locks, say */
} LockResult;

LockResult lock_take(int fd);

/* Is the lock held by a process of this user, as far as the system tells? */
bool lock_is_ours(int fd);

/* ", process 1234" when the system tells who holds the lock on the file of `fd`, else "". */
const char *lock_holder(Arena *a, int fd);

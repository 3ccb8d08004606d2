/* Part of every unit and property test: with APTUNE_STRESS set in the environment, whatever grows starts as
 * small as can be (FIRST_SIZE in metrics/base/arena.h). */
#include "metrics/base/arena.h"

#include <stdlib.h>

__attribute__((constructor)) static void start_small(void)
{
    memory_starts_small = getenv("APTUNE_STRESS") != NULL;
}

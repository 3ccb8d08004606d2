/* Runs that tests open without a GPU. */
#pragma once

#include "tuner/run/run_parts.h"

/* A search of tests/data/cli/unlisted.spec, whose space has no list: A and B in 0 to 399, and A is not
 * 7.  There is no compiler.  run_close ends it. */
Run *opened_unlisted(Arena *a);

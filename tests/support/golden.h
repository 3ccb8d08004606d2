/* Texts that are compared whole with those of tests/golden.  APTUNE_UPDATE_GOLDEN=1 writes them anew;
 * the difference is the review. */
#pragma once

#include "metrics/base/buf.h"

/* Compares with tests/golden/NAME.txt.  Fails the test. */
void golden_compare(const char *name, const Buf *got);

/* The same for the checksum, size and name of each file of a folder: what `tests/compare_commits` shows
 * the difference of. */
void golden_compare_folder(const char *name, const char *folder);

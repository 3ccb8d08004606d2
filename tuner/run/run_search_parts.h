/* What a search is made of: it is live, or played on a recording. */
#ifndef APTUNE_RUN_SEARCH_PARTS_H
#define APTUNE_RUN_SEARCH_PARTS_H

#include "tuner/run/run_searched.h"

/* The search itself.  False when the run was stopped or, with a message, cannot go on. */
bool search_live(Searched *q);
bool search_played(Searched *q);

/* What a recording knows of a row that was not asked for: it is known from now on. */
void search_reveal(Run *r, size_t row);

#endif

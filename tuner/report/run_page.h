/* The HTML report of a run.
 *
 * Its points are the configurations that passed tier 0.  Their times are the run's own or, if the replayed
 * recording has a time for each of them, the recorded ones. */
#pragma once

#include "tuner/report/story.h"
#include "tuner/run/run.h"

/* Call after run_judge.  Writes report.html and pictures/ into an existing folder.  Returns the page's path;
 * NULL after a message. */
const char *run_page_save(Run *r, const char *folder);

/* The report of a run: its story, and the page about it.
 *
 * The story's points are the configurations that passed tier 0.  If the replayed recording has a
 * time for each of them, all are known; else only what the run timed is. */
#pragma once

#include "tuner/report/story.h"
#include "tuner/run/run.h"

/* After run_judge.  Writes report.html and pictures/ into a folder, which must exist; returns the page's path, NULL
 * after a message. */
const char *run_page_save(Run *r, const char *folder);

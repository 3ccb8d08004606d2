/* The report as one HTML file without scripts or network resources. */
#pragma once

#include "tuner/report/sheet.h"
#include "tuner/report/story.h"
#include "tuner/run/run.h"

/* A page: tables over all spaces, then a section for each space. */
typedef struct Page {
    const char *title;
    const Sheet *sheets;
    size_t sheet_count;
    const Story *stories;
    size_t story_count;
} Page;

/* Writes `folder`/report.html, and each picture as `folder`/pictures/SPACE-NAME.svg and .pdf.  False after a
 * message. */
bool page_save(const char *folder, const Page *p, Diag *d);

/* Writes the page of a run into an existing folder; call it after run_judge.  The points are the configurations that
 * passed tier 0.  Their times are the run's own or, if the replayed recording has a time for each of them, the recorded
 * ones.  Returns the page's path; NULL after a message. */
const char *run_page_save(Run *r, const char *folder);

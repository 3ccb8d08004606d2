/* The report as one HTML file without scripts or network resources. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/report/sheet.h"
#include "tuner/report/story.h"

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

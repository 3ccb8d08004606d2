/* The report as one HTML file that opens from disk, without scripts and without the network. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/report/sheet.h"
#include "tuner/report/story.h"

/* What a page holds: tables over all the spaces, then each space. */
typedef struct Page {
    const char *title;
    const Sheet *sheets;
    size_t sheet_count;
    const Story *stories;
    size_t story_count;
} Page;

/* Writes it as `folder`/report.html, and each picture as `folder`/pictures/SPACE-NAME.svg and .pdf.
 * False after a message. */
bool page_save(const char *folder, const Page *p, Diag *d);

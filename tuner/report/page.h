/* The report as one HTML file that opens from disk, without scripts and without the network. */
#ifndef APTUNE_REPORT_PAGE_H
#define APTUNE_REPORT_PAGE_H

#include "metrics/base/diag.h"
#include "tuner/report/story.h"

/* The page on one or more spaces. */
void page_write(Arena *a, const char *title, const Story *stories, size_t count, Buf *out);

/* Writes it as `folder`/report.html, and each picture as `folder`/SPACE-NAME.svg.  False after a
 * message. */
bool page_save(const char *folder, const char *title, const Story *stories, size_t count, Diag *d);

#endif

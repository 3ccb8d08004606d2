/* The tables of a story's part of the page. */
#ifndef APTUNE_REPORT_PAGE_PARTS_H
#define APTUNE_REPORT_PAGE_PARTS_H

#include "tuner/base/buf.h"
#include "tuner/report/story.h"

/* What was looked at, and what came of it. */
void page_write_facts(Arena *a, const Story *story, Buf *out);

/* The winner and the configurations that differ from it in one parameter. */
void page_write_neighbours(Arena *a, const Story *story, Buf *out);

#endif

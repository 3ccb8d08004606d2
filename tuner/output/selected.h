/* What a run without times chose, and why: the result where there is no GPU. */
#ifndef APTUNE_OUTPUT_SELECTED_H
#define APTUNE_OUTPUT_SELECTED_H

#include "tuner/run/run.h"

#include <jansson.h>

/* A table of the fastest ones by prediction, with what limits each, and why the next was dropped.
 */
void report_selected(const Run *r, Buf *out);

/* All of them: parameters, predicted_ms, limiter. */
json_t *report_selected_json(const Run *r);

#endif

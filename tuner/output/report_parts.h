/* What the files of the report share with each other. */
#ifndef APTUNE_OUTPUT_REPORT_PARTS_H
#define APTUNE_OUTPUT_REPORT_PARTS_H

#include "tuner/run/run.h"

#include <jansson.h>

/* A number, null where it is not finite. */
json_t *report_number(double v);

/* Seconds by the name of their stage. */
json_t *report_stage_seconds(const double *seconds);

/* Where the time of the run went and what carving saved: lines of the report, and an object. */
void report_ledger(const Run *r, Buf *out);
json_t *report_ledger_json(const Run *r);

#endif

/* Parts that several JSON outputs have in common.
 *
 * Every function gives a new reference (jansson), to be handed on or ended by whoever asked. */
#ifndef APTUNE_OUTPUT_JSON_PARTS_H
#define APTUNE_OUTPUT_JSON_PARTS_H

#include "tuner/run/run.h"

#include <jansson.h>

/* A real; null for what is not finite. */
json_t *json_parts_number(double v);

/* What every object begins with: program, space, problem, device. */
json_t *json_parts_heading(const Run *r);

/* The parameters of configuration `i` by name. */
json_t *json_parts_parameters(const Run *r, size_t i);

/* All metrics of configuration `i` by name; an empty object when they are not known. */
json_t *json_parts_metrics(const Run *r, size_t i);

/* report_why's words. */
json_t *json_parts_why(const Run *r, size_t i);

/* Writes the object, indented, and ends it. */
void json_parts_print(json_t *o, Buf *out);

#endif

/* JSON for reports: unknown values are null, and texts are always valid UTF-8.
 *
 * A returned json_t is a new reference, to be given to json_put or released by the caller. */
#pragma once

#include "metrics/base/expr.h"

#include <jansson.h>

/* null unless the number is finite. */
json_t *json_known(double number);

json_t *json_count(size_t n);

/* null for NULL; text that is not UTF-8 has its unprintable bytes as \uXXXX. */
json_t *json_text(const char *text);

json_t *json_value(Value v);

/* Adds pairs of a key and a json_t up to a NULL key; returns the object. */
json_t *json_put(json_t *object, const char *key, ...) __attribute__((sentinel));

/* Prints the object, indented, reals with `digits` digits, and releases it. */
void json_print(json_t *object, int digits, Buf *out);

/* The string member of that name; "" if there is none. */
const char *json_text_at(const json_t *object, const char *key);

/* JSON as reports write it: what is not known is null, and texts are always valid UTF-8.
 *
 * Whatever gives a json_t gives a new reference, for json_put or the caller to end. */
#pragma once

#include "metrics/base/expr.h"

#include <jansson.h>

/* null where the number is not finite. */
json_t *json_known(double number);

json_t *json_count(size_t n);

/* null for NULL; bytes that do not show as themselves stand as \uXXXX. */
json_t *json_text(const char *text);

json_t *json_value(Value v);

/* Adds pairs of a key and a json_t until a NULL key; returns the object. */
json_t *json_put(json_t *object, const char *key, ...) __attribute__((sentinel));

/* Writes the object, indented, reals with so many digits, and ends it. */
void json_print(json_t *object, int digits, Buf *out);

/* The text of that name in an object; "" when there is none. */
const char *json_text_at(const json_t *object, const char *key);

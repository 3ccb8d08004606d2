/* What stands in a launch's memory that no launch writes, for walks in a compile worker.
 *
 * The spec's contents of its `in` buffers and constants travel as a description (JSON) and are made
 * one number at a time when a walk reads them, by the same functions that fill the GPU's buffers
 * (tuner/spec/contents.h).  Only sorted contents are made whole, up to DATA_MADE_LIMIT; files
 * are mapped.
 *
 * A list of buffers:
 *     {"address": n, "symbol": "name" of a constant, "scalar": "int32", "lanes": n, "is": contents}
 * and contents are one of
 *     {"kind": "zero"}   {"kind": "constant", "value": x}
 *     {"kind": "uniform" or "normal", "lo": x, "hi": x, "seed": n}
 *     {"kind": "formula", "text": "i % N", "names": {"N": 7}}
 *     {"kind": "sorted", "count": n, "of": contents}
 *     {"kind": "taken", "scalar": "float", "lanes": n, "from": which, "step": s, "wrap": n,
 *      "of": contents}
 *     {"kind": "file", "path": file, "offset": n, "size": n, "stamp": text} */
#ifndef APTUNE_COMPILE_DATA_H
#define APTUNE_COMPILE_DATA_H

#include "metrics/metric/profile_build.h" /* WalkData */

#include <jansson.h>

enum { DATA_MADE_LIMIT = 64 << 20 };

typedef struct Data Data;

/* From a description; what of it cannot be used is not known to walks.  Never NULL. */
Data *data_open(const char *description);
void data_close(Data *d);

/* The description that it was made from. */
const char *data_description(const Data *d);

/* What walks ask; lives as long as `d`. */
const WalkData *data_of_walk(Data *d);

#endif

/* Parts of NAME.cu that code_runtime_source.c writes for code_runtime.c, and for nobody else: the
 * variants' sources.  Each adds its text to `out`. */
#ifndef APTUNE_EMIT_CODE_RUNTIME_H
#define APTUNE_EMIT_CODE_RUNTIME_H

#include "tuner/emit/code_parts.h"

/* What the unit includes, headers of the toolkit that sources want among it. */
void code_runtime_includes(const Code *c, Buf *out);

/* What stands for variables of the device in variants that lack them. */
void code_runtime_missing(const Code *c, Buf *out);

/* A variant's source for a launch, and those that share it, in its namespace. */
void code_runtime_source(const Code *c, const CodeVariant *v, size_t launch, Buf *out);

#endif

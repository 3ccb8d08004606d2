/* The tuned kernel for other projects: a specialised source and a C header.
 *
 * NAME.cu is the template with the winner's parameters as constants in front; NAME.h
 * has the parameters, the launch geometry and where all of it comes from, as macros with
 * the space's name as their prefix.  Nothing in either needs aptune. */
#ifndef APTUNE_OUTPUT_EMIT_H
#define APTUNE_OUTPUT_EMIT_H

#include "tuner/run/run.h"

/* Writes both files for the winner into `folder`, which exists.  Gives their paths in the run's
 * arena.  False after a message; also when there is no winner. */
bool emit_winner(const Run *r, const char *folder, const char **source, const char **header,
                 Diag *d);

/* The texts themselves. */
bool emit_source(const Run *r, size_t config, Buf *out, Diag *d);
void emit_header(const Run *r, size_t config, Buf *out);

#endif

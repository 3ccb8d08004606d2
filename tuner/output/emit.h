/* The tuned kernel for other projects: a specialised source and a C header.
 *
 * NAME.cu is the template with the winner's parameters as constants in front (templates of further
 * launches go to NAME_2.cu and so on); NAME.h has the parameters, the launch geometry and where all
 * of it comes from, as macros with the space's name as their prefix.  Nothing in them needs aptune.
 */
#ifndef APTUNE_OUTPUT_EMIT_H
#define APTUNE_OUTPUT_EMIT_H

#include "tuner/run/run.h"

/* Writes the files for the winner into `folder`, which exists, and their paths, with commas between
 * them, to `said`.  False after a message; also when there is no winner. */
bool emit_winner(const Run *r, const char *folder, Buf *said, Diag *d);

/* The texts themselves; the source is that of launch `l`. */
bool emit_source(const Run *r, size_t config, size_t l, Buf *out, Diag *d);
void emit_header(const Run *r, size_t config, Buf *out);

#endif

/* What each stage left behind, as text: the letters of -d.
 *
 * The table in dump.c is the documentation. */
#ifndef APTUNE_COMMAND_DUMP_H
#define APTUNE_COMMAND_DUMP_H

#include "tuner/run/run.h"

typedef enum DumpPoint { DUMP_OPENED, DUMP_COMPILED, DUMP_CARVED, DUMP_TIMED } DumpPoint;

/* Adds the dumps that `letters` ask for at this point. */
void dump_stage(Run *r, DumpPoint point, const char *letters, Buf *out);

/* "S spec as understood, …", for --help. */
void dump_letters(Buf *out);

/* The first letter that is none; 0 when all are. */
char dump_unknown(const char *letters);

#endif

/* Opening a recording for appending: a new one gets its header line, an old one must be whole.
 *
 * What is common to times and profiles.  A file that holds only the start of a header
 * (the run died in its first line) is begun again; anything that is not a recording
 * is left as it is. */
#ifndef APTUNE_RECORD_CONTINUE_H
#define APTUNE_RECORD_CONTINUE_H

#include "tuner/record/append.h"
#include "tuner/record/pack.h"

/* True and `*fresh` when there is nothing in the file but perhaps a cut header: then it is emptied
 * and the header line must follow.  False with a message when what is there cannot be appended
 * to. */
bool continue_check(Appender *w, const char *path, const char *kind, bool *fresh, Diag *d);

#endif

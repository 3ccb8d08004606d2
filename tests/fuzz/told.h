/* What an input was taken for. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/diag.h"

/* Takes a text in and empties it.  Replayed, texts of all inputs are held as checksums (replay.c); libFuzzer looks at none. */
void told(Buf *text);

/* The same of messages. */
void told_messages(const Diag *d);

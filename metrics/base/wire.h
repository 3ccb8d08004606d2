/* Messages between the program and its helpers.
 *
 * A message is a JSON object, its header, optionally followed by a blob of binary data (sources, PTX,
 * cubins):
 *
 *     APT1 <bytes of header> [<bytes of blob>] \n  header  blob
 *
 * The first line is text, so other output on the socket is recognised at its first byte and can be quoted.
 * Sizes are limited, so garbage cannot ask for memory.
 *
 * A helper blocks in wire_receive and wire_send.  A poll loop fills a reader with what has arrived
 * (wire_fill) and takes complete messages out of it (wire_next), or does both with wire_receive and a time
 * of 0; it encodes into a writer and flushes that when the descriptor is writable (wire_flush). */
#pragma once

#include "metrics/base/diag.h"

#include <jansson.h>

enum {
    WIRE_HEADER_LIMIT = 64 << 20, /* bytes; a list of all raw times is the longest header */
    WIRE_BLOB_LIMIT = 1 << 30     /* bytes; a cubin has some megabytes */
};

/* No time limit, for the functions below that take seconds. */
#define WIRE_FOREVER (-1.0)

/* Bytes owned by someone else. */
typedef struct Blob {
    const void *bytes;
    size_t size;
} Blob;

/* A received message. */
typedef struct WireMessage {
    json_t *header; /* an object; owned */
    Blob blob;
    void *storage; /* holds the blob; owned */
} WireMessage;

/* Frees a message; harmless on a zeroed one. */
void wire_message_free(WireMessage *m);

/* ---- reading ------------------------------------------------------------------------------- */

typedef enum WireStatus {
    WIRE_OK,     /* a message, or at least a byte */
    WIRE_MORE,   /* nothing complete yet; with a time limit: it passed */
    WIRE_END,    /* the other end closed the stream, or died, between two messages */
    WIRE_CUT,    /* the same in the middle of a message */
    WIRE_GARBAGE /* the stream holds something else than a message; it cannot be used again */
} WireStatus;

typedef struct WireReader {
    int fd;     /* not owned */
    Buf bytes;  /* received and not yet consumed */
    bool ended; /* the other end closed */
} WireReader;

/* A reader of `fd`.  wire_reader_free leaves the descriptor open and is harmless on a zeroed reader. */
WireReader wire_reader(int fd);
void wire_reader_free(WireReader *r);

/* Reads once what is available: WIRE_OK if something came, WIRE_MORE if nothing was there (or the call was
 * interrupted), WIRE_END.  Blocks only if nothing is there and the descriptor is blocking. */
WireStatus wire_fill(WireReader *r);

/* Takes the next complete message out of what was read, without reading.  On WIRE_OK the caller frees it
 * with wire_message_free, otherwise *m is zeroed. */
WireStatus wire_next(WireReader *r, WireMessage *m);

/* Waits at most `seconds` for a message; with 0, takes one if it has arrived. */
WireStatus wire_receive(WireReader *r, WireMessage *m, double seconds);

/* After WIRE_GARBAGE: appends the beginning of the garbage, printable and short; reads more if available. */
void wire_quote(WireReader *r, Buf *out);

/* ---- writing ------------------------------------------------------------------------------- */

/* What is still to be written to a descriptor. */
typedef struct WireWriter {
    int fd; /* not owned */
    Buf bytes;
    size_t sent; /* of them */
} WireWriter;

/* A writer to `fd`.  wire_writer_free leaves the descriptor open and is harmless on a zeroed writer. */
WireWriter wire_writer(int fd);
void wire_writer_free(WireWriter *w);

/* Queues a message.  False with a message, and nothing queued, if a size is over its limit or the header is
 * not an object of valid UTF-8. */
bool wire_put(WireWriter *w, const json_t *header, Blob blob, Diag *d);

/* True while something is still to be written. */
bool wire_pending(const WireWriter *w);

/* Writes what fits, without blocking or SIGPIPE.  False, with errno, if the other end is gone. */
bool wire_flush(WireWriter *w);

/* Writes everything, waiting at most `seconds`.  False if the other end did not take it or is gone; the
 * stream may then end in the middle of a message and must not be used again. */
bool wire_flush_within(WireWriter *w, double seconds);

/* Sends one message, however long that takes.  False with a message. */
bool wire_send(int fd, const json_t *header, Blob blob, Diag *d);

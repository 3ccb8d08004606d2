/* Messages between the program and its helper programs.
 *
 * A message is a JSON object, its header, and after it a blob of what JSON cannot carry (sources,
 * PTX, cubins), if there is any:
 *
 *     APT1 <bytes of header> [<bytes of blob>] \n  header  blob
 *
 * The line is text, so that a helper that says something else on the socket is recognised at its
 * first byte and can be quoted.  Sizes are limited, so that garbage cannot ask for memory.
 *
 * A helper waits: wire_receive, wire_send.  A poll loop fills a reader with what has come
 * (wire_fill) and takes whole messages out of it (wire_next), or does both with wire_receive and no
 * time; it encodes into a writer and flushes that when there is room (wire_flush). */
#pragma once

#include "metrics/base/diag.h"

#include <jansson.h>

enum {
    WIRE_HEADER_LIMIT = 64 << 20, /* bytes; a list of all raw times is the longest header */
    WIRE_BLOB_LIMIT = 1 << 30     /* bytes; a cubin has some megabytes */
};

/* No time limit, for the functions below that take seconds. */
#define WIRE_FOREVER (-1.0)

/* Bytes that somebody else owns. */
typedef struct Blob {
    const void *bytes;
    size_t size;
} Blob;

/* A received message.  wire_message_free ends it. */
typedef struct WireMessage {
    json_t *header; /* an object; owned */
    Blob blob;
    void *storage; /* the blob lies in it; owned */
} WireMessage;

/* Ends a message; harmless on a zeroed one. */
void wire_message_free(WireMessage *m);

/* ---- reading ------------------------------------------------------------------------------- */

typedef enum WireStatus {
    WIRE_OK,     /* a message, or at least a byte */
    WIRE_MORE,   /* nothing complete yet; with a time limit: it passed */
    WIRE_END,    /* the other end closed the stream, or died, between two messages */
    WIRE_CUT,    /* the same in the middle of a message */
    WIRE_GARBAGE /* the stream holds something that is no message; it cannot be used again */
} WireStatus;

typedef struct WireReader {
    int fd;      /* not owned */
    char *bytes; /* received and not yet handed out: bytes[start, end) */
    size_t start;
    size_t end;
    size_t capacity;
    bool ended; /* the other end closed */
} WireReader;

/* A reader of `fd`; wire_reader_free ends it and leaves the descriptor open. */
WireReader wire_reader(int fd);

/* Harmless on a zeroed one. */
void wire_reader_free(WireReader *r);

/* Reads once what is there now: WIRE_OK when something came, WIRE_MORE when nothing was there
 * (or the call was interrupted), WIRE_END.  Blocks only when nothing is there and the
 * descriptor is blocking. */
WireStatus wire_fill(WireReader *r);

/* Takes the next complete message out of what was read, without reading; on WIRE_OK the caller
 * ends it with wire_message_free, otherwise *m is zeroed. */
WireStatus wire_next(WireReader *r, WireMessage *m);

/* Waits at most `seconds` for a message; with 0, takes one if it has come. */
WireStatus wire_receive(WireReader *r, WireMessage *m, double seconds);

/* After WIRE_GARBAGE: appends the beginning of what came instead of a message, printable and short;
 * takes along what is there to be read. */
void wire_quote(WireReader *r, Buf *out);

/* ---- writing ------------------------------------------------------------------------------- */

/* What is still to be written to a descriptor. */
typedef struct WireWriter {
    int fd; /* not owned */
    Buf bytes;
    size_t sent; /* of them */
} WireWriter;

/* A writer to `fd`; wire_writer_free ends it and leaves the descriptor open. */
WireWriter wire_writer(int fd);

/* Harmless on a zeroed one. */
void wire_writer_free(WireWriter *w);

/* Adds a message to what is to be written.  False with a message, and nothing added, when a size is
 * over its limit or the header is not an object of valid UTF-8. */
bool wire_put(WireWriter *w, const json_t *header, Blob blob, Diag *d);

/* Something is still to be written. */
bool wire_pending(const WireWriter *w);

/* Writes what there is room for, without waiting and without SIGPIPE.  False when the other end is
 * gone; errno says why. */
bool wire_flush(WireWriter *w);

/* Writes all, waiting at most `seconds` for the other end to take it.  False when it did not or is
 * gone; the stream then ends in the middle of a message and is not usable any more. */
bool wire_flush_within(WireWriter *w, double seconds);

/* Sends one message, however long that takes.  False with a message. */
bool wire_send(int fd, const json_t *header, Blob blob, Diag *d);

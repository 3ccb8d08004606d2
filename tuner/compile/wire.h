/* What passes between aptune and its helper programs.
 *
 * A message is a JSON object and up to WIRE_BLOBS blobs of any bytes:
 *
 *     APT1 <bytes of JSON> <bytes of each blob> ... \n  JSON  blob  blob ...
 *
 * The line is text, so that a helper that prints something else (a loader's complaint, a
 * stray printf) is recognised at its first byte and quoted in the message.  Sizes are limited,
 * so that garbage cannot ask for memory.
 *
 * A helper blocks (wire_receive, wire_send).  The program that serves many helpers from one poll
 * loop fills a reader with what has come (wire_fill), takes whole messages from it (wire_take),
 * and flushes a writer when there is room (wire_flush). */
#ifndef APTUNE_COMPILE_WIRE_H
#define APTUNE_COMPILE_WIRE_H

#include "metrics/base/buf.h"
#include "metrics/base/diag.h"

#include <jansson.h>

enum {
    WIRE_BLOBS = 8,                /* blobs in a message, at most */
    WIRE_JSON_LIMIT = 4096 * 1024, /* bytes of JSON */
    WIRE_BLOB_LIMIT = 256 * 1024 * 1024
};

/* Bytes that somebody else owns. */
typedef struct Blob {
    const void *bytes;
    size_t size;
} Blob;

/* A received message.  wire_free ends it; the blobs lie in `storage`. */
typedef struct WireMessage {
    json_t *head; /* an object */
    Blob blob[WIRE_BLOBS];
    size_t blob_count;
    void *storage;
} WireMessage;

/* NULL-safe on a zeroed message. */
void wire_free(WireMessage *m);

typedef enum WireStatus {
    WIRE_MESSAGE, /* there is one */
    WIRE_MORE,    /* not yet: wait for the descriptor */
    WIRE_END,     /* the other side has closed, between two messages */
    WIRE_BAD      /* not our protocol, or closed in the middle of a message */
} WireStatus;

/* What has come so far.  Zeroed is empty; wire_reader_free ends it. */
typedef struct WireReader {
    Buf bytes;
    size_t start; /* of the next message in `bytes` */
    bool ended;   /* the other side has closed */
} WireReader;

void wire_reader_free(WireReader *r);

/* Reads once, as much as there is.  WIRE_MORE also when something came: then wire_take says
 * more; WIRE_END at the end of the stream or when it broke. */
WireStatus wire_fill(WireReader *r, int fd);

/* Takes the next whole message.  WIRE_BAD comes with a message in `d`, and the reader is of no
 * further use. */
WireStatus wire_take(WireReader *r, WireMessage *m, Diag *d);

/* Waits for the next message; never WIRE_MORE. */
WireStatus wire_receive(WireReader *r, int fd, WireMessage *m, Diag *d);

/* Appends a message to `out`.  False with a message when it is over a limit or `head` has text
 * that is not UTF-8. */
bool wire_encode(Buf *out, const json_t *head, const Blob *blobs, size_t count, Diag *d);

/* Encodes and writes it all, waiting where it must. */
bool wire_send(int fd, const json_t *head, const Blob *blobs, size_t count, Diag *d);

/* What is still to be written.  Zeroed is empty; buf_free(&w.bytes) ends it. */
typedef struct WireWriter {
    Buf bytes;
    size_t sent;
} WireWriter;

/* Writes what there is room for, without waiting.  False when the other side is gone. */
bool wire_flush(WireWriter *w, int fd);

bool wire_pending(const WireWriter *w);

/* Lists of texts as one blob, each with its terminating zero: options and names need not be
 * UTF-8. */
void wire_pack_texts(Buf *out, const char *const *texts, size_t count);

/* The texts of such a blob, in `a`.  False when the last one has no end. */
bool wire_unpack_texts(Arena *a, Blob blob, const char ***texts, size_t *count);

#endif

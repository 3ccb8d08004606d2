/* What passes between aptune and its helper programs.
 *
 * A message is a JSON object and up to CWIRE_BLOBS blobs of any bytes:
 *
 *     APT1 <bytes of JSON> <bytes of each blob> ... \n  JSON  blob  blob ...
 *
 * The line is text, so that a helper that prints something else (a loader's complaint, a
 * stray printf) is recognised at its first byte and quoted in the message.  Sizes are limited,
 * so that garbage cannot ask for memory.
 *
 * A helper blocks (cwire_receive, cwire_send).  The program that serves many helpers from one poll
 * loop fills a reader with what has come (cwire_fill), takes whole messages from it (cwire_take),
 * and flushes a writer when there is room (cwire_flush). */
#ifndef APTUNE_COMPILE_WIRE_H
#define APTUNE_COMPILE_WIRE_H

#include "metrics/base/buf.h"
#include "metrics/base/diag.h"

#include <jansson.h>

enum {
    CWIRE_BLOBS = 8,                /* blobs in a message, at most */
    CWIRE_JSON_LIMIT = 4096 * 1024, /* bytes of JSON */
    CWIRE_BLOB_LIMIT = 256 * 1024 * 1024
};

/* Bytes that somebody else owns. */
typedef struct Blob {
    const void *bytes;
    size_t size;
} Blob;

/* A received message.  cwire_free ends it; the blobs lie in `storage`. */
typedef struct CWireMessage {
    json_t *head; /* an object */
    Blob blob[CWIRE_BLOBS];
    size_t blob_count;
    void *storage;
} CWireMessage;

/* NULL-safe on a zeroed message. */
void cwire_free(CWireMessage *m);

typedef enum CWireStatus {
    CWIRE_MESSAGE, /* there is one */
    CWIRE_MORE,    /* not yet: wait for the descriptor */
    CWIRE_END,     /* the other side has closed, between two messages */
    CWIRE_BAD      /* not our protocol, or closed in the middle of a message */
} CWireStatus;

/* What has come so far.  Zeroed is empty; cwire_reader_free ends it. */
typedef struct CWireReader {
    Buf bytes;
    size_t start; /* of the next message in `bytes` */
    bool ended;   /* the other side has closed */
} CWireReader;

void cwire_reader_free(CWireReader *r);

/* Reads once, as much as there is.  CWIRE_MORE also when something came: then cwire_take says
 * more; CWIRE_END at the end of the stream or when it broke. */
CWireStatus cwire_fill(CWireReader *r, int fd);

/* Takes the next whole message.  CWIRE_BAD comes with a message in `d`, and the reader is of no
 * further use. */
CWireStatus cwire_take(CWireReader *r, CWireMessage *m, Diag *d);

/* Waits for the next message; never CWIRE_MORE. */
CWireStatus cwire_receive(CWireReader *r, int fd, CWireMessage *m, Diag *d);

/* Appends a message to `out`.  False with a message when it is over a limit or `head` has text
 * that is not UTF-8. */
bool cwire_encode(Buf *out, const json_t *head, const Blob *blobs, size_t count, Diag *d);

/* Encodes and writes it all, waiting where it must. */
bool cwire_send(int fd, const json_t *head, const Blob *blobs, size_t count, Diag *d);

/* What is still to be written.  Zeroed is empty; buf_free(&w.bytes) ends it. */
typedef struct CWireWriter {
    Buf bytes;
    size_t sent;
} CWireWriter;

/* Writes what there is room for, without waiting.  False when the other side is gone. */
bool cwire_flush(CWireWriter *w, int fd);

bool cwire_pending(const CWireWriter *w);

/* Lists of texts as one blob, each with its terminating zero: options and names need not be
 * UTF-8. */
void cwire_pack_texts(Buf *out, const char *const *texts, size_t count);

/* The texts of such a blob, in `a`.  False when the last one has no end. */
bool cwire_unpack_texts(Arena *a, Blob blob, const char ***texts, size_t *count);

#endif

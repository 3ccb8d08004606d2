/* Messages between the program and its helper programs.
 *
 * A message is a JSON object and, after it, bytes that JSON cannot carry (cubins,
 * PTX).  On the wire:
 *
 *     "aptw"  header size: 4 bytes  blob size: 8 bytes  header (JSON)  blob
 *
 * with sizes in the machine's byte order, for both ends run on one machine.  Sizes
 * are limited, so a stray line on the stream is found out as garbage and not taken
 * for a message of gigabytes.
 *
 * The reader buffers.  A helper waits for messages with wire_receive; a poll loop
 * calls wire_fill when the descriptor is readable and then wire_next until it has
 * no more. */
#ifndef APTUNE_WIRE_WIRE_H
#define APTUNE_WIRE_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    WIRE_HEADER_LIMIT = 64 << 20, /* bytes; a list of all raw times is the longest header */
    WIRE_BLOB_LIMIT = 1 << 30     /* bytes; a cubin has some ten kilobytes to some megabytes */
};

/* No time limit, for the functions below that take seconds. */
#define WIRE_FOREVER (-1.0)

typedef enum WireStatus {
    WIRE_OK,     /* a message, or at least a byte */
    WIRE_MORE,   /* nothing complete yet; with a time limit: it passed */
    WIRE_END,    /* the other end closed the stream, or died */
    WIRE_GARBAGE /* the stream holds something that is no message; it cannot be used again */
} WireStatus;

typedef struct WireMessage {
    json_t *header; /* an object; owned by the message */
    char *blob;     /* owned by the message; NULL when blob_size is 0 */
    size_t blob_size;
} WireMessage;

/* Ends a message; harmless on a zeroed one. */
void wire_message_free(WireMessage *m);

/* Sends one message, waiting at most `seconds` for the other end to take it.  False when it
 * did not, when it is gone, or when a size is over its limit; the stream is then not usable
 * any more.  Never raises SIGPIPE on a socket. */
bool wire_send_within(int fd, const json_t *header, const void *blob, size_t blob_size,
                      double seconds);

/* The same without a limit. */
bool wire_send(int fd, const json_t *header, const void *blob, size_t blob_size);

typedef struct WireReader {
    int fd;      /* not owned */
    char *bytes; /* received and not yet handed out: bytes[start, end) */
    size_t start;
    size_t end;
    size_t capacity;
    bool ended;   /* the other end closed */
    bool garbage; /* a frame was not one of ours */
} WireReader;

/* A reader of `fd`; wire_reader_free ends it and leaves the descriptor open. */
WireReader wire_reader(int fd);
void wire_reader_free(WireReader *r);

/* Reads once what is there now: WIRE_OK when something came, WIRE_MORE when nothing was there
 * (or the call was interrupted), WIRE_END.  Blocks only when nothing is there and the
 * descriptor is blocking. */
WireStatus wire_fill(WireReader *r);

/* Takes the next complete message out of what was read, without reading; on WIRE_OK the caller
 * ends it with wire_message_free.  WIRE_END once the stream is closed and nothing complete is
 * left; a message cut off by the end counts as the end. */
WireStatus wire_next(WireReader *r, WireMessage *m);

/* Waits at most `seconds` for a message. */
WireStatus wire_receive(WireReader *r, WireMessage *m, double seconds);

#endif

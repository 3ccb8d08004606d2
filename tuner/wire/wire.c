#include "tuner/wire/wire.h"

#include "metrics/base/arena.h"
#include "metrics/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PREFIX = 16, READ_STEP = 64 << 10 };

static const char MAGIC[4] = {'a', 'p', 't', 'w'};

void wire_message_free(WireMessage *m)
{
    json_decref(m->header);
    free(m->blob);
    *m = (WireMessage){0};
}

/* Milliseconds left until `deadline` for poll, rounded up; -1 for ever. */
static int milliseconds_left(double deadline)
{
    if (deadline < 0)
        return -1;
    double left = (deadline - clock_seconds()) * 1e3;
    if (left <= 0)
        return 0;
    return left > INT_MAX / 2 ? INT_MAX / 2 : (int)left + 1;
}

static double deadline_after(double seconds)
{
    return seconds < 0 ? WIRE_FOREVER : clock_seconds() + seconds;
}

/* True when `fd` is ready for `events`, or has something to say about its end. */
static bool wait_ready(int fd, short events, double deadline)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = events};
        int n = poll(&p, 1, milliseconds_left(deadline));
        if (n > 0)
            return true;
        if (n == 0 || errno != EINTR)
            return false;
    }
}

/* --- sending ------------------------------------------------------------------------------- */

/* One write of what fits now; a pipe (in tests) is no socket and is written to as a file. */
static ssize_t write_some(int fd, const char *bytes, size_t size)
{
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == ENOTSOCK)
        n = write(fd, bytes, size);
    return n;
}

static bool write_all(int fd, const char *bytes, size_t size, double deadline)
{
    while (size) {
        ssize_t n = write_some(fd, bytes, size);
        if (n >= 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_ready(fd, POLLOUT, deadline))
                return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool wire_send_within(int fd, const json_t *header, const void *blob, size_t blob_size,
                      double seconds)
{
    char *text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text)
        return false;
    size_t length = strlen(text);
    bool ok = length <= WIRE_HEADER_LIMIT && blob_size <= WIRE_BLOB_LIMIT;
    if (ok) {
        char prefix[PREFIX];
        uint32_t header_size = (uint32_t)length;
        uint64_t size = blob_size;
        memcpy(prefix, MAGIC, 4);
        memcpy(prefix + 4, &header_size, 4);
        memcpy(prefix + 8, &size, 8);
        double deadline = deadline_after(seconds);
        ok = write_all(fd, prefix, PREFIX, deadline) && write_all(fd, text, length, deadline) &&
             write_all(fd, blob, blob_size, deadline);
    }
    free(text);
    return ok;
}

bool wire_send(int fd, const json_t *header, const void *blob, size_t blob_size)
{
    return wire_send_within(fd, header, blob, blob_size, WIRE_FOREVER);
}

/* --- receiving ----------------------------------------------------------------------------- */

WireReader wire_reader(int fd)
{
    return (WireReader){.fd = fd};
}

void wire_reader_free(WireReader *r)
{
    free(r->bytes);
    *r = (WireReader){.fd = -1};
}

/* Makes room for `size` more bytes behind the end. */
static void reserve(WireReader *r, size_t size)
{
    if (r->start) {
        memmove(r->bytes, r->bytes + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
    }
    if (r->capacity - r->end >= size)
        return;
    while (r->capacity - r->end < size)
        r->capacity = r->capacity ? r->capacity * 2 : READ_STEP;
    r->bytes = memory_resize(r->bytes, r->capacity, 1);
}

WireStatus wire_fill(WireReader *r)
{
    if (r->ended)
        return WIRE_END;
    if (r->capacity - r->end < READ_STEP)
        reserve(r, READ_STEP);
    ssize_t n = read(r->fd, r->bytes + r->end, r->capacity - r->end);
    if (n > 0) {
        r->end += (size_t)n;
        return WIRE_OK;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return WIRE_MORE;
    r->ended = true;
    return WIRE_END;
}

static WireStatus garbage(WireReader *r)
{
    r->garbage = true;
    return WIRE_GARBAGE;
}

WireStatus wire_next(WireReader *r, WireMessage *m)
{
    *m = (WireMessage){0};
    if (r->garbage)
        return WIRE_GARBAGE;
    size_t have = r->end - r->start;
    const char *p = have ? r->bytes + r->start : NULL;
    if (have && memcmp(p, MAGIC, have < 4 ? have : 4) != 0)
        return garbage(r);
    if (have < PREFIX)
        return r->ended ? WIRE_END : WIRE_MORE;
    uint32_t header_size;
    uint64_t blob_size;
    memcpy(&header_size, p + 4, 4);
    memcpy(&blob_size, p + 8, 8);
    if (header_size > WIRE_HEADER_LIMIT || blob_size > WIRE_BLOB_LIMIT)
        return garbage(r);
    size_t whole = PREFIX + header_size + (size_t)blob_size;
    if (have < whole)
        return r->ended ? WIRE_END : WIRE_MORE;

    m->header = json_loadb(p + PREFIX, header_size, 0, NULL);
    if (!json_is_object(m->header)) {
        wire_message_free(m);
        return garbage(r);
    }
    if (blob_size) {
        m->blob_size = (size_t)blob_size;
        m->blob = memory_new(m->blob_size);
        memcpy(m->blob, p + PREFIX + header_size, m->blob_size);
    }
    r->start += whole;
    return WIRE_OK;
}

WireStatus wire_receive(WireReader *r, WireMessage *m, double seconds)
{
    double deadline = deadline_after(seconds);
    for (;;) {
        WireStatus s = wire_next(r, m);
        if (s != WIRE_MORE)
            return s;
        if (!wait_ready(r->fd, POLLIN, deadline))
            return WIRE_MORE;
        wire_fill(r);
    }
}

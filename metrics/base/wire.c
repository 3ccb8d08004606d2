#include "metrics/base/wire.h"

#include "metrics/base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char MAGIC[] = "APT1";

enum {
    SIZE_DIGITS = 10, /* of the longest size: 2^30 */
    /* Longest first line: the magic word, two sizes with a blank before each, the newline. */
    LINE_LIMIT = 4 + 2 * (1 + SIZE_DIGITS) + 1,
    READ_STEP = 64 << 10
};

/* The sizes of an incoming message. */
typedef struct Frame {
    size_t line; /* bytes of the first line */
    size_t header, blob;
} Frame;

void wire_message_free(WireMessage *m)
{
    json_decref(m->header);
    free(m->storage);
    *m = (WireMessage){0};
}

/* ---- waiting ------------------------------------------------------------------------------- */

static double deadline_after(double seconds)
{
    return seconds < 0 ? WIRE_FOREVER : clock_seconds() + seconds;
}

/* True once `fd` is ready for `events`, was closed or has an error. */
static bool wait_ready(int fd, short events, double deadline)
{
    int n;
    do {
        struct pollfd p = {.fd = fd, .events = events};
        const double left_ms = (deadline - clock_seconds()) * 1e3;
        n = poll(&p, 1, deadline < 0 ? -1 : (int)ceil(fmin(fmax(left_ms, 0), INT_MAX / 2)));
    } while (n < 0 && errno == EINTR);
    return n > 0;
}

/* ---- reading ------------------------------------------------------------------------------- */

WireReader wire_reader(int fd)
{
    return (WireReader){.fd = fd};
}

void wire_reader_free(WireReader *r)
{
    buf_free(&r->bytes);
    *r = (WireReader){.fd = -1};
}

WireStatus wire_fill(WireReader *r)
{
    char bytes[READ_STEP];
    if (r->ended)
        return WIRE_END;
    ssize_t n = read(r->fd, bytes, FIRST_SIZE(sizeof bytes, 1));
    if (n > 0) {
        buf_add(&r->bytes, bytes, (size_t)n);
        return WIRE_OK;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return WIRE_MORE;
    r->ended = true;
    return WIRE_END;
}

/* One decimal size after a blank, at most `limit`. */
static bool read_size(const char **at, const char *end, size_t limit, size_t *size)
{
    const char *p = *at;
    if (p >= end || *p != ' ')
        return false;
    const char *first = ++p;
    size_t value = 0;
    for (; p < end && isdigit((unsigned char)*p) && p - first < SIZE_DIGITS; p++)
        value = value * 10 + (size_t)(*p - '0');
    *at = p;
    *size = value;
    return p > first && value <= limit;
}

/* Reads the first line of a message; WIRE_OK if it is complete and valid. */
static WireStatus read_line(const char *at, size_t size, Frame *f)
{
    size_t magic = strlen(MAGIC);
    if (memcmp(at, MAGIC, size < magic ? size : magic) != 0)
        return WIRE_GARBAGE;
    const char *end = memchr(at, '\n', size < LINE_LIMIT ? size : LINE_LIMIT);
    if (!end)
        return size < LINE_LIMIT ? WIRE_MORE : WIRE_GARBAGE;
    const char *p = at + magic;
    const bool sizes = p <= end && read_size(&p, end, WIRE_HEADER_LIMIT, &f->header) &&
                       (p == end || read_size(&p, end, WIRE_BLOB_LIMIT, &f->blob)) && p == end;
    if (!sizes)
        return WIRE_GARBAGE;
    f->line = (size_t)(end - at) + 1;
    return WIRE_OK;
}

/* Reads what follows the line; all of it has arrived. */
static WireStatus read_body(const char *at, const Frame *f, WireMessage *m)
{
    m->header = json_loadb(at, f->header, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(m->header)) {
        wire_message_free(m);
        return WIRE_GARBAGE;
    }
    m->storage = memory_new(f->blob + 1); /* a copy, so that the reader can continue */
    memcpy(m->storage, at + f->header, f->blob);
    m->blob = (Blob){m->storage, f->blob};
    return WIRE_OK;
}

WireStatus wire_next(WireReader *r, WireMessage *m)
{
    *m = (WireMessage){0};
    if (r->bytes.size == 0)
        return r->ended ? WIRE_END : WIRE_MORE;
    char *at = r->bytes.text;
    Frame f = {0};
    WireStatus s = read_line(at, r->bytes.size, &f);
    if (s == WIRE_GARBAGE)
        return s;
    size_t whole = f.line + f.header + f.blob;
    if (s == WIRE_MORE || r->bytes.size < whole)
        return r->ended ? WIRE_CUT : WIRE_MORE;
    s = read_body(at + f.line, &f, m);
    if (s == WIRE_OK) {
        r->bytes.size -= whole;
        memmove(at, at + whole, r->bytes.size + 1);
    }
    return s;
}

WireStatus wire_receive(WireReader *r, WireMessage *m, double seconds)
{
    double deadline = deadline_after(seconds);
    for (;;) {
        WireStatus s = wire_next(r, m);
        if (s != WIRE_MORE || !wait_ready(r->fd, POLLIN, deadline))
            return s;
        wire_fill(r);
    }
}

void wire_quote(WireReader *r, Buf *out)
{
    enum { SHOWN = 120 };
    while (r->bytes.size < SHOWN && !r->ended && wait_ready(r->fd, POLLIN, deadline_after(0)))
        wire_fill(r);
    const char *at = r->bytes.text;
    for (size_t i = 0; i < r->bytes.size && i < SHOWN; i++)
        buf_putc(out, isprint((unsigned char)at[i]) ? at[i] : at[i] == '\n' ? ' ' : '?');
}

/* ---- writing ------------------------------------------------------------------------------- */

WireWriter wire_writer(int fd)
{
    return (WireWriter){.fd = fd};
}

void wire_writer_free(WireWriter *w)
{
    buf_free(&w->bytes);
    *w = (WireWriter){.fd = -1};
}

bool wire_put(WireWriter *w, const json_t *header, Blob blob, Diag *d)
{
    if (blob.size > WIRE_BLOB_LIMIT)
        return diag_fail(d, "a blob of more than %d bytes is too much for a message",
                         WIRE_BLOB_LIMIT);
    /* 17 digits preserve every double. */
    char *text =
        json_is_object(header) ? json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    if (!text)
        return diag_fail(d, "a message holds text that is not UTF-8");
    size_t size = strlen(text);
    bool ok = size <= WIRE_HEADER_LIMIT;
    if (ok) {
        buf_printf(&w->bytes, "%s %zu %zu\n%s", MAGIC, size, blob.size, text);
        if (blob.size)
            buf_add(&w->bytes, blob.bytes, blob.size);
    }
    free(text);
    return ok || diag_fail(d, "%zu bytes of JSON are too much for a message", size);
}

bool wire_pending(const WireWriter *w)
{
    return w->sent < w->bytes.size;
}

/* Writes once, without blocking.  A dead helper must not end us with SIGPIPE, hence `send`; other files than
 * sockets (in tests) are written to with `write`. */
static ssize_t write_some(int fd, const char *bytes, size_t size)
{
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    return n < 0 && errno == ENOTSOCK ? write(fd, bytes, size) : n;
}

bool wire_flush(WireWriter *w)
{
    while (wire_pending(w)) {
        ssize_t n = write_some(w->fd, w->bytes.text + w->sent, w->bytes.size - w->sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        w->sent += (size_t)n;
    }
    buf_clear(&w->bytes);
    w->sent = 0;
    return true;
}

bool wire_flush_within(WireWriter *w, double seconds)
{
    double deadline = deadline_after(seconds);
    while (wire_flush(w)) {
        if (!wire_pending(w))
            return true;
        if (!wait_ready(w->fd, POLLOUT, deadline)) {
            errno = ETIMEDOUT;
            return false;
        }
    }
    return false;
}

bool wire_send(int fd, const json_t *header, Blob blob, Diag *d)
{
    WireWriter w = wire_writer(fd);
    bool ok = wire_put(&w, header, blob, d);
    if (ok && !wire_flush_within(&w, WIRE_FOREVER))
        ok = diag_fail(d, "cannot send a message: %s", strerror(errno));
    wire_writer_free(&w);
    return ok;
}

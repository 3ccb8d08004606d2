#include "tuner/compile/wire.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char MAGIC[] = "APT1";

/* The longest first line: the magic word, the sizes, the line's end. */
enum { LINE_LIMIT = 5 + (CWIRE_BLOBS + 1) * 11 + 1 };

/* The sizes of a message that is coming in. */
typedef struct Frame {
    size_t line; /* bytes of the first line */
    size_t json;
    size_t blob[CWIRE_BLOBS];
    size_t blob_count;
    size_t size; /* all of it */
} Frame;

void cwire_free(CWireMessage *m)
{
    json_decref(m->head);
    free(m->storage);
    *m = (CWireMessage){0};
}

void cwire_reader_free(CWireReader *r)
{
    buf_free(&r->bytes);
    *r = (CWireReader){0};
}

/* ---- reading ------------------------------------------------------------------------------- */

CWireStatus cwire_fill(CWireReader *r, int fd)
{
    char part[65536];
    ssize_t n = read(fd, part, sizeof part);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return CWIRE_MORE;
    if (n <= 0) {
        r->ended = true;
        return CWIRE_END;
    }
    if (r->start == r->bytes.size) {
        buf_clear(&r->bytes);
        r->start = 0;
    }
    buf_add(&r->bytes, part, (size_t)n);
    return CWIRE_MORE;
}

/* The beginning of what came, fit for a message: printable and short. */
static const char *quote(Arena *a, const char *bytes, size_t size)
{
    enum { SHOWN = 120 };
    size_t n = size < SHOWN ? size : SHOWN;
    char *text = arena_copy(a, bytes, n);
    for (size_t i = 0; i < n; i++)
        if (!isprint((unsigned char)text[i]))
            text[i] = text[i] == '\n' ? ' ' : '?';
    return text;
}

/* One decimal size after a blank, at most `limit`. */
static bool read_size(const char **at, const char *end, size_t limit, size_t *size)
{
    const char *p = *at;
    if (p >= end || *p != ' ')
        return false;
    const char *first = ++p;
    size_t value = 0;
    for (; p < end && isdigit((unsigned char)*p) && p - first < 10; p++)
        value = value * 10 + (size_t)(*p - '0');
    *at = p;
    *size = value;
    return p > first && value <= limit;
}

static bool read_sizes(const char *p, const char *end, Frame *f)
{
    if (!read_size(&p, end, CWIRE_JSON_LIMIT, &f->json))
        return false;
    f->size = f->line + f->json;
    while (p < end) {
        if (f->blob_count == CWIRE_BLOBS ||
            !read_size(&p, end, CWIRE_BLOB_LIMIT, &f->blob[f->blob_count]))
            return false;
        f->size += f->blob[f->blob_count++];
    }
    return true;
}

/* Reads the first line.  CWIRE_MESSAGE when it is whole and sound. */
static CWireStatus read_line(const char *at, size_t size, Frame *f)
{
    size_t magic = strlen(MAGIC);
    if (memcmp(at, MAGIC, size < magic ? size : magic) != 0)
        return CWIRE_BAD;
    const char *end = memchr(at, '\n', size < LINE_LIMIT ? size : LINE_LIMIT);
    if (!end)
        return size < LINE_LIMIT ? CWIRE_MORE : CWIRE_BAD;
    f->line = (size_t)(end - at) + 1;
    return read_sizes(at + magic, end, f) ? CWIRE_MESSAGE : CWIRE_BAD;
}

/* Gives the message storage of its own, so that the reader can go on. */
static bool read_body(const char *at, const Frame *f, CWireMessage *m)
{
    *m = (CWireMessage){0};
    m->head = json_loadb(at + f->line, f->json, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(m->head)) {
        cwire_free(m);
        return false;
    }
    size_t size = f->size - f->line - f->json;
    m->storage = memory_new(size + 1);
    if (size)
        memcpy(m->storage, at + f->line + f->json, size);
    const char *p = m->storage;
    for (; m->blob_count < f->blob_count; m->blob_count++) {
        m->blob[m->blob_count] = (Blob){p, f->blob[m->blob_count]};
        p += f->blob[m->blob_count];
    }
    return true;
}

static CWireStatus bad(const CWireReader *r, Diag *d)
{
    const char *at = buf_text(&r->bytes) + r->start;
    diag_fail(d, "the helper program sent something else than a message: '%s'",
              quote(d->arena, at, r->bytes.size - r->start));
    return CWIRE_BAD;
}

CWireStatus cwire_take(CWireReader *r, CWireMessage *m, Diag *d)
{
    size_t size = r->bytes.size - r->start;
    if (size == 0)
        return r->ended ? CWIRE_END : CWIRE_MORE;
    const char *at = r->bytes.text + r->start;
    Frame f = {0};
    CWireStatus line = read_line(at, size, &f);
    if (line == CWIRE_BAD)
        return bad(r, d);
    if (line == CWIRE_MORE || size < f.size) {
        if (!r->ended)
            return CWIRE_MORE;
        diag_fail(d, "the helper program ended in the middle of a message");
        return CWIRE_BAD;
    }
    if (!read_body(at, &f, m))
        return bad(r, d);
    r->start += f.size;
    return CWIRE_MESSAGE;
}

static void wait_for(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    poll(&p, 1, -1);
}

CWireStatus cwire_receive(CWireReader *r, int fd, CWireMessage *m, Diag *d)
{
    for (;;) {
        CWireStatus s = cwire_take(r, m, d);
        if (s != CWIRE_MORE)
            return s;
        wait_for(fd, POLLIN);
        cwire_fill(r, fd);
    }
}

/* ---- writing ------------------------------------------------------------------------------- */

bool cwire_encode(Buf *out, const json_t *head, const Blob *blobs, size_t count, Diag *d)
{
    if (count > CWIRE_BLOBS)
        return diag_fail(d, "a message of %zu blobs is over the limit of %d", count, CWIRE_BLOBS);
    for (size_t i = 0; i < count; i++)
        if (blobs[i].size > CWIRE_BLOB_LIMIT)
            return diag_fail(d, "%zu bytes are too much for a message", blobs[i].size);
    char *json = json_dumps(head, JSON_COMPACT);
    if (!json)
        return diag_fail(d, "a message holds text that is not UTF-8");
    size_t size = strlen(json);
    bool ok = size <= CWIRE_JSON_LIMIT;
    if (ok) {
        buf_printf(out, "%s %zu", MAGIC, size);
        for (size_t i = 0; i < count; i++)
            buf_printf(out, " %zu", blobs[i].size);
        buf_putc(out, '\n');
        buf_add(out, json, size);
        for (size_t i = 0; i < count; i++)
            if (blobs[i].size)
                buf_add(out, blobs[i].bytes, blobs[i].size);
    }
    free(json);
    return ok || diag_fail(d, "%zu bytes of JSON are too much for a message", size);
}

/* A helper that has died must not end us with SIGPIPE; `send` can say so, but only of sockets. */
static ssize_t write_some(int fd, const char *bytes, size_t size)
{
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
    return n < 0 && errno == ENOTSOCK ? write(fd, bytes, size) : n;
}

bool cwire_pending(const CWireWriter *w)
{
    return w->sent < w->bytes.size;
}

bool cwire_flush(CWireWriter *w, int fd)
{
    while (cwire_pending(w)) {
        ssize_t n = write_some(fd, w->bytes.text + w->sent, w->bytes.size - w->sent);
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

bool cwire_send(int fd, const json_t *head, const Blob *blobs, size_t count, Diag *d)
{
    CWireWriter w = {0};
    bool ok = cwire_encode(&w.bytes, head, blobs, count, d);
    while (ok && cwire_pending(&w)) {
        ok = cwire_flush(&w, fd) || diag_fail(d, "cannot send a message: %s", strerror(errno));
        if (ok && cwire_pending(&w))
            wait_for(fd, POLLOUT);
    }
    buf_free(&w.bytes);
    return ok;
}

/* ---- lists of texts ------------------------------------------------------------------------ */

void cwire_pack_texts(Buf *out, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add(out, texts[i], strlen(texts[i]) + 1);
}

bool cwire_unpack_texts(Arena *a, Blob blob, const char ***texts, size_t *count)
{
    *count = 0;
    *texts = NULL;
    if (blob.size == 0)
        return true;
    const char *copy = arena_copy(a, blob.bytes, blob.size);
    if (copy[blob.size - 1] != '\0')
        return false;
    for (size_t i = 0; i < blob.size; i++)
        *count += copy[i] == '\0';
    *texts = ARENA_ARRAY(a, const char *, *count);
    for (size_t i = 0; i < *count; i++) {
        (*texts)[i] = copy;
        copy += strlen(copy) + 1;
    }
    return true;
}

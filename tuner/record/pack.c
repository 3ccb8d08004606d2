#include "tuner/record/pack.h"

#include "metrics/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* A recording is compressed once and shipped for years. */
enum { LEVEL = 19 };

enum { CHUNK = 65536 };

/* Magic number of a frame: RFC 8878, 3.1.1. */
static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

struct RecordReader {
    char *path;
    Diag *diag;
    int file;
    char *chunk; /* raw chunk of the file */
    size_t chunk_size;
    ZSTD_DStream *unpack; /* NULL: not compressed */
    ZSTD_inBuffer packed; /* unread part of the chunk */
    Buf text;             /* decompressed; returned lines stay valid until the next chunk is read */
    size_t at;            /* offset of the next line in the text */
    size_t looked;        /* no newline before this offset */
    size_t total;         /* decompressed bytes so far */
    size_t number;        /* lines so far */
    bool started;         /* the first chunk was examined */
    bool ended;
    bool inside; /* a compressed frame */
    RecordEnd end;
};

const char *record_opening(Arena *a, const char *kind)
{
    return arena_printf(a, "{\"aptune\":\"%s\",\"format\":", kind);
}

/* --- pieces ----------------------------------------------------------------------------------- */

static bool stop(RecordReader *r)
{
    r->end.ok = false;
    r->ended = true;
    return false;
}

/* Reads until the chunk is full or the file ends. */
static bool read_chunk(RecordReader *r)
{
    r->chunk_size = CHUNK;
    if (file_read_all(r->file, r->chunk, &r->chunk_size))
        return true;
    diag_fail(r->diag, "cannot read '%s': %s", r->path, strerror(errno));
    return stop(r);
}

/* Detects compression by the first chunk. */
static bool start(RecordReader *r)
{
    r->started = true;
    if (r->chunk_size < sizeof magic || memcmp(r->chunk, magic, sizeof magic) != 0)
        return true;
    r->unpack = ZSTD_createDStream();
    if (r->unpack)
        return true;
    diag_fail(r->diag, "cannot decompress '%s': out of memory", r->path);
    return stop(r);
}

/* Decompresses a chunk, which may hold several frames. */
static bool unpack_chunk(RecordReader *r)
{
    char part[CHUNK];
    r->packed = (ZSTD_inBuffer){r->chunk, r->chunk_size, 0};
    for (;;) {
        ZSTD_outBuffer out = {part, sizeof part, 0};
        size_t result = ZSTD_decompressStream(r->unpack, &out, &r->packed);
        if (ZSTD_isError(result)) {
            diag_fail(r->diag, "'%s' is damaged: %s", r->path, ZSTD_getErrorName(result));
            return stop(r);
        }
        r->inside = result != 0;
        buf_add(&r->text, part, out.pos);
        r->total += out.pos;
        if (r->total > RECORD_BYTES_MAX) {
            diag_fail(r->diag, "'%s' has more than %zu bytes decompressed", r->path,
                      RECORD_BYTES_MAX);
            return stop(r);
        }
        if (r->packed.pos == r->packed.size && out.pos < out.size)
            return true;
    }
}

static void drop_lines(RecordReader *r)
{
    if (r->at == 0)
        return;
    r->text.size -= r->at;
    memmove(r->text.text, r->text.text + r->at, r->text.size);
    r->looked -= r->at;
    r->at = 0;
}

static bool read_more(RecordReader *r)
{
    if (r->ended)
        return false;
    drop_lines(r);
    if (!read_chunk(r) || (!r->started && !start(r)))
        return false;
    if (r->chunk_size == 0) {
        r->ended = true;
        return false;
    }
    if (r->unpack)
        return unpack_chunk(r);
    buf_add(&r->text, r->chunk, r->chunk_size);
    return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Reads the next line, damaged or not. */
static bool next_line(RecordReader *r, RecordLine *line)
{
    for (;;) {
        const char *from = r->text.text + r->looked;
        const char *newline =
            r->looked < r->text.size ? memchr(from, '\n', r->text.size - r->looked) : NULL;
        if (newline) {
            const char *text = r->text.text + r->at;
            *line = (RecordLine){text, (size_t)(newline - text), r->path, ++r->number};
            r->at += line->size + 1;
            r->looked = r->at;
            r->end.last = r->end.size;
            r->end.before = r->end.chain;
            r->end.size += line->size + 1;
            return true;
        }
        r->looked = r->text.size;
        if (!read_more(r))
            return false;
    }
}

bool record_reader_next(RecordReader *r, RecordLine *line)
{
    while (next_line(r, line)) {
        LineState state = line_check(line->text, line->size, r->end.chained ? &r->end.chain : NULL);
        if (state == LINE_ORPHAN)
            diag_warn(r->diag, (Span){0}, "%s:%zu: a line is missing before this one", r->path,
                      r->number);
        if (state != LINE_DAMAGED)
            return true;
        r->end.ok = diag_fail(r->diag, "%s:%zu: the line is damaged: its checksum does not match%s",
                              r->path, r->number,
                              r->number > 1 ? " (without that line the rest can be used)" : "");
    }
    r->end.cut = r->inside || r->at < r->text.size;
    r->end.packed = r->unpack != NULL;
    return false;
}

bool record_reader_header(RecordReader *r, RecordLine *line)
{
    return record_reader_next(r, line) && line->number == 1;
}

/* --- opening and closing ---------------------------------------------------------------------- */

/* True if the text so far, perhaps only a part, is that of a header line. */
static bool may_open(const Buf *text, const char *opening)
{
    size_t size = strlen(opening);
    return memcmp(buf_text(text), opening, text->size < size ? text->size : size) == 0;
}

/* The format comes first and is checked before the checksum, which a newer format may compute
 * differently. */
static bool check_opening(RecordReader *r, const char *kind, const char *opening)
{
    const Buf *text = &r->text;
    if (text->size == 0)
        return diag_fail(r->diag,
                         r->inside ? "'%s' is truncated before its first line" : "'%s' is empty",
                         r->path);
    if (!may_open(text, opening))
        return diag_fail(r->diag, "'%s' is not a recording of %s", r->path, kind);
    if (text->size < strlen(opening))
        return diag_fail(r->diag, "'%s' ends inside its first line", r->path);
    long format = strtol(buf_text(text) + strlen(opening), NULL, 10);
    if (format > RECORD_FORMAT_CHAINED)
        return diag_fail(r->diag, "'%s' has format %ld; this aptune reads up to format %d", r->path,
                         format, RECORD_FORMAT_CHAINED);
    r->end.chained = format == RECORD_FORMAT_CHAINED;
    return true;
}

/* Reads until the first line is complete or its start differs from `opening`. */
static bool has_header(RecordReader *r, const char *opening)
{
    while (r->text.size == 0 || !memchr(r->text.text, '\n', r->text.size))
        if (!may_open(&r->text, opening) || !read_more(r))
            return false;
    return true;
}

RecordReader *record_reader_open(const char *path, const char *kind, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    RecordReader *r = memory_zeroed(1, sizeof *r);
    *r = (RecordReader){.diag = d, .file = -1, .chunk = memory_new(CHUNK), .end.ok = true};
    r->path = memory_new(strlen(path) + 1);
    strcpy(r->path, path);
    uint64_t size;
    r->file = file_open(path, &size, d);
    bool ok = r->file >= 0;
    if (ok) {
        const char *opening = record_opening(a, kind);
        bool header = has_header(r, opening);
        ok = r->end.ok && check_opening(r, kind, opening);
        if (ok && !header)
            ok = diag_fail(d, "'%s' ends inside its first line", path);
    }
    if (ok)
        return r;
    record_reader_close(r);
    return NULL;
}

RecordEnd record_reader_close(RecordReader *r)
{
    if (!r)
        return (RecordEnd){0};
    RecordEnd end = r->end;
    if (r->file >= 0)
        close(r->file);
    ZSTD_freeDStream(r->unpack);
    buf_free(&r->text);
    free(r->chunk);
    free(r->path);
    free(r);
    return end;
}

/* --- compressing ------------------------------------------------------------------------------ */

static bool compress(const Buf *text, const char *to, Diag *d)
{
    size_t room = ZSTD_compressBound(text->size);
    char *packed = memory_new(room);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    bool ok = false;
    if (z) {
        ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
        size_t size = ZSTD_compress2(z, packed, room, buf_text(text), text->size);
        ok = ZSTD_isError(size) ? diag_fail(d, "cannot compress: %s", ZSTD_getErrorName(size))
                                : file_write(to, packed, size, d);
        ZSTD_freeCCtx(z);
    }
    free(packed);
    return ok;
}

/* "profile" if the file is one, else "times": any other file is then reported as not of times. */
static const char *kind_of(const char *path)
{
    SCOPED_ARENA *a = arena_new();
    RecordReader *r = record_reader_open(path, "profile", DIAG_UNHEARD(a));
    const char *kind = r ? "profile" : "times";
    record_reader_close(r);
    return kind;
}

bool record_compress(const char *from, const char *to, Diag *d)
{
    RecordReader *r = record_reader_open(from, kind_of(from), d);
    RecordLine line;
    SCOPED_BUF text = {0};
    while (r && record_reader_next(r, &line))
        buf_add(&text, line.text, line.size + 1);
    RecordEnd end = record_reader_close(r);
    if (end.ok && end.cut)
        diag_warn(d, (Span){0}, "'%s' ends inside a line; that line is left out", from);
    return end.ok && compress(&text, to, d);
}

#include "tuner/record/pack.h"

#include "metrics/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* A recording is compressed once and shipped for years. */
enum { LEVEL = 19 };

/* Magic number of a frame: RFC 8878, 3.1.1. */
static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

struct RecordReader {
    Arena *arena; /* owns the reader and what it points to */
    const char *path;
    Diag *diag;
    const char *text; /* of the whole file, decompressed */
    size_t size;
    size_t number; /* lines so far */
    bool inside;   /* the text ends inside a compressed frame */
    RecordEnd end; /* so far */
    Buf unpacked;
};

const char *record_opening(Arena *a, const char *kind)
{
    return arena_printf(a, "{\"aptune\":\"%s\",\"format\":", kind);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Takes the next line, damaged or not. */
static bool next_line(RecordReader *r, RecordLine *line)
{
    const char *text = r->text + r->end.size;
    const char *newline = memchr(text, '\n', r->size - r->end.size);
    r->end.cut = r->inside || (!newline && r->end.size < r->size);
    if (!newline)
        return false;
    *line = (RecordLine){text, (size_t)(newline - text), r->path, ++r->number};
    r->end.last = r->end.size;
    r->end.before = r->end.chain;
    r->end.size += line->size + 1;
    return true;
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
    return false;
}

/* --- opening and closing ---------------------------------------------------------------------- */

/* Decompresses the text, which may have several frames and end inside one. */
static bool unpack(RecordReader *r)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z)
        return diag_fail(r->diag, "cannot decompress '%s': out of memory", r->path);
    ZSTD_inBuffer in = {r->text, r->size, 0};
    size_t left = 0; /* 0: at the end of a frame */
    bool ok = true, more = true;
    while (ok && more) {
        char part[1 << 16];
        ZSTD_outBuffer out = {part, sizeof part, 0};
        left = ZSTD_decompressStream(z, &out, &in);
        buf_add(&r->unpacked, part, out.pos);
        if (ZSTD_isError(left))
            ok = diag_fail(r->diag, "'%s' is damaged: %s", r->path, ZSTD_getErrorName(left));
        else if (r->unpacked.size > RECORD_BYTES_MAX)
            ok = diag_fail(r->diag, "'%s' has more than %zu bytes decompressed", r->path,
                           RECORD_BYTES_MAX);
        more = in.pos < in.size || out.pos == out.size;
    }
    ZSTD_freeDStream(z);
    r->text = buf_text(&r->unpacked);
    r->size = r->unpacked.size;
    r->inside = left != 0;
    r->end.packed = true;
    return ok;
}

/* The format comes first and is checked before the checksum, which a newer format may compute
 * differently. */
static bool check_opening(RecordReader *r, const char *kind)
{
    const char *opening = record_opening(r->arena, kind);
    const size_t size = strlen(opening);
    if (r->size == 0)
        return diag_fail(r->diag,
                         r->inside ? "'%s' is truncated before its first line" : "'%s' is empty",
                         r->path);
    if (memcmp(r->text, opening, r->size < size ? r->size : size) != 0)
        return diag_fail(r->diag, "'%s' is not a recording of %s", r->path, kind);
    const long format = r->size < size ? 0 : strtol(r->text + size, NULL, 10);
    if (format > RECORD_FORMAT_CHAINED)
        return diag_fail(r->diag, "'%s' has format %ld; this aptune reads up to format %d", r->path,
                         format, RECORD_FORMAT_CHAINED);
    r->end.chained = format == RECORD_FORMAT_CHAINED;
    return memchr(r->text, '\n', r->size) ||
           diag_fail(r->diag, "'%s' ends inside its first line", r->path);
}

RecordReader *record_reader_open(const char *path, const char *kind, Diag *d)
{
    Arena *a = arena_new();
    RecordReader *r = ARENA_COPY(
        a, RecordReader, {.arena = a, .path = arena_string(a, path), .diag = d, .end.ok = true});
    r->text = file_read_most(a, path, RECORD_BYTES_MAX, &r->size, d);
    const bool packed =
        r->text && r->size >= sizeof magic && memcmp(r->text, magic, sizeof magic) == 0;
    if (r->text && (!packed || unpack(r)) && check_opening(r, kind))
        return r;
    record_reader_close(r);
    return NULL;
}

RecordEnd record_reader_close(RecordReader *r)
{
    if (!r)
        return (RecordEnd){0};
    RecordEnd end = r->end;
    buf_free(&r->unpacked);
    arena_free(r->arena);
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

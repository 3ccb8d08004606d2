#include "tuner/record/pack.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/record/line.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* A recording is packed once and shipped for years. */
enum { LEVEL = 19 };

/* First bytes of a frame: RFC 8878, 3.1.1. */
static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

const char *record_opening(Arena *a, const char *kind)
{
    return arena_printf(a, "{\"aptune\":\"%s\",\"format\":", kind);
}

typedef struct Bytes {
    const char *at;
    size_t size;
} Bytes;

/* Unpacks what there is of all frames.  `result` ends as 0 at the end of a frame. */
static bool unpack_stream(ZSTD_DStream *z, Bytes packed, Buf *out, bool *cut, const char *path,
                          Diag *d)
{
    ZSTD_inBuffer in = {packed.at, packed.size, 0};
    char part[65536];
    size_t result = 0;
    for (;;) {
        ZSTD_outBuffer o = {part, sizeof part, 0};
        result = ZSTD_decompressStream(z, &o, &in);
        if (ZSTD_isError(result))
            return diag_fail(d, "'%s' is damaged: %s", path, ZSTD_getErrorName(result));
        if (out->size + o.pos > RECORD_BYTES_MAX)
            return diag_fail(d, "'%s' unpacks to more than %zu bytes", path, RECORD_BYTES_MAX);
        buf_add(out, part, o.pos);
        if (in.pos == in.size && o.pos < o.size)
            break;
    }
    *cut = result != 0;
    return true;
}

static bool unpack(Bytes packed, Buf *out, bool *cut, const char *path, Diag *d)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z)
        return diag_fail(d, "cannot unpack '%s': out of memory", path);
    bool ok = unpack_stream(z, packed, out, cut, path, d);
    ZSTD_freeDStream(z);
    return ok;
}

/* The text of the file. */
static bool load(Arena *a, const char *path, Bytes *text, RecordLines *out, Diag *d)
{
    text->at = file_read(a, path, &text->size, d);
    if (!text->at)
        return false;
    out->packed = text->size >= sizeof magic && memcmp(text->at, magic, sizeof magic) == 0;
    if (!out->packed)
        return true;
    Buf plain = {0};
    bool ok = unpack(*text, &plain, &out->cut, path, d);
    *text = (Bytes){arena_copy(a, buf_text(&plain), plain.size), plain.size};
    buf_free(&plain);
    return ok;
}

static bool starts_with(Bytes text, const char *opening)
{
    size_t size = strlen(opening);
    return text.size >= size && memcmp(text.at, opening, size) == 0;
}

/* The format stands first, and is looked at before the checksum: a newer format may count
 * differently. */
static bool check_opening(Arena *a, Bytes text, const char *kind, const char *path, Diag *d)
{
    const char *opening = record_opening(a, kind);
    if (text.size == 0)
        return diag_fail(d, "'%s' is empty", path);
    if (!starts_with(text, opening)) {
        if (!memchr(text.at, '\n', text.size) && strncmp(text.at, opening, text.size) == 0)
            return diag_fail(d, "'%s' ends inside its first line", path);
        return diag_fail(d, "'%s' is not a recording of %s", path, kind);
    }
    long format = strtol(text.at + strlen(opening), NULL, 10);
    if (format > RECORD_FORMAT)
        return diag_fail(d, "'%s' has format %ld; this aptune reads up to format %d", path, format,
                         RECORD_FORMAT);
    return true;
}

static bool split(Arena *a, Bytes text, RecordLines *out, Diag *d)
{
    bool ok = true;
    const char *end = text.at + text.size;
    for (const char *p = text.at, *newline; p < end; p = newline + 1) {
        newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline) {
            out->cut = true;
            break;
        }
        RecordLine line = {p, (size_t)(newline - p)};
        VEC_PUSH(a, &out->lines, line);
        out->size += line.size + 1;
        if (!line_intact(line.text, line.size))
            ok = diag_fail(d, "%s:%zu: the line is damaged: its checksum does not match%s",
                           out->path, out->lines.count,
                           out->lines.count > 1 ? " (without that line the rest can be used)" : "");
    }
    return ok;
}

bool record_lines_read(Arena *a, const char *path, const char *kind, RecordLines *out, Diag *d)
{
    *out = (RecordLines){.path = arena_string(a, path)};
    Bytes text;
    if (!load(a, path, &text, out, d) || !check_opening(a, text, kind, path, d) ||
        !split(a, text, out, d))
        return false;
    if (out->lines.count == 0)
        return diag_fail(d, "'%s' ends inside its first line", path);
    return true;
}

static bool pack(Bytes text, const char *to, Diag *d)
{
    size_t room = ZSTD_compressBound(text.size);
    char *packed = memory_new(room);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    bool ok = false;
    if (z) {
        ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
        size_t size = ZSTD_compress2(z, packed, room, text.at, text.size);
        ok = ZSTD_isError(size) ? diag_fail(d, "cannot pack: %s", ZSTD_getErrorName(size))
                                : file_write(to, packed, size, d);
        ZSTD_freeCCtx(z);
    }
    free(packed);
    return ok;
}

bool record_compress(const char *from, const char *to, Diag *d)
{
    Arena *a = arena_new();
    RecordLines r = {.path = from};
    Bytes text;
    bool ok = load(a, from, &text, &r, d);
    if (ok) {
        const char *kind = starts_with(text, record_opening(a, "profile")) ? "profile" : "times";
        ok = record_lines_read(a, from, kind, &r, d);
    }
    if (ok && r.cut)
        diag_warn(d, (Span){0}, "'%s' ends inside a line; that line is left out", from);
    ok = ok && pack((Bytes){r.lines.at[0].text, r.size}, to, d);
    arena_free(a);
    return ok;
}

#include "tuner/output/gunzip.h"

#include <limits.h>
#define ZLIB_CONST /* what is read stays as it is */
#include <zlib.h>

bool gunzip_is_packed(const char *bytes, size_t size)
{
    return size >= 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b;
}

/* One member, from z->next_in on.  False after a message. */
static bool unpack_member(z_stream *z, size_t most, const char *path, Buf *out, Diag *d)
{
    char part[1 << 16];
    int status = Z_OK;
    while (status == Z_OK) {
        z->next_out = (Bytef *)part;
        z->avail_out = sizeof part;
        status = inflate(z, Z_NO_FLUSH);
        buf_add(out, part, sizeof part - z->avail_out);
        if (out->size > most)
            return diag_fail(d, "'%s' unpacks to more than the %zu bytes that are read here", path,
                             most);
    }
    if (status == Z_STREAM_END)
        return true;
    return diag_fail(d, "'%s' cannot be unpacked: %s", path,
                     status == Z_BUF_ERROR ? "it ends early"
                     : z->msg              ? z->msg
                                           : "it is damaged");
}

bool gunzip(const char *bytes, size_t size, size_t most, const char *path, Buf *out, Diag *d)
{
    enum { GZIP = 16 }; /* on top of the bits of the window: only gzip's header */
    z_stream z = {.next_in = (const Bytef *)bytes};
    if (size > UINT_MAX)
        return diag_fail(d, "'%s' is too large to be unpacked", path);
    z.avail_in = (uInt)size;
    if (inflateInit2(&z, MAX_WBITS + GZIP) != Z_OK)
        return diag_fail(d, "'%s' cannot be unpacked: no memory", path);
    bool ok;
    do
        ok = unpack_member(&z, most, path, out, d);
    while (ok && gunzip_is_packed((const char *)z.next_in, z.avail_in) && inflateReset(&z) == Z_OK);
    inflateEnd(&z);
    return ok;
}

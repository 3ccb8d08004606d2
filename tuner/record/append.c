#include "tuner/record/append.h"

#include "metrics/base/file.h"
#include "tuner/record/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Appender {
    const char *path;
    int fd;
    bool regular; /* not a device such as /dev/full, which has no size and cannot be synced */
    bool broken;  /* the file ends with a partial line that could not be removed */
    int64_t size;
    bool chained; /* an old file without a chain is continued as it is */
    LineChain chain;
    size_t next; /* offset of an old end line to overwrite; 0: none */
    Buf line;
};

/* True if no other user can write the file. Others who may read it can still lock it. */
static bool only_we_write(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool lock(const char *path, int fd, Diag *d)
{
    const LockResult taken = lock_take(fd);
    if (taken == LOCK_TAKEN || (taken == LOCK_REFUSED && only_we_write(fd) && !lock_is_ours(fd)))
        return true;
    if (taken == LOCK_REFUSED)
        return diag_fail(d,
                         "'%s' is being written by another run%s; wait for it, or name another "
                         "file or folder",
                         path, lock_holder(d->arena, fd));
    return diag_fail(d, "cannot lock '%s': %s", path, strerror(errno));
}

/* Another program may change the file without locking it, and lines written to a deleted file are
 * lost when it is closed. Report that now rather than after hours. */
static bool check_ours(const Appender *w, Diag *d)
{
    struct stat st;
    if (!w->regular || fstat(w->fd, &st) != 0)
        return true;
    if (st.st_nlink == 0)
        return diag_fail(d, "'%s' was deleted while it was being written", w->path);
    return (int64_t)st.st_size == w->size ||
           diag_fail(d, "'%s' was changed by another program while it was being written", w->path);
}

static bool truncate_to(Appender *w, int64_t size, Diag *d)
{
    if (!check_ours(w, d))
        return false;
    if (w->regular && ftruncate(w->fd, (off_t)size) != 0)
        return diag_fail(d, "cannot shorten '%s': %s", w->path, strerror(errno));
    w->size = size;
    return true;
}

/* Sets `*fresh` if the file is empty or holds only a partial header, which is removed. False after
 * a message if the file cannot be appended to. */
static bool check_old(Appender *w, const char *path, const char *kind, bool *fresh, Diag *d)
{
    *fresh = w->size == 0;
    if (*fresh)
        return true;
    SCOPED_ARENA *a = arena_new();
    size_t size = 0;
    const char *text = file_read(a, path, &size, d);
    const char *opening = record_opening(a, kind);
    size_t common = size < strlen(opening) ? size : strlen(opening);
    bool ok = text != NULL;
    if (ok && size >= 4 && memcmp(text, "\x28\xb5\x2f\xfd", 4) == 0) {
        ok = diag_fail(d, "'%s' is compressed; decompress it (zstd -d) to continue it", path);
    } else if (ok && memcmp(text, opening, common) != 0) {
        ok = diag_fail(d, "'%s' is not a recording of %s; it was not changed", path, kind);
    } else if (ok && !memchr(text, '\n', size)) {
        *fresh = true;
        ok = truncate_to(w, 0, d);
    }
    return ok;
}

Appender *append_open(Arena *a, const char *path, const char *kind, bool *fresh, Diag *d)
{
    /* In a folder that others can write to, a link may point to any of our files. */
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0) {
        diag_fail(d, "cannot open '%s' for writing: %s", path,
                  errno == ELOOP ? "it is a link; name the file that it points to"
                                 : strerror(errno));
        return NULL;
    }
    struct stat st;
    bool ok = lock(path, fd, d);
    if (ok && fstat(fd, &st) != 0)
        ok = diag_fail(d, "cannot stat '%s': %s", path, strerror(errno));
    if (!ok) {
        close(fd);
        return NULL;
    }
    const bool regular = S_ISREG(st.st_mode);
    Appender *w = ARENA_NEW(a, Appender);
    *w = (Appender){.path = arena_string(a, path),
                    .fd = fd,
                    .regular = regular,
                    .size = regular ? (int64_t)st.st_size : 0};
    if (check_old(w, path, kind, fresh, d))
        return w;
    append_close(w, d);
    return NULL;
}

bool append_continues(Appender *w, const Buf *why, const RecordEnd *file, bool closed, Diag *d)
{
    if (why->size > 0)
        return diag_fail(d, "'%s' cannot be continued: %s", w->path, buf_text(why));
    w->chained = file->chained;
    w->chain = closed ? file->before : file->chain;
    w->next = closed ? file->last : 0;
    return !file->cut || truncate_to(w, (int64_t)file->size, d);
}

/* Removes a partly written line. */
static bool take_back(Appender *w, size_t written, int error, Diag *d)
{
    if (written > 0 && w->regular && ftruncate(w->fd, (off_t)w->size) != 0)
        w->broken = true;
    return diag_fail(d, "cannot write '%s': %s; what was recorded before is kept", w->path,
                     strerror(error));
}

/* Completes the line and writes it; the first one replaces an old end line. The chain moves on only if the
 * line was written. */
static bool end_line(Appender *w, Diag *d)
{
    LineChain chain = w->chain;
    size_t written;
    if (w->next > 0 && !truncate_to(w, (int64_t)w->next, d))
        return false;
    w->next = 0;
    if (w->chained)
        line_end_chained(&w->line, &chain);
    else
        line_end(&w->line);
    if (w->broken)
        return diag_fail(d, "'%s' ends inside a line because of an earlier failure", w->path);
    if (!check_ours(w, d))
        return false;
    if (!file_write_all(w->fd, w->line.text, w->line.size, &written))
        return take_back(w, written, errno, d);
    w->size += (int64_t)w->line.size;
    w->chain = chain;
    return true;
}

bool append_header(Appender *w, const char *kind, int format, const Field *own, size_t count,
                   const void *from, const RecordHeader *h, Diag *d)
{
    w->chained = format == RECORD_FORMAT_CHAINED;
    line_begin(&w->line);
    line_key(&w->line, "aptune");
    line_text(&w->line, kind);
    line_key(&w->line, "format");
    line_integer(&w->line, format);
    fields_write(&w->line, own, count, from);
    record_header_write(h, &w->line);
    return end_line(w, d);
}

bool append_fields(Appender *w, const Field *fields, size_t count, const void *from, Diag *d)
{
    line_begin(&w->line);
    fields_write(&w->line, fields, count, from);
    return end_line(w, d);
}

bool append_wants_end(const Appender *w)
{
    return w->chained && w->next == 0;
}

bool append_close(Appender *w, Diag *d)
{
    if (!w || w->fd < 0)
        return true;
    buf_free(&w->line);
    bool ok = !w->regular || fdatasync(w->fd) == 0 ||
              diag_fail(d, "cannot write '%s' to the disk: %s", w->path, strerror(errno));
    if (close(w->fd) != 0)
        ok = diag_fail(d, "cannot close '%s': %s", w->path, strerror(errno));
    w->fd = -1;
    return ok;
}

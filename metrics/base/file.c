#include "metrics/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *file_read(Arena *a, const char *path, size_t *size, Diag *d)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        diag_fail(d, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    Buf b = {0};
    struct stat st;
    const char *text = NULL;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        diag_fail(d, "'%s' is a folder, not a file", path);
        goto done;
    }
    char part[65536];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0)
        buf_add(&b, part, (size_t)n);
    if (n < 0) {
        diag_fail(d, "cannot read '%s': %s", path, strerror(errno));
        goto done;
    }
    text = arena_copy(a, buf_text(&b), b.size);
    *size = b.size;
done:
    close(fd);
    buf_free(&b);
    return text;
}

const Source *source_read(Arena *a, const char *path, Diag *d)
{
    Source *s = ARENA_NEW(a, Source);
    s->name = arena_string(a, path);
    s->text = file_read(a, path, &s->size, d);
    return s->text ? s : NULL;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

bool file_write(const char *path, const void *bytes, size_t size, Diag *d)
{
    Buf temporary = {0};
    buf_printf(&temporary, "%s.%ld.tmp", path, (long)gettid()); /* threads may write the same */
    bool ok = false;
    int fd = open(buf_text(&temporary), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        diag_fail(d, "cannot create '%s': %s", buf_text(&temporary), strerror(errno));
        goto done;
    }
    bool written = write_all(fd, bytes, size);
    written = close(fd) == 0 && written;
    if (!written || rename(buf_text(&temporary), path) != 0) {
        diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
        unlink(buf_text(&temporary));
        goto done;
    }
    ok = true;
done:
    buf_free(&temporary);
    return ok;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool folder_create(const char *path, Diag *d)
{
    Buf part = {0};
    bool ok = true;
    for (size_t i = 0;; i++) {
        if ((path[i] == '/' && i > 0) || path[i] == '\0') {
            if (mkdir(buf_text(&part), 0777) != 0 && errno != EEXIST) {
                ok =
                    diag_fail(d, "cannot create folder '%s': %s", buf_text(&part), strerror(errno));
                break;
            }
        }
        if (path[i] == '\0')
            break;
        buf_putc(&part, path[i]);
    }
    buf_free(&part);
    return ok;
}

const char *path_folder(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : arena_copy(a, path, (size_t)(slash - path));
}

const char *path_join(Arena *a, const char *folder, const char *path)
{
    if (path[0] == '/' || strcmp(folder, ".") == 0)
        return arena_string(a, path);
    return arena_printf(a, "%s/%s", folder, path);
}

const char *path_stem(Arena *a, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name), end = strlen(suffix);
    if (length > end && strcmp(name + length - end, suffix) == 0)
        length -= end;
    return arena_copy(a, name, length);
}

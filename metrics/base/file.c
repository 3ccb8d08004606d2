#include "metrics/base/file.h"

#include <dirent.h>
#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_open(const char *path, uint64_t *size, Diag *d)
{
    /* Opening a FIFO would block until it has a writer; a regular file never blocks. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0) {
        diag_fail(d, "cannot open '%s': %s", path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &st) != 0) {
        diag_fail(d, "cannot read '%s': %s", path, strerror(errno));
    } else if (S_ISREG(st.st_mode)) {
        *size = (uint64_t)st.st_size;
        return fd;
    } else {
        diag_fail(d, "'%s' is %s, not a file", path,
                  S_ISDIR(st.st_mode) ? "a folder" : "a device or a pipe");
    }
    close(fd);
    return -1;
}

int file_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return moved;
}

/* Reads up to `*size` bytes, fewer if the file ends earlier.  False with errno. */
static bool read_all(int fd, char *bytes, size_t *size)
{
    size_t have = 0;
    while (have < *size) {
        ssize_t n = read(fd, bytes + have, *size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    *size = have;
    return true;
}

const char *file_read_most(Arena *a, const char *path, uint64_t most, size_t *size, Diag *d)
{
    uint64_t found;
    int fd = file_open(path, &found, d);
    if (fd < 0)
        return NULL;
    char *text = NULL;
    if (found > most) {
        diag_fail(d, "'%s' has %llu bytes, more than the %llu that are read here", path,
                  (unsigned long long)found, (unsigned long long)most);
    } else {
        *size = (size_t)found;
        text = arena_array(a, *size + 1, 1);
        if (!read_all(fd, text, size)) {
            diag_fail(d, "cannot read '%s': %s", path, strerror(errno));
            text = NULL;
        } else {
            text[*size] = '\0';
        }
    }
    close(fd);
    return text;
}

const char *file_read(Arena *a, const char *path, size_t *size, Diag *d)
{
    static const uint64_t most = 1 << 30;
    return file_read_most(a, path, most, size, d);
}

const Source *source_read(Arena *a, const char *path, Diag *d)
{
    Source *s = ARENA_NEW(a, Source);
    s->name = arena_string(a, path);
    s->text = file_read(a, path, &s->size, d);
    return s->text ? s : NULL;
}

bool file_write_all(int fd, const void *bytes, size_t size, size_t *written)
{
    for (*written = 0; *written < size;) {
        ssize_t n = write(fd, (const char *)bytes + *written, size - *written);
        if (n < 0 && errno != EINTR)
            return false;
        *written += n > 0 ? (size_t)n : 0;
    }
    return true;
}

int file_create_beside(Arena *a, const char *path, const char **name, Diag *d)
{
    uint64_t random;
    int fd = -1;
    do {
        if (getentropy(&random, sizeof random) != 0)
            break;
        *name = arena_printf(a, "%s.%016llx.tmp", path, (unsigned long long)random);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0)
        diag_fail(d, "cannot create a file beside '%s': %s", path, strerror(errno));
    return fd;
}

const char *file_write_beside(Arena *a, const char *path, const void *bytes, size_t size, Diag *d)
{
    const char *name;
    int fd = file_create_beside(a, path, &name, d);
    if (fd < 0)
        return NULL;
    size_t written;
    bool ok = file_write_all(fd, bytes, size, &written);
    ok = close(fd) == 0 && ok;
    if (ok)
        return name;
    diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
    unlink(name);
    return NULL;
}

bool file_write(const char *path, const void *bytes, size_t size, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    const char *name = file_write_beside(a, path, bytes, size, d);
    bool ok = name && rename(name, path) == 0;
    if (name && !ok) {
        diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
        unlink(name);
    }
    return ok;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool folder_create(const char *path, Diag *d)
{
    SCOPED_BUF part = {0};
    bool ok = true;
    for (size_t i = 0; ok; i++) {
        if ((path[i] == '/' && i > 0) || path[i] == '\0')
            ok = mkdir(buf_text(&part), 0777) == 0 || errno == EEXIST ||
                 diag_fail(d, "cannot create folder '%s': %s", buf_text(&part), strerror(errno));
        if (path[i] == '\0')
            break;
        buf_putc(&part, path[i]);
    }
    struct stat st;
    if (ok && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() &&
        st.st_uid != 0)
        ok = diag_fail(d,
                       "'%s' is a link that another user made; remove it, or name the folder "
                       "that it leads to",
                       path);
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

const char *path_slashes(Arena *a, const char *path)
{
    char *out = arena_copy(a, path, strlen(path));
    for (char *at = out; (at = strchr(at, '\\')) != NULL;)
        *at = '/';
    return out;
}

/* The first entry of a folder, in order of names, that equals `name` up to case; NULL if there is none. */
static const char *entry_any_case(Arena *a, const char *folder, const char *name)
{
    const char *found = NULL;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
        if (strcasecmp(e->d_name, name) == 0 && (!found || strcmp(e->d_name, found) < 0))
            found = arena_string(a, e->d_name);
    if (dir)
        closedir(dir);
    return found;
}

const char *path_any_case(Arena *a, const char *folder, const char *name)
{
    struct stat st;
    const char *path = folder;
    for (size_t length; *name; name += length + (name[length] == '/')) {
        length = strcspn(name, "/");
        const char *part = arena_copy(a, name, length), *exact = path_join(a, path, part);
        const char *other = file_exists(exact) ? part : entry_any_case(a, path, part);
        if (!other)
            return NULL;
        path = path_join(a, path, other);
    }
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? path : NULL;
}

const char *path_stem(Arena *a, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t end = text_ends_with(name, suffix) ? strlen(suffix) : 0;
    return arena_copy(a, name, strlen(name) - end);
}

const char *path_real(Arena *a, const char *path, const char *otherwise)
{
    char whole[PATH_MAX];
    return realpath(path, whole) ? arena_string(a, whole) : otherwise;
}

const char *path_relative(Arena *a, const char *folder, const char *path)
{
    char from[PATH_MAX + 1], to[PATH_MAX + 1];
    if (!realpath(path, to))
        return arena_string(a, path);
    if (!realpath(folder, from))
        return arena_string(a, to);
    size_t same = 0; /* length of the common prefix, up to and including its last slash */
    strcat(from, strcmp(from, "/") == 0 ? "" : "/");
    strcat(to, "/");
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            same = i + 1;
    to[strlen(to) - 1] = '\0';
    const char *up = "";
    for (const char *at = from + same; (at = strchr(at, '/')) != NULL; at++)
        up = arena_printf(a, "../%s", up);
    const char *rest = strlen(to) > same ? to + same : "";
    if (!*rest && *up) /* no trailing slash */
        return arena_copy(a, up, strlen(up) - 1);
    return *up || *rest ? arena_printf(a, "%s%s", up, rest) : ".";
}

const char *file_stamp(Arena *a, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return "none";
    return arena_printf(a, "%lld %lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                        st.st_mtim.tv_nsec);
}

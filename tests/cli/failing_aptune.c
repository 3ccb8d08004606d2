/* The program where the n-th call of the system fails: FAILING_AT is n, and the call that failed is named in the
 * file FAILING_TOLD.  Each function stands in for that of the C library. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void tell(const char *name)
{
    const char *path = getenv("FAILING_TOLD");
    const int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0666) : -1;
    if (fd < 0)
        return;
    syscall(SYS_write, fd, name, strlen(name));
    syscall(SYS_close, fd);
}

static bool fails(const char *name, int error)
{
    static long left = -1;
    const char *at = getenv("FAILING_AT");
    if (left < 0)
        left = at ? atol(at) : 0;
    if (left == 0 || --left > 0)
        return false;
    tell(name);
    errno = error;
    return true;
}

/* The function of this name behind this one. */
static void *behind(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define STANDS_IN(result, name, parameters, arguments, error, failed)                              \
    __attribute__((visibility("default"))) result name parameters;                                 \
    result name parameters                                                                         \
    {                                                                                              \
        result(*next) parameters;                                                                  \
        *(void **)&next = behind(#name);                                                           \
        return fails(#name, error) ? failed : next arguments;                                      \
    }

STANDS_IN(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), EIO, -1)
STANDS_IN(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), EIO, -1)
STANDS_IN(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), ENOSPC, -1)
STANDS_IN(FILE *, fopen, (const char *path, const char *mode), (path, mode), EMFILE, NULL)
STANDS_IN(FILE *, fdopen, (int fd, const char *mode), (fd, mode), ENOMEM, NULL)
STANDS_IN(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f),
          ENOSPC, 0)
STANDS_IN(int, fflush, (FILE * f), (f), ENOSPC, EOF)
STANDS_IN(int, close, (int fd), (fd), EIO, -1)
STANDS_IN(int, fsync, (int fd), (fd), EIO, -1)
STANDS_IN(int, fdatasync, (int fd), (fd), EIO, -1)
STANDS_IN(int, ftruncate, (int fd, off_t size), (fd, size), EIO, -1)
STANDS_IN(int, rename, (const char *from, const char *to), (from, to), EACCES, -1)
STANDS_IN(int, mkdir, (const char *path, mode_t mode), (path, mode), EACCES, -1)
STANDS_IN(int, fstat, (int fd, struct stat *s), (fd, s), EIO, -1)
STANDS_IN(DIR *, opendir, (const char *path), (path), EMFILE, NULL)

/* An end that tells of what was not written before. */
__attribute__((visibility("default"))) int fclose(FILE *f);
int fclose(FILE *f)
{
    int (*next)(FILE *);
    *(void **)&next = behind("fclose");
    const bool fail = fails("fclose", ENOSPC);
    const int result = next(f);
    if (fail)
        errno = ENOSPC;
    return fail ? EOF : result;
}

__attribute__((visibility("default"))) int open(const char *path, int flags, ...);
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("open", EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

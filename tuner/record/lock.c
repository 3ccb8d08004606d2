#include "tuner/record/lock.h"

#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

LockResult lock_take(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return LOCK_TAKEN;
    return errno == EWOULDBLOCK ? LOCK_REFUSED : LOCK_FAILED;
}

/* A line of /proc/locks (proc(5)): "1: FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF", the device in
 * hexadecimal. Returns 0 or -1 for a process that we may not see. */
static int holder_in_line(const char *line, const struct stat *st)
{
    int pid;
    unsigned major_number, minor_number;
    unsigned long inode;
    if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_number, &minor_number,
               &inode) != 4)
        return 0;
    bool same = inode == st->st_ino && major_number == major(st->st_dev) &&
                minor_number == minor(st->st_dev);
    return same ? pid : 0;
}

static int holder(int fd)
{
    struct stat st;
    FILE *locks = fopen("/proc/locks", "re");
    if (!locks)
        return 0;
    int pid = 0;
    char line[256];
    if (fstat(fd, &st) == 0)
        while (pid <= 0 && fgets(line, sizeof line, locks))
            pid = holder_in_line(line, &st);
    fclose(locks);
    return pid > 0 ? pid : 0;
}

bool lock_is_ours(int fd)
{
    struct stat st;
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", holder(fd));
    return stat(path, &st) == 0 && st.st_uid == geteuid();
}

const char *lock_holder(Arena *a, int fd)
{
    int pid = holder(fd);
    return pid > 0 ? arena_printf(a, ", process %d", pid) : "";
}

#include "tuner/compile/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void helper_die_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* A group of its own, no signal blocked or ignored that we block or ignore. */
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGINT);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &ignored);
}

/* Descriptors 0, 1 and 2 may be free in the program that started us: ours must lie above them,
 * or the redirections below would overwrite one another. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return moved;
}

static int spawn(Helper *h, const char *path, char *const *argv, int theirs)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    set_attributes(&attributes);
    posix_spawn_file_actions_adddup2(&actions, theirs, 0);
    posix_spawn_file_actions_adddup2(&actions, theirs, 1);
    posix_spawn_file_actions_adddup2(&actions, h->errors, 2);
    int error = posix_spawnp(&h->pid, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The argument list that posix_spawn wants, which takes its strings without const. */
static char **argument_list(Arena *a, const char *path, const char *const *arguments)
{
    size_t count = 0;
    while (arguments && arguments[count])
        count++;
    char **argv = ARENA_ARRAY(a, char *, count + 2);
    argv[0] = arena_string(a, path);
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = arena_string(a, arguments[i]);
    return argv;
}

bool helper_start(Helper *h, const char *path, const char *const *arguments, Diag *d)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return diag_fail(d, "cannot open a socket for '%s': %s", path, strerror(errno));
    int ours = above_standard(pair[0]), theirs = above_standard(pair[1]);
    *h = (Helper){.fd = ours, .errors = above_standard(memfd_create("errors", MFD_CLOEXEC))};
    fcntl(ours, F_SETFL, O_NONBLOCK);

    Arena *scratch = arena_new();
    int error = spawn(h, path, argument_list(scratch, path, arguments), theirs);
    arena_free(scratch);
    close(theirs);
    if (error == 0)
        return true;
    close(h->fd);
    close(h->errors);
    *h = (Helper){0};
    return diag_fail(d, "cannot start the helper program '%s': %s", path, strerror(error));
}

/* The last lines that the helper printed to its standard error. */
static const char *last_words(Arena *a, int fd)
{
    enum { SHOWN = 2000 };
    char text[SHOWN];
    struct stat st;
    if (fstat(fd, &st) != 0)
        return "";
    off_t from = st.st_size > SHOWN ? st.st_size - SHOWN : 0;
    ssize_t n = pread(fd, text, SHOWN, from);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    return n > 0 ? arena_copy(a, text, (size_t)n) : "";
}

static const char *describe_end(Arena *a, int status)
{
    if (WIFSIGNALED(status))
        return arena_printf(a, "was killed by signal %d (%s)", WTERMSIG(status),
                            strsignal(WTERMSIG(status)));
    if (WIFEXITED(status))
        return arena_printf(a, "ended with code %d", WEXITSTATUS(status));
    return "ended";
}

/* A process that has already ended keeps its own status; its children are killed all the same. */
static int kill_and_wait(pid_t pid)
{
    int status = 0;
    pid_t done;
    kill(-pid, SIGKILL);
    do
        done = waitpid(pid, &status, 0);
    while (done < 0 && errno == EINTR);
    return status;
}

const char *helper_end(Helper *h, Arena *a)
{
    if (h->pid <= 0)
        return "";
    close(h->fd);
    int status = kill_and_wait(h->pid);
    const char *how = "";
    if (a) {
        const char *words = last_words(a, h->errors);
        how = arena_printf(a, "%s%s%s", describe_end(a, status), *words ? ": " : "", words);
    }
    close(h->errors);
    *h = (Helper){0};
    return how;
}

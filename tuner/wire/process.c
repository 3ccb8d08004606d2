#include "tuner/wire/process.h"

#include "metrics/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENT_LIMIT = 32 };

/* Default actions for the signals a host commonly ignores, no signal blocked, own group. */
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &defaults);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
}

/* The spawned program's name and arguments; false when there are too many. */
static bool fill_arguments(char *argv[ARGUMENT_LIMIT], char *path, const char *const *args)
{
    size_t n = 0;
    argv[n++] = path;
    for (size_t i = 0; args && args[i]; i++) {
        if (n + 1 >= ARGUMENT_LIMIT)
            return false;
        /* posix_spawn takes char *const[] for history's sake and writes to none of them. */
        memcpy(&argv[n++], &args[i], sizeof argv[0]);
    }
    argv[n] = NULL;
    return true;
}

static int spawn(Process *p, int theirs, const char *path, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, theirs, PROCESS_WIRE);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    set_attributes(&attributes);
    int error = posix_spawnp(&p->pid, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool process_start(Process *p, const char *path, const char *const *args, Diag *d)
{
    *p = (Process){.fd = -1};
    char *argv[ARGUMENT_LIMIT];
    char name[4096];
    if (strlen(path) >= sizeof name)
        return diag_fail(d, "the path of a helper program is too long");
    memcpy(name, path, strlen(path) + 1);
    if (!fill_arguments(argv, name, args))
        return diag_fail(d, "too many arguments for the helper '%s'", path);

    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return diag_fail(d, "cannot open a socket for a helper: %s", strerror(errno));
    int error = spawn(p, ends[1], path, argv);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        *p = (Process){.fd = -1};
        return diag_fail(d, "cannot start the helper '%s': %s", path, strerror(error));
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    p->fd = ends[0];
    return true;
}

/* Looks now and then rather than waiting for SIGCHLD, which belongs to the host. */
bool process_wait(Process *p, double seconds)
{
    if (p->pid <= 0)
        return true;
    double end = clock_seconds() + seconds;
    struct timespec pause = {.tv_nsec = 200000};
    for (;;) {
        pid_t got = waitpid(p->pid, &p->status, WNOHANG);
        if (got == p->pid || (got < 0 && errno == ECHILD)) {
            p->pid = 0;
            return true;
        }
        if (clock_seconds() >= end)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 20000000)
            pause.tv_nsec *= 2;
    }
}

bool process_stop(Process *p, double seconds)
{
    if (p->fd > 0) /* a zeroed Process has no socket */
        close(p->fd);
    p->fd = -1;
    bool gone = process_wait(p, 0);
    if (!gone) {
        kill(p->pid, SIGKILL);
        gone = process_wait(p, seconds);
    }
    p->pid = 0;
    return gone;
}

void process_describe(int status, Buf *out)
{
    if (WIFSIGNALED(status))
        buf_printf(out, "was killed by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    else
        buf_printf(out, "ended with code %d", WEXITSTATUS(status));
}

void process_become_helper(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
}

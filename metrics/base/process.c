#include "metrics/base/process.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- starting ------------------------------------------------------------------------------ */

/* Default actions for signals that a host commonly ignores, none blocked, own process group. */
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

static int spawn(Process *p, int theirs, const char *path, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, theirs, PROCESS_WIRE);
    posix_spawn_file_actions_adddup2(&actions, p->words, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, p->words, STDERR_FILENO);
    set_attributes(&attributes);
    int error = posix_spawnp(&p->pid, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void close_descriptors(Process *p)
{
    if (p->fd > STDERR_FILENO)
        close(p->fd);
    if (p->words > STDERR_FILENO)
        close(p->words);
    p->fd = p->words = -1;
}

/* Opens the socket and the output file, above descriptors 0 to 2: the redirections of `spawn` would
 * otherwise overwrite one another.  False with errno; the caller closes what was opened. */
static bool open_descriptors(Process *p, int *theirs)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    p->fd = file_above_standard(ends[0]);
    *theirs = file_above_standard(ends[1]);
    if (p->fd < 0 || *theirs < 0)
        return false;
    p->words = file_above_standard(memfd_create("words", MFD_CLOEXEC));
    /* With O_APPEND, writing continues at the end after process_forget_words truncates the file. */
    return p->words >= 0 && fcntl(p->words, F_SETFL, O_APPEND) == 0 &&
           fcntl(p->fd, F_SETFL, O_NONBLOCK) == 0;
}

bool process_start(Process *p, const char *path, const char *const *args, Diag *d)
{
    *p = (Process){.fd = -1, .words = -1};
    int theirs = -1;
    SCOPED_ARENA *scratch = arena_new();
    int error = open_descriptors(p, &theirs) ? 0 : errno;
    size_t count = 0;
    while (args && args[count])
        count++;
    char **argv =
        ARENA_ARRAY(scratch, char *, count + 2); /* posix_spawn takes strings without const */
    argv[0] = arena_string(scratch, path);
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = arena_string(scratch, args[i]);
    if (!error)
        error = spawn(p, theirs, path, argv);
    if (theirs >= 0)
        close(theirs);
    if (!error)
        return true;
    close_descriptors(p);
    p->pid = 0;
    return diag_fail(d, "cannot start the helper program '%s': %s", path, strerror(error));
}

void process_limit_memory(const Process *p, uint64_t bytes)
{
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit limit = {bytes, bytes};
    if (bytes > 0)
        prlimit(p->pid, RLIMIT_DATA, &limit, NULL);
#else
    (void)p;
    (void)bytes;
#endif
}

/* ---- ending -------------------------------------------------------------------------------- */

void process_forget_words(Process *p)
{
    if (p->words > STDERR_FILENO && ftruncate(p->words, 0) != 0)
        return; /* output of an earlier task is better than none */
}

/* True if it ended.  Not reaped yet, so its pid cannot be reused and its group can be killed safely. */
static bool has_ended(Process *p)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        return info.si_pid == p->pid;
    if (errno != ECHILD)
        return false;
    p->pid = 0; /* the host ignores SIGCHLD, so the process is gone already */
    return true;
}

/* Polls instead of waiting for SIGCHLD, which belongs to the host. */
bool process_wait(Process *p, double seconds)
{
    if (p->pid <= 0)
        return true;
    double end = clock_seconds() + seconds;
    struct timespec pause = {.tv_nsec = 200000};
    while (!has_ended(p)) {
        if (clock_seconds() >= end)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 20000000)
            pause.tv_nsec *= 2;
    }
    if (p->pid > 0) {
        kill(-p->pid, SIGKILL); /* its own children */
        while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
            continue;
        p->pid = 0;
    }
    return true;
}

bool process_was_stopped(Process *p)
{
    siginfo_t info = {0};
    return p->pid > 0 && waitid(P_PID, (id_t)p->pid, &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
           info.si_pid == p->pid;
}

bool process_kill(Process *p, double seconds)
{
    /* A process that has ended keeps its status: the signal comes too late. */
    if (p->pid > 0)
        kill(-p->pid, SIGKILL);
    return process_wait(p, seconds);
}

void process_quote_words(const Process *p, Buf *out)
{
    enum { SHOWN = 2000 };
    char text[SHOWN];
    struct stat st;
    if (p->words <= STDERR_FILENO || fstat(p->words, &st) != 0)
        return;
    ssize_t n = pread(p->words, text, SHOWN, st.st_size > SHOWN ? st.st_size - SHOWN : 0);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    if (n > 0)
        buf_printf(out, ": %.*s", (int)n, text);
}

void process_read_words(const Process *p, size_t most, Buf *out)
{
    char text[4096];
    if (p->words <= STDERR_FILENO)
        return;
    for (size_t at = 0; at < most;) {
        size_t step = most - at < sizeof text ? most - at : sizeof text;
        ssize_t n = pread(p->words, text, step, (off_t)at);
        if (n <= 0)
            return;
        buf_add(out, text, (size_t)n);
        at += (size_t)n;
    }
}

void process_describe(const Process *p, Buf *out)
{
    const int number = WTERMSIG(p->status);
    const char *words = sigdescr_np(number); /* thread-safe, unlike strsignal */
    if (p->pid > 0)
        buf_puts(out, "has not ended");
    else if (WIFSIGNALED(p->status))
        buf_printf(out, "was killed by signal %d (%s)", number, words ? words : "unknown");
    else
        buf_printf(out, "ended with code %d", WEXITSTATUS(p->status));
    process_quote_words(p, out);
}

bool process_stop(Process *p, double seconds)
{
    bool gone = process_kill(p, seconds);
    close_descriptors(p);
    p->pid = 0;
    return gone;
}

/* ---- in a helper --------------------------------------------------------------------------- */

/* Ends the helper when the host ends, even if the helper is stuck in a kernel or a compiler.  A parent-death
 * signal (prctl) would not do: it is sent when the thread that started the helper ends.  If the host has
 * forked, its child keeps the socket open; then the parent's pid tells. */
static void *watch_host(void *parent)
{
    enum { LOOK_MS = 1000 };
    const pid_t host = (pid_t)(intptr_t)parent;
    struct pollfd p = {.fd = PROCESS_WIRE}; /* POLLHUP is reported unasked */
    while (getppid() == host && (poll(&p, 1, LOOK_MS) >= 0 || errno == EINTR))
        if (p.revents & (POLLHUP | POLLERR))
            break;
    if (getpgrp() == getpid())
        kill(0, SIGKILL); /* its children, too */
    _exit(1);
}

int process_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void process_become_helper(void)
{
    struct stat st;
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash must not lose the last output */
    if (fstat(PROCESS_WIRE, &st) != 0 || !S_ISSOCK(st.st_mode))
        return;
    pthread_t thread;
    sigset_t all, before; /* the thread blocks all signals, which are for the helper itself */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch_host, (void *)(intptr_t)getppid()) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

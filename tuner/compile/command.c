#include "tuner/compile/source.h"

#include "metrics/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUTPUT_LIMIT = 64 << 20 };

char **command_words(Arena *a, const char *command)
{
    VEC(char *) words = {0};
    for (const char *at = command + strspn(command, " \t"); *at; at += strspn(at, " \t")) {
        size_t n = strcspn(at, " \t");
        VEC_PUSH(a, &words, arena_copy(a, at, n));
        at += n;
    }
    VEC_PUSH(a, &words, NULL);
    return words.at;
}

/* Gives the command default signals: our host may block or ignore those that end writers to a closed pipe
 * or past a file size limit. */
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t mask, usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigdelset(&mask, SIGPIPE);
    sigdelset(&mask, SIGXFSZ);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setsigmask(attributes, &mask);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

/* Starts the command with its output in a pipe; returns the reading end, or −1. */
static int start(char **words, const char *folder, pid_t *pid, int *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    set_attributes(&attributes);
    *error = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (*error == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* Reads all output, but keeps no more than a source may have. */
static void read_all(int fd, Buf *out)
{
    char piece[1 << 14];
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) != 0) {
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0 && out->size <= OUTPUT_LIMIT)
            buf_add(out, piece, (size_t)n);
    }
}

static bool judge(const char *command, int status, const Buf *out, Diag *d)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return diag_fail(d, "'%s' failed (%s %d)", command,
                         WIFEXITED(status) ? "exit status" : "signal",
                         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    if (out->size == 0)
        return diag_fail(d, "'%s' printed nothing", command);
    return out->size <= OUTPUT_LIMIT ||
           diag_fail(d, "'%s' printed more than %d MB", command, OUTPUT_LIMIT >> 20);
}

const char *command_output(Arena *a, const char *folder, const char *command, size_t *size, Diag *d)
{
    char **words = command_words(a, command);
    pid_t pid;
    int error = 0, status = 0;
    int fd = words[0] ? start(words, folder, &pid, &error) : -1;
    if (fd < 0) {
        diag_fail(d, "'%s' cannot be run: %s", command,
                  words[0] ? strerror(error) : "there is no command");
        return NULL;
    }
    SCOPED_BUF out = {0};
    read_all(fd, &out);
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    const char *text = NULL;
    if (judge(command, status, &out, d)) {
        text = arena_copy(a, buf_text(&out), out.size);
        *size = out.size;
    }
    return text;
}

/* Helper programs: what they are given, what is kept of them, how they end.  The helpers here are
 * shells and sleeps. */
#include "metrics/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    Process process;
    Buf text;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    bool gone = process_stop(&f->process, 10);
    buf_free(&f->text);
    arena_free(f->arena);
    free(f);
    return gone ? 0 : 1;
}

static void start_shell(Fixture *f, const char *script)
{
    const char *args[] = {"-c", script, NULL};
    assert_true(process_start(&f->process, "sh", args, &f->diag));
}

/* Waits until the helper closed its end or wrote to it; what it wrote, as text. */
static const char *hear(Fixture *f)
{
    char *text = arena_array(f->arena, 256, 1);
    assert_int_equal(fcntl(f->process.fd, F_SETFL, 0), 0); /* blocking */
    assert_true(read(f->process.fd, text, 255) >= 0);
    return text;
}

static void a_helper_that_does_not_exist_is_named(void **state)
{
    Fixture *f = *state;

    assert_false(process_start(&f->process, "/nowhere/aptune-none", NULL, &f->diag));

    assert_int_equal(f->diag.errors, 1);
    assert_non_null(strstr(f->diag.messages.at[0].text, "/nowhere/aptune-none"));
    assert_int_equal(f->process.pid, 0);
    assert_int_equal(f->process.fd, -1);
}

/* The shell counts its sockets: its own as 0 and, by exec, as 1, and none of the other helper. */
static void a_helper_has_its_socket_and_no_other_descriptor_of_ours(void **state)
{
    Fixture *f = *state;
    Process other;
    assert_true(process_start(&other, "sleep", (const char *[]){"60", NULL}, &f->diag));

    start_shell(f, "exec >&0 2>/dev/null; ls -l /proc/$$/fd | grep -c -e socket: -e memfd:");

    assert_string_equal(hear(f), "2\n");
    assert_true(process_stop(&other, 10));
}

static void what_it_prints_is_kept_and_quoted_with_its_end(void **state)
{
    Fixture *f = *state;
    start_shell(f, "echo one; echo two >&2; echo; exit 3");

    assert_true(process_wait(&f->process, 10));
    process_describe(&f->process, &f->text);

    assert_string_equal(buf_text(&f->text), "ended with code 3: one\ntwo");
}

static void of_much_that_it_prints_the_end_is_quoted(void **state)
{
    Fixture *f = *state;
    start_shell(f, "for i in 1 2 3 4 5 6 7 8 9; do printf '%0500d\\n' $i; done; echo last words");

    assert_true(process_wait(&f->process, 10));
    process_quote_words(&f->process, &f->text);

    assert_true(f->text.size > 1000 && f->text.size < 2010);
    assert_non_null(strstr(buf_text(&f->text), "0009\nlast words"));
}

static void words_of_an_earlier_task_are_forgotten(void **state)
{
    Fixture *f = *state;
    start_shell(f, "echo about the first task; echo ready >&0; read go; echo about the second");
    assert_string_equal(hear(f), "ready\n");

    process_forget_words(&f->process);
    assert_int_equal(write(f->process.fd, "go\n", 3), 3);
    assert_true(process_wait(&f->process, 10));
    process_describe(&f->process, &f->text);

    assert_string_equal(buf_text(&f->text), "ended with code 0: about the second");
}

static void a_stuck_helper_is_killed_and_the_signal_is_named(void **state)
{
    Fixture *f = *state;
    assert_true(process_start(&f->process, "sleep", (const char *[]){"60", NULL}, &f->diag));
    assert_false(process_wait(&f->process, 0));
    process_describe(&f->process, &f->text);
    assert_string_equal(buf_text(&f->text), "has not ended");
    buf_clear(&f->text);

    assert_true(process_kill(&f->process, 10));

    process_describe(&f->process, &f->text);
    assert_string_equal(buf_text(&f->text), "was killed by signal 9 (Killed)");
    assert_int_equal(f->process.pid, 0);
    assert_true(process_stop(&f->process, 0));
    assert_int_equal(f->process.fd, -1);
    assert_int_equal(f->process.words, -1);
}

static void one_that_ended_by_itself_keeps_its_own_code_when_it_is_killed(void **state)
{
    Fixture *f = *state;
    siginfo_t info;
    start_shell(f, "exit 7");
    assert_int_equal(waitid(P_PID, (id_t)f->process.pid, &info, WEXITED | WNOWAIT), 0);

    assert_true(process_kill(&f->process, 10));

    process_describe(&f->process, &f->text);
    assert_string_equal(buf_text(&f->text), "ended with code 7");
}

/* Children hold the socket open: when it closes, none of them lives any more. */
static void what_a_helper_started_ends_with_it(void **state)
{
    Fixture *f = *state;
    static const char *const SCRIPTS[] = {
        "exec 3<&0; sh -c 'echo ready >&3; sleep 60' & wait", /* killed */
        "exec 3<&0; sh -c 'echo ready >&3; sleep 60' &",      /* ended before its child */
    };
    for (size_t i = 0; i < 2; i++) {
        start_shell(f, SCRIPTS[i]);
        assert_string_equal(hear(f), "ready\n");

        bool gone = i == 0 ? process_kill(&f->process, 10) : process_wait(&f->process, 10);

        assert_true(gone);
        assert_string_equal(hear(f), "");
        assert_true(process_stop(&f->process, 0));
    }
}

/* A host whose own descriptors 0, 1 and 2 are closed, in a process of its own. */
static void a_host_without_standard_descriptors_can_start_helpers(void **state)
{
    Fixture *f = *state;
    pid_t host = fork();
    if (host == 0) {
        close(0);
        close(1);
        close(2);
        const char *args[] = {"-c", "echo to the wire >&0; echo a word; exit 5", NULL};
        char text[32] = "";
        bool ok = process_start(&f->process, "sh", args, &f->diag) &&
                  process_wait(&f->process, 10) && read(f->process.fd, text, 31) == 12;
        process_describe(&f->process, &f->text);
        ok = ok && strcmp(text, "to the wire\n") == 0 &&
             strcmp(buf_text(&f->text), "ended with code 5: a word") == 0;
        _exit(ok ? 0 : 1);
    }
    int status = -1;

    assert_int_equal(waitpid(host, &status, 0), host);

    assert_int_equal(status, 0);
}

/* A host that ignores SIGPIPE and blocks SIGTERM, as a library may. */
static void a_helper_has_the_signals_as_a_shell_would_start_it(void **state)
{
    Fixture *f = *state;
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    void (*pipe_before)(int) = signal(SIGPIPE, SIG_IGN);

    start_shell(f, "grep -e ^SigBlk -e ^SigIgn /proc/self/status | cut -f 2");
    signal(SIGPIPE, pipe_before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_true(process_wait(&f->process, 10));
    process_quote_words(&f->process, &f->text);

    unsigned long long blocked, ignored, mask = 1ull << (SIGPIPE - 1) | 1ull << (SIGTERM - 1);
    assert_int_equal(sscanf(buf_text(&f->text), ": %llx %llx", &blocked, &ignored), 2);
    assert_int_equal(blocked & mask, 0);
    assert_int_equal(ignored & mask, 0);
}

static void without_a_process_there_is_nothing_to_stop(void **state)
{
    (void)state;
    Process none = {0};

    process_forget_words(&none);
    assert_true(process_wait(&none, 0));
    assert_true(process_kill(&none, 0));
    assert_true(process_stop(&none, 0));
    assert_true(process_stop(&none, 0));
}

/* Until something is known of it, for as long as that may take. */
static void await_stop(Process *p, bool stopped)
{
    kill(p->pid, stopped ? SIGSTOP : SIGCONT);
    while (!process_was_stopped(p))
        poll(NULL, 0, 1);
}

static void that_it_was_stopped_is_told_once_while_stopped_and_after(void **state)
{
    Fixture *f = *state;
    start_shell(f, "read go; exit 5");

    assert_false(process_was_stopped(&f->process));
    await_stop(&f->process, true);
    assert_false(process_was_stopped(&f->process));
    await_stop(&f->process, false);
    assert_false(process_was_stopped(&f->process));

    assert_int_equal(write(f->process.fd, "go\n", 3), 3);
    assert_true(process_wait(&f->process, 10));
    assert_int_equal(WEXITSTATUS(f->process.status), 5);
    assert_false(process_was_stopped(&f->process));
}

/* --- this program as a helper that is stuck --------------------------------------------------- */

static int be_stuck(void)
{
    process_become_helper();
    if (write(PROCESS_WIRE, "up", 2) == 2)
        for (;;)
            pause();
    return 1;
}

static void start_stuck(Process *p, Diag *d)
{
    char here[2];
    assert_true(process_start(p, "/proc/self/exe", (const char *[]){"stuck", NULL}, d));
    assert_int_equal(fcntl(p->fd, F_SETFL, 0), 0); /* blocking */
    assert_int_equal(read(p->fd, here, 2), 2);
}

static void *start_and_end(void *fixture)
{
    Fixture *f = fixture;
    start_stuck(&f->process, &f->diag);
    return NULL;
}

static void a_helper_outlives_the_thread_that_started_it(void **state)
{
    Fixture *f = *state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, start_and_end, f), 0);
    pthread_join(thread, NULL);
    assert_false(process_wait(&f->process, 0.2));
}

static void a_stuck_helper_ends_when_the_host_has_closed_its_socket(void **state)
{
    Fixture *f = *state;
    start_stuck(&f->process, &f->diag);
    close(f->process.fd);
    f->process.fd = -1;
    assert_true(process_wait(&f->process, 20));
}

/* A host that leaves a child with its descriptors behind: the socket stays open. */
static void host_and_child(int told, Diag *d)
{
    Process p;
    start_stuck(&p, d);
    if (fork() == 0)
        for (;;)
            pause();
    _exit(write(told, &p.pid, sizeof p.pid) != (ssize_t)sizeof p.pid);
}

static void a_stuck_helper_ends_with_its_host_even_if_a_child_holds_the_socket(void **state)
{
    Fixture *f = *state;
    int ends[2], status;
    pid_t helper = 0, ended;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* we shall be told of its end */
    pid_t host = fork();
    if (host == 0) {
        setpgid(0, 0);
        host_and_child(ends[1], &f->diag);
    }
    assert_int_equal(read(ends[0], &helper, sizeof helper), sizeof helper);
    assert_int_equal(waitpid(host, &status, 0), host);

    while ((ended = waitpid(helper, &status, 0)) < 0 && errno == EINTR)
        continue;

    assert_int_equal(ended, helper);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    kill(-host, SIGKILL); /* the child */
    while (waitpid(-1, &status, 0) > 0)
        continue;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    close(ends[0]);
    close(ends[1]);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "stuck") == 0)
        return be_stuck();
    const struct CMUnitTest tests[] = {
        CASE(a_helper_that_does_not_exist_is_named),
        CASE(a_helper_has_its_socket_and_no_other_descriptor_of_ours),
        CASE(what_it_prints_is_kept_and_quoted_with_its_end),
        CASE(of_much_that_it_prints_the_end_is_quoted),
        CASE(words_of_an_earlier_task_are_forgotten),
        CASE(a_stuck_helper_is_killed_and_the_signal_is_named),
        CASE(one_that_ended_by_itself_keeps_its_own_code_when_it_is_killed),
        CASE(that_it_was_stopped_is_told_once_while_stopped_and_after),
        CASE(what_a_helper_started_ends_with_it),
        CASE(a_host_without_standard_descriptors_can_start_helpers),
        CASE(a_helper_has_the_signals_as_a_shell_would_start_it),
        CASE(a_helper_outlives_the_thread_that_started_it),
        CASE(a_stuck_helper_ends_when_the_host_has_closed_its_socket),
        CASE(a_stuck_helper_ends_with_its_host_even_if_a_child_holds_the_socket),
        CASE(without_a_process_there_is_nothing_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Lifetime, options, callbacks and stopping of a handle. */
#include "tuner/library/handle.h"

#include "metrics/base/file.h"
#include "tuner/library/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

const char *aptune_version(void)
{
    return APTUNE_VERSION;
}

int aptune_interface(void)
{
    return APTUNE_INTERFACE;
}

/* --- a call ----------------------------------------------------------------------------------- */

/* Signals by which a write can kill the caller. */
static const int deadly[] = {SIGPIPE, SIGXFSZ};

void handle_enter_text(aptune *a)
{
    a->callers_locale = uselocale(a->c_locale);
}

void handle_leave_text(aptune *a)
{
    uselocale(a->callers_locale);
}

static void enter(aptune *a)
{
    handle_enter_text(a);
    sigset_t mask;
    sigemptyset(&mask);
    for (size_t i = 0; i < COUNT_OF(deadly); i++)
        sigaddset(&mask, deadly[i]);
    sigpending(&a->callers_pending);
    pthread_sigmask(SIG_BLOCK, &mask, &a->callers_mask);
}

static aptune_status leave(aptune *a, aptune_status status)
{
    /* Discards signals caused by our own writes: those that were not pending before. */
    sigset_t now, one;
    sigpending(&now);
    for (size_t i = 0; i < COUNT_OF(deadly); i++) {
        if (!sigismember(&now, deadly[i]) || sigismember(&a->callers_pending, deadly[i]))
            continue;
        sigemptyset(&one);
        sigaddset(&one, deadly[i]);
        sigtimedwait(&one, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &a->callers_mask, NULL);
    handle_leave_text(a);
    if (status == APTUNE_OK)
        buf_clear(&a->failure);
    return status;
}

aptune_status handle_call(aptune *a, HandleWork *work, const void *given)
{
    jmp_buf here;
    volatile aptune_status status = APTUNE_NO_MEMORY; /* survives the longjmp */
    enter(a);
    jmp_buf *before = memory_set_escape(&here);
    if (setjmp(here) == 0)
        status = work(a, given);
    else
        a->failed = APTUNE_NO_MEMORY;
    memory_set_escape(before);
    return leave(a, a->failed == APTUNE_NO_MEMORY ? APTUNE_NO_MEMORY : status);
}

/* --- life ------------------------------------------------------------------------------------- */

static bool watch(const aptune *a, int fd)
{
    struct epoll_event wish = {.events = EPOLLIN};
    return epoll_ctl(a->stop_fd, EPOLL_CTL_ADD, fd, &wish) == 0;
}

static aptune_status make_settings(aptune *a, const void *given)
{
    (void)given;
    a->settings = arena_new();
    return APTUNE_OK;
}

static const Option own_options[] = {
    {"home", "PREFIX", "installation prefix of aptune (default $APTUNE_HOME, else near libaptune)",
     option_text, offsetof(aptune, home), 0, 0},
};

/* The options of a handle, with its fields as targets. */
static OptionTable options_of(aptune *a)
{
    return (OptionTable){{OPTIONS_RUN(&a->options), OPTIONS_COMPILE(&a->options),
                          OPTIONS_TUNE(&a->options), OPTION_GROUP(own_options, a)}};
}

aptune *aptune_new(void)
{
    aptune *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const OptionTable options = options_of(a);
    option_set_defaults(&options);
    a->stop_on = -1;
    a->stop_event = file_above_standard(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    a->stop_fd = file_above_standard(epoll_create1(EPOLL_CLOEXEC));
    if (a->stop_event >= 0 && a->stop_fd >= 0 && watch(a, a->stop_event) && a->c_locale &&
        handle_call(a, make_settings, NULL) == APTUNE_OK)
        return a;
    aptune_free(a);
    return NULL;
}

void handle_forget_code(aptune *a)
{
    arena_free(a->code.arena);
    a->code = (HandleCode){0};
}

void aptune_reset(aptune *a)
{
    enter(a);
    uint64_t times;
    while (read(a->stop_event, &times, sizeof times) < 0 && errno == EINTR)
        continue;
    handle_forget_code(a);
    if (a->arena)
        run_close(&a->run);
    a->diag = (Diag){0};
    arena_free(a->arena);
    a->arena = NULL;
    a->run = (Run){0};
    a->name = NULL;
    a->value = NULL;
    a->stage = HANDLE_FRESH;
    a->failed = APTUNE_OK;
    for (int i = 0; i < HANDLE_TEXTS; i++)
        buf_free(&a->texts[i]);
    buf_free(&a->reason);
    buf_free(&a->emitted);
    a->drawn = NULL;
    leave(a, APTUNE_OK);
}

void aptune_free(aptune *a)
{
    if (!a)
        return;
    aptune_reset(a);
    if (a->stop_event >= 0)
        close(a->stop_event);
    if (a->stop_fd >= 0)
        close(a->stop_fd);
    if (a->c_locale)
        freelocale(a->c_locale);
    buf_free(&a->failure);
    arena_free(a->settings);
    free(a);
}

/* --- messages --------------------------------------------------------------------------------- */

void handle_tell(aptune *a, Diag *d)
{
    static const aptune_severity severities[] = {APTUNE_NOTE, APTUNE_WARNING, APTUNE_ERROR};
    bool error = false; /* of the message that a note belongs to */
    VEC_EACH (DiagMessage, m, d->messages) {
        const Diag one = {.messages = {m, 1, 1}};
        SCOPED_BUF text = {0};
        diag_print(&one, &text);
        error = m->kind == DIAG_ERROR || (m->kind == DIAG_NOTE && error);
        if (error) { /* as shown, but without "aptune: error:" if it has no place */
            buf_puts(&a->failure, a->failure.size > 0 ? "\n" : "");
            buf_add(&a->failure, m->at.source ? buf_text(&text) : m->text,
                    m->at.source ? text.size - 1 : strlen(m->text));
        }
        if (a->on_message) {
            leave(a, APTUNE_FAILED); /* keeps a->failure */
            a->on_message(a->message_context, severities[m->kind], buf_text(&text));
            enter(a);
        }
    }
    d->messages.count = 0;
}

const char *aptune_message(const aptune *a)
{
    if (a->failed == APTUNE_NO_MEMORY)
        return "out of memory";
    return buf_text(&a->failure);
}

void aptune_on_message(aptune *a, aptune_message_function *function, void *context)
{
    a->on_message = function;
    a->message_context = context;
}

static void on_step(void *context, const char *stage, size_t done, size_t all, const char *what)
{
    aptune *a = context;
    leave(a, APTUNE_FAILED);
    int stop = a->on_progress(a->progress_context, stage, done, all, what);
    enter(a);
    if (stop)
        aptune_stop(a);
}

void aptune_on_progress(aptune *a, aptune_progress_function *function, void *context)
{
    a->on_progress = function;
    a->progress_context = context;
    a->progress = function ? (RunProgress){a, on_step} : (RunProgress){0};
    a->run.progress = a->progress;
}

/* --- stopping --------------------------------------------------------------------------------- */

void aptune_stop(aptune *a)
{
    int kept = errno; /* a signal handler must preserve it */
    const uint64_t once = 1;
    while (write(a->stop_event, &once, sizeof once) < 0 && errno == EINTR)
        continue;
    errno = kept;
}

/* Refuses a call with a message. */
static aptune_status refuse(aptune *a, aptune_status status, const char *why)
{
    SCOPED_ARENA *scratch = arena_new();
    Diag d = diag_new(scratch);
    buf_clear(&a->failure);
    diag_fail(&d, "%s", why);
    handle_tell(a, &d);
    return status;
}

static aptune_status stop_on(aptune *a, const void *given)
{
    int descriptor = *(const int *)given;
    if (a->stop_on >= 0)
        epoll_ctl(a->stop_fd, EPOLL_CTL_DEL, a->stop_on, NULL);
    a->stop_on = -1;
    if (descriptor >= 0 && !watch(a, descriptor))
        return refuse(a, APTUNE_WRONG, "this descriptor cannot be polled");
    a->stop_on = descriptor;
    return APTUNE_OK;
}

aptune_status aptune_stop_on(aptune *a, int descriptor)
{
    return handle_call(a, stop_on, &descriptor);
}

/* --- options ---------------------------------------------------------------------------------- */

/* Option `i` of all groups; NULL past the last one. */
static const Option *option_number(size_t i)
{
    OptionTable t = options_of(&(aptune){0});
    for (size_t g = 0; g < OPTION_GROUPS_MOST; g++) {
        if (i < t.groups[g].count)
            return &t.groups[g].options[i];
        i -= t.groups[g].count;
    }
    return NULL;
}

#define OPTION_TEXT(function, member)                                                              \
    const char *function(size_t i)                                                                 \
    {                                                                                              \
        const Option *o = option_number(i);                                                        \
        return o ? o->member : NULL;                                                               \
    }

OPTION_TEXT(aptune_option_name, name)
OPTION_TEXT(aptune_option_value, value)
OPTION_TEXT(aptune_option_help, help)

static const char too_late[] = "the handle has begun its work: call aptune_reset first";

typedef struct Setting {
    const char *name, *value;
} Setting;

static aptune_status take_setting(aptune *a, const void *given)
{
    const Setting *s = given;
    if (a->arena)
        return refuse(a, APTUNE_TOO_LATE, too_late);
    buf_clear(&a->failure);
    SCOPED_ARENA *scratch = arena_new();
    Diag d = diag_new(scratch);
    OptionTable t = options_of(a);
    const char *copy = s->value ? arena_string(a->settings, s->value) : NULL;
    bool ok = option_set(&t, s->name, copy, &d);
    handle_tell(a, &d);
    return ok ? APTUNE_OK : APTUNE_WRONG;
}

aptune_status aptune_set(aptune *a, const char *name, const char *value)
{
    return handle_call(a, take_setting, &(Setting){name, value});
}

static aptune_status choose_problem(aptune *a, const void *number)
{
    if (a->arena)
        return refuse(a, APTUNE_TOO_LATE, too_late);
    a->options.problem = *(const size_t *)number;
    return APTUNE_OK;
}

aptune_status aptune_choose_problem(aptune *a, size_t number)
{
    return handle_call(a, choose_problem, &number);
}

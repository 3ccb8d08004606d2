/* The inside of a handle of aptune.h, shared by the files that implement it.
 *
 * A handle has options, which live as long as it does, and at most one Run, in an arena of its own, which
 * ends with aptune_reset.  The program's own command uses it to dump stages.
 *
 * Every public function that does more than a lookup uses handle_call, or handle_enter_text and
 * handle_leave_text.  Both switch to the C locale for numbers; handle_call also makes writes to a closed
 * pipe or beyond a file size limit an error code instead of a fatal signal.  During callbacks the caller's
 * state is restored. */
#pragma once

#include "tuner/emit/unit_make.h"
#include "tuner/library/aptune.h"

#include <locale.h>
#include <signal.h>

typedef enum HandleStage {
    HANDLE_FRESH,
    HANDLE_OPENED,
    HANDLE_COMPILED,
    HANDLE_CARVED,
    HANDLE_MEASURED,
    HANDLE_JUDGED
} HandleStage;

enum { HANDLE_TEXTS = APTUNE_TABLE + 1 };

/* Code and launch arguments of a configuration, see aptune_fetch. */
typedef struct HandleCode {
    Arena *arena; /* NULL: none was fetched */
    TaskRun run;
    const char **ptx;            /* of each module */
    aptune_argument **arguments; /* of each launch */
    aptune_argument *variables;
} HandleCode;

struct aptune {
    Arena *settings; /* holds the options' values */
    RunOptions options;
    const char *home; /* NULL: not set */

    aptune_message_function *on_message;
    void *message_context;
    aptune_progress_function *on_progress;
    void *progress_context;
    RunProgress progress; /* calls on_progress; empty without one */

    int stop_event; /* eventfd that aptune_stop writes to */
    int stop_fd;    /* epoll of it and of the caller's descriptor */
    int stop_on;    /* the caller's descriptor; -1: none */

    HandleStage stage;
    aptune_status failed; /* status of the stage after `stage` if it failed */
    Buf failure;          /* aptune_message */
    Arena *arena;         /* of the run; NULL while fresh */
    Run run;
    Diag diag;         /* of the run */
    const char **name; /* of each configuration, filled on demand, as are its values */
    const char ***value;
    Buf texts[HANDLE_TEXTS];
    Buf reason; /* aptune_why */
    Buf emitted;
    const char *drawn;   /* path of the page; NULL: none yet */
    EmitWritten written; /* the emitted files by name; valid as long as the run */
    HandleCode code;

    /* The caller's state during a call. */
    locale_t c_locale, callers_locale;
    sigset_t callers_mask;
    sigset_t callers_pending;
};

/* The body of a call and its arguments. */
typedef aptune_status HandleWork(aptune *a, const void *given);

/* Performs a call.  APTUNE_NO_MEMORY if memory ran out; later calls then fail, too, until aptune_reset. */
aptune_status handle_call(aptune *a, HandleWork *work, const void *given);

/* Enclose a call that only makes texts. */
void handle_enter_text(aptune *a);
void handle_leave_text(aptune *a);

/* Passes all new messages to the caller and keeps the text of errors for aptune_message. */
void handle_tell(aptune *a, Diag *d);

/* Brings the handle to a stage, within a call. */
aptune_status handle_bring(aptune *a, HandleStage stage);

/* Frees the fetched code. */
void handle_forget_code(aptune *a);

/* The run if it is open and has this configuration, else NULL. */
const Run *handle_run_of(const aptune *a, size_t configuration);

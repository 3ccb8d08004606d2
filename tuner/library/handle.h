/* What is inside a handle of aptune.h, and what the files that implement it share.
 *
 * A handle has options, which last as long as it does, and at most one Run, in an arena of its own,
 * which ends with aptune_reset.  The program's own command looks inside for what the header does
 * not publish (dumps of stages).
 *
 * Every public function that does more than look something up goes through handle_call, or stands
 * between handle_enter_text and handle_leave_text: in between numbers are written and read as in
 * the C locale, whatever the caller's is, and writing to a closed pipe or past a limit on the size
 * of files is an error code instead of the caller's death.  While the caller's callbacks run, all
 * is as the caller left it. */
#pragma once

#include "tuner/emit/unit_make.h"
#include "tuner/library/aptune.h"
#include "tuner/run/option.h"
#include "tuner/run/run.h"

#include <locale.h>
#include <signal.h>

typedef enum HandleStage {
    HANDLE_FRESH,
    HANDLE_OPENED,
    HANDLE_COMPILED,
    HANDLE_CARVED,
    HANDLE_MEASURED,
    HANDLE_JUDGED,
    HANDLE_STAGES
} HandleStage;

enum { HANDLE_TEXTS = APTUNE_TABLE + 1 };

/* A configuration's code and what its launches take, see aptune_fetch. */
typedef struct HandleCode {
    Arena *arena; /* NULL: none was fetched */
    TaskRun run;
    const char **ptx;            /* of each module */
    aptune_argument **arguments; /* of each launch */
    aptune_argument *variables;
} HandleCode;

struct aptune {
    Arena *settings; /* of options */
    RunOptions options;
    const char *home; /* NULL: not said */

    aptune_message_function *on_message;
    void *message_context;
    aptune_progress_function *on_progress;
    void *progress_context;
    RunProgress progress; /* calls on_progress; empty without one */

    int stop_event; /* an eventfd that aptune_stop writes to */
    int stop_fd;    /* an epoll of it and of the caller's descriptor */
    int stop_on;    /* that descriptor; -1: none */

    HandleStage stage;
    aptune_status failed; /* of the stage after `stage`; APTUNE_OK: it did not fail */
    Buf failure;          /* aptune_message */
    Arena *arena;         /* of the run; NULL while fresh */
    Run run;
    Diag diag;         /* of the run */
    const char **name; /* of each configuration, once asked for */
    const char ***value;
    Buf texts[HANDLE_TEXTS];
    Buf reason; /* aptune_why */
    Buf emitted;
    const char *drawn;   /* path of the page; NULL: none yet */
    EmitWritten written; /* the same by name; while the run is there */
    HandleCode code;

    /* The caller's, while a call is under way. */
    locale_t c_locale, callers_locale;
    sigset_t callers_mask;
    sigset_t callers_pending;
};

/* What a call does, with what it was given. */
typedef aptune_status HandleWork(aptune *a, const void *given);

/* All of a call, and APTUNE_NO_MEMORY where the work ran out of it; the handle then takes no more
 * work until aptune_reset. */
aptune_status handle_call(aptune *a, HandleWork *work, const void *given);

/* The same for a call that only makes texts. */
void handle_enter_text(aptune *a);
void handle_leave_text(aptune *a);

/* Gives the caller all messages that have come since the last time, and keeps the text of errors
 * for aptune_message. */
void handle_tell(aptune *a, Diag *d);

/* Brings the handle to a stage, within a call. */
aptune_status handle_bring(aptune *a, HandleStage stage);

/* Ends what was fetched. */
void handle_forget_code(aptune *a);

/* The same with a configuration of it. */
const Run *handle_run_of(const aptune *a, size_t configuration);

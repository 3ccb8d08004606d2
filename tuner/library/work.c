/* The stages of a handle, in order. */
#include "tuner/library/handle.h"

#include "tuner/library/settings.h"
#include "tuner/run/run_sanitize.h"

#include <poll.h>
#include <stdint.h>

/* --- opening ---------------------------------------------------------------------------------- */

/* Said before hours of compiling, not after. */
static bool can_sanitize(Run *r)
{
    if (!r->options.sanitize)
        return true;
    if (r->source != RUN_MEASURED)
        return diag_fail(r->diag, "--sanitize needs a GPU: %s", r->why_not_measured);
    return run_sanitizer(r) != NULL;
}

static bool find_why(aptune *a)
{
    const char *name = a->options.why;
    a->why = name ? run_find_config(&a->run, name, &a->diag) : SIZE_MAX;
    return !name || a->why != SIZE_MAX;
}

/* Where answers that are texts are kept once they were asked for. */
static bool make_room(aptune *a)
{
    a->name = ARENA_ARRAY(a->arena, const char *, a->run.table->count);
    a->value = ARENA_ARRAY(a->arena, const char **, a->run.table->count);
    return true;
}

static bool open_space(aptune *a)
{
    a->arena = arena_new();
    a->diag = diag_new(a->arena);
    a->run = run_begin(a->arena, &a->options, a->home, &a->diag);
    a->run.progress = a->progress;
    a->run.stop_fd = a->stop_fd;
    return options_agree(&a->options, &a->diag) && run_open(&a->run) && can_sanitize(&a->run) &&
           find_why(a) && make_room(a);
}

/* --- the stages after it ---------------------------------------------------------------------- */

static bool compile_space(aptune *a)
{
    return run_claim(&a->run) && run_compile(&a->run);
}

static bool carve_space(aptune *a)
{
    run_carve(&a->run);
    return true;
}

/* A search may have added configurations. */
static bool measure_space(aptune *a)
{
    return run_time(&a->run) && make_room(a);
}

static bool judge_space(aptune *a)
{
    run_judge(&a->run);
    return true;
}

typedef struct HandleStep {
    bool (*take)(aptune *a);
    aptune_status failure; /* what it means when it fails */
} HandleStep;

/* To each stage from the one before it. */
static const HandleStep steps[HANDLE_STAGES] = {
    [HANDLE_OPENED] = {open_space, APTUNE_WRONG},
    [HANDLE_COMPILED] = {compile_space, APTUNE_FAILED},
    [HANDLE_CARVED] = {carve_space, APTUNE_FAILED},
    [HANDLE_MEASURED] = {measure_space, APTUNE_FAILED},
    [HANDLE_JUDGED] = {judge_space, APTUNE_FAILED},
};

static bool is_stopped(const aptune *a)
{
    struct pollfd p = {.fd = a->stop_fd, .events = POLLIN};
    return a->run.stopped || poll(&p, 1, 0) > 0;
}

static aptune_status take_step(aptune *a, HandleStage to)
{
    if (is_stopped(a))
        return APTUNE_STOPPED;
    run_charge_anew(&a->run);
    bool ok = steps[to].take(a);
    handle_tell(a, &a->diag);
    if (ok)
        a->stage = to;
    return ok ? APTUNE_OK : a->run.stopped ? APTUNE_STOPPED : steps[to].failure;
}

/* A dry run counts the space and may know no device: there is nothing to go on with. */
static HandleStage reachable(const aptune *a, HandleStage stage)
{
    return a->options.dry_run && stage > HANDLE_OPENED ? HANDLE_OPENED : stage;
}

aptune_status handle_bring(aptune *a, HandleStage stage)
{
    if (a->failed)
        return a->failed;
    buf_clear(&a->failure);
    while (a->stage < reachable(a, stage)) {
        aptune_status status = take_step(a, a->stage + 1);
        a->failed = status;
        if (status == APTUNE_STOPPED && a->failure.size == 0)
            buf_puts(&a->failure, "stopped");
        if (status != APTUNE_OK)
            return status;
    }
    return APTUNE_OK;
}

static aptune_status bring(aptune *a, const void *stage)
{
    return handle_bring(a, *(const HandleStage *)stage);
}

static aptune_status work(aptune *a, HandleStage stage)
{
    return handle_call(a, bring, &stage);
}

aptune_status aptune_open(aptune *a)
{
    return work(a, HANDLE_OPENED);
}

aptune_status aptune_compile(aptune *a)
{
    return work(a, HANDLE_COMPILED);
}

aptune_status aptune_carve(aptune *a)
{
    return work(a, HANDLE_CARVED);
}

aptune_status aptune_measure(aptune *a)
{
    return work(a, HANDLE_MEASURED);
}

aptune_status aptune_tune(aptune *a)
{
    return work(a, HANDLE_JUDGED);
}

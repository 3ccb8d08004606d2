/* The stages of a handle, in order. */
#include "metrics/base/file.h"
#include "tuner/emit/unit.h"
#include "tuner/library/handle.h"
#include "tuner/library/settings.h"
#include "tuner/output/report.h"
#include "tuner/report/page.h"
#include "tuner/run/run_parts.h"

#include <poll.h>
#include <stdint.h>

/* --- opening ---------------------------------------------------------------------------------- */

/* Checked before hours of compiling, not after. */
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
    if (name)
        a->run.why = run_find_config(&a->run, name, &a->diag);
    return !name || a->run.why != SIZE_MAX;
}

/* Makes room for names and values of configurations. */
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

/* --- later stages ----------------------------------------------------------------------------- */

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
    aptune_status failure; /* its status if it fails */
} HandleStep;

/* How to get to each stage from the one before it. */
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

/* A dry run only opens the space and may not know a device. */
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

/* Defines a function that brings the handle to a stage. */
#define BRING(name, stage)                                                                         \
    aptune_status name(aptune *a)                                                                  \
    {                                                                                              \
        return handle_call(a, bring, &(HandleStage){stage});                                       \
    }

BRING(aptune_open, HANDLE_OPENED)
BRING(aptune_compile, HANDLE_COMPILED)
BRING(aptune_carve, HANDLE_CARVED)
BRING(aptune_measure, HANDLE_MEASURED)
BRING(aptune_tune, HANDLE_JUDGED)

/* --- results as texts and files --------------------------------------------------------------- */

typedef struct TextKind {
    HandleStage from; /* the first stage that knows it */
    void (*print)(const Run *r, Buf *out);
} TextKind;

static const TextKind kinds[HANDLE_TEXTS] = {
    [APTUNE_HEADING] = {HANDLE_OPENED, report_heading},
    [APTUNE_COUNTS] = {HANDLE_OPENED, report_dry_run},
    [APTUNE_COUNTS_JSON] = {HANDLE_OPENED, report_dry_run_json},
    [APTUNE_REPORT] = {HANDLE_JUDGED, report_result},
    [APTUNE_JSON] = {HANDLE_JUDGED, report_json},
    [APTUNE_TABLE] = {HANDLE_JUDGED, report_csv},
};

const char *aptune_text(aptune *a, aptune_text_kind kind)
{
    if ((size_t)kind >= HANDLE_TEXTS || a->stage < kinds[kind].from)
        return NULL;
    Buf *text = &a->texts[kind];
    handle_enter_text(a);
    buf_clear(text);
    kinds[kind].print(&a->run, text);
    handle_leave_text(a);
    return buf_text(text);
}

const char *aptune_why(aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    if (!r || a->stage < HANDLE_CARVED)
        return NULL;
    handle_enter_text(a);
    buf_clear(&a->reason);
    report_why(r, configuration, &a->reason);
    handle_leave_text(a);
    return buf_text(&a->reason);
}

static aptune_status draw(aptune *a, const void *folder)
{
    aptune_status status = handle_bring(a, HANDLE_JUDGED);
    if (status != APTUNE_OK)
        return status;
    bool ok = folder_create(folder, &a->diag);
    a->drawn = ok ? run_page_save(&a->run, folder) : NULL;
    handle_tell(a, &a->diag);
    return a->drawn ? APTUNE_OK : APTUNE_FAILED;
}

aptune_status aptune_draw(aptune *a, const char *folder)
{
    return handle_call(a, draw, folder);
}

const char *aptune_drawn(const aptune *a)
{
    return a->drawn;
}

/* --- emitting kernels, of the handle's own run or of recordings ------------------------------- */

static void list_files(aptune *a, const char *folder, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(&a->emitted, "%s%s/%s", i ? ", " : "", folder, names[i]);
}

static aptune_status emit(aptune *a, const void *given)
{
    const char *folder = given;
    aptune_status status = handle_bring(a, HANDLE_JUDGED);
    if (status != APTUNE_OK)
        return status;
    buf_clear(&a->emitted);
    EmitWritten *w = &a->written;
    *w = (EmitWritten){0};
    bool ok = emit_winner(&a->run, folder, w, &a->diag);
    list_files(a, folder, w->names, w->count);
    if (w->uncompiled)
        diag_note(&a->diag, (Span){0}, "the tuned kernel is written as source alone: %s",
                  w->uncompiled);
    handle_tell(a, &a->diag);
    return ok ? APTUNE_OK : APTUNE_FAILED;
}

aptune_status aptune_emit(aptune *a, const char *folder)
{
    return handle_call(a, emit, folder);
}

/* Arguments of aptune_emit_recordings. */
typedef struct Recordings {
    const char *folder;
    const char *const *paths;
    size_t count;
} Recordings;

/* Does not open the handle's space: each recording is replayed by its own run. */
static bool write_recordings(aptune *a, Arena *scratch, const Recordings *g, UnitMaker *m, Diag *d)
{
    Run like = run_begin(scratch, &a->options, a->home, d);
    like.progress = a->progress;
    like.stop_fd = a->stop_fd;
    const EmitUnit *u = NULL;
    if (options_agree(&a->options, d) && unit_add_recordings(m, &like, g->paths, g->count) &&
        unit_outline(m))
        u = unit_finish(m);
    if (!u || !files_write(u, g->folder, d))
        return false;
    size_t count;
    const char *const *names = files_list(scratch, u, &count);
    list_files(a, g->folder, names, count);
    return true;
}

static aptune_status emit_recordings(aptune *a, const void *given)
{
    SCOPED_ARENA *scratch = arena_new();
    Diag d = diag_new(scratch);
    EmitOptions o = emit_options_of(&a->options);
    UnitMaker *m = unit_begin(scratch, &o, &d);
    buf_clear(&a->failure);
    buf_clear(&a->emitted);
    bool ok = write_recordings(a, scratch, given, m, &d);
    handle_tell(a, &d);
    unit_end(m);
    return ok ? APTUNE_OK : APTUNE_WRONG;
}

aptune_status aptune_emit_recordings(aptune *a, const char *folder, const char *const *recordings,
                                     size_t count)
{
    return handle_call(a, emit_recordings, &(Recordings){folder, recordings, count});
}

const char *aptune_emitted(const aptune *a)
{
    return a->emitted.size ? buf_text(&a->emitted) : NULL;
}

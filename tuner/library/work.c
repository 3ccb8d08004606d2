/* The stages of a handle, in order. */
#include "metrics/base/file.h"
#include "tuner/library/handle.h"
#include "tuner/library/settings.h"
#include "tuner/output/report.h"
#include "tuner/report/page.h"

static void make_room(aptune *a)
{
    a->name = ARENA_ARRAY(a->arena, const char *, a->run.table->count);
    a->value = ARENA_ARRAY(a->arena, const char **, a->run.table->count);
}

static bool open_space(aptune *a)
{
    Run *r = &a->run;
    const RunOptions *o = &a->options;
    a->arena = arena_new();
    a->diag = diag_new(a->arena);
    *r = run_begin(a->arena, o, a->home, &a->diag);
    r->progress = a->progress;
    r->stop_fd = a->stop_fd;
    if (!options_agree(o, &a->diag) || !run_open(r))
        return false;
    /* Before hours of compiling, not after. */
    if (o->sanitize && r->source != RUN_MEASURED)
        return diag_fail(r->diag, "--sanitize needs a GPU: %s", r->why_not_measured);
    if (o->sanitize && !run_sanitizer(r))
        return false;
    if (o->why)
        r->why = run_find_config(r, o->why, &a->diag);
    make_room(a);
    return !o->why || r->why != SIZE_MAX;
}

static bool take_step(aptune *a, HandleStage to)
{
    Run *r = &a->run;
    bool ok = true;
    switch (to) {
    case HANDLE_OPENED:
        return open_space(a);
    case HANDLE_COMPILED:
        return run_claim(r) && run_compile(r);
    case HANDLE_CARVED:
        run_carve(r);
        break;
    case HANDLE_MEASURED:
        ok = run_time(r);
        make_room(a); /* a search may have added configurations */
        break;
    default:
        run_judge(r);
    }
    return ok;
}

aptune_status handle_bring(aptune *a, HandleStage stage)
{
    if (a->failed)
        return a->failed;
    buf_clear(&a->failure);
    if (a->options.dry_run && stage > HANDLE_OPENED)
        stage = HANDLE_OPENED; /* a dry run may not know a device */
    while (a->stage < stage && a->failed == APTUNE_OK) {
        const HandleStage to = a->stage + 1;
        struct pollfd p = {.fd = a->stop_fd, .events = POLLIN};
        bool stopped = a->run.stopped || poll(&p, 1, 0) > 0, ok = false;
        if (!stopped) {
            run_charge_anew(&a->run);
            ok = take_step(a, to);
            handle_tell(a, &a->diag);
            stopped = !ok && a->run.stopped;
        }
        if (ok)
            a->stage = to;
        else
            a->failed = stopped               ? APTUNE_STOPPED
                        : to == HANDLE_OPENED ? APTUNE_WRONG
                                              : APTUNE_FAILED;
    }
    if (a->failed == APTUNE_STOPPED && a->failure.size == 0)
        buf_puts(&a->failure, "stopped");
    return a->failed;
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

static void list_files(aptune *a, const char *folder, Texts names)
{
    for (size_t i = 0; i < names.count; i++)
        buf_printf(&a->emitted, "%s%s/%s", i ? ", " : "", folder, names.at[i]);
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
    list_files(a, folder, w->names);
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
    Texts paths = {0};
    for (size_t i = 0; i < g->count; i++)
        VEC_PUSH(scratch, &paths, g->paths[i]);
    const bool added = options_agree(&a->options, d) && unit_add_recordings(m, &like, paths);
    const EmitUnit *u = added ? unit_finish(m) : NULL;
    if (!u || !files_write(u, g->folder, d))
        return false;
    list_files(a, g->folder, files_list(scratch, u));
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

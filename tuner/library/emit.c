/* Tuned kernels written out: of the handle's own run, or of recordings. */
#include "tuner/library/handle.h"

#include "tuner/emit/files.h"
#include "tuner/library/settings.h"

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

/* What aptune_emit_recordings is given. */
typedef struct Recordings {
    const char *folder;
    const char *const *paths;
    size_t count;
} Recordings;

/* The handle's space is not opened: each recording is replayed by a run of its own. */
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
    Arena *scratch = arena_new();
    Diag d = diag_new(scratch);
    EmitOptions o = emit_options_of(&a->options);
    UnitMaker *m = unit_begin(scratch, &o, &d);
    buf_clear(&a->failure);
    buf_clear(&a->emitted);
    bool ok = write_recordings(a, scratch, given, m, &d);
    handle_tell(a, &d);
    unit_end(m);
    arena_free(scratch);
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

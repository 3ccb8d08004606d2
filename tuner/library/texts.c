/* What a handle found, as texts and as files. */
#include "tuner/library/handle.h"

#include "metrics/base/file.h"
#include "tuner/output/report.h"
#include "tuner/report/run_page.h"

#include <stdint.h>

static void print_json(const aptune *a, Buf *out)
{
    report_json(&a->run, a->why, out);
}

static void print_heading(const aptune *a, Buf *out)
{
    report_heading(&a->run, out);
}

static void print_counts(const aptune *a, Buf *out)
{
    report_dry_run(&a->run, out);
}

static void print_counts_json(const aptune *a, Buf *out)
{
    report_dry_run_json(&a->run, out);
}

static void print_report(const aptune *a, Buf *out)
{
    report_result(&a->run, out);
}

static void print_table(const aptune *a, Buf *out)
{
    report_csv(&a->run, out);
}

typedef struct TextKind {
    HandleStage from; /* the first stage that knows it */
    void (*print)(const aptune *a, Buf *out);
} TextKind;

static const TextKind kinds[HANDLE_TEXTS] = {
    [APTUNE_HEADING] = {HANDLE_OPENED, print_heading},
    [APTUNE_COUNTS] = {HANDLE_OPENED, print_counts},
    [APTUNE_COUNTS_JSON] = {HANDLE_OPENED, print_counts_json},
    [APTUNE_REPORT] = {HANDLE_JUDGED, print_report},
    [APTUNE_JSON] = {HANDLE_JUDGED, print_json},
    [APTUNE_TABLE] = {HANDLE_JUDGED, print_table},
};

const char *aptune_text(aptune *a, aptune_text_kind kind)
{
    if ((size_t)kind >= HANDLE_TEXTS || a->stage < kinds[kind].from)
        return NULL;
    Buf *text = &a->texts[kind];
    handle_enter_text(a);
    buf_clear(text);
    kinds[kind].print(a, text);
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

#include "tuner/run/timer.h"

#include "metrics/base/file.h"

#include <stdlib.h>
#include <unistd.h>

/* --- the tool --------------------------------------------------------------------------------- */

static const char *program_in(Arena *a, const char *folder, size_t length)
{
    const char *path = arena_printf(a, "%.*s/compute-sanitizer", (int)length, folder);
    return length > 0 && access(path, X_OK) == 0 ? path : NULL;
}

/* A relative folder may belong to somebody else. */
static const char *on_path(Arena *a)
{
    const char *list = getenv("PATH"), *found = NULL;
    while (list && *list && !found) {
        size_t length = strcspn(list, ":");
        found = *list == '/' ? program_in(a, list, length) : NULL;
        list += length + (list[length] == ':');
    }
    return found;
}

const char *run_sanitizer(Run *r)
{
    const char *toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    const char *found = on_path(r->arena);
    for (size_t i = 0; !found && i < COUNT_OF(toolkits); i++) {
        const char *folder = toolkits[i] ? path_join(r->arena, toolkits[i], "bin") : "";
        found = program_in(r->arena, folder, strlen(folder));
    }
    if (!found)
        diag_fail(r->diag, "--sanitize needs compute-sanitizer, which comes with NVIDIA's CUDA "
                           "toolkit: it is neither on PATH nor in /usr/local/cuda/bin nor in "
                           "$CUDA_HOME/bin");
    return found;
}

/* --- what it says ----------------------------------------------------------------------------- */

/* The text of a line of its report, "" for a separator; NULL for other output. */
static const char *report_line(const char *line, size_t *length)
{
    static const char mark[] = "=========";
    size_t skip = sizeof mark - 1;
    if (*length < skip || memcmp(line, mark, skip) != 0)
        return NULL;
    while (skip < *length && line[skip] == ' ')
        skip++;
    *length -= skip;
    return line + skip;
}

/* Lines around findings, and driver errors that follow from one. */
static bool is_frame(const char *text, size_t length)
{
    static const char *const frames[] = {"COMPUTE-SANITIZER", "ERROR SUMMARY", "Target application",
                                         "Program hit",       "LEAK SUMMARY",  "Error:"};
    for (size_t i = 0; i < COUNT_OF(frames); i++)
        if (length >= strlen(frames[i]) && memcmp(text, frames[i], strlen(frames[i])) == 0)
            return true;
    return false;
}

/* A finding is a paragraph: what, where in the kernel, which thread, which address. */
const char *run_sanitizer_finding(Arena *a, const char *printed)
{
    SCOPED_BUF out = {0};
    for (const char *line = printed; *line;) {
        size_t length = strcspn(line, "\n"), whole = length;
        const char *text = report_line(line, &length);
        if (text && length == 0 && out.size > 0)
            break;
        if (text && length > 0 && (out.size > 0 || !is_frame(text, length)))
            buf_printf(&out, "%s%.*s", out.size > 0 ? "; " : "", (int)length, text);
        line += whole + (line[whole] == '\n');
    }
    return out.size > 0 ? arena_string(a, buf_text(&out)) : NULL;
}

/* --- running under it ------------------------------------------------------------------------- */

/* Loading a kernel and a verified run of it are many times slower than usual. */
static const double sanitized_limit_s = 120;

/* Another GPU process beside the one that times, with its own exact buffers. */
static Gpu *open_sanitized(Run *r, const char *tool)
{
    /* With padding, accesses beyond the end of an allocation do not hit the next one. */
    static const char *const options[] = {"--tool",
                                          "memcheck",
                                          "--padding",
                                          "4096",
                                          "--print-limit",
                                          "1",
                                          "--show-backtrace",
                                          "no",
                                          "--report-api-errors",
                                          "no",
                                          NULL};
    GpuOptions o = gpu_options(r->home.gpu_helper, gpu_ordinal(r->gpu));
    o.wrapper = tool;
    o.wrapper_options = options;
    o.start_limit_s *= 3;
    o.problem_limit_s *= 3;
    Gpu *gpu = gpu_start(&o);
    if (run_gpus_settle(r, &gpu, 1) && gpu_usable(gpu, r->diag) && run_set_bare_problem(r, gpu))
        return gpu;
    gpu_close(gpu);
    return NULL;
}

static void take_finding(Run *r, size_t i, const TrialResult *x, const char *finding)
{
    Table *t = r->table;
    bool bad = x->status == OUTCOME_FAULT || x->status == OUTCOME_WRONG;
    t->outcome[i] = bad ? x->status : OUTCOME_FAULT;
    t->why[i] = finding ? arena_printf(r->arena, "compute-sanitizer: %s", finding)
                        : arena_printf(r->arena, "under compute-sanitizer: %s", x->words);
    t->times[i].median = t->times[i].low = t->times[i].high = t->warm[i].median = NAN;
    r->counts.unclean++;
}

/* False after a message if a finding cannot be recorded. */
static bool take_sanitized(Arena *a, Run *r, const Timer *timer, size_t i, const TrialResult *t)
{
    const char *finding = run_sanitizer_finding(a, t->printed);
    if (!finding) /* from a process that died before it answered */
        finding = run_sanitizer_finding(a, t->words);
    r->counts.sanitized++;
    bool failed = (t->status == OUTCOME_FAULT && !t->killed) || t->status == OUTCOME_WRONG;
    if (!finding && !failed) /* too slow for the tool, out of memory or killed shows nothing */
        return true;
    take_finding(r, i, t, finding);
    return timer->record(timer->state, i);
}

static bool sanitize_one(Run *r, Gpu *gpu, const Timer *timer, size_t i)
{
    SCOPED_ARENA *a = arena_new();
    Fetched x;
    TrialResult t;
    bool ok = run_fetch_all(r, a, &i, 1, &x);
    if (ok && !x.failure) {
        Trial trial = {.id = (int64_t)i,
                       .runs = &x.run,
                       .run_count = 1,
                       .compared = x.compared,
                       .compared_count = x.compared_count,
                       .verify = true,
                       .limit_s = sanitized_limit_s};
        gpu_submit(gpu, &trial);
        ok = run_gpu_next(r, gpu, a, &t) && take_sanitized(a, r, timer, i, &t);
    }
    return ok;
}

static bool is_due(const Run *r, size_t i)
{
    return r->table->selected[i] && table_is_timed(r->table, i) && table_is_right(r->table, i);
}

static bool sanitize_all(Run *r, Gpu *gpu, const Timer *timer)
{
    size_t all = 0, done = 0;
    for (size_t i = 0; i < r->table->count; i++)
        all += is_due(r, i);
    bool ok = true;
    for (size_t i = 0; ok && i < r->table->count; i++) {
        if (!is_due(r, i))
            continue;
        ok = !run_stopped(r) && sanitize_one(r, gpu, timer, i);
        run_progress(r, "sanitize", ++done, all, "");
    }
    return ok;
}

bool run_sanitize(Run *r, const Timer *t)
{
    if (!r->options.sanitize || !t->record)
        return true;
    const char *tool = run_sanitizer(r);
    Gpu *gpu = tool ? open_sanitized(r, tool) : NULL;
    bool ok = gpu && sanitize_all(r, gpu, t);
    gpu_close(gpu);
    return ok;
}

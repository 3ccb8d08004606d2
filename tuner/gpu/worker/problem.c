#include "problem.h"

#include "tuner/spec/contents.h"

#include <stdlib.h>

/* Guards before and after every buffer, large enough for a block of 256 threads that writes one float4 each
 * too far. */
enum { GUARD = 4096, ALIGNMENT = 256, STAGE = 16 << 20 };
enum { GUARD_BYTE = 0xA5, POISON_BYTE = 0xFF };

static size_t bytes_of(const TaskBuffer *b)
{
    return (size_t)b->count * task_type_size(b->type);
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Bytes of a buffer's copy, rounded up for the checksum. */
static size_t padded_of(const TaskBuffer *b)
{
    return round_up(bytes_of(b), ALIGNMENT);
}

/* Guards and padding would hide accesses past a buffer from a memory checker. */
static size_t guard_of(const Problem *p)
{
    return p->task.bare ? 0 : GUARD;
}

static size_t room_of(const Problem *p, const TaskBuffer *b)
{
    return p->task.bare ? bytes_of(b) : GUARD + padded_of(b) + GUARD;
}

/* True if a run needs contents that the run before may have changed. */
static bool is_restored(const TaskBuffer *b)
{
    bool written = b->role != TASK_IN && b->role != TASK_REFERENCE;
    return written && b->contents.kind != TASK_UNDEFINED && b->contents.kind != TASK_KEPT;
}

/* The buffer with the expected contents of an output after the reference has run. */
static size_t expected_of(const TaskBuffer *b, size_t own)
{
    return b->expected ? (size_t)b->expected - 1 : own;
}

/* True for an output with something to compare it to. */
static bool is_compared(const TaskProblem *t, const TaskBuffer *b)
{
    return (b->role == TASK_OUT || b->role == TASK_INOUT) &&
           (t->reference.launch_count > 0 || b->expected);
}

/* Bytes of the expected contents of output `i`. */
static size_t reference_bytes(const TaskProblem *t, size_t i)
{
    return bytes_of(&t->buffers[expected_of(&t->buffers[i], i)]);
}

/* Contents other than zeros are restored from a copy. */
static bool is_kept(const TaskBuffer *b)
{
    return is_restored(b) && b->contents.kind != TASK_ZERO;
}

/* --- memory ---------------------------------------------------------------------------------- */

static size_t need_of(const Problem *p)
{
    const TaskProblem *t = &p->task;
    size_t need = 0;
    for (size_t i = 0; i < t->buffer_count; i++) {
        const TaskBuffer *b = &t->buffers[i];
        need += room_of(p, b);
        need += is_kept(b) ? padded_of(b) : 0;
        need += is_compared(t, b) ? round_up(reference_bytes(t, i), ALIGNMENT) : 0;
    }
    return need;
}

static bool no_memory(const Problem *p, size_t free_bytes, Diag *d)
{
    return diag_fail(d,
                     "the problem's %zu buffers, copies of their initial contents and the "
                     "reference's outputs need %.2f GB of the GPU's memory; %.2f GB are free",
                     p->task.buffer_count, (double)need_of(p) * 1e-9, (double)free_bytes * 1e-9);
}

static bool allocate(Problem *p, Diag *d)
{
    size_t free_bytes = 0;
    driver_memory(p->driver, &free_bytes);
    if (need_of(p) > free_bytes)
        return no_memory(p, free_bytes, d);
    for (size_t i = 0; i < p->task.buffer_count; i++) {
        const TaskBuffer *b = &p->task.buffers[i];
        DriverAddress base;
        if (driver_alloc(p->driver, room_of(p, b), &base) != DRIVER_OK)
            return no_memory(p, free_bytes, d);
        p->at[i] = base + guard_of(p);
        if (is_kept(b) && driver_alloc(p->driver, padded_of(b), &p->start[i]) != DRIVER_OK)
            return no_memory(p, free_bytes, d);
    }
    EACH (Compared, c, p->outputs, p->output_count) {
        size_t bytes = round_up(reference_bytes(&p->task, (size_t)c->buffer), ALIGNMENT);
        if (driver_alloc(p->driver, bytes, &c->reference) != DRIVER_OK)
            return no_memory(p, free_bytes, d);
    }
    return true;
}

/* --- contents -------------------------------------------------------------------------------- */

/* Generates the contents on the host and uploads them in pieces. */
static DriverStatus upload_contents(Driver *v, const TaskBuffer *b, DriverAddress to)
{
    size_t size = task_scalar_size(b->type.scalar);
    uint64_t count = (uint64_t)b->count * (uint64_t)b->type.lanes;
    uint64_t step = STAGE / size;
    void *stage = memory_new(STAGE);
    DriverStatus s = DRIVER_OK;
    for (uint64_t i = 0; s == DRIVER_OK && i < count; i += step) {
        size_t n = (size_t)(count - i < step ? count - i : step);
        contents_fill(b->contents, b->type.scalar, i, n, stage);
        s = driver_upload(v, to + i * size, stage, n * size);
    }
    free(stage);
    return s;
}

static DriverStatus fill_buffer(Problem *p, size_t i)
{
    const TaskBuffer *b = &p->task.buffers[i];
    const bool poison = b->contents.kind == TASK_UNDEFINED;
    driver_set_bytes(p->driver, p->at[i] - guard_of(p), GUARD_BYTE, room_of(p, b));
    if (poison || b->contents.kind == TASK_ZERO || b->contents.kind == TASK_KEPT)
        return driver_set_bytes(p->driver, p->at[i], poison ? POISON_BYTE : 0, bytes_of(b));
    upload_contents(p->driver, b, p->at[i]);
    if (p->start[i])
        driver_copy(p->driver, p->start[i], p->at[i], bytes_of(b));
    return driver_status(p->driver);
}

bool problem_is_restored(const Problem *p)
{
    for (size_t i = 0; i < p->task.buffer_count; i++)
        if (is_restored(&p->task.buffers[i]))
            return true;
    return false;
}

DriverStatus problem_reset(Problem *p, Reset reset)
{
    for (size_t i = 0; i < p->task.buffer_count; i++) {
        const TaskBuffer *b = &p->task.buffers[i];
        const bool output =
            (b->role == TASK_OUT || b->role == TASK_INOUT) && reset >= RESET_OUTPUTS;
        const bool scratch = b->role == TASK_SCRATCH && reset == RESET_ALL;
        if (p->start[i])
            driver_copy(p->driver, p->at[i], p->start[i], bytes_of(b));
        else if (is_restored(b) || (reset == RESET_ALL && b->contents.kind == TASK_KEPT))
            driver_set_bytes(p->driver, p->at[i], 0, bytes_of(b));
        else if (b->contents.kind == TASK_UNDEFINED && (output || scratch))
            driver_set_bytes(p->driver, p->at[i], POISON_BYTE, bytes_of(b));
    }
    return driver_status(p->driver);
}

/* --- the reference --------------------------------------------------------------------------- */

static DriverStatus keep_outputs(Problem *p)
{
    for (size_t i = 0; i < p->output_count; i++) {
        Compared *c = &p->outputs[i];
        size_t own = (size_t)c->buffer, from = expected_of(c->task, own);
        driver_copy(p->driver, c->reference, p->at[from], reference_bytes(&p->task, own));
        verify_scale(&p->verifier, c, &p->output_facts[i]);
    }
    return driver_status(p->driver);
}

/* Compares a second run of the reference with the first.  NaNs that both have do not count, since they are
 * reported separately. */
static void compare_again(Problem *p)
{
    for (size_t i = 0; i < p->output_count; i++) {
        TrialCheck check;
        TaskOutput *o = &p->output_facts[i];
        if (p->outputs[i].task->expected)
            continue; /* the reference did not write the output itself */
        Compared again = p->outputs[i];
        again.gaps = o->unwritten; /* as in the first run */
        if (verify_compare(&p->verifier, &again, again.task->count, &check) != DRIVER_OK)
            return;
        int64_t known = check.nan < o->nonfinite ? check.nan : o->nonfinite;
        o->nondeterministic = check.wrong - known;
        o->nondeterminism = check.max_error;
    }
}

/* If the reference wrote nothing, a kernel that writes nothing would pass. */
static bool outputs_are_written(const Problem *p, Diag *d)
{
    bool ok = true;
    for (size_t i = 0; i < p->output_count; i++) {
        const TaskBuffer *b = p->outputs[i].task;
        if (task_scalar_is_float(b->type.scalar) &&
            p->output_facts[i].unwritten == b->count * b->type.lanes)
            ok = diag_fail(d, "the reference writes nothing to the output '%s'", b->name);
    }
    return ok;
}

static void run_once(Problem *p, const ReadyRun *run)
{
    problem_reset(p, RESET_ALL);
    ready_launch(p->driver, run);
    driver_wait(p->driver);
}

static bool run_reference(Problem *p, Arena *a, Diag *d)
{
    ReadyRun run = {0};
    SCOPED_BUF words = {0};
    Outcome status = ready_run(a, p->driver, &p->task.reference, &p->places, &run, &words);
    if (status == OUTCOME_OK) {
        run_once(p, &run);
        keep_outputs(p);
        run_once(p, &run);
        compare_again(p);
        status = launch_status(p->driver, &words);
    }
    ready_end(p->driver, &run);
    if (status != OUTCOME_OK)
        diag_fail(d, "the reference does not run (%s): %s", outcome_name(status), buf_text(&words));
    return status == OUTCOME_OK && outputs_are_written(p, d);
}

/* --- protected regions ------------------------------------------------------------------------ */

static void protect(Problem *p, DriverAddress at, size_t bytes, const char *what)
{
    p->regions[p->region_count++] = (Protected){.at = at, .bytes = bytes, .what = what};
}

/* Of buffers that kernels write, only the guards; the second begins at the next 8-byte word. */
static void protect_buffer(Problem *p, Arena *a, const TaskBuffer *b, DriverAddress at)
{
    if (b->role == TASK_REFERENCE)
        return; /* it will be freed */
    if (b->role == TASK_IN) {
        protect(p, at - guard_of(p), room_of(p, b) / 8 * 8,
                arena_printf(a, "to the input '%s' or beside it", b->name));
        return;
    }
    if (p->task.bare)
        return;
    size_t end = round_up(bytes_of(b), 8);
    protect(p, at - GUARD, GUARD, arena_printf(a, "before the start of '%s'", b->name));
    protect(p, at + end, padded_of(b) - end + GUARD,
            arena_printf(a, "past the end of '%s'", b->name));
}

static void protect_buffers(Problem *p, Arena *a)
{
    for (size_t i = 0; i < p->task.buffer_count; i++) {
        const TaskBuffer *b = &p->task.buffers[i];
        protect_buffer(p, a, b, p->at[i]);
        if (p->start[i])
            protect(p, p->start[i], padded_of(b), "outside all buffers");
    }
}

static void protect_reference(Problem *p)
{
    for (size_t i = 0; i < p->output_count; i++)
        protect(p, p->outputs[i].reference,
                reference_bytes(&p->task, (size_t)p->outputs[i].buffer) / 8 * 8,
                "outside all buffers");
}

static bool driver_failed(const Problem *p, const char *doing, Diag *d)
{
    return diag_fail(d, "%s: %s", doing, driver_error(p->driver));
}

static bool sums_are_made(const Problem *p, Diag *d)
{
    return driver_status(p->driver) == DRIVER_OK ||
           driver_failed(p, "the buffers' checksums cannot be computed", d);
}

static bool sum_protected(Problem *p, Diag *d)
{
    for (size_t i = 0; i < p->region_count; i++)
        verify_checksum(&p->verifier, p->regions[i].at, p->regions[i].bytes, &p->regions[i].sum);
    return sums_are_made(p, d);
}

DriverStatus problem_check(Problem *p, const char **what)
{
    *what = NULL;
    for (size_t i = 0; i < p->region_count; i++) {
        uint64_t sum;
        Protected *x = &p->regions[i];
        if (verify_checksum(&p->verifier, x->at, x->bytes, &sum) != DRIVER_OK)
            break;
        if (sum != x->sum) {
            *what = x->what;
            break;
        }
    }
    return driver_status(p->driver);
}

/* --- opening -------------------------------------------------------------------------------- */

static void list_outputs(Problem *p, Arena *a)
{
    const TaskProblem *t = &p->task;
    p->outputs = ARENA_ARRAY(a, Compared, t->buffer_count);
    p->output_facts = ARENA_ARRAY(a, TaskOutput, t->buffer_count);
    for (size_t i = 0; i < t->buffer_count; i++) {
        const TaskBuffer *b = &t->buffers[i];
        if (is_compared(t, b))
            p->outputs[p->output_count++] =
                (Compared){.buffer = (int)i,
                           .task = b,
                           .scalar = t->buffers[expected_of(b, i)].type.scalar,
                           .poisoned = b->contents.kind == TASK_UNDEFINED};
    }
}

static DriverStatus make_textures(Problem *p, Arena *a)
{
    for (size_t i = 0; i < p->task.texture_count; i++) {
        const TaskTexture *t = &p->task.textures[i];
        driver_texture_new(p->driver, a, t, p->task.buffers[t->buffer].type, p->at[t->buffer],
                           &p->textures[i], &p->handles[i]);
    }
    return driver_wait(p->driver);
}

static void free_reference(Problem *p)
{
    for (size_t i = 0; i < p->task.buffer_count; i++) {
        if (p->task.buffers[i].role != TASK_REFERENCE)
            continue;
        driver_free(p->driver, p->at[i] ? p->at[i] - guard_of(p) : 0);
        p->at[i] = 0;
    }
}

static bool reference_left_clean(Problem *p, Diag *d)
{
    const char *what;
    problem_check(p, &what);
    if (!sums_are_made(p, d))
        return false;
    return !what || diag_fail(d, "the reference wrote %s", what);
}

/* The expected outputs: those of the reference, or given contents. */
static bool find_expected(Problem *p, Arena *a, Diag *d)
{
    if (p->task.reference.launch_count > 0)
        return run_reference(p, a, d) && reference_left_clean(p, d);
    return keep_outputs(p) == DRIVER_OK || driver_failed(p, "the outputs cannot be read", d);
}

bool problem_open(Problem *p, Arena *a, Driver *v, const TaskProblem *task, Diag *d)
{
    *p = (Problem){.driver = v,
                   .task = *task,
                   .at = ARENA_ARRAY(a, DriverAddress, task->buffer_count),
                   .start = ARENA_ARRAY(a, DriverAddress, task->buffer_count),
                   .textures = ARENA_ARRAY(a, DriverTexture *, task->texture_count),
                   .handles = ARENA_ARRAY(a, uint64_t, task->texture_count)};
    driver_clear_error(v);
    p->places = (Places){p->at, p->handles, task->buffers};
    list_outputs(p, a);
    if (verify_open(&p->verifier, v, &task->checking) != DRIVER_OK)
        return driver_failed(p, "the checking kernels cannot be loaded", d);
    if (!allocate(p, d))
        return false;
    for (size_t i = 0; i < p->output_count; i++)
        p->outputs[i].at = p->at[p->outputs[i].buffer];
    for (size_t i = 0; i < task->buffer_count; i++)
        if (fill_buffer(p, i) != DRIVER_OK)
            return driver_failed(p, "the buffers cannot be filled", d);
    if (make_textures(p, a) != DRIVER_OK)
        return driver_failed(p, "the textures cannot be made", d);
    p->regions = ARENA_ARRAY(a, Protected, 3 * task->buffer_count + p->output_count);
    protect_buffers(p, a);
    if (!sum_protected(p, d))
        return false;
    if (p->output_count == 0)
        return true;
    if (!find_expected(p, a, d))
        return false;
    free_reference(p);
    protect_reference(p);
    return sum_protected(p, d);
}

void problem_close(Problem *p)
{
    if (!p->driver)
        return;
    for (size_t i = 0; i < p->task.buffer_count; i++) {
        driver_free(p->driver, p->at[i] ? p->at[i] - guard_of(p) : 0);
        driver_free(p->driver, p->start[i]);
    }
    for (size_t i = 0; i < p->output_count; i++)
        driver_free(p->driver, p->outputs[i].reference);
    for (size_t i = 0; i < p->task.texture_count; i++)
        driver_texture_free(p->driver, p->textures[i]);
    verify_close(&p->verifier);
    *p = (Problem){0};
}

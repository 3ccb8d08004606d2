#include "problem.h"

#include "tuner/spec/contents.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The kernels' results, with the layout of tuner/gpu/compare.cu. */
typedef struct Part {
    double squares;
    double max;
    uint64_t finite;
    uint64_t nonfinite;
    uint64_t unwritten;
} Part;

typedef struct Finding {
    uint64_t wrong;
    uint64_t nan;
    uint64_t unwritten;
    uint64_t first;
    uint64_t error;
} Finding;

enum { LANES = 4 };

typedef struct Sums {
    double sum[LANES];
    uint64_t nan;
    uint64_t unwritten;
} Sums;

static_assert(sizeof(Part) == 40 && sizeof(Finding) == 40 && sizeof(Sums) == 48,
              "as in compare.cu");

/* Enough blocks for any device, or as many as have work.  Independent of the device, so that sums have the
 * same order everywhere. */
enum { BLOCKS = 1024, THREADS = 256 };

static int blocks_of(uint64_t count)
{
    return count > (BLOCKS - 1) * THREADS ? BLOCKS
                                          : (int)((count + THREADS - 1) / THREADS) + !count;
}

DriverStatus verify_open(Verifier *v, Driver *driver, const TaskModule *module)
{
    *v = (Verifier){.driver = driver};
    driver_load(driver, module->cubin, &v->module);
    driver_function(driver, v->module, "aptune_scale", &v->scale);
    driver_function(driver, v->module, "aptune_compare", &v->compare);
    driver_function(driver, v->module, "aptune_sum", &v->sum);
    driver_function(driver, v->module, "aptune_checksum", &v->checksum);
    return driver_alloc(driver, BLOCKS * sizeof(Sums), &v->room);
}

void verify_close(Verifier *v)
{
    if (!v->driver)
        return;
    driver_free(v->driver, v->room);
    driver_unload(v->driver, v->module);
    *v = (Verifier){0};
}

static DriverStatus launch(Verifier *v, DriverFunction *f, uint64_t count, void **arguments)
{
    return driver_launch(v->driver, f, (int64_t[]){blocks_of(count), 1, 1},
                         (int64_t[]){THREADS, 1, 1}, 0, false, arguments);
}

/* Launches a kernel that gives one part of `size` bytes per block, and downloads the parts. */
static DriverStatus run_parts(Verifier *v, DriverFunction *f, uint64_t count, void **arguments,
                              void *parts, size_t size)
{
    launch(v, f, count, arguments);
    return driver_download(v->driver, parts, v->room, (size_t)blocks_of(count) * size);
}

static uint64_t scalars_of(const TaskBuffer *b)
{
    return (uint64_t)b->count * (uint64_t)b->type.lanes;
}

/* --- sums ----------------------------------------------------------------------------------- */

/* Sums each lane of the first `elements`, adding the blocks' parts in order. */
static DriverStatus add_up(Verifier *v, const Compared *c, DriverAddress at, TaskScalar scalar,
                           int64_t elements, Sums *all)
{
    uint64_t count = (uint64_t)elements * (uint64_t)c->task->type.lanes;
    int kind = (int)scalar, lanes = c->task->type.lanes, poisoned = c->poisoned;
    void *arguments[] = {&at, &count, &kind, &lanes, &poisoned, &v->room};
    Sums parts[BLOCKS];
    const int blocks = blocks_of(count);
    *all = (Sums){0};
    DriverStatus s = run_parts(v, v->sum, count, arguments, parts, sizeof parts[0]);
    for (int i = 0; s == DRIVER_OK && i < blocks; i++) {
        for (int lane = 0; lane < LANES; lane++)
            all->sum[lane] += parts[i].sum[lane];
        all->nan += parts[i].nan;
        all->unwritten += parts[i].unwritten;
    }
    return s;
}

/* Root mean square and largest magnitude of the lanes' sums. */
static void size_of_sums(const Compared *c, double *rms, double *max)
{
    double squares = 0;
    *max = 0;
    for (int lane = 0; lane < c->task->type.lanes; lane++) {
        squares += c->sums[lane] * c->sums[lane];
        *max = fmax(*max, fabs(c->sums[lane]));
    }
    *rms = sqrt(squares / c->task->type.lanes);
}

static void compare_lane(const Compared *c, int lane, double got, TrialCheck *check)
{
    const TaskTolerance *t = &c->task->tolerance;
    double expected = c->sums[lane], error = fabs(got - expected);
    double limit = t->absolute + t->relative * (c->scale < 0 ? fabs(expected) : c->scale);
    if (error > check->max_error)
        check->max_error = error;
    if (error <= limit && isfinite(got) && isfinite(expected))
        return;
    if (check->wrong++ > 0)
        return;
    check->first = lane;
    check->got = got;
    check->expected = expected;
}

static DriverStatus compare_sums(Verifier *v, const Compared *c, int64_t elements,
                                 TrialCheck *check)
{
    Sums all;
    *check = (TrialCheck){.buffer = c->buffer, .first = -1, .scale = c->scale};
    DriverStatus s = add_up(v, c, c->at, c->task->type.scalar, elements, &all);
    for (int lane = 0; s == DRIVER_OK && lane < c->task->type.lanes; lane++)
        compare_lane(c, lane, all.sum[lane], check);
    check->nan = (int64_t)all.nan;
    check->unwritten = (int64_t)all.unwritten;
    bool gaps = (int64_t)all.unwritten > c->gaps && task_scalar_is_float(c->task->type.scalar);
    if (gaps && check->wrong == 0) { /* the sum may still be right by chance */
        check->wrong = (int64_t)all.unwritten;
        check->first = 0;
        check->got = all.sum[0];
        check->expected = c->sums[0];
    }
    return s;
}

/* --- elements ------------------------------------------------------------------------------- */

static DriverStatus find_scale(Verifier *v, Compared *c, const TaskOutput *out)
{
    double rms = out->rms, max = out->max;
    if (c->task->tolerance.sum) {
        Sums all;
        DriverStatus s = add_up(v, c, c->reference, c->scalar, c->task->count, &all);
        if (s)
            return s;
        memcpy(c->sums, all.sum, sizeof c->sums);
        size_of_sums(c, &rms, &max);
    }
    const TaskScale kind = c->task->tolerance.scale;
    c->scale = kind == TASK_SCALE_RMS ? rms : kind == TASK_SCALE_MAX ? max : -1;
    return DRIVER_OK;
}

DriverStatus verify_scale(Verifier *v, Compared *c, TaskOutput *out)
{
    uint64_t count = scalars_of(c->task);
    int scalar = (int)c->scalar, poisoned = c->poisoned;
    void *arguments[] = {&c->reference, &count, &scalar, &poisoned, &v->room};
    Part parts[BLOCKS];
    const int blocks = blocks_of(count);
    DriverStatus s = run_parts(v, v->scale, count, arguments, parts, sizeof parts[0]);
    if (s)
        return s;
    Part all = {0};
    for (int i = 0; i < blocks; i++) {
        all.squares += parts[i].squares;
        all.max = fmax(all.max, parts[i].max);
        all.finite += parts[i].finite;
        all.nonfinite += parts[i].nonfinite;
        all.unwritten += parts[i].unwritten;
    }
    double rms = all.finite ? sqrt(all.squares / (double)all.finite) : 0;
    *out = (TaskOutput){.buffer = c->buffer,
                        .rms = isfinite(rms) ? rms : all.max, /* the squares overflowed */
                        .max = all.max,
                        .nonfinite = (int64_t)all.nonfinite,
                        .unwritten = (int64_t)all.unwritten};
    return find_scale(v, c, out);
}

static DriverStatus value_at(Verifier *v, TaskScalar scalar, DriverAddress base, uint64_t i,
                             double *value)
{
    unsigned char bytes[8];
    size_t size = task_scalar_size(scalar);
    DriverStatus s = driver_download(v->driver, bytes, base + i * size, size);
    if (!s)
        *value = contents_value(scalar, bytes);
    return s;
}

static DriverStatus compare_elements(Verifier *v, const Compared *c, int64_t elements,
                                     TrialCheck *check)
{
    Finding f = {.first = UINT64_MAX};
    Compared x = *c; /* the driver takes non-const addresses */
    uint64_t count = (uint64_t)elements * (uint64_t)c->task->type.lanes;
    int scalar = (int)c->task->type.scalar, kind = (int)c->scalar, poisoned = c->poisoned;
    double absolute = c->task->tolerance.absolute, relative = c->task->tolerance.relative;
    void *arguments[] = {&x.at,     &x.reference, &count,    &scalar,  &kind,
                         &poisoned, &absolute,    &relative, &x.scale, &v->room};
    driver_upload(v->driver, v->room, &f, sizeof f);
    launch(v, v->compare, count, arguments);
    DriverStatus s = driver_download(v->driver, &f, v->room, sizeof f);
    if (s)
        return s;
    *check = (TrialCheck){.buffer = c->buffer,
                          .wrong = (int64_t)f.wrong,
                          .nan = (int64_t)f.nan,
                          .unwritten = (int64_t)f.unwritten,
                          .first = (int64_t)f.first, /* all bits set is −1 */
                          .scale = c->scale};
    memcpy(&check->max_error, &f.error, sizeof f.error);
    if (check->wrong <= c->task->tolerance.except)
        check->wrong = 0;
    if (check->wrong == 0)
        return DRIVER_OK;
    value_at(v, c->task->type.scalar, c->at, f.first, &check->got);
    return value_at(v, c->scalar, c->reference, f.first, &check->expected);
}

DriverStatus verify_compare(Verifier *v, const Compared *c, int64_t elements, TrialCheck *check)
{
    return c->task->tolerance.sum ? compare_sums(v, c, elements, check)
                                  : compare_elements(v, c, elements, check);
}

/* A value with enough digits for its type; the poison means that nothing was written. */
static void print_value(const Compared *c, double v, Buf *out)
{
    bool narrow = task_scalar_is_float(c->task->type.scalar) && c->task->type.scalar != TASK_DOUBLE;
    /* NaNs of the GPU's arithmetic are positive; only the poison is negative. */
    if (isnan(v) && signbit(v) && c->poisoned)
        buf_puts(out, "nothing written");
    else
        buf_printf(out, "%.*g", narrow ? 9 : 17, v);
}

void verify_explain(const Compared *c, const TrialCheck *check, Buf *words)
{
    if (c->task->tolerance.sum)
        buf_printf(words, "%s: the sum is wrong", c->task->name);
    else
        buf_printf(words, "%s: %" PRId64 " of %" PRIu64 " elements wrong", c->task->name,
                   check->wrong, scalars_of(c->task));
    if (c->task->tolerance.except)
        buf_printf(words, " (%" PRId64 " may be)", c->task->tolerance.except);
    if (check->unwritten)
        buf_printf(words, ", %" PRId64 " of them not written", check->unwritten);
    if (check->nan)
        buf_printf(words, ", %" PRId64 " of them NaN", check->nan);
    if (c->task->tolerance.sum)
        buf_puts(words, ": ");
    else
        buf_printf(words, "; the first at %" PRId64 ": ", check->first);
    print_value(c, check->got, words);
    buf_puts(words, " instead of ");
    print_value(c, check->expected, words);
    if (check->max_error <= 0)
        return;
    buf_printf(words, "; largest error %.3g", check->max_error);
    if (check->scale > 0)
        buf_printf(words, " = %.3g of the output's scale", check->max_error / check->scale);
}

DriverStatus verify_checksum(Verifier *v, DriverAddress p, size_t bytes, uint64_t *sum)
{
    uint64_t words = bytes / 8;
    void *arguments[] = {&p, &words, &v->room};
    driver_set_bytes(v->driver, v->room, 0, sizeof *sum);
    launch(v, v->checksum, words, arguments);
    return driver_download(v->driver, sum, v->room, sizeof *sum);
}

DriverStatus verify_touch(Verifier *v, DriverAddress p, size_t bytes)
{
    uint64_t words = bytes / 8;
    void *arguments[] = {&p, &words, &v->room};
    return launch(v, v->checksum, words, arguments);
}

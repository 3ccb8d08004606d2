#include "verify.h"

#include "tuner/measure/contents.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The kernels' results, laid out as in measure/compare.cu. */
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

static_assert(sizeof(Part) == 40 && sizeof(Finding) == 40, "as in compare.cu");

/* Blocks enough for any device; the same number everywhere, so that sums are formed in the same
 * order everywhere. */
enum { BLOCKS = 1024, THREADS = 256 };

DriverStatus verify_open(Verifier *v, Driver *driver, const TaskModule *module)
{
    *v = (Verifier){.driver = driver};
    DriverStatus s = driver_load(driver, module->cubin, &v->module);
    if (!s)
        s = driver_function(driver, v->module, "aptune_scale", &v->scale);
    if (!s)
        s = driver_function(driver, v->module, "aptune_compare", &v->compare);
    if (!s)
        s = driver_function(driver, v->module, "aptune_checksum", &v->checksum);
    if (!s)
        s = driver_alloc(driver, BLOCKS * sizeof(Part), &v->room);
    return s;
}

void verify_close(Verifier *v)
{
    if (!v->driver)
        return;
    driver_free(v->driver, v->room);
    driver_unload(v->driver, v->module);
    *v = (Verifier){0};
}

static DriverStatus launch(Verifier *v, DriverFunction *f, void **arguments)
{
    return driver_launch(v->driver, f, (int64_t[]){BLOCKS, 1, 1}, (int64_t[]){THREADS, 1, 1}, 0,
                         arguments);
}

static uint64_t scalars_of(const TaskBuffer *b)
{
    return (uint64_t)b->count * (uint64_t)b->type.lanes;
}

static double scale_of(const TaskBuffer *b, const TaskOutput *o)
{
    switch (b->tolerance.scale) {
    case TASK_SCALE_RMS:
        return o->rms;
    case TASK_SCALE_MAX:
        return o->max;
    case TASK_SCALE_ELEMENT:
        break;
    }
    return -1;
}

DriverStatus verify_scale(Verifier *v, Compared *c, TaskOutput *out)
{
    uint64_t count = scalars_of(c->task);
    int scalar = (int)c->task->type.scalar, poisoned = c->poisoned;
    void *arguments[] = {&c->reference, &count, &scalar, &poisoned, &v->room};
    Part parts[BLOCKS];
    DriverStatus s = launch(v, v->scale, arguments);
    if (!s)
        s = driver_download(v->driver, parts, v->room, sizeof parts);
    if (s)
        return s;
    Part all = {0};
    for (int i = 0; i < BLOCKS; i++) {
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
    c->scale = scale_of(c->task, out);
    return DRIVER_OK;
}

static DriverStatus value_at(Verifier *v, const Compared *c, DriverAddress base, uint64_t i,
                             double *value)
{
    unsigned char bytes[8];
    size_t size = task_scalar_size(c->task->type.scalar);
    DriverStatus s = driver_download(v->driver, bytes, base + i * size, size);
    if (!s)
        *value = contents_value(c->task->type.scalar, bytes);
    return s;
}

DriverStatus verify_compare(Verifier *v, const Compared *c, TrialCheck *check)
{
    Finding f = {.first = UINT64_MAX};
    Compared x = *c; /* the driver takes addresses of values that it does not change */
    uint64_t count = scalars_of(c->task);
    int scalar = (int)c->task->type.scalar, poisoned = c->poisoned;
    double absolute = c->task->tolerance.absolute, relative = c->task->tolerance.relative;
    void *arguments[] = {&x.at,     &x.reference, &count,   &scalar, &poisoned,
                         &absolute, &relative,    &x.scale, &v->room};
    DriverStatus s = driver_upload(v->driver, v->room, &f, sizeof f);
    if (!s)
        s = launch(v, v->compare, arguments);
    if (!s)
        s = driver_download(v->driver, &f, v->room, sizeof f);
    if (s)
        return s;
    *check = (TrialCheck){.buffer = c->buffer,
                          .wrong = (int64_t)f.wrong,
                          .nan = (int64_t)f.nan,
                          .unwritten = (int64_t)f.unwritten,
                          .first = (int64_t)f.first, /* all bits set is −1 */
                          .scale = c->scale};
    memcpy(&check->max_error, &f.error, sizeof f.error);
    if (f.wrong == 0)
        return DRIVER_OK;
    s = value_at(v, c, c->at, f.first, &check->got);
    return s ? s : value_at(v, c, c->reference, f.first, &check->expected);
}

/* A value with as many digits as tell its type's values apart; the poison is no value. */
static void print_value(const Compared *c, double v, Buf *out)
{
    bool narrow = c->task->type.scalar == TASK_HALF || c->task->type.scalar == TASK_FLOAT;
    /* Only the poison has the sign: the NaNs of the GPU's arithmetic are positive. */
    if (isnan(v) && signbit(v) && c->poisoned)
        buf_puts(out, "nothing written");
    else
        buf_printf(out, "%.*g", narrow ? 9 : 17, v);
}

void verify_explain(const Compared *c, const TrialCheck *check, Buf *words)
{
    buf_printf(words, "%s: %" PRId64 " of %" PRIu64 " elements wrong", c->task->name, check->wrong,
               scalars_of(c->task));
    if (check->unwritten)
        buf_printf(words, ", %" PRId64 " of them not written", check->unwritten);
    if (check->nan)
        buf_printf(words, ", %" PRId64 " of them NaN", check->nan);
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
    DriverStatus s = driver_set_bytes(v->driver, v->room, 0, sizeof *sum);
    if (!s)
        s = launch(v, v->checksum, arguments);
    return s ? s : driver_download(v->driver, sum, v->room, sizeof *sum);
}

DriverStatus verify_touch(Verifier *v, DriverAddress p, size_t bytes)
{
    uint64_t words = bytes / 8;
    void *arguments[] = {&p, &words, &v->room};
    return launch(v, v->checksum, arguments);
}

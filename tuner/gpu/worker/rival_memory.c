/* The driver's copy from device to device as a rival: how fast bytes can be moved. */
#include "rival.h"

#include <stdio.h>
#include <string.h>

typedef struct Copy {
    Driver *driver;
    DriverAddress to, from;
    size_t bytes;
} Copy;

static int run(AptuneRival *r)
{
    const Copy *c = r->state;
    if (driver_copy(c->driver, c->to, c->from, c->bytes) == DRIVER_OK)
        return 0;
    snprintf(r->error, sizeof r->error, "%s", driver_words(c->driver));
    return 1;
}

static size_t bytes_of(const AptuneRivalArgument *x)
{
    TaskType t;
    return task_type_find(x->type, &t) ? (size_t)x->count * task_type_size(t) : 0;
}

static int refuse(AptuneRival *r, const char *why)
{
    snprintf(r->error, sizeof r->error, "%s", why);
    return 1;
}

int rival_memory(Arena *a, Driver *v, const AptuneRivalCall *call, AptuneRival *out)
{
    const AptuneRivalArgument *x = call->arguments;
    if (strcmp(call->name, "copy") != 0)
        return refuse(out, "'memory' has no call but 'copy'");
    if (call->argument_count != 2 || !x[0].buffer || !x[1].buffer)
        return refuse(out, "'memory copy' takes two buffers: where to, and from where");
    if (bytes_of(&x[0]) != bytes_of(&x[1]))
        return refuse(out, "'memory copy' takes two buffers of the same size");
    Copy *c = ARENA_NEW(a, Copy);
    *c = (Copy){.driver = v,
                .to = (DriverAddress)(uintptr_t)x[0].buffer,
                .from = (DriverAddress)(uintptr_t)x[1].buffer,
                .bytes = bytes_of(&x[0])};
    out->state = c;
    out->run = run;
    snprintf(out->title, sizeof out->title, "a copy by the driver");
    snprintf(out->details, sizeof out->details, "cuMemcpyDtoDAsync, %zu bytes", c->bytes);
    return 0;
}

#include "launch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int rival_refuse(AptuneRival *r, const char *why, ...)
{
    va_list args;
    va_start(args, why);
    vsnprintf(r->error, sizeof r->error, why, args);
    va_end(args);
    return 1;
}

/* --- plugins ---------------------------------------------------------------------------------- */

/* *found is false if the plugin cannot be opened or is none.  It stays open, since its work on the device
 * may outlive the call. */
static int rival_plugin(const char *path, const AptuneRivalCall *call, AptuneRival *out,
                        bool *found)
{
    int (*open)(const AptuneRivalCall *, AptuneRival *);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *found = library != NULL;
    if (!library)
        return rival_refuse(out, "%s", dlerror());
    /* dlsym returns an object pointer, which POSIX lets one store as a function pointer. */
    *(void **)&open = dlsym(library, "aptune_rival");
    *found = open != NULL;
    if (!open)
        return rival_refuse(out, "'%s' is not a rival: it has no function aptune_rival", path);
    return open(call, out);
}

/* --- the driver's copy from device to device -------------------------------------------------- */

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
    return rival_refuse(r, "%s", driver_error(c->driver));
}

static size_t bytes_of(const AptuneRivalArgument *x)
{
    TaskType t;
    return task_type_find(x->type, &t) ? (size_t)x->count * task_type_size(t) : 0;
}

static int rival_memory(Arena *a, Driver *v, const AptuneRivalCall *call, AptuneRival *out)
{
    const AptuneRivalArgument *x = call->arguments;
    if (strcmp(call->name, "copy") != 0)
        return rival_refuse(out, "'memory' has only the call 'copy'");
    if (call->argument_count != 2 || !x[0].buffer || !x[1].buffer)
        return rival_refuse(out, "'memory copy' takes two buffers: the destination and the source");
    if (bytes_of(&x[0]) != bytes_of(&x[1]))
        return rival_refuse(out, "'memory copy' takes two buffers of the same size");
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

/* --- opening ---------------------------------------------------------------------------------- */

static AptuneRivalArgument argument_of(Arena *a, const TaskRivalArgument *x, const Places *places)
{
    AptuneRivalArgument out = {.name = x->name, .integer = x->integer, .real = x->number};
    Buf type = {0};
    if (x->buffer < 0 && x->real)
        out.integer = (long long)x->number;
    if (x->buffer < 0)
        return out;
    task_type_print(places->buffer[x->buffer].type, &type);
    out.type = buf_keep(&type, a);
    out.buffer = (void *)(uintptr_t)places->buffers[x->buffer];
    out.count = (long long)places->buffer[x->buffer].count;
    return out;
}

static AptuneRivalCall *call_of(Arena *a, Driver *v, const TaskRival *task, const Places *places)
{
    AptuneRivalArgument *arguments = ARENA_ARRAY(a, AptuneRivalArgument, task->argument_count);
    for (size_t i = 0; i < task->argument_count; i++)
        arguments[i] = argument_of(a, &task->arguments[i], places);
    AptuneRivalCall *call = ARENA_NEW(a, AptuneRivalCall);
    *call = (AptuneRivalCall){.version = APTUNE_RIVAL_VERSION,
                              .name = task->call,
                              .arguments = arguments,
                              .argument_count = (int)task->argument_count,
                              .stream = driver_stream(v)};
    return call;
}

Outcome rival_open(Arena *a, Driver *v, const TaskRival *task, const Places *places,
                   AptuneRival **out, Buf *words)
{
    AptuneRival *r = ARENA_NEW(a, AptuneRival);
    const AptuneRivalCall *call = call_of(a, v, task, places);
    bool found = true;
    int failed;
    *r = (AptuneRival){0};
    if (strcmp(task->library, "memory") == 0)
        failed = rival_memory(a, v, call, r);
    else if (strcmp(task->library, "cublas") == 0)
        failed = rival_cublas(a, call, r, &found);
    else
        failed = rival_plugin(task->library, call, r, &found);
    r->title[sizeof r->title - 1] = r->details[sizeof r->details - 1] = '\0';
    r->error[sizeof r->error - 1] = '\0';
    if (!failed && r->run) {
        *out = r;
        return OUTCOME_OK;
    }
    if (!failed)
        buf_puts(words, "the library names nothing to run");
    else
        buf_puts(words, *r->error ? r->error : "the library gives no reason");
    return found ? OUTCOME_LAUNCH_FAILED : OUTCOME_LOAD_FAILED;
}

void rival_end(AptuneRival *r)
{
    if (r && r->end)
        r->end(r);
}

DriverStatus rival_run(Driver *v, AptuneRival *r)
{
    if (r->run(r) == 0)
        return DRIVER_OK;
    r->error[sizeof r->error - 1] = '\0';
    driver_wait(v); /* the library may not report what broke the context */
    driver_clear_error(v);
    return driver_fail(v, *r->error ? r->error : "the library gives no reason");
}

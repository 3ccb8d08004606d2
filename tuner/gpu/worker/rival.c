#include "rival.h"

#include <string.h>

/* The type of a buffer's elements as rivals see it. */
static const char *type_name(Arena *a, TaskType t)
{
    Buf b = {0};
    task_type_print(t, &b);
    const char *name = arena_string(a, buf_text(&b));
    buf_free(&b);
    return name;
}

static AptuneRivalArgument argument_of(Arena *a, const TaskRivalArgument *x, const Places *places)
{
    AptuneRivalArgument out = {.name = x->name, .integer = x->integer, .real = x->number};
    if (x->buffer < 0) {
        if (x->real)
            out.integer = (long long)x->number;
        return out;
    }
    out.type = type_name(a, places->buffer[x->buffer].type);
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
    DriverStatus s = driver_wait(v); /* the library need not tell what broke the context */
    if (s == DRIVER_FAULT || s == DRIVER_LOST)
        return s;
    return driver_refuse(v, *r->error ? r->error : "the library gives no reason");
}

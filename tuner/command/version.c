#include "tuner/command/version.h"

#include "commit.h" /* made by the build: APTUNE_COMMIT */
#include "metrics/base/file.h"
#include "tuner/compile/worker.h"
#include "tuner/library/where.h"

#include <jansson.h>
#include <stdlib.h>

/* Seconds for a helper to say hello: a library of 100 MB may have to come from a slow disk. */
static const double HELLO_SECONDS = 10;

static void print_field(Buf *out, const char *name, const char *value)
{
    buf_printf(out, "  %-9s %s\n", name, value);
}

/* What the compile helper said first; NULL with a message when it said nothing. */
static const json_t *read_hello(Worker *w, WireMessage *m, Diag *d)
{
    if (wire_receive(&w->in, m, HELLO_SECONDS) == WIRE_OK)
        return m->header;
    diag_fail(d, "aptune-compile said nothing");
    return NULL;
}

/* "NVRTC 13.0, /usr/local/cuda/lib64/libnvrtc.so.13", or why there is none. */
static const char *describe_compiler(Arena *a, const json_t *hello)
{
    const char *version = json_string_value(json_object_get(hello, "version"));
    const char *library = json_string_value(json_object_get(hello, "library"));
    const char *error = json_string_value(json_object_get(hello, "error"));
    if (version && library)
        return arena_printf(a, "NVRTC %s, %s", version, library);
    return arena_printf(a, "none: %s", error ? error : "aptune-compile did not say why");
}

/* The folder of a file, without detours. */
static void print_folder(Buf *out, Arena *a, const char *name, const char *file)
{
    char *folder = realpath(path_folder(a, file), NULL);
    print_field(out, name, folder ? folder : "not found");
    free(folder);
}

static const char *find_compiler(Arena *a)
{
    Diag d = diag_new(a);
    Worker w = {0};
    WireMessage m = {0};
    const char *text = NULL;
    if (worker_start(&w, where_helper(a, NULL, "aptune-compile"), where_data(a, NULL, ".cuda"),
                     HELLO_SECONDS, 0, &d)) {
        const json_t *hello = read_hello(&w, &m, &d);
        text = hello ? describe_compiler(a, hello) : NULL;
        wire_message_free(&m);
        worker_stop(&w);
    }
    return text ? text : arena_printf(a, "none: %s", d.messages.at[0].text);
}

void version_print(Buf *out)
{
    Arena *a = arena_new();
    buf_puts(out, "aptune " APTUNE_VERSION "\n");
    if (*APTUNE_COMMIT)
        print_field(out, "commit", APTUNE_COMMIT);
    print_field(out, "built", APTUNE_BUILD ", headers of CUDA " APTUNE_CUDA_HEADERS);
    print_field(out, "compiler", find_compiler(a));
    print_folder(out, a, "helpers", where_helper(a, NULL, "aptune-compile"));
    print_folder(out, a, "metrics", where_data(a, NULL, "metrics/cycles.metrics"));
    arena_free(a);
}

/* aptune-compile: compiles what comes in on its socket, descriptor 0, until that closes.
 *
 *     aptune-compile [folder of a toolkit]
 *
 * Says hello first:    {"helper": "aptune-compile", "protocol": 1, "version": "13.0",
 *                       "library": file, "missing": [files looked for in vain]}
 *                  or  {"helper": ..., "protocol": 1, "error": why there is no compiler}
 * Then each request    {"id": n}  blobs: name, source, options, name expressions
 * gets one reply       {"id": n, "ok": bool, "lasting": bool, "seconds": s, "lowered": [names]}
 *                      blobs: log, PTX, cubin
 *
 * The farm (tuner/compile/farm.h) is the other side. */
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "tuner/compile/protocol.h"
#include "tuner/wire/process.h"
#include "tuner/wire/wire.h"
#include "tuner/workers/compile/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* NVRTC_* variables add options and locks behind our back. */
static void clear_environment(void)
{
    for (size_t i = 0; environ[i];) {
        char name[64];
        size_t length = strcspn(environ[i], "=");
        if (strncmp(environ[i], "NVRTC_", 6) != 0 || length >= sizeof name) {
            i++;
            continue;
        }
        memcpy(name, environ[i], length);
        name[length] = '\0';
        unsetenv(name); /* closes the gap in environ */
    }
}

/* What went wrong first. */
static const char *diag_text(Arena *a, const Diag *d)
{
    return d->messages.count ? d->messages.at[0].text : arena_string(a, "unknown reason");
}

static bool say_hello(Arena *a, const Nvrtc *n, const NvrtcSearch *search, Diag *d)
{
    json_t *missing = json_array();
    for (size_t i = 0; i < search->missing_count; i++)
        json_array_append_new(missing, json_string(search->missing[i]));
    json_t *hello = json_pack("{s:s, s:i, s:o}", "helper", "aptune-compile", "protocol",
                              COMPILE_PROTOCOL, "missing", missing);
    if (n) {
        json_object_set_new(hello, "version", json_string(nvrtc_version(n)));
        json_object_set_new(hello, "library", json_string(search->library));
    } else {
        json_object_set_new(hello, "error", json_string(diag_text(a, d)));
    }
    bool ok = wire_send(PROCESS_WIRE, hello, NULL, 0, d);
    json_decref(hello);
    return ok;
}

/* A blob as text: zero bytes inside would end it early, as they would for the compiler. */
static const char *blob_text(Arena *a, Blob b)
{
    return arena_copy(a, b.bytes, b.size);
}

static bool read_request(Arena *a, const WireMessage *m, NvrtcRequest *request, Diag *d)
{
    const char **options, **names;
    if (m->blob_count != COMPILE_REQUEST_BLOBS ||
        !wire_unpack_texts(a, m->blob[COMPILE_OPTIONS], &options, &request->option_count) ||
        !wire_unpack_texts(a, m->blob[COMPILE_NAMES], &names, &request->name_count))
        return diag_fail(d, "a request is malformed");
    request->name = blob_text(a, m->blob[COMPILE_NAME]);
    request->source = blob_text(a, m->blob[COMPILE_SOURCE]);
    request->options = options;
    request->names = names;
    return true;
}

static bool send_reply(json_t *id, const NvrtcRequest *request, const NvrtcResult *r,
                       double seconds, Diag *d)
{
    json_t *lowered = json_array();
    for (size_t i = 0; r->ok && i < request->name_count; i++)
        json_array_append_new(lowered, json_string(r->lowered[i]));
    json_t *header = json_pack("{s:O, s:b, s:b, s:f, s:o}", "id", id, "ok", r->ok, "lasting",
                               r->lasting, "seconds", seconds, "lowered", lowered);
    const Blob blobs[COMPILE_REPLY_BLOBS] = {
        [COMPILE_LOG] = {r->log, strlen(r->log)},
        [COMPILE_PTX] = {r->ptx, r->ptx_size},
        [COMPILE_CUBIN] = {r->cubin, r->cubin_size},
    };
    bool ok = header && wire_send(PROCESS_WIRE, header, blobs, COMPILE_REPLY_BLOBS, d);
    json_decref(header);
    return ok;
}

static bool serve(Arena *a, Nvrtc *n, const WireMessage *m, Diag *d)
{
    NvrtcRequest request = {0};
    json_t *id = json_object_get(m->header, "id");
    if (!id || !read_request(a, m, &request, d))
        return false;
    double start = clock_seconds();
    NvrtcResult result;
    nvrtc_compile(a, n, &request, &result);
    return send_reply(id, &request, &result, clock_seconds() - start, d);
}

/* Until the other side closes, which is the ordinary end. */
static bool serve_all(Nvrtc *n, Diag *d)
{
    WireReader reader = wire_reader(PROCESS_WIRE);
    Arena *a = arena_new();
    bool ok = true;
    while (ok) {
        WireMessage m;
        WireStatus s = wire_receive(&reader, &m, WIRE_FOREVER);
        if (s != WIRE_OK) {
            ok = s == WIRE_END || diag_fail(d, "what came from aptune is no message");
            break;
        }
        ok = serve(a, n, &m, d);
        wire_message_free(&m);
        arena_reset(a);
    }
    arena_free(a);
    wire_reader_free(&reader);
    return ok;
}

int main(int argc, char **argv)
{
    if (isatty(PROCESS_WIRE)) {
        fputs("aptune-compile " APTUNE_VERSION ": a helper of aptune, not to be run by hand\n",
              stderr);
        return 2;
    }
    process_become_helper();
    clear_environment();
    Arena *a = arena_new();
    Diag d = diag_new(a);
    NvrtcSearch search;
    Nvrtc *n = nvrtc_open(a, argc > 1 ? argv[1] : NULL, &search, &d);
    /* With -lineinfo the compiler writes the folder it runs in into PTX and cubin, before the name
     * of the source.  (Files found along -I still appear there by their folders.) */
    bool ok = chdir("/") == 0 && say_hello(a, n, &search, &d) && n && serve_all(n, &d);
    if (!ok)
        fprintf(stderr, "aptune-compile: %s\n", diag_text(a, &d));
    arena_free(a);
    return ok ? 0 : 1;
}

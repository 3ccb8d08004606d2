/* aptune-compile: compiles what comes in on its socket, descriptor 0, until that closes.
 *
 *     aptune-compile [folder of a toolkit]
 *
 * Says hello first:    {"helper": "aptune-compile", "protocol": n, "version": "13.0",
 *                       "library": file, "missing": [files looked for in vain]}
 *                  or  {"helper": ..., "protocol": n, "error": why there is no compiler}
 * Then each request    {"id": n, "profile": what is to be profiled, if anything}
 *                      blobs: name, source, options, name expressions, headers by
 *                      name, parameters of launches, and PTX and cubin where these are known
 * already: then there are lowered names for expressions gets a reply         {"id": n, "ok": bool,
 * "lasting": bool, "seconds": s, "cpu": s, "lowered": [names]} blobs: log, PTX, cubin unless it
 * came with a cubin, and a profile        {"id": n, "code": hash, "profiles": [...], "seconds": s,
 * "cpu": s} blob: numbers (tuner/compile/profiling.h) if it asks for one and there is code.
 *
 * The farm (tuner/compile/farm.h) is the other side. */
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/process.h"
#include "metrics/base/wire.h"
#include "tuner/compile/data.h"
#include "tuner/compile/profiling.h"
#include "tuner/compile/result.h"
#include "tuner/compile/worker/nvrtc.h"

#include <malloc.h>
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

static bool say_hello(const Nvrtc *n, const NvrtcSearch *search, Diag *d)
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
        json_object_set_new(hello, "error", json_string(diag_first(d)));
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

/* What is asked for. */
typedef struct Request {
    json_t *id; /* the message's */
    NvrtcRequest compile;
    const char **names; /* its name expressions */
    bool wants_profile;
    ProfileJob profile;
} Request;

static bool read_request(Arena *a, const WireMessage *m, Request *r, Diag *d)
{
    const char **options;
    size_t headers;
    const json_t *profile = json_object_get(m->header, "profile");
    r->id = json_object_get(m->header, "id");
    r->wants_profile = profile != NULL;
    if (!r->id || m->blob_count != COMPILE_REQUEST_BLOBS ||
        !wire_unpack_texts(a, m->blob[COMPILE_OPTIONS], &options, &r->compile.option_count) ||
        !wire_unpack_texts(a, m->blob[COMPILE_NAMES], &r->names, &r->compile.name_count) ||
        !wire_unpack_texts(a, m->blob[COMPILE_HEADERS], &r->compile.headers, &headers) ||
        headers % 2 != 0 ||
        (profile && !profile_job_read(a, profile, m->blob[COMPILE_PARAMETERS], &r->profile)))
        return diag_fail(d, "a request is malformed");
    r->compile.name = blob_text(a, m->blob[COMPILE_NAME]);
    r->compile.source = blob_text(a, m->blob[COMPILE_SOURCE]);
    r->compile.options = options;
    r->compile.header_count = headers / 2;
    r->compile.names = r->names;
    return true;
}

static bool send_reply(const Request *q, const NvrtcResult *r, double seconds, double cpu, Diag *d)
{
    json_t *lowered = json_array();
    for (size_t i = 0; r->ok && i < q->compile.name_count; i++)
        json_array_append_new(lowered, json_string(r->lowered[i]));
    json_t *header =
        json_pack("{s:O, s:b, s:b, s:f, s:f, s:o}", "id", q->id, "ok", r->ok, "lasting", r->lasting,
                  "seconds", seconds, "cpu", cpu, "lowered", lowered);
    const Blob blobs[COMPILE_REPLY_BLOBS] = {
        [COMPILE_LOG] = {r->log, strlen(r->log)},
        [COMPILE_PTX] = {r->ptx, r->ptx_size},
        [COMPILE_CUBIN] = {r->cubin, r->cubin_size},
    };
    bool ok = header && wire_send(PROCESS_WIRE, header, blobs, COMPILE_REPLY_BLOBS, d);
    json_decref(header);
    return ok;
}

/* Compiles and says so. */
static bool compile(Arena *a, Nvrtc *n, const Request *q, NvrtcResult *r, Diag *d)
{
    double since = clock_seconds(), cpu = clock_cpu_seconds();
    nvrtc_compile(a, n, &q->compile, r);
    return send_reply(q, r, clock_seconds() - since, clock_cpu_seconds() - cpu, d);
}

/* Code that came with a request. */
static NvrtcResult code_of(Arena *a, const WireMessage *m, const Request *q)
{
    const Blob ptx = m->blob[COMPILE_HAVE_PTX], cubin = m->blob[COMPILE_HAVE_CUBIN];
    return (NvrtcResult){.ok = true,
                         .ptx = arena_copy(a, ptx.bytes, ptx.size),
                         .ptx_size = ptx.size,
                         .cubin = cubin.bytes,
                         .cubin_size = cubin.size,
                         .lowered = q->names};
}

/* Data is the same from request to request, as a rule. */
static const WalkData *data_for(const ProfileJob *job, Data **kept)
{
    if (!job->data)
        return NULL;
    if (!*kept || strcmp(data_description(*kept), job->data) != 0) {
        data_close(*kept);
        *kept = data_open(job->data);
    }
    return data_of_walk(*kept);
}

static bool profile(Arena *a, const Request *q, const NvrtcResult *r, Data **kept, Diag *d)
{
    const char *lowered = q->compile.name_count > 0 ? r->lowered[0] : "";
    const ProfileInput code = {.ptx = r->ptx,
                               .ptx_size = r->ptx_size,
                               .cubin = r->cubin,
                               .cubin_size = r->cubin_size,
                               .kernel = q->profile.kernel ? q->profile.kernel : lowered,
                               .data = data_for(&q->profile, kept)};
    const ProfileAnswer x = profile_job_do(a, &q->profile, &code);
    Buf numbers = {0};
    json_t *header = profile_answer_json(&x, &numbers);
    const Blob blobs[COMPILE_PROFILE_BLOBS] = {[COMPILE_NUMBERS] = {numbers.text, numbers.size}};
    bool ok = header && json_object_set(header, "id", q->id) == 0 &&
              wire_send(PROCESS_WIRE, header, blobs, COMPILE_PROFILE_BLOBS, d);
    json_decref(header);
    buf_free(&numbers);
    return ok;
}

static bool serve(Arena *a, Nvrtc *n, const WireMessage *m, Data **kept, Diag *d)
{
    Request q = {0};
    NvrtcResult r;
    if (!read_request(a, m, &q, d))
        return false;
    if (m->blob[COMPILE_HAVE_CUBIN].size > 0)
        r = code_of(a, m, &q);
    else if (!compile(a, n, &q, &r, d))
        return false;
    return !r.ok || !q.wants_profile || profile(a, &q, &r, kept, d);
}

/* Until the other side closes, which is the ordinary end. */
static bool serve_all(Nvrtc *n, Diag *d)
{
    WireReader reader = wire_reader(PROCESS_WIRE);
    Arena *a = arena_new();
    Data *kept = NULL; /* of the last profile */
    bool ok = true;
    while (ok) {
        WireMessage m;
        WireStatus s = wire_receive(&reader, &m, WIRE_FOREVER);
        if (s != WIRE_OK) {
            ok = s == WIRE_END || diag_fail(d, "what came from aptune is no message");
            break;
        }
        ok = serve(a, n, &m, &kept, d);
        wire_message_free(&m);
        arena_reset(a);
        malloc_trim(0); /* NVRTC leaves holes: 58 MB after twenty compiles, 14 without them */
    }
    data_close(kept);
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
    bool ok = chdir("/") == 0 && say_hello(n, &search, &d) && n && serve_all(n, &d);
    if (!ok)
        fprintf(stderr, "aptune-compile: %s\n", diag_first(&d));
    arena_free(a);
    return ok ? 0 : 1;
}

/* aptune-compile: compiles what comes in on its socket, descriptor 0, until that closes.
 *
 *     aptune-compile [folder of a toolkit]
 *
 * First it sends a hello: {"helper": "aptune-compile", "protocol": n, "version": "13.0", "library": file,
 * "missing": [files that were not there]}, or {"helper": ..., "protocol": n, "error": why there is no
 * compiler}.
 *
 * Each request (CompileRequest in tuner/compile/result.h) is answered by a CompileResult with {"id": n,
 * "lasting": compiling again gives the same}, unless it came with the code, and, if it asks for a profile
 * and there is code, by a ProfileAnswer with {"id": n}.
 *
 * The farm (tuner/compile/farm.h) is the other side. */
#include "metrics/base/clock.h"
#include "metrics/base/process.h"
#include "tuner/compile/data.h"
#include "tuner/compile/worker/nvrtc.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

/* NVRTC_* variables would add options and locks. Entries without '=' are dropped, too, which unsetenv does
 * not do. */
static void clear_environment(void)
{
    char **kept = environ;
    for (char **at = environ; *at; at++)
        if (strncmp(*at, "NVRTC_", 6) != 0)
            *kept++ = *at;
    *kept = NULL;
}

static bool say_hello(const Nvrtc *n, const NvrtcSearch *search, Diag *d)
{
    json_t *missing = json_array();
    for (size_t i = 0; i < search->missing.count; i++)
        json_array_append_new(missing, json_string(search->missing.at[i]));
    json_auto_t *hello = json_pack("{s:s, s:i, s:o}", "helper", "aptune-compile", "protocol",
                                   COMPILE_PROTOCOL, "missing", missing);
    if (n) {
        json_object_set_new(hello, "version", json_string(nvrtc_version(n)));
        json_object_set_new(hello, "library", json_string(search->library));
    } else {
        json_object_set_new(hello, "error", json_string(diag_first(d)));
    }
    return wire_send(PROCESS_WIRE, hello, (Blob){0}, d);
}

/* Sends an answer to a request, with its id. */
static bool answer(const CompileRequest *q, json_t *header, Buf *blob, Diag *d)
{
    json_object_set_new(header, "id", json_integer((json_int_t)q->id));
    bool ok = wire_send(PROCESS_WIRE, header, (Blob){blob->text, blob->size}, d);
    json_decref(header);
    buf_free(blob);
    return ok;
}

/* Compiles and sends the result. */
static bool compile(Arena *a, Nvrtc *n, const CompileRequest *q, CompileResult *out, Diag *d)
{
    const double since = clock_seconds(), cpu = clock_cpu_seconds();
    const bool lasting = nvrtc_compile(a, n, q, out);
    Buf blob = {0};
    out->seconds = clock_seconds() - since;
    out->cpu_seconds = clock_cpu_seconds() - cpu;
    json_t *header = result_json(out, &blob);
    json_object_set_new(header, "lasting", json_boolean(lasting));
    return answer(q, header, &blob, d);
}

/* Makes the profiles of an input for each of the launches. */
static ProfileAnswer profile_job_do(Arena *a, const ProfileJob *p, ProfileInput in)
{
    const double since = clock_seconds(), cpu = clock_cpu_seconds();
    Diag d = diag_new(a);
    Profile *profiles = ARENA_ARRAY(a, Profile, p->launch_count);
    ProfileAnswer x = {.profiles = profiles, .count = p->launch_count};
    bool ok = true;
    for (size_t i = 0; i < p->launch_count && ok; i++) {
        in.launch = p->launches[i];
        ok = profile_build(a, &in, &profiles[i], &x.code, &d);
    }
    if (!ok)
        x.error = diag_first(&d);
    x.seconds = clock_seconds() - since;
    x.cpu_seconds = clock_cpu_seconds() - cpu;
    return x;
}

static bool profile(Arena *a, const CompileRequest *q, const CompileResult *r, Data **kept, Diag *d)
{
    const char *lowered = r->lowered.count > 0 ? r->lowered.at[0] : "";
    if (q->profile->data) /* usually the same for every request */
        *kept = data_reopen(*kept, q->profile->data);
    const ProfileInput in = {.ptx = r->ptx,
                             .ptx_size = r->ptx_size,
                             .cubin = r->cubin,
                             .cubin_size = r->cubin_size,
                             .kernel = q->profile->kernel ? q->profile->kernel : lowered,
                             .device = q->profile->device,
                             .data = q->profile->data ? data_of_walk(*kept) : NULL};
    const ProfileAnswer x = profile_job_do(a, q->profile, in);
    Buf numbers = {0};
    return answer(q, profile_answer_json(&x, &numbers), &numbers, d);
}

static bool serve(Arena *a, Nvrtc *n, const WireMessage *m, Data **kept, Diag *d)
{
    CompileRequest q;
    if (!request_read(a, m, &q, d))
        return false;
    CompileResult r = {.status = OUTCOME_COMPILED,
                       .ptx = q.ptx,
                       .ptx_size = strlen(q.ptx),
                       .cubin = q.cubin,
                       .cubin_size = q.cubin_size,
                       .lowered = q.names};
    if (q.cubin_size == 0 && !compile(a, n, &q, &r, d))
        return false;
    return r.status != OUTCOME_COMPILED || !q.profile || profile(a, &q, &r, kept, d);
}

/* Serves until the other side closes, the ordinary end. */
static bool serve_all(Nvrtc *n, Diag *d)
{
    WireReader reader = wire_reader(PROCESS_WIRE);
    SCOPED_ARENA *a = arena_new();
    Data *kept = NULL; /* of the last profile */
    bool ok = true;
    while (ok) {
        WireMessage m;
        WireStatus s = wire_receive(&reader, &m, WIRE_FOREVER);
        if (s != WIRE_OK) {
            ok = s == WIRE_END || diag_fail(d, "what aptune sent is not a message");
            break;
        }
        ok = serve(a, n, &m, &kept, d);
        wire_message_free(&m);
        arena_reset(a);
        malloc_trim(0); /* NVRTC fragments the heap: 58 MB after twenty compiles, 14 trimmed */
    }
    data_close(kept);
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
    SCOPED_ARENA *a = arena_new();
    Diag d = diag_new(a);
    NvrtcSearch search;
    Nvrtc *n = nvrtc_open(a, argc > 1 ? argv[1] : NULL, &search, &d);
    /* With -lineinfo the compiler writes the current folder before the source's name into PTX and cubin.
     * (Files found by -I still appear with their folders.) */
    bool ok = chdir("/") == 0 && say_hello(n, &search, &d) && n && serve_all(n, &d);
    if (!ok)
        fprintf(stderr, "aptune-compile: %s\n", diag_first(&d));
    return ok ? 0 : 1;
}

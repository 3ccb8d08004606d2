#include "tuner/compile/result.h"

#include "metrics/base/json_struct.h"

#include <stdlib.h>

/* ---- messages ------------------------------------------------------------------------------ */

JSON_TABLE(RESULT, CompileResult, JSON_FIELD_BELOW(CompileResult, status, OUTCOMES),
           JSON_FIELD_RAW(CompileResult, log), JSON_FIELD_RAW(CompileResult, ptx),
           JSON_FIELD_BYTES(CompileResult, cubin, cubin_size),
           JSON_FIELD_RAWS(CompileResult, lowered, lowered_count),
           JSON_FIELD(CompileResult, seconds), JSON_FIELD(CompileResult, cpu_seconds));

JSON_TABLE(REQUEST, CompileRequest, JSON_FIELD(CompileRequest, id),
           JSON_FIELD_RAW(CompileRequest, name), JSON_FIELD_RAW(CompileRequest, source),
           JSON_FIELD_RAWS(CompileRequest, options, option_count),
           JSON_FIELD_RAWS(CompileRequest, names, name_count),
           JSON_FIELD_RAWS(CompileRequest, headers, header_count),
           JSON_FIELD_RAW(CompileRequest, ptx), JSON_FIELD_BYTES(CompileRequest, cubin, cubin_size),
           JSON_FIELD_POINTER(CompileRequest, profile, PROFILE_JOB_JSON));

json_t *result_json(const CompileResult *r, Buf *blob)
{
    return json_of_struct(&RESULT, r, blob);
}

bool result_read(Arena *a, const WireMessage *reply, CompileResult *out)
{
    Diag quiet = diag_new(a);
    const Blob blob = {arena_copy(a, reply->blob.bytes, reply->blob.size), reply->blob.size};
    if (!json_read_struct(a, &RESULT, reply->header, blob, out, &quiet) ||
        (out->status != OUTCOME_COMPILED && out->status != OUTCOME_COMPILE_ERROR))
        return false;
    out->ptx_size = strlen(out->ptx);
    out->ptx = *out->ptx ? out->ptx : NULL;
    return true;
}

json_t *request_json(const CompileRequest *q, Buf *blob)
{
    return json_of_struct(&REQUEST, q, blob);
}

bool request_read(Arena *a, const WireMessage *m, CompileRequest *out, Diag *d)
{
    return json_read_struct(a, &REQUEST, m->header, m->blob, out, d) &&
           ((out->header_count % 2 == 0 && (!out->profile || profile_job_is_whole(out->profile))) ||
            diag_fail(d, "a request is malformed"));
}

/* ---- logs ---------------------------------------------------------------------------------- */

/* A line before it may have the word in a warning, or end in "catastrophic error:". */
const char *result_first_error(Arena *a, const char *log)
{
    if (!log)
        return "";
    const char *at = strstr(log, " error:");
    if (!at)
        at = strstr(log, "ptxas error");
    if (!at)
        at = log;
    while (at > log && at[-1] != '\n')
        at--;
    return arena_copy(a, at, strcspn(at, "\n"));
}

const char *result_errors(Arena *a, const char *log)
{
    enum { MOST = 3 };
    Buf b = {0};
    size_t errors = 0;
    for (const char *at = log; *at;) {
        const char *blank = strstr(at, "\n\n"), *end = blank ? blank + 2 : at + strlen(at);
        const char *block = arena_copy(a, at, (size_t)(end - at));
        const char *first = arena_copy(a, block, strcspn(block, "\n"));
        /* The first line of a block says what it is; a path may stand on a line of its own. */
        bool fatal = strncmp(first, "ptxas fatal", 11) == 0;
        bool error = fatal || (strstr(block, "error:") && !strstr(first, "warning #"));
        bool counted = strstr(first, " detected in the compilation of");
        bool place = strncmp(first, "headers were looked for", 23) == 0;
        errors += error && !counted;
        if ((error && !counted && errors <= MOST) || place)
            buf_puts(&b, block);
        at = end;
    }
    if (errors > MOST)
        buf_printf(&b, "and %zu more errors\n", errors - MOST);
    const char *text = errors ? arena_string(a, buf_text(&b)) : log;
    buf_free(&b);
    return text;
}

/* ---- the cache ----------------------------------------------------------------------------- */

/* Part of every key: counted up when the same job would be compiled otherwise than before. */
enum { KEY_VERSION = 3 };

/* Does the compiler write the folders of included files into the code? */
static bool tells_folders(const CompileJob *job)
{
    static const char *const NAMES[] = {"-lineinfo", "--generate-line-info", "-generate-line-info",
                                        "-G",        "--device-debug",       "-device-debug"};
    for (size_t i = 0; i < job->option_count; i++)
        for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
            if (strncmp(job->options[i], NAMES[k], strlen(NAMES[k])) == 0)
                return true;
    return false;
}

Hash result_key(const char *compiler, const CompileJob *job)
{
    Hasher *h = hasher_new();
    int version = KEY_VERSION;
    hasher_add(h, &version, sizeof version);
    hasher_string(h, compiler);
    hasher_string(h, job->hash.text);
    hasher_string(h, job->source->places.text);
    for (size_t i = 0; tells_folders(job) && i < job->option_count; i++)
        hasher_string(h, job->options[i]);
    return hasher_end(h);
}

bool result_recall(const Cache *c, Arena *a, const Hash *key, CompileResult *out)
{
    WireMessage m;
    if (!cache_get(c, key, &m))
        return false;
    bool ok = result_read(a, &m, out);
    out->from_cache = true;
    wire_message_free(&m);
    return ok;
}

bool result_read_profile(Arena *a, const WireMessage *reply, CompileResult *r)
{
    if (!profile_answer_read(a, reply->header, reply->blob, &r->profile))
        return false;
    r->profiled = r->profile.error ? PROFILE_ERROR : PROFILE_OK;
    r->lost = r->profile.error;
    return true;
}

bool result_recall_profile(const Cache *c, Arena *a, const Hash *key, CompileResult *out)
{
    WireMessage m;
    if (!cache_get(c, key, &m))
        return false;
    *out = (CompileResult){
        .status = OUTCOME_COMPILED, .log = "", .from_cache = true, .profile_from_cache = true};
    bool ok = result_read_profile(a, &m, out) && out->profiled == PROFILE_OK;
    wire_message_free(&m);
    return ok;
}

/* A reply's header is about one request; what is kept is not. */
bool result_keep(const Cache *c, const Hash *key, const WireMessage *reply, Diag *d)
{
    if (json_is_false(json_object_get(reply->header, "lasting")))
        return true;
    json_t *head = json_copy(reply->header);
    json_object_del(head, "id");
    bool ok = cache_put(c, key, head, reply->blob, d);
    json_decref(head);
    return ok;
}

#include "tuner/compile/result.h"

#include <stdlib.h>

static void read_lowered(Arena *a, const json_t *head, CompileResult *r)
{
    const json_t *list = json_object_get(head, "lowered"), *name;
    size_t i;
    r->lowered_count = json_array_size(list);
    r->lowered = ARENA_ARRAY(a, const char *, r->lowered_count);
    json_array_foreach(list, i, name)
    {
        const char *text = json_string_value(name);
        r->lowered[i] = arena_string(a, text ? text : "");
    }
}

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

bool result_read(Arena *a, const WireMessage *reply, CompileResult *out)
{
    if (reply->blob_count != COMPILE_REPLY_BLOBS)
        return false;
    const char *text[COMPILE_REPLY_BLOBS]; /* with a zero byte after each */
    const json_t *head = reply->header;
    for (size_t i = 0; i < COMPILE_REPLY_BLOBS; i++)
        text[i] = arena_copy(a, reply->blob[i].bytes, reply->blob[i].size);
    const size_t ptx = reply->blob[COMPILE_PTX].size, cubin = reply->blob[COMPILE_CUBIN].size;
    *out =
        (CompileResult){.status = json_is_true(json_object_get(head, "ok")) ? OUTCOME_COMPILED
                                                                            : OUTCOME_COMPILE_ERROR,
                        .seconds = json_number_value(json_object_get(head, "seconds")),
                        .cpu_seconds = json_number_value(json_object_get(head, "cpu")),
                        .log = text[COMPILE_LOG],
                        .ptx = ptx ? text[COMPILE_PTX] : NULL,
                        .ptx_size = ptx,
                        .cubin = cubin ? text[COMPILE_CUBIN] : NULL,
                        .cubin_size = cubin};
    read_lowered(a, head, out);
    return true;
}

static const char *copy_or_null(Arena *a, const char *bytes, size_t size)
{
    return bytes ? arena_copy(a, bytes, size) : NULL;
}

CompileResult result_copy(Arena *a, const CompileResult *r)
{
    CompileResult c = *r;
    c.log = arena_string(a, r->log);
    c.ptx = copy_or_null(a, r->ptx, r->ptx_size);
    c.cubin = copy_or_null(a, r->cubin, r->cubin_size);
    c.lost = r->lost ? arena_string(a, r->lost) : NULL;
    c.lowered = ARENA_ARRAY(a, const char *, r->lowered_count);
    for (size_t i = 0; i < r->lowered_count; i++)
        c.lowered[i] = arena_string(a, r->lowered[i]);
    Profile *profiles = ARENA_ARRAY(a, Profile, r->profile.count + 1);
    for (size_t i = 0; i < r->profile.count; i++) {
        profiles[i] = r->profile.profiles[i];
        profile_keep(a, &profiles[i]);
    }
    c.profile.profiles = profiles;
    c.profile.error = r->profile.error ? arena_string(a, r->profile.error) : NULL;
    return c;
}

/* ---- the cache ----------------------------------------------------------------------------- */

/* Part of every key: counted up when the same job would be compiled otherwise than before. */
enum { KEY_VERSION = 2 };

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
    if (reply->blob_count != COMPILE_PROFILE_BLOBS ||
        !profile_answer_read(a, reply->header, reply->blob[COMPILE_NUMBERS], &r->profile))
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
    bool ok = cache_put(c, key, head, reply->blob, reply->blob_count, d);
    json_decref(head);
    return ok;
}

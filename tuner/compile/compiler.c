#include "tuner/compile/compiler.h"

#include "metrics/base/file.h"
#include "tuner/compile/result.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The key of a stored compiler: everything that the helper's search depends on. */
static Hash note_key(const char *helper, const char *cuda_folder)
{
    static const char *const VARIABLES[] = {"APTUNE_NVRTC", "CUDA_HOME", "CUDA_PATH",
                                            "LD_LIBRARY_PATH"};
    SCOPED_ARENA *a = arena_new();
    char folder[PATH_MAX];
    Hasher *h = hasher_new();
    hasher_string(h, "compiler");
    hasher_string(h, helper);
    hasher_string(h, file_stamp(a, helper));
    hasher_string(h, file_stamp(a, "/etc/ld.so.cache"));
    hasher_string(h, cuda_folder ? cuda_folder : "");
    hasher_string(h, getcwd(folder, sizeof folder) ? folder : "");
    for (size_t i = 0; i < COUNT_OF(VARIABLES); i++) {
        const char *value = getenv(VARIABLES[i]);
        hasher_string(h, value ? value : "");
    }
    return hasher_end(h);
}

bool compiler_read(Arena *a, const json_t *hello, Compiler *out, Diag *d)
{
    const char *helper = string_of(hello, "helper"), *error = string_of(hello, "error");
    if (!helper || strcmp(helper, "aptune-compile") != 0)
        return diag_fail(d, "the helper program is not aptune-compile");
    json_int_t protocol = json_integer_value(json_object_get(hello, "protocol"));
    if (protocol != COMPILE_PROTOCOL)
        return diag_fail(
            d,
            "aptune-compile has protocol %lld, this program %d: they are from different "
            "installations",
            (long long)protocol, COMPILE_PROTOCOL);
    if (error)
        return diag_fail(d, "%s", error);
    const char *version = string_of(hello, "version"), *library = string_of(hello, "library");
    if (!version || !library)
        return diag_fail(d, "aptune-compile does not say which compiler it has");
    /* The size tells builds of a version apart; a copy elsewhere is the same compiler. */
    struct stat st;
    long long size = stat(library, &st) == 0 ? (long long)st.st_size : 0;
    out->version = arena_string(a, version);
    out->identity = arena_printf(a, "NVRTC %s of %lld bytes", version, size);
    return true;
}

bool compiler_note(const Cache *c, const char *helper, const char *cuda_folder, const json_t *hello,
                   Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    Hash key = note_key(helper, cuda_folder);
    const char *library = string_of(hello, "library");
    json_auto_t *note = json_pack("{s:O, s:s}", "hello", hello, "stamp", file_stamp(a, library));
    return cache_put(c, &key, note, (Blob){0}, d);
}

/* True if a stored compiler is still valid. */
static bool holds(Arena *a, const json_t *note)
{
    const json_t *hello = json_object_get(note, "hello");
    const char *library = string_of(hello, "library"), *stamp = string_of(note, "stamp");
    if (!library || !stamp || strcmp(stamp, file_stamp(a, library)) != 0)
        return false;
    const json_t *missing = json_object_get(hello, "missing"), *path;
    size_t i;
    json_array_foreach(missing, i, path)
    {
        const char *file = json_string_value(path);
        if (file && strchr(file, '/') && file_exists(file))
            return false;
    }
    return true;
}

bool compiler_recall(Arena *a, const Cache *c, const char *helper, const char *cuda_folder,
                     Compiler *out)
{
    Hash key = note_key(helper, cuda_folder);
    WireMessage m;
    if (!cache_get(c, &key, &m))
        return false;
    bool ok = holds(a, m.header) &&
              compiler_read(a, json_object_get(m.header, "hello"), out, DIAG_UNHEARD(a));
    wire_message_free(&m);
    return ok;
}

const char *compiler_describe(Arena *a, const json_t *hello)
{
    const char *version = string_of(hello, "version"), *library = string_of(hello, "library");
    const char *error = string_of(hello, "error");
    if (version && library)
        return arena_printf(a, "NVRTC %s, %s", version, library);
    return arena_printf(a, "none: %s", error ? error : "aptune-compile did not say why");
}

#include "tuner/compile/worker/nvrtc.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/compile/source.h"
#include "tuner/compile/worker/stubs.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum CacheOption {
    CACHE_OPTION_UNTRIED,
    CACHE_OPTION_KNOWN,
    CACHE_OPTION_UNKNOWN
} CacheOption;

enum { HEADERS_MOST = 2 };

struct Nvrtc {
    void *library;
    char version[32];
    const char *headers[HEADERS_MOST]; /* "-I…" of the toolkit's folders */
    size_t header_count;
    CacheOption no_cache;
    nvrtcResult (*get_version)(int *major, int *minor);
    const char *(*error_string)(nvrtcResult);
    nvrtcResult (*create)(nvrtcProgram *, const char *source, const char *name, int headers,
                          const char *const *header_texts, const char *const *header_names);
    nvrtcResult (*destroy)(nvrtcProgram *);
    nvrtcResult (*add_name)(nvrtcProgram, const char *expression);
    nvrtcResult (*compile)(nvrtcProgram, int count, const char *const *options);
    nvrtcResult (*log_size)(nvrtcProgram, size_t *);
    nvrtcResult (*log)(nvrtcProgram, char *);
    nvrtcResult (*ptx_size)(nvrtcProgram, size_t *);
    nvrtcResult (*ptx)(nvrtcProgram, char *);
    nvrtcResult (*cubin_size)(nvrtcProgram, size_t *);
    nvrtcResult (*cubin)(nvrtcProgram, char *);
    nvrtcResult (*lowered)(nvrtcProgram, const char *expression, const char **name);
};

/* ---- finding the library ------------------------------------------------------------------- */

typedef VEC(const char *) Texts;

static const char *const LIBRARIES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
enum { LIBRARY_COUNT = sizeof LIBRARIES / sizeof *LIBRARIES };

/* Where a toolkit and NVIDIA's Python wheels keep it, below the toolkit's folder. */
static const char *const FOLDERS[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                      "targets/sbsa-linux/lib"};

static void add_folder(Arena *a, Texts *candidates, const char *folder)
{
    for (size_t i = 0; i < LIBRARY_COUNT; i++)
        VEC_PUSH(a, candidates, arena_printf(a, "%s/%s", folder, LIBRARIES[i]));
}

static void add_toolkit(Arena *a, Texts *candidates, const char *root)
{
    if (!root || !*root)
        return;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        add_folder(a, candidates, arena_printf(a, "%s/%s", root, FOLDERS[i]));
}

static Texts list_candidates(Arena *a, const char *cuda_folder)
{
    Texts candidates = {0};
    const char *chosen = getenv("APTUNE_NVRTC");
    if (chosen && *chosen) {
        if (strstr(path_stem(a, chosen, ""), ".so"))
            VEC_PUSH(a, &candidates, chosen);
        else
            add_folder(a, &candidates, chosen);
        return candidates;
    }
    add_toolkit(a, &candidates, cuda_folder);
    add_toolkit(a, &candidates, getenv("CUDA_HOME"));
    add_toolkit(a, &candidates, getenv("CUDA_PATH"));
    add_toolkit(a, &candidates, "/usr/local/cuda");
    for (size_t i = 0; i < LIBRARY_COUNT; i++)
        VEC_PUSH(a, &candidates, LIBRARIES[i]);
    return candidates;
}

/* The file that the loader took for a bare name. */
static const char *library_file(Arena *a, void *library, const char *asked)
{
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/')
        return arena_string(a, map->l_name);
    return asked;
}

/* Opens the first candidate that is there.  One that is there and does not open is worth a word,
 * but the next one may. */
static void *open_first(Arena *a, const Texts *candidates, NvrtcSearch *search, Buf *complaints)
{
    Texts missing = {0};
    void *library = NULL;
    for (size_t i = 0; i < candidates->count && !library; i++) {
        const char *path = candidates->at[i];
        bool bare = strchr(path, '/') == NULL;
        if (bare || file_exists(path))
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library) {
            search->library = bare ? library_file(a, library, path) : path;
        } else if (bare || !file_exists(path)) {
            VEC_PUSH(a, &missing, path);
        } else {
            buf_printf(complaints, "\n  %s", dlerror());
        }
    }
    search->missing = missing.at;
    search->missing_count = missing.count;
    return library;
}

/* The functions used, by name; all of them are in every version since 11.1. */
static bool find_functions(Nvrtc *n, const char *path, Diag *d)
{
    const struct {
        const char *name;
        void *place; /* of the pointer */
    } table[] = {
        {"nvrtcVersion", &n->get_version},        {"nvrtcGetErrorString", &n->error_string},
        {"nvrtcCreateProgram", &n->create},       {"nvrtcDestroyProgram", &n->destroy},
        {"nvrtcAddNameExpression", &n->add_name}, {"nvrtcCompileProgram", &n->compile},
        {"nvrtcGetProgramLogSize", &n->log_size}, {"nvrtcGetProgramLog", &n->log},
        {"nvrtcGetPTXSize", &n->ptx_size},        {"nvrtcGetPTX", &n->ptx},
        {"nvrtcGetCUBINSize", &n->cubin_size},    {"nvrtcGetCUBIN", &n->cubin},
        {"nvrtcGetLoweredName", &n->lowered},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *function = dlsym(n->library, table[i].name);
        if (!function)
            return diag_fail(d, "'%s' has no function %s", path, table[i].name);
        memcpy(table[i].place, &function, sizeof function);
    }
    return true;
}

/* The folders of the files, each once, for the message. */
static void list_folders(Arena *a, const NvrtcSearch *search, Buf *out)
{
    const char *last = "";
    for (size_t i = 0; i < search->missing_count; i++) {
        const char *path = search->missing[i];
        const char *folder = strchr(path, '/') ? path_folder(a, path) : "the loader's own path";
        if (strcmp(folder, last) != 0)
            buf_printf(out, "%s%s", *last ? ", " : "", folder);
        last = folder;
    }
}

static void say_not_found(Arena *a, const NvrtcSearch *search, const Buf *complaints, Diag *d)
{
    Buf folders = {0};
    list_folders(a, search, &folders);
    diag_fail(d,
              "cannot open NVRTC, the CUDA compiler library (libnvrtc.so.13 or .12): looked in "
              "%s%s; set CUDA_HOME to a toolkit or APTUNE_NVRTC to the library",
              buf_text(&folders), buf_text(complaints));
    buf_free(&folders);
}

/* NVRTC opens its second library by its bare name, at the first compile.  The toolkits are known to
 * the loader; NVIDIA's wheels are not and have no RUNPATH, so that it would find none, or that of
 * another toolkit.  It gets the one that is open already under that name: the one beside it.  Where
 * none lies there, NVRTC looks for itself. */
static void open_builtins(Arena *a, const char *library, const char *version)
{
    if (strchr(library, '/'))
        dlopen(arena_printf(a, "%s/libnvrtc-builtins.so.%s", path_folder(a, library), version),
               RTLD_NOW | RTLD_LOCAL);
}

/* ---- the toolkit's headers ------------------------------------------------------------------- */

/* Takes a toolkit's folder if it has headers for device code. */
static bool take_headers(Arena *a, Nvrtc *n, const char *root, const char *below)
{
    const char *folder = root && *root ? arena_printf(a, "%s/%s", root, below) : NULL;
    if (!folder || !file_exists(arena_printf(a, "%s/cuda_fp16.h", folder)))
        return false;
    n->headers[n->header_count++] = arena_printf(a, "-I%s", folder);
    if (file_exists(arena_printf(a, "%s/cccl/cuda/std/cstdint", folder)))
        n->headers[n->header_count++] = arena_printf(a, "-I%s/cccl", folder);
    return true;
}

/* Beside the library first: those are of its version. */
static void find_headers(Arena *a, Nvrtc *n, const char *library, const char *cuda_folder)
{
    char real[PATH_MAX];
    const char *folder = path_folder(a, realpath(library, real) ? real : library);
    const char *const roots[] = {path_folder(a, folder),
                                 path_folder(a, path_folder(a, folder)),
                                 path_folder(a, path_folder(a, path_folder(a, folder))),
                                 cuda_folder,
                                 getenv("CUDA_HOME"),
                                 getenv("CUDA_PATH"),
                                 "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (take_headers(a, n, roots[i], "include"))
            return;
}

Nvrtc *nvrtc_open(Arena *a, const char *cuda_folder, NvrtcSearch *search, Diag *d)
{
    *search = (NvrtcSearch){0};
    Texts candidates = list_candidates(a, cuda_folder);
    Buf complaints = {0};
    Nvrtc *n = ARENA_NEW(a, Nvrtc);
    n->library = open_first(a, &candidates, search, &complaints);
    if (!n->library)
        say_not_found(a, search, &complaints, d);
    buf_free(&complaints);
    if (!n->library || !find_functions(n, search->library, d))
        return NULL;
    int major = 0, minor = 0;
    n->get_version(&major, &minor);
    snprintf(n->version, sizeof n->version, "%d.%d", major, minor);
    open_builtins(a, search->library, n->version);
    find_headers(a, n, search->library, cuda_folder);
    return n;
}

const char *nvrtc_version(const Nvrtc *n)
{
    return n->version;
}

/* ---- compiling ----------------------------------------------------------------------------- */

typedef nvrtcResult (*SizeFunction)(nvrtcProgram, size_t *);
typedef nvrtcResult (*BytesFunction)(nvrtcProgram, char *);

/* One of the program's outputs; "" and 0 when there is none. */
static const char *get_bytes(Arena *a, nvrtcProgram p, SizeFunction size_of, BytesFunction get,
                             size_t *size)
{
    *size = 0;
    if (size_of(p, size) != NVRTC_SUCCESS || *size == 0)
        return "";
    char *bytes = arena_array(a, *size + 1, 1);
    if (get(p, bytes) == NVRTC_SUCCESS)
        return bytes;
    *size = 0;
    return "";
}

/* The library counts the terminating zero of its texts. */
static const char *get_text(Arena *a, nvrtcProgram p, SizeFunction size_of, BytesFunction get,
                            size_t *size)
{
    const char *text = get_bytes(a, p, size_of, get, size);
    *size = strlen(text);
    return text;
}

static const char *const NO_CACHE = "-no-cache";

typedef struct Headers {
    Texts names, texts;
} Headers;

static void add_stub(Arena *a, Headers *h, const char *name, const char *text)
{
    for (size_t i = 0; i < h->names.count; i++)
        if (strcmp(h->names.at[i], name) == 0)
            return;
    VEC_PUSH(a, &h->names, name);
    VEC_PUSH(a, &h->texts, text);
}

/* The header that an option says to do without; NULL: it says something else. */
static const char *left_out(const char *option)
{
    size_t n = strlen(SOURCE_WITHOUT_HEADER);
    return strncmp(option, SOURCE_WITHOUT_HEADER "=", n + 1) == 0 ? option + n + 1 : NULL;
}

/* Those of the request, then the stand-ins for what it does not have. */
static Headers all_headers(Arena *a, const NvrtcRequest *request)
{
    Headers h = {0};
    for (size_t i = 0; i < request->option_count; i++)
        if (left_out(request->options[i]))
            add_stub(a, &h, left_out(request->options[i]), "namespace std {}\n");
    for (size_t i = 0; i < request->header_count; i++) {
        VEC_PUSH(a, &h.names, request->headers[2 * i]);
        VEC_PUSH(a, &h.texts, request->headers[2 * i + 1]);
    }
    size_t count;
    const StubHeader *all = stub_headers(&count);
    for (size_t i = 0; i < count; i++)
        for (const char *at = all[i].names; *at; at += strspn(at, " ")) {
            size_t n = strcspn(at, " ");
            add_stub(a, &h, arena_copy(a, at, n), all[i].text);
            at += n;
        }
    return h;
}

static nvrtcResult build(Arena *a, Nvrtc *n, const NvrtcRequest *request, bool no_cache,
                         nvrtcProgram *p)
{
    const Headers h = all_headers(a, request);
    nvrtcResult r =
        n->create(p, request->source, request->name, (int)h.names.count, h.texts.at, h.names.at);
    for (size_t i = 0; i < request->name_count && r == NVRTC_SUCCESS; i++)
        r = n->add_name(*p, request->names[i]);
    if (r != NVRTC_SUCCESS)
        return r;
    enum { ADDED = HEADERS_MOST + 3 };
    const char **options = ARENA_ARRAY(a, const char *, request->option_count + ADDED);
    size_t count = 0;
    for (size_t i = 0; i < request->option_count; i++) {
        if (strcmp(request->options[i], SOURCE_LIKE_NVCC) == 0) {
            options[count++] = "-default-device";
            options[count++] = "--pre-include=" STUB_NVCC;
        } else if (!left_out(request->options[i])) {
            options[count++] = request->options[i];
        }
    }
    for (size_t i = 0; i < n->header_count; i++)
        options[count++] = n->headers[i];
    if (no_cache)
        options[count++] = NO_CACHE;
    return n->compile(*p, (int)count, options);
}

/* Older libraries do not know -no-cache: an invalid option is tried once more without it, and
 * what that gives tells which option was meant. */
static nvrtcResult build_uncached(Arena *a, Nvrtc *n, const NvrtcRequest *request, nvrtcProgram *p)
{
    nvrtcResult r = build(a, n, request, n->no_cache != CACHE_OPTION_UNKNOWN, p);
    if (r == NVRTC_ERROR_INVALID_OPTION && n->no_cache == CACHE_OPTION_UNTRIED) {
        n->destroy(p);
        r = build(a, n, request, false, p);
        if (r != NVRTC_ERROR_INVALID_OPTION)
            n->no_cache = CACHE_OPTION_UNKNOWN;
    } else if (r != NVRTC_ERROR_INVALID_OPTION && n->no_cache == CACHE_OPTION_UNTRIED) {
        n->no_cache = CACHE_OPTION_KNOWN;
    }
    return r;
}

static bool is_lasting(nvrtcResult r)
{
    return r == NVRTC_SUCCESS || r == NVRTC_ERROR_COMPILATION || r == NVRTC_ERROR_INVALID_OPTION ||
           r == NVRTC_ERROR_INVALID_INPUT || r == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* Where a header that is not there was looked for. */
static const char *folders_of(Arena *a, const Nvrtc *n, const NvrtcRequest *request)
{
    Buf b = {0};
    for (size_t i = 0; i < request->option_count; i++)
        if (strncmp(request->options[i], "-I", 2) == 0)
            buf_printf(&b, "  %s\n", request->options[i] + 2);
    for (size_t i = 0; i < n->header_count; i++)
        buf_printf(&b, "  %s\n", n->headers[i] + 2);
    const char *text = arena_printf(a, "headers were looked for in\n%s", buf_text(&b));
    buf_free(&b);
    return text;
}

/* The log; and the status where the log does not name an error: ptxas loses its text when a
 * warning came first. */
static void get_log(Arena *a, Nvrtc *n, nvrtcProgram p, const NvrtcRequest *request,
                    NvrtcResult *out)
{
    size_t size = 0;
    out->log = p ? get_text(a, p, n->log_size, n->log, &size) : "";
    if (strstr(out->log, "cannot open source file"))
        out->log = arena_printf(a, "%s%s", out->log, folders_of(a, n, request));
    /* Of this machine, or of the limit that a worker has; not of the source. */
    if (strstr(out->log, "out of memory"))
        out->lasting = false;
    if (!out->ok && !strstr(out->log, "error") && !strstr(out->log, "fatal"))
        out->log = arena_printf(a, "%serror: NVRTC gave no reason but %s\n", out->log, out->status);
}

static void get_lowered(Arena *a, Nvrtc *n, nvrtcProgram p, const NvrtcRequest *request,
                        NvrtcResult *out)
{
    out->lowered = ARENA_ARRAY(a, const char *, request->name_count);
    for (size_t i = 0; i < request->name_count; i++) {
        const char *name = "";
        n->lowered(p, request->names[i], &name);
        out->lowered[i] = arena_string(a, name);
    }
}

void nvrtc_compile(Arena *a, Nvrtc *n, const NvrtcRequest *request, NvrtcResult *out)
{
    nvrtcProgram p = NULL;
    nvrtcResult r = build_uncached(a, n, request, &p);
    *out = (NvrtcResult){.ok = r == NVRTC_SUCCESS, .lasting = is_lasting(r), .ptx = ""};
    out->status = n->error_string(r);
    get_log(a, n, p, request, out);
    if (out->ok) {
        out->ptx = get_text(a, p, n->ptx_size, n->ptx, &out->ptx_size);
        out->cubin = get_bytes(a, p, n->cubin_size, n->cubin, &out->cubin_size);
        get_lowered(a, n, p, request, out);
    }
    if (p)
        n->destroy(&p);
}

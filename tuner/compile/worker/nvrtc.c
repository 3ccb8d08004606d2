#include "tuner/compile/worker/nvrtc.h"

#include "metrics/base/file.h"
#include "tuner/compile/worker/headers.h"

#include <dlfcn.h>
#include <link.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum CacheOption {
    CACHE_OPTION_UNTRIED,
    CACHE_OPTION_KNOWN,
    CACHE_OPTION_UNKNOWN
} CacheOption;

/* The functions used; all of them exist since 11.1. */
#define NVRTC_FUNCTIONS(X)                                                                         \
    X(get_version, nvrtcVersion)                                                                   \
    X(error_string, nvrtcGetErrorString)                                                           \
    X(create, nvrtcCreateProgram)                                                                  \
    X(destroy, nvrtcDestroyProgram)                                                                \
    X(add_name, nvrtcAddNameExpression)                                                            \
    X(compile, nvrtcCompileProgram)                                                                \
    X(log_size, nvrtcGetProgramLogSize)                                                            \
    X(log, nvrtcGetProgramLog)                                                                     \
    X(ptx_size, nvrtcGetPTXSize)                                                                   \
    X(ptx, nvrtcGetPTX)                                                                            \
    X(cubin_size, nvrtcGetCUBINSize)                                                               \
    X(cubin, nvrtcGetCUBIN)                                                                        \
    X(lowered, nvrtcGetLoweredName)

struct Nvrtc {
    void *library;
    char version[32];
    Texts headers; /* "-I…" of the toolkit's folders */
    CacheOption no_cache;
#define MEMBER(member, function) __typeof__(&function) member;
    NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* ---- finding the library ------------------------------------------------------------------- */

static const char *const LIBRARIES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
enum { LIBRARY_COUNT = COUNT_OF(LIBRARIES) };

/* Library folders of toolkits and of NVIDIA's Python wheels. */
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
    for (size_t i = 0; i < COUNT_OF(FOLDERS); i++)
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

/* The file that the loader chose for a bare name. */
static const char *library_file(Arena *a, void *library, const char *asked)
{
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/')
        return arena_string(a, map->l_name);
    return asked;
}

/* Opens the first candidate that works. One that exists but does not open is reported, but the next may
 * do. */
static void *open_first(Arena *a, const Texts *candidates, NvrtcSearch *search, Buf *complaints)
{
    void *library = NULL;
    for (size_t i = 0; i < candidates->count && !library; i++) {
        const char *path = candidates->at[i];
        bool bare = strchr(path, '/') == NULL;
        if (bare || file_exists(path))
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library) {
            search->library = bare ? library_file(a, library, path) : path;
        } else if (bare || !file_exists(path)) {
            VEC_PUSH(a, &search->missing, path);
        } else {
            buf_printf(complaints, "\n  %s", dlerror());
        }
    }
    return library;
}

static bool find_functions(Nvrtc *n, const char *path, Diag *d)
{
    /* dlsym returns an object pointer; POSIX lets it be stored as a function pointer. */
#define FIND(member, function)                                                                     \
    *(void **)&n->member = dlsym(n->library, #function);                                           \
    if (!n->member)                                                                                \
        return diag_fail(d, "'%s' has no function %s", path, #function);
    NVRTC_FUNCTIONS(FIND)
#undef FIND
    return true;
}

/* Lists the missing files' folders, each once, for the message. */
static void list_folders(Arena *a, const NvrtcSearch *search, Buf *out)
{
    const char *last = "";
    for (size_t i = 0; i < search->missing.count; i++) {
        const char *path = search->missing.at[i];
        const char *folder = strchr(path, '/') ? path_folder(a, path) : "the loader's own path";
        if (strcmp(folder, last) != 0)
            buf_printf(out, "%s%s", *last ? ", " : "", folder);
        last = folder;
    }
}

static void say_not_found(Arena *a, const NvrtcSearch *search, const Buf *complaints, Diag *d)
{
    SCOPED_BUF folders = {0};
    list_folders(a, search, &folders);
    diag_fail(d,
              "cannot open NVRTC, the CUDA compiler library (libnvrtc.so.13 or .12): looked in "
              "%s%s; set CUDA_HOME to a toolkit or APTUNE_NVRTC to the library",
              buf_text(&folders), buf_text(complaints));
}

/* NVRTC opens its second library by bare name, at the first compile. The loader knows toolkits; it does not
 * know NVIDIA's wheels, which have no RUNPATH, so that it would find none or another toolkit's. A library
 * already open under that name is used: open the one beside it, if any. */
static void open_builtins(Arena *a, const char *library, const char *version)
{
    if (strchr(library, '/'))
        dlopen(arena_printf(a, "%s/libnvrtc-builtins.so.%s", path_folder(a, library), version),
               RTLD_NOW | RTLD_LOCAL);
}

/* ---- the toolkit's headers ------------------------------------------------------------------- */

/* Adds a toolkit's folder if it has device headers. */
static bool take_headers(Arena *a, Nvrtc *n, const char *root)
{
    const char *folder = root && *root ? arena_printf(a, "%s/include", root) : NULL;
    if (!folder || !file_exists(arena_printf(a, "%s/cuda_fp16.h", folder)))
        return false;
    VEC_PUSH(a, &n->headers, arena_printf(a, "-I%s", folder));
    if (file_exists(arena_printf(a, "%s/cccl/cuda/std/cstdint", folder)))
        VEC_PUSH(a, &n->headers, arena_printf(a, "-I%s/cccl", folder));
    return true;
}

/* Beside the library first, where the versions match. */
static void find_headers(Arena *a, Nvrtc *n, const char *library, const char *cuda_folder)
{
    const char *folder = path_folder(a, path_real(a, library, library));
    const char *const roots[] = {path_folder(a, folder),
                                 path_folder(a, path_folder(a, folder)),
                                 path_folder(a, path_folder(a, path_folder(a, folder))),
                                 cuda_folder,
                                 getenv("CUDA_HOME"),
                                 getenv("CUDA_PATH"),
                                 "/usr/local/cuda"};
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if (take_headers(a, n, roots[i]))
            return;
}

Nvrtc *nvrtc_open(Arena *a, const char *cuda_folder, NvrtcSearch *search, Diag *d)
{
    *search = (NvrtcSearch){0};
    Texts candidates = list_candidates(a, cuda_folder);
    SCOPED_BUF complaints = {0};
    Nvrtc *n = ARENA_NEW(a, Nvrtc);
    n->library = open_first(a, &candidates, search, &complaints);
    if (!n->library)
        say_not_found(a, search, &complaints, d);
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

/* An output of the program; "" and 0: none. */
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

/* The library counts the terminating zero of texts. */
static const char *get_text(Arena *a, nvrtcProgram p, SizeFunction size_of, BytesFunction get,
                            size_t *size)
{
    const char *text = get_bytes(a, p, size_of, get, size);
    *size = strlen(text);
    return text;
}

static nvrtcResult build(Arena *a, Nvrtc *n, const CompileRequest *request, bool no_cache,
                         nvrtcProgram *p)
{
    const Headers h = headers_for(a, request);
    nvrtcResult r =
        n->create(p, request->source, request->name, (int)h.names.count, h.texts.at, h.names.at);
    for (size_t i = 0; i < request->names.count && r == NVRTC_SUCCESS; i++)
        r = n->add_name(*p, request->names.at[i]);
    if (r != NVRTC_SUCCESS)
        return r;
    Texts options = {0};
    for (size_t i = 0; i < request->options.count; i++) {
        const char *option = request->options.at[i];
        if (strcmp(option, SOURCE_LIKE_NVCC) == 0) {
            VEC_PUSH(a, &options, "-default-device");
            VEC_PUSH(a, &options, "--pre-include=aptune/nvcc.h");
        } else if (!source_option_is_ours(option)) {
            VEC_PUSH(a, &options, option);
        }
    }
    for (size_t i = 0; i < n->headers.count; i++)
        VEC_PUSH(a, &options, n->headers.at[i]);
    if (no_cache)
        VEC_PUSH(a, &options, "-no-cache");
    return n->compile(*p, (int)options.count, options.at);
}

/* Older libraries lack -no-cache: after an invalid option the compile is repeated without it, which tells
 * which option was invalid. */
static nvrtcResult build_uncached(Arena *a, Nvrtc *n, const CompileRequest *request,
                                  nvrtcProgram *p)
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

/* The folders that were searched for a missing header. */
static const char *folders_of(Arena *a, const Nvrtc *n, const CompileRequest *request)
{
    SCOPED_BUF b = {0};
    for (size_t i = 0; i < request->options.count; i++)
        if (strncmp(request->options.at[i], "-I", 2) == 0)
            buf_printf(&b, "  %s\n", request->options.at[i] + 2);
    for (size_t i = 0; i < n->headers.count; i++)
        buf_printf(&b, "  %s\n", n->headers.at[i] + 2);
    return arena_printf(a, "headers were looked for in\n%s", buf_text(&b));
}

/* The log, or the status if the log names no error: ptxas loses its text after a warning. */
static const char *get_log(Arena *a, Nvrtc *n, nvrtcProgram p, const CompileRequest *request,
                           nvrtcResult r)
{
    size_t size = 0;
    const char *log = p ? get_text(a, p, n->log_size, n->log, &size) : "";
    if (strstr(log, "cannot open source file"))
        log = arena_printf(a, "%s%s", log, folders_of(a, n, request));
    if (r != NVRTC_SUCCESS && !strstr(log, "error") && !strstr(log, "fatal"))
        log = arena_printf(a, "%serror: NVRTC gave no reason except %s\n", log, n->error_string(r));
    return log;
}

static Texts get_lowered(Arena *a, Nvrtc *n, nvrtcProgram p, const CompileRequest *request)
{
    Texts lowered = {0};
    for (size_t i = 0; i < request->names.count; i++) {
        const char *name = "";
        n->lowered(p, request->names.at[i], &name);
        VEC_PUSH(a, &lowered, arena_string(a, name));
    }
    return lowered;
}

bool nvrtc_compile(Arena *a, Nvrtc *n, const CompileRequest *request, CompileResult *out)
{
    nvrtcProgram p = NULL;
    nvrtcResult r = build_uncached(a, n, request, &p);
    *out = (CompileResult){.status = OUTCOME_COMPILE_ERROR, .log = get_log(a, n, p, request, r)};
    if (r == NVRTC_SUCCESS) {
        out->status = OUTCOME_COMPILED;
        out->ptx = get_text(a, p, n->ptx_size, n->ptx, &out->ptx_size);
        out->cubin = get_bytes(a, p, n->cubin_size, n->cubin, &out->cubin_size);
        out->lowered = get_lowered(a, n, p, request);
    }
    if (p)
        n->destroy(&p);
    /* A lack of memory, of the machine or under the worker's limit, is not the source's fault. */
    return is_lasting(r) && !strstr(out->log, "out of memory");
}

#include "tuner/command/init_mend.h"

#include "metrics/base/file.h"
#include "tuner/spec/near_header.h"

/* Warp functions without a mask, which Volta removed, and their replacements in CUDA's guide. */
static const char *const MASKLESS[][2] = {
    {"__shfl", "__shfl(...)=__shfl_sync(0xffffffff,__VA_ARGS__)"},
    {"__shfl_up", "__shfl_up(...)=__shfl_up_sync(0xffffffff,__VA_ARGS__)"},
    {"__shfl_down", "__shfl_down(...)=__shfl_down_sync(0xffffffff,__VA_ARGS__)"},
    {"__shfl_xor", "__shfl_xor(...)=__shfl_xor_sync(0xffffffff,__VA_ARGS__)"},
    {"__ballot", "__ballot(x)=__ballot_sync(0xffffffff,x)"},
    {"__any", "__any(x)=__any_sync(0xffffffff,x)"},
    {"__all", "__all(x)=__all_sync(0xffffffff,x)"},
};

bool init_is_maskless(const char *name)
{
    return name_find(MASKLESS, COUNT_OF(MASKLESS), sizeof *MASKLESS, 0, name) != NULL;
}

const char *init_undefined(InitTrying *t, const char **log)
{
    for (const char *at = *log; (at = strstr(at, "identifier \"")) != NULL;) {
        const Word w = code_word(at + strlen("identifier \""));
        at = w.at + w.length;
        if (w.length && strncmp(at, "\" is undefined", 14) == 0) {
            *log = at;
            return code_copy(t->arena, w);
        }
    }
    return NULL;
}

const char *init_failing_header(const InitTrying *t, const char *log)
{
    const char *name = near_header_failing(t->arena, log);
    const bool own =
        name && strcmp(path_stem(t->arena, name, ""), path_stem(t->arena, t->unit, "")) == 0;
    return own ? NULL : name;
}

/* A header's name as the #include lines spell it. */
static const char *spelled(const InitTrying *t, const char *path)
{
    const char *stem = path ? path_stem(t->arena, path, "") : NULL;
    for (const HostText *h = path ? t->host : NULL; h; h = h->next)
        for (const char *line = h->text; *line; line = code_next_line(line)) {
            const char *open = code_behind(line, "include");
            const char *name = code_copy(t->arena, code_quoted(open ? open : ""));
            if (strcmp(path_stem(t->arena, name, ""), stem) == 0)
                return name;
        }
    return path;
}

static void add_option(InitTrying *t, const char *text, const char *why)
{
    if (NAME_FIND(t->guess.options.at, t->guess.options.count, text, text))
        return;
    VEC_PUSH(t->arena, &t->guess.options, ((FirstOption){text, why}));
    t->mended = true;
}

/* The header of a member of std (nvcc's own headers include these), by prefix; NULL: not known. */
static const char *std_header(const char *member)
{
    static const struct {
        const char *header, *begins[14];
    } TABLE[] = {
        {"type_traits",
         {"is_", "enable_if", "conditional", "remove_", "add_", "decay", "make_unsigned",
          "make_signed", "integral_constant", "true_type", "false_type", "common_type",
          "underlying_type", "void_t"}},
        {"utility",
         {"pair", "make_pair", "move", "forward", "exchange", "declval", "index_sequence",
          "make_index_sequence", "integer_sequence"}},
        {"algorithm", {"min", "max", "swap"}},
        {"limits", {"numeric_limits"}},
        {"array", {"array"}},
        {"tuple", {"tuple", "make_tuple", "tie"}},
        {"cstddef", {"size_t", "ptrdiff_t", "nullptr_t"}},
        {"cstdint", {"int", "uint"}},
        {"complex", {"complex"}},
        {"cstring", {"mem"}},
        {"cmath",
         {"abs", "fabs", "sqrt", "pow", "exp", "log", "sin", "cos", "tan", "floor", "ceil", "round",
          "fmin", "fmax"}},
        {"functional", {"plus", "minus", "multiplies", "less", "greater"}},
    };
    for (size_t i = 0; i < COUNT_OF(TABLE); i++)
        for (size_t n = 0; n < 14 && TABLE[i].begins[n]; n++)
            if (strncmp(member, TABLE[i].begins[n], strlen(TABLE[i].begins[n])) == 0)
                return TABLE[i].header;
    return NULL;
}

/* Defines types of host libraries that the file names: "cublasStatus_t". */
static void mend_libraries(InitTrying *t, const char *log)
{
    static const char *const LIBRARIES[] = {"cublas", "cudnn",    "cusparse", "cusolver", "cufft",
                                            "curand", "cutensor", "nccl",     "npp"};
    for (const char *name; (name = init_undefined(t, &log)) != NULL;)
        for (size_t i = 0; i < COUNT_OF(LIBRARIES); i++)
            if (strncmp(name, LIBRARIES[i], strlen(LIBRARIES[i])) == 0 &&
                text_ends_with(name, "_t"))
                add_option(t, arena_printf(t->arena, "-D%s=int", name), "a type of a host library");
}

/* An undefined name may be defined under an #if that an option of the build enables. */
static void mend_hidden(InitTrying *t, const char *log)
{
    for (const char *name; (name = init_undefined(t, &log)) != NULL;) {
        KernelSource asked = {0};
        EACH_PLACE (h, place, t->host, name)
            if (asked.under.count == 0 && h->regions[place - h->text] == 0)
                kernel_source_conditions(t->arena, h->text, place, &asked);
        for (size_t i = 0; i < asked.under.count; i++)
            add_option(t, arena_printf(t->arena, "-D%s", asked.under.at[i]),
                       arena_printf(t->arena, "decide: it enables %s", name));
    }
}

/* Designated initialisers, "{.name = 1}", which are new in C++20. */
static bool has_designator(const char *log)
{
    for (const char *at = log; (at = strpbrk(at, "{,")) != NULL; at++) {
        const char *dot = code_blanks(at + 1);
        const Word name = code_word(*dot == '.' ? dot + 1 : "");
        if (name.length && *code_blanks(name.at + name.length) == '=')
            return true;
    }
    return false;
}

bool init_mend_options(InitTrying *t, const char *log)
{
    static const char *const STD[] = {"namespace \"std\" has no member",
                                      "incomplete type \"cuda::std::__4::"};
    t->mended = false;
    mend_libraries(t, log);
    /* Code with an #error for a missing build option gets the first option that it knows. */
    const bool refused = !t->mended && strstr(log, "#error directive");
    for (const HostText *h = refused ? t->host : NULL; h; h = h->next) {
        const char *choice = kernel_source_choice(t->arena, h->text, log);
        if (choice)
            add_option(t, arena_printf(t->arena, "-D%s", choice),
                       "decide: an option of the project's build");
    }
    if (!t->mended)
        mend_hidden(t, log);
    if (strstr(log, "\"--device-int128\""))
        add_option(t, "--device-int128", "for 128-bit integers");
    if (strstr(log, "\"register\" storage class"))
        add_option(t, "-Dregister=", "C++17 removed the keyword");
    if (strstr(log, "\"cudaGridDependencySynchronize\" is undefined") ||
        strstr(log, "\"cudaTriggerProgrammaticLaunchCompletion\" is undefined"))
        add_option(t, "--pre-include=cuda_device_runtime_api.h",
                   "for programmatic dependent launch");
    /* Some are undefined for the compiler; of others the assembler refuses the instruction. */
    for (size_t i = 0; i < COUNT_OF(MASKLESS); i++) {
        const char *name = MASKLESS[i][0];
        if (strstr(log, arena_printf(t->arena, "\"%s\" is undefined", name)) ||
            (strstr(log, "without '.sync'") && code_has_word(t->text, name)))
            add_option(t, arena_printf(t->arena, "-D%s", MASKLESS[i][1]),
                       "right if the whole warp calls it; else delete this and give the mask");
    }
    const bool unknown = strstr(log, "__nv_name_map") != NULL; /* the kernel is undefined */
    for (size_t i = 0; i < t->guess.kernel->under.count && unknown; i++)
        add_option(t, arena_printf(t->arena, "-D%s", t->guess.kernel->under.at[i]),
                   "an #if around the kernel asks for it");
    for (size_t i = 0; i < COUNT_OF(STD); i++)
        for (const char *at = log; (at = strstr(at, STD[i])) != NULL;) {
            at += strlen(STD[i]);
            const char *quote = at + strcspn(at, "\"\n"),
                       *name = i > 0 ? at : quote + (*quote == '"');
            const char *member = code_copy(t->arena, code_word(name));
            const char *header = std_header(member);
            if (header)
                add_option(t, arena_printf(t->arena, "--pre-include=%s", header),
                           arena_printf(t->arena, "for std::%s", member));
        }
    return t->mended;
}

bool init_add_folder(FirstGuess *g, const char *folder)
{
    const bool fresh = folder && g->include_count < INIT_INCLUDES_MOST &&
                       word_place(folder, g->includes, g->include_count) == SIZE_MAX;
    if (fresh)
        g->includes[g->include_count++] = folder;
    return fresh;
}

/* Adds the file of the project with the body of a function that a log calls unresolved. */
static bool mend_link(InitTrying *t, const char *log)
{
    const char *function;
    const char *file = near_body(t->arena, path_folder(t->arena, t->home), log, &function);
    if (!file || t->guess.include_count == INIT_INCLUDES_MOST ||
        strcmp(path_stem(t->arena, file, ""), path_stem(t->arena, t->home, "")) == 0)
        return false;
    init_add_folder(&t->guess, path_folder(t->arena, file));
    t->mended = false;
    add_option(t, arena_printf(t->arena, "--pre-include=%s", path_stem(t->arena, file, "")),
               arena_printf(t->arena, "has the body of %s", function));
    return t->mended;
}

bool init_mend_headers(InitTrying *t, const char *log, const char *folder)
{
    FirstGuess *g = &t->guess;
    if (!g->standard && (code_has_word(log, "requires") || code_has_word(log, "concept") ||
                         (strstr(log, "expected an expression") && has_designator(log)))) {
        g->standard = "-std=c++20";
        return true;
    }
    if (mend_link(t, log) || init_add_folder(g, folder))
        return true;
    const char *missing = near_header_missing(t->arena, log);
    if (!missing && !g->only)
        missing = spelled(t, init_failing_header(t, log));
    if (!missing || *missing == '/' || g->without_count == INIT_WITHOUT_MOST ||
        word_place(missing, g->without, g->without_count) < SIZE_MAX)
        return false;
    g->without[g->without_count++] = missing;
    return true;
}

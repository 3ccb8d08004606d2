/* NAME.cu: an emitted unit that reaches the device by the CUDA runtime API.
 *
 * The variants' sources are inside, each in a namespace of its own.  There "extern "C"" becomes
 * "extern "C++"", so that equal names of two variants are different functions; what both define
 * outside of their namespace by other means is a compile error.  Headers of the toolkit are
 * included before, and macros of a source undefined behind it. */
#include "tuner/emit/code_parts.h"

#include <ctype.h>
#include <string.h>

/* --- sources
 * --------------------------------------------------------------------------------------- */

/* Behind a comment, a string or a character; `p` itself when none begins there. */
static const char *skip_text(const char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p != '"' && *p != '\'')
        return p;
    for (const char *q = p + 1; *q && *q != '\n'; q++) {
        if (*q == '\\' && q[1])
            q++;
        else if (*q == *p)
            return q + 1;
    }
    return p + 1; /* a digit separator, or an apostrophe in what #if leaves out */
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind the "C" of `extern "C"`; NULL when none begins there. */
static const char *skip_linkage(const char *start, const char *p)
{
    if (strncmp(p, "extern", 6) != 0 || (p > start && is_word(p[-1])))
        return NULL;
    p += 6;
    p += strspn(p, " \t\r\n");
    return strncmp(p, "\"C\"", 3) == 0 ? p + 3 : NULL;
}

static void write_source(const char *source, Buf *out)
{
    for (const char *p = source; *p;) {
        const char *text = skip_text(p), *linkage = skip_linkage(source, p);
        if (linkage) {
            buf_add(out, p, (size_t)(linkage - p) - 1);
            buf_puts(out, "++\"");
            p = linkage;
        } else if (text > p) {
            buf_add(out, p, (size_t)(text - p));
            p = text;
        } else {
            buf_putc(out, *p++);
        }
    }
    if (out->size > 0 && out->text[out->size - 1] != '\n')
        buf_putc(out, '\n');
}

static void write_undefined(const EmitCode *code, Buf *out)
{
    for (size_t i = 0; i < code->macro_count; i++)
        buf_printf(out, "#undef %s\n", code->macros[i]);
    buf_puts(out, code->macro_count ? "\n" : "");
}

/* --- beside a source: what only its own namespace can name
 * ------------------------------------------ */

static const char BESIDE[] =
    "/* Does the code run on this device? */\n"
    "static cudaError_t @check_%zu()\n"
    "{\n"
    "    cudaFuncAttributes attributes;\n"
    "    return cudaFuncGetAttributes(&attributes, %s);\n"
    "}\n"
    "\n"
    "template <class... Arguments>\n"
    "static int @start_%zu(const @kernel *k, int function, const @shape *s, cudaStream_t stream,\n"
    "    Arguments... arguments)\n"
    "{\n"
    "%s"
    "    %s<<<@dim(s->grid), @dim(s->block), (size_t)s->shared, stream>>>(arguments...);\n"
    "    return @launched(k, function);\n"
    "}\n"
    "\n";

static const char ALLOW[] =
    "    if (s->shared > 0) {\n"
    "        const int status = @allow_shared(k, function, (const void *)(%s), (int)s->shared);\n"
    "        if (status != ^OK)\n"
    "            return status;\n"
    "    }\n";

static bool has_shared(const Code *c, size_t launch)
{
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        const Value *shared = expr_literal(c->variants[v].launches[launch].shared);
        if (!shared || shared->integer != 0)
            return true;
    }
    return false;
}

static bool has_any_shared(const Code *c)
{
    for (size_t l = 0; l < c->spec->launch_count; l++)
        if (has_shared(c, l))
            return true;
    return false;
}

static void write_beside(const Code *c, const EmitVariant *v, size_t launch, Buf *out)
{
    const char *kernel = v->codes[launch].kernel;
    Buf allow = {0};
    if (has_shared(c, launch))
        code_printf(c, &allow, ALLOW, kernel);
    code_printf(c, out, BESIDE, launch + 1, kernel, launch + 1, buf_text(&allow), kernel);
    buf_free(&allow);
}

static void write_setters(const Code *c, Buf *out)
{
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const char *name = c->spec->arguments[i].name;
        if (c->spec->arguments[i].role != ARGUMENT_CONSTANT)
            continue;
        code_printf(c, out,
                    "static int @set_%s(const void *from, long long bytes, cudaStream_t stream)\n"
                    "{\n    return @set_variable(%s, from, bytes, stream);\n}\n\n",
                    name, name);
    }
}

static void write_code(const Code *c, const CodeVariant *v, size_t launch, Buf *out)
{
    const EmitCode *codes = v->variant->codes;
    const char *space = code_namespace(c, v, launch);
    buf_printf(out, "/* --- %s ---\n *\n * ", space);
    text_comment(out, v->variant->name);
    buf_puts(out, " */\n\n");
    code_printf(c, out, "namespace @code {\nnamespace %s {\n\n", space);
    write_source(codes[launch].source, out);
    buf_putc(out, '\n');
    write_undefined(&codes[launch], out);
    for (size_t l = launch; l < c->spec->launch_count; l++)
        if (codes[l].shares == launch)
            write_beside(c, v->variant, l, out);
    write_setters(c, out);
    code_printf(c, out, "} // namespace %s\n} // namespace @code\n\n", space);
}

/* Names of variables that a variant may lack: a number there means that it does. */
static void write_missing(const Code *c, Buf *out)
{
    bool any = false;
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        if (c->spec->arguments[i].role != ARGUMENT_CONSTANT)
            continue;
        if (!any)
            code_puts(
                c, out,
                "namespace @code {\n"
                "/* Variables of the device that are written before a launch.  A variant that does "
                "not have one\n"
                " * of its own finds its name here. */\n"
                "enum @missing { ");
        buf_printf(out, "%s%s", any ? ", " : "", c->spec->arguments[i].name);
        any = true;
    }
    if (any)
        code_puts(c, out,
                  " };\n\n"
                  "static inline int @set_variable(@missing, const void *, long long, "
                  "cudaStream_t)\n{\n    return ^OK;\n}\n\n"
                  "template <class Variable>\n"
                  "static int @set_variable(const Variable &variable, const void *from, long long "
                  "bytes,\n"
                  "    cudaStream_t stream)\n"
                  "{\n"
                  "    if (from == NULL)\n"
                  "        return ^ARGUMENT;\n"
                  "    if (bytes != (long long)sizeof variable)\n"
                  "        return ^SIZE;\n"
                  "    const cudaError_t error = cudaMemcpyToSymbolAsync(\n"
                  "        variable, from, sizeof variable, 0, cudaMemcpyDeviceToDevice, stream);\n"
                  "    return error == cudaSuccess ? ^OK : @failed(error);\n"
                  "}\n"
                  "} // namespace @code\n\n");
}

/* --- what is common
 * -------------------------------------------------------------------------------- */

static const char STATE[] =
    "/* --- launching ---------------------------------------------------------------------------- "
    "*/\n"
    "\n"
    "enum { ^FUNCTIONS = %zu };\n"
    "\n"
    "/* What changes while it is used; whoever reads or writes it holds the mutex. */\n"
    "struct @state {\n"
    "    std::mutex mutex;\n"
    "%s"
    "    unsigned char is_checked[^VARIANTS] = {};\n"
    "    unsigned char is_broken[^VARIANTS] = {}; /* it does not run on the device */\n"
    "};\n"
    "\n"
    "struct @kernel {\n"
    "    int number; /* of the device */\n"
    "    cudaDeviceProp properties;\n"
    "    @device device;\n"
    "    mutable @state state;\n"
    "};\n"
    "\n"
    "static thread_local int @last_error;\n"
    "\n"
    "static int @failed(cudaError_t error)\n"
    "{\n"
    "    @last_error = (int)error;\n"
    "    return ^CUDA;\n"
    "}\n"
    "\n"
    "/* Does an error say that code does not suit the device or the driver?  Of CUDA's numbers: "
    "invalid\n"
    " * device function, invalid image, no binary for GPU, invalid PTX, no JIT compiler, "
    "unsupported PTX\n"
    " * version, JIT compilation disabled, invalid source, not found. */\n"
    "static int @is_about_code(cudaError_t error)\n"
    "{\n"
    "    const int number = (int)error;\n"
    "    return number == 98 || number == 200 || number == 209 || number == 218 ||\n"
    "           (number >= 221 && number <= 223) || number == 300 || number == 500;\n"
    "}\n"
    "\n"
    "static inline dim3 @dim(const long long n[3])\n"
    "{\n"
    "    return dim3((unsigned int)n[0], (unsigned int)n[1], (unsigned int)n[2]);\n"
    "}\n"
    "\n"
    "/* A pointer that becomes whichever a kernel takes. */\n"
    "struct @pointer {\n"
    "    const void *at;\n"
    "    template <class T> operator T *() const\n"
    "    {\n"
    "        return (T *)const_cast<void *>(at);\n"
    "    }\n"
    "};\n"
    "\n"
    "%s"
    "static inline int @launched(const @kernel *, int)\n"
    "{\n"
    "    const cudaError_t error = cudaGetLastError();\n"
    "    return error == cudaSuccess ? ^OK : @failed(error);\n"
    "}\n"
    "\n"
    "static int @is_bad(const void *pointer, size_t alignment)\n"
    "{\n"
    "    return pointer == NULL || (uintptr_t)pointer %% alignment != 0;\n"
    "}\n"
    "\n";

static const char BITS[] =
    "/* The bits of a number of a type that C does not have. */\n"
    "template <class From> struct @bits {\n"
    "    From from;\n"
    "    template <class To> operator To() const\n"
    "    {\n"
    "        static_assert(sizeof(To) == sizeof(From), \"the kernel takes another type\");\n"
    "        To to;\n"
    "        memcpy((void *)&to, &from, sizeof to);\n"
    "        return to;\n"
    "    }\n"
    "};\n"
    "\n";

static const char ALLOW_SHARED[] =
    "/* Lets a kernel have as much dynamic shared memory, and never less than before: another "
    "thread may\n"
    " * be about to launch with that. */\n"
    "static int @allow_shared(const @kernel *k, int function, const void *kernel, int bytes)\n"
    "{\n"
    "    const std::lock_guard<std::mutex> lock(k->state.mutex);\n"
    "    if (bytes <= k->state.shared_bytes[function])\n"
    "        return ^OK;\n"
    "    const cudaError_t error =\n"
    "        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);\n"
    "    if (error != cudaSuccess) {\n"
    "        (void)cudaGetLastError();\n"
    "        return @failed(error);\n"
    "    }\n"
    "    k->state.shared_bytes[function] = bytes;\n"
    "    return ^OK;\n"
    "}\n"
    "\n";

static const char CLEAR[] =
    "static int @clear(const @kernel *, void *buffer, long long bytes, cudaStream_t stream)\n"
    "{\n"
    "    const cudaError_t error = cudaMemsetAsync(buffer, 0, (size_t)bytes, stream);\n"
    "    return error == cudaSuccess ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static bool has_halves(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->spec->arguments[i].role == ARGUMENT_SCALAR &&
            c->spec->arguments[i].element.scalar == TASK_HALF)
            return true;
    for (size_t l = 0; l < c->spec->launch_count; l++)
        for (size_t i = 0; i < c->spec->launches[l].item_count; i++) {
            const Argument *own = c->spec->launches[l].items[i].own;
            if (own && own->element.scalar == TASK_HALF)
                return true;
        }
    return false;
}

static bool has_zeros(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (code_is_zeroed(&c->spec->arguments[i]))
            for (size_t v = 0; v < c->unit->variant_count; v++)
                if (c->variants[v].taken[i])
                    return true;
    return false;
}

/* --- the interface
 * --------------------------------------------------------------------------------- */

static void write_checks(const Code *c, Buf *out)
{
    code_puts(c, out,
              "static cudaError_t @check(int variant)\n{\n"
              "    cudaError_t error = cudaSuccess;\n"
              "    switch (variant) {\n");
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        buf_printf(out, "    case %zu:\n", v + 1);
        for (size_t l = 0; l < c->spec->launch_count; l++)
            code_printf(c, out, "        %serror = @code::%s::@check_%zu();\n",
                        l ? "if (error == cudaSuccess)\n            " : "",
                        code_namespace(c, &c->variants[v], l), l + 1);
        buf_puts(out, "        break;\n");
    }
    buf_puts(
        out,
        "    default:\n        error = cudaErrorInvalidValue;\n    }\n"
        "    if (error != cudaSuccess)\n"
        "        (void)cudaGetLastError(); /* it is told here, and not once more elsewhere */\n"
        "    return error;\n}\n\n");
}

static void write_runs(Code *c, Buf *out)
{
    const char *why;
    for (size_t i = 0; i < c->unit->variant_count; i++)
        code_run(c, &c->variants[i], out, &why);
    code_puts(c, out,
              "static int @run(@kernel *k, int variant, const @problem *p, const @arguments *a,\n"
              "    cudaStream_t stream)\n{\n    switch (variant) {\n");
    for (size_t i = 1; i <= c->unit->variant_count; i++)
        code_printf(c, out, "    case %zu:\n        return @run_%zu(k, p, a, stream);\n", i, i);
    code_puts(c, out, "    default:\n        return ^NO_CODE;\n    }\n}\n\n");
}

static const char LOAD[] =
    "/* --- the interface ----------------------------------------------------------------------- "
    "*/\n"
    "\n"
    "static int @look_at_device(@kernel *k)\n"
    "{\n"
    "    int shared = 0;\n"
    "    cudaError_t error = cudaGetDevice(&k->number);\n"
    "    if (error == cudaSuccess)\n"
    "        error = cudaGetDeviceProperties(&k->properties, k->number);\n"
    "    if (error == cudaSuccess)\n"
    "        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, "
    "k->number);\n"
    "    if (error != cudaSuccess) {\n"
    "        (void)cudaGetLastError();\n"
    "        (void)@failed(error);\n"
    "        return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? "
    "^NO_DRIVER\n"
    "                                                                                  : ^CUDA;\n"
    "    }\n"
    "    k->device.name = k->properties.name;\n"
    "    k->device.arch = 10 * k->properties.major + k->properties.minor;\n"
    "    k->device.shared_bytes = shared;\n"
    "    return ^OK;\n"
    "}\n"
    "\n"
    "int @load(@kernel **out)\n"
    "{\n"
    "    if (out == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    *out = NULL;\n"
    "    @last_error = 0;\n"
    "    @kernel *k = new (std::nothrow) @kernel();\n"
    "    if (k == NULL)\n"
    "        return @failed(cudaErrorMemoryAllocation);\n"
    "    const int status = @look_at_device(k);\n"
    "    if (status != ^OK) {\n"
    "        delete k;\n"
    "        return status;\n"
    "    }\n"
    "    *out = k;\n"
    "    return ^OK;\n"
    "}\n"
    "\n"
    "void @unload(@kernel *k)\n"
    "{\n"
    "    delete k;\n"
    "}\n"
    "\n"
    "int @choose(const @kernel *k, const @problem *p, @choice *out)\n"
    "{\n"
    "    unsigned char broken[^VARIANTS];\n"
    "    if (k == NULL || p == NULL || out == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    {\n"
    "        const std::lock_guard<std::mutex> lock(k->state.mutex);\n"
    "        memcpy(broken, k->state.is_broken, sizeof broken);\n"
    "    }\n"
    "    return @pick(&k->device, broken, p, out);\n"
    "}\n"
    "\n";

static const char LAUNCH[] =
    "/* Looks at a variant at its first use.  ^NO_CODE: it is of no use here, and will not be "
    "asked for\n"
    " * again. */\n"
    "static int @prepare(const @kernel *k, int variant)\n"
    "{\n"
    "    const std::lock_guard<std::mutex> lock(k->state.mutex);\n"
    "    if (k->state.is_checked[variant - 1])\n"
    "        return ^OK;\n"
    "    const cudaError_t error = @check(variant);\n"
    "    if (error == cudaSuccess) {\n"
    "        k->state.is_checked[variant - 1] = 1;\n"
    "        return ^OK;\n"
    "    }\n"
    "    (void)@failed(error);\n"
    "    if (!@is_about_code(error))\n"
    "        return ^CUDA;\n"
    "    k->state.is_broken[variant - 1] = 1;\n"
    "    return ^NO_CODE;\n"
    "}\n"
    "\n"
    "/* The best variant that runs on the device. */\n"
    "static int @take(const @kernel *k, const @problem *p, @choice *took)\n"
    "{\n"
    "    for (;;) {\n"
    "        int status = @choose(k, p, took);\n"
    "        if (status != ^OK)\n"
    "            return status;\n"
    "        status = @prepare(k, took->variant);\n"
    "        if (status != ^NO_CODE)\n"
    "            return status;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* On the kernel's device, which is this thread's. */\n"
    "static int @launch_here(@kernel *k, const @problem *p, const @arguments *a, cudaStream_t "
    "stream,\n"
    "    @choice *took)\n"
    "{\n"
    "    @choice choice;\n"
    "    const cudaError_t before = cudaPeekAtLastError();\n"
    "    if (before != cudaSuccess)\n"
    "        return @failed(before); /* it would be taken for the launch's own */\n"
    "    int status = @take(k, p, &choice);\n"
    "    if (status == ^OK && took != NULL)\n"
    "        *took = choice;\n"
    "    if (status == ^OK)\n"
    "        status = @run(k, choice.variant, p, a, stream);\n"
    "    return status;\n"
    "}\n"
    "\n"
    "int @launch(@kernel *k, const @problem *p, const @arguments *a, void *stream, @choice *took)\n"
    "{\n"
    "    int current = 0;\n"
    "    if (took != NULL)\n"
    "        memset(took, 0, sizeof *took);\n"
    "    if (k == NULL || p == NULL || a == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    cudaError_t error = cudaGetDevice(&current);\n"
    "    if (error == cudaSuccess && current != k->number)\n"
    "        error = cudaSetDevice(k->number);\n"
    "    if (error != cudaSuccess)\n"
    "        return @failed(error);\n"
    "    const int status = @launch_here(k, p, a, (cudaStream_t)stream, took);\n"
    "    if (current != k->number)\n"
    "        (void)cudaSetDevice(current);\n"
    "    return status;\n"
    "}\n"
    "\n"
    "int @cuda_error(const @kernel *)\n"
    "{\n"
    "    return @last_error;\n"
    "}\n";

/* --- the whole
 * ------------------------------------------------------------------------------------- */

static bool was_included(const Code *c, size_t variant, size_t launch, size_t include)
{
    const char *name = c->unit->variants[variant].codes[launch].includes[include];
    for (size_t v = 0; v <= variant; v++)
        for (size_t l = 0; l < (v < variant ? c->spec->launch_count : launch + 1); l++) {
            const EmitCode *code = &c->unit->variants[v].codes[l];
            const bool last = v == variant && l == launch;
            for (size_t i = 0; i < (last ? include : code->include_count); i++)
                if (strcmp(code->includes[i], name) == 0)
                    return true;
        }
    return false;
}

static void write_includes(const Code *c, Buf *out)
{
    buf_printf(out, "#include \"%s.h\"\n\n#include <cuda_runtime.h>\n", c->unit->name);
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            const EmitCode *code = &c->unit->variants[v].codes[l];
            for (size_t i = 0; i < code->include_count; i++)
                if (!was_included(c, v, l, i))
                    buf_printf(out, "#include %s\n", code->includes[i]);
        }
    buf_puts(out, "#include <limits.h>\n");
    buf_puts(out, c_helpers_need_math(c->helpers) ? "#include <math.h>\n" : "");
    buf_puts(out, "#include <mutex>\n#include <new>\n#include <stddef.h>\n#include <stdint.h>\n"
                  "#include <string.h>\n\n");
}

/* Options that all code was tuned with are nvcc's; those that differ cannot be. */
static void warn_of_options(const Code *c)
{
    const char *first = c->unit->variants[0].codes[0].options;
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++)
            if (strcmp(c->unit->variants[v].codes[l].options, first) != 0) {
                diag_warn(
                    c->d, (Span){0},
                    "variants were tuned with different options (\"%s\", \"%s\"), and one file "
                    "is compiled with the same for all",
                    first, c->unit->variants[v].codes[l].options);
                return;
            }
}

static void write_state(const Code *c, Buf *out)
{
    Buf shared = {0}, bits = {0};
    if (has_any_shared(c))
        code_puts(c, &shared,
                  "    int shared_bytes[^FUNCTIONS] = {}; /* that a kernel may have */\n");
    if (has_halves(c))
        code_puts(c, &bits, BITS);
    code_printf(c, out, STATE, c->unit->variant_count * c->spec->launch_count, buf_text(&shared),
                buf_text(&bits));
    if (has_any_shared(c))
        code_puts(c, out, ALLOW_SHARED);
    if (has_zeros(c))
        code_puts(c, out, CLEAR);
    buf_free(&shared);
    buf_free(&bits);
}

void code_runtime(Code *c, Buf *out)
{
    Buf sizes = {0}, choice = {0}, runs = {0}, interface = {0};
    warn_of_options(c);
    code_sizes(c, &sizes);
    code_interface(c, &interface);
    code_choice(c, &choice);
    write_runs(c, &runs);
    code_top(c, out);
    write_includes(c, out);
    code_common(c, out);
    c_helpers(c->helpers, c->prefix, out);
    buf_puts(out, buf_text(&sizes));
    buf_puts(out, buf_text(&choice));
    write_state(c, out);
    write_missing(c, out);
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++)
            if (c->unit->variants[v].codes[l].shares == l)
                write_code(c, &c->variants[v], l, out);
    buf_puts(out, buf_text(&runs));
    write_checks(c, out);
    code_puts(c, out, LOAD);
    buf_puts(out, buf_text(&interface));
    code_puts(c, out, LAUNCH);
    buf_free(&sizes);
    buf_free(&choice);
    buf_free(&runs);
    buf_free(&interface);
}

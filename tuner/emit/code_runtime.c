/* NAME.cu: an emitted unit that reaches the device by the CUDA runtime API. */
#include "tuner/emit/c_wrap.h"
#include "tuner/emit/code_runtime.h"

#include <string.h>

/* --- launching -------------------------------------------------------------------------------- */

static const char STATE[] =
    "/* --- launching ---------------------------------------------------------------------- */\n"
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
    "    const cudaError_t error = cudaFuncSetAttribute(kernel, "
    "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);\n"
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

static bool is_bits(const Argument *g)
{
    return g->role == ARGUMENT_SCALAR &&
           (g->fields || task_scalar_in_c(g->element.scalar) != g->element.scalar);
}

static bool has_bits(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (is_bits(&c->spec->arguments[i]))
            return true;
    for (size_t l = 0; l < c->spec->launch_count; l++)
        for (size_t i = 0; i < c->spec->launches[l].item_count; i++) {
            const Argument *own = c->spec->launches[l].items[i].own;
            if (own && is_bits(own))
                return true;
        }
    return false;
}

static void write_state(const Code *c, Buf *out)
{
    Buf shared = {0}, bits = {0};
    if (code_has_shared(c))
        code_puts(c, &shared,
                  "    int shared_bytes[^FUNCTIONS] = {}; /* that a kernel may have */\n");
    if (has_bits(c))
        code_puts(c, &bits, BITS);
    code_printf(c, out, STATE, c->unit->variant_count * c->spec->launch_count, buf_text(&shared),
                buf_text(&bits));
    if (code_has_shared(c))
        code_puts(c, out, ALLOW_SHARED);
    if (code_has_zeros(c))
        code_puts(c, out, CLEAR);
    buf_free(&shared);
    buf_free(&bits);
}

/* --- the interface ---------------------------------------------------------------------------- */

static void write_checks(const Code *c, Buf *out)
{
    code_puts(c, out,
              "static cudaError_t @check(int variant)\n{\n"
              "    cudaError_t error = cudaSuccess;\n"
              "    switch (variant) {\n");
    for (size_t v = 0; v < c->unit->variant_count; v++) {
        buf_printf(out, "    case %zu:\n", v + 1);
        for (size_t l = 0; l < c->spec->launch_count; l++)
            code_printf(c, out, "        %serror = @code::%s::aptune__check_%zu();\n",
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

static const char LOAD[] =
    "/* --- the interface ------------------------------------------------------------------ */\n"
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
    "        if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)\n"
    "            return ^NO_DRIVER;\n"
    "        return ^CUDA;\n"
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
    "/* Looks at a variant at its first use.  ^NO_CODE: it is of no use here, once and for all. "
    "*/\n"
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
    "stream, "
    "@choice *took)\n"
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

/* --- the whole -------------------------------------------------------------------------------- */

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

void code_runtime(Code *c, Buf *out)
{
    Buf sizes = {0}, choice = {0}, runs = {0}, interface = {0}, before = {0}, behind = {0};
    warn_of_options(c);
    code_sizes(c, &sizes);
    code_interface(c, &interface);
    code_choice(c, &choice);
    code_runs(c, &runs);
    code_top(c, &before);
    code_runtime_includes(c, &before);
    code_common(c, &before);
    c_helpers(c->helpers, c->prefix, &before);
    buf_puts(&before, buf_text(&sizes));
    buf_puts(&before, buf_text(&choice));
    write_state(c, &before);
    code_runtime_missing(c, &before);
    c_wrap(buf_text(&before), out);
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++)
            if (c->unit->variants[v].codes[l].shares == l)
                code_runtime_source(c, &c->variants[v], l, out);
    buf_puts(&behind, buf_text(&runs));
    write_checks(c, &behind);
    code_puts(c, &behind, LOAD);
    buf_puts(&behind, buf_text(&interface));
    code_puts(c, &behind, LAUNCH);
    c_wrap(buf_text(&behind), out);
    buf_free(&before);
    buf_free(&behind);
    buf_free(&sizes);
    buf_free(&choice);
    buf_free(&runs);
    buf_free(&interface);
}

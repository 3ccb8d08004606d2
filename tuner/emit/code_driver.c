/* NAME.c: an emitted unit that reaches the device by the CUDA driver API. */
#include "tuner/emit/c_wrap.h"
#include "tuner/emit/code_driver.h"

/* --- launching -------------------------------------------------------------------------------- */

static const char START[] =
    "/* --- launching ---------------------------------------------------------------------- */\n"
    "\n"
    "static int @is_bad(const void *pointer, size_t alignment)\n"
    "{\n"
    "    return pointer == NULL || (uintptr_t)pointer % alignment != 0;\n"
    "}\n"
    "\n";

static const char ALLOW_SHARED[] =
    "/* Lets a function have as much dynamic shared memory, and never less than before: another "
    "thread\n"
    " * may be about to launch with that. */\n"
    "static int @allow_shared(const @kernel *k, int function, int bytes)\n"
    "{\n"
    "    @state *state = k->state;\n"
    "    CUresult error = CUDA_SUCCESS;\n"
    "    pthread_mutex_lock(&state->mutex);\n"
    "    if (bytes > state->shared_bytes[function]) {\n"
    "        error = $FuncSetAttribute(state->functions[function], "
    "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);\n"
    "        if (error == CUDA_SUCCESS)\n"
    "            state->shared_bytes[function] = bytes;\n"
    "    }\n"
    "    pthread_mutex_unlock(&state->mutex);\n"
    "    return error == CUDA_SUCCESS ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static const char LAUNCH_ONE[] =
    "static int @start(const @kernel *k, int function, const @shape *s, void **list, CUstream "
    "stream)\n"
    "{\n"
    "%s"
    "    const long long *const g = s->grid, *const b = s->block;\n"
    "    const CUresult error = $LaunchKernel(k->state->functions[function], (unsigned int)g[0], "
    "(unsigned int)g[1], (unsigned int)g[2], (unsigned int)b[0], (unsigned int)b[1], "
    "(unsigned int)b[2], (unsigned int)s->shared, stream, list, NULL);\n"
    "    return error == CUDA_SUCCESS ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static const char CALL_ALLOW[] =
    "    if (s->shared > 0) {\n"
    "        const int status = @allow_shared(k, function, (int)s->shared);\n"
    "        if (status != ^OK)\n"
    "            return status;\n"
    "    }\n";

static const char SET_VARIABLE[] =
    "/* Copies to a variable of the device, in all of a variant's code that has it: where nothing "
    "reads\n"
    " * a variable there is none. */\n"
    "static int @set_variable(const @kernel *k, int variant, const char *name, const void *from, "
    "long long bytes, CUstream stream)\n"
    "{\n"
    "    for (int i = 0; i < (int)^IMAGES; i++) {\n"
    "        CUdeviceptr at;\n"
    "        size_t size;\n"
    "        if (@images[i].variant != variant)\n"
    "            continue;\n"
    "        CUresult error = $ModuleGetGlobal(&at, &size, k->state->modules[i], name);\n"
    "        if (error == (CUresult)CUDA_ERROR_NOT_FOUND)\n"
    "            continue;\n"
    "        if (error == CUDA_SUCCESS && from == NULL)\n"
    "            return ^ARGUMENT;\n"
    "        if (error == CUDA_SUCCESS && size != (size_t)bytes)\n"
    "            return ^SIZE;\n"
    "        if (error == CUDA_SUCCESS)\n"
    "            error = $MemcpyDtoDAsync(at, (CUdeviceptr)(uintptr_t)from, size, stream);\n"
    "        if (error != CUDA_SUCCESS)\n"
    "            return @failed(error);\n"
    "    }\n"
    "    return ^OK;\n"
    "}\n"
    "\n";

static const char CLEAR[] =
    "static int @clear(const @kernel *k, void *buffer, long long bytes, CUstream stream)\n"
    "{\n"
    "    (void)k;\n"
    "    const CUresult error = $MemsetD8Async((CUdeviceptr)(uintptr_t)buffer, 0, (size_t)bytes, "
    "stream);\n"
    "    return error == CUDA_SUCCESS ? ^OK : @failed(error);\n"
    "}\n"
    "\n";

static void write_launching(const Code *c, Buf *out)
{
    Buf allow = {0};
    code_puts(c, out, START);
    if (code_has_shared(c)) {
        code_puts(c, out, ALLOW_SHARED);
        code_puts(c, &allow, CALL_ALLOW);
    }
    code_printf(c, out, LAUNCH_ONE, buf_text(&allow));
    if (code_has_constants(c))
        code_puts(c, out, SET_VARIABLE);
    if (code_has_zeros(c))
        code_puts(c, out, CLEAR);
    buf_free(&allow);
}

static const char LAUNCH[] =
    "/* The best variant that the driver has a use for, loaded. */\n"
    "static int @take(@kernel *k, const @problem *p, @choice *took)\n"
    "{\n"
    "    for (;;) {\n"
    "        int status = @choose(k, p, took);\n"
    "        if (status == ^OK)\n"
    "            status = @prepare(k, took->variant);\n"
    "        else\n"
    "            return status;\n"
    "        if (status != ^NO_CODE)\n"
    "            return status;\n"
    "    }\n"
    "}\n"
    "\n"
    "int @launch(@kernel *k, const @problem *p, const @arguments *a, void *stream, @choice *took)\n"
    "{\n"
    "    @choice choice;\n"
    "    int pushed;\n"
    "    if (took != NULL)\n"
    "        memset(took, 0, sizeof *took);\n"
    "    if (k == NULL || p == NULL || a == NULL)\n"
    "        return ^ARGUMENT;\n"
    "    const CUresult error = @enter(k, &pushed);\n"
    "    if (error != CUDA_SUCCESS)\n"
    "        return @failed(error);\n"
    "    int status = @take(k, p, &choice);\n"
    "    if (status == ^OK && took != NULL)\n"
    "        *took = choice;\n"
    "    if (status == ^OK)\n"
    "        status = @run(k, choice.variant, p, a, (CUstream)stream);\n"
    "    @leave(k, pushed);\n"
    "    return status;\n"
    "}\n"
    "\n"
    "int @cuda_error(const @kernel *k)\n"
    "{\n"
    "    (void)k;\n"
    "    return @last_error;\n"
    "}\n";

/* --- the whole -------------------------------------------------------------------------------- */

static void write_includes(const Code *c, Buf *out)
{
    const bool opened = c->unit->flavour == EMIT_DRIVER;
    buf_printf(out, "#include \"%s.h\"\n\n#include \"%s_code.h\"\n\n", c->unit->name,
               c->unit->name);
    buf_puts(out, opened ? "#include <dlfcn.h>\n" : "#include <cuda.h>\n");
    buf_puts(out, "#include <limits.h>\n");
    buf_puts(out, c_helpers_need_math(c->helpers) ? "#include <math.h>\n" : "");
    buf_puts(out, "#include <pthread.h>\n#include <stddef.h>\n#include <stdint.h>\n"
                  "#include <stdlib.h>\n#include <string.h>\n\n");
}

/* What comes first depends on the helpers and functions that the rest turns out to use. */
void code_driver(Code *c, Buf *out)
{
    Buf sizes = {0}, choice = {0}, runs = {0}, interface = {0}, text = {0};
    code_sizes(c, &sizes);
    code_interface(c, &interface);
    code_choice(c, &choice);
    code_runs(c, &runs);
    code_top(c, &text);
    write_includes(c, &text);
    if (c->unit->flavour == EMIT_DRIVER)
        code_driver_api(c, &text);
    code_common(c, &text);
    c_helpers(c->helpers, c->prefix, &text);
    buf_puts(&text, buf_text(&sizes));
    buf_puts(&text, buf_text(&choice));
    code_driver_images(c, &text);
    code_driver_kernel(c, &text);
    write_launching(c, &text);
    buf_puts(&text, buf_text(&runs));
    code_driver_load(c, &text);
    buf_puts(&text, buf_text(&interface));
    code_puts(c, &text, LAUNCH);
    buf_free(&sizes);
    buf_free(&choice);
    buf_free(&runs);
    buf_free(&interface);
    c_wrap(buf_text(&text), out);
    buf_free(&text);
}

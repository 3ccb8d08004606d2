/* The variants' sources inside of NAME.cu, each in a namespace of its own with what only it can
 * name behind it.
 *
 * There "extern "C"" becomes "extern "C++"", so that equal names of two variants are different
 * functions; what both define outside of their namespace by other means is a compile error.
 * Headers of the toolkit are included before.  What these define by a name that a source defines is
 * put aside for it; so is a macro by a kernel's name, which NVRTC knows nothing of (linux, errno).
 */
#include "tuner/emit/c_wrap.h"
#include "tuner/emit/code_runtime.h"

#include <ctype.h>
#include <string.h>

/* --- headers ---------------------------------------------------------------------------------- */

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

void code_runtime_includes(const Code *c, Buf *out)
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

/* --- sources ---------------------------------------------------------------------------------- */

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

static void put_macros_aside(const EmitCode *code, Buf *out)
{
    for (size_t i = 0; i < code->macro_count; i++)
        buf_printf(out, "#pragma push_macro(\"%s\")\n#undef %s\n", code->macros[i],
                   code->macros[i]);
    buf_puts(out, code->macro_count ? "\n" : "");
}

static void take_macros_back(const EmitCode *code, Buf *out)
{
    for (size_t i = 0; i < code->macro_count; i++)
        buf_printf(out, "#pragma pop_macro(\"%s\")\n", code->macros[i]);
    buf_puts(out, code->macro_count ? "\n" : "");
}

/* Words of a kernel's name without its template's arguments, and of the variables that are set,
 * each in turn in `word`; NULL behind the last one. */
static const char *next_word(const char *p, size_t *size)
{
    while (*p && *p != '<' && !is_word(*p))
        p++;
    for (*size = 0; is_word(p[*size]);)
        ++*size;
    return *size > 0 ? p : NULL;
}

/* A name that is a macro of the host's stands for another one: some come back in what nvcc makes of
 * the text, so that they can't only be undefined. */
static void rename_word(const char *word, int size, bool back, Buf *out)
{
    if (back)
        buf_printf(out, "#pragma pop_macro(\"%.*s\")\n", size, word);
    else
        buf_printf(out,
                   "#pragma push_macro(\"%.*s\")\n#ifdef %.*s\n#undef %.*s\n"
                   "#define %.*s aptune__%.*s\n#endif\n",
                   size, word, size, word, size, word, size, word, size, word);
}

static void rename_names(const Code *c, const EmitCode *codes, size_t launch, bool back, Buf *out)
{
    for (size_t l = launch; l < c->spec->launch_count; l++) {
        size_t size;
        const char *word = codes[l].shares == launch ? next_word(codes[l].kernel, &size) : NULL;
        for (; word; word = next_word(word + size, &size))
            rename_word(word, (int)size, back, out);
    }
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const char *name = c->spec->arguments[i].name;
        if (c->spec->arguments[i].role == ARGUMENT_CONSTANT)
            rename_word(name, (int)strlen(name), back, out);
    }
    buf_putc(out, '\n');
}

/* --- beside a source: what only its own namespace can name ------------------------------------ */

/* The kernel may have any name, that of a parameter or of a function of ours, too: it is named with
 * its namespace, and ours with none. */
static const char BESIDE[] =
    "/* Does the code run on this device? */\n"
    "static cudaError_t aptune__check_%zu()\n"
    "{\n"
    "    cudaFuncAttributes attributes;\n"
    "    return cudaFuncGetAttributes(&attributes, ::@code::%s::%s);\n"
    "}\n"
    "\n"
    "template <class... Arguments>\n"
    "static int aptune__start_%zu(const ::@kernel *k, int function, const ::@shape *s, "
    "cudaStream_t "
    "stream, "
    "Arguments... arguments)\n"
    "{\n"
    "%s"
    "    ::@code::%s::%s<<<::@dim(s->grid), ::@dim(s->block), (size_t)s->shared, "
    "stream>>>(arguments...);\n"
    "    return ::@launched(k, function);\n"
    "}\n"
    "\n";

static const char ALLOW[] =
    "    if (s->shared > 0) {\n"
    "        const int status = ::@allow_shared(k, function, (const void *)(::@code::%s::%s), "
    "(int)s->shared);\n"
    "        if (status != ^OK)\n"
    "            return status;\n"
    "    }\n";

static void write_beside(const Code *c, const CodeVariant *v, size_t launch, const char *space,
                         Buf *out)
{
    const char *kernel = v->variant->codes[launch].kernel;
    Buf allow = {0};
    if (code_launch_has_shared(c, launch))
        code_printf(c, &allow, ALLOW, space, kernel);
    code_printf(c, out, BESIDE, launch + 1, space, kernel, launch + 1, buf_text(&allow), space,
                kernel);
    buf_free(&allow);
}

static void write_setters(const Code *c, Buf *out)
{
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const char *name = c->spec->arguments[i].name;
        if (c->spec->arguments[i].role != ARGUMENT_CONSTANT)
            continue;
        code_printf(c, out,
                    "static int aptune__set_%s(const void *aptune__from, long long aptune__bytes, "
                    "cudaStream_t aptune__stream)\n"
                    "{\n    return ::@code::@set_variable(%s, aptune__from, aptune__bytes, "
                    "aptune__stream);\n}\n\n",
                    name, name);
    }
}

void code_runtime_source(const Code *c, const CodeVariant *v, size_t launch, Buf *out)
{
    const EmitCode *codes = v->variant->codes;
    const char *space = code_namespace(c, v, launch);
    Buf beside = {0};
    buf_printf(out, "/* --- %s ---\n *\n * ", space);
    text_comment_wrapped(out, " * ", v->variant->name);
    buf_puts(out, " */\n\n");
    code_printf(c, out, "namespace @code {\nnamespace %s {\n\n", space);
    rename_names(c, codes, launch, false, out);
    put_macros_aside(&codes[launch], out);
    write_source(codes[launch].source, out);
    buf_putc(out, '\n');
    take_macros_back(&codes[launch], out);
    for (size_t l = launch; l < c->spec->launch_count; l++)
        if (codes[l].shares == launch)
            write_beside(c, v, l, space, &beside);
    write_setters(c, &beside);
    c_wrap(buf_text(&beside), out);
    buf_free(&beside);
    rename_names(c, codes, launch, true, out);
    code_printf(c, out, "} // namespace %s\n} // namespace @code\n\n", space);
}

/* --- variables -------------------------------------------------------------------------------- */

/* Names of variables that a variant may lack: a number there means that it does. */
void code_runtime_missing(const Code *c, Buf *out)
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
                  "bytes, cudaStream_t stream)\n"
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

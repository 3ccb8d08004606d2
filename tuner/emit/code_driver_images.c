/* The code of a unit of the driver flavours: cubins and PTX as arrays in NAME_code.h, and the
 * tables in NAME.c of where which kernel is. */
#include "tuner/emit/code.h"
#include "tuner/emit/code_driver.h"

#include <string.h>

/* --- tables in NAME.c ------------------------------------------------------------------------- */

/* Modules of the variants before, and of the launches before. */
static size_t module_of(const Code *c, size_t variant, size_t launch)
{
    size_t module = 0;
    for (size_t v = 0; v < variant; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++)
            module += c->unit->variants[v].codes[l].shares == l;
    const EmitCode *codes = c->unit->variants[variant].codes;
    for (size_t l = 0; l < codes[launch].shares; l++)
        module += codes[l].shares == l;
    return module;
}

/* "mm_1", "mm_1_2": what the arrays of a code begin with. */
static const char *array_name(const Code *c, size_t variant, size_t launch)
{
    return arena_printf(c->arena, "%s%s", c->prefix,
                        code_namespace(c, &c->variants[variant], launch) + 1);
}

void code_driver_images(const Code *c, Buf *out)
{
    code_puts(c, out,
              "/* --- code "
              "--------------------------------------------------------------------------- */\n\n"
              "typedef struct @image {\n"
              "    int variant; /* from 1 */\n"
              "    const void *cubin, *ptx;\n"
              "} @image;\n\n"
              "static const @image @images[] = {\n");
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            if (c->unit->variants[v].codes[l].shares != l)
                continue;
            const char *name = array_name(c, v, l);
            buf_printf(out, "    {%zu, %s_cubin, %s_ptx},\n", v + 1, name, name);
        }
    code_puts(c, out,
              "};\n\n"
              "typedef struct @function {\n"
              "    int variant; /* from 1 */\n"
              "    int image;   /* from 0 */\n"
              "    const char *name;\n"
              "} @function;\n\n"
              "static const @function @functions[] = {\n");
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            const EmitCode *code = &c->unit->variants[v].codes[l];
            buf_printf(out, "    {%zu, %zu, ", v + 1, module_of(c, v, l));
            text_string(out, code->entry ? code->entry : code->kernel);
            buf_puts(out, "},\n");
        }
    code_puts(c, out,
              "};\n\n"
              "enum {\n"
              "    ^IMAGES = sizeof @images / sizeof @images[0],\n"
              "    ^FUNCTIONS = sizeof @functions / sizeof @functions[0]\n"
              "};\n\n");
}

/* --- NAME_code.h ------------------------------------------------------------------------------ */

/* Bytes as numbers of 64 bits, lowest byte first, as the hosts of CUDA have them: images are to be
 * aligned, and compilers read these faster than single bytes.  There are zeros behind the last. */
static void write_array(const char *name, const char *what, const void *bytes, size_t size,
                        Buf *out)
{
    const unsigned char *at = bytes;
    const size_t words = size / 8 + 1;
    buf_printf(out, "/* %zu bytes */\nstatic const unsigned long long %s_%s[%zu] = {", size, name,
               what, words);
    for (size_t i = 0; i < words; i++) {
        unsigned long long word = 0;
        for (size_t k = 0; k < 8 && 8 * i + k < size; k++)
            word |= (unsigned long long)at[8 * i + k] << 8 * k;
        buf_printf(out, "%s0x%llx,", i % 4 ? " " : "\n    ", word);
    }
    buf_puts(out, "\n};\n\n");
}

bool emit_text_code(const EmitUnit *u, Buf *out, Diag *d)
{
    Arena *a = arena_new();
    Diag silent = diag_new(a); /* emit_text_unit warns of the same */
    const Code *c = code_open(a, u, u->entry_count ? &silent : d);
    bool ok = c != NULL;
    if (ok)
        code_printf(c, out,
                    "/* The code of %s.c: cubins, and PTX for the driver to compile, as arrays.\n"
                    " * %s.c alone includes it. */\n\n",
                    u->name, u->name);
    for (size_t v = 0; ok && v < u->variant_count; v++)
        for (size_t l = 0; ok && l < u->spec->launch_count; l++) {
            const EmitCode *code = &u->variants[v].codes[l];
            if (code->shares != l)
                continue;
            if (!code->cubin || !code->ptx) {
                ok = diag_fail(d, "%s was not compiled: there is no code to emit", code->kernel);
                continue;
            }
            buf_printf(out, "/* %s, sm_%d: ", code->kernel, u->variants[v].arch);
            text_comment(out, u->variants[v].name);
            buf_puts(out, " */\n");
            write_array(array_name(c, v, l), "cubin", code->cubin, code->cubin_size, out);
            write_array(array_name(c, v, l), "ptx", code->ptx, strlen(code->ptx), out);
        }
    arena_free(a);
    return ok;
}

/* NAME.c, NAME.cu and NAME_code.h: the patterns of unit/, filled with the unit's tables and functions. */
#include "tuner/emit/code_parts.h"
#include "tuner/spec/code_text.h"

#include <math.h>

/* --- tables ----------------------------------------------------------------------------------- */

/* "{4096, 4096}" */
static void write_size(const Code *c, const Value *problem, Buf *out)
{
    buf_puts(out, c->spec->problem_name_count ? "{" : "{0");
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        const bool real = code_problem_is_real(c, i);
        buf_puts(out, i ? ", " : "");
        c_value(real ? value_real(value_as_real(problem[i])) : problem[i], out);
    }
    buf_puts(out, "}");
}

/* True for sm_90a and the like, whose PTX and cubin run on no other architecture. */
static bool is_for_one_architecture(const Code *c, const EmitVariant *v)
{
    for (size_t l = 0; l < c->spec->launch_count; l++) {
        const char *target = v->codes[l].ptx ? strstr(v->codes[l].ptx, "\n.target sm_") : NULL;
        if (!target)
            continue;
        target += strlen("\n.target sm_");
        target += strspn(target, "0123456789");
        if (*target == 'a' || *target == 'f')
            return true;
    }
    return false;
}

static void write_variants(const Code *c, Buf *out)
{
    const char *x = c->prefix;
    buf_printf(out, "static const %svariant %svariants[] = {\n", x, x);
    for (size_t i = 0; i < c->unit->variant_count; i++) {
        const EmitVariant *v = &c->unit->variants[i];
        buf_printf(out, "    {%d, %d, %s, %sserves_%zu, %swalk_%zu, %s},\n", v->arch,
                   is_for_one_architecture(c, v), text_quoted(c->arena, v->name), x, i + 1, x,
                   i + 1, c->has_scale ? arena_printf(c->arena, "%sscale_%zu", x, i + 1) : "NULL");
    }
    buf_puts(out, "};\n\n");
}

static void write_entries(const Code *c, Buf *out)
{
    buf_printf(out, "static const %sentry %sentries[] = {\n", c->prefix, c->prefix);
    EACH (const EmitEntry, e, c->unit->entries, c->unit->entry_count) {
        buf_puts(out, "    {");
        write_size(c, e->problem, out);
        const char *size = spec_problem_text(c->arena, c->spec, e->problem, NULL);
        const char *where = arena_printf(c->arena, "%s%son %s", size, *size ? " " : "", e->device);
        buf_printf(out, ", %zu, %d, %d, %.9g, %s, %s},\n", e->variant + 1, e->arch, e->is_default,
                   isfinite(e->time_ms) ? e->time_ms : 0, text_quoted(c->arena, e->device),
                   text_quoted(c->arena, where));
    }
    buf_puts(out, "};\n\n");
}

/* The value that a number argument was tuned with. */
static void write_given(const Code *c, const Argument *g, Buf *out)
{
    Evaluation ev = {.arena = c->arena};
    Value v;
    const bool known = expr_eval(g->value, NULL, &ev, &v);
    const bool is_several = g->fields || g->element.lanes > 1;
    buf_puts(out, is_several ? "{" : "");
    for (int i = 0; i < argument_numbers(g); i++) {
        const Value one = known && v.kind == VALUE_LIST ? v.list->at[i] : v;
        buf_puts(out, i ? ", " : "");
        if (!known || !code_literal(argument_number(g, i).scalar, one, out))
            buf_putc(out, '0');
    }
    buf_puts(out, is_several ? "}" : "");
}

static void write_defaults(const Code *c, Buf *out)
{
    const char *between = "";
    buf_printf(out, "static const %sarguments %sdefaults = {", c->prefix, c->prefix);
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const Argument *g = &c->spec->arguments[i];
        if (!c->fields[i])
            continue;
        buf_puts(out, between);
        if (g->role == ARGUMENT_SCALAR)
            write_given(c, g, out);
        else
            buf_puts(out, g->role == ARGUMENT_TEXTURE ? "0" : "NULL");
        between = ", ";
    }
    buf_puts(out, !*between && !c->has_scratch ? "0" : "");
    buf_printf(out, "%s};\n\n", c->has_scratch ? *between ? ", NULL" : "NULL" : "");
}

static void write_shared_limits(const Code *c, Buf *out)
{
    buf_printf(out,
               "/* Largest dynamic shared memory of a block, by compute capability; 48 KB "
               "elsewhere.  From the CUDA\n * Programming Guide, \"Compute Capabilities\". */\n"
               "static const int %sshared[][2] = {\n",
               c->prefix);
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        bool known = d->major < 7;
        for (size_t k = 0; k < i; k++)
            known = known || device_arch(device_at(k)) == device_arch(d);
        if (!known)
            buf_printf(out, "    {%d, %d},\n", device_arch(d), d->shared_per_block_optin);
    }
    buf_puts(out, "};\n\n");
}

/* --- code ------------------------------------------------------------------------------------- */

/* For the driver flavours: images are arrays of NAME_code.h, functions are found by name. */
static void write_driver_code(const Code *c, Buf *out)
{
    const EmitUnit *u = c->unit;
    const char *x = c->prefix;
    size_t before = 0;
    SCOPED_BUF functions = {0};
    buf_printf(out, "static const %simage %simages[] = {\n", x, x);
    for (size_t v = 0; v < u->variant_count; v++) {
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            const EmitCode *code = &u->variants[v].codes[l];
            const char *name = unit_code_name(c->arena, c->unit, v, l);
            if (code->shares == l)
                buf_printf(out, "    {%zu, %d, %d, %s%s_cubin, %s%s_ptx},\n", v + 1,
                           u->variants[v].arch, is_for_one_architecture(c, &u->variants[v]), x,
                           name, x, name);
            buf_printf(&functions, "    {%zu, %zu, %s},\n", v + 1,
                       before + unit_count_codes(&u->variants[v], code->shares),
                       text_quoted(c->arena, code->entry ? code->entry : code->kernel));
        }
        before += unit_count_codes(&u->variants[v], c->spec->launch_count);
    }
    buf_printf(out, "};\n\nstatic const %sfunction %sfunctions[] = {\n%s};\n\n", x, x,
               buf_text(&functions));
}

/* Bytes as little-endian 64-bit numbers (all CUDA hosts are little-endian): images need alignment, and
 * compilers read these faster than single bytes.  At least one zero byte follows. */
static void write_array(const char *prefix, const char *name, const char *what, const void *bytes,
                        size_t size, Buf *out)
{
    const unsigned char *at = bytes;
    const size_t words = size / 8 + 1;
    buf_printf(out, "/* %zu bytes */\nstatic const unsigned long long %s%s_%s[%zu] = {", size,
               prefix, name, what, words);
    for (size_t i = 0; i < words; i++) {
        unsigned long long word = 0;
        for (size_t k = 0; k < 8 && 8 * i + k < size; k++)
            word |= (unsigned long long)at[8 * i + k] << 8 * k;
        buf_printf(out, "%s0x%llx,", i % 4 ? " " : "\n    ", word);
    }
    buf_puts(out, "\n};\n\n");
}

static bool write_arrays(Arena *a, const EmitUnit *u, size_t variant, size_t launch, Buf *out,
                         Diag *d)
{
    const EmitVariant *v = &u->variants[variant];
    const EmitCode *code = &v->codes[launch];
    const char *name = unit_code_name(a, u, variant, launch);
    if (!code->cubin || !code->ptx)
        return diag_fail(d, "%s was not compiled: there is no code to emit", code->kernel);
    buf_printf(out, "/* %s, sm_%d: %s */\n", text_comment(a, code->kernel), v->arch,
               text_comment(a, v->name));
    write_array(u->prefix, name, "cubin", code->cubin, code->cubin_size, out);
    write_array(u->prefix, name, "ptx", code->ptx, strlen(code->ptx), out);
    return true;
}

bool emit_text_code(const EmitUnit *u, Buf *out, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    bool ok = true;
    buf_printf(out,
               "/* Cubins of %s.c, the only file to include this, and PTX for the driver to "
               "compile. */\n\n",
               u->name);
    for (size_t v = 0; ok && v < u->variant_count; v++)
        for (size_t l = 0; ok && l < u->spec->launch_count; l++)
            ok = u->variants[v].codes[l].shares != l || write_arrays(a, u, v, l, out, d);
    return ok;
}

/* --- sources in NAME.cu ----------------------------------------------------------------------- */

/* Each source gets its own namespace, followed by a table of its kernels.  `extern "C"` becomes
 * `extern "C++"`, so that equal names in two variants are different functions; anything else that two
 * variants define outside their namespaces is a compile error.  Toolkit headers are included first.
 * Their macros that a source also defines are saved and restored around that source; so are macros that
 * have a kernel's name, which NVRTC does not define (linux, errno). */

static void write_includes(const Code *c, Buf *out)
{
    Texts written = {0};
    for (size_t v = 0; v < c->unit->variant_count; v++)
        EACH (const EmitCode, code, c->unit->variants[v].codes, c->spec->launch_count)
            for (size_t i = 0; i < code->includes.count; i++) {
                const size_t known = written.count;
                if (text_add_once(c->arena, &written, code->includes.at[i]) == known)
                    buf_printf(out, "#include %s\n", code->includes.at[i]);
            }
}

/* The position after `extern "C"`; NULL if none begins at `p`. */
static const char *skip_linkage(const char *start, const char *p)
{
    if (strncmp(p, "extern", 6) != 0 || (p > start && text_is_word(p[-1])))
        return NULL;
    p += 6;
    p += strspn(p, " \t\r\n");
    return strncmp(p, "\"C\"", 3) == 0 ? p + 3 : NULL;
}

static void write_source(const char *source, Buf *out)
{
    for (const char *p = source; *p;) {
        const char *linkage = skip_linkage(source, p);
        const size_t quiet = code_quiet(source, p), size = quiet ? quiet : 1;
        if (linkage)
            buf_printf(out, "%.*s++\"", (int)(linkage - p) - 1, p);
        else
            buf_add(out, p, size);
        p = linkage ? linkage : p + size;
    }
    if (out->size > 0 && out->text[out->size - 1] != '\n')
        buf_putc(out, '\n');
}

static void push_macros(const EmitCode *code, Buf *out)
{
    for (size_t i = 0; i < code->macros.count; i++)
        buf_printf(out, "#pragma push_macro(\"%s\")\n#undef %s\n", code->macros.at[i],
                   code->macros.at[i]);
    buf_puts(out, code->macros.count ? "\n" : "");
}

static void pop_macros(const EmitCode *code, Buf *out)
{
    for (size_t i = 0; i < code->macros.count; i++)
        buf_printf(out, "#pragma pop_macro(\"%s\")\n", code->macros.at[i]);
    buf_puts(out, code->macros.count ? "\n" : "");
}

/* The next identifier of a kernel's name, up to its template arguments; NULL after the last. */
static const char *next_word(const char *p, size_t *size)
{
    while (*p && *p != '<' && !text_is_word(*p))
        p++;
    for (*size = 0; text_is_word(p[*size]);)
        ++*size;
    return *size > 0 ? p : NULL;
}

/* True for macros of math_constants.h and fatbinary_section.h, which only nvcc's generated code includes. */
static bool is_defined_later(const char *word)
{
    return strncmp(word, "CUDART_", 7) == 0 || strncmp(word, "FATBIN", 6) == 0;
}

/* Redefines a name that is a host macro as another name, or with `back` restores it.  Undefining it is
 * not enough: nvcc's generated code defines some macros again. */
static void rename_word(const char *word, int size, bool back, Buf *out)
{
    if (back)
        buf_printf(out, "#pragma pop_macro(\"%.*s\")\n", size, word);
    else
        buf_printf(out,
                   "#pragma push_macro(\"%.*s\")\n#if defined %.*s || %d\n#undef %.*s\n"
                   "#define %.*s aptune__%.*s\n#endif\n",
                   size, word, size, word, is_defined_later(word), size, word, size, word, size,
                   word);
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

/* A kernel may share its name with a parameter or a function of the unit, so it is qualified. */
static void write_kernels(const Code *c, size_t variant, size_t launch, const char *name, Buf *out)
{
    const CodeVariant *v = &c->variants[variant];
    SCOPED_BUF asserts = {0};
    buf_puts(out, "static const void *const aptune__kernels[] = {\n");
    for (size_t l = launch; l < c->spec->launch_count; l++) {
        if (v->variant->codes[l].shares != launch)
            continue;
        const char *kernel = arena_printf(c->arena, "::%scode::v%s::%s", c->prefix, name,
                                          v->variant->codes[l].kernel);
        buf_printf(out, "    (const void *)(%s),\n", kernel);
        buf_printf(&asserts, "static_assert(::%stakes(%s, {", c->prefix, kernel);
        for (size_t i = 0; i < v->launches[l].item_count;) {
            buf_puts(&asserts, i ? ", " : "");
            buf_printf(&asserts, "%zu", code_parameter_size(c, &v->launches[l], &i));
        }
        buf_puts(&asserts,
                 "}), \"the kernel's arguments differ from those it was tuned with\");\n");
    }
    buf_printf(out, "};\n%s\n", buf_text(&asserts));
}

/* Copies to device variables; only code in their namespace can name them. */
static void write_copy(const Code *c, Buf *out)
{
    buf_puts(out, "static int aptune__copy(const char *aptune__name, const void *aptune__from,\n"
                  "                        long long aptune__bytes, cudaStream_t aptune__stream)\n"
                  "{\n");
    for (size_t i = 0; i < c->spec->argument_count; i++) {
        const char *name = c->spec->arguments[i].name;
        if (c->spec->arguments[i].role == ARGUMENT_CONSTANT)
            buf_printf(out,
                       "    if (strcmp(aptune__name, \"%s\") == 0)\n        return "
                       "::%scode::%scopy_to(%s, aptune__from, aptune__bytes, aptune__stream);\n",
                       name, c->prefix, c->prefix, name);
    }
    buf_printf(out, "    return ::%sOK;\n}\n\n", c->capitals);
}

static void write_namespace(const Code *c, size_t variant, size_t launch, Buf *out)
{
    const EmitCode *codes = c->unit->variants[variant].codes;
    const char *name = unit_code_name(c->arena, c->unit, variant, launch);
    buf_printf(out, "/* --- v%s ---\n *\n * %s */\n\nnamespace %scode {\nnamespace v%s {\n\n", name,
               text_comment(c->arena, c->unit->variants[variant].name), c->prefix, name);
    rename_names(c, codes, launch, false, out);
    push_macros(&codes[launch], out);
    write_source(codes[launch].source, out);
    buf_putc(out, '\n');
    pop_macros(&codes[launch], out);
    write_kernels(c, variant, launch, name, out);
    if (c->has_constants)
        write_copy(c, out);
    rename_names(c, codes, launch, true, out);
    buf_printf(out, "} // namespace v%s\n} // namespace %scode\n\n", name, c->prefix);
}

static void write_runtime_code(const Code *c, Buf *out)
{
    const char *x = c->prefix;
    SCOPED_BUF images = {0}, functions = {0};
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++) {
            const EmitCode *codes = c->unit->variants[v].codes;
            const char *name = unit_code_name(c->arena, c->unit, v, l);
            size_t place = 0;
            for (size_t k = codes[l].shares; k < l; k++)
                place += codes[k].shares == codes[l].shares;
            buf_printf(&functions, "    {%zu, %scode::v%s::aptune__kernels[%zu]},\n", v + 1, x,
                       name, place);
            if (codes[l].shares != l)
                continue;
            write_namespace(c, v, l, out);
            if (c->has_constants)
                buf_printf(&images, "    {%zu, %scode::v%s::aptune__copy},\n", v + 1, x, name);
            else
                buf_printf(&images, "    {%zu, NULL},\n", v + 1);
        }
    buf_printf(
        out,
        "static const %simage %simages[] = {\n%s};\n\nstatic const %sfunction %sfunctions[] = "
        "{\n%s};\n\n",
        x, x, buf_text(&images), x, x, buf_text(&functions));
}

/* Names of device variables, which a variant may lack. */
static void write_missing(const Code *c, Buf *out)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->spec->arguments[i].role == ARGUMENT_CONSTANT)
            buf_printf(out, "    %s,\n", c->spec->arguments[i].name);
}

/* nvcc compiles all kernels with the same options. */
static void warn_of_options(const Code *c)
{
    const char *first = c->unit->variants[0].codes[0].options;
    for (size_t v = 0; v < c->unit->variant_count; v++)
        for (size_t l = 0; l < c->spec->launch_count; l++)
            if (strcmp(c->unit->variants[v].codes[l].options, first) != 0) {
                diag_warn(
                    c->d, (Span){0},
                    "variants were tuned with different options (\"%s\", \"%s\"), but one file "
                    "is compiled with one set of options",
                    first, c->unit->variants[v].codes[l].options);
                return;
            }
}

/* --- the whole unit --------------------------------------------------------------------------- */

static void write_top(const Code *c, Buf *out)
{
    const EmitUnit *u = c->unit;
    const bool runtime = u->flavour == EMIT_RUNTIME;
    buf_printf(
        out,
        "/* %s.%s: the tuned kernels of %s.h, which says where they come from.  Generated by "
        "aptune %s. */\n#include \"%s.h\"\n",
        u->name, runtime ? "cu" : "c", u->name, APTUNE_VERSION, u->name);
    if (!runtime)
        buf_printf(out, "#include \"%s_code.h\"\n", u->name);
}

static void write_functions(const Code *c, Buf *out)
{
    code_sizes(c, out);
    write_variants(c, out);
    write_entries(c, out);
    write_defaults(c, out);
    write_shared_limits(c, out);
}

bool emit_text_unit(const EmitUnit *u, Buf *out, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    const Code *c = code_open(a, u, d);
    const bool runtime = u->flavour == EMIT_RUNTIME;
    if (c) {
        if (runtime)
            warn_of_options(c);
        const PatternText texts[] = {
            {"top", code_text(c, write_top), NULL},
            {"driver", NULL, u->flavour == EMIT_DRIVER ? "opened.h" : "linked.h"},
            {"includes", code_text(c, write_includes), NULL},
            {"variables", NULL, c->has_constants ? "variables.h" : NULL},
            {"missing", code_text(c, write_missing), NULL},
            {"code", code_text(c, runtime ? write_runtime_code : write_driver_code), NULL},
            {"variants", code_text(c, write_functions), NULL},
            {"more", code_text(c, code_more), NULL}};
        pattern_fill(runtime ? "runtime.cu" : "driver.c", u->prefix, texts, COUNT_OF(texts), out);
    }
    return c != NULL;
}

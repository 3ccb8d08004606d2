/* The table of an emitted unit, and what chooses from it. */
#include "tuner/emit/code_parts.h"
#include "tuner/emit/code_size.h"

#include <string.h>

/* --- the table -------------------------------------------------------------------------------- */

static void write_size(const Code *c, const Value *problem, Buf *out)
{
    buf_puts(out, "{");
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        const bool real = code_problem_is_real(c, i);
        buf_puts(out, i ? ", " : "");
        c_value(real ? value_real(value_as_real(problem[i])) : problem[i], out);
    }
    buf_puts(out, c->spec->problem_name_count ? "}" : "0}");
}

/* "M=4096 N=4096 K=4096 on NVIDIA H200" */
static void write_tuned_for(const Code *c, const EmitEntry *e, Buf *out)
{
    Buf text = {0};
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        buf_printf(&text, "%s=", c->spec->problem_names[i]);
        value_print_bare(e->problem[i], &text);
        buf_putc(&text, ' ');
    }
    buf_printf(&text, "on %s", e->device);
    text_string(out, buf_text(&text));
    buf_free(&text);
}

/* PTX for sm_90a and the like runs nowhere else, nor does the cubin. */
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
    code_puts(c, out, "static const @variant @variants[] = {\n");
    for (size_t i = 0; i < c->unit->variant_count; i++) {
        const EmitVariant *v = &c->unit->variants[i];
        buf_printf(out, "    {%d, %d, ", v->arch, is_for_one_architecture(c, v));
        text_string(out, v->name);
        buf_puts(out, "},\n");
    }
    buf_puts(out, "};\n\n");
}

static void write_entries(const Code *c, Buf *out)
{
    code_puts(c, out, "static const @entry @entries[] = {\n");
    for (size_t i = 0; i < c->unit->entry_count; i++) {
        const EmitEntry *e = &c->unit->entries[i];
        buf_puts(out, "    {");
        write_size(c, e->problem, out);
        buf_printf(out, ", %zu, %d, %d, ", e->variant + 1, e->arch, e->is_default);
        text_string(out, e->device);
        buf_puts(out, ", ");
        write_tuned_for(c, e, out);
        if (c->has_scale)
            buf_printf(out, ", %.9g", e->time_ms);
        buf_puts(out, "},\n");
    }
    buf_puts(out, "};\n\n");
}

static void write_table(const Code *c, Buf *out)
{
    code_puts(c, out,
              "/* --- the table "
              "---------------------------------------------------------------------- */\n\n"
              "typedef struct @variant {\n"
              "    int arch;     /* that it was compiled for: 90 is sm_90 */\n"
              "    int specific; /* it runs on no other, such as sm_90a */\n"
              "    const char *parameters;\n"
              "} @variant;\n\n");
    write_variants(c, out);
    code_puts(c, out,
              "/* What was tuned: a size on a device, for which a variant was the best. */\n"
              "typedef struct @entry {\n"
              "    @problem size;\n"
              "    int variant; /* from 1 */\n"
              "    int arch;    /* of the device */\n"
              "    int is_default;\n"
              "    const char *device, *tuned_for;\n");
    code_puts(c, out,
              c->has_scale ? "    double ms; /* measured there */\n} @entry;\n\n"
                           : "} @entry;\n\n");
    write_entries(c, out);
    code_puts(c, out,
              "enum {\n"
              "    ^VARIANTS = sizeof @variants / sizeof @variants[0],\n"
              "    ^ENTRIES = sizeof @entries / sizeof @entries[0]\n"
              "};\n\n");
}

/* --- what is asked of variants by number ------------------------------------------------------ */

static void write_dispatch(const Code *c, Buf *out)
{
    code_puts(c, out,
              "static int @fits(int variant, const @device *d, const @problem *p)\n{\n"
              "    if (!@is_sound(p))\n        return 0;\n"
              "    switch (variant) {\n");
    for (size_t i = 1; i <= c->unit->variant_count; i++)
        code_printf(c, out, "    case %zu:\n        return @fits_%zu(d, p);\n", i, i);
    buf_puts(out, "    default:\n        return 0;\n    }\n}\n\n");
    if (!c->has_scratch)
        return;
    code_puts(c, out,
              "static size_t @scratch(int variant, const @problem *p)\n{\n"
              "    switch (variant) {\n");
    for (size_t i = 1; i <= c->unit->variant_count; i++)
        code_printf(c, out, "    case %zu:\n        return @scratch_%zu(p);\n", i, i);
    buf_puts(out, "    default:\n        return 0;\n    }\n}\n\n");
}

/* --- how near a size is ----------------------------------------------------------------------- */

static void write_same_size(const Code *c, Buf *out)
{
    const size_t names = c->spec->problem_name_count;
    code_puts(c, out, "static int @is_same_size(const @problem *p, const @problem *q)\n{\n");
    if (names == 0) {
        buf_puts(out, "    (void)p;\n    (void)q;\n    return 1;\n}\n\n");
        return;
    }
    buf_puts(out, "    return ");
    for (size_t i = 0; i < names; i++) {
        const char *field = c->problem_fields[i];
        buf_puts(out, i ? " && " : "");
        if (code_problem_is_real(c, i)) /* without a comparison that compilers warn of */
            buf_printf(out, "p->%s <= q->%s && p->%s >= q->%s", field, field, field, field);
        else
            buf_printf(out, "p->%s == q->%s", field, field);
    }
    buf_puts(out, ";\n}\n\n");
}

static void write_distance(const Code *c, Buf *out)
{
    const size_t names = c->spec->problem_name_count;
    if (names > 0)
        code_puts(c, out,
                  "/* The logarithm to base 2 of a number's amount, of which 1 is the least; to a "
                  "millionth. */\n"
                  "static double @log2(double x)\n{\n"
                  "    double whole = 0, bit = 0.5;\n"
                  "    x = x < 0 ? -x : x;\n"
                  "    x = x < 1 ? 1 : x;\n"
                  "    for (; x >= 2; x /= 2)\n"
                  "        whole += 1;\n"
                  "    for (int i = 0; i < 20; i++, bit /= 2) {\n"
                  "        x *= x;\n"
                  "        if (x >= 2) {\n"
                  "            x /= 2;\n"
                  "            whole += bit;\n"
                  "        }\n"
                  "    }\n"
                  "    return whole;\n}\n\n");
    code_puts(
        c, out,
        "/* How far a size is from another: the squares of the logarithms of the ratios of their\n"
        " * numbers, added up.  Twice as large in one number is 1 away, four times 4. */\n"
        "static double @distance(const @problem *p, const @problem *q)\n{\n");
    if (names == 0) {
        buf_puts(out, "    (void)p;\n    (void)q;\n    return 0;\n}\n\n");
        return;
    }
    buf_puts(out, "    double ratio, sum = 0;\n");
    for (size_t i = 0; i < names; i++) {
        const char *field = c->problem_fields[i];
        code_printf(c, out,
                    "    ratio = @log2((double)p->%s) - @log2((double)q->%s);\n"
                    "    sum += ratio * ratio;\n",
                    field, field);
    }
    buf_puts(out, "    return sum;\n}\n\n");
}

/* --- how long a size takes -------------------------------------------------------------------- */

static void write_scale(Code *c, const CodeVariant *v, Buf *out)
{
    CodeLines l = {.code = c, .variant = v};
    CWriter w = lines_writer(&l, false);
    c_real(&w, v->scale, C_ANYWHERE);
    code_printf(c, out, "static double @scale_%zu(const @problem *p)\n{\n", v->number);
    buf_puts(out, w.uses_ok ? "    int ok = 1;\n" : "");
    buf_puts(out, code_mentions(&l.text, "p->") ? "" : "    (void)p;\n");
    buf_printf(out, "    const double scale = %s;\n    return %s;\n}\n\n", buf_text(&l.text),
               w.uses_ok ? "ok ? scale : 0" : "scale");
    buf_free(&l.text);
}

static void write_expected(Code *c, Buf *out)
{
    code_puts(
        c, out,
        "/* What the time of a variant is proportional to from size to size; 0: not known. */\n");
    for (size_t i = 0; i < c->unit->variant_count; i++)
        write_scale(c, &c->variants[i], out);
    code_puts(c, out,
              "static double @scale(int variant, const @problem *p)\n{\n"
              "    switch (variant) {\n");
    for (size_t i = 1; i <= c->unit->variant_count; i++)
        code_printf(c, out, "    case %zu:\n        return @scale_%zu(p);\n", i, i);
    code_puts(
        c, out,
        "    default:\n        return 0;\n    }\n}\n\n"
        "/* Milliseconds that an entry's variant should take at a size; more than any where "
        "that is not\n"
        " * known. */\n"
        "static double @expected(const @entry *e, const @problem *p)\n"
        "{\n"
        "    const double there = @scale(e->variant, p), here = @scale(e->variant, &e->size);\n"
        "    return there > 0 && here > 0 ? e->ms * there / here : 1e300;\n"
        "}\n\n");
}

/* --- choosing --------------------------------------------------------------------------------- */

static const char RUNS[] =
    "/* Does a variant's cubin run on a device: the same major number, and no later minor one? */\n"
    "static int @runs_cubin(const @variant *v, const @device *d)\n"
    "{\n"
    "    if (v->specific)\n"
    "        return v->arch == d->arch;\n"
    "    return v->arch / 10 == d->arch / 10 && v->arch <= d->arch;\n"
    "}\n"
    "\n"
    "/* Can the driver compile its PTX for the device? */\n"
    "static int @runs_ptx(const @variant *v, const @device *d)\n"
    "{\n"
    "    return !v->specific && v->arch <= d->arch;\n"
    "}\n"
    "\n";

static const char RUNS_SOURCE[] = "/* The code was compiled with this file, for whatever nvcc was "
                                  "told: every variant may run. */\n"
                                  "static int @runs_cubin(const @variant *v, const @device *d)\n"
                                  "{\n"
                                  "    return v->arch == d->arch;\n"
                                  "}\n"
                                  "\n"
                                  "static int @runs_ptx(const @variant *v, const @device *d)\n"
                                  "{\n"
                                  "    (void)v;\n"
                                  "    (void)d;\n"
                                  "    return 1;\n"
                                  "}\n"
                                  "\n";

static const char MATCH[] =
    "/* A candidate among the entries, and what it is ordered by. */\n"
    "typedef struct @candidate {\n"
    "    int rank; /* the lower, the better: a @match, later when its size is far */\n"
    "    @match match;\n"
    "    int arch;        /* the later, the better, where PTX is compiled */\n"
    "    double distance; /* of its size%s */\n"
    "} @candidate;\n"
    "\n"
    "/* A size further away than this is not near: one number 16 times as large, or three numbers "
    "5\n"
    " * times. */\n"
    "static const double @far = 16;\n"
    "\n"
    "static @match @match_of(const @entry *e, const @device *d, const @problem *p)\n"
    "{\n"
    "    if (strcmp(e->device, d->name) == 0)\n"
    "        return @is_same_size(&e->size, p) ? ^EXACT : ^NEAREST_SIZE;\n"
    "    if (@runs_cubin(&@variants[e->variant - 1], d))\n"
    "        return ^SAME_ARCHITECTURE;\n"
    "    return ^PTX;\n"
    "}\n"
    "\n"
    "/* False when the device cannot run it. */\n"
    "static int @weigh(const @entry *e, const @device *d, const @problem *p, @candidate *c)\n"
    "{\n"
    "    const @variant *v = &@variants[e->variant - 1];\n"
    "    if (!@runs_cubin(v, d) && !@runs_ptx(v, d))\n"
    "        return 0;\n"
    "    c->match = @match_of(e, d, p);\n"
    "    c->arch = c->match == ^PTX ? e->arch : 0;\n"
    "    c->distance = @distance(&e->size, p);\n"
    "    c->rank = (int)c->match;\n"
    "%s"
    "    if (c->distance <= @far)\n"
    "        return 1;\n"
    "    c->rank += (int)^DEFAULT + 1;\n"
    "    if (e->is_default) {\n"
    "        c->match = ^DEFAULT;\n"
    "        c->rank = (int)^DEFAULT;\n"
    "    }\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "static int @is_better(const @candidate *a, const @candidate *b)\n"
    "{\n"
    "    if (a->rank != b->rank)\n"
    "        return a->rank < b->rank;\n"
    "    if (a->arch != b->arch)\n"
    "        return a->arch > b->arch;\n"
    "    return a->distance < b->distance;\n"
    "}\n"
    "\n";

static const char EXPECTED[] = "    if (c->match != ^PTX) {\n"
                               "        c->distance = @expected(e, p);\n"
                               "        return 1;\n"
                               "    }\n";

static const char PICK[] = "/* The best entry whose variant is valid for the size and runs on the "
                           "device, but for those that\n"
                           " * `broken` (may be NULL) says could not be loaded there. */\n"
                           "static int @pick(const @device *d, const unsigned char *broken, const "
                           "@problem *p, @choice *out)\n"
                           "{\n"
                           "    @candidate best = {0, ^EXACT, 0, 0};\n"
                           "    int chosen = -1, runs = 0;\n"
                           "    size_t scratch = 0;\n"
                           "    for (int i = 0; i < (int)^ENTRIES; i++) {\n"
                           "        const @entry *e = &@entries[i];\n"
                           "        @candidate c;\n"
                           "        if (!@weigh(e, d, p, &c))\n"
                           "            continue;\n"
                           "        runs += broken == NULL || !broken[e->variant - 1];\n"
                           "        if (!@fits(e->variant, d, p))\n"
                           "            continue;\n"
                           "%s"
                           "        if (broken != NULL && broken[e->variant - 1])\n"
                           "            continue;\n"
                           "        if (chosen < 0 || @is_better(&c, &best)) {\n"
                           "            best = c;\n"
                           "            chosen = i;\n"
                           "        }\n"
                           "    }\n"
                           "    memset(out, 0, sizeof *out);\n"
                           "    if (chosen < 0)\n"
                           "        return runs ? ^SIZE : ^NO_CODE;\n"
                           "    out->entry = chosen + 1;\n"
                           "    out->variant = @entries[chosen].variant;\n"
                           "    out->match = best.match;\n"
                           "    out->parameters = @variants[out->variant - 1].parameters;\n"
                           "    out->tuned_for = @entries[chosen].tuned_for;\n"
                           "    out->scratch_bytes = scratch;\n"
                           "    return ^OK;\n"
                           "}\n"
                           "\n";

static const char SCRATCH[] = "        if (@scratch(e->variant, p) > scratch)\n"
                              "            scratch = @scratch(e->variant, p);\n";

static bool asks_shared(const Code *c)
{
    for (size_t l = 0; l < c->spec->launch_count; l++)
        if (c->spec->launches[l].shared)
            return true;
    return false;
}

/* Of each compute capability the bytes that a block may ask for. */
static void write_shared_limits(const Code *c, Buf *out)
{
    code_puts(
        c, out,
        "/* Dynamic shared memory that a block may have on a device known by its compute "
        "capability\n"
        " * alone: CUDA Programming Guide, \"Compute Capabilities\".  48 KB everywhere else. */\n"
        "static long long @shared_limit(int arch)\n{\n"
        "    switch (arch) {\n");
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        bool known = d->major < 7;
        for (size_t k = 0; k < i; k++)
            known = known || device_arch(device_at(k)) == device_arch(d);
        if (!known)
            buf_printf(out, "    case %d:\n        return %d;\n", device_arch(d),
                       d->shared_per_block_optin);
    }
    buf_puts(out, "    default:\n        return 49152;\n    }\n}\n\n");
}

static void write_choose_for(const Code *c, Buf *out)
{
    code_puts(c, out,
              "int @choose_for(const char *device, int arch, const @problem *p, @choice *out)\n{\n"
              "    @device d;\n"
              "    if (device == NULL || p == NULL || out == NULL)\n"
              "        return ^ARGUMENT;\n"
              "    d.name = device;\n"
              "    d.arch = arch;\n");
    code_puts(c, out,
              asks_shared(c) ? "    d.shared_bytes = @shared_limit(arch);\n"
                             : "    d.shared_bytes = 49152;\n");
    code_puts(c, out, "    return @pick(&d, NULL, p, out);\n}\n\n");
}

void code_choice(Code *c, Buf *out)
{
    write_table(c, out);
    write_dispatch(c, out);
    write_same_size(c, out);
    write_distance(c, out);
    code_puts(c, out,
              "/* --- choosing "
              "----------------------------------------------------------------------- */\n\n");
    code_puts(c, out, c->unit->flavour == EMIT_RUNTIME ? RUNS_SOURCE : RUNS);
    if (c->has_scale)
        write_expected(c, out);
    Buf expected = {0};
    if (c->has_scale)
        code_puts(c, &expected, EXPECTED);
    code_printf(c, out, MATCH, c->has_scale ? ", or the time that is expected" : "",
                buf_text(&expected));
    buf_free(&expected);
    Buf scratch = {0};
    if (c->has_scratch)
        code_puts(c, &scratch, SCRATCH);
    code_printf(c, out, PICK, buf_text(&scratch));
    buf_free(&scratch);
    if (asks_shared(c))
        write_shared_limits(c, out);
    write_choose_for(c, out);
}

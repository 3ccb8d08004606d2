#include "tests/support/emit_unit.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/emit/unit.h"
#include "tuner/emit/unit_make.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

const Spec *emit_unit_spec(Arena *a, const char *name)
{
    Diag d = diag_new(a);
    const char *path = strchr(name, '/') ? arena_printf(a, TEST_DATA "/%s.spec", name)
                                         : arena_printf(a, SOURCE_DIR "/spaces/%s.spec", name);
    const Spec *s = spec_read(a, path, &d);
    if (!s)
        fail_msg("cannot read %s: %s", path, d.messages.at[0].text);
    return s;
}

enum { MOST = 64 };

EmitUnit *emit_unit_new(Arena *a, const Spec *s, const char *prefix, EmitFlavour flavour)
{
    EmitUnit *u = ARENA_NEW(a, EmitUnit);
    char *name = arena_string(a, s->name);
    for (char *p = name; *p; p++)
        *p = *p == '-' ? '_' : *p;
    *u = (EmitUnit){.spec = s,
                    .name = name,
                    .prefix = prefix,
                    .flavour = flavour,
                    .variants = ARENA_ARRAY(a, EmitVariant, MOST),
                    .entries = ARENA_ARRAY(a, EmitEntry, MOST)};
    return u;
}

/* Code as fake_cuda.c takes it: what it is for, and the functions in it. */
static EmitCode make_code(Arena *a, const EmitUnit *u, size_t variant, size_t l, int arch)
{
    EmitCode *codes = u->variants[variant].codes;
    const Launch *launch = &u->spec->launches[l];
    EmitCode code = {.source = "", .options = "", .shares = l};
    for (size_t k = 0; k < l; k++)
        if (strcmp(u->spec->launches[k].path, launch->path) == 0 && codes[k].shares == k)
            code.shares = k;
    Evaluation ev = {.arena = a};
    const Value *slots = u->variants[variant].slots;
    const char *name = launch->expression ? spec_text_fill(&launch->name, slots, &ev) : NULL;
    code.kernel = name ? name : launch->entry;
    code.expression = launch->expression;
    code.entry = arena_printf(a, "kernel_%zu_%zu", variant + 1, l + 1);
    const char *cubin = arena_printf(a, "synthetic cubin %d %zu.%zu ", arch, variant + 1, l + 1);
    code.cubin = cubin;
    code.cubin_size = strlen(cubin) + 1;
    code.ptx = arena_printf(a, "synthetic ptx %d %zu.%zu \n.target sm_%d\n", arch, variant + 1,
                            l + 1, arch);
    return code;
}

size_t emit_unit_variant(Arena *a, EmitUnit *u, size_t problem, size_t config, int arch)
{
    Diag d = diag_new(a);
    Evaluation ev = {.arena = a};
    Space space;
    Buf name = {0};
    const size_t number = u->variant_count++;
    EmitVariant *v = &u->variants[number];
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(u->spec));
    assert_true(space_build(a, u->spec, problem, NULL, &space, &d));
    assert_true(config < space.count && number < MOST);
    assert_true(space_slots(&space, space.ranks[config], slots, &ev));
    space_print(&space, config, &name);
    *v = (EmitVariant){.slots = slots,
                       .name = arena_string(a, buf_text(&name)),
                       .arch = arch,
                       .fixed = unit_fixed_names(a, u->spec, slots),
                       .codes = ARENA_ARRAY(a, EmitCode, u->spec->launch_count)};
    for (size_t l = 0; l < u->spec->launch_count; l++)
        v->codes[l] = make_code(a, u, number, l, arch);
    buf_free(&name);
    space_free(&space);
    return number;
}

EmitEntry *emit_unit_entry_of(Arena *a, EmitUnit *u, const Value *values, size_t variant,
                              const char *device, int arch)
{
    (void)a;
    EmitEntry *e = &u->entries[u->entry_count++];
    assert_true(u->entry_count <= MOST);
    *e = (EmitEntry){.problem = values,
                     .variant = variant,
                     .device = device,
                     .arch = arch,
                     .time_ms = 1.25,
                     .regret = NAN,
                     .recording = "synthetic.times",
                     .recorded = "2026-01-02",
                     .driver = "580.0",
                     .compiler = "NVRTC 13.0",
                     .version = "0.0",
                     .how = "synthetic: not measured",
                     .is_default = u->entry_count == 1};
    return e;
}

EmitEntry *emit_unit_entry(Arena *a, EmitUnit *u, size_t problem, size_t variant,
                           const char *device, int arch)
{
    return emit_unit_entry_of(a, u, u->spec->problems[problem].values, variant, device, arch);
}

static void add_name(Arena *a, Texts *names, const char *name, size_t length)
{
    VEC_PUSH(a, names, arena_copy(a, name, length));
}

/* What "-DNAME=value" options and parameters define, and what the source itself does. */
static void write_macros(Arena *a, const EmitUnit *u, size_t variant, Buf *out, Texts *names)
{
    const Spec *s = u->spec;
    const Value *slots = u->variants[variant].slots;
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (!spec_parameter_is_macro(s, p))
            continue;
        buf_printf(out, "#define %s ", s->parameters[p].name);
        value_print_bare(slots[spec_parameter_slot(s, p)], out);
        buf_putc(out, '\n');
        add_name(a, names, s->parameters[p].name, strlen(s->parameters[p].name));
    }
    for (size_t i = 0; i < s->option_count; i++) {
        Evaluation ev = {.arena = a};
        const char *text = spec_text_fill(&s->option_parts[i].text, slots, &ev);
        assert_non_null(text);
        const char *equals = strchr(text, '=');
        if (strncmp(text, "-D", 2) == 0 && equals) {
            const int length = (int)(equals - text) - 2;
            buf_printf(out, "#define %.*s %s\n", length, text + 2, equals + 1);
            add_name(a, names, text + 2, (size_t)length);
        }
    }
}

static void note_macros(Arena *a, const char *source, Texts *names)
{
    for (const char *p = strstr(source, "#define "); p; p = strstr(p + 1, "#define ")) {
        p += strlen("#define ");
        add_name(a, names, p, strcspn(p, " (\n"));
    }
}

void emit_unit_sources(Arena *a, EmitUnit *u, size_t variant)
{
    EmitCode *codes = u->variants[variant].codes;
    for (size_t l = 0; l < u->spec->launch_count; l++) {
        size_t size;
        Diag d = diag_new(a);
        Buf text = {0};
        Texts names = {0};
        const char *source = file_read(a, u->spec->launches[l].path, &size, &d);
        assert_non_null(source);
        write_macros(a, u, variant, &text, &names);
        buf_puts(&text, source);
        note_macros(a, source, &names);
        codes[l].source = arena_string(a, buf_text(&text));
        codes[l].macros = names;
        buf_free(&text);
    }
}

static void write_text(const EmitUnit *u, const char *folder, const char *end,
                       bool (*emit)(const EmitUnit *, Buf *, Diag *))
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf text = {0};
    if (!emit(u, &text, &d))
        fail_msg("%s%s is not emitted: %s", u->name, end, d.messages.at[0].text);
    assert_true(file_write(arena_printf(a, "%s/%s%s", folder, u->name, end), buf_text(&text),
                           text.size, &d));
    buf_free(&text);
    arena_free(a);
}

void emit_unit_write(const EmitUnit *u, const char *folder)
{
    write_text(u, folder, ".h", emit_text_header);
    write_text(u, folder, u->flavour == EMIT_RUNTIME ? ".cu" : ".c", emit_text_unit);
    if (u->flavour != EMIT_RUNTIME)
        write_text(u, folder, "_code.h", emit_text_code);
}

static const char *run(Arena *a, const char *command)
{
    Buf text = {0};
    char piece[4096];
    /* The tests' own sanitizers are none of the programs'. */
    FILE *f = popen(arena_printf(a, "LD_PRELOAD= %s 2>&1", command), "r");
    assert_non_null(f);
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
        buf_add(&text, piece, n);
    const int status = pclose(f);
    const char *said = arena_string(a, buf_text(&text));
    buf_free(&text);
    if (status != 0)
        fail_msg("%s\n%s", command, said);
    return said;
}

void emit_unit_shell(const char *format, ...)
{
    Arena *a = arena_new();
    Buf command = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&command, format, args);
    va_end(args);
    run(a, buf_text(&command));
    buf_free(&command);
    arena_free(a);
}

const char *emit_unit_output(Arena *a, const char *format, ...)
{
    Buf command = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&command, format, args);
    va_end(args);
    const char *said = run(a, buf_text(&command));
    buf_free(&command);
    return said;
}

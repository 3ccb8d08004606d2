#include "tests/support/emit_unit.h"

#include "metrics/base/file.h"
#include "tuner/emit/code.h"

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
    const bool peer = strncmp(name, "peers/", 6) == 0;
    const char *path = peer ? arena_printf(a, TEST_DATA "/%s.spec", name)
                            : arena_printf(a, SOURCE_DIR "/spaces/%s.spec", name);
    const Spec *s = spec_read(a, path, &d);
    if (!s)
        fail_msg("cannot read %s", path);
    return s;
}

static void note_problem(void *context, int slot)
{
    bool *fixed = context;
    *fixed = *fixed || slot >= 0;
}

typedef struct Below {
    size_t names;
    bool used;
} Below;

static void note_below(void *context, int slot)
{
    Below *b = context;
    b->used = b->used || (size_t)slot < b->names;
}

bool emit_unit_is_fixed(const Spec *s)
{
    Below b = {s->problem_name_count, false};
    (void)note_problem;
    for (size_t i = 0; i < s->option_count; i++) {
        const CompileOption *o = &s->option_parts[i];
        if (o->condition)
            expr_visit_names(o->condition, note_below, &b);
        for (size_t k = 0; k < o->text.piece_count; k++)
            if (o->text.pieces[k].value)
                expr_visit_names(o->text.pieces[k].value, note_below, &b);
    }
    return b.used;
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
    Buf name = {0};
    Evaluation ev = {.arena = a};
    if (launch->expression && spec_text_fill(&launch->name, u->variants[variant].slots, &ev, &name))
        code.kernel = arena_string(a, buf_text(&name));
    else
        code.kernel = launch->entry;
    code.expression = launch->expression;
    code.entry = arena_printf(a, "kernel_%zu_%zu", variant + 1, l + 1);
    const char *cubin = arena_printf(a, "synthetic cubin %d %zu.%zu ", arch, variant + 1, l + 1);
    code.cubin = cubin;
    code.cubin_size = strlen(cubin) + 1;
    code.ptx = arena_printf(a, "synthetic ptx %d %zu.%zu \n.target sm_%d\n", arch, variant + 1,
                            l + 1, arch);
    buf_free(&name);
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
    assert_true(space_build(a, u->spec, problem, &space, &d));
    assert_true(config < space.count && number < MOST);
    assert_true(space_slots(&space, config, slots, &ev));
    space_print(&space, config, &name);
    *v = (EmitVariant){.slots = slots,
                       .name = arena_string(a, buf_text(&name)),
                       .arch = arch,
                       .fixed = emit_unit_is_fixed(u->spec),
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

/* The emitted launch is the tuner's launch.
 *
 * Units are emitted from every shipped spec and from the peers' kernels, compiled, and run on a
 * driver that only says what it was asked for.  For each variant and for many sizes that must be
 * what the tuner itself would launch: geometry, dynamic shared memory, arguments byte by byte,
 * memory that is set to zero.  Where the tuner has no such configuration, another variant or none
 * is taken. */
#include "metrics/base/file.h"
#include "metrics/metric/device.h"
#include "tests/support/emit_unit.h"
#include "tuner/emit/c_expr.h"
#include "tuner/run/run_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VARIANTS = 4, SIZES = 40, NAMES = 8, OK = 0, SIZE = 3 };

static const uint64_t SCRATCH = UINT64_C(0x990000000000);

/* A unit under test, and what it is asked. */
typedef struct Subject {
    Arena *arena;
    const Spec *spec;
    EmitUnit *unit;
    Value sizes[SIZES][NAMES];
    size_t size_count;
} Subject;

/* --- what the tuner would do
 * ----------------------------------------------------------------------- */

static uint64_t address_of(size_t argument)
{
    return UINT64_C(0x1000000000) * (argument + 1);
}

static bool is_partitioned(const Argument *g)
{
    return g->role == ARGUMENT_SCRATCH &&
           (g->contents.kind == CONTENTS_ZERO || g->contents.kind == CONTENTS_UNDEFINED);
}

/* A configuration for a size, as far as the tuner has it. */
typedef struct Case {
    const Subject *subject;
    Arena *arena;
    Value *slots;
    const Value *tuned; /* of the variant at its own size */
    bool taken[64];
    uint64_t scratch; /* bytes */
    uint64_t at[64];  /* addresses of buffers */
    Buf said;
} Case;

static bool is_true(Value v)
{
    return v.kind == VALUE_BOOL ? v.boolean : value_as_real(v) != 0;
}

static bool evaluate(const Case *c, const Expr *e, bool exact, Value *out)
{
    Evaluation ev = {.arena = c->arena};
    return expr_eval(e, c->slots, &ev, out) && !(exact && ev.inexact);
}

/* Derived names, parameters' values and constraints. */
static bool is_configuration(const Case *c)
{
    const Spec *s = c->subject->spec;
    Evaluation ev = {.arena = c->arena};
    Value v;
    for (size_t k = 0; k < s->derived_count; k++)
        if (!evaluate(c, s->derived[k].value, true, &c->slots[spec_derived_slot(s, k)]))
            return false;
    for (size_t p = 0; p < s->parameter_count; p++) {
        bool allowed = false;
        if (!spec_parameter_allows(c->arena, s, p, c->slots, &ev, &allowed) || !allowed)
            return false;
    }
    for (size_t i = 0; i < s->constraint_count; i++)
        if (!evaluate(c, s->constraints[i].condition, false, &v) || !is_true(v))
            return false;
    return true;
}

static bool note_launches(Case *c)
{
    const Spec *s = c->subject->spec;
    for (size_t l = 0; l < s->launch_count; l++) {
        RunTakenList taken;
        Evaluation ev = {.arena = c->arena};
        Steps steps;
        if (!geometry_steps(c->arena, &s->launches[l], l, c->slots, &ev, &steps))
            return false;
        VEC_EACH (const Step, step, steps) {
            if (s->launches[l].repeat_name)
                c->slots[s->launches[l].repeat_slot] = step->value;
            if (!run_launch_takes(c->arena, s, &s->launches[l], c->slots, &ev, &taken))
                return false;
            VEC_EACH (const RunTaken, t, taken)
                if (t->index != SIZE_MAX)
                    c->taken[t->index] = true;
        }
    }
    return true;
}

/* Where buffers lie; false when one of them is empty. */
static bool place_buffers(Case *c)
{
    const Spec *s = c->subject->spec;
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        Value count;
        c->at[i] = address_of(i);
        if (!g->count)
            continue;
        if (!evaluate(c, g->count, true, &count) || count.integer < 1)
            return false;
        const double bytes = (double)count.integer * (double)task_type_size(g->element);
        if (bytes > 0x1p48)
            return false;
        if (g->role == ARGUMENT_CONSTANT) {
            Evaluation ev = {.arena = c->arena};
            Value compiled;
            assert_true(expr_eval(g->count, c->tuned, &ev, &compiled));
            if (!value_equal(count, compiled))
                return false;
        }
        if (!is_partitioned(g) || !c->taken[i])
            continue;
        c->at[i] = SCRATCH + c->scratch;
        c->scratch += ((uint64_t)bytes + 255) / 256 * 256;
    }
    return true;
}

/* The one variable that the modules have: the first of the spec. */
static size_t variable_of(const Spec *s)
{
    size_t i = 0;
    while (i < s->argument_count && s->arguments[i].role != ARGUMENT_CONSTANT)
        i++;
    return i;
}

static long long bytes_of(const Case *c, size_t argument)
{
    Value count;
    const Argument *g = &c->subject->spec->arguments[argument];
    assert_true(evaluate(c, g->count, true, &count));
    return (long long)count.integer * (long long)task_type_size(g->element);
}

/* A copy for each module, of those that launches share one. */
static void say_copies(Case *c, size_t variant, size_t argument)
{
    const EmitCode *codes = c->subject->unit->variants[variant].codes;
    for (size_t l = 0; l < c->subject->spec->launch_count; l++)
        if (codes[l].shares == l)
            buf_printf(&c->said, "copy to 7000 from %llx %lld bytes stream 0x55\n",
                       (unsigned long long)c->at[argument], bytes_of(c, argument));
}

static void say_memory(Case *c, size_t variant)
{
    const Spec *s = c->subject->spec;
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        if (i == variable_of(s))
            say_copies(c, variant, i);
        if (!c->taken[i] || g->contents.kind != CONTENTS_ZERO ||
            (g->role != ARGUMENT_SCRATCH && g->role != ARGUMENT_OUT))
            continue;
        buf_printf(&c->said, "set %llx to 0 %lld bytes stream 0x55\n", (unsigned long long)c->at[i],
                   bytes_of(c, i));
    }
}

static bool say_number(Case *c, const Argument *g)
{
    Value v;
    if (!evaluate(c, g->value, false, &v))
        return false;
    unsigned char bytes[TASK_VALUE_LIMIT] = {0}; /* gaps of structs are zero */
    for (int i = 0; i < argument_numbers(g); i++) {
        const Field f = argument_number(g, i);
        const Value one = v.kind == VALUE_LIST ? v.list->at[i] : v;
        if (!contents_store_value(f.scalar, one, bytes + f.offset))
            return false;
    }
    for (size_t k = 0; k < task_type_size(g->element); k++)
        buf_printf(&c->said, "%02x", bytes[k]);
    return true;
}

/* What an argument adds to the parameter that it is part of. */
static size_t place(StructLayout *l, const Argument *g)
{
    const bool number = g && g->role == ARGUMENT_SCALAR;
    return layout_add(l, number ? task_type_size(g->element) : 8,
                      number ? argument_alignment(g) : 8);
}

static void say_zeros(Case *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_puts(&c->said, "00");
}

static bool say_argument(Case *c, const RunTaken *t)
{
    if (t->argument->role == ARGUMENT_SCALAR)
        return say_number(c, t->argument);
    for (int k = 0; k < 8; k++)
        buf_printf(&c->said, "%02x", (unsigned)(c->at[t->index] >> 8 * k & 0xff));
    return true;
}

static bool say_step(Case *c, size_t variant, const Step *step)
{
    const Spec *s = c->subject->spec;
    const Launch *l = &s->launches[step->launch];
    const Geometry *g = &step->geometry;
    Evaluation ev = {.arena = c->arena};
    RunTakenList taken;
    if (l->repeat_name)
        c->slots[l->repeat_slot] = step->value;
    if (tier0_check(device_find("sm_90"), g) != OUTCOME_NONE ||
        !run_launch_takes(c->arena, s, l, c->slots, &ev, &taken))
        return false;
    const size_t start = c->said.size;
    buf_printf(&c->said,
               "launch kernel_%zu_%zu grid %lld %lld %lld block %lld %lld %lld shared %lld stream "
               "0x55 arguments",
               variant + 1, step->launch + 1, (long long)g->grid[0], (long long)g->grid[1],
               (long long)g->grid[2], (long long)g->block[0], (long long)g->block[1],
               (long long)g->block[2], (long long)g->shared);
    for (size_t i = 0; i < taken.count;) {
        StructLayout whole = {0};
        buf_putc(&c->said, ' ');
        do {
            const size_t before = whole.size;
            say_zeros(c, place(&whole, taken.at[i].argument) - before);
            if (!say_argument(c, &taken.at[i]))
                return false;
        } while (++i < taken.count && taken.at[i].joined);
        say_zeros(c, layout_size(&whole) - whole.size);
    }
    buf_putc(&c->said, '\n');
    const char *line = arena_string(c->arena, buf_text(&c->said) + start);
    for (int64_t k = 1; k < step->times; k++)
        buf_puts(&c->said, line);
    return true;
}

static bool say_launches(Case *c, size_t variant)
{
    const Spec *s = c->subject->spec;
    Steps all = {0};
    for (size_t l = 0; l < s->launch_count; l++) {
        Evaluation ev = {.arena = c->arena};
        Steps steps;
        if (!geometry_steps(c->arena, &s->launches[l], l, c->slots, &ev, &steps) || ev.inexact)
            return false;
        VEC_EACH (const Step, step, steps)
            VEC_PUSH(c->arena, &all, *step);
    }
    geometry_interleave(c->arena, s->launches, s->launch_count, &all);
    VEC_EACH (const Step, step, all)
        if (!say_step(c, variant, step))
            return false;
    return true;
}

/* What the tuner would have the driver do, in `a`; NULL when it has no such configuration. */
static const char *tuners_words(Arena *a, const Subject *u, size_t variant, const Value *size)
{
    const EmitVariant *v = &u->unit->variants[variant];
    Case c = {.subject = u, .arena = a, .tuned = v->slots};
    c.slots = ARENA_ARRAY(a, Value, spec_slot_count(u->spec));
    memcpy(c.slots, v->slots, spec_slot_count(u->spec) * sizeof *c.slots);
    bool served = true;
    for (size_t i = 0; i < u->spec->problem_name_count; i++) {
        served = served && (!v->fixed[i] || value_equal(size[i], v->slots[i]));
        c.slots[i] = size[i];
        if (size[i].integer < 0 || size[i].integer > INT32_MAX)
            return NULL;
    }
    spec_set_arguments(u->spec, c.slots);
    if (!served)
        return NULL;
    bool ok = is_configuration(&c) && note_launches(&c) && place_buffers(&c);
    if (ok)
        say_memory(&c, variant);
    ok = ok && say_launches(&c, variant);
    const char *said = ok ? arena_string(a, buf_text(&c.said)) : NULL;
    buf_free(&c.said);
    return said;
}

/* --- units and sizes
 * ------------------------------------------------------------------------------- */

/* Configurations spread over the space that a device can launch, each tuned on a device of its own.
 */
static void make_unit(Subject *u)
{
    Diag d = diag_new(u->arena);
    const size_t problems = u->spec->problem_count < 2 ? u->spec->problem_count : 2;
    for (size_t p = 0; p < problems; p++) {
        Space space;
        assert_true(space_build(u->arena, u->spec, p, NULL, &space, &d));
        for (size_t i = 0; i < VARIANTS; i++) {
            size_t config = space.count * i / (VARIANTS - 1);
            config = config < space.count ? config : space.count - 1;
            size_t v = emit_unit_variant(u->arena, u->unit, p, config, 90);
            emit_unit_entry(u->arena, u->unit, p, v, arena_printf(u->arena, "Device %zu", v + 1),
                            90);
        }
        space_free(&space);
    }
}

static void add_size(Subject *u, const Value *values)
{
    if (u->size_count < SIZES)
        memcpy(u->sizes[u->size_count++], values, u->spec->problem_name_count * sizeof *values);
}

/* The sizes of the spec, and others near and far: each number by itself, and all of them. */
static void make_sizes(Subject *u)
{
    const size_t names = u->spec->problem_name_count;
    assert_true(names <= NAMES);
    for (size_t p = 0; p < u->spec->problem_count; p++)
        add_size(u, u->spec->problems[p].values);
    for (size_t i = 0; i <= names && names > 0; i++)
        for (int k = 0; k < 7; k++) {
            Value values[NAMES];
            memcpy(values, u->spec->problems[0].values, names * sizeof *values);
            for (size_t n = 0; n < names; n++) {
                const int64_t x = values[n].integer;
                const int64_t others[] = {x / 2, x + 1, x * 3 / 4, 1000, 1, x * 4, x - 1};
                if (i == n || i == names)
                    values[n] = value_int(others[k]);
            }
            add_size(u, values);
        }
    for (size_t n = 0; n < names && u->size_count > 3; n++)
        u->sizes[3][n] = value_int(n == 0 ? 0 : INT64_C(3000000000));
}

/* --- the program that asks
 * ------------------------------------------------------------------------- */

static void print_sizes_of(const Subject *u, size_t variant, size_t l, Buf *out)
{
    const Launch *launch = &u->spec->launches[l];
    buf_printf(out, "    fake_arguments(\"kernel_%zu_%zu\", \"", variant + 1, l + 1);
    size_t count = launch->has_items ? launch->item_count : u->spec->argument_count;
    StructLayout whole = {0};
    for (size_t i = 0; i < count; i++) {
        const Argument *g = launch->has_items ? launch->items[i].own : &u->spec->arguments[i];
        for (size_t k = 0; launch->has_items && !g && k < u->spec->argument_count; k++) {
            const Span at = expr_span(launch->items[i].choice);
            const char *name = u->spec->arguments[k].name;
            if (strncmp(at.source->text + at.offset, name, at.length) == 0)
                g = &u->spec->arguments[k];
        }
        if (g && g->role == ARGUMENT_CONSTANT)
            continue;
        if (!launch->has_items || !launch->items[i].joined) {
            buf_printf(out, whole.size ? " %zu" : "", layout_size(&whole));
            whole = (StructLayout){0};
        }
        place(&whole, g);
    }
    buf_printf(out, whole.size ? " %zu" : "", layout_size(&whole));
    buf_puts(out, "\");\n");
}

/* Does some variant take a buffer that is made from scratch memory? */
static bool takes_scratch(const Subject *u)
{
    bool takes = false;
    for (size_t v = 0; v < u->unit->variant_count; v++) {
        Case c = {.subject = u, .arena = u->arena};
        c.slots = ARENA_ARRAY(u->arena, Value, spec_slot_count(u->spec));
        memcpy(c.slots, u->unit->variants[v].slots, spec_slot_count(u->spec) * sizeof *c.slots);
        spec_set_arguments(u->spec, c.slots);
        assert_true(is_configuration(&c) && note_launches(&c));
        for (size_t i = 0; i < u->spec->argument_count; i++)
            takes = takes || (c.taken[i] && is_partitioned(&u->spec->arguments[i]));
    }
    return takes;
}

static void print_pointers(const Subject *u, Buf *out)
{
    for (size_t i = 0; i < u->spec->argument_count; i++) {
        const Argument *g = &u->spec->arguments[i];
        const char *name = text_name(u->arena, g->name, NULL, 0); /* not a word of C's */
        if (g->role == ARGUMENT_TEXTURE)
            buf_printf(out, "    a.%s = 0x%llxULL;\n", name, (unsigned long long)address_of(i));
        else if (g->role != ARGUMENT_SCALAR && !is_partitioned(g))
            buf_printf(out, "    a.%s = (void *)0x%llxULL;\n", name,
                       (unsigned long long)address_of(i));
    }
    if (takes_scratch(u))
        buf_printf(out, "    a.scratch = (void *)0x%llxULL;\n", (unsigned long long)SCRATCH);
}

static void print_questions(const Subject *u, Buf *out)
{
    for (size_t i = 0; i < u->size_count; i++) {
        buf_puts(out, "        {");
        for (size_t n = 0; n < u->spec->problem_name_count; n++)
            buf_printf(out, "%s%lld", n ? ", " : "", (long long)u->sizes[i][n].integer);
        buf_puts(out, u->spec->problem_name_count ? "},\n" : "0},\n");
    }
}

static void print_variable(const Subject *u, Buf *out)
{
    const size_t i = variable_of(u->spec);
    Case c = {.subject = u, .arena = u->arena};
    c.slots = ARENA_ARRAY(u->arena, Value, spec_slot_count(u->spec));
    memcpy(c.slots, u->unit->variants[0].slots, spec_slot_count(u->spec) * sizeof *c.slots);
    if (i < u->spec->argument_count)
        buf_printf(out, "    fake_variable(\"%s\", %lld);\n", u->spec->arguments[i].name,
                   bytes_of(&c, i));
}

static const char *program_of(const Subject *u)
{
    Buf out = {0};
    buf_printf(&out,
               "#include \"%s.h\"\n#include <stdio.h>\n"
               "void fake_device(const char *name, int arch, int shared);\n"
               "void fake_arguments(const char *function, const char *sizes);\n"
               "void fake_variable(const char *name, size_t bytes);\n"
               "int main(void)\n{\n"
               "    static const mm_problem sizes[] = {\n",
               u->unit->name);
    print_questions(u, &out);
    buf_puts(&out, "    };\n    mm_arguments a;\n    mm_arguments_default(&a);\n");
    print_pointers(u, &out);
    print_variable(u, &out);
    for (size_t v = 0; v < u->unit->variant_count; v++)
        for (size_t l = 0; l < u->spec->launch_count; l++)
            print_sizes_of(u, v, l, &out);
    buf_printf(
        &out,
        "    for (int d = 1; d <= %zu; d++) {\n"
        "        char name[32];\n"
        "        mm_kernel *k;\n"
        "        snprintf(name, sizeof name, \"Device %%d\", d);\n"
        "        fake_device(name, 90, 232448);\n"
        "        if (mm_load(&k))\n            return 1;\n"
        "        for (int i = 0; i < %zu; i++) {\n"
        "            mm_choice c;\n"
        "            int status = mm_launch(k, &sizes[i], &a, (void *)0x55, &c);\n"
        "            printf(\"done %%d %%d %%d %%d %%zu\\n\", status, c.variant, (int)c.match, "
        "c.entry,\n                   c.scratch_bytes);\n"
        "        }\n"
        "        mm_unload(k);\n"
        "    }\n"
        "    return 0;\n}\n",
        u->unit->variant_count, u->size_count);
    const char *text = arena_string(u->arena, buf_text(&out));
    buf_free(&out);
    return text;
}

static const char *answers_of(const Subject *u, const char *folder)
{
    Diag d = diag_new(u->arena);
    const char *program = program_of(u);
    emit_unit_write(u->unit, folder);
    assert_true(
        file_write(arena_printf(u->arena, "%s/main.c", folder), program, strlen(program), &d));
    return emit_unit_output(u->arena,
                            "cd %s && cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -g "
                            "-fsanitize=undefined -fno-sanitize-recover %s.c -c -o unit.o && "
                            "cc -g main.c unit.o -fsanitize=undefined -o program -L. -lcuda -ldl "
                            "-lpthread -lm && LD_LIBRARY_PATH=. ./program",
                            folder, u->unit->name);
}

/* --- comparing
 * ------------------------------------------------------------------------------------- */

/* The lines up to "done", without what the driver loaded; moves on behind it. */
static const char *next_answer(Arena *a, const char **at, int done[5])
{
    Buf lines = {0};
    for (;;) {
        const char *end = strchr(*at, '\n');
        assert_non_null(end);
        const size_t length = (size_t)(end - *at);
        const char *line = arena_copy(a, *at, length);
        *at = end + 1;
        if (sscanf(line, "done %d %d %d %d %d", &done[0], &done[1], &done[2], &done[3], &done[4]) ==
            5)
            break;
        if (strncmp(line, "launch", 6) == 0 || strncmp(line, "set", 3) == 0 ||
            strncmp(line, "copy", 4) == 0)
            buf_printf(&lines, "%s\n", line);
    }
    const char *said = arena_string(a, buf_text(&lines));
    buf_free(&lines);
    return said;
}

static bool is_some_valid(Arena *a, const Subject *u, const Value *size)
{
    for (size_t v = 0; v < u->unit->variant_count; v++)
        if (tuners_words(a, u, v, size))
            return true;
    return false;
}

static void compare_one(Arena *a, const Subject *u, size_t device, const Value *size,
                        const char *said, const int done[5])
{
    Buf text = {0};
    for (size_t i = 0; i < u->spec->problem_name_count; i++)
        buf_printf(&text, " %lld", (long long)size[i].integer);
    const char *wanted = tuners_words(a, u, device, size);
    if (done[0] != OK) {
        if (done[0] != SIZE || is_some_valid(a, u, size))
            fail_msg("%s,%s: status %d", u->spec->name, buf_text(&text), done[0]);
    } else {
        const char *words = tuners_words(a, u, (size_t)done[1] - 1, size);
        if (!words || strcmp(words, said) != 0)
            fail_msg("%s,%s: variant %d (%s)\n%s, the tuner\n%s", u->spec->name, buf_text(&text),
                     done[1], u->unit->variants[done[1] - 1].name, said, words ? words : "nothing");
        /* Entries of this device are asked before those of others, unless the size is far away. */
        if (wanted && done[2] <= 1 && done[1] != (int)device + 1)
            fail_msg("%s,%s: variant %d", u->spec->name, buf_text(&text), done[1]);
        if (!wanted && done[1] == (int)device + 1)
            fail_msg("%s,%s: the tuner has no variant %d", u->spec->name, buf_text(&text), done[1]);
    }
    buf_free(&text);
}

static void try_spec(const char *name, const char *folder)
{
    Subject u = {.arena = arena_new()};
    u.spec = emit_unit_spec(u.arena, name);
    u.unit = emit_unit_new(u.arena, u.spec, "mm_", EMIT_DRIVER);
    make_unit(&u);
    make_sizes(&u);
    const char *at = answers_of(&u, folder);
    size_t launched = 0;
    for (size_t v = 0; v < u.unit->variant_count; v++)
        for (size_t i = 0; i < u.size_count; i++) {
            Arena *a = arena_new();
            int done[5];
            const char *said = next_answer(a, &at, done);
            compare_one(a, &u, v, u.sizes[i], said, done);
            launched += done[0] == OK;
            arena_free(a);
        }
    /* The first size is one that variants were tuned for. */
    assert_true(launched >= u.unit->variant_count);
    arena_free(u.arena);
}

static const char *const SPECS[] = {"access",
                                    "branching",
                                    "convolution",
                                    "cp",
                                    "mapping",
                                    "mm-core",
                                    "mm-thesis",
                                    "mri-fhd",
                                    "mri-q",
                                    "reduce",
                                    "reduce-2008",
                                    "rsqrt",
                                    "sad",
                                    "saxpy",
                                    "scan",
                                    "scan-two-pass",
                                    "sync",
                                    "transpose",
                                    "transpose-1",
                                    "transpose-tutorial",
                                    "vectoradd",
                                    "emit/torture",
                                    "peers/axpy",
                                    "peers/convolution",
                                    "peers/digest",
                                    "peers/generated",
                                    "peers/lookup",
                                    "peers/nbody",
                                    "peers/polygon",
                                    "peers/reduction",
                                    "peers/spmv",
                                    "peers/stencil",
                                    "peers/transposed",
                                    "peers/vector_add"};

static void the_emitted_launch_is_the_tuners(void **state)
{
    (void)state;
    char folder[] = "/tmp/aptune-emit-XXXXXX";
    assert_non_null(mkdtemp(folder));
    emit_unit_shell(
        "cc -std=gnu11 -shared -fPIC -g -Wl,-soname,libcuda.so.1 -o %s/libcuda.so.1 " TEST_DATA
        "/emit/fake_cuda.c && ln -s libcuda.so.1 %s/libcuda.so",
        folder, folder);
    for (size_t i = 0; i < sizeof SPECS / sizeof SPECS[0]; i++)
        try_spec(SPECS[i], folder);
    emit_unit_shell("rm -r %s", folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_emitted_launch_is_the_tuners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

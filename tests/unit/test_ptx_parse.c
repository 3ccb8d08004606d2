/* PTX text to model and back, on what the compilers write and on what they never would. */
#include "metrics/base/file.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/ptx_print.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    PtxModule *module;
} Fixture;

static Fixture parse(const char *text)
{
    Fixture x = {.arena = arena_new()};
    x.diag = diag_new(x.arena);
    Source *s = ARENA_NEW(x.arena, Source);
    *s = (Source){"test.ptx", text, strlen(text)};
    x.module = ptx_parse(x.arena, s, &x.diag);
    return x;
}

static void done(Fixture *x)
{
    arena_free(x->arena);
}

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

static const char *printed(Arena *a, const PtxModule *m)
{
    Buf out = {0};
    ptx_print(m, &out);
    const char *text = arena_copy(a, buf_text(&out), out.size);
    buf_free(&out);
    return text;
}

static void check_fixed_point(const char *path)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source *s = source_read(a, path, &d);
    assert_non_null(s);

    const PtxModule *m = ptx_parse(a, s, &d);
    const char *once = printed(a, m);
    const Source again = {"printed", once, strlen(once)};
    const char *twice = printed(a, ptx_parse(a, &again, &d));

    Buf messages = {0};
    diag_print(&d, &messages);
    assert_string_equal(buf_text(&messages), "");
    assert_string_equal(once, twice);
    assert_true(m->functions.count > 0 && strlen(once) > 500);
    buf_free(&messages);
    arena_free(a);
}

static void printing_and_parsing_compiler_output_is_a_fixed_point(void **state)
{
    (void)state;
    DIR *folder = opendir(TEST_DATA "/ptx");
    assert_non_null(folder);
    int files = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        const char *end = strrchr(e->d_name, '.');
        if (!end || strcmp(end, ".ptx") != 0)
            continue;
        char path[600];
        snprintf(path, sizeof path, TEST_DATA "/ptx/%s", e->d_name);
        check_fixed_point(path);
        files++;
    }
    closedir(folder);
    assert_true(files >= 17);
}

static void parameters_get_their_offsets(void **state)
{
    (void)state;
    Fixture x =
        parse(HEADER ".visible .entry k(.param .u32 a, .param .u64 .ptr .global .align 16 b,\n"
                     ".param .align 4 .b8 c[12], .param .u8 d)\n.maxntid 256\n{ ret; }\n");

    const PtxFunction *f = ptx_find_entry(x.module, "k");

    assert_int_equal(x.diag.errors, 0);
    assert_int_equal(f->params.count, 4);
    assert_int_equal(f->params.at[1]->offset, 8);
    assert_true(f->params.at[1]->is_pointer);
    assert_int_equal(f->params.at[1]->align, 8);
    assert_int_equal(f->params.at[2]->offset, 16);
    assert_int_equal(f->params.at[3]->offset, 28);
    assert_int_equal(f->param_size, 29);
    assert_int_equal(ptx_find_attribute(f, ".maxntid")->values[0], 256);
    assert_int_equal(ptx_find_attribute(f, ".maxntid")->count, 1);
    done(&x);
}

static void a_scope_shadows_registers_and_labels(void **state)
{
    (void)state;
    Fixture x =
        parse(HEADER ".entry k() { .reg .pred %p<3>; .reg .b32 %r<9>;\n"
                     "mov.u32 %r7, 1;\nsetp.ne.u32 %p1, %r7, 0;\n"
                     "{ .reg .pred %p1; setp.eq.u32 %p1, %r7, 1; @%p1 bra L; L: mov.u32 %r7, 2; }\n"
                     "@%p1 bra L;\nL: ret; }\n");

    const PtxFunction *f = ptx_find_entry(x.module, NULL);
    const PtxInstr *in = f->instrs.at;

    assert_int_equal(x.diag.errors, 0);
    assert_int_equal(f->registers.count, 3);
    assert_int_not_equal(in[1].operands[0].index, in[2].operands[0].index);
    assert_int_equal(in[3].guard, in[2].operands[0].index);
    assert_int_equal(in[5].guard, in[1].operands[0].index);
    assert_int_not_equal(in[3].guard, in[5].guard);
    assert_int_equal(f->labels.at[in[3].operands[0].index].instr, 4);
    assert_int_equal(f->labels.at[in[5].operands[0].index].instr, 6);
    done(&x);
}

static void modifiers_are_decoded(void **state)
{
    (void)state;
    Fixture x =
        parse(HEADER ".entry k() { .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<4>;\n"
                     "ld.global.nc.L1::no_allocate.v4.f32 {%r1, %r2, %r3, %r4}, [%rd1+-16];\n"
                     "setp.lo.and.u32 %p1|%p2, %r1, 5, !%p3;\n"
                     "mad.wide.s32 %rd1, %r1, %r2, %rd2;\nbar.red.popc.u32 %r1, 0, %p1; }\n");

    const PtxInstr *in = ptx_find_entry(x.module, NULL)->instrs.at;

    assert_int_equal(x.diag.errors, 0);
    assert_int_equal(in[0].form->op, PTX_LD);
    assert_int_equal(in[0].form->space, PTX_GLOBAL);
    assert_int_equal(in[0].form->vector, 4);
    assert_int_equal(in[0].form->types[0], PTX_F32);
    assert_true(in[0].form->flags & PTX_FLAG_NC);
    assert_int_equal(in[0].operands[1].value, -16);
    assert_int_equal(in[1].form->compare, PTX_LO);
    assert_int_equal(in[1].form->combine, PTX_COMBINE_AND);
    assert_int_equal(in[1].operands[0].kind, PTX_OPERAND_PAIR);
    assert_true(in[1].operands[3].negated);
    assert_int_equal(in[2].form->half, PTX_WIDE);
    assert_int_equal(in[3].form->op, PTX_BAR_RED);
    assert_int_equal(in[3].form->writes, 1);
    done(&x);
}

static void an_unknown_instruction_is_kept_and_mentioned_once(void **state)
{
    (void)state;
    Fixture x = parse(HEADER ".entry k() { .reg .b32 %r<3>; .strange 12, %r1;\n"
                             "frob.x2.u32 %r1, %r2;\nfrob.x2.u32 %r2, {%r1, 7};\nret; }\n");

    const PtxFunction *f = ptx_find_entry(x.module, NULL);

    assert_int_equal(x.diag.errors, 0);
    assert_int_equal(x.diag.warnings, 2);
    assert_int_equal(f->unknown, 2);
    assert_int_equal(f->instrs.count, 3);
    assert_int_equal(f->instrs.at[1].operands[1].kind, PTX_OPERAND_VECTOR);
    done(&x);
}

static void reading_goes_on_after_a_mistake(void **state)
{
    (void)state;
    Fixture x = parse(
        HEADER ".entry k() {\n  .reg .b32 %r<3>;\n  add.s32 %r1 %r2;\n"
               "  add.s32 %r1, %r7, 1;\n  bra NOWHERE;\n  ret;\n}\n.entry second() { ret; }\n");
    Buf out = {0};
    diag_print(&x.diag, &out);

    assert_int_equal(x.diag.errors, 3);
    assert_non_null(
        strstr(buf_text(&out), "test.ptx:6:15: error: expected ',' or ';', found '%r2'"));
    assert_non_null(strstr(buf_text(&out), "register '%r7' is not declared"));
    assert_non_null(strstr(buf_text(&out), "label 'NOWHERE' is not defined"));
    assert_non_null(ptx_find_entry(x.module, "second"));
    buf_free(&out);
    done(&x);
}

/* The first line of what is said of an entry's body; nothing of those without a mistake. */
static void mistakes_are_named_where_they_are(void **state)
{
    static const struct {
        const char *body;
        int messages;
        const char *says;
    } CASES[] = {
        {".reg .b32 %x; .reg .f32 %x;", 1, "5:25: error: '%x' is declared twice in its scope"},
        {".reg .b32 %x; { .reg .f32 %x; }", 0, ""},
        {"L: L: ret;", 1, "5:4: error: label 'L' is defined twice in its scope"},
        {"L: { L: bra L; } bra L;", 0, ""},
        {"{ M: ret; } bra M;", 1, "5:13: error: label 'M' is not defined"},
        {".local .align 16 .b8 a[4];", 0, ""},
        {".local .align 65536 .b8 a[4];", 0, ""},
        {".local .align 131072 .b8 a[4];", 1,
         "5:15: error: alignment 131072 is not a power of two up to 65536"},
        {".local .align 3 .b8 a[4];", 1,
         "5:15: error: alignment 3 is not a power of two up to 65536"},
        {".local .align 0 .b8 a[4];", 1,
         "5:15: error: alignment 0 is not a power of two up to 65536"},
        {".local .b8 a[1099511627777];", 1, "5:12: error: the array is too large"},
        {".local .b8 a[2][3][4];", 0, ""},
        {".local .b8 a[1099511627776];", 0, ""},
        {".reg .b32 %r; ld.global.u32 %r, [];", 1,
         "5:35: error: an address is missing between '[' and ']'"},
        {".reg .b32 %r; mov.b32 %q, 1;", 1, "5:23: error: register '%q' is not declared"},
        {".reg .b32 %r; mov.b32 %r;", 0, ""},
        {".reg .b32 %r; mov.b32 %r, 1", 1, "6:1: error: expected ',' or ';', found '}'"},
        {".nonsense 3; .nonsense 4;", 1, "5:1: warning: unknown directive '.nonsense'; skipped"},
        {".nonsense 3; .other 4;", 2, "5:1: warning: unknown directive '.nonsense'; skipped"},
        {"frobnicate.b32 1; frobnicate.b32 2;", 1,
         "5:1: warning: unknown instruction 'frobnicate.b32'; its effect is not modelled"},
        {"bra L;", 1, "5:1: error: label 'L' is not defined"},
        {".reg .b32 %r; add.s32 %r, {{{{1}}}}, 2;", 0, ""},
        {".reg .b32 %r; add.s32 %r, {{{{{{{{{1}}}}}}}}}, 2;", 2,
         "5:32: error: operands are nested too deeply"}};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[400];
        snprintf(text, sizeof text, HEADER ".entry k() {\n%s\n}\n", CASES[i].body);
        Fixture x = parse(text);
        Buf out = {0};
        diag_print(&x.diag, &out);
        const size_t length = strlen(CASES[i].says);
        int messages = 0;
        for (const char *at = buf_text(&out); (at = strstr(at, "test.ptx:")) != NULL; at++)
            messages++;
        if (messages != CASES[i].messages ||
            (messages && strncmp(buf_text(&out) + 9, CASES[i].says, length) != 0))
            fail_msg("%s: %s", CASES[i].body, buf_text(&out));
        buf_free(&out);
        done(&x);
    }
}

/* The first declaration stands; what follows is read with it. */
static void a_name_keeps_its_first_declaration(void **state)
{
    (void)state;
    Fixture x = parse(HEADER ".entry k() {\n  .reg .b32 %r;\n  .reg .b32 %r<24>;\n"
                             "  .reg .b32 %x;\n  .local .b8 %x[4];\n"
                             "  mov.u32 %r, %x;\n  mov.u32 %r1, 0;\n}\n");

    assert_int_equal(x.diag.errors, 3); /* and %r1 is not declared */
    const PtxInstr *in = ptx_find_entry(x.module, "k")->instrs.at;
    assert_int_equal(in->operands[0].kind, PTX_OPERAND_REGISTER);
    assert_int_equal(in->operands[1].kind, PTX_OPERAND_REGISTER);
    done(&x);
}

/* Those that a synchronization of the whole grid reads. */
static void registers_of_the_driver_are_special(void **state)
{
    (void)state;
    Fixture x = parse(HEADER ".entry k() {\n  .reg .b32 %r<3>;\n  mov.u32 %r1, %envreg2;\n"
                             "  mov.u32 %r2, %envreg31;\n  ret;\n}\n");
    assert_int_equal(x.diag.errors, 0);
    const PtxFunction *f = ptx_find_entry(x.module, "k");
    assert_int_equal(f->instrs.at[0].operands[1].kind, PTX_OPERAND_SPECIAL);
    assert_int_equal(f->instrs.at[0].operands[1].index, PTX_SPECIAL_OTHER);
    assert_int_equal(f->instrs.at[1].operands[1].kind, PTX_OPERAND_SPECIAL);
    done(&x);
}

static void a_huge_register_range_costs_nothing(void **state)
{
    (void)state;
    Fixture x =
        parse(HEADER ".entry k() { .reg .b32 %r<4000000000>; mov.u32 %r399999, 1; ret; }\n");

    const PtxFunction *f = ptx_find_entry(x.module, NULL);

    assert_int_equal(f->registers.count, 1);
    assert_int_equal(f->declared[PTX_B32], 4000000000u);
    done(&x);
}

static void jump_tables_and_calls_are_resolved(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const PtxModule *m = ptx_parse(a, source_read(a, TEST_DATA "/ptx/switch.sm_100.ptx", &d), &d);

    const PtxFunction *f = ptx_find_entry(m, "dispatch");
    const PtxFunction *called = NULL;
    for (size_t i = 0; i < f->instrs.count; i++)
        if (f->instrs.at[i].form->op == PTX_CALL)
            called = f->instrs.at[i].operands[1].function;

    assert_int_equal(f->tables.count, 1);
    assert_int_equal(f->tables.at[0].count, 8);
    assert_int_equal(f->tables.at[0].targets[7].kind, PTX_OPERAND_LABEL);
    assert_true(called && called->has_body);
    assert_string_equal(called->name, "_Z5heavyfi");
    assert_int_equal(called->results.count, 1);
    arena_free(a);
}

/* Hexadecimal, octal, binary, decimal; a float by its bits. */
static void literals_are_read_in_their_base(void **state)
{
    (void)state;
    static const int64_t expected[] = {0x1f, 8, 5, 31, 0x3f800000, 0x4023000000000000};
    Fixture x = parse(HEADER ".entry k() { .reg .b32 %r<9>; mov.u32 %r1, 0x1F; mov.u32 %r2, 010;\n"
                             "mov.u32 %r3, 0b101; mov.u32 %r4, 31U; mov.b32 %r5, 0f3F800000;\n"
                             "mov.f64 %r6, 09.5; }\n");

    assert_int_equal(x.diag.errors, 0);
    const PtxFunction *f = ptx_find_entry(x.module, "k");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(f->instrs.at[i].operands[1].value, expected[i]);
    done(&x);
}

static void places_are_those_of_the_source_where_it_is_told(void **state)
{
    (void)state;
    Fixture x = parse(HEADER ".entry _ZN2ns4tileIfLi2EEEvT_() {\n"
                             "bar.sync 0;\n.loc 2 12 5\nbar.sync 1;\n.loc 3 7 1\nret;\n}\n"
                             ".file 1 \"/a/other.cu\"\n.file 2 \"/a/scale.cu\"\n");
    static const char *const places[] = {"tile, line 5 of the PTX", "tile, line 12 of scale.cu",
                                         "tile, line 9 of the PTX"};

    assert_int_equal(x.diag.errors, 0);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        assert_string_equal(ptx_place(x.arena, x.module->functions.at[0], i), places[i]);
    done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printing_and_parsing_compiler_output_is_a_fixed_point),
        cmocka_unit_test(parameters_get_their_offsets),
        cmocka_unit_test(a_scope_shadows_registers_and_labels),
        cmocka_unit_test(modifiers_are_decoded),
        cmocka_unit_test(an_unknown_instruction_is_kept_and_mentioned_once),
        cmocka_unit_test(reading_goes_on_after_a_mistake),
        cmocka_unit_test(a_name_keeps_its_first_declaration),
        cmocka_unit_test(registers_of_the_driver_are_special),
        cmocka_unit_test(a_huge_register_range_costs_nothing),
        cmocka_unit_test(jump_tables_and_calls_are_resolved),
        cmocka_unit_test(mistakes_are_named_where_they_are),
        cmocka_unit_test(literals_are_read_in_their_base),
        cmocka_unit_test(places_are_those_of_the_source_where_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

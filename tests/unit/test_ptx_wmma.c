/* wmma.load and wmma.store as accesses of lanes: each element of the fragment is accessed once. */
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/ptx_eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 32, BASE = 1 << 20, STRIDE = 80, REGISTERS = 1024, MEMORY = 1 << 16 };

typedef struct Case {
    const char *opcode;
    int registers; /* of the fragment */
    int lines, length, bytes;
    int accesses; /* as in the code of CUDA 13.0 for sm_90 */
} Case;

static const Case cases[] = {
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16", 8, 16, 16, 2, 4},
    {"wmma.load.a.sync.aligned.col.m16n16k16.global.f16", 8, 16, 16, 2, 4},
    {"wmma.load.a.sync.aligned.row.m32n8k16.global.f16", 8, 32, 16, 2, 8},
    {"wmma.load.b.sync.aligned.row.m32n8k16.global.f16", 8, 16, 8, 2, 2},
    {"wmma.load.b.sync.aligned.row.m16n16k16.bf16", 4, 16, 16, 2, 4},
    {"wmma.load.c.sync.aligned.row.m16n16k16.global.f32", 8, 16, 16, 4, 4},
    {"wmma.load.c.sync.aligned.col.m16n16k16.global.f32", 8, 16, 16, 4, 8},
    {"wmma.store.d.sync.aligned.row.m8n32k16.global.f32", 8, 8, 32, 4, 8},
    {"wmma.store.d.sync.aligned.col.m8n32k16.shared.f32", 8, 32, 8, 4, 4},
    {"wmma.store.d.sync.aligned.row.m16n16k16.shared.f16", 4, 16, 16, 2, 4},
    {"wmma.store.d.sync.aligned.col.m16n16k16.shared.f16", 4, 16, 16, 2, 4},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.s8", 2, 16, 16, 1, 2},
    {"wmma.load.b.sync.aligned.row.m16n16k16.global.s8", 2, 16, 16, 1, 8},
    {"wmma.load.a.sync.aligned.col.m32n8k16.global.s8", 4, 16, 32, 1, 16},
    {"wmma.load.a.sync.aligned.row.m16n16k8.tf32", 4, 16, 8, 4, 4},
    {"wmma.load.b.sync.aligned.row.m16n16k8.tf32", 4, 8, 16, 4, 4},
    {"wmma.load.a.sync.aligned.row.m8n8k4.f64", 1, 8, 4, 8, 1},
    {"wmma.load.c.sync.aligned.row.m8n8k4.f64", 2, 8, 8, 8, 1},
};

typedef struct Run {
    Arena *arena;
    const PtxFunction *function;
    Lanes *registers;
    PtxState state;
    PtxLaunch launch;
    int accesses;
    uint8_t touched[MEMORY];
} Run;

static const char *fragment_text(Arena *a, const Case *c)
{
    const char *text = "%e1";
    for (int i = 2; i <= c->registers; i++)
        text = arena_printf(a, "%s, %%e%d", text, i);
    return text;
}

static void parse(Run *r, const Case *c, const char *type, const char *stride)
{
    Arena *a = r->arena;
    Diag d = diag_new(a);
    Source *s = ARENA_NEW(a, Source);
    const bool store = !strncmp(c->opcode, "wmma.store", strlen("wmma.store"));
    const char *fragment = fragment_text(a, c);
    const char *operands = store ? arena_printf(a, "[%%a1+16], {%s}", fragment)
                                 : arena_printf(a, "{%s}, [%%a1+16]", fragment);
    const char *text = arena_printf(a,
                                    ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
                                    ".reg .b32 %%e<40>; .reg .b32 %%s<2>; .reg .%s %%a<2>;\n"
                                    "mov.%s %%a1, %d; mov.b32 %%s1, %d;\n%s %s, %s;\n}\n",
                                    type, type, BASE, STRIDE, c->opcode, operands, stride);
    *s = (Source){"k.ptx", text, strlen(text)};
    r->function = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_int_equal(d.errors, 0);
    assert_int_equal(r->function->unknown, 0);
    r->registers = ARENA_ARRAY(a, Lanes, REGISTERS);
    r->state = (PtxState){.launch = &r->launch, .registers = r->registers};
    assert_true(r->function->registers.count < REGISTERS);
}

static void touch(Run *r, const PtxOperand *place, int bytes)
{
    const Lanes *base = &r->registers[place->parts[0].index];
    assert_int_equal(base->known, UINT32_MAX);
    r->accesses++;
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < bytes; k++) {
            const int64_t at = (int64_t)lanes_at(base, i) + place->value - BASE - 16 + k;
            assert_in_range(at, 0, MEMORY - 1);
            r->touched[at]++;
        }
}

static void run(Run *r)
{
    VEC_EACH (const PtxInstr, in, r->function->instrs) {
        const PtxForm *f = in->form;
        const int bytes = f->type_count ? ptx_types[f->types[0]].bits / 8 * f->vector : 0;
        if (f->op == PTX_LD || f->op == PTX_ST) {
            touch(r, &in->operands[f->op == PTX_LD], bytes);
        } else {
            Lanes results[PTX_SOURCES];
            ptx_eval_instr(&r->state, in, results);
            r->registers[in->operands[0].index] = results[0];
        }
    }
}

static void check(const Case *c, const char *type, const char *stride)
{
    Run *r = calloc(1, sizeof *r);
    r->arena = arena_new();
    parse(r, c, type, stride);
    run(r);
    assert_int_equal(r->accesses, c->accesses);
    for (int at = 0; at < MEMORY; at++) {
        const int line = at / (STRIDE * c->bytes), place = at % (STRIDE * c->bytes) / c->bytes;
        const bool inside = line < c->lines && place < c->length;
        assert_int_equal(r->touched[at], inside);
    }
    arena_free(r->arena);
    free(r);
}

static void each_element_is_accessed_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        check(&cases[i], "b64", "%s1");
        check(&cases[i], "b64", "80");
        if (strstr(cases[i].opcode, ".shared"))
            check(&cases[i], "b32", "%s1");
    }
}

/* A store reads all registers of the fragment, a load writes them: of eight registers of halves four are copies. */
static void registers_of_the_fragment_are_used(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Run r = {.arena = arena_new()};
        uint64_t used = 0;
        parse(&r, &cases[i], "b64", "80");
        VEC_EACH (const PtxInstr, in, r.function->instrs)
            if (in->form->op == PTX_LD || in->form->op == PTX_ST) {
                const PtxUses *uses = in->form->op == PTX_LD ? &in->writes : &in->reads;
                for (size_t k = 0; k < uses->count; k++)
                    used |= UINT64_C(1) << (uses->at[k] & 63);
            }
        const bool copies = cases[i].bytes == 2 && cases[i].registers > cases[i].accesses;
        assert_true(__builtin_popcountll(used) >=
                    (copies ? cases[i].accesses : cases[i].registers));
        arena_free(r.arena);
    }
}

/* Halves in shared memory are loaded by ldmatrix, whose lanes give the addresses of lines of 16 bytes. */
static void halves_in_shared_memory_are_matrices(void **state)
{
    (void)state;
    const Case c = {"wmma.load.a.sync.aligned.row.m32n8k16.shared.f16", 8, 32, 16, 2, 0};
    Run *r = calloc(1, sizeof *r);
    int matrices = 0;
    r->arena = arena_new();
    parse(r, &c, "b64", "%s1");
    VEC_EACH (const PtxInstr, in, r->function->instrs) {
        if (in->form->op == PTX_LDMATRIX) {
            assert_string_equal(in->form->text, "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
            touch(r, &in->operands[1], 16);
            matrices += 4;
            continue;
        }
        Lanes results[PTX_SOURCES];
        ptx_eval_instr(&r->state, in, results);
        r->registers[in->operands[0].index] = results[0];
    }
    assert_int_equal(matrices, 8);
    for (int at = 0; at < MEMORY; at++)
        assert_int_equal(r->touched[at], at / (STRIDE * 2) < 32 && at % (STRIDE * 2) < 32);
    arena_free(r->arena);
    free(r);
}

/* Shapes that no GPU has, elements of less than a byte and fragments that are no registers stay what they are. */
static void other_fragments_stay(void **state)
{
    (void)state;
    const Case others[] = {
        {"wmma.load.a.sync.aligned.row.m0n16k16.global.f16", 8, 0, 0, 2, 0},
        {"wmma.load.a.sync.aligned.row.m16n16k4096.global.f16", 8, 0, 0, 2, 0},
        {"wmma.load.a.sync.aligned.row.m16n16k12.shared.f16", 8, 0, 0, 2, 0},
        {"wmma.load.a.sync.aligned.row.m8n8k32.global.s4", 1, 0, 0, 1, 0},
        {"wmma.load.a.sync.aligned.row.global.f16", 8, 0, 0, 2, 0},
    };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        Run r = {.arena = arena_new()};
        parse(&r, &others[i], "b64", "80");
        assert_int_equal(r.function->instrs.count, 3);
        assert_int_equal(r.function->instrs.at[2].form->op, PTX_WMMA_LOAD);
        arena_free(r.arena);
    }
}

/* Text that no compiler makes: more values than registers. */
static void fragments_with_too_few_registers_are_read(void **state)
{
    (void)state;
    const Case few[] = {{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 1, 16, 16, 2, 1},
                        {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 3, 16, 16, 2, 1},
                        {"wmma.load.c.sync.aligned.row.m16n16k16.global.f32", 1, 16, 16, 4, 4},
                        {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32", 3, 16, 16, 4, 4}};
    for (size_t i = 0; i < COUNT_OF(few); i++) {
        Run r = {.arena = arena_new()};
        int accesses = 0;
        parse(&r, &few[i], "b64", "80");
        VEC_EACH (const PtxInstr, in, r.function->instrs) {
            const PtxOp op = in->form->op;
            accesses += op == PTX_LD || op == PTX_ST || op == PTX_LDMATRIX;
            for (int k = 0; k < in->count; k++)
                if (in->operands[k].kind == PTX_OPERAND_VECTOR)
                    assert_true(in->operands[k].count <= (size_t)few[i].registers);
        }
        assert_int_equal(accesses, few[i].accesses);
        arena_free(r.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_is_accessed_once),
        cmocka_unit_test(registers_of_the_fragment_are_used),
        cmocka_unit_test(halves_in_shared_memory_are_matrices),
        cmocka_unit_test(other_fragments_stay),
        cmocka_unit_test(fragments_with_too_few_registers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

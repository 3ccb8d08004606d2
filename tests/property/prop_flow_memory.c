/* Random kernels of nested loops, branches and memory accesses: foreseeing iterations changes no
 * count; and what the walk counts for 32 lanes together is what each thread alone does, run one by
 * one by a few lines of C. */
#include "metrics/ptx/banks.h"
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/sectors.h"
#include "metrics/ptx/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PROGRAMS = 200, SEED = 1234, NODES_MAX = 100, DEPTH_MAX = 3, SITES_MAX = 64, LANES = 32 };
enum { DATA = 6, REGISTERS = 16 }; /* 0: thread; 1 to DATA: data; behind: one counter per depth */
enum { COUNTER = DATA + 1, TEMPORARY = REGISTERS };
static const uint64_t pointer = UINT64_C(1) << 40;

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* --- programs ---------------------------------------------------------------------------- */

typedef enum NodeKind {
    NODE_OP,
    NODE_ACCESS,
    NODE_USE, /* of what a load brought: a wait, where it came from global memory */
    NODE_BARRIER,
    NODE_LOOP,
    NODE_IF,
    NODE_END
} NodeKind;
typedef enum Operation {
    ADD,
    ADD_IMM,
    SUB,
    MUL_IMM,
    AND_IMM,
    XOR_IMM,
    SHL,
    SHR,
    REM,
    BFE,  /* 6 bits from `imm` on */
    BFI,  /* 4 bits of b into a, at `imm` */
    PRMT, /* bytes of a and b */
    LOP3, /* a xor b xor imm */
    SHF,  /* the high word of b:a moved left by imm */
    MAD,  /* a * imm + b */
    WIDE, /* the high word of a wide product */
    OPERATIONS
} Operation;
typedef enum Count { FIXED, BY_LANE, BY_OUTER, COUNTS } Count;

/* One line of a program; loops and branches go up to their END. */
typedef struct Node {
    NodeKind kind;
    Operation op;
    int to, a, b; /* registers */
    uint32_t imm;
    /* accesses: (a * scale + imm) bytes, cut to `mask` */
    PtxSpace space;
    bool store, guarded;
    uint32_t scale, mask, bytes;
    int site;
    /* loops */
    Count count;
    bool at_bottom;
    int depth;
} Node;

typedef struct Program {
    Node nodes[NODES_MAX];
    int count;
    int sites;
} Program;

static int any_register(int depth)
{
    const uint32_t n = random_below(DATA + 1 + (uint32_t)depth);
    return n <= DATA ? (int)n : COUNTER + (int)n - DATA - 1;
}

static Node random_op(int depth)
{
    static const Operation usual[] = {ADD_IMM, ADD_IMM, ADD_IMM, XOR_IMM, ADD};
    Node n = {.kind = NODE_OP, .a = any_register(depth), .b = any_register(depth)};
    n.to = 1 + (int)random_below(DATA);
    n.op = random_below(3) ? usual[random_below(5)] : (Operation)random_below(OPERATIONS);
    if (n.op == ADD_IMM || n.op == XOR_IMM || random_below(2))
        n.a = n.to; /* recurrences */
    n.imm = 1 + random_below(4);
    if (n.op == ADD_IMM && random_below(2))
        n.imm = UINT32_C(1) << random_below(9);
    if (n.op == AND_IMM)
        n.imm = (UINT32_C(2) << random_below(10)) - 1;
    if (n.op == REM)
        n.imm = 2 + random_below(4);
    return n;
}

static Node random_access(Program *p, int depth)
{
    Node n = {.kind = NODE_ACCESS, .a = any_register(depth), .b = any_register(depth)};
    static const PtxSpace spaces[] = {PTX_SHARED, PTX_SHARED, PTX_GLOBAL,
                                      PTX_GLOBAL, PTX_LOCAL,  PTX_CONST};
    n.space = spaces[random_below(6)];
    n.store = random_below(2) && n.space != PTX_CONST;
    n.guarded = random_below(5) == 0;
    n.bytes = UINT32_C(4) << random_below(3);
    n.scale = n.bytes * (1 + random_below(33));
    n.imm = n.bytes * random_below(40);
    n.mask = n.space == PTX_GLOBAL ? 0xffffffff : 0x3fff;
    n.site = p->sites++;
    return n;
}

static void add(Program *p, Node n)
{
    p->nodes[p->count++] = n;
}

static void fill(Program *p, int depth, int room)
{
    for (int i = 0; i < room && p->count < NODES_MAX - 40; i++) {
        const uint32_t what = random_below(12);
        if (what >= 10) {
            add(p, (Node){.kind = what == 10 ? NODE_USE : NODE_BARRIER});
        } else if (what < 4) {
            add(p, random_op(depth));
        } else if (what < 7 && p->sites < SITES_MAX) {
            add(p, random_access(p, depth));
        } else if (what < 9 && depth < DEPTH_MAX) {
            Node n = {.kind = NODE_LOOP, .depth = depth, .at_bottom = random_below(2)};
            n.count = depth == 0 || random_below(3) == 0 ? (Count)random_below(2) : BY_OUTER;
            n.count = random_below(2) ? FIXED : n.count;
            n.imm = depth == 0 ? 1 + random_below(80) : 1 + random_below(9);
            add(p, n);
            fill(p, depth + 1, 2 + (int)random_below(4));
            add(p, (Node){.kind = NODE_END});
        } else {
            add(p, (Node){.kind = NODE_IF, .a = any_register(depth), .imm = random_below(100)});
            fill(p, depth, 1 + (int)random_below(2));
            add(p, (Node){.kind = NODE_END});
        }
    }
}

static Program *random_program(Arena *a)
{
    Program *p = ARENA_NEW(a, Program);
    add(p, random_op(0));
    while (p->sites == 0)
        fill(p, 0, 4);
    return p;
}

/* --- as PTX ------------------------------------------------------------------------------- */

static void write_op(Buf *b, const Node *n)
{
    static const char *const names[] = {"add.u32", "add.u32", "sub.u32", "mul.lo.u32", "and.b32",
                                        "xor.b32", "shl.b32", "shr.u32", "rem.u32"};
    switch (n->op) {
    case BFE:
        buf_printf(b, "bfe.u32 %%r%d, %%r%d, %u, 6;\n", n->to, n->a, n->imm & 31);
        return;
    case BFI:
        buf_printf(b, "bfi.b32 %%r%d, %%r%d, %%r%d, %u, 4;\n", n->to, n->b, n->a, n->imm & 15);
        return;
    case PRMT:
        buf_printf(b, "prmt.b32 %%r%d, %%r%d, %%r%d, 0x5410;\n", n->to, n->a, n->b);
        return;
    case LOP3:
        buf_printf(b, "lop3.b32 %%r%d, %%r%d, %%r%d, %u, 0x96;\n", n->to, n->a, n->b, n->imm);
        return;
    case SHF:
        buf_printf(b, "shf.l.wrap.b32 %%r%d, %%r%d, %%r%d, %u;\n", n->to, n->a, n->b, n->imm);
        return;
    case MAD:
        buf_printf(b, "mad.lo.u32 %%r%d, %%r%d, %u, %%r%d;\n", n->to, n->a, n->imm, n->b);
        return;
    case WIDE:
        buf_printf(b,
                   "mul.wide.u32 %%rd5, %%r%d, %u; shr.u64 %%rd5, %%rd5, 32;\n"
                   "cvt.u32.u64 %%r%d, %%rd5;\n",
                   n->a, n->imm << 28, n->to);
        return;
    default:
        break;
    }
    buf_printf(b, "%s %%r%d, %%r%d, ", names[n->op], n->to, n->a);
    if (n->op == ADD || n->op == SUB)
        buf_printf(b, "%%r%d;\n", n->b);
    else
        buf_printf(b, "%u;\n", n->imm);
}

/* Offsets alternate between the address computation and the instruction. */
static void write_access(Buf *b, const Node *n)
{
    static const char *const values[] = {"%f1", "{%f1, %f2}", "{%f1, %f2, %f3, %f4}"};
    static const char *const types[] = {".f32", ".v2.f32", ".v4.f32"};
    const int width = n->bytes == 4 ? 0 : n->bytes == 8 ? 1 : 2;
    const bool inside = n->site % 2;
    buf_printf(b, "mad.lo.u32 %%t0, %%r%d, %u, %u; and.b32 %%t0, %%t0, %u;\n", n->a, n->scale,
               inside ? 0 : n->imm, n->mask & ~(n->bytes - 1));
    if (n->space == PTX_GLOBAL)
        buf_puts(b, "cvt.u64.u32 %rd2, %t0; add.s64 %rd3, %rd1, %rd2;\n");
    if (n->guarded)
        buf_printf(b, "setp.lt.u32 %%p2, %%r%d, 50;\n", n->b);
    buf_printf(b, "%s%s.%s%s ", n->guarded ? "@%p2 " : "", n->store ? "st" : "ld",
               ptx_space_names[n->space], types[width]);
    const char *base = n->space == PTX_GLOBAL ? "%rd3" : "%t0";
    if (n->store)
        buf_printf(b, "[%s+%u], %s;\n", base, inside ? n->imm : 0, values[width]);
    else
        buf_printf(b, "%s, [%s+%u];\n", values[width], base, inside ? n->imm : 0);
}

static void write_bound(Buf *b, const Node *n)
{
    if (n->count == FIXED)
        buf_printf(b, "mov.u32 %%n%d, %u;\n", n->depth, n->imm);
    else if (n->count == BY_LANE)
        buf_printf(b, "and.b32 %%n%d, %%r0, 3; add.u32 %%n%d, %%n%d, %u;\n", n->depth, n->depth,
                   n->depth, n->imm);
    else
        buf_printf(b, "add.u32 %%n%d, %%r%d, 1;\n", n->depth, COUNTER + n->depth - 1);
}

static void write_node(Buf *b, const Program *p, int i, int open)
{
    const Node *n = &p->nodes[i];
    switch (n->kind) {
    case NODE_OP:
        write_op(b, n);
        return;
    case NODE_ACCESS:
        write_access(b, n);
        return;
    case NODE_USE:
        buf_puts(b, "add.f32 %f5, %f1, %f2;\n");
        return;
    case NODE_BARRIER:
        buf_puts(b, "bar.sync 0;\n");
        return;
    case NODE_IF:
        buf_printf(b, "setp.ge.u32 %%p1, %%r%d, %u; @%%p1 bra E%d;\n", n->a, n->imm, i);
        return;
    case NODE_LOOP:
        write_bound(b, n);
        buf_printf(b, "mov.u32 %%r%d, 0;\nL%d:\n", COUNTER + n->depth, i);
        if (!n->at_bottom)
            buf_printf(b, "setp.ge.u32 %%p1, %%r%d, %%n%d; @%%p1 bra E%d;\n", COUNTER + n->depth,
                       n->depth, i);
        return;
    case NODE_END: {
        const Node *start = &p->nodes[open];
        if (start->kind == NODE_LOOP) {
            buf_printf(b, "add.u32 %%r%d, %%r%d, 1;\n", COUNTER + start->depth,
                       COUNTER + start->depth);
            if (start->at_bottom)
                buf_printf(b, "setp.ne.u32 %%p1, %%r%d, %%n%d; @%%p1 bra L%d;\n",
                           COUNTER + start->depth, start->depth, open);
            else
                buf_printf(b, "bra L%d;\n", open);
        }
        buf_printf(b, "E%d:\n", open);
        return;
    }
    }
}

static PtxFunction *assemble(Arena *a, const Program *p)
{
    Buf b = {0};
    int open[NODES_MAX], depth = 0;
    buf_puts(&b, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a) {\n"
                 ".reg .b32 %r<20>; .reg .b32 %t<9>; .reg .b32 %n<9>; .reg .b64 %rd<9>;\n"
                 ".reg .f32 %f<9>; .reg .pred %p<9>;\n"
                 "ld.param.u64 %rd1, [a]; mov.u32 %r0, %tid.x;\n");
    for (int r = 1; r <= DATA; r++)
        buf_printf(&b, "mad.lo.u32 %%r%d, %%r0, %d, %d;\n", r, r % 3, r * 8);
    for (int i = 0; i < p->count; i++) {
        if (p->nodes[i].kind == NODE_LOOP || p->nodes[i].kind == NODE_IF)
            open[depth++] = i;
        if (p->nodes[i].kind == NODE_END)
            depth--;
        write_node(&b, p, i, depth >= 0 && depth < NODES_MAX ? open[depth] : 0);
    }
    buf_puts(&b, "ret; }\n");
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"random.ptx", arena_copy(a, b.text, b.size), b.size};
    buf_free(&b);
    Diag d = diag_new(a);
    PtxModule *m = ptx_parse(a, s, &d);
    assert_int_equal(d.errors, 0);
    return ptx_find_entry(m, "k");
}

/* --- one thread --------------------------------------------------------------------------- */

typedef struct Thread {
    uint32_t r[REGISTERS];
    VEC(uint64_t) addresses[SITES_MAX]; /* in the order of execution */
} Thread;

static uint32_t operate(const Node *n, const uint32_t *r)
{
    switch (n->op) {
    case ADD:
        return r[n->a] + r[n->b];
    case ADD_IMM:
        return r[n->a] + n->imm;
    case SUB:
        return r[n->a] - r[n->b];
    case MUL_IMM:
        return r[n->a] * n->imm;
    case AND_IMM:
        return r[n->a] & n->imm;
    case XOR_IMM:
        return r[n->a] ^ n->imm;
    case SHL:
        return r[n->a] << n->imm;
    case SHR:
        return r[n->a] >> n->imm;
    case BFE:
        return r[n->a] >> (n->imm & 31) & 63;
    case BFI: {
        const uint32_t field = UINT32_C(15) << (n->imm & 15);
        return (r[n->a] & ~field) | (r[n->b] << (n->imm & 15) & field);
    }
    case PRMT:
        return (r[n->a] & 0xffff) | r[n->b] << 16;
    case LOP3:
        return r[n->a] ^ r[n->b] ^ n->imm;
    case SHF:
        return (uint32_t)(((uint64_t)r[n->b] << 32 | r[n->a]) << (n->imm & 31) >> 32);
    case MAD:
        return r[n->a] * n->imm + r[n->b];
    case WIDE:
        return (uint32_t)((uint64_t)r[n->a] * (uint32_t)(n->imm << 28) >> 32);
    default:
        return r[n->a] % n->imm;
    }
}

static void touch(Arena *a, const Node *n, Thread *t)
{
    const bool inside = n->site % 2;
    uint32_t at = t->r[n->a] * n->scale + (inside ? 0 : n->imm);
    at &= n->mask & ~(n->bytes - 1);
    if (n->guarded && t->r[n->b] >= 50)
        return;
    const uint64_t offset = inside ? n->imm : 0;
    VEC_PUSH(a, &t->addresses[n->site], (n->space == PTX_GLOBAL ? pointer : 0) + at + offset);
}

static int end_of(const Program *p, int i)
{
    for (int depth = 0;; i++) {
        depth += p->nodes[i].kind == NODE_LOOP || p->nodes[i].kind == NODE_IF;
        depth -= p->nodes[i].kind == NODE_END;
        if (depth == 0)
            return i;
    }
}

static void run(Arena *a, const Program *p, int first, int end, Thread *t);

static void run_loop(Arena *a, const Program *p, int i, int end, Thread *t)
{
    const Node *n = &p->nodes[i];
    uint32_t *counter = &t->r[COUNTER + n->depth];
    const uint32_t bound = n->count == FIXED     ? n->imm
                           : n->count == BY_LANE ? (t->r[0] & 3) + n->imm
                                                 : t->r[COUNTER + n->depth - 1] + 1;
    for (*counter = 0; *counter < bound; (*counter)++)
        run(a, p, i + 1, end, t);
}

static void run(Arena *a, const Program *p, int first, int end, Thread *t)
{
    for (int i = first; i < end; i++) {
        const Node *n = &p->nodes[i];
        if (n->kind == NODE_OP)
            t->r[n->to] = operate(n, t->r);
        else if (n->kind == NODE_ACCESS)
            touch(a, n, t);
        else if (n->kind == NODE_LOOP)
            run_loop(a, p, i, end_of(p, i), t);
        else if (n->kind == NODE_IF && t->r[n->a] < n->imm)
            run(a, p, i + 1, end_of(p, i), t);
        if (n->kind == NODE_LOOP || n->kind == NODE_IF)
            i = end_of(p, i);
    }
}

/* --- comparing ---------------------------------------------------------------------------- */

static const Node *access_node(const Program *p, int site)
{
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].kind == NODE_ACCESS && p->nodes[i].site == site)
            return &p->nodes[i];
    return NULL;
}

static const WalkAccess *access_of(const Walk *w, int site)
{
    const WalkFunction *f = w->functions.at[0];
    return &f->costs[f->accesses->sites.at[site].cost];
}

typedef struct Cost {
    uint64_t wavefronts, sectors, lines, unique;
} Cost;

static void add_sectors(Cost *c, const uint64_t *address, int bytes)
{
    const Sectors s = sectors_count(address, UINT32_MAX, bytes);
    c->sectors += (uint64_t)s.sectors;
    c->lines += (uint64_t)s.lines;
    c->unique += (uint64_t)s.unique_bytes;
}

static void add_passes(Cost *c, const Node *n, const uint64_t *address)
{
    c->wavefronts +=
        (uint64_t)banks_wavefronts(address, UINT32_MAX, (int)n->bytes, !n->store, NULL);
}

/* One access of all lanes. */
static void add_cost(Cost *c, const Node *n, const uint64_t *address)
{
    uint64_t place[LANES];
    switch (n->space) {
    case PTX_SHARED:
        add_passes(c, n, address);
        return;
    case PTX_CONST:
        c->wavefronts += (uint64_t)banks_distinct_words(address, UINT32_MAX);
        return;
    case PTX_LOCAL: /* word by word, each in a line of its own with a place for every lane */
        for (uint32_t word = 0; word < n->bytes / 4; word++) {
            for (uint64_t i = 0; i < LANES; i++)
                place[i] = (address[i] / 4 + word) * 128 + i * 4;
            add_sectors(c, place, 4);
        }
        return;
    default:
        add_sectors(c, address, (int)n->bytes);
        add_passes(c, n, address);
    }
}

/* Where all lanes come by equally often, and always together as this language's loops have it,
 * their n-th accesses make one. */
static bool compare_patterns(const Node *n, const WalkAccess *got, const Thread *threads)
{
    uint64_t address[LANES];
    Cost cost = {0};
    const size_t count = threads[0].addresses[n->site].count;
    for (int i = 0; i < LANES; i++)
        if (threads[i].addresses[n->site].count != count)
            return false;
    if (got->executions != count) /* parted on the way */
        return false;
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < LANES; i++)
            address[i] = threads[i].addresses[n->site].at[k];
        add_cost(&cost, n, address);
    }
    assert_int_equal(got->wavefronts, cost.wavefronts);
    assert_int_equal(got->sectors, cost.sectors);
    assert_int_equal(got->lines, cost.lines);
    assert_int_equal(got->unique_bytes, cost.unique);
    return true;
}

static WalkOptions options_of(unsigned char *params)
{
    memcpy(params, &pointer, sizeof pointer);
    return (WalkOptions){.launch = {.grid = {1, 1, 1},
                                    .block = {LANES, 1, 1},
                                    .has_geometry = true,
                                    .params = params,
                                    .param_bytes = 8},
                         .memory = true,
                         .max_steps = 20000};
}

static void lanes_together_access_what_each_does_alone(void **state)
{
    (void)state;
    int compared = 0, sites = 0;
    random_state = SEED;
    for (int n = 0; n < PROGRAMS; n++) {
        Arena *a = arena_new();
        unsigned char params[8];
        const Program *p = random_program(a);
        const WalkOptions o = options_of(params);
        const Walk *w = walk_warp(a, assemble(a, p), &o);
        Thread *threads = ARENA_ARRAY(a, Thread, LANES);
        for (uint32_t t = 0; t < LANES; t++) {
            threads[t].r[0] = t;
            for (uint32_t r = 1; r <= DATA; r++)
                threads[t].r[r] = t * (r % 3) + r * 8;
            run(a, p, 0, p->count, &threads[t]);
        }
        if (w->capped) {
            arena_free(a);
            continue;
        }
        assert_int_equal(w->functions.at[0]->accesses->sites.count, p->sites);
        for (int s = 0; s < p->sites; s++) {
            uint64_t lanes = 0;
            for (int t = 0; t < LANES; t++)
                lanes += threads[t].addresses[s].count;
            assert_int_equal(access_of(w, s)->lanes, lanes);
            assert_int_equal(access_of(w, s)->unknown, 0);
            compared += compare_patterns(access_node(p, s), access_of(w, s), threads);
        }
        sites += p->sites;
        arena_free(a);
    }
    assert_true(compared > sites / 4);
}

/* Regions add up to what the walk counts as a whole. */
static void assert_regions_add_up(const Walk *w)
{
    const WalkFunction *f = w->functions.at[0];
    double times = 0, instr = 0, sectors = 0, all = 0;
    for (size_t i = 0; i < w->stall_regions.count; i++) {
        const WalkRegion *r = &w->stall_regions.at[i];
        times += r->times;
        instr += r->instr;
        sectors += r->sectors;
        assert_true(r->covered >= 0 && r->covered <= w->instr * r->times);
    }
    for (size_t i = 0; i < f->accesses->sites.count; i++)
        if (f->costs[f->accesses->sites.at[i].cost].space == PTX_GLOBAL)
            all += (double)f->costs[f->accesses->sites.at[i].cost].sectors;
    assert_true(times == 1 + w->barriers + w->waits_long + w->waits_local);
    assert_true(instr == w->instr);
    assert_true(fabs(sectors - all) <= 1e-6 * all);
}

static void assert_same_regions(const Walk *a, const Walk *b)
{
    assert_int_equal(a->stall_regions.count, b->stall_regions.count);
    assert_int_equal(a->syncs.count, b->syncs.count);
    for (size_t i = 0; i < a->stall_regions.count; i++) {
        const WalkRegion *r = &a->stall_regions.at[i], *q = &b->stall_regions.at[i];
        assert_true(r->sync == q->sync && r->stop == q->stop && r->times == q->times);
        assert_true(r->instr == q->instr && r->loads == q->loads && r->covered == q->covered);
    }
}

static void assert_same_walk(const Walk *a, const Walk *b)
{
    const WalkFunction *f = a->functions.at[0], *g = b->functions.at[0];
    assert_true(a->instr == b->instr && a->regions == b->regions && a->divergent == b->divergent &&
                a->long_regions == b->long_regions);
    for (int i = 0; i < f->flow->cfg->count; i++) {
        assert_int_equal(f->blocks[i].visits, g->blocks[i].visits);
        assert_int_equal(f->blocks[i].lanes, g->blocks[i].lanes);
    }
    for (size_t i = 0; i < f->flow->loops->loops.count; i++) {
        assert_int_equal(f->loops[i].entries, g->loops[i].entries);
        assert_int_equal(f->loops[i].headers, g->loops[i].headers);
    }
    for (size_t i = 0; i < f->accesses->costs.count; i++)
        if (!f->accesses->costs.at[i].aligned)
            assert_memory_equal(&f->costs[i], &g->costs[i], sizeof f->costs[i]);
    for (size_t i = 0; i < f->accesses->groups.count; i++)
        assert_int_equal(f->aligns[i].varying & 3, g->aligns[i].varying & 3);
}

static void foreseen_iterations_count_as_walked_ones(void **state)
{
    (void)state;
    uint64_t skipped = 0, headers = 0;
    random_state = SEED + 1;
    for (int n = 0; n < PROGRAMS; n++) {
        Arena *a = arena_new();
        unsigned char params[8];
        const Program *p = random_program(a);
        const PtxFunction *f = assemble(a, p);
        WalkOptions o = options_of(params);
        const Walk *short_walk = walk_warp(a, f, &o);
        o.plain = true;
        const Walk *full = walk_warp(a, f, &o);

        assert_int_equal(full->skipped, 0);
        if (!full->capped && !short_walk->capped) {
            assert_same_walk(short_walk, full);
            assert_same_regions(short_walk, full);
            assert_regions_add_up(full);
            assert_regions_add_up(short_walk);
        }
        skipped += short_walk->skipped;
        for (size_t i = 0;
             i < f->labels.count && i < full->functions.at[0]->flow->loops->loops.count; i++)
            headers += full->functions.at[0]->loops[i].headers;
        arena_free(a);
    }
    assert_true(skipped > headers / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_together_access_what_each_does_alone),
        cmocka_unit_test(foreseen_iterations_count_as_walked_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

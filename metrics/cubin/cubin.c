#include "metrics/cubin/cubin.h"

#include "metrics/cubin/cubin_record.h"
#include "metrics/cubin/sass.h"
#include "tuner/base/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,    /* e_machine EM_CUDA */
    OS_ABI_CUDA_13 = 0x41, /* before CUDA 13: 0x33, with other flags */
    SYMBOL_ENTRY = 0x10,   /* st_other of a __global__ function */
    SYSTEM_SHARED = 1024,  /* .nv.shared.NAME counts what the system reserves, from sm_90 on */
    NO_REGISTER_LIMIT = 255
};

/* --- one kernel ------------------------------------------------------------------------------- */

/* Is this a {symbol, number} record about the kernel's symbol?  Helper functions within the
 * kernel's section (divisions …) have records of their own. */
static bool record_is_about(const CubinRecord *r, CubinAttribute attribute, size_t symbol)
{
    return r->attribute == attribute && r->format == CUBIN_SIZED && r->value >= 8 &&
           cubin_record_word(r, 0) == symbol;
}

/* Was the section read to its end? */
static bool records_are_whole(const ElfSection *s, size_t at, const CubinKernel *k, Diag *d)
{
    if (!s || !s->data || at == s->size)
        return true;
    return diag_fail(d, "cubin: the records of kernel '%.200s' are damaged", k->name);
}

static bool read_usage(const Cubin *c, size_t symbol, CubinKernel *k, Diag *d)
{
    const ElfSection *info = elf_find(c->elf, ".nv.info");
    bool counted = false;
    size_t at = 0;
    CubinRecord r;
    while (info && cubin_record_next(info, &at, &r)) {
        if (record_is_about(&r, CUBIN_REGCOUNT, symbol)) {
            counted = cubin_record_word(&r, 1) <= UCHAR_MAX;
            k->registers = (int)(cubin_record_word(&r, 1) & UCHAR_MAX);
        } else if (record_is_about(&r, CUBIN_FRAME_SIZE, symbol)) {
            k->frame_bytes = cubin_record_word(&r, 1);
        } else if (record_is_about(&r, CUBIN_MIN_STACK_SIZE, symbol)) {
            k->stack_bytes = cubin_record_word(&r, 1);
        }
    }
    if (!records_are_whole(info, at, k, d))
        return false;
    if (!counted)
        return diag_fail(d, "cubin: no register count for kernel '%.200s'", k->name);
    return true;
}

/* Size of a block {x, y, z}; 0 when it is absurd. */
static int block_threads(const CubinRecord *r)
{
    int64_t threads = 1;
    for (size_t i = 0; i < 3; i++) {
        threads *= cubin_record_word(r, i);
        if (threads < 1 || threads > INT_MAX)
            return 0;
    }
    return (int)threads;
}

static CubinParam record_param(const CubinRecord *r)
{
    uint32_t place = cubin_record_word(r, 1), shape = cubin_record_word(r, 2);
    bool wide = r->attribute == CUBIN_KPARAM_INFO_V2;
    return (CubinParam){
        .ordinal = (int)(place & 0xffff),
        .offset = (int)(place >> 16),
        .size = (int)(wide ? shape & 0xffff : shape >> 18),
    };
}

typedef VEC(CubinParam) Params;

static void read_jumps(Arena *a, const CubinRecord *r, CubinKernel *k)
{
    uint32_t *words = ARENA_ARRAY(a, uint32_t, r->value / 4 + 1);
    for (size_t i = 0; i < r->value / 4u; i++)
        words[i] = cubin_record_word(r, i);
    k->jumps = words;
    k->jump_words = r->value / 4;
}

static void read_record(Arena *a, const CubinRecord *r, CubinKernel *k, Params *params)
{
    bool sized = r->format == CUBIN_SIZED;
    switch (r->attribute) {
    case CUBIN_MAX_THREADS:
    case CUBIN_REQNTID:
        if (sized)
            k->max_threads = block_threads(r);
        break;
    case CUBIN_KPARAM_INFO:
    case CUBIN_KPARAM_INFO_V2:
        if (sized && r->value >= 12)
            VEC_PUSH(a, params, record_param(r));
        break;
    case CUBIN_JUMP_TARGETS:
        if (sized)
            read_jumps(a, r, k);
        break;
    case CUBIN_CBANK_PARAM_SIZE:
        k->param_bytes = r->value;
        break;
    case CUBIN_MAXREG_COUNT:
        k->register_limit = r->value;
        break;
    case CUBIN_NUM_BARRIERS: /* one byte; the byte above it is not ours to read */
        k->barriers = r->value & 0xff;
        break;
    default:
        break;
    }
}

static int by_ordinal(const void *left, const void *right)
{
    const CubinParam *a = left, *b = right;
    return a->ordinal != b->ordinal ? a->ordinal - b->ordinal : a->offset - b->offset;
}

static bool read_info(Arena *a, const Cubin *c, CubinKernel *k, Diag *d)
{
    const ElfSection *info = cubin_kernel_section(c, ".nv.info", k->name);
    Params params = {0};
    size_t at = 0;
    CubinRecord r;
    while (info && cubin_record_next(info, &at, &r))
        read_record(a, &r, k, &params);
    if (params.count)
        qsort(params.at, params.count, sizeof *params.at, by_ordinal);
    k->params = params.at;
    k->param_count = params.count;
    return records_are_whole(info, at, k, d);
}

static bool read_shared(const Cubin *c, CubinKernel *k, Diag *d)
{
    const ElfSection *s = cubin_kernel_section(c, ".nv.shared", k->name);
    if (!s)
        return true;
    uint64_t reserved = c->arch >= 90 ? SYSTEM_SHARED : 0;
    if (s->size > INT_MAX || s->size < reserved)
        return diag_fail(d, "cubin: kernel '%.200s' has an impossible size of shared memory",
                         k->name);
    k->shared_bytes = (int64_t)(s->size - reserved);
    return true;
}

static void sum_local_accesses(int arch, CubinKernel *k)
{
    size_t count = sass_count(k->code, k->code_bytes);
    for (size_t i = 0; i < count; i++) {
        SassInstr w = sass_at(k->code, i, arch);
        if (sass_opcode(w) == SASS_OP_LDL)
            k->local_load_bytes += sass_access_bytes(w);
        else if (sass_opcode(w) == SASS_OP_STL)
            k->local_store_bytes += sass_access_bytes(w);
    }
}

static bool read_code(const Cubin *c, const ElfSymbol *symbol, CubinKernel *k, Diag *d)
{
    const ElfSection *text = &c->elf->sections[symbol->section];
    if (!text->data || text->size % SASS_BYTES != 0)
        return diag_fail(d, "cubin: kernel '%.200s' has no code", k->name);
    k->code = text->data;
    k->code_bytes = (size_t)text->size;
    sum_local_accesses(c->arch, k);
    return true;
}

static bool read_kernel(Arena *a, const Cubin *c, size_t symbol, CubinKernel *k, Diag *d)
{
    const ElfSymbol *s = &c->elf->symbols[symbol];
    *k = (CubinKernel){.name = s->name, .register_limit = NO_REGISTER_LIMIT};
    if (!read_usage(c, symbol, k, d) || !read_info(a, c, k, d) || !read_shared(c, k, d) ||
        !read_code(c, s, k, d))
        return false;
    const ElfSection *constants = cubin_kernel_section(c, ".nv.constant0", k->name);
    k->constant_bytes = constants && constants->data ? (int64_t)constants->size : 0;
    return true;
}

/* --- the module ------------------------------------------------------------------------------- */

static bool is_kernel(const Elf *e, const ElfSymbol *s)
{
    return s->type == ELF_FUNC && (s->other & SYMBOL_ENTRY) && s->section != 0 &&
           s->section < e->section_count;
}

static bool check_target(const Elf *e, Diag *d)
{
    if (e->machine != MACHINE_CUDA)
        return diag_fail(d, "cubin: an ELF file, but not for CUDA");
    if (e->os_abi != OS_ABI_CUDA_13)
        return diag_fail(d, "cubin: made by a compiler older or newer than CUDA 13 (ABI %#x)",
                         e->os_abi);
    return true;
}

static int64_t section_bytes(const Elf *e, const char *name)
{
    const ElfSection *s = elf_find(e, name);
    return s && s->size <= INT_MAX ? (int64_t)s->size : 0;
}

static bool read_kernels(Arena *a, Cubin *c, Diag *d)
{
    VEC(CubinKernel) kernels = {0};
    for (size_t i = 0; i < c->elf->symbol_count; i++)
        if (is_kernel(c->elf, &c->elf->symbols[i]) &&
            !read_kernel(a, c, i, VEC_ADD(a, &kernels), d))
            return false;
    c->kernels = kernels.at;
    c->kernel_count = kernels.count;
    return true;
}

const Cubin *cubin_read(Arena *a, const void *bytes, size_t size, Diag *d)
{
    Cubin *c = ARENA_NEW(a, Cubin);
    c->elf = elf_read(a, bytes, size, d);
    if (!c->elf || !check_target(c->elf, d))
        return NULL;
    c->arch = (int)(c->elf->flags >> 8 & 0xff);
    c->constant_bytes = section_bytes(c->elf, ".nv.constant3");
    c->global_bytes =
        section_bytes(c->elf, ".nv.global") + section_bytes(c->elf, ".nv.global.init");
    return read_kernels(a, c, d) ? c : NULL;
}

const CubinKernel *cubin_find(const Cubin *c, const char *name)
{
    for (size_t i = 0; i < c->kernel_count; i++)
        if (strcmp(c->kernels[i].name, name) == 0)
            return &c->kernels[i];
    return NULL;
}

#include "metrics/cubin/cubin.h"

#include "metrics/base/vec.h"
#include "metrics/cubin/sass.h"

#include <limits.h>
#include <stdlib.h>

/* --- the container: ELF64, little-endian ------------------------------------------------------ */

/* elf_read checks every offset, size and name once; its result points into the caller's bytes and needs no
 * further checks.  Only what cubins use is supported: no 32-bit files, no extended section numbering.
 *
 * Layout: System V Application Binary Interface, chapter 4, "Object Files". */

enum { ELF_NOBITS = 8 }; /* type of a section without bytes in the file */

typedef struct ElfSection {
    const char *name;
    uint32_t type;
    uint32_t link;       /* of a symbol table: the section of its names */
    const uint8_t *data; /* NULL when it has no bytes in the file */
    uint64_t size;       /* bytes in the file, or in memory for ELF_NOBITS */
} ElfSection;

typedef struct ElfSymbol {
    const char *name;
    uint64_t value; /* offset in its section */
    uint64_t size;
    uint8_t type;     /* ELF_FUNC … */
    uint8_t other;    /* st_other: for NVIDIA, flags such as CUBIN_ENTRY */
    uint16_t section; /* 0: defined elsewhere */
} ElfSymbol;

enum { ELF_FUNC = 2 };

typedef struct Elf {
    uint16_t machine;
    uint8_t os_abi;
    uint32_t flags;
    ElfSection *sections;
    size_t section_count;
    ElfSymbol *symbols; /* of .symtab, in file order, by which relocations refer to them */
    size_t symbol_count;
} Elf;

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    CLASS_64 = 2,
    DATA_LITTLE = 1,
    TYPE_SYMTAB = 2,
    INDEX_RESERVED = 0xff00 /* section numbers from here on have special meanings */
};

/* Little-endian numbers at any address. */
static uint16_t elf_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t elf_u32(const uint8_t *at)
{
    return (uint32_t)elf_u16(at) | (uint32_t)elf_u16(at + 2) << 16;
}

static uint64_t elf_u64(const uint8_t *at)
{
    return (uint64_t)elf_u32(at) | (uint64_t)elf_u32(at + 4) << 32;
}

typedef struct Reader {
    Arena *arena;
    const uint8_t *bytes;
    size_t size;
    Diag *diag;
} Reader;

/* True if `size` bytes at `offset` lie in the file. */
static bool fits(const Reader *r, uint64_t offset, uint64_t size)
{
    return offset <= r->size && size <= r->size - offset;
}

static bool read_header(const Reader *r, Elf *e)
{
    const uint8_t *h = r->bytes;
    if (r->size < HEADER_BYTES || memcmp(h, "\177ELF", 4) != 0)
        return diag_fail(r->diag, "cubin: not an ELF file");
    if (h[4] != CLASS_64 || h[5] != DATA_LITTLE)
        return diag_fail(r->diag, "cubin: not a 64-bit little-endian ELF file");
    e->os_abi = h[7];
    e->machine = elf_u16(h + 18);
    e->flags = elf_u32(h + 48);
    return true;
}

/* The zero-terminated text at `offset` of a string section; NULL when it is not terminated there. */
static const char *name_at(const ElfSection *strings, uint64_t offset)
{
    if (!strings->data || offset >= strings->size)
        return NULL;
    const uint8_t *at = strings->data + offset;
    return memchr(at, 0, (size_t)(strings->size - offset)) ? (const char *)at : NULL;
}

static bool read_section(const Reader *r, const uint8_t *header, size_t i, ElfSection *s)
{
    uint64_t offset = elf_u64(header + 24);
    s->type = elf_u32(header + 4);
    s->size = elf_u64(header + 32);
    s->link = elf_u32(header + 40);
    if (s->type == ELF_NOBITS || s->size == 0)
        return true;
    if (!fits(r, offset, s->size))
        return diag_fail(r->diag, "cubin: section %zu reaches past the end of the file", i);
    s->data = r->bytes + offset;
    return true;
}

static bool read_sections(const Reader *r, Elf *e)
{
    uint64_t table = elf_u64(r->bytes + 40);
    size_t count = elf_u16(r->bytes + 60);
    size_t names = elf_u16(r->bytes + 62);
    if (elf_u16(r->bytes + 58) != SECTION_BYTES || !fits(r, table, count * SECTION_BYTES))
        return diag_fail(r->diag, "cubin: the section table is damaged");
    if (names >= count)
        return diag_fail(r->diag, "cubin: no section names");

    e->sections = ARENA_ARRAY(r->arena, ElfSection, count);
    e->section_count = count;
    for (size_t i = 0; i < count; i++)
        if (!read_section(r, r->bytes + table + i * SECTION_BYTES, i, &e->sections[i]))
            return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = elf_u32(r->bytes + table + i * SECTION_BYTES);
        e->sections[i].name = i ? name_at(&e->sections[names], at) : "";
        if (!e->sections[i].name)
            return diag_fail(r->diag, "cubin: section %zu has no name", i);
    }
    return true;
}

static bool read_symbol(const Reader *r, const Elf *e, const ElfSection *strings, const uint8_t *at,
                        ElfSymbol *s)
{
    s->name = name_at(strings, elf_u32(at));
    s->type = at[4] & 15;
    s->other = at[5];
    s->section = elf_u16(at + 6);
    s->value = elf_u64(at + 8);
    s->size = elf_u64(at + 16);
    if (!s->name)
        return diag_fail(r->diag, "cubin: a symbol has no name");
    if (s->section >= e->section_count && s->section < INDEX_RESERVED)
        return diag_fail(r->diag, "cubin: symbol '%.200s' lies in no section", s->name);
    return true;
}

static bool read_symbols(const Reader *r, Elf *e)
{
    const ElfSection *table = NULL;
    for (size_t i = 0; i < e->section_count && !table; i++)
        if (e->sections[i].type == TYPE_SYMTAB)
            table = &e->sections[i];
    if (!table || !table->data)
        return true;
    if (table->link >= e->section_count)
        return diag_fail(r->diag, "cubin: the symbols have no names");

    size_t count = (size_t)table->size / SYMBOL_BYTES;
    e->symbols = ARENA_ARRAY(r->arena, ElfSymbol, count);
    e->symbol_count = count;
    const ElfSection *strings = &e->sections[table->link];
    for (size_t i = 0; i < count; i++)
        if (!read_symbol(r, e, strings, table->data + i * SYMBOL_BYTES, &e->symbols[i]))
            return false;
    return true;
}

/* NULL with a message when the bytes are not a complete ELF64 file. */
static const Elf *elf_read(Arena *a, const void *bytes, size_t size, Diag *d)
{
    Reader r = {a, bytes, size, d};
    Elf *e = ARENA_NEW(a, Elf);
    if (!read_header(&r, e) || !read_sections(&r, e) || !read_symbols(&r, e))
        return NULL;
    return e;
}

static const ElfSection *elf_find(const Elf *e, const char *name)
{
    return NAME_FIND(e->sections, e->section_count, name, name);
}

enum {
    MACHINE_CUDA = 190,    /* e_machine EM_CUDA */
    OS_ABI_CUDA_13 = 0x41, /* before CUDA 13: 0x33, with other flags */
    SYMBOL_ENTRY = 0x10,   /* st_other of a __global__ function */
    NO_REGISTER_LIMIT = 255
};

/* --- the records of .nv.info: what ptxas tells the driver about a kernel ----------------------- */

/* A sequence of {u8 format, u8 attribute, u16 value}; for RECORD_SIZED the value is the number of bytes that
 * follow. */
typedef enum RecordFormat {
    RECORD_NO_VALUE = 1,
    RECORD_BYTE = 2,
    RECORD_HALF = 3,
    RECORD_SIZED = 4
} RecordFormat;

/* The names are NVIDIA's, as cuobjdump -elf prints them. */
typedef enum Attribute {
    RECORD_MAX_THREADS = 0x05,    /* x, y, z */
    RECORD_PARAM_CBANK = 0x0a,    /* symbol; offset and size in bank 0, 16 bits each */
    RECORD_EXTERNS = 0x0f,        /* symbols */
    RECORD_REQNTID = 0x10,        /* x, y, z */
    RECORD_FRAME_SIZE = 0x11,     /* symbol, bytes */
    RECORD_MIN_STACK_SIZE = 0x12, /* symbol, bytes */
    RECORD_KPARAM_INFO = 0x17,    /* index; ordinal and offset, 16 bits each; size from bit 18 on */
    RECORD_CBANK_PARAM_SIZE = 0x19,
    RECORD_MAXREG_COUNT = 0x1b,
    RECORD_REGCOUNT = 0x2f,       /* symbol, registers */
    RECORD_JUMP_TARGETS = 0x34,   /* see CubinKernel */
    RECORD_KPARAM_INFO_V2 = 0x45, /* the same with a size of 16 bits: kernels of over 4 KB */
    RECORD_NUM_BARRIERS = 0x4c
} Attribute;

typedef struct Record {
    RecordFormat format;
    uint8_t attribute;
    uint16_t value;
    const uint8_t *data; /* RECORD_SIZED: `value` bytes */
} Record;

/* Reads the record at `*at` of a section and advances; false at the end, and at a truncated record, where
 * `*at` stays before the end. */
static bool next_record(const ElfSection *s, size_t *at, Record *out)
{
    if (!s->data || s->size - *at < 4)
        return false;
    const uint8_t *r = s->data + *at;
    *out = (Record){(RecordFormat)r[0], r[1], elf_u16(r + 2), NULL};
    size_t payload = out->format == RECORD_SIZED ? out->value : 0;
    if (s->size - *at - 4 < payload)
        return false;
    if (out->format == RECORD_SIZED)
        out->data = r + 4;
    *at += 4 + payload;
    return true;
}

/* 32-bit word `i` of a sized record, 0 past its end. */
static uint32_t record_word(const Record *r, size_t i)
{
    return r->data && r->value >= 4 * (i + 1) ? elf_u32(r->data + 4 * i) : 0;
}

/* The kernel's own section of a kind, such as ".nv.info"; NULL when it has none. */
static const ElfSection *kernel_section(const Cubin *c, const char *kind, const char *kernel)
{
    size_t length = strlen(kind);
    for (size_t i = 0; i < c->elf->section_count; i++) {
        const char *name = c->elf->sections[i].name;
        if (strncmp(name, kind, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, kernel) == 0)
            return &c->elf->sections[i];
    }
    return NULL;
}

/* --- one kernel ------------------------------------------------------------------------------- */

/* True for a {symbol, number} record of the kernel's symbol.  Helper functions in the kernel's section
 * (divisions …) have records of their own. */
static bool record_is_about(const Record *r, Attribute attribute, size_t symbol)
{
    return r->attribute == attribute && r->format == RECORD_SIZED && r->value >= 8 &&
           record_word(r, 0) == symbol;
}

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
    Record r;
    while (info && next_record(info, &at, &r)) {
        if (record_is_about(&r, RECORD_REGCOUNT, symbol)) {
            counted = record_word(&r, 1) <= UCHAR_MAX;
            k->registers = (int)(record_word(&r, 1) & UCHAR_MAX);
        } else if (record_is_about(&r, RECORD_FRAME_SIZE, symbol)) {
            k->frame_bytes = record_word(&r, 1);
        } else if (record_is_about(&r, RECORD_MIN_STACK_SIZE, symbol)) {
            k->stack_bytes = record_word(&r, 1);
        }
    }
    if (!records_are_whole(info, at, k, d))
        return false;
    if (!counted)
        return diag_fail(d, "cubin: no register count for kernel '%.200s'", k->name);
    return true;
}

/* Threads of a block {x, y, z}; 0 when the size is absurd. */
static int block_threads(const Record *r)
{
    int64_t threads = 1;
    for (size_t i = 0; i < 3; i++) {
        threads *= record_word(r, i);
        if (threads < 1 || threads > INT_MAX)
            return 0;
    }
    return (int)threads;
}

static CubinParam record_param(const Record *r)
{
    uint32_t place = record_word(r, 1), shape = record_word(r, 2);
    bool wide = r->attribute == RECORD_KPARAM_INFO_V2;
    return (CubinParam){
        .ordinal = (int)(place & 0xffff),
        .offset = (int)(place >> 16),
        .size = (int)(wide ? shape & 0xffff : shape >> 18),
    };
}

typedef VEC(CubinParam) Params;

static void read_jumps(Arena *a, const Record *r, CubinKernel *k)
{
    uint32_t *words = ARENA_ARRAY(a, uint32_t, r->value / 4 + 1);
    for (size_t i = 0; i < r->value / 4u; i++)
        words[i] = record_word(r, i);
    k->jumps = words;
    k->jump_words = r->value / 4;
}

static void read_record(Arena *a, const Record *r, CubinKernel *k, Params *params)
{
    bool sized = r->format == RECORD_SIZED;
    switch (r->attribute) {
    case RECORD_MAX_THREADS:
    case RECORD_REQNTID:
        if (sized)
            k->max_threads = block_threads(r);
        break;
    case RECORD_KPARAM_INFO:
    case RECORD_KPARAM_INFO_V2:
        if (sized && r->value >= 12)
            VEC_PUSH(a, params, record_param(r));
        break;
    case RECORD_JUMP_TARGETS:
        if (sized)
            read_jumps(a, r, k);
        break;
    case RECORD_CBANK_PARAM_SIZE:
        k->param_bytes = r->value;
        break;
    case RECORD_MAXREG_COUNT:
        k->register_limit = r->value;
        break;
    case RECORD_NUM_BARRIERS: /* one byte; the upper one means something else */
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
    const ElfSection *info = kernel_section(c, ".nv.info", k->name);
    Params params = {0};
    size_t at = 0;
    Record r;
    while (info && next_record(info, &at, &r))
        read_record(a, &r, k, &params);
    if (params.count)
        qsort(params.at, params.count, sizeof *params.at, by_ordinal);
    k->params = params.at;
    k->param_count = params.count;
    return records_are_whole(info, at, k, d);
}

static bool read_shared(const Cubin *c, CubinKernel *k, Diag *d)
{
    const ElfSection *s = kernel_section(c, ".nv.shared", k->name);
    if (!s)
        return true;
    uint64_t reserved = (uint64_t)arch_of(c->arch)->shared_reserved;
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
    const ElfSection *constants = kernel_section(c, ".nv.constant0", k->name);
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
    return NAME_FIND(c->kernels, c->kernel_count, name, name);
}

/* --- the identity of the code ----------------------------------------------------------------- */

enum { TYPE_RELA = 4, TYPE_REL = 9 };

static void add_number(Hasher *h, uint64_t n)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(n >> 8 * i);
    hasher_add(h, bytes, sizeof bytes);
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Length of a section's name without the kernel that it belongs to.  (A kernel may be called "init", like the
 * end of .nv.global.init.) */
static size_t kind_length(const char *name, const char *kernel)
{
    size_t whole = strlen(name), tail = strlen(kernel);
    bool owned = strcmp(name, ".nv.global.init") != 0 && whole > tail + 1 &&
                 name[whole - tail - 1] == '.' && strcmp(name + whole - tail, kernel) == 0;
    return owned ? whole - tail - 1 : whole;
}

/* True if the section belongs to the kernel or the whole module: those of other kernels end in their
 * names. */
static bool concerns(const Cubin *c, const char *name, const CubinKernel *k)
{
    for (size_t i = 0; i < c->kernel_count; i++)
        if (kind_length(name, c->kernels[i].name) < strlen(name))
            return strcmp(c->kernels[i].name, k->name) == 0;
    return true;
}

static bool holds_content(const char *name)
{
    return starts_with(name, ".text.") || starts_with(name, ".nv.constant") ||
           starts_with(name, ".nv.global") || starts_with(name, ".nv.shared");
}

static bool holds_relocations(const ElfSection *s)
{
    const char *of = s->type == TYPE_RELA  ? s->name + strlen(".rela")
                     : s->type == TYPE_REL ? s->name + strlen(".rel")
                                           : "";
    return starts_with(s->name, ".rel") && holds_content(of);
}

static void add_content(Hasher *h, const ElfSection *s, const CubinKernel *k)
{
    hasher_add(h, s->name, kind_length(s->name, k->name));
    add_number(h, s->size);
    if (s->data)
        hasher_add(h, s->data, (size_t)s->size);
}

/* Adds a relocation's target: by name only outside the module, because names of static variables can
 * contain a hash of the file's path. */
static void add_target(Hasher *h, const Cubin *c, const CubinKernel *k, uint64_t symbol)
{
    if (symbol >= c->elf->symbol_count)
        return;
    const ElfSymbol *s = &c->elf->symbols[symbol];
    if (s->section == 0 || s->section >= c->elf->section_count) {
        hasher_string(h, s->name);
        return;
    }
    const char *section = c->elf->sections[s->section].name;
    hasher_add(h, section, kind_length(section, k->name));
    add_number(h, s->value);
    add_number(h, s->size);
}

/* Entries of {offset, symbol << 32 | type, addend}; without the addend in a .rel section. */
static void add_relocations(Hasher *h, const Cubin *c, const ElfSection *s, const CubinKernel *k)
{
    size_t entry = s->type == TYPE_RELA ? 24 : 16;
    hasher_add(h, s->name, kind_length(s->name, k->name));
    for (size_t at = 0; s->data && s->size - at >= entry; at += entry) {
        const uint8_t *r = s->data + at;
        add_number(h, elf_u64(r));
        add_number(h, elf_u32(r + 8));
        add_target(h, c, k, elf_u32(r + 12));
        if (entry == 24)
            add_number(h, elf_u64(r + 16));
    }
}

/* Adds the kernel's own records, without symbol numbers, which depend on the other functions of the
 * module. */
static void add_records(Hasher *h, const Cubin *c, const CubinKernel *k)
{
    const ElfSection *info = kernel_section(c, ".nv.info", k->name);
    Record r;
    for (size_t at = 0; info && next_record(info, &at, &r);) {
        if (r.attribute == RECORD_EXTERNS) /* calls of them are relocations already */
            continue;
        if (r.attribute == RECORD_MAXREG_COUNT) /* a limit for the compiler; its effect is in the
                                                  code and the registers */
            continue;
        size_t skip = r.attribute == RECORD_PARAM_CBANK && r.value >= 4 ? 4 : 0;
        add_number(h, (uint64_t)r.format << 24 | (uint64_t)r.attribute << 16 | r.value);
        if (r.data)
            hasher_add(h, r.data + skip, r.value - skip);
    }
}

Hash cubin_code_hash(const Cubin *c, const CubinKernel *k)
{
    Hasher *h = hasher_new();
    add_number(h, (uint64_t)c->arch);
    add_number(h, (uint64_t)k->registers);
    add_number(h, (uint64_t)k->frame_bytes);
    add_number(h, (uint64_t)k->stack_bytes);
    add_records(h, c, k);
    EACH (const ElfSection, s, c->elf->sections, c->elf->section_count) {
        if (!concerns(c, s->name, k))
            continue;
        if (holds_content(s->name))
            add_content(h, s, k);
        else if (holds_relocations(s))
            add_relocations(h, c, s, k);
    }
    return hasher_end(h);
}

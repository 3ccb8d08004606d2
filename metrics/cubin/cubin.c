#include "metrics/cubin/cubin.h"

#include "metrics/base/vec.h"
#include "metrics/cubin/sass.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>

/* --- the container: ELF64, little-endian as this machine -------------------------------------- */

/* elf_read checks every offset, size and name once; its result points into the caller's bytes and needs no
 * further checks.  Only what cubins use is supported: no 32-bit files, no extended section numbering. */

typedef struct ElfSection {
    Elf64_Shdr header;
    const char *name;
    const uint8_t *data; /* NULL when it has no bytes in the file */
    uint64_t size;       /* bytes in the file, or in memory for SHT_NOBITS */
} ElfSection;

typedef struct ElfSymbol {
    Elf64_Sym entry;
    const char *name;
} ElfSymbol;

typedef struct Elf {
    Elf64_Ehdr header;
    ElfSection *sections;
    size_t section_count;
    ElfSymbol *symbols; /* of .symtab, in file order, by which relocations refer to them */
    size_t symbol_count;
} Elf;

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

static bool read_header(const Reader *r, Elf64_Ehdr *h)
{
    if (r->size < sizeof *h || memcmp(r->bytes, ELFMAG, SELFMAG) != 0)
        return diag_fail(r->diag, "cubin: not an ELF file");
    memcpy(h, r->bytes, sizeof *h);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return diag_fail(r->diag, "cubin: not a 64-bit little-endian ELF file");
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

static bool read_section(const Reader *r, uint64_t at, size_t i, ElfSection *s)
{
    memcpy(&s->header, r->bytes + at, sizeof s->header);
    s->size = s->header.sh_size;
    if (s->header.sh_type == SHT_NOBITS || s->size == 0)
        return true;
    if (!fits(r, s->header.sh_offset, s->size))
        return diag_fail(r->diag, "cubin: section %zu reaches past the end of the file", i);
    s->data = r->bytes + s->header.sh_offset;
    return true;
}

static bool read_sections(const Reader *r, Elf *e)
{
    const Elf64_Ehdr *h = &e->header;
    const size_t count = h->e_shnum, names = h->e_shstrndx;
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !fits(r, h->e_shoff, count * sizeof(Elf64_Shdr)))
        return diag_fail(r->diag, "cubin: the section table is damaged");
    if (names >= count)
        return diag_fail(r->diag, "cubin: no section names");
    e->sections = ARENA_ARRAY(r->arena, ElfSection, count);
    e->section_count = count;
    for (size_t i = 0; i < count; i++)
        if (!read_section(r, h->e_shoff + i * sizeof(Elf64_Shdr), i, &e->sections[i]))
            return false;
    for (size_t i = 0; i < count; i++) {
        ElfSection *s = &e->sections[i];
        s->name = i ? name_at(&e->sections[names], s->header.sh_name) : "";
        if (!s->name)
            return diag_fail(r->diag, "cubin: section %zu has no name", i);
    }
    return true;
}

static bool read_symbols(const Reader *r, Elf *e)
{
    const ElfSection *table = NULL;
    for (size_t i = 0; i < e->section_count && !table; i++)
        if (e->sections[i].header.sh_type == SHT_SYMTAB)
            table = &e->sections[i];
    if (!table || !table->data)
        return true;
    if (table->header.sh_link >= e->section_count)
        return diag_fail(r->diag, "cubin: the symbols have no names");
    e->symbol_count = (size_t)table->size / sizeof(Elf64_Sym);
    e->symbols = ARENA_ARRAY(r->arena, ElfSymbol, e->symbol_count);
    for (size_t i = 0; i < e->symbol_count; i++) {
        ElfSymbol *s = &e->symbols[i];
        memcpy(&s->entry, table->data + i * sizeof s->entry, sizeof s->entry);
        s->name = name_at(&e->sections[table->header.sh_link], s->entry.st_name);
        if (!s->name)
            return diag_fail(r->diag, "cubin: a symbol has no name");
        if (s->entry.st_shndx >= e->section_count && s->entry.st_shndx < SHN_LORESERVE)
            return diag_fail(r->diag, "cubin: symbol '%.200s' lies in no section", s->name);
    }
    return true;
}

/* NULL with a message when the bytes are not a complete ELF64 file. */
static const Elf *elf_read(Arena *a, const void *bytes, size_t size, Diag *d)
{
    Reader r = {a, bytes, size, d};
    Elf *e = ARENA_NEW(a, Elf);
    if (!read_header(&r, &e->header) || !read_sections(&r, e) || !read_symbols(&r, e))
        return NULL;
    return e;
}

static const ElfSection *elf_find(const Elf *e, const char *name)
{
    return NAME_FIND(e->sections, e->section_count, name, name);
}

enum {
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
    uint8_t format; /* RecordFormat */
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
    *out = (Record){.format = r[0], .attribute = r[1]};
    memcpy(&out->value, r + 2, sizeof out->value);
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
    uint32_t word = 0;
    if (r->data && r->value >= sizeof word * (i + 1))
        memcpy(&word, r->data + sizeof word * i, sizeof word);
    return word;
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
    const ElfSection *text = &c->elf->sections[symbol->entry.st_shndx];
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
    return ELF64_ST_TYPE(s->entry.st_info) == STT_FUNC && (s->entry.st_other & SYMBOL_ENTRY) &&
           s->entry.st_shndx != SHN_UNDEF && s->entry.st_shndx < e->section_count;
}

static bool check_target(const Elf *e, Diag *d)
{
    const uint8_t abi = e->header.e_ident[EI_OSABI];
    if (e->header.e_machine != EM_CUDA)
        return diag_fail(d, "cubin: an ELF file, but not for CUDA");
    if (abi != OS_ABI_CUDA_13)
        return diag_fail(d, "cubin: made by a compiler older or newer than CUDA 13 (ABI %#x)", abi);
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
    c->arch = (int)(c->elf->header.e_flags >> 8 & 0xff);
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

static void add_number(Hasher *h, uint64_t n)
{
    hasher_add(h, &n, sizeof n);
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
    const char *of = s->header.sh_type == SHT_RELA  ? s->name + strlen(".rela")
                     : s->header.sh_type == SHT_REL ? s->name + strlen(".rel")
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
    if (s->entry.st_shndx == SHN_UNDEF || s->entry.st_shndx >= c->elf->section_count) {
        hasher_string(h, s->name);
        return;
    }
    const char *section = c->elf->sections[s->entry.st_shndx].name;
    hasher_add(h, section, kind_length(section, k->name));
    add_number(h, s->entry.st_value);
    add_number(h, s->entry.st_size);
}

static void add_relocations(Hasher *h, const Cubin *c, const ElfSection *s, const CubinKernel *k)
{
    const bool addends = s->header.sh_type == SHT_RELA;
    const size_t size = addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel); /* which it begins with */
    hasher_add(h, s->name, kind_length(s->name, k->name));
    for (size_t at = 0; s->data && s->size - at >= size; at += size) {
        Elf64_Rela r = {0};
        memcpy(&r, s->data + at, size);
        add_number(h, r.r_offset);
        add_number(h, ELF64_R_TYPE(r.r_info));
        add_target(h, c, k, ELF64_R_SYM(r.r_info));
        if (addends)
            add_number(h, (uint64_t)r.r_addend);
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

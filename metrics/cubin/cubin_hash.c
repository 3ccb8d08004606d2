#include "metrics/cubin/cubin.h"

#include "metrics/cubin/cubin_record.h"

#include <string.h>

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

/* The part of a section's name that says what it holds: without the kernel it belongs to.  (A
 * kernel may be called "init", as the module's section of initial values ends.) */
static size_t kind_length(const char *name, const char *kernel)
{
    size_t whole = strlen(name), tail = strlen(kernel);
    bool owned = strcmp(name, ".nv.global.init") != 0 && whole > tail + 1 &&
                 name[whole - tail - 1] == '.' && strcmp(name + whole - tail, kernel) == 0;
    return owned ? whole - tail - 1 : whole;
}

/* Is the section the kernel's, or the whole module's?  The names of other kernels' sections end in
 * those kernels' names. */
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

/* What a relocation points to: a name only for what lies outside the module, because the names of
 * static variables can contain a hash of the file's path. */
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

/* The kernel's own records, without the symbol numbers in them: those count every function of the
 * module. */
static void add_records(Hasher *h, const Cubin *c, const CubinKernel *k)
{
    const ElfSection *info = cubin_kernel_section(c, ".nv.info", k->name);
    CubinRecord r;
    for (size_t at = 0; info && cubin_record_next(info, &at, &r);) {
        if (r.attribute == CUBIN_EXTERNS) /* a call of them is a relocation already */
            continue;
        if (r.attribute == CUBIN_MAXREG_COUNT) /* a limit that the compiler was given; what it made
                                                  of it is in the code and the registers */
            continue;
        size_t skip = r.attribute == CUBIN_PARAM_CBANK && r.value >= 4 ? 4 : 0;
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
    for (size_t i = 0; i < c->elf->section_count; i++) {
        const ElfSection *s = &c->elf->sections[i];
        if (!concerns(c, s->name, k))
            continue;
        if (holds_content(s->name))
            add_content(h, s, k);
        else if (holds_relocations(s))
            add_relocations(h, c, s, k);
    }
    return hasher_end(h);
}

#include "metrics/cubin/elf.h"

#include <string.h>

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    CLASS_64 = 2,
    DATA_LITTLE = 1,
    TYPE_SYMTAB = 2,
    INDEX_RESERVED = 0xff00 /* section numbers from here on have special meanings */
};

uint16_t elf_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t elf_u32(const uint8_t *at)
{
    return (uint32_t)elf_u16(at) | (uint32_t)elf_u16(at + 2) << 16;
}

uint64_t elf_u64(const uint8_t *at)
{
    return (uint64_t)elf_u32(at) | (uint64_t)elf_u32(at + 4) << 32;
}

typedef struct Reader {
    Arena *arena;
    const uint8_t *bytes;
    size_t size;
    Diag *diag;
} Reader;

/* Do `size` bytes at `offset` lie in the file? */
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

/* The zero-terminated text at `offset` of a string section; NULL when it runs out of it. */
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

const Elf *elf_read(Arena *a, const void *bytes, size_t size, Diag *d)
{
    Reader r = {a, bytes, size, d};
    Elf *e = ARENA_NEW(a, Elf);
    if (!read_header(&r, e) || !read_sections(&r, e) || !read_symbols(&r, e))
        return NULL;
    return e;
}

const ElfSection *elf_find(const Elf *e, const char *name)
{
    return NAME_FIND(e->sections, e->section_count, name, name);
}

/* The container of a cubin: ELF64, little-endian, sections and symbols.
 *
 * elf_read checks every offset, size and name once; what it hands out points into the
 * caller's bytes (which must outlive it) and can be used without further checks.  Only what
 * cubins use is understood: no 32-bit files, no extended section numbering.
 *
 * Layout: System V Application Binary Interface, chapter 4, "Object Files". */
#ifndef APTUNE_CUBIN_ELF_H
#define APTUNE_CUBIN_ELF_H

#include "metrics/base/diag.h"

#include <stdint.h>

enum { ELF_NOBITS = 8 }; /* type of a section that only has a size */

typedef struct ElfSection {
    const char *name;
    uint32_t type;
    uint32_t link;       /* for a table of symbols: the section of its names */
    const uint8_t *data; /* NULL when the file holds no bytes of it */
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
    ElfSymbol *symbols; /* of .symtab, in file order: relocations refer to them by number */
    size_t symbol_count;
} Elf;

/* NULL with a message when the bytes are no whole ELF64 file. */
const Elf *elf_read(Arena *a, const void *bytes, size_t size, Diag *d);

/* The first section of that name, NULL when there is none. */
const ElfSection *elf_find(const Elf *e, const char *name);

/* Little-endian numbers at any address. */
uint16_t elf_u16(const uint8_t *at);
uint32_t elf_u32(const uint8_t *at);
uint64_t elf_u64(const uint8_t *at);

#endif

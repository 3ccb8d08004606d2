#include "metrics/cubin/cubin_record.h"

#include <string.h>

bool cubin_record_next(const ElfSection *s, size_t *at, CubinRecord *out)
{
    if (!s->data || s->size - *at < 4)
        return false;
    const uint8_t *r = s->data + *at;
    *out = (CubinRecord){(CubinFormat)r[0], r[1], elf_u16(r + 2), NULL};
    size_t payload = out->format == CUBIN_SIZED ? out->value : 0;
    if (s->size - *at - 4 < payload)
        return false;
    if (out->format == CUBIN_SIZED)
        out->data = r + 4;
    *at += 4 + payload;
    return true;
}

uint32_t cubin_record_word(const CubinRecord *r, size_t i)
{
    return r->data && r->value >= 4 * (i + 1) ? elf_u32(r->data + 4 * i) : 0;
}

const ElfSection *cubin_kernel_section(const Cubin *c, const char *kind, const char *kernel)
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

/* The records of .nv.info: what ptxas tells the driver about a kernel.
 *
 * A section of them is a row of {u8 format, u8 attribute, u16 value}; for CUBIN_SIZED the value is
 * the number of bytes that follow.  Inside metrics/cubin only. */
#ifndef APTUNE_CUBIN_RECORD_H
#define APTUNE_CUBIN_RECORD_H

#include "metrics/cubin/cubin.h"

typedef enum CubinFormat {
    CUBIN_NO_VALUE = 1,
    CUBIN_BYTE = 2,
    CUBIN_HALF = 3,
    CUBIN_SIZED = 4
} CubinFormat;

/* Numbers of the records we know; names are NVIDIA's, as cuobjdump -elf prints them. */
typedef enum CubinAttribute {
    CUBIN_MAX_THREADS = 0x05,    /* x, y, z */
    CUBIN_PARAM_CBANK = 0x0a,    /* symbol; offset and size in bank 0, 16 bits each */
    CUBIN_EXTERNS = 0x0f,        /* symbols */
    CUBIN_REQNTID = 0x10,        /* x, y, z */
    CUBIN_FRAME_SIZE = 0x11,     /* symbol, bytes */
    CUBIN_MIN_STACK_SIZE = 0x12, /* symbol, bytes */
    CUBIN_KPARAM_INFO = 0x17,    /* index; ordinal and offset, 16 bits each; size from bit 18 on */
    CUBIN_CBANK_PARAM_SIZE = 0x19,
    CUBIN_MAXREG_COUNT = 0x1b,
    CUBIN_REGCOUNT = 0x2f,       /* symbol, registers */
    CUBIN_JUMP_TARGETS = 0x34,   /* as CubinKernel has them */
    CUBIN_KPARAM_INFO_V2 = 0x45, /* the same with a size of 16 bits: kernels of over 4 KB */
    CUBIN_NUM_BARRIERS = 0x4c
} CubinAttribute;

typedef struct CubinRecord {
    CubinFormat format;
    uint8_t attribute;
    uint16_t value;
    const uint8_t *data; /* CUBIN_SIZED: `value` bytes */
} CubinRecord;

/* Takes the record at `*at` of a section and moves on; false at the end, and where a record is cut
 * off: then `*at` is before the section's end. */
bool cubin_record_next(const ElfSection *s, size_t *at, CubinRecord *out);

/* 32-bit word `i` of a sized record, 0 past its end. */
uint32_t cubin_record_word(const CubinRecord *r, size_t i);

/* The kernel's own section of a kind, such as ".nv.info"; NULL when it has none. */
const ElfSection *cubin_kernel_section(const Cubin *c, const char *kind, const char *kernel);

#endif

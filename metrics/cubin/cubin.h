/* A cubin: what ptxas made of a module, read without a CUDA library.
 *
 * A cubin is an ELF64 file with NVIDIA's own conventions.  Each kernel has a section of code (.text.NAME,
 * instructions of 16 bytes, see sass.h) and records of the resources it needs (.nv.info and .nv.info.NAME).
 * The format is not published; the meaning of every record used here was checked against the log of `ptxas
 * -v` (CUDA 13.0, sm_75 to sm_121).
 *
 * cubin_read keeps pointers into the bytes it is given: they must outlive the Cubin. */
#pragma once

#include "metrics/base/hash.h"
#include "metrics/base/diag.h"

typedef struct CubinParam {
    int ordinal; /* 0 for the first */
    int offset;  /* bytes from the start of the parameters */
    int size;    /* bytes */
} CubinParam;

typedef struct CubinKernel {
    const char *name; /* as in the PTX: mangled unless extern "C" */

    int registers;        /* per thread */
    int64_t shared_bytes; /* static shared memory of a block, less what the system reserves */
    int64_t frame_bytes;  /* local stack of a thread: local arrays and spill slots */
    int64_t stack_bytes;  /* the same including called functions; 0 when not recorded */
    int barriers;         /* named barriers, numbered from 0, up to the highest one used */
    int max_threads;      /* from __launch_bounds__ or a required size; 0: none */
    int register_limit;   /* from -maxrregcount or launch bounds; 255: none */

    int param_bytes;
    CubinParam *params; /* by ordinal */
    size_t param_count;

    int64_t constant_bytes; /* of bank 0: system values and parameters */

    /* Jump tables, one after the other: byte offset of the BRX, 0, number of targets, their byte offsets. */
    const uint32_t *jumps;
    size_t jump_words;

    const uint8_t *code; /* instructions of 16 bytes */
    size_t code_bytes;   /* as loaded: with the padding after the last instruction */

    /* Sum of the widths of the local loads and stores in the code, in bytes per thread.  Without local arrays
     * these are exactly the "spill loads" and "spill stores" of ptxas -v; else they include the arrays. */
    int64_t local_load_bytes;
    int64_t local_store_bytes;
} CubinKernel;

typedef struct Cubin {
    int arch; /* 90 for sm_90 */
    CubinKernel *kernels;
    size_t kernel_count;
    int64_t constant_bytes; /* __constant__ variables of the module (bank 3) */
    int64_t global_bytes;   /* __device__ variables and string literals */
    const struct Elf *elf;
} Cubin;

/* NULL with a message when the bytes are not a cubin of CUDA 13 or are damaged. */
const Cubin *cubin_read(Arena *a, const void *bytes, size_t size, Diag *d);

/* By exact name; NULL when there is none. */
const CubinKernel *cubin_find(const Cubin *c, const char *name);

/* The identity of what runs: target, code, relocations, resource records, constants and initial values of
 * globals.  Compiles that differ only in file names, comments, macro values without effect, the kernel's
 * own name or debug information have the same.  Constants and globals are those of the whole module, so
 * another kernel's may make equal kernels differ, never the reverse.  (A path in the program itself, such
 * as that of an assert, is part of the code.) */
Hash cubin_code_hash(const Cubin *c, const CubinKernel *k);

/* Prints what a file holds: a cubin (kernels with their resources and instructions) or PTX (with its loops).
 * Messages go to `d`. */
void code_print(Arena *a, const Source *file, Buf *out, Diag *d);

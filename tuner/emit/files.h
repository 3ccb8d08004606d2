/* An emitted unit as files in a folder.
 *
 *     NAME.h            header               NAME_K.cu           source of variant K, from 1
 *     NAME.c, NAME.cu   the unit             NAME_K_sm90.cubin   its code
 *     NAME_code.h       code as C arrays     NAME_K.ptx
 *     NAME.json         the manifest         NAME_K_2.cu …       of further launches
 *
 * A unit of EMIT_RUNTIME has source alone.  All files or none: they are written under other names
 * beside their places and renamed when the last one is there.  Files of an earlier unit of the same
 * name that this one does not have, which its manifest tells, are removed. */
#ifndef APTUNE_EMIT_FILES_H
#define APTUNE_EMIT_FILES_H

#include "tuner/emit/unit.h"

/* Their names, without the folder, in `a`: the header first, the unit second, the manifest last. An
 * outline (unit_outline) is enough. */
const char *const *files_list(Arena *a, const EmitUnit *u, size_t *count);

/* Writes them to a folder, which is made if need be.  False after a message. */
bool files_write(const EmitUnit *u, const char *folder, Diag *d);

/* The text of the manifest: what there is, from where, in which files. */
void files_print_manifest(const EmitUnit *u, Buf *out);

/* What the header and the unit, in a folder, are made from, as a rule of Make:
 * "out/mm.h out/mm.c: mm.spec …".  False, with a message, where a rule cannot have a name. */
bool files_print_depend(const EmitUnit *u, const char *folder, const char *const *inputs,
                        size_t count, Buf *out, Diag *d);

#endif

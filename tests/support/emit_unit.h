/* Units to emit, made from a spec without recordings and compilers: for tests of what is emitted.
 *
 * Their code is synthetic: texts that say which variant and launch they stand for, as
 * tests/support/ fake_cuda.c reads them. */
#pragma once

#include "tuner/emit/unit.h"
#include "tuner/space/space.h"

/* A spec of spaces/ ("mm") or tests/data ("peers/axpy"), by its name.  Fails the test. */
const Spec *emit_unit_spec(Arena *a, const char *name);

/* An empty unit of the spec with this prefix. */
EmitUnit *emit_unit_new(Arena *a, const Spec *s, const char *prefix, EmitFlavour flavour);

/* Adds configuration `config` of the space of problem `problem` as a variant compiled for `arch`,
 * and gives its number. */
size_t emit_unit_variant(Arena *a, EmitUnit *u, size_t problem, size_t config, int arch);

/* Adds an entry for a problem of the spec; the first one is the default. */
EmitEntry *emit_unit_entry(Arena *a, EmitUnit *u, size_t problem, size_t variant,
                           const char *device, int arch);

/* The same for a size of its own. */
EmitEntry *emit_unit_entry_of(Arena *a, EmitUnit *u, const Value *values, size_t variant,
                              const char *device, int arch);

/* Gives a variant its sources: the spec's own files behind the parameters as macros.  For the runtime
 * flavour, which compiles them; their includes must be the toolkit's. */
void emit_unit_sources(Arena *a, EmitUnit *u, size_t variant);

/* Writes NAME.h, NAME.c or NAME.cu, and NAME_code.h to a folder.  Fails the test. */
void emit_unit_write(const EmitUnit *u, const char *folder);

/* Runs a shell command and fails the test, with what it printed, unless it gives 0. */
void emit_unit_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a command prints; in `a`.  Fails the test unless it gives 0. */
const char *emit_unit_output(Arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Opcodes and modifiers: decodes "ld.global.nc.v4.f32".
 *
 * A module of any length has about a hundred distinct opcode texts; each is decoded once and shared.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/base/map.h"
#include "metrics/ptx/ptx.h"

/* The words of the language by text. */
typedef struct PtxWords {
    Arena *arena;
    Map map; /* opcodes, modifiers, special registers; decoded opcode texts */
} PtxWords;

PtxWords ptx_words_new(Arena *a);

/* The decoded form of an opcode text; *fresh: it was not known before. */
const PtxForm *ptx_words_form(PtxWords *w, const char *text, size_t length, bool *fresh);

/* Type and space by word without its dot; PTX_NO_TYPE and false if it is none. */
PtxType ptx_words_type(const PtxWords *w, const char *text, size_t length);
bool ptx_words_space(const PtxWords *w, const char *text, size_t length, PtxSpace *space);

/* A special register by name, or NULL; its value is a PtxSpecial. */
const MapEntry *ptx_words_special(const PtxWords *w, const char *text, size_t length);

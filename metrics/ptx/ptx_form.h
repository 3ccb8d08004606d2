/* Opcodes and modifiers: "ld.global.nc.v4.f32" decoded.
 *
 * A module uses about a hundred distinct opcode texts however long it is, so each is
 * decoded once and shared.  Internal to metrics/ptx. */
#pragma once

#include "metrics/base/map.h"
#include "metrics/ptx/ptx.h"

/* The words of the language, to be looked up by text. */
typedef struct PtxWords {
    Arena *arena;
    Map map; /* opcodes, modifiers, special registers; texts decoded so far */
} PtxWords;

PtxWords ptx_words_new(Arena *a);

/* The form of an opcode text; `fresh` says whether it was met for the first time. */
const PtxForm *ptx_words_form(PtxWords *w, const char *text, size_t length, bool *fresh);

/* Type and space by word without the dot; PTX_NO_TYPE and false when it is none. */
PtxType ptx_words_type(const PtxWords *w, const char *text, size_t length);
bool ptx_words_space(const PtxWords *w, const char *text, size_t length, PtxSpace *space);

/* A special register by name; NULL when it is none.  Its value is a PtxSpecial. */
const MapEntry *ptx_words_special(const PtxWords *w, const char *text, size_t length);

/* Definitions of a source that yield to the parameters of a spec: "#define NAME value", unless right after
 * "#ifndef NAME", and "const int NAME = value" (tuner/spec/code_constants.c). */
#pragma once

#include "metrics/base/vec.h"

/* The text with the definitions of the given names blanked, lines and columns unchanged; `text` itself if
 * there are none. */
const char *definitions_yield(Arena *a, const char *text, const Texts *names);

/* Names that C++ compilers give to functions (the Itanium C++ ABI), without a demangler's detail. */
#pragma once

#include "metrics/base/arena.h"

/* A function's name and that of its enclosing class or namespace: "_ZN4prcr8ScheduleC1Eddm" is a constructor
 * of Schedule. */
typedef struct Mangled {
    const char *scope, *name; /* NULL: none */
} Mangled;

/* Reads the word that a text begins with, in `a`; a word that is not mangled is the name. */
Mangled mangled_read(Arena *a, const char *text);

/* The name alone; the symbol itself if it cannot be read. */
const char *mangled_name(Arena *a, const char *symbol);

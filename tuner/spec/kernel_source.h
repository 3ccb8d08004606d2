/* What a kernel's source tells beyond its code: names, types as written, macros.
 *
 * Declarations are found by lexical search, not parsed as C++; comments are blanked first. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/spec/task.h"

typedef struct KernelParameter {
    const char *name;
    TaskType type;
    bool known;   /* the type is one of TaskType's */
    bool pointer; /* a buffer */
    bool constant;
    size_t size;      /* bytes of it, or of what it points to; 0: unknown */
    const char *text; /* the type as written */
} KernelParameter;

typedef struct TemplateParameter {
    const char *name;
    bool is_type;
    bool launched;       /* `initial` comes from a launch */
    bool by_default;     /* `initial` is a default that only its own scope understands */
    const char *written; /* as launched; NULL: unknown */
    const char *initial; /* as launched, else as declared; "false" of a bool; NULL: none */
    const char *cases;   /* the numbers of several launches; NULL: none */
} TemplateParameter;

typedef struct KernelSource {
    const char *text; /* without comments */
    const char *own;  /* and without the bodies of other kernels */
    const char *name;
    const char *scope; /* "math::" of a namespace; "": none */
    bool is_template;
    VEC(TemplateParameter) arguments; /* of the template */
    VEC(const char *) under;          /* "NAME=1": conditions of the enclosing #if lines */
    VEC(KernelParameter) parameters;
} KernelSource;

/* A macro or other name that may be tuned. */
typedef struct KernelMacro {
    const char *name;
    const char *value; /* as in the source; NULL: used and never defined */
    bool condition;    /* used in #if lines only */
    const char *cases; /* "1, 2, 4": numbers that it is compared with there; NULL: none */
    bool left_out;     /* by Kernel Tuner: defined under #ifndef kernel_tuner */
    bool constant;     /* "const int NAME = value", no macro */
} KernelMacro;

typedef VEC(KernelMacro) KernelMacros;

/* Finds a kernel that has a body (`wanted` NULL: the first). False: none. */
bool kernel_source_find(Arena *a, const char *text, const char *wanted, KernelSource *out);

/* The brace that opens the kernel's body, and the one that closes it; NULL: it has none. */
const char *kernel_source_body(const char *text, const char *kernel, const char **close);

/* Adds the conditions of the #if lines around a place of the text. */
void kernel_source_conditions(Arena *a, const char *text, const char *at, KernelSource *out);

/* For an #error in an #else that the compiler's log quotes: the condition of the first branch of that #if,
 * "NAME=32". NULL: none. */
const char *kernel_source_choice(Arena *a, const char *text, const char *log);

/* Resolves a template argument of one word: a number, a type, or what the text defines it as. NULL: more
 * than a word, or not defined. */
const char *kernel_source_plain(Arena *a, const char *text, const char *part);

/* The names of all kernels with a body, separated by ", "; "": none. */
const char *kernel_source_names(Arena *a, const char *text);

/* Macros with a value under #ifndef, and names that only #if lines use. */
KernelMacros kernel_source_macros(Arena *a, const char *text);

/* Macros outside #ifndef guards, then constants (code_constants.c), that the source defines as a number. */
KernelMacros kernel_source_numbers(Arena *a, const char *text);

/* The value of `#define NAME value` anywhere; NULL: there is none. */
const char *kernel_source_defined(Arena *a, const char *text, const char *name);

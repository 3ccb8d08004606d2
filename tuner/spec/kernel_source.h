/* What the source of a kernel says about it that its code does not: names, types as written,
 * macros.
 *
 * Declarations are searched for in the text and not parsed as C++; comments are made blank first.
 */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/spec/task.h"

/* A parameter of a kernel. */
typedef struct KernelParameter {
    const char *name;
    TaskType type;
    bool known;   /* the type is one of ours */
    bool pointer; /* a buffer */
    bool constant;
    size_t size;      /* bytes of it, or of what it points to; 0: not known */
    const char *text; /* the type as written */
} KernelParameter;

/* A parameter of a template. */
typedef struct TemplateParameter {
    const char *name;
    bool is_type;
    bool launched;   /* `initial` is of a launch */
    bool by_default; /* `initial` is what its declaration gives and only its scope understands */
    const char *written; /* as launched; NULL: not known */
    const char *initial; /* as launched, else as declared; "false" of a bool; NULL: none */
} TemplateParameter;

typedef struct KernelSource {
    const char *text; /* without comments */
    const char *own;  /* and without the bodies of other kernels */
    const char *name;
    const char *scope; /* "math::" of a namespace; "" of none */
    bool is_template;
    VEC(TemplateParameter) arguments; /* of the template */
    VEC(const char *) under;          /* "NAME=1": what the #if lines around it ask for */
    VEC(KernelParameter) parameters;
} KernelSource;

/* A macro or other name that may be tuned. */
typedef struct KernelMacro {
    const char *name;
    const char *value; /* as it stands in the source; NULL: used and never defined */
    bool condition;    /* stands in an #if alone */
    const char *cases; /* "1, 2, 4": the numbers that it is compared with there; NULL: none */
} KernelMacro;

typedef VEC(KernelMacro) KernelMacros;

/* Finds a kernel that has a body (NULL: the first).  False: there is none of that name. */
bool kernel_source_find(Arena *a, const char *text, const char *wanted, KernelSource *out);

/* Adds what the #if lines around a place of the text ask for. */
void kernel_source_conditions(Arena *a, const char *text, const char *at, KernelSource *out);

/* "NAME=32", what the first branch asks for of the #if whose last one has an #error that a log
 * quotes; NULL: no #error of the text is one. */
const char *kernel_source_choice(Arena *a, const char *text, const char *log);

/* Takes away the last arguments of the template that it has defaults for, where nothing else is
 * known of them: such a default is an expression in the kernel's scope. */
void kernel_source_leave_defaults(KernelSource *k);

/* What one word stands for that is an argument of a template: a number, a type, or what the text
 * says it is.  NULL: not one word, or the text does not say. */
const char *kernel_source_plain(Arena *a, const char *text, const char *part);

/* The names of all kernels with a body, with ", " between them; "" when there is none. */
const char *kernel_source_names(Arena *a, const char *text);

/* Macros with a value under #ifndef, and names that only #if lines use. */
KernelMacros kernel_source_macros(Arena *a, const char *text);

/* Macros that the source defines as a whole number, those under #ifndef aside. */
KernelMacros kernel_source_numbers(Arena *a, const char *text);

/* The value of `#define NAME value` anywhere; NULL: there is none. */
const char *kernel_source_defined(Arena *a, const char *text, const char *name);

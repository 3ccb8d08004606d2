/* Removes the host code of a kernel's file, which a device-only compiler rejects.
 *
 * The rule: at file scope, in namespaces and in classes, a function without __global__, __device__ or
 * constexpr is host code; so is a variable outside classes that is neither marked nor const, a declaration
 * with host types (std::vector, cudaStream_t, FILE …), and an explicit template instantiation. These are
 * blanked; lines and columns stay the same. Device code needs none of them. A macro whose text holds such a
 * mark is a mark itself; functions that return host types are blanked in it. Directives stay, and so does every
 * declaration that is not understood. */
#pragma once

#include "metrics/base/vec.h"

/* Names that a text defines: macros that hold __device__ or another mark; macros that stand for host
 * declarations, "#define INSTANTIATE(T) template void f<T>(T *);"; host types, "using stream =
 * cudaStream_t;". */
typedef struct HostMarks {
    Texts device, host, types;
    Texts macros;      /* all that have parameters */
    bool knows_macros; /* so what begins with NAME(…) and is none of them ends there */
} HostMarks;

/* The names that texts define. */
HostMarks host_marks(Arena *a, const Texts *texts);

/* The text with host code blanked, zero-terminated; `text` itself if there is none. */
const char *host_code_cut(Arena *a, const char *text, size_t size, const HostMarks *marks);

/* A declaration at file or namespace scope; a class as a whole. */
typedef struct HostDeclaration {
    const char *start, *end;
    Texts names;       /* that it declares; none: not understood */
    const char *owner; /* of "Owner::name(…)"; NULL: none */
    Texts scopes;      /* "c10" of "c10::Half", outside its body */
    Texts special;     /* those of them in template specialization arguments */
    bool spaces;       /* "using namespace name" */
    bool operates;     /* an operator: `names` are the types of its operands */
} HostDeclaration;

typedef VEC(HostDeclaration) HostDeclarations;

/* Adds the declarations of a text. */
void host_declarations(Arena *a, const char *text, const HostMarks *marks, HostDeclarations *out);

/* True if the text uses what nvcc declares implicitly: includes, uint8_t, INT_MAX, M_PI … */
bool host_code_expects_headers(const char *text);

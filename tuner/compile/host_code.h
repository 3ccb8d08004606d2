/* Host code in a kernel's file, which a compiler of device code alone refuses.
 *
 * The rule: at the file's scope, in namespaces and in classes, a function that carries none of
 * __global__, __device__ and constexpr is the host's.  So is a variable outside of a class that is
 * neither marked nor const, and what is declared with the host's types (std::vector, cudaStream_t,
 * FILE …), and so is what instantiates a template by name.  They are replaced by blanks: lines and
 * columns stay what they were.  Device code needs none of them.  A macro whose text holds such a mark is one.  Directives stay where they are, and so does
 * every declaration that is not understood. */
#pragma once

#include "metrics/base/vec.h"

#include <stdbool.h>

/* Names of macros that hold __device__ or another mark of the device's, of those that
 * stand for the host's declarations: "#define INSTANTIATE(T) template void f<T>(T *);", and
 * of the host's types: "using stream = cudaStream_t;". */
typedef struct HostMarks {
    VEC(const char *) device, host, types;
} HostMarks;

/* Adds those of a text. */
void host_marks_add(Arena *a, const char *text, HostMarks *marks);

/* A zero-terminated text of the same length without the host's code: `text` itself where there is
 * none.  */
const char *host_code_cut(Arena *a, const char *text, size_t size, const HostMarks *marks);

/* A declaration at the scope of the file or of a namespace, a class as a whole. */
typedef struct HostDeclaration {
    const char *start, *end;
    VEC(const char *) names;   /* that it declares; none: it was not understood */
    const char *owner;         /* of "Owner::name(…)"; NULL: none */
    VEC(const char *) scopes;  /* "c10" of "c10::Half", outside of its body */
    VEC(const char *) special; /* those of them in what a template is specialised for */
    bool spaces;               /* "using namespace name" */
    bool operates;             /* an operator: it declares nothing, and these are what it takes */
} HostDeclaration;

typedef VEC(HostDeclaration) HostDeclarations;

/* Adds those of a text. */
void host_declarations(Arena *a, const char *text, HostDeclarations *out);

/* A text of the same length with blanks for "#define NAME value" of the names, but for the first
 * line under "#ifndef NAME"; `text` itself where there is none. */
const char *macros_yield(Arena *a, const char *text, const char *const *names, size_t count);

/* Does the text use what nvcc declares without being asked: includes, uint8_t, INT_MAX, M_PI …? */
bool host_code_expects_headers(const char *text);

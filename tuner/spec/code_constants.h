/* Constants of C++ text: "const|constexpr type NAME = value", at file and namespace scope and in functions.
 *
 * Found by lexical search, as in code_text.h.  Members of classes are none: they are named through the class. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/spec/code_text.h"

/* A name of a declaration; pointers are into the text.  Those of one declaration follow each other. */
typedef struct CodeConstant {
    Word name, value;
    const char *declaration; /* its first word */
    const char *comma;       /* before the name; NULL: it is the first */
    const char *end;         /* the comma or semicolon after the value */
    bool known;              /* the compiler knows the value, it does not depend on the thread */
} CodeConstant;

typedef VEC(CodeConstant) CodeConstants;

/* All names of declarations of constants in a text without comments. */
CodeConstants code_constants(Arena *a, const char *text);

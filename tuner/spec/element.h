/* Types of kernel arguments: scalars and short vectors as CUDA C names them. */
#ifndef APTUNE_SPEC_ELEMENT_H
#define APTUNE_SPEC_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ElementKind {
    ELEMENT_SIGNED,
    ELEMENT_UNSIGNED,
    ELEMENT_FLOAT /* IEEE binary16, 32 or 64 by size */
} ElementKind;

typedef struct Element {
    const char *name; /* as in a spec: "float" */
    ElementKind kind;
    int size; /* bytes of one */
} Element;

/* NULL when there is none of that name. */
const Element *element_find(const char *name);

/* All names, for messages. */
size_t element_names(const char **out, size_t room);

#endif

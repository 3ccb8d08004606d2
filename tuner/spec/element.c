#include "tuner/spec/element.h"

#include <string.h>

static const Element table[] = {
    {"int8", ELEMENT_SIGNED, 1},  {"uint8", ELEMENT_UNSIGNED, 1},
    {"int16", ELEMENT_SIGNED, 2}, {"uint16", ELEMENT_UNSIGNED, 2},
    {"int32", ELEMENT_SIGNED, 4}, {"uint32", ELEMENT_UNSIGNED, 4},
    {"int64", ELEMENT_SIGNED, 8}, {"uint64", ELEMENT_UNSIGNED, 8},
    {"int", ELEMENT_SIGNED, 4},   {"uint", ELEMENT_UNSIGNED, 4},
    {"half", ELEMENT_FLOAT, 2},   {"float", ELEMENT_FLOAT, 4},
    {"double", ELEMENT_FLOAT, 8},
};

const Element *element_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

size_t element_names(const char **out, size_t room)
{
    size_t n = sizeof table / sizeof table[0];
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        out[i] = table[i].name;
    return n;
}

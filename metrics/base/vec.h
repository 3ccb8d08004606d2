/* Growable arrays in an arena.
 *
 * A vector is any struct { T *at; size_t count, capacity; }, declared with VEC(T).  Growing copies the
 * elements and leaves the old array to the arena, which wastes at most the final size. */
#pragma once

#include "metrics/base/arena.h"

#include <string.h>

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/* Makes room for one more element; returns the array's new place. */
static inline void *vec_grow(Arena *a, void *at, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return at;
    *capacity = *capacity ? *capacity * 2 : FIRST_SIZE(8, 1);
    void *fresh = arena_array(a, *capacity, size);
    if (count)
        memcpy(fresh, at, count * size);
    return fresh;
}

/* Appends a zeroed element and returns its address. */
#define VEC_ADD(a, v)                                                                              \
    ((v)->at = vec_grow((a), (v)->at, (v)->count, &(v)->capacity, sizeof *(v)->at),                \
     &(v)->at[(v)->count++])

#define VEC_PUSH(a, v, element) (*VEC_ADD((a), (v)) = (element))

typedef VEC(const char *) Texts;

/* These texts, in an array of the enclosing block. */
#define TEXTS(...)                                                                                 \
    ((Texts){(const char *[]){__VA_ARGS__}, COUNT_OF(((const char *[]){__VA_ARGS__})), 0})

/* Growable arrays in an arena.
 *
 * A vector is any struct { T *at; size_t count, capacity; }.  Growing copies to a
 * new place and leaves the old one to the arena: at most the final size again is
 * wasted.  Declare one with VEC(T), append with VEC_PUSH. */
#pragma once

#include "metrics/base/arena.h"

#include <string.h>

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/* Room for one more element; returns where the array now is. */
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

/* Appends a zeroed element and gives its address. */
#define VEC_ADD(a, v)                                                                              \
    ((v)->at = vec_grow((a), (v)->at, (v)->count, &(v)->capacity, sizeof *(v)->at),                \
     &(v)->at[(v)->count++])

#define VEC_PUSH(a, v, element) (*VEC_ADD((a), (v)) = (element))

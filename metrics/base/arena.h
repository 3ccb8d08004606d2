/* Arena allocation: memory that is freed all at once.
 *
 * An arena serves one lifetime: a spec, the analysis of one kernel, a run.  Its creator frees it.  A
 * function that allocates takes the arena as its first parameter; what it returns lives in that arena.  This
 * is the ownership rule of the whole program.
 *
 * Memory is zeroed, and zero is a valid initial state of every struct.  When memory runs out the program
 * prints one line and exits, so callers need no checks; a library inside another program sets an escape
 * instead.  Under AddressSanitizer each object has a poisoned margin, so overruns are caught. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);

/* Frees every object; the arena can be used again. */
void arena_reset(Arena *a);

/* NULL is allowed. */
void arena_free(Arena *a);

/* A local arena, freed on every exit from its scope: SCOPED_ARENA *a = arena_new(); */
#define SCOPED_ARENA __attribute__((cleanup(arena_leave))) Arena
static inline void arena_leave(Arena **a)
{
    arena_free(*a);
}

/* Moves everything in `from` to `a` and frees the empty arena `from`. */
void arena_take(Arena *a, Arena *from);

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(Arena *a, size_t size);

/* `count` zeroed elements; ends the program if the product overflows. */
void *arena_array(Arena *a, size_t count, size_t size);

/* A copy of `size` bytes. */
void *arena_keep(Arena *a, const void *from, size_t size);

/* Copies, with a terminating zero. */
char *arena_copy(Arena *a, const char *text, size_t length);
char *arena_string(Arena *a, const char *text);

char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes allocated since the arena was created or reset; for benchmarks and limits. */
size_t arena_used(const Arena *a);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_array((a), (n), sizeof(T)))

/* A new T with a value, or with the members of an initializer in braces. */
#define ARENA_COPY(a, T, ...) ((T *)arena_keep((a), (T[]){__VA_ARGS__}, sizeof(T)))

/* The elements of an array. */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Iterates over `count` elements by address; VEC_EACH over a vector (vec.h), which must not grow. */
#define EACH(T, x, array, count) for (T *x = (array); x && x < (array) + (count); x++)
#define VEC_EACH(T, x, v)        EACH (T, x, (v).at, (v).count)

/* Set by a test before anything is allocated: whatever grows starts at the second number of FIRST_SIZE, so
 * that the test exercises every growth.  Only speed depends on it. */
extern bool memory_starts_small;
#define FIRST_SIZE(usual, small) (memory_starts_small ? (small) : (usual))

/* malloc, calloc and realloc for memory outside of arenas; they never return NULL for lack of memory. */
void *memory_new(size_t size);
void *memory_zeroed(size_t count, size_t size);
void *memory_resize(void *old, size_t count, size_t size);

/* Sets where this thread continues, by longjmp, when memory runs out; NULL: the program exits.  Returns the
 * previous target, which must be restored before the function that called setjmp returns.  The work in
 * progress is lost, with memory and descriptors that only its functions knew of. */
jmp_buf *memory_set_escape(jmp_buf *to);

/* For tests: the `n`th allocation of this thread from now on that has an escape fails; 0: none does. */
void memory_fail_at(size_t n);

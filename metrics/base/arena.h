/* Memory given back all at once.
 *
 * An arena serves one lifetime: a spec, one kernel's analysis, a run.  Whoever
 * creates it frees it; a function that allocates takes the arena as its first
 * parameter, and what it returns lives there and dies with it.  That is the
 * ownership rule of the whole program.
 *
 * Memory is zeroed, and zero is a valid start for every struct.  Running out of
 * memory prints one line and ends the program, so no caller checks; a library in
 * somebody else's program sets an escape instead.  Under
 * AddressSanitizer every object is an allocation of its own, so that overruns
 * are caught. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);

/* Gives back every object but keeps the arena itself for the next round. */
void arena_reset(Arena *a);

/* NULL is allowed. */
void arena_free(Arena *a);

/* A local arena that is freed when its block is left, whichever way:
 *     SCOPED_ARENA *a = arena_new(); */
#define SCOPED_ARENA __attribute__((cleanup(arena_leave))) Arena
static inline void arena_leave(Arena **a)
{
    arena_free(*a);
}

/* Takes over all that is in `from`, which ends. */
void arena_take(Arena *a, Arena *from);

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(Arena *a, size_t size);

/* `count` zeroed elements; a product that overflows ends the program. */
void *arena_array(Arena *a, size_t count, size_t size);

/* A copy with a terminating zero added. */
char *arena_copy(Arena *a, const char *text, size_t length);
char *arena_string(Arena *a, const char *text);

char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes handed out since the arena was made or reset; for benchmarks and limits. */
size_t arena_used(const Arena *a);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_array((a), (n), sizeof(T)))

/* Each of `count` elements in turn, by its address; of a vector (vec.h) that does not grow
 * meanwhile. */
#define EACH(T, x, array, count) for (T *x = (array); x && x < (array) + (count); x++)
#define VEC_EACH(T, x, v)        EACH (T, x, (v).at, (v).count)

/* How large a thing is at first, where that is a matter of speed alone.  A stress build
 * (APTUNE_STRESS) takes the second number, so that its tests meet every growth. */
#ifdef APTUNE_STRESS
#define FIRST_SIZE(usual, stress) (stress)
#else
#define FIRST_SIZE(usual, stress) (usual)
#endif

/* malloc, calloc and realloc for memory that no arena owns; they never return NULL for
 * lack of memory. */
void *memory_new(size_t size);
void *memory_zeroed(size_t count, size_t size);
void *memory_resize(void *old, size_t count, size_t size);

/* Where this thread goes on, by longjmp, when there is no memory left; NULL: the program ends.
 * Gives the one before, which must be set again before the function ends that has called setjmp.
 * What was being worked on is lost: memory and descriptors that only its functions knew of. */
jmp_buf *memory_set_escape(jmp_buf *to);

/* For tests: of this thread's allocations that have an escape, the `n`th from now on fails; 0: none
 * does. */
void memory_fail_at(size_t n);

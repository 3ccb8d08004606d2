#include "metrics/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
/* Free memory is poisoned, and a margin of it lies behind every object. */
#include <sanitizer/asan_interface.h>
enum { BEHIND = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)0)
enum { BEHIND = 0 };
#endif

enum { ALIGN = 16, KEPT_CHUNKS = 64 };

bool memory_starts_small;

/* Usable bytes of a chunk that holds more than one object. */
static size_t chunk_size(void)
{
    return FIRST_SIZE(64 * 1024, 64);
}

typedef struct Chunk Chunk;
struct Chunk {
    Chunk *next;
    size_t size; /* usable bytes after the header */
    size_t used;
    size_t pad; /* keeps the data aligned */
};

struct Arena {
    Chunk *chunks; /* newest first */
    Chunk *spare;  /* empty ones of chunk_size(), from before a reset */
    size_t used;
};

/* Global, since any function may allocate. */
static _Thread_local jmp_buf *escape;

jmp_buf *memory_set_escape(jmp_buf *to)
{
    jmp_buf *before = escape;
    escape = to;
    return before;
}

static _Thread_local size_t fail_at; /* allocations until the failing one; 0: none fails */

void memory_fail_at(size_t n)
{
    fail_at = n;
}

static bool is_to_fail(void)
{
    return escape && fail_at > 0 && --fail_at == 0;
}

static void out_of_memory(size_t size)
{
    if (escape)
        longjmp(*escape, 1);
    fprintf(stderr, "aptune: out of memory (asked for %zu bytes)\n", size);
    exit(1);
}

static void *given(void *p, size_t size)
{
    if (!p)
        out_of_memory(size);
    return p;
}

void *memory_new(size_t size)
{
    return given(is_to_fail() ? NULL : malloc(size ? size : 1), size);
}

void *memory_zeroed(size_t count, size_t size)
{
    return given(is_to_fail() ? NULL : calloc(count ? count : 1, size ? size : 1), size);
}

void *memory_resize(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory(SIZE_MAX);
    size_t bytes = count * size;
    return given(is_to_fail() ? NULL : realloc(old, bytes > 0 ? bytes : 1), bytes);
}

Arena *arena_new(void)
{
    return memory_zeroed(1, sizeof(Arena));
}

void arena_reset(Arena *a)
{
    Chunk *next = NULL;
    int kept = 0;
    /* Chunks of the usual size are kept, so that a loop of resets calls neither malloc nor the system. */
    for (Chunk *c = a->spare; c; c = c->next)
        kept++;
    for (Chunk *c = a->chunks; c; c = next) {
        next = c->next;
        if (c->size != chunk_size() || kept == KEPT_CHUNKS) {
            free(c);
            continue;
        }
        ASAN_POISON_MEMORY_REGION(c + 1, c->size);
        c->used = 0;
        c->next = a->spare;
        a->spare = c;
        kept++;
    }
    a->chunks = NULL;
    a->used = 0;
}

static void free_chunks(Chunk *c)
{
    while (c) {
        Chunk *next = c->next;
        free(c);
        c = next;
    }
}

void arena_free(Arena *a)
{
    if (!a)
        return;
    free_chunks(a->chunks);
    free_chunks(a->spare);
    free(a);
}

/* The chunk being filled stays first. */
void arena_take(Arena *a, Arena *from)
{
    Chunk **last = &a->chunks;
    while (*last)
        last = &(*last)->next;
    *last = from->chunks;
    from->chunks = NULL;
    a->used += from->used;
    arena_free(from);
}

static Chunk *chunk_new(size_t size)
{
    if (size > SIZE_MAX - sizeof(Chunk))
        out_of_memory(size);
    Chunk *c = memory_new(sizeof(Chunk) + size);
    *c = (Chunk){.size = size};
    ASAN_POISON_MEMORY_REGION(c + 1, size);
    return c;
}

void *arena_alloc(Arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        out_of_memory(size);
    size_t rounded = (size + BEHIND + ALIGN - 1) / ALIGN * ALIGN;
    Chunk *c = a->chunks;
    if (!c || c->size - c->used < rounded) {
        /* A large object gets a chunk of its own behind the current one. */
        bool large = rounded > chunk_size() / 4;
        Chunk *fresh = large ? NULL : a->spare;
        if (fresh)
            a->spare = fresh->next;
        else
            fresh = chunk_new(large ? rounded : chunk_size());
        if (large && c) {
            fresh->next = c->next;
            c->next = fresh;
        } else {
            fresh->next = c;
            a->chunks = fresh;
        }
        c = fresh;
    }
    void *p = (char *)(c + 1) + c->used;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    c->used += rounded;
    a->used += rounded;
    return memset(p, 0, size);
}

void *arena_array(Arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory(SIZE_MAX);
    return arena_alloc(a, count * size);
}

void *arena_keep(Arena *a, const void *from, size_t size)
{
    return arena_copy(a, from, size);
}

char *arena_copy(Arena *a, const char *text, size_t length)
{
    char *p = arena_alloc(a, length + 1);
    if (length)
        memcpy(p, text, length);
    return p;
}

char *arena_string(Arena *a, const char *text)
{
    return arena_copy(a, text, strlen(text));
}

char *arena_printf(Arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return arena_string(a, "");
    char *p = arena_alloc(a, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(p, (size_t)length + 1, format, args);
    va_end(args);
    return p;
}

size_t arena_used(const Arena *a)
{
    return a->used;
}

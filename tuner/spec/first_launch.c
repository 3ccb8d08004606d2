#include "tuner/spec/first_launch.h"

#include "metrics/base/file.h"
#include "tuner/spec/first_names.h"

#include <ctype.h>

static const char *meaning(void *context, const char *written)
{
    FirstLaunch *l = context;
    size_t known = word_place(written, l->parameters.at, l->parameters.count);
    if (known < SIZE_MAX)
        return l->parameters.at[known];
    if (isdigit((unsigned char)*written))
        return NULL;
    for (size_t i = 0; l->used && i < l->guess->kernel->parameters.count; i++) {
        const KernelParameter *p = &l->guess->kernel->parameters.at[i];
        if (!first_is_integer(p) || i >= l->site->argument_count ||
            strcmp(l->site->arguments[i], written) != 0)
            continue;
        l->used[i] = true;
        return l->sizes ? l->sizes[i] : p->name;
    }
    return NULL;
}

void first_launch_read(Arena *a, FirstLaunch *l)
{
    const HostValue *grid[DIRECTIONS];
    const KernelSource *k = l->guess->kernel;
    l->names = (HostNames){l, meaning, 0};
    l->site = l->guess->launch;
    l->known = l->site && launch_site_block(l->site, &l->names, l->block);
    for (int i = 0; i < DIRECTIONS && l->known; i++)
        l->known = !host_number(l->block[i], &l->threads[i]) || l->threads[i] >= 1;
    /* One thread in all is somebody's first try. */
    if (!l->site || (l->known && l->threads[0] * l->threads[1] * l->threads[2] == 1)) {
        l->site = NULL;
        l->known = false;
        return;
    }
    l->used = ARENA_ARRAY(a, bool, k->parameters.count + 1);
    launch_site_grid(l->site, &l->names, grid);
    launch_site_shared(l->site, &l->names);
    for (size_t i = 0; i < k->parameters.count; i++)
        launch_site_allocated(l->site, i, 4, &l->names);
}

const char *first_launch_where(Arena *a, const FirstLaunch *l)
{
    return arena_printf(a, "as launched at %s:%zu", path_stem(a, l->site->place.file->path, ""),
                        host_line(l->site->place));
}

/* The name before "= 128", " 128" or "(128"; "" where there is none. */
static const char *name_before(Arena *a, const char *text, const char *at)
{
    while (at > text && strchr(" \t=({", at[-1]))
        at--;
    const char *start = at;
    while (start > text && code_is_name(start[-1]))
        start--;
    return isdigit((unsigned char)*start) ? "" : arena_copy(a, start, (size_t)(at - start));
}

bool first_launch_in_device(const FirstGuess *g, const char *word, int times)
{
    const char *text = g->kernel->own;
    for (const char *at = text; times > 0 && (at = code_find_word(at, word, text)) != NULL; at++) {
        const char *start = at;
        while (start > text && start[-1] != '\n')
            start--;
        times -= *code_skip(start, at) != '#';
    }
    return times <= 0;
}

bool first_launch_is_fixed(Arena *a, const FirstLaunch *l, double number)
{
    const char *digits = arena_printf(a, "%.15g", number);
    for (const HostText *h = l->site->place.file->first; h; h = h->next)
        for (const char *at = h->text; (at = host_find_word(h, at, digits)) != NULL; at++) {
            const char *name = name_before(a, h->text, at);
            const char *start = at;
            while (start > h->text && start[-1] != '\n')
                start--;
            /* A constant stands there once as it is given its value. */
            const bool given = h == h->first && *code_skip(start, at) != '#';
            if (*name && first_launch_in_device(l->guess, name, given ? 2 : 1))
                return true;
        }
    return false;
}

/* With the name of the threads along the direction where their number is divided by. */
static const HostValue *by_threads(Arena *a, const FirstLaunch *l, const HostValue *v, int i,
                                   const char *const *threads)
{
    bool named = l->threads[i] > 1 && !isdigit((unsigned char)*threads[i]);
    v = l->whole > 0 ? host_name(a, v, l->whole, l->whole_name) : v;
    return named ? host_share(a, v, l->threads[i], threads[i]) : v;
}

bool first_launch_grid(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out)
{
    const HostValue *grid[DIRECTIONS];
    double n;
    if (!l->known || !launch_site_grid(l->site, &l->names, grid))
        return false;
    for (int i = 0; i < DIRECTIONS; i++)
        if (host_number(grid[i], &n) && n < 1)
            return false;
    int last = DIRECTIONS - 1;
    while (last > 0 && host_number(grid[last], &n) && n == 1)
        last--;
    Buf text = {0};
    bool ok = true;
    for (int i = 0; i <= last && ok; i++) {
        buf_puts(&text, i ? ", " : "");
        ok = host_print(by_threads(a, l, grid[i], i, threads), true, &text);
    }
    if (ok)
        buf_puts(out, buf_text(&text));
    buf_free(&text);
    return ok;
}

static bool print_value(const HostValue *v, bool alone, Buf *out)
{
    Buf text = {0};
    double n;
    bool ok = v && (!host_number(v, &n) || n >= 1) && host_print(v, alone, &text);
    if (ok)
        buf_puts(out, buf_text(&text));
    buf_free(&text);
    return ok;
}

bool first_launch_shared(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out)
{
    const HostValue *v = l->known ? launch_site_shared(l->site, &l->names) : NULL;
    return v && print_value(by_threads(a, l, v, 0, threads), true, out);
}

bool first_launch_buffer(Arena *a, const FirstLaunch *l, size_t i, size_t element,
                         const char *const *threads, bool alone, Buf *out)
{
    const HostValue *v = l->site ? launch_site_allocated(l->site, i, element, &l->names) : NULL;
    return v && print_value(by_threads(a, l, v, 0, threads), alone, out);
}

double first_launch_whole(const FirstLaunch *l)
{
    double most = 0, n;
    const KernelSource *k = l->guess->kernel;
    for (size_t i = 0; l->site && i < k->parameters.count; i++) {
        const KernelParameter *p = &k->parameters.at[i];
        const size_t element =
            p->known ? task_scalar_size(p->type.scalar) * (size_t)p->type.lanes : p->size;
        if (p->pointer && element > 0 &&
            host_number(launch_site_allocated(l->site, i, element, &l->names), &n) && n > most)
            most = n;
    }
    return most;
}

bool first_launch_number(const FirstLaunch *l, size_t i, double *out)
{
    return l->site && host_number(launch_site_argument(l->site, i), out);
}

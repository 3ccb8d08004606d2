#include "tuner/spec/first_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static bool is_size(const KernelParameter *p)
{
    const Meaning m = first_meaning(p->name);
    const bool number = strncasecmp(p->name, "num", 3) == 0 ||
                        (*p->name == 'n' && isupper((unsigned char)p->name[1])); /* "numElems" */
    return first_is_integer(p) && (m == MEANS_SIZE || (m == MEANS_TILE && number));
}

/* The index of an earlier size launched with the same variable; i: none. */
static size_t same_argument(const FirstWriter *w, const char *const *of, size_t i)
{
    const LaunchSite *s = w->launch.site;
    size_t k = 0;
    while (k < i && !(s && of[k] && i < s->argument_count && !code_is_number(s->arguments[i]) &&
                      strcmp(s->arguments[k], s->arguments[i]) == 0))
        k++;
    return k;
}

/* True if blocks are numbered across dimensions: gridDim is used, and threads are one-dimensional. */
static bool is_numbered(const FirstWriter *w)
{
    return w->facts.grid_size && !w->facts.thread[1] && !w->facts.thread[2];
}

/* The direction whose indices an argument bounds; DIRECTIONS: none. */
static int bounded_direction(const FirstWriter *w, size_t i)
{
    int d = 0;
    while (d < DIRECTIONS && !(w->facts.bound[d] == (int)i + 1 && w->facts.block[d]))
        d++;
    if (d == DIRECTIONS && is_numbered(w) && w->facts.bound[DIRECTIONS] == (int)i + 1)
        return 0;
    return first_is_integer(&w->kernel->parameters.at[i]) ? d : DIRECTIONS;
}

/* Finds the sizes that bound the grid's indices: they determine a guessed grid, and of many sizes they are
 * the ones that span the output. */
static void find_bounds(FirstWriter *w, const char *const *of)
{
    bool all = true;
    for (size_t i = 0; i < w->kernel->parameters.count; i++) {
        const int d = bounded_direction(w, i);
        if (d == DIRECTIONS || !of[i] || w->bounds[d])
            continue;
        w->bounds[d] = of[i];
        w->extents++;
    }
    for (int d = 0; d < DIRECTIONS && !(is_numbered(w) && w->facts.bound[DIRECTIONS]); d++)
        all = all && (!w->facts.block[d] || w->bounds[d]);
    if (!all || w->sizes.count <= DIRECTIONS)
        w->extents = 0;
}

static bool is_extent(const FirstWriter *w, const char *size)
{
    bool any = w->extents == 0;
    for (int d = 0; d < DIRECTIONS; d++)
        any = any || w->bounds[d] == size;
    return any;
}

/* Makes sizes of kernel arguments; `of`: of each argument its size's name. */
static void find_argument_sizes(FirstWriter *w, const char **of)
{
    Arena *a = w->arena;
    SCOPED_BUF grid = {0};
    const bool guessed = !first_launch_grid(a, &w->launch, w->threads, &grid);
    bool *used = ARENA_ARRAY(a, bool, w->kernel->parameters.count + 1);
    size_t left = 0; /* arguments that the launch depends on and that still need room */
    for (size_t i = 0; i < w->kernel->parameters.count; i++) {
        const int threads = w->launch.threads_of ? w->launch.threads_of[i] : 0;
        of[i] = threads ? w->threads[threads - 1] : NULL;
        used[i] = !of[i] && ((guessed && bounded_direction(w, i) < DIRECTIONS) ||
                             (w->launch.used && w->launch.used[i]));
        left += used[i];
    }
    for (size_t i = 0; i < w->kernel->parameters.count; i++) {
        const KernelParameter *p = &w->kernel->parameters.at[i];
        left -= used[i];
        if (of[i])
            continue;
        const size_t same = first_is_integer(p) ? same_argument(w, of, i) : i;
        if (same < i)
            of[i] = of[same];
        if (same < i || (!is_size(p) && !used[i]) || w->sizes.count + left >= SIZES_MOST)
            continue;
        first_launch_number(&w->launch, i, &w->values[w->sizes.count]);
        char *upper = arena_string(a, p->name); /* an argument and a size may have the same name */
        for (char *c = upper; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        of[i] = strcmp(upper, p->name) != 0 ? first_fresh(w, upper, false) : upper;
        VEC_PUSH(a, &w->sizes, of[i]);
    }
}

void first_find_sizes(FirstWriter *w)
{
    Arena *a = w->arena;
    const char **of = ARENA_ARRAY(a, const char *, w->kernel->parameters.count);
    w->macros = w->sizes.count;
    find_argument_sizes(w, of);
    find_bounds(w, of);
    /* Without any, the source's own numbers: macros of 64 or more. */
    const bool fixed = w->sizes.count == 0;
    KernelMacros numbers = kernel_source_numbers(a, w->kernel->text);
    VEC_EACH (const KernelMacro, m, numbers)
        if (fixed && w->sizes.count < SIZES_MOST && first_meaning(m->name) == MEANS_SIZE &&
            strtol(m->value, NULL, 10) >= 64 && code_has_word(w->kernel->text, m->name) &&
            word_place(m->name, w->names.at, w->names.count) == SIZE_MAX) {
            VEC_PUSH(a, &w->sizes, m->name);
            VEC_PUSH(a, &w->fixed, m->value);
        }
    /* Without any named size, the elements of the largest buffer are one. */
    const double whole = w->sizes.count == 0 ? first_launch_whole(&w->launch) : 0;
    if (whole >= 64) {
        w->launch.whole = w->values[0] = whole;
        w->launch.whole_name = first_fresh(w, "N", false);
        VEC_PUSH(a, &w->sizes, w->launch.whole_name);
    }
    bool plane = w->facts.block[1] && w->sizes.count == 0;
    if (w->sizes.count == 0)
        VEC_PUSH(a, &w->sizes, first_fresh(w, plane ? "WIDTH" : "N", false));
    if (plane)
        VEC_PUSH(a, &w->sizes, first_fresh(w, "HEIGHT", false));
    w->square = w->facts.block[1] && !is_numbered(w) && w->sizes.count == 1 && !w->launch.whole;
    w->launch.sizes = of;
}

/* Divides a size by four as often as the guess says; 16 are left. */
static double shrink(const FirstWriter *w, double size)
{
    const double less = floor(ldexp(size, -2 * w->guess->shrunk));
    return size > 16 ? fmax(less, 16) : size;
}

/* Unknown sizes get values that together make 1 to 16 million elements: a buffer of that many fits. */
void first_write_problem(FirstWriter *w)
{
    static const double each[SIZES_MOST + 1] = {0, 1048576, 1024, 256, 64, 16, 16, 8, 8};
    double all = 1; /* elements, by the author's values; 0: some are unknown */
    for (size_t i = 0; i < w->sizes.count; i++)
        all *= w->values[i];
    const bool known = all >= 1 && all <= 1 << 26; /* and so many fit into memory */
    buf_puts(w->out, "problem ");
    for (size_t i = 0; i < w->sizes.count; i++)
        if (known)
            buf_printf(w->out, "%s%s = %.15g", i ? ", " : "", w->sizes.at[i],
                       shrink(w, w->values[i]));
        else if (w->values[i] > 1 && w->values[i] <= 64) /* a tile: it does not fill the memory */
            buf_printf(w->out, "%s%s = %.15g", i ? ", " : "", w->sizes.at[i], w->values[i]);
        else if (i < w->fixed.count)
            buf_printf(w->out, "%s%s = %s", i ? ", " : "", w->sizes.at[i], w->fixed.at[i]);
        else
            buf_printf(w->out, "%s%s = %.15g", i ? ", " : "", w->sizes.at[i],
                       (i < w->macros && w->guess->small) || !is_extent(w, w->sizes.at[i])
                           ? 16
                           : shrink(w, each[w->extents ? w->extents : w->sizes.count + w->square]));
    buf_printf(w->out, "    # %s\n",
               w->guess->shrunk && !(w->fixed.count && !known)
                   ? "decide: the sizes to tune for; larger ones exceed the grid or the memory"
               : known          ? first_launch_where(w->arena, &w->launch)
               : w->fixed.count ? "as the source defines them"
                                : "decide: the sizes to tune for");
    for (size_t i = 0; i < w->macros; i++)
        buf_printf(w->out, "option \"-D%s={%s}\"    # the source leaves it undefined\n",
                   w->sizes.at[i], w->sizes.at[i]);
    buf_putc(w->out, '\n');
}

void first_print_product(const FirstWriter *w, Buf *out)
{
    bool first = true;
    for (size_t i = 0; i < w->sizes.count; i++)
        if (is_extent(w, w->sizes.at[i])) {
            buf_printf(out, "%s%s", first ? "" : " * ", w->sizes.at[i]);
            first = false;
        }
    if (w->square)
        buf_printf(out, " * %s", w->sizes.at[0]);
}

/* Prints the elements per block along a direction, the end of a ceil_div. */
static void print_per_block(const FirstWriter *w, int i)
{
    buf_printf(w->out, ", %s%s%s)", w->threads[i], w->tiles[i] ? " * " : "",
               w->tiles[i] ? w->tiles[i] : "");
}

const char *first_size_along(const FirstWriter *w, int i)
{
    size_t n = w->sizes.count;
    bool turned =
        n >= 2 && ((first_sounds_like(w->sizes.at[1], "width cols columns") &&
                    !first_sounds_like(w->sizes.at[0], "width cols columns")) ||
                   first_sounds_like(w->sizes.at[0], "height rows") ||
                   (strcmp(w->sizes.at[0], "H") == 0 && strcmp(w->sizes.at[1], "W") == 0));
    size_t k = (size_t)(turned && i < 2 ? 1 - i : i);
    k = w->square && k == 1 ? 0 : k;
    return k < n ? w->sizes.at[k] : NULL;
}

/* The size along an unbounded direction, among those that bound no other. */
static const char *size_of_direction(const FirstWriter *w, int i)
{
    bool any = false;
    int before = 0; /* earlier directions that need one, too */
    for (int d = 0; d < DIRECTIONS; d++) {
        any = any || w->bounds[d];
        before += d < i && w->facts.block[d] && !w->bounds[d];
    }
    if (!any)
        return first_size_along(w, i);
    for (size_t k = 0; k < w->sizes.count && w->facts.block[i]; k++) {
        bool bounds = false;
        for (int d = 0; d < DIRECTIONS; d++)
            bounds = bounds || w->sizes.at[k] == w->bounds[d];
        if (!bounds && before-- == 0)
            return w->sizes.at[k];
    }
    return NULL;
}

/* Prints the number of blocks that cover a bounded direction. */
static void print_bound(FirstWriter *w, int i)
{
    const int k = w->facts.bound[i] ? i : DIRECTIONS;
    const int threads = w->facts.bound_threads[k];
    buf_printf(w->out, "%s%s", threads ? "ceil_div(" : "", w->bounds[i]);
    if (threads)
        print_per_block(w, threads & 1 ? 0 : threads & 2 ? 1 : 2);
}

/* Guesses the grid from the thread and block indices that the code uses. */
static void print_guessed_grid(FirstWriter *w)
{
    const bool line = (!w->facts.block[1] && !w->facts.block[2]) ||
                      (is_numbered(w) && (w->sizes.count == 1 || w->facts.bound[DIRECTIONS]));
    if (line && w->bounds[0]) {
        print_bound(w, 0);
    } else if (line) {
        buf_puts(w->out, "ceil_div(");
        first_print_product(w, w->out);
        print_per_block(w, 0);
    }
    for (int i = 0; !line && i < DIRECTIONS; i++) {
        if (i == 2 && !w->facts.block[2])
            break;
        const char *size = size_of_direction(w, i);
        buf_puts(w->out, i ? ", " : "");
        if (w->bounds[i]) {
            print_bound(w, i);
            continue;
        }
        bool shared = size != NULL; /* divided by threads that no other direction's bound counts */
        for (int d = 0; d < DIRECTIONS; d++)
            shared = shared && !(w->bounds[d] && w->facts.bound_threads[d] >> i & 1 &&
                                 !(w->facts.bound_threads[d] >> d & 1));
        buf_printf(w->out, "%s%s", shared ? "ceil_div(" : "", size ? size : "1");
        if (shared)
            print_per_block(w, i);
    }
    buf_puts(w->out, "    # decide: how many elements does a block make?\n");
}

void first_write_launch(FirstWriter *w)
{
    const char *const *t = w->threads;
    int most = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        most = strcmp(t[i], "1") != 0 || w->facts.thread[i] ? i : most;
    buf_printf(w->out, "\nblock %s", t[0]);
    for (int i = 1; i <= most; i++)
        buf_printf(w->out, ", %s", t[i]);
    buf_putc(w->out, '\n');
    SCOPED_BUF grid = {0};
    const bool known = first_launch_grid(w->arena, &w->launch, t, &grid);
    if (!known)
        first_launch_doubt(w->arena, &w->launch, w->out);
    buf_printf(w->out, "grid %s", buf_text(&grid));
    if (known)
        buf_printf(w->out, "    # %s\n", first_launch_where(w->arena, &w->launch));
    else
        print_guessed_grid(w);
    if (w->facts.dynamic_shared) {
        buf_puts(w->out, "shared ");
        if (!first_launch_shared(w->arena, &w->launch, t, w->out))
            buf_puts(w->out, "16384");
        buf_puts(w->out, "    # decide: bytes of dynamic shared memory\n");
    }
    if (w->facts.cooperative || (w->guess->launch && w->guess->launch->cooperative))
        buf_puts(w->out, "cooperative\n");
    buf_putc(w->out, '\n');
}

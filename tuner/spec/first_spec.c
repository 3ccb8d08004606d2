#include "tuner/spec/first_spec.h"

#include "metrics/base/file.h"
#include "metrics/ptx/ptx.h"
#include "tuner/spec/first_launch.h"
#include "tuner/spec/first_names.h"
#include "tuner/spec/first_struct.h"
#include "tuner/spec/kernel_facts.h"
#include "tuner/spec/kernel_types.h"

#include <ctype.h>
#include <stdlib.h>

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct Writer {
    Arena *arena;
    const FirstGuess *guess;
    const KernelSource *kernel;
    KernelFacts facts;
    FirstLaunch launch;
    const char *threads[DIRECTIONS]; /* what says how many there are; NULL: nothing yet */
    long value[DIRECTIONS];          /* of such a name */
    long alike; /* the value of a name that may say it in all directions; 0: none may */
    const char *tiles[DIRECTIONS];  /* elements of a thread; NULL: one */
    VEC(const char *) names;        /* declared so far */
    VEC(const char *) named;        /* those of them that are macros or of the template */
    VEC(const char *) sizes;        /* of the problem */
    VEC(const char *) partial;      /* outputs whose number of elements depends on the block's */
    bool square;                    /* one size in two directions */
    const char *bounds[DIRECTIONS]; /* sizes that the grid's indices are compared with, or NULL */
    size_t extents;                 /* how many sizes those are; 0: others matter as much */
    VEC(const char *) fixed;        /* values that the source defines, of the first of the sizes */
    double values[SIZES_MOST];      /* as launched; 0: not known */
    Buf *out;
} Writer;

/* A name that nothing else has, neither the spec nor the source. */
static const char *fresh(Writer *w, const char *wanted, bool macro)
{
    const char *name = wanted;
    for (int n = 2; word_place(name, w->names.at, w->names.count) < SIZE_MAX ||
                    (macro && code_has_word(w->kernel->text, name));
         n++)
        name = arena_printf(w->arena, "%s_%d", wanted, n);
    VEC_PUSH(w->arena, &w->names, name);
    return name;
}

static const char *upper(Arena *a, const char *name)
{
    char *text = arena_copy(a, name, strlen(name));
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return text;
}

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10;
}

/* A value and the powers of two around it.  It comes first: what the author launches, or what is
 * known to compile, is the first configuration, with which the others are compared. */
static void print_powers(Writer *w, long n, long low, long high)
{
    buf_printf(w->out, "%ld", n);
    for (long v = low; v <= high; v *= 2)
        if (v != n)
            buf_printf(w->out, ", %ld", v);
}

static void print_values(Writer *w, const char *name, const char *value, const char *cases)
{
    Meaning meaning = first_meaning(name);
    long n = is_number(value) ? strtol(value, NULL, 10) : -1;
    int direction = first_direction(name);
    bool flat = first_is_flat(w->guess) && direction <= 0;
    if (cases)
        buf_puts(w->out, cases);
    else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        buf_puts(w->out, "true, false");
    else if (meaning == MEANS_THREADS && direction > 0 && !w->facts.thread[direction])
        buf_puts(w->out, value);
    else if (n < 0)
        buf_printf(w->out, strspn(value, "0123456789.") == strlen(value) ? "%s" : "\"%s\"", value);
    else if (meaning == MEANS_SWITCH && n <= 1)
        buf_puts(w->out, "0, 1");
    else if (meaning == MEANS_FILTER)
        buf_printf(w->out, "%ld", n);
    else if (meaning == MEANS_THREADS && flat && n >= 32 && (n & (n - 1)) == 0)
        print_powers(w, n, 64, n > 512 ? n : 512);
    else if (n > 0 && (n & (n - 1)) == 0)
        print_powers(w, n, n > 1 ? n / 2 : 1, n > 1 ? 2 * n : 8);
    else if (meaning == MEANS_THREADS && flat && n % 32 == 0 && n <= 1024)
        print_powers(w, n, n % 64 == 0 ? n / 2 : n, n <= 512 ? 2 * n : n);
    else
        buf_printf(w->out, "%ld", n);
}

/* A name with a value becomes a parameter, or a size that the compiler gets as a macro. */
static void print_name(Writer *w, const char *name, const char *value, const char *cases,
                       bool macro, const char *why)
{
    Meaning meaning = first_meaning(name);
    if (word_place(name, w->named.at, w->named.count) < SIZE_MAX)
        return; /* defined more than once, under an #if */
    VEC_PUSH(w->arena, &w->named, name);
    VEC_PUSH(w->arena, &w->names, name);
    if (macro && !cases && is_number(value) && meaning == MEANS_SIZE &&
        w->sizes.count < SIZES_MOST) {
        VEC_PUSH(w->arena, &w->sizes, name);
        return;
    }
    VEC_PUSH(w->arena, &w->launch.parameters, name);
    buf_printf(w->out, "param %s in ", name);
    print_values(w, name, value, cases);
    buf_printf(w->out, "    # decide%s\n", why);
    int direction = first_direction(name);
    if (meaning == MEANS_THREADS && !w->threads[direction > 0 ? direction : 0]) {
        w->threads[direction > 0 ? direction : 0] = name;
        w->value[direction > 0 ? direction : 0] = strtol(value, NULL, 10);
        w->alike = direction < 0 ? strtol(value, NULL, 10) : w->alike;
    }
    if (meaning == MEANS_TILE && direction >= 0)
        w->tiles[direction] = name;
}

/* Is a number that the source defines what a block has along a direction, or called so, and does
 * device code use it?  Such a #define yields to a parameter. */
static bool is_tunable(const Writer *w, const KernelMacro *m)
{
    const LaunchSite *site = w->guess->launch;
    const HostNames none = {0};
    const HostValue *block[DIRECTIONS];
    Meaning meaning = first_meaning(m->name);
    double n, number = strtod(m->value, NULL);
    bool any = (meaning == MEANS_THREADS || meaning == MEANS_TILE) && number >= 2;
    bool known = !any && number > 2 && site && first_launch_block(site, &none, block);
    for (int i = 0; i < DIRECTIONS && known; i++)
        any = any || (host_number(block[i], &n) && n == number);
    return any && !strcasestr(m->name, "warp") && first_launch_in_device(w->kernel, m->name, 1);
}

/* The number that a header or a file beside the kernel's defines for a name; NULL: none does. */
static const char *defined_elsewhere(const Writer *w, const char *name)
{
    const char *value = NULL;
    for (const HostText *h = w->guess->texts; h && !value; h = h->next)
        value = kernel_source_defined(w->arena, h->text, name);
    return value && is_number(value) ? value : NULL;
}

/* Does one file give the name one number or another, as its own #if lines see fit? */
static bool is_settled(const Writer *w, const char *name)
{
    bool others = false;
    for (const HostText *h = w->guess->texts; h; h = h->next) {
        const char *value = kernel_source_defined(w->arena, h->text, name);
        for (const char *line = value ? h->text : ""; *line; line = code_next_line(line)) {
            const char *at = code_behind(line, "define");
            const char *given = at && code_same(code_word(at), name)
                                    ? kernel_source_defined(w->arena, line, name)
                                    : NULL;
            others = others || (given && strcmp(given, value) != 0);
        }
    }
    return others;
}

static void print_parameters(Writer *w)
{
    Arena *a = w->arena;
    KernelMacros macros = kernel_source_macros(a, w->kernel->text);
    VEC_EACH (const TemplateParameter, t, w->kernel->arguments)
        print_name(w, t->name, first_argument(t, w->guess), NULL, false, ": of the template");
    VEC_EACH (const KernelMacro, m, w->guess->undefined)
        print_name(w, m->name, m->value, m->cases, true, ": the source leaves it undefined");
    VEC_EACH (const KernelMacro, m, macros) {
        if (NAME_FIND(w->guess->undefined.at, w->guess->undefined.count, name, m->name))
            continue;
        if (m->condition && is_settled(w, m->name))
            continue;
        const char *elsewhere = m->condition ? defined_elsewhere(w, m->name) : NULL;
        if (elsewhere) {
            const long n = strtol(elsewhere, NULL, 10);
            const char *around = arena_printf(a, "%ld, %ld, %ld", n, n / 2, 2 * n);
            print_name(w, m->name, elsewhere, n > 1 && (n & (n - 1)) == 0 ? around : elsewhere,
                       false, ": its #define yields to this");
            continue;
        }
        const char *cases = m->cases && !code_has_word(m->cases, "0")
                                ? arena_printf(a, "0, %s", m->cases)
                                : m->cases;
        print_name(w, m->name, m->condition ? "0" : m->value, cases, false,
                   m->condition ? ": only #if lines use it" : "");
    }
    KernelMacros numbers = kernel_source_numbers(a, w->kernel->text);
    for (size_t i = 0; i < numbers.count; i++)
        if (is_tunable(w, &numbers.at[i]))
            print_name(w, numbers.at[i].name, numbers.at[i].value, NULL, false,
                       ": its #define yields to this");
}

/* Threads that a plain #define sets: they are what they are. */
static const char *fixed_threads(const Writer *w, int direction)
{
    static const char *const names[DIRECTIONS][6] = {
        {"BLOCK_SIZE", "BLOCK_DIM", "BLOCKSIZE", "THREADS_PER_BLOCK", "BLOCK_SIZE_X", "TILE_DIM"},
        {"BLOCK_SIZE_Y", "BLOCK_SIZE", "BLOCK_DIM", "BLOCK_ROWS", "BLOCKSIZE", "TILE_DIM"},
        {"BLOCK_SIZE_Z", "BLOCK_DIM_Z"}};
    for (int i = 0; i < 6 && names[direction][i]; i++) {
        const char *value = kernel_source_defined(w->arena, w->kernel->text, names[direction][i]);
        if (value && is_number(value))
            return value;
    }
    return NULL;
}

/* Values around what the author launches with. */
static void print_threads(Writer *w, const char *name, long n)
{
    buf_printf(w->out, "param %s in ", name);
    const long low = n >= 64 ? 64 : n > 1 ? n / 2 : 1, high = n < 64 ? 2 * n : n > 512 ? n : 512;
    print_powers(w, n, low, high < 1024 ? high : 1024);
    buf_printf(w->out, "    # decide; %ld %s\n", n, first_launch_where(w->arena, &w->launch));
}

/* The block as its author launches it: by parameters, or by numbers that may be others where the
 * kernel asks for its block's size. */
static void take_block(Writer *w)
{
    static const char *const names[DIRECTIONS] = {"BLOCK", "BLOCK_Y", "BLOCK_Z"};
    for (int i = 0; i < DIRECTIONS && w->launch.known; i++) {
        const long n = (long)w->launch.threads[i];
        Buf text = {0};
        if (n == 0) {
            host_print(w->launch.block[i], false, &text);
            w->threads[i] = buf_keep(&text, w->arena);
        } else if (w->threads[i] && w->value[i] == n) {
            continue;
        } else if (n > 1 && w->facts.block_size && (w->facts.thread[i] || i == 0) &&
                   !first_launch_is_fixed(w->arena, &w->launch, (double)n)) {
            w->threads[i] = fresh(w, names[i], true);
            print_threads(w, w->threads[i], n);
        } else {
            w->threads[i] = arena_printf(w->arena, "%ld", n);
        }
    }
}

/* The block: by macros, by what the source fixes, else as parameters of their own. */
static void settle_threads(Writer *w)
{
    bool flat = !w->facts.thread[1] && !w->facts.thread[2];
    for (int i = 0; i < DIRECTIONS; i++) {
        bool used = w->facts.thread[i] || i == 0;
        if (w->threads[i])
            continue;
        const char *fixed = used && !w->facts.block_size ? fixed_threads(w, i) : NULL;
        if (!used) {
            w->threads[i] = "1";
        } else if (fixed) {
            w->threads[i] = fixed;
        } else if (i > 0 && w->alike > 0 && w->alike * w->alike <= 1024) {
            w->threads[i] = w->threads[0]; /* a square by one macro */
        } else {
            w->threads[i] = fresh(w, i == 0 ? "BLOCK" : i == 1 ? "BLOCK_Y" : "BLOCK_Z", true);
            buf_printf(w->out, "param %s in %s    # decide\n", w->threads[i],
                       flat     ? "64, 128, 256, 512"
                       : i == 0 ? "16, 32, 64"
                       : i == 1 ? "4, 8, 16"
                                : "1, 2");
        }
    }
}

static bool is_variable(const char *threads)
{
    return !is_number(threads);
}

/* Any kernel can be compiled for fewer registers. */
static void print_registers(Writer *w)
{
    const char *name = fresh(w, "REGISTERS", true);
    buf_printf(w->out,
               "# decide: what can be tuned?  Macros under #ifndef in the source become "
               "parameters.\nparam %s in 0, 32, 64, 128    # 0: as many as the compiler likes\n"
               "option \"-maxrregcount={%s}\" if %s > 0\n",
               name, name, name);
}

/* Arguments of the template that the author gives by the name of a parameter. */
static void print_equal(Writer *w)
{
    VEC_EACH (const TemplateParameter, t, w->kernel->arguments)
        if (t->written && strcmp(t->written, t->name) != 0 &&
            word_place(t->written, w->launch.parameters.at, w->launch.parameters.count) < SIZE_MAX)
            buf_printf(w->out, "require %s == %s    # %s\n", t->name, t->written,
                       first_launch_where(w->arena, &w->launch));
}

static void print_limits(Writer *w)
{
    const char *const *t = w->threads;
    if (!is_variable(t[0]) && !is_variable(t[1]) && !is_variable(t[2]))
        return;
    buf_printf(w->out, "require %s", t[0]);
    for (int i = 1; i < DIRECTIONS; i++)
        if (strcmp(t[i], "1") != 0)
            buf_printf(w->out, " * %s", t[i]);
    buf_printf(w->out, " <= %lld%s\n",
               w->facts.most_threads ? (long long)w->facts.most_threads : 1024LL,
               w->facts.most_threads ? "    # of __launch_bounds__" : "");
}

static bool is_size(const KernelParameter *p)
{
    const Meaning m = first_meaning(p->name);
    const bool number = strncasecmp(p->name, "num", 3) == 0 ||
                        (*p->name == 'n' && isupper((unsigned char)p->name[1])); /* "numElems" */
    return first_is_integer(p) && (m == MEANS_SIZE || (m == MEANS_TILE && number));
}

/* A size before argument i that is launched with the same name; i: there is none. */
static size_t same_argument(const Writer *w, const char *const *of, size_t i)
{
    const LaunchSite *s = w->launch.site;
    size_t k = 0;
    while (k < i && !(s && of[k] && i < s->argument_count && !is_number(s->arguments[i]) &&
                      strcmp(s->arguments[k], s->arguments[i]) == 0))
        k++;
    return k;
}

/* Blocks in several directions that the kernel numbers through: gridDim is used, and threads have one
 * direction. */
static bool is_numbered(const Writer *w)
{
    return w->facts.grid_size && !w->facts.thread[1] && !w->facts.thread[2];
}

/* Where no size has a name, the largest buffer's elements are one. */
static void take_whole(Writer *w)
{
    const double n = first_launch_whole(&w->launch);
    if (n < 64)
        return;
    w->launch.whole = w->values[0] = n;
    w->launch.whole_name = fresh(w, "N", false);
    VEC_PUSH(w->arena, &w->sizes, w->launch.whole_name);
}

/* The direction whose indices an argument bounds; DIRECTIONS: it bounds none. */
static int bounded_direction(const Writer *w, size_t i)
{
    int d = 0;
    while (d < DIRECTIONS && !(w->facts.bound[d] == (int)i + 1 && w->facts.block[d]))
        d++;
    if (d == DIRECTIONS && is_numbered(w) && w->facts.bound[DIRECTIONS] == (int)i + 1)
        return 0;
    return first_is_integer(&w->kernel->parameters.at[i]) ? d : DIRECTIONS;
}

/* Sizes that bound the grid's indices: they tell it where the author's is not known, and of many
 * sizes they are those that make the elements. */
static void find_bounds(Writer *w, const char *const *of)
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

static bool is_extent(const Writer *w, const char *size)
{
    bool any = w->extents == 0;
    for (int d = 0; d < DIRECTIONS; d++)
        any = any || w->bounds[d] == size;
    return any;
}

/* Sizes by macros are there already; those by arguments follow. */
static const char **find_sizes(Writer *w, size_t *macros)
{
    Arena *a = w->arena;
    const char **of = ARENA_ARRAY(a, const char *, w->kernel->parameters.count);
    *macros = w->sizes.count;
    SCOPED_BUF grid = {0};
    const bool guessed = !first_launch_grid(a, &w->launch, w->threads, &grid);
    bool *used = ARENA_ARRAY(a, bool, w->kernel->parameters.count + 1);
    size_t left = 0; /* of those that the launch takes, for which there has to be room */
    for (size_t i = 0; i < w->kernel->parameters.count; i++) {
        used[i] = (guessed && bounded_direction(w, i) < DIRECTIONS) ||
                  (w->launch.used && w->launch.used[i]);
        left += used[i];
    }
    for (size_t i = 0; i < w->kernel->parameters.count; i++) {
        const KernelParameter *p = &w->kernel->parameters.at[i];
        left -= used[i];
        const size_t same = first_is_integer(p) ? same_argument(w, of, i) : i;
        if (same < i)
            of[i] = of[same];
        if (same < i || (!is_size(p) && !used[i]) || w->sizes.count + left >= SIZES_MOST)
            continue;
        first_launch_number(&w->launch, i, &w->values[w->sizes.count]);
        of[i] = upper(a, p->name); /* an argument and a size may have the same name */
        if (strcmp(of[i], p->name) != 0)
            of[i] = fresh(w, of[i], false);
        VEC_PUSH(a, &w->sizes, of[i]);
    }
    find_bounds(w, of);
    KernelMacros numbers = kernel_source_numbers(a, w->kernel->text);
    bool own = w->sizes.count == 0;
    for (size_t i = 0; i < numbers.count && own && w->sizes.count < SIZES_MOST; i++) {
        const KernelMacro *m = &numbers.at[i];
        if (first_meaning(m->name) != MEANS_SIZE || strtol(m->value, NULL, 10) < 64 ||
            !code_has_word(w->kernel->text, m->name))
            continue;
        VEC_PUSH(a, &w->sizes, m->name);
        VEC_PUSH(a, &w->fixed, m->value);
    }
    if (w->sizes.count == 0)
        take_whole(w);
    bool plane = w->facts.block[1] && w->sizes.count == 0;
    if (w->sizes.count == 0)
        VEC_PUSH(a, &w->sizes, fresh(w, plane ? "WIDTH" : "N", false));
    if (plane)
        VEC_PUSH(a, &w->sizes, fresh(w, "HEIGHT", false));
    w->square = w->facts.block[1] && !is_numbered(w) && w->sizes.count == 1 && !w->launch.whole;
    return of;
}

/* The values that the author launches with, where all are known and make no more elements than
 * memory holds. */
static bool has_values(const Writer *w)
{
    double all = 1;
    for (size_t i = 0; i < w->sizes.count; i++)
        all *= w->values[i];
    return all >= 1 && all <= 1 << 26;
}

/* All sizes together make some millions of elements, so that a buffer of that many holds any. */
static void print_problem(Writer *w, size_t macros)
{
    static const long each[SIZES_MOST + 1] = {0, 1048576, 1024, 256, 64, 16, 16, 8, 8};
    const bool known = has_values(w);
    buf_puts(w->out, "problem ");
    for (size_t i = 0; i < w->sizes.count; i++)
        if (known)
            buf_printf(w->out, "%s%s = %.15g", i ? ", " : "", w->sizes.at[i], w->values[i]);
        else if (i < w->fixed.count)
            buf_printf(w->out, "%s%s = %s", i ? ", " : "", w->sizes.at[i], w->fixed.at[i]);
        else
            buf_printf(w->out, "%s%s = %ld", i ? ", " : "", w->sizes.at[i],
                       (i < macros && w->guess->small) || !is_extent(w, w->sizes.at[i])
                           ? 16
                           : each[w->extents ? w->extents : w->sizes.count + w->square]);
    buf_printf(w->out, "    # %s\n",
               known            ? first_launch_where(w->arena, &w->launch)
               : w->fixed.count ? "as the source defines them"
                                : "decide: the sizes to tune for");
    for (size_t i = 0; i < macros; i++)
        buf_printf(w->out, "option \"-D%s={%s}\"    # the source leaves it undefined\n",
                   w->sizes.at[i], w->sizes.at[i]);
    buf_putc(w->out, '\n');
}

static void print_product(const Writer *w, Buf *out)
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

/* What a block makes along a direction. */
static void print_share(const Writer *w, int i)
{
    buf_printf(w->out, ", %s%s%s)", w->threads[i], w->tiles[i] ? " * " : "",
               w->tiles[i] ? w->tiles[i] : "");
}

/* The size along a direction: where two are called so, x goes along the width. */
static const char *size_along(const Writer *w, int i)
{
    static const char *const across[] = {"width", "cols", "columns"};
    static const char *const down[] = {"height", "rows"};
    size_t n = w->sizes.count;
    bool turned =
        n >= 2 && ((SOUNDS_LIKE(w->sizes.at[1], across) && !SOUNDS_LIKE(w->sizes.at[0], across)) ||
                   SOUNDS_LIKE(w->sizes.at[0], down) ||
                   (strcmp(w->sizes.at[0], "H") == 0 && strcmp(w->sizes.at[1], "W") == 0));
    size_t k = (size_t)(turned && i < 2 ? 1 - i : i);
    k = w->square && k == 1 ? 0 : k;
    return k < n ? w->sizes.at[k] : NULL;
}

/* The size along a direction that nothing bounds: of those that bound others, none. */
static const char *size_of_direction(const Writer *w, int i)
{
    bool any = false;
    int before = 0; /* directions that want one, too */
    for (int d = 0; d < DIRECTIONS; d++) {
        any = any || w->bounds[d];
        before += d < i && w->facts.block[d] && !w->bounds[d];
    }
    if (!any)
        return size_along(w, i);
    for (size_t k = 0; k < w->sizes.count && w->facts.block[i]; k++) {
        bool bounds = false;
        for (int d = 0; d < DIRECTIONS; d++)
            bounds = bounds || w->sizes.at[k] == w->bounds[d];
        if (!bounds && before-- == 0)
            return w->sizes.at[k];
    }
    return NULL;
}

/* What an index along a direction is compared with. */
static void print_bound(Writer *w, int i)
{
    const int k = w->facts.bound[i] ? i : DIRECTIONS;
    const int threads = w->facts.bound_threads[k];
    buf_printf(w->out, "%s%s", threads ? "ceil_div(" : "", w->bounds[i]);
    if (threads)
        print_share(w, threads & 1 ? 0 : threads & 2 ? 1 : 2);
}

/* The grid by the numbers of threads and blocks that the code uses. */
static void print_guessed_grid(Writer *w)
{
    const bool line = (!w->facts.block[1] && !w->facts.block[2]) ||
                      (is_numbered(w) && (w->sizes.count == 1 || w->facts.bound[DIRECTIONS]));
    if (line && w->bounds[0]) {
        print_bound(w, 0);
    } else if (line) {
        buf_puts(w->out, "ceil_div(");
        print_product(w, w->out);
        print_share(w, 0);
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
        bool shared = size != NULL; /* by threads that no other direction counts */
        for (int d = 0; d < DIRECTIONS; d++)
            shared = shared && !(w->bounds[d] && w->facts.bound_threads[d] >> i & 1 &&
                                 !(w->facts.bound_threads[d] >> d & 1));
        buf_printf(w->out, "%s%s", shared ? "ceil_div(" : "", size ? size : "1");
        if (shared)
            print_share(w, i);
    }
    buf_puts(w->out, "    # decide: how many elements does a block make?\n");
}

static void print_launch(Writer *w)
{
    const char *const *t = w->threads;
    int most = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        most = strcmp(t[i], "1") != 0 || w->facts.thread[i] ? i : most;
    buf_printf(w->out, "\nblock %s", t[0]);
    for (int i = 1; i <= most; i++)
        buf_printf(w->out, ", %s", t[i]);
    buf_puts(w->out, "\ngrid ");
    if (first_launch_grid(w->arena, &w->launch, t, w->out))
        buf_printf(w->out, "    # %s\n", first_launch_where(w->arena, &w->launch));
    else
        print_guessed_grid(w);
    if (w->facts.dynamic_shared) {
        buf_puts(w->out, "shared ");
        if (!first_launch_shared(w->arena, &w->launch, t, w->out))
            buf_puts(w->out, "16384");
        buf_puts(w->out, "    # decide: bytes of dynamic shared memory\n");
    }
    buf_putc(w->out, '\n');
}

static void print_buffer(Writer *w, const KernelParameter *p, size_t i)
{
    bool follow = i < KERNEL_FACTS_PARAMETERS;
    bool loads = follow && (w->facts.loaded >> i & 1),
         stores = follow && (w->facts.stored >> i & 1);
    bool real = p->known && task_scalar_is_float(p->type.scalar);
    bool unused = !loads && !stores && follow && !w->facts.calls;
    const char *role = stores && loads                  ? "inout"
                       : stores                         ? "out"
                       : loads || p->constant || unused ? "in"
                                                        : "inout";
    buf_printf(w->out, "%s %s : ", role, p->name);
    if (p->known)
        task_type_print(p->type, w->out);
    else
        buf_puts(w->out, "uint8");
    buf_puts(w->out, "[");
    const size_t element =
        p->known ? task_scalar_size(p->type.scalar) * (size_t)p->type.lanes : p->size;
    if (!p->known)
        buf_printf(w->out, "%zu * ", p->size ? p->size : 64);
    SCOPED_BUF count = {0};
    if (element == 0 ||
        !first_launch_buffer(w->arena, &w->launch, i, element, w->threads, p->known, &count))
        print_product(w, &count);
    if (stores && is_variable(w->threads[0]) && code_has_word(buf_text(&count), w->threads[0]))
        VEC_PUSH(w->arena, &w->partial, p->name);
    buf_printf(w->out, "%s]", buf_text(&count));
    if (strcmp(role, "out") != 0)
        buf_puts(w->out, real ? " = uniform(-1, 1)" : p->known ? " = uniform(0, 9)" : " = zero");
    buf_printf(w->out, "    # decide: size%s", strcmp(role, "out") == 0 ? "" : " and contents");
    if (!p->known)
        buf_printf(w->out, "; bytes of '%s'", p->text);
    buf_puts(w->out, unused ? "; the kernel does not use it\n" : "\n");
}

static void print_scalar(Writer *w, const KernelParameter *p, const PtxVariable *v, size_t i,
                         const char *size)
{
    bool real = p->known && task_scalar_is_float(p->type.scalar);
    double number;
    const bool launched = !size && p->known && first_launch_number(&w->launch, i, &number);
    buf_printf(w->out, "arg %s : ", p->name);
    if (p->known)
        task_type_print(p->type, w->out);
    else
        buf_puts(w->out, v->size == 8   ? "int64"
                         : v->size == 1 ? "uint8"
                         : v->size == 2 ? "uint16"
                                        : "int");
    if (launched)
        buf_printf(w->out, " = %.9g    # decide; %s", number,
                   first_launch_where(w->arena, &w->launch));
    else
        buf_printf(w->out, " = %s%s", size ? size : real ? "0.5" : "1", size ? "" : "    # decide");
    if (!p->known)
        buf_printf(w->out, "; '%s' in the source", p->text);
    buf_putc(w->out, '\n');
}

/* "tex2D<float>(" before a texture's name: the function; *type becomes "float", NULL: not said. */
static const char *fetched_by(Writer *w, const char *name, const char **type)
{
    const char *text = w->kernel->text;
    for (const char *at = text; (at = code_find_word(at, name, text)) != NULL; at++) {
        const char *open = at;
        while (open > text && isspace((unsigned char)open[-1]))
            open--;
        while (open > text && open[-1] != ';' && open[-1] != '{' && strncmp(open, "tex", 3) != 0)
            open--;
        const Word function = code_word(open);
        const char *behind = open + function.length;
        const char *close = *behind == '<' ? code_closing(behind, at) : NULL;
        if (function.length < 5 || strncmp(open, "tex", 3) != 0)
            continue;
        *type = close ? arena_copy(w->arena, behind + 1, (size_t)(close - behind - 1)) : NULL;
        return code_copy(w->arena, function);
    }
    return NULL;
}

static bool host_says(const Writer *w, const char *word)
{
    const HostText *h = w->launch.site ? w->launch.site->place.file->first : NULL;
    while (h && !code_has_word(h->text, word))
        h = h->next;
    return h != NULL;
}

/* As the kernel reads it and the author makes it. */
static void print_texture(Writer *w, const KernelParameter *p)
{
    const char *name = NULL, *function = fetched_by(w, p->name, &name);
    TaskType type = {TASK_FLOAT, 1};
    if (name)
        task_type_find(name, &type);
    const bool fetch = function ? strstr(function, "Dfetch") != NULL : !w->facts.block[1];
    const int dimensions = fetch ? 1 : function ? function[3] - '0' : 2;
    buf_printf(w->out, "texture %s : ", p->name);
    task_type_print(type, w->out);
    buf_puts(w->out, "[");
    if (dimensions == 1)
        print_product(w, w->out);
    for (int i = 0; i < dimensions && dimensions > 1 && dimensions <= DIRECTIONS; i++) {
        const char *size = size_along(w, i);
        buf_printf(w->out, "%s%s", i ? ", " : "", size ? size : w->sizes.at[0]);
    }
    buf_printf(w->out, "]%s%s%s = uniform(0, 1)    # decide: size, modes and contents\n",
               fetch ? " fetch" : "",
               !fetch && host_says(w, "cudaFilterModeLinear") && task_scalar_is_float(type.scalar)
                   ? " linear"
                   : "",
               !fetch && host_says(w, "normalizedCoords") && !host_says(w, "cudaAddressModeClamp")
                   ? " normalized"
                   : "");
}

static bool print_arguments(Writer *w, const PtxFunction *entry, const char *const *sizes, Diag *d)
{
    const KernelSource *k = w->kernel;
    if (entry->params.count != k->parameters.count)
        return diag_fail(d, "'%s' takes %zu parameters and its declaration reads as %zu", k->name,
                         entry->params.count, k->parameters.count);
    const char **items = ARENA_ARRAY(w->arena, const char *, k->parameters.count + 1);
    bool several = false; /* parameters that a line alone does not give */
    for (size_t i = 0; i < entry->params.count; i++) {
        const PtxVariable *v = entry->params.at[i];
        KernelParameter p = k->parameters.at[i];
        items[i] = p.name;
        p.pointer = p.pointer || v->is_pointer;
        /* A type of the template is what it was compiled for. */
        for (size_t t = 0; !p.known && t < k->arguments.count; t++)
            if (strcmp(k->arguments.at[t].name, p.text) == 0)
                p.known = task_type_find(first_argument(&k->arguments.at[t], w->guess), &p.type);
        if (!p.pointer && !p.known && *v->dimensions) {
            SCOPED_BUF elements = {0};
            print_product(w, &elements);
            const bool ok = first_struct(w->arena, entry, &p, v, buf_text(&elements),
                                         w->kernel->name, w->out, &items[i], d);
            if (!ok)
                return false;
            several = several || items[i] != p.name;
            continue;
        }
        if (strcmp(p.text, "cudaSurfaceObject_t") == 0)
            return diag_fail(d,
                             "parameter '%s' of '%s' is a surface, which a spec has not; give the "
                             "kernel a pointer to what it writes",
                             p.name, k->name);
        if (strcmp(p.text, "cudaTextureObject_t") == 0)
            print_texture(w, &p);
        else if (p.pointer)
            print_buffer(w, &p, i);
        else
            print_scalar(w, &p, v, i, sizes[i]);
    }
    for (size_t i = 0; several && i < entry->params.count; i++)
        buf_printf(w->out, "%s%s", i ? ", " : "args ", items[i]);
    buf_puts(w->out, several ? "    # decide: the members' values\n" : "");
    return true;
}

/* The type in "static __constant__ float3 name[4]"; false: no file declares it so, or it is none of
 * ours. */
static bool constant_type(const Writer *w, const char *name, TaskType *out)
{
    Arena *a = w->arena;
    for (const HostText *h = w->guess->texts; h; h = h->next)
        for (const char *at = h->text; (at = host_find_word(h, at, name)) != NULL; at++) {
            const char *start = at;
            while (start > h->text && !strchr(";{}\n", start[-1]))
                start--;
            SCOPED_BUF type = {0};
            bool constant = false;
            for (const char *p = start; p < at; p++) {
                const Word word = code_word(p);
                const bool mark = code_same(word, "__constant__");
                constant = constant || mark;
                if (word.length && !mark && !code_same(word, "static") && !code_same(word, "const"))
                    buf_printf(&type, "%s%s", type.size ? " " : "", code_copy(a, word));
                p += word.length ? word.length - 1 : 0;
            }
            const bool known = constant && task_type_find(buf_text(&type), out);
            if (known)
                return true;
        }
    return false;
}

static void print_constants(Writer *w, const PtxModule *m)
{
    for (size_t i = 0; i < m->variables.count; i++) {
        const PtxVariable *v = m->variables.at[i];
        if (v->space != PTX_CONST || v->size == 0 || v->initial)
            continue;
        TaskType type = {v->type == PTX_F64                         ? TASK_DOUBLE
                         : v->type == PTX_U64                       ? TASK_U64
                         : v->size % 4                              ? TASK_U8
                         : v->type == PTX_F32 || v->type == PTX_B32 ? TASK_FLOAT
                                                                    : TASK_U32,
                         1};
        const bool known = constant_type(w, v->name, &type);
        /* What is not declared may be other things of the same bits. */
        const bool real = known ? task_scalar_is_float(type.scalar) : type.scalar == TASK_FLOAT;
        buf_printf(w->out, "constant %s : ", v->name);
        task_type_print(type, w->out);
        buf_printf(w->out, "[%llu] = %s    # decide: %scontents\n",
                   (unsigned long long)v->size /
                       (task_scalar_size(type.scalar) * (size_t)type.lanes),
                   real ? "uniform(0, 1)" : "zero", known ? "" : "type and ");
    }
}

/* "k<{T}, {N}>", and what it takes to compile it */
static void print_kernel(Writer *w, const char *file, const char *folder, bool mangled)
{
    const KernelSource *k = w->kernel;
    buf_printf(w->out, "# A first spec for '%s'.  Lines with 'decide' are guesses.\n", k->name);
    buf_printf(w->out, "kernel \"%s\" %s%s%s", file, mangled ? "\"" : "", k->scope, k->name);
    for (size_t i = 0; i < k->arguments.count; i++)
        buf_printf(w->out, "%s{%s}%s", i ? ", " : "<", k->arguments.at[i].name,
                   i + 1 == k->arguments.count ? ">" : "");
    buf_printf(w->out, "%s\n", mangled ? "\"" : "");
    for (size_t i = 0; i < w->guess->include_count; i++)
        buf_printf(w->out, "include \"%s\"%s\n",
                   path_relative(w->arena, folder, w->guess->includes[i]),
                   i < w->guess->include_given ? "" : "    # found: its headers are included");
    if (w->guess->made_of)
        buf_printf(
            w->out,
            "# decide: the project's build makes a header of '%s'; here none of its switches "
            "is on\n",
            w->guess->made_of);
    if (w->guess->standard)
        buf_printf(w->out, "option \"%s\"\n", w->guess->standard);
    if (w->guess->only)
        buf_printf(w->out,
                   "option \"--only-for=%s\"    # the rest of the file does not compile here\n",
                   w->guess->only);
    for (size_t i = 0; i < w->guess->options.count; i++)
        buf_printf(w->out, "option \"%s\"    # %s\n", w->guess->options.at[i].text,
                   w->guess->options.at[i].why);
    for (size_t i = 0; i < w->guess->without_count; i++)
        buf_printf(w->out,
                   "option \"--without-header=%s\"    # not there for the device, and not needed\n",
                   w->guess->without[i]);
}

/* Is one of these lines an output's?  A kernel may write to variables of its file alone. */
static bool has_output(const char *lines)
{
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, "out ", 4) == 0 || strncmp(at, "inout ", 6) == 0)
            return true;
    return false;
}

/* Something has to be compared, and something read. */
static void print_verdict(Writer *w, bool stores)
{
    buf_puts(w->out, stores
                         ? "\n# decide: what is right?  Another kernel, a file, a formula, or\n"
                           "reference first\ntolerance 1e-5    # decide: relative to the size of "
                           "the output\n"
                         : "\n# decide: what is the result, and what is right?\n");
    for (size_t i = 0; i < w->partial.count && stores; i++)
        buf_printf(w->out, "compare %s sum    # decide: are these partial results?\n",
                   w->partial.at[i]);
}

bool first_spec(Arena *a, const char *file, const char *folder, const FirstGuess *g,
                const char *ptx, size_t ptx_size, const char *entry_name, Buf *out, Diag *d)
{
    const PtxModule *m = ptx_parse(a, source_new(a, file, ptx, ptx_size), d);
    const PtxFunction *entry = ptx_find_entry(m, entry_name);
    if (!entry)
        return diag_fail(d, "'%s' is not among what was compiled of '%s'", g->kernel->name, file);
    SCOPED_BUF parameters = {0}, rest = {0};
    Writer w = {.arena = a, .guess = g, .kernel = g->kernel, .out = &parameters};
    kernel_types_take(m, g->kernel);
    w.facts = kernel_facts(a, m, entry);
    /* A group's ranks use all directions, whatever the kernel means. */
    if (strstr(g->kernel->text, "cooperative_groups") && first_is_flat(g))
        w.facts.thread[1] = w.facts.thread[2] = false;
    for (size_t i = 0; i < g->kernel->parameters.count; i++)
        VEC_PUSH(a, &w.names, g->kernel->parameters.at[i].name);
    w.launch.kernel = g->kernel;
    w.launch.site = g->launch;
    print_parameters(&w);
    first_launch_read(a, &w.launch);
    take_block(&w);
    settle_threads(&w);
    print_equal(&w);
    print_limits(&w);
    if (parameters.size == 0)
        print_registers(&w);
    size_t macros;
    const char **sizes = find_sizes(&w, &macros);
    w.launch.sizes = sizes;
    w.out = &rest;
    bool ok = print_arguments(&w, entry, sizes, d);
    w.out = out;
    print_kernel(&w, path_relative(a, folder, file), folder,
                 strcmp(entry->name, g->kernel->name) != 0);
    print_problem(&w, macros);
    buf_puts(out, buf_text(&parameters));
    print_launch(&w);
    buf_puts(out, buf_text(&rest));
    print_constants(&w, m);
    print_verdict(&w, w.facts.stored != 0 && has_output(buf_text(&rest)));
    return ok;
}

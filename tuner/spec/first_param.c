#include "tuner/spec/first_parts.h"

#include <stdlib.h>

const char *first_fresh(FirstWriter *w, const char *wanted, bool macro)
{
    const char *name = wanted;
    for (int n = 2; word_place(name, w->names.at, w->names.count) < SIZE_MAX ||
                    (macro && code_has_word(w->kernel->text, name));
         n++)
        name = arena_printf(w->arena, "%s_%d", wanted, n);
    VEC_PUSH(w->arena, &w->names, name);
    return name;
}

/* True for a number that fits an int. */
static bool is_number(const char *text)
{
    return code_is_number(text) && strlen(text) < 10;
}

/* Prints a value, then the powers of two around it. What the author launches, or is known to compile, comes
 * first: it is the first configuration, with which the others are compared. */
static void print_powers(FirstWriter *w, long n, long low, long high)
{
    buf_printf(w->out, "%ld", n);
    for (long v = low; v <= high; v *= 2)
        if (v != n)
            buf_printf(w->out, ", %ld", v);
}

static void print_values(FirstWriter *w, const char *name, const char *value, const char *cases)
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

/* Declares a name with a value as a parameter, or as a size that the compiler gets as a macro. */
static void print_name(FirstWriter *w, const char *name, const char *value, const char *cases,
                       bool macro, const char *why)
{
    Meaning meaning = first_meaning(name);
    if (word_place(name, w->named.at, w->named.count) < SIZE_MAX)
        return; /* defined several times, under #if */
    VEC_PUSH(w->arena, &w->named, name);
    VEC_PUSH(w->arena, &w->given, is_number(value) ? strtol(value, NULL, 10) : 0);
    VEC_PUSH(w->arena, &w->names, name);
    if (macro && !cases && is_number(value) && meaning == MEANS_SIZE && !w->guess->alike &&
        w->sizes.count < SIZES_MOST) {
        w->given.at[w->given.count - 1] = 0; /* no parameter */
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

/* True if the source defines a number that is, or by its name sounds like, a block dimension, and device
 * code uses it, or if it leaves the definition to Kernel Tuner. Such a definition yields to a parameter. */
static bool is_tunable(const FirstWriter *w, const KernelMacro *m, bool in_header)
{
    const LaunchSite *site = w->guess->launch;
    const HostNames none = {0};
    const HostValue *block[DIRECTIONS];
    Meaning meaning = first_meaning(m->name);
    if (m->left_out && meaning != MEANS_SIZE)
        return true;
    double n, number = strtod(m->value, NULL);
    bool any = (meaning == MEANS_THREADS || meaning == MEANS_TILE) && number >= 2;
    bool known =
        !any && number > 2 && site && host_dims(site->place, site->configuration[1], &none, block);
    for (int i = 0; i < DIRECTIONS && known; i++)
        any = any || (host_number(block[i], &n) && n == number);
    return any && !strcasestr(m->name, "warp") &&
           first_launch_in_device(w->kernel, m->name, m->constant && !in_header ? 2 : 1);
}

/* True if a file defines the name to different values, as its own #if lines decide. */
static bool is_settled(const FirstWriter *w, const char *name)
{
    for (const HostText *h = w->guess->texts; h; h = h->next) {
        const char *value = kernel_source_defined(w->arena, h->text, name);
        for (const char *line = value ? h->text : ""; *line; line = code_next_line(line)) {
            const char *given = code_same(code_defined(line), name)
                                    ? kernel_source_defined(w->arena, line, name)
                                    : NULL;
            if (given && strcmp(given, value) != 0)
                return true;
        }
    }
    return false;
}

static bool is_header(const char *path)
{
    return text_ends_with(path, ".h") || text_ends_with(path, ".cuh") ||
           text_ends_with(path, ".hpp");
}

/* Offers numbers that the source or (`in_header`) a file of its project defines. */
static void print_numbers(FirstWriter *w, const char *text, bool in_header)
{
    const KernelMacros numbers = kernel_source_numbers(w->arena, text);
    VEC_EACH (const KernelMacro, m, numbers) {
        if ((in_header && kernel_source_defined(w->arena, w->kernel->text, m->name)) ||
            !is_tunable(w, m, in_header))
            continue;
        print_name(w, m->name, m->value, NULL, false,
                   m->constant ? ": its constant yields to this" : ": its #define yields to this");
    }
}

static void print_parameters(FirstWriter *w)
{
    Arena *a = w->arena;
    KernelMacros macros = kernel_source_macros(a, w->kernel->text);
    VEC_EACH (const TemplateParameter, t, w->kernel->arguments)
        print_name(w, t->name, first_argument(t, w->guess), t->cases, false,
                   t->cases ? ": of the template, as launched" : ": of the template");
    VEC_EACH (const KernelMacro, m, w->guess->undefined)
        print_name(w, m->name, m->value, m->cases, true, ": the source leaves it undefined");
    VEC_EACH (const KernelMacro, m, macros) {
        if (NAME_FIND(w->guess->undefined.at, w->guess->undefined.count, name, m->name))
            continue;
        if (m->condition && is_settled(w, m->name))
            continue;
        const char *elsewhere = NULL; /* the number that a header or neighbouring file defines */
        for (const HostText *h = m->condition ? w->guess->texts : NULL; h && !elsewhere;
             h = h->next)
            elsewhere = kernel_source_defined(a, h->text, m->name);
        if (elsewhere && is_number(elsewhere)) {
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
    print_numbers(w, w->kernel->text, false);
    for (const HostText *h = w->guess->texts; h; h = h->next)
        if (is_header(h->path))
            print_numbers(w, h->text, true);
}

/* The block dimension that a plain #define fixes; NULL: none. */
static const char *fixed_threads(const FirstWriter *w, int direction)
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

/* The parameter whose value is the author's number of threads along a direction, and of no earlier one if there
 * are several; NULL: none. */
static const char *tied(const FirstWriter *w, int direction)
{
    const char *found = NULL;
    for (size_t k = 0; k < w->named.count; k++) {
        const char *name = w->named.at[k];
        if (w->given.at[k] == (long)w->launch.threads[direction] &&
            (!found || word_place(found, w->threads, (size_t)direction) < SIZE_MAX))
            found = name;
    }
    return found;
}

/* True if the kernel knows how many threads there are along a direction: by blockDim, or by an argument. */
static bool knows_threads(const FirstWriter *w, int direction)
{
    bool known = w->facts.block_size;
    for (size_t i = 0; i < w->kernel->parameters.count && !known; i++)
        known = w->launch.threads_of[i] == direction + 1;
    return known;
}

/* Takes the author's block: as parameters, or as numbers, which may vary where the kernel knows them. */
static void take_block(FirstWriter *w)
{
    static const char *const names[DIRECTIONS] = {"BLOCK", "BLOCK_Y", "BLOCK_Z"};
    for (int i = 0; i < DIRECTIONS && w->launch.known; i++) {
        const long n = (long)w->launch.threads[i];
        const char *ratio = i == 0 && n > 1 ? first_launch_ratio(w->arena, &w->launch) : NULL;
        Buf text = {0};
        if (ratio) {
            w->threads[i] = ratio;
        } else if (n == 0) {
            host_print(w->launch.block[i], false, &text);
            w->threads[i] = buf_keep(&text, w->arena);
        } else if (w->threads[i] && w->value[i] == n) {
            continue;
        } else if (n > 1 && tied(w, i)) {
            w->threads[i] = tied(w, i);
        } else if (n > 1 && knows_threads(w, i) && (w->facts.thread[i] || i == 0) &&
                   !first_launch_is_fixed(w->arena, &w->launch, (double)n)) {
            w->threads[i] = first_fresh(w, names[i], true);
            const long low = n >= 64 ? 64 : n > 1 ? n / 2 : 1;
            const long high = n < 64 ? 2 * n : n > 512 ? n : 512;
            buf_printf(w->out, "param %s in ", w->threads[i]);
            print_powers(w, n, low, high < 1024 ? high : 1024);
            buf_printf(w->out, "    # decide; %ld %s\n", n,
                       first_launch_where(w->arena, &w->launch));
        } else {
            w->threads[i] = arena_printf(w->arena, "%ld", n);
        }
    }
}

/* Makes a number of threads that callers choose a parameter, of which the launch's grid is then made. */
static void take_open_block(FirstWriter *w)
{
    FirstLaunch *l = &w->launch;
    l->open = w->threads[0] ? NULL : first_launch_open(l);
    if (!l->open)
        return;
    w->threads[0] = l->open_name = first_fresh(w, "BLOCK", true);
    buf_printf(w->out, "param %s in 64, 128, 256, 512    # decide; %s %s\n", l->open_name, l->open,
               first_launch_where(w->arena, l));
    first_launch_read(w->arena, l);
}

/* Settles the remaining block dimensions: by macros, by what the source fixes, else as parameters. */
static void settle_threads(FirstWriter *w)
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
        } else if (i > 0 && w->alike > 0 && w->alike <= 1024 / w->alike) {
            w->threads[i] = w->threads[0]; /* one macro for both sides of a square */
        } else {
            w->threads[i] = first_fresh(w, i == 0 ? "BLOCK" : i == 1 ? "BLOCK_Y" : "BLOCK_Z", true);
            buf_printf(w->out, "param %s in %s    # decide\n", w->threads[i],
                       flat     ? "64, 128, 256, 512"
                       : i == 0 ? "16, 32, 64"
                       : i == 1 ? "4, 8, 16"
                                : "1, 2");
        }
    }
}

/* True for what a spec takes as a condition: comparisons, joined. */
static bool is_condition(const HostValue *v)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    if (host_is(v, "and") || host_is(v, "or"))
        return is_condition(v->parts[0]) && is_condition(v->parts[1]);
    return v->sign && word_place(v->sign, comparisons, 6) < SIZE_MAX;
}

/* Prints a condition of the parameters, once. */
static void print_condition(FirstWriter *w, const HostValue *v)
{
    double number;
    SCOPED_BUF out = {0};
    if (!v || host_number(v, &number) || !is_condition(v) || !host_print(v, true, &out))
        return;
    const char *line =
        arena_printf(w->arena, "require %s    # asserted by the kernel\n", buf_text(&out));
    if (!strstr(buf_text(w->out), line))
        buf_puts(w->out, line);
}

/* Requires what the kernel asserts of its parameters when it is compiled, whatever they are: not in inner blocks
 * or under #if. */
static void print_asserted(FirstWriter *w)
{
    const char *close = NULL, *list[1], *own = w->kernel->own;
    const char *body = kernel_source_body(own, w->kernel->name, &close);
    const HostText *text = body ? host_text(w->arena, "", own, NULL) : NULL;
    const HostNames names = {&w->launch, first_launch_meaning, 0};
    int conditions = 0;
    for (const char *at = body ? body + 1 : NULL; at && at < close;) {
        const char *from = at;
        const Word word = code_next_word(own, &at);
        if (*from == '{' && code_closing(from, close))
            at = code_closing(from, close) + 1;
        if (*from == '#') {
            const Word directive = code_word(code_blanks(at));
            conditions += code_among(directive, "if ifdef ifndef") - code_same(directive, "endif");
        }
        const char *open = code_same(word, "static_assert") ? code_skip(at, close) : close;
        const char *end = *open == '(' ? code_closing(open, close) : NULL;
        if (end && conditions == 0 && code_list(w->arena, open + 1, end, list, 1) > 0)
            print_condition(w,
                            host_value((HostPlace){text, (size_t)(from - own)}, list[0], &names));
    }
}

static void print_limits(FirstWriter *w)
{
    const char *const *t = w->threads;
    if (code_is_number(t[0]) && code_is_number(t[1]) && code_is_number(t[2]))
        return;
    buf_printf(w->out, "require %s", t[0]);
    for (int i = 1; i < DIRECTIONS; i++)
        if (strcmp(t[i], "1") != 0)
            buf_printf(w->out, " * %s", t[i]);
    buf_printf(w->out, " <= %lld%s\n",
               w->facts.most_threads ? (long long)w->facts.most_threads : 1024LL,
               w->facts.most_threads ? "    # of __launch_bounds__" : "");
}

void first_write_parameters(FirstWriter *w)
{
    print_parameters(w);
    first_launch_read(w->arena, &w->launch);
    take_open_block(w);
    take_block(w);
    settle_threads(w);
    /* Template arguments equal the parameter by which the author passes them. */
    VEC_EACH (const TemplateParameter, t, w->kernel->arguments)
        if (t->written && strcmp(t->written, t->name) != 0 &&
            word_place(t->written, w->launch.parameters.at, w->launch.parameters.count) < SIZE_MAX)
            buf_printf(w->out, "require %s == %s    # %s\n", t->name, t->written,
                       first_launch_where(w->arena, &w->launch));
    print_asserted(w);
    print_limits(w);
    if (w->out->size > 0)
        return;
    /* Any kernel can be compiled for fewer registers. */
    const char *name = first_fresh(w, "REGISTERS", true);
    buf_printf(w->out,
               "# decide: what can be tuned?  Macros under #ifndef in the source become "
               "parameters.\nparam %s in 0, 32, 64, 128    # 0: as many as the compiler likes\n"
               "option \"-maxrregcount={%s}\" if %s > 0\n",
               name, name, name);
}

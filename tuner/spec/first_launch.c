#include "metrics/base/file.h"
#include "tuner/spec/first_parts.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

/* Strips casts: "a" of "(unsigned)a". */
static const char *behind_casts(const char *text)
{
    const char *end = text + strlen(text);
    for (const char *close;
         *text == '(' && (close = code_closing(text, end)) != NULL && *code_skip(close + 1, end);)
        text = code_skip(close + 1, end);
    return text;
}

/* Lists what an array of addresses holds, "void *list[] = {&a, (void *)&b};", without casts and "&": the last
 * such array of the function, or of the file. */
static size_t list_addresses(HostPlace p, const char *array, const char **out)
{
    size_t count = 0;
    const HostText *h = p.file;
    const char *end = h->text + h->size;
    for (const char *at = h->text; (at = host_find_word(h, at, array)) != NULL; at++) {
        const uint32_t region = h->regions[at - h->text];
        const char *open = code_skip(at + strlen(array), end);
        const char *close = *open == '[' ? code_closing(open, end) : NULL;
        const char *sign = close ? code_skip(close + 1, end) : "";
        open = *sign == '=' ? code_skip(sign + 1, end) : "";
        close = *open == '{' ? code_closing(open, end) : NULL;
        if (close && (region == 0 || region == h->regions[p.at]))
            count = code_list(h->arena, open + 1, close, out, CODE_LIST);
    }
    for (size_t i = 0; i < count; i++) {
        const char *address = behind_casts(out[i]);
        out[i] = *address == '&' ? address + 1 : address;
    }
    return count;
}

/* Reads "cudaLaunchKernel((void *)kernel<T>, grid, block, list, …)" around the kernel's name. */
static bool read_call_site(LaunchSite *s, const char *name)
{
    const HostText *h = s->place.file;
    const char *open = code_trim(h->text, name);
    while (open > h->text && strchr("&)", open[-1])) { /* "(void *)" and "&" before the name */
        if (*--open == ')')
            while (open > h->text && *open != '(')
                open--;
        open = code_trim(h->text, open);
    }
    const char *list[5], *end = h->text + h->size;
    const Word function = open > h->text && open[-1] == '('
                              ? code_word_before(h->text, code_trim(h->text, open - 1))
                              : (Word){"", 0};
    const char *close = code_among(function, "cudaLaunchKernel cudaLaunchCooperativeKernel")
                            ? code_closing(open - 1, end)
                            : NULL;
    const size_t count = close ? code_list(h->arena, open, close, list, 5) : 0;
    if (count < 4)
        return false;
    s->cooperative = code_same(function, "cudaLaunchCooperativeKernel");
    s->configuration_count = count > 4 ? 3 : 2;
    s->configuration[0] = list[1];
    s->configuration[1] = list[2];
    s->configuration[2] = count > 4 ? list[4] : NULL;
    s->argument_count = list_addresses(s->place, list[3], s->arguments);
    return true;
}

/* Reads a launch whose kernel's name ends at `next`; false: it is none. */
static bool read_site(const HostText *h, const char *at, const char *next, LaunchSite *out)
{
    const char *end = h->text + h->size;
    next = code_skip(next, end);
    *out = (LaunchSite){.place = {h, (size_t)(at - h->text)}};
    if (*next == '<' && strncmp(next, "<<<", 3) != 0) {
        const char *angle = code_closing(next, end);
        if (!angle)
            return false;
        out->template_count = code_list(h->arena, next + 1, angle, out->of_template, CODE_LIST);
        next = code_skip(angle + 1, end);
    }
    const char *close = strncmp(next, "<<<", 3) == 0 ? strstr(next, ">>>") : NULL;
    if (!close)
        return read_call_site(out, at);
    out->configuration_count = code_list(h->arena, next + 3, close, out->configuration, 4);
    next = code_skip(close + 3, end);
    close = *next == '(' ? code_closing(next, end) : NULL;
    if (close)
        out->argument_count = code_list(h->arena, next + 1, close, out->arguments, CODE_LIST);
    return close && out->configuration_count >= 2;
}

bool first_launch_find(const HostText *files, const char *kernel, LaunchSite *out)
{
    EACH_PLACE (h, at, files, kernel)
        if (read_site(h, at, at + strlen(kernel), out))
            return true;
    return false;
}

enum { CALLS_MOST = 6 }; /* nested functions, macros and types that pass an argument on */

/* True if a project declares the name as a class, an enum or a namespace. */
static bool is_declared(const HostText *files, const char *name)
{
    EACH_PLACE (h, at, files, name) {
        const char *end = code_trim(h->text, at);
        const char *behind = code_skip(at + strlen(name), h->text + h->size); /* not "<class T>" */
        if (end < at && *behind && strchr("{:;", *behind) &&
            code_among(code_word_before(h->text, end), "struct class enum namespace"))
            return true;
    }
    return false;
}

/* The type that "using name = type;" gives to a name at a place, and where; NULL: none. */
static const char *alias(HostPlace p, const char *name, HostPlace *where)
{
    const char *type = NULL;
    EACH_PLACE (h, at, p.file->first, name) {
        const char *sign = code_blanks(at + strlen(name)),
                   *given = code_blanks(sign + (*sign == '='));
        const size_t place = (size_t)(at - h->text);
        const bool here = h == p.file && h->regions[place] == h->regions[p.at];
        if (*sign == '=' && code_same(code_word_before(h->text, code_trim(h->text, at)), "using") &&
            (here || (!type && h->regions[place] == 0))) {
            type = arena_copy(h->arena, given, strcspn(given, ";"));
            *where = (HostPlace){h, place};
        }
    }
    return type;
}

static const char *template_value(HostPlace p, const char *word, int calls);

/* A type made of classes, with values for what its place names: "Hash<Key, N>" as "Hash<int, 4>".  NULL: some of
 * it is unknown. */
static const char *class_value(HostPlace p, const char *type, int calls)
{
    Arena *a = p.file->arena;
    Buf text = {0};
    bool known = code_word(type).length > 0;
    for (const char *at = type; *at && known;) {
        const Word w = code_word(at);
        const char *word = code_copy(a, w), *value = word;
        const bool member = at - type > 1 && at[-1] == ':' && at[-2] == ':';
        if (w.length && !member && !code_among(w, "std const unsigned") &&
            !is_declared(p.file->first, word))
            value = strcmp(word, type) == 0 ? NULL : template_value(p, word, calls + 1);
        known = value != NULL;
        buf_printf(&text, "%.*s%s", w.length == 0, at, known ? value : "");
        at += w.length ? w.length : 1;
    }
    return known ? buf_keep(&text, a) : NULL;
}

/* The value of a template argument at a place: a number, a type, or what callers of the enclosing function
 * or macro pass for it. NULL: unknown. */
static const char *template_value(HostPlace p, const char *word, int calls)
{
    Arena *a = p.file->arena;
    double number;
    HostPlace where;
    if (calls > CALLS_MOST)
        return NULL;
    if (host_number(host_value(p, word, NULL), &number))
        return arena_printf(a, "%.15g", number);
    HostCallers all = host_callers(p, word);
    for (const char *text; (text = host_next_caller(&all)) != NULL;) {
        const char *value = template_value(all.at, text, calls + 1);
        if (value)
            return value;
    }
    const char *plain = kernel_source_plain(
        a, p.file->text, strncmp(word, "std::", 5) == 0 ? word + strlen("std::") : word);
    if (plain)
        return plain;
    const char *type = alias(p, word, &where);
    return type ? template_value(where, type, calls + 1) : class_value(p, word, calls);
}

/* The numbers that launches pass for template argument i, "1, 0"; NULL: fewer than two, or not numbers. */
static const char *launched_cases(const LaunchSite *s, const char *kernel, size_t i)
{
    Arena *a = s->place.file->arena;
    LaunchSite x;
    SCOPED_BUF cases = {0};
    size_t count = 0;
    EACH_PLACE (h, at, s->place.file->first, kernel) {
        if (!read_site(h, at, at + strlen(kernel), &x) || i >= x.template_count)
            continue;
        const char *value = template_value(x.place, x.of_template[i], 0);
        if (!value || !code_is_number(value))
            return NULL;
        if (code_has_word(buf_text(&cases), value))
            continue;
        buf_printf(&cases, "%s%s", count++ ? ", " : "", value);
    }
    return count > 1 ? arena_string(a, buf_text(&cases)) : NULL;
}

void first_launch_template(const LaunchSite *s, KernelSource *k)
{
    for (size_t i = 0; i < k->arguments.count && i < s->template_count; i++) {
        const char *word = s->of_template[i], *value = template_value(s->place, word, 0);
        k->arguments.at[i].written = word;
        if (value)
            k->arguments.at[i].initial = value, k->arguments.at[i].launched = true;
        k->arguments.at[i].cases = launched_cases(s, k->name, i);
    }
}

/* Bytes of dynamic shared memory; NULL: none or unknown. */
static const HostValue *site_shared(const LaunchSite *s, const HostNames *names)
{
    return s->configuration_count > 2 ? host_value(s->place, s->configuration[2], names) : NULL;
}

/* --- allocations ------------------------------------------------------------------------------- */

/* The name in "(float *)d_a" or "d_a"; NULL: more than a name. */
static const char *name_of(Arena *a, const char *text)
{
    const Word w = code_word(behind_casts(text));
    return w.length && w.at[w.length] == '\0' ? code_copy(a, w) : NULL;
}

/* The size passed with "&name" to cudaMalloc or its like, within a function or (`region` 0) anywhere. */
static const char *allocation(const HostText *h, const char *name, uint32_t region,
                              HostPlace *where)
{
    for (const char *at = h->text; (at = strstr(at, "Malloc")) != NULL; at++) {
        const char *end = h->text + h->size, *open = at, *list[2];
        while (code_is_name(*open))
            open++;
        *where = (HostPlace){h, (size_t)(at - h->text)};
        const char *close = *open == '(' ? code_closing(open, end) : NULL;
        if (!close || (region && h->regions[where->at] != region) ||
            code_list(h->arena, open + 1, close, list, 2) < 2)
            continue;
        const char *and = strrchr(list[0], '&');
        const char *given = and? name_of(h->arena, code_skip(and+1, and+strlen(and))) : NULL;
        if (given && strcmp(given, name) == 0)
            return list[1];
    }
    return NULL;
}

/* Removes a factor from a product; NULL: no such factor. */
static const HostValue *without_factor(Arena *a, const HostValue *v, double factor)
{
    double n;
    for (int i = 0; i < 2 && host_is(v, "*"); i++) {
        if (host_number(v->parts[i], &n) && n == factor)
            return v->parts[1 - i];
        const HostValue *part = without_factor(a, v->parts[i], factor);
        if (part)
            return host_new(a, "*", i == 0 ? part : v->parts[0], i == 0 ? v->parts[1] : part, NULL);
    }
    return NULL;
}

/* Elements of `element` bytes allocated for the buffer that is argument i; NULL: unknown. */
static const HostValue *site_allocated(const LaunchSite *s, size_t i, size_t element,
                                       const HostNames *names)
{
    Arena *a = s->place.file->arena;
    const char *name = i < s->argument_count ? name_of(a, s->arguments[i]) : NULL;
    HostNames known = *names;
    HostPlace p = s->place, where;
    known.element = (double)element;
    for (int calls = 0; name && calls < 3; calls++) { /* nested functions that pass the buffer on */
        const char *size = allocation(p.file, name, p.file->regions[p.at], &where);
        const HostValue *bytes = size ? host_value(where, size, &known) : NULL;
        while (bytes && host_is(bytes, "cut"))
            bytes = bytes->parts[0];
        if (size && (!bytes || element == 1))
            return bytes;
        const HostValue *whole = size ? without_factor(a, bytes, known.element) : NULL;
        if (size)
            return whole ? whole
                         : host_new(a, "//", bytes, host_new_number(a, known.element, false), NULL);
        HostCallers all = host_callers(p, name);
        const char *actual = host_next_caller(&all);
        name = actual ? name_of(a, actual) : NULL;
        p = all.at;
        known.meaning = NULL;
    }
    return NULL;
}

/* --- the launch in a first spec ----------------------------------------------------------------- */

const char *first_launch_meaning(void *context, const char *written)
{
    FirstLaunch *l = context;
    size_t known = word_place(written, l->parameters.at, l->parameters.count);
    if (known < SIZE_MAX)
        return l->parameters.at[known];
    if (isdigit((unsigned char)*written))
        return NULL;
    for (size_t i = 0; i < l->kernel->arguments.count; i++) {
        const TemplateParameter *t = &l->kernel->arguments.at[i];
        if (!t->is_type && t->written && strcmp(t->written, written) == 0 &&
            word_place(t->name, l->parameters.at, l->parameters.count) < SIZE_MAX)
            return t->name;
    }
    if (l->open && strcmp(written, l->open) == 0)
        return l->open_name;
    for (size_t i = 0; l->used && i < l->kernel->parameters.count; i++) {
        const KernelParameter *p = &l->kernel->parameters.at[i];
        if (!first_is_integer(p) || i >= l->site->argument_count ||
            strcmp(behind_casts(l->site->arguments[i]), written) != 0)
            continue;
        l->used[i] = true;
        return l->sizes ? l->sizes[i] : p->name;
    }
    return NULL;
}

/* Finds the arguments that are the variable which the block is made of: "dim3 block(w); k<<<g, block>>>(w)". */
static void find_threads(Arena *a, FirstLaunch *l)
{
    const HostValue *block[DIRECTIONS];
    const size_t count = l->kernel->parameters.count;
    l->threads_of = ARENA_ARRAY(a, int, count + 1);
    if (!l->known || !host_dims(l->site->place, l->site->configuration[1], &l->names, block))
        return;
    for (int d = DIRECTIONS - 1; d >= 0; d--)
        for (size_t i = 0; i < count && block[d]->name; i++)
            if (strcmp(block[d]->name, l->kernel->parameters.at[i].name) == 0)
                l->threads_of[i] = d + 1;
}

/* True if in each launch, and in launches of different blocks, the threads along x are number i of the template
 * divided by number j or (`times`) multiplied by it. */
static bool is_ratio(const FirstLaunch *l, size_t i, size_t j, bool times)
{
    LaunchSite x;
    double threads, first = 0, of[2];
    bool several = false;
    EACH_PLACE (h, at, l->site->place.file->first, l->kernel->name) {
        const HostValue *block[DIRECTIONS];
        if (!read_site(h, at, at + strlen(l->kernel->name), &x))
            continue;
        if (!host_dims(x.place, x.configuration[1], NULL, block) || i >= x.template_count ||
            j >= x.template_count || !host_number(block[0], &threads))
            return false;
        for (int k = 0; k < 2; k++) {
            const char *value = template_value(x.place, x.of_template[k ? j : i], 0);
            if (!value || !code_is_number(value))
                return false;
            of[k] = strtod(value, NULL);
        }
        if (times ? of[0] * of[1] != threads : of[1] == 0 || of[0] / of[1] != threads)
            return false;
        several = several || (first > 0 && first != threads);
        first = threads;
    }
    return several;
}

const char *first_launch_ratio(Arena *a, const FirstLaunch *l)
{
    const KernelSource *k = l->kernel;
    for (size_t i = 0; l->known && i < k->arguments.count; i++)
        for (size_t j = 0; j < k->arguments.count; j++) {
            if (i == j || k->arguments.at[i].is_type || k->arguments.at[j].is_type)
                continue;
            const bool times = is_ratio(l, i, j, true);
            if (times || is_ratio(l, i, j, false))
                return arena_printf(a, "(%s %s %s)", k->arguments.at[i].name, times ? "*" : "//",
                                    k->arguments.at[j].name);
        }
    return NULL;
}

void first_launch_read(Arena *a, FirstLaunch *l)
{
    const HostValue *grid[DIRECTIONS];
    const KernelSource *k = l->kernel;
    l->names = (HostNames){l, first_launch_meaning, 0};
    l->known = l->site && host_dims(l->site->place, l->site->configuration[1], &l->names, l->block);
    for (int i = 0; i < DIRECTIONS && l->known; i++)
        l->known = !host_number(l->block[i], &l->threads[i]) ||
                   (l->threads[i] >= 1 && l->threads[i] <= INT_MAX);
    /* A single thread is somebody's first try, not a launch to learn from. */
    if (!l->site || (l->known && l->threads[0] * l->threads[1] * l->threads[2] == 1)) {
        l->site = NULL;
        l->known = false;
        return;
    }
    l->used = ARENA_ARRAY(a, bool, k->parameters.count + 1);
    find_threads(a, l);
    host_dims(l->site->place, l->site->configuration[0], &l->names, grid);
    site_shared(l->site, &l->names);
    for (size_t i = 0; i < k->parameters.count; i++)
        site_allocated(l->site, i, 4, &l->names);
}

static const char *site_place(Arena *a, const LaunchSite *s)
{
    const HostPlace p = s->place;
    return arena_printf(a, "%s:%zu", path_stem(a, p.file->path, ""),
                        code_line_number(p.file->text, p.file->text + p.at));
}

const char *first_launch_where(Arena *a, const FirstLaunch *l)
{
    return arena_printf(a, "as launched at %s", site_place(a, l->site));
}

/* True if the function around a place declares the name as an integer. */
static bool is_integer_variable(HostPlace p, const char *name)
{
    const HostText *h = p.file;
    for (const char *at = h->text; (at = host_find_word(h, at, name)) != NULL; at++) {
        const Word type = code_word_before(h->text, code_trim(h->text, at));
        /* Its parameters come before a function. */
        const char *end = code_blanks(at + strlen(name));
        const bool here =
            h->regions[at - h->text] == h->regions[p.at] || *end == ',' || *end == ')';
        if (here &&
            code_among(type, "int unsigned size_t uint long int32_t uint32_t int64_t uint64_t"))
            return true;
    }
    return false;
}

const char *first_launch_open(const FirstLaunch *l)
{
    const char *block = l->site && !l->known ? l->site->configuration[1] : "";
    const Word w = code_word(block);
    const bool alone = w.length && w.at[w.length] == '\0' && !isdigit((unsigned char)*block);
    return alone && is_integer_variable(l->site->place, block) ? block : NULL;
}

void first_launch_doubt(Arena *a, const FirstLaunch *l, Buf *out)
{
    if (!l->site)
        return;
    const char *text = l->site->configuration[l->known ? 0 : 1];
    buf_printf(out, "# the launch at %s: its %s, %.*s, is not understood\n", site_place(a, l->site),
               l->known ? "grid" : "block", (int)strcspn(text, "\r\n"), text);
}

static bool in_directive(const char *text, const char *at)
{
    return *code_skip(code_line_start(text, at), at) == '#';
}

bool first_launch_in_device(const KernelSource *k, const char *word, int times)
{
    const char *text = k->own;
    for (const char *at = text; times > 0 && (at = code_find_word(at, word, text)) != NULL; at++)
        times -= !in_directive(text, at);
    return times <= 0;
}

bool first_launch_is_fixed(Arena *a, const FirstLaunch *l, double number)
{
    const char *digits = arena_printf(a, "%.15g", number);
    EACH_PLACE (h, at, l->site->place.file->first, digits) {
        const char *end = at; /* of the name before "= 128", " 128" or "(128" */
        while (end > h->text && strchr(" \t=({", end[-1]))
            end--;
        const Word w = code_word_before(h->text, end);
        const char *name = isdigit((unsigned char)*w.at) ? "" : code_copy(a, w);
        const KernelSource *k = l->kernel;
        if (NAME_FIND(k->parameters.at, k->parameters.count, name, name))
            continue; /* device code has it as an argument */
        /* Its definition in the kernel's own file does not count as a use. */
        const bool given = h == h->first && !in_directive(h->text, at);
        if (*name && first_launch_in_device(l->kernel, name, given ? 2 : 1))
            return true;
    }
    return false;
}

/* Substitutes the name for a number: everywhere (`whole`), or where something is divided by it or by a
 * product with it as a factor (`here`: `v` is in such a position). */
static const HostValue *substitute(Arena *a, const HostValue *v, double number, const char *name,
                                   bool here, bool whole)
{
    double n;
    if ((here || whole) && host_number(v, &n) && n == number)
        return host_new_name(a, name);
    if (!v->sign)
        return v;
    HostValue *copy = ARENA_NEW(a, HostValue);
    *copy = *v;
    bool divides = host_is(v, "//") || host_is(v, "ceil_div") || host_is(v, "%");
    for (int i = 0; i < 3 && v->parts[i]; i++)
        copy->parts[i] = substitute(a, v->parts[i], number, name,
                                    divides ? i == 1 : here && host_is(v, "*"), whole);
    return copy;
}

/* Substitutes the names for the elements of the largest buffer and for the threads along direction i. */
static const HostValue *with_names(Arena *a, const FirstLaunch *l, const HostValue *v, int i,
                                   const char *const *threads)
{
    bool named = l->threads[i] > 1 && !isdigit((unsigned char)*threads[i]);
    v = l->whole > 0 ? substitute(a, v, l->whole, l->whole_name, true, true) : v;
    return named ? substitute(a, v, l->threads[i], threads[i], host_is(v, "*"), false) : v;
}

/* True for "0 // n" and "n * 0": a variable was read whose value is set later. */
static bool is_zero(const HostValue *v)
{
    double n;
    if (host_number(v, &n))
        return n < 1;
    const bool quotient = host_is(v, "//") || host_is(v, "ceil_div"), product = host_is(v, "*");
    return ((quotient || product) && is_zero(v->parts[0])) || (product && is_zero(v->parts[1]));
}

bool first_launch_grid(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out)
{
    const HostValue *grid[DIRECTIONS];
    const size_t start = out->size;
    double n;
    if (!l->known || !host_dims(l->site->place, l->site->configuration[0], &l->names, grid))
        return false;
    for (int i = 0; i < DIRECTIONS; i++)
        if (is_zero(grid[i]))
            return false;
    int last = DIRECTIONS - 1;
    while (last > 0 && host_number(grid[last], &n) && n == 1)
        last--;
    bool ok = true;
    for (int i = 0; i <= last && ok; i++) {
        buf_puts(out, i ? ", " : "");
        ok = host_print(with_names(a, l, grid[i], i, threads), true, out);
    }
    if (!ok)
        buf_cut(out, start);
    return ok;
}

bool first_launch_shared(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out)
{
    const HostValue *v = l->known ? site_shared(l->site, &l->names) : NULL;
    v = v ? with_names(a, l, v, 0, threads) : NULL;
    return v && !is_zero(v) && host_print(v, true, out);
}

bool first_launch_buffer(Arena *a, const FirstLaunch *l, size_t i, size_t element,
                         const char *const *threads, bool alone, Buf *out)
{
    const HostValue *v = l->site ? site_allocated(l->site, i, element, &l->names) : NULL;
    v = v ? with_names(a, l, v, 0, threads) : NULL;
    return v && !is_zero(v) && host_print(v, alone, out);
}

double first_launch_whole(const FirstLaunch *l)
{
    double most = 0, n;
    const KernelSource *k = l->kernel;
    for (size_t i = 0; l->site && i < k->parameters.count; i++) {
        const KernelParameter *p = &k->parameters.at[i];
        const size_t element = p->known ? task_type_size(p->type) : p->size;
        if (p->pointer && element > 0 &&
            host_number(site_allocated(l->site, i, element, &l->names), &n) && n > most)
            most = n;
    }
    return most;
}

bool first_launch_number(const FirstLaunch *l, size_t i, double *out)
{
    const LaunchSite *s = l->site;
    return s && i < s->argument_count &&
           host_number(host_value(s->place, s->arguments[i], NULL), out);
}

#include "tuner/spec/launch_site.h"

/* --- the launch ------------------------------------------------------------------------------- */

static bool read_launch(const HostText *h, const char *at, size_t length, LaunchSite *out)
{
    const char *end = h->text + h->size, *next = code_skip(at + length, end);
    *out = (LaunchSite){.place = {h, (size_t)(at - h->text)}};
    if (*next == '<' && strncmp(next, "<<<", 3) != 0) {
        const char *close = code_closing(next, end);
        if (!close)
            return false;
        out->template_count = code_list(h->arena, next + 1, close, out->of_template, CODE_LIST);
        next = code_skip(close + 1, end);
    }
    const char *close = strncmp(next, "<<<", 3) == 0 ? strstr(next, ">>>") : NULL;
    if (!close)
        return false;
    out->configuration_count = code_list(h->arena, next + 3, close, out->configuration, 4);
    next = code_skip(close + 3, end);
    close = *next == '(' ? code_closing(next, end) : NULL;
    if (close)
        out->argument_count = code_list(h->arena, next + 1, close, out->arguments, CODE_LIST);
    return close && out->configuration_count >= 2;
}

bool launch_site_find(const HostText *files, const char *kernel, LaunchSite *out)
{
    for (const HostText *h = files; h; h = h->next)
        for (const char *at = h->text; (at = host_find_word(h, at, kernel)) != NULL; at++)
            if (read_launch(h, at, strlen(kernel), out))
                return true;
    return false;
}

void launch_site_template(const LaunchSite *s, KernelSource *k)
{
    for (size_t i = 0; i < k->arguments.count && i < s->template_count; i++) {
        const char *word = s->of_template[i];
        double number;
        k->arguments.at[i].written = word;
        const char *value =
            host_number(host_value(s->place, word, NULL), &number)
                ? arena_printf(s->place.file->arena, "%.15g", number)
                : kernel_source_plain(s->place.file->arena, s->place.file->text, word);
        if (value)
            k->arguments.at[i].initial = value, k->arguments.at[i].launched = true;
    }
}

/* --- its parts -------------------------------------------------------------------------------- */

bool launch_site_grid(const LaunchSite *s, const HostNames *names, const HostValue *out[3])
{
    return host_dims(s->place, s->configuration[0], names, out);
}

bool launch_site_block(const LaunchSite *s, const HostNames *names, const HostValue *out[3])
{
    return host_dims(s->place, s->configuration[1], names, out);
}

const HostValue *launch_site_shared(const LaunchSite *s, const HostNames *names)
{
    return s->configuration_count > 2 ? host_value(s->place, s->configuration[2], names) : NULL;
}

const HostValue *launch_site_argument(const LaunchSite *s, size_t i)
{
    return i < s->argument_count ? host_value(s->place, s->arguments[i], NULL) : NULL;
}

/* --- what was allocated ----------------------------------------------------------------------- */

/* The name in "(float *)d_a", "d_a"; NULL: it is more than a name. */
static const char *name_of(Arena *a, const char *text)
{
    const char *end = text + strlen(text);
    for (const char *close; *text == '(' && (close = code_closing(text, end)) != NULL;)
        text = code_skip(close + 1, end);
    size_t n = 0;
    while (code_is_name(text[n]))
        n++;
    return n > 0 && text[n] == '\0' ? arena_copy(a, text, n) : NULL;
}

/* The size given for "&name" to cudaMalloc or its like, in one function or (`region` 0) anywhere. */
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

/* A product without a factor; NULL: it has none such. */
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

static const HostValue *in_elements(Arena *a, const HostValue *bytes, double element)
{
    while (bytes && host_is(bytes, "cut"))
        bytes = bytes->parts[0];
    if (!bytes || element == 1)
        return bytes;
    const HostValue *whole = without_factor(a, bytes, element);
    return whole ? whole : host_new(a, "//", bytes, host_new_number(a, element, false), NULL);
}

const HostValue *launch_site_allocated(const LaunchSite *s, size_t i, size_t element,
                                       const HostNames *names)
{
    Arena *a = s->place.file->arena;
    const char *name = i < s->argument_count ? name_of(a, s->arguments[i]) : NULL;
    HostNames known = *names;
    HostPlace p = s->place, where;
    known.element = (double)element;
    for (int calls = 0; name && calls < 3; calls++) { /* of functions that hand the buffer on */
        const char *size = allocation(p.file, name, p.file->regions[p.at], &where);
        if (size)
            return in_elements(a, host_value(where, size, &known), known.element);
        HostCallers all = host_callers(p, name);
        const char *actual = host_next_caller(&all);
        name = actual ? name_of(a, actual) : NULL;
        p = all.at;
        known.meaning = NULL;
    }
    return NULL;
}

#include "tuner/spec/host_read.h"

#include <ctype.h>
#include <string.h>

/* True if the brace at `at` opens a namespace or extern "C", which contain functions. */
static bool is_transparent(const char *text, const char *at)
{
    const char *word = code_skip(code_back(text, at, ";{})"), at);
    while (*word == '#')
        word = code_skip(word + strcspn(word, "\n"), at);
    return strncmp(word, "namespace", 9) == 0 || strncmp(word, "extern", 6) == 0 ||
           strncmp(word, "inline namespace", 16) == 0;
}

const char *host_find_word(const HostText *h, const char *at, const char *word)
{
    const size_t n = strlen(word), from = (size_t)(at - h->text);
    if (n == 0 || code_word(word).length < n) /* a qualified name */
        return n == 0 ? NULL : code_find_word(at, word, h->text);
    const MapEntry *e = map_find(&h->words, word, n, 0);
    for (size_t i = e ? (size_t)e->value : 0; i > 0; i = h->again[i - 1])
        if (i > from)
            return h->text + i - 1;
    return NULL;
}

/* Joins the brackets of a launch that a formatter parted: "k << < 1, 32 >> > (a)".  Elsewhere ">> >" closes
 * templates. */
static void join_brackets(char *text)
{
    for (char *at = text; (at = strstr(at, "<< <")) != NULL; at++) {
        char *close = strpbrk(at, ";{");
        close = close ? memmem(at, (size_t)(close - at), ">> >", 4) : NULL;
        memcpy(at, " <<<", 4);
        if (close)
            memcpy(close, ">>> ", 4);
    }
}

HostText *host_text(Arena *a, const char *path, const char *text, const HostText *first)
{
    HostText *h = ARENA_NEW(a, HostText);
    size_t n = strlen(text);
    char *copy = arena_copy(a, text, n);
    join_brackets(copy);
    *h = (HostText){.arena = a,
                    .path = path,
                    .text = copy,
                    .size = n,
                    .regions = ARENA_ARRAY(a, uint32_t, n + 1),
                    .words = {.arena = a},
                    .again = ARENA_ARRAY(a, uint32_t, n + 1),
                    .first = first ? first : h};
    for (size_t i = n; i-- > 0;) { /* backwards, so that each chain ascends */
        const bool starts = i == 0 || (!code_is_name(copy[i - 1]) && copy[i - 1] != '.');
        const size_t length = starts ? code_word(copy + i).length : 0;
        MapEntry *e = length > 0 ? map_add(&h->words, copy + i, length, 0) : NULL;
        if (e) {
            h->again[i] = (uint32_t)e->value;
            e->value = (int)i + 1;
        }
    }
    int depth = 0, open = 0; /* braces within a function; enclosing namespace braces */
    uint32_t region = 0;
    for (size_t i = 0; i < n; i++) {
        if (copy[i] == '\\' && copy[i + 1] == '\n')
            copy[i] = copy[i + 1] = ' ';
        if (copy[i] == '{') {
            if (depth == 0 && is_transparent(copy, copy + i))
                open++;
            else
                region += depth++ == 0;
        } else if (copy[i] == '}') {
            open -= depth == 0 && open > 0;
            depth -= depth > 0;
        }
        h->regions[i] = depth > 0 ? region : 0;
    }
    return h;
}

/* The function or function-like macro that a place lies in. */
typedef struct Enclosing {
    const char *name; /* NULL: none */
    const char *parameters[CODE_LIST], *of_template[CODE_LIST];
    size_t count, template_count;
} Enclosing;

/* Reads "#define NAME(a, b)" if the place lies on such a line. */
static bool enclosing_macro(HostPlace p, Enclosing *out)
{
    const HostText *h = p.file;
    const char *end = h->text + h->size;
    const Word name = code_defined(code_line_start(h->text, h->text + p.at));
    const char *open = name.at + name.length;
    const char *close = name.length && *open == '(' ? code_closing(open, end) : NULL;
    if (!close || close > h->text + p.at)
        return false;
    out->name = code_copy(h->arena, name);
    out->count = code_list(h->arena, open + 1, close, out->parameters, CODE_LIST);
    return true;
}

/* Reads the list of "template <…>" before a function's name. */
static void read_template(const HostText *h, const char *name, Enclosing *out)
{
    const char *at = code_find_word(code_back(h->text, name, ";{}"), "template", h->text);
    const char *open = at && at < name ? code_skip(at + strlen("template"), name) : "";
    const char *close = *open == '<' ? code_closing(open, name) : NULL;
    if (close)
        out->template_count = code_list(h->arena, open + 1, close, out->of_template, CODE_LIST);
}

static Enclosing enclosing_function(HostPlace p)
{
    Enclosing e = {0};
    const HostText *h = p.file;
    size_t at = p.at;
    if (h->regions[at] == 0)
        return e;
    while (at > 0 && h->regions[at - 1] == h->regions[p.at])
        at--;
    while (at > 0 && h->text[at - 1] != ')')
        if (strchr(";{}", h->text[--at]))
            return e;
    size_t close = at - (at > 0), open = close;
    for (int depth = 1; open > 0 && depth > 0;) {
        open--;
        depth += h->text[open] == ')';
        depth -= h->text[open] == '(';
    }
    const Word name = code_word_before(h->text, code_trim(h->text, h->text + open));
    e.count = code_list(h->arena, h->text + open + 1, h->text + close, e.parameters, CODE_LIST);
    e.name = name.length ? code_copy(h->arena, name) : NULL;
    read_template(h, name.at, &e);
    return e;
}

/* The first parameter ("float *b", "int a = 1", or "a" of a macro) that declares the name; `count`: none. */
static size_t declared_by(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const char *end = code_trim(list[i], list[i] + strcspn(list[i], "=["));
        if (code_same(code_word_before(list[i], end), name))
            return i;
    }
    return count;
}

HostCallers host_callers(HostPlace p, const char *parameter)
{
    HostCallers all = {.of = p, .at = {p.file->first, 0}};
    Enclosing e = {0};
    all.macro = enclosing_macro(p, &e);
    all.index = declared_by(e.parameters, e.count, parameter);
    if (all.index == e.count) { /* no macro parameter: look in the enclosing function */
        all.macro = false;
        e = enclosing_function(p);
        all.index = declared_by(e.parameters, e.count, parameter);
    }
    const size_t k = declared_by(e.of_template, e.template_count, parameter);
    all.of_template = all.index == e.count && k < e.template_count;
    all.function = all.index < e.count || all.of_template ? e.name : NULL;
    all.index = all.of_template ? k : all.index;
    return all;
}

/* True if the name at `where` is a call from elsewhere, and not the definition or recursion. Macros may be
 * called anywhere; explicit instantiations, "template void f<float>(…);", stand outside functions. */
static bool calls_at(const HostCallers *c, const HostText *h, size_t where)
{
    if (c->macro && h == c->of.file) {
        const size_t from = where < c->of.at ? where : c->of.at;
        const size_t to = where < c->of.at ? c->of.at : where;
        return memchr(h->text + from, '\n', to - from) != NULL;
    }
    return c->macro || (c->of_template && h->regions[where] == 0) ||
           (h->regions[where] != 0 &&
            (h != c->of.file || h->regions[where] != h->regions[c->of.at]));
}

const char *host_next_caller(HostCallers *c)
{
    for (const HostText *h = c->function ? c->at.file : NULL; h; h = h->next, c->at.at = 0)
        for (const char *at = h->text + c->at.at;
             (at = host_find_word(h, at, c->function)) != NULL;) {
            size_t where = (size_t)(at - h->text);
            const char *list[CODE_LIST], *end = h->text + h->size;
            const char *open = code_skip(at + strlen(c->function), end);
            const char *angle = *open == '<' && open[1] != '<' ? code_closing(open, end) : NULL;
            const char *list_start = open;
            open = angle ? code_skip(angle + 1, end) : open;
            at += strlen(c->function);
            const char *close = *open == '(' ? code_closing(open, end) : NULL;
            const char *from = c->of_template ? list_start : open,
                       *to = c->of_template ? angle : close;
            const bool calls = close && to && calls_at(c, h, where);
            size_t count = calls ? code_list(h->arena, from + 1, to, list, CODE_LIST) : 0;
            if (c->index >= count)
                continue;
            c->at = (HostPlace){h, (size_t)(at - h->text)};
            return list[c->index];
        }
    c->function = NULL;
    return NULL;
}

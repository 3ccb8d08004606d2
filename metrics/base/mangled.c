#include "metrics/base/mangled.h"

#include "metrics/base/buf.h"

#include <stdlib.h>
#include <string.h>

/* Reads a name with its length, "8Schedule", and advances `*at` past it; NULL: none. */
static const char *take_name(Arena *a, const char **at)
{
    char *word;
    const size_t n = **at >= '1' && **at <= '9' ? strtoul(*at, &word, 10) : 0;
    if (n == 0 || n > strlen(word))
        return NULL;
    *at = word + n;
    return arena_copy(a, word, n);
}

Mangled mangled_read(Arena *a, const char *at)
{
    const bool nested = strncmp(at, "_ZN", 3) == 0;
    size_t word = 0;
    while (text_is_word(at[word]) || at[word] == '$')
        word++;
    if (strncmp(at, "_Z", 2) != 0)
        return (Mangled){NULL, arena_copy(a, at, word)};
    at += nested ? 3 + strspn(at + 3, "VKr") : 2; /* cv-qualifiers */
    Mangled m = {NULL, take_name(a, &at)};
    for (const char *name; nested && (name = take_name(a, &at)) != NULL;)
        m = (Mangled){m.name, name};
    if (!nested || (*at >= '1' && *at <= '9')) /* a length beyond the end */
        return nested ? (Mangled){NULL, NULL} : m;
    if (*at == 'I' && strchr(at, 'E')) /* template arguments; nested ones end early */
        at = strchr(at, 'E') + 1;
    if (*at == 'C' || *at == 'D') /* constructors have their class's name */
        m.scope = m.name;
    else if (*at >= 'a' && *at <= 'z')
        m = (Mangled){m.name, "operator"};
    else if (*at >= '1' && *at <= '9')
        m = (Mangled){m.name, take_name(a, &at)};
    return m;
}

const char *mangled_name(Arena *a, const char *symbol)
{
    const Mangled m = mangled_read(a, symbol);
    return m.name ? m.name : symbol;
}

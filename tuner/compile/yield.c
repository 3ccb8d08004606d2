#include "tuner/compile/yield.h"

#include "tuner/spec/code_text.h"

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* --- macros ----------------------------------------------------------------------------------- */

static void macros_yield(char *text, const Texts *names)
{
    Word guard = {0};
    for (char *line = text; *line;) {
        char *end = line + (code_line_end(line) - line);
        const Word name = code_defined(line);
        /* Function-like macros do not yield, nor switches without a value. */
        const bool yields = name.length && !code_equal(guard, name) && code_one_of(name, names) &&
                            name.at[name.length] != '(' && code_blanks(name.at + name.length) < end;
        const char *unless = code_behind(line, "ifndef");
        guard = code_word(unless ? unless : "");
        if (yields)
            blank(line, end);
        line = end + (*end == '\n');
    }
}

/* --- constants -------------------------------------------------------------------------------- */

/* True if some name is assigned a value somewhere: most texts need no closer look. */
static bool has_values(const char *text, const Texts *names)
{
    for (size_t i = 0; i < names->count; i++)
        for (const char *at = text; (at = code_find_word(at, names->at[i], text)) != NULL; at++)
            if (*code_blanks(at + strlen(names->at[i])) == '=')
                return true;
    return false;
}

/* Blanks names of one declaration; all of it if none is left. */
static void declaration_yields(char *out, const char *bare, const CodeConstant *c, size_t count,
                               const Texts *names)
{
    bool kept = false;
    for (size_t i = 0; i < count; i++) {
        if (!c[i].known || !code_one_of(c[i].name, names)) {
            kept = true;
            continue;
        }
        const char *from = kept ? c[i].comma : c[i].name.at;
        blank(out + (from - bare), out + (c[i].end - bare) + (!kept && *c[i].end == ','));
    }
    if (!kept)
        blank(out + (c->declaration - bare), out + (c[count - 1].end - bare));
}

static void constants_yield(Arena *a, char *text, const Texts *names)
{
    const char *bare = code_bare(a, text);
    const CodeConstants all = code_constants(a, bare);
    for (size_t i = 0, n; i < all.count; i += n) {
        for (n = 1; i + n < all.count && all.at[i + n].declaration == all.at[i].declaration;)
            n++;
        declaration_yields(text, bare, &all.at[i], n, names);
    }
}

const char *definitions_yield(Arena *a, const char *text, const Texts *names)
{
    if (names->count == 0)
        return text;
    char *out = arena_copy(a, text, strlen(text));
    macros_yield(out, names);
    if (has_values(text, names))
        constants_yield(a, out, names);
    return strcmp(out, text) == 0 ? text : out;
}

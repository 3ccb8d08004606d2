#include "tuner/compile/yield.h"

#include "tuner/spec/code_constants.h"

static bool is_one_of(Word w, const Texts *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (code_same(w, names->at[i]))
            return true;
    return false;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* --- macros ----------------------------------------------------------------------------------- */

/* Reads the name after a directive; false: another line. */
static bool directive_is(const char *line, const char *word, Word *name)
{
    const char *behind = code_behind(line, word);
    if (behind)
        *name = code_word(behind);
    return behind && name->length > 0;
}

static void macros_yield(char *text, const Texts *names)
{
    Word guard = {0}, name;
    for (char *line = text; *line;) {
        char *end = line + (code_line_end(line) - line);
        const bool defines = directive_is(line, "define", &name);
        const bool guarded =
            defines && guard.length == name.length && memcmp(guard.at, name.at, name.length) == 0;
        /* Function-like macros do not yield, nor switches without a value. */
        const bool yields = defines && !guarded && is_one_of(name, names) &&
                            name.at[name.length] != '(' && code_blanks(name.at + name.length) < end;
        if (!directive_is(line, "ifndef", &guard))
            guard.length = 0;
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
        if (!c[i].known || !is_one_of(c[i].name, names)) {
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

#include "tuner/spec/code_text.h"

#include <ctype.h>
#include <stdint.h>

static const char TYPES[] =
    "const constexpr static inline volatile register __device__ __host__ __constant__ int unsigned "
    "signed long short char bool float double auto std size_t ssize_t ptrdiff_t uint ushort uchar "
    "ulong int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t";

/* True if the text gives the word a value that the compiler knows. */
static bool is_known(const CodeConstants *all, const char *text, Word w)
{
    VEC_EACH (const CodeConstant, c, *all)
        if (c->known && code_equal(c->name, w))
            return true;
    const bool fraction = w.at - text > 1 && w.at[-1] == '.' && isdigit((unsigned char)w.at[-2]);
    return fraction || isdigit((unsigned char)*w.at) || code_among(w, TYPES) ||
           code_among(w, "sizeof true false") || code_definition(text, w);
}

/* The comma or semicolon after a value; NULL: none. */
static const char *value_end(const char *at)
{
    const char *end = at + strlen(at);
    for (const char *p = at; p < end; p++) {
        const size_t quiet = code_quiet(at, p);
        const bool opens = strchr("([{", *p) || (*p == '<' && code_is_name(p[-1]));
        const char *close = opens ? code_closing(p, end) : NULL;
        if (*p == ',' || *p == ';')
            return p;
        p = close ? close : quiet ? p + quiet - 1 : p;
    }
    return NULL;
}

/* Adds the names of a declaration from the first one on. */
static void add_names(Arena *a, const char *text, const char *start, Word w, bool always,
                      CodeConstants *out)
{
    const char *end = NULL;
    do {
        const char *sign = code_skip(w.at + w.length, w.at + strlen(w.at));
        const bool has_value = w.length && *sign == '=' && sign[1] != '=';
        CodeConstant c = {.name = w, .declaration = start, .comma = end, .known = has_value};
        end = has_value ? value_end(sign + 1) : NULL;
        c.end = end ? end : sign;
        c.value.at = has_value ? code_skip(sign + 1, c.end) : c.end;
        c.value.length = (size_t)(code_trim(c.value.at, c.end) - c.value.at);
        for (const char *at = c.value.at; at < c.end && !always;) {
            const Word part = code_next_word(text, &at);
            c.known = c.known && (!part.length || is_known(out, text, part));
        }
        c.known = c.known && end;
        VEC_PUSH(a, out, c);
        w = code_word(end ? code_skip(end + 1, end + strlen(end)) : "");
    } while (end && *end == ',');
}

/* Adds what a declaration that begins at a word declares, if that is constants. */
static void add_declaration(Arena *a, const char *text, Word first, CodeConstants *out)
{
    bool constant = false, always = false;
    const char *before = code_trim(text, first.at), *at = first.at, *end = at + strlen(at);
    Word w = first;
    for (; code_among(w, TYPES); w = code_word(at)) {
        always = always || code_same(w, "constexpr");
        constant = always || constant || code_same(w, "const");
        at = code_skip(w.at + w.length, end);
        at = strncmp(at, "::", 2) == 0 ? at + 2 : at;
    }
    if (constant && w.length && (before == text || !strchr("<,(", before[-1])))
        add_names(a, text, first.at, w, always, out);
}

/* True if a brace opens a class. */
static bool is_class(const char *text, const char *brace)
{
    const char *close = code_trim(text, brace);
    for (const char *at = code_back(text, brace, ";{}"); at < brace;)
        if (code_among(code_next_word(text, &at), "class struct union"))
            return close[-1] != ')';
    return false;
}

CodeConstants code_constants(Arena *a, const char *text)
{
    CodeConstants all = {0};
    uint64_t classes = 0; /* a bit for each open brace, the inner ones low */
    bool within = false;  /* a declaration */
    for (const char *at = text; *at;) {
        const char *from = at;
        const Word w = code_next_word(text, &at);
        if (*from == '{')
            classes = classes << 1 | is_class(text, from);
        else if (*from == '}')
            classes >>= 1;
        else if (*from == '#')
            at = code_line_end(from);
        if (w.length && !within && !(classes & 1) && code_among(w, TYPES))
            add_declaration(a, text, w, &all);
        if (w.length || strchr(";{}#", *from))
            within = w.length && code_among(w, TYPES);
    }
    return all;
}

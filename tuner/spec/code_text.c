#include "tuner/spec/code_text.h"

#include "metrics/base/buf.h"

#include <ctype.h>
#include <string.h>

bool code_is_name(char c)
{
    return text_is_word(c) || c == '$';
}

Word code_word(const char *at)
{
    Word w = {at, 0};
    while (code_is_name(at[w.length]))
        w.length++;
    return w;
}

bool code_same(Word w, const char *text)
{
    return strlen(text) == w.length && (w.length == 0 || memcmp(w.at, text, w.length) == 0);
}

bool code_equal(Word a, Word b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

bool code_one_of(Word w, const Texts *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (code_same(w, words->at[i]))
            return true;
    return false;
}

bool code_among(Word w, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == w.length && memcmp(words, w.at, n) == 0)
            return true;
    }
    return false;
}

Word code_word_before(const char *first, const char *at)
{
    Word w = {at, 0};
    for (; w.at > first && code_is_name(w.at[-1]); w.length++)
        w.at--;
    return w;
}

Word code_next_word(const char *first, const char **at)
{
    const size_t quiet = code_quiet(first, *at);
    const Word w = quiet ? (Word){*at, 0} : code_word(*at);
    *at += quiet ? quiet : w.length ? w.length : 1;
    return w;
}

bool code_is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

const char *code_copy(Arena *a, Word w)
{
    return arena_copy(a, w.at, w.length);
}

const char *code_blanks(const char *at)
{
    for (;;) {
        size_t n = *at == '/' ? code_quiet(at, at) : code_splice(at);
        n = n ? n : strspn(at, " \t\r\f\v");
        if (n == 0)
            return at;
        at += n;
    }
}

const char *code_skip(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

const char *code_trim(const char *first, const char *at)
{
    while (at > first && isspace((unsigned char)at[-1]))
        at--;
    return at;
}

const char *code_back(const char *first, const char *at, const char *stops)
{
    while (at > first && !strchr(stops, at[-1]))
        at--;
    return at;
}

const char *code_find_word(const char *at, const char *word, const char *text)
{
    size_t n = strlen(word);
    for (; n > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == text || (!code_is_name(at[-1]) && at[-1] != '.')) && !code_is_name(at[n]))
            return at;
    return NULL;
}

bool code_has_word(const char *text, const char *word)
{
    return code_find_word(text, word, text) != NULL;
}

size_t code_bom(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

size_t code_splice(const char *at)
{
    return at[0] != '\\' ? 0 : at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* The end of the raw string R"x(…)x" whose quote is at `at`; NULL: it is none. */
static const char *raw_end(const char *at)
{
    size_t n = strcspn(at + 1, "( )\\\t\n\"");
    char end[20] = ")";
    if (at[1 + n] != '(' || n >= sizeof end - 3)
        return NULL;
    strncat(end, at + 1, n);
    strcat(end, "\"");
    const char *close = strstr(at + n + 2, end);
    return close ? close + n + 2 : NULL;
}

size_t code_quiet(const char *first, const char *at)
{
    const char *p = at + 1;
    if (at[0] == '/' && at[1] == '/') {
        while (*p && *p != '\n')
            p += code_splice(p) ? code_splice(p) : 1;
        return (size_t)(p - at);
    }
    if (at[0] == '/' && at[1] == '*') {
        const char *close = strstr(at + 2, "*/");
        return close ? (size_t)(close + 2 - at) : strlen(at);
    }
    if (*at != '"' && *at != '\'')
        return 0;
    const char *raw = *at == '"' && code_among(code_word_before(first, at), "R u8R uR UR LR")
                          ? raw_end(at)
                          : NULL;
    if (raw)
        return (size_t)(raw - at);
    const char *number = at; /* a digit separator: "0xab'cd'ef" */
    while (number > first && (code_is_name(number[-1]) || number[-1] == '\''))
        number--;
    if (*at == '\'' && isdigit((unsigned char)*number))
        return 0;
    while (*p && *p != *at && *p != '\n')
        p += code_splice(p) ? code_splice(p) : p[0] == '\\' && p[1] ? 2 : 1;
    return *p == *at ? (size_t)(p + 1 - at) : 1;
}

char *code_bare(Arena *a, const char *source)
{
    char *text = arena_copy(a, source, strlen(source));
    for (size_t i = 0; text[i];) {
        const size_t quiet = code_quiet(source, source + i), end = i + (quiet ? quiet : 1);
        const bool comment = quiet && source[i] == '/';
        for (; i < end; i++)
            if (comment && text[i] != '\n')
                text[i] = ' ';
    }
    return text;
}

void code_cut(char *out, const char *text, size_t from, size_t to)
{
    bool line_start = from == 0 || text[from - 1] == '\n';
    for (size_t i = from; i < to; i++) {
        if (line_start && *code_blanks(text + i) == '#')
            i = (size_t)(code_line_end(text + i) - text);
        line_start = text[i] == '\n';
        if (i < to && !line_start)
            out[i] = ' ';
    }
}

const char *code_line_start(const char *first, const char *at)
{
    return code_back(first, at, "\n");
}

size_t code_line_number(const char *first, const char *at)
{
    size_t line = 1;
    for (; first < at; first++)
        line += *first == '\n';
    return line;
}

const char *code_line_end(const char *line)
{
    const char *at = line;
    while (*at && *at != '\n') {
        size_t n = code_quiet(line, at);
        n = n ? n : code_splice(at);
        at += n ? n : 1;
    }
    return at;
}

const char *code_next_line(const char *at)
{
    at = code_line_end(at);
    return at + (*at == '\n');
}

Word code_directive(const char *line)
{
    const char *at = code_blanks(line);
    return *at == '#' ? code_word(code_blanks(at + 1)) : (Word){at, 0};
}

const char *code_behind(const char *line, const char *directive)
{
    Word w = code_directive(line);
    return code_same(w, directive) ? code_blanks(w.at + w.length) : NULL;
}

Word code_defined(const char *line)
{
    const char *at = code_behind(line, "define");
    return code_word(at ? at : "");
}

const char *code_definition(const char *text, Word name)
{
    for (const char *line = text; name.length && *line; line = code_next_line(line)) {
        const Word w = code_defined(line);
        if (code_equal(w, name))
            return w.at + w.length;
    }
    return NULL;
}

Word code_quoted(const char *at)
{
    const char *close = *at == '"' ? "\"\n" : *at == '<' ? ">\n" : NULL;
    const size_t n = close ? strcspn(at + 1, close) : 0;
    return n && at[1 + n] == *close ? (Word){at + 1, n} : (Word){at, 0};
}

const char *code_closing(const char *first, const char *end)
{
    static const char opening[] = "([{", close[] = ")]}";
    bool angle = *first == '<';
    int depth = 0;
    for (const char *at = first; at < end; at++) {
        size_t quiet = code_quiet(first, at);
        if (quiet) {
            at += quiet - 1;
            continue;
        }
        depth += (strchr(opening, *at) != NULL && *at) || (angle && *at == '<');
        depth -= (strchr(close, *at) != NULL && *at) || (angle && *at == '>');
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* The end of a bracketed or template argument list that opens at `at`; NULL: none. */
static const char *inner_end(const char *first, const char *at, const char *end)
{
    bool angle = *at == '<' && at > first && code_is_name(at[-1]);
    const char *close = angle || (*at && strchr("([{", *at)) ? code_closing(at, end) : NULL;
    for (const char *c = at; angle && close && c < close; c++)
        if (!code_is_name(*c) && !strchr("<>,:* ", *c))
            return NULL; /* a comparison */
    return close;
}

size_t code_list(Arena *a, const char *first, const char *end, const char **out, size_t room)
{
    size_t count = 0;
    const char *start = first;
    for (const char *at = first; at <= end; at++) {
        const char *close = at < end ? inner_end(first, at, end) : NULL;
        size_t quiet = at < end && !close ? code_quiet(first, at) : 0;
        at = close ? close : quiet ? at + quiet - 1 : at;
        if (at < end && *at != ',')
            continue;
        start = code_skip(start, at);
        const size_t n = (size_t)(code_trim(start, at) - start);
        if (count < room && (n > 0 || count > 0))
            out[count++] = arena_copy(a, start, n);
        start = at + 1;
    }
    return count;
}

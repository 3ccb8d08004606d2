#include "tuner/output/scan.h"

#include <string.h>

Scan scan_new(const char *text, size_t size)
{
    return (Scan){.begin = text, .at = text, .end = text + size};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Records that the expected token is missing: the text ends, or there is something else. */
static bool stop(Scan *s)
{
    if (s->at < s->end)
        s->bad = true;
    else
        s->cut = true;
    return false;
}

char scan_peek(Scan *s)
{
    while (s->at < s->end && is_space(*s->at))
        s->at++;
    return s->at < s->end ? *s->at : '\0';
}

bool scan_take(Scan *s, char c)
{
    if (scan_peek(s) != c || s->at == s->end)
        return stop(s);
    s->at++;
    return true;
}

/* Accepts a comma before the closing bracket: files closed by hand have one. */
bool scan_more(Scan *s, char close)
{
    if (s->bad || s->cut)
        return false;
    if (scan_peek(s) == ',')
        s->at++;
    if (scan_peek(s) == close && s->at < s->end) {
        s->at++;
        return false;
    }
    return s->at < s->end || stop(s);
}

/* The byte after the string that begins at `at`; NULL: it does not end. */
static const char *after_text(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at == '\\')
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

bool scan_key(Scan *s, ScanText *key)
{
    if (scan_peek(s) != '"')
        return stop(s);
    const char *after = after_text(s->at, s->end);
    if (!after) {
        s->cut = true;
        return false;
    }
    *key = (ScanText){s->at + 1, (size_t)(after - s->at) - 2};
    s->at = after;
    return scan_take(s, ':');
}

/* The byte after the bracket that closes the one at `at`; NULL: none. */
static const char *after_brackets(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        char c = *at;
        if (c == '"') {
            at = after_text(at, end);
            if (!at)
                return NULL;
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at++;
        if (depth == 0)
            return at;
    }
    return NULL;
}

static const char *after_word(const char *at, const char *end)
{
    while (at < end && !is_space(*at) && !memchr(",:]}[{\"", *at, 7))
        at++;
    return at;
}

bool scan_value(Scan *s, ScanText *value)
{
    char c = scan_peek(s);
    const char *after = c == '"'               ? after_text(s->at, s->end)
                        : c == '{' || c == '[' ? after_brackets(s->at, s->end)
                                               : after_word(s->at, s->end);
    if (after == s->at)
        return stop(s);
    if (!after) {
        s->cut = true;
        return false;
    }
    *value = (ScanText){s->at, (size_t)(after - s->at)};
    s->at = after;
    return true;
}

bool scan_is(ScanText t, const char *text)
{
    return strlen(text) == t.size && memcmp(t.at, text, t.size) == 0;
}

/* Copies the value, with null for NaN and infinities. */
static void copy_value(ScanText value, Buf *copy, ScanAnomalies *odd)
{
    buf_clear(copy);
    for (const char *at = value.at, *end = value.at + value.size; at < end;) {
        const char *after = *at == '"' ? after_text(at, end) : after_word(at, end);
        if (!after)
            after = end;
        ScanText word = {at, (size_t)(after - at)};
        if (word.size == 0) {
            buf_putc(copy, *at++);
            continue;
        }
        const bool none =
            scan_is(word, "NaN") || scan_is(word, "Infinity") || scan_is(word, "-Infinity");
        odd->not_number |= none;
        buf_add(copy, none ? "null" : word.at, none ? 4 : word.size);
        at = after;
    }
}

json_t *scan_load(ScanText value, Buf *copy, ScanAnomalies *odd)
{
    json_error_t error;
    *odd = (ScanAnomalies){0};
    copy_value(value, copy, odd);
    json_t *v = json_loadb(buf_text(copy), copy->size, JSON_DECODE_ANY, &error);
    if (v || json_error_code(&error) != json_error_numeric_overflow)
        return v;
    odd->huge = true;
    return json_loadb(buf_text(copy), copy->size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
                      &error);
}

#include "tuner/record/parse.h"

#include <stdlib.h>
#include <string.h>

enum { NESTED_MOST = 16 };

static bool fail(Parse *p, const char *error)
{
    if (!p->error)
        p->error = error;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char parse_peek(Parse *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
    return p->at < p->end ? *p->at : '\0';
}

static const char *expected(char c)
{
    switch (c) {
    case '{':
        return "'{' expected";
    case '}':
        return "'}' expected";
    case ']':
        return "']' expected";
    case ':':
        return "':' expected";
    default:
        return "something else is expected";
    }
}

bool parse_take(Parse *p, char c)
{
    if (parse_peek(p) != c || p->at == p->end)
        return fail(p, expected(c));
    p->at++;
    return true;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Length of the UTF-8 sequence at `at` (RFC 3629, table 3-7 of the Unicode standard); 0: none. */
static size_t sequence_size(const unsigned char *at, size_t room)
{
    static const struct {
        unsigned char first, last, least, most; /* of the first byte; of the second */
        size_t size;
    } forms[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
                 {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] < forms[i].first || at[0] > forms[i].last || room < forms[i].size ||
            at[1] < forms[i].least || at[1] > forms[i].most)
            continue;
        for (size_t k = 2; k < forms[i].size; k++)
            if ((at[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].size;
    }
    return 0;
}

/* The four digits of a \u escape; -1 when they are not there. */
static int hex4(const char *at, const char *end)
{
    int value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool is_high(int unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(int unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* From behind a backslash to behind the escape. */
static bool skip_escape(Parse *p)
{
    if (p->at == p->end)
        return fail(p, "a text does not end");
    if (*p->at != 'u') {
        if (!memchr("\"\\/bfnrt", *p->at, 8))
            return fail(p, "no such escape");
        p->at++;
        return true;
    }
    int unit = hex4(p->at + 1, p->end);
    if (unit <= 0 || is_low(unit))
        return fail(p, "no such character");
    p->at += 5;
    if (!is_high(unit))
        return true;
    if (p->end - p->at < 6 || p->at[0] != '\\' || p->at[1] != 'u' ||
        !is_low(hex4(p->at + 2, p->end)))
        return fail(p, "half a character");
    p->at += 6;
    return true;
}

static bool skip_text(Parse *p)
{
    for (p->at++; p->at < p->end;) {
        unsigned char c = (unsigned char)*p->at;
        if (c == '"') {
            p->at++;
            return true;
        }
        if (c < 0x20)
            return fail(p, "a control character in a text");
        if (c == '\\') {
            p->at++;
            if (!skip_escape(p))
                return false;
            continue;
        }
        size_t size =
            c < 0x80 ? 1 : sequence_size((const unsigned char *)p->at, (size_t)(p->end - p->at));
        if (size == 0)
            return fail(p, "not UTF-8");
        p->at += size;
    }
    return fail(p, "a text does not end");
}

static char *put_utf8(char *to, int c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(lead[more] | c >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    return to;
}

/* Writes what the escape behind a backslash stands for, and moves behind it. */
static char *put_escape(char *to, const char **at)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *p = *at;
    if (*p != 'u') {
        *to++ = meant[strchr(plain, *p) - plain];
        *at = p + 1;
        return to;
    }
    int c = hex4(p + 1, p + 5);
    *at = p + 5;
    if (is_high(c)) {
        c = 0x10000 + ((c - 0xd800) << 10) + (hex4(p + 7, p + 11) - 0xdc00);
        *at = p + 11;
    }
    return put_utf8(to, c);
}

const char *parse_text(Arena *a, const char **at)
{
    const char *from = *at + 1, *p = from;
    bool plain = true;
    for (; *p != '"'; p++)
        if (*p == '\\') {
            plain = false;
            p++;
        }
    *at = p + 1;
    if (plain)
        return arena_copy(a, from, (size_t)(p - from));
    char *text = arena_alloc(a, (size_t)(p - from) + 1), *to = text;
    while (from < p) {
        if (*from == '\\') {
            from++;
            to = put_escape(to, &from);
        } else {
            *to++ = *from++;
        }
    }
    return text;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool skip_digits(Parse *p)
{
    const char *first = p->at;
    while (p->at < p->end && is_digit(*p->at))
        p->at++;
    return p->at > first || fail(p, "a digit is expected");
}

static bool skip_number(Parse *p)
{
    if (*p->at == '-')
        p->at++;
    bool zero = p->at < p->end && *p->at == '0';
    const char *first = p->at;
    if (!skip_digits(p))
        return false;
    if (zero && p->at > first + 1)
        return fail(p, "a number with a zero before it");
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        if (!skip_digits(p))
            return false;
    }
    if (p->at == p->end || (*p->at != 'e' && *p->at != 'E'))
        return true;
    p->at++;
    if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
        p->at++;
    return skip_digits(p);
}

/* Powers of ten that a double holds exactly. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The mantissa's digits up to the exponent; false when there are more than fit exactly. */
static bool take_mantissa(const char **at, uint64_t *mantissa, int *scale)
{
    const char *p = *at;
    *mantissa = 0;
    *scale = 0;
    bool behind_point = false;
    for (; is_digit(*p) || *p == '.'; p++) {
        if (*p == '.') {
            behind_point = true;
            continue;
        }
        *mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
        if (*mantissa > (uint64_t)1 << 53)
            return false;
        *scale -= behind_point;
    }
    *at = p;
    return true;
}

static bool take_exponent(const char **at, int *scale)
{
    const char *p = *at;
    if (*p != 'e' && *p != 'E')
        return true;
    bool down = *++p == '-';
    int exponent = 0;
    p += *p == '-' || *p == '+';
    for (; is_digit(*p); p++) {
        exponent = exponent * 10 + (*p - '0');
        if (exponent > 9999)
            return false;
    }
    *scale += down ? -exponent : exponent;
    *at = p;
    return true;
}

/* A mantissa below 2^53 and a power of ten up to 10^22 are exact doubles, so that one division or
 * multiplication rounds once and right (Clinger 1990, "How to read floating point numbers
 * accurately"); the rest is for strtod. */
double parse_number(const char **at)
{
    const char *p = *at;
    uint64_t mantissa;
    int scale;
    bool negative = *p == '-';
    p += negative;
    if (take_mantissa(&p, &mantissa, &scale) && take_exponent(&p, &scale) && abs(scale) <= 22) {
        double m = (double)mantissa, value = scale < 0 ? m / tens[-scale] : m * tens[scale];
        *at = p;
        return negative ? -value : value;
    }
    char *end;
    double value = strtod(*at, &end);
    *at = end;
    return value;
}

bool parse_integer(const char **at, int64_t *out)
{
    const char *p = *at;
    bool negative = *p == '-';
    int64_t value = 0;
    for (p += negative; is_digit(*p); p++) {
        int digit = *p - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) /* downwards: there is one more */
            return false;
    }
    if (p == *at + negative || *p == '.' || *p == 'e' || *p == 'E' ||
        (!negative && value == INT64_MIN))
        return false;
    *out = negative ? value : -value;
    *at = p;
    return true;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool skip_word(Parse *p)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(p->end - p->at) >= size && memcmp(p->at, words[i], size) == 0) {
            p->at += size;
            return true;
        }
    }
    return fail(p, "a value is expected");
}

static bool skip_value(Parse *p, int depth);

/* The elements of an array or object behind its opening bracket. */
static bool skip_elements(Parse *p, char close, int depth)
{
    if (depth == NESTED_MOST)
        return fail(p, "too many brackets");
    if (parse_peek(p) == close)
        return parse_take(p, close);
    for (;;) {
        if (close == '}') {
            if (parse_peek(p) != '"')
                return fail(p, "a key is expected");
            if (!skip_text(p) || !parse_take(p, ':'))
                return false;
        }
        if (!skip_value(p, depth + 1))
            return false;
        if (parse_peek(p) != ',')
            return parse_take(p, close);
        p->at++;
    }
}

static bool skip_value(Parse *p, int depth)
{
    char c = parse_peek(p);
    if (c == '"')
        return skip_text(p);
    if (c == '-' || is_digit(c))
        return skip_number(p);
    if (c != '[' && c != '{')
        return skip_word(p);
    p->at++;
    return skip_elements(p, c == '[' ? ']' : '}', depth);
}

bool parse_skip(Parse *p)
{
    return skip_value(p, 0);
}

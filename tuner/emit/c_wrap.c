#include "tuner/emit/c_wrap.h"

#include <stdbool.h>
#include <string.h>

enum {
    INDENT = 4,    /* of what goes on outside of brackets */
    FARTHEST = 60, /* column that something goes on at below a bracket */
    DEEPEST = 32   /* brackets in brackets; further in nothing is broken */
};

/* Characters of UTF-8 text. */
static size_t count_columns(const char *s, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)s[i] & 0xc0) != 0x80;
    return columns;
}

static size_t count_blanks(const char *s, size_t length)
{
    const size_t blanks = strspn(s, " ");
    return blanks < length ? blanks : length;
}

/* Behind the string or character that begins at `i`; one further where none does. */
static size_t skip_literal(const char *s, size_t length, size_t i)
{
    const char quote = s[i++];
    if (quote != '"' && quote != '\'')
        return i;
    while (i < length && s[i] != quote)
        i += s[i] == '\\' ? 2 : 1;
    return i < length ? i + 1 : length;
}

/* Bytes of a line before a comment in it. */
static size_t code_length(const char *s, size_t length)
{
    for (size_t i = 0; i < length; i = skip_literal(s, length, i))
        if (i + 1 < length && s[i] == '/' && s[i + 1] == '*')
            return i;
    return length;
}

/* --- code ------------------------------------------------------------------------------------- */

/* The brackets around a place: columns at which what is inside of them goes on, the outermost for
 * what is in none. */
typedef struct Nest {
    size_t column[DEEPEST];
    size_t depth; /* the last of these */
} Nest;

/* A blank that a line can be broken at. */
typedef struct Spot {
    size_t at; /* 0: there is none */
    Nest nest;
} Spot;

/* Below what follows the bracket; a little further in than around it where that leaves no room. */
static void open_bracket(Nest *n, size_t column)
{
    const size_t around = n->column[n->depth];
    n->column[++n->depth] = column <= FARTHEST ? column : around + INDENT;
}

static bool is_before_choice(char c, char next)
{
    return (c == '?' || c == ':') && next == ' ';
}

static bool can_break_at(const char *s, size_t length, size_t i)
{
    if (s[i] != ' ' || i < 2 || i + 2 >= length)
        return false;
    return s[i - 1] == ',' || s[i - 1] == ';' || strncmp(s + i - 2, "&&", 2) == 0 ||
           strncmp(s + i - 2, "||", 2) == 0 || is_before_choice(s[i + 1], s[i + 2]);
}

/* The last one in as few brackets as can be.  `start` is the column of s[0], `nest` what is around
 * it. */
static Spot find_spot(const char *s, size_t length, size_t start, Nest nest)
{
    Spot best = {0};
    for (size_t i = count_blanks(s, length); i < length; i = skip_literal(s, length, i)) {
        if (start + count_columns(s, i) > C_WRAP_COLUMNS)
            break;
        if (strchr("([{", s[i])) {
            if (nest.depth + 1 == DEEPEST)
                break;
            open_bracket(&nest, start + count_columns(s, i + 1));
        } else if (strchr(")]}", s[i])) {
            nest.depth -= nest.depth > 0;
        } else if (can_break_at(s, length, i) && (best.at == 0 || nest.depth <= best.nest.depth)) {
            best = (Spot){i, nest};
        }
    }
    return best;
}

static void wrap_code(const char *s, size_t length, Buf *out)
{
    Nest nest = {.column = {count_blanks(s, length) + INDENT}};
    size_t start = 0;
    for (;;) {
        const size_t code = code_length(s, length);
        Spot spot = {0};
        if (start + count_columns(s, code) > C_WRAP_COLUMNS)
            spot = find_spot(s, code, start, nest);
        if (spot.at == 0)
            break;
        nest = spot.nest;
        start = nest.column[nest.depth];
        buf_add(out, s, spot.at);
        buf_putc(out, '\n');
        buf_fill(out, ' ', start);
        s += spot.at + 1;
        length -= spot.at + 1;
    }
    buf_add(out, s, length);
}

/* --- comments --------------------------------------------------------------------------------- */

/* What a line of a comment begins with: blanks, "/" "*" or " *", blanks. */
static size_t margin_of(const char *s, size_t length)
{
    size_t i = count_blanks(s, length);
    i += i < length && s[i] == '/';
    i += i < length && s[i] == '*';
    return i + count_blanks(s + i, length - i);
}

/* The last blank that leaves no more than fits before it, and not the end of the comment alone
 * behind it; 0: none.  `start` is the column of s[0]; nothing is broken before `margin`. */
static size_t last_blank(const char *s, size_t length, size_t start, size_t margin)
{
    size_t at = 0;
    for (size_t i = margin; i < length && start + count_columns(s, i) <= C_WRAP_COLUMNS; i++)
        if (s[i] == ' ' && strncmp(s + i, " */", 3) != 0)
            at = i;
    return at;
}

/* Lines that follow begin with a "*" below the one of the first. */
static void write_margin(const char *s, size_t margin, Buf *out)
{
    for (size_t i = 0; i < margin; i++)
        buf_putc(out, s[i] == '/' ? ' ' : s[i]);
}

static void wrap_comment(const char *s, size_t length, Buf *out)
{
    const char *first = s;
    const size_t margin = margin_of(s, length);
    size_t start = 0;
    while (start + count_columns(s, length) > C_WRAP_COLUMNS) {
        const size_t at = last_blank(s, length, start, start == 0 ? margin : 0);
        if (at == 0)
            break;
        buf_add(out, s, at);
        buf_putc(out, '\n');
        write_margin(first, margin, out);
        s += at + 1;
        length -= at + 1;
        start = margin;
    }
    buf_add(out, s, length);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Is there a comment that the line leaves open?  `open`: it begins in one. */
static bool leaves_open(const char *s, size_t length, bool open)
{
    size_t i = open ? 0 : code_length(s, length);
    for (; i + 1 < length; i++)
        if (s[i] == '*' && s[i + 1] == '/')
            return false;
    return open || code_length(s, length) < length;
}

void c_wrap(const char *text, Buf *out)
{
    bool open = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = count_blanks(text, length);
        if (open || code_length(text, length) == blanks)
            wrap_comment(text, length, out);
        else if (text[0] == '#')
            buf_add(out, text, length);
        else
            wrap_code(text, length, out);
        open = leaves_open(text, length, open);
        text += length;
        if (*text) {
            buf_putc(out, '\n');
            text++;
        }
    }
}

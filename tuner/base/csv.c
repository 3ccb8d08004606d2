#include "tuner/base/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    strtod(text, &end);
    return end == text || *end != '\0';
}

void csv_text(Buf *out, const char *text, bool always)
{
    Buf shown = {0};
    text = text ? text : "";
    if (is_formula(text))
        buf_putc(&shown, '\'');
    buf_shown(&shown, text, strlen(text), true);
    const char *cell = buf_text(&shown);
    bool quoted = always || strpbrk(cell, ",\"\n\t") != NULL;
    buf_puts(out, quoted ? "\"" : "");
    for (; *cell; cell++) {
        if (*cell == '"')
            buf_putc(out, '"');
        buf_putc(out, *cell);
    }
    buf_puts(out, quoted ? "\"" : "");
    buf_free(&shown);
}

void csv_number(Buf *out, double number, int digits)
{
    if (!isnan(number))
        buf_printf(out, "%.*g", digits, number);
}

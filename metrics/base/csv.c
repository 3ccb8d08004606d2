#include "metrics/base/csv.h"

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

Buf *csv_cell(Csv *c)
{
    if (c->begun)
        buf_putc(c->out, ',');
    c->begun = true;
    return c->out;
}

static void add_text(Csv *c, const char *text, bool quoted)
{
    SCOPED_BUF shown = {0};
    Buf *out = csv_cell(c);
    if (is_formula(text))
        buf_putc(&shown, '\'');
    buf_shown(&shown, text, strlen(text), true);
    const char *cell = buf_text(&shown);
    quoted = quoted || strpbrk(cell, ",\"\n\t") != NULL;
    buf_puts(out, quoted ? "\"" : "");
    for (; *cell; cell++) {
        if (*cell == '"')
            buf_putc(out, '"');
        buf_putc(out, *cell);
    }
    buf_puts(out, quoted ? "\"" : "");
}

void csv_text(Csv *c, const char *text)
{
    add_text(c, text ? text : "", false);
}

void csv_quoted(Csv *c, const char *text)
{
    add_text(c, text, true);
}

void csv_number(Csv *c, double number, int digits)
{
    Buf *out = csv_cell(c);
    if (!isnan(number))
        buf_printf(out, "%.*g", digits, number);
}

void csv_end_row(Csv *c)
{
    buf_putc(c->out, '\n');
    c->begun = false;
}

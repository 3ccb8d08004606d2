#include "tuner/record/line.h"

#include "metrics/base/hash.h"
#include "metrics/base/json_struct.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 32 bits: one damaged line in 4 × 10^9 goes unnoticed. Checksum digits compress worst of all. */
enum { SUM_DIGITS = 8, TIE_DIGITS = sizeof(LineChain) - 1 - SUM_DIGITS };

static const char sum_open[] = ",\"sum\":\"";
static const char sum_close[] = "\"}";

void line_begin(Buf *line)
{
    buf_clear(line);
    buf_putc(line, '{');
}

void line_comma(Buf *line)
{
    char last = line->size > 0 ? line->text[line->size - 1] : '{';
    if (last != '{' && last != '[')
        buf_putc(line, ',');
}

void line_key(Buf *line, const char *key)
{
    line_comma(line);
    buf_printf(line, "\"%s\":", key);
}

void line_text(Buf *line, const char *text)
{
    json_t *s = json_of_text(text);
    char *quoted = json_dumps(s, JSON_ENCODE_ANY);
    buf_puts(line, quoted ? quoted : "\"\"");
    free(quoted);
    json_decref(s);
}

void line_integer(Buf *line, int64_t number)
{
    buf_printf(line, "%" PRId64, number);
}

void line_number(Buf *line, double number)
{
    if (isfinite(number))
        buf_real(line, number, 6);
    else
        buf_puts(line, isnan(number) ? "null" : number > 0 ? "\"inf\"" : "\"-inf\"");
}

void line_value(Buf *line, Value v)
{
    if (v.kind == VALUE_STRING)
        line_text(line, v.string);
    else
        line_integer(line, v.integer);
}

void line_end(Buf *line)
{
    Hash sum = hash_bytes(line->text, line->size);
    buf_printf(line, "%s%.*s%s\n", sum_open, SUM_DIGITS, sum.text, sum_close);
}

/* The sum of a chained line, from its content and the sum of the line before. */
static LineChain chain_next(const char *content, size_t size, const LineChain *before)
{
    LineChain next = {0};
    Hash own = hash_bytes(content, size);
    Hasher *h = hasher_new();
    hasher_string(h, before->sum);
    hasher_string(h, own.text);
    Hash tie = hasher_end(h);
    memcpy(next.sum, own.text, SUM_DIGITS);
    memcpy(next.sum + SUM_DIGITS, tie.text, TIE_DIGITS);
    return next;
}

void line_end_chained(Buf *line, LineChain *chain)
{
    *chain = chain_next(line->text, line->size, chain);
    buf_printf(line, "%s%s%s\n", sum_open, chain->sum, sum_close);
}

LineState line_check(const char *text, size_t size, LineChain *chain)
{
    size_t digits = SUM_DIGITS + (chain ? TIE_DIGITS : 0);
    size_t behind = sizeof sum_open - 1 + digits + sizeof sum_close - 1;
    if (size <= behind)
        return LINE_DAMAGED;
    size_t content = size - behind;
    const char *sum = text + content + sizeof sum_open - 1;
    if (memcmp(text + content, sum_open, sizeof sum_open - 1) != 0 ||
        memcmp(sum + digits, sum_close, sizeof sum_close - 1) != 0)
        return LINE_DAMAGED;
    LineChain none = {0};
    LineChain next = chain_next(text, content, chain ? chain : &none);
    if (memcmp(sum, next.sum, SUM_DIGITS) != 0)
        return LINE_DAMAGED;
    if (!chain)
        return LINE_INTACT;
    bool tied = memcmp(sum, next.sum, digits) == 0;
    memcpy(chain->sum, sum, digits);
    return tied ? LINE_INTACT : LINE_ORPHAN;
}

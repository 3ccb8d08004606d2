/* The pieces that statements are made of. */
#include "tuner/spec/spec_build.h"

#include "metrics/base/file.h"

#include <string.h>

bool reader_take_expr(Reader *r, Expr **out)
{
    *out = expr_parse(&r->l);
    return *out != NULL;
}

bool reader_take_string(Reader *r, const char *what, const char **out)
{
    return lexer_take_string(&r->l, arena_printf(r->a, "%s in quotes", what), out);
}

bool reader_take_path(Reader *r, const char *what, const char **name, const char **path)
{
    Span at = r->l.token.at;
    if (!reader_take_string(r, what, name))
        return false;
    *path = path_join(r->a, path_folder(r->a, r->spec->source->name), *name);
    if (!file_exists(*path))
        diag_error(r->d, at, "there is no file '%s'", *path);
    return true;
}

bool reader_take_integer(Reader *r, const char *what, int64_t least, int64_t *out)
{
    Lexer *l = &r->l;
    if (l->token.kind != TOKEN_INT || l->token.integer < least) {
        if (l->token.kind != TOKEN_BAD)
            diag_error(l->diag, l->token.at, "expected %s, a whole number of at least %lld", what,
                       (long long)least);
        return false;
    }
    *out = l->token.integer;
    lexer_next(l);
    return true;
}

/* expr { "," expr } */
bool reader_take_list(Reader *r, ExprVec *out)
{
    do {
        Expr *e;
        if (!reader_take_expr(r, &e))
            return false;
        VEC_PUSH(r->a, out, e);
    } while (lexer_take(&r->l, ","));
    TokenKind k = r->l.token.kind;
    if (k == TOKEN_INT || k == TOKEN_REAL || k == TOKEN_STRING)
        return diag_error(r->d, r->l.token.at, "expected ',' between values, found %s",
                          lexer_describe(&r->l));
    return true;
}

/* Takes note that a line which may stand only once was met; false after a message when it was
 * already. */
bool reader_only_once(Reader *r, Span *met, Span at, const char *what)
{
    if (met->source) {
        size_t line, column;
        source_position(met->source, met->offset, &line, &column);
        return diag_error(r->d, at, "there is a %s already, in line %zu", what, line);
    }
    *met = at;
    return true;
}

/* --- strings in which "{expr}" stands for a value: names of kernels, options, commands ---------- */

/* The expression from `start` to `end` in the spec's own text, so that messages show its place. */
static Expr *parse_inside(Reader *r, size_t start, size_t end)
{
    const Source *whole = r->spec->source;
    const Source *part = source_new(r->a, whole->name, arena_copy(r->a, whole->text, end), end);
    Lexer l = {.arena = r->a, .diag = r->d, .source = part, .at = start};
    lexer_next(&l);
    Expr *e = expr_parse(&l);
    if (e && !lexer_at_end_of_line(&l)) {
        diag_error(r->d, l.token.at, "expected '}' after the value, found %s", lexer_describe(&l));
        return NULL;
    }
    return e;
}

typedef struct Scan {
    Reader *reader;
    size_t at, end; /* in the spec's text, behind the opening quotes and at the closing ones */
    Buf literal;
    Text *out;
    size_t capacity;
} Scan;

static void add_piece(Scan *s, Expr *value)
{
    TextPiece piece = {arena_string(s->reader->a, buf_text(&s->literal)), value};
    s->out->pieces =
        vec_grow(s->reader->a, s->out->pieces, s->out->piece_count, &s->capacity, sizeof piece);
    s->out->pieces[s->out->piece_count++] = piece;
    buf_clear(&s->literal);
}

/* One character, escape, doubled brace or value. */
static bool scan_next(Scan *s)
{
    const char *text = s->reader->spec->source->text;
    char c = text[s->at++];
    char next = s->at < s->end ? text[s->at] : '\0';
    if (c == '\\' || ((c == '{' || c == '}') && next == c)) {
        buf_putc(&s->literal, c != '\\' ? c : next == 'n' ? '\n' : next == 't' ? '\t' : next);
        s->at++;
    } else if (c == '{') {
        const char *close = memchr(text + s->at, '}', s->end - s->at);
        Span open = {s->reader->spec->source, s->at - 1, 1};
        if (!close)
            return diag_error(s->reader->d, open,
                              "there is no '}' for this; write '{{' for a brace");
        size_t end = (size_t)(close - text);
        Expr *e = parse_inside(s->reader, s->at, end);
        if (!e)
            return false;
        add_piece(s, e);
        s->at = end + 1;
    } else {
        buf_putc(&s->literal, c);
    }
    return true;
}

bool reader_take_text(Reader *r, const char *what, Text *out)
{
    Span at = r->l.token.at;
    *out = (Text){.at = at};
    if (!reader_take_string(r, what, &out->written))
        return false;
    Scan s = {.reader = r, .at = at.offset + 1, .end = at.offset + at.length - 1, .out = out};
    bool ok = true;
    while (ok && s.at < s.end)
        ok = scan_next(&s);
    add_piece(&s, NULL);
    buf_free(&s.literal);
    return ok;
}

bool spec_text_fill(const Text *t, const Value *slots, Evaluation *ev, Buf *out)
{
    for (size_t i = 0; i < t->piece_count; i++) {
        Value v;
        buf_puts(out, t->pieces[i].text);
        if (!t->pieces[i].value)
            continue;
        if (!expr_eval(t->pieces[i].value, slots, ev, &v))
            return false;
        value_print_bare(v, out);
    }
    return true;
}

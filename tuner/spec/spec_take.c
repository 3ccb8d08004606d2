/* The building blocks of statements. */
#include "tuner/spec/spec_build.h"

#include "metrics/base/file.h"

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
    const Token *t = &r->l.token;
    if (t->kind != TOKEN_INT || t->integer < least)
        return t->kind != TOKEN_BAD &&
               diag_error(r->d, t->at, "expected %s, an integer of at least %lld", what,
                          (long long)least);
    *out = t->integer;
    lexer_next(&r->l);
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
    return (k != TOKEN_INT && k != TOKEN_REAL && k != TOKEN_STRING) ||
           lexer_wrong(&r->l, "',' between values");
}

bool reader_take_dimensions(Reader *r, const char *what, Expr *out[3])
{
    ExprVec v = {0};
    if (!reader_take_list(r, &v))
        return false;
    if (v.count > 3)
        return diag_error(r->d, expr_span(v.at[3]), "a %s has at most three dimensions", what);
    for (size_t i = 0; i < v.count; i++)
        out[i] = v.at[i];
    return true;
}

bool reader_only_once(Reader *r, Span *met, Span at, const char *what)
{
    if (met->source) {
        size_t line, column;
        source_position(met->source, met->offset, &line, &column);
        return diag_error(r->d, at, "there is already a %s, in line %zu", what, line);
    }
    *met = at;
    return true;
}

/* Statements about the space: problem, param, let, require. */
#include "tuner/spec/spec_build.h"

/* A problem line while it is read. */
typedef struct Sizes {
    VEC(const char *) names;
    VEC(Span) at; /* of the names */
    ExprVec exprs;
} Sizes;

/* NAME = expr */
static bool take_size(Reader *r, Sizes *s)
{
    Span name_at = r->l.token.at;
    const char *name;
    Expr *e;
    if (!lexer_take_name(&r->l, "a name such as N", &name) ||
        !lexer_expect(&r->l, "=", "after the name"))
        return false;
    if (word_place(name, s->names.at, s->names.count) < SIZE_MAX)
        return diag_error(r->d, name_at, "'%s' occurs twice in this problem", name);
    if (!reader_take_expr(r, &e))
        return false;
    VEC_PUSH(r->a, &s->names, name);
    VEC_PUSH(r->a, &s->at, name_at);
    VEC_PUSH(r->a, &s->exprs, e);
    return true;
}

/* Declares the names of the first problem; further problems must have the same. */
static bool accept_sizes(Reader *r, const Sizes *s, Span at)
{
    if (r->spec->problem_count > 0) {
        SCOPED_BUF names = {0};
        bool same = s->names.count == r->spec->problem_name_count;
        for (size_t i = 0; i < r->spec->problem_name_count; i++) {
            same = same && strcmp(s->names.at[i], r->spec->problem_names[i]) == 0;
            buf_printf(&names, "%s%s", i ? ", " : "", r->spec->problem_names[i]);
        }
        return same ||
               diag_error(r->d, at, "every problem must have the same names in the same order: %s",
                          buf_text(&names));
    }
    for (size_t i = 0; i < s->names.count; i++) {
        if (!reader_declare(r, s->names.at[i], s->at.at[i]))
            return false;
        reader_mark(r, s->names.at[i], false);
    }
    r->spec->problem_names = s->names.at;
    r->spec->problem_name_count = s->names.count;
    return true;
}

/* problem NAME = expr { "," NAME = expr } */
bool read_problem(Reader *r)
{
    Problem p = {.at = r->at};
    Sizes s = {0};
    bool ok = true;
    do {
        ok = take_size(r, &s);
    } while (ok && lexer_take(&r->l, ","));
    if (ok && !lexer_at_end_of_line(&r->l) && r->l.token.kind == TOKEN_NAME)
        ok = diag_error(r->d, r->l.token.at, "expected ',' before the next name");
    if (!ok || !accept_sizes(r, &s, r->at)) {
        r->problem_broken = true;
        return false;
    }
    p.exprs = s.exprs.at;
    SPEC_ADD(r->a, r->spec, problems, problem_count, p);
    return true;
}

/* param NAME in expr { "," expr } */
bool read_param(Reader *r)
{
    r->param_met = true;
    Parameter p = {.at = r->l.token.at};
    ExprVec items = {0};
    if (!lexer_take_name(&r->l, "the name of a parameter", &p.name) ||
        !reader_declare(r, p.name, p.at) ||
        !lexer_expect(&r->l, "in", "between the name and its values") ||
        !reader_take_list(r, &items))
        return false;
    p.items = items.at;
    p.item_count = items.count;
    reader_mark(r, p.name, false);
    SPEC_ADD(r->a, r->spec, parameters, parameter_count, p);
    return true;
}

/* let NAME = expr */
bool read_let(Reader *r)
{
    Derived v = {.at = r->l.token.at};
    if (!lexer_take_name(&r->l, "a name", &v.name) || !reader_declare(r, v.name, v.at) ||
        !lexer_expect(&r->l, "=", "after the name") || !reader_take_expr(r, &v.value))
        return false;
    reader_mark(r, v.name, false);
    SPEC_ADD(r->a, r->spec, derived, derived_count, v);
    return true;
}

/* require expr */
bool read_require(Reader *r)
{
    Constraint c = {0};
    if (!reader_take_expr(r, &c.condition))
        return false;
    c.at = expr_span(c.condition);
    SPEC_ADD(r->a, r->spec, constraints, constraint_count, c);
    return true;
}

/* Text to spec: one function for each statement.  Binding of names is in spec_bind.c. */
#include "tuner/spec/spec_build.h"

#include "metrics/base/file.h"

#include <stdio.h>
#include <string.h>

/* A name that may be declared; NULL after a message. */
static const char *take_name(Reader *r, const char *what)
{
    Lexer *l = &r->l;
    if (l->token.kind != TOKEN_NAME) {
        if (l->token.kind != TOKEN_BAD)
            diag_error(l->diag, l->token.at, "expected %s, found %s", what, lexer_describe(l));
        return NULL;
    }
    const char *name = l->token.text;
    lexer_next(l);
    return name;
}

static const char *take_string(Reader *r, const char *what)
{
    Lexer *l = &r->l;
    if (l->token.kind != TOKEN_STRING) {
        if (l->token.kind != TOKEN_BAD)
            diag_error(l->diag, l->token.at, "expected %s in quotes, found %s", what,
                       lexer_describe(l));
        return NULL;
    }
    const char *text = l->token.text;
    lexer_next(l);
    return text;
}

static bool take_integer(Reader *r, const char *what, int64_t least, int64_t *out)
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

static bool take_number(Reader *r, const char *what, double *out)
{
    Lexer *l = &r->l;
    if (l->token.kind != TOKEN_INT && l->token.kind != TOKEN_REAL) {
        if (l->token.kind != TOKEN_BAD)
            diag_error(l->diag, l->token.at, "expected %s, found %s", what, lexer_describe(l));
        return false;
    }
    *out = l->token.real;
    lexer_next(l);
    return true;
}

/* expr { "," expr } */
static bool take_list(Reader *r, ExprVec *out)
{
    do {
        Expr *e = expr_parse(&r->l);
        if (!e)
            return false;
        VEC_PUSH(r->a, out, e);
    } while (lexer_take(&r->l, ","));
    return true;
}

/* problem NAME = expr { "," NAME = expr } */
static bool read_problem(Reader *r, Span at)
{
    Problem p = {.at = at};
    VEC(const char *) names = {0};
    ExprVec exprs = {0};
    do {
        Span name_at = r->l.token.at;
        const char *name = take_name(r, "a name such as N");
        if (!name || !lexer_expect(&r->l, "=", "after the name"))
            return false;
        for (size_t i = 0; i < names.count; i++)
            if (strcmp(names.at[i], name) == 0)
                return diag_error(r->d, name_at, "'%s' stands twice in this problem", name);
        Expr *e = expr_parse(&r->l);
        if (!e)
            return false;
        VEC_PUSH(r->a, &names, name);
        VEC_PUSH(r->a, &exprs, e);
    } while (lexer_take(&r->l, ","));
    p.exprs = exprs.at;
    if (r->problems.count == 0) {
        r->spec->problem_names = names.at;
        r->spec->problem_name_count = names.count;
        for (size_t i = 0; i < names.count; i++)
            if (!reader_declare(r, names.at[i], at))
                return false;
    } else if (!reader_same_problem_names(r, names.at, names.count)) {
        return diag_error(r->d, at, "every problem has the same names in the same order");
    }
    VEC_PUSH(r->a, &r->problems, p);
    return true;
}

/* param NAME in expr { "," expr } */
static bool read_param(Reader *r, Span at)
{
    Parameter p = {.at = at};
    Span name_at = r->l.token.at;
    p.name = take_name(r, "the name of a parameter");
    if (!p.name || !lexer_expect(&r->l, "in", "between the name and its values") ||
        !reader_declare(r, p.name, name_at))
        return false;
    ExprVec items = {0};
    if (!take_list(r, &items))
        return false;
    p.items = items.at;
    p.item_count = items.count;
    VEC_PUSH(r->a, &r->parameters, p);
    reader_order(r, DECLARED_PARAMETER, r->parameters.count - 1);
    return true;
}

/* let NAME = expr */
static bool read_let(Reader *r, Span at)
{
    Derived v = {.at = at};
    Span name_at = r->l.token.at;
    v.name = take_name(r, "a name");
    if (!v.name || !lexer_expect(&r->l, "=", "after the name") ||
        !reader_declare(r, v.name, name_at))
        return false;
    v.value = expr_parse(&r->l);
    if (!v.value)
        return false;
    VEC_PUSH(r->a, &r->derived, v);
    reader_order(r, DECLARED_DERIVED, r->derived.count - 1);
    return true;
}

/* require expr */
static bool read_require(Reader *r, Span at)
{
    Constraint c = {.at = at, .condition = expr_parse(&r->l)};
    if (!c.condition)
        return false;
    c.at = expr_span(c.condition);
    VEC_PUSH(r->a, &r->constraints, c);
    return true;
}

/* "file.cu" NAME, as in kernel and reference statements */
static bool take_kernel(Reader *r, Launch *k)
{
    Span at = r->l.token.at;
    k->file = take_string(r, "the file of the kernel");
    if (!k->file)
        return false;
    k->path = path_join(r->a, path_folder(r->a, r->spec->source->name), k->file);
    if (!file_exists(k->path))
        return diag_error(r->d, at, "there is no file '%s'", k->path);
    k->entry = take_name(r, "the name of the kernel");
    return k->entry != NULL;
}

/* kernel "file.cu" NAME: begins a launch; block, grid and shared lines after it belong to it */
static bool read_kernel(Reader *r, Span at)
{
    Launch k = {.at = at};
    if (!take_kernel(r, &k))
        return false;
    VEC_PUSH(r->a, &r->launches, k);
    return true;
}

static bool take_dimensions(Reader *r, const char *what, Expr *out[3])
{
    ExprVec v = {0};
    if (!take_list(r, &v))
        return false;
    if (v.count > 3)
        return diag_error(r->d, expr_span(v.at[3]), "a %s has at most three dimensions", what);
    for (size_t i = 0; i < v.count; i++)
        out[i] = v.at[i];
    return true;
}

static Launch *current_launch(Reader *r, Span at, const char *what)
{
    if (r->launches.count > 0)
        return &r->launches.at[r->launches.count - 1];
    diag_error(r->d, at, "'%s' belongs to a kernel: put it after the kernel line", what);
    return NULL;
}

static bool read_geometry(Reader *r, Span at, const char *what, bool grid)
{
    Launch *k = current_launch(r, at, what);
    if (!k)
        return false;
    Expr **dimensions = grid ? k->grid : k->block;
    if (dimensions[0])
        return diag_error(r->d, at, "this kernel already has a %s", what);
    return take_dimensions(r, what, dimensions);
}

/* block expr [ "," expr [ "," expr ] ] */
static bool read_block(Reader *r, Span at)
{
    return read_geometry(r, at, "block", false);
}

/* grid expr [ "," expr [ "," expr ] ] */
static bool read_grid(Reader *r, Span at)
{
    return read_geometry(r, at, "grid", true);
}

/* shared expr */
static bool read_shared(Reader *r, Span at)
{
    Launch *k = current_launch(r, at, "shared");
    if (!k)
        return false;
    k->shared = expr_parse(&r->l);
    return k->shared != NULL;
}

/* option "-use_fast_math" */
static bool read_option(Reader *r, Span at)
{
    (void)at;
    const char *option = take_string(r, "a compiler option");
    if (!option)
        return false;
    VEC_PUSH(r->a, &r->options, option);
    return true;
}

static bool take_contents(Reader *r, Contents *c)
{
    Span at = r->l.token.at;
    if (lexer_take(&r->l, "zero"))
        return true;
    bool uniform = lexer_take(&r->l, "uniform");
    if (!uniform && !lexer_take(&r->l, "constant"))
        return diag_error(r->d, at,
                          "unknown contents; there are zero, constant(value) and "
                          "uniform(low, high [, seed])");
    c->kind = uniform ? CONTENTS_UNIFORM : CONTENTS_CONSTANT;
    ExprVec v = {0};
    if (!lexer_expect(&r->l, "(", "with the numbers") || !take_list(r, &v) ||
        !lexer_expect(&r->l, ")", "after the numbers"))
        return false;
    size_t least = uniform ? 2 : 1, most = uniform ? 3 : 1;
    if (v.count < least || v.count > most)
        return diag_error(r->d, span_join(at, r->l.last), "%s",
                          uniform ? "uniform takes low, high and perhaps a seed"
                                  : "constant takes one value");
    for (size_t i = 0; i < v.count; i++)
        c->numbers[i] = v.at[i];
    return true;
}

/* NAME ":" TYPE */
static bool take_typed_name(Reader *r, Argument *g)
{
    g->name = take_name(r, "the name of an argument");
    if (!g->name || !lexer_expect(&r->l, ":", "between the name and its type"))
        return false;
    for (size_t i = 0; i < r->arguments.count; i++)
        if (strcmp(r->arguments.at[i].name, g->name) == 0)
            return diag_error(r->d, r->l.last, "there is an argument '%s' already", g->name);
    Span at = r->l.token.at;
    const char *type = take_name(r, "a type");
    if (!type)
        return false;
    g->element = element_find(type);
    if (g->element)
        return true;
    const char *names[64];
    const char *closest = name_closest(type, names, element_names(names, 64));
    return diag_error(r->d, at, "unknown type '%s'; %s%s%s", type,
                      closest ? "did you mean '"
                              : "there are int8 … uint64, int, uint, half, float",
                      closest ? closest : " and double", closest ? "'?" : "");
}

/* in|out|inout NAME ":" TYPE "[" expr "]" [ "=" contents ] */
static bool read_buffer(Reader *r, Span at, ArgumentRole role)
{
    Argument g = {.at = at, .role = role};
    if (!take_typed_name(r, &g) || !lexer_expect(&r->l, "[", "with the number of elements"))
        return false;
    g.count = expr_parse(&r->l);
    if (!g.count || !lexer_expect(&r->l, "]", "after the number of elements"))
        return false;
    if (lexer_take(&r->l, "=") && !take_contents(r, &g.contents))
        return false;
    VEC_PUSH(r->a, &r->arguments, g);
    return true;
}

static bool read_in(Reader *r, Span at)
{
    return read_buffer(r, at, ARGUMENT_IN);
}

static bool read_out(Reader *r, Span at)
{
    return read_buffer(r, at, ARGUMENT_OUT);
}

static bool read_inout(Reader *r, Span at)
{
    return read_buffer(r, at, ARGUMENT_INOUT);
}

/* arg NAME ":" TYPE "=" expr */
static bool read_arg(Reader *r, Span at)
{
    Argument g = {.at = at, .role = ARGUMENT_SCALAR};
    if (!take_typed_name(r, &g) || !lexer_expect(&r->l, "=", "and the value"))
        return false;
    g.value = expr_parse(&r->l);
    if (!g.value)
        return false;
    VEC_PUSH(r->a, &r->arguments, g);
    return true;
}

/* reference "file.cu" NAME [ block … ] [ grid … ] [ shared … ], on one line */
static bool read_reference(Reader *r, Span at)
{
    if (r->spec->reference)
        return diag_error(r->d, at, "there is a reference already");
    Launch *k = ARENA_NEW(r->a, Launch);
    k->at = at;
    if (!take_kernel(r, k))
        return false;
    for (;;) {
        if (lexer_take(&r->l, "block")) {
            if (!take_dimensions(r, "block", k->block))
                return false;
        } else if (lexer_take(&r->l, "grid")) {
            if (!take_dimensions(r, "grid", k->grid))
                return false;
        } else if (lexer_take(&r->l, "shared")) {
            k->shared = expr_parse(&r->l);
            if (!k->shared)
                return false;
        } else {
            break;
        }
    }
    r->spec->reference = k;
    return true;
}

/* tolerance NUMBER */
static bool read_tolerance(Reader *r, Span at)
{
    (void)at;
    return take_number(r, "the error allowed, relative to the size of the output",
                       &r->spec->tolerance);
}

/* work [flop = expr] [,] [bytes = expr] */
static bool read_work(Reader *r, Span at)
{
    (void)at;
    do {
        Expr **target = lexer_is(&r->l, "flop")    ? &r->spec->work_flop
                        : lexer_is(&r->l, "bytes") ? &r->spec->work_bytes
                                                   : NULL;
        if (!target)
            return diag_error(r->d, r->l.token.at, "expected 'flop = …' or 'bytes = …', found %s",
                              lexer_describe(&r->l));
        lexer_next(&r->l);
        if (!lexer_expect(&r->l, "=", "and the amount of work"))
            return false;
        *target = expr_parse(&r->l);
        if (!*target)
            return false;
    } while (lexer_take(&r->l, ","));
    return true;
}

/* metric …: kept as it is; metrics/ reads it */
static bool read_metric(Reader *r, Span at)
{
    Lexer *l = &r->l;
    while (!lexer_at_end_of_line(l))
        lexer_next(l);
    Source *line = ARENA_NEW(r->a, Source);
    line->name = r->spec->source->name;
    /* Blank lines in front keep the line number of messages right. */
    size_t number, column;
    source_position(r->spec->source, at.offset, &number, &column);
    Buf b = {0};
    buf_fill(&b, '\n', number - 1);
    buf_fill(&b, ' ', column - 1);
    buf_add(&b, at.source->text + at.offset, l->token.at.offset - at.offset);
    line->text = arena_copy(r->a, buf_text(&b), b.size);
    line->size = b.size;
    buf_free(&b);
    VEC_PUSH(r->a, &r->metric_lines, line);
    return true;
}

/* [ "higher" | "lower" ] NAME { "," … } */
static bool take_criteria(Reader *r, CarveStage *c)
{
    VEC(CarveCriterion) v = {0};
    do {
        CarveCriterion k = {0};
        if (lexer_take(&r->l, "higher"))
            k.direction = 1;
        else if (lexer_take(&r->l, "lower"))
            k.direction = -1;
        k.at = r->l.token.at;
        k.name = take_name(r, "the name of a metric");
        if (!k.name)
            return false;
        VEC_PUSH(r->a, &v, k);
    } while (lexer_take(&r->l, ","));
    c->criteria = v.at;
    c->criterion_count = v.count;
    return true;
}

/* carve front CRITERIA [ keep ] [ budget N [ fill ] ] [ band P % ] */
static bool read_front(Reader *r, CarveStage *c)
{
    c->kind = CARVE_FRONT;
    if (!take_criteria(r, c))
        return false;
    if (c->criterion_count < 2)
        return diag_error(r->d, c->at, "a front is a tradeoff between two or more metrics");
    for (;;) {
        if (lexer_take(&r->l, "keep")) {
            c->keep_ties = true;
        } else if (lexer_take(&r->l, "budget")) {
            if (!take_integer(r, "the number of configurations", 1, &c->count))
                return false;
            c->fill = lexer_take(&r->l, "fill");
        } else if (lexer_take(&r->l, "band")) {
            if (!take_number(r, "a percentage", &c->percent) ||
                !lexer_expect(&r->l, "%", "after the number"))
                return false;
        } else {
            return true;
        }
    }
}

/* carve best N by CRITERION */
static bool read_best(Reader *r, CarveStage *c)
{
    c->kind = CARVE_BEST;
    if (!take_integer(r, "the number of configurations", 1, &c->count) ||
        !lexer_expect(&r->l, "by", "and a metric") || !take_criteria(r, c))
        return false;
    return c->criterion_count == 1 || diag_error(r->d, c->at, "'best' goes by one metric");
}

/* carve within NUMBER % of CRITERION */
static bool read_within(Reader *r, CarveStage *c)
{
    c->kind = CARVE_WITHIN;
    if (!take_number(r, "a percentage", &c->percent) ||
        !lexer_expect(&r->l, "%", "after the number") ||
        !lexer_expect(&r->l, "of", "and a metric") || !take_criteria(r, c))
        return false;
    return c->criterion_count == 1 || diag_error(r->d, c->at, "'within' goes by one metric");
}

/* carve front … | best … | within … | expr */
static bool read_carve(Reader *r, Span at)
{
    CarveStage c = {.at = at};
    bool ok;
    if (lexer_take(&r->l, "front")) {
        ok = read_front(r, &c);
    } else if (lexer_take(&r->l, "best")) {
        ok = read_best(r, &c);
    } else if (lexer_take(&r->l, "within")) {
        ok = read_within(r, &c);
    } else {
        c.kind = CARVE_THRESHOLD;
        c.condition = expr_parse(&r->l);
        ok = c.condition != NULL;
    }
    if (ok)
        VEC_PUSH(r->a, &r->carving, c);
    return ok;
}

/* polish N */
static bool read_polish(Reader *r, Span at)
{
    (void)at;
    return take_integer(r, "the number of neighbours to time", 0, &r->spec->polish);
}

typedef struct Statement {
    const char *word;
    bool (*read)(Reader *r, Span at);
} Statement;

static const Statement statements[] = {
    {"kernel", read_kernel},
    {"problem", read_problem},
    {"param", read_param},
    {"let", read_let},
    {"require", read_require},
    {"block", read_block},
    {"grid", read_grid},
    {"shared", read_shared},
    {"option", read_option},
    {"in", read_in},
    {"out", read_out},
    {"inout", read_inout},
    {"arg", read_arg},
    {"reference", read_reference},
    {"tolerance", read_tolerance},
    {"work", read_work},
    {"metric", read_metric},
    {"carve", read_carve},
    {"polish", read_polish},
};
enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static const Statement *find_statement(Reader *r)
{
    const char *words[STATEMENTS];
    for (size_t i = 0; i < STATEMENTS; i++) {
        words[i] = statements[i].word;
        if (lexer_is(&r->l, words[i]))
            return &statements[i];
    }
    if (r->l.token.kind == TOKEN_BAD)
        return NULL;
    const char *closest = name_closest(r->l.token.text, words, STATEMENTS);
    if (r->l.token.kind == TOKEN_NAME && closest)
        diag_error(r->d, r->l.token.at, "unknown statement '%s'; did you mean '%s'?",
                   r->l.token.text, closest);
    else
        diag_error(r->d, r->l.token.at,
                   "expected a statement such as 'param' or 'require', found %s",
                   lexer_describe(&r->l));
    return NULL;
}

static void read_statements(Reader *r)
{
    while (r->l.token.kind != TOKEN_END) {
        if (r->l.token.kind == TOKEN_NEWLINE) {
            lexer_next(&r->l);
            continue;
        }
        Span at = r->l.token.at;
        const Statement *s = find_statement(r);
        if (!s) {
            lexer_skip_line(&r->l);
            continue;
        }
        lexer_next(&r->l);
        if (!s->read(r, at))
            lexer_skip_line(&r->l);
        else
            lexer_end_line(&r->l);
    }
}

Spec *spec_parse(Arena *a, const Source *source, Diag *d)
{
    Spec *s = ARENA_NEW(a, Spec);
    s->source = source;
    s->name = path_stem(a, source->name, ".spec");
    Reader r = {.a = a, .d = d, .spec = s};
    size_t before = d->errors;
    r.l = lexer_new(a, source, d);
    read_statements(&r);
    reader_finish(&r);
    return d->errors == before ? s : NULL;
}

Spec *spec_read(Arena *a, const char *path, Diag *d)
{
    const Source *source = source_read(a, path, d);
    return source ? spec_parse(a, source, d) : NULL;
}

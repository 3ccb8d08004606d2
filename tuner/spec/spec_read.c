/* Text to spec: one function for each statement.  Binding of names is in spec_bind.c. */
#include "tuner/spec/spec_build.h"

#include "metrics/base/file.h"

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
    TokenKind k = r->l.token.kind;
    if (k == TOKEN_INT || k == TOKEN_REAL || k == TOKEN_STRING)
        return diag_error(r->d, r->l.token.at, "expected ',' between values, found %s",
                          lexer_describe(&r->l));
    return true;
}

/* Takes note that a line which may stand only once was met; false after a message when it was
 * already. */
static bool only_once(Reader *r, Span *met, Span at, const char *what)
{
    if (met->source) {
        size_t line, column;
        source_position(met->source, met->offset, &line, &column);
        return diag_error(r->d, at, "there is a %s already, in line %zu", what, line);
    }
    *met = at;
    return true;
}

/* What a problem line says, while it is read. */
typedef struct Sizes {
    VEC(const char *) names;
    VEC(Span) at; /* of the names */
    ExprVec exprs;
} Sizes;

/* NAME = expr */
static bool take_size(Reader *r, Sizes *s)
{
    Span name_at = r->l.token.at;
    const char *name = take_name(r, "a name such as N");
    if (!name || !lexer_expect(&r->l, "=", "after the name"))
        return false;
    for (size_t i = 0; i < s->names.count; i++)
        if (strcmp(s->names.at[i], name) == 0)
            return diag_error(r->d, name_at, "'%s' stands twice in this problem", name);
    Expr *e = expr_parse(&r->l);
    if (!e)
        return false;
    VEC_PUSH(r->a, &s->names, name);
    VEC_PUSH(r->a, &s->at, name_at);
    VEC_PUSH(r->a, &s->exprs, e);
    return true;
}

/* The names of the first problem are declared; those of another one are compared with them. */
static bool accept_sizes(Reader *r, const Sizes *s, Span at)
{
    if (r->problems.count > 0) {
        if (reader_same_problem_names(r, s->names.at, s->names.count))
            return true;
        Buf names = {0};
        for (size_t i = 0; i < r->spec->problem_name_count; i++)
            buf_printf(&names, "%s%s", i ? ", " : "", r->spec->problem_names[i]);
        diag_error(r->d, at, "every problem has the same names in the same order: %s",
                   buf_text(&names));
        buf_free(&names);
        return false;
    }
    for (size_t i = 0; i < s->names.count; i++) {
        if (!reader_declare(r, s->names.at[i], s->at.at[i]))
            return false;
        reader_mend(r, s->names.at[i]);
    }
    r->spec->problem_names = s->names.at;
    r->spec->problem_name_count = s->names.count;
    return true;
}

/* problem NAME = expr { "," NAME = expr } */
static bool read_problem(Reader *r, Span at)
{
    Problem p = {.at = at};
    Sizes s = {0};
    bool ok = true;
    do {
        ok = take_size(r, &s);
    } while (ok && lexer_take(&r->l, ","));
    if (ok && !lexer_at_end_of_line(&r->l) && r->l.token.kind == TOKEN_NAME)
        ok = diag_error(r->d, r->l.token.at, "expected ',' before the next name");
    if (!ok || !accept_sizes(r, &s, at)) {
        r->problem_broken = true;
        return false;
    }
    p.exprs = s.exprs.at;
    VEC_PUSH(r->a, &r->problems, p);
    return true;
}

/* param NAME in expr { "," expr } */
static bool read_param(Reader *r, Span at)
{
    (void)at;
    r->param_met = true;
    Parameter p = {.at = r->l.token.at};
    p.name = take_name(r, "the name of a parameter");
    if (!p.name || !reader_declare(r, p.name, p.at) ||
        !lexer_expect(&r->l, "in", "between the name and its values"))
        return false;
    ExprVec items = {0};
    if (!take_list(r, &items))
        return false;
    p.items = items.at;
    p.item_count = items.count;
    reader_mend(r, p.name);
    VEC_PUSH(r->a, &r->parameters, p);
    reader_order(r, DECLARED_PARAMETER, r->parameters.count - 1);
    return true;
}

/* let NAME = expr */
static bool read_let(Reader *r, Span at)
{
    (void)at;
    Derived v = {.at = r->l.token.at};
    v.name = take_name(r, "a name");
    if (!v.name || !reader_declare(r, v.name, v.at) || !lexer_expect(&r->l, "=", "after the name"))
        return false;
    v.value = expr_parse(&r->l);
    if (!v.value)
        return false;
    reader_mend(r, v.name);
    VEC_PUSH(r->a, &r->derived, v);
    reader_order(r, DECLARED_DERIVED, r->derived.count - 1);
    return true;
}

/* require expr */
static bool read_require(Reader *r, Span at)
{
    (void)at;
    Constraint c = {.condition = expr_parse(&r->l)};
    if (!c.condition)
        return false;
    c.at = expr_span(c.condition);
    VEC_PUSH(r->a, &r->constraints, c);
    return true;
}

static bool is_launch_word(const Lexer *l)
{
    return lexer_is(l, "block") || lexer_is(l, "grid") || lexer_is(l, "shared");
}

/* "file.cu" NAME, as in kernel and reference statements.  A missing file is no reason to stop. */
static bool take_kernel(Reader *r, Launch *k)
{
    Span at = r->l.token.at;
    k->file = take_string(r, "the file of the kernel");
    if (!k->file)
        return false;
    k->path = path_join(r->a, path_folder(r->a, r->spec->source->name), k->file);
    if (!file_exists(k->path))
        diag_error(r->d, at, "there is no file '%s'", k->path);
    const char *name = is_launch_word(&r->l) ? NULL : take_name(r, "the name of the kernel");
    if (is_launch_word(&r->l) && !name)
        diag_error(r->d, r->l.token.at, "expected the name of the kernel, found '%s'",
                   r->l.token.text);
    if (name)
        k->entry = name;
    return name != NULL;
}

/* kernel "file.cu" NAME: begins a launch; block, grid and shared lines after it belong to it */
static bool read_kernel(Reader *r, Span at)
{
    r->kernel_met = true;
    Launch k = {.at = at, .entry = "this kernel"};
    bool ok = take_kernel(r, &k);
    VEC_PUSH(r->a, &r->launches, k); /* even so: the lines after it belong to it */
    VEC_PUSH(r->a, &r->launch_lines, (LaunchLines){0});
    return ok;
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

/* One of block, grid and shared, whose word was taken: into the launch, noted in `met`. */
static bool take_launch_line(Reader *r, Span at, const char *what, Launch *k, LaunchLines *met)
{
    bool *flag = *what == 'b' ? &met->block : *what == 'g' ? &met->grid : &met->shared;
    if (*flag)
        return diag_error(r->d, at, "%s already has a %s line", k->entry, what);
    *flag = true;
    if (*what != 's')
        return take_dimensions(r, what, *what == 'g' ? k->grid : k->block);
    k->shared = expr_parse(&r->l);
    return k->shared != NULL;
}

/* block, grid or shared on a line of its own: of the kernel above it */
static bool read_launch_line(Reader *r, Span at, const char *what)
{
    size_t n = r->launches.count;
    if (n == 0)
        return diag_error(r->d, at, "'%s' belongs to a kernel: put it after the kernel line", what);
    return take_launch_line(r, at, what, &r->launches.at[n - 1], &r->launch_lines.at[n - 1]);
}

/* block expr [ "," expr [ "," expr ] ] */
static bool read_block(Reader *r, Span at)
{
    return read_launch_line(r, at, "block");
}

/* grid expr [ "," expr [ "," expr ] ] */
static bool read_grid(Reader *r, Span at)
{
    return read_launch_line(r, at, "grid");
}

/* shared expr */
static bool read_shared(Reader *r, Span at)
{
    return read_launch_line(r, at, "shared");
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
    g->at = r->l.token.at;
    g->name = take_name(r, "the name of an argument");
    if (!g->name || !lexer_expect(&r->l, ":", "between the name and its type"))
        return false;
    if (r->arguments.count >= ARGUMENT_LIMIT)
        return diag_error(r->d, g->at, "more than %d arguments", ARGUMENT_LIMIT);
    for (size_t i = 0; i < r->arguments.count; i++)
        if (strcmp(r->arguments.at[i].name, g->name) == 0)
            return diag_error(r->d, g->at, "there is an argument '%s' already", g->name);
    Span at = r->l.token.at;
    const char *type = take_name(r, "a type");
    if (!type)
        return false;
    if (task_type_find(type, &g->element))
        return true;
    const char *names[TASK_SCALARS];
    for (int i = 0; i < TASK_SCALARS; i++)
        names[i] = task_scalar_name((TaskScalar)i);
    const char *closest = name_closest(type, names, TASK_SCALARS);
    return diag_error(r->d, at, "unknown type '%s'; %s%s%s", type,
                      closest ? "did you mean '"
                              : "there are int8 … uint64, int, uint, half, float",
                      closest ? closest : " and double", closest ? "'?" : "");
}

/* in|out|inout NAME ":" TYPE "[" expr "]" [ "=" contents ] */
static bool read_buffer(Reader *r, Span at, ArgumentRole role)
{
    (void)at;
    Argument g = {.role = role};
    r->output_met = r->output_met || role != ARGUMENT_IN;
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
    (void)at;
    Argument g = {.role = ARGUMENT_SCALAR};
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
    static const char *const words[] = {"block", "grid", "shared"};
    if (r->spec->reference) {
        Span met = r->spec->reference->at;
        return only_once(r, &met, at, "reference");
    }
    Launch *k = ARENA_NEW(r->a, Launch);
    k->at = at;
    k->entry = "the reference";
    r->spec->reference = k;
    if (!take_kernel(r, k))
        return false;
    r->reference_named = true;
    for (size_t i = 0; i < 3; i++) {
        Span word = r->l.token.at;
        if (!lexer_take(&r->l, words[i]))
            continue;
        if (!take_launch_line(r, word, words[i], k, &r->reference_lines)) {
            r->reference_named = false;
            return false;
        }
        i = SIZE_MAX; /* they stand in any order */
    }
    return true;
}

/* tolerance NUMBER */
static bool read_tolerance(Reader *r, Span at)
{
    return only_once(r, &r->tolerance_at, at, "tolerance") &&
           take_number(r, "the error allowed, relative to the size of the output",
                       &r->spec->tolerance);
}

/* work [flop = expr] [,] [bytes = expr] */
static bool read_work(Reader *r, Span at)
{
    (void)at;
    do {
        Span word = r->l.token.at;
        bool flop = lexer_is(&r->l, "flop");
        if (!flop && !lexer_is(&r->l, "bytes"))
            return diag_error(r->d, word, "expected 'flop = …' or 'bytes = …', found %s",
                              lexer_describe(&r->l));
        if (!only_once(r, flop ? &r->flop_at : &r->bytes_at, word,
                       flop ? "count of flop" : "count of bytes"))
            return false;
        Expr **target = flop ? &r->spec->work_flop : &r->spec->work_bytes;
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
    if (r->metric_lines.count >= METRIC_LINE_LIMIT)
        return diag_error(r->d, at, "more than %d metrics", METRIC_LINE_LIMIT);
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
            break;
        }
    }
    if (!lexer_at_end_of_line(&r->l) && r->l.token.kind != TOKEN_BAD)
        return diag_error(r->d, r->l.token.at,
                          "expected ',' and another metric, or 'keep', 'budget N' or 'band P %%', "
                          "found %s",
                          lexer_describe(&r->l));
    return c->criterion_count > 1 ||
           diag_error(r->d, c->at, "a front is a tradeoff between two or more metrics");
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
    return only_once(r, &r->polish_at, at, "polish line") &&
           take_integer(r, "the number of neighbours to time", 0, &r->spec->polish);
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

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

static size_t word_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Does a statement begin here, and not the next line of an expression?  In an expression a name
 * such as `block` is followed by an operator or a closing bracket, and `in` by a list. */
static bool begins_statement(const char *text)
{
    static const char *const operators[] = {"and", "or", "not", "in"};
    text = skip_spaces(text);
    size_t length = word_length(text);
    bool known = false;
    for (size_t i = 0; i < STATEMENTS && !known; i++)
        known = is_word(text, length, statements[i].word);
    const char *next = skip_spaces(text + length);
    size_t next_length = word_length(next);
    if (!known || (next_length == 0 && *next != '"' && *next != '('))
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (is_word(next, next_length, operators[i]))
            return false;
    return !is_word(text, length, "in") || *skip_spaces(next + next_length) == ':';
}

/* "parm BM in …": the name that the misspelt statement would have declared. */
static void declare_lost_name(Reader *r, const char *meant)
{
    bool declares = strcmp(meant, "param") == 0 || strcmp(meant, "let") == 0;
    r->param_met = r->param_met || strcmp(meant, "param") == 0;
    r->kernel_met = r->kernel_met || strcmp(meant, "kernel") == 0;
    r->problem_broken = r->problem_broken || strcmp(meant, "problem") == 0;
    lexer_next(&r->l);
    if (declares && r->l.token.kind == TOKEN_NAME)
        reader_declare(r, r->l.token.text, r->l.token.at);
}

static void report_unknown_statement(Reader *r)
{
    const char *words[STATEMENTS];
    for (size_t i = 0; i < STATEMENTS; i++)
        words[i] = statements[i].word;
    Lexer *l = &r->l;
    const char *closest = name_closest(l->token.text, words, STATEMENTS);
    if (l->token.kind != TOKEN_NAME) {
        diag_error(r->d, l->token.at, "expected a statement such as 'param' or 'require', found %s",
                   lexer_describe(l));
    } else if (closest) {
        diag_error(r->d, l->token.at, "unknown statement '%s'; did you mean '%s'?", l->token.text,
                   closest);
        declare_lost_name(r, closest);
    } else {
        Buf all = {0};
        for (size_t i = 0; i < STATEMENTS; i++)
            buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
        diag_error(r->d, l->token.at, "unknown statement '%s'; there are %s", l->token.text,
                   buf_text(&all));
        buf_free(&all);
    }
}

static const Statement *find_statement(Reader *r)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        if (lexer_is(&r->l, statements[i].word))
            return &statements[i];
    if (r->l.token.kind != TOKEN_BAD)
        report_unknown_statement(r);
    return NULL;
}

static void read_statement(Reader *r)
{
    Span at = r->l.token.at;
    const Statement *s = find_statement(r);
    if (!s) {
        lexer_skip_line(&r->l);
        return;
    }
    lexer_next(&r->l);
    if (s->read(r, at))
        lexer_end_line(&r->l);
    else
        lexer_skip_line(&r->l);
}

static void read_statements(Reader *r)
{
    while (r->l.token.kind != TOKEN_END) {
        if (r->l.token.kind == TOKEN_NEWLINE)
            lexer_next(&r->l);
        else
            read_statement(r);
    }
}

/* Names are bound after all lines were read; a user goes through them from top to bottom. */
static void sort_messages(Diag *d, size_t first)
{
    for (size_t i = first; i < d->messages.count; i++) {
        DiagMessage m = d->messages.at[i];
        size_t at = i;
        for (; at > first && d->messages.at[at - 1].at.offset > m.at.offset; at--)
            d->messages.at[at] = d->messages.at[at - 1];
        d->messages.at[at] = m;
    }
}

Spec *spec_parse(Arena *a, const Source *source, Diag *d)
{
    Spec *s = ARENA_NEW(a, Spec);
    s->source = source;
    s->name = path_stem(a, source->name, ".spec");
    Reader r = {.a = a, .d = d, .spec = s};
    size_t before = d->errors, first = d->messages.count;
    r.l = lexer_new(a, source, d);
    r.l.begins_statement = begins_statement;
    read_statements(&r);
    reader_finish(&r);
    sort_messages(d, first);
    return d->errors == before ? s : NULL;
}

Spec *spec_read(Arena *a, const char *path, Diag *d)
{
    const Source *source = source_read(a, path, d);
    return source ? spec_parse(a, source, d) : NULL;
}

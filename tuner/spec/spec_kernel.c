/* Statements about the kernel: launches, options, arguments, reference, work. */
#include "tuner/spec/spec_statements.h"

#include "metrics/base/file.h"

#include <string.h>

static bool is_launch_word(const Lexer *l)
{
    return lexer_is(l, "block") || lexer_is(l, "grid") || lexer_is(l, "shared");
}

/* "file.cu" NAME, as in kernel and reference statements.  A missing file is no reason to stop. */
static bool take_kernel(Reader *r, Launch *k)
{
    Span at = r->l.token.at;
    k->file = reader_take_string(r, "the file of the kernel");
    if (!k->file)
        return false;
    k->path = path_join(r->a, path_folder(r->a, r->spec->source->name), k->file);
    if (!file_exists(k->path))
        diag_error(r->d, at, "there is no file '%s'", k->path);
    const char *name = is_launch_word(&r->l) ? NULL : reader_take_name(r, "the name of the kernel");
    if (is_launch_word(&r->l) && !name)
        diag_error(r->d, r->l.token.at, "expected the name of the kernel, found '%s'",
                   r->l.token.text);
    if (name)
        k->entry = name;
    return name != NULL;
}

/* kernel "file.cu" NAME: begins a launch; block, grid and shared lines after it belong to it */
bool read_kernel(Reader *r, Span at)
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
    if (!reader_take_list(r, &v))
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
bool read_block(Reader *r, Span at)
{
    return read_launch_line(r, at, "block");
}

/* grid expr [ "," expr [ "," expr ] ] */
bool read_grid(Reader *r, Span at)
{
    return read_launch_line(r, at, "grid");
}

/* shared expr */
bool read_shared(Reader *r, Span at)
{
    return read_launch_line(r, at, "shared");
}

/* option "-use_fast_math" */
bool read_option(Reader *r, Span at)
{
    (void)at;
    const char *option = reader_take_string(r, "a compiler option");
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
    if (!lexer_expect(&r->l, "(", "with the numbers") || !reader_take_list(r, &v) ||
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
    g->name = reader_take_name(r, "the name of an argument");
    if (!g->name || !lexer_expect(&r->l, ":", "between the name and its type"))
        return false;
    if (r->arguments.count >= ARGUMENT_LIMIT)
        return diag_error(r->d, g->at, "more than %d arguments", ARGUMENT_LIMIT);
    for (size_t i = 0; i < r->arguments.count; i++)
        if (strcmp(r->arguments.at[i].name, g->name) == 0)
            return diag_error(r->d, g->at, "there is an argument '%s' already", g->name);
    Span at = r->l.token.at;
    const char *type = reader_take_name(r, "a type");
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

bool read_in(Reader *r, Span at)
{
    return read_buffer(r, at, ARGUMENT_IN);
}

bool read_out(Reader *r, Span at)
{
    return read_buffer(r, at, ARGUMENT_OUT);
}

bool read_inout(Reader *r, Span at)
{
    return read_buffer(r, at, ARGUMENT_INOUT);
}

/* arg NAME ":" TYPE "=" expr */
bool read_arg(Reader *r, Span at)
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
bool read_reference(Reader *r, Span at)
{
    static const char *const words[] = {"block", "grid", "shared"};
    if (r->spec->reference) {
        Span met = r->spec->reference->at;
        return reader_only_once(r, &met, at, "reference");
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
bool read_tolerance(Reader *r, Span at)
{
    return reader_only_once(r, &r->tolerance_at, at, "tolerance") &&
           reader_take_number(r, "the error allowed, relative to the size of the output",
                              &r->spec->tolerance);
}

/* work [flop = expr] [,] [bytes = expr] */
bool read_work(Reader *r, Span at)
{
    (void)at;
    do {
        Span word = r->l.token.at;
        bool flop = lexer_is(&r->l, "flop");
        if (!flop && !lexer_is(&r->l, "bytes"))
            return diag_error(r->d, word, "expected 'flop = …' or 'bytes = …', found %s",
                              lexer_describe(&r->l));
        if (!reader_only_once(r, flop ? &r->flop_at : &r->bytes_at, word,
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

/* Text to spec: the table of statements, and reading them line by line. The statements are in spec_space.c,
 * spec_kernel.c, spec_data.c, spec_result.c and spec_carve.c; names are bound in spec_bind.c. */
#include "tuner/spec/spec_build.h"

#include "metrics/base/file.h"
#include "tuner/spec/code_text.h"

static const struct {
    const char *word;
    bool (*read)(Reader *r);
} statements[] = {
#define STATEMENT(word, reader) {#word, reader},
#include "tuner/spec/spec_statements.def"
#undef STATEMENT
};
enum { STATEMENTS = COUNT_OF(statements) };

/* True if a statement begins here, and not the next line of an expression. In an expression a name such as
 * `block` is followed by an operator or a closing bracket, and `in` by a list. */
static bool begins_statement(const char *text)
{
    const Word word = code_word(text + strspn(text, " \t"));
    const char *behind = word.at + word.length;
    const Word next = code_word(behind + strspn(behind, " \t"));
    bool known = false;
    for (size_t i = 0; i < STATEMENTS && !known; i++)
        known = code_same(word, statements[i].word);
    if (!known || (next.length == 0 && *next.at != '"' && *next.at != '(') ||
        code_among(next, "and or not in"))
        return false;
    if (code_same(word, "constant") && *next.at == '(')
        return false; /* contents */
    behind = next.at + next.length;
    return !code_same(word, "in") || behind[strspn(behind, " \t")] == ':';
}

static void report_unknown_statement(Reader *r)
{
    Lexer *l = &r->l;
    const char *closest = NAME_LIKE(statements, STATEMENTS, word, l->token.text);
    if (l->token.kind != TOKEN_NAME) {
        lexer_wrong(l, "a statement such as 'param' or 'require'");
    } else if (closest) {
        diag_error(r->d, l->token.at, "unknown statement '%s'; did you mean '%s'?", l->token.text,
                   closest);
        /* What the statement would have declared: "parm BM in …". */
        r->param_met = r->param_met || strcmp(closest, "param") == 0;
        r->kernel_met = r->kernel_met || strcmp(closest, "kernel") == 0;
        r->problem_broken = r->problem_broken || strcmp(closest, "problem") == 0;
        lexer_next(l);
        if (WORD_IS_ANY(closest, "param", "let") && l->token.kind == TOKEN_NAME)
            reader_declare(r, l->token.text, l->token.at);
    } else {
        SCOPED_BUF all = {0};
        for (size_t i = 0; i < STATEMENTS; i++)
            buf_printf(&all, "%s%s", i ? ", " : "", statements[i].word);
        diag_error(r->d, l->token.at, "unknown statement '%s'; there are %s", l->token.text,
                   buf_text(&all));
    }
}

static void read_statement(Reader *r)
{
    size_t i = 0;
    while (i < STATEMENTS && !lexer_is(&r->l, statements[i].word))
        i++;
    bool read = i < STATEMENTS;
    if (read) {
        r->at = r->l.token.at;
        r->word = statements[i].word;
        lexer_next(&r->l);
        read = statements[i].read(r);
    } else if (r->l.token.kind != TOKEN_BAD) {
        report_unknown_statement(r);
    }
    if (read) {
        SPEC_ADD(r->a, r->spec, statements, statement_count, span_join(r->at, r->l.last));
        lexer_end_line(&r->l);
    } else {
        lexer_skip_line(&r->l);
    }
}

/* Binding comes after reading all lines; users go through messages from top to bottom. */
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
    while (r.l.token.kind != TOKEN_END) {
        if (r.l.token.kind == TOKEN_NEWLINE)
            lexer_next(&r.l);
        else
            read_statement(&r);
    }
    reader_finish(&r);
    sort_messages(d, first);
    return d->errors == before ? s : NULL;
}

Spec *spec_read(Arena *a, const char *path, Diag *d)
{
    const char *name = path_stem(a, path, ".spec"), *end = strrchr(path, '.');
    const Source *source = NULL;
    if (end && WORD_IS_ANY(end, ".cu", ".cuh"))
        diag_fail(d, "'%s' is a CUDA source, not a spec: `aptune init %s` writes one for it", path,
                  path);
    else if (name[0] == '\0' || name[0] == '.') /* results and emitted files have its name */
        diag_fail(d,
                  "'%s': the space is named '%s' after its file, so its results would be "
                  "elsewhere or hidden; rename the file",
                  path, name);
    else
        source = source_read(a, path, d);
    return source ? spec_parse(a, source, d) : NULL;
}

void spec_print(const Spec *s, Buf *out)
{
    EACH (const Span, at, s->statements, s->statement_count) {
        buf_add(out, at->source->text + at->offset, at->length);
        EACH (const Parameter, x, s->parameters, s->parameter_count)
            if (x->at.offset > at->offset && x->at.offset < at->offset + at->length)
                buf_printf(out, "    # %s%s", value_kind_name(x->kind),
                           x->dependent ? ", depends on others" : "");
        buf_putc(out, '\n');
    }
}

#include "tuner/study/models.h"

static bool take_string(Lexer *l, const char *what, const char **out)
{
    return l->token.text[0] ? lexer_take_string(l, what, out) : lexer_wrong(l, what);
}

static bool take_number(Lexer *l, double *out)
{
    const bool minus = lexer_take(l, "-");
    if (!lexer_take_number(l, "a number", out))
        return false;
    *out = minus ? -*out : *out;
    return true;
}

/* --- statements ------------------------------------------------------------------------------- */

static bool take_fit(Lexer *l, Models *out)
{
    Model m = {.within = 0.02, .at = l->token.at};
    lexer_next(l);
    if (!lexer_take_name(l, "the name of a fit", &m.name) ||
        !lexer_expect(l, "of", "before the spec") ||
        !take_string(l, "a spec below spaces/ in quotes", &m.space) ||
        !take_string(l, "a sentence in quotes that describes the fit", &m.sentence))
        return false;
    if (m.space[0] == '/' || strstr(m.space, ".."))
        return diag_error(l->diag, m.at, "'%s' is no spec below spaces/", m.space);
    VEC_PUSH(out->arena, &out->models, m);
    return lexer_end_line(l);
}

/* Each of these reads what follows its keyword. */

static bool take_where(Lexer *l, Model *m)
{
    return (m->where = expr_parse(l)) != NULL;
}

static bool take_model(Lexer *l, Model *m)
{
    m->left = expr_parse(l);
    if (!m->left || !lexer_expect(l, "is", "between the measured value and the model"))
        return false;
    return (m->right = expr_parse(l)) != NULL;
}

static bool take_parameter(Lexer *l, Model *m)
{
    const Span at = l->token.at;
    if (m->parameter_count == MODEL_PARAMETERS)
        return diag_error(l->diag, at, "a model has at most %d parameters", MODEL_PARAMETERS);
    const char *name = NULL;
    double start = 0;
    if (!lexer_take_name(l, "the name of a parameter", &name) ||
        !lexer_expect(l, "=", "before the start value") || !take_number(l, &start))
        return false;
    if (!(start > 0 || start < 0))
        return diag_error(l->diag, at, "%s cannot start at 0: steps are relative to it", name);
    if (NAME_FIND(m->parameters, m->parameter_count, name, name))
        return diag_error(l->diag, at, "%s is given twice", name);
    m->parameters[m->parameter_count].name = name;
    m->parameters[m->parameter_count++].start = start;
    return true;
}

static bool take_output(Lexer *l, Model *m)
{
    const Span at = l->token.at;
    if (m->output_count == MODEL_OUTPUTS)
        return diag_error(l->diag, at, "a fit gives at most %d numbers", MODEL_OUTPUTS);
    const char *name = NULL;
    if (!lexer_take_name(l, "the name of a number of device files", &name))
        return false;
    const size_t number = sheet_number_named(name);
    if (number == SHEET_NUMBERS)
        return diag_error(l->diag, at, "device files have no number '%s'", name);
    if (!lexer_expect(l, "=", "before its value"))
        return false;
    Expr *value = expr_parse(l);
    if (!value)
        return false;
    m->outputs[m->output_count].number = number;
    m->outputs[m->output_count].at = at;
    m->outputs[m->output_count++].value = value;
    return true;
}

static bool take_within(Lexer *l, Model *m)
{
    const Span at = l->token.at;
    if (!take_number(l, &m->within) || !lexer_expect(l, "%", "after the number"))
        return false;
    m->within /= 100;
    return m->within > 0 || diag_error(l->diag, at, "'within' takes a number above 0 %%");
}

static bool take_robust(Lexer *l, Model *m)
{
    (void)l;
    return m->robust = true;
}

static bool take_statement(Lexer *l, Models *out)
{
    static const struct {
        const char *word;
        bool (*take)(Lexer *l, Model *m);
        bool listed; /* several, separated by commas */
    } statements[] = {{"where", take_where, false},   {"model", take_model, false},
                      {"from", take_parameter, true}, {"gives", take_output, true},
                      {"within", take_within, false}, {"robust", take_robust, false}};
    if (lexer_is(l, "fit"))
        return take_fit(l, out);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (!lexer_is(l, statements[i].word))
            continue;
        if (out->models.count == 0)
            return lexer_wrong(l, "'fit' first");
        do {
            lexer_next(l); /* the word or the comma */
            if (!statements[i].take(l, &out->models.at[out->models.count - 1]))
                return false;
        } while (statements[i].listed && lexer_is(l, ","));
        return lexer_end_line(l);
    }
    return lexer_wrong(l, "'fit', 'where', 'model', 'from', 'gives', 'within' or 'robust'");
}

bool models_read(Models *out, const Source *s, Diag *d)
{
    const size_t errors = d->errors, first = out->models.count;
    Lexer l = lexer_new(out->arena, s, d); /* may already report an error in the first token */
    while (l.token.kind != TOKEN_END) {
        if (l.token.kind == TOKEN_NEWLINE)
            lexer_next(&l);
        else if (!take_statement(&l, out))
            lexer_skip_line(&l);
    }
    for (size_t i = first; i < out->models.count && d->errors == errors; i++) {
        const Model *m = &out->models.at[i];
        if (!m->left || !m->right)
            diag_error(d, m->at, "fit '%s' has no model: model LEFT is RIGHT", m->name);
    }
    return d->errors == errors;
}

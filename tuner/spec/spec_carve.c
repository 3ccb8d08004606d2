/* Statements about what is kept: metric, carve, polish. */
#include "tuner/spec/spec_build.h"

/* metric …: kept as text, for metrics/ to read */
bool read_metric(Reader *r)
{
    Lexer *l = &r->l;
    if (r->spec->metric_line_count >= METRIC_LINE_LIMIT)
        return diag_error(r->d, r->at, "more than %d metrics", METRIC_LINE_LIMIT);
    while (!lexer_at_end_of_line(l))
        lexer_next(l);
    Source *line = ARENA_NEW(r->a, Source);
    line->name = r->spec->source->name;
    /* Leading blank lines keep the line numbers of messages right. */
    size_t number, column;
    source_position(r->spec->source, r->at.offset, &number, &column);
    Buf b = {0};
    buf_fill(&b, '\n', number - 1);
    buf_fill(&b, ' ', column - 1);
    buf_add(&b, r->at.source->text + r->at.offset, l->token.at.offset - r->at.offset);
    line->size = b.size;
    line->text = buf_keep(&b, r->a);
    SPEC_ADD(r->a, r->spec, metric_lines, metric_line_count, line);
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
        if (!lexer_take_name(&r->l, "the name of a metric", &k.name))
            return false;
        VEC_PUSH(r->a, &v, k);
    } while (lexer_take(&r->l, ","));
    c->criteria = v.at;
    c->criterion_count = v.count;
    return true;
}

static bool take_criterion(Reader *r, CarveStage *c, const char *what)
{
    return take_criteria(r, c) &&
           (c->criterion_count == 1 || diag_error(r->d, c->at, "'%s' takes one metric", what));
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
            if (!reader_take_integer(r, "the number of configurations", 1, &c->count))
                return false;
            c->fill = lexer_take(&r->l, "fill");
        } else if (lexer_take(&r->l, "band")) {
            if (!lexer_take_number(&r->l, "a percentage", &c->percent) ||
                !lexer_expect(&r->l, "%", "after the number"))
                return false;
        } else {
            break;
        }
    }
    if (!lexer_at_end_of_line(&r->l))
        return lexer_wrong(&r->l, "',' and another metric, or 'keep', 'budget N' or 'band P %'");
    return c->criterion_count > 1 || diag_error(r->d, c->at, "a front needs two or more metrics");
}

/* carve front … | best N by CRITERION | within NUMBER % of CRITERION | expr */
bool read_carve(Reader *r)
{
    CarveStage c = {.at = r->at};
    bool ok;
    if (lexer_take(&r->l, "front")) {
        ok = read_front(r, &c);
    } else if (lexer_take(&r->l, "best")) {
        c.kind = CARVE_BEST;
        ok = reader_take_integer(r, "the number of configurations", 1, &c.count) &&
             lexer_expect(&r->l, "by", "and a metric") && take_criterion(r, &c, "best");
    } else if (lexer_take(&r->l, "within")) {
        c.kind = CARVE_WITHIN;
        ok = lexer_take_number(&r->l, "a percentage", &c.percent) &&
             lexer_expect(&r->l, "%", "after the number") &&
             lexer_expect(&r->l, "of", "and a metric") && take_criterion(r, &c, "within");
    } else {
        c.kind = CARVE_THRESHOLD;
        ok = reader_take_expr(r, &c.condition);
    }
    c.at = span_join(r->at, r->l.last);
    if (ok)
        SPEC_ADD(r->a, r->spec, carving, carving_count, c);
    return ok;
}

/* polish N */
bool read_polish(Reader *r)
{
    return reader_only_once(r, &r->polish_at, r->at, "polish line") &&
           reader_take_integer(r, "the number of neighbours to time", 0, &r->spec->polish);
}

bool spec_parse_carving(Arena *a, const Source *source, SpecCarving *out, Diag *d)
{
    Spec spec = {.source = source};
    size_t before = d->errors;
    Reader r = {.a = a, .d = d, .spec = &spec, .l = lexer_new(a, source, d)};
    r.l.semicolons = true;
    while (r.l.token.kind != TOKEN_END) {
        if (lexer_at_end_of_line(&r.l) || lexer_is(&r.l, ";")) {
            lexer_next(&r.l);
            continue;
        }
        r.at = r.l.token.at; /* [ "carve" ] … | polish N */
        const bool polish = lexer_take(&r.l, "polish");
        if (!polish)
            lexer_take(&r.l, "carve");
        if (polish ? read_polish(&r) : read_carve(&r))
            lexer_end_line(&r.l);
        else
            lexer_skip_line(&r.l);
    }
    *out = (SpecCarving){spec.carving, spec.carving_count, spec.polish};
    if (d->errors == before && out->count == 0 && out->polish == 0)
        return diag_error(d, (Span){source, 0, 0},
                          "nothing is carved: write a statement such as 'best 40 by "
                          "predicted_cycles'");
    return d->errors == before;
}

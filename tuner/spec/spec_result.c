/* Statements about results: comparison of outputs, work, objective. */
#include "tuner/spec/spec_build.h"

static bool take_relative(Reader *r, Comparison *c)
{
    static const char *const scales[] = {
        [TASK_SCALE_RMS] = "rms", [TASK_SCALE_MAX] = "max", [TASK_SCALE_ELEMENT] = "element"};
    if (!lexer_take_number(&r->l, "the relative error allowed", &c->allowed.relative))
        return false;
    if (!lexer_take(&r->l, "of"))
        return true;
    for (size_t i = 0; i < COUNT_OF(scales); i++)
        if (lexer_take(&r->l, scales[i])) {
            c->allowed.scale = (TaskScale)i;
            return true;
        }
    return lexer_wrong(&r->l, "'rms', 'max' or 'element'");
}

/* compare NAME { exact | relative … | absolute … | first … | except … | sum } */
bool read_compare(Reader *r)
{
    Deferred p = {.at = r->l.token.at};
    if (!lexer_take_name(&r->l, "the name of an output", &p.name))
        return false;
    Comparison *c = &p.comparison;
    bool any = false, ok = true, exact = false, allows = false;
    for (; ok; any = true) {
        if (lexer_take(&r->l, "exact"))
            exact = true;
        else if (lexer_take(&r->l, "sum"))
            c->allowed.sum = true;
        else if (lexer_take(&r->l, "relative"))
            ok = allows = take_relative(r, c);
        else if (lexer_take(&r->l, "absolute"))
            ok = allows = lexer_take_number(&r->l, "the error allowed", &c->allowed.absolute);
        else if (lexer_take(&r->l, "except"))
            ok = reader_take_expr(r, &c->except);
        else if (lexer_take(&r->l, "first"))
            ok = reader_take_expr(r, &c->first);
        else
            break;
    }
    if (!ok)
        return false;
    if (!any)
        return lexer_wrong(&r->l, arena_printf(r->a,
                                               "how the output '%s' is compared: 'exact', "
                                               "'relative', 'absolute', 'first', 'except' or 'sum'",
                                               p.name));
    c->at = r->at;
    c->stated = exact || allows;
    if (exact && allows)
        return diag_error(r->d, r->at, "'exact' cannot be combined with an allowed error");
    VEC_PUSH(r->a, &r->deferred, p);
    return true;
}

/* tolerance NUMBER */
bool read_tolerance(Reader *r)
{
    return reader_only_once(r, &r->tolerance_at, r->at, "tolerance") &&
           lexer_take_number(&r->l, "the error allowed, relative to the size of the output",
                             &r->spec->tolerance);
}

const char *const spec_objectives[OBJECTIVES] = {"time", "flop", "bytes", "items", "energy"};

static Objective find_objective(const Lexer *l)
{
    int i = 0;
    while (i < OBJECTIVES && !lexer_is(l, spec_objectives[i]))
        i++;
    return (Objective)i;
}

/* work kind "=" expr { "," … } */
bool read_work(Reader *r)
{
    do {
        Span word = r->l.token.at;
        Objective kind = find_objective(&r->l);
        if (kind < OBJECTIVE_FLOP || kind > OBJECTIVE_ITEMS)
            return lexer_wrong(&r->l, "'flop = …', 'bytes = …' or 'items = …'");
        if (!reader_only_once(r, &r->work_at[kind], word,
                              arena_printf(r->a, "count of %s", spec_objectives[kind])))
            return false;
        lexer_next(&r->l);
        if (!lexer_expect(&r->l, "=", "and the amount of work") ||
            !reader_take_expr(r, &r->spec->work[kind]))
            return false;
    } while (lexer_take(&r->l, ","));
    return true;
}

/* scale expr */
bool read_scale(Reader *r)
{
    return reader_only_once(r, &r->scale_at, r->at, "scale") &&
           reader_take_expr(r, &r->spec->scale);
}

/* objective time | flop | bytes | items | energy */
bool read_objective(Reader *r)
{
    if (!reader_only_once(r, &r->objective_at, r->at, "objective"))
        return false;
    const Objective found = find_objective(&r->l);
    if (found == OBJECTIVES)
        return diag_error(
            r->d, r->l.token.at,
            "expected 'time', work that is done in it ('flop', 'bytes' or 'items'), or 'energy'");
    r->spec->objective = found;
    lexer_next(&r->l);
    return true;
}

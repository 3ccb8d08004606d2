/* What a search begins with: recordings of like spaces. */
#include "tuner/run/run_parts.h"

#include "metrics/base/vec.h"
#include "tuner/record/table_read.h"

#include <string.h>

enum { FITTING_MOST = 4 }; /* recordings that nobody named */

typedef struct Learning {
    Run *run;
    size_t varying; /* parameters of the space */
    Learned *learned;
    VEC(RunLesson) lessons;
} Learning;

static void print_parameters(const TableParameter *parameters, size_t count, Buf *out)
{
    enum { SHOWN = 12 };
    for (size_t p = 0; p < count && p < SHOWN; p++)
        buf_printf(out, "%s%s", p ? ", " : "", parameters[p].name);
    buf_puts(out, count > SHOWN ? ", …" : "");
}

static bool refuse_strange(const Run *r, const Table *t)
{
    Buf own = {0}, theirs = {0};
    print_parameters(r->table->parameters, r->table->parameter_count, &own);
    print_parameters(t->parameters, t->parameter_count, &theirs);
    diag_fail(r->diag,
              "nothing can be learned from '%s': it is of space '%s' with the parameters %s, and "
              "'%s' varies none of them: it has %s",
              t->origin, t->name, buf_text(&theirs), r->spec->name, buf_text(&own));
    buf_free(&own);
    buf_free(&theirs);
    return false;
}

static bool is_learned(const Learning *l, const char *path)
{
    return NAME_FIND(l->lessons.at, l->lessons.count, path, path) != NULL;
}

/* What a user named must be of use; what was found may be of none. */
static bool learn_from(Learning *l, const char *path, bool named)
{
    Run *r = l->run;
    Diag quiet = diag_new(r->arena);
    size_t shared;
    path = record_in(r->arena, path, named ? r->diag : &quiet);
    if (!path)
        return !named;
    if (is_learned(l, path))
        return true;
    const Table *t = table_read_times(r->arena, path, named ? r->diag : &quiet);
    if (!t)
        return !named;
    size_t times = learned_add(l->learned, t, &shared);
    if (times == 0 && named)
        return shared == 0 ? refuse_strange(r, t)
                           : diag_fail(r->diag,
                                       "nothing can be learned from '%s': none of its "
                                       "configurations came out right",
                                       path);
    if (times > 0) {
        RunLesson one = {path, t->problem, t->gpu, times, shared, l->varying};
        VEC_PUSH(r->arena, &l->lessons, one);
    }
    return true;
}

static bool learn_named(Learning *l)
{
    const OptionTexts *named = &l->run->options.learn;
    for (size_t k = 0; k < named->count; k++)
        if (strcmp(named->at[k], "none") != 0 && !learn_from(l, named->at[k], true))
            return false;
    return true;
}

/* Of the same space at another size, on another device, or with other parameters. */
static void learn_fitting(Learning *l)
{
    const Run *r = l->run;
    size_t first = l->lessons.count;
    for (size_t k = 0; k < r->recorded.other_count; k++) {
        const RecordMatch *m = &r->recorded.others[k];
        if (m->header.space && strcmp(m->header.space, r->spec->name) == 0 &&
            l->lessons.count < first + FITTING_MOST)
            learn_from(l, m->path, false);
    }
}

bool run_learn(Run *r)
{
    Learning l = {.run = r};
    const size_t *varying = run_varying(r, &l.varying);
    l.learned = learned_new(r->arena, r->table->parameters, varying, l.varying);
    if (!learn_named(&l))
        return false;
    for (size_t k = 0; k < r->options.earlier_count; k++)
        learn_from(&l, r->options.earlier[k], false);
    if (r->options.learn.count == 0)
        learn_fitting(&l);
    r->search.learned = l.lessons.count > 0 ? l.learned : NULL;
    r->search.lessons = l.lessons.at;
    r->search.lesson_count = l.lessons.count;
    return true;
}

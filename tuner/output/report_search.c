/* What a search did: how much of the space it asked for, how sure it was, and when it knew. */
#include "tuner/output/report_parts.h"

#include <math.h>

/* --- text ------------------------------------------------------------------------------------- */

static void print_errors(const SearchErrors *e, const char *what, Buf *out)
{
    if (e->count > 0)
        buf_printf(out,
                   "%-10s   its predictions %s were off by %.1f %% (median), %.1f %% (90th "
                   "percentile)\n",
                   "", what, e->median, e->ninth);
}

/* What chance alone says, which no model can spoil: with 95 % confidence the share is below this
 * (the rule of three). */
static void print_chance(const SearchState *s, Buf *out)
{
    if (s->random > 2 && s->random_better == 0 && s->left > 0)
        buf_printf(out,
                   "%-10s   %zu drawn by chance, none better by 1 %% when it was timed: with 95 %% "
                   "confidence at most %.0f %% of the rest are\n",
                   "", s->random, fmin(100, 300.0 / (double)s->random));
}

static void print_held(const Run *r, Buf *out)
{
    const RunSearch *s = &r->search;
    if (!isnan(s->held_since))
        buf_printf(
            out, "%-10s   best held since second %.1f of %.1f%s\n", "", s->held_since, s->seconds,
            r->source == RUN_REPLAYED && run_is_played(r) ? ", by the cost model of a replay" : "");
}

static void print_lessons(const RunSearch *s, Buf *out)
{
    for (size_t k = 0; k < s->lesson_count; k++) {
        const RunLesson *l = &s->lessons[k];
        buf_printf(out,
                   "%-10s   it began with %zu times of %s%s%s, over %zu of %zu parameters (%s)\n",
                   "", l->times, l->problem, l->gpu && l->gpu[0] ? " on " : "",
                   l->gpu ? l->gpu : "", l->parameters, l->of, l->path);
    }
}

void report_search(const Run *r, Buf *out)
{
    const RunSearch *s = &r->search;
    size_t all = s->candidates;
    double share = all > 0 ? 100 * (double)s->state.compiled / (double)all : 0;
    buf_printf(out, "%-10s   compiled %zu of ", "search", s->state.compiled);
    report_count(out, all, 0);
    buf_printf(out, " (%.*g %%)", share < 1 ? 2 : 3, share);
    if (r->source != RUN_STATIC)
        buf_printf(out, ", timed %zu", s->state.timed);
    buf_printf(out, "; %s\n",
               s->asked                                                ? "ended on request"
               : r->source == RUN_STATIC && s->end == SEARCH_EXHAUSTED ? "that is everything"
                                                                       : search_end_text(s->end));
    if (r->source == RUN_STATIC) {
        print_errors(&s->state.before, "before compiling", out);
        return;
    }
    print_held(r, out);
    print_lessons(s, out);
    if (s->front > 0)
        buf_printf(out,
                   "%-10s   front of bound and latency: %zu of the compiled, %zu of them timed; "
                   "the winner %s\n",
                   "", s->front, s->front_timed,
                   r->best == SIZE_MAX ? "is not known"
                   : s->best_on_front  ? "is on it"
                                       : "is not");
    print_errors(&s->state.before, "before compiling", out);
    print_errors(&s->state.after, "before timing", out);
    if (!isnan(s->expected) && s->state.left > 0)
        buf_printf(out,
                   "%-10s   expected among the rest, better by 1 %%: %.2g, by models that do not "
                   "know all of their own error\n",
                   "", s->expected);
    print_chance(&s->state, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *errors_of(const SearchErrors *e)
{
    return json_put(json_object(), "count", json_count(e->count), "median_percent",
                    json_known(e->median), "ninth_percent", json_known(e->ninth), NULL);
}

static json_t *steps_of(const RunSearch *s)
{
    json_t *list = json_array();
    for (size_t k = 0; k < s->held_count; k++)
        json_array_append_new(list, json_pack("[f, f]", s->held_s[k], s->held_ms[k]));
    return list;
}

static json_t *lessons_of(const RunSearch *s)
{
    json_t *list = json_array();
    for (size_t k = 0; k < s->lesson_count; k++) {
        const RunLesson *l = &s->lessons[k];
        json_array_append_new(list, json_put(json_object(), "recording", json_text(l->path),
                                             "problem", json_text(l->problem), "device",
                                             json_text(l->gpu), "times", json_count(l->times),
                                             "parameters", json_count(l->parameters), NULL));
    }
    return list;
}

json_t *report_search_json(const Run *r)
{
    const RunSearch *s = &r->search;
    return json_put(json_object(), "seed", json_integer(r->options.seed), "compiled",
                    json_count(s->state.compiled), "timed", json_count(s->state.timed), "left",
                    json_known(s->state.left), "end",
                    json_string(s->asked ? "ended on request" : search_end_text(s->end)), "seconds",
                    json_known(s->seconds), "held_since_s", json_known(s->held_since), "steps",
                    steps_of(s), "played", json_boolean(run_is_played(r)), "expected_better",
                    json_known(s->expected), "errors_before_compiling", errors_of(&s->state.before),
                    "errors_before_timing", errors_of(&s->state.after), "front",
                    json_count(s->front), "front_timed", json_count(s->front_timed),
                    "best_on_front", json_boolean(s->best_on_front), "learned", lessons_of(s),
                    NULL);
}

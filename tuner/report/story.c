#include "tuner/report/story.h"

const char *story_carving_text(Arena *a, const StudyStage *stages, size_t count, size_t polished)
{
    Buf b = {0};
    for (size_t k = 0; k < count; k++)
        buf_printf(&b, "%s%s: %zu of %zu left", k ? "\n" : "", stages[k].text,
                   stages[k].report.after, stages[k].report.before);
    if (polished > 0)
        buf_printf(&b, "\npolish: %zu more, chosen by measured times", polished);
    return buf_keep(&b, a);
}

Story story_of_recording(Arena *a, const Study *y, const StudyChoice *choice, const char *guess)
{
    const Table *s = y->points;
    double *correlation = ARENA_ARRAY(a, double, y->metric_count);
    for (size_t m = 0; m < y->metric_count; m++)
        correlation[m] = y->metrics[m].correlation;
    const char *origin =
        s->imported && *s->imported
            ? arena_printf(a,
                           "Imported times, not measured by aptune: %s. They are said to be of %s "
                           "and were read from %s.",
                           s->imported, s->gpu, s->origin)
            : arena_printf(a, "Recorded times: measured on %s on %s, read from %s.", s->gpu,
                           s->date, s->origin);
    Story story = {.points = s,
                   .origin = origin,
                   .carving =
                       story_carving_text(a, choice->stages, choice->stage_count, choice->polished),
                   .chosen = choice->chosen,
                   .chosen_name = "chosen",
                   .rest_name = "not chosen",
                   .complete = true,
                   .x_metric = "bound_cycles",
                   .y_metric = "latency_cycles",
                   .time_metric = guess,
                   .correlation = correlation,
                   .budgets = y->budgets,
                   .budget_count = y->budget_count,
                   .races = y->races,
                   .race_count = y->race_count};
    if (choice->criteria[0]) {
        story.x_metric = choice->criteria[0];
        story.y_metric = choice->criteria[1];
    }
    if (choice->stage_count == 0)
        story.carving = choice->name;
    for (size_t i = 0; choice->thresholded && i < s->count; i++)
        if (choice->thresholded[i])
            story.dropped = choice->thresholded;
    story.winner = story_best_chosen(&story);
    return story;
}

const StoryColumn *story_column(Arena *a, const Story *story, const char *name)
{
    const Table *s = story->points;
    const int m = name ? metricset_find(s->metrics, name) : -1;
    const int field = name ? profile_find(name) : -1;
    if (m < 0 && field < 0)
        return NULL;
    StoryColumn *c = ARENA_NEW(a, StoryColumn);
    if (m >= 0) {
        const Metric *x = &s->metrics->metrics.at[m];
        *c = (StoryColumn){x->name, x->unit, x->meaning, s->metric[m], true, x->higher};
    } else {
        const ProfileInfo *x = &profile_fields[field];
        *c = (StoryColumn){x->name, x->unit, x->meaning, table_column(a, s, name), false, false};
    }
    return c;
}

const bool *story_own_metrics(Arena *a, const MetricSet *set, const Source *const *own,
                              size_t count)
{
    bool *of = ARENA_ARRAY(a, bool, set->metrics.count);
    for (size_t m = 0; m < set->metrics.count; m++)
        for (size_t k = 0; k < count; k++)
            of[m] = of[m] || set->metrics.at[m].at.source == own[k];
    return of;
}

const char *story_failure(Outcome o)
{
    bool failed = outcome_group(o) == OUTCOME_IS_COMPILE ||
                  (outcome_is_trial(o) && o != OUTCOME_SKIPPED && o != OUTCOME_OK);
    return failed ? outcome_recorded(o) : "not timed";
}

size_t story_chosen_count(const Story *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->points->count; i++)
        n += s->chosen[i] && s->points->same_as[i] == i;
    return n;
}

size_t story_best_chosen(const Story *s)
{
    const double *ms = s->points->ms;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->points->count; i++)
        if (s->chosen[i] && !isnan(ms[i]) && (best == SIZE_MAX || ms[i] < ms[best]))
            best = i;
    return best;
}

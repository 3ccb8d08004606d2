#include "tuner/report/page.h"

#include "tuner/output/report.h"

static const char *origin_of(const Run *r)
{
    const RecordHeader *h = r->recorded.times ? &r->recorded.times->header : NULL;
    if (r->source == RUN_MEASURED)
        return arena_printf(r->arena, "Measured by this run on %s%s.", r->device->name,
                            r->gpu_count > 1 ? arena_printf(r->arena, ", %zu of them", r->gpu_count)
                                             : "");
    if (r->source == RUN_STATIC)
        return arena_printf(r->arena, "STATIC: nothing was timed (%s); carved for %s.",
                            r->why_not_measured, r->device->name);
    return run_is_imported(r)
               ? arena_printf(r->arena,
                              "IMPORTED: the times were not measured by aptune. They come from %s, "
                              "are said to be of %s, and were read from %s.",
                              h->imported, h->device, r->recorded.path)
               : arena_printf(r->arena,
                              "REPLAYED: this run measured nothing (%s). The times were measured "
                              "on %s on %s and were read from %s.",
                              r->why_not_measured, h->device, h->date, r->recorded.path);
}

static const char *carving_text(const Run *r)
{
    const Carving *c = &r->carving;
    StudyStage *stages = ARENA_ARRAY(r->arena, StudyStage, c->stage_count);
    for (size_t k = 0; k < c->stage_count; k++)
        stages[k] = (StudyStage){c->stages[k].text, c->reports[k]};
    const char *text = story_carving_text(r->arena, stages, c->stage_count, r->counts.polished);
    if (!r->options.exhaustive)
        return text;
    return arena_printf(r->arena,
                        "%s\n--exhaustive: all were timed; the marked ones survive carving", text);
}

static bool is_threshold(const Stage *s)
{
    return s->kind == STAGE_HOLDS || s->kind == STAGE_WITHIN;
}

/* What became of the points.  With --exhaustive, those count as chosen that survived carving. */
static void take_fates(const Run *r, const Table *p, Story *story)
{
    bool *dropped = ARENA_ARRAY(r->arena, bool, p->count), thresholds = false;
    bool *chosen = ARENA_ARRAY(r->arena, bool, p->count);
    bool *audited = ARENA_ARRAY(r->arena, bool, p->count);
    const Carving *c = &r->carving;
    for (size_t k = 0; k < c->stage_count; k++)
        thresholds = thresholds || is_threshold(&c->stages[k]);
    for (size_t k = 0; k < p->count; k++) {
        const size_t i = p->number[k], stage = thresholds ? c->fates[i].stage : SIZE_MAX;
        const bool profiled = r->table->profile[i].whole;
        const bool survives = profiled && (thresholds || r->options.exhaustive) &&
                              c->fates[i].kind == OUTCOME_SURVIVES;
        dropped[k] =
            stage < c->stage_count && is_threshold(&c->stages[stage]) && profiled && !survives;
        chosen[k] = r->options.exhaustive ? survives : r->table->selected[i];
        audited[k] = r->table->audited[i];
    }
    story->dropped = thresholds ? dropped : NULL;
    story->chosen = chosen;
    story->audited = r->options.audit > 0 ? audited : NULL;
}

/* The configurations of this run's part of the space that could run; `number` is the row in the run's
 * table. */
static Table *take_points(Run *r)
{
    size_t n = 0, *rows = ARENA_ARRAY(r->arena, size_t, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        if (table_fits(r->table, i) && run_is_in_shard(r, i))
            rows[n++] = i;
    Table *p = table_take(r->arena, r->table, rows, n);
    for (size_t k = 0; k < n; k++)
        p->ms[k] = r->source == RUN_REPLAYED && r->recorded.ms ? r->recorded.ms[rows[k]]
                                                               : table_ms(r->table, rows[k]);
    ranking_set(p);
    return p;
}

/* True if every point that could be timed has an outcome. */
static bool is_complete(const Run *r, const Table *p)
{
    if (r->source == RUN_STATIC)
        return false;
    if (r->source == RUN_REPLAYED && r->recorded.ms)
        return true;
    for (size_t k = 0; k < p->count; k++) {
        const Table *t = r->table;
        if (table_is_distinct(t, p->number[k]) && !table_is_timed(t, p->number[k]))
            return false;
    }
    return true;
}

/* The last single criterion in cycles; else the shipped prediction. */
static const char *time_metric(const Run *r)
{
    for (size_t k = r->plan.stage_count; k-- > 0;) {
        const Stage *s = &r->plan.stages[k];
        if (is_threshold(s) || s->column_count != 1)
            continue;
        const Column *c = &r->plan.columns.at[s->columns[0]];
        if (!c->up && c->unit && strcmp(c->unit, "cycles") == 0)
            return c->name;
    }
    return "predicted_cycles";
}

static void take_seconds(const Run *r, Story *story)
{
    StorySeconds *list = ARENA_ARRAY(r->arena, StorySeconds, LEDGER_STAGES + 2);
    size_t n = 0;
    for (int k = 0; k < LEDGER_STAGES; k++)
        list[n++] = (StorySeconds){report_stage_name((LedgerStage)k), r->ledger.seconds[k],
                                   r->ledger.core_seconds[k], NAN};
    if (r->gpu_count > 0) {
        GpuSeconds g = report_gpu_seconds(r);
        list[LEDGER_TIME].gpu = g.timed;
        list[n++] = (StorySeconds){"verify", NAN, NAN, g.verify};
        list[n++] = (StorySeconds){"idle", NAN, NAN, g.idle};
    }
    story->seconds = list;
    story->seconds_count = n;
}

static Story story_of_run(Run *r)
{
    Table *p = take_points(r);
    Buf words = {0}, selected = {0};
    report_heading(r, &words);
    report_result(r, &words);
    if (r->source == RUN_STATIC)
        report_selected(r, &selected);
    bool complete = is_complete(r, p);
    /* Only the chosen ones have times; an audit also times others. */
    bool partly =
        r->source != RUN_STATIC && !complete && r->audit.count == 0 && !r->options.exhaustive;
    Story story = {.points = p,
                   .measured = r->source == RUN_MEASURED,
                   .origin = origin_of(r),
                   .carving = carving_text(r),
                   .chosen_name = partly ? "timed" : "chosen",
                   .rest_name = partly ? "not timed" : "not chosen",
                   .winner = r->best == SIZE_MAX ? SIZE_MAX : table_find(p, r->best),
                   .complete = complete,
                   .time_label = run_objective(r->spec) ? "time for equal work [ms]"
                                 : r->spec->objective == OBJECTIVE_ENERGY ? "energy of a run [mJ]"
                                                                          : NULL,
                   .time_metric = time_metric(r),
                   .own = story_own_metrics(r->arena, r->table->metrics, r->spec->metric_lines,
                                            r->spec->metric_line_count),
                   .selected = selected.size ? buf_keep(&selected, r->arena) : NULL,
                   .words = buf_keep(&words, r->arena)};
    take_fates(r, p, &story);
    const Stage *front = carve_tradeoff(&r->plan);
    story.x_metric = front ? r->plan.columns.at[front->columns[0]].name : "bound_cycles";
    story.y_metric = front ? r->plan.columns.at[front->columns[1]].name : "latency_cycles";
    take_seconds(r, &story);
    return story;
}

const char *run_page_save(Run *r, const char *folder)
{
    const char *problem = r->spec->problems[r->space.problem].text;
    const char *part = r->options.shards > 1 ? arena_printf(r->arena, ", part %d of %d",
                                                            r->options.shard + 1, r->options.shards)
                                             : "";
    const char *title = arena_printf(r->arena, "aptune: %s%s%s on %s%s", r->spec->name,
                                     *problem ? ", " : "", problem, r->device->name, part);
    Story story = story_of_run(r);
    Page page = {.title = title, .stories = &story, .story_count = 1};
    if (!page_save(folder, &page, r->diag))
        return NULL;
    return arena_printf(r->arena, "%s/report.html", folder);
}

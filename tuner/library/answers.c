/* What a handle knows of its space, its configurations and its result. */
#include "tuner/library/handle.h"

#include "tuner/run/run_final.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The run, once it is open; NULL. */
static const Run *handle_run(const aptune *a)
{
    return a->stage >= HANDLE_OPENED ? &a->run : NULL;
}

const Run *handle_run_of(const aptune *a, size_t configuration)
{
    const Run *r = handle_run(a);
    return r && configuration < r->table->count ? r : NULL;
}

/* --- what was opened -------------------------------------------------------------------------- */

aptune_source_kind aptune_source(const aptune *a)
{
    const Run *r = handle_run(a);
    if (!r || r->source == RUN_STATIC)
        return APTUNE_STATIC;
    return r->source == RUN_MEASURED ? APTUNE_MEASURED : APTUNE_REPLAYED;
}

const char *aptune_why_not_measured(const aptune *a)
{
    const Run *r = handle_run(a);
    return r && r->source != RUN_MEASURED ? r->why_not_measured : NULL;
}

static const RecordHeader *header_of(const aptune *a)
{
    const Run *r = handle_run(a);
    return r && r->recorded.times ? &r->recorded.times->header : NULL;
}

const char *aptune_recording(const aptune *a)
{
    return header_of(a) ? a->run.recorded.path : NULL;
}

const char *aptune_recorded(const aptune *a)
{
    const RecordHeader *h = header_of(a);
    return h ? h->date : NULL;
}

const char *aptune_recorded_on(const aptune *a)
{
    const RecordHeader *h = header_of(a);
    return h ? h->device : NULL;
}

const char *aptune_imported(const aptune *a)
{
    return header_of(a) && run_is_imported(&a->run) ? header_of(a)->imported : NULL;
}

const char *aptune_space_name(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->spec->name : NULL;
}

const char *aptune_device(const aptune *a)
{
    const Run *r = handle_run(a);
    return r && r->device ? r->device->name : NULL;
}

int aptune_architecture(const aptune *a)
{
    const Run *r = handle_run(a);
    return r && r->device ? device_arch(r->device) : 0;
}

const char *aptune_output(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->options.output : NULL;
}

size_t aptune_problem_count(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->spec->problem_count : 0;
}

const char *aptune_problem(const aptune *a, size_t number)
{
    return number < aptune_problem_count(a) ? a->run.spec->problems[number].text : NULL;
}

size_t aptune_problem_chosen(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->space.problem : 0;
}

size_t aptune_parameter_count(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->spec->parameter_count : 0;
}

const char *aptune_parameter(const aptune *a, size_t parameter)
{
    return parameter < aptune_parameter_count(a) ? a->run.spec->parameters[parameter].name : NULL;
}

/* --- configurations --------------------------------------------------------------------------- */

size_t aptune_count(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->table->count : 0;
}

typedef struct Search {
    const char *name;
    size_t *found;
} Search;

static aptune_status find(aptune *a, const void *given)
{
    const Search *s = given;
    Arena *scratch = arena_new();
    Diag d = diag_new(scratch);
    buf_clear(&a->failure);
    *s->found = run_find_config(&a->run, s->name, &d);
    handle_tell(a, &d);
    arena_free(scratch);
    return *s->found == SIZE_MAX ? APTUNE_WRONG : APTUNE_OK;
}

size_t aptune_find(aptune *a, const char *name)
{
    size_t found = APTUNE_NOTHING;
    if (handle_run(a))
        handle_call(a, find, &(Search){name, &found});
    return found;
}

const char *aptune_name(aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    if (!r)
        return NULL;
    if (!a->name[configuration]) {
        handle_enter_text(a);
        a->name[configuration] = table_name(a->arena, r->table, configuration);
        handle_leave_text(a);
    }
    return a->name[configuration];
}

static size_t find_parameter(const Run *r, const char *name)
{
    size_t p = 0;
    while (p < r->spec->parameter_count && strcmp(r->spec->parameters[p].name, name) != 0)
        p++;
    return p;
}

const char *aptune_value(aptune *a, size_t configuration, const char *parameter)
{
    const Run *r = handle_run_of(a, configuration);
    size_t p = r ? find_parameter(r, parameter) : 0;
    if (!r || p == r->spec->parameter_count)
        return NULL;
    const char ***values = &a->value[configuration];
    if (!*values)
        *values = ARENA_ARRAY(a->arena, const char *, r->spec->parameter_count);
    if (!(*values)[p]) {
        handle_enter_text(a);
        (*values)[p] = table_value_text(a->arena, table_value(r->table, configuration, p));
        handle_leave_text(a);
    }
    return (*values)[p];
}

double aptune_number(aptune *a, size_t configuration, const char *parameter, double otherwise)
{
    const Run *r = handle_run_of(a, configuration);
    size_t p = r ? find_parameter(r, parameter) : 0;
    if (!r || p == r->spec->parameter_count)
        return otherwise;
    double number = value_as_real(table_value(r->table, configuration, p));
    return isnan(number) ? otherwise : number;
}

/* --- what became of them ---------------------------------------------------------------------- */

static aptune_fate_kind fate_of_outcome(Outcome s)
{
    return s == OUTCOME_OK        ? APTUNE_TIMED
           : s == OUTCOME_WRONG   ? APTUNE_WRONG_RESULT
           : s == OUTCOME_SKIPPED ? APTUNE_SELECTED
                                  : APTUNE_FAILED_TO_RUN;
}

aptune_fate_kind aptune_fate(const aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    if (!r)
        return APTUNE_UNDECIDED;
    const Table *t = r->table;
    if (!table_fits(t, configuration))
        return APTUNE_BEYOND_LIMITS;
    if (table_is_timed(t, configuration))
        return fate_of_outcome(t->outcome[configuration]);
    if (t->outcome[configuration] == OUTCOME_NONE)
        return APTUNE_UNDECIDED;
    if (!table_has_code(t, configuration))
        return APTUNE_NOT_COMPILED;
    if (t->same_as[configuration] != configuration)
        return APTUNE_SAME;
    if (a->stage < HANDLE_CARVED)
        return APTUNE_UNDECIDED;
    return r->table->selected[configuration] ? APTUNE_SELECTED : APTUNE_CARVED;
}

size_t aptune_same_as(const aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    return r ? r->table->same_as[configuration] : APTUNE_NOTHING;
}

/* The table where the configuration has an outcome; NULL. */
static const Table *timed(const aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    return r && table_is_timed(r->table, configuration) ? r->table : NULL;
}

const char *aptune_outcome(const aptune *a, size_t configuration)
{
    const Table *t = timed(a, configuration);
    return t ? outcome_name(t->outcome[configuration]) : NULL;
}

double aptune_time_ms(const aptune *a, size_t configuration)
{
    const Table *t = timed(a, configuration);
    return t ? t->times[configuration].median : NAN;
}

double aptune_time_low_ms(const aptune *a, size_t configuration)
{
    const Table *t = timed(a, configuration);
    return t ? t->times[configuration].low : NAN;
}

double aptune_time_high_ms(const aptune *a, size_t configuration)
{
    const Table *t = timed(a, configuration);
    return t ? t->times[configuration].high : NAN;
}

const double *aptune_times_ms(const aptune *a, size_t configuration, size_t *count)
{
    const Table *t = timed(a, configuration);
    *count = t ? t->times[configuration].count : 0;
    return *count ? t->times[configuration].ms : NULL;
}

/* --- metrics ---------------------------------------------------------------------------------- */

static const Metric *metric_number(const aptune *a, size_t metric)
{
    const Run *r = handle_run(a);
    return r && metric < r->table->metrics->metrics.count ? &r->table->metrics->metrics.at[metric]
                                                          : NULL;
}

size_t aptune_metric_count(const aptune *a)
{
    const Run *r = handle_run(a);
    return r ? r->table->metrics->metrics.count : 0;
}

const char *aptune_metric_name(const aptune *a, size_t metric)
{
    const Metric *m = metric_number(a, metric);
    return m ? m->name : NULL;
}

const char *aptune_metric_unit(const aptune *a, size_t metric)
{
    const Metric *m = metric_number(a, metric);
    return m ? m->unit : NULL;
}

double aptune_metric(const aptune *a, size_t configuration, const char *name)
{
    const Run *r = handle_run_of(a, configuration);
    if (!r)
        return NAN;
    const Table *t = r->table;
    int metric = metricset_find(t->metrics, name), field = profile_find(name);
    if (metric >= 0)
        return table_metric(t, configuration, (size_t)metric);
    return field >= 0 && t->profile[configuration].whole
               ? t->profile[configuration].whole->value[field]
               : NAN;
}

/* --- the result ------------------------------------------------------------------------------- */

size_t aptune_best(const aptune *a)
{
    return a->stage >= HANDLE_JUDGED ? a->run.best : APTUNE_NOTHING;
}

size_t aptune_finalist_count(const aptune *a)
{
    return a->stage >= HANDLE_JUDGED ? a->run.final.count : 0;
}

size_t aptune_finalist(const aptune *a, size_t place)
{
    return place < aptune_finalist_count(a) ? a->run.final.list[place] : APTUNE_NOTHING;
}

int aptune_is_tied(const aptune *a, size_t configuration)
{
    return a->stage >= HANDLE_JUDGED && run_final_is_tied(&a->run.final, configuration);
}

double aptune_relative_performance(const aptune *a)
{
    return a->stage >= HANDLE_JUDGED ? a->run.recorded.relative : NAN;
}

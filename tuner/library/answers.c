/* Answers of a handle about its space, its configurations and its result. */
#include "tuner/library/handle.h"

const Run *handle_run_of(const aptune *a, size_t configuration)
{
    const bool known = a->stage >= HANDLE_OPENED && configuration < a->run.table->count;
    return known ? &a->run : NULL;
}

/* Defines a function that returns `value`, computed from the run `r`, from a stage on, and `none` before. */
#define ANSWER(stage_known, type, name, none, value)                                               \
    type name(const aptune *a)                                                                     \
    {                                                                                              \
        const Run *r = &a->run;                                                                    \
        return a->stage >= HANDLE_##stage_known ? (value) : (none);                                \
    }

/* The same for a timed configuration `i` of the table `t`. */
#define TIMED(type, name, none, value)                                                             \
    type name(const aptune *a, size_t i)                                                           \
    {                                                                                              \
        const Table *t = timed(a, i);                                                              \
        return t ? (value) : (none);                                                               \
    }

/* The same for element `i` of a list that has `count` elements by then. */
#define LISTED(type, name, count, none, value)                                                     \
    type name(const aptune *a, size_t i)                                                           \
    {                                                                                              \
        const Run *r = &a->run;                                                                    \
        return i < count(a) ? (value) : (none);                                                    \
    }

static const RecordHeader *recorded(const Run *r)
{
    return r->recorded.times ? &r->recorded.times->header : NULL;
}

ANSWER(OPENED, aptune_source_kind, aptune_source, APTUNE_STATIC,
       r->source == RUN_STATIC     ? APTUNE_STATIC
       : r->source == RUN_MEASURED ? APTUNE_MEASURED
                                   : APTUNE_REPLAYED)
ANSWER(OPENED, const char *, aptune_why_not_measured, NULL,
       r->source != RUN_MEASURED ? r->why_not_measured : NULL)
ANSWER(OPENED, const char *, aptune_recording, NULL, recorded(r) ? r->recorded.path : NULL)
ANSWER(OPENED, const char *, aptune_recorded, NULL, recorded(r) ? recorded(r)->date : NULL)
ANSWER(OPENED, const char *, aptune_recorded_on, NULL, recorded(r) ? recorded(r)->device : NULL)
ANSWER(OPENED, const char *, aptune_imported, NULL,
       run_is_imported(r) ? recorded(r)->imported : NULL)
ANSWER(OPENED, const char *, aptune_space_name, NULL, r->spec->name)
ANSWER(OPENED, const char *, aptune_device, NULL, r->device ? r->device->name : NULL)
ANSWER(OPENED, int, aptune_architecture, 0, r->device ? device_arch(r->device) : 0)
ANSWER(OPENED, const char *, aptune_output, NULL, r->options.output)
ANSWER(OPENED, size_t, aptune_problem_count, 0, r->spec->problem_count)
LISTED(const char *, aptune_problem, aptune_problem_count, NULL, r->spec->problems[i].text)

ANSWER(OPENED, size_t, aptune_problem_chosen, 0, r->space.problem)
ANSWER(OPENED, size_t, aptune_parameter_count, 0, r->spec->parameter_count)
LISTED(const char *, aptune_parameter, aptune_parameter_count, NULL, r->spec->parameters[i].name)

ANSWER(OPENED, size_t, aptune_count, 0, r->table->count)

typedef struct Search {
    const char *name;
    size_t *found;
} Search;

static aptune_status find(aptune *a, const void *given)
{
    const Search *s = given;
    SCOPED_ARENA *scratch = arena_new();
    Diag d = diag_new(scratch);
    buf_clear(&a->failure);
    *s->found = run_find_config(&a->run, s->name, &d);
    handle_tell(a, &d);
    return *s->found == SIZE_MAX ? APTUNE_WRONG : APTUNE_OK;
}

size_t aptune_find(aptune *a, const char *name)
{
    size_t found = APTUNE_NOTHING;
    if (a->stage >= HANDLE_OPENED)
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

/* The index of a parameter of the run `r`; SIZE_MAX if either does not exist. */
static size_t find_parameter(const Run *r, const char *name)
{
    const Spec *s = r ? r->spec : NULL;
    const Parameter *p = s ? NAME_FIND(s->parameters, s->parameter_count, name, name) : NULL;
    return p ? (size_t)(p - s->parameters) : SIZE_MAX;
}

const char *aptune_value(aptune *a, size_t configuration, const char *parameter)
{
    const Run *r = handle_run_of(a, configuration);
    size_t p = find_parameter(r, parameter);
    if (p == SIZE_MAX)
        return NULL;
    const char ***values = &a->value[configuration];
    if (!*values)
        *values = ARENA_ARRAY(a->arena, const char *, r->spec->parameter_count);
    if (!(*values)[p]) {
        handle_enter_text(a);
        (*values)[p] = value_text(a->arena, table_value(r->table, configuration, p));
        handle_leave_text(a);
    }
    return (*values)[p];
}

double aptune_number(aptune *a, size_t configuration, const char *parameter, double otherwise)
{
    const Run *r = handle_run_of(a, configuration);
    size_t p = find_parameter(r, parameter);
    double n = p == SIZE_MAX ? NAN : value_as_real(table_value(r->table, configuration, p));
    return isnan(n) ? otherwise : n;
}

aptune_fate_kind aptune_fate(const aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    if (!r)
        return APTUNE_UNDECIDED;
    const Table *t = r->table;
    const Outcome s = t->outcome[configuration];
    if (!table_fits(t, configuration))
        return APTUNE_BEYOND_LIMITS;
    if (table_is_timed(t, configuration))
        return s == OUTCOME_OK        ? APTUNE_TIMED
               : s == OUTCOME_WRONG   ? APTUNE_WRONG_RESULT
               : s == OUTCOME_SKIPPED ? APTUNE_SELECTED
                                      : APTUNE_FAILED_TO_RUN;
    if (s == OUTCOME_NONE)
        return APTUNE_UNDECIDED;
    if (!table_has_code(t, configuration))
        return APTUNE_NOT_COMPILED;
    if (t->same_as[configuration] != configuration)
        return APTUNE_SAME;
    if (a->stage < HANDLE_CARVED)
        return APTUNE_UNDECIDED;
    return t->selected[configuration] ? APTUNE_SELECTED : APTUNE_CARVED;
}

size_t aptune_same_as(const aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    return r ? r->table->same_as[configuration] : APTUNE_NOTHING;
}

/* The table if the configuration has an outcome, else NULL. */
static const Table *timed(const aptune *a, size_t configuration)
{
    const Run *r = handle_run_of(a, configuration);
    return r && table_is_timed(r->table, configuration) ? r->table : NULL;
}

TIMED(const char *, aptune_outcome, NULL, outcome_name(t->outcome[i]))
TIMED(double, aptune_time_ms, NAN, t->times[i].median)
TIMED(double, aptune_time_low_ms, NAN, t->times[i].low)
TIMED(double, aptune_time_high_ms, NAN, t->times[i].high)

const double *aptune_times_ms(const aptune *a, size_t configuration, size_t *count)
{
    const Table *t = timed(a, configuration);
    *count = t ? t->times[configuration].count : 0;
    return *count ? t->times[configuration].ms : NULL;
}

ANSWER(OPENED, size_t, aptune_metric_count, 0, r->table->metrics->metrics.count)
LISTED(const char *, aptune_metric_name, aptune_metric_count, NULL,
       r->table->metrics->metrics.at[i].name)
LISTED(const char *, aptune_metric_unit, aptune_metric_count, NULL,
       r->table->metrics->metrics.at[i].unit)

double aptune_metric(const aptune *a, size_t configuration, const char *name)
{
    const Run *r = handle_run_of(a, configuration);
    if (!r)
        return NAN;
    const int metric = metricset_find(r->table->metrics, name), field = profile_find(name);
    const Profile *p = r->table->profile[configuration].whole;
    return metric >= 0       ? table_metric(r->table, configuration, (size_t)metric)
           : field >= 0 && p ? p->value[field]
                             : NAN;
}

ANSWER(JUDGED, size_t, aptune_best, APTUNE_NOTHING, r->best)
ANSWER(JUDGED, size_t, aptune_finalist_count, 0, r->final.count)
LISTED(size_t, aptune_finalist, aptune_finalist_count, APTUNE_NOTHING, r->final.list[i].config)

int aptune_is_tied(const aptune *a, size_t configuration)
{
    return a->stage >= HANDLE_JUDGED && run_final_is_tied(&a->run.final, configuration);
}

ANSWER(JUDGED, double, aptune_relative_performance, NAN, r->recorded.relative)

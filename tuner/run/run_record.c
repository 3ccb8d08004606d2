/* Recordings of a run: finding the rows of configurations and writing its own recording. */
#include "tuner/run/run_parts.h"

#include "metrics/base/file.h"

/* --- values ----------------------------------------------------------------------------------- */

/* As recordings have it: an integer or a string. */
static Value value_of(Arena *a, Value v)
{
    if (v.kind == VALUE_INT || v.kind == VALUE_BOOL)
        return value_int(v.kind == VALUE_INT ? v.integer : v.boolean);
    return value_string(value_text(a, v));
}

static const Parameter *parameter_of(const Spec *s, const RecordParameter *of)
{
    return NAME_FIND(s->parameters, s->parameter_count, name, of->name);
}

const Value *run_record_values(Arena *a, const Run *r, const RecordHeader *h, size_t i)
{
    Value *values = ARENA_ARRAY(a, Value, h->parameter_count);
    if (h->parameter_count != r->spec->parameter_count)
        return NULL;
    for (size_t k = 0; k < h->parameter_count; k++) {
        const Parameter *p = parameter_of(r->spec, &h->parameters[k]);
        if (!p)
            return NULL;
        values[k] = value_of(a, table_value(r->table, i, (size_t)(p - r->spec->parameters)));
    }
    return values;
}

const RecordRow *run_recorded_row(const Run *r, const TimesRecording *t, size_t i)
{
    SCOPED_ARENA *a = arena_new();
    const Value *values = t ? run_record_values(a, r, &t->header, i) : NULL;
    return values ? times_find(t, record_key(a, &t->header, values)) : NULL;
}

static size_t value_number(Arena *a, const Run *r, size_t p, Value v)
{
    const ValueList *values = &r->space.values[p];
    for (size_t i = 0; i < values->count; i++)
        if (value_equal(value_of(a, values->at[i]), v))
            return i;
    return SIZE_MAX;
}

bool run_rank_of(const Run *r, const RecordHeader *h, const RecordRow *row, uint64_t *rank)
{
    SCOPED_ARENA *a = arena_new();
    size_t found = 0;
    *rank = 0;
    for (size_t k = 0; k < h->parameter_count; k++) {
        const Parameter *own = parameter_of(r->spec, &h->parameters[k]);
        if (!own)
            continue;
        const size_t p = (size_t)(own - r->spec->parameters);
        const size_t number = value_number(a, r, p, row->values[k]);
        if (number == SIZE_MAX)
            return false;
        *rank += number * r->space.stride[p];
        found++;
    }
    return found == r->spec->parameter_count && space_has(&r->space, *rank);
}

size_t run_row_of(Run *r, const RecordHeader *h, const RecordRow *row)
{
    uint64_t rank;
    if (!run_rank_of(r, h, row, &rank))
        return SIZE_MAX;
    return r->space.diagram && !r->space.ranks ? run_add_config(r, rank)
                                               : table_find(r->table, rank);
}

void run_list_recorded(Run *r)
{
    const TimesRecording *t = r->recorded.times;
    Space *s = &r->space;
    s->ranks = memory_new((t->rows.count + 1) * sizeof *s->ranks);
    VEC_EACH (const RecordRow, row, t->rows)
        s->count += run_rank_of(r, &t->header, row, &s->ranks[s->count]);
    space_sort_ranks(s);
}

/* --- code and launch as in recordings --------------------------------------------------------- */

/* Counts the steps from `s` on that print as `text`, and sums up their repeats. */
static size_t count_same(const StepsOf *own, size_t s, const char *text, int64_t *times)
{
    SCOPED_BUF other = {0};
    size_t n = 0;
    *times = 0;
    while (s + n < own->count) {
        buf_clear(&other);
        run_print_step(own->at[s + n], &other);
        if (strcmp(buf_text(&other), text) != 0)
            break;
        *times += own->at[s + n++]->times;
    }
    return n;
}

/* The steps of each kernel in order, with "*times" after repeated ones and "+" between kernels, as between
 * codes. */
static const char *launch_text(Arena *a, const TableLaunch *c, size_t kernels)
{
    SCOPED_BUF one = {0};
    SCOPED_ARENA *scratch = arena_new();
    Buf b = {0};
    for (size_t l = 0; l < kernels; l++) {
        const StepsOf own = run_steps_of(scratch, c, l);
        buf_puts(&b, l > 0 ? "+" : "");
        for (size_t s = 0; s < own.count;) {
            int64_t times;
            buf_clear(&one);
            run_print_step(own.at[s], &one);
            buf_printf(&b, "%s%s", s > 0 ? ";" : "", buf_text(&one));
            s += count_same(&own, s, buf_text(&one), &times);
            if (times > 1)
                buf_printf(&b, "*%lld", (long long)times);
        }
    }
    return buf_keep(&b, a);
}

void run_set_code(Run *r, size_t i, const char *hashes)
{
    r->table->code[i] =
        (TableCode){hashes, launch_text(r->arena, &r->table->launch[i], r->spec->launch_count)};
}

bool run_is_code(const Run *r, const char *hashes)
{
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        size_t n = hashes ? strcspn(hashes, "+") : 0;
        if (n != HASH_TEXT - 1)
            return false;
        hashes += n + (hashes[n] == '+');
    }
    return true;
}

Hash run_code_hash(const Run *r, size_t i, size_t launch)
{
    Hash h = {{0}};
    const char *all = r->table->code[i].hash;
    if (all)
        memcpy(h.text, all + launch * HASH_TEXT, HASH_TEXT - 1); /* separated by "+" */
    return h;
}

bool run_is_imported(const Run *r)
{
    return r->recorded.times && r->recorded.times->header.imported[0];
}

bool run_same_code(const Run *r, size_t i, const RecordRow *row)
{
    const TableCode *c = &r->table->code[i];
    if (run_is_imported(r) && !row->code)
        return true; /* other tuners identify code by parameter values only */
    if (!table_has_code(r->table, i))
        return row->status == OUTCOME_COMPILE_ERROR;
    return row->code && c->hash && strcmp(row->code, c->hash) == 0 && row->launch &&
           strcmp(row->launch, c->launch) == 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

static const char *now_text(Arena *a)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[32];
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return arena_string(a, text);
}

RecordHeader run_record_about(Run *r)
{
    const Spec *s = r->spec;
    RecordParameter *parameters = ARENA_ARRAY(r->arena, RecordParameter, s->parameter_count);
    RecordProblem *problem = ARENA_ARRAY(r->arena, RecordProblem, s->problem_name_count);
    for (size_t p = 0; p < s->parameter_count; p++) {
        const ValueKind k = s->parameters[p].kind;
        parameters[p] =
            (RecordParameter){s->parameters[p].name, k == VALUE_STRING || k == VALUE_REAL};
    }
    for (size_t i = 0; i < s->problem_name_count; i++)
        problem[i] = (RecordProblem){s->problem_names[i],
                                     value_of(r->arena, s->problems[r->space.problem].values[i])};
    return (RecordHeader){.space = s->name,
                          .parameters = parameters,
                          .parameter_count = s->parameter_count,
                          .problem = problem,
                          .problem_count = s->problem_name_count};
}

RecordHeader run_record_header(Run *r)
{
    Arena *a = r->arena;
    const Hash source = run_source_hash(r);
    RecordHeader h = run_record_about(r);
    h.arch = run_architecture(a, r);
    h.device = r->device->name;
    h.nvrtc = r->code.compiler;
    h.options = r->spec->options;
    h.option_count = r->spec->option_count;
    const Objective by = r->spec->objective;
    h.objective = by == OBJECTIVE_TIME ? "" : spec_objectives[by];
    h.source_hash = arena_string(a, source.text);
    h.date = now_text(a);
    h.version = APTUNE_VERSION;
    h.facts = record_device_facts(a, r->device, &h.fact_count);
    if (r->gpu) {
        h.cache = task_cache_name(r->l2);
        h.uuid = gpu_facts(r->gpu)->uuid;
        h.driver = gpu_facts(r->gpu)->driver;
    }
    return h;
}

TimesWriter *run_open_recording(Run *r, const RecordHeader *h, const TimesRecording **existing)
{
    TimesRecording *left = NULL;
    const char *path = arena_printf(r->arena, "%s/%s.times", r->options.output, r->spec->name);
    TimesWriter *w = folder_create(r->options.output, r->diag)
                         ? times_open_append(r->arena, path, h, &left, r->diag)
                         : NULL;
    *existing = left;
    return w;
}

bool run_append_row(Run *r, TimesWriter *w, const RecordHeader *h, size_t i)
{
    const Table *t = r->table;
    SCOPED_ARENA *a = arena_new();
    RecordRow row = {.values = run_record_values(a, r, h, i),
                     .max_error = t->trial[i].max_error,
                     .message = t->why[i] && *t->why[i] ? t->why[i] : NULL,
                     .joules = t->trial[i].joules,
                     .seconds = t->trial[i].seconds,
                     .compile_s = t->cost[i].compile_s,
                     .profile_s = t->cost[i].profile_s,
                     .device = t->trial[i].device};
    if (run_objective(r->spec))
        row.work = run_work(r, i, run_objective(r->spec));
    if (!table_has_code(t, i)) {
        row.status = OUTCOME_COMPILE_ERROR;
        row.message = t->why[i];
        row.max_error = NAN;
    } else {
        row.code = t->code[i].hash;
        row.launch = t->code[i].launch;
        row.status = t->outcome[i];
        row.times_ms = t->times[i].ms;
        row.time_count = t->times[i].count;
        row.warm_ms = t->warm[i].ms;
        row.warm_count = t->warm[i].count;
    }
    return times_append(w, &row, r->diag);
}

double run_recorded_value(const Run *r, size_t i)
{
    const RecordRow *row =
        table_fits(r->table, i) ? run_recorded_row(r, r->recorded.times, i) : NULL;
    if (!row || row->status != OUTCOME_OK)
        return NAN;
    if (r->spec->objective == OBJECTIVE_ENERGY)
        return 1e3 * row->joules;
    return stats_median(row->times_ms, row->time_count) / r->table->work[i];
}

const double *run_recorded_times(Run *r)
{
    double *times = ARENA_ARRAY(r->arena, double, r->table->count);
    for (size_t i = 0; i < r->table->count; i++) {
        times[i] = run_recorded_value(r, i);
        if (!table_fits(r->table, i))
            continue;
        const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
        /* What another tuner skipped exceeded its limits: that is an outcome. */
        bool skipped = row && row->status == OUTCOME_SKIPPED && !run_is_imported(r);
        if (!row || skipped || !run_same_code(r, i, row))
            return NULL;
    }
    return times;
}

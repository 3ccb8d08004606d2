/* Writes profiles to recordings and reads them: each distinct code and launch once. */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/run/timer.h"

#include <unistd.h>

static ProfileHeader profile_header(Run *r, const RecordHeader *about)
{
    const char **fields = ARENA_ARRAY(r->arena, const char *, PROFILE_FIELDS);
    for (int f = 0; f < PROFILE_FIELDS; f++)
        fields[f] = profile_fields[f].name;
    return (ProfileHeader){.about = *about,
                           .profiler = arena_printf(r->arena, "%d", PROFILER_VERSION),
                           .fields = fields,
                           .field_count = PROFILE_FIELDS,
                           .columns = profile_column_names,
                           .column_count = REGION_COLUMNS};
}

static const char *step_text(Arena *a, const Step *s)
{
    Buf b = {0};
    run_print_step(s, &b);
    return buf_keep(&b, a);
}

/* Rows to write, each with its key of code and launch. */
typedef struct Rows {
    VEC(ProfileRow) at;
    Texts keys;
} Rows;

/* Adds a row for each launch of a configuration, by the launch's own code and geometry. */
static void add_config(Arena *a, Run *r, size_t i, Rows *rows)
{
    const StepGroups groups = run_all_step_groups(a, r, i);
    for (size_t k = 0; k < groups.count; k++) {
        const Profile *p = r->table->profile[i].shares[k].profile;
        const Step *step = groups.at[k].step;
        Hash code = run_code_hash(r, i, step->launch);
        ProfileRow row = {.code = arena_string(a, code.text),
                          .launch = step_text(a, step),
                          .values = p->value,
                          .note = p->note,
                          .regions = p->regions ? p->regions->value : NULL,
                          .region_count = p->region_count};
        VEC_PUSH(a, &rows->at, row);
        VEC_PUSH(a, &rows->keys, profiles_key(a, row.code, row.launch));
    }
}

/* Writes each row once: configurations may share a launch. */
static bool write_rows(Arena *a, const Rows *rows, ProfileWriter *w, Diag *d)
{
    Map index = map_of_texts(a, rows->keys.at, rows->keys.count);
    for (size_t i = 0; i < rows->at.count; i++)
        if (map_number(&index, rows->keys.at[i]) == i && !profiles_append(w, &rows->at.at[i], d))
            return false;
    return true;
}

/* The file is rewritten by each run, since profiles can always be made again. */
bool run_write_profiles(Run *r, const RecordHeader *h)
{
    const char *path = arena_printf(r->arena, "%s/%s.profile", r->options.output, r->spec->name);
    unlink(path);
    ProfileHeader header = profile_header(r, h);
    ProfileWriter *w = profiles_create(r->arena, path, &header, r->diag);
    if (!w)
        return false;
    SCOPED_ARENA *a = arena_new();
    Rows rows = {0};
    for (size_t i = 0; i < r->table->count; i++)
        if (r->table->profile[i].whole && r->table->same_as[i] == i)
            add_config(a, r, i, &rows);
    bool ok = write_rows(a, &rows, w, r->diag);
    return profiles_close(w, r->diag) && ok;
}

/* The profile beside the recording of times, if there is one. */
static const ProfileRecording *open_any_profiles(Run *r)
{
    const char *path = record_profile_path(r->arena, r->recorded.path);
    if (!path || !file_exists(path))
        return NULL;
    Diag d = diag_new(r->arena);
    const ProfileRecording *p = profiles_read(r->arena, path, &d);
    if (!p)
        diag_warn(r->diag, (Span){0}, "%s; its profiles are made again",
                  d.messages.count ? diag_first(&d) : "cannot be read");
    else if (p->file.cut)
        diag_warn(r->diag, (Span){0}, "'%s' ends inside a line; later profiles are made again",
                  p->path);
    return p;
}

/* The same if its fields have the same meaning as this program's. */
static const ProfileRecording *open_profiles(Run *r)
{
    const ProfileRecording *p = open_any_profiles(r);
    const int version = p ? atoi(p->header.profiler) : 0;
    if (version < PROFILER_SINCE || version > PROFILER_VERSION)
        return NULL;
    if (version < PROFILER_VERSION)
        diag_warn(
            r->diag, (Span){0},
            "'%s' was made by profiler %d, this is profiler %d: its counts and its uncertainty "
            "differ slightly from today's",
            p->path, version, PROFILER_VERSION);
    return p;
}

static bool take_profiles(Run *r, const ProfileRecording *from, Arena *scratch, size_t i)
{
    const StepGroups groups = run_all_step_groups(scratch, r, i);
    const Profile **all = ARENA_ARRAY(scratch, const Profile *, groups.count);
    for (size_t k = 0; k < groups.count; k++) {
        const Step *step = groups.at[k].step;
        Hash code = run_code_hash(r, i, step->launch);
        all[k] = profiles_get(r->arena, from, code.text, step_text(scratch, step));
        if (!all[k])
            return false;
    }
    run_take_profiles(r, i, &groups, all);
    return true;
}

static bool take_config(Run *r, const ProfileRecording *from, Arena *scratch, size_t i)
{
    Table *t = r->table;
    const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
    if (!row)
        return false;
    if (row->status == OUTCOME_COMPILE_ERROR) {
        t->outcome[i] = row->status;
        t->why[i] = row->message;
        return true;
    }
    if (!run_is_code(r, row->code))
        return false;
    run_set_code(r, i, row->code);
    t->outcome[i] = OUTCOME_COMPILED;
    return take_profiles(r, from, scratch, i);
}

bool run_take_recorded(Run *r)
{
    double since = clock_seconds();
    const ProfileRecording *from = open_profiles(r);
    bool complete = from != NULL;
    SCOPED_ARENA *scratch = arena_new();
    for (size_t i = 0; i < r->table->count && complete; i++) {
        if (table_fits(r->table, i) && run_is_in_shard(r, i))
            complete = take_config(r, from, scratch, i);
        arena_reset(scratch);
    }
    for (size_t i = 0; i < r->table->count && !complete; i++) {
        if (table_fits(r->table, i))
            r->table->outcome[i] = OUTCOME_NONE;
        r->table->code[i] = (TableCode){0};
        r->table->why[i] = NULL;
        r->table->profile[i] = (TableProfile){0};
    }
    r->code.compiler = r->recorded.times->header.nvrtc;
    run_charge(r, LEDGER_PROFILE, &since);
    return complete;
}

/* Ties are broken by registers and shared memory, which all profiler versions count alike. */
void run_take_profiles_of(Run *r, const size_t *list, size_t count)
{
    const ProfileRecording *from = open_any_profiles(r);
    SCOPED_ARENA *scratch = arena_new();
    for (size_t i = 0; i < count && from; i++) {
        take_profiles(r, from, scratch, list[i]);
        arena_reset(scratch);
    }
}

/* --- explaining ------------------------------------------------------------------------------- */

void run_take_outcome(Run *r, size_t i)
{
    Table *t = r->table;
    const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
    if (row && table_has_code(t, i) && run_same_code(r, i, row))
        timer_take_row(r, i, row);
}

static const Step *profiled_step(const Run *r, size_t i)
{
    const TableProfile *p = &r->table->profile[i];
    const StepGroups groups = run_all_step_groups(r->arena, r, i);
    if (p->share_count < 2)
        return &r->table->launch[i].steps[0];
    return groups.at[profile_main_launch(p->shares, groups.count)].step;
}

size_t run_profiled_launch(const Run *r, size_t i)
{
    return r->table->launch[i].step_count > 0 ? profiled_step(r, i)->launch : 0;
}

bool run_profiled_input(Run *r, size_t i, const char *option, ProfileInput *out, Diag *d)
{
    const Step *step = profiled_step(r, i);
    CompileJob job;
    CompileResult *res = ARENA_NEW(r->arena, CompileResult);
    if (!run_make_job(r->arena, r, i, step->launch, option, &job))
        return diag_fail(d, "its compile job cannot be made");
    Farm *f = run_open_farm(r);
    farm_add(f, 0, &job);
    bool ok = farm_next(f, r->arena, res, d);
    r->counts.workers_started += farm_started(f);
    farm_close(f);
    if (ok && res->status != OUTCOME_COMPILED)
        return diag_fail(d, "compiling it again: %s", outcome_name(res->status));
    return ok && (run_profile_input(r->arena, r, i, step, res, out) ||
                  diag_fail(d, "its arguments cannot be computed"));
}

RunLines run_follow_lines(Run *r, size_t i)
{
    Diag d = diag_new(r->arena);
    ProfileInput in;
    RunLines lines = {0};
    if (run_profiled_input(r, i, "-lineinfo", &in, &d))
        lines.memory = profile_follow(r->arena, &in, &lines.module, &d);
    if (!lines.memory)
        lines.why_not = diag_first(&d);
    return lines;
}

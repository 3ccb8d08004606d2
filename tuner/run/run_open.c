/* Opens the spec, the space and the device, and applies tier 0. */
#include "tuner/run/run_parts.h"
#include "tuner/space/diagram.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/record/table_read.h"

#include <stdio.h>

/* --- the device ------------------------------------------------------------------------------- */

/* The header that a recording must fit to be replayed or compared with. */
static RecordHeader wanted_header(Run *r)
{
    RecordHeader h = run_record_about(r);
    const Device *device = r->options.arch || !r->device ? r->named_device : r->device;
    if (device)
        h.arch = arena_printf(r->arena, "sm_%d", device_arch(device));
    /* "sm_90", "compute_90", "9.0" and "90" mean any device of that capability. */
    if (device && !(r->options.arch && device_is_capability(r->options.arch)))
        h.device = device->name;
    return h;
}

/* Notes why recordings of the space, or unreadable ones, are not used. */
static void note_others(Run *r, const RecordMatch *matches, size_t count)
{
    EACH (const RecordMatch, m, matches, count)
        if (!m->header.space)
            diag_note(r->diag, (Span){0}, "not replayed: %s", m->why);
        else if (strcmp(m->header.space, r->spec->name) == 0)
            diag_note(r->diag, (Span){0}, "not replayed: '%s': %s", m->path, m->why);
}

/* Opens the recording that the user names. False after a message, also if it does not fit. */
static bool open_named_recording(Run *r)
{
    RecordHeader want = wanted_header(r);
    SCOPED_BUF why = {0};
    r->recorded.path = r->options.recording;
    r->recorded.times = times_read(r->arena, r->recorded.path, r->diag);
    if (!r->recorded.times)
        return false;
    return record_fit(&r->recorded.times->header, &want, &why) <= FIT_SAME_MODEL ||
           diag_fail(r->diag, "'%s' is not a recording of this: %s", r->recorded.path,
                     buf_text(&why));
}

/* Finds the shipped recording of this space, problem and device that fits best; false if there is
 * none, after notes on those that nearly fit. */
static bool find_recording(Run *r)
{
    const char *folder = r->options.recordings;
    if (r->options.recording)
        return open_named_recording(r);
    if (!folder)
        folder = path_join(r->arena, path_folder(r->arena, r->options.space), "recordings");
    if (!r->options.recordings && !file_exists(folder))
        return false;
    RecordHeader want = wanted_header(r);
    size_t count = 0;
    RecordMatch *matches = record_find(r->arena, folder, &want, &count, r->diag);
    size_t fitting = 0;
    while (matches && fitting < count && matches[fitting].fit <= FIT_SAME_MODEL)
        fitting++;
    r->recorded.others = matches ? matches + fitting : NULL;
    r->recorded.other_count = count - fitting;
    if (fitting == 0) {
        note_others(r, matches, count);
        return false;
    }
    r->recorded.path = matches[0].path;
    r->recorded.times = times_read(r->arena, r->recorded.path, r->diag);
    return r->recorded.times != NULL;
}

static bool find_named_device(Run *r)
{
    const char *arch = r->options.arch;
    if (r->options.device_file)
        r->named_device = device_file_read(r->arena, r->options.device_file, r->diag);
    else if (arch)
        r->named_device = device_find(arch);
    if (arch && !r->named_device)
        diag_fail(r->diag, "unknown device '%s'; `aptune devices` lists those known", arch);
    return r->named_device || (!arch && !r->options.device_file);
}

/* Takes the speeds of the user's device file; other facts come from the driver or recording. */
static bool take_sheet(Run *r)
{
    if (!r->options.device_file)
        return true;
    const Device *named = r->named_device;
    if (device_arch(named) != device_arch(r->device))
        return diag_fail(
            r->diag,
            "'%s' has compute capability %d.%d, but %s has %d.%d; --no-gpu carves for the device "
            "of the file",
            r->options.device_file, named->major, named->minor, r->device->name, r->device->major,
            r->device->minor);
    Device *d = ARENA_COPY(r->arena, Device, *r->device);
    d->sheet = named->sheet;
    r->device = d;
    return true;
}

/* The device is the one that the user names, else the GPU here, if it is opened, else that of the recording
 * that fits; else, for what needs no times, the usual one. */
static bool choose_device(Run *r)
{
    if (!find_named_device(r))
        return false;
    bool measured = run_open_devices(r);
    if (measured)
        r->device = gpu_device(r->gpu);
    bool recorded = find_recording(r);
    if (r->diag->errors > 0)
        return false;
    if (measured) {
        r->source = RUN_MEASURED;
        r->device_origin = "the GPU here";
        return take_sheet(r);
    }
    if (recorded && !r->recorded.times->header.arch[0])
        return diag_fail(r->diag, "'%s' does not name its architecture: import it with --arch",
                         r->recorded.path);
    if (recorded) {
        r->source = r->options.no_times ? RUN_STATIC : RUN_REPLAYED;
        r->device = record_device(r->arena, &r->recorded.times->header);
        r->device_origin = arena_printf(r->arena, "that of %s", r->recorded.path);
        return take_sheet(r);
    }
    r->source = RUN_STATIC;
    r->device = r->named_device;
    r->device_origin = r->options.arch ? "named by --arch" : "named by --device-file";
    if (!r->device && (r->options.no_times || r->options.any_device)) {
        r->device = device_usual();
        r->device_origin = "the default: --arch names another";
        r->why_not_measured = arena_printf(r->arena, "%s; %s is %s", r->why_not_measured,
                                           r->device->name, r->device_origin);
    }
    if (r->device && r->options.arch && device_is_capability(r->options.arch))
        r->why_not_measured = arena_printf(
            r->arena, "--arch %s was given, and of those %s was taken; `aptune devices` lists all",
            r->options.arch, r->device->name);
    if (r->device || r->options.dry_run)
        return true;
    if (r->options.may_lack) {
        r->lacks = true;
        diag_warn(r->diag, (Span){0}, "not tuned for '%s': %s, and there is no recording of it",
                  r->spec->problems[r->space.problem].text, r->why_not_measured);
        return false;
    }
    return diag_fail(r->diag,
                     "nothing to tune for: %s, and there is no recording of space '%s' that "
                     "fits; --arch sm_90 (or another, see `aptune devices`) carves without timing",
                     r->why_not_measured, r->spec->name);
}

/* Sets what all rows of the table have in common. */
static void describe_table(Run *r)
{
    Table *t = r->table;
    const Spec *s = r->spec;
    t->name = s->name;
    t->origin = r->recorded.path ? r->recorded.path : "this run";
    t->problem = s->problems[r->space.problem].text;
    t->objective = s->objective == OBJECTIVE_ENERGY ? RECORD_ENERGY : NULL;
    t->gpu = r->device ? r->device->name : "";
    t->date = "";
    t->device = r->device;
    TableSize *sizes = ARENA_ARRAY(r->arena, TableSize, s->problem_name_count);
    for (size_t i = 0; i < s->problem_name_count; i++)
        sizes[i] = (TableSize){s->problem_names[i], s->problems[r->space.problem].values[i]};
    t->sizes = sizes;
    t->size_count = s->problem_name_count;
    t->parameter_count = s->parameter_count;
    t->parameters = ARENA_ARRAY(r->arena, TableParameter, s->parameter_count);
    for (size_t p = 0; p < s->parameter_count; p++)
        t->parameters[p] =
            (TableParameter){s->parameters[p].name, s->parameters[p].kind, r->space.values[p]};
    t->derived = s->derived;
    t->derived_count = s->derived_count;
}

/* --- spaces too large for a list -------------------------------------------------------------- */

enum {
    MAX_LISTED = 100000,  /* size of a space that is searched or counted by a list */
    SAMPLE_SIZE = 2000,   /* sample that represents a larger space when it is counted */
    MAX_COUNTED = 1 << 28 /* values tried by a dry run: takes 15 s */
};

/* True if single configurations show what all of them need. */
static bool may_be_drawn(const Run *r)
{
    const Spec *s = r->spec;
    const RunOptions *o = &r->options;
    bool searched = o->search && !o->carve && o->shards < 2;
    if (!(searched || o->exhaustive || o->some || o->drawn || o->shards > 1) || o->why ||
        run_objective(s))
        return false;
    for (size_t i = 0; i < s->argument_count; i++)
        if (s->arguments[i].count && spec_varies(s, s->arguments[i].count))
            return false;
    return true;
}

/* Shows progress: a product of 10^18 points takes very long. */
static bool watch_space(void *context, uint64_t decided, uint64_t product, size_t valid)
{
    Run *r = context;
    enum { ALL = 1000 };
    char note[40];
    snprintf(note, sizeof note, "%zu valid so far", valid);
    run_progress(r, "construct", (size_t)(ALL * ((double)decided / (double)product)), ALL, note);
    return !run_stopped(r);
}

/* Opens the space; a large one is only counted, not listed. False after a message. */
static bool open_space(Run *r)
{
    Space *s = &r->space;
    if (!space_open(r->arena, r->spec, r->options.problem, s, r->diag))
        return false;
    if (s->product > MAX_LISTED && may_be_drawn(r)) {
        DiagramEnd end = space_diagram_new(r->arena, s, &s->diagram, r->diag);
        if (end == DIAGRAM_ERROR)
            return false;
        s->size = end == DIAGRAM_OK ? space_diagram_count(s->diagram) : 0;
        if (s->size > MAX_LISTED)
            return true;
        space_free(s);
    }
    const SpaceWatch watch = {watch_space, r, r->options.dry_run ? MAX_COUNTED : 0};
    return space_build(r->arena, r->spec, r->options.problem, &watch, s, r->diag);
}

void run_draw_ranks(const Run *r, unsigned long seed, uint64_t *ranks, size_t count)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, seed);
    uint16_t *point = ARENA_ARRAY(r->arena, uint16_t, r->spec->parameter_count);
    for (size_t i = 0; i < count; i++) {
        space_diagram_draw(r->space.diagram, random, point);
        ranks[i] = space_rank_of(&r->space, point, NULL, r->spec->parameter_count);
    }
    gsl_rng_free(random);
}

/* Lists this part (or all) of an unlisted space: every `shards`th configuration. */
static void list_part(Run *r)
{
    Space *s = &r->space;
    bool part = r->options.shards > 1;
    uint64_t step = part ? (uint64_t)r->options.shards : 1;
    uint64_t first = part ? (uint64_t)r->options.shard : 0;
    uint16_t *point = ARENA_ARRAY(r->arena, uint16_t, r->spec->parameter_count);
    s->count = s->size > first ? (size_t)((s->size - first - 1) / step + 1) : 0;
    s->ranks = memory_new((s->count + 1) * sizeof *s->ranks);
    for (size_t i = 0; i < s->count; i++) {
        space_diagram_at(s->diagram, first + step * i, point);
        s->ranks[i] = space_rank_of(s, point, NULL, r->spec->parameter_count);
    }
}

static void check_divisions(Run *r)
{
    enum { DIVISIONS_CHECKED = 20000 };
    Space some = r->space;
    if (some.diagram) {
        some.count = SAMPLE_SIZE;
        some.ranks = ARENA_ARRAY(r->arena, uint64_t, SAMPLE_SIZE);
        run_draw_ranks(r, 0, some.ranks, SAMPLE_SIZE);
    }
    space_check_divisions(r->arena, &some, DIVISIONS_CHECKED, r->diag);
}

/* Lists an unlisted space as needed: a replay the recorded configurations, a count a sample, a part
 * or an exhaustive run its configurations. A search starts without a list. */
static void list_known(Run *r)
{
    Space *s = &r->space;
    if (!s->diagram)
        return;
    if (r->options.dry_run || r->options.drawn) {
        s->ranks = memory_new(SAMPLE_SIZE * sizeof *s->ranks);
        run_draw_ranks(r, 0, s->ranks, s->count = SAMPLE_SIZE);
    } else if (r->source == RUN_REPLAYED && r->options.shards < 2) {
        run_list_recorded(r);
    } else if (r->options.exhaustive || r->options.shards > 1) {
        list_part(r);
    }
}

/* Checks that buffers are not too large for any device, also if nothing is measured. */
static bool check_sizes(Run *r)
{
    bool fits = false, ok = true;
    for (size_t i = 0; i < r->table->count && !fits; i++)
        fits = table_fits(r->table, i);
    for (size_t i = 0; i < r->spec->argument_count && ok && fits && !r->options.dry_run; i++) {
        int64_t count;
        if (r->spec->arguments[i].role != ARGUMENT_SCALAR)
            ok = run_argument_count(r, i, &count);
    }
    return ok;
}

/* Sets the work of configurations relative to the first, if the objective needs it. */
static bool weigh_configs(Run *r)
{
    const Expr *amount = run_objective(r->spec);
    double first = NAN;
    for (size_t i = 0; i < r->table->count && amount; i++) {
        Table *t = r->table;
        double work = run_work(r, i, amount);
        if (!(work > 0))
            return diag_error(r->diag, expr_span(amount), "the work of %s must be above 0",
                              table_name(r->arena, r->table, i));
        first = isnan(first) ? work : first;
        t->work[i] = work / first;
    }
    return true;
}

/* --- what a search learns from recordings ----------------------------------------------------- */

enum { MAX_FITTING = 4 }; /* recordings that the user did not name */

typedef struct Learning {
    Run *run;
    size_t varying; /* with several values */
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

static bool refuse_unrelated(const Run *r, const Table *t)
{
    SCOPED_BUF own = {0}, theirs = {0};
    print_parameters(r->table->parameters, r->table->parameter_count, &own);
    print_parameters(t->parameters, t->parameter_count, &theirs);
    diag_fail(r->diag,
              "nothing can be learned from '%s': it is of space '%s' with parameters %s, but '%s' "
              "varies none of them: it has %s",
              t->origin, t->name, buf_text(&theirs), r->spec->name, buf_text(&own));
    return false;
}

/* True if a lesson is of the same device and problem and has as many times. With both, the search
 * would begin with the fastest of each, which soon uses up a small budget. */
static bool is_asked_again(const Learning *l, const Table *t)
{
    size_t times = 0;
    for (size_t i = 0; i < t->count; i++)
        times += t->ms[i] > 0;
    VEC_EACH (const RunLesson, k, l->lessons) {
        const bool same =
            k->gpu && t->gpu && strcmp(k->gpu, t->gpu) == 0 && strcmp(k->problem, t->problem) == 0;
        if (same && k->times >= times)
            return true;
    }
    return false;
}

/* Learns from a recording. One that the user named must be useful; one that was found need not be. */
static bool learn_from(Learning *l, const char *path, bool named)
{
    Run *r = l->run;
    Diag quiet = diag_new(r->arena);
    size_t shared;
    path = record_in(r->arena, path, named ? r->diag : &quiet);
    if (!path)
        return !named;
    if (NAME_FIND(l->lessons.at, l->lessons.count, path, path))
        return true;
    const Table *t = table_read(r->arena, path, NULL, named ? r->diag : &quiet);
    if (!t)
        return !named;
    if (!named && is_asked_again(l, t))
        return true;
    size_t times = learned_add(l->learned, t, &shared);
    if (times == 0 && named)
        return shared == 0 ? refuse_unrelated(r, t)
                           : diag_fail(r->diag,
                                       "nothing can be learned from '%s': it has no correct "
                                       "results",
                                       path);
    if (times > 0) {
        RunLesson one = {path, t->problem, t->gpu, times, shared, l->varying};
        VEC_PUSH(r->arena, &l->lessons, one);
    }
    return true;
}

/* Learns from recordings that the user names, those of problems tuned before and, unless the user
 * named any, those beside the spec of another size, device or version. Another recording of the
 * same problem is for replays and not learned from. False after a message if a named one teaches
 * nothing. */
static bool learn(Run *r)
{
    Learning l = {.run = r};
    const OptionTexts *named = &r->options.learn;
    const size_t *varying = run_varying(r, &l.varying);
    l.learned = learned_new(r->arena, r->table->parameters, varying, l.varying);
    for (size_t k = 0; k < named->count; k++)
        if (strcmp(named->at[k], "none") != 0 && !learn_from(&l, named->at[k], true))
            return false;
    size_t first = l.lessons.count;
    EACH (const RecordMatch, m, r->recorded.others, r->recorded.other_count)
        if (named->count == 0 && l.lessons.count < first + MAX_FITTING && m->header.space &&
            strcmp(m->header.space, r->spec->name) == 0)
            learn_from(&l, m->path, false);
    for (size_t k = 0; k < r->options.earlier_count; k++)
        learn_from(&l, r->options.earlier[k], false);
    r->search.learned = l.lessons.count > 0 ? l.learned : NULL;
    r->search.lessons = l.lessons.at;
    r->search.lesson_count = l.lessons.count;
    return true;
}

/* --- the problem and the output folder -------------------------------------------------------- */

/* True if the problem contains each word of `text`, "N=8192 M=…" in any order. */
static bool names_problem(Arena *a, const char *text, const char *problem)
{
    const char *padded = arena_printf(a, " %s ", problem);
    for (const char *at = text + strspn(text, " ,"); *at; at += strspn(at, " ,")) {
        size_t n = strcspn(at, " ,");
        if (!strstr(padded, arena_printf(a, " %.*s ", (int)n, at)))
            return false;
        at += n;
    }
    return true;
}

static bool choose_problem(Run *r)
{
    const char *text = r->options.problem_text;
    const size_t count = r->spec->problem_count;
    SCOPED_BUF all = {0};
    for (size_t i = 0; text && i < count; i++) {
        if (names_problem(r->arena, text, r->spec->problems[i].text)) {
            r->options.problem = i;
            text = NULL;
        }
        buf_printf(&all, "%s'%s'", i ? ", " : "", r->spec->problems[i].text);
    }
    if (text && spec_add_problem(r->arena, r->spec, text)) {
        r->options.problem = r->spec->problem_count - 1;
        return true;
    }
    if (text)
        return diag_fail(r->diag, "there is no problem '%s'; there are %s", text, buf_text(&all));
    /* A caller of the library sets the number before the spec is read. */
    return r->options.problem < count || r->options.problem == 0 ||
           diag_fail(r->diag, "there is no problem number %zu (counted from 0); there %s %zu",
                     r->options.problem, count == 1 ? "is" : "are", count);
}

/* Sets the output folder; several problems have a folder each. */
static void choose_output(Run *r)
{
    if (!r->options.output)
        r->options.output = arena_printf(r->arena, "aptune-out/%s", r->spec->name);
    if (r->spec->problem_count < 2)
        return;
    char *text = arena_string(r->arena, r->spec->problems[r->space.problem].text);
    for (char *c = text; *c; c++)
        if (*c == ' ' || *c == '/')
            *c = '_';
    r->options.output = arena_printf(r->arena, "%s/%s", r->options.output, text);
}

/* Says where the arithmetic of launches fails if it does so for a part of the configurations. */
static void warn_of_arithmetic(Run *r)
{
    const size_t count = r->counts.tier0_dropped[OUTCOME_ARITHMETIC];
    size_t row = 0;
    Evaluation ev;
    if (count == 0 || run_first_config(r) == SIZE_MAX)
        return;
    while (r->table->outcome[row] != OUTCOME_ARITHMETIC)
        row++;
    run_make_steps(r->arena, r, row, &ev);
    diag_warn(r->diag, ev.error_at, "%s: %s%s", table_name(r->arena, r->table, row), ev.error,
              count == 1 ? "; it is dropped"
                         : arena_printf(r->arena, "; it and %zu others are dropped", count - 1));
}

bool run_open(Run *r)
{
    double since = clock_seconds();
    const char *path = r->options.space, *text = r->options.space_text;
    r->opened = since;
    run_charge_anew(r); /* exclude children of a shell that became this process */
    r->best = SIZE_MAX;
    r->table = table_new(r->arena);
    r->recorded.relative = r->recorded.random_relative = r->recorded.best_ms = NAN;
    r->spec = text ? spec_parse(r->arena, source_new(r->arena, path, text, strlen(text)), r->diag)
                   : spec_read(r->arena, path, r->diag);
    if (!r->spec || !choose_problem(r) || !open_space(r))
        return false;
    if (r->space.size == 0 && !r->options.dry_run)
        return diag_fail(r->diag,
                         "no configuration of '%s' satisfies all its constraints; "
                         "--dry-run says what each one rejects",
                         r->spec->name);
    check_divisions(r);
    choose_output(r);
    if (r->options.shards > 1)
        r->options.output = arena_printf(r->arena, "%s/shard-%d-of-%d", r->options.output,
                                         r->options.shard, r->options.shards);
    describe_table(r);
    if (!choose_device(r) || !run_open_carving(r))
        return false;
    describe_table(r); /* with the device */
    list_known(r);
    if (r->space.diagram && !r->options.dry_run && !r->options.some && !r->options.drawn &&
        r->options.shards < 2 && !r->options.exhaustive && !run_searches(r))
        return diag_fail(
            r->diag,
            "'%s' has %llu valid configurations, too many to compile all: --compiles N "
            "or --seconds S say how many",
            r->spec->name, (unsigned long long)r->space.size);
    if (!run_make_configs(r) || !check_sizes(r) || !weigh_configs(r))
        return false;
    warn_of_arithmetic(r);
    if (run_searches(r) && r->source != RUN_STATIC && !r->options.dry_run && !learn(r))
        return false;
    run_charge(r, LEDGER_CONSTRUCT, &since);
    return true;
}

void run_close(Run *r)
{
    run_close_devices(r);
    data_close(r->code.walk_data);
    space_free(&r->space);
}

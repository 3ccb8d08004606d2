/* aptune tune: the main job, on top of aptune.h like any other program.  Only the dumps of stages and the
 * report of a stopped run look inside the handle. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/library/handle.h"
#include "tuner/output/report.h"

#include <inttypes.h>

/* --- dumps of stages (-d) --------------------------------------------------------------------- */

typedef enum DumpPoint { DUMP_OPENED, DUMP_COMPILED, DUMP_CARVED, DUMP_TIMED } DumpPoint;

static void dump_spec(Run *r, Buf *out)
{
    spec_print(r->spec, out);
}

static void dump_enumeration(Run *r, Buf *out)
{
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        buf_printf(out, "%-16s %zu values, %" PRIu64 " points refused\n",
                   r->spec->parameters[p].name, r->space.values[p].count, r->space.refused[p]);
    for (size_t i = 0; i < r->spec->constraint_count; i++) {
        Span at = r->spec->constraints[i].at;
        buf_printf(out, "%12" PRIu64 " rejected: %.*s\n", r->space.rejected[i], (int)at.length,
                   at.source->text + at.offset);
    }
    buf_printf(out, "%12" PRIu64 " valid of %" PRIu64 "\n", r->space.size, r->space.product);
}

/* Sources and the headers that they include, each once: what the removal of host code left of them. */
static void dump_sources(Run *r, Buf *out)
{
    SCOPED_ARENA *a = arena_new();
    Texts told = {0};
    for (size_t l = 0; r->code.sources && l < r->spec->launch_count; l++) {
        const CompileSource *s = r->code.sources[l];
        for (size_t i = 0; s && i <= s->headers.count; i += 2) {
            const bool own = i == s->headers.count;
            const char *text = own ? s->text : s->headers.at[i + 1];
            const size_t before = told.count;
            if (text_add_once(a, &told, text) == before)
                buf_printf(out, ">> %s\n%s\n", own ? s->name : s->headers.at[i], text);
        }
    }
}

/* Dumps of one row; the line already has its name. */

static void dump_config(Run *r, size_t i, Buf *out)
{
    const Table *t = r->table;
    buf_printf(out, ": %s",
               t->outcome[i] == OUTCOME_NONE ? "not compiled" : outcome_name(t->outcome[i]));
    if (table_has_code(t, i))
        buf_printf(out, ", code %.*s", (int)strcspn(t->code[i].hash, "+"), t->code[i].hash);
    if (t->why[i] && *t->why[i])
        buf_printf(out, ", %s", t->why[i]);
    buf_putc(out, '\n');
}

static void dump_profile(Run *r, size_t i, Buf *out)
{
    buf_putc(out, '\n');
    profile_print(r->table->profile[i].whole, out);
}

static void dump_metrics(Run *r, size_t i, Buf *out)
{
    const Table *t = r->table;
    buf_putc(out, ':');
    for (size_t m = 0; m < t->metrics->metrics.count; m++)
        buf_printf(out, " %s=%g", t->metrics->metrics.at[m].name, table_metric(t, i, m));
    buf_putc(out, '\n');
}

static void dump_front(Run *r, Buf *out)
{
    carving_print(&r->carving, out);
    for (size_t i = 0; i < r->table->count; i++)
        if (r->table->profile[i].whole)
            carving_why(&r->carving, i, out);
}

static void dump_times(Run *r, size_t i, Buf *out)
{
    const Table *t = r->table;
    buf_printf(out, ": %s", outcome_name(t->outcome[i]));
    for (size_t k = 0; k < t->times[i].count; k++)
        buf_printf(out, " %g", t->times[i].ms[k]);
    buf_putc(out, '\n');
}

static bool has_profile(const Table *t, size_t i)
{
    return t->profile[i].whole != NULL;
}

static bool is_selected(const Table *t, size_t i)
{
    return t->selected[i];
}

typedef struct Dump {
    char letter;
    DumpPoint point;
    const char *title;
    void (*print)(Run *r, Buf *out);               /* the whole dump; NULL: by rows, with … */
    bool (*has)(const Table *t, size_t i);         /* … the rows to dump; NULL: all, and … */
    void (*print_row)(Run *r, size_t i, Buf *out); /* … a row's dump; NULL: `stage` */
    ProfileStage stage;                            /* of the profiler */
} Dump;

static const Dump dumps[] = {
    {'S', DUMP_OPENED, "spec as understood", .print = dump_spec},
    {'E', DUMP_OPENED, "enumeration, and points rejected by each constraint",
     .print = dump_enumeration},
    {'H', DUMP_COMPILED, "sources and headers as compiled, without host code",
     .print = dump_sources},
    {'C', DUMP_COMPILED, "code of every configuration", .print_row = dump_config},
    {'P', DUMP_COMPILED, "profiles", .has = has_profile, .print_row = dump_profile},
    {'M', DUMP_CARVED, "metrics", .has = has_profile, .print_row = dump_metrics},
    {'F', DUMP_CARVED, "fronts and thresholds, and what became of every configuration",
     .print = dump_front},
    {'B', DUMP_TIMED, "basic blocks and loops in the PTX of selected configurations",
     .has = is_selected, .stage = PROFILE_FLOW},
    {'W', DUMP_TIMED, "what their warps execute and access", .has = is_selected,
     .stage = PROFILE_WALK},
    {'L', DUMP_TIMED, "loops of their machine code matched with loops of the PTX",
     .has = is_selected, .stage = PROFILE_PAIRS},
    {'J', DUMP_TIMED, "how often the blocks of their machine code execute", .has = is_selected,
     .stage = PROFILE_JOIN},
    {'R', DUMP_TIMED, "raw times", .has = table_is_timed, .print_row = dump_times},
};

static void dump_rows(Run *r, const Dump *d, Buf *out)
{
    for (size_t i = 0; i < r->table->count; i++) {
        if (d->has && !d->has(r->table, i))
            continue;
        table_print_name(r->table, i, out);
        if (d->print_row) {
            d->print_row(r, i, out);
            continue;
        }
        SCOPED_ARENA *a = arena_new();
        ProfileInput in;
        Diag said = diag_new(a);
        buf_putc(out, '\n');
        if (!run_profiled_input(r, i, NULL, &in, &said) ||
            !profile_dump(a, &in, d->stage, out, &said))
            diag_print(&said, out);
    }
}

/* "S spec as understood, …", for --help. */
static void dump_letters(Buf *out)
{
    EACH (const Dump, d, dumps, COUNT_OF(dumps))
        buf_printf(out, "                         %c %s\n", d->letter, d->title);
}

typedef struct Tune {
    aptune *handle;
    ProgressBar bar;
    Interrupt interrupt;
    bool json;
    bool sharded;      /* --shard was given */
    const char *dumps; /* letters of -d */
} Tune;

/* --- options ---------------------------------------------------------------------------------- */

static bool take_dumps(const Option *o, const char *letters, void *field, Diag *d)
{
    (void)o;
    for (const char *at = letters; *at; at++) {
        size_t i = 0;
        while (i < COUNT_OF(dumps) && dumps[i].letter != *at)
            i++;
        if (i == COUNT_OF(dumps))
            return diag_fail(d, "-d knows no letter '%c'; `aptune tune --help` lists them", *at);
    }
    *(const char **)field = letters;
    return true;
}

static const Option own_options[] = {
    {"json", NULL, "print one JSON object instead of the report", option_flag, offsetof(Tune, json),
     0, 0},
    /* Must be last: the letters follow it in the help. */
    {"d", "LETTERS", "dump the results of stages to standard error:", take_dumps,
     offsetof(Tune, dumps), 0, 0},
};

static bool give(void *options, const Option *o, const char *text, void *field, Diag *d)
{
    Tune *t = options;
    t->sharded = t->sharded || strcmp(o->name, "shard") == 0;
    if (o >= own_options && o < own_options + COUNT_OF(own_options))
        return o->take(o, text, field, d);
    return aptune_set(t->handle, o->name, text) == APTUNE_OK ||
           diag_fail(d, "%s", aptune_message(t->handle));
}

/* --- messages and progress -------------------------------------------------------------------- */

static void print_message(void *context, aptune_severity severity, const char *text)
{
    (void)severity;
    progress_end(&((Tune *)context)->bar);
    command_tell(text);
}

static int show_progress(void *context, const char *stage, size_t done, size_t all,
                         const char *what)
{
    progress_step(&((Tune *)context)->bar, stage, done, all, what);
    return 0;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Writes a file of the output folder and appends its path to `said`, which may be NULL. */
static bool write_output(const aptune *a, const char *name, const char *text, Buf *said)
{
    SCOPED_ARENA *scratch = arena_new();
    Diag d = diag_new(scratch);
    const char *path = arena_printf(scratch, "%s/%s", aptune_output(a), name);
    const bool ok = folder_create(aptune_output(a), &d) && file_write(path, text, strlen(text), &d);
    if (ok && said)
        buf_printf(said, "%s\n", path);
    command_flush_messages(&d);
    return ok;
}

static bool emits(const aptune *a)
{
    return !a->options.emit || strcmp(a->options.emit, "none") != 0;
}

/* Writes the files of the output folder; a line for each goes to `said`. */
static bool write_files(aptune *a, Buf *said)
{
    if (emits(a) && aptune_best(a) != APTUNE_NOTHING) {
        if (aptune_emit(a, aptune_output(a)) != APTUNE_OK)
            return false;
        buf_printf(said, "%s/", aptune_output(a));
        for (size_t i = 0; i < a->written.names.count; i++)
            buf_printf(said, "%s%s", i ? ", " : "", a->written.names.at[i]);
        buf_putc(said, '\n');
    }
    bool ok = true;
    /* A replay has no times of its own: a study of its folder follows this path to the recording that it
     * played. */
    const char *played = aptune_source(a) == APTUNE_REPLAYED ? aptune_recording(a) : NULL;
    if (played)
        ok = write_output(a, RECORD_PLAYED, path_real(a->arena, played, played), NULL);
    ok = write_output(a, "configurations.csv", aptune_text(a, APTUNE_TABLE), said) && ok;
    if (aptune_draw(a, aptune_output(a)) != APTUNE_OK)
        return false;
    buf_printf(said, "%s\n", aptune_drawn(a));
    return ok;
}

static bool print_result(const Tune *t)
{
    aptune *a = t->handle;
    SCOPED_BUF out = {0}, files = {0};
    bool ok = write_files(a, &files);
    buf_puts(&out, aptune_text(a, t->json ? APTUNE_JSON : APTUNE_REPORT));
    const char *label = "written";
    for (const char *at = buf_text(&files); *at && !t->json;
         at += strcspn(at, "\n") + 1, label = "")
        buf_printf(&out, "%-10s %.*s\n", label, (int)strcspn(at, "\n"), at);
    buf_puts(&out, !t->json && a->run.why != SIZE_MAX ? aptune_why(a, a->run.why) : "");
    return command_print_text(buf_text(&out)) && ok;
}

/* The exit code of a run that failed, or that a signal ended, which takes it. */
static int code_of(Tune *t, int failed)
{
    const int number = t->handle->run.stopped ? interrupt_take(&t->interrupt) : 0;
    return number ? EXIT_SIGNAL + number : failed;
}

/* --- one run ---------------------------------------------------------------------------------- */

/* The first signal ends a search, which then names a winner; the second one ends the program. */
static bool end_early(void *context)
{
    Tune *t = context;
    int number = interrupt_take(&t->interrupt);
    if (number == 0)
        return false;
    progress_end(&t->bar);
    fprintf(stderr, "aptune: ending the search (%s); the best so far are timed again\n",
            strsignal(number));
    return true;
}

/* Emits the best so far, so that the output folder has it whatever happens next. */
static void keep_found(void *context)
{
    const Tune *t = context;
    aptune *a = t->handle;
    if (!emits(a))
        return;
    SCOPED_ARENA *scratch = arena_new();
    EmitWritten written = {0};
    emit_winner(&a->run, aptune_output(a), &written, DIAG_UNHEARD(scratch));
}

/* Passes a stage and prints the dumps asked for at its point; if it fails, those of what was compiled.  A search
 * compiles, carves and times concurrently: everything is known only when it ends. */
static bool pass(Tune *t, aptune_status (*stage)(aptune *a), DumpPoint point)
{
    Run *r = &t->handle->run;
    SCOPED_BUF out = {0};
    const bool ok = stage(t->handle) == APTUNE_OK;
    progress_end(&t->bar);
    for (const Dump *d = dumps; d < dumps + COUNT_OF(dumps); d++) {
        const bool late = d->point != DUMP_OPENED && run_searches(r);
        if ((late ? DUMP_TIMED : d->point) != point || !strchr(t->dumps, d->letter) ||
            !(ok || d->point == DUMP_COMPILED))
            continue;
        buf_printf(&out, "> %c: %s (%s)\n", d->letter, d->title, r->spec->name);
        if (d->print)
            d->print(r, &out);
        else
            dump_rows(r, d, &out);
    }
    fputs(buf_text(&out), stderr);
    return ok;
}

static int tune(Tune *t)
{
    aptune *a = t->handle;
    if (t->interrupt.fd == 0)
        t->interrupt = interrupt_catch();
    if (t->interrupt.fd > 0)
        aptune_stop_on(a, t->interrupt.fd);
    if (!pass(t, aptune_open, DUMP_OPENED))
        return a->run.lacks ? EXIT_DONE : code_of(t, EXIT_USAGE);
    if (!t->json && !command_print_text(aptune_text(a, APTUNE_HEADING)))
        return EXIT_FAILED;
    if (a->options.dry_run)
        return command_print_text(aptune_text(a, t->json ? APTUNE_COUNTS_JSON : APTUNE_COUNTS))
                   ? EXIT_DONE
                   : EXIT_FAILED;
    a->run.hooks = (RunHooks){t, end_early, keep_found};
    if (!pass(t, aptune_compile, DUMP_COMPILED) || !pass(t, aptune_carve, DUMP_CARVED) ||
        !pass(t, aptune_measure, DUMP_TIMED)) {
        const int code = code_of(t, EXIT_FAILED);
        SCOPED_BUF out = {0};
        if (code > EXIT_SIGNAL) /* what a stopped run left, and how to continue it */
            report_stopped(&a->run, code - EXIT_SIGNAL, &out);
        fputs(buf_text(&out), stderr);
        return code;
    }
    if (aptune_tune(a) != APTUNE_OK || !print_result(t))
        return EXIT_FAILED;
    /* A shard succeeds once its outcomes are recorded, even without a winner: mpirun ends the whole job when
     * one process fails. */
    const bool result = aptune_best(a) != APTUNE_NOTHING || aptune_source(a) == APTUNE_STATIC ||
                        a->options.shards > 1;
    return result ? EXIT_DONE : EXIT_FAILED;
}

/* What is kept of the tuned problems. */
typedef struct Tuned {
    Arena *arena;
    Texts recordings;   /* one for each */
    const char *folder; /* that holds all results */
} Tuned;

static void keep_tuned(Tuned *k, const aptune *a)
{
    const Run *r = &a->run;
    if (aptune_best(a) == APTUNE_NOTHING)
        return;
    const char *name = arena_printf(k->arena, "%s.times", r->spec->name);
    VEC_PUSH(k->arena, &k->recordings,
             r->source == RUN_MEASURED ? path_join(k->arena, r->options.output, name)
                                       : arena_string(k->arena, r->recorded.path));
    k->folder = path_folder(k->arena, r->options.output);
}

/* Emits one unit for all problems, beside their folders. */
static int emit_tuned(Tune *t, const Tuned *k)
{
    aptune *a = t->handle;
    if (!emits(a) || k->recordings.count < 2)
        return EXIT_DONE;
    aptune_reset(a);
    if (aptune_emit_recordings(a, k->folder, k->recordings.at, k->recordings.count) != APTUNE_OK)
        return EXIT_FAILED;
    SCOPED_BUF out = {0};
    if (!t->json)
        buf_printf(&out, "all sizes  in one unit: %s\n", aptune_emitted(a));
    return command_print_text(buf_text(&out)) ? EXIT_DONE : EXIT_FAILED;
}

/* Tunes each of the spec's problems in turn, unless one was chosen; a search begins with what was fast for
 * the earlier ones.  After the first, problems that cannot be tuned here are skipped. */
static int tune_problems(Tune *t)
{
    aptune *a = t->handle;
    Tuned kept = {.arena = arena_new()};
    int code = tune(t);
    size_t problems = a->options.problem_text ? 1 : aptune_problem_count(a);
    for (size_t p = 1; p < problems && code == EXIT_DONE; p++) {
        keep_tuned(&kept, a);
        aptune_reset(a);
        aptune_choose_problem(a, p);
        a->options.earlier = kept.recordings.at;
        a->options.earlier_count = kept.recordings.count;
        a->options.may_lack = true;
        code = tune(t);
    }
    if (code == EXIT_DONE && problems > 1) {
        keep_tuned(&kept, a);
        code = emit_tuned(t, &kept);
    }
    a->options.may_lack = false;
    a->options.earlier = NULL;
    a->options.earlier_count = 0;
    arena_free(kept.arena);
    return code;
}

static bool tune_command(Call *c)
{
    Tune *t = c->options;
    if (c->count > 0 && (t->handle->options.space || !*c->words[0]))
        return command_refuse(c, "unexpected argument '%s'", c->words[0]);
    if (c->count > 0) /* FILE.spec by itself */
        aptune_set(t->handle, "space", c->words[0]);
    Diag d = diag_new(c->arena);
    if (!options_agree(&t->handle->options, &d) || !(t->sharded || shard_check(&d)))
        return command_refuse(c, "%s\n`aptune tune --help` says more", diag_first(&d));
    aptune_on_message(t->handle, print_message, t);
    aptune_on_progress(t->handle, show_progress, t);
    c->code = tune_problems(t);
    return c->code == EXIT_DONE;
}

static bool begin(void *options)
{
    Tune *t = options;
    *t = (Tune){.handle = aptune_new(), .bar = progress_new(), .dumps = ""};
    if (t->handle) /* the whole space, unless an MPI or Slurm launcher started us */
        aptune_set(t->handle, "shard", "auto");
    else
        fputs("aptune: no memory or no descriptors left\n", stderr);
    return t->handle != NULL;
}

static void end(void *options)
{
    aptune_free(((Tune *)options)->handle);
}

static Tune asked;
static RunOptions unused; /* the handle stores the values */

const CommandLine cmd_tune = {
    .usage = "usage: aptune [tune] FILE.spec [options]\n",
    .table = {{OPTIONS_RUN(&unused), OPTIONS_COMPILE(&unused), OPTIONS_TUNE(&unused),
               OPTION_GROUP(own_options, &asked)}},
    .most = 1,
    .work = tune_command,
    .options = &asked,
    .begin = begin,
    .end = end,
    .take = give,
    .print_more = dump_letters,
};

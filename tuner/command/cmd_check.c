/* aptune check: checks that a spec is sound, without running anything on a GPU. */
#include "tuner/command/command.h"
#include "tuner/run/run_parts.h"

static void print_tier0(const Run *r, Buf *out)
{
    const size_t *dropped = r->counts.tier0_dropped;
    const size_t uncomputed = dropped[OUTCOME_ARITHMETIC], beyond = run_tier0_total(r) - uncomputed;
    if (uncomputed > 0)
        buf_printf(out, "  %zu dropped: %s\n", uncomputed, outcome_name(OUTCOME_ARITHMETIC));
    if (beyond > 0)
        buf_printf(out, "  %zu dropped by the limits of %s before compiling\n", beyond,
                   r->device->name);
    for (int t = OUTCOME_ARITHMETIC + 1; t <= OUTCOME_GRID; t++)
        if (dropped[t] > 0)
            buf_printf(out, "    %zu × %s\n", dropped[t], outcome_name((Outcome)t));
}

static void print_sound(const Run *r, const RunCheck *c)
{
    SCOPED_BUF out = {0};
    const size_t size = r->space.diagram ? r->space.size : r->table->count;
    buf_printf(&out, "%s%s%s: sound; %zu configuration%s\n", r->spec->name,
               *r->spec->problems[r->space.problem].text ? ", " : "",
               r->spec->problems[r->space.problem].text, size, size == 1 ? "" : "s");
    buf_printf(&out, "  judged for %s (sm_%d), %s\n", r->device->name, device_arch(r->device),
               r->device_origin);
    if (size > r->table->count)
        buf_printf(&out, "  the rest was checked on %zu of them, drawn at random\n",
                   r->table->count);
    if (c->uncompiled)
        buf_printf(&out, "  nothing was compiled: %s\n", c->uncompiled);
    else
        buf_printf(&out, "  the parameters of %zu kernel%s fit; %s\n", c->kernels,
                   c->kernels == 1 ? "" : "s",
                   c->accesses
                       ? arena_printf(r->arena, "%zu buffer accesses stay in bounds", c->accesses)
                       : "no buffer access could be followed for certain");
    if (!spec_is_verified(r->spec))
        buf_puts(&out, "  results will not be verified: the spec has no reference\n");
    print_tier0(r, &out);
    if (c->extremes > 0)
        buf_printf(&out, "  %zu of %zu configurations with extreme parameter values compile\n",
                   c->extremes - c->failed, c->extremes);
    if (c->unlaunchable > 0)
        buf_printf(&out, "  %zu of them dropped by the limits of %s after compiling\n",
                   c->unlaunchable, r->device->name);
    const FailureGroup *groups;
    size_t count = run_failures(r->arena, r, &groups);
    for (size_t g = 0; g < count; g++) {
        buf_puts(&out, "    ");
        run_failure_print(r, &groups[g], &out);
        buf_putc(&out, '\n');
    }
    command_print_text(buf_text(&out));
}

/* Checks one problem; *count becomes the number of problems. */
static bool check_problem(Call *c, const RunOptions *options, size_t *count)
{
    SCOPED_ARENA *a = arena_new();
    Diag d = diag_new(a);
    Run r = start_run(a, options, &c->bar, &d);
    RunCheck found;
    bool ok = run_open(&r) && run_check(&r, &found);
    progress_end(&c->bar);
    if (r.spec && !options->problem_text)
        *count = r.spec->problem_count;
    command_flush_messages(&d);
    if (ok)
        print_sound(&r, &found);
    run_close(&r);
    return ok;
}

static bool check(Call *c)
{
    RunOptions *o = c->options;
    if (!o->space && c->count > 0)
        o->space = c->words[0];
    else if (c->count > 0)
        return command_refuse(c, "unexpected argument '%s'", c->words[0]);
    if (!options_run_check(c, o))
        return false;
    o->no_times = true;
    o->drawn = true;
    size_t problems = 1;
    bool ok = true;
    for (; o->problem < problems && ok; o->problem++)
        ok = check_problem(c, o, &problems);
    return ok;
}

static RunOptions asked;

const CommandLine cmd_check = {
    .usage = "usage: aptune check FILE.spec [options]\n"
             "Reads a spec, makes its data, compiles its first configuration and the "
             "reference, and\nchecks that they fit: parameters, variables, sizes and types "
             "of buffers, and which of\nthem are written.  Nothing is run.\n",
    .table = {{OPTIONS_RUN(&asked), OPTIONS_COMPILE(&asked)}},
    .most = 1,
    .work = check,
    .options = &asked,
    .failed = EXIT_USAGE};

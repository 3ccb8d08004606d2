/* aptune emit: writes the tuned kernel of one or several recordings for use in another project. */
#include "metrics/base/file.h"
#include "tuner/command/bench.h"
#include "tuner/command/command.h"
#include "tuner/emit/unit_make.h"

#include <limits.h>

typedef struct EmitCommand {
    RunOptions run;
    EmitOptions emit;
    const char *output;
    const char *depend;    /* the file that --depfile names; NULL: none */
    const char *held_back; /* sizes to measure, none of them tuned for; NULL: none */
    int default_entry;
    bool list, json;
    Texts recordings;
} EmitCommand;

enum { ENTRIES_MOST = 100000 };

static bool take_flavour(const Option *o, const char *text, void *field, Diag *d)
{
    return unit_flavour_find(text, field) ||
           diag_fail(d, "--%s takes driver, driver-linked or runtime, not '%s'", o->name, text);
}

/* What an Option says of its field. */
#define INTO(field)                OPTION_INTO(EmitCommand, field, 0, 0)
#define WITHIN(field, least, most) OPTION_INTO(EmitCommand, field, least, most)
#define BY(take, field, most)      take, offsetof(EmitCommand, field), 0, (most)

static const Option own_options[] = {
    {"space", "FILE", "the spec: kernel, parameters, constraints, launch, data", INTO(run.space)},
    {"output", "DIR", "where the files go (default aptune-out/NAME)", INTO(output)},
    {"name", "NAME", "name of the files (default: that of the space)",
     BY(option_identifier, emit.name, 0)},
    {"prefix", "P_", "prefix of every symbol (default NAME_)",
     BY(option_identifier, emit.prefix, 0)},
    {"flavour", "F", "driver (default; opened at run time), driver-linked, runtime (for nvcc)",
     BY(take_flavour, emit.flavour, 0)},
    {"default", "N", "entry for sizes and devices that no other fits (default 1)",
     WITHIN(default_entry, 1, ENTRIES_MOST)},
    {"held-back", "SIZES", "time all variants at \"N=1000; N=3000\": does the unit take the best?",
     INTO(held_back)},
    {"stale", NULL, "accept recordings whose code differs from what compiles here",
     INTO(emit.accept_stale)},
    {"list", NULL, "print the names of the files; write and compile nothing", INTO(list)},
    {"depfile", "FILE", "write the files read as a Make rule for NAME.h and the unit",
     INTO(depend)},
    {"recordings", "DIR", "where to look if none is named (default: recordings beside the spec)",
     INTO(run.recordings)},
};

/* Listed after those of compiling. */
static const Option end_options[] = {
    {"json", NULL, "print the manifest instead of the report", INTO(json)},
};

static void print_report(Arena *a, const EmitUnit *u, const char *folder, Buf *out)
{
    const Texts names = files_list(a, u);
    buf_printf(out, "aptune     %s, space %s, flavour %s\n", APTUNE_VERSION, u->spec->name,
               unit_flavour_name(u->flavour));
    EACH (const EmitEntry, e, u->entries, u->entry_count) {
        const char *size = spec_problem_text(a, u->spec, e->problem, NULL);
        buf_printf(out, "entry      %zu: %s%son %s (sm_%d): variant %zu, %.4f ms",
                   (size_t)(e - u->entries) + 1, size, *size ? " " : "", e->device, e->arch,
                   e->variant + 1, e->time_ms);
        if (!isnan(e->regret))
            buf_printf(out, ", regret %.1f %%", 100 * e->regret);
        buf_printf(out, "%s%s\n", e->is_default ? ", the default" : "", e->stale ? ", STALE" : "");
        buf_printf(out, "           %s%s%s; %s\n", e->recording, *e->recorded ? ", " : "",
                   e->recorded, e->how);
    }
    for (size_t v = 0; v < u->variant_count; v++) {
        buf_printf(out, "variant    %zu: %s (sm_%d)", v + 1, u->variants[v].name,
                   u->variants[v].arch);
        const char *before = ", compiled for one ";
        for (size_t n = 0; n < u->spec->problem_name_count; n++)
            if (u->variants[v].fixed[n]) {
                buf_printf(out, "%s%s", before, u->spec->problem_names[n]);
                before = ", ";
            }
        buf_putc(out, '\n');
    }
    buf_printf(out, "written    %s:", folder);
    for (size_t i = 0; i < names.count; i++)
        buf_printf(out, " %s", names.at[i]);
    buf_putc(out, '\n');
}

/* The loss of the variant that the unit takes at a size against its best one; NaN after a message. */
static double measure_loss(Run *r, const BenchOptions *o, Buf *out)
{
    Bench b;
    double loss = NAN;
    if (run_open(r) && bench_choose(r, o, &b) && bench_run(r, o, &b)) {
        loss = bench_loss(&b);
        buf_printf(out, "held back  %s: %.4f ms, %.1f %% more than the best of %zu variants: %s\n",
                   r->spec->problems[r->space.problem].text, b.entries[0].median, 100 * loss,
                   b.count, b.entries[0].title);
    }
    run_close(r);
    return loss;
}

/* Sizes are separated by semicolons. */
static bool measure_held_back(Arena *a, const EmitCommand *o, const Run *like, const EmitUnit *u,
                              const char *folder)
{
    enum { ROUNDS = 31 };
    BenchOptions options = {.emitted = arena_printf(a, "%s/%s.json", folder, u->name),
                            .variants = true,
                            .rounds = ROUNDS,
                            .sustain_s = -1};
    SCOPED_BUF out = {0};
    double worst = 0;
    for (const char *at = o->held_back; *at && !isnan(worst);) {
        Run r = *like;
        size_t n = strcspn(at, ";");
        r.options.problem_text = arena_copy(a, at, n);
        r.options.some = true;
        double loss = measure_loss(&r, &options, &out);
        worst = isnan(loss) ? NAN : fmax(worst, loss);
        at += n + strspn(at + n, "; ");
    }
    if (!isnan(worst))
        buf_printf(&out, "held back  worst loss %.1f %%\n", 100 * worst);
    return command_print_text(buf_text(&out)) && !isnan(worst);
}

static bool emit_unit(Call *c, UnitMaker *m, const Run *like)
{
    const EmitCommand *o = c->options;
    const EmitUnit *u = unit_add_recordings(m, like, o->recordings) ? unit_outline(m) : NULL;
    if (!u) {
        c->code = EXIT_USAGE;
        return false;
    }
    const char *folder = o->output ? o->output : arena_printf(c->arena, "aptune-out/%s", u->name);
    SCOPED_BUF out = {0};
    if (o->list) {
        const Texts names = files_list(c->arena, u);
        for (size_t i = 0; i < names.count; i++)
            buf_printf(&out, "%s/%s\n", folder, names.at[i]);
        return command_print_text(buf_text(&out));
    }
    if (!unit_finish(m) || !files_write(u, folder, c->diag))
        return false;
    if (o->depend) {
        SCOPED_BUF text = {0};
        const Texts inputs = unit_inputs(c->arena, m);
        if (!files_print_depend(u, folder, &inputs, &text, c->diag) ||
            !file_write(o->depend, buf_text(&text), text.size, c->diag))
            return false;
    }
    if (m->uncompiled)
        diag_note(c->diag, (Span){0},
                  "nothing was compiled to check that the code is what was measured: %s",
                  m->uncompiled);
    if (o->json)
        files_print_manifest(u, &out);
    else
        print_report(c->arena, u, folder, &out);
    return command_print_text(buf_text(&out)) &&
           (!o->held_back || measure_held_back(c->arena, o, like, u, folder));
}

static bool emit(Call *c)
{
    EmitCommand *o = c->options;
    o->emit.default_entry = (size_t)o->default_entry;
    if (!options_run_check(c, &o->run))
        return false;
    if (o->list && (o->depend || o->json))
        return command_refuse(c, o->depend ? "--list writes nothing: give it or --depfile, not both"
                                           : "give --list or --json, not both");
    for (int i = 0; i < c->count; i++)
        VEC_PUSH(c->arena, &o->recordings, c->words[i]);
    Run like = start_run(c->arena, &o->run, &c->bar, c->diag);
    UnitMaker *m = unit_begin(c->arena, &o->emit, c->diag);
    bool ok = emit_unit(c, m, &like);
    unit_end(m);
    return ok;
}

static EmitCommand asked = {.run = {.ordinal = -1}};

const CommandLine cmd_emit = {
    .usage = "usage: aptune emit FILE.spec [options] [RECORDING …]\n"
             "Writes the winners of recordings (*.times, *.times.zst) of one space as a unit of "
             "C: header,\nloader and launcher, sources with the parameters as constants, cubin "
             "and PTX.\n",
    .table = {{OPTION_GROUP(own_options, &asked), OPTIONS_COMPILE(&asked.run),
               OPTION_GROUP(end_options, &asked)}},
    .most = INT_MAX,
    .work = emit,
    .options = &asked};

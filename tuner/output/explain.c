#include "tuner/output/explain.h"

#include "tuner/output/report_parts.h"

#include <inttypes.h>

double explain_metric(const Subject *s, const char *name)
{
    return table_named(s->run->table, s->config, name);
}

const char *explain_number_text(Arena *a, double n)
{
    Buf text = {0};
    if (isnan(n) || fabs(n) >= 1e15)
        return "not known";
    buf_puts(&text, n < -0.5 ? "-" : "");
    report_count(&text, (uint64_t)nearbyint(fabs(n)), 0);
    return buf_keep(&text, a);
}

Subject explain_subject(const Run *r, size_t config, RunLines lines, bool carved)
{
    const Table *t = r->table;
    Subject s = {.run = r,
                 .config = config,
                 .profile = t->profile[config].whole,
                 .geometry = &t->launch[config].geometry[run_profiled_launch(r, config)],
                 .lines = lines,
                 .carved = carved};
    const double *v = s.profile->value, barriers = v[PROFILE_BARRIERS];
    s.occupancy =
        occupancy_compute(r->device, &(BlockUse){.registers = (int)v[PROFILE_REGISTERS],
                                                 .static_shared = (int64_t)v[PROFILE_SHARED_BYTES],
                                                 .threads = (int)v[PROFILE_THREADS_PER_BLOCK],
                                                 .barriers = isnan(barriers) ? 0 : (int)barriers});
    return s;
}

static const struct {
    const char *metric, *words;
} both[] = {{"bound_cycles", "busiest unit"}, {"latency_cycles", "warp latency"}};

/* Pareto dominance: nowhere worse and somewhere better. */
static bool beats(const Run *r, size_t i, size_t j)
{
    size_t better = 0;
    for (size_t k = 0; k < 2; k++) {
        double x = table_named(r->table, i, both[k].metric),
               y = table_named(r->table, j, both[k].metric);
        if (!(x <= y))
            return false;
        better += x < y;
    }
    return better > 0;
}

/* The number of parameters in which two configurations differ. */
static size_t distance(const Run *r, size_t i, size_t j)
{
    size_t n = 0;
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        n += !value_equal(table_value(r->table, i, p), table_value(r->table, j, p));
    return n;
}

/* The survivor that dominates the configuration in bound and latency cycles and shares the most parameters
 * with it; SIZE_MAX: none. */
static size_t explain_dominator(const Subject *s)
{
    const Run *r = s->run;
    size_t best = SIZE_MAX;
    for (size_t k = 0; s->carved && k < r->carving.survivor_count; k++) {
        size_t i = r->carving.survivors[k];
        if (beats(r, i, s->config) &&
            (best == SIZE_MAX || distance(r, i, s->config) < distance(r, best, s->config)))
            best = i;
    }
    return best;
}

/* --- the table -------------------------------------------------------------------------------- */

typedef struct Cell {
    const Subject *s;
    const char *name, *unit; /* of the row */
    Buf *out;
} Cell;

static double field(const Subject *s, ProfileField f)
{
    return s->profile->value[f];
}

static double named(Cell c)
{
    return field(c.s, (ProfileField)profile_find(c.name));
}

static const char *number_text(const Subject *s, double n)
{
    return explain_number_text(s->run->arena, n);
}

static void print_percent(double part, double whole, Buf *out)
{
    const double share = whole > 0 ? 100 * part / whole : NAN;
    if (isnan(share))
        buf_puts(out, "not known");
    else
        buf_printf(out, "%5.1f %%", share);
}

/* --- the launch ------------------------------------------------------------------------------- */

static void print_dims(const int64_t n[3], Buf *out)
{
    buf_printf(out, "%" PRId64, n[0]);
    for (int i = 1; i < 3 && (n[1] > 1 || n[2] > 1); i++)
        if (i == 1 || n[2] > 1)
            buf_printf(out, " x %" PRId64, n[i]);
}

static void cell_grid(Cell c)
{
    print_dims(c.s->geometry->grid, c.out);
    buf_puts(c.out, " blocks");
}

static void cell_block(Cell c)
{
    print_dims(c.s->geometry->block, c.out);
    buf_printf(c.out, " threads, %d warps", c.s->occupancy.warps_per_block);
}

static void cell_amount(Cell c)
{
    buf_printf(c.out, "%s %s", number_text(c.s, named(c)), c.unit);
}

static void cell_spills(Cell c)
{
    if (field(c.s, PROFILE_SPILL_BYTES) == 0)
        buf_puts(c.out, "none");
    else
        cell_amount(c);
}

static void cell_occupancy(Cell c)
{
    const Occupancy *o = &c.s->occupancy;
    buf_printf(c.out, "%.0f %%: %d blocks, %d warps per SM", 100 * o->fraction, o->blocks_per_sm,
               o->warps_per_sm);
}

static void cell_limit(Cell c)
{
    char text[64];
    buf_puts(c.out, occupancy_limits_text(c.s->occupancy.limits, text));
}

/* What one more block needs: it helps only if a single resource is the limit. */
static void cell_step(Cell c)
{
    const Occupancy *o = &c.s->occupancy;
    if (o->fewer_registers > 0)
        buf_printf(c.out, "needs %d fewer registers", o->fewer_registers);
    else if (o->fewer_shared_bytes > 0)
        buf_printf(c.out, "needs %" PRId64 " fewer bytes of shared memory", o->fewer_shared_bytes);
    else
        buf_puts(c.out, "no single resource allows it");
}

static void cell_waves(Cell c)
{
    if (isnan(field(c.s, PROFILE_WAVES))) {
        buf_puts(c.out, "not known: it cannot be launched");
        return;
    }
    buf_printf(c.out, "%.2f, tail efficiency %.0f %%", field(c.s, PROFILE_WAVES),
               100 * field(c.s, PROFILE_TAIL_EFFICIENCY));
}

/* --- units ------------------------------------------------------------------------------------ */

static const char *const units[] = {"issue_cycles", "fp32_cycles",   "int_cycles", "sfu_cycles",
                                    "fp64_cycles",  "shared_cycles", "l2_cycles",  "memory_cycles"};

const char *explain_busiest(const Subject *s)
{
    const char *most = NULL;
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (explain_metric(s, units[i]) > (most ? explain_metric(s, most) : 0))
            most = units[i];
    return most;
}

static void print_number(Cell c, double value)
{
    buf_printf(c.out, "%13s", number_text(c.s, value));
}

/* An idle unit has no row. */
static void cell_unit(Cell c)
{
    const char *busiest = explain_busiest(c.s);
    double cycles = explain_metric(c.s, c.name),
           most = busiest ? explain_metric(c.s, busiest) : NAN;
    if (cycles == 0)
        return;
    print_number(c, cycles);
    buf_putc(c.out, ' ');
    print_percent(cycles, most, c.out);
    if (cycles == most)
        buf_puts(c.out, "  <- bounds");
}

static void cell_cycles(Cell c)
{
    print_number(c, explain_metric(c.s, c.name));
}

/* Zero has no row. */
static void cell_some_cycles(Cell c)
{
    if (explain_metric(c.s, c.name) > 0)
        cell_cycles(c);
}

/* The position on the roofline: arithmetic intensity against the ridge point (S. Williams, A. Waterman, D.
 * Patterson, "Roofline", Communications of the ACM 52(4), 2009). */
static void cell_roofline(Cell c)
{
    const Device *d = c.s->run->device;
    const double bytes = run_work(c.s->run, c.s->config, c.s->run->spec->work[OBJECTIVE_BYTES]);
    const double flop = run_work(c.s->run, c.s->config, c.s->run->spec->work[OBJECTIVE_FLOP]);
    if (!(bytes > 0 && flop > 0 && d->dram_bytes_per_s > 0 && device_peak_flops(d) > 0))
        return;
    const double ridge = device_peak_flops(d) / d->dram_bytes_per_s;
    buf_printf(c.out, "%13.3g flop/byte, ridge %.3g: %s", flop / bytes, ridge,
               flop / bytes < ridge ? "memory" : "arithmetic");
}

/* --- one warp --------------------------------------------------------------------------------- */

static void cell_field(Cell c)
{
    print_number(c, named(c));
}

/* Zero has no row. */
static void cell_some(Cell c)
{
    if (named(c) != 0)
        cell_field(c);
}

/* A part of a lone warp's time. */
static void cell_serial(Cell c)
{
    cell_field(c);
    buf_putc(c.out, ' ');
    print_percent(named(c), field(c.s, PROFILE_SERIAL_CYCLES), c.out);
}

static void cell_flight(Cell c)
{
    double n = field(c.s, PROFILE_LOADS_IN_FLIGHT);
    if (isnan(n))
        buf_printf(c.out, "%13s", "not known");
    else
        buf_printf(c.out, "%13.1f", n);
}

/* --- prediction ------------------------------------------------------------------------------- */

static void cell_predicted(Cell c)
{
    cell_cycles(c);
    SCOPED_ARENA *a = arena_new();
    const char *text = table_predicted_text(a, c.s->run->table, c.s->config);
    if (text)
        buf_printf(c.out, "  = %s", text);
}

static void cell_recorded(Cell c)
{
    const Table *t = c.s->run->table;
    if (!table_is_timed(t, c.s->config))
        buf_printf(c.out, "%13s", "not known");
    else if (t->outcome[c.s->config] != OUTCOME_OK)
        buf_printf(c.out, "%13s", outcome_name(t->outcome[c.s->config]));
    else
        buf_printf(c.out, "%13s    %.4f ms", "", t->times[c.s->config].median);
}

/* --- instructions and memory ------------------------------------------------------------------ */

/* A negligible kind has no row. */
static void cell_mix(Cell c)
{
    const double hardly = 0.0005;
    double n = named(c), all = field(c.s, PROFILE_ISSUED);
    if (n <= hardly * all)
        return;
    cell_field(c);
    buf_putc(c.out, ' ');
    print_percent(n, all, c.out);
}

/* A count and its multiple of the least possible, which is the field NAME_min. */
static void cell_factor(Cell c)
{
    char least_name[64];
    snprintf(least_name, sizeof least_name, "%s_min", c.name);
    double n = named(c);
    double least = field(c.s, (ProfileField)profile_find(least_name));
    cell_field(c);
    if (least > 0)
        buf_printf(c.out, "  %.2f x the least", n / least);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct TableRow {
    const char *label;
    /* Leaves the buffer empty where there is nothing to say; NULL: the row is a heading. */
    void (*print)(Cell c);
    const char *name; /* of a metric or field */
    const char *unit; /* of an amount */
} TableRow;

static const TableRow rows[] = {
    {"launch", NULL, NULL, NULL},
    {"grid", cell_grid, NULL, NULL},
    {"block", cell_block, NULL, NULL},
    {"registers", cell_amount, "registers", "per thread"},
    {"shared", cell_amount, "shared_bytes", "bytes per block"},
    {"spills", cell_spills, "spill_bytes", "bytes per thread"},
    {"occupancy", cell_occupancy, NULL, NULL},
    {"limited by", cell_limit, NULL, NULL},
    {"one more block", cell_step, NULL, NULL},
    {"waves", cell_waves, NULL, NULL},
    {"busy cycles of an SM's units, and their share of the busiest", NULL, NULL, NULL},
    {"issue slots", cell_unit, "issue_cycles", NULL},
    {"fp32", cell_unit, "fp32_cycles", NULL},
    {"integer", cell_unit, "int_cycles", NULL},
    {"special", cell_unit, "sfu_cycles", NULL},
    {"fp64", cell_unit, "fp64_cycles", NULL},
    {"shared and L1", cell_unit, "shared_cycles", NULL},
    {"L2", cell_unit, "l2_cycles", NULL},
    {"memory", cell_unit, "memory_cycles", NULL},
    {"roofline", cell_roofline, NULL, NULL},
    {"with imbalance", cell_cycles, "bound_cycles", NULL},
    {"cycles of one warp running alone, and their parts", NULL, NULL, NULL},
    {"alone", cell_field, "serial_cycles", NULL},
    {"issue", cell_serial, "serial_issue", NULL},
    {"shared memory", cell_serial, "serial_shared", NULL},
    {"global memory", cell_serial, "serial_global", NULL},
    {"barriers", cell_serial, "serial_barrier", NULL},
    {"loads in flight", cell_flight, NULL, NULL},
    {"time", NULL, NULL, NULL},
    {"busiest unit", cell_cycles, "bound_cycles", NULL},
    {"warp latency", cell_cycles, "latency_cycles", NULL},
    {"block chains", cell_some_cycles, "chain_cycles", NULL},
    {"predicted", cell_predicted, "predicted_cycles", NULL},
    {"recorded", cell_recorded, NULL, NULL},
    {"machine instructions of a warp, and their share of all", NULL, NULL, NULL},
    {"issued", cell_field, "issued", NULL},
    {"fp32", cell_mix, "fma_issued", NULL},
    {"integer multiply", cell_mix, "imad_issued", NULL},
    {"integer, logic", cell_mix, "alu_issued", NULL},
    {"special", cell_mix, "sfu_issued", NULL},
    {"fp64", cell_mix, "fp64_issued", NULL},
    {"half", cell_mix, "half_issued", NULL},
    {"tensor", cell_mix, "tensor_issued", NULL},
    {"memory", cell_mix, "lsu_issued", NULL},
    {"branches", cell_mix, "branch_issued", NULL},
    {"local memory", cell_mix, "spill_issued", NULL},
    {"memory accesses of a warp", NULL, NULL, NULL},
    {"shared passes", cell_factor, "shared_wavefronts", NULL},
    {"global sectors", cell_factor, "global_sectors", NULL},
    {"loop code, bytes", cell_some, "loop_bytes", NULL},
};
enum { ROWS = COUNT_OF(rows), COLUMN = 40 };

static void print_row(const TableRow *row, const Subject *s, int count, Buf *out)
{
    SCOPED_BUF line = {0};
    bool said = false;
    buf_printf(&line, "  %-16s", row->label);
    for (int i = 0; i < count; i++) {
        size_t start = line.size;
        row->print((Cell){&s[i], row->name, row->unit, &line});
        size_t width = line.size - start;
        said |= width > 0;
        if (i + 1 < count)
            buf_fill(&line, ' ', width < COLUMN ? COLUMN - width : 1);
    }
    size_t end = line.size;
    while (end > 0 && buf_text(&line)[end - 1] == ' ')
        end--;
    if (said)
        buf_printf(out, "%.*s\n", (int)end, buf_text(&line));
}

/* --- carving ---------------------------------------------------------------------------------- */

/* "BM=128 PAD=4": the parameters of configuration `i` that differ. */
static void print_differences(const Run *r, size_t i, size_t from, Buf *out)
{
    const char *gap = "";
    for (size_t p = 0; p < r->spec->parameter_count; p++) {
        Value v = table_value(r->table, i, p);
        if (value_equal(v, table_value(r->table, from, p)))
            continue;
        buf_printf(out, "%s%s=", gap, r->spec->parameters[p].name);
        value_print_named(v, out);
        gap = " ";
    }
}

static void print_carving(const Subject *s, Buf *out)
{
    buf_puts(out, "\ncarving\n  ");
    if (!s->carved) {
        buf_puts(out, "not judged: only the named configurations were compiled; aptune tune --why "
                      "carves the whole space\n");
        return;
    }
    report_why(s->run, s->config, out);
    const size_t by = explain_dominator(s);
    if (by == SIZE_MAX) {
        buf_puts(out, "  no survivor is better in busiest unit or warp latency and at least as "
                      "good in the other\n");
        return;
    }
    const char *its[2], *ours[2];
    for (size_t k = 0; k < 2; k++) {
        its[k] = number_text(s, table_named(s->run->table, by, both[k].metric));
        ours[k] = number_text(s, explain_metric(s, both[k].metric));
    }
    const bool alike = strcmp(its[0], ours[0]) == 0 || strcmp(its[1], ours[1]) == 0;
    buf_puts(out, "  the survivor with ");
    print_differences(s->run, by, s->config, out);
    buf_printf(out, " instead is better in %s:", alike ? "one and as good in the other" : "both");
    for (size_t k = 0; k < 2; k++)
        buf_printf(out, "%s %s %s against %s", k > 0 ? "," : "", both[k].words, its[k], ours[k]);
    buf_puts(out, " cycles\n");
}

/* --- patterns and lines ----------------------------------------------------------------------- */

static void print_finding(Arena *a, const Finding *f, Buf *out)
{
    buf_printf(out, "  %s: %s\n", f->name, f->what);
    if (f->where)
        buf_printf(out, "    worst: %s\n", f->where);
    if (isnan(f->cycles))
        buf_puts(out, "    cost not known");
    else
        buf_printf(out, "    costs %s cycles of %s (%.0f %%)", explain_number_text(a, f->cycles),
                   f->unit, 100 * f->share);
    buf_printf(out, "%s%s\n    %s\n", f->effect ? "; " : "", f->effect ? f->effect : "", f->remedy);
}

static void print_findings(Arena *a, const Subject *s, const SourceLines *lines, Buf *out)
{
    Findings found = explain_find(a, s, lines);
    buf_puts(out, "\npatterns found\n");
    VEC_EACH (const Finding, f, found)
        print_finding(a, f, out);
    if (found.count == 0)
        buf_puts(out, "  none: memory accesses are efficient, and the work itself is the bound\n");
    if (s->profile->value[PROFILE_CODE_UNMATCHED] > 0)
        buf_puts(out, "  (the machine code could not be matched reliably with the PTX: its counts "
                      "are estimates)\n");
}

static void print_access(Arena *a, const SourceAccess *x, Buf *out)
{
    enum { FEW = 10 }; /* means over sampled warps may be fractions */
    const char *times = x->executions == 1 ? "once"
                        : x->executions < FEW
                            ? arena_printf(a, "%.2g times", x->executions)
                            : arena_printf(a, "%s times", explain_number_text(a, x->executions));
    buf_printf(out, "  %s, %s per warp%s", explain_access(a, x), times,
               x->sampled ? " (mean over sampled warps)" : "");
    if (x->cost - x->least >= 0.5) { /* not rounded to 0 */
        buf_printf(out, ": %s excess %s", explain_number_text(a, x->cost - x->least),
                   x->shared ? "wavefronts" : "sectors");
        /* Measured on the H200: an access of 16 bytes per lane is served as two half-warps, so that words
         * wanted by both halves are passed twice. */
        if (x->shared && x->bytes == 16)
            buf_puts(out, " (16 bytes per lane: the half-warps are served separately)");
    }
    buf_putc(out, '\n');
}

static void print_lines(Arena *a, const SourceLines *lines, Buf *out)
{
    enum { ACCESSES_SHOWN = 8, CODE_SHOWN = 5 };
    buf_puts(out, "\nlines of the source\n");
    if (lines->why_not) {
        buf_printf(out, "  not known: %s\n", lines->why_not);
        return;
    }
    for (size_t i = 0; i < lines->accesses.count && i < ACCESSES_SHOWN; i++)
        print_access(a, &lines->accesses.at[i], out);
    if (lines->accesses.count == 0)
        buf_puts(out, "  no access of shared or global memory has a known address\n");
    const double hardly = 0.0005; /* rounded to 0.0 % */
    for (size_t i = 0; i < lines->code.count && i < CODE_SHOWN && lines->code.at[i].share > hardly;
         i++)
        if (lines->code.at[i].line == 0)
            buf_printf(out, "  without a line: %.1f %% of the instructions\n",
                       100 * lines->code.at[i].share);
        else
            buf_printf(out, "  %s:%u: %.1f %% of the instructions\n", lines->code.at[i].file,
                       lines->code.at[i].line, 100 * lines->code.at[i].share);
}

void explain_print(const Subject *s, int count, Buf *out)
{
    SCOPED_ARENA *a = arena_new();
    const char *const letters[] = {"A", "B"};
    for (int i = 0; i < count; i++)
        buf_printf(out, "%-16s %s\n", count > 1 ? letters[i] : "configuration",
                   table_name(a, s[i].run->table, s[i].config));
    if (count > 1)
        buf_printf(out, "\n  %-16s%-*s%s\n", "", COLUMN, "A", "B");
    EACH (const TableRow, row, rows, COUNT_OF(rows))
        if (row->print)
            print_row(row, s, count, out);
        else
            buf_printf(out, "\n%s\n", row->label);
    for (int i = 0; i < count; i++) {
        if (count > 1)
            buf_printf(out, "\n--- %s: %s ---\n", letters[i],
                       table_name(a, s[i].run->table, s[i].config));
        SourceLines lines = explain_lines(a, &s[i]);
        if (s[i].profile->note) /* about data-dependent behaviour */
            buf_printf(out, "\nassumed\n  %s\n", s[i].profile->note);
        print_findings(a, &s[i], &lines, out);
        print_lines(a, &lines, out);
        print_carving(&s[i], out);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *sizes(const int64_t n[3])
{
    return json_pack("[I, I, I]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]);
}

static json_t *occupancy_of(const Subject *s)
{
    char limits[64];
    const Occupancy *o = &s->occupancy;
    return json_put(json_object(), "fraction", json_known(o->fraction), "blocks_per_sm",
                    json_integer(o->blocks_per_sm), "warps_per_sm", json_integer(o->warps_per_sm),
                    "limited_by", json_string(occupancy_limits_text(o->limits, limits)),
                    "registers_fewer_for_one_block_more", json_integer(o->fewer_registers),
                    "shared_bytes_fewer_for_one_block_more", json_integer(o->fewer_shared_bytes),
                    NULL);
}

static json_t *recorded_of(const Subject *s)
{
    const Table *t = s->run->table;
    if (!table_is_timed(t, s->config))
        return json_null();
    return json_put(json_object(), "status", json_string(outcome_name(t->outcome[s->config])),
                    "time_ms", json_known(t->times[s->config].median), NULL);
}

static json_t *findings_of(Arena *a, const Subject *s, const SourceLines *lines)
{
    Findings found = explain_find(a, s, lines);
    json_t *list = json_array();
    VEC_EACH (const Finding, f, found)
        json_array_append_new(
            list, json_put(json_object(), "name", json_text(f->name), "kind", json_text(f->kind),
                           "what", json_text(f->what), "where", json_text(f->where), "cost_cycles",
                           json_known(f->cycles), "cost_share", json_known(f->share), "cost_of",
                           json_text(f->unit), "effect", json_text(f->effect), "remedy",
                           json_text(f->remedy), NULL));
    return list;
}

static json_t *lines_of(const SourceLines *lines)
{
    json_t *accesses = json_array(), *code = json_array();
    VEC_EACH (const SourceAccess, x, lines->accesses)
        json_array_append_new(
            accesses,
            json_put(json_object(), "file", json_text(x->file), "line", json_integer(x->line),
                     "memory", json_string(x->shared ? "shared" : "global"), "kind",
                     json_text(x->kind), "bytes_of_a_lane", json_integer(x->bytes), "executions",
                     json_known(x->executions), x->shared ? "wavefronts" : "sectors",
                     json_known(x->cost), x->shared ? "wavefronts_min" : "sectors_min",
                     json_known(x->least), "sampled", json_boolean(x->sampled), NULL));
    VEC_EACH (const SourceCode, c, lines->code)
        json_array_append_new(code, json_put(json_object(), "file", json_text(c->file), "line",
                                             json_integer(c->line), "share_of_instructions",
                                             json_known(c->share), NULL));
    return json_put(json_object(), "not_known", json_text(lines->why_not), "accesses", accesses,
                    "code", code, NULL);
}

static json_t *carving_of(const Subject *s)
{
    if (!s->carved)
        return json_null();
    size_t by = explain_dominator(s);
    bool none = by == SIZE_MAX;
    return json_put(json_object(), "survives",
                    json_boolean(s->run->carving.fates[s->config].kind == OUTCOME_SURVIVES), "why",
                    report_why_text(s->run, s->config), "dominated_by",
                    none ? json_null() : report_parameters(s->run, by), "its_metrics",
                    none ? json_null() : report_metrics(s->run, by), NULL);
}

static json_t *subject_of(Arena *a, const Subject *s)
{
    SourceLines lines = explain_lines(a, s);
    json_t *profile = json_object();
    for (int f = 0; f < PROFILE_FIELDS; f++)
        json_put(profile, profile_fields[f].name, json_known(field(s, (ProfileField)f)), NULL);
    return json_put(json_object(), "parameters", report_parameters(s->run, s->config), "grid",
                    sizes(s->geometry->grid), "block", sizes(s->geometry->block), "occupancy",
                    occupancy_of(s), "busiest_unit", json_text(explain_busiest(s)), "recorded",
                    recorded_of(s), "patterns", findings_of(a, s, &lines), "lines",
                    lines_of(&lines), "carving", carving_of(s), "metrics",
                    report_metrics(s->run, s->config), "profile", profile, "assumed",
                    json_text(s->profile->note), NULL);
}

void explain_print_json(const Subject *s, int count, Buf *out)
{
    SCOPED_ARENA *a = arena_new();
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, subject_of(a, &s[i]));
    json_print(json_put(report_object(s[0].run), "configurations", list, NULL), REPORT_DIGITS, out);
}

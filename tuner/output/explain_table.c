/* The table of an explanation: what is known of a configuration, a row for each figure. */
#include "tuner/output/explain.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double field(const Subject *s, ProfileField f)
{
    return s->profile->value[f];
}

static void print_field(const Subject *s, ProfileField f, const char *unit, Buf *out)
{
    explain_number(field(s, f), out);
    buf_printf(out, " %s", unit);
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static void print_percent(double part, double whole, Buf *out)
{
    double share = percent(part, whole);
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

static void cell_grid(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    print_dims(s->geometry->grid, out);
    buf_puts(out, " blocks");
}

static void cell_block(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    print_dims(s->geometry->block, out);
    buf_printf(out, " threads, %d warps", s->occupancy.warps_per_block);
}

static void cell_registers(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    print_field(s, PROFILE_REGISTERS, "per thread", out);
}

static void cell_shared(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    print_field(s, PROFILE_SHARED_BYTES, "bytes per block", out);
}

static void cell_spills(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    if (field(s, PROFILE_SPILL_BYTES) == 0)
        buf_puts(out, "none");
    else
        print_field(s, PROFILE_SPILL_BYTES, "bytes per thread", out);
}

static void cell_occupancy(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    const Occupancy *o = &s->occupancy;
    buf_printf(out, "%.0f %%: %d blocks, %d warps per SM", 100 * o->fraction, o->blocks_per_sm,
               o->warps_per_sm);
}

static void cell_limit(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    char text[64];
    buf_puts(out, occupancy_limits_text(s->occupancy.limits, text));
}

/* More of one resource helps only where that one alone is in the way. */
static void cell_step(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    const Occupancy *o = &s->occupancy;
    if (o->fewer_registers > 0)
        buf_printf(out, "%d registers fewer", o->fewer_registers);
    else if (o->fewer_shared_bytes > 0)
        buf_printf(out, "%" PRId64 " bytes of shared fewer", o->fewer_shared_bytes);
    else
        buf_puts(out, "none by one resource alone");
}

static void cell_waves(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    if (isnan(field(s, PROFILE_WAVES))) {
        buf_puts(out, "not known: the launch is impossible");
        return;
    }
    buf_printf(out, "%.2f, tail efficiency %.0f %%", field(s, PROFILE_WAVES),
               100 * field(s, PROFILE_TAIL_EFFICIENCY));
}

/* --- units ------------------------------------------------------------------------------------ */

static const char *const units[] = {"issue_cycles", "fp32_cycles",   "int_cycles", "sfu_cycles",
                                    "fp64_cycles",  "shared_cycles", "l2_cycles",  "memory_cycles"};
enum { UNITS = sizeof units / sizeof units[0] };

const char *explain_busiest(const Subject *s)
{
    const char *most = NULL;
    for (int i = 0; i < UNITS; i++)
        if (explain_metric(s, units[i]) > (most ? explain_metric(s, most) : 0))
            most = units[i];
    return most;
}

static void print_number(double value, Buf *out)
{
    Buf number = {0};
    explain_number(value, &number);
    buf_printf(out, "%13s", buf_text(&number));
    buf_free(&number);
}

/* A unit that does nothing has no row. */
static void cell_unit(const Subject *s, const char *name, Buf *out)
{
    const char *busiest = explain_busiest(s);
    double cycles = explain_metric(s, name), most = busiest ? explain_metric(s, busiest) : NAN;
    if (cycles == 0)
        return;
    print_number(cycles, out);
    buf_putc(out, ' ');
    print_percent(cycles, most, out);
    if (cycles == most)
        buf_puts(out, "  <- bounds");
}

static void cell_cycles(const Subject *s, const char *name, Buf *out)
{
    print_number(explain_metric(s, name), out);
}

/* Where the work lies on the roofline: operations for a byte, and where the slope meets the roof.
 * (S. Williams, A. Waterman, D. Patterson, "Roofline", Communications of the ACM 52(4), 2009.) */
static void cell_roofline(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    const Device *d = s->run->device;
    const double bytes = run_work(s->run, s->config, s->run->spec->work_bytes);
    const double flop = run_work(s->run, s->config, s->run->spec->work_flop);
    if (!(bytes > 0 && flop > 0 && d->dram_bytes_per_s > 0 && device_peak_flops(d) > 0))
        return;
    const double ridge = device_peak_flops(d) / d->dram_bytes_per_s;
    buf_printf(out, "%13.3g flop a byte, ridge %.3g: %s", flop / bytes, ridge,
               flop / bytes < ridge ? "memory" : "arithmetic");
}

/* --- one warp --------------------------------------------------------------------------------- */

static void cell_field(const Subject *s, const char *name, Buf *out)
{
    print_number(field(s, (ProfileField)profile_find(name)), out);
}

/* None has no row. */
static void cell_some(const Subject *s, const char *name, Buf *out)
{
    if (field(s, (ProfileField)profile_find(name)) != 0)
        cell_field(s, name, out);
}

/* A part of a warp's time alone. */
static void cell_serial(const Subject *s, const char *name, Buf *out)
{
    cell_field(s, name, out);
    buf_putc(out, ' ');
    print_percent(field(s, (ProfileField)profile_find(name)), field(s, PROFILE_SERIAL_CYCLES), out);
}

static void cell_flight(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    double n = field(s, PROFILE_LOADS_IN_FLIGHT);
    if (isnan(n))
        buf_printf(out, "%13s", "not known");
    else
        buf_printf(out, "%13.1f", n);
}

/* --- prediction ------------------------------------------------------------------------------- */

static void cell_predicted(const Subject *s, const char *name, Buf *out)
{
    cell_cycles(s, name, out);
    Arena *a = arena_new();
    const char *text = table_predicted_text(a, s->run->table, s->config);
    if (text)
        buf_printf(out, "  = %s", text);
    arena_free(a);
}

static void cell_recorded(const Subject *s, const char *name, Buf *out)
{
    (void)name;
    const Table *t = s->run->table;
    if (!table_is_timed(t, s->config))
        buf_printf(out, "%13s", "not known");
    else if (t->outcome[s->config] != OUTCOME_OK)
        buf_printf(out, "%13s", outcome_name(t->outcome[s->config]));
    else
        buf_printf(out, "%13s    %.4f ms", "", t->times[s->config].median);
}

/* --- instructions and memory ------------------------------------------------------------------ */

/* A kind that is hardly there has no row. */
static void cell_mix(const Subject *s, const char *name, Buf *out)
{
    const double hardly = 0.0005;
    double n = field(s, (ProfileField)profile_find(name)), all = field(s, PROFILE_ISSUED);
    if (n <= hardly * all)
        return;
    cell_field(s, name, out);
    buf_putc(out, ' ');
    print_percent(n, all, out);
}

/* A count and how many times its least it is; `name` is the count's, the least follows it in the
 * profile as NAME_min. */
static void cell_factor(const Subject *s, const char *name, Buf *out)
{
    char least_name[64];
    snprintf(least_name, sizeof least_name, "%s_min", name);
    double n = field(s, (ProfileField)profile_find(name));
    double least = field(s, (ProfileField)profile_find(least_name));
    cell_field(s, name, out);
    if (least > 0)
        buf_printf(out, "  %.2f x the least", n / least);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct TableRow {
    const char *label;
    /* Leaves the buffer empty where there is nothing to say; NULL: the row is a heading. */
    void (*print)(const Subject *s, const char *name, Buf *out);
    const char *name; /* of a metric or field */
} TableRow;

static const TableRow rows[] = {
    {"launch", NULL, NULL},
    {"grid", cell_grid, NULL},
    {"block", cell_block, NULL},
    {"registers", cell_registers, NULL},
    {"shared", cell_shared, NULL},
    {"spills", cell_spills, NULL},
    {"occupancy", cell_occupancy, NULL},
    {"limited by", cell_limit, NULL},
    {"one block more", cell_step, NULL},
    {"waves", cell_waves, NULL},
    {"cycles of an SM's units, and as a share of the busiest", NULL, NULL},
    {"issue slots", cell_unit, "issue_cycles"},
    {"fp32", cell_unit, "fp32_cycles"},
    {"integer", cell_unit, "int_cycles"},
    {"special", cell_unit, "sfu_cycles"},
    {"fp64", cell_unit, "fp64_cycles"},
    {"shared and L1", cell_unit, "shared_cycles"},
    {"L2", cell_unit, "l2_cycles"},
    {"memory", cell_unit, "memory_cycles"},
    {"roofline", cell_roofline, NULL},
    {"bound, uneven", cell_cycles, "bound_cycles"},
    {"cycles of one warp, and what it spends them on when it is alone", NULL, NULL},
    {"alone", cell_field, "serial_cycles"},
    {"issue", cell_serial, "serial_issue"},
    {"shared memory", cell_serial, "serial_shared"},
    {"global memory", cell_serial, "serial_global"},
    {"barriers", cell_serial, "serial_barrier"},
    {"loads in flight", cell_flight, NULL},
    {"time", NULL, NULL},
    {"busiest unit", cell_cycles, "bound_cycles"},
    {"warps by waves", cell_cycles, "latency_cycles"},
    {"predicted", cell_predicted, "predicted_cycles"},
    {"recorded", cell_recorded, NULL},
    {"machine instructions of a warp, and as a share of all", NULL, NULL},
    {"issued", cell_field, "issued"},
    {"fp32", cell_mix, "fma_issued"},
    {"integer multiply", cell_mix, "imad_issued"},
    {"integer, logic", cell_mix, "alu_issued"},
    {"special", cell_mix, "sfu_issued"},
    {"fp64", cell_mix, "fp64_issued"},
    {"half", cell_mix, "half_issued"},
    {"tensor", cell_mix, "tensor_issued"},
    {"memory", cell_mix, "lsu_issued"},
    {"branches", cell_mix, "branch_issued"},
    {"spills", cell_mix, "spill_issued"},
    {"memory of a warp", NULL, NULL},
    {"shared passes", cell_factor, "shared_wavefronts"},
    {"global sectors", cell_factor, "global_sectors"},
    {"loop code, bytes", cell_some, "loop_bytes"},
};
enum { ROWS = sizeof rows / sizeof rows[0], COLUMN = 40 };

static void print_row(const TableRow *row, const Subject *s, int count, Buf *out)
{
    Buf line = {0};
    bool said = false;
    buf_printf(&line, "  %-16s", row->label);
    for (int i = 0; i < count; i++) {
        size_t start = line.size;
        row->print(&s[i], row->name, &line);
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
    buf_free(&line);
}

void explain_table(const Subject *s, int count, Buf *out)
{
    if (count > 1)
        buf_printf(out, "\n  %-16s%-*s%s\n", "", COLUMN, "A", "B");
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].print)
            print_row(&rows[i], s, count, out);
        else
            buf_printf(out, "\n%s\n", rows[i].label);
    }
}

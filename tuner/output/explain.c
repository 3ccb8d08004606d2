#include "tuner/output/explain.h"

#include "tuner/output/report.h"

#include <math.h>
#include <string.h>

double explain_metric(const Subject *s, const char *name)
{
    const double *values = s->run->configs[s->config].metrics;
    int m = metricset_find(s->run->metrics, name);
    return values && m >= 0 ? values[m] : NAN;
}

void explain_number(double n, Buf *out)
{
    if (isnan(n) || fabs(n) >= 1e15) {
        buf_puts(out, "not known");
        return;
    }
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            buf_putc(out, ',');
        buf_putc(out, digits[i]);
    }
}

static BlockUse block_use(const Profile *p)
{
    double barriers = p->value[PROFILE_BARRIERS];
    return (BlockUse){.registers = (int)p->value[PROFILE_REGISTERS],
                      .static_shared = (int64_t)p->value[PROFILE_SHARED_BYTES],
                      .threads = (int)p->value[PROFILE_THREADS_PER_BLOCK],
                      .barriers = isnan(barriers) ? 0 : (int)barriers};
}

Subject explain_subject(const Run *r, size_t config, RunLines lines, bool carved)
{
    const Config *c = &r->configs[config];
    Subject s = {.run = r,
                 .config = config,
                 .profile = c->profile,
                 .geometry = &c->geometry[run_profiled_launch(r, config)],
                 .lines = lines,
                 .carved = carved};
    BlockUse use = block_use(s.profile);
    s.occupancy = occupancy_compute(r->device, &use);
    return s;
}

static void print_carving(const Subject *s, Buf *out)
{
    if (s->carved)
        report_why(s->run, s->config, out);
    else
        buf_puts(out, "not judged: only what was asked for has been compiled; aptune tune --why "
                      "carves the whole space\n");
}

static void print_subject(const Subject *s, Buf *out)
{
    buf_puts(out, "\npatterns found\n");
    explain_patterns(s, out);
    buf_puts(out, "\nlines of the source\n");
    explain_lines(s, out);
    buf_puts(out, "\ncarving\n  ");
    print_carving(s, out);
}

void explain_print(const Subject *s, int count, Buf *out)
{
    Arena *a = arena_new();
    const char *const letters[] = {"A", "B"};
    for (int i = 0; i < count; i++)
        buf_printf(out, "%-16s %s\n", count > 1 ? letters[i] : "configuration",
                   run_config_name(a, s[i].run, s[i].config));
    explain_table(s, count, out);
    for (int i = 0; i < count; i++) {
        if (count > 1)
            buf_printf(out, "\n--- %s: %s ---\n", letters[i],
                       run_config_name(a, s[i].run, s[i].config));
        print_subject(&s[i], out);
    }
    arena_free(a);
}

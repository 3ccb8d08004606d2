/* A platform in words: fits, their points, the device file, and two platforms side by side. */
#include "tuner/study/platform.h"

#include "metrics/base/csv.h"

#include <math.h>
#include <string.h>

static void print_parameters(const PlatformFit *f, Buf *out)
{
    const double t = leastsq_student(f->fit.freedom);
    for (size_t k = 0; k < f->model->parameter_count; k++) {
        const double error = sqrt(f->fit.covariance[k][k]);
        buf_printf(out, "             %-16s %-12.5g", f->model->parameters[k].name,
                   f->fit.value[k]);
        if (f->fit.idle[k])
            buf_puts(out, " not measured: no configuration here depends on it");
        else if (f->fit.freedom > 0)
            buf_printf(out, " 95 %%: %.5g to %.5g", f->fit.value[k] - t * error,
                       f->fit.value[k] + t * error);
        buf_putc(out, '\n');
    }
}

static void print_judgement(const PlatformFit *f, Buf *out)
{
    const LeastsqFit *x = &f->fit;
    Buf name = {0};
    table_print_name(f->table, f->points[x->worst].row, &name);
    buf_printf(out, "             off by %.2f %% (rms of %zu points), at most by %+.2f %% at %s\n",
               100 * x->rms, f->count, 100 * x->largest, buf_text(&name));
    buf_free(&name);
    if (x->freedom == 0) {
        buf_puts(out, "             as many parameters as points: nothing is left to judge by\n");
        return;
    }
    buf_printf(out, "             %s (p = %.2g that it is right to %g %%)\n",
               platform_describes(f) ? "describes this platform"
                                     : "DOES NOT DESCRIBE THIS PLATFORM",
               x->probability, 100 * f->model->within);
}

static void print_gifts(const PlatformResult *r, const PlatformFit *f, Buf *out)
{
    for (size_t i = 0; i < f->model->gift_count; i++) {
        const size_t number = f->model->gifts[i].number;
        if (isfinite(f->gifts[i].value))
            buf_printf(out, "             → %s = %s\n", sheet_number_name(number),
                       r->sheet->numbers[number].text);
        else
            buf_printf(out, "             → %s is not given: %s\n", sheet_number_name(number),
                       f->gifts[i].why);
    }
}

static void print_fit(const PlatformResult *r, const PlatformFit *f, Buf *out)
{
    const Model *m = f->model;
    buf_printf(out, "%-12s %s\n", m->name, m->sentence);
    buf_printf(out, "             %s: %s = %s\n", m->space, expr_text(r->arena, m->left),
               expr_text(r->arena, m->right));
    if (f->why) {
        buf_printf(out, "             no result: %s\n", f->why);
        return;
    }
    print_parameters(f, out);
    print_judgement(f, out);
    print_gifts(r, f, out);
}

/* The questions of Cornelis's thesis (1.5, II and II (a)) that the fits answer. */
static void print_answers(const PlatformResult *r, Buf *out)
{
    size_t made = 0, described = 0, composed = 0, added = 0;
    for (size_t i = 0; i < r->count; i++) {
        const PlatformFit *f = &r->fits[i];
        if (f->why || f->fit.freedom == 0)
            continue;
        if (f->model->parameter_count > 0) {
            made++;
            described += platform_describes(f);
        } else {
            composed++;
            added += platform_describes(f);
        }
    }
    buf_printf(
        out, "\nIs one pattern described by a simple model?  %zu of %zu are, to what each says.\n",
        described, made);
    if (composed > 0)
        buf_printf(
            out,
            "Do patterns put together add up?  %zu of %zu predictions from the fits alone hold.\n",
            added, composed);
    for (size_t i = 0; i < r->count; i++)
        if (!r->fits[i].why && r->fits[i].fit.freedom > 0 && !platform_describes(&r->fits[i]))
            buf_printf(out, "  not: %-12s off by %.1f %% (rms), by %+.1f %% at most\n",
                       r->fits[i].model->name, 100 * r->fits[i].fit.rms,
                       100 * r->fits[i].fit.largest);
}

/* Numbers whose 95 % interval is wider than 2 % to either side. */
static void print_wide(const PlatformResult *r, Buf *out)
{
    Buf wide = {0};
    for (size_t i = 0; i < r->count; i++) {
        const PlatformFit *f = &r->fits[i];
        for (size_t k = 0; !f->why && k < f->model->gift_count; k++) {
            const double part =
                leastsq_student(f->fit.freedom) * f->gifts[k].error / f->gifts[k].value;
            if (f->fit.freedom > 0 && part > 0.02)
                buf_printf(&wide, "  %-24s to %.0f %%\n",
                           sheet_number_name(f->model->gifts[k].number), 100 * part);
        }
    }
    if (wide.size > 0)
        buf_printf(out, "\nKnown to less than 2 %% (half of the 95 %% interval):\n%s",
                   buf_text(&wide));
    buf_free(&wide);
}

void platform_print(const PlatformResult *r, Buf *out)
{
    buf_printf(out, "platform   %s, measured %.10s", r->sheet->device.name, r->first);
    if (strncmp(r->first, r->last, 10) != 0)
        buf_printf(out, " to %.10s", r->last);
    buf_puts(out, "\n\n");
    for (size_t i = 0; i < r->count; i++)
        print_fit(r, &r->fits[i], out);
    print_answers(r, out);
    print_wide(r, out);
}

void platform_print_points(const PlatformResult *r, Buf *out)
{
    Csv c = {.out = out};
    buf_puts(out, "fit,configuration,measured,standard_error,fitted,off\n");
    for (size_t i = 0; i < r->count; i++) {
        const PlatformFit *f = &r->fits[i];
        for (size_t k = 0; !f->why && k < f->count; k++) {
            const PlatformPoint *p = &f->points[k];
            csv_text(&c, f->model->name);
            csv_quoted(&c, table_name(r->arena, f->table, p->row));
            buf_printf(csv_cell(&c), "%.8g,%.3g,%.8g,%.5f", p->measured, p->standard_error,
                       p->fitted, p->measured / p->fitted - 1);
            csv_end_row(&c);
        }
    }
}

void platform_print_device(const PlatformResult *r, Buf *out)
{
    sheet_write(&r->sheet->device, out);
}

/* --- two of them ------------------------------------------------------------------------------ */

typedef struct Group {
    const char *title, *prefix;
} Group;

/* A row: both numbers as they are written, and how many times A's is B's. */
static bool print_pair(const DeviceSheet *a, const DeviceSheet *b, size_t i, Buf *out)
{
    const double x = sheet_number(a, i), y = sheet_number(b, i);
    if (isnan(x) && isnan(y))
        return false;
    buf_printf(out, "  %-24s %-24s %-24s", sheet_number_name(i),
               isnan(x) ? "–" : a->numbers[i].text, isnan(y) ? "–" : b->numbers[i].text);
    if (x > 0 && y > 0)
        buf_printf(out, " %8.3f", y / x);
    buf_putc(out, '\n');
    return true;
}

static void print_group(const DeviceSheet *a, const DeviceSheet *b, const Group *g, Buf *out)
{
    Buf rows = {0};
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        if (strncmp(sheet_number_name(i), g->prefix, strlen(g->prefix)) == 0)
            print_pair(a, b, i, &rows);
    if (rows.size > 0)
        buf_printf(out, "%s\n%s", g->title, buf_text(&rows));
    buf_free(&rows);
}

/* Runtime against branches (the thesis's figure 3.1), normalised: 1 for one branch. */
static void print_branches(const DeviceSheet *a, const DeviceSheet *b, Buf *out)
{
    const size_t ten = sheet_number_named("slowdown_branches");
    const double x = sheet_number(a, ten), y = sheet_number(b, ten);
    if (isnan(x) || isnan(y))
        return;
    buf_puts(out, "runtime against branches followed by a warp, one branch being 1 (model 3.1)\n");
    for (int n = 1; n <= 10; n++)
        buf_printf(out, "  %-24d %-24.2f %-24.2f %8.3f\n", n, 1 + (n - 1) * (x - 1) / 9,
                   1 + (n - 1) * (y - 1) / 9,
                   (1 + (n - 1) * (y - 1) / 9) / (1 + (n - 1) * (x - 1) / 9));
}

void platform_compare(const DeviceSheet *a, const DeviceSheet *b, Buf *out)
{
    static const Group groups[] = {
        {"anti-parallel patterns: times the time without (1: nothing lost)", "slowdown_"},
        {"the prefix sum of chapter 7: times as fast as the step before", "speedup_"},
        {"what a warp is", "warp_lanes"},
        {"costs", "cost_"},
        {"latencies", "latency_"},
        {"rates", "rate_"},
        {"memory", "memory"},
        {"bandwidth", "bandwidth"},
        {"caches", "l1"},
        {"", "l2"},
        {"", "constant_size"},
        {"", "code_size"},
        {"size", "sms"},
        {"", "clock"}};
    buf_printf(out, "  %-24s %-24s %-24s %8s\n", "", a->device.name, b->device.name, "B / A");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        print_group(a, b, &groups[i], out);
        if (i == 0)
            print_branches(a, b, out);
    }
}

#include "tuner/study/platform.h"

#include "metrics/base/csv.h"

#include <gsl/gsl_cdf.h>

/* --- names in formulas ------------------------------------------------------------------------ */

/* The slots of names: time, joules, the table's parameters and sizes, the model's parameters, the numbers of
 * device files. */
typedef struct Names {
    const Model *model;
    const Table *table;
    size_t sizes, parameters, numbers, all; /* first slot of each, and the end */
} Names;

enum { SLOT_TIME, SLOT_JOULES, SLOT_TABLE };

static Names names_of(const Model *m, const Table *t)
{
    Names n = {.model = m, .table = t, .sizes = SLOT_TABLE + t->parameter_count};
    n.parameters = n.sizes + t->size_count;
    n.numbers = n.parameters + m->parameter_count;
    n.all = n.numbers + SHEET_NUMBERS;
    return n;
}

static bool bind_all(const Model *m, const Names *n, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    Scope scope = {.arena = a, .real = true};
    scope_add(&scope, "time", SLOT_TIME, VALUE_REAL);
    scope_add(&scope, "joules", SLOT_JOULES, VALUE_REAL);
    for (size_t i = 0; i < n->table->parameter_count; i++)
        scope_add(&scope, n->table->parameters[i].name, SLOT_TABLE + i, VALUE_REAL);
    for (size_t i = 0; i < n->table->size_count; i++)
        scope_add(&scope, n->table->sizes[i].name, n->sizes + i, VALUE_REAL);
    for (size_t i = 0; i < m->parameter_count; i++)
        scope_add(&scope, m->parameters[i].name, n->parameters + i, VALUE_REAL);
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        scope_add(&scope, sheet_number_name(i), n->numbers + i, VALUE_REAL);
    bool ok = (!m->where || expr_bind(m->where, &scope, d)) && expr_bind(m->left, &scope, d) &&
              expr_bind(m->right, &scope, d);
    for (size_t i = 0; ok && i < m->output_count; i++)
        ok = expr_bind(m->outputs[i].value, &scope, d);
    return ok;
}

/* --- values ----------------------------------------------------------------------------------- */

typedef struct Fitting {
    Arena *scratch; /* for one evaluation */
    PlatformFit *fit;
    Names names;
    Value *slots;
    DeviceSheet *sheet;
} Fitting;

static double evaluate(const Fitting *f, const Expr *e)
{
    Evaluation ev = {.arena = f->scratch};
    Value v;
    arena_reset(f->scratch);
    return expr_eval(e, f->slots, &ev, &v) ? value_as_real(v) : NAN;
}

/* Sets the slots that depend on the row. */
static void take_row(Fitting *f, size_t row)
{
    const Table *t = f->names.table;
    f->slots[SLOT_TIME] = value_real(t->times[row].median * 1e-3);
    f->slots[SLOT_JOULES] = value_real(table_is_by_energy(t) ? t->ms[row] * 1e-3 : NAN);
    for (size_t k = 0; k < t->parameter_count; k++)
        f->slots[SLOT_TABLE + k] = value_real(value_as_real(table_value(t, row, k)));
    for (size_t k = 0; k < t->size_count; k++)
        f->slots[f->names.sizes + k] = value_real(value_as_real(t->sizes[k].value));
}

static void take_parameters(Fitting *f, const double *values)
{
    for (size_t k = 0; k < f->names.model->parameter_count; k++)
        f->slots[f->names.parameters + k] = value_real(values[k]);
}

static double measured_with(Fitting *f, double ms)
{
    f->slots[SLOT_TIME] = value_real(ms * 1e-3);
    return evaluate(f, f->names.model->left);
}

/* The 95 % interval of a median is 3.92 standard errors wide. */
static void take_point(Fitting *f, size_t row)
{
    const TableTimes *x = &f->names.table->times[row];
    PlatformPoint p = {.row = row, .measured = measured_with(f, x->median)};
    const double low = measured_with(f, x->low), high = measured_with(f, x->high);
    p.standard_error = isfinite(low) && isfinite(high) ? fabs(high - low) / 3.92 : 0;
    if (isfinite(p.measured) && p.measured > 0)
        f->fit->points[f->fit->count++] = p;
}

static void take_points(Arena *a, Fitting *f)
{
    const Table *t = f->names.table;
    const Model *m = f->names.model;
    f->fit->points = ARENA_ARRAY(a, PlatformPoint, t->count);
    double start[MODEL_PARAMETERS];
    for (size_t k = 0; k < m->parameter_count; k++)
        start[k] = m->parameters[k].start;
    take_parameters(f, start);
    for (size_t row = 0; row < t->count; row++) {
        if (!table_is_timed(t, row) || !isfinite(t->times[row].median))
            continue;
        take_row(f, row);
        if (m->where && !(fabs(evaluate(f, m->where)) > 0))
            continue;
        take_point(f, row);
    }
}

static double model_of(void *context, const double *parameters, size_t point)
{
    Fitting *f = context;
    take_row(f, f->fit->points[point].row);
    take_parameters(f, parameters);
    return evaluate(f, f->names.model->right);
}

/* --- one fit ---------------------------------------------------------------------------------- */

static bool search(Arena *a, Fitting *f)
{
    const Model *m = f->names.model;
    const size_t n = f->fit->count;
    double *measured = ARENA_ARRAY(a, double, n + 1), *error = ARENA_ARRAY(a, double, n + 1);
    double start[MODEL_PARAMETERS];
    for (size_t i = 0; i < n; i++) {
        measured[i] = f->fit->points[i].measured;
        error[i] = f->fit->points[i].standard_error;
    }
    for (size_t k = 0; k < m->parameter_count; k++)
        start[k] = m->parameters[k].start;
    const LeastsqProblem p = {.points = n,
                              .parameters = m->parameter_count,
                              .measured = measured,
                              .standard_error = error,
                              .start = start,
                              .within = m->within,
                              .robust = m->robust,
                              .model = model_of,
                              .context = f};
    if (!leastsq(&p, &f->fit->fit, &f->fit->why))
        return false;
    for (size_t i = 0; i < n; i++)
        f->fit->points[i].fitted = model_of(f, f->fit->fit.value, i);
    return true;
}

/* True if the residuals are within what the model may be off. */
static bool describes(const PlatformFit *f)
{
    return !f->why && f->fit.freedom > 0 && f->fit.probability >= 0.05;
}

/* Keeps the old value of a number that the fit failed to give, and notes that in its source: otherwise an
 * earlier measurement, perhaps of another card, would read like a new one. */
static void leave(Arena *a, const Fitting *f, size_t number)
{
    DeviceNumber *known = &f->sheet->numbers[number];
    if (known->text && !strstr(known->source, "gave none"))
        known->source = arena_printf(a, "%s (fit '%s' of %.10s gave none)", known->source,
                                     f->names.model->name, f->names.table->date);
}

/* Evaluates an output, a formula of the parameters only, and its error by propagation of their covariance. */
static void give(Arena *a, Fitting *f, size_t i)
{
    const Model *m = f->names.model;
    const LeastsqFit *fit = &f->fit->fit;
    double at[MODEL_PARAMETERS], gradient[MODEL_PARAMETERS], variance = 0;
    const char *idle = NULL;
    memcpy(at, fit->value, sizeof at);
    for (size_t k = 0; k < m->parameter_count; k++) {
        const double step = 1e-4 * fit->value[k];
        at[k] = fit->value[k] + step;
        take_parameters(f, at);
        const double above = evaluate(f, m->outputs[i].value);
        at[k] = fit->value[k] - step;
        take_parameters(f, at);
        gradient[k] =
            step > 0 || step < 0 ? (above - evaluate(f, m->outputs[i].value)) / (2 * step) : 0;
        at[k] = fit->value[k];
        idle = fit->idle[k] && fabs(gradient[k]) > 0 ? m->parameters[k].name : idle;
    }
    for (size_t k = 0; k < m->parameter_count; k++)
        for (size_t l = 0; l < m->parameter_count; l++)
            variance += gradient[k] * fit->covariance[k][l] * gradient[l];
    take_parameters(f, fit->value);
    const double value = evaluate(f, m->outputs[i].value), error = sqrt(fmax(variance, 0));
    if (idle)
        f->fit->outputs[i].why = arena_printf(a, "no measured point depends on '%s'", idle);
    else if (fit->freedom > 0 && !describes(f->fit))
        f->fit->outputs[i].why = "the model does not describe the measurements";
    else if (!(value > 0) || !isfinite(value))
        f->fit->outputs[i].why = "its value is not a positive number";
    else if (error > value / 2)
        f->fit->outputs[i].why = "its standard error is more than half its value";
    if (f->fit->outputs[i].why) {
        leave(a, f, m->outputs[i].number);
        return;
    }
    f->fit->outputs[i].value = value;
    f->fit->outputs[i].error = error;
    const DeviceNumber from = {
        .origin = "measured",
        .source = arena_printf(a, "aptune platform, fit '%s': %s", m->name, m->sentence),
        .date = arena_printf(a, "%.10s", f->names.table->date)};
    sheet_set(a, f->sheet, m->outputs[i].number, value, isfinite(error) ? error : 0, from);
}

static void fit_one(Arena *a, Arena *scratch, PlatformFit *fit, DeviceSheet *sheet, Diag *d)
{
    const Model *m = fit->model;
    for (size_t i = 0; i < MODEL_OUTPUTS; i++)
        fit->outputs[i].value = fit->outputs[i].error = NAN;
    if (!fit->table) {
        fit->why = "there is no recording of its benchmark";
        return;
    }
    Fitting f = {.scratch = scratch, .fit = fit, .names = names_of(m, fit->table), .sheet = sheet};
    if (!bind_all(m, &f.names, d)) {
        fit->why = "its formulas do not fit the recording";
        return;
    }
    f.slots = ARENA_ARRAY(a, Value, f.names.all);
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        f.slots[f.names.numbers + i] = value_real(sheet_number(f.sheet, i));
    take_points(a, &f);
    const bool found = search(a, &f);
    for (size_t i = 0; i < m->output_count; i++) {
        if (found)
            give(a, &f, i);
        else
            leave(a, &f, m->outputs[i].number);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* The first recording, after checking that all are of one device; NULL after a message. */
static const Table *check_tables(const Models *models, const Table *const *tables, Diag *d)
{
    const Table *first = NULL;
    for (size_t i = 0; i < models->models.count; i++) {
        const Table *t = tables[i];
        if (!t)
            continue;
        first = first ? first : t;
        if (strcmp(t->gpu, first->gpu) != 0) {
            diag_fail(d, "recordings are of different devices: %s in %s, %s in %s", first->gpu,
                      first->origin, t->gpu, t->origin);
            return NULL;
        }
    }
    if (!first)
        diag_fail(d, "there is no recording of any platform benchmark");
    return first;
}

/* A copy of the known numbers of the device, to be added to. */
static DeviceSheet *sheet_for(Arena *a, const Table *t)
{
    DeviceSheet *s = ARENA_NEW(a, DeviceSheet);
    const Device *like = t->device ? device_like(t->gpu, device_arch(t->device)) : NULL;
    if (like)
        *s = *like->sheet;
    if (!like ||
        strcmp(like->name, t->gpu) != 0) { /* measured numbers of another device do not apply */
        const DeviceSheet *named = sheet_find(t->gpu);
        *s = named ? *named : (DeviceSheet){0};
        if (t->device)
            s->device = *t->device;
    }
    s->device.name = t->gpu;
    s->device.sheet = s;
    return s;
}

PlatformResult *platform_fit(Arena *a, const Models *models, const Table *const *tables, Diag *d)
{
    const Table *one = check_tables(models, tables, d);
    if (!one)
        return NULL;
    PlatformResult *r = ARENA_NEW(a, PlatformResult);
    r->arena = a;
    r->count = models->models.count;
    r->fits = ARENA_ARRAY(a, PlatformFit, r->count);
    r->sheet = sheet_for(a, one);
    r->first = r->last = one->date;
    SCOPED_ARENA *scratch = arena_new();
    for (size_t i = 0; i < r->count; i++) {
        PlatformFit *f = &r->fits[i];
        f->model = &models->models.at[i];
        f->table = tables[i];
        if (f->table && strcmp(f->table->date, r->first) < 0)
            r->first = f->table->date;
        if (f->table && strcmp(f->table->date, r->last) > 0)
            r->last = f->table->date;
        fit_one(a, scratch, f, r->sheet, d);
    }
    return r;
}

/* --- reports ---------------------------------------------------------------------------------- */

/* Student's t for a 95 % interval. */
static double student(size_t freedom)
{
    return freedom > 0 ? gsl_cdf_tdist_Pinv(0.975, (double)freedom) : INFINITY;
}

static void print_parameters(const PlatformFit *f, Buf *out)
{
    const double t = student(f->fit.freedom);
    for (size_t k = 0; k < f->model->parameter_count; k++) {
        const double error = sqrt(f->fit.covariance[k][k]);
        buf_printf(out, "             %-16s %-12.5g", f->model->parameters[k].name,
                   f->fit.value[k]);
        if (f->fit.idle[k])
            buf_puts(out, " not measured: no configuration depends on it");
        else if (f->fit.freedom > 0)
            buf_printf(out, " 95 %%: %.5g to %.5g", f->fit.value[k] - t * error,
                       f->fit.value[k] + t * error);
        buf_putc(out, '\n');
    }
}

static void print_judgement(const PlatformFit *f, Buf *out)
{
    const LeastsqFit *x = &f->fit;
    SCOPED_BUF name = {0};
    table_print_name(f->table, f->points[x->worst].row, &name);
    buf_printf(out, "             error %.2f %% (rms of %zu points), at most %+.2f %% at %s\n",
               100 * x->rms, f->count, 100 * x->largest, buf_text(&name));
    if (x->freedom == 0) {
        buf_puts(out, "             as many parameters as points: the fit cannot be tested\n");
        return;
    }
    buf_printf(out, "             %s (p = %.2g for a model accurate to %g %%)\n",
               describes(f) ? "describes this platform" : "DOES NOT DESCRIBE THIS PLATFORM",
               x->probability, 100 * f->model->within);
}

static void print_outputs(const PlatformResult *r, const PlatformFit *f, Buf *out)
{
    for (size_t i = 0; i < f->model->output_count; i++) {
        const size_t number = f->model->outputs[i].number;
        if (isfinite(f->outputs[i].value))
            buf_printf(out, "             → %s = %s\n", sheet_number_name(number),
                       r->sheet->numbers[number].text);
        else
            buf_printf(out, "             → %s is not given: %s\n", sheet_number_name(number),
                       f->outputs[i].why);
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
    print_outputs(r, f, out);
}

/* Answers the questions of Cornelis's thesis (1.5, II and II (a)) that the fits can answer. */
static void print_answers(const PlatformResult *r, Buf *out)
{
    size_t made = 0, described = 0, composed = 0, added = 0;
    EACH (const PlatformFit, f, r->fits, r->count) {
        if (f->why || f->fit.freedom == 0)
            continue;
        if (f->model->parameter_count > 0) {
            made++;
            described += describes(f);
        } else {
            composed++;
            added += describes(f);
        }
    }
    buf_printf(
        out,
        "\nDoes a simple model describe each pattern?  %zu of %zu do, to their stated accuracy.\n",
        described, made);
    if (composed > 0)
        buf_printf(
            out, "Do combined patterns add up?  %zu of %zu predictions from the fits alone hold.\n",
            added, composed);
    for (size_t i = 0; i < r->count; i++)
        if (!r->fits[i].why && r->fits[i].fit.freedom > 0 && !describes(&r->fits[i]))
            buf_printf(out, "  not: %-12s error %.1f %% (rms), at most %+.1f %%\n",
                       r->fits[i].model->name, 100 * r->fits[i].fit.rms,
                       100 * r->fits[i].fit.largest);
}

/* Lists numbers whose 95 % interval is wider than ±2 %. */
static void print_wide(const PlatformResult *r, Buf *out)
{
    SCOPED_BUF wide = {0};
    EACH (const PlatformFit, f, r->fits, r->count)
        for (size_t k = 0; !f->why && k < f->model->output_count; k++) {
            const double part = student(f->fit.freedom) * f->outputs[k].error / f->outputs[k].value;
            if (f->fit.freedom > 0 && part > 0.02)
                buf_printf(&wide, "  %-24s ±%.0f %%\n",
                           sheet_number_name(f->model->outputs[k].number), 100 * part);
        }
    if (wide.size > 0)
        buf_printf(out, "\nNot known to within 2 %% (95 %% interval):\n%s", buf_text(&wide));
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
    EACH (const PlatformFit, f, r->fits, r->count)
        for (size_t k = 0; !f->why && k < f->count; k++) {
            const PlatformPoint *p = &f->points[k];
            csv_text(&c, f->model->name);
            csv_quoted(&c, table_name(r->arena, f->table, p->row));
            buf_printf(csv_cell(&c), "%.8g,%.3g,%.8g,%.5f", p->measured, p->standard_error,
                       p->fitted, p->measured / p->fitted - 1);
            csv_end_row(&c);
        }
}

/* --- two devices ------------------------------------------------------------------------------ */

typedef struct Group {
    const char *title, *prefix;
} Group;

/* A row: both numbers as written, and B over A; nothing if neither is known. */
static void print_pair(const DeviceSheet *a, const DeviceSheet *b, size_t i, Buf *out)
{
    const double x = sheet_number(a, i), y = sheet_number(b, i);
    if (isnan(x) && isnan(y))
        return;
    buf_printf(out, "  %-24s %-24s %-24s", sheet_number_name(i),
               isnan(x) ? "–" : a->numbers[i].text, isnan(y) ? "–" : b->numbers[i].text);
    if (x > 0 && y > 0)
        buf_printf(out, " %8.3f", y / x);
    buf_putc(out, '\n');
}

static void print_group(const DeviceSheet *a, const DeviceSheet *b, const Group *g, Buf *out)
{
    SCOPED_BUF rows = {0};
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        if (strncmp(sheet_number_name(i), g->prefix, strlen(g->prefix)) == 0)
            print_pair(a, b, i, &rows);
    if (rows.size > 0)
        buf_printf(out, "%s\n%s", g->title, buf_text(&rows));
}

/* Time against branches (the thesis's figure 3.1), relative to one branch. */
static void print_branches(const DeviceSheet *a, const DeviceSheet *b, Buf *out)
{
    const size_t ten = sheet_number_named("slowdown_branches");
    const double x = sheet_number(a, ten), y = sheet_number(b, ten);
    if (isnan(x) || isnan(y))
        return;
    buf_puts(out,
             "time against branches that a warp follows, relative to one branch (model 3.1)\n");
    for (int n = 1; n <= 10; n++) {
        const double one = 1 + (n - 1) * (x - 1) / 9, other = 1 + (n - 1) * (y - 1) / 9;
        buf_printf(out, "  %-24d %-24.2f %-24.2f %8.3f\n", n, one, other, other / one);
    }
}

void platform_compare(const DeviceSheet *a, const DeviceSheet *b, Buf *out)
{
    static const Group groups[] = {
        {"anti-parallel patterns: slowdown (1: none)", "slowdown_"},
        {"the prefix sum of chapter 7: speedup over the step before", "speedup_"},
        {"warp size", "warp_lanes"},
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

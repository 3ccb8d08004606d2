#include "tuner/study/platform.h"

#include <math.h>
#include <string.h>

/* --- names in formulas ------------------------------------------------------------------------ */

/* Slots: time, joules, then the table's parameters and sizes, the model's parameters, and the
 * numbers of device files. */
typedef struct Names {
    const Model *model;
    const Table *table;
    size_t sizes, parameters, numbers, all; /* where they begin, and the end */
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

static const char *name_at(const Names *n, size_t slot)
{
    if (slot < SLOT_TABLE)
        return slot == SLOT_TIME ? "time" : "joules";
    if (slot < n->sizes)
        return n->table->parameters[slot - SLOT_TABLE].name;
    if (slot < n->parameters)
        return n->table->sizes[slot - n->sizes].name;
    if (slot < n->numbers)
        return n->model->parameters[slot - n->parameters].name;
    return sheet_number_name(slot - n->numbers);
}

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    const Names *n = context;
    (void)reason;
    *kind = VALUE_REAL;
    for (size_t i = 0; i < n->all; i++) {
        if (strcmp(name_at(n, i), name) == 0) {
            *slot = (int)i;
            return true;
        }
    }
    return false;
}

static size_t all_names(void *context, const char **out, size_t room)
{
    const Names *n = context;
    size_t i = 0;
    for (; i < n->all && i < room; i++)
        out[i] = name_at(n, i);
    return i;
}

static bool bind_all(const Model *m, Names *n, Diag *d)
{
    const Scope scope = {.context = n, .find = find_name, .names = all_names, .real = true};
    bool ok = (!m->where || expr_bind(m->where, &scope, d)) && expr_bind(m->left, &scope, d) &&
              expr_bind(m->right, &scope, d);
    for (size_t i = 0; ok && i < m->gift_count; i++)
        ok = expr_bind(m->gifts[i].value, &scope, d);
    return ok;
}

/* --- values ----------------------------------------------------------------------------------- */

typedef struct Fitting {
    Arena *scratch; /* of one evaluation */
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

/* What a formula may know of a row. */
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

static void take_numbers(Fitting *f)
{
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        f->slots[f->names.numbers + i] = value_real(sheet_number(f->sheet, i));
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

bool platform_describes(const PlatformFit *f)
{
    return !f->why && f->fit.freedom > 0 && f->fit.probability >= 0.05;
}

/* A number that a fit was to give and did not stands as it stood, and says so: else an earlier
 * measurement, maybe of another card, reads as one of today. */
static void leave(Arena *a, const Fitting *f, size_t number)
{
    DeviceNumber *known = &f->sheet->numbers[number];
    if (known->text && !strstr(known->source, "gave none"))
        known->source = arena_printf(a, "%s (fit '%s' of %.10s gave none)", known->source,
                                     f->names.model->name, f->names.table->date);
}

/* A gift is a formula of the parameters alone; its error by their covariance. */
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
        const double above = evaluate(f, m->gifts[i].value);
        at[k] = fit->value[k] - step;
        take_parameters(f, at);
        gradient[k] =
            step > 0 || step < 0 ? (above - evaluate(f, m->gifts[i].value)) / (2 * step) : 0;
        at[k] = fit->value[k];
        idle = fit->idle[k] && fabs(gradient[k]) > 0 ? m->parameters[k].name : idle;
    }
    for (size_t k = 0; k < m->parameter_count; k++)
        for (size_t l = 0; l < m->parameter_count; l++)
            variance += gradient[k] * fit->covariance[k][l] * gradient[l];
    take_parameters(f, fit->value);
    const double value = evaluate(f, m->gifts[i].value), error = sqrt(fmax(variance, 0));
    if (idle)
        f->fit->gifts[i].why = arena_printf(a, "nothing was measured that depends on '%s'", idle);
    else if (fit->freedom > 0 && !platform_describes(f->fit))
        f->fit->gifts[i].why = "what does not describe says nothing of the device";
    else if (!(value > 0) || !isfinite(value))
        f->fit->gifts[i].why = "it is no positive number";
    else if (error > value / 2)
        f->fit->gifts[i].why = "its standard error is more than half of it";
    if (f->fit->gifts[i].why) {
        leave(a, f, m->gifts[i].number);
        return;
    }
    f->fit->gifts[i].value = value;
    f->fit->gifts[i].error = error;
    const DeviceNumber from = {
        .origin = "measured",
        .source = arena_printf(a, "aptune platform, fit '%s': %s", m->name, m->sentence),
        .date = arena_printf(a, "%.10s", f->names.table->date)};
    sheet_set(a, f->sheet, m->gifts[i].number, value, isfinite(error) ? error : 0, from);
}

static void fit_one(Arena *a, Arena *scratch, PlatformFit *fit, DeviceSheet *sheet, Diag *d)
{
    const Model *m = fit->model;
    for (size_t i = 0; i < MODEL_GIFTS; i++)
        fit->gifts[i].value = fit->gifts[i].error = NAN;
    if (!fit->table) {
        fit->why = "there is no recording of it";
        return;
    }
    Fitting f = {.scratch = scratch, .fit = fit, .names = names_of(m, fit->table), .sheet = sheet};
    if (!bind_all(m, &f.names, d)) {
        fit->why = "its formulas do not fit the recording";
        return;
    }
    f.slots = ARENA_ARRAY(a, Value, f.names.all);
    take_numbers(&f);
    take_points(a, &f);
    const bool found = search(a, &f);
    for (size_t i = 0; i < m->gift_count; i++) {
        if (found)
            give(a, &f, i);
        else
            leave(a, &f, m->gifts[i].number);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Of one device, and which. */
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
        diag_fail(d, "there is no recording of any benchmark of the platform");
    return first;
}

/* What is known of the device, to be added to. */
static DeviceSheet *sheet_for(Arena *a, const Table *t)
{
    DeviceSheet *s = ARENA_NEW(a, DeviceSheet);
    const Device *like = t->device ? device_like(t->gpu, device_arch(t->device)) : NULL;
    if (like)
        *s = *like->sheet;
    if (!like || strcmp(like->name, t->gpu) != 0) { /* another one's numbers are not this one's */
        const DeviceSheet *named = sheet_find(t->gpu);
        *s = named ? *named : (DeviceSheet){0};
        if (t->device) {
            s->device = *t->device;
        }
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
    Arena *scratch = arena_new();
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
    arena_free(scratch);
    return r;
}

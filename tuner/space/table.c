#include "tuner/space/table.h"

/* --- columns ---------------------------------------------------------------------------------- */

/* The offset of a column's pointer in the table, and the size of an element. */
typedef struct ColumnShape {
    size_t at, size;
} ColumnShape;

#define SHAPE(member)                                                                              \
    {                                                                                              \
        offsetof(Table, member), sizeof *((Table *)0)->member                                      \
    }

static const ColumnShape shapes[] = {
    SHAPE(number),  SHAPE(outcome),  SHAPE(same_as), SHAPE(work),  SHAPE(code), SHAPE(launch),
    SHAPE(profile), SHAPE(times),    SHAPE(warm),    SHAPE(trial), SHAPE(ms),   SHAPE(why),
    SHAPE(suspect), SHAPE(selected), SHAPE(audited), SHAPE(cost),
};
enum { SHAPES = COUNT_OF(shapes) };

/* Columns have different types, so their pointers are copied as bytes. */
static void *column_at(const Table *t, const ColumnShape *s)
{
    void *column;
    memcpy(&column, (const char *)t + s->at, sizeof column);
    return column;
}

static void *grown(const Table *t, const void *column, size_t size)
{
    void *fresh = arena_array(t->arena, t->capacity, size);
    if (column && t->count)
        memcpy(fresh, column, t->count * size);
    return fresh;
}

Table *table_new(Arena *a)
{
    Table *t = ARENA_NEW(a, Table);
    *t = (Table){.arena = a, .gap = ' ', .best = SIZE_MAX, .rows.arena = a};
    return t;
}

void table_reserve(Table *t, size_t rows)
{
    if (rows <= t->capacity)
        return;
    t->capacity = rows;
    for (size_t k = 0; k < SHAPES; k++) {
        void *column = grown(t, column_at(t, &shapes[k]), shapes[k].size);
        memcpy((char *)t + shapes[k].at, &column, sizeof column);
    }
    t->values = grown(t, t->values, t->parameter_count * sizeof *t->values);
    for (size_t m = 0; t->metric && m < t->metrics->metrics.count; m++)
        t->metric[m] = grown(t, t->metric[m], sizeof *t->metric[m]);
}

void table_set_metrics(Table *t, MetricSet *metrics)
{
    size_t n = metrics->metrics.count;
    t->metrics = metrics;
    t->metric = ARENA_ARRAY(t->arena, double *, n);
    t->gaps = ARENA_ARRAY(t->arena, MetricGap, n);
    for (size_t m = 0; m < n; m++) {
        t->metric[m] = ARENA_ARRAY(t->arena, double, t->capacity);
        for (size_t i = 0; i < t->count; i++)
            t->metric[m][i] = NAN;
    }
}

/* --- rows by number --------------------------------------------------------------------------- */

size_t table_find(const Table *t, uint64_t number)
{
    return numbers_get(&t->rows, number);
}

size_t table_add(Table *t, uint64_t number)
{
    size_t row = table_find(t, number);
    if (row != SIZE_MAX)
        return row;
    if (t->count == t->capacity)
        table_reserve(t, t->capacity ? 2 * t->capacity : FIRST_SIZE(64, 1));
    row = t->count++;
    t->number[row] = number;
    t->same_as[row] = row;
    t->work[row] = 1;
    t->times[row] = t->warm[row] = (TableTimes){.median = NAN, .low = NAN, .high = NAN};
    t->trial[row].max_error = t->ms[row] = NAN;
    for (size_t m = 0; t->metric && m < t->metrics->metrics.count; m++)
        t->metric[m][row] = NAN;
    numbers_put(&t->rows, number, row);
    return row;
}

/* --- some rows of a table --------------------------------------------------------------------- */

static void copy_row(Table *to, size_t row, const Table *from, size_t old)
{
    const uint64_t number = to->number[row];
    for (size_t k = 0; k < SHAPES; k++)
        memcpy((char *)column_at(to, &shapes[k]) + row * shapes[k].size,
               (char *)column_at(from, &shapes[k]) + old * shapes[k].size, shapes[k].size);
    to->number[row] = number;
    memcpy(to->values + row * to->parameter_count, from->values + old * from->parameter_count,
           to->parameter_count * sizeof *to->values);
    for (size_t m = 0; to->metric && m < to->metrics->metrics.count; m++)
        to->metric[m][row] = from->metric[m][old];
}

Table *table_take(Arena *a, const Table *t, const size_t *rows, size_t count)
{
    Table *out = ARENA_NEW(a, Table);
    *out = *t;
    out->arena = a;
    out->count = out->capacity = 0;
    out->rows = (NumberMap){.arena = a};
    out->metric = NULL;
    table_reserve(out, count);
    if (t->metric)
        table_set_metrics(out, t->metrics);
    for (size_t k = 0; k < count; k++)
        copy_row(out, table_add(out, rows[k]), t, rows[k]);
    for (size_t k = 0; k < count; k++) {
        size_t same = table_find(out, t->same_as[rows[k]]);
        out->same_as[k] = same == SIZE_MAX ? k : same;
    }
    return out;
}

/* --- one row ---------------------------------------------------------------------------------- */

Value table_value(const Table *t, size_t row, size_t parameter)
{
    return t->parameters[parameter].values.at[t->values[row * t->parameter_count + parameter]];
}

void table_print_name(const Table *t, size_t row, Buf *out)
{
    for (size_t p = 0; p < t->parameter_count; p++) {
        buf_printf(out, "%.*s%s=", p > 0, &t->gap, t->parameters[p].name);
        value_print_named(table_value(t, row, p), out);
    }
}

const char *table_name(Arena *a, const Table *t, size_t row)
{
    Buf b = {0};
    table_print_name(t, row, &b);
    return buf_keep(&b, a);
}

double table_ms(const Table *t, size_t row)
{
    return t->times[row].median / t->work[row];
}

void table_evaluate(Arena *scratch, Table *t, size_t row, const LaunchProfile *shares, size_t count)
{
    size_t n = t->metrics->metrics.count;
    MetricValue *values = ARENA_ARRAY(scratch, MetricValue, n);
    metricset_evaluate(scratch, t->metrics, shares, count, t->device, values);
    for (size_t m = 0; m < n; m++) {
        const bool per_work = t->metrics->metrics.at[m].additive;
        t->metric[m][row] = per_work ? values[m].value / t->work[row] : values[m].value;
        if (isnan(values[m].value) && !t->gaps[m].reason) {
            const char *reason = values[m].reason ? values[m].reason : "not a number";
            t->gaps[m].reason = arena_string(t->arena, reason);
            t->gaps[m].at = values[m].at;
        }
    }
}

/* --- names ------------------------------------------------------------------------------------ */

void table_names(const Table *t, size_t first, Scope *s)
{
    EACH (const TableSize, x, t->sizes, t->size_count)
        scope_add(s, x->name, first++, x->value.kind);
    EACH (const TableParameter, p, t->parameters, t->parameter_count)
        scope_add(s, p->name, first++, p->kind);
    EACH (const Derived, x, t->derived, t->derived_count)
        scope_add(s, x->name, first++, expr_kind(x->value));
}

size_t table_slot_count(const Table *t)
{
    return t->size_count + t->parameter_count + t->derived_count;
}

const Value *table_slots(Arena *scratch, const Table *t, size_t row)
{
    Value *slots = ARENA_ARRAY(scratch, Value, table_slot_count(t)), *next = slots;
    Evaluation ev = {.arena = scratch};
    for (size_t i = 0; i < t->size_count; i++)
        *next++ = t->sizes[i].value;
    for (size_t p = 0; p < t->parameter_count; p++)
        *next++ = table_value(t, row, p);
    for (size_t k = 0; k < t->derived_count; k++)
        if (!expr_eval(t->derived[k].value, slots, &ev, next++))
            return NULL;
    return slots;
}

const double *table_column(Arena *a, const Table *t, const char *name)
{
    int m = t->metrics ? metricset_find(t->metrics, name) : -1, field = profile_find(name);
    double *values = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        const Profile *p = table_profile(t, i);
        values[i] = !p           ? NAN
                    : m >= 0     ? table_metric(t, i, (size_t)m)
                    : field >= 0 ? p->value[field]
                                 : NAN;
    }
    return values;
}

double table_named(const Table *t, size_t row, const char *metric)
{
    const int m = metric && t->metric ? metricset_find(t->metrics, metric) : -1;
    return m < 0 ? NAN : t->metric[m][row];
}

const char *table_predicted_text(Arena *a, const Table *t, size_t row)
{
    const double ms = table_named(t, row, "predicted_ms"),
                 off = table_named(t, row, "predicted_error");
    const char *time =
        ms < 1 ? arena_printf(a, "%.2f us", 1e3 * ms) : arena_printf(a, "%.3f ms", ms);
    if (isnan(ms))
        return NULL;
    return isnan(off) ? arena_printf(a, "%s, estimated: the device was not measured", time)
                      : arena_printf(a, "%s, off by %.0f %% as a rule", time, 100 * off);
}

const TablePart table_parts[TABLE_PARTS] = {
    {"issue_cycles", "issue"},       {"fp32_cycles", "fp32"},
    {"int_cycles", "integers"},      {"sfu_cycles", "sfu"},
    {"fp64_cycles", "fp64"},         {"half_cycles", "half"},
    {"tensor_cycles", "tensor"},     {"constant_cycles", "constants"},
    {"shared_cycles", "shared, L1"}, {"l2_cycles", "L2"},
    {"memory_cycles", "memory"},     {"latency_cycles", "latency"},
    {"start_cycles", "block starts"}};

void table_shares(const Table *t, size_t row, double *shares)
{
    const double all = table_named(t, row, "predicted_cycles");
    for (int k = 0; k < TABLE_PARTS; k++)
        shares[k] = table_named(t, row, table_parts[k].metric) / all;
}

/* --- equal rows ------------------------------------------------------------------------------- */

size_t *table_group(Arena *a, const char *const *keys, const bool *alive, size_t count)
{
    size_t *first = ARENA_ARRAY(a, size_t, count);
    SCOPED_ARENA *scratch = arena_new();
    Map met = {.arena = scratch};
    for (size_t i = 0; i < count; i++) {
        first[i] = !alive || alive[i] ? i : SIZE_MAX;
        if (!keys[i] || first[i] != i)
            continue;
        MapEntry *e = map_add(&met, keys[i], strlen(keys[i]), 0);
        e->pointer = e->pointer ? e->pointer : &first[i];
        first[i] = (size_t)((size_t *)e->pointer - first);
    }
    return first;
}

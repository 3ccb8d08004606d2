/* The result of a run without times: what it chose, and why. */
#include "tuner/output/report.h"

/* The selected, or the other, rows with distinct code, sorted by predicted cycles. */
static Ranked *guesses(Arena *a, const Run *r, bool selected, size_t *count)
{
    const Table *t = r->table;
    Ranked *all = ARENA_ARRAY(a, Ranked, t->count + 1);
    *count = 0;
    for (size_t i = 0; i < t->count; i++) {
        double cycles = table_has_code(t, i) ? table_named(t, i, "predicted_cycles") : NAN;
        if (t->selected[i] == selected && t->same_as[i] == i && !isnan(cycles))
            all[(*count)++] = (Ranked){cycles, i};
    }
    stats_rank(all, *count);
    return all;
}

/* The largest part of the prediction. */
static const char *limiter(const Run *r, size_t row)
{
    const char *best = "not known";
    double most = 0;
    for (size_t i = 0; i < TABLE_PARTS; i++) {
        double cycles = table_named(r->table, row, table_parts[i].metric);
        if (cycles > most) {
            most = cycles;
            best = table_parts[i].name;
        }
    }
    return best;
}

static void print_ms(const Run *r, double cycles, Buf *out)
{
    double ms = 1e3 * cycles / r->device->clock_hz;
    buf_printf(out, ms < 1 ? "%8.2f us" : "%8.3f ms", ms < 1 ? 1e3 * ms : ms);
}

static void print_parameters(const Table *t, size_t row, const bool *wanted, Buf *out)
{
    for (size_t p = 0; p < t->parameter_count; p++)
        if (wanted[p]) {
            buf_printf(out, " %s=", t->parameters[p].name);
            value_print_named(table_value(t, row, p), out);
        }
}

void report_selected(const Run *r, Buf *out)
{
    enum { SHOWN = 10 };
    SCOPED_ARENA *a = arena_new();
    const Table *t = r->table;
    size_t count, dropped;
    Ranked *all = r->device ? guesses(a, r, true, &count) : NULL;
    if (!all || count == 0)
        return;
    size_t shown = count < SHOWN ? count : SHOWN;
    bool *common = ARENA_ARRAY(a, bool, t->parameter_count), any = false;
    bool *apart = ARENA_ARRAY(a, bool, t->parameter_count);
    for (size_t p = 0; p < t->parameter_count; p++) {
        common[p] = shown > 1;
        for (size_t i = 1; i < shown; i++)
            common[p] = common[p] && t->values[all[i].at * t->parameter_count + p] ==
                                         t->values[all[0].at * t->parameter_count + p];
        apart[p] = !common[p];
        any = any || common[p];
    }
    buf_puts(out, "\n    predicted  limited by    configuration");
    buf_puts(out, any ? "; all have" : "");
    print_parameters(t, all[0].at, common, out);
    buf_putc(out, '\n');
    for (size_t i = 0; i < shown; i++) {
        buf_puts(out, "  ");
        print_ms(r, all[i].key, out);
        buf_printf(out, "  %-12s ", limiter(r, all[i].at));
        print_parameters(t, all[i].at, apart, out);
        buf_putc(out, '\n');
    }
    if (count > shown)
        buf_printf(out, "  and %zu more, see configurations.csv (predicted_cycles)\n",
                   count - shown);
    buf_printf(out, "  the first: %s\n", table_predicted_text(a, t, all[0].at));
    Ranked *next = guesses(a, r, false, &dropped);
    if (dropped > 0) {
        buf_puts(out, "  the next is ");
        print_ms(r, next[0].key, out);
        buf_puts(out, ", and was dropped:\n    ");
        report_why(r, next[0].at, out);
    }
    buf_putc(out, '\n');
}

static json_t *guess_json(const Run *r, const Ranked *g)
{
    const double off = table_named(r->table, g->at, "predicted_error");
    return json_put(json_object(), "parameters", report_parameters(r, g->at), "predicted_ms",
                    json_known(1e3 * g->key / r->device->clock_hz), "predicted_error",
                    json_known(off), "estimated", json_boolean(isnan(off)), "limiter",
                    json_string(limiter(r, g->at)), NULL);
}

void report_selected_json(const Run *r, json_t *o)
{
    SCOPED_ARENA *a = arena_new();
    json_t *list = json_array(), *first_dropped = json_null();
    size_t count = 0, dropped = 0;
    Ranked *all = r->device ? guesses(a, r, true, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, guess_json(r, &all[i]));
    Ranked *next = r->device ? guesses(a, r, false, &dropped) : NULL;
    if (dropped > 0)
        first_dropped =
            json_put(guess_json(r, &next[0]), "why", report_why_text(r, next[0].at), NULL);
    json_put(o, "predicted", list, "next", first_dropped, NULL);
}

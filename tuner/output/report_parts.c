#include "tuner/output/report_parts.h"

#include <inttypes.h>

void report_say(Buf *out, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_printf(out, "%-10s ", label);
    buf_vprintf(out, format, args);
    va_end(args);
}

void report_count(Buf *out, uint64_t n, int width)
{
    char digits[24], text[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), k = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = '\0';
    buf_printf(out, "%*s", width, text);
}

const char *report_constraint(Arena *a, const Span *at, size_t *line)
{
    const char *text = at->source->text + at->offset;
    size_t column;
    bool quoted = false, gap = false;
    Buf out = {0};
    source_position(at->source, at->offset, line, &column);
    for (const char *c = text; c < text + at->length; c++) {
        if (!quoted && *c == '#') {
            c += strcspn(c, "\n") - 1;
        } else if (!quoted && strchr(" \t\r\n\\", *c)) {
            gap = true;
        } else {
            buf_printf(&out, gap ? " %c" : "%c", *c);
            gap = false;
            quoted = quoted != (*c == '"' && (!quoted || c[-1] != '\\'));
        }
    }
    return buf_keep(&out, a);
}

void report_interval(const TableTimes *t, Buf *out)
{
    if (t->count >= STATS_INTERVAL_LEAST)
        buf_printf(out, " (median of %zu; %.4f to %.4f with %.0f %%)", t->count, t->low, t->high,
                   100 * STATS_CONFIDENCE);
}

size_t *report_energy_front(Arena *a, const Run *r, size_t *count)
{
    const Table *t = r->table;
    double *ms = ARENA_ARRAY(a, double, t->count), *joules = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        bool known = table_is_right(t, i) && t->trial[i].joules > 0;
        ms[i] = known ? t->times[i].median : NAN;
        joules[i] = known ? t->trial[i].joules : NAN;
    }
    return stats_front(a, ms, joules, t->count, count);
}

static void print_outcome(const Run *r, size_t i, Buf *out)
{
    const Table *t = r->table;
    buf_printf(out, "%s: %s", r->source == RUN_MEASURED ? "measured" : "replayed",
               outcome_name(t->outcome[i]));
    if (table_is_right(t, i)) {
        buf_printf(out, ", %.4f ms", t->times[i].median);
        report_interval(&t->times[i], out);
    } else if (t->why[i] && *t->why[i]) {
        buf_printf(out, ": %s", t->why[i]);
    }
    buf_putc(out, '\n');
}

void report_why(const Run *r, size_t i, Buf *out)
{
    SCOPED_ARENA *a = arena_new();
    const Table *t = r->table;
    const char *name = table_name(a, r->table, i);
    if (!table_fits(t, i)) {
        buf_printf(out, "%s: dropped by tier 0: %s\n", name, outcome_name(t->outcome[i]));
    } else if (table_failed_to_compile(t, i)) {
        buf_printf(out, "%s: %s: %s\n", name,
                   t->outcome[i] == OUTCOME_RESOURCES ? outcome_name(t->outcome[i])
                                                      : "did not compile",
                   t->why[i] ? t->why[i] : "no message");
    } else if (t->outcome[i] == OUTCOME_NONE) {
        buf_printf(out, "%s: %s\n", name,
                   r->search.done ? "was not compiled: the search did not ask for it"
                                  : "has no code to judge");
    } else if (t->same_as[i] != i) {
        buf_printf(out, "%s: compiles to the same code as %s, which stands for both\n", name,
                   table_name(a, r->table, t->same_as[i]));
    } else {
        carving_why(&r->carving, i, out);
        if (buf_text(out)[out->size - 1] != '\n')
            buf_putc(out, '\n');
        if (t->suspect[i])
            buf_printf(out, "suspicious: %s\n", t->suspect[i]);
        if (r->table->selected[i] && r->carving.fates[i].kind != OUTCOME_SURVIVES)
            buf_printf(out, "timed anyway: %s\n",
                       r->options.exhaustive ? "everything is (--exhaustive)"
                       : r->search.done      ? "the search expected it to be fast"
                                             : "chosen from the times so far (polish)");
        if (t->audited[i])
            buf_puts(out, "timed anyway: drawn at random (--audit)\n");
    }
    if (table_is_timed(t, i))
        print_outcome(r, i, out);
}

json_t *report_parameters(const Run *r, size_t i)
{
    json_t *o = json_object();
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        json_put(o, r->spec->parameters[p].name, json_value(table_value(r->table, i, p)), NULL);
    return o;
}

json_t *report_metrics(const Run *r, size_t i)
{
    const Table *t = r->table;
    json_t *o = json_object();
    for (size_t m = 0; m < t->metrics->metrics.count && t->metric && table_profile(t, i); m++)
        json_put(o, t->metrics->metrics.at[m].name, json_known(table_metric(t, i, m)), NULL);
    return o;
}

json_t *report_object(const Run *r)
{
    return json_put(json_object(), "aptune", json_string(APTUNE_VERSION), "space",
                    json_text(r->spec->name), "problem",
                    json_text(r->spec->problems[r->space.problem].text), "device",
                    json_text(r->device ? r->device->name : NULL), "arch",
                    r->device ? json_sprintf("sm_%d", device_arch(r->device)) : json_null(), NULL);
}

json_t *report_why_text(const Run *r, size_t i)
{
    SCOPED_BUF text = {0};
    report_why(r, i, &text);
    text.text[--text.size] = '\0'; /* without its last newline */
    return json_text(text.text);
}

json_t *report_health(const Run *r)
{
    const HealthLog *h = &r->watch.health;
    SCOPED_BUF throttle = {0};
    health_print_throttle(h->throttle, &throttle);
    return json_put(json_object(), "steady", json_boolean(health_is_steady(h)), "clock_high_mhz",
                    json_known(h->clock_high_mhz), "clock_low_mhz", json_known(h->clock_low_mhz),
                    "power_high_w", json_known(h->power_high_w), "temperature_high_c",
                    json_known(h->temperature_high_c), "held_back_by",
                    json_text(buf_text(&throttle)), "other_processes", json_integer(h->others),
                    NULL);
}

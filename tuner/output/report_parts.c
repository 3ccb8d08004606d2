#include "tuner/output/report_parts.h"

#include "tuner/output/report.h"

#include <math.h>
#include <stdlib.h>

json_t *report_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *json_of_value(Value v)
{
    switch (v.kind) {
    case VALUE_BOOL:
        return json_boolean(v.boolean);
    case VALUE_INT:
        return json_integer(v.integer);
    case VALUE_REAL:
        return report_number(v.real);
    default:
        return json_string(v.string);
    }
}

json_t *report_parameters(const Run *r, size_t i)
{
    json_t *o = json_object();
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        json_object_set_new(o, r->spec->parameters[p].name,
                            json_of_value(table_value(r->table, i, p)));
    return o;
}

json_t *report_metrics(const Run *r, size_t i)
{
    json_t *o = json_object();
    for (size_t m = 0;
         m < r->table->metrics->metrics.count && r->table->metric && table_profile(r->table, i);
         m++)
        json_object_set_new(o, r->table->metrics->metrics.at[m].name,
                            report_number(table_metric(r->table, i, m)));
    return o;
}

static json_t *device_name(const Run *r)
{
    return r->device ? json_string(r->device->name) : json_null();
}

static json_t *arch_name(const Run *r)
{
    return r->device ? json_sprintf("sm_%d", device_arch(r->device)) : json_null();
}

json_t *report_object(const Run *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "aptune", json_string(APTUNE_VERSION));
    json_object_set_new(o, "space", json_string(r->spec->name));
    json_object_set_new(o, "problem", json_string(r->spec->problems[r->space.problem].text));
    json_object_set_new(o, "device", device_name(r));
    json_object_set_new(o, "arch", arch_name(r));
    return o;
}

json_t *report_why_text(const Run *r, size_t i)
{
    Buf text = {0};
    report_why(r, i, &text);
    json_t *why = json_stringn(buf_text(&text), text.size - 1); /* without its last newline */
    buf_free(&text);
    return why;
}

void report_print_object(json_t *o, Buf *out)
{
    char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    buf_puts(out, text ? text : "{}");
    buf_putc(out, '\n');
    free(text);
    json_decref(o);
}

json_t *report_health(const Run *r)
{
    const HealthLog *h = &r->watch.health;
    Buf brakes = {0};
    health_print_brakes(h->brakes, &brakes);
    json_t *o = json_object();
    json_object_set_new(o, "steady", json_boolean(health_is_steady(h)));
    json_object_set_new(o, "clock_high_mhz", report_number(h->clock_high_mhz));
    json_object_set_new(o, "clock_low_mhz", report_number(h->clock_low_mhz));
    json_object_set_new(o, "power_high_w", report_number(h->power_high_w));
    json_object_set_new(o, "temperature_high_c", report_number(h->temperature_high_c));
    json_object_set_new(o, "held_back_by", json_string(buf_text(&brakes)));
    json_object_set_new(o, "other_processes", json_integer(h->others));
    buf_free(&brakes);
    return o;
}

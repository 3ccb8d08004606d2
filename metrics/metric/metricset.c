#include "metrics/metric/metricset.h"

#include "metrics/base/file.h"
#include <math.h>

/* Device names in formulas (device.def). */
static const char *const device_names[] = {
#define DEVICE(type, member, name, quantity, flags, meaning) "device_" #member,
#define DERIVED(type, member, meaning)                       "device_" #member,
#define RATE(member, name, quantity, flags, meaning)         "rate_" #member,
#define LATENCY(member, flags, meaning)                      "latency_" #member,
#define PLATFORM(name, quantity, meaning)                    #name,
#include "metrics/metric/device.def"
};

/* Slots: profile fields, then the counts of its tables, then device fields, then metrics. */
enum {
    DEVICE_FIELD_COUNT = COUNT_OF(device_names),
    STALL_REGIONS = PROFILE_FIELDS,
    SYNC_REGIONS,
    FIRST_DEVICE,
    FIRST_METRIC = FIRST_DEVICE + DEVICE_FIELD_COUNT
};

static void device_values(const Device *d, double out[DEVICE_FIELD_COUNT])
{
    enum { NEEDED = 0, ZERO = 1 };
    const DeviceRates *r = d ? device_rates(d) : NULL;
    const DeviceLatencies *l = d ? device_latencies(d) : NULL;
    const DevicePlatform *p = d ? device_platform(d) : NULL;
    int i = 0;
#define DEVICE(type, member, name, quantity, flags, meaning)                                       \
    out[i++] = d && ((flags)&ZERO || d->member != 0) ? (double)d->member : NAN;
#define DERIVED(type, member, meaning) DEVICE(type, member, "", COUNT, 0, meaning)
#define RATE(member, name, quantity, flags, meaning)                                               \
    out[i++] = r && r->member > 0 ? r->member : NAN;
#define LATENCY(member, flags, meaning)   out[i++] = l ? l->member : NAN;
#define PLATFORM(name, quantity, meaning) out[i++] = p && p->name > 0 ? p->name : NAN;
#include "metrics/metric/device.def"
}

MetricSet *metricset_new(Arena *a)
{
    MetricSet *set = ARENA_NEW(a, MetricSet);
    set->arena = a;
    return set;
}

int metricset_find(const MetricSet *set, const char *name)
{
    const Metric *m = NAME_FIND(set->metrics.at, set->metrics.count, name, name);
    return m ? (int)(m - set->metrics.at) : -1;
}

/* --- names ------------------------------------------------------------------------------------ */

size_t metricset_slot_count(const MetricSet *set)
{
    return FIRST_METRIC + set->metrics.count;
}

const char *metricset_slot_name(const MetricSet *set, int slot)
{
    if (slot < PROFILE_FIELDS)
        return profile_fields[slot].name;
    if (slot < FIRST_DEVICE)
        return slot == STALL_REGIONS ? "stall_regions" : "sync_regions";
    if (slot < FIRST_METRIC)
        return device_names[slot - FIRST_DEVICE];
    return set->metrics.at[slot - FIRST_METRIC].name;
}

/* -1 if there is none. */
static int slot_of(const MetricSet *set, const char *name)
{
    size_t count = metricset_slot_count(set);
    for (size_t i = 0; i < count; i++)
        if (strcmp(metricset_slot_name(set, (int)i), name) == 0)
            return (int)i;
    return -1;
}

/* Metrics come first: of equally similar names they are the likeliest to be meant. */
Scope metricset_scope(Arena *a, const MetricSet *set)
{
    Scope s = {.arena = a, .real = true};
    const size_t count = metricset_slot_count(set);
    for (size_t k = 0; k < count; k++) {
        const size_t i = (FIRST_METRIC + k) % count;
        scope_add(&s, metricset_slot_name(set, (int)i), i, VALUE_REAL);
    }
    return s;
}

/* --- statements ------------------------------------------------------------------------------- */

static bool name_is_free(const MetricSet *set, const char *name, Span at, Diag *d)
{
    if (WORD_IS_ANY(name, "and", "or", "not", "in", "true", "false"))
        return diag_error(d, at, "'%s' is a reserved word of the expression language", name);
    int slot = slot_of(set, name);
    if (slot < 0)
        return true;
    if (slot < FIRST_METRIC)
        return diag_error(d, at, "'%s' is a field of the %s; a metric needs another name", name,
                          slot < FIRST_DEVICE ? "profile" : "device");
    diag_error(d, at, "metric '%s' is defined twice", name);
    diag_note(d, set->metrics.at[slot - FIRST_METRIC].at, "the first definition");
    return false;
}

static bool parse_direction(Lexer *l, Metric *m)
{
    m->higher = lexer_is(l, "higher");
    if (lexer_take(l, "higher") || lexer_take(l, "lower"))
        return true;
    return lexer_wrong(l, "'higher' or 'lower', whichever is better");
}

/* The default for a unit.  Warns of a mistyped additive unit, which would silently not be additive. */
static bool is_additive_unit(const char *unit, Span at, Diag *d)
{
    static const char *const units[] = {"cycles",     "seconds",  "ms",       "us",
                                        "ns",         "bytes",    "sectors",  "flop",
                                        "wavefronts", "accesses", "launches", "joules"};
    const size_t count = COUNT_OF(units);
    if (word_place(unit, units, count) < SIZE_MAX)
        return true;
    bool word = strlen(unit) >= 4 && strcspn(unit, "/ *^()0123456789") == strlen(unit);
    const char *closest = word ? name_closest(unit, units, count) : NULL;
    if (closest)
        diag_warn(
            d, at,
            "a metric in '%s' is additive over launches only if it says so; did you mean '%s'?",
            unit, closest);
    return false;
}

/* [ "run" | [ "not" ] "additive" ] unit */
static bool parse_unit(Lexer *l, Metric *m, Diag *d)
{
    m->of_run = lexer_take(l, "run");
    const bool negated = !m->of_run && lexer_take(l, "not");
    const bool said = !m->of_run && lexer_take(l, "additive");
    if (negated && !said)
        return lexer_wrong(l, "'additive' after 'not'");
    Span at = l->token.at;
    if (!lexer_take_string(l, "a unit in quotes", &m->unit))
        return false;
    m->additive = said ? !negated : is_additive_unit(m->unit, at, d);
    return true;
}

static bool parse_meaning(Lexer *l, Metric *m, Diag *d)
{
    Span at = l->token.at;
    return lexer_take_string(l, "a sentence in quotes that says what it means", &m->meaning) &&
           (m->meaning[0] ||
            diag_error(d, at, "a metric needs a sentence that says what it means"));
}

static bool parse_formula(Lexer *l, MetricSet *set, Metric *m, Diag *d)
{
    if (!lexer_expect(l, "=", "before the formula"))
        return false;
    m->formula = expr_parse(l);
    if (!m->formula)
        return false;
    const ExprTable tables[] = {
        {"stall_regions", profile_column_names, REGION_COLUMNS, STALL_REGIONS},
        {"sync_regions", profile_column_names, REGION_COLUMNS, SYNC_REGIONS}};
    SCOPED_ARENA *a = arena_new();
    Scope scope = metricset_scope(a, set);
    scope.tables = tables;
    scope.table_count = COUNT_OF(tables);
    if (!expr_bind(m->formula, &scope, d))
        return false;
    ValueKind kind = expr_kind(m->formula);
    if (kind != VALUE_REAL && kind != VALUE_INT && kind != VALUE_BOOL)
        return diag_error(d, expr_span(m->formula), "a metric must be a number, this is %s",
                          value_kind_name(kind));
    return true;
}

/* Leaves the lexer at the next line, even after a mistake. */
static bool parse_statement(Lexer *l, MetricSet *set, Diag *d)
{
    lexer_next(l); /* "metric" */
    Metric m = {.at = l->token.at};
    if (!lexer_take_name(l, "the name of a metric", &m.name) ||
        !name_is_free(set, m.name, m.at, d) || !parse_direction(l, &m) || !parse_unit(l, &m, d) ||
        !parse_meaning(l, &m, d) || !parse_formula(l, set, &m, d)) {
        lexer_skip_line(l);
        return false;
    }
    if (!lexer_end_line(l))
        return false;
    VEC_PUSH(set->arena, &set->metrics, m);
    return true;
}

static bool complain_start(Lexer *l, Diag *d)
{
    static const char *const word = "metric";
    bool meant = l->token.kind == TOKEN_NAME && name_closest(l->token.text, &word, 1);
    if (!meant)
        return lexer_wrong(l, "'metric'");
    return diag_error(d, l->token.at, "unknown statement '%s'; did you mean 'metric'?",
                      l->token.text);
}

bool metricset_read(MetricSet *set, const Source *s, Diag *d)
{
    Lexer l = lexer_new(set->arena, s, d);
    bool ok = true;
    while (l.token.kind != TOKEN_END) {
        if (l.token.kind == TOKEN_NEWLINE) {
            lexer_next(&l);
        } else if (lexer_is(&l, "metric")) {
            ok = parse_statement(&l, set, d) && ok;
        } else {
            ok = complain_start(&l, d);
            lexer_skip_line(&l);
        }
    }
    return ok;
}

const Source *metricset_read_file(MetricSet *set, const char *path, Diag *d)
{
    const Source *s = source_read(set->arena, path, d);
    return s && metricset_read(set, s, d) ? s : NULL;
}

/* --- values ----------------------------------------------------------------------------------- */

void metricset_slots(const MetricSet *set, const Profile *p, const Device *device,
                     const MetricValue *values, Value *slots)
{
    double fields[DEVICE_FIELD_COUNT];
    device_values(device, fields);
    for (int i = 0; i < PROFILE_FIELDS; i++)
        slots[i] = value_real(p->value[i]);
    slots[STALL_REGIONS] = value_real(p->region_count ? (double)p->region_count : NAN);
    slots[SYNC_REGIONS] = value_real(p->sync_count ? (double)p->sync_count : NAN);
    for (int i = 0; i < DEVICE_FIELD_COUNT; i++)
        slots[FIRST_DEVICE + i] = value_real(fields[i]);
    for (size_t i = 0; i < set->metrics.count; i++)
        slots[FIRST_METRIC + i] = value_real(values ? values[i].value : NAN);
}

/* Formulas of unknown names are not evaluated: a comparison or a minimum could return a number. */
static MetricValue evaluate(Arena *a, const MetricSet *set, const Metric *m, const Profile *p,
                            const Value *slots)
{
    int missing = expr_without_value(m->formula, slots);
    if (missing >= 0)
        return (MetricValue){
            NAN, arena_printf(a, "'%s' is not known", metricset_slot_name(set, missing)), {0}};
    const ExprRows tables[] = {
        {p->regions ? p->regions->value : NULL, p->region_count},
        {p->syncs ? p->syncs->value : NULL, p->sync_count},
    };
    Evaluation ev = {.arena = a, .tables = tables};
    Value v;
    if (!expr_eval(m->formula, slots, &ev, &v))
        return (MetricValue){NAN, ev.error, ev.error_at};
    double value = value_as_real(v);
    if (!isfinite(value))
        return (MetricValue){NAN, "the result is not a finite number", expr_span(m->formula)};
    return (MetricValue){value, NULL, {0}};
}

/* The metrics of a launch or, where values have the sums of the additive ones, those of the run. */
static void evaluate_all(Arena *a, const MetricSet *set, const Profile *p, const Device *device,
                         bool of_run, MetricValue *values)
{
    Value *slots = ARENA_ARRAY(a, Value, metricset_slot_count(set));
    metricset_slots(set, p, device, of_run ? values : NULL, slots);
    for (size_t i = 0; i < set->metrics.count; i++) {
        if (of_run && !set->metrics.at[i].of_run)
            continue;
        values[i] = evaluate(a, set, &set->metrics.at[i], p, slots);
        slots[FIRST_METRIC + i] = value_real(values[i].value);
    }
}

void metricset_evaluate(Arena *a, const MetricSet *set, const LaunchProfile *launches, size_t count,
                        const Device *device, MetricValue *values)
{
    const Profile *most = launches[profile_main_launch(launches, count)].profile;
    evaluate_all(a, set, most, device, false, values);
    if (count == 1 && launches[0].times == 1)
        return;
    MetricValue *one = ARENA_ARRAY(a, MetricValue, set->metrics.count);
    for (size_t k = 0; k < count; k++) {
        evaluate_all(a, set, launches[k].profile, device, false, one);
        for (size_t m = 0; m < set->metrics.count; m++) {
            if (!set->metrics.at[m].additive || set->metrics.at[m].of_run)
                continue;
            double before = k == 0 ? 0 : values[m].value;
            if (one[m].reason)
                values[m] = one[m];
            values[m].value = before + one[m].value * launches[k].times;
        }
    }
    evaluate_all(a, set, most, device, true, values);
}

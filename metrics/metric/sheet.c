#include "metrics/metric/sheet.h"

#include "metrics/base/expr.h"

#include <ctype.h>
#include <math.h>

/* --- quantities and fields -------------------------------------------------------------------- */

typedef struct Unit {
    const char *name;
    double scale; /* to the unit of the struct's member */
} Unit;

/* A kind of quantity: its units, the preferred one first, and the largest plausible value. */
typedef struct Quantity {
    Unit units[6];
    double most;
} Quantity;

static const Quantity COUNT = {{{"", 1}}, INT32_MAX};
static const Quantity CLOCK = {{{"MHz", 1e6}, {"GHz", 1e9}, {"kHz", 1e3}, {"Hz", 1}}, 1e11};
static const Quantity SIZE = {
    {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"B", 1}, {"GB", 1e9}}, 1e15};
static const Quantity SHARED = {{{"KiB", 0x1p10}, {"B", 1}}, INT32_MAX};
static const Quantity BANDWIDTH = {{{"GB/s", 1e9}, {"TB/s", 1e12}, {"B/s", 1}}, 1e16};
static const Quantity POWER = {{{"W", 1}}, 1e5};
static const Quantity CYCLES = {{{"cycles", 1}}, 1e7};
static const Quantity RESULTS = {{{"results/cycle", 1}}, 1e7};
static const Quantity TIME = {{{"us", 1e-6}, {"ns", 1e-9}, {"ms", 1e-3}}, 1};
static const Quantity RATIO = {{{"", 1}}, 1e6};
static const Quantity WARPS = {{{"warps/cycle", 1}}, 1e3};
static const Quantity WAVEFRONTS = {{{"wavefronts/cycle", 1}}, 1e3};
static const Quantity WORDS = {{{"words/cycle", 1}}, 1e3};
static const Quantity BYTES = {{{"B/cycle", 1}}, 1e9};

enum { NEEDED = 1, ZERO = 2 };

typedef enum FieldType { FIELD_int, FIELD_int64_t, FIELD_double } FieldType;

typedef struct Field {
    const char *name;
    const Quantity *quantity;
    FieldType type;
    size_t offset; /* in a DeviceSheet */
    unsigned flags;
} Field;

#define AT(member) offsetof(DeviceSheet, member)

static const Field fields[SHEET_NUMBERS] = {
#define DEVICE(type, member, name, quantity, flags, meaning)                                       \
    {name, &quantity, FIELD_##type, AT(device.member), flags},
#define TOLD(member, name, quantity, meaning) {name, &quantity, FIELD_double, AT(member), 0},
#define RATE(member, name, quantity, flags, meaning)                                               \
    {name, &quantity, FIELD_double, AT(rates.member), flags},
#define LATENCY(member, flags, meaning)                                                            \
    {"latency_" #member, &CYCLES, FIELD_double, AT(latencies.member), flags},
#define PLATFORM(name, quantity, meaning) {#name, &quantity, FIELD_double, AT(platform.name), 0},
#include "metrics/metric/device.def"
};

static const char *const origins[] = {"published", "measured", "estimated"};
enum { ORIGINS = COUNT_OF(origins) };

/* --- names ------------------------------------------------------------------------------------ */

enum { NAME_ROOM = 64 };

int device_arch(const Device *d)
{
    return 10 * d->major + d->minor;
}

const char *sheet_simple_name(const char *text, size_t length, char room[NAME_ROOM])
{
    static const char *const makers[] = {"nvidia", "geforce", "tesla"};
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]))
            continue;
        if (n == NAME_ROOM - 1)
            return NULL;
        room[n++] = (char)tolower((unsigned char)text[i]);
    }
    room[n] = '\0';
    const char *name = room;
    for (size_t i = 0; i < COUNT_OF(makers); i++)
        if (strncmp(name, makers[i], strlen(makers[i])) == 0)
            name += strlen(makers[i]);
    return name;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct Reader {
    Lexer lexer;
    Arena *arena;
    Diag *diag;
    DeviceSheets *out;
    DeviceSheet *sheet; /* of the current section; NULL: none yet */
    Span at;            /* where the section begins */
    enum { CAPABILITY, DEVICE, PLATFORM_ALONE } kind;
    Span given[SHEET_NUMBERS]; /* where the section gave each number; {0}: it did not */
    struct {
        int major, minor;
        struct {
            const Field *field;
            const char *unit;
            double scale;
        } columns[SHEET_NUMBERS];
        size_t count; /* of columns; 0: no rows may follow */
        DeviceNumber from;
    } table;
} Reader;

static DeviceSheet *capability_of(const DeviceSheets *s, int arch)
{
    for (; s; s = s->shipped)
        for (size_t i = 0; i < s->capabilities.count; i++)
            if (device_arch(&s->capabilities.at[i]->device) == arch)
                return s->capabilities.at[i];
    return NULL;
}

/* Latencies must be given all or not at all: missing ones would be zeros. */
static bool has_all_latencies(const Reader *r)
{
    size_t have = 0, all = 0;
    const char *missing = NULL;
    for (size_t i = 0; i < SHEET_NUMBERS; i++) {
        if (strncmp(fields[i].name, "latency_", 8) != 0)
            continue;
        all++;
        if (r->sheet->numbers[i].text)
            have++;
        else
            missing = fields[i].name;
    }
    return have == 0 || have == all ||
           diag_error(r->diag, r->at, "%s is missing: give all latencies or none", missing);
}

static bool has_required(const Reader *r)
{
    for (size_t i = 0; i < SHEET_NUMBERS; i++)
        if (fields[i].flags & NEEDED && !r->sheet->numbers[i].text)
            return diag_error(r->diag, r->at,
                              "%s is missing: compute capability %d.%d is not known, so the file "
                              "must give it",
                              fields[i].name, r->sheet->device.major, r->sheet->device.minor);
    return true;
}

static bool is_consistent(const Reader *r)
{
    const Device *v = &r->sheet->device;
    if (v->threads_per_sm != 32 * v->warps_per_sm)
        return diag_error(r->diag, r->at, "%d threads_per_sm are not %d warps_per_sm of 32",
                          v->threads_per_sm, v->warps_per_sm);
    if (v->registers_per_block > v->registers_per_sm)
        return diag_error(r->diag, r->at, "registers_per_block is more than registers_per_sm");
    if (v->shared_per_block > v->shared_per_block_optin)
        return diag_error(r->diag, r->at, "shared_per_block is more than shared_per_block_optin");
    if ((int64_t)v->shared_per_block_optin + v->shared_reserved > v->shared_per_sm)
        return diag_error(r->diag, r->at,
                          "shared_per_block_optin and shared_reserved are more than shared_per_sm");
    return true;
}

/* L2 throughput scales with the device; the capability's number is that of its largest GPU. */
static void scale_l2(Reader *r)
{
    DeviceSheet *s = r->sheet;
    const DeviceNumber from = {.origin = origins[ORIGINS - 1], .source = "rate_l2_sm for each SM"};
    if (s->l2_per_sm > 0 && s->device.sms > 0 && !r->given[SHEET_RATE_l2].length)
        sheet_set(r->arena, s, SHEET_RATE_l2, s->l2_per_sm * s->device.sms, 0, from);
}

/* Checks and stores the current section. */
static bool end_section(Reader *r)
{
    SheetList *const lists[] = {&r->out->capabilities, &r->out->devices, &r->out->platforms};
    if (!r->sheet)
        return true;
    r->sheet->device.fp32_per_sm = (int)r->sheet->rates.fp32;
    bool ok = r->kind != DEVICE || (has_required(r) && is_consistent(r) && has_all_latencies(r));
    if (r->kind == DEVICE)
        scale_l2(r);
    VEC_PUSH(r->arena, lists[r->kind], r->sheet);
    r->sheet = NULL;
    return ok;
}

/* "9.0": one decimal, so 10.3 is not 10.30. */
static bool take_capability(Reader *r, int *major, int *minor)
{
    const Token *t = &r->lexer.token;
    const double tenths = t->real * 10;
    if (t->kind != TOKEN_REAL || t->at.length > 4 || !(tenths >= 10) || tenths > 990 ||
        fabs(tenths - round(tenths)) > 1e-6)
        return lexer_wrong(&r->lexer, "a compute capability such as 9.0");
    *major = (int)round(tenths) / 10;
    *minor = (int)round(tenths) % 10;
    lexer_next(&r->lexer);
    return true;
}

/* Largest blocks and grids: CUDA Programming Guide, "Compute Capabilities"; before 2.0, grids are
 * two-dimensional and blocks smaller. */
static void set_extents(Device *d)
{
    const bool first = d->major < 2;
    for (size_t i = 0; i < 3; i++) {
        d->block_limit[i] = i == 2 ? 64 : first ? 512 : 1024;
        d->grid_limit[i] = i == 0 && !first ? INT32_MAX : i == 2 && first ? 1 : 65535;
    }
}

/* The current token if it is a non-empty printable string, else NULL. */
static const char *printable_string(const Reader *r)
{
    const Token *t = &r->lexer.token;
    const char *p = t->kind == TOKEN_STRING ? t->text : "", *end = p + strlen(p);
    while (p < end && text_shown(p, (size_t)(end - p)))
        p += text_shown(p, (size_t)(end - p));
    return p == end && t->kind == TOKEN_STRING && t->text[0] ? t->text : NULL;
}

/* Begins a section; `like` has the numbers that it inherits, or is NULL. */
static bool begin_sheet(Reader *r, const char *name, Span at, int major, int minor,
                        const DeviceSheet *like)
{
    char room[NAME_ROOM];
    const char *simple = name ? sheet_simple_name(name, strlen(name), room) : NULL;
    DeviceSheet *s = ARENA_NEW(r->arena, DeviceSheet);
    if (like)
        *s = *like;
    s->device.sheet = s;
    s->device.name = name;
    s->device.major = major;
    s->device.minor = minor;
    set_extents(&s->device);
    if (name && (!simple || !*simple))
        return diag_error(r->diag, at, "a name has 1 to %d letters and digits", NAME_ROOM - 1);
    if (simple)
        s->names[0] = arena_string(r->arena, simple);
    r->sheet = s;
    r->at = at;
    memset(r->given, 0, sizeof r->given);
    return true;
}

/* "as 8.0": the capability that another one inherits from. */
static bool take_base(Reader *r, const DeviceSheet **like)
{
    int major = 0, minor = 0;
    Span at = r->lexer.token.at;
    if (!lexer_take(&r->lexer, "as"))
        return true;
    if (!take_capability(r, &major, &minor))
        return false;
    *like = capability_of(r->out, 10 * major + minor);
    return *like || diag_error(r->diag, at, "capability %d.%d is not described", major, minor);
}

static bool begin_section(Reader *r)
{
    bool ok = end_section(r);
    const char *name = NULL;
    int major = 0, minor = 0;
    Span at = r->lexer.token.at;
    r->kind = lexer_is(&r->lexer, "device")     ? DEVICE
              : lexer_is(&r->lexer, "platform") ? PLATFORM_ALONE
                                                : CAPABILITY;
    lexer_next(&r->lexer);
    if (r->kind != CAPABILITY) {
        name = printable_string(r);
        if (!name)
            return lexer_wrong(&r->lexer, "the device's name in quotes, as the driver gives it");
        at = r->lexer.token.at;
        lexer_next(&r->lexer);
    }
    if (r->kind != PLATFORM_ALONE && !take_capability(r, &major, &minor))
        return false;
    const DeviceSheet *like = r->kind == DEVICE ? capability_of(r->out, 10 * major + minor) : NULL;
    if (r->kind == CAPABILITY && !take_base(r, &like))
        return false;
    return begin_sheet(r, name, at, major, minor, like) && lexer_end_line(&r->lexer) && ok;
}

/* "h200 h200-sxm": further names. */
static bool take_names(Reader *r)
{
    if (r->lexer.token.kind != TOKEN_STRING)
        return lexer_wrong(&r->lexer, "names in quotes, separated by spaces");
    const char *text = r->lexer.token.text;
    size_t n = 0;
    while (n < SHEET_NAMES && r->sheet->names[n])
        n++;
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        char room[NAME_ROOM];
        const char *simple = sheet_simple_name(text, length, room);
        if (n == SHEET_NAMES || !simple || !*simple)
            return diag_error(r->diag, r->lexer.token.at,
                              "a device has at most %d names of 1 to %d letters and digits",
                              SHEET_NAMES, NAME_ROOM - 1);
        r->sheet->names[n++] = arena_string(r->arena, simple);
        text += length;
    }
    lexer_next(&r->lexer);
    return true;
}

/* The unit as written, up to the origin: "GB/s", "". */
static const char *take_unit(Reader *r, Span *at)
{
    Lexer *l = &r->lexer;
    Buf text = {0};
    *at = l->token.at;
    while (!lexer_at_end_of_line(l) && (l->token.kind == TOKEN_NAME || lexer_is(l, "/"))) {
        for (size_t i = 0; i < ORIGINS; i++)
            if (lexer_is(l, origins[i]))
                goto done;
        buf_puts(&text, l->token.text);
        *at = span_join(*at, l->token.at);
        lexer_next(l);
    }
done:;
    return buf_keep(&text, r->arena);
}

static bool take_scale(Reader *r, const Field *f, const char **written, double *scale)
{
    Span at;
    const char *unit = *written = take_unit(r, &at);
    const Unit *u = f->quantity->units;
    size_t i = 0;
    while (i < 6 && u[i].name && strcmp(u[i].name, unit) != 0)
        i++;
    if (i < 6 && u[i].name) {
        *scale = u[i].scale;
        return true;
    }
    if (!*u[0].name)
        return diag_error(r->diag, at, "%s is a plain number, without a unit", f->name);
    const char *sep = u[1].name ? " or " : "", *second = u[1].name ? u[1].name : "";
    if (!*unit)
        return diag_error(r->diag, at, "%s needs a unit: %s%s%s", f->name, u[0].name, sep, second);
    return diag_error(r->diag, at, "%s is in %s%s%s, not in '%s'", f->name, u[0].name, sep, second,
                      unit);
}

static bool is_date(const char *s)
{
    static const char shape[] = "dddd-dd-dd";
    size_t i = 0;
    while (shape[i] && (shape[i] == 'd' ? isdigit((unsigned char)s[i]) != 0 : s[i] == '-'))
        i++;
    if (shape[i] || s[i])
        return false;
    const int month = 10 * (s[5] - '0') + s[6] - '0', day = 10 * (s[8] - '0') + s[9] - '0';
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* published "which document" "2026-11-20" */
static bool take_origin(Reader *r, DeviceNumber *n)
{
    Lexer *l = &r->lexer;
    for (size_t i = 0; i < ORIGINS && !n->origin; i++)
        if (lexer_take(l, origins[i]))
            n->origin = origins[i];
    if (!n->origin)
        return lexer_wrong(&r->lexer, "the origin of the number: published, measured or estimated");
    if (!(n->source = printable_string(r)))
        return lexer_wrong(&r->lexer, n->origin == origins[0] ? "the document, in quotes"
                                      : n->origin == origins[1]
                                          ? "how it was measured, in quotes"
                                          : "the basis of the estimate, in quotes");
    lexer_next(l);
    if (l->token.kind != TOKEN_STRING)
        return true;
    if (!is_date(l->token.text))
        return lexer_wrong(&r->lexer, "a date such as \"2026-11-20\"");
    n->date = l->token.text;
    lexer_next(l);
    return true;
}

static void store(DeviceSheet *s, const Field *f, double value)
{
    void *to = (char *)s + f->offset;
    if (f->type == FIELD_int)
        *(int *)to = (int)value;
    else if (f->type == FIELD_int64_t)
        *(int64_t *)to = (int64_t)value;
    else
        *(double *)to = value;
}

static bool check_value(Reader *r, const Field *f, Span at, double scale, double *value)
{
    *value *= scale;
    if (scale >= 1e3 && scale != 0x1p10) /* 898.048 GB/s is a whole number of bytes */
        *value = round(*value);
    if (*value > f->quantity->most || (*value == 0 && !(f->flags & ZERO)))
        return diag_error(r->diag, at, "%s is too %s", f->name, *value > 0 ? "large" : "small");
    if (f->type != FIELD_double && *value != floor(*value))
        return diag_error(r->diag, at, "%s must be a whole number", f->name);
    return true;
}

/* 281 +- 2 cycles */
static bool take_value(Reader *r, const Field *f, double *value)
{
    Lexer *l = &r->lexer;
    Span at = l->token.at;
    const char *unit;
    double error = 0, scale = 1;
    if (!lexer_take_number(&r->lexer, "a number", value))
        return false;
    if (lexer_take(l, "+") &&
        (!lexer_expect(l, "-", "in '+-' before the standard error") ||
         !lexer_take_number(&r->lexer, "the standard error, a number", &error)))
        return false;
    return take_scale(r, f, &unit, &scale) && check_value(r, f, at, scale, value);
}

static const Field *field_named(Reader *r, const char *name)
{
    const Field *f = NAME_FIND(fields, SHEET_NUMBERS, name, name);
    if (!f)
        diag_error(r->diag, r->lexer.token.at, "unknown number '%s'%s", name,
                   diag_meant(r->diag, NAME_LIKE(fields, SHEET_NUMBERS, name, name)));
    return f;
}

/* sms = 132 published "NVIDIA data sheet" */
static bool take_number(Reader *r)
{
    Lexer *l = &r->lexer;
    const Field *f = field_named(r, l->token.text);
    if (!f)
        return false;
    const size_t i = (size_t)(f - fields);
    const Span at = l->token.at;
    if (r->given[i].length) {
        diag_error(r->diag, at, "%s is given twice", f->name);
        diag_note(r->diag, r->given[i], "the first value");
        return false;
    }
    r->given[i] = at;
    lexer_next(l);
    if (!lexer_expect(l, "=", "before the number"))
        return false;
    const Span from = l->token.at;
    double value = 0;
    DeviceNumber n = {0};
    if (!take_value(r, f, &value))
        return false;
    n.text = arena_copy(r->arena, from.source->text + from.offset,
                        l->last.offset + l->last.length - from.offset);
    if (!take_origin(r, &n) || !lexer_end_line(l))
        return false;
    r->sheet->numbers[i] = n;
    store(r->sheet, f, value);
    return true;
}

/* --- tables: many devices described by one document ------------------------------------------- */

/* devices 8.6 (sms, clock MHz, memory GB) published "a data base" */
static bool take_columns(Reader *r)
{
    Lexer *l = &r->lexer;
    bool ok = end_section(r);
    r->table.count = 0;
    r->table.from = (DeviceNumber){0};
    lexer_next(l);
    if (!take_capability(r, &r->table.major, &r->table.minor) ||
        !lexer_expect(l, "(", "before the columns"))
        return false;
    size_t n = 0;
    do {
        const Field *f = field_named(r, l->token.text);
        if (!f)
            return false;
        for (size_t i = 0; i < n; i++)
            if (r->table.columns[i].field == f)
                return diag_error(r->diag, l->token.at, "%s has two columns", f->name);
        lexer_next(l);
        r->table.columns[n].field = f;
        if (!take_scale(r, f, &r->table.columns[n].unit, &r->table.columns[n].scale))
            return false;
        n++;
    } while (lexer_take(l, ","));
    if (!lexer_expect(l, ")", "after the columns") || !take_origin(r, &r->table.from) ||
        !lexer_end_line(l))
        return false;
    r->table.count = n;
    return ok;
}

/* "NVIDIA A2" "a2" 10 1770 16: name, further names, the columns; "-" for no value.  Numbers from other
 * documents follow on lines of their own. */
static bool take_row(Reader *r)
{
    Lexer *l = &r->lexer;
    const char *name = printable_string(r);
    Span at = l->token.at;
    if (!name || !r->table.count)
        return lexer_wrong(l, "the name of a number, such as 'clock'");
    bool ok = end_section(r);
    lexer_next(l);
    r->kind = DEVICE;
    if (!begin_sheet(r, name, at, r->table.major, r->table.minor,
                     capability_of(r->out, 10 * r->table.major + r->table.minor)) ||
        !take_names(r))
        return false;
    for (size_t i = 0; i < r->table.count; i++) {
        const Field *f = r->table.columns[i].field;
        DeviceNumber n = r->table.from;
        double value = 0;
        at = l->token.at;
        if (lexer_take(l, "-"))
            continue;
        const char *unit = r->table.columns[i].unit;
        n.text = arena_printf(r->arena, "%s%s%s", l->token.text, *unit ? " " : "", unit);
        if (!lexer_take_number(&r->lexer, f->name, &value) ||
            !check_value(r, f, at, r->table.columns[i].scale, &value))
            return false;
        r->given[f - fields] = at;
        r->sheet->numbers[f - fields] = n;
        store(r->sheet, f, value);
    }
    return lexer_end_line(l) && ok;
}

static bool take_statement(Reader *r)
{
    Lexer *l = &r->lexer;
    if (lexer_is(l, "device") || lexer_is(l, "capability") || lexer_is(l, "platform"))
        return begin_section(r);
    if (lexer_is(l, "devices"))
        return take_columns(r);
    if (l->token.kind == TOKEN_STRING)
        return take_row(r);
    if (l->token.kind != TOKEN_NAME)
        return lexer_wrong(&r->lexer, "the name of a number, such as 'clock'");
    if (!r->sheet)
        return diag_error(r->diag, l->token.at,
                          "no device yet: begin with a line such as: device \"My GPU\" 9.0");
    if (r->kind != CAPABILITY && lexer_take(l, "names"))
        return take_names(r) && lexer_end_line(l);
    return take_number(r);
}

bool sheets_read(const Source *s, DeviceSheets *out, Diag *d)
{
    const size_t before = d->errors; /* lexer_new may report a mistake */
    Reader r = {.lexer = lexer_new(out->arena, s, d), .arena = out->arena, .diag = d, .out = out};
    while (r.lexer.token.kind != TOKEN_END) {
        if (r.lexer.token.kind == TOKEN_NEWLINE)
            lexer_next(&r.lexer);
        else if (!take_statement(&r))
            lexer_skip_line(&r.lexer);
    }
    if (d->errors == before) /* a mistake would be reported again as missing numbers */
        end_section(&r);
    return d->errors == before;
}

/* --- one number ------------------------------------------------------------------------------- */

const char *sheet_number_name(size_t i)
{
    return i < SHEET_NUMBERS ? fields[i].name : NULL;
}

size_t sheet_number_named(const char *name)
{
    const Field *f = NAME_FIND(fields, SHEET_NUMBERS, name, name);
    return f ? (size_t)(f - fields) : SHEET_NUMBERS;
}

double sheet_number(const DeviceSheet *s, size_t i)
{
    if (!s->numbers[i].text)
        return NAN;
    const void *at = (const char *)s + fields[i].offset;
    switch (fields[i].type) {
    case FIELD_int:
        return *(const int *)at;
    case FIELD_int64_t:
        return (double)*(const int64_t *)at;
    default:
        return *(const double *)at;
    }
}

/* Decimals for five significant digits. */
static int decimals_of(double value)
{
    const double digits = value > 0 ? floor(log10(value)) : 0;
    return digits >= 4 ? 0 : digits < -4 ? 9 : (int)(4 - digits);
}

void sheet_set(Arena *a, DeviceSheet *s, size_t i, double value, double error, DeviceNumber from)
{
    const Field *f = &fields[i];
    const Unit unit = f->quantity->units[0];
    const double shown = value / unit.scale;
    Buf text = {0};
    buf_printf(&text, "%.*f", f->type == FIELD_double ? decimals_of(shown) : 0, shown);
    if (error > 0)
        buf_printf(&text, " +- %.2g", error / unit.scale);
    buf_printf(&text, "%s%s", *unit.name ? " " : "", unit.name);
    from.text = buf_keep(&text, a);
    s->numbers[i] = from;
    store(s, f, value);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void quoted(Buf *out, const char *text)
{
    buf_putc(out, ' ');
    value_print(value_string(text), out);
}

void sheet_write(const Device *d, Buf *out)
{
    buf_puts(out, d->major > 0 ? "device" : "platform");
    quoted(out, d->name);
    if (d->major > 0)
        buf_printf(out, " %d.%d", d->major, d->minor);
    buf_putc(out, '\n');
    for (size_t i = 0; i < SHEET_NUMBERS; i++) {
        const DeviceNumber *n = &d->sheet->numbers[i];
        if (!n->text)
            continue;
        buf_printf(out, "%-22s = %-19s %s", fields[i].name, n->text, n->origin);
        quoted(out, n->source);
        if (n->date)
            quoted(out, n->date);
        buf_putc(out, '\n');
    }
}

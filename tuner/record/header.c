#include "tuner/record/header.h"

#include "tuner/record/field.h"

/* The fields that hold one text. */
typedef struct TextField {
    size_t offset;
    const char *key;
    const char *words; /* in messages, if recordings that differ in it do not mix; else NULL */
    bool rare;         /* not written when it is "" */
} TextField;

static const TextField text_fields[] = {
    {offsetof(RecordHeader, space), "space", "space", false},
    {offsetof(RecordHeader, arch), "arch", "architecture", false},
    {offsetof(RecordHeader, device), "device", "device", false},
    {offsetof(RecordHeader, uuid), "uuid", NULL, false},
    {offsetof(RecordHeader, cache), "cache", "L2 cache", false},
    {offsetof(RecordHeader, driver), "driver", "driver", false},
    {offsetof(RecordHeader, nvrtc), "nvrtc", "NVRTC version", false},
    {offsetof(RecordHeader, objective), "objective", "objective", true},
    {offsetof(RecordHeader, source_hash), "source", NULL, false},
    {offsetof(RecordHeader, date), "date", NULL, false},
    {offsetof(RecordHeader, version), "version", NULL, false},
    {offsetof(RecordHeader, imported), "imported", "origin", true},
};
enum { TEXT_FIELDS = COUNT_OF(text_fields) };

static const Field list_fields[] = {
    FIELD_PAIRS(RecordHeader, "parameters", FIELD_IS_TEXT, parameters, parameter_count),
    FIELD_PAIRS(RecordHeader, "problem", FIELD_VALUE, problem, problem_count),
    FIELD_PAIRS(RecordHeader, "facts", FIELD_NUMBER, facts, fact_count),
    FIELD_LIST(RecordHeader, "options", FIELD_TEXT, FIELD_ALWAYS, options, option_count),
};

static const char **text_at(RecordHeader *h, const TextField *f)
{
    return (const char **)(void *)((char *)h + f->offset);
}

static const char *text_of(const RecordHeader *h, const TextField *f)
{
    const char *text;
    memcpy(&text, (const char *)h + f->offset, sizeof text);
    return text ? text : "";
}

void record_header_write(const RecordHeader *h, Buf *line)
{
    EACH (const TextField, f, text_fields, TEXT_FIELDS)
        if (*text_of(h, f) || !f->rare)
            line_field(line, f->key, text_of(h, f));
    fields_write(line, FIELDS(list_fields), h);
}

bool record_header_parse(Arena *a, const RecordLine *line, RecordHeader *h, Diag *d)
{
    *h = (RecordHeader){0};
    FieldReader r;
    field_open(&r, a, line, d);
    EACH (const TextField, f, text_fields, TEXT_FIELDS) {
        const bool required = f->offset == offsetof(RecordHeader, space);
        const Field field = {
            .key = f->key, .when = required ? FIELD_ALWAYS : FIELD_IF_ANY, .at = f->offset};
        fields_read(&r, &field, 1, h);
        if (!*text_at(h, f))
            *text_at(h, f) = "";
    }
    fields_read(&r, FIELDS(list_fields), h);
    return field_close(&r);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* The text to compare: recordings that do not state the L2 state used a warm cache. */
static const char *meaning_of(const RecordHeader *h, const TextField *f)
{
    const char *text = text_of(h, f);
    return f->offset == offsetof(RecordHeader, cache) && !text[0] ? "warm" : text;
}

static bool same_texts(const RecordHeader *a, const RecordHeader *b, Buf *why)
{
    EACH (const TextField, f, text_fields, TEXT_FIELDS) {
        const char *p = meaning_of(a, f), *q = meaning_of(b, f);
        if (f->words && strcmp(p, q) != 0) {
            buf_printf(why, "its %s is '%s', not '%s'", f->words, p, q);
            return false;
        }
    }
    return true;
}

static const char *parameters_text(Arena *a, const RecordHeader *h)
{
    Buf b = {0};
    for (size_t i = 0; i < h->parameter_count; i++)
        buf_printf(&b, "%s%s%s", i > 0 ? "," : "", h->parameters[i].name,
                   h->parameters[i].is_text ? ":text" : "");
    return buf_keep(&b, a);
}

static const char *options_text(Arena *a, const RecordHeader *h)
{
    Buf b = {0};
    for (size_t i = 0; i < h->option_count; i++)
        buf_printf(&b, "%s%s", i > 0 ? " " : "", h->options[i]);
    return buf_keep(&b, a);
}

static bool same_text(const char *what, const char *p, const char *q, Buf *why)
{
    if (strcmp(p, q) == 0)
        return true;
    buf_printf(why, "its %s are '%s', not '%s'", what, p, q);
    return false;
}

bool record_header_same(const RecordHeader *a, const RecordHeader *b, Buf *why)
{
    SCOPED_ARENA *scratch = arena_new();
    return same_texts(a, b, why) &&
           same_text("parameters", parameters_text(scratch, a), parameters_text(scratch, b), why) &&
           same_text("problem sizes", record_problem_text(scratch, a),
                     record_problem_text(scratch, b), why) &&
           same_text("compiler options", options_text(scratch, a), options_text(scratch, b), why);
}

/* --- keys ------------------------------------------------------------------------------------- */

/* True if the text begins with a letter and has no characters that are special in a key. */
static bool is_plain(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.+-";
    return text[0] && strchr(letters, text[0]) && strspn(text, more) == strlen(text);
}

static void key_add(Buf *b, const char *name, Value v)
{
    if (b->size > 0)
        buf_putc(b, ',');
    buf_puts(b, name);
    buf_putc(b, '=');
    if (v.kind == VALUE_STRING && is_plain(v.string))
        buf_puts(b, v.string);
    else
        line_value(b, v);
}

const char *record_key(Arena *a, const RecordHeader *h, const Value *values)
{
    Buf b = {0};
    for (size_t i = 0; i < h->parameter_count; i++)
        key_add(&b, h->parameters[i].name, values[i]);
    return buf_keep(&b, a);
}

const char *record_problem_text(Arena *a, const RecordHeader *h)
{
    Buf b = {0};
    for (size_t i = 0; i < h->problem_count; i++)
        key_add(&b, h->problem[i].name, h->problem[i].value);
    return buf_keep(&b, a);
}

bool record_is_by_energy(const RecordHeader *h)
{
    return h->objective && strcmp(h->objective, RECORD_ENERGY) == 0;
}

bool record_is_weighed(const RecordHeader *h)
{
    return h->objective && h->objective[0] && !record_is_by_energy(h);
}

/* --- the device's numbers as facts, and back -------------------------------------------------- */

const RecordFact *record_device_facts(Arena *a, const Device *d, size_t *count)
{
    VEC(RecordFact) facts = {0};
#define DERIVED(type, member, meaning)                                                             \
    VEC_PUSH(a, &facts, ((RecordFact){#member, (double)d->member}));
#define DEVICE(type, member, name, quantity, flags, meaning) DERIVED(type, member, meaning)
    DERIVED(int, major, "")
    DERIVED(int, minor, "")
#include "metrics/metric/device.def"
    *count = facts.count;
    return facts.at;
}

const Device *record_device(Arena *a, const RecordHeader *h)
{
    const Device *named = device_find(h->arch), *usual = device_usual();
    const Device *known = named ? device_like(h->device, device_arch(named)) : NULL;
    Device *d = ARENA_NEW(a, Device);
    if (known) {
        *d = *known;
    } else { /* newer than the table: these limits have not changed since capability 3.0 */
        memcpy(d->block_limit, usual->block_limit, sizeof d->block_limit);
        memcpy(d->grid_limit, usual->grid_limit, sizeof d->grid_limit);
    }
    d->name = h->device;
    EACH (const RecordFact, f, h->facts, h->fact_count) {
#define DERIVED(type, member, meaning)                                                             \
    if (strcmp(f->name, #member) == 0)                                                             \
        d->member = (type)f->value;
#define DEVICE(type, member, name, quantity, flags, meaning) DERIVED(type, member, meaning)
        DERIVED(int, major, "")
        DERIVED(int, minor, "")
#include "metrics/metric/device.def"
    }
    return d;
}

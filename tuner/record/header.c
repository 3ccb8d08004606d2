#include "tuner/record/field.h"

#define TEXT(word, whenever, member) FIELD(RecordHeader, word, FIELD_TEXT, whenever, member)

static const Field fields[] = {
    TEXT("space", FIELD_ALWAYS, space),
    TEXT("arch", FIELD_OR_EMPTY, arch),
    TEXT("device", FIELD_OR_EMPTY, device),
    TEXT("uuid", FIELD_OR_EMPTY, uuid),
    TEXT("cache", FIELD_OR_EMPTY, cache),
    TEXT("driver", FIELD_OR_EMPTY, driver),
    TEXT("nvrtc", FIELD_OR_EMPTY, nvrtc),
    TEXT("objective", FIELD_IF_FULL, objective),
    TEXT("source", FIELD_OR_EMPTY, source_hash),
    TEXT("date", FIELD_OR_EMPTY, date),
    TEXT("version", FIELD_OR_EMPTY, version),
    TEXT("imported", FIELD_IF_FULL, imported),
    FIELD_PAIRS(RecordHeader, "parameters", FIELD_IS_TEXT, parameters, parameter_count),
    FIELD_PAIRS(RecordHeader, "problem", FIELD_VALUE, problem, problem_count),
    FIELD_PAIRS(RecordHeader, "facts", FIELD_NUMBER, facts, fact_count),
    FIELD_LIST(RecordHeader, "options", FIELD_TEXT, FIELD_ALWAYS, options, option_count),
};

void record_header_write(const RecordHeader *h, Buf *line)
{
    fields_write(line, FIELDS(fields), h);
}

void record_header_take(FieldReader *r, RecordHeader *h)
{
    fields_read(r, FIELDS(fields), h);
}

bool record_read(Arena *a, const char *path, const RecordKind *kind, void *to, RecordEnd *end,
                 Diag *d)
{
    RecordReader *reader = record_reader_open(path, kind->name, d);
    RecordLine line;
    bool ok = reader && record_reader_next(reader, &line) && line.number == 1 &&
              field_line(a, &line, kind->header, to, d);
    for (const bool header = ok; header && record_reader_next(reader, &line);)
        ok = (!kind->line || field_line(a, &line, kind->line, to, d)) && ok;
    const RecordEnd file = record_reader_close(reader);
    if (end)
        *end = file;
    return ok && file.ok;
}

/* --- comparing -------------------------------------------------------------------------------- */

/* The texts in which recordings must agree to mix. */
static const struct {
    size_t at;
    const char *words;
} compared[] = {
    {offsetof(RecordHeader, space), "space"},
    {offsetof(RecordHeader, arch), "architecture"},
    {offsetof(RecordHeader, device), "device"},
    {offsetof(RecordHeader, cache), "L2 cache"},
    {offsetof(RecordHeader, driver), "driver"},
    {offsetof(RecordHeader, nvrtc), "NVRTC version"},
    {offsetof(RecordHeader, objective), "objective"},
    {offsetof(RecordHeader, imported), "origin"},
};

bool record_text_same(const char *what, const char *have, const char *want, Buf *why)
{
    have = have ? have : "";
    want = want ? want : "";
    const bool same = strcmp(have, want) == 0;
    if (!same)
        buf_printf(why, "%sits %s is '%s', not '%s'", why->size > 0 ? "; " : "", what, have, want);
    return same;
}

/* The text to compare: recordings that do not state the L2 state used a warm cache. */
static const char *meaning_of(const RecordHeader *h, size_t at)
{
    const char *text;
    memcpy(&text, (const char *)h + at, sizeof text);
    return at == offsetof(RecordHeader, cache) && (!text || !*text) ? "warm" : text;
}

static bool same_texts(const RecordHeader *a, const RecordHeader *b, Buf *why)
{
    bool same = true;
    for (size_t i = 0; i < COUNT_OF(compared) && same; i++)
        same = record_text_same(compared[i].words, meaning_of(a, compared[i].at),
                                meaning_of(b, compared[i].at), why);
    return same;
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

#include "tuner/output/import.h"

#include "metrics/base/file.h"
#include "tuner/run/run_parts.h"

#include <zlib.h>

const char *import_text(Arena *a, const char *path, size_t most, size_t *size, Diag *d)
{
    uint64_t bytes;
    int fd = file_open(path, &bytes, d), n = 0, code = Z_OK;
    gzFile file = fd >= 0 ? gzdopen(fd, "rb") : NULL; /* also reads plain files */
    SCOPED_BUF whole = {0};
    char part[1 << 16];
    while (file && whole.size <= most && (n = gzread(file, part, sizeof part)) > 0)
        buf_add(&whole, part, (size_t)n);
    const char *why = file ? gzerror(file, &code) : "", *said = strstr(why, ">: ");
    if (fd >= 0 && !file)
        diag_fail(d, "'%s' cannot be read: no memory", path);
    else if (whole.size > most)
        diag_fail(d, "'%s', unpacked, has more than the %zu bytes that can be read", path, most);
    else if (code != Z_OK)
        diag_fail(d, "'%s' cannot be unpacked: %s", path,
                  code == Z_BUF_ERROR ? "it ends early"
                  : said              ? said + strlen(">: ") /* skips "<fd:3>: " */
                                      : why);
    *size = whole.size;
    const char *text = file && whole.size <= most && code == Z_OK
                           ? arena_copy(a, buf_text(&whole), whole.size)
                           : NULL;
    if (file)
        gzclose(file);
    else if (fd >= 0)
        close(fd);
    return text;
}

ForeignTable *import_read(Arena *a, const ImportOptions *o, Diag *d)
{
    size_t size;
    const char *text = import_text(a, o->from, 1 << 30, &size, d);
    if (text && size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    return text ? foreign_read(a, o->from, text, size, o->unit, &o->progress, d) : NULL;
}

/* --- parameters ------------------------------------------------------------------------------- */

/* True for an integer in canonical form: "007" stays a text. */
static bool text_as_int(const char *text, int64_t *out)
{
    char back[32], *end;
    if (!*text || strlen(text) > 20 || text[strspn(text, "0123456789-")] != '\0')
        return false;
    *out = strtoll(text, &end, 10);
    snprintf(back, sizeof back, "%lld", (long long)*out);
    return *end == '\0' && strcmp(back, text) == 0;
}

/* The types that all values of a column have. */
enum { CAN_BE_INT = 1, CAN_BE_REAL = 2 };

static int column_can(const ForeignTable *t, size_t p)
{
    int can = CAN_BE_INT | CAN_BE_REAL;
    for (size_t i = 0; i < t->rows.count && can; i++) {
        const Value *v = &t->rows.at[i].values[p];
        int64_t whole;
        double real;
        if (v->kind == VALUE_REAL)
            can &= ~CAN_BE_INT;
        if (v->kind != VALUE_STRING)
            continue;
        if (!text_as_int(v->string, &whole))
            can &= ~CAN_BE_INT;
        if (!foreign_text_as_real(v->string, &real))
            can &= ~CAN_BE_REAL;
    }
    return can;
}

RecordParameter *import_parameters(ForeignTable *t)
{
    size_t n = t->names.count;
    RecordParameter *parameters = ARENA_ARRAY(t->arena, RecordParameter, n);
    for (size_t p = 0; p < n; p++) {
        const int can = column_can(t, p);
        VEC_EACH (ForeignRow, row, t->rows) {
            Value *v = &row->values[p];
            int64_t whole;
            double real;
            if (v->kind != VALUE_STRING || !can)
                continue;
            t->anomalies[ANOMALY_TEXT_VALUE]++;
            if ((can & CAN_BE_INT) && text_as_int(v->string, &whole))
                *v = value_int(whole);
            else if (foreign_text_as_real(v->string, &real))
                *v = value_real(real);
        }
        parameters[p] = (RecordParameter){t->names.at[p], !(can & CAN_BE_INT)};
    }
    return parameters;
}

/* Prints reals like a spec, so that configurations match. */
const Value *import_values(Arena *a, const RecordParameter *p, size_t count, const Value *values)
{
    Value *out = ARENA_ARRAY(a, Value, count);
    for (size_t i = 0; i < count; i++) {
        const bool as_text = p[i].is_text && values[i].kind != VALUE_STRING;
        out[i] = as_text ? value_string(value_text(a, values[i])) : values[i];
    }
    return out;
}

/* --- the header ------------------------------------------------------------------------------- */

static bool make_header(Arena *a, const ForeignTable *t, const ImportOptions *o, RecordHeader *h,
                        Diag *d)
{
    const char *name = o->device ? o->device : t->device;
    const Device *known = name ? device_find(name) : NULL;
    const Device *by_arch = o->arch ? device_find(o->arch) : NULL;
    if (!known || (by_arch && device_arch(known) != device_arch(by_arch)))
        known = by_arch;
    if (o->arch && !by_arch)
        return diag_fail(d, "unknown architecture '%s'; `aptune devices` lists those known",
                         o->arch);
    *h = (RecordHeader){
        .space = o->space    ? o->space
                 : t->kernel ? t->kernel
                             : path_stem(a, path_stem(a, o->from, ".gz"), ".json"),
        .device = name ? name : "device not named",
        .date = t->date,
        .version = APTUNE_VERSION,
        .imported = arena_printf(a, "imported from %s (%s)", path_stem(a, o->from, ""), t->format)};
    if (!known)
        diag_warn(d, (Span){0},
                  "the architecture of '%s' is unknown, and carving needs it: --arch sm_XX",
                  h->device);
    if (known) {
        h->arch = arena_printf(a, "sm_%d", device_arch(known));
        h->facts = record_device_facts(a, known, &h->fact_count);
    }
    return true;
}

/* --- rows and notes --------------------------------------------------------------------------- */

static void count_repeated(ForeignTable *t, const RecordHeader *h, const Value *const *values)
{
    size_t n = t->rows.count;
    const char **keys = ARENA_ARRAY(t->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = record_key(t->arena, h, values[i]);
    Map index = map_of_texts(t->arena, keys, n);
    for (size_t i = 0; i < n; i++) {
        if (map_number(&index, keys[i]) == i)
            continue;
        if (t->anomalies[ANOMALY_TWICE]++ == 0)
            t->first[ANOMALY_TWICE] = keys[i];
    }
}

static bool write_notes(const ForeignTable *t, const RecordHeader *h, TimesWriter *w, Diag *d)
{
    SCOPED_BUF notes = {0};
    buf_printf(&notes, "%s: not measured by aptune; problem size %s, objective %s\n", h->imported,
               t->problem ? t->problem : "not said", t->objective ? t->objective : "not said");
    foreign_print_anomalies(t, "", &notes);
    bool ok = true;
    char *rest = NULL, *text = arena_string(t->arena, buf_text(&notes));
    for (char *line = strtok_r(text, "\n", &rest); line && ok; line = strtok_r(NULL, "\n", &rest))
        ok = times_append_note(w, line, d);
    return ok;
}

static bool write_rows(const ForeignTable *t, const Value *const *values, TimesWriter *w, Diag *d)
{
    bool ok = true;
    for (size_t i = 0; i < t->rows.count && ok; i++) {
        const ForeignRow *f = &t->rows.at[i];
        ok = times_append(w,
                          &(RecordRow){.values = values[i],
                                       .status = f->status,
                                       .message = f->message,
                                       .times_ms = f->times,
                                       .time_count = f->time_count,
                                       .max_error = NAN},
                          d);
    }
    return ok;
}

bool import_write(ForeignTable *t, const ImportOptions *o, const char *path, Diag *d)
{
    Arena *a = t->arena;
    RecordHeader h;
    if (file_exists(path))
        return diag_fail(d, "'%s' already exists", path);
    if (!make_header(a, t, o, &h, d))
        return false;
    h.parameters = import_parameters(t);
    h.parameter_count = t->names.count;
    const Value **values = ARENA_ARRAY(a, const Value *, t->rows.count);
    for (size_t i = 0; i < t->rows.count; i++)
        values[i] = import_values(a, h.parameters, h.parameter_count, t->rows.at[i].values);
    count_repeated(t, &h, values);
    TimesRecording *none; /* the file is new */
    TimesWriter *w = times_open_append(a, path, &h, &none, d);
    bool ok = w && write_notes(t, &h, w, d) && write_rows(t, values, w, d);
    ok = times_close(w, d) && ok;
    if (w && !ok)
        unlink(path);
    return ok;
}

void import_print(const ForeignTable *t, Buf *out)
{
    size_t ok = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        ok += t->rows.at[i].status == OUTCOME_OK;
    buf_printf(out, "%-10s %s: %zu rows read, %zu with times, %zu failed, %zu left out\n",
               "imported", t->format, t->read, ok, t->rows.count - ok, t->read - t->rows.count);
    buf_printf(out, "%-10s %s; kernel %s; problem size %s\n", "",
               t->device ? t->device : "device not named", t->kernel ? t->kernel : "not named",
               t->problem ? t->problem : "not said");
    buf_printf(out,
               "%-10s a row's time is the median of its times; most tuners choose their winner by "
               "the mean\n",
               "");
    foreign_print_anomalies(t, "           ", out);
}

/* --- code and profiles for an imported recording ---------------------------------------------- */

/* The header of the import, with what compiling adds. */
static RecordHeader attached_header(Run *r)
{
    const RecordHeader *imported = &r->recorded.times->header;
    RecordHeader ours = run_record_header(r), h = *imported;
    h.problem = ours.problem;
    h.problem_count = ours.problem_count;
    h.nvrtc = ours.nvrtc;
    h.options = ours.options;
    h.option_count = ours.option_count;
    h.objective = ours.objective;
    h.source_hash = ours.source_hash;
    h.imported = arena_printf(r->arena, "%s; matched with %s by parameter values", h.imported,
                              r->spec->name);
    return h;
}

/* The configuration of each row; SIZE_MAX: none. */
static size_t *configs_of_rows(const Run *r, ImportMatch *match)
{
    const TimesRecording *t = r->recorded.times;
    size_t *config = ARENA_ARRAY(r->arena, size_t, t->rows.count);
    for (size_t k = 0; k < t->rows.count; k++)
        config[k] = SIZE_MAX;
    for (size_t i = 0; i < r->table->count; i++) {
        const RecordRow *row = run_recorded_row(r, t, i);
        match->both += row != NULL;
        match->only_space += row == NULL;
        if (row)
            config[row - t->rows.at] = i;
    }
    for (size_t k = 0; k < t->rows.count; k++)
        match->only_rows +=
            config[k] == SIZE_MAX && times_find(t, t->rows.at[k].key) == &t->rows.at[k];
    return config;
}

/* Compiles the configurations of the rows; false after a message, also if no row matches. */
static bool compile_rows(Run *r, const size_t *config, const ImportMatch *match)
{
    const TimesRecording *t = r->recorded.times;
    size_t *timed = ARENA_ARRAY(r->arena, size_t, t->rows.count), count = 0;
    if (match->both == 0)
        return diag_fail(r->diag, "no row of '%s' matches a configuration of '%s'", t->path,
                         r->spec->name);
    if (run_objective(r->spec) && match->only_rows > 0)
        return diag_fail(
            r->diag,
            "%zu rows of '%s' match no configuration of '%s', so their work is not known, but the "
            "objective is %s",
            match->only_rows, t->path, r->spec->name, t->header.objective);
    for (size_t k = 0; k < t->rows.count; k++)
        if (config[k] != SIZE_MAX)
            timed[count++] = config[k];
    return run_compile_these(r, timed, count);
}

static bool write_times(Run *r, const RecordHeader *h, const char *path, const size_t *config)
{
    const TimesRecording *t = r->recorded.times;
    TimesRecording *none; /* the file is new */
    TimesWriter *w = times_open_append(r->arena, path, h, &none, r->diag);
    bool ok = w != NULL;
    for (size_t i = 0; i < t->notes.count && ok; i++)
        ok = times_append_note(w, t->notes.at[i].text, r->diag);
    for (size_t k = 0; k < t->rows.count && ok; k++) {
        RecordRow row = t->rows.at[k];
        if (config[k] != SIZE_MAX && table_has_code(r->table, config[k])) {
            row.code = r->table->code[config[k]].hash;
            row.launch = r->table->code[config[k]].launch;
        }
        if (config[k] != SIZE_MAX && run_objective(r->spec))
            row.work = run_work(r, config[k], run_objective(r->spec));
        ok = times_append(w, &row, r->diag);
    }
    return times_close(w, r->diag) && ok;
}

bool import_attach(Run *r, const char *path, ImportMatch *match)
{
    *match = (ImportMatch){0};
    const char *profile = record_profile_path(r->arena, path);
    if (!profile)
        return diag_fail(r->diag, "'%s' does not end in .times", path);
    const size_t *config = configs_of_rows(r, match);
    if (!compile_rows(r, config, match))
        return false;
    RecordHeader h = attached_header(r);
    if (!write_times(r, &h, path, config) || !run_write_profiles(r, &h))
        return false;
    const char *made = arena_printf(r->arena, "%s/%s.profile", r->options.output, r->spec->name);
    if (strcmp(made, profile) != 0 && rename(made, profile) != 0)
        return diag_fail(r->diag, "cannot write '%s'", profile);
    return true;
}

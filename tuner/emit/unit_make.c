#include "tuner/emit/unit_make.h"

#include "metrics/base/file.h"

/* --- the problem numbers that code depends on ------------------------------------------------- */

static bool text_uses_any(const bool *slots, const Text *t)
{
    for (size_t i = 0; i < t->piece_count; i++)
        if (expr_uses_any(t->pieces[i].value, slots))
            return true;
    return false;
}

/* False for an option that the configuration gets at no size.  One whose condition cannot be evaluated
 * counts. */
static bool option_counts(Arena *a, const CompileOption *o, const Value *slots)
{
    Evaluation ev = {.arena = a};
    Value v;
    return !expr_eval(o->condition, slots, &ev, &v) || value_as_real(v) != 0;
}

/* True if the code of a configuration depends on a number of the problem: through options, names of kernels
 * or commands; macros hold parameters only.  Texts that are equal for two sizes may differ for a third, so
 * what counts is the names in their expressions. */
static bool code_uses_name(const Spec *s, size_t name, const Value *slots)
{
    SCOPED_ARENA *a = arena_new();
    bool *uses = ARENA_ARRAY(a, bool, spec_slot_count(s)), found = false;
    uses[name] = true;
    for (size_t i = 0; i < s->derived_count; i++)
        uses[spec_derived_slot(s, i)] = expr_uses_any(s->derived[i].value, uses);
    EACH (const CompileOption, o, s->option_parts, s->option_count)
        found = found || expr_uses_any(o->condition, uses) ||
                (text_uses_any(uses, &o->text) && (!o->condition || option_counts(a, o, slots)));
    EACH (const Launch, l, s->launches, s->launch_count)
        found = found || text_uses_any(uses, &l->name) || text_uses_any(uses, &l->command_text);
    return found;
}

const bool *unit_fixed_names(Arena *a, const Spec *s, const Value *slots)
{
    bool *fixed = ARENA_ARRAY(a, bool, s->problem_name_count + 1);
    for (size_t n = 0; n < s->problem_name_count; n++)
        fixed[n] = code_uses_name(s, n, slots);
    return fixed;
}

/* Compares the first `count` values, only those for which `matters` is set (NULL: all). */
static bool same_values(const Value *x, const Value *y, size_t count, const bool *matters)
{
    for (size_t n = 0; n < count; n++)
        if ((!matters || matters[n]) && !value_equal(x[n], y[n]))
            return false;
    return true;
}

/* --- claims ----------------------------------------------------------------------------------- */

UnitMaker *unit_begin(Arena *a, const EmitOptions *o, Diag *d)
{
    return ARENA_COPY(a, UnitMaker, {.arena = a, .options = *o, .diag = d});
}

static const char *how(Arena *a, const Run *r, size_t row, const RecordHeader *h)
{
    const Table *t = r->table;
    Buf b = {0};
    if (h->imported && h->imported[0]) {
        buf_printf(&b, "time of %s; not verified by aptune", h->imported);
    } else {
        buf_printf(&b, "median of %zu launches, L2 %s; %s", t->times[row].count,
                   h->cache && strcmp(h->cache, "warm") != 0 && h->cache[0] ? "cold" : "warm",
                   spec_is_verified(r->spec) ? "verified against the reference"
                                             : "not verified: the spec has no reference");
        if (r->final.rounds > 0 && row == r->best)
            buf_printf(&b, "; best of %zu in a final of %d rounds", r->final.count,
                       r->final.rounds);
    }
    return buf_keep(&b, a);
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static Claim claim_of(Arena *a, Run *r, size_t row)
{
    bool replayed = r->source == RUN_REPLAYED;
    RecordHeader h = replayed ? r->recorded.times->header : run_record_header(r);
    Claim c = {.run = r, .config = row, .recorded_as = replayed ? r->recorded.path : NULL};
    c.entry = (EmitEntry){
        .problem = r->spec->problems[r->space.problem].values,
        .device = h.device && h.device[0] ? h.device : r->device->name,
        .arch = device_arch(r->device),
        .time_ms = r->table->times[row].median,
        .regret = row == r->best ? 1 / r->recorded.relative - 1 : NAN,
        .recording = replayed ? path_stem(a, r->recorded.path, "")
                              : arena_printf(a, "%s.times", r->spec->name),
        .recorded = text_of(h.date),
        .driver = text_of(h.driver),
        .compiler = text_of(h.nvrtc),
        .version = text_of(h.version),
        .how = how(a, r, row, &h),
    };
    return c;
}

/* An earlier claim of the same device and problem; NULL: there is none. */
static Claim *earlier_claim(const UnitMaker *m, const Claim *c)
{
    VEC_EACH (Claim, x, m->claims)
        if (x->general == c->general && strcmp(x->entry.device, c->entry.device) == 0 &&
            x->entry.arch == c->entry.arch &&
            same_values(x->entry.problem, c->entry.problem, c->run->spec->problem_name_count, NULL))
            return x;
    return NULL;
}

/* Keeps the newer of two claims.  Dates sort as text. */
static void keep_newer(UnitMaker *m, Claim *old, const Claim *new)
{
    bool wins = strcmp(new->entry.recorded, old->entry.recorded) >= 0;
    const char *x = table_name(m->arena, old->run->table, old->config);
    const char *y = table_name(m->arena, new->run->table, new->config);
    if (strcmp(x, y) != 0)
        diag_warn(m->diag, (Span){0},
                  "'%s' and '%s' are of the same device and problem, but have different winners, "
                  "'%s' and '%s': the newer recording, '%s', counts",
                  old->entry.recording, new->entry.recording, x, y,
                  wins ? new->entry.recording : old->entry.recording);
    if (wins)
        *old = *new;
}

static void add_claim(UnitMaker *m, const Claim *c)
{
    Claim *earlier = earlier_claim(m, c);
    if (earlier)
        keep_newer(m, earlier, c);
    else
        VEC_PUSH(m->arena, &m->claims, *c);
}

static size_t count_fixed(const Run *r, size_t row)
{
    SCOPED_ARENA *a = arena_new();
    const bool *fixed = unit_fixed_names(a, r->spec, run_slots(a, r, row));
    size_t count = 0;
    for (size_t n = 0; n < r->spec->problem_name_count; n++)
        count += fixed[n];
    return count;
}

/* The fastest configuration among those that serve the most sizes, having code that depends on the fewest
 * numbers of the problem.  SIZE_MAX: none serves more than the winner. */
static size_t general_row(const Run *r)
{
    const Table *t = r->table;
    const size_t of_winner = count_fixed(r, r->best);
    size_t best = SIZE_MAX, least = of_winner;
    for (size_t i = 0; i < t->count && of_winner > 0; i++) {
        const size_t count = isnan(t->times[i].median) ? SIZE_MAX : count_fixed(r, i);
        if (count < least ||
            (count == least && best != SIZE_MAX && t->times[i].median < t->times[best].median)) {
            best = i;
            least = count;
        }
    }
    return best;
}

bool unit_add_run(UnitMaker *m, Run *r)
{
    if (r->best == SIZE_MAX)
        return diag_fail(m->diag, "there is no winner to emit");
    VEC_PUSH(m->arena, &m->runs, r);
    const Claim winner = claim_of(m->arena, r, r->best);
    add_claim(m, &winner);
    const size_t row = general_row(r);
    if (row != SIZE_MAX) {
        Claim general = claim_of(m->arena, r, row);
        general.general = true;
        add_claim(m, &general);
    }
    return true;
}

/* --- recordings ------------------------------------------------------------------------------- */

/* The problem of a recording.  Other tuners do not record it; it is then the only one of the spec. */
static bool take_problem(const Spec *s, const RecordHeader *h, const char *path, Run *r)
{
    bool unnamed = h->problem_count == 0 && h->imported[0];
    r->options.problem_text =
        unnamed || h->problem_count == 0 ? NULL : record_problem_text(r->arena, h);
    return !unnamed || s->problem_count == 1 ||
           diag_fail(r->diag, "'%s' does not say which of the spec's problems it is of", path);
}

/* Warnings about the spec come from the first run only, since all runs read the same one. */
static void pass_messages(UnitMaker *m, const Diag *from, bool first)
{
    VEC_EACH (const DiagMessage, x, from->messages)
        if (x->kind == DIAG_ERROR)
            diag_error(m->diag, x->at, "%s", x->text);
        else if (first && x->kind == DIAG_WARNING)
            diag_warn(m->diag, x->at, "%s", x->text);
        else if (x->kind == DIAG_NOTE && (first || from->errors > 0))
            diag_note(m->diag, x->at, "%s", x->text);
}

static bool open_recording(UnitMaker *m, Run *r, const char *path)
{
    RecordHeader h;
    if (!record_header_read(m->arena, path, &h, r->diag))
        return false;
    Spec *s = spec_read(m->arena, r->options.space, r->diag);
    if (!s)
        return false;
    if (strcmp(h.space, s->name) != 0)
        return diag_fail(r->diag, "'%s' is a recording of the space '%s', not of '%s'", path,
                         h.space, s->name);
    r->options.recording = path;
    r->options.no_gpu = r->options.some = true;
    if (!take_problem(s, &h, path, r))
        return false;
    /* run_open reads the spec again and would repeat its messages. */
    *r->diag = diag_new(m->arena);
    return run_open(r) && run_take_winner(r);
}

bool unit_add_recording(UnitMaker *m, const Run *like, const char *path)
{
    Run *r = ARENA_NEW(m->arena, Run);
    Diag *d = ARENA_NEW(m->arena, Diag);
    *r = *like;
    *d = diag_new(m->arena);
    r->arena = m->arena;
    r->diag = d;
    bool ok = open_recording(m, r, path);
    pass_messages(m, d, m->runs.count == 0);
    r->diag = m->diag;
    VEC_PUSH(m->arena, &m->own, r);
    return ok && unit_add_run(m, r);
}

void unit_end(UnitMaker *m)
{
    for (size_t i = 0; m && i < m->own.count; i++)
        run_close(m->own.at[i]);
}

/* The recordings of the spec's space, see unit_add_recordings.  False after a message, also if there are
 * none. */
static bool find_recordings(UnitMaker *m, const Run *like, Texts *found)
{
    Arena *a = m->arena;
    const char *spec = like->options.space, *folder = like->options.recordings;
    size_t all = 0;
    if (!file_exists(spec))
        return diag_fail(m->diag, "there is no file '%s'", spec);
    if (!folder)
        folder = path_join(a, path_folder(a, spec), "recordings");
    if (!file_exists(folder))
        return diag_fail(
            m->diag, "no recording is named, and there is no folder '%s' to find one in", folder);
    const RecordHeader want = {.space = path_stem(a, spec, ".spec")};
    RecordMatch *matches = record_find(a, folder, &want, &all, m->diag);
    for (size_t i = 0; i < all; i++) {
        if (matches[i].fit == FIT_EXACT) /* no device or problem was asked for */
            VEC_PUSH(a, found, matches[i].path);
        else if (!matches[i].header.space)
            diag_warn(m->diag, (Span){0}, "left out: %s", matches[i].why);
    }
    if (matches && found->count == 0)
        diag_fail(m->diag, "there is no recording of the space '%s' in '%s'", want.space, folder);
    return found->count > 0;
}

bool unit_add_recordings(UnitMaker *m, const Run *like, Texts paths)
{
    bool ok = paths.count > 0 || find_recordings(m, like, &paths);
    for (size_t i = 0; i < paths.count && ok; i++)
        ok = unit_add_recording(m, like, paths.at[i]);
    return ok;
}

/* --- the table -------------------------------------------------------------------------------- */

static const char *filled(Arena *a, const Text *t, const Value *slots)
{
    Evaluation ev = {.arena = a};
    const char *text = spec_text_fill(t, slots, &ev);
    return text ? text : "";
}

static bool same_text(Arena *a, const Text *x, const Text *y, const Value *slots)
{
    return strcmp(filled(a, x, slots), filled(a, y, slots)) == 0;
}

/* True if two launches of a configuration have the same source and the same name expression. */
static bool same_code(Arena *a, const Launch *x, const Launch *y, const Value *slots)
{
    if (x->command != y->command || x->expression != y->expression || strcmp(x->path, y->path) != 0)
        return false;
    return (!x->command || same_text(a, &x->command_text, &y->command_text, slots)) &&
           (!x->expression || same_text(a, &x->name, &y->name, slots));
}

static void outline_codes(UnitMaker *m, EmitVariant *v)
{
    const Spec *s = m->unit->spec;
    v->codes = ARENA_ARRAY(m->arena, EmitCode, s->launch_count);
    for (size_t l = 0; l < s->launch_count; l++) {
        size_t k = 0;
        while (k < l && !same_code(m->arena, &s->launches[k], &s->launches[l], v->slots))
            k++;
        v->codes[l] = (EmitCode){.shares = k, .kernel = "", .options = "", .source = ""};
    }
}

/* The variant of a claim, made unless there is one already. */
static size_t variant_of(UnitMaker *m, size_t claim)
{
    EmitUnit *u = m->unit;
    const Claim *c = &m->claims.at[claim];
    const Value *slots = run_slots(m->arena, c->run, c->config);
    const bool *fixed = unit_fixed_names(m->arena, u->spec, slots);
    const size_t first = spec_parameter_slot(u->spec, 0);
    for (size_t v = 0; v < u->variant_count; v++)
        if (u->variants[v].arch == c->entry.arch &&
            same_values(u->variants[v].slots + first, slots + first, u->spec->parameter_count,
                        NULL) &&
            same_values(u->variants[v].slots, slots, u->spec->problem_name_count, fixed))
            return v;
    EmitVariant *v = &u->variants[u->variant_count];
    *v = (EmitVariant){.slots = slots,
                       .name = table_name(m->arena, c->run->table, c->config),
                       .arch = c->entry.arch,
                       .fixed = fixed};
    outline_codes(m, v);
    m->origin[u->variant_count] = claim;
    return u->variant_count++;
}

static bool set_default(UnitMaker *m)
{
    EmitUnit *u = m->unit;
    size_t n = m->options.default_entry ? m->options.default_entry : 1;
    if (n > u->entry_count)
        return diag_fail(m->diag, "there is no entry %zu to be the default: there are %zu", n,
                         u->entry_count);
    u->entries[n - 1].is_default = true;
    return true;
}

const EmitUnit *unit_outline(UnitMaker *m)
{
    size_t n = m->claims.count;
    if (m->unit)
        return m->unit;
    if (n == 0) {
        diag_fail(m->diag, "there is nothing to emit");
        return NULL;
    }
    EmitUnit *u = m->unit = ARENA_NEW(m->arena, EmitUnit);
    const Spec *s = m->claims.at[0].run->spec;
    const char *name = m->options.name;
    *u = (EmitUnit){.spec = s, .flavour = m->options.flavour};
    u->name = name ? name : unit_default_name(m->arena, s->name);
    u->prefix = m->options.prefix ? m->options.prefix : arena_printf(m->arena, "%s_", u->name);
    u->variants = ARENA_ARRAY(m->arena, EmitVariant, n);
    u->entries = ARENA_ARRAY(m->arena, EmitEntry, n);
    m->origin = ARENA_ARRAY(m->arena, size_t, n);
    for (size_t i = 0; i < n; i++) {
        u->entries[i] = m->claims.at[i].entry;
        u->entries[i].variant = variant_of(m, i);
        u->entry_count++;
    }
    return set_default(m) ? u : NULL;
}

const EmitUnit *unit_finish(UnitMaker *m)
{
    return unit_outline(m) && unit_make_code(m) ? m->unit : NULL;
}

/* --- inputs ----------------------------------------------------------------------------------- */

/* Files that the source of launch `l` is read from, the template first; for a command, those among its
 * words. */
static void add_source_files(Arena *a, const Run *r, size_t l, Texts *all)
{
    const Launch *k = &r->spec->launches[l];
    const CompileSource *source = r->code.sources ? r->code.sources[l] : NULL;
    if (!k->command)
        text_add_once(a, all, k->path);
    for (size_t i = 0; source && i < source->files.count; i++)
        text_add_once(a, all, source->files.at[i]);
    char **words = k->command ? command_words(a, k->file) : NULL;
    for (size_t i = 0; words && words[i]; i++) {
        const char *path = path_join(a, k->path, words[i]);
        if (file_exists(path))
            text_add_once(a, all, path);
    }
}

Texts unit_inputs(Arena *a, const UnitMaker *m)
{
    Texts all = {0};
    for (size_t i = 0; i < m->runs.count; i++) {
        const Run *r = m->runs.at[i];
        text_add_once(a, &all, r->spec->source->name);
        for (size_t l = 0; l < r->spec->launch_count; l++)
            add_source_files(a, r, l, &all);
        const char *profile = r->recorded.path ? record_profile_path(a, r->recorded.path) : NULL;
        if (r->recorded.path)
            text_add_once(a, &all, r->recorded.path);
        if (profile && file_exists(profile))
            text_add_once(a, &all, profile);
    }
    return all;
}

/* --- the end of a run ------------------------------------------------------------------------- */

EmitOptions emit_options_of(const RunOptions *o)
{
    EmitOptions e = {.name = o->emit_name, .prefix = o->emit_prefix, .flavour = EMIT_DRIVER};
    if (o->emit)
        unit_flavour_find(o->emit, &e.flavour);
    return e;
}

bool emit_winner(Run *r, const char *folder, EmitWritten *out, Diag *d)
{
    EmitOptions o = emit_options_of(&r->options);
    o.accept_stale = o.fall_back = true;
    UnitMaker *m = unit_begin(r->arena, &o, d);
    const EmitUnit *u = unit_add_run(m, r) ? unit_finish(m) : NULL;
    *out = (EmitWritten){0};
    bool ok = u && files_write(u, folder, d);
    if (ok) {
        out->names = files_list(r->arena, u);
        out->uncompiled = u->flavour != o.flavour ? m->uncompiled : NULL;
    }
    unit_end(m);
    return ok;
}

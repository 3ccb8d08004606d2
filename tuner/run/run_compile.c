/* Finds the code and profile of every configuration.
 *
 * If a recording was made from the same sources, its code hashes and profiles are those that
 * compiling would give, and nothing is compiled. Otherwise workers compile (compiling.h). */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/run/compiling.h"
#include "tuner/run/run_search.h"

#include <ctype.h>
#include <stdlib.h>

/* --- compiling -------------------------------------------------------------------------------- */

/* Configurations in flight: enough that no worker waits, but few, so that large spaces need no more
 * memory than small ones. */
enum { PLACES_PER_WORKER = 4, MIN_PLACES = 64 };

void run_charge_compiling(Run *r, double *since)
{
    run_charge(r, LEDGER_COMPILE, since);
    /* Workers compile and walk side by side: split the wall time by their times. */
    const double busy = r->ledger.compile_s + r->ledger.walk_s;
    const double wall = busy > 0 ? r->ledger.seconds[LEDGER_COMPILE] * r->ledger.walk_s / busy : 0;
    r->ledger.seconds[LEDGER_COMPILE] -= wall;
    r->ledger.seconds[LEDGER_PROFILE] += wall;
    r->ledger.core_seconds[LEDGER_COMPILE] -= r->ledger.walk_core_s;
    r->ledger.core_seconds[LEDGER_PROFILE] += r->ledger.walk_core_s;
}

/* `only`: per configuration, is its code wanted? NULL: all are. */
static bool compile_all(Run *r, const bool *only)
{
    double since = clock_seconds();
    size_t places = (size_t)r->options.jobs * PLACES_PER_WORKER;
    Compiling *c = compiling_open(r, places < MIN_PLACES ? MIN_PLACES : places, true);
    size_t *list = ARENA_ARRAY(r->arena, size_t, r->table->count), count = 0;
    for (size_t i = 0; i < r->table->count; i++)
        if ((!only || only[i]) && table_fits(r->table, i) && run_is_in_shard(r, i))
            list[count++] = i;
    bool ok = compiling_run(c, list, count, NULL);
    compiling_close(c);
    run_charge_compiling(r, &since);
    return ok;
}

/* True if the recording was made from the same sources, architecture and options. */
static bool recorded_sources_are_ours(const Run *r)
{
    Hash ours = run_source_hash(r);
    return r->recorded.times && strcmp(r->recorded.times->header.source_hash, ours.text) == 0;
}

/* --- the stage -------------------------------------------------------------------------------- */

const char *run_code_key(Arena *a, const TableCode *c)
{
    return c->hash ? profiles_key(a, c->hash, c->launch) : NULL;
}

static void count_codes(Run *r)
{
    const char **keys = ARENA_ARRAY(r->arena, const char *, r->table->count);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        alive[i] = table_has_code(t, i);
        keys[i] = alive[i] ? run_code_key(r->arena, &t->code[i]) : NULL;
        run_count_code(r, t->outcome[i]);
    }
    size_t *same = table_group(r->arena, keys, alive, r->table->count);
    for (size_t i = 0; i < r->table->count; i++) {
        if (!alive[i])
            continue;
        r->table->same_as[i] = same[i];
        r->counts.distinct += same[i] == i;
    }
}

static bool compile(Run *r, const bool *only)
{
    bool search = !only && run_searches(r);
    if (!run_open_sources(r))
        return false;
    if (r->source == RUN_MEASURED && !file_exists(r->home.compare_source))
        return diag_fail(r->diag, "'%s', which compares outputs, is missing: reinstall aptune",
                         r->home.compare_source);
    r->recorded.profiles = r->source == RUN_REPLAYED && !r->options.compile &&
                           recorded_sources_are_ours(r) &&
                           (search ? run_search_take_recorded(r) : run_take_recorded(r));
    if (search) /* compiles what it asks for */
        return true;
    if (!r->recorded.profiles && !compile_all(r, only))
        return false;
    count_codes(r);
    return r->counts.compiled > 0 || run_nothing_compiled(r);
}

bool run_compile(Run *r)
{
    return compile(r, NULL);
}

bool run_compile_these(Run *r, const size_t *configs, size_t count)
{
    bool *only = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t k = 0; k < count; k++)
        only[configs[k]] = true;
    return compile(r, only);
}

/* --- compile failures, grouped ---------------------------------------------------------------- */

/* Length of a mangled name at `s` up to its template arguments, "_ZN2ns4tile" of "_ZN2ns4tileILi8EEEvPf";
 * 0: there is none. */
static size_t stem_length(const char *s)
{
    if (strncmp(s, "_Z", 2) != 0)
        return 0;
    const char *at = s + 2 + (s[2] == 'N');
    const char *names = at;
    while (isdigit((unsigned char)*at)) {
        char *end;
        size_t length = strtoul(at, &end, 10);
        if (length > strlen(end))
            return 0;
        at = end + length;
    }
    return at > names ? (size_t)(at - s) : 0;
}

static const char *number_end(const char *s)
{
    s += strncmp(s, "0x", 2) == 0 ? 2 : 0;
    while (isxdigit((unsigned char)*s))
        s++;
    return s;
}

static const char *word_end(const char *s)
{
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return s;
}

/* A message without what similar ones differ in: numbers, and the arguments of mangled names. */
static const char *without_numbers(Arena *a, const char *text)
{
    Buf b = {0};
    while (*text) {
        const size_t stem = stem_length(text);
        const bool digit = isdigit((unsigned char)*text);
        buf_add(&b, digit ? "0" : text, stem ? stem : 1);
        text = stem ? word_end(text + stem) : digit ? number_end(text) : text + 1;
    }
    return buf_keep(&b, a);
}

static int more_first(const void *a, const void *b)
{
    const FailureGroup *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->example < y->example ? -1 : x->example > y->example;
}

size_t run_failures(Arena *a, const Run *r, const FailureGroup **out)
{
    VEC(FailureGroup) groups = {0};
    SCOPED_ARENA *scratch = arena_new();
    Map numbers = {.arena = scratch};
    const Table *t = r->table;
    for (size_t i = 0; i < t->count; i++) {
        if (!table_failed_to_compile(t, i))
            continue;
        const char *why = t->why[i] && *t->why[i] ? t->why[i] : outcome_name(t->outcome[i]);
        const char *kind = without_numbers(scratch, why);
        MapEntry *e = map_add(&numbers, kind, strlen(kind), 0); /* counted from 1 */
        if (e->value == 0) {
            VEC_PUSH(a, &groups, ((FailureGroup){why, 0, i}));
            e->value = (int)groups.count;
        }
        groups.at[e->value - 1].count++;
    }
    if (groups.count > 0)
        qsort(groups.at, groups.count, sizeof *groups.at, more_first);
    *out = groups.at;
    return groups.count;
}

void run_failure_print(const Run *r, const FailureGroup *g, Buf *out)
{
    buf_printf(out, "%zu × %.*s, e.g. ", g->count, (int)strcspn(g->text, "\n"), g->text);
    table_print_name(r->table, g->example, out);
}

/* --- the cost of compiling everything, for a dry run ------------------------------------------ */

/* CPU seconds of a compile of mm-core with NVRTC 13.0, sm_90, on a core of an H200 machine
 * (2026-11-21); simple kernels take a sixth of it. */
static const double each_unknown = 0.28;

static bool take_mean(const TimesRecording *t, RunEstimate *e)
{
    double sum = 0;
    e->count = 0;
    for (size_t k = 0; t && k < t->rows.count; k++) {
        const RecordRow *row = &t->rows.at[k];
        if (row->compile_s > 0) {
            sum += row->compile_s + row->profile_s;
            e->count++;
        }
    }
    if (e->count == 0)
        return false;
    e->each_s = sum / (double)e->count;
    e->of = t->path;
    return true;
}

/* Takes the mean of the output folder, which was compiled on this machine. */
static bool take_own(const Run *r, RunEstimate *e)
{
    const char *path = arena_printf(r->arena, "%s/%s.times", r->options.output, r->spec->name);
    return file_exists(path) &&
           take_mean(times_read_open(r->arena, path, DIAG_UNHEARD(r->arena)), e);
}

static size_t left_to_compile(const Run *r)
{
    size_t left = 0;
    for (size_t i = 0; i < r->table->count; i++)
        left += table_fits(r->table, i) && run_is_in_shard(r, i);
    if (r->space.diagram) /* the sample represents all */
        left = (size_t)((double)r->space.size / fmax(1, r->options.shards) * (double)left /
                        (double)r->table->count);
    return left;
}

RunEstimate run_estimate(const Run *r)
{
    RunEstimate e = {.each_s = each_unknown, .compiles = left_to_compile(r)};
    if (!take_own(r, &e))
        take_mean(r->recorded.times, &e);
    e.seconds = (double)e.compiles * e.each_s / r->options.jobs;
    return e;
}

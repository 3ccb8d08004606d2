/* Trip counts that the spec says: which lines they are of, and whether the code has such loops. */
#include "tuner/run/run_parts.h"

#include "metrics/ptx/walk_branch.h"

#include <string.h>

/* How often the text stands in the source, and the line of the last time. */
static size_t count_lines(const CompileSource *s, const char *text, int64_t *line)
{
    size_t count = 0;
    int64_t at = 1;
    for (const char *p = s->text; *p; p++) {
        if (strncmp(p, text, strlen(text)) == 0) {
            count += count == 0 || *line != at;
            *line = at;
        }
        at += *p == '\n';
    }
    return count;
}

static int64_t count_all(const CompileSource *s)
{
    int64_t count = 1;
    for (const char *p = s->text; *p; p++)
        count += *p == '\n';
    return count;
}

static bool find_line(Run *r, SpecTrips *t)
{
    size_t found = 0;
    int64_t last = 0;
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        const CompileSource *s = r->code.sources[l];
        bool again = !s;
        for (size_t k = 0; k < l; k++)
            again |= r->code.sources[k] == s;
        if (again)
            continue;
        last = last > count_all(s) ? last : count_all(s);
        found += t->text ? count_lines(s, t->text, &t->line) : 0;
    }
    if (t->text && found != 1)
        return diag_error(r->diag, t->at,
                          "'%s' stands in %zu lines of the kernel's source, not in one", t->text,
                          found);
    return t->text || t->line <= last ||
           diag_error(r->diag, t->at,
                      "the kernel's source has no line %lld: it ends with line %lld",
                      (long long)t->line, (long long)last);
}

bool run_trips_find(Run *r)
{
    for (size_t i = 0; i < r->spec->trip_count; i++)
        if (!find_line(r, &r->spec->trips[i]))
            return false;
    return true;
}

bool run_trips_count(Arena *a, const Run *r, const Value *slots, ProfileLaunch *out)
{
    const Spec *s = r->spec;
    WalkTrips *trips = ARENA_ARRAY(a, WalkTrips, s->trip_count);
    Evaluation ev = {.arena = a};
    for (size_t i = 0; i < s->trip_count; i++) {
        Value v;
        if (!slots || !expr_eval(s->trips[i].rounds, slots, &ev, &v))
            return diag_error(r->diag, ev.error_at, "%s",
                              ev.error ? ev.error : "cannot be computed");
        if (value_as_real(v) < 0)
            return diag_error(r->diag, s->trips[i].at, "a loop cannot go round %g times",
                              value_as_real(v));
        trips[i] = (WalkTrips){(uint32_t)s->trips[i].line, value_as_real(v)};
    }
    out->trips = trips;
    out->trip_count = s->trip_count;
    return true;
}

bool run_trips_meet(Run *r, const ProfileInput *in, bool *met)
{
    const PtxModule *module;
    const Memory *m = profile_follow(r->arena, in, &module, r->diag);
    for (size_t i = 0; m && i < m->walk->functions.count; i++) {
        const WalkFunction *f = m->walk->functions.at[i];
        for (size_t k = 0; k < in->trip_count; k++) {
            const double *rounds = walk_stated_rounds(r->arena, f->flow, &in->trips[k], 1);
            for (size_t l = 0; l < f->flow->loops->loops.count; l++) {
                const WalkLoop *loop = &f->loops[l];
                if (rounds[l] < 0)
                    continue;
                met[k] = true;
                if (loop->entries > 0 && !loop->stated)
                    diag_warn(r->diag, r->spec->trips[k].at,
                              "not used: how often the loop in line %lld goes round is known from "
                              "the code",
                              (long long)r->spec->trips[k].line);
            }
        }
    }
    return m != NULL;
}

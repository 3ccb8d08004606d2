#include "tuner/run/timer.h"

enum {
    MAX_FINALISTS = 24, /* unless the user says how many */
    MIN_FINALISTS = 2,
    MAX_ROUNDS = 31,
    MIN_ROUNDS = 11
};

/* Configurations within this factor of the best are finalists even if the intervals do not overlap:
 * the state of the machine may have changed in between. */
static const double finalist_margin = 1.03;

/* A finalist is tied unless it is shown to be slower by more than this. On an H200 the median ratio
 * of two transposes over 31 rounds varied by 0.2 % between processes, whose buffers lie elsewhere;
 * an interval within one process does not show that. */
const double run_tie_margin = 0.005;

/* The winner of a tie must be within this smaller margin, so that another run, where it is a bit
 * slower, still ties it, and so that winners of several runs are equally fast: of ten live searches
 * of spaces/mm-core.spec within 0.25 %, seven preferred the second best, 0.3 % slower. */
static const double winner_margin = 0.001;

static const double final_budget_ms = 3000;

/* --- finalists -------------------------------------------------------------------------------- */

static size_t rank_correct(const Run *r, Ranked **out)
{
    const Table *t = r->table;
    Ranked *s = ARENA_ARRAY(r->arena, Ranked, t->count);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->selected[i] && table_is_right(t, i) && !isnan(t->times[i].median))
            s[n++] = (Ranked){table_ms(t, i), i};
    stats_rank(s, n);
    *out = s;
    return n;
}

static bool is_close(const Table *t, size_t i, size_t best)
{
    return t->times[i].low / t->work[i] <= t->times[best].high / t->work[best] ||
           table_ms(t, i) <= finalist_margin * t->times[best].median / t->work[best];
}

static void choose(Run *r)
{
    RunFinal *f = &r->final;
    Ranked *s;
    size_t n = rank_correct(r, &s), most = MAX_FINALISTS;
    if (r->options.finalists > 0)
        most = (size_t)r->options.finalists;
    f->list = ARENA_ARRAY(r->arena, size_t, n);
    for (size_t k = 0; k < n && k < most; k++) {
        bool wanted =
            r->options.finalists > 0 || k < MIN_FINALISTS || is_close(r->table, s[k].at, s[0].at);
        if (wanted) /* the medians rise, but a later interval may still overlap the best */
            f->list[f->count++] = s[k].at;
    }
}

static int rounds_for(const Run *r, const RunFinal *f)
{
    double round_ms = 0;
    for (size_t k = 0; k < f->count; k++)
        round_ms += fmax(r->table->times[f->list[k]].median, run_sample_ms);
    double rounds = final_budget_ms / round_ms;
    return rounds < MIN_ROUNDS ? MIN_ROUNDS : rounds > MAX_ROUNDS ? MAX_ROUNDS : (int)rounds;
}

/* --- deciding --------------------------------------------------------------------------------- */

/* The times of finalist k, one per round. */
static const double *times_of(const RunFinal *f, size_t k)
{
    return f->times + k * (size_t)f->rounds;
}

/* The median for equal work. */
static double per_work(const Run *r, const RunFinal *f, size_t k)
{
    return f->medians[k] / r->table->work[f->list[k]];
}

static void take_medians(const Run *r, RunFinal *f)
{
    f->fastest = SIZE_MAX;
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < f->count; k++) {
        f->medians[k] = f->rounds > 0 ? stats_median(times_of(f, k), (size_t)f->rounds)
                                      : r->table->times[f->list[k]].median;
        if (best == SIZE_MAX || per_work(r, f, k) < per_work(r, f, best))
            best = k;
    }
    if (best != SIZE_MAX)
        f->fastest = f->list[best];
}

static void take_ratio(const Run *r, RunFinal *f, size_t k, size_t best)
{
    double work = r->table->work[f->list[k]] / r->table->work[f->list[best]];
    double ratio = f->medians[k] / f->medians[best];
    /* Without rounds, the ratio may be anything between the ratios of the intervals' ends. */
    const TableTimes *own = &r->table->times[f->list[k]], *top = &r->table->times[f->list[best]];
    StatsInterval i = {own->low / top->high, own->high / top->low};
    if (f->rounds > 0) {
        const double *a = times_of(f, k), *b = times_of(f, best);
        ratio = stats_ratio(a, b, (size_t)f->rounds);
        i = stats_ratio_interval(a, b, (size_t)f->rounds);
    }
    f->ratios[k] = ratio / work;
    f->ratio_low[k] = i.low / work;
    f->ratio_high[k] = i.high / work;
}

/* True if `a` wins a tie with `b`. Fewer registers and less shared memory leave room for other
 * kernels and larger problems. */
static bool wins_tie(const Run *r, size_t a, size_t b)
{
    const Profile *x = r->table->profile[a].whole, *y = r->table->profile[b].whole;
    static const ProfileField order[] = {PROFILE_REGISTERS, PROFILE_SHARED_BYTES};
    for (size_t i = 0; x && y && i < COUNT_OF(order); i++)
        if (x->value[order[i]] != y->value[order[i]])
            return x->value[order[i]] < y->value[order[i]];
    return a < b;
}

static bool goes_first(const Run *r, const RunFinal *f, size_t a, size_t b)
{
    bool x = f->ratios[run_final_place(f, a)] <= 1 + winner_margin;
    bool y = f->ratios[run_final_place(f, b)] <= 1 + winner_margin;
    return x != y ? x : wins_tie(r, a, b);
}

static void sort_ties(const Run *r, RunFinal *f)
{
    for (size_t i = 1; i < f->tie_count; i++)
        for (size_t k = i; k > 0 && goes_first(r, f, f->ties[k], f->ties[k - 1]); k--) {
            size_t swap = f->ties[k];
            f->ties[k] = f->ties[k - 1];
            f->ties[k - 1] = swap;
        }
}

void run_final_decide(const Run *r, RunFinal *f)
{
    f->medians = ARENA_ARRAY(r->arena, double, f->count);
    f->ratios = ARENA_ARRAY(r->arena, double, f->count);
    f->ratio_low = ARENA_ARRAY(r->arena, double, f->count);
    f->ratio_high = ARENA_ARRAY(r->arena, double, f->count);
    f->ties = ARENA_ARRAY(r->arena, size_t, f->count);
    f->tie_count = 0;
    f->within = f->rounds > 0 ? run_tie_margin : 0;
    take_medians(r, f);
    size_t best = run_final_place(f, f->fastest);
    f->ratios[best] = f->ratio_low[best] = f->ratio_high[best] = 1;
    for (size_t k = 0; k < f->count; k++) {
        if (k != best)
            take_ratio(r, f, k, best);
        if (f->ratio_low[k] <= 1 + f->within)
            f->ties[f->tie_count++] = f->list[k];
    }
    if (f->rounds > 0) /* without rounds, only their medians distinguish them */
        sort_ties(r, f);
}

size_t run_final_place(const RunFinal *f, size_t config)
{
    for (size_t k = 0; k < f->count; k++)
        if (f->list[k] == config)
            return k;
    return SIZE_MAX;
}

bool run_final_is_tied(const RunFinal *f, size_t config)
{
    for (size_t k = 0; k < f->tie_count; k++)
        if (f->ties[k] == config)
            return true;
    return false;
}

bool run_final(Run *r, const Timer *t)
{
    RunFinal *f = &r->final;
    *f = (RunFinal){.fastest = SIZE_MAX};
    choose(r);
    bool timed = t->final && f->count >= MIN_FINALISTS && r->options.shards < 2;
    f->rounds = timed ? rounds_for(r, f) : 0;
    if (f->rounds > 0 && !t->final(t->state, f->list, f->count, &f->rounds, &f->times))
        return false;
    if (f->count > 0)
        run_final_decide(r, f);
    return true;
}

/* --- recorded --------------------------------------------------------------------------------- */

int run_final_latest(const TimesRecording *t)
{
    int latest = 0;
    for (size_t i = 0; i < t->finals.count; i++)
        if (t->finals.at[i].number > latest)
            latest = t->finals.at[i].number;
    return latest;
}

/* If a final was cut short, only the rounds that all its rows have count. */
RunFinal run_final_recorded(const Run *r, const TimesRecording *t)
{
    RunFinal f = {.fastest = SIZE_MAX};
    int number = run_final_latest(t);
    const RecordFinal **rows = ARENA_ARRAY(r->arena, const RecordFinal *, t->finals.count);
    f.list = ARENA_ARRAY(r->arena, size_t, t->finals.count);
    VEC_EACH (const RecordFinal, x, t->finals) {
        uint64_t rank;
        if (x->number != number || x->row.time_count == 0 ||
            !run_rank_of(r, &t->header, &x->row, &rank))
            continue;
        const size_t config = table_find(r->table, rank);
        if (config == SIZE_MAX)
            continue;
        if (f.count == 0 || x->row.time_count < (size_t)f.rounds)
            f.rounds = (int)x->row.time_count;
        rows[f.count] = x;
        f.list[f.count++] = config;
    }
    double *times = ARENA_ARRAY(r->arena, double, f.count *(size_t)f.rounds);
    for (size_t k = 0; k < f.count; k++)
        memcpy(times + k * (size_t)f.rounds, rows[k]->row.times_ms,
               (size_t)f.rounds * sizeof *times);
    f.times = times;
    if (f.count > 0)
        run_final_decide(r, &f);
    return f;
}

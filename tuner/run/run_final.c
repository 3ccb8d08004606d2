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
    f->list = ARENA_ARRAY(r->arena, Finalist, n);
    for (size_t k = 0; k < n && k < most; k++) {
        bool wanted =
            r->options.finalists > 0 || k < MIN_FINALISTS || is_close(r->table, s[k].at, s[0].at);
        if (wanted) /* the medians rise, but a later interval may still overlap the best */
            f->list[f->count++].config = s[k].at;
    }
}

static int rounds_for(const Run *r, const RunFinal *f)
{
    double round_ms = 0;
    EACH (const Finalist, x, f->list, f->count)
        round_ms += fmax(r->table->times[x->config].median, run_sample_ms);
    double rounds = final_budget_ms / round_ms;
    return rounds < MIN_ROUNDS ? MIN_ROUNDS : rounds > MAX_ROUNDS ? MAX_ROUNDS : (int)rounds;
}

/* --- deciding --------------------------------------------------------------------------------- */

/* The median for equal work. */
static double per_work(const Run *r, const Finalist *x)
{
    return x->median_ms / r->table->work[x->config];
}

/* Takes the medians; returns the fastest. */
static const Finalist *take_medians(const Run *r, RunFinal *f)
{
    const Finalist *best = f->list;
    EACH (Finalist, x, f->list, f->count) {
        x->median_ms = f->rounds > 0 ? stats_median(x->times_ms, (size_t)f->rounds)
                                     : r->table->times[x->config].median;
        if (per_work(r, x) < per_work(r, best))
            best = x;
    }
    return best;
}

static void take_ratio(const Run *r, int rounds, const Finalist *best, Finalist *x)
{
    double work = r->table->work[x->config] / r->table->work[best->config];
    double ratio = x->median_ms / best->median_ms;
    /* Without rounds, the ratio may be anything between the ratios of the intervals' ends. */
    const TableTimes *own = &r->table->times[x->config], *top = &r->table->times[best->config];
    StatsInterval i = {own->low / top->high, own->high / top->low};
    if (rounds > 0) {
        ratio = stats_ratio(x->times_ms, best->times_ms, (size_t)rounds);
        i = stats_ratio_interval(x->times_ms, best->times_ms, (size_t)rounds);
    }
    x->ratio = ratio / work;
    x->interval = (StatsInterval){i.low / work, i.high / work};
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
    bool x = run_finalist(f, a)->ratio <= 1 + winner_margin;
    bool y = run_finalist(f, b)->ratio <= 1 + winner_margin;
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
    const Finalist *best = take_medians(r, f);
    f->fastest = best->config;
    f->ties = ARENA_ARRAY(r->arena, size_t, f->count);
    f->tie_count = 0;
    f->within = f->rounds > 0 ? run_tie_margin : 0;
    EACH (Finalist, x, f->list, f->count) {
        x->ratio = x->interval.low = x->interval.high = 1;
        if (x != best)
            take_ratio(r, f->rounds, best, x);
        if (x->interval.low <= 1 + f->within)
            f->ties[f->tie_count++] = x->config;
    }
    if (f->rounds > 0) /* without rounds, only their medians distinguish them */
        sort_ties(r, f);
}

const Finalist *run_finalist(const RunFinal *f, size_t config)
{
    EACH (const Finalist, x, f->list, f->count)
        if (x->config == config)
            return x;
    return NULL;
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
    if (f->rounds > 0 && !t->final(t->state, f))
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
    RunFinal f = {.list = ARENA_ARRAY(r->arena, Finalist, t->finals.count), .fastest = SIZE_MAX};
    int number = run_final_latest(t);
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
        f.list[f.count++] = (Finalist){.config = config, .times_ms = x->row.times_ms};
    }
    if (f.count > 0)
        run_final_decide(r, &f);
    return f;
}

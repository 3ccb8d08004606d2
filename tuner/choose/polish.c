#include "tuner/choose/polish.h"

#include <math.h>

Polish polish_new(Arena *a, const PosteriorInput *in)
{
    Polish p = {.in = in, .posterior = posterior_new(a, in), .centre = POINT_NONE};
    for (size_t k = 0; k < POLISH_FARTHEST; k++)
        p.near[k] = ARENA_ARRAY(a, bool, in->points);
    return p;
}

void polish_note(Polish *p, size_t point)
{
    posterior_choose(p->posterior, point);
}

enum { BATCH_MOST = 8 };

/* At least a few rounds, so that later ones learn from earlier ones; at most eight points a round, which
 * costs little and keeps several GPUs busy. */
size_t polish_batch_size(size_t left)
{
    size_t third = left / 3;
    return third < 1 ? 1 : third > BATCH_MOST ? BATCH_MOST : third;
}

static size_t fastest(const PosteriorInput *in, const double *times)
{
    size_t best = POINT_NONE;
    for (size_t i = 0; i < in->points; i++)
        if ((!in->alive || in->alive[i]) && !isnan(times[i]) &&
            (best == POINT_NONE || times[i] < times[best]))
            best = i;
    return best;
}

static void look_around(Polish *p, size_t best)
{
    if (p->centre == best)
        return;
    p->centre = best;
    for (size_t i = 0; i < p->in->points; i++) {
        size_t steps = posterior_distance(p->in, best, i);
        for (size_t k = 0; k < POLISH_FARTHEST; k++)
            p->near[k][i] = steps == k + 1;
    }
}

/* The most promising point one step from the best; where there is none left, two steps away. */
static size_t next_near(Polish *p, size_t best)
{
    size_t next = POINT_NONE;
    if (best == POINT_NONE)
        return next;
    look_around(p, best);
    for (size_t k = 0; k < POLISH_FARTHEST && next == POINT_NONE; k++)
        next = posterior_next(p->posterior, p->near[k]);
    return next;
}

size_t polish_batch(Polish *p, const double *times, size_t *batch, size_t most)
{
    size_t best = fastest(p->in, times), count = 0;
    posterior_learn(p->posterior, times);
    while (count < most) {
        size_t next = p->turn++ % 2 == 0 ? next_near(p, best) : POINT_NONE;
        if (next == POINT_NONE)
            next = posterior_next(p->posterior, NULL);
        if (next == POINT_NONE)
            break;
        polish_note(p, next);
        batch[count++] = next;
    }
    return count;
}

size_t polish_spend(Arena *a, const PosteriorInput *in, const bool *noted, double *times,
                    size_t budget, PolishTime *time, void *context, bool *ok)
{
    Polish p = polish_new(a, in);
    size_t batch[BATCH_MOST], spent = 0;
    *ok = true;
    for (size_t i = 0; i < in->points; i++)
        if (noted[i])
            polish_note(&p, i);
    while (*ok && spent < budget) {
        size_t n = polish_batch(&p, times, batch, polish_batch_size(budget - spent));
        if (n == 0)
            break;
        *ok = time(context, batch, n, times);
        spent += *ok ? n : 0;
    }
    return spent;
}

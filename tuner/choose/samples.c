#include "tuner/choose/samples.h"

#include <math.h>
#include <stdlib.h>

const double space_blur = 0.05;

int sample_compare(const void *pa, const void *pb)
{
    const Sample *a = pa, *b = pb;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

size_t samples_thin(Sample *all, size_t count, size_t best, size_t spread)
{
    if (count > 1)
        qsort(all, count, sizeof *all, sample_compare);
    if (count <= best + spread)
        return count;
    for (size_t k = 0; k < spread; k++)
        all[best + k] = all[best + (2 * k + 1) * (count - best) / (2 * spread)];
    return best + spread;
}

double sample_variance(const Sample *s, double least, double blur)
{
    double far = fmax(0, s->y - least - 0.1);
    return blur * far * far + s->variance;
}

size_t samples_shapes(ProcessShape *out, size_t inputs)
{
    static const double linear[] = {0.03, 0.3, 1, 3}, local[] = {0.1, 0.3, 1, 2};
    static const double noise[] = {0.01, 0.05}, decay[] = {0.6, 0.85};
    size_t n = 0;
    for (size_t b = 0; b <= inputs; b++) /* with a slope, if times bear its cost, and without */
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++)
                for (int e = 0; e < 2; e++)
                    for (int d = 0; d < 2; d++)
                        out[n++] = (ProcessShape){.slope = {b < inputs ? 1 : 0},
                                                  .spread = {0.3},
                                                  .cost = b < inputs ? 1.5 : 0,
                                                  .linear = linear[i],
                                                  .local = local[k],
                                                  .decay = decay[d],
                                                  .noise = noise[e]};
    return n;
}

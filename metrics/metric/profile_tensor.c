#include "metrics/metric/profile_tensor.h"

#include <stdlib.h>
#include <string.h>

/* Time against that of half precision: each halving of the width doubles the rate (whitepapers of
 * the A100 and H100, peak rates of tensor cores); double precision runs at a sixteenth on both. */
static double cost_of_type(const char *text)
{
    static const struct {
        const char *part;
        double cost;
    } table[] = {
        {".tf32", 2}, {".f64", 16},  {".e4m3", 0.5}, {".e5m2", 0.5},  {".s8", 0.5},
        {".u8", 0.5}, {".s4", 0.25}, {".u4", 0.25},  {".e2m1", 0.25}, {".b1", 0.0625},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strstr(text, table[i].part))
            return table[i].cost;
    return 1;
}

/* The number behind a letter of a shape: 16 in "m16n8k8" behind 'm'.  0: none. */
static double extent(const char **at, char letter)
{
    if (**at != letter)
        return 0;
    char *end;
    const unsigned long n = strtoul(*at + 1, &end, 10);
    *at = end;
    return n <= 1024 ? (double)n : 0;
}

double profile_tensor_shape(const PtxForm *f)
{
    const char *at = strstr(f->text, ".m");
    while (at && !(at[2] >= '0' && at[2] <= '9'))
        at = strstr(at + 1, ".m");
    if (!at)
        return 0;
    at++;
    const double m = extent(&at, 'm'), n = extent(&at, 'n'), k = extent(&at, 'k');
    const double warps = f->op == PTX_WGMMA_MMA ? 4 : 1; /* that make it together */
    return m * n * k * cost_of_type(f->text) / warps;
}

double profile_tensor_work(const Walk *w)
{
    double work = 0;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->function->instrs.count; k++) {
            const PtxForm *form = f->function->instrs.at[k].form;
            if (form->class == PTX_CLASS_TENSOR)
                work += profile_tensor_shape(form) *
                        (double)f->blocks[f->flow->cfg->block_of[k]].visits;
        }
    }
    return work;
}

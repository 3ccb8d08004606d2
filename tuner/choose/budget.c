#include "tuner/choose/budget.h"

#include <math.h>
#include <stdlib.h>

typedef struct Order {
    const Criterion *criteria;
    size_t count;
} Order;

static int value_compare(double p, double q, bool up)
{
    if (isnan(p) || isnan(q))
        return isnan(p) - isnan(q);
    int smaller_first = (p > q) - (p < q);
    return up ? -smaller_first : smaller_first;
}

static int point_compare(const void *pa, const void *pb, void *context)
{
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    const Order *order = context;
    for (size_t k = 0; k < order->count; k++) {
        const Criterion *c = &order->criteria[k];
        int result = value_compare(c->values[a], c->values[b], c->up);
        if (result)
            return result;
    }
    return (a > b) - (a < b);
}

void budget_order(size_t *points, size_t count, const Criterion *order, size_t order_count)
{
    Order o = {order, order_count};
    if (count > 1)
        qsort_r(points, count, sizeof *points, point_compare, &o);
}

size_t budget_default(size_t configurations)
{
    enum { FEWEST = 4, USUAL = 40 };
    size_t tenth = configurations / 10, hundredth = configurations / 100;
    if (tenth < FEWEST)
        return configurations < FEWEST ? configurations : FEWEST;
    if (hundredth > USUAL)
        return hundredth;
    return tenth < USUAL ? tenth : USUAL;
}

size_t budget_polish(size_t budget)
{
    return budget / 3;
}

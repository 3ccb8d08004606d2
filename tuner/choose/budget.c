#include "tuner/choose/budget.h"

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

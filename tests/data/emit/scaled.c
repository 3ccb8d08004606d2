/* Asks the unit of scaled.spec which variant it would take. */
#include "scaled.h"

#include <stdio.h>

int main(void)
{
    static const long long sizes[] = {1000, 4096, 4097, 90000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const s_problem p = {sizes[i]};
        s_choice c;
        if (s_choose_for("NVIDIA H200", 90, &p, &c) == S_OK)
            printf("%lld: %d\n", sizes[i], c.variant);
    }
    return 0;
}

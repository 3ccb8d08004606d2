#include "tuner/run/run_failures.h"

#include "metrics/base/vec.h"

#include <ctype.h>
#include <stdlib.h>

typedef VEC(FailureGroup) Groups;

/* Do two messages say the same, whatever their numbers? */
static bool is_alike(const char *a, const char *b)
{
    while (*a && *b) {
        bool digit = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        if (!digit && *a != *b)
            return false;
        if (digit) {
            while (isxdigit((unsigned char)*a))
                a++;
            while (isxdigit((unsigned char)*b))
                b++;
        } else {
            a++;
            b++;
        }
    }
    return !*a && !*b;
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
    Groups groups = {0};
    const Table *t = r->table;
    for (size_t i = 0; i < t->count; i++) {
        if (!table_failed_to_compile(t, i))
            continue;
        const char *why = t->why[i] && *t->why[i] ? t->why[i] : outcome_name(t->outcome[i]);
        size_t g = 0;
        while (g < groups.count && !is_alike(groups.at[g].text, why))
            g++;
        if (g == groups.count)
            VEC_PUSH(a, &groups, ((FailureGroup){why, 0, i}));
        groups.at[g].count++;
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

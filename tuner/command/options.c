#include "tuner/command/options.h"

#include "metrics/base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool options_take_count(const char *option, const char *text, int least, int most, int *out)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < least || n > most) {
        fprintf(stderr, "aptune: %s takes a whole number from %d to %d, not '%s'\n", option, least,
                most, text);
        return false;
    }
    *out = (int)n;
    return true;
}

static const char *closest_option(const struct option *table, const char *name)
{
    enum { NAMES = 64 };
    const char *names[NAMES];
    size_t count = 0;
    while (table[count].name && count < NAMES) {
        names[count] = table[count].name;
        count++;
    }
    return name_closest(name, names, count);
}

bool options_refuse(const struct option *table, int found, const char *given)
{
    if (found == ':') {
        fprintf(stderr, "aptune: %s needs a value\n", given);
        return false;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    if (optopt >= OPTIONS_LONG) {
        fprintf(stderr, "aptune: %s takes no value\n", name);
        return false;
    }
    if (optopt > 0)
        snprintf(name, sizeof name, "-%c", optopt);
    const char *closest = closest_option(table, name + strspn(name, "-"));
    fprintf(stderr, "aptune: unknown option '%s'%s%s%s\n", name,
            closest ? "; did you mean '--" : "", closest ? closest : "", closest ? "'?" : "");
    return false;
}

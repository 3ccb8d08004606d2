#include "tuner/run/option.h"

#include <stdlib.h>
#include <string.h>

bool option_flag(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    (void)text;
    (void)d;
    *(bool *)field = true;
    return true;
}

bool option_text(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    (void)d;
    *(const char **)field = text;
    return true;
}

bool option_texts(const Option *o, const char *text, void *field, Diag *d)
{
    OptionTexts *all = field;
    if (all->count == OPTION_TEXTS_MOST)
        return diag_fail(d, "--%s is given more than %zu times", o->name, all->count);
    all->at[all->count++] = text;
    return true;
}

bool option_count(const Option *o, const char *text, void *field, Diag *d)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || (double)n < o->least || (double)n > o->most)
        return diag_fail(d, "--%s takes a whole number from %.0f to %.0f, not '%s'", o->name,
                         o->least, o->most, text);
    *(int *)field = (int)n;
    return true;
}

bool option_seconds(const Option *o, const char *text, void *field, Diag *d)
{
    char *end;
    double seconds = strtod(text, &end);
    if (*end || end == text || !(seconds > 0) || !(seconds <= o->most))
        return diag_fail(d, "--%s takes a number of seconds above zero, at most %.0f, not '%s'",
                         o->name, o->most, text);
    *(double *)field = seconds;
    return true;
}

bool option_size(const Option *o, const char *text, void *field, Diag *d)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= 0) || v > o->most)
        return diag_fail(d, "--%s takes a number from 0 to %g, not '%s'", o->name, o->most, text);
    *(double *)field = v;
    return true;
}

const char *option_closest(const OptionTable *t, const char *name)
{
    const char *names[OPTIONS_MOST];
    size_t count = 0;
    for (size_t g = 0; g < OPTION_GROUPS_MOST; g++)
        for (size_t i = 0; i < t->groups[g].count && count < OPTIONS_MOST; i++)
            if (t->groups[g].options[i].name[1]) /* not a single letter */
                names[count++] = t->groups[g].options[i].name;
    return name_closest(name, names, count);
}

void option_set_defaults(const OptionTable *t)
{
    for (size_t g = 0; g < OPTION_GROUPS_MOST; g++)
        if (t->groups[g].set_defaults)
            t->groups[g].set_defaults(t->groups[g].target);
}

bool option_set(const OptionTable *t, const char *name, const char *text, Diag *d)
{
    const OptionGroup *g = t->groups, *end = g + OPTION_GROUPS_MOST;
    const Option *o = NULL;
    while (g < end && !(o = NAME_FIND(g->options, g->count, name, name)))
        g++;
    if (!o) {
        const char *closest = option_closest(t, name);
        return diag_fail(d, "unknown option '--%s'%s%s%s", name,
                         closest ? "; did you mean '--" : "", closest ? closest : "",
                         closest ? "'?" : "");
    }
    if (o->value && !text && !option_may_have_value(o))
        return diag_fail(d, "--%s needs a value", name);
    if (!o->value && text)
        return diag_fail(d, "--%s takes no value", name);
    return o->take(o, text, (char *)g->target + o->offset, d);
}

#include "tuner/command/options.h"

#include "metrics/base/diag.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

bool option_flag(const Option *o, const char *text, void *field)
{
    (void)o;
    (void)text;
    *(bool *)field = true;
    return true;
}

bool option_text(const Option *o, const char *text, void *field)
{
    (void)o;
    *(const char **)field = text;
    return true;
}

bool option_count(const Option *o, const char *text, void *field)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || (double)n < o->least || (double)n > o->most) {
        fprintf(stderr, "aptune: --%s takes a whole number from %.0f to %.0f, not '%s'\n", o->name,
                o->least, o->most, text);
        return false;
    }
    *(int *)field = (int)n;
    return true;
}

bool option_seconds(const Option *o, const char *text, void *field)
{
    char *end;
    double seconds = strtod(text, &end);
    if (*end || end == text || !(seconds > 0) || !(seconds <= o->most)) {
        fprintf(stderr,
                "aptune: --%s takes a number of seconds above zero, at most %.0f, not '%s'\n",
                o->name, o->most, text);
        return false;
    }
    *(double *)field = seconds;
    return true;
}

/* --- the table as getopt_long wants it -------------------------------------------------------- */

/* Options are numbered through all groups; getopt gives long ones from here on, above every letter.
 */
enum { LONG_OPTIONS = 256 };

typedef struct Known {
    const Option *option;
    void *field;
} Known;

typedef struct Reader {
    Known known[OPTIONS_MOST];
    size_t count;
    struct option longs[OPTIONS_MOST + 1]; /* ends with zeros */
    size_t long_count;
    char shorts[2 * OPTIONS_MOST + 2];
    size_t short_count;
} Reader;

static bool is_short(const Option *o)
{
    return o->name[1] == '\0';
}

static void add_option(Reader *r, const Option *o, void *target)
{
    assert(r->count < OPTIONS_MOST);
    if (is_short(o)) {
        r->shorts[r->short_count++] = o->name[0];
        if (o->value)
            r->shorts[r->short_count++] = ':';
    } else {
        r->longs[r->long_count++] =
            (struct option){o->name, o->value ? required_argument : no_argument, NULL,
                            LONG_OPTIONS + (int)r->count};
    }
    r->known[r->count++] = (Known){o, (char *)target + o->offset};
}

static Reader reader_of(const OptionTable *t)
{
    Reader r = {.shorts = ":", .short_count = 1}; /* ':' tells a missing value from a wrong name */
    for (size_t g = 0; g < t->group_count; g++)
        for (size_t i = 0; i < t->groups[g].count; i++)
            add_option(&r, &t->groups[g].options[i], t->groups[g].target);
    return r;
}

/* What getopt gave back, by number or letter. */
static const Known *find_known(const Reader *r, int found)
{
    if (found >= LONG_OPTIONS)
        return &r->known[found - LONG_OPTIONS];
    for (size_t i = 0; i < r->count; i++)
        if (is_short(r->known[i].option) && r->known[i].option->name[0] == found)
            return &r->known[i];
    return NULL;
}

static const char *closest_option(const Reader *r, const char *name)
{
    const char *names[OPTIONS_MOST];
    for (size_t i = 0; i < r->long_count; i++)
        names[i] = r->longs[i].name;
    return name_closest(name, names, r->long_count);
}

/* Says what is wrong with the option that getopt did not take: `found` is '?' or ':', `given` the
 * word it stands in.  Always false. */
static bool refuse(const Reader *r, int found, const char *given)
{
    if (found == ':')
        return fprintf(stderr, "aptune: %s needs a value\n", given), false;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    if (optopt >= LONG_OPTIONS)
        return fprintf(stderr, "aptune: %s takes no value\n", name), false;
    if (optopt > 0)
        snprintf(name, sizeof name, "-%c", optopt);
    const char *closest = closest_option(r, name + strspn(name, "-"));
    fprintf(stderr, "aptune: unknown option '%s'%s%s%s\n", name,
            closest ? "; did you mean '--" : "", closest ? closest : "", closest ? "'?" : "");
    return false;
}

bool options_parse(const OptionTable *t, int argc, char **argv, int *rest)
{
    Reader r = reader_of(t);
    optind = 0; /* begins anew, with what earlier calls left behind forgotten */
    opterr = 0; /* its messages would name the command where ours name the program */
    for (int found; (found = getopt_long(argc, argv, r.shorts, r.longs, NULL)) != -1;) {
        const Known *k = find_known(&r, found);
        if (!k)
            return refuse(&r, found, argv[optind - 1]);
        if (!k->option->take(k->option, optarg, k->field))
            return false;
    }
    *rest = optind;
    return true;
}

bool options_end(int argc, char **argv, int rest)
{
    if (rest >= argc)
        return true;
    fprintf(stderr, "aptune: unexpected argument '%s'\n", argv[rest]);
    return false;
}

/* Characters of UTF-8, each taken to be one column wide. */
static size_t columns_of(const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

static void print_option(const Option *o, Buf *out)
{
    enum { COLUMN = 23 };
    size_t start = out->size;
    buf_printf(out, "  %s%s", is_short(o) ? "-" : "--", o->name);
    if (o->value)
        buf_printf(out, " %s", o->value);
    size_t width = columns_of(buf_text(out) + start, out->size - start);
    buf_fill(out, ' ', width < COLUMN ? COLUMN - width : 1);
    buf_printf(out, "%s\n", o->help);
}

void options_print_help(const OptionTable *t, Buf *out)
{
    for (size_t g = 0; g < t->group_count; g++)
        for (size_t i = 0; i < t->groups[g].count; i++)
            print_option(&t->groups[g].options[i], out);
}

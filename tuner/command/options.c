#include "tuner/command/command.h"

#include <assert.h>
#include <getopt.h>
#include <ctype.h>

/* Options are numbered across all groups; getopt_long returns this plus the number for a long one. */
enum { LONG_OPTIONS = 256 };

typedef struct Known {
    const Option *option;
    void *field;
} Known;

/* Shared by every command. */
static const Option help_option = {"help", NULL, "print this", NULL, 0, 0, 0};

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
        r->longs[r->long_count++] = (struct option){o->name,
                                                    option_may_have_value(o) ? optional_argument
                                                    : o->value               ? required_argument
                                                                             : no_argument,
                                                    NULL, LONG_OPTIONS + (int)r->count};
    }
    r->known[r->count++] = (Known){o, (char *)target + o->offset};
}

/* Reports an option that getopt refused: `found` is '?' or ':', `given` the word that holds it. */
static void refuse(const OptionTable *t, int found, const char *given)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    const bool known = optopt >= LONG_OPTIONS;
    if (optopt > 0 && !known)
        snprintf(name, sizeof name, "-%c", optopt);
    const char *closest = option_closest(t, name + strspn(name, "-"));
    if (found == ':')
        fprintf(stderr, "aptune: %s needs a value\n", given);
    else if (known)
        fprintf(stderr, "aptune: %s takes no value\n", name);
    else
        fprintf(stderr, "aptune: unknown option '%s'%s%s%s\n", name,
                closest ? "; did you mean '--" : "", closest ? closest : "", closest ? "'?" : "");
}

typedef enum OptionsRead { OPTIONS_WRONG, OPTIONS_TAKEN, OPTIONS_HELP } OptionsRead;

/* Afterwards argv[*rest] is the first argument that is no option. */
static OptionsRead read_options(const CommandLine *c, int argc, char **argv, int *rest)
{
    static char no_field;
    Reader r = {.shorts = ":", .short_count = 1}; /* ':' tells a missing value from a wrong name */
    for (size_t g = 0; g < OPTION_GROUPS_MOST; g++)
        for (size_t i = 0; i < c->table.groups[g].count; i++)
            add_option(&r, &c->table.groups[g].options[i], c->table.groups[g].target);
    add_option(&r, &help_option, &no_field);
    optind = 0; /* restart: forget the state of earlier calls */
    opterr = 0; /* getopt's messages would name the command instead of aptune */
    for (int found; (found = getopt_long(argc, argv, r.shorts, r.longs, NULL)) != -1;) {
        size_t i = found >= LONG_OPTIONS ? (size_t)(found - LONG_OPTIONS) : 0;
        while (found < LONG_OPTIONS && i < r.count &&
               !(is_short(r.known[i].option) && r.known[i].option->name[0] == found))
            i++;
        const Known *k = &r.known[i];
        if (i == r.count) {
            refuse(&c->table, found, argv[optind - 1]);
            return OPTIONS_WRONG;
        }
        if (k->option == &help_option)
            return OPTIONS_HELP;
        bool free_word = optind < argc && argv[optind][0] != '-';
        if (!optarg && option_may_have_value(k->option) && free_word)
            optarg = argv[optind++];
        SCOPED_ARENA *a = arena_new();
        Diag d = diag_new(a);
        const bool ok = c->take ? c->take(c->options, k->option, optarg, k->field, &d)
                                : k->option->take(k->option, optarg, k->field, &d);
        for (size_t m = 0; m < d.messages.count; m++)
            fprintf(stderr, "aptune: %s\n", d.messages.at[m].text);
        if (!ok)
            return OPTIONS_WRONG;
    }
    *rest = optind;
    return OPTIONS_TAKEN;
}

static void print_option(const Option *o, Buf *out)
{
    enum { COLUMN = 23 };
    size_t start = out->size;
    buf_printf(out, "  %s%s", is_short(o) ? "-" : "--", o->name);
    if (o->value)
        buf_printf(out, " %s", o->value);
    size_t width = text_columns(buf_text(out) + start, out->size - start);
    buf_fill(out, ' ', width < COLUMN ? COLUMN - width : 1);
    buf_printf(out, "%s\n", o->help);
}

/* Joins the lines of a paragraph, which the terminal wraps again: a line that begins with a letter continues
 * the prose before it. */
static void print_paragraphs(const char *text, Buf *out)
{
    bool before = false;
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\n") + (strchr(text, '\n') != NULL);
        bool prose = *text != ' ' && strncmp(text, "usage:", 6) != 0;
        if (before && prose && isalpha((unsigned char)*text))
            out->text[out->size - 1] = ' ';
        buf_add(out, text, n);
        before = prose;
    }
}

void command_print_help(const CommandLine *c, Buf *out)
{
    print_paragraphs(c->usage, out);
    print_option(&help_option, out);
    for (size_t g = 0; g < OPTION_GROUPS_MOST; g++)
        for (size_t i = 0; i < c->table.groups[g].count; i++)
            print_option(&c->table.groups[g].options[i], out);
    if (c->print_more)
        c->print_more(out);
}

static int run(const CommandLine *c, int argc, char **argv)
{
    int rest;
    option_set_defaults(&c->table);
    const OptionsRead read = read_options(c, argc, argv, &rest);
    SCOPED_BUF help = {0};
    if (read == OPTIONS_HELP) {
        command_print_help(c, &help);
        return command_print_text(buf_text(&help)) ? EXIT_DONE : EXIT_FAILED;
    }
    const int count = read == OPTIONS_TAKEN ? argc - rest : c->least;
    if (count < c->least)
        fprintf(stderr, "aptune: %s\n", c->wanted);
    else if (count > c->most)
        fprintf(stderr, "aptune: unexpected argument '%s'\n", argv[rest + c->most]);
    if (read == OPTIONS_WRONG || count < c->least || count > c->most) {
        fprintf(stderr, "`aptune %s --help` says more\n", argv[0]);
        return EXIT_USAGE;
    }
    SCOPED_ARENA *a = arena_new();
    Diag d = diag_new(a);
    const int failed = c->failed ? c->failed : EXIT_FAILED;
    Call call = {a, &d, c->options, count, argv + rest, failed, progress_new()};
    bool ok = c->work(&call);
    progress_end(&call.bar);
    command_flush_messages(&d);
    return ok ? EXIT_DONE : call.code;
}

int command_run(const CommandLine *c, int argc, char **argv)
{
    if (c->begin && !c->begin(c->options))
        return EXIT_FAILED;
    const int code = run(c, argc, argv);
    if (c->end)
        c->end(c->options);
    return code;
}

const Device *command_device(Call *call, const char *name, const Device *(*find)(const char *))
{
    const bool is_file = strchr(name, '/') || text_ends_with(name, ".device");
    const Device *d = is_file ? device_file_read(call->arena, name, call->diag) : find(name);
    if (!d && call->diag->errors == 0)
        diag_fail(call->diag, "unknown device '%s'; `aptune devices` lists those known%s", name,
                  find == device_find ? ""
                                      : "; gtx280, 8500gt and radeon5850 are those of the theses");
    call->code = d ? call->code : EXIT_USAGE;
    return d;
}

bool command_refuse(Call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("aptune: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    call->code = EXIT_USAGE;
    return false;
}

bool options_run_check(Call *call, RunOptions *o)
{
    const char *first = call->count > 0 ? call->words[0] : "", *end = strrchr(first, '.');
    if (!o->space && end && strcmp(end, ".spec") == 0) {
        o->space = first;
        call->words++;
        call->count--;
    }
    return o->space || command_refuse(call, "which space? Name a FILE.spec");
}

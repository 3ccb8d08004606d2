#include "tuner/compile/source.h"

#include <ctype.h>
#include <string.h>

typedef enum ValueKind {
    NO_VALUE,
    TRUTH,    /* true or false */
    NUMBER,   /* digits */
    WORD,     /* letters, digits and ". , _ +" */
    MACRO,    /* NAME or NAME=text; may follow the short option without '=' */
    PATH,     /* of a file or folder that is read; may follow -I without '=' */
    ASSEMBLER /* comma-separated options of ptxas */
} ValueKind;

typedef struct Allowed {
    const char *name;
    const char *also; /* its short form */
    ValueKind value;
} Allowed;

/* From "NVRTC 13.0, Supported Compile Options", without those that choose the architecture or kind of
 * output (not the spec's choice) and those that read or write other files. */
static const Allowed COMPILER[] = {
    {"--define-macro", "-D", MACRO},
    {"--undefine-macro", "-U", MACRO},
    {"--include-path", "-I", PATH},
    {"--pre-include", "-include", PATH},
    {SOURCE_WITHOUT_HEADER, "-without-header", PATH}, /* handled by the worker */
    {SOURCE_ONLY_FOR, "-only-for", WORD},             /* handled with the source */
    {"--std", "-std", WORD},
    {"--use_fast_math", "-use_fast_math", NO_VALUE},
    {"--ftz", "-ftz", TRUTH},
    {"--fmad", "-fmad", TRUTH},
    {"--prec-div", "-prec-div", TRUTH},
    {"--prec-sqrt", "-prec-sqrt", TRUTH},
    {"--maxrregcount", "-maxrregcount", NUMBER},
    {"--ptxas-options", "-Xptxas", ASSEMBLER},
    {"--extra-device-vectorization", "-extra-device-vectorization", NO_VALUE},
    {"--restrict", "-restrict", NO_VALUE},
    {"--generate-line-info", "-lineinfo", NO_VALUE},
    {"--device-debug", "-G", NO_VALUE},
    {"--dopt", "-dopt", WORD},
    {"--Ofast-compile", "-Ofc", WORD},
    {"--split-compile", "-split-compile", NUMBER},
    {"--jump-table-density", "-jtd", NUMBER},
    {"--modify-stack-limit", "-modify-stack-limit", TRUTH},
    {"--device-stack-protector", "-device-stack-protector", TRUTH},
    {"--frandom-seed", "-frandom-seed", WORD},
    {"--minimal", "-minimal", NO_VALUE},
    {"--no-source-include", "-no-source-include", NO_VALUE},
    {"--builtin-move-forward", "-builtin-move-forward", TRUTH},
    {"--builtin-initializer-list", "-builtin-initializer-list", TRUTH},
    {"--device-as-default-execution-space", "-default-device", NO_VALUE},
    {"--device-int128", "-device-int128", NO_VALUE},
    {"--device-float128", "-device-float128", NO_VALUE},
    {"--disable-warnings", "-w", NO_VALUE},
    {"--diag-error", "-diag-error", WORD},
    {"--diag-suppress", "-diag-suppress", WORD},
    {"--diag-warn", "-diag-warn", WORD},
    {"--brief-diagnostics", "-brief-diag", TRUTH},
    {"--display-error-number", "-err-no", NO_VALUE},
    {"--no-display-error-number", "-no-err-no", NO_VALUE},
    {"--optimization-info", "-opt-info", WORD},
    {"--no-cache", "-no-cache", NO_VALUE},
};

/* From "nvcc 13.0, Ptxas Options". */
static const Allowed PTXAS[] = {
    {"--opt-level", "-O", NUMBER},
    {"--verbose", "-v", NO_VALUE},
    {"--allow-expensive-optimizations", "-allow-expensive-optimizations", TRUTH},
    {"--def-load-cache", "-dlcm", WORD},
    {"--def-store-cache", "-dscm", WORD},
    {"--force-load-cache", "-flcm", WORD},
    {"--force-store-cache", "-fscm", WORD},
    {"--fmad", "-fmad", TRUTH},
    {"--maxrregcount", "-maxrregcount", NUMBER},
    {"--device-function-maxrregcount", "-func-maxrregcount", NUMBER},
    {"--generate-line-info", "-lineinfo", NO_VALUE},
    {"--disable-optimizer-constants", "-disable-optimizer-consts", NO_VALUE},
    {"--disable-warnings", "-w", NO_VALUE},
    {"--warn-on-spills", "-warn-spills", NO_VALUE},
    {"--warn-on-local-memory-usage", "-warn-lmem-usage", NO_VALUE},
    {"--warn-on-double-precision-use", "-warn-double-usage", NO_VALUE},
    {"--suppress-stack-size-warning", "-suppress-stack-size-warning", NO_VALUE},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The text after `name`, where a value may follow (`glued`: without '='); NULL: another option. */
static const char *behind(const char *option, const char *name, bool glued)
{
    size_t n = strlen(name);
    if (strncmp(option, name, n) != 0)
        return NULL;
    return glued || option[n] == '\0' || option[n] == '=' ? option + n : NULL;
}

static const Allowed *find(const Allowed *table, size_t count, const char *option,
                           const char **value)
{
    EACH (const Allowed, o, table, count) {
        bool glued = (o->value == MACRO || o->value == PATH || table == PTXAS) &&
                     strlen(o->also) == 2 && o->value != NO_VALUE;
        *value = behind(option, o->name, false);
        if (!*value)
            *value = behind(option, o->also, glued);
        if (*value)
            return o;
    }
    return NULL;
}

/* True if a text has letters, digits and `more` alone, and is not empty. */
static bool consists_of(const char *text, const char *more)
{
    const char *at = text;
    while (isalnum((unsigned char)*at) || (*at && strchr(more, *at)))
        at++;
    return *text && !*at;
}

static const char *refuse_assembler(Arena *a, const char *value)
{
    while (*value) {
        size_t n = strcspn(value, ",");
        const char *one = arena_copy(a, value, n), *rest;
        const Allowed *o = find(PTXAS, COUNT(PTXAS), one, &rest);
        rest = o && *rest == '=' ? rest + 1 : o ? rest : one;
        if (!o || (o->value == NO_VALUE ? *rest != '\0' : !consists_of(rest, "_")))
            return arena_printf(a, "passes '%s' to ptxas, which a spec may not", one);
        value += n + (value[n] == ',');
    }
    return NULL;
}

static const char *refuse_value(Arena *a, const Allowed *o, const char *value)
{
    size_t n = strlen(value);
    switch (o->value) {
    case NO_VALUE:
        break;
    case TRUTH:
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ? NULL
                                                                         : "takes true or false";
    case NUMBER:
        return n == strspn(value, "0123456789") ? NULL : "takes a number";
    case WORD:
        return consists_of(value, ".,_+") ? NULL : "takes a word, or numbers with commas";
    case MACRO:
        return isalpha((unsigned char)*value) || *value == '_' ? NULL : "takes a macro's name";
    case PATH:
        break;
    case ASSEMBLER:
        return refuse_assembler(a, value);
    }
    return NULL;
}

const char *option_refusal(Arena *a, const char *option)
{
    for (const char *p = option; *p; p++)
        if (iscntrl((unsigned char)*p))
            return "contains a control character";
    const char *value;
    const Allowed *o = find(COMPILER, COUNT(COMPILER), option, &value);
    if (!o)
        return "is not a compiler option that a spec may use (see option in spaces/README.md)";
    if (o->value == NO_VALUE)
        return *value ? "takes no value" : NULL;
    value += *value == '=';
    return *value ? refuse_value(a, o, value)
                  : "needs its value in the same string, as in \"-maxrregcount=32\"";
}

static void print_table(const Allowed *table, size_t count, Buf *out)
{
    static const char *const VALUES[] = {"",      "=true|false", "=NUMBER",  "=WORD",
                                         "=NAME", "=PATH",       "=OPTION,…"};
    enum { WIDTH = 100 };
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        const Allowed *o = &table[i];
        size_t size = strlen(o->name) + strlen(o->also) + strlen(VALUES[o->value]) + 3;
        bool fits = column > 0 && column + size < WIDTH;
        buf_puts(out, fits ? "  " : i ? "\n    " : "    ");
        buf_printf(out, "%s|%s%s", o->also, o->name, VALUES[o->value]);
        column = (fits ? column : 0) + size;
    }
    buf_puts(out, "\n");
}

void option_print_allowed(Buf *out)
{
    print_table(COMPILER, COUNT(COMPILER), out);
    buf_puts(out, "\nand behind `-Xptxas=`:\n\n");
    print_table(PTXAS, COUNT(PTXAS), out);
}

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
    enum { COMPILER, PTXAS } of;
    const char *name;
    const char *also; /* its short form */
    ValueKind value;
} Allowed;

static const Allowed options[] = {
#define OPTION(of, name, also, kind) {of, name, also, kind},
#include "tuner/compile/allowed.def"
};

/* The text after `name`, where a value may follow (`glued`: without '='); NULL: another option. */
static const char *behind(const char *option, const char *name, bool glued)
{
    size_t n = strlen(name);
    if (strncmp(option, name, n) != 0)
        return NULL;
    return glued || option[n] == '\0' || option[n] == '=' ? option + n : NULL;
}

static const Allowed *find(bool of_ptxas, const char *option, const char **value)
{
    EACH (const Allowed, o, options, COUNT_OF(options)) {
        bool glued = (o->value == MACRO || o->value == PATH || of_ptxas) && strlen(o->also) == 2 &&
                     o->value != NO_VALUE;
        *value = behind(option, o->name, false);
        if (!*value)
            *value = behind(option, o->also, glued);
        if (*value && (o->of == PTXAS) == of_ptxas)
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
        const Allowed *o = find(true, one, &rest);
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
    const Allowed *o = find(false, option, &value);
    if (!o)
        return "is not a compiler option that a spec may use (see option in spaces/README.md)";
    if (o->value == NO_VALUE)
        return *value ? "takes no value" : NULL;
    value += *value == '=';
    return *value ? refuse_value(a, o, value)
                  : "needs its value in the same string, as in \"-maxrregcount=32\"";
}

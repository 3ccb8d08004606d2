/* Tables of options: names, targets, help texts.
 *
 * The command line (tuner/command/command.h) and aptune_set read the same tables, so an option has
 * one name, one check and one message. A group names the struct that receives the values, which are
 * checked when read. Texts are not copied: they must outlive the struct. */
#pragma once

#include "metrics/base/diag.h"

typedef struct Option Option;

/* Stores a value in its field; false after a message. `text` is NULL for an option without a value. */
typedef bool (*OptionTake)(const Option *o, const char *text, void *field, Diag *d);

struct Option {
    const char *name;   /* "jobs"; a single letter is a short option */
    const char *value;  /* placeholder of the value in the help, "N"; "[N]": optional; NULL: no
                           value */
    const char *help;   /* one line */
    OptionTake take;    /* by the field's type, below, or its own */
    size_t offset;      /* offset in the group's target */
    double least, most; /* limits of a number */
};

static inline bool option_may_have_value(const Option *o)
{
    return o->value && o->value[0] == '[';
}

typedef struct OptionGroup {
    const Option *options;
    size_t count;
    void *target;                       /* struct that receives the values */
    void (*set_defaults)(void *target); /* sets the defaults; NULL: zeros */
} OptionGroup;

/* All options of an array, with their target. */
#define OPTION_GROUP(list, target) OPTION_GROUP_FROM(list, target, NULL)
#define OPTION_GROUP_FROM(list, target, set_defaults)                                              \
    {                                                                                              \
        list, COUNT_OF(list), target, set_defaults                                                 \
    }

enum { OPTIONS_MOST = 64, OPTION_GROUPS_MOST = 4 };

/* All options of a command; unused groups are empty. */
typedef struct OptionTable {
    OptionGroup groups[OPTION_GROUPS_MOST];
} OptionTable;

/* Sets the defaults of all targets. */
void option_set_defaults(const OptionTable *t);

/* Sets an option by name; false after a message, also for unknown names. */
bool option_set(const OptionTable *t, const char *name, const char *text, Diag *d);

/* The name most similar to `name`, without single letters; NULL: none is close. */
const char *option_closest(const OptionTable *t, const char *name);

/* --- values ----------------------------------------------------------------------------------- */

/* A bool: true when the option is given. */
bool option_flag(const Option *o, const char *text, void *field, Diag *d);

/* A const char *: the argument itself. */
bool option_text(const Option *o, const char *text, void *field, Diag *d);

enum { OPTION_TEXTS_MOST = 32 };

/* Values of an option that may be given several times. */
typedef struct OptionTexts {
    const char *at[OPTION_TEXTS_MOST];
    size_t count;
} OptionTexts;

/* An OptionTexts: appends one. */
bool option_texts(const Option *o, const char *text, void *field, Diag *d);

/* An int within least and most. */
bool option_count(const Option *o, const char *text, void *field, Diag *d);

/* A double above zero and at most `most`. */
bool option_seconds(const Option *o, const char *text, void *field, Diag *d);

/* A double of zero or above, at most `most`. */
bool option_size(const Option *o, const char *text, void *field, Diag *d);

/* The last initializers of an Option, by the field's type. */
#define OPTION_INTO(T, field, least, most)                                                         \
    _Generic(((T *)0)->field,                                                                      \
        bool: option_flag,                                                                         \
        const char *: option_text,                                                                 \
        OptionTexts: option_texts,                                                                 \
        int: option_count),                                                                        \
        offsetof(T, field), (least), (most)

/* Problem sizes that the user asks for and the spec does not list. */
#include "tuner/spec/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The value of "NAME=" in settings separated by blanks or commas; NULL: none. */
static const char *setting(Arena *a, const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text + strspn(text, " ,"); *at; at += strspn(at, " ,")) {
        const size_t n = strcspn(at, " ,");
        if (n > length && strncmp(at, name, length) == 0 && at[length] == '=')
            return arena_copy(a, at + length + 1, n - length - 1);
        at += n;
    }
    return NULL;
}

/* True for a list of "NAME=…" with names of the problem only. */
static bool is_settings(Arena *a, const Spec *s, const char *text)
{
    size_t count = 0;
    for (const char *at = text + strspn(text, " ,"); *at; at += strspn(at, " ,"), count++) {
        const size_t n = strcspn(at, " ,"), name = strcspn(at, "= ,");
        if (name == n || word_place(arena_copy(a, at, name), s->problem_names,
                                    s->problem_name_count) == SIZE_MAX)
            return false;
        at += n;
    }
    return count > 0;
}

static bool read_value(const char *text, ValueKind kind, Value *out)
{
    char *end;
    errno = 0;
    *out = kind == VALUE_REAL ? value_real(strtod(text, &end))
                              : value_int((int64_t)strtoll(text, &end, 10));
    return errno == 0 && end != text && *end == '\0';
}

const char *spec_problem_text(Arena *a, const Spec *s, const Value *values, const bool *only)
{
    Buf text = {0};
    for (size_t i = 0; i < s->problem_name_count; i++) {
        if (only && !only[i])
            continue;
        buf_printf(&text, "%s%s=", text.size ? " " : "", s->problem_names[i]);
        value_print_bare(values[i], &text);
    }
    return buf_keep(&text, a);
}

bool spec_add_problem(Arena *a, Spec *s, const char *text)
{
    const size_t names = s->problem_name_count;
    const Problem *first = &s->problems[0];
    Problem p = {.at = first->at, .values = ARENA_ARRAY(a, Value, names), .exprs = first->exprs};
    bool ok = is_settings(a, s, text);
    for (size_t i = 0; i < names && ok; i++) {
        const char *value = setting(a, text, s->problem_names[i]);
        Evaluation ev = {.arena = a};
        ok = value ? read_value(value, first->values[i].kind, &p.values[i])
                   : expr_eval(first->exprs[i], p.values, &ev, &p.values[i]);
    }
    if (!ok)
        return false;
    p.text = spec_problem_text(a, s, p.values, NULL);
    Problem *more = ARENA_ARRAY(a, Problem, s->problem_count + 1);
    memcpy(more, s->problems, s->problem_count * sizeof *more);
    more[s->problem_count++] = p;
    s->problems = more;
    return true;
}

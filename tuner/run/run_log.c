/* What the spec can do about errors of the compiler. */
#include "tuner/run/run_parts.h"

#include "tuner/spec/code_text.h"

/* The word that the caret below an error's line points at, or right behind; length 0: none. `at`: of the
 * error. */
static Word word_shown(const char *at)
{
    const char *line = at;
    for (const char *next; *line && *line != '\n'; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        const size_t column = strspn(next, " ");
        if (next[column] != '^' || (size_t)(next - line) <= column)
            continue;
        const char *end = line + column;
        while (code_is_name(*end))
            end++;
        if (end == line + column)
            end = code_trim(line, end);
        return code_word_before(line, end);
    }
    return (Word){at, 0};
}

/* A parameter that a name stands for: itself, or one in the text of the macro. NULL: none. */
static const Parameter *parameter_of(Arena *a, const Spec *s, const CompileSource *source,
                                     Word name)
{
    const char *macro = code_definition(source->text, name);
    const char *text = macro ? arena_copy(a, macro, (size_t)(code_line_end(macro) - macro)) : "";
    for (size_t i = 0; i < s->parameter_count && name.length; i++)
        if (spec_parameter_is_macro(s, i) &&
            (code_same(name, s->parameters[i].name) || code_has_word(text, s->parameters[i].name)))
            return &s->parameters[i];
    return NULL;
}

/* Names in the source that the compiler reads as values of parameters. */
static void explain_names(const Spec *s, const CompileSource *source, const char *log, Diag *d)
{
    static const char EXPECTED[] = "error: expected";
    Texts said = {0};
    for (const char *at = log; (at = strstr(at, EXPECTED)) != NULL; at += strlen(EXPECTED)) {
        const Parameter *p = parameter_of(d->arena, s, source, word_shown(at));
        if (!p || word_place(p->name, said.at, said.count) < SIZE_MAX)
            continue;
        VEC_PUSH(d->arena, &said, p->name);
        diag_note(d, p->at,
                  "'%s' is a parameter, and thus a macro: the compiler reads its value instead of "
                  "the name; if the source means something else by '%s', give the parameter "
                  "another name",
                  p->name, p->name);
    }
}

void run_explain_log(const Spec *s, const CompileSource *source, const char *log,
                     const Texts *missing, Diag *d)
{
    explain_names(s, source, log, d);
    SCOPED_BUF options = {0};
    for (size_t i = 0; i < missing->count; i++)
        buf_printf(&options, "\noption \"" SOURCE_WITHOUT_HEADER "=%s\"", missing->at[i]);
    if (missing->count)
        diag_note(d, (Span){0},
                  "include \"FOLDER\" in the spec names the folder of a header; one of which the "
                  "kernel needs nothing is read as empty with%s",
                  buf_text(&options));
}

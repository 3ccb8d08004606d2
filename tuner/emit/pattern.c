#include "tuner/emit/code_parts.h"
#include "tuner/spec/code_text.h"

#include <assert.h>
#include <ctype.h>

/* A paragraph of a pattern with the empty lines after it, or the replacement of a sample. */
typedef struct Part {
    const char *text;
    bool is_own; /* of a pattern */
    bool is_left_out;
} Part;

typedef struct Filling {
    Arena *arena;
    const char *prefix;
    const PatternText *texts;
    size_t text_count;
    VEC(Part) parts;
    Buf lines; /* of the part to come */
} Filling;

static void end_part(Filling *f)
{
    if (f->lines.size > 0)
        VEC_PUSH(f->arena, &f->parts,
                 ((Part){arena_string(f->arena, buf_text(&f->lines)), true, false}));
    buf_clear(&f->lines);
}

static void add_line(Filling *f, const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || !text_is_word(line[i - 1]);
        const bool small = begins && strncmp(line + i, "unit_", 5) == 0;
        const bool large = begins && strncmp(line + i, "UNIT_", 5) == 0;
        if (!small && !large) {
            buf_putc(&f->lines, line[i]);
            continue;
        }
        for (const char *p = f->prefix; *p; p++)
            buf_putc(&f->lines, large ? (char)toupper((unsigned char)*p) : *p);
        i += 4;
    }
}

static const char *file_text(const char *name)
{
    const Source *file = NAME_FIND(unit_files, unit_file_count, name, name);
    assert(file);
    return file->text;
}

static void add_file(Filling *f, const char *text);

/* Adds the replacement of a sample. */
static void add_text(Filling *f, const char *name)
{
    const PatternText *t = NAME_FIND(f->texts, f->text_count, name, name);
    assert(t);
    end_part(f);
    if (t->file)
        add_file(f, file_text(t->file));
    else if (t->text)
        VEC_PUSH(f->arena, &f->parts, ((Part){t->text, false, false}));
}

static void add_file(Filling *f, const char *text)
{
    static const char mark[] = "/*%% ", include[] = "#include \"";
    bool in_sample = false; /* after a mark that has a name */
    for (size_t length; *text; text += length) {
        const char *at = text + strspn(text, " ");
        length = strcspn(text, "\n") + 1;
        if (strncmp(at, mark, strlen(mark)) == 0) {
            const char *name = at + strlen(mark);
            in_sample = *name != '*';
            if (in_sample)
                add_text(f, arena_copy(f->arena, name, strcspn(name, " ")));
        } else if (!in_sample && strncmp(at, include, strlen(include)) == 0) {
            const char *name = at + strlen(include);
            add_file(f, file_text(arena_copy(f->arena, name, strcspn(name, "\""))));
        } else if (!in_sample) {
            add_line(f, text, length);
            if (length == 1)
                end_part(f);
        }
    }
}

/* --- unused functions ------------------------------------------------------------------------- */

/* The name of the function that a part defines, in `a`; NULL: it is something else. */
static const char *function_name(Arena *a, const Part *p)
{
    const char *start =
        strncmp(p->text, "static ", 7) == 0 ? p->text : strstr(p->text, "\nstatic ");
    const char *bracket = start ? strchr(start, '(') : NULL;
    const char *end = bracket;
    if (!p->is_own || !bracket || !strstr(bracket, "\n{\n"))
        return NULL;
    while (end > start && text_is_word(end[-1]))
        end--;
    return arena_copy(a, end, (size_t)(bracket - end));
}

/* From the last to the first, since functions come after those that they call. */
static void leave_out_unused(Filling *f)
{
    for (size_t i = f->parts.count; i-- > 0;) {
        Part *p = &f->parts.at[i];
        const char *name = function_name(f->arena, p);
        p->is_left_out = name != NULL;
        for (size_t k = i + 1; k < f->parts.count && p->is_left_out; k++)
            p->is_left_out =
                f->parts.at[k].is_left_out || !code_has_word(f->parts.at[k].text, name);
    }
}

static bool ends_with_empty_line(const Buf *b)
{
    return b->size >= 2 && memcmp(b->text + b->size - 2, "\n\n", 2) == 0;
}

void pattern_fill(const char *file, const char *prefix, const PatternText *texts, size_t count,
                  Buf *out)
{
    Filling f = {.arena = arena_new(), .prefix = prefix, .texts = texts, .text_count = count};
    add_file(&f, file_text(file));
    end_part(&f);
    leave_out_unused(&f);
    for (size_t i = 0; i < f.parts.count; i++) {
        const char *text = f.parts.at[i].text;
        while (*text == '\n' && ends_with_empty_line(out))
            text++;
        buf_puts(out, f.parts.at[i].is_left_out ? "" : text);
    }
    buf_free(&f.lines);
    arena_free(f.arena);
}

#include "tuner/compile/reached.h"

#include "tuner/compile/host_code.h"
#include "tuner/spec/code_text.h"

#include <string.h>

typedef struct Reachable {
    HostDeclaration d; /* of a macro: the rest of its line */
    size_t text;
    bool macro, kept;
} Reachable;

/* A name and what declares it. */
typedef struct Name {
    const char *name;
    VEC(size_t) items;
    bool reached, space, toolkit; /* a namespace or class, one of the toolkit's */
    struct Name *next;
} Name;

enum { BUCKETS = 1 << 14 };

typedef struct Reach {
    Arena *arena;
    VEC(Reachable) items;
    Name **names;         /* BUCKETS of them */
    VEC(Name *) followed; /* reached, the last of them not yet looked at */
} Reach;

static Name *name_of(Reach *r, const char *at, size_t length)
{
    size_t hash = 5381;
    for (size_t i = 0; i < length; i++)
        hash = hash * 33 + (unsigned char)at[i];
    Name **n = &r->names[hash % BUCKETS];
    while (*n && (strncmp((*n)->name, at, length) != 0 || (*n)->name[length]))
        n = &(*n)->next;
    if (!*n) {
        *n = ARENA_NEW(r->arena, Name);
        **n = (Name){.name = arena_copy(r->arena, at, length)};
    }
    return *n;
}

static Name *find(Reach *r, const char *name)
{
    return name_of(r, name, strlen(name));
}

static void add_item(Reach *r, HostDeclaration d, size_t text, bool macro)
{
    for (size_t i = 0; i < d.names.count; i++)
        VEC_PUSH(r->arena, &find(r, d.names.at[i])->items, r->items.count);
    for (size_t i = 0; i < d.special.count; i++)
        VEC_PUSH(r->arena, &find(r, d.special.at[i])->items, r->items.count);
    if (d.owner)
        VEC_PUSH(r->arena, &find(r, d.owner)->items, r->items.count);
    VEC_PUSH(r->arena, &r->items, ((Reachable){d, text, macro, false}));
}

/* Names behind "namespace", "class" … */
static void note_spaces(Reach *r, const char *text)
{
    static const char *const WORDS[] = {"namespace", "class",    "struct",
                                        "enum",      "typename", "define"};
    text = code_bare(r->arena, text);
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        for (const char *at = text; (at = code_find_word(at, WORDS[i], text)) != NULL; at++) {
            const Word w = code_word(code_skip(at + strlen(WORDS[i]), text + strlen(text)));
            const bool used = at - text > 6 && strncmp(at - 6, "using ", 6) == 0;
            if (w.length && !used)
                name_of(r, w.at, w.length)->space = true;
        }
}

static void add_text(Reach *r, const char *text, size_t number)
{
    HostDeclarations all = {0};
    host_declarations(r->arena, text, &all);
    for (size_t i = 0; i < all.count; i++)
        add_item(r, all.at[i], number, false);
    for (const char *line = text; *line; line = code_next_line(line)) {
        const char *at = code_behind(line, "define");
        const Word w = code_word(at ? at : "");
        HostDeclaration d = {.start = w.at + w.length, .end = code_line_end(line)};
        if (!w.length)
            continue;
        VEC_PUSH(r->arena, &d.names, code_copy(r->arena, w));
        add_item(r, d, number, true);
    }
}

static void reach(Reach *r, Name *n)
{
    if (!n->reached)
        VEC_PUSH(r->arena, &r->followed, n);
    n->reached = true;
}

static void reach_words(Reach *r, const char *start, const char *end)
{
    for (const char *at = start; at < end;) {
        const size_t quiet = code_quiet(start, at);
        const Word w = quiet ? (Word){at, 0} : code_word(at);
        if (w.length)
            reach(r, name_of(r, w.at, w.length));
        at += quiet ? quiet : w.length ? w.length : 1;
    }
}

/* Does it name a namespace or class that nothing here declares? */
static bool is_foreign(Reach *r, const HostDeclaration *d)
{
    bool foreign = d->spaces && d->names.count && !find(r, d->names.at[0])->space;
    for (size_t i = 0; i < d->scopes.count; i++)
        foreign = foreign || !find(r, d->scopes.at[i])->space;
    return foreign;
}

static void keep(Reach *r, size_t item)
{
    Reachable *x = &r->items.at[item];
    const HostDeclaration d = x->d;
    bool named = d.names.count == 0 || d.spaces;
    for (size_t i = 0; i < d.names.count; i++)
        named = named || find(r, d.names.at[i])->reached;
    for (size_t i = 0; i < d.names.count && d.operates; i++)
        named = named && (find(r, d.names.at[i])->reached || !find(r, d.names.at[i])->space);
    for (size_t i = 0; i < d.special.count; i++) /* who names none of it needs it not */
        named = named && (find(r, d.special.at[i])->reached || find(r, d.special.at[i])->toolkit);
    if (x->kept || !named || (d.owner && !find(r, d.owner)->reached) || is_foreign(r, &d))
        return;
    x->kept = true;
    reach_words(r, d.start, d.end);
}

/* Blanks, but for line ends and directives. */
static void blank(char *text, size_t from, size_t to)
{
    bool line_start = from == 0 || text[from - 1] == '\n';
    for (size_t i = from; i < to; i++) {
        if (line_start && *code_blanks(text + i) == '#') {
            i = (size_t)(code_line_end(text + i) - text);
            line_start = true;
            continue;
        }
        line_start = text[i] == '\n';
        if (!line_start)
            text[i] = ' ';
    }
}

void reached_cut(Arena *a, const char **texts, size_t count, const char *roots)
{
    static const char *const SPACES[] = {
        "std", "cuda", "cub", "thrust", "nvcuda", "cooperative_groups", "cg", "wmma"};
    Reach r = {.arena = a, .names = ARENA_ARRAY(a, Name *, BUCKETS)};
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++)
        find(&r, SPACES[i])->space = find(&r, SPACES[i])->toolkit = true;
    for (size_t i = 0; i < count; i++) {
        note_spaces(&r, texts[i]);
        add_text(&r, texts[i], i);
    }
    reach_words(&r, roots, roots + strlen(roots));
    for (size_t i = 0; i < r.items.count; i++)
        if (r.items.at[i].d.names.count == 0 || r.items.at[i].d.spaces)
            keep(&r, i);
    for (size_t i = 0; i < r.followed.count; i++) {
        const Name *n = r.followed.at[i];
        for (size_t k = 0; k < n->items.count; k++)
            keep(&r, n->items.at[k]);
    }
    char **copies = ARENA_ARRAY(a, char *, count);
    for (size_t i = 0; i < count; i++)
        copies[i] = arena_copy(a, texts[i], strlen(texts[i]));
    for (size_t i = 0; i < r.items.count; i++) {
        const Reachable *x = &r.items.at[i];
        const char *text = texts[x->text];
        if (!x->kept && !x->macro)
            blank(copies[x->text], (size_t)(x->d.start - text), (size_t)(x->d.end - text));
    }
    for (size_t i = 0; i < count; i++)
        texts[i] = copies[i];
}

/* Statements about kernels: launches, compiler options, reference kernels. */
#include "tuner/spec/spec_build.h"

#include "metrics/base/file.h"

/* --- strings with "{expr}" in place of values: kernel names, options, commands ------------------ */

/* Parses the expression from `start` to `end` of the spec's text, so that messages show the place. */
static Expr *parse_inside(Reader *r, size_t start, size_t end)
{
    const Source *whole = r->spec->source;
    const Source *part = source_new(r->a, whole->name, arena_copy(r->a, whole->text, end), end);
    Lexer l = {.arena = r->a, .diag = r->d, .source = part, .at = start};
    lexer_next(&l);
    Expr *e = expr_parse(&l);
    if (e && !lexer_at_end_of_line(&l)) {
        diag_error(r->d, l.token.at, "expected '}' after the value, found %s", lexer_describe(&l));
        return NULL;
    }
    return e;
}

typedef struct Scan {
    Reader *reader;
    size_t at, end; /* in the spec's text, from after the opening to the closing quote */
    Buf literal;
    Text *out;
} Scan;

static void add_piece(Scan *s, Expr *value)
{
    TextPiece piece = {arena_string(s->reader->a, buf_text(&s->literal)), value};
    SPEC_ADD(s->reader->a, s->out, pieces, piece_count, piece);
    buf_clear(&s->literal);
}

/* Scans a character, escape, doubled brace or value. */
static bool scan_next(Scan *s)
{
    const char *text = s->reader->spec->source->text;
    char c = text[s->at++];
    char next = s->at < s->end ? text[s->at] : '\0';
    if (c == '\\' || ((c == '{' || c == '}') && next == c)) {
        buf_putc(&s->literal, c != '\\' ? c : next == 'n' ? '\n' : next == 't' ? '\t' : next);
        s->at++;
    } else if (c == '{') {
        const char *close = memchr(text + s->at, '}', s->end - s->at);
        Span open = {s->reader->spec->source, s->at - 1, 1};
        if (!close)
            return diag_error(s->reader->d, open,
                              "this brace is not closed by '}'; write '{{' for a literal brace");
        size_t end = (size_t)(close - text);
        Expr *e = parse_inside(s->reader, s->at, end);
        if (!e)
            return false;
        add_piece(s, e);
        s->at = end + 1;
    } else {
        buf_putc(&s->literal, c);
    }
    return true;
}

/* Takes a string with values in braces. */
static bool take_text(Reader *r, const char *what, Text *out)
{
    Span at = r->l.token.at;
    *out = (Text){.at = at};
    if (!reader_take_string(r, what, &out->written))
        return false;
    Scan s = {.reader = r, .at = at.offset + 1, .end = at.offset + at.length - 1, .out = out};
    bool ok = true;
    while (ok && s.at < s.end)
        ok = scan_next(&s);
    add_piece(&s, NULL);
    buf_free(&s.literal);
    return ok;
}

const char *spec_text_fill(const Text *t, const Value *slots, Evaluation *ev)
{
    SCOPED_BUF out = {0};
    for (size_t i = 0; i < t->piece_count; i++) {
        Value v;
        buf_puts(&out, t->pieces[i].text);
        if (!t->pieces[i].value)
            continue;
        if (!expr_eval(t->pieces[i].value, slots, ev, &v))
            return NULL;
        value_print_bare(v, &out);
    }
    return arena_string(ev->arena, buf_text(&out));
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Launch lines: they follow a kernel on their own lines, a reference on its line. */
static const char *const WORDS[LAUNCH_WORDS] = {"block",  "grid",        "shared", "args",
                                                "repeat", "cooperative", "double"};

/* The text after the current token and blanks. */
static const char *text_ahead(const Lexer *l)
{
    const char *next = l->source->text + l->at;
    return next + strspn(next, " \t");
}

static bool is_launch_word(const Lexer *l)
{
    return l->token.kind == TOKEN_NAME && word_place(l->token.text, WORDS, LAUNCH_WORDS) < SIZE_MAX;
}

static bool take_kernel_name(Reader *r, Launch *k)
{
    if (is_launch_word(&r->l))
        return lexer_wrong(&r->l, "the name of the kernel");
    if (r->l.token.kind != TOKEN_STRING)
        return lexer_take_name(&r->l, "the name of the kernel", &k->entry);
    k->expression = true;
    if (!take_text(r, "the name of the kernel", &k->name))
        return false;
    k->entry = k->name.written;
    return *k->entry || diag_error(r->d, k->name.at, "the name of the kernel is empty");
}

/* Takes "file.cu" NAME, of kernels and references. A missing file is reported, but reading goes on. */
static bool take_kernel(Reader *r, Launch *k)
{
    k->command = lexer_take(&r->l, "command");
    if (!k->command)
        return reader_take_path(r, "the file of the kernel", &k->file, &k->path) &&
               take_kernel_name(r, k);
    bool ok = take_text(r, "the command that prints the kernel's source", &k->command_text);
    k->file = k->command_text.written;
    k->path = path_folder(r->a, r->spec->source->name);
    return ok && take_kernel_name(r, k);
}

/* kernel [command] "file.cu" NAME: begins a launch, which block, grid … lines follow */
bool read_kernel(Reader *r)
{
    r->kernel_met = true;
    Launch k = {.at = r->at, .entry = "this kernel"};
    bool ok = take_kernel(r, &k);
    SPEC_ADD(r->a, r->spec, launches, launch_count, k); /* also after a mistake: its lines follow */
    return ok;
}

/* --- the parts of a launch -------------------------------------------------------------------- */

/* NAME ":" TYPE "=" expr | expr */
static bool take_item(Reader *r, LaunchItem *item)
{
    item->at = r->l.token.at;
    if (r->l.token.kind == TOKEN_NAME && *text_ahead(&r->l) == ':') {
        Argument *g = item->own = ARENA_NEW(r->a, Argument);
        g->role = ARGUMENT_SCALAR;
        g->at = item->at;
        return lexer_take_name(&r->l, "the name of an argument", &g->name) &&
               reader_take_type(r, g) && lexer_expect(&r->l, "=", "and the value") &&
               reader_take_expr(r, &g->value);
    }
    if (!reader_take_expr(r, &item->choice))
        return false;
    item->at = expr_span(item->choice);
    return true;
}

/* item | "struct" "(" item { "," item } ")" */
static bool take_items(Reader *r, Launch *k)
{
    VEC(LaunchItem) items = {0};
    k->has_items = true;
    do {
        const bool several = lexer_take(&r->l, "struct");
        if (several && !lexer_expect(&r->l, "(", "with the struct's members"))
            return false;
        LaunchItem item = {0};
        do {
            if (items.count >= ARGUMENT_LIMIT)
                return diag_error(r->d, r->l.token.at, "more than %d arguments", ARGUMENT_LIMIT);
            if (!take_item(r, &item))
                return false;
            VEC_PUSH(r->a, &items, item);
            item = (LaunchItem){.joined = true};
        } while (several && lexer_take(&r->l, ","));
        if (several && !lexer_expect(&r->l, ")", "behind the struct's members"))
            return false;
    } while (lexer_take(&r->l, ","));
    k->items = items.at;
    k->item_count = items.count;
    return true;
}

/* expr | NAME "in" exprs | "together" */
static bool take_repeat(Reader *r, Launch *k)
{
    ExprVec values = {0};
    if (lexer_take(&r->l, "together"))
        return k->together = true;
    const char *next = text_ahead(&r->l);
    const bool named =
        r->l.token.kind == TOKEN_NAME && strncmp(next, "in", 2) == 0 && !text_is_word(next[2]);
    if (!named)
        return reader_take_expr(r, &k->repeat);
    if (!lexer_take_name(&r->l, "a name", &k->repeat_name) ||
        !lexer_expect(&r->l, "in", "and the values") || !reader_take_list(r, &values))
        return false;
    k->repeat_values = values.at;
    k->repeat_value_count = values.count;
    return true;
}

/* Reads the rest of a launch line, whose keyword was taken: block, grid: expr [ "," expr [ "," expr ] ];
 * shared: expr; args: item { "," item }; repeat: expr | NAME in exprs | together; cooperative: nothing */
static bool take_launch_line(Reader *r, Span at, const char *what, Launch *k)
{
    const size_t word = word_place(what, WORDS, LAUNCH_WORDS);
    if (k->lines & 1u << word)
        return diag_error(r->d, at, "%s already has %s %s line", k->entry,
                          word == WORD_ARGS ? "an" : "a", what);
    k->lines |= 1u << word;
    switch (word) {
    case WORD_BLOCK:
        return reader_take_dimensions(r, what, k->block);
    case WORD_GRID:
        return reader_take_dimensions(r, what, k->grid);
    case WORD_ARGS:
        return take_items(r, k);
    case WORD_REPEAT:
        return take_repeat(r, k);
    case WORD_COOPERATIVE:
        return k->cooperative = true;
    default:
        return reader_take_expr(r, &k->shared);
    }
}

/* block, grid, shared, args, repeat or cooperative on a line of its own: of the kernel above it */
bool read_launch_line(Reader *r)
{
    size_t n = r->spec->launch_count;
    if (n == 0)
        return diag_error(r->d, r->at, "'%s' belongs to a kernel: put it after the kernel line",
                          r->word);
    return take_launch_line(r, r->at, r->word, &r->spec->launches[n - 1]);
}

/* --- options ---------------------------------------------------------------------------------- */

/* option "-use_fast_math" [ if expr ] */
bool read_option(Reader *r)
{
    CompileOption o = {0};
    if (!take_text(r, "a compiler option", &o.text) ||
        (lexer_take(&r->l, "if") && !reader_take_expr(r, &o.condition)))
        return false;
    Spec *s = r->spec;
    s->option_parts = spec_grow(r->a, s->option_parts, s->option_count, sizeof o);
    s->option_parts[s->option_count] = o;
    SPEC_ADD(r->a, s, options, option_count, o.text.written);
    return true;
}

/* include "folder" */
bool read_include(Reader *r)
{
    const char *name, *path;
    if (!reader_take_path(r, "a folder with files to include", &name, &path))
        return false;
    SPEC_ADD(r->a, r->spec, includes, include_count, path);
    return true;
}

/* trips LINE | "text" = expr */
bool read_trips(Reader *r)
{
    SpecTrips t = {.at = r->at};
    const bool by_text = r->l.token.kind == TOKEN_STRING;
    if (!(by_text ? reader_take_string(r, "a part of the loop's line", &t.text)
                  : reader_take_integer(r, "the loop's line, or a part of it", 1, &t.line)) ||
        !lexer_expect(&r->l, "=", "before the number of rounds") || !reader_take_expr(r, &t.rounds))
        return false;
    SPEC_ADD(r->a, r->spec, trips, trip_count, t);
    return true;
}

/* --- references ------------------------------------------------------------------------------- */

/* "file.cu" NAME [ block … ] [ grid … ] …, on one line */
static bool read_reference_kernel(Reader *r)
{
    Launch k = {.at = r->at, .entry = "the reference"};
    bool named = take_kernel(r, &k), ok = named;
    if (k.command)
        ok = named = diag_error(r->d, r->at, "a reference is a file, not what a command prints");
    while (ok && is_launch_word(&r->l)) {
        Span word = r->l.token.at;
        const char *what = r->l.token.text;
        lexer_next(&r->l);
        if (strcmp(what, "double") == 0)
            k.in_double = true;
        else
            ok = take_launch_line(r, word, what, &k);
    }
    if (!ok)
        k.lines = ~0u; /* report one mistake only */
    SPEC_ADD(r->a, r->spec, reference, reference_count, k);
    return ok;
}

/* NAME "=" contents */
static bool read_reference_contents(Reader *r)
{
    Deferred p = {.at = r->l.token.at, .expected = ARENA_NEW(r->a, Contents)};
    if (!lexer_take_name(&r->l, "the kernel, the name of an output, or 'first'", &p.name) ||
        !lexer_expect(&r->l, "=", "and what the output must be") ||
        !reader_take_contents(r, p.expected))
        return false;
    VEC_PUSH(r->a, &r->deferred, p);
    return true;
}

bool read_reference(Reader *r)
{
    if (r->l.token.kind == TOKEN_STRING)
        return read_reference_kernel(r);
    if (!lexer_is(&r->l, "first") || *text_ahead(&r->l) == '=')
        return read_reference_contents(r);
    lexer_next(&r->l);
    r->spec->reference_first = true;
    return reader_only_once(r, &r->reference_first_at, r->at, "reference");
}

/* --- rivals: library calls that do the same work ------------------------------------------------ */

enum { RIVAL_LIMIT = 64 };

/* rival ( NAME | "file.so" ) CALL [ bound ] args item { "," item } */
bool read_rival(Reader *r)
{
    Rival v = {.takes = {.at = r->at, .entry = "the rival"}};
    if (r->spec->rival_count >= RIVAL_LIMIT)
        return diag_error(r->d, r->at, "more than %d rivals", RIVAL_LIMIT);
    /* A name, or a plugin's file in quotes.  Whoever runs the rival finds out whether the library exists: the
     * spec is valid without it. */
    static const char what[] = "the rival's library: cublas, memory, or a plugin";
    const bool file = r->l.token.kind == TOKEN_STRING;
    if (!(file ? reader_take_string(r, what, &v.library)
               : lexer_take_name(&r->l, what, &v.library)) ||
        !lexer_take_name(&r->l, "the name of the library's call", &v.call))
        return false;
    if (file)
        v.path = path_join(r->a, path_folder(r->a, r->spec->source->name), v.library);
    v.bound = lexer_take(&r->l, "bound");
    if (!lexer_expect(&r->l, "args", "and what the call takes") || !take_items(r, &v.takes))
        return false;
    SPEC_ADD(r->a, r->spec, rivals, rival_count, v);
    return true;
}

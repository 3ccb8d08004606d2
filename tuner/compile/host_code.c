#include "tuner/compile/host_code.h"

#include "metrics/base/vec.h"

#include <ctype.h>

/* --- words ------------------------------------------------------------------------------------ */

typedef struct Word {
    const char *at;
    size_t length;
} Word;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static Word word_at(const char *at)
{
    Word w = {at, 0};
    while (is_word(at[w.length]))
        w.length++;
    return w;
}

static bool same(Word w, const char *text)
{
    return strlen(text) == w.length && memcmp(w.at, text, w.length) == 0;
}

static bool is_one_of(Word w, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (same(w, list[i]))
            return true;
    return false;
}

#define IS_ONE_OF(w, list) is_one_of(w, list, sizeof(list) / sizeof *(list))

/* What makes a declaration the device's.  A constant expression serves both sides. */
static const char *const MARKS[] = {"__global__", "__device__",       "__constant__",
                                    "__shared__", "constexpr",        "__managed__",
                                    "consteval",  "__grid_constant__"};

/* Brackets behind these belong to no parameter list. */
static const char *const ATTRIBUTES[] = {"__align__",     "alignas",  "__launch_bounds__",
                                         "__attribute__", "decltype", "__declspec"};

/* Types that the device does not know. */
static const char *const HOST_TYPES[] = {"FILE",
                                         "cudaStream_t",
                                         "cudaEvent_t",
                                         "cudaError_t",
                                         "cudaDeviceProp",
                                         "CUmodule",
                                         "CUcontext",
                                         "CUdevice",
                                         "CUfunction",
                                         "CUstream",
                                         "cublasHandle_t",
                                         "cublasLtHandle_t",
                                         "cudnnHandle_t",
                                         "curandGenerator_t",
                                         "cusparseHandle_t",
                                         "ncclComm_t",
                                         "cublasComputeType_t",
                                         "timeval",
                                         "glob_t",
                                         "clock_t",
                                         "time_t",
                                         "pthread_t",
                                         "pthread_mutex_t",
                                         "pthread_cond_t"};

/* Those of C++ have names that others have, too: they count behind "std::", or first and before
 * '<', or first where all of std is used. */
static const char *const STD_TYPES[] = {
    "vector",  "string",     "map",        "unordered_map", "set",           "unordered_set",
    "list",    "deque",      "queue",      "stack",         "ofstream",      "ifstream",
    "fstream", "ostream",    "istream",    "stringstream",  "ostringstream", "mt19937",
    "thread",  "mutex",      "shared_ptr", "unique_ptr",    "function",      "chrono",
    "cout",    "cerr",       "cin",        "endl",          "string_view",   "filesystem",
    "future",  "atomic_flag"};

/* --- comments, literals, directives ----------------------------------------------------------- */

/* The comment or literal that begins here; 0: none does. */
static size_t quiet_size(const char *first, const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *close = strstr(at + 2, "*/");
        return close ? (size_t)(close + 2 - at) : strlen(at);
    }
    if (*at == '"' && at > first && at[-1] == 'R') {
        size_t n = strcspn(at + 1, "( )\\\t\n\"");
        char end[20] = ")";
        const char *close = NULL;
        if (at[1 + n] == '(' && n < sizeof end - 3) {
            strncat(end, at + 1, n);
            strcat(end, "\"");
            close = strstr(at + n + 2, end);
        }
        if (close)
            return (size_t)(close - at) + n + 2;
    }
    if (*at != '"' && (*at != '\'' || (at > first && is_word(at[-1]))))
        return 0;
    const char *p = at + 1;
    while (*p && *p != *at && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == *at ? (size_t)(p + 1 - at) : 1;
}

/* The end of a directive's line, with what a backslash joins to it. */
static const char *directive_end(const char *at)
{
    for (; *at && *at != '\n'; at++) {
        if (at[0] == '\\' && at[1] == '\r' && at[2] == '\n')
            at += 2;
        else if (at[0] == '\\' && at[1] == '\n')
            at++;
        else if (at[0] == '/' && at[1] == '*')
            at += quiet_size(at, at) - 1;
    }
    return at;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\f\v");
}

/* --- the state -------------------------------------------------------------------------------- */

/* A declaration as far as it has been read. */
typedef struct Declaration {
    const char *start; /* NULL before its first word */
    int brackets, braces;
    int words;       /* before its parameters */
    Word last;       /* of them */
    Word type;       /* the class's name */
    bool marked;     /* the device's */
    bool host;       /* of the host's types */
    bool parameters; /* it has a list of them */
    bool body;
    bool value;    /* '=' */
    bool constant; /* const: device code may use it */
    bool class_like, is_enum, is_namespace, is_linkage, is_typedef, is_template;
} Declaration;

enum { SCOPES = 64, CONDITIONS = 256 };

/* All that an #else goes back to. */
typedef struct State {
    Declaration d;
    int scopes;
    Word classes[SCOPES]; /* names; empty ones of namespaces */
} State;

typedef struct Cutter {
    Arena *arena;
    const char *text;
    char *out; /* NULL until something is cut */
    size_t size;
    const HostMarks *marks;
    State now;
    VEC(State) conditions; /* where each open #if began */
    HostMarks types;       /* names of the host's types that this text gives */
    bool uses_std;         /* "using namespace std" */
} Cutter;

static bool is_mark(const HostMarks *marks, Word w)
{
    return IS_ONE_OF(w, MARKS) || (marks && is_one_of(w, marks->at, marks->count));
}

/* Blanks for all but line ends and directives. */
static void cut(Cutter *c, const char *from, const char *to)
{
    if (!c->out)
        c->out = arena_copy(c->arena, c->text, c->size);
    bool line_start = from == c->text || from[-1] == '\n';
    for (const char *at = from; at < to;) {
        if (line_start && *skip_blanks(at) == '#') {
            at = directive_end(at);
            line_start = false;
            continue;
        }
        line_start = *at == '\n';
        if (*at != '\n')
            c->out[at - c->text] = ' ';
        at++;
    }
}

static void next_declaration(Cutter *c)
{
    c->now.d = (Declaration){0};
}

static Word scope_class(const State *s)
{
    return s->scopes > 0 && s->scopes <= SCOPES ? s->classes[s->scopes - 1] : (Word){0};
}

/* A macro's call looks like a function without a type, and is one where a body follows:
 * PYBIND11_MODULE(name, m) { … }. */
static bool is_function(const Cutter *c, const Declaration *d)
{
    Word owner = scope_class(&c->now);
    bool typed = d->words >= 2 || (d->body && owner.length == 0 && d->words == 1);
    bool constructor = owner.length && d->last.length == owner.length &&
                       memcmp(d->last.at, owner.at, owner.length) == 0;
    return d->parameters && !d->is_typedef && (typed || constructor || same(d->last, "main"));
}

/* Of a class they are what it holds.  "struct option options[]" declares no class; of those that
 * are const the device can use numbers alone. */
static bool is_variable(const Cutter *c, const Declaration *d)
{
    bool of_class = d->class_like && d->type.length && d->last.at != d->type.at;
    return !d->parameters && d->words >= 2 && (of_class || (!d->constant && !d->class_like)) &&
           !d->is_enum && !d->is_typedef && !d->is_template && scope_class(&c->now).length == 0;
}

/* At the end of a declaration. */
static void decide(Cutter *c, const char *end)
{
    const Declaration *d = &c->now.d;
    if (d->start && !d->marked && !d->is_namespace &&
        (is_function(c, d) || is_variable(c, d) || d->host))
        cut(c, d->start, end);
    if (d->host && d->is_typedef)
        VEC_PUSH(c->arena, &c->types, arena_copy(c->arena, d->last.at, d->last.length));
    next_declaration(c);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void enter_scope(Cutter *c, Word name)
{
    if (c->now.scopes < SCOPES)
        c->now.classes[c->now.scopes] = name;
    c->now.scopes++;
    next_declaration(c);
}

static void open_brace(Cutter *c)
{
    Declaration *d = &c->now.d;
    bool inside = d->braces > 0 || d->brackets > 0;
    if (!inside && !d->parameters && !d->value && (d->is_namespace || d->is_linkage))
        enter_scope(c, (Word){0});
    else if (!inside && !d->parameters && !d->value && d->class_like)
        enter_scope(c, d->type.length ? d->type : (Word){"?", 1});
    else
        d->braces++;
}

static void close_brace(Cutter *c, const char *at)
{
    Declaration *d = &c->now.d;
    if (d->braces == 0) {
        c->now.scopes -= c->now.scopes > 0;
        next_declaration(c);
        return;
    }
    d->braces--;
    d->body = true;
    if (d->braces == 0 && d->brackets == 0 && d->parameters && !d->value)
        decide(c, at + 1);
}

/* `before`: the word in front of the bracket. */
static void open_bracket(Cutter *c, Word before)
{
    Declaration *d = &c->now.d;
    bool list = d->brackets == 0 && d->braces == 0 && !d->value && !IS_ONE_OF(before, ATTRIBUTES);
    d->brackets++;
    d->parameters = d->parameters || (list && d->words > 0);
}

static bool is_std_type(const Cutter *c, Word w)
{
    bool named = w.at - c->text >= 5 && strncmp(w.at - 5, "std::", 5) == 0;
    const char *behind = skip_blanks(w.at + w.length);
    bool bare = c->uses_std && behind > w.at + w.length && is_word(*behind);
    bool first = w.at == c->now.d.start && (w.at[w.length] == '<' || bare);
    return ((named || first) && IS_ONE_OF(w, STD_TYPES)) ||
           is_one_of(w, c->types.at, c->types.count);
}

static void read_word(Cutter *c, Word w)
{
    static const char *const CLASSES[] = {"struct", "class", "union"};
    Declaration *d = &c->now.d;
    bool outside = d->brackets == 0 && d->braces == 0;
    if (!d->start)
        d->start = w.at;
    d->marked = d->marked || (d->braces == 0 && is_mark(c->marks, w));
    if (d->braces == 0 && !d->parameters)
        d->host = d->host || IS_ONE_OF(w, HOST_TYPES) || is_std_type(c, w);
    /* "= default", "= delete": what a class has without a function. */
    d->marked =
        d->marked || (outside && d->parameters && (same(w, "default") || same(w, "delete")));
    if (!outside || d->parameters || d->value)
        return;
    d->constant = d->constant || same(w, "const");
    if (d->class_like && d->type.length == 0 && !IS_ONE_OF(w, ATTRIBUTES))
        d->type = w;
    d->class_like = d->class_like || (IS_ONE_OF(w, CLASSES) && !d->is_enum);
    d->is_enum = d->is_enum || same(w, "enum");
    d->is_namespace = d->is_namespace || same(w, "namespace");
    d->is_typedef = d->is_typedef || same(w, "typedef") || same(w, "using");
    d->is_template = d->is_template || same(w, "template");
    if (!IS_ONE_OF(w, ATTRIBUTES) && !same(w, "template") && !same(w, "return")) {
        d->words++;
        d->last = w;
    }
}

/* "public:" */
static bool is_access(Word w)
{
    static const char *const WORDS[] = {"public", "private", "protected"};
    return IS_ONE_OF(w, WORDS);
}

/* At an #else: what the branch before left open may be a function that both end together. */
static void begin_again(Cutter *c, const char *directive)
{
    const State *before = &c->conditions.at[c->conditions.count - 1];
    const Declaration *d = &c->now.d;
    if (d->braces > 0 && d->start != before->d.start && !d->marked && is_function(c, d))
        cut(c, d->start, directive);
    c->now = *before;
}

static void read_condition(Cutter *c, const char *directive)
{
    Word w = word_at(skip_blanks(directive + 1));
    static const char *const OPEN[] = {"if", "ifdef", "ifndef"};
    static const char *const NEXT[] = {"else", "elif", "elifdef", "elifndef"};
    if (IS_ONE_OF(w, OPEN))
        VEC_PUSH(c->arena, &c->conditions, c->now);
    else if (c->conditions.count && IS_ONE_OF(w, NEXT))
        begin_again(c, directive);
    else if (c->conditions.count && same(w, "endif"))
        c->conditions.count--;
}

static void read_sign(Cutter *c, const char *at, Word before)
{
    Declaration *d = &c->now.d;
    if (!d->start && !isspace((unsigned char)*at) && !strchr("{};:", *at))
        d->start = at; /* "~" of a destructor, "[[" of an attribute */
    switch (*at) {
    case '(':
        open_bracket(c, before);
        break;
    case ')':
        d->brackets -= d->brackets > 0;
        break;
    case '{':
        open_brace(c);
        break;
    case '}':
        close_brace(c, at);
        break;
    case '=':
        d->value = d->value || (d->brackets == 0 && d->braces == 0 && !d->parameters &&
                                !same(before, "operator") && !d->is_template);
        break;
    case ':':
        if (d->brackets == 0 && d->braces == 0 && is_access(before))
            next_declaration(c);
        break;
    case ';':
        if (d->brackets == 0 && d->braces == 0)
            decide(c, at + 1);
        break;
    default:
        break;
    }
}

const char *host_code_cut(Arena *a, const char *text, size_t size, const HostMarks *marks)
{
    Cutter c = {.arena = a, .text = text, .size = size, .marks = marks};
    c.uses_std = strstr(text, "using namespace std") != NULL;
    bool line_start = true;
    Word before = {text, 0};
    for (const char *at = text; *at;) {
        size_t quiet = quiet_size(text, at);
        if (quiet) {
            if (*at == '"' && same(before, "extern") && c.now.d.braces == 0)
                c.now.d.is_linkage = true;
            line_start = line_start && *at == '/';
            at += quiet;
        } else if (*at == '#' && line_start) {
            read_condition(&c, at);
            at = directive_end(at);
        } else if (is_word(*at)) {
            before = word_at(at);
            read_word(&c, before);
            line_start = false;
            at += before.length;
        } else {
            read_sign(&c, at, before);
            if (!isspace((unsigned char)*at))
                before.length = 0;
            line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
            at++;
        }
    }
    return c.out ? c.out : text;
}

/* --- macros ----------------------------------------------------------------------------------- */

/* Does a directive's text hold a mark, or a macro known to be one? */
static bool holds_mark(const char *at, const char *end, const HostMarks *marks)
{
    while (at < end) {
        Word w = word_at(at);
        if (w.length && is_mark(marks, w))
            return true;
        at += w.length ? w.length : 1;
    }
    return false;
}

void host_marks_add(Arena *a, const char *text, HostMarks *marks)
{
    for (const char *line = text; *line;) {
        const char *at = skip_blanks(line);
        const char *end = *at == '#' ? directive_end(at) : at + strcspn(at, "\n");
        Word define = *at == '#' ? word_at(skip_blanks(at + 1)) : (Word){at, 0};
        if (same(define, "define")) {
            Word name = word_at(skip_blanks(define.at + define.length));
            if (holds_mark(name.at + name.length, end, marks))
                VEC_PUSH(a, marks, arena_copy(a, name.at, name.length));
        }
        line = end + (*end == '\n');
    }
}

/* The word of a directive and the name behind it, when the line is one. */
static bool directive_is(const char *line, const char *word, Word *name)
{
    const char *at = skip_blanks(line);
    Word w = *at == '#' ? word_at(skip_blanks(at + 1)) : (Word){0};
    if (!w.length || !same(w, word))
        return false;
    *name = word_at(skip_blanks(w.at + w.length));
    return name->length > 0;
}

const char *macros_yield(Arena *a, const char *text, const char *const *names, size_t count)
{
    char *out = NULL;
    Word guard = {0}, name;
    for (const char *line = text; *line;) {
        const char *end = directive_end(line);
        /* A macro with arguments is another thing, one without a value a switch. */
        bool guarded = directive_is(line, "define", &name) && guard.length == name.length &&
                       memcmp(guard.at, name.at, name.length) == 0;
        bool yields = !guarded && directive_is(line, "define", &name) &&
                      is_one_of(name, names, count) && name.at[name.length] != '(' &&
                      skip_blanks(name.at + name.length) < end;
        if (yields && !out)
            out = arena_copy(a, text, strlen(text));
        for (const char *at = line; yields && at < end; at++)
            if (*at != '\n')
                out[at - text] = ' ';
        if (!directive_is(line, "ifndef", &guard))
            guard.length = 0;
        line = end + (*end == '\n');
    }
    return out ? out : text;
}

/* --- headers ---------------------------------------------------------------------------------- */

bool host_code_expects_headers(const char *text)
{
    /* What tuner/compile/worker/stubs.c declares. */
    static const char *const NAMES[] = {
        "include",     "int8_t",     "uint8_t",   "int16_t",     "uint16_t",   "int32_t",
        "uint32_t",    "int64_t",    "uint64_t",  "intptr_t",    "uintptr_t",  "uint",
        "ushort",      "ulong",      "INT_MAX",   "INT_MIN",     "UINT_MAX",   "LLONG_MAX",
        "LLONG_MIN",   "ULLONG_MAX", "LONG_MAX",  "LONG_MIN",    "CHAR_BIT",   "SHRT_MAX",
        "UCHAR_MAX",   "FLT_MAX",    "FLT_MIN",   "FLT_EPSILON", "DBL_MAX",    "DBL_MIN",
        "DBL_EPSILON", "M_PI",       "M_PI_2",    "M_E",         "M_SQRT2",    "M_SQRT1_2",
        "M_LN2",       "M_LOG2E",    "M_1_PI",    "M_2_PI",      "INFINITY",   "NAN",
        "HUGE_VAL",    "UINT8_MAX",  "INT32_MAX", "INT32_MIN",   "UINT32_MAX", "INT64_MAX",
        "UINT64_MAX"};
    for (const char *at = text; *at;) {
        size_t quiet = quiet_size(text, at);
        Word w = quiet ? (Word){at, 0} : word_at(at);
        if (w.length && IS_ONE_OF(w, NAMES))
            return true;
        at += quiet ? quiet : w.length ? w.length : 1;
    }
    return false;
}

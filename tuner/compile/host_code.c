#include "tuner/compile/host_code.h"

#include "tuner/spec/code_text.h"

#include <ctype.h>

/* --- words ------------------------------------------------------------------------------------ */

/* Words that mark device declarations. Constant expressions serve both sides. */
static const char MARKS[] =
    "__global__ __device__ __constant__ __shared__ constexpr __managed__ consteval "
    "__grid_constant__";

/* Words whose parentheses are no parameter list. */
static const char ATTRIBUTES[] =
    "__align__ alignas __launch_bounds__ __attribute__ decltype __declspec requires";

static const char HOST_TYPES[] =
    "FILE cudaStream_t cudaEvent_t cudaError_t cudaDeviceProp CUmodule CUcontext CUdevice "
    "CUfunction CUstream cublasHandle_t cublasLtHandle_t cudnnHandle_t curandGenerator_t "
    "cusparseHandle_t ncclComm_t cublasComputeType_t timeval glob_t clock_t time_t pthread_t "
    "pthread_mutex_t pthread_cond_t";

/* Host-only types of std. Their names are common: they count after "std::", or at the start of a
 * declaration before '<', or there under "using namespace std". */
static const char STD_TYPES[] =
    "vector string map unordered_map set unordered_set list deque queue stack ofstream ifstream "
    "fstream ostream istream stringstream ostringstream mt19937 thread mutex shared_ptr "
    "unique_ptr function chrono cout cerr cin endl string_view filesystem future atomic_flag";

/* --- the state -------------------------------------------------------------------------------- */

/* A declaration while it is being read. */
typedef struct Declaration {
    const char *start; /* NULL before its first word */
    int brackets, braces;
    int words;       /* before the parameters */
    Word last;       /* of these words */
    Word type;       /* the name of the class or enum */
    bool marked;     /* a device declaration */
    bool both;       /* marked by constexpr only, … */
    bool hosts;      /* … and __host__: host code after all */
    bool host;       /* uses host types */
    bool parameters; /* it has a parameter list */
    bool body;
    /* within a constructor's initializer list; in the braces of "a{1}" there */
    bool initialises, item;
    bool value;    /* has an '=' */
    bool constant; /* const: device code may use it */
    bool class_like, is_enum, is_namespace, is_linkage, is_typedef, is_template;
    HostDeclaration listed; /* when declarations are listed */
} Declaration;

enum { SCOPES = 64, CONDITIONS = 256 };

/* The state that an #else restores. */
typedef struct State {
    Declaration d;
    int scopes;
    Word classes[SCOPES]; /* names; empty for namespaces */
} State;

typedef struct Cutter {
    Arena *arena;
    const char *text;
    char *out; /* NULL until something is cut */
    size_t size;
    const HostMarks *marks;
    State now;
    VEC(State) conditions;  /* at each open #if */
    Texts types;            /* host types that this text defines */
    bool uses_std;          /* "using namespace std" */
    HostDeclarations *list; /* list all declarations here instead of cutting; NULL: cut */
    bool macro;             /* the text is a macro's: cut functions that return host types */
} Cutter;

static bool is_mark(const HostMarks *marks, Word w)
{
    return code_among(w, MARKS) || code_one_of(w, &marks->device);
}

static void cut(Cutter *c, const char *from, const char *to)
{
    if (!c->out)
        c->out = arena_copy(c->arena, c->text, c->size);
    code_cut(c->out, c->text, (size_t)(from - c->text), (size_t)(to - c->text));
}

static void next_declaration(Cutter *c)
{
    c->now.d = (Declaration){0};
}

static Word scope_class(const State *s)
{
    return s->scopes > 0 && s->scopes <= SCOPES ? s->classes[s->scopes - 1] : (Word){0};
}

/* A macro call looks like a function without a type; it is one with a body: PYBIND11_MODULE(name, m) { …
 * }. */
static bool is_function(const Cutter *c, const Declaration *d)
{
    Word owner = scope_class(&c->now);
    bool typed = d->words >= 2 || (d->body && owner.length == 0 && d->words == 1);
    bool constructor = owner.length && code_equal(d->last, owner);
    const bool instantiates = code_one_of(d->last, &c->marks->host);
    return d->parameters && !d->is_typedef &&
           (typed || constructor || instantiates || code_same(d->last, "main"));
}

/* Variables are cut outside classes only. "struct option options[]" declares no class; of const variables
 * device code can use numbers only. */
static bool is_variable(const Cutter *c, const Declaration *d)
{
    bool of_class = d->class_like && d->type.length && d->last.at != d->type.at;
    return !d->parameters && d->words >= 2 && (of_class || (!d->constant && !d->class_like)) &&
           !d->is_enum && !d->is_typedef && !d->is_template && scope_class(&c->now).length == 0;
}

/* True if the text measures a call of a member function, "sizeof(test<T>(0))": it must stay declared though
 * it has no device body. */
static bool is_measured(const Cutter *c, const Declaration *d)
{
    static const char *const WORDS[] = {"sizeof", "decltype", "noexcept"};
    const char *name = code_copy(c->arena, d->last), *end = c->text + c->size;
    bool measured = false;
    for (size_t i = 0; i < COUNT_OF(WORDS) && scope_class(&c->now).length; i++)
        for (const char *at = c->text; (at = code_find_word(at, WORDS[i], c->text)) != NULL;) {
            at = code_skip(at + strlen(WORDS[i]), end);
            measured =
                measured || (*at == '(' && code_same(code_word(code_skip(at + 1, end)), name));
        }
    return measured;
}

/* True for an explicit instantiation, "template __global__ void k<float>(float *);": name expressions
 * instantiate on demand, and of hundreds in a file one is wanted. */
static bool is_instantiation(const Cutter *c, const Declaration *d)
{
    const Word w = code_word(d->start);
    return code_same(w, "template") && *code_skip(w.at + w.length, c->text + c->size) != '<';
}

/* Decides at the end of a declaration whether it is cut. */
static void decide(Cutter *c, const char *end)
{
    const Declaration *d = &c->now.d;
    if (c->list && d->start) {
        HostDeclaration listed = d->listed;
        listed.start = d->start;
        listed.end = end;
        listed.spaces = d->is_namespace;
        listed.operates = code_same(d->last, "operator");
        VEC_PUSH(c->arena, c->list, listed);
        next_declaration(c);
        return;
    }
    const bool hosts = d->start && !(d->marked && !(d->both && d->hosts)) && !d->is_namespace &&
                       (is_function(c, d) || is_variable(c, d) || d->host) &&
                       (d->body || d->host || !d->parameters || !is_measured(c, d));
    if (c->macro ? hosts && d->host && d->body && is_function(c, d)
                 : hosts || (d->start && is_instantiation(c, d)))
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

/* "Owner" of "Owner::name"; length 0: none. */
static Word owner_of(const Cutter *c, Word name)
{
    const bool owned = name.at - c->text > 2 && strncmp(name.at - 2, "::", 2) == 0;
    return owned ? code_word_before(c->text, name.at - 2) : (Word){0};
}

/* Lists a word as a name that the declaration declares. */
static void list_name(Cutter *c, Word w)
{
    Declaration *d = &c->now.d;
    if (c->list && w.length)
        VEC_PUSH(c->arena, &d->listed.names, code_copy(c->arena, w));
}

/* Lists the declarator that a sign ends: "int a, b[4] = …". */
static void list_declared(Cutter *c)
{
    const Declaration *d = &c->now.d;
    if (d->brackets == 0 && d->braces == 0 && !d->parameters && !d->value)
        list_name(c, d->last);
}

/* `before`: the word before the brace. */
static void open_brace(Cutter *c, Word before)
{
    Declaration *d = &c->now.d;
    bool inside = d->braces > 0 || d->brackets > 0;
    if (!inside && !d->parameters && !d->value && (d->is_namespace || d->is_linkage))
        enter_scope(c, (Word){0});
    else if (!inside && !d->parameters && !d->value && d->class_like && !c->list)
        enter_scope(c, d->type.length ? d->type : (Word){"?", 1});
    else {
        if (!inside && !d->parameters && !d->value && !d->class_like && !d->is_enum)
            list_name(c, d->last);
        d->item = inside ? d->item : d->initialises && before.length > 0;
        d->braces++;
    }
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
    if (d->item && d->braces == 0) {
        d->item = false;
        return;
    }
    d->body = true;
    if (d->braces == 0 && d->brackets == 0 && d->parameters && !d->value)
        decide(c, at + 1);
}

/* `before`: the word before the bracket. */
static void open_bracket(Cutter *c, Word before)
{
    Declaration *d = &c->now.d;
    if (c->list && d->brackets == 0 && d->braces == 0 && !d->value && !d->parameters &&
        d->words > 0 && !code_same(d->last, "operator") && !code_among(before, ATTRIBUTES)) {
        list_name(c, d->last);
        const Word owner = owner_of(c, d->last);
        d->listed.owner = owner.length ? code_copy(c->arena, owner) : NULL;
    }
    bool list = d->brackets == 0 && d->braces == 0 && !d->value && !code_among(before, ATTRIBUTES);
    d->brackets++;
    d->parameters = d->parameters || (list && d->words > 0);
}

static bool is_std_type(const Cutter *c, Word w)
{
    bool named = w.at - c->text >= 5 && strncmp(w.at - 5, "std::", 5) == 0;
    const char *behind = code_blanks(w.at + w.length);
    bool bare = c->uses_std && behind > w.at + w.length && code_is_name(*behind);
    bool first = w.at == c->now.d.start && (w.at[w.length] == '<' || bare);
    return ((named || first) && code_among(w, STD_TYPES)) || code_one_of(w, &c->types) ||
           code_one_of(w, &c->marks->types);
}

/* True for the type of an operand in "operator+(const Pair &a, Pair b)". */
static bool is_operand(const Declaration *d, Word w)
{
    const char *behind = code_blanks(w.at + w.length);
    return code_same(d->last, "operator") && d->brackets == 1 && d->braces == 0 &&
           !strchr(",)=[:", *behind) && !code_same(w, "const");
}

static void read_word(Cutter *c, Word w)
{
    Declaration *d = &c->now.d;
    bool outside = d->brackets == 0 && d->braces == 0;
    if (!d->start)
        d->start = w.at;
    if ((d->is_enum && d->braces == 1) ||
        (d->is_typedef && d->braces == 0 && !d->value && w.at[w.length] != ':' &&
         !code_same(w, "namespace")) ||
        is_operand(d, w))
        list_name(c, w);
    const bool scope = strncmp(w.at + w.length, "::", 2) == 0 || (d->is_namespace && d->value);
    if (c->list && d->braces == 0 && scope && owner_of(c, w).length == 0)
        VEC_PUSH(c->arena, &d->listed.scopes, code_copy(c->arena, w));
    if (d->braces == 0 && is_mark(c->marks, w)) {
        const bool constant = code_same(w, "constexpr") || code_same(w, "consteval");
        d->both = constant && (d->both || !d->marked);
        d->marked = true;
    }
    d->hosts = d->hosts || (d->braces == 0 && code_same(w, "__host__"));
    if (d->braces == 0 && !d->parameters)
        d->host = d->host || code_among(w, HOST_TYPES) || is_std_type(c, w);
    /* "= default", "= delete" need no body. */
    d->marked = d->marked ||
                (outside && d->parameters && (code_same(w, "default") || code_same(w, "delete")));
    if (!outside || d->parameters || d->value)
        return;
    d->constant = d->constant || code_same(w, "const");
    if ((d->class_like || d->is_enum) && d->type.length == 0 && !code_among(w, ATTRIBUTES) &&
        !code_among(w, "struct class union")) {
        d->type = w;
        list_name(c, w);
    }
    d->class_like = d->class_like || (code_among(w, "struct class union") && !d->is_enum);
    d->is_enum = d->is_enum || code_same(w, "enum");
    d->is_namespace = d->is_namespace || code_same(w, "namespace");
    d->is_typedef = d->is_typedef || code_same(w, "typedef") || code_same(w, "using");
    d->is_template = d->is_template || code_same(w, "template");
    if (!code_among(w, ATTRIBUTES) && !code_same(w, "template") && !code_same(w, "return")) {
        d->words++;
        d->last = w;
    }
}

/* At an #else: a declaration left open by the branch before may be a function that both complete. */
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
    const Word w = code_directive(directive);
    if (code_among(w, "if ifdef ifndef"))
        VEC_PUSH(c->arena, &c->conditions, c->now);
    else if (c->conditions.count && code_among(w, "else elif elifdef elifndef"))
        begin_again(c, directive);
    else if (c->conditions.count && code_same(w, "endif"))
        c->conditions.count--;
}

/* False for the '=' of "template <int n = 1>" and of "enable_if<n == 1>". */
static bool assigns(const Cutter *c, const char *at)
{
    const char *end = c->text + c->size, *head = c->now.d.start;
    const Word w = code_word(head ? head : at);
    const char *open = code_same(w, "template") ? code_skip(w.at + w.length, end) : NULL;
    const char *close = open && *open == '<' ? code_closing(open, end) : NULL;
    return !c->now.d.is_template ||
           (close && close < at && at[1] != '=' && !strchr("=<>!", at[-1]));
}

/* True for "NAME(…)" of a macro that is not known, before another declaration. */
static bool is_unknown_call(const Cutter *c, const char *behind)
{
    const Declaration *d = &c->now.d;
    const char next = *code_skip(behind, c->text + c->size);
    return c->marks->knows_macros && d->parameters && d->last.at == d->start && *d->start != '_' &&
           (code_is_name(next) || strchr("}#/", next)) && scope_class(&c->now).length == 0 &&
           !code_one_of(d->last, &c->marks->macros);
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
    case '[': /* no parameters in "uint4 all[32 / sizeof(uint4)]" */
        list_declared(c);
        d->brackets++;
        break;
    case ']':
    case ')':
        d->brackets -= d->brackets > 0;
        if (d->brackets == 0 && d->braces == 0 && d->words == 1 &&
            (code_one_of(d->last, &c->marks->host) || is_unknown_call(c, at + 1)))
            decide(c, at + 1);
        break;
    case '{':
        open_brace(c, before);
        break;
    case '}':
        close_brace(c, at);
        break;
    case ',':
        list_declared(c);
        break;
    case '=':
        list_declared(c);
        d->value = d->value || (d->brackets == 0 && d->braces == 0 && !d->parameters &&
                                !code_same(d->last, "operator") && assigns(c, at));
        break;
    case ':':
        if (d->brackets == 0 && d->braces == 0 && code_among(before, "public private protected"))
            next_declaration(c);
        else
            d->initialises = d->parameters || d->initialises;
        break;
    case ';':
        list_declared(c);
        if (d->brackets == 0 && d->braces == 0)
            decide(c, at + 1);
        break;
    default:
        break;
    }
}

/* Cuts "using std::cout;" where nothing else uses the name any more: the device's std may lack it. */
static void cut_unused_names(Cutter *c)
{
    for (const char *at = c->text; (at = code_find_word(at, "using", c->text)) != NULL; at++) {
        const char *path = code_blanks(at + strlen("using")), *left = c->out ? c->out : c->text;
        const Word name = code_word(strncmp(path, "std::", 5) == 0 ? path + 5 : "");
        const char *end = name.length ? code_blanks(name.at + name.length) : "";
        if (*end != ';' || left[at - c->text] != 'u')
            continue;
        const char *word = code_copy(c->arena, name);
        const char *use = code_find_word(left, word, left);
        while (use && use - left == name.at - c->text)
            use = code_find_word(use + 1, word, left);
        if (!use)
            cut(c, at, end + 1);
    }
}

/* The end of a template argument list that begins at `at`, whose scopes are noted; NULL: none begins. */
static const char *skip_template(Cutter *c, const char *at)
{
    Declaration *d = &c->now.d;
    const bool may = c->list && *at == '<' && at > c->text && d->start && d->brackets == 0 &&
                     d->braces == 0 && !d->value && !d->parameters &&
                     !code_same(d->last, "operator");
    const char *close = may ? code_closing(at, c->text + c->size) : NULL;
    for (const char *p = at; p < close;) {
        const Word w = code_word(p);
        if (w.length && strncmp(w.at + w.length, "::", 2) == 0 && owner_of(c, w).length == 0) {
            VEC_PUSH(c->arena, &d->listed.scopes, code_copy(c->arena, w));
            if (d->is_template && d->words > 0)
                VEC_PUSH(c->arena, &d->listed.special, code_copy(c->arena, w));
        }
        p += w.length ? w.length : 1;
    }
    return close;
}

/* A macro's definition. */
typedef struct Macro {
    Word name;               /* empty: the line defines none */
    const char *close, *end; /* of its parameters, NULL if it has none; of the line */
} Macro;

static Macro macro_of(const char *line)
{
    Macro m = {.name = code_defined(line)};
    if (m.name.length) {
        const char *list = m.name.at + m.name.length;
        m.end = code_line_end(m.name.at);
        m.close = *list == '(' ? code_closing(list, m.end) : NULL;
    }
    return m;
}

/* A macro's replacement, from `at` to `end`, as one line and a declaration. */
static const char *macro_line(Arena *a, const char *at, const char *end)
{
    char *text =
        arena_copy(a, arena_printf(a, "%.*s;", (int)(end - at), at), (size_t)(end - at) + 1);
    for (char *c = text; *c; c++)
        if (*c == '\\' || *c == '\n' || *c == '\r')
            *c = ' ';
    return text;
}

static void read_all(Cutter *c);

/* Cuts functions that return host types from a macro that also makes device code. */
static void cut_macro(Cutter *c, const char *directive)
{
    const Macro m = macro_of(directive);
    if (!m.close || c->list || c->macro)
        return;
    const char *start = m.close + 1, *text = macro_line(c->arena, start, m.end);
    Cutter in = {.arena = c->arena, .text = text, .size = strlen(text), .marks = c->marks};
    in.uses_std = c->uses_std;
    in.macro = true;
    read_all(&in);
    for (size_t i = 0; in.out && text[i + 1]; i++)
        if (in.out[i] != text[i])
            cut(c, start + i, start + i + 1);
}

static void read_all(Cutter *c)
{
    const char *const text = c->text, *close;
    bool line_start = true;
    Word before = {text, 0};
    for (const char *at = text; *at;) {
        size_t quiet = code_quiet(text, at);
        if (quiet) {
            if (*at == '"' && code_same(before, "extern") && c->now.d.braces == 0)
                c->now.d.is_linkage = true;
            line_start = line_start && *at == '/';
            at += quiet;
        } else if (*at == '#' && line_start) {
            read_condition(c, at);
            cut_macro(c, at);
            at = code_line_end(at);
        } else if ((close = skip_template(c, at)) != NULL) {
            at = close + 1;
        } else if (code_is_name(*at)) {
            before = code_word(at);
            read_word(c, before);
            line_start = false;
            at += before.length;
        } else {
            read_sign(c, at, before);
            if (!isspace((unsigned char)*at))
                before.length = 0;
            line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
            at++;
        }
    }
}

const char *host_code_cut(Arena *a, const char *text, size_t size, const HostMarks *marks)
{
    Cutter c = {.arena = a, .text = text, .size = size, .marks = marks};
    c.uses_std = strstr(text, "using namespace std") != NULL;
    read_all(&c);
    cut_unused_names(&c);
    return c.out ? c.out : text;
}

void host_declarations(Arena *a, const char *text, const HostMarks *marks, HostDeclarations *out)
{
    Cutter c = {.arena = a, .text = text, .size = strlen(text), .marks = marks, .list = out};
    read_all(&c);
}

/* --- macros ----------------------------------------------------------------------------------- */

/* True if a text holds a mark or a macro known to be one. */
static bool holds_mark(const char *at, const char *end, const HostMarks *marks)
{
    while (at < end) {
        Word w = code_word(at);
        if (w.length && is_mark(marks, w))
            return true;
        at += w.length ? w.length : 1;
    }
    return false;
}

/* True if a macro's replacement, from `at` to `end`, would be cut as a whole at file scope. */
static bool is_host_text(Arena *a, const char *at, const char *end, const HostMarks *marks)
{
    const HostMarks device = {.device = marks->device};
    const char *text = macro_line(a, at, end);
    const size_t size = strlen(text), blank = strspn(text, " \t;");
    const char *left = host_code_cut(a, text, size, &device);
    return blank < size && strspn(left, " \t;") == size;
}

/* Adds "using name = type;" and "typedef type name;" of host types. */
static void add_types(Arena *a, const char *text, HostMarks *marks)
{
    static const char *const WORDS[] = {"using", "typedef"};
    for (int i = 0; i < 2; i++)
        for (const char *at = text; (at = code_find_word(at, WORDS[i], text)) != NULL; at++) {
            const Word first = code_word(code_blanks(at + strlen(WORDS[i])));
            const char *next = code_blanks(first.at + first.length);
            const Word second = code_word(code_blanks(next + (i == 0 && *next == '=')));
            const Word type = i == 0 ? second : first, name = i == 0 ? first : second;
            if (second.length && second.at[second.length] == ';' && code_among(type, HOST_TYPES))
                VEC_PUSH(a, &marks->types, code_copy(a, name));
        }
}

/* A macro with other definitions under #if is not host code for one of them. */
static void take_back(HostMarks *marks, const char *name)
{
    for (size_t i = marks->host.count; i-- > 0;)
        if (strcmp(marks->host.at[i], name) == 0)
            marks->host.at[i] = marks->host.at[--marks->host.count];
}

/* Adds macros that mark device code, by a word or by a macro among them; true if one is new. */
static bool add_device(Arena *a, const char *text, HostMarks *marks)
{
    const size_t before = marks->device.count;
    for (const char *line = text; *line; line = code_next_line(line)) {
        const Macro m = macro_of(line);
        if (m.name.length && holds_mark(m.name.at + m.name.length, m.end, marks) &&
            !code_one_of(m.name, &marks->device) &&
            !(m.close && is_host_text(a, m.close + 1, m.end, marks)))
            VEC_PUSH(a, &marks->device, code_copy(a, m.name));
    }
    return marks->device.count > before;
}

static void add_host(Arena *a, const char *text, HostMarks *marks)
{
    Texts others = {0};
    for (const char *line = text; *line; line = code_next_line(line)) {
        const Macro m = macro_of(line);
        if (m.close)
            VEC_PUSH(a, &marks->macros, code_copy(a, m.name));
        else
            continue;
        if (is_host_text(a, m.close + 1, m.end, marks))
            VEC_PUSH(a, &marks->host, code_copy(a, m.name));
        else if (*code_blanks(m.close + 1) != '\n' && !code_one_of(m.name, &marks->device))
            VEC_PUSH(a, &others, code_copy(a, m.name));
    }
    for (size_t i = 0; i < others.count; i++)
        take_back(marks, others.at[i]);
}

HostMarks host_marks(Arena *a, const Texts *texts)
{
    HostMarks marks = {0};
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < texts->count; i++)
            more |= add_device(a, texts->at[i], &marks);
    }
    for (size_t i = 0; i < texts->count; i++) {
        add_types(a, texts->at[i], &marks);
        add_host(a, texts->at[i], &marks);
    }
    return marks;
}

/* --- headers ---------------------------------------------------------------------------------- */

bool host_code_expects_headers(const char *text)
{
    /* Declared by the files of tuner/compile/worker/headers. */
    static const char NAMES[] =
        "include int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t intptr_t "
        "uintptr_t uint ushort ulong INT_MAX INT_MIN UINT_MAX LLONG_MAX LLONG_MIN ULLONG_MAX "
        "LONG_MAX LONG_MIN CHAR_BIT SHRT_MAX UCHAR_MAX FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX "
        "DBL_MIN DBL_EPSILON M_PI M_PI_2 M_E M_SQRT2 M_SQRT1_2 M_LN2 M_LOG2E M_1_PI M_2_PI "
        "INFINITY NAN HUGE_VAL UINT8_MAX INT32_MAX INT32_MIN UINT32_MAX INT64_MAX UINT64_MAX std "
        "NULL __extension__";
    for (const char *at = text; *at;)
        if (code_among(code_next_word(text, &at), NAMES))
            return true;
    return false;
}

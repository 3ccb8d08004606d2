#include "tuner/spec/host_read.h"

#include "metrics/base/diag.h"
#include "tuner/spec/task.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of recursion and of texts read for one value: large projects have too many callers of callers. */
enum { DEPTH_MOST = 24, TEXTS_MOST = 400 };

/* --- reading expressions ---------------------------------------------------------------------- */

/* The arguments bound to the parameters of a macro or function. */
typedef struct Bound {
    const char *name;
    const HostValue *value;
    const struct Bound *next;
} Bound;

typedef struct Reader {
    Arena *arena;
    HostPlace place;
    const HostNames *names;
    const Bound *bound;
    int depth;
    int *left; /* budget of texts to read */
    const char *at, *end;
} Reader;

static const HostValue *read_ternary(Reader *r);
static bool dims_at(const Reader *r, HostPlace p, const char *text, size_t size,
                    const HostValue *out[3]);

static const HostValue *read_text(const Reader *from, HostPlace place, const Bound *bound,
                                  const char *text, size_t size)
{
    Reader r = *from;
    r.place = place;
    r.bound = bound;
    r.depth++;
    r.at = text;
    r.end = text + size;
    const HostValue *v = r.depth < DEPTH_MOST && --*r.left > 0 ? read_ternary(&r) : NULL;
    return code_skip(r.at, r.end) == r.end ? v : NULL;
}

static bool take(Reader *r, const char *sign)
{
    const char *at = code_skip(r->at, r->end);
    size_t n = strlen(sign);
    if ((size_t)(r->end - at) < n || strncmp(at, sign, n) != 0)
        return false;
    r->at = at + n;
    return true;
}

/* Arithmetic types and their wrappers, as in casts. */
static bool is_number_type(const char *word)
{
    return WORD_IS_ANY(word, "int", "unsigned", "long", "size_t", "float", "double", "uint",
                       "short", "char", "signed", "int32_t", "uint32_t", "int64_t", "uint64_t",
                       "const", "dim3", "size_type", "index_t", "bool", "std::size_t", "ulong",
                       "unsigned int");
}

/* Takes a cast, "(unsigned int)": parentheses with nothing but types. */
static bool take_cast(Reader *r, bool *real)
{
    const char *open = code_skip(r->at, r->end);
    const char *close = *open == '(' ? code_closing(open, r->end) : NULL;
    bool any = false;
    *real = false;
    for (const char *at = close ? open + 1 : NULL; at && at < close;) {
        const Word w = code_word(at);
        if (w.length ? !is_number_type(code_copy(r->arena, w)) : !isspace((unsigned char)*at))
            return false;
        any = any || w.length;
        *real = *real || code_among(w, "float double");
        at += w.length ? w.length : 1;
    }
    if (!any)
        return false;
    r->at = close + 1;
    return true;
}

static const HostValue *with_real(Arena *a, const HostValue *v, bool real)
{
    HostValue *copy = ARENA_NEW(a, HostValue);
    *copy = *v;
    copy->real = real;
    return copy;
}

static const HostValue *cast(Reader *r, const HostValue *v, bool real)
{
    if (!v || v->real == real)
        return v;
    return real ? with_real(r->arena, v, true) : host_new(r->arena, "cut", v, v, NULL);
}

/* --- names of numbers ------------------------------------------------------------------------- */

/* Names have no meaning to the spec in a caller's scope. */
static HostNames names_of_caller(const HostNames *names)
{
    return (HostNames){.element = names ? names->element : 0};
}

/* The text after the next "#define WORD" from `*where` on, which is advanced; `parameters`: of a
 * function-like macro, else NULL. */
static const char *host_macro(const char *word, const char **parameters, size_t *count,
                              HostPlace *where)
{
    const size_t n = strlen(word);
    size_t from = where->at;
    for (const HostText *h = where->file; h; h = h->next, from = 0)
        for (const char *at = h->text + from; (at = host_find_word(h, at, word)) != NULL; at++) {
            if (code_defined(code_line_start(h->text, at)).at != at ||
                (at[n] == '(') != (parameters != NULL))
                continue;
            const char *value = at + n, *close;
            *where = (HostPlace){h, (size_t)(at + 1 - h->text)};
            if (!parameters)
                return value;
            close = code_closing(value, h->text + h->size);
            *count = close ? code_list(h->arena, value + 1, close, parameters, CODE_LIST) : 0;
            return close ? close + 1 : NULL;
        }
    return NULL;
}

static const char *value_end(const char *at)
{
    for (; *at && *at != ';' && *at != ','; at++) {
        const char *close = strchr("([{", *at) ? code_closing(at, at + strlen(at)) : NULL;
        if (!close && strchr("([{)]}", *at))
            break;
        at = close ? close : at;
    }
    return at;
}

typedef struct Assignment {
    HostPlace place; /* of the assigned name */
    const char *text;
    size_t size;
} Assignment;

/* Reads what is assigned to the name at `at`: "= value;", or "(value)" of a declaration. False: nothing. */
static bool read_assignment(const HostText *h, const char *at, size_t length, Assignment *out)
{
    out->place = (HostPlace){h, (size_t)(at - h->text)};
    const char *next = code_skip(at + length, h->text + h->size), *before = code_trim(h->text, at);
    bool declared =
        before > h->text && before < at && (code_is_name(before[-1]) || before[-1] == '>');
    bool listed = before > h->text && before[-1] == ',';
    if (*next == '=' && next[1] != '=') {
        out->text = next + 1;
        out->size = (size_t)(value_end(next + 1) - out->text);
        return true;
    }
    const char *close = (declared || listed) && (*next == '(' || *next == '{')
                            ? code_closing(next, h->text + h->size)
                            : NULL;
    const char *behind = close ? code_skip(close + 1, h->text + h->size) : "";
    if (*behind != ';' && *behind != ',')
        return false;
    out->text = next + 1;
    out->size = (size_t)(close - out->text);
    return true;
}

/* Lists the last CODE_LIST values assigned to a name before a place, at file scope or in its function. */
static size_t list_assignments(HostPlace p, const char *word, Assignment out[CODE_LIST])
{
    size_t count = 0;
    const HostText *h = p.file;
    const uint32_t region = h->regions[p.at];
    for (const char *at = h->text; (at = host_find_word(h, at, word)) != NULL; at++) {
        const uint32_t here = h->regions[at - h->text];
        Assignment given;
        if ((size_t)(at - h->text) >= p.at && here != 0)
            break;
        if ((here != 0 && here != region) || !read_assignment(h, at, strlen(word), &given))
            continue;
        if (count == CODE_LIST)
            memmove(out, out + 1, --count * sizeof *out);
        out[count++] = given;
    }
    return count;
}

/* The last value assigned to a name before a place that can be evaluated; NULL: none. */
static const HostValue *read_assigned(const Reader *r, HostPlace p, const char *word)
{
    Assignment given[CODE_LIST];
    const HostValue *v = NULL;
    for (size_t i = list_assignments(p, word, given); i-- > 0 && !v && *r->left > 0;)
        v = read_text(r, given[i].place, NULL, given[i].text, given[i].size);
    return v;
}

static const HostValue *resolve(Reader *r, const char *word)
{
    for (const Bound *b = r->bound; b; b = b->next)
        if (strcmp(b->name, word) == 0)
            return b->value;
    const char *known = r->names && r->names->meaning && r->depth < DEPTH_MOST
                            ? r->names->meaning(r->names->context, word)
                            : NULL;
    if (known)
        return host_new_name(r->arena, known);
    const HostValue *v = read_assigned(r, r->place, word);
    HostPlace where = {r->place.file->first, 0};
    /* Of several definitions under #if, the first that can be evaluated. */
    for (const char *macro;
         !v && *r->left > 0 && (macro = host_macro(word, NULL, NULL, &where)) != NULL;)
        v = read_text(r, where, NULL, macro, strcspn(macro, "\n"));
    for (const HostText *h = r->place.file->first; h && !v; h = h->next)
        if (h != r->place.file)
            v = read_assigned(r, (HostPlace){h, h->size}, word); /* constants of headers */
    if (v)
        return v;
    Reader caller = *r;
    HostNames own = names_of_caller(r->names);
    HostCallers all = host_callers(r->place, word);
    caller.names = &own;
    for (const char *text; !v && *r->left > 0 && (text = host_next_caller(&all)) != NULL;)
        v = read_text(&caller, all.at, NULL, text, strlen(text));
    return v;
}

static const HostValue *bind_call(Reader *r, const char *const *names, size_t count, bool typed,
                                  const HostValue *const *arguments, HostPlace where,
                                  const char *body, size_t size)
{
    Bound bound[CODE_LIST];
    for (size_t i = 0; i < count; i++) {
        const char *name =
            typed ? code_word_before(names[i], names[i] + strlen(names[i])).at : names[i];
        bound[i] = (Bound){name, arguments[i], i ? &bound[i - 1] : NULL};
    }
    return read_text(r, where, count ? &bound[count - 1] : NULL, body, size);
}

/* Expands a call of a macro, or of a function that only returns a value. */
static const HostValue *expand(Reader *r, const char *word, const HostValue *const *arguments,
                               size_t given)
{
    const char *names[CODE_LIST];
    size_t count = 0;
    HostPlace where = {r->place.file->first, 0};
    const char *body = host_macro(word, names, &count, &where);
    if (body)
        return count == given
                   ? bind_call(r, names, count, false, arguments, where, body, strcspn(body, "\n"))
                   : NULL;
    EACH_PLACE (h, at, r->place.file->first, word) {
        const char *end = h->text + h->size, *open = code_skip(at + strlen(word), end);
        const char *close = *open == '(' ? code_closing(open, end) : NULL;
        const char *brace = close ? code_skip(close + 1, end) : "";
        const char *back = *brace == '{' ? code_skip(brace + 1, end) : "";
        if (strncmp(back, "return", 6) != 0)
            continue;
        count = code_list(r->arena, open + 1, close, names, CODE_LIST);
        where = (HostPlace){h, (size_t)(back - h->text)};
        return count == given ? bind_call(r, names, count, true, arguments, where, back + 6,
                                          strcspn(back + 6, ";"))
                              : NULL;
    }
    return NULL;
}

/* --- primaries -------------------------------------------------------------------------------- */

/* Recognizes the common names of ceiling division: "DIVUP", "iDivUp", "ceil_div" … */
static bool divides_up(const char *word)
{
    char plain[32];
    size_t n = 0;
    for (const char *c = word; *c && n < sizeof plain - 1; c++)
        if (*c != '_')
            plain[n++] = (char)tolower((unsigned char)*c);
    plain[n] = '\0';
    return WORD_IS_ANY(plain, "divup", "idivup", "ceildiv", "cdiv", "updiv", "divceil", "divideup",
                       "divroundup", "idivceil", "roundupdiv");
}

static const HostValue *round_value(Reader *r, const HostValue *v, bool up)
{
    if (!v)
        return NULL;
    double n;
    if (host_number(v, &n))
        return host_new_number(r->arena, up ? ceil(n) : floor(n), false);
    while (host_is(v, "cut"))
        v = v->parts[0];
    if (!host_is(v, "//"))
        return v->real ? NULL : v;
    HostValue *whole = ARENA_NEW(r->arena, HostValue);
    *whole = (HostValue){.sign = up ? "ceil_div" : "//",
                         .parts = {with_real(r->arena, v->parts[0], false),
                                   with_real(r->arena, v->parts[1], false)}};
    return whole;
}

static const HostValue *read_call(Reader *r, const char *word)
{
    const char *texts[CODE_LIST], *open = code_skip(r->at, r->end);
    const char *close = code_closing(open, r->end);
    size_t count = close ? code_list(r->arena, open + 1, close, texts, CODE_LIST) : 0;
    const HostValue *of[CODE_LIST];
    if (!close)
        return NULL;
    r->at = close + 1;
    for (size_t i = 0; i < count; i++)
        if (!(of[i] = read_text(r, r->place, r->bound, texts[i], strlen(texts[i]))))
            return NULL;
    const char *plain = strncmp(word, "std::", 5) == 0 ? word + 5 : word;
    const bool up = WORD_IS_ANY(plain, "ceil", "ceilf"), less = strcasecmp(plain, "min") == 0;
    if (count == 1 && (up || WORD_IS_ANY(plain, "floor", "floorf")))
        return round_value(r, of[0], up);
    if (count == 1 && is_number_type(plain))
        return cast(r, of[0], WORD_IS_ANY(plain, "float", "double"));
    if (count == 2 && (less || strcasecmp(plain, "max") == 0))
        return host_new(r->arena, less ? "min" : "max", of[0], of[1], NULL);
    if (count == 2 && divides_up(plain))
        return host_new(r->arena, "ceil_div", of[0], of[1], NULL);
    return expand(r, plain, of, count);
}

/* Takes "a.b", "a->b", "a[i].b", "std::x" as one word. */
static const char *take_path(Reader *r)
{
    const char *start = r->at;
    for (;;) {
        while (r->at < r->end && code_is_name(*r->at))
            r->at++;
        const char *close = *r->at == '[' ? code_closing(r->at, r->end) : NULL;
        if (close && (close[1] == '.' || strncmp(close + 1, "->", 2) == 0))
            r->at = close + 1;
        size_t n = strncmp(r->at, "::", 2) == 0 || strncmp(r->at, "->", 2) == 0 ? 2 : *r->at == '.';
        if (n == 0 || r->at + n >= r->end || !code_is_name(r->at[n]))
            return arena_copy(r->arena, start, (size_t)(r->at - start));
        r->at += n;
    }
}

/* Takes the operand of sizeof, "(T)", "x", "*x[0]", after the word. */
static const char *take_operand(Reader *r)
{
    const char *from = code_skip(r->at, r->end), *open = from + strspn(from, "*&"), *close;
    if (*from == '(' && (close = code_closing(from, r->end)) != NULL) {
        r->at = close + 1;
        return arena_copy(r->arena, from + 1, (size_t)(close - from - 1));
    }
    r->at = open;
    take_path(r);
    if (r->at == open)
        return NULL;
    while (*r->at == '[' && (close = code_closing(r->at, r->end)) != NULL)
        r->at = close + 1;
    return arena_copy(r->arena, from, (size_t)(r->at - from));
}

static const HostValue *read_sizeof(Reader *r)
{
    const char *of = take_operand(r);
    if (!of)
        return NULL;
    of += strspn(of, " ");
    of += strncmp(of, "unsigned ", 9) == 0 ? 9 : 0;
    TaskType type;
    double size = r->names ? r->names->element : 0;
    bool known = task_type_find(of, &type);
    HostCallers all = host_callers(r->place, of); /* a type that callers of a template choose */
    for (const char *text; !known && (text = host_next_caller(&all)) != NULL;)
        known = all.of_template && task_type_find(text, &type);
    if (known)
        size = (double)task_scalar_size(type.scalar) * type.lanes;
    return size > 0 ? host_new_number(r->arena, size, false) : NULL;
}

/* Reads "block.x" of a dim3; NULL: no such component. */
static const HostValue *read_component(Reader *r, const char *path)
{
    size_t n = strlen(path);
    const HostValue *of[3];
    if (n < 3 || path[n - 2] != '.' || path[n - 1] < 'x' || path[n - 1] > 'z')
        return NULL;
    const char *name = arena_copy(r->arena, path, n - 2);
    bool known =
        r->depth + 1 < DEPTH_MOST && !strchr(name, '.') && dims_at(r, r->place, name, n - 2, of);
    return known ? of[path[n - 1] - 'x'] : NULL;
}

static const HostValue *read_literal(Reader *r)
{
    char *end;
    double number = strtod(r->at, &end);
    bool hex = r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
    bool real = false;
    for (const char *c = r->at; c < end && !hex; c++)
        real = real || strchr(".eE", *c);
    while (end < r->end && isalpha((unsigned char)*end))
        real = real || (!hex && (*end == 'f' || *end == 'F')), end++;
    r->at = end;
    return host_new_number(r->arena, number, real);
}

static const HostValue *read_primary(Reader *r)
{
    bool real;
    r->at = code_skip(r->at, r->end);
    if (r->at >= r->end)
        return NULL;
    if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1])))
        return read_literal(r);
    if (take_cast(r, &real))
        return cast(r, read_primary(r), real);
    if (*r->at == '(') {
        const char *open = r->at + 1, *close = code_closing(r->at, r->end);
        r->at = close ? close + 1 : r->end;
        return close ? read_text(r, r->place, r->bound, open, (size_t)(close - open)) : NULL;
    }
    if (take(r, "!"))
        return host_new(r->arena, "==", read_primary(r), host_new_number(r->arena, 0, false), NULL);
    if (take(r, "-"))
        return host_new(r->arena, "-1", read_primary(r), NULL, NULL);
    if (!isalpha((unsigned char)*r->at) && *r->at != '_')
        return NULL;
    const char *word = take_path(r);
    if (strcmp(word, "sizeof") == 0)
        return read_sizeof(r);
    if (strcmp(word, "static_cast") == 0) {
        const char *open = code_skip(r->at, r->end);
        const char *close = *open == '<' ? code_closing(open, r->end) : NULL;
        real = close && (memmem(open, (size_t)(close - open), "float", 5) ||
                         memmem(open, (size_t)(close - open), "double", 6));
        r->at = close ? close + 1 : r->end;
        return close ? cast(r, read_primary(r), real) : NULL;
    }
    if (*code_skip(r->at, r->end) == '(' && code_skip(r->at, r->end) < r->end)
        return read_call(r, word);
    const HostValue *v = read_component(r, word);
    return v ? v : resolve(r, word);
}

/* --- operators -------------------------------------------------------------------------------- */

enum { LEVELS = 7, ALIKE = 4, SHIFTS = 4 /* handled by read_shift: specs have no shifts */ };

/* Operators by rising precedence, in C's and the spec's syntax; longer ones first. */
static const struct {
    const char *c, *spec;
} OPERATORS[LEVELS][ALIKE] = {
    {{"||", "or"}},
    {{"&&", "and"}},
    {{"==", "=="}, {"!=", "!="}},
    {{"<=", "<="}, {">=", ">="}, {"<", "<"}, {">", ">"}},
    [SHIFTS + 1] = {{"+", "+"}, {"-", "-"}},
    {{"*", "*"}, {"/", "//"}, {"%", "%"}},
};

static const HostValue *read_level(Reader *r, int level);

/* Reads "a << n" for a constant n as a product, "a >> n" as a division. */
static const HostValue *read_shift(Reader *r)
{
    const HostValue *v = read_level(r, SHIFTS + 1);
    for (;;) {
        const bool left = take(r, "<<");
        double by;
        if (!left && !take(r, ">>"))
            return v;
        if (!host_number(read_level(r, SHIFTS + 1), &by) || by < 0 || by > 62)
            return NULL;
        v = host_new(r->arena, left ? "*" : "//", v,
                     host_new_number(r->arena, ldexp(1, (int)by), false), NULL);
    }
}

static const HostValue *read_level(Reader *r, int level)
{
    if (level == LEVELS)
        return read_primary(r);
    if (level == SHIFTS)
        return read_shift(r);
    const HostValue *v = read_level(r, level + 1);
    for (int i = 0; i < ALIKE && OPERATORS[level][i].c; i++) {
        const char *at = code_skip(r->at, r->end);
        const bool other =
            at + 1 < r->end &&
            (strncmp(at, "->", 2) == 0 || strncmp(at, "<<", 2) == 0 || strncmp(at, ">>", 2) == 0);
        if (other || !take(r, OPERATORS[level][i].c))
            continue;
        v = host_new(r->arena, OPERATORS[level][i].spec, v, read_level(r, level + 1), NULL);
        i = -1;
    }
    return v;
}

/* The first of `signs` from `at` on that lies in no brackets; `end`: none. */
static const char *find_sign(const char *at, const char *end, const char *signs)
{
    while (at < end && !strchr(signs, *at)) {
        const char *close = strchr("([{", *at) ? code_closing(at, end) : NULL;
        at = (close ? close : at) + 1;
    }
    return at;
}

/* Of "argc > 1 ? atoi(argv[1]) : 1024" the known branch counts. */
static const HostValue *read_ternary(Reader *r)
{
    const char *start = r->at;
    const HostValue *v = read_level(r, 0);
    const char *sign = v ? code_skip(r->at, r->end) : find_sign(start, r->end, "?,;");
    if (sign >= r->end || *sign != '?')
        return v;
    const char *colon = find_sign(sign + 1, r->end, ":");
    if (colon >= r->end)
        return NULL;
    const HostValue *yes = read_text(r, r->place, r->bound, sign + 1, (size_t)(colon - sign - 1));
    const HostValue *no = read_text(r, r->place, r->bound, colon + 1, (size_t)(r->end - colon - 1));
    r->at = r->end;
    if (!v || !yes || !no)
        return yes ? yes : no;
    return host_new(r->arena, "?", v, yes, no);
}

const HostValue *host_value(HostPlace p, const char *expression, const HostNames *names)
{
    int left = TEXTS_MOST;
    const Reader r = {.arena = p.file->arena, .names = names, .left = &left};
    return read_text(&r, p, NULL, expression, strlen(expression));
}

/* --- dim3 ------------------------------------------------------------------------------------- */

/* A component is read with the whole depth. */
static const HostValue *read_component_text(const Reader *r, HostPlace p, const char *text)
{
    Reader fresh = *r;
    fresh.depth = 0;
    return read_text(&fresh, p, NULL, text, strlen(text));
}

static bool dims_of_list(const Reader *r, HostPlace p, const char *text, size_t size,
                         const HostValue *out[3])
{
    const char *parts[3];
    size_t count = code_list(r->arena, text, text + size, parts, 3);
    for (size_t i = 0; i < 3; i++) {
        out[i] =
            i < count ? read_component_text(r, p, parts[i]) : host_new_number(r->arena, 1, false);
        if (!out[i])
            return false;
    }
    return count > 0;
}

/* The text after the bracket of "dim3(a, b)" or "{a, b}", whose `*size` is set; NULL: no such list. */
static const char *dims_list(const char *text, size_t *size)
{
    const char *end = text + *size, *at = code_skip(text, end);
    if (strncmp(at, "dim3", 4) == 0 && !code_is_name(at[4]))
        at = code_skip(at + 4, end);
    else if (*at != '{')
        return NULL;
    const char *close = *at == '(' || *at == '{' ? code_closing(at, end) : NULL;
    if (!close || code_skip(close + 1, end) != end)
        return NULL;
    *size = (size_t)(close - at - 1);
    return at + 1;
}

/* Reads a dim3 variable: as declared, overlaid by components that are assigned one by one. */
static bool dims_of_name(const Reader *r, HostPlace p, const char *word, const HostValue *out[3])
{
    Assignment given[CODE_LIST];
    bool found = false;
    for (size_t i = list_assignments(p, word, given); i-- > 0 && !found;)
        found = dims_at(r, given[i].place, given[i].text, given[i].size, out);
    const HostNames own = names_of_caller(r->names);
    Reader caller = *r;
    HostCallers all = host_callers(p, word);
    caller.names = &own;
    for (const char *text; !found && *r->left > 0 && (text = host_next_caller(&all)) != NULL;)
        found = dims_at(&caller, all.at, text, strlen(text), out);
    for (int i = 0; i < 3; i++) {
        const char *component = arena_printf(r->arena, "%s.%c", word, 'x' + i);
        const HostValue *v = NULL;
        const size_t count = list_assignments(p, component, given);
        for (size_t n = count; n-- > 0 && !v;)
            v = read_component_text(r, given[n].place,
                                    arena_copy(r->arena, given[n].text, given[n].size));
        if (count > 0 && !v)
            return false;
        if (v && !found)
            for (int k = 0; k < 3; k++)
                out[k] = host_new_number(r->arena, 1, false);
        found = found || v;
        out[i] = v ? v : out[i];
    }
    return found;
}

/* Reads the text at a place, one level deeper than `r`. */
static bool dims_at(const Reader *r, HostPlace p, const char *text, size_t size,
                    const HostValue *out[3])
{
    size_t n = size;
    const char *list = dims_list(text, &n), *end = text + size;
    Reader deeper = *r;
    deeper.depth++;
    if (list)
        return dims_of_list(r, p, list, n, out);
    const char *word = code_skip(text, end);
    size_t length = 0;
    while (word + length < end && code_is_name(word[length]))
        length++;
    bool bare =
        length > 0 && !isdigit((unsigned char)*word) && code_skip(word + length, end) == end;
    const char *name = arena_copy(r->arena, word, length);
    const char *known =
        bare && r->names && r->names->meaning ? r->names->meaning(r->names->context, name) : NULL;
    if (bare && !known && deeper.depth < DEPTH_MOST && --*r->left > 0 &&
        dims_of_name(&deeper, p, name, out))
        return true;
    return dims_of_list(r, p, text, size, out);
}

bool host_dims(HostPlace p, const char *expression, const HostNames *names, const HostValue *out[3])
{
    int left = TEXTS_MOST;
    const Reader r = {.arena = p.file->arena, .names = names, .left = &left, .depth = -1};
    return dims_at(&r, p, expression, strlen(expression), out);
}

#include "tuner/spec/convert_python.h"

#include "metrics/base/expr.h"

#include <ctype.h>
#include <string.h>

/* Bounds of what a person writes; they keep a hostile file from taking hours. */
enum { DEPTH_LIMIT = 64, VALUES_LIMIT = 65536, STEP_LIMIT = 2000000 };

typedef struct Python {
    Arena *arena;
    Diag *diag;
    const char *what;  /* for messages */
    const char *start; /* of the text */
    const char *at;
    int depth;
    size_t *steps;        /* taken so far, by all that read the same text */
    const char *variable; /* of a comprehension; NULL: none */
    const char *value;    /* what stands for it */
} Python;

static bool parse(Python *p, Buf *out);

/* --- words --------------------------------------------------------------------------------------- */

static void skip(Python *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_next(Python *p, const char *text)
{
    skip(p);
    size_t n = strlen(text);
    return strncmp(p->at, text, n) == 0 && !(is_word(text[n - 1]) && is_word(p->at[n]));
}

static bool take(Python *p, const char *text)
{
    bool found = is_next(p, text);
    p->at += found ? strlen(text) : 0;
    return found;
}

static bool refuse(Python *p, const char *why)
{
    return diag_fail(p->diag, "%s: %s at '%.20s' in '%s'", p->what, why, p->at, p->start);
}

/* One level further down; false where that is too far, or took too long. */
static bool deeper(Python *p)
{
    return (++p->depth <= DEPTH_LIMIT && ++*p->steps <= STEP_LIMIT) ||
           refuse(p, "there are too many brackets or values");
}

static bool expect(Python *p, const char *text)
{
    return take(p, text) || refuse(p, "this is not understood");
}

/* --- operators ----------------------------------------------------------------------------------- */

typedef bool (*Level)(Python *p, Buf *out);

/* A stretch of operands of the next level with operators between. */
static bool chain(Python *p, Buf *out, Level next, const char *const *signs, size_t count)
{
    if (!next(p, out))
        return false;
    for (;;) {
        size_t i = 0;
        while (i < count && !take(p, signs[i]))
            i++;
        if (i == count)
            return true;
        buf_printf(out, " %s ", signs[i]);
        if (!next(p, out))
            return false;
    }
}

static bool take_number(Python *p, Buf *out)
{
    const char *start = p->at;
    while (is_word(*p->at) || *p->at == '.' ||
           ((*p->at == '-' || *p->at == '+') && p->at > start &&
            (p->at[-1] == 'e' || p->at[-1] == 'E') && start[1] != 'x'))
        p->at++;
    bool point = p->at[-1] == '.';
    buf_printf(out, "%s%.*s%s", *start == '.' ? "0" : "", (int)(p->at - start), start,
               point ? "0" : "");
    return true;
}

static bool take_string(Python *p, Buf *out)
{
    char quote = *p->at;
    size_t n = strcspn(p->at + 1, quote == '"' ? "\"\n\\" : "'\n\\");
    if (p->at[n + 1] != quote)
        return refuse(p, "this text is not understood");
    buf_putc(out, '"');
    for (size_t i = 1; i <= n; i++)
        buf_printf(out, p->at[i] == '"' ? "\\%c" : "%c", p->at[i]);
    buf_putc(out, '"');
    p->at += n + 2;
    return true;
}

/* Items up to a closing bracket, which is taken. */
static bool take_items(Python *p, Buf *out, const char *close, size_t *count)
{
    *count = 0;
    while (!take(p, close)) {
        if (*count > 0 && !expect(p, ","))
            return false;
        if (take(p, close))
            return true;
        buf_puts(out, *count ? ", " : "");
        if (!parse(p, out))
            return false;
        ++*count;
    }
    return true;
}

/* --- comprehensions ------------------------------------------------------------------------------ */

/* What a text without names comes to; false after a message. */
static bool evaluate(Python *p, const char *text, Value *out)
{
    Diag d = diag_new(p->arena);
    Source *s = ARENA_NEW(p->arena, Source);
    *s = (Source){p->what, text, strlen(text)};
    Lexer l = lexer_new(p->arena, s, &d);
    Expr *e = expr_parse(&l);
    Scope none = {0};
    Evaluation ev = {.arena = p->arena};
    if (!e || !expr_bind(e, &none, &d) || !expr_eval(e, NULL, &ev, out))
        return refuse(p, "this is not known before the tuner runs");
    return true;
}

/* One value of the variable: the condition, then the item, read with the value in the variable's
 * place. */
static bool add_item(Python *p, const char *item, const char *condition, Value v, Buf *out)
{
    Buf value = {0}, text = {0};
    value_print(v, &value);
    Python inner = *p;
    inner.value = arena_string(p->arena, buf_text(&value));
    Value holds = value_bool(true);
    bool ok = true;
    if (condition) {
        inner.at = condition;
        ok = parse(&inner, &text) &&
             evaluate(&inner, arena_string(p->arena, buf_text(&text)), &holds);
    }
    inner.at = item;
    if (ok && (holds.kind == VALUE_BOOL ? holds.boolean : value_as_real(holds) != 0)) {
        buf_puts(out, out->size ? ", " : "");
        ok = parse(&inner, out);
    }
    buf_free(&value);
    buf_free(&text);
    return ok;
}

/* for NAME in LIST [ if CONDITION ] ], behind the item that begins at `item` */
static bool take_comprehension(Python *p, const char *item, Buf *out)
{
    Buf list = {0}, all = {0}, ignored = {0};
    skip(p);
    size_t n = 0;
    while (is_word(p->at[n]))
        n++;
    const char *variable = arena_copy(p->arena, p->at, n), *condition = NULL;
    p->at += n;
    Value values;
    bool ok = (n > 0 || refuse(p, "this is not understood")) && expect(p, "in") && parse(p, &list);
    Python inner = *p;
    inner.variable = variable;
    inner.value = "0";
    if (ok && take(p, "if")) {
        condition = p->at;
        inner.at = p->at;
        ok = parse(&inner, &ignored);
        p->at = inner.at;
    }
    inner.at = p->at;
    ok = ok && expect(p, "]") && evaluate(p, arena_string(p->arena, buf_text(&list)), &values);
    if (ok && (values.kind != VALUE_LIST || values.list->count > VALUES_LIMIT))
        ok = refuse(p, "this is no list");
    for (size_t i = 0; ok && i < values.list->count; i++)
        ok = add_item(&inner, item, condition, values.list->at[i], &all);
    buf_printf(out, "[%s]", buf_text(&all));
    buf_free(&list);
    buf_free(&all);
    buf_free(&ignored);
    return ok;
}

/* Behind "[": a list or a comprehension. */
static bool take_list(Python *p, Buf *out)
{
    const char *item = p->at;
    Buf items = {0};
    size_t count = 0;
    bool ok = is_next(p, "]") || parse(p, &items);
    if (ok && take(p, "for")) {
        buf_free(&items);
        return take_comprehension(p, item, out);
    }
    if (ok && !take(p, "]")) {
        Buf rest = {0};
        ok = expect(p, ",") && take_items(p, &rest, "]", &count);
        if (count > 0)
            buf_printf(&items, ", %s", buf_text(&rest));
        buf_free(&rest);
    }
    buf_printf(out, "[%s]", buf_text(&items));
    buf_free(&items);
    return ok;
}

/* --- names and calls ----------------------------------------------------------------------------- */

static const struct {
    const char *python, *spec; /* `spec` holds the arguments' place as %s */
} CALLS[] = {
    {"min", "min(%s)"},
    {"max", "max(%s)"},
    {"abs", "abs(%s)"},
    {"range", "range(%s)"},
    {"list", "%s"},
    {"tuple", "%s"},
    {"sorted", "%s"},
    {"int", "floor(%s)"},
    {"float", "(1.0 * (%s))"},
    {"bool", "(%s)"},
    {"ceil", "ceil(%s)"},
    {"floor", "floor(%s)"},
    {"sqrt", "sqrt(%s)"},
    {"log", "log(%s)"},
    {"log2", "log2(%s)"},
    {"math.ceil", "ceil(%s)"},
    {"math.floor", "floor(%s)"},
    {"math.sqrt", "sqrt(%s)"},
    {"math.log", "log(%s)"},
    {"math.log2", "log2(%s)"},
};

static bool take_call(Python *p, const char *name, Buf *out)
{
    Buf arguments = {0};
    size_t count, i = 0;
    while (i < sizeof CALLS / sizeof CALLS[0] && strcmp(CALLS[i].python, name) != 0)
        i++;
    bool pow = strcmp(name, "pow") == 0;
    bool known = pow || i < sizeof CALLS / sizeof CALLS[0];
    bool ok =
        known ? take_items(p, &arguments, ")", &count) : refuse(p, "this function is not known");
    if (ok && pow) {
        const char *comma = strchr(buf_text(&arguments), ',');
        ok = comma && count == 2;
        if (ok)
            buf_printf(out, "(%.*s) ** (%s)", (int)(comma - buf_text(&arguments)),
                       buf_text(&arguments), comma + 2);
    } else if (ok) {
        const char *place = strstr(CALLS[i].spec, "%s");
        buf_printf(out, "%.*s%s%s", (int)(place - CALLS[i].spec), CALLS[i].spec,
                   buf_text(&arguments), place + 2);
    }
    buf_free(&arguments);
    return ok;
}

static bool take_name(Python *p, Buf *out)
{
    const char *start = p->at;
    while (is_word(*p->at) || *p->at == '.')
        p->at++;
    const char *name = arena_copy(p->arena, start, (size_t)(p->at - start));
    if (take(p, "("))
        return take_call(p, name, out);
    if (strchr(name, '.'))
        return refuse(p, "this name is not known");
    if (p->variable && strcmp(name, p->variable) == 0)
        buf_puts(out, p->value);
    else
        buf_puts(out, strcmp(name, "True") == 0    ? "true"
                      : strcmp(name, "False") == 0 ? "false"
                                                   : name);
    return true;
}

/* Behind "(": something in brackets, or a tuple. */
static bool take_brackets(Python *p, Buf *out)
{
    Buf items = {0};
    size_t count;
    bool ok = take_items(p, &items, ")", &count);
    bool tuple = count != 1 || (items.size > 0 && p->at[-2] == ',');
    buf_printf(out, tuple ? "[%s]" : "(%s)", buf_text(&items));
    buf_free(&items);
    return ok;
}

static bool primary(Python *p, Buf *out)
{
    skip(p);
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return take_number(p, out);
    if (*p->at == '"' || *p->at == '\'')
        return take_string(p, out);
    if (take(p, "("))
        return take_brackets(p, out);
    if (take(p, "["))
        return take_list(p, out);
    if (isalpha((unsigned char)*p->at) || *p->at == '_')
        return take_name(p, out);
    return refuse(p, "this is not understood");
}

/* --- levels, the strongest first ----------------------------------------------------------------- */

static bool unary(Python *p, Buf *out);

static bool power(Python *p, Buf *out)
{
    if (!primary(p, out))
        return false;
    if (!take(p, "**"))
        return true;
    buf_puts(out, " ** ");
    return unary(p, out);
}

static bool unary(Python *p, Buf *out)
{
    if (!deeper(p))
        return false;
    bool minus = take(p, "-"), plus = !minus && take(p, "+");
    if (minus)
        buf_putc(out, '-');
    bool ok = minus || plus ? unary(p, out) : power(p, out);
    p->depth--;
    return ok;
}

/* Python's / gives a real number, also of integers. */
static bool product(Python *p, Buf *out)
{
    Buf left = {0};
    bool ok = unary(p, &left);
    while (ok) {
        bool floor_divides = take(p, "//"),
             times = !floor_divides && !is_next(p, "**") && take(p, "*");
        bool divides = !floor_divides && !times && take(p, "/");
        bool modulo = !floor_divides && !times && !divides && take(p, "%");
        if (!floor_divides && !times && !divides && !modulo)
            break;
        Buf right = {0}, both = {0};
        ok = unary(p, &right);
        buf_printf(&both,
                   divides  ? "1.0 * %s / %s"
                   : times  ? "%s * %s"
                   : modulo ? "%s %% %s"
                            : "%s // %s",
                   buf_text(&left), buf_text(&right));
        buf_free(&left);
        buf_free(&right);
        left = both;
    }
    buf_puts(out, buf_text(&left));
    buf_free(&left);
    return ok;
}

/* Is a text one list: "[…]", or the call of range? */
static bool is_list(const char *text)
{
    int depth = 0;
    const char *at = strncmp(text, "range(", 6) == 0 ? text + 5 : text;
    if (*at != '[' && at == text)
        return false;
    for (; *at; at++) {
        depth += *at == '[' || *at == '(';
        depth -= *at == ']' || *at == ')';
        if (depth == 0)
            return at[1] == '\0';
    }
    return false;
}

/* A list without its brackets, which a list of values does without. */
static void put_items(const char *text, Buf *out)
{
    size_t n = strlen(text);
    bool bracket = *text == '[';
    buf_add(out, text + bracket, n - 2 * (size_t)bracket);
}

/* Lists are joined by a sign, too. */
static bool sum(Python *p, Buf *out)
{
    Buf left = {0};
    bool ok = product(p, &left);
    while (ok && (is_next(p, "+") || is_next(p, "-"))) {
        char sign = *p->at++;
        Buf right = {0}, both = {0};
        ok = product(p, &right);
        bool first = is_list(buf_text(&left)), second = is_list(buf_text(&right));
        if (ok && (first || second)) {
            ok = (first && second && sign == '+') || refuse(p, "a list is joined to lists alone");
            buf_putc(&both, '[');
            put_items(buf_text(&left), &both);
            bool empty = both.size == 1;
            size_t before = both.size;
            buf_puts(&both, empty ? "" : ", ");
            put_items(buf_text(&right), &both);
            if (!empty && both.size == before + 2)
                both.size = before; /* the second one is empty */
            buf_putc(&both, ']');
        } else {
            buf_printf(&both, "%s %c %s", buf_text(&left), sign, buf_text(&right));
        }
        buf_free(&left);
        buf_free(&right);
        left = both;
    }
    buf_puts(out, buf_text(&left));
    buf_free(&left);
    return ok;
}

static bool comparison(Python *p, Buf *out)
{
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">", "not in", "in"};
    return chain(p, out, sum, signs, 8);
}

static bool negation(Python *p, Buf *out)
{
    bool ok;
    if (!deeper(p))
        return false;
    if (is_next(p, "not") && !is_next(p, "not in") && take(p, "not")) {
        buf_puts(out, "not ");
        ok = negation(p, out);
    } else {
        ok = comparison(p, out);
    }
    p->depth--;
    return ok;
}

static bool conjunction(Python *p, Buf *out)
{
    static const char *const signs[] = {"and"};
    return chain(p, out, negation, signs, 1);
}

static bool disjunction(Python *p, Buf *out)
{
    static const char *const signs[] = {"or"};
    return chain(p, out, conjunction, signs, 1);
}

/* A [ "if" C "else" B ]; a comprehension's own `if` has no else. */
static bool parse(Python *p, Buf *out)
{
    Buf value = {0}, condition = {0}, otherwise = {0};
    if (!deeper(p))
        return false;
    bool ok = disjunction(p, &value);
    Python before = *p;
    Diag quiet = diag_new(p->arena);
    Python ahead = *p;
    ahead.diag = &quiet;
    bool chosen =
        ok && take(&ahead, "if") && disjunction(&ahead, &condition) && take(&ahead, "else");
    if (chosen) {
        *p = ahead;
        p->diag = before.diag;
        ok = parse(p, &otherwise);
        buf_printf(out, "(%s ? %s : %s)", buf_text(&condition), buf_text(&value),
                   buf_text(&otherwise));
    } else {
        buf_puts(out, buf_text(&value));
    }
    p->depth = before.depth - 1;
    buf_free(&value);
    buf_free(&condition);
    buf_free(&otherwise);
    return ok;
}

/* --- all of it ----------------------------------------------------------------------------------- */

bool python_expression(Arena *a, const char *text, const char *what, Buf *out, Diag *d)
{
    size_t steps = 0;
    Python p = {.arena = a, .diag = d, .what = what, .start = text, .at = text, .steps = &steps};
    if (!parse(&p, out))
        return false;
    skip(&p);
    return !*p.at || refuse(&p, "this is not understood");
}

bool python_values(Arena *a, const char *text, const char *what, Buf *out, Diag *d)
{
    Buf all = {0};
    bool ok = python_expression(a, text, what, &all, d);
    size_t n = all.size;
    bool list = n >= 2 && all.text[0] == '[' && is_list(all.text);
    if (ok)
        buf_add(out, buf_text(&all) + list, n - 2 * (size_t)list);
    buf_free(&all);
    return ok;
}

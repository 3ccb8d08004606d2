#include "tuner/spec/convert.h"

#include "metrics/base/expr.h"

#include <ctype.h>
#include <string.h>

/* Far more than anyone writes: bounds the work on hostile files. */
enum { DEPTH_LIMIT = 64, VALUES_LIMIT = 65536, STEP_LIMIT = 2000000 };

typedef struct Python {
    Arena *arena;
    Diag *diag;
    const char *what;  /* for messages */
    const char *start; /* of the text */
    const char *at;
    int depth;
    size_t *steps;        /* taken so far, by all readers of the text */
    const char *variable; /* of a comprehension; NULL: none */
    const char *value;    /* its current value */
    Buf *out;
} Python;

static bool parse(Python *p);

/* --- input --------------------------------------------------------------------------------------- */

static void skip(Python *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool is_next(Python *p, const char *text)
{
    skip(p);
    size_t n = strlen(text);
    return strncmp(p->at, text, n) == 0 && !(text_is_word(text[n - 1]) && text_is_word(p->at[n]));
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

/* Enters a level of nesting; false: too deep, or too many steps. */
static bool deeper(Python *p)
{
    return (++p->depth <= DEPTH_LIMIT && ++*p->steps <= STEP_LIMIT) ||
           refuse(p, "too many brackets or values");
}

static bool expect(Python *p, const char *text)
{
    return take(p, text) || refuse(p, "unsupported syntax");
}

/* --- output -------------------------------------------------------------------------------------- */

static bool put(Python *p, const char *text)
{
    buf_puts(p->out, text);
    return true;
}

/* Removes and returns the output from `start` on. */
static const char *cut(Python *p, size_t start)
{
    const char *text = arena_copy(p->arena, buf_text(p->out) + start, p->out->size - start);
    buf_cut(p->out, start);
    return text;
}

/* Inserts a text at `start`. */
static void put_before(Python *p, size_t start, const char *text)
{
    const size_t n = strlen(text);
    buf_puts(p->out, text);
    memmove(p->out->text + start + n, p->out->text + start, p->out->size - n - start);
    memcpy(p->out->text + start, text, n);
}

static bool take_number(Python *p)
{
    const char *start = p->at;
    while (text_is_word(*p->at) || *p->at == '.' ||
           ((*p->at == '-' || *p->at == '+') && p->at > start &&
            (p->at[-1] == 'e' || p->at[-1] == 'E') && start[1] != 'x'))
        p->at++;
    bool point = p->at[-1] == '.';
    buf_printf(p->out, "%s%.*s%s", *start == '.' ? "0" : "", (int)(p->at - start), start,
               point ? "0" : "");
    return true;
}

static bool take_string(Python *p)
{
    char quote = *p->at;
    size_t n = strcspn(p->at + 1, quote == '"' ? "\"\n\\" : "'\n\\");
    if (p->at[n + 1] != quote)
        return refuse(p, "unsupported string");
    buf_putc(p->out, '"');
    for (size_t i = 1; i <= n; i++)
        buf_printf(p->out, p->at[i] == '"' ? "\\%c" : "%c", p->at[i]);
    buf_putc(p->out, '"');
    p->at += n + 2;
    return true;
}

/* Takes items up to and with a closing bracket; `count`: of earlier ones, raised. */
static bool take_items(Python *p, const char *close, size_t *count)
{
    while (!take(p, close)) {
        if (*count > 0 && !expect(p, ","))
            return false;
        if (take(p, close))
            return true;
        put(p, (*count)++ ? ", " : "");
        if (!parse(p))
            return false;
    }
    return true;
}

/* --- comprehensions ------------------------------------------------------------------------------ */

/* Removes and evaluates the output from `start` on; false after a message. */
static bool evaluate(Python *p, size_t start, Value *out)
{
    Diag d = diag_new(p->arena);
    const char *text = cut(p, start);
    Lexer l = lexer_new(p->arena, source_new(p->arena, p->what, text, strlen(text)), &d);
    Expr *e = expr_parse(&l);
    Scope none = {0};
    Evaluation ev = {.arena = p->arena};
    if (!e || !expr_bind(e, &none, &d))
        return refuse(p, "the value is not known before the tuner runs");
    return expr_eval(e, NULL, &ev, out) || refuse(p, ev.error);
}

/* Adds the item for one value of the variable, if the condition holds, by reading both again with the value
 * in place of the variable. */
static bool add_item(Python p, const char *item, const char *condition, Value v, size_t *count)
{
    Buf value = {0};
    value_print(v, &value);
    p.value = buf_keep(&value, p.arena);
    Value holds = value_bool(true);
    size_t start = p.out->size;
    p.at = condition;
    if (condition && !(parse(&p) && evaluate(&p, start, &holds)))
        return false;
    if (!value_is_true(holds))
        return true;
    p.at = item;
    put(&p, (*count)++ ? ", " : "");
    return parse(&p);
}

/* for NAME in LIST [ if CONDITION ] ], after the item that begins at `item` */
static bool take_comprehension(Python *p, const char *item)
{
    size_t start = p->out->size, n = 0, count = 0;
    skip(p);
    while (text_is_word(p->at[n]))
        n++;
    const char *variable = arena_copy(p->arena, p->at, n), *condition = NULL;
    p->at += n;
    if (n == 0)
        return refuse(p, "unsupported syntax");
    if (!expect(p, "in") || !parse(p))
        return false;
    size_t end = p->out->size; /* of the list's text */
    Python inner = *p;
    inner.variable = variable;
    inner.value = "0";
    if (take(&inner, "if")) {
        condition = inner.at;
        if (!parse(&inner))
            return false;
        cut(p, end);
    }
    p->at = inner.at;
    Value values;
    if (!expect(p, "]") || !evaluate(p, start, &values))
        return false;
    if (values.kind != VALUE_LIST || values.list->count > VALUES_LIMIT)
        return refuse(p, "not a list");
    inner.at = p->at;
    bool ok = true;
    for (size_t i = 0; ok && i < values.list->count; i++)
        ok = add_item(inner, item, condition, values.list->at[i], &count);
    return ok && put(p, "]");
}

/* After "[": a list or a comprehension. */
static bool take_list(Python *p)
{
    const char *item = p->at;
    size_t count = 1;
    put(p, "[");
    size_t start = p->out->size;
    if (take(p, "]"))
        return put(p, "]");
    if (!parse(p))
        return false;
    if (!take(p, "for"))
        return take_items(p, "]", &count) && put(p, "]");
    cut(p, start);
    return take_comprehension(p, item);
}

/* --- names and calls ----------------------------------------------------------------------------- */

static const struct {
    /* text around the arguments; between: takes two */
    const char *python, *before, *between, *behind;
} CALLS[] = {
    {"min", "min(", NULL, ")"},
    {"max", "max(", NULL, ")"},
    {"abs", "abs(", NULL, ")"},
    {"range", "range(", NULL, ")"},
    {"list", "", NULL, ""},
    {"tuple", "", NULL, ""},
    {"sorted", "", NULL, ""},
    {"int", "floor(", NULL, ")"},
    {"float", "(1.0 * (", NULL, "))"},
    {"bool", "(", NULL, ")"},
    {"pow", "(", ") ** (", ")"}, /* from here on also of "math." */
    {"ceil", "ceil(", NULL, ")"},
    {"floor", "floor(", NULL, ")"},
    {"sqrt", "sqrt(", NULL, ")"},
    {"log", "log(", NULL, ")"},
    {"log2", "log2(", NULL, ")"},
};
enum { CALL_COUNT = COUNT_OF(CALLS), MATH = 10 };

/* After "(". */
static bool take_call(Python *p, const char *name)
{
    const bool math = strncmp(name, "math.", 5) == 0;
    size_t i = math ? MATH : 0, count = 0;
    while (i < CALL_COUNT && strcmp(CALLS[i].python, name + (math ? 5 : 0)) != 0)
        i++;
    if (i == CALL_COUNT)
        return refuse(p, "unknown function");
    put(p, CALLS[i].before);
    if (CALLS[i].between && !(parse(p) && expect(p, ",") && put(p, CALLS[i].between)))
        return false;
    return take_items(p, ")", &count) && put(p, CALLS[i].behind);
}

static bool take_name(Python *p)
{
    const char *start = p->at;
    while (text_is_word(*p->at) || *p->at == '.')
        p->at++;
    const char *name = arena_copy(p->arena, start, (size_t)(p->at - start));
    if (take(p, "("))
        return take_call(p, name);
    if (strchr(name, '.'))
        return refuse(p, "unknown name");
    return put(p, p->variable && strcmp(name, p->variable) == 0 ? p->value
                  : strcmp(name, "True") == 0                   ? "true"
                  : strcmp(name, "False") == 0                  ? "false"
                                                                : name);
}

/* After "(": an expression in parentheses, or a tuple. */
static bool take_brackets(Python *p)
{
    size_t start = p->out->size, count = 0;
    put(p, "(");
    bool ok = take_items(p, ")", &count);
    bool tuple = count != 1 || p->at[-2] == ',';
    p->out->text[start] = tuple ? '[' : '(';
    return put(p, tuple ? "]" : ")") && ok;
}

static bool primary(Python *p)
{
    skip(p);
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return take_number(p);
    if (*p->at == '"' || *p->at == '\'')
        return take_string(p);
    if (take(p, "("))
        return take_brackets(p);
    if (take(p, "["))
        return take_list(p);
    if (isalpha((unsigned char)*p->at) || *p->at == '_')
        return take_name(p);
    return refuse(p, "unsupported syntax");
}

/* --- operators ----------------------------------------------------------------------------------- */

/* { "-" | "+" } primary [ "**" unary ] */
static bool unary(Python *p)
{
    if (!deeper(p))
        return false;
    bool minus = take(p, "-"), ok;
    if (minus || take(p, "+"))
        ok = put(p, minus ? "-" : "") && unary(p);
    else
        ok = primary(p) && (!take(p, "**") || (put(p, " ** ") && unary(p)));
    p->depth--;
    return ok;
}

/* True if a text is one list: "[…]", or a call of range. */
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

/* A list without its brackets. */
static const char *items_of(Arena *a, const char *list)
{
    return *list == '[' ? arena_copy(a, list + 1, strlen(list) - 2) : list;
}

/* Joins lists: "[1] + [2]", written from `start` on. */
static bool join_lists(Python *p, size_t start, size_t second, char sign)
{
    Buf *b = p->out;
    const char *right = b->text + second;
    if (b->text[start] != '[' && b->text[start] != 'r' && *right != '[' && *right != 'r')
        return true;
    right = cut(p, second);
    const char *left = cut(p, start);
    left = arena_copy(p->arena, left, strlen(left) - 3); /* without the sign */
    bool both = is_list(left) && is_list(right);
    if (!both && !is_list(left) && !is_list(right))
        return buf_printf(b, "%s %c %s", left, sign, right), true;
    if (!both || sign != '+')
        return refuse(p, "lists can only be joined to lists");
    left = items_of(p->arena, left);
    right = items_of(p->arena, right);
    buf_printf(b, "[%s%s%s]", left, *left && *right ? ", " : "", right);
    return true;
}

typedef enum Level { LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVELS } Level;

/* By rising precedence; longer ones first. */
static const char *const SIGNS[LEVELS][8] = {
    {"or"},
    {"and"},
    {"<=", ">=", "==", "!=", "<", ">", "not in", "in"},
    {"+", "-"},
    {"//", "*", "/", "%"},
};

static bool negation(Python *p);

/* Operands of the next level with signs between. Python's / gives a real number, also for integers. */
static bool chain(Python *p, Level level)
{
    size_t start = p->out->size;
    for (const char *sign = NULL;;) {
        size_t last = p->out->size;
        if (!(level == LEVEL_PRODUCT ? unary(p)
              : level == LEVEL_AND   ? negation(p)
                                     : chain(p, level + 1)))
            return false;
        if (sign && level == LEVEL_SUM && !join_lists(p, start, last, *sign))
            return false;
        sign = NULL;
        for (size_t i = 0; i < 8 && SIGNS[level][i] && !sign && !is_next(p, "**"); i++)
            sign = take(p, SIGNS[level][i]) ? SIGNS[level][i] : NULL;
        if (!sign)
            return true;
        if (strcmp(sign, "/") == 0)
            put_before(p, start, "1.0 * ");
        buf_printf(p->out, " %s ", sign);
    }
}

static bool negation(Python *p)
{
    if (!deeper(p))
        return false;
    bool not = !is_next(p, "not in") && take(p, "not");
    bool ok = not ? put(p, "not ") && negation(p) : chain(p, LEVEL_COMPARE);
    p->depth--;
    return ok;
}

/* A [ "if" C "else" B ]; the `if` of a comprehension has no else. */
static bool parse(Python *p)
{
    const int depth = p->depth;
    const size_t start = p->out->size;
    if (!deeper(p))
        return false;
    bool ok = chain(p, LEVEL_OR);
    const size_t end = p->out->size;
    Python ahead = *p;
    ahead.diag = DIAG_UNHEARD(p->arena);
    if (ok && take(&ahead, "if")) {
        bool chosen = chain(&ahead, LEVEL_OR) && take(&ahead, "else");
        const char *condition = cut(p, end);
        if (chosen) {
            const char *value = cut(p, start);
            buf_printf(p->out, "(%s ? %s : ", condition, value);
            p->at = ahead.at;
            ok = parse(p) && put(p, ")");
        }
    }
    p->depth = depth;
    return ok;
}

bool python_expression(Arena *a, const char *text, const char *what, Buf *out, Diag *d)
{
    size_t steps = 0;
    Python p = {.arena = a,
                .diag = d,
                .what = what,
                .start = text,
                .at = text,
                .steps = &steps,
                .out = out};
    if (!parse(&p))
        return false;
    skip(&p);
    return !*p.at || refuse(&p, "unsupported syntax");
}

bool python_values(Arena *a, const char *text, const char *what, Buf *out, Diag *d)
{
    Buf all = {0};
    bool ok = python_expression(a, text, what, &all, d);
    const char *values = buf_keep(&all, a);
    buf_puts(out, ok && is_list(values) ? items_of(a, values) : ok ? values : "");
    return ok;
}

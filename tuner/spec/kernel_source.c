#include "tuner/spec/kernel_source.h"

#include "metrics/base/diag.h"
#include "tuner/spec/code_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

static const char *word_text(Arena *a, const char *at)
{
    return code_copy(a, code_word(at));
}

/* --- the declaration -------------------------------------------------------------------------- */

static const char *skip_directives(const char *at, const char *end)
{
    for (at = code_skip(at, end); *at == '#'; at = code_skip(at, end))
        at = code_next_line(at);
    return at;
}

/* Skips what may precede the kernel's name after __global__: types and attributes, some with parentheses.
 * Returns the `(` of the parameters; NULL: no declaration. */
static const char *skip_to_name(const char *at, Word *name)
{
    for (;;) {
        const char *end = at + strlen(at);
        *name = code_word(skip_directives(at, end));
        if (!name->length)
            return NULL;
        at = name->at + name->length;
        const char *next = code_skip(at, end);
        if (strncmp(next, "::", 2) == 0)
            at = next + 2;
        if (*next != '(')
            continue;
        at = code_closing(next, end);
        if (!at || !code_is_name(*skip_directives(at + 1, end)))
            return next; /* an attribute is followed by the name */
        at++;
    }
}

/* The `<` of the `template <…>` that ends right before `end`, and its `>`; NULL: none. */
static const char *template_list(const char *text, const char *end, const char **close)
{
    const char *open = NULL;
    *close = NULL;
    for (const char *at = text; (at = code_find_word(at, "template", text)) != NULL && at < end;
         at++) {
        open = code_skip(at + strlen("template"), end);
        *close = *open == '<' ? code_closing(open, end) : NULL;
    }
    bool its = open && *close;
    for (const char *at = its ? *close : end; at < end && its; at++)
        its = !strchr(";{}", *at);
    return its ? open : NULL;
}

/* Reads "const float *__restrict__ in". */
static KernelParameter read_parameter(Arena *a, const char *text)
{
    KernelParameter p = {.name = ""};
    Buf type = {0};
    const char *last = NULL;
    for (const char *at = text;
         *at && *at != '[' && *at != '=';) { /* up to dimensions or a default */
        size_t n = code_word(at).length;
        while (n > 0 && at[n] == ':' && at[n + 1])
            n += 1 + code_word(at + n + 1).length;
        const char *word = arena_copy(a, at, n);
        p.pointer = p.pointer || *at == '*' || *at == '&';
        at += n ? n : 1;
        p.constant = p.constant || (strcmp(word, "const") == 0 && !p.pointer);
        if (n == 0 || WORD_IS_ANY(word, "const", "volatile", "__restrict__", "restrict",
                                  "__restrict", "__grid_constant__", "struct"))
            continue;
        if (last)
            buf_printf(&type, "%s%s", type.size ? " " : "", last);
        last = word;
    }
    p.pointer = p.pointer || strchr(text, '[');
    p.name = last ? last : "";
    const char *star = strchr(text, '*');
    buf_puts(&type, star && strchr(star + 1, '*') ? " *" : ""); /* to pointers */
    p.text = buf_keep(&type, a);
    p.known = task_type_find(p.text, &p.type);
    return p;
}

/* The first value of an enum, "(Filter)0"; NULL: a numeric type. */
static const char *enumerator(Arena *a, const char *written)
{
    TaskType type;
    const KernelParameter p = read_parameter(a, arena_printf(a, "%s _", written));
    const bool number = !*p.text || task_type_find(p.text, &type) || strpbrk(written, "*&.<") ||
                        code_has_word(written, "auto") || strstr(written, "_t") ||
                        code_has_word(written, "long") || code_has_word(written, "char");
    return number ? NULL : arena_printf(a, "(%s)0", p.text);
}

static TemplateParameter read_argument(Arena *a, const char *part)
{
    TemplateParameter t = {0};
    const char *initial = strchr(part, '=');
    size_t end = initial ? (size_t)(initial - part) : strlen(part);
    while (end > 0 && !code_is_name(part[end - 1]))
        end--;
    const Word name = code_word_before(part, part + end);
    t.name = code_copy(a, name);
    t.is_type = strstr(part, "typename") || strstr(part, "class ");
    if (initial)
        t.initial = code_copy(a, code_word(initial + 1 + strspn(initial + 1, " \t\r\n")));
    else if (code_has_word(part, "bool"))
        t.initial = "false";
    else if (!t.is_type)
        t.initial = enumerator(a, arena_copy(a, part, (size_t)(name.at - part)));
    return t;
}

static void read_arguments(Arena *a, const char *open, const char *close, KernelSource *out)
{
    const char *parts[CODE_LIST];
    const size_t count = code_list(a, open + 1, close, parts, CODE_LIST);
    for (size_t i = 0; i < count; i++) {
        TemplateParameter t = read_argument(a, parts[i]);
        const char *initial = strchr(parts[i], '=');
        t.by_default = initial && !kernel_source_plain(a, out->text, code_blanks(initial + 1));
        if (*t.name)
            VEC_PUSH(a, &out->arguments, t);
    }
}

/* True if the first name of a condition is defined, or its number not 0; "!" and #ifndef: if not. */
static bool holds(const char *text, Word directive)
{
    bool wanted = !code_same(directive, "ifndef");
    for (const char *at = directive.at + directive.length; *at && *at != '\n';) {
        const Word w = code_word(at);
        if (w.length && !code_same(w, "defined"))
            return wanted ==
                   (isdigit((unsigned char)*at) ? *at != '0' : code_definition(text, w) != NULL);
        wanted = wanted != (*at == '!');
        at += w.length ? w.length : 1;
    }
    return false;
}

/* The lines of a list without directives, and without those that an #if leaves out. */
static const char *chosen_lines(Arena *a, const char *list, const char *end, const char *text)
{
    Buf kept = {0};
    uint64_t left_out = 0; /* a bit for each open #if */
    for (const char *line = list, *next; line < end; line = next) {
        next = code_next_line(line);
        const Word w = code_directive(line);
        if (code_among(w, "ifdef ifndef if"))
            left_out = left_out << 1 | !holds(text, w);
        else if (code_among(w, "else elif"))
            left_out ^= 1;
        else if (code_same(w, "endif"))
            left_out >>= 1;
        else if (!w.length && !left_out)
            buf_printf(&kept, "%.*s", (int)((next < end ? next : end) - line), line);
    }
    return buf_keep(&kept, a);
}

static void read_parameters(Arena *a, const char *open, KernelSource *out)
{
    const char *parts[CODE_LIST];
    const char *close = code_closing(open, open + strlen(open));
    const char *list = chosen_lines(a, open + 1, close, out->text);
    const size_t count = code_list(a, list, list + strlen(list), parts, CODE_LIST);
    for (size_t i = 0; i < count; i++) {
        KernelParameter p = read_parameter(a, parts[i]);
        if (*p.name && strcmp(p.name, "void") != 0)
            VEC_PUSH(a, &out->parameters, p);
    }
}

/* A kernel with a body in a text. */
typedef struct Definition {
    const char *start; /* "__global__" */
    Word name;
    const char *list;         /* the `(` of its parameters */
    const char *body, *close; /* its braces; NULL: there is none */
} Definition;

/* Finds the next kernel with a body from *at on. */
static bool next_kernel(const char **at, Definition *k)
{
    while ((*at = strstr(*at, "__global__")) != NULL) {
        k->start = *at;
        *at += strlen("__global__");
        k->list = skip_to_name(*at, &k->name);
        const char *end = *at + strlen(*at);
        const char *close = k->list ? code_closing(k->list, end) : NULL;
        if (!close || *code_skip(close + 1, end) == ';') /* only a declaration */
            continue;
        k->body = strchr(close, '{');
        k->close = k->body ? code_closing(k->body, end) : NULL;
        return true;
    }
    return false;
}

const char *kernel_source_body(const char *text, const char *kernel, const char **close)
{
    Definition k;
    while (next_kernel(&text, &k)) {
        *close = code_same(k.name, kernel) ? k.close : NULL;
        if (*close)
            return k.body;
    }
    return NULL;
}

/* The namespaces open at `end`, each followed by "::". */
static const char *scope_at(Arena *a, const char *text, const char *end)
{
    VEC(const char *) open = {0};
    const char *name = NULL; /* of a namespace whose brace follows */
    for (const char *at = text; at < end;) {
        const Word w = code_next_word(text, &at);
        if (code_same(w, "namespace")) {
            const char *first = code_skip(at, end);
            for (at = first; code_is_name(*at) || *at == ':';)
                at++;
            name = at > first ? arena_printf(a, "%.*s::", (int)(at - first), first) : "";
        } else if (*w.at == '{') {
            VEC_PUSH(a, &open, name ? name : "");
            name = NULL;
        } else if (*w.at == '}') {
            open.count -= open.count > 0;
        } else if (*w.at == ';') {
            name = NULL;
        }
    }
    Buf b = {0};
    for (size_t i = 0; i < open.count; i++)
        buf_puts(&b, open.at[i]);
    return buf_keep(&b, a);
}

/* Blanks the bodies of all other kernels. */
static const char *without_others(Arena *a, const char *text, const char *kernel)
{
    char *out = arena_copy(a, text, strlen(text));
    const char *end = text + strlen(text);
    Definition k;
    for (const char *at = text; next_kernel(&at, &k);) {
        if (!k.body || code_same(k.name, kernel))
            continue;
        /* From "template <…> __launch_bounds__(…)" on, but for directives before it. */
        const char *line = code_skip(code_back(text, k.start, ";{}"), k.start);
        for (const char *c = line; c < (k.close ? k.close : end); c++) {
            while (*c == '#' && c < k.start)
                c = code_skip(code_next_line(c), k.start);
            if (*c != '\n')
                out[c - text] = ' ';
        }
    }
    return out;
}

/* The value that satisfies "NAME >= 2", from after the name; 1 without a comparison. */
static long value_asked(const char *sign)
{
    sign = code_blanks(sign);
    const bool or_same = sign[0] && sign[1] == '=';
    const long number = *sign ? strtol(sign + 1 + or_same, NULL, 10) : 1;
    return *sign == '>'                  ? number + (!or_same && number < LONG_MAX)
           : strncmp(sign, "==", 2) == 0 ? number
                                         : 1;
}

/* Adds "NAME=3" for each name of a condition "defined(NAME) && NAME >= 3". */
static void add_asked(Arena *a, const char *at, KernelSource *out)
{
    bool denied = false; /* preceded by "!" */
    for (const char *end = code_line_end(at); at < end;) {
        const Word w = code_word(at);
        if (!w.length) {
            denied = *at == '!' || (denied && strchr(" (", *at));
            at++;
            continue;
        }
        at += w.length;
        if (code_same(w, "defined"))
            continue;
        if (!denied && !isdigit((unsigned char)*w.at) &&
            !code_among(w, "__CUDACC__ __CUDA_ARCH__ __cplusplus"))
            VEC_PUSH(a, &out->under, arena_printf(a, "%s=%ld", code_copy(a, w), value_asked(at)));
        denied = false;
    }
}

/* An open conditional: the conditions of its first and its current branch, "" under #ifndef and #else. */
typedef struct Branch {
    const char *first, *current;
    bool is_else;
} Branch;
typedef VEC(Branch) Branches;

static void follow_condition(Arena *a, const char *line, Branches *open)
{
    const char *asks = code_behind(line, "if"), *next = code_behind(line, "elif");
    asks = asks ? asks : code_behind(line, "ifdef");
    asks = asks ? asks : code_behind(line, "ifndef") ? "" : NULL;
    Branch *last = open->count ? &open->at[open->count - 1] : NULL;
    if (asks)
        VEC_PUSH(a, open, ((Branch){asks, asks, false}));
    else if (last && (next || code_behind(line, "else")))
        *last = (Branch){last->first, next ? next : "", !next};
    else if (last && code_behind(line, "endif"))
        open->count--;
}

void kernel_source_conditions(Arena *a, const char *text, const char *end, KernelSource *out)
{
    Branches open = {0};
    for (const char *line = text; line < end; line = code_next_line(line))
        follow_condition(a, line, &open);
    VEC_EACH (const Branch, b, open)
        add_asked(a, b->current, out);
}

const char *kernel_source_choice(Arena *a, const char *text, const char *log)
{
    Branches open = {0};
    for (const char *line = text; *line; line = code_next_line(line)) {
        const char *error = code_behind(line, "error");
        const size_t n = error ? strcspn(error, "\r\n") : 0;
        follow_condition(a, line, &open);
        if (!n || !open.count || !open.at[open.count - 1].is_else ||
            !strstr(log, arena_printf(a, "#error %.*s", (int)n, error)))
            continue;
        KernelSource asked = {0};
        add_asked(a, open.at[open.count - 1].first, &asked);
        return asked.under.count ? asked.under.at[0] : NULL;
    }
    return NULL;
}

bool kernel_source_find(Arena *a, const char *source, const char *wanted, KernelSource *out)
{
    *out = (KernelSource){.text = code_bare(a, source)};
    const char *close;
    Definition k;
    for (const char *at = out->text; next_kernel(&at, &k);) {
        if (wanted && !code_same(k.name, wanted))
            continue;
        out->name = code_copy(a, k.name);
        const char *qualified = k.name.at; /* "space::name" */
        while (qualified[-1] == ':' || (qualified < k.name.at && code_is_name(qualified[-1])))
            qualified--;
        out->scope = arena_printf(a, "%s%.*s", scope_at(a, out->text, k.start),
                                  (int)(k.name.at - qualified), qualified);
        out->own = without_others(a, out->text, out->name);
        const char *open = template_list(out->text, k.start, &close);
        out->is_template = open != NULL;
        if (open)
            read_arguments(a, open, close, out);
        read_parameters(a, k.list, out);
        kernel_source_conditions(a, out->text, k.start, out);
        return true;
    }
    return false;
}

const char *kernel_source_names(Arena *a, const char *source)
{
    Buf b = {0};
    const char *at = code_bare(a, source);
    Definition k;
    while (next_kernel(&at, &k)) {
        const char *word = code_copy(a, k.name);
        if (!code_has_word(buf_text(&b), word))
            buf_printf(&b, "%s%s", b.size ? ", " : "", word);
    }
    return buf_keep(&b, a);
}

/* --- how it is launched ----------------------------------------------------------------------- */

static bool is_plain(const char *word)
{
    TaskType type;
    return isdigit((unsigned char)*word) || WORD_IS_ANY(word, "true", "false") ||
           task_type_find(word, &type);
}

/* Resolves a word by "BM = 64;", by "typedef float real;", or by a macro; NULL: none. */
static const char *meant_by(Arena *a, const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n) {
        const char *sign = code_blanks(at + n), *start = code_blanks(code_back(text, at, ";\n"));
        if (at == text || code_is_name(at[-1]) || code_is_name(at[n]))
            continue;
        const char *value = *sign == '=' ? word_text(a, code_blanks(sign + 1)) : "";
        if (*sign == ';' && strncmp(start, "typedef ", 8) == 0)
            value = word_text(a, code_blanks(start + 8));
        if (is_plain(value))
            return value;
    }
    return kernel_source_defined(a, text, word);
}

const char *kernel_source_plain(Arena *a, const char *text, const char *part)
{
    const char *word = word_text(a, part), *rest = part + strlen(word);
    if (!*word || rest[strspn(rest, " \t\r\n")])
        return NULL;
    return is_plain(word) ? word : meant_by(a, text, word);
}

/* --- macros ----------------------------------------------------------------------------------- */

/* The value that a #define line gives to a name; NULL: none. */
static const char *value_on(Arena *a, const char *line, const char *name)
{
    const Word w = code_defined(line);
    if (!code_same(w, name) || w.at[w.length] == '(')
        return NULL;
    const char *at = code_blanks(w.at + w.length);
    const size_t n = (size_t)(code_trim(at, at + strcspn(at, "\r\n")) - at);
    return n ? arena_copy(a, at, n) : NULL;
}

const char *kernel_source_defined(Arena *a, const char *text, const char *name)
{
    for (const char *at = text; *at; at = code_next_line(at)) {
        const char *value = value_on(a, at, name);
        if (value)
            return value;
    }
    return NULL;
}

static KernelMacro *find_macro(KernelMacros *all, const char *name)
{
    return NAME_FIND(all->at, all->count, name, name);
}

/* Adds the undefined names of an #if, which are 0 there, hardly what is meant. */
static void add_conditions(Arena *a, const char *text, const char *at, KernelMacros *all)
{
    for (const char *end = code_line_end(at); at < end;) {
        const char *word = word_text(a, at);
        size_t length = strlen(word);
        bool name = length > 0 && !isdigit((unsigned char)*word) && strncmp(word, "__", 2) != 0 &&
                    strncmp(word, "CUDA", 4) != 0 &&
                    !WORD_IS_ANY(word, "defined", "or", "and", "not");
        if (name && strncmp(at + length, "(", 1) != 0 && !find_macro(all, word) &&
            !code_definition(text, code_word(at)))
            VEC_PUSH(a, all, ((KernelMacro){.name = word, .condition = true}));
        KernelMacro *m = name ? find_macro(all, word) : NULL;
        const char *sign = code_blanks(at + length);
        const bool compared = m && m->condition && strncmp(sign, "==", 2) == 0;
        const char *number = compared ? word_text(a, code_blanks(sign + 2)) : "";
        if (code_is_number(number) && !m->cases)
            m->cases = m->value = number;
        else if (code_is_number(number) && !code_has_word(m->cases, number))
            m->cases = arena_printf(a, "%s, %s", m->cases, number);
        at += length ? length : 1;
    }
}

KernelMacros kernel_source_macros(Arena *a, const char *source)
{
    KernelMacros all = {0};
    const char *text = code_bare(a, source);
    for (const char *at = text; *at; at = code_next_line(at)) {
        const char *rest = code_behind(at, "ifndef");
        const char *name = rest ? word_text(a, rest) : "";
        const char *value = *name ? value_on(a, code_next_line(at), name) : NULL;
        if (value && !find_macro(&all, name))
            VEC_PUSH(a, &all, ((KernelMacro){.name = name, .value = value}));
    }
    for (const char *at = text; *at; at = code_next_line(at)) {
        const char *rest = code_behind(at, "if");
        rest = rest ? rest : code_behind(at, "elif");
        if (rest && !strstr(arena_copy(a, rest, strcspn(rest, "\n")), "defined"))
            add_conditions(a, text, rest, &all);
    }
    return all;
}

/* Follows #ifndef kernel_tuner, under which sources for Kernel Tuner define its parameters for other builds:
 * `*depth` is the number of open conditionals from that one on, 0 outside and after its #else. */
static void follow_tuner(const char *line, int *depth)
{
    const char *under = code_behind(line, "ifndef");
    if (*depth == 0)
        *depth = under && code_same(code_word(under), "kernel_tuner");
    else if (under || code_behind(line, "if") || code_behind(line, "ifdef"))
        ++*depth;
    else if (code_behind(line, "endif") || (*depth == 1 && code_behind(line, "else")))
        --*depth;
}

/* "1024" of "1024U"; `value` may be NULL. */
static const char *without_suffix(Arena *a, const char *value)
{
    const size_t digits = value ? strspn(value, "0123456789") : 0;
    return digits && !value[digits + strspn(value + digits, "uUlL")] ? arena_copy(a, value, digits)
                                                                     : value;
}

KernelMacros kernel_source_numbers(Arena *a, const char *text)
{
    KernelMacros all = {0}, tunable = kernel_source_macros(a, text);
    int depth = 0;
    for (const char *at = text; *at; at = code_next_line(at)) {
        follow_tuner(at, &depth);
        const char *rest = code_behind(at, "define");
        const char *name = rest ? word_text(a, rest) : "";
        const char *value = *name ? without_suffix(a, value_on(a, at, name)) : NULL;
        if (value && code_is_number(value) && !find_macro(&tunable, name) &&
            !find_macro(&all, name))
            VEC_PUSH(a, &all, ((KernelMacro){name, value, .left_out = depth > 0}));
    }
    const CodeConstants constants = code_constants(a, text);
    VEC_EACH (const CodeConstant, c, constants) {
        const char *name = code_copy(a, c->name);
        const char *value = without_suffix(a, code_copy(a, c->value));
        if (code_is_number(value) && !find_macro(&tunable, name) && !find_macro(&all, name))
            VEC_PUSH(a, &all, ((KernelMacro){name, value, .constant = true}));
    }
    return all;
}

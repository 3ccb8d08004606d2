#include "tuner/spec/kernel_source.h"

#include <ctype.h>

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

/* The word at `at`, in `a`; "" when there is none. */
static const char *word_at(Arena *a, const char *at)
{
    size_t n = 0;
    while (is_name(at[n]))
        n++;
    return arena_copy(a, at, n);
}

const char *kernel_source_bare(Arena *a, const char *source)
{
    char *text = arena_copy(a, source, strlen(source));
    for (char *c = text; *c; c++) {
        char *end = NULL;
        if (c[0] == '/' && c[1] == '/')
            end = c + strcspn(c, "\n");
        else if (c[0] == '/' && c[1] == '*')
            end = strstr(c + 2, "*/");
        if (!end)
            continue;
        end += *end == '*' ? 2 : 0;
        for (; c < end; c++)
            if (*c != '\n')
                *c = ' ';
        c--;
    }
    return text;
}

/* Where the brackets that open at `at` close; NULL when they do not. */
static const char *closing(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* --- the declaration -------------------------------------------------------------------------- */

/* Behind what may stand between __global__ and the kernel's name: types and attributes, some with
 * brackets.  The `(` of the parameters; NULL when this is no declaration. */
static const char *skip_to_name(const char *at, const char **name, size_t *length)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (!is_name(*at))
            return NULL;
        *name = at;
        *length = 0;
        while (is_name(at[*length]))
            ++*length;
        at += *length;
        const char *next = at + strspn(at, " \t\r\n");
        if (*next != '(')
            continue;
        at = closing(next);
        if (!at || !is_name(at[1 + strspn(at + 1, " \t\r\n")]))
            return next; /* an attribute, or a macro of one, has the name behind it */
        at++;
    }
}

/* The `<` of `template <…>` that ends before `end`; NULL when there is none. */
static const char *template_list(const char *text, const char *end)
{
    while (end > text && (isspace((unsigned char)end[-1]) || is_name(end[-1])))
        end--;
    if (end == text || end[-1] != '>')
        return NULL;
    int depth = 0;
    for (const char *at = end - 1; at > text; at--) {
        depth += *at == '>';
        depth -= *at == '<';
        if (depth > 0)
            continue;
        const char *before = at; /* "#include <…>" ends so, too */
        while (before > text && isspace((unsigned char)before[-1]))
            before--;
        return before - text >= 8 && strncmp(before - 8, "template", 8) == 0 ? at : NULL;
    }
    return NULL;
}

static bool is_qualifier(const char *word)
{
    static const char *const words[] = {"const",    "volatile",   "__restrict__",
                                        "restrict", "__restrict", "__grid_constant__",
                                        "struct"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* "const float *__restrict__ in" */
static KernelParameter read_parameter(Arena *a, const char *text, size_t length)
{
    KernelParameter p = {.name = ""};
    Buf type = {0};
    const char *last = NULL;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length &&
               (is_name(text[i + n]) || (text[i + n] == ':' && n > 0 && i + n + 1 < length)))
            n++;
        p.pointer = p.pointer || text[i] == '*' || text[i] == '[';
        if (text[i] == '[' || text[i] == '=')
            break; /* dimensions, and the value when none is given */
        if (n == 0) {
            i++;
            continue;
        }
        const char *word = arena_copy(a, text + i, n);
        i += n;
        p.constant = p.constant || (strcmp(word, "const") == 0 && !p.pointer);
        if (is_qualifier(word))
            continue;
        if (last)
            buf_printf(&type, "%s%s", type.size ? " " : "", last);
        last = word;
    }
    p.name = last ? last : "";
    p.text = arena_string(a, buf_text(&type));
    p.known = task_type_find(p.text, &p.type);
    buf_free(&type);
    return p;
}

static TemplateParameter read_argument(Arena *a, const char *text, size_t length)
{
    TemplateParameter t = {0};
    const char *part = arena_copy(a, text, length), *initial = strchr(part, '=');
    size_t end = initial ? (size_t)(initial - part) : length;
    while (end > 0 && !is_name(part[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && is_name(part[start - 1]))
        start--;
    t.name = arena_copy(a, part + start, end - start);
    t.is_type = strstr(part, "typename") || strstr(part, "class ");
    if (initial)
        t.initial = word_at(a, initial + 1 + strspn(initial + 1, " \t\r\n"));
    else if (kernel_source_has_word(part, "bool"))
        t.initial = "false";
    return t;
}

/* Parts of a bracketed list between commas. */
static void read_list(Arena *a, const char *open, const char *close, bool arguments,
                      KernelSource *out)
{
    const char *start = open + 1;
    int depth = 0;
    for (const char *at = start; at <= close; at++) {
        depth += at < close && (*at == '<' || *at == '(');
        depth -= at < close && (*at == '>' || *at == ')');
        if (at < close && (*at != ',' || depth > 0))
            continue;
        size_t n = (size_t)(at - start);
        if (arguments) {
            TemplateParameter t = read_argument(a, start, n);
            if (*t.name)
                VEC_PUSH(a, &out->arguments, t);
        } else {
            KernelParameter p = read_parameter(a, start, n);
            if (*p.name && strcmp(p.name, "void") != 0)
                VEC_PUSH(a, &out->parameters, p);
        }
        start = at + 1;
    }
}

/* The next declaration of a kernel behind *at: `(` of its parameters; NULL when there is none. */
static const char *next_kernel(const char **at, const char **start, const char **name,
                               size_t *length)
{
    while ((*at = strstr(*at, "__global__")) != NULL) {
        *start = *at;
        *at += strlen("__global__");
        const char *list = skip_to_name(*at, name, length), *close = list ? closing(list) : NULL;
        const char *behind = close ? close + 1 + strspn(close + 1, " \t\r\n") : ";";
        if (*behind != ';') /* not one that is only declared */
            return list;
    }
    return NULL;
}

/* The namespaces that are open at `end`, with "::" behind each. */
static const char *scope_at(Arena *a, const char *text, const char *end)
{
    VEC(const char *) open = {0};
    const char *name = NULL; /* of a namespace whose brace follows */
    for (const char *at = text; at < end; at++) {
        if (*at == '"' || *at == '\'') {
            const char quote = *at;
            for (at++; at < end && *at != quote && *at != '\n'; at++)
                at += *at == '\\';
        } else if (strncmp(at, "namespace", 9) == 0 && !is_name(at[9]) &&
                   (at == text || !is_name(at[-1]))) {
            const char *first = at + 9 + strspn(at + 9, " \t\r\n");
            size_t n = 0;
            while (is_name(first[n]) || first[n] == ':')
                n++;
            name = n ? arena_printf(a, "%.*s::", (int)n, first) : "";
            at = first + n - 1;
        } else if (*at == '{') {
            VEC_PUSH(a, &open, name ? name : "");
            name = NULL;
        } else if (*at == '}') {
            open.count -= open.count > 0;
        } else if (*at == ';') {
            name = NULL;
        }
    }
    Buf b = {0};
    for (size_t i = 0; i < open.count; i++)
        buf_puts(&b, open.at[i]);
    return buf_keep(&b, a);
}

/* The text with blanks for the bodies of all kernels that are called otherwise. */
static const char *without_others(Arena *a, const char *text, const char *kernel)
{
    char *out = arena_copy(a, text, strlen(text));
    const char *at = text, *start, *name, *list;
    size_t length;
    while ((list = next_kernel(&at, &start, &name, &length)) != NULL) {
        const char *body = strchr(closing(list), '{'), *end = body;
        if (!body || (strlen(kernel) == length && strncmp(kernel, name, length) == 0))
            continue;
        for (int depth = 0; *end; end++) {
            depth += (*end == '{') - (*end == '}');
            if (depth == 0)
                break;
        }
        for (const char *c = body; c < end; c++)
            if (*c != '\n')
                out[c - text] = ' ';
    }
    return out;
}

bool kernel_source_find(Arena *a, const char *source, const char *wanted, KernelSource *out)
{
    *out = (KernelSource){.text = kernel_source_bare(a, source)};
    const char *at = out->text, *start, *name, *list;
    size_t length;
    while ((list = next_kernel(&at, &start, &name, &length)) != NULL) {
        if (wanted && (strlen(wanted) != length || strncmp(wanted, name, length) != 0))
            continue;
        out->name = arena_copy(a, name, length);
        out->scope = scope_at(a, out->text, start);
        out->own = without_others(a, out->text, out->name);
        const char *open = template_list(out->text, start);
        out->is_template = open != NULL;
        const char *close = start;
        while (open && *close != '>')
            close--;
        if (open)
            read_list(a, open, close, true, out);
        read_list(a, list, closing(list), false, out);
        return true;
    }
    return false;
}

const char *kernel_source_names(Arena *a, const char *source)
{
    Buf b = {0};
    VEC(const char *) names = {0};
    const char *at = kernel_source_bare(a, source), *start, *name;
    size_t length;
    while (next_kernel(&at, &start, &name, &length)) {
        const char *word = arena_copy(a, name, length);
        size_t i = 0;
        while (i < names.count && strcmp(names.at[i], word) != 0)
            i++;
        if (i < names.count)
            continue;
        buf_printf(&b, "%s%s", b.size ? ", " : "", word);
        VEC_PUSH(a, &names, word);
    }
    const char *text = arena_string(a, buf_text(&b));
    buf_free(&b);
    return text;
}

/* --- how it is launched ----------------------------------------------------------------------- */

static bool is_plain(const char *word)
{
    TaskType type;
    return isdigit((unsigned char)*word) || strcmp(word, "true") == 0 ||
           strcmp(word, "false") == 0 || task_type_find(word, &type);
}

/* What a word of the text stands for: "BM = 64;" of a constant or a type, "typedef float real;" or
 * a macro.  NULL: it is not said so. */
static const char *meant_by(Arena *a, const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n) {
        const char *sign = skip_blanks(at + n), *start = at;
        if (at == text || is_name(at[-1]) || is_name(at[n]))
            continue;
        const char *value = *sign == '=' ? word_at(a, skip_blanks(sign + 1)) : "";
        while (start > text && !strchr(";\n", start[-1]))
            start--;
        start = skip_blanks(start);
        if (*sign == ';' && strncmp(start, "typedef ", 8) == 0)
            value = word_at(a, skip_blanks(start + 8));
        if (is_plain(value))
            return value;
    }
    return kernel_source_defined(a, text, word);
}

const char *kernel_source_plain(Arena *a, const char *text, const char *part)
{
    const char *word = word_at(a, part), *rest = part + strlen(word);
    if (!*word || rest[strspn(rest, " \t\r\n")])
        return NULL;
    return is_plain(word) ? word : meant_by(a, text, word);
}

bool kernel_source_has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
        if ((at == text || !is_name(at[-1])) && !is_name(at[n]))
            return true;
    return false;
}

/* --- macros ----------------------------------------------------------------------------------- */

/* Behind "# word" on this line; NULL when another directive or none stands there. */
static const char *directive(const char *line, const char *word)
{
    const char *at = skip_blanks(line);
    if (*at != '#')
        return NULL;
    at = skip_blanks(at + 1);
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !is_name(at[n]) ? skip_blanks(at + n) : NULL;
}

/* The value that a line defines for a name; NULL: it does not. */
static const char *value_on(Arena *a, const char *line, const char *name)
{
    const char *at = directive(line, "define");
    if (!at || strcmp(word_at(a, at), name) != 0 || at[strlen(name)] == '(')
        return NULL;
    at = skip_blanks(at + strlen(name));
    size_t n = strcspn(at, "\r\n");
    while (n > 0 && isspace((unsigned char)at[n - 1]))
        n--;
    return n ? arena_copy(a, at, n) : NULL;
}

const char *kernel_source_defined(Arena *a, const char *text, const char *name)
{
    for (const char *at = text; *at; at = next_line(at)) {
        const char *value = value_on(a, at, name);
        if (value)
            return value;
    }
    return NULL;
}

static KernelMacro *find_macro(KernelMacros *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->at[i].name, name) == 0)
            return &all->at[i];
    return NULL;
}

static bool is_defined(Arena *a, const char *text, const char *name)
{
    for (const char *at = text; *at; at = next_line(at)) {
        const char *rest = directive(at, "define");
        if (rest && strcmp(word_at(a, rest), name) == 0)
            return true;
    }
    return false;
}

/* The number behind "==" at `at`; NULL: there is none. */
static const char *compared(Arena *a, const char *at)
{
    at = skip_blanks(at);
    if (strncmp(at, "==", 2) != 0)
        return NULL;
    const char *number = word_at(a, skip_blanks(at + 2));
    return *number && number[strspn(number, "0123456789")] == '\0' ? number : NULL;
}

static void add_case(Arena *a, KernelMacro *m, const char *number)
{
    if (!m->cases)
        m->cases = m->value = number;
    else if (!kernel_source_has_word(m->cases, number))
        m->cases = arena_printf(a, "%s, %s", m->cases, number);
}

/* Names of an #if that nobody defines are 0 there, which is hardly meant. */
static void add_conditions(Arena *a, const char *text, const char *at, KernelMacros *all)
{
    size_t n = strcspn(at, "\n");
    for (const char *end = at + n; at < end;) {
        const char *word = word_at(a, at);
        size_t length = strlen(word);
        bool name = length > 0 && !isdigit((unsigned char)*word) && strncmp(word, "__", 2) != 0 &&
                    strcmp(word, "defined") != 0 && strcmp(word, "or") != 0 &&
                    strcmp(word, "and") != 0 && strcmp(word, "not") != 0 &&
                    strncmp(word, "CUDA", 4) != 0;
        if (name && strncmp(at + length, "(", 1) != 0 && !find_macro(all, word) &&
            !is_defined(a, text, word))
            VEC_PUSH(a, all, ((KernelMacro){word, NULL, true, NULL}));
        KernelMacro *m = name ? find_macro(all, word) : NULL;
        const char *number = m && m->condition ? compared(a, at + length) : NULL;
        if (number)
            add_case(a, m, number);
        at += length ? length : 1;
    }
}

KernelMacros kernel_source_macros(Arena *a, const char *source)
{
    KernelMacros all = {0};
    const char *text = kernel_source_bare(a, source);
    for (const char *at = text; *at; at = next_line(at)) {
        const char *rest = directive(at, "ifndef");
        const char *name = rest ? word_at(a, rest) : "";
        const char *value = *name ? value_on(a, next_line(at), name) : NULL;
        if (value && !find_macro(&all, name))
            VEC_PUSH(a, &all, ((KernelMacro){name, value, false, NULL}));
    }
    for (const char *at = text; *at; at = next_line(at)) {
        const char *rest = directive(at, "if");
        rest = rest ? rest : directive(at, "elif");
        if (rest && !strstr(arena_copy(a, rest, strcspn(rest, "\n")), "defined"))
            add_conditions(a, text, rest, &all);
    }
    return all;
}

KernelMacros kernel_source_numbers(Arena *a, const char *text)
{
    KernelMacros all = {0}, tunable = kernel_source_macros(a, text);
    for (const char *at = text; *at; at = next_line(at)) {
        const char *rest = directive(at, "define");
        const char *name = rest ? word_at(a, rest) : "";
        const char *value = *name ? value_on(a, at, name) : NULL;
        if (value && value[strspn(value, "0123456789")] == '\0' && !find_macro(&tunable, name) &&
            !find_macro(&all, name))
            VEC_PUSH(a, &all, ((KernelMacro){name, value, false, NULL}));
    }
    return all;
}

#include "tuner/spec/first_spec.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "metrics/ptx/ptx_parse.h"
#include "tuner/task/task.h"

#include <ctype.h>
#include <string.h>

/* A parameter as the source declares it. */
typedef struct Declared {
    const char *name;
    TaskType type;
    bool known;   /* the type is one of ours */
    bool pointer; /* a buffer */
    bool constant;
    const char *text; /* the type as written */
} Declared;

typedef VEC(Declared) DeclaredVec;
typedef VEC(const char *) Names;

/* --- the source
 * ----------------------------------------------------------------------------------- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A copy without comments, which would be taken for code. */
static char *without_comments(Arena *a, const Source *s)
{
    char *text = arena_copy(a, s->text, s->size);
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

/* Behind what may stand between __global__ and the kernel's name: types and __launch_bounds__(…).
 */
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
        bool bounds = *length == 17 && strncmp(*name, "__launch_bounds__", 17) == 0;
        if (*next != '(')
            continue;
        if (!bounds)
            return next;
        at = closing(next);
        if (!at)
            return NULL;
        at++;
    }
}

/* The kernel's declaration: `(` of its parameters; NULL when it is not found. */
static const char *find_kernel(Arena *a, const char *text, const char *wanted, const char **name,
                               bool *is_template)
{
    for (const char *at = text; (at = strstr(at, "__global__"));) {
        const char *start = at, *found;
        size_t length;
        at += strlen("__global__");
        const char *list = skip_to_name(at, &found, &length);
        if (!list || (wanted && (strlen(wanted) != length || strncmp(wanted, found, length) != 0)))
            continue;
        while (start > text && (isspace((unsigned char)start[-1]) || is_name(start[-1])))
            start--;
        *is_template = start > text && start[-1] == '>';
        *name = arena_copy(a, found, length);
        return list;
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
static Declared read_declaration(Arena *a, const char *text, size_t length)
{
    Declared p = {.name = ""};
    Buf type = {0};
    const char *last = NULL;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && is_name(text[i + n]))
            n++;
        p.pointer = p.pointer || text[i] == '*' || text[i] == '[';
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

static DeclaredVec read_parameters(Arena *a, const char *list)
{
    DeclaredVec all = {0};
    const char *end = closing(list);
    const char *start = list + 1;
    int depth = 0;
    for (const char *at = start; end && at <= end; at++) {
        depth += *at == '<' || *at == '(';
        depth -= (*at == '>' || *at == ')') && at < end;
        if (at < end && (*at != ',' || depth > 0))
            continue;
        Declared p = read_declaration(a, start, (size_t)(at - start));
        if (*p.name)
            VEC_PUSH(a, &all, p);
        start = at + 1;
    }
    return all;
}

/* --- macros
 * ----------------------------------------------------------------------------------------- */

/* The word at `at`, in `a`; "" when there is none. */
static const char *word_at(Arena *a, const char *at)
{
    size_t n = 0;
    while (is_name(at[n]))
        n++;
    return arena_copy(a, at, n);
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

/* "#define NAME value" behind `at`, if that is what stands there: the value; else NULL. */
static const char *default_of(Arena *a, const char *at, const char *name)
{
    at += strspn(at, " \t");
    if (strncmp(at, "#", 1) != 0)
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "define", 6) != 0)
        return NULL;
    at += 6 + strspn(at + 6, " \t");
    if (strcmp(word_at(a, at), name) != 0)
        return NULL;
    at += strlen(name);
    at += strspn(at, " \t");
    size_t n = strcspn(at, "\r\n");
    while (n > 0 && isspace((unsigned char)at[n - 1]))
        n--;
    return n ? arena_copy(a, at, n) : NULL;
}

/* A value as a spec has it: numbers as they are, other words in quotes. */
static void print_value(const char *value, Buf *out)
{
    size_t digits = strspn(value, "0123456789");
    bool number = *value && value[digits] == '\0';
    buf_printf(out, number ? "%s" : "\"%s\"", value);
}

static Names print_macros(Arena *a, const char *text, Buf *out)
{
    Names names = {0};
    for (const char *at = text; *at; at = next_line(at)) {
        const char *hash = at + strspn(at, " \t");
        if (*hash != '#')
            continue;
        hash += 1 + strspn(hash + 1, " \t");
        if (strncmp(hash, "ifndef", 6) != 0)
            continue;
        const char *name = word_at(a, hash + 6 + strspn(hash + 6, " \t"));
        const char *value = *name ? default_of(a, next_line(at), name) : NULL;
        if (!value)
            continue;
        buf_printf(out, "param %s in ", name);
        print_value(value, out);
        buf_puts(out, "    # decide: which values are worth trying?\n");
        VEC_PUSH(a, &names, name);
    }
    if (names.count == 0)
        buf_puts(out, "# decide: what can be tuned?  Macros under #ifndef in the source become "
                      "parameters.\nparam BLOCK in 64, 128, 256\n");
    return names;
}

/* --- the spec
 * --------------------------------------------------------------------------------------- */

/* The macro that is most likely the number of threads. */
static const char *threads_macro(const Names *names)
{
    static const char *const hints[] = {"THREADS", "BLOCK_SIZE", "BLOCK_X",
                                        "BLOCK",   "threads",    "block"};
    for (size_t h = 0; h < sizeof hints / sizeof hints[0]; h++)
        for (size_t i = 0; i < names->count; i++)
            if (strstr(names->at[i], hints[h]))
                return names->at[i];
    return names->count ? NULL : "BLOCK";
}

static void print_launch(const PtxFunction *entry, const Names *names, Buf *out)
{
    const char *macro = threads_macro(names);
    const PtxAttribute *bound = ptx_find_attribute(entry, "maxntid");
    if (bound)
        buf_puts(out, "# The kernel has launch bounds: a block must not have more threads.\n");
    if (macro)
        buf_printf(out, "block %s    # decide: x, y, z\ngrid ceil_div(N, %s)    # decide\n", macro,
                   macro);
    else
        buf_puts(out, "block 256    # decide: x, y, z\ngrid ceil_div(N, 256)    # decide\n");
    for (size_t i = 0; i < entry->locals.count; i++)
        if (entry->locals.at[i]->space == PTX_SHARED && entry->locals.at[i]->size == 0)
            buf_puts(out, "shared 0    # decide: bytes of dynamic shared memory\n");
}

static void print_buffer(const Declared *p, Buf *out)
{
    bool real = task_scalar_is_float(p->type.scalar);
    buf_printf(out, "%s %s : ", p->constant ? "in" : "out", p->name);
    if (!p->known)
        buf_puts(out, "float");
    else
        task_type_print(p->type, out);
    buf_puts(out, "[N]");
    if (p->constant)
        buf_puts(out, real || !p->known ? " = uniform(-1, 1)" : " = uniform(0, 100)");
    buf_printf(out, "    # decide: %s%s\n",
               p->constant ? "size and contents" : "size; out, inout or scratch?",
               p->known ? "" : "; the type in the source is not known here");
}

/* Names that sound like a size get the problem's. */
static void print_scalar(const Declared *p, const PtxVariable *v, Buf *out)
{
    bool real = p->known && task_scalar_is_float(p->type.scalar);
    buf_printf(out, "arg %s : ", p->name);
    if (p->known)
        task_type_print(p->type, out);
    else
        buf_puts(out, v->size == 8 ? "int64" : v->size == 1 ? "uint8" : "int");
    buf_printf(out, " = %s    # decide%s\n", real ? "1" : "N",
               p->known ? "" : ": the type in the source is not known here");
}

static void print_arguments(const PtxFunction *entry, const DeclaredVec *declared, Arena *a,
                            Buf *out)
{
    for (size_t i = 0; i < entry->params.count; i++) {
        const PtxVariable *v = entry->params.at[i];
        Declared p = {.name = arena_printf(a, "argument%zu", i + 1), .pointer = v->is_pointer};
        if (i < declared->count)
            p = declared->at[i];
        if (p.pointer)
            print_buffer(&p, out);
        else
            print_scalar(&p, v, out);
    }
}

static void print_constants(const PtxModule *m, Buf *out)
{
    for (size_t i = 0; i < m->variables.count; i++) {
        const PtxVariable *v = m->variables.at[i];
        bool real = v->type == PTX_F32 || v->type == PTX_B32;
        if (v->space != PTX_CONST || v->size == 0 || v->initial)
            continue;
        uint64_t size = v->type == PTX_F64 || v->type == PTX_U64 ? 8 : v->size % 4 ? 1 : 4;
        const char *type = v->type == PTX_F64   ? "double"
                           : v->type == PTX_U64 ? "uint64"
                           : size == 1          ? "uint8"
                           : real               ? "float"
                                                : "uint";
        buf_printf(out, "constant %s : %s[%llu]    # decide: type and contents\n", v->name, type,
                   (unsigned long long)(v->size / size));
    }
}

/* The entry of a kernel: by its name, or by the mangled one that holds it. */
static const PtxFunction *find_entry(Arena *a, const PtxModule *m, const char *name)
{
    const PtxFunction *plain = ptx_find_entry(m, name);
    const char *part = arena_printf(a, "%zu%s", strlen(name), name);
    for (size_t i = 0; i < m->functions.count && !plain; i++)
        if (m->functions.at[i]->is_entry && strstr(m->functions.at[i]->name, part))
            plain = m->functions.at[i];
    return plain;
}

bool first_spec(Arena *a, const Source *source, const char *ptx, size_t ptx_size,
                const char *kernel, Buf *out, Diag *d)
{
    bool is_template = false;
    const char *text = without_comments(a, source), *name = kernel;
    const char *list = find_kernel(a, text, kernel, &name, &is_template);
    if (!list)
        return diag_fail(d, "'%s' has no kernel%s%s%s", source->name, kernel ? " '" : "",
                         kernel ? kernel : "", kernel ? "'" : "");
    Source *code = ARENA_NEW(a, Source);
    *code = (Source){source->name, ptx, ptx_size};
    const PtxModule *m = ptx_parse(a, code, d);
    const PtxFunction *entry = find_entry(a, m, name);
    if (!entry)
        return diag_fail(d, "'%s' is %s: write 'kernel \"%s\" \"%s<…>\"' in a spec", name,
                         is_template ? "a template, which is compiled only for given arguments"
                                     : "not among what was compiled",
                         path_stem(a, source->name, ""), name);
    bool mangled = strcmp(entry->name, name) != 0;
    buf_printf(out, "# A first spec for '%s'.  Lines with 'decide' are guesses.\n", name);
    buf_printf(out, "kernel \"%s\" %s%s%s\n", path_stem(a, source->name, ""), mangled ? "\"" : "",
               name, mangled ? "\"" : "");
    buf_puts(out, "problem N = 1048576    # decide: the sizes to tune for\n\n");
    Buf launch = {0};
    Names names = print_macros(a, text, out);
    print_launch(entry, &names, &launch);
    buf_printf(out, "\n%s\n", buf_text(&launch));
    buf_free(&launch);
    DeclaredVec declared = read_parameters(a, list);
    print_arguments(entry, &declared, a, out);
    print_constants(m, out);
    buf_puts(out, "\n# decide: what is right?  Another kernel, a file, a formula, or\n"
                  "reference first\n"
                  "tolerance 1e-5    # decide: relative to the size of the output\n");
    return true;
}

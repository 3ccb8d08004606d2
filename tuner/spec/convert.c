#include "tuner/spec/convert.h"

#include "metrics/base/file.h"
#include "metrics/base/json.h"
#include "metrics/base/vec.h"
#include "tuner/spec/code_text.h"
#include "tuner/spec/task.h"

#include <ctype.h>

/* Mistakes are counted by `diag`. */
typedef struct Convert {
    Arena *arena;
    Diag *diag;
    Buf *out;
    const char *folder;      /* of the file, relative to the spec's */
    const char *problem[3];  /* what ProblemSize[i] stands for; NULL: nothing */
    VEC(const char *) names; /* of the parameters */
} Convert;

/* A value as text: numbers may be given as numbers or strings. */
static const char *any_text(Arena *a, const json_t *j)
{
    if (json_is_string(j))
        return json_string_value(j);
    if (json_is_integer(j))
        return arena_printf(a, "%lld", (long long)json_integer_value(j));
    if (json_is_real(j))
        return arena_printf(a, "%.17g", json_real_value(j));
    return json_is_true(j) ? "True" : json_is_false(j) ? "False" : NULL;
}

/* --- foreign text, which must not become statements ---------------------------------------------- */

/* Prints a name valid in C and specs. */
static void put_name(Convert *c, const char *name, const char *what)
{
    if (!*name || name[code_word(name).length] || strchr(name, '$') ||
        isdigit((unsigned char)*name))
        diag_fail(c->diag, "%s: '%.*s' is not a name of letters, digits and '_'", what,
                  (int)strcspn(name, "\n\r\t\033"), name);
    else
        buf_puts(c->out, name);
}

static void put_string(Convert *c, const char *text, const char *what)
{
    for (const char *at = text; *at; at++)
        if (*at != '\n' && *at != '\t' && iscntrl((unsigned char)*at)) {
            diag_fail(c->diag, "%s: the text contains control characters", what);
            return;
        }
    value_print(value_string(text), c->out);
}

/* Refuses names other than parameters, functions, keywords and `i`. */
static void check_names(Convert *c, const char *text, const char *what)
{
    for (const char *at = text; *at;) {
        const Word w = code_next_word(text, &at);
        const char *word = code_copy(c->arena, w);
        if (w.length && !isdigit((unsigned char)*w.at) && *at != '(' && *at != '.' &&
            word_place(word, c->names.at, c->names.count) == SIZE_MAX &&
            !code_among(w, "and or not in true false i")) {
            diag_fail(c->diag, "%s: '%s' is not a tuning parameter of the file", what, word);
            return;
        }
    }
}

static void put_expression(Convert *c, const char *text, const char *what)
{
    SCOPED_BUF b = {0};
    for (const char *at = text; *at;) {
        bool size =
            strncmp(at, "ProblemSize[", 12) == 0 && at[12] >= '0' && at[12] <= '2' && at[13] == ']';
        const char *value = size ? c->problem[at[12] - '0'] : NULL;
        if (value)
            buf_printf(&b, "(%s)", value);
        else
            buf_putc(&b, *at);
        at += value ? 14 : 1;
    }
    const char *python = arena_string(c->arena, buf_text(&b));
    buf_clear(&b);
    if (python_expression(c->arena, python, what, &b, c->diag))
        check_names(c, buf_text(&b), what);
    buf_puts(c->out, buf_text(&b));
}

/* Prints a pattern. %n, %q, %p, %e print a name, a quoted text, a file's path, an expression, each followed
 * by an argument with what messages call it; %t a type; %w a text in a comment; %s a text as it is. */
static void say(Convert *c, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    for (const char *p = pattern; *p; p++) {
        if (*p != '%') {
            buf_putc(c->out, *p);
            continue;
        }
        const char letter = *++p, *text = va_arg(args, const char *);
        const char *what = strchr("nqpe", letter) ? va_arg(args, const char *) : NULL;
        TaskType type = {TASK_FLOAT, 1};
        switch (letter) {
        case 'n':
            put_name(c, text, what);
            break;
        case 'p':
            if (*text == '/')
                diag_fail(c->diag, "%s: '%s' is not relative to the file that names it", what,
                          text);
            else
                put_string(c, path_join(c->arena, c->folder, text), what);
            break;
        case 'q':
            put_string(c, text, what);
            break;
        case 'e':
            put_expression(c, text, what);
            break;
        case 't':
            task_type_find(text, &type);
            task_type_print(type, c->out);
            break;
        case 'w':
            for (; *text; text++)
                buf_putc(c->out, iscntrl((unsigned char)*text) ? ' ' : *text);
            break;
        default:
            buf_puts(c->out, text);
        }
    }
    va_end(args);
}

/* --- the space ----------------------------------------------------------------------------------- */

/* Prints values given as the text of a Python list, or as a JSON array. */
static void put_values(Convert *c, const json_t *values, const char *what)
{
    if (json_is_string(values)) {
        python_values(c->arena, json_string_value(values), what, c->out, c->diag);
        return;
    }
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i);
        buf_puts(c->out, i ? ", " : "");
        if (json_is_string(v))
            put_string(c, json_string_value(v), what);
        else
            buf_puts(c->out, any_text(c->arena, v) ? any_text(c->arena, v) : "0");
    }
    if (json_array_size(values) == 0)
        diag_fail(c->diag, "%s has no values", what);
}

static void put_parameters(Convert *c, const json_t *space)
{
    const json_t *list = json_object_get(space, "TuningParameters");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        const char *name = json_text_at(p, "Name");
        say(c, "param %n in ", name, "a parameter");
        VEC_PUSH(c->arena, &c->names, name);
        put_values(c, json_object_get(p, "Values"), arena_printf(c->arena, "'%s'", name));
        buf_putc(c->out, '\n');
    }
}

static void put_conditions(Convert *c, const json_t *space)
{
    const json_t *list = json_object_get(space, "Conditions");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        say(c, "require %e\n",
            json_is_string(one) ? json_string_value(one) : json_text_at(one, "Expression"),
            arena_printf(c->arena, "condition %zu", i + 1));
    }
}

/* --- the kernel ---------------------------------------------------------------------------------- */

static const char *const AXES[] = {"X", "Y", "Z"};

/* Reads the sizes along the axes; returns their number. */
static size_t sizes_of(Convert *c, const json_t *j, const char *out[3])
{
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        const char *text = any_text(c->arena, json_is_array(j) ? json_array_get(j, i)
                                                               : json_object_get(j, AXES[i]));
        out[i] = text ? text : "1";
        n = text ? i + 1 : n;
    }
    if (n == 0 && any_text(c->arena, j)) {
        out[0] = any_text(c->arena, j);
        n = 1;
    }
    return n;
}

/* Prints the product that a grid's axis is divided by, "block_size_x*tile". */
static void put_divisor(Convert *c, const json_t *list)
{
    if (json_is_string(list))
        put_expression(c, json_string_value(list), "GridDiv");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = any_text(c->arena, json_array_get(list, i));
        say(c, i ? " * (%e)" : "(%e)", text ? text : "1", "GridDiv");
    }
    if (!json_is_string(list) && json_array_size(list) == 0)
        buf_puts(c->out, "1");
}

/* Prints the grid in Kernel Tuner's way: problem size / divisors, rounded up. */
static void put_divided_grid(Convert *c, const json_t *k)
{
    const char *size[3];
    size_t n = sizes_of(c, json_object_get(k, "ProblemSize"), size);
    for (size_t i = 0; i < n; i++) {
        say(c, i ? ", ceil_div(%e, " : "grid ceil_div(%e, ", size[i], "ProblemSize");
        put_divisor(c, json_object_get(k, arena_printf(c->arena, "GridDiv%s", AXES[i])));
        buf_putc(c->out, ')');
    }
    buf_puts(c->out, n ? "\n" : "grid \n");
}

/* Prints the grid. A global size counts blocks for CUDA, threads for OpenCL. */
static void put_grid(Convert *c, const json_t *k, const char *const *block)
{
    const char *size[3];
    size_t n = sizes_of(c, json_object_get(k, "GlobalSize"), size);
    bool threads = strcmp(json_text_at(k, "GlobalSizeType"), "OpenCL") == 0;
    const bool divided = json_object_get(k, "GridDivX") || json_object_get(k, "GridDivY");
    if (divided && n)
        diag_warn(c->diag, (Span){0}, "GlobalSize is ignored: GridDiv gives the grid");
    if (json_object_get(k, "ProblemSize") && (divided || n == 0)) {
        put_divided_grid(c, k);
        return;
    }
    buf_puts(c->out, "grid ");
    for (size_t i = 0; i < n; i++)
        say(c, threads ? "%sceil_div(%e, %e)" : "%s%e", i ? ", " : "", size[i], "GlobalSize",
            block[i], "LocalSize");
    buf_puts(c->out, n ? "\n" : "1    # decide: not in the file\n");
}

static void put_kernel(Convert *c, const json_t *k)
{
    const char *file = json_text_at(k, "KernelFile"), *name = json_text_at(k, "KernelName");
    const char *language = json_text_at(k, "Language"), *block[3];
    size_t n = sizes_of(c, json_object_get(k, "LocalSize"), block);
    if (*language && strncasecmp(language, "CUDA", 4) != 0)
        diag_warn(c->diag, (Span){0}, "Language: the kernel is %s, but only CUDA can be compiled",
                  language);
    const json_t *problem = json_object_get(k, "ProblemSize");
    for (size_t i = 0; i < 3 && problem; i++)
        c->problem[i] =
            any_text(c->arena, json_is_array(problem) ? json_array_get(problem, i)
                                                      : json_object_get(problem, AXES[i]));
    /* In quotes, since Kernel Tuner takes kernels of C and C++. */
    say(c, "kernel %p %q%s\nblock ", *file ? file : "kernel.cu", "KernelFile",
        *name ? name : "kernel_name", "KernelName",
        *file && *name ? "" : "    # decide: file and name");
    for (size_t i = 0; i < n; i++)
        say(c, "%s%e", i ? ", " : "", block[i], "LocalSize");
    buf_puts(c->out, n ? "\n" : "256    # decide: not in the file\n");
    put_grid(c, k, block);
    const char *shared = any_text(c->arena, json_object_get(k, "SharedMemory"));
    if (shared && strcmp(shared, "0") != 0)
        say(c, "shared %e\n", shared, "SharedMemory");
    const json_t *options = json_object_get(k, "CompilerOptions");
    for (size_t i = 0; i < json_array_size(options); i++) {
        const char *option = json_string_value(json_array_get(options, i));
        say(c, "option %q\n", option ? option : "", "CompilerOptions");
    }
}

/* --- arguments ----------------------------------------------------------------------------------- */

static void put_contents(Convert *c, const json_t *g, const char *type)
{
    const char *fill = json_text_at(g, "FillType"), *source = json_text_at(g, "DataSource");
    const char *value = any_text(c->arena, json_object_get(g, "FillValue"));
    const char *seed = any_text(c->arena, json_object_get(g, "RandomSeed"));
    TaskType t = {TASK_FLOAT, 1};
    task_type_find(type, &t);
    const char *most = task_scalar_is_float(t.scalar) ? "1" : "100";
    if (strcmp(fill, "Random") == 0)
        say(c, seed ? " = uniform(0, %e, %e)" : " = uniform(0, %e)", value ? value : most,
            "FillValue", seed, "RandomSeed");
    else if (strcmp(fill, "Constant") == 0)
        say(c, " = constant(%e)", value ? value : "0", "FillValue");
    else if (strcmp(fill, "Generator") == 0)
        say(c, " = formula(%e)", source, "DataSource");
    else if (strcmp(fill, "BinaryRaw") == 0)
        say(c, " = file(%p)", source, "DataSource");
    else if (*fill)
        say(c, "    # decide: contents; no equivalent of %w", fill);
}

static void put_argument(Convert *c, const json_t *g)
{
    const char *name = json_text_at(g, "Name"), *type = json_text_at(g, "Type");
    const char *access = json_text_at(g, "AccessType"), *memory = json_text_at(g, "MemoryType");
    const char *value = any_text(c->arena, json_object_get(g, "FillValue"));
    const char *size = any_text(c->arena, json_object_get(g, "Size"));
    if (strcmp(memory, "Scalar") == 0) {
        say(c, "arg %n : %t = %e%s\n", name, "an argument", type, value ? value : "0", name,
            value ? "" : "    # decide: the value");
        return;
    }
    const char *role = strcmp(memory, "Symbol") == 0      ? "constant"
                       : strcmp(access, "WriteOnly") == 0 ? "out"
                       : strcmp(access, "ReadWrite") == 0 ? "inout"
                                                          : "in";
    say(c, "%s %n : %t[%e]", role, name, "an argument", type, size ? size : "1", name);
    put_contents(c, g, type);
    buf_puts(c->out, size ? "\n" : "    # decide: the size\n");
}

static void put_reference(Convert *c, const json_t *g)
{
    const char *name = json_text_at(g, "TargetName"), *fill = json_text_at(g, "FillType");
    const char *limit = any_text(c->arena, json_object_get(g, "ValidationThreshold"));
    bool relative =
        strcmp(json_text_at(g, "ValidationMethod"), "SideBySideRelativeComparison") == 0;
    if (strcmp(fill, "BinaryRaw") == 0)
        say(c, "reference %n = file(%p)\n", name, "TargetName", json_text_at(g, "DataSource"),
            "DataSource");
    else
        say(c, "# decide: what is right?  No equivalent of %w\n", fill);
    if (limit)
        say(c, relative ? "compare %n relative %e of element\n" : "compare %n absolute %e\n", name,
            "TargetName", limit, "ValidationThreshold");
}

static void put_data(Convert *c, const json_t *k)
{
    const json_t *arguments = json_object_get(k, "Arguments");
    const json_t *references = json_object_get(k, "ReferenceArguments");
    bool output = false;
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const json_t *g = json_array_get(arguments, i);
        put_argument(c, g);
        output = output || strstr(json_text_at(g, "AccessType"), "Write") != NULL;
    }
    for (size_t i = 0; i < json_array_size(references); i++)
        put_reference(c, json_array_get(references, i));
    if (output && json_array_size(references) == 0)
        buf_puts(c->out, "\n# decide: what is right?  The file does not tell.\nreference first\n"
                         "tolerance 1e-5\n");
}

/* --- all of it ----------------------------------------------------------------------------------- */

bool convert_t1(Arena *a, const char *name, const char *folder, const char *json, size_t size,
                Buf *out, Diag *d)
{
    json_error_t error;
    const size_t mark = code_bom(json), before = d->errors;
    json_t *root = json_loadb(json + mark, size - mark, 0, &error);
    if (!root)
        return diag_fail(d, "%s:%d:%d: %s", name, error.line, error.column, error.text);
    const json_t *space = json_object_get(root, "ConfigurationSpace");
    const json_t *kernel = json_object_get(root, "KernelSpecification");
    const char *title = json_text_at(json_object_get(root, "General"), "BenchmarkName");
    Convert c = {.arena = a, .diag = d, .out = out, .folder = folder};
    if (json_array_size(json_object_get(space, "TuningParameters")) == 0) {
        diag_fail(d, "'%s' is not a T1 file: it has no ConfigurationSpace with TuningParameters",
                  name);
    } else {
        say(&c, "# Converted from %w%s%w\n", name, *title ? ": " : "", title);
        put_parameters(&c, space);
        buf_putc(out, '\n');
        put_conditions(&c, space);
        buf_putc(out, '\n');
        put_kernel(&c, kernel);
        buf_putc(out, '\n');
        put_data(&c, kernel);
    }
    json_decref(root);
    return d->errors == before;
}

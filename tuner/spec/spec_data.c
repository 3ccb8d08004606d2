/* Statements about data: buffers, textures, device variables, scalars; their types and contents. */
#include "tuner/spec/spec_build.h"

/* --- types: scalars, vectors, and structs of them ---------------------------------------------- */

/* Scalars and vectors of 2 and 4 are aligned to their size, at most 16; vectors of 3 like their scalar. */
static size_t type_alignment(TaskType t)
{
    size_t size = t.lanes == 3 ? task_scalar_size(t.scalar) : task_type_size(t);
    return size < 16 ? size : 16;
}

static bool take_plain_type(Reader *r, TaskType *out)
{
    Span at = r->l.token.at;
    const char *type;
    if (!lexer_take_name(&r->l, "a type", &type))
        return false;
    if (task_type_find(type, out))
        return true;
    if (strcmp(type, "struct") == 0)
        return diag_error(r->d, at,
                          "a struct's members are numbers and vectors; list the inner struct's "
                          "members instead");
    const char *names[TASK_SCALARS];
    for (int i = 0; i < TASK_SCALARS; i++)
        names[i] = task_scalar_name((TaskScalar)i);
    const char *closest = name_closest(type, names, TASK_SCALARS);
    return diag_error(r->d, at, "unknown type '%s'%s", type,
                      closest ? diag_meant(r->d, closest)
                              : "; there are bool, int8 … uint64, int, uint, long, size_t, half, "
                                "bfloat16, fp8_e4m3, fp8_e5m2, float, double, their vectors and "
                                "struct(…)");
}

/* "(" type { "," type } ")" after "struct", laid out as in C. */
static bool take_struct(Reader *r, Argument *g)
{
    StructLayout l = {0};
    g->fields = ARENA_ARRAY(r->a, Field, TASK_VALUE_LIMIT);
    if (!lexer_expect(&r->l, "(", "with the types of its members"))
        return false;
    do {
        TaskType t;
        if (!take_plain_type(r, &t))
            return false;
        const size_t at = layout_add(&l, task_type_size(t), type_alignment(t));
        if (l.size > TASK_VALUE_LIMIT)
            return diag_error(r->d, g->at, "a struct has at most %d bytes", TASK_VALUE_LIMIT);
        for (int lane = 0; lane < t.lanes; lane++)
            g->fields[g->field_count++] =
                (Field){t.scalar, at + (size_t)lane * task_scalar_size(t.scalar)};
    } while (lexer_take(&r->l, ","));
    const size_t size = layout_size(&l);
    g->alignment = l.alignment;
    bool same = size == (size_t)g->field_count * task_scalar_size(g->fields[0].scalar);
    for (int i = 1; i < g->field_count; i++)
        same = same && g->fields[i].scalar == g->fields[0].scalar;
    g->element =
        same ? (TaskType){g->fields[0].scalar, g->field_count} : (TaskType){TASK_U8, (int)size};
    return lexer_expect(&r->l, ")", "after the members' types");
}

bool reader_take_type(Reader *r, Argument *g)
{
    if (!lexer_expect(&r->l, ":", "between the name and its type"))
        return false;
    return lexer_take(&r->l, "struct") ? take_struct(r, g) : take_plain_type(r, &g->element);
}

int argument_numbers(const Argument *g)
{
    return g->fields ? g->field_count : g->element.lanes;
}

Field argument_number(const Argument *g, int i)
{
    return g->fields ? g->fields[i]
                     : (Field){g->element.scalar, (size_t)i * task_scalar_size(g->element.scalar)};
}

TaskType launch_argument_type(const Launch *l, const Argument *g)
{
    TaskType t = g->element;
    if (l->in_double && !g->fields && task_scalar_is_float(t.scalar))
        t.scalar = TASK_DOUBLE;
    return t;
}

bool argument_is_buffer(const Argument *g)
{
    return g->role != ARGUMENT_SCALAR && g->role != ARGUMENT_TEXTURE;
}

bool argument_is_mixed(const Argument *g)
{
    return g->fields && (g->element.lanes != g->field_count ||
                         g->element.scalar != g->fields[g->field_count - 1].scalar);
}

size_t argument_alignment(const Argument *g)
{
    return g->fields ? g->alignment : type_alignment(g->element);
}

const char *argument_type_text(Arena *a, const Argument *g)
{
    Buf b = {0};
    if (!g->fields)
        task_type_print(g->element, &b);
    for (int i = 0; i < g->field_count; i++)
        buf_printf(&b, "%s%s", i ? ", " : "struct(", task_scalar_name(g->fields[i].scalar));
    buf_puts(&b, g->fields ? ")" : "");
    return buf_keep(&b, a);
}

/* --- contents --------------------------------------------------------------------------------- */

enum { SORTED_LIMIT = 8 }; /* sorted(sorted(…)) */

/* What the parentheses after a kind of contents contain. */
typedef enum Inside {
    INSIDE_NOTHING,
    INSIDE_NUMBERS,
    INSIDE_CONTENTS,
    INSIDE_NAME,
    INSIDE_FILE
} Inside;

static const struct ContentsForm {
    const char *word;
    ContentsKind kind;
    Inside inside;
    size_t least, most; /* numbers; after a name: further ones */
    const char *takes;
} FORMS[] = {
    {"zero", CONTENTS_ZERO, INSIDE_NOTHING, 0, 0, ""},
    {"constant", CONTENTS_CONSTANT, INSIDE_NUMBERS, 1, 1, "constant takes one value"},
    {"uniform", CONTENTS_UNIFORM, INSIDE_NUMBERS, 2, 3,
     "uniform takes low, high and perhaps a seed"},
    {"normal", CONTENTS_NORMAL, INSIDE_NUMBERS, 2, 3,
     "normal takes mean, deviation and perhaps a seed"},
    {"formula", CONTENTS_FORMULA, INSIDE_NUMBERS, 1, 1, "formula takes one expression in i"},
    {"sorted", CONTENTS_SORTED, INSIDE_CONTENTS, 0, 0, ""},
    {"copy", CONTENTS_COPY, INSIDE_NAME, 0, 0, "copy takes the name of a buffer"},
    {"lane", CONTENTS_LANE, INSIDE_NAME, 1, 1, "lane takes the name of a buffer and which lane"},
    {"lanes", CONTENTS_LANES, INSIDE_NAME, 0, 0, "lanes takes the name of a buffer"},
    {"file", CONTENTS_FILE, INSIDE_FILE, 0, 0, ""},
    {"kept", CONTENTS_KEPT, INSIDE_NOTHING, 0, 0, ""},
};
enum { FORM_COUNT = COUNT_OF(FORMS) };

static const struct ContentsForm *take_form(Reader *r)
{
    const char *words[FORM_COUNT];
    for (size_t i = 0; i < FORM_COUNT; i++) {
        words[i] = FORMS[i].word;
        if (lexer_take(&r->l, FORMS[i].word))
            return &FORMS[i];
    }
    bool name = r->l.token.kind == TOKEN_NAME;
    const char *closest = name ? name_closest(r->l.token.text, words, FORM_COUNT) : NULL;
    diag_error(r->d, r->l.token.at, "unknown contents%s",
               closest ? diag_meant(r->d, closest)
                       : "; there are zero, constant(value), uniform(low, high [, seed]), "
                         "normal(mean, deviation [, seed]), formula(expr), sorted(contents), "
                         "copy(A), lane(A, k), lanes(A), file(\"…\") and kept");
    return NULL;
}

static bool take_numbers(Reader *r, const struct ContentsForm *f, Contents *c)
{
    ExprVec v = {0};
    if (!reader_take_list(r, &v))
        return false;
    for (size_t i = 0; i < v.count && i < 3; i++)
        c->numbers[i] = v.at[i];
    return (v.count >= f->least && v.count <= f->most) ||
           diag_error(r->d, span_join(c->at, r->l.last), "%s", f->takes);
}

static bool take_from(Reader *r, const struct ContentsForm *f, Contents *c)
{
    if (!lexer_take_name(&r->l, "the name of a buffer", &c->from))
        return false;
    bool more = lexer_take(&r->l, ",");
    if (more != (f->least > 0))
        return diag_error(r->d, span_join(c->at, r->l.last), "%s", f->takes);
    return !more || take_numbers(r, f, c);
}

static bool take_contents(Reader *r, Contents *c, int depth)
{
    c->at = r->l.token.at;
    const struct ContentsForm *f = take_form(r);
    if (!f)
        return false;
    c->kind = f->kind;
    if (depth > 0 && f->kind == CONTENTS_KEPT)
        return diag_error(r->d, c->at, "'kept' cannot be sorted");
    if (f->inside == INSIDE_NOTHING)
        return true;
    bool ok = lexer_expect(&r->l, "(", "with what it takes");
    if (ok && f->inside == INSIDE_CONTENTS && depth >= SORTED_LIMIT)
        return diag_error(r->d, c->at, "too many brackets");
    if (f->inside == INSIDE_CONTENTS)
        c->inner = ARENA_NEW(r->a, Contents);
    ok = ok && (f->inside == INSIDE_CONTENTS  ? take_contents(r, c->inner, depth + 1)
                : f->inside == INSIDE_NUMBERS ? take_numbers(r, f, c)
                : f->inside == INSIDE_NAME
                    ? take_from(r, f, c)
                    : reader_take_path(r, "the name of a file", &c->file, &c->path));
    return ok && lexer_expect(&r->l, ")", "after the contents");
}

bool reader_take_contents(Reader *r, Contents *c)
{
    return take_contents(r, c, 0);
}

/* --- names and types -------------------------------------------------------------------------- */

/* NAME ":" TYPE */
static bool take_typed_name(Reader *r, Argument *g)
{
    g->at = r->l.token.at;
    if (!lexer_take_name(&r->l, "the name of an argument", &g->name))
        return false;
    if (r->spec->argument_count >= ARGUMENT_LIMIT)
        return diag_error(r->d, g->at, "more than %d arguments", ARGUMENT_LIMIT);
    if (NAME_FIND(r->spec->arguments, r->spec->argument_count, name, g->name))
        return diag_error(r->d, g->at, "there is already an argument '%s'", g->name);
    return reader_take_type(r, g);
}

/* --- the statements --------------------------------------------------------------------------- */

static bool take_initial(Reader *r, Argument *g)
{
    bool undefined = g->role == ARGUMENT_OUT || g->role == ARGUMENT_SCRATCH;
    g->contents.kind = undefined ? CONTENTS_UNDEFINED : CONTENTS_ZERO;
    if (!lexer_take(&r->l, "="))
        return true;
    if (!reader_take_contents(r, &g->contents))
        return false;
    return g->contents.kind != CONTENTS_KEPT || g->role == ARGUMENT_SCRATCH ||
           diag_error(r->d, g->contents.at, "only scratch can be 'kept' from launch to launch");
}

/* in|out|inout|scratch|constant NAME ":" TYPE "[" expr "]" [ "=" contents ] */
bool read_buffer(Reader *r)
{
    static const char *const words[] = {
        [ARGUMENT_IN] = "in",   [ARGUMENT_OUT] = "out",         [ARGUMENT_INOUT] = "inout",
        [ARGUMENT_SCALAR] = "", [ARGUMENT_SCRATCH] = "scratch", [ARGUMENT_CONSTANT] = "constant"};
    Argument g = {.role = (ArgumentRole)word_place(r->word, words, COUNT_OF(words))};
    r->output_met = r->output_met || g.role == ARGUMENT_OUT || g.role == ARGUMENT_INOUT;
    if (!take_typed_name(r, &g) || !lexer_expect(&r->l, "[", "with the number of elements") ||
        !reader_take_expr(r, &g.count) ||
        !lexer_expect(&r->l, "]", "after the number of elements") || !take_initial(r, &g))
        return false;
    SPEC_ADD(r->a, r->spec, arguments, argument_count, g);
    return true;
}

static void take_texture_modes(Reader *r, Argument *g)
{
    static const char *const edges[] = {[TASK_EDGE_WRAP] = "wrap",
                                        [TASK_EDGE_CLAMP] = "",
                                        [TASK_EDGE_MIRROR] = "mirror",
                                        [TASK_EDGE_BORDER] = "border"};
    enum { EDGES = COUNT_OF(edges) };
    TaskTexture *t = &g->texture;
    t->edge = TASK_EDGE_CLAMP;
    for (;; lexer_next(&r->l)) {
        const bool name = r->l.token.kind == TOKEN_NAME;
        const size_t edge = name ? word_place(r->l.token.text, edges, EDGES) : SIZE_MAX;
        if (lexer_is(&r->l, "linear"))
            t->linear = true;
        else if (lexer_is(&r->l, "normalized"))
            t->normalized = true;
        else if (lexer_is(&r->l, "fetch"))
            t->fetch = true;
        else if (edge < EDGES)
            t->edge = (TaskEdge)edge;
        else
            return;
    }
}

static bool check_texture(Reader *r, const Argument *g)
{
    const TaskTexture *t = &g->texture;
    TaskScalar s = g->element.scalar;
    if (g->fields || g->element.lanes == 3 || task_scalar_size(s) > 4 ||
        (task_scalar_in_c(s) != s && s != TASK_HALF))
        return diag_error(r->d, g->at,
                          "a texture has elements of 1, 2 or 4 integers, halves or floats of at "
                          "most 32 bits");
    if (t->linear && !task_scalar_is_float(s))
        return diag_error(r->d, g->at, "only textures of half and float are interpolated");
    if (t->fetch && (g->size[1] || t->linear || t->normalized || t->edge != TASK_EDGE_CLAMP))
        return diag_error(r->d, g->at,
                          "a texture that is fetched from has one dimension and no other mode");
    if (!t->normalized && (t->edge == TASK_EDGE_WRAP || t->edge == TASK_EDGE_MIRROR))
        return diag_error(r->d, g->at, "'wrap' and 'mirror' need 'normalized' coordinates");
    return true;
}

/* texture NAME ":" TYPE "[" exprs "]" { mode } [ "=" contents ] */
bool read_texture(Reader *r)
{
    Argument g = {.role = ARGUMENT_TEXTURE};
    if (!take_typed_name(r, &g) || !lexer_expect(&r->l, "[", "with the size in elements") ||
        !reader_take_dimensions(r, "texture", g.size) ||
        !lexer_expect(&r->l, "]", "after the size"))
        return false;
    take_texture_modes(r, &g);
    if (!check_texture(r, &g) || !take_initial(r, &g))
        return false;
    SPEC_ADD(r->a, r->spec, arguments, argument_count, g);
    return true;
}

/* arg NAME ":" TYPE "=" expr */
bool read_arg(Reader *r)
{
    Argument g = {.role = ARGUMENT_SCALAR};
    if (!take_typed_name(r, &g) || !lexer_expect(&r->l, "=", "and the value") ||
        !reader_take_expr(r, &g.value))
        return false;
    SPEC_ADD(r->a, r->spec, arguments, argument_count, g);
    return true;
}

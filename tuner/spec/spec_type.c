/* Types of arguments: scalars, vectors, and structs of them. */
#include "tuner/spec/spec_build.h"

#include <string.h>

/* Its size for numbers and for vectors of 2 and 4, at most 16; that of a number for vectors of 3.
 */
static size_t type_alignment(TaskType t)
{
    size_t size = t.lanes == 3 ? task_scalar_size(t.scalar) : task_type_size(t);
    return size < 16 ? size : 16;
}

/* --- reading ---------------------------------------------------------------------------------- */

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
                          "a struct's members are numbers and vectors; write the inner "
                          "struct's members in its place");
    const char *names[TASK_SCALARS];
    for (int i = 0; i < TASK_SCALARS; i++)
        names[i] = task_scalar_name((TaskScalar)i);
    const char *closest = name_closest(type, names, TASK_SCALARS);
    return diag_error(r->d, at, "unknown type '%s'; %s%s%s", type,
                      closest ? "did you mean '"
                              : "there are int8 … uint64, int, uint, half, bfloat16, fp8_e4m3, "
                                "fp8_e5m2, float, double",
                      closest ? closest : " and struct(…)", closest ? "'?" : "");
}

static bool add_member(Reader *r, Argument *g, TaskType t, StructLayout *l)
{
    const size_t at = layout_add(l, task_type_size(t), type_alignment(t));
    if (l->size > TASK_VALUE_LIMIT)
        return diag_error(r->d, g->at, "a struct has %d bytes at most", TASK_VALUE_LIMIT);
    for (int lane = 0; lane < t.lanes; lane++)
        g->fields[g->field_count++] =
            (Field){t.scalar, at + (size_t)lane * task_scalar_size(t.scalar)};
    return true;
}

/* "(" type { "," type } ")" behind "struct", laid out as C does. */
static bool take_struct(Reader *r, Argument *g)
{
    StructLayout l = {0};
    g->fields = ARENA_ARRAY(r->a, Field, TASK_VALUE_LIMIT);
    if (!lexer_expect(&r->l, "(", "with the types of its members"))
        return false;
    do {
        TaskType t;
        if (!take_plain_type(r, &t) || !add_member(r, g, t, &l))
            return false;
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

/* --- asking ----------------------------------------------------------------------------------- */

int argument_numbers(const Argument *g)
{
    return g->fields ? g->field_count : g->element.lanes;
}

Field argument_number(const Argument *g, int i)
{
    return g->fields ? g->fields[i]
                     : (Field){g->element.scalar, (size_t)i * task_scalar_size(g->element.scalar)};
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

void argument_type_print(const Argument *g, Buf *out)
{
    if (!g->fields) {
        task_type_print(g->element, out);
        return;
    }
    buf_puts(out, "struct(");
    for (int i = 0; i < g->field_count; i++)
        buf_printf(out, "%s%s", i ? ", " : "", task_scalar_name(g->fields[i].scalar));
    buf_putc(out, ')');
}

const char *argument_type_text(Arena *a, const Argument *g)
{
    Buf b = {0};
    argument_type_print(g, &b);
    return buf_keep(&b, a);
}

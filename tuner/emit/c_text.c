#include "tuner/emit/c_expr.h"

#include <ctype.h>
#include <string.h>

/* Unprintable bytes become octal escapes; the second of two question marks is escaped against trigraphs. */
void text_string(Buf *out, const char *s)
{
    const char *end = s + strlen(s);
    buf_putc(out, '"');
    for (const char *p = s; p < end;) {
        size_t size = text_shown(p, (size_t)(end - p));
        if (*p == '\n')
            buf_puts(out, "\\n");
        else if (size == 0)
            buf_printf(out, "\\%03o", (unsigned)(unsigned char)*p);
        else if (*p == '"' || *p == '\\' || (*p == '?' && p > s && p[-1] == '?'))
            buf_printf(out, "\\%c", *p);
        else
            buf_add(out, p, size);
        p += size ? size : 1;
    }
    buf_putc(out, '"');
}

const char *text_quoted(Arena *a, const char *s)
{
    Buf out = {0};
    text_string(&out, s);
    return buf_keep(&out, a);
}

/* Keywords of C11, C++20 and CUDA, and macros of common headers and compilers. */
static const char WORDS[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const const_cast consteval constexpr constinit continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum errno explicit "
    "export extern false float for friend goto if inline int linux long mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public register requires "
    "reinterpret_cast restrict return short signed sizeof static static_assert static_cast stderr "
    "stdin stdout struct switch template this thread_local throw true try typedef typeid typename "
    "typeof union unix unsigned using virtual void volatile wchar_t while xor xor_eq NULL EOF "
    "BUFSIZ main gridDim blockIdx blockDim threadIdx warpSize dim3 INFINITY NAN EXIT_SUCCESS "
    "EXIT_FAILURE RAND_MAX i386 noreturn complex I DOMAIN OVERFLOW UNDERFLOW ";

/* True for names like the macros of C's and POSIX's headers, which a caller may have included. */
static bool is_macro(const char *name)
{
    static const char *const begin[] = {"CLOCK_", "FE_", "FP_",   "HUGE_", "LC_",   "MATH_", "M_",
                                        "O_",     "PRI", "RTLD_", "SCN",   "SEEK_", "SIG"};
    static const char *const end[] = {"_BIT", "_MAX", "_MIN", "_WIDTH"};
    enum { ERRORS = 256 };
    bool is = false;
    if (text_ends_with(name, "_"))
        return false;
    for (size_t i = 0; i < COUNT_OF(begin) && !is; i++)
        is = strncmp(name, begin[i], strlen(begin[i])) == 0;
    for (size_t i = 0; i < COUNT_OF(end) && !is; i++)
        is = text_ends_with(name, end[i]);
    for (int i = 1; i < ERRORS && !is && name[0] == 'E'; i++)
        is = strerrorname_np(i) && strcmp(strerrorname_np(i), name) == 0;
    return is;
}

/* Names that begin with "_" and a capital letter, or with "__", belong to the compiler. */
static bool is_reserved(const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = WORDS; length && (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return is_macro(name) ||
           (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1])));
}

const char *text_name(Arena *a, const char *name, const char *const *taken, size_t count)
{
    const char *out = name[0] == '_' && is_reserved(name) ? arena_printf(a, "x%s", name) : name;
    while (is_reserved(out) || name_find(taken, count, sizeof *taken, 0, out))
        out = arena_printf(a, "%s_", out);
    return out;
}

/* Breaks up ends of comments and trigraphs, and replaces unprintable bytes. */
const char *text_comment(Arena *a, const char *s)
{
    const size_t length = strlen(s);
    Buf out = {0};
    for (size_t i = 0, size; i < length; i += size) {
        const char before = i > 0 ? s[i - 1] : ' ';
        if ((before == '*' && s[i] == '/') || (before == '/' && s[i] == '*') ||
            (before == '?' && s[i] == '?'))
            buf_putc(&out, ' ');
        size = text_shown(s + i, length - i);
        if (size > 0)
            buf_add(&out, s + i, size);
        else
            buf_putc(&out, s[i] == '\n' || s[i] == '\r' || s[i] == '\t' ? ' ' : '?');
        size = size ? size : 1;
    }
    return buf_keep(&out, a);
}

const char *text_comment_span(Arena *a, Span at)
{
    return text_comment(a, arena_copy(a, at.source->text + at.offset, at.length));
}

const char *text_scalar(TaskScalar s)
{
    static const char *const names[TASK_SCALARS] = {
        [TASK_I8] = "signed char", [TASK_U8] = "unsigned char",
        [TASK_I16] = "short",      [TASK_U16] = "unsigned short",
        [TASK_I32] = "int",        [TASK_U32] = "unsigned int",
        [TASK_I64] = "long long",  [TASK_U64] = "unsigned long long",
        [TASK_FLOAT] = "float",    [TASK_DOUBLE] = "double",
    };
    return names[task_scalar_in_c(s)];
}

static void write_struct(const Argument *g, Buf *out)
{
    size_t end = 0, largest = 1;
    for (int i = 0; i < g->field_count; i++)
        if (task_scalar_size(g->fields[i].scalar) > largest)
            largest = task_scalar_size(g->fields[i].scalar);
    buf_puts(out, "struct { ");
    for (int i = 0; i < g->field_count; i++) {
        const Field f = g->fields[i];
        const size_t size = task_scalar_size(f.scalar);
        const size_t lowest = f.offset & (~f.offset + 1); /* largest power of two that divides it */
        buf_printf(out, "%s m%d", text_scalar(f.scalar), i);
        if (i == 0 && g->alignment > largest)
            buf_printf(out, " __attribute__((aligned(%zu)))", g->alignment);
        else if ((end + size - 1) / size * size != f.offset)
            buf_printf(out, " __attribute__((aligned(%zu)))", lowest < 16 ? lowest : 16);
        buf_puts(out, "; ");
        end = f.offset + size;
    }
    buf_putc(out, '}');
}

void text_number(const Argument *g, const char *name, Buf *out)
{
    if (g->fields)
        write_struct(g, out);
    else
        buf_puts(out, text_scalar(g->element.scalar));
    buf_printf(out, " %s", name);
    if (g->element.lanes > 1 && !g->fields)
        buf_printf(out, "[%d]", g->element.lanes);
}

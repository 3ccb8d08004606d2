#include "tuner/spec/task.h"

#include "metrics/base/diag.h"

#include <ctype.h>
#include <string.h>

/* By TaskScalar: our name, bytes, the name of its vectors, and other names, any of which without a space may
 * be followed by a number of lanes. */
static const struct {
    const char *name;
    size_t size;
    const char *vector, *others;
} SCALARS[TASK_SCALARS] = {
    [TASK_I8] = {"int8", 1, "char%d", "int8_t|char|signed char"},
    [TASK_U8] = {"uint8", 1, "uchar%d", "uint8_t|uchar|unsigned char|bool"},
    [TASK_I16] = {"int16", 2, "short%d", "int16_t|short"},
    [TASK_U16] = {"uint16", 2, "ushort%d", "uint16_t|ushort|unsigned short"},
    [TASK_I32] = {"int32", 4, "int%d", "int32_t|int"},
    [TASK_U32] = {"uint32", 4, "uint%d", "uint32_t|uint|unsigned|unsigned int"},
    [TASK_I64] = {"int64", 8, "longlong%d", "int64_t|long|longlong|long long"},
    [TASK_U64] = {"uint64", 8, "ulonglong%d",
                  "uint64_t|ulong|size_t|ulonglong|unsigned long|unsigned long long"},
    [TASK_HALF] = {"half", 2, "half%d", "__half"},
    [TASK_BFLOAT16] = {"bfloat16", 2, "bfloat16%d", "nv_bfloat16|__nv_bfloat16"},
    [TASK_E4M3] = {"fp8_e4m3", 1, "fp8x%d_e4m3", "__nv_fp8_e4m3"},
    [TASK_E5M2] = {"fp8_e5m2", 1, "fp8x%d_e5m2", "__nv_fp8_e5m2"},
    [TASK_FLOAT] = {"float", 4, "float%d", ""},
    [TASK_DOUBLE] = {"double", 8, "double%d", ""},
};

/* Names of vectors that are not a scalar's name with a number. */
static const struct {
    const char *names;
    TaskType type;
} VECTORS[] = {
    {"bfloat162|nv_bfloat162|__nv_bfloat162", {TASK_BFLOAT16, 2}},
    {"fp8x2_e4m3|__nv_fp8x2_e4m3", {TASK_E4M3, 2}},
    {"fp8x4_e4m3|__nv_fp8x4_e4m3", {TASK_E4M3, 4}},
    {"fp8x2_e5m2|__nv_fp8x2_e5m2", {TASK_E5M2, 2}},
    {"fp8x4_e5m2|__nv_fp8x4_e5m2", {TASK_E5M2, 4}},
};

size_t task_scalar_size(TaskScalar s)
{
    return SCALARS[s].size;
}

size_t task_type_size(TaskType t)
{
    return SCALARS[t.scalar].size * (size_t)t.lanes;
}

bool task_scalar_is_float(TaskScalar s)
{
    return s >= TASK_HALF;
}

TaskScalar task_scalar_in_c(TaskScalar s)
{
    const bool narrow = task_scalar_is_float(s) && s < TASK_FLOAT;
    return !narrow ? s : task_scalar_size(s) == 1 ? TASK_U8 : TASK_U16;
}

const char *task_scalar_name(TaskScalar s)
{
    return SCALARS[s].name;
}

void task_type_print(TaskType t, Buf *out)
{
    if (t.lanes == 1)
        buf_puts(out, task_scalar_name(t.scalar));
    else
        buf_printf(out, SCALARS[t.scalar].vector, t.lanes);
}

/* True if a name is one of those that "|" separates. */
static bool is_among(const char *name, size_t length, const char *names)
{
    for (size_t n; *names; names += n + (names[n] == '|')) {
        n = strcspn(names, "|");
        if (n == length && memcmp(names, name, n) == 0)
            return true;
    }
    return false;
}

static bool find_whole(const char *name, size_t length, TaskType *t)
{
    for (int i = 0; i < TASK_SCALARS; i++)
        if (is_among(name, length, SCALARS[i].name) || is_among(name, length, SCALARS[i].others))
            return *t = (TaskType){(TaskScalar)i, 1}, true;
    for (size_t i = 0; i < COUNT_OF(VECTORS); i++)
        if (is_among(name, length, VECTORS[i].names))
            return *t = VECTORS[i].type, true;
    return false;
}

/* The whole name first, so that "int8" is a byte; then with a last digit as lanes: "int4", "half2". Only
 * CUDA's own names have vectors, so "int322" is none. */
bool task_type_find(const char *name, TaskType *t)
{
    size_t length = strlen(name);
    t->lanes = 1;
    if (find_whole(name, length, t))
        return true;
    if (length < 2 || name[length - 1] < '1' || name[length - 1] > '4')
        return false;
    if (isdigit((unsigned char)name[length - 2]) || strchr(name, ' ') ||
        is_among(name, length - 1, "bool") || !find_whole(name, length - 1, t))
        return false;
    t->lanes = name[length - 1] - '0';
    return true;
}

static const char *const CACHES[] = {
    [TASK_WARM] = "warm", [TASK_COLD] = "cold", [TASK_BOTH] = "both"};

const char *task_cache_name(TaskCache c)
{
    return CACHES[c];
}

bool task_cache_find(const char *name, TaskCache *c)
{
    const size_t place = word_place(name, CACHES, TASK_BOTH + 1);
    *c = place < SIZE_MAX ? (TaskCache)place : *c;
    return place < SIZE_MAX;
}

size_t layout_add(StructLayout *l, size_t size, size_t alignment)
{
    alignment = alignment ? alignment : 1;
    const size_t at = (l->size + alignment - 1) / alignment * alignment;
    l->size = at + size;
    l->alignment = alignment > l->alignment ? alignment : l->alignment;
    return at;
}

size_t layout_size(const StructLayout *l)
{
    return l->alignment ? (l->size + l->alignment - 1) / l->alignment * l->alignment : 0;
}

#include "tuner/spec/task.h"

#include "metrics/base/diag.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} SCALARS[TASK_SCALARS] = {
    [TASK_I8] = {"int8", 1},           [TASK_U8] = {"uint8", 1},      [TASK_I16] = {"int16", 2},
    [TASK_U16] = {"uint16", 2},        [TASK_I32] = {"int32", 4},     [TASK_U32] = {"uint32", 4},
    [TASK_I64] = {"int64", 8},         [TASK_U64] = {"uint64", 8},    [TASK_HALF] = {"half", 2},
    [TASK_BFLOAT16] = {"bfloat16", 2}, [TASK_E4M3] = {"fp8_e4m3", 1}, [TASK_E5M2] = {"fp8_e5m2", 1},
    [TASK_FLOAT] = {"float", 4},       [TASK_DOUBLE] = {"double", 8},
};

/* Other names; those without a space may be followed by a number of lanes. */
static const struct {
    const char *name;
    TaskScalar scalar;
    int lanes; /* 0: one */
} NAMES[] = {
    {"int8_t", TASK_I8, 0},
    {"char", TASK_I8, 0},
    {"signed char", TASK_I8, 0},
    {"uint8_t", TASK_U8, 0},
    {"uchar", TASK_U8, 0},
    {"unsigned char", TASK_U8, 0},
    {"int16_t", TASK_I16, 0},
    {"short", TASK_I16, 0},
    {"uint16_t", TASK_U16, 0},
    {"ushort", TASK_U16, 0},
    {"unsigned short", TASK_U16, 0},
    {"int32_t", TASK_I32, 0},
    {"int", TASK_I32, 0},
    {"uint32_t", TASK_U32, 0},
    {"uint", TASK_U32, 0},
    {"unsigned", TASK_U32, 0},
    {"unsigned int", TASK_U32, 0},
    {"int64_t", TASK_I64, 0},
    {"long", TASK_I64, 0},
    {"longlong", TASK_I64, 0},
    {"long long", TASK_I64, 0},
    {"uint64_t", TASK_U64, 0},
    {"ulong", TASK_U64, 0},
    {"size_t", TASK_U64, 0},
    {"ulonglong", TASK_U64, 0},
    {"unsigned long", TASK_U64, 0},
    {"unsigned long long", TASK_U64, 0},
    {"__half", TASK_HALF, 0},
    {"nv_bfloat16", TASK_BFLOAT16, 0},
    {"__nv_bfloat16", TASK_BFLOAT16, 0},
    {"bfloat162", TASK_BFLOAT16, 2},
    {"nv_bfloat162", TASK_BFLOAT16, 2},
    {"__nv_bfloat162", TASK_BFLOAT16, 2},
    {"__nv_fp8_e4m3", TASK_E4M3, 0},
    {"fp8x2_e4m3", TASK_E4M3, 2},
    {"__nv_fp8x2_e4m3", TASK_E4M3, 2},
    {"fp8x4_e4m3", TASK_E4M3, 4},
    {"__nv_fp8x4_e4m3", TASK_E4M3, 4},
    {"__nv_fp8_e5m2", TASK_E5M2, 0},
    {"fp8x2_e5m2", TASK_E5M2, 2},
    {"__nv_fp8x2_e5m2", TASK_E5M2, 2},
    {"fp8x4_e5m2", TASK_E5M2, 4},
    {"__nv_fp8x4_e5m2", TASK_E5M2, 4},
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
    static const char *const of_vectors[TASK_SCALARS] = {
        [TASK_I8] = "char%d",           [TASK_U8] = "uchar%d",       [TASK_I16] = "short%d",
        [TASK_U16] = "ushort%d",        [TASK_I32] = "int%d",        [TASK_U32] = "uint%d",
        [TASK_I64] = "longlong%d",      [TASK_U64] = "ulonglong%d",  [TASK_HALF] = "half%d",
        [TASK_BFLOAT16] = "bfloat16%d", [TASK_E4M3] = "fp8x%d_e4m3", [TASK_E5M2] = "fp8x%d_e5m2",
        [TASK_FLOAT] = "float%d",       [TASK_DOUBLE] = "double%d",
    };
    if (t.lanes == 1)
        buf_puts(out, task_scalar_name(t.scalar));
    else
        buf_printf(out, of_vectors[t.scalar], t.lanes);
}

static bool find_whole(const char *name, size_t length, TaskType *t)
{
    for (int i = 0; i < TASK_SCALARS; i++) {
        if (strlen(SCALARS[i].name) == length && memcmp(SCALARS[i].name, name, length) == 0) {
            *t = (TaskType){(TaskScalar)i, 1};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strlen(NAMES[i].name) == length && memcmp(NAMES[i].name, name, length) == 0) {
            *t = (TaskType){NAMES[i].scalar, NAMES[i].lanes ? NAMES[i].lanes : 1};
            return true;
        }
    }
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
        !find_whole(name, length - 1, t))
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

/* --- structs ---------------------------------------------------------------------------------- */

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

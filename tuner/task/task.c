#include "tuner/task/task.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
} SCALARS[TASK_SCALARS] = {
    [TASK_I8] = {"int8", 1},     [TASK_U8] = {"uint8", 1},      [TASK_I16] = {"int16", 2},
    [TASK_U16] = {"uint16", 2},  [TASK_I32] = {"int32", 4},     [TASK_U32] = {"uint32", 4},
    [TASK_I64] = {"int64", 8},   [TASK_U64] = {"uint64", 8},    [TASK_HALF] = {"half", 2},
    [TASK_FLOAT] = {"float", 4}, [TASK_DOUBLE] = {"double", 8},
};

/* Other names of the scalars; a name without a space may be followed by a number of lanes. */
static const struct {
    const char *name;
    TaskScalar scalar;
} NAMES[] = {
    {"int8_t", TASK_I8},
    {"char", TASK_I8},
    {"signed char", TASK_I8},
    {"uint8_t", TASK_U8},
    {"uchar", TASK_U8},
    {"unsigned char", TASK_U8},
    {"int16_t", TASK_I16},
    {"short", TASK_I16},
    {"uint16_t", TASK_U16},
    {"ushort", TASK_U16},
    {"unsigned short", TASK_U16},
    {"int32_t", TASK_I32},
    {"int", TASK_I32},
    {"uint32_t", TASK_U32},
    {"uint", TASK_U32},
    {"unsigned", TASK_U32},
    {"unsigned int", TASK_U32},
    {"int64_t", TASK_I64},
    {"long", TASK_I64},
    {"longlong", TASK_I64},
    {"long long", TASK_I64},
    {"uint64_t", TASK_U64},
    {"ulong", TASK_U64},
    {"ulonglong", TASK_U64},
    {"unsigned long", TASK_U64},
    {"unsigned long long", TASK_U64},
    {"__half", TASK_HALF},
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
    return s == TASK_HALF || s == TASK_FLOAT || s == TASK_DOUBLE;
}

const char *task_scalar_name(TaskScalar s)
{
    return SCALARS[s].name;
}

void task_type_print(TaskType t, Buf *out)
{
    static const char *const of_vectors[TASK_SCALARS] = {
        [TASK_I8] = "char",      [TASK_U8] = "uchar",      [TASK_I16] = "short",
        [TASK_U16] = "ushort",   [TASK_I32] = "int",       [TASK_U32] = "uint",
        [TASK_I64] = "longlong", [TASK_U64] = "ulonglong", [TASK_HALF] = "half",
        [TASK_FLOAT] = "float",  [TASK_DOUBLE] = "double",
    };
    if (t.lanes == 1)
        buf_puts(out, task_scalar_name(t.scalar));
    else
        buf_printf(out, "%s%d", of_vectors[t.scalar], t.lanes);
}

static bool find_scalar(const char *name, size_t length, TaskScalar *s)
{
    for (int i = 0; i < TASK_SCALARS; i++) {
        if (strlen(SCALARS[i].name) == length && memcmp(SCALARS[i].name, name, length) == 0) {
            *s = (TaskScalar)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strlen(NAMES[i].name) == length && memcmp(NAMES[i].name, name, length) == 0) {
            *s = NAMES[i].scalar;
            return true;
        }
    }
    return false;
}

/* The whole name first, so that "int8" is a byte; then with a last digit as the lanes, which
 * gives "int4" and "half2".  Of the sized names only CUDA's own have vectors, so "int322" is
 * none. */
bool task_type_find(const char *name, TaskType *t)
{
    size_t length = strlen(name);
    t->lanes = 1;
    if (find_scalar(name, length, &t->scalar))
        return true;
    if (length < 2 || name[length - 1] < '1' || name[length - 1] > '4')
        return false;
    char before = name[length - 2];
    if (before < 'a' || before > 'z' || strchr(name, ' '))
        return false;
    t->lanes = name[length - 1] - '0';
    return find_scalar(name, length - 1, &t->scalar);
}

static const char *const CACHES[] = {
    [TASK_WARM] = "warm", [TASK_COLD] = "cold", [TASK_BOTH] = "both"};

const char *task_cache_name(TaskCache c)
{
    return CACHES[c];
}

bool task_cache_find(const char *name, TaskCache *c)
{
    for (int i = TASK_WARM; i <= TASK_BOTH; i++) {
        if (strcmp(CACHES[i], name) == 0) {
            *c = (TaskCache)i;
            return true;
        }
    }
    return false;
}

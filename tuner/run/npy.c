#include "tuner/run/npy.h"

#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6 };

/* The text after a key of the header; NULL: no such key. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, " :");
}

/* True if the text is '<f4' and so on; '|' precedes types of one byte. Types that NumPy lacks are
 * accepted as plain bytes (V2, as ml_dtypes writes bfloat16) or unsigned integers. */
static bool is_type(const char *text, TaskScalar want)
{
    static const char *const names[TASK_SCALARS] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8",
                                                    "u8", "f2", "V2", "V1", "V1", "f4", "f8"};
    if (!text || strnlen(text, 5) < 5 || text[0] != '\'' || !strchr("<=|", text[1]) ||
        text[4] != '\'')
        return false;
    return strncmp(text + 2, names[want], 2) == 0 ||
           strncmp(text + 2, names[task_scalar_in_c(want)], 2) == 0;
}

/* The number of dimensions above 1. */
static int wide_dimensions(const char *shape)
{
    int wide = 0;
    for (const char *at = shape + 1; *at && *at != ')';) {
        char *end;
        long n = strtol(at, &end, 10);
        wide += n > 1;
        at = end == at ? at + 1 : end;
    }
    return wide;
}

static bool check_header(const char *header, TaskScalar want, Diag *d)
{
    const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'");
    const char *shape = value_of(header, "'shape'");
    if (!type || !order || !shape || *shape != '(')
        return diag_fail(d, "its header is not that of a NumPy file");
    if (!is_type(type, want))
        return diag_fail(d, "its type is %.*s and not %s", (int)strcspn(type, ","), type,
                         task_scalar_name(want));
    if (strncmp(order, "True", 4) == 0 && wide_dimensions(shape) > 1)
        return diag_fail(d, "it is in Fortran order; save it with numpy.ascontiguousarray");
    return true;
}

bool npy_data(Arena *a, const char *file, size_t size, TaskScalar want, const char **data,
              size_t *data_size, Diag *d)
{
    const unsigned char *bytes = (const unsigned char *)file;
    if (size < MAGIC_SIZE + 6 || memcmp(file, MAGIC, MAGIC_SIZE) != 0)
        return diag_fail(d, "it is not a NumPy file");
    size_t start = bytes[MAGIC_SIZE] == 1 ? 10 : 12;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (start == 12)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - start)
        return diag_fail(d, "its header is truncated");
    if (!check_header(arena_copy(a, file + start, length), want, d))
        return false;
    *data = file + start + length;
    *data_size = size - start - length;
    return true;
}

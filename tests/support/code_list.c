#include "tests/support/code_list.h"

#include "metrics/base/file.h"

#include <string.h>

FILE *code_list_open(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, CODE_TEXT_BYTES, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    return fopen(path, "r");
}

bool code_list_next(FILE *list, CodeLine *l)
{
    char parameters[CODE_TEXT_BYTES];
    if (fscanf(list, "%599s %599s %u %u %u %u %u %u %u %599s", l->name, l->kernel, &l->grid[0],
               &l->grid[1], &l->grid[2], &l->block[0], &l->block[1], &l->block[2], &l->shared,
               parameters) != 10)
        return false;
    l->byte_count = strspn(parameters, "0123456789abcdef") / 2;
    for (size_t i = 0; i < l->byte_count && i < CODE_PARAMETERS_MOST; i++) {
        unsigned byte = 0;
        sscanf(parameters + 2 * i, "%2x", &byte);
        l->bytes[i] = (unsigned char)byte;
    }
    return l->byte_count <= CODE_PARAMETERS_MOST;
}

bool code_list_read(Arena *a, const CodeLine *l, const char *folder, ProfileInput *out, Diag *d)
{
    *out = (ProfileInput){.kernel = l->kernel,
                          .launch.grid = {l->grid[0], l->grid[1], l->grid[2]},
                          .launch.block = {l->block[0], l->block[1], l->block[2]},
                          .launch.shared = l->shared,
                          .launch.parameters = l->bytes,
                          .launch.parameter_bytes = l->byte_count};
    out->ptx = file_read(a, arena_printf(a, "%s%s.ptx", folder, l->name), &out->ptx_size, d);
    out->cubin = file_read(a, arena_printf(a, "%s%s.cubin", folder, l->name), &out->cubin_size, d);
    return out->ptx && out->cubin;
}

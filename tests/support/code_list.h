/* The list of compiled configurations that check_code writes beside their code. */
#pragma once

#include "metrics/metric/profile_build.h"

#include <stdio.h>

enum { CODE_PARAMETERS_MOST = 256, CODE_TEXT_BYTES = 600 };

typedef struct CodeLine {
    char name[CODE_TEXT_BYTES]; /* of the files, without their endings */
    char kernel[CODE_TEXT_BYTES];
    unsigned grid[3], block[3], shared;
    unsigned char bytes[CODE_PARAMETERS_MOST];
    size_t byte_count; /* of parameters */
} CodeLine;

/* The list, opened; `folder` (of CODE_TEXT_BYTES) gets where its files are, with a slash behind.
 * NULL where there is none. */
FILE *code_list_open(const char *path, char *folder);

/* False at the end, and where a line is none. */
bool code_list_next(FILE *list, CodeLine *out);

/* Reads PTX and cubin of a line.  False with a message; `out` has no device and points to `l`. */
bool code_list_read(Arena *a, const CodeLine *l, const char *folder, ProfileInput *out, Diag *d);

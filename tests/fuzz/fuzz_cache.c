/* Any bytes as an entry of the compile cache: what is believed is what its sums say.  The input is
 * an entry's JSON and blobs; it is also tried behind a first line that fits it. */
#include "metrics/base/file.h"
#include "tuner/compile/result.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/fuzz-cache-XXXXXX";

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        return;
}

static void try_entry(Arena *a, const Cache *c, const Hash *key, const void *bytes, size_t size)
{
    Diag d = diag_new(a);
    CompileResult r;
    const char *path = cache_path(c, a, key);
    if (!folder_create(path_folder(a, path), &d) || !file_write(path, bytes, size, &d))
        __builtin_trap();
    result_recall(c, a, key, &r);
    result_recall_profile(c, a, key, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    if (folder[strlen(folder) - 1] == 'X') {
        if (!mkdtemp(folder))
            __builtin_trap();
        atexit(remove_folder);
    }
    const Cache *c = cache_open(a, folder, false, &d);
    const Hash key = hash_bytes("fuzz", 4);
    if (!c)
        __builtin_trap();
    try_entry(a, c, &key, data, size);
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t json = end ? (size_t)(end - data) : size; /* its blobs stand behind a newline */
    Hash sum = hash_bytes(data, json);
    Buf sealed = {0};
    buf_printf(&sealed, "aptcache%08zx %s\n", json, sum.text);
    buf_add(&sealed, data, json);
    if (end)
        buf_add(&sealed, end + 1, size - json - 1);
    try_entry(a, c, &key, buf_text(&sealed), sealed.size);
    buf_free(&sealed);
    arena_free(a);
    return 0;
}

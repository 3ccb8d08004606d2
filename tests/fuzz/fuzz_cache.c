/* Any bytes as an entry of the compile cache: what is believed is what its sums say.  The input is
 * an entry's JSON and blobs; it is also tried behind a first line that fits it. */
#include "tests/fuzz/folder.h"
#include "tuner/compile/result.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_entry(Arena *a, const Cache *c, const Hash *key, const void *bytes, size_t size)
{
    CompileResult r;
    fuzz_put(cache_path(c, a, key) + strlen(fuzz_folder()) + 1, bytes, size);
    result_recall(c, a, key, &r);
    result_recall_profile(c, a, key, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Cache *c = cache_open(a, fuzz_folder(), false, &d);
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
